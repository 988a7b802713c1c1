/* SPDX-License-Identifier: MIT */
/*
 * Intel's and Solidigm's data-centre drives: which generation has which pages. A page more is a struct ssd_page in a file of
 * its own and a word here. What ordinary commands read unasked is asked for in this order, and no further than the first
 * page that a drive refuses.
 */
#include "intel.h"

#include "ocp/ocp.h"

const uint8_t intel_uuid[16] = {0x96, 0x19, 0x58, 0x6e, 0xc1, 0x1b, 0x43, 0xad,
				0xaa, 0xaa, 0x65, 0x41, 0x87, 0xf6, 0xbb, 0xb2};

static const char *family(const struct ssd_identity *id, enum intel_generation generation)
{
	struct intel_product p;

	return intel_identify(id, &p) && p.generation == generation ? p.family : NULL;
}

#define COMMON &intel_page_smart, &intel_page_market_name, &intel_page_controller
#define OCP_LOGS(how)                                                                           \
	&ocp_page_error_recovery[how], &ocp_page_firmware_history[how], &ocp_page_latency[how], \
		&ocp_page_capabilities[how], &ocp_page_unsupported[how]
#define LATENCY &intel_page_latency_read, &intel_page_latency_write

static const struct ssd_page *const no_pages[] = {NULL};
static const struct ssd_page *const nand_pages[] = {
	COMMON, &intel_page_directory, LATENCY, &intel_page_temperature, NULL,
};
static const struct ssd_page *const p5510_pages[] = {
	COMMON,
	&intel_page_directory,
	LATENCY,
	&intel_page_temperature,
	&intel_page_queues,
	&intel_page_garbage_collection,
	&intel_page_outliers,
	NULL,
};
static const struct ssd_page *const plain_pages[] = {COMMON, LATENCY, &intel_page_temperature_or_ocp, NULL};
static const struct ssd_page *const optane_pages[] = {
	COMMON, &intel_page_optane_latency_read, &intel_page_optane_latency_write, &intel_page_temperature, NULL,
};
static const struct ssd_page *const p5x20_pages[] = {
	COMMON,
	&ocp_page_smart[OCP_KNOWN], /* and no other one of OCP's, illumos says */
	LATENCY,
	&intel_page_temperature_or_ocp,
	&intel_page_queues,
	&intel_page_power,
	&intel_page_workload,
	&intel_page_garbage_collection,
	&intel_page_outliers,
	NULL,
};
static const struct ssd_page *const qlc_pages[] = {
	COMMON, &ocp_page_smart[OCP_ANNOUNCED], &intel_page_workload, OCP_LOGS(OCP_ANNOUNCED), NULL,
};
static const struct ssd_page *const ps10x0_pages[] = {
	COMMON, &ocp_page_smart[OCP_KNOWN], &intel_page_temperature_d5, &intel_page_workload, OCP_LOGS(OCP_KNOWN), NULL,
};

/* What isdct shows of P3600, P3608, P3700, P4500 and P4510, and SPDK takes for granted on all of them. */
static const char *const nand_known[] = {"max-lba", "native-max-lba", "power-governor", "latency-tracking", NULL};

static const struct ssd_extra *const extras[] = {&intel_extra_endurance, &intel_extra_drive, NULL};

/*
 * Debug dump: bits 0 to 2 choose the log, 3 and 4 the core, 5 to 12 the nlog; the next ones would stop the logging (nvme-cli,
 * plugins/intel). Intel's drives; what Solidigm's later ones make of the opcode no source says.
 */
static const struct ssd_vendor_read reads[] = {{INTEL_DUMP, 0x1fff}, {0}};

#define GENERATION(what, maker, which, page_list, feature_list, known, read_list)                    \
	static const char *what##_family(const struct ssd_identity *id)                              \
	{                                                                                            \
		return family(id, which);                                                            \
	}                                                                                            \
	const struct ssd_vendor ssd_vendor_intel_##what = {                                          \
		maker,      what##_family, page_list,          feature_list, known,          extras, \
		intel_rate, read_list,     "intel_controller", "health",     intel_same_card}

GENERATION(nand, "intel", INTEL_NAND, nand_pages, intel_nand_features, nand_known, reads);
GENERATION(p5510, "intel", INTEL_P5510, p5510_pages, intel_nand_features, NULL, reads);
GENERATION(plain, "intel", INTEL_PLAIN, plain_pages, intel_nand_features, NULL, reads);
GENERATION(optane, "intel", INTEL_OPTANE, optane_pages, intel_optane_features, NULL, reads);
GENERATION(none, "intel", INTEL_NONE, no_pages, intel_no_features, NULL, NULL);
GENERATION(p5x20, "solidigm", INTEL_P5X20, p5x20_pages, intel_solidigm_features, NULL, NULL);
GENERATION(qlc, "solidigm", INTEL_QLC, qlc_pages, intel_solidigm_features, NULL, NULL);
GENERATION(ps10x0, "solidigm", INTEL_PS10X0, ps10x0_pages, intel_solidigm_features, NULL, NULL);
