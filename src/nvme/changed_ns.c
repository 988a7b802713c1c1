/* SPDX-License-Identifier: MIT */
/* Changed Namespace List (log page 04h): NVM Express Base Specification 2.0c, section 5.16.1.5. */
#include <ssdct/page.h>

#include <ssdct/le.h>

enum { MAX_CHANGED = 1024 };

static const struct ssd_field nsid[] = {
	{.label = "NSID", .type = SSD_UINT, .code = SSD_LE, .width = 4, .flags = SSD_LAST | SSD_RAW},
	SSD_FIELD_END,
};

static const struct ssd_field fields[] = {
	{.key = "nsids",
	 .label = "Changed namespaces",
	 .help = "Namespaces that have changed since the page was last read",
	 .type = SSD_LIST,
	 .code = SSD_LE,
	 .count = MAX_CHANGED,
	 .stride = 4,
	 .sub = nsid},
	{.key = "too_many",
	 .label = "More than 1,024",
	 .help = "More namespaces have changed than the list has room for: it is empty",
	 .type = SSD_BOOL,
	 .flags = SSD_QUIET},
	SSD_FIELD_END,
};

/* One entry of FFFFFFFFh stands for too many. */
static void derive(const uint8_t *buf, size_t len, struct ssd_node *obj)
{
	bool too_many = len >= 4 && ssd_le32(buf) == UINT32_MAX;

	if (len >= 4)
		ssd_set_bool(obj, "too_many", too_many);
	if (too_many)
		ssd_set_list(obj, "nsids");
}

const struct ssd_page ssd_page_changed_ns = {
	.field = {.key = "changed_namespaces",
		  .label = "Changed namespaces",
		  .help = "Namespaces that have changed since the page was last read (log page 04h)",
		  .type = SSD_OBJ,
		  .sub = fields},
	.name = "changed-namespaces",
	.kind = SSD_PAGE_LOG,
	.id = 0x04,
	.size = 4 * MAX_CHANGED,
	.derive = derive,
};
