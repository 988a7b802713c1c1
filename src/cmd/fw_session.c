/* SPDX-License-Identifier: MIT */
/* A change of one drive's firmware: permit, lock, facts once more, execution; and finding the drive when it is back. */
#include "fw_common.h"

#include <ssdct/signals.h>

#define BAR_WIDTH 40
#define BAR_EVERY_MS 100u
#define OTHER_EVERY_MS 200u

unsigned fw_timeout(const struct ssd_run *run)
{
	return (unsigned)run->globals.timeout_seconds;
}

void fw_session_begin(struct fw_session *s, struct ssd_run *run, struct ssd_row *row, unsigned wait_seconds)
{
	*s = (struct fw_session){.run = run,
				 .row = row,
				 .wait_seconds = wait_seconds,
				 .bar = !run->globals.quiet && isatty(STDERR_FILENO)};
}

static void clear_bar(struct fw_session *s)
{
	if (s->drawn_ms)
		fprintf(stderr, "\r%*s\r", BAR_WIDTH + 48, "");
	s->drawn_ms = 0;
}

void fw_session_end(struct fw_session *s, struct ssd_device *dev)
{
	clear_bar(s);
	if (!s->host)
		return;
	ssd_transport_close(dev->transport);
	dev->transport = NULL;
	dev->drive = s->row->target.drive;
	ssd_host_free(s->host);
	s->host = NULL;
}

static void progress(void *ctx, size_t done, size_t total)
{
	struct fw_session *s = ctx;
	int filled = (int)(done * BAR_WIDTH / total);

	if (!s->bar || (s->drawn_ms && done < total && ssd_now_ms() - s->drawn_ms < BAR_EVERY_MS))
		return;
	s->drawn_ms = ssd_now_ms();
	fprintf(stderr, "\r%.16s [%.*s%*s] %3zu%%", s->row->target.drive->device, filled,
		"########################################", BAR_WIDTH - filled, "", done * 100 / total);
	fflush(stderr);
}

/* The same controller, perhaps under another name: by serial number and controller identifier. */
static bool is_it(const struct ssd_drive *wanted, const struct ssd_drive *d)
{
	if (!*d->serial) /* a controller that just appeared: its serial number is checked when it answers */
		return !strcmp(d->device, wanted->device);
	return !strcmp(d->serial, wanted->serial) &&
	       (d->cntlid == wanted->cntlid || d->cntlid < 0 || wanted->cntlid < 0);
}

static const struct ssd_drive *find(const struct ssd_host *host, const struct ssd_drive *wanted)
{
	const struct ssd_drive *found = NULL;

	for (size_t i = 0; i < host->n_drives; i++)
		if (is_it(wanted, &host->drives[i]) && (!found || !strcmp(host->drives[i].device, wanted->device)))
			found = &host->drives[i];
	return found;
}

static int reopen(void *ctx, struct ssd_device *dev, struct ssd_err *err)
{
	struct fw_session *s = ctx;
	const struct ssd_drive *wanted = s->row->target.drive, *drive;
	struct ssd_host *host = ssd_host_scan(s->run->host->dir, err);

	if (!host)
		return -1;
	ssd_device_close(dev);
	dev->drive = wanted;
	ssd_host_free(s->host);
	s->host = host;
	drive = find(host, wanted);
	if (!drive)
		return ssd_fail(err, SSD_ERR_GONE, "%s: the drive (serial number %s) is gone", wanted->device,
				wanted->serial);
	if (strcmp(drive->device, wanted->device) != 0)
		ssd_note(s->run, "%s is back as %s", wanted->device, drive->device);
	return ssd_run_open(s->run, drive, dev, err);
}

static const struct ssd_drive *nth_other(const struct ssd_host *host, const struct ssd_drive *drive, size_t n)
{
	for (size_t i = 0; i < host->n_drives; i++)
		if (strcmp(host->drives[i].device, drive->device) != 0 && ssd_same_subsystem(drive, &host->drives[i]) &&
		    !n--)
			return &host->drives[i];
	return NULL;
}

/* A controller of the same drive may pause as well while the firmware changes: it is waited for likewise. */
static int other(void *ctx, size_t n, struct fw_facts *facts, char device[32], struct ssd_err *err)
{
	struct fw_session *s = ctx;
	const struct ssd_drive *drive = nth_other(s->run->host, s->row->target.drive, n);
	uint64_t end = ssd_now_ms() + s->wait_seconds * 1000ull;

	if (!drive)
		return 1;
	ssd_strcpy(device, 32, drive->device);
	for (;;) {
		struct ssd_device dev = {.drive = drive};
		int rc = ssd_run_open(s->run, drive, &dev, err);

		if (!rc)
			rc = fw_facts_read(&dev, facts, err);
		ssd_device_close(&dev);
		if (!rc || ssd_now_ms() >= end)
			return rc;
		if (ssd_signal_wait(OTHER_EVERY_MS))
			return ssd_fail(err, SSD_ERR_INTERRUPTED, "%s: interrupted while waiting for this controller",
					device);
	}
}

struct fw_job fw_session_job(struct fw_session *s, struct ssd_device *dev)
{
	return (struct fw_job){.dev = dev, .reopen = reopen, .other = other, .progress = progress, .ctx = s};
}

static int get_permit(const struct fw_change *c, struct ssd_permit **permit, struct ssd_err *err)
{
	const struct ssd_globals *g = &c->run->globals;
	uint8_t opcodes[2];
	struct ssd_intent intent = {.what = c->what,
				    .impact = c->impact,
				    .subsystem_reset = c->subsystem_reset,
				    .opcodes = opcodes,
				    .drive = c->row->target.drive,
				    .yes = g->yes,
				    .force = g->force,
				    .dry_run = g->dry_run,
				    .quiet = g->quiet,
				    .confirm = g->confirm};

	if (c->download)
		opcodes[intent.n_opcodes++] = SSD_ADMIN_FIRMWARE_DOWNLOAD;
	if (c->commit)
		opcodes[intent.n_opcodes++] = SSD_ADMIN_FIRMWARE_COMMIT;
	if (c->controls)
		memcpy(intent.controls, c->controls, sizeof(intent.controls));
	return ssd_permit_get(&intent, permit, err);
}

/* Between plan and permit there was time for somebody else: the drive must still be as the plan took it to be. */
static int check_unchanged(struct fw_change *c, const struct ssd_permit *permit, struct ssd_err *err)
{
	const struct fw_facts *old = c->facts;
	struct fw_facts now;

	if (c->some_facts ? fw_facts_read_some(c->dev, &now, NULL) : fw_facts_read(c->dev, &now, err))
		return c->some_facts ? 0 : -1;
	if (ssd_permit_check(permit, now.serial, err))
		return -1;
	if (c->some_facts && !(now.slots_known && old->slots_known))
		return 0;
	if (!strcmp(now.serial, old->serial) && !strcmp(now.running_revision, old->running_revision) &&
	    now.afi == old->afi && !memcmp(now.revisions, old->revisions, sizeof(now.revisions)))
		return 0;
	ssd_fail(err, SSD_ERR_REFUSED,
		 "%s: the drive's firmware slots have changed since the plan was made; nothing was sent",
		 c->dev->drive->device);
	ssd_hint(err, "run the command again");
	return -1;
}

static int act(struct fw_change *c, const struct ssd_permit *permit, struct fw_outcome *outcome, struct ssd_err *err)
{
	struct fw_session s;
	struct fw_job job;
	sigset_t before;
	int rc;

	fw_session_begin(&s, c->run, c->row, c->plan->wait_seconds);
	job = fw_session_job(&s, c->dev);
	job.plan = c->plan;
	job.image = c->image;
	job.before = c->facts;
	job.activate = c->activate;
	job.expect = c->expect;
	ssd_signals_block(&before);
	rc = check_unchanged(c, permit, err);
	if (!rc)
		rc = c->act(c, &job, outcome, err);
	fw_session_end(&s, c->dev);
	if (!ssd_signals_restore(&before) || rc || c->row == &c->run->rows[c->run->n_rows - 1])
		return rc;
	return ssd_fail(err, SSD_ERR_INTERRUPTED,
			"%s: interrupted when this drive was done; no further drive was touched",
			c->dev->drive->device);
}

int fw_change_run(struct fw_change *c, struct fw_outcome *outcome)
{
	struct ssd_permit *permit = NULL;
	struct ssd_err *err = &c->row->err;
	int rc;

	*outcome = (struct fw_outcome){.result = c->download || c->commit ? FW_NOT_APPLIED : FW_UNKNOWN,
				       .facts = *c->facts};
	ssd_strcpy(outcome->before, sizeof(outcome->before), c->facts->running_revision);
	if (get_permit(c, &permit, err))
		return -1;
	if (c->run->globals.dry_run) {
		outcome->result = FW_DRY_RUN;
		ssd_permit_free(permit);
		return 0;
	}
	c->dev->grant = ssd_permit_grant(permit);
	rc = act(c, permit, outcome, err);
	c->dev->grant = NULL;
	ssd_permit_log(permit, rc                                ? err->message
			       : fw_result_word(outcome->result) ? fw_result_word(outcome->result)
								 : "done");
	ssd_permit_free(permit);
	return rc;
}
