/* SPDX-License-Identifier: MIT */
/* Writes the files of a recorded host (CONTRACT section 6). */
#ifndef SSDCT_SIM_RECORDING_H
#define SSDCT_SIM_RECORDING_H

#include <jansson.h>
#include <ssdct/err.h>

/*
 * Makes the directory of a recorded host, for its owner alone (0700), with host.json. An empty directory of ours may be
 * there already. Returns 0, or -1 with *err set: refused when there is anything else; output when it cannot be made.
 */
int recording_create(const char *dir, struct ssd_err *err);

/* Makes the directory of a drive, which must not be there. Returns 0, or -1 with *err set (output). */
int recording_add_drive(const char *dir, const char *drive, struct ssd_err *err);

/* Writes one file of a drive, whole or not at all. Returns 0, or -1 with *err set (output). */
int recording_write(const char *dir, const char *drive, const char *file, const void *data, size_t len,
		    struct ssd_err *err);
/* The same for drive.json. */
int recording_write_json(const char *dir, const char *drive, const json_t *json, struct ssd_err *err);

#endif
