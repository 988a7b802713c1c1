/* SPDX-License-Identifier: MIT */
/*
 * Latency monitor (log page C3h): slow commands in four buckets, active and static ones. Reading changes nothing: what sets
 * the monitor and discards its debug log is a feature (C5h). Sources: see ocp.h; units are those of nvme-cli's plugins for
 * OCP and for WDC. illumos has the counters of a bucket, and all of the stamps and latencies, in the opposite order: here it
 * is that of the two others.
 */
#include "ocp.h"

static const uint8_t guid[16] = {0x92, 0x7a, 0xc0, 0x8c, 0xd0, 0x84, 0x6c, 0x9c,
				 0x70, 0x43, 0xe6, 0xd4, 0x58, 0x5e, 0xd4, 0x85};

enum { ACTIVE = 32, STATIC = 240, STAMPS = 64, LATENCIES = 160, THRESHOLDS = 6 };

#define STAMP_HELP "As the drive says it (nvme-cli takes it for milliseconds); null: there was none"
#define COUNT(k, l, o) SSD_U32(k, l, o, .metric = SSD_GAUGE)
#define STAMP(k, l, o) SSD_U64(k, l, o, .null = SSD_NULL_ONES, .flags = SSD_RAW | SSD_QUIET, .help = STAMP_HELP)
#define SLOWEST(k, l, o) SSD_U16(k, l, o, .unit = SSD_MS, .flags = SSD_QUIET)

/* One bucket: counters from bucket 0 up, stamps and latencies from bucket 3 down; of each deallocation, write, read. */
#define BUCKET(name, at, n)                                                                                 \
	static const struct ssd_field name[] = {                                                            \
		COUNT("read_count", "reads", (at) + 16 * (n) + 12),                                         \
		COUNT("write_count", "writes", (at) + 16 * (n) + 8),                                        \
		COUNT("deallocate_count", "deallocations", (at) + 16 * (n) + 4),                            \
		SLOWEST("read_latency_ms", "read latency", (at) + LATENCIES + 6 * (3 - (n)) + 4),           \
		SLOWEST("write_latency_ms", "write latency", (at) + LATENCIES + 6 * (3 - (n)) + 2),         \
		SLOWEST("deallocate_latency_ms", "deallocation latency", (at) + LATENCIES + 6 * (3 - (n))), \
		STAMP("read_stamp", "read stamp", (at) + STAMPS + 24 * (3 - (n)) + 16),                     \
		STAMP("write_stamp", "write stamp", (at) + STAMPS + 24 * (3 - (n)) + 8),                    \
		STAMP("deallocate_stamp", "deallocation stamp", (at) + STAMPS + 24 * (3 - (n))),            \
		SSD_FIELD_END,                                                                              \
	}

BUCKET(active_0, ACTIVE, 0);
BUCKET(active_1, ACTIVE, 1);
BUCKET(active_2, ACTIVE, 2);
BUCKET(active_3, ACTIVE, 3);
BUCKET(static_0, STATIC, 0);
BUCKET(static_1, STATIC, 1);
BUCKET(static_2, STATIC, 2);
BUCKET(static_3, STATIC, 3);

/* Their offsets count from the start of the page. */
#define BUCKET_FIELD(k, l, table)                                                                              \
	{                                                                                                      \
		.key = (k), .label = (l), .type = SSD_OBJ, .code = SSD_LE, .flags = SSD_INLINE, .sub = (table) \
	}

static const struct ssd_field status_bits[] = {
	SSD_BIT("enabled", "enabled", 0),
	SSD_BIT("active_latency_mode", "active latency mode", 1),
	SSD_BIT("active_measured_latency", "active measured latency", 2),
	SSD_FIELD_END,
};

#define PER_COUNTER(n, bit)                                                                                     \
	SSD_BIT("bucket_" #n "_read", "read " #n, bit), SSD_BIT("bucket_" #n "_write", "write " #n, (bit) + 1), \
		SSD_BIT("bucket_" #n "_deallocate", "deallocate " #n, (bit) + 2)
static const struct ssd_field counter_bits[] = {
	PER_COUNTER(0, 0), PER_COUNTER(1, 3), PER_COUNTER(2, 6), PER_COUNTER(3, 9), SSD_FIELD_END,
};

#define UNITS_HELP "Set: the stamp is a time by the Timestamp feature"
#define THRESHOLD(k, l)                                                    \
	{                                                                  \
		.key = (k), .label = (l), .type = SSD_UINT, .unit = SSD_MS \
	}

static const struct ssd_field fields[] = {
	SSD_FLAGS_FIELD("status", "Monitor", 0, 1, status_bits),
	SSD_U16("active_timer_minutes", "Active bucket timer", 2, .unit = SSD_MINUTES, .scale = 5),
	SSD_U16("active_timer_threshold_minutes", "Active bucket timer threshold", 4, .unit = SSD_MINUTES, .scale = 5),
	THRESHOLD("threshold_a_ms", "Threshold A"),
	THRESHOLD("threshold_b_ms", "Threshold B"),
	THRESHOLD("threshold_c_ms", "Threshold C"),
	THRESHOLD("threshold_d_ms", "Threshold D"),
	SSD_FLAGS_FIELD("active_latency_configuration", "Active latency configuration", 10, 2, counter_bits),
	SSD_U8("active_minimum_window_ms", "Active latency minimum window", 12, .unit = SSD_MS, .scale = 100),
	BUCKET_FIELD("active_bucket_0", "Active bucket 0", active_0),
	BUCKET_FIELD("active_bucket_1", "Active bucket 1", active_1),
	BUCKET_FIELD("active_bucket_2", "Active bucket 2", active_2),
	BUCKET_FIELD("active_bucket_3", "Active bucket 3", active_3),
	SSD_FLAGS_FIELD("active_stamp_units", "Active stamps by Timestamp", 216, 2, counter_bits, .help = UNITS_HELP),
	BUCKET_FIELD("static_bucket_0", "Static bucket 0", static_0),
	BUCKET_FIELD("static_bucket_1", "Static bucket 1", static_1),
	BUCKET_FIELD("static_bucket_2", "Static bucket 2", static_2),
	BUCKET_FIELD("static_bucket_3", "Static bucket 3", static_3),
	SSD_FLAGS_FIELD("static_stamp_units", "Static stamps by Timestamp", 424, 2, counter_bits, .help = UNITS_HELP),
	SSD_FLAGS_FIELD("debug_trigger_enable", "Debug log triggers", 448, 2, counter_bits,
			.help = "Counters whose first step writes a debug log"),
	SSD_U16("debug_latency_ms", "Debug log, latency", 450, .unit = SSD_MS),
	STAMP("debug_stamp", "Debug log, stamp", 452),
	SSD_U16("debug_log_pointer", "Debug log, pointer", 460),
	SSD_FLAGS_FIELD("debug_trigger_source", "Debug log was triggered by", 462, 2, counter_bits),
	{.key = "debug_stamp_by_timestamp",
	 .label = "Debug stamp by Timestamp",
	 .help = UNITS_HELP,
	 .type = SSD_BOOL,
	 .code = SSD_LE,
	 .off = 464,
	 .width = 1,
	 .bits = 1},
	OCP_VERSION(512),
	SSD_FIELD_END,
};

/* Steps of 5 ms, of which 0 is the first. */
static void derive(const uint8_t *buf, size_t len, struct ssd_node *obj)
{
	static const char *const keys[] = {"threshold_a_ms", "threshold_b_ms", "threshold_c_ms", "threshold_d_ms"};

	for (size_t i = 0; i < ARRAY_SIZE(keys) && THRESHOLDS + i < len; i++)
		ssd_set_uint(obj, keys[i], 5 * (buf[THRESHOLDS + i] + 1u));
}

const struct ssd_page ocp_page_latency[] =
	OCP_PAGES(0xc3, 512, guid, .name = "ocp-latency", .derive = derive,
		  OCP_OBJECT("ocp_latency_monitor", "OCP latency monitor",
			     "Slow commands, counted by how slow they were (OCP's log page C3h)", fields));
