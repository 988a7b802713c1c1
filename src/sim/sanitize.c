/* SPDX-License-Identifier: MIT */
/*
 * Sanitize (NVMe 1.4) with its log page 81h. The operation is kept in the home's state until the host has
 * read the page "busy_polls" times; resets and power cycles do not end it. One that fails stays there until a later one
 * succeeds, or until Exit Failure Mode where the host had allowed that (AUSE).
 */
#include "sim/sim.h"

#include <endian.h>
#include <ssdct/le.h>

#define LID_SANITIZE 0x81
#define FID_SANITIZE_CONFIG 0x17 /* No-Deallocate Response Mode in bit 0 */

/* In state.json: "stage" is running or failed, "cdw10" the command's, polls "left" of how many. */
#define SANITIZE "sanitize"
#define FAILED "failed"

/* Sanitize - Command Dword 10, NVMe 1.4. */
#define CDW10_SANACT 7
#define CDW10_AUSE 8
#define CDW10_OWPASS(cdw10) ((cdw10) >> 4 & 0xf)
#define CDW10_NDAS 0x200
#define SANICAP_ACTIONS 7
#define NO_PROGRESS 0xffff

static const struct host_file log_page = {
	.kind = HOST_FILE_LOG,
	.id = LID_SANITIZE,
	.q = {HOST_FILE_ANY, HOST_FILE_ANY, HOST_FILE_ANY, HOST_FILE_ANY, HOST_FILE_ANY, HOST_FILE_ANY},
};

static uint32_t sanicap(const struct sim_call *call)
{
	return ssd_le32(call->id_ctrl + offsetof(struct nvme_id_ctrl, sanicap));
}

static bool has_failed(const json_t *job)
{
	const char *stage = json_string_value(json_object_get(job, "stage"));

	return stage && !strcmp(stage, FAILED);
}

/* --- what other commands may do meanwhile --- */

/* NVMe 1.4, Sanitize Operations: commands and log pages that are allowed during one and after one that failed. */
static bool is_allowed(const struct ssd_cmd *cmd)
{
	static const uint8_t opcodes[] = {0x00,
					  0x01,
					  0x04,
					  0x05,
					  0x08,
					  0x0c,
					  0x18,
					  SSD_ADMIN_IDENTIFY,
					  SSD_ADMIN_GET_FEATURES,
					  SSD_ADMIN_SET_FEATURES,
					  SSD_ADMIN_SANITIZE};
	static const uint8_t pages[] = {0x01, 0x02, 0x04, 0x80, LID_SANITIZE};

	if (cmd->io)
		return false;
	if (cmd->opcode == SSD_ADMIN_GET_LOG_PAGE)
		return memchr(pages, cmd->cdw10 & 0xff, sizeof(pages));
	return memchr(opcodes, cmd->opcode, sizeof(opcodes));
}

int sim_sanitize_gate(const json_t *state, const struct ssd_cmd *cmd)
{
	const json_t *job = json_object_get(state, SANITIZE);

	if (!job || is_allowed(cmd))
		return 0;
	return has_failed(job) ? SIM_SANITIZE_FAILED : SIM_SANITIZE_IN_PROGRESS;
}

/* --- the log page --- */

static void put_log(struct sim_change *c, size_t at, const void *bytes, size_t len)
{
	for (size_t i = 0; i < json_array_size(c->controllers); i++)
		sim_change_patch(c, json_string_value(json_array_get(c->controllers, i)), &log_page, at, bytes, len);
}

static void put_status(struct sim_change *c, unsigned sstat, uint32_t cdw10)
{
	struct nvme_sanitize_log_page log = {
		.sprog = htole16((sstat & NVME_SANITIZE_SSTAT_STATUS_MASK) == NVME_SANITIZE_SSTAT_STATUS_IN_PROGESS
					 ? 0
					 : NO_PROGRESS),
		.sstat = htole16(sstat),
		.scdw10 = htole32(cdw10),
	};

	put_log(c, 0, &log, offsetof(struct nvme_sanitize_log_page, eto));
}

/* 0 in OWPASS is 16 passes, of which SSTAT can say no more than 31. */
static unsigned passes(uint32_t cdw10)
{
	if ((cdw10 & CDW10_SANACT) != NVME_SANITIZE_SANACT_START_OVERWRITE)
		return 0;
	return CDW10_OWPASS(cdw10) ? CDW10_OWPASS(cdw10) : 16;
}

/* How it ends: the status, with all passes done, and no data written since. */
static unsigned final_status(const json_t *job, uint32_t cdw10)
{
	unsigned done = passes(cdw10) << NVME_SANITIZE_SSTAT_COMPLETED_PASSES_SHIFT;

	if (json_is_true(json_object_get(job, "fail")))
		return NVME_SANITIZE_SSTAT_STATUS_COMPLETED_FAILED;
	return done | NVME_SANITIZE_SSTAT_GLOBAL_DATA_ERASED |
	       (json_is_true(json_object_get(job, "deallocated")) ? NVME_SANITIZE_SSTAT_STATUS_ND_COMPLETE_SUCCESS
								  : NVME_SANITIZE_SSTAT_STATUS_COMPLETE_SUCCESS);
}

static void end_operation(struct sim_change *c, json_t *job)
{
	uint32_t cdw10 = (uint32_t)json_integer_value(json_object_get(job, "cdw10"));
	bool fail = json_is_true(json_object_get(job, "fail"));

	put_status(c, final_status(job, cdw10), cdw10);
	if (fail)
		json_object_set_new(job, "stage", json_string(FAILED));
	else
		sim_change_forget(c, SANITIZE);
}

/* A reading of the page while the operation runs; the one after the last poll finds it ended. */
static int poll(struct sim_call *call, uint16_t *sprog, uint16_t *sstat)
{
	struct sim_change c;
	json_int_t left, polls;
	json_t *job;
	int rc = sim_change_begin(call->sim, &c);

	if (rc)
		return rc;
	job = json_object_get(c.home.state, SANITIZE);
	left = json_integer_value(json_object_get(job, "left"));
	polls = json_integer_value(json_object_get(job, "polls"));
	if (job && !has_failed(job) && left > 0 && polls >= left) {
		uint32_t cdw10 = (uint32_t)json_integer_value(json_object_get(job, "cdw10"));
		unsigned done = passes(cdw10) * (unsigned)(polls - left) / (unsigned)polls;

		*sprog = (uint16_t)((polls - left) * 0x10000 / polls);
		*sstat = (uint16_t)(done << NVME_SANITIZE_SSTAT_COMPLETED_PASSES_SHIFT |
				    NVME_SANITIZE_SSTAT_STATUS_IN_PROGESS);
		json_object_set_new(job, "left", json_integer(left - 1));
		c.changed = true;
	} else if (job && !has_failed(job)) {
		end_operation(&c, job);
		c.changed = true;
	}
	return sim_change_end(&c, 0);
}

int sim_sanitize_poll(struct sim_call *call, uint8_t *page, size_t len)
{
	const json_t *job = json_object_get(call->sim->shared, SANITIZE);
	uint16_t sprog = NO_PROGRESS, sstat = 0;
	int rc;

	if (!call->sim->simulated || !job || has_failed(job))
		return 0;
	rc = poll(call, &sprog, &sstat);
	if (rc)
		return rc;
	if (sprog == NO_PROGRESS) /* ended just now */
		return sim_page_read(call->sim, &log_page, 0, page, len, NULL);
	if (len < 4)
		return 0;
	ssd_put_le(page, 2, sprog);
	ssd_put_le(page + 2, 2, sstat);
	return 0;
}

/* --- the command --- */

/* Sanitize Config in warning mode: with No-Deallocate Inhibited such a command is processed all the same. */
static bool warns_only(struct sim_call *call)
{
	uint64_t value;

	return sim_feature_value(call, FID_SANITIZE_CONFIG, &value) && value & 1;
}

static int check_start(struct sim_call *call, uint32_t cdw10, bool *deallocated)
{
	static const uint32_t needs[] = {
		[NVME_SANITIZE_SANACT_START_BLOCK_ERASE] = NVME_CTRL_SANICAP_BES,
		[NVME_SANITIZE_SANACT_START_OVERWRITE] = NVME_CTRL_SANICAP_OWS,
		[NVME_SANITIZE_SANACT_START_CRYPTO_ERASE] = NVME_CTRL_SANICAP_CES,
	};
	unsigned action = cdw10 & CDW10_SANACT;

	if (action >= ARRAY_SIZE(needs) || !(sanicap(call) & needs[action]))
		return SIM_INVALID_FIELD;
	*deallocated = cdw10 & CDW10_NDAS && sanicap(call) & NVME_CTRL_SANICAP_NDI;
	return *deallocated && !warns_only(call) ? SIM_INVALID_FIELD : 0;
}

static int start(struct sim_call *call, struct sim_change *c)
{
	const struct sim_admin *admin = &call->sim->config.admin;
	const json_t *old = json_object_get(c->home.state, SANITIZE);
	uint32_t cdw10 = call->cmd->cdw10;
	AUTO_FREE uint32_t *nsids = NULL;
	bool deallocated = false;
	json_t *job;
	size_t n;
	int rc = check_start(call, cdw10, &deallocated);

	if (rc)
		return rc;
	/* After a failure in restricted mode no way leads back to the unrestricted one (Sanitize Operations). */
	if (old && cdw10 & CDW10_AUSE && !(json_integer_value(json_object_get(old, "cdw10")) & CDW10_AUSE))
		return SIM_SANITIZE_FAILED;
	if (sim_format_any_busy(c->home.state))
		return SIM_FORMAT_IN_PROGRESS;
	rc = sim_fw_pending_reset(call, &c->home);
	if (rc)
		return rc;
	n = sim_ns_list(&c->home, c->controllers, &nsids);
	for (size_t i = 0; i < n; i++)
		sim_change_drop_media(c, nsids[i]);
	rc = sim_selftest_abort(c, NVME_ST_RESULT_ABORTED_SANITIZE);
	if (rc)
		return rc;
	job = json_pack("{s:s, s:I, s:I, s:I, s:b, s:b}", "stage", "running", "cdw10", (json_int_t)cdw10, "polls",
			(json_int_t)admin->sanitize_busy_polls, "left", (json_int_t)admin->sanitize_busy_polls, "fail",
			(int)admin->sanitize_fail, "deallocated", (int)deallocated);
	json_object_set_new(c->home.state, SANITIZE, job);
	c->changed = true;
	if (admin->sanitize_busy_polls)
		put_status(c, NVME_SANITIZE_SSTAT_STATUS_IN_PROGESS, cdw10);
	else
		end_operation(c, job);
	return 0;
}

/* Without a failure there is nothing to leave, which is no error. */
static int exit_failure(struct sim_change *c)
{
	const json_t *job = json_object_get(c->home.state, SANITIZE);

	if (!job)
		return 0;
	if (!(json_integer_value(json_object_get(job, "cdw10")) & CDW10_AUSE))
		return SIM_SANITIZE_FAILED;
	sim_change_forget(c, SANITIZE);
	return 0;
}

int sim_sanitize(struct sim_call *call)
{
	unsigned action = call->cmd->cdw10 & CDW10_SANACT;
	struct sim_change c;
	const json_t *job;
	int rc;

	if (!(sanicap(call) & SANICAP_ACTIONS))
		return SIM_INVALID_OPCODE;
	rc = sim_change_begin(call->sim, &c);
	if (rc)
		return rc;
	job = json_object_get(c.home.state, SANITIZE);
	if (job && !has_failed(job))
		rc = SIM_SANITIZE_IN_PROGRESS;
	else
		rc = action == NVME_SANITIZE_SANACT_EXIT_FAILURE ? exit_failure(&c) : start(call, &c);
	return sim_change_end(&c, rc);
}

/* --- writing ends it --- */

int sim_sanitize_written(struct sim *sim)
{
	uint8_t sstat[2];
	struct sim_txn txn;
	uint64_t size;
	int rc, end;

	if (sim_page_read(sim, &log_page, 2, sstat, sizeof(sstat), &size) || size < 4 ||
	    !(ssd_le16(sstat) & NVME_SANITIZE_SSTAT_GLOBAL_DATA_ERASED))
		return 0;
	rc = sim_begin(sim, &txn);
	if (rc)
		return rc;
	{
		uint8_t page[4096];

		rc = size > sizeof(page) ? -EFBIG : sim_page_read(sim, &log_page, 0, page, sizeof(page), NULL);
		if (!rc) {
			ssd_put_le(page + 2, 2, ssd_le16(page + 2) & ~(unsigned)NVME_SANITIZE_SSTAT_GLOBAL_DATA_ERASED);
			rc = sim_page_write(sim, &log_page, page, (size_t)size);
		}
	}
	end = sim_commit(sim, &txn, false);
	return rc ? rc : end;
}
