/* SPDX-License-Identifier: MIT */
/* Verbs of `sim` that have files of their own. */
#ifndef SSDCT_CMD_SIM_H
#define SSDCT_CMD_SIM_H

#include <ssdct/cli.h>

extern const struct ssd_command sim_image, sim_power_cycle, sim_reset, sim_serve;

/* 0 on a simulated host; else -1 with *err set (unsupported), with the advice how to get one. */
int sim_check_host(const struct ssd_host *host, const char *device, struct ssd_err *err);

#endif
