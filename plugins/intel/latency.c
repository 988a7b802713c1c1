/* SPDX-License-Identifier: MIT */
/*
 * Latency histograms of reads (log page C1h) and writes (C2h). Three generations of the layout, told by the version that
 * the page begins with; all counts are little-endian.
 *
 *   3.x      P3x00: three runs of u32 with steps of 32, 1024 and 32768 us (SPDK nvme_intel.h; the steps as nvme-cli takes
 *            them, with which each run begins where the one before it ends)
 *   4.0      152 u32, 8 to a doubling (Solidigm's part of nvme-cli); Intel's part reads it as 4.1
 *   4.1 on   1216 u32, 64 to a doubling; from 4.8 on a u64 with the average behind them (nvme-cli, libnvme_solidigm.c)
 *   1000.0   Optane: eight u64 and the average; where the buckets begin is in feature F7h (nvme-cli)
 *
 * A percentile is the end of the bucket in which it lies: so many of all commands took less. The page does not say more.
 */
#include "intel.h"
#include "latency.h"

#include <ssdct/le.h>
#include <ssdct/render.h>

static const struct ssd_field bucket_fields[] = {
	{.key = "from_us",
	 .label = "From",
	 .help = "The shortest time of the bucket",
	 .type = SSD_UINT,
	 .unit = SSD_US},
	{.key = "to_us",
	 .label = "to less than",
	 .help = "The end of the bucket; null: it has none",
	 .type = SSD_UINT,
	 .unit = SSD_US},
	{.key = "count", .label = "Commands", .help = "Commands that took so long", .type = SSD_UINT},
	SSD_FIELD_END,
};

#define PERCENTILE(k, l, of)                                                                                         \
	{                                                                                                            \
		.key = (k), .label = (l), .help = of " of the commands took less", .type = SSD_UINT, .unit = SSD_US, \
		.metric = SSD_GAUGE                                                                                  \
	}

const struct ssd_field intel_latency_fields[] = {
	SSD_U16("version_major", "Version, major", 0),
	SSD_U16("version_minor", "Version, minor", 2),
	{.key = "commands",
	 .label = "Commands",
	 .help = "Sum of all buckets; null: the page is not whole",
	 .type = SSD_UINT,
	 .metric = SSD_COUNTER},
	{.key = "average_us",
	 .label = "Average",
	 .help = "What the drive says; before version 4.8 it does not",
	 .type = SSD_UINT,
	 .unit = SSD_US,
	 .metric = SSD_GAUGE},
	PERCENTILE("p50_us", "p50", "Half"),
	PERCENTILE("p90_us", "p90", "90 %"),
	PERCENTILE("p95_us", "p95", "95 %"),
	PERCENTILE("p99_us", "p99", "99 %"),
	PERCENTILE("p99_9_us", "p99.9", "99.9 %"),
	PERCENTILE("p99_99_us", "p99.99", "99.99 %"),
	{.key = "max_us",
	 .label = "Max",
	 .help = "End of the last bucket that is not empty; null: it is the open one",
	 .type = SSD_UINT,
	 .unit = SSD_US,
	 .metric = SSD_GAUGE},
	{.key = "buckets",
	 .label = "Buckets",
	 .help = "Buckets that are not empty; null: the page is not whole",
	 .type = SSD_LIST,
	 .sub = bucket_fields},
	SSD_FIELD_END,
};

static const struct {
	const char *key;
	unsigned parts; /* of 10,000 */
} percentiles[] = {{"p50_us", 5000}, {"p90_us", 9000},   {"p95_us", 9500},
		   {"p99_us", 9900}, {"p99_9_us", 9990}, {"p99_99_us", 9999}};

/* Buckets of the same width, one after the other. */
struct steps {
	uint32_t count;
	uint64_t from, width;
};

/* Where the buckets are, by the page's version; the first row that fits. */
static const struct layout {
	uint16_t major, minor_first, minor_last;
	uint8_t width;   /* bytes of a count */
	uint16_t counts; /* from byte 4 on */
	uint8_t base;    /* 2^base buckets to a doubling; 0: steps, or limits that only a feature tells */
	struct steps steps[3];
	bool has_average; /* a u64 behind the counts */
} layouts[] = {
	{3, 0, UINT16_MAX, 4, 94, 0, {{32, 0, 32}, {31, 1024, 1024}, {31, 32768, 32768}}, false},
	{4, 0, 0, 4, 152, 3, {{0}}, false},
	{4, 0, 7, 4, 1216, 6, {{0}}, false},
	{4, 8, UINT16_MAX, 4, 1216, 6, {{0}}, true},
	{1000, 0, UINT16_MAX, 8, INTEL_LATENCY_BUCKETS, 0, {{0}}, true},
};

enum { COUNTS_AT = 4 };

static size_t bytes_of(const struct layout *l)
{
	return COUNTS_AT + (size_t)l->counts * l->width + (l->has_average ? 8 : 0);
}

static bool has_bytes(const uint8_t *buf, size_t from, size_t to)
{
	while (from < to && !buf[from])
		from++;
	return from < to;
}

/*
 * Version 4.0 is the short one unless there is something where only the long one has counts: which of them a page is that
 * has been cut before nobody knows.
 */
static const struct layout *layout_of(const uint8_t *buf, size_t len)
{
	uint16_t major = len >= COUNTS_AT ? ssd_le16(buf) : 0, minor = len >= COUNTS_AT ? ssd_le16(buf + 2) : 0;

	for (const struct layout *l = layouts; l < layouts + ARRAY_SIZE(layouts); l++) {
		if (l->major != major || minor < l->minor_first || minor > l->minor_last)
			continue;
		if (l->base != 3)
			return l;
		if (!has_bytes(buf, bytes_of(l), len < bytes_of(l + 1) ? len : bytes_of(l + 1)))
			return len < bytes_of(l + 1) ? NULL : l;
	}
	return NULL;
}

/* Where bucket i begins: i itself while the buckets are one microsecond wide, then twice as wide with every doubling. */
static uint64_t edge(const struct layout *l, unsigned i)
{
	unsigned per_doubling = 1u << l->base, e;

	if (!l->base) {
		const struct steps *s = l->steps;

		for (; i >= s->count && s < l->steps + ARRAY_SIZE(l->steps) - 1; s++)
			i -= s->count;
		return s->from + i * s->width;
	}
	if (i < 2 * per_doubling)
		return i;
	e = i / per_doubling - 1;
	return (uint64_t)(per_doubling + i % per_doubling) << e;
}

/* The last bucket of the newer layouts has no end: whatever took longer is in it. */
static void add_bucket(struct ssd_node *list, const struct layout *l, unsigned i, uint64_t count)
{
	bool by_limits = l->major == 1000;
	struct ssd_node *item;

	if (!count && !by_limits)
		return;
	item = ssd_add_item(list);
	ssd_set_uint(item, "count", count);
	if (by_limits)
		return;
	ssd_set_uint(item, "from_us", edge(l, i));
	if (!l->base || i + 1 < l->counts)
		ssd_set_uint(item, "to_us", edge(l, i + 1));
}

/* Percentiles and the largest, once all buckets and their ends are there. */
static void summarize(struct ssd_node *obj)
{
	const struct ssd_node *list = ssd_get(obj, "buckets"), *last = NULL;
	uint64_t total = (uint64_t)ssd_get_int(obj, "commands", 0), below = 0;
	size_t p = 0;

	for (const struct ssd_node *b = list ? list->child : NULL; b; b = b->next) {
		const struct ssd_node *to = ssd_get(b, "to_us");
		uint64_t count = (uint64_t)ssd_get_int(b, "count", 0);

		below = ssd_add_clamped(below, count);
		if (count)
			last = b;
		/* In double: exact to one command in 2^53, and what counts is which bucket it is. */
		for (; total && p < ARRAY_SIZE(percentiles) &&
		       (double)below * 10000 >= (double)total * percentiles[p].parts;
		     p++)
			if (to)
				ssd_set_uint(obj, percentiles[p].key, to->u);
	}
	if (last && ssd_get(last, "to_us"))
		ssd_set_uint(obj, "max_us", ssd_get(last, "to_us")->u);
}

static void derive(const uint8_t *buf, size_t len, struct ssd_node *obj)
{
	const struct layout *l = layout_of(buf, len);
	struct ssd_node *list;
	uint64_t total = 0;

	/* Some of the counts are not to be taken for all. */
	if (!l || len < COUNTS_AT + (size_t)l->counts * l->width)
		return;
	list = ssd_set_list(obj, "buckets");
	for (unsigned i = 0; i < l->counts; i++) {
		size_t at = COUNTS_AT + (size_t)i * l->width;

		add_bucket(list, l, i, ssd_le(buf + at, l->width));
		total = ssd_add_clamped(total, ssd_le(buf + at, l->width));
	}
	ssd_set_uint(obj, "commands", total);
	/* Of nothing there is no average. */
	if (l->has_average && total && len >= bytes_of(l))
		ssd_set_uint(obj, "average_us", ssd_le64(buf + bytes_of(l) - 8));
	if (l->major != 1000)
		summarize(obj);
}

void intel_latency_set_limits(struct ssd_node *obj, const uint32_t limits[INTEL_LATENCY_BUCKETS])
{
	struct ssd_node *list = ssd_get_mutable(obj, "buckets");
	unsigned i = 0;

	if (!list || !ssd_get(obj, "commands") || ssd_get_int(obj, "version_major", 0) != 1000)
		return;
	for (struct ssd_node *b = list->child; b && i < INTEL_LATENCY_BUCKETS; b = b->next, i++) {
		ssd_set_uint(b, "from_us", limits[i]);
		if (i + 1 < INTEL_LATENCY_BUCKETS)
			ssd_set_uint(b, "to_us", limits[i + 1]);
	}
	summarize(obj);
}

/* Asked for at its longest: there is no second time on drives that clear it (nvme-cli issue 1175). */
#define LATENCY_BYTES 4876

#define LATENCY_PAGE(id_, key_, name_, what, flags_)                                                       \
	{                                                                                                  \
		.field = {.key = (key_),                                                                   \
			  .label = "Intel latency of " what "s",                                           \
			  .help = "Latency histogram of " what "s since tracking was switched on",         \
			  .type = SSD_OBJ,                                                                 \
			  .sub = intel_latency_fields},                                                    \
		.name = (name_), .kind = SSD_PAGE_LOG, .uuid = intel_uuid, .id = (id_), .flags = (flags_), \
		.size = LATENCY_BYTES, .derive = derive,                                                   \
	}
#define READS(flags) LATENCY_PAGE(0xc1, "intel_latency_read", "latency-read", "read", flags)
#define WRITES(flags) LATENCY_PAGE(0xc2, "intel_latency_write", "latency-write", "write", flags)

const struct ssd_page intel_page_latency_read = READS(0), intel_page_latency_write = WRITES(0);
const struct ssd_page intel_page_optane_latency_read = READS(SSD_PAGE_CLEARS),
		      intel_page_optane_latency_write = WRITES(SSD_PAGE_CLEARS);

/* ---- drawn ---- */

enum { MAX_ROWS = 26, BAR = 38 }; /* a line is 80 columns at most */

struct bar {
	uint64_t from, to, count; /* to 0: open */
};

/* Buckets as they are, or all of a doubling in one: the edges of every layout fall on powers of two. */
static size_t gather(const struct ssd_node *list, bool merge, struct bar *bars, size_t room)
{
	size_t n = 0;

	for (const struct ssd_node *b = list->child; b; b = b->next) {
		struct bar bar = {(uint64_t)ssd_get_int(b, "from_us", 0), (uint64_t)ssd_get_int(b, "to_us", 0),
				  (uint64_t)ssd_get_int(b, "count", 0)};

		if (merge && bar.from) {
			uint64_t power = UINT64_C(1) << (63 - __builtin_clzll(bar.from));

			bar.from = power;
			bar.to = bar.to ? 2 * power : 0;
		}
		if (n && bars[n - 1].from == bar.from)
			bars[n - 1].count = ssd_add_clamped(bars[n - 1].count, bar.count);
		else if (n < room)
			bars[n++] = bar;
	}
	return n;
}

static const char *time_text(uint64_t us, char buf[32])
{
	if (us < 1000)
		snprintf(buf, 32, "%u us", (unsigned)us);
	else if (us < 1000000)
		snprintf(buf, 32, "%.4g ms", (double)us / 1e3);
	else
		snprintf(buf, 32, "%.4g s", (double)us / 1e6);
	return buf;
}

static void draw_bars(const struct bar *bars, size_t n, FILE *out, const char *indent)
{
	static const char ink[BAR + 1] = "######################################";
	uint64_t most = 1;

	for (size_t i = 0; i < n; i++)
		if (bars[i].count > most)
			most = bars[i].count;
	for (size_t i = 0; i < n; i++) {
		int width = (int)((double)bars[i].count / (double)most * BAR + 0.5);
		char from[32], to[32];

		/* What is there at all is seen. */
		if (bars[i].count && !width)
			width = 1;
		fprintf(out, "%s%9s .. %-9s %14llu%s%.*s\n", indent, time_text(bars[i].from, from),
			bars[i].to ? time_text(bars[i].to, to) : "", (unsigned long long)bars[i].count,
			width ? "  " : "", width, ink);
	}
}

void intel_latency_draw(const struct ssd_node *obj, FILE *out, const char *indent)
{
	const struct ssd_node *list = ssd_get(obj, "buckets");
	struct bar bars[80];
	size_t n = 0;

	if (!ssd_get(obj, "commands")) {
		fprintf(out, "%sthe page is not whole, or of a version that no table knows\n", indent);
		return;
	}
	for (const struct ssd_node *m = obj->child; m; m = m->next)
		if (m->field->unit == SSD_US && !m->null)
			fprintf(out, "%s%-8s %12s\n", indent, m->field->label, ssd_node_text(m));
	for (const struct ssd_node *b = list->child; b; b = b->next)
		n++;
	if (n && ssd_get(list->child, "from_us"))
		n = gather(list, n > MAX_ROWS, bars, ARRAY_SIZE(bars));
	else
		n = 0;
	draw_bars(bars, n, out, indent);
	if (!ssd_get_int(obj, "commands", 0))
		fprintf(out, "%sno commands counted: latency tracking is off, or there was no I/O since\n", indent);
}
