/* SPDX-License-Identifier: MIT */
/*
 * Intel's feature D5h (SPDK nvme_intel.h): bit 0 starts the timed workload anew. It can only be set. Until there has been an
 * hour of workload the attributes E2h, E3h and E4h of log page CAh are 65535, "no data" (the drives' isdct says so).
 */
#include "sim/sim.h"

#include <ssdct/le.h>

enum { LID_ATTRIBUTES = 0xca, PAGE_BYTES = 512, ENTRY = 12, RAW = 5, RAW_BYTES = 6, NO_DATA = 65535 };

static void forget(uint8_t *page)
{
	for (uint8_t *entry = page; entry + ENTRY <= page + PAGE_BYTES; entry += ENTRY)
		if (*entry >= 0xe2 && *entry <= 0xe4)
			ssd_put_le(entry + RAW, RAW_BYTES, NO_DATA);
}

int sim_workload_reset(struct sim_call *call)
{
	const struct host_file file = host_file_of(HOST_FILE_LOG, LID_ATTRIBUTES);
	uint8_t page[PAGE_BYTES];
	struct sim_txn txn;
	int rc, end;

	if (!(call->cmd->cdw11 & 1))
		return 0;
	rc = sim_begin(call->sim, &txn);
	if (rc)
		return rc;
	rc = sim_page_read(call->sim, &file, 0, page, sizeof(page), NULL);
	if (!rc) {
		forget(page);
		rc = sim_page_write(call->sim, &file, page, sizeof(page));
	}
	end = sim_commit(call->sim, &txn, false);
	if (rc == -ENOENT)
		return SIM_INVALID_FIELD;
	return rc ? rc : end;
}
