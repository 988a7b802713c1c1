/* SPDX-License-Identifier: MIT */
/* Steps of a plan as commands, and as text with their dwords. */
#include <ssdct/ns.h>

#include <inttypes.h>
#include <ssdct/le.h>

#define PAGE_BYTES 4096

/* Select, CDW10 bits 3:0 (NVM Express Base Specification 2.0c, figures 251 and 254). */
enum { SELECT_CREATE = 0, SELECT_DELETE = 1, SELECT_ATTACH = 0, SELECT_DETACH = 1 };

/* What the host says of a new namespace (NVM Command Set Specification 1.0c, figure 113): places as in Identify. */
static void put_namespace(const struct ns_step *step, uint8_t *data)
{
	ssd_put_le(data, 8, step->nsze);
	ssd_put_le(data + 8, 8, step->ncap);
	data[26] = step->flbas;
	data[29] = step->dps;
	data[30] = step->nmic;
	ssd_put_le(data + 92, 4, step->anagrpid);
	ssd_put_le(data + 100, 2, step->nvmsetid);
	ssd_put_le(data + 102, 2, step->endgid);
}

static void put_controllers(const struct ssd_controllers *c, uint8_t *data)
{
	ssd_put_le(data, 2, c->n);
	for (unsigned i = 0; i < c->n; i++)
		ssd_put_le(data + 2 + 2 * i, 2, c->ids[i]);
}

void ns_step_cmd(const struct ns_step *step, uint32_t created, uint8_t *data, struct ssd_cmd *cmd)
{
	bool has_data = step->kind == NS_CREATE || step->kind == NS_ATTACH || step->kind == NS_DETACH;

	*cmd = (struct ssd_cmd){.nsid = step->nsid ? step->nsid : created};
	memset(data, 0, PAGE_BYTES);
	switch (step->kind) {
	case NS_CREATE:
		cmd->opcode = SSD_ADMIN_NS_MANAGEMENT;
		cmd->nsid = 0;
		cmd->cdw10 = SELECT_CREATE;
		put_namespace(step, data);
		break;
	case NS_DELETE:
		cmd->opcode = SSD_ADMIN_NS_MANAGEMENT;
		cmd->cdw10 = SELECT_DELETE;
		break;
	case NS_ATTACH:
	case NS_DETACH:
		cmd->opcode = SSD_ADMIN_NS_ATTACHMENT;
		cmd->cdw10 = step->kind == NS_ATTACH ? SELECT_ATTACH : SELECT_DETACH;
		put_controllers(&step->controllers, data);
		break;
	case NS_SET_MAX_LBA:
		/* SPDK nvme_intel.h; the value's halves are in CDW11 and CDW12. */
		cmd->opcode = SSD_ADMIN_SET_FEATURES;
		cmd->nsid = 0;
		cmd->cdw10 = NS_FID_MAX_LBA;
		cmd->cdw11 = (uint32_t)step->value;
		cmd->cdw12 = (uint32_t)(step->value >> 32);
		break;
	}
	if (has_data) {
		cmd->data = data;
		cmd->data_len = PAGE_BYTES;
		cmd->direction = SSD_DATA_TO_DRIVE;
	}
}

static void name_controllers(const struct ssd_controllers *c, char *buf, size_t size)
{
	size_t len = 0;

	*buf = '\0';
	for (unsigned i = 0; i < c->n && len + 8 < size; i++)
		len += (size_t)snprintf(buf + len, size - len, "%s%u", i ? "," : "", c->ids[i]);
}

static void name_groups(const struct ns_step *step, char *buf, size_t size)
{
	const struct {
		const char *name;
		uint32_t id;
	} groups[] = {{"ANAGRPID", step->anagrpid}, {"NVMSETID", step->nvmsetid}, {"ENDGID", step->endgid}};

	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		if (groups[i].id)
			snprintf(buf + strlen(buf), size - strlen(buf), ", %s %" PRIu32, groups[i].name, groups[i].id);
}

static void what(const struct ns_step *step, char *buf, size_t size)
{
	char list[100], nsid[32] = "the new namespace";

	name_controllers(&step->controllers, list, sizeof(list));
	if (step->nsid == SSD_NSID_ALL)
		ssd_strcpy(nsid, sizeof(nsid), "all namespaces");
	else if (step->nsid)
		snprintf(nsid, sizeof(nsid), "namespace %" PRIu32, step->nsid);
	switch (step->kind) {
	case NS_CREATE:
		snprintf(buf, size, "create, NSZE %" PRIu64 ", NCAP %" PRIu64 ", FLBAS 0x%02x, DPS 0x%02x, NMIC 0x%02x",
			 step->nsze, step->ncap, step->flbas, step->dps, step->nmic);
		name_groups(step, buf, size);
		break;
	case NS_DELETE:
		snprintf(buf, size, "delete %s", nsid);
		break;
	case NS_ATTACH:
		snprintf(buf, size, "attach %s to controller %s", nsid, list);
		break;
	case NS_DETACH:
		snprintf(buf, size, "detach %s from controller %s", nsid, list);
		break;
	case NS_SET_MAX_LBA:
		snprintf(buf, size, "Max LBA %" PRIu64 ", that is %" PRIu64 " blocks", step->value, step->nsze);
		break;
	}
}

void ns_step_text(const struct ns_step *step, char *buf, size_t size)
{
	uint8_t data[PAGE_BYTES];
	char text[200], nsid[24] = "the new one's";
	struct ssd_cmd cmd;

	ns_step_cmd(step, 0, data, &cmd);
	what(step, text, sizeof(text));
	if (cmd.nsid || step->kind == NS_CREATE || step->kind == NS_SET_MAX_LBA)
		snprintf(nsid, sizeof(nsid), "0x%" PRIx32, cmd.nsid);
	snprintf(buf, size,
		 "%s (%02Xh): %s; nsid %s, cdw10 0x%" PRIx32 ", cdw11 0x%" PRIx32 ", cdw12 0x%" PRIx32 ", timeout %u s",
		 ssd_opcode_name(cmd.opcode), cmd.opcode, text, nsid, cmd.cdw10, cmd.cdw11, cmd.cdw12,
		 ssd_timeout_ms(cmd.opcode) / 1000);
}
