/* SPDX-License-Identifier: MIT */
/* Worker processes. What a worker finds lies in memory that it shares with us; its stderr comes through a pipe. */
#include "workers.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

/* The part of a row that crosses the process boundary; the parent copies it once the worker has ended. */
struct shared {
	struct ssd_row row;
	bool done;
};

struct worker {
	pid_t pid;            /* 0: none running */
	int pipe;             /* read end of its stderr */
	uint64_t deadline_ms; /* 0: none */
};

struct crew {
	struct ssd_run *run;
	struct ssd_trace_sink *sink;
	struct shared *shared;
	struct worker *workers;
	struct pollfd *polls;
	uint64_t timeout_ms;
};

/* What interrupts, unless it was ignored when we were started, as by nohup. */
static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
static volatile sig_atomic_t interrupted;

static void on_signal(int sig)
{
	interrupted = sig;
}

static void handle_signals(void (*handler)(int))
{
	struct sigaction action = {.sa_handler = handler}, old;

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
}

static void work(struct ssd_run *run, struct ssd_trace_sink *sink, struct ssd_row *row)
{
	struct ssd_device dev = {.drive = row->target.drive};
	bool tracing = sink->fd >= 0 || sink->verbose;
	int rc = 0;

	if (run->open_drives)
		rc = ssd_device_open(&dev, row->target.drive, tracing ? ssd_trace_write : NULL, sink, &row->err);
	if (!rc)
		rc = run->command->each(run, &dev, row);
	if (rc && !ssd_failed(&row->err))
		ssd_fail(&row->err, SSD_ERR_INTERNAL, "%s: failed without a reason", dev.drive->device);
	if (!rc)
		row->err = (struct ssd_err)SSD_ERR_INIT;
	ssd_element_refresh(row->element, &dev);
	ssd_device_close(&dev);
}

/* A worker keeps nothing of ours open but the trace: whoever waits for our output must not wait for a stuck drive. */
static void detach(int pipe, int trace)
{
	int null = open("/dev/null", O_RDWR);

	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(pipe, STDERR_FILENO);
	if (trace > STDERR_FILENO) {
		if (trace > 3)
			close_range(3, (unsigned)trace - 1, 0);
		close_range((unsigned)trace + 1, ~0u, 0);
	} else {
		close_range(3, ~0u, 0);
	}
}

static _Noreturn void worker_main(struct crew *crew, size_t i, int pipe)
{
	struct shared *s = &crew->shared[i];

	handle_signals(SIG_DFL);
	detach(pipe, crew->sink->fd);
	work(crew->run, crew->sink, &s->row);
	fflush(stderr);
	s->done = true;
	_exit(0);
}

static void start(struct crew *crew, size_t i)
{
	struct ssd_row *row = &crew->run->rows[i];
	struct worker *w = &crew->workers[i];
	int fds[2];

	w->pipe = -1;
	crew->shared[i].row = *row;
	if (pipe2(fds, O_CLOEXEC)) {
		ssd_fail_errno(&row->err, errno, "%s: starting a worker", row->target.drive->device);
		return;
	}
	w->pid = fork();
	if (w->pid == 0)
		worker_main(crew, i, fds[1]);
	close(fds[1]);
	if (w->pid < 0) {
		ssd_fail_errno(&row->err, errno, "%s: starting a worker", row->target.drive->device);
		close(fds[0]);
		w->pid = 0;
		return;
	}
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	w->pipe = fds[0];
	w->deadline_ms = crew->timeout_ms ? ssd_now_ms() + crew->timeout_ms : 0;
}

static void finish(struct crew *crew, size_t i)
{
	struct ssd_row *row = &crew->run->rows[i];
	struct worker *w = &crew->workers[i];
	int status = 0;

	while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
		;
	close(w->pipe);
	w->pid = 0;
	w->pipe = -1;
	if (crew->shared[i].done)
		*row = crew->shared[i].row;
	else
		ssd_fail(&row->err, SSD_ERR_INTERNAL, "%s: the worker process ended early (wait status 0x%x)",
			 row->target.drive->device, (unsigned)status);
}

/* The worker may be stuck in the kernel, where even SIGKILL waits: it is not waited for, and its memory is not read. */
static void abandon(struct crew *crew, size_t i, enum ssd_err_code code, const char *why)
{
	struct ssd_row *row = &crew->run->rows[i];
	struct worker *w = &crew->workers[i];

	kill(w->pid, SIGKILL);
	close(w->pipe);
	w->pid = 0;
	w->pipe = -1;
	ssd_fail(&row->err, code, "%s: %s", row->target.drive->device, why);
	if (code == SSD_ERR_TIMEOUT)
		ssd_hint(&row->err,
			 "the drive may be busy or hung; see the kernel log, or wait longer with --timeout SECONDS");
}

/* Copies what the worker said. Returns false at its end. */
static bool relay(int fd)
{
	char buf[4096];
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0)
		(void)!write(STDERR_FILENO, buf, (size_t)n);
	return n < 0 && (errno == EAGAIN || errno == EINTR);
}

/* Fills the poll table; returns how many workers run, and the milliseconds to the next deadline (-1: none). */
static size_t watch(struct crew *crew, int *wait_ms)
{
	uint64_t now = ssd_now_ms();
	size_t running = 0;

	*wait_ms = -1;
	for (size_t i = 0; i < crew->run->n_rows; i++) {
		const struct worker *w = &crew->workers[i];
		uint64_t left = w->deadline_ms > now ? w->deadline_ms - now : 0;

		crew->polls[i] = (struct pollfd){w->pipe, POLLIN, 0};
		if (!w->pid)
			continue;
		running++;
		if (w->deadline_ms && (*wait_ms < 0 || left < (uint64_t)*wait_ms))
			*wait_ms = (int)left;
	}
	return running;
}

static void collect(struct crew *crew)
{
	uint64_t now = ssd_now_ms();
	char why[64];

	for (size_t i = 0; i < crew->run->n_rows; i++) {
		const struct worker *w = &crew->workers[i];

		if (w->pid && crew->polls[i].revents && !relay(w->pipe)) {
			finish(crew, i);
		} else if (w->pid && w->deadline_ms && now >= w->deadline_ms) {
			snprintf(why, sizeof(why), "no answer within %g s", (double)crew->timeout_ms / 1000);
			abandon(crew, i, SSD_ERR_TIMEOUT, why);
		}
	}
}

static void wait_for_all(struct crew *crew)
{
	sigset_t caught, before;
	int wait_ms;

	/* Signals arrive only while we wait, so that none is missed between looking and waiting. */
	sigemptyset(&caught);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaddset(&caught, signals[i]);
	sigprocmask(SIG_BLOCK, &caught, &before);
	while (!interrupted && watch(crew, &wait_ms)) {
		struct timespec ts = {wait_ms / 1000, wait_ms % 1000 * 1000000l};

		ppoll(crew->polls, crew->run->n_rows, wait_ms < 0 ? NULL : &ts, &before);
		if (!interrupted)
			collect(crew);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	for (size_t i = 0; interrupted && i < crew->run->n_rows; i++)
		if (crew->workers[i].pid)
			abandon(crew, i, SSD_ERR_INTERRUPTED, "interrupted while reading; nothing was changed");
}

bool ssd_workers_run(struct ssd_run *run, struct ssd_trace_sink *sink, uint64_t timeout_ms)
{
	size_t n = run->n_rows, bytes = n * sizeof(struct shared);
	AUTO_FREE struct worker *workers = ssd_calloc(n, sizeof(*workers));
	AUTO_FREE struct pollfd *polls = ssd_calloc(n, sizeof(*polls));
	struct crew crew = {run, sink, NULL, workers, polls, timeout_ms};

	if (!n)
		return true; /* a machine without drives; mmap() of nothing would fail */
	crew.shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (crew.shared == MAP_FAILED) {
		fputs("ssdct: out of memory\n", stderr);
		_exit(1);
	}
	handle_signals(on_signal);
	fflush(NULL);
	for (size_t i = 0; i < n; i++)
		start(&crew, i);
	wait_for_all(&crew);
	if (interrupted && run->command->interrupted)
		run->command->interrupted(run);
	munmap(crew.shared, bytes);
	return !interrupted;
}
