/* SPDX-License-Identifier: MIT */
/* The vendor modules: the one place that lists them. */
#include "intel/intel.h"

const struct ssd_vendor *const ssd_vendors[] = {
	&ssd_vendor_intel, &ssd_vendor_intel_plain, &ssd_vendor_intel_none, &ssd_vendor_solidigm, NULL,
};
