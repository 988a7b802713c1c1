/* SPDX-License-Identifier: MIT */
/*
 * Error recovery (log page C1h), firmware activation history (C2h), device capabilities (C4h) and unsupported requirements
 * (C5h). Reading changes nothing: what clears the history is a feature of its own (C1h). Sources: see ocp.h.
 */
#include "ocp.h"

#include <ssdct/le.h>

#define HEX(bytes, k, l, o, ...) SSD_LE_FIELD(bytes, k, l, o, .unit = SSD_HEX, ##__VA_ARGS__)
#define SINCE(version) "Null before log page version " version

/* ---- C1h ---- */

static const uint8_t recovery_guid[16] = {0x44, 0xd9, 0x31, 0x21, 0xfe, 0x30, 0x34, 0xae,
					  0xab, 0x4d, 0xfd, 0x3d, 0xba, 0x83, 0x19, 0x5a};

static const struct ssd_field reset_bits[] = {
	SSD_BIT("controller_reset", "controller reset", 0),
	SSD_BIT("subsystem_reset", "NVM subsystem reset", 1),
	SSD_BIT("function_level_reset", "PCIe function level reset", 2),
	SSD_BIT("fundamental_reset", "PERST#", 3),
	SSD_BIT("power_cycle", "power cycle", 4),
	SSD_BIT("hot_reset", "PCIe conventional hot reset", 5),
	SSD_FIELD_END,
};

static const struct ssd_field panic_bits[] = {
	SSD_BIT("asynchronous_event", "asynchronous event", 0),
	SSD_BIT("fatal_status", "controller fatal status", 1),
	SSD_FIELD_END,
};

#define PANIC(l, o, ...)                                                                                          \
	{                                                                                                         \
		.key = "panic_id", .label = (l), .help = "Number of the panic, the maker's own", .type = SSD_STR, \
		.code = SSD_LE_HEX, .off = (o), .width = 8, ##__VA_ARGS__                                         \
	}

static const struct ssd_field previous_fields[] = {PANIC("Panic", 0, .flags = SSD_LAST), SSD_FIELD_END};

/* nvme.h has the actions as numbers from 0, illumos as bits from 0: what is not agreed on is not named. */
#define ACTION_HELP "The byte as it is: whether it is a number or one bit per action the sources do not agree on"

static const struct ssd_field recovery_fields[] = {
	SSD_U16("panic_reset_wait_ms", "Wait before a reset", 0, .unit = SSD_MS,
		.help = "How long the drive's panic workflow takes, at most"),
	SSD_FLAGS_FIELD("panic_reset_action", "Reset after a panic", 2, 1, reset_bits,
			.help = "Resets that bring the drive back after a panic"),
	HEX(1, "device_recovery_action_1", "Device recovery action 1", 3, .help = ACTION_HELP),
	PANIC("Panic", 4),
	SSD_FLAGS_FIELD("device_capabilities", "Panics are reported by", 12, 4, panic_bits),
	HEX(1, "recovery_opcode", "Recovery command, opcode", 16,
	    .help = "Of the vendor's command that recovers the drive"),
	HEX(4, "recovery_cdw12", "Recovery command, CDW12", 20),
	HEX(4, "recovery_cdw13", "Recovery command, CDW13", 24),
	SSD_U8("recovery_timeout", "Recovery command, timeout", 28, .help = SINCE("2")),
	HEX(1, "device_recovery_action_2", "Device recovery action 2", 29, .help = ACTION_HELP),
	SSD_U8("device_recovery_action_2_timeout", "Device recovery action 2, timeout", 30, .help = SINCE("2")),
	SSD_U8("panic_count", "Panics", 31, .help = SINCE("3")),
	{.key = "previous_panics",
	 .label = "Previous panics",
	 .help = "The latest first, as far as there are any; null before log page version 3",
	 .type = SSD_LIST,
	 .code = SSD_LE,
	 .off = 32,
	 .count = 4,
	 .stride = 8,
	 .sub = previous_fields},
	OCP_VERSION(512),
	SSD_FIELD_END,
};

/* What was reserved is not reported. */
static void derive_recovery(const uint8_t *buf, size_t len, struct ssd_node *obj)
{
	static const struct {
		const char *key;
		unsigned since;
	} members[] = {{"recovery_timeout", 2},
		       {"device_recovery_action_2", 2},
		       {"device_recovery_action_2_timeout", 2},
		       {"panic_count", 3},
		       {"previous_panics", 3}};

	for (size_t i = 0; len >= 496 && i < ARRAY_SIZE(members); i++) {
		struct ssd_node *member = ssd_get_mutable(obj, members[i].key);

		if (member && ssd_le16(buf + 494) < members[i].since)
			member->null = true;
	}
}

const struct ssd_page ocp_page_error_recovery[] =
	OCP_PAGES(0xc1, 512, recovery_guid, .name = "ocp-error-recovery", .derive = derive_recovery,
		  OCP_OBJECT("ocp_error_recovery", "OCP error recovery",
			     "What to do after a panic of the drive's firmware (OCP's log page C1h)", recovery_fields));

/* ---- C2h ---- */

static const uint8_t history_guid[16] = {0x6d, 0x79, 0x9a, 0x76, 0xb4, 0xda, 0xf6, 0xa3,
					 0xe2, 0x4d, 0xb2, 0x8a, 0xac, 0xf3, 0x1c, 0xd1};

static const struct ssd_field activation_fields[] = {
	SSD_U16("activation", "Activation", 4, .help = "Count of activations when this one happened"),
	{.key = "time",
	 .label = "Time",
	 .help = "UTC; null: no host had set the drive's clock",
	 .type = SSD_STR,
	 .code = SSD_NVME_TIME,
	 .off = 6,
	 .width = 8},
	SSD_U64("power_cycles", "Power cycles", 22, .help = "Count of power cycles at the time"),
	SSD_TEXT("previous_revision", "from", 30, 8),
	SSD_TEXT("new_revision", "to", 38, 8),
	SSD_U8("slot", "Slot", 46),
	SSD_U8("commit_action", "Commit action", 47),
	HEX(2, "result", "Result", 48, .help = "0: activated; else why not, the drive's own code"),
	SSD_FIELD_END,
};

static const struct ssd_field history_fields[] = {
	SSD_U32("activation_count", "Activations", 4, .help = "Entries that the drive keeps, 20 at most"),
	{.key = "activations",
	 .label = "Activations",
	 .help = "Firmware activations, in the drive's order",
	 .type = SSD_LIST,
	 .code = SSD_LE,
	 .off = 8,
	 .count = 20,
	 .stride = 64,
	 .count_in = {.at = 4, .width = 4},
	 .sub = activation_fields},
	OCP_VERSION(4096),
	SSD_FIELD_END,
};

const struct ssd_page ocp_page_firmware_history[] =
	OCP_PAGES(0xc2, 4096, history_guid, .name = "ocp-firmware-history",
		  OCP_OBJECT("ocp_firmware_history", "OCP firmware activation history",
			     "Firmware activations (OCP's log page C2h; not in version 2.5 of the specification)",
			     history_fields));

/* ---- C4h ---- */

static const uint8_t capabilities_guid[16] = {0x97, 0x42, 0x05, 0x0d, 0xd1, 0xe1, 0xc9, 0x98,
					      0x5d, 0x49, 0x58, 0x4b, 0x91, 0x3c, 0x05, 0xb7};

#define COMPLIANT SSD_BIT("compliant", "as the specification demands", 15)
#define SUPPORTED SSD_BIT("supported", "supported", 0)

/* Bits 0 to 2 are interfaces; nvme.h begins with SMBus, illumos with PCIe VDM. */
static const struct ssd_field management_bits[] = {COMPLIANT, SSD_FIELD_END};

static const struct ssd_field write_zeroes_bits[] = {
	SUPPORTED,
	SSD_BIT("deallocate", "DEAC bit", 1),
	SSD_BIT("force_unit_access", "FUA bit", 2),
	SSD_BIT("nvme_io_5", "requirement NVMe-IO-5", 3),
	SSD_BIT("nvme_io_6", "requirement NVMe-IO-6", 4),
	COMPLIANT,
	SSD_FIELD_END,
};

/* nvme.h alone; nvme-cli and illumos have the field and no bits. */
static const struct ssd_field sanitize_bits[] = {
	SUPPORTED,
	SSD_BIT("crypto_erase", "crypto erase", 1),
	SSD_BIT("block_erase", "block erase", 2),
	SSD_BIT("overwrite", "overwrite", 3),
	SSD_BIT("deallocate", "deallocates", 4),
	COMPLIANT,
	SSD_FIELD_END,
};

static const struct ssd_field dataset_bits[] = {
	SUPPORTED,
	SSD_BIT("deallocate", "deallocate", 1),
	COMPLIANT,
	SSD_FIELD_END,
};

static const struct ssd_field uncorrectable_bits[] = {
	SUPPORTED,
	SSD_BIT("single_lba", "one LBA", 1),
	SSD_BIT("maximum_lbas", "as many LBAs as NVMe allows", 2),
	SSD_BIT("nvme_io_14", "requirement NVMe-IO-14", 3),
	COMPLIANT,
	SSD_FIELD_END,
};

static const struct ssd_field fused_bits[] = {SUPPORTED, COMPLIANT, SSD_FIELD_END};

static const struct ssd_field state_fields[] = {
	{.key = "dssd_power_state", .label = "DSSD power state", .type = SSD_UINT, .code = SSD_INDEX0},
	SSD_U8("nvme_power_state", "NVMe power state", 0, .bits = 5),
	SSD_FIELD_END,
};

/* Bit 7: the state is valid. */
static void state_shape(const uint8_t *descriptor, struct ssd_shape *shape)
{
	shape->unused = !(*descriptor & 0x80);
}

static const struct ssd_field capabilities_fields[] = {
	SSD_U16("pcie_ports", "PCIe ports", 0),
	SSD_FLAGS_FIELD("oob_management", "Out-of-band management", 2, 2, management_bits),
	SSD_FLAGS_FIELD("write_zeroes", "Write Zeroes", 4, 2, write_zeroes_bits),
	SSD_FLAGS_FIELD("sanitize", "Sanitize", 6, 2, sanitize_bits),
	SSD_FLAGS_FIELD("dataset_management", "Dataset Management", 8, 2, dataset_bits),
	SSD_FLAGS_FIELD("write_uncorrectable", "Write Uncorrectable", 10, 2, uncorrectable_bits),
	SSD_FLAGS_FIELD("fused_operations", "Fused operations", 12, 2, fused_bits),
	SSD_U16("minimum_dssd_power_state", "Lowest valid DSSD power state", 14),
	{.key = "power_states",
	 .label = "DSSD power states",
	 .help = "Those that are valid, and which of the controller's power states each of them is",
	 .type = SSD_LIST,
	 .code = SSD_LE,
	 .off = 16,
	 .count = 128,
	 .stride = 1,
	 .sub = state_fields,
	 .shape = state_shape},
	OCP_VERSION(4096),
	SSD_FIELD_END,
};

const struct ssd_page ocp_page_capabilities[] = OCP_PAGES(
	0xc4, 4096, capabilities_guid, .name = "ocp-capabilities",
	OCP_OBJECT("ocp_capabilities", "OCP device capabilities",
		   "What of the specification's options the drive has (OCP's log page C4h)", capabilities_fields));

/* ---- C5h ---- */

static const uint8_t unsupported_guid[16] = {0x2f, 0x72, 0x9c, 0x0e, 0x99, 0x23, 0x2c, 0xbb,
					     0x63, 0x48, 0x32, 0xd0, 0xb7, 0x98, 0xbb, 0xc7};

static const struct ssd_field requirement[] = {{.type = SSD_STR, .width = 16}, SSD_FIELD_END};

static const struct ssd_field unsupported_fields[] = {
	SSD_U16("requirement_count", "Requirements not met", 0),
	SSD_COUNTED("requirements", "Requirements not met", 2, 16, 253, 16, requirement,
		    .help = "The specification's names of them"),
	OCP_VERSION(4096),
	SSD_FIELD_END,
};

const struct ssd_page ocp_page_unsupported[] =
	OCP_PAGES(0xc5, 4096, unsupported_guid, .name = "ocp-unsupported",
		  OCP_OBJECT("ocp_unsupported", "OCP unsupported requirements",
			     "What the specification demands and the drive does not do (OCP's log page C5h)",
			     unsupported_fields));
