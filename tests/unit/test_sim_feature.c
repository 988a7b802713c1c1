/* SPDX-License-Identifier: MIT */
/* Set Features on a simulated drive: what resets leave, data, namespaces, and Intel's Max LBA. */
#include "sim_admin.h"

enum { ALL = 0xffffffff };

static char *drive(const char *features, const char *rest)
{
	AUTO_FREE char *json = ssd_asprintf("{\"features\": {%s}%s}", features, rest);

	return admin_drive((struct admin_ctrl){.base.oncs = 0x50}, json);
}

static uint64_t value(struct ssd_transport *t, uint8_t fid, unsigned select, uint32_t nsid)
{
	struct sim_answer a;

	ck_assert_int_eq(sim_feature(t, fid, select, nsid, 0, &a), 0);
	return a.result;
}

static int set(struct ssd_transport *t, uint8_t fid, bool save, uint32_t nsid, uint32_t cdw11)
{
	struct sim_answer a;

	return sim_set(t, fid, save, nsid, cdw11, &a);
}

START_TEST(what_a_reset_leaves)
{
	AUTO_DIR char *host = drive("\"0x02\": 3, \"0x06\": {\"current\": 1, \"default\": 0, \"saved\": 0, "
				    "\"capabilities\": 5}, \"0xe2\": 0",
				    "");
	AUTO_SIM t = sim_open(host, true);

	ck_assert_int_eq(set(t, 0x02, false, 0, 1), 0);
	ck_assert_int_eq(set(t, 0x06, false, 0, 7), 0);
	ck_assert_int_eq(set(t, 0xe2, false, 0, 1), 0);
	ck_assert_int_eq(t->control(t, SSD_RESET_CONTROLLER), 0);
	ck_assert_uint_eq(value(t, 0x02, 0, 0), 3);
	ck_assert_uint_eq(value(t, 0x06, 0, 0), 0);
	ck_assert_uint_eq(value(t, 0xe2, 0, 0), 1);
	ck_assert_int_eq(set(t, 0x06, true, 0, 9), 0);
	ck_assert_int_eq(set(t, 0x06, false, 0, 8), 0);
	ck_assert_uint_eq(value(t, 0x06, 0, 0), 8);
	ck_assert_uint_eq(value(t, 0x06, 1, 0), 0);
	ck_assert_uint_eq(value(t, 0x06, 2, 0), 9);
	ck_assert_int_eq(t->control(t, SSD_RESET_CONTROLLER), 0);
	ck_assert_uint_eq(value(t, 0x06, 0, 0), 9);
}
END_TEST

START_TEST(of_namespaces)
{
	AUTO_DIR char *host = drive("\"0x05@1\": 7, \"0x06\": {\"current\": 1, \"capabilities\": 4}", "");
	AUTO_SIM t = sim_open(host, true);

	/* Namespace 2 has it like 1, with a value of its own. */
	ck_assert_uint_eq(value(t, 0x05, 0, 2), 7);
	ck_assert_int_eq(set(t, 0x05, false, 2, 4), 0);
	ck_assert_uint_eq(value(t, 0x05, 0, 2), 4);
	ck_assert_uint_eq(value(t, 0x05, 0, 1), 7);
	ck_assert_int_eq(set(t, 0x05, false, ALL, 5), 0);
	ck_assert_uint_eq(value(t, 0x05, 0, 1), 5);
	ck_assert_int_eq(set(t, 0x05, false, 3, 5), 0x400b);
	/* And one that belongs to the controller. */
	ck_assert_int_eq(set(t, 0x06, false, 1, 0), 0x410f);
	ck_assert_int_eq(set(t, 0x06, false, 0, 0), 0);
	ck_assert_int_eq(set(t, 0x06, false, ALL, 1), 0);
	ck_assert_int_eq(set(t, 0x0c, false, ALL, 1), 0x4002);
}
END_TEST

static int put(struct ssd_transport *t, uint8_t fid, bool save, uint32_t nsid, const char *data)
{
	struct sim_answer a;
	uint8_t copy[64];

	for (size_t i = 0; data[i]; i++)
		copy[i] = data[i];
	return sim_send(t,
			(struct ssd_cmd){.opcode = 0x09,
					 .cdw10 = fid | (uint32_t)save << 31,
					 .nsid = nsid,
					 .data = copy,
					 .data_len = (uint32_t)strlen(data),
					 .direction = SSD_DATA_TO_DRIVE},
			&a);
}

static const char *get(struct ssd_transport *t, uint8_t fid, unsigned select, uint32_t nsid)
{
	static struct sim_answer a;

	ck_assert_int_eq(
		sim_send(t, (struct ssd_cmd){.opcode = 0x0a, .nsid = nsid, .cdw10 = fid | select << 8, .data_len = 64},
			 &a),
		0);
	a.data[8] = '\0';
	return (const char *)a.data;
}

START_TEST(data)
{
	AUTO_DIR char *host = drive("\"0x81\": {\"current\": 0, \"capabilities\": 5}", "");
	AUTO_SIM t = sim_open(host, true);

	sim_put(host, "feature-81.bin", "DEFAULT!", 8);
	ck_assert_str_eq(get(t, 0x81, 0, 0), "DEFAULT!");
	ck_assert_int_eq(put(t, 0x81, false, 0, "CURRENT1"), 0);
	ck_assert_str_eq(get(t, 0x81, 0, 0), "CURRENT1");
	ck_assert_str_eq(get(t, 0x81, 1, 0), "DEFAULT!");
	ck_assert_str_eq(get(t, 0x81, 2, 0), "DEFAULT!");
	ck_assert_int_eq(put(t, 0x81, true, 0, "SAVED..."), 0);
	ck_assert_int_eq(put(t, 0x81, false, 0, "OTHER"), 0);
	ck_assert_str_eq(get(t, 0x81, 0, 0), "OTHER...");
	ck_assert_str_eq(get(t, 0x81, 2, 0), "SAVED...");
	ck_assert_int_eq(t->control(t, SSD_RESET_CONTROLLER), 0);
	ck_assert_str_eq(get(t, 0x81, 0, 0), "SAVED...");
	ck_assert_str_eq(get(t, 0x81, 1, 0), "DEFAULT!");
}
END_TEST

START_TEST(timestamp)
{
	AUTO_DIR char *host = drive("", "");
	AUTO_SIM t = sim_open(host, true);
	struct sim_answer a;
	uint64_t ms = 1700000000000;
	uint8_t bytes[8] = {0};
	struct ssd_cmd cmd = {
		.opcode = 0x09, .cdw10 = 0x0e, .data = bytes, .data_len = 8, .direction = SSD_DATA_TO_DRIVE};

	ssd_put_le(bytes, 6, ms);
	ck_assert_int_eq(sim_send(t, cmd, &a), 0);
	ck_assert_int_eq(sim_send(t, (struct ssd_cmd){.opcode = 0x0a, .cdw10 = 0x0e, .data_len = 8}, &a), 0);
	ck_assert_uint_ge(ssd_le(a.data, 6), ms);
	ck_assert_uint_lt(ssd_le(a.data, 6), ms + 600000);
	ck_assert_uint_eq(a.data[6], 2); /* set by the host */
	ck_assert_int_eq(t->control(t, SSD_RESET_CONTROLLER), 0);
	ck_assert_int_eq(sim_send(t, (struct ssd_cmd){.opcode = 0x0a, .cdw10 = 0x0e, .data_len = 8}, &a), 0);
	ck_assert_uint_lt(ssd_le(a.data, 6), 600000);
	ck_assert_uint_eq(a.data[6], 0);
}
END_TEST

/* --- Max LBA --- */

static int set_max(struct ssd_transport *t, uint64_t lba)
{
	struct sim_answer a;

	return sim_send(
		t,
		(struct ssd_cmd){.opcode = 0x09, .cdw10 = 0xc1, .cdw11 = (uint32_t)lba, .cdw12 = (uint32_t)(lba >> 32)},
		&a);
}

static char *small_drive(const char *rest)
{
	char *host = drive("\"0xc1\": 7999, \"0xc2\": 7999", rest);
	AUTO_FREE char *second = ssd_asprintf("%s/nvme0/id-ns-2.bin", host);

	unlink(second);
	return host;
}

START_TEST(max_lba_is_the_last_one)
{
	AUTO_DIR char *host = small_drive("");
	AUTO_SIM t = sim_open(host, true);

	ck_assert_int_eq(write_block(t, 1, 0, 512, 1), 0);
	ck_assert_uint_eq(value(t, 0xc1, 0, 0), 7999);
	ck_assert_int_eq(set_max(t, 8000), 0x41c0);
	ck_assert_int_eq(set_max(t, UINT64_MAX), 0x41c0);
	ck_assert_int_eq(set_max(t, 3999), 0);
	ck_assert_str_eq(geometry(t, 1), "4000 00 00 80");
	ck_assert_uint_eq(value(t, 0xc1, 0, 0), 3999);
	ck_assert_uint_eq(value(t, 0xc2, 0, 0), 7999);
	ck_assert_int_eq(read_block(t, 1, 0, 512), 0);
	ck_assert_int_eq(read_block(t, 1, 4000, 512), -0x4080);
	/* A reset and a format keep it. */
	ck_assert_int_eq(t->control(t, SSD_RESET_CONTROLLER), 0);
	ck_assert_int_eq(admin(t, 0x80, 1, 2), 0);
	ck_assert_str_eq(geometry(t, 1), "500 02 00 80");
	ck_assert_uint_eq(value(t, 0xc1, 0, 0), 499);
	ck_assert_uint_eq(value(t, 0xc2, 0, 0), 999);
	ck_assert_int_eq(set_max(t, 999), 0);
	ck_assert_int_eq(admin(t, 0x80, 1, 0), 0);
	ck_assert_str_eq(geometry(t, 1), "8000 00 00 80");
}
END_TEST

START_TEST(max_lba_is_a_count)
{
	AUTO_DIR char *host = drive("\"0xc1\": 8000, \"0xc2\": 8000",
				    ", \"max_lba\": {\"unit\": \"count\", \"minimum\": 100, \"effect\": \"reset\"}");
	AUTO_SIM t = sim_open(host, true);
	AUTO_FREE char *second = ssd_asprintf("%s/nvme0/id-ns-2.bin", host);

	ck_assert_uint_eq(value(t, 0xc1, 0, 0), 8000);
	ck_assert_int_eq(set_max(t, 4000), 0x41c2); /* two namespaces */
	unlink(second);
	ck_assert_int_eq(set_max(t, 8001), 0x41c0);
	ck_assert_int_eq(set_max(t, 0), 0x41c0);
	ck_assert_int_eq(set_max(t, 99), 0x41c1);
	ck_assert_int_eq(set_max(t, 4000), 0);
	ck_assert_uint_eq(value(t, 0xc1, 0, 0), 4000);
	ck_assert_str_eq(geometry(t, 1), "8000 00 00 80");
	ck_assert_int_eq(t->control(t, SSD_RESET_CONTROLLER), 0);
	ck_assert_str_eq(geometry(t, 1), "4000 00 00 80");
	ck_assert_uint_eq(value(t, 0xc1, 0, 0), 4000);
}
END_TEST

/* What drive.json says is the answer, whatever it is, until a size has changed; from it follows what is counted. */
static const struct {
	uint64_t stated, set, blocks, after;
} stated[] = {
	{7999, 3999, 4000, 3999}, /* the last LBA */
	{8000, 4000, 4000, 4000}, /* how many there are */
	{5000, 3999, 4000, 3999}, /* neither */
};

START_TEST(max_lba_is_as_stated)
{
	AUTO_FREE char *features = ssd_asprintf("\"0xc1\": %d", (int)stated[_i].stated), *size = NULL;
	AUTO_DIR char *host = drive(features, "");
	AUTO_FREE char *second = ssd_asprintf("%s/nvme0/id-ns-2.bin", host);
	AUTO_SIM t = NULL;

	unlink(second);
	t = sim_open(host, true);
	ck_assert_uint_eq(value(t, 0xc1, 0, 0), stated[_i].stated);
	ck_assert_int_eq(set_max(t, stated[_i].set), 0);
	ck_assert_uint_eq(value(t, 0xc1, 0, 0), stated[_i].after);
	size = ssd_asprintf("%d 00 00 80", (int)stated[_i].blocks);
	ck_assert_str_eq(geometry(t, 1), size);
}
END_TEST

static const char *const wrong[] = {
	"\"format\": 1",
	"\"format\": {\"busy_polls\": -1}",
	"\"format\": {\"busy\": 1}",
	"\"sanitize\": {\"fail\": 1}",
	"\"selftest\": {\"result\": 15}",
	"\"telemetry\": {\"host_blocks\": [3, 2]}",
	"\"telemetry\": {\"host_blocks\": [65536]}",
	"\"telemetry\": {\"host_blocks\": [1, 2, 3, 4, 5]}",
	"\"max_lba\": {\"unit\": \"bytes\"}",
};

START_TEST(wrong_words)
{
	AUTO_FREE char *json = ssd_asprintf("{%s}", wrong[_i]);
	AUTO_DIR char *host = admin_drive((struct admin_ctrl){0}, json);
	struct ssd_err err = SSD_ERR_INIT;

	ck_assert_ptr_null(ssd_sim_open(host, "nvme0", true, &err));
	ck_assert_int_eq(err.code, SSD_ERR_BAD_INPUT);
	ck_assert_ptr_nonnull(strstr(err.message, "drive.json"));
}
END_TEST

int main(void)
{
	const TTest *const plain[] = {what_a_reset_leaves, of_namespaces,           data,
				      timestamp,           max_lba_is_the_last_one, max_lba_is_a_count};
	const struct check_loop loops[] = {{wrong_words, ARRAY_SIZE(wrong)},
					   {max_lba_is_as_stated, ARRAY_SIZE(stated)}};

	return admin_main("sim_feature", plain, ARRAY_SIZE(plain), loops, ARRAY_SIZE(loops));
}
