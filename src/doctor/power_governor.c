/* SPDX-License-Identifier: MIT */
/*
 * The power governor of Intel's drives, a feature of the vendor's module. A P3700 reads 2.2 GB/s capped and 2.8 GB/s at 25 W
 * (AnandTech's review of the P3700).
 */
#include "doctor.h"

#include <ssdct/plugin.h>

void doctor_power_governor(struct ssd_doctor *d)
{
	const struct ssd_node *id = doctor_id_ctrl(d), *governor;
	const struct ssd_feature *feature = id ? ssd_vendor_feature(d->dev, "power-governor") : NULL;
	struct ssd_err err = SSD_ERR_INIT;
	long long mode, watts;

	/* A drive that has refused something of its vendor's is made for another brand, and asked no more. */
	if (!feature || d->dev->vendor_refused)
		return;
	governor = ssd_read_feature(d->dev, d->arena, feature, &err);
	d->dev->vendor_refused |= err.nvme_status >= 0;
	mode = ssd_get_int(governor, "mode", 0);
	watts = ssd_get_int(governor, "limit_watts", 0);
	if (mode <= 0)
		return;
	if (watts)
		doctor_say(d, SSD_WARNING,
			   "the power governor is at %lld: the drive may take %lld W at most, which slows "
			   "writing, and reading too",
			   mode, watts);
	else
		doctor_say(d, SSD_WARNING,
			   "the power governor is at %lld: the drive may take less than its full power, which "
			   "slows writing, and reading too",
			   mode);
	doctor_advise(d,
		      "`ssdct feature set %s power-governor 0`, when slot and cooling can bear the drive's full power; "
		      "for good with --save where the drive can save it",
		      d->drive->device);
}
