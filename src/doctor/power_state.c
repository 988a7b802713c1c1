/* SPDX-License-Identifier: MIT */
/* Power states: the one that the drive is in, and those that it goes to by itself. */
#include "doctor.h"

/* NVM Express Base Specification 2.0c, 5.27.1.2 Power Management: bits 4:0; 5.27.1.9 APST: bit 0, enabled. */
enum { FEATURE_POWER_MANAGEMENT = 0x02, FEATURE_APST = 0x0c };

static const struct ssd_node *state(const struct ssd_node *id, unsigned number)
{
	const struct ssd_node *list = ssd_get(id, "psd"), *n = list ? list->child : NULL;

	while (n && number--)
		n = n->next;
	return n;
}

static double watts(const struct ssd_node *state)
{
	const struct ssd_node *n = ssd_get(state, "max_power_watts");

	return n ? n->real : 0;
}

void doctor_power_state(struct ssd_doctor *d)
{
	const struct ssd_node *id = doctor_id_ctrl(d), *now;
	uint32_t value;

	if (!id || !doctor_feature(d, FEATURE_POWER_MANAGEMENT, &value) || !(value & 0x1f))
		return;
	now = state(id, value & 0x1f);
	/* A state without I/O is one that the drive sleeps in, and leaves by itself. */
	if (ssd_get_int(now, "flags.non_operational", 0))
		return;
	if (watts(now) > 0 && watts(state(id, 0)) > 0)
		doctor_say(d, SSD_WARNING,
			   "the drive is held in power state %u: at most %.2f W instead of %.2f W, and "
			   "slower for it",
			   value & 0x1f, watts(now), watts(state(id, 0)));
	else
		doctor_say(d, SSD_WARNING, "the drive is held in power state %u, in which it may be slower than in 0",
			   value & 0x1f);
	doctor_advise(d, "`ssdct feature set %s 0x02 0`, for good with --save where the drive can save it",
		      d->drive->device);
}

/* The longest waking of the states that the kernel lets the drive use: all within its limit. */
static int64_t longest_waking(const struct ssd_node *id, long long limit)
{
	const struct ssd_node *list = ssd_get(id, "psd");
	int64_t longest = 0;

	for (const struct ssd_node *s = list ? list->child : NULL; s; s = s->next) {
		int64_t us = ssd_get_int(s, "entry_latency_us", 0) + ssd_get_int(s, "exit_latency_us", 0);

		if (ssd_get_int(s, "flags.non_operational", 0) && us > longest && (limit < 0 || us <= limit))
			longest = us;
	}
	return longest;
}

void doctor_apst(struct ssd_doctor *d)
{
	const struct ssd_node *id = doctor_id_ctrl(d);
	long long limit = doctor_int(d, SYS, -1, "class/nvme/%s/power/pm_qos_latency_tolerance_us", d->drive->device);
	uint32_t value;
	int64_t us;

	if (!ssd_get_int(id, "apsta.supported", 0) || !doctor_feature(d, FEATURE_APST, &value) || !(value & 1))
		return;
	us = longest_waking(id, limit);
	if (us)
		doctor_say(d, SSD_INFO,
			   "the drive puts itself to sleep when idle (APST): the first command afterwards waits "
			   "up to %lld us, and some drives do not come back",
			   (long long)us);
	else
		doctor_say(d, SSD_INFO,
			   "the drive puts itself to sleep when idle (APST): the first command afterwards "
			   "waits, and some drives do not come back");
	doctor_advise(d,
		      "`echo 0 >/sys/class/nvme/%s/power/pm_qos_latency_tolerance_us`, for good with "
		      "nvme_core.default_ps_max_latency_us=0 on the kernel's command line",
		      d->drive->device);
}
