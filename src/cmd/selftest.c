/* SPDX-License-Identifier: MIT */
/* ssdct selftest: the drive's own test of itself, started, followed, ended, and what came of it. */
#include "change.h"
#include "cmd.h"

#include <ssdct/id_ctrl.h>
#include <ssdct/le.h>
#include <ssdct/signals.h>
#include <ssdct/status.h>

enum { LOG_BYTES = 564, RESULTS_OFF = 4, RESULT_BYTES = 28, RESULT_HOURS = 4 };
/* Power On Hours of the SMART / Health log (NVM Express Base Specification 2.0c, figure 207). */
enum { SMART_HOURS = 128 };
/* Self-test Code (NVM Express Base Specification 2.0c, figure 173). */
enum { CODE_SHORT = 1, CODE_EXTENDED = 2, CODE_ABORT = 0xf };
/* How long a drive may take to say in its log that a test has begun, or has ended. */
#define SETTLE_LOOKS 20
#define SETTLE_MS 100
/* Looks at a running test come at growing distances. */
#define FIRST_LOOK_MS 100u
#define LAST_LOOK_MS 2000u

#define OACS_SELF_TEST 0x10
#define ID_EDSTT 316 /* Extended Device Self-test Time, minutes */

static const struct ssd_field selftest_fields[] = {
	{"action", "Action", "start, status or abort", SSD_STR, .flags = SSD_NO_TEXT},
	{"type", "Test", "short or extended: what was started", SSD_STR, .flags = SSD_QUIET},
	{"nsid", "Namespaces", "NSID that was sent: 0 the controller alone, 4294967295 all namespaces", SSD_UINT,
	 SSD_NSID, .flags = SSD_QUIET},
	{"state", "State",
	 "running, passed, failed, aborted, none (there is no result), dry_run; of the running test or the newest "
	 "result",
	 SSD_STR},
	{"meaning", "Meaning", "What that means and what to do", SSD_STR},
	{"extended_minutes", "Extended test takes", "What the drive says (EDSTT)", SSD_UINT, SSD_MINUTES},
	{"seconds", "Took", "--wait: until the end was seen", SSD_REAL, SSD_SECONDS, .flags = SSD_QUIET},
	SSD_FIELD_END,
};

static const struct ssd_field fields[] = {
	{"selftest", "Self-test", "What was done, and where it stands", SSD_OBJ, .sub = selftest_fields},
	SSD_FIELD_END,
};

static const struct ssd_page *const pages[] = {&ssd_page_self_test, NULL};

static const char *const type_words[] = {"short", "extended", NULL};

struct options {
	unsigned type;
	uint64_t nsid;
	bool controller, wait, strict;
};

/* --- what the log says --- */

/* Result of a test, by number, as figure 213 has it. */
static const struct {
	const char *state, *meaning;
} results[] = {
	{"passed", "the drive found nothing wrong"},
	{"aborted", "somebody aborted it with a Device Self-test command: start it again"},
	{"aborted", "a controller reset ended it: start it again"},
	{"aborted", "a namespace was removed, which ended it: start it again"},
	{"aborted", "a Format NVM command ended it: start it again"},
	{"failed", "a fatal or unknown error kept the test from its end: the drive is not to be trusted"},
	{"failed", "a segment of the test failed, the drive does not say which: replace the drive"},
	{"failed", "a segment of the test failed, see segment and LBA: replace the drive"},
	{"aborted", "it was aborted, the drive does not say why: start it again"},
	{"aborted", "a sanitize operation ended it: start it again"},
};

struct look {
	uint8_t log[LOG_BYTES];
	unsigned running, percent;
	int newest; /* result, or -1 */
};

static int look_at(struct ssd_device *dev, struct look *l, struct ssd_err *err)
{
	struct ssd_log_request req = {.lid = 0x06, .nsid = SSD_NSID_ALL};
	AUTO_FREE uint8_t *buf = ssd_page_alloc(4096);
	size_t got;

	if (ssd_get_log(dev, &req, buf, LOG_BYTES, &got, err))
		return -1;
	if (got < LOG_BYTES)
		return ssd_fail_short(dev, ssd_page_self_test.field.label, got, LOG_BYTES, err);
	memset(l, 0, sizeof(*l));
	memcpy(l->log, buf, LOG_BYTES);
	l->running = l->log[0] & 0xf;
	l->percent = l->log[1] & 0x7f;
	l->newest = -1;
	for (unsigned at = RESULTS_OFF; at < LOG_BYTES && l->newest < 0; at += RESULT_BYTES)
		if ((l->log[at] & 0xf) != 0xf && l->log[at] >> 4)
			l->newest = l->log[at] & 0xf;
	return 0;
}

static bool has_new_result(const struct look *before, const struct look *now)
{
	return now->newest >= 0 &&
	       memcmp(before->log + RESULTS_OFF, now->log + RESULTS_OFF, LOG_BYTES - RESULTS_OFF) != 0;
}

static struct ssd_node *doc(struct ssd_row *row)
{
	return ssd_get_mutable(row->element, "selftest");
}

static void attach_log(struct ssd_row *row, const struct look *l)
{
	ssd_attach(row->element, ssd_page_decode(row->arena, &ssd_page_self_test, l->log, LOG_BYTES));
}

static void describe(struct ssd_row *row, const struct look *l)
{
	struct ssd_node *obj = doc(row);

	attach_log(row, l);
	if (l->running) {
		ssd_set_str(obj, "state", "running");
		ssd_set_str(obj, "meaning", "a test is running: see selftest status, or end it with selftest abort");
	} else if (l->newest < 0) {
		ssd_set_str(obj, "state", "none");
		ssd_set_str(obj, "meaning", "the drive has no result of a test");
	} else if (l->newest < (int)ARRAY_SIZE(results)) {
		ssd_set_str(obj, "state", results[l->newest].state);
		ssd_set_str(obj, "meaning", results[l->newest].meaning);
	} else {
		ssd_set_str(obj, "state", "failed");
		ssd_set_str(obj, "meaning", "a result that no specification has");
	}
}

static bool has_passed(const struct ssd_row *row)
{
	return !strcmp(ssd_get_str(row->element, "selftest.state", ""), "passed");
}

/* Facts that all verbs begin with; a drive that has no self-test is sent nothing. */
static int begin(struct ssd_device *dev, struct ssd_row *row, const char *action, struct look *l)
{
	struct ssd_node *obj;
	unsigned minutes;

	if (ssd_id_ctrl(dev, &row->err))
		return -1;
	obj = ssd_set_obj(row->element, "selftest");
	ssd_set_str(obj, "action", action);
	if (!(ssd_le16(dev->id_ctrl + SSD_ID_CTRL_OACS) & OACS_SELF_TEST))
		return ssd_fail(&row->err, SSD_ERR_UNSUPPORTED,
				"%s: the drive has no Device Self-test (OACS bit 4); nothing was sent",
				dev->drive->device);
	minutes = ssd_le16(dev->id_ctrl + ID_EDSTT);
	if (minutes)
		ssd_set_uint(obj, "extended_minutes", minutes);
	return look_at(dev, l, &row->err);
}

/* --- start --- */

struct job {
	unsigned code;
	uint32_t nsid;
	struct look before, now;
};

/*
 * Drives of one namespace that want the other way of naming it (smartmontools/smartmontools issues 217 and 291): it means
 * the same, and the first was refused.
 */
static bool other_nsid(const struct ssd_device *dev, unsigned status, uint32_t *nsid)
{
	unsigned code = status & SSD_STATUS_MASK;
	const struct ssd_drive *drive = dev->drive;

	if ((code != SSD_SC_INVALID_FIELD && code != SSD_SC_INVALID_NS) || (*nsid != 1 && *nsid != SSD_NSID_ALL) ||
	    ssd_le32(dev->id_ctrl + SSD_ID_CTRL_NN) != 1 || drive->n_namespaces > 1)
		return false;
	*nsid = *nsid == SSD_NSID_ALL ? 1 : SSD_NSID_ALL;
	return true;
}

/* What came of a command: only the log knows what a lost answer said. */
enum { REFUSED = -1, SENT, LOST };

static int send_command(struct change *c, unsigned code, uint32_t *nsid, struct ssd_err *err)
{
	struct ssd_cmd cmd = {.opcode = SSD_ADMIN_SELF_TEST, .nsid = *nsid, .cdw10 = code};
	struct ssd_cpl cpl;
	int rc = ssd_submit(c->dev, &cmd, &cpl);

	if (!rc && code != CODE_ABORT && other_nsid(c->dev, cpl.status, nsid)) {
		cmd.nsid = *nsid;
		rc = ssd_submit(c->dev, &cmd, &cpl);
	}
	if (!ssd_check(c->dev, &cmd, rc, &cpl, err))
		return SENT;
	if (ssd_is_lost(rc, &cpl))
		return LOST;
	if (!rc && (cpl.status & SSD_STATUS_MASK) == 0x11d)
		ssd_hint(err, "see: ssdct selftest status %s; end it: ssdct selftest abort %s", c->dev->drive->device,
			 c->dev->drive->device);
	return REFUSED;
}

static int fail_lost(const struct change *c, const struct ssd_err *lost, struct ssd_err *err)
{
	*err = *lost;
	return change_fail_lost(c->dev, err);
}

static bool is_of_this_hour(struct ssd_device *dev, const uint8_t *result)
{
	struct ssd_log_request req = {.lid = (uint8_t)ssd_page_smart.id, .nsid = SSD_NSID_ALL};
	AUTO_FREE uint8_t *smart = ssd_page_alloc(4096);
	size_t got;

	return !ssd_get_log(dev, &req, smart, ssd_page_smart.size, &got, NULL) && got == ssd_page_smart.size &&
	       ssd_le64(smart + SMART_HOURS) == ssd_le64(result + RESULT_HOURS);
}

/*
 * Full of results of this type and of this power-on hour that are all alike (a burn-in: twenty tests within an hour): it looks
 * the same after one more. A result of another type or hour would show.
 */
static bool cannot_show_more(struct ssd_device *dev, const struct job *j)
{
	const uint8_t *first = j->now.log + RESULTS_OFF;

	return j->now.newest >= 0 && first[0] >> 4 == j->code &&
	       !memcmp(first, first + RESULT_BYTES, LOG_BYTES - RESULTS_OFF - RESULT_BYTES) &&
	       is_of_this_hour(dev, first);
}

/* Of a test that was accepted or seen running. */
static bool is_taken_for_new(const struct ssd_run *run, struct ssd_device *dev, const struct job *j)
{
	if (!cannot_show_more(dev, j))
		return false;
	ssd_note(run, "%s: the results in the drive's log are all alike: the newest is taken for that of this test",
		 dev->drive->device);
	return true;
}

static int act_start(struct change *c, struct ssd_err *err)
{
	struct ssd_err lost = SSD_ERR_INIT;
	struct job *j = c->ctx;
	int sent = send_command(c, j->code, &j->nsid, &lost);

	/* One that ran before tells nothing. */
	if (sent == REFUSED || (sent == LOST && j->before.running)) {
		*err = lost;
		return sent == LOST ? change_fail_lost(c->dev, err) : -1;
	}
	for (int i = 0; i < SETTLE_LOOKS; i++) {
		if (look_at(c->dev, &j->now, err)) {
			if (sent == LOST)
				return fail_lost(c, &lost, err);
			ssd_err_prefix(err, "the test was started, but its log cannot be read");
			return -1;
		}
		if (j->now.running || has_new_result(&j->before, &j->now))
			return 0;
		ssd_signal_wait(SETTLE_MS);
	}
	if (sent == LOST)
		return fail_lost(c, &lost, err);
	if (is_taken_for_new(c->run, c->dev, j))
		return 0;
	return ssd_fail(err, SSD_ERR_UNVERIFIED,
			"%s: the drive accepted the test, but its log shows none running and no new result",
			c->dev->drive->device);
}

static void bar(const struct ssd_run *run, const struct ssd_row *row, const struct look *l)
{
	if (run->globals.quiet || !isatty(STDERR_FILENO))
		return;
	if (l->running)
		fprintf(stderr, "\r%.16s self-test %3u%%", row->target.drive->device, l->percent);
	else
		fprintf(stderr, "\r%40s\r", "");
	fflush(stderr);
}

static int fail_wait(const struct ssd_row *row, bool interrupted, struct ssd_err *err)
{
	const char *device = row->target.drive->device;

	ssd_fail(err, interrupted ? SSD_ERR_INTERRUPTED : SSD_ERR_TIMEOUT, "%s: %s; the test goes on in the drive",
		 device, interrupted ? "interrupted" : "no longer waited for");
	ssd_hint(err, "see: ssdct selftest status %s; end it: ssdct selftest abort %s", device, device);
	return -1;
}

/* The result that the log had before is not that of this test. */
static int check_result(const struct ssd_run *run, struct ssd_device *dev, struct job *j, struct ssd_err *err)
{
	for (int i = 0; i < SETTLE_LOOKS; i++) {
		if (has_new_result(&j->before, &j->now))
			return 0;
		ssd_signal_wait(SETTLE_MS);
		if (look_at(dev, &j->now, err))
			return -1;
	}
	if (is_taken_for_new(run, dev, j))
		return 0;
	ssd_fail(err, SSD_ERR_UNVERIFIED, "%s: the test no longer runs, but the log has no result of it",
		 dev->drive->device);
	ssd_hint(err, "a power cycle or a reset may have ended it: start it again");
	return -1;
}

/* The permit is no longer held: whoever wants to abort the test, may. */
static int follow(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row, struct job *j)
{
	uint64_t start = ssd_now_ms(), limit = run->globals.timeout_seconds * 1000;
	unsigned wait_ms = FIRST_LOOK_MS;
	sigset_t before;
	bool known = true;
	int rc = 0;

	ssd_signals_block(&before);
	while (!rc && j->now.running) {
		bar(run, row, &j->now);
		if (ssd_signal_wait(wait_ms))
			rc = fail_wait(row, true, &row->err);
		else if (limit && ssd_now_ms() - start >= limit)
			rc = fail_wait(row, false, &row->err);
		else
			rc = look_at(dev, &j->now, &row->err);
		wait_ms = wait_ms * 2 < LAST_LOOK_MS ? wait_ms * 2 : LAST_LOOK_MS;
	}
	if (!rc && check_result(run, dev, j, &row->err)) {
		attach_log(row, &j->now);
		known = false;
		rc = -1;
	}
	ssd_signals_restore(&before);
	bar(run, row, &(struct look){.newest = -1});
	if (known)
		describe(row, &j->now);
	if (rc)
		return rc;
	ssd_set_real(doc(row), "seconds", (double)(ssd_now_ms() - start) / 1000);
	row->exit = has_passed(row) ? SSD_EXIT_OK : SSD_EXIT_FAILED;
	return 0;
}

/* Asked first: in the midst of one a drive does not even show the log of its self-tests. */
static int check_sanitize(struct ssd_device *dev, struct ssd_err *err)
{
	if (ssd_id_ctrl(dev, err))
		return -1;
	if (!ssd_is_sanitizing(dev))
		return 0;
	ssd_fail(err, SSD_ERR_REFUSED, "%s: a sanitize operation is running; nothing was sent", dev->drive->device);
	ssd_hint(err, "wait until it has ended: ssdct sanitize status %s", dev->drive->device);
	return -1;
}

static int start_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	const struct options *o = run->options;
	struct job j = {.code = o->type ? CODE_EXTENDED : CODE_SHORT, .nsid = SSD_NSID_ALL};
	uint32_t named;
	char what[80];
	struct change c = {.run = run,
			   .row = row,
			   .dev = dev,
			   .what = what,
			   .impact = SSD_CHANGES,
			   .opcode = SSD_ADMIN_SELF_TEST,
			   .act = act_start,
			   .ctx = &j};

	if (change_nsid(&row->target, o->nsid, &named, &row->err))
		return -1;
	if (o->controller || named)
		j.nsid = o->controller ? 0 : named;
	snprintf(what, sizeof(what), "start the drive's %s self-test", type_words[o->type]);
	if (check_sanitize(dev, &row->err) || begin(dev, row, "start", &j.before))
		return -1;
	ssd_set_str(doc(row), "type", type_words[o->type]);
	if (change_run(&c))
		return -1;
	ssd_set_uint(doc(row), "nsid", j.nsid);
	if (!c.done) {
		ssd_set_str(doc(row), "state", "dry_run");
		return 0;
	}
	if (o->wait)
		return follow(run, dev, row, &j);
	describe(row, &j.now);
	return 0;
}

static int start_prepare(struct ssd_run *run, struct ssd_err *err)
{
	const struct options *o = run->options;

	if (o->controller && (o->nsid || run->rows[0].target.nsid))
		return ssd_fail(err, SSD_ERR_USAGE, "--controller tests no namespace, but one is named");
	return 0;
}

/* --- status and abort --- */

static int status_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	const struct options *o = run->options;
	struct look l;

	if (begin(dev, row, "status", &l))
		return -1;
	describe(row, &l);
	if (o->strict && !strcmp(ssd_get_str(row->element, "selftest.state", ""), "failed"))
		row->exit = SSD_EXIT_FAILED;
	return 0;
}

static int act_abort(struct change *c, struct ssd_err *err)
{
	struct ssd_err lost = SSD_ERR_INIT;
	struct job *j = c->ctx;
	int sent = send_command(c, CODE_ABORT, &j->nsid, &lost);

	if (sent == REFUSED) {
		*err = lost;
		return -1;
	}
	for (int i = 0; i < SETTLE_LOOKS; i++) {
		if (look_at(c->dev, &j->now, err)) {
			if (sent == LOST)
				return fail_lost(c, &lost, err);
			ssd_err_prefix(err, "the test was aborted, but its log cannot be read");
			return -1;
		}
		if (!j->now.running)
			return 0;
		ssd_signal_wait(SETTLE_MS);
	}
	if (sent == LOST)
		return fail_lost(c, &lost, err);
	return ssd_fail(err, SSD_ERR_UNVERIFIED, "%s: the drive accepted the abort, but the test still runs",
			c->dev->drive->device);
}

static int abort_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	struct job j = {.nsid = SSD_NSID_ALL};
	struct change c = {.run = run,
			   .row = row,
			   .dev = dev,
			   .what = "abort the drive's self-test",
			   .impact = SSD_CHANGES,
			   .opcode = SSD_ADMIN_SELF_TEST,
			   .act = act_abort,
			   .ctx = &j};

	if (begin(dev, row, "abort", &j.before))
		return -1;
	if (!j.before.running) {
		ssd_note(run, "%s: no self-test is running; nothing was sent", dev->drive->device);
		describe(row, &j.before);
		return 0;
	}
	if (change_run(&c))
		return -1;
	if (c.done)
		describe(row, &j.now);
	else
		ssd_set_str(doc(row), "state", "dry_run");
	return 0;
}

/* --- commands --- */

static void selftest_text(const struct ssd_run *run, FILE *out)
{
	for (size_t i = 0; i < run->n_rows; i++) {
		const struct ssd_row *row = &run->rows[i];

		if (!ssd_get(row->element, "selftest.state"))
			continue;
		ssd_text_title(run, row, out);
		ssd_render_text(row->element, out);
	}
}

static const struct ssd_option start_options[] = {
	{"type", 0, SSD_OPT_ENUM, SSD_OPTION(struct options, type), "WORD", "short (default) or extended",
	 .words = type_words},
	{"wait", 0, SSD_OPT_FLAG, SSD_OPTION(struct options, wait), NULL,
	 "until the test has ended, or --timeout; exit 1 when it did not pass"},
	{"nsid", 'n', SSD_OPT_UINT, SSD_OPTION(struct options, nsid), "N", "test this namespace (default: all)", 1,
	 0xffffffff},
	{"controller", 0, SSD_OPT_FLAG, SSD_OPTION(struct options, controller), NULL, "test no namespace"},
	{.type = SSD_OPT_END},
};

static const struct ssd_option status_options[] = {
	{"strict", 0, SSD_OPT_FLAG, SSD_OPTION(struct options, strict), NULL,
	 "exit 1 when the newest result is a failure"},
	{.type = SSD_OPT_END},
};

static const struct ssd_command selftest_start = {
	.name = "start",
	.summary = "start a short or an extended self-test",
	.usage = "DRIVE [--type short|extended] [--wait] [--nsid N|--controller]",
	.help = "The drive goes on serving; an extended test takes as long as the drive says. A controller reset ends "
		"a "
		"short\n"
		"test, a format or sanitize any.",
	.examples = (const char *const[]){"selftest start nvme0 --yes",
					  "selftest start nvme0 --type extended --wait --yes", NULL},
	.flags = SSD_CMD_CHANGES | SSD_CMD_DRY_RUN,
	.drives = SSD_DRIVES_ONE,
	.options = start_options,
	.options_size = sizeof(struct options),
	.fields = fields,
	.pages = pages,
	.prepare = start_prepare,
	.each = start_each,
	.text = selftest_text,
};

static const struct ssd_command selftest_status = {
	.name = "status",
	.summary = "the running test, and the results of the last",
	.usage = "DRIVE... | --all [--strict]",
	.help = "Reads log page 06h of the controller: 20 results at most, the newest first.",
	.examples = (const char *const[]){"selftest status nvme0", "selftest status --all -o json", NULL},
	.drives = SSD_DRIVES_SOME,
	.options = status_options,
	.options_size = sizeof(struct options),
	.fields = fields,
	.pages = pages,
	.each = status_each,
	.text = selftest_text,
};

static const struct ssd_command selftest_abort = {
	.name = "abort",
	.summary = "end the running test",
	.usage = "DRIVE",
	.help = "Sends nothing when none is running.",
	.examples = (const char *const[]){"selftest abort nvme0 --yes", NULL},
	.flags = SSD_CMD_CHANGES | SSD_CMD_DRY_RUN,
	.drives = SSD_DRIVES_ONE,
	.fields = fields,
	.pages = pages,
	.each = abort_each,
	.text = selftest_text,
};

const struct ssd_command cmd_selftest = {
	.name = "selftest",
	.summary = "device self-test: start, status, abort",
	.verbs = (const struct ssd_command *const[]){&selftest_start, &selftest_status, &selftest_abort, NULL},
};
