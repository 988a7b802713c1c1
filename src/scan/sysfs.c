/* SPDX-License-Identifier: MIT */
/*
 * This machine: /sys/class/nvme, read as plain files. Drives come and go while it is read, so nothing that is missing
 * is an error: the drive is shown with what there was, and a note.
 *
 * Whose namespace is whose is never taken from a name. Without multipath a block device lies in its controller's
 * directory but may carry another instance number (nvme0 may hold nvme3n1). With native multipath the controller holds
 * a hidden path (nvme1c0n1); the node that can be opened, the head, lies in the directory of the subsystem and is found
 * by its nsid attribute (Linux, drivers/nvme/host/multipath.c and sysfs.c).
 */
#include "scan/scan.h"

#include <fcntl.h>

/* Block devices count 512-byte sectors whatever the LBA format (Linux, Documentation/ABI/stable/sysfs-block). */
#define SECTOR_BYTES 512

#define TEXT_ATTR(file, member)                                                                   \
	{                                                                                         \
		file, offsetof(struct ssd_drive, member), sizeof(((struct ssd_drive *)0)->member) \
	}

static const struct {
	const char *file;
	size_t offset, size;
} text_attrs[] = {
	TEXT_ATTR("model", model),
	TEXT_ATTR("serial", serial),
	TEXT_ATTR("firmware_rev", firmware),
	TEXT_ATTR("transport", transport),
	TEXT_ATTR("address", address),
	TEXT_ATTR("state", state),
	TEXT_ATTR("subsysnqn", subsysnqn),
	TEXT_ATTR("device/current_link_speed", current_link_speed),
	TEXT_ATTR("device/max_link_speed", max_link_speed),
};

static const struct {
	const char *file;
	size_t offset;
} int_attrs[] = {
	{"cntlid", offsetof(struct ssd_drive, cntlid)},
	{"device/vendor", offsetof(struct ssd_drive, pci_vendor)},
	{"device/device", offsetof(struct ssd_drive, pci_device)},
	{"device/subsystem_vendor", offsetof(struct ssd_drive, pci_subsystem_vendor)},
	{"device/subsystem_device", offsetof(struct ssd_drive, pci_subsystem_device)},
};

/* The attributes without which a drive is hard to tell from another. */
static const char *const identity[] = {"model", "serial", "firmware_rev"};

/* Which controller is in which subsystem. */
struct member {
	char subsystem[32], controller[32];
};

struct machine {
	const char *sysfs;
	struct member *members;
	size_t n_members;
};

static void attrs(struct ssd_drive *drive, int dir)
{
	for (size_t i = 0; i < ARRAY_SIZE(text_attrs); i++)
		scan_attr(dir, text_attrs[i].file, (char *)drive + text_attrs[i].offset, text_attrs[i].size);
	for (size_t i = 0; i < ARRAY_SIZE(int_attrs); i++)
		*(int *)((char *)drive + int_attrs[i].offset) = (int)scan_attr_int(dir, int_attrs[i].file, -1);
	drive->current_link_width = scan_width(scan_attr_int(dir, "device/current_link_width", -1));
	drive->max_link_width = scan_width(scan_attr_int(dir, "device/max_link_width", -1));
	drive->numa_node = (int)scan_attr_int(dir, "numa_node", scan_attr_int(dir, "device/numa_node", -1));
	scan_link_name(dir, "device/driver", drive->driver, sizeof(drive->driver));
}

/* Before Linux 4.8 there were no transport and address attributes: whatever sat on a PCI function was PCIe. */
static void old_kernel(struct ssd_drive *drive, int dir)
{
	char name[64];
	struct scan_pci pci;

	if (*drive->transport || scan_link_name(dir, "device", name, sizeof(name)) || !scan_pci_parse(name, &pci))
		return;
	ssd_strcpy(drive->transport, sizeof(drive->transport), "pcie");
	if (!*drive->address)
		ssd_strcpy(drive->address, sizeof(drive->address), name);
}

static void note_missing(struct ssd_drive *drive, int dir)
{
	char missing[64] = "";
	size_t len = 0;

	for (size_t i = 0; i < ARRAY_SIZE(identity); i++)
		if (faccessat(dir, identity[i], F_OK, 0))
			len += (size_t)snprintf(missing + len, sizeof(missing) - len, "%s%s", len ? ", " : "",
						identity[i]);
	if (len)
		scan_note(drive, "the kernel shows no %s", missing);
	if (*drive->state && strcmp(drive->state, "live"))
		scan_note(drive, "the controller is %s", drive->state);
}

static void geometry(struct ssd_namespace *ns, int dir)
{
	long long sectors = scan_attr_int(dir, "size", 0), block = scan_attr_int(dir, "queue/logical_block_size", 0);

	ns->size_bytes = sectors > 0 ? (uint64_t)sectors * SECTOR_BYTES : 0;
	ns->block_bytes = block > 0 && block <= UINT32_MAX ? (uint32_t)block : 0;
	ns->metadata_bytes = (int32_t)scan_attr_int(dir, "metadata_bytes", -1);
}

/* The generic node in the same directory that has the same suffix; empty when there is none. */
static void find_generic(struct ssd_namespace *ns, int dir, const char *name)
{
	AUTO_NAMES struct scan_names generics;

	scan_list(dir, ".", scan_is_generic, &generics);
	for (size_t i = 0; i < generics.n; i++)
		if (!strcmp(scan_suffix(generics.v[i]), scan_suffix(name)))
			ssd_strcpy(ns->generic, sizeof(ns->generic), generics.v[i]);
}

static void fill(struct ssd_namespace *ns, int parent, const char *name, bool hidden)
{
	AUTO_CLOSE int dir = scan_opendir(parent, name);

	if (dir < 0)
		return;
	geometry(ns, dir);
	if (hidden)
		return;
	ssd_strcpy(ns->device, sizeof(ns->device), name);
	find_generic(ns, parent, name);
}

/* One command's data at most, as the kernel's queues have it; the least of all namespaces counts. */
static void transfer_limit(struct ssd_drive *drive, int parent, const char *name)
{
	AUTO_FREE char *path = ssd_asprintf("%s/queue/max_hw_sectors_kb", name);
	long long kib = scan_attr_int(parent, path, 0);

	if (kib > 0 && kib < UINT32_MAX / 1024 &&
	    (!drive->max_transfer_bytes || drive->max_transfer_bytes > (uint32_t)kib * 1024))
		drive->max_transfer_bytes = (uint32_t)kib * 1024;
}

static uint32_t read_nsid(int parent, const char *name)
{
	AUTO_FREE char *path = ssd_asprintf("%s/nsid", name);
	long long nsid = scan_attr_int(parent, path, 0);

	return nsid > 0 && nsid < SSD_NSID_ALL ? (uint32_t)nsid : 0;
}

/* The head of a hidden path: in the subsystem's directory, the node of the same nsid. */
static void find_head(struct ssd_namespace *ns, const struct machine *m, const struct ssd_drive *drive)
{
	AUTO_FREE char *path = ssd_asprintf("%s/class/nvme-subsystem/%s", m->sysfs, drive->subsystem);
	AUTO_CLOSE int dir = *drive->subsystem ? scan_opendir(AT_FDCWD, path) : -1;
	AUTO_NAMES struct scan_names heads = {0};

	if (dir < 0)
		return;
	scan_list(dir, ".", scan_is_block, &heads);
	for (size_t i = 0; i < heads.n && !*ns->device; i++)
		if (read_nsid(dir, heads.v[i]) == ns->nsid)
			fill(ns, dir, heads.v[i], false);
}

static bool is_namespace(const char *name)
{
	return scan_is_block(name) || scan_is_path(name);
}

static void namespaces(struct ssd_drive *drive, int dir, const struct machine *m)
{
	AUTO_NAMES struct scan_names names;

	scan_list(dir, ".", is_namespace, &names);
	for (size_t i = 0; i < names.n; i++) {
		bool hidden = scan_is_path(names.v[i]);
		uint32_t nsid = read_nsid(dir, names.v[i]);
		struct ssd_namespace *ns;

		if (!nsid) {
			scan_note(drive, "%s went away or shows no nsid", names.v[i]);
			continue;
		}
		ns = scan_add_namespace(drive);
		ns->nsid = nsid;
		fill(ns, dir, names.v[i], hidden);
		transfer_limit(drive, dir, names.v[i]);
		if (hidden)
			find_head(ns, m, drive);
	}
}

static void find_subsystem(struct ssd_drive *drive, const struct machine *m)
{
	for (size_t i = 0; i < m->n_members; i++)
		if (!strcmp(m->members[i].controller, drive->device))
			ssd_strcpy(drive->subsystem, sizeof(drive->subsystem), m->members[i].subsystem);
}

static void controller(struct ssd_host *host, const struct machine *m, int class, const char *name)
{
	AUTO_CLOSE int dir = scan_opendir(class, name);
	struct ssd_drive *drive = scan_add_drive(host, name);

	snprintf(drive->path, sizeof(drive->path), "/dev/%s", drive->device);
	if (dir < 0) {
		ssd_strcpy(drive->state, sizeof(drive->state), "unknown");
		scan_note(drive, "went away while the host was being looked at");
		return;
	}
	attrs(drive, dir);
	old_kernel(drive, dir);
	note_missing(drive, dir);
	find_subsystem(drive, m);
	namespaces(drive, dir, m);
}

static void add_members(struct machine *m, int class, const char *subsystem)
{
	AUTO_NAMES struct scan_names names;

	scan_list(class, subsystem, scan_is_controller, &names);
	for (size_t i = 0; i < names.n; i++) {
		struct member *member;

		m->members = ssd_realloc(m->members, m->n_members + 1, sizeof(*m->members));
		member = &m->members[m->n_members++];
		ssd_strcpy(member->subsystem, sizeof(member->subsystem), subsystem);
		ssd_strcpy(member->controller, sizeof(member->controller), names.v[i]);
	}
}

static void subsystems(struct machine *m)
{
	AUTO_FREE char *path = ssd_asprintf("%s/class/nvme-subsystem", m->sysfs);
	AUTO_CLOSE int class = scan_opendir(AT_FDCWD, path);
	AUTO_NAMES struct scan_names names = {0};

	if (class < 0)
		return;
	scan_list(class, ".", NULL, &names);
	for (size_t i = 0; i < names.n; i++)
		add_members(m, class, names.v[i]);
}

void scan_sysfs(struct ssd_host *host, const char *sysfs)
{
	AUTO_FREE char *path = ssd_asprintf("%s/class/nvme", sysfs);
	AUTO_CLOSE int class = scan_opendir(AT_FDCWD, path);
	AUTO_NAMES struct scan_names names = {0};
	struct machine m = {.sysfs = sysfs};

	if (class < 0)
		return;
	subsystems(&m);
	scan_list(class, ".", scan_is_controller, &names);
	for (size_t i = 0; i < names.n; i++)
		controller(host, &m, class, names.v[i]);
	free(m.members);
}
