/* SPDX-License-Identifier: MIT */
#include "sim/recording.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <time.h>

#define HOST_JSON "{\"format\": \"ssdct-host/1\", \"mode\": \"recorded\"}\n"
#define FILE_MODE 0600
#define DIR_MODE 0700
#define PARTIAL ".partial"
/* A process that was killed a moment ago may still be making a file: so often is its directory emptied, in ms. */
#define DISCARD_TRIES 50
#define DISCARD_PAUSE_MS 20

static int cannot_write(const char *path, int error, struct ssd_err *err)
{
	return ssd_fail(err, SSD_ERR_OUTPUT, "%s cannot be written: %s", path, strerror(error));
}

static bool is_empty(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *entry;
	size_t n = 0;

	if (!d)
		return false;
	while ((entry = readdir(d)))
		n += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	closedir(d);
	return !n;
}

int recording_check(const char *dir, bool *exists, struct ssd_err *err)
{
	AUTO_FREE char *partial = ssd_asprintf("%s/" PARTIAL, dir);
	struct stat st;

	*exists = !stat(dir, &st);
	if (!*exists)
		return errno == ENOENT ? 0 : cannot_write(dir, errno, err);
	if (!S_ISDIR(st.st_mode) || !is_empty(dir)) {
		ssd_fail(err, SSD_ERR_REFUSED, "%s is there already and is not an empty directory; nothing was written",
			 dir);
		if (access(partial, F_OK))
			ssd_hint(err, "name a directory that does not exist yet");
		else
			ssd_hint(err, "%s is what another run is writing, or was when it was killed: remove it then",
				 partial);
		return -1;
	}
	/* Nobody else may change it meanwhile. */
	if (st.st_uid != geteuid())
		return ssd_fail(err, SSD_ERR_REFUSED, "%s belongs to another user; nothing was written", dir);
	return 0;
}

static int make_private(const char *dir, struct ssd_err *err)
{
	if (!mkdir(dir, DIR_MODE))
		return 0;
	if (errno != EEXIST || chmod(dir, DIR_MODE))
		return cannot_write(dir, errno, err);
	return 0;
}

int recording_add_drive(const char *dir, const char *drive, struct ssd_err *err)
{
	AUTO_FREE char *partial = ssd_asprintf("%s/" PARTIAL, dir);
	AUTO_FREE char *path = ssd_asprintf("%s/%s", partial, drive);

	if (make_private(dir, err) || make_private(partial, err))
		return -1;
	return mkdir(path, DIR_MODE) ? cannot_write(path, errno, err) : 0;
}

int recording_write(const char *dir, const char *drive, const char *file, const void *data, size_t len,
		    struct ssd_err *err)
{
	AUTO_FREE char *path = ssd_asprintf("%s/" PARTIAL "/%s/%s", dir, drive, file);
	int rc = ssd_replace_file(path, data, len, FILE_MODE);

	return rc ? cannot_write(path, -rc, err) : 0;
}

int recording_write_json(const char *dir, const char *drive, const json_t *json, struct ssd_err *err)
{
	AUTO_FREE char *text = json_dumps(json, JSON_INDENT(2)), *lines = NULL;

	if (!text)
		return ssd_fail(err, SSD_ERR_INTERNAL, "%s: drive.json cannot be made", drive);
	lines = ssd_asprintf("%s\n", text);
	return recording_write(dir, drive, "drive.json", lines, strlen(lines), err);
}

/* Where it lies, owned; the directories above it are made. */
static char *place(const char *dir, const char *name)
{
	char *path = ssd_asprintf("%s/" PARTIAL "/%s", dir, name);

	for (char *slash = path + strlen(dir) + strlen("/" PARTIAL "/"); (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(path, DIR_MODE); /* what fails here fails below */
		*slash = '/';
	}
	return path;
}

static int placed(const char *path, int error, struct ssd_err *err)
{
	return error && error != EEXIST ? cannot_write(path, error, err) : 0;
}

int recording_put(const char *dir, const char *name, const void *data, size_t len, struct ssd_err *err)
{
	AUTO_FREE char *path = place(dir, name);

	return placed(path, -ssd_replace_file(path, data, len, FILE_MODE), err);
}

int recording_touch(const char *dir, const char *name, struct ssd_err *err)
{
	AUTO_FREE char *path = place(dir, name);
	AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, FILE_MODE);

	return placed(path, fd < 0 ? errno : 0, err);
}

int recording_link(const char *dir, const char *name, const char *target, struct ssd_err *err)
{
	AUTO_FREE char *path = place(dir, name);

	return placed(path, symlink(target, path) ? errno : 0, err);
}

int recording_mkdir(const char *dir, const char *name, struct ssd_err *err)
{
	AUTO_FREE char *path = place(dir, name);

	return placed(path, mkdir(path, DIR_MODE) ? errno : 0, err);
}

int recording_publish(const char *dir, const char *drive, struct ssd_err *err)
{
	AUTO_FREE char *from = ssd_asprintf("%s/" PARTIAL "/%s", dir, drive);
	AUTO_FREE char *to = ssd_asprintf("%s/%s", dir, drive);

	return rename(from, to) && errno != ENOENT ? cannot_write(to, errno, err) : 0;
}

int recording_finish(const char *dir, struct ssd_err *err)
{
	AUTO_FREE char *path = ssd_asprintf("%s/host.json", dir);
	int rc = ssd_replace_file(path, HOST_JSON, strlen(HOST_JSON), FILE_MODE);

	return rc ? cannot_write(path, -rc, err) : 0;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *level)
{
	(void)st;
	(void)type;
	(void)level;
	return remove(path);
}

int recording_discard(const char *dir, bool keep)
{
	AUTO_FREE char *partial = ssd_asprintf("%s/" PARTIAL, dir);

	for (int try = 1; nftw(partial, remove_entry, 8, FTW_DEPTH | FTW_PHYS) && errno != ENOENT; try++) {
		if (errno != ENOTEMPTY || try == DISCARD_TRIES)
			return -errno;
		nanosleep(&(struct timespec){.tv_nsec = DISCARD_PAUSE_MS * 1000000l}, NULL);
	}
	if (!keep)
		rmdir(dir);
	return 0;
}
