/* SPDX-License-Identifier: MIT */
/* Who uses a drive, found in trees of files that look like /proc, /sys, /dev and /run/udev. */
#include "check.h"

#include "safety/parts.h"
#include "scan_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/sysmacros.h>

/* What the kernel answers to an exclusive open: a descriptor of the image there, or -errno. */
static int claim_answer;
static unsigned claims;

static int fake_claim(const struct safety_roots *roots, const char *name, dev_t dev)
{
	AUTO_FREE char *path = ssd_asprintf("%s/%s", roots->dev, name);

	claims++;
	ck_assert(dev != 0);
	return claim_answer ? claim_answer : open(path, O_RDONLY | O_CLOEXEC);
}

/* Descriptors called "by-number" are of device 259:1, which has no name that is known. */
static int fake_stat_open(int dir, const char *name, mode_t *mode, dev_t *dev)
{
	char path[64] = "";

	(void)!readlinkat(dir, name, path, sizeof(path) - 1);
	if (strcmp(path, "/tmp/by-number") && strcmp(path, "/tmp/generic-by-number"))
		return -ENOENT;
	*mode = strstr(path, "generic") ? S_IFCHR : S_IFBLK;
	*dev = strstr(path, "generic") ? makedev(240, 0) : makedev(259, 1);
	return 0;
}

/* The machine: nvme0 with namespace 1, nvme0n1 and ng0n1, and two partitions. */
static struct {
	char proc[80], sys[80], dev[80], udev[80];
	struct safety_roots roots;
	struct ssd_namespace ns[2];
	struct ssd_drive drives[2];
	struct ssd_host host;
	struct ssd_usage usage;
} m;

static void block(const char *name, const char *dev, const char *size)
{
	AUTO_FREE char *dir = ssd_asprintf("sys/class/block/%s", name);

	put(dir, "dev", dev);
	put(dir, "size", size);
}

static void partition(const char *whole, const char *name, const char *dev, const char *start, const char *size)
{
	AUTO_FREE char *inside = ssd_asprintf("sys/class/block/%s/%s", whole, name);
	AUTO_FREE char *dir = ssd_asprintf("sys/class/block/%s", name);

	put(inside, "partition", "1");
	block(name, dev, size);
	put(dir, "start", start);
}

static void holder(const char *below, const char *name)
{
	AUTO_FREE char *path = ssd_asprintf("sys/class/block/%s/holders/%s", below, name);

	put_dir(path);
}

static void machine(void)
{
	ssd_usage_free(&m.usage);
	tree_new();
	memset(&m, 0, sizeof(m));
	snprintf(m.proc, sizeof(m.proc), "%s/proc", tree_root);
	snprintf(m.sys, sizeof(m.sys), "%s/sys", tree_root);
	snprintf(m.dev, sizeof(m.dev), "%s/dev", tree_root);
	snprintf(m.udev, sizeof(m.udev), "%s/udev", tree_root);
	m.roots = (struct safety_roots){m.proc, m.sys, m.dev, m.udev, fake_claim, fake_stat_open};
	m.ns[0] = (struct ssd_namespace){.nsid = 1, .device = "nvme0n1", .generic = "ng0n1"};
	m.drives[0] = (struct ssd_drive){.device = "nvme0",
					 .serial = "S1",
					 .model = "M",
					 .namespaces = m.ns,
					 .n_namespaces = 1,
					 .host = &m.host};
	m.host = (struct ssd_host){.drives = m.drives, .n_drives = 1};
	claim_answer = 0;
	claims = 0;
	block("nvme0n1", "259:0", "4096");
	partition("nvme0n1", "nvme0n1p1", "259:1", "1024", "1024");
	partition("nvme0n1", "nvme0n1p2", "259:2", "2048", "2048");
	put("sys/class/nvme-generic/ng0n1", "dev", "240:0");
	put("proc/self", "mountinfo", "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw");
	put("proc", "swaps", "Filename\tType\tSize\tUsed\tPriority");
	put("proc/1", "comm", "init");
	put_dir("proc/1/fd/");
	put_link("proc/1/ns/mnt", "mnt:[1]");
	put_link("proc/self/ns/mnt", "mnt:[1]");
	put_bytes("dev/nvme0n1", "", 0);
}

static void image(size_t at, const void *bytes, size_t len)
{
	AUTO_FREE char *path = ssd_asprintf("%s/nvme0n1", m.dev);
	AUTO_CLOSE int fd = open(path, O_RDWR);

	ck_assert_int_eq(ftruncate(fd, 4096 * 512), 0);
	ck_assert_int_eq(pwrite(fd, bytes, len, (off_t)at), (ssize_t)len);
}

/* All uses as text, one a line. */
static const char *look_at(const uint32_t *nsids, size_t n, bool exclusive)
{
	static char all[4096];

	ssd_usage_free(&m.usage);
	safety_scan_machine(&m.roots, &m.drives[0], nsids, n, exclusive, &m.usage);
	*all = '\0';
	for (size_t i = 0; i < m.usage.n; i++) {
		size_t len = strlen(all);
		char text[320];

		snprintf(all + len, sizeof(all) - len, "%s\n", ssd_use_text(&m.usage.uses[i], text, sizeof(text)));
	}
	return all;
}

static const char *look(void)
{
	return look_at(NULL, 0, false);
}

START_TEST(nobody)
{
	machine();
	ck_assert_str_eq(look(), "");
	ck_assert_uint_eq(claims, 1);
	ck_assert_uint_eq(m.usage.n_handles, 0);
	ssd_usage_free(&m.usage);
}
END_TEST

START_TEST(mounts)
{
	machine();
	claim_answer = -EBUSY;
	put("proc/self", "mountinfo",
	    "22 1 8:1 / / rw shared:1 - ext4 /dev/sda1 rw\n"
	    "23 22 259:2 / /srv/a\\040b rw,noatime shared:2 master:1 - ext4 /dev/nvme0n1p2 rw\n"
	    "24 22 259:2 /sub /bind rw - ext4 /dev/nvme0n1p2 rw\n"
	    "25 22 0:40 / /btrfs rw - btrfs /dev/nvme0n1p1 rw\n"
	    "26 22 0:41 / /nfs rw - nfs server:/dev/nvme0n1 rw\n"
	    "a line that is none\n"
	    "27 22 259:0 / - ext4\n");
	ck_assert_str_eq(look(), "nvme0n1p2 is mounted on /srv/a b\n"
				 "nvme0n1p2 is mounted on /bind\n"
				 "nvme0n1p1 is mounted on /btrfs\n");
	ssd_usage_free(&m.usage);
}
END_TEST

/* By its number: the source may be called anything. */
START_TEST(mount_of_the_whole_namespace)
{
	machine();
	put("proc/self", "mountinfo", "23 22 259:0 / / rw - xfs /dev/root rw");
	ck_assert_str_eq(look(), "nvme0n1 is mounted on /\n");
	ssd_usage_free(&m.usage);
}
END_TEST

START_TEST(swap)
{
	machine();
	put("proc", "swaps",
	    "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"
	    "/dev/nvme0n1p1                          partition\t1048572\t\t0\t\t-2\n"
	    "/swapfile                               file\t\t1048572\t\t0\t\t-3");
	ck_assert_str_eq(look(), "nvme0n1p1 is swap space\n");
	ssd_usage_free(&m.usage);
}
END_TEST

/* A stack: partition, md, dm; the mount on top of it is said as well. */
START_TEST(holders)
{
	machine();
	claim_answer = -EBUSY;
	holder("nvme0n1p2", "md0");
	block("md0", "9:0", "2048");
	holder("md0", "dm-3");
	block("dm-3", "253:3", "2048");
	put("sys/class/block/dm-3/dm", "name", "vg0-srv");
	put("proc/self", "mountinfo", "23 22 253:3 / /srv rw - ext4 /dev/mapper/vg0-srv rw");
	ck_assert_str_eq(look(), "nvme0n1p2 is part of md0\n"
				 "nvme0n1p2 is part of dm-3 (vg0-srv)\n"
				 "nvme0n1p2 is mounted on /srv through dm-3 (vg0-srv)\n");
	ck_assert_str_eq(m.usage.uses[0].detail, "md0");
	ck_assert_int_eq(m.usage.uses[0].kind, SSD_USE_HOLDER);
	ck_assert_uint_eq(m.usage.uses[0].nsid, 1);
	ck_assert_str_eq(m.usage.uses[0].device, "nvme0n1p2");
	ssd_usage_free(&m.usage);
}
END_TEST

/* Who made a device-mapper device is in its UUID: as lvm2, cryptsetup and multipath-tools write them; dmsetup alone has none. */
START_TEST(kinds_of_mapped_devices)
{
	static const char *const kinds[][2] = {
		{"LVM-cUdFcwdaL4mTc2O5vYcJcs5nGJU2W0Y0k6fTq2IsqZ3hQ1nW5xq8mPZ7o0d3bT9s", "LVM volume "},
		{"CRYPT-LUKS2-1f2e3d4c5b6a79880102030405060708-x", "dm-crypt "},
		{"CRYPT-VERITY-1f2e3d4c5b6a79880102030405060708-x", "dm-verity "},
		{"mpath-nvme.8086-x", "multipath "},
		{"", ""},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		char expected[80];

		machine();
		claim_answer = -EBUSY;
		holder("nvme0n1", "dm-3");
		block("dm-3", "253:3", "2048");
		put("sys/class/block/dm-3/dm", "name", "x");
		put("sys/class/block/dm-3/dm", "uuid", kinds[i][0]);
		snprintf(expected, sizeof(expected), "nvme0n1 is part of dm-3 (%sx)\n", kinds[i][1]);
		ck_assert_str_eq(look(), expected);
		ssd_usage_free(&m.usage);
	}
}
END_TEST

START_TEST(partitioned_arrays_and_swap_on_them)
{
	machine();
	holder("nvme0n1", "md127");
	block("md127", "9:127", "4096");
	partition("md127", "md127p1", "259:9", "0", "1");
	put("proc", "swaps", "Filename Type\n/dev/md127p1 partition 1 0 -2");
	ck_assert_str_eq(look(), "nvme0n1 is part of md127\n"
				 "nvme0n1 is part of md127p1\n"
				 "nvme0n1 is swap space through md127p1\n");
	ssd_usage_free(&m.usage);
}
END_TEST

/* A tree that leads into itself ends. */
START_TEST(endless_holders)
{
	machine();
	holder("nvme0n1", "md0");
	block("md0", "9:0", "1");
	holder("md0", "md0");
	ck_assert_str_eq(look(), "nvme0n1 is part of md0\n");
	ssd_usage_free(&m.usage);
}
END_TEST

/* They open a device without claiming it: no exclusive open is refused because of them. */
START_TEST(users_that_claim_nothing)
{
	machine();
	put("sys/class/block/loop3/loop", "backing_file", "/dev/nvme0n1p1");
	put("sys/class/block/loop4/loop", "backing_file", "/srv/image");
	put("sys/kernel/config/nvmet/subsystems/nqn.a/namespaces/1", "device_path", "/dev/nvme0n1");
	put("sys/kernel/config/nvmet/subsystems/nqn.a/namespaces/1", "enable", "1");
	put("sys/kernel/config/nvmet/subsystems/nqn.b/namespaces/1", "device_path", "/dev/nvme0n1p2");
	put("sys/kernel/config/nvmet/subsystems/nqn.b/namespaces/1", "enable", "0");
	put_dir("sys/fs/btrfs/0f3a/devices/nvme0n1p2/");
	put_dir("sys/fs/btrfs/features/");
	ck_assert_str_eq(look(), "nvme0n1p1 is part of loop3\n"
				 "nvme0n1 is part of the NVMe target nqn.a\n"
				 "nvme0n1p2 is part of the mounted btrfs file system 0f3a\n");
	ssd_usage_free(&m.usage);
}
END_TEST

START_TEST(open_nodes)
{
	AUTO_FREE char *own = ssd_asprintf("proc/%d/fd/3", (int)getpid());

	machine();
	put("proc/4711", "comm", "qemu\033[2Jx");
	put_link("proc/4711/fd/9", "/dev/nvme0n1");
	put_link("proc/4711/fd/10", "/dev/nvme0n1");
	put_link("proc/4711/fd/11", "/dev/nvme0");
	put_link("proc/4711/fd/12", "/dev/nvme0n10");
	put_link("proc/4711/fd/13", "socket:[1]");
	put("proc/512", "comm", "spdk");
	put_link("proc/512/fd/4", "/dev/ng0n1");
	put("proc/513", "comm", "db");
	put_link("proc/513/fd/4", "/tmp/by-number");
	put("proc/514", "comm", "raw");
	put_link("proc/514/fd/4", "/tmp/generic-by-number");
	put_link(own, "/dev/nvme0n1");
	ck_assert_str_eq(look(), "ng0n1 is open in process 512 (spdk)\n"
				 "nvme0n1p1 is open in process 513 (db)\n"
				 "ng0n1 is open in process 514 (raw)\n"
				 "nvme0n1 is open in process 4711 (qemu\\x1B[2Jx)\n");
	ck_assert_int_eq(m.usage.uses[0].pid, 512);
	ssd_usage_free(&m.usage);
}
END_TEST

/* "What cannot be looked at counts as in use." */
START_TEST(what_cannot_be_looked_at)
{
	static const struct {
		int answer;
		const char *text;
	} answers[] = {
		{-EACCES, "nvme0n1: whether it is in use cannot be found out: Permission denied\n"},
		{-ENOENT, "nvme0n1: whether it is in use cannot be found out: No such file or directory\n"},
		{-ENXIO, "nvme0n1: whether it is in use cannot be found out: No such device or address\n"},
		{-ESTALE, "nvme0n1: whether it is in use cannot be found out: the node in /dev is another device\n"},
		{-EBUSY, "nvme0n1: the kernel refuses exclusive access, and nothing here shows to whom it gave it\n"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(answers); i++) {
		machine();
		claim_answer = answers[i].answer;
		ck_assert_str_eq(look(), answers[i].text);
		ck_assert(ssd_use_is_active(m.usage.uses[0].kind));
	}
	machine();
	snprintf(m.proc, sizeof(m.proc), "%s/nowhere", tree_root);
	ck_assert_str_eq(look(), "nvme0n1: which processes have it open cannot be seen: /proc cannot be read\n");
	ssd_usage_free(&m.usage);
}
END_TEST

START_TEST(processes_that_hide_their_descriptors)
{
	machine();
	put("proc/77", "comm", "secret");
	put("proc/77", "fd", "not a directory, hence not to be read");
	ck_assert_str_eq(look(), "nvme0n1: which processes have it open cannot be seen, not being root here\n");
	ssd_usage_free(&m.usage);
}
END_TEST

/* Not mounted here, but in a container; asked for only when nothing else explains. */
START_TEST(mounted_in_another_mount_namespace)
{
	machine();
	put("proc/300", "comm", "postgres");
	put_dir("proc/300/fd/");
	put_link("proc/300/ns/mnt", "mnt:[2]");
	put("proc/300", "mountinfo", "40 1 259:1 / /var/lib/pg rw - xfs /dev/nvme0n1p1 rw");
	put("proc/301", "comm", "postgres");
	put_dir("proc/301/fd/");
	put_link("proc/301/ns/mnt", "mnt:[2]");
	put("proc/301", "mountinfo", "40 1 259:1 / /var/lib/pg rw - xfs /dev/nvme0n1p1 rw");
	ck_assert_str_eq(look(), "");
	claim_answer = -EBUSY;
	ck_assert_str_eq(look(),
			 "nvme0n1p1 is mounted on /var/lib/pg in the mount namespace of process 300 (postgres)\n");
	ssd_usage_free(&m.usage);
}
END_TEST

/* An opener does not explain why exclusive access is refused. */
START_TEST(opener_is_no_explanation)
{
	machine();
	put("proc/300", "comm", "less");
	put_link("proc/300/fd/5", "/dev/nvme0n1p1");
	claim_answer = -EBUSY;
	ck_assert_str_eq(look(),
			 "nvme0n1p1 is open in process 300 (less)\n"
			 "nvme0n1: the kernel refuses exclusive access, and nothing here shows to whom it gave it\n");
	ssd_usage_free(&m.usage);
}
END_TEST

START_TEST(signatures_of_udev)
{
	machine();
	put("udev/data", "b259:0", "S:disk/by-id/nvme-x\nE:ID_MODEL=M\nE:ID_PART_TABLE_TYPE=gpt\nE:ID_FS_TYPE=");
	put("udev/data", "b259:2", "E:ID_FS_TYPE=LVM2_member\nE:ID_FS_USAGE=raid");
	ck_assert_str_eq(look(), "nvme0n1 contains gpt\nnvme0n1p2 contains LVM2_member\n");
	ck_assert(!ssd_use_is_active(m.usage.uses[0].kind));
	ssd_usage_free(&m.usage);
}
END_TEST

/*
 * libblkid on an image. LUKS: "LUKS\xba\xbe" and version 1 (LUKS on-disk format 1.2.3, figure 1); swap: version at 1024, last
 * page after it, "SWAPSPACE2" at the end of the first page (Linux, include/linux/swap.h); a partition table as every MBR.
 */
START_TEST(signatures_on_the_medium)
{
	static const uint8_t luks[] = {'L', 'U', 'K', 'S', 0xba, 0xbe, 0, 1};
	static const uint8_t swap_head[] = {1, 0, 0, 0, 0xff, 0, 0, 0};
	static const uint8_t mbr[] = {0x80, 1, 1, 0, 0x83, 1, 1, 0, 0, 4, 0, 0, 0, 4, 0, 0};

	machine();
	image(446, mbr, sizeof(mbr));
	image(510, "\x55\xaa", 2);
	image(1024 * 512, luks, sizeof(luks));
	image(2048 * 512 + 1024, swap_head, sizeof(swap_head));
	image(2048 * 512 + 4086, "SWAPSPACE2", 10);
	ck_assert_str_eq(look_at(NULL, 0, true), "nvme0n1 contains dos\n"
						 "nvme0n1p1 contains crypto_LUKS\n"
						 "nvme0n1p2 contains swap\n");
	ck_assert_uint_eq(m.usage.n_handles, 1);
	ck_assert(fcntl(m.usage.handles[0], F_GETFD) & FD_CLOEXEC);
	ssd_usage_free(&m.usage);
	ck_assert_uint_eq(m.usage.n_handles, 0);
}
END_TEST

/* A device of which nothing can be read may contain anything. */
START_TEST(unreadable_medium)
{
	machine();
	ck_assert_str_eq(look_at(NULL, 0, true), "nvme0n1 contains something that could not be read\n"
						 "nvme0n1p1 contains something that could not be read\n"
						 "nvme0n1p2 contains something that could not be read\n");
	ssd_usage_free(&m.usage);
}
END_TEST

/* Namespaces that were asked for: others do not matter; those without a node are unknown. */
START_TEST(chosen_namespaces)
{
	static const uint32_t second[] = {2}, absent[] = {1, 7}, all[] = {0xffffffff};

	machine();
	m.ns[1] = (struct ssd_namespace){.nsid = 2};
	m.drives[0].n_namespaces = 2;
	put("proc/self", "mountinfo", "23 22 259:0 / / rw - xfs /dev/nvme0n1 rw");
	ck_assert_str_eq(look_at(second, 1, false), "namespace 2 has no node on this host, so its use is unknown\n");
	ck_assert_str_eq(look_at(absent, 2, false), "namespace 7 has no node on this host, so its use is unknown\n"
						    "nvme0n1 is mounted on /\n");
	ck_assert_str_eq(look_at(all, 1, false), "namespace 2 has no node on this host, so its use is unknown\n"
						 "nvme0n1 is mounted on /\n");
	ck_assert_str_eq(look(), "namespace 2 has no node on this host, so its use is unknown\n"
				 "nvme0n1 is mounted on /\n");
	ssd_usage_free(&m.usage);
}
END_TEST

/* Two controllers of one drive: a head that both lead to is looked at once; without multipath the other's node counts. */
START_TEST(other_controllers_of_the_drive)
{
	static struct ssd_namespace other;

	machine();
	other = m.ns[0];
	m.drives[1] = m.drives[0];
	ssd_strcpy(m.drives[1].device, sizeof(m.drives[1].device), "nvme1");
	m.drives[1].namespaces = &other;
	m.host.n_drives = 2;
	put("proc/self", "mountinfo", "23 22 259:7 / /srv rw - xfs /dev/nvme1n1 rw");
	ck_assert_str_eq(look(), "");
	ck_assert_uint_eq(claims, 1);

	ssd_strcpy(other.device, sizeof(other.device), "nvme1n1");
	*other.generic = '\0';
	block("nvme1n1", "259:7", "4096");
	put_bytes("dev/nvme1n1", "", 0);
	ck_assert_str_eq(look(), "nvme1n1 is mounted on /srv\n");
	ssd_strcpy(m.drives[1].serial, sizeof(m.drives[1].serial), "S2");
	ck_assert_str_eq(look(), "");
	ssd_usage_free(&m.usage);
}
END_TEST

/* Many dormant findings do not push out the one that decides. */
START_TEST(the_active_one_is_never_left_out)
{
	struct ssd_usage usage = {0};

	for (int i = 0; i < 200; i++)
		safety_add_use(&usage, (struct ssd_use){.kind = SSD_USE_SIGNATURE, .nsid = 1}, "ext%d", i);
	ck_assert_ptr_null(safety_active(&usage));
	ck_assert(usage.n < 200);
	safety_add_use(&usage, (struct ssd_use){.kind = SSD_USE_MOUNT, .nsid = 1}, "/");
	ck_assert_ptr_nonnull(safety_active(&usage));
	ssd_usage_free(&usage);
}
END_TEST

/* Host directories: drive.json says it. */
static const char *recorded(const char *drive_json)
{
	struct ssd_err err = SSD_ERR_INIT;
	static char all[1024];
	struct ssd_host *host;

	tree_new();
	put_bytes("nvme0/id-ctrl.bin", "", 0);
	put_bytes("nvme0/id-ns-1.bin", "", 0);
	put_bytes("nvme0/drive.json", drive_json, strlen(drive_json));
	host = ssd_host_scan(tree_root, &err);
	ck_assert_ptr_nonnull(host);
	ssd_usage_scan(&host->drives[0], NULL, 0, true, &m.usage);
	*all = '\0';
	for (size_t i = 0; i < m.usage.n; i++) {
		size_t len = strlen(all);
		char text[320];

		snprintf(all + len, sizeof(all) - len, "%s\n", ssd_use_text(&m.usage.uses[i], text, sizeof(text)));
	}
	ssd_usage_free(&m.usage);
	ssd_host_free(host);
	return all;
}

START_TEST(host_directories)
{
	ck_assert_str_eq(recorded("{}"), "");
	ck_assert_str_eq(recorded("{\"namespaces\": {\"1\": {\"device\": \"nvme5n1\", \"holders\": [\"md0\", \"dm-1\"],"
				  " \"mounts\": [\"/srv\"], \"signature\": \"ext4\"}, \"2\": {\"mounts\": [\"/x\"]}}}"),
			 "nvme5n1 is mounted on /srv\nnvme5n1 is part of md0\nnvme5n1 is part of dm-1\n"
			 "nvme5n1 contains ext4\n");
	ck_assert_str_eq(
		recorded("{\"namespaces\": {\"1\": {\"holders\": [], \"mounts\": null, \"signature\": null}}}"), "");
	ck_assert_str_eq(recorded("{\"namespaces\": {\"1\": {\"mounts\": \"/one\"}}}"), "nvme0n1 is mounted on /one\n");
	ck_assert_str_eq(recorded("{\"namespaces\": {\"1\": {\"device\": null}}}"),
			 "namespace 1 has no node on this host, so its use is unknown\n");
	ck_assert_str_eq(recorded("{\"namespaces\": {\"1\": {\"mounts\": [1]}}}"),
			 "nvme0n1: drive.json has a use here that is no text\n");
	ck_assert_str_eq(recorded("{"), "nvme0n1: drive.json, which would say whether it is in use, cannot be read\n");
}
END_TEST

CHECK_MAIN("safety_usage", nobody, mounts, mount_of_the_whole_namespace, swap, holders, kinds_of_mapped_devices,
	   partitioned_arrays_and_swap_on_them, endless_holders, users_that_claim_nothing, open_nodes,
	   what_cannot_be_looked_at, processes_that_hide_their_descriptors, mounted_in_another_mount_namespace,
	   opener_is_no_explanation, signatures_of_udev, signatures_on_the_medium, unreadable_medium, chosen_namespaces,
	   other_controllers_of_the_drive, the_active_one_is_never_left_out, host_directories)
