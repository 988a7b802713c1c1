/* SPDX-License-Identifier: MIT */
/*
 * The machine around the drives: the files that doctor looks at, as it looks at them, so that it finds the same in the
 * recording. Nothing is sent to a drive.
 */
#include "capture.h"

#include "sim/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <ssdct/doctor.h>
#include <sys/stat.h>

/* Larger than /proc/cpuinfo of 2048 CPUs; what is larger is not recorded. */
#define MAX_BYTES ((size_t)4 << 20)
/* Links within one name: more is a circle. */
#define MAX_LINKS 16

struct machine {
	const char *dir; /* of the recording */
	bool redact;
	const struct ssd_doctor_roots *roots;
	struct ssd_err *err;
	bool failed;
	bool has_pools; /* zpool.cache was left out */
};

/* Whole, of whatever size it says it has: files of /proc say 0. NULL when it is no file, too large, or not ours to read. */
static char *read_all(const char *path, size_t *len)
{
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	AUTO_FREE char *data = NULL;
	struct stat st;
	ssize_t n = 1;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode))
		return NULL;
	for (*len = 0; n && *len < MAX_BYTES; *len += (size_t)n) {
		data = ssd_realloc(data, *len + 4097, 1);
		n = read(fd, data + *len, 4096);
		if (n < 0)
			return NULL;
	}
	data[*len] = '\0';
	return n ? NULL : STEAL(data);
}

/* --- redaction --- */

/* As many letters X, the separators excepted. */
static void hide(char *text, const char *keep)
{
	for (; *text && *text != '\n'; text++)
		if (!strchr(keep, *text))
			*text = 'X';
}

/* "rw,subvol=/@home": what is a path there. */
static void hide_paths(char *options)
{
	for (char *o = options, *end; o; o = end) {
		char *value = strchr(o, '=');

		end = strchr(o, ',');
		if (end)
			*end++ = '\0';
		if (value && (!end || value < end) && strchr(value, '/'))
			hide(value + 1, "/");
		if (end)
			end[-1] = ',';
	}
}

/*
 * A line of mountinfo, proc_pid_mountinfo(5): the fields 4 and 5 are paths; after the dash come type, source and options. The
 * line is as long afterwards.
 */
static void redact_mount(char *line)
{
	char *field = line, *dash = strstr(line, " - "), *source;

	for (int i = 1; field && i <= 5; i++) {
		char *end = strchr(field, ' ');

		if (!end)
			return;
		*end = '\0';
		if (i >= 4)
			hide(field, "/");
		*end = ' ';
		field = end + 1;
	}
	source = dash ? strstr(dash, " /dev/") : NULL;
	if (!source)
		return;
	field = strchr(source + 1, ' ');
	if (field)
		*field = '\0';
	if (strchr(source + strlen(" /dev/"), '/'))
		hide(strchr(source + strlen(" /dev/"), '/') + 1, "/");
	if (!field)
		return;
	*field = ' ';
	hide_paths(field + 1);
}

/* Mounts of block devices: the others are nobody's business. */
static char *mounts(char *text, bool redact, size_t *len)
{
	char *out = ssd_calloc(strlen(text) + 2, 1), *rest = NULL; /* the last line may lack its end */

	*len = 0;
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		const char *dash = strstr(line, " - ");

		if (!dash || !strstr(dash, " /dev/"))
			continue;
		if (redact)
			redact_mount(line);
		*len += (size_t)sprintf(out + *len, "%s\n", line);
	}
	return out;
}

/* --- recording --- */

static void put_file(struct machine *m, enum ssd_doctor_root root, const char *name)
{
	AUTO_FREE char *from = ssd_asprintf("%s/%s", m->roots->path[root], name);
	AUTO_FREE char *to = ssd_asprintf("%s/%s", ssd_doctor_root_names[root], name);
	AUTO_FREE char *data = NULL, *lines = NULL;
	size_t len = 0, name_len = strlen(name);

	if (root == SSD_DOCTOR_ETC && !strcmp(name, "zfs/zpool.cache") && m->redact) {
		m->has_pools |= !access(from, F_OK);
		return;
	}
	data = read_all(from, &len);
	if (!data)
		return;
	if (root == SSD_DOCTOR_PROC && !strcmp(name, "self/mountinfo"))
		lines = mounts(data, m->redact, &len);
	else if (m->redact && name_len > 8 && !strcmp(name + name_len - 8, "/dm/name"))
		hide(data, "");
	m->failed |= recording_put(m->dir, to, lines ? lines : data, len, m->err) != 0;
}

/* `name` where a link at `at` leads, both below the root; false when that is not below it. Links in sysfs are relative. */
static bool lead(char at[PATH_MAX], const char *target)
{
	AUTO_FREE char *parts = ssd_strdup(target);
	char *rest = NULL, *slash = strrchr(at, '/');

	if (*target == '/')
		return false;
	*(slash ? slash : at) = '\0';
	for (char *part = strtok_r(parts, "/", &rest); part; part = strtok_r(NULL, "/", &rest)) {
		size_t len = strlen(at);

		if (!strcmp(part, "..")) {
			if (!len)
				return false;
			slash = strrchr(at, '/');
			*(slash ? slash : at) = '\0';
		} else if (strcmp(part, ".") != 0) {
			snprintf(at + len, PATH_MAX - len, "%s%s", len ? "/" : "", part);
		}
	}
	return true;
}

/* Follows and records the links in a name below /sys, the last one included. The name without links, or false. */
static bool follow(struct machine *m, const char *name, char at[PATH_MAX])
{
	AUTO_FREE char *parts = ssd_strdup(name);
	char target[PATH_MAX], *rest = NULL;
	unsigned links = 0;

	*at = '\0';
	for (char *part = strtok_r(parts, "/", &rest); part; part = strtok_r(NULL, "/", &rest)) {
		AUTO_FREE char *from = NULL, *to = NULL;
		size_t len = strlen(at);
		ssize_t n;

		snprintf(at + len, PATH_MAX - len, "%s%s", len ? "/" : "", part);
		from = ssd_asprintf("%s/%s", m->roots->path[SSD_DOCTOR_SYS], at);
		n = readlink(from, target, sizeof(target) - 1);
		if (n < 0)
			continue;
		target[n] = '\0';
		to = ssd_asprintf("%s/%s", ssd_doctor_root_names[SSD_DOCTOR_SYS], at);
		if (++links > MAX_LINKS || !lead(at, target))
			return false;
		m->failed |= recording_link(m->dir, to, target, m->err) != 0;
	}
	return true;
}

/* Below /sys links matter, as they say what belongs to what; elsewhere what they lead to is taken in their place. */
static void watch(void *ctx, enum ssd_doctor_root root, const char *name, bool content)
{
	struct machine *m = ctx;
	AUTO_FREE char *from = NULL, *to = NULL;
	char at[PATH_MAX];
	struct stat st;

	if (m->failed || strstr(name, "..") || (root == SSD_DOCTOR_SYS && !follow(m, name, at)))
		return;
	if (root != SSD_DOCTOR_SYS)
		ssd_strcpy(at, sizeof(at), name);
	from = ssd_asprintf("%s/%s", m->roots->path[root], at);
	to = ssd_asprintf("%s/%s", ssd_doctor_root_names[root], at);
	if (lstat(from, &st))
		return;
	if (S_ISDIR(st.st_mode))
		m->failed |= recording_mkdir(m->dir, to, m->err) != 0;
	else if (content)
		put_file(m, root, at);
	else
		m->failed |= recording_touch(m->dir, to, m->err) != 0;
}

static void found(void *ctx, const struct ssd_doctor_finding *finding)
{
	(void)ctx;
	(void)finding;
}

int capture_machine(const char *dir, const struct ssd_drive *drive, bool redact, bool *left_out, struct ssd_err *err)
{
	struct ssd_doctor_roots roots = ssd_doctor_roots_of(drive->host);
	struct machine m = {.dir = dir, .redact = redact, .roots = &roots, .err = err};
	struct ssd_device closed = {.drive = drive};
	struct ssd_arena *a = ssd_arena_new(1 << 20);
	char kernel[80];

	for (size_t i = 0; i < SSD_DOCTOR_N_ROOTS; i++)
		if (roots.path[i])
			m.failed |= recording_mkdir(dir, ssd_doctor_root_names[i], err) != 0;
	roots.watch = watch;
	roots.ctx = &m;
	ssd_doctor_kernel(&roots, kernel, sizeof(kernel));
	ssd_doctor_examine(&closed, a, &roots, SSD_DOCTOR_SLOW | SSD_DOCTOR_RISK, found, NULL);
	ssd_doctor_examine_host(&roots, a, found, NULL);
	ssd_arena_free(a);
	ssd_doctor_roots_free(&roots);
	*left_out = m.has_pools;
	return m.failed ? -1 : 0;
}
