/* SPDX-License-Identifier: MIT */
/* Whether this host is itself a guest. */
#include "doctor.h"

/* Makers and products of virtual machines as firmware tables say them: systemd-detect-virt(1) goes by the same. */
static const char *const makers[] = {
	"QEMU",       "VMware",    "innotek GmbH",          "Xen",      "Bochs",   "Parallels", "BHYVE",
	"Amazon EC2", "OpenStack", "Google Compute Engine", "KubeVirt", "Hyper-V", NULL};

static bool is_maker(const char *text)
{
	for (const char *const *m = makers; *m; m++)
		if (strstr(text, *m))
			return true;
	return false;
}

/* The CPU says it (bit 31 of CPUID 1, ECX; Linux calls it "hypervisor"), at least to x86 guests. All CPUs say the same. */
static bool cpu_says(const struct ssd_doctor *d)
{
	AUTO_FCLOSE FILE *f = doctor_open(d, PROC, "cpuinfo");
	AUTO_FREE char *line = NULL;
	size_t size = 0;

	while (f && getline(&line, &size, f) > 0) {
		const char *flag = strstr(line, " hypervisor");

		if (!strncmp(line, "flags", 5))
			return flag && strchr(" \n", flag[strlen(" hypervisor")]);
	}
	return false;
}

/* Domain 0 of Xen has the hardware itself (xen/capabilities says control_d), whatever else looks like a guest. */
static bool is_domain_0(const struct ssd_doctor *d)
{
	char text[DOCTOR_TEXT];

	return doctor_text(d, PROC, text, "xen/capabilities") && strstr(text, "control_d");
}

/* What says that this is a guest: maker and product, the hypervisor's type, or the CPU; empty when nothing does. */
static const char *guest_of(const struct ssd_doctor *d, char buf[2 * DOCTOR_TEXT])
{
	char vendor[DOCTOR_TEXT], product[DOCTOR_TEXT];

	*buf = '\0';
	if (is_domain_0(d))
		return buf;
	doctor_text(d, SYS, vendor, "class/dmi/id/sys_vendor");
	doctor_text(d, SYS, product, "class/dmi/id/product_name");
	/* Linux, Documentation/ABI/stable/sysfs-hypervisor-xen. */
	if (is_maker(vendor) || is_maker(product))
		snprintf(buf, 2 * DOCTOR_TEXT, "%s%s%s", vendor, *vendor && *product ? " " : "", product);
	else if (!doctor_text(d, SYS, buf, "hypervisor/type") && cpu_says(d))
		snprintf(buf, 2 * DOCTOR_TEXT, "the CPU says so");
	return buf;
}

bool doctor_is_guest(const struct ssd_doctor *d)
{
	char buf[2 * DOCTOR_TEXT];

	return *guest_of(d, buf);
}

void doctor_virtual_machine(struct ssd_doctor *d)
{
	char buf[2 * DOCTOR_TEXT];

	if (!*guest_of(d, buf))
		return;
	doctor_say(d, SSD_INFO,
		   "this host is a virtual machine (%.120s): link, queues, interrupts and speed are what its host "
		   "makes of them, and other guests may use the same drive",
		   buf);
	doctor_advise(d, "look at the drive from the host, or pass the whole PCI function through to the guest");
}
