/* SPDX-License-Identifier: MIT */
/*
 * Features that have data: feature-FF.bin is what is current. What it was before anything was set is the default, and what
 * was set to be saved comes back with a reset; both are kept in the home's state, by controller and file. The timestamp
 * (NVMe 1.4, Timestamp) is a clock and no file.
 */
#include "sim/sim.h"

#include <ssdct/le.h>

/* In state.json. */
#define BUFFERS "feature_buffers"
#define TIMESTAMP "timestamp" /* of the controller: "ms" at "at", whether the host has "set" it */

#define FID_TIMESTAMP 0x0e
#define ID_ONCS offsetof(struct nvme_id_ctrl, oncs)

static struct host_file page_of(const struct sim_call *call)
{
	struct host_file page = host_file_of(HOST_FILE_FEATURE, call->cmd->cdw10 & 0xff);

	page.q[HOST_FILE_NSID] = call->cmd->nsid;
	page.q[HOST_FILE_CDW11] = call->cmd->cdw11;
	return page;
}

/* --- timestamp --- */

static bool is_timestamp(const struct sim_call *call)
{
	return (call->cmd->cdw10 & 0xff) == FID_TIMESTAMP && call->sim->simulated &&
	       ssd_le16(call->id_ctrl + ID_ONCS) & NVME_CTRL_ONCS_TIMESTAMP;
}

/* Milliseconds since it was set, or since the drive was switched on or reset. */
static void read_timestamp(const struct sim_call *call, uint8_t data[8])
{
	const json_t *t = json_object_get(call->sim->state, TIMESTAMP);
	uint64_t at = (uint64_t)json_integer_value(json_object_get(t, "at")), now = sim_now_ms();

	if (!at)
		at = (uint64_t)json_integer_value(json_object_get(call->sim->state, SIM_CREATED)) * 1000;
	memset(data, 0, 8);
	ssd_put_le(data, 6, (uint64_t)json_integer_value(json_object_get(t, "ms")) + (at && now > at ? now - at : 0));
	if (json_is_true(json_object_get(t, "set")))
		data[6] = 1 << 1; /* origin: Set Features */
}

static int set_timestamp(struct sim *sim, uint64_t ms, bool host)
{
	struct sim_txn txn;
	int rc = sim_begin(sim, &txn);

	if (rc)
		return rc;
	json_object_set_new(
		sim->state, TIMESTAMP,
		json_pack("{s:I, s:I, s:b}", "ms", (json_int_t)ms, "at", (json_int_t)sim_now_ms(), "set", (int)host));
	return sim_commit(sim, &txn, true);
}

/* --- what is kept of the others --- */

static size_t kept(const struct sim_call *call, const char *which, uint8_t data[4096])
{
	struct host_file page = page_of(call);
	AUTO_FREE char *file = host_file_find(call->sim->dir, &page);
	const json_t *of = json_object_get(json_object_get(call->sim->shared, BUFFERS), call->sim->name);
	const json_t *copies = file ? json_object_get(of, file) : NULL;
	const char *hex = json_string_value(json_object_get(copies, which));

	if (!hex && !strcmp(which, "saved"))
		hex = json_string_value(json_object_get(copies, "default"));
	return hex ? sim_from_hex(hex, data, 4096) : 0;
}

int sim_feature_buffer(struct sim_call *call, const char *which, uint8_t data[4096], size_t *len)
{
	struct host_file page = page_of(call);
	uint64_t size = 0;
	int rc;

	if (is_timestamp(call)) {
		*len = 8;
		read_timestamp(call, data);
		return 0;
	}
	*len = strcmp(which, "current") ? kept(call, which, data) : 0;
	if (*len)
		return 0;
	rc = sim_page_read(call->sim, &page, 0, data, 4096, &size);
	*len = size < 4096 ? (size_t)size : 4096;
	return rc == -ENOENT ? 0 : rc;
}

static json_t *child(json_t *parent, const char *key)
{
	json_t *object = json_object_get(parent, key);

	if (!object)
		json_object_set_new(parent, key, object = json_object());
	return object;
}

/* Two hosts may write different parts, so what is there is read under the lock. */
static int store(struct sim_call *call, struct sim_change *c, bool save)
{
	const struct ssd_cmd *cmd = call->cmd;
	struct host_file page = page_of(call), file;
	AUTO_FREE char *name = host_file_find(call->sim->dir, &page);
	uint8_t data[4096];
	json_t *copies;
	size_t len;
	int rc = sim_feature_buffer(call, "current", data, &len);

	if (rc || !len || !name || !host_file_parse(name, &file))
		return rc;
	copies = child(child(sim_change_object(c, BUFFERS), call->sim->name), name);
	if (!json_object_get(copies, "default"))
		sim_set_hex(copies, "default", data, len);
	memcpy(data, cmd->data, cmd->data_len < len ? cmd->data_len : len);
	if (save)
		sim_set_hex(copies, "saved", data, len);
	sim_change_write(c, call->sim->name, &file, data, len);
	return 0;
}

int sim_feature_store(struct sim_call *call, bool save)
{
	struct sim_change c;
	int rc;

	if (is_timestamp(call)) {
		if (call->cmd->data_len < 8)
			return SIM_DATA_TRANSFER;
		return set_timestamp(call->sim, ssd_le(call->cmd->data, 6), true);
	}
	rc = sim_change_begin(call->sim, &c);
	return rc ? rc : sim_change_end(&c, store(call, &c, save));
}

/* --- resets --- */

/* Vendors' features stay as they are: what drives keep of them is in no document. */
static bool stays(const char *name, struct host_file *file)
{
	return !host_file_parse(name, file) || file->kind != HOST_FILE_FEATURE || file->id >= 0xc0;
}

int sim_feature_buffers_event(struct sim *sim)
{
	struct sim_change c;
	json_t *of, *copies;
	const char *name;
	int rc = 0;

	if (json_object_get(sim->state, TIMESTAMP))
		rc = set_timestamp(sim, 0, false);
	if (rc || !json_object_get(json_object_get(sim_shared(sim), BUFFERS), sim->name))
		return rc;
	rc = sim_change_begin(sim, &c);
	if (rc)
		return rc;
	of = json_object_get(json_object_get(c.home.state, BUFFERS), sim->name);
	json_object_foreach(of, name, copies)
	{
		const char *hex = json_string_value(json_object_get(copies, "saved"));
		struct host_file file;
		uint8_t data[4096];

		if (!hex)
			hex = json_string_value(json_object_get(copies, "default"));
		if (hex && !stays(name, &file))
			sim_change_write(&c, sim->name, &file, data, sim_from_hex(hex, data, sizeof(data)));
	}
	return sim_change_end(&c, 0);
}
