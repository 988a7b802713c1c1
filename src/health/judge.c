/* SPDX-License-Identifier: MIT */
/* From facts and rules to findings and a verdict. No I/O here. */
#include "rules.h"

#include <inttypes.h>
#include <strings.h>

#define NONE INT64_MIN

const struct ssd_field ssd_finding_fields[] = {
	{"id", "Id", "What was found, for --ignore", SSD_STR, .flags = SSD_ALWAYS},
	{"severity", "Severity", "info, warning, unknown or critical", SSD_STR, .flags = SSD_ALWAYS},
	{"message", "Message", "The same in words", SSD_STR, .flags = SSD_ALWAYS},
	{"value", "Value", "The value that was judged", SSD_INT},
	{"threshold", "Threshold", "The limit that it was compared with", SSD_INT},
	SSD_FIELD_END,
};

const char *const ssd_finding_ids[] = {
	"available_spare",
	"critical_warning_available_spare",
	"critical_warning_persistent_memory",
	"critical_warning_read_only",
	"critical_warning_reliability",
	"critical_warning_reserved",
	"critical_warning_temperature",
	"critical_warning_volatile_backup",
	"fault_capacity",
	"fault_identity",
	"impossible_value",
	"media_errors",
	"missing_drive",
	"missing_drives",
	"no_data",
	"percentage_used",
	"sanitize_failed",
	"self_test_failed",
	"smart_blank",
	"state",
	"temperature",
	"timeout",
	"unexpected_drives",
	"unreadable",
	"vendor_health",
	NULL,
};

const char *ssd_severity_name(enum ssd_severity s)
{
	static const char *const names[] = {"ok", "info", "warning", "unknown", "critical"};

	return names[s];
}

enum ssd_severity ssd_severity_worse(enum ssd_severity a, enum ssd_severity b)
{
	enum ssd_severity worse = a > b ? a : b;

	return worse == SSD_INFO ? SSD_OK : worse;
}

static bool same(const char *a, const char *b)
{
	return a && *a && !strcmp(a, b);
}

/* "ID" ignores everywhere, "ID:DRIVE" on one drive, which is named by its device or its serial number. */
static bool entry_matches(const struct ssd_finding *f, const char *entry)
{
	size_t len = strlen(f->id);
	const char *drive;

	if (strncmp(entry, f->id, len) != 0 || (entry[len] && entry[len] != ':'))
		return false;
	if (!entry[len])
		return true;
	drive = entry + len + 1;
	if (!strncmp(drive, "/dev/", 5))
		drive += 5;
	return same(f->device, drive) || same(f->serial, drive);
}

static bool is_ignored(const struct ssd_health_options *options, const struct ssd_finding *f)
{
	for (size_t i = 0; i < options->n_ignore; i++)
		if (entry_matches(f, options->ignore[i]))
			return true;
	return false;
}

static void append(struct ssd_node *findings, const struct ssd_finding *f)
{
	struct ssd_node *item = ssd_add_item(findings);

	ssd_set_str(item, "id", f->id);
	ssd_set_str(item, "severity", ssd_severity_name(f->severity));
	ssd_set_str(item, "message", f->message);
	if (f->value != NONE)
		ssd_set_int(item, "value", f->value);
	if (f->threshold != NONE)
		ssd_set_int(item, "threshold", f->threshold);
}

enum ssd_severity ssd_finding_add(struct ssd_node *findings, const struct ssd_health_options *options,
				  const struct ssd_finding *finding)
{
	struct ssd_finding f = *finding;
	char text[480];

	if (f.severity > SSD_INFO && is_ignored(options, &f)) {
		snprintf(text, sizeof(text), "%s (ignored: %s)", f.message, ssd_severity_name(f.severity));
		f.message = text;
		f.severity = SSD_INFO;
	}
	if (findings)
		append(findings, &f);
	return ssd_severity_worse(f.severity, SSD_OK);
}

struct judge {
	const struct ssd_health_input *in;
	const struct ssd_health_options *options;
	struct ssd_node *findings;
	enum ssd_severity severity;
	const struct ssd_node *docs[HEALTH_DOCS];
};

static void add(struct judge *j, const char *id, enum ssd_severity severity, int64_t value, int64_t threshold,
		const char *message)
{
	struct ssd_finding f = {id, severity, value, threshold, message, j->in->device, j->in->serial};

	j->severity = ssd_severity_worse(j->severity, ssd_finding_add(j->findings, j->options, &f));
}

static bool applies(const struct health_rule *r, int64_t value, int64_t limit)
{
	switch (r->compare) {
	case AT_LEAST:
		return value >= limit;
	case AT_MOST:
		return value <= limit;
	case BELOW:
		return value < limit;
	case IS:
		return value == limit;
	default:
		return value & limit;
	}
}

static const char *relation(const struct health_rule *r, int64_t value, int64_t limit)
{
	if (value == limit)
		return "has reached the limit of";
	return r->compare == AT_LEAST ? "is above the limit of" : "is below the limit of";
}

static void describe(const struct health_rule *r, int64_t value, int64_t limit, char *text, size_t size)
{
	const char *more = r->saturates && value >= r->saturates ? " or more" : "";

	if (!r->unit)
		snprintf(text, size, "%s", r->text);
	else if (r->compare == ANY_BIT)
		snprintf(text, size, "%s 0x%02" PRIx64, r->text, (uint64_t)value);
	else if (r->limit == LIMIT_CONSTANT)
		snprintf(text, size, "%s: %" PRId64 "%s", r->text, value, r->unit);
	else
		snprintf(text, size, "%s %" PRId64 "%s%s %s %" PRId64 "%s", r->text, value, r->unit, more,
			 relation(r, value, limit), limit, r->unit);
}

static bool run_rule(struct judge *j, const struct health_rule *r, const int64_t limits[LIMITS])
{
	int64_t value = ssd_get_int(j->docs[r->doc], r->path, NONE);
	int64_t limit = r->limit == LIMIT_CONSTANT ? r->constant : limits[r->limit];
	char text[320];

	if (value == NONE || limit == NONE || !applies(r, value, limit))
		return false;
	describe(r, value, limit, text, sizeof(text));
	add(j, r->id, r->severity, value, limit, text);
	return true;
}

static void run_rules(struct judge *j, const int64_t limits[LIMITS])
{
	const struct health_rule *hit = NULL;

	for (size_t i = 0; i < n_health_rules; i++) {
		const struct health_rule *r = &health_rules[i];

		if (hit && !strcmp(hit->id, r->id) && !strcmp(hit->path, r->path))
			continue;
		if (run_rule(j, r, limits))
			hit = r;
	}
}

static bool identity_matches(const struct health_identity_rule *r, const char *text)
{
	switch (r->match) {
	case EQUALS:
		return !strcasecmp(text, r->pattern);
	case CONTAINS:
		return strcasestr(text, r->pattern);
	default:
		return !text[strspn(text, " ")];
	}
}

bool health_fault_identity(const struct ssd_health_input *in, char *text, size_t size)
{
	for (size_t i = 0; i < n_health_identity_rules; i++) {
		const struct health_identity_rule *r = &health_identity_rules[i];
		const char *value = r->what == MODEL ? in->model : in->firmware;

		if (!value || (r->whose == KNOWN_FAMILY && !in->family_known) || !identity_matches(r, value))
			continue;
		snprintf(text, size, "%s \"%s\": the drive does not run its normal firmware",
			 r->what == MODEL ? "model" : "firmware revision", value);
		return true;
	}
	return false;
}

static void judge_identity(struct judge *j)
{
	char text[200];

	if (health_fault_identity(j->in, text, sizeof(text)))
		add(j, "fault_identity", SSD_CRITICAL, NONE, NONE, text);
}

static void judge_capacity(struct judge *j)
{
	char text[160];

	if (!j->in->family_known || !j->in->capacity_bytes || j->in->capacity_bytes > HEALTH_TINY_BYTES)
		return;
	snprintf(text, sizeof(text),
		 "capacity %" PRIu64 " bytes: a drive of this family that shows so little is faulty",
		 j->in->capacity_bytes);
	add(j, "fault_capacity", SSD_CRITICAL, (int64_t)j->in->capacity_bytes, (int64_t)HEALTH_TINY_BYTES, text);
}

static void judge_vendor_health(struct judge *j)
{
	char text[160];

	snprintf(text, sizeof(text), "the drive says of itself: \"%s\"", j->in->vendor_health);
	add(j, "vendor_health", SSD_WARNING, NONE, NONE, text);
}

/* "deleting (no IO)" is a state too. */
static bool is_lost(const char *state)
{
	return state && (!strcmp(state, "dead") || !strncmp(state, "deleting", 8));
}

static void judge_state(struct judge *j)
{
	char text[96];

	snprintf(text, sizeof(text), "the controller is %s", j->in->state);
	add(j, "state", SSD_CRITICAL, NONE, NONE, text);
}

/*
 * A page of nothing but zeros and gaps was never filled in: no drive has zero of everything, its spare included. The count
 * of errors does not make it better.
 */
static bool is_blank(const struct ssd_node *n)
{
	if (n->null)
		return true;
	for (const struct ssd_node *c = n->child; c; c = c->next)
		if (!is_blank(c) && strcmp(c->field->key ? c->field->key : "", "error_log_entries") != 0)
			return false;
	switch (n->field->type) {
	case SSD_UINT:
	case SSD_ENUM:
	case SSD_FLAGS:
		return !n->u;
	case SSD_INT:
		return !n->i;
	case SSD_WIDE:
		return !n->wide.hi && !n->wide.lo;
	case SSD_REAL:
		return n->real == 0;
	case SSD_BOOL:
		return !n->b;
	case SSD_STR:
		return !*n->s;
	default:
		return true;
	}
}

/*
 * Results 0 and 5 to 7 of figure 213 (NVM Express Base Specification 2.0c); all others say that a test was aborted, which
 * tells nothing of the drive and takes nothing back.
 */
static bool has_ended(const struct ssd_node *result)
{
	int64_t code = ssd_get_int(result, "result", NONE);

	return !code || (code >= 5 && code <= 7);
}

static const struct ssd_node *newest_ended(const struct ssd_node *self_test)
{
	const struct ssd_node *results = ssd_get(self_test, "results");
	const struct ssd_node *r = results ? results->child : NULL;

	while (r && !has_ended(r))
		r = r->next;
	return r;
}

static void judge_error(struct judge *j)
{
	const struct ssd_err *err = j->in->err;
	const char *id = "unreadable";

	if (err && err->code == SSD_ERR_TIMEOUT)
		id = "timeout";
	else if (err && err->code == SSD_ERR_NOT_WRITTEN)
		id = "no_data";
	add(j, id, SSD_UNKNOWN, NONE, NONE, err && ssd_failed(err) ? err->message : "the SMART log could not be read");
}

struct ssd_health ssd_health_judge(const struct ssd_health_input *in, const struct ssd_health_options *options,
				   struct ssd_node *findings)
{
	const struct ssd_node *smart = in->smart && !is_blank(in->smart) ? in->smart : NULL;
	struct judge j = {in,
			  options,
			  findings,
			  SSD_OK,
			  {[SMART] = smart, [SANITIZE] = in->sanitize, [SELF_TEST] = newest_ended(in->self_test)}};
	int64_t limits[LIMITS];

	health_limits(in, &options->thresholds, limits);
	judge_identity(&j);
	judge_capacity(&j);
	if (in->vendor_health)
		judge_vendor_health(&j);
	if (is_lost(in->state))
		judge_state(&j);
	run_rules(&j, limits);
	if (in->smart && !smart)
		add(&j, "smart_blank", SSD_UNKNOWN, NONE, NONE,
		    "the SMART log is all zero: the drive did not fill it in");
	if (!is_lost(in->state) && (!in->smart || (in->err && ssd_failed(in->err))))
		judge_error(&j);
	return (struct ssd_health){j.severity, smart, limits[LIMIT_TEMPERATURE_WARNING],
				   limits[LIMIT_TEMPERATURE_CRITICAL]};
}
