/* SPDX-License-Identifier: MIT */
/* Which driver has an NVMe function, when it is not the kernel's nvme. */
#include "doctor.h"

/* Mass storage, non-volatile memory, NVM Express: PCI_CLASS_STORAGE_EXPRESS in Linux, include/linux/pci_ids.h. */
#define CLASS_NVME 0x010802

void doctor_driver(struct ssd_doctor *d)
{
	const char *driver = d->drive->driver;

	if (!*driver || !strcmp(driver, "nvme"))
		return;
	doctor_say(d, SSD_INFO, "the drive's driver is %s, not nvme: what is known of queues and settings may not hold",
		   driver);
	doctor_advise(d, "see the documentation of %s", driver);
}

/* NVMe functions of the host, each with its driver; an empty name when there is none. */
static void each_function(struct ssd_doctor *d,
			  void (*look)(struct ssd_doctor *d, const char *address, const char *driver))
{
	AUTO_NAMES struct scan_names functions = {0};
	char driver[DOCTOR_TEXT];

	doctor_list(d, SYS, NULL, &functions, "bus/pci/devices");
	for (size_t i = 0; i < functions.n; i++) {
		if (doctor_int(d, SYS, 0, "bus/pci/devices/%s/class", functions.v[i]) != CLASS_NVME)
			continue;
		doctor_link(d, SYS, driver, "bus/pci/devices/%s/driver", functions.v[i]);
		look(d, functions.v[i], driver);
	}
}

static bool is_vfio(const char *driver)
{
	return !strncmp(driver, "vfio", 4);
}

static void passed_through(struct ssd_doctor *d, const char *address, const char *driver)
{
	if (!is_vfio(driver))
		return;
	doctor_say(d, SSD_INFO,
		   "the NVMe function at %s has the driver %s: it is passed through to a guest, and this host knows "
		   "nothing of it",
		   address, driver);
	doctor_advise(d, "run ssdct in the guest, or give the drive back: `driverctl unset-override %s`", address);
}

void doctor_passed_through(struct ssd_doctor *d)
{
	each_function(d, passed_through);
}

static void no_driver(struct ssd_doctor *d, const char *address, const char *driver)
{
	if (*driver)
		return;
	doctor_say(d, SSD_WARNING,
		   "the NVMe function at %s has no driver: the kernel does not use the drive, or gave it up", address);
	doctor_advise(d, "see what `dmesg` says of %s; `echo %s >/sys/bus/pci/drivers/nvme/bind` tries again", address,
		      address);
}

void doctor_no_driver(struct ssd_doctor *d)
{
	each_function(d, no_driver);
}

static void other_driver(struct ssd_doctor *d, const char *address, const char *driver)
{
	if (!*driver || is_vfio(driver) || !strcmp(driver, "nvme"))
		return;
	doctor_say(d, SSD_INFO,
		   "the NVMe function at %s has the driver %s: a program has it, and the kernel and ssdct do not see "
		   "the drive",
		   address, driver);
	doctor_advise(d, "to give it back, end the program (with SPDK: `scripts/setup.sh reset`)");
}

void doctor_other_driver(struct ssd_doctor *d)
{
	each_function(d, other_driver);
}
