/* SPDX-License-Identifier: MIT */
/* A format or sanitize of one drive: permit, lock, the facts once more, the deed, and what the host makes of it. */
#include "change.h"
#include "fw_common.h"
#include "media_common.h"

#include <ssdct/signals.h>
#include <time.h>

/* The kernel looks at namespaces anew on its own time; it is given this much. */
#define REFRESH_MS 10000u
#define REFRESH_STEP_MS 50u

static void explain(void *ctx, const char *text)
{
	struct fw_session *s = ctx;

	/* Whoever presses Ctrl-C is answered, also with --quiet. */
	fprintf(stderr, "%sssdct: %s\n", s->drawn_ms ? "\n" : "", text);
	s->drawn_ms = 0;
}

/* Namespaces that other hosts have or, where the drive does not say, could have. Owned by the caller. */
static struct ssd_use *uses_elsewhere(const struct media_change *c, size_t *n)
{
	struct ssd_use *uses = ssd_calloc(c->scope->n + 1, sizeof(*uses));

	*n = 0;
	for (size_t i = 0; i < c->scope->n; i++) {
		const struct media_ns *ns = media_find(c->facts, c->scope->nsids[i]);

		*n += change_use_elsewhere(ns, &uses[*n]);
	}
	return uses;
}

static int get_permit(const struct media_change *c, struct ssd_permit **permit, struct ssd_err *err)
{
	const struct ssd_globals *g = &c->run->globals;
	size_t n_known;
	AUTO_FREE struct ssd_use *known = uses_elsewhere(c, &n_known);
	const struct ssd_intent intent = {.what = c->what,
					  .impact = SSD_DESTROYS,
					  .opcodes = &c->opcode,
					  .n_opcodes = 1,
					  .controls = {[SSD_RESCAN] = true},
					  .drive = c->row->target.drive,
					  .nsids = c->scope->nsids,
					  .n_nsids = c->scope->n,
					  .known = known,
					  .n_known = n_known,
					  .yes = g->yes,
					  .force = g->force,
					  .dry_run = g->dry_run,
					  .quiet = g->quiet,
					  .confirm = g->confirm};

	return ssd_permit_get(&intent, permit, err);
}

/* Between plan and permit there was time for somebody else: the drive must still be as the plan took it to be. */
static int check_unchanged(struct media_change *c, const struct ssd_permit *permit, struct ssd_err *err)
{
	struct media_facts now;
	int rc = media_facts_read(c->dev, &now, err);

	if (!rc)
		rc = ssd_permit_check(permit, now.serial, err);
	if (!rc && !media_facts_equal(&now, c->facts)) {
		rc = ssd_fail(err, SSD_ERR_REFUSED,
			      "%s: the drive has changed since the plan was made; nothing was sent",
			      c->dev->drive->device);
		ssd_hint(err, "run the command again");
	}
	media_facts_free(&now);
	return rc;
}

/* --- the host --- */

static bool shows(const struct ssd_namespace *ns, const struct media_ns *now)
{
	uint64_t block = now->format.index < now->n_formats ? now->formats[now->format.index].block_bytes : 0;

	return ns->size_bytes == media_bytes(now) && (!ns->block_bytes || ns->block_bytes == block);
}

/* A node of the drive that does not show a namespace as it is now, or NULL. */
static const char *stale_node(const struct ssd_host *host, const struct ssd_drive *drive,
			      const struct media_outcome *out)
{
	for (size_t d = 0; d < host->n_drives; d++) {
		const struct ssd_drive *other = &host->drives[d];

		if (strcmp(other->serial, drive->serial) != 0)
			continue;
		for (size_t k = 0; k < other->n_namespaces; k++)
			for (size_t i = 0; i < out->n_after; i++) {
				const struct ssd_namespace *ns = &other->namespaces[k];

				if (*ns->device && out->after[i].known && out->after[i].nsid == ns->nsid &&
				    !shows(ns, &out->after[i]))
					return ns->device;
			}
	}
	return NULL;
}

/* Waits until the kernel shows the namespaces as the drive does. */
static int wait_shown(struct media_change *c, const struct media_outcome *out, struct ssd_err *err)
{
	uint64_t end = ssd_now_ms() + REFRESH_MS;
	const char *stale;
	char name[32];

	do {
		struct ssd_host *host = ssd_host_scan(c->run->host->dir, err);

		if (!host)
			return -1;
		stale = stale_node(host, c->row->target.drive, out);
		ssd_strcpy(name, sizeof(name), stale ? stale : "");
		ssd_host_free(host);
		if (!stale)
			return 0;
		nanosleep(&(struct timespec){.tv_nsec = REFRESH_STEP_MS * 1000000l}, NULL);
	} while (ssd_now_ms() < end);
	return ssd_fail(err, SSD_ERR_UNVERIFIED, "the kernel does not show %s as the drive does", name);
}

/* The drive is done; what the host makes of it is another matter, and no failure of the drive's. */
static void refresh(struct media_change *c, const struct ssd_permit *permit, const struct media_outcome *out)
{
	struct ssd_err err = SSD_ERR_INIT;
	char note[200];
	int rc = ssd_control(c->dev, SSD_RESCAN, &err);

	if (!rc)
		rc = wait_shown(c, out, &err);
	if (!rc)
		rc = ssd_permit_reread(permit, &err);
	ssd_set_str(c->doc, "host_refresh", rc ? "failed" : "done");
	if (!rc)
		return;
	snprintf(note, sizeof(note), "the drive is done, but this host may show it as before: %.120s", err.message);
	media_doc_note(c->doc, note);
	ssd_note(c->run, "%s; see: ssdct rescan %s", note, c->dev->drive->device);
}

/* --- the deed --- */

static int act(struct media_change *c, const struct ssd_permit *permit, struct media_outcome *out, struct ssd_err *err)
{
	struct fw_session s;
	struct fw_job session;
	struct media_job job = {.dev = c->dev, .before = c->facts, .explain = explain, .ctx = &s};
	sigset_t before;
	int rc;

	fw_session_begin(&s, c->run, c->row, 0);
	session = fw_session_job(&s, c->dev);
	job.reopen = session.reopen;
	job.progress = session.progress;
	job.wait_seconds = fw_timeout(c->run);
	ssd_signals_block(&before);
	rc = check_unchanged(c, permit, err);
	if (!rc)
		rc = ssd_permit_brace(permit, err);
	if (!rc)
		rc = c->act(c, &job, out, err);
	if (!rc && (out->result == MEDIA_FORMATTED || out->result == MEDIA_COMPLETED))
		refresh(c, permit, out);
	if (!rc && c->reads && out->result == MEDIA_FORMATTED)
		rc = media_read_back(c, out, err);
	fw_session_end(&s, c->dev);
	ssd_signals_restore(&before);
	return rc;
}

static int change(struct media_change *c, struct media_outcome *out)
{
	struct ssd_permit *permit = NULL;
	struct ssd_err *err = &c->row->err;
	int rc;

	*out = (struct media_outcome){.result = MEDIA_NOT_STARTED};
	if (get_permit(c, &permit, err))
		return -1;
	if (c->run->globals.dry_run) {
		out->result = MEDIA_DRY_RUN;
		ssd_permit_free(permit);
		return 0;
	}
	c->dev->grant = ssd_permit_grant(permit);
	rc = act(c, permit, out, err);
	c->dev->grant = NULL;
	ssd_permit_log(permit, rc                               ? err->message
			       : media_result_word(out->result) ? media_result_word(out->result)
								: "done");
	ssd_permit_free(permit);
	return rc;
}

int media_change_run(struct media_change *c)
{
	struct media_outcome out;
	int rc = change(c, &out);

	if (!c->run->globals.dry_run)
		media_doc_outcome(c->doc, &out);
	else
		ssd_set_str(c->doc, "result", media_result_word(out.result));
	media_outcome_free(&out);
	return rc;
}
