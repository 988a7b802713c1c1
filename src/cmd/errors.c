/* SPDX-License-Identifier: MIT */
/* ssdct errors: the error log, unused entries left out. */
#include "cmd.h"

static const struct ssd_field kind_fields[] = {
	{"probe", "Probes", "Harmless: the admin queue was asked for what the drive does not have", SSD_UINT},
	{"host", "Host", "Faults of the host's software", SSD_UINT},
	{"device", "Device", "The drive could not do what it should", SSD_UINT},
	{"media", "Media", "Data damaged or lost", SSD_UINT},
	{"path", "Path", "The way to the drive", SSD_UINT},
	{"vendor", "Vendor", "The vendor's own", SSD_UINT},
	{"unknown", "Unknown", NULL, SSD_UINT},
	{"none", "None", "No error", SSD_UINT, .flags = SSD_NO_TEXT},
	SSD_FIELD_END,
};

static const struct ssd_field explanation_fields[] = {
	{"hex", "Status", NULL, SSD_STR},
	{"name", "Name", "The specification's name", SSD_STR},
	{"category", "Kind", "As in the entries", SSD_STR},
	{"entries", "Entries", "How many entries have it", SSD_UINT},
	{"meaning", "Meaning", NULL, SSD_STR},
	SSD_FIELD_END,
};

static const struct ssd_field fields[] = {
	{"kinds", "Kinds of errors", "Entries in the log by kind", SSD_OBJ, .flags = SSD_INLINE, .sub = kind_fields},
	{"explanations", "What they mean", "Each status of the log once", SSD_LIST, .sub = explanation_fields},
	{"error_log_entries", "Errors over the drive's life",
	 "Number of error log entries over the life of the controller", SSD_WIDE, .metric = SSD_COUNTER},
	SSD_FIELD_END,
};

static const struct ssd_page *const pages[] = {&ssd_page_error_log, NULL};

/* The count over the drive's life tells "none ever" from "none kept": many drives lose the log at power-off. */
static void add_lifetime_count(struct ssd_device *dev, struct ssd_row *row)
{
	struct ssd_err ignored = SSD_ERR_INIT;
	const struct ssd_node *smart = ssd_read_page(dev, row->arena, &ssd_page_smart, 0, &ignored);
	const struct ssd_node *count = ssd_get(smart, "error_log_entries");

	if (count)
		ssd_set_wide(row->element, "error_log_entries", count->wide);
}

static void count(struct ssd_node *obj, const char *key)
{
	ssd_set_uint(obj, key, (uint64_t)ssd_get_int(obj, key, 0) + 1);
}

static struct ssd_node *explanation(struct ssd_node *list, const struct ssd_node *entry)
{
	const char *hex = ssd_get_str(entry, "status.hex", ""), *category = ssd_get_str(entry, "category", "");
	struct ssd_node *item = list->child;

	while (item &&
	       (strcmp(ssd_get_str(item, "hex", ""), hex) || strcmp(ssd_get_str(item, "category", ""), category)))
		item = item->next;
	if (item)
		return item;
	item = ssd_add_item(list);
	ssd_set_str(item, "hex", hex);
	ssd_set_str(item, "name", ssd_get_str(entry, "status.name", NULL));
	ssd_set_str(item, "category", category);
	ssd_set_str(item, "meaning", ssd_get_str(entry, "meaning", NULL));
	return item;
}

static void explain(struct ssd_row *row)
{
	const struct ssd_node *entries = ssd_get(row->element, "error_log.entries");
	struct ssd_node *kinds = ssd_set_obj(row->element, "kinds"), *list = ssd_set_list(row->element, "explanations");

	for (const struct ssd_field *f = kind_fields; f->type != SSD_END; f++)
		ssd_set_uint(kinds, f->key, 0);
	for (const struct ssd_node *e = entries ? entries->child : NULL; e; e = e->next) {
		const char *category = ssd_get_str(e, "category", NULL);

		if (!category)
			continue;
		count(kinds, category);
		count(explanation(list, e), "entries");
	}
}

static int errors_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	(void)run;
	if (ssd_row_page(dev, row, &ssd_page_error_log, 0))
		return -1;
	explain(row);
	add_lifetime_count(dev, row);
	return 0;
}

const struct ssd_command cmd_errors = {
	.name = "errors",
	.summary = "error log, decoded",
	.usage = "DRIVE... | --all",
	.help = "Reads log page 01h in one transfer of 64 entries at most. The newest entry comes first; unused "
		"entries are\n"
		"left out. Refused probes of optional features (Invalid Field, Invalid Opcode) on the admin queue (SQ "
		"0) are\n"
		"what operating systems and tools cause; they say nothing about the health of the drive.",
	.examples = (const char *const[]){"errors nvme0", "errors --all -o json", NULL},
	.drives = SSD_DRIVES_SOME,
	.fields = fields,
	.pages = pages,
	.each = errors_each,
};
