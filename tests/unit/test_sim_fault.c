/* SPDX-License-Identifier: MIT */
/* Fault rules, what a drive remembers of its errors, and many processes on one directory. */
#include "sim_dir.h"

#include "sim/host.h"
#include "sim/sim.h"

#include <time.h>

#define NVME14 0x10400
#define ENTRY 64

/* SMART page with a known number of power-on hours and errors; an error log with room for four. */
static char *drive(const char *drive_json)
{
	char *host = sim_dir_new();
	uint8_t smart[512] = {0}, log[4 * ENTRY] = {0};

	sim_put_ctrl(host, (struct sim_ctrl){.ver = NVME14, .nn = 1, .elpe = 3});
	ssd_put_le(smart + 128, 8, 1000);
	smart[3] = 100;
	sim_put(host, "log-02.bin", smart, sizeof(smart));
	sim_put(host, "log-01.bin", log, sizeof(log));
	sim_put_text(host, "drive.json", drive_json);
	return host;
}

static uint64_t errors(struct ssd_transport *t)
{
	struct sim_answer a;

	ck_assert_int_eq(sim_log(t, 2, 512, &a), 0);
	return ssd_le64(a.data + 176);
}

START_TEST(status_on_the_nth)
{
	AUTO_DIR char *host =
		drive("{\"faults\": [{\"opcode\": \"0x06\", \"nth\": 2, \"count\": 2, \"status\": \"0x4006\"}]}");
	AUTO_SIM t = sim_open(host, true);
	struct sim_answer a;

	ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &a), 0);
	ck_assert_int_eq(sim_log(t, 2, 512, &a), 0); /* another opcode is not counted */
	ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &a), 0x4006);
	ck_assert(sim_all(a.data, 4096, PATTERN));
	ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &a), 0x4006);
	ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &a), 0);
	ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &a), 0);
}
END_TEST

START_TEST(selectors)
{
	AUTO_DIR char *host = drive("{\"features\": {\"0x02\": 0, \"0x04\": 0}, \"faults\": ["
				    "{\"opcode\": 2, \"lid\": \"0x02\", \"count\": 0, \"status\": 6},"
				    "{\"cns\": 0, \"count\": 0, \"status\": 7},"
				    "{\"fid\": \"0x04\", \"nsid\": 5, \"count\": 0, \"status\": 8}]}");
	AUTO_SIM t = sim_open(host, false);
	struct sim_answer a;

	ck_assert_int_eq(sim_log(t, 2, 512, &a), 6);
	ck_assert_int_eq(sim_log(t, 1, 64, &a), 0);
	ck_assert_int_eq(sim_identify_cmd(t, 0, 1, &a), 7);
	ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &a), 0);
	ck_assert_int_eq(sim_feature(t, 0x04, 0, 5, 0, &a), 8);
	ck_assert_int_eq(sim_feature(t, 0x04, 0, 1, 0, &a), 0);
	ck_assert_int_eq(sim_feature(t, 0x02, 0, 5, 0, &a), 0);
}
END_TEST

START_TEST(errno_and_untouched_and_short)
{
	AUTO_DIR char *host = drive("{\"faults\": [{\"opcode\": 6, \"errno\": \"EINTR\", \"count\": 3},"
				    "{\"opcode\": 2, \"lid\": 2, \"untouched\": true},"
				    "{\"opcode\": 2, \"lid\": 2, \"nth\": 2, \"short\": 100}]}");
	AUTO_SIM t = sim_open(host, true);
	struct sim_answer a;

	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &a), -EINTR);
	ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &a), 0);
	ck_assert_int_eq(sim_log(t, 2, 512, &a), 0);
	ck_assert(sim_all(a.data, 512, PATTERN));
	ck_assert_int_eq(sim_log(t, 2, 512, &a), 0);
	ck_assert_uint_eq(a.data[3], 100);
	ck_assert(!sim_all(a.data, 100, PATTERN));
	ck_assert(sim_all(a.data + 100, 412, PATTERN));
	/* No completion arrived, so the drive has no error to remember. */
	ck_assert_uint_eq(errors(t), 0);
}
END_TEST

START_TEST(delays_add_up_to_other_effects)
{
	AUTO_DIR char *host = drive("{\"latency_us\": 20000, \"faults\": [{\"opcode\": 6, \"delay_ms\": 60},"
				    "{\"opcode\": 6, \"status\": 6}]}");
	AUTO_SIM t = sim_open(host, true);
	struct sim_answer a;
	uint64_t start = ssd_now_ms(), took;

	ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &a), 6);
	took = ssd_now_ms() - start;
	ck_assert_uint_ge(took, 79);
	start = ssd_now_ms();
	ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &a), 0);
	took = ssd_now_ms() - start;
	ck_assert_uint_ge(took, 19);
}
END_TEST

static int one_identify(const char *host)
{
	AUTO_SIM t = ssd_sim_open(host, "nvme0", true, NULL);
	struct sim_answer a;

	return t ? sim_identify_cmd(t, 1, 0, &a) : 100;
}

START_TEST(counts_persist_across_processes)
{
	AUTO_DIR char *host = drive("{\"faults\": [{\"opcode\": 6, \"nth\": 3, \"status\": 6}]}");

	ck_assert_int_eq(sim_in_child(one_identify, host), 0);
	ck_assert_int_eq(sim_in_child(one_identify, host), 0);
	ck_assert_int_eq(sim_in_child(one_identify, host), 6);
	ck_assert_int_eq(sim_in_child(one_identify, host), 0);
}
END_TEST

START_TEST(recorded_counts_in_the_process)
{
	AUTO_DIR char *host = drive("{\"faults\": [{\"opcode\": 6, \"nth\": 2, \"status\": 6}]}");
	struct ssd_transport *t = sim_open(host, false);
	struct sim_answer a;

	ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &a), 0);
	ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &a), 6);
	ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &a), 0);
	sim_close(&t);
	t = sim_open(host, false);
	ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &a), 0);
	ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &a), 6);
	ck_assert_uint_eq(errors(t), 0);
	ck_assert(!sim_has(host, "state.json"));
	sim_close(&t);
}
END_TEST

/* A rule that is edited counts afresh, also below an open drive; the others keep their counts. */
START_TEST(drive_json_may_change_meanwhile)
{
	AUTO_DIR char *host = drive("{\"faults\": [{\"opcode\": 6, \"status\": 6}]}");
	AUTO_SIM t = sim_open(host, true);
	struct sim_answer a;

	ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &a), 6);
	ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &a), 0);
	sim_put_text(host, "drive.json",
		     "{\"faults\": [{\"opcode\": 6, \"status\": 6}, {\"opcode\": 6, \"status\": 12}]}");
	ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &a), 12);
	ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &a), 0);
	/* Half-written: the drive goes on as before. */
	sim_put_text(host, "drive.json", "{\"faults\": [{\"op");
	ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &a), 0);
}
END_TEST

START_TEST(vanish)
{
	AUTO_DIR char *host = drive("{\"faults\": [{\"opcode\": 6, \"vanish_ms\": 3000}]}");
	AUTO_SIM t = sim_open(host, true);
	struct ssd_err err = SSD_ERR_INIT;
	struct sim_answer a;

	ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &a), 0);
	ck_assert_mem_eq(a.data + 24, "TESTDRIVE", 9);
	ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &a), -ENODEV);
	ck_assert_int_eq(sim_log(t, 2, 512, &a), -ENODEV);
	ck_assert_ptr_null(ssd_sim_open(host, "nvme0", true, &err));
	ck_assert_int_eq(err.sys_errno, ENOENT);
	ck_assert_int_eq(err.code, SSD_ERR_NOT_FOUND);
	/* Back after its time, however late this machine notices. */
	for (int i = 0; i < 3000 && sim_identify_cmd(t, 1, 0, &a); i++)
		usleep(10000);
	ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &a), 0);
	ck_assert_int_eq(sim_in_child(one_identify, host), 0);
}
END_TEST

START_TEST(vanish_for_ever)
{
	AUTO_DIR char *host = drive("{\"faults\": [{\"opcode\": 6, \"vanish_ms\": -1}]}");
	AUTO_SIM t = sim_open(host, true);
	struct sim_answer a;

	ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &a), 0);
	ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &a), -ENODEV);
	ck_assert_int_eq(sim_in_child(one_identify, host), 100);
	ck_assert_int_eq(sim_fault_clear(host, "nvme0", NULL), 0);
	ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &a), 0);
}
END_TEST

START_TEST(directory_taken_away)
{
	AUTO_DIR char *host = drive("{}");
	AUTO_FREE char *command = ssd_asprintf("rm -r '%s'/nvme0", host);
	AUTO_SIM t = sim_open(host, true);
	struct sim_answer a;

	ck_assert_int_eq(system(command), 0);
	ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &a), -ENODEV);
}
END_TEST

START_TEST(error_log_fills)
{
	AUTO_DIR char *host = drive("{}");
	AUTO_SIM t = sim_open(host, true);
	struct sim_answer a;

	ck_assert_int_eq(sim_log(t, 0xca, 512, &a), 0x4109);
	ck_assert_int_eq(sim_identify_cmd(t, 0, 7, &a), 0x400b);
	ck_assert_uint_eq(errors(t), 2);
	ck_assert_int_eq(sim_log(t, 1, 4 * ENTRY, &a), 0);
	/* Newest first; NVMe 1.4, figure 93: count, SQID, CID, status with the phase bit below it, location, LBA, NSID. */
	ck_assert_uint_eq(ssd_le64(a.data), 2);
	ck_assert_uint_eq(ssd_le16(a.data + 8), 0);
	ck_assert_uint_eq(ssd_le16(a.data + 12), 0x400b << 1);
	ck_assert_uint_eq(ssd_le32(a.data + 24), 7);
	ck_assert_uint_eq(ssd_le64(a.data + ENTRY), 1);
	ck_assert_uint_eq(ssd_le16(a.data + ENTRY + 12), 0x4109 << 1);
	ck_assert_uint_eq(ssd_le32(a.data + ENTRY + 24), 0xffffffff);
	ck_assert_uint_ne(ssd_le16(a.data + 10), ssd_le16(a.data + ENTRY + 10));
	ck_assert(sim_all(a.data + 2 * ENTRY, 2 * ENTRY, 0));
	/* ELPE 3: four entries, the oldest falls off. */
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(sim_log(t, 0xc5, 512, &a), 0x4109);
	ck_assert_uint_eq(errors(t), 6);
	ck_assert_int_eq(sim_log(t, 1, 8 * ENTRY, &a), 0);
	for (unsigned i = 0; i < 4; i++)
		ck_assert_uint_eq(ssd_le64(a.data + i * ENTRY), 6 - i);
	ck_assert(sim_all(a.data + 4 * ENTRY, 4 * ENTRY, 0));
}
END_TEST

/* Counter above the entries there are (they were lost at a power cycle): it goes on from the counter. */
START_TEST(error_count_goes_on)
{
	AUTO_DIR char *host = drive("{\"faults\": [{\"opcode\": 6, \"status\": \"0x2006\"}]}");
	uint8_t smart[512] = {0};
	AUTO_SIM t = NULL;
	struct sim_answer a;

	ssd_put_le(smart + 176, 8, 64);
	sim_put(host, "log-02.bin", smart, sizeof(smart));
	t = sim_open(host, true);
	ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &a), 0x2006);
	ck_assert_uint_eq(errors(t), 65);
	ck_assert_int_eq(sim_log(t, 1, ENTRY, &a), 0);
	ck_assert_uint_eq(ssd_le64(a.data), 65);
	ck_assert_uint_eq(ssd_le16(a.data + 12), 0x2006 << 1);
}
END_TEST

/* Pages that are not there or too short are left alone. */
START_TEST(errors_without_pages)
{
	AUTO_DIR char *host = sim_dir_new();
	uint8_t page[256] = {0};
	AUTO_SIM t = NULL;
	struct sim_answer a;

	sim_put_ctrl(host, (struct sim_ctrl){.ver = NVME14, .nn = 1});
	sim_put(host, "log-02.bin", page, sizeof(page));
	t = sim_open(host, true);
	ck_assert_int_eq(sim_log(t, 0xca, 512, &a), 0x4109);
	ck_assert_int_eq(sim_log(t, 1, 64, &a), 0x4109);
	ck_assert(!sim_has(host, "log-01.bin"));
	ck_assert_int_eq(sim_log(t, 2, 256, &a), 0);
	ck_assert(sim_all(a.data, 256, 0));
}
END_TEST

/* Accepted with a reset pending is no error: 10Bh, 110h and 111h, with More and Do Not Retry too. */
START_TEST(pending_is_no_error)
{
	AUTO_DIR char *host = drive("{\"faults\": [{\"opcode\": 16, \"status\": \"0x10b\"},"
				    "{\"opcode\": 16, \"nth\": 2, \"status\": \"0x4110\"}, {\"opcode\": 16, \"nth\": "
				    "3, \"status\": \"0x2111\"}]}");
	AUTO_SIM t = sim_open(host, true);
	struct sim_answer a;

	ck_assert_int_eq(sim_send(t, (struct ssd_cmd){.opcode = 0x10}, &a), 0x10b);
	ck_assert_int_eq(sim_send(t, (struct ssd_cmd){.opcode = 0x10}, &a), 0x4110);
	ck_assert_int_eq(sim_send(t, (struct ssd_cmd){.opcode = 0x10}, &a), 0x2111);
	ck_assert_uint_eq(errors(t), 0);
}
END_TEST

START_TEST(power_on_hours)
{
	AUTO_DIR char *host = drive("{}");
	AUTO_FREE char *state = ssd_asprintf("{\"created\": %lld}", (long long)time(NULL) - 3 * 3600 - 1800);
	AUTO_SIM t = sim_open(host, true);
	struct sim_answer a;

	ck_assert_int_eq(sim_log(t, 2, 512, &a), 0);
	ck_assert_uint_eq(ssd_le64(a.data + 128), 1000);
	sim_put_text(host, "state.json", state);
	ck_assert_int_eq(sim_log(t, 2, 512, &a), 0);
	ck_assert_uint_eq(ssd_le64(a.data + 128), 1003);
}
END_TEST

/* A damaged state is an error and stays as it is; whoever has the drive open goes on with what he knows. */
START_TEST(damaged_state)
{
	AUTO_DIR char *host = drive("{\"features\": {\"0x02\": 0}}");
	AUTO_FREE char *state = ssd_asprintf("{\"created\": %lld}", (long long)time(NULL) - 3 * 3600 - 1800);
	AUTO_SIM t = NULL;
	struct ssd_err err = SSD_ERR_INIT;
	struct sim_answer a;

	sim_put_text(host, "state.json", state);
	t = sim_open(host, true);
	sim_put_text(host, "state.json", "{\"created\"");
	ck_assert_int_eq(sim_log(t, 2, 512, &a), 0);
	ck_assert_uint_eq(ssd_le64(a.data + 128), 1003);
	ck_assert_int_lt(sim_set(t, 0x02, false, 0, 1, &a), 0);
	ck_assert_ptr_null(ssd_sim_open(host, "nvme0", true, &err));
	ck_assert_int_eq(err.code, SSD_ERR_BAD_INPUT);
	ck_assert_msg(strstr(err.message, "nvme0/state.json line 1"), "%s", err.message);
	ck_assert_str_ne(err.hint, "");
	/* A recorded host has no state: the file is somebody else's. */
	ssd_transport_close(sim_open(host, false));
	sim_put_text(host, "state.json", state);
	ck_assert_int_eq(sim_set(t, 0x02, false, 0, 1, &a), 0);
}
END_TEST

#define PROCESSES 8
#define COMMANDS 25

static int many_errors(const char *host)
{
	AUTO_SIM t = ssd_sim_open(host, "nvme0", true, NULL);
	int hit = 0;

	for (int i = 0; t && i < COMMANDS; i++) {
		struct sim_answer a;

		if (sim_log(t, 0xca, 512, &a) != 0x4109 || sim_set(t, 0x02, false, 0, (uint32_t)i, &a))
			return 200;
		hit += sim_identify_cmd(t, 1, 0, &a) == 6;
	}
	return hit;
}

/* Nothing is lost and nothing counted twice: every error is in the log, and the rule hits as often as it says. */
START_TEST(many_processes)
{
	AUTO_DIR char *host = drive("{\"features\": {\"0x02\": 0}, \"faults\": [{\"opcode\": 6, \"nth\": 50, "
				    "\"count\": 20, \"status\": 6}]}");
	pid_t pids[PROCESSES];
	int status, hits = 0;
	AUTO_SIM t = NULL;
	struct sim_answer a;

	for (int i = 0; i < PROCESSES; i++) {
		pids[i] = fork();
		if (!pids[i])
			_exit(many_errors(host));
	}
	for (int i = 0; i < PROCESSES; i++) {
		ck_assert_int_eq(waitpid(pids[i], &status, 0), pids[i]);
		ck_assert(WIFEXITED(status));
		hits += WEXITSTATUS(status);
	}
	ck_assert_int_eq(hits, 20);
	t = sim_open(host, true);
	ck_assert_uint_eq(errors(t), PROCESSES * COMMANDS + 20);
	ck_assert_int_eq(sim_log(t, 1, 4 * ENTRY, &a), 0);
	for (unsigned i = 0; i < 4; i++)
		ck_assert_uint_eq(ssd_le64(a.data + i * ENTRY), PROCESSES * COMMANDS + 20 - i);
}
END_TEST

START_TEST(add_and_clear)
{
	AUTO_DIR char *host = drive("{\"note\": \"mine\", \"features\": {\"0x02\": 4}}");
	AUTO_JSON json_t *rule = json_pack("{s:s, s:i, s:s}", "opcode", "0x06", "count", 0, "status", "0x4006");
	AUTO_JSON json_t *bad = json_pack("{s:s}", "opcode", "0x06");
	AUTO_JSON json_t *json = NULL;
	AUTO_SIM t = sim_open(host, true);
	struct ssd_err err = SSD_ERR_INIT;
	struct sim_answer a;

	ck_assert_int_eq(sim_fault_add(host, "nvme0", bad, &err), -1);
	ck_assert_int_eq(err.code, SSD_ERR_USAGE);
	ck_assert_int_eq(sim_fault_add(host, "nvme0", rule, &err), 0);
	ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &a), 0x4006);
	ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &a), 0x4006);
	ck_assert_int_eq(sim_fault_clear(host, "nvme0", &err), 0);
	ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &a), 0);
	ck_assert_int_eq(sim_feature(t, 0x02, 0, 0, 0, &a), 0);
	ck_assert_uint_eq(a.result, 4);
	json = drive_json_load(host, "nvme0", &err);
	ck_assert_str_eq(json_string_value(json_object_get(json, "note")), "mine");
	ck_assert_ptr_null(json_object_get(json, "faults"));
}
END_TEST

CHECK_MAIN("sim_fault", status_on_the_nth, selectors, errno_and_untouched_and_short, delays_add_up_to_other_effects,
	   counts_persist_across_processes, recorded_counts_in_the_process, drive_json_may_change_meanwhile, vanish,
	   vanish_for_ever, directory_taken_away, error_log_fills, error_count_goes_on, errors_without_pages,
	   pending_is_no_error, power_on_hours, damaged_state, many_processes, add_and_clear)
