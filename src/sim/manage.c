/* SPDX-License-Identifier: MIT */
/*
 * Namespace Management and Namespace Attachment (NVMe 1.4), and the Changed Namespace List that tells controllers of it.
 */
#include "sim/sim.h"

#include <endian.h>
#include <ssdct/le.h>

#define LID_CHANGED 0x04
#define CNS_DESCRIPTORS 0x03
/* Where Identify Controller says the capacity that belongs to no namespace. */
#define ID_UNVMCAP offsetof(struct nvme_id_ctrl, unvmcap)
#define OAES_NS_CHANGED 0x100

enum { CREATE = 0, DELETE = 1 };
enum { ATTACH = 0, DETACH = 1 };

/* Locally reserved for documentation (RFC 9542, 2.2.3): no real device has it. Unlike a model's, with the NSID. */
#define EUI64_DOCUMENTATION 0x00005eef20000000ull

static const char *name_of(const struct sim_change *c, size_t i)
{
	return json_string_value(json_array_get(c->controllers, i));
}

/* --- what controllers are told --- */

static const struct host_file changed_page = {
	.kind = HOST_FILE_LOG,
	.id = LID_CHANGED,
	.q = {HOST_FILE_ANY, HOST_FILE_ANY, HOST_FILE_ANY, HOST_FILE_ANY, HOST_FILE_ANY, HOST_FILE_ANY},
};

static bool announces_changes(const struct sim *sim)
{
	const struct host_file id = host_file_of(HOST_FILE_IDENTIFY, 1);
	uint8_t oaes[4] = {0};

	sim_page_read(sim, &id, offsetof(struct nvme_id_ctrl, oaes), oaes, sizeof(oaes), NULL);
	return ssd_le32(oaes) & OAES_NS_CHANGED;
}

/* Ascending; more than 1024 are FFFFFFFFh alone. */
static void add_nsid(struct nvme_ns_list *list, uint32_t nsid)
{
	size_t n = 0, at = 0;

	while (n < ARRAY_SIZE(list->ns) && list->ns[n])
		n++;
	if (n && le32toh(list->ns[0]) == SSD_NSID_ALL)
		return;
	while (at < n && le32toh(list->ns[at]) < nsid)
		at++;
	if (at < n && le32toh(list->ns[at]) == nsid)
		return;
	if (n == ARRAY_SIZE(list->ns)) {
		memset(list, 0, sizeof(*list));
		list->ns[0] = htole32(SSD_NSID_ALL);
		return;
	}
	memmove(list->ns + at + 1, list->ns + at, (n - at) * sizeof(*list->ns));
	list->ns[at] = htole32(nsid);
}

/* Several namespaces may change at once: those that are not in the file yet are
 * gathered. */
static void tell(struct sim_change *c, const char *controller, uint32_t nsid)
{
	struct sim other = sim_other(&c->home, controller);
	struct nvme_ns_list list = {0};
	json_t *gathered;

	if (announces_changes(&other)) {
		if (!c->told)
			c->told = json_object();
		gathered = json_object_get(c->told, controller);
		if (!gathered)
			json_object_set_new(c->told, controller, gathered = json_array());
		json_array_append_new(gathered, json_integer(nsid));
		sim_page_read(&other, &changed_page, 0, &list, sizeof(list), NULL);
		for (size_t i = 0; i < json_array_size(gathered); i++)
			add_nsid(&list, (uint32_t)json_integer_value(json_array_get(gathered, i)));
		sim_change_write(c, controller, &changed_page, &list, sizeof(list));
	}
	sim_other_free(&other);
}

void sim_ns_changed(struct sim_change *c, uint32_t nsid)
{
	for (size_t i = 0; i < json_array_size(c->controllers); i++)
		if (sim_ns_attached(&c->home, name_of(c, i), nsid))
			tell(c, name_of(c, i), nsid);
}

/* Reading the list with Retain Asynchronous Event clear empties it. */
int sim_ns_list_read(struct sim_call *call)
{
	struct sim_change c;
	int rc = sim_change_begin(call->sim, &c);

	if (rc)
		return rc;
	sim_change_write(&c, call->sim->name, &changed_page, (uint8_t[4096]){0}, 4096);
	return sim_change_end(&c, 0);
}

/* --- pages that follow from which namespaces there are --- */

/* Lists that somebody has saved: what is computed takes their place. */
static bool is_list(const struct host_file *page, uint32_t unused)
{
	(void)unused;
	return page->kind == HOST_FILE_IDENTIFY && (page->id == 0x02 || page->id == 0x10 || page->id == 0x12);
}

static bool is_active_page(const struct host_file *page, uint32_t nsid)
{
	return page->kind == HOST_FILE_IDENTIFY && !page->id && page->q[HOST_FILE_NSID] == nsid;
}

static bool is_of_namespace(const struct host_file *page, uint32_t nsid)
{
	return page->q[HOST_FILE_NSID] == nsid;
}

static void drop_lists(struct sim_change *c)
{
	for (size_t i = 0; i < json_array_size(c->controllers); i++)
		sim_change_remove(c, name_of(c, i), is_list, 0);
}

/* --- capacity --- */

static int unallocated(const struct sim_change *c, uint64_t *bytes)
{
	const struct host_file id = host_file_of(HOST_FILE_IDENTIFY, 1);
	uint8_t field[16];
	int rc = sim_page_read(&c->home, &id, ID_UNVMCAP, field, sizeof(field), NULL);

	*bytes = ssd_le64(field + 8) ? UINT64_MAX : ssd_le64(field);
	return rc;
}

static void set_unallocated(struct sim_change *c, uint64_t bytes)
{
	const struct host_file id = host_file_of(HOST_FILE_IDENTIFY, 1);
	uint8_t field[16] = {0};

	ssd_put_le(field, 8, bytes);
	for (size_t i = 0; i < json_array_size(c->controllers); i++)
		sim_change_patch(c, name_of(c, i), &id, ID_UNVMCAP, field, sizeof(field));
}

/* --- create --- */

/* What is a namespace's own is zero in what all have in common (NVMe 1.4, Identify Namespace for NSID FFFFFFFFh). */
void sim_ns_common(struct nvme_id_ns *ns)
{
	ns->nsze = ns->ncap = ns->nuse = 0;
	ns->flbas = ns->dps = ns->nmic = 0;
	memset(ns->nvmcap, 0, sizeof(ns->nvmcap));
	memset(ns->nguid, 0, sizeof(ns->nguid));
	memset(ns->eui64, 0, sizeof(ns->eui64));
}

/* What all namespaces have in common: kept when the last one goes, so that there can be a new one. */
static int common(const struct sim_change *c, struct nvme_id_ns *ns)
{
	AUTO_FREE uint32_t *nsids = NULL;
	const struct host_file page = sim_ns_page(SSD_NSID_ALL);
	size_t n;
	int rc = sim_page_read(&c->home, &page, 0, ns, sizeof(*ns), NULL);

	if (rc != -ENOENT)
		return rc;
	n = sim_ns_list(&c->home, c->controllers, &nsids);
	rc = n ? sim_ns_read(&c->home, c->controllers, nsids[0], ns) : -ENOENT;
	if (!rc)
		sim_ns_common(ns);
	return rc;
}

static uint32_t free_nsid(const struct sim_call *call, const uint32_t *nsids, size_t n)
{
	uint32_t nn = ssd_le32(call->id_ctrl + offsetof(struct nvme_id_ctrl, nn));
	uint32_t most = ssd_le32(call->id_ctrl + offsetof(struct nvme_id_ctrl, mnan));
	uint32_t nsid = 1;

	if (n >= (most ? most : nn))
		return 0;
	for (size_t i = 0; i < n && nsids[i] == nsid; i++)
		nsid++;
	return nsid <= nn ? nsid : 0;
}

/* Only what the host may say (Namespace Management - Host Software Specified Fields): sizes, format, protection, sharing. */
static int take_wishes(const struct nvme_id_ns *wish, struct nvme_id_ns *ns)
{
	struct sim_ns_format f = {.extended = wish->flbas & NVME_NS_FLBAS_META_EXT,
				  .pi = wish->dps & NVME_NS_DPS_PI_MASK,
				  .pi_first = wish->dps & NVME_NS_DPS_PI_FIRST};
	int rc;

	f.lbaf = (wish->flbas & NVME_NS_FLBAS_LOWER_MASK) | (wish->flbas & NVME_NS_FLBAS_HIGHER_MASK) >> 1;
	rc = sim_ns_check_format(ns, &f);
	if (rc)
		return rc;
	sim_ns_set_format(ns, &f);
	if (!wish->nsze || le64toh(wish->ncap) > le64toh(wish->nsze))
		return SIM_INVALID_FIELD;
	if (le64toh(wish->ncap) < le64toh(wish->nsze) && !(ns->nsfeat & 1))
		return SIM_NO_THIN_PROVISIONING;
	ns->nsze = wish->nsze;
	ns->ncap = wish->ncap;
	ns->nuse = ns->nsfeat & 1 ? 0 : wish->ncap;
	ns->nmic = wish->nmic & 1;
	return 0;
}

/* NVM that it takes: its blocks, in whole units. UINT64_MAX: more than there can be. */
static uint64_t needed(const struct sim_call *call, const struct nvme_id_ns *ns)
{
	uint64_t unit = (uint64_t)call->sim->config.admin.granularity_bytes, blocks = le64toh(ns->ncap), bytes;
	unsigned shift = sim_ns_shift(ns);

	if (blocks > (uint64_t)INT64_MAX >> shift)
		return UINT64_MAX;
	bytes = blocks << shift;
	return unit && bytes % unit ? ssd_add_clamped(bytes, unit - bytes % unit) : bytes;
}

static void name_namespace(const struct sim_call *call, struct nvme_id_ns *ns, uint32_t nsid)
{
	uint64_t eui = htobe64(EUI64_DOCUMENTATION + (ssd_le32(call->id_ctrl + 4) & 0xffff) * 0x100 + nsid);

	memcpy(ns->eui64, &eui, sizeof(ns->eui64));
	memset(ns->nguid, 0, sizeof(ns->nguid));
	ns->nguid[7] = 1;
	memcpy(ns->nguid + 8, &eui, sizeof(eui));
}

/* Namespace Identification Descriptors, CNS 03h: NVMe 1.3. */
static void put_descriptors(const struct sim_call *call, struct sim_change *c, const struct nvme_id_ns *ns,
			    uint32_t nsid)
{
	struct host_file page = host_file_of(HOST_FILE_IDENTIFY, CNS_DESCRIPTORS);
	uint8_t list[4096] = {NVME_NIDT_EUI64, 8};

	if (sim_version(call) < 0x10300)
		return;
	memcpy(list + 4, ns->eui64, 8);
	list[12] = NVME_NIDT_NGUID;
	list[13] = 16;
	memcpy(list + 16, ns->nguid, 16);
	page.q[HOST_FILE_NSID] = nsid;
	for (size_t i = 0; i < json_array_size(c->controllers); i++)
		sim_change_write(c, name_of(c, i), &page, list, sizeof(list));
}

static int create(struct sim_call *call, struct sim_change *c)
{
	const struct nvme_id_ns *wish = call->cmd->data;
	AUTO_FREE uint32_t *nsids = NULL;
	struct host_file page;
	struct nvme_id_ns ns;
	uint64_t unused, need;
	uint32_t nsid;
	size_t n;
	int rc;

	if (call->cmd->nsid)
		return SIM_INVALID_FIELD;
	if (call->cmd->direction != SSD_DATA_TO_DRIVE || call->cmd->data_len < 384)
		return SIM_DATA_TRANSFER;
	rc = common(c, &ns);
	if (!rc)
		rc = take_wishes(wish, &ns);
	if (!rc)
		rc = unallocated(c, &unused);
	if (rc)
		return rc == -ENOENT ? SIM_INVALID_FORMAT : rc;
	need = needed(call, &ns);
	if (need > unused)
		return SIM_NS_CAPACITY;
	n = sim_ns_list(&c->home, c->controllers, &nsids);
	nsid = free_nsid(call, nsids, n);
	if (!nsid)
		return SIM_NSID_UNAVAILABLE;
	ssd_put_le(ns.nvmcap, 8, need);
	name_namespace(call, &ns, nsid);
	page = sim_ns_allocated_page(nsid);
	sim_change_write(c, c->home.name, &page, &ns, sizeof(ns));
	put_descriptors(call, c, &ns, nsid);
	sim_change_drop_media(c, nsid); /* of a namespace that was removed by hand */
	set_unallocated(c, unused - need);
	drop_lists(c);
	call->result = nsid;
	return 0;
}

/* --- delete --- */

static int delete_one(struct sim_change *c, uint32_t nsid, uint64_t *unused)
{
	struct nvme_id_ns ns;
	int rc = sim_ns_read(&c->home, c->controllers, nsid, &ns);

	if (rc)
		return rc;
	if (sim_format_busy(c->home.state, nsid))
		return SIM_FORMAT_IN_PROGRESS;
	sim_ns_changed(c, nsid);
	*unused = ssd_add_clamped(*unused, ssd_le64(ns.nvmcap) ? ssd_le64(ns.nvmcap) : sim_ns_bytes(&ns));
	for (size_t i = 0; i < json_array_size(c->controllers); i++)
		sim_change_remove(c, name_of(c, i), is_of_namespace, nsid);
	sim_change_drop_media(c, nsid);
	return 0;
}

static int delete (struct sim_call *call, struct sim_change *c)
{
	struct host_file template = sim_ns_page(SSD_NSID_ALL);
	AUTO_FREE uint32_t *nsids = NULL;
	size_t n = sim_ns_list(&c->home, c->controllers, &nsids);
	bool found = call->cmd->nsid == SSD_NSID_ALL;
	struct nvme_id_ns ns;
	uint64_t unused;
	int rc = unallocated(c, &unused);

	if (!rc && n)
		rc = common(c, &ns);
	if (!rc && n && !sim_change_has(c, c->home.name, &template))
		sim_change_write(c, c->home.name, &template, &ns, sizeof(ns));
	for (size_t i = 0; !rc && i < n; i++)
		if (call->cmd->nsid == SSD_NSID_ALL || nsids[i] == call->cmd->nsid) {
			found = true;
			rc = delete_one(c, nsids[i], &unused);
		}
	if (rc)
		return rc;
	if (!found)
		return SIM_INVALID_NS;
	set_unallocated(c, unused);
	drop_lists(c);
	return sim_selftest_abort(c, NVME_ST_RESULT_NS_REMOVED);
}

int sim_ns_management(struct sim_call *call)
{
	unsigned select = call->cmd->cdw10 & 0xf;
	struct sim_change c;
	int rc;

	if (select > DELETE)
		return SIM_INVALID_FIELD;
	rc = sim_change_begin(call->sim, &c);
	if (rc)
		return rc;
	return sim_change_end(&c, select == CREATE ? create(call, &c) : delete (call, &c));
}

/* --- attachment --- */

static int cntlid_of(const struct sim_change *c, const char *controller)
{
	const struct host_file id = host_file_of(HOST_FILE_IDENTIFY, 1);
	struct sim other = sim_other(&c->home, controller);
	uint8_t field[2];
	int rc = sim_page_read(&other, &id, offsetof(struct nvme_id_ctrl, cntlid), field, sizeof(field), NULL);

	sim_other_free(&other);
	return rc ? -1 : ssd_le16(field);
}

/* The controller of that identifier; the one that was asked first, as copies of a directory have the same. NULL: none. */
static const char *find_controller(const struct sim_change *c, const char *asked, int cntlid)
{
	if (cntlid_of(c, asked) == cntlid)
		return asked;
	for (size_t i = 0; i < json_array_size(c->controllers); i++)
		if (cntlid_of(c, name_of(c, i)) == cntlid)
			return name_of(c, i);
	return NULL;
}

static size_t attachments(const struct sim_change *c, uint32_t nsid)
{
	size_t n = 0;

	for (size_t i = 0; i < json_array_size(c->controllers); i++)
		n += sim_ns_attached(&c->home, name_of(c, i), nsid);
	return n;
}

static int check_attach(const struct sim_change *c, const struct nvme_id_ns *ns, const char *controller, uint32_t nsid,
			size_t count)
{
	if (sim_ns_attached(&c->home, controller, nsid))
		return SIM_ALREADY_ATTACHED;
	return !(ns->nmic & 1) && attachments(c, nsid) + count > 1 ? SIM_NS_PRIVATE : 0;
}

static void attach_one(struct sim_change *c, const struct nvme_id_ns *ns, const char *controller, uint32_t nsid)
{
	struct host_file page = sim_ns_page(nsid);

	sim_change_write(c, controller, &page, ns, sizeof(*ns));
	tell(c, controller, nsid);
}

/* The namespace stays allocated: the home must know it when no controller has it any more. */
static void detach_one(struct sim_change *c, const struct nvme_id_ns *ns, const char *controller, uint32_t nsid)
{
	struct host_file allocated = sim_ns_allocated_page(nsid);

	if (!sim_change_has(c, c->home.name, &allocated))
		sim_change_write(c, c->home.name, &allocated, ns, sizeof(*ns));
	sim_change_remove(c, controller, is_active_page, nsid);
	tell(c, controller, nsid);
}

/* All or none: NVMe leaves open what becomes of the rest of a list whose first entry was good. */
static int attach_all(struct sim_call *call, struct sim_change *c, unsigned select)
{
	const struct nvme_ctrl_list *list = call->cmd->data;
	uint32_t nsid = call->cmd->nsid;
	unsigned count = le16toh(list->num);
	struct nvme_id_ns ns;
	int rc = sim_ns_read(&c->home, c->controllers, nsid, &ns);

	if (rc || nsid == SSD_NSID_ALL)
		return rc == -ENOENT || !rc ? SIM_INVALID_NS : rc;
	if (sim_format_busy(c->home.state, nsid))
		return SIM_FORMAT_IN_PROGRESS;
	if (!count || count > ARRAY_SIZE(list->identifier))
		return SIM_BAD_CONTROLLER_LIST;
	for (unsigned i = 0; i < count; i++) {
		const char *name = find_controller(c, call->sim->name, le16toh(list->identifier[i]));

		if (!name || (i && le16toh(list->identifier[i]) <= le16toh(list->identifier[i - 1])))
			return SIM_BAD_CONTROLLER_LIST;
		rc = select == ATTACH                        ? check_attach(c, &ns, name, nsid, count)
		     : sim_ns_attached(&c->home, name, nsid) ? 0
							     : SIM_NOT_ATTACHED;
		if (rc)
			return rc;
		if (select == ATTACH)
			attach_one(c, &ns, name, nsid);
		else
			detach_one(c, &ns, name, nsid);
	}
	drop_lists(c);
	return 0;
}

int sim_ns_attachment(struct sim_call *call)
{
	unsigned select = call->cmd->cdw10 & 0xf;
	struct sim_change c;
	int rc;

	if (select > DETACH)
		return SIM_INVALID_FIELD;
	if (call->cmd->direction != SSD_DATA_TO_DRIVE || call->cmd->data_len < sizeof(struct nvme_ctrl_list))
		return SIM_DATA_TRANSFER;
	rc = sim_change_begin(call->sim, &c);
	return rc ? rc : sim_change_end(&c, attach_all(call, &c, select));
}
