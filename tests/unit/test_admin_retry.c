/* SPDX-License-Identifier: MIT */
/* Which commands are sent again when the kernel gave them up, by a clock of this program: nothing here takes time. */
#include "check.h"

#include <ssdct/admin.h>
#include <sys/syscall.h>
#include <time.h>

static uint64_t clock_ms;

int clock_gettime(clockid_t id, struct timespec *t)
{
	if (id != CLOCK_MONOTONIC)
		return (int)syscall(SYS_clock_gettime, id, t);
	*t = (struct timespec){(time_t)(clock_ms / 1000), (long)(clock_ms % 1000) * 1000000};
	return 0;
}

int nanosleep(const struct timespec *t, struct timespec *rest)
{
	(void)rest;
	clock_ms += (uint64_t)t->tv_sec * 1000 + (uint64_t)t->tv_nsec / 1000000;
	return 0;
}

/* A kernel that answers `rc` for the first `times` commands, each after `takes_ms`. */
struct kernel {
	struct ssd_transport base;
	int rc, times, commands;
	uint64_t takes_ms;
};

static int submit(struct ssd_transport *t, const struct ssd_cmd *cmd, struct ssd_cpl *cpl)
{
	struct kernel *k = (struct kernel *)t;

	if (k->commands++ < k->times) {
		clock_ms += k->takes_ms;
		return k->rc;
	}
	if (cmd->data)
		memset(cmd->data, 0, cmd->data_len);
	*cpl = (struct ssd_cpl){.result = 7};
	return 0;
}

static struct ssd_host host = {.backend = SSD_BACKEND_LINUX};
static struct ssd_drive drive = {.device = "nvme0", .host = &host};

static int feature(struct kernel *k, struct ssd_err *err)
{
	struct ssd_device dev = {.drive = &drive, .transport = &k->base};
	uint32_t value;

	k->base.submit = submit;
	clock_ms = 1000000;
	*err = (struct ssd_err)SSD_ERR_INIT;
	return ssd_get_feature(&dev, 0x02, SSD_CURRENT, 0, 0, &value, err);
}

/* Cancelled at once, as when somebody else has the controller reset: the next attempt may well succeed. */
START_TEST(cancelled_early)
{
	static const uint64_t takes[] = {0, 1, 500, 999};
	struct ssd_err err;

	for (size_t i = 0; i < ARRAY_SIZE(takes); i++) {
		struct kernel k = {.rc = -EINTR, .times = 3, .takes_ms = takes[i]};

		ck_assert_int_eq(feature(&k, &err), 0);
		ck_assert_int_eq(k.commands, 4);
	}
}
END_TEST

START_TEST(cancelled_for_ever)
{
	struct kernel k = {.rc = -EINTR, .times = 1000, .takes_ms = 1};
	struct ssd_err err;

	ck_assert_int_eq(feature(&k, &err), -1);
	ck_assert_int_eq(k.commands, 4);
	ck_assert_int_eq(err.code, SSD_ERR_KERNEL);
	ck_assert_int_eq(err.sys_errno, EINTR);
}
END_TEST

/*
 * Linux answers EINTR for a command that ran into its timeout as well, once it has reset the controller. Sent again it
 * would cost another reset.
 */
START_TEST(timed_out)
{
	static const uint64_t takes[] = {1000, 30000, 60000, 61500};
	struct ssd_err err;

	for (size_t i = 0; i < ARRAY_SIZE(takes); i++) {
		struct kernel k = {.rc = -EINTR, .times = 1000, .takes_ms = takes[i]};

		ck_assert_int_eq(feature(&k, &err), -1);
		ck_assert_int_eq(k.commands, 1);
		ck_assert_int_eq(err.code, SSD_ERR_TIMEOUT);
		ck_assert_int_eq(err.sys_errno, EINTR);
		ck_assert_msg(strstr(err.message, "nvme0: Get Features 02h") && strstr(err.message, "timed out") &&
				      strstr(err.message, "reset the controller"),
			      "%s", err.message);
	}
}
END_TEST

/* Each attempt is judged by itself: four of 600 ms are no timeout. */
START_TEST(attempts_do_not_add_up)
{
	struct kernel k = {.rc = -EINTR, .times = 1000, .takes_ms = 600};
	struct ssd_err err;

	ck_assert_int_eq(feature(&k, &err), -1);
	ck_assert_int_eq(k.commands, 4);
	ck_assert_int_eq(err.code, SSD_ERR_KERNEL);
}
END_TEST

CHECK_MAIN("admin_retry", cancelled_early, cancelled_for_ever, timed_out, attempts_do_not_add_up)
