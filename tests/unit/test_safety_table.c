/* SPDX-License-Identifier: MIT */
/*
 * The truth table of safety over every command that there is: opcode, and where it matters the field that decides, x use of
 * the drive x options x what is answered at the terminal. What each command is and which rows may pass is written here
 * from CONTRACT section 5, not from the code; then the same for the guard, which is asked with and without a grant.
 */
#include "check.h"

#include "cmd/passthru_class.h"
#include "safety/parts.h"
#include "scan_tree.h"

#include <ssdct/admin.h>

#define SERIAL "CVFT5152003M2P0EGN"

/* --- commands, as the contract classes them --- */

enum kind { READS, CHANGES, INTERRUPTS, TAKES_ACCESS, DESTROYS, KERNELS };

#define ONE_OF(x, ...) \
	(memchr((const uint8_t[]){__VA_ARGS__}, (int)(x), sizeof((const uint8_t[]){__VA_ARGS__})) != NULL)

/*
 * "Reads are classed by opcode, log page, LSP and RAE": 04h, 80h and BFh are taken away from the kernel, 0Dh needs a
 * context, and of LSP only ANA's, the lockdown's and the boot partition's say nothing but what is read.
 */
static enum kind log_page(uint32_t cdw10)
{
	unsigned lid = cdw10 & 0xff, lsp = cdw10 >> 8 & 0x7f;
	bool known = lid <= 0x16 || lid == 0x70 || lid == 0x81;
	unsigned choice = lid == 0x0c || lid == 0x15 ? 0x01 : lid == 0x14 ? 0x3f : 0;

	return known && !ONE_OF(lid, 0x04, 0x0d) && cdw10 & 0x8000 && !(lsp & ~choice) ? READS : CHANGES;
}

/* The features of NVMe 2.0c; vendors' ones that no table marks harmless, and all that nobody knows, destroy. */
static enum kind feature(uint8_t fid)
{
	if (ONE_OF(fid, 0x07, 0x0b, 0x0d, 0x0f, 0x16))
		return KERNELS;
	if (ONE_OF(fid, 0x1d, 0x84, 0x85))
		return DESTROYS;
	return (fid >= 0x01 && fid <= 0x1a) || (fid >= 0x7d && fid <= 0x83) ? CHANGES : DESTROYS;
}

static enum kind commit(unsigned action)
{
	return action < 3 ? CHANGES : action == 3 ? INTERRUPTS : DESTROYS;
}

static enum kind by_contract(const struct ssd_cmd *cmd)
{
	unsigned select = cmd->cdw10 & 0xf;

	if (cmd->io)
		return ONE_OF(cmd->opcode, 0x00, 0x02, 0x05, 0x0c, 0x0e) ? READS : DESTROYS;
	switch (cmd->opcode) {
	case 0x00:
	case 0x01:
	case 0x04:
	case 0x05:
	case 0x0c:
	case 0x7c:
	case 0x7f:
		return KERNELS;
	case 0x06:
	case 0x0a:
		return READS;
	case 0x02:
		return log_page(cmd->cdw10);
	case 0x09:
		return feature(cmd->cdw10 & 0xff);
	case 0x0d:
		return select ? DESTROYS : CHANGES;
	case 0x10:
		return commit(cmd->cdw10 >> 3 & 7);
	case 0x15:
		return select == 0 ? CHANGES : select == 1 ? TAKES_ACCESS : DESTROYS;
	/* Abort, image download, self-test, keep-alive, directive, security and LBA status that come from the drive. */
	case 0x08:
	case 0x11:
	case 0x14:
	case 0x18:
	case 0x1a:
	case 0x82:
	case 0x86:
		return CHANGES;
	default:
		return DESTROYS;
	}
}

typedef void (*command_fn)(const struct ssd_cmd *cmd, void *ctx);

/* Values of dword 10 that make a difference. */
static void each_variant(struct ssd_cmd cmd, command_fn fn, void *ctx)
{
	static const uint32_t lsps[] = {0, 1, 2, 3, 0x3f, 0x40, 0x7f};
	unsigned n = cmd.io ? 1 : cmd.opcode == 0x02 || cmd.opcode == 0x09 ? 256 : 64;

	for (unsigned i = 0; i < n; i++)
		for (size_t k = 0; k < (cmd.opcode == 0x02 && !cmd.io ? ARRAY_SIZE(lsps) : 1); k++)
			for (unsigned high = 0; high < (cmd.io ? 1 : 4); high++) {
				cmd.cdw10 = i | lsps[k] << 8 | (high & 1 ? 0x8000 : 0) | (high & 2 ? 0xffff0000 : 0);
				fn(&cmd, ctx);
			}
}

static void each_command(command_fn fn, void *ctx)
{
	for (unsigned opcode = 0; opcode < 256; opcode++) {
		each_variant((struct ssd_cmd){.opcode = (uint8_t)opcode}, fn, ctx);
		each_variant((struct ssd_cmd){.opcode = (uint8_t)opcode, .io = true}, fn, ctx);
	}
}

/* --- situations --- */

static const struct ssd_use uses[] = {
	{SSD_USE_MOUNT, 1, "nvme0n1p2", "/srv", 0},
	{SSD_USE_SWAP, 1, "nvme0n1p3", "", 0},
	{SSD_USE_HOLDER, 1, "nvme0n1", "md0", 0},
	{SSD_USE_EXCLUSIVE, 1, "nvme0n1", "the kernel refuses exclusive access", 0},
	{SSD_USE_OPENER, 1, "nvme0n1", "qemu-system-x86", 4711},
	{SSD_USE_SIGNATURE, 1, "nvme0n1", "zfs_member", 0},
	{SSD_USE_NO_NODE, 2, "", "", 0},
	{SSD_USE_ELSEWHERE, 1, "", "controller 7", 0},
};
/* Of them: mounted, swap, holders, exclusive openers, open nodes. */
#define N_ACTIVE 5

static const char *const confirms[] = {NULL, SERIAL, "CVFT5152003M2P0EGM", ""};
enum answer { NOTHING, YES, SERIAL_TYPED, WRONG_SERIAL, N_ANSWERS };

struct situation {
	size_t use; /* ARRAY_SIZE(uses): unused */
	const char *confirm;
	bool yes, force, terminal, pcie;
	enum answer answer;
};

#define N_SITUATIONS ((ARRAY_SIZE(uses) + 1) * ARRAY_SIZE(confirms) * 16 * N_ANSWERS)

static struct situation situation(size_t i)
{
	struct situation s = {.yes = i & 1, .force = i >> 1 & 1, .terminal = i >> 2 & 1, .pcie = i >> 3 & 1};

	i >>= 4;
	s.answer = (enum answer)(i % N_ANSWERS);
	i /= N_ANSWERS;
	s.confirm = confirms[i % ARRAY_SIZE(confirms)];
	s.use = i / ARRAY_SIZE(confirms);
	return s;
}

/* The contract's sentences, for a command that changes something. */
static bool may_pass(enum kind kind, const struct situation *s)
{
	bool elsewhere = s->use < ARRAY_SIZE(uses) && uses[s->use].kind == SSD_USE_ELSEWHERE;
	bool active = s->use < N_ACTIVE, unused = s->use == ARRAY_SIZE(uses);
	bool wrong = s->confirm && strcmp(s->confirm, SERIAL);
	bool named = s->confirm || (s->terminal && s->answer == SERIAL_TYPED);

	if (wrong || (!s->pcie && !s->force))
		return false;
	switch (kind) {
	case DESTROYS:
		return named && !active && (unused || s->force);
	case TAKES_ACCESS:
		return !active && (!elsewhere || s->force) && (s->yes || (s->terminal && s->answer == YES));
	case INTERRUPTS:
		return (!active || s->force) && (s->yes || (s->terminal && s->answer == YES));
	default:
		return s->yes || (s->terminal && s->answer == YES);
	}
}

/* What the program makes of it: the decision, and the question when there is one. */
static bool passes(enum ssd_impact impact, const struct situation *s)
{
	struct ssd_usage usage = {.uses = (struct ssd_use *)&uses[s->use], .n = s->use < ARRAY_SIZE(uses)};
	struct ssd_facts facts = {.impact = impact,
				  .usage = &usage,
				  .confirm = s->confirm,
				  .serial = SERIAL,
				  .yes = s->yes,
				  .force = s->force,
				  .terminal = s->terminal,
				  .pcie = s->pcie};

	switch (ssd_decide(&facts).verdict) {
	case SSD_VERDICT_GO:
		return true;
	case SSD_VERDICT_ASK:
		return s->answer == YES;
	case SSD_VERDICT_ASK_SERIAL:
		return s->answer == SERIAL_TYPED;
	default:
		return false;
	}
}

struct table {
	bool passes[SSD_DESTROYS + 1][N_SITUATIONS];
	unsigned long rows, destroyed, freed;
};

static const struct ssd_drive drive;

static enum passthru_class class_of(const struct ssd_cmd *cmd)
{
	struct ssd_device dev = {.drive = &drive};

	return passthru_classify(&dev, cmd);
}

static void check_rows(const struct ssd_cmd *cmd, void *ctx)
{
	struct table *t = ctx;
	enum kind kind = by_contract(cmd);
	enum passthru_class class = class_of(cmd);
	const bool *row = t->passes[passthru_impact(class)];

	ck_assert_msg((kind == READS) == (class == PASSTHRU_READS) && (kind == KERNELS) == (class == PASSTHRU_KERNELS),
		      "%s %#x, CDW10 %#x: %s", cmd->io ? "io" : "admin", cmd->opcode, cmd->cdw10,
		      passthru_class_word(class));
	if (kind == READS || kind == KERNELS)
		return;
	for (size_t i = 0; i < N_SITUATIONS; i++) {
		struct situation s = situation(i);

		t->rows++;
		t->destroyed += kind == DESTROYS && row[i];
		/* Unused, PCIe, and confirmed in one of the two ways. */
		t->freed += kind == DESTROYS && s.use == ARRAY_SIZE(uses) && s.pcie && row[i];
		if (row[i] != may_pass(kind, &s))
			ck_abort_msg("%s %#x, CDW10 %#x, situation %zu: %s", cmd->io ? "io" : "admin", cmd->opcode,
				     cmd->cdw10, i, row[i] ? "passes" : "is refused");
	}
}

START_TEST(every_command_in_every_situation)
{
	struct table *t = ssd_calloc(1, sizeof(*t));

	for (unsigned impact = 0; impact <= SSD_DESTROYS; impact++)
		for (size_t i = 0; i < N_SITUATIONS; i++) {
			struct situation s = situation(i);

			t->passes[impact][i] = passes((enum ssd_impact)impact, &s);
		}
	each_command(check_rows, t);
	ck_assert_msg(t->rows > 50000000 && t->destroyed && t->freed, "%lu rows, %lu, %lu", t->rows, t->destroyed,
		      t->freed);
	free(t);
}
END_TEST

/* --- the guard --- */

struct counter {
	struct ssd_transport base;
	unsigned arrived;
};

static int count(struct ssd_transport *t, const struct ssd_cmd *cmd, struct ssd_cpl *cpl)
{
	(void)cmd;
	((struct counter *)t)->arrived++;
	*cpl = (struct ssd_cpl){0};
	return 0;
}

static unsigned arrives(struct ssd_device *dev, const struct ssd_cmd *cmd, const struct ssd_grant *grant)
{
	struct counter *counter = (struct counter *)dev->transport->next;
	struct ssd_cpl cpl;
	int rc;

	counter->arrived = 0;
	dev->grant = grant;
	rc = dev->transport->submit(dev->transport, cmd, &cpl);
	ck_assert_int_eq(rc, counter->arrived ? 0 : -SSD_EGUARD);
	return counter->arrived;
}

static void check_guard(const struct ssd_cmd *cmd, void *ctx)
{
	enum kind kind = by_contract(cmd);
	struct ssd_intent own = {.opcodes = &cmd->opcode,
				 .n_opcodes = !cmd->io,
				 .io_opcodes = &cmd->opcode,
				 .n_io_opcodes = cmd->io},
			  other_queue = {.opcodes = &cmd->opcode,
					 .n_opcodes = cmd->io,
					 .io_opcodes = &cmd->opcode,
					 .n_io_opcodes = !cmd->io};
	const struct ssd_grant *grant = safety_grant_new(SSD_VERDICT_GO, &own);
	const struct ssd_grant *other = safety_grant_new(SSD_VERDICT_GO, &other_queue);
	unsigned with = arrives(ctx, cmd, grant), without = arrives(ctx, cmd, NULL), beside = arrives(ctx, cmd, other);

	ck_assert_msg(with == (kind != KERNELS) && without == (kind == READS) && beside == (kind == READS),
		      "%s %#x, CDW10 %#x: %u %u %u", cmd->io ? "io" : "admin", cmd->opcode, cmd->cdw10, with, without,
		      beside);
	free((void *)grant);
	free((void *)other);
}

START_TEST(the_guard_goes_by_the_same_table)
{
	static struct counter counter = {.base = {.submit = count}};
	struct ssd_err err = SSD_ERR_INIT;
	struct ssd_transport *own;
	struct ssd_device dev;
	struct ssd_host *host;
	uint8_t id[4096] = {0};

	tree_new();
	snprintf((char *)id + 4, 69, "%-20s%-40s%-8s", SERIAL, "MODEL", "FW1");
	put_bytes("nvme0/id-ctrl.bin", id, sizeof(id));
	put(".", "host.json", "{\"format\": \"ssdct-host/1\", \"mode\": \"simulated\"}");
	host = ssd_host_scan(tree_root, &err);
	ck_assert_msg(host != NULL, "%s", err.message);
	ck_assert_int_eq(ssd_device_open(&dev, &host->drives[0], NULL, NULL, &err), 0);
	/* In place of the simulated drive one that only counts. */
	own = dev.transport->next;
	dev.transport->next = &counter.base;
	each_command(check_guard, &dev);
	dev.transport->next = own;
	dev.grant = NULL;
	ssd_device_close(&dev);
	ssd_host_free(host);
}
END_TEST

CHECK_MAIN("safety_table", every_command_in_every_situation, the_guard_goes_by_the_same_table)
