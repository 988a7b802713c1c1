/* SPDX-License-Identifier: MIT */
/* A vendor module is tables: which drives it matches, what they are called, which pages and features they have. */
#ifndef SSDCT_PLUGIN_H
#define SSDCT_PLUGIN_H

#include <ssdct/device.h>
#include <ssdct/page.h>

/* What a drive is recognised by: Identify Controller, or sysfs before any command was sent. */
struct ssd_identity {
	const char *model, *firmware;                               /* trimmed */
	int pci_vendor;                                             /* -1: unknown */
	int pci_device, pci_subsystem_vendor, pci_subsystem_device; /* 0 and less: unknown */
};

/* The identity of an opened drive whose Identify Controller has been read; the strings are in text. False: it has not. */
struct ssd_identity_text {
	char model[41], firmware[9];
};
bool ssd_device_identity(const struct ssd_device *dev, struct ssd_identity_text *text, struct ssd_identity *id);

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
	uint32_t mask;  /* bits of dword 0 that are the value, and come back as they were set; 0: all */
	/* The value that a word means on this drive: 0, or -1 with a usage error that says what is possible. NULL: a number. */
	int (*parse)(const struct ssd_device *dev, const char *word, uint64_t *value, struct ssd_err *err);
};

/* An admin command of a vendor's that only reads, with the bits of CDW12 that only choose what is read. */
struct ssd_vendor_read {
	uint8_t opcode; /* C0h or more; 0 ends a table */
	uint32_t cdw12;
};

/*
 * What a vendor says beside its pages: an object in the element of a command, computed from what the element has by then
 * and from what `fill` asks the drive. Members that stay unset are null.
 */
struct ssd_extra {
	struct ssd_field field;
	const char *command; /* "smart", "show" */
	void (*fill)(struct ssd_device *dev, const struct ssd_node *element, struct ssd_node *obj);
};

/* Published figures of a model, or of a family at most ("up to"); 0 and NULL: not published. */
struct ssd_rating {
	const char *family;       /* P3700 */
	const char *model_prefix; /* of the model code, without the maker's name; NULL: of the family */
	unsigned capacity_gb;     /* 0: of the family, whatever the capacity */
	bool up_to;               /* the most of any capacity, although it names one; without capacity_gb always so */
	const char *form_factor;
	unsigned pcie_generation, pcie_lanes;
	unsigned read_mb_per_s, write_mb_per_s;             /* sequential */
	unsigned read_iops, write_iops, mixed_iops;         /* random 4 KiB; mixed: 70 % reads */
	double endurance_pb, drive_writes_per_day;          /* petabytes written */
	double active_watts, active_read_watts, idle_watts; /* active: writing, or the only figure there is */
	const char *source, *notes;
};

#define SSD_RATINGS 4

static inline bool ssd_rating_is_up_to(const struct ssd_rating *r)
{
	return r->up_to || !r->capacity_gb;
}

/*
 * More than four lanes are those of a card of two controllers, each a drive of its own to the host, with a link of its own
 * behind a switch: no other product of the tables has them (plugins/intel/ratings.c, P3608).
 */
static inline bool ssd_rating_is_of_card(const struct ssd_rating *r)
{
	return r->pcie_lanes > 4;
}

struct ssd_vendor {
	const char *name; /* as in `ssdct intel` */
	/* The product family ("Intel SSD DC P3700"), or NULL: not this vendor's data-centre drive, send it nothing. */
	const char *(*family)(const struct ssd_identity *id);
	const struct ssd_page *const *pages;       /* NULL-terminated */
	const struct ssd_feature *const *features; /* NULL-terminated; NULL: none */
	/* Names of those that the product line is known to have, so that looking at a drive may ask for them; NULL: none. */
	const char *const *known_features;
	const struct ssd_extra *const *extras; /* NULL-terminated; NULL: none */
	/* Published figures, the most specific row first; returns how many of the SSD_RATINGS there are. NULL: none known. */
	size_t (*rate)(const struct ssd_identity *id, const struct ssd_rating *rows[]);
	/* The admin commands that the guard lets pass as reads; all others of a vendor's count as destroying. NULL: none. */
	const struct ssd_vendor_read *reads;
	/*
	 * What `check` judges: a text that a healthy drive does not have, by the key of its page and its own. Only of pages of
	 * Identify Controller, which cost no command: a check must not fill the error log of a drive that refuses one.
	 */
	const char *health_page, *health_text; /* NULL: there is none */
	/* Whether two drives, the first of them this vendor's, are controllers of one card; NULL: there are no such cards. */
	bool (*same_card)(const struct ssd_drive *a, const struct ssd_drive *b);
};

/* All vendor modules, NULL-terminated; the one place that lists them is plugins/vendors.c. */
extern const struct ssd_vendor *const ssd_vendors[];

/* Commands of the modules, for the table in main.c. */
struct ssd_command;
extern const struct ssd_command cmd_intel, cmd_solidigm;

/* What is known of a drive before any command was sent; the strings are the drive's own. */
struct ssd_identity ssd_drive_identity(const struct ssd_drive *drive);

/* The vendor whose tables match, and the family name; both NULL when none does. */
const struct ssd_vendor *ssd_vendor_find(const struct ssd_identity *id, const char **family);

/* A vendor's page by its JSON key, a feature by its name; NULL when the drive has no vendor or its tables no such thing. */
const struct ssd_page *ssd_vendor_page(const struct ssd_device *dev, const char *key);
const struct ssd_feature *ssd_vendor_feature(const struct ssd_device *dev, const char *name);

/* Reads and decodes a feature. NULL with *err set. */
struct ssd_node *ssd_read_feature(struct ssd_device *dev, struct ssd_arena *a, const struct ssd_feature *feature,
				  struct ssd_err *err);

#endif
