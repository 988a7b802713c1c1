/* SPDX-License-Identifier: MIT */
/* Values of features as people type them, checked against the tables. */
#include <ssdct/feature.h>

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>

/* Highest temperature that is taken for one: more is kelvin, or a slip. */
#define MAX_CELSIUS 200

bool ssd_parse_number(const char *word, uint64_t max, uint64_t *value)
{
	bool hex = !strncmp(word, "0x", 2) || !strncmp(word, "0X", 2);
	const char *p = hex ? word + 2 : word;

	errno = 0;
	*value = strtoull(p, NULL, hex ? 16 : 10);
	return *p && !p[strspn(p, hex ? "0123456789abcdefABCDEF" : "0123456789")] && !errno && *value <= max;
}

static uint64_t largest(const struct ssd_field *f)
{
	return f->width < 64 ? (1ull << f->width) - 1 : UINT64_MAX;
}

uint64_t ssd_feature_mask(const struct ssd_field *fields)
{
	uint64_t mask = 0;

	for (; fields && fields->type != SSD_END; fields++)
		if (fields->code == SSD_BITS)
			mask |= largest(fields) << fields->off;
	return mask;
}

/* --- one field --- */

static int bad_value(const struct ssd_field *f, const char *word, const char *possible, struct ssd_err *err)
{
	return ssd_fail(err, SSD_ERR_USAGE, "%s: \"%.60s\" is not %s", f->key, word, possible);
}

static int parse_bool(const struct ssd_field *f, const char *word, uint64_t *v, struct ssd_err *err)
{
	static const char *const words[] = {"off", "on", "no", "yes", "false", "true", "0", "1"};

	for (unsigned i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(word, words[i])) {
			*v = i & 1;
			return 0;
		}
	return bad_value(f, word, "on or off", err);
}

/* "until power cycle" may be typed until-power-cycle. */
static bool same_name(const char *word, const char *name)
{
	for (; *word && *name; word++, name++)
		if (tolower((unsigned char)*word) != tolower((unsigned char)*name) && !(*word == '-' && *name == ' '))
			return false;
	return !*word && !*name;
}

/* By name only: where names are numbers ("4"), the coded value would be something else. */
static int parse_choice(const struct ssd_field *f, const char *word, uint64_t *v, struct ssd_err *err)
{
	char possible[160] = "one of ";

	for (const struct ssd_name *n = f->names; n->name; n++) {
		size_t len = strlen(possible);

		if (same_name(word, n->name)) {
			*v = n->value;
			return 0;
		}
		snprintf(possible + len, sizeof(possible) - len, "%s%s", n == f->names ? "" : ", ", n->name);
	}
	return bad_value(f, word, possible, err);
}

/* 85, 85C, -5; never: FFFFh. */
static int parse_celsius(const struct ssd_field *f, const char *word, uint64_t *v, struct ssd_err *err)
{
	char digits[8];
	uint64_t degrees;
	bool minus = *word == '-';

	if (!strcmp(word, "none")) {
		*v = largest(f);
		return 0;
	}
	ssd_strcpy(digits, sizeof(digits), word + minus);
	if (*digits && strchr("Cc", digits[strlen(digits) - 1]))
		digits[strlen(digits) - 1] = '\0';
	if (strlen(word) >= sizeof(digits) || !ssd_parse_number(digits, minus ? 272 : MAX_CELSIUS, &degrees) ||
	    digits[1] == 'x')
		return bad_value(f, word, "a temperature from -272 to 200 (degrees Celsius), or none", err);
	*v = minus ? 273 - degrees : 273 + degrees;
	return 0;
}

static int parse_uint(const struct ssd_field *f, const char *word, uint64_t *v, struct ssd_err *err)
{
	uint64_t scale = f->scale ? f->scale : 1, max = largest(f) * scale;
	char possible[120];

	if (ssd_parse_number(word, max, v) && !(*v % scale)) {
		*v /= scale;
		return 0;
	}
	if (scale == 1)
		snprintf(possible, sizeof(possible), "a whole number from 0 to %" PRIu64, max);
	else
		snprintf(possible, sizeof(possible), "a multiple of %" PRIu64 " from 0 to %" PRIu64, scale, max);
	return bad_value(f, word, possible, err);
}

static int set_field(const struct ssd_field *f, const char *word, uint64_t *value, struct ssd_err *err)
{
	uint64_t v = 0;
	int rc;

	switch (f->type) {
	case SSD_BOOL:
		rc = parse_bool(f, word, &v, err);
		break;
	case SSD_ENUM:
		rc = parse_choice(f, word, &v, err);
		break;
	case SSD_INT:
		rc = parse_celsius(f, word, &v, err);
		break;
	default:
		rc = parse_uint(f, word, &v, err);
	}
	if (!rc)
		*value = (*value & ~(largest(f) << f->off)) | v << f->off;
	return rc;
}

/* --- several --- */

static void list_keys(const struct ssd_field *fields, char *buf, size_t size)
{
	*buf = '\0';
	for (const struct ssd_field *f = fields; f->type != SSD_END; f++)
		if (f->code == SSD_BITS)
			snprintf(buf + strlen(buf), size - strlen(buf), "%s%s", *buf ? ", " : "", f->key);
}

static const struct ssd_field *field_named(const struct ssd_field *fields, const char *name, size_t len)
{
	for (; fields->type != SSD_END; fields++)
		if (fields->code == SSD_BITS && !strncmp(fields->key, name, len) && !fields->key[len])
			return fields;
	return NULL;
}

static int assign_one(const struct ssd_field *fields, const char *item, uint64_t *value, uint64_t *seen,
		      struct ssd_err *err)
{
	size_t len = strcspn(item, "=");
	const struct ssd_field *f = item[len] ? field_named(fields, item, len) : NULL;
	char keys[200];

	if (!f) {
		list_keys(fields, keys, sizeof(keys));
		return ssd_fail(err, SSD_ERR_USAGE, "\"%.60s\" is not KEY=VALUE with one of the keys %s", item, keys);
	}
	if (*seen & 1ull << f->off)
		return ssd_fail(err, SSD_ERR_USAGE, "%s is given twice", f->key);
	*seen |= 1ull << f->off;
	return set_field(f, item + len + 1, value, err);
}

int ssd_feature_assign(const struct ssd_field *fields, const char *text, uint64_t *value, struct ssd_err *err)
{
	AUTO_FREE char *copy = ssd_strdup(text);
	uint64_t seen = 0;

	for (char *item = copy, *next; item; item = next) {
		next = strchr(item, ',');
		if (next)
			*next++ = '\0';
		if (assign_one(fields, item, value, &seen, err))
			return -1;
	}
	return 0;
}

/* The field that a value without a name means: the only one, or the first where the table says so. */
static const struct ssd_field *plain_field(const struct ssd_std_feature *f)
{
	const struct ssd_field *first = NULL;
	size_t n = 0;

	for (const struct ssd_field *field = f->page.field.sub; field->type != SSD_END; field++) {
		if (field->code != SSD_BITS)
			continue;
		if (!n++)
			first = field;
	}
	return n == 1 || f->flags & SSD_STD_FIRST ? first : NULL;
}

static int parse_raw(const struct ssd_std_feature *f, const char *text, uint64_t *value, struct ssd_err *err)
{
	uint64_t mask = ssd_feature_mask(f->page.field.sub), raw;

	if (!ssd_parse_number(text, UINT32_MAX, &raw))
		return ssd_fail(err, SSD_ERR_USAGE, "\"%.60s\" is not a number of 32 bits", text);
	if (raw & ~mask)
		return ssd_fail(err, SSD_ERR_USAGE,
				"0x%" PRIx64 " has bits that %s does not have: those that it has are 0x%08" PRIx64, raw,
				f->page.name, mask);
	*value = (*value & ~mask) | raw;
	return 0;
}

int ssd_feature_parse(const struct ssd_std_feature *f, const char *text, uint64_t *value, struct ssd_err *err)
{
	const struct ssd_field *plain = plain_field(f);
	char keys[200];

	if (strchr(text, '='))
		return ssd_feature_assign(f->page.field.sub, text, value, err);
	if (!strncmp(text, "0x", 2) || !strncmp(text, "0X", 2))
		return parse_raw(f, text, value, err);
	if (plain)
		return set_field(plain, text, value, err);
	list_keys(f->page.field.sub, keys, sizeof(keys));
	if (!*keys)
		return ssd_fail(err, SSD_ERR_USAGE, "%s has no value besides its data: give --data FILE", f->page.name);
	ssd_fail(err, SSD_ERR_USAGE, "%s has several parts: say which, as KEY=VALUE[,KEY=VALUE]", f->page.name);
	ssd_hint(err, "the keys are %s; or all bits at once as 0x...", keys);
	return -1;
}
