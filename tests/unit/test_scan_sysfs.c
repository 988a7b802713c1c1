/* SPDX-License-Identifier: MIT */
/*
 * This machine, from trees as Linux 6.1 lays them out: devices under /sys/devices, symlinks to them under /sys/class.
 * Bug corpus: 67 test_instance_mismatch, 68 test_multipath, 70 and 76 test_namespaces, 74 test_vanishing, 75 test_tcp and
 * test_apple, 87 test_many, 92 test_unknown_link. The same entries as host directories: tests/scenario/test_bugs_scan.py.
 */
#include "check.h"
#include "scan/scan.h"
#include "scan_tree.h"

#include <sys/sysmacros.h>

#define PCI_DIR "devices/pci0000:00/0000:00:03.0/0000:03:00.0"

/* A namespace directory as the kernel's: size in 512-byte sectors, nsid, queue/. */
static void put_ns(const char *dir, const char *name, const char *nsid, const char *sectors, const char *block)
{
	AUTO_FREE char *ns = ssd_asprintf("%s/%s", dir, name);

	put(ns, "nsid", nsid);
	put(ns, "size", sectors);
	put(ns, "queue/logical_block_size", block);
}

/* The controller in its own directory and its link in class/nvme. */
static void put_ctrl(const char *parent, const char *name, const char *serial)
{
	AUTO_FREE char *dir = ssd_asprintf("%s/nvme/%s", parent, name), *link = ssd_asprintf("class/nvme/%s", name),
		       *target = ssd_asprintf("../../%s", dir), *device = ssd_asprintf("%s/device", dir);

	put(dir, "model", "INTEL SSDPEDMD020T4                     ");
	put(dir, "serial", serial);
	put(dir, "firmware_rev", "8DV10131");
	put(dir, "transport", "pcie");
	put(dir, "address", strrchr(parent, '/') + 1);
	put(dir, "state", "live");
	put(dir, "cntlid", "0");
	put(dir, "numa_node", "1");
	put(dir, "subsysnqn", "nqn.2014.08.org.nvmexpress:80868086CVFT4030004A2P0EGN  INTEL SSDPEDMD020T4");
	put_link(device, "../../../0000:03:00.0");
	put_link(link, target);
}

static void put_pci(const char *dir)
{
	AUTO_FREE char *driver = ssd_asprintf("%s/driver", dir);

	put(dir, "vendor", "0x8086");
	put(dir, "device", "0x0953");
	put(dir, "subsystem_vendor", "0x8086");
	put(dir, "subsystem_device", "0x3702");
	put(dir, "current_link_speed", "8.0 GT/s PCIe");
	put(dir, "current_link_width", "4");
	put(dir, "max_link_speed", "8.0 GT/s PCIe");
	put(dir, "max_link_width", "4");
	put_link(driver, "../../../../bus/pci/drivers/nvme");
}

static struct ssd_host *scan(void)
{
	struct ssd_err err = SSD_ERR_INIT;
	struct ssd_host *host = ssd_host_scan_sysfs(tree_root, &err);

	ck_assert_ptr_nonnull(host);
	ck_assert(!ssd_failed(&err));
	ck_assert_int_eq(host->backend, SSD_BACKEND_LINUX);
	ck_assert_ptr_null(host->dir);
	return host;
}

START_TEST(test_plain)
{
	const struct ssd_drive *d;
	struct ssd_host *host;

	tree_new();
	put_pci(PCI_DIR);
	put_ctrl(PCI_DIR, "nvme0", "CVFT4030004A2P0EGN  ");
	/* 2 TB: 3907029168 sectors of 512 bytes, in blocks of 4096. */
	put_ns(PCI_DIR "/nvme/nvme0", "nvme0n1", "1", "3907029168", "4096");
	put(PCI_DIR "/nvme/nvme0/nvme0n1", "queue/max_hw_sectors_kb", "128");
	put_dir(PCI_DIR "/nvme/nvme0/ng0n1");
	put_dir(PCI_DIR "/nvme/nvme0/power");
	host = scan();
	ck_assert_uint_eq(host->n_drives, 1);
	d = &host->drives[0];
	ck_assert_str_eq(d->device, "nvme0");
	ck_assert_str_eq(d->path, "/dev/nvme0");
	ck_assert_str_eq(d->model, "INTEL SSDPEDMD020T4");
	ck_assert_str_eq(d->serial, "CVFT4030004A2P0EGN");
	ck_assert_str_eq(d->firmware, "8DV10131");
	ck_assert_str_eq(d->transport, "pcie");
	ck_assert_str_eq(d->address, "0000:03:00.0");
	ck_assert_str_eq(d->state, "live");
	ck_assert_int_eq(d->cntlid, 0);
	ck_assert_int_eq(d->numa_node, 1);
	ck_assert_int_eq(d->pci_vendor, 0x8086);
	ck_assert_int_eq(d->pci_device, 0x953);
	ck_assert_int_eq(d->pci_subsystem_vendor, 0x8086);
	ck_assert_int_eq(d->pci_subsystem_device, 0x3702);
	ck_assert_str_eq(d->current_link_speed, "8.0 GT/s PCIe");
	ck_assert_int_eq(d->current_link_width, 4);
	ck_assert_int_eq(d->max_link_width, 4);
	ck_assert_str_eq(d->driver, "nvme");
	ck_assert_uint_eq(d->max_transfer_bytes, 131072);
	ck_assert_str_eq(d->note, "");
	ck_assert_ptr_eq(d->host, host);
	ck_assert_uint_eq(d->n_namespaces, 1);
	ck_assert_uint_eq(d->namespaces[0].nsid, 1);
	ck_assert_str_eq(d->namespaces[0].device, "nvme0n1");
	ck_assert_str_eq(d->namespaces[0].generic, "ng0n1");
	ck_assert_uint_eq(d->namespaces[0].size_bytes, 2000398934016);
	ck_assert_uint_eq(d->namespaces[0].block_bytes, 4096);
	ck_assert_int_eq(d->namespaces[0].metadata_bytes, -1);
	ssd_host_free(host);
}
END_TEST

/* Newer kernels show metadata_bytes; nsids have gaps and do not follow the node's number; no generic nodes. */
START_TEST(test_namespaces)
{
	const struct ssd_drive *d;
	struct ssd_host *host;

	tree_new();
	put_ctrl(PCI_DIR, "nvme0", "A");
	put_ns(PCI_DIR "/nvme/nvme0", "nvme0n2", "5", "8", "4096");
	put(PCI_DIR "/nvme/nvme0/nvme0n2", "metadata_bytes", "8");
	put_ns(PCI_DIR "/nvme/nvme0", "nvme0n1", "10", "16", "512");
	put_ns(PCI_DIR "/nvme/nvme0", "nvme0n3", "2", "0", "512");
	host = scan();
	d = &host->drives[0];
	ck_assert_uint_eq(d->n_namespaces, 3);
	ck_assert_uint_eq(d->namespaces[0].nsid, 2);
	ck_assert_uint_eq(d->namespaces[0].size_bytes, 0);
	ck_assert_uint_eq(d->namespaces[1].nsid, 5);
	ck_assert_str_eq(d->namespaces[1].device, "nvme0n2");
	ck_assert_str_eq(d->namespaces[1].generic, "");
	ck_assert_int_eq(d->namespaces[1].metadata_bytes, 8);
	ck_assert_uint_eq(d->namespaces[2].nsid, 10);
	ck_assert_uint_eq(d->namespaces[2].size_bytes, 8192);
	ssd_host_free(host);
}
END_TEST

#define SUBSYS "devices/virtual/nvme-subsystem/nvme-subsys1"

/* Two controllers of one subsystem, as QEMU's nvme-subsys shows them: the head is nvme1n1, there is no nvme0n1. */
static void put_multipath(void)
{
	tree_new();
	put_ctrl("devices/pci0000:00/0000:00:03.0", "nvme0", "PHAAAA01");
	put_ctrl("devices/pci0000:00/0000:00:04.0", "nvme1", "PHAAAA01");
	put_ns("devices/pci0000:00/0000:00:03.0/nvme/nvme0", "nvme1c0n1", "1", "2048", "512");
	put_ns("devices/pci0000:00/0000:00:03.0/nvme/nvme0", "nvme1c0n2", "3", "4096", "512");
	put_ns("devices/pci0000:00/0000:00:04.0/nvme/nvme1", "nvme1c1n1", "1", "2048", "512");
	put_ns(SUBSYS, "nvme1n1", "1", "2048", "512");
	put_ns(SUBSYS, "nvme1n2", "3", "4096", "512");
	put_dir(SUBSYS "/ng1n1");
	put_dir(SUBSYS "/ng1n2");
	put_link(SUBSYS "/nvme0", "../../../pci0000:00/0000:00:03.0/nvme/nvme0");
	put_link(SUBSYS "/nvme1", "../../../pci0000:00/0000:00:04.0/nvme/nvme1");
	put_link("class/nvme-subsystem/nvme-subsys1", "../../" SUBSYS);
}

START_TEST(test_multipath)
{
	const struct ssd_drive *d;
	struct ssd_target t;
	struct ssd_host *host;

	put_multipath();
	host = scan();
	ck_assert_uint_eq(host->n_drives, 2);
	d = &host->drives[0];
	ck_assert_str_eq(d->subsystem, "nvme-subsys1");
	ck_assert_uint_eq(d->n_namespaces, 2);
	ck_assert_str_eq(d->namespaces[0].device, "nvme1n1");
	ck_assert_str_eq(d->namespaces[0].generic, "ng1n1");
	ck_assert_uint_eq(d->namespaces[0].size_bytes, 1048576);
	ck_assert_uint_eq(d->namespaces[1].nsid, 3);
	ck_assert_str_eq(d->namespaces[1].device, "nvme1n2");
	ck_assert_str_eq(d->namespaces[1].generic, "ng1n2");
	ck_assert_uint_eq(host->drives[1].n_namespaces, 1);
	ck_assert_str_eq(host->drives[1].namespaces[0].device, "nvme1n1");
	/* The head is nvme1's by its name only: nvme0 leads to it as well, and comes first. */
	ck_assert_int_eq(ssd_host_resolve(host, "nvme1n1", &t, NULL), 0);
	ck_assert_ptr_eq(t.drive, &host->drives[0]);
	ck_assert_uint_eq(t.nsid, 1);
	ck_assert_int_eq(ssd_host_resolve(host, "nvme0n1", &t, NULL), -1);
	ck_assert_int_eq(ssd_host_resolve(host, "nvme1c0n1", &t, NULL), -1);
	ssd_host_free(host);
}
END_TEST

START_TEST(test_multipath_dead_path)
{
	struct ssd_target t;
	struct ssd_host *host;

	put_multipath();
	put("devices/pci0000:00/0000:00:03.0/nvme/nvme0", "state", "dead");
	host = scan();
	ck_assert_int_eq(ssd_host_resolve(host, "/dev/ng1n1", &t, NULL), 0);
	ck_assert_str_eq(t.drive->device, "nvme1");
	ck_assert_int_eq(ssd_host_resolve(host, "nvme1n2", &t, NULL), 0);
	ck_assert_str_eq(t.drive->device, "nvme0");
	ck_assert_uint_eq(t.nsid, 3);
	ck_assert_str_eq(host->drives[0].note, "the controller is dead");
	ssd_host_free(host);
}
END_TEST

/* nvme-cli issue 455: the namespace of nvme0 is nvme3n1, and another drive's is nvme0n1. */
START_TEST(test_instance_mismatch)
{
	struct ssd_target t;
	struct ssd_host *host;

	tree_new();
	put_ctrl("devices/pci0000:00/0000:00:03.0", "nvme0", "AAA");
	put_ctrl("devices/pci0000:00/0000:00:04.0", "nvme3", "BBB");
	put_ns("devices/pci0000:00/0000:00:03.0/nvme/nvme0", "nvme3n1", "1", "8", "512");
	put_ns("devices/pci0000:00/0000:00:04.0/nvme/nvme3", "nvme0n1", "1", "8", "512");
	put_dir("devices/pci0000:00/0000:00:03.0/nvme/nvme0/ng0n1");
	put_dir("devices/pci0000:00/0000:00:04.0/nvme/nvme3/ng3n1");
	host = scan();
	ck_assert_int_eq(ssd_host_resolve(host, "nvme0n1", &t, NULL), 0);
	ck_assert_str_eq(t.drive->serial, "BBB");
	ck_assert_int_eq(ssd_host_resolve(host, "nvme0", &t, NULL), 0);
	ck_assert_str_eq(t.drive->serial, "AAA");
	ck_assert_int_eq(ssd_host_resolve(host, "/dev/ng0n1", &t, NULL), 0);
	ck_assert_str_eq(t.drive->serial, "AAA");
	ck_assert_str_eq(t.drive->namespaces[0].device, "nvme3n1");
	ck_assert_str_eq(t.drive->namespaces[0].generic, "ng0n1");
	ssd_host_free(host);
}
END_TEST

START_TEST(test_many)
{
	struct ssd_host *host;
	char name[32], dir[64];

	tree_new();
	for (int i = 0; i < 128; i++) {
		snprintf(name, sizeof(name), "nvme%d", i);
		snprintf(dir, sizeof(dir), "devices/pci0000:00/0000:%02x:00.0", i);
		put_ctrl(dir, name, "S");
	}
	host = scan();
	ck_assert_uint_eq(host->n_drives, 128);
	for (int i = 0; i < 128; i++) {
		snprintf(name, sizeof(name), "nvme%d", i);
		ck_assert_str_eq(host->drives[i].device, name);
	}
	ssd_host_free(host);
}
END_TEST

#define TCP_DIR "devices/virtual/nvme-fabrics/ctl"

START_TEST(test_tcp)
{
	const struct ssd_drive *d;
	struct ssd_host *host;

	tree_new();
	put_ctrl(TCP_DIR, "nvme1", "TCP1");
	put(TCP_DIR "/nvme/nvme1", "transport", "tcp");
	put(TCP_DIR "/nvme/nvme1", "address", "traddr=127.0.0.1,trsvcid=4420,src_addr=127.0.0.1");
	put(TCP_DIR "/nvme/nvme1", "numa_node", "-1");
	put(TCP_DIR "/nvme/nvme1", "state", "connecting");
	put_ns(TCP_DIR "/nvme/nvme1", "nvme1n1", "1", "8", "4096");
	put_dir(TCP_DIR "/nvme/nvme1/ng1n1");
	host = scan();
	d = &host->drives[0];
	ck_assert_str_eq(d->transport, "tcp");
	ck_assert_str_eq(d->address, "traddr=127.0.0.1,trsvcid=4420,src_addr=127.0.0.1");
	ck_assert_int_eq(d->numa_node, -1);
	ck_assert_int_eq(d->pci_vendor, -1);
	ck_assert_str_eq(d->current_link_speed, "");
	ck_assert_int_eq(d->current_link_width, -1);
	ck_assert_str_eq(d->note, "the controller is connecting");
	ck_assert_uint_eq(d->n_namespaces, 1);
	ssd_host_free(host);
}
END_TEST

START_TEST(test_apple)
{
	const struct ssd_drive *d;
	struct ssd_host *host;

	tree_new();
	put_ctrl("devices/platform/soc/27bcc0000.nvme", "nvme0", "0ba0188a4a2c8e2f");
	put("devices/platform/soc/27bcc0000.nvme/nvme/nvme0", "transport", "apple-nvme");
	host = scan();
	d = &host->drives[0];
	ck_assert_str_eq(d->transport, "apple-nvme");
	ck_assert_str_eq(d->address, "27bcc0000.nvme");
	ck_assert_int_eq(d->pci_device, -1);
	ssd_host_free(host);
}
END_TEST

/* raspberrypi/linux 6190 and QEMU's pcie.0: a speed that the kernel cannot name, width 0, no maximum. */
START_TEST(test_unknown_link)
{
	const struct ssd_drive *d;
	struct ssd_host *host;

	tree_new();
	put_ctrl(PCI_DIR, "nvme0", "A");
	put(PCI_DIR, "current_link_speed", "Unknown");
	put(PCI_DIR, "current_link_width", "0");
	put(PCI_DIR, "max_link_width", "255");
	host = scan();
	d = &host->drives[0];
	ck_assert_str_eq(d->current_link_speed, "Unknown");
	ck_assert_int_eq(d->current_link_width, -1);
	ck_assert_str_eq(d->max_link_speed, "");
	ck_assert_int_eq(d->max_link_width, -1);
	ck_assert_int_eq(d->pci_vendor, -1);
	ssd_host_free(host);
}
END_TEST

/* A drive that goes while the tree is read: links that lead nowhere, directories without files. */
START_TEST(test_vanishing)
{
	struct ssd_host *host;

	tree_new();
	put_ctrl(PCI_DIR, "nvme0", "A");
	put_link(PCI_DIR "/nvme/nvme0/nvme0n1", "gone");
	put_dir(PCI_DIR "/nvme/nvme0/nvme0n2");
	put_link("class/nvme/nvme1", "../../devices/gone");
	put_dir("class/nvme/nvme2");
	put_link("class/nvme-subsystem/nvme-subsys0", "../../devices/gone");
	host = scan();
	ck_assert_uint_eq(host->n_drives, 3);
	ck_assert_uint_eq(host->drives[0].n_namespaces, 0);
	ck_assert_str_eq(host->drives[0].note,
			 "nvme0n1 went away or shows no nsid; nvme0n2 went away or shows no nsid");
	ck_assert_str_eq(host->drives[1].note, "went away while the host was being looked at");
	ck_assert_str_eq(host->drives[1].state, "unknown");
	ck_assert_str_eq(host->drives[1].model, "");
	ck_assert_str_eq(host->drives[2].note, "the kernel shows no model, serial, firmware_rev");
	ssd_host_free(host);
}
END_TEST

/* A FIFO must not block, a directory is no attribute, an endless text is cut, NULs end it. */
START_TEST(test_hostile)
{
	AUTO_FREE char *fifo = NULL;
	struct ssd_host *host;
	char text[5000];

	tree_new();
	put_ctrl(PCI_DIR, "nvme0", "   RIGHT");
	fifo = ssd_asprintf("%s/" PCI_DIR "/nvme/nvme0/hwmon", tree_root);
	memset(text, 'x', sizeof(text));
	put_bytes(PCI_DIR "/nvme/nvme0/address", text, sizeof(text));
	put_bytes(PCI_DIR "/nvme/nvme0/model", "\0\0\0\n", 4);
	put_bytes(PCI_DIR "/nvme/nvme0/cntlid", "12 monkeys\n", 11);
	put_dir(PCI_DIR "/vendor");
	ck_assert_int_eq(mkfifo(fifo, 0600), 0);
	free(fifo);
	fifo = ssd_asprintf("%s/" PCI_DIR "/device", tree_root);
	ck_assert_int_eq(mkfifo(fifo, 0600), 0);
	host = scan();
	ck_assert_str_eq(host->drives[0].serial, "RIGHT");
	ck_assert_str_eq(host->drives[0].model, "");
	ck_assert_uint_eq(strlen(host->drives[0].address), 255);
	ck_assert_int_eq(host->drives[0].cntlid, -1);
	ck_assert_int_eq(host->drives[0].pci_vendor, -1);
	ck_assert_int_eq(host->drives[0].pci_device, -1);
	ssd_host_free(host);
}
END_TEST

START_TEST(test_empty)
{
	struct ssd_err err = SSD_ERR_INIT;
	struct ssd_target t;
	struct ssd_host *host;

	tree_new();
	host = scan();
	ck_assert_uint_eq(host->n_drives, 0);
	ck_assert_int_eq(ssd_host_resolve(host, "nvme0", &t, &err), -1);
	ck_assert_int_eq(err.code, SSD_ERR_NOT_FOUND);
	ck_assert_str_eq(err.hint, "no NVMe drives on this host");
	ssd_host_free(host);
	put_dir("class/nvme");
	host = scan();
	ck_assert_uint_eq(host->n_drives, 0);
	ssd_host_free(host);
}
END_TEST

/* Linux before 4.8 showed neither transport nor address. */
START_TEST(test_old_kernel)
{
	struct ssd_host *host;

	tree_new();
	put(PCI_DIR "/nvme/nvme0", "model", "M");
	put(PCI_DIR "/nvme/nvme0", "serial", "S");
	put(PCI_DIR "/nvme/nvme0", "firmware_rev", "F");
	put_link(PCI_DIR "/nvme/nvme0/device", "../../../0000:03:00.0");
	put_link("class/nvme/nvme0", "../../" PCI_DIR "/nvme/nvme0");
	host = scan();
	ck_assert_str_eq(host->drives[0].transport, "pcie");
	ck_assert_str_eq(host->drives[0].address, "0000:03:00.0");
	ck_assert_str_eq(host->drives[0].state, "");
	ssd_host_free(host);
}
END_TEST

START_TEST(test_node_name)
{
	char name[32];

	tree_new();
	put_link("dev/block/259:1", "../../devices/pci0000:00/0000:03:00.0/nvme/nvme0/nvme0n1/nvme0n1p1");
	put_link("dev/char/240:0", "../../devices/pci0000:00/0000:03:00.0/nvme/nvme0");
	ck_assert_int_eq(scan_node_name(tree_root, S_IFBLK, makedev(259, 1), name, sizeof(name)), 0);
	ck_assert_str_eq(name, "nvme0n1p1");
	ck_assert_int_eq(scan_node_name(tree_root, S_IFCHR, makedev(240, 0), name, sizeof(name)), 0);
	ck_assert_str_eq(name, "nvme0");
	ck_assert_int_eq(scan_node_name(tree_root, S_IFCHR, makedev(259, 1), name, sizeof(name)), -ENOENT);
}
END_TEST

CHECK_MAIN("scan_sysfs", test_plain, test_namespaces, test_multipath, test_multipath_dead_path, test_instance_mismatch,
	   test_many, test_tcp, test_apple, test_unknown_link, test_vanishing, test_hostile, test_empty,
	   test_old_kernel, test_node_name)
