/* SPDX-License-Identifier: MIT */
/*
 * What a subsystem is divided into: NVM sets, domains; namespace granularities and vendors' UUIDs. NVM Express Base
 * Specification 2.0c, figures 279, 284, 286; NVM Command Set Specification 1.0c, figure 101.
 */
#include <ssdct/page.h>

static const struct ssd_field set_fields[] = {
	SSD_U16("nvmsetid", "NVM set", 0, .flags = SSD_RAW, .help = "NVM set identifier"),
	SSD_U16("endgid", "Endurance group", 2, .flags = SSD_RAW, .help = "Endurance group identifier"),
	SSD_U32("random_read_4k_ns", "4 KiB read", 8, .unit = SSD_NS, .scale = 100, .null = SSD_NULL_ZERO,
		.help = "Typical time of a random 4 KiB read"),
	SSD_U32("optimal_write_bytes", "Optimal write", 12, .unit = SSD_BYTES, .null = SSD_NULL_ZERO,
		.help = "Optimal write size"),
	SSD_U128("total_bytes", "Capacity", 16, .unit = SSD_BYTES, .help = "Total NVM set capacity"),
	SSD_U128("unallocated_bytes", "Unallocated", 32, .unit = SSD_BYTES, .help = "Unallocated NVM set capacity"),
	SSD_FIELD_END,
};

static const struct ssd_field set_list_fields[] = {
	SSD_COUNTED("nvm_sets", "NVM sets", 1, 128, 31, 128, set_fields,
		    .help = "NVM sets with identifiers from the one of --cnssi on, 31 at most"),
	SSD_FIELD_END,
};

const struct ssd_page ssd_page_nvm_sets = {
	.field = {.key = "nvm_set_list",
		  .label = "NVM set list",
		  .help = "NVM sets that the controller can reach (CNS 04h)",
		  .type = SSD_OBJ,
		  .sub = set_list_fields},
	.name = "nvm-sets",
	.kind = SSD_PAGE_IDENTIFY,
	.id = 0x04,
	.flags = SSD_PAGE_NSID0,
	.size = 4096,
};

static const struct ssd_field domain_fields[] = {
	SSD_U16("domainid", "Domain", 0, .flags = SSD_RAW, .help = "Domain identifier"),
	SSD_U128("total_bytes", "Capacity", 16, .unit = SSD_BYTES, .help = "Total domain capacity"),
	SSD_U128("unallocated_bytes", "Unallocated", 32, .unit = SSD_BYTES, .help = "Unallocated domain capacity"),
	SSD_U128("largest_group_bytes", "Largest endurance group", 48, .unit = SSD_BYTES,
		 .help = "Maximum endurance group domain capacity"),
	SSD_FIELD_END,
};

static const struct ssd_field domain_list_fields[] = {
	SSD_COUNTED("domains", "Domains", 1, 128, 31, 128, domain_fields,
		    .help = "Domains with identifiers from the one of --cnssi on, 31 at most"),
	SSD_FIELD_END,
};

const struct ssd_page ssd_page_domains = {
	.field = {.key = "domain_list",
		  .label = "Domain list",
		  .help = "Domains of the NVM subsystem (CNS 18h)",
		  .type = SSD_OBJ,
		  .sub = domain_list_fields},
	.name = "domains",
	.kind = SSD_PAGE_IDENTIFY,
	.id = 0x18,
	.flags = SSD_PAGE_NSID0,
	.size = 4096,
};

static const struct ssd_field granularity_bits[] = {
	SSD_BIT("per_format", "one descriptor for each LBA format", 0),
	SSD_FIELD_END,
};

static const struct ssd_field granularity_fields[] = {
	{.key = "index", .label = "Descriptor", .type = SSD_UINT, .code = SSD_INDEX0},
	SSD_U64("size_granularity_bytes", "Size", 0, .unit = SSD_BYTES, .null = SSD_NULL_ZERO,
		.help = "Preferred granularity of a namespace's size"),
	SSD_U64("capacity_granularity_bytes", "Capacity", 8, .unit = SSD_BYTES, .null = SSD_NULL_ZERO,
		.help = "Preferred granularity of a namespace's capacity"),
	SSD_FIELD_END,
};

static const struct ssd_field granularity_list_fields[] = {
	SSD_FLAGS_FIELD("attributes", "Attributes", 0, 4, granularity_bits),
	{.key = "descriptors",
	 .label = "Granularities",
	 .help = "One for all LBA formats, or one for each of them (attribute per_format)",
	 .type = SSD_LIST,
	 .code = SSD_LE,
	 .off = 32,
	 .count = 16,
	 .stride = 16,
	 .count_in = {4, 1, 1},
	 .sub = granularity_fields},
	SSD_FIELD_END,
};

const struct ssd_page ssd_page_granularity = {
	.field = {.key = "namespace_granularity",
		  .label = "Namespace granularity list",
		  .help = "Sizes that suit a new namespace (CNS 16h)",
		  .type = SSD_OBJ,
		  .sub = granularity_list_fields},
	.name = "granularity",
	.kind = SSD_PAGE_IDENTIFY,
	.id = 0x16,
	.flags = SSD_PAGE_NSID0,
	.size = 4096,
};

static const struct ssd_name association_names[] = {
	{0, "none"}, {1, "PCI vendor (VID)"}, {2, "PCI subsystem vendor (SSVID)"}, {0, NULL}};

static const struct ssd_field uuid_header_bits[] = {
	{.key = "association",
	 .label = "association",
	 .type = SSD_ENUM,
	 .code = SSD_BITS,
	 .off = 0,
	 .width = 2,
	 .names = association_names},
	SSD_FIELD_END,
};

/* Entry 0 is where the list's header is: the first UUID has index 1. */
static const struct ssd_field uuid_fields[] = {
	{.key = "index",
	 .label = "Index",
	 .help = "For --uuid-index of `log get`",
	 .type = SSD_UINT,
	 .code = SSD_INDEX1},
	{.key = "uuid", .label = "UUID", .type = SSD_STR, .flags = SSD_LAST, .code = SSD_UUID, .off = 16, .width = 16},
	SSD_FLAGS_FIELD("header", "Header", 0, 1, uuid_header_bits, .help = "Whose UUID it is"),
	SSD_FIELD_END,
};

static const struct ssd_field uuid_list_fields[] = {
	{.key = "uuids",
	 .label = "UUIDs",
	 .type = SSD_LIST,
	 .code = SSD_LE,
	 .off = 32,
	 .count = 127,
	 .stride = 32,
	 .sub = uuid_fields},
	SSD_FIELD_END,
};

const struct ssd_page ssd_page_uuid_list = {
	.field = {.key = "uuid_list",
		  .label = "UUID list",
		  .help = "UUIDs by which vendor specific pages and features are selected (CNS 17h)",
		  .type = SSD_OBJ,
		  .sub = uuid_list_fields},
	.name = "uuids",
	.kind = SSD_PAGE_IDENTIFY,
	.id = 0x17,
	.flags = SSD_PAGE_NSID0,
	.size = 4096,
};
