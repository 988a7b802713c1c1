/* SPDX-License-Identifier: MIT */
/* Firmware Slot Information (log page 03h): NVM Express Base Specification 2.0c, figure 209. */
#include <ssdct/page.h>

enum { AFI = 0, FRS = 8, FRS_LEN = 8, SLOTS = 7 };

static const struct ssd_field afi_bits[] = {
	SSD_BITS_FIELD("running", "running slot", 0, 3),
	SSD_BITS_FIELD("next", "next slot", 4, 3),
	SSD_FIELD_END,
};

static const struct ssd_field slot_fields[] = {
	{.key = "slot", .label = "Slot", .type = SSD_UINT, .code = SSD_INDEX1},
	SSD_TEXT("revision", "Revision", 0, FRS_LEN, .help = "Firmware revision; null: the slot is empty"),
	{.key = "running", .label = "Running", .type = SSD_BOOL},
	{.key = "next", .label = "Next", .help = "Runs after the next reset", .type = SSD_BOOL},
	SSD_FIELD_END,
};

static const struct ssd_field fields[] = {
	SSD_FLAGS_FIELD("afi", "Active firmware info (AFI)", AFI, 1, afi_bits, .flags = SSD_NO_TEXT),
	{.key = "running", .label = "Running slot", .help = "Slot whose firmware runs", .type = SSD_UINT},
	{.key = "next",
	 .label = "Next slot",
	 .help = "Slot whose firmware runs after the next reset; null: no change is pending",
	 .type = SSD_UINT},
	{.key = "slots",
	 .label = "Firmware slots",
	 .type = SSD_LIST,
	 .code = SSD_LE,
	 .off = FRS,
	 .count = SLOTS,
	 .stride = FRS_LEN,
	 .sub = slot_fields},
	SSD_FIELD_END,
};

static void derive(const uint8_t *buf, size_t len, struct ssd_node *obj)
{
	const struct ssd_node *list = ssd_get(obj, "slots");
	unsigned running, next;

	if (len <= AFI)
		return;
	running = buf[AFI] & 7;
	next = buf[AFI] >> 4 & 7;
	if (running)
		ssd_set_uint(obj, "running", running);
	if (next)
		ssd_set_uint(obj, "next", next);
	for (struct ssd_node *slot = list ? list->child : NULL; slot; slot = slot->next) {
		unsigned number = (unsigned)ssd_get_int(slot, "slot", 0);

		ssd_set_bool(slot, "running", number == running);
		ssd_set_bool(slot, "next", number == next);
	}
}

const struct ssd_page ssd_page_fw_slot = {
	.field = {.key = "fw",
		  .label = "Firmware",
		  .help = "Firmware slot information (log page 03h)",
		  .type = SSD_OBJ,
		  .sub = fields},
	.name = "firmware-slot",
	.kind = SSD_PAGE_LOG,
	.id = 0x03,
	.size = 512,
	.derive = derive,
};
