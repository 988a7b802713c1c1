/* SPDX-License-Identifier: MIT */
/*
 * Facts from a drive that is made here: answers that are too short, revisions that are no text, and a drive that does not
 * say which slot runs. Offsets: NVM Express Base Specification 2.0c, figures 275 (Identify) and 207 (slot log).
 */
#include "check.h"

#include <ssdct/fw.h>
#include <ssdct/le.h>

struct fake {
	struct ssd_transport t;
	uint8_t id[4096], log[512];
	size_t id_bytes, log_bytes; /* what it returns of them */
};

static int submit(struct ssd_transport *t, const struct ssd_cmd *c, struct ssd_cpl *cpl)
{
	struct fake *f = (struct fake *)t;

	cpl->status = 0;
	if (c->opcode == 0x06)
		memcpy(c->data, f->id, f->id_bytes);
	else if ((c->cdw10 & 0xff) == 3)
		memcpy(c->data, f->log, f->log_bytes);
	else
		cpl->status = 0x4109;
	return 0;
}

static struct fake fake(uint8_t afi, const char *running, const char *slots[7])
{
	struct fake f = {.t = {.submit = submit}, .id_bytes = 4096, .log_bytes = 512};

	memset(f.id + 4, ' ', 68);
	memcpy(f.id + 4, "SERIAL", 6);
	memcpy(f.id + 24, "MODEL", 5);
	memcpy(f.id + 64, running, strlen(running));
	f.id[256] = 4;
	f.id[260] = 0x06; /* three slots */
	f.log[0] = afi;
	for (size_t i = 0; i < 7 && slots[i]; i++)
		memcpy(f.log + 8 + 8 * i, slots[i], strlen(slots[i]));
	return f;
}

static int read_facts(struct fake *f, struct fw_facts *facts, struct ssd_err *err)
{
	static const struct ssd_drive drive = {.device = "nvme0", .pci_device = -1};
	struct ssd_device dev = {.drive = &drive, .transport = &f->t};
	int rc;

	*err = (struct ssd_err)SSD_ERR_INIT;
	rc = fw_facts_read(&dev, facts, err);
	free(dev.id_ctrl);
	return rc;
}

/* The last fields that are used are SANICAP, up to byte 331, and FRS7, up to byte 63. */
START_TEST(short_answers)
{
	static const struct {
		size_t id, log;
		bool enough;
	} lengths[] = {{4096, 512, true}, {332, 64, true},   {331, 512, false}, {260, 512, false},
		       {72, 512, false},  {4096, 63, false}, {4096, 8, false},  {4096, 1, false}};

	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		struct fake f = fake(1, "OLD", (const char *[7]){"OLD", "B", "C", "D", "E", "F", "G"});
		struct fw_facts facts;
		struct ssd_err err;

		memset(f.id + 320, 1, 20);
		memset(f.log + 56, 'x', 8);
		f.id_bytes = lengths[i].id;
		f.log_bytes = lengths[i].log;
		ck_assert_int_eq(read_facts(&f, &facts, &err), lengths[i].enough ? 0 : -1);
		ck_assert_int_eq(err.code, lengths[i].enough ? SSD_ERR_NONE : SSD_ERR_NOT_WRITTEN);
		ck_assert_int_eq(ssd_err_exit(&err), lengths[i].enough ? 0 : 1);
	}
}
END_TEST

START_TEST(bytes_that_are_no_text)
{
	struct fake f = fake(1, "A\x80 C", (const char *[7]){"A\x80 C", "A\x81 C", "A? C"});
	struct fw_facts facts;
	struct ssd_err err;

	ck_assert_int_eq(read_facts(&f, &facts, &err), 0);
	ck_assert_str_eq(facts.running_revision, facts.revisions[0]);
	ck_assert_str_ne(facts.running_revision, facts.revisions[1]);
	ck_assert_str_ne(facts.running_revision, facts.revisions[2]);
	ck_assert_str_ne(facts.revisions[1], facts.revisions[2]);
	ck_assert_str_eq(fw_shown(facts.revisions[0]).s, "A\\x80 C");
	ck_assert_str_eq(fw_shown(facts.revisions[1]).s, "A\\x81 C");
	ck_assert_str_eq(fw_shown(facts.revisions[2]).s, "A? C");
	ck_assert_str_eq(fw_shown("\x1b[2J\x7f\xff\xff\xff").s, "\\x1B[2J\\x7F\\xFF\\xFF\\xFF");
}
END_TEST

/* AFI 0: the slot whose revision runs, when there is only one. */
static const struct {
	uint8_t afi;
	const char *slots[7];
	unsigned running;
} inferences[] = {
	{0x01, {"X", "OLD"}, 1}, {0x00, {"OLD", "X"}, 1},   {0x00, {"X", "OLD"}, 2},        {0x20, {"OLD", "NEW"}, 1},
	{0x00, {"X", "Y"}, 0},   {0x00, {"OLD", "OLD"}, 0}, {0x00, {"OLD", "X", "OLD"}, 0}, {0x00, {NULL}, 0},
};

START_TEST(running_slot)
{
	struct fake f = fake(inferences[_i].afi, "OLD", (const char **)inferences[_i].slots);
	struct fw_facts facts;
	struct ssd_err err;

	ck_assert_int_eq(read_facts(&f, &facts, &err), 0);
	ck_assert_uint_eq(fw_running_slot(&facts), inferences[_i].running);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("fw_facts");
	TCase *t = tcase_create("fw_facts");
	SRunner *runner;
	int failed;

	tcase_add_test(t, short_answers);
	tcase_add_test(t, bytes_that_are_no_text);
	tcase_add_loop_test(t, running_slot, 0, ARRAY_SIZE(inferences));
	suite_add_tcase(suite, t);
	runner = srunner_create(suite);
	srunner_set_tap(runner, "-");
	srunner_run_all(runner, CK_SILENT);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
