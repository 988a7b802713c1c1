/* SPDX-License-Identifier: MIT */
/* The benchmark's arithmetic against values worked out otherwise, and its engine on files. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <zlib.h>

#include "bench/job.h"
#include "check.h"

#define K 1024u
#define M (1024u * K)

/* --- histogram --- */

static struct ssd_hist hist;

START_TEST(test_buckets_are_narrow_and_cover_all)
{
	uint64_t state = 1;

	ck_assert_uint_eq(ssd_hist_bucket(0), 0);
	ck_assert_uint_eq(ssd_hist_bucket(UINT64_MAX), SSD_HIST_BUCKETS - 1);
	for (unsigned b = 0; b + 1 < SSD_HIST_BUCKETS; b++) {
		ck_assert_uint_eq(ssd_hist_high(b) + 1, ssd_hist_low(b + 1));
		ck_assert_uint_eq(ssd_hist_bucket(ssd_hist_low(b)), b);
		ck_assert_uint_eq(ssd_hist_bucket(ssd_hist_high(b)), b);
		/* At most 1/128 of the value. */
		ck_assert(ssd_hist_high(b) - ssd_hist_low(b) <= ssd_hist_low(b) / 128);
	}
	for (int i = 0; i < 100000; i++) {
		uint64_t v = bench_random(&state) >> (i % 64);
		unsigned b = ssd_hist_bucket(v);

		ck_assert(ssd_hist_low(b) <= v && v <= ssd_hist_high(b));
	}
}
END_TEST

START_TEST(test_small_values_are_exact)
{
	ssd_hist_init(&hist);
	/* 1 to 100: the p-th percentile by nearest rank is p. */
	for (uint64_t v = 1; v <= 100; v++)
		ssd_hist_add(&hist, v);
	for (unsigned p = 1; p <= 100; p++)
		ck_assert_uint_eq(ssd_hist_percentile(&hist, p), p);
	ck_assert_uint_eq(ssd_hist_percentile(&hist, 0), 1);
	ck_assert_uint_eq(ssd_hist_percentile(&hist, 99.9), 100);
	ck_assert_double_eq(ssd_hist_mean(&hist), 50.5);
	ck_assert_uint_eq(hist.min_ns, 1);
	ck_assert_uint_eq(hist.max_ns, 100);
}
END_TEST

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

START_TEST(test_percentiles_of_any_distribution)
{
	static const double percents[] = {1, 10, 50, 90, 99, 99.9, 99.99};
	enum { N = 50000 };
	static uint64_t v[N];
	uint64_t state = 7;

	ssd_hist_init(&hist);
	for (size_t i = 0; i < N; i++) {
		/* From 10 us to 10 s, by decades. */
		v[i] = 10000 + bench_random(&state) % 90000;
		for (uint64_t d = bench_random(&state) % 6; d; d--)
			v[i] *= 10;
		ssd_hist_add(&hist, v[i]);
	}
	qsort(v, N, sizeof(v[0]), by_value);
	for (size_t i = 0; i < ARRAY_SIZE(percents); i++) {
		size_t rank = (size_t)(percents[i] / 100 * N + 0.999999);
		double exact = (double)v[rank - 1], got = (double)ssd_hist_percentile(&hist, percents[i]);

		ck_assert_msg(got >= exact * 0.99 && got <= exact * 1.01, "p%g: %.0f, not %.0f", percents[i], got,
			      exact);
	}
	ck_assert_uint_eq(hist.min_ns, v[0]);
	ck_assert_uint_eq(hist.max_ns, v[N - 1]);
}
END_TEST

START_TEST(test_percentiles_stay_between_minimum_and_maximum)
{
	ssd_hist_init(&hist);
	ck_assert_uint_eq(ssd_hist_percentile(&hist, 50), 0);
	ssd_hist_add(&hist, 1000001);
	ck_assert_uint_eq(ssd_hist_percentile(&hist, 0), 1000001);
	ck_assert_uint_eq(ssd_hist_percentile(&hist, 99.99), 1000001);
	/* axboe/fio#1668: with a ceiling at 17.2 s, all percentiles were 17 s and the maximum 94 s. */
	for (int i = 0; i < 99; i++)
		ssd_hist_add(&hist, 94000000000u);
	ck_assert_uint_eq(ssd_hist_percentile(&hist, 99), 94000000000u);
	ssd_hist_add(&hist, UINT64_MAX);
	ck_assert_uint_eq(ssd_hist_percentile(&hist, 100), UINT64_MAX);
}
END_TEST

START_TEST(test_histograms_add_up)
{
	struct ssd_hist *other = ssd_calloc(1, sizeof(*other));

	ssd_hist_init(&hist);
	ssd_hist_init(other);
	ssd_hist_add(&hist, UINT64_MAX);
	ssd_hist_add(other, UINT64_MAX);
	ssd_hist_add(other, 2);
	ssd_hist_merge(&hist, other);
	ck_assert_uint_eq(hist.samples, 3);
	ck_assert_uint_eq(hist.min_ns, 2);
	/* 2 x (2^64 - 1) + 2 = 2^65: the sum does not wrap. */
	ck_assert_uint_eq(hist.sum_ns.hi, 2);
	ck_assert_uint_eq(hist.sum_ns.lo, 0);
	free(other);
}
END_TEST

/* --- addresses --- */

static struct ssd_bench_test test_of(enum ssd_bench_kind kind, unsigned jobs)
{
	return (struct ssd_bench_test){.name = "t",
				       .kind = kind,
				       .read_percent = ssd_bench_writes(kind) ? 0 : 100,
				       .block_bytes = 4 * K,
				       .queue_depth = 8,
				       .jobs = jobs,
				       .seconds = 0.2};
}

START_TEST(test_addresses_cover_the_span_evenly)
{
	/* 1009 blocks, a prime, and half a block that is left alone. */
	enum { BLOCKS = 1009, EACH = 500 };
	struct ssd_bench_target target = {.size_bytes = BLOCKS * 4096 + 2048};
	struct ssd_bench_test test = test_of(SSD_BENCH_RAND_READ, 1);
	static unsigned count[BLOCKS];
	struct bench_stream s;
	double chi = 0;

	ck_assert(bench_stream_init(&s, &target, &test, 0, 42));
	for (unsigned i = 0; i < BLOCKS * EACH; i++) {
		struct bench_io io = bench_next(&s);

		ck_assert(!io.write);
		ck_assert_uint_eq(io.offset % 4096, 0);
		ck_assert_uint_lt(io.offset / 4096, BLOCKS);
		count[io.offset / 4096]++;
	}
	for (unsigned i = 0; i < BLOCKS; i++)
		chi += ((double)count[i] - EACH) * ((double)count[i] - EACH) / EACH;
	/* 1008 degrees of freedom: mean 1008, standard deviation 45; five of them. */
	ck_assert_double_gt(chi, 1008 - 5 * 45);
	ck_assert_double_lt(chi, 1008 + 5 * 45);
}
END_TEST

START_TEST(test_huge_spans)
{
	struct ssd_bench_target target = {.size_bytes = 1ull << 62};
	struct ssd_bench_test test = test_of(SSD_BENCH_RAND_READ, 1);
	struct bench_stream s;
	uint64_t max = 0;

	ck_assert(bench_stream_init(&s, &target, &test, 0, 1));
	for (int i = 0; i < 1000; i++) {
		uint64_t offset = bench_next(&s).offset;

		max = offset > max ? offset : max;
	}
	ck_assert(max < 1ull << 62 && max > 1ull << 61);
}
END_TEST

START_TEST(test_sequential_jobs_share_the_span)
{
	struct ssd_bench_target target = {.size_bytes = 64 * 4096};
	struct ssd_bench_test test = test_of(SSD_BENCH_SEQ_READ, 4);
	struct bench_stream s;

	ck_assert(bench_stream_init(&s, &target, &test, 3, 1));
	for (unsigned i = 0; i < 64; i++)
		ck_assert_uint_eq(bench_next(&s).offset, (48 + i) % 64 * 4096);
	test.block_bytes = 128 * 4096;
	ck_assert(!bench_stream_init(&s, &target, &test, 0, 1));
}
END_TEST

START_TEST(test_mixed_by_its_share)
{
	struct ssd_bench_target target = {.size_bytes = 1 << 30, .end_bytes = 1 << 30};
	struct ssd_bench_test test = test_of(SSD_BENCH_RAND_MIXED, 1);
	struct bench_stream s;
	int reads = 0;

	test.read_percent = 70;
	ck_assert(bench_stream_init(&s, &target, &test, 0, 1));
	for (int i = 0; i < 100000; i++)
		reads += !bench_next(&s).write;
	/* Five standard deviations of a binomial distribution are 725. */
	ck_assert_int_gt(reads, 70000 - 725);
	ck_assert_int_lt(reads, 70000 + 725);
}
END_TEST

START_TEST(test_cpulist)
{
	cpu_set_t set;

	ck_assert_uint_eq(bench_cpulist("0-3,8,10-11\n", &set), 7);
	ck_assert(CPU_ISSET(3, &set) && CPU_ISSET(8, &set) && CPU_ISSET(11, &set) && !CPU_ISSET(9, &set));
	ck_assert_uint_eq(bench_cpulist("", &set), 0);
	ck_assert_uint_eq(bench_cpulist("5", &set), 1);
	ck_assert_uint_eq(bench_cpulist("7-3", &set), 0);
	ck_assert_uint_eq(bench_cpulist("0-99999999", &set), 0);
}
END_TEST

/* --- plans --- */

static struct ssd_bench_plan plan;
static struct ssd_err err;

static int plan_of(struct ssd_bench_wish wish)
{
	err = (struct ssd_err)SSD_ERR_INIT;
	return ssd_bench_plan(&wish, &plan, &err);
}

START_TEST(test_quick_is_the_default)
{
	ck_assert_int_eq(plan_of((struct ssd_bench_wish){0}), 0);
	ck_assert_str_eq(plan.preset, "quick");
	ck_assert_uint_eq(plan.n_tests, 4);
	ck_assert_double_lt(ssd_bench_plan_seconds(&plan), 20);
	for (size_t i = 0; i < plan.n_tests; i++)
		ck_assert(!ssd_bench_writes(plan.tests[i].kind));
	/* benchmark.md: sequential 128 KiB, random 4 KiB at depths 1, 32 and 4 x 32. */
	ck_assert_uint_eq(plan.tests[0].block_bytes, 131072);
	ck_assert_uint_eq(plan.tests[3].jobs * plan.tests[3].queue_depth, 128);
}
END_TEST

START_TEST(test_no_preset_writes_unless_it_may)
{
	for (size_t i = 0; i < ssd_bench_n_presets; i++) {
		const char *name = ssd_bench_presets[i].name;
		int rc = plan_of((struct ssd_bench_wish){.preset = name});

		ck_assert_int_eq(rc && err.code != SSD_ERR_REFUSED, 0);
		for (size_t t = 0; !rc && t < plan.n_tests; t++)
			ck_assert(!ssd_bench_writes(plan.tests[t].kind));
		ck_assert_uint_eq(rc ? 0 : plan.n_tests + plan.left_out, rc ? 0 : ssd_bench_presets[i].n_tests);
		ck_assert_int_eq(plan_of((struct ssd_bench_wish){.preset = name, .may_write = true}), 0);
		ck_assert_uint_eq(plan.n_tests, ssd_bench_presets[i].n_tests);
		ck_assert_uint_le(plan.n_tests, SSD_BENCH_MAX_TESTS);
	}
	ck_assert_int_eq(plan_of((struct ssd_bench_wish){.preset = "mixed"}), -1);
	ck_assert_int_eq(err.code, SSD_ERR_REFUSED);
}
END_TEST

/* The points of each set, as benchmark.md section 1 and the articles have them. */
START_TEST(test_presets_have_their_points)
{
	static const struct {
		const char *preset;
		enum ssd_bench_kind kind;
		unsigned block, depth, jobs;
	} points[] = {
		{"rated", SSD_BENCH_SEQ_READ, 128 * K, 32, 4},
		{"rated", SSD_BENCH_SEQ_WRITE, 128 * K, 32, 4},
		{"rated", SSD_BENCH_RAND_READ, 4 * K, 32, 4},
		{"rated", SSD_BENCH_RAND_WRITE, 4 * K, 32, 4},
		{"crystaldiskmark", SSD_BENCH_SEQ_READ, 1024 * K, 8, 1},
		{"crystaldiskmark", SSD_BENCH_SEQ_WRITE, 1024 * K, 1, 1},
		{"crystaldiskmark", SSD_BENCH_RAND_READ, 4 * K, 32, 1},
		{"crystaldiskmark", SSD_BENCH_RAND_WRITE, 4 * K, 1, 1},
		{"crystaldiskmark-nvme", SSD_BENCH_SEQ_READ, 1024 * K, 8, 1},
		{"crystaldiskmark-nvme", SSD_BENCH_SEQ_WRITE, 128 * K, 32, 1},
		{"crystaldiskmark-nvme", SSD_BENCH_RAND_READ, 4 * K, 32, 16},
		{"crystaldiskmark-nvme", SSD_BENCH_RAND_WRITE, 4 * K, 1, 1},
		{"iometer", SSD_BENCH_SEQ_READ, 1024 * K, 1, 1},
		{"iometer", SSD_BENCH_SEQ_WRITE, 1024 * K, 1, 1},
		{"iometer", SSD_BENCH_RAND_READ, 4 * K, 1, 1},
		{"iometer", SSD_BENCH_RAND_WRITE, 4 * K, 1, 1},
		{"mixed", SSD_BENCH_RAND_MIXED, 4 * K, 32, 1},
		{"latency", SSD_BENCH_RAND_READ, 4 * K, 1, 1},
		{"steady", SSD_BENCH_RAND_WRITE, 4 * K, 32, 4},
	};

	for (size_t i = 0; i < ARRAY_SIZE(points); i++) {
		bool found = false;

		ck_assert_int_eq(plan_of((struct ssd_bench_wish){.preset = points[i].preset, .may_write = true}), 0);
		for (size_t t = 0; t < plan.n_tests; t++)
			found |= plan.tests[t].kind == points[i].kind && plan.tests[t].block_bytes == points[i].block &&
				 plan.tests[t].queue_depth == points[i].depth && plan.tests[t].jobs == points[i].jobs;
		ck_assert_msg(found, "%s: no %s of %u at %u x %u", points[i].preset,
			      ssd_bench_kind_word(points[i].kind), points[i].block, points[i].depth, points[i].jobs);
	}
	ck_assert_int_eq(plan_of((struct ssd_bench_wish){.preset = "mixed", .may_write = true}), 0);
	ck_assert_uint_eq(plan.tests[0].read_percent, 70);
}
END_TEST

START_TEST(test_tests_of_ones_own)
{
	ck_assert_int_eq(plan_of((struct ssd_bench_wish){.block_bytes = 8 * K}), 0);
	ck_assert_str_eq(plan.preset, "custom");
	ck_assert_int_eq(plan.tests[0].kind, SSD_BENCH_RAND_READ);
	ck_assert_uint_eq(plan.tests[0].block_bytes, 8 * K);
	ck_assert_uint_eq(plan.tests[0].queue_depth, 32);
	ck_assert_int_eq(plan_of((struct ssd_bench_wish){.rw = "read", .jobs = 3, .seconds = 7}), 0);
	ck_assert_uint_eq(plan.tests[0].block_bytes, 128 * K);
	ck_assert_uint_eq(plan.tests[0].jobs, 3);
	ck_assert_double_eq(plan.tests[0].seconds, 7);
	ck_assert_int_eq(plan_of((struct ssd_bench_wish){.rw = "randrw", .read_percent = 30, .may_write = true}), 0);
	ck_assert_uint_eq(plan.tests[0].read_percent, 30);
	ck_assert_int_eq(plan_of((struct ssd_bench_wish){.rw = "randwrite"}), -1);
	ck_assert_int_eq(err.code, SSD_ERR_REFUSED);
	ck_assert_int_eq(plan_of((struct ssd_bench_wish){.rw = "randreed"}), -1);
	ck_assert_int_eq(err.code, SSD_ERR_USAGE);
	ck_assert_int_eq(plan_of((struct ssd_bench_wish){.rw = "read", .read_percent = 30}), -1);
	ck_assert_int_eq(err.code, SSD_ERR_USAGE);
	ck_assert_int_eq(plan_of((struct ssd_bench_wish){.preset = "quick", .queue_depth = 8}), -1);
	ck_assert_int_eq(err.code, SSD_ERR_USAGE);
}
END_TEST

START_TEST(test_a_shared_drive_has_a_limit)
{
	ck_assert_int_eq(plan_of((struct ssd_bench_wish){.preset = "iometer", .limit_seconds = 20}), 0);
	ck_assert_double_le(ssd_bench_plan_seconds(&plan), 20.0001);
	ck_assert_int_eq(plan_of((struct ssd_bench_wish){.seconds = 1000, .limit_seconds = 20}), 0);
	ck_assert_double_le(ssd_bench_plan_seconds(&plan), 20.0001);
}
END_TEST

START_TEST(test_steady_state)
{
	static const double falling[] = {100, 90, 80, 70, 60}, flat[] = {500, 100, 101, 99, 100, 100},
			    noisy[] = {100, 109, 91, 109, 91}, wild[] = {100, 111, 89, 111, 89},
			    sloped[] = {95, 98, 100, 103, 107};

	ck_assert(!ssd_bench_is_steady(flat, 4));
	ck_assert(!ssd_bench_is_steady(flat, 5)); /* with 500 in the window */
	ck_assert(ssd_bench_is_steady(flat, 6));
	ck_assert(!ssd_bench_is_steady(falling, 5));
	ck_assert(ssd_bench_is_steady(noisy, 5)); /* 18 % */
	ck_assert(!ssd_bench_is_steady(wild, 5)); /* 22 % */
	/* 12 % apart, but the line through them rises by 2.9 a round: 11.5 % of the mean over the window. */
	ck_assert(!ssd_bench_is_steady(sloped, 5));
}
END_TEST

/* --- the engine, on files --- */

static struct ssd_bench_target target;
static struct ssd_bench_result result;
static const char *engine;

static void make_file(uint64_t bytes)
{
	err = (struct ssd_err)SSD_ERR_INIT;
	ck_assert_msg(!ssd_bench_scratch(".", bytes, false, &target, &err), "%s", err.message);
	ck_assert_uint_eq(target.size_bytes, bytes);
}

static int run_test(struct ssd_bench_test test, bool no_uring)
{
	struct ssd_bench_options o = {.no_uring = no_uring};

	err = (struct ssd_err)SSD_ERR_INIT;
	return ssd_bench_run(&target, &test, &o, &result, &engine, &err);
}

static void check_result(const struct ssd_bench_test *test)
{
	const struct ssd_bench_latency *l = &result.latency;

	ck_assert(result.done && !result.partial);
	ck_assert_uint_gt(result.ios, 0);
	ck_assert_uint_eq(result.ios, l->samples);
	ck_assert_uint_eq(result.bytes, result.ios * test->block_bytes);
	ck_assert_uint_eq(result.errors, 0);
	ck_assert(l->min_ns > 0 && l->min_ns <= l->p50_ns && l->p50_ns <= l->p90_ns && l->p90_ns <= l->p99_ns &&
		  l->p99_ns <= l->p99_9_ns && l->p99_9_ns <= l->p99_99_ns && l->p99_99_ns <= l->max_ns);
	ck_assert(l->mean_ns >= (double)l->min_ns && l->mean_ns <= (double)l->max_ns);
	ck_assert_double_ge(result.seconds, test->seconds);
	/* Little's law; there cannot be more under way than was asked for. */
	ck_assert_double_le(result.mean_depth, test->queue_depth * test->jobs * 1.001);
	ck_assert_double_gt(result.cpu_ns_per_io, 0);
	ck_assert_uint_le(result.longest_gap_ns, (uint64_t)(result.seconds * 1e9) + 1);
}

START_TEST(test_engines_read)
{
	struct ssd_bench_test test = test_of(SSD_BENCH_RAND_READ, 2);

	make_file(16 * M);
	for (int no_uring = 0; no_uring < 2; no_uring++) {
		ck_assert_msg(!run_test(test, no_uring), "%s", err.message);
		check_result(&test);
		if (no_uring)
			ck_assert_str_eq(engine, "preadv");
	}
	ssd_bench_close(&target);
}
END_TEST

START_TEST(test_a_rate_is_kept)
{
	struct ssd_bench_test test = test_of(SSD_BENCH_RAND_READ, 2);

	make_file(16 * M);
	test.rate = 500;
	test.seconds = 0.5;
	for (int no_uring = 0; no_uring < 2; no_uring++) {
		ck_assert_int_eq(run_test(test, no_uring), 0);
		/* Less on a machine that is busy, but never more: one more for each thread. */
		ck_assert_uint_gt(result.ios, 0);
		ck_assert_uint_le(result.ios, 250 + 2 * 8);
	}
	ssd_bench_close(&target);
}
END_TEST

START_TEST(test_it_ends_after_so_many_bytes)
{
	struct ssd_bench_test test = test_of(SSD_BENCH_SEQ_WRITE, 1);

	make_file(16 * M);
	test.seconds = 0;
	test.bytes = 16 * M;
	for (int no_uring = 0; no_uring < 2; no_uring++) {
		ck_assert_msg(!run_test(test, no_uring), "%s", err.message);
		ck_assert_uint_eq(result.bytes, 16 * M);
		ck_assert_uint_eq(result.write_ios, 4096);
	}
	ssd_bench_close(&target);
}
END_TEST

START_TEST(test_writes_stay_within_and_look_like_nothing)
{
	struct ssd_bench_test test = test_of(SSD_BENCH_SEQ_WRITE, 1);
	static uint8_t data[4 * M], packed[5 * M];
	uLongf packed_len = sizeof(packed);
	int zeros = 0;

	make_file(16 * M);
	target.size_bytes = 4 * M;
	target.start_bytes = M;
	target.end_bytes = 3 * M;
	test.seconds = 0;
	test.bytes = 2 * M;
	ck_assert_int_eq(run_test(test, false), 0);
	ck_assert_int_eq(pread(target.fd, data, 0, 0), 0);
	fcntl(target.fd, F_SETFL, fcntl(target.fd, F_GETFL) & ~O_DIRECT);
	ck_assert_int_eq(pread(target.fd, data, sizeof(data), 0), sizeof(data));
	for (unsigned i = 0; i < M; i++)
		ck_assert(!data[i] && !data[3 * M + i]);
	for (unsigned i = 0; i < 2 * M; i++)
		zeros += !data[M + i];
	/* 1 of 256, and 2 bytes of each sector. */
	ck_assert_int_lt(zeros, 2 * M / 256 + 2 * M / 256 + 5000);
	for (unsigned i = M; i < 3 * M; i += 512)
		ck_assert(!(data[i + 510] == 0x55 && data[i + 511] == 0xaa));
	/* Fewer blocks than are under way at a time: these have a buffer each, which then comes again. */
	ck_assert_int_eq(compress2(packed, &packed_len, data + M, 28 * K, 9), Z_OK);
	ck_assert_uint_gt(packed_len, 28 * K * 99 / 100);
	ssd_bench_close(&target);
}
END_TEST

START_TEST(test_no_write_without_permission)
{
	make_file(16 * M);
	target.writable = false;
	ck_assert_int_eq(run_test(test_of(SSD_BENCH_RAND_MIXED, 1), false), -1);
	ck_assert_int_eq(err.code, SSD_ERR_REFUSED);
	ssd_bench_close(&target);
}
END_TEST

START_TEST(test_errors_are_counted_and_end_it)
{
	make_file(16 * M);
	for (int no_uring = 0; no_uring < 2; no_uring++) {
		struct ssd_bench_test test = test_of(SSD_BENCH_SEQ_READ, 1);

		/* As if the file were larger than it is: behind its end there is nothing to read. */
		target.size_bytes = 64 * M;
		test.queue_depth = 1;
		test.seconds = 30;
		ck_assert_int_eq(run_test(test, no_uring), 0);
		ck_assert_uint_ge(result.errors, BENCH_MAX_ERRORS);
		ck_assert_int_eq(result.first_errno, ENODATA);
		ck_assert_uint_eq(result.first_error_offset, 16 * M);
		ck_assert_uint_eq(result.ios, 4096);
		ck_assert_double_lt(result.seconds, 30);
	}
	ssd_bench_close(&target);
}
END_TEST

static bool stop_at_once(void *ctx, struct ssd_bench_result *r)
{
	(void)r;
	++*(int *)ctx;
	return true;
}

START_TEST(test_it_can_be_stopped)
{
	struct ssd_bench_test test = test_of(SSD_BENCH_RAND_READ, 2);
	atomic_bool stop = true;
	int asked = 0;
	struct ssd_bench_options by_watch = {.watch = stop_at_once, .watch_ctx = &asked}, by_flag = {.stop = &stop};

	make_file(16 * M);
	test.seconds = 60;
	ck_assert_int_eq(ssd_bench_run(&target, &test, &by_watch, &result, &engine, &err), 0);
	ck_assert(result.partial && asked == 1);
	ck_assert_double_lt(result.seconds, 60);
	ck_assert_int_eq(ssd_bench_run(&target, &test, &by_flag, &result, &engine, &err), 0);
	ck_assert_double_lt(result.seconds, 60);
	ssd_bench_close(&target);
}
END_TEST

/* As containers do: io_uring_setup() is EPERM. */
START_TEST(test_without_io_uring)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {ARRAY_SIZE(filter), filter};
	struct ssd_bench_test test = test_of(SSD_BENCH_RAND_READ, 2);

	make_file(16 * M);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return;
	ck_assert_msg(!run_test(test, false), "%s", err.message);
	ck_assert_str_eq(engine, "preadv");
	check_result(&test);
	ssd_bench_close(&target);
}
END_TEST

START_TEST(test_scratch_files_have_no_name)
{
	AUTO_FREE char *path = NULL;
	char dir[] = "bench-XXXXXX";
	struct stat st;

	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(ssd_bench_scratch(dir, 16 * M, false, &target, &err), 0);
	ck_assert_int_eq(fstat(target.fd, &st), 0);
	ck_assert_int_eq(st.st_nlink, 0);
	/* Nothing is in it, or this fails. */
	ck_assert_int_eq(rmdir(dir), 0);
	ssd_bench_close(&target);
	path = ssd_asprintf("%s/none", dir);
	ck_assert_int_eq(ssd_bench_scratch(path, 16 * M, false, &target, &err), -1);
	ssd_bench_close(&target);
}
END_TEST

CHECK_MAIN("bench", test_buckets_are_narrow_and_cover_all, test_small_values_are_exact,
	   test_percentiles_of_any_distribution, test_percentiles_stay_between_minimum_and_maximum,
	   test_histograms_add_up, test_addresses_cover_the_span_evenly, test_huge_spans,
	   test_sequential_jobs_share_the_span, test_mixed_by_its_share, test_cpulist, test_quick_is_the_default,
	   test_no_preset_writes_unless_it_may, test_presets_have_their_points, test_tests_of_ones_own,
	   test_a_shared_drive_has_a_limit, test_steady_state, test_engines_read, test_a_rate_is_kept,
	   test_it_ends_after_so_many_bytes, test_writes_stay_within_and_look_like_nothing,
	   test_no_write_without_permission, test_errors_are_counted_and_end_it, test_it_can_be_stopped,
	   test_without_io_uring, test_scratch_files_have_no_name)
