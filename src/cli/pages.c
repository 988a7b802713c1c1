/* SPDX-License-Identifier: MIT */
/* Pages in a row: what most commands are made of. */
#include <ssdct/cli.h>
#include <ssdct/id_ctrl.h>
#include <ssdct/local.h>
#include <ssdct/plugin.h>
#include <ssdct/status.h>

int ssd_row_page(struct ssd_device *dev, struct ssd_row *row, const struct ssd_page *page, uint32_t nsid)
{
	struct ssd_node *node = ssd_read_page(dev, row->arena, page, nsid, &row->err);

	if (!node)
		return -1;
	ssd_attach(row->element, node);
	return 0;
}

bool ssd_is_refusal(const struct ssd_err *err)
{
	return err->nvme_status >= 0 && ssd_status_info((unsigned)err->nvme_status)->class == SSD_STATUS_PROBE;
}

/*
 * Refused, or withheld: during a sanitize operation and after one that failed a drive answers for next to no page but the
 * standard ones (NVM Express Base Specification 2.0c, "Sanitize Operations"). That is its state, and no error of a reading.
 */
static bool is_refused(const struct ssd_err *err)
{
	unsigned status = err->nvme_status >= 0 ? (unsigned)err->nvme_status & SSD_STATUS_MASK : 0;

	return ssd_is_refusal(err) || status == SSD_SC_SANITIZE_FAILED || status == SSD_SC_SANITIZE_IN_PROGRESS;
}

/* Asks no more once the drive has said that it does not have one of them: each question is an entry in its error log. */
static int vendor_page(struct ssd_device *dev, struct ssd_row *row, const struct ssd_page *page)
{
	struct ssd_err err = SSD_ERR_INIT;
	/* A part of Identify Controller has been read: it costs no question. */
	bool ask = page->kind == SSD_PAGE_IDENTIFY || (!dev->vendor_refused && ssd_announces_page(dev, page));
	struct ssd_node *node = ask ? ssd_read_page(dev, row->arena, page, 0, &err) : NULL;

	if (node) {
		ssd_attach(row->element, node);
		return 0;
	}
	ssd_attach_null(row->element, &page->field);
	if (!ask)
		return 0;
	dev->vendor_refused |= is_refused(&err);
	if (dev->vendor_refused)
		return 0;
	if (!ssd_failed(&row->err))
		row->err = err;
	return -1;
}

static void vendor_extra(struct ssd_device *dev, struct ssd_row *row, const struct ssd_extra *extra)
{
	struct ssd_node *obj = ssd_obj_new(row->arena, &extra->field);

	extra->fill(dev, row->element, obj);
	ssd_attach(row->element, obj);
}

/* Identify Controller as far as the firmware revision: what a vendor is recognised by. */
#define IDENTITY_BYTES (SSD_ID_CTRL_FR + SSD_ID_CTRL_FR_BYTES)

int ssd_row_vendor_pages(struct ssd_device *dev, struct ssd_row *row, const char *command)
{
	int rc = 0;

	if (dev->id_ctrl_len < IDENTITY_BYTES)
		return ssd_fail(&row->err, SSD_ERR_NOT_WRITTEN,
				"%s: Identify Controller: the drive reported success but returned %zu of 4096 bytes",
				dev->drive->device, dev->id_ctrl_len);
	for (const struct ssd_page *const *p = dev->vendor ? dev->vendor->pages : NULL; p && *p; p++)
		if ((*p)->command && !strcmp((*p)->command, command) && vendor_page(dev, row, *p))
			rc = -1;
	for (const struct ssd_extra *const *e = dev->vendor ? dev->vendor->extras : NULL; e && *e; e++)
		if (!strcmp((*e)->command, command))
			vendor_extra(dev, row, *e);
	return rc;
}

static const struct ssd_field no_fields[] = {SSD_FIELD_END};

/* Keys from a file are apart, so that none can pass for the program's; the schema does not know them. */
const struct ssd_field ssd_local_field = {.key = "local_pages",
					  .label = "Local pages",
					  .help = "Pages that ssdct-pages(5) describes on this machine; absent: none",
					  .type = SSD_OBJ,
					  .flags = SSD_OPTIONAL,
					  .sub = no_fields};

struct ssd_node *ssd_row_local(struct ssd_row *row)
{
	struct ssd_node *local = ssd_get_mutable(row->element, ssd_local_field.key);

	if (!local) {
		local = ssd_obj_new(row->arena, &ssd_local_field);
		ssd_attach(row->element, local);
	}
	return local;
}

int ssd_row_local_pages(struct ssd_device *dev, struct ssd_row *row, const char *command)
{
	bool refused = false;
	int rc = 0;

	for (const struct ssd_local_page *const *l = dev->local; l && *l; l++) {
		const struct ssd_page *page = &(*l)->page;
		struct ssd_err err = SSD_ERR_INIT;
		struct ssd_node *node;

		if (!page->command || strcmp(page->command, command))
			continue;
		/* As with a module's pages: after the first refusal no more, each is an entry in the error log. */
		node = refused ? NULL : ssd_read_page(dev, row->arena, page, 0, &err);
		if (node)
			ssd_attach(ssd_row_local(row), node);
		else
			ssd_attach_null(ssd_row_local(row), &page->field);
		refused |= is_refused(&err);
		if (!ssd_failed(&err) || is_refused(&err))
			continue;
		if (!ssd_failed(&row->err))
			row->err = err;
		rc = -1;
	}
	return rc;
}
