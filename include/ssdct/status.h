/* SPDX-License-Identifier: MIT */
/* NVMe status codes, with name, class and "retry?" in one table. */
#ifndef SSDCT_STATUS_H
#define SSDCT_STATUS_H

#include <ssdct/doc.h>

#define SSD_STATUS_MASK 0x7ffu /* type and code; above: retry delay, More, Do Not Retry */
#define SSD_STATUS_MORE 0x2000u
#define SSD_STATUS_DNR 0x4000u

enum {
	SSD_SC_INVALID_OPCODE = 0x001,
	SSD_SC_INVALID_FIELD = 0x002,
	SSD_SC_INTERNAL = 0x006,
	SSD_SC_INVALID_NS = 0x00b,
	SSD_SC_SANITIZE_FAILED = 0x01c,
	SSD_SC_SANITIZE_IN_PROGRESS = 0x01d,
	SSD_SC_INVALID_LOG_PAGE = 0x109,
};

/* What kind of trouble it is: decides hints and whether the error log counts it. */
enum ssd_status_class {
	SSD_STATUS_SUCCESS,
	SSD_STATUS_PROBE,   /* the drive does not do this: harmless when somebody asked whether it does */
	SSD_STATUS_HOST,    /* the request was wrong or came at the wrong time */
	SSD_STATUS_PENDING, /* accepted, takes effect later */
	SSD_STATUS_DEVICE,  /* the drive is in trouble */
	SSD_STATUS_MEDIA,   /* data are in trouble */
	SSD_STATUS_PATH,
	SSD_STATUS_VENDOR,
	SSD_STATUS_UNKNOWN,
};

struct ssd_status_info {
	uint16_t status;  /* type << 8 | code */
	const char *name; /* as the specification calls it */
	enum ssd_status_class class;
	bool retry;          /* the same command may succeed later, unless Do Not Retry is set */
	const char *meaning; /* what it says about drive and host; NULL: what its class says */
};

/* Never NULL: an unknown code gets a row that says so ("Unknown status", or "Vendor specific status"). */
const struct ssd_status_info *ssd_status_info(unsigned status);
/* What it means, in a sentence; never NULL. */
const char *ssd_status_meaning(unsigned status);
/* Whether the same command may succeed when sent again: the table's opinion and no Do Not Retry. */
bool ssd_status_retry(unsigned status);

/*
 * What kind of trouble an entry of the error log is: "probe" (somebody asked on the admin queue for what the drive does not
 * have: harmless), "host", "device", "media", "path", "vendor", "unknown", "none".
 */
const char *ssd_status_category(unsigned status, bool admin_queue);

/* { value, hex, name, type, code, do_not_retry, more }: a status as every document says it, and fills it in. */
extern const struct ssd_field ssd_status_fields[];
void ssd_set_status(struct ssd_node *obj, unsigned status);

#endif
