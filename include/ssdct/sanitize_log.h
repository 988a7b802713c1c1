/* SPDX-License-Identifier: MIT */
/* Log page 81h for code: NVM Express Base Specification 2.0c, section "Sanitize Status (Log Page Identifier 81h)". */
#ifndef SSDCT_SANITIZE_LOG_H
#define SSDCT_SANITIZE_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* SSTAT bits 2:0. */
enum ssd_sanitize_state {
	SSD_SANITIZE_NEVER,
	SSD_SANITIZE_COMPLETED,
	SSD_SANITIZE_IN_PROGRESS,
	SSD_SANITIZE_FAILED,
	SSD_SANITIZE_DEALLOCATED, /* completed, and deallocated although the command said not to */
};

/* Sanitize, CDW10 bits 2:0. */
enum ssd_sanitize_action {
	SSD_SANACT_EXIT_FAILURE = 1,
	SSD_SANACT_BLOCK = 2,
	SSD_SANACT_OVERWRITE = 3,
	SSD_SANACT_CRYPTO = 4,
};

struct ssd_sanitize_log {
	unsigned state;        /* enum ssd_sanitize_state, or a reserved value */
	unsigned passes;       /* completed ones of an overwrite */
	bool erased;           /* nothing was written since */
	uint16_t sprog;        /* 65536ths, while in progress */
	uint32_t cdw10;        /* of the last operation's command */
	uint32_t estimates[6]; /* seconds: overwrite, block, crypto; the same without deallocation. UINT32_MAX: none */
};

void ssd_sanitize_log_decode(const uint8_t *buf, size_t len, struct ssd_sanitize_log *log);

#endif
