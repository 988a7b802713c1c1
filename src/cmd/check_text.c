/* SPDX-License-Identifier: MIT */
/* ssdct check for people, and as a monitoring plugin's output (monitoring-plugins, doc/developer-guidelines.sgml). */
#include "check.h"

#include <ctype.h>
#include <inttypes.h>

/* "38 C, used 41%, spare 99%": what of it there is. */
static const char *readings(const struct ssd_node *e, char buf[96])
{
	static const struct {
		const char *key, *before, *after;
	} parts[] = {{"temperature_celsius", "", " C"},
		     {"percentage_used", "used ", "%"},
		     {"available_spare_percent", "spare ", "%"}};
	size_t len = 0;

	*buf = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (ssd_get(e, parts[i].key))
			len += (size_t)snprintf(buf + len, 96 - len, "%s%s%" PRId64 "%s", len ? ", " : "",
						parts[i].before, ssd_get_int(e, parts[i].key, 0), parts[i].after);
	return buf;
}

static void text_findings(const struct ssd_node *obj, int indent, FILE *out)
{
	const struct ssd_node *list = ssd_get(obj, "findings");

	for (const struct ssd_node *f = list ? list->child : NULL; f; f = f->next)
		fprintf(out, "%*s%s: %s\n", indent, "", ssd_get_str(f, "severity", ""), ssd_get_str(f, "message", ""));
}

static int widest(const struct ssd_run *run, const char *key)
{
	size_t width = 0;

	for (size_t i = 0; i < run->n_rows; i++) {
		size_t len = strlen(ssd_get_str(run->rows[i].element, key, "-"));

		width = len > width ? len : width;
	}
	return (int)width;
}

static void people(const struct ssd_run *run, FILE *out)
{
	int device = widest(run, "device"), model = widest(run, "model"), serial = widest(run, "serial");
	char buf[96];

	if (!run->ran)
		return; /* nothing was judged, and the error says why */
	for (size_t i = 0; i < run->n_rows; i++) {
		const struct ssd_node *e = run->rows[i].element;

		fprintf(out, "%-*s  %-8s  %-*s  ", device, ssd_get_str(e, "device", "-"),
			ssd_get_str(e, "status", "unknown"), model, ssd_get_str(e, "model", "-"));
		if (*readings(e, buf))
			fprintf(out, "%-*s  %s%s\n", serial, ssd_get_str(e, "serial", "-"), buf, ssd_host_note(run));
		else
			fprintf(out, "%s%s\n", ssd_get_str(e, "serial", "-"), ssd_host_note(run));
		text_findings(e, device + 2, out);
		if (*run->rows[i].err.hint)
			fprintf(out, "%*shint: %s\n", device + 2, "", run->rows[i].err.hint);
	}
	text_findings(run->doc, 0, out);
}

/* The separators of the format must not occur in what drives, messages and command lines say. */
static void put(FILE *out, const char *text)
{
	for (; *text; text++)
		fputc(*text == '|' ? '/' : iscntrl((unsigned char)*text) ? ' ' : *text, out);
}

/* Findings that count, " ; "-separated, with the drive in front. Returns whether any was put. */
static bool put_findings(FILE *out, const struct ssd_node *obj, const char *device, bool any)
{
	const struct ssd_node *list = ssd_get(obj, "findings");

	for (const struct ssd_node *f = list ? list->child : NULL; f; f = f->next) {
		const char *severity = ssd_get_str(f, "severity", "");

		if (!strcmp(severity, "info"))
			continue;
		fputs(any ? "; " : "", out);
		if (device) {
			put(out, device);
			fputs(" ", out);
		}
		fputs(severity, out);
		fputs(": ", out);
		put(out, ssd_get_str(f, "message", ""));
		any = true;
	}
	return any;
}

static void put_summary(FILE *out, const struct ssd_run *run)
{
	bool any = put_findings(out, run->doc, NULL, false);
	char buf[96];

	for (size_t i = 0; i < run->n_rows; i++)
		any = put_findings(out, run->rows[i].element, ssd_get_str(run->rows[i].element, "device", ""), any);
	if (any)
		return;
	if (run->n_rows != 1) {
		fprintf(out, "%zu drives", run->n_rows);
		return;
	}
	put(out, ssd_get_str(run->rows[0].element, "device", ""));
	fputs(" ", out);
	put(out, ssd_get_str(run->rows[0].element, "model", ""));
	fputs(" ", out);
	fputs(readings(run->rows[0].element, buf), out);
}

/* 'nvme0_temperature'= : quotes are doubled, and an equals sign has no place in a label. */
static void put_label(FILE *out, const char *device, const char *name)
{
	fputs(" '", out);
	for (; *device; device++) {
		if (*device == '\'')
			fputc('\'', out);
		fputc(*device == '|' || *device == '=' ? '_' : *device, out);
	}
	fprintf(out, "_%s'=", name);
}

/*
 * A range inside of which is bad ("@", developer guidelines, "Threshold and Ranges"), both ends included: a bare number
 * would begin beyond the limit, where the verdict begins at it. A limit that is not there is an empty place.
 */
static void put_at_least(FILE *out, int64_t limit)
{
	fputc(';', out);
	if (limit >= 0)
		fprintf(out, "@%" PRId64 ":", limit);
}

static void put_at_most(FILE *out, int64_t limit)
{
	fputc(';', out);
	if (limit >= 0)
		fprintf(out, "@0:%" PRId64, limit);
}

static void put_perfdata(FILE *out, const struct ssd_node *e, const struct ssd_thresholds *t)
{
	const char *device = ssd_get_str(e, "device", "");
	int64_t spare = ssd_get_int(e, "available_spare_threshold_percent", -1);
	int64_t warning = t->spare_warning_percent >= 0 ? t->spare_warning_percent : spare;
	int64_t critical = t->spare_critical_percent >= 0 ? t->spare_critical_percent : spare;

	if (ssd_get(e, "temperature_celsius")) {
		put_label(out, device, "temperature");
		fprintf(out, "%" PRId64, ssd_get_int(e, "temperature_celsius", 0));
		put_at_least(out, ssd_get_int(e, "temperature_warning_celsius", -1));
		put_at_least(out, ssd_get_int(e, "temperature_critical_celsius", -1));
	}
	if (ssd_get(e, "percentage_used")) {
		put_label(out, device, "percentage_used");
		fprintf(out, "%" PRId64 "%%", ssd_get_int(e, "percentage_used", 0));
		put_at_least(out, t->used_warning_percent);
		put_at_least(out, t->used_critical_percent);
		fputs(";0;255", out);
	}
	if (ssd_get(e, "available_spare_percent")) {
		put_label(out, device, "spare");
		fprintf(out, "%" PRId64 "%%", ssd_get_int(e, "available_spare_percent", 0));
		/* Warning at or below the one, critical below the other. */
		put_at_most(out, warning);
		put_at_most(out, critical - 1);
		fputs(";0;100", out);
	}
}

static bool has_perfdata(const struct ssd_run *run)
{
	for (size_t i = 0; i < run->n_rows; i++)
		if (ssd_get(run->rows[i].element, "percentage_used"))
			return true;
	return false;
}

/* More lines: every drive with all its findings. */
static void put_details(FILE *out, const struct ssd_run *run)
{
	char buf[96];

	for (size_t i = 0; i < run->n_rows; i++) {
		const struct ssd_node *e = run->rows[i].element;
		const struct ssd_node *list = ssd_get(e, "findings");

		put(out, ssd_get_str(e, "device", ""));
		fprintf(out, " %s: ", ssd_get_str(e, "status", "unknown"));
		put(out, ssd_get_str(e, "model", ""));
		fputs(" ", out);
		put(out, ssd_get_str(e, "serial", ""));
		fprintf(out, " %s\n", readings(e, buf));
		for (const struct ssd_node *f = list ? list->child : NULL; f; f = f->next) {
			fprintf(out, "  %s: ", ssd_get_str(f, "severity", ""));
			put(out, ssd_get_str(f, "message", ""));
			fputs("\n", out);
		}
	}
}

static void nagios(const struct ssd_run *run, FILE *out)
{
	const char *status = ssd_get_str(run->doc, "status", "unknown");
	const char *error = ssd_get_str(run->doc, "error.message", NULL);
	struct ssd_health_options h = SSD_HEALTH_OPTIONS_INIT;

	if (!run->ran || (!run->n_rows && error)) {
		fputs("SSDCT UNKNOWN - ", out);
		put(out, error ? error : "no verdict");
		fputs("\n", out);
		return;
	}
	h = check_health_options(run->options);
	fputs("SSDCT ", out);
	for (const char *p = status; *p; p++)
		fputc(toupper((unsigned char)*p), out);
	fputs(" - ", out);
	put_summary(out, run);
	fputs(ssd_host_note(run), out);
	if (has_perfdata(run))
		fputs(" |", out);
	for (size_t i = 0; i < run->n_rows && has_perfdata(run); i++)
		put_perfdata(out, run->rows[i].element, &h.thresholds);
	fputs("\n", out);
	put_details(out, run);
}

void check_text(const struct ssd_run *run, FILE *out)
{
	if (run->globals.output == SSD_OUTPUT_NAGIOS)
		nagios(run, out);
	else
		people(run, out);
}
