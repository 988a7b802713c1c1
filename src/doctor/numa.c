/* SPDX-License-Identifier: MIT */
/* Where the drive is, seen from the CPUs. Linux, Documentation/ABI/stable/sysfs-devices-node: a node is 10 from itself. */
#include "doctor.h"

static bool is_node(const char *name)
{
	return !strncmp(name, "node", 4) && name[4] && !name[4 + strspn(name + 4, "0123456789")];
}

/* The largest number in "10 21 21". */
static unsigned long farthest(const char *distances)
{
	unsigned long worst = 0;

	while (*distances) {
		char *end;
		unsigned long v = strtoul(distances, &end, 10);

		if (end == distances)
			break;
		worst = v > worst ? v : worst;
		distances = end;
	}
	return worst;
}

void doctor_numa(struct ssd_doctor *d)
{
	AUTO_NAMES struct scan_names nodes = {0};
	char distances[DOCTOR_TEXT], cpus[DOCTOR_TEXT];
	int node = d->drive->numa_node;

	doctor_list(d, SYS, is_node, &nodes, "devices/system/node");
	if (nodes.n < 2 || strcmp(d->drive->transport, "pcie") != 0)
		return;
	if (node < 0) {
		doctor_say(d, SSD_INFO, "the host has %zu NUMA nodes, and which one the drive is at is not known",
			   nodes.n);
		doctor_advise(
			d, "the firmware of the board (BIOS) does not say it: look for an update, or for the slot in "
			   "the board's manual");
		return;
	}
	doctor_text(d, SYS, distances, "devices/system/node/node%d/distance", node);
	doctor_text(d, SYS, cpus, "devices/system/node/node%d/cpulist", node);
	if (farthest(distances) <= 10)
		return;
	doctor_say(d, SSD_INFO,
		   "the drive is at NUMA node %d of %zu (CPUs %.60s; distances %.60s): from other nodes each command "
		   "crosses the link between the sockets",
		   node, nodes.n, *cpus ? cpus : "not known", distances);
	/* systemd.exec(5) */
	doctor_advise(d,
		      "run what uses the drive there: `numactl --cpunodebind=%d --membind=%d COMMAND`; a service with "
		      "NUMAPolicy=bind, NUMAMask=%d and CPUAffinity=numa in its unit",
		      node, node, node);
}
