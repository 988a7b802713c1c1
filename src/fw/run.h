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
	bool some;                    /* facts that cannot be read are done without */
	bool lost;                    /* the commit's answer: what the drive wants is not known */
};

void fw_out_note(struct fw_outcome *out, const char *fmt, ...) PRINTF(2, 3);

/*
 * Waits until the drive answers (opening it again when it does not) and has no update in progress; reads its facts into
 * out->facts. At most the plan's wait_seconds. Returns 0, or -1 with *err set: gone, interrupted, another drive.
 */
int fw_wait_ready(struct fw_exec *e, struct ssd_err *err);
/*
 * After an activation without a reset, which may take longer than the commit: until the facts show it, at most the plan's
 * wait_seconds. That they do not is no error.
 */
int fw_wait_activation(struct fw_exec *e, struct ssd_err *err);

/*
 * What the slot log tells about a commit of this plan: nothing, as drives that list a revision only when it runs and do not
 * say what is next; that it was carried out; that it was not; or what it would in either case.
 */
enum fw_trace { FW_TRACE_NONE, FW_TRACE_DONE, FW_TRACE_REFUTED, FW_TRACE_UNDECIDABLE };
enum fw_trace fw_commit_trace(const struct fw_plan *plan, const struct fw_facts *before, const struct fw_facts *after);

/* Result of a stored, of a pending, and of an activated image, from the facts in out->facts. 0, or -1 with *err set. */
int fw_verify_stored(struct fw_exec *e, struct ssd_err *err);
int fw_verify_pending(struct fw_exec *e, struct ssd_err *err);
int fw_verify_active(struct fw_exec *e, struct ssd_err *err);

/* The slot that a commit went to; 0: the drive chose, and its log does not tell. */
unsigned fw_target(const struct fw_plan *plan, const struct fw_facts *before, const struct fw_facts *after);
/* Another revision runs than before, or the same from another slot: the target's. */
bool fw_changed(const struct fw_exec *e);
/* What runs is what was wanted, and nothing is left to come: it changed, or it is the same revision once more. */
bool fw_settled(const struct fw_exec *e);
/* The target is what runs after the next reset, and does not run yet. */
bool fw_waits(const struct fw_exec *e);
/* Before a reset: -1, with result and *err set, when the slot log names another revision than the expected one. */
int fw_check_expected(struct fw_exec *e, struct ssd_err *err);

#endif
