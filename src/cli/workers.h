/* SPDX-License-Identifier: MIT */
/* One short-lived worker process per drive: a process that hangs in the kernel can be left behind, a thread cannot. */
#ifndef SSDCT_CLI_WORKERS_H
#define SSDCT_CLI_WORKERS_H

#include "trace.h"

/*
 * Runs the command's `each` for every row, all at once, and fills in the rows' err, element and raw. A row that takes
 * longer than timeout_ms (0: for ever) gets error "timeout" and its worker is left behind, without our stdout and stderr.
 * Returns false when a signal ended the waiting: unfinished rows are then "interrupted".
 */
bool ssd_workers_run(struct ssd_run *run, struct ssd_trace_sink *sink, uint64_t timeout_ms);

#endif
