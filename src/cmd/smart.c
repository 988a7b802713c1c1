/* SPDX-License-Identifier: MIT */
/* ssdct smart: the SMART / health log, and the vendor's additional attributes. */
#include "cmd.h"

static const struct ssd_page *const pages[] = {&ssd_page_smart, NULL};

static int smart_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	int vendor, local;

	if (ssd_row_page(dev, row, &ssd_page_smart, 0))
		return -1;
	vendor = ssd_row_vendor_pages(dev, row, run->command->name);
	local = ssd_row_local_pages(dev, row, run->command->name);
	return vendor || local ? -1 : 0;
}

const struct ssd_command cmd_smart = {
	.name = "smart",
	.summary = "SMART / health log, and the vendor's additional SMART attributes",
	.usage = "DRIVE... | --all",
	.help = "Reads log page 02h of the controller, and on drives that a vendor module knows the vendor's page "
		"too;\n"
		"further pages as an operator's files describe them (ssdct-pages(5)).\n"
		"What a drive does not report is shown as \"-\" (null in JSON), never as 0.",
	.examples = (const char *const[]){"smart nvme0", "smart --all -o json", NULL},
	.flags = SSD_CMD_LOCAL,
	.drives = SSD_DRIVES_SOME,
	.pages = pages,
	.each = smart_each,
};
