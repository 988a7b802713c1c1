/* SPDX-License-Identifier: MIT */
/* The execution of a sanitize command: sent once; what came of it log page 81h says, not the completion. */
#include "media/media.h"

#include <ssdct/signals.h>
#include <ssdct/status.h>

#define READY_MS 60000u
#define FIRST_STEP_MS 20u
#define LAST_STEP_MS 1000u
#define SPROG_WHOLE 65536
/* How long a drive may take to say in its log that an operation has begun. */
#define SETTLE_LOOKS 20
#define SETTLE_MS 100u

struct exec {
	const struct media_job *job;
	const struct sanitize_plan *plan;
	struct media_outcome *out;
	struct media_wait wait;
	bool lost;   /* the answer to the command */
	bool failed; /* it was a status that does not say that the drive has not begun */
	bool ran;    /* the log has shown it in progress */
};

static const char *device(const struct exec *e)
{
	return e->job->dev->drive->device;
}

const char *media_result_word(enum media_result result)
{
	static const char *const words[] = {
		[MEDIA_NOT_STARTED] = "not_started",
		[MEDIA_DRY_RUN] = "dry_run",
		[MEDIA_FORMATTED] = "formatted",
		[MEDIA_PARTLY] = "partly",
		[MEDIA_STARTED] = "started",
		[MEDIA_COMPLETED] = "completed",
		[MEDIA_FAILED] = "failed",
		[MEDIA_LEFT] = "failure_mode_left",
		[MEDIA_UNKNOWN] = NULL,
	};

	return words[result];
}

static const struct media_refusal refusals[] = {
	{0x084, "a format is in progress", "wait until it has ended"},
	{0x01d, "a sanitize operation is in progress already", "see: ssdct sanitize status"},
	{0x01c, "the last operation failed, and this is not the way out", "see: ssdct sanitize status"},
	{0x10b, "firmware waits for a reset", "see: ssdct fw status"},
	{0x110, "firmware waits for a reset", "see: ssdct fw status"},
	{0x111, "firmware waits for a reset", "see: ssdct fw status"},
	{0x123, "the persistent memory region is enabled", ""},
};

/* -1: the drive has not begun; 0: the log must tell. *err is set in both cases. */
static int refused(struct exec *e, const struct ssd_cmd *cmd, const struct ssd_cpl *cpl, struct ssd_err *err)
{
	unsigned status = cpl->status & SSD_STATUS_MASK;

	media_refused(e->job, cmd, cpl, "sanitize command", refusals, ARRAY_SIZE(refusals), err);
	e->failed = !media_not_begun(status);
	return e->failed ? 0 : -1;
}

static int send_it(struct exec *e, struct ssd_err *err)
{
	struct ssd_cmd cmd;
	struct ssd_cpl cpl = {0};
	int rc;

	if (ssd_signal_wait(0))
		return ssd_fail(err, SSD_ERR_INTERRUPTED, "%s: interrupted; nothing was sent", device(e));
	sanitize_plan_cmd(e->plan, &cmd);
	e->out->commands++;
	e->out->sent = true;
	if (media_wait_send(&e->wait, &cmd, NULL, NULL, &rc, &cpl, err)) {
		e->out->result = MEDIA_UNKNOWN;
		return -1;
	}
	if (!rc && !cpl.status)
		return 0;
	if (!rc && !ssd_is_lost(rc, &cpl))
		return refused(e, &cmd, &cpl, err);
	ssd_check(e->job->dev, &cmd, rc, &cpl, err);
	if (!ssd_is_lost(rc, &cpl)) {
		e->out->sent = false;
		return -1;
	}
	e->lost = true;
	return 0;
}

/* Reads the log; when the drive does not answer it is opened again, for a while. */
static int look(struct exec *e, struct ssd_err *err)
{
	uint64_t end = ssd_now_ms() + READY_MS;
	struct ssd_err unread = SSD_ERR_INIT;

	e->out->result = MEDIA_UNKNOWN;
	for (unsigned step = FIRST_STEP_MS;; step = step < LAST_STEP_MS ? step * 2 : step) {
		if (e->job->dev->transport && !media_log_read(e->job->dev, &e->out->log, &unread)) {
			e->out->log_known = true;
			return 0;
		}
		if (ssd_now_ms() >= end)
			break;
		if (media_wait_step(&e->wait, step, err))
			return -1;
		media_reopen(e->job, &unread);
	}
	*err = unread;
	ssd_err_prefix(err, "the sanitize command was sent, and its log cannot be read");
	return -1;
}

/* Whether the log could be the one from before: then it tells nothing of this command, whatever its answer was. */
static bool is_old(const struct exec *e)
{
	const struct ssd_sanitize_log *old = &e->job->before->log, *now = &e->out->log;

	return !e->ran && old->state == now->state && old->cdw10 == now->cdw10 && old->passes == now->passes &&
	       old->erased == now->erased;
}

/* Of an accepted command the log may be late. */
static int wait_begun(struct exec *e, struct ssd_err *err)
{
	for (int i = 0; i < SETTLE_LOOKS && !e->lost && !e->failed && is_old(e); i++)
		if (media_wait_step(&e->wait, SETTLE_MS, err) || look(e, err))
			return -1;
	return 0;
}

static int wait_ended(struct exec *e, struct ssd_err *err)
{
	unsigned step = FIRST_STEP_MS;

	while (e->out->log.state == SSD_SANITIZE_IN_PROGRESS) {
		e->out->result = MEDIA_STARTED;
		e->ran = true;
		e->job->progress(e->job->ctx, e->out->log.sprog, SPROG_WHOLE);
		if (media_wait_step(&e->wait, step, err) || look(e, err))
			return -1;
		step = step < LAST_STEP_MS ? step * 2 : step;
	}
	return 0;
}

static int judge(struct exec *e, struct ssd_err *err)
{
	const struct ssd_sanitize_log *log = &e->out->log;
	bool same = log->cdw10 == e->plan->cdw10, accepted = !e->lost && !e->failed;
	/* The log from before will do if the command was accepted, and if by it nothing was written since such an operation. */
	bool repeated = same && accepted && is_old(e) && log->erased, ours = (same && !is_old(e)) || repeated;

	e->out->result = MEDIA_UNKNOWN;
	/* That of another host, where this one was not accepted. */
	if (log->state == SSD_SANITIZE_IN_PROGRESS && (accepted || same)) {
		e->out->result = MEDIA_STARTED;
	} else if (log->state == SSD_SANITIZE_FAILED && (ours || (same && accepted))) {
		e->out->result = MEDIA_FAILED;
		ssd_fail(err, SSD_ERR_UNVERIFIED, "%s: the sanitize operation failed, says log page 81h", device(e));
		ssd_hint(err, "start one again; the drive does nothing else until one succeeds%s",
			 e->plan->cdw10 & 8 ? ", or: ssdct sanitize exit-failure" : "");
		return -1;
	} else if ((log->state == SSD_SANITIZE_COMPLETED || log->state == SSD_SANITIZE_DEALLOCATED) && ours) {
		e->out->result = MEDIA_COMPLETED;
		if (log->state == SSD_SANITIZE_DEALLOCATED)
			snprintf(e->out->note, sizeof(e->out->note), "the drive deallocated the media all the same");
		else if (repeated)
			snprintf(e->out->note, sizeof(e->out->note),
				 "the log is the one from before; it says that nothing was written since (global data "
				 "erased)");
	}
	if (e->out->result != MEDIA_UNKNOWN) {
		if (e->failed && !*e->out->note)
			snprintf(e->out->note, sizeof(e->out->note),
				 "the drive answered with an error, but its log shows the operation");
		*err = (struct ssd_err)SSD_ERR_INIT;
		return 0;
	}
	if (accepted && same)
		ssd_fail(
			err, SSD_ERR_UNVERIFIED,
			"%s: the drive accepted the command, but its log is the one from before: the drive cannot show "
			"that this run did it",
			device(e));
	else if (accepted)
		ssd_fail(err, SSD_ERR_UNVERIFIED,
			 "%s: the drive accepted the command, but its log (state %u, last command 0x%x) does not show "
			 "the operation",
			 device(e), log->state, log->cdw10);
	else if (e->failed)
		ssd_err_prefix(err,
			       "the sanitize command failed, its log does not show the operation, and the contents "
			       "may be damaged");
	else
		ssd_err_prefix(err,
			       "the answer to the sanitize command was lost, and its log does not show the operation");
	ssd_hint(err, "see: ssdct sanitize status");
	return -1;
}

static int judge_exit(struct exec *e, struct ssd_err *err)
{
	struct ssd_err why = SSD_ERR_INIT;
	int mode = media_failure_mode(e->job->dev, &e->out->log, &why);

	if (!mode) {
		e->out->result = MEDIA_LEFT;
		*err = (struct ssd_err)SSD_ERR_INIT;
		return 0;
	}
	if (mode < 0) {
		e->out->result = MEDIA_UNKNOWN;
		return ssd_fail(err, SSD_ERR_UNVERIFIED,
				"%s: whether the drive has left the failure mode is not known: %s", device(e),
				why.message);
	}
	e->out->result = MEDIA_FAILED;
	return e->lost || e->failed
		       ? -1
		       : ssd_fail(err, SSD_ERR_UNCHANGED,
				  "%s: the drive accepted the command, but is still in the failure mode", device(e));
}

static int run_all(struct exec *e, bool wait, struct ssd_err *err)
{
	if (send_it(e, err) || look(e, err))
		return -1;
	if (e->plan->cdw10 == SSD_SANACT_EXIT_FAILURE)
		return judge_exit(e, err);
	if (wait_begun(e, err) || (wait && wait_ended(e, err)))
		return -1;
	return judge(e, err);
}

int sanitize_run(const struct media_job *job, const struct sanitize_plan *plan, bool wait,
		 struct media_outcome *outcome, struct ssd_err *err)
{
	struct exec e = {.job = job, .plan = plan, .out = outcome};
	uint64_t start = ssd_now_us();
	int rc;

	*outcome = (struct media_outcome){.result = MEDIA_NOT_STARTED};
	media_wait_begin(&e.wait, job, "sanitize operation");
	rc = run_all(&e, wait, err);
	outcome->seconds = (double)(ssd_now_us() - start) / 1e6;
	return rc;
}
