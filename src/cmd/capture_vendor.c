/* SPDX-License-Identifier: MIT */
/* Log pages of the drive's vendor, by the tables of the vendor module. */
#include "capture.h"

#include <ssdct/id_ctrl.h>
#include <ssdct/cli.h>
#include <ssdct/local.h>
#include <ssdct/plugin.h>

#define DIRECTORY_ARENA (1u << 20)

/* LIDs that the vendor's directory lists. */
struct directory {
	bool exists;
	bool has[256];
};

static const struct ssd_page *const *pages_of(const struct ssd_device *dev)
{
	static const struct ssd_page *const none[] = {NULL};

	return dev->vendor ? dev->vendor->pages : none;
}

static const struct ssd_page *const *vendor_pages(const struct capture *c)
{
	return pages_of(c->dev);
}

bool capture_can_clear(const struct ssd_device *dev)
{
	bool clears = false;

	for (const struct ssd_page *const *page = pages_of(dev); *page; page++)
		clears |= (*page)->flags & SSD_PAGE_CLEARS;
	return clears && !ssd_is_recording(dev);
}

static void gap(struct capture *c, unsigned lid, const char *reason)
{
	char name[32];

	snprintf(name, sizeof(name), "log-%02x.bin", lid);
	capture_add_gap(c, name, reason);
}

/*
 * Whether the drive has the page: it says so on page 00h, else in the vendor's directory; a product line without either
 * has what ordinary commands read unasked, and what reading clears: that is read when it was asked for, or listed. That it
 * lists whose page it would be is enough for what ordinary commands read, not for the rest of somebody's pages.
 */
static bool is_announced(struct capture *c, const struct directory *dir, const struct ssd_page *page)
{
	bool says = page->flags & SSD_PAGE_ANNOUNCED && page->command ? ssd_announces_page(c->dev, page)
								      : ssd_announces_log(c->dev, page->id);

	if (c->dev->supported_logs_state == SSD_LOGS_READ)
		return says;
	if (dir->exists)
		return dir->has[page->id];
	return (page->command || page->flags & SSD_PAGE_CLEARS) && ssd_announces_page(c->dev, page);
}

/*
 * Firmware made for somebody else's product (subsystem vendor, bytes 2 and 3, other than the vendor in 0 and 1) often
 * leaves the vendor's pages out, the directory too, and then asking makes an entry in the error log.
 */
static bool is_oem(const struct capture *c)
{
	return memcmp(c->dev->id_ctrl + SSD_ID_CTRL_VID, c->dev->id_ctrl + SSD_ID_CTRL_SSVID, 2) != 0;
}

/* Does page 00h say what there is? */
static bool has_supported_logs(struct capture *c)
{
	ssd_announces_log(c->dev, 0xff);
	return c->dev->supported_logs_state == SSD_LOGS_READ;
}

static void leave_out(struct capture *c)
{
	for (const struct ssd_page *const *page = vendor_pages(c); *page; page++)
		if ((*page)->kind == SSD_PAGE_LOG)
			gap(c, (*page)->id, "an OEM's firmware does not announce it: try ssdct log get");
}

static int read_page(struct capture *c, const struct ssd_page *page, struct ssd_err *err)
{
	struct ssd_log_request req = ssd_log_request_of(c->dev, page);
	size_t len = page->size_of ? page->size_of(c->dev) : page->size;

	if (page->flags & SSD_PAGE_CLEARS && !c->clearing)
		return gap(c, page->id, "reading it clears it: --clearing reads it all the same"), 0;
	return capture_read_log(c, &req, len, err);
}

static bool is_in_table(const struct capture *c, unsigned lid)
{
	for (const struct ssd_page *const *page = vendor_pages(c); *page; page++)
		if ((*page)->kind == SSD_PAGE_LOG && (*page)->id == lid)
			return true;
	return false;
}

/* What the directory page that has just been read lists. */
static void take_directory(struct capture *c, const struct ssd_page *page, struct directory *dir)
{
	const struct capture_file *f = c->n_files ? &c->files[c->n_files - 1] : NULL;
	struct ssd_arena *arena = ssd_arena_new(DIRECTORY_ARENA);
	const struct ssd_node *list;
	char name[32];

	snprintf(name, sizeof(name), "log-%02x.bin", page->id);
	if (arena && f && !strcmp(f->name, name)) {
		list = ssd_get(ssd_page_decode(arena, page, f->data, f->len), "pages");
		for (const struct ssd_node *item = list ? list->child : NULL; item; item = item->next)
			dir->has[ssd_get_int(item, "lid", 0) & 0xff] = true;
	}
	ssd_arena_free(arena);
	for (unsigned lid = 0xc0; lid < 256; lid++)
		if (dir->has[lid] && !is_in_table(c, lid))
			gap(c, lid, "the drive lists it, but no table says that reading it is harmless");
}

/*
 * What an operator's files describe, as they themselves have it read: those pages that page 00h announces, and without it
 * those that `smart` reads unasked.
 */
int capture_read_local(struct capture *c, struct ssd_err *err)
{
	for (const struct ssd_local_page *const *l = c->dev->local; l && *l; l++) {
		const struct ssd_page *page = &(*l)->page;
		bool says = ssd_announces_log(c->dev, page->id);

		if (c->dev->supported_logs_state == SSD_LOGS_READ ? !says : !page->command)
			gap(c, page->id, "only a page description knows it: try ssdct log get");
		else if (page->flags & SSD_PAGE_CLEARS)
			gap(c, page->id, "its description does not say that reading it is harmless");
		else if (read_page(c, page, err))
			return -1;
	}
	return 0;
}

int capture_read_vendor(struct capture *c, struct ssd_err *err)
{
	struct directory dir = {0};

	if (is_oem(c) && !has_supported_logs(c))
		return leave_out(c), 0;
	for (const struct ssd_page *const *page = vendor_pages(c); *page; page++) {
		if (!((*page)->flags & SSD_PAGE_DIRECTORY))
			continue;
		if (read_page(c, *page, err))
			return -1;
		dir.exists = true;
		take_directory(c, *page, &dir);
	}
	for (const struct ssd_page *const *page = vendor_pages(c); *page; page++)
		if ((*page)->kind == SSD_PAGE_LOG && !((*page)->flags & SSD_PAGE_DIRECTORY) &&
		    is_announced(c, &dir, *page) && read_page(c, *page, err))
			return -1;
	return 0;
}
