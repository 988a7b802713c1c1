/* SPDX-License-Identifier: MIT */
/* What the drive says about its firmware: Identify Controller and log page 03h, never sysfs. */
#include <ssdct/fw.h>

#include <ssdct/le.h>
#include <ssdct/page.h>

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
	SANICAP = 328,
	ID_NEEDED = SANICAP + 4,
};
/* Log page 03h of the same specification. */
enum { LOG_SLOTS = 0x03, AFI = 0, FRS = 8, SLOTS_NEEDED = FRS + 8 * FW_SLOTS };
/* Reserved in the specification; fwupd found drives that say "update in progress" with it (fwupd fa22c8dfa). */
#define AFI_BUSY 8u

/* Text of a field: as far as its first NUL, trimmed. */
static void text(const uint8_t *bytes, size_t width, char *buf)
{
	size_t start = 0, end = 0;

	while (end < width && bytes[end])
		end++;
	while (start < end && bytes[start] == ' ')
		start++;
	while (end > start && bytes[end - 1] == ' ')
		end--;
	memcpy(buf, bytes + start, end - start);
	buf[end - start] = '\0';
}

struct fw_text fw_shown(const char *text)
{
	struct fw_text shown;
	size_t len = 0;

	for (; *text && len + 5 <= sizeof(shown.s); text++)
		len += (size_t)sprintf(shown.s + len, *text < ' ' || *text > '~' ? "\\x%02X" : "%c", (uint8_t)*text);
	shown.s[len] = '\0';
	return shown;
}

unsigned fw_running_slot(const struct fw_facts *f)
{
	unsigned said = f->afi & 7, found = 0;

	for (unsigned slot = 1; !said && slot <= FW_SLOTS; slot++) {
		if (!*f->running_revision || strcmp(f->revisions[slot - 1], f->running_revision) != 0)
			continue;
		if (found)
			return 0;
		found = slot;
	}
	return said ? said : found;
}

static void from_identify(const uint8_t *id, struct fw_facts *f)
{
	char model[41];

	f->vid = ssd_le16(id + VID);
	f->ssvid = ssd_le16(id + SSVID);
	text(id + SN, 20, f->serial);
	text(id + MN, 40, model);
	ssd_strcpy(f->model, sizeof(f->model), fw_shown(model).s);
	text(id + FR, 8, f->running_revision);
	f->mdts = id[MDTS];
	f->oacs = ssd_le16(id + OACS);
	f->frmw = id[FRMW];
	f->mtfa_100ms = ssd_le16(id + MTFA);
	f->fwug = id[FWUG];
}

/* A log page of which `needed` bytes matter. */
static int log_page(struct ssd_device *dev, uint8_t lid, uint8_t *buf, size_t len, size_t needed, struct ssd_err *err)
{
	struct ssd_log_request req = {.lid = lid, .nsid = SSD_NSID_ALL};
	size_t got;

	if (ssd_get_log(dev, &req, buf, len, &got, err))
		return -1;
	return got < needed ? ssd_fail_short(dev, ssd_log_page(lid)->field.label, got, needed, err) : 0;
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

static int read_identify(struct ssd_device *dev, struct fw_facts *facts, struct ssd_err *err)
{
	*facts =
		(struct fw_facts){.pci_device = dev->drive->pci_device, .max_transfer = dev->drive->max_transfer_bytes};
	if (ssd_id_ctrl_anew(dev, ID_NEEDED, err))
		return -1;
	from_identify(dev->id_ctrl, facts);
	facts->busy_with = ssd_busy_with(dev);
	facts->identified = true;
	return 0;
}

static int read_slots(struct ssd_device *dev, struct fw_facts *facts, uint8_t *buf, struct ssd_err *err)
{
	if (log_page(dev, LOG_SLOTS, buf, 512, SLOTS_NEEDED, err))
		return fail_busy(dev, facts, err);
	facts->afi = buf[AFI];
	facts->busy = buf[AFI] & AFI_BUSY;
	for (size_t i = 0; i < FW_SLOTS; i++)
		text(buf + FRS + 8 * i, 8, facts->revisions[i]);
	facts->slots_known = true;
	return 0;
}

int fw_facts_read(struct ssd_device *dev, struct fw_facts *facts, struct ssd_err *err)
{
	AUTO_FREE uint8_t *buf = ssd_page_alloc(4096);

	if (read_identify(dev, facts, err) || read_slots(dev, facts, buf, err))
		return -1;
	return 0;
}

int fw_facts_read_some(struct ssd_device *dev, struct fw_facts *facts, struct ssd_err *err)
{
	AUTO_FREE uint8_t *buf = ssd_page_alloc(4096);

	if (read_identify(dev, facts, err))
		return -1;
	read_slots(dev, facts, buf, err);
	return 0;
}
