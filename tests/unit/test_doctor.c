/* SPDX-License-Identifier: MIT */
/* The doctor as other modules use it: findings that explain one thing, of a drive that is not open. */
#include "check.h"

#include "doctor/doctor.h"
#include "scan_tree.h"

static char said[2048];

static void note(void *ctx, const struct ssd_doctor_finding *f)
{
	size_t len = strlen(said);

	(void)ctx;
	snprintf(said + len, sizeof(said) - len, "%s %s;", ssd_severity_name(f->severity), f->rule->id);
	ck_assert(*f->message && *f->advice);
	ck_assert(f->severity <= f->rule->severity || f->severity == SSD_INFO);
}

/* A drive in half of its lanes, in a virtual machine, with a scheduler; and a function that has no driver. */
static const char *examine(unsigned explains)
{
	static struct ssd_host host = {.backend = SSD_BACKEND_RECORDED};
	struct ssd_drive drive = {.device = "nvme0",
				  .transport = "pcie",
				  .state = "dead",
				  .current_link_speed = "8.0 GT/s PCIe",
				  .max_link_speed = "8.0 GT/s PCIe",
				  .current_link_width = 2,
				  .max_link_width = 4,
				  .numa_node = -1,
				  .host = &host};
	struct ssd_device dev = {.drive = &drive};
	struct ssd_arena *a = ssd_arena_new(1 << 20);
	struct ssd_doctor_roots roots;

	tree_new();
	put("sys/class/nvme/nvme0/nvme0n1/queue", "scheduler", "none [bfq]");
	put("sys/hypervisor", "type", "xen");
	put("sys/bus/pci/devices/0000:05:00.0", "class", "0x010802");
	host.dir = tree_root;
	roots = ssd_doctor_roots_of(&host);
	ck_assert_ptr_nonnull(roots.path[SSD_DOCTOR_SYS]);
	ck_assert_ptr_null(roots.path[SSD_DOCTOR_PROC]);
	*said = '\0';
	ssd_doctor_examine(&dev, a, &roots, explains, note, NULL);
	if (!explains)
		ssd_doctor_examine_host(&roots, a, note, NULL);
	ssd_doctor_roots_free(&roots);
	ssd_arena_free(a);
	return said;
}

START_TEST(explains_what_was_asked)
{
	ck_assert_str_eq(examine(SSD_DOCTOR_SLOW), "warning pcie_width;warning scheduler;info virtual_machine;");
	ck_assert_str_eq(examine(SSD_DOCTOR_RISK), "critical health;");
	ck_assert_str_eq(examine(0), "warning no_driver;");
}
END_TEST

START_TEST(rules_are_complete)
{
	for (const struct ssd_doctor_rule *r = ssd_doctor_rules; r->id; r++) {
		ck_assert(r->explains && r->look && *r->help && *r->cost && r->severity >= SSD_INFO);
		for (const struct ssd_doctor_rule *q = r + 1; q->id; q++)
			ck_assert_str_ne(r->id, q->id);
	}
}
END_TEST

START_TEST(cpu_lists)
{
	struct doctor_cpus cpus = {.n = 0};

	doctor_cpus_add(&cpus, "0-3,8");
	ck_assert_uint_eq(cpus.n, 5);
	doctor_cpus_add(&cpus, "2-4");
	ck_assert_uint_eq(cpus.n, 6);
	doctor_cpus_add(&cpus, "");
	doctor_cpus_add(&cpus, "x");
	doctor_cpus_add(&cpus, "0-99999999999999999999");
	ck_assert_uint_eq(cpus.n, DOCTOR_CPUS);
}
END_TEST

CHECK_MAIN("doctor", explains_what_was_asked, rules_are_complete, cpu_lists)
