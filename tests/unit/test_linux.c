/* SPDX-License-Identifier: MIT */
/*
 * The transport to the kernel against an ioctl() and an open() of this program. Numbers and offsets are the kernel's own:
 * include/uapi/linux/nvme_ioctl.h (NVME_IOCTL_ADMIN_CMD c0484e41h, ..._ADMIN64_CMD c0504e47h, ..._IO_CMD c0484e43h,
 * ..._IO64_CMD c0504e48h; 72 and 80 bytes, result at 68 and 72).
 */
#include "check.h"

#include <fcntl.h>
#include <ssdct/le.h>
#include <ssdct/transport.h>
#include <sys/syscall.h>
#include <time.h>

#define ADMIN 0xc0484e41ul
#define ADMIN64 0xc0504e47ul
#define IO 0xc0484e43ul
#define IO64 0xc0504e48ul

static struct {
	int calls;
	unsigned long request;
	uint8_t bytes[80];
	bool no_cmd64;
	int rc, error;
	uint64_t result;
} ioctls;

static struct {
	int calls, flags, fail_times, error, slept_ms;
} opens;

/* The driver's parameter: drivers/nvme/host/core.c, seconds. What it says, or NULL: the driver is not loaded. */
#define PARAMETER "/sys/module/nvme_core/parameters/admin_timeout"
static const char *parameter;

int ioctl(int fd, unsigned long request, ...);

/* Stands in for the kernel; what is no NVMe request goes to the real one. */
int ioctl(int fd, unsigned long request, ...)
{
	bool is64 = request == ADMIN64 || request == IO64;
	va_list ap;
	uint8_t *arg;

	va_start(ap, request);
	arg = va_arg(ap, uint8_t *);
	va_end(ap);
	if (!is64 && request != ADMIN && request != IO)
		return (int)syscall(SYS_ioctl, fd, request, arg);
	ioctls.calls++;
	ioctls.request = request;
	memcpy(ioctls.bytes, arg, is64 ? 80 : 72);
	if ((is64 && ioctls.no_cmd64) || ioctls.rc < 0) {
		errno = is64 && ioctls.no_cmd64 ? ENOTTY : ioctls.error;
		return -1;
	}
	memcpy(arg + (is64 ? 72 : 68), &ioctls.result, is64 ? 8 : 4);
	return ioctls.rc;
}

static int open_parameter(void)
{
	int fds[2];

	errno = ENOENT;
	if (!parameter)
		return -1;
	ck_assert_int_eq(pipe(fds), 0);
	ck_assert_int_eq(write(fds[1], parameter, strlen(parameter)), strlen(parameter));
	close(fds[1]);
	return fds[0];
}

int open(const char *path, int flags, ...)
{
	if (!strcmp(path, PARAMETER))
		return open_parameter();
	opens.calls++;
	opens.flags = flags;
	if (opens.error && (opens.fail_times < 0 || opens.calls <= opens.fail_times)) {
		errno = opens.error;
		return -1;
	}
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0);
}

int nanosleep(const struct timespec *t, struct timespec *rest)
{
	(void)rest;
	opens.slept_ms += (int)(t->tv_sec * 1000 + t->tv_nsec / 1000000);
	return 0;
}

static void reset(void)
{
	memset(&ioctls, 0, sizeof(ioctls));
	memset(&opens, 0, sizeof(opens));
	parameter = NULL;
}

/* A character device that is always there; its own ioctls are never reached. */
static struct ssd_transport *open_null(void)
{
	struct ssd_err err = SSD_ERR_INIT;
	struct ssd_transport *t = ssd_linux_open("/dev/null", &err);

	ck_assert_msg(t, "%s", err.message);
	return t;
}

static void *const data = (void *)(uintptr_t)0x7f1234567000ull;
static const struct ssd_cmd example = {
	.opcode = 0x11,
	.nsid = 0x01020304,
	.cdw2 = 0x11121314,
	.cdw3 = 0x21222324,
	.cdw10 = 0xa0a1a2a3,
	.cdw11 = 0xb0b1b2b3,
	.cdw12 = 0xc0c1c2c3,
	.cdw13 = 0xd0d1d2d3,
	.cdw14 = 0xe0e1e2e3,
	.cdw15 = 0xf0f1f2f3,
	.data = (void *)(uintptr_t)0x7f1234567000ull,
	.data_len = 131072,
	.direction = SSD_DATA_TO_DRIVE,
	.timeout_ms = 120000,
};

static uint32_t at(unsigned off)
{
	uint32_t v;

	memcpy(&v, ioctls.bytes + off, 4);
	return v;
}

static void check_fields(uint8_t opcode)
{
	uint64_t addr, metadata;

	memcpy(&metadata, ioctls.bytes + 16, 8);
	memcpy(&addr, ioctls.bytes + 24, 8);
	ck_assert_uint_eq(ioctls.bytes[0], opcode);
	ck_assert_uint_eq(ioctls.bytes[1], 0); /* flags */
	ck_assert_uint_eq(ioctls.bytes[2] | ioctls.bytes[3], 0);
	ck_assert_uint_eq(at(4), 0x01020304);
	ck_assert_uint_eq(at(8), 0x11121314);
	ck_assert_uint_eq(at(12), 0x21222324);
	ck_assert_uint_eq(metadata, 0);
	ck_assert_uint_eq(addr, (uintptr_t)data);
	ck_assert_uint_eq(at(32), 0); /* metadata_len */
	ck_assert_uint_eq(at(36), 131072);
	ck_assert_uint_eq(at(40), 0xa0a1a2a3);
	ck_assert_uint_eq(at(44), 0xb0b1b2b3);
	ck_assert_uint_eq(at(48), 0xc0c1c2c3);
	ck_assert_uint_eq(at(52), 0xd0d1d2d3);
	ck_assert_uint_eq(at(56), 0xe0e1e2e3);
	ck_assert_uint_eq(at(60), 0xf0f1f2f3);
	ck_assert_uint_eq(at(64), 120000);
}

START_TEST(every_field)
{
	struct ssd_transport *t;
	struct ssd_cpl cpl = {0};

	reset();
	t = open_null();
	ioctls.result = 0x1122334455667788ull;
	ck_assert_int_eq(t->submit(t, &example, &cpl), 0);
	ck_assert_int_eq(ioctls.calls, 1); /* the stand-in was called, not the kernel */
	ck_assert_uint_eq(ioctls.request, ADMIN64);
	check_fields(0x11);
	ck_assert_uint_eq(at(68), 0); /* reserved */
	ck_assert_uint_eq(cpl.status, 0);
	ck_assert_uint_eq(cpl.result, 0x1122334455667788ull);
	ssd_transport_close(t);
}
END_TEST

START_TEST(io_commands)
{
	struct ssd_cmd cmd = example;
	struct ssd_transport *t;
	struct ssd_cpl cpl;

	reset();
	t = open_null();
	cmd.io = true;
	cmd.opcode = 0x02;
	ck_assert_int_eq(t->submit(t, &cmd, &cpl), 0);
	ck_assert_uint_eq(ioctls.request, IO64);
	check_fields(0x02);
	ioctls.no_cmd64 = true;
	ck_assert_int_eq(t->submit(t, &cmd, &cpl), 0);
	ck_assert_uint_eq(ioctls.request, IO);
	ssd_transport_close(t);
}
END_TEST

/* Before Linux 5.5 there is no 64-bit command: ENOTTY, and the 32-bit one does it. Asked once only. */
START_TEST(old_kernel)
{
	struct ssd_transport *t;
	struct ssd_cpl cpl;

	reset();
	t = open_null();
	ioctls.no_cmd64 = true;
	ioctls.result = 0xdeadbeef;
	ck_assert_int_eq(t->submit(t, &example, &cpl), 0);
	ck_assert_int_eq(ioctls.calls, 2);
	ck_assert_uint_eq(ioctls.request, ADMIN);
	check_fields(0x11);
	ck_assert_uint_eq(cpl.result, 0xdeadbeef);
	ck_assert_int_eq(t->submit(t, &example, &cpl), 0);
	ck_assert_int_eq(ioctls.calls, 3);
	ssd_transport_close(t);
}
END_TEST

/* ENOTTY from both is the answer of something that is no NVMe controller. */
START_TEST(no_nvme_at_all)
{
	struct ssd_transport *t;
	struct ssd_cpl cpl;

	reset();
	t = open_null();
	ioctls.rc = -1;
	ioctls.error = ENOTTY;
	ck_assert_int_eq(t->submit(t, &example, &cpl), -ENOTTY);
	ck_assert_int_eq(ioctls.calls, 2);
	ssd_transport_close(t);
}
END_TEST

START_TEST(status_and_errno)
{
	static const int statuses[] = {0x0002, 0x4002, 0x4109, 0x610b, 0x7fff};
	static const int errnos[] = {EACCES, EPERM, EINTR, EAGAIN, ENODEV, ENXIO, EINVAL, EIO, ETIME, EFAULT, ENOMEM};
	struct ssd_transport *t;
	struct ssd_cpl cpl;

	reset();
	t = open_null();
	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++) {
		ioctls.rc = statuses[i];
		ioctls.result = 42 + i;
		ck_assert_int_eq(t->submit(t, &example, &cpl), 0);
		ck_assert_int_eq(cpl.status, statuses[i]);
		ck_assert_uint_eq(cpl.result, 42 + i);
	}
	ioctls.rc = -1;
	for (size_t i = 0; i < ARRAY_SIZE(errnos); i++) {
		ioctls.calls = 0;
		ioctls.error = errnos[i];
		ck_assert_int_eq(t->submit(t, &example, &cpl), -errnos[i]);
		ck_assert_int_eq(ioctls.calls, 1); /* repeating is not this layer's business */
	}
	ssd_transport_close(t);
}
END_TEST

START_TEST(opens_read_only)
{
	struct ssd_transport *t;

	reset();
	t = open_null();
	ck_assert_int_eq(opens.calls, 1);
	ck_assert_int_eq(opens.flags, O_RDONLY | O_CLOEXEC);
	ssd_transport_close(t);
}
END_TEST

/* An administrator has raised the driver's own timeout of admin commands: no command gets less. */
START_TEST(kernel_timeout)
{
	static const struct {
		const char *parameter;
		uint32_t asked, given;
		bool io;
	} rows[] = {
		{NULL, 120000, 120000},
		{"60\n", 120000, 120000},
		{"120\n", 120000, 120000},
		{"121\n", 120000, 121000},
		{"86400\n", 3600000, 86400000},
		{"86400\n", 120000, 120000, .io = true},
		{"4294967295\n", 120000,
		 INT32_MAX}, /* what the parameter can hold, and the kernel takes in milliseconds */
		{"\n", 120000, 120000},
		{"-1\n", 120000, 120000},
		{"x\n", 120000, 120000},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct ssd_cmd cmd = example;
		struct ssd_transport *t;
		struct ssd_cpl cpl;

		reset();
		parameter = rows[i].parameter;
		t = open_null();
		cmd.timeout_ms = rows[i].asked;
		cmd.io = rows[i].io;
		ck_assert_int_eq(t->submit(t, &cmd, &cpl), 0);
		ck_assert_uint_eq(at(64), rows[i].given);
		ioctls.no_cmd64 = true;
		ck_assert_int_eq(t->submit(t, &cmd, &cpl), 0);
		ck_assert_uint_eq(at(64), rows[i].given);
		ssd_transport_close(t);
	}
}
END_TEST

static enum ssd_err_code open_error(int error, struct ssd_err *err)
{
	reset();
	opens.error = error;
	opens.fail_times = -1;
	*err = (struct ssd_err)SSD_ERR_INIT;
	ck_assert_ptr_null(ssd_linux_open("/dev/nvme0", err));
	ck_assert(strstr(err->message, "/dev/nvme0"));
	return err->code;
}

START_TEST(open_errors)
{
	struct ssd_err err;

	ck_assert_int_eq(open_error(ENOENT, &err), SSD_ERR_GONE);
	ck_assert_int_eq(open_error(ENODEV, &err), SSD_ERR_GONE);
	ck_assert_int_eq(open_error(ENXIO, &err), SSD_ERR_GONE);
	ck_assert_int_eq(opens.calls, 1);
	ck_assert_int_eq(open_error(EACCES, &err), SSD_ERR_PERMISSION);
	ck_assert(strstr(err.hint, "node permissions"));
	ck_assert_int_eq(open_error(EPERM, &err), SSD_ERR_PERMISSION);
	ck_assert_int_eq(open_error(EIO, &err), SSD_ERR_KERNEL);
	ck_assert_int_eq(err.sys_errno, EIO);
	ck_assert_ptr_null(ssd_linux_open("/dev/nvme0", NULL));
}
END_TEST

/* A resetting controller is waited for: 5 s and no longer. */
START_TEST(open_retries)
{
	struct ssd_err err;
	struct ssd_transport *t;

	reset();
	opens.error = EAGAIN;
	opens.fail_times = 3;
	t = open_null();
	ck_assert_int_eq(opens.calls, 4);
	ssd_transport_close(t);

	ck_assert_int_eq(open_error(EAGAIN, &err), SSD_ERR_BUSY);
	ck_assert_int_eq(opens.slept_ms, 5000);
	ck_assert_int_eq(open_error(EBUSY, &err), SSD_ERR_BUSY);
	ck_assert_int_eq(ssd_err_exit(&err), SSD_EXIT_NO_DRIVE);
}
END_TEST

START_TEST(only_nodes)
{
	struct ssd_err err = SSD_ERR_INIT;

	reset();
	ck_assert_ptr_null(ssd_linux_open("/proc/self/exe", &err));
	ck_assert_int_eq(err.code, SSD_ERR_NOT_FOUND);
	ck_assert_ptr_null(ssd_linux_open("/", &err));
	ck_assert_int_eq(err.code, SSD_ERR_NOT_FOUND);
	ck_assert_int_eq(ioctls.calls, 0);
}
END_TEST

CHECK_MAIN("linux", every_field, io_commands, old_kernel, no_nvme_at_all, status_and_errno, opens_read_only,
	   kernel_timeout, open_errors, open_retries, only_nodes)
