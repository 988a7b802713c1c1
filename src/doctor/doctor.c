/* SPDX-License-Identifier: MIT */
/* Goes through the rules and hands on what they find. */
#include "doctor.h"

const struct ssd_field ssd_doctor_fields[] = {
	{"id", "Id", "What was found, ssdct-doctor(8)", SSD_STR, .flags = SSD_ALWAYS},
	{"severity", "Severity", "info, warning or critical; unknown where the verdict on health is that", SSD_STR,
	 .flags = SSD_ALWAYS},
	{"message", "Message", "What was measured, and what it costs", SSD_STR, .flags = SSD_ALWAYS},
	{"cost", "Cost", "What is known of how much that is, and from whom; \"not measured\": nothing", SSD_STR,
	 .flags = SSD_ALWAYS},
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

void doctor_advise_setting(struct ssd_doctor *d, const char *name, const char *attribute, const char *value)
{
	const char *quote = strchr(value, ' ') ? "\"" : "";

	/* The hidden paths of a multipath head make no udev event: Linux, block/genhd.c. */
	if (scan_is_path(name))
		doctor_advise(
			d,
			"`echo %s%s%s >/sys/block/%s/%s`, for good with the line `w /sys/block/%s/%s - - - - %s` in "
			"/etc/tmpfiles.d/ssdct.conf",
			quote, value, quote, name, attribute, name, attribute, value);
	else
		doctor_advise(
			d,
			"`echo %s%s%s >/sys/block/%s/%s`, for good with the line `ACTION==\"add|change\", "
			"SUBSYSTEM==\"block\", KERNEL==\"%s\", ATTR{%s}=\"%s\"` in /etc/udev/rules.d/60-ssdct.rules",
			quote, value, quote, name, attribute, name, attribute, value);
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

const char *const ssd_doctor_root_names[SSD_DOCTOR_N_ROOTS] = {"sys", "proc", "etc", "run"};

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
	struct ssd_doctor_roots roots = {.watch = NULL};

	for (size_t i = 0; i < SSD_DOCTOR_N_ROOTS; i++)
		roots.path[i] = existing(host->dir ? host->dir : "", ssd_doctor_root_names[i]);
	return roots;
}

void ssd_doctor_roots_free(struct ssd_doctor_roots *roots)
{
	for (size_t i = 0; i < SSD_DOCTOR_N_ROOTS; i++)
		free(roots->path[i]);
	*roots = (struct ssd_doctor_roots){.watch = NULL};
}

const char *ssd_doctor_kernel(const struct ssd_doctor_roots *roots, char *buf, size_t size)
{
	const struct ssd_doctor d = {.roots = roots};
	char text[DOCTOR_TEXT];

	doctor_text(&d, PROC, text, "sys/kernel/osrelease");
	ssd_strcpy(buf, size, text);
	return buf;
}
