/* SPDX-License-Identifier: MIT */
/* Marketing name (log page DDh): 512 bytes of ASCII that may lack a NUL (nvme-cli and SPDK read it so). */
#include "intel.h"

enum { NAME_LEN = 512 };

static const struct ssd_field fields[] = {
	{.key = "name", .label = "Name", .help = "The name under which the drive is sold", .type = SSD_STR},
	SSD_FIELD_END,
};

static void derive(const uint8_t *buf, size_t len, struct ssd_node *obj)
{
	size_t room = len < NAME_LEN ? len : NAME_LEN, end = strnlen((const char *)buf, room);

	/* Half a name is another one. */
	if (end < room || room == NAME_LEN)
		ssd_set_str(obj, "name", ssd_printable(obj->arena, buf, end));
}

const struct ssd_page intel_page_market_name = {
	.field = {.key = "market_name",
		  .label = "Marketing name",
		  .help = "Intel's and Solidigm's marketing name (log page DDh)",
		  .type = SSD_OBJ,
		  .sub = fields},
	.name = "market-name",
	.kind = SSD_PAGE_LOG,
	.uuid = intel_uuid,
	.id = 0xdd,
	.size = NAME_LEN, /* some firmware returns 516 bytes; buffers are whole memory pages */
	.command = "show",
	.derive = derive,
};
