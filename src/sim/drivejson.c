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

static bool is_text(const json_t *value)
{
	return json_is_string(value) || json_is_integer(value);
}

static bool is_name(const json_t *value)
{
	return json_is_string(value) || json_is_null(value);
}

static bool is_count(const json_t *value)
{
	return json_is_integer(value) && json_integer_value(value) >= 0;
}

static bool is_namespace(const json_t *value)
{
	static const struct {
		const char *key;
		bool (*fits)(const json_t *value);
	} members[] = {{"device", is_name}, {"generic", is_name}, {"size_bytes", is_count}, {"block_bytes", is_count}};

	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		const json_t *member = json_object_get(value, members[i].key);

		if (member && !members[i].fits(member))
			return false;
	}
	return json_is_object(value);
}

/* Objects whose members are all of one kind; what else is in drive.json is checked where it is used (sim/config.c). */
static const struct {
	const char *key;
	bool (*fits)(const json_t *value); /* NULL: checked elsewhere */
	const char *kind;
} objects[] = {
	{"sysfs", is_text, "neither text nor an integer"},
	{"namespaces", is_namespace, "no namespace as in ssdct-host(5)"},
	{"clear_on_read", NULL, NULL},
};

static int check_drive(const char *path, const json_t *json, struct ssd_err *err)
{
	const char *key;
	json_t *value;

	for (size_t i = 0; i < ARRAY_SIZE(objects); i++) {
		json_t *object = json_object_get(json, objects[i].key);

		if (object && !json_is_object(object))
			return ssd_fail(err, SSD_ERR_BAD_INPUT, "%s: \"%s\" is not an object", path, objects[i].key);
		json_object_foreach(object, key, value)
		{
			if (objects[i].fits && !objects[i].fits(value))
				return ssd_fail(err, SSD_ERR_BAD_INPUT, "%s: \"%s\": \"%.40s\" is %s", path,
						objects[i].key, key, objects[i].kind);
		}
	}
	return 0;
}

json_t *drive_json_load(const char *host, const char *name, struct ssd_err *err)
{
	AUTO_FREE char *path = ssd_asprintf("%s/%s/drive.json", host, name);
	AUTO_JSON json_t *json = json_object_file(path, err);

	return json && !check_drive(path, json, err) ? STEAL(json) : NULL;
}

/* The directory that it is in; owned. */
static char *parent_of(const char *dir)
{
	char *parent = ssd_strdup(dir), *slash;
	size_t len = strlen(parent);

	while (len > 1 && parent[len - 1] == '/')
		parent[--len] = '\0';
	slash = strrchr(parent, '/');
	if (!slash) {
		free(parent);
		return ssd_strdup(".");
	}
	slash[slash == parent] = '\0';
	return parent;
}

char *host_dir_mistake(const char *dir)
{
	AUTO_FREE char *mark = ssd_asprintf("%s/host.json", dir), *drive = ssd_asprintf("%s/id-ctrl.bin", dir),
		       *parent = NULL;

	if (!access(mark, F_OK))
		return NULL;
	if (access(drive, F_OK))
		return ssd_asprintf(
			"%s is no host directory: neither host.json nor a drive (nvme0/id-ctrl.bin) is in it", dir);
	parent = parent_of(dir);
	return ssd_asprintf("%s is the directory of a drive, not of a host: did you mean %s?", dir, parent);
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
	if (error == ENOENT)
		ssd_hint(err, "make one with: ssdct sim create %s", host);
	else
		ssd_hint(err, "a host is a directory, see ssdct-host(5)");
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
