/* SPDX-License-Identifier: MIT */
/* ssdct errors: the error log, unused entries left out. */
#include "cmd.h"

static const struct ssd_field fields[] = {
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

static int errors_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	(void)run;
	if (ssd_row_page(dev, row, &ssd_page_error_log, 0))
		return -1;
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
