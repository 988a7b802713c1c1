/* SPDX-License-Identifier: MIT */
/* Power saving of the PCIe link and function. */
#include "doctor.h"

/* The states of a link that a device has: Linux, Documentation/ABI/testing/sysfs-bus-pci, .../link/. */
static const char *const states[] = {"l0s_aspm", "l1_aspm", "l1_1_aspm", "l1_2_aspm", "l1_1_pcipm", "l1_2_pcipm"};

static const char *enabled_states(const struct ssd_doctor *d, char buf[96])
{
	size_t len = 0;

	*buf = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(states); i++)
		if (doctor_int(d, SYS, 0, "class/nvme/%s/device/link/%s", d->drive->device, states[i]) == 1)
			len += (size_t)snprintf(buf + len, 96 - len, "%s%s", len ? ", " : "", states[i]);
	return buf;
}

#define ASPM_ADVICE                                                                                                   \
	"`echo performance >/sys/module/pcie_aspm/parameters/policy`, for good with pcie_aspm.policy=performance on " \
	"the "                                                                                                        \
	"kernel's command line"

void doctor_pcie_aspm(struct ssd_doctor *d)
{
	char policy[DOCTOR_TEXT], on[96];

	if (strcmp(d->drive->transport, "pcie") != 0)
		return;
	/* "[default] performance powersave powersupersave": Linux, drivers/pci/pcie/aspm.c. */
	doctor_text(d, SYS, policy, "module/pcie_aspm/parameters/policy");
	doctor_chosen(policy);
	enabled_states(d, on);
	if (!strncmp(policy, "powersave", 9) || !strncmp(policy, "powersupersave", 14))
		doctor_say(
			d, SSD_WARNING,
			"the policy of PCIe power saving (ASPM) is %s: links sleep when idle, and each waking delays "
			"a command; drives have been lost over it",
			policy);
	else if (*on)
		doctor_say(d, SSD_INFO, "the PCIe link may sleep when idle (%s): each waking delays a command", on);
	else
		return;
	doctor_advise(d, ASPM_ADVICE);
}

/*
 * Linux, Documentation/ABI/testing/sysfs-devices-power: "auto" lets the kernel suspend the device at run time, if its driver
 * does: one that knows nothing of it holds the function awake (local_pci_probe(), drivers/pci/pci-driver.c), so what counts
 * is whether it has ever slept.
 */
void doctor_pcie_sleep(struct ssd_doctor *d)
{
	char control[DOCTOR_TEXT];

	if (!doctor_text(d, SYS, control, "class/nvme/%s/device/power/control", d->drive->device) ||
	    strcmp(control, "auto") != 0 ||
	    doctor_int(d, SYS, 0, "class/nvme/%s/device/power/runtime_suspended_time", d->drive->device) <= 0)
		return;
	doctor_say(d, SSD_INFO,
		   "the kernel suspends the drive's PCI function at run time (power/control is auto), which "
		   "costs the time of waking it");
	doctor_advise(d,
		      "`echo on >/sys/class/nvme/%s/device/power/control`, for good with the line `ACTION==\"add\", "
		      "SUBSYSTEM==\"pci\", KERNEL==\"%s\", ATTR{power/control}=\"on\"` in "
		      "/etc/udev/rules.d/60-ssdct.rules; a power-saving daemon may have set it",
		      d->drive->device, d->drive->address);
}
