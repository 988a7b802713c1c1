/* SPDX-License-Identifier: MIT */
/*
 * Telemetry, log pages 07h and 08h (NVMe 1.4). The bytes are the page file's; with the data areas
 * given in drive.json they are made up as they are read, so that a drive may have more than anybody would store: lines
 * that say which block of which capture they are. What the host does to telemetry is in the home's state.
 */
#include "sim/sim.h"

#include <endian.h>
#include <ssdct/le.h>

#define BLOCK 512u
#define CREATE_HOST_DATA 0x100 /* LSP bit 0 in CDW10 */
#define RETAIN_EVENT 0x8000

/* In state.json: "host" and "controller" generation, "available". */
#define TELEMETRY "telemetry"

bool sim_telemetry_is(uint8_t lid)
{
	return lid == NVME_LOG_LID_TELEMETRY_HOST || lid == NVME_LOG_LID_TELEMETRY_CTRL;
}

static const struct sim_telemetry *given(const struct sim_call *call, uint8_t lid)
{
	const struct sim_admin *admin = &call->sim->config.admin;
	const struct sim_telemetry *t =
		lid == NVME_LOG_LID_TELEMETRY_HOST ? &admin->host_telemetry : &admin->controller_telemetry;
	uint8_t lpa = call->id_ctrl[offsetof(struct nvme_id_ctrl, lpa)];

	return t->given && lpa & NVME_CTRL_LPA_TELEMETRY ? t : NULL;
}

static uint64_t last_block(const struct sim_telemetry *t)
{
	uint64_t last = 0;

	for (size_t i = 0; i < ARRAY_SIZE(t->blocks); i++)
		if (t->blocks[i] > last)
			last = t->blocks[i];
	return last;
}

/* A number of the state, or what there was before. */
static unsigned stored(const json_t *state, const char *key, unsigned initial)
{
	const json_t *value = json_object_get(json_object_get(state, TELEMETRY), key);

	return value ? (unsigned)json_integer_value(value) & 0xff : initial;
}

/* What nobody has decided otherwise is as the page says it, odd values included. */
static uint8_t available(const struct sim_call *call, uint8_t in_file)
{
	int64_t configured = call->sim->config.admin.telemetry_available;

	return (uint8_t)stored(call->sim->shared, "available", configured < 0 ? in_file : (unsigned)configured);
}

/* The host has had it, and it is gone. */
static bool is_consumed(const struct sim_call *call, uint8_t lid)
{
	return lid == NVME_LOG_LID_TELEMETRY_CTRL && !stored(call->sim->shared, "available", 1);
}

static int header(struct sim_call *call, const struct host_file *page, struct nvme_telemetry_log *log, uint64_t *size)
{
	const struct sim_telemetry *t = given(call, page->id);
	int rc = sim_page_read(call->sim, page, 0, log, sizeof(*log), size);

	if (rc && !(rc == -ENOENT && t))
		return rc;
	if (rc) {
		*log = (struct nvme_telemetry_log){.lpi = page->id};
		memcpy(log->ieee, call->id_ctrl + offsetof(struct nvme_id_ctrl, ieee), sizeof(log->ieee));
	}
	if (t) {
		log->dalb1 = htole16(t->blocks[0]);
		log->dalb2 = htole16(t->blocks[1]);
		log->dalb3 = htole16(t->blocks[2]);
		log->dalb4 = htole32(t->blocks[3]);
		*size = BLOCK * (last_block(t) + 1);
	}
	if (is_consumed(call, page->id)) {
		log->dalb1 = log->dalb2 = log->dalb3 = 0;
		log->dalb4 = 0;
		*size = BLOCK;
	}
	/* Its host counterpart came with 2.0, and was reserved before. */
	if (page->id == NVME_LOG_LID_TELEMETRY_HOST && sim_version(call) >= 0x20000)
		log->hostdgn = (uint8_t)stored(call->sim->shared, "host", log->hostdgn);
	log->ctrlavail = available(call, log->ctrlavail);
	log->ctrldgn = (uint8_t)stored(call->sim->shared, "controller", log->ctrldgn);
	return 0;
}

static void make_block(uint8_t block[BLOCK], uint8_t lid, unsigned generation, uint64_t number)
{
	char line[64];
	size_t len = (size_t)snprintf(line, sizeof(line), "telemetry %02xh capture %03u block %010llu\n", lid,
				      generation, (unsigned long long)number);

	for (size_t i = 0; i < BLOCK; i++)
		block[i] = (uint8_t)line[i % len];
}

/* len bytes from offset, whole blocks being made of which parts are taken. */
static void make_up(const struct sim_call *call, uint8_t lid, uint64_t offset, uint8_t *page, size_t len)
{
	const char *key = lid == NVME_LOG_LID_TELEMETRY_HOST ? "host" : "controller";
	unsigned generation = stored(call->sim->shared, key, 0);

	for (size_t done = 0; done < len;) {
		uint64_t number = (offset + done) / BLOCK;
		size_t at = (size_t)((offset + done) % BLOCK), n = BLOCK - at < len - done ? BLOCK - at : len - done;
		uint8_t block[BLOCK];

		make_block(block, lid, generation, number);
		memcpy(page + done, block + at, n);
		done += n;
	}
}

/* New data: the number by which a host tells one capture from another. */
static int create(struct sim_call *call)
{
	struct sim_change c;
	json_t *telemetry;
	int rc = sim_change_begin(call->sim, &c);

	if (rc)
		return rc;
	telemetry = sim_change_object(&c, TELEMETRY);
	json_object_set_new(telemetry, "host",
			    json_integer((json_integer_value(json_object_get(telemetry, "host")) + 1) & 0xff));
	rc = sim_change_end(&c, 0);
	sim_shared(call->sim);
	return rc;
}

static int consume(struct sim_call *call)
{
	struct sim_change c;
	int rc = sim_change_begin(call->sim, &c);

	if (rc)
		return rc;
	json_object_set_new(sim_change_object(&c, TELEMETRY), "available", json_integer(0));
	return sim_change_end(&c, 0);
}

int sim_telemetry_read(struct sim_call *call, const struct host_file *want, uint64_t offset, uint8_t *page, size_t len,
		       uint64_t *size)
{
	uint32_t cdw10 = call->cmd->cdw10;
	struct nvme_telemetry_log log;
	size_t n, from_header;
	int rc = header(call, want, &log, size);

	if (!rc && want->id == NVME_LOG_LID_TELEMETRY_HOST && cdw10 & CREATE_HOST_DATA && call->sim->simulated) {
		rc = create(call);
		if (!rc)
			rc = header(call, want, &log, size);
	}
	if (rc || offset > *size)
		return rc;
	n = *size - offset < len ? (size_t)(*size - offset) : len;
	memset(page, 0, len);
	if (given(call, want->id))
		make_up(call, want->id, offset, page, n);
	else
		rc = sim_page_read(call->sim, want, offset, page, n, NULL);
	from_header = offset >= sizeof(log) ? 0 : sizeof(log) - (size_t)offset;
	if (!rc && from_header)
		memcpy(page, (const uint8_t *)&log + offset, from_header < n ? from_header : n);
	if (rc || want->id != NVME_LOG_LID_TELEMETRY_CTRL || cdw10 & RETAIN_EVENT || !log.ctrlavail ||
	    !call->sim->simulated)
		return rc;
	return consume(call);
}
