/* SPDX-License-Identifier: MIT */
/* A change of a drive's namespaces: permit, facts once more, execution, and then what this host has made of it. */
#include "change.h"
#include "ns_common.h"

#include <inttypes.h>
#include <ssdct/le.h>
#include <ssdct/signals.h>
#include <time.h>

/* The kernel looks for namespaces in the background, and so does udev: it is waited for, 5 s in all. */
#define HOST_LOOKS 20
#define HOST_LOOK_EVERY_NS 250000000

#define LID_CHANGED 0x04
#define OTHERS 16

void ns_change_free(struct ns_change *c)
{
	ns_facts_free(&c->outcome.facts);
}

/* --- the permit --- */

struct scope {
	uint32_t *nsids; /* owned */
	size_t n;
	struct ssd_use others[OTHERS];
	size_t n_others;
};

/* Another host may use a namespace through a controller that this one does not see. detach: the step; NULL: no such. */
static void add_others(struct scope *s, const struct ssd_drive *drive, const struct ns_facts *f,
		       const struct ns_info *ns, const struct ns_step *detach)
{
	if (!ns->controllers_known && f->managed && s->n_others < OTHERS)
		s->others[s->n_others++] = (struct ssd_use){.kind = SSD_USE_ELSEWHERE, .nsid = ns->nsid};
	for (unsigned i = 0; i < ns->controllers.n && s->n_others < OTHERS; i++) {
		struct ssd_use *use = &s->others[s->n_others];
		unsigned id = ns->controllers.ids[i];

		if (id == f->controller_id || ssd_is_of_host(drive, id) ||
		    (detach && !ssd_has_controller(&detach->controllers, id)))
			continue;
		*use = (struct ssd_use){.kind = SSD_USE_ELSEWHERE, .nsid = ns->nsid};
		snprintf(use->detail, sizeof(use->detail), "controller %u, which this host does not have", id);
		s->n_others++;
	}
}

/* Whose use matters; with all namespaces also those that are attached to no controller. */
static void find_scope(const struct ns_change *c, struct scope *s)
{
	const struct ns_facts *f = c->facts;
	const struct ns_step *detach = c->impact == SSD_TAKES_ACCESS ? c->plan->steps : NULL;

	*s = (struct scope){.nsids = ssd_calloc(f->n + 1, sizeof(*s->nsids))};
	for (size_t i = 0; i < f->n; i++) {
		if (c->nsid != SSD_NSID_ALL && f->namespaces[i].nsid != c->nsid)
			continue;
		s->nsids[s->n++] = f->namespaces[i].nsid;
		add_others(s, c->row->target.drive, f, &f->namespaces[i], detach);
	}
}

static int get_permit(const struct ns_change *c, struct ssd_permit **permit)
{
	const struct ssd_globals *g = &c->run->globals;
	struct ssd_intent intent = {.what = c->what,
				    .impact = c->impact,
				    .drive = c->row->target.drive,
				    .yes = g->yes,
				    .force = g->force,
				    .dry_run = g->dry_run,
				    .quiet = g->quiet,
				    .confirm = g->confirm};
	/* The Changed Namespace List is no free read: see nvme/logs.c. */
	uint8_t opcodes[1 + ARRAY_SIZE(c->plan->steps)] = {SSD_ADMIN_GET_LOG_PAGE}, page[4096];
	struct scope scope;
	int rc;

	intent.opcodes = opcodes;
	intent.n_opcodes = 1;
	for (size_t i = 0; i < c->plan->n_steps; i++) {
		struct ssd_cmd cmd;

		ns_step_cmd(&c->plan->steps[i], 0, page, &cmd);
		opcodes[intent.n_opcodes++] = cmd.opcode;
	}
	intent.controls[SSD_RESCAN] = true;
	intent.controls[SSD_RESET_CONTROLLER] = c->plan->method == NS_BY_MAX_LBA;
	find_scope(c, &scope);
	intent.nsids = scope.nsids;
	intent.n_nsids = scope.n;
	intent.known = scope.others;
	intent.n_known = scope.n_others;
	rc = ssd_permit_get(&intent, permit, &c->row->err);
	free(scope.nsids);
	return rc;
}

/* Between plan and permit there was time for somebody else: the drive must still be as the plan took it to be. */
static int check_unchanged(const struct ns_change *c, const struct ssd_permit *permit, struct ssd_err *err)
{
	struct ns_facts now;
	bool same;
	int rc = ns_facts_read(c->dev, &now, err);

	if (!rc && c->facts->max_lba.known)
		rc = ns_max_lba_read(c->dev, &now, err);
	if (!rc)
		rc = ssd_permit_check(permit, now.serial, err);
	same = !rc && ns_facts_equal(c->facts, &now);
	ns_facts_free(&now);
	if (rc || same)
		return rc;
	ssd_fail(err, SSD_ERR_REFUSED,
		 "%s: the drive's namespaces have changed since the plan was made; nothing was sent",
		 c->dev->drive->device);
	ssd_hint(err, "run the command again");
	return -1;
}

/* --- afterwards --- */

/* With Retain Asynchronous Event, so that the kernel's own reading still finds it. */
static void read_changed(struct ns_change *c)
{
	AUTO_FREE uint8_t *page = ssd_page_alloc(4096);
	size_t got;

	if (!ssd_announces_log(c->dev, LID_CHANGED) ||
	    ssd_get_log(c->dev, &(struct ssd_log_request){.lid = LID_CHANGED}, page, 4096, &got, NULL))
		return;
	c->changed_known = true;
	for (size_t i = 0; i < ARRAY_SIZE(c->changed) && 4 * i + 4 <= got && ssd_le32(page + 4 * i); i++)
		c->changed[c->n_changed++] = ssd_le32(page + 4 * i);
}

static const struct ssd_namespace *find_namespace(const struct ssd_drive *d, uint32_t nsid)
{
	for (size_t i = 0; i < d->n_namespaces; i++)
		if (d->namespaces[i].nsid == nsid)
			return &d->namespaces[i];
	return NULL;
}

/* The first difference in words. */
static bool agrees(const struct ssd_drive *d, const struct ns_facts *f, char *buf, size_t size)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct ns_info *ns = &f->namespaces[i];
		const struct ssd_namespace *here = find_namespace(d, ns->nsid);
		uint64_t bytes = ns->nsze > UINT64_MAX / 65536 ? UINT64_MAX : ns->nsze * ns->block_bytes;

		if (ns->attached && !here)
			snprintf(buf, size, "namespace %" PRIu32 " has not appeared on this host", ns->nsid);
		else if (ns->attached && here->size_bytes != bytes)
			snprintf(buf, size,
				 "namespace %" PRIu32 " has %" PRIu64 " bytes on this host, but %" PRIu64
				 " on the drive",
				 ns->nsid, here->size_bytes, bytes);
		else
			continue;
		return false;
	}
	for (size_t i = 0; i < d->n_namespaces; i++) {
		const struct ns_info *ns = ns_find(f, d->namespaces[i].nsid);

		if (ns && ns->attached)
			continue;
		snprintf(buf, size, "namespace %" PRIu32 " has not gone from this host", d->namespaces[i].nsid);
		return false;
	}
	*buf = '\0';
	return true;
}

static void compare(const struct ssd_run *run, const struct ssd_drive *drive, const struct ns_facts *facts,
		    struct ns_host *host)
{
	struct ssd_err err = SSD_ERR_INIT;
	struct ssd_host *now = ssd_host_scan(run->host->dir, &err);

	host->compared = host->agrees = false;
	ssd_strcpy(host->message, sizeof(host->message), now ? "the drive is gone from this host" : err.message);
	for (size_t i = 0; now && i < now->n_drives; i++)
		if (!strcmp(now->drives[i].device, drive->device) && !strcmp(now->drives[i].serial, drive->serial)) {
			host->compared = true;
			host->agrees = agrees(&now->drives[i], facts, host->message, sizeof(host->message));
		}
	ssd_host_free(now);
}

/* Other controllers of the drive may have lost or gained it as well; what this one shows is what is compared. */
static void rescan_others(const struct ssd_run *run, const struct ssd_drive *drive)
{
	for (size_t i = 0; i < run->host->n_drives; i++) {
		const struct ssd_drive *d = &run->host->drives[i];
		struct ssd_device dev = {.drive = d};
		struct ssd_err unused = SSD_ERR_INIT;

		if (d == drive || !ssd_same_subsystem(d, drive))
			continue;
		if (!ssd_run_open(run, d, &dev, &unused))
			(void)!ssd_control(&dev, SSD_RESCAN, &unused);
		ssd_device_close(&dev);
	}
}

void ns_host_refresh(const struct ssd_run *run, struct ssd_device *dev, const struct ns_facts *facts,
		     struct ns_host *host)
{
	*host = (struct ns_host){.err = SSD_ERR_INIT};
	host->rescanned = !ssd_control(dev, SSD_RESCAN, &host->err);
	if (!host->rescanned)
		ssd_strcpy(host->message, sizeof(host->message), host->err.message);
	rescan_others(run, dev->drive);
	for (int i = 0; facts && i <= HOST_LOOKS; i++) {
		compare(run, dev->drive, facts, host);
		if (!host->rescanned)
			ssd_strcpy(host->message, sizeof(host->message), host->err.message);
		if (host->agrees || run->host->dir)
			return;
		nanosleep(&(struct timespec){.tv_nsec = HOST_LOOK_EVERY_NS}, NULL);
	}
}

/* --- all together --- */

static void let_go(void *ctx)
{
	ssd_permit_let_go(ctx);
}

/* What was done before a later step failed: it stays done. */
static void say_done(const struct ns_change *c, struct ssd_err *err)
{
	static const char *const done[] = {[NS_CREATE] = "created",
					   [NS_DELETE] = "deleted",
					   [NS_ATTACH] = "attached",
					   [NS_DETACH] = "detached",
					   [NS_SET_MAX_LBA] = "resized"};
	char text[120] = "";

	for (size_t i = 0; i < c->outcome.done; i++) {
		const struct ns_step *step = &c->plan->steps[i];

		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%snamespace %" PRIu32 " was %s",
			 i ? ", " : "", step->nsid ? step->nsid : c->outcome.nsid, done[step->kind]);
	}
	if (*text)
		ssd_err_prefix(err, "%s, and then", text);
}

static int act(struct ns_change *c, struct ssd_permit *permit, struct ssd_err *err)
{
	struct ns_job job = {.dev = c->dev, .plan = c->plan, .before = c->facts, .let_go = let_go, .ctx = permit};
	int rc = check_unchanged(c, permit, err);

	if (rc)
		return rc;
	rc = ns_run(&job, &c->outcome, err);
	if (rc)
		say_done(c, err);
	if (c->outcome.sent) {
		read_changed(c);
		ns_host_refresh(c->run, c->dev, c->outcome.known ? &c->outcome.facts : NULL, &c->host);
	}
	return rc;
}

int ns_change_run(struct ns_change *c)
{
	struct ssd_permit *permit = NULL;
	struct ssd_err *err = &c->row->err;
	sigset_t before;
	int rc;

	c->outcome = (struct ns_outcome){0};
	if (get_permit(c, &permit))
		return -1;
	if (c->run->globals.dry_run) {
		ssd_permit_free(permit);
		return 0;
	}
	c->dev->grant = ssd_permit_grant(permit);
	ssd_signals_block(&before);
	rc = act(c, permit, err);
	c->dev->grant = NULL;
	/* What was begun was brought to its end: to stop between two steps would leave the drive neither old nor new. */
	ssd_signals_restore(&before);
	ssd_permit_log(permit, rc ? err->message : "done");
	ssd_permit_free(permit);
	return rc;
}
