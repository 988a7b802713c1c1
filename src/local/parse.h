/* SPDX-License-Identifier: MIT */
#ifndef SSDCT_LOCAL_PARSE_H
#define SSDCT_LOCAL_PARSE_H

#include <ssdct/local.h>

/* No operator needs more, and no file may fill the memory. */
#define LOCAL_FILE_BYTES (256u << 10)
#define LOCAL_MAX_FILES 64
#define LOCAL_MAX_PAGES 32

/*
 * Turns the text of one file into pages, which lie in the arena. Returns their number, or -1 with why: the place in the
 * file and what is wrong there, printable.
 */
int local_parse(struct ssd_arena *a, const char *file, const char *text, size_t len,
		struct ssd_local_page pages[LOCAL_MAX_PAGES], char why[240]);

#endif
