/* SPDX-License-Identifier: MIT */
/* The parts of drive.json that say how the drive's administrative commands behave: one table. */
#include "sim/sim.h"

#define MAX_POLLS 1000000

static const char *const units[] = {"as_value", "last_lba", "count", NULL};
static const char *const effects[] = {"now", "reset", NULL};

/* A number within its limits, true or false (max 1 and no words), or one of some words by its index. */
static const struct {
	const char *section, *key;
	size_t at;
	int64_t min, max;
	bool boolean;
	const char *const *words;
} keys[] = {
	{"format", "busy_polls", offsetof(struct sim_admin, format_busy_polls), 0, MAX_POLLS},
	{"sanitize", "busy_polls", offsetof(struct sim_admin, sanitize_busy_polls), 0, MAX_POLLS},
	{"sanitize", "fail", offsetof(struct sim_admin, sanitize_fail), .boolean = true},
	{"selftest", "busy_polls", offsetof(struct sim_admin, selftest_busy_polls), 0, MAX_POLLS},
	{"selftest", "result", offsetof(struct sim_admin, selftest_result), 0, 0xe},
	{"selftest", "segment", offsetof(struct sim_admin, selftest_segment), 0, 0xff},
	{"selftest", "nsid", offsetof(struct sim_admin, selftest_nsid), 0, UINT32_MAX},
	{"selftest", "failing_lba", offsetof(struct sim_admin, selftest_lba), 0, INT64_MAX},
	{"selftest", "status", offsetof(struct sim_admin, selftest_status), 0, 0x7ff},
	{"telemetry", "controller_available", offsetof(struct sim_admin, telemetry_available), .boolean = true},
	{"namespace_management", "granularity_bytes", offsetof(struct sim_admin, granularity_bytes), 512, INT64_MAX},
	{"max_lba", "unit", offsetof(struct sim_admin, max_lba_unit), .words = units},
	{"max_lba", "effect", offsetof(struct sim_admin, max_lba_effect), .words = effects},
	{"max_lba", "minimum", offsetof(struct sim_admin, max_lba_minimum), 0, INT64_MAX},
};

static bool parse(const json_t *json, size_t i, int64_t *value)
{
	const char *word = json_string_value(json);

	if (keys[i].boolean) {
		*value = json_is_true(json);
		return json_is_boolean(json);
	}
	if (!keys[i].words)
		return sim_json_number(json, keys[i].min, keys[i].max, value);
	for (*value = 0; word && keys[i].words[*value]; ++*value)
		if (!strcmp(word, keys[i].words[*value]))
			return true;
	return false;
}

/* Data areas 1 to 4: numbers of their last blocks, none below the one before (NVMe 1.4, Telemetry Host-Initiated). */
static bool parse_blocks(const json_t *json, struct sim_telemetry *t)
{
	int64_t last = 0, value;

	if (!json_is_array(json) || json_array_size(json) > ARRAY_SIZE(t->blocks))
		return false;
	t->given = true;
	for (size_t i = 0; i < ARRAY_SIZE(t->blocks); i++) {
		const json_t *element = json_array_get(json, i);

		if (element && !sim_json_number(element, last, i < 3 ? UINT16_MAX : UINT32_MAX, &value))
			return false;
		last = element ? value : i < 3 ? last : 0;
		t->blocks[i] = (uint32_t)last;
	}
	return true;
}

/* Whether the key is one of ours and its value is good. */
static bool key_ok(struct sim_admin *admin, const char *section, const char *key, const json_t *value)
{
	if (!strcmp(section, "telemetry") && !strcmp(key, "host_blocks"))
		return parse_blocks(value, &admin->host_telemetry);
	if (!strcmp(section, "telemetry") && !strcmp(key, "controller_blocks"))
		return parse_blocks(value, &admin->controller_telemetry);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (!strcmp(keys[i].section, section) && !strcmp(keys[i].key, key))
			return parse(value, i, (int64_t *)((char *)admin + keys[i].at));
	return false;
}

int sim_config_admin(struct sim_admin *admin, const json_t *json, const char *path, struct ssd_err *err)
{
	static const char *const sections[] = {"format", "sanitize", "selftest", "telemetry", "namespace_management",
					       "max_lba"};

	*admin = (struct sim_admin){
		.telemetry_available = -1, .selftest_lba = -1, .selftest_nsid = -1, .selftest_status = -1};
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++) {
		json_t *section = json_object_get(json, sections[i]), *value;
		const char *key;

		if (section && !json_is_object(section))
			return ssd_fail(err, SSD_ERR_BAD_INPUT, "%s: \"%s\" is not an object", path, sections[i]);
		json_object_foreach(section, key, value)
		{
			if (!key_ok(admin, sections[i], key, value))
				return ssd_fail(err, SSD_ERR_BAD_INPUT,
						"%s: \"%s\": \"%s\" is not known or has an impossible value", path,
						sections[i], key);
		}
	}
	return 0;
}
