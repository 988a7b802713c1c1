/* SPDX-License-Identifier: MIT */
/* ssdct smart: the SMART / health log, and the vendor's additional attributes. */
#include "cmd.h"

static const struct ssd_page *const pages[] = {&ssd_page_smart, NULL};

static int smart_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	if (ssd_row_page(dev, row, &ssd_page_smart, 0))
		return -1;
	return ssd_row_vendor_pages(dev, row, run->command->name);
}

const struct ssd_command cmd_smart = {
	.name = "smart",
	.summary = "SMART / health log, and the vendor's additional SMART attributes",
	.usage = "DRIVE... | --all",
	.help = "Reads log page 02h of the controller, and on drives that a vendor module knows the vendor's page "
		"too.\n"
		"What a drive does not report is shown as \"-\" (null in JSON), never as 0.",
	.examples = (const char *const[]){"smart nvme0", "smart --all -o json", NULL},
	.drives = SSD_DRIVES_SOME,
	.pages = pages,
	.each = smart_each,
};
