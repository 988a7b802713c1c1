/* SPDX-License-Identifier: MIT */
/* Goes through the rules and hands on what they find. */
#include "doctor.h"

const struct ssd_field ssd_doctor_fields[] = {
	{"id", "Id", "What was found, ssdct-doctor(8)", SSD_STR, .flags = SSD_ALWAYS},
	{"severity", "Severity", "info, warning or critical; unknown where the verdict on health is that", SSD_STR,
	 .flags = SSD_ALWAYS},
	{"message", "Message", "What was measured, and what it costs", SSD_STR, .flags = SSD_ALWAYS},
	{"advice", "Advice", "What mends it", SSD_STR, .flags = SSD_ALWAYS},
	SSD_FIELD_END,
};

void doctor_say(struct ssd_doctor *d, enum ssd_severity severity, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(d->message, sizeof(d->message), fmt, ap);
	va_end(ap);
	d->severity = severity;
}

void doctor_advise(struct ssd_doctor *d, const char *fmt, ...)
{
	struct ssd_doctor_finding f = {d->rule, d->severity, d->message, NULL};
	char advice[480];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(advice, sizeof(advice), fmt, ap);
	va_end(ap);
	f.advice = advice;
	d->found(d->ctx, &f);
}

static void look(struct ssd_doctor *d, const struct ssd_doctor_rule *rules, unsigned explains)
{
	for (d->rule = rules; d->rule->id; d->rule++)
		if (d->rule->explains & explains)
			d->rule->look(d);
}

void ssd_doctor_examine(struct ssd_device *dev, struct ssd_arena *a, const struct ssd_doctor_roots *roots,
			unsigned explains, ssd_doctor_fn found, void *ctx)
{
	struct ssd_doctor d = {.dev = dev, .drive = dev->drive, .arena = a, .roots = roots, .found = found, .ctx = ctx};

	look(&d, ssd_doctor_rules, explains);
}

void ssd_doctor_examine_host(const struct ssd_doctor_roots *roots, struct ssd_arena *a, ssd_doctor_fn found, void *ctx)
{
	struct ssd_doctor d = {.arena = a, .roots = roots, .found = found, .ctx = ctx};

	look(&d, ssd_doctor_host_rules, SSD_DOCTOR_SLOW | SSD_DOCTOR_RISK);
}

static char *existing(const char *dir, const char *name)
{
	char *path = ssd_asprintf("%s/%s", dir, name);

	if (!access(path, F_OK))
		return path;
	free(path);
	return NULL;
}

struct ssd_doctor_roots ssd_doctor_roots_of(const struct ssd_host *host)
{
	const char *dir = host->dir ? host->dir : "";

	return (struct ssd_doctor_roots){existing(dir, "sys"), existing(dir, "proc"), existing(dir, "etc"),
					 existing(dir, "run")};
}

void ssd_doctor_roots_free(struct ssd_doctor_roots *roots)
{
	free(roots->sys);
	free(roots->proc);
	free(roots->etc);
	free(roots->run);
	*roots = (struct ssd_doctor_roots){0};
}

const char *ssd_doctor_kernel(const struct ssd_doctor_roots *roots, char *buf, size_t size)
{
	char text[DOCTOR_TEXT];

	doctor_text(roots->proc, text, "sys/kernel/osrelease");
	ssd_strcpy(buf, size, text);
	return buf;
}
