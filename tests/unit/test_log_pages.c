/* SPDX-License-Identifier: MIT */
/*
 * The standard log pages with the values that drives have been reported to send (bug corpus 1, 12, 14, 18 to 21, 23, 24,
 * 27, 29, 58).
 */
#include "check.h"
#include "page_image.h"

#include <libnvme.h>
#include <ssdct/device.h>

#define WIDE(m, k) AT(nvme_smart_log, m, k, 1)
static const struct number counters[] = {
	WIDE(data_units_read, "data_units_read"),
	WIDE(data_units_written, "data_units_written"),
	WIDE(host_reads, "host_read_commands"),
	WIDE(host_writes, "host_write_commands"),
	WIDE(ctrl_busy_time, "controller_busy_minutes"),
	WIDE(power_cycles, "power_cycles"),
	WIDE(power_on_hours, "power_on_hours"),
	WIDE(unsafe_shutdowns, "unsafe_shutdowns"),
	WIDE(media_errors, "media_errors"),
	WIDE(num_err_log_entries, "error_log_entries"),
};

/* Bug corpus 1: 2^64-1, 2^64, 2^128-1 with all their digits; the number is clamped at 2^63-1. */
START_TEST(test_128_bit_counters)
{
	static const struct {
		uint64_t hi, lo;
		const char *number, *digits;
	} values[] = {
		{0, 0, "0", "0"},
		{0, 12345678901234567890u, "9223372036854775807", "12345678901234567890"},
		{0, INT64_MAX, "9223372036854775807", "9223372036854775807"},
		{0, UINT64_MAX, "9223372036854775807", "18446744073709551615"},
		{1, 0, "9223372036854775807", "18446744073709551616"},
		{UINT64_MAX, UINT64_MAX, "9223372036854775807", "340282366920938463463374607431768211455"},
	};

	for (size_t v = 0; v < ARRAY_SIZE(values); v++) {
		for (size_t i = 0; i < ARRAY_SIZE(counters); i++) {
			uint8_t bytes[LOG_LEN] = {0};

			ssd_put_le(bytes + counters[i].off, 8, values[v].lo);
			ssd_put_le(bytes + counters[i].off + 8, 8, values[v].hi);
			check_wide(&ssd_page_smart, bytes, LOG_LEN, counters[i].key, values[v].number,
				   values[v].digits);
		}
	}
}
END_TEST

/* Bug corpus 12: a data unit is 512,000 bytes whatever the LBA format. 2^64 units are more than 63 bits of bytes. */
START_TEST(test_data_units)
{
	uint8_t bytes[LOG_LEN] = {[32] = 1, [48] = 2};

	check_wide(&ssd_page_smart, bytes, LOG_LEN, "data_read_bytes", "512000", "512000");
	check_wide(&ssd_page_smart, bytes, LOG_LEN, "data_written_bytes", "1024000", "1024000");
	ssd_put_le(bytes + 32, 8, UINT64_MAX);
	/* (2^64 - 1) * 512000 */
	check_wide(&ssd_page_smart, bytes, LOG_LEN, "data_read_bytes", "9223372036854775807",
		   "9444732965739290426880000");
	memset(bytes + 48, 0xff, 16);
	/* (2^128 - 1) * 512000: more than 128 bits, and all digits are there */
	check_wide(&ssd_page_smart, bytes, LOG_LEN, "data_written_bytes", "9223372036854775807",
		   "174224571863520493293247799005065324264960000");
}
END_TEST

static const struct ssd_node *smart_with(size_t off, unsigned width, uint64_t value)
{
	uint8_t bytes[LOG_LEN] = {0};

	ssd_put_le(bytes + off, width, value);
	return decode(&ssd_page_smart, bytes, LOG_LEN);
}

/* Bug corpus 14, 21: 0 K is not reported, 253 K is 20 below zero, 273 K is a reading. */
START_TEST(test_composite_temperature)
{
	static const struct {
		unsigned kelvin;
		int celsius;
	} rows[] = {{253, -20}, {273, 0}, {274, 1}, {311, 38}, {65535, 65262}};

	ck_assert_ptr_null(ssd_get(smart_with(1, 2, 0), "temperature_celsius"));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		ck_assert_int_eq(ssd_get_int(smart_with(1, 2, rows[i].kelvin), "temperature_celsius", -999),
				 rows[i].celsius);
}
END_TEST

/* Bug corpus 23: a sparse list that keeps the numbers of the sensors; one at the freezing point is there. */
START_TEST(test_temperature_sensors)
{
	uint8_t bytes[LOG_LEN] = {0};
	const struct ssd_node *doc, *item;

	ssd_put_le(bytes + 202, 2, 354);
	ssd_put_le(bytes + 206, 2, 273);
	ssd_put_le(bytes + 214, 2, 253);
	doc = decode(&ssd_page_smart, bytes, LOG_LEN);
	item = ssd_get(doc, "temperature_sensors")->child;
	ck_assert_int_eq(ssd_get_int(item, "sensor", -1), 2);
	ck_assert_int_eq(ssd_get_int(item, "celsius", -1), 81);
	item = item->next;
	ck_assert_int_eq(ssd_get_int(item, "sensor", -1), 4);
	ck_assert_int_eq(ssd_get_int(item, "celsius", -1), 0);
	item = item->next;
	ck_assert_int_eq(ssd_get_int(item, "sensor", -1), 8);
	ck_assert_int_eq(ssd_get_int(item, "celsius", -1), -20);
	ck_assert_ptr_null(item->next);
	doc = decode(&ssd_page_smart, bytes, 203);
	ck_assert_ptr_null(ssd_get(doc, "temperature_sensors")->child);
	ck_assert_ptr_null(ssd_get(decode(&ssd_page_smart, bytes, 200), "temperature_sensors"));
}
END_TEST

/* Bug corpus 18, 19, 24: what the drive says, whatever it is. */
START_TEST(test_percentages_and_minutes)
{
	static const unsigned used[] = {0, 91, 100, 101, 161, 254, 255};
	uint8_t bytes[LOG_LEN] = {[3] = 100, [4] = 10, [5] = 91, [96] = 7};
	const struct ssd_node *doc = decode(&ssd_page_smart, bytes, LOG_LEN);

	ck_assert_int_eq(ssd_get_int(doc, "available_spare_percent", -1), 100);
	ck_assert_int_eq(ssd_get_int(doc, "available_spare_threshold_percent", -1), 10);
	ck_assert_int_eq(ssd_get_int(doc, "percentage_used", -1), 91);
	ck_assert_int_eq(ssd_get_int(doc, "controller_busy_minutes", -1), 7);
	ck_assert_int_eq(ssd_get(doc, "controller_busy_minutes")->field->unit, SSD_MINUTES);
	for (size_t i = 0; i < ARRAY_SIZE(used); i++)
		ck_assert_int_eq(ssd_get_int(smart_with(5, 1, used[i]), "percentage_used", -1), used[i]);
}
END_TEST

/* Bug corpus 20: several bits at once stand each for itself, reserved ones are named. */
START_TEST(test_critical_warning)
{
	const struct ssd_node *doc = smart_with(0, 1, 0x1f);

	ck_assert_int_eq(ssd_get_int(doc, "critical_warning.value", -1), 0x1f);
	ck_assert_int_eq(ssd_get_int(doc, "critical_warning.volatile_backup", -1), 1);
	ck_assert_int_eq(ssd_get_int(doc, "critical_warning.persistent_memory", -1), 0);
	doc = smart_with(0, 1, 0xe0);
	ck_assert_int_eq(ssd_get_int(doc, "critical_warning.persistent_memory", -1), 1);
	ck_assert_int_eq(ssd_get_int(doc, "critical_warning.reserved_6", -1), 1);
	ck_assert_int_eq(ssd_get_int(doc, "critical_warning.reserved_7", -1), 1);
	ck_assert_int_eq(ssd_get_int(doc, "critical_warning.available_spare", -1), 0);
}
END_TEST

/* Bug corpus 58: slots with text, blanks, NULs and rubbish; next slot. */
START_TEST(test_firmware_slots)
{
	uint8_t bytes[LOG_LEN] = {[0] = 0x21};
	const struct ssd_node *doc, *slot;

	put_text(bytes + 8, "8DV10131");
	put_text(bytes + 16, "8DV1\xff  ");
	memset(bytes + 24, ' ', 8);
	doc = decode(&ssd_page_fw_slot, bytes, LOG_LEN);
	ck_assert_int_eq(ssd_get_int(doc, "running", -1), 1);
	ck_assert_int_eq(ssd_get_int(doc, "next", -1), 2);
	slot = ssd_get(doc, "slots")->child;
	for (int i = 1; i <= 7; i++, slot = slot->next) {
		ck_assert_ptr_nonnull(slot);
		ck_assert_int_eq(ssd_get_int(slot, "slot", -1), i);
		ck_assert_int_eq(ssd_get_int(slot, "running", -1), i == 1);
		ck_assert_int_eq(ssd_get_int(slot, "next", -1), i == 2);
		ck_assert_str_eq(ssd_get_str(slot, "revision", "-"), i == 1 ? "8DV10131" : i == 2 ? "8DV1\\xFF" : "-");
	}
	ck_assert_ptr_null(slot);
	bytes[0] = 0x01;
	ck_assert_ptr_null(ssd_get(decode(&ssd_page_fw_slot, bytes, LOG_LEN), "next"));
	bytes[0] = 0;
	ck_assert_ptr_null(ssd_get(decode(&ssd_page_fw_slot, bytes, LOG_LEN), "running"));
	ck_assert_ptr_null(ssd_get(decode(&ssd_page_fw_slot, bytes, 0), "afi"));
	/* A revision cut in its middle is none. */
	slot = ssd_get(decode(&ssd_page_fw_slot, bytes, 20), "slots")->child;
	ck_assert_str_eq(ssd_get_str(slot, "revision", "-"), "8DV10131");
	ck_assert_str_eq(ssd_get_str(slot->next, "revision", "-"), "-");
}
END_TEST

static const struct number error_numbers[] = {
	AT(nvme_error_log_page, error_count, "error_count", 1),
	AT(nvme_error_log_page, sqid, "sqid", 1),
	AT(nvme_error_log_page, cmdid, "cmdid", 1),
	AT(nvme_error_log_page, parm_error_location, "parameter_error_location", 1),
	AT(nvme_error_log_page, lba, "lba", 1),
	AT(nvme_error_log_page, nsid, "nsid", 1),
	AT(nvme_error_log_page, vs, "vendor_log_page", 1),
	AT(nvme_error_log_page, trtype, "transport", 1),
	AT(nvme_error_log_page, cs, "command_specific", 1),
	AT(nvme_error_log_page, trtype_spec_info, "transport_specific", 1),
};

START_TEST(test_error_entry)
{
	uint8_t bytes[64];
	const struct ssd_node *entry;

	fill(bytes, sizeof(bytes));
	bytes[12] = 0x05; /* phase tag, Invalid Field with Do Not Retry and More: 6002h */
	bytes[13] = 0xc0;
	bytes[14] = 40;
	bytes[15] = 3;
	bytes[63] = 1;
	entry = ssd_get(decode(&ssd_page_error_log, bytes, 64), "entries")->child;
	for (size_t i = 0; i < ARRAY_SIZE(error_numbers); i++) {
		const struct number *r = &error_numbers[i];
		uint64_t want = 0;

		for (size_t b = 0; b < r->width; b++)
			want += (uint64_t)bytes[r->off + b] << 8 * b;
		ck_assert_msg(ssd_get_int(entry, r->key, -1) == (want > INT64_MAX ? INT64_MAX : (int64_t)want), "%s",
			      r->key);
	}
	ck_assert_int_eq(ssd_get_int(entry, "status.value", -1), 0x6002);
	ck_assert_str_eq(ssd_get_str(entry, "status.hex", ""), "0x6002");
	ck_assert_str_eq(ssd_get_str(entry, "status.name", ""), "Invalid Field in Command");
	ck_assert_int_eq(ssd_get_int(entry, "status.type", -1), 0);
	ck_assert_int_eq(ssd_get_int(entry, "status.code", -1), 2);
	ck_assert_int_eq(ssd_get_int(entry, "status.do_not_retry", -1), 1);
	ck_assert_int_eq(ssd_get_int(entry, "status.more", -1), 1);
	ck_assert_int_eq(ssd_get_int(entry, "phase_tag", -1), 1);
	ck_assert_int_eq(ssd_get_int(entry, "parameter_error_location.byte", -1), 40);
	ck_assert_int_eq(ssd_get_int(entry, "parameter_error_location.bit", -1), 3);
	ck_assert_int_eq(ssd_get_int(entry, "csi", -1), bytes[30]);
	ck_assert_int_eq(ssd_get_int(entry, "opcode", -1), bytes[31]);
	bytes[63] = 0;
	entry = ssd_get(decode(&ssd_page_error_log, bytes, 64), "entries")->child;
	ck_assert_ptr_null(ssd_get(entry, "opcode"));
}
END_TEST

/* Bug corpus 27: entries with a count of 0 are unused, in the middle as well. FFFFh: of no particular command. */
START_TEST(test_unused_error_entries)
{
	uint8_t bytes[4096] = {0};
	const struct ssd_node *entry;

	ck_assert_ptr_null(ssd_get(decode(&ssd_page_error_log, bytes, 4096), "entries")->child);
	bytes[64] = 9;
	memset(bytes + 64 + 8, 0xff, 4);
	memset(bytes + 64 + 14, 0xff, 2);
	ssd_put_le(bytes + 64 + 12, 2, 0x2281 << 1);
	bytes[63 * 64] = 8;
	entry = ssd_get(decode(&ssd_page_error_log, bytes, 4096), "entries")->child;
	ck_assert_int_eq(ssd_get_int(entry, "entry", -1), 1);
	ck_assert_int_eq(ssd_get_int(entry, "error_count", -1), 9);
	ck_assert_ptr_null(ssd_get(entry, "sqid"));
	ck_assert_ptr_null(ssd_get(entry, "cmdid"));
	ck_assert_ptr_null(ssd_get(entry, "parameter_error_location"));
	ck_assert_ptr_null(ssd_get(entry, "nsid"));
	ck_assert_int_eq(ssd_get_int(entry, "status.value", -1), 0x2281);
	ck_assert_int_eq(ssd_get_int(entry, "status.type", -1), 2);
	ck_assert_str_eq(ssd_get_str(entry, "status.name", ""), "Unrecovered Read Error");
	entry = entry->next;
	ck_assert_int_eq(ssd_get_int(entry, "entry", -1), 63);
	ck_assert_int_eq(ssd_get_int(entry, "sqid", -1), 0);
	ck_assert_ptr_null(entry->next);
}
END_TEST

START_TEST(test_error_log_cut_at_every_length)
{
	uint8_t bytes[256];

	fill(bytes, sizeof(bytes));
	for (size_t len = 0; len <= sizeof(bytes); len++) {
		const struct ssd_node *list = ssd_get(decode(&ssd_page_error_log, bytes, len), "entries");
		size_t n = 0;

		for (const struct ssd_node *e = list ? list->child : NULL; e; e = e->next, n++) {
			ck_assert_int_eq(!ssd_get(e, "status"), n * 64 + 14 > len);
			ck_assert_int_eq(!ssd_get(e, "command_specific"), n * 64 + 40 > len);
		}
		ck_assert_uint_eq(n, (len + 56) / 64); /* an entry begins with the 8 bytes of its count */
	}
}
END_TEST

/* Bug corpus 29: ELPE + 1 entries of 64 bytes, never more than 4 KiB. */
START_TEST(test_error_log_size)
{
	static const struct {
		uint8_t elpe;
		uint32_t bytes;
	} rows[] = {{0, 64}, {3, 256}, {62, 4032}, {63, 4096}, {64, 4096}, {255, 4096}};
	uint8_t id[ID_LEN] = {0};
	struct ssd_device dev = {.id_ctrl = id, .id_ctrl_len = ID_LEN};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		id[262] = rows[i].elpe;
		ck_assert_uint_eq(ssd_page_error_log.size_of(&dev), rows[i].bytes);
	}
	ck_assert_uint_eq(ssd_page_error_log.size_of(&(struct ssd_device){0}), 64);
}
END_TEST

START_TEST(test_supported_logs)
{
	uint8_t bytes[1024] = {[4] = 1, [8] = 3, [10] = 0x34, [11] = 0x12, [12] = 2, [4 * 0xca] = 1};
	const struct ssd_node *page = ssd_get(decode(&ssd_page_supported_logs, bytes, 1024), "pages")->child;

	ck_assert_int_eq(ssd_get_int(page, "lid", -1), 1);
	ck_assert_int_eq(ssd_get_int(page, "ios", -1), 0);
	page = page->next;
	ck_assert_int_eq(ssd_get_int(page, "lid", -1), 2);
	ck_assert_int_eq(ssd_get_int(page, "lsupp", -1), 1);
	ck_assert_int_eq(ssd_get_int(page, "ios", -1), 1);
	ck_assert_int_eq(ssd_get_int(page, "lid_specific", -1), 0x1234);
	ck_assert_ptr_nonnull(ssd_get(page, "name"));
	page = page->next;
	ck_assert_int_eq(ssd_get_int(page, "lid", -1), 0xca);
	ck_assert_ptr_null(ssd_get(page, "name"));
	ck_assert_ptr_null(page->next);
	ck_assert_ptr_null(ssd_get(decode(&ssd_page_supported_logs, bytes, 0), "pages"));
}
END_TEST

CHECK_MAIN("log pages", test_128_bit_counters, test_data_units, test_composite_temperature, test_temperature_sensors,
	   test_percentages_and_minutes, test_critical_warning, test_firmware_slots, test_error_entry,
	   test_unused_error_entries, test_error_log_cut_at_every_length, test_error_log_size, test_supported_logs)
