/* SPDX-License-Identifier: MIT */
/* The two JSON files of a host directory that people write: host.json and drive.json (ssdct-host(5)). */
#ifndef SSDCT_SIM_DRIVEJSON_H
#define SSDCT_SIM_DRIVEJSON_H

#include <jansson.h>
#include <ssdct/err.h>

static inline void json_auto_decref(json_t **json)
{
	json_decref(*json);
}
#define AUTO_JSON AUTO(json_auto_decref)

/*
 * HOST/NAME/drive.json; an empty object when there is none. The caller owns the reference. NULL with *err set:
 * bad_input (names file and line, or the key) when it is not a JSON object or has a member of a wrong type.
 */
json_t *drive_json_load(const char *host, const char *name, struct ssd_err *err);

/*
 * What HOST/host.json says; without that file a host is recorded. Returns 0, or -1 with *err set: not_found when host
 * is not a directory, bad_input when the format or mode word is not ours.
 */
int host_json_mode(const char *host, bool *simulated, struct ssd_err *err);

/*
 * A directory without drives: why it is no host, and what may have been meant (DIR for DIR/nvme0); owned. NULL: it has a
 * host.json, and so is an empty host.
 */
char *host_dir_mistake(const char *dir);

/* Any JSON file that holds an object, as drive_json_load(): an empty object when there is no file. */
json_t *json_object_file(const char *path, struct ssd_err *err);

#endif
