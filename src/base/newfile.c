/* SPDX-License-Identifier: MIT */
#include <ssdct/newfile.h>

#include <errno.h>
#include <fcntl.h>

static int fail(const char *path, int error, struct ssd_err *err)
{
	ssd_fail_errno(err, error, "writing %s", path);
	err->code = SSD_ERR_OUTPUT;
	if (error == EEXIST)
		ssd_hint(err, "it is not overwritten: name a new file");
	return -1;
}

static int check_name(const char *path, struct ssd_err *err)
{
	return strcmp(path, "-") ? 0
				 : ssd_fail(err, SSD_ERR_USAGE,
					    "\"-\" is no file here, nor standard output; ./- is a file of that name");
}

int ssd_newfile_check(const char *path, struct ssd_err *err)
{
	if (check_name(path, err))
		return -1;
	return access(path, F_OK) ? 0 : fail(path, EEXIST, err);
}

/* Length of the directory's part, the slash included. */
static int dir_len(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (int)(slash - path) + 1 : 0;
}

int ssd_newfile_open(struct ssd_newfile *f, const char *path, struct ssd_err *err)
{
	int dir = dir_len(path);
	AUTO_FREE char *parent = dir ? ssd_asprintf("%.*s", dir, path) : ssd_strdup(".");

	*f = (struct ssd_newfile)SSD_NEWFILE_INIT;
	if (check_name(path, err))
		return -1;
	*f = (struct ssd_newfile){.path = path, .fd = open(parent, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600)};
	if (f->fd >= 0)
		return 0;
	/* Not every file system has files without a name. */
	f->tmp = ssd_asprintf("%.*s.%s.XXXXXX", dir, path, path + dir);
	f->fd = mkostemp(f->tmp, O_CLOEXEC);
	if (f->fd >= 0)
		return 0;
	free(STEAL(f->tmp));
	return fail(path, errno, err);
}

int ssd_newfile_write(const struct ssd_newfile *f, const void *data, size_t len, struct ssd_err *err)
{
	const uint8_t *p = data;

	while (len) {
		ssize_t n = write(f->fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return fail(f->path, n ? errno : ENOSPC, err);
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

/* A link never takes the place of a file that is there. */
static int give_name(const struct ssd_newfile *f)
{
	AUTO_FREE char *from = f->tmp ? ssd_strdup(f->tmp) : ssd_asprintf("/proc/self/fd/%d", f->fd);

	if (!f->tmp)
		return linkat(AT_FDCWD, from, AT_FDCWD, f->path, AT_SYMLINK_FOLLOW);
	/* Some file systems have no links, others no renaming of this kind. */
	return renameat2(AT_FDCWD, from, AT_FDCWD, f->path, RENAME_NOREPLACE) && link(from, f->path) ? -1 : 0;
}

int ssd_newfile_publish(struct ssd_newfile *f, struct ssd_err *err)
{
	return fsync(f->fd) || give_name(f) ? fail(f->path, errno, err) : 0;
}

void ssd_newfile_close(struct ssd_newfile *f)
{
	if (f->fd >= 0)
		close(f->fd);
	/* A renamed one has this name no longer. */
	if (f->tmp)
		unlink(f->tmp);
	free(f->tmp);
	*f = (struct ssd_newfile)SSD_NEWFILE_INIT;
}
