/* SPDX-License-Identifier: MIT */
/* What can be asked of the host about a simulated drive besides commands: resets and rescan. */
#include "sim/sim.h"

int sim_control(struct ssd_transport *t, enum ssd_control op)
{
	struct sim *sim = (struct sim *)t;

	if (!sim->simulated)
		return -EROFS;
	if (sim_vanished(sim))
		return -ENODEV;
	switch (op) {
	case SSD_RESCAN: /* the directory is read anew by every command */
	case SSD_RESET_CONTROLLER:
	case SSD_RESET_SUBSYSTEM:
		return 0;
	}
	return -ENOTTY;
}
