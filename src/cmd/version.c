/* SPDX-License-Identifier: MIT */
/* ssdct version and ssdct help. */
#include "cmd.h"

static void version_text(const struct ssd_run *run, FILE *out)
{
	(void)run;
	fprintf(out, "ssdct %s\n", SSDCT_VERSION);
}

static int version_run(struct ssd_run *run, struct ssd_err *err)
{
	(void)run;
	(void)err;
	return 0;
}

const struct ssd_command cmd_version = {
	.name = "version",
	.summary = "the version of ssdct",
	.drives = SSD_DRIVES_NONE,
	.run = version_run,
	.text = version_text,
};

static int help_run(struct ssd_run *run, struct ssd_err *err)
{
	run->printed = true;
	return ssd_help_for(run->words, run->n_words, run->out, err);
}

const struct ssd_command cmd_help = {
	.name = "help",
	.summary = "help of ssdct or of a command",
	.usage = "[COMMAND [VERB]]",
	.examples = (const char *const[]){"help", "help smart", "help log get", NULL},
	.drives = SSD_DRIVES_NONE,
	.max_words = 2,
	.run = help_run,
};
