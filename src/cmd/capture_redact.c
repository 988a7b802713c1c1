/* SPDX-License-Identifier: MIT */
/*
 * Redaction. Everything that tells one drive or one owner from another is replaced by as many other bytes: first in the
 * fields where the specification puts it, then wherever else the same bytes occur, as vendors repeat them in their own
 * pages.
 */
#include "capture.h"

#include <ctype.h>

/* Shorter texts occur by chance. */
#define MIN_NEEDLE 6
#define MAX_NEEDLES 4096

/* Identify Controller and Identify Namespace (NVM Express Base Specification 2.0c, 5.17.2; NVM Command Set 1.0c, 4.1.5). */
enum { SN = 4, SN_BYTES = 20, FGUID = 112, FGUID_BYTES = 16, SUBNQN = 768, SUBNQN_BYTES = 256 };
enum { NGUID = 104, NGUID_BYTES = 16, EUI64 = 120, EUI64_BYTES = 8 };
/* Namespace Identification Descriptors, CNS 03h: type, length, two reserved bytes, identifier; type 4 is no identity. */
enum { DESCRIPTOR_HEADER = 4, DESCRIPTOR_CSI = 4 };

struct needle {
	uint8_t *from, *to; /* owned, len bytes */
	size_t len;
};

struct redaction {
	struct needle needles[MAX_NEEDLES];
	size_t n;
	unsigned drive, identifiers; /* numbers to put in */
};

/* XXXXXX0007: as long as the original, and different for each drive. */
static void fill_text(uint8_t *text, size_t len, unsigned number)
{
	size_t digits = len < 4 ? len : 4;

	memset(text, 'X', len);
	for (; digits--; number /= 10)
		text[--len] = (uint8_t)('0' + number % 10);
}

/* EEEEEE...EE 0007 0001: no identifier of this kind is assigned (EEh is a locally administered, multicast prefix). */
static void fill_bytes(uint8_t *bytes, size_t len, unsigned drive, unsigned number)
{
	memset(bytes, 0xee, len);
	for (size_t i = 0; i < 4 && i < len; i++)
		bytes[len - 1 - i] = (uint8_t)(i < 2 ? number >> 8 * i : drive >> 8 * (i - 2));
}

static void add_needle(struct redaction *r, const uint8_t *from, const uint8_t *to, size_t len)
{
	struct needle *n = &r->needles[r->n];

	if (len < MIN_NEEDLE || r->n == MAX_NEEDLES)
		return;
	r->n++;
	n->len = len;
	n->from = ssd_calloc(len, 1);
	n->to = ssd_calloc(len, 1);
	memcpy(n->from, from, len);
	memcpy(n->to, to, len);
}

/* A text field without its padding on both sides; the padding stays as it is. */
static void redact_text(struct redaction *r, uint8_t *field, size_t len)
{
	uint8_t to[SUBNQN_BYTES];

	while (len && (!field[len - 1] || field[len - 1] == ' '))
		len--;
	for (; len && (!*field || *field == ' '); len--)
		field++;
	fill_text(to, len, r->drive);
	add_needle(r, field, to, len);
	memcpy(field, to, len);
}

/* What follows the naming authority: nqn.2014-08.org.nvmexpress:uuid:... */
static void redact_nqn(struct redaction *r, uint8_t *field, size_t len)
{
	const uint8_t *colon = memchr(field, ':', len);
	size_t skip = colon ? (size_t)(colon - field) + 1 : 0;

	redact_text(r, field + skip, len - skip);
}

static void redact_bytes(struct redaction *r, uint8_t *field, size_t len)
{
	uint8_t to[64];
	bool set = false;

	for (size_t i = 0; i < len; i++)
		set |= field[i] != 0;
	if (!set || len > sizeof(to))
		return;
	for (size_t i = 0; i < r->n; i++)
		if (r->needles[i].len == len && !memcmp(r->needles[i].from, field, len))
			return; /* known: the sweep replaces it, by the same bytes everywhere */
	fill_bytes(to, len, r->drive, ++r->identifiers);
	add_needle(r, field, to, len);
	memcpy(field, to, len);
}

static void redact_ctrl(struct redaction *r, const struct capture_file *f)
{
	if (f->len >= SUBNQN + SUBNQN_BYTES)
		redact_nqn(r, f->data + SUBNQN, SUBNQN_BYTES);
	if (f->len >= SN + SN_BYTES)
		redact_text(r, f->data + SN, SN_BYTES);
	if (f->len >= FGUID + FGUID_BYTES)
		redact_bytes(r, f->data + FGUID, FGUID_BYTES);
}

static void redact_ns(struct redaction *r, const struct capture_file *f)
{
	if (f->len < EUI64 + EUI64_BYTES)
		return;
	redact_bytes(r, f->data + NGUID, NGUID_BYTES);
	redact_bytes(r, f->data + EUI64, EUI64_BYTES);
}

static void redact_descriptors(struct redaction *r, const struct capture_file *f)
{
	for (size_t at = 0; at + DESCRIPTOR_HEADER < f->len && f->data[at];) {
		size_t len = f->data[at + 1], room = f->len - at - DESCRIPTOR_HEADER;

		if (!len || len > room)
			return;
		if (f->data[at] != DESCRIPTOR_CSI)
			redact_bytes(r, f->data + at + DESCRIPTOR_HEADER, len);
		at += DESCRIPTOR_HEADER + len;
	}
}

static const struct {
	const char *prefix;
	void (*redact)(struct redaction *r, const struct capture_file *f);
} layouts[] = {
	{"id-ctrl.bin", redact_ctrl},
	{"id-ns-", redact_ns},
	{"identify-11-", redact_ns},
	{"identify-03-", redact_descriptors},
};

static void redact_fields(struct redaction *r, struct capture *c)
{
	for (size_t layout = 0; layout < ARRAY_SIZE(layouts); layout++)
		for (size_t i = 0; i < c->n_files; i++)
			if (!strncmp(c->files[i].name, layouts[layout].prefix, strlen(layouts[layout].prefix)))
				layouts[layout].redact(r, &c->files[i]);
}

static void sweep(const struct redaction *r, uint8_t *data, size_t len)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct needle *n = &r->needles[i];
		uint8_t *at = data;

		while ((at = memmem(at, len - (size_t)(at - data), n->from, n->len))) {
			memcpy(at, n->to, n->len);
			at += n->len;
		}
	}
}

/* The value of a string member goes through the same sweep; a fabrics address loses its values. */
static void redact_string(const struct redaction *r, json_t *obj, const char *key, bool values)
{
	AUTO_FREE char *text = json_string_value(json_object_get(obj, key))
				       ? ssd_strdup(json_string_value(json_object_get(obj, key)))
				       : NULL;
	bool value = false;

	if (!text)
		return;
	sweep(r, (uint8_t *)text, strlen(text));
	for (char *p = text; values && *p; p++) {
		value = (value || *p == '=') && *p != ',';
		if (value && isalnum((unsigned char)*p))
			*p = 'X';
	}
	json_object_set_new(obj, key, json_string(text));
}

/* Names of mount points and holders: /srv/customer becomes /XXX/XXXXXXXX. */
static void redact_names(json_t *list)
{
	size_t i;
	json_t *item;

	json_array_foreach(list, i, item)
	{
		AUTO_FREE char *text = ssd_strdup(json_string_value(item) ? json_string_value(item) : "");

		for (char *p = text; *p; p++)
			if (*p != '/')
				*p = 'X';
		json_array_set_new(list, i, json_string(text));
	}
}

static void redact_host_side(const struct redaction *r, struct capture *c)
{
	const char *transport = json_string_value(json_object_get(c->sysfs, "transport")), *key;
	json_t *ns;

	redact_string(r, c->sysfs, "subsysnqn", false);
	redact_string(r, c->sysfs, "address", transport && strcmp(transport, "pcie") != 0);
	json_object_foreach(c->namespaces, key, ns)
	{
		redact_names(json_object_get(ns, "mounts"));
		redact_names(json_object_get(ns, "holders"));
	}
}

void capture_redact(struct capture *c, unsigned n)
{
	AUTO_FREE struct redaction *r = ssd_calloc(1, sizeof(*r));

	r->drive = n;
	redact_fields(r, c);
	for (size_t i = 0; i < c->n_files; i++)
		sweep(r, c->files[i].data, c->files[i].len);
	redact_host_side(r, c);
	for (size_t i = 0; i < r->n; i++) {
		free(r->needles[i].from);
		free(r->needles[i].to);
	}
}
