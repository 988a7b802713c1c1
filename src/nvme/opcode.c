/* SPDX-License-Identifier: MIT */
/* Admin commands: names and timeouts, one table. */
#include <ssdct/admin.h>

/*
 * The Linux driver's admin_timeout is 60 s (drivers/nvme/host/core.c). An admin command that outlives its timeout resets
 * the controller, so no command gets less.
 */
#define DEFAULT_MS 60000u
/* Commit writes the slot and may pause the controller; nvme-cli long used this value (linux-nvme/nvme-cli#2889). */
#define COMMIT_MS 120000u
/* Some drives need longer than the default (linux-nvme/nvme-cli#440), an Intel P4610 very much longer (#955). */
#define NAMESPACE_MS 600000u
/* Format runs to its end inside the command: P3xxx drives take more than ten minutes (Intel article 000057964). */
#define FORMAT_MS 3600000u
/* Sanitize only starts an operation; long all the same, as a reset in its midst is the worst that could follow. */
#define SANITIZE_MS 600000u

/* NVM Express Base Specification 2.0c, figure 138. */
static const struct {
	const char *name;
	uint32_t timeout_ms; /* 0: the default */
} table[0xa0] = {
	[0x00] = {"Delete I/O Submission Queue"},
	[0x01] = {"Create I/O Submission Queue"},
	[0x02] = {"Get Log Page"},
	[0x04] = {"Delete I/O Completion Queue"},
	[0x05] = {"Create I/O Completion Queue"},
	[0x06] = {"Identify"},
	[0x08] = {"Abort"},
	[0x09] = {"Set Features"},
	[0x0a] = {"Get Features"},
	[0x0c] = {"Asynchronous Event Request"},
	[0x0d] = {"Namespace Management", NAMESPACE_MS},
	[0x10] = {"Firmware Commit", COMMIT_MS},
	[0x11] = {"Firmware Image Download"},
	[0x14] = {"Device Self-test"},
	[0x15] = {"Namespace Attachment"},
	[0x18] = {"Keep Alive"},
	[0x19] = {"Directive Send"},
	[0x1a] = {"Directive Receive"},
	[0x1c] = {"Virtualization Management"},
	[0x1d] = {"NVMe-MI Send"},
	[0x1e] = {"NVMe-MI Receive"},
	[0x20] = {"Capacity Management", NAMESPACE_MS},
	[0x24] = {"Lockdown"},
	[0x7c] = {"Doorbell Buffer Config"},
	[0x7f] = {"Fabrics Commands"},
	[0x80] = {"Format NVM", FORMAT_MS},
	[0x81] = {"Security Send"},
	[0x82] = {"Security Receive"},
	[0x84] = {"Sanitize", SANITIZE_MS},
	[0x86] = {"Get LBA Status"},
};

uint32_t ssd_timeout_ms(uint8_t opcode)
{
	uint32_t ms = opcode < ARRAY_SIZE(table) ? table[opcode].timeout_ms : 0;

	return ms ? ms : DEFAULT_MS;
}

const char *ssd_opcode_name(uint8_t opcode)
{
	if (opcode >= 0xc0)
		return "Vendor specific command";
	if (opcode < ARRAY_SIZE(table) && table[opcode].name)
		return table[opcode].name;
	return "Reserved command";
}

/* NVM Express NVM Command Set Specification 1.0c, figure 12; Zoned Namespace Command Set Specification 1.1c, figure 12. */
static const char *const io_names[0x80] = {
	[0x00] = "Flush",
	[0x01] = "Write",
	[0x02] = "Read",
	[0x04] = "Write Uncorrectable",
	[0x05] = "Compare",
	[0x08] = "Write Zeroes",
	[0x09] = "Dataset Management",
	[0x0c] = "Verify",
	[0x0d] = "Reservation Register",
	[0x0e] = "Reservation Report",
	[0x11] = "Reservation Acquire",
	[0x15] = "Reservation Release",
	[0x19] = "Copy",
	[0x79] = "Zone Management Send",
	[0x7a] = "Zone Management Receive",
	[0x7d] = "Zone Append",
	[0x7f] = "Fabrics Commands",
};

const char *ssd_io_opcode_name(uint8_t opcode)
{
	if (opcode >= ARRAY_SIZE(io_names))
		return "Vendor specific command";
	return io_names[opcode] ? io_names[opcode] : "Reserved command";
}

const char *ssd_cmd_name(const struct ssd_cmd *cmd)
{
	return cmd->io ? ssd_io_opcode_name(cmd->opcode) : ssd_opcode_name(cmd->opcode);
}
