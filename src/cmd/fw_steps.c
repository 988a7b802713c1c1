/* SPDX-License-Identifier: MIT */
/* ssdct fw download, commit, activate: the single steps, for experts. */
#include "change.h"
#include "fw_common.h"

/* Opens the way for a step: facts, and what is known before anything is sent. */
static int begin(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row, struct fw_facts *facts)
{
	if (change_check_backend(run, dev, &row->err) || fw_facts_read(dev, facts, &row->err))
		return -1;
	fw_doc_facts(row, facts);
	ssd_set_str(fw_doc(row), "before", facts->running_revision);
	return 0;
}

static int fail_plan(struct ssd_device *dev, struct ssd_row *row)
{
	ssd_err_prefix(&row->err, "%s", dev->drive->device);
	return -1;
}

static int run_plan(struct fw_change *c, struct fw_job *job, struct fw_outcome *outcome, struct ssd_err *err)
{
	(void)c;
	return fw_run(job, outcome, err);
}

static int run_download(struct fw_change *c, struct fw_job *job, struct fw_outcome *outcome, struct ssd_err *err)
{
	(void)c;
	job->download_only = true;
	return fw_run(job, outcome, err);
}

static int execute(struct fw_change *c, struct fw_outcome *outcome)
{
	int rc;

	fw_doc_plan(c->row, c->plan, c->activate);
	rc = fw_change_run(c, outcome);
	if (!c->run->globals.dry_run)
		fw_doc_outcome(c->row, outcome);
	else if (!rc)
		ssd_set_str(fw_doc(c->row), "result", fw_result_word(FW_DRY_RUN));
	return rc;
}

static bool is_pending(const struct fw_outcome *o)
{
	return o->result >= FW_PENDING_CONTROLLER_RESET && o->result <= FW_PENDING_POWER_CYCLE;
}

/* --- download --- */

struct download_options {
	const char *image;
	struct fw_file file;
};

static const struct ssd_option download_options[] = {
	{"image", 0, SSD_OPT_STR, SSD_OPTION(struct download_options, image), "FILE",
	 "firmware image: raw, or a .cab or .zip that holds it"},
	{.type = SSD_OPT_END},
};

static int download_prepare(struct ssd_run *run, struct ssd_err *err)
{
	struct download_options *o = run->options;

	if (!o->image)
		return ssd_fail(err, SSD_ERR_USAGE, "--image FILE is missing");
	if (!fw_file_read(o->image, &o->file, err))
		return 0;
	fw_file_free(&o->file);
	return -1;
}

static int download_image(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row,
			  const struct fw_facts *facts, const struct fw_image *image)
{
	struct fw_outcome outcome;
	struct fw_plan plan;
	struct fw_change c = {.run = run,
			      .row = row,
			      .dev = dev,
			      .what = "download a firmware image, without committing it",
			      .impact = SSD_CHANGES,
			      .download = true,
			      .facts = facts,
			      .plan = &plan,
			      .act = run_download,
			      .image = image};

	if (fw_plan_download(facts, image->size, &plan, &row->err))
		return fail_plan(dev, row);
	fw_doc_image(row, image);
	return execute(&c, &outcome);
}

static int download_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	const struct download_options *o = run->options;
	const struct ssd_drive *d = dev->drive;
	struct fw_match match = {NULL, d->pci_vendor, d->pci_device, d->pci_subsystem_vendor, d->pci_subsystem_device,
				 NULL};
	struct fw_image image = {0};
	struct fw_facts facts;
	int rc;

	if (begin(run, dev, row, &facts))
		return -1;
	match.model = facts.model;
	match.fguid = dev->id_ctrl + 112;
	rc = fw_image_select(&o->file, &match, &image, &row->err);
	rc = rc ? fail_plan(dev, row) : download_image(run, dev, row, &facts, &image);
	fw_image_free(&image);
	return rc;
}

static int download_finish(struct ssd_run *run, struct ssd_err *err)
{
	(void)err;
	fw_file_free(&((struct download_options *)run->options)->file);
	return 0;
}

const struct ssd_command fw_download = {
	.name = "download",
	.summary = "only send an image to the drive",
	.usage = "DRIVE --image FILE",
	.help = "The drive keeps the image until it is committed (fw commit) or reset. fw update does all steps and "
		"checks them.",
	.examples = (const char *const[]){"fw download nvme0 --image fw.bin --yes", NULL},
	.flags = SSD_CMD_CHANGES | SSD_CMD_DRY_RUN | SSD_CMD_SUBSYSTEM,
	.drives = SSD_DRIVES_ONE,
	.options = download_options,
	.options_size = sizeof(struct download_options),
	.fields = fw_fields,
	.prepare = download_prepare,
	.each = download_each,
	.finish = download_finish,
	.text = fw_change_text,
};

/* --- commit --- */

struct commit_options {
	const char *slot, *action; /* text, as 0 is a value of both */
};

static const struct ssd_option commit_options[] = {
	{"slot", 0, SSD_OPT_STR, SSD_OPTION(struct commit_options, slot), "N", "1 to 7; 0: the drive chooses"},
	{"action", 0, SSD_OPT_STR, SSD_OPTION(struct commit_options, action), "0..3",
	 "0 store, 1 store and activate at reset, 2 activate at reset, 3 activate now"},
	{.type = SSD_OPT_END},
};

static int digit(const char *text, unsigned max)
{
	return text && text[0] >= '0' && text[0] <= (char)('0' + max) && !text[1] ? text[0] - '0' : -1;
}

static int commit_prepare(struct ssd_run *run, struct ssd_err *err)
{
	const struct commit_options *o = run->options;

	if (digit(o->slot, FW_SLOTS) < 0)
		return ssd_fail(err, SSD_ERR_USAGE,
				o->slot ? "--slot: \"%s\" is not a number from 0 to 7" : "--slot N is missing",
				o->slot);
	if (digit(o->action, 3) < 0)
		return ssd_fail(err, SSD_ERR_USAGE,
				o->action ? "--action: \"%s\" is not a number from 0 to 3" : "--action 0..3 is missing",
				o->action);
	return 0;
}

static int commit_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	const struct commit_options *o = run->options;
	unsigned slot = (unsigned)digit(o->slot, FW_SLOTS), action = (unsigned)digit(o->action, 3);
	struct fw_outcome outcome;
	struct fw_facts facts;
	struct fw_plan plan;
	char what[120];
	struct fw_change c = {.run = run,
			      .row = row,
			      .dev = dev,
			      .what = what,
			      .impact = action == 3 ? SSD_INTERRUPTS : SSD_CHANGES,
			      .commit = true,
			      .facts = &facts,
			      .plan = &plan,
			      .act = run_plan,
			      .activate = FW_LATER};

	if (begin(run, dev, row, &facts))
		return -1;
	if (fw_plan_commit(&facts, slot, action, fw_timeout(run), &plan, &row->err))
		return fail_plan(dev, row);
	snprintf(what, sizeof(what), "commit firmware (slot %u, action %u)", slot, action);
	return execute(&c, &outcome);
}

const struct ssd_command fw_commit = {
	.name = "commit",
	.summary = "only commit an image that was downloaded",
	.usage = "DRIVE --slot N --action 0..3",
	.help = "Whether an image was downloaded since the last reset only the drive knows. The new firmware being "
		"pending\n"
		"is exit 0 here: this is the step that was asked for.",
	.examples = (const char *const[]){"fw commit nvme0 --slot 1 --action 1 --yes", NULL},
	.flags = SSD_CMD_CHANGES | SSD_CMD_DRY_RUN | SSD_CMD_SUBSYSTEM,
	.drives = SSD_DRIVES_ONE,
	.options = commit_options,
	.options_size = sizeof(struct commit_options),
	.fields = fw_fields,
	.prepare = commit_prepare,
	.each = commit_each,
	.text = fw_change_text,
};

/* --- activate --- */

static const char *const when_words[] = {"reset", "later", "now", NULL};
static const enum fw_activate whens[] = {FW_RESET, FW_LATER, FW_NOW};

struct activate_options {
	uint64_t slot;
	unsigned when;
};

static const struct ssd_option activate_options[] = {
	{"slot", 0, SSD_OPT_UINT, SSD_OPTION(struct activate_options, slot), "N", "firmware slot", 1, 7},
	{"activate", 0, SSD_OPT_ENUM, SSD_OPTION(struct activate_options, when), "WHEN", "reset (default), later, now",
	 .words = when_words},
	{.type = SSD_OPT_END},
};

static int activate_prepare(struct ssd_run *run, struct ssd_err *err)
{
	const struct activate_options *o = run->options;

	return o->slot ? 0 : ssd_fail(err, SSD_ERR_USAGE, "--slot N is missing");
}

static int activate_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	const struct activate_options *o = run->options;
	enum fw_activate when = whens[o->when];
	bool controls[3] = {[SSD_RESET_CONTROLLER] = when == FW_RESET};
	unsigned slot = (unsigned)o->slot;
	struct fw_outcome outcome;
	struct fw_facts facts;
	struct fw_plan plan;
	char what[240];
	int rc;
	struct fw_change c = {.run = run,
			      .row = row,
			      .dev = dev,
			      .what = what,
			      .impact = when == FW_LATER ? SSD_CHANGES : SSD_INTERRUPTS,
			      .commit = true,
			      .controls = controls,
			      .facts = &facts,
			      .plan = &plan,
			      .act = run_plan,
			      .activate = when,
			      .expect = facts.revisions[slot - 1]};

	if (begin(run, dev, row, &facts))
		return -1;
	if (fw_plan_commit(&facts, slot, when == FW_NOW ? 3 : 2, fw_timeout(run), &plan, &row->err))
		return fail_plan(dev, row);
	snprintf(what, sizeof(what), "activate the firmware %s of slot %u", fw_shown(facts.revisions[slot - 1]).s,
		 slot);
	rc = execute(&c, &outcome);
	if (!rc && is_pending(&outcome))
		row->exit = SSD_EXIT_PENDING;
	return rc;
}

const struct ssd_command fw_activate = {
	.name = "activate",
	.summary = "activate the firmware that a slot holds",
	.usage = "DRIVE --slot N [--activate reset|later|now]",
	.help = "Commits with action 2 and resets the controller when the drive says that it is enough; later leaves "
		"the "
		"reset\n"
		"to you (exit 5), now uses action 3. Then the drive is asked what it runs.",
	.examples = (const char *const[]){"fw activate nvme0 --slot 2 --yes", NULL},
	.flags = SSD_CMD_CHANGES | SSD_CMD_DRY_RUN | SSD_CMD_SUBSYSTEM,
	.drives = SSD_DRIVES_ONE,
	.options = activate_options,
	.options_size = sizeof(struct activate_options),
	.fields = fw_fields,
	.prepare = activate_prepare,
	.each = activate_each,
	.text = fw_change_text,
};
