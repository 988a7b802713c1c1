/* SPDX-License-Identifier: MIT */
/* Errors that the drive's PCIe function has counted: Linux, Documentation/ABI/testing/sysfs-bus-pci-devices-aer_stats. */
#include "doctor.h"

static long long total(const struct ssd_doctor *d, const char *word, const char *file)
{
	return doctor_line_int(d, SYS, word, 0, "class/nvme/%s/device/%s", d->drive->device, file);
}

void doctor_pcie_errors(struct ssd_doctor *d)
{
	long long corrected = total(d, "TOTAL_ERR_COR", "aer_dev_correctable");
	long long nonfatal = total(d, "TOTAL_ERR_NONFATAL", "aer_dev_nonfatal");
	long long fatal = total(d, "TOTAL_ERR_FATAL", "aer_dev_fatal");

	if (corrected <= 0 && nonfatal <= 0 && fatal <= 0)
		return;
	doctor_say(
		d, nonfatal > 0 || fatal > 0 ? SSD_WARNING : SSD_INFO,
		"PCIe errors since boot: %lld corrected, %lld not fatal, %lld fatal; what was corrected was sent twice",
		corrected, nonfatal, fatal);
	doctor_advise(d,
		      "if the numbers in /sys/class/nvme/%s/device/aer_dev_* grow under load, re-seat drive, riser and "
		      "cable",
		      d->drive->device);
}
