/* SPDX-License-Identifier: MIT */
/*
 * Executions on a drive that is made here: a firmware state machine behind the transport interface, that knows what it
 * was sent and what it runs. What fw_run() says is compared with what the drive knows, whatever goes wrong in between.
 */
#include "check.h"

#include <ssdct/fw.h>
#include <ssdct/signals.h>
#include <ssdct/le.h>

#include <signal.h>

#define SIZE (10 * 4096 + 512)
#define PIECES 11
/* Scripted effects beside statuses (15 bits) and errnos (negative). */
enum { NORMAL = 0, UNTOUCHED = 0x10000, VANISH, SIGNAL };

struct fake {
	struct ssd_transport t;
	char running[9], slot1[9], next_revision[9];
	bool pending, ignore, gone, never_back;
	bool lazy, shows_next;     /* the slot log shows a revision only when it runs; and what is next all the same */
	bool stores;               /* a commit that is refused stores the image nonetheless */
	unsigned slow;             /* looks at Identify until an activation without a reset shows */
	bool busy;                 /* AFI bit 3, for ever */
	int reset_error;           /* what a controller reset returns */
	bool reset_works;          /* though it returns that */
	unsigned status_of_commit; /* 15 bits */
	bool commit_completes;
	uint8_t image[SIZE + 4096];
	size_t received;
	bool torn;      /* pieces are missing or do not follow each other */
	unsigned n;     /* commands */
	unsigned at[4]; /* numbers of commands that something happens to, from 1 */
	int effect[4];
	uint8_t opcode; /* counted alone, when set */
	unsigned commits, bad_commits, downloads, resets;
};

static void put(uint8_t *p, size_t width, const char *text)
{
	memset(p, ' ', width);
	for (size_t i = 0; text[i]; i++)
		p[i] = (uint8_t)text[i];
}

static void identify(const struct fake *f, uint8_t *buf)
{
	memset(buf, 0, 4096);
	ssd_put_le(buf, 2, 0x8086);
	put(buf + 4, 20, "SERIAL");
	put(buf + 24, 40, "MODEL");
	put(buf + 64, 8, f->running);
	buf[77] = 5;
	ssd_put_le(buf + 256, 2, 4);
	buf[260] = 0x12;
	buf[319] = 1;
}

static void slot_log(const struct fake *f, uint8_t *buf)
{
	memset(buf, 0, 512);
	buf[0] = (uint8_t)(1 | (f->busy ? 8 : 0) | (f->pending && (!f->lazy || f->shows_next) ? 1 << 4 : 0));
	put(buf + 8, 8, f->lazy ? f->running : f->slot1);
}

static unsigned download(struct fake *f, const struct ssd_cmd *c)
{
	size_t offset = c->cdw11 * 4u, len = (c->cdw10 + 1) * 4u;

	f->downloads++;
	if (offset == 0) {
		f->received = 0;
		f->torn = false;
	}
	f->torn |= offset != f->received || len != c->data_len || offset + len > SIZE;
	if (!f->torn)
		memcpy(f->image + offset, c->data, len);
	f->received = offset + len;
	return 0;
}

static void activate(struct fake *f)
{
	if (f->pending)
		ssd_strcpy(f->running, sizeof(f->running), f->slot1);
	f->pending = false;
	f->received = 0;
	f->torn = true;
}

static unsigned commit(struct fake *f, const struct ssd_cmd *c)
{
	unsigned action = c->cdw10 >> 3 & 7, status = f->status_of_commit & 0x7ff;

	f->commits++;
	f->bad_commits += f->torn || f->received != SIZE || f->image[SIZE - 1] != 0x77;
	if (status && status != 0x10b && status != 0x110 && status != 0x111) {
		if (f->stores) {
			strcpy(f->slot1, "NEW");
			f->pending = action == 1;
		}
		return f->status_of_commit;
	}
	if (f->ignore)
		return f->status_of_commit;
	strcpy(f->slot1, "NEW");
	f->pending = action != 0;
	if (action == 3 && !status && !f->slow)
		activate(f);
	f->received = 0;
	return f->status_of_commit;
}

static int effect(struct fake *f, const struct ssd_cmd *c)
{
	if (f->opcode && c->opcode != f->opcode)
		return NORMAL;
	f->n++;
	for (size_t i = 0; i < ARRAY_SIZE(f->at); i++)
		if (f->at[i] == f->n)
			return f->effect[i];
	return NORMAL;
}

static unsigned execute(struct fake *f, const struct ssd_cmd *c, bool copies)
{
	if (c->opcode == 0x11)
		return download(f, c);
	if (c->opcode == 0x10)
		return commit(f, c);
	if (c->opcode == 0x06 && f->slow && f->commits && !--f->slow)
		activate(f);
	if (copies && c->opcode == 0x06)
		identify(f, c->data);
	if (copies && c->opcode == 0x02)
		slot_log(f, c->data);
	return 0;
}

static int submit(struct ssd_transport *t, const struct ssd_cmd *c, struct ssd_cpl *cpl)
{
	struct fake *f = (struct fake *)t;
	int what;

	if (f->gone)
		return -ENODEV;
	what = effect(f, c);
	if (what > 0 && what < UNTOUCHED) {
		if (f->commit_completes)
			execute(f, c, true);
		cpl->status = (uint16_t)what;
		return 0;
	}
	if (what < 0 && !f->commit_completes) {
		f->gone = what == -ENODEV;
		return what;
	}
	cpl->status = (uint16_t)execute(f, c, what != UNTOUCHED);
	if (what == SIGNAL)
		kill(getpid(), SIGINT);
	f->gone = what == VANISH;
	return what < 0 ? what : 0;
}

static int control(struct ssd_transport *t, enum ssd_control op)
{
	struct fake *f = (struct fake *)t;

	ck_assert_int_eq(op, SSD_RESET_CONTROLLER);
	if (f->gone)
		return -ENODEV;
	f->resets++;
	if (!f->reset_error || f->reset_works)
		activate(f);
	return f->reset_error;
}

/* A drive that went away and is back was reset on the way. */
static int reopen(void *ctx, struct ssd_device *dev, struct ssd_err *err)
{
	struct fake *f = ctx;

	(void)dev;
	if (f->gone && f->never_back)
		return ssd_fail(err, SSD_ERR_NOT_FOUND, "gone");
	if (f->gone)
		activate(f);
	f->gone = false;
	return 0;
}

static struct fake fake(void)
{
	return (struct fake){
		.t = {.submit = submit, .control = control}, .running = "OLD", .slot1 = "OLD", .torn = true};
}

struct run {
	struct fw_outcome out;
	struct ssd_err err;
	int rc;
};

static struct run update_expecting(struct fake *f, enum fw_activate when, const char *expect)
{
	static const struct ssd_drive drive = {.device = "nvme0", .pci_device = -1};
	static uint8_t data[SIZE];
	struct ssd_device dev = {.drive = &drive, .transport = &f->t};
	struct fw_image image = {.data = data, .size = SIZE};
	const struct fw_options options = {.activate = when};
	struct run r = {.err = SSD_ERR_INIT};
	struct fw_facts facts;
	struct fw_plan plan;
	unsigned at[4];
	sigset_t before;

	data[SIZE - 1] = 0x77;
	memcpy(at, f->at, sizeof(at));
	memset(f->at, 0, sizeof(at));
	ck_assert_int_eq(fw_facts_read(&dev, &facts, NULL), 0);
	memcpy(f->at, at, sizeof(at));
	f->n = 0;
	ck_assert_int_eq(fw_plan(&facts, SIZE, &options, 1, &plan, NULL), 0);
	ssd_signals_block(&before);
	r.rc = fw_run(&(struct fw_job){.dev = &dev,
				       .plan = &plan,
				       .image = &image,
				       .before = &facts,
				       .activate = when,
				       .expect = expect,
				       .reopen = reopen,
				       .ctx = f},
		      &r.out, &r.err);
	ssd_signals_restore(&before);
	free(dev.id_ctrl);
	return r;
}

static struct run update(struct fake *f, enum fw_activate when)
{
	return update_expecting(f, when, NULL);
}

static const struct {
	enum fw_activate when;
	enum fw_result result;
	const char *running;
	unsigned resets;
} ways[] = {
	{FW_STORE, FW_STORED, "OLD", 0},
	{FW_LATER, FW_PENDING_CONTROLLER_RESET, "OLD", 0},
	{FW_RESET, FW_ACTIVE, "NEW", 1},
	{FW_NOW, FW_ACTIVE, "NEW", 0},
};

START_TEST(all_goes_well)
{
	struct fake f = fake();
	struct run r = update(&f, ways[_i].when);

	ck_assert_int_eq(r.rc, 0);
	ck_assert_int_eq(r.out.result, ways[_i].result);
	ck_assert_str_eq(f.running, ways[_i].running);
	ck_assert_str_eq(r.out.after, ways[_i].running);
	ck_assert_uint_eq(f.resets, ways[_i].resets);
	ck_assert_uint_eq(f.downloads, PIECES);
	ck_assert_uint_eq(f.commits, 1);
	ck_assert_uint_eq(f.bad_commits, 0);
	ck_assert_uint_eq(r.out.commands, PIECES + 1);
}
END_TEST

/* Bugs 48, 53, 54; statuses of section 2 of the specification's firmware commands. */
static const struct {
	unsigned status;
	enum fw_result result;
	enum ssd_err_code code;
} answers[] = {
	{0x10b, FW_PENDING_CONVENTIONAL_RESET, SSD_ERR_NONE},
	{0x110, FW_PENDING_SUBSYSTEM_RESET, SSD_ERR_NONE},
	{0x111, FW_PENDING_CONTROLLER_RESET, SSD_ERR_NONE},
	{0x107, FW_NOT_APPLIED, SSD_ERR_BAD_INPUT},
	{0x106, FW_NOT_APPLIED, SSD_ERR_NVME},
	{0x112, FW_NOT_APPLIED, SSD_ERR_NVME},
	{0x113, FW_NOT_APPLIED, SSD_ERR_NVME},
	{0x114, FW_NOT_APPLIED, SSD_ERR_NVME},
	{0x00c, FW_NOT_APPLIED, SSD_ERR_NVME},
	{0x006, FW_NOT_APPLIED, SSD_ERR_NVME},
};
static const unsigned decorations[] = {0, 0x2000, 0x4000, 0x6000, 0x1800};

START_TEST(answers_to_the_commit)
{
	for (size_t i = 0; i < ARRAY_SIZE(decorations); i++) {
		struct fake f = fake();
		struct run r;

		f.status_of_commit = answers[_i].status | decorations[i];
		r = update(&f, FW_LATER);
		ck_assert_int_eq(r.err.code, answers[_i].code);
		ck_assert_int_eq(r.rc, answers[_i].code ? -1 : 0);
		ck_assert_int_eq(r.out.result, answers[_i].result);
		ck_assert_int_eq(r.out.committed, !answers[_i].code);
		ck_assert_uint_eq(f.commits, 1);
		if (answers[_i].code)
			ck_assert_int_eq(r.err.nvme_status, (int)f.status_of_commit);
	}
}
END_TEST

/* Only what a controller reset is enough for is reset. */
START_TEST(no_useless_reset)
{
	static const unsigned statuses[] = {0x10b, 0x110};

	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++) {
		struct fake f = fake();
		struct run r;

		f.status_of_commit = statuses[i];
		r = update(&f, FW_RESET);
		ck_assert_int_eq(r.rc, 0);
		ck_assert_uint_eq(f.resets, 0);
		ck_assert_int_ne(r.out.result, FW_ACTIVE);
	}
}
END_TEST

/* Bug 45: piece 7 is refused for good, or for a while. */
START_TEST(refused_piece)
{
	struct fake f = fake();
	struct run r;

	f.opcode = 0x11;
	f.at[0] = 7;
	f.effect[0] = 0x4002;
	r = update(&f, FW_LATER);
	ck_assert_int_eq(r.rc, -1);
	ck_assert_int_eq(r.out.result, FW_NOT_APPLIED);
	ck_assert_uint_eq(f.n, 7);
	ck_assert_uint_eq(f.commits, 0);
	ck_assert_ptr_nonnull(strstr(r.err.message, "offset 24576"));

	f = fake();
	f.opcode = 0x11;
	f.at[0] = 7;
	f.at[1] = 8;
	f.effect[0] = f.effect[1] = 0x0006;
	r = update(&f, FW_LATER);
	ck_assert_int_eq(r.rc, 0);
	ck_assert_uint_eq(f.n, PIECES + 2);
	ck_assert_uint_eq(f.bad_commits, 0);

	f.n = 0;
	f = fake();
	f.opcode = 0x11;
	f.at[0] = 7;
	f.at[1] = 8;
	f.at[2] = 9;
	f.effect[0] = f.effect[1] = f.effect[2] = 0x0006;
	r = update(&f, FW_LATER);
	ck_assert_int_eq(r.rc, -1);
	ck_assert_uint_eq(f.n, 9);
	ck_assert_uint_eq(f.commits, 0);
}
END_TEST

/* Bug 44: after a lost completion, or an overlap, everything is sent again from the start, once. */
START_TEST(lost_completion)
{
	static const int effects[] = {-EINTR, -EIO, -ENODEV, 0x4114, 0x0114};

	for (size_t i = 0; i < ARRAY_SIZE(effects); i++) {
		struct fake f = fake();
		struct run r;

		f.opcode = 0x11;
		f.at[0] = 7;
		f.effect[0] = effects[i];
		r = update(&f, FW_RESET);
		ck_assert_int_eq(r.rc, 0);
		ck_assert_uint_eq(f.n, PIECES + 7);
		ck_assert_uint_eq(f.bad_commits, 0);
		ck_assert_str_eq(f.running, "NEW");

		f = fake();
		f.opcode = 0x11;
		f.at[0] = 7;
		f.at[1] = 12;
		f.effect[0] = f.effect[1] = effects[i];
		r = update(&f, FW_RESET);
		ck_assert_int_eq(r.rc, -1);
		ck_assert_uint_eq(f.n, 12);
		ck_assert_uint_eq(f.commits, 0);
	}
}
END_TEST

/* The kernel refused to send it: sending it again is no use. */
START_TEST(never_sent)
{
	struct fake f = fake();
	struct run r;

	f.opcode = 0x11;
	f.at[0] = 1;
	f.effect[0] = -EACCES;
	r = update(&f, FW_RESET);
	ck_assert_int_eq(r.err.code, SSD_ERR_PERMISSION);
	ck_assert_uint_eq(f.n, 1);
}
END_TEST

/*
 * The answer to the commit is lost: the slot log decides, there is no second commit, and no reset, as nobody knows which one
 * the drive wants. 370h and 371h without Do Not Retry are the Linux driver's own (nvme_cancel_request() and friends).
 */
START_TEST(ambiguous_commit)
{
	static const int effects[] = {-EINTR, -EIO, 0x371, 0x370};
	static const enum fw_activate whens[] = {FW_LATER, FW_RESET, FW_NOW};

	for (size_t i = 0; i < ARRAY_SIZE(effects) * ARRAY_SIZE(whens) * 2; i++) {
		int effect_is = effects[i / 2 % ARRAY_SIZE(effects)];
		enum fw_activate when = whens[i / 2 / ARRAY_SIZE(effects)];
		struct fake f = fake();
		struct run r;

		f.opcode = 0x10;
		f.at[0] = 1;
		f.effect[0] = effect_is;
		f.commit_completes = i % 2;
		r = update(&f, when);
		ck_assert_uint_eq(f.n, 1);
		ck_assert_uint_eq(f.resets, 0);
		ck_assert_int_eq(r.rc, i % 2 ? 0 : -1);
		ck_assert_int_eq(r.out.result, !(i % 2)         ? FW_UNKNOWN
					       : when == FW_NOW ? FW_ACTIVE
								: FW_PENDING_CONTROLLER_RESET);
		ck_assert_uint_eq(r.out.n_notes, i % 2 ? (when == FW_RESET ? 2 : 1) : 0);
	}
}
END_TEST

/* Do Not Retry: the drive's own answer, and not the host's. */
START_TEST(answer_of_the_drive)
{
	struct fake f = fake();
	struct run r;

	f.status_of_commit = 0x4371;
	r = update(&f, FW_LATER);
	ck_assert_int_eq(r.out.result, FW_NOT_APPLIED);
	ck_assert_int_eq(r.err.code, SSD_ERR_NVME);
}
END_TEST

/* A drive that lists a revision only when it runs, and may or may not say what is next: no change is no proof. */
START_TEST(lazy_slot_log)
{
	for (int completes = 0; completes < 2; completes++)
		for (int shows = 0; shows < 2; shows++) {
			struct fake f = fake();
			struct run r;

			f.lazy = true;
			f.shows_next = shows;
			f.opcode = 0x10;
			f.at[0] = 1;
			f.effect[0] = -EINTR;
			f.commit_completes = completes;
			r = update(&f, FW_RESET);
			ck_assert_int_eq(r.out.result, shows && completes ? FW_PENDING_CONTROLLER_RESET : FW_UNKNOWN);
			ck_assert_uint_eq(f.resets, 0);
			f = fake();
			f.lazy = true;
			f.shows_next = shows;
			r = update(&f, FW_RESET);
			ck_assert_int_eq(r.out.result, FW_ACTIVE);
		}
}
END_TEST

/* Only a reset that was done and did not activate the image tells that another one is needed. */
START_TEST(failed_reset)
{
	static const int errors[] = {-EBUSY, -ENODEV, -EIO, -EINTR, -EACCES};

	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		struct fake f = fake();
		struct run r;

		f.reset_error = errors[i];
		r = update(&f, FW_RESET);
		ck_assert_int_eq(r.rc, -1);
		ck_assert_int_eq(r.err.sys_errno, -errors[i]);
		ck_assert(ssd_err_exit(&r.err) == 1 || ssd_err_exit(&r.err) == 3);
		ck_assert_int_eq(r.out.result, FW_PENDING_CONTROLLER_RESET);
		ck_assert_str_eq(r.out.after, "OLD");
		ck_assert_uint_eq(r.out.n_notes, 0);
		f = fake();
		f.reset_error = errors[i];
		f.reset_works = true;
		r = update(&f, FW_RESET);
		ck_assert_int_eq(r.rc, errors[i] == -EACCES ? -1 : 0);
		ck_assert_int_eq(r.out.result, errors[i] == -EACCES ? FW_PENDING_CONTROLLER_RESET : FW_ACTIVE);
	}
}
END_TEST

/* A commit that is answered with an error, and has been carried out all the same. */
START_TEST(refused_and_stored)
{
	static const enum fw_activate whens[] = {FW_STORE, FW_LATER, FW_RESET, FW_NOW};

	for (size_t i = 0; i < ARRAY_SIZE(whens); i++) {
		struct fake f = fake();
		struct run r;

		f.status_of_commit = 0x4112;
		f.stores = true;
		r = update(&f, whens[i]);
		ck_assert_int_eq(r.rc, -1);
		ck_assert_int_eq(r.err.nvme_status, 0x4112);
		ck_assert_int_eq(r.out.result, f.pending ? FW_PENDING_CONTROLLER_RESET : FW_UNKNOWN);
		ck_assert(r.out.committed);
		ck_assert_uint_eq(f.resets, 0);
	}
}
END_TEST

/* Bug 51. */
START_TEST(ignored_image)
{
	static const enum fw_activate whens[] = {FW_RESET, FW_NOW};

	for (size_t i = 0; i < ARRAY_SIZE(whens); i++) {
		struct fake f = fake();
		struct run r;

		f.ignore = true;
		r = update(&f, whens[i]);
		ck_assert_int_eq(r.rc, -1);
		ck_assert_int_eq(r.out.result, FW_UNCHANGED);
		ck_assert_int_eq(r.err.code, SSD_ERR_UNCHANGED);
	}
}
END_TEST

/* An activation without a reset may show only later. */
START_TEST(slow_activation)
{
	struct fake f = fake();
	struct run r;

	f.slow = 5;
	r = update(&f, FW_NOW);
	ck_assert_int_eq(r.rc, 0);
	ck_assert_int_eq(r.out.result, FW_ACTIVE);
	ck_assert_str_eq(r.out.after, "NEW");
	ck_assert_uint_eq(f.resets, 0);
	f = fake();
	f.slow = 1000000;
	r = update(&f, FW_NOW);
	ck_assert_int_eq(r.out.result, FW_PENDING_CONTROLLER_RESET); /* the slot log says that it is next */
	ck_assert_str_eq(r.out.after, "OLD");
	/* Ended while it waits. */
	f = fake();
	f.slow = 1000000;
	f.opcode = 0x10;
	f.at[0] = 1;
	f.effect[0] = SIGNAL;
	r = update(&f, FW_NOW);
	ck_assert_int_eq(ssd_err_exit(&r.err), 130);
	ck_assert_int_eq(r.out.result, FW_UNKNOWN);
	ck_assert(r.out.committed);
}
END_TEST

/* "Update in progress" is not waited for longer than for the drive. */
START_TEST(busy_for_ever)
{
	struct fake f = fake();
	struct run r;

	f.busy = true;
	r = update(&f, FW_LATER);
	ck_assert_int_eq(r.out.result, FW_PENDING_CONTROLLER_RESET);
	/* Twice a second, with pauses of 20 to 500 ms; in ten seconds each there would be twice fifty commands. */
	ck_assert_uint_lt(f.n, PIECES + 1 + 2 * 24);
}
END_TEST

START_TEST(expected_revision)
{
	struct fake f = fake();
	struct run r = update_expecting(&f, FW_RESET, "NEWER");

	/* The slot log shows what the reset would run: it is not done. */
	ck_assert_int_eq(r.rc, -1);
	ck_assert_int_eq(r.err.code, SSD_ERR_UNVERIFIED);
	ck_assert_int_eq(r.out.result, FW_PENDING_CONTROLLER_RESET);
	ck_assert_uint_eq(f.resets, 0);
	ck_assert_str_eq(r.out.after, "OLD");
	f = fake();
	f.status_of_commit = 0;
	r = update_expecting(&f, FW_NOW, "NEWER");
	ck_assert_int_eq(ssd_err_exit(&r.err), 1);
	ck_assert_int_ne(r.out.result, FW_ACTIVE);
	ck_assert_str_eq(r.out.after, "NEW");
	f = fake();
	r = update_expecting(&f, FW_RESET, "NEW");
	ck_assert_int_eq(r.rc, 0);
}
END_TEST

START_TEST(gone_for_good)
{
	static const uint8_t opcodes[] = {0x11, 0x10};

	for (size_t i = 0; i < ARRAY_SIZE(opcodes); i++) {
		struct fake f = fake();
		struct run r;

		f.never_back = true;
		f.opcode = opcodes[i];
		f.at[0] = 1;
		f.effect[0] = VANISH;
		r = update(&f, FW_LATER);
		ck_assert_int_eq(r.rc, -1);
		ck_assert_int_eq(ssd_err_exit(&r.err), 3);
		ck_assert_int_eq(r.out.committed, opcodes[i] == 0x10);
		ck_assert_int_eq(r.out.result, opcodes[i] == 0x10 ? FW_UNKNOWN : FW_NOT_APPLIED);
	}
}
END_TEST

START_TEST(interrupted)
{
	struct fake f = fake();
	struct run r;

	f.opcode = 0x11;
	f.at[0] = 5;
	f.effect[0] = SIGNAL;
	r = update(&f, FW_RESET);
	ck_assert_int_eq(ssd_err_exit(&r.err), 130);
	ck_assert_uint_eq(f.downloads, 5);
	ck_assert_uint_eq(f.commits, 0);
	ck_assert_ptr_nonnull(strstr(r.err.message, "nothing was committed"));

	/* In the commit it is too late: what was begun is told. */
	f = fake();
	f.opcode = 0x10;
	f.at[0] = 1;
	f.effect[0] = SIGNAL;
	r = update(&f, FW_LATER);
	ck_assert_int_eq(r.rc, 0);
	ck_assert_int_eq(r.out.result, FW_PENDING_CONTROLLER_RESET);
	f = fake();
	f.opcode = 0x10;
	f.at[0] = 1;
	f.effect[0] = SIGNAL;
	r = update(&f, FW_RESET);
	ck_assert_int_eq(ssd_err_exit(&r.err), 130);
	ck_assert_uint_eq(f.resets, 0);
	ck_assert_int_eq(r.out.result, FW_PENDING_CONTROLLER_RESET);
}
END_TEST

/* Bug 46, and section 7: every i-th command fails in every way. What is said must be what the drive knows. */
static void check_truth(const struct fake *f, const struct run *r)
{
	bool runs_new = !strcmp(f->running, "NEW"), holds_new = !strcmp(f->slot1, "NEW");

	ck_assert_uint_le(f->commits, 1);
	ck_assert_uint_eq(f->bad_commits, 0);
	ck_assert_msg(r->rc || runs_new == (r->out.result == FW_ACTIVE), "success said, but the drive runs %s",
		      f->running);
	ck_assert_msg(r->rc || holds_new, "success said, but nothing is stored");
	ck_assert_msg(r->out.result != FW_NOT_APPLIED || !holds_new, "not_applied, but it is stored");
	ck_assert_msg(!r->out.committed || holds_new, "committed, but it is not stored");
	ck_assert_msg(!r->rc || *r->err.message, "a failure without a reason");
	if (*r->out.after)
		ck_assert(r->rc || !strcmp(r->out.after, f->running));
}

static const int sweep_effects[] = {0x4006, 0x0006, -EINTR, -ENODEV, UNTOUCHED, VANISH};

START_TEST(sweep)
{
	struct fake f = fake();
	unsigned n;

	update(&f, ways[_i].when);
	n = f.n;
	ck_assert_uint_gt(n, PIECES + 4);
	for (size_t e = 0; e < ARRAY_SIZE(sweep_effects); e++)
		for (unsigned i = 1; i <= n; i++)
			for (int back = 0; back < 2; back++) {
				struct run r;

				if (!back && (sweep_effects[e] != VANISH || i % 8))
					continue; /* each waits a second */
				f = fake();
				f.never_back = !back;
				f.at[0] = i;
				f.effect[0] = sweep_effects[e];
				r = update(&f, ways[_i].when);
				check_truth(&f, &r);
			}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("fw_run");
	TCase *t = tcase_create("fw_run");
	SRunner *runner;
	int failed;

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, all_goes_well, 0, ARRAY_SIZE(ways));
	tcase_add_loop_test(t, answers_to_the_commit, 0, ARRAY_SIZE(answers));
	tcase_add_loop_test(t, sweep, 0, ARRAY_SIZE(ways));
	tcase_add_test(t, no_useless_reset);
	tcase_add_test(t, refused_piece);
	tcase_add_test(t, lost_completion);
	tcase_add_test(t, never_sent);
	tcase_add_test(t, ambiguous_commit);
	tcase_add_test(t, answer_of_the_drive);
	tcase_add_test(t, lazy_slot_log);
	tcase_add_test(t, failed_reset);
	tcase_add_test(t, refused_and_stored);
	tcase_add_test(t, ignored_image);
	tcase_add_test(t, slow_activation);
	tcase_add_test(t, busy_for_ever);
	tcase_add_test(t, expected_revision);
	tcase_add_test(t, gone_for_good);
	tcase_add_test(t, interrupted);
	suite_add_tcase(suite, t);
	runner = srunner_create(suite);
	srunner_set_tap(runner, "-");
	srunner_run_all(runner, CK_SILENT);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
