/* SPDX-License-Identifier: MIT */
/* What the parts of the engine share: a job is one thread with its own part of everything, so that nothing is locked. */
#ifndef SSDCT_BENCH_JOB_H
#define SSDCT_BENCH_JOB_H

#include <ssdct/bench.h>

#include <pthread.h>
#include <sched.h>
#include <time.h>

/* --- addresses --- */

/* splitmix64: G. Steele, D. Lea, C. Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014. */
static inline uint64_t bench_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* 0 to n-1, for any n, without a division: D. Lemire, "Fast Random Integer Generation in an Interval", 2019. */
static inline uint64_t bench_reduce(uint64_t random, uint64_t n)
{
	return (uint64_t)((unsigned __int128)random * n >> 64);
}

/* Blocks of the test, of the part of the target that it may use. */
struct bench_stream {
	uint64_t random; /* state */
	uint64_t start;  /* bytes */
	uint64_t blocks;
	uint64_t next; /* sequential: the block */
	uint32_t block_bytes;
	uint32_t reads_of_2_32; /* the share of reads, times 2^32; all ones: no writes */
	bool sequential;
};

struct bench_io {
	uint64_t offset;
	bool write;
};

static inline struct bench_io bench_next(struct bench_stream *s)
{
	uint64_t random = bench_random(&s->random), block;

	if (s->sequential) {
		block = s->next;
		s->next = block + 1 < s->blocks ? block + 1 : 0;
	} else {
		block = bench_reduce(random, s->blocks);
	}
	/* The address is made of the upper bits, the choice of the lower ones. */
	return (struct bench_io){s->start + block * s->block_bytes,
				 s->reads_of_2_32 != UINT32_MAX && (uint32_t)random >= s->reads_of_2_32};
}

/* Where job `index` of a test begins and what it may touch. Returns false when there is no room for a block. */
bool bench_stream_init(struct bench_stream *s, const struct ssd_bench_target *target, const struct ssd_bench_test *test,
		       unsigned index, uint64_t seed);

/* --- jobs --- */

static inline uint64_t bench_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

struct bench_job;

/* Ways to do it, the best first. */
struct bench_engine {
	const char *name; /* as in JSON */
	void (*body)(struct bench_job *job);
	bool polled;
	bool passthrough;       /* to the driver, past the block layer: reads alone */
	bool threads_for_depth; /* it has one I/O under way in each thread */
};

/* Of all jobs of a test. */
struct bench_crew {
	const struct ssd_bench_target *target;
	const struct ssd_bench_test *test;
	const atomic_bool *stop; /* of the whole run, or NULL */
	atomic_bool end;         /* of this test */
	atomic_bool setup_failed;
	pthread_barrier_t barrier;
	bool polled, passthrough;
	void (*body)(struct bench_job *job);
};

enum { BENCH_MAX_ERRORS = 32 }; /* of a job, then it ends: a target that fails is not measured */

struct bench_job {
	struct bench_crew *crew;
	pthread_t thread;
	struct bench_stream stream;
	unsigned depth;
	uint64_t left;        /* I/Os to begin */
	uint64_t interval_ns; /* from one I/O to the next at a given rate; 0: none */
	uint64_t phase_ns;    /* likewise: so that the jobs take turns */
	uint8_t *buffers;     /* depth blocks */
	/* what came of it */
	int setup_error; /* errno */
	const char *setup_step;
	bool unregistered; /* the buffers could not be registered */
	uint64_t start_ns, end_ns, deadline_ns;
	uint64_t errors, first_error_offset;
	int first_errno;
	uint64_t longest_gap_ns;
	uint64_t cpu_ns;
	struct ssd_bench_series series; /* n: the slot that is filled */
	uint64_t slot_end_ns;
	struct ssd_hist hist[2]; /* reads, writes */
};

/* Out of line: happens ten times a second at most. */
void bench_next_slot(struct bench_job *job, uint64_t now);

/* An I/O has been completed. */
static inline void bench_count(struct bench_job *job, bool write, uint64_t started, uint64_t now)
{
	ssd_hist_add(&job->hist[write], now - started);
	if (now >= job->slot_end_ns)
		bench_next_slot(job, now);
	job->series.ios[job->series.n]++;
}

/* Waits for the other jobs; returns false when one of them could not be set up. Sets start and deadline. */
bool bench_begin(struct bench_job *job);
/* Takes the time. */
void bench_end(struct bench_job *job);
void bench_error(struct bench_job *job, int error, uint64_t offset);

static inline bool bench_stopped(const struct bench_job *job, uint64_t now)
{
	const struct bench_crew *c = job->crew;

	return now >= job->deadline_ns || !job->left || atomic_load_explicit(&c->end, memory_order_relaxed) ||
	       (c->stop && atomic_load_explicit(c->stop, memory_order_relaxed));
}

/* Bodies of the threads. */
void bench_uring(struct bench_job *job);
void bench_sync(struct bench_job *job);

/* --- place.c --- */

/* Lets this thread run on the CPUs of a NUMA node only, those of them that it may run on. -1, unknown: anywhere. */
void bench_place(int numa_node);
/* CPUs in a sysfs list ("0-3,8"), as bits of set. Returns how many; 0 for what is no list. */
unsigned bench_cpulist(const char *list, cpu_set_t *set);

#endif
