/* SPDX-License-Identifier: MIT */
/* Making and steering simulated hosts: what `ssdct sim` does. All functions return 0, or -1 with *err set. */
#ifndef SSDCT_SIM_HOST_H
#define SSDCT_SIM_HOST_H

#include "sim/drivejson.h"
#include "sim/models.h"
#include "sim/sim.h"

/* `count` drives of a model. */
struct sim_order {
	const struct sim_model *model;
	unsigned count;
};

/*
 * Makes a simulated host in dir, which must not exist or be empty (else refused): nvme0, nvme1, ... in the order given.
 * The same orders make the same host, serial numbers included.
 */
int sim_host_create(const char *dir, const struct sim_order *orders, size_t n, struct ssd_err *err);

/* The same as a copy of another host directory, recorded or simulated. */
int sim_host_copy(const char *dir, const char *from, struct ssd_err *err);

/* What both share: a new directory, or one that is there and empty; and the host.json that makes it a simulated host. */
int sim_host_begin(const char *dir, struct ssd_err *err);
int sim_host_finish(const char *dir, struct ssd_err *err);

/*
 * A power cycle, or a reset as the host does it, which fault rules may hit. The revisions that run before and after it
 * come out.
 */
int sim_drive_restart(const char *host, const char *name, enum sim_event event, char before[9], char after[9],
		      struct ssd_err *err);

/* Adds a rule to the drive's faults in drive.json; takes no ownership. Its matches are counted from now on. */
int sim_fault_add(const char *host, const char *name, const json_t *rule, struct ssd_err *err);
/* Removes all rules and their match counts, and ends what they did: a drive that has vanished is back. */
int sim_fault_clear(const char *host, const char *name, struct ssd_err *err);

#endif
