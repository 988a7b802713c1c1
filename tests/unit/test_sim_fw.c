/* SPDX-License-Identifier: MIT */
/* The firmware of a simulated drive: what it accepts, and what runs after which reset. */
#include "sim_fw.h"

#include "sim/image.h"
#include "sim/sim.h"

/* --- pieces --- */

START_TEST(pieces_in_any_order)
{
	AUTO_DIR char *host = drive("");
	AUTO_SIM t = sim_open(host, true);
	uint8_t image[IMAGE];

	make_image(image, "FW2", "TESTDRIVE");
	ck_assert_int_eq(piece(t, 2 * PIECE, image + 2 * PIECE, PIECE), 0);
	ck_assert_int_eq(piece(t, 3 * PIECE, image + 3 * PIECE, 512), 0);
	ck_assert_int_eq(piece(t, 0, image, PIECE), 0);
	ck_assert_int_eq(commit(t, 2, 3), 0x4107); /* with a gap it is no image, nor what the slot has */
	ck_assert_int_eq(piece(t, PIECE, image + PIECE, PIECE), 0);
	ck_assert_int_eq(commit(t, 2, 3), 0);
	ck_assert_str_eq(says(t), "02 FW2 FW1 FW2 -");
}
END_TEST

START_TEST(pieces_that_overlap)
{
	AUTO_DIR char *host = drive("");
	AUTO_SIM t = sim_open(host, true);
	uint8_t image[IMAGE];

	make_image(image, "FW2", "TESTDRIVE");
	ck_assert_int_eq(piece(t, 0, image, 2 * PIECE), 0);
	ck_assert_int_eq(piece(t, PIECE, image + PIECE, PIECE), 0x4114);
	ck_assert_int_eq(piece(t, PIECE, image, 2 * PIECE), 0x4114);
	ck_assert_int_eq(piece(t, 2 * PIECE, image + 2 * PIECE, PIECE + 512), 0);
	/* What was refused has changed nothing. */
	ck_assert_int_eq(commit(t, 2, 0), 0);
	ck_assert_str_eq(says(t), "01 FW1 FW1 FW2 -");
}
END_TEST

START_TEST(begins_anew_at_offset_0)
{
	AUTO_DIR char *host = drive("");
	AUTO_SIM t = sim_open(host, true);
	uint8_t longer[4 * PIECE];

	memset(longer, 1, sizeof(longer));
	ck_assert_int_eq(download(t, longer, sizeof(longer)), 0);
	ck_assert_int_eq(update(t, "FW2", 2, 0), 0);
	ck_assert_str_eq(says(t), "01 FW1 FW1 FW2 -");
}
END_TEST

START_TEST(strict_overlap)
{
	AUTO_DIR char *host = drive("\"strict_overlap\": true");
	AUTO_SIM t = sim_open(host, true);
	uint8_t image[IMAGE];

	make_image(image, "FW2", "TESTDRIVE");
	ck_assert_int_eq(piece(t, 0, image, PIECE), 0);
	ck_assert_int_eq(piece(t, 0, image, PIECE), 0x4114);
	ck_assert_int_eq(t->control(t, SSD_RESET_CONTROLLER), 0);
	ck_assert_int_eq(update(t, "FW2", 2, 0), 0);
	ck_assert_int_eq(piece(t, 0, image, PIECE), 0);
}
END_TEST

/* FWUG, MDTS, granularity_bytes; an offset and a length, and what they get on an empty buffer. */
static const struct {
	uint8_t fwug, mdts;
	const char *firmware;
	uint32_t offset, len;
	int status;
} granularities[] = {
	{1, 1, "", 4096, 4096, 0},
	{1, 1, "", 4096, 4100, 0}, /* may be the last one */
	{1, 1, "", 2048, 4096, 0x4002},
	{1, 1, "", 4096, 8192, 0},
	{1, 1, "", 4096, 8196, 0x4002}, /* MDTS */
	{0, 1, "", 4096, 4096, 0},
	{0, 1, "", 2048, 2048, 0x4002}, /* unknown: 4 KiB */
	{0xff, 1, "", 4, 4, 0},         /* no restriction */
	{2, 2, "", 8192, 8192, 0},
	{2, 2, "", 4096, 8192, 0x4002},
	{64, 1, "", 4096, 4096, 0}, /* FWUG exceeds MDTS: nobody could obey it */
	{64, 0, "", 4096, 4096, 0x4002},
	{1, 0, "", 4096, 32768, 0}, /* MDTS 0: no limit */
	{2, 2, "\"granularity_bytes\": 4096", 4096, 4096, 0},
	{1, 2, "\"granularity_bytes\": 8192", 4096, 4096, 0x4002},
};

START_TEST(granularity)
{
	AUTO_FREE char *json = ssd_asprintf("{\"firmware\": {%s}}", granularities[_i].firmware);
	AUTO_DIR char *host = drive_of(with_sizes(granularities[_i].fwug, granularities[_i].mdts), json);
	AUTO_SIM t = sim_open(host, true);
	static uint8_t data[32768];

	ck_assert_int_eq(piece(t, granularities[_i].offset, data, granularities[_i].len), granularities[_i].status);
}
END_TEST

START_TEST(only_the_last_piece_is_short)
{
	AUTO_DIR char *host = drive("");
	AUTO_SIM t = sim_open(host, true);
	static const uint8_t data[PIECE];

	ck_assert_int_eq(piece(t, 0, data, PIECE), 0);
	ck_assert_int_eq(piece(t, PIECE, data, 512), 0);
	ck_assert_int_eq(piece(t, 2 * PIECE, data, PIECE), 0x4002); /* behind the last one */
	ck_assert_int_eq(piece(t, PIECE, data, 512), 0x4114);
	ck_assert_int_eq(t->control(t, SSD_RESET_CONTROLLER), 0);
	ck_assert_int_eq(piece(t, 2 * PIECE, data, PIECE), 0);
	ck_assert_int_eq(piece(t, PIECE, data, 512), 0x4002); /* before another */
}
END_TEST

START_TEST(impossible_pieces)
{
	AUTO_DIR char *host = drive("");
	AUTO_SIM t = sim_open(host, true);
	static uint8_t data[PIECE];
	struct ssd_cmd cmd = {.opcode = 0x11, .cdw10 = PIECE / 4 - 1, .data = data, .data_len = PIECE};
	struct ssd_cpl cpl;
	struct sim_answer a;

	ck_assert_int_eq(piece(t, 64 << 20, data, PIECE), 0x4002);
	ck_assert_int_eq(piece(t, (64 << 20) - PIECE, data, PIECE), 0);
	ck_assert_int_eq(piece(t, 0xfffff000, data, PIECE), 0x4002);
	cmd.direction = SSD_DATA_FROM_DRIVE;
	ck_assert_int_eq(t->submit(t, &cmd, &cpl), 0);
	ck_assert_uint_eq(cpl.status, 0x4004);
	/* Fewer data than NUMD says. */
	cmd = (struct ssd_cmd){
		.opcode = 0x11, .cdw10 = PIECE / 4 - 1, .data = data, .data_len = 512, .direction = SSD_DATA_TO_DRIVE};
	ck_assert_int_eq(sim_send(t, cmd, &a), 0x4004);
}
END_TEST

START_TEST(many_pieces_are_not_quadratic)
{
	AUTO_DIR char *host = drive("\"rehearse\": \"BIG\"");
	AUTO_FREE uint8_t *big = ssd_calloc(16 << 20, 1);
	AUTO_SIM t = sim_open(host, true);
	AUTO_FREE char *path = ssd_asprintf("%s/nvme0/state.json", host);
	struct stat st;

	/* 4096 of them, in the order that is worst for whoever keeps a list: every other one first. */
	for (uint32_t half = 0; half < 2; half++)
		for (uint32_t at = half * PIECE; at < 16 << 20; at += 2 * PIECE)
			ck_assert_int_eq(piece(t, at, big + at, PIECE), 0);
	ck_assert(stat(path, &st) || st.st_size < 1024);
	ck_assert_int_eq(commit(t, 2, 3), 0);
	ck_assert_str_eq(says(t), "02 BIG FW1 BIG -");
}
END_TEST

START_TEST(a_reset_forgets_pieces)
{
	AUTO_DIR char *host = drive("");
	AUTO_SIM t = sim_open(host, true);
	uint8_t image[IMAGE];

	make_image(image, "FW2", "TESTDRIVE");
	ck_assert_int_eq(download(t, image, IMAGE), 0);
	ck_assert_int_eq(t->control(t, SSD_RESET_CONTROLLER), 0);
	ck_assert_int_eq(commit(t, 2, 1), 0x400c);
	/* So does a commit that took them. */
	ck_assert_int_eq(update(t, "FW2", 2, 1), 0);
	ck_assert_int_eq(commit(t, 3, 1), 0x400c);
	ck_assert_str_eq(says(t), "21 FW1 FW1 FW2 -");
}
END_TEST

/* --- commits --- */

START_TEST(actions)
{
	AUTO_DIR char *host = drive("");
	AUTO_SIM t = sim_open(host, true);

	ck_assert_int_eq(update(t, "FW2", 2, 0), 0);
	ck_assert_str_eq(says(t), "01 FW1 FW1 FW2 -");
	ck_assert_int_eq(update(t, "FW3", 3, 1), 0);
	ck_assert_str_eq(says(t), "31 FW1 FW1 FW2 FW3");
	ck_assert_int_eq(commit(t, 2, 2), 0);
	ck_assert_str_eq(says(t), "21 FW1 FW1 FW2 FW3");
	ck_assert_int_eq(t->control(t, SSD_RESET_CONTROLLER), 0);
	ck_assert_str_eq(says(t), "02 FW2 FW1 FW2 FW3");
	ck_assert_int_eq(commit(t, 3, 3), 0); /* nothing downloaded: what the slot has */
	ck_assert_str_eq(says(t), "03 FW3 FW1 FW2 FW3");
	ck_assert_int_eq(update(t, "FW4", 1, 3), 0);
	ck_assert_str_eq(says(t), "01 FW4 FW4 FW2 FW3");
	for (unsigned action = 4; action < 8; action++)
		ck_assert_int_eq(commit(t, 2, action), 0x4002);
	ck_assert_str_eq(says(t), "01 FW4 FW4 FW2 FW3");
}
END_TEST

START_TEST(slot_0_is_a_choice)
{
	AUTO_DIR char *host = drive("");
	AUTO_SIM t = sim_open(host, true);

	ck_assert_int_eq(update(t, "FW2", 0, 1), 0);
	ck_assert_str_eq(says(t), "21 FW1 FW1 FW2 -"); /* the first empty one */
	ck_assert_int_eq(update(t, "FW3", 0, 0), 0);
	ck_assert_str_eq(says(t), "21 FW1 FW1 FW2 FW3");
	ck_assert_int_eq(update(t, "FW4", 0, 0), 0);
	ck_assert_str_eq(says(t), "21 FW1 FW1 FW2 FW4"); /* neither what runs nor what is to run */
	ck_assert_int_eq(commit(t, 0, 2), 0x4106);
}
END_TEST

START_TEST(slot_0_is_an_empty_one)
{
	AUTO_DIR char *host = drive("");
	AUTO_SIM t = sim_open(host, true);

	ck_assert_int_eq(update(t, "FW2", 2, 0), 0);
	ck_assert_int_eq(update(t, "FW3", 0, 0), 0);
	ck_assert_str_eq(says(t), "01 FW1 FW1 FW2 FW3");
}
END_TEST

START_TEST(slot_0_where_there_is_no_choice)
{
	AUTO_DIR char *host = drive_of(with_frmw(1 << 1), "{}");
	AUTO_SIM t = sim_open(host, true);

	ck_assert_int_eq(update(t, "FW2", 0, 1), 0);
	ck_assert_str_eq(says(t), "11 FW1 FW2 - -");
	ck_assert_int_eq(t->control(t, SSD_RESET_CONTROLLER), 0);
	ck_assert_str_eq(says(t), "01 FW2 FW2 - -");
}
END_TEST

/* FRMW, slot, action, and the answer. */
static const struct {
	uint8_t frmw;
	unsigned slot, action;
	int status;
} slots[] = {
	{3 << 1, 4, 1, 0x4106},        {3 << 1, 3, 1, 0},          {7 << 1, 7, 1, 0},     {3 << 1 | 1, 1, 0, 0x4106},
	{3 << 1 | 1, 1, 1, 0x4106},    {3 << 1 | 1, 1, 3, 0x4106}, {3 << 1 | 1, 2, 1, 0}, {3 << 1 | 1, 1, 2, 0},
	{1 << 1 | 1, 0, 1, 0x4106},    {0, 1, 1, 0x4106},          {0, 0, 1, 0x4106},     {3 << 1, 2, 2, 0x4107},
	{3 << 1, 1, 3, 0x0111},        {3 << 1 | 0x10, 1, 3, 0},   {0x3a, 5, 1, 0},       {0x3a, 6, 1, 0x4106},
	{3 << 1 | 0x10, 4, 3, 0x4106},
};

START_TEST(slots_and_frmw)
{
	AUTO_DIR char *host = drive_of(with_frmw(slots[_i].frmw), "{}");
	AUTO_SIM t = sim_open(host, true);

	ck_assert_int_eq(update(t, "FW2", slots[_i].slot, slots[_i].action), slots[_i].status);
}
END_TEST

START_TEST(no_firmware_commands)
{
	AUTO_DIR char *host = drive_of((struct sim_ctrl){.ver = 0x10400, .nn = 1, .oacs = 2, .frmw = 3 << 1}, "{}");
	AUTO_SIM t = sim_open(host, true);

	ck_assert_int_eq(update(t, "FW2", 2, 1), 0x4001);
	ck_assert_int_eq(commit(t, 1, 2), 0x4001);
	ck_assert(!sim_has(host, "download.bin"));
}
END_TEST

START_TEST(images_that_are_none)
{
	AUTO_DIR char *host = drive("");
	AUTO_SIM t = sim_open(host, true);
	static const struct {
		unsigned at;
		uint8_t flip;
	} damages[] = {{0, 1}, {8, 0xff}, {16, 1}, {55, 0x20 ^ 'x'}, {56, 1}, {60, 1}, {64, 0x80}, {IMAGE - 1, 1}};
	uint8_t image[IMAGE];

	for (size_t i = 0; i < ARRAY_SIZE(damages); i++) {
		make_image(image, "FW2", "TESTDRIVE");
		image[damages[i].at] ^= damages[i].flip;
		ck_assert_int_eq(download(t, image, IMAGE), 0);
		ck_assert_int_eq(commit(t, 2, 1), 0x4107);
	}
	make_image(image, "FW2", "TESTDRIVE2");
	ck_assert_int_eq(download(t, image, IMAGE), 0);
	ck_assert_int_eq(commit(t, 2, 1), 0x4107);
	make_image(image, "FW2", "TESTDRIVE");
	ck_assert_int_eq(download(t, image, IMAGE - 512), 0); /* cut */
	ck_assert_int_eq(commit(t, 2, 1), 0x4107);
	ck_assert_int_eq(download(t, image, 60), 0);
	ck_assert_int_eq(commit(t, 2, 1), 0x4107);
	ck_assert_str_eq(says(t), START);
	make_image(image, "        ", "TESTDRIVE");
	ck_assert_int_eq(download(t, image, IMAGE), 0);
	ck_assert_int_eq(commit(t, 2, 1), 0x4107);
	ck_assert_int_eq(update(t, "12345678", 2, 1), 0);
	ck_assert_str_eq(says(t), "21 FW1 FW1 12345678 -");
}
END_TEST

START_TEST(made_images_are_accepted)
{
	AUTO_DIR char *host = drive("");
	AUTO_SIM t = sim_open(host, true);
	AUTO_FREE uint8_t *image = sim_image_make("TESTDRIVE", "FW2", 20000, NULL);
	AUTO_FREE uint8_t *again = sim_image_make("TESTDRIVE", "FW2", 20000, NULL);

	ck_assert_mem_eq(image, again, 20000);
	ck_assert_uint_eq(ssd_le32(image + 56), fw_crc(image + 64, 20000 - 64));
	ck_assert_int_eq(download(t, image, 20000), 0);
	ck_assert_int_eq(commit(t, 2, 1), 0);
	ck_assert_str_eq(says(t), "21 FW1 FW1 FW2 -");
}
END_TEST

START_TEST(rehearse)
{
	AUTO_DIR char *host = drive("\"rehearse\": \"8DV10171\"");
	AUTO_SIM t = sim_open(host, true);
	uint8_t any[IMAGE];

	memset(any, 0x5a, sizeof(any));
	ck_assert_int_eq(commit(t, 2, 1), 0x400c);
	ck_assert_int_eq(piece(t, PIECE, any, PIECE), 0);
	ck_assert_int_eq(commit(t, 2, 1), 0x4107); /* the beginning is missing */
	ck_assert_int_eq(piece(t, 0, any, PIECE), 0);
	ck_assert_int_eq(commit(t, 2, 1), 0);
	ck_assert_str_eq(says(t), "21 FW1 FW1 8DV10171 -");
}
END_TEST

START_TEST(ignore_image)
{
	AUTO_DIR char *host = drive("\"ignore_image\": true");
	AUTO_SIM t = sim_open(host, true);

	ck_assert_int_eq(update(t, "FW2", 2, 3), 0);
	ck_assert_int_eq(update(t, "FW2", 2, 1), 0);
	ck_assert_int_eq(t->control(t, SSD_RESET_CONTROLLER), 0);
	ck_assert_str_eq(says(t), START);
	ck_assert_int_eq(commit(t, 2, 1), 0x400c); /* it has taken the image nonetheless */
}
END_TEST

START_TEST(busy_polls)
{
	AUTO_DIR char *host = drive("\"busy_polls\": 2");
	AUTO_SIM t = sim_open(host, true);

	ck_assert_str_eq(says(t), START);
	ck_assert_int_eq(update(t, "FW2", 2, 3), 0);
	ck_assert_str_eq(says(t), "0a FW2 FW1 FW2 -");
	ck_assert_str_eq(says(t), "0a FW2 FW1 FW2 -");
	ck_assert_str_eq(says(t), "02 FW2 FW1 FW2 -");
}
END_TEST

START_TEST(activation_polls)
{
	AUTO_DIR char *host = drive("\"activation_polls\": 4");
	AUTO_SIM t = sim_open(host, true);

	/* says() reads both, the slot log and Identify. */
	ck_assert_int_eq(update(t, "FW2", 2, 3), 0);
	ck_assert_str_eq(says(t), "21 FW1 FW1 FW2 -");
	ck_assert_str_eq(says(t), "21 FW1 FW1 FW2 -");
	ck_assert_str_eq(says(t), "02 FW2 FW1 FW2 -");
	ck_assert_int_eq(update(t, "FW3", 1, 3), 0);
	ck_assert_int_eq(t->control(t, SSD_RESET_CONTROLLER), 0);
	ck_assert_str_eq(says(t), "01 FW3 FW3 FW2 -");
	ck_assert_int_eq(update(t, "FW4", 2, 1), 0);
	for (int i = 0; i < 5; i++)
		ck_assert_str_eq(says(t), "21 FW3 FW3 FW4 -");
}
END_TEST

/* commit_status: whether it is accepted, with all that may stand above the code. */
static const struct {
	unsigned status;
	bool accepted;
	enum ssd_control enough;
} statuses[] = {
	{0x10b, true, -1},
	{0x110, true, SSD_RESET_SUBSYSTEM},
	{0x111, true, SSD_RESET_CONTROLLER},
	{0x00c, false},
	{0x006, false},
	{0x106, false},
	{0x107, false},
	{0x112, false},
	{0x113, false},
	{0x114, false},
	{0x310, false},
};
static const unsigned above[] = {0, 0x2000, 0x4000, 0x6000, 0x7800};

START_TEST(commit_status)
{
	unsigned row = (unsigned)_i / ARRAY_SIZE(above);
	unsigned status = statuses[row].status | above[(unsigned)_i % ARRAY_SIZE(above)];
	AUTO_FREE char *json = ssd_asprintf("\"commit_status\": \"0x%x\"", status);
	AUTO_DIR char *host = drive(json);
	AUTO_SIM t = sim_open(host, true);
	bool enough;

	ck_assert_int_eq(update(t, "FW2", 2, 3), (int)status);
	ck_assert_str_eq(says(t), statuses[row].accepted ? "21 FW1 FW1 FW2 -" : START);
	for (enum ssd_control op = SSD_RESET_CONTROLLER; op <= SSD_RESET_SUBSYSTEM; op++) {
		enough = statuses[row].accepted && statuses[row].enough <= op;
		ck_assert_int_eq(t->control(t, op), 0);
		ck_assert_str_eq(says(t), enough                   ? "02 FW2 FW1 FW2 -"
					  : statuses[row].accepted ? "21 FW1 FW1 FW2 -"
								   : START);
	}
}
END_TEST

/* --- activation --- */

enum { NEVER = 0, BY_CONTROLLER = 1, BY_SUBSYSTEM = 2, BY_CONVENTIONAL = 4, BY_POWER = 8 };
static const struct {
	const char *firmware;
	uint8_t frmw;
	int on_later, on_now; /* status of actions 1 and 3 */
	unsigned events;      /* which of them activate */
} activations[] = {
	{"", 0x06, 0, 0x111, BY_CONTROLLER | BY_SUBSYSTEM | BY_CONVENTIONAL | BY_POWER},
	{"", 0x16, 0, 0, BY_CONTROLLER | BY_SUBSYSTEM | BY_CONVENTIONAL | BY_POWER},
	{"\"activation\": \"controller_reset\"", 0x16, 0, 0, BY_CONTROLLER | BY_SUBSYSTEM | BY_CONVENTIONAL | BY_POWER},
	{"\"activation\": \"now\"", 0x06, 0, 0, BY_CONTROLLER | BY_SUBSYSTEM | BY_CONVENTIONAL | BY_POWER},
	{"\"activation\": \"subsystem_reset\"", 0x16, 0x110, 0x110, BY_SUBSYSTEM | BY_POWER},
	{"\"activation\": \"conventional_reset\"", 0x16, 0x10b, 0x10b, BY_CONVENTIONAL | BY_POWER},
	{"\"activation\": \"power_cycle\"", 0x16, 0x10b, 0x10b, BY_POWER},
	{"\"activation\": \"power_cycle\", \"commit_status\": 0", 0x16, 0, 0, BY_POWER},
	{"\"activation\": \"controller_reset\", \"commit_status\": \"0x10b\"", 0x16, 0x10b, 0x10b,
	 BY_CONTROLLER | BY_SUBSYSTEM | BY_CONVENTIONAL | BY_POWER},
	{"\"commit_status\": \"0x10b\"", 0x16, 0x10b, 0x10b, BY_CONVENTIONAL | BY_POWER},
};

START_TEST(activation)
{
	unsigned row = (unsigned)_i / 4;
	enum sim_event event = (enum sim_event)(_i % 4);
	AUTO_FREE char *json = ssd_asprintf("{\"firmware\": {%s}}", activations[row].firmware);
	AUTO_DIR char *host = drive_of(with_frmw(activations[row].frmw), json);
	AUTO_SIM t = sim_open(host, true);
	bool runs = activations[row].events >> event & 1;

	ck_assert_int_eq(update(t, "FW2", 2, 1), activations[row].on_later);
	ck_assert_str_eq(says(t), "21 FW1 FW1 FW2 -");
	ck_assert_int_eq(sim_restart((struct sim *)t, event), 0);
	ck_assert_str_eq(says(t), runs ? "02 FW2 FW1 FW2 -" : "21 FW1 FW1 FW2 -");
}
END_TEST

START_TEST(activation_now)
{
	AUTO_FREE char *json = ssd_asprintf("{\"firmware\": {%s}}", activations[_i].firmware);
	AUTO_DIR char *host = drive_of(with_frmw(activations[_i].frmw), json);
	AUTO_SIM t = sim_open(host, true);
	/* 0 with an activation that needs more is a drive that lies. */
	bool runs = !activations[_i].on_now && activations[_i].events & BY_CONTROLLER;

	ck_assert_int_eq(update(t, "FW2", 2, 3), activations[_i].on_now);
	ck_assert_str_eq(says(t), runs ? "02 FW2 FW1 FW2 -" : "21 FW1 FW1 FW2 -");
}
END_TEST

START_TEST(power_cycles_are_counted)
{
	AUTO_DIR char *host = drive("");
	AUTO_SIM t = sim_open(host, true);
	uint8_t smart[512] = {0};
	struct sim_answer a;

	ssd_put_le(smart + 112, 8, 0xff);
	sim_put(host, "log-02.bin", smart, sizeof(smart));
	ck_assert_int_eq(t->control(t, SSD_RESET_CONTROLLER), 0);
	ck_assert_int_eq(sim_restart((struct sim *)t, SIM_POWER_CYCLE), 0);
	ck_assert_int_eq(sim_log(t, 2, 512, &a), 0);
	ck_assert_uint_eq(ssd_le64(a.data + 112), 0x100);
}
END_TEST

/* A recording of a drive whose slot 2 waits; and one that says so of an empty slot. */
START_TEST(pending_from_the_pages)
{
	AUTO_DIR char *host = drive("");
	AUTO_SIM t = sim_open(host, true);
	static const char revisions[2][8] = {"FW1", "FW2"}; /* filled up with NULs */
	uint8_t log[512] = {0x21};

	memcpy(log + 8, revisions, sizeof(revisions));
	sim_put(host, "log-03.bin", log, sizeof(log));
	ck_assert_int_eq(t->control(t, SSD_RESET_CONTROLLER), 0);
	ck_assert_str_eq(says(t), "02 FW2 FW1 FW2 -");
	log[0] = 0x31;
	sim_put(host, "log-03.bin", log, sizeof(log));
	ck_assert_int_eq(t->control(t, SSD_RESET_CONTROLLER), 0);
	ck_assert_str_eq(says(t), "31 FW2 FW1 FW2 -");
}
END_TEST

START_TEST(no_slot_log)
{
	AUTO_DIR char *host = sim_dir_new();
	struct sim_answer a;

	sim_put_ctrl(host, usual);
	{
		AUTO_SIM t = sim_open(host, true);

		ck_assert_int_eq(sim_log(t, 3, 512, &a), 0x4109);
		ck_assert_int_eq(update(t, "FW2", 0, 1), 0);
		ck_assert_str_eq(says(t), "21 FW1 FW1 FW2 -");
	}
}
END_TEST

/* Every file that shows the revision, however it is called, however long it is. */
START_TEST(all_pages)
{
	AUTO_DIR char *host = drive("");
	AUTO_SIM t = sim_open(host, true);
	static uint8_t page[8192];
	uint8_t log[40] = {1};
	struct sim_answer a;
	size_t len;

	memset(page, 0x77, sizeof(page));
	sim_put(host, "identify-01-c5.bin", page, sizeof(page));
	sim_put(host, "log-03-n1.bin", log, sizeof(log));
	ck_assert_int_eq(update(t, "FW2", 2, 3), 0);
	ck_assert_int_eq(sim_log_at(t, 3, 1, 0, 512, &a), 0);
	ck_assert_uint_eq(a.data[0], 2);
	ck_assert_mem_eq(a.data + 16, "FW2     ", 8);
	{
		AUTO_FREE char *path = ssd_asprintf("%s/nvme0/identify-01-c5.bin", host);
		AUTO_FREE uint8_t *data = NULL;

		ck_assert_int_eq(ssd_read_file(path, sizeof(page), &data, &len), 0);
		ck_assert_uint_eq(len, sizeof(page));
		ck_assert_mem_eq(data + 64, "FW2     ", 8);
		ck_assert_mem_eq(data, page, 64);
		ck_assert_mem_eq(data + 72, page + 72, sizeof(page) - 72);
	}
}
END_TEST

START_TEST(recorded_hosts_take_nothing)
{
	AUTO_DIR char *host = drive("");
	AUTO_SIM t = sim_open(host, false);
	static const uint8_t data[PIECE];

	ck_assert_int_eq(piece(t, 0, data, PIECE), -EROFS);
	ck_assert_int_eq(commit(t, 1, 2), -EROFS);
	ck_assert_int_eq(t->control(t, SSD_RESET_CONTROLLER), -EROFS);
	ck_assert(!sim_has(host, "state.json"));
}
END_TEST

START_TEST(follows_drive_json)
{
	AUTO_DIR char *host = drive("");
	AUTO_SIM t = sim_open(host, true);
	AUTO_SIM other = sim_open(host, true);

	sim_put_text(host, "drive.json", "{\"firmware\": {\"activation\": \"subsystem_reset\"}}");
	ck_assert_int_eq(update(t, "FW2", 2, 1), 0x110);
	ck_assert_int_eq(other->control(other, SSD_RESET_CONTROLLER), 0); /* has sent nothing since */
	ck_assert_str_eq(says(t), "21 FW1 FW1 FW2 -");
	ck_assert_int_eq(other->control(other, SSD_RESET_SUBSYSTEM), 0);
	ck_assert_str_eq(says(t), "02 FW2 FW1 FW2 -");
}
END_TEST

/* --- faults --- */

START_TEST(resets_with_faults)
{
	AUTO_DIR char *host = drive_of(usual, "{\"faults\": [{\"reset\": \"controller\", \"errno\": \"EIO\"},"
					      "{\"reset\": \"any\", \"nth\": 2, \"lost\": \"ETIMEDOUT\"},"
					      "{\"reset\": \"subsystem\", \"vanish_ms\": -1}]}");
	AUTO_SIM t = sim_open(host, true);

	ck_assert_int_eq(update(t, "FW2", 2, 1), 0);
	ck_assert_int_eq(t->control(t, SSD_RESET_CONTROLLER), -EIO);
	ck_assert_str_eq(says(t), "21 FW1 FW1 FW2 -");
	ck_assert_int_eq(t->control(t, SSD_RESET_CONTROLLER), -ETIMEDOUT); /* done all the same */
	ck_assert_str_eq(says(t), "02 FW2 FW1 FW2 -");
	ck_assert_int_eq(t->control(t, SSD_RESCAN), 0);
	ck_assert_int_eq(t->control(t, SSD_RESET_SUBSYSTEM), 0);
	ck_assert_int_eq(t->control(t, SSD_RESET_CONTROLLER), -ENODEV);
}
END_TEST

START_TEST(lost_completion)
{
	AUTO_DIR char *host = drive_of(usual, "{\"faults\": [{\"opcode\": \"0x10\", \"lost\": \"EINTR\"}]}");
	AUTO_SIM t = sim_open(host, true);

	ck_assert_int_eq(update(t, "FW2", 2, 1), -EINTR);
	ck_assert_str_eq(says(t), "21 FW1 FW1 FW2 -");
}
END_TEST

/* --- two controllers of one subsystem --- */

START_TEST(two_controllers)
{
	AUTO_DIR char *host = drive("");
	struct ssd_err err = SSD_ERR_INIT;

	add_twins(host);
	for (int first = 0; first < 2; first++) {
		AUTO_SIM a = ssd_sim_open(host, first ? "nvme1" : "nvme0", true, &err);
		AUTO_SIM b = ssd_sim_open(host, first ? "nvme0" : "nvme1", true, &err);
		AUTO_SIM stranger = ssd_sim_open(host, "nvme2", true, &err);

		ck_assert_int_eq(update(a, first ? "FW4" : "FW2", 2, 1), 0);
		ck_assert_str_eq(says(b), first ? "23 FW3 FW1 FW4 FW3" : "21 FW1 FW1 FW2 -");
		ck_assert_int_eq(b->control(b, SSD_RESET_CONTROLLER), 0);
		ck_assert_str_eq(says(a), first ? "02 FW4 FW1 FW4 FW3" : "02 FW2 FW1 FW2 -");
		ck_assert_str_eq(says(b), says(a));
		ck_assert_int_eq(update(b, "FW3", 3, 3), 0);
		ck_assert_str_eq(says(a), first ? "03 FW3 FW1 FW4 FW3" : "03 FW3 FW1 FW2 FW3");
		ck_assert_str_eq(says(stranger), START);
	}
}
END_TEST

/* The very same directory by two names. */
START_TEST(linked_controllers)
{
	AUTO_DIR char *host = drive("");
	AUTO_FREE char *link = ssd_asprintf("%s/nvme1", host);

	ck_assert_int_eq(symlink("nvme0", link), 0);
	{
		AUTO_SIM a = sim_open(host, true);
		AUTO_SIM b = ssd_sim_open(host, "nvme1", true, NULL);

		ck_assert_int_eq(update(b, "FW2", 2, 1), 0);
		ck_assert_str_eq(says(a), "21 FW1 FW1 FW2 -");
		ck_assert_int_eq(a->control(a, SSD_RESET_CONTROLLER), 0);
		ck_assert_str_eq(says(b), "02 FW2 FW1 FW2 -");
	}
}
END_TEST

/* A directory that was copied from a twin and is another drive now. */
START_TEST(mark_of_another)
{
	AUTO_DIR char *host = drive("");
	AUTO_SIM t = sim_open(host, true);

	add_twins(host);
	sim_put_text(host, "../nvme2/state.json", "{\"firmware_home\": \"nvme0\"}");
	{
		AUTO_SIM stranger = ssd_sim_open(host, "nvme2", true, NULL);

		ck_assert_int_eq(update(stranger, "FW2", 2, 3), 0);
		ck_assert_str_eq(says(stranger), "02 FW2 FW1 FW2 -");
		ck_assert_str_eq(says(t), START);
	}
}
END_TEST

/* A decision that somebody else wrote leads nowhere out of the host, and breaks nothing. */
START_TEST(hostile_state)
{
	AUTO_DIR char *host = drive("");
	AUTO_FREE char *outside = ssd_asprintf("%s/outside", host);
	AUTO_FREE char *page = ssd_asprintf("%s/outside/log-03.bin", host);
	AUTO_FREE uint8_t *data = NULL;
	AUTO_SIM t = sim_open(host, true);
	size_t len;

	ck_assert_int_eq(mkdir(outside, 0755), 0);
	ck_assert_int_eq(ssd_replace_file(page, "0", 1, 0644), 0);
	sim_put_text(host, "state.json",
		     "{\"firmware_home\": \"../outside\", \"firmware\": {\"busy_polls_left\": \"x\", \"change\": {"
		     "\"controllers\": [\"../outside\", \"../nvme0/../outside\", 5, null, \"nvme9\", \"nvme0\"],"
		     "\"afi\": 4294967298, \"slot\": -1, \"revision\": \"longer than eight\", \"activated\": true}}}");
	ck_assert_str_eq(says(t), "02  FW1 - -"); /* as it was told: slot 2, which is empty */
	ck_assert_int_eq(ssd_read_file(page, 4096, &data, &len), 0);
	ck_assert_uint_eq(len, 1);
	ck_assert_int_eq(update(t, "FW2", 2, 3), 0);
	ck_assert_str_eq(says(t), "02 FW2 FW1 FW2 -");
}
END_TEST

int main(void)
{
	const struct {
		const TTest *test;
		int rows;
	} tests[] = {
		{pieces_in_any_order, 1},
		{pieces_that_overlap, 1},
		{begins_anew_at_offset_0, 1},
		{strict_overlap, 1},
		{granularity, ARRAY_SIZE(granularities)},
		{only_the_last_piece_is_short, 1},
		{impossible_pieces, 1},
		{many_pieces_are_not_quadratic, 1},
		{a_reset_forgets_pieces, 1},
		{actions, 1},
		{slot_0_is_a_choice, 1},
		{slot_0_is_an_empty_one, 1},
		{slot_0_where_there_is_no_choice, 1},
		{slots_and_frmw, ARRAY_SIZE(slots)},
		{no_firmware_commands, 1},
		{images_that_are_none, 1},
		{made_images_are_accepted, 1},
		{rehearse, 1},
		{ignore_image, 1},
		{busy_polls, 1},
		{activation_polls, 1},
		{commit_status, ARRAY_SIZE(statuses) * ARRAY_SIZE(above)},
		{activation, ARRAY_SIZE(activations) * 4},
		{activation_now, ARRAY_SIZE(activations)},
		{power_cycles_are_counted, 1},
		{pending_from_the_pages, 1},
		{no_slot_log, 1},
		{all_pages, 1},
		{recorded_hosts_take_nothing, 1},
		{follows_drive_json, 1},
		{resets_with_faults, 1},
		{lost_completion, 1},
		{two_controllers, 1},
		{linked_controllers, 1},
		{mark_of_another, 1},
		{hostile_state, 1},
	};
	Suite *suite = suite_create("sim_fw");
	TCase *tcase = tcase_create("sim_fw");
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
