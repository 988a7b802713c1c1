/* SPDX-License-Identifier: MIT */
/* Page descriptions: from JSON to the tables of struct ssd_page. The format is ssdct-pages(5). */
#include "parse.h"

#include <ssdct/admin.h>

#include <jansson.h>

#define FORMAT "ssdct-pages/1"
#define MAX_FIELDS 512
#define MAX_MATCHES 64
#define MAX_NAMES 1024
#define KEY_CHARS 60
#define LABEL_CHARS 80
#define HELP_CHARS 400
/* LIDs that are the vendor's own (NVM Express Base Specification 2.0c, figure 202). */
#define FIRST_VENDOR_LID 0xc0

struct parse {
	struct ssd_arena *arena;
	char at[96]; /* where we are: pages[0].fields[2] */
	char *why;   /* 240 characters */
};

/* The first fault is the one that is told. Returns false, so that a function can end in `return wrong(...)`. */
static bool PRINTF(3, 4) wrong(const struct parse *p, const char *member, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (!*p->at && !*member)
		member = "file";
	n = snprintf(p->why, 240, "%s%s%s: ", p->at, *p->at && *member ? "." : "", member);
	va_start(ap, fmt);
	vsnprintf(p->why + n, 240 - (size_t)n, fmt, ap);
	va_end(ap);
	/* What stands in a file must not reach a terminal as it is. */
	for (char *c = p->why; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	return false;
}

/* Goes into element i of a list; leave() goes back to where enter() says that we were. */
static size_t enter(struct parse *p, const char *list, size_t i)
{
	size_t was = strlen(p->at);

	snprintf(p->at + was, sizeof(p->at) - was, "%s%s[%zu]", was ? "." : "", list, i);
	return was;
}

static void leave(struct parse *p, size_t was)
{
	p->at[was] = '\0';
}

/* ---- members ---- */

static bool check_members(const struct parse *p, json_t *obj, const char *const *names, size_t n)
{
	const char *key;
	json_t *value;

	if (!json_is_object(obj))
		return wrong(p, "", "must be an object");
	json_object_foreach(obj, key, value)
	{
		size_t i = 0;

		while (i < n && strcmp(names[i], key))
			i++;
		if (i == n)
			return wrong(p, "", "no member is called \"%.40s\"", key);
	}
	return true;
}

#define CHECK_MEMBERS(p, obj, ...) \
	check_members(p, obj, (const char *const[]){__VA_ARGS__}, ARRAY_SIZE(((const char *const[]){__VA_ARGS__})))

/* A whole number, or its text in hexadecimal or decimal ("0xca"). */
static bool to_number(json_t *value, uint64_t *out)
{
	const char *s = json_string_value(value);
	char *end;

	if (json_is_integer(value)) {
		*out = (uint64_t)json_integer_value(value);
		return json_integer_value(value) >= 0;
	}
	if (!s || *s < '0' || *s > '9' || strlen(s) > 18)
		return false;
	*out = strtoull(s, &end, s[0] == '0' && (s[1] | 0x20) == 'x' ? 16 : 10);
	return !*end && !(s[0] == '0' && (s[1] | 0x20) == 'x' && !s[2]);
}

/* Required when *out is beyond max; otherwise what stands there is what is meant without the member. */
static bool number(const struct parse *p, json_t *obj, const char *name, uint64_t min, uint64_t max, uint64_t *out)
{
	json_t *value = json_object_get(obj, name);
	uint64_t v;

	if (!value)
		return *out <= max || wrong(p, name, "is missing");
	if (!to_number(value, &v) || v < min || v > max)
		return wrong(p, name, "must be a whole number from %llu to %llu (or its text, \"0x...\")",
			     (unsigned long long)min, (unsigned long long)max);
	*out = v;
	return true;
}
#define REQUIRED UINT64_MAX

static bool is_plain(const char *s)
{
	for (; *s; s++)
		if (*s < ' ' || *s > '~')
			return false;
	return true;
}

/* Printable ASCII: it goes to terminals, and into columns. */
static bool text(const struct parse *p, json_t *obj, const char *name, bool required, size_t max, const char **out)
{
	json_t *value = json_object_get(obj, name);
	const char *s = json_string_value(value);

	if (!value)
		return !required || wrong(p, name, "is missing");
	if (!s || !*s || strlen(s) > max || !is_plain(s))
		return wrong(p, name, "must be a text of 1 to %zu printable ASCII characters", max);
	*out = ssd_arena_strdup(p->arena, s);
	return true;
}

static bool is_key(const char *s)
{
	size_t len = strlen(s);

	if (*s < 'a' || *s > 'z' || len > KEY_CHARS || strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_") != len)
		return false;
	/* The digits of a wide number stand beside it under this name. */
	return len < 4 || strcmp(s + len - 4, "_str");
}

static bool key_of(const struct parse *p, json_t *obj, const char **out)
{
	const char *s = NULL;

	if (!text(p, obj, "key", true, KEY_CHARS, &s))
		return false;
	if (!s || !is_key(s))
		return wrong(p, "key", "must begin with a letter, consist of a-z, 0-9 and _, and not end in _str");
	*out = s;
	return true;
}

/* A list of 1 to max elements. */
static bool list(const struct parse *p, json_t *obj, const char *name, size_t max, json_t **out)
{
	*out = json_object_get(obj, name);
	if (!*out)
		return wrong(p, name, "is missing");
	if (!json_is_array(*out) || !json_array_size(*out) || json_array_size(*out) > max)
		return wrong(p, name, "must be a list of 1 to %zu elements", max);
	return true;
}

/* ---- fields ---- */

enum { SCALED = 1, WITH_UNIT = 2 };

static const struct kind {
	const char *word;
	enum ssd_type type;
	enum ssd_code code;
	unsigned min, max; /* bytes */
	unsigned flags;
} kinds[] = {
	{"uint", SSD_UINT, SSD_LE, 1, 8, SCALED | WITH_UNIT},
	{"int", SSD_INT, SSD_SLE, 1, 8, SCALED | WITH_UNIT},
	{"wide", SSD_WIDE, SSD_LE, 1, 16, SCALED | WITH_UNIT},
	{"kelvin", SSD_INT, SSD_KELVIN, 2, 2, 0},
	{"text", SSD_STR, SSD_ASCII, 1, 4096, 0},
	{"hex", SSD_STR, SSD_BYTES_HEX, 1, 128, 0},
	{"le_hex", SSD_STR, SSD_LE_HEX, 1, 128, 0},
	{"uuid", SSD_STR, SSD_UUID, 16, 16, 0},
	{"enum", SSD_ENUM, SSD_LE, 1, 4, 0},
	{"flags", SSD_FLAGS, SSD_LE, 1, 8, 0},
};

/* A key ends in its unit. */
static const struct unit {
	const char *word;
	enum ssd_unit unit;
	const char *ending;
} units[] = {
	{"bytes", SSD_BYTES, "_bytes"},
	{"celsius", SSD_CELSIUS, "_celsius"},
	{"percent", SSD_PERCENT, "_percent"},
	{"minutes", SSD_MINUTES, "_minutes"},
	{"hours", SSD_HOURS, "_hours"},
	{"seconds", SSD_SECONDS, "_seconds"},
	{"ms", SSD_MS, "_ms"},
	{"us", SSD_US, "_us"},
	{"ns", SSD_NS, "_ns"},
	{"watts", SSD_WATTS, "_watts"},
	{"hex", SSD_HEX, ""},
};

static const struct null {
	const char *word;
	enum ssd_null null;
} nulls[] = {{"zero", SSD_NULL_ZERO}, {"ones", SSD_NULL_ONES}, {"zero_or_ones", SSD_NULL_ZERO_OR_ONES}};

/* The index of a member's word in a table whose rows begin with the word; -1: another word, which is told. */
#define FIND(p, obj, name, table) find(p, obj, name, &(table)[0].word, sizeof((table)[0]), ARRAY_SIZE(table))
static int find(const struct parse *p, json_t *obj, const char *name, const char *const *word, size_t stride, size_t n)
{
	const char *s = json_string_value(json_object_get(obj, name));
	char words[160] = "";

	for (size_t i = 0; i < n; i++) {
		const char *row = *(const char *const *)(const void *)((const char *)word + i * stride);

		if (s && !strcmp(s, row))
			return (int)i;
		snprintf(words + strlen(words), sizeof(words) - strlen(words), "%s%s", i ? ", " : "", row);
	}
	wrong(p, name, "must be one of %s", words);
	return -1;
}

static bool has_ending(const char *key, const char *ending)
{
	size_t n = strlen(key), len = strlen(ending);

	return n > len && !strcmp(key + n - len, ending);
}

static bool set_unit(const struct parse *p, json_t *obj, const struct kind *kind, struct ssd_field *f)
{
	int i;

	if (kind->code == SSD_KELVIN)
		f->unit = SSD_CELSIUS;
	if (kind->code == SSD_KELVIN && !has_ending(f->key, "_celsius"))
		return wrong(p, "key", "a temperature's key ends in _celsius");
	if (!json_object_get(obj, "unit"))
		return true;
	if (!(kind->flags & WITH_UNIT))
		return wrong(p, "unit", "%s has no unit to be chosen", kind->word);
	i = FIND(p, obj, "unit", units);
	if (i < 0)
		return false;
	if (*units[i].ending && !has_ending(f->key, units[i].ending))
		return wrong(p, "key", "a key ends in its unit: %s", units[i].ending);
	f->unit = units[i].unit;
	return true;
}

static bool set_scale(const struct parse *p, json_t *obj, const struct kind *kind, struct ssd_field *f)
{
	uint64_t scale = 1;

	if (!json_object_get(obj, "scale"))
		return true;
	if (!(kind->flags & SCALED))
		return wrong(p, "scale", "%s is no number to be multiplied", kind->word);
	if (!number(p, obj, "scale", 1, UINT32_MAX, &scale))
		return false;
	/* The product of any such number fits into 64 bits. */
	if (kind->type == SSD_INT && f->width > 4 && scale > 1)
		return wrong(p, "scale", "a signed number of more than 4 bytes cannot be multiplied");
	f->scale = (uint32_t)scale;
	return true;
}

/* "enum": {"0": "idle", "0x10": "busy"} */
static bool set_names(const struct parse *p, json_t *obj, struct ssd_field *f)
{
	json_t *names = json_object_get(obj, "enum"), *value;
	uint64_t most = f->width < 4 ? (1ull << 8 * f->width) - 1 : UINT32_MAX, v;
	struct ssd_name *table;
	const char *number_text;
	size_t n = json_object_size(names), at = 0;

	if (!n || n > MAX_NAMES)
		return wrong(p, "enum", "must be an object of 1 to %d names", MAX_NAMES);
	table = ssd_arena_alloc(p->arena, (n + 1) * sizeof(*table));
	json_object_foreach(names, number_text, value)
	{
		json_t *as_text = json_string(number_text);
		bool good = to_number(as_text, &v) && v <= most;

		json_decref(as_text);
		for (size_t i = 0; good && i < at; i++)
			good = table[i].value != v;
		if (!good)
			return wrong(p, "enum", "\"%.20s\" is no number of the field, or is there twice", number_text);
		if (!text(p, names, number_text, true, LABEL_CHARS, &table[at].name))
			return false;
		table[at++].value = (uint32_t)v;
	}
	f->names = table;
	return true;
}

static bool set_bit(const struct parse *p, json_t *obj, const struct ssd_field *f, struct ssd_field *bits, size_t i)
{
	uint64_t bit = REQUIRED;

	if (!CHECK_MEMBERS(p, obj, "key", "label", "bit") || !key_of(p, obj, &bits[i].key) ||
	    !text(p, obj, "label", true, LABEL_CHARS, &bits[i].label) ||
	    !number(p, obj, "bit", 0, 8 * f->width - 1, &bit))
		return false;
	if (!strcmp(bits[i].key, "value"))
		return wrong(p, "key", "\"value\" is the whole number");
	for (size_t k = 0; k < i; k++)
		if (!strcmp(bits[k].key, bits[i].key) || bits[k].off == bit)
			return wrong(p, "key", "this key or this bit is there twice");
	bits[i].type = SSD_BOOL;
	bits[i].code = SSD_BITS;
	bits[i].off = (uint32_t)bit;
	bits[i].width = 1;
	return true;
}

/* "flags": [{"key": "failed", "label": "failed", "bit": 0}] */
static bool set_flags(struct parse *p, json_t *obj, struct ssd_field *f)
{
	struct ssd_field *bits;
	json_t *flags;

	if (!list(p, obj, "flags", 8 * f->width, &flags))
		return false;
	bits = ssd_arena_alloc(p->arena, (json_array_size(flags) + 1) * sizeof(*bits));
	for (size_t i = 0; i < json_array_size(flags); i++) {
		size_t was = enter(p, "flags", i);

		if (!set_bit(p, json_array_get(flags, i), f, bits, i))
			return false;
		leave(p, was);
	}
	f->unit = SSD_HEX;
	f->sub = bits;
	return true;
}

static bool set_meaning(struct parse *p, json_t *obj, const struct kind *kind, struct ssd_field *f)
{
	int null;

	if (json_object_get(obj, "enum") && kind->type != SSD_ENUM)
		return wrong(p, "enum", "only a field of kind enum has names");
	if (json_object_get(obj, "flags") && kind->type != SSD_FLAGS)
		return wrong(p, "flags", "only a field of kind flags has bits");
	if (json_object_get(obj, "null")) {
		null = FIND(p, obj, "null", nulls);
		if (null < 0)
			return false;
		f->null = nulls[null].null;
	}
	if (!set_unit(p, obj, kind, f) || !set_scale(p, obj, kind, f))
		return false;
	if (kind->type == SSD_ENUM)
		return set_names(p, obj, f);
	return kind->type != SSD_FLAGS || set_flags(p, obj, f);
}

static bool set_field(struct parse *p, json_t *obj, uint32_t length, struct ssd_field *f)
{
	uint64_t off = REQUIRED, width = REQUIRED;
	int kind;

	if (!CHECK_MEMBERS(p, obj, "key", "label", "help", "offset", "width", "kind", "unit", "scale", "null", "enum",
			   "flags") ||
	    !key_of(p, obj, &f->key) || !text(p, obj, "label", true, LABEL_CHARS, &f->label) ||
	    !text(p, obj, "help", false, HELP_CHARS, &f->help))
		return false;
	kind = FIND(p, obj, "kind", kinds);
	if (kind < 0 || !number(p, obj, "offset", 0, length - 1, &off) ||
	    !number(p, obj, "width", kinds[kind].min, kinds[kind].max, &width))
		return false;
	if (off + width > length)
		return wrong(p, "width", "the field ends at byte %u, the page at %u", (unsigned)(off + width),
			     (unsigned)length);
	f->type = kinds[kind].type;
	f->code = kinds[kind].code;
	f->off = (uint32_t)off;
	f->width = (uint32_t)width;
	return set_meaning(p, obj, &kinds[kind], f);
}

static bool set_fields(struct parse *p, json_t *obj, struct ssd_page *page)
{
	struct ssd_field *fields;
	json_t *elements;

	if (!list(p, obj, "fields", MAX_FIELDS, &elements))
		return false;
	fields = ssd_arena_alloc(p->arena, (json_array_size(elements) + 1) * sizeof(*fields));
	for (size_t i = 0; i < json_array_size(elements); i++) {
		size_t was = enter(p, "fields", i);

		if (!set_field(p, json_array_get(elements, i), page->size, &fields[i]))
			return false;
		for (size_t k = 0; k < i; k++)
			if (!strcmp(fields[k].key, fields[i].key))
				return wrong(p, "key", "fields[%zu] has this key, too", k);
		leave(p, was);
	}
	page->field.sub = fields;
	return true;
}

/* ---- pages ---- */

static bool set_id(const struct parse *p, json_t *obj, const char *name, int *out)
{
	uint64_t id = 0;

	if (!number(p, obj, name, 0, 0xffff, &id))
		return false;
	*out = json_object_get(obj, name) ? (int)id : -1;
	return true;
}

/* A pattern that begins with a wildcard is one for drives that nobody has thought of. */
#define PATTERN_PREFIX 3

static bool set_match(const struct parse *p, json_t *obj, struct ssd_local_match *m)
{
	if (!CHECK_MEMBERS(p, obj, "vendor", "device", "subsystem_vendor", "subsystem_device", "model", "firmware") ||
	    !set_id(p, obj, "vendor", &m->pci_vendor) || !set_id(p, obj, "device", &m->pci_device) ||
	    !set_id(p, obj, "subsystem_vendor", &m->pci_subsystem_vendor) ||
	    !set_id(p, obj, "subsystem_device", &m->pci_subsystem_device) ||
	    !text(p, obj, "model", false, LABEL_CHARS, &m->model) ||
	    !text(p, obj, "firmware", false, LABEL_CHARS, &m->firmware))
		return false;
	if (m->pci_vendor < 0)
		return wrong(p, "vendor", "is missing: the drive's PCI vendor");
	if (m->pci_device < 0 && !m->model)
		return wrong(p, "model", "is missing: a drive is known by its model or by its PCI device");
	if (m->model && strcspn(m->model, "*?[\\") < PATTERN_PREFIX)
		return wrong(p, "model", "must begin with %d characters that are no wildcards", PATTERN_PREFIX);
	return true;
}

static bool set_matches(struct parse *p, json_t *obj, struct ssd_local_page *local)
{
	struct ssd_local_match *matches;
	json_t *elements;

	if (!list(p, obj, "match", MAX_MATCHES, &elements))
		return false;
	local->n_matches = json_array_size(elements);
	matches = ssd_arena_alloc(p->arena, local->n_matches * sizeof(*matches));
	for (size_t i = 0; i < local->n_matches; i++) {
		size_t was = enter(p, "match", i);

		if (!set_match(p, json_array_get(elements, i), &matches[i]))
			return false;
		leave(p, was);
	}
	local->matches = matches;
	return true;
}

/* The key with dashes: acme-health. Names of the standard pages are taken. */
static bool set_name(const struct parse *p, struct ssd_page *page)
{
	char *name = ssd_arena_strdup(p->arena, page->field.key);

	for (char *c = name; *c; c++)
		if (*c == '_')
			*c = '-';
	for (const struct ssd_log_info *l = ssd_log_table; l->name; l++)
		if (!strcmp(l->name, name))
			return wrong(p, "key", "a page of the specification is called \"%s\"", name);
	page->name = name;
	return true;
}

/* Only an explicit word lets a page be read. */
static bool set_read(const struct parse *p, json_t *obj, struct ssd_page *page)
{
	static const struct {
		const char *word;
	} words[] = {{"free"}, {"clears"}};
	int i = 1;

	if (json_object_get(obj, "read"))
		i = FIND(p, obj, "read", words);
	if (i)
		page->flags |= SSD_PAGE_CLEARS;
	return i >= 0;
}

static bool set_smart(const struct parse *p, json_t *obj, struct ssd_page *page)
{
	json_t *smart = json_object_get(obj, "smart");

	if (smart && !json_is_boolean(smart))
		return wrong(p, "smart", "must be true or false");
	if (json_is_true(smart) && page->flags & SSD_PAGE_CLEARS)
		return wrong(p, "smart", "only a page with \"read\": \"free\" can be read unasked");
	page->command = json_is_true(smart) ? "smart" : NULL;
	return true;
}

static bool set_nsid(const struct parse *p, json_t *obj, struct ssd_page *page)
{
	uint64_t nsid = SSD_NSID_ALL;

	if (!number(p, obj, "nsid", 0, SSD_NSID_ALL, &nsid))
		return false;
	if (nsid && nsid != SSD_NSID_ALL)
		return wrong(p, "nsid", "must be 0 or 0xffffffff");
	page->flags |= nsid ? 0 : SSD_PAGE_NSID0;
	return true;
}

static bool set_page(struct parse *p, json_t *obj, struct ssd_local_page *local)
{
	struct ssd_page *page = &local->page;
	uint64_t lid = REQUIRED, length = REQUIRED;

	if (!CHECK_MEMBERS(p, obj, "key", "label", "help", "match", "lid", "length", "nsid", "read", "smart",
			   "fields") ||
	    !key_of(p, obj, &page->field.key) || !set_name(p, page) ||
	    !text(p, obj, "label", true, LABEL_CHARS, &page->field.label) ||
	    !text(p, obj, "help", false, HELP_CHARS, &page->field.help) ||
	    !number(p, obj, "lid", FIRST_VENDOR_LID, 0xff, &lid) ||
	    !number(p, obj, "length", 4, SSD_MAX_LOG_BYTES, &length))
		return false;
	if (length % 4)
		return wrong(p, "length", "must be a multiple of 4");
	page->field.type = SSD_OBJ;
	page->kind = SSD_PAGE_LOG;
	page->id = (uint8_t)lid;
	page->size = (uint32_t)length;
	return set_nsid(p, obj, page) && set_read(p, obj, page) && set_smart(p, obj, page) &&
	       set_matches(p, obj, local) && set_fields(p, obj, page);
}

static bool set_file(struct parse *p, const char *file, json_t *root, struct ssd_local_page *pages, size_t *n)
{
	const char *format = json_string_value(json_object_get(root, "format"));
	json_t *elements;

	if (!json_is_object(root))
		return wrong(p, "", "must be an object");
	if (!format || strcmp(format, FORMAT))
		return wrong(p, "format", "must be \"%s\"", FORMAT);
	if (!CHECK_MEMBERS(p, root, "$schema", "format", "pages") ||
	    !list(p, root, "pages", LOCAL_MAX_PAGES, &elements))
		return false;
	*n = json_array_size(elements);
	for (size_t i = 0; i < *n; i++) {
		size_t was = enter(p, "pages", i);

		pages[i] = (struct ssd_local_page){.file = file};
		if (!set_page(p, json_array_get(elements, i), &pages[i]))
			return false;
		leave(p, was);
	}
	return true;
}

int local_parse(struct ssd_arena *a, const char *file, const char *text_, size_t len,
		struct ssd_local_page pages[LOCAL_MAX_PAGES], char why[240])
{
	struct parse p = {.arena = a, .why = why};
	json_error_t error;
	json_t *root = json_loadb(text_, len, JSON_REJECT_DUPLICATES, &error);
	bool good;
	size_t n = 0;

	*why = '\0';
	if (!root) {
		char place[48];

		snprintf(place, sizeof(place), "line %d, column %d", error.line, error.column);
		wrong(&p, place, "%s", error.text);
		return -1;
	}
	good = set_file(&p, file, root, pages, &n);
	json_decref(root);
	return good ? (int)n : -1;
}
