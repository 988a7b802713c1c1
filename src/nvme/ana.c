/* SPDX-License-Identifier: MIT */
/* Asymmetric Namespace Access (log page 0Ch): NVM Express Base Specification 2.0c, figures 221 and 222. */
#include <ssdct/page.h>

#include <ssdct/device.h>
#include <ssdct/le.h>

enum { HEADER = 16, NGRPS = 8, DESCRIPTOR = 32, NNSIDS = 4, NANAGRPID = 348, NN = 516, MNAN = 540, ID_END = 544 };
/* More than any controller has; a page of it is 512 KiB. */
#define MAX_ATTACHED 131072u

static const struct ssd_name state_names[] = {{1, "optimized"},       {2, "non-optimized"}, {3, "inaccessible"},
					      {4, "persistent loss"}, {15, "change"},       {0, NULL}};

static const struct ssd_field nsid[] = {
	{.label = "NSID", .type = SSD_UINT, .code = SSD_LE, .width = 4, .flags = SSD_RAW},
	SSD_FIELD_END,
};

static const struct ssd_field group_fields[] = {
	SSD_U32("anagrpid", "Group", 0, .flags = SSD_RAW, .help = "ANA group identifier"),
	SSD_U64("change_count", "Changes", 8, .null = SSD_NULL_ZERO, .help = "Change count of the group"),
	SSD_ENUM_FIELD("state", "State", 16, 1, state_names, .bits = 4, .help = "ANA state"),
	{.key = "nsids",
	 .label = "Namespaces",
	 .help = "Namespaces of the group; empty with --lsp 1",
	 .type = SSD_LIST,
	 .code = SSD_LE,
	 .off = DESCRIPTOR,
	 .stride = 4,
	 .count_in = {NNSIDS, 4, 0},
	 .sub = nsid},
	SSD_FIELD_END,
};

static void shape(const uint8_t *p, struct ssd_shape *shape)
{
	shape->size = DESCRIPTOR + 4 * (size_t)ssd_le32(p + NNSIDS);
}

static const struct ssd_field fields[] = {
	SSD_U64("change_count", "Changes", 0, .null = SSD_NULL_ZERO, .help = "Change count of the page"),
	{.key = "groups",
	 .label = "ANA groups",
	 .type = SSD_LIST,
	 .code = SSD_LE,
	 .off = HEADER,
	 .stride = DESCRIPTOR,
	 .count_in = {NGRPS, 2, 0},
	 .sub = group_fields,
	 .shape = shape},
	SSD_FIELD_END,
};

/* Every group, and every namespace that can be attached (MNAN, or NN where that is not reported). */
static uint32_t size_of(const struct ssd_device *dev)
{
	uint32_t groups = 0, namespaces = 0;

	if (dev->id_ctrl && dev->id_ctrl_len >= ID_END) {
		groups = ssd_le32(dev->id_ctrl + NANAGRPID);
		namespaces = ssd_le32(dev->id_ctrl + (ssd_le32(dev->id_ctrl + MNAN) ? MNAN : NN));
	}
	if (groups > UINT16_MAX)
		groups = UINT16_MAX;
	if (namespaces > MAX_ATTACHED)
		namespaces = MAX_ATTACHED;
	return HEADER + DESCRIPTOR * groups + 4 * namespaces;
}

const struct ssd_page ssd_page_ana = {
	.field = {.key = "ana",
		  .label = "Asymmetric namespace access",
		  .help = "State of the ANA groups as this controller sees it (log page 0Ch)",
		  .type = SSD_OBJ,
		  .sub = fields},
	.name = "ana",
	.kind = SSD_PAGE_LOG,
	.id = 0x0c,
	.size = 4096,
	.size_of = size_of,
};
