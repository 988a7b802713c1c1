/* SPDX-License-Identifier: MIT */
/*
 * Endurance Group Information (log page 09h), and the lists of endurance groups and NVM sets with something to tell (0Fh,
 * 0Bh): NVM Express Base Specification 2.0c, figures 216, 220 and 247.
 */
#include <ssdct/page.h>

#include <ssdct/le.h>

static const struct ssd_field warning_bits[] = {
	SSD_BIT("available_spare", "available spare below threshold", 0),
	SSD_BIT("reliability", "reliability degraded", 2),
	SSD_BIT("read_only", "read-only", 3),
	SSD_FIELD_END,
};

/* All data in thousands of millions of bytes, rounded up. */
#define BILLIONS(k, l, o, ...) \
	SSD_U128(k, l, o, .unit = SSD_BYTES, .scale = 1000000000, .metric = SSD_COUNTER, ##__VA_ARGS__)
#define COUNTER(k, l, o, ...) SSD_U128(k, l, o, .metric = SSD_COUNTER, ##__VA_ARGS__)

static const struct ssd_field group_fields[] = {
	SSD_FLAGS_FIELD("critical_warning", "Critical warning", 0, 1, warning_bits, .metric = SSD_GAUGE),
	SSD_U8("available_spare_percent", "Available spare", 3, .unit = SSD_PERCENT, .metric = SSD_GAUGE),
	SSD_U8("available_spare_threshold_percent", "Available spare threshold", 4, .unit = SSD_PERCENT,
	       .metric = SSD_GAUGE),
	SSD_U8("percentage_used", "Percentage used", 5, .unit = SSD_PERCENT, .metric = SSD_GAUGE,
	       .help = "Rated endurance consumed; may exceed 100, and 255 means 255 or more"),
	SSD_U16("domainid", "Domain", 6, .null = SSD_NULL_ZERO, .flags = SSD_QUIET, .help = "Domain identifier"),
	BILLIONS("endurance_estimate_bytes", "Endurance estimate", 32, .null = SSD_NULL_ZERO,
		 .help = "Data that may be written over the life of the group"),
	BILLIONS("data_read_bytes", "Data read", 48, .help = "By hosts"),
	BILLIONS("data_written_bytes", "Data written", 64, .help = "By hosts"),
	BILLIONS("media_written_bytes", "Media written", 80, .help = "By hosts and by the controller itself"),
	COUNTER("host_read_commands", "Host read commands", 96),
	COUNTER("host_write_commands", "Host write commands", 112),
	COUNTER("media_errors", "Media and data integrity errors", 128),
	COUNTER("error_log_entries", "Error log entries", 144),
	SSD_U128("total_bytes", "Capacity", 160, .unit = SSD_BYTES, .null = SSD_NULL_ZERO, .flags = SSD_QUIET,
		 .help = "Total endurance group capacity (since NVMe 2.0)"),
	SSD_U128("unallocated_bytes", "Unallocated", 176, .unit = SSD_BYTES, .flags = SSD_QUIET,
		 .help = "Unallocated endurance group capacity (since NVMe 2.0)"),
	SSD_FIELD_END,
};

/* A group that does not report its capacity says nothing about the part of it that is free. */
static void derive_group(const uint8_t *buf, size_t len, struct ssd_node *obj)
{
	struct ssd_node *unallocated = ssd_get_mutable(obj, "unallocated_bytes");

	(void)buf;
	(void)len;
	if (unallocated && !ssd_get(obj, "total_bytes"))
		unallocated->null = true;
}

const struct ssd_page ssd_page_endurance_group = {
	.field = {.key = "endurance_group",
		  .label = "Endurance group",
		  .help = "Health of an endurance group (log page 09h)",
		  .type = SSD_OBJ,
		  .sub = group_fields},
	.name = "endurance-group",
	.kind = SSD_PAGE_LOG,
	.id = 0x09,
	.flags = SSD_PAGE_LSI,
	.size = 512,
	.derive = derive_group,
};

enum { HEAD = 8, MAX_IDENTIFIERS = 65535 };

static const struct ssd_field identifier[] = {
	{.label = "ID", .type = SSD_UINT, .code = SSD_LE, .width = 2, .flags = SSD_RAW},
	SSD_FIELD_END,
};

/* The number of identifiers in eight bytes, then the identifiers. */
#define AGGREGATE(k, l, h)                                                                              \
	{                                                                                               \
		SSD_COUNTED(k, l, 8, HEAD, MAX_IDENTIFIERS, 2, identifier, .help = (h)), SSD_FIELD_END, \
	}

static uint64_t aggregate_total(const uint8_t *head)
{
	uint64_t n = ssd_le64(head);

	return HEAD + 2 * (n < MAX_IDENTIFIERS ? n : MAX_IDENTIFIERS);
}

static const struct ssd_field group_events[] =
	AGGREGATE("endurance_groups", "Endurance groups", "Endurance groups with an event to report");
static const struct ssd_field latency_events[] = AGGREGATE("nvm_sets", "NVM sets", "NVM sets with an event to report");

const struct ssd_page ssd_page_endurance_group_events = {
	.field = {.key = "endurance_group_events",
		  .label = "Endurance group events",
		  .help = "Endurance groups whose page 09h has news (log page 0Fh)",
		  .type = SSD_OBJ,
		  .sub = group_events},
	.name = "endurance-group-events",
	.kind = SSD_PAGE_LOG,
	.id = 0x0f,
	.size = HEAD,
	.total = aggregate_total,
};

const struct ssd_page ssd_page_latency_events = {
	.field = {.key = "predictable_latency_events",
		  .label = "Predictable latency events",
		  .help = "NVM sets whose page 0Ah has news (log page 0Bh)",
		  .type = SSD_OBJ,
		  .sub = latency_events},
	.name = "predictable-latency-events",
	.kind = SSD_PAGE_LOG,
	.id = 0x0b,
	.size = HEAD,
	.total = aggregate_total,
};
