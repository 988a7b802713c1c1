/* SPDX-License-Identifier: MIT */
/*
 * Who uses a drive. The kernel's answer to an exclusive open of the namespace's block device decides: it is refused while
 * a file system is mounted in any mount namespace, by swap space, md, dm, ZFS, also through a partition. What was found
 * besides says who it is, and finds the users that need no exclusive access.
 */
#include "safety/parts.h"
#include "scan/scan.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

static int claim(const struct safety_roots *roots, const char *name, dev_t dev)
{
	AUTO_FREE char *path = ssd_asprintf("%s/%s", roots->dev, name);
	/* For reading: closing a descriptor that could write makes udev look at the device again. */
	int fd = open(path, O_RDONLY | O_EXCL | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && S_ISBLK(st.st_mode) && st.st_rdev == dev)
		return fd;
	close(fd);
	return -ESTALE;
}

static int stat_open(int fd_dir, const char *name, mode_t *mode, dev_t *dev)
{
	struct statx st;

	/* What is known without asking a server: a dead one must not hold us up because some process has a file of it open. */
	if (statx(fd_dir, name, AT_STATX_DONT_SYNC, STATX_TYPE, &st))
		return -errno;
	*mode = st.stx_mode;
	*dev = makedev(st.stx_rdev_major, st.stx_rdev_minor);
	return 0;
}

const struct safety_roots safety_this_machine = {"/proc", "/sys", "/dev", "/run/udev", claim, stat_open};

static void keep(struct ssd_usage *usage, int fd)
{
	usage->handles = ssd_realloc(usage->handles, usage->n_handles + 1, sizeof(*usage->handles));
	usage->handles[usage->n_handles++] = fd;
}

static bool is_explained(const struct ssd_usage *usage, uint32_t nsid)
{
	for (size_t i = 0; i < usage->n; i++)
		if (usage->uses[i].nsid == nsid && usage->uses[i].kind != SSD_USE_OPENER &&
		    ssd_use_is_active(usage->uses[i].kind))
			return true;
	return false;
}

/* Nothing that is looked at by default explains why the kernel refuses: the slower way, or else it is said as it is. */
static void explain(struct safety_look *look, const struct safety_target *t, int error)
{
	struct ssd_use use = {.kind = SSD_USE_EXCLUSIVE, .nsid = t->nsid};

	ssd_strcpy(use.device, sizeof(use.device), t->device);
	if (error != EBUSY) {
		safety_add_use(look->usage, use, "whether it is in use cannot be found out: %s",
			       error == ESTALE ? "the node in /dev is another device" : strerror(error));
		return;
	}
	if (is_explained(look->usage, t->nsid))
		return;
	safety_proc_other_mounts(look);
	if (!is_explained(look->usage, t->nsid))
		safety_add_use(look->usage, use,
			       "the kernel refuses exclusive access, and nothing here shows to whom it gave it");
}

static void claim_namespace(struct safety_look *look, const struct safety_target *t, bool exclusive)
{
	int fd = look->roots->claim(look->roots, t->name, t->dev);

	if (fd < 0) {
		explain(look, t, -fd);
		return;
	}
	if (!exclusive) {
		close(fd);
		return;
	}
	for (size_t i = 0; i < look->n; i++)
		if (look->targets[i].nsid == t->nsid && look->targets[i].kind <= SAFETY_PARTITION)
			safety_probe_signature(look, &look->targets[i], fd);
	keep(look->usage, fd);
}

static bool is_wanted(const uint32_t *nsids, size_t n, uint32_t nsid)
{
	for (size_t i = 0; i < n; i++)
		if (nsids[i] == nsid || nsids[i] == SSD_NSID_ALL)
			return true;
	return !n;
}

/*
 * The namespaces that are meant, each once by its node; also through other controllers of the drive, since without native
 * multipath each of these has a node of its own for the same namespace.
 */
static void each_namespace(const struct ssd_drive *drive, const uint32_t *nsids, size_t n,
			   void (*fn)(void *ctx, const struct ssd_drive *drive, const struct ssd_namespace *ns),
			   void *ctx)
{
	const struct ssd_host *host = drive->host;

	for (size_t d = 0; host && d < host->n_drives; d++) {
		const struct ssd_drive *other = &host->drives[d];

		if (other != drive && !ssd_same_subsystem(drive, other))
			continue;
		for (size_t i = 0; i < other->n_namespaces; i++)
			if (is_wanted(nsids, n, other->namespaces[i].nsid))
				fn(ctx, other, &other->namespaces[i]);
	}
}

struct known {
	uint32_t nsid;
	bool found;
};

static void has_node(void *ctx, const struct ssd_drive *drive, const struct ssd_namespace *ns)
{
	struct known *k = ctx;

	(void)drive;
	k->found |= ns->nsid == k->nsid && *ns->device;
}

/* Namespaces that were named or are attached, but that no node of this host leads to. */
static void check_node(const struct ssd_drive *drive, uint32_t nsid, struct ssd_usage *usage)
{
	struct known k = {.nsid = nsid};

	each_namespace(drive, &nsid, 1, has_node, &k);
	if (!k.found)
		safety_add_use(usage, (struct ssd_use){.kind = SSD_USE_NO_NODE, .nsid = nsid}, "%s", "");
}

static void missing_nodes(const struct ssd_drive *drive, const uint32_t *nsids, size_t n, struct ssd_usage *usage)
{
	for (size_t i = 0; i < n; i++)
		if (nsids[i] != SSD_NSID_ALL)
			check_node(drive, nsids[i], usage);
	for (size_t i = 0; i < drive->n_namespaces; i++)
		if (is_wanted(nsids, n, drive->namespaces[i].nsid))
			check_node(drive, drive->namespaces[i].nsid, usage);
}

static void add_targets(void *ctx, const struct ssd_drive *drive, const struct ssd_namespace *ns)
{
	struct safety_look *look = ctx;

	(void)drive;
	for (size_t i = 0; i < look->n; i++)
		if (look->targets[i].kind == SAFETY_NAMESPACE && !strcmp(look->targets[i].name, ns->device))
			return; /* the head of several paths */
	if (*ns->device)
		safety_sys_add(look, ns);
}

void safety_scan_machine(const struct safety_roots *roots, const struct ssd_drive *drive, const uint32_t *nsids,
			 size_t n, bool exclusive, struct ssd_usage *usage)
{
	struct safety_look look = {.roots = roots, .usage = usage};

	missing_nodes(drive, nsids, n, usage);
	each_namespace(drive, nsids, n, add_targets, &look);
	safety_proc_mounts(&look);
	safety_proc_swaps(&look);
	safety_sys_users(&look);
	safety_proc_openers(&look);
	for (size_t i = 0; i < look.n; i++)
		if (look.targets[i].kind <= SAFETY_PARTITION)
			safety_udev_signature(&look, &look.targets[i]);
	for (size_t i = 0; i < look.n; i++)
		if (look.targets[i].kind == SAFETY_NAMESPACE)
			claim_namespace(&look, &look.targets[i], exclusive);
	free(look.targets);
}

/* --- host directories: drive.json of the namespace says it, and what lies on its medium --- */

struct recorded {
	struct ssd_usage *usage;
	const struct ssd_namespace *ns;
};

static void add_recorded_use(void *ctx, enum scan_use what, const char *detail)
{
	static const enum ssd_use_kind kinds[] = {
		[SCAN_USE_HOLDER] = SSD_USE_HOLDER,
		[SCAN_USE_MOUNT] = SSD_USE_MOUNT,
		[SCAN_USE_SIGNATURE] = SSD_USE_SIGNATURE,
		[SCAN_USE_UNKNOWN] = SSD_USE_EXCLUSIVE,
	};
	const struct recorded *r = ctx;
	struct ssd_use use = {.kind = kinds[what], .nsid = r->ns->nsid};

	ssd_strcpy(use.device, sizeof(use.device), r->ns->device);
	safety_add_use(r->usage, use, "%s", detail);
}

/* As far as it was written: what is not there cannot be read, and reads as zeros in the drive. */
static void probe_medium(const struct ssd_namespace *ns, int fd, struct ssd_usage *usage)
{
	struct safety_look look = {.usage = usage};
	struct safety_target t = {.nsid = ns->nsid};
	struct stat st;

	if (fstat(fd, &st) || !st.st_size)
		return;
	ssd_strcpy(t.device, sizeof(t.device), ns->device);
	t.size = (uint64_t)st.st_size < ns->size_bytes ? (uint64_t)st.st_size : ns->size_bytes;
	safety_probe_signature(&look, &t, fd);
}

/* The medium of a simulated namespace lies with one of the drive's controllers. */
static void find_medium(const struct ssd_drive *drive, const struct ssd_namespace *ns, struct ssd_usage *usage)
{
	const struct ssd_host *host = drive->host;

	for (size_t i = 0; i < host->n_drives; i++) {
		const struct ssd_drive *home = &host->drives[i];
		AUTO_FREE char *path = ssd_asprintf("%s/%s/ns-%u.img", host->dir, home->device, ns->nsid);
		AUTO_CLOSE int fd = -1;

		if (home != drive && !ssd_same_subsystem(drive, home))
			continue;
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
		if (fd >= 0)
			probe_medium(ns, fd, usage);
	}
}

static void add_recorded(void *ctx, const struct ssd_drive *drive, const struct ssd_namespace *ns)
{
	struct recorded r = {ctx, ns};

	if (!*ns->device)
		return;
	scan_hostdir_uses(drive, ns->nsid, add_recorded_use, &r);
	if (drive->host->backend == SSD_BACKEND_SIMULATED)
		find_medium(drive, ns, r.usage);
}

void ssd_usage_scan(const struct ssd_drive *drive, const uint32_t *nsids, size_t n, bool exclusive,
		    struct ssd_usage *usage)
{
	*usage = (struct ssd_usage){0};
	if (!drive->host->dir) {
		safety_scan_machine(&safety_this_machine, drive, nsids, n, exclusive, usage);
		return;
	}
	missing_nodes(drive, nsids, n, usage);
	each_namespace(drive, nsids, n, add_recorded, usage);
}
