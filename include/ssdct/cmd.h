/* SPDX-License-Identifier: MIT */
/* The narrow waist: one command in, one completion out. Everything said to a drive is this. */
#ifndef SSDCT_CMD_H
#define SSDCT_CMD_H

#include <stdbool.h>
#include <stdint.h>

/* Admin opcodes (NVM Express Base Specification 2.0c, figure 138). */
enum ssd_opcode {
	SSD_ADMIN_GET_LOG_PAGE = 0x02,
	SSD_ADMIN_IDENTIFY = 0x06,
	SSD_ADMIN_SET_FEATURES = 0x09,
	SSD_ADMIN_GET_FEATURES = 0x0a,
	SSD_ADMIN_NS_MANAGEMENT = 0x0d,
	SSD_ADMIN_FIRMWARE_COMMIT = 0x10,
	SSD_ADMIN_FIRMWARE_DOWNLOAD = 0x11,
	SSD_ADMIN_SELF_TEST = 0x14,
	SSD_ADMIN_NS_ATTACHMENT = 0x15,
	SSD_ADMIN_FORMAT_NVM = 0x80,
	SSD_ADMIN_SANITIZE = 0x84,
};

/* I/O opcodes (NVM Command Set Specification 1.0c, figure 20). */
enum ssd_io_opcode {
	SSD_IO_FLUSH = 0x00,
	SSD_IO_WRITE = 0x01,
	SSD_IO_READ = 0x02,
	SSD_IO_WRITE_ZEROES = 0x08,
	SSD_IO_DSM = 0x09,
};

enum ssd_direction { SSD_DATA_NONE, SSD_DATA_TO_DRIVE, SSD_DATA_FROM_DRIVE };

#define SSD_NSID_ALL 0xffffffffu

struct ssd_cmd {
	uint8_t opcode;
	bool io; /* an I/O command set opcode, not an admin one */
	uint32_t nsid, cdw2, cdw3, cdw10, cdw11, cdw12, cdw13, cdw14, cdw15;
	void *data;        /* page-aligned, owned by the caller */
	uint32_t data_len; /* bytes */
	enum ssd_direction direction;
	uint32_t timeout_ms; /* given to the kernel; raised by admin.c to what the opcode table says */
};

struct ssd_cpl {
	uint16_t
		status; /* as the kernel returns it: code 7:0, type 10:8, retry delay 12:11, More 13, Do Not Retry 14 */
	uint64_t result; /* CQE dword 0 and 1 */
};

#endif
