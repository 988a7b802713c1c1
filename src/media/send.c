/* SPDX-License-Identifier: MIT */
/*
 * A command in a process of its own. In the kernel's ioctl it cannot be interrupted, not even killed; we can meanwhile ask the
 * drive how far it is, and tell somebody who presses Ctrl-C why that stops nothing. The process has the exclusive handles and
 * the lock as well, so that both hold as long as the command does, whatever becomes of us.
 */
#include "media/media.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>

struct media_answer {
	struct ssd_cpl cpl;
	int rc;
	bool done;
};

/* Whoever waits for our output must not wait for a command that was left behind. */
static _Noreturn void send_main(struct ssd_device *dev, struct ssd_cmd cmd, struct media_answer *answer, int pipe)
{
	int null = open("/dev/null", O_RDWR);

	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(pipe, STDERR_FILENO);
	if (pipe > STDERR_FILENO)
		close(pipe);
	answer->rc = ssd_submit(dev, &cmd, &answer->cpl);
	answer->done = true;
	fflush(stderr);
	_exit(0);
}

int media_send(struct ssd_device *dev, const struct ssd_cmd *cmd, struct media_sender *s, struct ssd_err *err)
{
	int fds[2];

	*s = (struct media_sender){.pipe = -1};
	s->answer = mmap(NULL, sizeof(*s->answer), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (s->answer == MAP_FAILED || pipe2(fds, O_CLOEXEC)) {
		ssd_fail_errno(err, errno, "%s: starting a process to send the command; nothing was sent",
			       dev->drive->device);
		s->answer = s->answer == MAP_FAILED ? NULL : s->answer;
		return -1;
	}
	fflush(NULL);
	s->pid = fork();
	if (!s->pid)
		send_main(dev, *cmd, s->answer, fds[1]);
	close(fds[1]);
	s->pipe = fds[0];
	if (s->pid > 0)
		return 0;
	s->pid = 0;
	return ssd_fail_errno(err, errno, "%s: starting a process to send the command; nothing was sent",
			      dev->drive->device);
}

/* Copies what the process said. Returns false at its end. */
static bool relay(int fd)
{
	char buf[1024];
	ssize_t n = read(fd, buf, sizeof(buf));

	if (n > 0)
		(void)!write(STDERR_FILENO, buf, (size_t)n);
	return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

bool media_send_done(struct media_sender *s, unsigned ms, int *rc, struct ssd_cpl *cpl)
{
	struct pollfd p = {s->pipe, POLLIN, 0};

	if (poll(&p, 1, (int)ms) <= 0 || relay(s->pipe))
		return false;
	while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
		;
	s->pid = 0;
	*rc = s->answer->done ? s->answer->rc : -EINTR;
	*cpl = s->answer->cpl;
	return true;
}

void media_send_end(struct media_sender *s)
{
	if (s->pipe >= 0)
		close(s->pipe);
	if (s->answer)
		munmap(s->answer, sizeof(*s->answer));
	*s = (struct media_sender){.pipe = -1};
}
