/* SPDX-License-Identifier: MIT */
/*
 * Additional SMART attributes (log page CAh): 12-byte entries in any order, found by their key; 00h is no entry. Layout and
 * meanings from independent implementations that agree: nvme-cli (Intel's and Solidigm's own plugins), SPDK, illumos,
 * FreeBSD, DAOS.
 */
#include "intel.h"

#include <ssdct/le.h>

enum { ENTRY = 12, ENTRIES = 42 };

/* Key, two reserved bytes, normalised value, a reserved byte, 48 bits of value, a reserved byte. */
#define COMMON                                                                                        \
	SSD_U8("id", "ID", 0, .unit = SSD_HEX, .flags = SSD_NO_TEXT, .help = "Key of the attribute"), \
		SSD_U8("normalized", "normalized", 3, .help = "Starts at 100 and falls")
#define RAW(...) SSD_LE_FIELD(6, "raw", "raw", 5, .help = "The 48 bits as they are", ##__VA_ARGS__)
#define COMPUTED(k, l, t, u, h)                                                                      \
	{                                                                                            \
		.key = (k), .label = (l), .help = (h), .type = (t), .unit = (u), .metric = SSD_GAUGE \
	}

static const struct ssd_field counter[] = {COMMON, RAW(.metric = SSD_COUNTER), SSD_FIELD_END};
static const struct ssd_field gauge[] = {COMMON, RAW(.metric = SSD_GAUGE), SSD_FIELD_END};

static const struct ssd_field wear[] = {
	COMMON,
	RAW(.flags = SSD_NO_TEXT),
	SSD_U16("min", "min", 5, .metric = SSD_GAUGE, .help = "Erase cycles of the least used block"),
	SSD_U16("max", "max", 7, .metric = SSD_GAUGE, .help = "Erase cycles of the most used block"),
	SSD_U16("average", "average", 9, .metric = SSD_GAUGE, .help = "Erase cycles on average"),
	SSD_FIELD_END,
};

static const struct ssd_field media_wear[] = {
	COMMON,
	RAW(.flags = SSD_NO_TEXT),
	COMPUTED("percent", "wear", SSD_REAL, SSD_PERCENT,
		 "Wear during the timed workload in percent of the rated cycles; null: nothing measured yet"),
	SSD_FIELD_END,
};

static const struct ssd_field host_reads[] = {
	COMMON,
	RAW(.flags = SSD_NO_TEXT),
	COMPUTED("percent", "reads", SSD_UINT, SSD_PERCENT,
		 "Share of reads in the timed workload; null: nothing measured yet"),
	SSD_FIELD_END,
};

static const struct ssd_field timer[] = {
	COMMON,
	RAW(.flags = SSD_NO_TEXT),
	COMPUTED("minutes", "time", SSD_UINT, SSD_MINUTES,
		 "Length of the timed workload so far; null: nothing measured yet"),
	SSD_FIELD_END,
};

static const struct ssd_field throttle[] = {
	COMMON,
	RAW(.flags = SSD_NO_TEXT),
	SSD_U8("percent", "now", 5, .unit = SSD_PERCENT, .metric = SSD_GAUGE, .help = "Throttling now"),
	SSD_U32("count", "count", 6, .metric = SSD_COUNTER, .help = "Times that throttling was activated"),
	SSD_FIELD_END,
};

/* Newer drives count four things in 8 bytes, two of them reserved otherwise; raw then has no meaning of its own. */
static const struct ssd_field pll[] = {
	COMMON,
	RAW(.metric = SSD_COUNTER),
	{.key = "gain_0", .label = "gain 0", .help = "Newer drives: clock 0 gained", .type = SSD_UINT},
	{.key = "loss_0", .label = "loss 0", .help = "Newer drives: clock 0 lost", .type = SSD_UINT},
	{.key = "gain_1", .label = "gain 1", .help = "Newer drives: clock 1 gained", .type = SSD_UINT},
	{.key = "loss_1", .label = "loss 1", .help = "Newer drives: clock 1 lost", .type = SSD_UINT},
	SSD_FIELD_END,
};

/* The unit is 32 MiB. */
static const struct ssd_field written[] = {
	COMMON,
	RAW(.flags = SSD_NO_TEXT),
	{.key = "bytes",
	 .label = "written",
	 .help = "Bytes written: raw times 33,554,432",
	 .type = SSD_WIDE,
	 .unit = SSD_BYTES,
	 .metric = SSD_COUNTER,
	 .code = SSD_LE,
	 .off = 5,
	 .width = 6,
	 .scale = 33554432},
	SSD_FIELD_END,
};

static const struct ssd_field unknown[] = {
	SSD_U8("id", "ID", 0, .unit = SSD_HEX),
	SSD_U8("normalized", "Normalized", 3),
	RAW(),
	SSD_FIELD_END,
};

#define ATTRIBUTE(i, k, l, fields, ...)                                                                     \
	{                                                                                                   \
		.key = (k), .label = (l), .type = SSD_OBJ, .id = (i), .sub = (fields), .flags = SSD_INLINE, \
		##__VA_ARGS__                                                                               \
	}
/* Attributes that only newer drives have: text leaves them out when the drive does not report them. */
#define NEWER(i, k, l, fields, ...)                                                    \
	{                                                                              \
		.key = (k), .label = (l), .type = SSD_OBJ, .id = (i), .sub = (fields), \
		.flags = SSD_INLINE | SSD_QUIET, ##__VA_ARGS__                         \
	}

static const struct ssd_field attributes[] = {
	ATTRIBUTE(0xab, "program_fail_count", "Program failures", counter),
	ATTRIBUTE(0xac, "erase_fail_count", "Erase failures", counter),
	ATTRIBUTE(0xad, "wear_leveling", "Wear leveling", wear, .help = "Erase cycles of the blocks"),
	ATTRIBUTE(0xb8, "end_to_end_error_count", "End-to-end errors", counter,
		  .help = "End-to-end errors detected and corrected by hardware"),
	ATTRIBUTE(0xc7, "pcie_crc_error_count", "PCIe CRC errors", counter),
	ATTRIBUTE(0xe2, "timed_workload_media_wear", "Timed workload: media wear", media_wear),
	ATTRIBUTE(0xe3, "timed_workload_host_reads", "Timed workload: host reads", host_reads),
	ATTRIBUTE(0xe4, "timed_workload_timer", "Timed workload: timer", timer),
	ATTRIBUTE(0xea, "thermal_throttle", "Thermal throttling", throttle),
	ATTRIBUTE(0xf0, "retry_buffer_overflow_count", "Retry buffer overflows", counter),
	ATTRIBUTE(0xf3, "pll_lock_loss_count", "PLL lock losses", pll),
	ATTRIBUTE(0xf4, "nand_written", "NAND written", written),
	ATTRIBUTE(0xf5, "host_written", "Host written", written),
	NEWER(0x05, "reallocated_sector_count", "Reallocated sectors", counter),
	NEWER(0x0d, "soft_ecc_error_rate", "Soft ECC error rate", gauge),
	NEWER(0xae, "unexpected_power_loss_count", "Unexpected power losses", counter),
	NEWER(0xe5, "read_commands_in_flight", "Read commands in flight", gauge),
	NEWER(0xe6, "write_commands_in_flight", "Write commands in flight", gauge),
	{.key = "bad_tlp_count",
	 .label = "Bad TLPs",
	 .help = "PCIe packets: key C7h on drives that report bad DLLPs or receiver errors as well",
	 .type = SSD_OBJ,
	 .sub = counter,
	 .flags = SSD_INLINE | SSD_QUIET},
	NEWER(0xe7, "bad_dllp_count", "Bad DLLPs", counter),
	NEWER(0xe8, "receiver_error_count", "Receiver errors", counter),
	NEWER(0xee, "re_sku_count", "Re-SKU count", counter),
	NEWER(0xf6, "host_context_wear_used", "Host context wear used", gauge),
	NEWER(0xf7, "performance_status_indicator", "Performance status indicator", gauge),
	NEWER(0xf8, "media_read", "Media read", counter,
	      .help = "Read from the NAND; the unit of raw is not published"),
	NEWER(0xf9, "firmware_downgrades_available", "Firmware downgrades available", gauge),
	NEWER(0xfa, "host_read_collision_count", "Host read collisions", counter),
	NEWER(0xfb, "host_write_collision_count", "Host write collisions", counter),
	NEWER(0xfc, "xor_pass_count", "XOR passes", counter),
	NEWER(0xfd, "xor_fail_count", "XOR failures", counter),
	NEWER(0xfe, "xor_invoked_count", "XOR invocations", counter),
	{.key = "unknown",
	 .label = "Unknown attributes",
	 .help = "Entries whose keys this program does not know",
	 .type = SSD_LIST,
	 .flags = SSD_QUIET,
	 .sub = unknown},
	SSD_FIELD_END,
};

/* E2h, E3h and E4h: after a reset of the workload counters, and until they have run for 60 minutes. */
#define NO_DATA_YET 65535

static void derive_workload(struct ssd_node *page)
{
	struct ssd_node *media = ssd_get_mutable(page, "timed_workload_media_wear");
	struct ssd_node *reads = ssd_get_mutable(page, "timed_workload_host_reads");
	struct ssd_node *time = ssd_get_mutable(page, "timed_workload_timer");
	int64_t raw;

	if (media && (raw = ssd_get_int(media, "raw", NO_DATA_YET)) != NO_DATA_YET)
		ssd_set_real(media, "percent", (double)raw / 1024);
	if (reads && (raw = ssd_get_int(reads, "raw", NO_DATA_YET)) != NO_DATA_YET)
		ssd_set_uint(reads, "percent", (uint64_t)raw);
	if (time && (raw = ssd_get_int(time, "raw", NO_DATA_YET)) != NO_DATA_YET)
		ssd_set_uint(time, "minutes", (uint64_t)raw);
}

/* Key C7h counts bad TLPs on drives that count bad DLLPs (E7h) or receiver errors (E8h) beside them (nvme-cli#3081). */
static void derive_link_errors(size_t len, struct ssd_node *page)
{
	struct ssd_node *crc = ssd_get_mutable(page, "pcie_crc_error_count"), *tlp;

	/* Which of the two it is only the whole page says. */
	if (crc && len < ENTRY * ENTRIES)
		crc->null = true;
	if (!crc || crc->null || (!ssd_get(page, "bad_dllp_count") && !ssd_get(page, "receiver_error_count")))
		return;
	tlp = ssd_set_obj(page, "bad_tlp_count");
	ssd_set_uint(tlp, "id", (uint64_t)ssd_get_int(crc, "id", 0));
	ssd_set_uint(tlp, "normalized", (uint64_t)ssd_get_int(crc, "normalized", 0));
	ssd_set_uint(tlp, "raw", (uint64_t)ssd_get_int(crc, "raw", 0));
	crc->null = true;
}

/* The newer layout shows in the bytes that the older one reserves (nvme-cli#2770). */
static void derive_pll(const uint8_t *buf, size_t len, struct ssd_node *page)
{
	static const char *const members[] = {"gain_0", "loss_0", "gain_1", "loss_1"};
	struct ssd_node *node = ssd_get_mutable(page, "pll_lock_loss_count");
	const uint8_t *entry = buf;

	if (!node)
		return;
	while (*entry != 0xf3 && (size_t)(entry - buf) + 2 * ENTRY <= len)
		entry += ENTRY;
	if (!entry[4] && !entry[11])
		return;
	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		ssd_set_uint(node, members[i], ssd_le16(entry + 4 + 2 * i));
}

static void derive(const uint8_t *buf, size_t len, struct ssd_node *page)
{
	derive_workload(page);
	derive_link_errors(len, page);
	derive_pll(buf, len, page);
}

const struct ssd_page intel_page_smart = {
	.field = {.key = "intel_smart",
		  .label = "Intel additional SMART",
		  .help = "Intel's and Solidigm's additional SMART attributes (log page CAh)",
		  .type = SSD_OBJ,
		  .sub = attributes},
	.name = "intel-smart",
	.kind = SSD_PAGE_LOG,
	.uuid = intel_uuid,
	.id = 0xca,
	.flags = SSD_PAGE_WHOLE,
	.size = 512,
	.command = "smart",
	.keyed = {.off = 0, .stride = ENTRY, .count = ENTRIES, .key_at = 0},
	.derive = derive,
};
