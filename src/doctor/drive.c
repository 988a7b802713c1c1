/* SPDX-License-Identifier: MIT */
/* What the drive itself says, asked once. */
#include "doctor.h"

#include <ssdct/feature.h>
#include <ssdct/status.h>

bool doctor_is_open(const struct ssd_doctor *d)
{
	return d->dev && d->dev->transport;
}

const struct ssd_node *doctor_id_ctrl(struct ssd_doctor *d)
{
	if (!d->identified && doctor_is_open(d))
		d->id_ctrl = ssd_read_page(d->dev, d->arena, &ssd_page_id_ctrl, 0, NULL);
	d->identified = true;
	return d->id_ctrl;
}

static const struct ssd_field holder[] = {
	{"findings", "Findings", NULL, SSD_LIST, .sub = ssd_finding_fields},
	SSD_FIELD_END,
};
static const struct ssd_field holder_field = {"health", "Health", NULL, SSD_OBJ, .sub = holder};

/* The verdict of `check`, with its defaults: one judge of health is enough. */
static void judge(struct ssd_doctor *d)
{
	static const struct ssd_health_options defaults = SSD_HEALTH_OPTIONS_INIT;
	struct ssd_node *list = ssd_set_list(ssd_obj_new(d->arena, &holder_field), "findings");
	struct ssd_err err = SSD_ERR_INIT;
	struct ssd_health health;

	d->judged = true;
	d->health_findings = list;
	/* Of a drive that was not asked only what its state and name say is judged. */
	if (!doctor_is_open(d)) {
		ssd_fail(&err, SSD_ERR_GONE, "%s was not asked", d->drive->device);
		ssd_health_unreached(d->dev, &err, &defaults, list);
		return;
	}
	ssd_health_check(d->dev, d->arena, &defaults, list, &health, &err);
	d->smart = health.smart;
}

const struct ssd_node *doctor_health(struct ssd_doctor *d)
{
	if (!d->judged)
		judge(d);
	return d->health_findings;
}

const struct ssd_node *doctor_smart(struct ssd_doctor *d)
{
	doctor_health(d);
	return d->smart;
}

bool doctor_feature(struct ssd_doctor *d, uint8_t fid, uint32_t *value)
{
	const struct ssd_std_feature *f = ssd_std_feature(fid);
	struct ssd_feature_request req = {.fid = fid, .select = SSD_CURRENT};
	size_t size = f ? f->page.size : 0, got;
	AUTO_FREE uint8_t *buf = size ? ssd_page_alloc(size) : NULL;
	uint64_t result;

	/* A feature that has data writes them, whether one has a use for them or not. */
	if (!doctor_is_open(d) || ssd_get_feature_data(d->dev, &req, &result, buf, size, &got, NULL))
		return false;
	*value = (uint32_t)result;
	return true;
}

enum ssd_severity doctor_severity(const struct ssd_node *finding)
{
	const char *name = ssd_get_str(finding, "severity", "");

	for (enum ssd_severity s = SSD_OK; s <= SSD_CRITICAL; s++)
		if (!strcmp(ssd_severity_name(s), name))
			return s;
	return SSD_UNKNOWN;
}
