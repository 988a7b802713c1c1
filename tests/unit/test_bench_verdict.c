/* SPDX-License-Identifier: MIT */
/*
 * The verdict as a function of what was observed. The two drives are those of two published reviews, with the figures that
 * these print; what each deserves was worked out from queue depth, rate and latency, not taken from the program.
 */
#include <errno.h>
#include <ssdct/bench.h>

#include "check.h"

#define K 1024u

static struct ssd_bench b;

static void begin(const char *model)
{
	const struct ssd_vendor *vendor;
	const char *family;
	struct ssd_bench_look look = {.temperature_celsius = 30,
				      .pcie_errors = -1,
				      .link_speed = "8.0 GT/s PCIe",
				      .link_width = 4,
				      .read_bytes = -1,
				      .write_bytes = -1};

	b = (struct ssd_bench){.preset = "rated", .engine = "io_uring", .before = look, .after = look};
	b.env = (struct ssd_bench_env){.allocated_percent = -1, .max_link_width = 4};
	strcpy(b.env.max_link_speed, "8.0 GT/s PCIe");
	if (!model)
		return;
	b.identity = (struct ssd_identity){.model = model, .firmware = "8DV10131", .pci_vendor = 0x8086};
	vendor = ssd_vendor_find(&b.identity, &family);
	ck_assert_ptr_nonnull(vendor);
	b.n_ratings = vendor->rate(&b.identity, b.ratings);
	ck_assert_uint_gt(b.n_ratings, 0);
}

/* MB/s of sequential tests, IOPS of random ones. */
static struct ssd_bench_result *add(enum ssd_bench_kind kind, unsigned block, unsigned depth, unsigned jobs,
				    double rate)
{
	struct ssd_bench_result *r = &b.tests[b.n_tests++];

	*r = (struct ssd_bench_result){.test = {.name = ssd_bench_kind_word(kind),
						.kind = kind,
						.read_percent = ssd_bench_writes(kind) ? 0 : 100,
						.block_bytes = block,
						.queue_depth = depth,
						.jobs = jobs,
						.seconds = 20},
				       .done = true,
				       .seconds = 20,
				       .mean_depth = depth * jobs,
				       .busiest_cpu_percent = 40,
				       .temperature_max_celsius = INT32_MIN};
	r->iops = ssd_bench_is_random(kind) ? rate : rate * 1e6 / block;
	r->mb_per_s = r->iops * block / 1e6;
	r->ios = (uint64_t)(r->iops * 20);
	r->read_ios = ssd_bench_writes(kind) ? 0 : r->ios;
	r->write_ios = r->ios - r->read_ios;
	return r;
}

static enum ssd_bench_verdict judge(void)
{
	ssd_bench_judge(&b);
	ck_assert_uint_gt(b.n_reasons, 0);
	return b.verdict;
}

static bool says(const char *text)
{
	for (size_t i = 0; i < b.n_reasons; i++)
		if (strstr(b.reasons[i], text))
			return true;
	return false;
}

/* Four jobs of 32, 4 KiB: the conditions of Intel's figure, 460,000. */
static struct ssd_bench_result *p3700_read(double iops)
{
	begin("INTEL SSDPEDMD020T4");
	return add(SSD_BENCH_RAND_READ, 4 * K, 32, 4, iops);
}

START_TEST(test_p3700_of_the_first_article_was_limited_by_its_host)
{
	static const struct {
		enum ssd_bench_kind kind;
		unsigned block;
		double measured, percent;
	} rows[] = {
		{SSD_BENCH_SEQ_READ, 128 * K, 1547.7, 55},
		{SSD_BENCH_SEQ_WRITE, 128 * K, 2059.7, 103},
		{SSD_BENCH_RAND_READ, 4 * K, 157914, 34},
		{SSD_BENCH_RAND_WRITE, 4 * K, 102476, 59},
	};

	begin("INTEL SSDPEDMD020T4");
	/* One thread with 32 I/Os: a mean latency of 203 us, where the drive itself takes 119 (270,000 a second at 32). */
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		add(rows[i].kind, rows[i].block, 32, 1, rows[i].measured)->busiest_cpu_percent = 99;
	ck_assert_int_eq(judge(), SSD_BENCH_HOST_LIMITED);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		ck_assert(b.tests[i].rated.known && b.tests[i].rated.up_to && b.tests[i].rated.source);
		ck_assert_double_eq_tol(b.tests[i].rated.percent, rows[i].percent, 0.6);
		ck_assert(!b.tests[i].rated.comparable);
	}
	ck_assert(says("4 jobs x 32"));
	/* 2059.7 MB/s written came over the same link: that is not what reads at 1547.7 had too little of. */
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		ck_assert_str_eq(b.tests[i].limited_by, "cpu");
	/* Without a sign that the thread was the limit, it is no failure of the drive either: one thread is not four. */
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		b.tests[i].busiest_cpu_percent = 57;
	ck_assert_int_eq(judge(), SSD_BENCH_NO_SPEC);
	ck_assert(says("4 jobs x 32"));
	/* 103 % of a write figure is what a fresh drive does. */
	begin("INTEL SSDPEDMD020T4");
	add(SSD_BENCH_SEQ_WRITE, 128 * K, 32, 4, 2059.7);
	ck_assert_int_eq(judge(), SSD_BENCH_PASS);
	ck_assert(says("burst") && b.tests[0].rated.percent > 102);
	begin("INTEL SSDPEDMD020T4");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		add(rows[i].kind, rows[i].block, 32, 1, rows[i].measured);
	/* More than second-generation x4 carries: with such a link, it did not come over it. */
	strcpy(b.before.link_speed, "5.0 GT/s PCIe");
	strcpy(b.after.link_speed, "5.0 GT/s PCIe");
	strcpy(b.env.max_link_speed, "5.0 GT/s PCIe");
	ck_assert_int_eq(judge(), SSD_BENCH_INVALID);
	ck_assert(says("more than the PCIe link carries"));
}
END_TEST

START_TEST(test_p3500_of_the_second_article_cannot_be_compared)
{
	begin("INTEL SSDPEDMX012T4");
	add(SSD_BENCH_SEQ_READ, 128 * K, 1, 1, 493);
	add(SSD_BENCH_SEQ_WRITE, 128 * K, 1, 1, 813);
	add(SSD_BENCH_RAND_READ, 4 * K, 8, 1, 58227);
	add(SSD_BENCH_RAND_WRITE, 4 * K, 8, 1, 48615);
	ck_assert_int_eq(judge(), SSD_BENCH_NO_SPEC);
	ck_assert_double_eq_tol(b.tests[0].rated.percent, 18, 0.5);
	ck_assert_double_eq_tol(b.tests[1].rated.percent, 45, 0.5);
	ck_assert(!b.tests[2].rated.known && !b.tests[3].rated.known);
	ck_assert(says("128 I/Os under way"));
}
END_TEST

START_TEST(test_limits_of_reads)
{
	p3700_read(460000 * 0.90);
	ck_assert_int_eq(judge(), SSD_BENCH_PASS);
	ck_assert(b.tests[0].rated.comparable);
	p3700_read(460000 * 0.899);
	ck_assert_int_eq(judge(), SSD_BENCH_WARN);
	/* A family's maximum does not convict a model. */
	p3700_read(460000 * 0.5);
	ck_assert_int_eq(judge(), SSD_BENCH_WARN);
	/* Its own figure does: 645,000, Lenovo's product guide. */
	begin("INTEL SSDPE2KX040T7");
	add(SSD_BENCH_RAND_READ, 4 * K, 32, 4, 645000 * 0.76);
	ck_assert_int_eq(judge(), SSD_BENCH_WARN);
	begin("INTEL SSDPE2KX040T7");
	add(SSD_BENCH_RAND_READ, 4 * K, 32, 4, 645000 * 0.74);
	ck_assert_int_eq(judge(), SSD_BENCH_FAIL);
	ck_assert(!b.tests[0].rated.up_to);
	/* The worst one decides. */
	add(SSD_BENCH_SEQ_READ, 128 * K, 32, 4, 3200);
	ck_assert_int_eq(judge(), SSD_BENCH_FAIL);
}
END_TEST

/* What the press printed of every P5500 alike are the most of any of them: intel-models.json says so. */
START_TEST(test_a_series_maximum_does_not_convict_a_model)
{
	begin("Dell Ent NVMe P5500 RI U.2 1.92TB");
	add(SSD_BENCH_RAND_READ, 4 * K, 32, 4, 1000000 * 0.5);
	ck_assert_int_eq(judge(), SSD_BENCH_WARN);
	ck_assert(b.tests[0].rated.up_to);
}
END_TEST

/* 5000 MB/s over eight lanes: two controllers, of which the system sees each as a drive. */
START_TEST(test_a_cards_figure_is_not_its_controllers)
{
	begin("INTEL SSDPECME040T4Y");
	add(SSD_BENCH_SEQ_READ, 128 * K, 32, 4, 2500);
	ck_assert_int_eq(judge(), SSD_BENCH_NO_SPEC);
	ck_assert(says("whole card"));
}
END_TEST

/* What one thread could not do is no longer of interest when four have done it, or have failed to. */
START_TEST(test_the_rated_test_settles_what_its_host_limited)
{
	static const struct {
		double rate;
		enum ssd_bench_verdict verdict;
	} rows[] = {{645000, SSD_BENCH_PASS}, {645000 * 0.8, SSD_BENCH_WARN}, {645000 * 0.5, SSD_BENCH_FAIL}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		begin("INTEL SSDPE2KX040T7");
		add(SSD_BENCH_RAND_READ, 4 * K, 1, 1, 11000)->mean_depth = 0.9;
		add(SSD_BENCH_RAND_READ, 4 * K, 32, 1, 250000)->busiest_cpu_percent = 99;
		add(SSD_BENCH_RAND_READ, 4 * K, 32, 4, rows[i].rate);
		ck_assert_int_eq(judge(), rows[i].verdict);
		ck_assert_str_eq(b.tests[1].limited_by, "cpu");
	}
	/* Of another kind it says nothing; and when the host limited that one, too, nothing is settled. */
	add(SSD_BENCH_SEQ_READ, 128 * K, 32, 1, 1500)->busiest_cpu_percent = 99;
	ck_assert_int_eq(judge(), SSD_BENCH_HOST_LIMITED);
	begin("INTEL SSDPE2KX040T7");
	add(SSD_BENCH_RAND_READ, 4 * K, 32, 1, 250000)->busiest_cpu_percent = 99;
	add(SSD_BENCH_RAND_READ, 4 * K, 32, 4, 400000)->busiest_cpu_percent = 99;
	ck_assert_int_eq(judge(), SSD_BENCH_HOST_LIMITED);
}
END_TEST

START_TEST(test_writes_fail_only_in_the_steady_state)
{
	begin("INTEL SSDPE2KX040T7");
	add(SSD_BENCH_RAND_WRITE, 4 * K, 32, 4, 62500 * 0.5);
	ck_assert_int_eq(judge(), SSD_BENCH_WARN);
	ck_assert(says("steady"));
	b.state = SSD_BENCH_STEADY;
	ck_assert_int_eq(judge(), SSD_BENCH_FAIL);
	begin("INTEL SSDPE2KX040T7");
	add(SSD_BENCH_RAND_WRITE, 4 * K, 32, 4, 62500 * 1.4);
	ck_assert_int_eq(judge(), SSD_BENCH_PASS);
	ck_assert(says("burst"));
}
END_TEST

START_TEST(test_conditions)
{
	p3700_read(230000)->test.block_bytes = 8 * K;
	ck_assert_int_eq(judge(), SSD_BENCH_NO_SPEC);
	p3700_read(230000)->test.span_bytes = 1u << 30;
	ck_assert_int_eq(judge(), SSD_BENCH_NO_SPEC);
	begin("INTEL SSDPEDMD020T4");
	add(SSD_BENCH_SEQ_READ, 128 * K, 32, 4, 2800)->test.span_bytes = 1u << 20; /* a drive's own memory holds it */
	ck_assert_int_eq(judge(), SSD_BENCH_NO_SPEC);
	p3700_read(230000)->test.rate = 230000;
	ck_assert_int_eq(judge(), SSD_BENCH_NO_SPEC);
	p3700_read(230000)->partial = true;
	ck_assert_int_eq(judge(), SSD_BENCH_NO_SPEC);
	p3700_read(230000)->test.precondition = true;
	ck_assert_int_eq(judge(), SSD_BENCH_NO_SPEC);
	p3700_read(230000);
	b.env.simulated = true;
	ck_assert_int_eq(judge(), SSD_BENCH_NO_SPEC);
	p3700_read(230000);
	b.env.is_file = true;
	ck_assert_int_eq(judge(), SSD_BENCH_NO_SPEC);
	ck_assert(!says("page cache"));
	b.env.cached = true;
	ck_assert_int_eq(judge(), SSD_BENCH_NO_SPEC);
	ck_assert(says("page cache"));
	begin(NULL);
	add(SSD_BENCH_RAND_READ, 4 * K, 32, 4, 100);
	ck_assert_int_eq(judge(), SSD_BENCH_NO_SPEC);
	ck_assert(!b.tests[0].rated.known);
	begin("INTEL SSDPEDMD020T4");
	ck_assert_int_eq(judge(), SSD_BENCH_NO_SPEC);
}
END_TEST

START_TEST(test_deallocated_reads_are_not_compared)
{
	p3700_read(450000);
	b.env.allocated_percent = 3;
	ck_assert_int_eq(judge(), SSD_BENCH_NO_SPEC);
	ck_assert(says("deallocated"));
	p3700_read(460000 * 1.2);
	ck_assert_int_eq(judge(), SSD_BENCH_NO_SPEC);
	ck_assert(says("faster than the published maximum"));
}
END_TEST

START_TEST(test_host)
{
	/* 157,914 a second at 100 us are 16 I/Os under way, not 128. */
	p3700_read(157914)->mean_depth = 157914 * 100e-6;
	ck_assert_int_eq(judge(), SSD_BENCH_HOST_LIMITED);
	ck_assert(says("15.8 I/Os were under way"));
	p3700_read(157914)->mean_depth = 122;
	ck_assert_int_eq(judge(), SSD_BENCH_WARN);
	p3700_read(157914)->busiest_cpu_percent = 95;
	ck_assert_int_eq(judge(), SSD_BENCH_HOST_LIMITED);
	b.env.polled = true;
	ck_assert_int_eq(judge(), SSD_BENCH_WARN);
	/* Whoever reaches the figure was not limited. */
	p3700_read(455000)->busiest_cpu_percent = 100;
	ck_assert_int_eq(judge(), SSD_BENCH_PASS);
}
END_TEST

static void spoil(int how)
{
	struct ssd_bench_result *r = p3700_read(450000);

	switch (how) {
	case 0:
		b.after.throttle_seconds = 2;
		break;
	case 1:
		b.after.throttle_count = 1;
		break;
	case 2:
		b.after.warning_minutes = 1;
		break;
	case 3:
		b.after.media_errors = 1;
		break;
	case 4:
		b.before.pcie_errors = 7;
		b.after.pcie_errors = 8;
		break;
	case 5:
		b.after.link_width = 2;
		break;
	case 6:
		b.before.vendor_throttle_count = 3;
		b.after.vendor_throttle_count = 4;
		break;
	case 7:
		r->errors = 1;
		r->first_errno = EIO;
		break;
	case 8:
		r->stopped_hot = r->partial = true;
		break;
	case 9:
		b.after.critical_warning = 2;
		break;
	case 10:
		b.before.busy = "a self-test";
		break;
	case 11:
		b.env.passthrough = true; /* nobody but others is in the block layer's count */
		b.env.own_read_bytes = 1000000000;
		b.after.read_bytes = 21000000;
		b.before.read_bytes = b.before.write_bytes = b.after.write_bytes = 0;
		break;
	default:
		b.env.own_read_bytes = 1000000000;
		b.before.read_bytes = b.before.write_bytes = 0;
		b.after.read_bytes = 1000000000;
		b.after.write_bytes = 21000000;
	}
}

START_TEST(test_disturbed_runs_are_invalid)
{
	for (int how = 0; how <= 12; how++) {
		spoil(how);
		ck_assert_msg(judge() == SSD_BENCH_INVALID, "disturbance %d", how);
		ck_assert(b.falls_short);
	}
	b.after.write_bytes = 19000000;
	ck_assert_int_eq(judge(), SSD_BENCH_PASS);
	b.after.write_bytes = 900000000;
	b.state = SSD_BENCH_SHARED;
	ck_assert_int_eq(judge(), SSD_BENCH_WARN);
	p3700_read(450000);
	b.after.error_log_entries = 1;
	ck_assert_int_eq(judge(), SSD_BENCH_PASS);
	ck_assert(says("error log"));
	/* Unknown before: nothing has grown. */
	p3700_read(450000);
	b.before.throttle_seconds = -1;
	b.after.throttle_seconds = 100;
	ck_assert_int_eq(judge(), SSD_BENCH_PASS);
}
END_TEST

START_TEST(test_link)
{
	/* PCI Express Base Specification: 8b/10b up to 5 GT/s, then 128b/130b; at 64 GT/s 236 of a flit's 256 bytes. */
	ck_assert_double_eq_tol(ssd_bench_link_mb_per_s("64.0 GT/s PCIe", 4), 29500, 1e-6);
	ck_assert_double_eq_tol(ssd_bench_link_mb_per_s("2.5 GT/s PCIe", 1), 250, 1e-6);
	ck_assert_double_eq_tol(ssd_bench_link_mb_per_s("5.0 GT/s PCIe", 4), 2000, 1e-6);
	ck_assert_double_eq_tol(ssd_bench_link_mb_per_s("8.0 GT/s PCIe", 4), 3938.46, 0.01);
	ck_assert_double_eq_tol(ssd_bench_link_mb_per_s("16.0 GT/s PCIe", 2), 3938.46, 0.01);
	ck_assert_double_eq(ssd_bench_link_mb_per_s("", 4), 0);
	ck_assert_double_eq(ssd_bench_link_mb_per_s("8.0 GT/s PCIe", -1), 0);
	p3700_read(450000);
	ck_assert_int_eq(judge(), SSD_BENCH_PASS);
	ck_assert(says("3938 MB/s at most"));
	/* 450,000 x 4096 bytes are 1843.2 MB/s. */
	ck_assert_double_eq_tol(b.tests[0].link_percent, 1843.2 / 3938.46 * 100, 0.01);
	ck_assert(!b.falls_short && !b.tests[0].limited_by);
}
END_TEST

/* The drive of 645,000 IOPS, 2642 MB/s, on two lanes of its four: 1969 MB/s before packet headers, of which 81 % is 1595. */
static struct ssd_bench_result *narrow(double iops)
{
	begin("INTEL SSDPE2KX040T7");
	b.before.link_width = b.after.link_width = 2;
	return add(SSD_BENCH_RAND_READ, 4 * K, 32, 4, iops);
}

START_TEST(test_a_narrow_link_is_not_the_drives_fault)
{
	/* 380,000 are 1556 MB/s: 79 % of the link, 98 % of what is left of it. */
	narrow(380000);
	ck_assert_int_eq(judge(), SSD_BENCH_HOST_LIMITED);
	ck_assert_str_eq(b.tests[0].limited_by, "link");
	ck_assert_double_eq_tol(b.tests[0].link_percent, 79.04, 0.01);
	ck_assert(says("8.0 GT/s PCIe x2 of 8.0 GT/s PCIe x4") && says("79 % of the 1969 MB/s"));
	ck_assert(!says("4 jobs x 32") && b.falls_short);
	/* 320,000 are 82 % of what is left, and 260,000 are 67 % of it: the link explains neither. */
	narrow(320000);
	ck_assert_int_eq(judge(), SSD_BENCH_WARN);
	ck_assert_ptr_null(b.tests[0].limited_by);
	narrow(260000);
	ck_assert_int_eq(judge(), SSD_BENCH_FAIL);
	/* A family's 460,000 still fit through two lanes of the third generation, nearly. */
	p3700_read(420000);
	b.before.link_width = b.after.link_width = 2;
	ck_assert_int_eq(judge(), SSD_BENCH_PASS);
	/* What the drive itself has is no excuse. */
	narrow(380000);
	b.env.max_link_width = 2;
	ck_assert_int_eq(judge(), SSD_BENCH_FAIL);
	/* Nor is a link that is slow, but far from full. */
	narrow(100000)->mean_depth = 40;
	ck_assert_int_eq(judge(), SSD_BENCH_HOST_LIMITED);
	ck_assert_str_eq(b.tests[0].limited_by, "depth");
	/* Not known which is the drive's: nothing is said of it. */
	narrow(380000);
	*b.env.max_link_speed = '\0';
	ck_assert_int_eq(judge(), SSD_BENCH_FAIL);
}
END_TEST

START_TEST(test_a_link_has_two_directions)
{
	struct ssd_bench_result *r;

	/* 70/30 of 600,000 a second: 420,000 x 4096 bytes one way, 1720.3 MB/s of 1969.2. */
	begin("INTEL SSDPE2KX040T7");
	b.before.link_width = b.after.link_width = 2;
	r = add(SSD_BENCH_RAND_MIXED, 4 * K, 32, 4, 600000);
	r->read_ios = r->ios / 10 * 7;
	r->write_ios = r->ios - r->read_ios;
	judge();
	ck_assert_double_eq_tol(r->link_percent, 87.36, 0.01);
	ck_assert(!says("more than the PCIe link carries"));
	/* A rate that was asked for is no limit, of nothing. */
	narrow(380000)->test.rate = 380000;
	judge();
	ck_assert_ptr_null(b.tests[0].limited_by);
}
END_TEST

/* Something to explain is what the drive should have done and did not. */
START_TEST(test_shortfalls)
{
	p3700_read(450000);
	b.state = SSD_BENCH_SHARED;
	ck_assert(judge() == SSD_BENCH_WARN && !b.falls_short);
	p3700_read(300000);
	b.state = SSD_BENCH_SHARED;
	ck_assert(judge() == SSD_BENCH_WARN && b.falls_short);
	p3700_read(300000)->test.rate = 300000;
	ck_assert(judge() == SSD_BENCH_NO_SPEC && !b.falls_short);
}
END_TEST

/* Nobody who looked after the heat is no heat: of a drive it is said, and a file has none. */
START_TEST(test_an_unknown_temperature_is_said)
{
	p3700_read(450000);
	b.has_identity = true;
	judge();
	ck_assert(!says("temperature"));
	b.before.temperature_celsius = INT32_MIN;
	judge();
	ck_assert(says("temperature is not known"));
	b.has_identity = false;
	judge();
	ck_assert(!says("temperature"));
}
END_TEST

/* A stall is no verdict, but it is what a user looks for; at a rate of one in 4 s a job is expected to wait. */
START_TEST(test_a_long_silence_is_said)
{
	p3700_read(450000)->longest_gap_ns = 20100000000;
	ck_assert_int_eq(judge(), SSD_BENCH_PASS);
	ck_assert(says("nothing was completed for 20.1 s"));
	p3700_read(450000)->longest_gap_ns = 990000000;
	judge();
	ck_assert(!says("nothing was completed"));
	p3700_read(1)->longest_gap_ns = 4900000000;
	b.tests[0].test.rate = 1;
	judge();
	ck_assert(!says("nothing was completed"));
	b.tests[0].longest_gap_ns = 5100000000;
	judge();
	ck_assert(says("nothing was completed for 5.1 s"));
}
END_TEST

/* 25 rounds that did not agree are no steady state, and it is not the user who forgot to ask for it. */
START_TEST(test_steady_state_that_was_not_reached)
{
	begin("INTEL SSDPEDMD020T4");
	b.preset = "steady";
	add(SSD_BENCH_RAND_WRITE, 4 * K, 32, 4, 100000);
	ck_assert_int_eq(judge(), SSD_BENCH_WARN);
	ck_assert(says("steady state was not reached") && !says("--preset steady"));
	b.state = SSD_BENCH_STEADY;
	judge();
	ck_assert(!says("was not reached"));
}
END_TEST

START_TEST(test_noise)
{
	static const double same[] = {5, 5, 5, 5, 5, 5, 5, 5}, wild[] = {1, 9, 1, 9, 1, 9, 1, 9};

	ck_assert_double_eq(ssd_bench_spread(same, 8), 0);
	ck_assert_double_lt(ssd_bench_spread(same, 7), 0);
	/* Standard deviation sqrt(128 / 7), mean 5, eight of them. */
	ck_assert_double_eq_tol(ssd_bench_spread(wild, 8), 0.302372, 1e-6);
	ck_assert_double_eq(ssd_bench_noise_percent(0, 0), 5);
	ck_assert_double_eq(ssd_bench_noise_percent(-1, 0.5), 5);
	ck_assert_double_eq_tol(ssd_bench_noise_percent(0.03, 0.04), 10, 1e-9);
}
END_TEST

START_TEST(test_many_reasons)
{
	begin("INTEL SSDPEDMD020T4");
	for (int i = 0; i < SSD_BENCH_MAX_TESTS; i++)
		add(SSD_BENCH_RAND_READ, 4 * K, 1, 1, 10000);
	ck_assert_int_eq(judge(), SSD_BENCH_NO_SPEC);
	ck_assert_uint_eq(b.n_reasons, SSD_BENCH_MAX_REASONS);
}
END_TEST

CHECK_MAIN("bench_verdict", test_p3700_of_the_first_article_was_limited_by_its_host,
	   test_p3500_of_the_second_article_cannot_be_compared, test_limits_of_reads,
	   test_a_series_maximum_does_not_convict_a_model, test_a_cards_figure_is_not_its_controllers,
	   test_the_rated_test_settles_what_its_host_limited, test_writes_fail_only_in_the_steady_state,
	   test_conditions, test_deallocated_reads_are_not_compared, test_host, test_disturbed_runs_are_invalid,
	   test_link, test_a_narrow_link_is_not_the_drives_fault, test_a_link_has_two_directions, test_shortfalls,
	   test_an_unknown_temperature_is_said, test_a_long_silence_is_said, test_steady_state_that_was_not_reached,
	   test_noise, test_many_reasons)
