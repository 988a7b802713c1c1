/* SPDX-License-Identifier: MIT */
/* Sanitize Status (log page 81h): NVM Express Base Specification 2.0c, section "Sanitize Status (Log Page Identifier 81h)". */
#include <ssdct/page.h>
#include <ssdct/sanitize_log.h>

#include <ssdct/le.h>

static const struct ssd_name state_names[] = {{SSD_SANITIZE_NEVER, "never sanitized"},
					      {SSD_SANITIZE_COMPLETED, "completed"},
					      {SSD_SANITIZE_IN_PROGRESS, "in progress"},
					      {SSD_SANITIZE_FAILED, "failed"},
					      {SSD_SANITIZE_DEALLOCATED, "completed, deallocated against the request"},
					      {0, NULL}};

static const struct ssd_name action_names[] = {{SSD_SANACT_EXIT_FAILURE, "exit failure mode"},
					       {SSD_SANACT_BLOCK, "block erase"},
					       {SSD_SANACT_OVERWRITE, "overwrite"},
					       {SSD_SANACT_CRYPTO, "crypto erase"},
					       {0, NULL}};

static const struct ssd_field scdw10_bits[] = {
	{.key = "action",
	 .label = "action",
	 .type = SSD_ENUM,
	 .code = SSD_BITS,
	 .off = 0,
	 .width = 3,
	 .names = action_names},
	SSD_BIT("unrestricted_exit", "allow unrestricted exit", 3),
	SSD_BITS_FIELD("passes", "overwrite passes (0: 16)", 4, 4),
	SSD_BIT("invert", "invert pattern between passes", 8),
	SSD_BIT("no_deallocate", "no deallocate after sanitize", 9),
	SSD_FIELD_END,
};

/* FFFFFFFFh: the drive gives no estimate. */
#define ESTIMATE(k, l, o) SSD_U32(k, l, o, .unit = SSD_SECONDS, .null = SSD_NULL_ONES, .flags = SSD_QUIET)

static const struct ssd_field fields[] = {
	{.key = "state", .label = "State", .help = "SSTAT bits 2:0", .type = SSD_ENUM, .names = state_names},
	{.key = "progress_percent",
	 .label = "Progress",
	 .help = "SPROG in 65536ths while an operation is in progress; 100 when the last one has completed",
	 .type = SSD_REAL,
	 .unit = SSD_PERCENT},
	{.key = "completed_passes", .label = "Completed passes", .help = "Of an overwrite", .type = SSD_UINT},
	{.key = "global_data_erased",
	 .label = "No data written since",
	 .help = "SSTAT bit 8: nothing was written since the drive was made or last sanitized",
	 .type = SSD_BOOL},
	SSD_U16("sprog", "Sanitize progress (SPROG)", 0, .flags = SSD_NO_TEXT),
	SSD_U16("sstat", "Sanitize status (SSTAT)", 2, .flags = SSD_NO_TEXT),
	SSD_FLAGS_FIELD("scdw10", "Last command's dword 10 (SCDW10)", 4, 4, scdw10_bits),
	ESTIMATE("overwrite_seconds", "Estimate for overwrite", 8),
	ESTIMATE("block_erase_seconds", "Estimate for block erase", 12),
	ESTIMATE("crypto_erase_seconds", "Estimate for crypto erase", 16),
	ESTIMATE("overwrite_no_deallocate_seconds", "Estimate for overwrite without deallocation", 20),
	ESTIMATE("block_erase_no_deallocate_seconds", "Estimate for block erase without deallocation", 24),
	ESTIMATE("crypto_erase_no_deallocate_seconds", "Estimate for crypto erase without deallocation", 28),
	SSD_FIELD_END,
};

void ssd_sanitize_log_decode(const uint8_t *buf, size_t len, struct ssd_sanitize_log *log)
{
	*log = (struct ssd_sanitize_log){0};
	if (len < 8)
		return;
	log->sprog = ssd_le16(buf);
	log->state = ssd_le16(buf + 2) & 7;
	log->passes = ssd_le16(buf + 2) >> 3 & 0x1f;
	log->erased = ssd_le16(buf + 2) & 0x100;
	log->cdw10 = ssd_le32(buf + 4);
	for (size_t i = 0; i < ARRAY_SIZE(log->estimates); i++)
		log->estimates[i] = len >= 12 + 4 * i ? ssd_le32(buf + 8 + 4 * i) : UINT32_MAX;
}

static void derive(const uint8_t *buf, size_t len, struct ssd_node *obj)
{
	struct ssd_sanitize_log log;

	if (len < 8)
		return;
	ssd_sanitize_log_decode(buf, len, &log);
	ssd_set_enum(obj, "state", log.state);
	ssd_set_uint(obj, "completed_passes", log.passes);
	ssd_set_bool(obj, "global_data_erased", log.erased);
	if (log.state == SSD_SANITIZE_IN_PROGRESS)
		ssd_set_real(obj, "progress_percent", log.sprog * 100.0 / 65536);
	else if (log.state == SSD_SANITIZE_COMPLETED || log.state == SSD_SANITIZE_DEALLOCATED)
		ssd_set_real(obj, "progress_percent", 100);
}

const struct ssd_page ssd_page_sanitize = {
	.field = {.key = "sanitize_log",
		  .label = "Sanitize status",
		  .help = "Sanitize status (log page 81h)",
		  .type = SSD_OBJ,
		  .sub = fields},
	.name = "sanitize",
	.kind = SSD_PAGE_LOG,
	.id = 0x81,
	.size = 512,
	.derive = derive,
};
