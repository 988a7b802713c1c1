/* SPDX-License-Identifier: MIT */
/*
 * Device Self-test (NVMe 1.4) with its log page 06h. A test of a controller runs until the page has been
 * read "busy_polls" times; what comes out of it is "result" of drive.json.
 */
#include "sim/sim.h"

#include <endian.h>
#include <ssdct/le.h>

#define LID_SELF_TEST 0x06
#define SMART_POWER_ON_HOURS 128

/* In state.json, by controller: "code", "polls", "left", "nsid", "hours". */
#define SELFTEST "selftest"

static const struct host_file log_page = {
	.kind = HOST_FILE_LOG,
	.id = LID_SELF_TEST,
	.q = {HOST_FILE_ANY, HOST_FILE_ANY, HOST_FILE_ANY, HOST_FILE_ANY, HOST_FILE_ANY, HOST_FILE_ANY},
};

static json_t *test_of(const json_t *state, const char *controller)
{
	return json_object_get(json_object_get(state, SELFTEST), controller);
}

static uint64_t power_on_hours(const struct sim *sim)
{
	const struct host_file smart = host_file_of(HOST_FILE_LOG, 0x02);
	uint8_t hours[8] = {0};

	sim_page_read(sim, &smart, SMART_POWER_ON_HOURS, hours, sizeof(hours), NULL);
	return ssd_le64(hours);
}

/* What failed, as far as drive.json says it; the bits of VDI say which (Self-test Result data structure). */
static void put_failure(struct nvme_st_result *r, const struct sim_admin *admin)
{
	r->seg = (uint8_t)admin->selftest_segment;
	if (admin->selftest_nsid >= 0) {
		r->vdi |= NVME_ST_VALID_DIAG_INFO_NSID;
		r->nsid = htole32((uint32_t)admin->selftest_nsid);
	}
	if (admin->selftest_lba >= 0) {
		r->vdi |= NVME_ST_VALID_DIAG_INFO_FLBA;
		r->flba = htole64((uint64_t)admin->selftest_lba);
	}
	if (admin->selftest_status >= 0) {
		r->vdi |= NVME_ST_VALID_DIAG_INFO_SCT | NVME_ST_VALID_DIAG_INFO_SC;
		r->sct = (uint8_t)(admin->selftest_status >> 8 & 7);
		r->sc = (uint8_t)admin->selftest_status;
	}
}

/* The newest result is the first one; the oldest of 20 falls off. Nothing runs then. */
static int add_result(struct sim_change *c, const char *controller, unsigned result, const struct sim_admin *admin)
{
	const json_t *test = test_of(c->home.state, controller);
	struct sim other = sim_other(&c->home, controller);
	struct nvme_self_test_log log = {0};
	struct nvme_st_result *r = &log.result[0];
	uint64_t size;
	int rc = sim_page_read(&other, &log_page, 0, &log, sizeof(log), &size);

	if (rc == -ENOENT || (!rc && size < sizeof(log)))
		for (unsigned i = 0; i < NVME_LOG_ST_MAX_RESULTS; i++)
			log.result[i].dsts = NVME_ST_RESULT_NOT_USED;
	if (rc == -ENOENT)
		rc = 0;
	memmove(r + 1, r, (NVME_LOG_ST_MAX_RESULTS - 1) * sizeof(*r));
	memset(r, 0, sizeof(*r));
	log.current_operation = log.completion = 0;
	r->dsts = (uint8_t)(json_integer_value(json_object_get(test, "code")) << NVME_ST_CODE_SHIFT | result);
	r->poh = htole64(power_on_hours(&other));
	if (admin && result)
		put_failure(r, admin);
	if (!rc)
		sim_change_write(c, controller, &log_page, &log, sizeof(log));
	json_object_del(sim_change_object(c, SELFTEST), controller);
	sim_other_free(&other);
	return rc;
}

int sim_selftest_abort(struct sim_change *c, unsigned result)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < json_array_size(c->controllers); i++) {
		const char *name = json_string_value(json_array_get(c->controllers, i));

		if (test_of(c->home.state, name))
			rc = add_result(c, name, result, NULL);
	}
	return rc;
}

/* --- the log page --- */

static int poll(struct sim_call *call, uint8_t current[2])
{
	const struct sim *sim = call->sim;
	struct sim_change c;
	json_int_t left, polls;
	json_t *test;
	int rc = sim_change_begin(call->sim, &c);

	if (rc)
		return rc;
	test = test_of(c.home.state, sim->name);
	left = json_integer_value(json_object_get(test, "left"));
	polls = json_integer_value(json_object_get(test, "polls"));
	if (test && left > 0 && polls >= left) {
		current[0] = (uint8_t)json_integer_value(json_object_get(test, "code"));
		current[1] = (uint8_t)((polls - left) * 100 / polls);
		json_object_set_new(test, "left", json_integer(left - 1));
		c.changed = true;
	} else if (test) {
		rc = add_result(&c, sim->name, (unsigned)sim->config.admin.selftest_result, &sim->config.admin);
	}
	return sim_change_end(&c, rc);
}

int sim_selftest_poll(struct sim_call *call, uint8_t *page, size_t len)
{
	uint8_t current[2] = {0};
	int rc;

	if (!call->sim->simulated || !test_of(call->sim->shared, call->sim->name))
		return 0;
	rc = poll(call, current);
	if (rc)
		return rc;
	if (!current[0]) /* ended just now */
		return sim_page_read(call->sim, &log_page, 0, page, len, NULL);
	memcpy(page, current, len < sizeof(current) ? len : sizeof(current));
	return 0;
}

/* --- the command --- */

/* NSID 0: the controller alone; FFFFFFFFh: all namespaces; else an active one (NVMe 1.4, Device Self-test command). */
static int check_nsid(const struct sim_call *call)
{
	uint32_t nsid = call->cmd->nsid, nn = ssd_le32(call->id_ctrl + offsetof(struct nvme_id_ctrl, nn));

	if (!nsid || nsid == SSD_NSID_ALL || sim_ns_attached(call->sim, call->sim->name, nsid))
		return 0;
	return nsid > nn ? SIM_INVALID_NS : SIM_INVALID_FIELD;
}

static int start(struct sim_call *call, struct sim_change *c, unsigned code)
{
	const struct sim_admin *admin = &call->sim->config.admin;
	const char *name = call->sim->name;
	int rc = check_nsid(call);

	if (rc)
		return rc;
	if (test_of(c->home.state, name))
		return SIM_SELF_TEST_IN_PROGRESS;
	json_object_set_new(sim_change_object(c, SELFTEST), name,
			    json_pack("{s:i, s:I, s:I, s:I}", "code", (int)code, "polls",
				      (json_int_t)admin->selftest_busy_polls, "left",
				      (json_int_t)admin->selftest_busy_polls, "nsid", (json_int_t)call->cmd->nsid));
	return admin->selftest_busy_polls ? 0 : add_result(c, name, (unsigned)admin->selftest_result, admin);
}

int sim_selftest(struct sim_call *call)
{
	unsigned code = call->cmd->cdw10 & 0xf;
	struct sim_change c;
	int rc;

	if (code != NVME_ST_CODE_SHORT && code != NVME_ST_CODE_EXTENDED && code != NVME_ST_CODE_ABORT)
		return SIM_INVALID_FIELD;
	rc = sim_change_begin(call->sim, &c);
	if (rc)
		return rc;
	if (code != NVME_ST_CODE_ABORT)
		rc = start(call, &c, code);
	else if (test_of(c.home.state, call->sim->name)) /* else there is nothing to abort, and no error */
		rc = add_result(&c, call->sim->name, NVME_ST_RESULT_ABORTED, NULL);
	return sim_change_end(&c, rc);
}

/* A short test ends with the controller; an extended one goes on afterwards (Device Self-test Operations). */
int sim_selftest_event(struct sim *sim)
{
	const json_t *test = test_of(sim_shared(sim), sim->name);
	struct sim_change c;
	int rc;

	if (!test || json_integer_value(json_object_get(test, "code")) != NVME_ST_CODE_SHORT)
		return 0;
	rc = sim_change_begin(sim, &c);
	if (rc)
		return rc;
	if (test_of(c.home.state, sim->name))
		rc = add_result(&c, sim->name, NVME_ST_RESULT_CLR, NULL);
	return sim_change_end(&c, rc);
}
