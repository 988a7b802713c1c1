/* SPDX-License-Identifier: MIT */
/* OCP's extended SMART page: offsets of the specification (bytes from, bytes), written once more; known by its GUID alone. */
#include "check.h"
#include "page_image.h"

#include "ocp/ocp.h"

#include <ssdct/admin.h>

static const struct number numbers[] = {
	{"physical_media_written_bytes", 0, 16, 1},
	{"physical_media_read_bytes", 16, 16, 1},
	{"bad_user_nand_blocks.raw", 32, 6, 1},
	{"bad_user_nand_blocks.normalized", 38, 2, 1},
	{"bad_system_nand_blocks.raw", 40, 6, 1},
	{"bad_system_nand_blocks.normalized", 46, 2, 1},
	{"xor_recovery_count", 48, 8, 1},
	{"uncorrectable_read_error_count", 56, 8, 1},
	{"soft_ecc_error_count", 64, 8, 1},
	{"end_to_end_detected_errors", 72, 4, 1},
	{"end_to_end_corrected_errors", 76, 4, 1},
	{"system_data_used_percent", 80, 1, 1},
	{"refresh_count", 81, 7, 1},
	{"user_data_erase_count_max", 88, 4, 1},
	{"user_data_erase_count_min", 92, 4, 1},
	{"thermal_throttling_events", 96, 1, 1},
	{"thermal_throttling_status", 97, 1, 1},
	{"spec_errata_version", 98, 1, 1},
	{"spec_point_version", 99, 2, 1},
	{"spec_minor_version", 101, 2, 1},
	{"spec_major_version", 103, 1, 1},
	{"pcie_correctable_error_count", 104, 8, 1},
	{"incomplete_shutdowns", 112, 4, 1},
	{"free_blocks_percent", 120, 1, 1},
	{"capacitor_health_percent", 128, 2, 1},
	{"unaligned_io_count", 136, 8, 1},
	{"security_version", 144, 8, 1},
	{"total_nuse", 152, 8, 1},
	{"plp_start_count", 160, 16, 1},
	{"endurance_estimate_bytes", 176, 16, 1},
	{"pcie_link_retraining_count", 192, 8, 1},
	{"power_state_change_count", 200, 8, 1},
	{"log_page_version", 494, 2, 1},
};

/* AFD514C97C6F4F9CA4F2BFEA2810AFC5h in bytes 511:496. */
static const uint8_t guid[16] = {0xc5, 0xaf, 0x10, 0x28, 0xea, 0xbf, 0xf2, 0xa4,
				 0x9c, 0x4f, 0x6f, 0x7c, 0xc9, 0x14, 0xd5, 0xaf};

START_TEST(test_every_number)
{
	uint8_t bytes[LOG_LEN];

	fill(bytes, sizeof(bytes));
	check_members(decode(ocp_page_smart, bytes, LOG_LEN), bytes, numbers, ARRAY_SIZE(numbers));
	for (size_t len = 0; len <= LOG_LEN; len++) {
		const struct ssd_node *doc = decode(ocp_page_smart, bytes, len);

		for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
			ck_assert_msg(!ssd_get(doc, numbers[i].key) == (numbers[i].off + numbers[i].width > len),
				      "%s cut at %zu", numbers[i].key, len);
	}
	memset(bytes + 128, 0xff, 2);
	ck_assert_ptr_null(ssd_get(decode(ocp_page_smart, bytes, LOG_LEN), "capacitor_health_percent"));
}
END_TEST

START_TEST(test_guid)
{
	uint8_t bytes[LOG_LEN] = {0};

	ck_assert(!ssd_page_recognise(ocp_page_smart, bytes, LOG_LEN));
	memcpy(bytes + 496, guid, sizeof(guid));
	ck_assert(ssd_page_recognise(ocp_page_smart, bytes, LOG_LEN));
	ck_assert(!ssd_page_recognise(ocp_page_smart, bytes, LOG_LEN - 1));
	ck_assert(!ssd_page_recognise(ocp_page_smart, bytes, 0));
	for (unsigned i = 0; i < 128; i++) {
		bytes[496 + i / 8] ^= (uint8_t)(1u << i % 8);
		ck_assert(!ssd_page_recognise(ocp_page_smart, bytes, LOG_LEN));
		bytes[496 + i / 8] ^= (uint8_t)(1u << i % 8);
	}
	ck_assert(ssd_page_recognise(&ssd_page_smart, bytes, LOG_LEN)); /* a page without a signature */
}
END_TEST

/* Read only where page 00h has said that it is there. */
START_TEST(test_announced)
{
	static const struct ssd_page *const pages[] = {ocp_page_smart, NULL};
	static const struct ssd_vendor vendor = {.name = "test", .pages = pages};
	static const struct ssd_host simulated = {.backend = SSD_BACKEND_SIMULATED},
				     recorded = {.backend = SSD_BACKEND_RECORDED};
	struct ssd_cmd cmd = {.opcode = 0x02, .cdw10 = 0x80c0};
	struct ssd_drive drive = {.host = &simulated};
	struct ssd_device dev = {.drive = &drive, .vendor = &vendor};

	ck_assert(!ssd_is_read(&dev, &cmd));
	dev.supported_logs_state = SSD_LOGS_READ;
	ck_assert(!ssd_is_read(&dev, &cmd));
	dev.supported_logs[0xc0 / 8] = 1;
	ck_assert(ssd_is_read(&dev, &cmd));
	dev.supported_logs_state = SSD_LOGS_UNREADABLE;
	ck_assert(!ssd_is_read(&dev, &cmd));
	drive.host = &recorded;
	ck_assert(ssd_is_read(&dev, &cmd));
	dev.vendor = NULL;
	ck_assert(!ssd_is_read(&dev, &cmd));
}
END_TEST

CHECK_MAIN("ocp", test_every_number, test_guid, test_announced)
