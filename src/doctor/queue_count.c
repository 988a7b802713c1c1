/* SPDX-License-Identifier: MIT */
/* I/O queues against CPUs, and where their interrupts go. */
#include "doctor.h"

static bool is_number(const char *name)
{
	return *name && !name[strspn(name, "0123456789")];
}

/* Hardware queues of the block layer; without them the controller's, one of which is for admin commands. */
static long long count_queues(const struct ssd_doctor *d)
{
	AUTO_NAMES struct scan_names queues = {0};
	long long all;

	doctor_queues(d, &queues);
	for (size_t i = 0; i < queues.n; i++) {
		AUTO_NAMES struct scan_names mq = {0};

		doctor_list(d, SYS, is_number, &mq, "class/nvme/%s/%s/mq", d->drive->device, queues.v[i]);
		if (mq.n)
			return (long long)mq.n;
	}
	all = doctor_int(d, SYS, 0, "class/nvme/%s/queue_count", d->drive->device);
	return all > 1 ? all - 1 : 0;
}

void doctor_queue_count(struct ssd_doctor *d)
{
	unsigned cpus = doctor_online_cpus(d);
	long long queues = count_queues(d);

	if (!queues || queues >= cpus)
		return;
	doctor_say(d, SSD_INFO,
		   "%lld I/O queue%s for %u CPUs: CPUs share queues and their locks, and completions arrive on other "
		   "CPUs",
		   queues, queues == 1 ? "" : "s", cpus);
	doctor_advise(d,
		      "`ssdct show %s` tells how many queues the drive grants; if it is more, look at the parameters "
		      "write_queues and poll_queues of the nvme module; if not, keep the heaviest users on few CPUs",
		      d->drive->device);
}

/* Interrupts in use whose CPUs are known, and these CPUs together. */
struct spread {
	unsigned vectors;
	struct doctor_cpus cpus;
};

static void add_vector(const struct ssd_doctor *d, const char *irq, struct spread *s)
{
	/* Where it is delivered, and on old kernels where it may be (Linux, Documentation/core-api/irq/irq-affinity.rst). */
	if (doctor_cpus_read(d, PROC, &s->cpus, "irq/%s/effective_affinity_list", irq) ||
	    doctor_cpus_read(d, PROC, &s->cpus, "irq/%s/smp_affinity_list", irq))
		s->vectors++;
}

void doctor_interrupts(struct ssd_doctor *d)
{
	AUTO_NAMES struct scan_names irqs = {0};
	unsigned cpus = doctor_online_cpus(d), possible;
	struct spread s = {0};

	doctor_list(d, SYS, is_number, &irqs, "class/nvme/%s/device/msi_irqs", d->drive->device);
	for (size_t i = 0; i < irqs.n; i++)
		add_vector(d, irqs.v[i], &s);
	/* The first one may be the admin queue's alone. */
	possible = s.vectors > 1 && s.vectors - 1 < cpus ? s.vectors - 1 : cpus;
	if (s.vectors < 3 || !s.cpus.n || s.cpus.n * 2 > possible)
		return;
	doctor_say(d, SSD_WARNING,
		   "%u interrupts of the drive go to %u of %u CPUs: these CPUs limit the commands per second",
		   s.vectors, s.cpus.n, cpus);
	doctor_advise(
		d,
		"see `grep %sq /proc/interrupts`; write CPUs to /proc/irq/N/smp_affinity_list, and look for what set "
		"them otherwise: irqbalance, isolcpus, irqaffinity",
		d->drive->device);
}
