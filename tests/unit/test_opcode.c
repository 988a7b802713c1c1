/* SPDX-License-Identifier: MIT */
#include "check.h"

#include <libnvme.h>
#include <ssdct/admin.h>

START_TEST(names)
{
	/* Libnvme's header gives the number, the specification (2.0c, figure 138) the name. */
	static const struct {
		unsigned opcode;
		const char *name;
	} rows[] = {
		{nvme_admin_get_log_page, "Get Log Page"},
		{nvme_admin_identify, "Identify"},
		{nvme_admin_abort_cmd, "Abort"},
		{nvme_admin_set_features, "Set Features"},
		{nvme_admin_get_features, "Get Features"},
		{nvme_admin_async_event, "Asynchronous Event Request"},
		{nvme_admin_ns_mgmt, "Namespace Management"},
		{nvme_admin_fw_commit, "Firmware Commit"},
		{nvme_admin_fw_download, "Firmware Image Download"},
		{nvme_admin_dev_self_test, "Device Self-test"},
		{nvme_admin_ns_attach, "Namespace Attachment"},
		{nvme_admin_keep_alive, "Keep Alive"},
		{nvme_admin_directive_send, "Directive Send"},
		{nvme_admin_directive_recv, "Directive Receive"},
		{nvme_admin_virtual_mgmt, "Virtualization Management"},
		{nvme_admin_nvme_mi_send, "NVMe-MI Send"},
		{nvme_admin_nvme_mi_recv, "NVMe-MI Receive"},
		{nvme_admin_capacity_mgmt, "Capacity Management"},
		{nvme_admin_lockdown, "Lockdown"},
		{nvme_admin_dbbuf, "Doorbell Buffer Config"},
		{nvme_admin_format_nvm, "Format NVM"},
		{nvme_admin_security_send, "Security Send"},
		{nvme_admin_security_recv, "Security Receive"},
		{nvme_admin_sanitize_nvm, "Sanitize"},
		{nvme_admin_get_lba_status, "Get LBA Status"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		ck_assert_str_eq(ssd_opcode_name((uint8_t)rows[i].opcode), rows[i].name);
	ck_assert_str_eq(ssd_opcode_name(0x03), "Reserved command");
	ck_assert_str_eq(ssd_opcode_name(0xa0), "Reserved command");
	ck_assert_str_eq(ssd_opcode_name(0xbf), "Reserved command");
	ck_assert_str_eq(ssd_opcode_name(0xc0), "Vendor specific command");
	ck_assert_str_eq(ssd_opcode_name(0xff), "Vendor specific command");
}
END_TEST

/* An expired admin command resets the controller: nothing below the kernel's 60 s. */
START_TEST(timeouts)
{
	for (unsigned opcode = 0; opcode < 256; opcode++)
		ck_assert_uint_ge(ssd_timeout_ms((uint8_t)opcode), 60000);
	ck_assert_uint_eq(ssd_timeout_ms(SSD_ADMIN_IDENTIFY), 60000);
	ck_assert_uint_eq(ssd_timeout_ms(0xff), 60000);
	ck_assert_uint_ge(ssd_timeout_ms(SSD_ADMIN_FIRMWARE_COMMIT), 120000);
	ck_assert_uint_ge(ssd_timeout_ms(SSD_ADMIN_FORMAT_NVM), 3600000);
	ck_assert_uint_ge(ssd_timeout_ms(SSD_ADMIN_SANITIZE), 600000);
}
END_TEST

CHECK_MAIN("opcode", names, timeouts)
