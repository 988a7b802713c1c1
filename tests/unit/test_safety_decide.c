/* SPDX-License-Identifier: MIT */
/* The decision over all combinations of facts. What must hold is written here from CONTRACT section 5, not from the code. */
#include "check.h"

#include "safety/parts.h"

#define SERIAL "CVFT5152003M2P0EGN"

static const struct ssd_use uses[] = {
	{SSD_USE_MOUNT, 1, "nvme0n1p2", "/srv", 0},
	{SSD_USE_SWAP, 1, "nvme0n1p3", "", 0},
	{SSD_USE_HOLDER, 1, "nvme0n1", "md0", 0},
	{SSD_USE_EXCLUSIVE, 1, "nvme0n1", "the kernel refuses exclusive access", 0},
	{SSD_USE_OPENER, 1, "nvme0n1", "qemu-system-x86", 4711},
	{SSD_USE_SIGNATURE, 1, "nvme0n1", "zfs_member", 0},
	{SSD_USE_NO_NODE, 2, "", "", 0},
	{SSD_USE_ELSEWHERE, 2, "", "controller 9", 0},
};

/* Each kind alone, none (at the end), and dormant content before an active use. */
static const struct ssd_use mixed[] = {
	{SSD_USE_SIGNATURE, 1, "nvme0n1", "ext4", 0},
	{SSD_USE_MOUNT, 1, "nvme0n1", "/", 0},
};

#define N_USAGES (ARRAY_SIZE(uses) + 2)

static struct ssd_usage usage_of(size_t i)
{
	if (i < ARRAY_SIZE(uses))
		return (struct ssd_usage){.uses = (struct ssd_use *)&uses[i], .n = 1};
	if (i == ARRAY_SIZE(uses))
		return (struct ssd_usage){.uses = (struct ssd_use *)mixed, .n = 2};
	return (struct ssd_usage){0};
}

/* "In use": mounted, swap, holders, exclusive holders, open nodes. Content and missing nodes are not use. */
static bool is_used(const struct ssd_usage *usage)
{
	for (size_t i = 0; i < usage->n; i++)
		if (usage->uses[i].kind <= SSD_USE_OPENER)
			return true;
	return false;
}

static bool has_dormant(const struct ssd_usage *usage)
{
	for (size_t i = 0; i < usage->n; i++)
		if (usage->uses[i].kind >= SSD_USE_SIGNATURE)
			return true;
	return false;
}

/* Calls fn with every combination; returns how many there are. */
static unsigned each_case(void (*fn)(const struct ssd_facts *facts, const struct ssd_decision *decision))
{
	static const char *const confirms[] = {NULL, SERIAL, "CVFT5152003M2P0EGM"};
	unsigned n = 0;

	for (unsigned impact = SSD_CHANGES; impact <= SSD_DESTROYS; impact++)
		for (size_t u = 0; u < N_USAGES; u++)
			for (size_t c = 0; c < ARRAY_SIZE(confirms); c++)
				for (unsigned bits = 0; bits < 64; bits++, n++) {
					struct ssd_usage usage = usage_of(u);
					struct ssd_facts facts = {.impact = (enum ssd_impact)impact,
								  .usage = &usage,
								  .confirm = confirms[c],
								  .serial = SERIAL,
								  .terminal = bits & 1,
								  .yes = bits >> 1 & 1,
								  .force = bits >> 2 & 1,
								  .pcie = bits >> 3 & 1,
								  .subsystem_reset = bits >> 4 & 1,
								  .other_controllers = bits >> 5 & 1};
					struct ssd_decision decision = ssd_decide(&facts);

					fn(&facts, &decision);
				}
	return n;
}

static bool refused(const struct ssd_decision *d)
{
	return d->verdict == SSD_VERDICT_REFUSE;
}

static bool is_wrong(const char *confirm)
{
	return confirm && strcmp(confirm, SERIAL);
}

static bool is_elsewhere(const struct ssd_usage *usage)
{
	for (size_t i = 0; i < usage->n; i++)
		if (usage->uses[i].kind == SSD_USE_ELSEWHERE)
			return true;
	return false;
}

/* The sentences of the contract, one by one. */
static void sentences(const struct ssd_facts *f, const struct ssd_decision *d)
{
	bool used = is_used(f->usage);

	/* In use "is refused with the reason in words and cannot be overridden"; detach "likewise". */
	if (used && (f->impact == SSD_DESTROYS || f->impact == SSD_TAKES_ACCESS))
		ck_assert(refused(d));
	/* Whatever resets or pauses a controller with a namespace in use needs --force. */
	if (used && f->impact == SSD_INTERRUPTS && !f->force)
		ck_assert(refused(d));
	/* reset --subsystem is refused when any namespace is in use or another controller is attached. */
	if (f->subsystem_reset && (used || f->other_controllers))
		ck_assert(refused(d));
	/* Existing signatures, and namespaces that have no node on this host, need --force. */
	if (f->impact == SSD_DESTROYS && has_dormant(f->usage) && !f->force)
		ck_assert(refused(d));
	/* What another host may use is not taken away from it without --force either. */
	if (f->impact == SSD_TAKES_ACCESS && is_elsewhere(f->usage) && !f->force)
		ck_assert(refused(d));
	/* On a controller not attached by PCIe every command of these classes needs --force. */
	if (!f->pcie && !f->force)
		ck_assert(refused(d));
	/* The serial number, exactly. --yes never confirms destruction, and --confirm is no --yes. */
	if (is_wrong(f->confirm))
		ck_assert(refused(d));
	if (d->verdict == SSD_VERDICT_GO)
		ck_assert(f->impact == SSD_DESTROYS ? f->confirm != NULL : f->yes);
	/* Only a terminal can be asked, and what is asked fits what happens. */
	if (d->verdict == SSD_VERDICT_ASK)
		ck_assert(f->terminal && f->impact != SSD_DESTROYS && !f->yes);
	if (d->verdict == SSD_VERDICT_ASK_SERIAL)
		ck_assert(f->terminal && f->impact == SSD_DESTROYS && !f->confirm);
	/* A refusal says why and what to do. */
	ck_assert_int_eq(*d->reason != 0, refused(d));
	ck_assert_int_eq(*d->hint != 0, refused(d));
}

/* And nothing else is refused: a drive that nobody uses can be changed. */
static void no_more_than_that(const struct ssd_facts *f, const struct ssd_decision *d)
{
	bool used = is_used(f->usage), destroys = f->impact == SSD_DESTROYS;
	bool confirmed = destroys ? f->confirm != NULL : f->yes;

	if (is_wrong(f->confirm) || (f->subsystem_reset && f->other_controllers) || (f->subsystem_reset && used))
		return;
	if (used && (destroys || f->impact == SSD_TAKES_ACCESS))
		return;
	if (!f->force && f->impact == SSD_TAKES_ACCESS && is_elsewhere(f->usage))
		return;
	if (!f->force && (!f->pcie || (used && f->impact == SSD_INTERRUPTS) || (destroys && has_dormant(f->usage))))
		return;
	if (confirmed)
		ck_assert_int_eq(d->verdict, SSD_VERDICT_GO);
	else if (f->terminal)
		ck_assert_int_eq(d->verdict, destroys ? SSD_VERDICT_ASK_SERIAL : SSD_VERDICT_ASK);
	else
		ck_assert(refused(d));
}

/* An option that goes further never takes anything away, and only the ones that were given count. */
static void options_only_open(const struct ssd_facts *f, const struct ssd_decision *d)
{
	struct ssd_facts with = *f;

	if (refused(d))
		return;
	with.force = true;
	ck_assert(ssd_decide(&with).verdict == d->verdict);
	with.yes = true;
	ck_assert(!refused(&(struct ssd_decision){ssd_decide(&with).verdict, "", ""}));
	with = *f;
	with.usage = &(struct ssd_usage){0};
	ck_assert(ssd_decide(&with).verdict == d->verdict);
}

START_TEST(every_combination)
{
	ck_assert_uint_eq(each_case(sentences), 4 * 10 * 3 * 64);
	each_case(no_more_than_that);
	each_case(options_only_open);
}
END_TEST

static struct ssd_facts plain(enum ssd_impact impact, const struct ssd_usage *usage)
{
	return (struct ssd_facts){.impact = impact, .usage = usage, .pcie = true, .serial = SERIAL};
}

static void check_refusal(const struct ssd_facts *f, const char *reason, const char *hint)
{
	struct ssd_decision d = ssd_decide(f);

	ck_assert(refused(&d));
	ck_assert_msg(strstr(d.reason, reason) != NULL, "%s", d.reason);
	ck_assert_msg(strstr(d.hint, hint) != NULL, "%s", d.hint);
}

START_TEST(refusals_say_why_and_what_to_do)
{
	static const struct {
		const char *reason, *hint;
	} in_words[] = {
		{"nvme0n1p2 is mounted on /srv", "unmount"},
		{"nvme0n1p3 is swap space", "swapoff"},
		{"nvme0n1 is part of md0", "mdadm"},
		{"nvme0n1: the kernel refuses exclusive access", "ZFS"},
		{"nvme0n1 is open in process 4711 (qemu-system-x86)", "process"},
		{"nvme0n1 contains zfs_member", "--force"},
		{"namespace 2 has no node on this host", "--force"},
		{"namespace 2 is also attached to controller 9", "--force"},
	};
	struct ssd_usage none = {0};
	struct ssd_facts f;

	for (size_t i = 0; i < ARRAY_SIZE(uses); i++) {
		struct ssd_usage usage = usage_of(i);

		f = plain(SSD_DESTROYS, &usage);
		f.confirm = SERIAL;
		check_refusal(&f, in_words[i].reason, in_words[i].hint);
	}
	f = plain(SSD_DESTROYS, &none);
	f.yes = true;
	check_refusal(&f, "destroys data", "--confirm");
	f.confirm = "nvme0";
	check_refusal(&f, "\"" SERIAL "\", but --confirm says \"nvme0\"", "list");
	f = plain(SSD_CHANGES, &none);
	check_refusal(&f, "not confirmed", "--yes");
	f.pcie = false;
	check_refusal(&f, "not attached by PCIe", "--force");
	f = plain(SSD_INTERRUPTS, &(struct ssd_usage){.uses = (struct ssd_use *)&uses[4], .n = 1});
	check_refusal(&f, "process 4711 (qemu-system-x86)", "--force");
	f = plain(SSD_TAKES_ACCESS, &(struct ssd_usage){.uses = (struct ssd_use *)&uses[7], .n = 1});
	f.yes = true;
	check_refusal(&f, "another host may use it: namespace 2 is also attached to controller 9", "--force");
	f = plain(SSD_INTERRUPTS, &none);
	f.subsystem_reset = f.other_controllers = f.force = f.yes = true;
	check_refusal(&f, "another controller", "detach");
}
END_TEST

START_TEST(a_drive_without_serial_number_is_not_destroyed)
{
	struct ssd_usage none = {0};
	struct ssd_facts f = plain(SSD_DESTROYS, &none);

	f.serial = "";
	f.confirm = "";
	f.force = f.terminal = true;
	check_refusal(&f, "no serial number", "show");
	f.confirm = NULL;
	check_refusal(&f, "no serial number", "show");
}
END_TEST

/* As many as fit, and how many more; never a byte more than there is room for. */
START_TEST(many_uses)
{
	struct ssd_usage usage = {.uses = ssd_calloc(60, sizeof(struct ssd_use)), .n = 60};
	struct ssd_facts f = plain(SSD_DESTROYS, &usage);
	struct ssd_decision d;

	for (size_t i = 0; i < usage.n; i++) {
		usage.uses[i] = uses[0];
		memset(usage.uses[i].detail, 'x', sizeof(usage.uses[i].detail) - 1);
	}
	d = ssd_decide(&f);
	ck_assert_msg(strstr(d.reason, "and 59 more") != NULL, "%s", d.reason);
	usage.n = 2;
	d = ssd_decide(&f);
	ck_assert_msg(strstr(d.reason, "and 1 more") != NULL, "%s", d.reason);
	for (size_t i = 0; i < 60; i++)
		usage.uses[i] = uses[4];
	usage.n = 60;
	d = ssd_decide(&f);
	ck_assert_msg(strstr(d.reason, "(qemu-system-x86), nvme0n1") != NULL, "%s", d.reason);
	ck_assert_msg(strstr(d.reason, " more") != NULL, "%s", d.reason);
	free(usage.uses);
}
END_TEST

static bool grants(const struct ssd_grant *grant, uint8_t opcode)
{
	return grant->opcodes[opcode / 8] >> opcode % 8 & 1;
}

START_TEST(grants_follow_a_go_alone)
{
	/* Two that may be granted, and all that belong to the kernel (CONTRACT section 5). */
	static const uint8_t opcodes[] = {0x10, 0x80, 0x00, 0x01, 0x04, 0x05, 0x0c, 0x7c, 0x7f};
	static const uint8_t io_opcodes[] = {0x01, 0xff};
	struct ssd_intent intent = {.opcodes = opcodes,
				    .n_opcodes = sizeof(opcodes),
				    .io_opcodes = io_opcodes,
				    .n_io_opcodes = sizeof(io_opcodes),
				    .controls = {true, false, false}};
	const struct ssd_grant *grant;

	ck_assert_ptr_null(safety_grant_new(SSD_VERDICT_REFUSE, &intent));
	ck_assert_ptr_null(safety_grant_new(SSD_VERDICT_ASK, &intent));
	ck_assert_ptr_null(safety_grant_new(SSD_VERDICT_ASK_SERIAL, &intent));
	grant = safety_grant_new(SSD_VERDICT_GO, &intent);
	for (unsigned opcode = 0; opcode < 256; opcode++)
		ck_assert_int_eq(grants(grant, (uint8_t)opcode), opcode == 0x10 || opcode == 0x80);
	/* Write is no more than Write: the admin command of the same number stays the kernel's. */
	for (unsigned opcode = 0; opcode < 256; opcode++)
		ck_assert_int_eq(grant->io_opcodes[opcode / 8] >> opcode % 8 & 1, opcode == 0x01 || opcode == 0xff);
	ck_assert(grant->controls[SSD_RESET_CONTROLLER]);
	ck_assert(!grant->controls[SSD_RESET_SUBSYSTEM]);
	ck_assert(!grant->controls[SSD_RESCAN]);
	free((void *)grant);
}
END_TEST

CHECK_MAIN("safety_decide", every_combination, refusals_say_why_and_what_to_do,
	   a_drive_without_serial_number_is_not_destroyed, many_uses, grants_follow_a_go_alone)
