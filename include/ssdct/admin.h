/* SPDX-License-Identifier: MIT */
/*
 * Admin commands as functions. admin.c is the only caller of a transport's submit: here errno and NVMe status become one
 * error object, timeouts are set, idempotent reads are retried, and buffers are checked for having been written at all.
 * All functions return 0, or -1 with *err set (its message names the drive and the attempt).
 */
#ifndef SSDCT_ADMIN_H
#define SSDCT_ADMIN_H

#include <ssdct/device.h>
#include <ssdct/page.h>

/* Identify, 4096 bytes at most into buf (page-aligned); *got is what the drive wrote. */
struct ssd_identify {
	uint8_t cns;
	uint32_t nsid;
	uint16_t cntid;
	uint16_t cnssi; /* CNS specific identifier: where a list of NVM sets or domains begins */
	uint8_t csi;
};
int ssd_identify(struct ssd_device *dev, const struct ssd_identify *id, uint8_t *buf, size_t *got, struct ssd_err *err);

/* Reads Identify Controller once and keeps it in the device; also finds the vendor. */
int ssd_id_ctrl(struct ssd_device *dev, struct ssd_err *err);
/* Reads it once more, and refuses one of which fewer bytes arrived than are needed of it: what is missing is not zero. */
int ssd_id_ctrl_anew(struct ssd_device *dev, size_t needed, struct ssd_err *err);

/* One log page, in pieces when the drive can do offsets and len needs them; RAE is set on every piece. */
struct ssd_log_request {
	uint8_t lid, lsp;
	uint16_t lsi;
	uint32_t nsid;
	uint8_t uuid_index;
	uint64_t offset; /* bytes */
};
int ssd_get_log(struct ssd_device *dev, const struct ssd_log_request *req, uint8_t *buf, size_t len, size_t *got,
		struct ssd_err *err);

/* No page is read further than this: a length that a drive makes up must not fill the memory. */
#define SSD_MAX_LOG_BYTES (4u << 20)
/* How long a page with a table is on this drive; reads its head when only that says so. 0, or -1 with *err set. */
int ssd_log_bytes(struct ssd_device *dev, const struct ssd_page *page, const struct ssd_log_request *req, size_t *len,
		  struct ssd_err *err);
/* How a page with a table is asked for when nothing else is said. Needs ssd_id_ctrl(); may read the UUID List. */
struct ssd_log_request ssd_log_request_of(struct ssd_device *dev, const struct ssd_page *page);
/* Index of a UUID in the drive's UUID List, which is read once and only where Identify announces it; 0: it is not there. */
uint8_t ssd_uuid_index(struct ssd_device *dev, const uint8_t uuid[16]);
/* Whether the list that has been read has the UUID at this index; asks nothing. */
bool ssd_uuid_is_at(const struct ssd_device *dev, const uint8_t uuid[16], unsigned index);

enum ssd_select { SSD_CURRENT, SSD_DEFAULT, SSD_SAVED, SSD_SUPPORTED };
int ssd_get_feature(struct ssd_device *dev, uint8_t fid, enum ssd_select select, uint32_t nsid, uint32_t cdw11,
		    uint32_t *value, struct ssd_err *err);

/* The whole answer: both dwords of the completion, and the data when buf is not NULL. */
struct ssd_feature_request {
	uint8_t fid;
	enum ssd_select select;
	uint32_t nsid, cdw11;
};
int ssd_get_feature_data(struct ssd_device *dev, const struct ssd_feature_request *req, uint64_t *result, uint8_t *buf,
			 size_t len, size_t *got, struct ssd_err *err);

/* Reads a page (log page or Identify structure) by its table and decodes it. NULL with *err set. */
struct ssd_node *ssd_read_page(struct ssd_device *dev, struct ssd_arena *a, const struct ssd_page *page, uint32_t nsid,
			       struct ssd_err *err);

/* Decodes bytes that the drive has sent, with what its Identify Controller says of them. Needs ssd_id_ctrl(). */
struct ssd_node *ssd_page_decode_from(const struct ssd_device *dev, struct ssd_arena *a, const struct ssd_page *page,
				      const uint8_t *buf, size_t len);

/* A read that succeeded and brought less than is needed of it: NOT_WRITTEN, so that nobody takes zeros for what it said. */
int ssd_fail_short(const struct ssd_device *dev, const char *label, size_t got, size_t needed, struct ssd_err *err);

/* Page-aligned buffer, owned by the caller, freed with free(). */
uint8_t *ssd_page_alloc(size_t bytes);

/* VER as the drive says it: 0x10300 for 1.3; 0 before 1.2. Needs ssd_id_ctrl(). */
uint32_t ssd_version(const struct ssd_device *dev);
/* Bytes one command may transfer: MDTS, the kernel's limit and 128 KiB, whichever is least. Needs ssd_id_ctrl(). */
uint32_t ssd_max_transfer(const struct ssd_device *dev);
/* The standard log pages, whether or not a decoder exists: one table, by lid. */
struct ssd_log_info {
	uint8_t lid;
	const char *name;  /* for `log get NAME`: "smart", "error", "firmware-slot", ... */
	const char *label; /* the specification's term */
	/* Why reading it can change something whatever the flags: contexts, pages that reading uses up. NULL: it cannot. */
	const char *not_free;
	uint8_t free_lsp; /* bits of LSP that only choose what is read; any other bit may make the drive do something */
};
const struct ssd_log_info *ssd_log_info(uint8_t lid); /* NULL: not a standard page */
extern const struct ssd_log_info ssd_log_table[];     /* ends with a NULL name */

/*
 * Log pages that the drive says it has: by VER, LPA, OACS, OAES and friends, and by the supported-log-pages page where LPA
 * says that there is one. Mandatory pages (01h, 02h, 03h) are always announced. Needs ssd_id_ctrl(). Never sends a command
 * that the drive has not announced.
 */
bool ssd_announces_log(struct ssd_device *dev, uint8_t lid);
/* The same by Identify Controller alone, for what must cost no further command. */
bool ssd_identify_announces(const struct ssd_device *dev, uint8_t lid);
/* A vendor's page that not all drives of its tables have is there by page 00h, or because the drive lists whose page it is. */
bool ssd_announces_page(struct ssd_device *dev, const struct ssd_page *page);

/*
 * Any command, for modules that build their own (firmware). Its timeout is the opcode's, or the command's own when that is
 * longer. Returns 0 with *cpl, or -errno; no retries, no error object.
 */
int ssd_submit(struct ssd_device *dev, struct ssd_cmd *cmd, struct ssd_cpl *cpl);
/* The same for a command whose data come from the drive; *got is how many bytes of them arrived. */
int ssd_submit_read(struct ssd_device *dev, struct ssd_cmd *cmd, struct ssd_cpl *cpl, size_t *got);
/* Controller or subsystem reset, or rescan. */
int ssd_control(struct ssd_device *dev, enum ssd_control op, struct ssd_err *err);
const char *ssd_control_name(enum ssd_control op); /* "controller reset", ... */
/* Turns what ssd_submit() gave into the error object; 0 when it was success. */
int ssd_check(struct ssd_device *dev, const struct ssd_cmd *cmd, int rc, const struct ssd_cpl *cpl,
	      struct ssd_err *err);

/* A status that the host's driver made because it gave the command up: what the drive made of it is not known. */
bool ssd_host_gave_up(unsigned status);
/* An errno with which the guard or the kernel stops a command or reset on its way: it has not reached the drive. */
bool ssd_never_sent(int error);
/*
 * What ssd_submit() gave says that a command may have reached the drive and its answer did not reach us: an errno from
 * after the sending, or a status of the host's driver. What came of it only the drive can tell.
 */
bool ssd_is_lost(int rc, const struct ssd_cpl *cpl);

/* The drive, or its version of NVMe, does not have what was asked for; any other error says nothing of that. */
bool ssd_is_missing(const struct ssd_err *err);

/* --- namespaces and who has them, by the drive's lists; all of these need ssd_id_ctrl() --- */

struct ssd_nsids {
	uint32_t *v; /* ascending; owned */
	size_t n;
};
/*
 * Namespaces that are attached to the controller. Drives before NVMe 1.2, and some later ones, have no list of them
 * (linux-nvme/nvme-cli issue 411): then the kernel's are taken. 0, or -1 with *err set and nothing to free.
 */
int ssd_nsids_attached(struct ssd_device *dev, struct ssd_nsids *list, struct ssd_err *err);
/* All that the subsystem has. When ssd_is_missing() the drive does not say. */
int ssd_nsids_allocated(struct ssd_device *dev, struct ssd_nsids *list, struct ssd_err *err);
void ssd_nsids_free(struct ssd_nsids *list);

/* Controller List: 2047 identifiers at most (NVM Express Base Specification 2.0c). */
#define SSD_CONTROLLERS 2047
struct ssd_controllers {
	uint16_t ids[SSD_CONTROLLERS]; /* ascending */
	unsigned n;
};
/*
 * Controllers that have a namespace; attached: this one has it. When ssd_is_missing() the drive does not say, which is not
 * nobody; but where CMIC bit 1 is clear the subsystem has one controller, and there is nobody else.
 */
int ssd_controllers_of(struct ssd_device *dev, uint32_t nsid, bool attached, struct ssd_controllers *list,
		       struct ssd_err *err);
/* Controllers of the subsystem. */
int ssd_controllers_all(struct ssd_device *dev, struct ssd_controllers *list, struct ssd_err *err);
bool ssd_has_controller(const struct ssd_controllers *list, unsigned id);
/* Whether a controller of the drive, by its identifier, is one that this host shows. */
bool ssd_is_of_host(const struct ssd_drive *drive, unsigned controller);

/* Timeout by opcode, milliseconds: never below the kernel's own default; transport/linux.c goes by what that is set to. */
uint32_t ssd_timeout_ms(uint8_t opcode);
const char *ssd_opcode_name(uint8_t opcode);
const char *ssd_io_opcode_name(uint8_t opcode);
const char *ssd_cmd_name(const struct ssd_cmd *cmd);

/*
 * What runs in the drive on its own, in words ("a sanitize operation"), or NULL: a sanitize operation, a self-test, a format
 * that the drive tells of. A drive that cannot tell is taken as idle. Needs ssd_id_ctrl().
 */
const char *ssd_busy_with(struct ssd_device *dev);
/* Whether it is a sanitize operation, in whose midst a drive does and shows hardly anything. Needs ssd_id_ctrl(). */
bool ssd_is_sanitizing(struct ssd_device *dev);

/*
 * Why a Get Log Page is no pure read, as words behind what it is ("reading it clears it"); NULL: it is one. The page alone
 * means the page as a whole, with Retain Asynchronous Event.
 */
const char *ssd_log_hazard(const struct ssd_device *dev, const struct ssd_cmd *cmd);
const char *ssd_log_page_hazard(const struct ssd_device *dev, uint8_t lid, uint8_t uuid_index);

/* The drive is a directory of what was read of one: nothing is there that was not recorded. */
bool ssd_is_recording(const struct ssd_device *dev);

/* Whether a command only reads, by opcode, log page, LSP, RAE and a vendor's table; ctx is the struct ssd_device. */
bool ssd_is_read(const void *ctx, const struct ssd_cmd *cmd);
/* Whether it may be sent again when its answer was lost: a pure read, or one within a context that is there. */
bool ssd_is_repeatable(const struct ssd_device *dev, const struct ssd_cmd *cmd);

#endif
