/* SPDX-License-Identifier: MIT */
/* Turns the bytes of a page and its table into a document. No I/O, no printing, no read past the bytes that arrived. */
#include <ssdct/page.h>

#include <ssdct/le.h>

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
		    f->code == SSD_BYTES_HEX || f->code == SSD_LE_HEX || f->code == SSD_NVME_VERSION;
	bool ones = f->null == SSD_NULL_ONES || f->null == SSD_NULL_ZERO_OR_ONES;

	return (zero && is_all(p, f->width, 0)) || (ones && is_all(p, f->width, 0xff));
}

static void set_hex(struct ssd_node *obj, const struct ssd_field *f, const uint8_t *p)
{
	char text[2 * 64 + 1] = "";

	for (uint32_t i = 0; i < f->width && i < 64; i++)
		sprintf(text + 2 * i, "%02x", p[f->code == SSD_LE_HEX ? f->width - 1 - i : i]);
	ssd_set_str(obj, f->key, text);
}

static void set_version(struct ssd_node *obj, const struct ssd_field *f, uint32_t v)
{
	char text[16];

	snprintf(text, sizeof(text), "%u.%u.%u", v >> 16, v >> 8 & 0xff, v & 0xff);
	ssd_set_str(obj, f->key, text);
}

static void set_number(struct ssd_node *obj, const struct ssd_field *f, const uint8_t *p)
{
	uint32_t scale = f->scale ? f->scale : 1;
	struct ssd_u128 wide = ssd_u128_mul(ssd_u128_from_le(p, f->width), scale, NULL);

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
	default:
		break;
	}
}

static void decode_table(struct ssd_node *obj, const struct ssd_field *sub, struct span s, struct span page);

/* A signed zero is a value: 0 C is a temperature. */
static bool is_nothing(const struct ssd_node *item, const struct ssd_node *n)
{
	return n->null || (n->field->type != SSD_INT && !ssd_get_int(item, n->field->key, 0));
}

static bool skipped(const struct ssd_node *item)
{
	for (const struct ssd_node *n = item->child; n; n = n->next)
		if (n->field->flags & SSD_SKIP && is_nothing(item, n))
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

static void decode_list(struct ssd_node *obj, const struct ssd_field *f, struct span s, struct span page)
{
	uint32_t count = f->count;
	struct ssd_node *list;

	if (f->off >= s.len)
		return;
	if (f->count_at) {
		if ((size_t)f->count_at >= page.len)
			return;
		if (page.p[f->count_at] + 1u < count)
			count = page.p[f->count_at] + 1u;
	}
	list = ssd_set_list(obj, f->key);
	for (uint32_t i = 0; i < count && f->off + (size_t)i * f->stride < s.len; i++) {
		struct ssd_node *before = list->last, *item = ssd_add_item(list);

		decode_table(item, f->sub, slice(s, f->off + i * f->stride, f->stride, i), page);
		if (skipped(item))
			drop_last(list, before);
	}
}

static void decode_field(struct ssd_node *obj, const struct ssd_field *f, struct span s, struct span page)
{
	if (f->code == SSD_INDEX0 || f->code == SSD_INDEX1)
		ssd_set_uint(obj, f->key, s.index + (f->code == SSD_INDEX1));
	else if (f->type == SSD_LIST && f->stride)
		decode_list(obj, f, s, page);
	else if (f->type == SSD_OBJ && f->code == SSD_LE && f->off < s.len)
		decode_table(ssd_set_obj(obj, f->key), f->sub, slice(s, f->off, f->width ? f->width : s.len, 0), page);
	else if (f->code != SSD_COMPUTED && f->code != SSD_BITS)
		decode_scalar(obj, f, s);
}

static void decode_table(struct ssd_node *obj, const struct ssd_field *sub, struct span s, struct span page)
{
	for (; sub && sub->type != SSD_END; sub++)
		if (!sub->id)
			decode_field(obj, sub, s, page);
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
			decode_table(ssd_set_obj(obj, f->key), f->sub, e, s);
		else if (unknown)
			decode_table(ssd_add_item(unknown), unknown->field->sub, e, s);
	}
}

struct ssd_node *ssd_page_decode(struct ssd_arena *a, const struct ssd_page *page, const uint8_t *buf, size_t len)
{
	struct ssd_node *obj = ssd_obj_new(a, &page->field);
	struct span s = {buf, len, 0};

	decode_table(obj, page->field.sub, s, s);
	if (page->keyed.stride)
		decode_keyed(obj, page, s);
	if (page->derive)
		page->derive(buf, len, obj);
	return obj;
}
