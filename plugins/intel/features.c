/* SPDX-License-Identifier: MIT */
/*
 * Vendor features (SPDK include/spdk/nvme_intel.h for C1h to E2h; nvme-cli's plugins for F1h, F5h and F7h; what isdct shows
 * of P3700 and P3608 for watts, SMBus address and last LBA). Harmless means: setting it touches neither the data nor the
 * way to them; everything else is treated as if it destroyed data.
 */
#include "intel.h"

#include <ssdct/feature.h>
#include <ssdct/le.h>

#define FEATURE(id_, name_, key_, label_, help_, fields_, ...)                                                    \
	.page = {.field = {.key = (key_), .label = (label_), .help = (help_), .type = SSD_OBJ, .sub = (fields_)}, \
		 .name = (name_),                                                                                 \
		 .kind = SSD_PAGE_FEATURE,                                                                        \
		 .id = (id_),                                                                                     \
		 ##__VA_ARGS__}

/* The value is the last LBA, not the number of blocks: isdct shows 3907029167 for 3907029168 sectors. */
static const struct ssd_field lba_fields[] = {
	SSD_U64("last_lba", "Last LBA", 0, .flags = SSD_RAW,
		.help = "The last logical block; on drives of more than 2^32 blocks only where the completion has its "
			"upper half"),
	SSD_FIELD_END,
};

static uint64_t blocks_of(const struct ssd_device *dev)
{
	uint64_t blocks = 0;

	for (size_t i = 0; i < dev->drive->n_namespaces; i++)
		if (dev->drive->namespaces[i].block_bytes)
			blocks += dev->drive->namespaces[i].size_bytes / dev->drive->namespaces[i].block_bytes;
	return blocks;
}

/* Dword 0 holds 32 bits: with more blocks than that, a value below 2^32 lacks its upper half. */
static void lba_from(const struct ssd_device *dev, struct ssd_node *obj)
{
	struct ssd_node *lba = ssd_get_mutable(obj, "last_lba");

	if (lba && lba->u <= UINT32_MAX && blocks_of(dev) > (uint64_t)UINT32_MAX + 1)
		lba->null = true;
}

const struct ssd_feature intel_feature_max_lba = {
	FEATURE(0xc1, "max-lba", "max_lba", "Max LBA",
		"Capacity that the drive shows: what is above it is over-provisioning", lba_fields,
		.derive_from = lba_from),
	.flags = SSD_FEATURE_WIDE,
};

const struct ssd_feature intel_feature_native_max_lba = {
	FEATURE(0xc2, "native-max-lba", "native_max_lba", "Native max LBA", "Capacity that the drive was made with",
		lba_fields, .derive_from = lba_from),
	.flags = SSD_FEATURE_READ_ONLY,
};

static const struct ssd_field governor_fields[] = {
	SSD_U8("mode", "Mode", 0),
	{.key = "limit_watts",
	 .label = "Limit",
	 .help = "What the drive may take at most; null: not published for this product",
	 .type = SSD_UINT,
	 .unit = SSD_WATTS,
	 .metric = SSD_GAUGE},
	SSD_FIELD_END,
};

enum { POWER_MODES = 3 };

/*
 * SPDK nvme_intel.h (the P3700's specification), isdct's "0 (25W)" for a P3700 and "0 40W for 8 Lane Slot power" for a P3608.
 * P3500 and P3600 share its controller, firmware line and 25 W (330569, 332164); of others nobody says what a mode means.
 */
unsigned intel_power_limit(const struct intel_product *p, int64_t mode)
{
	static const struct {
		const char *number;
		unsigned watts[POWER_MODES];
	} published[] = {{"P3700", {25, 20, 10}},
			 {"P3600", {25, 20, 10}},
			 {"P3500", {25, 20, 10}},
			 {"P3500/P3600/P3700", {25, 20, 10}},
			 {"P3608", {40}}};

	for (size_t i = 0; i < ARRAY_SIZE(published) && mode >= 0 && mode < POWER_MODES; i++)
		if (!strcmp(published[i].number, p->number))
			return published[i].watts[mode];
	return 0;
}

static void governor_from(const struct ssd_device *dev, struct ssd_node *obj)
{
	struct intel_product p;
	unsigned watts = intel_identify_device(dev, &p) ? intel_power_limit(&p, ssd_get_int(obj, "mode", -1)) : 0;

	if (watts)
		ssd_set_uint(obj, "limit_watts", watts);
}

/* "25, 20, 10": the watts that were published of the product, and the mode of those that are wanted; -1: of none. */
static int find_mode(const struct intel_product *p, uint64_t wanted, char *known, size_t size)
{
	int found = -1;

	*known = '\0';
	for (int mode = 0; mode < POWER_MODES; mode++) {
		unsigned watts = intel_power_limit(p, mode);
		size_t len = strlen(known);

		if (watts)
			snprintf(known + len, size - len, "%s%u", len ? ", " : "", watts);
		if (watts && watts == wanted)
			found = mode;
	}
	return found;
}

/* Watts, or a mode as isdct numbers them: no mode is a number of watts that is published. 0x..: whatever mode it is. */
static int parse_governor(const struct ssd_device *dev, const char *word, uint64_t *value, struct ssd_err *err)
{
	AUTO_FREE char *digits = ssd_strdup(word);
	size_t len = strlen(word);
	bool watts = len && strchr("Ww", word[len - 1]), hex = len > 1 && strchr("Xx", word[1]), number;
	struct intel_product p;
	char known[40] = "";
	int mode = -1;

	if (watts)
		digits[len - 1] = '\0';
	number = ssd_parse_number(digits, UINT8_MAX, value);
	if (intel_identify_device(dev, &p))
		mode = find_mode(&p, number && !hex ? *value : UINT64_MAX, known, sizeof(known));
	if (mode >= 0)
		*value = (uint64_t)mode;
	else if (!number || watts || (!hex && *value >= POWER_MODES))
		return ssd_fail(err, SSD_ERR_USAGE,
				"\"%.20s\" is not a limit that was published of this product (%s), nor a mode (0 to 2, "
				"or any as 0x..)",
				word, *known ? known : "none is");
	return 0;
}

const struct ssd_feature intel_feature_power_governor = {
	FEATURE(0xc6, "power-governor", "power_governor", "Power governor", "Limit of the drive's power",
		governor_fields, .derive_from = governor_from),
	.flags = SSD_FEATURE_HARMLESS,
	.mask = 0xff,
	.parse = parse_governor,
};

static const struct ssd_field smbus_fields[] = {
	{.key = "address", .label = "Address", .help = "Seven bits", .type = SSD_UINT, .unit = SSD_HEX},
	SSD_FIELD_END,
};

/* Bits 8:1. isdct shows 106 on a P3608. */
static void derive_smbus(const uint8_t *buf, size_t len, struct ssd_node *obj)
{
	if (len >= 4)
		ssd_set_uint(obj, "address", ssd_le32(buf) >> 1 & 0xff);
}

static int parse_smbus(const struct ssd_device *dev, const char *word, uint64_t *value, struct ssd_err *err)
{
	(void)dev;
	if (!ssd_parse_number(word, 0x7f, value))
		return ssd_fail(err, SSD_ERR_USAGE, "\"%.20s\" is not an address of seven bits: 106, or 0x6a", word);
	*value <<= 1;
	return 0;
}

/* Another address may be somebody else's on the bus, and management by the baseboard then loses the drive: not harmless. */
const struct ssd_feature intel_feature_smbus_address = {
	.page = {.field = {.key = "smbus_address",
			   .label = "SMBus address",
			   .help = "Address of the drive on the management bus",
			   .type = SSD_OBJ,
			   .sub = smbus_fields},
		 .name = "smbus-address",
		 .kind = SSD_PAGE_FEATURE,
		 .id = 0xc8,
		 .derive = derive_smbus},
	.mask = 0x1fe,
	.parse = parse_smbus,
};

static const struct ssd_field led_fields[] = {
	SSD_LE_FIELD(3, "options", "Options", 0, .unit = SSD_HEX),
	SSD_U8("value", "Value", 3),
	SSD_FIELD_END,
};

const struct ssd_feature intel_feature_led_pattern = {
	FEATURE(0xc9, "led-pattern", "led_pattern", "LED pattern", "How the drive's LED blinks", led_fields),
	.flags = SSD_FEATURE_HARMLESS,
};

static const struct ssd_field no_fields[] = {SSD_FIELD_END};

const struct ssd_feature intel_feature_workload_reset = {
	FEATURE(0xd5, "workload-reset", "workload_reset", "Reset of the timed workload",
		"Setting bit 0 starts the timed-workload attributes (E2h, E3h, E4h) anew", no_fields),
	.flags = SSD_FEATURE_HARMLESS | SSD_FEATURE_WRITE_ONLY,
};

static const struct ssd_field tracking_fields[] = {
	{.key = "enabled", .label = "Enabled", .type = SSD_BOOL, .code = SSD_LE, .off = 0, .width = 4},
	SSD_FIELD_END,
};

static int parse_tracking(const struct ssd_device *dev, const char *word, uint64_t *value, struct ssd_err *err)
{
	(void)dev;
	*value = !strcmp(word, "on") || !strcmp(word, "1");
	if (*value || !strcmp(word, "off") || !strcmp(word, "0"))
		return 0;
	return ssd_fail(err, SSD_ERR_USAGE, "\"%.20s\" is neither on nor off", word);
}

const struct ssd_feature intel_feature_latency_tracking = {
	FEATURE(0xe2, "latency-tracking", "latency_tracking", "Latency tracking",
		"Whether the latency histograms are filled", tracking_fields),
	.flags = SSD_FEATURE_HARMLESS,
	.parse = parse_tracking,
};

static const struct ssd_field limit_fields[] = {
	{.key = "limits_us",
	 .label = "Lower limits, us",
	 .help = "Where the eight buckets begin",
	 .type = SSD_LIST,
	 .code = SSD_LE,
	 .off = 0,
	 .count = 8,
	 .stride = 4,
	 .sub = (const struct ssd_field[]){{.type = SSD_UINT, .width = 4}, SSD_FIELD_END}},
	SSD_FIELD_END,
};

/* CDW11 chooses the histogram: 0 reads, 1 writes. */
#define LIMITS(rw_name, rw_key, rw_label, select)                                            \
	{                                                                                    \
		.page = {.field = {.key = (rw_key),                                          \
				   .label = (rw_label),                                      \
				   .help = "Buckets of an Optane drive's latency histogram", \
				   .type = SSD_OBJ,                                          \
				   .sub = limit_fields},                                     \
			 .name = (rw_name),                                                  \
			 .kind = SSD_PAGE_FEATURE,                                           \
			 .id = 0xf7,                                                         \
			 .size = 32},                                                        \
		.flags = SSD_FEATURE_HARMLESS, .cdw11 = (select)                             \
	}
const struct ssd_feature intel_feature_read_limits =
				 LIMITS("latency-limits-read", "latency_limits_read", "Latency buckets, reads", 0),
			 intel_feature_write_limits =
				 LIMITS("latency-limits-write", "latency_limits_write", "Latency buckets, writes", 1);

static const struct ssd_field tracker_fields[] = {
	SSD_FLAGS_FIELD("configuration", "Configuration", 0, 4, intel_workload_config),
	SSD_FIELD_END,
};

const struct ssd_feature intel_feature_workload_tracker = {
	FEATURE(0xf1, "workload-tracker", "workload_tracker", "Workload tracker", "What the workload tracker records",
		tracker_fields),
	.flags = SSD_FEATURE_HARMLESS,
};

static const struct ssd_field threshold_fields[] = {
	SSD_U32("threshold", "Threshold", 0),
	SSD_FIELD_END,
};

const struct ssd_feature intel_feature_workload_trigger = {
	FEATURE(0xf5, "workload-trigger", "workload_trigger", "Workload tracker trigger", "Where the trigger goes off",
		threshold_fields),
	.flags = SSD_FEATURE_HARMLESS,
};

const struct ssd_feature *const intel_nand_features[] = {
	&intel_feature_max_lba,          &intel_feature_native_max_lba,
	&intel_feature_power_governor,   &intel_feature_smbus_address,
	&intel_feature_led_pattern,      &intel_feature_workload_reset,
	&intel_feature_latency_tracking, NULL,
};
const struct ssd_feature *const intel_optane_features[] = {
	&intel_feature_max_lba,          &intel_feature_native_max_lba,
	&intel_feature_power_governor,   &intel_feature_smbus_address,
	&intel_feature_led_pattern,      &intel_feature_workload_reset,
	&intel_feature_latency_tracking, &intel_feature_read_limits,
	&intel_feature_write_limits,     NULL,
};
/*
 * Drives with OCP's pages: C1h to C9h are features of OCP's there (C1h clears the firmware history, C6h is the interval of the
 * power-loss check, C9h the asynchronous events; nvme-cli's Solidigm plugin uses them so), and no source says that they have
 * Intel's as well.
 */
const struct ssd_feature *const intel_solidigm_features[] = {
	&intel_feature_workload_reset,
	&intel_feature_latency_tracking,
	&intel_feature_workload_tracker,
	&intel_feature_workload_trigger,
	NULL,
};
const struct ssd_feature *const intel_no_features[] = {NULL};
