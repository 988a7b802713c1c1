/* SPDX-License-Identifier: MIT */
/*
 * Identify Namespace (CNS 00h): NVM Express NVM Command Set Specification 1.0c, figure 97. Sizes in logical blocks keep the
 * specification's abbreviations; what they are in bytes is derived from the format in use.
 */
#include <ssdct/page.h>

#include <ssdct/device.h>
#include <ssdct/id_ctrl.h>
#include <ssdct/le.h>

/* ONCS: the controller supports the Copy command. */
#define ONCS_COPY 0x100

static const struct ssd_field nsfeat_bits[] = {
	SSD_BIT("thin_provisioning", "thin provisioning", 0),
	SSD_BIT("atomic_writes", "own atomic write units", 1),
	SSD_BIT("deallocated_error", "deallocated or unwritten block error", 2),
	SSD_BIT("ids_not_reused", "identifiers never reused", 3),
	SSD_BIT("optimal_io", "preferred write and deallocate sizes", 4),
	SSD_FIELD_END,
};

static const struct ssd_field flbas_bits[] = {
	SSD_BITS_FIELD("format_low", "format, bits 3:0", 0, 4),
	SSD_BIT("extended_metadata", "metadata at the end of each block", 4),
	SSD_BITS_FIELD("format_high", "format, bits 5:4", 5, 2),
	SSD_FIELD_END,
};

static const struct ssd_field mc_bits[] = {
	SSD_BIT("extended", "at the end of each block", 0),
	SSD_BIT("separate", "in a separate buffer", 1),
	SSD_FIELD_END,
};

static const struct ssd_field dpc_bits[] = {
	SSD_BIT("type_1", "type 1", 0),
	SSD_BIT("type_2", "type 2", 1),
	SSD_BIT("type_3", "type 3", 2),
	SSD_BIT("first", "first bytes of the metadata", 3),
	SSD_BIT("last", "last bytes of the metadata", 4),
	SSD_FIELD_END,
};

static const struct ssd_field dps_bits[] = {
	SSD_BITS_FIELD("type", "type", 0, 3),
	SSD_BIT("first", "first bytes of the metadata", 3),
	SSD_FIELD_END,
};

static const struct ssd_field nmic_bits[] = {
	SSD_BIT("shared", "may be attached to several controllers", 0),
	SSD_FIELD_END,
};

static const struct ssd_field rescap_bits[] = {
	SSD_BIT("persist_through_power_loss", "persist through power loss", 0),
	SSD_BIT("write_exclusive", "write exclusive", 1),
	SSD_BIT("exclusive_access", "exclusive access", 2),
	SSD_BIT("write_exclusive_registrants", "write exclusive, registrants only", 3),
	SSD_BIT("exclusive_access_registrants", "exclusive access, registrants only", 4),
	SSD_BIT("write_exclusive_all", "write exclusive, all registrants", 5),
	SSD_BIT("exclusive_access_all", "exclusive access, all registrants", 6),
	SSD_BIT("ignore_existing_key", "ignore existing key as in NVMe 1.3", 7),
	SSD_FIELD_END,
};

static const struct ssd_field fpi_bits[] = {
	SSD_BITS_FIELD("remaining_percent", "remaining", 0, 7, .unit = SSD_PERCENT),
	SSD_BIT("supported", "supported", 7),
	SSD_FIELD_END,
};

static const struct ssd_name read_behavior_names[] = {
	{0, "not reported"}, {1, "all bytes 00h"}, {2, "all bytes FFh"}, {0, NULL}};

static const struct ssd_field dlfeat_bits[] = {
	{.key = "read_behavior",
	 .label = "deallocated blocks read",
	 .type = SSD_ENUM,
	 .code = SSD_BITS,
	 .off = 0,
	 .width = 3,
	 .names = read_behavior_names},
	SSD_BIT("write_zeroes_deallocate", "Write Zeroes may deallocate", 3),
	SSD_BIT("guard_crc", "guard is the CRC of the value read", 4),
	SSD_FIELD_END,
};

static const struct ssd_field nsattr_bits[] = {
	SSD_BIT("write_protected", "write protected", 0),
	SSD_FIELD_END,
};

static const struct ssd_name performance_names[] = {
	{0, "best"}, {1, "better"}, {2, "good"}, {3, "degraded"}, {0, NULL}};

/* Figure 98. Formats that are not available now are left out, so the index is said. */
const struct ssd_field ssd_lba_format_fields[] = {
	{.key = "index", .label = "Format", .type = SSD_UINT},
	{.key = "data_bytes", .label = "Data", .type = SSD_UINT, .unit = SSD_BYTES},
	{.key = "metadata_bytes", .label = "Metadata", .type = SSD_UINT, .unit = SSD_BYTES},
	{.key = "relative_performance", .label = "Performance", .type = SSD_ENUM, .names = performance_names},
	{.key = "in_use", .label = "In use", .type = SSD_BOOL},
	SSD_FIELD_END,
};

enum { NSZE = 0, NCAP = 8, NUSE = 16, NLBAF = 25, FLBAS = 26, NULBAF = 82, LBAF = 128, LBAF_LEN = 4, LBAF_MAX = 64 };

static const struct ssd_field fields[] = {
	{.key = "size_bytes",
	 .label = "Size",
	 .help = "Namespace size: NSZE times the block size",
	 .type = SSD_UINT,
	 .unit = SSD_BYTES,
	 .metric = SSD_GAUGE},
	{.key = "capacity_bytes",
	 .label = "Capacity",
	 .help = "Namespace capacity: NCAP times the block size",
	 .type = SSD_UINT,
	 .unit = SSD_BYTES},
	{.key = "utilization_bytes",
	 .label = "Namespace utilization",
	 .help = "NUSE times the block size: blocks that the drive has allocated, not how full a file system is; "
		 "null without thin provisioning, where it says nothing",
	 .type = SSD_UINT,
	 .unit = SSD_BYTES,
	 .flags = SSD_QUIET},
	{.key = "block_bytes",
	 .label = "Block size",
	 .help = "Data bytes of a logical block in the format in use",
	 .type = SSD_UINT,
	 .unit = SSD_BYTES},
	{.key = "metadata_bytes",
	 .label = "Metadata per block",
	 .help = "Metadata bytes of a logical block in the format in use",
	 .type = SSD_UINT,
	 .unit = SSD_BYTES},
	{.key = "lba_format",
	 .label = "LBA format in use",
	 .help = "Index of the format in use, all its bits (FLBAS 3:0 and, with more than 16 formats, 6:5)",
	 .type = SSD_UINT},
	SSD_U64("nsze", "Namespace size (NSZE)", NSZE, .help = "Logical blocks"),
	SSD_U64("ncap", "Namespace capacity (NCAP)", NCAP, .help = "Logical blocks"),
	SSD_U64("nuse", "Namespace utilization (NUSE)", NUSE, .flags = SSD_NO_TEXT, .help = "Logical blocks"),
	SSD_FLAGS_FIELD("nsfeat", "Features (NSFEAT)", 24, 1, nsfeat_bits),
	SSD_U8("nlbaf", "LBA formats (NLBAF)", NLBAF, .help = "Zero-based"),
	SSD_FLAGS_FIELD("flbas", "Formatted LBA size (FLBAS)", FLBAS, 1, flbas_bits),
	SSD_FLAGS_FIELD("mc", "Metadata capabilities (MC)", 27, 1, mc_bits),
	SSD_FLAGS_FIELD("dpc", "Protection capabilities (DPC)", 28, 1, dpc_bits),
	SSD_FLAGS_FIELD("dps", "Protection settings (DPS)", 29, 1, dps_bits),
	SSD_FLAGS_FIELD("nmic", "Sharing (NMIC)", 30, 1, nmic_bits),
	SSD_FLAGS_FIELD("rescap", "Reservations (RESCAP)", 31, 1, rescap_bits),
	SSD_FLAGS_FIELD("fpi", "Format progress (FPI)", 32, 1, fpi_bits),
	SSD_FLAGS_FIELD("dlfeat", "Deallocation (DLFEAT)", 33, 1, dlfeat_bits),
	SSD_U16("nawun", "Atomic write unit normal (NAWUN)", 34,
		.help = "Logical blocks, zero-based; only with NSFEAT bit 1, as are the next two"),
	SSD_U16("nawupf", "Atomic write unit power fail (NAWUPF)", 36, .help = "Logical blocks, zero-based"),
	SSD_U16("nacwu", "Atomic compare and write unit (NACWU)", 38, .help = "Logical blocks, zero-based"),
	SSD_U16("nabsn", "Atomic boundary size normal (NABSN)", 40, .help = "Logical blocks"),
	SSD_U16("nabo", "Atomic boundary offset (NABO)", 42, .help = "Logical block"),
	SSD_U16("nabspf", "Atomic boundary size power fail (NABSPF)", 44, .help = "Logical blocks"),
	SSD_U16("noiob", "Optimal I/O boundary (NOIOB)", 46, .null = SSD_NULL_ZERO, .help = "Logical blocks"),
	SSD_U128("nvmcap_bytes", "NVM capacity (NVMCAP)", 48, .unit = SSD_BYTES, .null = SSD_NULL_ZERO),
	SSD_U16("npwg", "Preferred write granularity (NPWG)", 64, .flags = SSD_QUIET,
		.help = "Logical blocks, zero-based; only with NSFEAT bit 4, as are the next four"),
	SSD_U16("npwa", "Preferred write alignment (NPWA)", 66, .flags = SSD_QUIET,
		.help = "Logical blocks, zero-based"),
	SSD_U16("npdg", "Preferred deallocate granularity (NPDG)", 68, .flags = SSD_QUIET,
		.help = "Logical blocks, zero-based"),
	SSD_U16("npda", "Preferred deallocate alignment (NPDA)", 70, .flags = SSD_QUIET,
		.help = "Logical blocks, zero-based"),
	SSD_U16("nows", "Optimal write size (NOWS)", 72, .flags = SSD_QUIET, .help = "Logical blocks, zero-based"),
	SSD_U16("mssrl", "Copy: blocks per source range (MSSRL)", 74, .flags = SSD_QUIET,
		.help = "Only with the Copy command (ONCS bit 8), as are the next two"),
	SSD_U32("mcl", "Copy: blocks (MCL)", 76, .flags = SSD_QUIET),
	SSD_U8("msrc", "Copy: source ranges (MSRC)", 80, .flags = SSD_QUIET, .help = "Zero-based"),
	SSD_U8("nulbaf", "Unique attribute LBA formats (NULBAF)", NULBAF, .flags = SSD_QUIET),
	SSD_U32("anagrpid", "ANA group (ANAGRPID)", 92, .null = SSD_NULL_ZERO, .flags = SSD_QUIET),
	SSD_FLAGS_FIELD("nsattr", "Attributes (NSATTR)", 99, 1, nsattr_bits),
	SSD_U16("nvmsetid", "NVM set (NVMSETID)", 100, .null = SSD_NULL_ZERO, .flags = SSD_QUIET),
	SSD_U16("endgid", "Endurance group (ENDGID)", 102, .null = SSD_NULL_ZERO, .flags = SSD_QUIET),
	{.key = "nguid", .label = "NGUID", .type = SSD_STR, .code = SSD_BYTES_HEX, .off = 104, .width = 16},
	{.key = "eui64", .label = "EUI64", .type = SSD_STR, .code = SSD_BYTES_HEX, .off = 120, .width = 8},
	{.key = "lbaf", .label = "LBA formats (LBAF)", .type = SSD_LIST, .sub = ssd_lba_format_fields},
	SSD_FIELD_END,
};

/* Bits 6:5 of FLBAS count only when there are more formats than bits 3:0 can name. */
static unsigned format_in_use(const uint8_t *buf)
{
	unsigned formats = buf[NLBAF] + buf[NULBAF] + 1u;

	return (buf[FLBAS] & 0x0f) | (formats > 16 ? (buf[FLBAS] >> 5 & 3u) << 4 : 0);
}

/* 2^LBADS; 0 when the format is not available (LBADS below 9 or absurd). */
static uint64_t block_bytes(const uint8_t *lbaf)
{
	return lbaf[2] >= 9 && lbaf[2] < 63 ? 1ull << lbaf[2] : 0;
}

static void derive_formats(const uint8_t *buf, size_t len, struct ssd_node *obj)
{
	struct ssd_node *list = ssd_set_list(obj, "lbaf"), *item;
	unsigned formats = buf[NLBAF] + buf[NULBAF] + 1u;

	for (unsigned i = 0; i < formats && i < LBAF_MAX && LBAF + (i + 1) * LBAF_LEN <= len; i++) {
		const uint8_t *p = buf + LBAF + i * LBAF_LEN;

		if (!block_bytes(p))
			continue;
		item = ssd_add_item(list);
		ssd_set_uint(item, "index", i);
		ssd_set_uint(item, "data_bytes", block_bytes(p));
		ssd_set_uint(item, "metadata_bytes", ssd_le16(p));
		ssd_set_enum(item, "relative_performance", p[3] & 3);
		ssd_set_bool(item, "in_use", i == format_in_use(buf));
	}
}

static void set_product(struct ssd_node *obj, const char *key, uint64_t blocks, uint64_t block)
{
	uint64_t bytes;

	ssd_set_uint(obj, key, __builtin_mul_overflow(blocks, block, &bytes) ? UINT64_MAX : bytes);
}

/* Fields that a bit says are not defined: whatever is in them, it is not what their names say. */
static void undefine(struct ssd_node *obj, const char *const *keys)
{
	for (; *keys; keys++) {
		struct ssd_node *node = ssd_get_mutable(obj, *keys);

		if (node)
			node->null = true;
	}
}

/* NSFEAT bits 1 (NSABP) and 4 (OPTPERF). Without the first the controller's AWUN, AWUPF and ACWU hold. */
static void derive_defined(struct ssd_node *obj)
{
	static const char *const atomic[] = {"nawun", "nawupf", "nacwu", NULL};
	static const char *const optimal[] = {"npwg", "npwa", "npdg", "npda", "nows", NULL};

	if (!ssd_get_int(obj, "nsfeat.atomic_writes", 0))
		undefine(obj, atomic);
	if (!ssd_get_int(obj, "nsfeat.optimal_io", 0))
		undefine(obj, optimal);
}

static void derive_from(const struct ssd_device *dev, struct ssd_node *obj)
{
	static const char *const copy[] = {"mssrl", "mcl", "msrc", NULL};

	if (!(ssd_le16(dev->id_ctrl + SSD_ID_CTRL_ONCS) & ONCS_COPY))
		undefine(obj, copy);
}

static void derive(const uint8_t *buf, size_t len, struct ssd_node *obj)
{
	unsigned in_use;
	uint64_t block;

	derive_defined(obj);
	if (len <= LBAF)
		return;
	in_use = format_in_use(buf);
	ssd_set_uint(obj, "lba_format", in_use);
	derive_formats(buf, len, obj);
	if (LBAF + (in_use + 1) * LBAF_LEN > len)
		return;
	block = block_bytes(buf + LBAF + in_use * LBAF_LEN);
	if (!block)
		return;
	ssd_set_uint(obj, "block_bytes", block);
	ssd_set_uint(obj, "metadata_bytes", ssd_le16(buf + LBAF + in_use * LBAF_LEN));
	set_product(obj, "size_bytes", ssd_le64(buf + NSZE), block);
	set_product(obj, "capacity_bytes", ssd_le64(buf + NCAP), block);
	if (ssd_get_int(obj, "nsfeat.thin_provisioning", 0))
		set_product(obj, "utilization_bytes", ssd_le64(buf + NUSE), block);
}

const struct ssd_page ssd_page_id_ns = {
	.field = {.key = "id_ns",
		  .label = "Identify Namespace",
		  .help = "What the controller says of a namespace (CNS 00h)",
		  .type = SSD_OBJ,
		  .sub = fields},
	.name = "ns",
	.kind = SSD_PAGE_IDENTIFY,
	.id = 0x00,
	.flags = SSD_PAGE_NAMESPACE,
	.size = 4096,
	.derive = derive,
	.derive_from = derive_from,
};

const struct ssd_page ssd_page_allocated_ns = {
	.field = {.key = "id_ns_allocated",
		  .label = "Identify Namespace, allocated",
		  .help = "What the controller says of a namespace that need not be attached to it (CNS 11h)",
		  .type = SSD_OBJ,
		  .sub = fields},
	.name = "allocated-ns",
	.kind = SSD_PAGE_IDENTIFY,
	.id = 0x11,
	.flags = SSD_PAGE_NAMESPACE,
	.size = 4096,
	.derive = derive,
	.derive_from = derive_from,
};

static const struct ssd_field independent_nsfeat_bits[] = {
	SSD_BIT("ids_not_reused", "identifiers never reused", 3),
	SSD_BIT("rotational", "rotational media", 4),
	SSD_FIELD_END,
};

static const struct ssd_field nstat_bits[] = {
	SSD_BIT("ready", "ready", 0),
	SSD_FIELD_END,
};

/* NVM Express Base Specification 2.0c, figure 280: what does not depend on the command set. */
static const struct ssd_field independent_fields[] = {
	SSD_FLAGS_FIELD("nsfeat", "Features (NSFEAT)", 0, 1, independent_nsfeat_bits),
	SSD_FLAGS_FIELD("nmic", "Sharing (NMIC)", 1, 1, nmic_bits),
	SSD_FLAGS_FIELD("rescap", "Reservations (RESCAP)", 2, 1, rescap_bits),
	SSD_FLAGS_FIELD("fpi", "Format progress (FPI)", 3, 1, fpi_bits),
	SSD_U32("anagrpid", "ANA group (ANAGRPID)", 4, .null = SSD_NULL_ZERO),
	SSD_FLAGS_FIELD("nsattr", "Attributes (NSATTR)", 8, 1, nsattr_bits),
	SSD_U16("nvmsetid", "NVM set (NVMSETID)", 10, .null = SSD_NULL_ZERO),
	SSD_U16("endgid", "Endurance group (ENDGID)", 12, .null = SSD_NULL_ZERO),
	SSD_FLAGS_FIELD("nstat", "Status (NSTAT)", 14, 1, nstat_bits),
	SSD_FIELD_END,
};

const struct ssd_page ssd_page_independent_ns = {
	.field = {.key = "id_ns_independent",
		  .label = "Identify Namespace, independent of the command set",
		  .help = "What the controller says of a namespace of any command set (CNS 08h)",
		  .type = SSD_OBJ,
		  .sub = independent_fields},
	.name = "ns-independent",
	.kind = SSD_PAGE_IDENTIFY,
	.id = 0x08,
	.flags = SSD_PAGE_NAMESPACE,
	.size = 4096,
};
