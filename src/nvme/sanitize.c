/* SPDX-License-Identifier: MIT */
/* Sanitize Status (log page 81h): NVM Express Base Specification 2.0c, figure 266; CDW10 of Sanitize, figure 303. */
#include <ssdct/page.h>

#include <ssdct/le.h>

enum { IN_PROGRESS = 2 };

static const struct ssd_name status_names[] = {
	{0, "never sanitized"},
	{1, "completed"},
	{IN_PROGRESS, "in progress"},
	{3, "failed"},
	{4, "completed, blocks deallocated against the request"},
	{0, NULL},
};

static const struct ssd_name action_names[] = {
	{1, "exit failure mode"}, {2, "block erase"}, {3, "overwrite"}, {4, "crypto erase"}, {0, NULL}};

static const struct ssd_field command_bits[] = {
	SSD_BITS_ENUM("action", "action", 0, 3, action_names),
	SSD_BIT("unrestricted_exit", "allow unrestricted sanitize exit", 3),
	SSD_BITS_FIELD("passes", "passes", 4, 4),
	SSD_BIT("invert", "invert between passes", 8),
	SSD_BIT("no_deallocate", "no deallocate after sanitize", 9),
	SSD_FIELD_END,
};

#define ESTIMATE(k, l, o) SSD_U32(k, l, o, .unit = SSD_SECONDS, .null = SSD_NULL_ONES, .help = "Null: not reported")

static const struct ssd_field fields[] = {
	SSD_ENUM_FIELD("status", "Status", 2, 2, status_names, .bits = 3,
		       .help = "Of the most recent sanitize operation"),
	{.key = "progress_percent",
	 .label = "Progress",
	 .help = "Null: no sanitize operation is running",
	 .type = SSD_REAL,
	 .unit = SSD_PERCENT,
	 .metric = SSD_GAUGE,
	 .flags = SSD_QUIET},
	SSD_U16("sprog", "Progress (SPROG)", 0, .flags = SSD_NO_TEXT,
		.help = "In 1/65,536; 65,535 when none is running"),
	SSD_U16("completed_passes", "Completed passes", 2, .bit = 3, .bits = 5, .help = "Of an overwrite"),
	{.key = "global_data_erased",
	 .label = "Global data erased",
	 .help = "Nothing has been written since the last successful sanitize operation, or ever",
	 .type = SSD_BOOL,
	 .code = SSD_LE,
	 .off = 2,
	 .width = 2,
	 .bit = 8,
	 .bits = 1},
	SSD_FLAGS_FIELD("scdw10", "Command (SCDW10)", 4, 4, command_bits, .help = "CDW10 of the Sanitize command"),
	ESTIMATE("overwrite_seconds", "Overwrite, estimate", 8),
	ESTIMATE("block_erase_seconds", "Block erase, estimate", 12),
	ESTIMATE("crypto_erase_seconds", "Crypto erase, estimate", 16),
	ESTIMATE("overwrite_no_deallocate_seconds", "Overwrite without deallocation, estimate", 20),
	ESTIMATE("block_erase_no_deallocate_seconds", "Block erase without deallocation, estimate", 24),
	ESTIMATE("crypto_erase_no_deallocate_seconds", "Crypto erase without deallocation, estimate", 28),
	SSD_FIELD_END,
};

static void derive(const uint8_t *buf, size_t len, struct ssd_node *obj)
{
	(void)len;
	if (ssd_get_int(obj, "status", -1) == IN_PROGRESS)
		ssd_set_real(obj, "progress_percent", ssd_le16(buf) * 100.0 / 65536);
}

const struct ssd_page ssd_page_sanitize = {
	.field = {.key = "sanitize",
		  .label = "Sanitize status",
		  .help = "The most recent sanitize operation (log page 81h)",
		  .type = SSD_OBJ,
		  .sub = fields},
	.name = "sanitize",
	.kind = SSD_PAGE_LOG,
	.id = 0x81,
	.size = 512,
	.derive = derive,
};
