/* SPDX-License-Identifier: MIT */
#include "sim/recording.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

#define HOST_JSON "{\"format\": \"ssdct-host/1\", \"mode\": \"recorded\"}\n"
#define FILE_MODE 0600
#define DIR_MODE 0700

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

/* What is there already: only an empty directory that nobody else can change meanwhile will do. */
static int take_over(const char *dir, struct ssd_err *err)
{
	struct stat st;

	if (stat(dir, &st))
		return cannot_write(dir, errno, err);
	if (!S_ISDIR(st.st_mode) || !is_empty(dir)) {
		ssd_fail(err, SSD_ERR_REFUSED, "%s is there already and is not an empty directory; nothing was written",
			 dir);
		ssd_hint(err, "name a directory that does not exist yet");
		return -1;
	}
	if (st.st_uid != geteuid())
		return ssd_fail(err, SSD_ERR_REFUSED, "%s belongs to another user; nothing was written", dir);
	return chmod(dir, DIR_MODE) ? cannot_write(dir, errno, err) : 0;
}

int recording_create(const char *dir, struct ssd_err *err)
{
	AUTO_FREE char *path = ssd_asprintf("%s/host.json", dir);
	int rc;

	if (mkdir(dir, DIR_MODE)) {
		if (errno != EEXIST)
			return cannot_write(dir, errno, err);
		if (take_over(dir, err))
			return -1;
	}
	rc = ssd_replace_file(path, HOST_JSON, strlen(HOST_JSON), FILE_MODE);
	return rc ? cannot_write(path, -rc, err) : 0;
}

int recording_add_drive(const char *dir, const char *drive, struct ssd_err *err)
{
	AUTO_FREE char *path = ssd_asprintf("%s/%s", dir, drive);

	return mkdir(path, DIR_MODE) ? cannot_write(path, errno, err) : 0;
}

int recording_write(const char *dir, const char *drive, const char *file, const void *data, size_t len,
		    struct ssd_err *err)
{
	AUTO_FREE char *path = ssd_asprintf("%s/%s/%s", dir, drive, file);
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
