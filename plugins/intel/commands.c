/* SPDX-License-Identifier: MIT */
/*
 * ssdct intel, ssdct solidigm: what only these drives have. A verb is a row: the pages, features and computed objects that it
 * shows. All of them read. Setting a feature takes a permit of the safety core and is to be a word behind the drive
 * (`latency-tracking DRIVE on`), by the same table of features.
 */
#include "intel.h"
#include "latency.h"

#include <ssdct/cli.h>

/* A drive that no table knows as Intel's or Solidigm's is asked nothing but who it is. */
static int check_drive(struct ssd_device *dev, struct ssd_err *err)
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
	if (check_drive(dev, &row->err))
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

/* ---- verbs that show features ---- */

static const struct feature_verb {
	const char *verb;
	const char *features[3];
} feature_verbs[] = {
	{"latency-tracking", {"latency-tracking"}},
	{"power-governor", {"power-governor"}},
	{"max-lba", {"max-lba", "native-max-lba"}},
	{"smbus-address", {"smbus-address"}},
	{"latency-limits", {"latency-limits-read", "latency-limits-write"}},
	{"workload-tracker", {"workload-tracker", "workload-trigger"}},
};

static int features_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	const struct feature_verb *v = feature_verbs;

	if (check_drive(dev, &row->err))
		return -1;
	while (strcmp(v->verb, run->command->name) != 0)
		v++;
	for (const char *const *name = v->features; *name; name++) {
		const struct ssd_feature *feature = ssd_vendor_feature(dev, *name);
		struct ssd_node *node;

		if (!feature)
			return fail_missing(dev, &run->command->pages[name - v->features]->field, &row->err);
		node = ssd_read_feature(dev, row->arena, feature, &row->err);
		if (!node)
			return -1;
		ssd_attach(row->element, node);
	}
	return 0;
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

FEATURE_VERB(verb_tracking, "latency-tracking", "whether the latency histograms are being filled",
	     &intel_feature_latency_tracking.page);
FEATURE_VERB(verb_governor, "power-governor", "the power that the drive may take, in watts",
	     &intel_feature_power_governor.page);
FEATURE_VERB(verb_max_lba, "max-lba", "last block that the drive shows, and the one it was made with",
	     &intel_feature_max_lba.page, &intel_feature_native_max_lba.page);
FEATURE_VERB(verb_smbus, "smbus-address", "address on the management bus", &intel_feature_smbus_address.page);
FEATURE_VERB(verb_limits, "latency-limits", "where the buckets of an Optane drive's latency histograms begin",
	     &intel_feature_read_limits.page, &intel_feature_write_limits.page);
FEATURE_VERB(verb_tracker, "workload-tracker", "how the workload tracker is set up",
	     &intel_feature_workload_tracker.page, &intel_feature_workload_trigger.page);

/* ---- verbs that show what is computed ---- */

static int product_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	(void)run;
	if (check_drive(dev, &row->err))
		return -1;
	intel_extra_drive.fill(dev, row->element, ssd_set_obj(row->element, intel_extra_drive.field.key));
	return 0;
}

static int endurance_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	const struct ssd_page *extra = &intel_page_smart;
	struct ssd_node *known;

	(void)run;
	if (check_drive(dev, &row->err))
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
	const char *page, *limits;
} directions[] = {{"intel_latency_read", "latency-limits-read"}, {"intel_latency_write", "latency-limits-write"}};

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

/* A histogram under the command's own key; NULL: row->err says why. */
static struct ssd_node *read_histogram(struct ssd_device *dev, struct ssd_row *row, unsigned i, struct ssd_err *err)
{
	const struct ssd_page *page = ssd_vendor_page(dev, directions[i].page);
	struct ssd_node *node;

	if (!page)
		return fail_missing_page(dev, &intel_page_latency_read, err), NULL;
	node = ssd_read_page(dev, row->arena, page, 0, err);
	if (!node && err->code == SSD_ERR_REFUSED)
		ssd_hint(err, "a histogram that somebody may be collecting would be gone");
	if (!node)
		return NULL;
	node->field = &histograms[i];
	if (ssd_get_int(node, "version_major", 0) == 1000)
		add_limits(dev, row, directions[i].limits, node);
	return node;
}

static int latency_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	struct ssd_node *latency;
	unsigned found = 0;

	(void)run;
	if (check_drive(dev, &row->err))
		return -1;
	latency = ssd_set_obj(row->element, "latency");
	for (unsigned i = 0; i < ARRAY_SIZE(directions); i++) {
		struct ssd_err err = SSD_ERR_INIT;
		struct ssd_node *node = read_histogram(dev, row, i, &err);

		if (node)
			ssd_attach(latency, node);
		else if (!ssd_failed(&row->err))
			row->err = err;
		found += node != NULL;
		/* A drive that answers that it lacks one of them has not failed; one that has gone has. */
		if (!node && err.nvme_status < 0)
			return -1;
	}
	if (!found)
		return -1;
	row->err = (struct ssd_err)SSD_ERR_INIT;
	return 0;
}

static void latency_text(const struct ssd_run *run, FILE *out)
{
	bool first = true;

	for (size_t i = 0; i < run->n_rows; i++) {
		const struct ssd_row *row = &run->rows[i];

		if (ssd_failed(&row->err))
			continue;
		if (!first)
			fputc('\n', out);
		first = false;
		ssd_text_title(run, row, out);
		for (const struct ssd_field *f = histograms; f->type != SSD_END; f++) {
			const struct ssd_node *n = ssd_get(ssd_get(row->element, "latency"), f->key);

			fprintf(out, "\n%s\n", f->label);
			if (n)
				intel_latency_draw(n, out, "  ");
			else
				fputs("  the drive does not give it\n", out);
		}
	}
}

static const struct ssd_command verb_latency = {
	.name = "latency",
	.summary = "latency histograms of reads and writes, with percentiles (C1h, C2h)",
	DRIVES,
	.help = "A percentile is the end of the histogram's bucket in which it lies: so many of all commands took "
		"less.\n"
		"The drive counts while `latency-tracking` is on. Optane drives clear the histograms when they are "
		"read;\n"
		"that is refused (exit 4).",
	.examples = (const char *const[]){"intel latency nvme0", "solidigm latency nvme0 -o json", NULL},
	.fields = latency_fields,
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
	&verb_product,    &verb_endurance, &verb_latency, &verb_tracking, &verb_temperature, &verb_market_name,
	&verb_controller, &verb_governor,  &verb_max_lba, &verb_smbus,    &verb_limits,      &verb_tracker,
	&verb_workload,   &verb_queues,    &verb_power,   &verb_gc,       &verb_outliers,    NULL,
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
