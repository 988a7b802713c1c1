/* SPDX-License-Identifier: MIT */
/* The plan of a sanitize operation: a pure function of what the drive says and what is wished. */
#include "media/media.h"

/* SANICAP: NVM Express Base Specification 2.0c, figure 275. CDW10 of Sanitize: the same, "Sanitize command". */
#define SANICAP_NDI (1u << 29) /* No-Deallocate Inhibited */
enum { CDW10_UNRESTRICTED = 1 << 3, CDW10_INVERT = 1 << 8, CDW10_NO_DEALLOCATE = 1 << 9 };
#define MOST_PASSES 16

static const struct {
	enum ssd_sanitize_action action;
	const char *name;
	unsigned capability; /* bit of SANICAP */
	unsigned estimate;   /* index in the log */
} actions[] = {
	{SSD_SANACT_BLOCK, "block erase", 1, 1},
	{SSD_SANACT_OVERWRITE, "overwrite", 2, 0},
	{SSD_SANACT_CRYPTO, "crypto erase", 0, 2},
};

static void note(struct sanitize_plan *plan, const char *text)
{
	if (plan->n_notes < ARRAY_SIZE(plan->notes))
		ssd_strcpy(plan->notes[plan->n_notes++], sizeof(plan->notes[0]), text);
}

static int check_drive(const struct media_facts *f, struct ssd_err *err)
{
	if (!f->sanitizes)
		return ssd_fail(err, SSD_ERR_UNSUPPORTED, "this drive has no sanitize operations (SANICAP 0x%08x)",
				f->sanicap);
	if (!f->busy_with)
		return 0;
	ssd_fail(err, SSD_ERR_REFUSED, "%s is running; nothing was sent", f->busy_with);
	ssd_hint(err, "wait until it has ended");
	return -1;
}

/* "block, crypto": what the drive can. */
static void list_actions(uint32_t sanicap, char *buf, size_t size)
{
	static const char *const words[] = {"crypto", "block", "overwrite"};
	size_t len = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(words); i++)
		if (sanicap >> i & 1)
			len += (size_t)snprintf(buf + len, size - len, "%s%s", len ? ", " : "", words[i]);
}

static int check_options(const struct media_facts *f, const struct sanitize_options *o, size_t row, struct ssd_err *err)
{
	bool failed = f->failure_mode;
	char can[40] = "";

	if (!(f->sanicap >> actions[row].capability & 1)) {
		list_actions(f->sanicap, can, sizeof(can));
		return ssd_fail(err, SSD_ERR_UNSUPPORTED,
				"this drive cannot sanitize by %s; it can by %s (SANICAP 0x%08x)", actions[row].name,
				can, f->sanicap);
	}
	if (o->passes > MOST_PASSES)
		return ssd_fail(err, SSD_ERR_USAGE, "an overwrite has 1 to 16 passes");
	if (o->no_deallocate && f->sanicap & SANICAP_NDI)
		return ssd_fail(err, SSD_ERR_UNSUPPORTED,
				"this drive always deallocates (SANICAP 0x%08x, bit 29): --no-deallocate cannot be met",
				f->sanicap);
	if (failed && o->unrestricted_exit && !(f->log.cdw10 & CDW10_UNRESTRICTED)) {
		ssd_fail(err, SSD_ERR_UNSUPPORTED,
			 "the operation that failed did not allow an unrestricted exit, and no later one may");
		ssd_hint(err, "leave out --allow-unrestricted-exit");
		return -1;
	}
	return 0;
}

static int64_t estimate(const struct ssd_sanitize_log *log, size_t row, bool no_deallocate)
{
	uint32_t seconds = log->estimates[actions[row].estimate + (no_deallocate ? 3 : 0)];

	return seconds == UINT32_MAX ? -1 : (int64_t)seconds;
}

static void add_notes(const struct media_facts *f, struct sanitize_plan *plan)
{
	if (f->failure_mode)
		note(plan, "the last sanitize operation failed; this one may end that");
	if (f->many_controllers && !f->lists_controllers)
		note(plan, "the drive may have other controllers, and does not say whether another host uses them");
}

int sanitize_plan(const struct media_facts *f, const struct sanitize_options *o, struct sanitize_plan *plan,
		  struct ssd_err *err)
{
	size_t row = 0;

	*plan = (struct sanitize_plan){.timeout_ms = ssd_timeout_ms(SSD_ADMIN_SANITIZE), .estimate_seconds = -1};
	while (row < ARRAY_SIZE(actions) && actions[row].action != o->action)
		row++;
	if (row == ARRAY_SIZE(actions))
		return ssd_fail(err, SSD_ERR_USAGE, "no such sanitize action");
	if (check_drive(f, err) || check_options(f, o, row, err))
		return -1;
	media_scope_sanitize(f, &plan->scope);
	plan->cdw10 = (uint32_t)o->action | (o->unrestricted_exit ? (uint32_t)CDW10_UNRESTRICTED : 0u) |
		      (o->no_deallocate ? (uint32_t)CDW10_NO_DEALLOCATE : 0u);
	if (o->action == SSD_SANACT_OVERWRITE) {
		/* OWPASS 0 is 16 passes. */
		plan->cdw10 |= (o->passes ? o->passes & 0xf : 1u) << 4 | (o->invert ? (uint32_t)CDW10_INVERT : 0u);
		plan->cdw11 = o->pattern;
	}
	plan->estimate_seconds = estimate(&f->log, row, o->no_deallocate);
	add_notes(f, plan);
	return 0;
}

int sanitize_plan_exit(const struct media_facts *f, struct sanitize_plan *plan, struct ssd_err *err)
{
	*plan = (struct sanitize_plan){.timeout_ms = ssd_timeout_ms(SSD_ADMIN_SANITIZE), .estimate_seconds = -1};
	if (check_drive(f, err))
		return -1;
	if (!f->failure_mode)
		return ssd_fail(err, SSD_ERR_REFUSED,
				"the drive is not in the failure mode of a sanitize operation; nothing was sent");
	if (!(f->log.cdw10 & CDW10_UNRESTRICTED)) {
		ssd_fail(err, SSD_ERR_UNSUPPORTED,
			 "the operation that failed did not allow an unrestricted exit: only one that succeeds ends "
			 "this");
		ssd_hint(err, "see: ssdct sanitize start");
		return -1;
	}
	media_scope_sanitize(f, &plan->scope);
	plan->cdw10 = SSD_SANACT_EXIT_FAILURE;
	return 0;
}

void sanitize_plan_free(struct sanitize_plan *plan)
{
	media_scope_free(&plan->scope);
}

void sanitize_plan_cmd(const struct sanitize_plan *plan, struct ssd_cmd *cmd)
{
	*cmd = (struct ssd_cmd){.opcode = SSD_ADMIN_SANITIZE,
				.cdw10 = plan->cdw10,
				.cdw11 = plan->cdw11,
				.timeout_ms = plan->timeout_ms};
}
