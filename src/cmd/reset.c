/* SPDX-License-Identifier: MIT */
/* ssdct reset: a controller reset, or with --subsystem one of the NVM subsystem. */
#include "change.h"
#include "cmd.h"
#include "fw_common.h"

struct options {
	bool subsystem;
};

static const struct ssd_option options[] = {
	{"subsystem", 0, SSD_OPT_FLAG, SSD_OPTION(struct options, subsystem), NULL,
	 "reset the whole NVM subsystem: on some machines the drive is gone until a reboot"},
	{.type = SSD_OPT_END},
};

static int act(struct fw_change *c, struct fw_job *job, struct fw_outcome *outcome, struct ssd_err *err)
{
	return fw_reset(job, c->control, outcome, err);
}

static void steps(struct ssd_row *row, bool subsystem)
{
	ssd_add_str(ssd_set_list(fw_doc(row), "steps"), subsystem ? "NVM subsystem reset" : "controller reset");
}

/* A drive that needs a reset may not answer: what is known of it is what was known before. */
static void read_facts(struct ssd_device *dev, struct ssd_row *row, struct fw_facts *facts)
{
	struct ssd_err err = SSD_ERR_INIT;
	char text[sizeof(err.message) + 400] = "";

	if (fw_facts_read_some(dev, facts, &err))
		snprintf(text, sizeof(text),
			 "the drive cannot be asked (%s); its serial number, %s, is the one that it had when it was "
			 "found",
			 err.message, *dev->drive->serial ? fw_shown(dev->drive->serial).s : "not known");
	else if (!facts->slots_known)
		snprintf(text, sizeof(text), "which firmware waits for a reset is not known (%s)", err.message);
	if (!facts->slots_known)
		fw_doc_note(row, text);
	if (!facts->identified)
		return;
	fw_doc_facts(row, facts);
	ssd_set_str(fw_doc(row), "before", facts->running_revision);
}

static int reset_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	const struct options *o = run->options;
	enum ssd_control op = o->subsystem ? SSD_RESET_SUBSYSTEM : SSD_RESET_CONTROLLER;
	bool controls[3] = {false};
	struct fw_outcome outcome;
	struct fw_facts facts;
	struct fw_plan plan = {0};
	struct fw_change c = {.run = run,
			      .row = row,
			      .dev = dev,
			      .what = o->subsystem ? "reset the NVM subsystem" : "reset the controller",
			      .impact = SSD_INTERRUPTS,
			      .controls = controls,
			      .subsystem_reset = o->subsystem,
			      .some_facts = true,
			      .facts = &facts,
			      .plan = &plan,
			      .act = act,
			      .control = op};
	int rc;

	controls[op] = true;
	if (change_check_backend(run, dev, &row->err))
		return -1;
	read_facts(dev, row, &facts);
	plan.wait_seconds = fw_wait_seconds(&facts, fw_timeout(run));
	steps(row, o->subsystem);
	rc = fw_change_run(&c, &outcome);
	if (!run->globals.dry_run)
		fw_doc_outcome(row, &outcome);
	else if (!rc)
		ssd_set_str(fw_doc(row), "result", fw_result_word(FW_DRY_RUN));
	return rc;
}

const struct ssd_command cmd_reset = {
	.name = "reset",
	.summary = "controller reset (default) or NVM subsystem reset",
	.usage = "DRIVE [--subsystem]",
	.help = "I/O stalls until the controller is back, so a drive in use needs --force. Firmware that waits for "
		"such a "
		"reset\n"
		"runs afterwards: the output says what ran before and what runs now. Afterwards the drive is waited "
		"for, "
		"MTFA plus\n"
		"20 s or --timeout.",
	.examples = (const char *const[]){"reset nvme0 --yes", "reset nvme0 --subsystem --dry-run", NULL},
	.flags = SSD_CMD_CHANGES | SSD_CMD_DRY_RUN,
	.drives = SSD_DRIVES_ONE,
	.options = options,
	.options_size = sizeof(struct options),
	.fields = fw_fields,
	.each = reset_each,
	.text = fw_change_text,
};
