/* SPDX-License-Identifier: MIT */
/* The Intel and Solidigm module: tables shared by its files. */
#ifndef PLUGINS_INTEL_H
#define PLUGINS_INTEL_H

#include <ssdct/plugin.h>

/* Generations, by which vendor log pages a product line is known to have (intel.c has the lists). */
enum intel_generation {
	INTEL_NONE,   /* recognised, but no source says which it answers: it is sent none */
	INTEL_NAND,   /* P3x00 to P4xxx: directory of log pages at C0h */
	INTEL_P5510,  /* the same, with the pages of later drives beside it */
	INTEL_PLAIN,  /* PCIe 4.0 drives of which nothing says what is at C0h */
	INTEL_OPTANE, /* latency logs that clear when they are read */
	INTEL_P5X20,  /* OCP's SMART page at C0h; temperatures still at C5h */
	INTEL_QLC,    /* later Solidigm drives of which little is known */
	INTEL_PS10X0, /* OCP's pages from C0h on, temperatures at D5h */
};

/* What a model number, the PCI ids and the firmware revision say of a drive. NULL and 0: they do not. */
struct intel_product {
	const char *family; /* "Intel SSD DC P3700" */
	const char *number; /* "P3700" */
	enum intel_generation generation;
	const char *form_factor, *media, *brand; /* brand: under whose name it is sold, when not its maker's */
	unsigned pcie_generation;
	unsigned controllers;    /* of the card that the drive is part of */
	uint64_t capacity_bytes; /* as the model number says it */
	bool opal;
	char code[41]; /* the model code without the maker's name: SSDPEDMD020T4; empty: none */
};

/* False: not a data-centre drive of Intel's or Solidigm's. */
bool intel_identify(const struct ssd_identity *id, struct intel_product *product);
/* The same for an opened drive whose Identify Controller has been read. */
bool intel_identify_device(const struct ssd_device *dev, struct intel_product *product);

/* Published figures, the most specific row first; see struct ssd_vendor. */
size_t intel_rate(const struct ssd_identity *id, const struct ssd_rating *rows[]);
size_t intel_rate_product(const struct intel_product *product, const struct ssd_rating *rows[]);
extern const struct ssd_rating intel_ratings[];
extern const size_t intel_n_ratings;

/* Whose pages they are where a drive's UUID List says so (solidigm-util.c of nvme-cli): 9619586E-C11B-43AD-AAAA-654187F6BBB2. */
extern const uint8_t intel_uuid[16];
extern const struct ssd_page intel_page_smart, intel_page_market_name, intel_page_directory, intel_page_latency_read,
	intel_page_latency_write, intel_page_optane_latency_read, intel_page_optane_latency_write,
	intel_page_temperature, intel_page_temperature_or_ocp, intel_page_temperature_d5, intel_page_controller,
	intel_page_garbage_collection, intel_page_outliers, intel_page_power, intel_page_queues, intel_page_workload;
extern const struct ssd_field intel_workload_config[]; /* bits of feature F1h */

extern const struct ssd_feature *const intel_nand_features[],
	*const intel_optane_features[], *const intel_solidigm_features[], *const intel_no_features[];
extern const struct ssd_feature intel_feature_max_lba, intel_feature_native_max_lba, intel_feature_power_governor,
	intel_feature_smbus_address, intel_feature_led_pattern, intel_feature_workload_reset,
	intel_feature_latency_tracking, intel_feature_read_limits, intel_feature_write_limits,
	intel_feature_workload_tracker, intel_feature_workload_trigger;
extern const struct ssd_extra intel_extra_endurance, intel_extra_drive;
/* Tables of one member, the object of the extra, for the commands that show it alone. */
extern const struct ssd_field intel_product_object[], intel_endurance_object[];

extern const struct ssd_vendor ssd_vendor_intel_nand, ssd_vendor_intel_p5510, ssd_vendor_intel_plain,
	ssd_vendor_intel_optane, ssd_vendor_intel_none, ssd_vendor_intel_p5x20, ssd_vendor_intel_qlc,
	ssd_vendor_intel_ps10x0;

enum { INTEL_DUMP = 0xd2 }; /* admin opcode of the debug dump */
extern const struct ssd_command intel_verb_internal_log;

/* Whether it is such a drive, by its Identify Controller: else it is asked for nothing more. 0, or -1 with *err set. */
int intel_check_drive(struct ssd_device *dev, struct ssd_err *err);

/* Controllers of one P3608, P4608 or P4618. */
bool intel_same_card(const struct ssd_drive *a, const struct ssd_drive *b);

/* Watts that a mode of the power governor allows this product; 0: not published. */
unsigned intel_power_limit(const struct intel_product *product, int64_t mode);

#endif
