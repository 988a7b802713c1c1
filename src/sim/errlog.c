/* SPDX-License-Identifier: MIT */
/* What a controller remembers of commands that failed: log page 01h, and the counter in 02h. */
#include "sim/sim.h"

#include <ssdct/id_ctrl.h>
#include <ssdct/le.h>

/* Error Information log entry, NVMe 1.4. */
#define ENTRY_BYTES 64
#define MAX_ENTRIES 256         /* ELPE is one byte, zero-based */
#define LOCATION_UNKNOWN 0xffff /* "not specific to a particular parameter" */

#define SMART_BYTES 512
#define MAX_SMART_BYTES 4096 /* of a file that somebody saved with more behind it */
#define SMART_ERROR_ENTRIES \
	176 /* Number of Error Information Log Entries, 16 bytes; NVMe 1.4, SMART / Health Information log page */

static void add_128(uint8_t *p, uint64_t n)
{
	for (unsigned i = 0; i < 16 && n; i++) {
		n += p[i];
		p[i] = (uint8_t)n;
		n >>= 8;
	}
}

int sim_smart_count(struct sim *sim, size_t offset, uint64_t *count)
{
	const struct host_file page = host_file_of(HOST_FILE_LOG, 0x02);
	uint8_t smart[MAX_SMART_BYTES];
	uint64_t size;
	int rc = sim_page_read(sim, &page, 0, smart, sizeof(smart), &size);

	*count = 0;
	if (rc == -ENOENT || (!rc && (size < SMART_BYTES || size > sizeof(smart))))
		return 0;
	if (rc)
		return rc;
	add_128(smart + offset, 1);
	*count = ssd_le64(smart + offset);
	return sim_page_write(sim, &page, smart, (size_t)size);
}

static void fill_entry(uint8_t *entry, const struct sim_call *call, unsigned status, uint64_t count)
{
	memset(entry, 0, ENTRY_BYTES);
	ssd_put_le(entry, 8, count);
	ssd_put_le(entry + 8, 2, call->cmd->io); /* queue 0 is the admin queue */
	ssd_put_le(entry + 10, 2, call->sim->cid);
	ssd_put_le(entry + 12, 2, status << 1); /* bit 0 is the phase tag */
	ssd_put_le(entry + 14, 2, LOCATION_UNKNOWN);
	ssd_put_le(entry + 24, 4, call->cmd->nsid);
}

/* Newest first; the oldest falls off. A drive without the page goes on without it. */
static int add_entry(struct sim_call *call, unsigned status, uint64_t count)
{
	const struct host_file page = host_file_of(HOST_FILE_LOG, 0x01);
	size_t room = ((size_t)call->id_ctrl[SSD_ID_CTRL_ELPE] + 1) * ENTRY_BYTES, len;
	uint8_t log[MAX_ENTRIES * ENTRY_BYTES];
	uint64_t size, newest;
	int rc = sim_page_read(call->sim, &page, 0, log, sizeof(log), &size);

	if (rc)
		return rc == -ENOENT ? 0 : rc;
	newest = ssd_le64(log);
	if (count <= newest)
		count = newest + 1;
	len = size < room ? (size_t)size / ENTRY_BYTES * ENTRY_BYTES : room;
	if (len < room && (!len || ssd_le64(log + len - ENTRY_BYTES)))
		len += ENTRY_BYTES;
	memmove(log + ENTRY_BYTES, log, len - ENTRY_BYTES);
	fill_entry(log, call, status, count);
	return sim_page_write(call->sim, &page, log, len);
}

int sim_log_error(struct sim_call *call, unsigned status)
{
	struct sim *sim = call->sim;
	struct sim_txn txn;
	uint64_t count;
	int rc = sim_begin(sim, &txn), end;

	if (rc)
		return rc;
	rc = sim_smart_count(sim, SMART_ERROR_ENTRIES, &count);
	if (!rc)
		rc = add_entry(call, status, count);
	end = sim_commit(sim, &txn, false);
	return rc ? rc : end;
}
