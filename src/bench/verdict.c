/* SPDX-License-Identifier: MIT */
/*
 * What the numbers mean. In the order of precedence: a run that was disturbed says nothing about the drive (invalid); one
 * that host or link could not keep busy says nothing bad about it (host_limited); what was measured under the conditions of a
 * published figure is held against it (fail, warn, pass); all else has nothing to be held against (no_spec).
 *
 * The conditions of Intel's figures are those of its product specifications (330566: 128 KiB sequential, 4 KiB random over
 * the full span, 4 workers with 32 I/Os each, writes in steady state). The limits of a pass and of a warning are ours.
 */
#include <ssdct/bench.h>

#include <stdio.h>

#define SEQ_BLOCK_BYTES (128u << 10)
#define RAND_BLOCK_BYTES (4u << 10)
#define RATED_DEPTH 128       /* all jobs together */
#define RATED_READ_PERCENT 70 /* of mixed_iops */
#define PASS_PERCENT 90
#define WARN_PERCENT 75
#define LITTLE_PERCENT 95     /* I/Os under way, of those that should be: below it the drive was waiting for the host */
#define BUSY_PERCENT 95       /* of a core */
#define FOREIGN_PERCENT 2     /* of our own traffic: how exactly bench itself measures */
#define ALLOCATED_PERCENT 90  /* of a namespace, below which reads are not compared */
#define LINK_LEAST_PERCENT 81 /* of a link's bytes that are left after packet headers, at least ... */
#define LINK_MOST_PERCENT 89  /* ... and at most */
#define IMPLAUSIBLE_PERCENT 110 /* of a published maximum of reads: as far above as a pass may be below */
#define SILENT_SECONDS 1        /* ours: no NAND drive of a data centre takes so long when all is well */
#define WARNING_TEMPERATURE 2   /* bit 1 of the SMART critical warning */

static const char *const verdict_words[] = {
	[SSD_BENCH_NO_SPEC] = "no_spec", [SSD_BENCH_PASS] = "pass",       [SSD_BENCH_WARN] = "warn",
	[SSD_BENCH_FAIL] = "fail",       [SSD_BENCH_INVALID] = "invalid", [SSD_BENCH_HOST_LIMITED] = "host_limited",
};

const char *ssd_bench_verdict_word(enum ssd_bench_verdict verdict)
{
	return verdict_words[verdict];
}

static void PRINTF(2, 3) say(struct ssd_bench *b, const char *fmt, ...)
{
	va_list args;

	if (b->n_reasons == SSD_BENCH_MAX_REASONS)
		return;
	va_start(args, fmt);
	vsnprintf(b->reasons[b->n_reasons++], sizeof(b->reasons[0]), fmt, args);
	va_end(args);
}

/* The enumeration is in the order of precedence. */
static void at_least(struct ssd_bench *b, enum ssd_bench_verdict verdict)
{
	b->verdict = verdict > b->verdict ? verdict : b->verdict;
}

static bool is_judged(const struct ssd_bench_result *r)
{
	return r->done && r->ios && !r->test.precondition;
}

/* --- link --- */

/*
 * PCI Express: 8 bits in 10 up to 5 GT/s, 128 in 130 up to 32 GT/s, 236 bytes of packets in flits of 256 at 64 GT/s. What
 * is left after packet headers is 81 to 89 % of it (3.2 to 3.5 of 3.94 GB/s at 8 GT/s x4, as measured by reviews).
 */
double ssd_bench_link_mb_per_s(const char *speed, int width)
{
	double gt = strtod(speed, NULL), coding = gt > 32 ? 236.0 / 256 : gt > 5 ? 128.0 / 130 : 0.8;

	return gt > 0 && width > 0 ? gt * 1000 / 8 * coding * width : 0;
}

static double ceiling(const struct ssd_bench *b)
{
	const struct ssd_bench_look *l = &b->before;

	return b->env.simulated ? 0 : ssd_bench_link_mb_per_s(l->link_speed, l->link_width);
}

/*
 * It has come up with fewer lanes or less speed than the drive has. A drive's figures were measured over its own link, so
 * only then is the link what keeps it from them.
 */
static bool link_is_slow(const struct ssd_bench *b)
{
	double now = ceiling(b);

	return now > 0 && now < ssd_bench_link_mb_per_s(b->env.max_link_speed, b->env.max_link_width);
}

/* A link carries as much in each direction: of a mixed test, the one with more of it counts. */
static double link_percent(const struct ssd_bench *b, const struct ssd_bench_result *r)
{
	double most = ceiling(b), ios = (double)(r->read_ios > r->write_ios ? r->read_ios : r->write_ios);

	return most > 0 && r->seconds > 0 ? ios * r->test.block_bytes / r->seconds / 1e6 / most * 100 : 0;
}

/* --- invalid --- */

struct delta {
	size_t off;
	const char *text;
};
#define DELTA(member, what)                                   \
	{                                                     \
		offsetof(struct ssd_bench_look, member), what \
	}

/* Whatever of it has grown during the run. */
static const struct delta deltas[] = {
	DELTA(throttle_seconds, "s of thermal throttling during the run"),
	DELTA(throttle_count, "transitions into thermal throttling during the run"),
	DELTA(vendor_throttle_count, "thermal throttlings during the run, by the vendor's count"),
	DELTA(warning_minutes, "min above the warning temperature during the run"),
	DELTA(critical_minutes, "min above the critical temperature during the run"),
	DELTA(media_errors, "media errors during the run"),
	DELTA(pcie_errors, "PCIe errors during the run"),
};

static int64_t grown(const struct ssd_bench *b, size_t off)
{
	int64_t before = *(const int64_t *)(const void *)((const char *)&b->before + off);
	int64_t after = *(const int64_t *)(const void *)((const char *)&b->after + off);

	return before < 0 || after < before ? 0 : after - before;
}

static void judge_looks(struct ssd_bench *b)
{
	const struct ssd_bench_look *x = &b->before, *y = &b->after;

	for (size_t i = 0; i < ARRAY_SIZE(deltas); i++) {
		int64_t n = grown(b, deltas[i].off);

		if (!n)
			continue;
		say(b, "%lld %s", (long long)n, deltas[i].text);
		at_least(b, SSD_BENCH_INVALID);
	}
	if (x->busy || y->busy) {
		say(b, "background work: the drive was busy with %s", x->busy ? x->busy : y->busy);
		at_least(b, SSD_BENCH_INVALID);
	}
	if (y->critical_warning >= 0 && y->critical_warning & WARNING_TEMPERATURE) {
		say(b, "the drive warns of its temperature (SMART critical warning, bit 1)");
		at_least(b, SSD_BENCH_INVALID);
	}
	if (*x->link_speed && *y->link_speed &&
	    (strcmp(x->link_speed, y->link_speed) || x->link_width != y->link_width)) {
		say(b, "the PCIe link changed during the run: from %s x%d to %s x%d", x->link_speed, x->link_width,
		    y->link_speed, y->link_width);
		at_least(b, SSD_BENCH_INVALID);
	}
	if (grown(b, offsetof(struct ssd_bench_look, error_log_entries)))
		say(b,
		    "%lld new entries in the error log", /* not always errors of I/Os: unknown commands are there, too */
		    (long long)grown(b, offsetof(struct ssd_bench_look, error_log_entries)));
}

static void say_link(struct ssd_bench *b)
{
	double now = ceiling(b);

	if (now <= 0)
		return;
	if (link_is_slow(b))
		say(b, "the PCIe link is slower than the drive's: %s x%d of %s x%d", b->before.link_speed,
		    b->before.link_width, b->env.max_link_speed, b->env.max_link_width);
	say(b, "PCIe link %s x%d: %.0f MB/s at most, %.0f to %.0f of them usable", b->before.link_speed,
	    b->before.link_width, now, now * LINK_LEAST_PERCENT / 100, now * LINK_MOST_PERCENT / 100);
}

/* Bytes that others have moved meanwhile: the block layer's count without ours, if ours are in it. */
static void judge_traffic(struct ssd_bench *b)
{
	double all = (double)grown(b, offsetof(struct ssd_bench_look, read_bytes)) +
		     (double)grown(b, offsetof(struct ssd_bench_look, write_bytes));
	double own = (double)b->env.own_read_bytes + (double)b->env.own_write_bytes;
	double foreign = b->env.passthrough ? all : all - own;

	if (b->state == SSD_BENCH_SHARED || own <= 0 || foreign <= own * FOREIGN_PERCENT / 100)
		return;
	say(b, "others moved %.0f MB on the same device during the run, beside %.0f MB of ours", foreign / 1e6,
	    own / 1e6);
	at_least(b, SSD_BENCH_INVALID);
}

static void judge_errors(struct ssd_bench *b, const struct ssd_bench_result *r)
{
	if (r->errors) {
		say(b, "%s: %llu I/Os failed, the first at byte %llu: %s", r->test.name, (unsigned long long)r->errors,
		    (unsigned long long)r->first_error_offset, strerror(r->first_errno));
		at_least(b, SSD_BENCH_INVALID);
	}
	if (r->stopped_hot) {
		say(b, "%s: ended early, at %d C, close to the critical temperature", r->test.name,
		    r->temperature_max_celsius);
		at_least(b, SSD_BENCH_INVALID);
	}
}

/* --- the published figure --- */

static unsigned figure(const struct ssd_rating *row, const struct ssd_bench_test *t)
{
	switch (t->kind) {
	case SSD_BENCH_SEQ_READ:
		return row->read_mb_per_s;
	case SSD_BENCH_SEQ_WRITE:
		return row->write_mb_per_s;
	case SSD_BENCH_RAND_READ:
		return row->read_iops;
	case SSD_BENCH_RAND_WRITE:
		return row->write_iops;
	case SSD_BENCH_RAND_MIXED:
		return t->read_percent == RATED_READ_PERCENT ? row->mixed_iops : 0;
	default:
		return 0;
	}
}

/* Each figure from the most specific row that has it. */
static void look_up(const struct ssd_bench *b, struct ssd_bench_result *r)
{
	bool random = ssd_bench_is_random(r->test.kind);

	r->rated = (struct ssd_bench_rated){.known = false};
	for (size_t i = 0; i < b->n_ratings && !r->rated.known; i++) {
		unsigned value = figure(b->ratings[i], &r->test);

		if (value)
			r->rated = (struct ssd_bench_rated){.known = true,
							    .value = value,
							    .unit = random ? "iops" : "mb_per_s",
							    .percent = (random ? r->iops : r->mb_per_s) / value * 100,
							    .source = b->ratings[i]->source,
							    .up_to = ssd_rating_is_up_to(b->ratings[i]),
							    .of_card = ssd_rating_is_of_card(b->ratings[i])};
	}
}

/* Why a figure says nothing about what was measured; NULL: it does. */
static const char *difference(const struct ssd_bench *b, const struct ssd_bench_result *r)
{
	const struct ssd_bench_test *t = &r->test;
	bool random = ssd_bench_is_random(t->kind), writes = ssd_bench_writes(t->kind);

	if (b->env.simulated)
		return "a simulated drive: what was measured is this machine";
	if (b->env.is_file)
		return "a file was measured, and the figure is for the drive alone";
	if (r->rated.of_card)
		return "the figure is for the whole card, of which this is one controller";
	if (r->partial)
		return "the test ended early";
	if (t->rate)
		return "the rate was limited";
	if (t->block_bytes != (random ? RAND_BLOCK_BYTES : SEQ_BLOCK_BYTES))
		return random ? "the figure is for blocks of 4 KiB" : "the figure is for blocks of 128 KiB";
	if (t->queue_depth * t->jobs != RATED_DEPTH)
		return "the figure is for 128 I/Os under way (4 jobs x 32)";
	if (t->span_bytes)
		return "the figure is for the whole drive, not for a part of it";
	if (!writes && b->env.allocated_percent >= 0 && b->env.allocated_percent < ALLOCATED_PERCENT)
		return "much of what was read has never been written, or was deallocated: that does not touch the "
		       "flash";
	if (!writes && r->rated.percent > IMPLAUSIBLE_PERCENT)
		return "faster than the published maximum: what was read was deallocated, or came from a cache";
	return NULL;
}

/* --- host --- */

/*
 * Little's law: I/Os under way = rate x latency, where latency goes from submission to the moment we see the completion. If
 * the product is smaller than the queue depth, slots have been empty: we were too slow to fill them. Polling always
 * takes a whole core, so then that is no sign.
 */
static const char *host_limit(const struct ssd_bench *b, const struct ssd_bench_result *r, char *why, size_t size)
{
	unsigned depth = r->test.queue_depth * r->test.jobs;

	if (!b->env.polled && r->busiest_cpu_percent >= BUSY_PERCENT) {
		snprintf(why, size, "the host was the limit: a job kept its core %.0f %% busy (%.0f ns for each I/O)",
			 r->busiest_cpu_percent, r->cpu_ns_per_io);
		return "cpu";
	}
	if (r->mean_depth > 0 && r->mean_depth * 100 < (double)depth * LITTLE_PERCENT) {
		snprintf(why, size, "the host was the limit: %.1f I/Os were under way on the average, not %u",
			 r->mean_depth, depth);
		return "depth";
	}
	return NULL;
}

/* What was asked for is no limit. A link that is full is the first one that the drive meets. */
static const char *limit_of(const struct ssd_bench *b, const struct ssd_bench_result *r, char *why, size_t size)
{
	if (r->test.rate)
		return NULL;
	if (!link_is_slow(b) || r->link_percent * 100 < LINK_LEAST_PERCENT * PASS_PERCENT)
		return host_limit(b, r, why, size);
	snprintf(why, size, "the PCIe link was the limit: %.0f %% of the %.0f MB/s that it carries", r->link_percent,
		 ceiling(b));
	return "link";
}

/* --- each test --- */

static void number(char buf[32], double value)
{
	unsigned long long n = (unsigned long long)(value + 0.5);

	if (n < 1000)
		snprintf(buf, 32, "%llu", n);
	else if (n < 1000000)
		snprintf(buf, 32, "%llu,%03llu", n / 1000, n % 1000);
	else
		snprintf(buf, 32, "%llu,%03llu,%03llu", n / 1000000, n / 1000 % 1000, n % 1000);
}

static void say_figure(struct ssd_bench *b, const struct ssd_bench_result *r, const char *remark)
{
	bool random = ssd_bench_is_random(r->test.kind);
	char is[32], rated[32];

	number(is, random ? r->iops : r->mb_per_s);
	number(rated, r->rated.value);
	say(b, "%s: %s %s, %.0f %% of %s%s%s%s", r->test.name, is, random ? "IOPS" : "MB/s", r->rated.percent,
	    r->rated.up_to ? "\"up to\" " : "", rated, *remark ? ": " : "", remark);
}

/*
 * How much of what can be reached here: of the figure, or where the link is too slow for that, of what it lets through at
 * least.
 */
static double attainable_percent(const struct ssd_bench *b, const struct ssd_bench_result *r)
{
	double of_link = r->link_percent * 100 / LINK_LEAST_PERCENT;

	return link_is_slow(b) && of_link > r->rated.percent ? of_link : r->rated.percent;
}

/* Asked for, and the rounds did not agree. */
static bool is_unsteady(const struct ssd_bench *b)
{
	return !strcmp(b->preset, "steady") && b->state == SSD_BENCH_BURST;
}

/* A figure of the family is its fastest model's: a smaller one may be slower and whole. */
static void judge_comparable(struct ssd_bench *b, const struct ssd_bench_result *r)
{
	bool writes = ssd_bench_writes(r->test.kind);
	const struct ssd_bench_rated *rated = &r->rated;
	double percent = attainable_percent(b, r);

	if (rated->percent >= PASS_PERCENT) {
		say_figure(b, r,
			   writes && b->state == SSD_BENCH_BURST ? "in a burst, which is faster than the steady state"
								 : "");
		at_least(b, SSD_BENCH_PASS);
	} else if (writes && b->state == SSD_BENCH_BURST) {
		say_figure(b, r,
			   is_unsteady(b) ? "the figure is for the steady state, which this is not"
					  : "the figure is for the steady state, which this is not (--preset steady)");
		at_least(b, SSD_BENCH_WARN);
	} else if (percent >= WARN_PERCENT) {
		say_figure(b, r, "");
		at_least(b, SSD_BENCH_WARN);
	} else {
		say_figure(b, r, rated->up_to ? "the family's maximum, which not every model reaches" : "");
		at_least(b, rated->up_to ? SSD_BENCH_WARN : SSD_BENCH_FAIL);
	}
}

static bool is_elsewhere(const struct ssd_bench *b)
{
	return b->env.simulated || b->env.is_file;
}

/* Of itself alone: what it is held against, and what limited it. why: NULL, or 160 bytes for the sentence. */
static void assess(const struct ssd_bench *b, struct ssd_bench_result *r, char *why)
{
	char unused[160];

	look_up(b, r);
	r->rated.because = difference(b, r);
	r->rated.comparable = r->rated.known && !r->rated.because;
	r->link_percent = link_percent(b, r);
	r->limited_by = limit_of(b, r, why ? why : unused, sizeof(unused));
}

/* Whether another test has done the same work under the figure's own conditions, and the host kept up with the drive. */
static bool is_settled(const struct ssd_bench *b, const struct ssd_bench_result *r)
{
	for (size_t i = 0; i < b->n_tests && !r->rated.comparable; i++)
		if (is_judged(&b->tests[i]) && b->tests[i].test.kind == r->test.kind && b->tests[i].rated.comparable &&
		    (!b->tests[i].limited_by || b->tests[i].rated.percent >= PASS_PERCENT))
			return true;
	return false;
}

static void judge_test(struct ssd_bench *b, struct ssd_bench_result *r)
{
	char why[160], text[200];

	assess(b, r, why);
	if (r->limited_by && r->rated.known && !is_elsewhere(b) && r->rated.percent < PASS_PERCENT &&
	    !is_settled(b, r)) {
		bool more_jobs = r->test.jobs < 4 && strcmp(r->limited_by, "link") != 0;

		snprintf(text, sizeof(text), "%s%s", why, more_jobs ? "; try 4 jobs x 32 (--preset rated)" : "");
		say_figure(b, r, text);
		at_least(b, SSD_BENCH_HOST_LIMITED);
	} else if (r->rated.comparable) {
		judge_comparable(b, r);
	} else if (r->rated.known && !is_elsewhere(b)) {
		say_figure(b, r, r->rated.because);
	} else if (r->limited_by && !is_elsewhere(b)) {
		say(b, "%s: %s", r->test.name, why);
	}
}

/* More than a link can carry did not come over it. Virtual machines invent links, so only where the drive is known. */
static void judge_speed(struct ssd_bench *b, const struct ssd_bench_result *r)
{
	if (!b->n_ratings || is_elsewhere(b) || r->link_percent <= 100)
		return;
	say(b, "%s: %.0f MB/s are more than the PCIe link carries", r->test.name, r->mb_per_s);
	at_least(b, SSD_BENCH_INVALID);
}

/* Percentiles hide it, as few I/Os are under way meanwhile. At a rate a job waits for the next one to be due. */
static void say_silence(struct ssd_bench *b, const struct ssd_bench_result *r)
{
	double due = r->test.rate ? (double)r->test.jobs / (double)r->test.rate : 0;
	double seconds = (double)r->longest_gap_ns / 1e9;

	if (r->done && seconds >= SILENT_SECONDS + due)
		say(b, "%s: nothing was completed for %.1f s", r->test.name, seconds);
}

/* Where it matters that it is one and not the other. */
static void say_circumstances(struct ssd_bench *b)
{
	bool reads = false, writes = false;

	for (size_t i = 0; i < b->n_tests; i++) {
		reads |= is_judged(&b->tests[i]) && b->tests[i].read_ios;
		writes |= is_judged(&b->tests[i]) && b->tests[i].write_ios;
	}
	if (writes && is_unsteady(b))
		say(b, "steady state was not reached");
	if (b->state == SSD_BENCH_SHARED)
		say(b, "others use the device: no better and no worse than a warning");
	if (reads && b->env.allocated_percent >= 0 && b->env.allocated_percent < ALLOCATED_PERCENT)
		say(b, "deallocated: only %lld %% of what was read has been written",
		    (long long)b->env.allocated_percent);
	if (b->has_identity && b->before.temperature_celsius == INT32_MIN)
		say(b, "its temperature is not known: heat would not have ended the run");
	if (b->env.cached)
		say(b, "the file system has no direct I/O: what was measured is this machine's page cache");
	if (b->interrupted)
		say(b, "interrupted: what follows was not measured");
	if (b->env.simulated)
		say(b, "simulated: what was measured is this machine, and not the drive");
	else if (!b->n_ratings)
		say(b, "no published figures are known for it");
}

void ssd_bench_judge(struct ssd_bench *b)
{
	bool any = false;

	b->verdict = SSD_BENCH_NO_SPEC;
	b->n_reasons = 0;
	judge_looks(b);
	judge_traffic(b);
	for (size_t i = 0; i < b->n_tests; i++)
		if (is_judged(&b->tests[i]))
			assess(b, &b->tests[i], NULL);
	for (size_t i = 0; i < b->n_tests; i++) {
		struct ssd_bench_result *r = &b->tests[i];

		judge_errors(b, r);
		say_silence(b, r);
		if (!is_judged(r))
			continue;
		any = true;
		judge_test(b, r);
		judge_speed(b, r);
	}
	say_link(b);
	say_circumstances(b);
	if (!any)
		say(b, "nothing was measured");
	b->falls_short = b->verdict >= SSD_BENCH_WARN;
	if (b->state == SSD_BENCH_SHARED && (b->verdict == SSD_BENCH_PASS || b->verdict == SSD_BENCH_FAIL))
		b->verdict = SSD_BENCH_WARN;
}
