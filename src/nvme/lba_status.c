/* SPDX-License-Identifier: MIT */
/* LBA Status Information (log page 0Eh): NVM Express NVM Command Set Specification 1.0c, figures 91 to 93. */
#include <ssdct/page.h>

#include <ssdct/le.h>

enum { HEADER = 16, LSLPLEN = 0, NLSLNE = 4, ELEMENT = 16, NLRD = 4, RANGE = 16 };
/* Instead of a number of ranges: nothing is known, the whole namespace may be concerned. */
#define NO_RANGES UINT32_MAX

static const struct ssd_field range_fields[] = {
	SSD_U64("lba", "from", 0, .help = "First logical block"),
	SSD_U32("blocks", "blocks", 8, .help = "Logical blocks"),
	SSD_FIELD_END,
};

static const struct ssd_field element_fields[] = {
	SSD_U32("nsid", "Namespace", 0, .flags = SSD_RAW),
	SSD_U8("recommended_action", "Action", 8, .unit = SSD_HEX,
	       .help = "Action type that the drive recommends (RATYPE)"),
	{.key = "all",
	 .label = "All",
	 .help = "No ranges are known: any block of the namespace may be concerned",
	 .type = SSD_BOOL},
	{.key = "ranges",
	 .label = "Ranges",
	 .help = "Blocks that may be unrecoverable",
	 .type = SSD_LIST,
	 .code = SSD_LE,
	 .off = ELEMENT,
	 .stride = RANGE,
	 .count_in = {NLRD, 4, 0},
	 .sub = range_fields},
	SSD_FIELD_END,
};

static size_t ranges_of(const uint8_t *element)
{
	uint32_t n = ssd_le32(element + NLRD);

	return n == NO_RANGES ? 0 : n;
}

static void shape(const uint8_t *p, struct ssd_shape *shape)
{
	shape->size = ELEMENT + RANGE * ranges_of(p);
}

static const struct ssd_field fields[] = {
	SSD_U32("length_bytes", "Length", LSLPLEN, .unit = SSD_BYTES, .help = "Of the whole page (LSLPLEN)"),
	SSD_U32("estimated_blocks", "Unrecoverable blocks, estimate", 8, .null = SSD_NULL_ONES,
		.help = "Estimate of unrecoverable logical blocks (ESTULB)"),
	SSD_U16("generation", "Generation", 14, .help = "LBA status generation counter (LSGC)"),
	{.key = "namespaces",
	 .label = "Namespaces",
	 .type = SSD_LIST,
	 .code = SSD_LE,
	 .off = HEADER,
	 .stride = ELEMENT,
	 .count_in = {NLSLNE, 4, 0},
	 .sub = element_fields,
	 .shape = shape},
	SSD_FIELD_END,
};

/* The same walk once more: which elements have no ranges of their own stands in the bytes alone. */
static void derive(const uint8_t *buf, size_t len, struct ssd_node *obj)
{
	const struct ssd_node *list = ssd_get(obj, "namespaces");
	size_t off = HEADER;

	for (struct ssd_node *e = list ? list->child : NULL; e && off + ELEMENT <= len; e = e->next) {
		bool all = ssd_le32(buf + off + NLRD) == NO_RANGES;

		ssd_set_bool(e, "all", all);
		if (all)
			ssd_set_list(e, "ranges");
		off += ELEMENT + RANGE * ranges_of(buf + off);
	}
}

static uint64_t total(const uint8_t *head)
{
	return ssd_le32(head + LSLPLEN);
}

const struct ssd_page ssd_page_lba_status = {
	.field = {.key = "lba_status",
		  .label = "LBA status information",
		  .help = "Logical blocks that may be unrecoverable (log page 0Eh)",
		  .type = SSD_OBJ,
		  .sub = fields},
	.name = "lba-status",
	.kind = SSD_PAGE_LOG,
	.id = 0x0e,
	.size = HEADER,
	.total = total,
	.derive = derive,
};
