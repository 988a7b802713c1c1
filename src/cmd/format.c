/* SPDX-License-Identifier: MIT */
/* ssdct format: Format NVM, with the scope that the drive makes of it. */
#include "change.h"
#include "cmd.h"
#include "media_common.h"

static const char *const erase_words[] = {"none", "user-data", "crypto", NULL};
static const char *const place_words[] = {"separate", "extended", NULL};

struct options {
	uint64_t block_bytes, nsid; /* 0: not given */
	uint32_t target;            /* the namespace that is meant; 0: none was named */
	unsigned erase;
	bool all_namespaces, protection_first;
	const char *lba_format, *metadata, *metadata_size, *protection; /* text, as 0 is a value of all */
	struct format_options plan;
};

static const struct ssd_option options[] = {
	{"block-size", 0, SSD_OPT_SIZE, SSD_OPTION(struct options, block_bytes), "BYTES",
	 "block size; of several formats the fastest without metadata", 512, 1u << 30},
	{"lba-format", 0, SSD_OPT_STR, SSD_OPTION(struct options, lba_format), "N",
	 "instead, the format by its number"},
	{"erase", 0, SSD_OPT_ENUM, SSD_OPTION(struct options, erase), "HOW", "none (default), user-data, crypto",
	 .words = erase_words},
	{"metadata", 0, SSD_OPT_STR, SSD_OPTION(struct options, metadata), "WHERE",
	 "metadata in a buffer of their own (separate) or at the end of each block (extended)"},
	{"metadata-size", 0, SSD_OPT_STR, SSD_OPTION(struct options, metadata_size), "BYTES",
	 "metadata per block, with --block-size; default 0"},
	{"protection", 0, SSD_OPT_STR, SSD_OPTION(struct options, protection), "0..3",
	 "type of the end-to-end protection information, 0 is none"},
	{"protection-first", 0, SSD_OPT_FLAG, SSD_OPTION(struct options, protection_first), NULL,
	 "protection information in the first bytes of the metadata, not in the last"},
	{"nsid", 'n', SSD_OPT_UINT, SSD_OPTION(struct options, nsid), "N", "the namespace, when a controller is named",
	 1, 0xfffffffe},
	{"all-namespaces", 0, SSD_OPT_FLAG, SSD_OPTION(struct options, all_namespaces), NULL,
	 "all namespaces that the drive formats or erases by it may be lost"},
	{.type = SSD_OPT_END},
};

static const struct ssd_field members[] = {
	{"result", "Result", "formatted, partly, failed, not_started, dry_run; null: not known", SSD_STR},
	{"erase", "Erase", "none, user-data, crypto", SSD_STR},
	{"lba_format", "LBA format", "That is wanted; null: the namespaces get different ones", SSD_UINT},
	{"block_bytes", "Block size", "That is wanted", SSD_UINT, SSD_BYTES},
	{"metadata_bytes", "Metadata per block", "That are wanted", SSD_UINT, SSD_BYTES},
	MEDIA_COMMON_FIELDS,
	SSD_FIELD_END,
};

static const struct ssd_field fields[] = {
	{"format", "Format", NULL, SSD_OBJ, .sub = members},
	SSD_FIELD_END,
};

/* A whole number from 0 to max; -1 when it was not given. */
static int number(const char *name, const char *text, unsigned max, int *value, struct ssd_err *err)
{
	unsigned long v;
	char *end;

	*value = -1;
	if (!text)
		return 0;
	v = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || strlen(text) > 9 || v > max)
		return ssd_fail(err, SSD_ERR_USAGE, "--%s: \"%s\" is not a number from 0 to %u", name, text, max);
	*value = (int)v;
	return 0;
}

static int place(const char *text, int *value, struct ssd_err *err)
{
	*value = -1;
	for (int i = 0; text && place_words[i]; i++)
		if (!strcmp(text, place_words[i]))
			*value = i;
	if (text && *value < 0)
		return ssd_fail(err, SSD_ERR_USAGE, "--metadata: \"%s\" is neither separate nor extended", text);
	return 0;
}

static int format_prepare(struct ssd_run *run, struct ssd_err *err)
{
	struct options *o = run->options;
	struct format_options *p = &o->plan;

	*p = (struct format_options){.all_namespaces = o->all_namespaces,
				     .erase = (enum media_erase)o->erase,
				     .block_bytes = o->block_bytes,
				     .protection_first = o->protection_first};
	if (change_nsid(&run->rows[0].target, o->nsid, &o->target, err))
		return -1;
	if (o->lba_format && (o->block_bytes || o->metadata_size))
		return ssd_fail(err, SSD_ERR_USAGE, "--lba-format already says block size and metadata");
	return number("lba-format", o->lba_format, MEDIA_FORMATS - 1, &p->lba_format, err) ||
			       number("metadata-size", o->metadata_size, UINT16_MAX, &p->metadata_bytes, err) ||
			       number("protection", o->protection, 3, &p->protection, err) ||
			       place(o->metadata, &p->extended, err)
		       ? -1
		       : 0;
}

static void doc_target(struct ssd_node *doc, const struct media_facts *facts, const struct format_plan *plan)
{
	const struct media_format *t = NULL;
	const struct media_lbaf *f;

	for (size_t i = 0; i < plan->scope.n; i++) {
		if (!plan->scope.formatted[i])
			continue;
		if (t && t->index != plan->targets[i].index)
			return;
		t = &plan->targets[i];
		f = &media_find(facts, plan->scope.nsids[i])->formats[t->index];
	}
	if (!t)
		return;
	ssd_set_uint(doc, "lba_format", t->index);
	ssd_set_uint(doc, "block_bytes", f->block_bytes);
	ssd_set_uint(doc, "metadata_bytes", f->metadata_bytes);
}

static void doc_plan(struct ssd_node *doc, const struct ssd_drive *drive, const struct media_facts *facts,
		     const struct format_plan *plan)
{
	struct ssd_cmd cmd;

	ssd_set_str(doc, "erase", erase_words[plan->erase]);
	doc_target(doc, facts, plan);
	media_doc_scope(doc, drive, facts, &plan->scope);
	for (size_t k = 0; k < plan->scope.n_commands; k++) {
		format_plan_cmd(plan, k, &cmd);
		media_doc_cmd(doc, &cmd);
	}
	for (size_t i = 0; i < plan->n_notes; i++)
		media_doc_note(doc, plan->notes[i]);
	ssd_set_uint(doc, "commands", plan->scope.n_commands);
}

/* "format namespace 1 to format 3 (4096 B) with a crypto erase", for question and journal. */
static void say_what(const struct ssd_node *doc, const struct format_plan *plan, char *buf, size_t size)
{
	static const char *const erases[] = {"", ", erasing user data", ", with a crypto erase"};
	char format[80] = "as it is";

	if (ssd_get(doc, "lba_format"))
		snprintf(format, sizeof(format), "to %lld-byte blocks (format %lld)",
			 (long long)ssd_get_int(doc, "block_bytes", 0), (long long)ssd_get_int(doc, "lba_format", 0));
	if (plan->scope.n == 1)
		snprintf(buf, size, "format namespace %u %s%s", plan->scope.nsids[0], format, erases[plan->erase]);
	else
		snprintf(buf, size, "format %zu namespaces %s%s", plan->scope.n, format, erases[plan->erase]);
}

static int act(struct media_change *c, const struct media_job *job, struct media_outcome *out, struct ssd_err *err)
{
	return format_run(job, c->plan, out, err);
}

static int run_plan(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row, const struct media_facts *facts,
		    const struct format_plan *plan)
{
	struct ssd_node *doc = ssd_set_obj(row->element, "format");
	char what[160];
	struct media_change c = {.run = run,
				 .row = row,
				 .dev = dev,
				 .what = what,
				 .opcode = SSD_ADMIN_FORMAT_NVM,
				 .facts = facts,
				 .scope = &plan->scope,
				 .reads = true,
				 .doc = doc,
				 .act = act,
				 .plan = plan};

	doc_plan(doc, dev->drive, facts, plan);
	say_what(doc, plan, what, sizeof(what));
	return media_change_run(&c);
}

static int format_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	const struct options *o = run->options;
	struct media_facts facts = {0};
	struct format_plan plan = {0};
	int rc = -1;

	if (!change_check_backend(run, dev, &row->err) && !media_facts_read(dev, &facts, &row->err)) {
		rc = format_plan(&facts, o->target, &o->plan, &plan, &row->err);
		if (rc)
			ssd_err_prefix(&row->err, "%s", dev->drive->device);
		else
			rc = run_plan(run, dev, row, &facts, &plan);
	}
	format_plan_free(&plan);
	media_facts_free(&facts);
	return rc;
}

static const struct media_result_text results[] = {
	{"formatted", "so says the drive, and its format is the one that was wanted"},
	{"partly", "only some of the namespaces were formatted"},
	{"failed", "not as wanted"},
	{"not_started", "nothing was formatted"},
	{"dry_run", "would be sent like this; nothing was sent"},
	{NULL, NULL},
};

static void format_text(const struct ssd_run *run, FILE *out)
{
	for (size_t i = 0; i < run->n_rows; i++) {
		const struct ssd_node *doc = ssd_get(run->rows[i].element, "format");

		if (!doc)
			continue;
		ssd_text_title(run, &run->rows[i], out);
		media_result_text(doc, results, out);
		if (ssd_get(doc, "block_bytes"))
			fprintf(out, "  wanted: %lld B blocks (format %lld), erase %s\n",
				(long long)ssd_get_int(doc, "block_bytes", 0),
				(long long)ssd_get_int(doc, "lba_format", 0), ssd_get_str(doc, "erase", ""));
		media_text(run, doc, out);
	}
}

const struct ssd_command cmd_format = {
	.name = "format",
	.summary = "format namespaces: block size, metadata, erase; destroys their data",
	.usage = "DRIVE [--block-size BYTES | --lba-format N] [--erase none|user-data|crypto]",
	.help = "What loses its data is found out from the drive first; when that is more than was named, it is "
		"refused "
		"until\n"
		"--all-namespaces says so. A namespace in use is never formatted. The format stays as it is unless an "
		"option "
		"says\n"
		"otherwise. Afterwards the drive is asked what it has made of it.",
	.examples = (const char *const[]){"format nvme0n1 --block-size 4096 --dry-run",
					  "format nvme0n1 --erase user-data --confirm CVFT5152003M2P0EGN", NULL},
	.flags = SSD_CMD_CHANGES | SSD_CMD_DRY_RUN,
	.drives = SSD_DRIVES_ONE,
	.options = options,
	.options_size = sizeof(struct options),
	.fields = fields,
	.prepare = format_prepare,
	.each = format_each,
	.text = format_text,
};
