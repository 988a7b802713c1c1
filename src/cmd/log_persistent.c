/* SPDX-License-Identifier: MIT */
/*
 * ssdct log persistent-event: the Persistent Event Log of a live drive. It can only be read through a reporting context of
 * the controller, of which there is one: established, read, and released whatever happens. NVM Express Base Specification
 * 2.0c, 5.16.1.14 (NVMe 1.4, 5.14.1.13).
 */
#include "bytes.h"
#include "change.h"
#include "cmd.h"

#include <ssdct/signals.h>

/* The Action field of LSP. A second context, and reading without one, are Command Sequence Errors; releasing none is fine. */
enum { ACTION_ESTABLISH = 1, ACTION_RELEASE = 2 };
enum { SEQUENCE_ERROR = 0x00c, STATUS_MASK = 0x7ff };

struct options {
	bool raw;
	const char *to;
};

static const struct ssd_option options[] = {
	{"raw", 'b', SSD_OPT_FLAG, SSD_OPTION(struct options, raw), NULL,
	 "the bytes as they are, to stdout or to --to FILE"},
	{"to", 0, SSD_OPT_STR, SSD_OPTION(struct options, to), "FILE", "with --raw: write FILE, which must not exist"},
	{.type = SSD_OPT_END},
};

static const struct ssd_field context_fields[] = {
	{"established", "Context established", "For this reading; null: not tried, or the drive's answer was lost",
	 SSD_BOOL},
	{"released", "Context released",
	 "False: it may still be there, and keep others from reading the log; null: there was none to release",
	 SSD_BOOL},
	{"length_bytes", "Length", "Bytes that the drive returned; null: the log was not read", SSD_UINT, SSD_BYTES},
	{"result", "Result", "done or dry_run; null: not done", SSD_STR},
	SSD_FIELD_END,
};

static const struct ssd_field fields[] = {
	{"reading", "Reading", "How the log was read", SSD_OBJ, .sub = context_fields},
	SSD_FIELD_END,
};

static const struct ssd_page *const pages[] = {&ssd_page_persistent_event, NULL};

struct reading {
	struct ssd_run *run;
	struct ssd_row *row;
	struct ssd_device *dev;
	uint8_t *buf; /* owned */
	size_t len;
};

static struct ssd_node *doc(const struct reading *r)
{
	return ssd_get_mutable(r->row->element, "reading");
}

/* Once: sent again after a lost answer, it would find the context that it has made itself. */
static int send_action(struct reading *r, unsigned action, struct ssd_cpl *cpl, struct ssd_err *err)
{
	size_t len = ssd_page_persistent_event.size, got;
	AUTO_FREE uint8_t *buf = ssd_page_alloc(len);
	struct ssd_cmd cmd = {.opcode = SSD_ADMIN_GET_LOG_PAGE,
			      .nsid = SSD_NSID_ALL,
			      .cdw10 = ssd_page_persistent_event.id | action << 8 | 1u << 15 |
				       (uint32_t)(len / 4 - 1) << 16,
			      .data = buf,
			      .data_len = (uint32_t)len,
			      .direction = SSD_DATA_FROM_DRIVE};
	int rc = ssd_submit_read(r->dev, &cmd, cpl, &got);

	return ssd_check(r->dev, &cmd, rc, cpl, err) ? (ssd_is_lost(rc, cpl) ? 1 : -1) : 0;
}

static int release(struct reading *r, struct ssd_err *err)
{
	struct ssd_cpl cpl;
	int rc = send_action(r, ACTION_RELEASE, &cpl, err);

	ssd_set_bool(doc(r), "released", !rc);
	if (!rc)
		return 0;
	ssd_err_prefix(err, "releasing the context of the persistent event log");
	ssd_hint(err, "it is still there, if the drive has not released it: run the command again with --force");
	return -1;
}

static int fail_taken(const struct reading *r, struct ssd_err *err)
{
	ssd_err_prefix(err, "the persistent event log is being read by somebody else, or by a run that was killed");
	ssd_hint(err, "if nobody reads it: --force takes that context away from %s", r->dev->drive->device);
	return -1;
}

/* 0: there is a context. 1: there may be one. -1: there is none of ours. */
static int establish(struct reading *r, struct ssd_err *err)
{
	struct ssd_cpl cpl;
	int rc;

	if (r->run->globals.force && send_action(r, ACTION_RELEASE, &cpl, err))
		return -1;
	rc = send_action(r, ACTION_ESTABLISH, &cpl, err);
	if (rc <= 0)
		ssd_set_bool(doc(r), "established", !rc);
	else
		change_fail_lost(r->dev, err);
	return rc < 0 && (cpl.status & STATUS_MASK) == SEQUENCE_ERROR ? fail_taken(r, err) : rc;
}

static int read_log(struct reading *r, struct ssd_err *err)
{
	struct ssd_log_request req = ssd_log_request_of(r->dev, &ssd_page_persistent_event);
	size_t len;

	if (ssd_log_bytes(r->dev, &ssd_page_persistent_event, &req, &len, err))
		return -1;
	if (ssd_signal_wait(0))
		return ssd_fail(err, SSD_ERR_INTERRUPTED, "%s: interrupted; the log was not read",
				r->dev->drive->device);
	r->buf = ssd_page_alloc(len);
	return ssd_get_log(r->dev, &req, r->buf, len, &r->len, err);
}

static int act(struct change *c, struct ssd_err *err)
{
	struct reading *r = c->ctx;
	struct ssd_err late = SSD_ERR_INIT;
	int rc = establish(r, err);

	if (rc < 0)
		return -1;
	if (!rc)
		rc = read_log(r, err);
	/* The first failure is the one to tell; that the context stays as well is in the document. */
	if (release(r, &late) && !rc) {
		*err = late;
		rc = -1;
	}
	return rc ? -1 : 0;
}

static int show(struct reading *r)
{
	const struct options *o = r->run->options;

	ssd_set_uint(doc(r), "length_bytes", r->len);
	ssd_set_str(doc(r), "result", "done");
	ssd_attach(r->row->element,
		   ssd_page_decode_from(r->dev, r->row->arena, &ssd_page_persistent_event, r->buf, r->len));
	return o->raw ? cmd_deliver_raw(o->to, r->row, r->buf, r->len) : 0;
}

static int read_drive(struct reading *r)
{
	struct change c = {.run = r->run,
			   .row = r->row,
			   .dev = r->dev,
			   .what = "have the controller keep a context while its persistent event log is read",
			   .impact = SSD_CHANGES,
			   .opcode = SSD_ADMIN_GET_LOG_PAGE,
			   .act = act,
			   .ctx = r};

	if (change_run(&c))
		return -1;
	if (c.done)
		return show(r);
	ssd_set_str(doc(r), "result", "dry_run");
	return 0;
}

static int each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	struct reading r = {run, row, dev, NULL, 0};
	int rc;

	if (ssd_id_ctrl(dev, &row->err))
		return -1;
	if (!ssd_announces_log(dev, (uint8_t)ssd_page_persistent_event.id))
		return ssd_fail(&row->err, SSD_ERR_UNSUPPORTED,
				"%s: the drive has no persistent event log (LPA bit 4); nothing was sent",
				dev->drive->device);
	ssd_set_obj(row->element, "reading");
	/* A recording is read as it is: nobody keeps a context in it. */
	if (ssd_is_recording(dev))
		rc = read_log(&r, &row->err) ? -1 : show(&r);
	else
		rc = read_drive(&r);
	free(r.buf);
	return rc;
}

static int prepare(struct ssd_run *run, struct ssd_err *err)
{
	const struct options *o = run->options;

	return cmd_check_raw(run, o->raw, o->to, err);
}

static void text(const struct ssd_run *run, FILE *out)
{
	const struct options *o = run->options;
	const struct ssd_node *e = run->rows[0].element;

	if (ssd_failed(&run->rows[0].err))
		return;
	if (o->to && !run->globals.dry_run) {
		cmd_written_text(o->to, ssd_get_int(e, "reading.length_bytes", 0), out);
		return;
	}
	ssd_text_title(run, &run->rows[0], out);
	ssd_render_text(e, out);
}

const struct ssd_command cmd_log_persistent_event = {
	.name = "persistent-event",
	.summary = "the persistent event log of a drive, through a context that is released again",
	.usage = "DRIVE [--raw [--to FILE]]",
	.help = "The controller keeps a context while the log is read, one for all readers: that changes the drive, so "
		"it asks, or\n"
		"takes --yes. Whatever happens, the context is released at the end. --force takes one away that is "
		"there already.",
	.examples = (const char *const[]){"log persistent-event nvme0 --yes",
					  "log persistent-event nvme0 --yes --raw --to log0d.bin", NULL},
	.flags = SSD_CMD_RAW | SSD_CMD_CHANGES | SSD_CMD_DRY_RUN,
	.drives = SSD_DRIVES_ONE,
	.options = options,
	.options_size = sizeof(struct options),
	.fields = fields,
	.pages = pages,
	.prepare = prepare,
	.each = each,
	.text = text,
};
