/* SPDX-License-Identifier: MIT */
#ifndef SSDCT_CMD_SIM_SERVE_H
#define SSDCT_CMD_SIM_SERVE_H

#include <ssdct/cli.h>

extern const struct ssd_command sim_serve; /* a verb of `sim` */

#endif
