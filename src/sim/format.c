/* SPDX-License-Identifier: MIT */
/*
 * Format NVM (NVMe 1.4). What it does to the pages and the media is done when the command is accepted; with
 * "busy_polls" the namespace goes on being formatted for so many readings of its Identify, which show the progress.
 */
#include "sim/sim.h"

#include <ssdct/le.h>

#define FORMAT "format" /* in state.json: by NSID, how many polls there are in all and left */

/* What the command asks for, and where. */
struct format {
	struct sim_ns_format f;
	uint8_t ses;           /* secure erase setting */
	bool all;              /* all namespaces of the subsystem are formatted */
	bool all_erased;       /* they lose their data, whichever are formatted */
	const uint32_t *nsids; /* of the subsystem */
	size_t n;
	const char *controller;
	uint32_t nsid;
};

static json_t *busy(const json_t *state, uint32_t nsid)
{
	char key[16];

	snprintf(key, sizeof(key), "%u", nsid);
	return json_object_get(json_object_get(state, FORMAT), key);
}

bool sim_format_busy(const json_t *state, uint32_t nsid)
{
	return busy(state, nsid) != NULL;
}

bool sim_format_any_busy(const json_t *state)
{
	return json_object_size(json_object_get(state, FORMAT)) != 0;
}

/* Counts a poll under the lock; the percentage that remains, 0 when it is done. */
static unsigned poll(struct sim_call *call, uint32_t nsid)
{
	struct sim_change c;
	json_int_t left, polls;
	json_t *job;
	char key[16];

	if (sim_change_begin(call->sim, &c))
		return 0;
	job = busy(c.home.state, nsid);
	left = json_integer_value(json_object_get(job, "left"));
	polls = json_integer_value(json_object_get(job, "polls"));
	if (job && left > 1) {
		json_object_set_new(job, "left", json_integer(left - 1));
		c.changed = true;
	} else if (job) {
		snprintf(key, sizeof(key), "%u", nsid);
		json_object_del(sim_change_object(&c, FORMAT), key);
	}
	sim_change_end(&c, 0);
	if (!job || left < 1 || polls < left)
		return 0;
	return left * 100 / polls ? (unsigned)(left * 100 / polls) : 1;
}

void sim_format_progress(struct sim_call *call, uint32_t nsid, struct nvme_id_ns *ns)
{
	unsigned remaining;

	if (!call->sim->simulated || !sim_format_busy(call->sim->shared, nsid))
		return;
	remaining = poll(call, nsid);
	if (ns->fpi & NVME_NS_FPI_SUPPORTED)
		ns->fpi = (uint8_t)(NVME_NS_FPI_SUPPORTED | remaining);
}

static void set_busy(struct sim_change *c, uint32_t nsid, uint32_t polls)
{
	char key[16];

	if (!polls)
		return;
	snprintf(key, sizeof(key), "%u", nsid);
	json_object_set_new(sim_change_object(c, FORMAT), key,
			    json_pack("{s:I, s:I}", "polls", (json_int_t)polls, "left", (json_int_t)polls));
}

/*
 * Which namespaces ("Format NVM - Operation Scope" and FNA in Identify Controller): FNA bit 0 makes every format one of
 * all namespaces of the subsystem, bit 1 every erase; FFFFFFFFh means those that are attached to the controller, and with
 * bit 3 it is not accepted. The data of a namespace that is formatted are gone in any case.
 */
static bool formatted(const struct sim_change *c, const struct format *f, uint32_t nsid)
{
	if (f->all)
		return true;
	return f->nsid == SSD_NSID_ALL ? sim_ns_attached(&c->home, f->controller, nsid) : nsid == f->nsid;
}

static int format_one(struct sim_change *c, const struct format *f, uint32_t nsid, uint32_t polls)
{
	struct nvme_id_ns ns;
	int rc = sim_ns_read(&c->home, c->controllers, nsid, &ns);
	uint64_t bytes;

	if (rc)
		return rc;
	rc = sim_ns_check_format(&ns, &f->f);
	if (rc)
		return rc;
	bytes = sim_ns_bytes(&ns);
	sim_ns_set_format(&ns, &f->f);
	sim_ns_resize(&ns, bytes >> sim_ns_shift(&ns));
	sim_ns_patch(c, nsid, offsetof(struct nvme_id_ns, nsze), &ns,
		     offsetof(struct nvme_id_ns, nsfeat)); /* NSZE, NCAP, NUSE */
	sim_ns_patch(c, nsid, offsetof(struct nvme_id_ns, flbas), &ns.flbas, 1);
	sim_ns_patch(c, nsid, offsetof(struct nvme_id_ns, dps), &ns.dps, 1);
	sim_change_drop_media(c, nsid);
	set_busy(c, nsid, polls);
	sim_ns_changed(c, nsid);
	return 0;
}

static int check(const struct sim_call *call, struct sim_change *c, struct format *f)
{
	uint8_t fna = call->id_ctrl[offsetof(struct nvme_id_ctrl, fna)];
	bool found = f->nsid == SSD_NSID_ALL;

	if (f->ses > NVME_FORMAT_SES_CRYPTO_ERASE)
		return SIM_INVALID_FIELD;
	if (f->ses == NVME_FORMAT_SES_CRYPTO_ERASE && !(fna & NVME_CTRL_FNA_CRYPTO_ERASE))
		return SIM_INVALID_FIELD;
	if (found && fna & NVME_CTRL_FNA_NSID_FFFFFFFF)
		return SIM_INVALID_FIELD;
	f->all = fna & NVME_CTRL_FNA_FMT_ALL_NAMESPACES;
	f->all_erased = f->ses && fna & NVME_CTRL_FNA_SEC_ALL_NAMESPACES;
	for (size_t i = 0; i < f->n; i++) {
		found |= f->nsids[i] == f->nsid;
		if ((f->all_erased || formatted(c, f, f->nsids[i])) && sim_format_busy(c->home.state, f->nsids[i]))
			return SIM_FORMAT_IN_PROGRESS;
	}
	return found ? 0 : SIM_INVALID_NS;
}

static int format(struct sim_call *call, struct sim_change *c, struct format *f)
{
	uint32_t polls = (uint32_t)call->sim->config.admin.format_busy_polls;
	int rc = check(call, c, f);

	if (!rc)
		sim_max_lba_keep(call, c);
	for (size_t i = 0; !rc && i < f->n; i++) {
		if (formatted(c, f, f->nsids[i])) {
			rc = format_one(c, f, f->nsids[i], polls);
		} else if (f->all_erased) {
			sim_change_drop_media(c, f->nsids[i]);
			set_busy(c, f->nsids[i], polls);
		}
	}
	return rc ? rc : sim_selftest_abort(c, NVME_ST_RESULT_ABORTED_FORMAT);
}

int sim_format(struct sim_call *call)
{
	uint32_t cdw10 = call->cmd->cdw10;
	struct format f = {
		/* Bits 13:12 are the upper bits of the format's number (NVMe 2.0c, Format NVM); reserved, and zero, before. */
		.f = {.lbaf = (cdw10 & 0xf) | (cdw10 >> 8 & 0x30),
		      .extended = cdw10 >> 4 & 1,
		      .pi = cdw10 >> 5 & 7,
		      .pi_first = cdw10 >> 8 & 1},
		.ses = cdw10 >> 9 & 7,
		.nsid = call->cmd->nsid,
		.controller = call->sim->name,
	};
	AUTO_FREE uint32_t *nsids = NULL;
	struct sim_change c;
	int rc;

	rc = sim_change_begin(call->sim, &c);
	if (rc)
		return rc;
	f.n = sim_ns_list(&c.home, c.controllers, &nsids);
	f.nsids = nsids;
	return sim_change_end(&c, format(call, &c, &f));
}
