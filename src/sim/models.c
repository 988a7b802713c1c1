/* SPDX-License-Identifier: MIT */
/*
 * The models. Identify fields, log pages and features are those that public captures of the drives show; where a capture
 * of the very model is missing the row says which relative it was taken from. Counters are plausible lifetimes, not any
 * real drive's; serial numbers have the right shape and are invented.
 *
 * Sources, by the short names used below:
 *   isdct   isdct 2.2.1 and 3.x output for P3700 and P3608 (github.com/oberstet/scratchbox, cruncher/isdct.md)
 *   TK25    smartctl of a P4600 (github.com/thomas-krenn/TKperf issue 25)
 *   P4510   Identify, logs 02h, 03h and C0h of two INTEL SSDPE2KX010T8, VDV10184, and of two Dell P4510, VDV1DP25,
 *           captured from the drives (github.com/ristir/nvme-logpage-exporter, testdata/dumps)
 *   spdk    SPDK's identify output: issues 1132 and 2434 (P4510), 143 (P4800X)
 *   DAOS    models, firmware revisions and CAh values (github.com/daos-stack/daos, docs/admin)
 *   pciids  PCI ids (github.com/pciutils/pciids)
 */
#include "sim/models.h"

#define VID_INTEL 0x8086
#define VID_DELL 0x1028
#define VID_SOLIDIGM 0x025e
/* Invented: in no list of PCI ids, so that no vendor module can claim it. */
#define VID_EXAMPLE 0xfa1e
#define OUI_INTEL 0x5cd2e4

#define GEN3 "8.0 GT/s PCIe"
#define GEN2 "5.0 GT/s PCIe"
#define GEN4 "16.0 GT/s PCIe"
#define GEN5 "32.0 GT/s PCIe"

/* Front pages of the P3500/P3600/P3608/P3700 specifications; order and performance as a 1.2 TB drive shows them. */
static const struct sim_lba_format intel_formats[] = {
	{0, 9, 2}, {8, 9, 2}, {16, 9, 2}, {0, 12, 0}, {8, 12, 0}, {64, 12, 0}, {128, 12, 0},
};
/* P4510 and P4610: index 0 is 512, index 1 is 4096 bytes. */
static const struct sim_lba_format two_formats[] = {{0, 9, 2}, {0, 12, 0}};

/*
 * Number of queues: isdct says 30 requested. 04h is 85 C on the P3700 (isdct), 70 C on the P4510 (spdk). C8h: SMBus
 * address 106 in bits 1-8 (isdct, P3608). C1h and C2h: the last LBA (isdct). 09h: coalescing disabled for vector 0.
 */
#define P3X00_FEATURES(last_lba, tracking)                                                                  \
	{"0x01", 0}, {"0x02", 0}, {"0x04", 358}, {"0x05", 0}, {"0x06", 0}, {"0x07", 0x1e001e}, {"0x08", 0}, \
		{"0x09", 0x10000}, {"0x0a", 0}, {"0x0b", 0}, {"0xc1", last_lba},                            \
		{"0xc2", last_lba, last_lba, true, 0}, {"0xc6", 0}, {"0xc8", 106 << 1},                     \
	{                                                                                                   \
		"0xe2", tracking                                                                            \
	}
static const struct sim_model_feature p3700_features[] = {P3X00_FEATURES(3907029167, 0), {NULL}};
static const struct sim_model_feature p3600_features[] = {P3X00_FEATURES(3125627567, 1), {NULL}};
/* MaximumLBA and NativeMaxLBA as isdct shows them: a fifth is over-provisioned. */
static const struct sim_model_feature p3608_features[] = {
	{"0x01", 0}, {"0x02", 0},        {"0x04", 358},        {"0x05", 0},
	{"0x06", 0}, {"0x07", 0x1d001d}, {"0x08", 0},          {"0x09", 0x10000},
	{"0x0a", 0}, {"0x0b", 0},        {"0xc1", 3125623327}, {"0xc2", 3907029167, 3907029167, true, 0},
	{"0xc6", 0}, {"0xc8", 106 << 1}, {"0xe2", 0},          {NULL},
};

/*
 * 07h is a guess: a queue per CPU of a large server. 05h belongs to the namespace: with NSID 0 these drives say Invalid
 * Namespace (spdk, issue 1132).
 */
#define P4X10_FEATURES(last_lba, tracking)                                                                        \
	{"0x01", 0}, {"0x02", 0}, {"0x04", 343}, {"0x05@1", 0}, {"0x06", 0}, {"0x07", 0x7e007e}, {"0x08", 0},     \
		{"0x09", 0}, {"0x0a", 0}, {"0x0b", 0}, {"0xc1", last_lba}, {"0xc2", last_lba, last_lba, true, 0}, \
		{"0xc6", 0},                                                                                      \
	{                                                                                                         \
		"0xe2", tracking                                                                                  \
	}
static const struct sim_model_feature p4510_features[] = {P4X10_FEATURES(7814037167, 0), {NULL}};
static const struct sim_model_feature p4610_features[] = {P4X10_FEATURES(3125627567, 1), {NULL}};

static const struct sim_model_feature oem_features[] = {
	{"0x01", 0}, {"0x02", 0}, {"0x04", 343}, {"0x05@1", 0}, {"0x06", 0}, {"0x07", 0x7e007e},
	{"0x08", 0}, {"0x09", 0}, {"0x0a", 0},   {"0x0b", 0},   {NULL},
};

#define P4800X_FEATURES                                                                                     \
	{"0x01", 0}, {"0x02", 0}, {"0x04", 358}, {"0x05", 0}, {"0x06", 0}, {"0x07", 0x1e001e}, {"0x08", 0}, \
		{"0x09", 0}, {"0x0a", 0}, {"0x0b", 0},                                                      \
	{                                                                                                   \
		"0xe2", 0                                                                                   \
	}
static const struct sim_model_feature p4800x_features[] = {P4800X_FEATURES, {NULL}};
/* With the set-up of the workload tracker, whose page they have. */
static const struct sim_model_feature tracker_features[] = {P4800X_FEATURES, {"0xf1", 0}, {"0xf5", 0}, {NULL}};

/* Saveable and changeable; 0x04 has a threshold of its own for sensor 1, and an under-temperature one. */
static const struct sim_model_feature generic_features[] = {
	{"0x01", 0x03, 0, true, 5},
	{"0x02", 0, 0, true, 5},
	{"0x04", 343, 343, true, 5},
	{"0x04/0x00010000", 348, 348, true, 5},
	{"0x04/0x00100000", 268, 268, true, 5},
	{"0x05@1", 0, 0, true, 7},
	{"0x06", 1, 1, true, 5},
	{"0x07", 0x1f001f, 0x1f001f, true, 4},
	{"0x08", 0, 0, true, 5},
	{"0x09", 0, 0, true, 5},
	{"0x0a", 0, 0, true, 5},
	{"0x0b", 0x300, 0, true, 5},
	{"0x03@1", 0, 0, true, 6}, /* one range */
	{"0x17", 0, 0, true, 5},
	{"0x81", 0, 0, true, 4},
	{NULL},
};

static const struct sim_model_feature nvme10_features[] = {
	{"0x01", 0}, {"0x02", 0}, {"0x04", 353}, {"0x05", 0}, {"0x07", 0x70007},
	{"0x08", 0}, {"0x09", 0}, {"0x0a", 0},   {"0x0b", 0}, {NULL},
};

/*
 * P3x00: one writable slot, 64 error entries, 128 KiB, no VER (NVMe 1.0), no thresholds in Identify. FNA is in no capture
 * that we know of; with one namespace its scope is the same whatever it says, and no cryptographic erase is the less.
 */
#define P3X00                                                                                                      \
	.vid = VID_INTEL, .ssvid = VID_INTEL, .link_speed = GEN3, .link_width = "4", .ieee = OUI_INTEL, .mdts = 5, \
	.oacs = 0x0006, .acl = 3, .aerl = 3, .frmw = 0x02, .elpe = 63, .nn = 1, .formats = intel_formats,          \
	.n_formats = ARRAY_SIZE(intel_formats), .dpc = 0x11 /* isdct */, .mc = 0x01, .running_slot = 1

/* Identify of the P4510. Two slots, activation without reset, telemetry, effects log, offsets in Get Log Page. */
#define LIKE_P4510                                                                                           \
	.link_width = "4", .ieee = OUI_INTEL, .rtd3r = 2000000, .rtd3e = 3000000, .oaes = 0x200, .mdts = 5,  \
	.oncs = 0x0006, .acl = 3, .aerl = 3, .frmw = 0x14, .lpa = 0x0e, .elpe = 63, .fna = 4, .wctemp = 343, \
	.stripe = 5, .capacity = true, .formats = two_formats, .n_formats = ARRAY_SIZE(two_formats)
#define P4X10 LIKE_P4510, .link_speed = GEN3, .vid = VID_INTEL, .pci_device = 0x0a54, .ver = 0x10200

static const struct sim_model p3700 = {
	P3X00,
	.name = "p3700",
	.summary = "Intel SSD DC P3700 2 TB, add-in card: NVMe 1.0, one firmware slot",
	.model = "INTEL SSDPEDMD020T4",
	.serial_prefix = "CVFT543",
	.serial_suffix = "2P0EGN",
	.slots = {"8DV10131"},
	.pci_device = 0x0953,
	.pci_subsystem_device = 0x3702,
	.oncs = 0x0006,
	.stripe = 5, /* 128 KiB */
	.centiwatts = 2500,
	.sectors = 3907029168, /* isdct */
	.smart = {.kelvin = 311,
		  .spare_percent = 100,
		  .spare_threshold_percent = 10,
		  .used_percent = 2,
		  .units_read = 3911046203,
		  .units_written = 2419871044,
		  .reads = 61109096922,
		  .writes = 37810485062,
		  .busy_minutes = 16, /* not kept on this family: 16 after 57,288 h in a public capture */
		  .power_cycles = 42,
		  .power_on_hours = 57288,
		  .unsafe_shutdowns = 7},
	.intel = &p3700_intel,
	.features = p3700_features,
};

static const struct sim_model p3600 = {
	P3X00,
	.name = "p3600",
	.summary = "Intel SSD DC P3600 1.6 TB, add-in card: NVMe 1.0, well worn",
	.model = "INTEL SSDPEDME016T4",
	.serial_prefix = "CVMD511",
	.serial_suffix = "1P6JGN",
	.slots = {"8DV10171"},
	.pci_device = 0x0953,
	.pci_subsystem_device = 0x3709,
	.oncs = 0x0006,
	.stripe = 5, /* 128 KiB */
	.centiwatts = 2500,
	.sectors = 3125627568, /* 1600321314816 bytes */
	.smart = {.kelvin = 306,
		  .spare_percent = 98,
		  .spare_threshold_percent = 10,
		  .used_percent = 30,
		  .units_read = 8104466112,
		  .units_written = 11296130335,
		  .reads = 126632283000,
		  .writes = 176502036484,
		  .busy_minutes = 295,
		  .power_cycles = 61,
		  .power_on_hours = 48211,
		  .unsafe_shutdowns = 19},
	.intel = &p3600_intel,
	.features = p3600_features,
};

static const struct sim_model p4510 = {
	P4X10,
	.name = "p4510",
	.summary = "Intel SSD DC P4510 4 TB, 2.5-inch: NVMe 1.2, two slots, namespace management",
	.model = "INTEL SSDPE2KX040T8",
	.serial_prefix = "PHLJ900",
	.serial_suffix = "4P0DGN",
	.slots = {"VDV10184"},
	.running_slot = 1,
	.ssvid = VID_INTEL,
	.pci_subsystem_device = 0x4802,
	.sectors = 7814037168, /* 4000.79 GB (isdct) */
	.oacs = 0x000e,
	.nn = 128,
	.cctemp = 353,
	.centiwatts = 2500, /* spdk; the captured 1 TB drives say 12 W */
	.smart = {.kelvin = 310,
		  .spare_percent = 100,
		  .spare_threshold_percent = 10,
		  .units_read = 90765956,
		  .units_written = 59477278,
		  .reads = 419399312,
		  .writes = 1520700414,
		  .busy_minutes = 329,
		  .power_cycles = 27,
		  .power_on_hours = 34805,
		  .unsafe_shutdowns = 23},
	.intel = &p4510_intel,
	.features = p4510_features,
};

/* Identify as of the P4510, whose firmware line it shares. */
static const struct sim_model p4610 = {
	P4X10,
	.name = "p4610",
	.summary = "Intel SSD DC P4610 1.6 TB, 2.5-inch: NVMe 1.2, newer vendor attributes",
	.model = "INTEL SSDPE2KE016T8",
	.serial_prefix = "PHLN921",
	.serial_suffix = "1P6AGN",
	.slots = {"VDV10170"}, /* DAOS */
	.running_slot = 1,
	.ssvid = VID_INTEL,
	.pci_subsystem_device = 0x4812,
	.sectors = 3125627568,
	.oacs = 0x000e,
	.nn = 128,
	.cctemp = 353,
	.centiwatts = 2500, /* TK25 */
	.smart = {.kelvin = 314,
		  .spare_percent = 100,
		  .spare_threshold_percent = 10,
		  .used_percent = 6,
		  .units_read = 1908120201,
		  .units_written = 1374389535,
		  .reads = 29814378140,
		  .writes = 21474836484,
		  .busy_minutes = 9120,
		  .power_cycles = 33,
		  .power_on_hours = 26280,
		  .unsafe_shutdowns = 11},
	.intel = &p4610_intel,
	.features = p4610_features,
};

/* 3D XPoint. Identify has no VER; Dataset Management is missing (spdk, issue 143); the rest is as of the P3x00. */
static const struct sim_model p4800x = {
	P3X00,
	.name = "p4800x",
	.summary = "Intel Optane SSD DC P4800X 375 GB, add-in card: latency logs that clear when read",
	.model = "INTEL SSDPED1K375GA",
	.serial_prefix = "PHKS733",
	.serial_suffix = "375AGN",
	.slots = {"E2010325"},
	.pci_device = 0x2701,
	.pci_subsystem_device = 0x3904,
	.sectors = 732585168, /* 375083606016 bytes */
	.smart = {.kelvin = 309,
		  .spare_percent = 100,
		  .units_read = 25165824,
		  .units_written = 14548992,
		  .reads = 393216000,
		  .writes = 227328000,
		  .busy_minutes = 88,
		  .power_cycles = 30,
		  .power_on_hours = 13140,
		  .unsafe_shutdowns = 6},
	.intel = &p4800x_intel,
	.features = p4800x_features,
};

/* One of the two controllers of a card; what isdct says of it, Identify as of the P3700. */
static const struct sim_model p3608 = {
	P3X00,
	.name = "p3608",
	.summary = "Intel SSD DC P3608 4 TB, add-in card: two controllers, two drives of 1.6 TB each",
	.model = "INTEL SSDPECME040T4Y",
	.serial_prefix = "CVF529",
	.serial_suffix = "4P0FGN",
	.card = true,
	.slots = {"8DV10170"},
	.pci_device = 0x0953,
	.pci_subsystem_device = 0x3709,
	.oncs = 0x0006,
	.stripe = 5,
	.centiwatts = 2500,
	.sectors = 3125623328, /* 1600319143936 bytes */
	.smart = {.kelvin = 300,
		  .spare_percent = 100,
		  .spare_threshold_percent = 10,
		  .units_read = 54798345,    /* 03443809h */
		  .units_written = 92830959, /* 05887CEFh */
		  .reads = 319047811,
		  .writes = 451830452,
		  .busy_minutes = 51,
		  .power_cycles = 42,
		  .power_on_hours = 16589,
		  .unsafe_shutdowns = 32},
	.intel = &p3608_intel,
	.features = p3608_features,
};

/* No capture of one is known: Identify as of the P4510, with a VER of 1.4. */
static const struct sim_model p5520 = {
	LIKE_P4510,
	.link_speed = GEN4,
	.vid = VID_SOLIDIGM,
	.pci_device = 0x0b60,
	.ver = 0x10400,
	.name = "p5520",
	.summary = "Solidigm D7-P5520 3.84 TB, 2.5-inch: OCP's page at C0h, power, queues, slow commands",
	.model = "SOLIDIGM SSDPF2KX038T1",
	.serial_prefix = "PHAX345",
	.serial_suffix = "P3P8CGN",
	.slots = {"9CV10510"},
	.running_slot = 1,
	.ssvid = VID_SOLIDIGM,
	.pci_subsystem_device = 0x9008,
	.sectors = 7501476528, /* 3.84 TB */
	.oacs = 0x000e,
	.nn = 128,
	.cctemp = 353,
	.centiwatts = 1800,
	.smart = {.kelvin = 312,
		  .spare_percent = 100,
		  .spare_threshold_percent = 10,
		  .used_percent = 1,
		  .units_read = 83886080,
		  .units_written = 62914560,
		  .reads = 1310720000,
		  .writes = 983040000,
		  .busy_minutes = 870,
		  .power_cycles = 14,
		  .power_on_hours = 9120,
		  .unsafe_shutdowns = 2},
	.intel = &p5520_intel,
	.features = tracker_features,
};

/*
 * The later product lines: of none is a capture known. Identify as of the P4510, PCI ids of illumos and pciids, and of the
 * pages those that differ. Firmware revisions: the first characters are the line's where that is known, the rest is made up.
 * F5h is what SMART says, in 32 MiB.
 */
#define LATER_SMART(written)                        \
	.smart = {.kelvin = 311,                    \
		  .spare_percent = 100,             \
		  .spare_threshold_percent = 10,    \
		  .units_read = (written) / 3 * 4,  \
		  .units_written = (written),       \
		  .reads = (written)*UINT64_C(16),  \
		  .writes = (written)*UINT64_C(16), \
		  .busy_minutes = 700,              \
		  .power_cycles = 12,               \
		  .power_on_hours = 8030,           \
		  .unsafe_shutdowns = 2}

static const struct sim_model p5510 = {
	LIKE_P4510,
	LATER_SMART(59477278),
	.link_speed = GEN4,
	.name = "p5510",
	.summary = "Intel SSD D7-P5510 3.84 TB, 2.5-inch: directory at C0h, queues, slow commands",
	.model = "INTEL SSDPF2KX038TZ",
	.serial_prefix = "PHAC118",
	.serial_suffix = "3P8AGN",
	.slots = {"JCV10100"},
	.running_slot = 1,
	.vid = VID_INTEL,
	.pci_device = 0x0b60,
	.ssvid = VID_INTEL,
	.pci_subsystem_device = 0x8008,
	.sectors = 7501476528,
	.ver = 0x10300,
	.oacs = 0x000e,
	.nn = 128,
	.cctemp = 353,
	.centiwatts = 1800,
	.intel = &p5510_intel,
	.features = p4800x_features,
};

static const struct sim_model p5316 = {
	LIKE_P4510,
	LATER_SMART(1374389535),
	.link_speed = GEN4,
	.name = "p5316",
	.summary = "Intel SSD D5-P5316 15.36 TB, 2.5-inch: no directory, latency pages of version 4.0",
	.model = "INTEL SSDPF2NV153TZ",
	.serial_prefix = "PHAC202",
	.serial_suffix = "15PAGN",
	.slots = {"ACV10024"},
	.running_slot = 1,
	.vid = VID_INTEL,
	.pci_device = 0x0b60,
	.ssvid = VID_INTEL,
	.pci_subsystem_device = 0x8d08,
	.sectors = 30005842608,
	.ver = 0x10300,
	.oacs = 0x000e,
	.nn = 128,
	.cctemp = 353,
	.centiwatts = 2500, /* data sheet */
	.intel = &p5316_intel,
	.features = p4800x_features,
};

static const struct sim_model p5336 = {
	LIKE_P4510,
	LATER_SMART(62914560),
	.link_speed = GEN4,
	.name = "p5336",
	.summary = "Solidigm D5-P5336 122.88 TB: lists OCP's UUID, no latency and temperature pages",
	.model = "SOLIDIGM SBFPF2BV0P12",
	.serial_prefix = "BTAK420",
	.serial_suffix = "0P12GN",
	.slots = {"5CV10302"},
	.running_slot = 1,
	.vid = VID_SOLIDIGM,
	.pci_device = 0x0b60,
	.ssvid = VID_SOLIDIGM,
	.pci_subsystem_device = 0xd804,
	.sectors = 240046592688,
	.ver = 0x10400,
	.uuids = true,
	.oacs = 0x000e,
	.nn = 128,
	.cctemp = 353,
	.centiwatts = 2500,
	.intel = &p5336_intel,
	.features = tracker_features,
};

/* The model number and the size are those of drives in public output (lsblk); that it is a PS1010 the PCI ids say. */
static const struct sim_model ps1010 = {
	LIKE_P4510,
	LATER_SMART(18481152),
	.link_speed = GEN5,
	.name = "ps1010",
	.summary = "Solidigm D7-PS1010 7.68 TB: pages by UUID, temperatures at D5h, OCP's pages at C0h to C5h",
	.model = "SOLIDIGM SB5PH27X076T",
	.serial_prefix = "PHAK424",
	.serial_suffix = "7P6CGN",
	.slots = {"G70YG100"},
	.running_slot = 1,
	.vid = VID_SOLIDIGM,
	.pci_device = 0x2b59,
	.ssvid = VID_SOLIDIGM,
	.pci_subsystem_device = 0x0008,
	.sectors = 15002931888,
	.ver = 0x20000,
	.uuids = true,
	.oacs = 0x000e,
	.nn = 128,
	.cctemp = 353,
	.centiwatts = 2500,
	.intel = &ps1010_intel,
	.features = tracker_features,
};

static const struct sim_model oem_p4510 = {
	P4X10,
	.name = "oem-p4510",
	.summary = "P4510 2 TB under Dell's name: other firmware, and it refuses the vendor's log pages",
	.model = "Dell Express Flash NVMe P4510 2TB SFF",
	.serial_prefix = "PHLJ043",
	.serial_suffix = "2P0BGN",
	.slots = {"VDV1DP23", "VDV1DP25"}, /* P4510: slot 2 runs */
	.running_slot = 2,
	.ssvid = VID_DELL,
	.pci_subsystem_device = 0x2003,
	.sectors = 3907029168,
	.oacs = 0x0006,
	.nn = 1,
	.cctemp = 349,
	.centiwatts = 1200,
	.smart = {.kelvin = 314,
		  .spare_percent = 100,
		  .spare_threshold_percent = 10,
		  .used_percent = 3,
		  .units_read = 108971472,
		  .units_written = 400864148,
		  .reads = 470527676,
		  .writes = 23208512987,
		  .busy_minutes = 1035,
		  .power_cycles = 387,
		  .power_on_hours = 35693,
		  .unsafe_shutdowns = 384},
	.features = oem_features,
};

/* No real drives: what NVMe 1.4 has, and nothing of a vendor. */
#define GENERIC                                                                                                       \
	.serial_suffix = "A", .slots = {"1.0.0", "1.1.0"}, .running_slot = 2, .vid = VID_EXAMPLE,                     \
	.ssvid = VID_EXAMPLE, .pci_subsystem_device = 0x0001, .link_speed = GEN4, .link_width = "4",                  \
	.sectors = 1953525168, .ver = 0x10400, .rtd3r = 1000000, .rtd3e = 1000000, .mdts = 5,                         \
	.oaes = 0x300,                             /* namespaces changed, firmware activation */                      \
		.oncs = 0x005c,                    /* dataset management, write zeroes, save and select, timestamp */ \
		.acl = 3, .aerl = 3, .frmw = 0x17, /* three slots, the first read-only, activation without reset */   \
		.lpa = 0x0e, .elpe = 63, .fna = 4, .vwc = 1, .wctemp = 343, .cctemp = 353, .mtfa = 100, /* 10 s */    \
		.edstt = 2, .fwug = 1, .sanicap = 0x7, .centiwatts = 1400, .capacity = true, .identifiers = true,     \
	.progress = true, .buffers = true, .formats = two_formats, .n_formats = ARRAY_SIZE(two_formats),              \
	.smart = {.kelvin = 315,                                                                                      \
		  .sensors = {315, 321},                                                                              \
		  .spare_percent = 100,                                                                               \
		  .spare_threshold_percent = 10,                                                                      \
		  .used_percent = 1,                                                                                  \
		  .units_read = 41943040,                                                                             \
		  .units_written = 33554432,                                                                          \
		  .reads = 655360000,                                                                                 \
		  .writes = 524288000,                                                                                \
		  .busy_minutes = 1440,                                                                               \
		  .power_cycles = 15,                                                                                 \
		  .power_on_hours = 8760,                                                                             \
		  .unsafe_shutdowns = 3},                                                                             \
	.features = generic_features

static const struct sim_model generic = {
	GENERIC,
	.name = "generic",
	.summary = "no vendor's drive, 1 TB: NVMe 1.4, three slots, self-test, sanitize, telemetry",
	.model = "Example NVMe 1.4 SSD 1TB",
	.serial_prefix = "EX14",
	.pci_device = 0x0014,
	.oacs = 0x0016, /* format, firmware, self-test */
	.nn = 1,
};

static const struct sim_model generic_ns = {
	GENERIC,
	.name = "generic-ns",
	.summary = "the same with namespace management: up to 16 namespaces",
	.model = "Example NVMe 1.4 NS SSD 1TB",
	.serial_prefix = "EXNS",
	.pci_device = 0x0015,
	.oacs = 0x001e,
	.nn = 16,
};

/* No real drive: the least that NVMe 1.0 asks for. */
static const struct sim_model nvme10 = {
	.name = "nvme10",
	.summary = "no vendor's drive, 400 GB: NVMe 1.0 and mandatory pages only",
	.model = "Example NVMe 1.0 SSD 400GB",
	.serial_prefix = "EX10",
	.serial_suffix = "A",
	.slots = {"1.0"},
	.running_slot = 1,
	.vid = VID_EXAMPLE,
	.ssvid = VID_EXAMPLE,
	.pci_device = 0x0010,
	.pci_subsystem_device = 0x0001,
	.link_speed = GEN2,
	.link_width = "4",
	.sectors = 781422768,
	.mdts = 5,
	.oacs = 0x0006,
	.acl = 3,
	.aerl = 3,
	.frmw = 0x02,
	.nn = 1,
	.formats = two_formats,
	.n_formats = ARRAY_SIZE(two_formats),
	.smart = {.kelvin = 308,
		  .spare_percent = 100,
		  .spare_threshold_percent = 10,
		  .used_percent = 12,
		  .units_read = 20971520,
		  .units_written = 10485760,
		  .reads = 327680000,
		  .writes = 163840000,
		  .busy_minutes = 600,
		  .power_cycles = 112,
		  .power_on_hours = 43800,
		  .unsafe_shutdowns = 40},
	.features = nvme10_features,
};

const struct sim_model *const sim_models[] = {
	&p3700,  &p3600, &p4510, &p4610, &p4800x, &oem_p4510, &generic, &generic_ns,
	&nvme10, &p3608, &p5510, &p5520, &p5316,  &p5336,     &ps1010,  NULL,
};

const struct sim_model *sim_model_find(const char *name)
{
	for (const struct sim_model *const *m = sim_models; *m; m++)
		if (!strcmp((*m)->name, name))
			return *m;
	return NULL;
}

void sim_model_serial(const struct sim_model *m, unsigned index, char serial[21])
{
	if (m->card)
		snprintf(serial, 21, "%s%05u%s-%u", m->serial_prefix, (index / 2 + 1) % 100000, m->serial_suffix,
			 index % 2 + 1);
	else
		snprintf(serial, 21, "%s%05u%s", m->serial_prefix, (index + 1) % 100000, m->serial_suffix);
}
