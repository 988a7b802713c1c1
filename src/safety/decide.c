/* SPDX-License-Identifier: MIT */
/* The decision: a pure function of facts, as a table of rules (CONTRACT section 5). And the grant that follows from it. */
#include "safety/parts.h"

#define CHANGES (1u << SSD_CHANGES)
#define INTERRUPTS (1u << SSD_INTERRUPTS)
#define TAKES_ACCESS (1u << SSD_TAKES_ACCESS)
#define DESTROYS (1u << SSD_DESTROYS)
#define ALL (CHANGES | INTERRUPTS | TAKES_ACCESS | DESTROYS)

/* "a, b and 2 more" behind what is in buf: as many uses as fit, the active ones or the others. */
static void list_uses(const struct ssd_usage *usage, bool active, char *buf, size_t size)
{
	size_t len = strlen(buf), left = 0, shown = 0;

	for (size_t i = 0; i < usage->n; i++)
		left += ssd_use_is_active(usage->uses[i].kind) == active;
	for (size_t i = 0; i < usage->n; i++) {
		char text[320];

		if (ssd_use_is_active(usage->uses[i].kind) != active)
			continue;
		ssd_use_text(&usage->uses[i], text, sizeof(text));
		if (shown && len + strlen(text) + sizeof(", and 4294967295 more") > size)
			break;
		len += (size_t)snprintf(buf + len, size - len, "%s%s", shown ? ", " : "", text);
		len = len < size ? len : size - 1;
		shown++;
		left--;
	}
	if (left)
		snprintf(buf + len, size - len, " and %zu more", left);
}

static bool in_use(const struct ssd_facts *f)
{
	return safety_active(f->usage) != NULL;
}

static void say_in_use(const struct ssd_facts *f, struct ssd_decision *d)
{
	ssd_strcpy(d->reason, sizeof(d->reason), "in use: ");
	list_uses(f->usage, true, d->reason, sizeof(d->reason));
}

static bool is_other_drive(const struct ssd_facts *f)
{
	return f->confirm && strcmp(f->confirm, f->serial);
}

static void say_other_drive(const struct ssd_facts *f, struct ssd_decision *d)
{
	snprintf(d->reason, sizeof(d->reason), "the drive's serial number is \"%s\", but --confirm says \"%.100s\"",
		 f->serial, f->confirm);
}

static bool resets_others(const struct ssd_facts *f)
{
	return f->subsystem_reset && f->other_controllers;
}

static void say_others(const struct ssd_facts *f, struct ssd_decision *d)
{
	(void)f;
	ssd_strcpy(d->reason, sizeof(d->reason),
		   "another controller of the NVM subsystem is attached and would be reset as well");
}

static bool resets_subsystem_in_use(const struct ssd_facts *f)
{
	return f->subsystem_reset && in_use(f);
}

static bool is_not_pcie(const struct ssd_facts *f)
{
	return !f->pcie;
}

static void say_not_pcie(const struct ssd_facts *f, struct ssd_decision *d)
{
	(void)f;
	ssd_strcpy(d->reason, sizeof(d->reason),
		   "not attached by PCIe: this may be a storage system that others use, and not a drive");
}

static bool has_content(const struct ssd_facts *f)
{
	for (size_t i = 0; i < f->usage->n; i++)
		if (!ssd_use_is_active(f->usage->uses[i].kind))
			return true;
	return false;
}

static void say_content(const struct ssd_facts *f, struct ssd_decision *d)
{
	ssd_strcpy(d->reason, sizeof(d->reason), "not empty, or not known to be: ");
	list_uses(f->usage, false, d->reason, sizeof(d->reason));
}

static bool is_elsewhere(const struct ssd_facts *f)
{
	for (size_t i = 0; i < f->usage->n; i++)
		if (f->usage->uses[i].kind == SSD_USE_ELSEWHERE)
			return true;
	return false;
}

static void say_elsewhere(const struct ssd_facts *f, struct ssd_decision *d)
{
	ssd_strcpy(d->reason, sizeof(d->reason), "another host may use it: ");
	list_uses(f->usage, false, d->reason, sizeof(d->reason));
}

static bool has_no_serial(const struct ssd_facts *f)
{
	return !*f->serial;
}

static void say_no_serial(const struct ssd_facts *f, struct ssd_decision *d)
{
	(void)f;
	ssd_strcpy(d->reason, sizeof(d->reason),
		   "the drive shows no serial number, by which its destruction could be confirmed");
}

/* In this order; the first that is broken is the reason. */
static const struct rule {
	unsigned impacts;
	bool (*broken)(const struct ssd_facts *f);
	bool force; /* --force goes past it */
	void (*say)(const struct ssd_facts *f, struct ssd_decision *d);
	const char *hint; /* NULL: what to do about the first use */
} rules[] = {
	{ALL, is_other_drive, false, say_other_drive, "see which drive is meant: ssdct list"},
	{DESTROYS | TAKES_ACCESS, in_use, false, say_in_use, NULL},
	{ALL, resets_others, false, say_others, "detach the other controller first, or reset this one alone"},
	{ALL, resets_subsystem_in_use, false, say_in_use, NULL},
	{DESTROYS, has_no_serial, false, say_no_serial, "see: ssdct show"},
	{INTERRUPTS, in_use, true, say_in_use,
	 "I/O would stall until the controller is back; --force does it all the same"},
	{ALL, is_not_pcie, true, say_not_pcie, "if you are sure: --force"},
	{DESTROYS, has_content, true, say_content, "if that may be lost: --force"},
	{TAKES_ACCESS, is_elsewhere, true, say_elsewhere, "if that host does without it: --force"},
};

/* What to do first about a use that no option goes past. */
static const char *const remedies[] = {
	[SSD_USE_MOUNT] = "unmount it first",
	[SSD_USE_SWAP] = "end its use as swap space first: swapoff",
	[SSD_USE_HOLDER] = "take it out of there first: mdadm --stop, vgchange -an, cryptsetup close, losetup -d, ...",
	[SSD_USE_EXCLUSIVE] = "find who uses it: a container's mount namespace, ZFS (zpool export), an initiator, ...",
	[SSD_USE_OPENER] = "end that process first",
};

/* How each impact is confirmed. */
static const struct {
	bool by_serial; /* else by --yes */
	enum ssd_verdict ask;
	const char *reason, *hint;
} confirmations[] = {
	[SSD_CHANGES] = {false, SSD_VERDICT_ASK, "not confirmed, and there is no terminal to ask on", "add --yes"},
	[SSD_INTERRUPTS] = {false, SSD_VERDICT_ASK, "not confirmed, and there is no terminal to ask on", "add --yes"},
	[SSD_TAKES_ACCESS] = {false, SSD_VERDICT_ASK, "not confirmed, and there is no terminal to ask on", "add --yes"},
	[SSD_DESTROYS] = {true, SSD_VERDICT_ASK_SERIAL,
			  "destroys data, which was not confirmed, and there is no terminal to ask on",
			  "add --confirm with the drive's serial number"},
};

static struct ssd_decision refuse(const struct rule *rule, const struct ssd_facts *f)
{
	struct ssd_decision d = {.verdict = SSD_VERDICT_REFUSE};

	rule->say(f, &d);
	ssd_strcpy(d.hint, sizeof(d.hint), rule->hint ? rule->hint : remedies[safety_active(f->usage)->kind]);
	return d;
}

struct ssd_decision ssd_decide(const struct ssd_facts *f)
{
	struct ssd_decision d = {.verdict = SSD_VERDICT_REFUSE};

	for (const struct rule *r = rules; r < rules + ARRAY_SIZE(rules); r++)
		if (r->impacts >> f->impact & 1 && !(r->force && f->force) && r->broken(f))
			return refuse(r, f);
	/* A --confirm that is not this serial number has been refused above. */
	if (confirmations[f->impact].by_serial ? f->confirm != NULL : f->yes) {
		d.verdict = SSD_VERDICT_GO;
	} else if (f->terminal) {
		d.verdict = confirmations[f->impact].ask;
	} else {
		ssd_strcpy(d.reason, sizeof(d.reason), confirmations[f->impact].reason);
		ssd_strcpy(d.hint, sizeof(d.hint), confirmations[f->impact].hint);
	}
	return d;
}

const struct ssd_grant *safety_grant_new(enum ssd_verdict verdict, const struct ssd_intent *intent)
{
	struct ssd_grant *grant;

	if (verdict != SSD_VERDICT_GO)
		return NULL;
	grant = ssd_calloc(1, sizeof(*grant));
	for (size_t i = 0; i < intent->n_opcodes; i++) {
		struct ssd_cmd cmd = {.opcode = intent->opcodes[i]};

		if (!ssd_is_kernels_own(&cmd))
			grant->opcodes[cmd.opcode / 8] |= (uint8_t)(1u << cmd.opcode % 8);
	}
	for (size_t i = 0; i < intent->n_io_opcodes; i++)
		grant->io_opcodes[intent->io_opcodes[i] / 8] |= (uint8_t)(1u << intent->io_opcodes[i] % 8);
	memcpy(grant->controls, intent->controls, sizeof(grant->controls));
	return grant;
}
