/* SPDX-License-Identifier: MIT */
/* ssdct check: what its two halves share. */
#ifndef CMD_CHECK_H
#define CMD_CHECK_H

#include "cmd.h"

#include <ssdct/health.h>

struct check_options {
	const char *expect;
	struct ssd_strs expect_serial, ignore;
	uint64_t used_warning, used_critical, temperature_warning, temperature_critical, spare_warning, spare_critical;
	uint64_t media_errors;
	bool allow_simulated;
};

/* Options as thresholds; a number that was not given is 0. */
struct ssd_health_options check_health_options(const struct check_options *o);

/* Text and nagios output. */
void check_text(const struct ssd_run *run, FILE *out);

#endif
