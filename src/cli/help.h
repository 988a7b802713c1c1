/* SPDX-License-Identifier: MIT */
/* Help from the tables of commands and options. */
#ifndef SSDCT_CLI_HELP_H
#define SSDCT_CLI_HELP_H

#include "options.h"

/* --help and --version, at whatever level the command line stands. */
void ssd_help(const struct ssd_cmdline *line, FILE *out);
/* A command is missing, or its verb: a usage error that lists what there is. Returns the exit code. */
int ssd_help_wanted(const struct ssd_cmdline *line, struct ssd_err *err);

#endif
