/* SPDX-License-Identifier: MIT */
/*
 * Identify Controller (CNS 01h): NVM Express Base Specification 2.0c, figure 275. Keys are the specification's
 * abbreviations in lower case, with their unit where the value has been brought to one; zero-based values and powers of two
 * stay as the drive says them.
 */
#include <ssdct/page.h>

#include <ssdct/id_ctrl.h>
#include <ssdct/le.h>

static const struct ssd_field cmic_bits[] = {
	SSD_BIT("multi_port", "more than one port", 0),
	SSD_BIT("multi_controller", "more than one controller", 1),
	SSD_BIT("sr_iov", "SR-IOV virtual function", 2),
	SSD_BIT("ana_reporting", "asymmetric namespace access reporting", 3),
	SSD_FIELD_END,
};

static const struct ssd_field oaes_bits[] = {
	SSD_BIT("namespace_attribute", "namespace attribute notices", 8),
	SSD_BIT("firmware_activation", "firmware activation notices", 9),
	SSD_BIT("ana_change", "ANA change notices", 11),
	SSD_BIT("predictable_latency", "predictable latency event aggregate log change notices", 12),
	SSD_BIT("lba_status", "LBA status information alert notices", 13),
	SSD_BIT("endurance_group", "endurance group event aggregate log change notices", 14),
	SSD_BIT("subsystem_shutdown", "normal NVM subsystem shutdown", 15),
	SSD_BIT("zone_descriptor", "zone descriptor changed notices", 27),
	SSD_BIT("discovery_log", "discovery log page change notices", 31),
	SSD_FIELD_END,
};

static const struct ssd_field ctratt_bits[] = {
	SSD_BIT("host_id_128", "128-bit host identifier", 0),
	SSD_BIT("non_operational_permissive", "non-operational power state permissive mode", 1),
	SSD_BIT("nvm_sets", "NVM sets", 2),
	SSD_BIT("read_recovery_levels", "read recovery levels", 3),
	SSD_BIT("endurance_groups", "endurance groups", 4),
	SSD_BIT("predictable_latency", "predictable latency mode", 5),
	SSD_BIT("traffic_keep_alive", "traffic based keep alive", 6),
	SSD_BIT("namespace_granularity", "namespace granularity", 7),
	SSD_BIT("sq_associations", "submission queue associations", 8),
	SSD_BIT("uuid_list", "UUID list", 9),
	SSD_BIT("multi_domain", "multi-domain subsystem", 10),
	SSD_BIT("fixed_capacity", "fixed capacity management", 11),
	SSD_BIT("variable_capacity", "variable capacity management", 12),
	SSD_BIT("delete_endurance_group", "delete endurance group", 13),
	SSD_BIT("delete_nvm_set", "delete NVM set", 14),
	SSD_BIT("extended_lba_formats", "extended LBA formats", 15),
	SSD_FIELD_END,
};

static const struct ssd_name cntrltype_names[] = {
	{1, "I/O controller"}, {2, "Discovery controller"}, {3, "Administrative controller"}, {0, NULL}};

static const struct ssd_name dctype_names[] = {
	{1, "Direct Discovery controller"}, {2, "Central Discovery controller"}, {0, NULL}};

static const struct ssd_field nvmsr_bits[] = {
	SSD_BIT("storage_device", "part of an NVMe storage device", 0),
	SSD_BIT("enclosure", "part of an NVMe enclosure", 1),
	SSD_FIELD_END,
};

static const struct ssd_field vwci_bits[] = {
	SSD_BITS_FIELD("remaining", "VPD write cycles remaining", 0, 7),
	SSD_BIT("valid", "valid", 7),
	SSD_FIELD_END,
};

static const struct ssd_field mec_bits[] = {
	SSD_BIT("smbus", "management endpoint on SMBus", 0),
	SSD_BIT("pcie", "management endpoint on PCIe", 1),
	SSD_FIELD_END,
};

static const struct ssd_field oacs_bits[] = {
	SSD_BIT("security", "Security Send and Receive", 0),
	SSD_BIT("format", "Format NVM", 1),
	SSD_BIT("firmware", "Firmware Commit and Image Download", 2),
	SSD_BIT("namespace_management", "Namespace Management", 3),
	SSD_BIT("self_test", "Device Self-test", 4),
	SSD_BIT("directives", "Directives", 5),
	SSD_BIT("nvme_mi", "NVMe-MI Send and Receive", 6),
	SSD_BIT("virtualization", "Virtualization Management", 7),
	SSD_BIT("doorbell_buffer", "Doorbell Buffer Config", 8),
	SSD_BIT("lba_status", "Get LBA Status", 9),
	SSD_BIT("lockdown", "Command and Feature Lockdown", 10),
	SSD_FIELD_END,
};

static const struct ssd_field frmw_bits[] = {
	SSD_BIT("slot1_read_only", "slot 1 read-only", 0),
	SSD_BITS_FIELD("slots", "slots", 1, 3),
	SSD_BIT("activation_without_reset", "activation without reset", 4),
	SSD_BIT("overlap_detection", "overlapping updates detected", 5),
	SSD_FIELD_END,
};

static const struct ssd_field lpa_bits[] = {
	SSD_BIT("smart_per_namespace", "SMART per namespace", 0),
	SSD_BIT("commands_effects", "Commands Supported and Effects", 1),
	SSD_BIT("extended_data", "extended data (offsets)", 2),
	SSD_BIT("telemetry", "Telemetry", 3),
	SSD_BIT("persistent_event", "Persistent Event", 4),
	SSD_BIT("supported_pages", "Supported Log Pages", 5),
	SSD_BIT("telemetry_area_4", "telemetry data area 4", 6),
	SSD_FIELD_END,
};

static const struct ssd_field vendor_format_bits[] = {
	SSD_BIT("standard_format", "all vendor specific commands use the standard format", 0),
	SSD_FIELD_END,
};

static const struct ssd_field apsta_bits[] = {
	SSD_BIT("supported", "autonomous power state transitions", 0),
	SSD_FIELD_END,
};

static const struct ssd_field rpmbs_bits[] = {
	SSD_BITS_FIELD("units", "units", 0, 3),
	SSD_BITS_FIELD("authentication_method", "authentication method", 3, 3),
	SSD_BITS_FIELD("total_size", "size in 128 KiB, zero-based", 16, 8),
	SSD_BITS_FIELD("access_size", "access size in 512 B, zero-based", 24, 8),
	SSD_FIELD_END,
};

static const struct ssd_field dsto_bits[] = {
	SSD_BIT("one_at_a_time", "one self-test at a time in the subsystem", 0),
	SSD_FIELD_END,
};

static const struct ssd_field hctma_bits[] = {
	SSD_BIT("supported", "host controlled thermal management", 0),
	SSD_FIELD_END,
};

static const struct ssd_name nodmmas_names[] = {
	{0, "not defined"}, {1, "media not modified afterwards"}, {2, "media modified afterwards"}, {0, NULL}};

static const struct ssd_field sanicap_bits[] = {
	SSD_BIT("crypto_erase", "crypto erase", 0),
	SSD_BIT("block_erase", "block erase", 1),
	SSD_BIT("overwrite", "overwrite", 2),
	SSD_BIT("no_deallocate_inhibited", "no-deallocate inhibited", 29),
	{.key = "nodmmas",
	 .label = "no-deallocate",
	 .type = SSD_ENUM,
	 .code = SSD_BITS,
	 .off = 30,
	 .width = 2,
	 .names = nodmmas_names},
	SSD_FIELD_END,
};

static const struct ssd_field anacap_bits[] = {
	SSD_BIT("optimized", "optimized state", 0),
	SSD_BIT("non_optimized", "non-optimized state", 1),
	SSD_BIT("inaccessible", "inaccessible state", 2),
	SSD_BIT("persistent_loss", "persistent loss state", 3),
	SSD_BIT("change", "change state", 4),
	SSD_BIT("group_fixed", "group does not change while attached", 6),
	SSD_BIT("group_managed", "group may be given to Namespace Management", 7),
	SSD_FIELD_END,
};

static const struct ssd_field entry_size_bits[] = {
	SSD_BITS_FIELD("required", "required (power of two)", 0, 4),
	SSD_BITS_FIELD("maximum", "maximum (power of two)", 4, 4),
	SSD_FIELD_END,
};

static const struct ssd_field oncs_bits[] = {
	SSD_BIT("compare", "Compare", 0),
	SSD_BIT("write_uncorrectable", "Write Uncorrectable", 1),
	SSD_BIT("dataset_management", "Dataset Management", 2),
	SSD_BIT("write_zeroes", "Write Zeroes", 3),
	SSD_BIT("save_select", "Save and Select of features", 4),
	SSD_BIT("reservations", "reservations", 5),
	SSD_BIT("timestamp", "Timestamp", 6),
	SSD_BIT("verify", "Verify", 7),
	SSD_BIT("copy", "Copy", 8),
	SSD_FIELD_END,
};

static const struct ssd_field fuses_bits[] = {
	SSD_BIT("compare_and_write", "Compare and Write", 0),
	SSD_FIELD_END,
};

static const struct ssd_field fna_bits[] = {
	SSD_BIT("format_all", "a format concerns all namespaces", 0),
	SSD_BIT("erase_all", "a secure erase concerns all namespaces", 1),
	SSD_BIT("crypto_erase", "cryptographic erase", 2),
	SSD_BIT("no_broadcast", "NSID FFFFFFFFh not accepted", 3),
	SSD_FIELD_END,
};

static const struct ssd_name vwc_flush_names[] = {
	{0, "not indicated"}, {2, "does not accept NSID FFFFFFFFh"}, {3, "accepts NSID FFFFFFFFh"}, {0, NULL}};

static const struct ssd_field vwc_bits[] = {
	SSD_BIT("present", "present", 0),
	{.key = "flush",
	 .label = "Flush",
	 .type = SSD_ENUM,
	 .code = SSD_BITS,
	 .off = 1,
	 .width = 2,
	 .names = vwc_flush_names},
	SSD_FIELD_END,
};

static const struct ssd_field nwpc_bits[] = {
	SSD_BIT("write_protect", "write protect", 0),
	SSD_BIT("until_power_cycle", "until power cycle", 1),
	SSD_BIT("permanent", "permanent", 2),
	SSD_FIELD_END,
};

static const struct ssd_field ocfs_bits[] = {
	SSD_BIT("format_0", "copy format 0", 0),
	SSD_BIT("format_1", "copy format 1", 1),
	SSD_FIELD_END,
};

static const struct ssd_name sgl_support_names[] = {
	{0, "not supported"}, {1, "supported"}, {2, "supported, dword aligned"}, {0, NULL}};

static const struct ssd_field sgls_bits[] = {
	{.key = "support",
	 .label = "SGL",
	 .type = SSD_ENUM,
	 .code = SSD_BITS,
	 .off = 0,
	 .width = 2,
	 .names = sgl_support_names},
	SSD_BIT("keyed", "keyed data block", 2),
	SSD_BITS_FIELD("descriptor_threshold", "descriptor threshold", 8, 8),
	SSD_BIT("bit_bucket", "bit bucket", 16),
	SSD_BIT("metadata_byte_aligned", "byte aligned metadata pointer", 17),
	SSD_BIT("oversize", "longer than the data", 18),
	SSD_BIT("metadata_sgl", "metadata SGL segment", 19),
	SSD_BIT("address_offset", "address as offset", 20),
	SSD_BIT("transport", "transport data block", 21),
	SSD_FIELD_END,
};

static const struct ssd_field fcatt_bits[] = {
	SSD_BIT("static_controllers", "static controller model", 0),
	SSD_FIELD_END,
};

static const struct ssd_field ofcs_bits[] = {
	SSD_BIT("disconnect", "Disconnect", 0),
	SSD_FIELD_END,
};

static const struct ssd_field psd_flags[] = {
	SSD_BIT("max_power_scale", "maximum power in 0.0001 W", 0),
	SSD_BIT("non_operational", "non-operational", 1),
	SSD_FIELD_END,
};

/* Figure 276. Powers have a scale beside them, which derive() applies. */
static const struct ssd_field psd_fields[] = {
	{.key = "state", .label = "State", .type = SSD_UINT, .code = SSD_INDEX0},
	{.key = "max_power_watts", .label = "Max", .help = "Maximum power", .type = SSD_REAL, .unit = SSD_WATTS},
	SSD_FLAGS_FIELD("flags", "Flags", 3, 1, psd_flags),
	SSD_U32("entry_latency_us", "Entry", 4, .unit = SSD_US, .null = SSD_NULL_ZERO, .help = "Entry latency"),
	SSD_U32("exit_latency_us", "Exit", 8, .unit = SSD_US, .null = SSD_NULL_ZERO, .help = "Exit latency"),
	SSD_U8("relative_read_throughput", "RRT", 12, .help = "Relative read throughput: 0 is the best"),
	SSD_U8("relative_read_latency", "RRL", 13, .help = "Relative read latency: 0 is the best"),
	SSD_U8("relative_write_throughput", "RWT", 14, .help = "Relative write throughput: 0 is the best"),
	SSD_U8("relative_write_latency", "RWL", 15, .help = "Relative write latency: 0 is the best"),
	{.key = "idle_power_watts", .label = "Idle", .help = "Idle power", .type = SSD_REAL, .unit = SSD_WATTS},
	{.key = "active_power_watts", .label = "Active", .help = "Active power", .type = SSD_REAL, .unit = SSD_WATTS},
	{.key = "active_power_workload", .label = "Workload", .help = "Workload of the active power", .type = SSD_UINT},
	SSD_FIELD_END,
};

/* HMPRE, HMMIN, HMMINDS and FWUG count 4 KiB, PELS 64 KiB, capsule sizes 16 bytes, KAS, MTFA and CRDT 100 ms. */
static const struct ssd_field fields[] = {
	SSD_U16("vid", "PCI vendor (VID)", 0, .unit = SSD_HEX),
	SSD_U16("ssvid", "PCI subsystem vendor (SSVID)", 2, .unit = SSD_HEX),
	SSD_TEXT("sn", "Serial number (SN)", 4, 20),
	SSD_TEXT("mn", "Model number (MN)", 24, 40),
	SSD_TEXT("fr", "Firmware revision (FR)", 64, 8),
	SSD_U8("rab", "Recommended arbitration burst (RAB)", 72, .help = "As a power of two"),
	{.key = "ieee", .label = "IEEE OUI (IEEE)", .type = SSD_STR, .code = SSD_LE_HEX, .off = 73, .width = 3},
	SSD_FLAGS_FIELD("cmic", "Multi-path and sharing (CMIC)", 76, 1, cmic_bits),
	SSD_U8("mdts", "Maximum data transfer size (MDTS)", 77,
	       .help = "As a power of two, in units of the minimum memory page size; 0 is no limit"),
	SSD_U16("cntlid", "Controller ID (CNTLID)", 78),
	{.key = "ver",
	 .label = "NVMe version (VER)",
	 .help = "Not reported before NVMe 1.2",
	 .type = SSD_STR,
	 .code = SSD_NVME_VERSION,
	 .off = 80,
	 .width = 4},
	SSD_U32("rtd3r_us", "RTD3 resume latency (RTD3R)", 84, .unit = SSD_US, .null = SSD_NULL_ZERO),
	SSD_U32("rtd3e_us", "RTD3 entry latency (RTD3E)", 88, .unit = SSD_US, .null = SSD_NULL_ZERO),
	SSD_FLAGS_FIELD("oaes", "Optional asynchronous events (OAES)", 92, 4, oaes_bits),
	SSD_FLAGS_FIELD("ctratt", "Controller attributes (CTRATT)", 96, 4, ctratt_bits),
	SSD_U16("rrls", "Read recovery levels (RRLS)", 100, .unit = SSD_HEX, .help = "One bit for each level"),
	SSD_ENUM_FIELD("cntrltype", "Controller type (CNTRLTYPE)", 111, 1, cntrltype_names, .null = SSD_NULL_ZERO),
	{.key = "fguid",
	 .label = "FRU GUID (FGUID)",
	 .type = SSD_STR,
	 .flags = SSD_QUIET,
	 .code = SSD_BYTES_HEX,
	 .off = 112,
	 .width = 16},
	SSD_U16("crdt1_ms", "Command retry delay 1 (CRDT1)", 128, .unit = SSD_MS, .scale = 100, .flags = SSD_QUIET),
	SSD_U16("crdt2_ms", "Command retry delay 2 (CRDT2)", 130, .unit = SSD_MS, .scale = 100, .flags = SSD_QUIET),
	SSD_U16("crdt3_ms", "Command retry delay 3 (CRDT3)", 132, .unit = SSD_MS, .scale = 100, .flags = SSD_QUIET),
	SSD_FLAGS_FIELD("nvmsr", "NVM subsystem report (NVMSR)", 253, 1, nvmsr_bits, .flags = SSD_QUIET),
	SSD_FLAGS_FIELD("vwci", "VPD write cycles (VWCI)", 254, 1, vwci_bits, .flags = SSD_QUIET),
	SSD_FLAGS_FIELD("mec", "Management endpoints (MEC)", 255, 1, mec_bits, .flags = SSD_QUIET),
	SSD_FLAGS_FIELD("oacs", "Optional admin commands (OACS)", 256, 2, oacs_bits),
	SSD_U8("acl", "Abort command limit (ACL)", 258, .help = "Zero-based"),
	SSD_U8("aerl", "Asynchronous event request limit (AERL)", 259, .help = "Zero-based"),
	SSD_FLAGS_FIELD("frmw", "Firmware updates (FRMW)", 260, 1, frmw_bits),
	SSD_FLAGS_FIELD("lpa", "Log page attributes (LPA)", 261, 1, lpa_bits),
	SSD_U8("elpe", "Error log page entries (ELPE)", 262, .help = "Zero-based"),
	SSD_U8("npss", "Power states (NPSS)", SSD_ID_CTRL_NPSS, .help = "Zero-based"),
	SSD_FLAGS_FIELD("avscc", "Admin vendor commands (AVSCC)", 264, 1, vendor_format_bits),
	SSD_FLAGS_FIELD("apsta", "Autonomous power states (APSTA)", 265, 1, apsta_bits),
	/* FFFFh is no temperature: as in feature 04h, a limit that is disabled. */
	{.key = "wctemp_celsius",
	 .label = "Warning temperature (WCTEMP)",
	 .help = "Warning composite temperature threshold; not reported before NVMe 1.2",
	 .type = SSD_INT,
	 .unit = SSD_CELSIUS,
	 .metric = SSD_GAUGE,
	 .code = SSD_KELVIN,
	 .null = SSD_NULL_ONES,
	 .off = 266,
	 .width = 2},
	{.key = "cctemp_celsius",
	 .label = "Critical temperature (CCTEMP)",
	 .help = "Critical composite temperature threshold; not reported before NVMe 1.2",
	 .type = SSD_INT,
	 .unit = SSD_CELSIUS,
	 .metric = SSD_GAUGE,
	 .code = SSD_KELVIN,
	 .null = SSD_NULL_ONES,
	 .off = 268,
	 .width = 2},
	SSD_U16("mtfa_ms", "Firmware activation time (MTFA)", 270, .unit = SSD_MS, .scale = 100, .null = SSD_NULL_ZERO),
	SSD_U32("hmpre_bytes", "Host memory buffer preferred (HMPRE)", 272, .unit = SSD_BYTES, .scale = 4096,
		.help = "0: no host memory buffer"),
	SSD_U32("hmmin_bytes", "Host memory buffer minimum (HMMIN)", 276, .unit = SSD_BYTES, .scale = 4096),
	SSD_U128("tnvmcap_bytes", "Total NVM capacity (TNVMCAP)", SSD_ID_CTRL_TNVMCAP, .unit = SSD_BYTES,
		 .metric = SSD_GAUGE, .null = SSD_NULL_ZERO),
	SSD_U128("unvmcap_bytes", "Unallocated NVM capacity (UNVMCAP)", 296, .unit = SSD_BYTES, .metric = SSD_GAUGE),
	SSD_FLAGS_FIELD("rpmbs", "Replay protected memory (RPMBS)", 312, 4, rpmbs_bits, .flags = SSD_QUIET),
	SSD_U16("edstt_minutes", "Extended self-test time (EDSTT)", 316, .unit = SSD_MINUTES, .null = SSD_NULL_ZERO),
	SSD_FLAGS_FIELD("dsto", "Self-test options (DSTO)", 318, 1, dsto_bits),
	SSD_U8("fwug", "Firmware update granularity (FWUG)", 319,
	       .help = "In 4 KiB; 0: nothing said, 255: no restriction"),
	SSD_U8("fwug_bytes", "Firmware update granularity", 319, .unit = SSD_BYTES, .scale = 4096,
	       .null = SSD_NULL_ZERO_OR_ONES, .flags = SSD_QUIET,
	       .help = "Null when nothing is said about it or nothing restricted"),
	SSD_U16("kas_ms", "Keep alive granularity (KAS)", 320, .unit = SSD_MS, .scale = 100, .null = SSD_NULL_ZERO),
	SSD_FLAGS_FIELD("hctma", "Host thermal management (HCTMA)", 322, 2, hctma_bits),
	{.key = "mntmt_celsius",
	 .label = "Minimum thermal management temperature (MNTMT)",
	 .type = SSD_INT,
	 .unit = SSD_CELSIUS,
	 .code = SSD_KELVIN,
	 .off = 324,
	 .width = 2},
	{.key = "mxtmt_celsius",
	 .label = "Maximum thermal management temperature (MXTMT)",
	 .type = SSD_INT,
	 .unit = SSD_CELSIUS,
	 .code = SSD_KELVIN,
	 .off = 326,
	 .width = 2},
	SSD_FLAGS_FIELD("sanicap", "Sanitize (SANICAP)", 328, 4, sanicap_bits),
	SSD_U32("hmminds_bytes", "Host memory minimum descriptor (HMMINDS)", 332, .unit = SSD_BYTES, .scale = 4096,
		.null = SSD_NULL_ZERO, .flags = SSD_QUIET),
	SSD_U16("hmmaxd", "Host memory maximum descriptors (HMMAXD)", 336, .null = SSD_NULL_ZERO, .flags = SSD_QUIET),
	SSD_U16("nsetidmax", "Largest NVM set ID (NSETIDMAX)", 338, .flags = SSD_QUIET),
	SSD_U16("endgidmax", "Largest endurance group ID (ENDGIDMAX)", 340, .flags = SSD_QUIET),
	SSD_U8("anatt_seconds", "ANA transition time (ANATT)", 342, .unit = SSD_SECONDS, .null = SSD_NULL_ZERO,
	       .flags = SSD_QUIET),
	SSD_FLAGS_FIELD("anacap", "ANA capabilities (ANACAP)", 343, 1, anacap_bits, .flags = SSD_QUIET),
	SSD_U32("anagrpmax", "Largest ANA group ID (ANAGRPMAX)", 344, .flags = SSD_QUIET),
	SSD_U32("nanagrpid", "ANA groups (NANAGRPID)", 348, .flags = SSD_QUIET),
	SSD_U32("pels_bytes", "Persistent event log size (PELS)", 352, .unit = SSD_BYTES, .scale = 65536,
		.null = SSD_NULL_ZERO, .flags = SSD_QUIET),
	SSD_U16("domainid", "Domain ID (DOMAINID)", 356, .null = SSD_NULL_ZERO, .flags = SSD_QUIET),
	SSD_U128("megcap_bytes", "Maximum endurance group capacity (MEGCAP)", 368, .unit = SSD_BYTES,
		 .null = SSD_NULL_ZERO, .flags = SSD_QUIET),
	SSD_FLAGS_FIELD("sqes", "Submission queue entry size (SQES)", 512, 1, entry_size_bits),
	SSD_FLAGS_FIELD("cqes", "Completion queue entry size (CQES)", 513, 1, entry_size_bits),
	SSD_U16("maxcmd", "Maximum outstanding commands (MAXCMD)", 514, .null = SSD_NULL_ZERO, .flags = SSD_QUIET),
	SSD_U32("nn", "Largest namespace ID (NN)", 516),
	SSD_FLAGS_FIELD("oncs", "Optional NVM commands (ONCS)", 520, 2, oncs_bits),
	SSD_FLAGS_FIELD("fuses", "Fused operations (FUSES)", 522, 2, fuses_bits),
	SSD_FLAGS_FIELD("fna", "Format NVM (FNA)", 524, 1, fna_bits),
	SSD_FLAGS_FIELD("vwc", "Volatile write cache (VWC)", 525, 1, vwc_bits),
	SSD_U16("awun", "Atomic write unit normal (AWUN)", 526, .help = "Logical blocks, zero-based"),
	SSD_U16("awupf", "Atomic write unit power fail (AWUPF)", 528, .help = "Logical blocks, zero-based"),
	SSD_FLAGS_FIELD("icsvscc", "I/O vendor commands (ICSVSCC)", 530, 1, vendor_format_bits),
	SSD_FLAGS_FIELD("nwpc", "Namespace write protection (NWPC)", 531, 1, nwpc_bits),
	SSD_U16("acwu", "Atomic compare and write unit (ACWU)", 532, .help = "Logical blocks, zero-based"),
	SSD_FLAGS_FIELD("ocfs", "Copy formats (OCFS)", 534, 2, ocfs_bits, .flags = SSD_QUIET),
	SSD_FLAGS_FIELD("sgls", "Scatter gather lists (SGLS)", 536, 4, sgls_bits),
	SSD_U32("mnan", "Maximum namespaces (MNAN)", 540, .flags = SSD_QUIET),
	SSD_U128("maxdna", "Maximum attachments in the domain (MAXDNA)", 544, .flags = SSD_QUIET),
	SSD_U32("maxcna", "Maximum attachments to this controller (MAXCNA)", 560, .flags = SSD_QUIET),
	{.key = "subnqn", .label = "Subsystem name (SUBNQN)", .type = SSD_STR},
	SSD_U32("ioccsz_bytes", "I/O command capsule (IOCCSZ)", 1792, .unit = SSD_BYTES, .scale = 16,
		.flags = SSD_QUIET),
	SSD_U32("iorcsz_bytes", "I/O response capsule (IORCSZ)", 1796, .unit = SSD_BYTES, .scale = 16,
		.flags = SSD_QUIET),
	SSD_U16("icdoff_bytes", "In-capsule data offset (ICDOFF)", 1800, .unit = SSD_BYTES, .scale = 16,
		.flags = SSD_QUIET),
	SSD_FLAGS_FIELD("fcatt", "Fabrics controller attributes (FCATT)", 1802, 1, fcatt_bits, .flags = SSD_QUIET),
	SSD_U8("msdbd", "Maximum SGL data block descriptors (MSDBD)", 1803, .flags = SSD_QUIET),
	SSD_FLAGS_FIELD("ofcs", "Optional fabrics commands (OFCS)", 1804, 2, ofcs_bits, .flags = SSD_QUIET),
	SSD_ENUM_FIELD("dctype", "Discovery controller type (DCTYPE)", 1806, 1, dctype_names, .null = SSD_NULL_ZERO,
		       .flags = SSD_QUIET),
	{.key = "psd",
	 .label = "Power states (PSD)",
	 .type = SSD_LIST,
	 .code = SSD_LE,
	 .off = SSD_ID_CTRL_PSD,
	 .count = 32,
	 .stride = SSD_ID_CTRL_PSD_BYTES,
	 .count_in = {SSD_ID_CTRL_NPSS, 1, 1},
	 .sub = psd_fields},
	SSD_FIELD_END,
};

/* Power scales: 1 is 0.0001 W, 2 is 0.01 W; 0 and a power of 0 are "not reported". */
static void set_watts(struct ssd_node *state, const char *key, unsigned raw, unsigned scale)
{
	if (raw && (scale == 1 || scale == 2))
		ssd_set_real(state, key, raw / (scale == 1 ? 10000.0 : 100.0));
}

static void derive_power_state(struct ssd_node *state, const uint8_t *p)
{
	set_watts(state, "max_power_watts", ssd_le16(p), p[3] & 1 ? 1 : 2);
	set_watts(state, "idle_power_watts", ssd_le16(p + 16), p[18] >> 6);
	set_watts(state, "active_power_watts", ssd_le16(p + 20), p[22] >> 6);
	ssd_set_uint(state, "active_power_workload", p[22] & 7);
}

static void derive(const uint8_t *buf, size_t len, struct ssd_node *obj)
{
	struct ssd_node *list = ssd_get_mutable(obj, "psd"), *unallocated = ssd_get_mutable(obj, "unvmcap_bytes");
	const char *nqn = (const char *)buf + SSD_ID_CTRL_SUBNQN;
	size_t off = SSD_ID_CTRL_PSD;

	/* The name ends at its first NUL, whatever follows (section 4.5). */
	if (len >= SSD_ID_CTRL_SUBNQN + SSD_ID_CTRL_SUBNQN_BYTES)
		ssd_set_str(obj, "subnqn",
			    ssd_printable(obj->arena, (const uint8_t *)nqn, strnlen(nqn, SSD_ID_CTRL_SUBNQN_BYTES)));
	/* A drive that does not report its capacity says nothing about the part of it that is free. */
	if (unallocated && !ssd_get(obj, "tnvmcap_bytes"))
		unallocated->null = true;
	for (struct ssd_node *state = list ? list->child : NULL; state;
	     state = state->next, off += SSD_ID_CTRL_PSD_BYTES)
		if (off + SSD_ID_CTRL_PSD_BYTES <= len)
			derive_power_state(state, buf + off);
}

const struct ssd_page ssd_page_id_ctrl = {
	.field = {.key = "id_ctrl",
		  .label = "Identify Controller",
		  .help = "What the controller says of itself (CNS 01h)",
		  .type = SSD_OBJ,
		  .sub = fields},
	.name = "ctrl",
	.kind = SSD_PAGE_IDENTIFY,
	.id = 0x01,
	.flags = SSD_PAGE_NSID0,
	.size = 4096,
	.derive = derive,
};
