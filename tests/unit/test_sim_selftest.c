/* SPDX-License-Identifier: MIT */
/* Device Self-test and telemetry on a simulated drive. */
#include "sim_admin.h"

#define SELF_TEST 0x14
enum { ALL = 0xffffffff, SHORT = 1, EXTENDED = 2, ABORT = 15 };

static char *drive(const char *json)
{
	char *host = admin_drive((struct admin_ctrl){.base.lpa = 0x0c, .fna = 4, .sanicap = 2}, json);
	uint8_t log[564] = {0}, smart[512] = {0};

	for (unsigned i = 0; i < 20; i++)
		log[4 + 28 * i] = 0x0f;
	sim_put(host, "log-06.bin", log, sizeof(log));
	ssd_put_le(smart + 128, 8, 4711);
	sim_put(host, "log-02.bin", smart, sizeof(smart));
	return host;
}

/* "OPERATION PERCENT: STATUS STATUS ...", the unused ones left out. */
static const char *tests(struct ssd_transport *t)
{
	static char text[2][256];
	static unsigned turn;
	char *out = text[turn++ % 2];
	struct sim_answer a;

	ck_assert_int_eq(sim_log(t, 6, 564, &a), 0);
	snprintf(out, sizeof(text[0]), "%x %u:", a.data[0], a.data[1]);
	for (unsigned i = 0; i < 20; i++)
		if (a.data[4 + 28 * i] != 0x0f)
			snprintf(out + strlen(out), 16, " %02x", a.data[4 + 28 * i]);
	return out;
}

START_TEST(takes_its_time)
{
	AUTO_DIR char *host = drive("{\"selftest\": {\"busy_polls\": 4}}");
	AUTO_SIM t = sim_open(host, true);
	struct sim_answer a;

	ck_assert_str_eq(tests(t), "0 0:");
	ck_assert_int_eq(admin(t, SELF_TEST, ALL, EXTENDED), 0);
	ck_assert_str_eq(tests(t), "2 0:");
	ck_assert_int_eq(admin(t, SELF_TEST, ALL, SHORT), 0x011d);
	ck_assert_str_eq(tests(t), "2 25:");
	/* An extended one survives a reset. */
	ck_assert_int_eq(t->control(t, SSD_RESET_CONTROLLER), 0);
	ck_assert_str_eq(tests(t), "2 50:");
	ck_assert_str_eq(tests(t), "2 75:");
	ck_assert_str_eq(tests(t), "0 0: 20");
	ck_assert_int_eq(sim_log(t, 6, 564, &a), 0);
	ck_assert_uint_eq(ssd_le64(a.data + 8), 4711);
	ck_assert_uint_eq(a.data[6], 0);
}
END_TEST

/* What ends a test before its time, and the result. */
static const struct {
	uint8_t opcode;
	uint32_t nsid, cdw10;
	const char *after;
} ends[] = {
	{SELF_TEST, ALL, ABORT, "0 0: 11"},
	{0, 0, 0, "0 0: 12"},    /* a controller reset */
	{0x80, 1, 0, "0 0: 14"}, /* format */
	{0x0d, 2, 1, "0 0: 13"}, /* a namespace is deleted */
	{0x84, 0, 2, "0 0: 19"}, /* sanitize */
};

START_TEST(ends_early)
{
	AUTO_DIR char *host = drive("{\"selftest\": {\"busy_polls\": 4}}");
	AUTO_SIM t = sim_open(host, true);

	ck_assert_int_eq(admin(t, SELF_TEST, 1, SHORT), 0);
	if (ends[_i].opcode)
		ck_assert_int_eq(admin(t, ends[_i].opcode, ends[_i].nsid, ends[_i].cdw10), 0);
	else
		ck_assert_int_eq(t->control(t, SSD_RESET_CONTROLLER), 0);
	ck_assert_str_eq(tests(t), ends[_i].after);
}
END_TEST

START_TEST(fails_as_told)
{
	AUTO_DIR char *host = drive("{\"selftest\": {\"result\": 7, \"segment\": 3, \"nsid\": 2, \"failing_lba\": 77, "
				    "\"status\": \"0x281\"}}");
	AUTO_SIM t = sim_open(host, true);
	struct sim_answer a;

	ck_assert_int_eq(admin(t, SELF_TEST, ALL, SHORT), 0);
	ck_assert_int_eq(sim_log(t, 6, 564, &a), 0);
	ck_assert_uint_eq(a.data[4], 0x17);
	ck_assert_uint_eq(a.data[5], 3);
	ck_assert_uint_eq(a.data[6], 0x0f);
	ck_assert_uint_eq(ssd_le32(a.data + 16), 2);
	ck_assert_uint_eq(ssd_le64(a.data + 20), 77);
	ck_assert_uint_eq(a.data[28], 2);
	ck_assert_uint_eq(a.data[29], 0x81);
}
END_TEST

START_TEST(newest_first_of_twenty)
{
	AUTO_DIR char *host = drive("{}");
	AUTO_SIM t = sim_open(host, true);
	AUTO_FREE char *all = ssd_strdup("0 0:");

	for (unsigned i = 0; i < 22; i++)
		ck_assert_int_eq(admin(t, SELF_TEST, 0, i == 2 || i == 21 ? EXTENDED : SHORT), 0);
	for (unsigned i = 0; i < 20; i++) {
		char *longer = ssd_asprintf("%s %s", all, i == 0 || i == 19 ? "20" : "10");

		free(all);
		all = longer;
	}
	ck_assert_str_eq(tests(t), all);
}
END_TEST

START_TEST(what_is_accepted)
{
	AUTO_DIR char *host = drive("{}");
	AUTO_DIR char *without = admin_drive((struct admin_ctrl){.base.oacs = 6}, "{}");
	AUTO_SIM t = sim_open(host, true);
	AUTO_SIM u = sim_open(without, true);

	ck_assert_int_eq(admin(t, SELF_TEST, ALL, ABORT), 0); /* none runs */
	ck_assert_str_eq(tests(t), "0 0:");
	ck_assert_int_eq(admin(t, SELF_TEST, ALL, 0), 0x4002);
	ck_assert_int_eq(admin(t, SELF_TEST, ALL, 3), 0x4002);
	ck_assert_int_eq(admin(t, SELF_TEST, 3, SHORT), 0x4002); /* not active */
	ck_assert_int_eq(admin(t, SELF_TEST, 5, SHORT), 0x400b); /* above NN */
	ck_assert_int_eq(admin(u, SELF_TEST, ALL, SHORT), 0x4001);
}
END_TEST

/* --- telemetry --- */

/* Get Log Page with the bits of CDW10 that matter: LSP, RAE. */
static int telemetry(struct ssd_transport *t, uint8_t lid, uint32_t bits, uint64_t offset, uint32_t len,
		     struct sim_answer *a)
{
	return sim_send(t,
			(struct ssd_cmd){.opcode = 0x02,
					 .nsid = ALL,
					 .cdw10 = lid | bits | (len / 4 - 1) << 16,
					 .cdw12 = (uint32_t)offset,
					 .cdw13 = (uint32_t)(offset >> 32),
					 .data_len = len},
			a);
}
enum { CREATE = 1 << 8, RAE = 1 << 15 };

START_TEST(made_up_as_it_is_read)
{
	AUTO_DIR char *host = drive("{\"telemetry\": {\"host_blocks\": [2, 6, 16, 1400000]}}");
	AUTO_SIM t = sim_open(host, true);
	struct sim_answer a, b;

	ck_assert_int_eq(telemetry(t, 7, CREATE | RAE, 0, 512, &a), 0);
	ck_assert_uint_eq(a.data[0], 7);
	ck_assert_uint_eq(ssd_le16(a.data + 8), 2);
	ck_assert_uint_eq(ssd_le16(a.data + 10), 6);
	ck_assert_uint_eq(ssd_le16(a.data + 12), 16);
	ck_assert_uint_eq(ssd_le32(a.data + 16), 1400000);
	/* 700 MB, and nobody has stored them. */
	ck_assert_int_eq(telemetry(t, 7, RAE, 512 * 1400000ull, 512, &a), 0);
	ck_assert_int_eq(telemetry(t, 7, RAE, 512 * 1400000ull - 256, 512, &b), 0);
	ck_assert_mem_eq(a.data, b.data + 256, 256);
	ck_assert(!sim_all(a.data, 512, a.data[0]));
	ck_assert_int_eq(telemetry(t, 7, RAE, 512 * 1400001ull + 4, 512, &a), 0x4002);
	/* Another capture has other data; reading alone has not. */
	ck_assert_int_eq(telemetry(t, 7, RAE, 512, 512, &a), 0);
	ck_assert_int_eq(telemetry(t, 7, RAE, 512, 512, &b), 0);
	ck_assert_mem_eq(a.data, b.data, 512);
	ck_assert_int_eq(telemetry(t, 7, CREATE | RAE, 0, 512, &b), 0);
	ck_assert_int_eq(telemetry(t, 7, RAE, 512, 512, &b), 0);
	ck_assert_mem_ne(a.data, b.data, 512);
}
END_TEST

START_TEST(controller_data_are_had_once)
{
	AUTO_DIR char *host = drive("{\"telemetry\": {\"host_blocks\": [1], \"controller_blocks\": [1, 2, 3], "
				    "\"controller_available\": true}}");
	AUTO_SIM t = sim_open(host, true);
	struct sim_answer a;

	ck_assert_int_eq(telemetry(t, 7, RAE, 0, 512, &a), 0);
	ck_assert_uint_eq(a.data[382], 1);
	ck_assert_int_eq(telemetry(t, 8, RAE, 0, 512, &a), 0);
	ck_assert_uint_eq(a.data[382], 1);
	ck_assert_int_eq(telemetry(t, 8, RAE, 512, 512, &a), 0);
	ck_assert_int_eq(telemetry(t, 8, RAE, 1536, 512, &a), 0);
	/* RAE clear on a piece that is not the last: the rest is lost. */
	ck_assert_int_eq(telemetry(t, 8, 0, 512, 512, &a), 0);
	ck_assert_int_eq(telemetry(t, 8, RAE, 1024, 512, &a), 0x4002);
	ck_assert_int_eq(telemetry(t, 8, RAE, 0, 512, &a), 0);
	ck_assert_uint_eq(a.data[382], 0);
	ck_assert_uint_eq(ssd_le16(a.data + 12), 0);
	ck_assert_int_eq(telemetry(t, 7, RAE, 0, 512, &a), 0);
	ck_assert_uint_eq(a.data[382], 0);
}
END_TEST

/* Pages that somebody has saved stay what they are. */
START_TEST(saved_pages)
{
	AUTO_DIR char *host = drive("{}");
	AUTO_SIM t = sim_open(host, true);
	uint8_t log[1536];
	struct sim_answer a;

	memset(log, 3, sizeof(log));
	log[382] = 1;
	sim_put(host, "log-08.bin", log, sizeof(log));
	ck_assert_int_eq(telemetry(t, 7, RAE, 0, 512, &a), 0x4109);
	ck_assert_int_eq(telemetry(t, 8, RAE, 0, 1536, &a), 0);
	ck_assert_mem_eq(a.data, log, sizeof(log));
	ck_assert_int_eq(telemetry(t, 8, 0, 1024, 512, &a), 0);
	ck_assert_mem_eq(a.data, log + 1024, 512);
	ck_assert_int_eq(telemetry(t, 8, RAE, 0, 512, &a), 0);
	ck_assert_uint_eq(a.data[382], 0);
}
END_TEST

int main(void)
{
	const TTest *const plain[] = {takes_its_time,   fails_as_told,         newest_first_of_twenty,
				      what_is_accepted, made_up_as_it_is_read, controller_data_are_had_once,
				      saved_pages};
	const struct check_loop loops[] = {{ends_early, ARRAY_SIZE(ends)}};

	return admin_main("sim_selftest", plain, ARRAY_SIZE(plain), loops, ARRAY_SIZE(loops));
}
