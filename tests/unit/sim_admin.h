/* SPDX-License-Identifier: MIT */
/* A simulated drive with namespaces for the commands that change one. Offsets are the specification's. */
#ifndef TESTS_UNIT_SIM_ADMIN_H
#define TESTS_UNIT_SIM_ADMIN_H

#include "sim_dir.h"

/* Identify Controller beyond what sim_put_ctrl() knows. */
struct admin_ctrl {
	struct sim_ctrl base;
	uint8_t fna;
	uint32_t sanicap, oaes;
	uint64_t unallocated;
};

static inline void admin_put_ctrl(const char *host, struct admin_ctrl c)
{
	AUTO_FREE char *path = ssd_asprintf("%s/nvme0/id-ctrl.bin", host);
	AUTO_FREE uint8_t *id = NULL;
	size_t len;

	sim_put_ctrl(host, c.base);
	ck_assert_int_eq(ssd_read_file(path, 4096, &id, &len), 0);
	ssd_put_le(id + 92, 4, c.oaes);
	ssd_put_le(id + 296, 8, c.unallocated);
	ssd_put_le(id + 328, 4, c.sanicap);
	id[524] = c.fna;
	sim_put(host, "id-ctrl.bin", id, len);
}

/* Formats 512+0, 512+8, 4096+0, 4096+8, and one that is not available. */
#define BLOCKS 8000u
static inline void admin_put_ns(const char *host, uint32_t nsid, uint64_t blocks)
{
	AUTO_FREE char *file = ssd_asprintf("id-ns-%u.bin", nsid);
	uint8_t id[4096] = {0};
	static const uint32_t formats[] = {0x00090000, 0x00090008, 0x000c0000, 0x000c0008, 0};

	ssd_put_le(id, 8, blocks);
	ssd_put_le(id + 8, 8, blocks);
	ssd_put_le(id + 16, 8, blocks);
	id[25] = 4;
	id[27] = 1;    /* metadata at the end of the block only */
	id[28] = 0x11; /* protection type 1, in the last bytes */
	id[32] = 0x80; /* reports its progress */
	ssd_put_le(id + 48, 8, blocks * 512);
	for (unsigned i = 0; i < 5; i++)
		ssd_put_le(id + 128 + 4 * i, 4, formats[i]);
	sim_put(host, file, id, sizeof(id));
}

/* Two namespaces; format, firmware, namespace management, self-test. */
static inline char *admin_drive(struct admin_ctrl c, const char *drive_json)
{
	char *host = sim_dir_new();

	if (!c.base.ver)
		c.base.ver = 0x10400;
	if (!c.base.nn)
		c.base.nn = 4;
	if (!c.base.oacs)
		c.base.oacs = 0x1e;
	c.base.oncs |= 0x0c; /* Dataset Management, Write Zeroes */
	admin_put_ctrl(host, c);
	admin_put_ns(host, 1, BLOCKS);
	admin_put_ns(host, 2, BLOCKS);
	sim_put_text(host, "drive.json", drive_json);
	return host;
}

static inline int admin(struct ssd_transport *t, uint8_t opcode, uint32_t nsid, uint32_t cdw10)
{
	struct sim_answer a;

	return sim_send(t, (struct ssd_cmd){.opcode = opcode, .nsid = nsid, .cdw10 = cdw10}, &a);
}

/* A block of the namespace, all bytes of one value. Returns the status. */
static inline int write_block(struct ssd_transport *t, uint32_t nsid, uint32_t lba, uint32_t bytes, uint8_t value)
{
	static uint8_t data[8192];
	struct sim_answer a;

	memset(data, value, sizeof(data));
	return sim_send(t,
			(struct ssd_cmd){.opcode = 0x01,
					 .io = true,
					 .nsid = nsid,
					 .cdw10 = lba,
					 .data = data,
					 .data_len = bytes,
					 .direction = SSD_DATA_TO_DRIVE},
			&a);
}

/* The first byte of a block, or minus the status. */
static inline int read_block(struct ssd_transport *t, uint32_t nsid, uint32_t lba, uint32_t bytes)
{
	struct sim_answer a;
	int rc = sim_send(
		t, (struct ssd_cmd){.opcode = 0x02, .io = true, .nsid = nsid, .cdw10 = lba, .data_len = bytes}, &a);

	if (!rc)
		ck_assert(sim_all(a.data, bytes, a.data[0]));
	return rc ? -rc : a.data[0];
}

/* "NSZE FLBAS DPS FPI" of a namespace, or the status. */
static inline const char *geometry(struct ssd_transport *t, uint32_t nsid)
{
	static char text[2][64];
	static unsigned turn;
	char *out = text[turn++ % 2];
	struct sim_answer a;
	int rc = sim_identify_cmd(t, 0, nsid, &a);

	if (rc) {
		snprintf(out, sizeof(text[0]), "%04x", (unsigned)rc);
		return out;
	}
	ck_assert_uint_eq(ssd_le64(a.data), ssd_le64(a.data + 8));
	snprintf(out, sizeof(text[0]), "%llu %02x %02x %02x", (unsigned long long)ssd_le64(a.data), a.data[26],
		 a.data[29], a.data[32]);
	return out;
}

/* Tests, and tests that are run once for every row of a table. */
struct check_loop {
	const TTest *test;
	size_t rows;
};

static inline int admin_main(const char *name, const TTest *const *plain, size_t n, const struct check_loop *loops,
			     size_t n_loops)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create(name);
	SRunner *runner;
	int failed;

	tcase_set_timeout(tcase, 60);
	for (size_t i = 0; i < n; i++)
		tcase_add_test(tcase, plain[i]);
	for (size_t i = 0; i < n_loops; i++)
		tcase_add_loop_test(tcase, loops[i].test, 0, (int)loops[i].rows);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_set_tap(runner, "-");
	srunner_run_all(runner, CK_SILENT);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
