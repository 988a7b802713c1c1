/* SPDX-License-Identifier: MIT */
/*
 * Signals that end a run (INT, TERM, HUP): blocked while a drive is changed, and looked at where stopping is safe. Those
 * that somebody ignores (nohup) stay ignored.
 */
#ifndef SSDCT_SIGNALS_H
#define SSDCT_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

void ssd_signals_block(sigset_t *before);
/* Waits up to ms for one of them. Returns its number, or 0. */
int ssd_signal_wait(unsigned ms);
/*
 * Restoring takes one that came too late to stop anything, so that it does not stop the report either; returns whether
 * there was one.
 */
bool ssd_signals_restore(const sigset_t *before);

#endif
