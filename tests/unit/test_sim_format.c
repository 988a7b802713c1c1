/* SPDX-License-Identifier: MIT */
/* Format NVM on a simulated drive, and I/O commands before and after. */
#include "sim_admin.h"

#define FORMAT 0x80
enum { ALL = 0xffffffff };
enum { SES_USER = 1 << 9, SES_CRYPTO = 2 << 9, EXTENDED = 1 << 4, PI_1 = 1 << 5, PI_FIRST = 1 << 8 };

START_TEST(changes_the_block_size_and_back)
{
	AUTO_DIR char *host = admin_drive((struct admin_ctrl){0}, "{}");
	AUTO_SIM t = sim_open(host, true);

	ck_assert_int_eq(write_block(t, 1, 7, 512, 0x11), 0);
	ck_assert_int_eq(write_block(t, 2, 7, 512, 0x22), 0);
	ck_assert_int_eq(admin(t, FORMAT, 1, 2), 0);
	ck_assert_str_eq(geometry(t, 1), "1000 02 00 80");
	ck_assert_str_eq(geometry(t, 2), "8000 00 00 80");
	/* Its data are gone, the other one's are not. */
	ck_assert_int_eq(read_block(t, 1, 0, 4096), 0);
	ck_assert(!sim_has(host, "ns-1.img"));
	ck_assert_int_eq(read_block(t, 2, 7, 512), 0x22);
	ck_assert_int_eq(admin(t, FORMAT, 1, 0), 0);
	ck_assert_str_eq(geometry(t, 1), "8000 00 00 80");
	ck_assert_int_eq(read_block(t, 1, 7, 512), 0);
}
END_TEST

/* 8001 blocks of 512 bytes are 1000 of 4096 and a rest, which is found again. */
START_TEST(loses_no_block)
{
	AUTO_DIR char *host = admin_drive((struct admin_ctrl){0}, "{}");
	AUTO_SIM t = sim_open(host, true);

	admin_put_ns(host, 1, 8001);
	ck_assert_int_eq(admin(t, FORMAT, 1, 2), 0);
	ck_assert_str_eq(geometry(t, 1), "1000 02 00 80");
	ck_assert_int_eq(admin(t, FORMAT, 1, 0), 0);
	ck_assert_str_eq(geometry(t, 1), "8001 00 00 80");
}
END_TEST

/* CDW10, and what it gets on a drive with FNA 4. */
static const struct {
	uint32_t nsid, cdw10;
	int status;
	const char *after;
} settings[] = {
	{1, 0, 0, "8000 00 00 80"},
	{1, 3 | EXTENDED, 0, "1000 13 00 80"},
	{1, 3 | EXTENDED | PI_1, 0, "1000 13 01 80"},
	{1, 2 | EXTENDED, 0, "1000 02 00 80"},      /* without metadata there is nothing to place */
	{1, 3, 0x410a, NULL},                       /* metadata apart: not supported */
	{1, 2 | PI_1, 0x410a, NULL},                /* no room for protection information */
	{1, 3 | EXTENDED | 2 * PI_1, 0x410a, NULL}, /* type 2: not supported */
	{1, 3 | EXTENDED | 4 * PI_1, 0x4002, NULL}, /* reserved */
	{1, 3 | EXTENDED | PI_1 | PI_FIRST, 0x410a, NULL},
	{1, 4, 0x410a, NULL},           /* not available */
	{1, 5, 0x410a, NULL},           /* beyond NLBAF */
	{1, 2 | 1 << 12, 0x410a, NULL}, /* number 18 */
	{1, 2 | SES_USER, 0, "1000 02 00 80"},
	{1, 2 | SES_CRYPTO, 0, "1000 02 00 80"},
	{1, 3 << 9, 0x4002, NULL},
	{0, 2, 0x400b, NULL},
	{3, 2, 0x400b, NULL},
	{5, 2, 0x400b, NULL},
};

START_TEST(what_is_accepted)
{
	AUTO_DIR char *host = admin_drive((struct admin_ctrl){.fna = 4}, "{}");
	AUTO_SIM t = sim_open(host, true);

	ck_assert_int_eq(write_block(t, 1, 0, 512, 1), 0);
	ck_assert_int_eq(admin(t, FORMAT, settings[_i].nsid, settings[_i].cdw10), settings[_i].status);
	ck_assert_str_eq(geometry(t, 1), settings[_i].after ? settings[_i].after : "8000 00 00 80");
	ck_assert(sim_has(host, "ns-1.img") == !settings[_i].after);
}
END_TEST

/* FNA, NSID, erase; which namespaces are formatted and which have their data. */
static const struct {
	uint8_t fna;
	uint32_t nsid, ses;
	int status;
	const char *after[2];
	bool data[2];
} scopes[] = {
	{0, 1, 0, 0, {"1000 02 00 80", "8000 00 00 80"}, {false, true}},
	{0, ALL, 0, 0, {"1000 02 00 80", "1000 02 00 80"}, {false, false}},
	{1, 1, 0, 0, {"1000 02 00 80", "1000 02 00 80"}, {false, false}},
	{2, 1, 0, 0, {"1000 02 00 80", "8000 00 00 80"}, {false, true}},
	{2, 1, SES_USER, 0, {"1000 02 00 80", "8000 00 00 80"}, {false, false}},
	{8, ALL, 0, 0x4002, {"8000 00 00 80", "8000 00 00 80"}, {true, true}},
	{8, 2, 0, 0, {"8000 00 00 80", "1000 02 00 80"}, {true, false}},
	{0, 1, SES_CRYPTO, 0x4002, {"8000 00 00 80", "8000 00 00 80"}, {true, true}},
};

START_TEST(scope)
{
	AUTO_DIR char *host = admin_drive((struct admin_ctrl){.fna = scopes[_i].fna}, "{}");
	AUTO_SIM t = sim_open(host, true);

	for (uint32_t nsid = 1; nsid <= 2; nsid++)
		ck_assert_int_eq(write_block(t, nsid, 0, 512, 1), 0);
	ck_assert_int_eq(admin(t, FORMAT, scopes[_i].nsid, 2 | scopes[_i].ses), scopes[_i].status);
	ck_assert_str_eq(geometry(t, 1), scopes[_i].after[0]);
	ck_assert_str_eq(geometry(t, 2), scopes[_i].after[1]);
	ck_assert(sim_has(host, "ns-1.img") == scopes[_i].data[0]);
	ck_assert(sim_has(host, "ns-2.img") == scopes[_i].data[1]);
}
END_TEST

/* One namespace that cannot be formatted so, and none is. */
START_TEST(all_or_none)
{
	AUTO_DIR char *host = admin_drive((struct admin_ctrl){0}, "{}");
	AUTO_SIM t = sim_open(host, true);
	uint8_t id[4096] = {0};

	ssd_put_le(id, 8, 100);
	ssd_put_le(id + 128, 4, 0x00090000);
	sim_put(host, "id-ns-2.bin", id, sizeof(id));
	ck_assert_int_eq(admin(t, FORMAT, ALL, 2), 0x410a);
	ck_assert_str_eq(geometry(t, 1), "8000 00 00 80");
	ck_assert_int_eq(admin(t, FORMAT, 1, 2), 0);
}
END_TEST

START_TEST(takes_its_time)
{
	AUTO_DIR char *host = admin_drive((struct admin_ctrl){.fna = 4}, "{\"format\": {\"busy_polls\": 4}}");
	AUTO_SIM t = sim_open(host, true);

	ck_assert_int_eq(admin(t, FORMAT, 1, 2), 0);
	ck_assert_int_eq(admin(t, FORMAT, 1, 0), 0x0084);
	ck_assert_int_eq(admin(t, FORMAT, ALL, 0), 0x0084);
	ck_assert_int_eq(read_block(t, 1, 0, 4096), -0x0084);
	ck_assert_int_eq(read_block(t, 2, 0, 512), 0);
	ck_assert_str_eq(geometry(t, 2), "8000 00 00 80");
	ck_assert_str_eq(geometry(t, 1), "1000 02 00 e4"); /* 100 % are left */
	ck_assert_str_eq(geometry(t, 1), "1000 02 00 cb");
	ck_assert_int_eq(t->control(t, SSD_RESET_CONTROLLER), 0);
	ck_assert_str_eq(geometry(t, 1), "1000 02 00 b2");
	ck_assert_int_eq(read_block(t, 1, 0, 4096), -0x0084);
	ck_assert_str_eq(geometry(t, 1), "1000 02 00 99"); /* 25 % */
	ck_assert_str_eq(geometry(t, 1), "1000 02 00 80");
	ck_assert_int_eq(read_block(t, 1, 0, 4096), 0);
	ck_assert_int_eq(admin(t, FORMAT, 1, 0), 0);
}
END_TEST

START_TEST(not_on_every_drive)
{
	AUTO_DIR char *host = admin_drive((struct admin_ctrl){.base.oacs = 4}, "{}");
	AUTO_SIM t = sim_open(host, true);

	ck_assert_int_eq(admin(t, FORMAT, 1, 0), 0x4001);
}
END_TEST

/* More than 16 formats: bits 6:5 of FLBAS (NVM Command Set Specification 1.0c, figure 97). */
START_TEST(many_formats)
{
	AUTO_DIR char *host = admin_drive((struct admin_ctrl){0}, "{}");
	AUTO_SIM t = sim_open(host, true);
	uint8_t id[4096] = {0};

	ssd_put_le(id, 8, 8000);
	id[25] = 40;
	ssd_put_le(id + 128, 4, 0x00090000);
	ssd_put_le(id + 128 + 4 * 40, 4, 0x000c0000);
	sim_put(host, "id-ns-1.bin", id, sizeof(id));
	ck_assert_int_eq(admin(t, FORMAT, 1, 8 | 2 << 12), 0); /* 40 is 2 and 8 */
	ck_assert_str_eq(geometry(t, 1), "1000 48 00 00");
	ck_assert_int_eq(read_block(t, 1, 999, 4096), 0);
}
END_TEST

/* Both controllers of a drive say the same. */
START_TEST(two_controllers)
{
	AUTO_DIR char *host = admin_drive((struct admin_ctrl){0}, "{\"format\": {\"busy_polls\": 1}}");
	AUTO_FREE char *command = ssd_asprintf("cp -r %s/nvme0 %s/nvme1", host, host);
	AUTO_SIM other = NULL;
	AUTO_SIM t = NULL;

	ck_assert_int_eq(system(command), 0);
	t = sim_open(host, true);
	other = ssd_sim_open(host, "nvme1", true, NULL);
	ck_assert_int_eq(write_block(t, 1, 3, 512, 5), 0);
	ck_assert_int_eq(read_block(other, 1, 3, 512), 5);
	ck_assert_int_eq(admin(other, FORMAT, 1, 2), 0);
	ck_assert_int_eq(read_block(t, 1, 0, 4096), -0x0084);
	ck_assert_str_eq(geometry(t, 1), "1000 02 00 e4");
	ck_assert_str_eq(geometry(other, 1), "1000 02 00 80");
	ck_assert_int_eq(read_block(t, 1, 0, 4096), 0);
}
END_TEST

/* --- I/O --- */

START_TEST(io_limits)
{
	AUTO_DIR char *host = admin_drive((struct admin_ctrl){0}, "{}");
	AUTO_SIM t = sim_open(host, true);
	struct sim_answer a;

	ck_assert_int_eq(write_block(t, 1, BLOCKS - 1, 512, 9), 0);
	ck_assert_int_eq(write_block(t, 1, BLOCKS, 512, 9), 0x4080);
	ck_assert_int_eq(write_block(t, 3, 0, 512, 9), 0x400b);
	ck_assert_int_eq(write_block(t, 1, 0, 1024, 9), 0x400f);
	ck_assert_int_eq(read_block(t, 1, BLOCKS - 1, 512), 9);
	/* Write zeroes, and its range. */
	ck_assert_int_eq(
		sim_send(t, (struct ssd_cmd){.opcode = 8, .io = true, .nsid = 1, .cdw10 = BLOCKS - 2, .cdw12 = 1}, &a),
		0);
	ck_assert_int_eq(read_block(t, 1, BLOCKS - 1, 512), 0);
	ck_assert_int_eq(
		sim_send(t, (struct ssd_cmd){.opcode = 8, .io = true, .nsid = 1, .cdw10 = BLOCKS - 1, .cdw12 = 1}, &a),
		0x4080);
	ck_assert_int_eq(sim_send(t, (struct ssd_cmd){.opcode = 0, .io = true, .nsid = 1}, &a), 0);
	ck_assert_int_eq(sim_send(t, (struct ssd_cmd){.opcode = 0x85, .io = true, .nsid = 1}, &a), 0x4001);
}
END_TEST

START_TEST(deallocates)
{
	AUTO_DIR char *host = admin_drive((struct admin_ctrl){0}, "{}");
	AUTO_SIM t = sim_open(host, true);
	struct sim_answer a;
	uint8_t range[16] = {0};
	struct ssd_cmd cmd = {.opcode = 9,
			      .io = true,
			      .nsid = 1,
			      .cdw11 = 4,
			      .data = range,
			      .data_len = sizeof(range),
			      .direction = SSD_DATA_TO_DRIVE};

	ck_assert_int_eq(write_block(t, 1, 8, 512, 9), 0);
	ck_assert_int_eq(write_block(t, 1, 9, 512, 9), 0);
	range[4] = 1;
	range[8] = 8;
	ck_assert_int_eq(sim_send(t, cmd, &a), 0);
	ck_assert_int_eq(read_block(t, 1, 8, 512), 0);
	ck_assert_int_eq(read_block(t, 1, 9, 512), 9);
	ssd_put_le(range + 4, 4, BLOCKS);
	ck_assert_int_eq(sim_send(t, cmd, &a), 0x4080);
}
END_TEST

int main(void)
{
	const TTest *const plain[] = {changes_the_block_size_and_back,
				      loses_no_block,
				      all_or_none,
				      takes_its_time,
				      not_on_every_drive,
				      many_formats,
				      two_controllers,
				      io_limits,
				      deallocates};
	const struct check_loop loops[] = {{what_is_accepted, ARRAY_SIZE(settings)}, {scope, ARRAY_SIZE(scopes)}};

	return admin_main("sim_format", plain, ARRAY_SIZE(plain), loops, ARRAY_SIZE(loops));
}
