/* SPDX-License-Identifier: MIT */
/* Get Log Page. */
#include "sim/sim.h"

#include <ssdct/id_ctrl.h>
#include <ssdct/le.h>

#define LPA_SMART_PER_NS 1
#define LPA_EXTENDED 4

#define LID_FIRMWARE 0x03
#define AFI_BUSY 8 /* an update is in progress: not in the specification, but on drives (fwupd, fu-nvme-device.c) */
#define LID_SMART 0x02
#define LID_CHANGED_NS 0x04
#define LID_SELF_TEST 0x06
#define LID_PERSISTENT_EVENT 0x0d
#define LID_SANITIZE 0x81
#define RETAIN_EVENT 0x8000 /* CDW10 */
#define SMART_BYTES 512
#define SMART_POWER_ON_HOURS 128   /* 16 bytes; NVMe 1.4, SMART / Health Information log page */
#define UUID_INDEX 0x7fu           /* CDW14 */
#define UUID_ENTRY 32              /* of the UUID List: the UUID is its second half */
#define OFFSET_IS_INDEX (1u << 23) /* CDW14: Offset Type */

/* LPA bit 2: 32 bits of length and an offset; without it 12 bits, and the offset is reserved (NVMe 1.2.1). */
static bool extended(const struct sim_call *call)
{
	return sim_version(call) >= 0x10200 && call->id_ctrl[SSD_ID_CTRL_LPA] & LPA_EXTENDED;
}

static uint64_t wanted_bytes(const struct sim_call *call)
{
	const struct ssd_cmd *cmd = call->cmd;
	uint64_t numd = cmd->cdw10 >> 16;

	if (extended(call))
		numd |= (uint64_t)(cmd->cdw11 & 0xffff) << 16;
	else
		numd &= 0xfff;
	return (numd + 1) * 4;
}

static bool offset_ok(const struct sim_call *call, uint64_t offset)
{
	return !offset || (extended(call) && offset % 4 == 0 && !(call->cmd->cdw14 & OFFSET_IS_INDEX));
}

/* Named by the namespace: that the directory has it says more than LPA does. */
static bool has_page_of(const struct sim_call *call, const struct host_file *want)
{
	AUTO_FREE char *name = host_file_find(call->sim->dir, want);
	struct host_file file;

	return name && host_file_parse(name, &file) && file.q[HOST_FILE_NSID] != HOST_FILE_ANY;
}

/* NVMe 1.4, SMART / Health Information: without per-namespace SMART data any other NSID is Invalid Field. */
static bool nsid_ok(const struct sim_call *call, const struct host_file *want)
{
	return want->id != LID_SMART || call->id_ctrl[SSD_ID_CTRL_LPA] & LPA_SMART_PER_NS || !call->cmd->nsid ||
	       call->cmd->nsid == SSD_NSID_ALL || has_page_of(call, want);
}

/*
 * A UUID index must be that of a UUID in the list, CNS 17h (NVMe 2.0c, 8.25). Where there is no list the field is reserved.
 */
static bool uuid_ok(struct sim_call *call)
{
	const struct host_file list = host_file_of(HOST_FILE_IDENTIFY, 0x17);
	unsigned index = call->cmd->cdw14 & UUID_INDEX;
	uint8_t entry[UUID_ENTRY] = {0};
	static const uint8_t none[UUID_ENTRY / 2];

	if (!index || sim_page_read(call->sim, &list, index * UUID_ENTRY, entry, sizeof(entry), NULL))
		return true;
	return memcmp(entry + UUID_ENTRY / 2, none, sizeof(none)) != 0;
}

/* The page says the hours at the time when it was made; the simulated drive has been on since. */
static void advance_hours(struct sim_call *call, uint8_t *page, size_t len)
{
	const json_t *created = json_object_get(sim_state(call->sim), SIM_CREATED);
	uint64_t now = sim_now_ms() / 1000, since = (uint64_t)json_integer_value(created);

	if (!call->sim->simulated || !created || now < since || len < SMART_BYTES)
		return;
	ssd_put_le(page + SMART_POWER_ON_HOURS, 8, ssd_le64(page + SMART_POWER_ON_HOURS) + (now - since) / 3600);
}

/* Pages that a drive clears when it has handed them out, as Optane's latency logs (nvme-cli issue 1175). */
static int clear_page(struct sim_call *call, const struct host_file *page, uint16_t from, uint64_t size)
{
	AUTO_FREE uint8_t *data = ssd_calloc((size_t)size, 1);
	struct sim_txn txn;
	int rc = sim_begin(call->sim, &txn), end;

	if (rc)
		return rc;
	rc = sim_page_read(call->sim, page, 0, data, from, NULL);
	if (!rc)
		rc = sim_page_write(call->sim, page, data, (size_t)size);
	end = sim_commit(call->sim, &txn, false);
	return rc ? rc : end;
}

/* In state.json: the controller has a persistent event log reporting context. */
#define EVENT_CONTEXT "persistent_event_context"

static int set_event_context(struct sim_call *call, bool there)
{
	struct sim_txn txn;
	int rc = sim_begin(call->sim, &txn);

	if (rc)
		return rc;
	json_object_set_new(call->sim->state, EVENT_CONTEXT, json_boolean(there));
	return sim_commit(call->sim, &txn, true);
}

/*
 * The Action field of LSP: one context at a time, and nothing to read without (NVMe 1.4, 5.14.1.13). A recording has been
 * read already. A status or -errno.
 */
static int event_action(struct sim_call *call)
{
	bool there = json_is_true(json_object_get(sim_state(call->sim), EVENT_CONTEXT));

	if (!call->sim->simulated)
		return 0;
	switch (call->cmd->cdw10 >> 8 & 0x7f) {
	case NVME_PEVENT_LOG_READ:
		return there ? 0 : SIM_SEQUENCE_ERROR;
	case NVME_PEVENT_LOG_EST_CTX_AND_READ:
		return there ? SIM_SEQUENCE_ERROR : set_event_context(call, true);
	case NVME_PEVENT_LOG_RELEASE_CTX:
		return there ? set_event_context(call, false) : 0;
	default:
		return SIM_INVALID_FIELD;
	}
}

/* Bytes of the page, with what only the moment knows. A status or -errno. */
static int read_page(struct sim_call *call, const struct host_file *want, uint64_t offset, uint8_t *page, size_t len,
		     uint64_t *size)
{
	int rc = sim_telemetry_is(want->id) ? sim_telemetry_read(call, want, offset, page, len, size)
					    : sim_page_read(call->sim, want, offset, page, len, size);

	if (rc)
		return rc == -ENOENT ? SIM_INVALID_LOG_PAGE : rc;
	if (offset)
		return offset > *size ? SIM_INVALID_FIELD : 0;
	switch (want->id) {
	case LID_SMART:
		advance_hours(call, page, len);
		return 0;
	case LID_FIRMWARE:
		if (sim_fw_busy(call))
			page[0] |= AFI_BUSY;
		return 0;
	case LID_SELF_TEST:
		return sim_selftest_poll(call, page, len);
	case LID_SANITIZE:
		return sim_sanitize_poll(call, page, len);
	default:
		return 0;
	}
}

/* What reading the page does to it. */
static int after_reading(struct sim_call *call, const struct host_file *want, const uint8_t *page, uint64_t size)
{
	uint16_t clear = call->sim->config.clear_from[want->id];

	if (!call->sim->simulated)
		return 0;
	if (want->id == LID_CHANGED_NS && !(call->cmd->cdw10 & RETAIN_EVENT) && ssd_le32(page))
		return sim_ns_list_read(call);
	return clear && clear < size ? clear_page(call, want, clear, size) : 0;
}

int sim_get_log(struct sim_call *call)
{
	const struct ssd_cmd *cmd = call->cmd;
	uint8_t lid = cmd->cdw10 & 0xff;
	struct host_file want = host_file_of(HOST_FILE_LOG, lid);
	uint64_t offset = cmd->cdw12 | (uint64_t)cmd->cdw13 << 32, len = wanted_bytes(call), size;
	AUTO_FREE uint8_t *page = NULL;
	int rc;

	want.q[HOST_FILE_NSID] = cmd->nsid;
	want.q[HOST_FILE_LSI] = cmd->cdw11 >> 16;
	want.q[HOST_FILE_UUID] = cmd->cdw14 & UUID_INDEX;
	if (!cmd->data_len || !offset_ok(call, offset) || !nsid_ok(call, &want) || !uuid_ok(call))
		return SIM_INVALID_FIELD;
	if (len > cmd->data_len)
		len = cmd->data_len;
	page = ssd_calloc((size_t)len, 1);
	rc = lid == LID_FIRMWARE ? sim_fw_poll(call) : 0;
	if (rc)
		return rc;
	rc = read_page(call, &want, offset, page, (size_t)len, &size);
	if (!rc && lid == LID_PERSISTENT_EVENT)
		rc = event_action(call);
	if (rc)
		return rc;
	sim_copy_out(call, page, (size_t)len);
	return after_reading(call, &want, page, size);
}
