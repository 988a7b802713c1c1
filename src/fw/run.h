/* SPDX-License-Identifier: MIT */
/* What the parts of an execution share. */
#ifndef SSDCT_FW_RUN_H
#define SSDCT_FW_RUN_H

#include <ssdct/fw.h>
#include <ssdct/signals.h>

struct fw_exec {
	const struct fw_job *job;
	struct fw_outcome *out;
	enum fw_result pending;       /* which reset the drive wants */
	struct fw_facts after_commit; /* read between commit and activation */
	bool strict;                  /* one look: do not wait for a drive that went away */
};

void fw_out_note(struct fw_outcome *out, const char *fmt, ...) PRINTF(2, 3);

/*
 * Waits until the drive answers (opening it again when it does not) and has no update in progress; reads its facts into
 * out->facts. At most the plan's wait_seconds. Returns 0, or -1 with *err set: gone, interrupted, another drive.
 */
int fw_wait_ready(struct fw_exec *e, struct ssd_err *err);

/* Whether the slot log shows that a commit of this plan was carried out. */
enum fw_trace { FW_TRACE_NONE, FW_TRACE_DONE, FW_TRACE_UNDECIDABLE };
enum fw_trace fw_commit_trace(const struct fw_plan *plan, const struct fw_facts *before, const struct fw_facts *after);

/* Result of a stored, of a pending, and of an activated image, from the facts in out->facts. 0, or -1 with *err set. */
int fw_verify_stored(struct fw_exec *e, struct ssd_err *err);
int fw_verify_pending(struct fw_exec *e, struct ssd_err *err);
int fw_verify_active(struct fw_exec *e, struct ssd_err *err);

#endif
