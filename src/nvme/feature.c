/* SPDX-License-Identifier: MIT */
/* Features: which of them a drive announces, what setting one does, what a value means. */
#include <ssdct/feature.h>

#include <ssdct/id_ctrl.h>
#include <ssdct/le.h>
#include <ssdct/plugin.h>

#define ONCS_SAVE_SELECT 0x10
#define LID_FEATURES 0x12
#define FIRST_VENDOR_FID 0xc0

const char *ssd_feature_class_word(enum ssd_feature_class class)
{
	static const char *const words[] = {[SSD_FEATURE_CHANGES] = "changes",
					    [SSD_FEATURE_DESTROYS] = "destroys",
					    [SSD_FEATURE_KERNELS] = "kernel"};

	return words[class];
}

const struct ssd_std_feature *ssd_std_feature(uint8_t fid)
{
	for (const struct ssd_std_feature *f = ssd_std_features; f->page.name; f++)
		if (f->page.id == fid)
			return f;
	return NULL;
}

enum ssd_feature_class ssd_feature_class(const struct ssd_device *dev, uint8_t fid)
{
	const struct ssd_std_feature *f = ssd_std_feature(fid);

	if (f)
		return f->class;
	for (const struct ssd_feature *const *v = dev->vendor ? dev->vendor->features : NULL; v && *v; v++)
		if ((*v)->page.id == fid && fid >= FIRST_VENDOR_FID)
			return (*v)->flags & SSD_FEATURE_HARMLESS ? SSD_FEATURE_CHANGES : SSD_FEATURE_DESTROYS;
	return SSD_FEATURE_DESTROYS;
}

bool ssd_has_select(const struct ssd_device *dev)
{
	return ssd_le16(dev->id_ctrl + SSD_ID_CTRL_ONCS) & ONCS_SAVE_SELECT;
}

/* Page 12h: a dword per feature, bit 0 FSUPP. */
static enum ssd_announced by_log(struct ssd_device *dev, uint8_t fid)
{
	struct ssd_log_request req = {.lid = LID_FEATURES, .offset = fid * 4u};
	AUTO_FREE uint8_t *buf = NULL;
	size_t got;

	if (!ssd_announces_log(dev, LID_FEATURES))
		return SSD_ANNOUNCED_UNKNOWN;
	buf = ssd_page_alloc(4096);
	if (ssd_get_log(dev, &req, buf, 4, &got, NULL) || got < 4)
		return SSD_ANNOUNCED_UNKNOWN;
	return buf[0] & 1 ? SSD_ANNOUNCED_YES : SSD_ANNOUNCED_NO;
}

enum ssd_announced ssd_announces_feature(struct ssd_device *dev, const struct ssd_std_feature *f)
{
	bool pcie = !strcmp(dev->drive->transport, "pcie");

	if (f->flags & SSD_STD_MANDATORY || (f->flags & SSD_STD_PCIE && pcie))
		return SSD_ANNOUNCED_YES;
	if (f->announced_width)
		return ssd_le(dev->id_ctrl + f->announced_at, f->announced_width) & f->announced_mask
			       ? SSD_ANNOUNCED_YES
			       : SSD_ANNOUNCED_NO;
	return by_log(dev, f->page.id);
}

/* --- values --- */

static uint64_t bits_of(const struct ssd_field *f)
{
	return (f->width < 64 ? (1ull << f->width) - 1 : UINT64_MAX) << f->off;
}

static void set_bits(struct ssd_node *obj, const struct ssd_field *f, uint64_t result)
{
	uint64_t v = (result & bits_of(f)) >> f->off, ones = bits_of(f) >> f->off;
	bool zero_null = f->null == SSD_NULL_ZERO || f->null == SSD_NULL_ZERO_OR_ONES;
	bool ones_null = f->null == SSD_NULL_ONES || f->null == SSD_NULL_ZERO_OR_ONES;

	if ((zero_null && !v) || (ones_null && v == ones))
		return;
	switch (f->type) {
	case SSD_BOOL:
		ssd_set_bool(obj, f->key, v);
		break;
	case SSD_ENUM:
		ssd_set_enum(obj, f->key, v);
		break;
	case SSD_INT: /* whole kelvin to whole Celsius, as everywhere */
		ssd_set_int(obj, f->key, (int64_t)v - 273);
		break;
	default:
		ssd_set_uint(obj, f->key, v * (f->scale ? f->scale : 1));
	}
}

struct ssd_node *ssd_feature_decode(struct ssd_arena *a, const struct ssd_page *page, uint64_t result,
				    const uint8_t *data, size_t len)
{
	uint8_t dwords[8];
	struct ssd_node *obj;

	ssd_put_le(dwords, sizeof(dwords), result);
	obj = page->size ? ssd_page_decode(a, page, data, len) : ssd_page_decode(a, page, dwords, sizeof(dwords));
	for (const struct ssd_field *f = page->field.sub; f->type != SSD_END; f++)
		if (f->code == SSD_BITS)
			set_bits(obj, f, result);
	return obj;
}
