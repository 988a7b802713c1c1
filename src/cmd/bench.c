/* SPDX-License-Identifier: MIT */
/* ssdct bench: how fast a drive is, against what it should be. */
#include "bench.h"

#include "cmd.h"
#include "doctor.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>

#define K 1024ull
#define M (1024 * K)
#define G (1024 * M)
#define FILL_DEPTH 32

static const char *const engine_words[] = {[BENCH_BEST] = "best",
					   [BENCH_PREADV] = "preadv",
					   [BENCH_URING_CMD] = "uring_cmd",
					   [BENCH_URING_CMD + 1] = NULL};

static const struct ssd_option options[] = {
	{"preset", 0, SSD_OPT_STR, SSD_OPTION(struct bench_options, preset), "NAME",
	 "set of tests: quick (default), rated, crystaldiskmark, crystaldiskmark-nvme, iometer, mixed, latency, "
	 "steady"},
	{"rw", 0, SSD_OPT_STR, SSD_OPTION(struct bench_options, rw), "WORKLOAD",
	 "a test of your own: read, write, randread, randwrite, rw, randrw"},
	{"bs", 0, SSD_OPT_SIZE, SSD_OPTION(struct bench_options, bs), "SIZE", "block (4K random, 128K sequential)", 512,
	 16 * M},
	{"iodepth", 0, SSD_OPT_UINT, SSD_OPTION(struct bench_options, iodepth), "N", "I/Os under way in each job (32)",
	 1, 4096},
	{"jobs", 0, SSD_OPT_UINT, SSD_OPTION(struct bench_options, jobs), "N", "threads (1)", 1, 64},
	{"time", 0, SSD_OPT_UINT, SSD_OPTION(struct bench_options, time), "SECONDS", "of each test", 1, 86400},
	{"size", 0, SSD_OPT_SIZE, SSD_OPTION(struct bench_options, size), "SIZE",
	 "use only so much of the target, from its start; of --write-file: the file (1G)", 1 * M, UINT64_MAX},
	{"rate", 0, SSD_OPT_UINT, SSD_OPTION(struct bench_options, rate), "IOPS",
	 "no more I/Os per second than that, all jobs together", 1, 100000000},
	{"read-percent", 0, SSD_OPT_UINT, SSD_OPTION(struct bench_options, read_percent), "N",
	 "share of reads of rw and randrw (70)", 1, 99},
	{"write-file", 0, SSD_OPT_STR, SSD_OPTION(struct bench_options, write_file), "DIR",
	 "read and write a file that is made in DIR, on the target, and is gone afterwards"},
	{"write-namespace", 0, SSD_OPT_FLAG, SSD_OPTION(struct bench_options, write_namespace), NULL,
	 "the preset's tests that write too, on the namespace itself: ITS DATA ARE LOST"},
	{"compare", 0, SSD_OPT_STR, SSD_OPTION(struct bench_options, compare), "FILE",
	 "say what has changed since an earlier result (-o json) of the same tests"},
	{"html", 0, SSD_OPT_STR, SSD_OPTION(struct bench_options, html), "FILE",
	 "write a page with results, distributions and curves, too"},
	{"strict", 0, SSD_OPT_FLAG, SSD_OPTION(struct bench_options, strict), NULL,
	 "exit code 1 when the verdict is fail or invalid"},
	{"engine", 0, SSD_OPT_ENUM, SSD_OPTION(struct bench_options, engine), "best|preadv|uring_cmd",
	 "how I/O is done: as well as this kernel can (io_uring), by threads, or reads past the block layer",
	 .words = engine_words},
	{.type = SSD_OPT_END},
};

static const struct ssd_field fields[] = {
	{"bench", "Benchmark", NULL, SSD_OBJ, .sub = ssd_bench_fields},
	{"findings", "Findings", "What ssdct doctor finds that may explain a verdict of warn or worse; else none",
	 SSD_LIST, .sub = ssd_doctor_fields},
	SSD_FIELD_END,
};

/* --- signals: what was measured so far is still shown --- */

static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
static atomic_bool stop;

static void on_signal(int sig)
{
	(void)sig;
	atomic_store(&stop, true);
}

static void catch_signals(struct sigaction before[ARRAY_SIZE(ending)])
{
	struct sigaction action = {.sa_handler = on_signal};

	for (size_t i = 0; i < ARRAY_SIZE(ending); i++)
		if (!sigaction(ending[i], NULL, &before[i]) && before[i].sa_handler != SIG_IGN)
			sigaction(ending[i], &action, NULL);
}

static void restore_signals(const struct sigaction before[ARRAY_SIZE(ending)])
{
	for (size_t i = 0; i < ARRAY_SIZE(ending); i++)
		sigaction(ending[i], &before[i], NULL);
}

/* --- from options to a plan --- */

static struct ssd_bench_wish wish_of(const struct bench_options *o)
{
	return (struct ssd_bench_wish){.preset = o->preset,
				       .rw = o->rw,
				       .block_bytes = o->bs,
				       .queue_depth = o->iodepth,
				       .jobs = o->jobs,
				       .rate = o->rate,
				       .read_percent = o->read_percent,
				       .seconds = o->time,
				       .span_bytes = o->write_file ? 0 : o->size,
				       .may_write = o->write_file || o->write_namespace};
}

/* Before anything is measured: a file that can be replaced, in a directory where that is allowed. */
static int check_html(const char *path, struct ssd_err *err)
{
	const char *slash = strrchr(path, '/');
	AUTO_FREE char *dir = slash ? ssd_strdup(path) : ssd_strdup(".");
	struct stat st;

	if (slash)
		dir[slash == path ? 1 : slash - path] = '\0';
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return ssd_fail(err, SSD_ERR_USAGE, "--html %s: not a file", path);
	if (access(dir, W_OK | X_OK))
		return ssd_fail(err, SSD_ERR_OUTPUT, "--html %s: %s", path, strerror(errno));
	return 0;
}

static int bench_prepare(struct ssd_run *run, struct ssd_err *err)
{
	const struct bench_options *o = run->options;
	struct ssd_bench_wish wish = wish_of(o);
	struct ssd_bench_plan plan;

	if (o->write_file && o->write_namespace)
		return ssd_fail(err, SSD_ERR_USAGE, "--write-file and --write-namespace: one of them");
	if (o->engine == BENCH_URING_CMD && (o->write_file || o->write_namespace || ssd_bench_wish_writes(&wish)))
		return ssd_fail(err, SSD_ERR_USAGE, "--engine uring_cmd: it only reads, and a namespace, not a file");
	if (o->html && check_html(o->html, err))
		return -1;
	wish.may_write = true;
	return ssd_bench_plan(&wish, &plan, err);
}

/* What is filled before anything is measured, so that it is there to be read and to be overwritten. */
static void plan_fill(struct bench_session *s)
{
	const struct bench_options *o = s->options;
	struct ssd_bench_plan *plan = &s->plan;
	struct ssd_bench_test *fill = &plan->tests[0];
	uint64_t most = s->ns && !o->write_file ? s->ns->size_bytes : UINT64_MAX;
	uint64_t span = o->size ? o->size : o->write_file ? 1 * G : most;

	span = span < most ? span : most;
	if (plan->steady)
		fill->bytes = 2 * span; /* SNIA PTS: twice the capacity */
	if (plan->steady || !o->write_file)
		return;
	memmove(fill + 1, fill, plan->n_tests * sizeof(*fill));
	plan->n_tests++;
	*fill = (struct ssd_bench_test){.name = "fill",
					.kind = SSD_BENCH_SEQ_WRITE,
					.block_bytes = 128 * K,
					.queue_depth = FILL_DEPTH,
					.jobs = 1,
					.bytes = span,
					.precondition = true};
}

static int plan(struct bench_session *s)
{
	struct ssd_bench_wish wish = wish_of(s->options);

	s->overwrites =
		s->options->write_namespace || (!s->options->write_file && s->ns && ssd_bench_wish_writes(&wish));
	if (s->overwrites && !s->ns)
		return ssd_fail(&s->row->err, SSD_ERR_REFUSED,
				"%s: only files of its own and NVMe namespaces are written by bench", s->name);
	if (s->overwrites && ssd_refuse_partition(s->run, &s->row->target, &s->row->err))
		return -1;
	wish.may_write |= s->overwrites;
	wish.limit_seconds = s->bench.env.shared ? BENCH_SHARED_SECONDS : 0;
	if (ssd_bench_plan(&wish, &s->plan, &s->row->err))
		return -1;
	if (s->plan.steady && s->bench.env.shared)
		return ssd_fail(&s->row->err, SSD_ERR_REFUSED,
				"%s is in use, and steady state takes longer than the %u s that it may be measured",
				s->name, BENCH_SHARED_SECONDS);
	plan_fill(s);
	s->bench.preset = s->plan.preset;
	s->bench.state = s->bench.env.shared ? SSD_BENCH_SHARED : SSD_BENCH_BURST;
	return 0;
}

static int identify(struct bench_session *s)
{
	struct ssd_bench *b = &s->bench;

	if (!s->ns)
		return 0;
	if (ssd_id_ctrl(s->dev, &s->row->err))
		return -1;
	b->has_identity = ssd_device_identity(s->dev, &s->text, &b->identity);
	if (b->has_identity && s->dev->vendor && s->dev->vendor->rate)
		b->n_ratings = s->dev->vendor->rate(&b->identity, b->ratings);
	return 0;
}

/* --- running --- */

static struct ssd_bench_result *next_result(struct bench_session *s)
{
	return s->bench.n_tests < SSD_BENCH_MAX_TESTS ? &s->bench.tests[s->bench.n_tests++] : NULL;
}

/* What has not been run is in the document, too: with its conditions, and no result. */
static void list_test(struct bench_session *s, const struct ssd_bench_test *test)
{
	struct ssd_bench_result *r = next_result(s);

	if (r)
		*r = (struct ssd_bench_result){.test = *test, .temperature_max_celsius = INT32_MIN};
}

/* Returns 0 when the next one may follow, 1 when this was the last, -1 with row->err set. */
static int run_one(struct bench_session *s, const struct ssd_bench_test *test)
{
	struct ssd_bench_options o = {
		.no_uring = s->options->engine == BENCH_PREADV, .stop = &stop, .watch = bench_watch, .watch_ctx = s};
	struct ssd_bench_result *r = next_result(s);
	struct ssd_bench_env *env = &s->bench.env;

	if (!r)
		return 1;
	if (isatty(STDERR_FILENO))
		ssd_note(s->run, "%s: %s", s->name, test->name);
	if (ssd_bench_run(&s->target, test, &o, r, &s->bench.engine, &s->row->err))
		return -1;
	env->polled |= strstr(s->bench.engine, "polled") != NULL;
	env->passthrough |= !strncmp(s->bench.engine, "uring_cmd", strlen("uring_cmd"));
	env->own_read_bytes += r->read_ios * test->block_bytes;
	env->own_write_bytes += r->write_ios * test->block_bytes;
	if (r->errors && !r->ios)
		return ssd_fail_errno(&s->row->err, r->first_errno, "%s: %s at byte %llu", s->name, test->name,
				      (unsigned long long)r->first_error_offset);
	return r->stopped_hot || r->errors || atomic_load(&stop);
}

/* Rounds of the last test, until the last five agree; those before them only led there. */
static int run_rounds(struct bench_session *s, const struct ssd_bench_test *test)
{
	double rounds[SSD_BENCH_STEADY_ROUNDS];
	struct ssd_bench *b = &s->bench;
	size_t n = 0, first = b->n_tests;
	int rc = 0;

	while (!rc && n < SSD_BENCH_STEADY_ROUNDS && !ssd_bench_is_steady(rounds, n)) {
		rc = run_one(s, test);
		rounds[n++] = b->tests[b->n_tests - 1].iops;
	}
	if (!rc && ssd_bench_is_steady(rounds, n) && b->state != SSD_BENCH_SHARED)
		b->state = SSD_BENCH_STEADY;
	for (size_t i = 0; i + SSD_BENCH_STEADY_WINDOW < n; i++)
		b->tests[first + i].test.precondition = true;
	return rc;
}

static int run_tests(struct bench_session *s)
{
	int rc = 0;

	for (size_t i = 0; i < s->plan.n_tests; i++) {
		const struct ssd_bench_test *t = &s->plan.tests[i];

		if (rc || s->run->globals.dry_run)
			list_test(s, t);
		else if (s->plan.steady && !t->precondition)
			rc = run_rounds(s, t);
		else
			rc = run_one(s, t);
	}
	return rc < 0 ? -1 : 0;
}

static int check_temperature(const struct bench_session *s)
{
	int now = s->bench.before.temperature_celsius, hot = bench_hot_celsius(s);

	if (!s->ns || now == INT32_MIN || now < hot)
		return 0;
	return ssd_fail(&s->row->err, SSD_ERR_REFUSED,
			"%s has %d degrees Celsius already, and the benchmark ends at %d", s->name, now, hot);
}

static int measure(struct bench_session *s)
{
	struct ssd_bench *b = &s->bench;
	int rc;

	bench_environment(s);
	bench_look(s, &b->before);
	if (check_temperature(s))
		return -1;
	rc = run_tests(s);
	b->interrupted = atomic_load(&stop);
	bench_look(s, &b->after);
	if (!rc && b->interrupted)
		rc = ssd_fail(&s->row->err, SSD_ERR_INTERRUPTED, "%s: interrupted; %llu bytes had been written%s",
			      s->name, (unsigned long long)b->env.own_write_bytes,
			      s->options->write_file ? ", to a file that is gone" : "");
	return rc;
}

/* Whoever asks for a way and gets another must not have to find out from a key. */
static void say_engine(const struct bench_session *s)
{
	if (s->options->engine == BENCH_URING_CMD && s->bench.engine && !s->bench.env.passthrough)
		ssd_note(s->run, "%s: this kernel does not do uring_cmd here; measured by %s", s->name,
			 s->bench.engine);
}

static void say_left_out(const struct bench_session *s)
{
	if (s->plan.left_out)
		ssd_note(s->run, "%s: tests that write are left out: %zu (--write-file DIR runs them in a file)",
			 s->name, s->plan.left_out);
}

static int write_html(struct bench_session *s)
{
	AUTO_FREE char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	int rc = f ? 0 : -ENOMEM;

	if (f) {
		ssd_bench_html(s->row->element, ssd_host_note(s->run), f);
		fclose(f);
		rc = ssd_replace_file(s->options->html, text, len, 0644);
	}
	if (rc && !ssd_failed(&s->row->err))
		ssd_fail(&s->row->err, SSD_ERR_OUTPUT, "--html %s: %s", s->options->html, strerror(-rc));
	return rc ? -1 : 0;
}

/* Only where there is something to explain: a drive that does what it should needs no advice. */
static void explain(struct bench_session *s)
{
	struct ssd_node *list = ssd_set_list(s->row->element, "findings");
	struct ssd_doctor_roots roots;

	if (!s->ns || !s->bench.falls_short)
		return;
	roots = ssd_doctor_roots_of(s->dev->drive->host);
	ssd_doctor_examine(s->dev, s->row->arena, &roots, SSD_DOCTOR_SLOW, doctor_add, list);
	ssd_doctor_roots_free(&roots);
}

static int report(struct bench_session *s)
{
	struct ssd_node *obj = ssd_set_obj(s->row->element, "bench");

	ssd_bench_judge(&s->bench);
	explain(s);
	ssd_bench_document(&s->bench, obj);
	if (s->earlier)
		bench_compare(s->earlier, &s->bench, ssd_set_obj(obj, "compare"));
	return s->options->html && !s->run->globals.dry_run ? write_html(s) : 0;
}

static int run_session(struct bench_session *s)
{
	struct sigaction before[ARRAY_SIZE(ending)];
	int rc;

	if (bench_find(s) || identify(s) || plan(s) || bench_permit(s))
		return -1;
	say_left_out(s);
	if (s->run->globals.dry_run) {
		bench_announce(s);
		rc = run_tests(s);
	} else {
		catch_signals(before);
		rc = bench_open(s) ? -1 : measure(s);
		restore_signals(before);
		say_engine(s);
	}
	if (rc && !s->bench.n_tests)
		return -1;
	if (report(s) && !rc)
		return -1;
	if (!rc && s->options->strict && (s->bench.verdict == SSD_BENCH_FAIL || s->bench.verdict == SSD_BENCH_INVALID))
		s->row->exit = SSD_EXIT_FAILED;
	return rc;
}

static int bench_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	struct bench_session *s = ssd_calloc(1, sizeof(*s));
	int rc;

	*s = (struct bench_session){.run = run, .dev = dev, .row = row, .options = run->options};
	s->target.fd = s->target.generic_fd = -1;
	if (s->options->compare)
		s->earlier = bench_earlier_load(s->options->compare, &row->err);
	rc = s->options->compare && !s->earlier ? -1 : run_session(s);
	if (s->permit)
		ssd_permit_log(s->permit, rc ? row->err.message : "done");
	ssd_bench_close(&s->target);
	ssd_permit_free(s->permit);
	ssd_usage_free(&s->usage);
	bench_earlier_free(s->earlier);
	free(s);
	return rc;
}

static void text_findings(const struct ssd_node *list, FILE *out)
{
	if (!list || !list->child)
		return;
	fputs("\n  What may explain it, by ssdct doctor:\n", out);
	for (const struct ssd_node *f = list->child; f; f = f->next)
		doctor_text_finding(f, out);
}

static void bench_text(const struct ssd_run *run, FILE *out)
{
	for (size_t i = 0; i < run->n_rows; i++) {
		const struct ssd_node *bench = ssd_get(run->rows[i].element, "bench");

		if (!bench)
			continue;
		ssd_text_title(run, &run->rows[i], out);
		ssd_bench_text(bench, ssd_host_note(run), out);
		text_findings(ssd_get(run->rows[i].element, "findings"), out);
	}
}

const struct ssd_command cmd_bench = {
	.name = "bench",
	.summary = "quick performance self-test, with a verdict against the published specification",
	.usage = "TARGET [--preset NAME | --rw WORKLOAD ...]",
	.help = "TARGET is a drive, a block device or a file. Without further options it is only read: sequentially "
		"with "
		"128 KiB,\n"
		"randomly with 4 KiB at depths 1, 32 and 4 x 32, in less than 20 s. A drive that somebody uses is only "
		"read "
		"after a\n"
		"question or with --yes, and for 20 s at most.\n"
		"\n"
		"Writes go to a file that is made for it and has no name (--write-file DIR: nothing is left of it, "
		"however\n"
		"the run ends), or to a whole namespace (--write-namespace, or --rw with a workload that writes), "
		"whose data "
		"are\n"
		"lost: that takes the serial number, as format does, and the first and the last MiB stay as they are.\n"
		"\n"
		"A run ends early, and its verdict is invalid, 2 K below the drive's critical temperature. On a "
		"simulated "
		"drive\n"
		"the file of its data is read: what is measured is this machine.",
	.examples = (const char *const[]){"bench nvme0", "bench nvme0 --preset rated -o json",
					  "bench nvme0n1 --rw randread --bs 4K --iodepth 64 --jobs 4 --time 30",
					  "bench nvme0 --preset crystaldiskmark --write-file /mnt/data --yes",
					  "bench disk.img --preset latency", NULL},
	.flags = SSD_CMD_CHANGES | SSD_CMD_DRY_RUN | SSD_CMD_PATHS,
	.drives = SSD_DRIVES_ONE,
	.options = options,
	.options_size = sizeof(struct bench_options),
	.fields = fields,
	.prepare = bench_prepare,
	.each = bench_each,
	.text = bench_text,
};
