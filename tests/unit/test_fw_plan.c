/* SPDX-License-Identifier: MIT */
/*
 * The plan as tables. Slots, actions and pieces follow NVM Express Base Specification 2.0c (FRMW: figure 275, CDW10 and
 * CDW11 of both commands: figures 184, 188, 189); the choices are those of the contract.
 */
#include "check.h"

#include <ssdct/fw.h>

/* A drive with FWUG 1 and MDTS 5 (128 KiB) that runs slot 1. */
static struct fw_facts drive(unsigned frmw, unsigned afi)
{
	return (struct fw_facts){.model = "MODEL",
				 .serial = "SERIAL",
				 .running_revision = "O",
				 .vid = 0x8086,
				 .pci_device = -1,
				 .oacs = 4,
				 .frmw = (uint8_t)frmw,
				 .afi = (uint8_t)afi,
				 .fwug = 1,
				 .mdts = 5};
}

static int plan(const struct fw_facts *f, size_t size, const struct fw_options *o, struct fw_plan *p,
		enum ssd_err_code *code)
{
	struct ssd_err err = SSD_ERR_INIT;
	int rc = fw_plan(f, size, o, 0, p, &err);

	*code = err.code;
	if (rc)
		ck_assert_msg(*err.message, "a refusal has a reason");
	return rc;
}

/* Revisions: a letter per slot, '-' is an empty one. */
static const struct {
	unsigned frmw, afi;
	const char *slots;
	unsigned wanted;
	int slot; /* -1: it cannot be, -2: refused */
} slot_table[] = {
	{0x00, 0x01, "A------", 0, -1}, /* no slots: invalid */
	{0x02, 0x01, "A------", 0, 1},  /* one slot, the running one */
	{0x03, 0x01, "A------", 0, -1}, /* one slot, read-only */
	{0x13, 0x01, "A------", 0, -1},
	{0x1a, 0x01, "A------", 0, 2}, /* five slots */
	{0x1a, 0x01, "AB-----", 0, 3}, /* an empty one first */
	{0x1a, 0x01, "ABCDE--", 0, 2}, /* none empty: the first that is neither running nor next */
	{0x1a, 0x21, "ABCDE--", 0, 3}, /* 2 is next */
	{0x1f, 0x02, "AB-----", 0, 3}, /* seven slots, 1 read-only */
	{0x1f, 0x02, "ABCDEFG", 0, 3},
	{0x04, 0x01, "AB-----", 0, 2}, /* two slots */
	{0x04, 0x21, "AB-----", 0, 2}, /* the other one is next: it is replaced, not the running one */
	{0x05, 0x02, "AB-----", 0, 2}, /* slot 1 read-only, slot 2 running: it stays updatable */
	{0x05, 0x01, "A------", 0, 2},
	{0x1a, 0x01, "A------", 1, 1}, /* the running one, because it was asked for */
	{0x1a, 0x01, "A------", 5, 5},
	{0x1a, 0x01, "A------", 6, -1}, /* beyond the last */
	{0x1f, 0x02, "AB-----", 1, -1}, /* read-only */
	/* The drive does not say what runs, and no revision tells ("O" runs): none is guessed, unless it is the only one. */
	{0x0e, 0x00, "A------", 0, -2},
	{0x0e, 0x00, "O-O----", 0, -2},
	{0x0e, 0x00, "O------", 0, 2},
	{0x0e, 0x00, "AO-----", 0, 3},
	{0x04, 0x00, "AO-----", 0, 1},
	{0x0e, 0x00, "A------", 3, 3},
	{0x02, 0x00, "A------", 0, 1},
	{0x05, 0x00, "A------", 0, 2},
};

START_TEST(slots)
{
	struct fw_facts f = drive(slot_table[_i].frmw, slot_table[_i].afi);
	struct fw_options o = {.slot = slot_table[_i].wanted, .activate = FW_LATER};
	enum ssd_err_code code;
	struct fw_plan p;
	int rc;

	for (unsigned i = 0; i < FW_SLOTS; i++)
		if (slot_table[_i].slots[i] != '-')
			f.revisions[i][0] = slot_table[_i].slots[i];
	rc = plan(&f, 8192, &o, &p, &code);
	if (slot_table[_i].slot < 0) {
		ck_assert_int_eq(rc, -1);
		ck_assert_int_eq(code, slot_table[_i].slot == -1 ? SSD_ERR_UNSUPPORTED : SSD_ERR_REFUSED);
	} else {
		ck_assert_int_eq(rc, 0);
		ck_assert_uint_eq(p.slot, (unsigned)slot_table[_i].slot);
		ck_assert_uint_eq(p.replaces_running, p.slot == fw_running_slot(&f));
	}
}
END_TEST

/* Bugs 39 and 40: FWUG 0, FFh, larger than MDTS; sizes that are no multiple. */
static const struct {
	unsigned fwug, mdts, kernel;
	size_t size;
	uint32_t piece; /* 0: refused */
	size_t pieces;
	uint32_t last;
} piece_table[] = {
	{0, 5, 0, 1 << 20, 4096, 256, 4096},
	{0xff, 5, 0, 1 << 20, 4096, 256, 4096},
	{1, 0, 0, 1 << 20, 4096, 256, 4096},
	{2, 5, 0, 1 << 20, 8192, 128, 8192},
	{32, 5, 0, 1 << 20, 131072, 8, 131072},
	{33, 5, 0, 1 << 20, 4096, 256, 4096},    /* 132 KiB > 128 KiB */
	{254, 0, 0, 4 << 20, 1040384, 5, 32768}, /* no limit is known */
	{2, 1, 0, 1 << 20, 8192, 128, 8192},
	{3, 1, 0, 1 << 20, 4096, 256, 4096},
	{4, 5, 8192, 1 << 20, 4096, 256, 4096}, /* the kernel's limit counts too */
	{1, 5, 0, 2629692, 4096, 643, 60},      /* nvme-cli#1808: a multiple of 4, not of the granularity */
	{1, 5, 0, 2629637, 0, 0, 0},            /* there as well: no multiple of 4 */
	{1, 5, 0, 4, 4096, 1, 4},
	{1, 5, 0, 0, 0, 0, 0},
	{1, 5, 0, (64u << 20) + 4, 0, 0, 0},
	{1, 5, 0, 64u << 20, 4096, 16384, 4096},
};

START_TEST(pieces)
{
	struct fw_facts f = drive(0x02, 1);
	struct fw_options o = {.activate = FW_LATER};
	enum ssd_err_code code;
	struct ssd_cmd cmd = {0};
	struct fw_plan p;
	uint64_t sum = 0;
	int rc;

	f.fwug = (uint8_t)piece_table[_i].fwug;
	f.mdts = (uint8_t)piece_table[_i].mdts;
	f.max_transfer = piece_table[_i].kernel;
	rc = plan(&f, piece_table[_i].size, &o, &p, &code);
	if (!piece_table[_i].piece) {
		ck_assert_int_eq(rc, -1);
		ck_assert_int_eq(code, SSD_ERR_BAD_INPUT);
		return;
	}
	ck_assert_uint_eq(p.chunk_bytes, piece_table[_i].piece);
	ck_assert_uint_eq(p.chunks, piece_table[_i].pieces);
	for (size_t k = 0; k < p.chunks; k++) {
		fw_plan_download_cmd(&p, k, &cmd);
		ck_assert_uint_eq(cmd.opcode, 0x11);
		ck_assert_uint_eq(cmd.cdw11, sum / 4); /* bug 42: dwords */
		ck_assert_uint_eq(cmd.cdw10, cmd.data_len / 4 - 1);
		sum += cmd.data_len;
	}
	ck_assert_uint_eq(cmd.data_len, piece_table[_i].last);
	ck_assert_uint_eq(sum, piece_table[_i].size);
}
END_TEST

START_TEST(conflict_is_said_before_the_first_byte)
{
	struct fw_facts f = drive(0x02, 1);
	struct fw_options o = {.activate = FW_LATER};
	enum ssd_err_code code;
	struct fw_plan p;

	f.fwug = 64;
	ck_assert_int_eq(plan(&f, 8192, &o, &p, &code), 0);
	ck_assert_uint_eq(p.n_notes, 2);
	ck_assert_ptr_nonnull(strstr(p.notes[0], "slot 1 is the running one"));
	ck_assert_ptr_nonnull(strstr(p.notes[1], "FWUG"));
}
END_TEST

/* CDW10 of the commit: slot in bits 2:0, action in bits 5:3. */
static const struct {
	enum fw_activate activate;
	unsigned frmw;
	uint32_t cdw10; /* 0: refused */
} action_table[] = {
	{FW_STORE, 0x04, 0x02}, {FW_LATER, 0x04, 0x0a}, {FW_RESET, 0x04, 0x0a}, {FW_NOW, 0x14, 0x1a}, {FW_NOW, 0x04, 0},
};

START_TEST(actions)
{
	struct fw_facts f = drive(action_table[_i].frmw, 1);
	struct fw_options o = {.activate = action_table[_i].activate};
	enum ssd_err_code code;
	struct ssd_cmd cmd;
	struct fw_plan p;
	int rc = plan(&f, 8192, &o, &p, &code);

	if (!action_table[_i].cdw10) {
		ck_assert_int_eq(rc, -1);
		ck_assert_int_eq(code, SSD_ERR_UNSUPPORTED);
		return;
	}
	fw_plan_commit_cmd(&p, &cmd);
	ck_assert_uint_eq(cmd.opcode, 0x10);
	ck_assert_uint_eq(cmd.cdw10, action_table[_i].cdw10);
}
END_TEST

START_TEST(refusals)
{
	struct fw_options o = {.activate = FW_LATER};
	enum ssd_err_code code;
	struct fw_facts f;
	struct fw_plan p;

	f = drive(0x02, 1);
	f.oacs = 0xfb; /* everything but bit 2 */
	ck_assert_int_eq(plan(&f, 8192, &o, &p, &code), -1);
	ck_assert_int_eq(code, SSD_ERR_UNSUPPORTED);
	f = drive(0x02, 1);
	f.busy_with = "a device self-test";
	ck_assert_int_eq(plan(&f, 8192, &o, &p, &code), -1);
	ck_assert_int_eq(code, SSD_ERR_REFUSED);
}
END_TEST

START_TEST(already_current)
{
	struct fw_options o = {.activate = FW_LATER, .expect = "O"};
	struct fw_facts f = drive(0x03, 1); /* could not even be written */
	enum ssd_err_code code;
	struct fw_plan p;

	ck_assert_int_eq(plan(&f, 8192, &o, &p, &code), 0);
	ck_assert(p.already_current);
	o.expect = "OLDER";
	f = drive(0x02, 1);
	ck_assert_int_eq(plan(&f, 8192, &o, &p, &code), 0);
	ck_assert(!p.already_current);
}
END_TEST

/* MTFA is in units of 100 ms; MTFA plus 20 s, or what was asked for. */
START_TEST(waiting)
{
	struct fw_options o = {.activate = FW_LATER};
	struct fw_facts f = drive(0x02, 1);
	struct fw_plan p;

	ck_assert_int_eq(fw_plan(&f, 8192, &o, 0, &p, NULL), 0);
	ck_assert_uint_eq(p.wait_seconds, 20);
	f.mtfa_100ms = 105;
	ck_assert_int_eq(fw_plan(&f, 8192, &o, 0, &p, NULL), 0);
	ck_assert_uint_eq(p.wait_seconds, 31);
	ck_assert_int_eq(fw_plan(&f, 8192, &o, 3, &p, NULL), 0);
	ck_assert_uint_eq(p.wait_seconds, 3);
	/* Ten minutes of MTFA at most, and that is said. */
	f.mtfa_100ms = 6000;
	ck_assert_int_eq(fw_plan(&f, 8192, &o, 0, &p, NULL), 0);
	ck_assert_uint_eq(p.wait_seconds, 620);
	ck_assert_uint_eq(p.n_notes, 1); /* the running slot is overwritten */
	f.mtfa_100ms = 65535;
	ck_assert_int_eq(fw_plan(&f, 8192, &o, 0, &p, NULL), 0);
	ck_assert_uint_eq(p.wait_seconds, 620);
	ck_assert_ptr_nonnull(strstr(p.notes[0], "6554 s (MTFA)"));
	ck_assert_int_eq(fw_plan(&f, 8192, &o, 3000, &p, NULL), 0);
	ck_assert_uint_eq(p.wait_seconds, 3000);
	ck_assert_uint_eq(p.n_notes, 1);
}
END_TEST

/* fwupd's nvme.quirk: Phison wants whole pieces filled with FFh and a full shutdown. */
START_TEST(quirks)
{
	struct fw_options o = {.activate = FW_RESET};
	struct fw_facts f = drive(0x02, 1);
	struct fw_plan p;

	f.vid = 0x1987;
	f.fwug = 2;
	ck_assert_int_eq(fw_plan(&f, 8195, &o, 0, &p, NULL), 0);
	ck_assert_uint_eq(p.padded_size, 16384);
	ck_assert_uint_eq(p.chunks, 2);
	ck_assert(p.quirks & FW_QUIRK_POWER_CYCLE);
	f.vid = 0x1c5c;
	ck_assert_ptr_null(fw_quirk_find(&f));
	f.pci_device = 0x1d59;
	ck_assert_ptr_nonnull(strstr(fw_quirk_find(&f)->source, "https://"));
	o.activate = FW_NOW;
	f.frmw = 0x12;
	ck_assert_int_eq(fw_plan(&f, 8192, &o, 0, &p, NULL), -1);
}
END_TEST

/* Bug 54, nvme-cli#450: action 2 needs a slot, and one that holds something. */
static const struct {
	unsigned slot, action;
	enum ssd_err_code code;
} commit_table[] = {
	{1, 1, SSD_ERR_UNSUPPORTED}, {2, 0, SSD_ERR_NONE},        {2, 1, SSD_ERR_NONE},        {0, 1, SSD_ERR_NONE},
	{0, 2, SSD_ERR_USAGE},       {2, 2, SSD_ERR_NONE},        {3, 2, SSD_ERR_UNSUPPORTED}, {1, 2, SSD_ERR_NONE},
	{2, 3, SSD_ERR_UNSUPPORTED}, {4, 1, SSD_ERR_UNSUPPORTED},
};

START_TEST(commits)
{
	struct fw_facts f = drive(0x07, 2); /* three slots, the first read-only */
	struct ssd_err err = SSD_ERR_INIT;
	struct fw_plan p;
	int rc;

	strcpy(f.revisions[0], "A");
	strcpy(f.revisions[1], "B");
	rc = fw_plan_commit(&f, commit_table[_i].slot, commit_table[_i].action, 0, &p, &err);
	ck_assert_int_eq(rc, commit_table[_i].code ? -1 : 0);
	ck_assert_int_eq(err.code, commit_table[_i].code);
}
END_TEST

/* NVMe 2.0c, figure 184: action 3 takes a downloaded image first; a slot that cannot be written keeps its own. */
START_TEST(what_action_3_takes_is_said)
{
	struct fw_facts f = drive(0x17, 2);
	struct fw_plan p;

	ck_assert_int_eq(fw_plan_commit(&f, 2, 3, 0, &p, NULL), 0);
	ck_assert_uint_eq(p.n_notes, 1);
	ck_assert_ptr_nonnull(strstr(p.notes[0], "never committed replaces slot 2"));
	ck_assert_int_eq(fw_plan_commit(&f, 1, 3, 0, &p, NULL), 0);
	ck_assert_uint_eq(p.n_notes, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("fw_plan");
	TCase *t = tcase_create("fw_plan");
	SRunner *runner;
	int failed;

	tcase_add_loop_test(t, slots, 0, ARRAY_SIZE(slot_table));
	tcase_add_loop_test(t, pieces, 0, ARRAY_SIZE(piece_table));
	tcase_add_loop_test(t, actions, 0, ARRAY_SIZE(action_table));
	tcase_add_loop_test(t, commits, 0, ARRAY_SIZE(commit_table));
	tcase_add_test(t, what_action_3_takes_is_said);
	tcase_add_test(t, conflict_is_said_before_the_first_byte);
	tcase_add_test(t, refusals);
	tcase_add_test(t, already_current);
	tcase_add_test(t, waiting);
	tcase_add_test(t, quirks);
	suite_add_tcase(suite, t);
	runner = srunner_create(suite);
	srunner_set_tap(runner, "-");
	srunner_run_all(runner, CK_SILENT);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
