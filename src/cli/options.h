/* SPDX-License-Identifier: MIT */
/* Typed, range-checked options, and the words of a command line. */
#ifndef SSDCT_CLI_OPTIONS_H
#define SSDCT_CLI_OPTIONS_H

#include <ssdct/cli.h>

extern const struct ssd_option ssd_global_options[];

struct ssd_cmdline {
	const struct ssd_command *command; /* NULL: none was named */
	const struct ssd_command *path[3]; /* command, verb; NULL-terminated */
	struct ssd_globals globals;
	void *options;      /* owned */
	const char **words; /* after command and verb; owned array */
	size_t n_words;
};

/*
 * Parses argv. Options may stand anywhere, so the command is found first. Returns 0, or -1 with a usage error; what was
 * understood until then (--json, --help, the command) is in *line in both cases.
 */
int ssd_cmdline_parse(struct ssd_cmdline *line, int argc, char **argv, struct ssd_err *err);
void ssd_cmdline_free(struct ssd_cmdline *line);

/* "list, get" into buf; what has no room is "...". */
void ssd_command_names(const struct ssd_command *const *commands, char *buf, size_t size);

/* "smart", "log get" into buf. */
const char *ssd_command_path(const struct ssd_cmdline *line, char *buf, size_t size);

#endif
