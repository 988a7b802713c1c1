/* SPDX-License-Identifier: MIT */
/* OCP's pages: offsets of the specification (bytes from, bytes), written once more; known by their GUIDs alone. */
#include "check.h"
#include "page_image.h"

#include "ocp/ocp.h"

#include <ssdct/admin.h>

static const struct number smart_numbers[] = {
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

static const struct number recovery_numbers[] = {
	{"panic_reset_wait_ms", 0, 2, 1},
	{"panic_reset_action", 2, 1, 1},
	{"device_recovery_action_1", 3, 1, 1},
	{"device_capabilities", 12, 4, 1},
	{"recovery_opcode", 16, 1, 1},
	{"recovery_cdw12", 20, 4, 1},
	{"recovery_cdw13", 24, 4, 1},
	{"recovery_timeout", 28, 1, 1},
	{"device_recovery_action_2", 29, 1, 1},
	{"device_recovery_action_2_timeout", 30, 1, 1},
	{"panic_count", 31, 1, 1},
	{"log_page_version", 494, 2, 1},
};

static const struct number history_numbers[] = {
	{"activation_count", 4, 4, 1},
	{"log_page_version", 4078, 2, 1},
};

/* Of an entry, 64 bytes. */
static const struct number activation_numbers[] = {
	{"activation", 4, 2, 1},     {"power_cycles", 22, 8, 1}, {"slot", 46, 1, 1},
	{"commit_action", 47, 1, 1}, {"result", 48, 2, 1},
};

/* Counters: reserved, deallocate, write, read; stamps and latencies: bucket 3 first, deallocate, write, read. */
#define BUCKET(which, n, counters, stamps, latencies)                             \
	{which "_bucket_" #n ".deallocate_count", (counters) + 4, 4, 1},          \
		{which "_bucket_" #n ".write_count", (counters) + 8, 4, 1},       \
		{which "_bucket_" #n ".read_count", (counters) + 12, 4, 1},       \
		{which "_bucket_" #n ".deallocate_stamp", stamps, 8, 1},          \
		{which "_bucket_" #n ".write_stamp", (stamps) + 8, 8, 1},         \
		{which "_bucket_" #n ".read_stamp", (stamps) + 16, 8, 1},         \
		{which "_bucket_" #n ".deallocate_latency_ms", latencies, 2, 1},  \
		{which "_bucket_" #n ".write_latency_ms", (latencies) + 2, 2, 1}, \
	{                                                                         \
		which "_bucket_" #n ".read_latency_ms", (latencies) + 4, 2, 1     \
	}

static const struct number latency_numbers[] = {
	{"status", 0, 1, 1},
	{"active_timer_minutes", 2, 2, 5},
	{"active_timer_threshold_minutes", 4, 2, 5},
	{"active_latency_configuration", 10, 2, 1},
	{"active_minimum_window_ms", 12, 1, 100},
	BUCKET("active", 0, 0x20, 0xa8, 0xd2),
	BUCKET("active", 1, 0x30, 0x90, 0xcc),
	BUCKET("active", 2, 0x40, 0x78, 0xc6),
	BUCKET("active", 3, 0x50, 0x60, 0xc0),
	{"active_stamp_units", 0xd8, 2, 1},
	BUCKET("static", 0, 0xf0, 0x178, 0x1a2),
	BUCKET("static", 1, 0x100, 0x160, 0x19c),
	BUCKET("static", 2, 0x110, 0x148, 0x196),
	BUCKET("static", 3, 0x120, 0x130, 0x190),
	{"static_stamp_units", 0x1a8, 2, 1},
	{"debug_trigger_enable", 0x1c0, 2, 1},
	{"debug_latency_ms", 0x1c2, 2, 1},
	{"debug_stamp", 0x1c4, 8, 1},
	{"debug_log_pointer", 0x1cc, 2, 1},
	{"debug_trigger_source", 0x1ce, 2, 1},
	{"log_page_version", 0x1ee, 2, 1},
};

static const struct number capabilities_numbers[] = {
	{"pcie_ports", 0, 2, 1},          {"oob_management", 2, 2, 1},
	{"write_zeroes", 4, 2, 1},        {"sanitize", 6, 2, 1},
	{"dataset_management", 8, 2, 1},  {"write_uncorrectable", 10, 2, 1},
	{"fused_operations", 12, 2, 1},   {"minimum_dssd_power_state", 14, 2, 1},
	{"log_page_version", 4078, 2, 1},
};

static const struct number unsupported_numbers[] = {
	{"requirement_count", 0, 2, 1},
	{"log_page_version", 4078, 2, 1},
};

/* GUIDs as the specification writes them: most significant byte first. */
static const struct {
	const struct ssd_page *page;
	uint8_t lid;
	uint32_t size;
	const char *guid;
	const struct number *numbers;
	size_t n;
} all[] = {
	{ocp_page_smart, 0xc0, 512, "AFD514C97C6F4F9CA4F2BFEA2810AFC5", smart_numbers, ARRAY_SIZE(smart_numbers)},
	{ocp_page_error_recovery, 0xc1, 512, "5A1983BA3DFD4DABAE3430FE2131D944", recovery_numbers,
	 ARRAY_SIZE(recovery_numbers)},
	{ocp_page_firmware_history, 0xc2, 4096, "D11CF3AC8AB24DE2A3F6DAB4769A796D", history_numbers,
	 ARRAY_SIZE(history_numbers)},
	{ocp_page_latency, 0xc3, 512, "85D45E58D4E643709C6C84D08CC07A92", latency_numbers, ARRAY_SIZE(latency_numbers)},
	{ocp_page_capabilities, 0xc4, 4096, "B7053C914B58495D98C9E1D10D054297", capabilities_numbers,
	 ARRAY_SIZE(capabilities_numbers)},
	{ocp_page_unsupported, 0xc5, 4096, "C7BB98B7D0324863BB2C23990E9C722F", unsupported_numbers,
	 ARRAY_SIZE(unsupported_numbers)},
};

static void put_guid(uint8_t *end, const char *guid)
{
	for (unsigned i = 0; i < 16; i++) {
		const char byte[] = {guid[2 * i], guid[2 * i + 1], '\0'};

		end[15 - i] = (uint8_t)strtoul(byte, NULL, 16);
	}
}

START_TEST(test_every_number)
{
	for (size_t p = 0; p < ARRAY_SIZE(all); p++) {
		uint8_t bytes[4096];

		fill(bytes, sizeof(bytes));
		ck_assert_uint_eq(all[p].page->id, all[p].lid);
		ck_assert_uint_eq(all[p].page->size, all[p].size);
		check_members(decode(all[p].page, bytes, all[p].size), bytes, all[p].numbers, all[p].n);
		for (size_t len = 0; len <= all[p].size; len++) {
			const struct ssd_node *doc = decode(all[p].page, bytes, len);

			for (size_t i = 0; i < all[p].n; i++)
				ck_assert_msg(!ssd_get(doc, all[p].numbers[i].key) ==
						      (all[p].numbers[i].off + all[p].numbers[i].width > len),
					      "%s.%s cut at %zu", all[p].page->name, all[p].numbers[i].key, len);
		}
	}
}
END_TEST

START_TEST(test_not_reported)
{
	uint8_t bytes[LOG_LEN];
	const struct ssd_node *doc;

	fill(bytes, sizeof(bytes));
	memset(bytes + 128, 0xff, 2);
	ck_assert_ptr_null(ssd_get(decode(ocp_page_smart, bytes, LOG_LEN), "capacitor_health_percent"));
	/* A stamp of all ones: it never happened. */
	memset(bytes + 0xb8, 0xff, 8);
	doc = decode(ocp_page_latency, bytes, LOG_LEN);
	ck_assert_ptr_null(ssd_get(doc, "active_bucket_0.read_stamp"));
	ck_assert_ptr_nonnull(ssd_get(doc, "active_bucket_0.write_stamp"));
}
END_TEST

/* Every GUID, and with any bit of it changed not. */
START_TEST(test_guid)
{
	uint8_t bytes[4096] = {0};

	for (size_t p = 0; p < ARRAY_SIZE(all); p++) {
		const struct ssd_page *page = all[p].page;
		size_t len = all[p].size, at = len - 16;

		memset(bytes, 0, sizeof(bytes));
		ck_assert(!ssd_page_recognise(page, bytes, len));
		put_guid(bytes + at, all[p].guid);
		ck_assert_msg(ssd_page_recognise(page, bytes, len), "%s", page->name);
		ck_assert(!ssd_page_recognise(page, bytes, len - 1));
		ck_assert(!ssd_page_recognise(page, bytes, 0));
		for (unsigned i = 0; i < 128; i++) {
			bytes[at + i / 8] ^= (uint8_t)(1u << i % 8);
			ck_assert(!ssd_page_recognise(page, bytes, len));
			bytes[at + i / 8] ^= (uint8_t)(1u << i % 8);
		}
		for (size_t other = 0; other < ARRAY_SIZE(all); other++)
			ck_assert(other == p || !ssd_page_recognise(all[other].page, bytes, len));
	}
	ck_assert(ssd_page_recognise(&ssd_page_smart, bytes, LOG_LEN)); /* a page without a signature */
}
END_TEST

START_TEST(test_recovery)
{
	uint8_t bytes[LOG_LEN] = {[2] = 0x21, [12] = 0x02, [32] = 7, [40] = 6, [47] = 0xff, [494] = 3};
	const struct ssd_node *doc = decode(ocp_page_error_recovery, bytes, LOG_LEN), *ids;

	ck_assert_int_eq(ssd_get_int(doc, "panic_reset_action.controller_reset", -1), 1);
	ck_assert_int_eq(ssd_get_int(doc, "panic_reset_action.power_cycle", -1), 0);
	ck_assert_int_eq(ssd_get_int(doc, "panic_reset_action.hot_reset", -1), 1);
	ck_assert_int_eq(ssd_get_int(doc, "device_capabilities.asynchronous_event", -1), 0);
	ck_assert_int_eq(ssd_get_int(doc, "device_capabilities.fatal_status", -1), 1);
	ids = ssd_get(doc, "previous_panics");
	ck_assert_ptr_null(ssd_get(doc, "panic_id"));
	ck_assert_str_eq(ssd_get_str(ids->child, "panic_id", "none"), "0000000000000007");
	ck_assert_str_eq(ssd_get_str(ids->child->next, "panic_id", "none"), "ff00000000000006");
	ck_assert_ptr_null(ids->child->next->next);
}
END_TEST

/* What a version of the page does not have is not reported. */
START_TEST(test_recovery_versions)
{
	static const struct {
		const char *key;
		unsigned since;
	} members[] = {{"recovery_opcode", 1},          {"recovery_cdw13", 1}, {"recovery_timeout", 2},
		       {"device_recovery_action_2", 2}, {"panic_count", 3},    {"device_recovery_action_2_timeout", 2},
		       {"previous_panics", 3}};

	for (uint8_t version = 1; version <= 4; version++)
		for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
			uint8_t bytes[LOG_LEN] = {[494] = version};
			const struct ssd_node *doc = decode(ocp_page_error_recovery, bytes, LOG_LEN);

			ck_assert_msg(!!ssd_get(doc, members[i].key) == (version >= members[i].since), "%s in %u",
				      members[i].key, version);
		}
}
END_TEST

/* As many entries as it says, 20 at most. */
START_TEST(test_history)
{
	static const unsigned said[] = {0, 1, 20, 21, 0xffffffff};
	uint8_t bytes[4096];

	for (size_t i = 0; i < ARRAY_SIZE(said); i++) {
		const struct ssd_node *doc;
		unsigned n = 0;

		fill(bytes, sizeof(bytes));
		ssd_put_le(bytes + 4, 4, said[i]);
		doc = decode(ocp_page_firmware_history, bytes, sizeof(bytes));
		for (const struct ssd_node *e = ssd_get(doc, "activations")->child; e; e = e->next, n++)
			check_members(e, bytes + 8 + (size_t)64 * n, activation_numbers,
				      ARRAY_SIZE(activation_numbers));
		ck_assert_uint_eq(n, said[i] < 20 ? said[i] : 20);
	}
}
END_TEST

static const char *time_of(uint8_t origin)
{
	uint8_t bytes[4096] = {[4] = 1, [8 + 6 + 6] = origin};

	ssd_put_le(bytes + 8 + 6, 6, UINT64_C(1767323045678));
	put_text(bytes + 8 + 30, "8DV10131");
	put_text(bytes + 8 + 38, "8DV10171");
	return ssd_get_str(ssd_get(decode(ocp_page_firmware_history, bytes, sizeof(bytes)), "activations")->child,
			   "time", "none");
}

/* The drive's clock is UTC only when a host has set it. */
START_TEST(test_history_time)
{
	ck_assert_str_eq(time_of(1 << 1), "2026-01-02T03:04:05.678Z");
	ck_assert_str_eq(time_of(0), "none");
}
END_TEST

START_TEST(test_thresholds)
{
	uint8_t bytes[LOG_LEN] = {[6] = 0, [7] = 0x13, [8] = 0x1e, [9] = 0xff};
	const struct ssd_node *doc = decode(ocp_page_latency, bytes, LOG_LEN);

	ck_assert_int_eq(ssd_get_int(doc, "threshold_a_ms", -1), 5);
	ck_assert_int_eq(ssd_get_int(doc, "threshold_b_ms", -1), 100);
	ck_assert_int_eq(ssd_get_int(doc, "threshold_c_ms", -1), 155);
	ck_assert_int_eq(ssd_get_int(doc, "threshold_d_ms", -1), 1280);
	doc = decode(ocp_page_latency, bytes, 7);
	ck_assert_int_eq(ssd_get_int(doc, "threshold_a_ms", -1), 5);
	ck_assert_ptr_null(ssd_get(doc, "threshold_b_ms"));
}
END_TEST

/* Bit k of three per bucket: read, write, deallocate of bucket 0 and so on. */
START_TEST(test_counter_bits)
{
	static const char *const names[] = {"bucket_0_read", "bucket_0_write", "bucket_0_deallocate",
					    "bucket_1_read", "bucket_1_write", "bucket_1_deallocate",
					    "bucket_2_read", "bucket_2_write", "bucket_2_deallocate",
					    "bucket_3_read", "bucket_3_write", "bucket_3_deallocate"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		uint8_t bytes[LOG_LEN] = {0};
		const struct ssd_node *doc;

		ssd_put_le(bytes + 0x1c0, 2, UINT64_C(1) << i);
		doc = ssd_get(decode(ocp_page_latency, bytes, LOG_LEN), "debug_trigger_enable");
		for (size_t k = 0; k < ARRAY_SIZE(names); k++)
			ck_assert_int_eq(ssd_get_int(doc, names[k], -1), k == i);
	}
}
END_TEST

START_TEST(test_power_states)
{
	uint8_t bytes[4096] = {[16 + 8] = 0x83, [16 + 9] = 0x04, [16 + 25] = 0x80, [16 + 127] = 0xff};
	static const int states[][2] = {{8, 3}, {25, 0}, {127, 31}};
	const struct ssd_node *doc = decode(ocp_page_capabilities, bytes, sizeof(bytes));
	const struct ssd_node *e = ssd_get(doc, "power_states")->child;

	for (size_t i = 0; i < ARRAY_SIZE(states); i++, e = e->next) {
		ck_assert_int_eq(ssd_get_int(e, "dssd_power_state", -1), states[i][0]);
		ck_assert_int_eq(ssd_get_int(e, "nvme_power_state", -1), states[i][1]);
	}
	ck_assert_ptr_null(e);
}
END_TEST

/* 16 bytes each, padded with zeros, and full ones without a NUL. */
START_TEST(test_requirements)
{
	uint8_t bytes[4096] = {3};
	const struct ssd_node *n;

	put_text(bytes + 16, "NVMe-IO-5");
	put_text(bytes + 32, "ABCDEFGHIJKLMNOP");
	put_text(bytes + 48, "SEC-1");
	put_text(bytes + 64, "not counted");
	n = ssd_get(decode(ocp_page_unsupported, bytes, sizeof(bytes)), "requirements")->child;
	ck_assert_str_eq(n->s, "NVMe-IO-5");
	ck_assert_str_eq(n->next->s, "ABCDEFGHIJKLMNOP");
	ck_assert_str_eq(n->next->next->s, "SEC-1");
	ck_assert_ptr_null(n->next->next->next);
	/* A name that has not arrived whole is none. */
	n = ssd_get(decode(ocp_page_unsupported, bytes, 47), "requirements")->child;
	ck_assert_ptr_null(n->next);
	memset(bytes, 0xff, 2);
	n = ssd_get(decode(ocp_page_unsupported, bytes, sizeof(bytes)), "requirements")->child;
	for (unsigned i = 0; i < 253; i++, n = n->next)
		ck_assert_ptr_nonnull(n);
	ck_assert_ptr_null(n);
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

CHECK_MAIN("ocp", test_every_number, test_not_reported, test_guid, test_recovery, test_recovery_versions, test_history,
	   test_history_time, test_thresholds, test_counter_bits, test_power_states, test_requirements, test_announced)
