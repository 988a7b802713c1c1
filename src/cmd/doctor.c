/* SPDX-License-Identifier: MIT */
/* ssdct doctor: why a drive may be slow or at risk. */
#include "doctor.h"

#include "cmd.h"

struct options {
	bool strict;
};

static const struct ssd_option options[] = {
	{"strict", 0, SSD_OPT_FLAG, SSD_OPTION(struct options, strict), NULL,
	 "exit 1 when a finding is more than information"},
	{.type = SSD_OPT_END},
};

static const struct ssd_field fields[] = {
	{"driver", "Driver", "Driver of the PCI function; null: not known", SSD_STR},
	{"kernel", "Kernel", "Release of the kernel that the driver is part of; null: not known", SSD_STR},
	{"findings", "Findings", "Why the drive may be slow or at risk", SSD_LIST, .sub = ssd_doctor_fields},
	SSD_FIELD_END,
};

static const struct ssd_field top[] = {
	{"findings", "Findings", "What concerns no single drive that is there: NVMe functions without the driver nvme",
	 SSD_LIST, .sub = ssd_doctor_fields},
	SSD_FIELD_END,
};

void doctor_add(void *ctx, const struct ssd_doctor_finding *finding)
{
	struct ssd_node *item = ssd_add_item(ctx);

	ssd_set_str(item, "id", finding->rule->id);
	ssd_set_str(item, "severity", ssd_severity_name(finding->severity));
	ssd_set_str(item, "message", finding->message);
	ssd_set_str(item, "cost", finding->rule->cost);
	ssd_set_str(item, "advice", finding->advice);
}

static void examine(struct ssd_row *row, struct ssd_device *dev)
{
	struct ssd_doctor_roots roots = ssd_doctor_roots_of(dev->drive->host);
	char kernel[80];

	ssd_set_str(row->element, "driver", dev->drive->driver);
	ssd_set_str(row->element, "kernel", ssd_doctor_kernel(&roots, kernel, sizeof(kernel)));
	ssd_doctor_examine(dev, row->arena, &roots, SSD_DOCTOR_SLOW | SSD_DOCTOR_RISK, doctor_add,
			   ssd_set_list(row->element, "findings"));
	ssd_doctor_roots_free(&roots);
}

static int doctor_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	(void)run;
	/* A drive that does not even identify itself is an error; what the host knows of it is found in doctor_finish(). */
	if (ssd_id_ctrl(dev, &row->err))
		return -1;
	examine(row, dev);
	return 0;
}

static bool is_bad(const struct ssd_node *obj)
{
	const struct ssd_node *list = ssd_get(obj, "findings");

	for (const struct ssd_node *f = list ? list->child : NULL; f; f = f->next)
		if (strcmp(ssd_get_str(f, "severity", ""), ssd_severity_name(SSD_INFO)) != 0)
			return true;
	return false;
}

static int doctor_finish(struct ssd_run *run, struct ssd_err *err)
{
	const struct options *o = run->options;
	struct ssd_doctor_roots roots = ssd_doctor_roots_of(run->host);
	bool bad;

	ssd_doctor_examine_host(&roots, run->arena, doctor_add, ssd_set_list(run->doc, "findings"));
	ssd_doctor_roots_free(&roots);
	bad = is_bad(run->doc);
	for (size_t i = 0; i < run->n_rows; i++) {
		struct ssd_device dev = {.drive = run->rows[i].target.drive};

		if (!ssd_get(run->rows[i].element, "findings"))
			examine(&run->rows[i], &dev);
		bad = bad || is_bad(run->rows[i].element);
	}
	if (o->strict && bad && !ssd_failed(err))
		run->exit = SSD_EXIT_FAILED;
	return 0;
}

void doctor_text_finding(const struct ssd_node *f, FILE *out)
{
	fprintf(out, "  %s: %s: %s\n    cost: %s\n    %s\n", ssd_get_str(f, "severity", ""), ssd_get_str(f, "id", ""),
		ssd_get_str(f, "message", ""), ssd_get_str(f, "cost", ""), ssd_get_str(f, "advice", ""));
}

static const struct ssd_node *first_finding(const struct ssd_node *obj)
{
	const struct ssd_node *list = ssd_get(obj, "findings");

	return list ? list->child : NULL;
}

static bool same(const struct ssd_node *a, const struct ssd_node *b, const char *key)
{
	return !strcmp(ssd_get_str(a, key, ""), ssd_get_str(b, key, ""));
}

static bool has(const struct ssd_node *obj, const struct ssd_node *finding)
{
	for (const struct ssd_node *f = first_finding(obj); f; f = f->next)
		if (same(f, finding, "id") && same(f, finding, "message") && same(f, finding, "advice"))
			return true;
	return false;
}

/* What is true of all drives alike is mostly about the host: people read it once, JSON has it with every drive. */
static bool is_common(const struct ssd_run *run, const struct ssd_node *finding)
{
	for (size_t i = 0; i < run->n_rows; i++)
		if (!has(run->rows[i].element, finding))
			return false;
	return run->n_rows > 1;
}

static void text_drive(const struct ssd_run *run, const struct ssd_row *row, FILE *out)
{
	size_t n = 0;

	ssd_text_title(run, row, out);
	if (ssd_get(row->element, "driver") || ssd_get(row->element, "kernel"))
		fprintf(out, "  driver %s, Linux %s\n", ssd_get_str(row->element, "driver", "not known"),
			ssd_get_str(row->element, "kernel", "not known"));
	for (const struct ssd_node *f = first_finding(row->element); f; f = f->next) {
		if (is_common(run, f))
			continue;
		doctor_text_finding(f, out);
		n++;
	}
	if (!n && !ssd_failed(&row->err))
		fputs("  nothing found\n", out);
}

static void doctor_text(const struct ssd_run *run, FILE *out)
{
	bool any = false;

	if (!run->ran)
		return; /* nothing was looked at, and the error says why */
	for (size_t i = 0; i < run->n_rows; i++) {
		fputs(i ? "\n" : "", out);
		text_drive(run, &run->rows[i], out);
	}
	for (const struct ssd_node *f = run->n_rows ? first_finding(run->rows[0].element) : NULL; f; f = f->next) {
		if (!is_common(run, f))
			continue;
		fputs(any ? "" : "\nall of them\n", out);
		doctor_text_finding(f, out);
		any = true;
	}
	if (!run->n_rows)
		fputs("no NVMe drive was found\n", out);
	if (first_finding(run->doc))
		fprintf(out, "\nthis host%s\n", ssd_host_note(run));
	for (const struct ssd_node *f = first_finding(run->doc); f; f = f->next)
		doctor_text_finding(f, out);
}

const struct ssd_command cmd_doctor = {
	.name = "doctor",
	.summary = "why a drive may be slow or at risk: link, power, queues, CPUs, firmware, heat, usage",
	.usage = "[DRIVE...] [--strict]",
	.help = "Each finding says what was measured, what it costs and what mends it; ssdct-doctor(8) has them all. "
		"Nothing is\n"
		"changed. What cannot be read is no finding. Of a recorded or simulated host only what its directory "
		"says is\n"
		"looked at.",
	.examples = (const char *const[]){"doctor", "doctor nvme0 -o json", "doctor --all --strict", NULL},
	.flags = SSD_CMD_FOLD,
	.drives = SSD_DRIVES_OR_ALL,
	.options = options,
	.options_size = sizeof(struct options),
	.fields = fields,
	.top = top,
	.each = doctor_each,
	.finish = doctor_finish,
	.text = doctor_text,
};
