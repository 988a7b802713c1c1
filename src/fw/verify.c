/* SPDX-License-Identifier: MIT */
/* What became of an update, judged from what the drive says afterwards. */
#include "fw/run.h"

const char *fw_result_word(enum fw_result result)
{
	static const char *const words[] = {
		[FW_ACTIVE] = "active",
		[FW_STORED] = "stored",
		[FW_ALREADY_CURRENT] = "already_current",
		[FW_PENDING_CONTROLLER_RESET] = "pending_controller_reset",
		[FW_PENDING_SUBSYSTEM_RESET] = "pending_subsystem_reset",
		[FW_PENDING_CONVENTIONAL_RESET] = "pending_conventional_reset",
		[FW_PENDING_POWER_CYCLE] = "pending_power_cycle",
		[FW_UNCHANGED] = "unchanged",
		[FW_NOT_APPLIED] = "not_applied",
		[FW_NOT_ATTEMPTED] = "not_attempted",
		[FW_DRY_RUN] = "dry_run",
		[FW_UNKNOWN] = NULL,
	};

	return words[result];
}

static const char *revision(const struct fw_facts *f, unsigned slot)
{
	return slot ? f->revisions[slot - 1] : "";
}

static bool slot_changed(const struct fw_facts *a, const struct fw_facts *b, unsigned slot)
{
	return slot && strcmp(revision(a, slot), revision(b, slot)) != 0;
}

static bool running_changed(const struct fw_facts *a, const struct fw_facts *b)
{
	return strcmp(a->running_revision, b->running_revision) != 0;
}

static bool running_slot_changed(const struct fw_facts *a, const struct fw_facts *b)
{
	unsigned before = fw_running_slot(a), after = fw_running_slot(b);

	return before && after && before != after;
}

/* The plan's, or when the controller chose, the one that differs, or that is next now and was not before. */
unsigned fw_target(const struct fw_plan *plan, const struct fw_facts *before, const struct fw_facts *after)
{
	unsigned next = fw_next_slot(after);

	for (unsigned slot = 1; !plan->slot && slot <= FW_SLOTS; slot++)
		if (slot_changed(before, after, slot))
			return slot;
	return !plan->slot && plan->action && next != fw_next_slot(before) ? next : plan->slot;
}

enum fw_trace fw_commit_trace(const struct fw_plan *plan, const struct fw_facts *before, const struct fw_facts *after)
{
	unsigned slot = fw_target(plan, before, after);
	bool was_next = slot && fw_next_slot(before) == slot, is_next = slot && fw_next_slot(after) == slot;

	if (running_changed(before, after) || running_slot_changed(before, after))
		return FW_TRACE_DONE;
	if (plan->action != 2 && slot_changed(before, after, slot))
		return FW_TRACE_DONE;
	if (plan->action && is_next && !was_next)
		return FW_TRACE_DONE;
	/* It says what is next, and that is another slot. */
	if ((plan->action == 1 || plan->action == 2) && slot && fw_next_slot(after) && !is_next)
		return FW_TRACE_REFUTED;
	/* What was there before looks the same afterwards when the same revision is written once more. */
	if (plan->action == 0 ? *revision(before, slot) != '\0' : was_next)
		return FW_TRACE_UNDECIDABLE;
	return FW_TRACE_NONE;
}

static const char *device(const struct fw_exec *e)
{
	return e->job->dev->drive->device;
}

static int unverified(struct fw_exec *e, enum fw_result result, enum ssd_err_code code, struct ssd_err *err,
		      const char *text, const char *what)
{
	e->out->result = result;
	return ssd_fail(err, code, "%s: %s %s", device(e), text, fw_shown(what).s);
}

int fw_verify_stored(struct fw_exec *e, struct ssd_err *err)
{
	const struct fw_facts *after = &e->out->facts;
	unsigned slot = fw_target(e->job->plan, e->job->before, after);

	e->out->result = FW_STORED;
	if (!slot) {
		e->out->result = FW_UNKNOWN;
		return ssd_fail(err, SSD_ERR_UNVERIFIED,
				"%s: the drive accepted the image and chose the slot itself, but its slot log shows no "
				"change",
				device(e));
	}
	if (!*revision(after, slot))
		return unverified(e, FW_UNCHANGED, SSD_ERR_UNCHANGED, err,
				  "the drive accepted the image, but its slot is", "empty");
	if (e->job->expect && strcmp(revision(after, slot), e->job->expect) != 0)
		return unverified(
			e, FW_UNCHANGED, SSD_ERR_UNCHANGED, err,
			"the drive accepted the image, but its slot does not hold the expected revision; it holds",
			revision(after, slot));
	if (!slot_changed(e->job->before, after, slot))
		fw_out_note(e->out, "slot %u shows the same revision as before: %s", slot,
			    fw_shown(revision(after, slot)).s);
	return 0;
}

static int fail_expected(struct fw_exec *e, unsigned slot, const char *also, struct ssd_err *err)
{
	const char *holds = revision(&e->out->facts, slot);

	e->out->result = e->pending;
	ssd_fail(err, SSD_ERR_UNVERIFIED,
		 "%s: the drive accepted the image, but its slot does not hold the expected revision; it holds %s%s",
		 device(e), *holds ? fw_shown(holds).s : "nothing", also);
	ssd_hint(err, "what slot %u holds may run after any reset: commit the right firmware before that", slot);
	return -1;
}

/*
 * What is there must be new, or be what is next: a drive that ignored the image, and still holds something else in that slot,
 * is not changed by a reset.
 */
int fw_check_expected(struct fw_exec *e, struct ssd_err *err)
{
	const struct fw_facts *before = e->job->before, *after = &e->out->facts;
	unsigned slot = fw_target(e->job->plan, before, after);

	if (!e->job->expect || !*revision(after, slot) || !strcmp(revision(after, slot), e->job->expect) ||
	    (!slot_changed(before, after, slot) && fw_next_slot(after) != slot))
		return 0;
	return fail_expected(e, slot, "; the drive was not reset", err);
}

/* Some drives list a new revision when it is committed, others when it runs: the slot log alone refutes nothing here. */
int fw_verify_pending(struct fw_exec *e, struct ssd_err *err)
{
	const struct fw_facts *before = e->job->before, *after = &e->out->facts;
	unsigned slot = fw_target(e->job->plan, before, after);
	enum fw_trace trace;

	if (running_changed(before, after))
		return fw_verify_active(e, err);
	e->out->result = e->pending;
	if (e->job->expect && slot_changed(before, after, slot) && strcmp(revision(after, slot), e->job->expect) != 0)
		return fail_expected(e, slot, "", err);
	trace = fw_commit_trace(e->job->plan, before, after);
	if (trace == FW_TRACE_NONE || trace == FW_TRACE_REFUTED)
		fw_out_note(e->out, "the drive accepted the commit; its slot log does not show it yet");
	return 0;
}

/* Every other controller of the subsystem must run the same; one that does not wants a reset of its own. */
static int check_others(struct fw_exec *e, struct ssd_err *err)
{
	struct fw_facts facts;
	char name[32];
	int rc = 1;

	for (size_t n = 0; e->job->other && !(rc = e->job->other(e->job->ctx, n, &facts, name, err)); n++) {
		if (!strcmp(facts.running_revision, e->out->after))
			continue;
		e->out->result = FW_PENDING_CONTROLLER_RESET;
		fw_out_note(e->out, "%s, a controller of the same drive, still runs %s until it is reset", name,
			    fw_shown(facts.running_revision).s);
	}
	if (rc >= 0)
		return 0;
	ssd_err_prefix(err, "%s runs %s, but another controller of the drive could not be asked", device(e),
		       fw_shown(e->out->after).s);
	e->out->result = FW_UNKNOWN;
	return -1;
}

/* The running slot went over to the target, which holds what runs: the same revision in another slot. */
static bool switched(const struct fw_exec *e)
{
	const struct fw_facts *before = e->job->before, *after = &e->out->facts;
	unsigned slot = e->job->plan->slot;

	return slot && running_slot_changed(before, after) && fw_running_slot(after) == slot &&
	       !strcmp(revision(after, slot), after->running_revision);
}

static bool still_next(const struct fw_facts *f, unsigned slot)
{
	return slot && fw_next_slot(f) == slot &&
	       (fw_running_slot(f) != slot || strcmp(revision(f, slot), f->running_revision) != 0);
}

bool fw_changed(const struct fw_exec *e)
{
	return running_changed(e->job->before, &e->out->facts) || switched(e);
}

bool fw_waits(const struct fw_exec *e)
{
	const struct fw_facts *after = &e->out->facts;

	return !fw_changed(e) && still_next(after, fw_target(e->job->plan, e->job->before, after));
}

static int still_runs(struct fw_exec *e, struct ssd_err *err)
{
	unverified(e, FW_UNCHANGED, SSD_ERR_UNCHANGED, err, "the drive accepted the image, but still runs",
		   e->out->facts.running_revision);
	if (!e->job->expect)
		ssd_hint(err, "if the image is this very revision, that cannot be told from no change");
	return -1;
}

/* Without --expect: what the slot log showed after the commit, when that told something; NULL: not known. */
static const char *wanted_revision(const struct fw_exec *e)
{
	const struct fw_plan *plan = e->job->plan;
	unsigned slot = fw_target(plan, e->job->before, &e->after_commit);

	if (e->job->expect)
		return e->job->expect;
	return *revision(&e->after_commit, slot) &&
			       (plan->action == 2 || slot_changed(e->job->before, &e->after_commit, slot))
		       ? revision(&e->after_commit, slot)
		       : NULL;
}

/* The revision that ran before, committed to the slot that ran before: no more than that can be seen. */
static bool same_again(const struct fw_exec *e)
{
	const char *wanted = wanted_revision(e);
	unsigned slot = fw_target(e->job->plan, e->job->before, &e->after_commit);

	return wanted && !strcmp(wanted, e->out->facts.running_revision) && slot == fw_running_slot(e->job->before);
}

bool fw_settled(const struct fw_exec *e)
{
	return fw_changed(e) || same_again(e);
}

int fw_verify_active(struct fw_exec *e, struct ssd_err *err)
{
	const struct fw_facts *before = e->job->before, *after = &e->out->facts;
	unsigned slot = fw_target(e->job->plan, before, &e->after_commit);
	const char *wanted = wanted_revision(e);
	if (!fw_changed(e)) {
		if (still_next(after, slot)) {
			e->out->result = e->out->reset_sent ? FW_PENDING_POWER_CYCLE : e->pending;
			fw_out_note(e->out, "%s not activate slot %u, which still waits",
				    e->out->reset_sent ? "the reset did" : "the drive did", slot);
			return 0;
		}
		if (!same_again(e))
			return still_runs(e, err);
	} else if (wanted && strcmp(wanted, after->running_revision) != 0) {
		return unverified(e, FW_UNKNOWN, SSD_ERR_UNVERIFIED, err,
				  "the running firmware is not the expected one; it is", after->running_revision);
	}
	e->out->result = FW_ACTIVE;
	return check_others(e, err);
}
