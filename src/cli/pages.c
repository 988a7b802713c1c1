/* SPDX-License-Identifier: MIT */
/* Pages in a row: what most commands are made of. */
#include <ssdct/cli.h>
#include <ssdct/plugin.h>

int ssd_row_page(struct ssd_device *dev, struct ssd_row *row, const struct ssd_page *page, uint32_t nsid)
{
	struct ssd_node *node = ssd_read_page(dev, row->arena, page, nsid, &row->err);

	if (!node)
		return -1;
	ssd_attach(row->element, node);
	return 0;
}

void ssd_row_vendor_pages(struct ssd_device *dev, struct ssd_row *row, const char *command)
{
	struct ssd_err ignored = SSD_ERR_INIT;

	if (!dev->vendor)
		return;
	for (const struct ssd_page *const *p = dev->vendor->pages; *p; p++) {
		struct ssd_node *node;

		if (!(*p)->command || strcmp((*p)->command, command) != 0)
			continue;
		node = ssd_read_page(dev, row->arena, *p, 0, &ignored);
		if (node)
			ssd_attach(row->element, node);
		else
			ssd_attach_null(row->element, &(*p)->field);
	}
}
