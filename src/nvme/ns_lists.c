/* SPDX-License-Identifier: MIT */
/*
 * Which namespaces there are, and who has them, by the drive's own lists. Through what is missing from one somebody loses
 * data: a list that is cut off or out of order is none.
 */
#include <ssdct/admin.h>

#include <ssdct/id_ctrl.h>
#include <ssdct/le.h>
#include <ssdct/status.h>

#define LIST_BYTES 4096
#define LIST_NSIDS (LIST_BYTES / 4)
/* Identify Controller, CMIC: the subsystem may have several controllers. */
#define CMIC_CONTROLLERS 2u

/* CNS values: NVM Express Base Specification 2.0c, figure 273. */
enum { CNS_ACTIVE = 0x02, CNS_ALLOCATED = 0x10, CNS_NS_CONTROLLERS = 0x12, CNS_CONTROLLERS = 0x13 };

static void add(struct ssd_nsids *list, uint32_t nsid)
{
	list->v = ssd_realloc(list->v, list->n + 1, sizeof(*list->v));
	list->v[list->n++] = nsid;
}

/* 1: the list has ended; 0: it goes on above its last NSID. -1 with *err set. */
static int take_page(struct ssd_device *dev, uint8_t cns, const uint8_t *buf, struct ssd_nsids *list,
		     struct ssd_err *err)
{
	for (size_t i = 0; i < LIST_NSIDS; i++) {
		uint32_t nsid = ssd_le32(buf + 4 * i);

		if (!nsid)
			return 1;
		if (nsid >= SSD_NSID_ALL - 1 || (list->n && nsid <= list->v[list->n - 1]))
			return ssd_fail(err, SSD_ERR_NOT_WRITTEN,
					"%s: the list of namespaces (Identify CNS %02Xh) is not in order",
					dev->drive->device, cns);
		add(list, nsid);
	}
	return 0;
}

static int read_nsids(struct ssd_device *dev, uint8_t cns, struct ssd_nsids *list, struct ssd_err *err)
{
	AUTO_FREE uint8_t *buf = ssd_page_alloc(LIST_BYTES);
	size_t got;
	int rc;

	*list = (struct ssd_nsids){0};
	do {
		struct ssd_identify id = {.cns = cns, .nsid = list->n ? list->v[list->n - 1] : 0};

		rc = ssd_identify(dev, &id, buf, &got, err);
		if (!rc && got < LIST_BYTES)
			rc = ssd_fail_short(dev, "list of namespaces", got, LIST_BYTES, err);
		if (!rc)
			rc = take_page(dev, cns, buf, list, err);
	} while (!rc);
	if (rc > 0)
		return 0;
	ssd_nsids_free(list);
	return -1;
}

int ssd_nsids_attached(struct ssd_device *dev, struct ssd_nsids *list, struct ssd_err *err)
{
	struct ssd_err tried = SSD_ERR_INIT;

	if (!read_nsids(dev, CNS_ACTIVE, list, &tried))
		return 0;
	if (!ssd_is_missing(&tried)) {
		if (err)
			*err = tried;
		return -1;
	}
	for (size_t i = 0; i < dev->drive->n_namespaces; i++)
		add(list, dev->drive->namespaces[i].nsid);
	return 0;
}

int ssd_nsids_allocated(struct ssd_device *dev, struct ssd_nsids *list, struct ssd_err *err)
{
	return read_nsids(dev, CNS_ALLOCATED, list, err);
}

void ssd_nsids_free(struct ssd_nsids *list)
{
	free(list->v);
	*list = (struct ssd_nsids){0};
}

/* A Controller List: a number of entries, then these. */
static int read_controllers(struct ssd_device *dev, const struct ssd_identify *id, const char *label,
			    struct ssd_controllers *list, struct ssd_err *err)
{
	AUTO_FREE uint8_t *buf = ssd_page_alloc(LIST_BYTES);
	size_t got, needed = 2;

	list->n = 0;
	if (ssd_identify(dev, id, buf, &got, err))
		return -1;
	if (got >= needed)
		needed += 2 * (size_t)ssd_le16(buf);
	if (got < needed)
		return ssd_fail_short(dev, label, got, needed, err);
	list->n = ssd_le16(buf);
	for (unsigned i = 0; i < list->n; i++)
		list->ids[i] = ssd_le16(buf + 2 + 2 * i);
	return 0;
}

int ssd_controllers_of(struct ssd_device *dev, uint32_t nsid, bool attached, struct ssd_controllers *list,
		       struct ssd_err *err)
{
	struct ssd_identify id = {.cns = CNS_NS_CONTROLLERS, .nsid = nsid};
	struct ssd_err tried = SSD_ERR_INIT;

	if (!read_controllers(dev, &id, "list of the controllers of a namespace", list, &tried))
		return 0;
	if (ssd_is_missing(&tried) && dev->id_ctrl_len > SSD_ID_CTRL_CNTLID + 1 &&
	    !(dev->id_ctrl[SSD_ID_CTRL_CMIC] & CMIC_CONTROLLERS)) {
		*list = (struct ssd_controllers){{ssd_le16(dev->id_ctrl + SSD_ID_CTRL_CNTLID)}, attached};
		return 0;
	}
	if (err)
		*err = tried;
	return -1;
}

int ssd_controllers_all(struct ssd_device *dev, struct ssd_controllers *list, struct ssd_err *err)
{
	return read_controllers(dev, &(struct ssd_identify){.cns = CNS_CONTROLLERS}, "list of controllers", list, err);
}

bool ssd_has_controller(const struct ssd_controllers *list, unsigned id)
{
	for (unsigned i = 0; i < list->n; i++)
		if (list->ids[i] == id)
			return true;
	return false;
}

bool ssd_is_of_host(const struct ssd_drive *drive, unsigned controller)
{
	const struct ssd_host *host = drive->host;

	for (size_t i = 0; host && i < host->n_drives; i++) {
		const struct ssd_drive *d = &host->drives[i];

		if (d->cntlid == (int)controller && (d == drive || ssd_same_subsystem(d, drive)))
			return true;
	}
	return false;
}
