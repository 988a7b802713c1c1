/* SPDX-License-Identifier: MIT */
#include "sim/drivejson.h"

#include <errno.h>
#include <sys/stat.h>

/* Larger than any file a person would write; a host directory may come from a stranger's bug report. */
#define MAX_JSON_BYTES (1u << 20)

#define HOST_FORMAT "ssdct-host/1"

json_t *json_object_file(const char *path, struct ssd_err *err)
{
	AUTO_FREE uint8_t *data = NULL;
	size_t len;
	json_error_t where;
	json_t *json;
	int rc = ssd_read_file(path, MAX_JSON_BYTES, &data, &len);

	if (rc == -ENOENT)
		return json_object();
	if (rc < 0) {
		ssd_fail(err, SSD_ERR_BAD_INPUT, "%s cannot be read: %s", path, strerror(-rc));
		return NULL;
	}
	json = json_loadb((const char *)data, len, JSON_REJECT_DUPLICATES, &where);
	if (!json) {
		ssd_fail(err, SSD_ERR_BAD_INPUT, "%s line %d: %s", path, where.line, where.text);
		return NULL;
	}
	if (!json_is_object(json)) {
		ssd_fail(err, SSD_ERR_BAD_INPUT, "%s line 1: a JSON object is expected", path);
		json_decref(json);
		return NULL;
	}
	return json;
}

json_t *drive_json_load(const char *host, const char *name, struct ssd_err *err)
{
	AUTO_FREE char *path = ssd_asprintf("%s/%s/drive.json", host, name);

	return json_object_file(path, err);
}

static int require_directory(const char *host, struct ssd_err *err)
{
	struct stat st;
	int error = ENOTDIR;

	if (stat(host, &st))
		error = errno;
	else if (S_ISDIR(st.st_mode))
		return 0;
	ssd_fail(err, SSD_ERR_NOT_FOUND, "host directory %s: %s", host, strerror(error));
	ssd_hint(err, "make one with: ssdct sim create %s", host);
	return -1;
}

int host_json_mode(const char *host, bool *simulated, struct ssd_err *err)
{
	AUTO_FREE char *path = ssd_asprintf("%s/host.json", host);
	AUTO_JSON json_t *json = NULL;
	const char *format, *mode;

	*simulated = false;
	if (require_directory(host, err))
		return -1;
	if (access(path, F_OK) && errno == ENOENT)
		return 0;
	json = json_object_file(path, err);
	if (!json)
		return -1;
	format = json_string_value(json_object_get(json, "format"));
	if (!format || strcmp(format, HOST_FORMAT))
		return ssd_fail(err, SSD_ERR_BAD_INPUT, "%s: \"format\" is %s, expected \"" HOST_FORMAT "\"", path,
				format ? format : "missing");
	mode = json_string_value(json_object_get(json, "mode"));
	if (!mode || (strcmp(mode, "recorded") && strcmp(mode, "simulated")))
		return ssd_fail(err, SSD_ERR_BAD_INPUT, "%s: \"mode\" is %s, expected \"recorded\" or \"simulated\"",
				path, mode ? mode : "missing");
	*simulated = !strcmp(mode, "simulated");
	return 0;
}
