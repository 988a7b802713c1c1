/* SPDX-License-Identifier: MIT */
/* Near the drive: its NUMA node's CPUs, as sysfs lists them. */
#include "bench/job.h"

unsigned bench_cpulist(const char *list, cpu_set_t *set)
{
	unsigned n = 0;

	CPU_ZERO(set);
	while (*list >= '0' && *list <= '9') {
		char *end;
		unsigned long first = strtoul(list, &end, 10), last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		if (last < first || last >= CPU_SETSIZE)
			break;
		for (; first <= last; first++, n++)
			CPU_SET(first, set);
		list = *end == ',' ? end + 1 : end;
	}
	return n;
}

void bench_place(int numa_node)
{
	AUTO_FREE char *path = ssd_asprintf("/sys/devices/system/node/node%d/cpulist", numa_node);
	AUTO_FCLOSE FILE *f = numa_node < 0 ? NULL : fopen(path, "re");
	char list[4096] = "";
	cpu_set_t node, allowed;

	if (!f || !fgets(list, sizeof(list), f) || !bench_cpulist(list, &node))
		return;
	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return;
	CPU_AND(&node, &node, &allowed);
	if (CPU_COUNT(&node))
		sched_setaffinity(0, sizeof(node), &node);
}
