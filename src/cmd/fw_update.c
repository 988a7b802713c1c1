/* SPDX-License-Identifier: MIT */
/* ssdct fw update: plan, download, commit, activate, verify. */
#include "change.h"
#include "fw_common.h"

static const char *const activate_words[] = {"later", "store", "reset", "now", NULL};
static const enum fw_activate activations[] = {FW_LATER, FW_STORE, FW_RESET, FW_NOW};

struct options {
	const char *image, *expect, *model;
	uint64_t slot;
	unsigned activate;
	struct fw_file file;
};

static const struct ssd_option options[] = {
	{"image", 0, SSD_OPT_STR, SSD_OPTION(struct options, image), "FILE",
	 "firmware image: raw, or a .cab or .zip that holds it"},
	{"slot", 0, SSD_OPT_UINT, SSD_OPTION(struct options, slot), "N", "firmware slot, instead of the best one", 1,
	 7},
	{"activate", 0, SSD_OPT_ENUM, SSD_OPTION(struct options, activate), "WHEN",
	 "later (default), store, reset, now", .words = activate_words},
	{"expect", 0, SSD_OPT_STR, SSD_OPTION(struct options, expect), "REVISION",
	 "revision that the image brings: nothing is sent to a drive that runs it"},
	{"model", 0, SSD_OPT_STR, SSD_OPTION(struct options, model), "GLOB",
	 "models that are meant; with --all it chooses the drives"},
	{.type = SSD_OPT_END},
};

static enum fw_activate activation(const struct options *o)
{
	return activations[o->activate];
}

static int prepare(struct ssd_run *run, struct ssd_err *err)
{
	struct options *o = run->options;
	bool activates = activation(o) == FW_RESET || activation(o) == FW_NOW;

	if (!o->image) {
		ssd_fail(err, SSD_ERR_USAGE, "--image FILE is missing");
		return -1;
	}
	if (o->expect && (!*o->expect || strlen(o->expect) >= FW_REVISION))
		return ssd_fail(err, SSD_ERR_USAGE, "--expect: a firmware revision has 1 to 8 characters");
	if (!fw_file_read(o->image, &o->file, err) && !fw_prepare_rows(run, o->model, activates, err))
		return 0;
	fw_file_free(&o->file);
	return -1;
}

static void image_free(struct fw_image *image)
{
	fw_image_free(image);
}

static int select_image(const struct options *o, struct ssd_device *dev, const struct fw_facts *facts,
			struct fw_image *image, struct ssd_err *err)
{
	const struct ssd_drive *d = dev->drive;
	struct fw_match match = {.model = facts->model,
				 .revision = facts->running_revision,
				 .pci_vendor = d->pci_vendor,
				 .pci_device = d->pci_device,
				 .pci_subsystem_vendor = d->pci_subsystem_vendor,
				 .pci_subsystem_device = d->pci_subsystem_device,
				 .fguid = dev->id_ctrl + 112};

	return fw_image_select(&o->file, &match, image, err);
}

/* "update the firmware from 8DV10131 with fw.bin (slot 1, activation at the next reset)". */
static void describe(const struct fw_facts *facts, const struct fw_plan *plan, const struct options *o, char *buf,
		     size_t size)
{
	static const char *const when[] = {[FW_STORE] = "stored only",
					   [FW_LATER] = "activated at the next reset",
					   [FW_RESET] = "activated by a controller reset now",
					   [FW_NOW] = "activated now"};

	snprintf(buf, size, "update the firmware from %s with %s (slot %u, %s)", fw_shown(facts->running_revision).s,
		 o->image, plan->slot, when[activation(o)]);
}

static int act(struct fw_change *c, struct fw_job *job, struct fw_outcome *outcome, struct ssd_err *err)
{
	(void)c;
	return fw_run(job, outcome, err);
}

static int change(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row, const struct fw_facts *facts,
		  const struct fw_plan *plan, const struct fw_image *image)
{
	const struct options *o = run->options;
	enum fw_activate when = activation(o);
	bool interrupts = when == FW_RESET || when == FW_NOW;
	bool controls[3] = {[SSD_RESET_CONTROLLER] = when == FW_RESET};
	struct fw_outcome outcome;
	char what[240];
	struct fw_change c = {.run = run,
			      .row = row,
			      .dev = dev,
			      .what = what,
			      .impact = interrupts ? SSD_INTERRUPTS : SSD_CHANGES,
			      .download = true,
			      .commit = true,
			      .controls = controls,
			      .facts = facts,
			      .plan = plan,
			      .act = act,
			      .image = image,
			      .activate = when,
			      .expect = o->expect};
	int rc;

	describe(facts, plan, o, what, sizeof(what));
	fw_doc_plan(row, plan, when);
	rc = fw_change_run(&c, &outcome);
	if (!run->globals.dry_run)
		fw_doc_outcome(row, &outcome);
	else if (!rc)
		ssd_set_str(fw_doc(row), "result", fw_result_word(FW_DRY_RUN));
	if (!rc && outcome.result >= FW_PENDING_CONTROLLER_RESET && outcome.result <= FW_PENDING_POWER_CYCLE)
		row->exit = SSD_EXIT_PENDING;
	return rc;
}

static void already_current(struct ssd_row *row, const struct fw_facts *facts)
{
	struct ssd_node *fw = fw_doc(row);

	ssd_set_str(fw, "result", fw_result_word(FW_ALREADY_CURRENT));
	ssd_set_str(fw, "after", facts->running_revision);
	ssd_set_uint(fw, "commands", 0);
	if (ssd_get(fw, "next"))
		fw_doc_note(row, "another revision waits for its activation: see ssdct fw status");
}

/* A version in the metadata that is the running revision says as much as --expect does. */
static bool is_current(const struct options *o, const struct fw_image *image, const struct fw_facts *facts)
{
	return !o->expect && !o->slot && *image->version && !strcmp(image->version, facts->running_revision);
}

static int each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	const struct options *o = run->options;
	const struct fw_options wanted = {(unsigned)o->slot, activation(o), o->expect};
	AUTO(image_free) struct fw_image image = {0};
	struct fw_facts facts;
	struct fw_plan plan;

	if (change_check_backend(run, dev, &row->err) || fw_facts_read(dev, &facts, &row->err))
		return -1;
	fw_doc_facts(row, &facts);
	ssd_set_str(fw_doc(row), "before", facts.running_revision);
	ssd_set_str(fw_doc(row), "result", fw_result_word(FW_NOT_APPLIED));
	if (select_image(o, dev, &facts, &image, &row->err) ||
	    fw_plan(&facts, image.size, &wanted, fw_timeout(run), &plan, &row->err)) {
		ssd_err_prefix(&row->err, "%s", dev->drive->device);
		return -1;
	}
	fw_doc_image(row, &image);
	if (!plan.already_current && !is_current(o, &image, &facts))
		return change(run, dev, row, &facts, &plan, &image);
	already_current(row, &facts);
	return 0;
}

static int finish(struct ssd_run *run, struct ssd_err *err)
{
	struct options *o = run->options;

	(void)err;
	for (size_t i = 0; i < run->n_rows; i++) {
		struct ssd_row *row = &run->rows[i];

		if (row->err.code == SSD_ERR_NOT_ATTEMPTED)
			ssd_set_str(fw_doc(row), "result", fw_result_word(FW_NOT_ATTEMPTED));
		else if (!ssd_get(row->element, "fw")) /* it could not even be opened or asked */
			ssd_set_str(fw_doc(row), "result", fw_result_word(FW_NOT_APPLIED));
	}
	fw_file_free(&o->file);
	return 0;
}

const struct ssd_command fw_update = {
	.name = "update",
	.summary = "plan, download, commit, activate and verify new firmware",
	.usage = "DRIVE... --image FILE [--slot N] [--activate later|store|reset|now] [--expect REVISION] [--model "
		 "GLOB]",
	.help = "One drive after another, until one fails. What the drive says afterwards decides, not what it "
		"answered.\n"
		"later (the default) activates at the next reset or power cycle: exit 5, as the new firmware does not "
		"run "
		"yet.\n"
		"reset does a controller reset when the drive says that it is enough; now activates without a reset, "
		"where "
		"the\n"
		"drive can; both pause the drive and need --force while it is in use. store only fills the slot.\n"
		"--dry-run prints the plan. Without a terminal --yes is needed.",
	.examples =
		(const char *const[]){
			"fw update nvme0 --image fw.bin --dry-run",
			"fw update nvme0 --image fw.bin --activate reset --yes",
			"fw update --all --model 'INTEL SSDPEDMD*' --image fw.bin --expect 8DV10171 --yes", NULL},
	.flags = SSD_CMD_CHANGES | SSD_CMD_DRY_RUN | SSD_CMD_SUBSYSTEM,
	.drives = SSD_DRIVES_SOME,
	.options = options,
	.options_size = sizeof(struct options),
	.fields = fw_fields,
	.prepare = prepare,
	.each = each,
	.done = fw_note_outcome,
	.finish = finish,
	.text = fw_change_text,
};
