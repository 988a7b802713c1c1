/* SPDX-License-Identifier: MIT */
/*
 * A file that appears under its name when it is whole, or not at all, and never in the place of another: a dump is evidence.
 * Where the file system can, it has no name before that, so that nothing is left behind whatever ends the program.
 */
#ifndef SSDCT_NEWFILE_H
#define SSDCT_NEWFILE_H

#include <ssdct/err.h>

struct ssd_newfile {
	const char *path; /* not owned */
	char *tmp;        /* its name until then, where it must have one; owned */
	int fd;
};
#define SSD_NEWFILE_INIT \
	{                \
		.fd = -1 \
	}

/* Before anything is read for it: nothing is there under this name. 0, or -1 with *err set (exit 1), as all of these. */
int ssd_newfile_check(const char *path, struct ssd_err *err);
int ssd_newfile_open(struct ssd_newfile *f, const char *path, struct ssd_err *err); /* mode 0600 */
int ssd_newfile_write(const struct ssd_newfile *f, const void *data, size_t len, struct ssd_err *err);
/* Gives it its name. */
int ssd_newfile_publish(struct ssd_newfile *f, struct ssd_err *err);
/* What was not published is gone. */
void ssd_newfile_close(struct ssd_newfile *f);

#endif
