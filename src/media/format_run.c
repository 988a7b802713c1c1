/* SPDX-License-Identifier: MIT */
/* The execution of a format. Each command is sent once; what became of it the drive's Identify Namespace says. */
#include "media/media.h"

#include <ssdct/signals.h>
#include <ssdct/status.h>

/* A drive that does not answer any more is given so long to come back: it may be resetting. */
#define READY_MS 60000u
#define FIRST_STEP_MS 20u
#define LAST_STEP_MS 1000u

struct exec {
	const struct media_job *job;
	const struct format_plan *plan;
	struct media_outcome *out;
	struct media_wait wait;
	size_t accepted; /* commands that the drive has taken */
	bool lost;       /* the answer to the last one */
};

static const char *device(const struct exec *e)
{
	return e->job->dev->drive->device;
}

/* Whether command k formats namespace i of the scope. */
static bool reaches(const struct format_plan *plan, size_t k, size_t i)
{
	const struct media_scope *s = &plan->scope;

	return s->formatted[i] && (s->together || s->n_commands == 1 || s->commands[k] == s->nsids[i]);
}

/* The same for what it erases besides, as far as the drive can be asked for it. */
static bool affects(const struct exec *e, size_t k, size_t i)
{
	const struct media_scope *s = &e->plan->scope;

	return reaches(e->plan, k, i) ||
	       (!k && (s->erased_once || !s->formatted[i]) && media_find(e->job->before, s->nsids[i])->known);
}

/* Statuses that a format gets, with what they mean for it: NVM Express Base Specification 2.0c, status code tables. */
static const struct media_refusal refusals[] = {
	{0x10a, "the drive does not do this combination of format, erase and protection",
	 "see: ssdct show, and try another --lba-format, --erase or --protection"},
	{0x084, "a format is in progress already", "wait until it has ended"},
	{0x01d, "a sanitize operation is in progress", "see: ssdct sanitize status"},
	{0x01c, "the last sanitize operation failed, until it is done over the drive does nothing else",
	 "see: ssdct sanitize status"},
	{0x020, "the namespace is write protected", ""},
	{0x007, "the drive aborted the command: it may be in use, or locked",
	 "unlock it first, where it has a password"},
	{0x00b, "the drive does not accept this namespace", "see: ssdct identify"},
};

static int refused(struct exec *e, const struct ssd_cmd *cmd, const struct ssd_cpl *cpl, struct ssd_err *err)
{
	unsigned status = cpl->status & SSD_STATUS_MASK;

	media_refused(e->job, cmd, cpl, "format", refusals, ARRAY_SIZE(refusals), err);
	if (media_not_begun(status))
		return -1;
	ssd_err_prefix(err, "the format failed, and the contents may be damaged");
	/* Where others were formatted before it, that much is known. */
	if (!e->accepted)
		e->out->result = MEDIA_UNKNOWN;
	return -1;
}

/*
 * How far the format of a namespace is, while its command has not ended. A drive may answer that only when it is done: the
 * question gets the format's timeout, as with a shorter one the kernel would reset the drive in the midst of it.
 */
static int remaining(const struct exec *e, uint32_t nsid)
{
	AUTO_FREE uint8_t *buf = ssd_page_alloc(4096);
	struct media_ns ns = {.remaining_percent = -1};
	struct ssd_cmd cmd = {.opcode = SSD_ADMIN_IDENTIFY,
			      .nsid = nsid,
			      .data = buf,
			      .data_len = 4096,
			      .direction = SSD_DATA_FROM_DRIVE,
			      .timeout_ms = e->plan->timeout_ms};
	struct ssd_cpl cpl;
	size_t got;

	if (!ssd_submit_read(e->job->dev, &cmd, &cpl, &got) && !cpl.status && got == 4096)
		media_ns_decode(buf, got, &ns);
	return ns.remaining_percent;
}

static void tick(void *ctx)
{
	const struct exec *e = ctx;

	for (size_t i = 0; i < e->plan->scope.n; i++) {
		const struct media_ns *before = media_find(e->job->before, e->plan->scope.nsids[i]);
		int percent;

		if (!e->plan->scope.formatted[i] || !before->attached || before->remaining_percent < 0)
			continue;
		percent = remaining(e, before->nsid);
		if (percent > 0)
			e->job->progress(e->job->ctx, 100u - (unsigned)percent, 100);
		return;
	}
}

static int send_one(struct exec *e, size_t k, struct ssd_err *err)
{
	struct ssd_cmd cmd;
	struct ssd_cpl cpl = {0};
	int rc;

	if (ssd_signal_wait(0))
		return ssd_fail(err, SSD_ERR_INTERRUPTED, "%s: interrupted; %zu of %zu formats were sent", device(e), k,
				e->plan->scope.n_commands);
	format_plan_cmd(e->plan, k, &cmd);
	e->out->commands++;
	e->out->sent = true;
	if (media_wait_send(&e->wait, &cmd, tick, e, &rc, &cpl, err)) {
		e->out->result = MEDIA_UNKNOWN;
		return -1;
	}
	if (!rc && !cpl.status) {
		e->accepted++;
		return 0;
	}
	if (!rc && !ssd_is_lost(rc, &cpl))
		return refused(e, &cmd, &cpl, err);
	ssd_check(e->job->dev, &cmd, rc, &cpl, err);
	if (!ssd_is_lost(rc, &cpl)) {
		e->out->sent = k > 0;
		return -1;
	}
	e->lost = true;
	return 0;
}

/* Reads a namespace of the scope; when the drive does not answer it is opened again, for a while. */
static int look(struct exec *e, size_t i, struct ssd_err *err)
{
	uint64_t end = ssd_now_ms() + READY_MS;
	const struct media_ns *before = media_find(e->job->before, e->plan->scope.nsids[i]);
	struct media_ns *ns = &e->out->after[i];

	for (unsigned step = FIRST_STEP_MS;; step = step < LAST_STEP_MS ? step * 2 : step) {
		*ns = (struct media_ns){.nsid = before->nsid,
					.attached = before->attached,
					.elsewhere = before->elsewhere,
					.remaining_percent = -1};
		if (e->job->dev->transport && !media_ns_read(e->job->dev, ns, err))
			return 0;
		if (ssd_now_ms() >= end)
			return -1;
		if (media_wait_step(&e->wait, step, err))
			return -1;
		media_reopen(e->job, err);
	}
}

/* Until no namespace that command k formats or erases is being formatted any more, as far as the drive tells. */
static int wait_formatted(struct exec *e, size_t k, struct ssd_err *err)
{
	unsigned step = FIRST_STEP_MS;

	for (size_t i = 0; i < e->plan->scope.n; i++) {
		if (!affects(e, k, i))
			continue;
		for (;;) {
			struct ssd_err unread = SSD_ERR_INIT;

			if (look(e, i, &unread)) {
				*err = unread;
				e->out->result = MEDIA_UNKNOWN;
				if (err->code != SSD_ERR_INTERRUPTED && err->code != SSD_ERR_TIMEOUT)
					ssd_err_prefix(err,
						       "the format was sent, and what became of it cannot be read");
				return -1;
			}
			if (e->out->after[i].remaining_percent <= 0)
				break;
			e->job->progress(e->job->ctx, 100u - (unsigned)e->out->after[i].remaining_percent, 100);
			if (media_wait_step(&e->wait, step, err)) {
				e->out->result = MEDIA_UNKNOWN;
				return -1;
			}
			step = step < LAST_STEP_MS ? step * 2 : step;
		}
	}
	return 0;
}

static bool same_format(const struct media_format *a, const struct media_format *b, bool metadata)
{
	return a->index == b->index && a->protection == b->protection &&
	       (!a->protection || a->protection_first == b->protection_first) &&
	       (!metadata || a->extended == b->extended);
}

/* Whether the namespace is now as the plan wants it, and whether it was so before. */
static bool is_target(const struct format_plan *plan, size_t i, const struct media_ns *ns)
{
	const struct media_format *t = &plan->targets[i];

	return ns->known && same_format(&ns->format, t, ns->formats[t->index].metadata_bytes);
}

/* The answer was lost: only a format that differs from the one before tells that the command was carried out. */
static int resolve(struct exec *e, size_t k, struct ssd_err *err)
{
	bool done = true, telling = false;

	for (size_t i = 0; i < e->plan->scope.n; i++) {
		if (!reaches(e->plan, k, i))
			continue;
		done &= is_target(e->plan, i, &e->out->after[i]);
		telling |= !is_target(e->plan, i, media_find(e->job->before, e->plan->scope.nsids[i]));
	}
	if (done && telling) {
		snprintf(e->out->note, sizeof(e->out->note),
			 "the answer to the format was lost; Identify Namespace shows that it was carried out");
		*err = (struct ssd_err)SSD_ERR_INIT;
		e->accepted++;
		e->lost = false;
		return 0;
	}
	e->out->result = done ? MEDIA_UNKNOWN : MEDIA_FAILED;
	ssd_err_prefix(
		err,
		done ? "the answer to the format was lost, and as the format is the one from before the drive "
		       "cannot tell whether the data are gone"
		     : "the answer to the format was lost, and Identify Namespace shows that it was not carried out");
	ssd_hint(err, "the contents may be damaged all the same; run the command again when the drive is idle");
	return -1;
}

static int verify(struct exec *e, struct ssd_err *err)
{
	const struct format_plan *plan = e->plan;
	bool telling = true;

	for (size_t i = 0; i < plan->scope.n; i++) {
		const struct media_ns *ns = &e->out->after[i],
				      *before = media_find(e->job->before, plan->scope.nsids[i]);

		if (!plan->scope.formatted[i])
			continue;
		telling &= !is_target(plan, i, before);
		if (is_target(plan, i, ns))
			continue;
		e->out->result = MEDIA_FAILED;
		return ssd_fail(err, is_target(plan, i, before) ? SSD_ERR_UNVERIFIED : SSD_ERR_UNCHANGED,
				"%s: the drive reported success, but namespace %u has format %u and not %u", device(e),
				ns->nsid, ns->format.index, plan->targets[i].index);
	}
	e->out->result = MEDIA_FORMATTED;
	if (!telling)
		snprintf(e->out->note, sizeof(e->out->note),
			 "the drive reported success; as the format is the one from before, the drive cannot show that "
			 "this run did it");
	return 0;
}

static int run_all(struct exec *e, struct ssd_err *err)
{
	for (size_t k = 0; k < e->plan->scope.n_commands; k++)
		if (send_one(e, k, err) || wait_formatted(e, k, err) || (e->lost && resolve(e, k, err)))
			return -1;
	return verify(e, err);
}

int format_run(const struct media_job *job, const struct format_plan *plan, struct media_outcome *outcome,
	       struct ssd_err *err)
{
	struct exec e = {.job = job, .plan = plan, .out = outcome};
	uint64_t start = ssd_now_us();
	int rc;

	*outcome = (struct media_outcome){.result = MEDIA_NOT_STARTED,
					  .after = ssd_calloc(plan->scope.n, sizeof(*outcome->after)),
					  .n_after = plan->scope.n};
	media_wait_begin(&e.wait, job, "format");
	rc = run_all(&e, err);
	if (rc && outcome->result == MEDIA_NOT_STARTED && e.accepted)
		outcome->result = MEDIA_PARTLY;
	outcome->seconds = (double)(ssd_now_us() - start) / 1e6;
	return rc;
}

void media_outcome_free(struct media_outcome *outcome)
{
	free(outcome->after);
	*outcome = (struct media_outcome){0};
}
