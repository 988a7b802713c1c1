/* SPDX-License-Identifier: MIT */
/*
 * Temperature statistics: log page C5h, D5h on drives where C5h is OCP's. 112 bytes, degrees Celsius (SPDK nvme_intel.h,
 * libnvme_solidigm.c of illumos; isdct prints the offset of a P3700 as -5, so it is signed).
 *
 * nvme-cli and FreeBSD have a layout of 104 bytes, with the minimum at 88 and the offset at 96, where the other has a
 * reserved field and the minimum. A value at 88, or a small negative number at 96 with nothing at 104, tells it.
 */
#include "intel.h"

#include <ssdct/le.h>

#define CELSIUS(k, l, ...)                                                                    \
	{                                                                                     \
		.key = (k), .label = (l), .type = SSD_INT, .unit = SSD_CELSIUS, ##__VA_ARGS__ \
	}
#define AT(o) .code = SSD_SLE, .off = (o), .width = 8, .metric = SSD_GAUGE
#define FLAG(k, l, o, h)                                                                                         \
	{                                                                                                        \
		.key = (k), .label = (l), .help = (h), .type = SSD_BOOL, .code = SSD_LE, .off = (o), .width = 8, \
		.metric = SSD_GAUGE                                                                              \
	}

static const struct ssd_field fields[] = {
	CELSIUS("current_celsius", "Current temperature", AT(0)),
	CELSIUS("highest_celsius", "Highest, ever", AT(24), .help = "The highest temperature of the drive's life"),
	CELSIUS("lowest_celsius", "Lowest, ever", AT(32), .help = "The lowest temperature of the drive's life"),
	CELSIUS("maximum_celsius", "Specified maximum", AT(80), .help = "Specified maximum operating temperature"),
	CELSIUS("minimum_celsius", "Specified minimum", .help = "Specified minimum operating temperature"),
	CELSIUS("offset_celsius", "Estimated offset", .help = "Estimated offset of the sensor"),
	FLAG("shutdown_since_power_on", "Over-temperature shutdown, last power-on", 8,
	     "The drive shut down for over-temperature when it was last on"),
	FLAG("shutdown_ever", "Over-temperature shutdown, ever", 16,
	     "The drive has shut down for over-temperature in its life"),
	{.key = "short_layout",
	 .label = "Short layout",
	 .help = "Minimum and offset were found where the layout of 104 bytes has them",
	 .type = SSD_BOOL,
	 .flags = SSD_QUIET},
	SSD_FIELD_END,
};

enum { RESERVED = 88, MINIMUM = 96, OFFSET = 104, END = 112, OCP_GUID = 4080 };

static int64_t s64(const uint8_t *p)
{
	return (int64_t)ssd_le64(p);
}

/* OCP's "unsupported requirements" page is at C5h on newer drives and says so in its last 16 bytes (nvme-cli 9b9c119d9). */
static bool is_ocp(const uint8_t *buf)
{
	return ssd_le64(buf + OCP_GUID) == UINT64_C(0xbb2c23990e9c722f) &&
	       ssd_le64(buf + OCP_GUID + 8) == UINT64_C(0xc7bb98b7d0324863);
}

static bool is_short(const uint8_t *buf, size_t len)
{
	int64_t offset = s64(buf + MINIMUM);

	return s64(buf + RESERVED) || (len >= END && !s64(buf + OFFSET) && offset >= -60 && offset < 0);
}

static void derive(const uint8_t *buf, size_t len, struct ssd_node *obj)
{
	bool is_short_layout;

	/* Which layout it is the last field tells, unless there is something in the reserved one. */
	if (len < OFFSET || (len < END && !s64(buf + RESERVED)))
		return;
	is_short_layout = is_short(buf, len);
	ssd_set_bool(obj, "short_layout", is_short_layout);
	ssd_set_int(obj, "minimum_celsius", s64(buf + (is_short_layout ? RESERVED : MINIMUM)));
	if (is_short_layout || len >= END)
		ssd_set_int(obj, "offset_celsius", s64(buf + (is_short_layout ? MINIMUM : OFFSET)));
}

/* Without its end nobody knows whose page it is. */
static void derive_or_ocp(const uint8_t *buf, size_t len, struct ssd_node *obj)
{
	if (len >= OCP_GUID + 16 && !is_ocp(buf)) {
		derive(buf, len, obj);
		return;
	}
	for (struct ssd_node *n = obj->child; n; n = n->next)
		n->null = true;
}

#define TEMPERATURE_PAGE(id_, bytes, derive_)                                                                          \
	{                                                                                                              \
		.field = {.key = "intel_temperature",                                                                  \
			  .label = "Intel temperature statistics",                                                     \
			  .help = "Intel's and Solidigm's temperature statistics (log page C5h; D5h on newer drives)", \
			  .type = SSD_OBJ,                                                                             \
			  .sub = fields},                                                                              \
		.name = "temperature", .kind = SSD_PAGE_LOG, .id = (id_), .size = (bytes), .command = "smart",         \
		.uuid = intel_uuid, .derive = (derive_),                                                               \
	}

const struct ssd_page intel_page_temperature = TEMPERATURE_PAGE(0xc5, 512, derive);
/* Long enough to see what tells OCP's page. */
const struct ssd_page intel_page_temperature_or_ocp = TEMPERATURE_PAGE(0xc5, 4096, derive_or_ocp);
const struct ssd_page intel_page_temperature_d5 = TEMPERATURE_PAGE(0xd5, 512, derive);
