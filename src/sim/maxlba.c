/* SPDX-License-Identifier: MIT */
/*
 * Intel's Max LBA, features C1h and C2h (SPDK nvme_intel.h): how much of the drive its one namespace shows. Setting C1h
 * changes the namespace's size, now or with the next reset, as drive.json says. Its value is drive.json's until a size has
 * changed; from then on it follows from the namespace.
 *
 * The unit is the last LBA (isdct), or the number of blocks, as drive.json says. In drive.json the value of C2h counts
 * blocks of 512 bytes. That both are answered in blocks of the format in use is an assumption: no capture of a drive with
 * another format is known.
 */
#include "sim/sim.h"

#include <endian.h>
#include <ssdct/le.h>

#define FID_MAX_LBA 0xc1
#define FID_NATIVE_MAX_LBA 0xc2
#define NATIVE_SHIFT 9
/* In state.json: blocks that the next reset brings; and, since a size has changed, what the features count. */
#define MAX_LBA "max_lba"
#define UNIT "max_lba_unit"

enum { UNIT_AS_VALUE, UNIT_LAST_LBA, UNIT_COUNT };

static bool is_count(struct sim_call *call, const struct nvme_id_ns *ns)
{
	int64_t unit = call->sim->config.admin.max_lba_unit;
	const json_t *kept = json_object_get(call->sim->shared, UNIT);
	uint64_t value;

	if (unit == UNIT_AS_VALUE && kept)
		return !strcmp(json_string_value(kept) ?: "", "count");
	if (unit == UNIT_AS_VALUE)
		return sim_feature_value(call, FID_MAX_LBA, &value) && value == le64toh(ns->nsze);
	return unit == UNIT_COUNT;
}

/* Last LBA or count: what is to be added to come to the number of blocks. */
static uint64_t beyond(struct sim_call *call, const struct nvme_id_ns *ns)
{
	return !is_count(call, ns);
}

/* The namespaces, and the first one. False: none, and these features are like any others. */
static bool find(const struct sim *sim, const json_t *controllers, size_t *n, uint32_t *nsid, struct nvme_id_ns *ns)
{
	AUTO_FREE uint32_t *nsids = NULL;

	*n = sim_ns_list(sim, controllers, &nsids);
	if (!*n || sim_ns_read(sim, controllers, nsids[0], ns) || !sim_ns_shift(ns))
		return false;
	*nsid = nsids[0];
	return true;
}

/* Blocks of the format that the drive has natively; 0: it does not say. */
static uint64_t native_blocks(struct sim_call *call, const struct nvme_id_ns *ns)
{
	uint64_t value;

	if (!sim_feature_value(call, FID_NATIVE_MAX_LBA, &value))
		return 0;
	return ((value + beyond(call, ns)) << NATIVE_SHIFT) >> sim_ns_shift(ns);
}

bool sim_max_lba_get(struct sim_call *call, uint8_t fid, uint64_t *value)
{
	AUTO_JSON json_t *controllers = NULL;
	const json_t *pending;
	struct nvme_id_ns ns;
	uint64_t blocks;
	uint32_t nsid;
	size_t n;

	if ((fid != FID_MAX_LBA && fid != FID_NATIVE_MAX_LBA) || !call->sim->simulated)
		return false;
	if (fid == FID_MAX_LBA && !json_object_get(call->sim->shared, UNIT))
		return false;
	controllers = sim_controllers(call->sim);
	if (!find(call->sim, controllers, &n, &nsid, &ns))
		return false;
	pending = json_object_get(call->sim->shared, MAX_LBA);
	if (fid == FID_NATIVE_MAX_LBA)
		blocks = native_blocks(call, &ns);
	else
		blocks = pending ? (uint64_t)json_integer_value(pending) : le64toh(ns.nsze);
	if (!blocks)
		return false;
	*value = blocks - beyond(call, &ns);
	return true;
}

/* Whatever lay in the namespace is lost; whoever reads zeros has lost it visibly. */
static void resize(struct sim_change *c, uint32_t nsid, struct nvme_id_ns *ns, uint64_t blocks)
{
	sim_ns_resize(ns, blocks);
	if (ssd_le64(ns->nvmcap))
		ssd_put_le(ns->nvmcap, 8, blocks << sim_ns_shift(ns));
	sim_ns_patch(c, nsid, offsetof(struct nvme_id_ns, nsze), &ns->nsze, offsetof(struct nvme_id_ns, nsfeat));
	sim_ns_patch(c, nsid, offsetof(struct nvme_id_ns, nvmcap), ns->nvmcap, 8);
	sim_change_drop_media(c, nsid);
	sim_ns_changed(c, nsid);
}

void sim_max_lba_keep(struct sim_call *call, struct sim_change *c)
{
	struct nvme_id_ns ns;
	uint64_t value;
	uint32_t nsid;
	size_t n;

	if (!sim_feature_value(call, FID_MAX_LBA, &value) || json_object_get(c->home.state, UNIT) ||
	    !find(&c->home, c->controllers, &n, &nsid, &ns))
		return;
	c->changed = true;
	json_object_set_new(c->home.state, UNIT, json_string(is_count(call, &ns) ? "count" : "last_lba"));
}

static int set(struct sim_call *call, struct sim_change *c, uint64_t value, bool *handled)
{
	uint64_t blocks, native;
	struct nvme_id_ns ns;
	uint32_t nsid;
	size_t n;

	*handled = find(&c->home, c->controllers, &n, &nsid, &ns);
	if (!*handled)
		return 0;
	blocks = value + beyond(call, &ns);
	native = native_blocks(call, &ns);
	if (!blocks || blocks < value || (native && blocks > native))
		return SIM_MAX_LBA_EXCEEDS_CAPACITY;
	if (value < (uint64_t)call->sim->config.admin.max_lba_minimum)
		return SIM_MAX_LBA_BELOW_MINIMUM;
	if (n > 1)
		return SIM_MAX_LBA_BELOW_NAMESPACES;
	if (sim_format_busy(c->home.state, nsid))
		return SIM_FORMAT_IN_PROGRESS;
	sim_max_lba_keep(call, c);
	if (call->sim->config.admin.max_lba_effect) {
		c->changed = true;
		json_object_set_new(c->home.state, MAX_LBA, json_integer((json_int_t)blocks));
	} else {
		resize(c, nsid, &ns, blocks);
	}
	return 0;
}

int sim_max_lba_set(struct sim_call *call, uint64_t value, bool *handled)
{
	struct sim_change c;
	int rc;

	*handled = false;
	if ((call->cmd->cdw10 & 0xff) != FID_MAX_LBA)
		return 0;
	rc = sim_change_begin(call->sim, &c);
	return rc ? rc : sim_change_end(&c, set(call, &c, value, handled));
}

int sim_max_lba_event(struct sim *sim)
{
	struct sim_change c;
	struct nvme_id_ns ns;
	json_t *pending;
	uint32_t nsid;
	size_t n;
	int rc;

	if (!json_object_get(sim_shared(sim), MAX_LBA))
		return 0;
	rc = sim_change_begin(sim, &c);
	if (rc)
		return rc;
	pending = json_object_get(c.home.state, MAX_LBA);
	if (pending && find(&c.home, c.controllers, &n, &nsid, &ns) && n == 1)
		resize(&c, nsid, &ns, (uint64_t)json_integer_value(pending));
	sim_change_forget(&c, MAX_LBA);
	return sim_change_end(&c, 0);
}
