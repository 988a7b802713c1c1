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

int change_nsid(const struct ssd_target *target, uint64_t option, uint32_t *nsid, struct ssd_err *err)
{
	if (option && target->nsid && option != target->nsid)
		return ssd_fail(err, SSD_ERR_USAGE, "--nsid %u, but namespace %u was named", (unsigned)option,
				target->nsid);
	*nsid = option ? (uint32_t)option : target->nsid;
	return 0;
}

int change_fail_lost(const struct ssd_device *dev, struct ssd_err *err)
{
	char why[sizeof(err->message)];

	ssd_strcpy(why, sizeof(why), err->message);
	ssd_fail(err, SSD_ERR_UNVERIFIED, "%s; it was sent, and whether it was carried out is not known", why);
	ssd_hint(err, "ask %s what it has done before anything is sent again", dev->drive->device);
	return -1;
}

bool change_use_elsewhere(const struct media_ns *ns, struct ssd_use *use)
{
	*use = (struct ssd_use){.kind = SSD_USE_ELSEWHERE, .nsid = ns->nsid};
	if (ns->elsewhere >= 0)
		snprintf(use->detail, sizeof(use->detail), "controller %d, which is not one of this host's",
			 ns->elsewhere);
	return ns->elsewhere != MEDIA_NOWHERE_ELSE;
}

static const struct ssd_namespace *namespace_of(const struct ssd_drive *drive, uint32_t nsid)
{
	for (size_t i = 0; i < drive->n_namespaces; i++)
		if (drive->namespaces[i].nsid == nsid)
			return &drive->namespaces[i];
	return NULL;
}

int change_open_namespace(const struct ssd_run *run, const struct ssd_drive *drive, uint32_t nsid, struct ssd_drive *at,
			  struct ssd_device *dev, struct ssd_err *err)
{
	const struct ssd_namespace *ns = namespace_of(drive, nsid);

	*at = *drive;
	*dev = (struct ssd_device){.drive = at};
	if (ns && at->host->backend == SSD_BACKEND_LINUX && (*ns->generic || *ns->device))
		snprintf(at->path, sizeof(at->path), "/dev/%s", *ns->generic ? ns->generic : ns->device);
	return ssd_run_open(run, at, dev, err);
}

/* --- the permit --- */

struct scope {
	uint32_t *nsids; /* owned; n 0: all attached */
	size_t n;
	struct ssd_use *known; /* owned */
	size_t n_known;
};

static void add_to_scope(struct scope *s, const struct media_ns *ns)
{
	struct ssd_use *use = &s->known[s->n_known];

	s->nsids[s->n++] = ns->nsid;
	s->n_known += change_use_elsewhere(ns, use);
}

/*
 * What destroys or takes away may reach namespaces that no node of this host shows, and such as other hosts have: the drive
 * knows them. One that cannot be asked is in an unknown use, which --force goes past.
 */
static int find_scope(const struct change *c, struct scope *s)
{
	struct media_facts facts;
	int rc;

	*s = (struct scope){.nsids = ssd_calloc(1, sizeof(*s->nsids))};
	if (c->nsid)
		s->nsids[s->n++] = *c->nsid;
	if (c->impact != SSD_DESTROYS && c->impact != SSD_TAKES_ACCESS)
		return 0;
	rc = media_facts_read(c->dev, &facts, &c->row->err);
	if (!rc) {
		free(s->nsids);
		*s = (struct scope){.nsids = ssd_calloc(facts.n + 1, sizeof(*s->nsids)),
				    .known = ssd_calloc(facts.n + 1, sizeof(*s->known))};
		for (size_t i = 0; i < facts.n; i++)
			if (!c->nsid || facts.ns[i].nsid == *c->nsid)
				add_to_scope(s, &facts.ns[i]);
		if (c->nsid && !s->n)
			s->nsids[s->n++] = *c->nsid;
	} else if (c->run->globals.force) {
		c->row->err = (struct ssd_err)SSD_ERR_INIT;
		rc = 0;
	} else {
		ssd_err_prefix(&c->row->err,
			       "which namespaces this concerns, and who has them, cannot be asked; nothing was sent");
	}
	media_facts_free(&facts);
	return rc;
}

static int get_permit(const struct change *c, struct ssd_permit **permit)
{
	const struct ssd_globals *g = &c->run->globals;
	struct scope s;
	int rc = find_scope(c, &s);

	if (!rc)
		rc = ssd_permit_get(&(struct ssd_intent){.what = c->what,
							 .impact = c->impact,
							 .opcodes = &c->opcode,
							 .n_opcodes = c->io ? 0 : 1,
							 .io_opcodes = &c->opcode,
							 .n_io_opcodes = c->io ? 1 : 0,
							 .drive = c->row->target.drive,
							 .nsids = s.nsids,
							 .n_nsids = s.n,
							 .known = s.known,
							 .n_known = s.n_known,
							 .yes = g->yes || c->yes,
							 .force = g->force,
							 .dry_run = g->dry_run,
							 .quiet = g->quiet,
							 .confirm = g->confirm},
				    permit, &c->row->err);
	free(s.nsids);
	free(s.known);
	return rc;
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
	/* Whoever interrupts what has not begun wants it not to begin. */
	if (!rc && ssd_signal_wait(0))
		rc = ssd_fail(&c->row->err, SSD_ERR_INTERRUPTED, "%s: interrupted; nothing was sent",
			      c->dev->drive->device);
	if (!rc)
		rc = c->act(c, &c->row->err);
	ssd_signals_restore(&before);
	c->dev->grant = NULL;
	c->done = !rc;
	ssd_permit_log(permit, rc ? c->row->err.message : "done");
	ssd_permit_free(permit);
	return rc;
}

/* --- what reading clears --- */

static int act_clearing(struct change *c, struct ssd_err *err)
{
	int (*const *read)(struct ssd_run *, struct ssd_device *, struct ssd_row *) = c->ctx;

	(void)err; /* it is the row's */
	return (*read)(c->run, c->dev, c->row);
}

int ssd_run_clearing(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row, bool asked_for, const char *what,
		     int (*read)(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row))
{
	struct change c = {.run = run,
			   .row = row,
			   .dev = dev,
			   .what = what,
			   .impact = SSD_CHANGES,
			   .opcode = SSD_ADMIN_GET_LOG_PAGE,
			   .yes = asked_for,
			   .act = act_clearing,
			   .ctx = &read};

	return change_run(&c);
}
