/* SPDX-License-Identifier: MIT */
/*
 * OCP's SMART page (log page C0h) of the P5520 and later, where earlier drives have Intel's directory; its last 16 bytes say
 * what it is (OCP Datacenter NVMe SSD Specification, SMART-01 to SMART-31; offsets as in nvme-cli, plugins/ocp). Members that only
 * later versions of the page have are left out.
 */
#include "intel.h"

#include <ssdct/le.h>

#define COUNT(bytes, k, l, o, ...) SSD_LE_FIELD(bytes, k, l, o, .metric = SSD_COUNTER, ##__VA_ARGS__)
#define GAUGE(bytes, k, l, o, ...) SSD_LE_FIELD(bytes, k, l, o, .metric = SSD_GAUGE, ##__VA_ARGS__)

static const struct ssd_field fields[] = {
	SSD_U16("log_page_version", "Page version", 494),
	SSD_U128("media_written_bytes", "Physical media written", 0, .unit = SSD_BYTES, .metric = SSD_COUNTER),
	SSD_U128("media_read_bytes", "Physical media read", 16, .unit = SSD_BYTES, .metric = SSD_COUNTER),
	COUNT(6, "bad_user_blocks", "Bad user NAND blocks", 32),
	GAUGE(2, "bad_user_blocks_normalized", "Bad user NAND blocks, normalized", 38),
	COUNT(6, "bad_system_blocks", "Bad system NAND blocks", 40, .null = SSD_NULL_ONES),
	GAUGE(2, "bad_system_blocks_normalized", "Bad system NAND blocks, normalized", 46, .null = SSD_NULL_ONES),
	COUNT(8, "xor_recovery_count", "XOR recoveries", 48),
	COUNT(8, "uncorrectable_read_errors", "Uncorrectable read errors", 56),
	COUNT(8, "soft_ecc_errors", "Soft ECC errors", 64),
	COUNT(4, "end_to_end_detected_errors", "End-to-end errors detected", 72),
	COUNT(4, "end_to_end_corrected_errors", "End-to-end errors corrected", 76),
	GAUGE(1, "system_data_used_percent", "System data used", 80, .unit = SSD_PERCENT),
	COUNT(7, "refresh_count", "Refreshes", 81),
	GAUGE(4, "erase_count_max", "Erase count, maximum", 88),
	GAUGE(4, "erase_count_min", "Erase count, minimum", 92),
	COUNT(1, "thermal_throttling_events", "Thermal throttling events", 96),
	GAUGE(1, "thermal_throttling_status", "Thermal throttling now", 97),
	COUNT(8, "pcie_correctable_errors", "PCIe correctable errors", 104),
	COUNT(4, "incomplete_shutdowns", "Incomplete shutdowns", 112),
	GAUGE(1, "free_blocks_percent", "Free blocks", 120, .unit = SSD_PERCENT),
	GAUGE(2, "capacitor_health_percent", "Capacitor health", 128, .unit = SSD_PERCENT, .null = SSD_NULL_ONES),
	COUNT(8, "unaligned_io", "Unaligned I/O", 136),
	SSD_U64("security_version", "Security version", 144),
	GAUGE(8, "utilization_blocks", "Utilization", 152, .help = "NUSE of all namespaces"),
	SSD_U128("plp_start_count", "Power-loss protection starts", 160, .metric = SSD_COUNTER),
	SSD_U128("endurance_estimate_bytes", "Endurance estimate", 176, .unit = SSD_BYTES),
	SSD_FIELD_END,
};

static const uint8_t guid[16] = {0xc5, 0xaf, 0x10, 0x28, 0xea, 0xbf, 0xf2, 0xa4,
				 0x9c, 0x4f, 0x6f, 0x7c, 0xc9, 0x14, 0xd5, 0xaf};

/* Another page, or one that is cut: none of it is what the table says. */
static void derive(const uint8_t *buf, size_t len, struct ssd_node *obj)
{
	if (len >= 512 && !memcmp(buf + 512 - sizeof(guid), guid, sizeof(guid)))
		return;
	for (struct ssd_node *n = obj->child; n; n = n->next)
		n->null = true;
}

const struct ssd_page intel_page_ocp_smart = {
	.field = {.key = "ocp_smart",
		  .label = "OCP SMART / health",
		  .help = "OCP's extended SMART attributes (log page C0h of later drives)",
		  .type = SSD_OBJ,
		  .sub = fields},
	.name = "ocp-smart",
	.kind = SSD_PAGE_LOG,
	.id = 0xc0,
	.size = 512,
	.command = "smart",
	.derive = derive,
};
