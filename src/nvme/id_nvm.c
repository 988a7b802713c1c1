/* SPDX-License-Identifier: MIT */
/*
 * Identify structures of a command set: NVM Express NVM Command Set Specification 1.0c, figures 99, 100 and 102; the I/O
 * Command Set data structure, NVM Express Base Specification 2.0c, figure 289.
 */
#include <ssdct/page.h>

static const struct ssd_field pic_bits[] = {
	SSD_BIT("storage_tag_16b_guard", "storage tag with the 16-bit guard", 0),
	SSD_BIT("storage_tag_mask_16b_guard", "storage tag mask with the 16-bit guard", 1),
	SSD_BIT("storage_tag_check", "storage tag check", 2),
	SSD_FIELD_END,
};

static const struct ssd_name pif_names[] = {{0, "16-bit guard"}, {1, "32-bit guard"}, {2, "64-bit guard"}, {0, NULL}};

static const struct ssd_field elbaf_bits[] = {
	SSD_BITS_FIELD("storage_tag_bits", "storage tag bits", 0, 7),
	{.key = "guard",
	 .label = "protection",
	 .type = SSD_ENUM,
	 .code = SSD_BITS,
	 .off = 7,
	 .width = 2,
	 .names = pif_names},
	SSD_FIELD_END,
};

static const struct ssd_field elbaf_fields[] = {
	{.key = "index", .label = "Format", .type = SSD_UINT, .code = SSD_INDEX0},
	SSD_FLAGS_FIELD("elbaf", "Extended LBA format (ELBAF)", 0, 4, elbaf_bits, .flags = SSD_SKIP),
	SSD_FIELD_END,
};

static const struct ssd_field ns_fields[] = {
	SSD_U64("lbstm", "Logical block storage tag mask (LBSTM)", 0, .unit = SSD_HEX),
	SSD_FLAGS_FIELD("pic", "Protection information (PIC)", 8, 1, pic_bits),
	{.key = "elbaf",
	 .label = "Extended LBA formats (ELBAF)",
	 .help = "By the index of the LBA format; those with a 16-bit guard and no storage tag are left out",
	 .type = SSD_LIST,
	 .code = SSD_LE,
	 .off = 12,
	 .count = 64,
	 .stride = 4,
	 .sub = elbaf_fields},
	SSD_FIELD_END,
};

const struct ssd_page ssd_page_ns_nvm = {
	.field = {.key = "id_ns_nvm",
		  .label = "Identify Namespace, NVM command set",
		  .help = "What the controller says of a namespace of the NVM command set (CNS 05h)",
		  .type = SSD_OBJ,
		  .sub = ns_fields},
	.name = "ns-nvm",
	.kind = SSD_PAGE_IDENTIFY,
	.id = 0x05,
	.flags = SSD_PAGE_NAMESPACE | SSD_PAGE_OF_NVM,
	.size = 4096,
};

/* The first three are powers of two in units of the minimum memory page size, as MDTS. */
static const struct ssd_field ctrl_fields[] = {
	SSD_U8("vsl", "Verify size limit (VSL)", 0, .null = SSD_NULL_ZERO,
	       .help = "As a power of two, in units of the minimum memory page size; null: no limit"),
	SSD_U8("wzsl", "Write Zeroes size limit (WZSL)", 1, .null = SSD_NULL_ZERO,
	       .help = "As a power of two, in units of the minimum memory page size; null: no limit"),
	SSD_U8("wusl", "Write Uncorrectable size limit (WUSL)", 2, .null = SSD_NULL_ZERO,
	       .help = "As a power of two, in units of the minimum memory page size; null: no limit"),
	SSD_U8("dmrl", "Dataset Management ranges limit (DMRL)", 3, .null = SSD_NULL_ZERO, .help = "Null: no limit"),
	SSD_U32("dmrsl", "Dataset Management range size limit (DMRSL)", 4, .null = SSD_NULL_ZERO,
		.help = "Logical blocks; null: no limit"),
	SSD_U64("dmsl", "Dataset Management size limit (DMSL)", 8, .null = SSD_NULL_ZERO,
		.help = "Logical blocks; null: no limit"),
	SSD_FIELD_END,
};

const struct ssd_page ssd_page_ctrl_nvm = {
	.field = {.key = "id_ctrl_nvm",
		  .label = "Identify Controller, NVM command set",
		  .help = "What the controller says of the NVM command set (CNS 06h)",
		  .type = SSD_OBJ,
		  .sub = ctrl_fields},
	.name = "ctrl-nvm",
	.kind = SSD_PAGE_IDENTIFY,
	.id = 0x06,
	.flags = SSD_PAGE_NSID0 | SSD_PAGE_OF_NVM,
	.size = 4096,
};

static const struct ssd_field combination_bits[] = {
	SSD_BIT("nvm", "NVM", 0),
	SSD_BIT("key_value", "Key Value", 1),
	SSD_BIT("zoned", "Zoned Namespace", 2),
	SSD_FIELD_END,
};

static const struct ssd_field combination_fields[] = {
	{.key = "index", .label = "Combination", .type = SSD_UINT, .code = SSD_INDEX0},
	SSD_FLAGS_FIELD("command_sets", "Command sets", 0, 8, combination_bits, .flags = SSD_SKIP),
	SSD_FIELD_END,
};

static const struct ssd_field command_set_fields[] = {
	{.key = "combinations",
	 .label = "Combinations",
	 .help = "Command sets that can be in use at the same time, by the index of feature 19h",
	 .type = SSD_LIST,
	 .code = SSD_LE,
	 .count = 512,
	 .stride = 8,
	 .sub = combination_fields},
	SSD_FIELD_END,
};

const struct ssd_page ssd_page_command_sets = {
	.field = {.key = "command_sets",
		  .label = "I/O command sets",
		  .help = "Combinations of I/O command sets that the controller can do (CNS 1Ch)",
		  .type = SSD_OBJ,
		  .sub = command_set_fields},
	.name = "command-sets",
	.kind = SSD_PAGE_IDENTIFY,
	.id = 0x1c,
	.flags = SSD_PAGE_NSID0 | SSD_PAGE_OWN_CNTID,
	.size = 4096,
};
