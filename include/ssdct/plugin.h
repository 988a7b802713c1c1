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

enum {
	SSD_FEATURE_HARMLESS =
		1, /* setting it changes neither data nor access to them; all others count as destroying */
	SSD_FEATURE_WRITE_ONLY = 2, /* there is nothing to get */
	SSD_FEATURE_READ_ONLY = 4,  /* there is nothing to set */
	SSD_FEATURE_WIDE = 8,       /* set: the value goes on in CDW12 */
};

/*
 * A feature. Its page describes the value: the eight bytes of the completion's dwords 0 and 1, or the data buffer when
 * page.size says that there is one. page.name is what `feature` calls it.
 */
struct ssd_feature {
	struct ssd_page page; /* kind SSD_PAGE_FEATURE, id the feature identifier */
	unsigned flags;
	uint32_t cdw11; /* for Get Features: which of several values */
};

struct ssd_vendor {
	const char *name; /* as in `ssdct intel` */
	/* The product family ("Intel SSD DC P3700"), or NULL: not this vendor's data-centre drive, send it nothing. */
	const char *(*family)(const struct ssd_identity *id);
	const struct ssd_page *const *pages;       /* NULL-terminated */
	const struct ssd_feature *const *features; /* NULL-terminated; NULL: none */
};

/* All vendor modules, NULL-terminated; the one place that lists them is plugins/vendors.c. */
extern const struct ssd_vendor *const ssd_vendors[];

/* The vendor whose tables match, and the family name; both NULL when none does. */
const struct ssd_vendor *ssd_vendor_find(const struct ssd_identity *id, const char **family);

#endif
