/* SPDX-License-Identifier: MIT */
/*
 * Standard features: NVM Express Base Specification 2.0c, figure 316 and sections 5.27.1.1 to 5.27.1.31 (NVMe 1.4, 5.21.1);
 * NVM Command Set Specification 1.0c, 4.1.3, for 03h, 05h, 0Ah, 15h; TP4146 (Flexible Data Placement) for 1Dh.
 */
#include <ssdct/feature.h>

#include <ssdct/id_ctrl.h>
#include <ssdct/le.h>

enum { HMPRE = 272, HMMIN = 276, NWPC = 531 };

#define BITS(k, l, bit, n, ...) SSD_BITS_FIELD(k, l, bit, n, ##__VA_ARGS__)
#define ONE(k, l, bit, ...) SSD_BIT(k, l, bit, ##__VA_ARGS__)
#define CHOICE(k, l, bit, n, table, ...)                                                                          \
	{                                                                                                         \
		.key = k, .label = l, .type = SSD_ENUM, .code = SSD_BITS, .off = bit, .width = n, .names = table, \
		##__VA_ARGS__                                                                                     \
	}
/* Kelvin in the drive; 0 is "not set", FFFFh "never". */
#define CELSIUS(k, l, bit, ...)                                                                                        \
	{                                                                                                              \
		.key = k, .label = l, .type = SSD_INT, .unit = SSD_CELSIUS, .code = SSD_BITS, .off = bit, .width = 16, \
		.null = SSD_NULL_ZERO_OR_ONES, ##__VA_ARGS__                                                           \
	}
#define END SSD_FIELD_END

static const struct ssd_name burst_names[] = {{0, "1"},  {1, "2"},  {2, "4"},        {3, "8"}, {4, "16"},
					      {5, "32"}, {6, "64"}, {7, "no limit"}, {0, NULL}};
static const struct ssd_field arbitration[] = {
	CHOICE("burst", "Burst", 0, 3, burst_names, .help = "Commands that are fetched from a queue at a time"),
	BITS("low_weight", "Low priority weight", 8, 8, .help = "Zero-based"),
	BITS("medium_weight", "Medium priority weight", 16, 8, .help = "Zero-based"),
	BITS("high_weight", "High priority weight", 24, 8, .help = "Zero-based"),
	END,
};

static const struct ssd_name workload_names[] = {{0, "none"}, {1, "extended idle"}, {2, "heavy sequential"}, {0, NULL}};
static const struct ssd_field power_management[] = {
	BITS("power_state", "Power state", 0, 5),
	CHOICE("workload_hint", "Workload hint", 5, 3, workload_names),
	END,
};

static const struct ssd_name range_names[] = {{0, "general purpose"}, {1, "file system"},       {2, "RAID"},
					      {3, "cache"},           {4, "page or swap file"}, {0, NULL}};
static const struct ssd_field range[] = {
	{.key = "index", .label = "Range", .type = SSD_UINT, .code = SSD_INDEX0},
	SSD_ENUM_FIELD("type", "Type", 0, 1, range_names),
	SSD_U8("attributes", "Attributes", 1, .unit = SSD_HEX),
	SSD_U64("first_lba", "First LBA", 16, .flags = SSD_RAW),
	SSD_U64("blocks", "Blocks", 24, .flags = SSD_SKIP),
	{.key = "guid", .label = "GUID", .type = SSD_STR, .code = SSD_BYTES_HEX, .off = 32, .width = 16},
	END,
};
static const struct ssd_field lba_range[] = {
	BITS("last_range", "Last range", 0, 6, .help = "Number of ranges, zero-based"),
	{.key = "ranges", .label = "Ranges", .type = SSD_LIST, .code = SSD_LE, .count = 64, .stride = 64, .sub = range},
	END,
};

static const struct ssd_name side_names[] = {{0, "over"}, {1, "under"}, {0, NULL}};
static const struct ssd_field temperature[] = {
	CELSIUS("threshold_celsius", "Threshold", 0, .help = "null: disabled"),
	END,
};
static const struct ssd_field temperature_which[] = {
	BITS("sensor", "Sensor", 16, 4, .help = "0: composite temperature; 15, when set: all that there are"),
	CHOICE("type", "Type", 20, 2, side_names, .help = "over or under the threshold"),
	END,
};

static const struct ssd_field error_recovery[] = {
	BITS("time_limit_ms", "Time limit", 0, 16, .unit = SSD_MS, .scale = 100, .help = "0: no limit"),
	ONE("deallocated_error", "Error for deallocated blocks", 16,
	    .help = "Reading a deallocated or unwritten block is an error (DULBE)"),
	END,
};

static const struct ssd_field write_cache[] = {ONE("enabled", "Enabled", 0), END};

static const struct ssd_field queues[] = {
	BITS("submission_queues", "Submission queues, zero-based", 0, 16),
	BITS("completion_queues", "Completion queues, zero-based", 16, 16),
	END,
};

static const struct ssd_field coalescing[] = {
	BITS("threshold", "Threshold, zero-based", 0, 8, .help = "Completions before an interrupt"),
	BITS("time_us", "Time", 8, 8, .unit = SSD_US, .scale = 100, .help = "Longest delay of an interrupt; 0: none"),
	END,
};

static const struct ssd_field vector[] = {
	ONE("coalescing_disabled", "Coalescing disabled", 16),
	END,
};
static const struct ssd_field vector_which[] = {BITS("vector", "Vector", 0, 16), END};

static const struct ssd_field atomicity[] = {
	ONE("disable_normal", "Disable normal", 0,
	    .help = "Writes are atomic as for a power failure only (AWUPF), not as in normal operation (AWUN)"),
	END,
};

static const struct ssd_field events[] = {
	BITS("critical_warnings", "Critical warnings", 0, 8, .unit = SSD_HEX),
	ONE("namespace_attributes", "Namespace attributes", 8),
	ONE("firmware_activation", "Firmware activation", 9),
	ONE("telemetry", "Telemetry", 10),
	ONE("asymmetric_access", "Asymmetric namespace access", 11),
	ONE("predictable_latency", "Predictable latency", 12),
	ONE("lba_status", "LBA status", 13),
	ONE("endurance_group", "Endurance group", 14),
	ONE("normal_shutdown", "Normal NVM subsystem shutdown", 15),
	ONE("zone_descriptor", "Zone descriptor", 27),
	ONE("discovery", "Discovery log", 31),
	END,
};

static const struct ssd_field apst_entry[] = {
	{.key = "power_state", .label = "In state", .type = SSD_UINT, .code = SSD_INDEX0},
	{.key = "idle_ms", .label = "Idle for", .type = SSD_UINT, .unit = SSD_MS},
	{.key = "to_power_state", .label = "Goes to", .type = SSD_UINT},
	END,
};
static const struct ssd_field apst[] = {
	ONE("enabled", "Enabled", 0),
	{.key = "transitions",
	 .label = "Transitions",
	 .help = "Power states that end by themselves",
	 .type = SSD_LIST,
	 .sub = apst_entry},
	END,
};

/* Entry: bits 7:3 the state to go to, 31:8 the idle time in milliseconds, 0 for none. */
static void derive_apst(const uint8_t *buf, size_t len, struct ssd_node *obj)
{
	struct ssd_node *list = ssd_set_list(obj, "transitions");

	for (unsigned i = 0; i < 32 && (i + 1) * 8 <= len; i++) {
		uint32_t entry = ssd_le32(buf + i * 8);
		struct ssd_node *item;

		if (!(entry >> 8))
			continue;
		item = ssd_add_item(list);
		ssd_set_uint(item, "power_state", i);
		ssd_set_uint(item, "idle_ms", entry >> 8);
		ssd_set_uint(item, "to_power_state", entry >> 3 & 0x1f);
	}
}

static const struct ssd_field host_memory[] = {
	ONE("enabled", "Enabled", 0),
	ONE("memory_return", "Memory return", 1),
	SSD_U32("pages", "Memory pages", 0, .help = "In units of the memory page size"),
	SSD_U64("list_address", "Descriptor list", 4, .unit = SSD_HEX),
	SSD_U32("list_entries", "Descriptors", 12),
	END,
};

static const struct ssd_name origin_names[] = {{0, "reset"}, {1, "host"}, {0, NULL}};
static const struct ssd_field timestamp[] = {
	SSD_LE_FIELD(6, "milliseconds", "Milliseconds", 0, .flags = SSD_RAW,
		     .help = "Since 1970 when the host has set it, else since the last reset"),
	{.key = "origin", .label = "Origin", .type = SSD_ENUM, .names = origin_names},
	{.key = "stopped", .label = "Stopped", .help = "It has not run all the time", .type = SSD_BOOL},
	END,
};

/* Attributes: bit 0 Synch, bits 3:1 origin. */
static void derive_timestamp(const uint8_t *buf, size_t len, struct ssd_node *obj)
{
	if (len < 7)
		return;
	ssd_set_bool(obj, "stopped", buf[6] & 1);
	ssd_set_enum(obj, "origin", buf[6] >> 1 & 7);
}

static const struct ssd_field keep_alive[] = {BITS("timeout_ms", "Timeout", 0, 32, .unit = SSD_MS), END};

static const struct ssd_field thermal[] = {
	CELSIUS("heavy_celsius", "TMT2, heavily throttled from", 0, .help = "null: not set"),
	CELSIUS("light_celsius", "TMT1, lightly throttled from", 16, .help = "null: not set"),
	END,
};

static const struct ssd_field non_operational[] = {
	ONE("permissive", "Permissive", 0, .help = "May exceed the power of the state for background operations"), END};

static const struct ssd_field set_which[] = {BITS("nvm_set", "NVM set", 0, 16), END};
static const struct ssd_field recovery_level[] = {BITS("level", "Level", 0, 4), END};

static const struct ssd_field latency_config[] = {
	ONE("enabled", "Enabled", 0),
	SSD_U16("event_enable", "Events", 0, .unit = SSD_HEX),
	SSD_U64("reads_threshold", "Reads threshold", 32),
	SSD_U64("writes_threshold", "Writes threshold", 40),
	SSD_U64("time_threshold_ms", "Time threshold", 48, .unit = SSD_MS),
	END,
};
static const struct ssd_name window_names[] = {{1, "deterministic"}, {2, "non-deterministic"}, {0, NULL}};
static const struct ssd_field latency_window[] = {CHOICE("window", "Window", 0, 3, window_names), END};

static const struct ssd_field status_interval[] = {
	BITS("report_interval_ms", "Report interval", 0, 16, .unit = SSD_MS, .scale = 100),
	BITS("poll_interval_ms", "Poll interval", 16, 16, .unit = SSD_MS, .scale = 100),
	END,
};

static const struct ssd_field host_behavior[] = {
	SSD_U8("advanced_retry", "Advanced command retry", 0),
	SSD_U8("extended_telemetry", "Extended telemetry data area 4", 1),
	SSD_U8("extended_lba_formats", "Extended LBA formats", 2),
	END,
};

static const struct ssd_name no_deallocate_names[] = {{0, "error"}, {1, "warning"}, {0, NULL}};
static const struct ssd_field sanitize_config[] = {
	CHOICE("no_deallocate_response", "No-deallocate response", 0, 1, no_deallocate_names), END};

static const struct ssd_field group_events[] = {
	BITS("critical_warnings", "Critical warnings", 16, 8, .unit = SSD_HEX),
	END,
};
static const struct ssd_field group_which[] = {BITS("group", "Endurance group", 0, 16), END};

static const struct ssd_field profile[] = {BITS("combination", "Combination", 0, 9), END};
static const struct ssd_field spinup[] = {ONE("enabled", "Enabled", 0), END};
static const struct ssd_field placement[] = {
	ONE("enabled", "Enabled", 0),
	BITS("configuration", "Configuration", 8, 8),
	END,
};

static const struct ssd_field nothing[] = {END};
static const struct ssd_field boot_count[] = {
	BITS("boots", "Boots", 0, 8, .help = "Pre-boot software loads since the operating system cleared it"), END};
static const struct ssd_field host_identifier[] = {
	{.key = "identifier", .label = "Identifier", .type = SSD_STR, .code = SSD_LE_HEX, .width = 16},
	END,
};
static const struct ssd_field notification_mask[] = {
	ONE("registration_preempted", "Registration preempted masked", 1),
	ONE("reservation_released", "Reservation released masked", 2),
	ONE("reservation_preempted", "Reservation preempted masked", 3),
	END,
};
static const struct ssd_field persistence[] = {ONE("through_power_loss", "Persist through power loss", 0), END};

static const struct ssd_name protection_names[] = {
	{0, "none"}, {1, "protected"}, {2, "until power cycle"}, {3, "permanent"}, {0, NULL}};
static const struct ssd_field protection[] = {CHOICE("state", "State", 0, 3, protection_names), END};
static const struct ssd_name boot_protection_names[] = {
	{0, "no change"}, {1, "unlocked"}, {2, "locked"}, {3, "locked until power cycle"}, {0, NULL}};
static const struct ssd_field boot_protection[] = {
	CHOICE("partition_0", "Boot partition 0", 0, 3, boot_protection_names),
	CHOICE("partition_1", "Boot partition 1", 3, 3, boot_protection_names),
	END,
};

#define FEATURE(fid, n, k, l, fields, ...)                                                               \
	.page = {.field = {.key = k, .label = l, .type = SSD_OBJ, .flags = SSD_OPTIONAL, .sub = fields}, \
		 .name = n,                                                                              \
		 .kind = SSD_PAGE_FEATURE,                                                               \
		 .id = fid,                                                                              \
		 ##__VA_ARGS__}
#define SAID_BY(off, bytes, mask) .announced_at = (off), .announced_width = (bytes), .announced_mask = (mask)
#define KERNELS .class = SSD_FEATURE_KERNELS
#define DESTROYS .class = SSD_FEATURE_DESTROYS

const struct ssd_std_feature ssd_std_features[] = {
	{FEATURE(0x01, "arbitration", "arbitration", "Arbitration", arbitration), .flags = SSD_STD_MANDATORY},
	{FEATURE(0x02, "power-management", "power_management", "Power Management", power_management),
	 .flags = SSD_STD_MANDATORY | SSD_STD_FIRST},
	{FEATURE(0x03, "lba-range-type", "lba_range_type", "LBA Range Type", lba_range, .size = 4096),
	 .flags = SSD_STD_NAMESPACE},
	{FEATURE(0x04, "temperature-threshold", "temperature_threshold", "Temperature Threshold", temperature),
	 .flags = SSD_STD_MANDATORY, .which = temperature_which},
	{FEATURE(0x05, "error-recovery", "error_recovery", "Error Recovery", error_recovery),
	 .flags = SSD_STD_MANDATORY | SSD_STD_NAMESPACE},
	{FEATURE(0x06, "volatile-write-cache", "volatile_write_cache", "Volatile Write Cache", write_cache),
	 SAID_BY(SSD_ID_CTRL_VWC, 1, 1)},
	{FEATURE(0x07, "number-of-queues", "number_of_queues", "Number of Queues", queues), .flags = SSD_STD_MANDATORY,
	 KERNELS},
	{FEATURE(0x08, "interrupt-coalescing", "interrupt_coalescing", "Interrupt Coalescing", coalescing),
	 .flags = SSD_STD_PCIE},
	{FEATURE(0x09, "interrupt-vector", "interrupt_vector", "Interrupt Vector Configuration", vector),
	 .flags = SSD_STD_PCIE, .which = vector_which},
	{FEATURE(0x0a, "write-atomicity", "write_atomicity", "Write Atomicity Normal", atomicity),
	 .flags = SSD_STD_MANDATORY},
	{FEATURE(0x0b, "async-events", "async_events", "Asynchronous Event Configuration", events),
	 .flags = SSD_STD_MANDATORY, KERNELS},
	{FEATURE(0x0c, "power-transitions", "power_transitions", "Autonomous Power State Transition", apst, .size = 256,
		 .derive = derive_apst),
	 SAID_BY(SSD_ID_CTRL_APSTA, 1, 1)},
	{FEATURE(0x0d, "host-memory-buffer", "host_memory_buffer", "Host Memory Buffer", host_memory, .size = 4096),
	 KERNELS, SAID_BY(HMPRE, 4, UINT32_MAX)},
	{FEATURE(0x0e, "timestamp", "timestamp", "Timestamp", timestamp, .size = 8, .derive = derive_timestamp),
	 .flags = SSD_STD_TIME, SAID_BY(SSD_ID_CTRL_ONCS, 2, 1 << 6)},
	{FEATURE(0x0f, "keep-alive", "keep_alive", "Keep Alive Timer", keep_alive), KERNELS,
	 SAID_BY(SSD_ID_CTRL_KAS, 2, UINT16_MAX)},
	{FEATURE(0x10, "thermal-management", "thermal_management", "Host Controlled Thermal Management", thermal),
	 SAID_BY(SSD_ID_CTRL_HCTMA, 2, 1)},
	{FEATURE(0x11, "non-operational-power", "non_operational_power", "Non-Operational Power State Config",
		 non_operational),
	 SAID_BY(SSD_ID_CTRL_CTRATT, 4, 1 << 1)},
	{FEATURE(0x12, "read-recovery-level", "read_recovery_level", "Read Recovery Level Config", recovery_level),
	 .flags = SSD_STD_CDW12, .which = set_which, SAID_BY(SSD_ID_CTRL_CTRATT, 4, 1 << 3)},
	{FEATURE(0x13, "predictable-latency", "predictable_latency", "Predictable Latency Mode Config", latency_config,
		 .size = 512),
	 .flags = SSD_STD_CDW12, .which = set_which, SAID_BY(SSD_ID_CTRL_CTRATT, 4, 1 << 5)},
	{FEATURE(0x14, "predictable-latency-window", "predictable_latency_window", "Predictable Latency Mode Window",
		 latency_window),
	 .flags = SSD_STD_CDW12, .which = set_which, SAID_BY(SSD_ID_CTRL_CTRATT, 4, 1 << 5)},
	{FEATURE(0x15, "lba-status-interval", "lba_status_interval", "LBA Status Information Report Interval",
		 status_interval),
	 SAID_BY(SSD_ID_CTRL_OAES, 4, 1 << 13)},
	{FEATURE(0x16, "host-behavior", "host_behavior", "Host Behavior Support", host_behavior, .size = 512), KERNELS},
	{FEATURE(0x17, "sanitize-config", "sanitize_config", "Sanitize Config", sanitize_config),
	 SAID_BY(SSD_ID_CTRL_SANICAP + 3, 1, 0x20)},
	{FEATURE(0x18, "endurance-group-events", "endurance_group_events", "Endurance Group Event Configuration",
		 group_events),
	 .which = group_which, SAID_BY(SSD_ID_CTRL_CTRATT, 4, 1 << 4)},
	{FEATURE(0x19, "command-set-profile", "command_set_profile", "I/O Command Set Profile", profile)},
	{FEATURE(0x1a, "spinup-control", "spinup_control", "Spinup Control", spinup)},
	{FEATURE(0x1d, "flexible-data-placement", "flexible_data_placement", "Flexible Data Placement", placement),
	 DESTROYS, .flags = SSD_STD_CDW12, .which = group_which, SAID_BY(SSD_ID_CTRL_CTRATT, 4, 1 << 19)},
	{FEATURE(0x7d, "enhanced-controller-metadata", "enhanced_controller_metadata", "Enhanced Controller Metadata",
		 nothing, .size = 4096)},
	{FEATURE(0x7e, "controller-metadata", "controller_metadata", "Controller Metadata", nothing, .size = 4096)},
	{FEATURE(0x7f, "namespace-metadata", "namespace_metadata", "Namespace Metadata", nothing, .size = 4096),
	 .flags = SSD_STD_NAMESPACE},
	{FEATURE(0x80, "boot-count", "boot_count", "Software Progress Marker", boot_count)},
	{FEATURE(0x81, "host-identifier", "host_identifier", "Host Identifier", host_identifier, .size = 16),
	 .flags = SSD_STD_DIGITS, .cdw11 = 1, SAID_BY(SSD_ID_CTRL_CTRATT, 4, 1)},
	{FEATURE(0x82, "reservation-mask", "reservation_mask", "Reservation Notification Mask", notification_mask),
	 .flags = SSD_STD_NAMESPACE, SAID_BY(SSD_ID_CTRL_ONCS, 2, 1 << 5)},
	{FEATURE(0x83, "reservation-persistence", "reservation_persistence", "Reservation Persistence", persistence),
	 .flags = SSD_STD_NAMESPACE, SAID_BY(SSD_ID_CTRL_ONCS, 2, 1 << 5)},
	{FEATURE(0x84, "write-protection", "write_protection", "Namespace Write Protection Config", protection),
	 DESTROYS, .flags = SSD_STD_NAMESPACE, SAID_BY(NWPC, 1, 1)},
	{FEATURE(0x85, "boot-write-protection", "boot_write_protection", "Boot Partition Write Protection Config",
		 boot_protection),
	 DESTROYS},
	{.page = {.name = NULL}},
};
