/* SPDX-License-Identifier: MIT */
/* What the two reports, text and page, share. */
#ifndef SSDCT_BENCH_REPORT_H
#define SSDCT_BENCH_REPORT_H

#include <ssdct/bench.h>

/* "203 us"; "157,914". */
const char *ssd_bench_time_text(double ns, char buf[32]);
const char *ssd_bench_number_text(double value, char buf[32]);
/* The number that a test in a document is about, and its unit for people. */
double ssd_bench_rate(const struct ssd_node *test, const char **unit);

#endif
