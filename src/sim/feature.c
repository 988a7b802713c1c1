/* SPDX-License-Identifier: MIT */
/* Get Features and Set Features: values in drive.json, what has been set since in state.json. */
#include "sim/sim.h"

#include <ssdct/id_ctrl.h>
#include <ssdct/le.h>

#define ONCS_SAVE_SELECT 0x10
#define FID_WORKLOAD_RESET 0xd5
#define FEATURES "features" /* in drive.json and in state.json */

enum { SELECT_CURRENT, SELECT_DEFAULT, SELECT_SAVED, SELECT_CAPABILITIES };
static const char *const select_keys[] = {"current", "default", "saved", "capabilities"};
enum { CAP_SAVEABLE = 1, CAP_PER_NAMESPACE = 2, CAP_CHANGEABLE = 4 };

/* Features whose CDW11 is more than a value, or whose value is not all of CDW11. */
static const struct special {
	uint8_t fid;
	uint32_t selector; /* bits of CDW11 that choose among several values */
	bool wide;         /* the value goes on in CDW12 */
	bool fixed;        /* what the host asks for changes nothing: the drive answers with what it has */
} specials[] = {
	{.fid = 0x04, .selector = 0x003f0000}, /* TMPSEL, THSEL (NVMe 1.4, Temperature Threshold) */
	{.fid = 0x07, .fixed = true},          /* number of queues: allocated once */
	{.fid = 0xc1, .wide = true},           /* Intel Max LBA (SPDK nvme_intel.h) */
};

static struct special special_of(uint8_t fid)
{
	for (size_t i = 0; i < ARRAY_SIZE(specials); i++)
		if (specials[i].fid == fid)
			return specials[i];
	return (struct special){.fid = fid};
}

/* How well a row of drive.json answers the command; 0: it does not. */
static int match(const struct sim_feature *f, const struct ssd_cmd *cmd)
{
	struct special special = special_of(f->fid);
	bool set = cmd->opcode == SSD_ADMIN_SET_FEATURES;
	uint32_t selected = cmd->cdw11 & (special.selector ? special.selector : set ? 0 : UINT32_MAX);

	if (f->fid != (cmd->cdw10 & 0xff) || (f->has_nsid && f->nsid != cmd->nsid))
		return 0;
	if (f->has_cdw11 ? f->cdw11 != selected || (set && !special.selector) : special.selector && selected)
		return 0;
	return 1 + f->has_nsid + 2 * f->has_cdw11;
}

/* A namespace that was created later has what those have that drive.json knows, with a value of its own. */
static const struct sim_feature *of_new_namespace(struct sim_call *call)
{
	const struct sim_config *config = &call->sim->config;

	if (!call->sim->simulated || !call->cmd->nsid || call->cmd->nsid == SSD_NSID_ALL ||
	    !sim_ns_attached(call->sim, call->sim->name, call->cmd->nsid))
		return NULL;
	for (size_t i = 0; i < config->n_features; i++) {
		struct sim_feature *f = &call->feature;

		*f = config->features[i];
		if (f->fid != (call->cmd->cdw10 & 0xff) || !f->has_nsid || f->has_cdw11)
			continue;
		f->nsid = call->cmd->nsid;
		snprintf(call->feature_key, sizeof(call->feature_key), "0x%02x@%u", f->fid, f->nsid);
		f->key = call->feature_key;
		return f;
	}
	return NULL;
}

static const struct sim_feature *find(struct sim_call *call)
{
	const struct sim_config *config = &call->sim->config;
	const struct sim_feature *best = NULL;

	for (size_t i = 0; i < config->n_features; i++)
		if (match(&config->features[i], call->cmd) > (best ? match(best, call->cmd) : 0))
			best = &config->features[i];
	return best ? best : of_new_namespace(call);
}

/* A drive that has the feature for some namespaces only says Invalid Namespace to the others (spdk/spdk#1132). */
static int no_feature(const struct sim_call *call)
{
	const struct sim_config *config = &call->sim->config;

	for (size_t i = 0; i < config->n_features; i++)
		if (config->features[i].fid == (call->cmd->cdw10 & 0xff) && config->features[i].has_nsid &&
		    config->features[i].nsid != call->cmd->nsid)
			return SIM_INVALID_NS;
	return SIM_INVALID_FIELD;
}

static bool has_save_select(const struct sim_call *call)
{
	return ssd_le16(call->id_ctrl + SSD_ID_CTRL_ONCS) & ONCS_SAVE_SELECT;
}

static bool member(const json_t *obj, const char *key, uint64_t *value)
{
	int64_t v;

	if (!sim_json_number(json_object_get(obj, key), INT64_MIN, INT64_MAX, &v))
		return false;
	*value = (uint64_t)v;
	return true;
}

/* The value that drive.json gives, before anything was set. An integer is current and default in one. */
static uint64_t initial(const struct sim_feature *f, unsigned select)
{
	uint64_t value = 0;
	int64_t number;

	if (sim_json_number(f->value, INT64_MIN, INT64_MAX, &number))
		return select == SELECT_CAPABILITIES ? CAP_CHANGEABLE : (uint64_t)number;
	if (member(f->value, select_keys[select], &value))
		return value;
	if (select == SELECT_CAPABILITIES)
		return CAP_CHANGEABLE;
	for (unsigned other = 0; other < SELECT_CAPABILITIES; other++)
		if (member(f->value, select_keys[SELECT_SAVED - other], &value))
			break;
	return value;
}

static uint64_t value_of(struct sim_call *call, const struct sim_feature *f, unsigned select)
{
	const json_t *set = json_object_get(json_object_get(sim_state(call->sim), FEATURES), f->key);
	uint64_t value;

	return member(set, select_keys[select], &value) ? value : initial(f, select);
}

bool sim_feature_value(struct sim_call *call, uint8_t fid, uint64_t *value)
{
	const struct sim_config *config = &call->sim->config;

	for (size_t i = 0; i < config->n_features; i++)
		if (config->features[i].fid == fid && !config->features[i].has_cdw11) {
			*value = value_of(call, &config->features[i], SELECT_CURRENT);
			return true;
		}
	return false;
}

int sim_get_features(struct sim_call *call)
{
	unsigned select = call->cmd->cdw10 >> 8 & 7;
	const struct sim_feature *f = find(call);
	uint8_t data[4096];
	size_t len;
	int rc;

	if (select > SELECT_CAPABILITIES)
		return SIM_INVALID_FIELD;
	rc = sim_feature_buffer(call, select_keys[select], data, &len);
	if (rc)
		return rc;
	if (!f && !len)
		return no_feature(call);
	/* ONCS bit 4 clear: SEL is reserved, unless drive.json answers it all the same. */
	if (select && !has_save_select(call) && !(f && json_object_get(f->value, select_keys[select])))
		return SIM_INVALID_FIELD;
	if (f && !(select == SELECT_CURRENT && sim_max_lba_get(call, f->fid, &call->result)))
		call->result = value_of(call, f, select);
	if (!f && select == SELECT_CAPABILITIES)
		call->result = CAP_CHANGEABLE; /* as may_set() has it */
	if (select != SELECT_CAPABILITIES)
		sim_copy_out(call, data, len);
	return 0;
}

static int may_set(struct sim_call *call, const struct sim_feature *f, bool save)
{
	uint64_t caps = f ? value_of(call, f, SELECT_CAPABILITIES) : CAP_CHANGEABLE;
	uint32_t nsid = call->cmd->nsid;

	/* Only a drive that says its capabilities is known to be so strict. */
	if (f && json_object_get(f->value, select_keys[SELECT_CAPABILITIES]) && !f->has_nsid &&
	    !(caps & CAP_PER_NAMESPACE) && nsid && nsid != SSD_NSID_ALL)
		return SIM_NOT_PER_NS;
	if (!(caps & CAP_CHANGEABLE))
		return SIM_NOT_CHANGEABLE;
	if (!save || caps & CAP_SAVEABLE)
		return 0;
	return has_save_select(call) ? SIM_NOT_SAVEABLE : SIM_INVALID_FIELD;
}

static json_t *object_in(json_t *parent, const char *key)
{
	json_t *child = json_object_get(parent, key);

	if (!child) {
		child = json_object();
		json_object_set_new(parent, key, child);
	}
	return child;
}

static int store_value(struct sim_call *call, const struct sim_feature *f, bool save)
{
	const struct ssd_cmd *cmd = call->cmd;
	struct special special = special_of(f->fid);
	uint64_t value = special.selector ? cmd->cdw11 & 0xffff : cmd->cdw11;
	struct sim_txn txn;
	bool handled;
	json_t *set;
	int rc;

	if (special.wide)
		value |= (uint64_t)cmd->cdw12 << 32;
	rc = sim_max_lba_set(call, value, &handled);
	if (rc || handled)
		return rc;
	rc = sim_begin(call->sim, &txn);
	if (rc)
		return rc;
	set = object_in(object_in(call->sim->state, FEATURES), f->key);
	json_object_set_new(set, "current", json_integer((json_int_t)value));
	if (save)
		json_object_set_new(set, "saved", json_integer((json_int_t)value));
	return sim_commit(call->sim, &txn, true);
}

static int set_one(struct sim_call *call, const struct sim_feature *f, bool save)
{
	int rc = may_set(call, f, save);

	return rc ? rc : store_value(call, f, save);
}

/* FFFFFFFFh: the namespaces that have it, all of them (NVMe 1.4, Set Features). */
static int set_for_all(struct sim_call *call, bool save)
{
	const struct sim_config *config = &call->sim->config;
	int rc = no_feature(call);

	for (size_t i = 0; i < config->n_features; i++) {
		const struct sim_feature *f = &config->features[i];

		if (f->fid != (call->cmd->cdw10 & 0xff) || !f->has_nsid || f->has_cdw11)
			continue;
		rc = set_one(call, f, save);
		if (rc)
			return rc;
	}
	return rc;
}

int sim_set_features(struct sim_call *call)
{
	const struct ssd_cmd *cmd = call->cmd;
	const struct sim_feature *f = find(call);
	bool save = cmd->cdw10 >> 31;
	uint8_t data[4096];
	size_t len;
	int rc = sim_feature_buffer(call, select_keys[SELECT_CURRENT], data, &len);

	if (rc)
		return rc;
	if (!f && !len && (cmd->cdw10 & 0xff) == FID_WORKLOAD_RESET && sim_is_intel(call))
		return sim_workload_reset(call);
	if (!f && !len)
		return cmd->nsid == SSD_NSID_ALL ? set_for_all(call, save) : no_feature(call);
	rc = may_set(call, f, save);
	if (rc)
		return rc;
	if (f && special_of(f->fid).fixed) {
		call->result = value_of(call, f, SELECT_CURRENT);
		return 0;
	}
	if (len && cmd->data_len)
		rc = sim_feature_store(call, save);
	return !rc && f ? store_value(call, f, save) : rc;
}

/* What vendors' features do is in no document, and Namespace Write Protection has states that outlive a reset. */
static bool outlives_resets(const char *key)
{
	unsigned long fid = strtoul(key, NULL, 0);

	return fid >= 0xc0 || fid == 0x84;
}

static json_int_t after_reset(const struct sim *sim, const char *key, const json_t *set)
{
	const json_t *saved = json_object_get(set, "saved");

	if (saved)
		return json_integer_value(saved);
	for (size_t i = 0; i < sim->config.n_features; i++)
		if (!strcmp(sim->config.features[i].key, key))
			return (json_int_t)initial(&sim->config.features[i],
						   json_is_object(sim->config.features[i].value) ? SELECT_SAVED
												 : SELECT_CURRENT);
	return 0;
}

int sim_feature_event(struct sim *sim)
{
	json_t *features = json_object_get(sim_state(sim), FEATURES), *set;
	struct sim_txn txn;
	const char *key;
	int rc;

	if (!json_object_size(features))
		return sim_feature_buffers_event(sim);
	rc = sim_begin(sim, &txn);
	if (rc)
		return rc;
	features = json_object_get(sim->state, FEATURES);
	json_object_foreach(features, key, set) if (!outlives_resets(key))
		json_object_set_new(set, "current", json_integer(after_reset(sim, key, set)));
	rc = sim_commit(sim, &txn, true);
	return rc ? rc : sim_feature_buffers_event(sim);
}
