/* SPDX-License-Identifier: MIT */
/* What the drive says about its namespaces: Identify and its lists, never sysfs where the drive has a list. */
#include <ssdct/ns.h>

#include <inttypes.h>
#include <ssdct/id_ctrl.h>
#include <ssdct/le.h>

#define PAGE_BYTES 4096
#define OACS_NS_MANAGEMENT 8
/* Namespace Granularity (NVM Express Base Specification 2.0c, figure 275). */
#define CTRATT_GRANULARITY 0x80
#define UNVMCAP 296

/* NVM Express Base Specification 2.0c, figure 273. */
enum {
	CNS_NS = 0x00,
	CNS_ALLOCATED_NS = 0x11,
	CNS_GRANULARITY = 0x16,
};

/* Namespace Identification Descriptors (NVMe 1.3), and the type among them that is the command set: nvme/id_ns_descs.c. */
#define CNS_DESCRIPTORS 0x03
#define NIDT_CSI 4
#define VER_1_3 0x10300u

/* Identify Controller: whether the host may say a namespace's ANA group when it makes it (NVM Express Base
 * Specification 2.0c, figure 275). */
#define ANACAP 343
#define ANACAP_CHOSEN 0x80u

/* Identify Namespace, NVM Command Set Specification 1.0c, figure 97. */
enum {
	NSZE = 0,
	NCAP = 8,
	NSFEAT = 24,
	NLBAF = 25,
	FLBAS = 26,
	MC = 27,
	DPS = 29,
	NMIC = 30,
	NVMCAP = 48,
	NULBAF = 82,
	ANAGRPID = 92,
	NVMSETID = 100,
	ENDGID = 102,
	NGUID = 104,
	EUI64 = 120,
	LBAF = 128,
};

const struct ns_info *ns_find(const struct ns_facts *facts, uint32_t nsid)
{
	for (size_t i = 0; i < facts->n; i++)
		if (facts->namespaces[i].nsid == nsid)
			return &facts->namespaces[i];
	return NULL;
}

void ns_facts_free(struct ns_facts *facts)
{
	free(facts->namespaces);
	facts->namespaces = NULL;
	facts->n = 0;
}

/* All of it, or nothing: what has not arrived is not zero. */
static int identify(struct ssd_device *dev, uint8_t cns, uint32_t nsid, uint8_t *buf, struct ssd_err *err)
{
	size_t got;

	if (ssd_identify(dev, &(struct ssd_identify){.cns = cns, .nsid = nsid}, buf, &got, err))
		return -1;
	return got < PAGE_BYTES ? ssd_fail_short(dev, "Identify", got, PAGE_BYTES, err) : 0;
}

static struct ns_info *add(struct ns_facts *f, uint32_t nsid)
{
	f->namespaces = ssd_realloc(f->namespaces, f->n + 1, sizeof(*f->namespaces));
	f->namespaces[f->n] = (struct ns_info){.nsid = nsid};
	return &f->namespaces[f->n++];
}

static int read_lists(struct ssd_device *dev, struct ns_facts *f, struct ssd_err *err)
{
	struct ssd_nsids list;

	if (f->managed) {
		f->allocated = !ssd_nsids_allocated(dev, &list, err);
		if (!f->allocated && !ssd_is_missing(err))
			return -1;
		for (size_t i = 0; f->allocated && i < list.n; i++)
			add(f, list.v[i]);
		if (f->allocated)
			ssd_nsids_free(&list);
	}
	if (ssd_nsids_attached(dev, &list, err))
		return -1;
	for (size_t i = 0; i < list.n; i++) {
		struct ns_info *ns = (struct ns_info *)ns_find(f, list.v[i]);

		(ns ? ns : add(f, list.v[i]))->attached = true;
	}
	ssd_nsids_free(&list);
	return 0;
}

/* Bits 6:5 of FLBAS count when there are more than 16 formats. */
static unsigned format_of(const uint8_t *id)
{
	unsigned format = id[FLBAS] & 0xf;

	return id[NLBAF] + id[NULBAF] > 15 ? format | (id[FLBAS] & 0x60u) >> 1 : format;
}

static void take_formats(struct ns_facts *f, const uint8_t *id)
{
	f->n_formats = id[NLBAF] + 1u + id[NULBAF];
	if (f->n_formats > NS_FORMATS)
		f->n_formats = NS_FORMATS;
	for (unsigned i = 0; i < f->n_formats; i++)
		f->formats[i] = (struct ns_format){.metadata_bytes = ssd_le16(id + LBAF + 4 * i),
						   .shift = id[LBAF + 4 * i + 2],
						   .performance = id[LBAF + 4 * i + 3] & 3};
	f->thin = id[NSFEAT] & 1;
	f->extended_only = id[MC] & 1 && !(id[MC] & 2);
}

static void take_namespace(struct ns_info *ns, const uint8_t *id)
{
	unsigned shift;

	ns->nsze = ssd_le64(id + NSZE);
	ns->ncap = ssd_le64(id + NCAP);
	ns->nvmcap = ssd_le64(id + NVMCAP + 8) ? UINT64_MAX : ssd_le64(id + NVMCAP);
	ns->nsfeat = id[NSFEAT];
	ns->flbas = id[FLBAS];
	ns->dps = id[DPS];
	ns->nmic = id[NMIC];
	ns->anagrpid = ssd_le32(id + ANAGRPID);
	ns->nvmsetid = ssd_le16(id + NVMSETID);
	ns->endgid = ssd_le16(id + ENDGID);
	memcpy(ns->nguid, id + NGUID, sizeof(ns->nguid));
	memcpy(ns->eui64, id + EUI64, sizeof(ns->eui64));
	ns->format = format_of(id);
	ns->metadata_bytes = ssd_le16(id + LBAF + 4 * ns->format);
	shift = id[LBAF + 4 * ns->format + 2];
	if (shift >= 9 && shift < 32)
		ns->block_bytes = 1u << shift;
}

static int read_namespace(struct ssd_device *dev, struct ns_facts *f, struct ns_info *ns, uint8_t *buf,
			  struct ssd_err *err)
{
	if (identify(dev, f->allocated ? CNS_ALLOCATED_NS : CNS_NS, ns->nsid, buf, err))
		return -1;
	take_namespace(ns, buf);
	if (!f->n_formats)
		take_formats(f, buf);
	if (!f->managed)
		return 0;
	ns->controllers_known = !ssd_controllers_of(dev, ns->nsid, ns->attached, &ns->controllers, err);
	return ns->controllers_known || ssd_is_missing(err) ? 0 : -1;
}

/* One descriptor is for all formats, unless bit 0 of the attributes says that each is for its own: the first is taken. */
static int read_granularity(struct ssd_device *dev, struct ns_facts *f, uint8_t *buf, struct ssd_err *err)
{
	if (!(ssd_le32(dev->id_ctrl + SSD_ID_CTRL_CTRATT) & CTRATT_GRANULARITY))
		return 0;
	if (identify(dev, CNS_GRANULARITY, 0, buf, err))
		return ssd_is_missing(err) ? 0 : -1;
	f->size_granularity = ssd_le64(buf + 32);
	f->capacity_granularity = ssd_le64(buf + 40);
	return 0;
}

/* Formats that a namespace can be made with, also when there is none to look at. */
static int read_common(struct ssd_device *dev, struct ns_facts *f, uint8_t *buf, struct ssd_err *err)
{
	if (!f->managed)
		return 0;
	if (!identify(dev, CNS_NS, SSD_NSID_ALL, buf, err))
		take_formats(f, buf);
	else if (err->code != SSD_ERR_NVME)
		return -1;
	if (ssd_controllers_all(dev, &f->controllers, err) && !ssd_is_missing(err))
		return -1;
	return read_granularity(dev, f, buf, err);
}

static void from_identify(struct ns_facts *f, const uint8_t *id)
{
	memcpy(f->serial, id + SSD_ID_CTRL_SN, SSD_ID_CTRL_SN_BYTES);
	f->managed = ssd_le16(id + SSD_ID_CTRL_OACS) & OACS_NS_MANAGEMENT;
	f->controller_id = ssd_le16(id + SSD_ID_CTRL_CNTLID);
	f->most = ssd_le32(id + SSD_ID_CTRL_NN);
	f->total = ssd_u128_from_le(id + SSD_ID_CTRL_TNVMCAP, 16);
	f->unused = ssd_u128_from_le(id + UNVMCAP, 16);
	f->ana_chosen = id[ANACAP] & ANACAP_CHOSEN;
	f->capacity_known = f->total.hi || f->total.lo;
}

int ns_facts_read(struct ssd_device *dev, struct ns_facts *f, struct ssd_err *err)
{
	AUTO_FREE uint8_t *buf = ssd_page_alloc(PAGE_BYTES);
	struct ssd_err tried = SSD_ERR_INIT;

	*f = (struct ns_facts){0};
	if (ssd_id_ctrl_anew(dev, SSD_ID_CTRL_NN + 4, err))
		return -1;
	from_identify(f, dev->id_ctrl);
	f->busy_with = ssd_busy_with(dev);
	if (!read_lists(dev, f, &tried) && !read_common(dev, f, buf, &tried)) {
		for (size_t i = 0; i < f->n; i++)
			if (read_namespace(dev, f, &f->namespaces[i], buf, &tried)) {
				*err = tried;
				return -1;
			}
		return 0;
	}
	*err = tried;
	return -1;
}

/* All 64 bits of the answer: 4 TB in blocks of 512 bytes do not fit in 32. */
static int get_feature(struct ssd_device *dev, uint8_t fid, uint64_t *value, struct ssd_err *err)
{
	return ssd_get_feature_data(dev, &(struct ssd_feature_request){.fid = fid}, value, NULL, 0, NULL, err);
}

int ns_max_lba_read(struct ssd_device *dev, struct ns_facts *f, struct ssd_err *err)
{
	struct ssd_err tried = SSD_ERR_INIT;

	if (!get_feature(dev, NS_FID_MAX_LBA, &f->max_lba.current, &tried) &&
	    !get_feature(dev, NS_FID_NATIVE_MAX_LBA, &f->max_lba.native, &tried)) {
		f->max_lba.known = true;
		return 0;
	}
	if (ssd_is_missing(&tried))
		return 0;
	*err = tried;
	return -1;
}

int ns_command_set_read(struct ssd_device *dev, struct ns_facts *f, struct ssd_err *err)
{
	AUTO_FREE uint8_t *buf = ssd_page_alloc(PAGE_BYTES);
	struct ssd_err tried = SSD_ERR_INIT;
	struct ns_info *ns = f->namespaces;

	if (ssd_le32(dev->id_ctrl + SSD_ID_CTRL_VER) < VER_1_3 || f->n != 1)
		return 0;
	if (!ns->attached) {
		ssd_fail(err, SSD_ERR_REFUSED,
			 "%s: namespace %" PRIu32 " is not attached, so its command set is not known; nothing was sent",
			 dev->drive->device, ns->nsid);
		ssd_hint(err, "attach it: ssdct namespace attach DRIVE --nsid %" PRIu32, ns->nsid);
		return -1;
	}
	if (identify(dev, CNS_DESCRIPTORS, ns->nsid, buf, &tried)) {
		if (ssd_is_missing(&tried))
			return 0;
		*err = tried;
		return -1;
	}
	/* Type, length, two reserved bytes, identifier; type 0 ends the list. */
	for (size_t at = 0; at + 4 < PAGE_BYTES && buf[at] && buf[at + 1]; at += 4u + buf[at + 1])
		if (buf[at] == NIDT_CSI)
			ns->csi = buf[at + 4];
	return 0;
}

static bool same_controllers(const struct ssd_controllers *a, const struct ssd_controllers *b)
{
	return a->n == b->n && !memcmp(a->ids, b->ids, a->n * sizeof(*a->ids));
}

static bool same_namespace(const struct ns_info *a, const struct ns_info *b)
{
	return a->nsid == b->nsid && a->attached == b->attached && a->nsze == b->nsze && a->ncap == b->ncap &&
	       a->flbas == b->flbas && a->dps == b->dps && a->nmic == b->nmic &&
	       !memcmp(a->nguid, b->nguid, sizeof(a->nguid)) && !memcmp(a->eui64, b->eui64, sizeof(a->eui64)) &&
	       a->controllers_known == b->controllers_known && same_controllers(&a->controllers, &b->controllers);
}

static bool same_max_lba(const struct ns_max_lba *a, const struct ns_max_lba *b)
{
	return a->known == b->known && (!a->known || (a->current == b->current && a->native == b->native));
}

bool ns_facts_equal(const struct ns_facts *a, const struct ns_facts *b)
{
	if (memcmp(a->serial, b->serial, sizeof(a->serial)) || !a->busy_with != !b->busy_with ||
	    a->managed != b->managed || a->controller_id != b->controller_id || a->n != b->n ||
	    ssd_u128_cmp(a->unused, b->unused) || !same_max_lba(&a->max_lba, &b->max_lba) ||
	    !same_controllers(&a->controllers, &b->controllers))
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (!same_namespace(&a->namespaces[i], &b->namespaces[i]))
			return false;
	return true;
}
