/* SPDX-License-Identifier: MIT */
/*
 * A process that is killed, or has no room to write, at any point of a firmware change leaves the drive with the old
 * firmware or with the new, never with something between, and the drive goes on working.
 */
#include "sim_fw.h"
#include "sim_trap.h"

/* What is done, on a drive where slot 2 already waits, and what the drive says before and afterwards. */
static int do_commit(struct ssd_transport *t)
{
	return commit(t, 3, 3);
}

static int do_download(struct ssd_transport *t)
{
	return update(t, "FW4", 3, 1);
}

static int do_reset(struct ssd_transport *t)
{
	return t->control(t, SSD_RESET_CONTROLLER);
}

static const struct {
	int (*run)(struct ssd_transport *t);
	const char *after;
} changes[] = {
	{do_commit, "03 FW3 FW1 FW2 FW3"},
	{do_download, "31 FW1 FW1 FW2 FW4"},
	{do_reset, "02 FW2 FW1 FW2 -"},
};
#define BEFORE "21 FW1 FW1 FW2 -"

static char *prepared(bool twins)
{
	char *host = drive("");
	AUTO_SIM t = sim_open(host, true);
	uint8_t image[IMAGE];

	if (twins)
		add_twins(host);
	ck_assert_int_eq(update(t, "FW2", 2, 1), 0);
	make_image(image, "FW3", "TESTDRIVE");
	ck_assert_int_eq(download(t, image, IMAGE), 0);
	return host;
}

/* Through the second controller where there is one. */
static struct ssd_transport *acting(const char *host, bool twins)
{
	return ssd_sim_open(host, twins ? "nvme1" : "nvme0", true, NULL);
}

/* Whether the first `n` changes of files are all; else the process died there. */
static bool survives(const char *host, bool twins, int (*run)(struct ssd_transport *t), unsigned n)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		AUTO_SIM t = acting(host, twins);

		trap.left = n;
		_exit(run(t) != 0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	ck_assert(WEXITSTATUS(status) == 77 || !WEXITSTATUS(status));
	return !WEXITSTATUS(status);
}

/* Old or new, the same from both sides, and the drive goes on working. */
static bool whole(const char *host, bool twins, const char *after)
{
	AUTO_SIM t = sim_open(host, true);
	AUTO_SIM other = acting(host, twins);
	AUTO_FREE char *said = ssd_strdup(says(t));

	ck_assert_msg(!strcmp(said, BEFORE) || !strcmp(said, after), "%s", said);
	ck_assert_str_eq(says(other), said);
	ck_assert_int_eq(update(t, "FW9", 2, 3), 0);
	ck_assert(strstr(says(other), "02 FW9 FW1 FW9 ") == says(other));
	return !strcmp(said, after);
}

START_TEST(killed_anywhere)
{
	int (*run)(struct ssd_transport * t) = changes[_i / 2].run;
	const char *after = changes[_i / 2].after;
	bool twins = _i % 2, survived = false, seen[2] = {false};
	unsigned n = 1;

	for (; !survived; n++) {
		AUTO_DIR char *host = prepared(twins);

		ck_assert_uint_lt(n, 200);
		survived = survives(host, twins, run, n);
		/* A process that died after the decision is as good as one that did not die. */
		seen[whole(host, twins, after)] = true;
	}
	ck_assert(seen[0] && seen[1]);
	ck_assert_uint_gt(n, 6);
}
END_TEST

static int do_piece(struct ssd_transport *t)
{
	uint8_t image[IMAGE];

	make_image(image, "FW4", "TESTDRIVE");
	return piece(t, PIECE, image + PIECE, PIECE);
}

/* A piece has arrived or has not: whoever sends it again, and minds no overlap, gets a whole image. */
START_TEST(killed_in_a_piece)
{
	bool survived = false;
	uint8_t image[IMAGE];

	make_image(image, "FW4", "TESTDRIVE");
	for (unsigned n = 1; !survived; n++) {
		AUTO_DIR char *host = drive("");
		AUTO_SIM t = sim_open(host, true);
		int rc;

		ck_assert_uint_lt(n, 20);
		ck_assert_int_eq(piece(t, 0, image, PIECE), 0);
		survived = survives(host, false, do_piece, n);
		rc = do_piece(t);
		ck_assert(rc == 0 || rc == 0x4114);
		ck_assert(rc == 0x4114 || !survived);
		ck_assert_int_eq(piece(t, 2 * PIECE, image + 2 * PIECE, PIECE + 512), 0);
		ck_assert_int_eq(commit(t, 2, 3), 0);
		ck_assert_str_eq(says(t), "02 FW4 FW1 FW4 -");
	}
}
END_TEST

START_TEST(no_room_anywhere)
{
	int (*run)(struct ssd_transport * t) = changes[_i / 2].run;
	bool twins = _i % 2;
	int rc = -ENOSPC;

	for (unsigned n = 1; rc; n++) {
		AUTO_DIR char *host = prepared(twins);
		AUTO_SIM t = acting(host, twins);

		ck_assert_uint_lt(n, 200);
		trap.full = true;
		trap.left = n;
		rc = run(t);
		trap.left = 0;
		ck_assert(!rc || rc == -ENOSPC);
		ck_assert(whole(host, twins, changes[_i / 2].after) || rc);
	}
}
END_TEST

/* While one process commits others read: they see the old or the new. */
START_TEST(readers_meanwhile)
{
	AUTO_DIR char *host = prepared(true);
	pid_t pid = fork();
	int status;

	if (!pid) {
		AUTO_SIM t = sim_open(host, true);

		for (int i = 0; i < 100; i++)
			if (update(t, i % 2 ? "FW4" : "FW5", i % 2 ? 2 : 3, 3))
				_exit(1);
		_exit(0);
	}
	for (int i = 0; i < 300; i++) {
		AUTO_SIM t = ssd_sim_open(host, i % 2 ? "nvme1" : "nvme0", true, NULL);
		struct sim_answer log;

		ck_assert_int_eq(sim_log(t, 3, 512, &log), 0);
		if ((log.data[0] & 7) == 2)
			ck_assert(log.data[0] == 2 && log.data[16 + 2] == '4');
		if ((log.data[0] & 7) == 3)
			ck_assert(log.data[0] == 3 && log.data[24 + 2] == '5');
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}
END_TEST

int main(void)
{
	const struct {
		const TTest *test;
		int rows;
	} tests[] = {
		{killed_anywhere, ARRAY_SIZE(changes) * 2},
		{killed_in_a_piece, 1},
		{no_room_anywhere, ARRAY_SIZE(changes) * 2},
		{readers_meanwhile, 1},
	};
	Suite *suite = suite_create("sim_fw_kill");
	TCase *tcase = tcase_create("sim_fw_kill");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tcase, 60);
	for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
		tcase_add_loop_test(tcase, tests[i].test, 0, tests[i].rows);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_set_tap(runner, "-");
	srunner_run_all(runner, CK_SILENT);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
