/* SPDX-License-Identifier: MIT */
/* Runs a test: jobs are started together, waited for, and their results put together. */
#include "bench/job.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/random.h>

#define WATCH_NS 200000000
/* What a drive may take to complete what is under way at the end: the kernel's own timeout of an I/O (nvme io_timeout). */
#define DRAIN_SECONDS 30
#define MAX_THREADS 512 /* without io_uring */
#define STACK_BYTES (256u << 10)
#define HUGE_BYTES (2u << 20)
#define PART_OF_MEMORY 4 /* no more of it goes into buffers: the machine has other work */
#define SECTOR_BYTES 512

bool bench_stream_init(struct bench_stream *s, const struct ssd_bench_target *target, const struct ssd_bench_test *test,
		       unsigned index, uint64_t seed)
{
	bool writes = ssd_bench_writes(test->kind);
	uint64_t start = writes ? target->start_bytes : 0, end = writes ? target->end_bytes : target->size_bytes;

	if (end < start)
		return false;
	if (test->span_bytes && test->span_bytes < end - start)
		end = start + test->span_bytes;
	*s = (struct bench_stream){.start = start,
				   .blocks = (end - start) / test->block_bytes,
				   .block_bytes = test->block_bytes,
				   .sequential = !ssd_bench_is_random(test->kind),
				   .random = seed + index * 0xd1342543de82ef95u};
	s->reads_of_2_32 = writes ? (uint32_t)((double)test->read_percent / 100 * UINT32_MAX) : UINT32_MAX;
	if (writes && s->reads_of_2_32 == UINT32_MAX)
		s->reads_of_2_32--;
	s->next = s->blocks / test->jobs * index;
	return s->blocks > 0;
}

/*
 * Noise, that no drive can compress. The last two bytes of each sector are zero: with 55h AAh there, it would be what
 * partition tables and boot sectors are recognised by.
 */
static void fill(uint8_t *buffer, size_t bytes, uint64_t seed)
{
	for (size_t i = 0; i < bytes; i += 8) {
		uint64_t v = bench_random(&seed);

		memcpy(buffer + i, &v, 8);
	}
	for (size_t i = SECTOR_BYTES - 2; i < bytes; i += SECTOR_BYTES)
		buffer[i] = buffer[i + 1] = 0;
}

bool bench_begin(struct bench_job *job)
{
	struct bench_crew *crew = job->crew;
	struct timespec cpu;

	if (job->setup_error)
		atomic_store(&crew->setup_failed, true);
	pthread_barrier_wait(&crew->barrier);
	if (atomic_load(&crew->setup_failed))
		return false;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
	job->cpu_ns = (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec;
	job->start_ns = bench_now_ns();
	job->series = (struct ssd_bench_series){.slot_ns = SSD_BENCH_SLOT_NS};
	job->slot_end_ns = job->start_ns + job->series.slot_ns;
	job->deadline_ns = crew->test->bytes ? UINT64_MAX : job->start_ns + (uint64_t)(crew->test->seconds * 1e9);
	return true;
}

/* Half as many slots, of twice the length. */
static void widen(struct ssd_bench_series *s)
{
	for (unsigned i = 0; i < SSD_BENCH_SLOTS / 2; i++)
		s->ios[i] = s->ios[2 * i] + s->ios[2 * i + 1];
	memset(s->ios + SSD_BENCH_SLOTS / 2, 0, sizeof(s->ios) / 2);
	s->slot_ns *= 2;
	s->n /= 2;
}

void bench_next_slot(struct bench_job *job, uint64_t now)
{
	struct ssd_bench_series *s = &job->series;
	uint64_t slot = (now - job->start_ns) / s->slot_ns;

	for (; slot >= SSD_BENCH_SLOTS; slot /= 2)
		widen(s);
	s->n = (unsigned)slot;
	job->slot_end_ns = job->start_ns + (slot + 1) * s->slot_ns;
}

void bench_end(struct bench_job *job)
{
	struct timespec cpu;

	job->end_ns = bench_now_ns();
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
	job->cpu_ns = (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec - job->cpu_ns;
}

void bench_error(struct bench_job *job, int error, uint64_t offset)
{
	if (!job->errors++) {
		job->first_errno = error;
		job->first_error_offset = offset;
	}
}

static void *job_main(void *arg)
{
	struct bench_job *job = arg;

	/* On the CPU that will use them, so that the pages are of its node. */
	bench_place(job->crew->target->numa_node);
	fill(job->buffers, (size_t)job->depth * job->stream.block_bytes, job->stream.random);
	job->crew->body(job);
	return NULL;
}

/* --- the crew --- */

struct plan {
	/* Copies: threads that are left behind outlive whoever asked. */
	struct ssd_bench_target target;
	struct ssd_bench_test test;
	struct bench_crew crew;
	struct bench_job *jobs;
	unsigned n, started;
	uint8_t *buffers;
	size_t buffer_bytes;
	struct ssd_hist *all; /* scratch */
};

static void free_plan(struct plan *p)
{
	if (p->buffers)
		munmap(p->buffers, p->buffer_bytes);
	free(p->jobs);
	free(p->all);
	pthread_barrier_destroy(&p->crew.barrier);
}

static size_t part_bytes(const struct bench_job *job)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = (size_t)job->depth * job->stream.block_bytes;

	return (bytes + page - 1) / page * page;
}

static int allocate_buffers(struct plan *p, struct ssd_err *err)
{
	size_t each = part_bytes(&p->jobs[0]);
	size_t memory = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);

	p->buffer_bytes = (each * p->n + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES;
	if (p->buffer_bytes > memory / PART_OF_MEMORY)
		return ssd_fail(err, SSD_ERR_USAGE,
				"%s: block x depth x jobs are %.1f GB, more than a quarter of this machine's memory",
				p->crew.test->name, (double)p->buffer_bytes / 1e9);
	p->buffers = mmap(NULL, p->buffer_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p->buffers == MAP_FAILED) {
		p->buffers = NULL;
		return ssd_fail_errno(err, errno, "memory for %u jobs", p->n);
	}
	madvise(p->buffers, p->buffer_bytes, MADV_HUGEPAGE);
	for (unsigned i = 0; i < p->n; i++)
		p->jobs[i].buffers = p->buffers + i * each;
	return 0;
}

static uint64_t new_seed(void)
{
	uint64_t seed;

	/* Another one for each run, so that no cache of the drive has seen the addresses before. */
	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
		seed = bench_now_ns();
	return seed;
}

/* n jobs of this depth each: those of the test, or without io_uring as many threads as I/Os may be under way. */
static int plan_jobs(struct plan *p, unsigned n, unsigned depth, struct ssd_err *err)
{
	const struct ssd_bench_test *test = p->crew.test;
	uint64_t seed = new_seed();

	p->n = n;
	p->jobs = ssd_calloc(n, sizeof(*p->jobs));
	p->all = ssd_calloc(1, sizeof(*p->all));
	pthread_barrier_init(&p->crew.barrier, NULL, n);
	for (unsigned i = 0; i < n; i++) {
		struct bench_job *job = &p->jobs[i];
		struct ssd_bench_test part = *test;

		part.jobs = n;
		job->crew = &p->crew;
		job->depth = depth;
		job->left = test->bytes ? (test->bytes / n + test->block_bytes - 1) / test->block_bytes : UINT64_MAX;
		job->interval_ns = test->rate ? 1000000000u * (uint64_t)n / test->rate : 0;
		job->phase_ns = job->interval_ns / n * i;
		ssd_hist_init(&job->hist[0]);
		ssd_hist_init(&job->hist[1]);
		if (!bench_stream_init(&job->stream, p->crew.target, &part, i, seed))
			return ssd_fail(
				err, p->crew.target->size_bytes < test->block_bytes ? SSD_ERR_BAD_INPUT : SSD_ERR_USAGE,
				"%s: not even one block of %u bytes fits", test->name, test->block_bytes);
	}
	return allocate_buffers(p, err);
}

/* Signals that end us are for the thread that waits. */
static int start_jobs(struct plan *p, struct ssd_err *err)
{
	pthread_attr_t attr;
	sigset_t all, before;
	int rc = 0;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (; p->started < p->n && !rc; p->started += !rc)
		rc = pthread_create(&p->jobs[p->started].thread, &attr, job_main, &p->jobs[p->started]);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return rc ? ssd_fail_errno(err, rc, "starting %u threads", p->n) : 0;
}

static struct timespec wall_clock_in(uint64_t ns)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	ts.tv_nsec += (long)ns;
	ts.tv_sec += ts.tv_nsec / 1000000000;
	ts.tv_nsec %= 1000000000;
	return ts;
}

static bool is_told_to_end(struct plan *p, const struct ssd_bench_options *o)
{
	return atomic_load(&p->crew.end) || (o->stop && atomic_load(o->stop));
}

/* Waits for all jobs, and looks at the drive meanwhile. False: it does not complete what is under way. */
static bool wait_for_jobs(struct plan *p, const struct ssd_bench_options *o, struct ssd_bench_result *result)
{
	const struct ssd_bench_test *test = p->crew.test;
	uint64_t drain = DRAIN_SECONDS * 1000000000ull,
		 give_up = test->bytes ? UINT64_MAX : bench_now_ns() + (uint64_t)(test->seconds * 1e9) + drain;
	bool ended = false;

	for (unsigned i = 0; i < p->n; i++) {
		struct timespec until = wall_clock_in(WATCH_NS);

		while (pthread_timedjoin_np(p->jobs[i].thread, NULL, &until)) {
			if (o->watch && o->watch(o->watch_ctx, result))
				atomic_store(&p->crew.end, true);
			if (!ended && is_told_to_end(p, o)) {
				ended = true;
				give_up = bench_now_ns() + drain;
			}
			if (bench_now_ns() > give_up)
				return false;
			until = wall_clock_in(WATCH_NS);
		}
	}
	/* Not by the time: this thread and the jobs may hear of it late, as a silent drive holds them all up. */
	result->partial = is_told_to_end(p, o);
	return true;
}

static struct ssd_bench_latency latency_of(const struct ssd_hist *h)
{
	return (struct ssd_bench_latency){
		.samples = h->samples,
		.min_ns = h->samples ? h->min_ns : 0,
		.max_ns = h->max_ns,
		.mean_ns = ssd_hist_mean(h),
		.p50_ns = ssd_hist_percentile(h, 50),
		.p90_ns = ssd_hist_percentile(h, 90),
		.p99_ns = ssd_hist_percentile(h, 99),
		.p99_9_ns = ssd_hist_percentile(h, 99.9),
		.p99_99_ns = ssd_hist_percentile(h, 99.99),
	};
}

static void merge_latencies(struct plan *p, struct ssd_bench_result *r)
{
	struct ssd_bench_latency *of[] = {&r->read, &r->write};
	uint64_t *ios[] = {&r->read_ios, &r->write_ios};

	for (unsigned kind = 0; kind < 2; kind++) {
		ssd_hist_init(p->all);
		for (unsigned i = 0; i < p->n; i++)
			ssd_hist_merge(p->all, &p->jobs[i].hist[kind]);
		*of[kind] = latency_of(p->all);
		*ios[kind] = p->all->samples;
	}
	/* The writes are in it. */
	for (unsigned i = 0; i < p->n; i++)
		ssd_hist_merge(p->all, &p->jobs[i].hist[0]);
	r->latency = latency_of(p->all);
	for (unsigned i = 0; i < SSD_HIST_BUCKETS; i++)
		r->histogram[i >> SSD_BENCH_BAR_SHIFT] += p->all->count[i];
}

/* In the longest intervals of any job; the last one is left out, because it has not been whole. */
static void merge_series(struct plan *p, double seconds, struct ssd_bench_series *all)
{
	double slots;

	*all = (struct ssd_bench_series){.slot_ns = SSD_BENCH_SLOT_NS};
	for (unsigned i = 0; i < p->n; i++)
		if (p->jobs[i].series.slot_ns > all->slot_ns)
			all->slot_ns = p->jobs[i].series.slot_ns;
	for (unsigned i = 0; i < p->n; i++) {
		struct ssd_bench_series *s = &p->jobs[i].series;

		while (s->slot_ns < all->slot_ns)
			widen(s);
		for (unsigned k = 0; k < SSD_BENCH_SLOTS; k++)
			all->ios[k] += s->ios[k];
	}
	slots = seconds * 1e9 / (double)all->slot_ns;
	all->n = slots < SSD_BENCH_SLOTS ? (unsigned)slots : SSD_BENCH_SLOTS;
}

static void merge_job(const struct bench_job *job, struct ssd_bench_result *r)
{
	double busy = (double)job->cpu_ns / (double)(job->end_ns - job->start_ns + 1) * 100;

	if (job->errors && !r->errors) {
		r->first_errno = job->first_errno;
		r->first_error_offset = job->first_error_offset;
	}
	r->errors += job->errors;
	r->longest_gap_ns = job->longest_gap_ns > r->longest_gap_ns ? job->longest_gap_ns : r->longest_gap_ns;
	r->busiest_cpu_percent = busy > r->busiest_cpu_percent ? busy : r->busiest_cpu_percent;
	r->cpu_ns_per_io += (double)job->cpu_ns;
}

static void merge(struct plan *p, struct ssd_bench_result *r)
{
	uint64_t start = UINT64_MAX, end = 0;

	for (unsigned i = 0; i < p->n; i++) {
		const struct bench_job *job = &p->jobs[i];

		start = job->start_ns < start ? job->start_ns : start;
		end = job->end_ns > end ? job->end_ns : end;
		merge_job(job, r);
	}
	merge_latencies(p, r);
	r->done = true;
	r->seconds = (double)(end - start) / 1e9;
	merge_series(p, r->seconds, &r->series);
	r->ios = r->latency.samples;
	r->bytes = r->ios * r->test.block_bytes;
	r->iops = r->seconds > 0 ? (double)r->ios / r->seconds : 0;
	r->mb_per_s = r->seconds > 0 ? (double)r->bytes / r->seconds / 1e6 : 0;
	r->cpu_ns_per_io = r->ios ? r->cpu_ns_per_io / (double)r->ios : 0;
	r->mean_depth = r->latency.mean_ns / 1e9 * r->iops;
}

/* Returns 0, -1 with *err set, or a positive errno when the engine could not be set up. */
static int run_plan(struct plan *p, const struct ssd_bench_options *o, struct ssd_bench_result *result,
		    struct ssd_err *err)
{
	/* Threads that cannot be started leave the others at the barrier; the process is about to end. */
	if (start_jobs(p, err))
		return -1;
	if (!wait_for_jobs(p, o, result)) {
		/* What is still under way will be written into the buffers, whenever that is: they stay. */
		p->jobs = NULL;
		p->buffers = NULL;
		p->all = NULL;
		return ssd_fail(err, SSD_ERR_TIMEOUT, "%s: the drive has not completed its I/Os within %u s",
				p->crew.test->name, DRAIN_SECONDS);
	}
	for (unsigned i = 0; i < p->n; i++)
		if (p->jobs[i].setup_error)
			return p->jobs[i].setup_error;
	merge(p, result);
	return 0;
}

static int run_with(const struct ssd_bench_target *target, const struct ssd_bench_test *test,
		    const struct ssd_bench_options *o, const struct bench_engine *engine,
		    struct ssd_bench_result *result, struct ssd_err *err)
{
	struct plan *p = ssd_calloc(1, sizeof(*p));
	unsigned n = engine->threads_for_depth ? test->jobs * test->queue_depth : test->jobs;
	int rc;

	n = n > MAX_THREADS ? MAX_THREADS : n;
	p->target = *target;
	p->test = *test;
	p->crew = (struct bench_crew){
		.target = &p->target,
		.test = &p->test,
		.stop = o->stop,
		.polled = engine->polled,
		.passthrough = engine->passthrough,
		.body = engine->body,
	};
	*result = (struct ssd_bench_result){.test = *test, .temperature_max_celsius = INT32_MIN};
	rc = plan_jobs(p, n, engine->threads_for_depth ? 1 : test->queue_depth, err);
	if (!rc)
		rc = run_plan(p, o, result, err);
	/* Threads that were left behind still look at it. */
	if (rc >= 0 || !p->started) {
		free_plan(p);
		free(p);
	}
	return rc;
}

static bool has_poll_queues(const struct ssd_bench_target *target)
{
	AUTO_FCLOSE FILE *f = *target->poll ? fopen(target->poll, "re") : NULL;

	return f && getc(f) == '1';
}

/*
 * Polling needs a queue for it, and a file system that passes it on; passthrough a kernel that has it, and the right to:
 * what cannot says one of these at once.
 */
static bool refused(const struct ssd_bench_result *r)
{
	int e = r->first_errno;

	return !r->ios && r->errors && (e == EOPNOTSUPP || e == EINVAL || e == EACCES || e == EPERM || e == ENOTTY);
}

/*
 * No polling for passthrough: Debian 12's kernel 6.1 follows the pointer of a request that has ended already
 * (nvme_ns_chr_uring_cmd_iopoll), and that is the end of the machine.
 */
static const struct bench_engine engines[] = {
	{"uring_cmd", bench_uring, .passthrough = true},
	{"io_uring, polled", bench_uring, .polled = true},
	{"io_uring", bench_uring},
	{"preadv", bench_sync, .threads_for_depth = true},
};

static bool is_usable(const struct bench_engine *e, const struct ssd_bench_target *target,
		      const struct ssd_bench_test *test, const struct ssd_bench_options *o)
{
	if (e->threads_for_depth)
		return true;
	if (o->no_uring || (e->polled && (test->rate || !has_poll_queues(target))))
		return false;
	return !e->passthrough || (target->generic_fd >= 0 && !ssd_bench_writes(test->kind));
}

int ssd_bench_run(const struct ssd_bench_target *target, const struct ssd_bench_test *test,
		  const struct ssd_bench_options *options, struct ssd_bench_result *result, const char **engine,
		  struct ssd_err *err)
{
	int rc = EIO;

	if (ssd_bench_writes(test->kind) && !target->writable)
		return ssd_fail(err, SSD_ERR_REFUSED, "%s: writes are not allowed here", test->name);
	for (size_t i = 0; i < ARRAY_SIZE(engines); i++) {
		const struct bench_engine *e = &engines[i];

		if (!is_usable(e, target, test, options))
			continue;
		*engine = e->name;
		rc = run_with(target, test, options, e, result, err);
		if (rc < 0 || (!rc && !((e->polled || e->passthrough) && refused(result))))
			return rc;
	}
	return ssd_fail_errno(err, rc, "%s: starting", test->name);
}
