/* SPDX-License-Identifier: MIT */
/* Namespace Identification Descriptor list (CNS 03h): NVM Express Base Specification 2.0c, figures 277 and 278. */
#include <ssdct/page.h>

#include <ssdct/le.h>

enum { HEADER = 4, NIDL = 1, EUI64 = 1, NGUID = 2, UUID = 3, CSI = 4 };

static const struct ssd_name type_names[] = {
	{EUI64, "EUI64"}, {NGUID, "NGUID"}, {UUID, "UUID"}, {CSI, "command set"}, {0, NULL}};

/* Section 3.1.3.4 and the command set specifications. */
static const struct ssd_name csi_names[] = {{0, "NVM"}, {1, "Key Value"}, {2, "Zoned Namespace"}, {0, NULL}};

/* An identifier may be there more than once, and of kinds that this table does not know: a list, as the drive has it. */
static const struct ssd_field descriptor_fields[] = {
	SSD_ENUM_FIELD("type", "Type", 0, 1, type_names, .help = "Namespace identifier type (NIDT)"),
	SSD_U8("length_bytes", "Length", NIDL, .flags = SSD_LAST, .help = "Namespace identifier length (NIDL)"),
	{.key = "eui64", .label = "EUI64", .type = SSD_STR, .code = SSD_BYTES_HEX, .width = 8, .id = EUI64},
	{.key = "nguid", .label = "NGUID", .type = SSD_STR, .code = SSD_BYTES_HEX, .width = 16, .id = NGUID},
	{.key = "uuid", .label = "UUID", .type = SSD_STR, .code = SSD_UUID, .width = 16, .id = UUID},
	SSD_ENUM_FIELD("csi", "Command set", 0, 1, csi_names, .id = CSI),
	SSD_FIELD_END,
};

static void shape(const uint8_t *p, struct ssd_shape *shape)
{
	static const uint8_t lengths[] = {[EUI64] = 8, [NGUID] = 16, [UUID] = 16, [CSI] = 1};

	shape->size = HEADER + p[NIDL];
	shape->data = HEADER;
	/* An identifier of another length than its type has is not one that is to be trusted. */
	if (p[0] < ARRAY_SIZE(lengths) && lengths[p[0]] == p[NIDL])
		shape->kind = p[0];
}

static const struct ssd_field fields[] = {
	{.key = "descriptors",
	 .label = "Identifiers",
	 .help = "Identifiers of the namespace, one descriptor each",
	 .type = SSD_LIST,
	 .code = SSD_LE,
	 .stride = HEADER,
	 .sub = descriptor_fields,
	 .shape = shape},
	SSD_FIELD_END,
};

const struct ssd_page ssd_page_ns_descs = {
	.field = {.key = "ns_descriptors",
		  .label = "Namespace identification descriptors",
		  .help = "Identifiers of a namespace: EUI64, NGUID, UUID, command set (CNS 03h)",
		  .type = SSD_OBJ,
		  .sub = fields},
	.name = "ns-descriptors",
	.kind = SSD_PAGE_IDENTIFY,
	.id = 0x03,
	.flags = SSD_PAGE_NAMESPACE,
	.size = 4096,
};
