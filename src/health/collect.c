/* SPDX-License-Identifier: MIT */
/* Reads what the verdict needs. Only commands that the drive has: a health check must not grow the error log. */
#include "rules.h"

#include <ssdct/admin.h>
#include <ssdct/id_ctrl.h>
#include <ssdct/le.h>
#include <ssdct/plugin.h>
#include <ssdct/sanitize_log.h>

/* Temperature Threshold; CDW11 zero: composite temperature, over temperature. */
#define FEATURE_TEMPERATURE_THRESHOLD 0x04

static uint64_t attached_bytes(const struct ssd_drive *drive)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < drive->n_namespaces; i++)
		sum = ssd_add_clamped(sum, drive->namespaces[i].size_bytes);
	return sum;
}

/* TNVMCAP where the drive has it (it covers what no namespace uses), else what its namespaces hold. */
static uint64_t capacity(const struct ssd_device *dev)
{
	uint64_t total =
		dev->id_ctrl_len >= SSD_ID_CTRL_TNVMCAP + 16 ? ssd_le64(dev->id_ctrl + SSD_ID_CTRL_TNVMCAP) : 0;

	return total ? total : attached_bytes(dev->drive);
}

static const char *or_unknown(const char *text)
{
	return *text ? text : NULL;
}

/* What sysfs knows; an empty string there means that it does not. */
static void from_drive(const struct ssd_drive *drive, struct ssd_health_input *in)
{
	const struct ssd_identity id = ssd_drive_identity(drive);
	const char *family;

	*in = (struct ssd_health_input){.device = drive->device,
					.serial = or_unknown(drive->serial),
					.state = or_unknown(drive->state),
					.model = or_unknown(drive->model),
					.firmware = or_unknown(drive->firmware),
					.over_temperature_kelvin = -1};
	in->family_known = ssd_vendor_find(&id, &family);
}

bool ssd_health_fault_identity(const struct ssd_drive *drive, char *text, size_t size)
{
	struct ssd_health_input in;

	from_drive(drive, &in);
	return health_fault_identity(&in, text, size);
}

/* What did not arrive was not judged, and that is said: a limit or a capacity that is missing would make a drive "ok". */
static void check_length(const struct ssd_device *dev, struct ssd_err *err)
{
	if (dev->id_ctrl_len >= SSD_ID_CTRL_TNVMCAP + 16)
		return;
	ssd_fail(err, SSD_ERR_NOT_WRITTEN,
		 "%s: Identify Controller: the drive reported success but returned %zu of 4096 bytes",
		 dev->drive->device, dev->id_ctrl_len);
	ssd_hint(err, "its limits and its capacity are not known; check the drive and its firmware");
}

static const char *vendor_health(const struct ssd_device *dev, struct ssd_arena *a)
{
	const char *key = dev->vendor ? dev->vendor->health_page : NULL;
	const struct ssd_page *page = key ? ssd_vendor_page(dev, key) : NULL;

	if (!page)
		return NULL;
	return ssd_get_str(ssd_page_decode(a, page, dev->id_ctrl, dev->id_ctrl_len), dev->vendor->health_text, NULL);
}

static void from_identify(const struct ssd_device *dev, struct ssd_arena *a, struct ssd_health_input *in)
{
	if (dev->id_ctrl_len < SSD_ID_CTRL_FR + SSD_ID_CTRL_FR_BYTES)
		return;
	in->model = ssd_printable(a, dev->id_ctrl + SSD_ID_CTRL_MN, SSD_ID_CTRL_MN_BYTES);
	in->firmware = ssd_printable(a, dev->id_ctrl + SSD_ID_CTRL_FR, SSD_ID_CTRL_FR_BYTES);
	in->family_known = dev->vendor;
	in->vendor_health = vendor_health(dev, a);
	in->capacity_bytes = capacity(dev);
	if (dev->id_ctrl_len < SSD_ID_CTRL_CCTEMP + 2)
		return;
	in->wctemp_kelvin = ssd_le16(dev->id_ctrl + SSD_ID_CTRL_WCTEMP);
	in->cctemp_kelvin = ssd_le16(dev->id_ctrl + SSD_ID_CTRL_CCTEMP);
}

/* Only when the answer matters: a drive that lacks the feature makes an error log entry of the question. */
static void read_threshold(struct ssd_device *dev, struct ssd_health_input *in)
{
	uint32_t value;

	if (health_is_limit(in->wctemp_kelvin) || health_is_limit(in->cctemp_kelvin))
		return;
	if (!ssd_get(in->smart, "temperature_celsius"))
		return;
	if (!ssd_get_feature(dev, FEATURE_TEMPERATURE_THRESHOLD, SSD_CURRENT, 0, 0, &value, NULL))
		in->over_temperature_kelvin = (int32_t)(value & 0xffff);
}

/* A page that not every drive has, of which key is the least that must have arrived. Refused all the same, it is not there. */
static const struct ssd_node *read_announced(struct ssd_device *dev, struct ssd_arena *a, const struct ssd_page *page,
					     const char *key, struct ssd_err *own)
{
	const struct ssd_node *doc = NULL;
	struct ssd_err err = SSD_ERR_INIT;

	if (!ssd_identify_announces(dev, (uint8_t)page->id))
		return NULL;
	doc = ssd_read_page(dev, a, page, 0, &err);
	if (doc && !ssd_get(doc, key))
		ssd_fail(&err, SSD_ERR_NOT_WRITTEN, "%s: %s: the drive reported success but returned next to nothing",
			 dev->drive->device, page->field.label);
	if (ssd_failed(&err) && !ssd_is_missing(&err) && !ssd_failed(own))
		*own = err;
	return doc;
}

/* During a sanitize operation and in the mode that a failed one leaves the self-test log is refused. */
static void read_others(struct ssd_device *dev, struct ssd_arena *a, struct ssd_health_input *in, struct ssd_err *own)
{
	int64_t state;

	in->sanitize = read_announced(dev, a, &ssd_page_sanitize, "state", own);
	state = ssd_get_int(in->sanitize, "state", SSD_SANITIZE_NEVER);
	if (state != SSD_SANITIZE_IN_PROGRESS && state != SSD_SANITIZE_FAILED)
		in->self_test = read_announced(dev, a, &ssd_page_self_test, "results", own);
}

int ssd_health_check(struct ssd_device *dev, struct ssd_arena *a, const struct ssd_health_options *options,
		     struct ssd_node *findings, struct ssd_health *health, struct ssd_err *err)
{
	struct ssd_err own = SSD_ERR_INIT;
	struct ssd_health_input in;

	from_drive(dev->drive, &in);
	in.err = &own;
	if (!ssd_id_ctrl(dev, &own)) {
		from_identify(dev, a, &in);
		check_length(dev, &own);
		/* The first thing that went wrong is told; what can be judged all the same is judged. */
		in.smart = ssd_read_page(dev, a, &ssd_page_smart, 0, ssd_failed(&own) ? NULL : &own);
		/* Of a drive whose SMART log does not come nothing more is asked: it may be one that answers nothing. */
		if (in.smart)
			read_others(dev, a, &in, &own);
	}
	read_threshold(dev, &in);
	*health = ssd_health_judge(&in, options, findings);
	if (!ssd_failed(&own))
		return 0;
	if (err)
		*err = own;
	return -1;
}

struct ssd_health ssd_health_unreached(const struct ssd_device *dev, const struct ssd_err *err,
				       const struct ssd_health_options *options, struct ssd_node *findings)
{
	struct ssd_health_input in;

	from_drive(dev->drive, &in);
	in.err = err;
	return ssd_health_judge(&in, options, findings);
}
