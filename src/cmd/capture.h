/* SPDX-License-Identifier: MIT */
/*
 * Recording a drive, in three steps: all is read into memory, redacted there when asked for, and only then written, so
 * that a drive that goes away leaves nothing half behind.
 */
#ifndef SSDCT_CMD_CAPTURE_H
#define SSDCT_CMD_CAPTURE_H

#include "sim/drivejson.h"

#include <ssdct/admin.h>

/* A file of the recording. */
struct capture_file {
	char *name;    /* owned */
	uint8_t *data; /* owned */
	size_t len;
};

/* What was announced but is not in the recording. */
struct capture_gap {
	char *name; /* owned: the file that it would have been */
	char reason[200];
};

struct capture {
	struct ssd_device *dev;
	bool clearing; /* read pages that reading clears, too */
	bool redact;
	struct capture_file *files;
	size_t n_files;
	struct capture_gap *gaps;
	size_t n_gaps;
	json_t *features;   /* owned: "features" of drive.json */
	json_t *sysfs;      /* owned: "sysfs" of drive.json */
	json_t *namespaces; /* owned: "namespaces" of drive.json */
	/* Error log entries over the drive's life, before and after; -1: not known. */
	int64_t errors_before, errors_after;
};

void capture_free(struct capture *c);
/* Takes ownership of data. */
void capture_add_file(struct capture *c, char *name, uint8_t *data, size_t len);
void capture_add_gap(struct capture *c, const char *name, const char *reason);
/* NULL when it is not there. */
const struct capture_file *capture_find(const struct capture *c, const char *name);
/* The namespace that the file is the Identify structure of (id-ns-N.bin); 0: of none. */
uint32_t capture_nsid(const struct capture_file *f);

/* Reads what the drive announces. Returns 0, or -1 with *err set when the drive went away or refuses everything. */
int capture_read(struct capture *c, struct ssd_err *err);

/* Whether its vendor has pages that reading clears; those of a recording stay as they are. */
bool capture_can_clear(const struct ssd_device *dev);
/* Log pages of the drive's vendor that it is known to have; called by capture_read(). */
int capture_read_vendor(struct capture *c, struct ssd_err *err);
/* Log pages that only an operator's files describe. */
int capture_read_local(struct capture *c, struct ssd_err *err);
/*
 * One log page of `len` bytes under its own file name. A drive that refuses it leaves a gap and is no failure. Returns
 * 0, or -1 with *err set when no further command will do better.
 */
int capture_read_log(struct capture *c, const struct ssd_log_request *req, size_t len, struct ssd_err *err);

/* What the host knows of the drive: fills sysfs and namespaces. */
void capture_host_side(struct capture *c);

/*
 * Records the files that doctor looks at for this drive. *left_out: there are ZFS pools, whose file is not redactable. Returns
 * 0, or -1 with *err set (output).
 */
int capture_machine(const char *dir, const struct ssd_drive *drive, bool redact, bool *left_out, struct ssd_err *err);

/*
 * Replaces what tells whose drive it is by as many other bytes, wherever it occurs; the n-th drive gets the n-th
 * replacement, so that two controllers of one drive still are.
 */
void capture_redact(struct capture *c, unsigned n);

#endif
