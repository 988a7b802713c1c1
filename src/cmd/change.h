/* SPDX-License-Identifier: MIT */
/*
 * A change of one drive by a few commands: permit, the drive looked at once more, the deed with signals blocked; and what all
 * commands that change something check first.
 */
#ifndef SSDCT_CMD_CHANGE_H
#define SSDCT_CMD_CHANGE_H

#include <ssdct/cli.h>
#include <ssdct/media.h>
#include <ssdct/safety.h>

struct change {
	struct ssd_run *run;
	struct ssd_row *row;
	struct ssd_device *dev;
	const char *what; /* for question and journal */
	enum ssd_impact impact;
	uint8_t opcode;       /* the one that it needs */
	bool io;              /* an I/O opcode */
	bool yes;             /* an option has asked for just this: as --yes */
	const uint32_t *nsid; /* the namespace whose use matters; NULL: all of the drive */
	int (*act)(struct change *c, struct ssd_err *err);
	void *ctx; /* of act */
	bool done; /* act was called and succeeded: not so in a dry run */
};

/* Returns 0 (done, or with --dry-run it could be), or -1 with row->err set. `done` tells the two apart. */
int change_run(struct change *c);
/* A recorded host changes nothing. 0, or -1 with *err set. */
int change_check_backend(const struct ssd_run *run, const struct ssd_device *dev, struct ssd_err *err);
/* The namespace that --nsid (0: not given) and the target name: both may, if it is the same one. 0: none. -1: usage. */
int change_nsid(const struct ssd_target *target, uint64_t option, uint32_t *nsid, struct ssd_err *err);
/* Whether other hosts have a namespace or, where the drive does not say, could have it: then *use says so. */
bool change_use_elsewhere(const struct media_ns *ns, struct ssd_use *use);
/* Makes the error of a lost answer one that promises nothing. Returns -1. */
int change_fail_lost(const struct ssd_device *dev, struct ssd_err *err);

/*
 * Opens a namespace's own node: the kernel takes I/O commands at that of a controller only while it has a single one. *at is
 * the drive as the device knows it, and must outlive it; close with ssd_device_close() in both cases. 0, or -1 with *err.
 */
int change_open_namespace(const struct ssd_run *run, const struct ssd_drive *drive, uint32_t nsid, struct ssd_drive *at,
			  struct ssd_device *dev, struct ssd_err *err);

#endif
