/* SPDX-License-Identifier: MIT */
/* The simulated controller's commands: what a directory answers. Statuses are those of the contract, section 6. */
#include "sim_dir.h"

#define OFFSETS 4 /* LPA bit 2 */
#define NVME14 0x10400

static void put_filled(const char *host, const char *file, uint8_t value, size_t len)
{
	AUTO_FREE uint8_t *page = ssd_calloc(len, 1);

	memset(page, value, len);
	sim_put(host, file, page, len);
}

START_TEST(identify_controller)
{
	AUTO_DIR char *host = sim_dir_new();
	struct sim_answer a;
	AUTO_SIM t = NULL;

	sim_put_ctrl(host, (struct sim_ctrl){.nn = 1});
	t = sim_open(host, false);
	ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &a), 0);
	ck_assert_mem_eq(a.data + 4, "SERIAL01", 8);
	/* Only as many bytes as the caller has room for, and never more than a page. */
	ck_assert_int_eq(sim_send(t, (struct ssd_cmd){.opcode = 6, .cdw10 = 1, .data_len = 64}, &a), 0);
	ck_assert(sim_all(a.data + 64, 64, PATTERN));
	ck_assert_int_eq(sim_send(t, (struct ssd_cmd){.opcode = 6, .cdw10 = 1, .data_len = 8192}, &a), 0);
	ck_assert(sim_all(a.data + 4096, 4096, PATTERN));
}
END_TEST

START_TEST(short_identify_file_reads_as_zero)
{
	AUTO_DIR char *host = sim_dir_new();
	struct sim_answer a;
	AUTO_SIM t = NULL;

	put_filled(host, "id-ctrl.bin", 'x', 72);
	t = sim_open(host, false);
	ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &a), 0);
	ck_assert(sim_all(a.data, 72, 'x'));
	ck_assert(sim_all(a.data + 72, 4096 - 72, 0));
}
END_TEST

START_TEST(namespaces_by_nsid)
{
	AUTO_DIR char *host = sim_dir_new();
	struct sim_answer a;
	AUTO_SIM t = NULL;

	sim_put_ctrl(host, (struct sim_ctrl){.ver = NVME14, .nn = 12});
	put_filled(host, "id-ns-1.bin", 1, 4096);
	put_filled(host, "id-ns-10.bin", 10, 4096);
	t = sim_open(host, true);
	ck_assert_int_eq(sim_identify_cmd(t, 0, 1, &a), 0);
	ck_assert(sim_all(a.data, 4096, 1));
	ck_assert_int_eq(sim_identify_cmd(t, 0, 10, &a), 0);
	ck_assert(sim_all(a.data, 4096, 10));
	/* Inactive, within NN: zeros. Beyond NN, 0 and broadcast without namespace management: Invalid Namespace. */
	ck_assert_int_eq(sim_identify_cmd(t, 0, 2, &a), 0);
	ck_assert(sim_all(a.data, 4096, 0));
	ck_assert_int_eq(sim_identify_cmd(t, 0, 13, &a), 0x400b);
	ck_assert(sim_all(a.data, 4096, PATTERN));
	ck_assert_int_eq(sim_identify_cmd(t, 0, 0, &a), 0x400b);
	ck_assert_int_eq(sim_identify_cmd(t, 0, 0xffffffff, &a), 0x400b);
}
END_TEST

START_TEST(common_namespace)
{
	AUTO_DIR char *host = sim_dir_new();
	struct sim_answer a;
	AUTO_SIM t = NULL;

	sim_put_ctrl(host, (struct sim_ctrl){.ver = NVME14, .nn = 12, .oacs = 8});
	put_filled(host, "id-ns-1.bin", 0x11, 4096);
	t = sim_open(host, true);
	ck_assert_int_eq(sim_identify_cmd(t, 0, 0xffffffff, &a), 0);
	ck_assert(sim_all(a.data, 24, 0));              /* NSZE, NCAP, NUSE */
	ck_assert_uint_eq(a.data[25], 0x11);            /* NLBAF stays */
	ck_assert_uint_eq(a.data[26], 0);               /* FLBAS */
	ck_assert(sim_all(a.data + 104, 24, 0));        /* NGUID, EUI64 */
	ck_assert(sim_all(a.data + 128, 4 * 16, 0x11)); /* LBA formats */
}
END_TEST

START_TEST(active_namespace_list)
{
	AUTO_DIR char *host = sim_dir_new();
	struct sim_answer a;
	AUTO_SIM t = NULL;

	sim_put_ctrl(host, (struct sim_ctrl){.ver = NVME14, .nn = 12});
	put_filled(host, "id-ns-10.bin", 0, 4096);
	put_filled(host, "id-ns-2.bin", 0, 4096);
	t = sim_open(host, true);
	ck_assert_int_eq(sim_identify_cmd(t, 2, 0, &a), 0);
	ck_assert_uint_eq(ssd_le32(a.data), 2);
	ck_assert_uint_eq(ssd_le32(a.data + 4), 10);
	ck_assert(sim_all(a.data + 8, 4088, 0));
	ck_assert_int_eq(sim_identify_cmd(t, 2, 2, &a), 0);
	ck_assert_uint_eq(ssd_le32(a.data), 10);
	ck_assert_int_eq(sim_identify_cmd(t, 2, 0xfffffffe, &a), 0x400b);
	/* A list that was recorded is the answer. */
	put_filled(host, "identify-02.bin", 7, 4096);
	ck_assert_int_eq(sim_identify_cmd(t, 2, 0, &a), 0);
	ck_assert_uint_eq(a.data[0], 7);
}
END_TEST

/* NVMe 1.0 and 1.1 (VER 0): other structures than 00h and 01h are Invalid Field, unless one was recorded. */
START_TEST(cns_before_nvme_1_2)
{
	AUTO_DIR char *host = sim_dir_new();
	struct sim_answer a;
	AUTO_SIM t = NULL;

	sim_put_ctrl(host, (struct sim_ctrl){.nn = 1, .lpa = OFFSETS});
	put_filled(host, "id-ns-1.bin", 0, 4096);
	put_filled(host, "log-02.bin", 0, 512);
	t = sim_open(host, true);
	ck_assert_int_eq(sim_identify_cmd(t, 2, 0, &a), 0x4002);
	ck_assert_int_eq(sim_identify_cmd(t, 0x10, 0, &a), 0x4002);
	ck_assert_int_eq(sim_identify_cmd(t, 0, 1, &a), 0);
	/* Nor has it offsets in Get Log Page, whatever byte 261 says. */
	ck_assert_int_eq(sim_log_at(t, 2, 0xffffffff, 4, 64, &a), 0x4002);
}
END_TEST

START_TEST(most_specific_file_wins)
{
	AUTO_DIR char *host = sim_dir_new();
	struct sim_answer a;
	AUTO_SIM t = NULL;

	sim_put_ctrl(host, (struct sim_ctrl){.ver = NVME14, .nn = 2});
	put_filled(host, "identify-03.bin", 1, 4096);
	put_filled(host, "identify-03-n2.bin", 2, 4096);
	put_filled(host, "identify-13-c5.bin", 5, 4096);
	put_filled(host, "identify-05-n1-i2.bin", 6, 4096);
	put_filled(host, "log-CA.bin", 0x10, 512);
	put_filled(host, "log-ca-n1.bin", 0x11, 512);
	put_filled(host, "log-ca-s7.bin", 0x12, 512);
	put_filled(host, "log-ca-n1-s7.bin", 0x13, 512);
	put_filled(host, "log-ca-u3.bin", 0x14, 512);
	t = sim_open(host, false);
	ck_assert_int_eq(sim_identify_cmd(t, 3, 1, &a), 0);
	ck_assert_uint_eq(a.data[0], 1);
	ck_assert_int_eq(sim_identify_cmd(t, 3, 2, &a), 0);
	ck_assert_uint_eq(a.data[0], 2);
	ck_assert_int_eq(sim_send(t, (struct ssd_cmd){.opcode = 6, .cdw10 = 0x13 | 5 << 16, .data_len = 4096}, &a), 0);
	ck_assert_uint_eq(a.data[0], 5);
	ck_assert_int_eq(sim_send(t, (struct ssd_cmd){.opcode = 6, .cdw10 = 0x13 | 6 << 16, .data_len = 4096}, &a),
			 0x4002);
	ck_assert_int_eq(
		sim_send(t, (struct ssd_cmd){.opcode = 6, .nsid = 1, .cdw10 = 5, .cdw11 = 2u << 24, .data_len = 4096},
			 &a),
		0);
	ck_assert_uint_eq(a.data[0], 6);
	ck_assert_int_eq(sim_log(t, 0xca, 512, &a), 0);
	ck_assert_uint_eq(a.data[0], 0x10);
	ck_assert_int_eq(sim_log_at(t, 0xca, 1, 0, 512, &a), 0);
	ck_assert_uint_eq(a.data[0], 0x11);
	ck_assert_int_eq(
		sim_send(t,
			 (struct ssd_cmd){
				 .opcode = 2, .nsid = 2, .cdw10 = 0xca | 127 << 16, .cdw11 = 7u << 16, .data_len = 512},
			 &a),
		0);
	ck_assert_uint_eq(a.data[0], 0x12);
	ck_assert_int_eq(
		sim_send(t,
			 (struct ssd_cmd){
				 .opcode = 2, .nsid = 1, .cdw10 = 0xca | 127 << 16, .cdw11 = 7u << 16, .data_len = 512},
			 &a),
		0);
	ck_assert_uint_eq(a.data[0], 0x13);
	ck_assert_int_eq(
		sim_send(t,
			 (struct ssd_cmd){
				 .opcode = 2, .nsid = 2, .cdw10 = 0xca | 127 << 16, .cdw14 = 3, .data_len = 512},
			 &a),
		0);
	ck_assert_uint_eq(a.data[0], 0x14);
}
END_TEST

START_TEST(log_lengths_and_offsets)
{
	AUTO_DIR char *host = sim_dir_new();
	uint8_t page[1000];
	struct sim_answer a;
	AUTO_SIM t = NULL;

	for (size_t i = 0; i < sizeof(page); i++)
		page[i] = (uint8_t)(i % 251 + 1);
	sim_put_ctrl(host, (struct sim_ctrl){.ver = NVME14, .nn = 1, .lpa = OFFSETS});
	sim_put(host, "log-c5.bin", page, sizeof(page));
	t = sim_open(host, false);
	ck_assert_int_eq(sim_log(t, 0xc5, 64, &a), 0);
	ck_assert_mem_eq(a.data, page, 64);
	ck_assert(sim_all(a.data + 64, 64, PATTERN));
	/* Beyond the file: zeros, as many as were asked for. */
	ck_assert_int_eq(sim_log(t, 0xc5, 2000, &a), 0);
	ck_assert_mem_eq(a.data, page, 1000);
	ck_assert(sim_all(a.data + 1000, 1000, 0));
	ck_assert(sim_all(a.data + 2000, 64, PATTERN));
	ck_assert_int_eq(sim_log_at(t, 0xc5, 0, 996, 8, &a), 0);
	ck_assert_mem_eq(a.data, page + 996, 4);
	ck_assert(sim_all(a.data + 4, 4, 0));
	ck_assert_int_eq(sim_log_at(t, 0xc5, 0, 1004, 8, &a), 0x4002);
	ck_assert_int_eq(sim_log_at(t, 0xc5, 0, 1ull << 32, 8, &a), 0x4002);
	ck_assert_int_eq(sim_log_at(t, 0xc5, 0, 2, 8, &a), 0x4002);
	/* NUMD says how much, not the buffer: 16 bytes asked for, 64 of room. */
	ck_assert_int_eq(sim_send(t, (struct ssd_cmd){.opcode = 2, .cdw10 = 0xc5 | 3 << 16, .data_len = 64}, &a), 0);
	ck_assert(sim_all(a.data + 16, 48, PATTERN));
	/* And a buffer that is smaller than NUMD is not overrun. */
	ck_assert_int_eq(sim_send(t, (struct ssd_cmd){.opcode = 2, .cdw10 = 0xc5 | 15 << 16, .data_len = 16}, &a), 0);
	ck_assert(sim_all(a.data + 16, 48, PATTERN));
}
END_TEST

START_TEST(no_offsets_without_lpa_bit_2)
{
	AUTO_DIR char *host = sim_dir_new();
	struct sim_answer a;
	AUTO_SIM t = NULL;

	sim_put_ctrl(host, (struct sim_ctrl){.ver = NVME14, .nn = 1, .lpa = 0x0b});
	put_filled(host, "log-c5.bin", 3, 512);
	t = sim_open(host, false);
	ck_assert_int_eq(sim_log_at(t, 0xc5, 0, 4, 8, &a), 0x4002);
	ck_assert_int_eq(sim_log(t, 0xc5, 8, &a), 0);
}
END_TEST

START_TEST(missing_pages)
{
	AUTO_DIR char *host = sim_dir_new();
	struct sim_answer a;
	AUTO_SIM t = NULL;

	sim_put_ctrl(host, (struct sim_ctrl){.ver = NVME14, .nn = 1});
	t = sim_open(host, true);
	ck_assert_int_eq(sim_log(t, 0xca, 512, &a), 0x4109);
	ck_assert_int_eq(sim_identify_cmd(t, 0x14, 0, &a), 0x4002);
	ck_assert_int_eq(sim_feature(t, 0x04, 0, 0, 0, &a), 0x4002);
	ck_assert_int_eq(sim_send(t, (struct ssd_cmd){.opcode = 0xd2}, &a), 0x4001);
	ck_assert_int_eq(sim_send(t, (struct ssd_cmd){.opcode = 0x85, .io = true}, &a), 0x4001);
}
END_TEST

/* LPA bit 0 clear: SMART is the controller's, and asked for with NSID 0 or FFFFFFFFh. */
START_TEST(smart_of_a_namespace)
{
	AUTO_DIR char *host = sim_dir_new();
	struct sim_answer a;
	AUTO_SIM t = NULL;

	sim_put_ctrl(host, (struct sim_ctrl){.ver = NVME14, .nn = 1});
	put_filled(host, "log-02.bin", 1, 512);
	t = sim_open(host, false);
	ck_assert_int_eq(sim_log_at(t, 2, 1, 0, 512, &a), 0x4002);
	/* But the page of a namespace, where the directory has one, is the more specific file. */
	sim_put(host, "log-02-n2.bin", "\7", 1);
	ck_assert_int_eq(sim_log_at(t, 2, 2, 0, 512, &a), 0);
	ck_assert_uint_eq(a.data[0], 7);
	ck_assert_int_eq(sim_log_at(t, 2, 1, 0, 512, &a), 0x4002);
	ck_assert_int_eq(sim_log_at(t, 2, 0, 0, 512, &a), 0);
	sim_put_ctrl(host, (struct sim_ctrl){.ver = NVME14, .nn = 1, .lpa = 1});
	ck_assert_int_eq(sim_log_at(t, 2, 1, 0, 512, &a), 0);
}
END_TEST

START_TEST(transfer_limit)
{
	AUTO_DIR char *host = sim_dir_new();
	struct sim_answer a;
	AUTO_SIM t = NULL;

	sim_put_ctrl(host, (struct sim_ctrl){.ver = NVME14, .nn = 1, .lpa = OFFSETS, .mdts = 1});
	put_filled(host, "log-c5.bin", 3, 16384);
	t = sim_open(host, false);
	ck_assert_int_eq(sim_log(t, 0xc5, 8192, &a), 0);
	ck_assert_int_eq(sim_log(t, 0xc5, 8196, &a), 0x4002);
	/* 0: no limit. */
	sim_put_ctrl(host, (struct sim_ctrl){.ver = NVME14, .nn = 1, .lpa = OFFSETS});
	ck_assert_int_eq(sim_log(t, 0xc5, 16384, &a), 0);
}
END_TEST

static const char features[] = "{\"features\": {\"0x02\": 3, \"0x04\": 358, \"0x04/0x00010000\": 340, \"0x06\": "
			       "{\"current\": 1, \"default\": 0,"
			       "\"saved\": 1, \"capabilities\": 5}, \"0x0a\": {\"current\": 0, \"capabilities\": 0}, "
			       "\"0x05@1\": 7, \"0xc1\": 100}}";

START_TEST(features_get)
{
	AUTO_DIR char *host = sim_dir_new();
	struct sim_answer a;
	AUTO_SIM t = NULL;

	sim_put_ctrl(host, (struct sim_ctrl){.ver = NVME14, .nn = 1, .oncs = 0x10});
	sim_put_text(host, "drive.json", features);
	t = sim_open(host, false);
	ck_assert_int_eq(sim_feature(t, 0x02, 0, 0, 0, &a), 0);
	ck_assert_uint_eq(a.result, 3);
	/* Temperature thresholds are chosen in CDW11: sensor 1, and one that is not there. */
	ck_assert_int_eq(sim_feature(t, 0x04, 0, 0, 0, &a), 0);
	ck_assert_uint_eq(a.result, 358);
	ck_assert_int_eq(sim_feature(t, 0x04, 0, 0, 0x10000, &a), 0);
	ck_assert_uint_eq(a.result, 340);
	ck_assert_int_eq(sim_feature(t, 0x04, 0, 0, 0x20000, &a), 0x4002);
	/* Current, default, saved, capabilities. */
	ck_assert_int_eq(sim_feature(t, 0x06, 0, 0, 0, &a), 0);
	ck_assert_uint_eq(a.result, 1);
	ck_assert_int_eq(sim_feature(t, 0x06, 1, 0, 0, &a), 0);
	ck_assert_uint_eq(a.result, 0);
	ck_assert_int_eq(sim_feature(t, 0x06, 2, 0, 0, &a), 0);
	ck_assert_uint_eq(a.result, 1);
	ck_assert_int_eq(sim_feature(t, 0x06, 3, 0, 0, &a), 0);
	ck_assert_uint_eq(a.result, 5);
	ck_assert_int_eq(sim_feature(t, 0x06, 4, 0, 0, &a), 0x4002);
	/* A feature of a namespace. */
	ck_assert_int_eq(sim_feature(t, 0x05, 0, 1, 0, &a), 0);
	ck_assert_uint_eq(a.result, 7);
	ck_assert_int_eq(sim_feature(t, 0x05, 0, 0, 0, &a), 0x400b);
	ck_assert_int_eq(sim_feature(t, 0x0c, 0, 0, 0, &a), 0x4002);
}
END_TEST

/* ONCS bit 4 clear: SEL is reserved. What drive.json says all the same is answered. */
START_TEST(features_without_select)
{
	AUTO_DIR char *host = sim_dir_new();
	struct sim_answer a;
	AUTO_SIM t = NULL;

	sim_put_ctrl(host, (struct sim_ctrl){.nn = 1});
	sim_put_text(host, "drive.json", features);
	t = sim_open(host, true);
	ck_assert_int_eq(sim_feature(t, 0x02, 1, 0, 0, &a), 0x4002);
	ck_assert_int_eq(sim_feature(t, 0x06, 1, 0, 0, &a), 0);
	ck_assert_int_eq(sim_set(t, 0x02, true, 0, 1, &a), 0x4002);
}
END_TEST

START_TEST(features_set_and_persist)
{
	AUTO_DIR char *host = sim_dir_new();
	struct sim_answer a;
	struct ssd_transport *t;

	sim_put_ctrl(host, (struct sim_ctrl){.ver = NVME14, .nn = 1, .oncs = 0x10});
	sim_put_text(host, "drive.json", features);
	t = sim_open(host, true);
	ck_assert_int_eq(sim_set(t, 0x02, false, 0, 1, &a), 0);
	ck_assert_int_eq(sim_set(t, 0x02, true, 0, 2, &a), 0x410d);  /* not saveable */
	ck_assert_int_eq(sim_set(t, 0x0a, false, 0, 1, &a), 0x410e); /* not changeable */
	ck_assert_int_eq(sim_set(t, 0x06, true, 0, 0, &a), 0);
	ck_assert_int_eq(sim_set(t, 0x04, false, 0, 0x10000 | 333, &a), 0);
	ck_assert_int_eq(sim_set(t, 0x0c, false, 0, 0, &a), 0x4002);
	ck_assert_int_eq(sim_send(t, (struct ssd_cmd){.opcode = 9, .cdw10 = 0xc1, .cdw11 = 0x89abcdef, .cdw12 = 1}, &a),
			 0);
	sim_close(&t);
	t = sim_open(host, true);
	ck_assert_int_eq(sim_feature(t, 0x02, 0, 0, 0, &a), 0);
	ck_assert_uint_eq(a.result, 1);
	ck_assert_int_eq(sim_feature(t, 0x02, 1, 0, 0, &a), 0);
	ck_assert_uint_eq(a.result, 3);
	ck_assert_int_eq(sim_feature(t, 0x06, 2, 0, 0, &a), 0);
	ck_assert_uint_eq(a.result, 0);
	ck_assert_int_eq(sim_feature(t, 0x04, 0, 0, 0, &a), 0);
	ck_assert_uint_eq(a.result, 358);
	ck_assert_int_eq(sim_feature(t, 0x04, 0, 0, 0x10000, &a), 0);
	ck_assert_uint_eq(a.result, 333);
	ck_assert_int_eq(sim_feature(t, 0xc1, 0, 0, 0, &a), 0);
	ck_assert_uint_eq(a.result, 0x189abcdef);
	sim_close(&t);
}
END_TEST

START_TEST(feature_buffers)
{
	AUTO_DIR char *host = sim_dir_new();
	uint8_t data[8] = "ABCD";
	struct sim_answer a;
	AUTO_SIM t = NULL;

	sim_put_ctrl(host, (struct sim_ctrl){.ver = NVME14, .nn = 1});
	sim_put(host, "feature-f7.bin", "12345678", 8);
	t = sim_open(host, true);
	ck_assert_int_eq(sim_send(t, (struct ssd_cmd){.opcode = 0x0a, .cdw10 = 0xf7, .data_len = 32}, &a), 0);
	ck_assert_mem_eq(a.data, "12345678", 8);
	ck_assert(sim_all(a.data + 8, 24, PATTERN));
	ck_assert_int_eq(sim_send(t,
				  (struct ssd_cmd){.opcode = 0x09,
						   .cdw10 = 0xf7,
						   .data = data,
						   .data_len = 4,
						   .direction = SSD_DATA_TO_DRIVE},
				  &a),
			 0);
	ck_assert_int_eq(sim_send(t, (struct ssd_cmd){.opcode = 0x0a, .cdw10 = 0xf7, .data_len = 32}, &a), 0);
	ck_assert_mem_eq(a.data, "ABCD5678", 8);
}
END_TEST

START_TEST(recorded_answers_reads_only)
{
	static const uint8_t opcodes[] = {0x09, 0x0d, 0x10, 0x11, 0x14, 0x15, 0x80, 0x84, 0xd6};
	AUTO_DIR char *host = sim_dir_new();
	struct sim_answer a;
	AUTO_SIM t = NULL;

	sim_put_ctrl(host, (struct sim_ctrl){.ver = NVME14, .nn = 1});
	put_filled(host, "log-01.bin", 0, 256);
	put_filled(host, "log-02.bin", 0, 512);
	put_filled(host, "log-07.bin", 0, 512);
	sim_put_text(host, "drive.json", features);
	t = sim_open(host, false);
	for (size_t i = 0; i < sizeof(opcodes); i++)
		ck_assert_int_eq(sim_send(t, (struct ssd_cmd){.opcode = opcodes[i]}, &a), -EROFS);
	ck_assert_int_eq(sim_send(t, (struct ssd_cmd){.opcode = 2, .io = true}, &a), -EROFS);
	/* Creating telemetry data is no read, reading them is. */
	ck_assert_int_eq(sim_send(t, (struct ssd_cmd){.opcode = 2, .cdw10 = 0x107 | 127 << 16, .data_len = 512}, &a),
			 -EROFS);
	ck_assert_int_eq(sim_log(t, 7, 512, &a), 0);
	/* Reads, also such as fail, leave no trace. */
	ck_assert_int_eq(sim_log(t, 0xca, 512, &a), 0x4109);
	ck_assert_int_eq(sim_log(t, 2, 512, &a), 0);
	ck_assert(sim_all(a.data, 512, 0));
	ck_assert(!sim_has(host, "state.json"));
	ck_assert(!sim_has(host, "state.lock"));
}
END_TEST

/* A successful read of a simulated drive writes nothing, and what it answers is what the files hold. */
START_TEST(reads_write_nothing)
{
	AUTO_DIR char *host = sim_dir_new();
	struct sim_answer a;
	AUTO_SIM t = NULL;

	sim_put_ctrl(host, (struct sim_ctrl){.ver = NVME14, .nn = 1});
	put_filled(host, "log-02.bin", 9, 512);
	sim_put_text(host, "drive.json", "{\"faults\": [{\"opcode\": \"0x80\", \"status\": \"0x10a\"}]}");
	t = sim_open(host, true);
	ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &a), 0);
	ck_assert_int_eq(sim_log(t, 2, 512, &a), 0);
	ck_assert(sim_all(a.data, 512, 9));
	ck_assert(!sim_has(host, "state.json"));
	ck_assert(!sim_has(host, "state.lock"));
}
END_TEST

START_TEST(opening)
{
	AUTO_DIR char *host = sim_dir_new();
	struct ssd_err err = SSD_ERR_INIT;

	ck_assert_ptr_null(ssd_sim_open(host, "nvme0", true, &err));
	ck_assert_int_eq(err.code, SSD_ERR_NOT_FOUND);
	ck_assert_int_eq(err.sys_errno, ENOENT);
	ck_assert_ptr_null(ssd_sim_open(host, "../nvme0", true, &err));
	ck_assert_int_eq(err.code, SSD_ERR_NOT_FOUND);
	put_filled(host, "log-02.bin", 9, 512);
	ck_assert_ptr_null(ssd_sim_open(host, "nvme0", true, &err));
	ck_assert_int_eq(err.code, SSD_ERR_BAD_INPUT);
	ck_assert_ptr_nonnull(strstr(err.message, "id-ctrl.bin"));
	sim_put_ctrl(host, (struct sim_ctrl){.nn = 1});
	sim_put_text(host, "drive.json", "{\n\"features\": {\n\"0x04\": }\n}");
	ck_assert_ptr_null(ssd_sim_open(host, "nvme0", true, &err));
	ck_assert_int_eq(err.code, SSD_ERR_BAD_INPUT);
	ck_assert_ptr_nonnull(strstr(err.message, "nvme0/drive.json line 3"));
}
END_TEST

/* Words that mean nothing are refused when the drive is opened, not passed over. */
START_TEST(bad_drive_json)
{
	static const char *const bad[] = {
		"[]",
		"{\"faults\": {}}",
		"{\"faults\": [{\"opcode\": \"0x06\"}]}",
		"{\"faults\": [{\"opcode\": \"0x106\", \"status\": 1}]}",
		"{\"faults\": [{\"opcode\": \"six\", \"status\": 1}]}",
		"{\"faults\": [{\"status\": 1, \"delay_ms\": 5}]}",
		"{\"faults\": [{\"status\": \"0x8000\"}]}",
		"{\"faults\": [{\"errno\": \"ENOSUCH\"}]}",
		"{\"faults\": [{\"nth\": 0, \"status\": 1}]}",
		"{\"faults\": [{\"vanish_ms\": -2}]}",
		"{\"features\": []}",
		"{\"features\": {\"four\": 1}}",
		"{\"features\": {\"0x104\": 1}}",
		"{\"features\": {\"0x04\": true}}",
		"{\"features\": {\"0x04\": {\"current\": []}}}",
		"{\"latency_us\": -1}",
		"{\"clear_on_read\": {\"0xc1\": 0}}",
		"{\"clear_on_read\": {\"0x1c1\": 4}}",
		"{\"a\": 1, \"a\": 2}",
	};
	AUTO_DIR char *host = sim_dir_new();

	sim_put_ctrl(host, (struct sim_ctrl){.nn = 1});
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct ssd_err err = SSD_ERR_INIT;

		sim_put_text(host, "drive.json", bad[i]);
		ck_assert_msg(!ssd_sim_open(host, "nvme0", true, &err), "%s was taken", bad[i]);
		ck_assert_msg(err.code == SSD_ERR_BAD_INPUT, "%s", bad[i]);
		ck_assert_ptr_nonnull(strstr(err.message, "drive.json"));
	}
}
END_TEST

/* A FIFO or a directory in place of a page must not hang or crash. */
START_TEST(strange_files)
{
	AUTO_DIR char *host = sim_dir_new();
	AUTO_FREE char *fifo = ssd_asprintf("%s/nvme0/log-ca.bin", host);
	AUTO_FREE char *dir = ssd_asprintf("%s/nvme0/log-c5.bin", host);
	struct sim_answer a;
	AUTO_SIM t = NULL;

	sim_put_ctrl(host, (struct sim_ctrl){.nn = 1});
	ck_assert_int_eq(mkfifo(fifo, 0644), 0);
	ck_assert_int_eq(mkdir(dir, 0755), 0);
	put_filled(host, "log-zz.bin", 0, 8);
	put_filled(host, "log-1ca.bin", 0, 8);
	put_filled(host, "log-c1-q1.bin", 0, 8);
	put_filled(host, "log-c1.bin.old", 0, 8);
	t = sim_open(host, false);
	ck_assert_int_lt(sim_log(t, 0xca, 512, &a), 0);
	ck_assert_int_lt(sim_log(t, 0xc5, 512, &a), 0);
	ck_assert_int_eq(sim_log(t, 0xc1, 512, &a), 0x4109);
}
END_TEST

CHECK_MAIN("sim", identify_controller, short_identify_file_reads_as_zero, namespaces_by_nsid, common_namespace,
	   active_namespace_list, cns_before_nvme_1_2, most_specific_file_wins, log_lengths_and_offsets,
	   no_offsets_without_lpa_bit_2, missing_pages, smart_of_a_namespace, transfer_limit, features_get,
	   features_without_select, features_set_and_persist, feature_buffers, recorded_answers_reads_only,
	   reads_write_nothing, opening, bad_drive_json, strange_files)
