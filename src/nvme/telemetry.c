/* SPDX-License-Identifier: MIT */
/*
 * Headers of the telemetry log pages (07h, 08h): NVM Express Base Specification 2.0c, figures 214 and 215. What follows is
 * the vendor's own. Only the header is read, and without LSP bit 0, so that the controller collects nothing anew.
 */
#include <ssdct/page.h>

#include <ssdct/le.h>

enum { BLOCK = 512, AREA_1 = 8, AREA_2 = 10, AREA_3 = 12, AREA_4 = 16, HEADER = 512 };

/* Byte 381 is the one in which the pages differ. */
#define COMMON                                                                                                     \
	{.key = "ieee", .label = "IEEE OUI (IEEE)", .type = SSD_STR, .code = SSD_LE_HEX, .off = 5, .width = 3},    \
		{.key = "size_bytes",                                                                              \
		 .label = "Size",                                                                                  \
		 .help = "The page with its header and all data areas",                                            \
		 .type = SSD_UINT,                                                                                 \
		 .unit = SSD_BYTES},                                                                               \
		SSD_U16("area_1_last_block", "Data area 1, last block", AREA_1, .help = "In blocks of 512 bytes"), \
		SSD_U16("area_2_last_block", "Data area 2, last block", AREA_2, .help = "In blocks of 512 bytes"), \
		SSD_U16("area_3_last_block", "Data area 3, last block", AREA_3, .help = "In blocks of 512 bytes"), \
		SSD_U32("area_4_last_block", "Data area 4, last block", AREA_4, .help = "In blocks of 512 bytes")
#define CONTROLLER                                                                                    \
	SSD_U8("controller_data_available", "Controller-initiated data available", 382,               \
	       .help = "1: the controller has collected data that nobody has read and acknowledged"), \
		SSD_U8("controller_generation", "Controller-initiated generation", 383,               \
		       .help = "Counts the controller-initiated data")
#define REASON                                                                                              \
	{                                                                                                   \
		.key = "reason_identifier", .label = "Reason", .help = "The vendor's own", .type = SSD_STR, \
		.flags = SSD_QUIET, .code = SSD_BYTES_HEX, .off = 384, .width = 128                         \
	}

static const struct ssd_field host_fields[] = {
	COMMON,
	SSD_U8("host_generation", "Host-initiated generation", 381, .help = "Counts the host-initiated data"),
	CONTROLLER,
	REASON,
	SSD_FIELD_END,
};

static const struct ssd_name scope_names[] = {{0, "not reported"}, {1, "controller"}, {2, "NVM subsystem"}, {0, NULL}};

static const struct ssd_field controller_fields[] = {
	COMMON,
	SSD_ENUM_FIELD("scope", "Scope", 381, 1, scope_names, .help = "What the data are about (since NVMe 2.0)"),
	CONTROLLER,
	REASON,
	SSD_FIELD_END,
};

/* Areas begin where the one before ends: the last block of them all is the last of the page. */
static void derive(const uint8_t *buf, size_t len, struct ssd_node *obj)
{
	static const struct {
		uint8_t off, width;
	} areas[] = {{AREA_1, 2}, {AREA_2, 2}, {AREA_3, 2}, {AREA_4, 4}};
	uint64_t last = 0;

	if (len < AREA_4 + 4)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(areas); i++)
		if (ssd_le(buf + areas[i].off, areas[i].width) > last)
			last = ssd_le(buf + areas[i].off, areas[i].width);
	ssd_set_uint(obj, "size_bytes", (last + 1) * BLOCK);
}

const struct ssd_page ssd_page_telemetry_host = {
	.field = {.key = "telemetry_host",
		  .label = "Telemetry, host-initiated",
		  .help = "Header of the host-initiated telemetry (log page 07h)",
		  .type = SSD_OBJ,
		  .sub = host_fields},
	.name = "telemetry-host",
	.kind = SSD_PAGE_LOG,
	.id = 0x07,
	.size = HEADER,
	.derive = derive,
};

const struct ssd_page ssd_page_telemetry_ctrl = {
	.field = {.key = "telemetry_controller",
		  .label = "Telemetry, controller-initiated",
		  .help = "Header of the controller-initiated telemetry (log page 08h)",
		  .type = SSD_OBJ,
		  .sub = controller_fields},
	.name = "telemetry-controller",
	.kind = SSD_PAGE_LOG,
	.id = 0x08,
	.size = HEADER,
	.derive = derive,
};
