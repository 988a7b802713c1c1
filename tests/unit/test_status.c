/* SPDX-License-Identifier: MIT */
#include "check.h"

#include <libnvme.h>
#include <ssdct/status.h>

/* Names as in NVM Express Base Specification 2.0c, figures 95, 97, 101 and 102. */
START_TEST(names)
{
	static const struct {
		unsigned status;
		const char *name;
	} rows[] = {
		{0x000, "Successful Completion"},
		{0x002, "Invalid Field in Command"},
		{0x00b, "Invalid Namespace or Format"},
		{0x00c, "Command Sequence Error"},
		{0x01d, "Sanitize In Progress"},
		{0x084, "Format In Progress"},
		{0x106, "Invalid Firmware Slot"},
		{0x107, "Invalid Firmware Image"},
		{0x109, "Invalid Log Page"},
		{0x10b, "Firmware Activation Requires Conventional Reset"},
		{0x110, "Firmware Activation Requires NVM Subsystem Reset"},
		{0x111, "Firmware Activation Requires Controller Level Reset"},
		{0x112, "Firmware Activation Requires Maximum Time Violation"},
		{0x114, "Overlapping Range"},
		{0x11d, "Device Self-test In Progress"},
		{0x120, "Invalid Secondary Controller State"},
		{0x281, "Unrecovered Read Error"},
		{0x370, "Host Pathing Error"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		ck_assert_str_eq(ssd_status_info(rows[i].status)->name, rows[i].name);
}
END_TEST

/* The bits above type and code change nothing: 4109h is 109h (CONTRACT section 2). */
START_TEST(masks)
{
	for (unsigned high = 0; high < 32; high++)
		for (unsigned status = 0; status < 0x800; status++)
			ck_assert_ptr_eq(ssd_status_info(high << 11 | status), ssd_status_info(status));
	ck_assert_uint_eq(ssd_status_info(0x4109)->status, 0x109);
	ck_assert_uint_eq(ssd_status_info(0x610b)->status, 0x10b);
}
END_TEST

/* Every row is found under its own number, and what is nowhere described says so. */
START_TEST(whole_range)
{
	unsigned known = 0;

	for (unsigned status = 0; status < 0x800; status++) {
		const struct ssd_status_info *info = ssd_status_info(status);
		unsigned type = status >> 8, code = status & 0xff;

		ck_assert_ptr_nonnull(info);
		ck_assert_ptr_nonnull(info->name);
		if (info->class == SSD_STATUS_VENDOR) {
			ck_assert(type == 7 || (type <= 3 && code >= 0xc0));
			ck_assert_str_eq(info->name, "Vendor specific status");
		} else if (info->class == SSD_STATUS_UNKNOWN) {
			ck_assert_str_eq(info->name, "Unknown status");
		} else {
			ck_assert_uint_eq(info->status, status);
			known++;
		}
	}
	ck_assert_uint_gt(known, 110);
	ck_assert_int_eq(ssd_status_info(0x7ff)->class, SSD_STATUS_VENDOR);
	ck_assert_int_eq(ssd_status_info(0x1c0)->class, SSD_STATUS_VENDOR);
	ck_assert_int_eq(ssd_status_info(0x117)->class, SSD_STATUS_UNKNOWN);
	ck_assert_int_eq(ssd_status_info(0x501)->class, SSD_STATUS_UNKNOWN);
}
END_TEST

/* Every code that libnvme's header has for these types (up to NVMe 2.0, no Fabrics) is known under libnvme's number. */
START_TEST(libnvme_codes)
{
	static const unsigned generic[] = {
		NVME_SC_INVALID_OPCODE,     NVME_SC_INVALID_FIELD,
		NVME_SC_CMDID_CONFLICT,     NVME_SC_DATA_XFER_ERROR,
		NVME_SC_POWER_LOSS,         NVME_SC_INTERNAL,
		NVME_SC_ABORT_REQ,          NVME_SC_ABORT_QUEUE,
		NVME_SC_FUSED_FAIL,         NVME_SC_FUSED_MISSING,
		NVME_SC_INVALID_NS,         NVME_SC_CMD_SEQ_ERROR,
		NVME_SC_OP_DENIED,          NVME_SC_HOSTID_FORMAT,
		NVME_SC_SANITIZE_FAILED,    NVME_SC_SANITIZE_IN_PROGRESS,
		NVME_SC_CMD_INTERRUPTED,    NVME_SC_TRAN_TPORT_ERROR,
		NVME_SC_LBA_RANGE,          NVME_SC_ADMIN_CMD_MEDIA_NOT_READY,
		NVME_SC_NS_NOT_READY,       NVME_SC_NS_WRITE_PROTECTED,
		NVME_SC_FORMAT_IN_PROGRESS,
	};

	for (size_t i = 0; i < ARRAY_SIZE(generic); i++)
		ck_assert_uint_eq(ssd_status_info(generic[i])->status, generic[i]);
	for (unsigned sc = NVME_SC_FIRMWARE_SLOT; sc <= NVME_SC_ID_UNAVAILABLE; sc++)
		if (sc != 0x17)
			ck_assert_uint_eq(ssd_status_info(0x100 | sc)->status, 0x100 | sc);
	for (unsigned sc = NVME_SC_ZNS_BOUNDARY_ERROR; sc <= NVME_SC_ZNS_INVAL_TRANSITION; sc++)
		ck_assert_uint_eq(ssd_status_info(0x100 | sc)->status, 0x100 | sc);
	for (unsigned sc = NVME_SC_WRITE_FAULT; sc <= NVME_SC_STORAGE_TAG_CHECK; sc++)
		ck_assert_uint_eq(ssd_status_info(0x200 | sc)->status, 0x200 | sc);
}
END_TEST

START_TEST(classes)
{
	ck_assert_int_eq(ssd_status_info(0)->class, SSD_STATUS_SUCCESS);
	ck_assert_int_eq(ssd_status_info(0x4002)->class, SSD_STATUS_PROBE);
	ck_assert_int_eq(ssd_status_info(0x2001)->class, SSD_STATUS_PROBE);
	ck_assert_int_eq(ssd_status_info(0x4109)->class, SSD_STATUS_PROBE);
	/* Accepted, pending: exactly these three (firmware-update.md section 2). */
	for (unsigned status = 0; status < 0x800; status++)
		ck_assert_int_eq(ssd_status_info(status)->class == SSD_STATUS_PENDING,
				 status == 0x10b || status == 0x110 || status == 0x111);
	ck_assert_int_eq(ssd_status_info(0x107)->class, SSD_STATUS_HOST);
	ck_assert_int_eq(ssd_status_info(0x006)->class, SSD_STATUS_DEVICE);
	ck_assert_int_eq(ssd_status_info(0x281)->class, SSD_STATUS_MEDIA);
	ck_assert_int_eq(ssd_status_info(0x285)->class, SSD_STATUS_HOST); /* a comparison that did its work */
	ck_assert_int_eq(ssd_status_info(0x371)->class, SSD_STATUS_PATH);
}
END_TEST

START_TEST(retry)
{
	ck_assert(ssd_status_retry(0x021));
	ck_assert(!ssd_status_retry(0x4021));
	ck_assert(ssd_status_retry(0x2006)); /* More alone does not matter */
	ck_assert(ssd_status_retry(0x11d));
	ck_assert(!ssd_status_retry(0));
	ck_assert(!ssd_status_retry(0x002));
	ck_assert(!ssd_status_retry(0x107));
	ck_assert(!ssd_status_retry(0x7ff));
	for (unsigned status = 0; status < 0x800; status++)
		ck_assert(!ssd_status_retry(status | SSD_STATUS_DNR));
}
END_TEST

/* Bug 28: what is asked on the admin queue and not there is harmless; the same on an I/O queue is the host's fault. */
START_TEST(categories)
{
	static const struct {
		unsigned status;
		const char *admin, *io;
	} rows[] = {
		{0x0000, "none", "none"},   {0x0001, "probe", "host"},      {0x2002, "probe", "host"},
		{0x4002, "probe", "host"},  {0x4109, "probe", "host"},      {0x000b, "host", "host"},
		{0x0080, "host", "host"},   {0x0004, "device", "device"},   {0x0006, "device", "device"},
		{0x0280, "media", "media"}, {0x4281, "media", "media"},     {0x0284, "media", "media"},
		{0x0370, "path", "path"},   {0x0701, "vendor", "vendor"},   {0x01c5, "vendor", "vendor"},
		{0x010b, "none", "none"},   {0x0450, "unknown", "unknown"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		ck_assert_str_eq(ssd_status_category(rows[i].status, true), rows[i].admin);
		ck_assert_str_eq(ssd_status_category(rows[i].status, false), rows[i].io);
	}
	for (unsigned status = 0; status < 0x8000; status++)
		ck_assert_ptr_nonnull(ssd_status_meaning(status));
}
END_TEST

CHECK_MAIN("status", names, masks, whole_range, libnvme_codes, classes, retry, categories)
