/* SPDX-License-Identifier: MIT */
/* ssdct sanitize: start an operation on the whole drive, see how far it is, leave the mode that a failed one left. */
#include "change.h"
#include "cmd.h"
#include "media_common.h"

#include <ssdct/id_ctrl.h>
#include <ssdct/le.h>
#include <ssdct/page.h>

static const char *const action_words[] = {
	[SSD_SANACT_BLOCK] = "block", [SSD_SANACT_OVERWRITE] = "overwrite", [SSD_SANACT_CRYPTO] = "crypto"};

struct options {
	const char *action, *pattern;
	uint64_t passes;
	bool invert, no_deallocate, unrestricted_exit, wait;
	struct sanitize_options plan;
};

static const struct ssd_option start_options[] = {
	{"action", 0, SSD_OPT_STR, SSD_OPTION(struct options, action), "HOW",
	 "block (erase), crypto (erase), overwrite"},
	{"passes", 0, SSD_OPT_UINT, SSD_OPTION(struct options, passes), "N", "overwrite so often; default 1", 1, 16},
	{"pattern", 0, SSD_OPT_STR, SSD_OPTION(struct options, pattern), "X",
	 "32 bits to overwrite with, such as 0xdeadbeef; default 0"},
	{"invert", 0, SSD_OPT_FLAG, SSD_OPTION(struct options, invert), NULL, "invert the pattern from pass to pass"},
	{"no-deallocate", 0, SSD_OPT_FLAG, SSD_OPTION(struct options, no_deallocate), NULL,
	 "leave the blocks allocated afterwards"},
	{"allow-unrestricted-exit", 0, SSD_OPT_FLAG, SSD_OPTION(struct options, unrestricted_exit), NULL,
	 "if it fails, the drive may be used again without another sanitize operation"},
	{"wait", 0, SSD_OPT_FLAG, SSD_OPTION(struct options, wait), NULL, "wait for its end, with progress"},
	{.type = SSD_OPT_END},
};

static const struct ssd_field support_fields[] = {
	{"block", "Block erase", NULL, SSD_BOOL, .flags = SSD_ALWAYS},
	{"crypto", "Crypto erase", NULL, SSD_BOOL, .flags = SSD_ALWAYS},
	{"overwrite", "Overwrite", NULL, SSD_BOOL, .flags = SSD_ALWAYS},
	{"no_deallocate_inhibited", "Always deallocates", "--no-deallocate cannot be met", SSD_BOOL,
	 .flags = SSD_ALWAYS},
	SSD_FIELD_END,
};

static const struct ssd_field members[] = {
	{"result", "Result",
	 "started, completed, failed, failure_mode_left, not_started, dry_run; null: not known, or nothing was asked "
	 "for",
	 SSD_STR},
	{"action", "Action", "block, crypto, overwrite, exit-failure", SSD_STR},
	{"estimate_seconds", "Estimated time", "By the drive's log", SSD_UINT, SSD_SECONDS},
	{"failure_mode", "Failure mode",
	 "The last operation failed: until one succeeds the drive does nothing else; null: not known", SSD_BOOL},
	{"supported", "Supported", "SANICAP", SSD_OBJ, .sub = support_fields},
	MEDIA_COMMON_FIELDS,
	SSD_FIELD_END,
};

static const struct ssd_field fields[] = {
	{"sanitize", "Sanitize", NULL, SSD_OBJ, .sub = members},
	SSD_FIELD_END,
};

static const struct ssd_page *const pages[] = {&ssd_page_sanitize, NULL};

/* --- documents --- */

static void doc_facts(struct ssd_row *row, const struct media_facts *facts, int failure_mode)
{
	struct ssd_node *doc = ssd_set_obj(row->element, "sanitize"), *n = ssd_set_obj(doc, "supported");

	/* SANICAP bits 0, 1, 2 and 29: NVM Express Base Specification 2.0c, figure 275. */
	ssd_set_bool(n, "crypto", facts->sanicap & 1);
	ssd_set_bool(n, "block", facts->sanicap & 2);
	ssd_set_bool(n, "overwrite", facts->sanicap & 4);
	ssd_set_bool(n, "no_deallocate_inhibited", facts->sanicap >> 29 & 1);
	if (failure_mode >= 0)
		ssd_set_bool(doc, "failure_mode", failure_mode);
}

static void doc_plan(struct ssd_node *doc, const struct ssd_drive *drive, const struct media_facts *facts,
		     const struct sanitize_plan *plan)
{
	struct ssd_cmd cmd;

	sanitize_plan_cmd(plan, &cmd);
	media_doc_scope(doc, drive, facts, &plan->scope);
	media_doc_cmd(doc, &cmd);
	for (size_t i = 0; i < plan->n_notes; i++)
		media_doc_note(doc, plan->notes[i]);
	if (plan->estimate_seconds >= 0)
		ssd_set_uint(doc, "estimate_seconds", (uint64_t)plan->estimate_seconds);
	ssd_set_uint(doc, "commands", 1);
}

/* --- a command under its permit --- */

static int act(struct media_change *c, const struct media_job *job, struct media_outcome *out, struct ssd_err *err)
{
	const struct options *o = c->run->options;
	int rc = sanitize_run(job, c->plan, o->wait, out, err);
	struct ssd_node *log = NULL;

	if (out->log_known)
		log = ssd_read_page(c->dev, c->row->arena, &ssd_page_sanitize, SSD_NSID_ALL, NULL);
	if (log)
		ssd_attach(c->row->element, log);
	return rc;
}

static int run_plan(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row, const struct media_facts *facts,
		    const struct sanitize_plan *plan, const char *what)
{
	struct ssd_node *doc = ssd_get_mutable(row->element, "sanitize");
	struct media_change c = {.run = run,
				 .row = row,
				 .dev = dev,
				 .what = what,
				 .opcode = SSD_ADMIN_SANITIZE,
				 .facts = facts,
				 .scope = &plan->scope,
				 .doc = doc,
				 .act = act,
				 .plan = plan};

	doc_plan(doc, dev->drive, facts, plan);
	return media_change_run(&c);
}

static int begin(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row, struct media_facts *facts)
{
	if (change_check_backend(run, dev, &row->err) || media_facts_read(dev, facts, &row->err))
		return -1;
	doc_facts(row, facts, facts->failure_mode);
	return 0;
}

static int fail_plan(struct ssd_device *dev, struct ssd_row *row)
{
	ssd_err_prefix(&row->err, "%s", dev->drive->device);
	return -1;
}

/* --- start --- */

static int parse_action(const char *text, enum ssd_sanitize_action *action, struct ssd_err *err)
{
	if (!text)
		return ssd_fail(err, SSD_ERR_USAGE, "--action block|crypto|overwrite is missing");
	for (unsigned i = 0; i < ARRAY_SIZE(action_words); i++) {
		if (!action_words[i] || strcmp(action_words[i], text) != 0)
			continue;
		*action = (enum ssd_sanitize_action)i;
		return 0;
	}
	return ssd_fail(err, SSD_ERR_USAGE, "--action: \"%s\" is none of block, crypto, overwrite", text);
}

static int parse_pattern(const char *text, uint32_t *pattern, struct ssd_err *err)
{
	bool hex = text && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	unsigned long long v;
	char *end;

	if (!text)
		return 0;
	v = strtoull(text, &end, hex ? 16 : 10);
	if (*text < '0' || *text > '9' || *end || strlen(text) > 10 || v > UINT32_MAX)
		return ssd_fail(err, SSD_ERR_USAGE, "--pattern: \"%s\" is not a number of 32 bits", text);
	*pattern = (uint32_t)v;
	return 0;
}

static int start_prepare(struct ssd_run *run, struct ssd_err *err)
{
	struct options *o = run->options;

	o->plan = (struct sanitize_options){.passes = (unsigned)o->passes,
					    .invert = o->invert,
					    .no_deallocate = o->no_deallocate,
					    .unrestricted_exit = o->unrestricted_exit};
	if (parse_action(o->action, &o->plan.action, err) || parse_pattern(o->pattern, &o->plan.pattern, err))
		return -1;
	if (o->plan.action != SSD_SANACT_OVERWRITE && (o->passes || o->pattern || o->invert))
		return ssd_fail(err, SSD_ERR_USAGE, "--passes, --pattern and --invert are for --action overwrite");
	return 0;
}

static int start_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	const struct options *o = run->options;
	struct media_facts facts = {0};
	struct sanitize_plan plan = {0};
	char what[120];
	int rc = begin(run, dev, row, &facts);

	if (!rc) {
		ssd_set_str(ssd_get_mutable(row->element, "sanitize"), "action", action_words[o->plan.action]);
		snprintf(what, sizeof(what), "sanitize the whole drive, all %zu namespace%s, by %s%s", facts.n,
			 facts.n == 1 ? "" : "s", action_words[o->plan.action],
			 o->plan.action == SSD_SANACT_OVERWRITE ? "" : " erase");
		rc = sanitize_plan(&facts, &o->plan, &plan, &row->err) ? fail_plan(dev, row)
								       : run_plan(run, dev, row, &facts, &plan, what);
	}
	sanitize_plan_free(&plan);
	media_facts_free(&facts);
	return rc;
}

/* --- text --- */

static const struct media_result_text results[] = {
	{"started", "runs in the drive; see: ssdct sanitize status"},
	{"completed", "the drive's log says that it has succeeded"},
	{"failed", "the drive's log says that it has failed"},
	{"failure_mode_left", "the drive can be used again; what is on it is not sanitized"},
	{"not_started", "nothing was started"},
	{"dry_run", "would be sent like this; nothing was sent"},
	{NULL, NULL},
};

static void log_text(const struct ssd_node *log, FILE *out)
{
	const struct ssd_node *progress = ssd_get(log, "progress_percent");

	fprintf(out, "  state: %s", ssd_get_str(log, "state.name", "not known"));
	if (progress && ssd_get_int(log, "state.value", 0) == SSD_SANITIZE_IN_PROGRESS)
		fprintf(out, ", %.1f %%", progress->real);
	fprintf(out, "\n");
}

static void sanitize_text(const struct ssd_run *run, FILE *out)
{
	for (size_t i = 0; i < run->n_rows; i++) {
		const struct ssd_node *element = run->rows[i].element, *doc = ssd_get(element, "sanitize");
		const struct ssd_node *log = ssd_get(element, "sanitize_log");

		if (!doc)
			continue;
		ssd_text_title(run, &run->rows[i], out);
		media_result_text(doc, results, out);
		if (log)
			log_text(log, out);
		if (ssd_get(doc, "estimate_seconds"))
			fprintf(out, "  estimated time: %s\n", ssd_node_text(ssd_get(doc, "estimate_seconds")));
		media_text(run, doc, out);
	}
}

static const struct ssd_command sanitize_start = {
	.name = "start",
	.summary = "sanitize the whole drive: all of its namespaces lose their data for ever",
	.usage = "DRIVE --action block|crypto|overwrite [--wait]",
	.help = "The operation runs in the drive and cannot be stopped, not even by a power cycle. Whether it has "
		"succeeded "
		"is told\n"
		"by the drive's log: wait for it with --wait, or ask with sanitize status.",
	.examples =
		(const char *const[]){"sanitize start nvme0 --action crypto --dry-run",
				      "sanitize start nvme0 --action block --wait --confirm CVFT5152003M2P0EGN", NULL},
	.flags = SSD_CMD_CHANGES | SSD_CMD_DRY_RUN,
	.drives = SSD_DRIVES_ONE,
	.options = start_options,
	.options_size = sizeof(struct options),
	.fields = fields,
	.pages = pages,
	.prepare = start_prepare,
	.each = start_each,
	.text = sanitize_text,
};

/* --- status --- */

/* No namespaces: a drive in the midst of an operation, or in the failure mode, need not say anything of them. */
static int status_facts(struct ssd_device *dev, struct media_facts *facts, struct ssd_err *err)
{
	if (ssd_id_ctrl(dev, err))
		return -1;
	facts->sanicap = ssd_le32(dev->id_ctrl + SSD_ID_CTRL_SANICAP);
	/* Bits 2:0, the operations, as in doc_facts(). */
	facts->sanitizes = facts->sanicap & 7;
	if (facts->sanitizes && media_log_read(dev, &facts->log, err))
		return -1;
	return 0;
}

static int status_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	struct media_facts facts = {0};
	int rc = status_facts(dev, &facts, &row->err), mode;

	(void)run;
	if (rc)
		return rc;
	mode = facts.sanitizes ? media_failure_mode(dev, &facts.log, NULL) : 0;
	doc_facts(row, &facts, mode);
	if (facts.sanitizes)
		return ssd_row_page(dev, row, &ssd_page_sanitize, SSD_NSID_ALL);
	return ssd_fail(&row->err, SSD_ERR_UNSUPPORTED, "%s: this drive has no sanitize operations (SANICAP 0x%08x)",
			dev->drive->device, facts.sanicap);
}

static void status_text(const struct ssd_run *run, FILE *out)
{
	static const char *const keys[] = {"block", "crypto", "overwrite", "no_deallocate_inhibited"};

	for (size_t i = 0; i < run->n_rows; i++) {
		const struct ssd_node *element = run->rows[i].element, *log = ssd_get(element, "sanitize_log");
		const struct ssd_node *can = ssd_get(element, "sanitize.supported");

		if (!log)
			continue;
		ssd_text_title(run, &run->rows[i], out);
		log_text(log, out);
		if (ssd_get_int(element, "sanitize.failure_mode", 0))
			fputs("  the drive is in the failure mode: until an operation succeeds it does nothing else\n",
			      out);
		for (size_t k = 0; k < ARRAY_SIZE(keys); k++)
			fprintf(out, "  %-20s %s\n", ssd_get(can, keys[k])->field->label,
				ssd_get_int(can, keys[k], 0) ? "yes" : "no");
		ssd_render_text(log, out);
	}
}

static const struct ssd_command sanitize_status = {
	.name = "status",
	.summary = "the sanitize operation that runs or was the last one",
	.usage = "DRIVE... | --all",
	.help = "Decodes log page 81h: state, progress, and how long the drive thinks that each operation takes.",
	.examples = (const char *const[]){"sanitize status nvme0", NULL},
	.drives = SSD_DRIVES_SOME,
	.fields = fields,
	.pages = pages,
	.each = status_each,
	.text = status_text,
};

/* --- exit-failure --- */

static int exit_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	struct media_facts facts = {0};
	struct sanitize_plan plan = {0};
	int rc = begin(run, dev, row, &facts);

	if (!rc) {
		ssd_set_str(ssd_get_mutable(row->element, "sanitize"), "action", "exit-failure");
		rc = sanitize_plan_exit(&facts, &plan, &row->err)
			     ? fail_plan(dev, row)
			     : run_plan(run, dev, row, &facts, &plan, "leave the failure mode of a sanitize operation");
	}
	sanitize_plan_free(&plan);
	media_facts_free(&facts);
	return rc;
}

static const struct ssd_command sanitize_exit = {
	.name = "exit-failure",
	.summary = "use a drive again whose sanitize operation failed",
	.usage = "DRIVE",
	.help = "Only when the operation was started with --allow-unrestricted-exit. What is on the drive is not "
		"sanitized.",
	.examples = (const char *const[]){"sanitize exit-failure nvme0 --confirm CVFT5152003M2P0EGN", NULL},
	.flags = SSD_CMD_CHANGES | SSD_CMD_DRY_RUN,
	.drives = SSD_DRIVES_ONE,
	.options_size = sizeof(struct options),
	.fields = fields,
	.pages = pages,
	.each = exit_each,
	.text = sanitize_text,
};

const struct ssd_command cmd_sanitize = {
	.name = "sanitize",
	.summary = "sanitize the whole drive: start, status, exit-failure",
	.verbs = (const struct ssd_command *const[]){&sanitize_start, &sanitize_status, &sanitize_exit, NULL},
};
