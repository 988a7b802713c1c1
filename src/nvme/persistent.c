/* SPDX-License-Identifier: MIT */
/*
 * Persistent Event Log (log page 0Dh): NVM Express Base Specification 2.0c, section 5.16.1.14. A header, then events with
 * headers of their own: the length of the header without its first three bytes, the length of all that follows it, and how
 * much of that comes before the event's data and is the vendor's own.
 */
#include <ssdct/page.h>

#include <ssdct/le.h>

enum { HEADER = 512, TNEV = 4, TLL = 8, EVENT_HEADER = 24, EHL = 2, EHL_FROM = 3, VSIL = 20, EL = 22 };
/* So that a page of 4 MiB, the most that is read, still makes a document. */
#define MAX_EVENTS 16384

enum {
	SMART = 0x01,
	FIRMWARE_COMMIT,
	TIMESTAMP_CHANGE,
	POWER_ON_RESET,
	HARDWARE_ERROR,
	CHANGE_NAMESPACE,
	FORMAT_START,
	FORMAT_COMPLETION,
	SANITIZE_START,
	SANITIZE_COMPLETION,
	SET_FEATURE,
	TELEMETRY_CREATE,
	THERMAL_EXCURSION,
	VENDOR = 0xde,
	TCG = 0xdf
};

static const struct ssd_name type_names[] = {
	{SMART, "SMART / health snapshot"},
	{FIRMWARE_COMMIT, "firmware commit"},
	{TIMESTAMP_CHANGE, "timestamp change"},
	{POWER_ON_RESET, "power-on or reset"},
	{HARDWARE_ERROR, "NVM subsystem hardware error"},
	{CHANGE_NAMESPACE, "change namespace"},
	{FORMAT_START, "format NVM start"},
	{FORMAT_COMPLETION, "format NVM completion"},
	{SANITIZE_START, "sanitize start"},
	{SANITIZE_COMPLETION, "sanitize completion"},
	{SET_FEATURE, "set feature"},
	{TELEMETRY_CREATE, "telemetry log created"},
	{THERMAL_EXCURSION, "thermal excursion"},
	{VENDOR, "vendor specific"},
	{TCG, "TCG defined"},
	{0, NULL},
};

/* A time of day where a host has set the clock, and the milliseconds whatever they count from. */
#define TIMESTAMP(k, kms, o)                                                               \
	{.key = (k),                                                                       \
	 .label = "Time",                                                                  \
	 .help = "UTC; null: no host had set the clock",                                   \
	 .type = SSD_STR,                                                                  \
	 .code = SSD_NVME_TIME,                                                            \
	 .off = (o),                                                                       \
	 .width = 8},                                                                      \
		SSD_LE_FIELD(6, kms, "Timestamp", o, .unit = SSD_MS, .flags = SSD_NO_TEXT, \
			     .help = "Since 1970 when a host had set the clock, else since a reset of the controller")

static const struct ssd_field firmware_commit[] = {
	SSD_TEXT("old_revision", "from", 0, 8),
	SSD_TEXT("new_revision", "to", 8, 8),
	SSD_U8("action", "action", 16, .help = "Commit action"),
	SSD_U8("slot", "slot", 17, .help = "Firmware slot"),
	SSD_U8("status_code_type", "status type", 18, .unit = SSD_HEX),
	SSD_U8("status_code", "status code", 19, .unit = SSD_HEX),
	SSD_U16("vendor_result", "vendor's result", 20, .unit = SSD_HEX, .flags = SSD_QUIET),
	SSD_FIELD_END,
};

static const struct ssd_field timestamp_change[] = {
	TIMESTAMP("previous_time", "previous_ms", 0),
	SSD_U64("since_reset_ms", "since reset", 8, .unit = SSD_MS),
	SSD_FIELD_END,
};

enum { RESET_INFO = 36, REVISION = 8 };

static const struct ssd_field reset_info[] = {
	SSD_U16("cntlid", "controller", 0, .flags = SSD_RAW, .help = "Controller identifier"),
	SSD_U8("firmware_activation", "firmware activation", 2, .unit = SSD_HEX, .flags = SSD_QUIET),
	SSD_U8("operation_in_progress", "operation in progress", 3, .unit = SSD_HEX, .flags = SSD_QUIET),
	SSD_U32("power_cycle", "power cycle", 16, .help = "Controller power cycle"),
	SSD_U64("power_on_ms", "on for", 20, .unit = SSD_MS, .help = "Power on milliseconds"),
	TIMESTAMP("time", "timestamp_ms", 28),
	SSD_FIELD_END,
};

static const struct ssd_field power_on_reset[] = {
	SSD_TEXT("firmware", "firmware", 0, REVISION),
	{.key = "controllers",
	 .label = "",
	 .help = "Controllers that were powered on or reset",
	 .type = SSD_LIST,
	 .code = SSD_LE,
	 .off = REVISION,
	 .stride = RESET_INFO,
	 .sub = reset_info},
	SSD_FIELD_END,
};

static const struct ssd_name hardware_error_names[] = {
	{0x01, "PCIe correctable error"},
	{0x02, "PCIe uncorrectable non-fatal error"},
	{0x03, "PCIe uncorrectable fatal error"},
	{0x04, "PCIe link status change"},
	{0x05, "PCIe link not active"},
	{0x06, "critical warning condition"},
	{0x07, "endurance group critical warning condition"},
	{0x08, "unsafe shutdown"},
	{0x09, "controller fatal status"},
	{0x0a, "media and data integrity status"},
	{0x0b, "controller ready timeout exceeded"},
	{0, NULL},
};

static const struct ssd_field hardware_error[] = {
	SSD_ENUM_FIELD("error", "", 0, 2, hardware_error_names, .help = "NVM subsystem hardware error event code"),
	SSD_FIELD_END,
};

static const struct ssd_field change_namespace[] = {
	SSD_U32("cdw10", "CDW10", 0, .unit = SSD_HEX, .help = "CDW10 of the Namespace Management command"),
	SSD_U64("nsze", "NSZE", 8, .help = "Logical blocks"),
	SSD_U64("ncap", "NCAP", 24, .help = "Logical blocks"),
	SSD_U8("flbas", "FLBAS", 32, .unit = SSD_HEX),
	SSD_U8("dps", "DPS", 33, .unit = SSD_HEX),
	SSD_U8("nmic", "NMIC", 34, .unit = SSD_HEX),
	SSD_U32("anagrpid", "ANA group", 36, .null = SSD_NULL_ZERO, .flags = SSD_QUIET),
	SSD_U16("nvmsetid", "NVM set", 40, .null = SSD_NULL_ZERO, .flags = SSD_QUIET),
	SSD_U32("nsid", "namespace", 44, .unit = SSD_HEX),
	SSD_FIELD_END,
};

static const struct ssd_field format_start[] = {
	SSD_U32("nsid", "namespace", 0, .unit = SSD_HEX),
	SSD_U8("fna", "FNA", 4, .unit = SSD_HEX),
	SSD_U32("cdw10", "CDW10", 8, .unit = SSD_HEX, .help = "CDW10 of the Format NVM command"),
	SSD_FIELD_END,
};

static const struct ssd_field format_completion[] = {
	SSD_U32("nsid", "namespace", 0, .unit = SSD_HEX),
	SSD_U8("smallest_fpi", "smallest FPI", 4, .unit = SSD_HEX),
	SSD_U8("format_status", "status", 5, .unit = SSD_HEX),
	SSD_U16("completion_information", "completion", 6, .unit = SSD_HEX),
	SSD_U32("status_field", "status field", 8, .unit = SSD_HEX),
	SSD_FIELD_END,
};

static const struct ssd_field sanitize_start[] = {
	SSD_U32("sanicap", "SANICAP", 0, .unit = SSD_HEX),
	SSD_U32("cdw10", "CDW10", 4, .unit = SSD_HEX, .help = "CDW10 of the Sanitize command"),
	SSD_U32("cdw11", "CDW11", 8, .unit = SSD_HEX, .help = "CDW11 of the Sanitize command"),
	SSD_FIELD_END,
};

static const struct ssd_field sanitize_completion[] = {
	SSD_U16("sprog", "SPROG", 0, .unit = SSD_HEX),
	SSD_U16("sstat", "SSTAT", 2, .unit = SSD_HEX),
	SSD_U16("completion_information", "completion", 4, .unit = SSD_HEX),
	SSD_FIELD_END,
};

static const struct ssd_field set_feature_layout[] = {
	SSD_BITS_FIELD("dwords", "dwords", 0, 3),
	SSD_BIT("completion", "completion dword 0", 3),
	SSD_BITS_FIELD("data_bytes", "data", 16, 16, .unit = SSD_BYTES),
	SSD_FIELD_END,
};

static const struct ssd_field set_feature[] = {
	SSD_U8("fid", "feature", 4, .unit = SSD_HEX),
	SSD_U32("cdw10", "CDW10", 4, .unit = SSD_HEX),
	SSD_U32("cdw11", "CDW11", 8, .unit = SSD_HEX),
	SSD_FLAGS_FIELD("layout", "layout", 0, 4, set_feature_layout, .flags = SSD_NO_TEXT),
	SSD_FIELD_END,
};

/* The event holds the first 512 bytes of the telemetry page. */
static const struct ssd_field telemetry_create[] = {
	SSD_U8("lid", "log page", 0, .unit = SSD_HEX),
	SSD_U8("controller_generation", "generation", 383),
	SSD_FIELD_END,
};

static const struct ssd_field thermal_excursion[] = {
	SSD_U8("otmp", "over temperature (OTMP)", 0),
	SSD_U8("thresh", "threshold (THRESH)", 1),
	SSD_FIELD_END,
};

#define KIND(k, l, i, s, ...)                                                                                   \
	{                                                                                                       \
		.key = (k), .label = (l), .type = SSD_OBJ, .code = SSD_LE, .id = (i), .sub = (s), ##__VA_ARGS__ \
	}

static const struct ssd_field event_fields[] = {
	{.key = "event", .label = "Event", .help = "Place in the log", .type = SSD_UINT, .code = SSD_INDEX0},
	TIMESTAMP("time", "timestamp_ms", 6),
	SSD_U16("cntlid", "Controller", 4, .flags = SSD_RAW, .help = "Controller identifier"),
	SSD_ENUM_FIELD("type", "Type", 0, 1, type_names),
	SSD_U8("revision", "Revision", 1, .flags = SSD_NO_TEXT, .help = "Revision of the event type"),
	SSD_U16("port", "Port", 14, .null = SSD_NULL_ZERO, .flags = SSD_NO_TEXT,
		.help = "Port identifier (since NVMe 2.0)"),
	SSD_U16("length_bytes", "Length", EL, .flags = SSD_NO_TEXT, .help = "Of the event without its header"),
	KIND("smart", "SMART", SMART, ssd_smart_fields, .flags = SSD_NO_TEXT),
	KIND("firmware_commit", "Firmware commit", FIRMWARE_COMMIT, firmware_commit),
	KIND("timestamp_change", "Timestamp change", TIMESTAMP_CHANGE, timestamp_change),
	KIND("power_on_reset", "Power-on or reset", POWER_ON_RESET, power_on_reset),
	KIND("hardware_error", "Hardware error", HARDWARE_ERROR, hardware_error),
	KIND("change_namespace", "Change namespace", CHANGE_NAMESPACE, change_namespace),
	KIND("format_start", "Format start", FORMAT_START, format_start),
	KIND("format_completion", "Format completion", FORMAT_COMPLETION, format_completion),
	KIND("sanitize_start", "Sanitize start", SANITIZE_START, sanitize_start),
	KIND("sanitize_completion", "Sanitize completion", SANITIZE_COMPLETION, sanitize_completion),
	KIND("set_feature", "Set feature", SET_FEATURE, set_feature),
	KIND("telemetry_create", "Telemetry created", TELEMETRY_CREATE, telemetry_create),
	KIND("thermal_excursion", "Thermal excursion", THERMAL_EXCURSION, thermal_excursion),
	SSD_FIELD_END,
};

static void shape(const uint8_t *p, struct ssd_shape *shape)
{
	size_t header = EHL_FROM + (size_t)p[EHL];

	shape->size = header + ssd_le16(p + EL);
	shape->data = header + ssd_le16(p + VSIL);
	/* Vendors' information that is longer than the event leaves no room for data. */
	shape->kind = shape->data < shape->size && header >= EVENT_HEADER ? p[0] : 0;
}

static const struct ssd_field fields[] = {
	SSD_U32("total_events", "Events", TNEV, .help = "Number of events in the log (TNEV)"),
	SSD_U64("total_bytes", "Length", TLL, .unit = SSD_BYTES, .help = "Of the whole page (TLL)"),
	SSD_U8("revision", "Revision", 16, .help = "Log revision"),
	TIMESTAMP("time", "timestamp_ms", 20),
	SSD_U128("power_on_hours", "Power on hours", 28, .unit = SSD_HOURS),
	SSD_U64("power_cycles", "Power cycles", 44),
	SSD_U16("vid", "PCI vendor (VID)", 52, .unit = SSD_HEX),
	SSD_U16("ssvid", "PCI subsystem vendor (SSVID)", 54, .unit = SSD_HEX),
	SSD_TEXT("sn", "Serial number (SN)", 56, 20),
	SSD_TEXT("mn", "Model number (MN)", 76, 40),
	{.key = "subnqn", .label = "Subsystem name (SUBNQN)", .type = SSD_STR, .flags = SSD_QUIET},
	SSD_U16("generation", "Generation", 372, .flags = SSD_QUIET, .help = "Generation number (since NVMe 2.0)"),
	{.key = "supported_events",
	 .label = "Supported events (SEB)",
	 .help = "A bit for each event type, first byte first",
	 .type = SSD_STR,
	 .flags = SSD_NO_TEXT,
	 .code = SSD_BYTES_HEX,
	 .off = 480,
	 .width = 32},
	{.key = "events",
	 .label = "Events",
	 .help = "As the drive lists them",
	 .type = SSD_LIST,
	 .code = SSD_LE,
	 .off = HEADER,
	 .count = MAX_EVENTS,
	 .stride = EVENT_HEADER,
	 .count_in = {TNEV, 4, 0},
	 .sub = event_fields,
	 .shape = shape},
	{.key = "events_left_out",
	 .label = "Events left out",
	 .help = "Events of which no byte was read, or that are beyond the 16,384 that are shown",
	 .type = SSD_UINT,
	 .flags = SSD_QUIET},
	SSD_FIELD_END,
};

enum { SUBNQN = 116, SUBNQN_LEN = 256 };

static void derive(const uint8_t *buf, size_t len, struct ssd_node *obj)
{
	const struct ssd_node *list = ssd_get(obj, "events");
	int64_t left = ssd_get_int(obj, "total_events", 0);
	const char *nqn = (const char *)buf + SUBNQN;

	if (len >= SUBNQN + SUBNQN_LEN)
		ssd_set_str(obj, "subnqn", ssd_printable(obj->arena, (const uint8_t *)nqn, strnlen(nqn, SUBNQN_LEN)));
	if (list && list->last)
		left -= ssd_get_int(list->last, "event", 0) + 1;
	if (ssd_get(obj, "total_events"))
		ssd_set_uint(obj, "events_left_out", left > 0 ? (uint64_t)left : 0);
}

static uint64_t total(const uint8_t *head)
{
	return ssd_le64(head + TLL);
}

const struct ssd_page ssd_page_persistent_event = {
	.field = {.key = "persistent_events",
		  .label = "Persistent event log",
		  .help = "What has happened to the drive over its life (log page 0Dh)",
		  .type = SSD_OBJ,
		  .sub = fields},
	.name = "persistent-event",
	.kind = SSD_PAGE_LOG,
	.id = 0x0d,
	.size = HEADER,
	.total = total,
	.derive = derive,
};
