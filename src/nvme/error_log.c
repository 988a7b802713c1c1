/* SPDX-License-Identifier: MIT */
/* Error Information (log page 01h): NVM Express Base Specification 2.0c, figure 206. */
#include <ssdct/page.h>

#include <ssdct/device.h>
#include <ssdct/id_ctrl.h>
#include <ssdct/le.h>
#include <ssdct/status.h>

enum { ENTRY = 64, MAX_ENTRIES = 64, STATUS = 12, CSI = 30, OPCODE = 31, LOG_PAGE_VERSION = 63 };

static const struct ssd_field location_bits[] = {
	SSD_BITS_FIELD("byte", "byte", 0, 8),
	SSD_BITS_FIELD("bit", "bit", 8, 3),
	SSD_FIELD_END,
};

/* Transport types as in the Discovery log (figure 281); 0: the error does not concern a transport. */
static const struct ssd_name transport_names[] = {
	{1, "RDMA"}, {2, "Fibre Channel"}, {3, "TCP"}, {254, "Intra-host"}, {0, NULL}};

static const struct ssd_field entry_fields[] = {
	{.key = "entry",
	 .label = "Entry",
	 .help = "Place in the log, newest first",
	 .type = SSD_UINT,
	 .code = SSD_INDEX0},
	SSD_U64("error_count", "Count", 0, .flags = SSD_SKIP, .help = "Number of this error since the drive was made"),
	SSD_U16("sqid", "Queue", 8, .null = SSD_NULL_ONES, .help = "Submission queue; 0 is the admin queue"),
	SSD_U16("cmdid", "Command", 10, .null = SSD_NULL_ONES, .unit = SSD_HEX, .help = "Command identifier"),
	{.key = "status", .label = "Status", .type = SSD_OBJ, .sub = ssd_status_fields},
	{.key = "category",
	 .label = "Kind",
	 .help = "probe (harmless: the admin queue was asked for what the drive does not have), host, device, media, "
		 "path, "
		 "vendor, unknown, none",
	 .type = SSD_STR},
	{.key = "meaning", .label = "Meaning", .help = "What the status means", .type = SSD_STR, .flags = SSD_NO_TEXT},
	{.key = "phase_tag", .label = "Phase", .help = "Phase tag", .type = SSD_BOOL, .flags = SSD_NO_TEXT},
	SSD_FLAGS_FIELD("parameter_error_location", "Parameter", 14, 2, location_bits, .null = SSD_NULL_ONES,
			.help = "Byte and bit of the command that are to blame"),
	SSD_U64("lba", "LBA", 16, .null = SSD_NULL_ONES, .help = "First logical block concerned, if any"),
	SSD_U32("nsid", "Namespace", 24, .null = SSD_NULL_ZERO, .flags = SSD_RAW),
	SSD_U8("vendor_log_page", "Vendor page", 28, .null = SSD_NULL_ZERO, .unit = SSD_HEX,
	       .help = "Log page with more about it"),
	SSD_ENUM_FIELD("transport", "Transport", 29, 1, transport_names, .null = SSD_NULL_ZERO),
	{.key = "csi",
	 .label = "Command set",
	 .help = "Command set identifier (since NVMe 2.0)",
	 .type = SSD_UINT,
	 .flags = SSD_NO_TEXT},
	{.key = "opcode", .label = "Opcode", .help = "Opcode (since NVMe 2.0)", .type = SSD_UINT, .unit = SSD_HEX},
	SSD_U64("command_specific", "Specific", 32, .unit = SSD_HEX, .flags = SSD_NO_TEXT,
		.help = "Command specific information"),
	SSD_U16("transport_specific", "Transport specific", 40, .unit = SSD_HEX, .flags = SSD_NO_TEXT),
	SSD_FIELD_END,
};

static const struct ssd_field fields[] = {
	{.key = "entries",
	 .label = "Errors",
	 .help = "Entries in use",
	 .type = SSD_LIST,
	 .code = SSD_LE,
	 .count = MAX_ENTRIES,
	 .stride = ENTRY,
	 .sub = entry_fields},
	SSD_FIELD_END,
};

/* One transfer of 4 KiB at most: longer reads have crashed a controller and a kernel (ELPE + 1 entries exist). */
static uint32_t size_of(const struct ssd_device *dev)
{
	uint32_t entries =
		dev->id_ctrl && dev->id_ctrl_len > SSD_ID_CTRL_ELPE ? dev->id_ctrl[SSD_ID_CTRL_ELPE] + 1u : 1;

	return ENTRY * (entries < MAX_ENTRIES ? entries : MAX_ENTRIES);
}

static void derive_status(struct ssd_node *entry, uint16_t field)
{
	unsigned status = field >> 1;

	ssd_set_status(ssd_set_obj(entry, "status"), status);
	ssd_set_str(entry, "category", ssd_status_category(status, ssd_get_int(entry, "sqid", -1) == 0));
	ssd_set_str(entry, "meaning", ssd_status_meaning(status));
	ssd_set_bool(entry, "phase_tag", field & 1);
}

static void derive(const uint8_t *buf, size_t len, struct ssd_node *obj)
{
	const struct ssd_node *list = ssd_get(obj, "entries");

	for (struct ssd_node *entry = list ? list->child : NULL; entry; entry = entry->next) {
		size_t off = (size_t)ssd_get_int(entry, "entry", 0) * ENTRY;

		if (len - off >= STATUS + 2)
			derive_status(entry, ssd_le16(buf + off + STATUS));
		/* Before log page version 1 these two bytes were reserved. */
		if (len - off >= ENTRY && buf[off + LOG_PAGE_VERSION] == 1) {
			ssd_set_uint(entry, "csi", buf[off + CSI]);
			ssd_set_uint(entry, "opcode", buf[off + OPCODE]);
		}
	}
}

const struct ssd_page ssd_page_error_log = {
	.field = {.key = "error_log",
		  .label = "Error log",
		  .help = "Error information (log page 01h), unused entries left out",
		  .type = SSD_OBJ,
		  .sub = fields},
	.name = "error",
	.kind = SSD_PAGE_LOG,
	.id = 0x01,
	.size = ENTRY * MAX_ENTRIES,
	.size_of = size_of,
	.derive = derive,
};
