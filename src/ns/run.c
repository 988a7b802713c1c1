/* SPDX-License-Identifier: MIT */
/*
 * Execution: every step is sent once, and then the drive is asked whether it is so. A command whose answer was lost may have
 * been carried out or not: what the drive says decides, and it is never sent again.
 */
#include <ssdct/ns.h>

#include <ssdct/signals.h>
#include <time.h>

#define PAGE_BYTES 4096
/* A drive that resets or that the kernel has reset is asked so often, at this distance. */
#define LOOKS 40
#define LOOK_EVERY_NS 500000000

struct exec {
	const struct ns_job *job;
	const struct ns_step *step;
	struct ns_outcome *out;
};

static int look_once(struct ns_job job, struct ns_facts *facts, struct ssd_err *err)
{
	if (ns_facts_read(job.dev, facts, err))
		return -1;
	return job.plan->method == NS_BY_MAX_LBA ? ns_max_lba_read(job.dev, facts, err) : 0;
}

/* It may be away for a while, as after a command whose answer was lost. */
static bool is_away(const struct ssd_err *err)
{
	return err->sys_errno || (err->nvme_status >= 0 && ssd_host_gave_up((unsigned)err->nvme_status));
}

/* Reads the drive anew into the outcome; patiently when whatever may be wrong with the answers. */
static int look(struct exec *e, bool patiently, struct ssd_err *err)
{
	for (int i = 0;; i++) {
		struct ns_facts now;

		*err = (struct ssd_err)SSD_ERR_INIT;
		e->out->known = !look_once(*e->job, &now, err);
		if (e->out->known) {
			ns_facts_free(&e->out->facts);
			e->out->facts = now;
			return 0;
		}
		ns_facts_free(&now);
		if ((!patiently && !is_away(err)) || i == LOOKS)
			return -1;
		nanosleep(&(struct timespec){.tv_nsec = LOOK_EVERY_NS}, NULL);
	}
}

/* --- whether it is so --- */

static bool is_made_so(const struct ns_info *ns, const struct ns_step *step)
{
	return ns && ns->nsze == step->nsze && ns->ncap == step->ncap && (ns->flbas & 0x7f) == step->flbas &&
	       ns->dps == step->dps && (ns->nmic & 1) == (step->nmic & 1) &&
	       (!step->anagrpid || ns->anagrpid == step->anagrpid) &&
	       (!step->nvmsetid || ns->nvmsetid == step->nvmsetid) && (!step->endgid || ns->endgid == step->endgid);
}

/* The answer, which names the new namespace, was lost: it is the one that was not there. */
static void find_new(struct exec *e, const struct ns_facts *before)
{
	const struct ns_facts *now = &e->out->facts;

	for (size_t i = 0; i < now->n && !e->out->nsid; i++)
		if (!ns_find(before, now->namespaces[i].nsid) && is_made_so(&now->namespaces[i], e->step))
			e->out->nsid = now->namespaces[i].nsid;
}

static bool holds_controllers(const struct ns_info *ns, const struct ns_step *step)
{
	for (unsigned i = 0; ns && i < step->controllers.n; i++)
		if (ssd_has_controller(&ns->controllers, step->controllers.ids[i]) != (step->kind == NS_ATTACH))
			return false;
	return ns;
}

static bool holds(const struct exec *e)
{
	const struct ns_facts *now = &e->out->facts;
	uint32_t nsid = e->step->nsid ? e->step->nsid : e->out->nsid;
	const struct ns_info *ns = ns_find(now, nsid);

	switch (e->step->kind) {
	case NS_CREATE:
		return is_made_so(ns, e->step);
	case NS_DELETE:
		return nsid == SSD_NSID_ALL ? !now->n : !ns;
	case NS_ATTACH:
	case NS_DETACH:
		return holds_controllers(ns, e->step);
	case NS_SET_MAX_LBA:
		return ns && ns->nsze == e->step->nsze;
	}
	return false;
}

/* --- Max LBA --- */

/*
 * Some drives show the new size after a reset only (isdct's users reset the controller and look for partitions anew). The
 * permit is for the whole drive, whose namespaces nobody uses.
 */
static int reset_for_size(struct exec *e, struct ssd_err *err)
{
	if (!e->out->facts.max_lba.known || e->out->facts.max_lba.current != e->step->value)
		return 0; /* not even accepted: no reset will bring it */
	/* From here on the drive is not as it was, whatever becomes of the reset. */
	e->out->pending = true;
	if (ssd_control(e->job->dev, SSD_RESET_CONTROLLER, err)) {
		snprintf(e->out->note, sizeof(e->out->note),
			 "Max LBA is set and waits for a reset, which failed (%.100s): ssdct reset, or a power cycle",
			 err->message);
		*err = (struct ssd_err)SSD_ERR_INIT;
		return 0;
	}
	e->out->reset = true;
	if (look(e, true, err)) {
		ssd_err_prefix(err, "Max LBA is set, the controller was reset, and does not answer");
		return -1;
	}
	e->out->pending = !holds(e) && e->out->facts.max_lba.known && e->out->facts.max_lba.current == e->step->value;
	return 0;
}

/* --- a step --- */

static int fail_unverified(struct exec *e, bool answered, struct ssd_err *err)
{
	const char *device = e->job->dev->drive->device;
	char text[320];

	ns_step_text(e->step, text, sizeof(text));
	text[strcspn(text, ";")] = '\0';
	if (answered)
		ssd_fail(err, SSD_ERR_UNVERIFIED, "%s: %s: the drive reported success, but does not show it", device,
			 text);
	else
		ssd_hint(err, "the answer was lost; the drive shows that it was not carried out");
	return -1;
}

static int fail_unknown(struct exec *e, const struct ssd_err *sent, struct ssd_err *err)
{
	struct ssd_err why = *err;

	if (sent->code)
		*err = *sent;
	else
		ssd_fail(err, SSD_ERR_UNVERIFIED,
			 "%s: the drive reported success, but could not be asked afterwards: %s",
			 e->job->dev->drive->device, why.message);
	ssd_hint(err, "whether it was carried out is not known: see ssdct namespace list");
	return -1;
}

static void note_lost(struct exec *e)
{
	ssd_strcpy(e->out->note, sizeof(e->out->note), "an answer was lost; the drive shows that it was carried out");
}

/* The drive refused it: it has said so, and is as it was; what it says now is kept for the report. */
static int refused(struct exec *e)
{
	struct ssd_err unused = SSD_ERR_INIT;

	(void)!look(e, false, &unused);
	return -1;
}

static int run_step(struct exec *e, struct ssd_err *err)
{
	AUTO_FREE uint8_t *data = ssd_page_alloc(PAGE_BYTES);
	const struct ns_facts *before = e->out->done ? NULL : e->job->before;
	struct ns_facts was = e->out->facts;
	struct ssd_err sent = SSD_ERR_INIT;
	struct ssd_cpl cpl;
	struct ssd_cmd cmd;
	bool lost;
	int rc, failed;

	e->out->facts = (struct ns_facts){0};
	ns_step_cmd(e->step, e->out->nsid, data, &cmd);
	rc = ssd_submit(e->job->dev, &cmd, &cpl);
	e->out->sent |= !ssd_never_sent(-rc);
	lost = ssd_is_lost(rc, &cpl);
	if (ssd_check(e->job->dev, &cmd, rc, &cpl, &sent) && !lost) {
		ns_facts_free(&was);
		*err = sent;
		return refused(e);
	}
	if (!lost && e->step->kind == NS_CREATE)
		e->out->nsid = (uint32_t)cpl.result;
	failed = look(e, lost, err);
	if (!failed && lost && e->step->kind == NS_CREATE)
		find_new(e, before ? before : &was);
	ns_facts_free(&was);
	if (failed)
		return fail_unknown(e, &sent, err);
	if (e->step->kind == NS_SET_MAX_LBA && !holds(e) && reset_for_size(e, err))
		return -1;
	if (!holds(e) && !e->out->pending) {
		*err = sent;
		return fail_unverified(e, !lost, err);
	}
	if (lost && !*e->out->note)
		note_lost(e);
	e->out->done++;
	return 0;
}

static bool deleted(const struct exec *e)
{
	return e->step->kind == NS_DELETE && e->job->let_go;
}

int ns_run(const struct ns_job *job, struct ns_outcome *outcome, struct ssd_err *err)
{
	struct exec e = {.job = job, .out = outcome};

	*outcome = (struct ns_outcome){0};
	/*
	 * The last moment to stop: between two steps a namespace is deleted and the new one not made, or made and nobody's, so
	 * what is begun is brought to its end.
	 */
	if (ssd_signal_wait(0))
		return ssd_fail(err, SSD_ERR_INTERRUPTED, "%s: interrupted; nothing was sent", job->dev->drive->device);
	for (size_t i = 0; i < job->plan->n_steps; i++) {
		e.step = &job->plan->steps[i];
		if (run_step(&e, err))
			return -1;
		if (deleted(&e))
			job->let_go(job->ctx);
	}
	return 0;
}
