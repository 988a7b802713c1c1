/* SPDX-License-Identifier: MIT */
/* The execution: download, commit, activation. After each step it is known and kept what was done. */
#include "fw/run.h"

#include <errno.h>
#include <ssdct/status.h>

#define CHUNK_TRIES 3
#define RETRY_MS 100u

/* Statuses of firmware commands: NVM Express Base Specification 2.0c, figures 94 and 95. */
enum {
	SEQUENCE_ERROR = 0x00c,
	INVALID_SLOT = 0x106,
	INVALID_IMAGE = 0x107,
	NEEDS_CONVENTIONAL_RESET = 0x10b,
	NEEDS_SUBSYSTEM_RESET = 0x110,
	NEEDS_CONTROLLER_RESET = 0x111,
	MAXIMUM_TIME_VIOLATION = 0x112,
	ACTIVATION_PROHIBITED = 0x113,
	OVERLAPPING_RANGE = 0x114,
};

struct download {
	struct fw_exec *e;
	uint8_t *buf;   /* page-aligned, of one piece */
	uint8_t *tries; /* by piece, over all restarts */
	bool restarted;
};

enum piece { PIECE_SENT, PIECE_FAILED, PIECE_RESTART };

static const char *device(const struct fw_exec *e)
{
	return e->job->dev->drive->device;
}

/* The bytes of a piece; behind the image's end FFh, where the plan pads. */
static void fill(const struct fw_image *image, size_t offset, uint8_t *buf, size_t len)
{
	size_t have = offset < image->size ? image->size - offset : 0;

	memset(buf, 0xff, len);
	memcpy(buf, image->data + offset, have < len ? have : len);
}

static int fail_piece(const struct fw_exec *e, size_t offset, struct ssd_err *err)
{
	char rest[sizeof(err->message)];

	ssd_strcpy(rest, sizeof(rest), err->message);
	snprintf(err->message, sizeof(err->message),
		 "%s: download failed at byte offset %zu; nothing was committed: %.200s", device(e), offset, rest);
	return PIECE_FAILED;
}

static enum piece send_piece(struct download *d, size_t k, struct ssd_err *err)
{
	const struct fw_job *job = d->e->job;
	size_t offset = k * job->plan->chunk_bytes;
	struct ssd_cmd cmd;
	struct ssd_cpl cpl;
	unsigned status;
	int rc;

	fw_plan_download_cmd(job->plan, k, &cmd);
	fill(job->image, offset, d->buf, cmd.data_len);
	cmd.data = d->buf;
	for (;;) {
		if (d->tries[k] == CHUNK_TRIES)
			return fail_piece(d->e, offset, err);
		d->tries[k]++;
		d->e->out->commands++;
		rc = ssd_submit(job->dev, &cmd, &cpl);
		status = cpl.status & SSD_STATUS_MASK;
		if (!rc && !status)
			return PIECE_SENT;
		ssd_check(job->dev, &cmd, rc, &cpl, err);
		if (rc ? !ssd_never_sent(-rc) : status == OVERLAPPING_RANGE || ssd_host_gave_up(cpl.status))
			return PIECE_RESTART;
		if (rc || cpl.status & SSD_STATUS_DNR)
			return fail_piece(d->e, offset, err);
		if (d->tries[k] < CHUNK_TRIES)
			usleep(RETRY_MS * 1000 * d->tries[k]);
	}
}

/*
 * A completion was lost, or the drive says that pieces overlap: what it holds is not known. Once, everything is sent
 * again from the start, when the drive answers.
 */
static int restart(struct download *d, size_t k, struct ssd_err *err)
{
	size_t offset = k * d->e->job->plan->chunk_bytes;
	struct ssd_err waiting = SSD_ERR_INIT;

	if (d->restarted || (err->nvme_status < 0 && fw_wait_ready(d->e, &waiting))) {
		if (waiting.code == SSD_ERR_INTERRUPTED || waiting.code == SSD_ERR_GONE)
			*err = waiting;
		fail_piece(d->e, offset, err);
		if (err->nvme_status >= 0)
			ssd_hint(err,
				 "a reset of the controller makes the drive forget a partial download (ssdct reset)");
		return -1;
	}
	d->restarted = true;
	d->e->out->bytes_sent = 0;
	fw_out_note(d->e->out, "the download was started again after byte offset %zu: %.80s", offset, err->message);
	return 0;
}

static int stop_download(struct fw_exec *e, struct ssd_err *err)
{
	e->out->result = FW_NOT_APPLIED;
	return ssd_fail(err, SSD_ERR_INTERRUPTED,
			"%s: interrupted after %zu of %zu bytes; nothing was committed, the drive runs %s as before",
			device(e), e->out->bytes_sent, e->job->plan->padded_size, fw_shown(e->out->before).s);
}

static int send_all(struct download *d, struct ssd_err *err)
{
	const struct fw_job *job = d->e->job;
	struct fw_outcome *out = d->e->out;

	for (size_t k = 0; k < job->plan->chunks;) {
		enum piece piece;

		if (ssd_signal_wait(0))
			return stop_download(d->e, err);
		piece = send_piece(d, k, err);
		if (piece == PIECE_FAILED || (piece == PIECE_RESTART && restart(d, k, err)))
			return -1;
		k = piece == PIECE_RESTART ? 0 : k + 1;
		out->bytes_sent = k * job->plan->chunk_bytes;
		if (out->bytes_sent > job->plan->padded_size)
			out->bytes_sent = job->plan->padded_size;
		if (job->progress)
			job->progress(job->ctx, out->bytes_sent, job->plan->padded_size);
	}
	return 0;
}

static int download(struct fw_exec *e, struct ssd_err *err)
{
	const struct fw_plan *plan = e->job->plan;
	AUTO_FREE uint8_t *buf = ssd_page_alloc(plan->chunk_bytes), *tries = ssd_calloc(plan->chunks, 1);
	struct download d = {.e = e, .buf = buf, .tries = tries};

	return send_all(&d, err);
}

/* Something was sent that may have changed the drive: what was read before is no longer what is. */
static void forget(struct fw_outcome *out)
{
	out->stale = true;
	*out->after = '\0';
}

/* --- commit --- */

#define ANY_STEP true

/* The first row that fits; without a download in the same run the user may have forgotten it. */
static const struct {
	unsigned status;
	bool any_step; /* false: only where an image was to be there already */
	enum ssd_err_code code;
	const char *what, *hint;
} refusals[] = {
	{SEQUENCE_ERROR, ANY_STEP, SSD_ERR_NVME,
	 "the drive does not accept a commit now: the download is missing, stale or incomplete",
	 "power-cycle the drive before another attempt; on locked drives unlock it first"},
	{INVALID_SLOT, ANY_STEP, SSD_ERR_NVME, "the drive does not accept this slot: it does not exist or is read-only",
	 "choose another one with --slot; see ssdct fw status"},
	{INVALID_IMAGE, !ANY_STEP, SSD_ERR_BAD_INPUT,
	 "the drive has no valid image to commit: nothing was downloaded since its last reset, or it is damaged or "
	 "incomplete",
	 "ssdct fw update downloads and commits in one go"},
	{INVALID_IMAGE, ANY_STEP, SSD_ERR_BAD_INPUT,
	 "the drive rejected the image: made for another drive, damaged, unsigned or incomplete",
	 "get the firmware from the vendor of this very model (OEM drives: from the OEM)"},
	{MAXIMUM_TIME_VIOLATION, ANY_STEP, SSD_ERR_NVME,
	 "activating the image now would take longer than the drive promises",
	 "use --activate later, then reset the drive when it suits"},
	{ACTIVATION_PROHIBITED, ANY_STEP, SSD_ERR_NVME,
	 "the drive's policy prohibits this image, as for a downgrade or another key", ""},
	{OVERLAPPING_RANGE, ANY_STEP, SSD_ERR_NVME,
	 "the drive saw pieces that overlap: somebody else downloads, or a completion was lost",
	 "make sure that nobody else updates this drive, then start again"},
};

/*
 * What the slot log makes of a commit that was answered with an error: of one that was carried out all the same, whether it
 * waits. Returns it in words.
 */
static const char *judge_refusal(struct fw_exec *e)
{
	struct fw_outcome *out = e->out;

	out->result = FW_UNKNOWN;
	if (fw_wait_ready(e, NULL))
		return "it could not be asked afterwards: see ssdct fw status";
	out->committed = fw_commit_trace(e->job->plan, e->job->before, &out->facts) == FW_TRACE_DONE;
	if (!out->committed) {
		out->result = FW_NOT_APPLIED;
		return "nothing was changed";
	}
	if (e->job->plan->action && fw_waits(e))
		out->result = e->pending;
	return "its slot log has changed all the same: see ssdct fw status";
}

static int refused(struct fw_exec *e, const struct ssd_cmd *cmd, const struct ssd_cpl *cpl, struct ssd_err *err)
{
	unsigned status = cpl->status & SSD_STATUS_MASK;
	bool downloaded = e->job->image || e->job->plan->action == 2;
	const char *state = judge_refusal(e);

	ssd_check(e->job->dev, cmd, 0, cpl, err);
	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++) {
		if (refusals[i].status != status || (downloaded && !refusals[i].any_step))
			continue;
		ssd_fail(err, refusals[i].code, "%s: %s (status 0x%04x, %s); %s", device(e), refusals[i].what,
			 cpl->status, ssd_status_info(status)->name, state);
		err->nvme_status = cpl->status;
		ssd_hint(err, "%s", refusals[i].hint);
		return -1;
	}
	ssd_strcpy(err->message + strlen(err->message), sizeof(err->message) - strlen(err->message), "; ");
	ssd_strcpy(err->message + strlen(err->message), sizeof(err->message) - strlen(err->message), state);
	return -1;
}

/* What the slot log tells about a commit without an answer, when it does not tell that it was carried out. */
static const struct {
	enum fw_result result;
	const char *text;
} untold[] = {
	[FW_TRACE_NONE] = {FW_UNKNOWN, "the answer to the commit was lost, and the slot log shows no change; as some "
				       "drives list a revision only when it runs, it is not known whether it was "
				       "carried out"},
	[FW_TRACE_REFUTED] = {FW_NOT_APPLIED,
			      "the answer to the commit was lost, and by the slot log another slot is next: nothing "
			      "was applied"},
	[FW_TRACE_UNDECIDABLE] = {FW_UNKNOWN,
				  "the answer to the commit was lost, and the slot log cannot tell whether it was "
				  "carried out, as the slot was in use before"},
};

/* No completion: the slot log decides. A commit is never sent twice. */
static int resolve(struct fw_exec *e, struct ssd_err *err)
{
	struct ssd_err waiting = SSD_ERR_INIT;
	enum fw_trace trace;

	e->out->result = FW_UNKNOWN;
	if (fw_wait_ready(e, &waiting)) {
		*err = waiting;
		ssd_err_prefix(err, "the commit was sent, its outcome is not known");
		ssd_hint(err, "when the drive is back, see ssdct fw status");
		return -1;
	}
	trace = fw_commit_trace(e->job->plan, e->job->before, &e->out->facts);
	if (trace == FW_TRACE_DONE) {
		fw_out_note(e->out, "the answer to the commit was lost; the slot log shows that it was carried out");
		e->out->committed = e->lost = true;
		return 0;
	}
	e->out->result = untold[trace].result;
	ssd_err_prefix(err, "%s", untold[trace].text);
	ssd_hint(err, "see ssdct fw status, now and after the next reset; the commit is not sent again");
	return -1;
}

static enum fw_result pending_of(const struct fw_plan *plan, unsigned status)
{
	if (status == NEEDS_CONVENTIONAL_RESET)
		return FW_PENDING_CONVENTIONAL_RESET;
	if (status == NEEDS_SUBSYSTEM_RESET)
		return FW_PENDING_SUBSYSTEM_RESET;
	return plan->quirks & FW_QUIRK_POWER_CYCLE && plan->action != 3 ? FW_PENDING_POWER_CYCLE
									: FW_PENDING_CONTROLLER_RESET;
}

static bool accepted(unsigned status)
{
	return !status || status == NEEDS_CONVENTIONAL_RESET || status == NEEDS_SUBSYSTEM_RESET ||
	       status == NEEDS_CONTROLLER_RESET;
}

/* Returns 0 when the drive has taken the image; *live: it runs it already, or is about to. */
static int commit(struct fw_exec *e, bool *live, struct ssd_err *err)
{
	const struct fw_job *job = e->job;
	struct ssd_cmd cmd;
	struct ssd_cpl cpl;
	unsigned status;
	bool gave_up;
	int rc;

	fw_plan_commit_cmd(job->plan, &cmd);
	e->out->commands++;
	rc = ssd_submit(job->dev, &cmd, &cpl);
	status = rc ? 0 : cpl.status & SSD_STATUS_MASK;
	gave_up = !rc && ssd_host_gave_up(cpl.status);
	e->out->commit_sent = !rc || !ssd_never_sent(-rc);
	if (e->out->commit_sent)
		forget(e->out);
	e->pending = pending_of(job->plan, status);
	*live = job->plan->action == 3 && !status;
	if (!rc && accepted(status)) {
		e->out->committed = true;
		return 0;
	}
	if (!rc && !gave_up)
		return refused(e, &cmd, &cpl, err);
	ssd_check(job->dev, &cmd, rc, &cpl, err);
	return e->out->commit_sent ? resolve(e, err) : -1;
}

/* The drive must be the same, at rest, and never gone since the download: a reset forgets what was downloaded. */
static int before_commit(struct fw_exec *e, struct ssd_err *err)
{
	int rc;

	if (ssd_signal_wait(0))
		return stop_download(e, err);
	e->strict = true;
	rc = fw_wait_ready(e, err);
	e->strict = false;
	if (rc)
		ssd_err_prefix(err, "nothing was committed");
	return rc;
}

/* --- activation --- */

/* What is known when the drive does not come back: truthfully, as nothing more can be asked. */
static int fail_away(struct fw_exec *e, const char *what, struct ssd_err *err)
{
	e->out->result = FW_UNKNOWN;
	ssd_err_prefix(err, "the image was committed%s", what);
	if (err->code != SSD_ERR_INTERRUPTED)
		ssd_hint(err, "not back after %u s: see the kernel log; when it is back, see ssdct fw status",
			 e->job->plan->wait_seconds);
	return -1;
}

static int reset_and_wait(struct fw_exec *e, enum ssd_control op, struct ssd_err *control, struct ssd_err *err)
{
	e->out->reset_sent = true;
	ssd_control(e->job->dev, op, control);
	if (ssd_never_sent(control->sys_errno)) {
		e->out->reset_sent = false;
		*err = *control;
		return -1;
	}
	forget(e->out);
	if (!fw_wait_ready(e, err))
		return 0;
	return fail_away(e, ssd_failed(control) ? ", the reset was reported as failed" : " and the drive was reset",
			 err);
}

static int activate_by_reset(struct fw_exec *e, struct ssd_err *err)
{
	struct ssd_err control = SSD_ERR_INIT;

	if (ssd_signal_wait(0)) {
		e->out->result = e->pending;
		return ssd_fail(err, SSD_ERR_INTERRUPTED,
				"%s: interrupted; the image is committed, the drive was not reset", device(e));
	}
	if (reset_and_wait(e, SSD_RESET_CONTROLLER, &control, err)) {
		if (!e->out->reset_sent) {
			e->out->result = e->pending;
			ssd_err_prefix(err, "the image is committed, but the drive could not be reset");
		}
		return -1;
	}
	/* It may have been done all the same; when that does not show, nothing is concluded from a reset that was none. */
	if (!ssd_failed(&control) || fw_changed(e))
		return fw_verify_active(e, err);
	e->out->result = e->pending;
	*err = control;
	ssd_err_prefix(err, "the image is committed, but the reset failed, and the drive runs %s as before",
		       fw_shown(e->out->after).s);
	return -1;
}

static bool wants_reset(const struct fw_exec *e)
{
	return e->job->activate == FW_RESET && e->job->plan->action && e->pending == FW_PENDING_CONTROLLER_RESET &&
	       !e->lost;
}

static int commit_and_verify(struct fw_exec *e, struct ssd_err *err)
{
	bool live;

	if (before_commit(e, err) || commit(e, &live, err))
		return -1;
	if (fw_wait_ready(e, err))
		return fail_away(e, "", err);
	e->after_commit = e->out->facts;
	e->out->slot = fw_target(e->job->plan, e->job->before, &e->after_commit);
	if (!e->job->plan->slot && e->out->slot)
		fw_out_note(e->out, "the drive chose slot %u", e->out->slot);
	if (live && fw_wait_activation(e, err))
		return fail_away(e, "", err);
	if (!e->job->plan->action)
		return fw_verify_stored(e, err);
	if (wants_reset(e))
		return fw_check_expected(e, err) ? -1 : activate_by_reset(e, err);
	if (e->lost && e->job->activate == FW_RESET && !fw_changed(e))
		fw_out_note(e->out, "which reset the drive wants is not known, as its answer was lost: none was done");
	return live && (!e->lost || fw_changed(e)) ? fw_verify_active(e, err) : fw_verify_pending(e, err);
}

static void begin(struct fw_exec *e, const struct fw_job *job, struct fw_outcome *out)
{
	*e = (struct fw_exec){.job = job, .out = out, .pending = FW_PENDING_CONTROLLER_RESET};
	*out = (struct fw_outcome){.result = FW_NOT_APPLIED, .facts = *job->before};
	ssd_strcpy(out->before, sizeof(out->before), job->before->running_revision);
}

int fw_run(const struct fw_job *job, struct fw_outcome *outcome, struct ssd_err *err)
{
	uint64_t start = ssd_now_us();
	struct fw_exec e;
	int rc = 0;

	begin(&e, job, outcome);
	if (job->image)
		rc = download(&e, err);
	if (!rc && job->download_only)
		outcome->result = FW_UNKNOWN;
	else if (!rc)
		rc = commit_and_verify(&e, err);
	outcome->seconds = (double)(ssd_now_us() - start) / 1e6;
	return rc ? -1 : 0;
}

/* Gone, or there and in no state to say what it is. */
static int fail_to_answer(struct ssd_err *err, bool failed)
{
	bool gone = err->code == SSD_ERR_GONE || err->code == SSD_ERR_NOT_FOUND;

	ssd_err_prefix(err, "%s and %s", failed ? "the reset was reported as failed," : "the drive was reset",
		       err->code == SSD_ERR_INTERRUPTED ? "was waited for"
		       : gone                           ? "did not come back"
							: "cannot be asked what it runs");
	return -1;
}

int fw_reset(const struct fw_job *job, enum ssd_control op, struct fw_outcome *outcome, struct ssd_err *err)
{
	struct ssd_err control = SSD_ERR_INIT;
	uint64_t start = ssd_now_us();
	struct fw_exec e;
	int rc = 0;

	begin(&e, job, outcome);
	e.some = true;
	outcome->result = FW_UNKNOWN;
	outcome->reset_sent = true;
	if (!ssd_control(job->dev, op, &control) || !ssd_never_sent(control.sys_errno)) {
		forget(outcome);
		rc = fw_wait_ready(&e, err);
	}
	outcome->seconds = (double)(ssd_now_us() - start) / 1e6;
	if (rc)
		return fail_to_answer(err, ssd_failed(&control));
	if (!outcome->facts.slots_known)
		fw_out_note(outcome,
			    "the slot log cannot be read: which firmware waits for another reset is not known");
	if (!ssd_failed(&control))
		return 0;
	*err = control;
	if (control.sys_errno == ENOTTY || control.sys_errno == EOPNOTSUPP)
		err->code = SSD_ERR_UNSUPPORTED;
	return -1;
}
