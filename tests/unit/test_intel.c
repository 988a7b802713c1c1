/* SPDX-License-Identifier: MIT */
/*
 * The Intel module against images of log CAh that were rebuilt from published decodes (tests/data/vectors/README.md): the
 * expected values are the published ones.
 */
#include "check.h"

#include <dirent.h>
#include <ssdct/doc.h>
#include <ssdct/le.h>
#include <ssdct/plugin.h>
#include <ssdct/render.h>

enum { PAGE = 512, ENTRY = 12, ENTRIES = 42, NO_DATA = -1, ABSENT = -2 };
#define VECTORS "tests/data/vectors/"

static const struct ssd_page *page_of(const char *model, uint8_t lid)
{
	const struct ssd_identity id = {model, "", 0x8086};
	const char *family;
	const struct ssd_vendor *vendor = ssd_vendor_find(&id, &family);

	ck_assert_ptr_nonnull(vendor);
	for (const struct ssd_page *const *p = vendor->pages; *p; p++)
		if ((*p)->kind == SSD_PAGE_LOG && (*p)->id == lid)
			return *p;
	return NULL;
}

static const struct ssd_page *smart_page(void)
{
	return page_of("INTEL SSDPEDMD020T4", 0xca);
}

/* A copy of exactly len bytes, so that the sanitizer sees a read past them. */
static struct ssd_node *decode(struct ssd_arena *a, const struct ssd_page *page, const uint8_t *bytes, size_t len)
{
	uint8_t *copy = malloc(len ? len : 1);
	struct ssd_node *doc;

	memcpy(copy, bytes, len);
	doc = ssd_page_decode(a, page, copy, len);
	free(copy);
	return doc;
}

static void load(const char *name, uint8_t page[PAGE])
{
	AUTO_FREE char *path = ssd_asprintf(VECTORS "%s", name);
	AUTO_FREE uint8_t *data = NULL;
	size_t len;

	ck_assert_msg(!ssd_read_file(path, 4096, &data, &len), "%s", path);
	ck_assert_uint_eq(len, PAGE);
	memcpy(page, data, PAGE);
}

static char *json(const struct ssd_node *n)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	ssd_render_json(n, f, true);
	fclose(f);
	return text;
}

/* ABSENT: the entry is null; NO_DATA: the entry is there and what is derived from it is null. */
struct expect {
	const char *file, *path;
	int64_t value;
};

#define WEAR(f, lo, hi, av)                                         \
	{f, "wear_leveling.min", lo}, {f, "wear_leveling.max", hi}, \
	{                                                           \
		f, "wear_leveling.average", av                      \
	}
#define WORKLOAD(f, wear, reads, minutes)                                                            \
	{f, "timed_workload_media_wear.raw", wear}, {f, "timed_workload_host_reads.percent", reads}, \
	{                                                                                            \
		f, "timed_workload_timer.minutes", minutes                                           \
	}
#define NO_WORKLOAD(f)                                                                                          \
	{f, "timed_workload_media_wear.raw", 65535}, {f, "timed_workload_media_wear.percent", NO_DATA},         \
		{f, "timed_workload_host_reads.raw", 65535}, {f, "timed_workload_host_reads.percent", NO_DATA}, \
		{f, "timed_workload_timer.raw", 65535},                                                         \
	{                                                                                                       \
		f, "timed_workload_timer.minutes", NO_DATA                                                      \
	}
#define WRITTEN(f, nand, host)                                                                  \
	{f, "nand_written.raw", nand}, {f, "nand_written.bytes", (nand) * (INT64_C(32) << 20)}, \
		{f, "host_written.raw", host},                                                  \
	{                                                                                       \
		f, "host_written.bytes", (host) * (INT64_C(32) << 20)                           \
	}
#define NOT_WRITTEN(f)                    \
	{f, "nand_written", ABSENT},      \
	{                                 \
		f, "host_written", ABSENT \
	}

static const struct expect expected[] = {
	WEAR("ca_telegraf_A.bin", 39, 40, 39),
	{"ca_telegraf_A.bin", "pcie_crc_error_count.raw", 13},
	WORKLOAD("ca_telegraf_A.bin", 133, 71, 1612952),
	{"ca_telegraf_A.bin", "thermal_throttle.percent", 0},
	{"ca_telegraf_A.bin", "thermal_throttle.count", 0},
	NOT_WRITTEN("ca_telegraf_A.bin"),
	WEAR("ca_telegraf_B.bin", 163, 164, 163),
	{"ca_telegraf_B.bin", "wear_leveling.raw", INT64_C(700090417315)},
	{"ca_telegraf_B.bin", "pcie_crc_error_count.raw", 13},
	WORKLOAD("ca_telegraf_B.bin", 552, 73, 2343038),
	{"ca_cachelib_p3600.bin", "wear_leveling.normalized", 70},
	WEAR("ca_cachelib_p3600.bin", 3523, 3603, 3562),
	NO_WORKLOAD("ca_cachelib_p3600.bin"),
	WRITTEN("ca_cachelib_p3600.bin", 224943088, 172365270),
	{"ca_cachelib_p3600.bin", "nand_written.bytes", INT64_C(7547837550166016)},
	WEAR("ca_nvmecli_814.bin", 1, 2, 1),
	{"ca_nvmecli_814.bin", "wear_leveling.raw", INT64_C(4295098369)},
	NO_WORKLOAD("ca_nvmecli_814.bin"),
	WRITTEN("ca_nvmecli_814.bin", 40262, 45197),
	{"ca_nvmecli_814.bin", "host_context_wear_used.id", 0xf6},
	{"ca_nvmecli_814.bin", "host_context_wear_used.normalized", 100},
	{"ca_nvmecli_814.bin", "host_context_wear_used.raw", 0},
	WEAR("ca_nvmecli_245.bin", 1, 6, 3),
	{"ca_nvmecli_245.bin", "pcie_crc_error_count.raw", 85385},
	WORKLOAD("ca_nvmecli_245.bin", 31, 0, 661523),
	NOT_WRITTEN("ca_nvmecli_245.bin"),
	WEAR("ca_exporter_readme.bin", 4, 5, 4),
	NO_WORKLOAD("ca_exporter_readme.bin"),
	WRITTEN("ca_exporter_readme.bin", 155767, 43768),
	{"ca_blog_norm0.bin", "program_fail_count.normalized", 0},
	{"ca_blog_norm0.bin", "erase_fail_count.normalized", 0},
	{"ca_blog_norm0.bin", "wear_leveling.normalized", 0},
	{"ca_blog_norm0.bin", "nand_written.normalized", 0},
	{"ca_blog_norm0.bin", "end_to_end_error_count.raw", 159},
	{"ca_blog_norm0.bin", "pcie_crc_error_count.raw", 25963},
	{"ca_blog_norm0.bin", "timed_workload_host_reads.percent", 8},
	{"ca_blog_norm0.bin", "timed_workload_timer.minutes", 120864},
	{"ca_blog_norm0.bin", "thermal_throttle.percent", 0},
	{"ca_blog_norm0.bin", "thermal_throttle.count", 1},
	{"ca_blog_norm0.bin", "host_written.raw", 26008485},
	WEAR("ca_daos_p4800x.bin", 0, 9, 3),
	NO_WORKLOAD("ca_daos_p4800x.bin"),
	WRITTEN("ca_daos_p4800x.bin", 222897, 71),
	WEAR("ca_daos_boro.bin", 24, 25, 24),
	NO_WORKLOAD("ca_daos_boro.bin"),
	WRITTEN("ca_daos_boro.bin", 244081, 52114),
	{"ca_p4511_true.bin", "wear_leveling.average", 102},
	{"ca_p4511_true.bin", "wear_leveling.max", 104},
	NO_WORKLOAD("ca_p4511_true.bin"),
	{"ca_p4511_true.bin", "thermal_throttle.percent", 0},
	{"ca_p4511_true.bin", "thermal_throttle.count", 0},
	{"ca_p4511_true.bin", "host_written.raw", 25867},
	{"ca_p4511_true.bin", "host_context_wear_used.normalized", 100},
	{"ca_p4511_true.bin", "host_context_wear_used.raw", 0},
	/* What all of them say of the other attributes. */
	{"ca_daos_boro.bin", "program_fail_count.id", 0xab},
	{"ca_daos_boro.bin", "program_fail_count.normalized", 100},
	{"ca_daos_boro.bin", "erase_fail_count.id", 0xac},
	{"ca_daos_boro.bin", "retry_buffer_overflow_count.id", 0xf0},
	{"ca_daos_boro.bin", "pll_lock_loss_count.id", 0xf3},
	{"ca_daos_boro.bin", "pll_lock_loss_count.gain_0", NO_DATA},
	{"ca_daos_boro.bin", "bad_tlp_count", ABSENT},
	{"ca_daos_boro.bin", "xor_fail_count", ABSENT},
};

START_TEST(test_published_values)
{
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		const struct expect *e = &expected[i];
		struct ssd_arena *a = ssd_arena_new(1 << 20);
		uint8_t bytes[PAGE];
		const struct ssd_node *doc;

		load(e->file, bytes);
		doc = decode(a, smart_page(), bytes, PAGE);
		if (e->value < 0)
			ck_assert_msg(!ssd_get(doc, e->path), "%s %s: not null", e->file, e->path);
		else
			ck_assert_msg(ssd_get_int(doc, e->path, -9) == e->value, "%s %s: %lld, not %lld", e->file,
				      e->path, (long long)ssd_get_int(doc, e->path, -9), (long long)e->value);
		ck_assert_ptr_nonnull(ssd_get(doc, "unknown"));
		ck_assert_ptr_null(ssd_get(doc, "unknown")->child);
		ssd_arena_free(a);
	}
}
END_TEST

/* The percentages that the publications print with three decimals. */
START_TEST(test_media_wear_percent)
{
	static const struct {
		const char *file, *printed;
	} rows[] = {{"ca_telegraf_A.bin", "0.130"}, {"ca_telegraf_B.bin", "0.539"}, {"ca_nvmecli_245.bin", "0.030"}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct ssd_arena *a = ssd_arena_new(1 << 20);
		uint8_t bytes[PAGE];
		const struct ssd_node *percent;
		char text[32];

		load(rows[i].file, bytes);
		percent = ssd_get(decode(a, smart_page(), bytes, PAGE), "timed_workload_media_wear.percent");
		ck_assert_ptr_nonnull(percent);
		ck_assert_int_eq(percent->field->type, SSD_REAL);
		snprintf(text, sizeof(text), "%.3f", percent->real);
		ck_assert_str_eq(text, rows[i].printed);
		ssd_arena_free(a);
	}
}
END_TEST

/* Every image of page CAh in the directory is one of those that the table above has values of. */
START_TEST(test_no_vector_is_left_out)
{
	DIR *d = opendir(VECTORS);
	struct dirent *e;
	unsigned n = 0;

	ck_assert_ptr_nonnull(d);
	while ((e = readdir(d))) {
		size_t i = 0;

		if (strncmp(e->d_name, "ca_", 3) != 0)
			continue;
		while (i < ARRAY_SIZE(expected) && strcmp(expected[i].file, e->d_name) != 0)
			i++;
		ck_assert_msg(i < ARRAY_SIZE(expected), "%s", e->d_name);
		n++;
	}
	closedir(d);
	ck_assert_uint_eq(n, 10);
}
END_TEST

static const char *const files[] = {"ca_telegraf_A.bin",  "ca_telegraf_B.bin",  "ca_cachelib_p3600.bin",
				    "ca_nvmecli_814.bin", "ca_nvmecli_245.bin", "ca_exporter_readme.bin",
				    "ca_blog_norm0.bin",  "ca_daos_p4800x.bin", "ca_daos_boro.bin",
				    "ca_p4511_true.bin"};

/* Where the entry of a key ends; SIZE_MAX when there is none. What C7h counts other entries tell, all of them are needed. */
static size_t end_of_entry(const uint8_t *bytes, unsigned key)
{
	if (key == 0xc7)
		return ENTRIES * ENTRY;
	for (size_t off = 0; off + ENTRY <= ENTRIES * ENTRY; off += ENTRY)
		if (bytes[off] == key)
			return off + ENTRY;
	return SIZE_MAX;
}

/* Cut at every length: each attribute is what the whole page says, or null when its entry is not whole. */
START_TEST(test_cut_at_every_length)
{
	for (size_t f = 0; f < ARRAY_SIZE(files); f++) {
		struct ssd_arena *a = ssd_arena_new(64 << 20);
		uint8_t bytes[PAGE];
		const struct ssd_node *whole;

		load(files[f], bytes);
		whole = decode(a, smart_page(), bytes, PAGE);
		for (size_t len = 0; len <= PAGE; len++) {
			const struct ssd_node *cut = decode(a, smart_page(), bytes, len), *m, *w;

			for (m = cut->child, w = whole->child; m; m = m->next, w = w->next) {
				ck_assert_str_eq(m->field->key, w->field->key);
				if (!m->field->id)
					continue;
				if (end_of_entry(bytes, m->field->id) > len) {
					ck_assert_msg(m->null, "%s cut at %zu: %s", files[f], len, m->field->key);
				} else {
					AUTO_FREE char *x = json(m), *y = json(w);

					ck_assert_str_eq(x, y);
				}
			}
		}
		ssd_arena_free(a);
	}
}
END_TEST

/* The entries backwards, with holes between them and before them. */
START_TEST(test_order_and_holes_do_not_matter)
{
	for (size_t f = 0; f < ARRAY_SIZE(files); f++) {
		struct ssd_arena *a = ssd_arena_new(1 << 20);
		uint8_t bytes[PAGE], other[PAGE] = {0};
		AUTO_FREE char *x = NULL, *y = NULL, *z = NULL;

		load(files[f], bytes);
		x = json(decode(a, smart_page(), bytes, PAGE));
		for (unsigned i = 0; i < ENTRIES; i++)
			memcpy(other + (size_t)(ENTRIES - 1 - i) * ENTRY, bytes + (size_t)i * ENTRY, ENTRY);
		y = json(decode(a, smart_page(), other, PAGE));
		ck_assert_str_eq(x, y);
		memset(other, 0, sizeof(other));
		for (unsigned i = 0; i < ENTRIES; i++)
			memcpy(other + (size_t)(i * 17 % ENTRIES) * ENTRY, bytes + (size_t)i * ENTRY, ENTRY);
		z = json(decode(a, smart_page(), other, PAGE));
		ck_assert_str_eq(x, z);
		ssd_arena_free(a);
	}
}
END_TEST

static void put_entry(uint8_t *page, unsigned i, uint8_t key, uint8_t normalized, uint64_t raw)
{
	uint8_t *p = page + (size_t)i * ENTRY;

	p[0] = key;
	p[3] = normalized;
	ssd_put_le(p + 5, 6, raw);
}

START_TEST(test_unknown_keys_are_listed)
{
	struct ssd_arena *a = ssd_arena_new(1 << 20);
	uint8_t bytes[PAGE] = {0};
	const struct ssd_node *doc, *item;

	put_entry(bytes, 0, 0x77, 99, UINT64_C(0xffffffffffff));
	put_entry(bytes, 3, 0xab, 98, 5);
	put_entry(bytes, 41, 0xff, 1, 258);
	doc = decode(a, smart_page(), bytes, PAGE);
	item = ssd_get(doc, "unknown")->child;
	ck_assert_int_eq(ssd_get_int(item, "id", -1), 0x77);
	ck_assert_int_eq(ssd_get_int(item, "normalized", -1), 99);
	ck_assert_int_eq(ssd_get_int(item, "raw", -1), INT64_C(281474976710655));
	item = item->next;
	ck_assert_int_eq(ssd_get_int(item, "id", -1), 0xff);
	ck_assert_int_eq(ssd_get_int(item, "raw", -1), 258);
	ck_assert_ptr_null(item->next);
	ck_assert_int_eq(ssd_get_int(doc, "program_fail_count.raw", -1), 5);
	ck_assert_ptr_null(ssd_get(doc, "erase_fail_count"));
	ssd_arena_free(a);
}
END_TEST

/* Every known key with a value of its own: no attribute takes another's (bug corpus 82). */
START_TEST(test_every_known_key_has_its_own_value)
{
	static const struct {
		uint8_t key;
		const char *name;
	} rows[] = {
		{0x05, "reallocated_sector_count"},
		{0x0d, "soft_ecc_error_rate"},
		{0xab, "program_fail_count"},
		{0xac, "erase_fail_count"},
		{0xad, "wear_leveling"},
		{0xae, "unexpected_power_loss_count"},
		{0xb8, "end_to_end_error_count"},
		{0xc7, "pcie_crc_error_count"},
		{0xe2, "timed_workload_media_wear"},
		{0xe3, "timed_workload_host_reads"},
		{0xe4, "timed_workload_timer"},
		{0xe5, "read_commands_in_flight"},
		{0xe6, "write_commands_in_flight"},
		{0xea, "thermal_throttle"},
		{0xee, "re_sku_count"},
		{0xf0, "retry_buffer_overflow_count"},
		{0xf3, "pll_lock_loss_count"},
		{0xf4, "nand_written"},
		{0xf5, "host_written"},
		{0xf6, "host_context_wear_used"},
		{0xf7, "performance_status_indicator"},
		{0xf8, "media_read"},
		{0xf9, "firmware_downgrades_available"},
		{0xfa, "host_read_collision_count"},
		{0xfb, "host_write_collision_count"},
		{0xfc, "xor_pass_count"},
		{0xfd, "xor_fail_count"},
		{0xfe, "xor_invoked_count"},
	};
	struct ssd_arena *a = ssd_arena_new(1 << 20);
	uint8_t bytes[PAGE] = {0};
	const struct ssd_node *doc;

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++)
		put_entry(bytes, i, rows[i].key, (uint8_t)(50 + i), 1000000 + i);
	doc = decode(a, smart_page(), bytes, PAGE);
	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct ssd_node *m = ssd_get(doc, rows[i].name);

		ck_assert_msg(m != NULL, "%s", rows[i].name);
		ck_assert_int_eq(ssd_get_int(m, "id", -1), rows[i].key);
		ck_assert_int_eq(ssd_get_int(m, "normalized", -1), 50 + i);
		ck_assert_int_eq(ssd_get_int(m, "raw", -1), 1000000 + i);
	}
	ck_assert_ptr_null(ssd_get(doc, "unknown")->child);
	ssd_arena_free(a);
}
END_TEST

/* C7h is a count of bad TLPs when E7h or E8h stands beside it, a count of CRC errors otherwise. */
START_TEST(test_bad_tlp)
{
	static const uint8_t beside[] = {0xe7, 0xe8};

	for (size_t i = 0; i < ARRAY_SIZE(beside); i++) {
		struct ssd_arena *a = ssd_arena_new(1 << 20);
		uint8_t bytes[PAGE] = {0};
		const struct ssd_node *doc;

		put_entry(bytes, 0, 0xc7, 97, 21);
		put_entry(bytes, 1, beside[i], 96, 22);
		doc = decode(a, smart_page(), bytes, PAGE);
		ck_assert_ptr_null(ssd_get(doc, "pcie_crc_error_count"));
		ck_assert_int_eq(ssd_get_int(doc, "bad_tlp_count.id", -1), 0xc7);
		ck_assert_int_eq(ssd_get_int(doc, "bad_tlp_count.normalized", -1), 97);
		ck_assert_int_eq(ssd_get_int(doc, "bad_tlp_count.raw", -1), 21);
		ck_assert_int_eq(ssd_get_int(doc, i ? "receiver_error_count.raw" : "bad_dllp_count.raw", -1), 22);
		ssd_arena_free(a);
	}
}
END_TEST

/* F3h of newer drives: four u16 from byte 4 on, through bytes that are reserved elsewhere. */
START_TEST(test_pll_of_newer_drives)
{
	static const uint8_t entry[ENTRY] = {0xf3, 0, 0, 100, 1, 0, 2, 0, 3, 0, 4, 5};
	struct ssd_arena *a = ssd_arena_new(1 << 20);
	uint8_t bytes[PAGE] = {0};
	const struct ssd_node *doc;

	put_entry(bytes, 0, 0xab, 100, 0);
	memcpy(bytes + ENTRY, entry, ENTRY);
	doc = decode(a, smart_page(), bytes, PAGE);
	ck_assert_int_eq(ssd_get_int(doc, "pll_lock_loss_count.gain_0", -1), 1);
	ck_assert_int_eq(ssd_get_int(doc, "pll_lock_loss_count.loss_0", -1), 2);
	ck_assert_int_eq(ssd_get_int(doc, "pll_lock_loss_count.gain_1", -1), 3);
	ck_assert_int_eq(ssd_get_int(doc, "pll_lock_loss_count.loss_1", -1), 4 + 5 * 256);
	put_entry(bytes, 1, 0xf3, 100, 7);
	bytes[ENTRY + 4] = bytes[ENTRY + 11] = 0;
	doc = decode(a, smart_page(), bytes, PAGE);
	ck_assert_int_eq(ssd_get_int(doc, "pll_lock_loss_count.raw", -1), 7);
	ck_assert_ptr_null(ssd_get(doc, "pll_lock_loss_count.gain_0"));
	ssd_arena_free(a);
}
END_TEST

/* 2^48-1 units of 32 MiB are more than 63 bits of bytes: all digits must be there. */
START_TEST(test_written_is_wide)
{
	struct ssd_arena *a = ssd_arena_new(1 << 20);
	uint8_t bytes[PAGE] = {0};
	AUTO_FREE char *text = NULL;

	put_entry(bytes, 0, 0xf5, 100, UINT64_C(0xffffffffffff));
	text = json(decode(a, smart_page(), bytes, PAGE));
	/* (2^48 - 1) * 2^25 */
	ck_assert_ptr_nonnull(strstr(text, "\"bytes_str\":\"9444732965739256872960\""));
	ck_assert_ptr_nonnull(strstr(text, "\"bytes\":9223372036854775807,"));
	ssd_arena_free(a);
}
END_TEST

START_TEST(test_market_name)
{
	const struct ssd_page *page = page_of("INTEL SSDPE2KX040T8", 0xdd);
	struct ssd_arena *a = ssd_arena_new(1 << 20);
	uint8_t bytes[PAGE] = "Intel(R) SSD DC P4510 Series\0garbage";
	const struct ssd_node *doc = decode(a, page, bytes, PAGE);

	ck_assert_str_eq(ssd_get_str(doc, "name", ""), "Intel(R) SSD DC P4510 Series");
	ck_assert_str_eq(page->command, "show");
	memset(bytes, 'x', sizeof(bytes));
	doc = decode(a, page, bytes, PAGE);
	ck_assert_uint_eq(strlen(ssd_get_str(doc, "name", "")), PAGE);
	memset(bytes, 0, sizeof(bytes));
	ck_assert_ptr_null(ssd_get(decode(a, page, bytes, PAGE), "name"));
	ck_assert_ptr_null(ssd_get(decode(a, page, bytes, 0), "name"));
	ssd_arena_free(a);
}
END_TEST

START_TEST(test_directory)
{
	const struct ssd_page *page = page_of("INTEL SSDPE2KX040T8", 0xc0);
	struct ssd_arena *a = ssd_arena_new(1 << 20);
	uint8_t bytes[PAGE] = {3};
	const struct ssd_node *doc, *item;

	bytes[386] = 1; /* C1h */
	bytes[443] = 2; /* DDh, high byte */
	doc = decode(a, page, bytes, PAGE);
	ck_assert_int_eq(ssd_get_int(doc, "version", -1), 3);
	item = ssd_get(doc, "pages")->child;
	ck_assert_int_eq(ssd_get_int(item, "lid", -1), 0xc1);
	ck_assert_int_eq(ssd_get_int(item, "value", -1), 1);
	ck_assert_int_eq(ssd_get_int(item->next, "lid", -1), 0xdd);
	ck_assert_int_eq(ssd_get_int(item->next, "value", -1), 512);
	ck_assert_ptr_null(item->next->next);
	ck_assert_ptr_null(ssd_get(decode(a, page, bytes, PAGE - 1), "pages"));
	ck_assert_ptr_null(ssd_get(decode(a, page, bytes, 0), "pages"));
	/* OCP's SMART page is at C0h on later drives. */
	ck_assert_str_eq(page_of("INTEL SSDPF2KX038T1", 0xc0)->name, "ocp-smart");
	ck_assert_ptr_nonnull(page_of("INTEL SSDPF2KX038T1", 0xca));
	ssd_arena_free(a);
}
END_TEST

CHECK_MAIN("intel", test_published_values, test_no_vector_is_left_out, test_media_wear_percent,
	   test_cut_at_every_length, test_order_and_holes_do_not_matter, test_unknown_keys_are_listed,
	   test_every_known_key_has_its_own_value, test_bad_tlp, test_pll_of_newer_drives, test_written_is_wide,
	   test_market_name, test_directory)
