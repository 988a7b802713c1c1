/* SPDX-License-Identifier: MIT */
/* Writes the files of a recorded host (ssdct-host(5)). */
#ifndef SSDCT_SIM_RECORDING_H
#define SSDCT_SIM_RECORDING_H

#include <jansson.h>
#include <ssdct/err.h>

/*
 * A recording is made in the directory DIR/.partial, which is no drive's, and its drives are moved to where they belong in
 * the end. So what an interrupted run leaves behind never looks like a recording of a whole host.
 */

/*
 * Whether a recording can be made in dir: it is not there (*exists false), or it is an empty directory of ours. Changes
 * nothing. Returns 0, or -1 with *err set (refused).
 */
int recording_check(const char *dir, bool *exists, struct ssd_err *err);

/*
 * Makes the directory of a drive, which must not be there, and what it lies in, for its owner alone (0700). Drives may be
 * recorded by several processes at a time. Returns 0, or -1 with *err set (output).
 */
int recording_add_drive(const char *dir, const char *drive, struct ssd_err *err);

/* Writes one file of a drive, whole or not at all. Returns 0, or -1 with *err set (output). */
int recording_write(const char *dir, const char *drive, const char *file, const void *data, size_t len,
		    struct ssd_err *err);
/* The same for drive.json. */
int recording_write_json(const char *dir, const char *drive, const json_t *json, struct ssd_err *err);

/*
 * The machine around the drives, names as "sys/class/nvme/nvme0"; the directories above are made. A file, whole or not at all;
 * an empty one, a link and a directory, each of which stays as it is when it is there. Return 0, or -1 with *err set (output).
 */
int recording_put(const char *dir, const char *name, const void *data, size_t len, struct ssd_err *err);
int recording_touch(const char *dir, const char *name, struct ssd_err *err);
int recording_link(const char *dir, const char *name, const char *target, struct ssd_err *err);
int recording_mkdir(const char *dir, const char *name, struct ssd_err *err);

/* Moves a drive or a part of the machine ("sys") that is complete to its place; what was not recorded is none. Returns 0, or -1 with *err set (output). */
int recording_publish(const char *dir, const char *drive, struct ssd_err *err);
/* Writes host.json, after the last drive. Returns 0, or -1 with *err set (output). */
int recording_finish(const char *dir, struct ssd_err *err);
/* Removes what has not been published, and dir as well when it is empty then and keep is not set. Returns 0 or -errno. */
int recording_discard(const char *dir, bool keep);

#endif
