/* SPDX-License-Identifier: MIT */
/*
 * How a log page is read in pieces. Until NVM Express 1.2 the number of dwords had 12 bits (NUMD, bits 27:16 of Command
 * Dword 10): 16 KiB. Since 1.2.1 LPA bit 2 says that there are 32 bits and an offset.
 */
#include "check.h"

#include <ssdct/admin.h>

#define KIB 1024u

struct drive {
	struct ssd_transport base;
	size_t n;
	uint32_t bytes[64];
	uint64_t offsets[64];
};

static int submit(struct ssd_transport *t, const struct ssd_cmd *cmd, struct ssd_cpl *cpl)
{
	struct drive *d = (struct drive *)t;
	uint32_t numd = cmd->cdw10 >> 16 | (cmd->cdw11 & 0xffff) << 16;

	ck_assert_uint_lt(d->n, ARRAY_SIZE(d->bytes));
	ck_assert_uint_eq((numd + 1) * 4, cmd->data_len);
	d->bytes[d->n] = cmd->data_len;
	d->offsets[d->n++] = cmd->cdw12 | (uint64_t)cmd->cdw13 << 32;
	memset(cmd->data, 0, cmd->data_len);
	*cpl = (struct ssd_cpl){0};
	return 0;
}

static struct ssd_host host = {.backend = SSD_BACKEND_LINUX};
static struct ssd_drive facts = {.device = "nvme0", .host = &host};

/* Reads len bytes from offset of a drive with this LPA and MDTS; returns what ssd_get_log() does. */
static int get(struct drive *d, unsigned lpa, unsigned mdts, uint64_t offset, size_t len, struct ssd_err *err)
{
	uint8_t id[4096] = {0}, *buf = ssd_page_alloc(len);
	struct ssd_device dev = {.drive = &facts, .transport = &d->base, .id_ctrl = id, .id_ctrl_len = sizeof(id)};
	struct ssd_log_request req = {.lid = 0x07, .nsid = SSD_NSID_ALL, .offset = offset};
	size_t got = 0;
	int rc;

	*d = (struct drive){.base.submit = submit};
	*err = (struct ssd_err)SSD_ERR_INIT;
	id[77] = (uint8_t)mdts;
	id[261] = (uint8_t)lpa;
	rc = ssd_get_log(&dev, &req, buf, len, &got, err);
	if (!rc)
		ck_assert_uint_eq(got, len);
	free(buf);
	return rc;
}

START_TEST(twelve_bits)
{
	struct drive d;
	struct ssd_err err;

	ck_assert_int_eq(get(&d, 0x00, 5, 0, 16 * KIB, &err), 0);
	ck_assert_uint_eq(d.n, 1);
	ck_assert_uint_eq(d.bytes[0], 16 * KIB);
	ck_assert_int_eq(get(&d, 0x00, 5, 0, 16 * KIB + 4, &err), -1);
	ck_assert_uint_eq(d.n, 0);
	ck_assert_int_eq(err.code, SSD_ERR_UNSUPPORTED);
	ck_assert_msg(strstr(err.message, "16384 bytes"), "%s", err.message);
	/* The other bits of LPA do not lengthen it, and MDTS may well shorten it. */
	ck_assert_int_eq(get(&d, 0xfb, 0, 0, 128 * KIB, &err), -1);
	ck_assert_int_eq(get(&d, 0x00, 1, 0, 8 * KIB + 4, &err), -1);
	ck_assert_uint_eq(d.n, 0);
	ck_assert_msg(strstr(err.message, "8192 bytes"), "%s", err.message);
}
END_TEST

START_TEST(extended)
{
	struct drive d;
	struct ssd_err err;

	ck_assert_int_eq(get(&d, 0x04, 5, 0x10000, 300 * KIB, &err), 0);
	ck_assert_uint_eq(d.n, 3);
	for (size_t i = 0; i < 3; i++) {
		ck_assert_uint_eq(d.bytes[i], i < 2 ? 128 * KIB : 44 * KIB);
		ck_assert_uint_eq(d.offsets[i], 0x10000 + i * 128 * KIB);
	}
}
END_TEST

/* Offsets are in dwords (Get Log Page, LPOL: bits 1:0 shall be cleared). */
START_TEST(dwords_only)
{
	struct drive d;
	struct ssd_err err;

	ck_assert_int_eq(get(&d, 0x04, 5, 2, 512, &err), -1);
	ck_assert_int_eq(err.code, SSD_ERR_USAGE);
	ck_assert_int_eq(get(&d, 0x04, 5, 0, 510, &err), -1);
	ck_assert_int_eq(err.code, SSD_ERR_USAGE);
	ck_assert_uint_eq(d.n, 0);
}
END_TEST

CHECK_MAIN("log_transfer", twelve_bits, extended, dwords_only)
