/* SPDX-License-Identifier: MIT */
/* Which of an operator's page descriptions are about a drive. */
#include <ssdct/local.h>

#include <fnmatch.h>

static bool fits(const struct ssd_local_match *m, const struct ssd_identity *id)
{
	return m->pci_vendor == id->pci_vendor && (m->pci_device < 0 || m->pci_device == id->pci_device) &&
	       (m->pci_subsystem_vendor < 0 || m->pci_subsystem_vendor == id->pci_subsystem_vendor) &&
	       (m->pci_subsystem_device < 0 || m->pci_subsystem_device == id->pci_subsystem_device) &&
	       (!m->model || !fnmatch(m->model, id->model, 0)) &&
	       (!m->firmware || !fnmatch(m->firmware, id->firmware, 0));
}

bool ssd_local_is_of(const struct ssd_local_page *page, const struct ssd_identity *id)
{
	for (size_t i = 0; i < page->n_matches; i++)
		if (fits(&page->matches[i], id))
			return true;
	return false;
}

/* A module knows more of its drives than a file: whether reading clears the page, for one. */
static bool vendor_has(const struct ssd_device *dev, const struct ssd_page *page)
{
	for (const struct ssd_page *const *p = dev->vendor ? dev->vendor->pages : NULL; p && *p; p++)
		if ((*p)->kind == SSD_PAGE_LOG && ((*p)->id == page->id || !strcmp((*p)->name, page->name)))
			return true;
	return false;
}

static bool is_taken(const struct ssd_device *dev, const struct ssd_page *page)
{
	return vendor_has(dev, page) || ssd_local_find(dev, page->id, NULL) || ssd_local_find(dev, -1, page->name);
}

void ssd_local_choose(struct ssd_device *dev, const struct ssd_identity *id)
{
	const struct ssd_local *all = dev->drive->host ? dev->drive->host->local : NULL;
	size_t n = 0;

	if (!all)
		return;
	free(dev->local);
	dev->local = ssd_calloc(all->n + 1, sizeof(const struct ssd_local_page *));
	for (size_t i = 0; i < all->n; i++)
		if (ssd_local_is_of(&all->pages[i], id) && !is_taken(dev, &all->pages[i].page))
			dev->local[n++] = &all->pages[i];
}

const struct ssd_local_page *ssd_local_find(const struct ssd_device *dev, int lid, const char *name)
{
	for (const struct ssd_local_page *const *p = dev->local; p && *p; p++)
		if (name ? !strcmp((*p)->page.name, name) : (*p)->page.id == lid)
			return *p;
	return NULL;
}
