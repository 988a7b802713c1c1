/* SPDX-License-Identifier: MIT */
/*
 * Fault rules. Matches are counted in the state under the rule's own text, so a rule that is edited counts afresh, and
 * never beyond the number that decides anything, so a rule that is spent costs no more writes.
 */
#include "sim/sim.h"

#define MATCHES "fault_matches"
#define VANISHED "vanished_until_ms"

static bool equals(int64_t wanted, uint32_t value)
{
	return wanted < 0 || wanted == value;
}

static const char *const reset_words[] = {
	[SIM_RESET_CONTROLLER] = "controller",
	[SIM_RESET_SUBSYSTEM] = "subsystem",
	[SIM_RESET_ANY] = "any",
};

enum sim_fault_reset sim_fault_reset_of(const char *word)
{
	for (size_t i = SIM_RESET_CONTROLLER; word && i < ARRAY_SIZE(reset_words); i++)
		if (!strcmp(word, reset_words[i]))
			return (enum sim_fault_reset)i;
	return SIM_RESET_NONE;
}

const char *sim_fault_reset_word(enum sim_fault_reset reset)
{
	return reset_words[reset];
}

static bool matches_command(const struct sim_fault *f, const struct ssd_cmd *cmd)
{
	uint32_t low = cmd->cdw10 & 0xff;
	bool log = cmd->opcode == SSD_ADMIN_GET_LOG_PAGE, identify = cmd->opcode == SSD_ADMIN_IDENTIFY;
	bool feature = cmd->opcode == SSD_ADMIN_GET_FEATURES || cmd->opcode == SSD_ADMIN_SET_FEATURES;

	return cmd->io == f->io && equals(f->opcode, cmd->opcode) && equals(f->nsid, cmd->nsid) &&
	       (f->lid < 0 || (log && equals(f->lid, low))) && (f->cns < 0 || (identify && equals(f->cns, low))) &&
	       (f->fid < 0 || (feature && equals(f->fid, low)));
}

/* A rule is for commands or for resets. */
static bool matches(const struct sim_fault *f, const struct sim_call *call)
{
	if (call->cmd)
		return f->reset == SIM_RESET_NONE && matches_command(f, call->cmd);
	return f->reset == SIM_RESET_ANY || f->reset == call->reset;
}

/* Counting ends here: at the last match that has the effect, or at the first when the effect is for ever. */
static uint64_t last(const struct sim_fault *f)
{
	return f->count ? f->nth + f->count - 1 : f->nth;
}

static uint64_t counted(struct sim *sim, const struct sim_fault *f)
{
	return (uint64_t)json_integer_value(json_object_get(json_object_get(sim->state, MATCHES), f->key));
}

static void apply(struct sim_call *call, const struct sim_fault *f)
{
	if (f->effect == SIM_EFFECT_DELAY) {
		call->delay_ms += (uint64_t)f->value;
	} else if (call->effect == SIM_EFFECT_NONE) {
		call->effect = f->effect;
		call->effect_value = f->value;
	}
}

/* Takes the rule's count one further, into `next`; applies the rule when this match is one that it wants. */
static void count_match(struct sim_call *call, const struct sim_fault *f, json_t *next)
{
	uint64_t n = counted(call->sim, f) + 1;

	if (n > last(f)) {
		if (!f->count)
			apply(call, f);
		return;
	}
	json_object_set_new(next, f->key, json_integer((json_int_t)n));
	if (n >= f->nth)
		apply(call, f);
}

static bool needs_counting(struct sim_call *call)
{
	const struct sim_config *config = &call->sim->config;

	for (size_t i = 0; i < config->n_faults; i++)
		if (matches(&config->faults[i], call) &&
		    counted(call->sim, &config->faults[i]) < last(&config->faults[i]))
			return true;
	return false;
}

static void count_all(struct sim_call *call, json_t *next)
{
	const struct sim_config *config = &call->sim->config;

	for (size_t i = 0; i < config->n_faults; i++)
		if (matches(&config->faults[i], call))
			count_match(call, &config->faults[i], next);
}

int sim_faults(struct sim_call *call)
{
	struct sim *sim = call->sim;
	AUTO_JSON json_t *next = NULL;
	struct sim_txn txn;
	json_t *counts;
	int rc;

	if (!sim->config.n_faults)
		return 0;
	sim_state(sim);
	if (!needs_counting(call)) {
		next = json_object();
		count_all(call, next);
		return 0;
	}
	rc = sim_begin(sim, &txn);
	if (rc)
		return rc;
	counts = json_object_get(sim->state, MATCHES);
	next = counts ? json_copy(counts) : json_object();
	count_all(call, next);
	json_object_set(sim->state, MATCHES, next);
	return sim_commit(sim, &txn, true);
}

bool sim_vanished(struct sim *sim)
{
	const json_t *until = json_object_get(sim_state(sim), VANISHED);
	json_int_t ms = json_integer_value(until);

	return until && (ms < 0 || (uint64_t)ms > sim_now_ms());
}

int sim_vanish(struct sim *sim, int64_t ms)
{
	struct sim_txn txn;
	int rc = sim_begin(sim, &txn);

	if (rc)
		return rc;
	json_object_set_new(sim->state, VANISHED, json_integer(ms < 0 ? -1 : (json_int_t)sim_now_ms() + ms));
	return sim_commit(sim, &txn, true);
}
