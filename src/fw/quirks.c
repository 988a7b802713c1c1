/* SPDX-License-Identifier: MIT */
/*
 * Drives that need something special: what other projects learned from vendors and users, with a source per row. The
 * first row that matches counts.
 */
#include <ssdct/fw.h>

#include <fnmatch.h>

#define FWUPD "https://github.com/fwupd/fwupd/commit/"

static const struct fw_quirk quirks[] = {
	/* Phison: the drive takes only whole pieces (fc90f3954), and starts the new firmware after a full shutdown. */
	{0x1987, -1, NULL, NULL, FW_QUIRK_PAD_FF | FW_QUIRK_POWER_CYCLE,
	 FWUPD "4a68fd60dc9546856ca19f540a7225545089d4fd"},
	/* Kingston. */
	{0x2646, -1, NULL, NULL, FW_QUIRK_POWER_CYCLE, FWUPD "b5a1d65448fc2fd5e72374616b5c64f313194f6a"},
	/* Micron: a laptop did not boot until it had been switched off (fwupd/firmware-lenovo#526). */
	{0x1344, -1, NULL, NULL, FW_QUIRK_POWER_CYCLE, FWUPD "fef0f5addd1426de0c15c2349095c18a6995cd7c"},
	/* One Solidigm client drive. */
	{0x025e, 0xf1ab, NULL, NULL, FW_QUIRK_POWER_CYCLE, FWUPD "45f5b50d6f90190ab3cb2aeb99974f8ddc42209d"},
	/* One SK hynix drive: at the next reset, not at once, and after a full shutdown only. */
	{0x1c5c, 0x1d59, NULL, NULL, FW_QUIRK_POWER_CYCLE | FW_QUIRK_NO_LIVE,
	 FWUPD "285edb1e32ca6e41f60512fb6c2f106061806770"},
};

static bool fits(const char *pattern, const char *text)
{
	return !pattern || !fnmatch(pattern, text, 0);
}

const struct fw_quirk *fw_quirk_find(const struct fw_facts *facts)
{
	for (size_t i = 0; i < ARRAY_SIZE(quirks); i++) {
		const struct fw_quirk *q = &quirks[i];

		if ((q->vid < 0 || q->vid == facts->vid) && (q->pci_device < 0 || q->pci_device == facts->pci_device) &&
		    fits(q->model, facts->model) && fits(q->firmware, facts->running_revision))
			return q;
	}
	return NULL;
}
