/* SPDX-License-Identifier: MIT */
/* The one error object. It has a code that scripts match, an exit code, a sentence, and what to do. */
#ifndef SSDCT_ERR_H
#define SSDCT_ERR_H

#include <ssdct/base.h>

/* Exit codes, ssdct(8). */
enum ssd_exit {
	SSD_EXIT_OK = 0,
	SSD_EXIT_FAILED = 1,
	SSD_EXIT_USAGE = 2,
	SSD_EXIT_NO_DRIVE = 3,
	SSD_EXIT_REFUSED = 4,
	SSD_EXIT_PENDING = 5,
	SSD_EXIT_SOME_FAILED = 6,
	SSD_EXIT_UNSUPPORTED = 7,
	SSD_EXIT_BAD_INPUT = 8,
	SSD_EXIT_INTERRUPTED = 130,
};

/* Error codes; the word that JSON shows and the exit code of each are one table in base/err.c. */
enum ssd_err_code {
	SSD_ERR_NONE,
	SSD_ERR_NVME,          /* "nvme_status": the drive refused or failed the command */
	SSD_ERR_KERNEL,        /* "kernel": an errno that has no better name */
	SSD_ERR_TIMEOUT,       /* "timeout": we stopped waiting, or the kernel did */
	SSD_ERR_NOT_WRITTEN,   /* "no_data": success, but the buffer came back untouched, or too much of it did */
	SSD_ERR_OUTPUT,        /* "output": a result could not be written */
	SSD_ERR_INTERNAL,      /* "internal" */
	SSD_ERR_USAGE,         /* "usage" */
	SSD_ERR_AMBIGUOUS,     /* "ambiguous": a serial that matches several controllers */
	SSD_ERR_NOT_FOUND,     /* "not_found": no such drive or namespace */
	SSD_ERR_PERMISSION,    /* "permission" */
	SSD_ERR_GONE,          /* "gone": the drive went away */
	SSD_ERR_BUSY,          /* "busy": the controller is resetting and did not come back in time */
	SSD_ERR_REFUSED,       /* "refused": stopped for safety, nothing was sent */
	SSD_ERR_UNSUPPORTED,   /* "unsupported": this drive, or this recorded host, cannot do that */
	SSD_ERR_BAD_INPUT,     /* "bad_input": an input file is wrong */
	SSD_ERR_NOT_ATTEMPTED, /* "not_attempted": an earlier drive failed */
	SSD_ERR_UNCHANGED,     /* "unchanged": accepted, but the drive is as it was */
	SSD_ERR_UNVERIFIED,    /* "unverified": done, but what it led to is not what was expected, or unknown */
	SSD_ERR_INTERRUPTED,   /* "interrupted" */
};

struct ssd_err {
	enum ssd_err_code code;
	int sys_errno;   /* 0: none */
	int nvme_status; /* -1: none; else the 15 bits as the kernel returns them */
	char message[480];
	char hint[480];
};

#define SSD_ERR_INIT              \
	{                         \
		.nvme_status = -1 \
	}

/* Fills err (which may be NULL) and returns -1, so that a function can end in `return ssd_fail(...)`. */
int ssd_fail(struct ssd_err *err, enum ssd_err_code code, const char *fmt, ...) PRINTF(3, 4);
/* The same for an errno: picks the code (ENODEV: gone, EACCES: permission, ...) and adds its text to the message. */
int ssd_fail_errno(struct ssd_err *err, int error, const char *fmt, ...) PRINTF(3, 4);
/* What to do about it. */
void ssd_hint(struct ssd_err *err, const char *fmt, ...) PRINTF(2, 3);
/* Puts the attempt in front: "reading the SMART log: <message>". */
void ssd_err_prefix(struct ssd_err *err, const char *fmt, ...) PRINTF(2, 3);

const char *ssd_err_word(enum ssd_err_code code);
enum ssd_exit ssd_err_exit(const struct ssd_err *err);

static inline bool ssd_failed(const struct ssd_err *err)
{
	return err->code != SSD_ERR_NONE;
}

#endif
