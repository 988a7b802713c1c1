/* SPDX-License-Identifier: MIT */
/*
 * The vendor's part of Identify Controller, from byte 3072 on (nvme-cli, Intel's and Solidigm's plugins; the places of boot
 * loader and link agree with what isdct prints of a P3700).
 */
#include "intel.h"

enum { VS = 3072, IDENTITY = VS + 768, IDENTITY_LEN = 32, HEALTH = VS + 4, HEALTH_LEN = 20 };

static const struct ssd_field command_set_bits[] = {
	SSD_BIT("zoned", "zoned namespaces", 0),
	SSD_BIT("mfnd", "MFND", 1),
	SSD_BIT("cdw14_to_cdw13", "CDW14 in CDW13", 2),
	SSD_BIT("vpd", "VPD", 3),
	SSD_FIELD_END,
};

#define CODE(k, l, o, w) SSD_LE_FIELD(w, k, l, o, .help = "A number whose meaning is not published", .flags = SSD_QUIET)

/* There when it begins with a signature. */
static const struct ssd_field identity_fields[] = {
	SSD_U32("signature", "Signature", 0, .unit = SSD_HEX),
	CODE("version", "Version", 4, 1),
	CODE("product_type", "Product type", 5, 1),
	CODE("nand_type", "NAND type", 6, 1),
	CODE("form_factor", "Form factor", 7, 1),
	CODE("firmware_status", "Firmware status", 8, 4),
	CODE("p4_revision", "P4 revision", 12, 4),
	CODE("customer", "Customer", 16, 4),
	CODE("usage_model", "Usage model", 20, 4),
	SSD_FLAGS_FIELD("command_sets", "Command sets", 24, 4, command_set_bits),
	SSD_FIELD_END,
};

static const struct ssd_field fields[] = {
	SSD_TEXT("health", "Drive says", HEALTH, HEALTH_LEN, .flags = SSD_QUIET,
		 .help = "What the drive says of its own state; null: nothing, which is what a healthy one says"),
	SSD_TEXT("boot_loader", "Boot loader", VS + 28, 8, .help = "Revision of the boot loader"),
	SSD_U8("link_generation", "PCIe link, generation", VS + 24, .null = SSD_NULL_ZERO,
	       .help = "As the drive sees the link now"),
	SSD_U8("link_width", "PCIe link, lanes", VS + 25, .null = SSD_NULL_ZERO,
	       .help = "As the drive sees the link now"),
	SSD_U8("stripe_exponent", "Stripe exponent", VS + 3, .null = SSD_NULL_ZERO, .flags = SSD_QUIET,
	       .help = "Commands are fastest within 2^n smallest memory pages; of no meaning where NOIOB says it"),
	SSD_U8("security_capability", "Security capability", VS + 26, .unit = SSD_HEX, .flags = SSD_QUIET),
	SSD_U8("security_status", "Security status", VS + 27, .unit = SSD_HEX, .flags = SSD_QUIET),
	{.key = "wwid",
	 .label = "World Wide Id",
	 .type = SSD_STR,
	 .flags = SSD_QUIET,
	 .code = SSD_LE_HEX,
	 .off = VS + 74,
	 .width = 8},
	SSD_TEXT("mic_boot_loader", "MIC boot loader", VS + 82, 4, .flags = SSD_QUIET,
		 .help = "Of the management interface; on later Solidigm drives the granularity of bandwidth limits"),
	SSD_TEXT("mic_firmware", "MIC firmware", VS + 86, 4, .flags = SSD_QUIET,
		 .help = "Of the management interface; on later Solidigm drives the granularity of I/O limits"),
	{.key = "solidigm",
	 .label = "Solidigm identity",
	 .type = SSD_OBJ,
	 .flags = SSD_INLINE | SSD_QUIET,
	 .code = SSD_LE,
	 .off = IDENTITY,
	 .width = IDENTITY_LEN,
	 .sub = identity_fields},
	SSD_FIELD_END,
};

/* nvme-cli calls a drive that says nothing "healthy", isdct "Healthy"; what is no text says nothing. */
static bool is_complaint(const uint8_t *text)
{
	size_t len = strnlen((const char *)text, HEALTH_LEN);

	for (size_t i = 0; i < len; i++)
		if (text[i] < ' ' || text[i] > '~')
			return false;
	return len < 7 || strncasecmp((const char *)text, "healthy", 7) != 0;
}

static void derive(const uint8_t *buf, size_t len, struct ssd_node *obj)
{
	struct ssd_node *identity = ssd_get_mutable(obj, "solidigm"), *health = ssd_get_mutable(obj, "health");

	if (health && (len < HEALTH + HEALTH_LEN || !is_complaint(buf + HEALTH)))
		health->null = true;
	if (identity && !ssd_get_int(identity, "signature", 0))
		identity->null = true;
}

const struct ssd_page intel_page_controller = {
	.field = {.key = "intel_controller",
		  .label = "Intel controller",
		  .help = "Intel's and Solidigm's part of Identify Controller",
		  .type = SSD_OBJ,
		  .sub = fields},
	.name = "intel",
	.kind = SSD_PAGE_IDENTIFY,
	.id = 0x01,
	.size = 4096,
	.command = "show",
	.derive = derive,
};
