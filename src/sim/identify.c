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
	CNS_ALLOCATED_NS_LIST = 0x10,
	CNS_ALLOCATED_NS = 0x11,
	CNS_NS_CTRL_LIST = 0x12,
	CNS_CTRL_LIST = 0x13,
};

static int copy_page(struct sim_call *call, const struct host_file *want)
{
	uint8_t page[PAGE_BYTES];
	int rc = sim_page_read(call->sim, want, 0, page, sizeof(page), NULL);

	if (!rc)
		sim_copy_out(call, page, sizeof(page));
	return rc;
}

/*
 * NSID FFFFFFFFh: what all namespaces have in common, on a controller with namespace management (NVMe 1.4, 5.15.2.1):
 * the first one's formats and capabilities, without what is its own.
 */
static bool manages_namespaces(const struct sim_call *call)
{
	return ssd_le16(call->id_ctrl + SSD_ID_CTRL_OACS) & OACS_NS_MANAGEMENT;
}

static int common_namespace(struct sim_call *call)
{
	static const struct {
		uint8_t at, len;
	} own[] = {{0, 24}, {26, 1}, {48, 16}, {104, 24}}; /* sizes, format in use, NVMCAP, NGUID and EUI64 */
	struct host_file first = host_file_of(HOST_FILE_IDENTIFY, CNS_NS);
	AUTO_FREE uint32_t *nsids = NULL;
	uint8_t page[PAGE_BYTES];
	int rc;

	if (!manages_namespaces(call) || !host_file_namespaces(call->sim->dir, &nsids))
		return SIM_INVALID_NS;
	first.q[HOST_FILE_NSID] = nsids[0];
	rc = sim_page_read(call->sim, &first, 0, page, sizeof(page), NULL);
	if (rc)
		return rc == -ENOENT ? SIM_INVALID_NS : rc;
	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		memset(page + own[i].at, 0, own[i].len);
	sim_copy_out(call, page, sizeof(page));
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

/* Up to 1024 NSIDs above the given one (NVMe 1.4, 5.15.2.3). */
static int namespace_list(struct sim_call *call)
{
	uint8_t list[PAGE_BYTES] = {0};
	AUTO_FREE uint32_t *nsids = NULL;
	size_t n, used = 0;

	if (call->cmd->nsid >= 0xfffffffe)
		return SIM_INVALID_NS;
	n = host_file_namespaces(call->sim->dir, &nsids);
	for (size_t i = 0; i < n && used < PAGE_BYTES / 4; i++)
		if (nsids[i] > call->cmd->nsid)
			ssd_put_le(list + 4 * used++, 4, nsids[i]);
	sim_copy_out(call, list, sizeof(list));
	return 0;
}

/* The one controller there is, when its identifier is not below the one asked for (NVMe 1.4, 5.15.2.13 and .14). */
static int controller_list(struct sim_call *call)
{
	uint16_t own = ssd_le16(call->id_ctrl + SSD_ID_CTRL_CNTLID);
	uint8_t list[PAGE_BYTES] = {0};

	if (own >= call->cmd->cdw10 >> 16) {
		ssd_put_le(list, 2, 1);
		ssd_put_le(list + 2, 2, own);
	}
	sim_copy_out(call, list, sizeof(list));
	return 0;
}

/* Every namespace of the directory is attached to this controller, so what is allocated is what is active. */
static int namespace_management(struct sim_call *call, uint8_t cns)
{
	struct host_file ns = host_file_of(HOST_FILE_IDENTIFY, CNS_NS);
	int rc;

	if (cns == CNS_ALLOCATED_NS_LIST)
		return namespace_list(call);
	if (cns == CNS_CTRL_LIST)
		return controller_list(call);
	ns.q[HOST_FILE_NSID] = call->cmd->nsid;
	if (cns == CNS_ALLOCATED_NS) {
		rc = copy_page(call, &ns);
		return rc == -ENOENT ? no_namespace(call) : rc;
	}
	return call->cmd->nsid && call->cmd->nsid <= ssd_le32(call->id_ctrl + SSD_ID_CTRL_NN) ? controller_list(call)
											      : SIM_INVALID_NS;
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
	rc = copy_page(call, &want);
	if (rc != -ENOENT)
		return rc;
	if (cns == CNS_NS)
		return no_namespace(call);
	/* Before 1.2 a controller knows CNS 00h and 01h only; what a recording has was answered, whatever VER says. */
	if (cns == CNS_ACTIVE_NS && sim_version(call) >= 0x10200)
		return namespace_list(call);
	if (cns >= CNS_ALLOCATED_NS_LIST && cns <= CNS_CTRL_LIST && manages_namespaces(call))
		return namespace_management(call, cns);
	return SIM_INVALID_FIELD;
}
