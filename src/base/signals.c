/* SPDX-License-Identifier: MIT */
#include <ssdct/base.h>
#include <ssdct/signals.h>
#include <time.h>

static void ending_signals(sigset_t *set)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action;

	sigemptyset(set);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		if (!sigaction(signals[i], NULL, &action) && action.sa_handler != SIG_IGN)
			sigaddset(set, signals[i]);
}

void ssd_signals_block(sigset_t *before)
{
	sigset_t set;

	ending_signals(&set);
	sigprocmask(SIG_BLOCK, &set, before);
}

int ssd_signal_wait(unsigned ms)
{
	struct timespec ts = {ms / 1000, ms % 1000 * 1000000l};
	sigset_t set;
	int sig;

	ending_signals(&set);
	sig = sigtimedwait(&set, NULL, &ts);
	return sig > 0 ? sig : 0;
}

bool ssd_signals_restore(const sigset_t *before)
{
	bool late = false;

	while (ssd_signal_wait(0))
		late = true;
	sigprocmask(SIG_SETMASK, before, NULL);
	return late;
}
