/* SPDX-License-Identifier: MIT */
/* drive.json, checked: a word that is misspelt there must not silently mean nothing. */
#include "sim/sim.h"

#include <ctype.h>

bool sim_json_number(const json_t *json, int64_t min, int64_t max, int64_t *value)
{
	const char *s = json_string_value(json);
	char *end;

	if (json_is_integer(json)) {
		*value = json_integer_value(json);
		return *value >= min && *value <= max;
	}
	if (!s || !isxdigit((unsigned char)*s))
		return false;
	errno = 0;
	*value = strtoll(s, &end, s[0] == '0' && (s[1] | 0x20) == 'x' ? 16 : 10);
	return !*end && !errno && *value >= min && *value <= max;
}

int sim_errno_of(const char *name)
{
	for (int e = 1; e < 200; e++) {
		const char *known = strerrorname_np(e);

		if (known && !strcmp(known, name))
			return e;
	}
	return 0;
}

static const struct {
	const char *key;
	enum sim_effect effect;
	int64_t min, max;
} effects[] = {
	{"status", SIM_EFFECT_STATUS, 0, 0x7fff},
	{"errno", SIM_EFFECT_ERRNO, 0, 0},
	{"delay_ms", SIM_EFFECT_DELAY, 0, 86400000},
	{"short", SIM_EFFECT_SHORT, 0, INT32_MAX},
	{"untouched", SIM_EFFECT_UNTOUCHED, 0, 0},
	{"vanish_ms", SIM_EFFECT_VANISH, -1, 86400000},
	{"lost", SIM_EFFECT_LOST, 0, 0},
};

static bool effect_value(const json_t *json, size_t i, struct sim_fault *fault)
{
	const char *name;

	switch (effects[i].effect) {
	case SIM_EFFECT_ERRNO:
	case SIM_EFFECT_LOST:
		name = json_string_value(json);
		fault->value = name ? sim_errno_of(name) : 0;
		return fault->value != 0;
	case SIM_EFFECT_UNTOUCHED:
		return json_is_true(json);
	default:
		return sim_json_number(json, effects[i].min, effects[i].max, &fault->value);
	}
}

static const char *parse_effect(const json_t *rule, struct sim_fault *fault)
{
	for (size_t i = 0; i < ARRAY_SIZE(effects); i++) {
		const json_t *json = json_object_get(rule, effects[i].key);

		if (!json)
			continue;
		if (fault->effect != SIM_EFFECT_NONE)
			return "has more than one effect";
		if (!effect_value(json, i, fault))
			return "has an effect with an impossible value";
		fault->effect = effects[i].effect;
	}
	return fault->effect == SIM_EFFECT_NONE
		       ? "has no effect: one of status, errno, delay_ms, short, untouched, vanish_ms, lost"
		       : NULL;
}

/* Resets have no completion and no data. */
static const char *parse_reset(const json_t *rule, struct sim_fault *fault)
{
	const json_t *json = json_object_get(rule, "reset");

	if (!json)
		return NULL;
	fault->reset = sim_fault_reset_of(json_string_value(json));
	if (fault->reset == SIM_RESET_NONE)
		return "has a reset that is none of controller, subsystem, any";
	if (fault->opcode >= 0 || fault->lid >= 0 || fault->cns >= 0 || fault->fid >= 0 || fault->nsid >= 0)
		return "is for resets and for commands";
	if (fault->effect == SIM_EFFECT_STATUS || fault->effect == SIM_EFFECT_SHORT ||
	    fault->effect == SIM_EFFECT_UNTOUCHED)
		return "has an effect that resets do not have: theirs are errno, delay_ms, vanish_ms, lost";
	return NULL;
}

const char *sim_fault_parse(const json_t *rule, struct sim_fault *fault)
{
	const char *wrong;
	const struct {
		const char *key;
		int64_t *value, max;
	} numbers[] = {
		{"opcode", &fault->opcode, 0xff},
		{"lid", &fault->lid, 0xff},
		{"cns", &fault->cns, 0xff},
		{"fid", &fault->fid, 0xff},
		{"nsid", &fault->nsid, UINT32_MAX},
		{"nth", (int64_t *)&fault->nth, INT32_MAX},
		{"count", (int64_t *)&fault->count, INT32_MAX},
	};

	*fault = (struct sim_fault){.opcode = -1, .lid = -1, .cns = -1, .fid = -1, .nsid = -1, .nth = 1, .count = 1};
	if (!json_is_object(rule))
		return "is not an object";
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		const json_t *json = json_object_get(rule, numbers[i].key);

		if (json && !sim_json_number(json, 0, numbers[i].max, numbers[i].value))
			return "has a number that is none or too large";
	}
	fault->io = json_is_true(json_object_get(rule, "io"));
	if (fault->io && (fault->lid >= 0 || fault->cns >= 0 || fault->fid >= 0))
		return "is for I/O commands, which have no lid, cns or fid";
	if (!fault->nth)
		return "has nth 0: matches are counted from 1";
	wrong = parse_effect(rule, fault);
	return wrong ? wrong : parse_reset(rule, fault);
}

static int load_faults(struct sim_config *config, const char *host, const char *name, struct ssd_err *err)
{
	const json_t *faults = json_object_get(config->json, "faults");
	size_t n = json_array_size(faults);

	if (faults && !json_is_array(faults))
		return ssd_fail(err, SSD_ERR_BAD_INPUT, "%s/%s/drive.json: \"faults\" is not an array", host, name);
	config->faults = ssd_calloc(n, sizeof(*config->faults));
	for (; config->n_faults < n; config->n_faults++) {
		const json_t *rule = json_array_get(faults, config->n_faults);
		struct sim_fault *f = &config->faults[config->n_faults];
		const char *wrong = sim_fault_parse(rule, f);

		if (wrong)
			return ssd_fail(err, SSD_ERR_BAD_INPUT, "%s/%s/drive.json: fault rule %zu %s", host, name,
					config->n_faults + 1, wrong);
		f->key = json_dumps(rule, JSON_COMPACT | JSON_SORT_KEYS);
	}
	return 0;
}

/* FID, then optionally /CDW11, then optionally @NSID. */
static bool parse_feature_key(const char *key, struct sim_feature *f)
{
	unsigned long long v;
	char *end;

	if (!isxdigit((unsigned char)*key))
		return false;
	v = strtoull(key, &end, 0);
	if (end == key || v > 0xff)
		return false;
	f->fid = (uint8_t)v;
	if (*end == '/') {
		f->has_cdw11 = true;
		f->cdw11 = (uint32_t)strtoull(end + 1, &end, 0);
	}
	if (*end == '@') {
		f->has_nsid = true;
		f->nsid = (uint32_t)strtoull(end + 1, &end, 0);
	}
	return !*end;
}

static bool feature_value_ok(const json_t *value)
{
	static const char *const keys[] = {"current", "default", "saved", "capabilities"};
	int64_t number;

	if (!json_is_object(value))
		return sim_json_number(value, INT64_MIN, INT64_MAX, &number);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const json_t *member = json_object_get(value, keys[i]);

		if (member && !sim_json_number(member, INT64_MIN, INT64_MAX, &number))
			return false;
	}
	return true;
}

static int load_features(struct sim_config *config, const char *host, const char *name, struct ssd_err *err)
{
	json_t *features = json_object_get(config->json, "features"), *value;
	const char *key;

	if (features && !json_is_object(features))
		return ssd_fail(err, SSD_ERR_BAD_INPUT, "%s/%s/drive.json: \"features\" is not an object", host, name);
	config->features = ssd_calloc(json_object_size(features), sizeof(*config->features));
	json_object_foreach(features, key, value)
	{
		struct sim_feature *f = &config->features[config->n_features++];

		f->key = key;
		f->value = value;
		if (!parse_feature_key(key, f) || !feature_value_ok(value))
			return ssd_fail(err, SSD_ERR_BAD_INPUT,
					"%s/%s/drive.json: feature \"%s\" is not FID[/CDW11][@NSID] with an integer or "
					"an object of them",
					host, name, key);
	}
	return 0;
}

static int load_clearing(struct sim_config *config, const char *host, const char *name, struct ssd_err *err)
{
	json_t *pages = json_object_get(config->json, "clear_on_read"), *value;
	const char *key;

	json_object_foreach(pages, key, value)
	{
		AUTO_JSON json_t *word = json_string(key);
		int64_t lid, from;

		if (!sim_json_number(word, 0, 0xff, &lid) || !sim_json_number(value, 1, UINT16_MAX, &from))
			return ssd_fail(err, SSD_ERR_BAD_INPUT,
					"%s/%s/drive.json: \"clear_on_read\": \"%s\" is not a log page with an offset",
					host, name, key);
		config->clear_from[lid] = (uint16_t)from;
	}
	return 0;
}

/* NULL, or what is wrong with it. */
static const char *parse_rehearse(const json_t *json, struct sim_firmware *fw)
{
	const char *revision = json_string_value(json);

	if (!revision || !*revision || strlen(revision) > 8)
		return "is not a revision of 1 to 8 characters";
	for (const char *p = revision; *p; p++)
		if (*p <= ' ' || *p > '~')
			return "is not printable ASCII";
	ssd_strcpy(fw->rehearse, sizeof(fw->rehearse), revision);
	return NULL;
}

static const char *parse_activation(const json_t *json, struct sim_firmware *fw)
{
	static const char *const words[] = {
		[SIM_BY_CONTROLLER_RESET] = "controller_reset",
		[SIM_BY_SUBSYSTEM_RESET] = "subsystem_reset",
		[SIM_BY_CONVENTIONAL_RESET] = "conventional_reset",
		[SIM_BY_POWER_CYCLE] = "power_cycle",
		[SIM_NOW] = "now",
	};

	for (size_t i = SIM_BY_CONTROLLER_RESET; json_is_string(json) && i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i], json_string_value(json))) {
			fw->activation = (enum sim_activation)i;
			return NULL;
		}
	return "is none of controller_reset, subsystem_reset, conventional_reset, power_cycle, now";
}

static const char *parse_granularity(const json_t *json, struct sim_firmware *fw)
{
	int64_t value;

	if (!sim_json_number(json, 4, 1 << 20, &value) || value % 4)
		return "is not a multiple of 4 up to 1048576";
	fw->granularity_bytes = (uint32_t)value;
	return NULL;
}

static const char *parse_commit_status(const json_t *json, struct sim_firmware *fw)
{
	int64_t value;

	if (!sim_json_number(json, 0, 0x7fff, &value))
		return "is not a status of 15 bits";
	fw->commit_status = (int32_t)value;
	return NULL;
}

static const char *parse_busy_polls(const json_t *json, struct sim_firmware *fw)
{
	int64_t value;

	if (!sim_json_number(json, 0, 1000000, &value))
		return "is not a number up to 1000000";
	fw->busy_polls = (uint32_t)value;
	return NULL;
}

static const char *parse_activation_polls(const json_t *json, struct sim_firmware *fw)
{
	int64_t value;

	if (!sim_json_number(json, 0, 1000000, &value))
		return "is not a number up to 1000000";
	fw->activation_polls = (uint32_t)value;
	return NULL;
}

static const char *parse_ignore_image(const json_t *json, struct sim_firmware *fw)
{
	fw->ignore_image = json_is_true(json);
	return json_is_boolean(json) ? NULL : "is not true or false";
}

static const char *parse_strict_overlap(const json_t *json, struct sim_firmware *fw)
{
	fw->strict_overlap = json_is_true(json);
	return json_is_boolean(json) ? NULL : "is not true or false";
}

static const struct {
	const char *key;
	const char *(*parse)(const json_t *json, struct sim_firmware *fw);
} firmware_keys[] = {
	{"granularity_bytes", parse_granularity}, {"activation", parse_activation},
	{"commit_status", parse_commit_status},   {"ignore_image", parse_ignore_image},
	{"busy_polls", parse_busy_polls},         {"rehearse", parse_rehearse},
	{"strict_overlap", parse_strict_overlap}, {"activation_polls", parse_activation_polls},
};

static const char *firmware_key(const char *key, const json_t *value, struct sim_firmware *fw)
{
	for (size_t i = 0; i < ARRAY_SIZE(firmware_keys); i++)
		if (!strcmp(firmware_keys[i].key, key))
			return firmware_keys[i].parse(value, fw);
	return "is not known";
}

static int load_firmware(struct sim_config *config, const char *host, const char *name, struct ssd_err *err)
{
	json_t *firmware = json_object_get(config->json, "firmware"), *value;
	const char *key;

	config->firmware.commit_status = -1;
	if (firmware && !json_is_object(firmware))
		return ssd_fail(err, SSD_ERR_BAD_INPUT, "%s/%s/drive.json: \"firmware\" is not an object", host, name);
	json_object_foreach(firmware, key, value)
	{
		const char *wrong = firmware_key(key, value, &config->firmware);

		if (wrong)
			return ssd_fail(err, SSD_ERR_BAD_INPUT, "%s/%s/drive.json: \"firmware\": \"%s\" %s", host, name,
					key, wrong);
	}
	return 0;
}

int sim_config_load(struct sim_config *config, const char *host, const char *name, struct ssd_err *err)
{
	AUTO_FREE char *path = ssd_asprintf("%s/%s/drive.json", host, name);
	const json_t *latency;
	int64_t us = 0;

	*config = (struct sim_config){.json = drive_json_load(host, name, err)};
	if (!config->json)
		return -1;
	latency = json_object_get(config->json, "latency_us");
	if (latency && !sim_json_number(latency, 0, 3600000000, &us))
		return ssd_fail(err, SSD_ERR_BAD_INPUT,
				"%s/%s/drive.json: \"latency_us\" is not a number of microseconds", host, name);
	config->latency_us = (uint64_t)us;
	return load_faults(config, host, name, err) || load_features(config, host, name, err) ||
			       load_clearing(config, host, name, err) || load_firmware(config, host, name, err) ||
			       sim_config_admin(&config->admin, config->json, path, err)
		       ? -1
		       : 0;
}

void sim_config_free(struct sim_config *config)
{
	for (size_t i = 0; i < config->n_faults; i++)
		free(config->faults[i].key);
	free(config->faults);
	free(config->features);
	json_decref(config->json);
	*config = (struct sim_config){0};
}
