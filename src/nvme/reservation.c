/* SPDX-License-Identifier: MIT */
/* Reservation Notification (log page 80h): NVM Express Base Specification 2.0c, figure 265. */
#include <ssdct/page.h>

static const struct ssd_name type_names[] = {{0, "none"},
					     {1, "registration preempted"},
					     {2, "reservation released"},
					     {3, "reservation preempted"},
					     {0, NULL}};

static const struct ssd_field fields[] = {
	SSD_U64("count", "Count", 0, .help = "Notifications since the last power cycle or reset, this one included"),
	SSD_ENUM_FIELD("type", "Type", 8, 1, type_names),
	SSD_U8("available", "Further notifications", 9, .help = "That wait to be read"),
	SSD_U32("nsid", "Namespace", 12, .null = SSD_NULL_ZERO, .flags = SSD_RAW),
	SSD_FIELD_END,
};

const struct ssd_page ssd_page_reservation = {
	.field = {.key = "reservation",
		  .label = "Reservation notification",
		  .help = "The oldest reservation notification that nobody has read (log page 80h)",
		  .type = SSD_OBJ,
		  .sub = fields},
	.name = "reservation",
	.kind = SSD_PAGE_LOG,
	.id = 0x80,
	.size = 64,
};
