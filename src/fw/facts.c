/* SPDX-License-Identifier: MIT */
/* What the drive says about its firmware: Identify Controller and log page 03h, never sysfs. */
#include <ssdct/fw.h>

#include <ssdct/le.h>

/* Identify Controller, NVM Express Base Specification 2.0c, figure 275. */
enum {
	VID = 0,
	SSVID = 2,
	SN = 4,
	MN = 24,
	FR = 64,
	MDTS = 77,
	OACS = 256,
	FRMW = 260,
	MTFA = 270,
	FWUG = 319,
};
/* Log page 03h of the same specification. */
enum { LOG_SLOTS = 0x03, AFI = 0, FRS = 8 };
/* Reserved in the specification; fwupd found drives that say "update in progress" with it (fwupd fa22c8dfa). */
#define AFI_BUSY 8u

/* Text of a field: as far as its first NUL, trimmed; anything but printable ASCII becomes a question mark. */
static void text(const uint8_t *bytes, size_t width, char *buf)
{
	size_t start = 0, end = 0;

	while (end < width && bytes[end])
		end++;
	while (start < end && bytes[start] == ' ')
		start++;
	while (end > start && bytes[end - 1] == ' ')
		end--;
	for (size_t i = start; i < end; i++)
		*buf++ = bytes[i] >= 0x20 && bytes[i] < 0x7f ? (char)bytes[i] : '?';
	*buf = '\0';
}

static void from_identify(const uint8_t *id, struct fw_facts *f)
{
	f->vid = ssd_le16(id + VID);
	f->ssvid = ssd_le16(id + SSVID);
	text(id + SN, 20, f->serial);
	text(id + MN, 40, f->model);
	text(id + FR, 8, f->running_revision);
	f->mdts = id[MDTS];
	f->oacs = ssd_le16(id + OACS);
	f->frmw = id[FRMW];
	f->mtfa_100ms = ssd_le16(id + MTFA);
	f->fwug = id[FWUG];
}

static int log_page(struct ssd_device *dev, uint8_t lid, uint8_t *buf, size_t len, struct ssd_err *err)
{
	struct ssd_log_request req = {.lid = lid, .nsid = SSD_NSID_ALL};
	size_t got;

	if (ssd_get_log(dev, &req, buf, len, &got, err))
		return -1;
	memset(buf + got, 0, len - got);
	return 0;
}

/* While a drive sanitizes it does not show its slots: the reason is the operation. */
static int fail_busy(struct ssd_device *dev, const struct fw_facts *facts, struct ssd_err *err)
{
	if (!facts->busy_with)
		return -1;
	ssd_fail(err, SSD_ERR_REFUSED, "%s: %s is running, and the drive does not show its firmware slots meanwhile",
		 dev->drive->device, facts->busy_with);
	ssd_hint(err, "wait until it has ended");
	return -1;
}

int fw_facts_read(struct ssd_device *dev, struct fw_facts *facts, struct ssd_err *err)
{
	AUTO_FREE uint8_t *buf = ssd_page_alloc(4096);

	*facts =
		(struct fw_facts){.pci_device = dev->drive->pci_device, .max_transfer = dev->drive->max_transfer_bytes};
	free(dev->id_ctrl);
	dev->id_ctrl = NULL;
	if (ssd_id_ctrl(dev, err))
		return -1;
	from_identify(dev->id_ctrl, facts);
	facts->busy_with = ssd_busy_with(dev);
	if (log_page(dev, LOG_SLOTS, buf, 512, err))
		return fail_busy(dev, facts, err);
	facts->afi = buf[AFI];
	facts->busy = buf[AFI] & AFI_BUSY;
	for (size_t i = 0; i < FW_SLOTS; i++)
		text(buf + FRS + 8 * i, 8, facts->revisions[i]);
	return 0;
}
