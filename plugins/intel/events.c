/* SPDX-License-Identifier: MIT */
/*
 * Pages of the P5510 and later: garbage collection (FDh), slow commands (FEh), power (F2h), I/O queues (CBh). Layouts as
 * in usr/src/uts/common/sys/nvme/solidigm*.h of illumos, which follow the programmer's manuals.
 */
#include "intel.h"

#include <ssdct/le.h>

#define VERSION SSD_U16("version_major", "Version, major", 0), SSD_U16("version_minor", "Version, minor", 2)
#define PAGE(id_, bytes, key_, name_, label_, help_, fields_)                                                    \
	{                                                                                                        \
		.field = {.key = (key_), .label = (label_), .help = (help_), .type = SSD_OBJ, .sub = (fields_)}, \
		.name = (name_), .kind = SSD_PAGE_LOG, .id = (id_), .size = (bytes), .uuid = intel_uuid,         \
	}

static const struct ssd_field gc_event_fields[] = {
	SSD_U32("timer_type", "Timer type", 0),
	SSD_U64("timestamp", "Timestamp", 4, .flags = SSD_SKIP | SSD_RAW, .help = "The drive's own clock"),
	SSD_FIELD_END,
};

static const struct ssd_field gc_fields[] = {
	VERSION,
	{.key = "events",
	 .label = "Events",
	 .help = "Garbage collections; unused entries are left out",
	 .type = SSD_LIST,
	 .code = SSD_LE,
	 .off = 4,
	 .count = 100,
	 .stride = 12,
	 .sub = gc_event_fields},
	SSD_FIELD_END,
};

const struct ssd_page intel_page_garbage_collection =
	PAGE(0xfd, 4096, "intel_garbage_collection", "garbage-collection", "Intel garbage collection events",
	     "Garbage collections (log page FDh)", gc_fields);

static const struct ssd_field outlier_fields[] = {
	SSD_U64("timestamp", "Timestamp", 0, .flags = SSD_RAW, .help = "The drive's own clock"),
	SSD_U32("command", "Command", 8, .unit = SSD_HEX),
	SSD_U32("latency_us", "Latency", 12, .unit = SSD_US),
	SSD_U64("lba", "LBA", 16, .flags = SSD_RAW),
	SSD_FIELD_END,
};

static const struct ssd_field outliers_fields[] = {
	VERSION,
	SSD_U64("count", "Slow commands", 8, .metric = SSD_GAUGE, .help = "Entries that the drive keeps"),
	{.key = "outliers",
	 .label = "Slow commands",
	 .help = "The commands, as many of them as there is room for",
	 .type = SSD_LIST,
	 .code = SSD_LE,
	 .off = 16,
	 .count = (4096 - 16) / 24,
	 .stride = 24,
	 .count_in = {.at = 8, .width = 8},
	 .sub = outlier_fields},
	SSD_FIELD_END,
};

const struct ssd_page intel_page_outliers = PAGE(0xfe, 4096, "intel_outliers", "outliers", "Intel latency outliers",
						 "Commands that took unusually long (log page FEh)", outliers_fields);

static const struct ssd_field power_fields[] = {
	SSD_U32("rail_1_microwatts", "Rail 1, uW", 0, .metric = SSD_GAUGE),
	SSD_U32("rail_2_microwatts", "Rail 2, uW", 4, .metric = SSD_GAUGE),
	{.key = "total_watts",
	 .label = "Power",
	 .help = "Both rails together",
	 .type = SSD_REAL,
	 .unit = SSD_WATTS,
	 .metric = SSD_GAUGE},
	SSD_FIELD_END,
};

static void derive_power(const uint8_t *buf, size_t len, struct ssd_node *obj)
{
	if (len >= 8)
		ssd_set_real(obj, "total_watts", ((double)ssd_le32(buf) + ssd_le32(buf + 4)) / 1e6);
}

const struct ssd_page intel_page_power = {
	.field = {.key = "intel_power",
		  .label = "Intel power usage",
		  .help = "Power that the drive takes now (log page F2h)",
		  .type = SSD_OBJ,
		  .sub = power_fields},
	.name = "power",
	.kind = SSD_PAGE_LOG,
	.uuid = intel_uuid,
	.id = 0xf2,
	.size = 512,
	.derive = derive_power,
};

static const struct ssd_field sq_fields[] = {
	SSD_U16("id", "Queue", 0),
	SSD_U16("completion_queue", "Completion queue", 2),
	SSD_U16("head", "Head", 4),
	SSD_U16("tail", "Tail", 6),
	SSD_U16("outstanding", "Outstanding", 8),
	SSD_U16("max_depth", "Deepest", 10),
	SSD_FIELD_END,
};

static const struct ssd_field cq_fields[] = {
	SSD_U16("id", "Queue", 0),
	SSD_U16("head", "Head", 2),
	SSD_FIELD_END,
};

static const struct ssd_field queues_fields[] = {
	SSD_U16("version", "Version", 0),
	SSD_U16("submission_queue_count", "Submission queues", 2),
	SSD_U16("completion_queue_count", "Completion queues", 4),
	{.key = "submission_queues",
	 .label = "Submission queues",
	 .type = SSD_LIST,
	 .code = SSD_LE,
	 .off = 6,
	 .count = 32,
	 .stride = 12,
	 .count_in = {.at = 2, .width = 2},
	 .sub = sq_fields},
	{.key = "completion_queues",
	 .label = "Completion queues",
	 .type = SSD_LIST,
	 .code = SSD_LE,
	 .off = 390,
	 .count = 32,
	 .stride = 10,
	 .count_in = {.at = 4, .width = 2},
	 .sub = cq_fields},
	SSD_FIELD_END,
};

const struct ssd_page intel_page_queues = PAGE(0xcb, 1024, "intel_queues", "queues", "Intel I/O queues",
					       "I/O queues as the drive sees them (log page CBh)", queues_fields);
