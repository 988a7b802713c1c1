/* SPDX-License-Identifier: MIT */
/* Temperature now, what heat has cost so far, and the rest of the verdict on health. */
#include "doctor.h"

#include <ssdct/plugin.h>

static bool is_heat(const char *id)
{
	return !strcmp(id, "temperature") || !strcmp(id, "critical_warning_temperature");
}

static bool counts(const struct ssd_node *finding)
{
	return doctor_severity(finding) > SSD_INFO;
}

void doctor_temperature(struct ssd_doctor *d)
{
	for (const struct ssd_node *f = doctor_health(d)->child; f; f = f->next) {
		if (!is_heat(ssd_get_str(f, "id", "")) || !counts(f))
			continue;
		doctor_say(d, doctor_severity(f),
			   "%s: a drive at its limit slows itself down, and at last switches off",
			   ssd_get_str(f, "message", ""));
		doctor_advise(
			d,
			"more air: fans, blanks in empty bays, ambient temperature; `ssdct smart %s` has all sensors",
			d->drive->device);
	}
}

/* What a vendor counts: Intel's additional SMART, attribute EAh. */
static const struct ssd_node *throttle(struct ssd_doctor *d)
{
	const struct ssd_page *page = doctor_id_ctrl(d) ? ssd_vendor_page(d->dev, "intel_smart") : NULL;
	struct ssd_err err = SSD_ERR_INIT;
	const struct ssd_node *n;

	if (!page || d->dev->vendor_refused)
		return NULL;
	n = ssd_read_page(d->dev, d->arena, page, 0, &err);
	d->dev->vendor_refused |= err.nvme_status >= 0;
	return ssd_get(n, "thermal_throttle");
}

struct counter {
	const struct ssd_node *of;
	const char *key, *text;
};

static size_t add_counter(const struct counter *c, char *text, size_t len, size_t size)
{
	int64_t value = ssd_get_int(c->of, c->key, 0);

	if (value <= 0 || len >= size)
		return len;
	return len + (size_t)snprintf(text + len, size - len, "%s%lld%s", len ? ", " : "", (long long)value, c->text);
}

void doctor_throttling(struct ssd_doctor *d)
{
	const struct ssd_node *smart = doctor_smart(d), *vendor = throttle(d);
	const struct counter counters[] = {
		{smart, "warning_temperature_minutes", " minutes above the warning temperature"},
		{smart, "critical_temperature_minutes", " minutes above the critical temperature"},
		{smart, "tmt1_transition_count", " light throttlings"},
		{smart, "tmt1_seconds", " seconds of these"},
		{smart, "tmt2_transition_count", " heavy throttlings"},
		{smart, "tmt2_seconds", " seconds of these"},
		{vendor, "count", " throttlings by the vendor's count"},
		{vendor, "percent", "% throttled now"},
	};
	char text[320] = "";
	size_t len = 0;

	for (size_t i = 0; i < ARRAY_SIZE(counters); i++)
		len = add_counter(&counters[i], text, len, sizeof(text));
	if (!len)
		return;
	doctor_say(d, ssd_get_int(vendor, "percent", 0) > 0 ? SSD_WARNING : SSD_INFO,
		   "the drive has been too warm: %s; it is slower while it throttles", text);
	doctor_advise(d, "look whether the numbers grow under load (`ssdct smart %s`), then see to the air",
		      d->drive->device);
}

/* What other findings say; and of a drive that was not asked, what the row's own error says. */
static bool is_said_elsewhere(const struct ssd_doctor *d, const char *id)
{
	static const char *const errors[] = {"unreadable", "timeout", "no_data"};

	for (size_t i = 0; i < ARRAY_SIZE(errors) && !doctor_is_open(d); i++)
		if (!strcmp(errors[i], id))
			return true;
	return !strcmp(id, "fault_identity") || is_heat(id);
}

void doctor_health_verdict(struct ssd_doctor *d)
{
	for (const struct ssd_node *f = doctor_health(d)->child; f; f = f->next) {
		if (!counts(f) || is_said_elsewhere(d, ssd_get_str(f, "id", "")))
			continue;
		doctor_say(d, doctor_severity(f), "%s", ssd_get_str(f, "message", ""));
		doctor_advise(d, "save the data first, then see `ssdct check %s`, `ssdct smart %s` and the warranty",
			      d->drive->device, d->drive->device);
	}
}
