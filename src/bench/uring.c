/* SPDX-License-Identifier: MIT */
/*
 * A job on io_uring: registered buffers and file, what has completed is reaped at once and replaced in one batch. The clock
 * is read twice in each round, whatever its number of I/Os; nothing is allocated or locked.
 */
#include "bench/job.h"

#include <errno.h>
#include <liburing.h>
#include <linux/nvme_ioctl.h>
#include <sys/mman.h>

struct ring {
	struct io_uring io;
	struct bench_job *job;
	/* Slots: one for each I/O that may be under way. */
	uint64_t *started; /* ns */
	struct bench_io *io_of;
	unsigned *free; /* stack of slots that are not under way */
	unsigned n_free, depth;
	unsigned lba_shift; /* passthrough: log2 of the namespace's block */
	bool fixed;         /* the buffers are registered */
	int good;           /* result of an I/O that went well */
	uint64_t due_ns;
};

/*
 * The best that this kernel has: completions are run when we ask for them, not by an interruption of ours (6.1), or at
 * least without one (5.19); and it need not lock against a second thread (6.0). What it does not know is EINVAL.
 */
static const unsigned setups[] = {
	IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,
	IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_COOP_TASKRUN,
	IORING_SETUP_COOP_TASKRUN,
	0,
};

static int open_ring(struct ring *r, bool polled)
{
	unsigned more = (polled ? IORING_SETUP_IOPOLL : 0) |
			(r->job->crew->passthrough ? IORING_SETUP_SQE128 | IORING_SETUP_CQE32 : 0);
	int rc = -EINVAL;

	for (size_t i = 0; i < ARRAY_SIZE(setups) && rc == -EINVAL; i++) {
		struct io_uring_params params = {.flags = setups[i] | more};

		rc = io_uring_queue_init_params(r->depth, &r->io, &params);
	}
	return rc;
}

/*
 * A buffer for each slot: to passthrough of 128 KiB from within a larger one, Linux 6.1 answers EINVAL. Where not even that
 * much memory may be locked, the kernel looks the pages up for each I/O, as it would for anybody.
 */
static bool register_buffers(struct ring *r)
{
	AUTO_FREE struct iovec *slots = ssd_calloc(r->depth, sizeof(*slots));
	size_t bytes = r->job->stream.block_bytes;

	for (unsigned i = 0; i < r->depth; i++)
		slots[i] = (struct iovec){r->job->buffers + i * bytes, bytes};
	return !io_uring_register_buffers(&r->io, slots, r->depth);
}

static int register_all(struct ring *r)
{
	struct bench_job *job = r->job;

	r->fixed = register_buffers(r);
	job->unregistered = !r->fixed;
	io_uring_register_ring_fd(&r->io); /* 5.18; without it, it works as well */
	return io_uring_register_files(
		&r->io, job->crew->passthrough ? &job->crew->target->generic_fd : &job->crew->target->fd, 1);
}

static int set_up(struct ring *r)
{
	struct bench_job *job = r->job;
	int rc;

	r->started = ssd_calloc(r->depth, sizeof(*r->started));
	r->io_of = ssd_calloc(r->depth, sizeof(*r->io_of));
	r->free = ssd_calloc(r->depth, sizeof(*r->free));
	for (r->n_free = 0; r->n_free < r->depth; r->n_free++)
		r->free[r->n_free] = r->depth - 1 - r->n_free;
	job->setup_step = "io_uring_setup";
	rc = open_ring(r, job->crew->polled && !job->interval_ns);
	if (rc)
		return rc;
	job->setup_step = "io_uring_register";
	rc = register_all(r);
	if (rc)
		io_uring_queue_exit(&r->io);
	return rc;
}

static void release(struct ring *r)
{
	free(r->started);
	free(r->io_of);
	free(r->free);
}

#define NVM_READ 0x02 /* NVM Command Set Specification 1.0, section 3.2.4; NLB is zero-based */

/* A Read as the drive gets it: its own blocks, and the kernel adds the addresses of the memory alone. */
static inline void prepare_passthrough(const struct ring *r, struct io_uring_sqe *sqe, uint8_t *buffer, uint64_t offset)
{
	const struct ssd_bench_target *target = r->job->crew->target;
	uint32_t bytes = r->job->stream.block_bytes;
	uint64_t lba = offset >> r->lba_shift;

	io_uring_prep_rw(IORING_OP_URING_CMD, sqe, 0, NULL, 0, 0);
	sqe->cmd_op = NVME_URING_CMD_IO;
	sqe->uring_cmd_flags = r->fixed ? IORING_URING_CMD_FIXED : 0;
	*(struct nvme_uring_cmd *)(void *)sqe->cmd = (struct nvme_uring_cmd){.opcode = NVM_READ,
									     .nsid = target->nsid,
									     .addr = (uintptr_t)buffer,
									     .data_len = bytes,
									     .cdw10 = (uint32_t)lba,
									     .cdw11 = (uint32_t)(lba >> 32),
									     .cdw12 = (bytes >> r->lba_shift) - 1};
}

static inline void prepare(struct ring *r, struct io_uring_sqe *sqe, unsigned slot)
{
	struct bench_stream *s = &r->job->stream;
	uint8_t *buffer = r->job->buffers + (size_t)slot * s->block_bytes;
	struct bench_io io = bench_next(s);

	r->io_of[slot] = io;
	if (io.write)
		memcpy(buffer, &s->random, sizeof(s->random)); /* so that no two blocks are the same */
	if (r->job->crew->passthrough)
		prepare_passthrough(r, sqe, buffer, io.offset);
	else
		io_uring_prep_rw(r->fixed ? (io.write ? IORING_OP_WRITE_FIXED : IORING_OP_READ_FIXED)
					  : (io.write ? IORING_OP_WRITE : IORING_OP_READ),
				 sqe, 0, buffer, s->block_bytes, io.offset);
	sqe->flags = IOSQE_FIXED_FILE;
	sqe->buf_index = r->fixed ? (uint16_t)slot : 0;
	sqe->user_data = slot;
}

/* Not before it is due, and never more than one late: what was missed is not made up for in a burst. */
static bool pace(struct ring *r, uint64_t now)
{
	uint64_t interval = r->job->interval_ns;

	if (now < r->due_ns)
		return false;
	r->due_ns = r->due_ns + interval > now ? r->due_ns + interval : now + interval;
	return true;
}

/* Every free slot gets an I/O, or when there is a rate, as many as are due. */
static inline void refill(struct ring *r, uint64_t now)
{
	while (r->n_free && r->job->left) {
		struct io_uring_sqe *sqe;
		unsigned slot;

		if (r->job->interval_ns && !pace(r, now))
			return;
		sqe = io_uring_get_sqe(&r->io);
		if (!sqe)
			return;
		slot = r->free[--r->n_free];
		r->job->left--;
		prepare(r, sqe, slot);
		r->started[slot] = now;
	}
}

/* Of passthrough, what is above zero is the drive's own status. */
static int error_of(const struct ring *r, int result)
{
	return result < 0 ? -result : r->job->crew->passthrough ? EIO : ENODATA;
}

static inline void complete(struct ring *r, const struct io_uring_cqe *cqe, uint64_t now)
{
	struct bench_job *job = r->job;
	unsigned slot = (unsigned)cqe->user_data;

	if (cqe->res != r->good)
		bench_error(job, error_of(r, cqe->res), r->io_of[slot].offset);
	else
		bench_count(job, r->io_of[slot].write, r->started[slot], now);
	r->free[r->n_free++] = slot;
}

static inline unsigned reap(struct ring *r, uint64_t now)
{
	const struct io_uring_cqe *cqe;
	unsigned head, n = 0;

	io_uring_for_each_cqe(&r->io, head, cqe)
	{
		/* Kernels before 5.11 time out by an I/O of liburing's own. */
		if (cqe->user_data != LIBURING_UDATA_TIMEOUT)
			complete(r, cqe, now);
		n++;
	}
	io_uring_cq_advance(&r->io, n);
	return n;
}

static int wait_paced(struct ring *r, uint64_t until)
{
	uint64_t now = bench_now_ns(), ns = until > now ? until - now : 0;
	struct __kernel_timespec ts = {.tv_sec = (int64_t)(ns / 1000000000u), .tv_nsec = (int64_t)(ns % 1000000000u)};
	struct io_uring_cqe *cqe;
	int rc = io_uring_submit_and_wait_timeout(&r->io, &cqe, 1, &ts, NULL);

	return rc == -ETIME ? 0 : rc;
}

/* Submits what was prepared and waits: for a completion, or for when the next I/O is due. */
static inline int submit_and_wait(struct ring *r, bool more)
{
	if (r->job->interval_ns && r->n_free && more)
		return wait_paced(r, r->due_ns < r->job->deadline_ns ? r->due_ns : r->job->deadline_ns);
	return io_uring_submit_and_wait(&r->io, 1);
}

static bool is_passing(int rc)
{
	return rc == -EINTR || rc == -EAGAIN || rc == -EBUSY;
}

static void work(struct ring *r)
{
	struct bench_job *job = r->job;
	uint64_t now = job->start_ns, last = now;
	bool more = true;

	r->due_ns = now + job->phase_ns;
	while (more || r->n_free < r->depth) {
		int rc;

		if (more)
			refill(r, bench_now_ns());
		rc = submit_and_wait(r, more);
		if (rc < 0 && !is_passing(rc)) {
			bench_error(job, -rc, 0);
			return;
		}
		now = bench_now_ns();
		if (reap(r, now)) {
			job->longest_gap_ns = now - last > job->longest_gap_ns ? now - last : job->longest_gap_ns;
			last = now;
		}
		more = !bench_stopped(job, now) && job->errors < BENCH_MAX_ERRORS;
	}
}

void bench_uring(struct bench_job *job)
{
	const struct bench_crew *crew = job->crew;
	struct ring r = {.job = job,
			 .depth = job->depth,
			 .good = crew->passthrough ? 0 : (int)job->stream.block_bytes,
			 .lba_shift = (unsigned)__builtin_ctz(crew->target->align_bytes)};

	job->setup_error = -set_up(&r);
	if (bench_begin(job)) {
		work(&r);
		bench_end(job);
	}
	if (!job->setup_error)
		io_uring_queue_exit(&r.io);
	release(&r);
}
