/* SPDX-License-Identifier: MIT */
/* A job without io_uring, where a sandbox or the administrator forbids it: one I/O at a time, so one thread for each. */
#include "bench/job.h"

#include <errno.h>
#include <sys/uio.h>

/* Returns 0, or an errno. */
static int transfer(struct bench_job *job, struct bench_io io)
{
	struct iovec v = {job->buffers, job->stream.block_bytes};
	int fd = job->crew->target->fd;
	ssize_t n;

	if (io.write)
		memcpy(job->buffers, &job->stream.random, sizeof(job->stream.random));
	do
		n = io.write ? pwritev(fd, &v, 1, (off_t)io.offset) : preadv(fd, &v, 1, (off_t)io.offset);
	while (n < 0 && errno == EINTR);
	return n < 0 ? errno : (size_t)n < v.iov_len ? ENODATA : 0;
}

static void wait_until(uint64_t ns)
{
	struct timespec ts = {.tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

static void work(struct bench_job *job)
{
	uint64_t now = job->start_ns, due = now + job->phase_ns, last = now;

	while (!bench_stopped(job, now) && job->errors < BENCH_MAX_ERRORS) {
		struct bench_io io = bench_next(&job->stream);
		uint64_t started;
		int error;

		if (job->interval_ns) {
			wait_until(due < job->deadline_ns ? due : job->deadline_ns);
			due += job->interval_ns;
			if (bench_stopped(job, bench_now_ns()))
				break;
		}
		job->left--;
		started = bench_now_ns();
		error = transfer(job, io);
		now = bench_now_ns();
		if (error)
			bench_error(job, error, io.offset);
		else
			bench_count(job, io.write, started, now);
		job->longest_gap_ns = now - last > job->longest_gap_ns ? now - last : job->longest_gap_ns;
		last = now;
	}
}

void bench_sync(struct bench_job *job)
{
	if (bench_begin(job)) {
		work(job);
		bench_end(job);
	}
}
