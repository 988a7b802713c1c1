/* SPDX-License-Identifier: MIT */
/* CPU frequency and idle states: what they cost is latency of every command, which no drive can make good. */
#include "doctor.h"

static bool is_cpu(const char *name)
{
	return !strncmp(name, "cpu", 3) && name[3] && !name[3 + strspn(name + 3, "0123456789")];
}

/*
 * "powersave" of a driver with a governor of its own chooses between all frequencies by load; of any other it is the lowest
 * frequency (Linux, Documentation/admin-guide/pm/cpufreq.rst, intel_pstate.rst, amd-pstate.rst).
 */
static bool is_own_governor(const char *driver)
{
	return !strcmp(driver, "intel_pstate") || !strcmp(driver, "amd-pstate-epp");
}

void doctor_cpu_governor(struct ssd_doctor *d)
{
	AUTO_NAMES struct scan_names cpus = {0};
	char governor[DOCTOR_TEXT], first[DOCTOR_TEXT] = "", driver[DOCTOR_TEXT] = "";
	unsigned n = 0;

	doctor_list(d, SYS, is_cpu, &cpus, "devices/system/cpu");
	for (size_t i = 0; i < cpus.n; i++) {
		if (!doctor_text(d, SYS, governor, "devices/system/cpu/%s/cpufreq/scaling_governor", cpus.v[i]) ||
		    !strcmp(governor, "performance"))
			continue;
		if (!n++) {
			ssd_strcpy(first, sizeof(first), governor);
			doctor_text(d, SYS, driver, "devices/system/cpu/%s/cpufreq/scaling_driver", cpus.v[i]);
		}
	}
	if (!n)
		return;
	if (!strcmp(first, "powersave") && !is_own_governor(driver))
		doctor_say(d, SSD_WARNING,
			   "%u of %zu CPUs have the frequency governor powersave: they stay at their lowest "
			   "frequency, and each command takes longer in the host",
			   n, cpus.n);
	else
		doctor_say(d, SSD_INFO,
			   "%u of %zu CPUs have the frequency governor %.40s: the frequency follows the load, and "
			   "single commands find a slow CPU",
			   n, cpus.n, first);
	/* Linux, Documentation/admin-guide/kernel-parameters.txt, since 5.9. */
	doctor_advise(d, "`cpupower frequency-set -g performance`, at least while measuring; for good with "
			 "cpufreq.default_governor=performance on the kernel's command line");
}

/* A choice, not a fact: half of what a random read of a NAND drive takes (some 100 us); what is below is not felt. */
#define LONG_WAKING_US 50

void doctor_cpu_idle(struct ssd_doctor *d)
{
	AUTO_NAMES struct scan_names states = {0};
	char name[DOCTOR_TEXT] = "";
	long long worst = 0;

	/* Linux, Documentation/admin-guide/pm/cpuidle.rst: latency in microseconds. */
	doctor_list(d, SYS, NULL, &states, "devices/system/cpu/cpu0/cpuidle");
	for (size_t i = 0; i < states.n; i++) {
		long long us = doctor_int(d, SYS, 0, "devices/system/cpu/cpu0/cpuidle/%s/latency", states.v[i]);

		if (us <= worst || doctor_int(d, SYS, 1, "devices/system/cpu/cpu0/cpuidle/%s/disable", states.v[i]))
			continue;
		worst = us;
		doctor_text(d, SYS, name, "devices/system/cpu/cpu0/cpuidle/%s/name", states.v[i]);
	}
	if (worst < LONG_WAKING_US)
		return;
	doctor_say(d, SSD_INFO,
		   "idle CPUs sleep as deep as %.40s, from which they take %lld us to wake: as much is added to a "
		   "single command at low queue depth",
		   name, worst);
	doctor_advise(
		d,
		"`cpupower idle-set -D %d` disables the states that take so long, at the price of power; for good "
		"with intel_idle.max_cstate=1 (elsewhere processor.max_cstate=1) on the kernel's command line",
		LONG_WAKING_US);
}
