/* SPDX-License-Identifier: MIT */
/*
 * Directory of log pages (log page C0h) of the P3x00 to P5510 generations: a u16 at twice the LID, not zero when the page
 * exists (libnvme_solidigm.c of illumos; SPDK's offsets agree). P5520 and later drives have OCP's SMART page there.
 */
#include "intel.h"

#include <ssdct/le.h>

static const struct ssd_field page_fields[] = {
	{.key = "lid", .label = "LID", .help = "Log page identifier", .type = SSD_UINT, .unit = SSD_HEX},
	{.key = "value",
	 .label = "Value",
	 .help = "What the directory holds; its unit is not published",
	 .type = SSD_UINT},
	SSD_FIELD_END,
};

static const struct ssd_field fields[] = {
	SSD_U16("version", "Version", 0),
	{.key = "pages", .label = "Log pages", .type = SSD_LIST, .sub = page_fields},
	SSD_FIELD_END,
};

enum { PAGE = 512 };

/* Eight bytes of OCP's GUID where the directory has its last entries: a renamed later drive. */
static bool is_directory(const uint8_t *buf, size_t len)
{
	return len >= PAGE && ssd_le64(buf + 504) != UINT64_C(0xafd514c97c6f4f9c);
}

static void derive(const uint8_t *buf, size_t len, struct ssd_node *obj)
{
	struct ssd_node *version = ssd_get_mutable(obj, "version"), *list;

	/* Without its end nobody knows whose page it is. */
	if (!is_directory(buf, len)) {
		if (version)
			version->null = true;
		return;
	}
	list = ssd_set_list(obj, "pages");
	for (unsigned lid = 1; lid < PAGE / 2; lid++) {
		struct ssd_node *item;

		if (!ssd_le16(buf + lid * 2))
			continue;
		item = ssd_add_item(list);
		ssd_set_uint(item, "lid", lid);
		ssd_set_uint(item, "value", ssd_le16(buf + lid * 2));
	}
}

const struct ssd_page intel_page_directory = {
	.field = {.key = "intel_directory",
		  .label = "Intel log page directory",
		  .help = "Vendor log pages that the drive has (log page C0h)",
		  .type = SSD_OBJ,
		  .sub = fields},
	.name = "intel-directory",
	.kind = SSD_PAGE_LOG,
	.id = 0xc0,
	.flags = SSD_PAGE_DIRECTORY,
	.size = PAGE,
	.derive = derive,
};
