/* SPDX-License-Identifier: MIT */
/* Sanitize and its log page on a simulated drive. */
#include "sim_admin.h"

#define SANITIZE 0x84
enum { EXIT = 1, BLOCK = 2, OVERWRITE = 3, CRYPTO = 4, AUSE = 1 << 3, NDAS = 1 << 9 };
enum { ALL_ACTIONS = 7, NDI = 1 << 29 };

static char *drive(uint32_t sanicap, const char *sanitize)
{
	AUTO_FREE char *json = ssd_asprintf("{\"sanitize\": {%s}, \"features\": {\"0x17\": 0, \"0x02\": 0}}", sanitize);
	char *host = admin_drive((struct admin_ctrl){.sanicap = sanicap, .base.lpa = 4, .base.frmw = 6}, json);
	uint8_t log[512] = {0xff, 0xff};

	sim_put(host, "log-81.bin", log, sizeof(log));
	memset(log, 0, sizeof(log));
	log[0] = 1;
	for (size_t i = 0; i < 8; i++)
		log[8 + i] = "FW1     "[i];
	sim_put(host, "log-03.bin", log, sizeof(log));
	sim_put(host, "log-02.bin", log, sizeof(log));
	sim_put(host, "log-06.bin", log, sizeof(log));
	return host;
}

/* "SPROG SSTAT SCDW10" */
static const char *status(struct ssd_transport *t)
{
	static char text[2][64];
	static unsigned turn;
	char *out = text[turn++ % 2];
	struct sim_answer a;

	ck_assert_int_eq(sim_log(t, 0x81, 20, &a), 0);
	snprintf(out, sizeof(text[0]), "%04x %04x %08x", ssd_le16(a.data), ssd_le16(a.data + 2), ssd_le32(a.data + 4));
	return out;
}

START_TEST(runs_in_the_background)
{
	AUTO_DIR char *host = drive(ALL_ACTIONS, "\"busy_polls\": 4");
	AUTO_SIM t = sim_open(host, true);

	ck_assert_str_eq(status(t), "ffff 0000 00000000");
	ck_assert_int_eq(write_block(t, 1, 0, 512, 1), 0);
	ck_assert_int_eq(write_block(t, 2, 0, 512, 1), 0);
	ck_assert_int_eq(admin(t, SANITIZE, 0, BLOCK), 0);
	ck_assert(!sim_has(host, "ns-1.img") && !sim_has(host, "ns-2.img"));
	ck_assert_str_eq(status(t), "0000 0002 00000002");
	ck_assert_str_eq(status(t), "4000 0002 00000002");
	ck_assert_int_eq(t->control(t, SSD_RESET_CONTROLLER), 0);
	ck_assert_int_eq(t->control(t, SSD_RESET_SUBSYSTEM), 0);
	ck_assert_str_eq(status(t), "8000 0002 00000002");
	ck_assert_int_eq(admin(t, SANITIZE, 0, BLOCK), 0x001d);
	ck_assert_str_eq(status(t), "c000 0002 00000002");
	ck_assert_str_eq(status(t), "ffff 0101 00000002");
	ck_assert_str_eq(status(t), "ffff 0101 00000002");
	ck_assert_int_eq(read_block(t, 1, 0, 512), 0);
	ck_assert_str_eq(status(t), "ffff 0101 00000002");
	/* Once something is written the data are no longer all erased. */
	ck_assert_int_eq(write_block(t, 1, 0, 512, 1), 0);
	ck_assert_str_eq(status(t), "ffff 0001 00000002");
}
END_TEST

/* NVMe 1.4, 8.15: what may be asked meanwhile. */
static const struct {
	struct ssd_cmd cmd;
	int status;
} meanwhile[] = {
	{{.opcode = 0x06, .cdw10 = 1, .data_len = 4096}, 0},
	{{.opcode = 0x06, .nsid = 1, .data_len = 4096}, 0},
	{{.opcode = 0x0a, .cdw10 = 2}, 0},
	{{.opcode = 0x09, .cdw10 = 2, .cdw11 = 1}, 0},
	{{.opcode = 0x02, .nsid = 0xffffffff, .cdw10 = 2 | 127 << 16, .data_len = 512}, 0},
	{{.opcode = 0x02, .nsid = 0xffffffff, .cdw10 = 3 | 127 << 16, .data_len = 512}, 0x001d},
	{{.opcode = 0x02, .nsid = 0xffffffff, .cdw10 = 6 | 127 << 16, .data_len = 512}, 0x001d},
	{{.opcode = 0x80, .nsid = 1}, 0x001d},
	{{.opcode = 0x14, .nsid = 0xffffffff, .cdw10 = 1}, 0x001d},
	{{.opcode = 0x10, .cdw10 = 1 << 3}, 0x001d},
	{{.opcode = 0x0d, .nsid = 1, .cdw10 = 1}, 0x001d},
	{{.opcode = 0x02, .io = true, .nsid = 1, .data_len = 512}, 0x001d},
	{{.opcode = 0x00, .io = true, .nsid = 1}, 0x001d},
	{{.opcode = 0xd2}, 0x4001}, /* no command at all */
};

START_TEST(others_meanwhile)
{
	AUTO_DIR char *host = drive(ALL_ACTIONS, "\"busy_polls\": 1");
	AUTO_DIR char *broken = drive(ALL_ACTIONS, "\"fail\": true");
	AUTO_SIM t = sim_open(host, true);
	AUTO_SIM u = sim_open(broken, true);
	struct sim_answer a;

	ck_assert_int_eq(admin(t, SANITIZE, 0, CRYPTO), 0);
	ck_assert_int_eq(sim_send(t, meanwhile[_i].cmd, &a), meanwhile[_i].status);
	/* The same after a failure, with another status. */
	ck_assert_int_eq(admin(u, SANITIZE, 0, CRYPTO), 0);
	ck_assert_int_eq(sim_send(u, meanwhile[_i].cmd, &a),
			 meanwhile[_i].status == 0x001d ? 0x401c : meanwhile[_i].status);
}
END_TEST

/* SANICAP, CDW10, and what it gets and comes to. */
static const struct {
	uint32_t sanicap, cdw10;
	int status;
	const char *after;
} actions[] = {
	{1, CRYPTO, 0, "ffff 0101 00000004"},
	{1, BLOCK, 0x4002, NULL},
	{1, OVERWRITE, 0x4002, NULL},
	{2, BLOCK, 0, "ffff 0101 00000002"},
	{2, CRYPTO, 0x4002, NULL},
	{4, OVERWRITE | 3 << 4, 0, "ffff 0119 00000033"}, /* three passes */
	{4, OVERWRITE, 0, "ffff 0181 00000003"},          /* 0 is 16 */
	{7, 0, 0x4002, NULL},
	{7, 5, 0x4002, NULL},
	{7, 7, 0x4002, NULL},
	{7, EXIT, 0, "ffff 0000 00000000"}, /* nothing to leave */
	{0, BLOCK, 0x4001, NULL},
	{7, BLOCK | NDAS, 0, "ffff 0101 00000202"},
	{7 | NDI, BLOCK | NDAS, 0x4002, NULL},
};

START_TEST(which_actions)
{
	AUTO_DIR char *host = drive(actions[_i].sanicap, "");
	AUTO_SIM t = sim_open(host, true);

	ck_assert_int_eq(write_block(t, 1, 0, 512, 1), 0);
	ck_assert_int_eq(admin(t, SANITIZE, 0, actions[_i].cdw10), actions[_i].status);
	ck_assert_str_eq(status(t), actions[_i].after ? actions[_i].after : "ffff 0000 00000000");
	ck_assert(sim_has(host, "ns-1.img") == (actions[_i].status || (actions[_i].cdw10 & 7) == EXIT));
}
END_TEST

START_TEST(passes_count_up)
{
	AUTO_DIR char *host = drive(ALL_ACTIONS, "\"busy_polls\": 4");
	AUTO_SIM t = sim_open(host, true);

	ck_assert_int_eq(admin(t, SANITIZE, 0, OVERWRITE | 2 << 4), 0);
	ck_assert_str_eq(status(t), "0000 0002 00000023");
	ck_assert_str_eq(status(t), "4000 0002 00000023");
	ck_assert_str_eq(status(t), "8000 000a 00000023");
	ck_assert_str_eq(status(t), "c000 000a 00000023");
	ck_assert_str_eq(status(t), "ffff 0111 00000023");
}
END_TEST

/* No-Deallocate Response Mode 1: done, with a warning in the status. */
START_TEST(deallocates_all_the_same)
{
	AUTO_DIR char *host = drive(ALL_ACTIONS | NDI, "");
	AUTO_SIM t = sim_open(host, true);
	struct sim_answer a;

	ck_assert_int_eq(sim_set(t, 0x17, false, 0, 1, &a), 0);
	ck_assert_int_eq(admin(t, SANITIZE, 0, CRYPTO | NDAS), 0);
	ck_assert_str_eq(status(t), "ffff 0104 00000204");
}
END_TEST

START_TEST(fails_restricted)
{
	AUTO_DIR char *host = drive(ALL_ACTIONS, "\"fail\": true, \"busy_polls\": 1");
	AUTO_SIM t = sim_open(host, true);

	ck_assert_int_eq(admin(t, SANITIZE, 0, BLOCK), 0);
	ck_assert_str_eq(status(t), "0000 0002 00000002");
	ck_assert_str_eq(status(t), "ffff 0003 00000002");
	ck_assert_int_eq(read_block(t, 1, 0, 512), -0x401c);
	ck_assert_int_eq(admin(t, SANITIZE, 0, EXIT), 0x401c);
	ck_assert_int_eq(admin(t, SANITIZE, 0, BLOCK | AUSE), 0x401c);
	ck_assert_int_eq(t->control(t, SSD_RESET_SUBSYSTEM), 0);
	ck_assert_int_eq(read_block(t, 1, 0, 512), -0x401c);
	/* Another one that succeeds is the way out. */
	sim_put_text(host, "drive.json", "{}");
	ck_assert_int_eq(admin(t, SANITIZE, 0, CRYPTO), 0);
	ck_assert_str_eq(status(t), "ffff 0101 00000004");
	ck_assert_int_eq(read_block(t, 1, 0, 512), 0);
}
END_TEST

START_TEST(fails_unrestricted)
{
	AUTO_DIR char *host = drive(ALL_ACTIONS, "\"fail\": true");
	AUTO_SIM t = sim_open(host, true);

	ck_assert_int_eq(admin(t, SANITIZE, 0, BLOCK | AUSE), 0);
	ck_assert_int_eq(admin(t, 0x80, 1, 0), 0x401c);
	ck_assert_str_eq(status(t), "ffff 0003 0000000a");
	ck_assert_int_eq(admin(t, SANITIZE, 0, EXIT), 0);
	ck_assert_int_eq(read_block(t, 1, 0, 512), 0);
	ck_assert_int_eq(admin(t, 0x80, 1, 0), 0);
	ck_assert_str_eq(status(t), "ffff 0003 0000000a"); /* the most recent one */
}
END_TEST

START_TEST(not_beside_others)
{
	AUTO_DIR char *host = drive(ALL_ACTIONS, "");
	AUTO_SIM t = sim_open(host, true);
	uint8_t log[512] = {0x21};

	for (size_t i = 0; i < 16; i++)
		log[8 + i] = "FW1     FW2     "[i];
	sim_put_text(host, "drive.json", "{\"format\": {\"busy_polls\": 1}}");
	ck_assert_int_eq(admin(t, 0x80, 1, 0), 0);
	ck_assert_int_eq(admin(t, SANITIZE, 0, BLOCK), 0x0084);
	geometry(t, 1);
	geometry(t, 1);
	/* Firmware that waits for a reset. */
	sim_put(host, "log-03.bin", log, sizeof(log));
	ck_assert_int_eq(admin(t, SANITIZE, 0, BLOCK), 0x0111);
	ck_assert_int_eq(t->control(t, SSD_RESET_CONTROLLER), 0);
	ck_assert_int_eq(admin(t, SANITIZE, 0, BLOCK), 0);
}
END_TEST

static int go_on(const char *host)
{
	AUTO_SIM t = sim_open(host, true);

	return strcmp(status(t), "4000 0002 00000002");
}

/* Its state is in the directory, whichever process or controller asks. */
START_TEST(persists)
{
	AUTO_DIR char *host = drive(ALL_ACTIONS, "\"busy_polls\": 4");
	AUTO_FREE char *command = ssd_asprintf("cp -r %s/nvme0 %s/nvme1", host, host);
	AUTO_SIM other = NULL;
	AUTO_SIM t = NULL;

	ck_assert_int_eq(system(command), 0);
	t = sim_open(host, true);
	other = ssd_sim_open(host, "nvme1", true, NULL);
	ck_assert_int_eq(admin(other, SANITIZE, 0, BLOCK), 0);
	ck_assert_str_eq(status(t), "0000 0002 00000002");
	ck_assert_int_eq(sim_in_child(go_on, host), 0);
	ck_assert_str_eq(status(other), "8000 0002 00000002");
	ck_assert_int_eq(read_block(other, 1, 0, 512), -0x001d);
}
END_TEST

int main(void)
{
	const TTest *const plain[] = {
		runs_in_the_background, passes_count_up, deallocates_all_the_same, fails_restricted, fails_unrestricted,
		not_beside_others,      persists};
	const struct check_loop loops[] = {{others_meanwhile, ARRAY_SIZE(meanwhile)},
					   {which_actions, ARRAY_SIZE(actions)}};

	return admin_main("sim_sanitize", plain, ARRAY_SIZE(plain), loops, ARRAY_SIZE(loops));
}
