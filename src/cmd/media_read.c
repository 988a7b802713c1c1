/* SPDX-License-Identifier: MIT */
/*
 * After a format: whether the namespace can be read. There are drives that report success, show the new format, and fail
 * every read from then on (linux-nvme/nvme-cli issue 2677).
 */
#include "change.h"
#include "media_common.h"

#include <ssdct/admin.h>
#include <ssdct/status.h>

/* Nobody has written to it yet, and the drive was told to say so: it is well (feature 05h, DULBE). */
#define STATUS_DEALLOCATED 0x287

/* Metadata would need a buffer of their own, or a longer one: left alone. */
static uint32_t plain_block(const struct media_ns *ns)
{
	const struct media_lbaf *f = &ns->formats[ns->format.index];

	return ns->known && ns->attached && ns->format.index < ns->n_formats && !f->metadata_bytes ? f->block_bytes : 0;
}

/* 1: it can be read; 0: the drive says that it cannot, *err is set; -1: not known. */
static int read_block(struct media_change *c, const struct media_ns *ns, uint32_t bytes, struct ssd_err *err)
{
	AUTO_FREE uint8_t *buf = ssd_page_alloc(bytes);
	/* CDW10 and 11: block 0; CDW12: one block. */
	struct ssd_cmd cmd = {.opcode = SSD_IO_READ,
			      .io = true,
			      .nsid = ns->nsid,
			      .data = buf,
			      .data_len = bytes,
			      .direction = SSD_DATA_FROM_DRIVE};
	struct ssd_cpl cpl = {0};
	struct ssd_drive at;
	struct ssd_device dev;
	size_t got;
	int rc = change_open_namespace(c->run, c->row->target.drive, ns->nsid, &at, &dev, NULL);

	if (!rc) {
		rc = ssd_submit_read(&dev, &cmd, &cpl, &got);
		if (!rc)
			ssd_check(&dev, &cmd, rc, &cpl, err);
	}
	ssd_device_close(&dev);
	if (rc || ssd_host_gave_up(cpl.status))
		return -1;
	return !cpl.status || (cpl.status & SSD_STATUS_MASK) == STATUS_DEALLOCATED;
}

static struct ssd_node *item_of(const struct media_change *c, uint32_t nsid)
{
	const struct ssd_node *list = ssd_get(c->doc, "scope");

	for (struct ssd_node *item = list ? list->child : NULL; item; item = item->next)
		if ((uint32_t)ssd_get_int(item, "nsid", 0) == nsid)
			return item;
	return NULL;
}

int media_read_back(struct media_change *c, const struct media_outcome *out, struct ssd_err *err)
{
	for (size_t i = 0; i < out->n_after; i++) {
		const struct media_ns *ns = &out->after[i];
		struct ssd_err why = SSD_ERR_INIT;
		uint32_t bytes = plain_block(ns);
		int readable = bytes ? read_block(c, ns, bytes, &why) : -1;

		if (readable < 0)
			continue;
		ssd_set_bool(item_of(c, ns->nsid), "first_block_readable", readable);
		if (readable)
			continue;
		*err = why;
		err->code = SSD_ERR_UNVERIFIED;
		ssd_err_prefix(err, "formatted, but block 0 of namespace %u cannot be read", ns->nsid);
		ssd_hint(err, "do not use it; try a power cycle and another format, and see: ssdct errors %s",
			 c->dev->drive->device);
		return -1;
	}
	return 0;
}
