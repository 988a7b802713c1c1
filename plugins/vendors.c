/* SPDX-License-Identifier: MIT */
/* The vendor modules: the one place that lists them. The first whose tables match a drive has it. */
#include "intel/intel.h"

const struct ssd_vendor *const ssd_vendors[] = {
	&ssd_vendor_intel_nand,   &ssd_vendor_intel_p5510,  &ssd_vendor_intel_plain,
	&ssd_vendor_intel_optane, &ssd_vendor_intel_none,   &ssd_vendor_intel_p5x20,
	&ssd_vendor_intel_qlc,    &ssd_vendor_intel_ps10x0, NULL,
};
