/* SPDX-License-Identifier: MIT */
/* `sim reset` and `sim power-cycle`: what makes a drive start anew, and new firmware run. */
#include "cmd/sim.h"

#include "sim/host.h"

struct reset_options {
	bool subsystem;
};

static const struct ssd_option reset_options[] = {
	{"subsystem", 0, SSD_OPT_FLAG, SSD_OPTION(struct reset_options, subsystem), NULL,
	 "an NVM subsystem reset instead of a controller reset"},
	{.type = SSD_OPT_END},
};

static const struct ssd_field restart_fields[] = {
	{"event", "Event", "controller_reset, subsystem_reset or power_cycle", SSD_STR},
	{"before", "Firmware before", "Revision that ran before", SSD_STR},
	{"after", "Firmware after", "Revision that runs now", SSD_STR},
	SSD_FIELD_END,
};

static const char *const event_words[] = {
	[SIM_CONTROLLER_RESET] = "controller_reset",
	[SIM_SUBSYSTEM_RESET] = "subsystem_reset",
	[SIM_POWER_CYCLE] = "power_cycle",
};

int sim_check_host(const struct ssd_host *host, const char *device, struct ssd_err *err)
{
	if (host->backend == SSD_BACKEND_SIMULATED)
		return 0;
	if (!device)
		device = host->dir ? host->dir : "this machine";
	ssd_fail(err, SSD_ERR_UNSUPPORTED, "%s is not simulated", device);
	if (host->dir)
		ssd_hint(err, "make a simulated copy: ssdct sim create DIR --from %s", host->dir);
	else
		ssd_hint(err, "name a simulated host with --host DIR or SSDCT_HOST");
	return -1;
}

static int prepare(struct ssd_run *run, struct ssd_err *err)
{
	return sim_check_host(run->host, NULL, err);
}

static int restart(struct ssd_row *row, enum sim_event event)
{
	const struct ssd_drive *drive = row->target.drive;
	char before[9], after[9];

	ssd_set_str(row->element, "event", event_words[event]);
	if (sim_drive_restart(drive->host->dir, drive->device, event, before, after, &row->err))
		return -1;
	ssd_set_str(row->element, "before", before);
	ssd_set_str(row->element, "after", after);
	ssd_set_str(row->element, "firmware", after);
	return 0;
}

static int power_cycle_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	(void)run;
	(void)dev;
	return restart(row, SIM_POWER_CYCLE);
}

static int reset_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	const struct reset_options *o = run->options;

	(void)dev;
	return restart(row, o->subsystem ? SIM_SUBSYSTEM_RESET : SIM_CONTROLLER_RESET);
}

static void restart_text(const struct ssd_run *run, FILE *out)
{
	static const struct ssd_column columns[] = {{"DEVICE"}, {"MODEL"}, {"EVENT"}, {"FIRMWARE BEFORE"}, {"AFTER"}};
	struct ssd_table *t = ssd_table_new(columns, ARRAY_SIZE(columns));

	for (size_t i = 0; i < run->n_rows; i++) {
		const struct ssd_node *e = run->rows[i].element;
		char event[64];

		if (ssd_failed(&run->rows[i].err))
			continue;
		ssd_strcpy(event, sizeof(event), ssd_get_str(e, "event", ""));
		for (char *p = event; *p; p++)
			if (*p == '_')
				*p = ' ';
		ssd_strcpy(event + strlen(event), sizeof(event) - strlen(event), ssd_host_note(run));
		ssd_table_row(t, (const char *const[]){ssd_get_str(e, "device", ""), ssd_get_str(e, "model", ""), event,
						       ssd_get_str(e, "before", ""), ssd_get_str(e, "after", "")});
	}
	ssd_table_print(t, out, "");
	ssd_table_free(t);
}

const struct ssd_command sim_power_cycle = {
	.name = "power-cycle",
	.summary = "take the power from simulated drives and give it back",
	.usage = "DIR [DRIVE...] | --host DIR [DRIVE...]",
	.help = "Of the drives that are named, else of all in the host directory DIR. What was downloaded and not "
		"committed is\n"
		"lost, and firmware that waits for whatever reset runs: a power cycle is the conventional reset of "
		"PCIe "
		"as well.",
	.examples = (const char *const[]){"sim power-cycle /tmp/lab", "sim power-cycle /tmp/lab nvme0 nvme1",
					  "sim power-cycle nvme0 --host /tmp/lab", NULL},
	.flags = SSD_CMD_SYSFS | SSD_CMD_HOST_WORD,
	.drives = SSD_DRIVES_OR_ALL,
	.fields = restart_fields,
	.prepare = prepare,
	.each = power_cycle_each,
	.text = restart_text,
};

const struct ssd_command sim_reset = {
	.name = "reset",
	.summary = "reset simulated drives, without a question",
	.usage = "DIR [DRIVE...] [--subsystem] | --host DIR [DRIVE...] [--subsystem]",
	.help = "A controller reset, as the kernel does it, of the drives that are named, else of all in the host "
		"directory\n"
		"DIR. What was downloaded and not committed is lost, and firmware that waits for such a reset runs. "
		"Unlike\n"
		"`reset` it asks nothing and does not look who uses the drive.",
	.examples = (const char *const[]){"sim reset /tmp/lab nvme0", "sim reset /tmp/lab --subsystem",
					  "sim reset nvme0 --host /tmp/lab", NULL},
	.flags = SSD_CMD_SYSFS | SSD_CMD_HOST_WORD,
	.drives = SSD_DRIVES_OR_ALL,
	.options = reset_options,
	.options_size = sizeof(struct reset_options),
	.fields = restart_fields,
	.prepare = prepare,
	.each = reset_each,
	.text = restart_text,
};
