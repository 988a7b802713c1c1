/* SPDX-License-Identifier: MIT */
/* What /proc knows: mounts, swap space, and open descriptors of other processes. */
#include "safety/parts.h"
#include "scan/scan.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

static const struct safety_target *find_source(const struct safety_look *look, char *source)
{
	ssd_unescape_octal(source);
	return safety_find_path(look, source);
}

/* "/srv" or, when the file system lies on what holds the namespace, "/srv through dm-0 (vg0-srv)". */
static void add_mount(struct safety_look *look, const struct safety_target *t, char *point, const char *where)
{
	bool direct = t->kind != SAFETY_HOLDER;

	ssd_unescape_octal(point);
	safety_add_use(look->usage, safety_use_of(SSD_USE_MOUNT, t), "%.80s%s%.40s%s", point, direct ? "" : " through ",
		       direct ? "" : t->shown, where);
}

/*
 * A line of mountinfo, proc_pid_mountinfo(5): id, parent, major:minor, root, mount point, options, optional fields, "-", type,
 * source. btrfs shows a number that belongs to no device, hence the source as well.
 */
static void mount_line(struct safety_look *look, char *line, const char *where)
{
	char *fields[6], *rest = NULL, *dash = strstr(line, " - "), *source;
	const struct safety_target *t;

	if (!dash)
		return;
	*dash = '\0';
	strtok_r(dash + 3, " ", &rest);
	source = strtok_r(NULL, " \n", &rest);
	rest = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (!(fields[i] = strtok_r(i ? NULL : line, " ", &rest)))
			return;
	t = safety_find_dev(look, safety_dev_of(fields[2]), false);
	if (!t && source)
		t = find_source(look, source);
	if (t)
		add_mount(look, t, fields[4], where);
}

static void mounts_of(struct safety_look *look, const char *pid, const char *where)
{
	AUTO_FREE char *path = ssd_asprintf("%s/%s/mountinfo", look->roots->proc, pid), *line = NULL;
	AUTO_FCLOSE FILE *f = fopen(path, "re");
	size_t size = 0;

	while (f && getline(&line, &size, f) > 0)
		mount_line(look, line, where);
}

void safety_proc_mounts(struct safety_look *look)
{
	mounts_of(look, "self", "");
}

void safety_proc_swaps(struct safety_look *look)
{
	AUTO_FREE char *path = ssd_asprintf("%s/swaps", look->roots->proc), *line = NULL;
	AUTO_FCLOSE FILE *f = fopen(path, "re");
	size_t size = 0;

	while (f && getline(&line, &size, f) > 0) {
		const struct safety_target *t;

		line[strcspn(line, " \t\n")] = '\0';
		t = find_source(look, line);
		if (t)
			safety_add_use(look->usage, safety_use_of(SSD_USE_SWAP, t), "%s%s",
				       t->kind == SAFETY_HOLDER ? "through " : "",
				       t->kind == SAFETY_HOLDER ? t->shown : "");
	}
}

static bool is_number(const char *name)
{
	return isdigit((unsigned char)*name) && !name[strspn(name, "0123456789")];
}

static void process_name(const struct safety_look *look, const char *pid, char *buf, size_t size)
{
	AUTO_FREE char *path = ssd_asprintf("%s/%s/comm", look->roots->proc, pid);

	if (scan_attr(AT_FDCWD, path, buf, size) || !*buf)
		ssd_strcpy(buf, size, "unknown");
}

/* The name counts as well as the number: either alone can be missing, in a container or when a node was removed. */
static const struct safety_target *open_target(const struct safety_look *look, int dir, const char *fd)
{
	char path[256];
	ssize_t n = readlinkat(dir, fd, path, sizeof(path) - 1);
	const struct safety_target *t;
	mode_t mode;
	dev_t dev;

	if (n < 0)
		return NULL;
	path[n] = '\0';
	t = safety_find(look, path);
	/* Sockets, pipes and the like have no path. */
	if (!t && *path == '/' && !look->roots->stat_open(dir, fd, &mode, &dev) && (S_ISBLK(mode) || S_ISCHR(mode)))
		t = safety_find_dev(look, dev, S_ISCHR(mode));
	return t;
}

/* False when the process does not let us look. One that has ended meanwhile has nothing open. */
static bool openers_in(struct safety_look *look, const char *pid)
{
	AUTO_FREE char *path = ssd_asprintf("%s/%s/fd", look->roots->proc, pid);
	AUTO_CLOSE int dir = scan_opendir(AT_FDCWD, path);
	AUTO_NAMES struct scan_names fds = {0};

	if (dir < 0)
		return errno == ENOENT || errno == ESRCH;
	scan_list(dir, ".", is_number, &fds);
	for (size_t i = 0; i < fds.n; i++) {
		const struct safety_target *t = open_target(look, dir, fds.v[i]);
		struct ssd_use use;
		char name[64];

		if (!t || t->kind == SAFETY_HOLDER)
			continue;
		use = safety_use_of(SSD_USE_OPENER, t);
		if (t->kind == SAFETY_GENERIC)
			ssd_strcpy(use.device, sizeof(use.device), t->name);
		use.pid = (int)scan_int(pid, 0);
		process_name(look, pid, name, sizeof(name));
		safety_add_use(look->usage, use, "%s", name);
	}
	return true;
}

/* What holds a namespace for all of them that are looked at. */
static void add_unknown(struct safety_look *look, const char *why)
{
	for (size_t i = 0; i < look->n; i++)
		if (look->targets[i].kind == SAFETY_NAMESPACE)
			safety_add_use(look->usage, safety_use_of(SSD_USE_EXCLUSIVE, &look->targets[i]), "%s", why);
}

/*
 * Who has a node open. The controller's own node does not count: smartd and the like keep it open, and nothing on the drive
 * depends on it.
 */
void safety_proc_openers(struct safety_look *look)
{
	AUTO_NAMES struct scan_names pids = {0};
	size_t hidden = 0;

	scan_list(AT_FDCWD, look->roots->proc, is_number, &pids);
	for (size_t i = 0; i < pids.n; i++)
		if (scan_int(pids.v[i], 0) != getpid())
			hidden += !openers_in(look, pids.v[i]);
	if (!pids.n)
		add_unknown(look, "which processes have it open cannot be seen: /proc cannot be read");
	else if (hidden)
		add_unknown(look, "which processes have it open cannot be seen, not being root here");
}

void safety_proc_other_mounts(struct safety_look *look)
{
	AUTO_NAMES struct scan_names pids = {0}, seen = {0};
	AUTO_FREE char *own_path = ssd_asprintf("%s/self/ns/mnt", look->roots->proc);
	char own[64];

	scan_link_name(AT_FDCWD, own_path, own, sizeof(own));
	scan_list(AT_FDCWD, look->roots->proc, is_number, &pids);
	for (size_t i = 0; i < pids.n; i++) {
		AUTO_FREE char *path = ssd_asprintf("%s/%s/ns/mnt", look->roots->proc, pids.v[i]), *where = NULL;
		char ns[64], name[64];
		bool known = false;

		if (scan_link_name(AT_FDCWD, path, ns, sizeof(ns)) || !strcmp(ns, own))
			continue;
		for (size_t j = 0; j < seen.n && !known; j++)
			known = !strcmp(seen.v[j], ns);
		if (known)
			continue;
		seen.v = ssd_realloc(seen.v, seen.n + 1, sizeof(*seen.v));
		seen.v[seen.n++] = ssd_strdup(ns);
		process_name(look, pids.v[i], name, sizeof(name));
		where = ssd_asprintf(" in the mount namespace of process %s (%s)", pids.v[i], name);
		mounts_of(look, pids.v[i], where);
	}
}
