/* SPDX-License-Identifier: MIT */
/* Host directories, from bytes laid out by hand as in the NVM Express specifications. */
#include "check.h"
#include "scan_tree.h"

#include <ssdct/le.h>

/* A field of Identify: the text, then blanks. */
static void put_text(uint8_t *field, size_t width, const char *text)
{
	memset(field, ' ', width);
	memcpy(field, text, strnlen(text, width));
}

/* id-ctrl.bin: VID 0, SSVID 2, SN 4 (20 bytes), MN 24 (40), FR 64 (8), CNTLID 78, SUBNQN 768. */
static void put_id_ctrl(const char *name, const char *serial, const char *model, size_t len)
{
	AUTO_FREE char *path = ssd_asprintf("%s/id-ctrl.bin", name);
	uint8_t id[4096] = {0};

	ssd_put_le(id, 2, 0x8086);
	ssd_put_le(id + 2, 2, 0x1028);
	put_text(id + 4, 20, serial);
	put_text(id + 24, 40, model);
	put_text(id + 64, 8, "8DV10131");
	id[72] = 'X'; /* what follows the revision is not part of it */
	ssd_put_le(id + 78, 2, 0x0102);
	put_text(id + 768, 23, "nqn.2014-08.test:drive0");
	put_bytes(path, id, len);
}

/* id-ns-N.bin: NSZE 0, NLBAF 25, FLBAS 26, formats of 4 bytes from 128 on. */
static void put_id_ns(const char *path, uint64_t nsze, uint8_t nlbaf, uint8_t flbas, unsigned format, uint8_t lbads,
		      uint16_t ms)
{
	uint8_t id[4096] = {0};

	ssd_put_le(id, 8, nsze);
	id[25] = nlbaf;
	id[26] = flbas;
	ssd_put_le(id + 128 + 4 * format, 2, ms);
	id[128 + 4 * format + 2] = lbads;
	put_bytes(path, id, sizeof(id));
}

static struct ssd_host *scan(enum ssd_backend backend)
{
	struct ssd_err err = SSD_ERR_INIT;
	struct ssd_host *host = ssd_host_scan(tree_root, &err);

	ck_assert_msg(host != NULL, "%s", err.message);
	ck_assert_int_eq(host->backend, backend);
	ck_assert_str_eq(host->dir, tree_root);
	return host;
}

START_TEST(test_plain)
{
	const struct ssd_drive *d;
	struct ssd_host *host;

	tree_new();
	put_id_ctrl("nvme10", "PHA", "INTEL SSDPE2KX020T8O", 4096);
	put_id_ctrl("nvme2", "CVFT4030004A2P0EGN", "INTEL SSDPEDMD020T4", 4096);
	put_id_ns("nvme2/id-ns-1.bin", 488378646, 6, 3, 3, 12, 0);
	put_dir("nvme3");
	put_dir("other");
	host = scan(SSD_BACKEND_RECORDED);
	ck_assert_uint_eq(host->n_drives, 2);
	ck_assert_str_eq(host->drives[1].device, "nvme10");
	d = &host->drives[0];
	ck_assert_str_eq(d->device, "nvme2");
	ck_assert_str_eq(d->path, "nvme2");
	ck_assert_str_eq(d->serial, "CVFT4030004A2P0EGN");
	ck_assert_str_eq(d->model, "INTEL SSDPEDMD020T4");
	ck_assert_str_eq(d->firmware, "8DV10131");
	ck_assert_int_eq(d->cntlid, 0x102);
	ck_assert_str_eq(d->subsysnqn, "nqn.2014-08.test:drive0");
	ck_assert_int_eq(d->pci_vendor, 0x8086);
	ck_assert_int_eq(d->pci_subsystem_vendor, 0x1028);
	ck_assert_int_eq(d->pci_device, -1);
	ck_assert_str_eq(d->transport, "pcie");
	ck_assert_str_eq(d->state, "live");
	ck_assert_str_eq(d->address, "");
	ck_assert_int_eq(d->max_link_width, -1);
	ck_assert_str_eq(d->note, "");
	ck_assert_uint_eq(d->n_namespaces, 1);
	ck_assert_str_eq(d->namespaces[0].device, "nvme2n1");
	ck_assert_str_eq(d->namespaces[0].generic, "ng2n1");
	ck_assert_uint_eq(d->namespaces[0].size_bytes, 2000398934016);
	ck_assert_uint_eq(d->namespaces[0].block_bytes, 4096);
	ck_assert_int_eq(d->namespaces[0].metadata_bytes, 0);
	ssd_host_free(host);
}
END_TEST

START_TEST(test_modes)
{
	struct ssd_err err = SSD_ERR_INIT;
	struct ssd_host *host;

	tree_new();
	put(".", "host.json", "{\"format\": \"ssdct-host/1\", \"mode\": \"simulated\"}");
	host = scan(SSD_BACKEND_SIMULATED);
	ck_assert_uint_eq(host->n_drives, 0);
	ck_assert_str_eq(ssd_backend_name(host->backend), "simulated");
	ssd_host_free(host);
	put(".", "host.json", "{\"format\": \"ssdct-host/1\", \"mode\": \"recorded\"}");
	ssd_host_free(scan(SSD_BACKEND_RECORDED));
	put(".", "host.json", "{");
	ck_assert_ptr_null(ssd_host_scan(tree_root, &err));
	ck_assert_int_eq(err.code, SSD_ERR_BAD_INPUT);
	ck_assert_ptr_null(ssd_host_scan("/nonexistent/host", &err));
	ck_assert_int_eq(err.code, SSD_ERR_NOT_FOUND);
	ck_assert_str_eq(ssd_backend_name(SSD_BACKEND_LINUX), "linux");
	ck_assert_str_eq(ssd_backend_name(SSD_BACKEND_RECORDED), "recorded");
}
END_TEST

START_TEST(test_drive_json)
{
	const struct ssd_drive *d;
	struct ssd_host *host;

	tree_new();
	put_id_ctrl("nvme0", "S", "M", 4096);
	put_id_ns("nvme0/id-ns-1.bin", 1000, 0, 0, 0, 9, 8);
	put_id_ns("nvme0/id-ns-3.bin", 1000, 0, 0, 0, 12, 0);
	put("nvme0", "drive.json",
	    "{\"sysfs\": {\"transport\": \"tcp\", \"address\": \"0000:03:00.0\", \"numa_node\": \"1\", \"state\": "
	    "\"dead\","
	    " \"current_link_speed\": \"8.0 GT/s PCIe\", \"current_link_width\": \"2\", \"max_link_speed\": "
	    "\"Unknown\","
	    " \"max_link_width\": 4, \"device\": \"0x0953\", \"firmware_rev\": \"8DV10130\", \"driver\": \"nvme\","
	    " \"max_hw_sectors_kb\": \"64\"},"
	    " \"namespaces\": {\"1\": {\"device\": \"nvme7n1\", \"size_bytes\": 4096, \"block_bytes\": 4096},"
	    " \"3\": {\"device\": null}, \"4\": {}}}");
	host = scan(SSD_BACKEND_RECORDED);
	d = &host->drives[0];
	ck_assert_str_eq(d->transport, "tcp");
	ck_assert_str_eq(d->address, "0000:03:00.0");
	ck_assert_int_eq(d->numa_node, 1);
	ck_assert_str_eq(d->state, "dead");
	ck_assert_str_eq(d->current_link_speed, "8.0 GT/s PCIe");
	ck_assert_int_eq(d->current_link_width, 2);
	ck_assert_str_eq(d->max_link_speed, "Unknown");
	ck_assert_int_eq(d->max_link_width, 4);
	ck_assert_int_eq(d->pci_device, 0x953);
	ck_assert_int_eq(d->pci_vendor, 0x8086);
	ck_assert_str_eq(d->driver, "nvme");
	ck_assert_uint_eq(d->max_transfer_bytes, 65536);
	/* What sysfs says of the revision may be older than what Identify says. */
	ck_assert_str_eq(d->firmware, "8DV10130");
	ck_assert_uint_eq(d->n_namespaces, 2);
	ck_assert_str_eq(d->namespaces[0].device, "nvme7n1");
	ck_assert_uint_eq(d->namespaces[0].size_bytes, 4096);
	ck_assert_uint_eq(d->namespaces[0].block_bytes, 4096);
	ck_assert_int_eq(d->namespaces[0].metadata_bytes, 8);
	ck_assert_uint_eq(d->namespaces[1].nsid, 3);
	ck_assert_str_eq(d->namespaces[1].device, "");
	ck_assert_uint_eq(d->namespaces[1].size_bytes, 4096000);
	ssd_host_free(host);
}
END_TEST

/* FLBAS bits 6:5 are the upper bits of the format, but only when there are more than 16. */
START_TEST(test_formats)
{
	const struct ssd_drive *d;
	struct ssd_host *host;

	tree_new();
	put_id_ctrl("nvme0", "S", "M", 4096);
	put_id_ns("nvme0/id-ns-1.bin", 10, 40, 0x20 | 3, 19, 12, 64);
	put_id_ns("nvme0/id-ns-2.bin", 10, 15, 0x60 | 3, 3, 9, 0);
	put_id_ns("nvme0/id-ns-3.bin", UINT64_C(1) << 40, 0, 0, 0, 12, 0); /* 4 PiB */
	put_id_ns("nvme0/id-ns-4.bin", UINT64_MAX, 0, 0, 0, 12, 0);        /* does not fit in 64 bits */
	put_id_ns("nvme0/id-ns-5.bin", 10, 0, 0, 0, 3, 0);                 /* no such block size */
	put_bytes("nvme0/id-ns-6.bin", "x", 1);
	put_bytes("nvme0/id-ns-0.bin", "x", 1);
	put_bytes("nvme0/id-ns-1.bin.old", "x", 1);
	host = scan(SSD_BACKEND_RECORDED);
	d = &host->drives[0];
	ck_assert_uint_eq(d->n_namespaces, 6);
	ck_assert_uint_eq(d->namespaces[0].block_bytes, 4096);
	ck_assert_uint_eq(d->namespaces[0].size_bytes, 40960);
	ck_assert_int_eq(d->namespaces[0].metadata_bytes, 64);
	ck_assert_uint_eq(d->namespaces[1].block_bytes, 512);
	ck_assert_uint_eq(d->namespaces[2].size_bytes, UINT64_C(4503599627370496));
	ck_assert_uint_eq(d->namespaces[3].size_bytes, UINT64_MAX);
	ck_assert_uint_eq(d->namespaces[4].block_bytes, 0);
	ck_assert_uint_eq(d->namespaces[4].size_bytes, 0);
	ck_assert_uint_eq(d->namespaces[5].block_bytes, 0);
	ck_assert_ptr_nonnull(strstr(d->note, "id-ns-5.bin"));
	ck_assert_ptr_nonnull(strstr(d->note, "id-ns-6.bin"));
	ssd_host_free(host);
}
END_TEST

START_TEST(test_broken)
{
	struct ssd_host *host;

	tree_new();
	put_id_ctrl("nvme0", "SHORT", "M", 70);
	put_id_ctrl("nvme1", "S1", "M", 4096);
	put("nvme1", "drive.json", "{\"sysfs\": \n{\"transport\" 5}}");
	put_id_ctrl("nvme2", "S2", "M", 4096);
	put("nvme2", "drive.json", "[]");
	put_bytes("nvme3/id-ctrl.bin", "", 0);
	put_dir("nvme4/id-ctrl.bin");
	put_link("nvme5/id-ctrl.bin", "gone");
	put_id_ctrl("nvme6", "S6", "M", 4096);
	put("nvme6", "drive.json",
	    "{\"sysfs\": [], \"namespaces\": {\"1\": 5}, \"features\": 3, \"sysfs2\": {\"transport\": []}}");
	put_id_ns("nvme6/id-ns-1.bin", 8, 0, 0, 0, 9, 0);
	host = scan(SSD_BACKEND_RECORDED);
	ck_assert_uint_eq(host->n_drives, 7);
	ck_assert_str_eq(host->drives[0].serial, "SHORT");
	ck_assert_str_eq(host->drives[0].note, "id-ctrl.bin has 70 bytes, not 4096");
	ck_assert_int_eq(host->drives[0].cntlid, -1);
	ck_assert_str_eq(host->drives[1].serial, "S1");
	ck_assert_int_eq(strncmp(host->drives[1].note, "drive.json line 2", 17), 0);
	ck_assert_int_eq(strncmp(host->drives[2].note, "drive.json line 1", 17), 0);
	ck_assert_str_eq(host->drives[3].note, "id-ctrl.bin has 0 bytes, not 4096");
	ck_assert_str_eq(host->drives[3].model, "");
	ck_assert_str_eq(host->drives[4].note, "id-ctrl.bin cannot be read: Is a directory");
	ck_assert_str_eq(host->drives[5].note, "id-ctrl.bin cannot be read: No such file or directory");
	ck_assert_str_eq(host->drives[6].note, "drive.json: \"sysfs\" is not an object");
	ck_assert_str_eq(host->drives[6].transport, "pcie");
	ck_assert_uint_eq(host->drives[6].namespaces[0].size_bytes, 4096);
	ssd_host_free(host);
}
END_TEST

/* smartmontools e358d5229: leading blanks; propolis 1163: a model of NULs; nvme-cli 402: a serial of blanks. */
START_TEST(test_padding)
{
	struct ssd_target t;
	struct ssd_host *host;

	tree_new();
	put_id_ctrl("nvme0", "       RIGHT0123", "    M  N", 4096);
	put_bytes("nvme1/id-ctrl.bin", (char[4096]){0}, 4096);
	put_id_ctrl("nvme2", "", "", 4096);
	host = scan(SSD_BACKEND_RECORDED);
	ck_assert_str_eq(host->drives[0].serial, "RIGHT0123");
	ck_assert_str_eq(host->drives[0].model, "M  N");
	ck_assert_str_eq(host->drives[1].model, "");
	ck_assert_str_eq(host->drives[1].firmware, "");
	ck_assert_str_eq(host->drives[2].serial, "");
	ck_assert_int_eq(ssd_host_resolve(host, "RIGHT0123", &t, NULL), 0);
	ck_assert_int_eq(ssd_host_resolve(host, "  RIGHT0123 ", &t, NULL), 0);
	ck_assert_ptr_eq(t.drive, &host->drives[0]);
	ck_assert_int_eq(ssd_host_resolve(host, "", &t, NULL), -1);
	ck_assert_int_eq(ssd_host_resolve(host, " ", &t, NULL), -1);
	ssd_host_free(host);
}
END_TEST

CHECK_MAIN("scan_hostdir", test_plain, test_modes, test_drive_json, test_formats, test_broken, test_padding)
