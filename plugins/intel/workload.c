/* SPDX-License-Identifier: MIT */
/*
 * Workload tracker (log page F9h), and its configuration, which is feature F1h too (Solidigm's plugin in nvme-cli). What an
 * entry means depends on the content group. Group 2 is a test pattern; it and those that no source names are shown as bytes.
 */
#include "intel.h"

#include <ssdct/le.h>

static const struct ssd_name sample_times[] = {
	{0, "default"}, {1, "1 ms"},    {2, "5 ms"},    {3, "10 ms"}, {4, "50 ms"}, {5, "100 ms"},
	{6, "500 ms"},  {7, "1 s"},     {8, "5 s"},     {9, "10 s"},  {10, "30 s"}, {11, "1 min"},
	{12, "5 min"},  {13, "10 min"}, {14, "30 min"}, {15, "1 h"},  {0, NULL},
};

const struct ssd_field intel_workload_config[] = {
	SSD_BIT("enabled", "enabled", 0),
	SSD_BIT("trigger_enabled", "trigger enabled", 1),
	SSD_BIT("trigger_synchronous", "synchronous", 2),
	SSD_BIT("trigger_delta", "delta", 3),
	SSD_BITS_FIELD("trigger_dword_index", "dword index", 4, 3),
	SSD_BITS_FIELD("trigger_part_index", "byte or word index", 7, 2),
	SSD_BITS_FIELD("trigger_operand", "operand", 9, 2),
	{.key = "sample_time",
	 .label = "sample time",
	 .type = SSD_ENUM,
	 .code = SSD_BITS,
	 .off = 11,
	 .width = 4,
	 .names = sample_times},
	SSD_BITS_FIELD("content_group", "content group", 15, 4),
	SSD_BITS_FIELD("stop_count", "stop count", 19, 12),
	SSD_BIT("event_dump", "event dump", 31),
	SSD_FIELD_END,
};

#define PERCENT(k, l, o) SSD_U8(k, l, o, .unit = SSD_PERCENT)

#define SECTORS                                                                                         \
	SSD_U32("host_read_sectors", "Host read", 0), SSD_U32("host_write_sectors", "Host written", 4), \
		SSD_U32("nand_write_sectors", "NAND written", 8)
#define PATTERN                                                                                          \
	PERCENT("misaligned_percent", "Misaligned", 12), PERCENT("collision_percent", "Collisions", 13), \
		PERCENT("random_write_percent", "Random writes", 14),                                    \
		PERCENT("random_read_percent", "Random reads", 15)
#define THROTTLING                                                 \
	PERCENT("power_throttle_percent", "Power throttling", 28), \
		PERCENT("thermal_throttle_percent", "Thermal throttling", 29)
#define BUFFERS \
	PERCENT("background_buffer_percent", "Background buffer", 30), PERCENT("host_buffer_percent", "Host buffer", 31)

static const struct ssd_field sample_fields[] = {
	SECTORS,
	PATTERN,
	SSD_U32("xor_invoked", "XOR", 16),
	SSD_U32("soft_read_success", "Soft reads", 20),
	SSD_U32("band_defrag_relocations", "Relocations", 24),
	THROTTLING,
	BUFFERS,
	SSD_FIELD_END,
};

static const struct ssd_field queue_fields[] = {
	SSD_U32("internal_read_queue_depth", "Read queue", 0),
	SSD_U32("detected_write_queue_depth", "Write queue", 4),
	SSD_U32("pending_read_commands", "Reads pending", 8),
	PATTERN,
	SSD_U32("pending_write_commands", "Writes pending", 16),
	SSD_U32("outstanding_read_commands", "Reads outstanding", 20),
	SSD_U32("outstanding_write_commands", "Writes outstanding", 24),
	THROTTLING,
	BUFFERS,
	SSD_FIELD_END,
};

static const struct ssd_field random_fields[] = {
	SECTORS,
	SSD_U32("random_read_commands", "Random reads", 12),
	SSD_U32("random_write_commands", "Random writes", 16),
	SSD_U32("host_read_commands", "Reads", 20),
	SSD_U32("host_write_commands", "Writes", 24),
	PERCENT("random_write_percent", "Sectors written at random", 30),
	PERCENT("random_read_percent", "Sectors read at random", 31),
	SSD_FIELD_END,
};

static const struct ssd_field throttle_fields[] = {
	SSD_U32("power_throttle_ms", "Power throttling, time", 0, .unit = SSD_MS),
	SSD_U32("thermal_throttle_ms", "Thermal throttling, time", 4, .unit = SSD_MS),
	SSD_U32("power_on_us", "Powered on", 8, .unit = SSD_US),
	THROTTLING,
	SSD_FIELD_END,
};

/* Of the last four no source gives a unit; without a power governor they are 0. */
static const struct ssd_field power_fields[] = {
	SSD_U32("rail_1_microwatts", "Rail 1, uW", 0),
	SSD_U32("rail_2_microwatts", "Rail 2, uW", 4),
	SSD_U32("nand_write_sectors", "NAND written", 8),
	SSD_U32("nand_read_sectors", "NAND read", 12),
	SSD_U32("nand_average_power", "Average power, NAND", 16),
	SSD_U32("drive_average_power", "Average power, drive", 20),
	SSD_U32("governor_credits", "Governor's credits", 24),
	SSD_U32("burst_power_budget", "Budget for bursts", 28),
	SSD_FIELD_END,
};

static const struct ssd_field defrag_fields[] = {
	SECTORS,
	SSD_U32("defrag_slots", "Defrag slots", 12),
	SSD_U32("host_slots", "Host slots", 16),
	SSD_U32("total_slots", "All slots", 20),
	PERCENT("host_buffer_percent", "Host buffers", 24),
	PERCENT("defrag_buffer_percent", "Defrag buffers", 25),
	PERCENT("defrag_slots_percent", "Defrag slots, share", 26),
	PERCENT("host_slots_percent", "Host slots, share", 27),
	PERCENT("free_units_percent", "Indirection units", 28),
	SSD_U8("imminent", "Imminent", 29),
	SSD_U8("defrag_type", "Type", 30),
	SSD_FIELD_END,
};

static const struct ssd_field bytes_fields[] = {
	{.key = "data_hex", .label = "Data", .type = SSD_STR, .code = SSD_BYTES_HEX, .off = 0, .width = 32},
	SSD_FIELD_END,
};

#define ENTRIES(k, l, h, fields_)                                                                                 \
	{                                                                                                         \
		.key = (k), .label = (l), .help = (h), .type = SSD_LIST, .code = SSD_LE, .off = 48, .count = 126, \
		.stride = 32, .count_in = {.at = 4, .width = 4}, .flags = SSD_QUIET, .sub = (fields_)             \
	}

static const struct ssd_field fields[] = {
	SSD_U16("version_major", "Version, major", 0),
	SSD_U16("version_minor", "Version, minor", 2),
	SSD_U32("entry_count", "Entries", 4),
	SSD_U32("triggered", "Triggered", 12, .help = "Not 0: the trigger has stopped the tracker"),
	SSD_U32("period_ms", "Sample period", 16, .unit = SSD_MS),
	SSD_U64("last_entry_time", "Last entry", 20, .flags = SSD_RAW, .help = "The drive's own clock"),
	SSD_U64("trigger_time", "Trigger time", 28, .flags = SSD_RAW,
		.help = "The drive's own clock, 25 ticks to 1 us"),
	SSD_FLAGS_FIELD("configuration", "Configuration", 36, 4, intel_workload_config),
	SSD_U32("trigger_threshold", "Trigger threshold", 40),
	SSD_U32("trigger_value", "Trigger value", 44),
	ENTRIES("samples", "Samples", "Entries of content group 0; null: of another group", sample_fields),
	ENTRIES("queue_samples", "Samples", "Entries of content group 1, command queues", queue_fields),
	ENTRIES("random_samples", "Samples", "Entries of content group 3, random and sequential", random_fields),
	ENTRIES("throttle_samples", "Samples", "Entries of content group 4, throttling", throttle_fields),
	ENTRIES("power_samples", "Samples", "Entries of content group 5, power", power_fields),
	ENTRIES("defrag_samples", "Samples", "Entries of content group 6, defragmentation", defrag_fields),
	ENTRIES("other_samples", "Samples", "Entries of other content groups, as they are", bytes_fields),
	SSD_FIELD_END,
};

/* By content group; others are other_samples. */
static const char *const lists[] = {"samples",       "queue_samples", NULL, "random_samples", "throttle_samples",
				    "power_samples", "defrag_samples"};

static void derive(const uint8_t *buf, size_t len, struct ssd_node *obj)
{
	int64_t group = ssd_get_int(obj, "configuration.content_group", -1);
	const char *list = group >= 0 ? "other_samples" : "";

	(void)buf;
	(void)len;
	if (group >= 0 && (size_t)group < ARRAY_SIZE(lists) && lists[group])
		list = lists[group];
	for (struct ssd_node *n = obj->child; n; n = n->next)
		if (n->field->type == SSD_LIST && strcmp(n->field->key, list) != 0)
			n->null = true;
}

const struct ssd_page intel_page_workload = {
	.field = {.key = "intel_workload",
		  .label = "Workload tracker",
		  .help = "Solidigm's workload tracker (log page F9h)",
		  .type = SSD_OBJ,
		  .sub = fields},
	.name = "workload",
	.kind = SSD_PAGE_LOG,
	.uuid = intel_uuid,
	.id = 0xf9,
	.size = 4080,
	.derive = derive,
};
