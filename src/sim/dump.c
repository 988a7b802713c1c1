/* SPDX-License-Identifier: MIT */
/*
 * Intel's debug dumps, admin opcode D2h (nvme-cli, plugins/intel): CDW10 dwords, CDW12 which dump, core and nlog, CDW13 dwords
 * from its start. A drive that does not have the dump says Invalid Field (nvme-cli issue 703).
 */
#include "sim/sim.h"

int sim_dump(struct sim_call *call)
{
	const struct ssd_cmd *cmd = call->cmd;
	struct host_file want = host_file_of(HOST_FILE_DUMP, cmd->cdw12 & 7);
	uint64_t offset = (uint64_t)cmd->cdw13 * 4, len = (uint64_t)cmd->cdw10 * 4, size;
	AUTO_FREE uint8_t *data = NULL;
	int rc;

	if (!len || len > cmd->data_len)
		return SIM_INVALID_FIELD;
	want.q[HOST_FILE_CORE] = cmd->cdw12 >> 3 & 3;
	want.q[HOST_FILE_NLOG] = cmd->cdw12 >> 5 & 0xff;
	data = ssd_calloc((size_t)len, 1);
	rc = sim_page_read(call->sim, &want, offset, data, (size_t)len, &size);
	if (rc)
		return rc == -ENOENT ? SIM_INVALID_FIELD : rc;
	if (offset > size)
		return SIM_INVALID_FIELD;
	sim_copy_out(call, data, (size_t)len);
	return 0;
}
