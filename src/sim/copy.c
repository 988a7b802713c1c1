/* SPDX-License-Identifier: MIT */
/* A simulated copy of a host directory: to rehearse a change before touching the real drive. */
#include "sim/host.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#define LOCAL_DIR "pages.d"

#define CHUNK (1u << 20)

static int write_all(int fd, const uint8_t *p, size_t len, off_t at)
{
	while (len) {
		ssize_t n = pwrite(fd, p, len, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Data only, so that sparse media stay sparse. */
static int copy_data(int in, int out, off_t size)
{
	AUTO_FREE uint8_t *buf = ssd_calloc(CHUNK, 1);
	off_t at = 0;

	if (ftruncate(out, size))
		return -errno;
	while (at < size && (at = lseek(in, at, SEEK_DATA)) >= 0) {
		off_t end = lseek(in, at, SEEK_HOLE);
		ssize_t n = end < 0 ? -1 : pread(in, buf, end - at < CHUNK ? (size_t)(end - at) : CHUNK, at);
		int rc;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : 0;
		rc = write_all(out, buf, (size_t)n, at);
		if (rc)
			return rc;
		at += n;
	}
	return at < 0 && errno != ENXIO ? -errno : 0; /* ENXIO: only a hole is left */
}

static bool wanted(const char *name)
{
	static const char *const suffixes[] = {".bin", ".json", ".img"};
	const char *dot = strrchr(name, '.');

	for (size_t i = 0; dot && i < ARRAY_SIZE(suffixes); i++)
		if (!strcmp(dot, suffixes[i]))
			return true;
	return false;
}

/* Regular files only: a recording may come from a stranger, with links to anywhere in it. */
static int copy_file(const char *from, const char *to, struct ssd_err *err)
{
	AUTO_CLOSE int in = open(from, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	AUTO_CLOSE int out = -1;
	struct stat st;
	int rc;

	if (in < 0 && errno == ELOOP)
		return 0;
	if (in < 0 || fstat(in, &st))
		return ssd_fail_errno(err, errno, "reading %s", from);
	if (!S_ISREG(st.st_mode))
		return 0;
	out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (out < 0)
		return ssd_fail_errno(err, errno, "writing %s", to);
	rc = copy_data(in, out, st.st_size);
	return rc ? ssd_fail_errno(err, -rc, "copying %s", from) : 0;
}

static int copy_drive(const char *dir, const char *from, const char *name, struct ssd_err *err)
{
	AUTO_FREE char *source = ssd_asprintf("%s/%s", from, name);
	AUTO_FREE char *target = ssd_asprintf("%s/%s", dir, name);
	DIR *d = opendir(source);
	struct dirent *e;
	int rc = 0;

	if (!d)
		return ssd_fail_errno(err, errno, "reading %s", source);
	if (mkdir(target, 0755))
		rc = ssd_fail_errno(err, errno, "making directory %s", target);
	while (!rc && (e = readdir(d))) {
		AUTO_FREE char *in = ssd_asprintf("%s/%s", source, e->d_name);
		AUTO_FREE char *out = ssd_asprintf("%s/%s", target, e->d_name);

		if (wanted(e->d_name))
			rc = copy_file(in, out, err);
	}
	closedir(d);
	return rc;
}

/* nvme and a number, with an Identify Controller in it. */
static bool is_drive(const char *from, const char *name)
{
	AUTO_FREE char *path = ssd_asprintf("%s/%s/id-ctrl.bin", from, name);
	const char *digits = name + 4;

	return !strncmp(name, "nvme", 4) && *digits && !digits[strspn(digits, "0123456789")] && !access(path, F_OK);
}

/* Copies the drives to dir, or, when that is NULL, only counts them. */
static int each_drive(const char *dir, const char *from, unsigned *count, struct ssd_err *err)
{
	DIR *d = opendir(from);
	struct dirent *e;
	int rc = 0;

	if (!d)
		return ssd_fail_errno(err, errno, "reading %s", from);
	while (!rc && (e = readdir(d))) {
		if (!is_drive(from, e->d_name))
			continue;
		(*count)++;
		if (dir)
			rc = copy_drive(dir, from, e->d_name, err);
	}
	closedir(d);
	return rc;
}

/* Page descriptions (ssdct-pages(5)), without which nobody would know some of the pages. */
static int copy_descriptions(const char *dir, const char *from, struct ssd_err *err)
{
	AUTO_FREE char *path = ssd_asprintf("%s/" LOCAL_DIR, from);

	return access(path, F_OK) ? 0 : copy_drive(dir, from, LOCAL_DIR, err);
}

int sim_host_copy(const char *dir, const char *from, struct ssd_err *err)
{
	unsigned count = 0;
	bool simulated;

	if (host_json_mode(from, &simulated, err) || each_drive(NULL, from, &count, err)) {
		if (err->code == SSD_ERR_NOT_FOUND)
			ssd_hint(err, "--from is a host that is there: one that ssdct capture or sim create has made");
		return -1;
	}
	if (!count) {
		AUTO_FREE char *mistake = host_dir_mistake(from);

		return ssd_fail(err, SSD_ERR_NOT_FOUND, "%s%s", mistake ? mistake : from,
				mistake ? "" : ": no drive in it to copy");
	}
	return sim_host_begin(dir, err) || each_drive(dir, from, &count, err) || copy_descriptions(dir, from, err) ||
			       sim_host_finish(dir, err)
		       ? -1
		       : 0;
}
