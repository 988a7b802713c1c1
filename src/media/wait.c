/* SPDX-License-Identifier: MIT */
/* Waiting for what goes on in the drive, with and without our being there. */
#include "media/media.h"

#include <ssdct/signals.h>
#include <ssdct/status.h>

/* How soon a signal is answered, and how often the drive is asked how far it is. */
#define SIGNAL_MS 100u
#define TICK_MS 1000u

void media_refused(const struct media_job *job, const struct ssd_cmd *cmd, const struct ssd_cpl *cpl, const char *name,
		   const struct media_refusal *table, size_t n, struct ssd_err *err)
{
	unsigned status = cpl->status & SSD_STATUS_MASK;

	ssd_check(job->dev, cmd, 0, cpl, err);
	for (size_t i = 0; i < n; i++) {
		if (table[i].status != status)
			continue;
		ssd_fail(err, SSD_ERR_NVME, "%s: the %s was refused: %s (status 0x%04x, %s)", job->dev->drive->device,
			 name, table[i].what, cpl->status, ssd_status_info(status)->name);
		err->nvme_status = cpl->status;
		ssd_hint(err, "%s", table[i].hint);
	}
}

/* NVM Express Base Specification 2.0c, status code tables: generic command status and command specific status. */
bool media_not_begun(unsigned status)
{
	static const uint16_t not_begun[] = {
		0x001, /* Invalid Command Opcode */
		0x002, /* Invalid Field in Command */
		0x00b, /* Invalid Namespace or Format */
		0x00c, /* Command Sequence Error */
		0x015, /* Operation Denied */
		0x01c, /* Sanitize Failed: the one before */
		0x01d, /* Sanitize In Progress */
		0x020, /* Namespace is Write Protected */
		0x023, /* Command Prohibited by Command and Feature Lockdown */
		0x083, /* Reservation Conflict */
		0x084, /* Format In Progress */
		0x10a, /* Invalid Format */
		0x10b, /* Firmware Activation Requires Conventional Reset */
		0x110, /* Firmware Activation Requires NVM Subsystem Reset */
		0x111, /* Firmware Activation Requires Controller Level Reset */
		0x123, /* Sanitize Prohibited While Persistent Memory Region is Enabled */
	};

	for (size_t i = 0; i < ARRAY_SIZE(not_begun); i++)
		if (not_begun[i] == (status & SSD_STATUS_MASK))
			return true;
	return false;
}

void media_wait_begin(struct media_wait *w, const struct media_job *job, const char *what)
{
	*w = (struct media_wait){
		.job = job, .what = what, .end_ms = job->wait_seconds ? ssd_now_ms() + job->wait_seconds * 1000ull : 0};
}

int media_wait_step(struct media_wait *w, unsigned ms, struct ssd_err *err)
{
	const char *device = w->job->dev->drive->device;
	char text[160];

	if (ssd_signal_wait(ms)) {
		if (w->explained)
			return ssd_fail(
				err, SSD_ERR_INTERRUPTED,
				"%s: interrupted; the %s was sent and goes on in the drive, nothing can stop it",
				device, w->what);
		w->explained = true;
		snprintf(text, sizeof(text),
			 "%s: the %s was sent and cannot be stopped; waiting for its end (once more: stop waiting)",
			 device, w->what);
		w->job->explain(w->job->ctx, text);
	}
	if (!w->end_ms || ssd_now_ms() < w->end_ms)
		return 0;
	ssd_fail(err, SSD_ERR_TIMEOUT, "%s: not waited for any longer; the %s was sent and goes on in the drive",
		 device, w->what);
	return -1;
}

int media_wait_send(struct media_wait *w, const struct ssd_cmd *cmd, void (*tick)(void *ctx), void *ctx, int *rc,
		    struct ssd_cpl *cpl, struct ssd_err *err)
{
	uint64_t next = ssd_now_ms() + TICK_MS;
	struct media_sender s;
	int failed = media_send(w->job->dev, cmd, &s, err);

	while (!failed && !media_send_done(&s, SIGNAL_MS, rc, cpl)) {
		failed = media_wait_step(w, 0, err);
		if (!failed && tick && ssd_now_ms() >= next) {
			tick(ctx);
			next = ssd_now_ms() + TICK_MS;
		}
	}
	media_send_end(&s);
	return failed ? -1 : 0;
}

/* 0 when it is the drive that the plan was made for, as it says itself. */
static int check_serial(const struct media_job *job, struct ssd_err *err)
{
	char serial[21];

	if (ssd_id_ctrl(job->dev, err))
		return -1;
	media_serial(job->dev->id_ctrl, serial);
	if (!strcmp(serial, job->before->serial))
		return 0;
	return ssd_fail(err, SSD_ERR_GONE, "%s: another drive answers (serial number %s)", job->dev->drive->device,
			serial);
}

/* Whatever goes wrong, the device is closed then: nothing is asked of a drive that has not said who it is. */
int media_reopen(const struct media_job *job, struct ssd_err *err)
{
	const struct ssd_grant *grant = job->dev->grant;
	int rc = job->reopen(job->ctx, job->dev, err);

	job->dev->grant = grant;
	if (!rc && !check_serial(job, err))
		return 0;
	ssd_device_close(job->dev);
	return -1;
}
