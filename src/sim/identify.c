/* SPDX-License-Identifier: MIT */
/* Identify. */
#include "sim/sim.h"

#include <ssdct/id_ctrl.h>
#include <ssdct/le.h>

#define PAGE_BYTES 4096
#define OACS_NS_MANAGEMENT 8

enum {
	CNS_NS = 0x00,
	CNS_CTRL = 0x01,
	CNS_ACTIVE_NS = 0x02,
	CNS_NS_DESCRIPTORS = 0x03,
	CNS_ALLOCATED_NS_LIST = 0x10,
	CNS_ALLOCATED_NS = 0x11,
	CNS_NS_CTRL_LIST = 0x12,
	CNS_CTRL_LIST = 0x13,
	CNS_GRANULARITY = 0x16,
};

static bool is_namespace(uint8_t cns)
{
	return cns == CNS_NS || cns == CNS_ALLOCATED_NS;
}

static int copy_page(struct sim_call *call, const struct host_file *want)
{
	uint8_t page[PAGE_BYTES];
	int rc = sim_page_read(call->sim, want, 0, page, sizeof(page), NULL);

	if (rc)
		return rc;
	if (is_namespace(want->id))
		sim_format_progress(call, call->cmd->nsid, (struct nvme_id_ns *)page);
	sim_copy_out(call, page, sizeof(page));
	return 0;
}

/*
 * NSID FFFFFFFFh: what all namespaces have in common, on a controller with namespace management (NVMe 1.4, Identify):
 * the first one's formats and capabilities, without what is its own.
 */
static bool manages_namespaces(const struct sim_call *call)
{
	return ssd_le16(call->id_ctrl + SSD_ID_CTRL_OACS) & OACS_NS_MANAGEMENT;
}

static int common_namespace(struct sim_call *call)
{
	struct host_file first = host_file_of(HOST_FILE_IDENTIFY, CNS_NS);
	AUTO_FREE uint32_t *nsids = NULL;
	struct nvme_id_ns ns;
	int rc;

	if (!manages_namespaces(call) || !host_file_namespaces(call->sim->dir, &nsids))
		return SIM_INVALID_NS;
	first.q[HOST_FILE_NSID] = nsids[0];
	rc = sim_page_read(call->sim, &first, 0, &ns, sizeof(ns), NULL);
	if (rc)
		return rc == -ENOENT ? SIM_INVALID_NS : rc;
	sim_ns_common(&ns);
	sim_copy_out(call, &ns, sizeof(ns));
	return 0;
}

/* What a controller says to an NSID that has no namespace attached: zeros within NN, else Invalid Namespace. */
static int no_namespace(struct sim_call *call)
{
	static const uint8_t zeros[PAGE_BYTES];

	if (call->cmd->nsid == SSD_NSID_ALL)
		return common_namespace(call);
	if (!call->cmd->nsid || call->cmd->nsid > ssd_le32(call->id_ctrl + SSD_ID_CTRL_NN))
		return SIM_INVALID_NS;
	sim_copy_out(call, zeros, sizeof(zeros));
	return 0;
}

/* Up to 1024 NSIDs above the given one (NVMe 1.4, Identify, Namespace List). */
static int namespace_list(struct sim_call *call, bool allocated)
{
	AUTO_JSON json_t *controllers = NULL;
	uint8_t list[PAGE_BYTES] = {0};
	AUTO_FREE uint32_t *nsids = NULL;
	size_t n, used = 0;

	if (call->cmd->nsid >= 0xfffffffe)
		return SIM_INVALID_NS;
	if (allocated)
		controllers = sim_controllers(call->sim);
	n = allocated ? sim_ns_list(call->sim, controllers, &nsids) : host_file_namespaces(call->sim->dir, &nsids);
	for (size_t i = 0; i < n && used < PAGE_BYTES / 4; i++)
		if (nsids[i] > call->cmd->nsid)
			ssd_put_le(list + 4 * used++, 4, nsids[i]);
	sim_copy_out(call, list, sizeof(list));
	return 0;
}

static int by_cntlid(const void *a, const void *b)
{
	return *(const uint16_t *)a - *(const uint16_t *)b;
}

/*
 * Controllers of the subsystem from the identifier asked for on: all, or those that have the namespace (NVMe 1.4,
 * Identify, Controller List).
 */
static int controller_list(struct sim_call *call, uint32_t nsid)
{
	AUTO_JSON json_t *names = sim_controllers(call->sim);
	const struct host_file id = host_file_of(HOST_FILE_IDENTIFY, CNS_CTRL);
	uint8_t list[PAGE_BYTES] = {0};
	uint16_t ids[PAGE_BYTES / 2 - 1] = {0};
	size_t n = 0;

	for (size_t i = 0; i < json_array_size(names) && n < ARRAY_SIZE(ids); i++) {
		struct sim other = sim_other(call->sim, json_string_value(json_array_get(names, i)));
		uint8_t cntlid[2];

		if ((!nsid || sim_ns_attached(call->sim, other.name, nsid)) &&
		    !sim_page_read(&other, &id, SSD_ID_CTRL_CNTLID, cntlid, sizeof(cntlid), NULL) &&
		    ssd_le16(cntlid) >= call->cmd->cdw10 >> 16)
			ids[n++] = ssd_le16(cntlid);
		sim_other_free(&other);
	}
	qsort(ids, n, sizeof(*ids), by_cntlid);
	ssd_put_le(list, 2, n);
	for (size_t i = 0; i < n; i++)
		ssd_put_le(list + 2 + 2 * i, 2, ids[i]);
	sim_copy_out(call, list, sizeof(list));
	return 0;
}

/* An allocated namespace, attached to this controller or not; zeros where there is none. */
static int allocated_namespace(struct sim_call *call)
{
	AUTO_JSON json_t *names = sim_controllers(call->sim);
	struct nvme_id_ns ns;
	int rc = sim_ns_read(call->sim, names, call->cmd->nsid, &ns);

	if (rc)
		return rc == -ENOENT ? no_namespace(call) : rc;
	sim_format_progress(call, call->cmd->nsid, &ns);
	sim_copy_out(call, &ns, sizeof(ns));
	return 0;
}

static int namespace_management(struct sim_call *call, uint8_t cns)
{
	switch (cns) {
	case CNS_ALLOCATED_NS_LIST:
		return namespace_list(call, true);
	case CNS_ALLOCATED_NS:
		return allocated_namespace(call);
	case CNS_CTRL_LIST:
		return controller_list(call, 0);
	default: /* CNS_NS_CTRL_LIST */
		return call->cmd->nsid && call->cmd->nsid <= ssd_le32(call->id_ctrl + SSD_ID_CTRL_NN)
			       ? controller_list(call, call->cmd->nsid)
			       : SIM_INVALID_NS;
	}
}

/* Namespace Granularity List (NVMe 1.4): one descriptor for all formats. */
static int granularity_list(struct sim_call *call)
{
	uint64_t bytes = (uint64_t)call->sim->config.admin.granularity_bytes;
	uint8_t list[PAGE_BYTES] = {0};

	ssd_put_le(list + 32, 8, bytes);
	ssd_put_le(list + 40, 8, bytes);
	sim_copy_out(call, list, sizeof(list));
	return 0;
}

/* Structures of a namespace that this controller does not have, though a file may be there from when it had. */
static bool is_detached(const struct sim_call *call, uint8_t cns)
{
	return cns == CNS_NS_DESCRIPTORS && manages_namespaces(call) && call->sim->simulated &&
	       !sim_ns_attached(call->sim, call->sim->name, call->cmd->nsid);
}

int sim_identify(struct sim_call *call)
{
	const struct ssd_cmd *cmd = call->cmd;
	uint8_t cns = cmd->cdw10 & 0xff;
	struct host_file want = host_file_of(HOST_FILE_IDENTIFY, cns);
	int rc;

	if (!cmd->data_len)
		return SIM_INVALID_FIELD;
	want.q[HOST_FILE_NSID] = cmd->nsid;
	want.q[HOST_FILE_CNTID] = cmd->cdw10 >> 16;
	want.q[HOST_FILE_CSI] = cmd->cdw11 >> 24;
	if (is_detached(call, cns))
		return SIM_INVALID_NS;
	rc = cns == CNS_CTRL ? sim_fw_poll(call) : 0;
	if (rc)
		return rc;
	rc = copy_page(call, &want);
	if (rc != -ENOENT)
		return rc;
	if (cns == CNS_NS)
		return no_namespace(call);
	/* Before 1.2 a controller knows CNS 00h and 01h only; what a recording has was answered, whatever VER says. */
	if (cns == CNS_ACTIVE_NS && sim_version(call) >= 0x10200)
		return namespace_list(call, false);
	if (cns >= CNS_ALLOCATED_NS_LIST && cns <= CNS_CTRL_LIST && manages_namespaces(call))
		return namespace_management(call, cns);
	if (cns == CNS_GRANULARITY && manages_namespaces(call) && call->sim->config.admin.granularity_bytes)
		return granularity_list(call);
	return SIM_INVALID_FIELD;
}
