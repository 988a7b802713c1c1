/* SPDX-License-Identifier: MIT */
/*
 * Page descriptions: log pages of vendors that no module knows, as files that an operator writes (ssdct-pages(5)). From
 * a file come the same tables as from a module; what it cannot do is say anything about pages that the program knows.
 */
#ifndef SSDCT_LOCAL_H
#define SSDCT_LOCAL_H

#include <ssdct/device.h>
#include <ssdct/page.h>
#include <ssdct/plugin.h>

/* Which drives have the page; every part that is there must fit. */
struct ssd_local_match {
	int pci_vendor;                                             /* always there */
	int pci_device, pci_subsystem_vendor, pci_subsystem_device; /* -1: any */
	const char *model, *firmware;                               /* shell patterns; NULL: any */
};

struct ssd_local_page {
	struct ssd_page page; /* SSD_PAGE_CLEARS: the file does not say that reading it is harmless */
	const struct ssd_local_match *matches;
	size_t n_matches;
	const char *file; /* name without directory */
};

/* All that was found; one allocation, read-only once it is there. */
struct ssd_local {
	struct ssd_arena *arena; /* owned; everything lies in it, this too */
	struct ssd_local_page *pages;
	size_t n;
};

/* What is wrong with a file: a sentence that names file and place. */
typedef void (*ssd_local_note)(void *ctx, const char *text);

/*
 * Reads the descriptions for a host: /etc/ssdct/pages.d for this machine, pages.d of a host directory for that. There is
 * no other way to name a place: what a root program may send to real drives must not come from its environment. On this
 * machine directory and files must be root's and writable for nobody else. A file that is wrong is left out whole, with a
 * note. Returns an owned object, NULL when there are no descriptions.
 */
struct ssd_local *ssd_local_load(const struct ssd_host *host, ssd_local_note note, void *ctx);
/* The same from any directory; owner: whose files they must be, -1 for anybody's (the permissions do not matter then). */
struct ssd_local *ssd_local_load_dir(const char *dir, int64_t owner, ssd_local_note note, void *ctx);
void ssd_local_free(struct ssd_local *local);
/* Copies the files of all that was loaded for the host into the directory `to`, which is made. 0, or -1 with *err set. */
int ssd_local_copy(const struct ssd_host *host, const struct ssd_local *local, const char *to, struct ssd_err *err);

/* Whether a page's description is about this drive. */
bool ssd_local_is_of(const struct ssd_local_page *page, const struct ssd_identity *id);
/* Chooses those of the host's descriptions that are about the drive, into dev->local. Pages of the vendor's module win. */
void ssd_local_choose(struct ssd_device *dev, const struct ssd_identity *id);
/* By log page identifier, or by name when that is not NULL; NULL: none of the drive's descriptions. */
const struct ssd_local_page *ssd_local_find(const struct ssd_device *dev, int lid, const char *name);

#endif
