/* SPDX-License-Identifier: MIT */
/* Where command records go: --trace FILE as JSON lines, -v as text on stderr. */
#ifndef SSDCT_CLI_TRACE_H
#define SSDCT_CLI_TRACE_H

#include <ssdct/cli.h>

struct ssd_trace_sink {
	int fd; /* of --trace, or -1 */
	bool verbose;
	bool torn; /* a line could not be written, and that has been said */
};

/* Opens the file of --trace for appending, mode 0600. Returns 0 or -1. */
int ssd_trace_open(struct ssd_trace_sink *sink, const struct ssd_globals *globals, struct ssd_err *err);
/* The ssd_trace_fn; ctx is the sink. */
void ssd_trace_write(void *ctx, const struct ssd_trace_record *record);

#endif
