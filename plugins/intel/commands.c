/* SPDX-License-Identifier: MIT */
/*
 * ssdct intel, ssdct solidigm: what only these drives have. A verb is a row: the pages, features and computed objects that it
 * shows. A word behind the drive sets a feature, as `feature set` does.
 */
#include "intel.h"
#include "latency.h"

#include <ssdct/cli.h>

int intel_check_drive(struct ssd_device *dev, struct ssd_err *err)
{
	struct intel_product p;

	if (ssd_id_ctrl(dev, err))
		return -1;
	if (intel_identify_device(dev, &p))
		return 0;
	ssd_fail(err, SSD_ERR_UNSUPPORTED,
		 "%s is not an Intel or Solidigm data-centre drive; no vendor command was sent", dev->drive->device);
	return -1;
}

/* Nothing is asked of a drive whose product line is not known to have it: that would make an entry in its error log. */
static int fail_missing(const struct ssd_device *dev, const struct ssd_field *what, struct ssd_err *err)
{
	ssd_fail(err, SSD_ERR_UNSUPPORTED, "%s: no table says that this product line has it: %s", dev->drive->device,
		 what->label);
	ssd_hint(err, "nothing was asked for; what the drive is known as: ssdct intel product %s", dev->drive->device);
	return -1;
}

static int fail_missing_page(const struct ssd_device *dev, const struct ssd_page *page, struct ssd_err *err)
{
	fail_missing(dev, &page->field, err);
	ssd_hint(err, "nothing was asked for; the pages that there are: ssdct log list %s", dev->drive->device);
	return -1;
}

/* ---- verbs that show pages ---- */

static int pages_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	if (intel_check_drive(dev, &row->err))
		return -1;
	for (const struct ssd_page *const *p = run->command->pages; *p; p++) {
		/* Generations have it in different places: the drive's own table says where. */
		const struct ssd_page *page = ssd_vendor_page(dev, (*p)->field.key);

		if (!page)
			return fail_missing_page(dev, *p, &row->err);
		if (ssd_row_page(dev, row, page, 0))
			return -1;
	}
	return 0;
}

#define DRIVES .usage = "DRIVE... | --all", .drives = SSD_DRIVES_SOME

#define PAGE_VERB(variable, verb, page, text)                                    \
	static const struct ssd_command variable = {                             \
		.name = (verb),                                                  \
		.summary = (text),                                               \
		DRIVES,                                                          \
		.examples = (const char *const[]){"intel " verb " nvme0", NULL}, \
		.pages = (const struct ssd_page *const[]){&(page), NULL},        \
		.each = pages_each,                                              \
	}

PAGE_VERB(verb_temperature, "temperature", intel_page_temperature,
	  "temperature statistics: now, highest and lowest ever, limits (log page C5h or D5h)");
PAGE_VERB(verb_market_name, "market-name", intel_page_market_name, "the name under which the drive is sold (DDh)");
PAGE_VERB(verb_controller, "controller", intel_page_controller,
	  "the vendor's part of Identify: health text, boot loader, link");
PAGE_VERB(verb_queues, "queues", intel_page_queues, "I/O queues as the drive sees them (CBh)");
PAGE_VERB(verb_power, "power", intel_page_power, "power that the drive takes now (F2h)");
PAGE_VERB(verb_workload, "workload", intel_page_workload, "the workload tracker's samples (F9h)");
PAGE_VERB(verb_gc, "garbage-collection", intel_page_garbage_collection, "when the drive collected garbage (FDh)");
PAGE_VERB(verb_outliers, "outliers", intel_page_outliers, "commands that took unusually long (FEh)");

/* ---- verbs of features ---- */

static const struct feature_verb {
	const char *verb;
	const struct ssd_feature *features[3]; /* shown; the first one is set */
	const char *value;                     /* that it is always set to; NULL: the one that is given */
} feature_verbs[] = {
	{"latency-tracking", {&intel_feature_latency_tracking}},
	{"power-governor", {&intel_feature_power_governor}},
	{"workload-reset", {&intel_feature_workload_reset}, "1"},
	{"max-lba", {&intel_feature_max_lba, &intel_feature_native_max_lba}},
	{"smbus-address", {&intel_feature_smbus_address}},
	{"led-pattern", {&intel_feature_led_pattern}},
	{"latency-limits", {&intel_feature_read_limits, &intel_feature_write_limits}},
	{"workload-tracker", {&intel_feature_workload_tracker, &intel_feature_workload_trigger}},
};

static const struct feature_verb *feature_verb_of(const struct ssd_run *run)
{
	const struct feature_verb *v = feature_verbs;

	while (strcmp(v->verb, run->command->name) != 0)
		v++;
	return v;
}

static int show_feature(struct ssd_device *dev, struct ssd_row *row, const char *name)
{
	struct ssd_node *node = ssd_read_feature(dev, row->arena, ssd_vendor_feature(dev, name), &row->err);

	if (!node)
		return -1;
	ssd_attach(row->element, node);
	return 0;
}

static int features_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	const struct feature_verb *v = feature_verb_of(run);
	const struct ssd_feature *const *f = v->features;

	if (intel_check_drive(dev, &row->err))
		return -1;
	do
		if (!ssd_vendor_feature(dev, (*f)->page.name))
			return fail_missing(dev, &(*f)->page.field, &row->err);
	while (*++f);
	if (v->value || run->n_words)
		return ssd_feature_set(run, dev, row, v->features[0]->page.name, v->value ? v->value : run->words[0]);
	for (f = v->features; *f; f++)
		if (show_feature(dev, row, (*f)->page.name))
			return -1;
	return 0;
}

static int setting_prepare(struct ssd_run *run, struct ssd_err *err)
{
	(void)err;
	run->reads = !feature_verb_of(run)->value && !run->n_words;
	return 0;
}

static void setting_text(const struct ssd_run *run, FILE *out)
{
	if (!run->reads) {
		ssd_feature_set_text(run, out);
	} else if (!ssd_failed(&run->rows[0].err)) {
		ssd_text_title(run, &run->rows[0], out);
		ssd_render_text(run->rows[0].element, out);
	}
}

#define FEATURE_VERB(variable, verb, text, ...)                                  \
	static const struct ssd_command variable = {                             \
		.name = (verb),                                                  \
		.summary = (text),                                               \
		DRIVES,                                                          \
		.examples = (const char *const[]){"intel " verb " nvme0", NULL}, \
		.pages = (const struct ssd_page *const[]){__VA_ARGS__, NULL},    \
		.each = features_each,                                           \
	}

FEATURE_VERB(verb_max_lba, "max-lba", "last block that the drive shows, and the one it was made with",
	     &intel_feature_max_lba.page, &intel_feature_native_max_lba.page);
FEATURE_VERB(verb_smbus, "smbus-address", "address on the management bus", &intel_feature_smbus_address.page);
FEATURE_VERB(verb_led, "led-pattern", "how the drive's LED blinks", &intel_feature_led_pattern.page);
FEATURE_VERB(verb_limits, "latency-limits", "where the buckets of an Optane drive's latency histograms begin",
	     &intel_feature_read_limits.page, &intel_feature_write_limits.page);
FEATURE_VERB(verb_tracker, "workload-tracker", "how the workload tracker is set up",
	     &intel_feature_workload_tracker.page, &intel_feature_workload_trigger.page);

/* Those that set as well; one of them does nothing else. */
#define SETTING_VERB                                                                                        \
	.flags = SSD_CMD_CHANGES | SSD_CMD_DRY_RUN, .drives = SSD_DRIVES_ONE, .fields = ssd_feature_fields, \
	.prepare = setting_prepare, .each = features_each, .text = setting_text

static const struct ssd_command verb_tracking = {
	.name = "latency-tracking",
	.summary = "whether the latency histograms are being filled, or have them filled",
	.usage = "DRIVE [on|off]",
	.help = "With a value: what `feature set DRIVE latency-tracking VALUE` does.",
	.examples =
		(const char *const[]){"intel latency-tracking nvme0", "intel latency-tracking nvme0 on --yes", NULL},
	.max_words = 1,
	.pages = (const struct ssd_page *const[]){&intel_feature_latency_tracking.page, NULL},
	SETTING_VERB,
};

static const struct ssd_command verb_governor = {
	.name = "power-governor",
	.summary = "the power that the drive may take, in watts, or another limit",
	.usage = "DRIVE [WATTS|MODE]",
	.help = "With a value: what `feature set DRIVE power-governor VALUE` does. WATTS is one of the limits that "
		"were published of\n"
		"the product (P3700: 25, 20, 10), MODE a number from 0 to 2, or any as 0x...",
	.examples = (const char *const[]){"intel power-governor nvme0", "intel power-governor nvme0 20 --yes", NULL},
	.max_words = 1,
	.pages = (const struct ssd_page *const[]){&intel_feature_power_governor.page, NULL},
	SETTING_VERB,
};

static const struct ssd_command verb_workload_reset = {
	.name = "workload-reset",
	.summary = "start the timed workload anew: media wear, host reads, timer",
	.usage = "DRIVE",
	.help = "What `feature set DRIVE workload-reset 1` does. The attributes E2h, E3h and E4h have no data for the "
		"60 minutes\n"
		"that follow; the drive does not say whether it has done it.",
	.examples = (const char *const[]){"intel workload-reset nvme0 --yes", NULL},
	SETTING_VERB,
};

/* ---- verbs that show what is computed ---- */

static int product_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	(void)run;
	if (intel_check_drive(dev, &row->err))
		return -1;
	intel_extra_drive.fill(dev, row->element, ssd_set_obj(row->element, intel_extra_drive.field.key));
	return 0;
}

static int endurance_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	const struct ssd_page *extra = &intel_page_smart;
	struct ssd_node *known;

	(void)run;
	if (intel_check_drive(dev, &row->err))
		return -1;
	if (!ssd_vendor_page(dev, extra->field.key))
		return fail_missing(dev, &extra->field, &row->err);
	known = ssd_obj_new(row->arena, ssd_element_field(row->arena, NULL, false));
	for (unsigned i = 0; i < 2; i++) {
		struct ssd_node *page = ssd_read_page(dev, row->arena, i ? extra : &ssd_page_smart, 0, &row->err);

		if (!page)
			return -1;
		ssd_attach(known, page);
	}
	intel_extra_endurance.fill(dev, known, ssd_set_obj(row->element, intel_extra_endurance.field.key));
	return 0;
}

/* ---- latency ---- */

struct latency_options {
	bool clearing;
};

static const struct ssd_option latency_options[] = {
	{"clearing", 0, SSD_OPT_FLAG, SSD_OPTION(struct latency_options, clearing), NULL,
	 "also read histograms that reading clears: the drive no longer has them then"},
	{.type = SSD_OPT_END},
};

#define HEX_FIELD(key_, what)                                                                                      \
	{                                                                                                          \
		.key = (key_), .label = what ", bytes",                                                            \
		.help = "--clearing: the page up to its last byte that is not zero; null: the drive still has it", \
		.type = SSD_STR, .flags = SSD_NO_TEXT                                                              \
	}

static const struct ssd_field histograms[] = {
	{.key = "read",
	 .label = "Reads",
	 .help = "Latency histogram of reads; null: the drive does not give it",
	 .type = SSD_OBJ,
	 .sub = intel_latency_fields},
	{.key = "write",
	 .label = "Writes",
	 .help = "Latency histogram of writes; null: the drive does not give it",
	 .type = SSD_OBJ,
	 .sub = intel_latency_fields},
	HEX_FIELD("read_hex", "Reads"),
	HEX_FIELD("write_hex", "Writes"),
	SSD_FIELD_END,
};

static const struct ssd_field latency_fields[] = {
	{.key = "latency",
	 .label = "Latency",
	 .help = "Since tracking was switched on",
	 .type = SSD_OBJ,
	 .sub = histograms},
	SSD_FIELD_END,
};

static const struct {
	const char *page, *limits, *hex;
} directions[] = {{"intel_latency_read", "latency-limits-read", "read_hex"},
		  {"intel_latency_write", "latency-limits-write", "write_hex"}};

static void add_limits(struct ssd_device *dev, struct ssd_row *row, const char *name, struct ssd_node *histogram)
{
	const struct ssd_feature *feature = ssd_vendor_feature(dev, name);
	struct ssd_err ignored = SSD_ERR_INIT;
	const struct ssd_node *node = feature ? ssd_read_feature(dev, row->arena, feature, &ignored) : NULL;
	const struct ssd_node *list = ssd_get(node, "limits_us");
	uint32_t limits[INTEL_LATENCY_BUCKETS];
	unsigned n = 0;

	for (const struct ssd_node *l = list ? list->child : NULL; l && n < INTEL_LATENCY_BUCKETS; l = l->next)
		limits[n++] = (uint32_t)l->u;
	if (n == INTEL_LATENCY_BUCKETS)
		intel_latency_set_limits(histogram, limits);
}

/* As far as there is something. */
static void keep_bytes(struct ssd_node *latency, const char *key, const uint8_t *buf, size_t len)
{
	while (len && !buf[len - 1])
		len--;
	ssd_set_hex(latency, key, buf, len);
}

/* A recording of such a page stays. */
static bool clears_now(struct ssd_device *dev, const struct ssd_page *page)
{
	return page->flags & SSD_PAGE_CLEARS &&
	       ssd_log_page_hazard(dev, (uint8_t)page->id, ssd_uuid_index(dev, page->uuid));
}

/*
 * A histogram under the command's own key. One command reads all of it: there may be no second time, and what cannot be decoded
 * is kept as bytes then. -1: *err says why.
 */
static int read_histogram(struct ssd_device *dev, struct ssd_row *row, unsigned i, struct ssd_err *err)
{
	const struct ssd_page *page = ssd_vendor_page(dev, directions[i].page);
	struct ssd_node *latency = ssd_get_mutable(row->element, "latency"), *node;
	bool clears = page && clears_now(dev, page);
	AUTO_FREE uint8_t *buf = NULL;
	struct ssd_log_request req;
	size_t got;

	if (!page)
		return fail_missing_page(dev, &intel_page_latency_read, err);
	buf = ssd_page_alloc(page->size);
	req = ssd_log_request_of(dev, page);
	if (ssd_get_log(dev, &req, buf, page->size, &got, err)) {
		if (err->code == SSD_ERR_REFUSED)
			ssd_hint(err, "a histogram that somebody may be collecting would be gone: --clearing reads it "
				      "all the same");
		else if (clears && err->nvme_status < 0)
			ssd_hint(err, "it is not sent again: the drive may have cleared the page");
		return -1;
	}
	if (clears)
		keep_bytes(latency, directions[i].hex, buf, got);
	node = ssd_page_decode_from(dev, row->arena, page, buf, got);
	node->field = &histograms[i];
	if (ssd_get_int(node, "version_major", 0) == 1000)
		add_limits(dev, row, directions[i].limits, node);
	ssd_attach(latency, node);
	return 0;
}

static int read_histograms(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	unsigned found = 0;

	(void)run;
	ssd_set_obj(row->element, "latency");
	for (unsigned i = 0; i < ARRAY_SIZE(directions); i++) {
		struct ssd_err err = SSD_ERR_INIT;

		if (!read_histogram(dev, row, i, &err))
			found++;
		else if (!ssd_failed(&row->err))
			row->err = err;
		/* A drive that answers that it lacks one of them has not failed; one that has gone has. */
		if (ssd_failed(&err) && err.nvme_status < 0)
			return -1;
	}
	if (!found)
		return -1;
	row->err = (struct ssd_err)SSD_ERR_INIT;
	return 0;
}

static int latency_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	const struct latency_options *o = run->options;
	const struct ssd_page *page;

	if (intel_check_drive(dev, &row->err))
		return -1;
	page = ssd_vendor_page(dev, directions[0].page);
	if (o->clearing && page && clears_now(dev, page))
		return ssd_run_clearing(run, dev, row, false, "read its latency histograms, which clears them",
					read_histograms);
	return read_histograms(run, dev, row);
}

static int latency_prepare(struct ssd_run *run, struct ssd_err *err)
{
	(void)err;
	run->reads = !((const struct latency_options *)run->options)->clearing;
	return 0;
}

/* Of a version that no table knows, but gone from the drive: the bytes are all there is. */
static void draw_bytes(const struct ssd_node *latency, const char *key, FILE *out)
{
	const char *hex = ssd_get_str(latency, key, NULL);

	if (hex)
		ssd_render_hex(hex, 0, out);
}

static void draw_histograms(const struct ssd_node *latency, FILE *out)
{
	for (unsigned i = 0; i < ARRAY_SIZE(directions); i++) {
		const struct ssd_node *n = ssd_get(latency, histograms[i].key);

		fprintf(out, "\n%s\n", histograms[i].label);
		if (n)
			intel_latency_draw(n, out, "  ");
		else
			fputs("  the drive does not give it\n", out);
		if (n && !ssd_get(n, "commands"))
			draw_bytes(latency, directions[i].hex, out);
	}
}

static void latency_text(const struct ssd_run *run, FILE *out)
{
	bool first = true;

	for (size_t i = 0; i < run->n_rows; i++) {
		const struct ssd_row *row = &run->rows[i];
		const struct ssd_node *latency = ssd_get(row->element, "latency");

		/* A page that was read is shown, also when the other one was not: it may be gone from the drive. */
		if (ssd_failed(&row->err) && !ssd_get(latency, "read") && !ssd_get(latency, "write"))
			continue;
		if (!first)
			fputc('\n', out);
		first = false;
		ssd_text_title(run, row, out);
		if (latency)
			draw_histograms(latency, out);
		else
			fputs("  dry_run: nothing was sent\n", out);
	}
}

static const struct ssd_command verb_latency = {
	.name = "latency",
	.summary = "latency histograms of reads and writes, with percentiles (C1h, C2h)",
	.usage = "DRIVE... | --all [--clearing]",
	.drives = SSD_DRIVES_SOME,
	.help = "A percentile is the end of the histogram's bucket in which it lies: so many of all commands took "
		"less.\n"
		"The drive counts while `latency-tracking` is on. Optane drives clear the histograms when they are "
		"read;\n"
		"that is refused (exit 4) without --clearing, which asks, or takes --yes.",
	.examples = (const char *const[]){"intel latency nvme0", "solidigm latency nvme0 -o json",
					  "intel latency nvme0 --clearing --yes -o json", NULL},
	.flags = SSD_CMD_CHANGES | SSD_CMD_DRY_RUN,
	.options = latency_options,
	.options_size = sizeof(struct latency_options),
	.fields = latency_fields,
	.prepare = latency_prepare,
	.each = latency_each,
	.text = latency_text,
};

static const struct ssd_command verb_product = {
	.name = "product",
	.summary = "what the product is, what was published of it, and its features that matter",
	DRIVES,
	.examples = (const char *const[]){"intel product nvme0", NULL},
	.fields = intel_product_object,
	.each = product_each,
};

static const struct ssd_command verb_endurance = {
	.name = "endurance",
	.summary = "write amplification, bytes per day, and how long the drive lasts at this pace",
	DRIVES,
	.help = "The estimate needs a timed workload of 60 minutes or more; isdct calls it EnduranceAnalyzer.",
	.examples = (const char *const[]){"intel endurance nvme0", NULL},
	.fields = intel_endurance_object,
	.each = endurance_each,
};

static const struct ssd_command *const verbs[] = {
	&verb_product,
	&verb_endurance,
	&verb_latency,
	&verb_tracking,
	&verb_temperature,
	&verb_market_name,
	&verb_controller,
	&verb_governor,
	&verb_max_lba,
	&verb_smbus,
	&verb_led,
	&verb_limits,
	&verb_tracker,
	&verb_workload,
	&verb_workload_reset,
	&verb_queues,
	&verb_power,
	&verb_gc,
	&verb_outliers,
	&intel_verb_internal_log,
	NULL,
};

const struct ssd_command cmd_intel = {
	.name = "intel",
	.summary = "what only Intel's and Solidigm's drives have: latency, temperature, endurance, ...",
	.verbs = verbs,
};

const struct ssd_command cmd_solidigm = {
	.name = "solidigm",
	.summary = "the same under the later name",
	.verbs = verbs,
};
