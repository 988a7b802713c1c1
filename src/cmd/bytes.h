/* SPDX-License-Identifier: MIT */
/* Pages as bytes: what `log get` and `identify` share. */
#ifndef SSDCT_CMD_BYTES_H
#define SSDCT_CMD_BYTES_H

#include <ssdct/cli.h>

/* A byte as people write it: 0x02, 02h or 2; -1 when the word is none. */
int cmd_byte_number(const char *word);
/* Two hexadecimal digits without the mark that makes them a number: "ca". */
bool cmd_bare_hex(const char *word);
/* Whether --raw and --to go with each other and with the output format. */
int cmd_check_raw(const struct ssd_run *run, bool raw, const char *to, struct ssd_err *err);
/* What is said about a file that was written. */
void cmd_written_text(const char *to, int64_t len, FILE *out);
/* The bytes to the new file `to`, or to stdout when it is NULL. */
int cmd_deliver_raw(const char *to, struct ssd_row *row, const uint8_t *buf, size_t len);

#endif
