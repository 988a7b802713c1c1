/* SPDX-License-Identifier: MIT */
/* Turns the bytes of a page and its table into a document. No I/O, no printing, no read past the bytes that arrived. */
#include <ssdct/page.h>

#include <ssdct/le.h>
#include <time.h>

/* The bytes that a table's offsets count from: a page, an entry of it, an element of a list. */
struct span {
	const uint8_t *p;
	size_t len;
	uint32_t index; /* of the list element */
};

static struct span slice(struct span s, uint32_t off, size_t len, uint32_t index)
{
	if (off > s.len)
		off = (uint32_t)s.len;
	if (len > s.len - off)
		len = s.len - off;
	return (struct span){s.p + off, len, index};
}

static bool is_all(const uint8_t *p, uint32_t width, uint8_t byte)
{
	while (width--)
		if (*p++ != byte)
			return false;
	return true;
}

static bool means_null(const struct ssd_field *f, const uint8_t *p)
{
	bool zero = f->null == SSD_NULL_ZERO || f->null == SSD_NULL_ZERO_OR_ONES || f->code == SSD_KELVIN ||
		    f->code == SSD_BYTES_HEX || f->code == SSD_LE_HEX || f->code == SSD_NVME_VERSION ||
		    f->code == SSD_UUID;
	bool ones = f->null == SSD_NULL_ONES || f->null == SSD_NULL_ZERO_OR_ONES;

	return (zero && is_all(p, f->width, 0)) || (ones && is_all(p, f->width, 0xff));
}

static void set_hex(struct ssd_node *obj, const struct ssd_field *f, const uint8_t *p)
{
	char text[2 * 128 + 1] = "";

	for (uint32_t i = 0; i < f->width && i < 128; i++)
		sprintf(text + 2 * i, "%02x", p[f->code == SSD_LE_HEX ? f->width - 1 - i : i]);
	ssd_set_str(obj, f->key, text);
}

static void set_version(struct ssd_node *obj, const struct ssd_field *f, uint32_t v)
{
	char text[16];

	snprintf(text, sizeof(text), "%u.%u.%u", v >> 16, v >> 8 & 0xff, v & 0xff);
	ssd_set_str(obj, f->key, text);
}

static void set_uuid(struct ssd_node *obj, const struct ssd_field *f, const uint8_t *p)
{
	char text[37] = "", *end = text;

	for (unsigned i = 0; i < 16; i++)
		end += sprintf(end, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", p[i]);
	ssd_set_str(obj, f->key, text);
}

/*
 * 48 bits of milliseconds, then bits 3:1 of where they count from: 1970 when a host has set them (1), the last reset when
 * none has (0), and then they are no time of day (NVM Express Base Specification 2.0c, figure 322).
 */
static void set_time(struct ssd_node *obj, const struct ssd_field *f, const uint8_t *p)
{
	uint64_t ms = ssd_le(p, 6);
	time_t seconds = (time_t)(ms / 1000);
	char day[32], text[48];
	struct tm tm;

	if ((p[6] >> 1 & 7) != 1 || !gmtime_r(&seconds, &tm))
		return;
	strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text, sizeof(text), "%s.%03uZ", day, (unsigned)(ms % 1000));
	ssd_set_str(obj, f->key, text);
}

static void set_number(struct ssd_node *obj, const struct ssd_field *f, const uint8_t *p)
{
	struct ssd_u128 wide = ssd_u128_from_le(p, f->width);

	if (f->bits)
		wide = ssd_u128_of(wide.lo >> f->bit & ((1ull << f->bits) - 1));
	wide = ssd_u128_mul(wide, f->scale ? f->scale : 1, NULL);

	switch (f->type) {
	case SSD_WIDE:
		ssd_set_wide(obj, f->key, wide);
		break;
	case SSD_ENUM:
	case SSD_FLAGS:
		ssd_set_enum(obj, f->key, wide.lo);
		break;
	case SSD_BOOL:
		ssd_set_bool(obj, f->key, wide.lo);
		break;
	default:
		ssd_set_uint(obj, f->key, wide.hi ? UINT64_MAX : wide.lo);
	}
}

static int64_t sign_extend(uint64_t v, uint32_t width)
{
	unsigned shift = width && width < 8 ? 64 - 8 * width : 0;

	return (int64_t)(v << shift) >> shift;
}

static void decode_scalar(struct ssd_node *obj, const struct ssd_field *f, struct span s)
{
	const uint8_t *p = s.p + f->off;

	if (f->off > s.len || f->width > s.len - f->off || means_null(f, p))
		return;
	switch (f->code) {
	case SSD_LE:
		set_number(obj, f, p);
		break;
	case SSD_SLE:
		ssd_set_int(obj, f->key, sign_extend(ssd_le(p, f->width), f->width) * (f->scale ? f->scale : 1));
		break;
	case SSD_KELVIN:
		/* Whole kelvin to whole Celsius, as every tool of the field does: K - 273. */
		ssd_set_int(obj, f->key, (int64_t)ssd_le(p, f->width) - 273);
		break;
	case SSD_ASCII:
		ssd_set_str(obj, f->key, ssd_printable(obj->arena, p, f->width));
		break;
	case SSD_BYTES_HEX:
	case SSD_LE_HEX:
		set_hex(obj, f, p);
		break;
	case SSD_NVME_VERSION:
		set_version(obj, f, ssd_le32(p));
		break;
	case SSD_NVME_TIME:
		set_time(obj, f, p);
		break;
	case SSD_UUID:
		set_uuid(obj, f, p);
		break;
	default:
		break;
	}
}

static void decode_table(struct ssd_node *obj, const struct ssd_field *sub, struct span s);
static void decode_field(struct ssd_node *obj, const struct ssd_field *f, struct span s);

/* A signed zero is a value: 0 C is a temperature. */
static bool is_nothing(const struct ssd_node *item, const struct ssd_node *n)
{
	if (n->null || n->field->type == SSD_STR)
		return n->null;
	return n->field->type != SSD_INT && !ssd_get_int(item, n->field->key, 0);
}

static bool has_nothing_in(const struct ssd_node *item, unsigned flag)
{
	for (const struct ssd_node *n = item->child; n; n = n->next)
		if (n->field->flags & flag && is_nothing(item, n))
			return true;
	return false;
}

static void drop_last(struct ssd_node *list, struct ssd_node *before)
{
	list->last = before;
	if (before)
		before->next = NULL;
	else
		list->child = NULL;
}

/* The member that describes this kind of element, from where the element's data begin. */
static void decode_kind(struct ssd_node *item, const struct ssd_field *f, struct span e, const struct ssd_shape *shape)
{
	for (const struct ssd_field *m = f->sub; shape->kind && m->type != SSD_END; m++)
		if (m->id == shape->kind)
			decode_field(item, m, slice(e, (uint32_t)shape->data, e.len, e.index));
}

/* False: the list has ended. */
static bool decode_element(struct ssd_node *list, const struct ssd_field *f, struct span e,
			   const struct ssd_shape *shape)
{
	const struct ssd_field *scalar = f->sub->key ? NULL : f->sub;
	struct ssd_node *before = list->last, *item;
	bool end;

	if (scalar) {
		end = scalar->width > e.len || (scalar->flags & SSD_LAST && !ssd_le(e.p, scalar->width));
		if (!end && scalar->type == SSD_STR)
			ssd_add_str(list, ssd_printable(list->arena, e.p, scalar->width));
		else if (!end)
			ssd_add_uint(list, ssd_le(e.p, scalar->width));
		return !end;
	}
	item = ssd_add_item(list);
	decode_table(item, f->sub, e);
	decode_kind(item, f, e, shape);
	end = has_nothing_in(item, SSD_LAST);
	if (end || shape->unused || has_nothing_in(item, SSD_SKIP))
		drop_last(list, before);
	return !end;
}

/* False: the number has not arrived. */
static bool count_of(const struct ssd_field *f, struct span s, uint64_t *count)
{
	const struct ssd_count *in = &f->count_in;
	uint64_t limit = f->count ? f->count : UINT64_MAX;

	*count = limit;
	if (!in->width)
		return true;
	if (in->at > s.len || in->width > s.len - in->at)
		return false;
	*count = ssd_add_clamped(ssd_le(s.p + in->at, in->width), in->plus);
	if (*count > limit)
		*count = limit;
	return true;
}

static void decode_list(struct ssd_node *obj, const struct ssd_field *f, struct span s)
{
	struct ssd_node *list;
	size_t off = f->off;
	uint64_t count;

	if (!count_of(f, s, &count) || (off >= s.len && count))
		return;
	list = ssd_set_list(obj, f->key);
	for (uint32_t i = 0; i < count && off < s.len; i++) {
		struct ssd_shape shape = {.size = f->stride};

		/* What cannot say what it is is no element. */
		if (f->shape && s.len - off < f->stride)
			return;
		if (f->shape)
			f->shape(s.p + off, &shape);
		/* An element that says that it is shorter than what says it is a lie that would never end. */
		if (shape.size < f->stride)
			shape.size = f->stride;
		if (!decode_element(list, f, slice(s, (uint32_t)off, shape.size, i), &shape))
			return;
		off += shape.size < s.len - off ? shape.size : s.len - off;
	}
}

/* Null when no byte of it has arrived. */
static void decode_object(struct ssd_node *obj, const struct ssd_field *f, struct span s)
{
	if (f->off < s.len)
		decode_table(ssd_set_obj(obj, f->key), f->sub, slice(s, f->off, f->width ? f->width : s.len, 0));
}

static void decode_field(struct ssd_node *obj, const struct ssd_field *f, struct span s)
{
	if (f->code == SSD_INDEX0 || f->code == SSD_INDEX1)
		ssd_set_uint(obj, f->key, s.index + (f->code == SSD_INDEX1));
	else if (f->type == SSD_LIST && f->stride)
		decode_list(obj, f, s);
	else if (f->type == SSD_OBJ && f->code == SSD_LE)
		decode_object(obj, f, s);
	else if (f->code != SSD_COMPUTED && f->code != SSD_BITS)
		decode_scalar(obj, f, s);
}

static void decode_table(struct ssd_node *obj, const struct ssd_field *sub, struct span s)
{
	for (; sub && sub->type != SSD_END; sub++)
		if (!sub->id)
			decode_field(obj, sub, s);
}

static const struct ssd_field *by_id(const struct ssd_field *sub, uint8_t id)
{
	for (; sub->type != SSD_END; sub++)
		if (sub->id == id)
			return sub;
	return NULL;
}

/* An entry that is cut off is no entry: half a counter would be a wrong number. */
static void decode_keyed(struct ssd_node *obj, const struct ssd_page *page, struct span s)
{
	const struct ssd_field *sub = page->field.sub;
	struct ssd_node *unknown = ssd_field_find(sub, "unknown") ? ssd_set_list(obj, "unknown") : NULL;

	for (uint32_t i = 0; i < page->keyed.count; i++) {
		struct span e = slice(s, page->keyed.off + i * page->keyed.stride, page->keyed.stride, i);
		const struct ssd_field *f;
		uint8_t key;

		if (e.len < page->keyed.stride)
			return;
		key = e.p[page->keyed.key_at];
		/* All ones is erased flash, not an entry. */
		if (!key || is_all(e.p, page->keyed.stride, 0xff))
			continue;
		f = by_id(sub, key);
		if (f && !ssd_get(obj, f->key))
			decode_table(ssd_set_obj(obj, f->key), f->sub, e);
		else if (unknown)
			decode_table(ssd_add_item(unknown), unknown->field->sub, e);
	}
}

bool ssd_page_recognise(const struct ssd_page *page, const uint8_t *buf, size_t len)
{
	return !page->signature.len || (page->signature.off + page->signature.len <= len &&
					!memcmp(buf + page->signature.off, page->signature.bytes, page->signature.len));
}

struct ssd_node *ssd_page_decode(struct ssd_arena *a, const struct ssd_page *page, const uint8_t *buf, size_t len)
{
	struct ssd_node *obj = ssd_obj_new(a, &page->field);
	struct span s = {buf, len, 0};

	decode_table(obj, page->field.sub, s);
	if (page->keyed.stride)
		decode_keyed(obj, page, s);
	if (page->derive)
		page->derive(buf, len, obj);
	return obj;
}
