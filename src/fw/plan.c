/* SPDX-License-Identifier: MIT */
/* The plan: a pure function from facts, image and options to what will be sent, or to the reason why nothing will. */
#include <ssdct/fw.h>

/* What every drive was tried with; the page size is at least that, so MDTS in these units never asks too much. */
#define PIECE 4096u
/* OACS bit 2: Firmware Commit and Firmware Image Download (NVMe 2.0c, figure 275). */
#define OACS_FIRMWARE 4u
/* How long a drive may take to come back beyond MTFA: CONTRACT section 5. */
#define EXTRA_SECONDS 20u

static void note(struct fw_plan *plan, const char *fmt, ...) PRINTF(2, 3);
static void note(struct fw_plan *plan, const char *fmt, ...)
{
	va_list ap;

	if (plan->n_notes == ARRAY_SIZE(plan->notes))
		return;
	va_start(ap, fmt);
	vsnprintf(plan->notes[plan->n_notes++], sizeof(plan->notes[0]), fmt, ap);
	va_end(ap);
}

static int check_drive(const struct fw_facts *f, struct ssd_err *err)
{
	if (!(f->oacs & OACS_FIRMWARE))
		return ssd_fail(err, SSD_ERR_UNSUPPORTED, "this drive has no firmware download (OACS 0x%04x)", f->oacs);
	if (!fw_slot_count(f))
		return ssd_fail(err, SSD_ERR_UNSUPPORTED, "this drive says that it has no firmware slots (FRMW 0x%02x)",
				f->frmw);
	if (f->busy_with) {
		ssd_fail(err, SSD_ERR_REFUSED, "%s is running; nothing was sent", f->busy_with);
		ssd_hint(err, "wait until it has ended");
		return -1;
	}
	return 0;
}

static int check_size(size_t size, unsigned quirks, struct ssd_err *err)
{
	if (!size)
		return ssd_fail(err, SSD_ERR_BAD_INPUT, "the image is empty");
	if (size > FW_IMAGE_MAX)
		return ssd_fail(err, SSD_ERR_BAD_INPUT, "the image has %zu bytes, more than any firmware (64 MiB)",
				size);
	if (size % 4 && !(quirks & FW_QUIRK_PAD_FF)) {
		ssd_fail(err, SSD_ERR_BAD_INPUT, "the image has %zu bytes, which is not a multiple of 4", size);
		ssd_hint(err, "the file may be damaged or incomplete: images are sent in units of 4 bytes");
		return -1;
	}
	return 0;
}

/* The most that one command may carry; 0: no limit is known. */
static uint32_t transfer_limit(const struct fw_facts *f)
{
	uint32_t limit = f->mdts && f->mdts < 20 ? PIECE << f->mdts : 0;

	if (f->max_transfer && (!limit || f->max_transfer < limit))
		limit = f->max_transfer;
	return limit;
}

/* FWUG 0: not told; FFh: no restriction; both with pieces that every drive was tried with. */
static void choose_pieces(const struct fw_facts *f, size_t size, struct fw_plan *plan)
{
	uint32_t unit = f->fwug && f->fwug != 0xff ? f->fwug * PIECE : PIECE, limit = transfer_limit(f);

	if (limit && unit > limit) {
		note(plan,
		     "granularity %u KiB (FWUG) exceeds the largest transfer, %u KiB: pieces of 4 KiB are sent; the "
		     "running "
		     "firmware may report it wrongly",
		     unit >> 10, limit >> 10);
		unit = PIECE;
	}
	plan->chunk_bytes = unit;
	plan->padded_size = size;
	if (plan->quirks & FW_QUIRK_PAD_FF)
		plan->padded_size = (size + unit - 1) / unit * unit;
	plan->chunks = (plan->padded_size + plan->chunk_bytes - 1) / plan->chunk_bytes;
	if (plan->padded_size > size)
		note(plan, "%zu bytes FFh follow the image, as this vendor's drives want whole pieces",
		     plan->padded_size - size);
	else if (size % unit && unit > PIECE)
		note(plan, "the image is no multiple of the granularity, %u KiB: the last piece is shorter",
		     unit >> 10);
}

/* Slots from worst to best for being written without having been asked for. */
enum rank { NOT_WRITABLE, RUNNING, NEXT, OCCUPIED, EMPTY };

static enum rank rank(const struct fw_facts *f, unsigned slot)
{
	if (!fw_slot_writable(f, slot))
		return NOT_WRITABLE;
	if (slot == fw_running_slot(f))
		return RUNNING;
	if (slot == fw_next_slot(f))
		return NEXT;
	return *f->revisions[slot - 1] ? OCCUPIED : EMPTY;
}

static unsigned best_slot(const struct fw_facts *f)
{
	enum rank best_rank = NOT_WRITABLE;
	unsigned best = 0;

	for (unsigned slot = 1; slot <= fw_slot_count(f); slot++) {
		if (rank(f, slot) <= best_rank)
			continue;
		best = slot;
		best_rank = rank(f, slot);
	}
	return best;
}

static int check_slot(const struct fw_facts *f, unsigned slot, bool write, struct ssd_err *err)
{
	if (slot > fw_slot_count(f))
		return ssd_fail(err, SSD_ERR_UNSUPPORTED, "slot %u: this drive has %u firmware slot%s", slot,
				fw_slot_count(f), fw_slot_count(f) == 1 ? "" : "s");
	if (write && !fw_slot_writable(f, slot))
		return ssd_fail(err, SSD_ERR_UNSUPPORTED, "slot %u is read-only on this drive (FRMW 0x%02x)", slot,
				f->frmw);
	return 0;
}

/* What is lost by the choice of slot. */
static void note_slot(const struct fw_facts *f, struct fw_plan *plan)
{
	const char *fallback = f->frmw & 1 && fw_running_slot(f) != 1 ? f->revisions[0] : "";

	plan->replaces_running = plan->slot && plan->slot == fw_running_slot(f);
	if (plan->replaces_running && *fallback)
		note(plan, "slot %u is the running one and is overwritten; slot 1 (%s) is read-only and stays",
		     plan->slot, fw_shown(fallback).s);
	else if (plan->replaces_running)
		note(plan, "slot %u is the running one and is overwritten", plan->slot);
	else if (plan->slot && plan->slot == fw_next_slot(f))
		note(plan, "slot %u (%s) waits for its activation and is replaced", plan->slot,
		     *f->revisions[plan->slot - 1] ? fw_shown(f->revisions[plan->slot - 1]).s : "empty");
	else if (plan->slot && !fw_running_slot(f))
		note(plan, "the drive does not say which slot runs: slot %u, which is overwritten, may be it",
		     plan->slot);
}

/* Which slot runs is not known: none is chosen that may be it, unless there is no other. */
static int check_choice(const struct fw_facts *f, unsigned chosen, struct ssd_err *err)
{
	for (unsigned slot = 1; slot <= fw_slot_count(f); slot++) {
		if (slot == chosen || !fw_slot_writable(f, slot))
			continue;
		ssd_fail(err, SSD_ERR_REFUSED,
			 "the drive does not say which slot runs (AFI 0x%02x), and its revisions do not tell; nothing "
			 "was sent",
			 f->afi);
		ssd_hint(err, "see ssdct fw status, and choose the slot to write with --slot N");
		return -1;
	}
	return 0;
}

static int choose_slot(const struct fw_facts *f, unsigned wanted, struct fw_plan *plan, struct ssd_err *err)
{
	if (wanted && check_slot(f, wanted, true, err))
		return -1;
	plan->commits = true;
	plan->slot = wanted ? wanted : best_slot(f);
	if (!plan->slot)
		return ssd_fail(err, SSD_ERR_UNSUPPORTED, "no firmware slot of this drive can be written (FRMW 0x%02x)",
				f->frmw);
	if (!wanted && !fw_running_slot(f) && check_choice(f, plan->slot, err))
		return -1;
	note_slot(f, plan);
	return 0;
}

static int check_live(const struct fw_facts *f, unsigned quirks, struct ssd_err *err)
{
	if (!fw_activates_live(f)) {
		ssd_fail(err, SSD_ERR_UNSUPPORTED, "this drive cannot activate firmware without a reset (FRMW 0x%02x)",
			 f->frmw);
		ssd_hint(err, "use --activate reset, or --activate later and a reset when it suits");
		return -1;
	}
	if (quirks & FW_QUIRK_NO_LIVE) {
		ssd_fail(err, SSD_ERR_REFUSED, "drives of this kind must not activate firmware while they run");
		ssd_hint(err, "use --activate later");
		return -1;
	}
	return 0;
}

/* Firmware Commit, CDW10 bits 5:3 (NVMe 2.0c, figure 184): 0 store, 1 store and activate at reset, 3 activate now. */
static int choose_action(const struct fw_facts *f, enum fw_activate activate, struct fw_plan *plan, struct ssd_err *err)
{
	plan->action = activate == FW_STORE ? 0 : activate == FW_NOW ? 3 : 1;
	return activate == FW_NOW ? check_live(f, plan->quirks, err) : 0;
}

unsigned fw_wait_seconds(const struct fw_facts *f, unsigned timeout_seconds)
{
	unsigned mtfa = f->mtfa_100ms < FW_MTFA_MAX ? f->mtfa_100ms : FW_MTFA_MAX;

	return timeout_seconds ? timeout_seconds : (mtfa + 9) / 10 + EXTRA_SECONDS;
}

static void start(const struct fw_facts *f, unsigned timeout_seconds, struct fw_plan *plan)
{
	const struct fw_quirk *quirk = fw_quirk_find(f);

	*plan = (struct fw_plan){.quirks = quirk ? quirk->flags : 0,
				 .wait_seconds = fw_wait_seconds(f, timeout_seconds)};
	if (!timeout_seconds && f->mtfa_100ms > FW_MTFA_MAX)
		note(plan,
		     "the drive says that an activation may take %u s (MTFA): it is waited for %u s, unless --timeout "
		     "says how long",
		     (f->mtfa_100ms + 9u) / 10, plan->wait_seconds);
}

int fw_plan(const struct fw_facts *facts, size_t image_size, const struct fw_options *options, unsigned timeout_seconds,
	    struct fw_plan *plan, struct ssd_err *err)
{
	start(facts, timeout_seconds, plan);
	if (options->expect && !strcmp(options->expect, facts->running_revision)) {
		plan->already_current = true;
		return 0;
	}
	if (check_drive(facts, err) || check_size(image_size, plan->quirks, err) ||
	    choose_slot(facts, options->slot, plan, err) || choose_action(facts, options->activate, plan, err))
		return -1;
	choose_pieces(facts, image_size, plan);
	if (options->activate == FW_RESET && plan->quirks & FW_QUIRK_POWER_CYCLE)
		note(plan, "drives of this kind need a power cycle: no reset is done");
	return 0;
}

int fw_plan_download(const struct fw_facts *facts, size_t image_size, struct fw_plan *plan, struct ssd_err *err)
{
	start(facts, 0, plan);
	if (check_drive(facts, err) || check_size(image_size, plan->quirks, err))
		return -1;
	choose_pieces(facts, image_size, plan);
	return 0;
}

int fw_plan_commit(const struct fw_facts *facts, unsigned slot, unsigned action, unsigned timeout_seconds,
		   struct fw_plan *plan, struct ssd_err *err)
{
	start(facts, timeout_seconds, plan);
	plan->commits = true;
	plan->slot = slot;
	plan->action = action;
	if (check_drive(facts, err) || (slot && check_slot(facts, slot, action < 2, err)))
		return -1;
	if (!slot && action == 2)
		return ssd_fail(err, SSD_ERR_USAGE, "action 2 activates an image that is there: it needs its slot");
	if (action == 2 && !*facts->revisions[slot - 1])
		return ssd_fail(err, SSD_ERR_UNSUPPORTED, "slot %u is empty: there is nothing to activate", slot);
	if (action == 3 && check_live(facts, plan->quirks, err))
		return -1;
	if (action < 2)
		note_slot(facts, plan);
	/* Figure 184: action 3 takes a downloaded image first, and the slot's own when there is none. */
	if (action == 3 && fw_slot_writable(facts, slot))
		note(plan,
		     "an image that was downloaded and never committed replaces slot %u; a reset makes the drive "
		     "forget it",
		     slot);
	return 0;
}

/* NUMD is zero-based; NUMD and OFST count dwords (NVMe 2.0c, figures 188 and 189). */
void fw_plan_download_cmd(const struct fw_plan *plan, size_t k, struct ssd_cmd *cmd)
{
	size_t offset = k * plan->chunk_bytes, left = plan->padded_size - offset;
	uint32_t len = left < plan->chunk_bytes ? (uint32_t)left : plan->chunk_bytes;

	*cmd = (struct ssd_cmd){.opcode = SSD_ADMIN_FIRMWARE_DOWNLOAD,
				.cdw10 = len / 4 - 1,
				.cdw11 = (uint32_t)(offset / 4),
				.data_len = len,
				.direction = SSD_DATA_TO_DRIVE};
}

void fw_plan_commit_cmd(const struct fw_plan *plan, struct ssd_cmd *cmd)
{
	*cmd = (struct ssd_cmd){.opcode = SSD_ADMIN_FIRMWARE_COMMIT, .cdw10 = plan->slot | plan->action << 3};
}
