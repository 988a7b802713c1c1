/* SPDX-License-Identifier: MIT */
/* Waiting: for signals, and for a drive that resets, pauses, or comes back under another name. */
#include "fw/run.h"

/* Looks at a drive that is away come at growing distances. */
#define FIRST_STEP_MS 20u
#define LAST_STEP_MS 500u
/* "Update in progress" is waited for this long, then ignored: the bit is no part of the specification. */
#define BUSY_MS 10000u

void fw_out_note(struct fw_outcome *out, const char *fmt, ...)
{
	va_list ap;

	if (out->n_notes == ARRAY_SIZE(out->notes))
		return;
	va_start(ap, fmt);
	vsnprintf(out->notes[out->n_notes++], sizeof(out->notes[0]), fmt, ap);
	va_end(ap);
}

/* A slot log that the drive refuses is not waited for; one that it could not be asked for is. */
static int look_at_some(struct ssd_device *dev, struct fw_facts *facts, struct ssd_err *err)
{
	struct ssd_err slots = SSD_ERR_INIT;

	if (fw_facts_read_some(dev, facts, &slots) || slots.sys_errno) {
		if (err)
			*err = slots;
		return -1;
	}
	return 0;
}

/* One look at the drive as it is open now. */
static int look(struct fw_exec *e, struct fw_facts *facts, struct ssd_err *err)
{
	struct ssd_device *dev = e->job->dev;

	if (!dev->transport)
		return ssd_fail(err, SSD_ERR_GONE, "%s: the drive went away", dev->drive->device);
	if (e->some ? look_at_some(dev, facts, err) : fw_facts_read(dev, facts, err))
		return -1;
	if (e->job->before->identified && strcmp(facts->serial, e->job->before->serial))
		return ssd_fail(err, SSD_ERR_GONE, "%s: another drive answers (serial number %s)", dev->drive->device,
				fw_shown(facts->serial).s);
	return 0;
}

static int look_again(struct fw_exec *e, struct fw_facts *facts, struct ssd_err *err)
{
	const struct fw_job *job = e->job;
	const struct ssd_grant *grant = job->dev->grant;

	if (!job->reopen || job->reopen(job->ctx, job->dev, err)) {
		job->dev->grant = grant;
		return -1;
	}
	job->dev->grant = grant;
	return look(e, facts, err);
}

static int fail_waiting(struct ssd_err *err)
{
	if (err && err->code == SSD_ERR_NOT_FOUND)
		err->code = SSD_ERR_GONE;
	return -1;
}

static int wait_until(struct fw_exec *e, uint64_t end, struct ssd_err *err)
{
	uint64_t start = ssd_now_ms();
	struct fw_facts facts = {0};
	unsigned step = FIRST_STEP_MS;
	int rc = look(e, &facts, err);

	for (;;) {
		uint64_t now = ssd_now_ms();
		bool busy = !rc && facts.busy && now - start < BUSY_MS && now < end;

		if (!rc && !busy)
			break;
		if (!busy && (e->strict || now >= end))
			return fail_waiting(err);
		if (ssd_signal_wait(step))
			return ssd_fail(err, SSD_ERR_INTERRUPTED, "%s: interrupted while waiting for the drive",
					e->job->dev->drive->device);
		step = step * 2 < LAST_STEP_MS ? step * 2 : LAST_STEP_MS;
		rc = busy ? look(e, &facts, err) : look_again(e, &facts, err);
	}
	if (err)
		*err = (struct ssd_err)SSD_ERR_INIT;
	e->out->facts = facts;
	e->out->stale = false;
	ssd_strcpy(e->out->after, sizeof(e->out->after), facts.running_revision);
	return 0;
}

static uint64_t end_of_waiting(const struct fw_exec *e)
{
	return ssd_now_ms() + e->job->plan->wait_seconds * 1000ull;
}

int fw_wait_ready(struct fw_exec *e, struct ssd_err *err)
{
	return wait_until(e, end_of_waiting(e), err);
}

int fw_wait_activation(struct fw_exec *e, struct ssd_err *err)
{
	uint64_t end = end_of_waiting(e);

	for (unsigned step = FIRST_STEP_MS; !fw_settled(e) && ssd_now_ms() < end;
	     step = step * 2 < LAST_STEP_MS ? step * 2 : LAST_STEP_MS) {
		if (ssd_signal_wait(step))
			return ssd_fail(err, SSD_ERR_INTERRUPTED, "%s: interrupted while waiting for the activation",
					e->job->dev->drive->device);
		if (wait_until(e, end, err))
			return -1;
	}
	return 0;
}
