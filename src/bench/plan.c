/* SPDX-License-Identifier: MIT */
/* From what was asked for to the tests that are run; and when a drive is steady. */
#include <ssdct/bench.h>

#define K 1024u
#define CUSTOM_DEPTH 32

/* fio's words. */
static const struct {
	const char *word;
	enum ssd_bench_kind kind;
	uint8_t read_percent;
} words[] = {
	{"read", SSD_BENCH_SEQ_READ, 100},    {"randread", SSD_BENCH_RAND_READ, 100},
	{"write", SSD_BENCH_SEQ_WRITE, 0},    {"randwrite", SSD_BENCH_RAND_WRITE, 0},
	{"rw", SSD_BENCH_SEQ_MIXED, 70},      {"readwrite", SSD_BENCH_SEQ_MIXED, 70},
	{"randrw", SSD_BENCH_RAND_MIXED, 70},
};

static bool is_custom(const struct ssd_bench_wish *w)
{
	return w->rw || w->block_bytes || w->queue_depth || w->jobs || w->rate || w->read_percent;
}

static int custom(const struct ssd_bench_wish *w, struct ssd_bench_plan *plan, struct ssd_err *err)
{
	struct ssd_bench_test *t = &plan->tests[0];
	size_t i = 0;

	if (w->preset) {
		ssd_fail(err, SSD_ERR_USAGE,
			 "--preset says what is done, and so do --rw, --bs, --iodepth, --jobs, --rate");
		ssd_hint(err, "leave one of them out; --time and --size go with a preset");
		return -1;
	}
	while (i < ARRAY_SIZE(words) && strcmp(words[i].word, w->rw ? w->rw : "randread") != 0)
		i++;
	if (i == ARRAY_SIZE(words)) {
		ssd_fail(err, SSD_ERR_USAGE, "--rw: unknown workload \"%s\"", w->rw);
		ssd_hint(err, "one of read, write, randread, randwrite, rw, randrw");
		return -1;
	}
	*t = (struct ssd_bench_test){.name = words[i].word,
				     .kind = words[i].kind,
				     .read_percent = words[i].read_percent,
				     .queue_depth = w->queue_depth ? (unsigned)w->queue_depth : CUSTOM_DEPTH,
				     .jobs = w->jobs ? (unsigned)w->jobs : 1,
				     .seconds = SSD_BENCH_CUSTOM_SECONDS,
				     .rate = w->rate};
	t->block_bytes = w->block_bytes ? (uint32_t)w->block_bytes : ssd_bench_is_random(t->kind) ? 4 * K : 128 * K;
	if (w->read_percent && t->kind != SSD_BENCH_SEQ_MIXED && t->kind != SSD_BENCH_RAND_MIXED)
		return ssd_fail(err, SSD_ERR_USAGE, "--read-percent: only rw and randrw are mixed");
	t->read_percent = w->read_percent ? (unsigned)w->read_percent : t->read_percent;
	plan->n_tests = 1;
	return 0;
}

static int from_preset(const struct ssd_bench_wish *w, struct ssd_bench_plan *plan, struct ssd_err *err)
{
	const struct ssd_bench_preset *p = ssd_bench_preset_find(plan->preset);

	if (!p) {
		ssd_fail(err, SSD_ERR_USAGE, "--preset: there is no \"%s\"", plan->preset);
		ssd_hint(err, "see ssdct bench --help");
		return -1;
	}
	plan->steady = p->steady;
	for (size_t i = 0; i < p->n_tests; i++) {
		if (ssd_bench_writes(p->tests[i].kind) && !w->may_write)
			plan->left_out++;
		else
			plan->tests[plan->n_tests++] = p->tests[i];
	}
	return 0;
}

double ssd_bench_plan_seconds(const struct ssd_bench_plan *plan)
{
	double seconds = 0;

	for (size_t i = 0; i < plan->n_tests; i++)
		seconds += plan->tests[i].seconds;
	return seconds;
}

static void adjust(const struct ssd_bench_wish *w, struct ssd_bench_plan *plan)
{
	double all;

	for (size_t i = 0; i < plan->n_tests; i++) {
		struct ssd_bench_test *t = &plan->tests[i];

		t->seconds = w->seconds && !t->precondition ? (double)w->seconds : t->seconds;
		t->span_bytes = w->span_bytes ? w->span_bytes : t->span_bytes;
	}
	all = ssd_bench_plan_seconds(plan);
	for (size_t i = 0; i < plan->n_tests && w->limit_seconds > 0 && all > w->limit_seconds; i++)
		plan->tests[i].seconds *= w->limit_seconds / all;
}

static int nowhere_to_write(const struct ssd_bench_plan *plan, struct ssd_err *err)
{
	ssd_fail(err, SSD_ERR_REFUSED, "%s writes, and bench only reads unless told where to write", plan->preset);
	ssd_hint(err, "--write-file DIR writes to a file that is made and removed there; a whole namespace is "
		      "overwritten with --write-namespace");
	return -1;
}

int ssd_bench_plan(const struct ssd_bench_wish *w, struct ssd_bench_plan *plan, struct ssd_err *err)
{
	bool is_own = is_custom(w);

	*plan = (struct ssd_bench_plan){.preset = is_own ? "custom" : w->preset ? w->preset : "quick"};
	if (is_own ? custom(w, plan, err) : from_preset(w, plan, err))
		return -1;
	if (!plan->n_tests || (is_own && ssd_bench_writes(plan->tests[0].kind) && !w->may_write))
		return nowhere_to_write(plan, err);
	adjust(w, plan);
	return 0;
}

bool ssd_bench_wish_writes(const struct ssd_bench_wish *w)
{
	for (size_t i = 0; w->rw && i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i].word, w->rw))
			return ssd_bench_writes(words[i].kind);
	return false;
}

bool ssd_bench_is_steady(const double *rounds, size_t n)
{
	double low, high, mean = 0, slope = 0, squares = 0, middle = (SSD_BENCH_STEADY_WINDOW - 1) / 2.0;

	if (n < SSD_BENCH_STEADY_WINDOW)
		return false;
	rounds += n - SSD_BENCH_STEADY_WINDOW;
	low = high = rounds[0];
	for (size_t i = 0; i < SSD_BENCH_STEADY_WINDOW; i++) {
		low = rounds[i] < low ? rounds[i] : low;
		high = rounds[i] > high ? rounds[i] : high;
		mean += rounds[i] / SSD_BENCH_STEADY_WINDOW;
		slope += ((double)i - middle) * rounds[i];
		squares += ((double)i - middle) * ((double)i - middle);
	}
	slope = slope / squares * (SSD_BENCH_STEADY_WINDOW - 1);
	return high - low <= 0.2 * mean && (slope < 0 ? -slope : slope) <= 0.1 * mean;
}
