/* SPDX-License-Identifier: MIT */
/*
 * SMART / Health Information Extended (log page C0h): OCP Datacenter NVMe SSD Specification 2.0, section 4.8.6; nvme-cli's
 * OCP plugin has the same offsets. Intel's drives up to the P5510 have another page there, other makers theirs: the GUID at
 * its end says that it is this one, and page 00h or OCP's UUID that there is a page at all.
 */
#include "ocp.h"

const uint8_t ocp_uuid[16] = {0xc1, 0x94, 0xd5, 0x5b, 0xe0, 0x94, 0x47, 0x94,
			      0xa2, 0x1d, 0x29, 0x99, 0x8f, 0x56, 0xbe, 0x6f};
static const uint8_t guid[16] = {0xc5, 0xaf, 0x10, 0x28, 0xea, 0xbf, 0xf2, 0xa4,
				 0x9c, 0x4f, 0x6f, 0x7c, 0xc9, 0x14, 0xd5, 0xaf};

#define COUNTER(bytes, k, l, o, ...) SSD_LE_FIELD(bytes, k, l, o, .metric = SSD_COUNTER, ##__VA_ARGS__)

static const struct ssd_field bad_block_fields[] = {
	COUNTER(6, "raw", "count", 0),
	SSD_U16("normalized", "normalized", 6, .help = "Starts at 100 and falls"),
	SSD_FIELD_END,
};

#define BAD_BLOCKS(k, l, o)                                                                        \
	{                                                                                          \
		.key = (k), .label = (l), .type = SSD_OBJ, .code = SSD_LE, .off = (o), .width = 8, \
		.flags = SSD_INLINE, .sub = bad_block_fields                                       \
	}

static const struct ssd_name throttling_names[] = {
	{0, "none"}, {1, "first level"}, {2, "second level"}, {3, "third level"}, {0, NULL}};

static const struct ssd_field fields[] = {
	SSD_U128("physical_media_written_bytes", "Physical media written", 0, .unit = SSD_BYTES, .metric = SSD_COUNTER),
	SSD_U128("physical_media_read_bytes", "Physical media read", 16, .unit = SSD_BYTES, .metric = SSD_COUNTER),
	BAD_BLOCKS("bad_user_nand_blocks", "Bad user NAND blocks", 32),
	BAD_BLOCKS("bad_system_nand_blocks", "Bad system NAND blocks", 40),
	COUNTER(8, "xor_recovery_count", "XOR recoveries", 48),
	COUNTER(8, "uncorrectable_read_error_count", "Uncorrectable read errors", 56),
	COUNTER(8, "soft_ecc_error_count", "Soft ECC errors", 64),
	COUNTER(4, "end_to_end_detected_errors", "End to end errors detected", 72),
	COUNTER(4, "end_to_end_corrected_errors", "End to end errors corrected", 76),
	SSD_U8("system_data_used_percent", "System data used", 80, .unit = SSD_PERCENT, .metric = SSD_GAUGE),
	COUNTER(7, "refresh_count", "Refreshes", 81),
	SSD_U32("user_data_erase_count_max", "User data erases, maximum", 88, .metric = SSD_GAUGE),
	SSD_U32("user_data_erase_count_min", "User data erases, minimum", 92, .metric = SSD_GAUGE),
	COUNTER(1, "thermal_throttling_events", "Thermal throttling events", 96),
	SSD_ENUM_FIELD("thermal_throttling_status", "Thermal throttling now", 97, 1, throttling_names),
	SSD_U8("spec_errata_version", "OCP errata version", 98, .flags = SSD_NO_TEXT),
	SSD_U16("spec_point_version", "OCP point version", 99, .flags = SSD_NO_TEXT),
	SSD_U16("spec_minor_version", "OCP minor version", 101, .flags = SSD_NO_TEXT),
	SSD_U8("spec_major_version", "OCP major version", 103, .flags = SSD_NO_TEXT),
	COUNTER(8, "pcie_correctable_error_count", "PCIe correctable errors", 104),
	COUNTER(4, "incomplete_shutdowns", "Incomplete shutdowns", 112),
	SSD_U8("free_blocks_percent", "Free blocks", 120, .unit = SSD_PERCENT, .metric = SSD_GAUGE),
	SSD_U16("capacitor_health_percent", "Capacitor health", 128, .unit = SSD_PERCENT, .metric = SSD_GAUGE,
		.null = SSD_NULL_ONES, .help = "Null: the drive has no capacitors to protect"),
	COUNTER(8, "unaligned_io_count", "Unaligned I/O", 136),
	SSD_U64("security_version", "Security version", 144),
	SSD_U64("total_nuse", "Namespace utilization, all (NUSE)", 152),
	COUNTER(16, "plp_start_count", "Power loss protection starts", 160),
	SSD_U128("endurance_estimate_bytes", "Endurance estimate", 176, .unit = SSD_BYTES, .null = SSD_NULL_ZERO),
	COUNTER(8, "pcie_link_retraining_count", "PCIe link retrainings", 192,
		.help = "Since log page version 3: 0 before"),
	COUNTER(8, "power_state_change_count", "Power state changes", 200,
		.help = "Since log page version 3: 0 before"),
	OCP_VERSION(512),
	SSD_FIELD_END,
};

const struct ssd_page ocp_page_smart[] =
	OCP_PAGES(0xc0, 512, guid, .name = "ocp-smart", .command = "smart",
		  OCP_OBJECT("ocp_smart", "OCP extended SMART",
			     "SMART / health information extended, of the OCP Datacenter NVMe SSD Specification "
			     "(log page C0h)",
			     fields));
