/* SPDX-License-Identifier: MIT */
/* SMART / Health Information (log page 02h): NVM Express Base Specification 2.0c, figure 207. */
#include <ssdct/page.h>

/* Figure 208. Any bit is trouble of its own, the reserved ones included. */
static const struct ssd_field critical_warning_bits[] = {
	SSD_BIT("available_spare", "available spare below threshold", 0),
	SSD_BIT("temperature", "temperature beyond a threshold", 1),
	SSD_BIT("reliability", "reliability degraded", 2),
	SSD_BIT("read_only", "media read-only", 3),
	SSD_BIT("volatile_backup", "volatile memory backup failed", 4),
	SSD_BIT("persistent_memory", "persistent memory region read-only or unreliable", 5),
	SSD_BIT("reserved_6", "reserved bit 6", 6),
	SSD_BIT("reserved_7", "reserved bit 7", 7),
	SSD_FIELD_END,
};

static const struct ssd_field endurance_group_bits[] = {
	SSD_BIT("available_spare", "available spare below threshold", 0),
	SSD_BIT("reliability", "reliability degraded", 2),
	SSD_BIT("read_only", "read-only", 3),
	SSD_FIELD_END,
};

/*
 * A sensor that is not there reports 0 K and is left out, so the number is said. A sensor at 0 C stays: SSD_SKIP leaves out
 * signed values only when they are null.
 */
static const struct ssd_field sensor_fields[] = {
	{.key = "sensor", .label = "Sensor", .type = SSD_UINT, .code = SSD_INDEX1},
	{.key = "celsius",
	 .label = "Temperature",
	 .help = "Temperature of a sensor inside the drive",
	 .type = SSD_INT,
	 .unit = SSD_CELSIUS,
	 .metric = SSD_GAUGE,
	 .flags = SSD_SKIP,
	 .code = SSD_KELVIN,
	 .off = 0,
	 .width = 2},
	SSD_FIELD_END,
};

#define COUNTER128(k, l, o, ...) SSD_U128(k, l, o, .metric = SSD_COUNTER, ##__VA_ARGS__)
/* A data unit is 1000 times 512 bytes whatever the LBA format. */
#define DATA_UNIT_BYTES 512000

/*
 * Data units of 0 are a number here: revision 2.0 calls it "not reported", earlier ones do not, and the page does not say by
 * which revision it was written.
 */
const struct ssd_field ssd_smart_fields[] = {
	SSD_FLAGS_FIELD("critical_warning", "Critical warning", 0, 1, critical_warning_bits, .metric = SSD_GAUGE,
			.help = "Critical warnings of the controller, one bit each; 0 is none"),
	{.key = "temperature_celsius",
	 .label = "Temperature",
	 .help = "Composite temperature",
	 .type = SSD_INT,
	 .unit = SSD_CELSIUS,
	 .metric = SSD_GAUGE,
	 .code = SSD_KELVIN,
	 .off = 1,
	 .width = 2},
	SSD_U8("available_spare_percent", "Available spare", 3, .unit = SSD_PERCENT, .metric = SSD_GAUGE,
	       .help = "Spare capacity that is left"),
	SSD_U8("available_spare_threshold_percent", "Available spare threshold", 4, .unit = SSD_PERCENT,
	       .metric = SSD_GAUGE, .help = "Below it the drive raises the spare warning"),
	SSD_U8("percentage_used", "Percentage used", 5, .unit = SSD_PERCENT, .metric = SSD_GAUGE,
	       .help = "Rated endurance consumed; may exceed 100, and 255 means 255 or more"),
	SSD_FLAGS_FIELD("endurance_group_critical_warning", "Endurance group critical warning", 6, 1,
			endurance_group_bits, .metric = SSD_GAUGE, .flags = SSD_QUIET,
			.help = "Critical warnings of all endurance groups, one bit each"),
	COUNTER128("data_units_read", "Data units read", 32, .flags = SSD_NO_TEXT,
		   .help = "Data read by the host, in thousands of 512 bytes, rounded up"),
	COUNTER128("data_read_bytes", "Data read", 32, .unit = SSD_BYTES, .scale = DATA_UNIT_BYTES,
		   .help = "Data read by the host: data units times 512,000"),
	COUNTER128("data_units_written", "Data units written", 48, .flags = SSD_NO_TEXT,
		   .help = "Data written by the host, in thousands of 512 bytes, rounded up"),
	COUNTER128("data_written_bytes", "Data written", 48, .unit = SSD_BYTES, .scale = DATA_UNIT_BYTES,
		   .help = "Data written by the host: data units times 512,000"),
	COUNTER128("host_read_commands", "Host read commands", 64),
	COUNTER128("host_write_commands", "Host write commands", 80),
	COUNTER128("controller_busy_minutes", "Controller busy time", 96, .unit = SSD_MINUTES,
		   .help = "Time with an I/O command outstanding; some drives do not keep it"),
	COUNTER128("power_cycles", "Power cycles", 112),
	COUNTER128("power_on_hours", "Power on hours", 128, .unit = SSD_HOURS),
	COUNTER128("unsafe_shutdowns", "Unsafe shutdowns", 144, .help = "Losses of power without notice"),
	COUNTER128("media_errors", "Media and data integrity errors", 160, .help = "Unrecovered data integrity errors"),
	COUNTER128("error_log_entries", "Error log entries", 176,
		   .help = "Entries ever made in the error log, most of them by harmless probing"),
	SSD_U32("warning_temperature_minutes", "Warning temperature time", 192, .unit = SSD_MINUTES,
		.metric = SSD_COUNTER, .help = "Time at or above the warning temperature, below the critical one"),
	SSD_U32("critical_temperature_minutes", "Critical temperature time", 196, .unit = SSD_MINUTES,
		.metric = SSD_COUNTER, .help = "Time at or above the critical temperature"),
	SSD_U32("tmt1_transition_count", "Light throttling", 216, .metric = SSD_COUNTER, .flags = SSD_QUIET,
		.help = "Transitions because of thermal management temperature 1"),
	SSD_U32("tmt2_transition_count", "Heavy throttling", 220, .metric = SSD_COUNTER, .flags = SSD_QUIET,
		.help = "Transitions because of thermal management temperature 2"),
	SSD_U32("tmt1_seconds", "Light throttling time", 224, .unit = SSD_SECONDS, .metric = SSD_COUNTER,
		.flags = SSD_QUIET, .help = "Time throttled because of thermal management temperature 1"),
	SSD_U32("tmt2_seconds", "Heavy throttling time", 228, .unit = SSD_SECONDS, .metric = SSD_COUNTER,
		.flags = SSD_QUIET, .help = "Time throttled because of thermal management temperature 2"),
	{.key = "temperature_sensors",
	 .label = "Temperature sensors",
	 .type = SSD_LIST,
	 .flags = SSD_QUIET,
	 .code = SSD_LE,
	 .off = 200,
	 .count = 8,
	 .stride = 2,
	 .sub = sensor_fields},
	SSD_FIELD_END,
};

const struct ssd_page ssd_page_smart = {
	.field = {.key = "smart",
		  .label = "SMART / health",
		  .help = "SMART / health information of the controller (log page 02h)",
		  .type = SSD_OBJ,
		  .sub = ssd_smart_fields},
	.name = "smart",
	.kind = SSD_PAGE_LOG,
	.id = 0x02,
	.flags = SSD_PAGE_WHOLE,
	.size = 512,
};
