/* SPDX-License-Identifier: MIT */
/* What sysfs knows: nodes, partitions and holders of a namespace, and who uses a block device without holding it. */
#include "safety/parts.h"
#include "scan/scan.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* sysfs counts sizes of block devices in these, whatever the LBA format (Documentation/ABI/stable/sysfs-block). */
#define SECTOR_BYTES 512
/* Devices on devices: more than any machine stacks, and an end should a tree lead into itself. */
#define MAX_DEPTH 16

dev_t safety_dev_of(const char *text)
{
	char *end;
	unsigned long major = strtoul(text, &end, 10), minor;

	if (end == text || *end != ':')
		return 0;
	text = end + 1;
	minor = strtoul(text, &end, 10);
	return end == text || *end ? 0 : makedev((unsigned)major, (unsigned)minor);
}

static dev_t read_dev(const char *dir)
{
	AUTO_FREE char *path = ssd_asprintf("%s/dev", dir);
	char text[32];

	return scan_attr(AT_FDCWD, path, text, sizeof(text)) ? 0 : safety_dev_of(text);
}

static uint64_t read_bytes(const char *dir, const char *attr)
{
	AUTO_FREE char *path = ssd_asprintf("%s/%s", dir, attr);
	long long sectors = scan_attr_int(AT_FDCWD, path, 0);

	return sectors > 0 ? (uint64_t)sectors * SECTOR_BYTES : 0;
}

static void add(struct safety_look *look, const struct safety_target *t)
{
	look->targets = ssd_realloc(look->targets, look->n + 1, sizeof(*look->targets));
	look->targets[look->n++] = *t;
}

/*
 * How the UUID of a device-mapper device begins, by who made it: LVM2 (lib/activate/dev_manager.c), cryptsetup
 * (lib/utils_dm.h), multipath-tools (libmultipath/devmapper.c). Others have none.
 */
static const struct {
	const char *prefix, *kind;
} dm_kinds[] = {
	{"LVM-", "LVM volume "}, {"CRYPT-VERITY-", "dm-verity "}, {"CRYPT-INTEGRITY-", "dm-integrity "},
	{"CRYPT-", "dm-crypt "}, {"mpath-", "multipath "},
};

static const char *dm_kind(const char *dir)
{
	AUTO_FREE char *path = ssd_asprintf("%s/dm/uuid", dir);
	char uuid[160];

	if (!scan_attr(AT_FDCWD, path, uuid, sizeof(uuid)))
		for (size_t i = 0; i < ARRAY_SIZE(dm_kinds); i++)
			if (!strncmp(uuid, dm_kinds[i].prefix, strlen(dm_kinds[i].prefix)))
				return dm_kinds[i].kind;
	return "";
}

/* "dm-0 (LVM volume vg0-srv)": the number means nothing to people. */
static void name_holder(struct safety_target *t, const char *dir)
{
	AUTO_FREE char *path = ssd_asprintf("%s/dm/name", dir);
	char name[64];

	if (!scan_attr(AT_FDCWD, path, name, sizeof(name)) && *name)
		snprintf(t->shown, sizeof(t->shown), "%s (%s%s)", t->name, dm_kind(dir), name);
	else
		ssd_strcpy(t->shown, sizeof(t->shown), t->name);
}

static void add_block(struct safety_look *look, struct safety_target t, unsigned depth);

static void add_holders(struct safety_look *look, const struct safety_target *below, const char *dir, unsigned depth)
{
	AUTO_NAMES struct scan_names names = {0};

	scan_list(AT_FDCWD, dir, NULL, &names);
	for (size_t i = 0; i < names.n; i++) {
		struct safety_target t = {.nsid = below->nsid, .kind = SAFETY_HOLDER};

		ssd_strcpy(t.name, sizeof(t.name), names.v[i]);
		ssd_strcpy(t.device, sizeof(t.device), below->device);
		add_block(look, t, depth);
	}
}

/* Partitions lie in the directory of their device; md arrays and the like have some too. */
static void add_partitions(struct safety_look *look, const struct safety_target *whole, const char *dir, unsigned depth)
{
	AUTO_NAMES struct scan_names names = {0};

	scan_list(AT_FDCWD, dir, NULL, &names);
	for (size_t i = 0; i < names.n; i++) {
		AUTO_FREE char *part = ssd_asprintf("%s/%s", dir, names.v[i]);
		AUTO_FREE char *number = ssd_asprintf("%s/partition", part);
		struct safety_target t = {.nsid = whole->nsid, .kind = SAFETY_HOLDER};

		if (access(number, F_OK))
			continue;
		if (whole->kind == SAFETY_NAMESPACE)
			t.kind = SAFETY_PARTITION;
		ssd_strcpy(t.name, sizeof(t.name), names.v[i]);
		ssd_strcpy(t.device, sizeof(t.device), t.kind == SAFETY_PARTITION ? t.name : whole->device);
		add_block(look, t, depth);
	}
}

static void add_block(struct safety_look *look, struct safety_target t, unsigned depth)
{
	AUTO_FREE char *dir = ssd_asprintf("%s/class/block/%s", look->roots->sys, t.name);
	AUTO_FREE char *holders = ssd_asprintf("%s/holders", dir);

	if (depth > MAX_DEPTH)
		return;
	t.dev = read_dev(dir);
	t.start = read_bytes(dir, "start");
	t.size = read_bytes(dir, "size");
	name_holder(&t, dir);
	add(look, &t);
	if (t.kind == SAFETY_HOLDER)
		safety_add_use(look->usage, safety_use_of(SSD_USE_HOLDER, &t), "%s", t.shown);
	add_holders(look, &t, holders, depth + 1);
	add_partitions(look, &t, dir, depth + 1);
}

void safety_sys_add(struct safety_look *look, const struct ssd_namespace *ns)
{
	struct safety_target t = {.nsid = ns->nsid, .kind = SAFETY_NAMESPACE};

	ssd_strcpy(t.name, sizeof(t.name), ns->device);
	ssd_strcpy(t.device, sizeof(t.device), ns->device);
	add_block(look, t, 0);
	if (*ns->generic) {
		AUTO_FREE char *dir = ssd_asprintf("%s/class/nvme-generic/%s", look->roots->sys, ns->generic);
		struct safety_target generic = {.nsid = ns->nsid, .kind = SAFETY_GENERIC, .dev = read_dev(dir)};

		ssd_strcpy(generic.name, sizeof(generic.name), ns->generic);
		ssd_strcpy(generic.device, sizeof(generic.device), ns->device);
		add(look, &generic);
	}
}

struct ssd_use safety_use_of(enum ssd_use_kind kind, const struct safety_target *t)
{
	struct ssd_use use = {.kind = kind, .nsid = t->nsid};

	ssd_strcpy(use.device, sizeof(use.device), t->device);
	return use;
}

const struct safety_target *safety_find(const struct safety_look *look, const char *path)
{
	const char *name = strncmp(path, "/dev/", 5) ? NULL : path + 5;

	for (size_t i = 0; name && i < look->n; i++)
		if (!strcmp(look->targets[i].name, name))
			return &look->targets[i];
	return NULL;
}

const struct safety_target *safety_find_dev(const struct safety_look *look, dev_t dev, bool character)
{
	for (size_t i = 0; dev && i < look->n; i++)
		if (look->targets[i].dev == dev && (look->targets[i].kind == SAFETY_GENERIC) == character)
			return &look->targets[i];
	return NULL;
}

const struct safety_target *safety_find_path(const struct safety_look *look, const char *path)
{
	const struct safety_target *t = safety_find(look, path);
	struct stat st;

	/* Nothing outside /dev is looked at: it may lie on a server that does not answer. */
	if (!t && !strncmp(path, "/dev/", 5) && !stat(path, &st) && S_ISBLK(st.st_mode))
		t = safety_find_dev(look, st.st_rdev, false);
	return t;
}

/* A file with a path in it: text of at most what scan_attr() reads. */
static const struct safety_target *target_in(const struct safety_look *look, const char *dir, const char *attr)
{
	AUTO_FREE char *path = ssd_asprintf("%s/%s", dir, attr);
	char text[256];

	return scan_attr(AT_FDCWD, path, text, sizeof(text)) ? NULL : safety_find_path(look, text);
}

static bool is_loop(const char *name)
{
	return !strncmp(name, "loop", 4);
}

static void loops(struct safety_look *look)
{
	AUTO_FREE char *class = ssd_asprintf("%s/class/block", look->roots->sys);
	AUTO_NAMES struct scan_names names = {0};

	scan_list(AT_FDCWD, class, is_loop, &names);
	for (size_t i = 0; i < names.n; i++) {
		AUTO_FREE char *dir = ssd_asprintf("%s/%s", class, names.v[i]);
		const struct safety_target *t = target_in(look, dir, "loop/backing_file");

		if (t)
			safety_add_use(look->usage, safety_use_of(SSD_USE_HOLDER, t), "%s", names.v[i]);
	}
}

/* Namespaces that the kernel's NVMe target shows to other hosts (Linux, drivers/nvme/target/configfs.c). */
static void exports_of(struct safety_look *look, const char *subsystem, const char *nqn)
{
	AUTO_FREE char *dir = ssd_asprintf("%s/namespaces", subsystem);
	AUTO_NAMES struct scan_names names = {0};

	scan_list(AT_FDCWD, dir, NULL, &names);
	for (size_t i = 0; i < names.n; i++) {
		AUTO_FREE char *ns = ssd_asprintf("%s/%s", dir, names.v[i]), *enable = ssd_asprintf("%s/enable", ns);
		const struct safety_target *t =
			scan_attr_int(AT_FDCWD, enable, 0) ? target_in(look, ns, "device_path") : NULL;

		if (t)
			safety_add_use(look->usage, safety_use_of(SSD_USE_HOLDER, t), "the NVMe target %.80s", nqn);
	}
}

static void exports(struct safety_look *look)
{
	AUTO_FREE char *dir = ssd_asprintf("%s/kernel/config/nvmet/subsystems", look->roots->sys);
	AUTO_NAMES struct scan_names names = {0};

	scan_list(AT_FDCWD, dir, NULL, &names);
	for (size_t i = 0; i < names.n; i++) {
		AUTO_FREE char *subsystem = ssd_asprintf("%s/%s", dir, names.v[i]);

		exports_of(look, subsystem, names.v[i]);
	}
}

/* mountinfo names one device of a file system that has several; these are the others. */
static void btrfs_members(struct safety_look *look)
{
	AUTO_FREE char *dir = ssd_asprintf("%s/fs/btrfs", look->roots->sys);
	AUTO_NAMES struct scan_names uuids = {0};

	scan_list(AT_FDCWD, dir, NULL, &uuids);
	for (size_t i = 0; i < uuids.n; i++) {
		AUTO_FREE char *devices = ssd_asprintf("%s/%s/devices", dir, uuids.v[i]);
		AUTO_NAMES struct scan_names names = {0};

		scan_list(AT_FDCWD, devices, NULL, &names);
		for (size_t j = 0; j < names.n; j++) {
			AUTO_FREE char *path = ssd_asprintf("/dev/%s", names.v[j]);
			const struct safety_target *t = safety_find(look, path);

			if (t)
				safety_add_use(look->usage, safety_use_of(SSD_USE_HOLDER, t),
					       "the mounted btrfs file system %s", uuids.v[i]);
		}
	}
}

void safety_sys_users(struct safety_look *look)
{
	loops(look);
	exports(look);
	btrfs_members(look);
}
