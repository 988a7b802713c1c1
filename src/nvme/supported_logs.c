/* SPDX-License-Identifier: MIT */
/* Supported Log Pages (log page 00h): NVM Express Base Specification 2.0c, figures 204 and 205. */
#include <ssdct/page.h>

#include <ssdct/admin.h>
#include <ssdct/le.h>

enum { DESCRIPTOR = 4, DESCRIPTORS = 256, LSUPP = 1, IOS = 2 };

static const struct ssd_field page_fields[] = {
	{.key = "lid", .label = "LID", .help = "Log page identifier", .type = SSD_UINT, .unit = SSD_HEX},
	{.key = "name", .label = "Log page", .help = "Null: not a page of the specification", .type = SSD_STR},
	{.key = "lsupp",
	 .label = "Supported",
	 .help = "Always true: others are left out",
	 .type = SSD_BOOL,
	 .flags = SSD_NO_TEXT},
	{.key = "ios", .label = "Index offset", .help = "Index offset supported", .type = SSD_BOOL},
	{.key = "lid_specific",
	 .label = "Specific",
	 .help = "LID specific parameter",
	 .type = SSD_UINT,
	 .unit = SSD_HEX},
	SSD_FIELD_END,
};

static const struct ssd_field fields[] = {
	{.key = "pages", .label = "Supported log pages", .type = SSD_LIST, .sub = page_fields},
	SSD_FIELD_END,
};

static void derive(const uint8_t *buf, size_t len, struct ssd_node *obj)
{
	struct ssd_node *list = len ? ssd_set_list(obj, "pages") : NULL;

	for (unsigned lid = 0; lid < DESCRIPTORS && (lid + 1) * DESCRIPTOR <= len; lid++) {
		uint32_t v = ssd_le32(buf + lid * DESCRIPTOR);
		const struct ssd_log_info *info = ssd_log_info((uint8_t)lid);
		struct ssd_node *item;

		if (!(v & LSUPP))
			continue;
		item = ssd_add_item(list);
		ssd_set_uint(item, "lid", lid);
		ssd_set_str(item, "name", info ? info->label : NULL);
		ssd_set_bool(item, "lsupp", true);
		ssd_set_bool(item, "ios", v & IOS);
		ssd_set_uint(item, "lid_specific", v >> 16);
	}
}

const struct ssd_page ssd_page_supported_logs = {
	.field = {.key = "supported_logs",
		  .label = "Supported log pages",
		  .help = "Log pages that the controller says it has (log page 00h)",
		  .type = SSD_OBJ,
		  .sub = fields},
	.name = "supported-logs",
	.kind = SSD_PAGE_LOG,
	.id = 0x00,
	.size = DESCRIPTOR * DESCRIPTORS,
	.derive = derive,
};
