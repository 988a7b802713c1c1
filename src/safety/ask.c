/* SPDX-License-Identifier: MIT */
/*
 * The question. It is asked on the terminal that stdin and stderr are, in its ordinary line mode, which is left as it is.
 * Whatever is not a clear yes is a no: another word, the end of input, a signal.
 */
#include "safety/parts.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <strings.h>
#include <termios.h>

static const int ending[] = {SIGINT, SIGTERM, SIGHUP};

static volatile sig_atomic_t caught;

static void on_signal(int sig)
{
	caught = sig;
}

/* Signals are caught while we wait, and only then; those that somebody ignores (nohup) stay ignored. */
struct signals {
	struct sigaction before[ARRAY_SIZE(ending)];
	sigset_t mask;
};

static void catch_signals(struct signals *s)
{
	struct sigaction action = {.sa_handler = on_signal};
	sigset_t set;

	caught = 0;
	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(ending); i++)
		sigaddset(&set, ending[i]);
	sigprocmask(SIG_BLOCK, &set, &s->mask);
	for (size_t i = 0; i < ARRAY_SIZE(ending); i++)
		if (!sigaction(ending[i], NULL, &s->before[i]) && s->before[i].sa_handler != SIG_IGN)
			sigaction(ending[i], &action, NULL);
}

/* The mask first: a signal that came together with an answer still counts. */
static void restore_signals(const struct signals *s)
{
	sigprocmask(SIG_SETMASK, &s->mask, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(ending); i++)
		sigaction(ending[i], &s->before[i], NULL);
}

/* One line without its end. Returns false at the end of input or when a signal came. */
static bool read_line(const struct signals *s, char *buf, size_t size)
{
	sigset_t during = s->mask;
	size_t len = 0;

	for (size_t i = 0; i < ARRAY_SIZE(ending); i++)
		sigdelset(&during, ending[i]);
	for (;;) {
		struct pollfd p = {STDIN_FILENO, POLLIN, 0};
		ssize_t n;

		if (ppoll(&p, 1, NULL, &during) < 0 && errno != EINTR)
			return false;
		if (caught)
			return false;
		if (!p.revents)
			continue;
		n = read(STDIN_FILENO, buf + len, size - 1 - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		len += (size_t)n;
		buf[len] = '\0';
		if (strchr(buf, '\n') || len == size - 1)
			break;
	}
	buf[strcspn(buf, "\n")] = '\0';
	return true;
}

static bool is_yes(const char *answer)
{
	return !strcasecmp(answer, "y") || !strcasecmp(answer, "yes");
}

bool safety_has_terminal(void)
{
	return isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
}

int safety_ask(const char *text, const char *serial, struct ssd_err *err)
{
	char line[256] = "", answer[256];
	struct signals signals;
	bool got;

	catch_signals(&signals);
	/* What was typed before the question is no answer to it. */
	tcflush(STDIN_FILENO, TCIFLUSH);
	fprintf(stderr, "%s%s ", text, serial ? "Type the serial number to go on:" : "Go on? [y/N]");
	fflush(stderr);
	got = read_line(&signals, line, sizeof(line));
	restore_signals(&signals);
	if (!got)
		fputc('\n', stderr);
	if (caught)
		return ssd_fail(err, SSD_ERR_INTERRUPTED, "interrupted at the question; nothing was sent");
	safety_shown(answer, sizeof(answer), line);
	if (got && (serial ? *serial && !strcmp(answer, serial) : is_yes(answer)))
		return 0;
	if (serial && got && *answer)
		return ssd_fail(err, SSD_ERR_REFUSED,
				"not confirmed: \"%.60s\" is not the serial number; nothing was sent", answer);
	return ssd_fail(err, SSD_ERR_REFUSED, "not confirmed; nothing was sent");
}
