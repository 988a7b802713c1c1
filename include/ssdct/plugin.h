/* SPDX-License-Identifier: MIT */
/* A vendor module is tables: which drives it matches, what they are called, which pages they have. */
#ifndef SSDCT_PLUGIN_H
#define SSDCT_PLUGIN_H

#include <ssdct/device.h>
#include <ssdct/page.h>

/* What a drive is recognised by: Identify Controller, or sysfs before any command was sent. */
struct ssd_identity {
	const char *model, *firmware; /* trimmed */
	int pci_vendor;               /* -1: unknown */
};

struct ssd_vendor {
	const char *name; /* as in `ssdct intel` */
	/* The product family ("Intel SSD DC P3700"), or NULL: not this vendor's data-centre drive, send it nothing. */
	const char *(*family)(const struct ssd_identity *id);
	const struct ssd_page *const *pages; /* NULL-terminated */
};

/* All vendor modules, NULL-terminated; the one place that lists them is plugins/vendors.c. */
extern const struct ssd_vendor *const ssd_vendors[];

/* The vendor whose tables match, and the family name; both NULL when none does. */
const struct ssd_vendor *ssd_vendor_find(const struct ssd_identity *id, const char **family);

#endif
