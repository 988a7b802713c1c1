/* SPDX-License-Identifier: MIT */
/*
 * Plans of namespaces as tables, and the commands that they lead to (layouts: NVM Express Base Specification 2.0c, sections
 * 5.22 and 5.23; Max LBA: isdct's and SPDK's, see the values).
 */
#include "check.h"

#include <ssdct/le.h>
#include <ssdct/ns.h>

#define TB2 3907029168u /* blocks of 512 bytes: a 2 TB drive */
#define MB (1u << 20)

static struct ns_info namespaces[2];

/* A drive with namespace management, 64 MiB that are unallocated, n namespaces of 8 MiB, formats 512, 512+8, 4096, 4096. */
static struct ns_facts drive(size_t n)
{
	struct ns_facts f = {.managed = true,
			     .allocated = true,
			     .most = 16,
			     .capacity_known = true,
			     .total = ssd_u128_of(64 * MB + n * 8 * MB),
			     .unused = ssd_u128_of(64 * MB),
			     .controllers = {{0, 5}, 2},
			     .namespaces = namespaces,
			     .n = n,
			     .n_formats = 4,
			     .formats = {{9, 2, 0}, {9, 0, 8}, {12, 1, 0}, {12, 0, 0}}};

	for (uint32_t i = 0; i < n; i++)
		namespaces[i] = (struct ns_info){.nsid = 1 + i,
						 .attached = true,
						 .nsze = 16384,
						 .ncap = 16384,
						 .nvmcap = 8 * MB,
						 .block_bytes = 512,
						 .controllers_known = true,
						 .controllers = {{0}, 1}};
	return f;
}

static const struct ssd_controllers first = {{0}, 1}, both = {{0, 5}, 2}, stranger = {{7}, 1};

/* --- create --- */

static const struct {
	struct ns_wish wish;
	size_t namespaces;
	uint64_t granularity;
	enum ssd_err_code code;
	uint64_t blocks;
	unsigned flbas;
} creates[] = {
	/* As the namespaces that there are; the fastest without metadata where there are none; what was asked for. */
	{{.size_bytes = MB, .format = -1}, 1, 0, SSD_ERR_NONE, 2048, 0},
	{{.size_bytes = MB, .format = -1}, 0, 0, SSD_ERR_NONE, 256, 3},
	{{.size_bytes = MB, .format = -1, .block_bytes = 4096}, 1, 0, SSD_ERR_NONE, 256, 3},
	{{.size_bytes = MB, .format = 2}, 1, 0, SSD_ERR_NONE, 256, 2},
	{{.size_bytes = MB, .format = 1}, 1, 0, SSD_ERR_NONE, 2048, 1},
	{{.size_bytes = MB, .format = 4}, 1, 0, SSD_ERR_UNSUPPORTED, 0, 0},
	{{.size_bytes = MB, .format = -1, .block_bytes = 1024}, 1, 0, SSD_ERR_UNSUPPORTED, 0, 0},
	/* Never less than was asked for. */
	{{.size_bytes = 4097, .format = 3}, 0, 0, SSD_ERR_NONE, 2, 3},
	{{.size_bytes = 4096, .format = 3}, 0, 0, SSD_ERR_NONE, 1, 3},
	/* Whole units of a size; blocks as they were given. */
	{{.size_bytes = MB + 1, .format = 3}, 0, MB, SSD_ERR_NONE, 512, 3},
	{{.size_bytes = MB, .format = 3}, 0, MB, SSD_ERR_NONE, 256, 3},
	{{.blocks = 257, .format = 3}, 0, MB, SSD_ERR_NONE, 257, 3},
	/* All there is, and no more. */
	{{.largest = true, .format = 3}, 0, 0, SSD_ERR_NONE, 16384, 3},
	{{.largest = true, .format = 3}, 0, 48 * MB, SSD_ERR_NONE, 12288, 3},
	{{.blocks = 16384, .format = 3}, 0, 0, SSD_ERR_NONE, 16384, 3},
	{{.blocks = 16385, .format = 3}, 0, 0, SSD_ERR_UNSUPPORTED, 0, 0},
	{{.blocks = INT64_MAX, .format = 3}, 0, 0, SSD_ERR_USAGE, 0, 0},
	/* Thin provisioning is what this drive does not have. */
	{{.size_bytes = MB, .capacity_bytes = MB, .format = 3}, 0, 0, SSD_ERR_NONE, 256, 3},
	{{.size_bytes = MB, .capacity_bytes = MB / 2, .format = 3}, 0, 0, SSD_ERR_UNSUPPORTED, 0, 0},
	{{.size_bytes = MB, .capacity_bytes = 2 * MB, .format = 3}, 0, 0, SSD_ERR_USAGE, 0, 0},
	/* Controllers. */
	{{.blocks = 1, .format = 3, .attach = &first}, 0, 0, SSD_ERR_NONE, 1, 3},
	{{.blocks = 1, .format = 3, .attach = &both}, 0, 0, SSD_ERR_UNSUPPORTED, 0, 0},
	{{.blocks = 1, .format = 3, .attach = &both, .shared = true}, 0, 0, SSD_ERR_NONE, 1, 3},
	{{.blocks = 1, .format = 3, .attach = &stranger}, 0, 0, SSD_ERR_NOT_FOUND, 0, 0},
};

START_TEST(create)
{
	struct ns_facts f = drive(creates[_i].namespaces);
	const struct ns_wish *wish = &creates[_i].wish;
	struct ssd_err err = SSD_ERR_INIT;
	struct ns_plan p;

	f.size_granularity = f.capacity_granularity = creates[_i].granularity;
	ck_assert_int_eq(ns_plan_create(&f, wish, &p, &err), creates[_i].code ? -1 : 0);
	ck_assert_int_eq(err.code, creates[_i].code);
	if (creates[_i].code)
		return;
	ck_assert_uint_eq(p.n_steps, wish->attach ? 2 : 1);
	ck_assert_int_eq(p.steps[0].kind, NS_CREATE);
	ck_assert_uint_eq(p.steps[0].nsze, creates[_i].blocks);
	ck_assert_uint_eq(p.steps[0].ncap, creates[_i].blocks);
	ck_assert_uint_eq(p.steps[0].flbas, creates[_i].flbas);
	ck_assert_uint_eq(p.steps[0].nmic, wish->shared);
	/* What was rounded, and what stays unusable, is said. */
	ck_assert_uint_eq(p.n_notes, (wish->size_bytes % 4096 && wish->size_bytes) || wish->blocks == 257);
}
END_TEST

START_TEST(thin)
{
	struct ns_facts f = drive(0);
	struct ns_wish wish = {.size_bytes = 1024 * MB, .capacity_bytes = 64 * MB, .format = 3};
	struct ssd_err err = SSD_ERR_INIT;
	struct ns_plan p;

	f.thin = true;
	ck_assert_int_eq(ns_plan_create(&f, &wish, &p, &err), 0);
	ck_assert_uint_eq(p.steps[0].nsze, 262144);
	ck_assert_uint_eq(p.steps[0].ncap, 16384);
	wish.capacity_bytes = 65 * MB;
	ck_assert_int_eq(ns_plan_create(&f, &wish, &p, &err), -1);
}
END_TEST

/* Bits 6:5 of FLBAS are bits 5:4 of the format's number; bit 4 says that metadata lie with the data. */
START_TEST(formats_beyond_sixteen)
{
	struct ns_facts f = drive(0);
	struct ns_wish wish = {.blocks = 1, .format = 18};
	struct ssd_err err = SSD_ERR_INIT;
	struct ns_plan p;

	f.n_formats = 19;
	f.formats[18] = (struct ns_format){12, 0, 64};
	ck_assert_int_eq(ns_plan_create(&f, &wish, &p, &err), 0);
	ck_assert_uint_eq(p.steps[0].flbas, 0x22);
	f.extended_only = true;
	ck_assert_int_eq(ns_plan_create(&f, &wish, &p, &err), 0);
	ck_assert_uint_eq(p.steps[0].flbas, 0x32);
}
END_TEST

/* --- delete, attach, detach --- */

START_TEST(delete)
{
	struct ns_facts f = drive(2);
	struct ssd_err err = SSD_ERR_INIT;
	struct ns_plan p;

	ck_assert_int_eq(ns_plan_delete(&f, 2, &p, &err), 0);
	ck_assert_uint_eq(p.steps[0].nsid, 2);
	ck_assert_int_eq(ns_plan_delete(&f, SSD_NSID_ALL, &p, &err), 0);
	ck_assert_uint_eq(p.steps[0].nsid, 0xffffffff);
	ck_assert_int_eq(ns_plan_delete(&f, 3, &p, &err), -1);
	ck_assert_int_eq(err.code, SSD_ERR_NOT_FOUND);
	f.n = 0;
	ck_assert_int_eq(ns_plan_delete(&f, SSD_NSID_ALL, &p, &err), -1);
	ck_assert_int_eq(err.code, SSD_ERR_NOT_FOUND);
	/* Without the list of those that are allocated nobody knows what there is. */
	f = drive(2);
	f.allocated = false;
	ck_assert_int_eq(ns_plan_delete(&f, 2, &p, &err), -1);
	ck_assert_int_eq(err.code, SSD_ERR_UNSUPPORTED);
	f.managed = false;
	ck_assert_int_eq(ns_plan_delete(&f, 2, &p, &err), -1);
	ck_assert_int_eq(err.code, SSD_ERR_UNSUPPORTED);
	f = drive(2);
	f.busy_with = "a format";
	ck_assert_int_eq(ns_plan_delete(&f, 2, &p, &err), -1);
	ck_assert_int_eq(err.code, SSD_ERR_REFUSED);
}
END_TEST

START_TEST(attach)
{
	struct ns_facts f = drive(1);
	struct ssd_err err = SSD_ERR_INIT;
	struct ns_plan p;

	/* It has controller 0: nothing to do, and not shared. */
	ck_assert_int_eq(ns_plan_attach(&f, 1, &first, true, &p, &err), 0);
	ck_assert_uint_eq(p.n_steps, 0);
	ck_assert_int_eq(ns_plan_attach(&f, 1, &both, true, &p, &err), -1);
	namespaces[0].nmic = 1;
	ck_assert_int_eq(ns_plan_attach(&f, 1, &both, true, &p, &err), 0);
	ck_assert_uint_eq(p.steps[0].controllers.n, 1);
	ck_assert_uint_eq(p.steps[0].controllers.ids[0], 5);
	/* Detached from both, only 0 has it. */
	ck_assert_int_eq(ns_plan_attach(&f, 1, &both, false, &p, &err), 0);
	ck_assert_int_eq(p.steps[0].kind, NS_DETACH);
	ck_assert_uint_eq(p.steps[0].controllers.n, 1);
	ck_assert_uint_eq(p.steps[0].controllers.ids[0], 0);
	ck_assert_int_eq(ns_plan_attach(&f, 9, &first, true, &p, &err), -1);
	ck_assert_int_eq(err.code, SSD_ERR_NOT_FOUND);
	ck_assert_int_eq(ns_plan_attach(&f, 1, &stranger, true, &p, &err), -1);
	ck_assert_int_eq(err.code, SSD_ERR_NOT_FOUND);
}
END_TEST

/* --- provisioning --- */

/* isdct: MaximumLBA and NativeMaxLBA of a P3608 half are 3125623327 and 3907029167, of a P3700 both 3907029167. */
static const struct {
	uint64_t current, native; /* C1h and C2h */
	enum ns_provision_by by;
	uint64_t value;
	enum ssd_err_code code;
	uint64_t set; /* UINT64_MAX: nothing */
} max_lbas[] = {
	{TB2 - 1, TB2 - 1, NS_TO_BLOCKS, 3125623328, SSD_ERR_NONE, 3125623327},
	{TB2, TB2, NS_TO_BLOCKS, 3125623328, SSD_ERR_NONE, 3125623328}, /* a drive that counts */
	{TB2 - 1, TB2 - 1, NS_TO_PERCENT, 80, SSD_ERR_NONE, 3125623327},
	{TB2, TB2, NS_TO_PERCENT, 80, SSD_ERR_NONE, 3125623328},
	{TB2 - 1, TB2 + 2, NS_TO_PERCENT, 100, SSD_ERR_NONE, TB2 + 2}, /* all of it, though no whole 4 KiB */
	{TB2 - 1, TB2 - 1, NS_TO_BYTES, 1000000000000, SSD_ERR_NONE, 1953124999},
	{TB2 - 1, TB2 - 1, NS_TO_BYTES, 1000000000001, SSD_ERR_NONE, 1953125000},
	{TB2 - 1, TB2 - 1, NS_TO_NATIVE, 0, SSD_ERR_NONE, UINT64_MAX},
	{TB2 - 1, 7814037167, NS_TO_NATIVE, 0, SSD_ERR_NONE, 7814037167},
	{TB2 - 1, TB2 - 1, NS_TO_BLOCKS, TB2 + 1, SSD_ERR_UNSUPPORTED, 0},
	{TB2 - 1, TB2 - 1, NS_TO_BLOCKS, 0, SSD_ERR_UNSUPPORTED, 0},
	/* Neither the last LBA nor the number of blocks: its meaning is not known. */
	{TB2 + 1, TB2 + 1, NS_TO_PERCENT, 80, SSD_ERR_REFUSED, 0},
	{TB2 - 2, TB2 - 1, NS_TO_PERCENT, 80, SSD_ERR_REFUSED, 0},
	{0, TB2 - 1, NS_TO_PERCENT, 80, SSD_ERR_REFUSED, 0},
	{TB2 - 1, 0, NS_TO_PERCENT, 80, SSD_ERR_REFUSED, 0},
};

START_TEST(max_lba)
{
	struct ns_facts f = drive(1);
	struct ssd_err err = SSD_ERR_INIT;
	struct ns_plan p;

	f.managed = f.allocated = false;
	namespaces[0].nsze = namespaces[0].ncap = TB2;
	f.max_lba = (struct ns_max_lba){true, max_lbas[_i].current, max_lbas[_i].native};
	ck_assert_int_eq(ns_plan_provision(&f, max_lbas[_i].by, max_lbas[_i].value, &p, &err),
			 max_lbas[_i].code ? -1 : 0);
	ck_assert_int_eq(err.code, max_lbas[_i].code);
	if (max_lbas[_i].code)
		return;
	ck_assert_uint_eq(p.n_steps, max_lbas[_i].set != UINT64_MAX);
	if (!p.n_steps)
		return;
	ck_assert_int_eq(p.steps[0].kind, NS_SET_MAX_LBA);
	ck_assert_uint_eq(p.steps[0].value, max_lbas[_i].set);
	ck_assert_uint_eq(p.steps[0].nsze, max_lbas[_i].set + !p.counts);
}
END_TEST

/* Both numbers are in the refusal. */
START_TEST(unknown_unit)
{
	struct ns_facts f = drive(1);
	struct ssd_err err = SSD_ERR_INIT;
	struct ns_plan p;

	f.max_lba = (struct ns_max_lba){true, 4711, 99999};
	ck_assert_int_eq(ns_plan_provision(&f, NS_TO_PERCENT, 50, &p, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.message, "4711"));
	ck_assert_ptr_nonnull(strstr(err.message, "16384"));
}
END_TEST

START_TEST(by_namespaces)
{
	struct ns_facts f = drive(1);
	struct ssd_err err = SSD_ERR_INIT;
	struct ns_plan p;

	namespaces[0].dps = 1;
	ck_assert_int_eq(ns_plan_provision(&f, NS_TO_NATIVE, 0, &p, &err), 0);
	ck_assert_uint_eq(p.n_steps, 3);
	ck_assert_int_eq(p.steps[0].kind, NS_DELETE);
	ck_assert_uint_eq(p.steps[0].nsid, 1);
	ck_assert_int_eq(p.steps[1].kind, NS_CREATE);
	ck_assert_uint_eq(p.steps[1].nsze, 72 * MB / 512);
	ck_assert_uint_eq(p.steps[1].dps, 1);
	ck_assert_int_eq(p.steps[2].kind, NS_ATTACH);
	ck_assert_uint_eq(p.steps[2].nsid, 0);
	ck_assert_uint_eq(p.steps[2].controllers.n, 1);
	/* In whole units of the drive. */
	f.capacity_granularity = 5 * MB;
	ck_assert_int_eq(ns_plan_provision(&f, NS_TO_NATIVE, 0, &p, &err), 0);
	ck_assert_uint_eq(p.blocks, 70 * MB / 512);
	ck_assert_int_eq(ns_plan_provision(&f, NS_TO_PERCENT, 50, &p, &err), 0);
	ck_assert_uint_eq(p.blocks, 35 * MB / 512);
	/* A drive that does not say how large it is can still be given a size. */
	f.capacity_known = false;
	ck_assert_int_eq(ns_plan_provision(&f, NS_TO_NATIVE, 0, &p, &err), -1);
	ck_assert_int_eq(err.code, SSD_ERR_UNSUPPORTED);
	ck_assert_int_eq(ns_plan_provision(&f, NS_TO_BLOCKS, 1000, &p, &err), 0);
	/* But none of which nobody knows whether there is room for it, once the old one is gone. */
	ck_assert_int_eq(ns_plan_provision(&f, NS_TO_BLOCKS, 16384, &p, &err), 0);
	err = (struct ssd_err)SSD_ERR_INIT;
	ck_assert_int_eq(ns_plan_provision(&f, NS_TO_BLOCKS, 16385, &p, &err), -1);
	ck_assert_int_eq(err.code, SSD_ERR_UNSUPPORTED);
	ck_assert_int_eq(ns_plan_provision(&f, NS_TO_BYTES, 5000000000000, &p, &err), -1);
	/* 8 bytes of metadata for each block may count as capacity; what there was has room in any case. */
	f = drive(1);
	namespaces[0].metadata_bytes = 8;
	ck_assert_int_eq(ns_plan_provision(&f, NS_TO_NATIVE, 0, &p, &err), 0);
	ck_assert_uint_eq(p.blocks, 72 * MB / 520);
	f.unused = ssd_u128_of(0);
	ck_assert_int_eq(ns_plan_provision(&f, NS_TO_NATIVE, 0, &p, &err), 0);
	ck_assert_uint_eq(p.blocks, 16384);
	f = drive(2);
	ck_assert_int_eq(ns_plan_provision(&f, NS_TO_NATIVE, 0, &p, &err), -1);
	ck_assert_int_eq(err.code, SSD_ERR_REFUSED);
	f = drive(0);
	ck_assert_int_eq(ns_plan_provision(&f, NS_TO_NATIVE, 0, &p, &err), -1);
	ck_assert_int_eq(err.code, SSD_ERR_NOT_FOUND);
	f = drive(1);
	f.managed = false;
	ck_assert_int_eq(ns_plan_provision(&f, NS_TO_NATIVE, 0, &p, &err), -1);
	ck_assert_int_eq(err.code, SSD_ERR_UNSUPPORTED);
}
END_TEST

/* The new namespace is where the old one was; an ANA group only where the drive lets the host say it (ANACAP bit 7). */
START_TEST(groups)
{
	struct ns_facts f = drive(1);
	struct ssd_err err = SSD_ERR_INIT;
	uint8_t data[4096];
	struct ssd_cmd c;
	struct ns_plan p;

	namespaces[0].anagrpid = 0x01020304;
	namespaces[0].nvmsetid = 0x506;
	namespaces[0].endgid = 0x708;
	ck_assert_int_eq(ns_plan_provision(&f, NS_TO_PERCENT, 50, &p, &err), 0);
	ns_step_cmd(&p.steps[1], 0, data, &c);
	ck_assert_uint_eq(ssd_le32(data + 92), 0);
	ck_assert_uint_eq(ssd_le16(data + 100), 0x506);
	ck_assert_uint_eq(ssd_le16(data + 102), 0x708);
	ck_assert_uint_eq(p.n_notes, 1);
	f.ana_chosen = true;
	ck_assert_int_eq(ns_plan_provision(&f, NS_TO_PERCENT, 50, &p, &err), 0);
	ns_step_cmd(&p.steps[1], 0, data, &c);
	ck_assert_uint_eq(ssd_le32(data + 92), 0x01020304);
	ck_assert_uint_eq(p.n_notes, 0);
	/* A zoned namespace would come back as one that is not. */
	namespaces[0].csi = 2;
	ck_assert_int_eq(ns_plan_provision(&f, NS_TO_PERCENT, 50, &p, &err), -1);
	ck_assert_int_eq(err.code, SSD_ERR_UNSUPPORTED);
}
END_TEST

/* --- commands --- */

START_TEST(commands)
{
	struct ns_step create_step = {.kind = NS_CREATE,
				      .nsze = 0x1122334455667788,
				      .ncap = 0x1020304050607080,
				      .flbas = 0x23,
				      .dps = 9,
				      .nmic = 1},
		       delete_step = {.kind = NS_DELETE, .nsid = 7},
		       attach_step = {.kind = NS_ATTACH, .controllers = {{3, 0x102}, 2}},
		       detach_step = {.kind = NS_DETACH, .nsid = 2, .controllers = {{1}, 1}},
		       lba_step = {.kind = NS_SET_MAX_LBA, .nsid = 1, .value = 7814037167};
	uint8_t data[4096];
	struct ssd_cmd c;

	ns_step_cmd(&create_step, 0, data, &c);
	ck_assert_uint_eq(c.opcode, 0x0d);
	ck_assert_uint_eq(c.nsid, 0);
	ck_assert_uint_eq(c.cdw10, 0);
	ck_assert_uint_eq(c.cdw11, 0);
	ck_assert_int_eq(c.direction, SSD_DATA_TO_DRIVE);
	ck_assert_uint_eq(c.data_len, 4096);
	ck_assert_uint_eq(ssd_le64(data), 0x1122334455667788);
	ck_assert_uint_eq(ssd_le64(data + 8), 0x1020304050607080);
	ck_assert_uint_eq(data[26], 0x23);
	ck_assert_uint_eq(data[29], 9);
	ck_assert_uint_eq(data[30], 1);

	ns_step_cmd(&delete_step, 0, data, &c);
	ck_assert_uint_eq(c.opcode, 0x0d);
	ck_assert_uint_eq(c.nsid, 7);
	ck_assert_uint_eq(c.cdw10, 1);
	ck_assert_uint_eq(c.data_len, 0);

	ns_step_cmd(&attach_step, 4, data, &c);
	ck_assert_uint_eq(c.opcode, 0x15);
	ck_assert_uint_eq(c.nsid, 4);
	ck_assert_uint_eq(c.cdw10, 0);
	ck_assert_uint_eq(ssd_le16(data), 2);
	ck_assert_uint_eq(ssd_le16(data + 2), 3);
	ck_assert_uint_eq(ssd_le16(data + 4), 0x102);

	ns_step_cmd(&detach_step, 4, data, &c);
	ck_assert_uint_eq(c.nsid, 2);
	ck_assert_uint_eq(c.cdw10, 1);

	/* 7814037167 is 1D1C0BEAFh. */
	ns_step_cmd(&lba_step, 0, data, &c);
	ck_assert_uint_eq(c.opcode, 0x09);
	ck_assert_uint_eq(c.nsid, 0);
	ck_assert_uint_eq(c.cdw10, 0xc1);
	ck_assert_uint_eq(c.cdw11, 0xd1c0beaf);
	ck_assert_uint_eq(c.cdw12, 1);
	ck_assert_uint_eq(c.data_len, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ns_plan");
	TCase *t = tcase_create("ns_plan");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(t, create, 0, ARRAY_SIZE(creates));
	tcase_add_test(t, thin);
	tcase_add_test(t, formats_beyond_sixteen);
	tcase_add_test(t, delete);
	tcase_add_test(t, attach);
	tcase_add_loop_test(t, max_lba, 0, ARRAY_SIZE(max_lbas));
	tcase_add_test(t, unknown_unit);
	tcase_add_test(t, by_namespaces);
	tcase_add_test(t, groups);
	tcase_add_test(t, commands);
	suite_add_tcase(suite, t);
	srunner_set_tap(runner, "-");
	srunner_run_all(runner, CK_SILENT);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
