/* SPDX-License-Identifier: MIT */
/* What the drive says, read anew each time: of itself, and of every namespace that an operation could reach. */
#include "media/media.h"

#include <ssdct/id_ctrl.h>
#include <ssdct/le.h>
#include <ssdct/status.h>

/* CNS values: NVM Express Base Specification 2.0c, figure 273. */
enum { CNS_NS = 0x00, CNS_ALLOCATED_NS = 0x11 };
#define CMIC_CONTROLLERS 2u
#define OACS_NAMESPACES 8u
#define SANICAP_ANY 7u
/* Identify Namespace: NVM Express NVM Command Set Specification 1.0c, figure 97. */
enum {
	NSZE = 0,
	NLBAF = 25,
	FLBAS = 26,
	MC = 27,
	DPC = 28,
	DPS = 29,
	FPI = 32,
	NULBAF = 82,
	NGUID = 104,
	EUI64 = 120,
	LBAF = 128,
};

static struct media_ns *add(struct media_facts *f, uint32_t nsid, bool attached)
{
	size_t at = 0;

	while (at < f->n && f->ns[at].nsid < nsid)
		at++;
	if (at < f->n && f->ns[at].nsid == nsid) {
		f->ns[at].attached |= attached;
		return &f->ns[at];
	}
	f->ns = ssd_realloc(f->ns, f->n + 1, sizeof(*f->ns));
	memmove(&f->ns[at + 1], &f->ns[at], (f->n - at) * sizeof(*f->ns));
	f->ns[at] = (struct media_ns){
		.nsid = nsid, .attached = attached, .elsewhere = MEDIA_NOWHERE_ELSE, .remaining_percent = -1};
	f->n++;
	return &f->ns[at];
}

/* Other controllers of the drive on this host may have namespaces of their own. */
static void add_siblings(const struct ssd_device *dev, struct media_facts *f)
{
	const struct ssd_host *host = dev->drive->host;

	for (size_t d = 0; host && d < host->n_drives; d++)
		if (ssd_same_subsystem(dev->drive, &host->drives[d]))
			for (size_t i = 0; i < host->drives[d].n_namespaces; i++)
				add(f, host->drives[d].namespaces[i].nsid, false);
}

/* 0, or -1 with *err set. */
static int read_controllers(struct ssd_device *dev, struct media_ns *ns, struct ssd_err *err)
{
	struct ssd_err e = SSD_ERR_INIT;
	struct ssd_controllers list;

	if (!ssd_controllers_of(dev, ns->nsid, ns->attached, &list, &e)) {
		for (unsigned i = 0; i < list.n; i++)
			if (list.ids[i] != ssd_le16(dev->id_ctrl + SSD_ID_CTRL_CNTLID) &&
			    !ssd_is_of_host(dev->drive, list.ids[i]))
				ns->elsewhere = list.ids[i];
		return 0;
	}
	ns->elsewhere = MEDIA_UNTOLD;
	if (ssd_is_missing(&e))
		return 0;
	if (err)
		*err = e;
	return -1;
}

void media_ns_decode(const uint8_t *buf, size_t len, struct media_ns *ns)
{
	unsigned n;

	if (len <= LBAF)
		return;
	n = buf[NLBAF] + buf[NULBAF] + 1u;
	ns->known = ssd_le64(buf + NSZE) != 0;
	ns->blocks = ssd_le64(buf + NSZE);
	ns->n_formats = n < MEDIA_FORMATS ? n : MEDIA_FORMATS;
	for (unsigned i = 0; i < ns->n_formats && LBAF + 4 * (i + 1) <= len; i++) {
		const uint8_t *p = buf + LBAF + 4 * i;

		ns->formats[i] = (struct media_lbaf){.block_bytes = p[2] >= 9 && p[2] < 63 ? 1ull << p[2] : 0,
						     .metadata_bytes = ssd_le16(p),
						     .performance = p[3] & 3};
	}
	/* Bits 6:5 of FLBAS count only when there are more formats than bits 3:0 can name. */
	ns->format.index = (buf[FLBAS] & 0xf) | (n > 16 ? (buf[FLBAS] >> 5 & 3u) << 4 : 0);
	ns->format.extended = buf[FLBAS] & 0x10;
	ns->format.protection = buf[DPS] & 7;
	ns->format.protection_first = buf[DPS] & 8;
	memcpy(ns->nguid, buf + NGUID, sizeof(ns->nguid));
	memcpy(ns->eui64, buf + EUI64, sizeof(ns->eui64));
	ns->mc = buf[MC];
	ns->dpc = buf[DPC];
	ns->remaining_percent = buf[FPI] & 0x80 ? buf[FPI] & 0x7f : -1;
}

int media_ns_read(struct ssd_device *dev, struct media_ns *ns, struct ssd_err *err)
{
	AUTO_FREE uint8_t *buf = ssd_page_alloc(4096);
	struct ssd_identify id = {.cns = ns->attached ? CNS_NS : CNS_ALLOCATED_NS, .nsid = ns->nsid};
	size_t got;

	if (ssd_identify(dev, &id, buf, &got, err))
		return -1;
	if (got < 4096)
		return ssd_fail_short(dev, "Identify Namespace", got, 4096, err);
	media_ns_decode(buf, got, ns);
	return 0;
}

int media_log_read(struct ssd_device *dev, struct ssd_sanitize_log *log, struct ssd_err *err)
{
	struct ssd_log_request req = {.lid = ssd_page_sanitize.id, .nsid = SSD_NSID_ALL};
	AUTO_FREE uint8_t *buf = ssd_page_alloc(4096);
	size_t got;

	if (ssd_get_log(dev, &req, buf, ssd_page_sanitize.size, &got, err))
		return -1;
	ssd_sanitize_log_decode(buf, got, log);
	return got < 8 ? ssd_fail(err, SSD_ERR_NOT_WRITTEN, "%s: the sanitize log came back too short",
				  dev->drive->device)
		       : 0;
}

int media_failure_mode(struct ssd_device *dev, const struct ssd_sanitize_log *log, struct ssd_err *err)
{
	struct ssd_log_request req = {.lid = ssd_page_fw_slot.id, .nsid = SSD_NSID_ALL};
	struct ssd_err why = SSD_ERR_INIT;
	AUTO_FREE uint8_t *buf = ssd_page_alloc(4096);
	size_t got;

	if (log->state != SSD_SANITIZE_FAILED || !ssd_get_log(dev, &req, buf, ssd_page_fw_slot.size, &got, &why))
		return 0;
	if (why.nvme_status >= 0 && (why.nvme_status & SSD_STATUS_MASK) == SSD_SC_SANITIZE_FAILED)
		return 1;
	if (err)
		*err = why;
	return -1;
}

void media_serial(const uint8_t *id, char serial[21])
{
	size_t end = SSD_ID_CTRL_SN_BYTES;

	memcpy(serial, id + SSD_ID_CTRL_SN, SSD_ID_CTRL_SN_BYTES);
	while (end && (serial[end - 1] == ' ' || !serial[end - 1]))
		end--;
	serial[end] = '\0';
}

static void from_identify(const uint8_t *id, struct media_facts *f)
{
	f->oacs = ssd_le16(id + SSD_ID_CTRL_OACS);
	f->fna = id[SSD_ID_CTRL_FNA];
	f->sanicap = ssd_le32(id + SSD_ID_CTRL_SANICAP);
	f->sanitizes = f->sanicap & SANICAP_ANY;
	f->many_controllers = id[SSD_ID_CTRL_CMIC] & CMIC_CONTROLLERS;
	media_serial(id, f->serial);
}

static void add_all(struct media_facts *f, struct ssd_nsids *list, bool attached)
{
	for (size_t i = 0; i < list->n; i++)
		add(f, list->v[i], attached);
	ssd_nsids_free(list);
}

static int read_namespaces(struct ssd_device *dev, struct media_facts *f, struct ssd_err *err)
{
	struct ssd_nsids list;

	if (ssd_nsids_attached(dev, &list, err))
		return -1;
	add_all(f, &list, true);
	/* One that does not answer although it says that it can: what it may have besides must not be overlooked. */
	if (f->oacs & OACS_NAMESPACES) {
		if (ssd_nsids_allocated(dev, &list, err))
			return -1;
		add_all(f, &list, false);
	}
	add_siblings(dev, f);
	f->lists_controllers = f->oacs & OACS_NAMESPACES;
	for (size_t i = 0; i < f->n; i++) {
		struct media_ns *ns = &f->ns[i];

		if (media_ns_read(dev, ns, err) && ns->attached)
			return -1;
		if (f->lists_controllers && read_controllers(dev, ns, err))
			return -1;
	}
	return 0;
}

int media_facts_read(struct ssd_device *dev, struct media_facts *facts, struct ssd_err *err)
{
	*facts = (struct media_facts){0};
	if (ssd_id_ctrl_anew(dev, SSD_ID_CTRL_FNA + 1, err))
		return -1;
	from_identify(dev->id_ctrl, facts);
	facts->busy_with = ssd_busy_with(dev);
	if (facts->sanitizes && media_log_read(dev, &facts->log, err))
		return -1;
	facts->failure_mode = facts->sanitizes && media_failure_mode(dev, &facts->log, NULL);
	if (read_namespaces(dev, facts, err))
		return -1;
	if (err)
		*err = (struct ssd_err)SSD_ERR_INIT;
	return 0;
}

void media_facts_free(struct media_facts *facts)
{
	free(facts->ns);
	*facts = (struct media_facts){0};
}

/* By its identifiers too: a namespace that was made anew in the meantime is another one, though of the same shape. */
static bool same_ns(const struct media_ns *a, const struct media_ns *b)
{
	return a->nsid == b->nsid && a->attached == b->attached && a->elsewhere == b->elsewhere &&
	       a->known == b->known && a->blocks == b->blocks && a->format.index == b->format.index &&
	       a->format.extended == b->format.extended && a->format.protection == b->format.protection &&
	       a->format.protection_first == b->format.protection_first &&
	       !memcmp(a->nguid, b->nguid, sizeof(a->nguid)) && !memcmp(a->eui64, b->eui64, sizeof(a->eui64));
}

bool media_facts_equal(const struct media_facts *a, const struct media_facts *b)
{
	if (strcmp(a->serial, b->serial) != 0 || a->n != b->n || a->fna != b->fna || a->log.state != b->log.state ||
	    a->failure_mode != b->failure_mode || !a->busy_with != !b->busy_with)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (!same_ns(&a->ns[i], &b->ns[i]))
			return false;
	return true;
}

uint64_t media_bytes(const struct media_ns *ns)
{
	uint64_t block = ns->known && ns->format.index < ns->n_formats ? ns->formats[ns->format.index].block_bytes : 0;
	uint64_t bytes;

	return __builtin_mul_overflow(ns->blocks, block, &bytes) ? UINT64_MAX : bytes;
}
