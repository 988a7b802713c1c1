/* SPDX-License-Identifier: MIT */
/* Arithmetic, order and files, against values worked out by hand. */
#include <errno.h>
#include <ssdct/base.h>
#include <ssdct/err.h>
#include <ssdct/le.h>
#include <ssdct/u128.h>
#include <sys/stat.h>

#include "check.h"

static const char *digits(uint64_t hi, uint64_t lo)
{
	static char buf[SSD_U128_DIGITS];

	return ssd_u128_str((struct ssd_u128){.hi = hi, .lo = lo}, buf);
}

START_TEST(test_u128_digits)
{
	/* Powers of two as any reference prints them. */
	ck_assert_str_eq(digits(0, 0), "0");
	ck_assert_str_eq(digits(0, 9007199254740993u), "9007199254740993");
	ck_assert_str_eq(digits(0, UINT64_MAX), "18446744073709551615");
	ck_assert_str_eq(digits(1, 0), "18446744073709551616");
	ck_assert_str_eq(digits(UINT64_MAX, UINT64_MAX), "340282366920938463463374607431768211455");
}
END_TEST

START_TEST(test_u128_arithmetic)
{
	char buf[SSD_U128_DIGITS];
	bool overflow;
	struct ssd_u128 v = ssd_u128_mul(ssd_u128_of(32381395004u), 512000, &overflow);

	/* A P3700 after 57,288 hours: more than 2^53 bytes. */
	ck_assert_str_eq(digits(v.hi, v.lo), "16579274242048000");
	ck_assert(!overflow);
	/* The largest number of data units in bytes: more than 128 bits, and every digit of it. */
	v = ssd_u128_mul((struct ssd_u128){.hi = UINT64_MAX, .lo = UINT64_MAX}, 512000, &overflow);
	ck_assert(!overflow);
	ck_assert_str_eq(ssd_u128_str(v, buf), "174224571863520493293247799005065324264960000");
	ck_assert_double_eq_tol(ssd_u128_double(v) / 174224571863520493293247799005065324264960000.0, 1, 1e-12);
	ck_assert_int_eq(ssd_u128_clamp(v), INT64_MAX);
	ck_assert_int_gt(ssd_u128_cmp(v, (struct ssd_u128){.hi = UINT64_MAX, .lo = UINT64_MAX}), 0);
	v = ssd_u128_mul(v, UINT64_MAX, &overflow);
	ck_assert(overflow);
	ck_assert_str_eq(ssd_u128_str(v, buf), "6277101735386680763835789423207666416102355444464034512895");
	v = ssd_u128_add((struct ssd_u128){.hi = UINT64_MAX, .lo = UINT64_MAX}, 1);
	ck_assert_str_eq(ssd_u128_str(v, buf), "340282366920938463463374607431768211456");
	ck_assert_int_eq(ssd_u128_clamp((struct ssd_u128){.hi = 1}), INT64_MAX);
	ck_assert_int_eq(ssd_u128_clamp(ssd_u128_of((uint64_t)INT64_MAX + 1)), INT64_MAX);
	ck_assert_int_eq(ssd_u128_clamp(ssd_u128_of(5)), 5);
	ck_assert_int_lt(ssd_u128_cmp(ssd_u128_of(UINT64_MAX), (struct ssd_u128){.hi = 1}), 0);
}
END_TEST

START_TEST(test_little_endian)
{
	static const uint8_t bytes[] = {0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x88, 0x09, 0, 0, 0, 0, 0, 0, 0x10};
	struct ssd_u128 v = ssd_u128_from_le(bytes, 16);
	uint8_t out[8];

	ck_assert_uint_eq(ssd_le16(bytes + 1), 0x0302);
	ck_assert_uint_eq(ssd_le(bytes, 3), 0x030201);
	ck_assert_uint_eq(ssd_le64(bytes), 0x8807060504030201u);
	ck_assert_uint_eq(v.hi, 0x1000000000000009u);
	ck_assert_uint_eq(v.lo, 0x8807060504030201u);
	ssd_put_le(out, 8, 0x8807060504030201u);
	ck_assert_mem_eq(out, bytes, 8);
}
END_TEST

START_TEST(test_natural_order)
{
	ck_assert_int_lt(ssd_natural_cmp("nvme2", "nvme10"), 0);
	ck_assert_int_gt(ssd_natural_cmp("nvme100", "nvme99"), 0);
	ck_assert_int_lt(ssd_natural_cmp("nvme1n2", "nvme1n10"), 0);
	ck_assert_int_lt(ssd_natural_cmp("nvme1", "nvme1n1"), 0);
	ck_assert_int_eq(ssd_natural_cmp("nvme7", "nvme7"), 0);
}
END_TEST

START_TEST(test_edit_distance)
{
	ck_assert_uint_eq(ssd_edit_distance("kitten", "sitting"), 3);
	ck_assert_uint_eq(ssd_edit_distance("", "abc"), 3);
	ck_assert_uint_eq(ssd_edit_distance("List", "list"), 0);
}
END_TEST

START_TEST(test_bounded_copy)
{
	char buf[4];

	ssd_strcpy(buf, sizeof(buf), "abcdef");
	ck_assert_str_eq(buf, "abc");
	ssd_strcpy(buf, sizeof(buf), "");
	ck_assert_str_eq(buf, "");
}
END_TEST

START_TEST(test_files)
{
	char dir[] = "/tmp/ssdct-base-XXXXXX", path[64];
	uint8_t *data;
	struct stat st;
	size_t len;

	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/file", dir);
	ck_assert_int_eq(ssd_read_file(path, 100, &data, &len), -ENOENT);
	ck_assert_int_eq(ssd_replace_file(path, "hello", 5, 0640), 0);
	ck_assert_int_eq(ssd_replace_file(path, "hallo!", 6, 0640), 0);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0640);
	ck_assert_int_eq(ssd_read_file(path, 6, &data, &len), 0);
	ck_assert_uint_eq(len, 6);
	ck_assert_str_eq((char *)data, "hallo!");
	free(data);
	ck_assert_int_eq(ssd_read_file(path, 5, &data, &len), -EFBIG);
	ck_assert_int_eq(ssd_read_file(dir, 100, &data, &len), -EISDIR);
	ck_assert_int_eq(ssd_read_file("/dev/null", 100, &data, &len), -EINVAL);
	unlink(path);
	mkfifo(path, 0600);
	ck_assert_int_eq(ssd_read_file(path, 100, &data, &len), -EINVAL);
	unlink(path);
	ck_assert_int_lt(ssd_replace_file("/nonexistent/x", "", 0, 0600), 0);
	rmdir(dir);
}
END_TEST

START_TEST(test_errors)
{
	struct ssd_err err = SSD_ERR_INIT;

	/* Exit codes of ssdct(8). */
	static const struct {
		int error;
		enum ssd_err_code code;
		int exit;
	} rows[] = {
		{ENODEV, SSD_ERR_GONE, 3},      {ENXIO, SSD_ERR_GONE, 3},  {EACCES, SSD_ERR_PERMISSION, 3},
		{ENOENT, SSD_ERR_NOT_FOUND, 3}, {EAGAIN, SSD_ERR_BUSY, 3}, {EIO, SSD_ERR_KERNEL, 1},
	};

	ck_assert(!ssd_failed(&err));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		ck_assert_int_eq(ssd_fail_errno(&err, rows[i].error, "nvme%d", 3), -1);
		ck_assert_int_eq(err.code, rows[i].code);
		ck_assert_int_eq(ssd_err_exit(&err), rows[i].exit);
		ck_assert_int_eq(err.sys_errno, rows[i].error);
		ck_assert_int_eq(strncmp(err.message, "nvme3: ", 7), 0);
	}
	ssd_err_prefix(&err, "reading %s", "SMART");
	ck_assert_int_eq(strncmp(err.message, "reading SMART: nvme3: ", 22), 0);
	ck_assert_int_eq(ssd_fail(NULL, SSD_ERR_USAGE, "nobody listens"), -1);
}
END_TEST

CHECK_MAIN("base", test_u128_digits, test_u128_arithmetic, test_little_endian, test_natural_order, test_edit_distance,
	   test_bounded_copy, test_files, test_errors)
