/* SPDX-License-Identifier: MIT */
/* ssdct fw: firmware of drives. */
#include "cmd.h"
#include "fw_common.h"

static int status_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	struct fw_facts facts;

	(void)run;
	if (fw_facts_read(dev, &facts, &row->err))
		return -1;
	fw_doc_facts(row, &facts);
	return 0;
}

static const struct ssd_command fw_status = {
	.name = "status",
	.summary = "firmware slots, what runs and what waits for a reset",
	.usage = "DRIVE... | --all",
	.help = "Asks the drive (Identify Controller, log page 03h), not the kernel, whose firmware_rev may be older.",
	.examples = (const char *const[]){"fw status nvme0", "fw status --all -o json", NULL},
	.flags = SSD_CMD_SUBSYSTEM,
	.drives = SSD_DRIVES_SOME,
	.fields = fw_fields,
	.each = status_each,
	.text = fw_status_text,
};

const struct ssd_command cmd_fw = {
	.name = "fw",
	.summary = "firmware: status, update, download, commit, activate",
	.verbs = (const struct ssd_command *const[]){&fw_status, &fw_update, &fw_download, &fw_commit, &fw_activate,
						     NULL},
};
