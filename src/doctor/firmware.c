/* SPDX-License-Identifier: MIT */
/* Firmware that waits for a reset, and firmware that is known to be bad. */
#include "doctor.h"

#include <fnmatch.h>

/* What became known of revisions; a source per row. The first that matches counts. */
static const struct {
	const char *model, *firmware; /* fnmatch patterns */
	const char *what, *fixed, *source;
} advisories[] = {
	{"Samsung SSD 980 PRO*", "3B2QGXA7", "it can make the drive read-only for good", "5B2QGXA7",
	 "Puget Systems with Samsung, January 2023, in the press"},
	{"KINGSTON SA2000*", "S5Z42105", "the drive may stop answering under Linux", "S5Z42109",
	 "github.com/acidanthera/NVMeFix pull request 4, Kingston's release notes"},
};

static bool advisory(struct ssd_doctor *d)
{
	for (size_t i = 0; i < ARRAY_SIZE(advisories); i++) {
		if (fnmatch(advisories[i].model, d->drive->model, 0) ||
		    fnmatch(advisories[i].firmware, d->drive->firmware, 0))
			continue;
		doctor_say(d, SSD_WARNING, "firmware %s of this model is known to be bad: %s (%s)", d->drive->firmware,
			   advisories[i].what, advisories[i].source);
		doctor_advise(d, "update to %s or later: `ssdct fw update %s --image FILE`", advisories[i].fixed,
			      d->drive->device);
		return true;
	}
	return false;
}

void doctor_firmware_advisory(struct ssd_doctor *d)
{
	if (advisory(d))
		return;
	/* A drive in fault mode is known by its name; the judge of health has the table. */
	for (const struct ssd_node *f = doctor_health(d)->child; f; f = f->next) {
		if (strcmp(ssd_get_str(f, "id", ""), "fault_identity") != 0)
			continue;
		doctor_say(d, doctor_severity(f), "%s", ssd_get_str(f, "message", ""));
		doctor_advise(d, "save what can be read and replace the drive; its maker may know a way to revive it");
	}
}

void doctor_firmware_pending(struct ssd_doctor *d)
{
	const struct ssd_node *log =
		doctor_is_open(d) ? ssd_read_page(d->dev, d->arena, &ssd_page_fw_slot, 0, NULL) : NULL;
	const struct ssd_node *list = ssd_get(log, "slots"), *slot = list ? list->child : NULL;
	int64_t next = ssd_get_int(log, "next", 0);

	/* Some drives say the running slot; that is no change. */
	if (!next || next == ssd_get_int(log, "running", 0))
		return;
	while (slot && ssd_get_int(slot, "slot", 0) != next)
		slot = slot->next;
	doctor_say(
		d, SSD_WARNING,
		"new firmware waits for a reset: slot %lld (%s) runs after it, until then what it mends is not mended",
		(long long)next, ssd_get_str(slot, "revision", "empty"));
	doctor_advise(d, "`ssdct reset %s` when it is not in use; `ssdct fw status %s` says what runs",
		      d->drive->device, d->drive->device);
}
