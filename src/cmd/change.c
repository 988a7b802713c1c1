/* SPDX-License-Identifier: MIT */
#include "change.h"

#include <ssdct/id_ctrl.h>
#include <ssdct/signals.h>

int change_check_backend(const struct ssd_run *run, const struct ssd_device *dev, struct ssd_err *err)
{
	if (run->host->backend != SSD_BACKEND_RECORDED)
		return 0;
	ssd_fail(err, SSD_ERR_UNSUPPORTED, "%s: a recorded host answers reads only", dev->drive->device);
	ssd_hint(err, "make a simulated copy to try changes on: ssdct sim create DIR --from %s", run->host->dir);
	return -1;
}

static int get_permit(const struct change *c, struct ssd_permit **permit)
{
	const struct ssd_globals *g = &c->run->globals;

	return ssd_permit_get(&(struct ssd_intent){.what = c->what,
						   .impact = c->impact,
						   .opcodes = &c->opcode,
						   .n_opcodes = c->io ? 0 : 1,
						   .io_opcodes = &c->opcode,
						   .n_io_opcodes = c->io ? 1 : 0,
						   .drive = c->row->target.drive,
						   .nsids = c->nsid,
						   .n_nsids = c->nsid ? 1 : 0,
						   .yes = g->yes,
						   .force = g->force,
						   .dry_run = g->dry_run,
						   .quiet = g->quiet,
						   .confirm = g->confirm},
			      permit, &c->row->err);
}

/* A question may wait for long: the drive that has the name now must be the one that was shown. */
static int check_drive(const struct change *c, const struct ssd_permit *permit)
{
	AUTO_FREE uint8_t *id = ssd_page_alloc(4096);
	char serial[SSD_ID_CTRL_SN_BYTES + 1] = "";
	size_t got;

	if (ssd_identify(c->dev, &(struct ssd_identify){.cns = 1}, id, &got, &c->row->err))
		return -1;
	if (got >= SSD_ID_CTRL_SN + SSD_ID_CTRL_SN_BYTES)
		memcpy(serial, id + SSD_ID_CTRL_SN, SSD_ID_CTRL_SN_BYTES);
	return ssd_permit_check(permit, serial, &c->row->err);
}

int change_run(struct change *c)
{
	struct ssd_permit *permit = NULL;
	sigset_t before;
	int rc;

	c->done = false;
	if (change_check_backend(c->run, c->dev, &c->row->err) || get_permit(c, &permit))
		return -1;
	if (c->run->globals.dry_run) {
		ssd_permit_free(permit);
		return 0;
	}
	c->dev->grant = ssd_permit_grant(permit);
	ssd_signals_block(&before);
	rc = check_drive(c, permit);
	if (!rc)
		rc = c->act(c, &c->row->err);
	ssd_signals_restore(&before);
	c->dev->grant = NULL;
	c->done = !rc;
	ssd_permit_log(permit, rc ? c->row->err.message : "done");
	ssd_permit_free(permit);
	return rc;
}
