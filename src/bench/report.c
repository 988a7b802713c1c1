/* SPDX-License-Identifier: MIT */
/* The benchmark as a document, and the document for people. */
#include "bench/report.h"

#include <math.h>

/* --- descriptors --- */

#define F(k, l, t, ...)                                              \
	{                                                            \
		.key = (k), .label = (l), .type = (t), ##__VA_ARGS__ \
	}

static const struct ssd_field latency_fields[] = {
	F("min", "Minimum", SSD_UINT, .unit = SSD_NS),
	F("mean", "Mean", SSD_REAL, .unit = SSD_NS),
	F("p50", "50 %", SSD_UINT, .unit = SSD_NS, .help = "Half of the I/Os took no longer"),
	F("p90", "90 %", SSD_UINT, .unit = SSD_NS),
	F("p99", "99 %", SSD_UINT, .unit = SSD_NS),
	F("p99_9", "99.9 %", SSD_UINT, .unit = SSD_NS),
	F("p99_99", "99.99 %", SSD_UINT, .unit = SSD_NS, .help = "Means something from 100,000 I/Os on"),
	F("max", "Maximum", SSD_UINT, .unit = SSD_NS),
	SSD_FIELD_END,
};

static const struct ssd_field bar_fields[] = {
	F("from_ns", "From", SSD_UINT, .unit = SSD_NS, .flags = SSD_ALWAYS),
	F("to_ns", "To", SSD_UINT, .unit = SSD_NS, .flags = SSD_ALWAYS, .help = "This value included"),
	F("ios", "I/Os", SSD_UINT, .flags = SSD_ALWAYS),
	SSD_FIELD_END,
};

static const struct ssd_field rate_item[] = {{.type = SSD_REAL}, SSD_FIELD_END};
static const struct ssd_field reason_item[] = {{.type = SSD_STR}, SSD_FIELD_END};

static const struct ssd_field series_fields[] = {
	F("interval_seconds", "Interval", SSD_REAL, .unit = SSD_SECONDS),
	F("iops", "I/Os per second", SSD_LIST, .sub = rate_item, .help = "In one interval after the other"),
	SSD_FIELD_END,
};

static const struct ssd_field rated_fields[] = {
	F("value", "Published", SSD_REAL),
	F("unit", "Unit", SSD_STR, .help = "`mb_per_s` or `iops`"),
	F("percent", "Reached", SSD_REAL, .unit = SSD_PERCENT, .help = "What was measured, of the published figure"),
	F("source", "Source", SSD_STR),
	F("up_to", "Up to", SSD_BOOL, .help = "The maximum of a family, not the figure of this model"),
	F("comparable", "Comparable", SSD_BOOL,
	  .help = "The conditions are those of the figure, so it is judged by it"),
	F("because", "Because", SSD_STR, .help = "Why it is not comparable"),
	SSD_FIELD_END,
};

static const struct ssd_field test_fields[] = {
	F("name", "Test", SSD_STR, .flags = SSD_ALWAYS),
	F("kind", "Kind", SSD_STR, .flags = SSD_ALWAYS,
	  .help = "`seq_read`, `rand_read`, `seq_write`, `rand_write`, `seq_mixed` or `rand_mixed`"),
	F("read_percent", "Reads", SSD_UINT, .unit = SSD_PERCENT, .flags = SSD_ALWAYS),
	F("block_bytes", "Block", SSD_UINT, .unit = SSD_BYTES, .flags = SSD_ALWAYS),
	F("queue_depth", "Depth", SSD_UINT, .flags = SSD_ALWAYS, .help = "I/Os under way in each job"),
	F("jobs", "Jobs", SSD_UINT, .flags = SSD_ALWAYS, .help = "Threads"),
	F("rate_iops", "Limited to", SSD_UINT, .help = "I/Os per second, when a rate was asked for"),
	F("span_bytes", "Span", SSD_UINT, .unit = SSD_BYTES,
	  .help = "The part from the start, or the file of --write-file; null: all of it"),
	F("precondition", "Preconditioning", SSD_BOOL, .flags = SSD_ALWAYS, .help = "Only prepares: never judged"),
	F("partial", "Ended early", SSD_BOOL),
	F("seconds", "Time", SSD_REAL, .unit = SSD_SECONDS),
	F("ios", "I/Os", SSD_UINT, .help = "Null: not run"),
	F("bytes", "Bytes", SSD_UINT, .unit = SSD_BYTES),
	F("read_ios", "Reads", SSD_UINT),
	F("write_ios", "Writes", SSD_UINT),
	F("mb_per_s", "MB/s", SSD_REAL, .help = "Millions of bytes per second"),
	F("iops", "IOPS", SSD_REAL),
	F("errors", "Errors", SSD_UINT, .help = "I/Os that failed"),
	F("latency_ns", "Latency", SSD_OBJ, .sub = latency_fields),
	F("read_latency_ns", "Latency of reads", SSD_OBJ, .sub = latency_fields, .help = "Of mixed tests"),
	F("write_latency_ns", "Latency of writes", SSD_OBJ, .sub = latency_fields, .help = "Of mixed tests"),
	F("latency_histogram", "Histogram", SSD_LIST, .sub = bar_fields,
	  .help = "Those that are not empty, four to a doubling"),
	F("iops_over_time", "Over time", SSD_OBJ, .sub = series_fields),
	F("longest_gap_ns", "Longest gap", SSD_UINT, .unit = SSD_NS, .help = "Without a completion, in any job"),
	F("mean_depth", "Mean depth", SSD_REAL, .help = "I/Os under way on the average (Little's law)"),
	F("cpu_ns_per_io", "CPU", SSD_REAL, .unit = SSD_NS, .help = "User and kernel time of the jobs, for each I/O"),
	F("busiest_cpu_percent", "Busiest job", SSD_REAL, .unit = SSD_PERCENT, .help = "Of a core"),
	F("temperature_max_celsius", "Hottest", SSD_INT, .unit = SSD_CELSIUS),
	F("link_percent", "Of the link", SSD_REAL, .unit = SSD_PERCENT,
	  .help = "Of what the PCIe link carries, `environment.link_mb_per_s`; null: not known"),
	F("limited_by", "Limited by", SSD_STR,
	  .help = "`cpu`, `depth` (fewer I/Os under way than asked for) or `link`: not the drive; null: none of them"),
	F("rated", "Published figure", SSD_OBJ, .sub = rated_fields, .help = "Null: none is known for this test"),
	SSD_FIELD_END,
};

static const struct ssd_field env_fields[] = {
	F("kernel", "Kernel", SSD_STR),
	F("scheduler", "I/O scheduler", SSD_STR),
	F("governor", "CPU governor", SSD_STR),
	F("numa_node", "NUMA node", SSD_INT),
	F("cpus", "CPUs", SSD_UINT),
	F("poll_queues", "Poll queues", SSD_INT),
	F("block_bytes", "Logical block", SSD_UINT, .unit = SSD_BYTES, .help = "Of the namespace's LBA format"),
	F("metadata_bytes", "Metadata", SSD_INT, .unit = SSD_BYTES, .help = "Of each logical block"),
	F("max_transfer_bytes", "Largest transfer", SSD_UINT, .unit = SSD_BYTES),
	F("allocated_percent", "Allocated", SSD_INT, .unit = SSD_PERCENT,
	  .help = "Of the namespace or file: has been written"),
	F("link_speed", "Link speed", SSD_STR),
	F("link_width", "Link width", SSD_INT),
	F("link_mb_per_s", "Link ceiling", SSD_REAL, .help = "MB/s that the PCIe link moves, packet headers included"),
	F("max_link_speed", "Drive's link speed", SSD_STR),
	F("max_link_width", "Drive's link width", SSD_INT),
	F("temperature_before_celsius", "Temperature before", SSD_INT, .unit = SSD_CELSIUS),
	F("temperature_after_celsius", "Temperature after", SSD_INT, .unit = SSD_CELSIUS),
	SSD_FIELD_END,
};

static const struct ssd_field change_fields[] = {
	F("name", "Test", SSD_STR, .flags = SSD_ALWAYS),
	F("unit", "Unit", SSD_STR, .flags = SSD_ALWAYS, .help = "`mb_per_s` or `iops`"),
	F("earlier", "Earlier", SSD_REAL, .help = "Null: the earlier result has no test like this one"),
	F("now", "Now", SSD_REAL),
	F("change_percent", "Change", SSD_REAL, .unit = SSD_PERCENT),
	F("noise_percent", "Noise", SSD_REAL, .unit = SSD_PERCENT, .help = "What two runs may differ by"),
	F("exceeds_noise", "Counts", SSD_BOOL),
	SSD_FIELD_END,
};

static const struct ssd_field compare_fields[] = {
	F("file", "File", SSD_STR, .flags = SSD_ALWAYS),
	F("device", "Device", SSD_STR, .help = "Of the earlier result"),
	F("model", "Model", SSD_STR, .help = "Likewise"),
	F("serial", "Serial number", SSD_STR, .help = "Likewise"),
	F("firmware", "Firmware", SSD_STR, .help = "Likewise"),
	F("engine", "Engine", SSD_STR, .help = "Likewise"),
	F("state", "State", SSD_STR, .help = "Likewise"),
	F("verdict", "Verdict", SSD_STR, .help = "Likewise"),
	F("tests", "Tests", SSD_LIST, .sub = change_fields),
	SSD_FIELD_END,
};

const struct ssd_field ssd_bench_fields[] = {
	F("preset", "Preset", SSD_STR, .flags = SSD_ALWAYS),
	F("engine", "Engine", SSD_STR, .help = "Null: nothing was run"),
	F("state", "State", SSD_STR, .flags = SSD_ALWAYS, .help = "`burst`, `steady`, or `shared` with other users"),
	F("tests", "Tests", SSD_LIST, .sub = test_fields),
	F("environment", "Environment", SSD_OBJ, .sub = env_fields),
	F("interrupted", "Interrupted", SSD_BOOL, .flags = SSD_ALWAYS),
	F("verdict", "Verdict", SSD_STR, .flags = SSD_ALWAYS,
	  .help = "`pass`, `warn`, `fail`, `host_limited`, `invalid` or `no_spec`"),
	F("reasons", "Reasons", SSD_LIST, .sub = reason_item),
	F("compare", "Compared", SSD_OBJ, .sub = compare_fields, .help = "With the result that --compare names"),
	SSD_FIELD_END,
};

/* --- document --- */

static void set_known(struct ssd_node *obj, const char *key, int64_t value)
{
	if (value >= 0)
		ssd_set_int(obj, key, value);
}

static void set_celsius(struct ssd_node *obj, const char *key, int value)
{
	if (value != INT32_MIN)
		ssd_set_int(obj, key, value);
}

static void set_latency(struct ssd_node *obj, const char *key, const struct ssd_bench_latency *l)
{
	struct ssd_node *n = l->samples ? ssd_set_obj(obj, key) : NULL;

	if (!n)
		return;
	ssd_set_uint(n, "min", l->min_ns);
	ssd_set_real(n, "mean", l->mean_ns);
	ssd_set_uint(n, "p50", l->p50_ns);
	ssd_set_uint(n, "p90", l->p90_ns);
	ssd_set_uint(n, "p99", l->p99_ns);
	ssd_set_uint(n, "p99_9", l->p99_9_ns);
	ssd_set_uint(n, "p99_99", l->p99_99_ns);
	ssd_set_uint(n, "max", l->max_ns);
}

static void set_histogram(struct ssd_node *test, const struct ssd_bench_result *r)
{
	struct ssd_node *list = ssd_set_list(test, "latency_histogram");

	for (unsigned i = 0; i < SSD_BENCH_BARS; i++) {
		struct ssd_node *bar = r->histogram[i] ? ssd_add_item(list) : NULL;

		if (!bar)
			continue;
		ssd_set_uint(bar, "from_ns", ssd_hist_low(i << SSD_BENCH_BAR_SHIFT));
		ssd_set_uint(bar, "to_ns", ssd_hist_high(((i + 1) << SSD_BENCH_BAR_SHIFT) - 1));
		ssd_set_uint(bar, "ios", r->histogram[i]);
	}
}

static void set_series(struct ssd_node *test, const struct ssd_bench_series *s)
{
	struct ssd_node *obj, *list;
	double seconds = (double)s->slot_ns / 1e9;

	if (!s->n)
		return;
	obj = ssd_set_obj(test, "iops_over_time");
	ssd_set_real(obj, "interval_seconds", seconds);
	list = ssd_set_list(obj, "iops");
	for (unsigned i = 0; i < s->n; i++)
		ssd_add_real(list, s->ios[i] / seconds);
}

static void set_rated(struct ssd_node *test, const struct ssd_bench_rated *r)
{
	struct ssd_node *obj = r->known ? ssd_set_obj(test, "rated") : NULL;

	if (!obj)
		return;
	ssd_set_real(obj, "value", r->value);
	ssd_set_str(obj, "unit", r->unit);
	ssd_set_real(obj, "percent", r->percent);
	ssd_set_str(obj, "source", r->source);
	ssd_set_bool(obj, "up_to", r->up_to);
	ssd_set_bool(obj, "comparable", r->comparable);
	ssd_set_str(obj, "because", r->because);
}

static void set_conditions(struct ssd_node *obj, const struct ssd_bench_test *t)
{
	ssd_set_str(obj, "name", t->name);
	ssd_set_str(obj, "kind", ssd_bench_kind_word(t->kind));
	ssd_set_uint(obj, "read_percent", t->read_percent);
	ssd_set_uint(obj, "block_bytes", t->block_bytes);
	ssd_set_uint(obj, "queue_depth", t->queue_depth);
	ssd_set_uint(obj, "jobs", t->jobs);
	ssd_set_bool(obj, "precondition", t->precondition);
	if (t->rate)
		ssd_set_uint(obj, "rate_iops", t->rate);
	if (t->span_bytes)
		ssd_set_uint(obj, "span_bytes", t->span_bytes);
}

static void set_result(struct ssd_node *obj, const struct ssd_bench_result *r)
{
	bool mixed = r->read_ios && r->write_ios;

	ssd_set_bool(obj, "partial", r->partial);
	ssd_set_real(obj, "seconds", r->seconds);
	ssd_set_uint(obj, "ios", r->ios);
	ssd_set_uint(obj, "bytes", r->bytes);
	ssd_set_uint(obj, "read_ios", r->read_ios);
	ssd_set_uint(obj, "write_ios", r->write_ios);
	ssd_set_real(obj, "mb_per_s", r->mb_per_s);
	ssd_set_real(obj, "iops", r->iops);
	ssd_set_uint(obj, "errors", r->errors);
	set_latency(obj, "latency_ns", &r->latency);
	if (mixed) {
		set_latency(obj, "read_latency_ns", &r->read);
		set_latency(obj, "write_latency_ns", &r->write);
	}
	set_histogram(obj, r);
	set_series(obj, &r->series);
	ssd_set_uint(obj, "longest_gap_ns", r->longest_gap_ns);
	ssd_set_real(obj, "mean_depth", r->mean_depth);
	ssd_set_real(obj, "cpu_ns_per_io", r->cpu_ns_per_io);
	ssd_set_real(obj, "busiest_cpu_percent", r->busiest_cpu_percent);
	set_celsius(obj, "temperature_max_celsius", r->temperature_max_celsius);
	if (r->link_percent > 0)
		ssd_set_real(obj, "link_percent", r->link_percent);
	ssd_set_str(obj, "limited_by", r->limited_by);
	set_rated(obj, &r->rated);
}

static void set_environment(struct ssd_node *obj, const struct ssd_bench *b)
{
	const struct ssd_bench_env *e = &b->env;
	double link = ssd_bench_link_mb_per_s(b->before.link_speed, b->before.link_width);

	ssd_set_str(obj, "kernel", e->kernel);
	ssd_set_str(obj, "scheduler", e->scheduler);
	ssd_set_str(obj, "governor", e->governor);
	set_known(obj, "numa_node", e->numa_node);
	ssd_set_uint(obj, "cpus", e->cpus);
	set_known(obj, "poll_queues", e->poll_queues);
	if (e->block_bytes)
		ssd_set_uint(obj, "block_bytes", e->block_bytes);
	set_known(obj, "metadata_bytes", e->metadata_bytes);
	if (e->max_transfer_bytes)
		ssd_set_uint(obj, "max_transfer_bytes", e->max_transfer_bytes);
	set_known(obj, "allocated_percent", e->allocated_percent);
	ssd_set_str(obj, "link_speed", b->before.link_speed);
	set_known(obj, "link_width", b->before.link_width);
	if (link > 0)
		ssd_set_real(obj, "link_mb_per_s", link);
	ssd_set_str(obj, "max_link_speed", e->max_link_speed);
	set_known(obj, "max_link_width", e->max_link_width);
	set_celsius(obj, "temperature_before_celsius", b->before.temperature_celsius);
	set_celsius(obj, "temperature_after_celsius", b->after.temperature_celsius);
}

void ssd_bench_document(const struct ssd_bench *b, struct ssd_node *obj)
{
	struct ssd_node *tests = ssd_set_list(obj, "tests"), *reasons = ssd_set_list(obj, "reasons");
	bool any = false;

	ssd_set_str(obj, "preset", b->preset);
	ssd_set_str(obj, "engine", b->engine);
	ssd_set_str(obj, "state", ssd_bench_state_word(b->state));
	for (size_t i = 0; i < b->n_tests; i++) {
		struct ssd_node *test = ssd_add_item(tests);

		set_conditions(test, &b->tests[i].test);
		if (b->tests[i].done)
			set_result(test, &b->tests[i]);
		any |= b->tests[i].done;
	}
	if (any)
		set_environment(ssd_set_obj(obj, "environment"), b);
	ssd_set_bool(obj, "interrupted", b->interrupted);
	ssd_set_str(obj, "verdict", ssd_bench_verdict_word(b->verdict));
	for (size_t i = 0; i < b->n_reasons; i++)
		ssd_add_str(reasons, b->reasons[i]);
}

/* --- comparison --- */

#define MIN_INTERVALS 8
/* Two tools that measure the same namespace differ by as much, whatever the intervals say. */
#define MIN_NOISE_PERCENT 5

double ssd_bench_spread(const double *rates, size_t n)
{
	double sum = 0, squares = 0, mean;

	for (size_t i = 0; i < n; i++)
		sum += rates[i];
	if (n < MIN_INTERVALS || sum <= 0)
		return -1;
	mean = sum / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (rates[i] - mean) * (rates[i] - mean);
	return sqrt(squares / (double)(n - 1) / (double)n) / mean;
}

/* Twice the standard error of the difference: what chance alone exceeds once in twenty times. */
double ssd_bench_noise_percent(double spread, double earlier_spread)
{
	double noise =
		spread < 0 || earlier_spread < 0 ? 0 : 200 * sqrt(spread * spread + earlier_spread * earlier_spread);

	return noise > MIN_NOISE_PERCENT ? noise : MIN_NOISE_PERCENT;
}

/* --- text --- */

#define BAR_COLUMNS 30
#define MAX_LINES 64 /* doublings of a 64-bit number */

static double real(const struct ssd_node *obj, const char *path)
{
	const struct ssd_node *n = ssd_get(obj, path);

	return n ? n->real : 0;
}

static void bar(double share, FILE *out)
{
	int n = (int)(share * BAR_COLUMNS + 0.5);

	n = n < 0 ? 0 : n > BAR_COLUMNS ? BAR_COLUMNS : n;
	for (int i = 0; i < BAR_COLUMNS; i++)
		fputc(i < n ? '#' : '.', out);
}

/* Three digits, and the unit that they are in: "203 us". */
const char *ssd_bench_time_text(double ns, char buf[32])
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	size_t u = 0;

	for (; ns >= 999.5 && u + 1 < ARRAY_SIZE(units); u++)
		ns /= 1000;
	snprintf(buf, 32, ns < 10 && u ? "%.2f %s" : ns < 100 && u ? "%.1f %s" : "%.0f %s", ns, units[u]);
	return buf;
}

const char *ssd_bench_number_text(double value, char buf[32])
{
	char digits[32];
	char *to = buf;
	int len = snprintf(digits, sizeof(digits), "%.0f", value);

	for (int i = 0; i < len && to < buf + 30; i++) {
		*to++ = digits[i];
		if ((len - i) % 3 == 1 && i + 1 < len && digits[i] != '-')
			*to++ = ',';
	}
	*to = '\0';
	return buf;
}

static bool is_random(const struct ssd_node *test)
{
	return !strncmp(ssd_get_str(test, "kind", ""), "rand", 4);
}

/* The number that a test is about, and what it is. */
double ssd_bench_rate(const struct ssd_node *test, const char **unit)
{
	bool random = is_random(test);

	*unit = random ? "IOPS" : "MB/s";
	return real(test, random ? "iops" : "mb_per_s");
}

static int name_width(const struct ssd_node *tests)
{
	size_t width = 4;

	for (const struct ssd_node *t = tests->child; t; t = t->next)
		if (strlen(ssd_get_str(t, "name", "")) > width)
			width = strlen(ssd_get_str(t, "name", ""));
	return (int)width;
}

/* The longest bar of its unit is the fastest test, or a published figure that is higher. */
static double longest(const struct ssd_node *tests, bool random)
{
	double most = 0;
	const char *unit;

	for (const struct ssd_node *t = tests->child; t; t = t->next) {
		double value = ssd_bench_rate(t, &unit), rated = real(t, "rated.value");

		if (is_random(t) != random)
			continue;
		most = value > most ? value : most;
		most = rated > most ? rated : most;
	}
	return most;
}

static void text_test(const struct ssd_node *t, int width, double most, FILE *out)
{
	const struct ssd_node *p50 = ssd_get(t, "latency_ns.p50"), *p99 = ssd_get(t, "latency_ns.p99");
	const char *unit;
	double value = ssd_bench_rate(t, &unit);
	char a[32], b[32], c[32];

	fprintf(out, "  %-*s  ", width, ssd_get_str(t, "name", ""));
	if (!ssd_get(t, "ios")) {
		fputs("not run\n", out);
		return;
	}
	bar(most > 0 ? value / most : 0, out);
	fprintf(out, " %11s %s  %8s  %8s", ssd_bench_number_text(value, a), unit,
		p50 ? ssd_bench_time_text((double)p50->u, b) : "-", p99 ? ssd_bench_time_text((double)p99->u, c) : "-");
	if (ssd_get(t, "rated"))
		fprintf(out, "  %3.0f %% of %s%s%s", real(t, "rated.percent"),
			ssd_get_int(t, "rated.up_to", 0) ? "up to " : "",
			ssd_bench_number_text(real(t, "rated.value"), a),
			ssd_get_int(t, "rated.comparable", 0) ? "" : " (not comparable)");
	if (ssd_get_int(t, "precondition", 0))
		fputs("  preparation", out);
	if (ssd_get_int(t, "partial", 0))
		fputs("  ended early", out);
	fputc('\n', out);
}

/* One line for each doubling of the latency, from the first with I/Os to the last. */
static void text_histogram(const struct ssd_node *t, FILE *out)
{
	const struct ssd_node *list = ssd_get(t, "latency_histogram");
	double count[MAX_LINES] = {0}, most = 0, all = (double)ssd_get_int(t, "ios", 0);
	unsigned first = MAX_LINES, last = 0;
	char from[32];

	if (!list || !list->child || all <= 0)
		return;
	for (const struct ssd_node *n = list->child; n; n = n->next) {
		unsigned line = 63u - (unsigned)__builtin_clzll((uint64_t)ssd_get_int(n, "to_ns", 1) | 1);

		count[line] += (double)ssd_get_int(n, "ios", 0);
		most = count[line] > most ? count[line] : most;
		first = line < first ? line : first;
		last = line > last ? line : last;
	}
	fprintf(out, "\n  Latency of %s (%s I/Os)\n", ssd_get_str(t, "name", ""), ssd_bench_number_text(all, from));
	for (unsigned i = first; i <= last && i < MAX_LINES; i++) {
		fprintf(out, "  from %8s  ", ssd_bench_time_text((double)(1ull << i), from));
		bar(count[i] / most, out);
		fprintf(out, " %7.3f %%\n", count[i] / all * 100);
	}
}

static void text_compare(const struct ssd_node *compare, FILE *out)
{
	const struct ssd_node *tests = ssd_get(compare, "tests");
	char a[32], b[32];

	if (!tests)
		return;
	fprintf(out, "\n  Compared with %s: %s, serial number %s, firmware %s, %s, %s, verdict %s\n",
		ssd_get_str(compare, "file", ""), ssd_get_str(compare, "device", "-"),
		ssd_get_str(compare, "serial", "-"), ssd_get_str(compare, "firmware", "-"),
		ssd_get_str(compare, "engine", "-"), ssd_get_str(compare, "state", "-"),
		ssd_get_str(compare, "verdict", "-"));
	for (const struct ssd_node *t = tests->child; t; t = t->next) {
		const char *unit = strcmp(ssd_get_str(t, "unit", ""), "iops") ? "MB/s" : "IOPS";

		fprintf(out, "  %-*s  ", name_width(tests), ssd_get_str(t, "name", ""));
		if (ssd_get(t, "change_percent"))
			fprintf(out, "%+7.1f %%  %11s -> %11s %s  %s\n", real(t, "change_percent"),
				ssd_bench_number_text(real(t, "earlier"), a), ssd_bench_number_text(real(t, "now"), b),
				unit, ssd_get_int(t, "exceeds_noise", 0) ? "a change" : "within the noise");
		else
			fputs("nothing to compare with\n", out);
	}
}

/* The state is one of the writes: "burst" says nothing of tests that only read. */
static const char *state_text(const struct ssd_node *obj)
{
	const struct ssd_node *tests = ssd_get(obj, "tests");
	const char *state = ssd_get_str(obj, "state", "");

	for (const struct ssd_node *t = tests ? tests->child : NULL; t; t = t->next)
		if (ssd_get_int(t, "read_percent", 100) < 100)
			return state;
	return strcmp(state, "burst") != 0 ? state : "reads only";
}

void ssd_bench_text(const struct ssd_node *obj, const char *note, FILE *out)
{
	const struct ssd_node *tests = ssd_get(obj, "tests"), *reasons = ssd_get(obj, "reasons");
	int width = tests ? name_width(tests) : 4;

	fprintf(out, "  %s, %s, %s\n\n", ssd_get_str(obj, "preset", ""), ssd_get_str(obj, "engine", "not run"),
		state_text(obj));
	if (ssd_get(obj, "engine"))
		fprintf(out, "  %-*s  %*s  %8s  %8s\n", width, "", BAR_COLUMNS + 17, "", "half in", "99 % in");
	for (const struct ssd_node *t = tests ? tests->child : NULL; t; t = t->next)
		text_test(t, width, longest(tests, is_random(t)), out);
	for (const struct ssd_node *t = tests ? tests->child : NULL; t; t = t->next)
		if (!ssd_get_int(t, "precondition", 0))
			text_histogram(t, out);
	text_compare(ssd_get(obj, "compare"), out);
	fprintf(out, "\n  Verdict: %s%s\n", ssd_get_str(obj, "verdict", ""), note);
	for (const struct ssd_node *r = reasons ? reasons->child : NULL; r; r = r->next)
		fprintf(out, "    %s\n", r->s);
}
