/* SPDX-License-Identifier: MIT */
/* Firmware: images, plan (pure), execution, verification. */
#ifndef SSDCT_FW_H
#define SSDCT_FW_H

#include <ssdct/admin.h>
#include <ssdct/safety.h>

#define FW_SLOTS 7
#define FW_REVISION 9 /* 8 characters and NUL */
#define FW_IMAGE_MAX (64u << 20)

/* An image as it goes to the drive, whatever it was packed in. */
struct fw_image {
	char *path;    /* as given; owned */
	char *member;  /* name inside an archive, or NULL; owned */
	uint8_t *data; /* owned, page-aligned */
	size_t size;
	char sha256[65];
	char version[64]; /* from the archive's metadata; empty: unknown */
};

/*
 * Reads an image: raw, or the payload of a .cab or .zip that is for this model. Refuses what is no firmware, by name (ELF,
 * HTML, gzip, text, empty, directory, ...). Returns 0, or -1 with bad_input.
 */
int fw_image_load(const char *path, const char *model, struct fw_image *image, struct ssd_err *err);
void fw_image_free(struct fw_image *image);

/* What a plan is computed from; read from the drive by fw_facts_read(). */
struct fw_facts {
	char model[41], serial[21], running_revision[FW_REVISION];
	uint16_t vid, ssvid;
	uint16_t oacs;
	uint8_t frmw, fwug, mdts;
	uint16_t mtfa_100ms;
	uint8_t afi;
	char revisions[FW_SLOTS][FW_REVISION]; /* of slot 1 to 7; empty: none */
	uint32_t max_transfer;                 /* the kernel's limit, bytes; 0: unknown */
	bool busy;                             /* AFI bit 3: an update is in progress */
};
int fw_facts_read(struct ssd_device *dev, struct fw_facts *facts, struct ssd_err *err);
static inline unsigned fw_slot_count(const struct fw_facts *f)
{
	return f->frmw >> 1 & 7;
}
static inline unsigned fw_running_slot(const struct fw_facts *f)
{
	return f->afi & 7;
}
static inline unsigned fw_next_slot(const struct fw_facts *f)
{
	return f->afi >> 4 & 7;
}

enum fw_activate { FW_STORE, FW_LATER, FW_RESET, FW_NOW };

struct fw_options {
	unsigned slot; /* 0: chosen */
	enum fw_activate activate;
	const char *expect; /* revision, or NULL */
};

/* Special and known-bad drives: data, one source per row (src/fw/quirks.c). */
enum {
	FW_QUIRK_PAD_FF = 1,
	FW_QUIRK_POWER_CYCLE = 2,
	FW_QUIRK_SLOT_0 = 4,
	FW_QUIRK_SLOT_1 = 8,
	FW_QUIRK_NO_LIVE = 16,
	FW_QUIRK_LARGE_CHUNKS = 32
};
struct fw_quirk {
	int vid;                      /* -1: any */
	const char *model, *firmware; /* fnmatch patterns; NULL: any */
	unsigned flags;
	const char *source;
};
const struct fw_quirk *fw_quirk_find(const struct fw_facts *facts);

struct fw_plan {
	bool already_current;
	unsigned slot, action;
	uint32_t chunk_bytes;
	size_t chunks;
	size_t padded_size;    /* bytes that are sent */
	unsigned wait_seconds; /* for the drive after commit or reset: MTFA plus 20 s, or --timeout */
	char notes[4][160];    /* what the user should know: the running slot is overwritten, FWUG exceeds MDTS, ... */
	size_t n_notes;
};
/* Pure. Returns 0, or -1 with the reason for the refusal (unsupported, refused, usage, bad_input). */
int fw_plan(const struct fw_facts *facts, size_t image_size, const struct fw_options *options, unsigned timeout_seconds,
	    struct fw_plan *plan, struct ssd_err *err);

/* Results by their contract words. */
enum fw_result {
	FW_ACTIVE,
	FW_STORED,
	FW_ALREADY_CURRENT,
	FW_PENDING_CONTROLLER_RESET,
	FW_PENDING_SUBSYSTEM_RESET,
	FW_PENDING_CONVENTIONAL_RESET,
	FW_PENDING_POWER_CYCLE,
	FW_UNCHANGED,
	FW_NOT_APPLIED,
	FW_NOT_ATTEMPTED,
	FW_DRY_RUN,
};
const char *fw_result_word(enum fw_result result);

/* What was done, kept truthful at every moment so that an interrupted run can say it. */
struct fw_outcome {
	enum fw_result result;
	char before[FW_REVISION], after[FW_REVISION]; /* running revisions */
	size_t bytes_sent;
	unsigned commands;
	bool committed; /* the drive accepted a commit */
	double seconds;
};

#endif
