/* SPDX-License-Identifier: MIT */
/* ssdct bench --compare: an earlier result, as -o json has printed it, and what has changed since. */
#include "bench.h"

#include <jansson.h>
#include <math.h>

#define MAX_FILE_BYTES (16u << 20)

struct bench_earlier {
	json_t *root, *element, *bench, *tests; /* root is owned, the others are in it */
	const char *path;
	bool used[SSD_BENCH_MAX_TESTS]; /* rounds have all the same name: each is compared once */
};

void bench_earlier_free(struct bench_earlier *e)
{
	if (e)
		json_decref(e->root);
	free(e);
}

static const char *string(const json_t *obj, const char *key)
{
	return json_string_value(json_object_get(obj, key));
}

static double number(const json_t *obj, const char *key)
{
	return json_number_value(json_object_get(obj, key));
}

/* What was run to its end, and not only to prepare. */
static bool has_result(const json_t *test)
{
	return json_is_number(json_object_get(test, "iops")) && json_is_number(json_object_get(test, "mb_per_s")) &&
	       number(test, "iops") > 0 && !json_is_true(json_object_get(test, "precondition")) &&
	       !json_is_true(json_object_get(test, "partial"));
}

static bool find_tests(struct bench_earlier *e)
{
	const char *command = string(e->root, "command");
	size_t i;
	json_t *test;
	bool any = false;

	e->element = json_array_get(json_object_get(e->root, "drives"), 0);
	e->bench = json_object_get(e->element, "bench");
	e->tests = json_object_get(e->bench, "tests");
	if (!command || strcmp(command, "bench") || !json_is_array(e->tests))
		return false;
	json_array_foreach(e->tests, i, test) any |= has_result(test);
	return any;
}

struct bench_earlier *bench_earlier_load(const char *path, struct ssd_err *err)
{
	struct bench_earlier *e = ssd_calloc(1, sizeof(*e));
	AUTO_FREE uint8_t *data = NULL;
	json_error_t error;
	size_t len = 0;
	int rc = ssd_read_file(path, MAX_FILE_BYTES, &data, &len);

	e->path = path;
	e->root = rc ? NULL : json_loadb((const char *)data, len, JSON_REJECT_DUPLICATES, &error);
	if (e->root && find_tests(e))
		return e;
	if (rc)
		ssd_fail(err, SSD_ERR_BAD_INPUT, "%s: %s", path, strerror(-rc));
	else if (!e->root)
		ssd_fail(err, SSD_ERR_BAD_INPUT, "%s: not JSON: line %d: %s", path, error.line, error.text);
	else
		ssd_fail(err, SSD_ERR_BAD_INPUT, "%s: not a result of bench, or nothing was measured", path);
	ssd_hint(err, "--compare takes what `ssdct bench ... -o json` has printed");
	bench_earlier_free(e);
	return NULL;
}

static bool is_number(const json_t *test, const char *key, uint64_t value)
{
	return number(test, key) == (double)value; /* null is 0 */
}

/* The same work under the same conditions, whatever it was called. */
static bool is_like(const json_t *test, const struct ssd_bench_test *t)
{
	const char *kind = string(test, "kind");

	return has_result(test) && kind && !strcmp(kind, ssd_bench_kind_word(t->kind)) &&
	       is_number(test, "block_bytes", t->block_bytes) && is_number(test, "queue_depth", t->queue_depth) &&
	       is_number(test, "jobs", t->jobs) && is_number(test, "rate_iops", t->rate) &&
	       is_number(test, "span_bytes", t->span_bytes) && is_number(test, "read_percent", t->read_percent);
}

static const json_t *find(struct bench_earlier *e, const struct ssd_bench_test *t)
{
	for (size_t i = 0; i < json_array_size(e->tests) && i < ARRAY_SIZE(e->used); i++) {
		const json_t *test = json_array_get(e->tests, i);

		if (e->used[i] || !is_like(test, t))
			continue;
		e->used[i] = true;
		return test;
	}
	return NULL;
}

static double spread_of(const json_t *test)
{
	const json_t *list = json_object_get(json_object_get(test, "iops_over_time"), "iops");
	double rates[SSD_BENCH_SLOTS];
	size_t n = 0;

	for (; n < json_array_size(list) && n < ARRAY_SIZE(rates); n++)
		rates[n] = json_number_value(json_array_get(list, n));
	return ssd_bench_spread(rates, n);
}

static double spread_now(const struct ssd_bench_series *s)
{
	double rates[SSD_BENCH_SLOTS];

	for (unsigned i = 0; i < s->n; i++)
		rates[i] = s->ios[i];
	return ssd_bench_spread(rates, s->n);
}

static void compare_test(struct bench_earlier *e, const struct ssd_bench_result *r, struct ssd_node *obj)
{
	bool random = ssd_bench_is_random(r->test.kind);
	const char *unit = random ? "iops" : "mb_per_s";
	const json_t *test = find(e, &r->test);
	double now = random ? r->iops : r->mb_per_s, earlier = test ? number(test, unit) : 0, change, noise;

	ssd_set_str(obj, "name", r->test.name);
	ssd_set_str(obj, "unit", unit);
	ssd_set_real(obj, "now", now);
	if (earlier <= 0)
		return;
	change = (now / earlier - 1) * 100;
	noise = ssd_bench_noise_percent(spread_now(&r->series), spread_of(test));
	ssd_set_real(obj, "earlier", earlier);
	ssd_set_real(obj, "change_percent", change);
	ssd_set_real(obj, "noise_percent", noise);
	ssd_set_bool(obj, "exceeds_noise", fabs(change) > noise);
}

void bench_compare(struct bench_earlier *e, const struct ssd_bench *b, struct ssd_node *obj)
{
	static const char *const identity[] = {"device", "model", "serial", "firmware"};
	static const char *const run[] = {"engine", "state", "verdict"};
	struct ssd_node *list;

	ssd_set_str(obj, "file", e->path);
	for (size_t i = 0; i < ARRAY_SIZE(identity); i++)
		ssd_set_str(obj, identity[i], string(e->element, identity[i]));
	for (size_t i = 0; i < ARRAY_SIZE(run); i++)
		ssd_set_str(obj, run[i], string(e->bench, run[i]));
	list = ssd_set_list(obj, "tests");
	for (size_t i = 0; i < b->n_tests; i++)
		if (b->tests[i].done && b->tests[i].ios && !b->tests[i].test.precondition && !b->tests[i].partial)
			compare_test(e, &b->tests[i], ssd_add_item(list));
}
