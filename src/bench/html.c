/* SPDX-License-Identifier: MIT */
/*
 * The benchmark as one page: no script, no font, no picture from elsewhere. Curves are SVG without any text in it, so that
 * they can be stretched to any width; what they mean is said by lines of the page, which break where they must.
 */
#include "bench/report.h"

#define CURVE_WIDTH 600
#define CURVE_HEIGHT 120

static const char style[] =
	":root{color-scheme:light dark;--line:#8888;--bar:#2a7ab8;--rated:#d08000;--bad:#c03030;--good:#2a8a3a}"
	"*{box-sizing:border-box}"
	"body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;padding:1rem;max-width:72rem;overflow-wrap:anywhere}"
	"h1{font-size:1.5rem;margin:0}h2{font-size:1.15rem;margin:2rem 0 .25rem}h3{font-size:1rem;margin:1rem 0 0}"
	"p{margin:.25rem 0}"
	".verdict{display:inline-block;margin:1rem 0 .5rem;padding:.2rem .8rem;border:2px solid;border-radius:.4rem;"
	"font-weight:bold}"
	".pass{color:var(--good)}.warn,.host_limited{color:var(--rated)}.fail,.invalid{color:var(--bad)}"
	"ul{margin:.25rem 0;padding-left:1.25rem}"
	"dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(10rem,100%),1fr));gap:.5rem "
	"1rem;margin:.5rem 0}"
	"dl div{min-width:0}dt{font-size:.8rem;opacity:.75}dd{margin:0}"
	"svg{display:block;width:100%;height:7.5rem;border:1px solid var(--line)}svg.bar{height:1.5rem}"
	"rect,path.line{vector-effect:non-scaling-stroke}.m{fill:var(--bar)}"
	"path.line{fill:none;stroke:var(--bar);stroke-width:2}path.rated{stroke:var(--rated);stroke-width:3;"
	"vector-effect:non-scaling-stroke}"
	".ends{display:flex;justify-content:space-between;gap:1rem;font-size:.8rem;opacity:.85}"
	".charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(22rem,100%),1fr));gap:0 1.5rem}"
	".charts>div{min-width:0}";

static void put(FILE *out, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		case '\'':
			fputs("&#39;", out);
			break;
		default:
			fputc(*text, out);
		}
	}
}

static double real(const struct ssd_node *obj, const char *path)
{
	const struct ssd_node *n = ssd_get(obj, path);

	return n ? n->real : 0;
}

static void put_item(FILE *out, const char *label, const char *value)
{
	fputs("<div><dt>", out);
	put(out, label);
	fputs("</dt><dd>", out);
	put(out, value);
	fputs("</dd></div>\n", out);
}

/* Members of an object that are one value each, by their labels. */
static void put_members(FILE *out, const struct ssd_node *obj)
{
	fputs("<dl>\n", out);
	for (const struct ssd_node *n = obj->child; n; n = n->next) {
		char text[64];

		if (n->null)
			continue;
		if (n->field->type == SSD_STR)
			put_item(out, n->field->label, n->s);
		else if (n->field->type == SSD_REAL || n->field->type == SSD_INT || n->field->type == SSD_UINT) {
			ssd_bench_number_text(n->field->type == SSD_REAL  ? n->real
					      : n->field->type == SSD_INT ? (double)n->i
									  : (double)n->u,
					      text);
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s",
				 n->field->unit == SSD_CELSIUS   ? " C"
				 : n->field->unit == SSD_PERCENT ? " %"
				 : n->field->unit == SSD_BYTES   ? " bytes"
								 : "");
			put_item(out, n->field->label, text);
		}
	}
	fputs("</dl>\n", out);
}

static void put_ends(FILE *out, const char *left, const char *right)
{
	fputs("<div class=\"ends\"><span>", out);
	put(out, left);
	fputs("</span><span>", out);
	put(out, right);
	fputs("</span></div>\n", out);
}

static void open_svg(FILE *out, const char *class, const char *label)
{
	fprintf(out, "<svg class=\"%s\" viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"",
		class, CURVE_WIDTH, CURVE_HEIGHT);
	put(out, label);
	fputs("\">", out);
}

/* What was measured as a bar, the published figure as a mark. */
static void put_bar(FILE *out, const struct ssd_node *test)
{
	const char *unit;
	double value = ssd_bench_rate(test, &unit), rated = real(test, "rated.value");
	double most = (value > rated ? value : rated) * 1.05;
	char a[32], b[32], left[80], right[80];

	if (most <= 0)
		return;
	snprintf(left, sizeof(left), "measured %s %s", ssd_bench_number_text(value, a), unit);
	snprintf(right, sizeof(right), "published %s%s, %.0f %%", ssd_get_int(test, "rated.up_to", 0) ? "up to " : "",
		 ssd_bench_number_text(rated, b), real(test, "rated.percent"));
	open_svg(out, "bar", "measured against published");
	fprintf(out, "<rect class=\"m\" x=\"0\" y=\"0\" width=\"%.1f\" height=\"%d\"/>", value / most * CURVE_WIDTH,
		CURVE_HEIGHT);
	if (rated > 0)
		fprintf(out, "<path class=\"rated\" d=\"M%.1f 0V%d\"/>", rated / most * CURVE_WIDTH, CURVE_HEIGHT);
	fputs("</svg>\n", out);
	put_ends(out, left, rated > 0 ? right : "no published figure");
	if (!ssd_get(test, "rated"))
		return;
	fputs("<p>", out);
	put(out, ssd_get_str(test, "rated.source", ""));
	if (ssd_get(test, "rated.because")) {
		fputs(". Not comparable: ", out);
		put(out, ssd_get_str(test, "rated.because", ""));
	}
	fputs("</p>\n", out);
}

/* Bars are four to a doubling, so they are equally wide on a logarithmic axis; empty ones are not in the list. */
static unsigned place(const struct ssd_node *bar)
{
	return ssd_hist_bucket((uint64_t)ssd_get_int(bar, "from_ns", 0)) >> SSD_BENCH_BAR_SHIFT;
}

static void put_histogram(FILE *out, const struct ssd_node *list)
{
	double most = 0, width;
	unsigned first, n;
	char a[32], b[32];

	if (!list || !list->child)
		return;
	for (const struct ssd_node *bar = list->child; bar; bar = bar->next)
		if ((double)ssd_get_int(bar, "ios", 0) > most)
			most = (double)ssd_get_int(bar, "ios", 0);
	first = place(list->child);
	n = place(list->last) - first + 1;
	width = (double)CURVE_WIDTH / n;
	fputs("<div><h3>Latency distribution</h3>\n", out);
	open_svg(out, "histogram", "I/Os by latency, logarithmic axis");
	for (const struct ssd_node *bar = list->child; bar; bar = bar->next) {
		double height = (double)ssd_get_int(bar, "ios", 0) / most * (CURVE_HEIGHT - 4);

		height = height < 1 ? 1 : height; /* one I/O is to be seen, too */
		fprintf(out, "<rect class=\"m\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>",
			(place(bar) - first) * width, CURVE_HEIGHT - height, width * 0.9, height);
	}
	fputs("</svg>\n", out);
	put_ends(out, ssd_bench_time_text((double)ssd_get_int(list->child, "from_ns", 0), a),
		 ssd_bench_time_text((double)ssd_get_int(list->last, "to_ns", 0), b));
	fputs("</div>\n", out);
}

static void put_series(FILE *out, const struct ssd_node *series)
{
	const struct ssd_node *list = ssd_get(series, "iops");
	double most = 0, interval = real(series, "interval_seconds"), least = 0;
	unsigned n = 0, i = 0;
	char a[32], left[80], right[48];

	for (const struct ssd_node *v = list ? list->child : NULL; v; v = v->next, n++) {
		most = v->real > most ? v->real : most;
		least = !n || v->real < least ? v->real : least;
	}
	if (n < 2 || most <= 0)
		return;
	fputs("<div><h3>I/Os per second over time</h3>\n", out);
	open_svg(out, "series", "I/Os per second over time");
	fputs("<path class=\"line\" d=\"", out);
	for (const struct ssd_node *v = list->child; v; v = v->next, i++)
		fprintf(out, "%c%.1f %.1f", i ? 'L' : 'M', (double)i / (n - 1) * CURVE_WIDTH,
			CURVE_HEIGHT - v->real / most * (CURVE_HEIGHT - 4));
	fputs("\"/></svg>\n", out);
	snprintf(left, sizeof(left), "from 0 to %s a second", ssd_bench_number_text(most, a));
	snprintf(right, sizeof(right), "%.1f s in steps of %.1f s", n * interval, interval);
	put_ends(out, left, right);
	fprintf(out, "<p>Slowest interval: %s a second.</p></div>\n", ssd_bench_number_text(least, a));
}

static void put_latency(FILE *out, const struct ssd_node *latency)
{
	char text[32];

	for (const struct ssd_node *n = latency ? latency->child : NULL; n; n = n->next) {
		char label[48];

		snprintf(label, sizeof(label), "latency: %s", n->field->label);
		if (!n->null)
			put_item(out, label,
				 ssd_bench_time_text(n->field->type == SSD_REAL ? n->real : (double)n->u, text));
	}
}

static void put_conditions(FILE *out, const struct ssd_node *t)
{
	int64_t block = ssd_get_int(t, "block_bytes", 0), jobs = ssd_get_int(t, "jobs", 0);
	bool kib = block % 1024 == 0;

	fprintf(out, "</h2>\n<p>blocks of %lld %s, %lld under way in %s%lld job%s, %lld %% reads%s</p>\n",
		(long long)(kib ? block / 1024 : block), kib ? "KiB" : "bytes",
		(long long)ssd_get_int(t, "queue_depth", 0), jobs == 1 ? "" : "each of ", (long long)jobs,
		jobs == 1 ? "" : "s", (long long)ssd_get_int(t, "read_percent", 0),
		ssd_get_int(t, "precondition", 0) ? "; preparation, not judged"
		: ssd_get_int(t, "partial", 0)    ? "; ended early"
						  : "");
}

static void put_test(FILE *out, const struct ssd_node *t)
{
	char text[64];

	fputs("<section><h2>", out);
	put(out, ssd_get_str(t, "name", ""));
	put_conditions(out, t);
	if (!ssd_get(t, "ios")) {
		fputs("<p>Not run.</p></section>\n", out);
		return;
	}
	put_bar(out, t);
	fputs("<dl>\n", out);
	put_item(out, "MB/s", ssd_bench_number_text(real(t, "mb_per_s"), text));
	put_item(out, "I/Os per second", ssd_bench_number_text(real(t, "iops"), text));
	put_item(out, "CPU time for each I/O", ssd_bench_time_text(real(t, "cpu_ns_per_io"), text));
	put_item(out, "errors", ssd_bench_number_text((double)ssd_get_int(t, "errors", 0), text));
	put_item(out, "longest gap without a completion",
		 ssd_bench_time_text((double)ssd_get_int(t, "longest_gap_ns", 0), text));
	put_latency(out, ssd_get(t, "latency_ns"));
	fputs("</dl>\n<div class=\"charts\">\n", out);
	put_histogram(out, ssd_get(t, "latency_histogram"));
	put_series(out, ssd_get(t, "iops_over_time"));
	fputs("</div></section>\n", out);
}

static void put_compare(FILE *out, const struct ssd_node *compare)
{
	const struct ssd_node *tests = ssd_get(compare, "tests");

	if (!tests)
		return;
	fputs("<section><h2>Compared with ", out);
	put(out, ssd_get_str(compare, "file", ""));
	fputs("</h2>\n", out);
	put_members(out, compare);
	fputs("<dl>\n", out);
	for (const struct ssd_node *t = tests->child; t; t = t->next) {
		char text[96] = "nothing to compare with";

		if (ssd_get(t, "change_percent"))
			snprintf(text, sizeof(text), "%+.1f %%, %s (%.1f %%)", real(t, "change_percent"),
				 ssd_get_int(t, "exceeds_noise", 0) ? "more than the noise" : "within the noise",
				 real(t, "noise_percent"));
		put_item(out, ssd_get_str(t, "name", ""), text);
	}
	fputs("</dl></section>\n", out);
}

static void put_head(FILE *out, const struct ssd_node *element, const struct ssd_node *bench, const char *note)
{
	static const char *const identity[] = {"model", "serial", "firmware", "family"};
	const struct ssd_node *reasons = ssd_get(bench, "reasons");
	const char *verdict = ssd_get_str(bench, "verdict", "no_spec");

	fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>Benchmark of ",
	      out);
	put(out, ssd_get_str(element, "device", ""));
	fprintf(out, "</title>\n<style>%s</style></head><body>\n<h1>", style);
	put(out, ssd_get_str(element, "device", ""));
	put(out, note);
	fputs("</h1>\n<dl>\n", out);
	for (size_t i = 0; i < ARRAY_SIZE(identity); i++)
		if (ssd_get(element, identity[i]))
			put_item(out, ssd_get(element, identity[i])->field->label,
				 ssd_get_str(element, identity[i], ""));
	put_item(out, "Preset", ssd_get_str(bench, "preset", ""));
	put_item(out, "Engine", ssd_get_str(bench, "engine", "not run"));
	put_item(out, "State", ssd_get_str(bench, "state", ""));
	fprintf(out, "</dl>\n<p class=\"verdict %s\">%s</p>\n<ul>\n", verdict, verdict);
	for (const struct ssd_node *r = reasons ? reasons->child : NULL; r; r = r->next) {
		fputs("<li>", out);
		put(out, r->s);
		fputs("</li>\n", out);
	}
	fputs("</ul>\n", out);
}

static void put_findings(FILE *out, const struct ssd_node *list)
{
	if (!list || !list->child)
		return;
	fputs("<section><h2>What may explain it</h2>\n<ul>\n", out);
	for (const struct ssd_node *f = list->child; f; f = f->next) {
		fputs("<li>", out);
		put(out, ssd_get_str(f, "severity", ""));
		fputs(", ", out);
		put(out, ssd_get_str(f, "id", ""));
		fputs(": ", out);
		put(out, ssd_get_str(f, "message", ""));
		fputs("<br>", out);
		put(out, ssd_get_str(f, "advice", ""));
		fputs("</li>\n", out);
	}
	fputs("</ul></section>\n", out);
}

void ssd_bench_html(const struct ssd_node *element, const char *note, FILE *out)
{
	const struct ssd_node *bench = ssd_get(element, "bench"), *tests = ssd_get(bench, "tests");
	const struct ssd_node *environment = ssd_get(bench, "environment");

	put_head(out, element, bench, note);
	put_findings(out, ssd_get(element, "findings"));
	for (const struct ssd_node *t = tests ? tests->child : NULL; t; t = t->next)
		put_test(out, t);
	put_compare(out, ssd_get(bench, "compare"));
	if (environment) {
		fputs("<section><h2>Environment</h2>\n", out);
		put_members(out, environment);
		fputs("</section>\n", out);
	}
	fprintf(out, "<p>ssdct %s</p></body></html>\n", SSDCT_VERSION);
}
