/* SPDX-License-Identifier: MIT */
/* What the parts of ssdct bench share. */
#ifndef SSDCT_CMD_BENCH_H
#define SSDCT_CMD_BENCH_H

#include <ssdct/bench.h>
#include <ssdct/cli.h>
#include <ssdct/safety.h>

#define BENCH_SHARED_SECONDS 20 /* of a drive that others use, at most */

struct bench_options {
	const char *preset, *rw;
	uint64_t bs, iodepth, jobs, time, size, rate, read_percent;
	const char *write_file; /* directory */
	const char *compare, *html;
	bool write_namespace;
	bool strict;
	unsigned engine; /* enum bench_engine_word */
};

enum bench_engine_word { BENCH_BEST, BENCH_PREADV, BENCH_URING_CMD };

struct bench_session {
	struct ssd_run *run;
	struct ssd_device *dev;
	struct ssd_row *row;
	const struct bench_options *options;
	const struct ssd_namespace *ns; /* NULL: a path */
	const char *name;               /* nvme0n1, or the path */
	bool simulated;
	bool overwrites;           /* the namespace itself is written */
	struct ssd_usage usage;    /* of the namespace */
	struct ssd_permit *permit; /* or NULL: nothing had to be asked */
	struct ssd_bench_plan plan;
	struct ssd_bench_target target;
	struct ssd_identity_text text; /* what bench.identity points to */
	struct ssd_bench bench;
	struct bench_earlier *earlier; /* --compare; or NULL */
	uint64_t looked_ms;            /* when the temperature was asked for */
};

/* --- bench_target.c --- */

/* The namespace that is meant; who uses the target. Returns 0, or -1 with row->err set. */
int bench_find(struct bench_session *s);
/* Asks whoever must be asked. Returns 0, or -1 with row->err set; nothing was opened. */
int bench_permit(struct bench_session *s);
/* Opens what is measured, and says what will be written to it. */
int bench_open(struct bench_session *s);
/* How much will be written at most, and what share of the endurance that is; nothing when only read. */
void bench_announce(const struct bench_session *s);

/* --- bench_compare.c --- */

struct bench_earlier;
/* NULL with *err set: bad input. */
struct bench_earlier *bench_earlier_load(const char *path, struct ssd_err *err);
void bench_earlier_free(struct bench_earlier *earlier);
/* Fills the object "compare". */
void bench_compare(struct bench_earlier *earlier, const struct ssd_bench *bench, struct ssd_node *obj);

/* --- bench_look.c --- */

void bench_look(struct bench_session *s, struct ssd_bench_look *look);
void bench_environment(struct bench_session *s);
/* A ssd_bench_watch; ctx is the session. */
bool bench_watch(void *ctx, struct ssd_bench_result *result);
/* What a PCI function has counted since boot, corrected or not; dir: of sysfs. -1: unknown. */
int64_t bench_pcie_errors(const char *dir);
/* The temperature at which a run ends; INT32_MAX: unknown. */
int bench_hot_celsius(const struct bench_session *s);

#endif
