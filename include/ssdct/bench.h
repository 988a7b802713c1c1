/* SPDX-License-Identifier: MIT */
/*
 * bench: a workload is a table row (ssd_bench_test), running it gives a result (ssd_bench_result), all of it together with
 * what was observed around it is a ssd_bench, and the verdict is a pure function of that.
 */
#ifndef SSDCT_BENCH_H
#define SSDCT_BENCH_H

#include <ssdct/doc.h>
#include <ssdct/err.h>
#include <ssdct/plugin.h>

#include <stdatomic.h>

/* --- workloads --- */

enum ssd_bench_kind {
	SSD_BENCH_SEQ_READ,
	SSD_BENCH_RAND_READ,
	SSD_BENCH_SEQ_WRITE,
	SSD_BENCH_RAND_WRITE,
	SSD_BENCH_SEQ_MIXED,
	SSD_BENCH_RAND_MIXED,
};
const char *ssd_bench_kind_word(enum ssd_bench_kind kind); /* "seq_read", ..., as in JSON */
bool ssd_bench_is_random(enum ssd_bench_kind kind);
bool ssd_bench_writes(enum ssd_bench_kind kind);

/* One measurement: what is done, not to what. */
struct ssd_bench_test {
	const char *name; /* "rand_read_4k_q32t4" */
	enum ssd_bench_kind kind;
	unsigned read_percent; /* 100: reads alone, 0: writes alone */
	uint32_t block_bytes;
	unsigned queue_depth; /* of each job */
	unsigned jobs;        /* threads, each with a ring of its own */
	double seconds;
	uint64_t span_bytes; /* the part of the target that is used, from its start; 0: all of it */
	uint64_t rate;       /* I/Os per second, all jobs together; 0: as fast as it goes */
	uint64_t bytes;      /* ends after so many of them, however long that takes (seconds is 0); 0: by time */
	bool precondition;   /* prepares for what follows (fill, preconditioning): shown, never judged */
};

#define SSD_BENCH_MAX_TESTS 32

struct ssd_bench_preset {
	const char *name;  /* "quick" */
	const char *about; /* a sentence for help and manual */
	const struct ssd_bench_test *tests;
	size_t n_tests;
	bool steady; /* runs until it is steady (steady.c) */
};
extern const struct ssd_bench_preset ssd_bench_presets[];
extern const size_t ssd_bench_n_presets;
const struct ssd_bench_preset *ssd_bench_preset_find(const char *name); /* NULL: there is none */

/* What the command line asks for; 0 and NULL: not given. */
struct ssd_bench_wish {
	const char *preset;
	const char *
		rw; /* read, write, randread, randwrite, rw, randrw: with it, or with one of the next three, "custom" */
	uint64_t block_bytes, queue_depth, jobs;
	uint64_t rate, read_percent;  /* likewise */
	uint64_t seconds, span_bytes; /* for a preset, too */
	bool may_write; /* there is somewhere to write: else tests that write are left out, or refused when asked for by name */
	double limit_seconds; /* of all tests together; 0: none */
};

struct ssd_bench_plan {
	const char *preset; /* "quick", "custom" */
	bool steady;
	struct ssd_bench_test tests[SSD_BENCH_MAX_TESTS];
	size_t n_tests;
	size_t left_out; /* tests that write */
};

#define SSD_BENCH_CUSTOM_SECONDS 10

/* From wish to tests. Pure. Returns 0, or -1 with *err set: usage, or refused when only tests that write are left. */
int ssd_bench_plan(const struct ssd_bench_wish *wish, struct ssd_bench_plan *plan, struct ssd_err *err);
/* Whether a wish names a test that writes, whatever may_write says. */
bool ssd_bench_wish_writes(const struct ssd_bench_wish *wish);
double ssd_bench_plan_seconds(const struct ssd_bench_plan *plan);

/*
 * Steady state as SNIA's PTS has it (in TKperf's checkSteadyState): the last five rounds differ by at most 20 % of their
 * mean, and the slope of the line through them makes at most 10 % of it over the window.
 */
#define SSD_BENCH_STEADY_WINDOW 5
#define SSD_BENCH_STEADY_ROUNDS 25 /* at most */
bool ssd_bench_is_steady(const double *rounds, size_t n);

/* --- latency histogram: log-linear, relative error of a bucket below 1/128, up to 2^64 ns: nothing is above it --- */

#define SSD_HIST_BITS 7 /* 128 buckets for each doubling */
#define SSD_HIST_BUCKETS ((64 - SSD_HIST_BITS + 1) << SSD_HIST_BITS)

struct ssd_hist {
	uint64_t count[SSD_HIST_BUCKETS];
	uint64_t samples, min_ns, max_ns; /* exact; min is UINT64_MAX without samples */
	struct ssd_u128 sum_ns;
};

static inline unsigned ssd_hist_bucket(uint64_t ns)
{
	unsigned shift = 63u - (unsigned)__builtin_clzll(ns | 1u << SSD_HIST_BITS) - SSD_HIST_BITS;

	return (shift << SSD_HIST_BITS) + (unsigned)(ns >> shift);
}

static inline void ssd_hist_add(struct ssd_hist *h, uint64_t ns)
{
	h->count[ssd_hist_bucket(ns)]++;
	h->samples++;
	h->min_ns = ns < h->min_ns ? ns : h->min_ns;
	h->max_ns = ns > h->max_ns ? ns : h->max_ns;
	h->sum_ns.lo += ns;
	h->sum_ns.hi += h->sum_ns.lo < ns;
}

void ssd_hist_init(struct ssd_hist *h);
void ssd_hist_merge(struct ssd_hist *into, const struct ssd_hist *from);
double ssd_hist_mean(const struct ssd_hist *h);
/* The latency that `percent` of the samples do not exceed, interpolated within its bucket and within [min, max]; 0: empty. */
uint64_t ssd_hist_percentile(const struct ssd_hist *h, double percent);
/* The first and the last value that fall into a bucket. */
uint64_t ssd_hist_low(unsigned bucket);
uint64_t ssd_hist_high(unsigned bucket);

/* --- results --- */

struct ssd_bench_latency {
	uint64_t samples; /* 0: none, and all else is 0 */
	uint64_t min_ns, p50_ns, p90_ns, p99_ns, p99_9_ns, p99_99_ns, max_ns;
	double mean_ns;
};

/* The histogram of a result: four bars for each doubling, so that a few of them show its shape. */
#define SSD_BENCH_BAR_SHIFT (SSD_HIST_BITS - 2)
#define SSD_BENCH_BARS (SSD_HIST_BUCKETS >> SSD_BENCH_BAR_SHIFT)

/*
 * I/Os completed in each interval from the start on. It begins with a tenth of a second; when there are no more slots, the
 * intervals get twice as long.
 */
#define SSD_BENCH_SLOTS 120
#define SSD_BENCH_SLOT_NS 100000000u

struct ssd_bench_series {
	uint64_t slot_ns;
	unsigned n; /* whole intervals */
	uint32_t ios[SSD_BENCH_SLOTS];
};

/* What the drive should do under the conditions of a test, by its maker (verdict.c). */
struct ssd_bench_rated {
	bool known;
	double value;
	const char *unit;    /* "mb_per_s", "iops" */
	double percent;      /* measured in percent of value */
	const char *source;  /* document */
	bool comparable;     /* the conditions of the test are those of the figure; percent is judged only then */
	bool up_to;          /* a family's maximum, not this model's figure */
	bool of_card;        /* of all controllers of a card together */
	const char *because; /* why it is not comparable: a sentence, or NULL */
};

struct ssd_bench_result {
	struct ssd_bench_test test; /* as it was run */
	bool done;                  /* false: not run (interrupted before, or left out) */
	bool partial;               /* ended early */
	double seconds;             /* measured */
	uint64_t ios, bytes;
	uint64_t read_ios, write_ios;
	double mb_per_s, iops;
	uint64_t errors; /* I/Os that failed */
	int first_errno; /* of the first of them */
	uint64_t first_error_offset;
	struct ssd_bench_latency latency;     /* all I/Os */
	struct ssd_bench_latency read, write; /* mixed tests alone */
	uint64_t histogram[SSD_BENCH_BARS];   /* of all I/Os: bar i has the buckets from i << SSD_BENCH_BAR_SHIFT on */
	struct ssd_bench_series series;
	uint64_t longest_gap_ns;     /* without a completion, in any job */
	double cpu_ns_per_io;        /* user and kernel time of the jobs' threads */
	double busiest_cpu_percent;  /* of a core: the busiest job */
	double mean_depth;           /* I/Os under way on the average, measured from submission to reaping */
	int temperature_max_celsius; /* INT32_MIN: unknown */
	bool stopped_hot;            /* ended early because of the temperature */
	/* by ssd_bench_judge() */
	struct ssd_bench_rated rated;
	double link_percent; /* of what the PCIe link carries; 0: unknown */
	const char *
		limited_by; /* "cpu", "depth", "link": what kept the drive from doing more; NULL: nothing is known to have */
};

/* --- what was observed around it --- */

/* A look at the drive and at the host; twice, before and after. What is unknown is -1 (temperatures: INT32_MIN). */
struct ssd_bench_look {
	int temperature_celsius;
	int64_t warning_minutes, critical_minutes; /* SMART: spent above the thresholds */
	int64_t throttle_seconds;                  /* thermal management T1 and T2 together */
	int64_t throttle_count;                    /* transitions into T1 and T2 */
	int64_t vendor_throttle_count;             /* the same by the vendor's count */
	const char *busy; /* what runs in the drive on its own, in words; NULL: nothing known */
	int64_t media_errors, error_log_entries;
	int64_t critical_warning;    /* SMART byte 0 */
	int64_t pcie_errors;         /* AER: corrected and not */
	char link_speed[32];         /* "8.0 GT/s PCIe"; empty: unknown */
	int link_width;              /* -1: unknown */
	int64_t read_ios, write_ios; /* block layer: of all users of the device (/sys/block/X/stat) */
	int64_t read_bytes, write_bytes;
};

struct ssd_bench_env {
	char kernel[80], scheduler[32], governor[32]; /* empty: unknown */
	int numa_node;                                /* of the drive; -1: unknown */
	unsigned cpus;                                /* that the jobs may run on */
	int poll_queues;                              /* -1: unknown */
	bool polled;                                  /* completions are polled for */
	uint32_t block_bytes;                         /* of the namespace's format; 0: not a namespace, or unknown */
	int32_t metadata_bytes;                       /* likewise; -1 */
	uint32_t max_transfer_bytes;                  /* above it the kernel splits; 0: unknown */
	char max_link_speed[32];
	int max_link_width; /* -1: unknown */
	bool simulated;
	bool is_file;              /* a file, not a device */
	bool cached;               /* its file system has no direct I/O */
	bool shared;               /* others use the device */
	int64_t allocated_percent; /* NUSE of NSZE; -1: unknown. Reads of what was never written do not touch the flash */
	int critical_celsius;      /* the limit in force, CCTEMP where there is one; INT32_MIN: unknown */
	bool passthrough;          /* reads went around the block layer, which therefore has not counted them */
	uint64_t own_read_bytes, own_write_bytes; /* what this run itself has moved */
};

enum ssd_bench_state { SSD_BENCH_BURST, SSD_BENCH_STEADY, SSD_BENCH_SHARED };
const char *ssd_bench_state_word(enum ssd_bench_state state);

enum ssd_bench_verdict {
	SSD_BENCH_NO_SPEC,
	SSD_BENCH_PASS,
	SSD_BENCH_WARN,
	SSD_BENCH_FAIL,
	SSD_BENCH_HOST_LIMITED,
	SSD_BENCH_INVALID,
};

#define SSD_BENCH_MAX_REASONS 24

struct ssd_bench {
	const char *preset; /* "custom" when the options said what to do */
	const char *engine; /* "io_uring", "io_uring, polled", "preadv", "uring_cmd" */
	enum ssd_bench_state state;
	struct ssd_bench_result tests[SSD_BENCH_MAX_TESTS];
	size_t n_tests;
	struct ssd_bench_env env;
	struct ssd_bench_look before, after;
	bool interrupted;
	bool has_identity; /* whether this is a drive whose model is known; else identity is empty */
	struct ssd_identity identity;
	const struct ssd_rating *ratings[SSD_RATINGS]; /* the most specific first */
	size_t n_ratings;
	/* by ssd_bench_judge() */
	enum ssd_bench_verdict verdict;
	bool falls_short; /* there is something to explain: less than published, or disturbed */
	char reasons[SSD_BENCH_MAX_REASONS][240];
	size_t n_reasons;
};

/* --- verdict.c, report.c, html.c --- */

/* Fills `rated` of each result, `verdict` and `reasons`, from everything else in it. Pure. */
void ssd_bench_judge(struct ssd_bench *bench);
const char *ssd_bench_verdict_word(enum ssd_bench_verdict verdict); /* "pass", ..., as in JSON */

/* Descriptors of the object "bench" in an element of "drives" (report.c), and its content. */
extern const struct ssd_field ssd_bench_fields[];
void ssd_bench_document(const struct ssd_bench *bench, struct ssd_node *obj);
/* The object for people. note: " (simulated)", or empty. */
void ssd_bench_text(const struct ssd_node *obj, const char *note, FILE *out);
/* The whole element of "drives", with "bench" and "findings", as one page that needs nothing from elsewhere. */
void ssd_bench_html(const struct ssd_node *element, const char *note, FILE *out);
/* What a link moves, in MB/s before packets and their acknowledgements; 0: unknown. speed as sysfs says it. */
double ssd_bench_link_mb_per_s(const char *speed, int width);

/* --- comparison with an earlier result --- */

/*
 * How far the mean rate of a test may be from what it would be on the long run, as a share of it: the standard error of the
 * mean of its intervals. Negative: too few of them.
 */
double ssd_bench_spread(const double *rates, size_t n);
/* Percent of change that two runs may differ by without anything having changed. */
double ssd_bench_noise_percent(double spread, double earlier_spread);

/* --- engine --- */

struct ssd_bench_target {
	int fd;              /* for reads, and for writes when writable; O_DIRECT where the file system has it */
	bool direct;         /* whether it has */
	bool writable;       /* writes are allowed; nobody asks again below this */
	uint64_t size_bytes; /* what may be read and written */
	uint64_t start_bytes, end_bytes; /* writes stay within; reads within size */
	uint32_t align_bytes;            /* offsets and lengths are multiples of it */
	int numa_node;                   /* -1: none or unknown */
	char poll[256];                  /* sysfs queue/io_poll of the device; empty: no polling */
	int allocated_percent;           /* of a file: the part that is not holes; -1: unknown */
	int generic_fd;                  /* passthrough: the namespace's character device; -1: none */
	uint32_t nsid;                   /* likewise */
};

/* The first and the last of a namespace are never written: partition tables and their backups live there. */
#define SSD_BENCH_MARGIN_BYTES (1u << 20)

/*
 * Opens a file or a block device for reads, or for reads and writes. Returns 0, or -1 with *err set; close with
 * ssd_bench_close() in both cases.
 */
int ssd_bench_open(const char *path, bool write, struct ssd_bench_target *target, struct ssd_err *err);
/*
 * Opens /dev/ngXnY beside the namespace's block device, which is open already: tests that only read are then done by
 * passthrough where the kernel can. It knows of no partitions and no file systems, and blocks are the namespace's own: these
 * must have no metadata. Returns 0, or -1 with *err set.
 */
int ssd_bench_open_generic(const char *path, uint32_t nsid, struct ssd_bench_target *target, struct ssd_err *err);
/*
 * Makes a file without a name in dir, so that nothing is left of it however we end: `bytes` large, but at most a tenth of
 * what is free. sparse: for reads alone, a hole of that size.
 */
int ssd_bench_scratch(const char *dir, uint64_t bytes, bool sparse, struct ssd_bench_target *target,
		      struct ssd_err *err);
void ssd_bench_close(struct ssd_bench_target *target);

/* Asked a few times a second while a test runs, by the thread that waits for the jobs. True: stop. */
typedef bool (*ssd_bench_watch)(void *ctx, struct ssd_bench_result *result);

struct ssd_bench_options {
	bool no_uring;           /* the fallback, for tests and comparisons */
	const atomic_bool *stop; /* set by a signal handler */
	ssd_bench_watch watch;   /* or NULL */
	void *watch_ctx;
};

/*
 * Runs one test. Returns 0 with the result (also of one that was ended early), or -1 with *err set: nothing could be run.
 * engine: what did it.
 */
int ssd_bench_run(const struct ssd_bench_target *target, const struct ssd_bench_test *test,
		  const struct ssd_bench_options *options, struct ssd_bench_result *result, const char **engine,
		  struct ssd_err *err);

#endif
