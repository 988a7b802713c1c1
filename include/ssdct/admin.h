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
/* How a page with a table is asked for when nothing else is said. */
struct ssd_log_request ssd_log_request_of(const struct ssd_page *page);

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

/* Timeout by opcode, milliseconds: never below the kernel's own. */
uint32_t ssd_timeout_ms(uint8_t opcode);
const char *ssd_opcode_name(uint8_t opcode);
const char *ssd_io_opcode_name(uint8_t opcode);

/*
 * What runs in the drive on its own, in words ("a sanitize operation"), or NULL: a sanitize operation, a self-test, a format
 * that the drive tells of. A drive that cannot tell is taken as idle. Needs ssd_id_ctrl().
 */
const char *ssd_busy_with(struct ssd_device *dev);

/*
 * Why a Get Log Page is no pure read, as words behind what it is ("reading it clears it"); NULL: it is one. The page alone
 * means the page as a whole, with Retain Asynchronous Event.
 */
const char *ssd_log_hazard(const struct ssd_device *dev, const struct ssd_cmd *cmd);
const char *ssd_log_page_hazard(const struct ssd_device *dev, uint8_t lid);

/* The drive is a directory of what was read of one: nothing is there that was not recorded. */
bool ssd_is_recording(const struct ssd_device *dev);

/* Whether a command only reads, by opcode, log page, LSP, RAE and a vendor's table; ctx is the struct ssd_device. */
bool ssd_is_read(const void *ctx, const struct ssd_cmd *cmd);

#endif
