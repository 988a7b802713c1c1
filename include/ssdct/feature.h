/* SPDX-License-Identifier: MIT */
/* The standard features as one table: what they are called, how their values read, what setting them does. */
#ifndef SSDCT_FEATURE_H
#define SSDCT_FEATURE_H

#include <ssdct/admin.h>

/* What Set Features does: ssdct(8), "CHANGING A DRIVE". */
enum ssd_feature_class {
	SSD_FEATURE_CHANGES,  /* the drive, not the data */
	SSD_FEATURE_DESTROYS, /* data, or the way to them; likewise whatever no table knows */
	SSD_FEATURE_KERNELS,  /* belongs to the kernel: never set */
};
const char *ssd_feature_class_word(enum ssd_feature_class class); /* "changes", "destroys", "kernel" */

enum {
	SSD_STD_NAMESPACE = 1, /* has a value for each namespace */
	SSD_STD_MANDATORY = 2, /* every I/O controller has it (NVM Express 1.0 to 2.0) */
	SSD_STD_PCIE = 4,      /* every one that is attached by PCIe */
	SSD_STD_CDW12 = 8,     /* Set Features: the value stands in CDW12 */
	SSD_STD_FIRST = 16,    /* a value without a name is the first field, the others stay as they are */
	SSD_STD_DIGITS = 32,   /* the value is the data, given as hexadecimal digits */
	SSD_STD_TIME = 64,     /* the value is the data, a time in milliseconds since 1970 */
};

/*
 * A feature. In page.field.sub members of code SSD_BITS are bits of dword 0 (and of CDW11, or CDW12, when it is set); all
 * others lie in its data, of which there are page.size bytes. Temperatures are SSD_INT, in kelvin in the drive.
 */
struct ssd_std_feature {
	struct ssd_page page; /* name, id, field; size 0: no data */
	enum ssd_feature_class class;
	unsigned flags;
	const struct ssd_field *which; /* bits of CDW11 that choose among several values; NULL: there is one */
	uint32_t cdw11;                /* what CDW11 always has: 128 bits of a Host Identifier */
	uint16_t announced_at;         /* field of Identify Controller any of whose bits announces it ... */
	uint8_t announced_width;       /* ... in bytes; 0: nothing announces it */
	uint32_t announced_mask;
};

extern const struct ssd_std_feature ssd_std_features[];     /* by identifier; ends with a NULL name */
const struct ssd_std_feature *ssd_std_feature(uint8_t fid); /* NULL: no table knows it */

/* What setting a feature does on this drive: the table's opinion, a vendor's, or SSD_FEATURE_DESTROYS. */
enum ssd_feature_class ssd_feature_class(const struct ssd_device *dev, uint8_t fid);

enum ssd_announced { SSD_ANNOUNCED_NO, SSD_ANNOUNCED_YES, SSD_ANNOUNCED_UNKNOWN };
/*
 * Whether the drive says that it has the feature; asking for one that it lacks makes an entry in its error log. Reads log
 * page 12h where there is one. Needs ssd_id_ctrl().
 */
enum ssd_announced ssd_announces_feature(struct ssd_device *dev, const struct ssd_std_feature *f);

/* ONCS bit 4: the drive has default and saved values. Needs ssd_id_ctrl(). */
bool ssd_has_select(const struct ssd_device *dev);

/* The value as a document: both dwords of the completion, and len bytes of data. */
struct ssd_node *ssd_feature_decode(struct ssd_arena *a, const struct ssd_page *page, uint64_t result,
				    const uint8_t *data, size_t len);

/* --- values that are typed --- */

/* A whole number, decimal or 0x..., of at most max. */
bool ssd_parse_number(const char *word, uint64_t max, uint64_t *value);

/* All bits that the fields have. */
uint64_t ssd_feature_mask(const struct ssd_field *fields);
/*
 * Sets fields of *value by "key=value,key=value": numbers in the field's unit, on and off, names of a table, degrees
 * Celsius. Returns 0, or -1 with a usage error that says what would be possible.
 */
int ssd_feature_assign(const struct ssd_field *fields, const char *text, uint64_t *value, struct ssd_err *err);
/* The same with what the feature allows besides: 0x... (all bits at once), or the value of its one or first field. */
int ssd_feature_parse(const struct ssd_std_feature *f, const char *text, uint64_t *value, struct ssd_err *err);

#endif
