/* SPDX-License-Identifier: MIT */
/* Virtualization: primary and secondary controllers. NVM Express Base Specification 2.0c, figures 281 to 283. */
#include <ssdct/page.h>

static const struct ssd_field crt_bits[] = {
	SSD_BIT("vq", "VQ resources", 0),
	SSD_BIT("vi", "VI resources", 1),
	SSD_FIELD_END,
};

static const struct ssd_field primary_fields[] = {
	SSD_U16("cntlid", "Controller ID (CNTLID)", 0),
	SSD_U16("portid", "Port identifier (PORTID)", 2),
	SSD_FLAGS_FIELD("crt", "Controller resource types (CRT)", 4, 1, crt_bits),
	SSD_U32("vqfrt", "VQ resources flexible, total (VQFRT)", 32),
	SSD_U32("vqrfa", "VQ resources flexible, assigned (VQRFA)", 36),
	SSD_U16("vqrfap", "VQ resources flexible, allocated to primary (VQRFAP)", 40),
	SSD_U16("vqprt", "VQ resources private, total (VQPRT)", 42),
	SSD_U16("vqfrsm", "VQ resources flexible, secondary maximum (VQFRSM)", 44),
	SSD_U16("vqgran", "VQ flexible resource preferred granularity (VQGRAN)", 46),
	SSD_U32("vifrt", "VI resources flexible, total (VIFRT)", 64),
	SSD_U32("virfa", "VI resources flexible, assigned (VIRFA)", 68),
	SSD_U16("virfap", "VI resources flexible, allocated to primary (VIRFAP)", 72),
	SSD_U16("viprt", "VI resources private, total (VIPRT)", 74),
	SSD_U16("vifrsm", "VI resources flexible, secondary maximum (VIFRSM)", 76),
	SSD_U16("vigran", "VI flexible resource preferred granularity (VIGRAN)", 78),
	SSD_FIELD_END,
};

const struct ssd_page ssd_page_primary = {
	.field = {.key = "primary_capabilities",
		  .label = "Primary controller capabilities",
		  .help = "Resources that a primary controller can give to secondary ones (CNS 14h)",
		  .type = SSD_OBJ,
		  .sub = primary_fields},
	.name = "primary",
	.kind = SSD_PAGE_IDENTIFY,
	.id = 0x14,
	.flags = SSD_PAGE_NSID0 | SSD_PAGE_OWN_CNTID,
	.size = 4096,
};

static const struct ssd_field scs_bits[] = {
	SSD_BIT("online", "online", 0),
	SSD_FIELD_END,
};

static const struct ssd_field secondary_fields[] = {
	SSD_U16("scid", "Controller", 0, .flags = SSD_RAW, .help = "Secondary controller identifier"),
	SSD_U16("pcid", "Primary", 2, .flags = SSD_RAW, .help = "Primary controller identifier"),
	SSD_FLAGS_FIELD("scs", "State", 4, 1, scs_bits, .help = "Secondary controller state"),
	SSD_U16("vfn", "VF", 8, .null = SSD_NULL_ZERO, .flags = SSD_RAW, .help = "Virtual function number"),
	SSD_U16("nvq", "VQ", 10, .help = "Flexible VQ resources assigned"),
	SSD_U16("nvi", "VI", 12, .help = "Flexible VI resources assigned"),
	SSD_FIELD_END,
};

static const struct ssd_field secondary_list_fields[] = {
	SSD_COUNTED("controllers", "Secondary controllers", 1, 32, 127, 32, secondary_fields,
		    .help = "Secondary controllers with identifiers from the one of --cntid on, 127 at most"),
	SSD_FIELD_END,
};

const struct ssd_page ssd_page_secondary = {
	.field = {.key = "secondary_controllers",
		  .label = "Secondary controller list",
		  .help = "Secondary controllers of this primary controller (CNS 15h)",
		  .type = SSD_OBJ,
		  .sub = secondary_list_fields},
	.name = "secondary",
	.kind = SSD_PAGE_IDENTIFY,
	.id = 0x15,
	.flags = SSD_PAGE_NSID0,
	.size = 4096,
};
