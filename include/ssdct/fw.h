/* SPDX-License-Identifier: MIT */
/* Firmware: images, plan (pure), execution, verification. */
#ifndef SSDCT_FW_H
#define SSDCT_FW_H

#include <ssdct/admin.h>
#include <ssdct/safety.h>

#define FW_SLOTS 7
#define FW_REVISION 9 /* 8 characters and NUL */
#define FW_IMAGE_MAX (64u << 20)

/* A file that may hold an image, read once so that every drive gets the same bytes. */
struct fw_file {
	char *path;    /* as given; owned */
	uint8_t *data; /* owned */
	size_t size;
	bool archive; /* .cab or .zip: fw_image_select() finds the payload */
};

/*
 * Reads a file and refuses what is no firmware, by name (ELF, HTML, gzip, text, empty, directory, ...). Returns 0, or -1
 * with bad_input.
 */
int fw_file_read(const char *path, struct fw_file *file, struct ssd_err *err);
void fw_file_free(struct fw_file *file);

/* What an archive's metadata are compared with. */
struct fw_match {
	const char *model; /* trimmed */
	int pci_vendor;    /* -1: unknown, as the next three */
	int pci_device, pci_subsystem_vendor, pci_subsystem_device;
	const char *revision; /* that runs; NULL: not known */
	const uint8_t *fguid; /* FRU GUID, Identify Controller bytes 112 to 127; NULL: none */
};

/* An image as it goes to the drive, whatever it was packed in. */
struct fw_image {
	char *path;    /* as given; owned */
	char *member;  /* name inside an archive, or NULL; owned */
	uint8_t *data; /* owned */
	size_t size;
	char sha256[65];
	char version[64]; /* from the archive's metadata; empty: unknown */
};

/* The image for this drive: the file itself, or the payload of a .cab or .zip that is for it. 0, or -1 with bad_input. */
int fw_image_select(const struct fw_file *file, const struct fw_match *match, struct fw_image *image,
		    struct ssd_err *err);
void fw_image_free(struct fw_image *image);

/* The GUID that fwupd and the LVFS make of an instance id: RFC 4122, version 5, in the DNS namespace. */
void fw_guid(const char *instance_id, char guid[37]);

/*
 * What a plan is computed from; read from the drive by fw_facts_read(). Serial number and revisions are the drive's bytes,
 * trimmed, so that two that differ never compare equal; fw_shown() is for people. The model is as it is shown.
 */
struct fw_facts {
	char model[161], serial[21], running_revision[FW_REVISION];
	uint16_t vid, ssvid;
	int pci_device; /* -1: unknown */
	uint16_t oacs;
	uint8_t frmw, fwug, mdts;
	uint16_t mtfa_100ms;
	uint8_t afi;
	char revisions[FW_SLOTS][FW_REVISION]; /* of slot 1 to 7; empty: none */
	uint32_t max_transfer;                 /* the kernel's limit, bytes; 0: unknown */
	bool busy;                             /* AFI bit 3: an update is in progress */
	bool identified, slots_known;          /* Identify could be read; the slot log as well */
	const char *busy_with;                 /* an operation that must end first, in words, or NULL */
};
/* Reads Identify Controller and the slot log anew, and whether a self-test or sanitize runs. 0, or -1 with *err set. */
int fw_facts_read(struct ssd_device *dev, struct fw_facts *facts, struct ssd_err *err);
/*
 * For a drive that may need a reset: as much as can be read. -1 when not even Identify can; 0 with *err set when the slot log
 * cannot, and slots_known false.
 */
int fw_facts_read_some(struct ssd_device *dev, struct fw_facts *facts, struct ssd_err *err);
/* A drive's text with every byte outside printable ASCII as \xNN; at most 40 bytes of it. */
struct fw_text {
	char s[161];
};
struct fw_text fw_shown(const char *text);
/* FRMW: bit 0 slot 1 is read-only, bits 3:1 number of slots, bit 4 activation without reset (NVMe 2.0c, figure 275). */
static inline unsigned fw_slot_count(const struct fw_facts *f)
{
	return f->frmw >> 1 & 7;
}
static inline bool fw_slot_writable(const struct fw_facts *f, unsigned slot)
{
	return slot >= 1 && slot <= fw_slot_count(f) && !(slot == 1 && f->frmw & 1);
}
static inline bool fw_activates_live(const struct fw_facts *f)
{
	return f->frmw & 0x10;
}
/* AFI bits 2:0; where they say nothing, the only slot that holds what runs; 0: not known. */
unsigned fw_running_slot(const struct fw_facts *f);
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
	FW_QUIRK_NO_LIVE = 4,
};
struct fw_quirk {
	int vid;                      /* VID of Identify Controller; -1: any */
	int pci_device;               /* -1: any */
	const char *model, *firmware; /* fnmatch patterns; NULL: any */
	unsigned flags;
	const char *source;
};
const struct fw_quirk *fw_quirk_find(const struct fw_facts *facts);

struct fw_plan {
	bool already_current;
	bool replaces_running; /* the target is the running slot */
	bool commits;          /* slot and action count; else it is a download alone */
	unsigned slot, action; /* slot 0: the controller chooses */
	unsigned quirks;
	uint32_t chunk_bytes; /* 0: nothing is downloaded */
	size_t chunks;
	size_t padded_size;    /* bytes that are sent */
	unsigned wait_seconds; /* for the drive after commit or reset: fw_wait_seconds() */
	char notes[6][160];    /* what the user should know: the running slot is overwritten, FWUG exceeds MDTS, ... */
	size_t n_notes;
};
/* What the user says, else MTFA plus 20 s; more than 10 minutes of MTFA is not believed. */
#define FW_MTFA_MAX 6000u /* in the units of MTFA, 100 ms */
unsigned fw_wait_seconds(const struct fw_facts *facts, unsigned timeout_seconds);
/* Pure. Returns 0, or -1 with the reason for the refusal (unsupported, refused, usage, bad_input). */
int fw_plan(const struct fw_facts *facts, size_t image_size, const struct fw_options *options, unsigned timeout_seconds,
	    struct fw_plan *plan, struct ssd_err *err);
/* The same for the single steps: download alone; commit of an image that is downloaded (or action 2: of a slot). */
int fw_plan_download(const struct fw_facts *facts, size_t image_size, struct fw_plan *plan, struct ssd_err *err);
int fw_plan_commit(const struct fw_facts *facts, unsigned slot, unsigned action, unsigned timeout_seconds,
		   struct fw_plan *plan, struct ssd_err *err);
/* The k-th command of a plan as it is sent: downloads first, the commit last. data is the image's, or NULL. */
void fw_plan_download_cmd(const struct fw_plan *plan, size_t k, struct ssd_cmd *cmd);
void fw_plan_commit_cmd(const struct fw_plan *plan, struct ssd_cmd *cmd);

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
	FW_UNKNOWN, /* no word: what the drive made of it could not be found out; the error says what is known */
};
const char *fw_result_word(enum fw_result result);

/* What was done, kept truthful at every moment so that an interrupted run can say it. */
struct fw_outcome {
	enum fw_result result;
	char before[FW_REVISION], after[FW_REVISION]; /* running revisions; after is empty until it was read again */
	size_t bytes_sent;
	unsigned commands; /* downloads and commits that were sent */
	bool commit_sent;  /* a commit was sent, whatever became of it */
	bool committed;    /* the drive accepted it, or its slot log shows it */
	bool reset_sent;
	unsigned slot;         /* where the image is; 0: not known, when the drive chose */
	struct fw_facts facts; /* the last that were read */
	bool stale;            /* they are from before a commit or a reset that was sent */
	double seconds;
	char notes[4][160];
	size_t n_notes;
};

/* An execution. The device is open and has its grant; a reopened one gets the same. */
struct fw_job {
	struct ssd_device *dev;
	const struct fw_plan *plan;
	const struct fw_image *image; /* NULL: nothing to download */
	const struct fw_facts *before;
	enum fw_activate activate;
	const char *expect; /* revision, or NULL */
	bool download_only;
	/* Looks for the drive again, also under another name, and opens it into dev. One attempt. */
	int (*reopen)(void *ctx, struct ssd_device *dev, struct ssd_err *err);
	/* Reads the running revision and the slot log of the n-th other controller of the subsystem; 1: there is none. */
	int (*other)(void *ctx, size_t n, struct fw_facts *facts, char device[32], struct ssd_err *err);
	void (*progress)(void *ctx, size_t done, size_t total); /* bytes */
	void *ctx;
};

/*
 * Downloads, commits, resets if wanted, waits, verifies. Signals (INT, TERM, HUP) must be blocked by the caller
 * (ssd_signals_block()): they are looked at between commands. Returns 0 with the result in *outcome, or -1 with *err set and
 * *outcome saying how far it came.
 */
int fw_run(const struct fw_job *job, struct fw_outcome *outcome, struct ssd_err *err);
/* Resets the drive and waits for it: for the command `reset`. What was known before may be less than all: some facts. */
int fw_reset(const struct fw_job *job, enum ssd_control op, struct fw_outcome *outcome, struct ssd_err *err);

#endif
