/* SPDX-License-Identifier: MIT */
/* Between wish and deed: lock, usage, decision, question; then the permit. */
#include "safety/parts.h"

struct ssd_permit {
	const struct ssd_grant *grant; /* owned */
	struct ssd_usage usage;        /* with its exclusive handles */
	int lock;
	bool real; /* this machine: what happens goes to its log */
	char device[32];
	char serial[96]; /* as it is shown */
	char *what;      /* owned */
};

static void auto_permit(struct ssd_permit **permit)
{
	ssd_permit_free(*permit);
}

void ssd_permit_free(struct ssd_permit *permit)
{
	if (!permit)
		return;
	free((void *)permit->grant);
	ssd_usage_free(&permit->usage);
	safety_unlock(&permit->lock);
	free(permit->what);
	free(permit);
}

static struct ssd_permit *permit_new(const struct ssd_intent *intent)
{
	struct ssd_permit *p = ssd_calloc(1, sizeof(*p));

	p->lock = -1;
	p->real = !intent->drive->host->dir;
	ssd_strcpy(p->device, sizeof(p->device), intent->drive->device);
	safety_shown(p->serial, sizeof(p->serial), intent->drive->serial);
	p->what = ssd_strdup(intent->what);
	return p;
}

static bool has_other_controllers(const struct ssd_drive *drive)
{
	const struct ssd_host *host = drive->host;

	for (size_t i = 0; i < host->n_drives; i++) {
		const struct ssd_drive *d = &host->drives[i];

		if (d != drive &&
		    (ssd_same_subsystem(d, drive) || (*d->subsystem && !strcmp(d->subsystem, drive->subsystem))))
			return true;
	}
	return false;
}

/* Who uses the drive matters to all but plain changes, and whoever takes access or data away must hold it meanwhile. */
static void look(const struct ssd_intent *intent, struct ssd_usage *usage)
{
	bool exclusive = intent->impact == SSD_TAKES_ACCESS || intent->impact == SSD_DESTROYS;
	size_t n = intent->subsystem_reset ? 0 : intent->n_nsids;

	ssd_usage_free(usage);
	if (intent->impact != SSD_CHANGES || intent->subsystem_reset)
		ssd_usage_scan(intent->drive, intent->nsids, n, exclusive, usage);
}

static struct ssd_decision decide(const struct ssd_intent *intent, const struct ssd_permit *p)
{
	const struct ssd_drive *drive = intent->drive;
	struct ssd_facts facts = {.impact = intent->impact,
				  .subsystem_reset = intent->subsystem_reset,
				  .other_controllers = has_other_controllers(drive),
				  .pcie = !strcmp(drive->transport, "pcie"),
				  .simulated = drive->host->backend != SSD_BACKEND_LINUX,
				  .usage = &p->usage,
				  .yes = intent->yes,
				  .force = intent->force,
				  .confirm = intent->confirm,
				  .serial = p->serial};

	/* A dry run ends before it would be confirmed, so it is not refused for want of a terminal. */
	facts.terminal = intent->dry_run || safety_has_terminal();
	return ssd_decide(&facts);
}

static int fail_refused(const struct ssd_permit *p, const struct ssd_decision *d, struct ssd_err *err)
{
	ssd_fail(err, SSD_ERR_REFUSED, "%s: %s; nothing was sent", p->device, d->reason);
	ssd_hint(err, "%s", d->hint);
	return -1;
}

static char *question(const struct ssd_intent *intent, const struct ssd_permit *p)
{
	const struct ssd_drive *drive = intent->drive;
	char model[200], revision[80], use[320], *text;

	safety_shown(model, sizeof(model), drive->model);
	safety_shown(revision, sizeof(revision), drive->firmware);
	text = ssd_asprintf("%s%s: %s, serial number %s, firmware %s\n", p->device, p->real ? "" : " (simulated)",
			    model, p->serial, revision);
	for (size_t i = 0; i < p->usage.n; i++) {
		char *longer = ssd_asprintf("%s  %s\n", text, ssd_use_text(&p->usage.uses[i], use, sizeof(use)));

		free(text);
		text = longer;
	}
	{
		char *longer = ssd_asprintf("%sAbout to %s.%s\n", text, intent->what,
					    intent->impact == SSD_DESTROYS ? " THE DATA WILL BE LOST." : "");

		free(text);
		return longer;
	}
}

/* A person may think for long: what was true before the question must still be. */
static int ask(const struct ssd_intent *intent, struct ssd_permit *p, enum ssd_verdict verdict, struct ssd_err *err)
{
	AUTO_FREE char *text = question(intent, p);
	struct ssd_decision d;

	if (safety_ask(text, verdict == SSD_VERDICT_ASK_SERIAL ? p->serial : NULL, err)) {
		ssd_err_prefix(err, "%s", p->device);
		return -1;
	}
	look(intent, &p->usage);
	d = decide(intent, p);
	return d.verdict == SSD_VERDICT_REFUSE ? fail_refused(p, &d, err) : 0;
}

int ssd_permit_get(const struct ssd_intent *intent, struct ssd_permit **permit, struct ssd_err *err)
{
	AUTO(auto_permit) struct ssd_permit *p = permit_new(intent);
	struct ssd_decision d;

	*permit = NULL;
	if (!intent->dry_run && safety_lock(intent->drive, &p->lock, err))
		return -1;
	look(intent, &p->usage);
	d = decide(intent, p);
	if (d.verdict == SSD_VERDICT_REFUSE)
		return fail_refused(p, &d, err);
	if (intent->dry_run)
		return 0;
	if (d.verdict != SSD_VERDICT_GO && ask(intent, p, d.verdict, err))
		return -1;
	p->grant = safety_grant_new(SSD_VERDICT_GO, intent);
	*permit = STEAL(p);
	return 0;
}

const struct ssd_grant *ssd_permit_grant(const struct ssd_permit *permit)
{
	return permit->grant;
}

void ssd_permit_log(const struct ssd_permit *permit, const char *outcome)
{
	if (permit->real)
		safety_journal(permit->device, permit->serial, permit->what, outcome);
}
