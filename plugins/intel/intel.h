/* SPDX-License-Identifier: MIT */
/* The Intel and Solidigm module: tables shared by its files. */
#ifndef PLUGINS_INTEL_H
#define PLUGINS_INTEL_H

#include <ssdct/plugin.h>

/* Which vendor log pages a product line is known to have. */
enum intel_logs {
	INTEL_LOGS_NONE,      /* recognised, but no source says which it answers: it is sent none */
	INTEL_LOGS_PLAIN,     /* additional SMART and marketing name */
	INTEL_LOGS_DIRECTORY, /* and the directory of log pages at C0h, which is another page on later drives */
	INTEL_LOGS_SOLIDIGM,  /* as PLAIN, sold by Solidigm only */
};

/* The product line's name, or NULL when the drive is not of one that has these logs. */
const char *intel_family(const struct ssd_identity *id, enum intel_logs logs);

extern const struct ssd_page intel_page_smart, intel_page_market_name, intel_page_directory;
extern const struct ssd_vendor ssd_vendor_intel, ssd_vendor_intel_plain, ssd_vendor_intel_none, ssd_vendor_solidigm;

#endif
