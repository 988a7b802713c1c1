/* SPDX-License-Identifier: MIT */
/* Classes of raw commands: every opcode of both queues (CONTRACT section 5). */
#include "check.h"
#include "cmd/passthru_class.h"

#include <nvme/types.h>

static const struct ssd_drive drive;

static enum passthru_class class_of(bool io, uint8_t opcode, uint32_t cdw10)
{
	struct ssd_device dev = {.drive = &drive};

	return passthru_classify(&dev, &(struct ssd_cmd){.opcode = opcode, .io = io, .cdw10 = cdw10});
}

START_TEST(io)
{
	for (unsigned opcode = 0; opcode < 256; opcode++) {
		bool reads = opcode == nvme_cmd_flush || opcode == nvme_cmd_read || opcode == nvme_cmd_compare ||
			     opcode == nvme_cmd_verify || opcode == nvme_cmd_resv_report;

		ck_assert_int_eq(class_of(true, (uint8_t)opcode, 0), reads ? PASSTHRU_READS : PASSTHRU_DESTROYS);
	}
}
END_TEST

START_TEST(admin)
{
	static const uint8_t kernels[] = {0x00, 0x01, 0x04, 0x05, 0x0c, 0x7c, 0x7f};
	static const uint8_t not_destroying[] = {0x02, 0x06, 0x08, 0x09, 0x0a, 0x0d, 0x10,
						 0x11, 0x14, 0x15, 0x18, 0x1a, 0x82, 0x86};

	/* CDW10 FFFFFFFFh: reserved values of every field. */
	for (unsigned opcode = 0; opcode < 256; opcode++) {
		enum passthru_class class = class_of(false, (uint8_t)opcode, UINT32_MAX);

		if (memchr(kernels, (int)opcode, sizeof(kernels)))
			ck_assert_int_eq(class, PASSTHRU_KERNELS);
		else if (!memchr(not_destroying, (int)opcode, sizeof(not_destroying)))
			ck_assert_int_eq(class, PASSTHRU_DESTROYS);
	}
	for (unsigned opcode = 0xc0; opcode < 256; opcode++)
		ck_assert_int_eq(class_of(false, (uint8_t)opcode, 0), PASSTHRU_DESTROYS);
}
END_TEST

START_TEST(by_dword_10)
{
	static const struct {
		uint8_t opcode;
		uint32_t cdw10;
		enum passthru_class class;
	} rows[] = {
		{nvme_admin_identify, 1, PASSTHRU_READS},
		{nvme_admin_get_features, 4, PASSTHRU_READS},
		{nvme_admin_get_log_page, 0x7f8002, PASSTHRU_READS},
		{nvme_admin_get_log_page, 0x7f0002, PASSTHRU_CHANGES}, /* RAE 0 */
		{nvme_admin_get_log_page, 0x7f8107, PASSTHRU_CHANGES}, /* creates telemetry */
		{nvme_admin_get_log_page, 0x7f80dd, PASSTHRU_CHANGES}, /* nobody's page */
		{nvme_admin_get_log_page, 0x7f810d, PASSTHRU_CHANGES}, /* a context */
		{nvme_admin_set_features, 0x04, PASSTHRU_CHANGES},
		{nvme_admin_set_features, 0x80000004, PASSTHRU_CHANGES},
		{nvme_admin_set_features, 0x07, PASSTHRU_KERNELS},
		{nvme_admin_set_features, 0x80000016, PASSTHRU_KERNELS},
		{nvme_admin_set_features, 0x84, PASSTHRU_DESTROYS},
		{nvme_admin_set_features, 0xc1, PASSTHRU_DESTROYS},
		{nvme_admin_set_features, 0x20, PASSTHRU_DESTROYS},
		{nvme_admin_ns_mgmt, 0, PASSTHRU_CHANGES},
		{nvme_admin_ns_mgmt, 1, PASSTHRU_DESTROYS},
		{nvme_admin_ns_mgmt, 2, PASSTHRU_DESTROYS},
		{nvme_admin_ns_attach, 0, PASSTHRU_CHANGES},
		{nvme_admin_ns_attach, 1, PASSTHRU_TAKES_ACCESS},
		{nvme_admin_ns_attach, 2, PASSTHRU_DESTROYS},
		{nvme_admin_fw_commit, 0 << 3 | 1, PASSTHRU_CHANGES},
		{nvme_admin_fw_commit, 1 << 3 | 1, PASSTHRU_CHANGES},
		{nvme_admin_fw_commit, 2 << 3 | 1, PASSTHRU_CHANGES},
		{nvme_admin_fw_commit, 3 << 3 | 1, PASSTHRU_INTERRUPTS},
		{nvme_admin_fw_commit, 6u << 3, PASSTHRU_DESTROYS}, /* replaces a boot partition */
		{nvme_admin_format_nvm, 0, PASSTHRU_DESTROYS},
		{nvme_admin_sanitize_nvm, 1, PASSTHRU_DESTROYS},
		{nvme_admin_security_send, 0, PASSTHRU_DESTROYS},
		{nvme_admin_nvme_mi_send, 0, PASSTHRU_DESTROYS},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		ck_assert_msg(class_of(false, rows[i].opcode, rows[i].cdw10) == rows[i].class, "row %zu: %s", i,
			      passthru_class_word(class_of(false, rows[i].opcode, rows[i].cdw10)));
}
END_TEST

CHECK_MAIN("passthru", io, admin, by_dword_10)
