/* SPDX-License-Identifier: MIT */
/* ssdct check: the health verdict, for cron and monitoring. */
#include "check.h"

#include <inttypes.h>

#define O(member) SSD_OPTION(struct check_options, member)

static const struct ssd_option options[] = {
	{"expect", 0, SSD_OPT_STR, O(expect), "N", "so many drives must be there; fewer is critical, more a warning"},
	{"expect-serial", 0, SSD_OPT_STRS, O(expect_serial), "S,...",
	 "drives with these serial numbers must be judged"},
	{"used-warning", 0, SSD_OPT_UINT, O(used_warning), "PERCENT", "percentage used: warning from here on (90)", 1,
	 255},
	{"used-critical", 0, SSD_OPT_UINT, O(used_critical), "PERCENT", "... critical (never)", 1, 255},
	{"temperature-warning", 0, SSD_OPT_UINT, O(temperature_warning), "CELSIUS",
	 "warning from here on (the drive's own limit, else 70)", 1, 200},
	{"temperature-critical", 0, SSD_OPT_UINT, O(temperature_critical), "CELSIUS",
	 "... critical (the drive's own limit, else 80)", 1, 200},
	{"spare-warning", 0, SSD_OPT_UINT, O(spare_warning), "PERCENT",
	 "available spare: warning at or below (the drive's threshold)", 1, 100},
	{"spare-critical", 0, SSD_OPT_UINT, O(spare_critical), "PERCENT", "... critical below (the drive's threshold)",
	 1, 100},
	{"media-errors", 0, SSD_OPT_UINT, O(media_errors), "N", "so many media errors are critical (never)", 1,
	 INT64_MAX},
	{"ignore", 0, SSD_OPT_STRS, O(ignore), "ID[:DRIVE]", "a finding that does not count; may be given repeatedly"},
	{"allow-simulated", 0, SSD_OPT_FLAG, O(allow_simulated), NULL, "judge a simulated host as if it were real"},
	{.type = SSD_OPT_END},
};

static const struct ssd_field fields[] = {
	{"status", "Status", "Verdict on the drive: ok, warning, unknown or critical", SSD_STR},
	{"findings", "Findings", "What led to it", SSD_LIST, .sub = ssd_finding_fields},
	{"temperature_celsius", "Temperature", "Composite temperature", SSD_INT, SSD_CELSIUS},
	{"temperature_warning_celsius", "Temperature warning", "The limit in force", SSD_INT, SSD_CELSIUS},
	{"temperature_critical_celsius", "Temperature critical", "The limit in force", SSD_INT, SSD_CELSIUS},
	{"percentage_used", "Used", "Percentage of the rated endurance used", SSD_UINT, SSD_PERCENT},
	{"available_spare_percent", "Spare", "Available spare", SSD_UINT, SSD_PERCENT},
	{"available_spare_threshold_percent", "Spare threshold", "The drive's own", SSD_UINT, SSD_PERCENT},
	SSD_FIELD_END,
};

static const struct ssd_field top[] = {
	{"status", "Status", "Verdict on all: critical, else unknown, else warning, else ok", SSD_STR},
	{"findings", "Findings", "What concerns no single drive: expected ones that are missing", SSD_LIST,
	 .sub = ssd_finding_fields},
	SSD_FIELD_END,
};

static int64_t given(uint64_t value, int64_t otherwise)
{
	return value ? (int64_t)value : otherwise;
}

struct ssd_health_options check_health_options(const struct check_options *o)
{
	struct ssd_health_options h = SSD_HEALTH_OPTIONS_INIT;
	struct ssd_thresholds *t = &h.thresholds;

	t->used_warning_percent = given(o->used_warning, t->used_warning_percent);
	t->used_critical_percent = given(o->used_critical, t->used_critical_percent);
	t->temperature_warning = given(o->temperature_warning, t->temperature_warning);
	t->temperature_critical = given(o->temperature_critical, t->temperature_critical);
	t->spare_warning_percent = given(o->spare_warning, t->spare_warning_percent);
	t->spare_critical_percent = given(o->spare_critical, t->spare_critical_percent);
	t->media_errors_critical = given(o->media_errors, t->media_errors_critical);
	h.ignore = o->ignore.v;
	h.n_ignore = o->ignore.n;
	return h;
}

static size_t count_ids(void)
{
	size_t n = 0;

	while (ssd_finding_ids[n])
		n++;
	return n;
}

/* A mistyped id would ignore nothing, and somebody would be woken at night by what he thinks he has silenced. */
static int check_ignore(const char *entry, struct ssd_err *err)
{
	size_t n = count_ids();
	char id[64];
	const char *near;

	snprintf(id, sizeof(id), "%.*s", (int)strcspn(entry, ":"), entry);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(ssd_finding_ids[i], id))
			return 0;
	ssd_fail(err, SSD_ERR_USAGE, "--ignore: no finding is called \"%s\"", id);
	near = ssd_nearest(id, ssd_finding_ids, n);
	if (near)
		ssd_hint(err, "did you mean %s?", near);
	else
		ssd_hint(err, "the ids are listed in ssdct check --help");
	return -1;
}

static bool has_drive(const struct ssd_host *host, const char *name)
{
	for (size_t i = 0; i < host->n_drives; i++)
		if (!strcmp(host->drives[i].device, name) || !strcmp(host->drives[i].serial, name))
			return true;
	return false;
}

/* No error, as one command line may serve many machines; that a drive is missing concerns one that is not there. */
static void note_ignored(const struct ssd_run *run, const char *entry)
{
	const char *colon = strchr(entry, ':');

	if (colon && run->host && !has_drive(run->host, colon + 1) && strncmp(entry, "missing_drive:", 14) != 0)
		ssd_note(run, "--ignore %s: no drive here has this name or serial number", entry);
}

/* How many drives --expect wants; -1 when it was not given. */
static int64_t expected(const struct check_options *o)
{
	return o->expect ? (int64_t)strtoull(o->expect, NULL, 10) : -1;
}

static int check_prepare(struct ssd_run *run, struct ssd_err *err)
{
	const struct check_options *o = run->options;

	if (o->expect && (!*o->expect || o->expect[strspn(o->expect, "0123456789")] || strlen(o->expect) > 6))
		return ssd_fail(err, SSD_ERR_USAGE, "--expect: \"%s\" is not a number of drives", o->expect);
	for (size_t i = 0; i < o->ignore.n; i++)
		if (check_ignore(o->ignore.v[i], err))
			return -1;
	if (run->host && run->host->backend == SSD_BACKEND_SIMULATED && !o->allow_simulated) {
		ssd_fail(err, SSD_ERR_REFUSED,
			 "this host is simulated: a verdict on it would say nothing about real drives");
		ssd_hint(err, "--allow-simulated judges it nevertheless; without --host or SSDCT_HOST this machine is "
			      "judged");
		return -1;
	}
	for (size_t i = 0; i < o->ignore.n; i++)
		note_ignored(run, o->ignore.v[i]);
	return 0;
}

static void copy_uint(struct ssd_node *element, const char *key, const struct ssd_node *smart)
{
	if (ssd_get(smart, key))
		ssd_set_uint(element, key, (uint64_t)ssd_get_int(smart, key, 0));
}

static void fill_element(struct ssd_node *element, const struct ssd_health *health)
{
	ssd_set_str(element, "status", ssd_severity_name(health->severity));
	if (!health->smart)
		return;
	if (ssd_get(health->smart, "temperature_celsius"))
		ssd_set_int(element, "temperature_celsius", ssd_get_int(health->smart, "temperature_celsius", 0));
	if (health->temperature_warning != INT64_MIN)
		ssd_set_int(element, "temperature_warning_celsius", health->temperature_warning);
	if (health->temperature_critical != INT64_MIN)
		ssd_set_int(element, "temperature_critical_celsius", health->temperature_critical);
	copy_uint(element, "percentage_used", health->smart);
	copy_uint(element, "available_spare_percent", health->smart);
	copy_uint(element, "available_spare_threshold_percent", health->smart);
}

static int check_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	struct ssd_health_options h = check_health_options(run->options);
	struct ssd_node *findings = ssd_set_list(row->element, "findings");
	struct ssd_health health;
	int rc = ssd_health_check(dev, row->arena, &h, findings, &health, &row->err);

	fill_element(row->element, &health);
	return rc;
}

/* A drive that was not reached, or whose worker was left behind: judged from here. */
static void judge_unreached(struct ssd_run *run, struct ssd_row *row)
{
	struct ssd_health_options h = check_health_options(run->options);
	struct ssd_device dev = {.drive = row->target.drive};
	struct ssd_health health = ssd_health_unreached(&dev, &row->err, &h, ssd_set_list(row->element, "findings"));

	fill_element(row->element, &health);
}

static enum ssd_severity severity_of(const char *name)
{
	for (enum ssd_severity s = SSD_OK; s <= SSD_CRITICAL; s++)
		if (!strcmp(ssd_severity_name(s), name))
			return s;
	return SSD_UNKNOWN;
}

static enum ssd_severity judge_rows(struct ssd_run *run)
{
	enum ssd_severity worst = SSD_OK;

	for (size_t i = 0; i < run->n_rows; i++) {
		struct ssd_row *row = &run->rows[i];

		if (!ssd_get(row->element, "status"))
			judge_unreached(run, row);
		worst = ssd_severity_worse(worst, severity_of(ssd_get_str(row->element, "status", "")));
	}
	return worst;
}

static enum ssd_severity expect_count(const struct ssd_run *run, struct ssd_node *findings)
{
	struct ssd_health_options h = check_health_options(run->options);
	int64_t have = (int64_t)run->n_rows, want = expected(run->options);
	char text[96];
	struct ssd_finding missing = {"missing_drives", SSD_CRITICAL, have, want, text};
	struct ssd_finding unexpected = {"unexpected_drives", SSD_WARNING, have, want, text};

	if (want < 0 || have == want)
		return SSD_OK;
	snprintf(text, sizeof(text), "%" PRId64 " drive%s here, %" PRId64 " expected", have, have == 1 ? "" : "s",
		 want);
	return ssd_finding_add(findings, &h, have < want ? &missing : &unexpected);
}

/* Of the drives that are judged: one that is there but was not asked about is no comfort. */
static bool has_serial(const struct ssd_run *run, const char *serial)
{
	for (size_t i = 0; i < run->n_rows; i++)
		if (!strcmp(ssd_get_str(run->rows[i].element, "serial", ""), serial))
			return true;
	return false;
}

static enum ssd_severity expect_serial(const struct ssd_run *run, const char *serial, struct ssd_node *findings)
{
	struct ssd_health_options h = check_health_options(run->options);
	char text[160];
	struct ssd_finding missing = {"missing_drive", SSD_CRITICAL, INT64_MIN, INT64_MIN, text, .serial = serial};

	if (!*serial || has_serial(run, serial))
		return SSD_OK;
	snprintf(text, sizeof(text), "the drive with serial number %s is missing", serial);
	return ssd_finding_add(findings, &h, &missing);
}

/* Serial numbers separated by commas, blanks around them allowed. */
static enum ssd_severity expect_serials(const struct ssd_run *run, const char *list, struct ssd_node *findings)
{
	enum ssd_severity worst = SSD_OK;
	char serial[64];

	while (*list) {
		size_t len = strcspn(list, ",");
		const char *start = list + strspn(list, " ");
		int n = (int)(list + len - start);

		while (n > 0 && start[n - 1] == ' ')
			n--;
		snprintf(serial, sizeof(serial), "%.*s", n > 0 ? n : 0, start);
		worst = ssd_severity_worse(worst, expect_serial(run, serial, findings));
		list += len + (list[len] == ',');
	}
	return worst;
}

static enum ssd_severity judge_expectations(struct ssd_run *run, struct ssd_node *findings)
{
	const struct check_options *o = run->options;
	enum ssd_severity worst = expect_count(run, findings);

	for (size_t i = 0; i < o->expect_serial.n; i++)
		worst = ssd_severity_worse(worst, expect_serials(run, o->expect_serial.v[i], findings));
	return worst;
}

static int exit_code(enum ssd_severity s)
{
	switch (s) {
	case SSD_CRITICAL:
		return SSD_MONITOR_CRITICAL;
	case SSD_UNKNOWN:
		return SSD_MONITOR_UNKNOWN;
	case SSD_WARNING:
		return SSD_MONITOR_WARNING;
	default:
		return SSD_MONITOR_OK;
	}
}

static int check_finish(struct ssd_run *run, struct ssd_err *err)
{
	struct ssd_node *findings = ssd_set_list(run->doc, "findings");
	enum ssd_severity worst = ssd_severity_worse(judge_rows(run), judge_expectations(run, findings));
	bool nothing = !run->n_rows && worst == SSD_OK && expected(run->options) != 0;

	if (nothing)
		worst = SSD_UNKNOWN;
	ssd_set_str(run->doc, "status", ssd_severity_name(worst));
	run->exit = exit_code(worst);
	if (!nothing)
		return 0;
	ssd_fail(err, SSD_ERR_NOT_FOUND, "no NVMe drive was found");
	ssd_hint(err, "on a machine that should have none, say --expect 0");
	return -1;
}

const struct ssd_command cmd_check = {
	.name = "check",
	.summary = "health verdict for cron and monitoring; exit 0 ok, 1 warning, 2 critical, 3 unknown",
	.usage = "[DRIVE...] [options]",
	.help = "Judges all drives, or those that are named, by their SMART log, identity and state. The worst counts, "
		"in the\n"
		"order critical, unknown, warning, ok.\n"
		"\n"
		"Critical: any critical warning of the drive (temperature: warning), available spare below the "
		"threshold,\n"
		"temperature at the critical limit, a controller that is dead, a drive that does not run its normal "
		"firmware,\n"
		"impossible values, a sanitize operation or self-test that failed last. Warning: spare at the "
		"threshold,\n"
		"percentage used from 90, temperature at the warning limit. Unknown: the SMART log cannot be read or "
		"was not\n"
		"filled in. Media errors are information unless --media-errors says otherwise; a growing error log is "
		"nothing.\n"
		"Limits of temperature are WCTEMP and CCTEMP of the drive, else feature 04h (5 C below it: warning), "
		"else\n"
		"70 and 80.\n"
		"\n"
		"Ids for --ignore: available_spare, critical_warning_available_spare, "
		"critical_warning_persistent_memory,\n"
		"critical_warning_read_only, critical_warning_reliability, critical_warning_reserved,\n"
		"critical_warning_temperature, critical_warning_volatile_backup, fault_capacity, fault_identity,\n"
		"impossible_value, media_errors, missing_drive, missing_drives, no_data, percentage_used, "
		"sanitize_failed,\n"
		"self_test_failed, smart_blank, state, temperature, timeout, unexpected_drives, unreadable, "
		"vendor_health.\n"
		"An ignored finding is still shown, as information.",
	.examples = (const char *const[]){"check", "check nvme0 nvme1 --used-warning 80",
					  "check -o nagios --expect 8 --ignore percentage_used:nvme3", NULL},
	.flags = SSD_CMD_NAGIOS | SSD_CMD_MONITOR | SSD_CMD_TIMEOUT | SSD_CMD_FOLD,
	.drives = SSD_DRIVES_OR_ALL,
	.options = options,
	.options_size = sizeof(struct check_options),
	.fields = fields,
	.top = top,
	.prepare = check_prepare,
	.each = check_each,
	.finish = check_finish,
	.text = check_text,
};
