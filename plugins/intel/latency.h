/* SPDX-License-Identifier: MIT */
/* Latency histograms: what pages, command and `show` share. */
#ifndef PLUGINS_INTEL_LATENCY_H
#define PLUGINS_INTEL_LATENCY_H

#include <ssdct/page.h>

enum { INTEL_LATENCY_BUCKETS = 8 }; /* of version 1000 */

/* Members of a decoded histogram. */
extern const struct ssd_field intel_latency_fields[];

/* Version 1000: limits[i] is where bucket i begins, in microseconds; a feature of the drive says it, not the page. */
void intel_latency_set_limits(struct ssd_node *histogram, const uint32_t limits[INTEL_LATENCY_BUCKETS]);

/* Draws a histogram: percentiles, and a bar for each bucket or, when there are many, for each doubling. */
void intel_latency_draw(const struct ssd_node *histogram, FILE *out, const char *indent);

#endif
