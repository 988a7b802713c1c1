/* SPDX-License-Identifier: MIT */
/*
 * Intel's and Solidigm's pages besides CAh: images made by the offsets of the reference (SPDK nvme_intel.h, illumos's
 * solidigm headers, nvme-cli's plugins), and the published captures in tests/data/vectors. Expected numbers are those of
 * the publications, or of the layout's arithmetic done by hand.
 */
#include "check.h"
#include "page_image.h"

#include <ssdct/plugin.h>

#define VECTORS "tests/data/vectors/"
#define P3700 "INTEL SSDPEDMD020T4"
#define P4510 "INTEL SSDPE2KX040T8"
#define P4800X "INTEL SSDPED1K375GA"
#define P5510 "INTEL SSDPF2KX038TZ"
#define P5520 "SOLIDIGM SSDPF2KX038T1"

static const struct ssd_vendor *vendor_of(const char *model)
{
	const struct ssd_identity id = {model, "", 0x8086, 0, 0, 0};
	const char *family;

	return ssd_vendor_find(&id, &family);
}

static const struct ssd_page *page_of(const char *model, const char *key)
{
	for (const struct ssd_page *const *p = vendor_of(model)->pages; *p; p++)
		if (!strcmp((*p)->field.key, key))
			return *p;
	return NULL;
}

static int64_t number(const struct ssd_node *doc, const char *path)
{
	return ssd_get_int(doc, path, -999);
}

static size_t load(const char *name, uint8_t *buf, size_t room)
{
	AUTO_FREE char *path = ssd_asprintf(VECTORS "%s", name);
	AUTO_FREE uint8_t *data = NULL;
	size_t len;

	ck_assert_msg(!ssd_read_file(path, room, &data, &len), "%s", path);
	memcpy(buf, data, len);
	return len;
}

/* ---- latency ---- */

static void version(uint8_t *buf, uint16_t major, uint16_t minor)
{
	ssd_put_le(buf, 2, major);
	ssd_put_le(buf + 2, 2, minor);
}

/* One command in bucket i: where does the page say that it is? */
static void check_bucket(uint16_t major, uint16_t minor, unsigned i, int64_t from, int64_t to)
{
	uint8_t buf[4876] = {0};
	const struct ssd_node *doc, *bucket;

	version(buf, major, minor);
	ssd_put_le(buf + 4 + 4 * i, 4, 7);
	doc = decode(page_of(P4510, "intel_latency_read"), buf, sizeof(buf));
	bucket = ssd_get(doc, "buckets")->child;
	ck_assert_ptr_nonnull(bucket);
	ck_assert_ptr_null(bucket->next);
	ck_assert_msg(number(bucket, "from_us") == from && ssd_get_int(bucket, "to_us", 0) == to,
		      "%u.%u bucket %u: %lld to %lld, not %lld to %lld", major, minor, i,
		      (long long)number(bucket, "from_us"), (long long)number(bucket, "to_us"), (long long)from,
		      (long long)to);
	ck_assert_int_eq(number(bucket, "count"), 7);
	ck_assert_int_eq(number(doc, "commands"), 7);
	ck_assert_int_eq(ssd_get_int(doc, "p50_us", 0), to);
	ck_assert_int_eq(ssd_get_int(doc, "max_us", 0), to);
}

/* The groups' first and last buckets; 4.1 and later by the table of 19 groups of 64, whose steps double. */
START_TEST(test_latency_edges)
{
	check_bucket(3, 0, 0, 0, 32);
	check_bucket(3, 0, 31, 992, 1024);
	check_bucket(3, 0, 32, 1024, 2048);
	check_bucket(3, 0, 62, 31744, 32768);
	check_bucket(3, 0, 63, 32768, 65536);
	check_bucket(3, 0, 93, 1015808, 1048576);
	check_bucket(4, 0, 0, 0, 1);
	check_bucket(4, 0, 15, 15, 16);
	check_bucket(4, 0, 16, 16, 18);
	check_bucket(4, 0, 151, 15 << 17, 0);
	for (unsigned minor = 1; minor <= 9; minor++) {
		check_bucket(4, (uint16_t)minor, 127, 127, 128);
		check_bucket(4, (uint16_t)minor, 128, 128, 130);
		check_bucket(4, (uint16_t)minor, 191, 254, 256);
		check_bucket(4, (uint16_t)minor, 192, 256, 260);
		check_bucket(4, (uint16_t)minor, 640, 32768, 33280);
		check_bucket(4, (uint16_t)minor, 1152, 8388608, 8519680);
		/* Whatever took longer is in the last one. */
		check_bucket(4, (uint16_t)minor, 1215, 16646144, 0);
	}
}
END_TEST

/* Every bucket begins where the one before it ends. */
START_TEST(test_latency_buckets_touch)
{
	static const struct {
		uint16_t major, minor;
		unsigned n;
	} rows[] = {{3, 0, 94}, {4, 0, 152}, {4, 1, 1216}};

	for (size_t r = 0; r < ARRAY_SIZE(rows); r++) {
		uint8_t buf[4876] = {0};
		int64_t end = 0;
		unsigned n = 0;
		const struct ssd_node *doc;

		version(buf, rows[r].major, rows[r].minor);
		for (unsigned i = 0; i < rows[r].n; i++)
			ssd_put_le(buf + 4 + 4 * i, 4, 1);
		doc = decode(page_of(P4510, "intel_latency_write"), buf, sizeof(buf));
		for (const struct ssd_node *b = ssd_get(doc, "buckets")->child; b; b = b->next, n++) {
			ck_assert_int_eq(number(b, "from_us"), end);
			end = ssd_get_int(b, "to_us", 0);
		}
		ck_assert_uint_eq(n, rows[r].n);
		ck_assert_int_eq(number(doc, "commands"), rows[r].n);
	}
}
END_TEST

/* What CLI-I reads as 4.0 has counts behind the short layout. */
START_TEST(test_latency_4_0_long)
{
	uint8_t buf[4876] = {0};
	const struct ssd_node *doc;

	version(buf, 4, 0);
	ssd_put_le(buf + 4 + 4 * 127, 4, 1);
	ssd_put_le(buf + 4 + 4 * 1000, 4, 1);
	doc = decode(page_of(P4510, "intel_latency_read"), buf, sizeof(buf));
	ck_assert_int_eq(number(ssd_get(doc, "buckets")->child, "from_us"), 127);
}
END_TEST

/* nvme-cli issue 806: the reporter's own measurement in the same run has the median at 6.6 us. */
START_TEST(test_latency_published)
{
	static const int64_t counts[] = {27926401,  70933315,  129010370, 260592977, 253262697,
					 214953419, 157248744, 125839540, 97967792,  65886311};
	uint8_t buf[4876];
	size_t len = load("lat_v41_nvmecli_806.bin", buf, sizeof(buf)), i = 0;
	const struct ssd_node *doc = decode(page_of(P4510, "intel_latency_write"), buf, len);

	ck_assert_int_eq(number(doc, "version_major"), 4);
	ck_assert_int_eq(number(doc, "version_minor"), 1);
	for (const struct ssd_node *b = ssd_get(doc, "buckets")->child; b; b = b->next, i++) {
		ck_assert_int_eq(number(b, "from_us"), (int64_t)i + 2);
		ck_assert_int_eq(number(b, "count"), counts[i]);
	}
	ck_assert_uint_eq(i, ARRAY_SIZE(counts));
	ck_assert_int_eq(number(doc, "commands"), 1403621566);
	ck_assert_int_eq(number(doc, "p50_us"), 7);
	ck_assert_ptr_null(ssd_get(doc, "average_us"));
}
END_TEST

/* 100, 800, 90, 9 and 1 of 1000 commands. */
START_TEST(test_latency_percentiles)
{
	static const struct {
		unsigned bucket, count;
	} rows[] = {{10, 100}, {20, 800}, {30, 90}, {40, 9}, {1215, 1}};
	uint8_t buf[4876] = {0};
	const struct ssd_node *doc;

	version(buf, 4, 8);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		ssd_put_le(buf + 4 + 4 * rows[i].bucket, 4, rows[i].count);
	ssd_put_le(buf + 4868, 8, 23);
	doc = decode(page_of(P4510, "intel_latency_read"), buf, sizeof(buf));
	ck_assert_int_eq(number(doc, "average_us"), 23);
	ck_assert_int_eq(number(doc, "p50_us"), 21);
	ck_assert_int_eq(number(doc, "p90_us"), 21);
	ck_assert_int_eq(number(doc, "p95_us"), 31);
	ck_assert_int_eq(number(doc, "p99_us"), 31);
	ck_assert_int_eq(number(doc, "p99_9_us"), 41);
	/* In the bucket that has no end: nobody knows. */
	ck_assert_ptr_null(ssd_get(doc, "p99_99_us"));
	ck_assert_ptr_null(ssd_get(doc, "max_us"));
	/* Nothing counted: no percentile, and not 0. */
	memset(buf + 4, 0, sizeof(buf) - 4);
	doc = decode(page_of(P4510, "intel_latency_read"), buf, sizeof(buf));
	ck_assert_int_eq(number(doc, "commands"), 0);
	ck_assert_ptr_null(ssd_get(doc, "p50_us"));
	ck_assert_ptr_null(ssd_get(doc, "max_us"));
}
END_TEST

/* Eight u64 and an average; where the buckets are only the feature says. Reading it clears it. */
START_TEST(test_latency_optane)
{
	const struct ssd_page *page = page_of(P4800X, "intel_latency_read");
	uint8_t buf[76] = {0};
	const struct ssd_node *doc, *b;
	unsigned i = 0;

	version(buf, 1000, 0);
	for (unsigned k = 0; k < 8; k++)
		ssd_put_le(buf + 4 + 8 * k, 8, UINT64_C(0x100000000) * k);
	ssd_put_le(buf + 68, 8, 11);
	ck_assert(page->flags & SSD_PAGE_CLEARS);
	ck_assert(page_of(P4800X, "intel_latency_write")->flags & SSD_PAGE_CLEARS);
	ck_assert(!(page_of(P3700, "intel_latency_read")->flags & SSD_PAGE_CLEARS));
	ck_assert_ptr_null(page->command);
	doc = decode(page, buf, sizeof(buf));
	for (b = ssd_get(doc, "buckets")->child; b; b = b->next, i++) {
		ck_assert_int_eq(number(b, "count"), INT64_C(0x100000000) * i);
		ck_assert_ptr_null(ssd_get(b, "from_us"));
	}
	ck_assert_uint_eq(i, 8);
	ck_assert_int_eq(number(doc, "average_us"), 11);
	ck_assert_ptr_null(ssd_get(doc, "p50_us"));
}
END_TEST

/* A version that no table knows is no histogram. */
START_TEST(test_latency_unknown_version)
{
	uint8_t buf[4876];
	const struct ssd_node *doc;

	memset(buf, 1, sizeof(buf));
	version(buf, 5, 0);
	doc = decode(page_of(P4510, "intel_latency_read"), buf, sizeof(buf));
	ck_assert_int_eq(number(doc, "version_major"), 5);
	ck_assert_ptr_null(ssd_get(doc, "commands"));
	ck_assert_ptr_null(ssd_get(doc, "buckets"));
}
END_TEST

/* ---- temperature ---- */

#define TEMPERATURE(model) page_of(model, "intel_temperature")

START_TEST(test_temperature_published)
{
	uint8_t buf[512] = {0};
	size_t len = load("c5_p3700_isdct_layout112.bin", buf, sizeof(buf));
	const struct ssd_node *doc = decode(TEMPERATURE(P3700), buf, len);

	ck_assert_uint_eq(len, 112);
	ck_assert_int_eq(number(doc, "current_celsius"), 38);
	ck_assert_int_eq(number(doc, "highest_celsius"), 46);
	ck_assert_int_eq(number(doc, "lowest_celsius"), 23);
	ck_assert_int_eq(number(doc, "maximum_celsius"), 85);
	ck_assert_int_eq(number(doc, "minimum_celsius"), 0);
	ck_assert_int_eq(number(doc, "offset_celsius"), -5);
	ck_assert_int_eq(number(doc, "short_layout"), 0);
	ck_assert_int_eq(number(doc, "shutdown_ever"), 0);
}
END_TEST

/* The layout of 104 bytes: minimum at 88, offset at 96. */
START_TEST(test_temperature_short)
{
	uint8_t buf[512] = {0};
	const struct ssd_node *doc;

	buf[0] = 40;
	buf[8] = 1;
	buf[16] = 1;
	ssd_put_le(buf + 96, 8, (uint64_t)-5);
	doc = decode(TEMPERATURE(P3700), buf, sizeof(buf));
	ck_assert_int_eq(number(doc, "short_layout"), 1);
	ck_assert_int_eq(number(doc, "minimum_celsius"), 0);
	ck_assert_int_eq(number(doc, "offset_celsius"), -5);
	ck_assert_int_eq(number(doc, "shutdown_since_power_on"), 1);
	ck_assert_int_eq(number(doc, "shutdown_ever"), 1);
	buf[88] = 3;
	ssd_put_le(buf + 96, 8, 2);
	doc = decode(TEMPERATURE(P3700), buf, sizeof(buf));
	ck_assert_int_eq(number(doc, "minimum_celsius"), 3);
	ck_assert_int_eq(number(doc, "offset_celsius"), 2);
	/* A drive for the cold: a negative minimum is one when there is an offset behind it. */
	buf[88] = 0;
	ssd_put_le(buf + 96, 8, (uint64_t)-40);
	ssd_put_le(buf + 104, 8, (uint64_t)-5);
	doc = decode(TEMPERATURE(P3700), buf, sizeof(buf));
	ck_assert_int_eq(number(doc, "minimum_celsius"), -40);
	ck_assert_int_eq(number(doc, "offset_celsius"), -5);
}
END_TEST

/* OCP's page at the same place says what it is: it has no temperatures. */
START_TEST(test_temperature_or_ocp)
{
	uint8_t buf[4096] = {38};

	ck_assert_int_eq(number(decode(TEMPERATURE(P5520), buf, sizeof(buf)), "current_celsius"), 38);
	ssd_put_le(buf + 4080, 8, UINT64_C(0xbb2c23990e9c722f));
	ssd_put_le(buf + 4088, 8, UINT64_C(0xc7bb98b7d0324863));
	ck_assert_uint_eq(TEMPERATURE(P5520)->size, sizeof(buf));
	for (const struct ssd_node *n = decode(TEMPERATURE(P5520), buf, sizeof(buf))->child; n; n = n->next)
		ck_assert_msg(n->null, "%s", n->field->key);
}
END_TEST

/* ---- pages of later drives ---- */

START_TEST(test_garbage_collection)
{
	uint8_t buf[4096] = {1, 0, 2};
	const struct ssd_node *doc, *e;

	ssd_put_le(buf + 4 + 12 * 99, 4, 6);
	ssd_put_le(buf + 4 + 12 * 99 + 4, 8, UINT64_C(123456789012));
	/* Behind the hundredth entry nothing counts. */
	memset(buf + 1204, 0xff, sizeof(buf) - 1204);
	doc = decode(page_of(P5510, "intel_garbage_collection"), buf, sizeof(buf));
	ck_assert_int_eq(number(doc, "version_minor"), 2);
	e = ssd_get(doc, "events")->child;
	ck_assert_int_eq(number(e, "timer_type"), 6);
	ck_assert_int_eq(number(e, "timestamp"), INT64_C(123456789012));
	ck_assert_ptr_null(e->next);
}
END_TEST

START_TEST(test_outliers)
{
	uint8_t buf[4096] = {1};
	const struct ssd_node *doc, *e;
	unsigned n = 0;

	buf[8] = 2;
	for (unsigned i = 0; i < 3; i++) {
		uint8_t *p = buf + 16 + (size_t)24 * i;

		ssd_put_le(p, 8, 100 + i);
		ssd_put_le(p + 8, 4, 2);
		ssd_put_le(p + 12, 4, 18400 + i);
		ssd_put_le(p + 16, 8, UINT64_C(0x100000000) + i);
	}
	doc = decode(page_of(P5510, "intel_outliers"), buf, sizeof(buf));
	e = ssd_get(doc, "outliers")->child;
	ck_assert_int_eq(number(e->next, "timestamp"), 101);
	ck_assert_int_eq(number(e->next, "command"), 2);
	ck_assert_int_eq(number(e->next, "latency_us"), 18401);
	ck_assert_int_eq(number(e->next, "lba"), INT64_C(0x100000001));
	ck_assert_ptr_null(e->next->next);
	/* A count that is a lie. */
	memset(buf + 8, 0xff, 8);
	doc = decode(page_of(P5510, "intel_outliers"), buf, sizeof(buf));
	for (e = ssd_get(doc, "outliers")->child; e; e = e->next)
		n++;
	ck_assert_uint_eq(n, 170);
}
END_TEST

START_TEST(test_power)
{
	uint8_t buf[512] = {0};
	const struct ssd_node *doc;

	ssd_put_le(buf, 4, 6420000);
	ssd_put_le(buf + 4, 4, 580000);
	doc = decode(page_of(P5520, "intel_power"), buf, sizeof(buf));
	ck_assert_int_eq(number(doc, "rail_1_microwatts"), 6420000);
	ck_assert_int_eq(number(doc, "rail_2_microwatts"), 580000);
	ck_assert_double_eq_tol(ssd_get(doc, "total_watts")->real, 7.0, 1e-9);
	ck_assert_ptr_null(ssd_get(decode(page_of(P5520, "intel_power"), buf, 7), "total_watts"));
	ck_assert_ptr_null(page_of(P5510, "intel_power"));
}
END_TEST

START_TEST(test_queues)
{
	uint8_t buf[1024] = {1, 0, 2, 0, 1, 0};
	const struct ssd_node *doc, *q;

	for (unsigned i = 0; i < 6; i++)
		ssd_put_le(buf + 6 + 12 + 2 * i, 2, 11 + i);
	ssd_put_le(buf + 390, 2, 21);
	ssd_put_le(buf + 392, 2, 22);
	doc = decode(page_of(P5510, "intel_queues"), buf, sizeof(buf));
	q = ssd_get(doc, "submission_queues")->child->next;
	ck_assert_int_eq(number(q, "id"), 11);
	ck_assert_int_eq(number(q, "completion_queue"), 12);
	ck_assert_int_eq(number(q, "head"), 13);
	ck_assert_int_eq(number(q, "tail"), 14);
	ck_assert_int_eq(number(q, "outstanding"), 15);
	ck_assert_int_eq(number(q, "max_depth"), 16);
	ck_assert_ptr_null(q->next);
	q = ssd_get(doc, "completion_queues")->child;
	ck_assert_int_eq(number(q, "id"), 21);
	ck_assert_int_eq(number(q, "head"), 22);
	ck_assert_ptr_null(q->next);
}
END_TEST

START_TEST(test_workload)
{
	uint8_t buf[4080] = {2, 0, 1};
	const struct ssd_node *doc, *s;

	buf[4] = 1;
	ssd_put_le(buf + 16, 4, 1000);
	ssd_put_le(buf + 36, 4, 1 | 7u << 11 | 5u << 19);
	for (unsigned i = 0; i < 32; i++)
		buf[48 + i] = (uint8_t)(i + 1);
	doc = decode(page_of(P5520, "intel_workload"), buf, sizeof(buf));
	ck_assert_int_eq(number(doc, "period_ms"), 1000);
	ck_assert_int_eq(number(doc, "configuration.enabled"), 1);
	ck_assert_str_eq(ssd_get_str(doc, "configuration.sample_time.name", ""), "1 s");
	ck_assert_int_eq(number(doc, "configuration.stop_count"), 5);
	s = ssd_get(doc, "samples")->child;
	ck_assert_int_eq(number(s, "nand_write_sectors"), 0x0c0b0a09);
	ck_assert_int_eq(number(s, "random_read_percent"), 16);
	ck_assert_int_eq(number(s, "band_defrag_relocations"), 0x1c1b1a19);
	ck_assert_int_eq(number(s, "host_buffer_percent"), 32);
	ck_assert_ptr_null(s->next);
	ck_assert_ptr_null(ssd_get(doc, "other_samples"));
}
END_TEST

/* solidigm-workload-tracker.c of nvme-cli: sizes of the members of each content group, one after the other. */
START_TEST(test_workload_groups)
{
	static const struct {
		unsigned group;
		const char *list, *member;
		int64_t value; /* of an entry whose bytes are 1, 2, 3 ... */
	} rows[] = {
		{0, "samples", "host_read_sectors", 0x04030201},
		{1, "queue_samples", "internal_read_queue_depth", 0x04030201},
		{1, "queue_samples", "detected_write_queue_depth", 0x08070605},
		{1, "queue_samples", "pending_read_commands", 0x0c0b0a09},
		{1, "queue_samples", "misaligned_percent", 13},
		{1, "queue_samples", "pending_write_commands", 0x14131211},
		{1, "queue_samples", "outstanding_read_commands", 0x18171615},
		{1, "queue_samples", "outstanding_write_commands", 0x1c1b1a19},
		{1, "queue_samples", "host_buffer_percent", 32},
		{2, "other_samples", NULL, 0},
		{3, "random_samples", "nand_write_sectors", 0x0c0b0a09},
		{3, "random_samples", "random_read_commands", 0x100f0e0d},
		{3, "random_samples", "random_write_commands", 0x14131211},
		{3, "random_samples", "host_read_commands", 0x18171615},
		{3, "random_samples", "host_write_commands", 0x1c1b1a19},
		{3, "random_samples", "random_write_percent", 31},
		{3, "random_samples", "random_read_percent", 32},
		{4, "throttle_samples", "power_throttle_ms", 0x04030201},
		{4, "throttle_samples", "thermal_throttle_ms", 0x08070605},
		{4, "throttle_samples", "power_on_us", 0x0c0b0a09},
		{4, "throttle_samples", "power_throttle_percent", 29},
		{4, "throttle_samples", "thermal_throttle_percent", 30},
		{5, "power_samples", "rail_1_microwatts", 0x04030201},
		{5, "power_samples", "rail_2_microwatts", 0x08070605},
		{5, "power_samples", "nand_read_sectors", 0x100f0e0d},
		{5, "power_samples", "nand_average_power", 0x14131211},
		{5, "power_samples", "drive_average_power", 0x18171615},
		{5, "power_samples", "governor_credits", 0x1c1b1a19},
		{5, "power_samples", "burst_power_budget", 0x201f1e1d},
		{6, "defrag_samples", "host_write_sectors", 0x08070605},
		{6, "defrag_samples", "defrag_slots", 0x100f0e0d},
		{6, "defrag_samples", "host_slots", 0x14131211},
		{6, "defrag_samples", "total_slots", 0x18171615},
		{6, "defrag_samples", "host_buffer_percent", 25},
		{6, "defrag_samples", "defrag_buffer_percent", 26},
		{6, "defrag_samples", "defrag_slots_percent", 27},
		{6, "defrag_samples", "host_slots_percent", 28},
		{6, "defrag_samples", "free_units_percent", 29},
		{6, "defrag_samples", "imminent", 30},
		{6, "defrag_samples", "defrag_type", 31},
		{7, "other_samples", NULL, 0},
		{15, "other_samples", NULL, 0},
	};
	uint8_t buf[4080] = {2, 0, 1};

	buf[4] = 1;
	for (unsigned i = 0; i < 32; i++)
		buf[48 + i] = (uint8_t)(i + 1);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct ssd_node *doc, *list;
		unsigned lists = 0;

		ssd_put_le(buf + 36, 4, rows[i].group << 15);
		doc = decode(page_of(P5520, "intel_workload"), buf, sizeof(buf));
		list = ssd_get(doc, rows[i].list);
		ck_assert_msg(list && list->child && !list->child->next, "row %zu", i);
		if (rows[i].member)
			ck_assert_msg(number(list->child, rows[i].member) == rows[i].value, "row %zu", i);
		else
			ck_assert_str_eq(ssd_get_str(list->child, "data_hex", ""),
					 "0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20");
		/* The entries are of one group: the other lists are null. */
		for (const struct ssd_node *n = doc->child; n; n = n->next)
			lists += n->field->type == SSD_LIST && !n->null;
		ck_assert_uint_eq(lists, 1);
	}
}
END_TEST

static const uint8_t ocp_guid[16] = {0xc5, 0xaf, 0x10, 0x28, 0xea, 0xbf, 0xf2, 0xa4,
				     0x9c, 0x4f, 0x6f, 0x7c, 0xc9, 0x14, 0xd5, 0xaf};

/* C0h: OCP's page is known by its GUID, the directory by its not having one. */
START_TEST(test_c0)
{
	const struct ssd_page *ocp = page_of(P5520, "ocp_smart"), *directory = page_of(P4510, "intel_directory");
	uint8_t buf[512] = {1};
	const struct ssd_node *doc;

	ck_assert_uint_eq(ocp->id, 0xc0);
	ck_assert_uint_eq(directory->id, 0xc0);
	ck_assert_ptr_null(page_of(P5520, "intel_directory"));
	ck_assert_ptr_null(page_of(P5510, "ocp_smart"));
	buf[2 * 0xca] = 1;
	ck_assert(!ssd_page_recognise(ocp, buf, sizeof(buf)));
	ck_assert_int_eq(number(ssd_get(decode(directory, buf, sizeof(buf)), "pages")->child, "lid"), 0xca);
	memcpy(buf + 496, ocp_guid, 16);
	ck_assert(ssd_page_recognise(ocp, buf, sizeof(buf)));
	doc = decode(directory, buf, sizeof(buf));
	ck_assert_ptr_null(ssd_get(doc, "version"));
	ck_assert_ptr_null(ssd_get(doc, "pages"));
}
END_TEST

START_TEST(test_controller)
{
	const struct ssd_page *page = page_of(P3700, "intel_controller");
	uint8_t buf[4096] = {0};
	const struct ssd_node *doc = decode(page, buf, sizeof(buf));

	/* A drive that says nothing says no zeros either. */
	ck_assert_ptr_null(ssd_get(doc, "health"));
	ck_assert_ptr_null(ssd_get(doc, "boot_loader"));
	ck_assert_ptr_null(ssd_get(doc, "link_generation"));
	ck_assert_ptr_null(ssd_get(doc, "solidigm"));
	put_text(buf + 3072 + 4, "BAD CONTEXT 2030");
	put_text(buf + 3072 + 28, "8B1B012E");
	put_text(buf + 3072 + 82, "B1.2");
	put_text(buf + 3072 + 86, "F3.4");
	buf[3072 + 24] = 3;
	buf[3072 + 25] = 4;
	ssd_put_le(buf + 3072 + 74, 8, UINT64_C(0x55cd2e4100000001));
	ssd_put_le(buf + 3072 + 768, 4, 0x534f4c49);
	buf[3072 + 768 + 7] = 9;
	doc = decode(page, buf, sizeof(buf));
	ck_assert_str_eq(ssd_get_str(doc, "health", ""), "BAD CONTEXT 2030");
	ck_assert_str_eq(ssd_get_str(doc, "boot_loader", ""), "8B1B012E");
	ck_assert_str_eq(ssd_get_str(doc, "mic_boot_loader", ""), "B1.2");
	ck_assert_str_eq(ssd_get_str(doc, "mic_firmware", ""), "F3.4");
	ck_assert_int_eq(number(doc, "link_generation"), 3);
	ck_assert_int_eq(number(doc, "link_width"), 4);
	ck_assert_str_eq(ssd_get_str(doc, "wwid", ""), "55cd2e4100000001");
	ck_assert_int_eq(number(doc, "solidigm.form_factor"), 9);
}
END_TEST

/* ---- cut at every length ---- */

/* A member that is there in a cut page is the whole page's; nothing is there before a byte has arrived. */
static void check_prefix(const struct ssd_node *cut, const struct ssd_node *whole, const char *key, size_t len)
{
	if (cut->null)
		return;
	ck_assert_msg(!whole->null, "%s at %zu", key, len);
	if (cut->field->type == SSD_OBJ)
		for (const struct ssd_node *c = cut->child, *w = whole->child; c; c = c->next, w = w->next)
			check_prefix(c, w, c->field->key, len);
	else if (cut->field->type == SSD_UINT)
		ck_assert_msg(cut->u == whole->u, "%s at %zu", key, len);
	else if (cut->field->type == SSD_INT)
		ck_assert_msg(cut->i == whole->i, "%s at %zu", key, len);
}

static struct ssd_node *decode_into(struct ssd_arena *a, const struct ssd_page *page, const uint8_t *bytes, size_t len)
{
	uint8_t *copy = malloc(len ? len : 1);
	struct ssd_node *doc;

	memcpy(copy, bytes, len);
	doc = ssd_page_decode(a, page, copy, len);
	free(copy);
	return doc;
}

START_TEST(test_cut_at_every_length)
{
	static const char *const models[] = {P3700, P4800X, P5510, P5520};

	for (size_t m = 0; m < ARRAY_SIZE(models); m++) {
		for (const struct ssd_page *const *p = vendor_of(models[m])->pages; *p; p++) {
			struct ssd_arena *a = ssd_arena_new(64 << 20);
			uint8_t buf[4876];
			const struct ssd_node *whole;

			fill(buf, (*p)->size);
			if (strstr((*p)->name, "latency"))
				version(buf, m == 1 ? 1000 : m ? 4 : 3, m == 3 ? 8 : 1);
			if (!strcmp((*p)->name, "ocp-smart"))
				memcpy(buf + 496, ocp_guid, 16);
			whole = decode_into(a, *p, buf, (*p)->size);
			for (size_t len = 0; len < (*p)->size; len++) {
				struct ssd_arena *b = ssd_arena_new(16 << 20);
				const struct ssd_node *cut = decode_into(b, *p, buf, len);

				/* What the length itself decides is not compared: which layout, and sums. */
				if (strcmp((*p)->name, "temperature") != 0)
					check_prefix(cut, whole, (*p)->name, len);
				if (!len)
					for (const struct ssd_node *n = cut->child; n; n = n->next)
						ck_assert_msg(n->null || n->field->type == SSD_LIST, "%s.%s",
							      (*p)->name, n->field->key);
				ssd_arena_free(b);
			}
			ssd_arena_free(a);
		}
	}
}
END_TEST

/* A histogram that is not whole has no sum and no percentiles. */
START_TEST(test_cut_latency)
{
	uint8_t buf[4876] = {0};

	version(buf, 4, 1);
	buf[4 + 4 * 5] = 9;
	for (size_t len = 0; len < 4868; len += 7) {
		const struct ssd_node *doc = decode(page_of(P4510, "intel_latency_read"), buf, len);

		ck_assert_ptr_null(ssd_get(doc, "commands"));
		ck_assert_ptr_null(ssd_get(doc, "p50_us"));
		ck_assert_ptr_null(ssd_get(doc, "max_us"));
		ck_assert_ptr_null(ssd_get(doc, "buckets"));
	}
	ck_assert_int_eq(number(decode(page_of(P4510, "intel_latency_read"), buf, 4868), "commands"), 9);
}
END_TEST

/* ---- features ---- */

static const struct ssd_feature *feature_of(const char *model, const char *name)
{
	for (const struct ssd_feature *const *f = vendor_of(model)->features; *f; f++)
		if (!strcmp((*f)->page.name, name))
			return *f;
	return NULL;
}

static const struct ssd_node *decode_feature(const char *name, uint64_t result)
{
	uint8_t dwords[8];

	ssd_put_le(dwords, 8, result);
	return decode(&feature_of(P3700, name)->page, dwords, 8);
}

START_TEST(test_feature_values)
{
	uint8_t limits[32];
	const struct ssd_node *doc, *l;

	ck_assert_int_eq(number(decode_feature("max-lba", 3907029167), "last_lba"), 3907029167);
	ck_assert_int_eq(number(decode_feature("native-max-lba", UINT64_C(30005842607)), "last_lba"),
			 INT64_C(30005842607));
	ck_assert_int_eq(number(decode_feature("power-governor", 2), "mode"), 2);
	/* isdct: SMBusAddress 106. */
	ck_assert_int_eq(number(decode_feature("smbus-address", 106 << 1), "address"), 106);
	ck_assert_int_eq(number(decode_feature("led-pattern", 0x05123456), "options"), 0x123456);
	ck_assert_int_eq(number(decode_feature("led-pattern", 0x05123456), "value"), 5);
	ck_assert_int_eq(number(decode_feature("latency-tracking", 0), "enabled"), 0);
	ck_assert_int_eq(number(decode_feature("latency-tracking", 1), "enabled"), 1);
	for (unsigned i = 0; i < 8; i++)
		ssd_put_le(limits + 4 * i, 4, 10 * i);
	doc = decode(&feature_of(P4800X, "latency-limits-write")->page, limits, sizeof(limits));
	l = ssd_get(doc, "limits_us")->child;
	for (unsigned i = 0; i < 8; i++, l = l->next)
		ck_assert_uint_eq(l->u, 10 * i);
	ck_assert_uint_eq(feature_of(P4800X, "latency-limits-write")->cdw11, 1);
	ck_assert_uint_eq(feature_of(P4800X, "latency-limits-read")->cdw11, 0);
	ck_assert_ptr_null(feature_of(P3700, "latency-limits-read"));
}
END_TEST

/* What destroys data when it is set, or may, is not marked harmless (CONTRACT section 5). */
START_TEST(test_feature_classes)
{
	static const struct {
		const char *name;
		uint8_t fid;
		bool harmless, get, set;
	} rows[] = {
		{"max-lba", 0xc1, false, true, true},         {"native-max-lba", 0xc2, false, true, false},
		{"power-governor", 0xc6, true, true, true},   {"smbus-address", 0xc8, false, true, true},
		{"led-pattern", 0xc9, true, true, true},      {"workload-reset", 0xd5, true, false, true},
		{"latency-tracking", 0xe2, true, true, true},
	};
	size_t n = 0;

	for (const struct ssd_feature *const *f = vendor_of(P3700)->features; *f; f++)
		n++;
	ck_assert_uint_eq(n, ARRAY_SIZE(rows));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct ssd_feature *f = feature_of(P3700, rows[i].name);

		ck_assert_msg(f != NULL, "%s", rows[i].name);
		ck_assert_uint_eq(f->page.id, rows[i].fid);
		ck_assert_int_eq(f->page.kind, SSD_PAGE_FEATURE);
		ck_assert_msg(!!(f->flags & SSD_FEATURE_HARMLESS) == rows[i].harmless, "%s", rows[i].name);
		ck_assert_int_eq(!(f->flags & SSD_FEATURE_WRITE_ONLY), rows[i].get);
		ck_assert_int_eq(!(f->flags & SSD_FEATURE_READ_ONLY), rows[i].set);
	}
	for (const char *const *name = vendor_of(P3700)->known_features; *name; name++)
		ck_assert_ptr_nonnull(feature_of(P3700, *name));
}
END_TEST

CHECK_MAIN("intel_pages", test_latency_edges, test_latency_buckets_touch, test_latency_4_0_long, test_latency_published,
	   test_latency_percentiles, test_latency_optane, test_latency_unknown_version, test_temperature_published,
	   test_temperature_short, test_temperature_or_ocp, test_garbage_collection, test_outliers, test_power,
	   test_queues, test_workload, test_workload_groups, test_c0, test_controller, test_cut_at_every_length,
	   test_cut_latency, test_feature_values, test_feature_classes)
