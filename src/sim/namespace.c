/* SPDX-License-Identifier: MIT */
/*
 * The namespaces of a subsystem. One that is attached to a controller is the controller's id-ns-N.bin; one that is
 * allocated and attached to none, or was once made by Namespace Management, is identify-11-nN.bin of the home. All files
 * of a namespace say the same.
 */
#include "sim/sim.h"

#include <endian.h>
#include <ssdct/le.h>

#define CNS_NS 0x00
#define CNS_ALLOCATED_NS 0x11

static struct host_file page_of(uint8_t cns, uint32_t nsid)
{
	struct host_file page = host_file_of(HOST_FILE_IDENTIFY, cns);

	page.q[HOST_FILE_NSID] = nsid;
	return page;
}

struct host_file sim_ns_page(uint32_t nsid)
{
	return page_of(CNS_NS, nsid);
}

struct host_file sim_ns_allocated_page(uint32_t nsid)
{
	return page_of(CNS_ALLOCATED_NS, nsid);
}

static int ascending(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

size_t sim_ns_list(const struct sim *sim, const json_t *controllers, uint32_t **nsids)
{
	size_t n = 0, unique = 0;

	*nsids = NULL;
	for (size_t i = 0; i < json_array_size(controllers); i++) {
		struct sim other = sim_other(sim, json_string_value(json_array_get(controllers, i)));
		AUTO_FREE uint32_t *some = NULL;
		size_t m = host_file_allocated(other.dir, &some);

		if (m) {
			*nsids = ssd_realloc(*nsids, n + m, sizeof(**nsids));
			memcpy(*nsids + n, some, m * sizeof(*some));
			n += m;
		}
		sim_other_free(&other);
	}
	if (n)
		qsort(*nsids, n, sizeof(**nsids), ascending);
	for (size_t i = 0; i < n; i++)
		if (!unique || (*nsids)[i] != (*nsids)[unique - 1])
			(*nsids)[unique++] = (*nsids)[i];
	return unique;
}

bool sim_ns_attached(const struct sim *sim, const char *controller, uint32_t nsid)
{
	struct sim other = sim_other(sim, controller);
	AUTO_FREE uint32_t *nsids = NULL;
	size_t n = host_file_namespaces(other.dir, &nsids);
	bool found = false;

	for (size_t i = 0; i < n && !found; i++)
		found = nsids[i] == nsid;
	sim_other_free(&other);
	return found;
}

int sim_ns_read(const struct sim *sim, const json_t *controllers, uint32_t nsid, struct nvme_id_ns *ns)
{
	const struct host_file pages[] = {sim_ns_page(nsid), sim_ns_allocated_page(nsid)};

	for (size_t k = 0; k < ARRAY_SIZE(pages); k++)
		for (size_t i = 0; i < json_array_size(controllers); i++) {
			struct sim other = sim_other(sim, json_string_value(json_array_get(controllers, i)));
			int rc = k || sim_ns_attached(sim, other.name, nsid)
					 ? sim_page_read(&other, &pages[k], 0, ns, sizeof(*ns), NULL)
					 : -ENOENT;

			sim_other_free(&other);
			if (rc != -ENOENT)
				return rc;
		}
	return -ENOENT;
}

void sim_ns_patch(struct sim_change *c, uint32_t nsid, size_t at, const void *bytes, size_t len)
{
	const struct host_file pages[] = {sim_ns_page(nsid), sim_ns_allocated_page(nsid)};

	for (size_t i = 0; i < json_array_size(c->controllers); i++)
		for (size_t k = 0; k < ARRAY_SIZE(pages); k++) {
			const char *name = json_string_value(json_array_get(c->controllers, i));

			if (sim_change_has(c, name, &pages[k]))
				sim_change_patch(c, name, &pages[k], at, bytes, len);
		}
}

/* --- sizes and formats --- */

/* NVM Command Set Specification 1.0c, Identify Namespace: bits 6:5 of FLBAS count when there are more than 16 formats. */
unsigned sim_ns_format(const struct nvme_id_ns *ns)
{
	unsigned lbaf = ns->flbas & NVME_NS_FLBAS_LOWER_MASK;

	return ns->nlbaf > 15 ? lbaf | (ns->flbas & NVME_NS_FLBAS_HIGHER_MASK) >> 1 : lbaf;
}

unsigned sim_ns_shift(const struct nvme_id_ns *ns)
{
	unsigned shift = ns->lbaf[sim_ns_format(ns)].ds;

	return shift >= 9 && shift <= 16 ? shift : 0;
}

/* A size in blocks loses what is less than a block, which a later format with smaller ones finds again in NVMCAP. */
#define LARGEST_BLOCK 65536

uint64_t sim_ns_bytes(const struct nvme_id_ns *ns)
{
	uint64_t capacity = ssd_le64(ns->nvmcap), blocks = le64toh(ns->nsze);
	unsigned shift = sim_ns_shift(ns);
	uint64_t bytes = blocks > UINT64_MAX >> shift ? UINT64_MAX : blocks << shift;

	return capacity > bytes && capacity - bytes < LARGEST_BLOCK ? capacity : bytes;
}

void sim_ns_resize(struct nvme_id_ns *ns, uint64_t blocks)
{
	bool thin = ns->nsfeat & 1;

	ns->nsze = htole64(blocks);
	ns->ncap = htole64(blocks);
	ns->nuse = thin ? 0 : htole64(blocks);
}

/* NVMe 1.4, Format NVM: what makes it Invalid Format. */
int sim_ns_check_format(const struct nvme_id_ns *ns, const struct sim_ns_format *f)
{
	/* NULBAF counts from 2.0 on; it is zero before. */
	unsigned formats = ns->nlbaf + 1u + ns->nulbaf, metadata;

	if (f->pi > NVME_FORMAT_PI_TYPE3)
		return SIM_INVALID_FIELD;
	if (f->lbaf >= formats || f->lbaf >= ARRAY_SIZE(ns->lbaf) || ns->lbaf[f->lbaf].ds < 9)
		return SIM_INVALID_FORMAT;
	metadata = le16toh(ns->lbaf[f->lbaf].ms);
	if (metadata && !(ns->mc & (f->extended ? NVME_NS_MC_EXTENDED : NVME_NS_MC_SEPARATE)))
		return SIM_INVALID_FORMAT;
	if (!f->pi)
		return 0;
	if (metadata < 8 || !(ns->dpc >> (f->pi - 1) & 1) ||
	    !(ns->dpc & (f->pi_first ? NVME_NS_DPC_PI_FIRST : NVME_NS_DPC_PI_LAST)))
		return SIM_INVALID_FORMAT;
	return 0;
}

void sim_ns_set_format(struct nvme_id_ns *ns, const struct sim_ns_format *f)
{
	bool extended = f->extended && ns->lbaf[f->lbaf].ms;

	ns->flbas = (uint8_t)((f->lbaf & 0xf) | (extended ? NVME_NS_FLBAS_META_EXT : 0) | (f->lbaf & 0x30) << 1);
	ns->dps = (uint8_t)(f->pi | (f->pi && f->pi_first ? NVME_NS_DPS_PI_FIRST : 0));
}
