/* SPDX-License-Identifier: MIT */
/*
 * Scope and plans of format and sanitize as tables. What FNA, SES and NSID reach: NVM Express Base Specification 2.0c, FNA
 * in figure 275 and "Format NVM - Operation Scope"; dwords: "Format NVM - Command Dword 10", "Sanitize - Command Dword 10".
 */
#include "check.h"

#include <ssdct/media.h>

#define ALL SSD_NSID_ALL
/* Attachment of namespaces 1, 2, ...: a to this controller, u to none or another. */
static struct media_facts drive(unsigned fna, const char *attached)
{
	struct media_facts f = {.serial = "SERIAL", .oacs = 0x2, .fna = (uint8_t)fna};

	f.n = strlen(attached);
	f.ns = ssd_calloc(f.n + 1, sizeof(*f.ns));
	for (size_t i = 0; i < f.n; i++)
		/* The formats of a P3700: 512, 512+8, 512+16, 4096, 4096+8, 4096+64, 4096+128. */
		f.ns[i] = (struct media_ns){.nsid = (uint32_t)i + 1,
					    .attached = attached[i] == 'a',
					    .elsewhere = -1,
					    .known = true,
					    .blocks = 1000,
					    .n_formats = 7,
					    .formats = {{512, 0, 2},
							{512, 8, 2},
							{512, 16, 2},
							{4096, 0, 0},
							{4096, 8, 0},
							{4096, 64, 0},
							{4096, 128, 0}},
					    .mc = 3,
					    .dpc = 0x1f,
					    .remaining_percent = -1};
	return f;
}

/* --- scope --- */

enum { NONE = MEDIA_ERASE_NONE, DATA = MEDIA_ERASE_USER_DATA, CRYPTO = MEDIA_ERASE_CRYPTO };
enum {
	OK = SSD_ERR_NONE,
	REFUSED = SSD_ERR_REFUSED,
	NOT_FOUND = SSD_ERR_NOT_FOUND,
	USAGE = SSD_ERR_USAGE,
	CANNOT = SSD_ERR_UNSUPPORTED
};

/* scope: 'f' formatted, 'e' erased only, '-' not reached. commands: NSIDs, * is FFFFFFFFh. */
static const struct {
	unsigned fna;
	const char *attached;
	uint32_t nsid;
	bool all;
	int erase;
	int code;
	const char *scope, *commands;
} scopes[] = {
	/* One namespace: nothing is wider than asked, whatever FNA says (970 EVO Plus, linux-nvme/nvme-cli#678). */
	{0, "a", 0, false, NONE, OK, "f", "1"},
	{0, "a", 1, false, NONE, OK, "f", "1"},
	{1, "a", 0, false, NONE, OK, "f", "1"},
	{3, "a", 1, false, CRYPTO, OK, "f", "1"},
	{8, "a", 0, true, NONE, OK, "f", "1"},
	{0, "a", 0, true, NONE, OK, "f", "1"},
	/* The controller of several: which one? */
	{0, "aa", 0, false, NONE, REFUSED, NULL, NULL},
	{0, "au", 0, false, NONE, REFUSED, NULL, NULL},
	{0, "u", 0, false, NONE, REFUSED, NULL, NULL},
	{0, "aa", 0, true, NONE, OK, "ff", "*"},
	/* FNA bit 0: every format is one of all. */
	{0, "aa", 2, false, NONE, OK, "-f", "2"},
	{1, "aa", 2, false, NONE, REFUSED, NULL, NULL},
	{1, "au", 1, false, NONE, REFUSED, NULL, NULL},
	{1, "aa", 2, false, DATA, REFUSED, NULL, NULL},
	{1, "aa", 2, true, NONE, OK, "ff", "*"},
	{1, "au", 1, true, NONE, OK, "ff", "*"},
	/* FNA bit 1: only with an erase. */
	{2, "aa", 2, false, NONE, OK, "-f", "2"},
	{2, "aa", 2, false, DATA, REFUSED, NULL, NULL},
	{2, "aa", 2, false, CRYPTO, REFUSED, NULL, NULL},
	{2, "aua", 0, true, DATA, OK, "fef", "*"},
	{2, "aua", 0, true, NONE, OK, "f-f", "*"},
	{3, "aua", 0, true, DATA, OK, "fff", "*"},
	/* A namespace and all of them: only what the drive does by itself. */
	{0, "a", 1, true, NONE, OK, "f", "1"},
	{0, "aa", 1, true, NONE, USAGE, NULL, NULL},
	{8, "aa", 1, true, DATA, USAGE, NULL, NULL},
	{2, "aa", 1, true, NONE, USAGE, NULL, NULL},
	{2, "aa", 2, true, DATA, OK, "ef", "2"},
	{2, "au", 2, true, DATA, NOT_FOUND, NULL, NULL},
	/* FFFFFFFFh reaches what is attached here. */
	{0, "aau", 0, true, DATA, OK, "ff-", "*"},
	{0, "uau", 0, true, NONE, OK, "-f-", "2"},
	{1, "uau", 0, true, NONE, OK, "fff", "*"},
	{0, "uu", 0, true, NONE, CANNOT, NULL, NULL},
	/* FNA bit 3: no FFFFFFFFh. */
	{8, "aau", 0, true, NONE, OK, "ff-", "1 2"},
	{9, "uaa", 0, true, NONE, OK, "fff", "2"},
	/* Bit 0 says nothing of what an erase reaches. */
	{9, "uaa", 0, true, DATA, OK, "fff", "2 3"},
	{11, "uaa", 0, true, DATA, OK, "fff", "2"},
	{10, "aau", 0, true, DATA, OK, "ffe", "1 2"},
	{8, "aa", 1, false, NONE, OK, "f-", "1"},
	/* Namespaces that are not there. */
	{0, "", 0, false, NONE, CANNOT, NULL, NULL},
	{0, "", 0, true, NONE, CANNOT, NULL, NULL},
	{0, "aa", 3, false, NONE, NOT_FOUND, NULL, NULL},
	{0, "au", 2, false, NONE, NOT_FOUND, NULL, NULL},
};

static void say(const struct media_facts *f, const struct media_scope *s, char scope[16], char commands[64])
{
	size_t len = 0;

	memset(scope, '-', f->n);
	scope[f->n] = '\0';
	for (size_t i = 0; i < s->n; i++)
		scope[s->nsids[i] - 1] = s->formatted[i] ? 'f' : 'e';
	for (size_t i = 0; i < s->n_commands; i++)
		len += (size_t)snprintf(commands + len, 64 - len, s->commands[i] == ALL ? "%s*" : "%s%u", i ? " " : "",
					s->commands[i]);
}

START_TEST(format_scope)
{
	struct media_facts f = drive(scopes[_i].fna, scopes[_i].attached);
	struct ssd_err err = SSD_ERR_INIT;
	char scope[16], commands[64] = "";
	struct media_scope s;
	int rc = media_scope_format(&f, scopes[_i].nsid, scopes[_i].all, (enum media_erase)scopes[_i].erase, &s, &err);

	ck_assert_int_eq(rc, scopes[_i].code == OK ? 0 : -1);
	ck_assert_int_eq((int)err.code, scopes[_i].code);
	if (rc) {
		ck_assert_msg(*err.message, "a refusal has a reason");
	} else {
		say(&f, &s, scope, commands);
		ck_assert_str_eq(scope, scopes[_i].scope);
		ck_assert_str_eq(commands, scopes[_i].commands);
	}
	media_scope_free(&s);
	media_facts_free(&f);
}
END_TEST

START_TEST(sanitize_scope)
{
	struct media_facts f = drive(0, "aua");
	struct media_scope s;

	media_scope_sanitize(&f, &s);
	ck_assert_uint_eq(s.n, 3);
	ck_assert_uint_eq(s.nsids[1], 2);
	media_scope_free(&s);
	media_facts_free(&f);
}
END_TEST

/* --- format --- */

/* Format, metadata bytes, placement, protection; -1 keeps what is. */
#define O(l, m, e, p) .lba_format = (l), .metadata_bytes = (m), .extended = (e), .protection = (p)

static const struct {
	const char *name;
	unsigned fna;
	struct media_format now;
	struct format_options o;
	int code;
	uint32_t cdw10;
} plans[] = {
	{"as it is", 0, {0}, {O(-1, -1, -1, -1)}, OK, 0x000},
	{"as it is, with protection",
	 0,
	 {.index = 4, .protection = 1, .extended = true},
	 {O(-1, -1, -1, -1)},
	 OK,
	 0x034},
	{"as it is, protection first",
	 0,
	 {.index = 1, .protection = 3, .protection_first = true},
	 {O(-1, -1, -1, -1)},
	 OK,
	 0x161},
	{"4096", 0, {0}, {O(-1, -1, -1, -1), .block_bytes = 4096}, OK, 0x003},
	{"4096 from protection: it goes",
	 0,
	 {.index = 1, .protection = 1},
	 {O(-1, -1, -1, -1), .block_bytes = 4096},
	 OK,
	 0x003},
	{"512", 0, {.index = 3}, {O(-1, -1, -1, -1), .block_bytes = 512}, OK, 0x000},
	{"1024", 0, {0}, {O(-1, -1, -1, -1), .block_bytes = 1024}, CANNOT, 0},
	{"index 6", 0, {0}, {O(6, -1, -1, -1)}, OK, 0x006},
	{"index 7 is NLBAF + 1", 0, {0}, {O(7, -1, -1, -1)}, CANNOT, 0},
	{"user data", 0, {0}, {O(-1, -1, -1, -1), .erase = MEDIA_ERASE_USER_DATA}, OK, 0x200},
	{"crypto", 4, {0}, {O(-1, -1, -1, -1), .erase = MEDIA_ERASE_CRYPTO}, OK, 0x400},
	{"crypto without FNA bit 2", 0, {0}, {O(-1, -1, -1, -1), .erase = MEDIA_ERASE_CRYPTO}, CANNOT, 0},
	{"4096+8 separate", 0, {0}, {O(-1, 8, -1, -1), .block_bytes = 4096}, OK, 0x004},
	{"4096+8 extended", 0, {0}, {O(-1, 8, 1, -1), .block_bytes = 4096}, OK, 0x014},
	{"4096+16", 0, {0}, {O(-1, 16, -1, -1), .block_bytes = 4096}, CANNOT, 0},
	{"extended without metadata", 0, {0}, {O(3, -1, 1, -1)}, CANNOT, 0},
	{"type 1", 0, {0}, {O(4, -1, -1, 1)}, OK, 0x024},
	{"type 2 first", 0, {0}, {O(4, -1, -1, 2), .protection_first = true}, OK, 0x144},
	{"type 1 without metadata", 0, {0}, {O(3, -1, -1, 1)}, CANNOT, 0},
	{"protection off", 0, {.index = 1, .protection = 1}, {O(-1, -1, -1, 0)}, OK, 0x001},
	{"first of nothing", 0, {.index = 1}, {O(-1, -1, -1, -1), .protection_first = true}, SSD_ERR_USAGE, 0},
};

START_TEST(format_plans)
{
	struct media_facts f = drive(plans[_i].fna, "a");
	struct ssd_err err = SSD_ERR_INIT;
	struct format_plan p;
	struct ssd_cmd cmd;
	int rc;

	f.ns[0].format = plans[_i].now;
	rc = format_plan(&f, 1, &plans[_i].o, &p, &err);
	ck_assert_msg((int)err.code == plans[_i].code && rc == (plans[_i].code == OK ? 0 : -1), "%s: %d %s",
		      plans[_i].name, err.code, err.message);
	if (!rc) {
		format_plan_cmd(&p, 0, &cmd);
		ck_assert_msg(cmd.cdw10 == plans[_i].cdw10, "%s: cdw10 %#x", plans[_i].name, cmd.cdw10);
		ck_assert_uint_eq(cmd.opcode, 0x80);
		ck_assert_uint_eq(cmd.nsid, 1);
	}
	format_plan_free(&p);
	media_facts_free(&f);
}
END_TEST

static enum ssd_err_code code_of(struct media_facts *f, const struct format_options *o, struct format_plan *p)
{
	struct ssd_err err = SSD_ERR_INIT;

	format_plan(f, 1, o, p, &err);
	return err.code;
}

START_TEST(format_choice)
{
	const struct format_options o = {O(-1, -1, -1, -1), .block_bytes = 4096}, keep = {O(-1, -1, -1, -1)};
	struct media_facts f = drive(0, "a");
	struct format_plan p;

	/* Two formats of 4096 bytes: the faster; of equals the one in use. */
	f.ns[0].formats[5] = (struct media_lbaf){4096, 0, 1};
	ck_assert_int_eq(code_of(&f, &o, &p), OK);
	ck_assert_uint_eq(p.targets[0].index, 3);
	format_plan_free(&p);
	f.ns[0].formats[5].performance = 0;
	f.ns[0].format.index = 5;
	ck_assert_int_eq(code_of(&f, &o, &p), OK);
	ck_assert_uint_eq(p.targets[0].index, 5);
	format_plan_free(&p);
	/* Placement and protection that the drive does not have. */
	f.ns[0].mc = 2;
	ck_assert_int_eq(code_of(&f, &(struct format_options){O(4, -1, 1, -1)}, &p), CANNOT);
	format_plan_free(&p);
	f.ns[0].mc = 1;
	ck_assert_int_eq(code_of(&f, &(struct format_options){O(4, -1, -1, -1)}, &p), OK);
	ck_assert(p.targets[0].extended);
	format_plan_free(&p);
	f.ns[0].dpc = 0x11;
	ck_assert_int_eq(code_of(&f, &(struct format_options){O(4, -1, -1, 3)}, &p), CANNOT);
	format_plan_free(&p);
	ck_assert_int_eq(code_of(&f, &(struct format_options){O(4, -1, -1, 1), .protection_first = true}, &p), CANNOT);
	format_plan_free(&p);
	/* The format in use is none that the drive has: beyond NLBAF, or without a block size (LBADS 0). */
	f.ns[0].format.index = 7;
	ck_assert_int_eq(code_of(&f, &keep, &p), CANNOT);
	format_plan_free(&p);
	ck_assert_int_eq(code_of(&f, &o, &p), OK);
	format_plan_free(&p);
	f.ns[0].format.index = 6;
	f.ns[0].formats[6] = (struct media_lbaf){0, 8, 0};
	ck_assert_int_eq(code_of(&f, &keep, &p), CANNOT);
	format_plan_free(&p);
	ck_assert_int_eq(code_of(&f, &(struct format_options){O(-1, 8, -1, -1)}, &p), CANNOT);
	format_plan_free(&p);
	f.ns[0].format.index = 0;
	/* More than 16 formats: bits 13:12. */
	f.ns[0].n_formats = 35;
	f.ns[0].formats[34] = (struct media_lbaf){4096, 0, 0};
	ck_assert_int_eq(code_of(&f, &(struct format_options){O(34, -1, -1, -1)}, &p), OK);
	ck_assert_uint_eq(p.cdw10[0], 0x2002);
	format_plan_free(&p);
	/* What keeps a drive from being formatted. */
	f.busy_with = "a self-test";
	ck_assert_int_eq(code_of(&f, &keep, &p), REFUSED);
	format_plan_free(&p);
	f.busy_with = NULL;
	f.failure_mode = true;
	ck_assert_int_eq(code_of(&f, &keep, &p), REFUSED);
	format_plan_free(&p);
	f.failure_mode = false;
	f.oacs = 0;
	ck_assert_int_eq(code_of(&f, &keep, &p), CANNOT);
	format_plan_free(&p);
	media_facts_free(&f);
}
END_TEST

/* Of two namespaces with formats 0 and 3, each keeps its own: a command for each, and one erases all where one does. */
static void check_each_its_own(struct media_facts *f, uint8_t fna, enum media_erase erase, uint32_t first,
			       uint32_t second)
{
	struct format_options o = {O(-1, -1, -1, -1), .all_namespaces = true, .erase = erase};
	struct format_plan p;

	f->fna = fna;
	ck_assert_int_eq(format_plan(f, 0, &o, &p, NULL), 0);
	ck_assert_uint_eq(p.scope.n_commands, 2);
	ck_assert_uint_eq(p.scope.commands[0], 1);
	ck_assert_uint_eq(p.scope.commands[1], 2);
	ck_assert_uint_eq(p.cdw10[0], first);
	ck_assert_uint_eq(p.cdw10[1], second);
	format_plan_free(&p);
}

/* Namespaces of different formats: together only to a format that was said; one by one each keeps its own. */
START_TEST(format_mixed)
{
	struct media_facts f = drive(1, "aa");
	struct format_plan p;

	f.ns[1].format.index = 3;
	ck_assert_int_eq(code_of(&f, &(struct format_options){O(-1, -1, -1, -1), .all_namespaces = true}, &p), REFUSED);
	format_plan_free(&p);
	ck_assert_int_eq(code_of(&f, &(struct format_options){O(3, -1, -1, -1), .all_namespaces = true}, &p), OK);
	format_plan_free(&p);
	check_each_its_own(&f, 8, MEDIA_ERASE_NONE, 0, 3);
	check_each_its_own(&f, 0, MEDIA_ERASE_NONE, 0, 3);
	check_each_its_own(&f, 0, MEDIA_ERASE_USER_DATA, 0x200, 0x203);
	check_each_its_own(&f, 2, MEDIA_ERASE_USER_DATA, 0x200, 3);
	f.fna = 0;
	ck_assert_int_eq(
		format_plan(&f, 0, &(struct format_options){O(3, -1, -1, -1), .all_namespaces = true}, &p, NULL), 0);
	ck_assert_uint_eq(p.scope.n_commands, 1);
	ck_assert_uint_eq(p.scope.commands[0], SSD_NSID_ALL);
	ck_assert_uint_eq(p.cdw10[0], 3);
	format_plan_free(&p);
	media_facts_free(&f);
}
END_TEST

/* An hour for each terabyte begun, of blocks of 512 bytes. */
START_TEST(format_timeout)
{
	static const struct {
		uint64_t blocks;
		uint32_t ms;
	} rows[] = {
		{0, 3600000},
		{1, 3600000},
		{1953125000, 3600000}, /* 1 TB */
		{1953125001, 7200000},
		{31250000000, 57600000}, /* 16 TB */
		{UINT64_MAX, INT32_MAX},
	};
	struct media_facts f = drive(0, "a");
	struct format_plan p;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		f.ns[0].blocks = rows[i].blocks;
		ck_assert_int_eq(code_of(&f, &(struct format_options){O(-1, -1, -1, -1)}, &p), OK);
		ck_assert_uint_eq(p.timeout_ms, rows[i].ms);
		format_plan_free(&p);
	}
	media_facts_free(&f);
}
END_TEST

/* --- sanitize --- */

static const struct {
	uint32_t sanicap;
	struct sanitize_options o;
	int code;
	uint32_t cdw10, cdw11;
} sanitizes[] = {
	{7, {SSD_SANACT_BLOCK}, OK, 0x002, 0},
	{7, {SSD_SANACT_CRYPTO}, OK, 0x004, 0},
	{7, {SSD_SANACT_OVERWRITE}, OK, 0x013, 0},
	{7, {SSD_SANACT_OVERWRITE, .passes = 3, .pattern = 0xdeadbeef, .invert = true}, OK, 0x133, 0xdeadbeef},
	{7, {SSD_SANACT_OVERWRITE, .passes = 16}, OK, 0x003, 0},
	{7, {SSD_SANACT_OVERWRITE, .passes = 17}, SSD_ERR_USAGE, 0, 0},
	{7, {SSD_SANACT_BLOCK, .no_deallocate = true, .unrestricted_exit = true}, OK, 0x20a, 0},
	{0x20000007, {SSD_SANACT_BLOCK, .no_deallocate = true}, CANNOT, 0, 0},
	{2, {SSD_SANACT_CRYPTO}, CANNOT, 0, 0},
	{1, {SSD_SANACT_BLOCK}, CANNOT, 0, 0},
	{3, {SSD_SANACT_OVERWRITE}, CANNOT, 0, 0},
	{0, {SSD_SANACT_BLOCK}, CANNOT, 0, 0},
};

START_TEST(sanitize_plans)
{
	struct media_facts f = drive(0, "a");
	struct ssd_err err = SSD_ERR_INIT;
	struct sanitize_plan p;
	struct ssd_cmd cmd;

	f.sanicap = sanitizes[_i].sanicap;
	f.sanitizes = f.sanicap & 7;
	sanitize_plan(&f, &sanitizes[_i].o, &p, &err);
	ck_assert_int_eq((int)err.code, sanitizes[_i].code);
	if (!err.code) {
		sanitize_plan_cmd(&p, &cmd);
		ck_assert_uint_eq(cmd.opcode, 0x84);
		ck_assert_uint_eq(cmd.cdw10, sanitizes[_i].cdw10);
		ck_assert_uint_eq(cmd.cdw11, sanitizes[_i].cdw11);
	}
	sanitize_plan_free(&p);
	media_facts_free(&f);
}
END_TEST

START_TEST(sanitize_failure)
{
	const struct sanitize_options block = {SSD_SANACT_BLOCK}, loose = {SSD_SANACT_BLOCK, .unrestricted_exit = true};
	struct media_facts f = drive(0, "a");
	struct ssd_err err = SSD_ERR_INIT;
	struct sanitize_plan p;

	f.sanicap = 7;
	f.sanitizes = true;
	f.log.estimates[1] = 120;
	f.log.estimates[4] = UINT32_MAX;
	ck_assert_int_eq(sanitize_plan(&f, &block, &p, &err), 0);
	ck_assert_int_eq(p.estimate_seconds, 120);
	sanitize_plan_free(&p);
	ck_assert_int_eq(
		sanitize_plan(&f, &(struct sanitize_options){SSD_SANACT_BLOCK, .no_deallocate = true}, &p, &err), 0);
	ck_assert_int_eq(p.estimate_seconds, -1);
	sanitize_plan_free(&p);
	ck_assert_int_eq(sanitize_plan_exit(&f, &p, &err), -1);
	ck_assert_int_eq(err.code, SSD_ERR_REFUSED);
	/* Failed in restricted mode: only one that succeeds ends it, and it may not be unrestricted. */
	f.failure_mode = true;
	f.log.state = SSD_SANITIZE_FAILED;
	f.log.cdw10 = 2;
	ck_assert_int_eq(sanitize_plan_exit(&f, &p, &err), -1);
	ck_assert_int_eq(err.code, SSD_ERR_UNSUPPORTED);
	ck_assert_int_eq(sanitize_plan(&f, &block, &p, &err), 0);
	sanitize_plan_free(&p);
	ck_assert_int_eq(sanitize_plan(&f, &loose, &p, &err), -1);
	sanitize_plan_free(&p);
	f.log.cdw10 = 0xa;
	ck_assert_int_eq(sanitize_plan_exit(&f, &p, &err), 0);
	ck_assert_uint_eq(p.cdw10, 1);
	sanitize_plan_free(&p);
	f.busy_with = "a sanitize operation";
	ck_assert_int_eq(sanitize_plan(&f, &block, &p, &err), -1);
	sanitize_plan_free(&p);
	media_facts_free(&f);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("media_plan");
	TCase *t = tcase_create("tables");
	SRunner *runner;
	int failed;

	tcase_add_loop_test(t, format_scope, 0, ARRAY_SIZE(scopes));
	tcase_add_test(t, sanitize_scope);
	tcase_add_loop_test(t, format_plans, 0, ARRAY_SIZE(plans));
	tcase_add_test(t, format_choice);
	tcase_add_test(t, format_mixed);
	tcase_add_test(t, format_timeout);
	tcase_add_loop_test(t, sanitize_plans, 0, ARRAY_SIZE(sanitizes));
	tcase_add_test(t, sanitize_failure);
	suite_add_tcase(suite, t);
	runner = srunner_create(suite);
	srunner_set_tap(runner, "-");
	srunner_run_all(runner, CK_SILENT);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
