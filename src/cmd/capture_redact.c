/* SPDX-License-Identifier: MIT */
/*
 * Redaction. Everything that tells one drive or one owner from another is replaced by as many other bytes: first in the
 * fields where the specification puts it, then wherever else the same bytes occur, as vendors repeat them in their own
 * pages.
 */
#include "capture.h"

#include "sim/hostfile.h"

#include <ctype.h>
#include <ssdct/id_ctrl.h>
#include <ssdct/plugin.h>

/* Shorter texts occur by chance. */
#define MIN_NEEDLE 6
#define MAX_NEEDLES 4096

/* Identify Namespace (NVM Command Set Specification 1.0c, 4.1.5). */
enum { NGUID = 104, NGUID_BYTES = 16, EUI64 = 120, EUI64_BYTES = 8 };
/* Namespace Identification Descriptors, CNS 03h: type, length, two reserved bytes, identifier; type 4 is no identity. */
enum { DESCRIPTOR_HEADER = 4, DESCRIPTOR_CSI = 4 };
/* UUID List, CNS 17h: entries of 32 bytes, the UUID in the upper half. */
enum { UUID_ENTRY = 32, UUID_AT = 16, UUID_BYTES = 16 };
/* Log pages from here on, and the ends of some Identify structures, are the vendor's own. */
#define FIRST_VENDOR_LID 0xc0

struct needle {
	uint8_t *from, *to; /* owned, len bytes */
	size_t len;
};

struct redaction {
	struct needle needles[MAX_NEEDLES];
	size_t n;
	unsigned drive, identifiers; /* numbers to put in */
	bool short_serial;           /* the serial number is no needle */
	const struct ssd_vendor *vendor;
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

/* A text field without its padding on both sides; the padding stays as it is. Returns the length without. */
static size_t redact_text(struct redaction *r, uint8_t *field, size_t len)
{
	uint8_t to[SSD_ID_CTRL_SUBNQN_BYTES];

	while (len && (!field[len - 1] || field[len - 1] == ' '))
		len--;
	for (; len && (!*field || *field == ' '); len--)
		field++;
	fill_text(to, len, r->drive);
	add_needle(r, field, to, len);
	memcpy(field, to, len);
	return len;
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
	size_t serial = 0;

	if (f->len >= SSD_ID_CTRL_SUBNQN + SSD_ID_CTRL_SUBNQN_BYTES)
		redact_nqn(r, f->data + SSD_ID_CTRL_SUBNQN, SSD_ID_CTRL_SUBNQN_BYTES);
	if (f->len >= SSD_ID_CTRL_SN + SSD_ID_CTRL_SN_BYTES)
		serial = redact_text(r, f->data + SSD_ID_CTRL_SN, SSD_ID_CTRL_SN_BYTES);
	r->short_serial = serial && serial < MIN_NEEDLE;
	if (f->len >= SSD_ID_CTRL_FGUID + SSD_ID_CTRL_FGUID_BYTES)
		redact_bytes(r, f->data + SSD_ID_CTRL_FGUID, SSD_ID_CTRL_FGUID_BYTES);
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

/* A UUID by which whoever defines a page is named is nobody's identity, and without it the page would not be found. */
static bool names_a_page(const struct redaction *r, const uint8_t *uuid)
{
	for (const struct ssd_page *const *p = r->vendor ? r->vendor->pages : NULL; p && *p; p++)
		if ((*p)->uuid && !memcmp((*p)->uuid, uuid, UUID_BYTES))
			return true;
	return false;
}

static void redact_uuid_list(struct redaction *r, const struct capture_file *f)
{
	for (size_t at = UUID_AT; at + UUID_BYTES <= f->len; at += UUID_ENTRY)
		if (!names_a_page(r, f->data + at))
			redact_bytes(r, f->data + at, UUID_BYTES);
}

static const struct {
	const char *prefix;
	void (*redact)(struct redaction *r, const struct capture_file *f);
	size_t vendor_area; /* where the vendor's own bytes begin; 0: there are none */
} layouts[] = {
	{"id-ctrl.bin", redact_ctrl, SSD_ID_CTRL_VS},
	{"id-ns-", redact_ns, 384},
	{"identify-11-", redact_ns, 384},
	{"identify-03-", redact_descriptors},
	{"identify-17.bin", redact_uuid_list},
};

static bool has_layout(const struct capture_file *f, size_t layout)
{
	return !strncmp(f->name, layouts[layout].prefix, strlen(layouts[layout].prefix));
}

static void redact_fields(struct redaction *r, struct capture *c)
{
	for (size_t layout = 0; layout < ARRAY_SIZE(layouts); layout++)
		for (size_t i = 0; i < c->n_files; i++)
			if (has_layout(&c->files[i], layout))
				layouts[layout].redact(r, &c->files[i]);
}

static void clear_vendor_area(struct capture *c, const struct capture_file *f, size_t start)
{
	char reason[120];
	bool set = false;

	for (size_t i = start; i < f->len; i++) {
		set |= f->data[i] != 0;
		f->data[i] = 0;
	}
	snprintf(reason, sizeof(reason),
		 "bytes %zu to %zu are zero: the serial number is too short to be looked for there", start, f->len - 1);
	if (set)
		capture_add_gap(c, f->name, reason);
}

static bool is_vendor_log(const struct capture_file *f)
{
	struct host_file file;

	return host_file_parse(f->name, &file) && file.kind == HOST_FILE_LOG && file.id >= FIRST_VENDOR_LID;
}

/* A serial number that is no needle may be wherever a vendor puts what he likes. */
static void drop_vendor_bytes(struct capture *c)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->n_files; i++) {
		struct capture_file *f = &c->files[i];

		if (is_vendor_log(f)) {
			capture_add_gap(c, f->name,
					"not redactable: the serial number is too short to be looked for in it");
			free(f->name);
			free(f->data);
			continue;
		}
		for (size_t layout = 0; layout < ARRAY_SIZE(layouts); layout++)
			if (layouts[layout].vendor_area && has_layout(f, layout))
				clear_vendor_area(c, f, layouts[layout].vendor_area);
		c->files[kept++] = *f;
	}
	c->n_files = kept;
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

/* A fabrics address loses its values: traddr=XX.X.X.X,trsvcid=XXXX. */
static void redact_address(char *text)
{
	bool value = false;

	for (char *p = text; *p; p++) {
		value = (value || *p == '=') && *p != ',';
		if (value && isalnum((unsigned char)*p))
			*p = 'X';
	}
}

/*
 * What the host says of the drive: the same sweep for all of it. A subsystem NQN is there when Identify has none or another
 * one: the kernel makes one of the serial number then.
 */
static void redact_host_side(struct redaction *r, struct capture *c)
{
	const char *transport = json_string_value(json_object_get(c->sysfs, "transport")), *key;
	bool fabrics = transport && strcmp(transport, "pcie") != 0;
	json_t *value;

	json_object_foreach(c->sysfs, key, value)
	{
		AUTO_FREE char *text = json_is_string(value) ? ssd_strdup(json_string_value(value)) : NULL;

		if (!text)
			continue;
		if (!strcmp(key, "subsysnqn"))
			redact_nqn(r, (uint8_t *)text, strlen(text));
		sweep(r, (uint8_t *)text, strlen(text));
		if (fabrics && !strcmp(key, "address"))
			redact_address(text);
		json_string_set(value, text);
	}
}

void capture_redact(struct capture *c, unsigned n)
{
	AUTO_FREE struct redaction *r = ssd_calloc(1, sizeof(*r));

	r->drive = n;
	r->vendor = c->dev->vendor;
	redact_fields(r, c);
	for (size_t i = 0; i < c->n_files; i++)
		sweep(r, c->files[i].data, c->files[i].len);
	if (r->short_serial)
		drop_vendor_bytes(c);
	redact_host_side(r, c);
	for (size_t i = 0; i < r->n; i++) {
		free(r->needles[i].from);
		free(r->needles[i].to);
	}
}
