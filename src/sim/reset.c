/* SPDX-License-Identifier: MIT */
/* What can be asked of the host about a simulated drive besides commands: resets and rescan. */
#include "sim/sim.h"

#define SMART_POWER_CYCLES 112 /* NVMe 1.4, SMART / Health Information log page */

static int count_power_cycle(struct sim *sim)
{
	struct sim_txn txn;
	uint64_t count;
	int rc = sim_begin(sim, &txn), end;

	if (rc)
		return rc;
	rc = sim_smart_count(sim, SMART_POWER_CYCLES, &count);
	end = sim_commit(sim, &txn, false);
	return rc ? rc : end;
}

int sim_restart(struct sim *sim, enum sim_event event)
{
	int rc = sim_fw_event(sim, event);

	if (!rc)
		rc = sim_selftest_event(sim);
	if (!rc)
		rc = sim_max_lba_event(sim);
	if (!rc)
		rc = sim_feature_event(sim);
	return rc || event != SIM_POWER_CYCLE ? rc : count_power_cycle(sim);
}

static int reset(struct sim *sim, enum sim_fault_reset kind)
{
	struct sim_call call = {.sim = sim, .reset = kind};
	int rc = sim_faults(&call);

	if (rc)
		return rc;
	sim_sleep_us(call.delay_ms * 1000);
	if (call.effect == SIM_EFFECT_ERRNO)
		return -(int)call.effect_value;
	rc = sim_restart(sim, kind == SIM_RESET_SUBSYSTEM ? SIM_SUBSYSTEM_RESET : SIM_CONTROLLER_RESET);
	if (!rc && call.effect == SIM_EFFECT_VANISH)
		rc = sim_vanish(sim, call.effect_value);
	if (!rc && call.effect == SIM_EFFECT_LOST)
		rc = -(int)call.effect_value;
	return rc;
}

int sim_control(struct ssd_transport *t, enum ssd_control op)
{
	struct sim *sim = (struct sim *)t;

	if (!sim->simulated)
		return -EROFS;
	sim_follow_config(sim);
	if (sim_vanished(sim))
		return -ENODEV;
	switch (op) {
	case SSD_RESCAN: /* the directory is read anew by every command */
		return 0;
	case SSD_RESET_CONTROLLER:
		return reset(sim, SIM_RESET_CONTROLLER);
	case SSD_RESET_SUBSYSTEM:
		return reset(sim, SIM_RESET_SUBSYSTEM);
	}
	return -ENOTTY;
}
