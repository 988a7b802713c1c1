/* SPDX-License-Identifier: MIT */
/*
 * ssdct telemetry: what the drive has collected about itself, for its vendor, into a file: all of it or nothing. NVM Express
 * Base Specification 2.0c, 5.16.1.8 and 5.16.1.9 (NVMe 1.4, 5.14.1.7 and 5.14.1.8).
 */
#include "change.h"
#include "cmd.h"

#include <inttypes.h>
#include <ssdct/id_ctrl.h>
#include <ssdct/le.h>
#include <ssdct/newfile.h>
#include <ssdct/signals.h>

enum { LID_HOST = 0x07, LID_CONTROLLER = 0x08, BLOCK = 512, AREAS = 4 };
/* The header: where the last blocks of the areas stand, and what tells one collection from another. */
enum { HOST_GENERATION = 381, CONTROLLER_AVAILABLE = 382, CONTROLLER_GENERATION = 383 };
static const struct {
	uint8_t at, width;
} areas[AREAS] = {{8, 2}, {10, 2}, {12, 2}, {16, 4}};

enum { LPA_EXTENDED_DATA = 4, LPA_TELEMETRY = 8, LPA_AREA_4 = 0x40 };
/* LSP bit 0: Create Telemetry Host-Initiated Data. Retain Asynchronous Event. */
#define CREATE 0x100u
#define RETAIN 0x8000u
#define BAR_EVERY_MS 100u

struct options {
	const char *to;
	bool controller, existing, release;
	uint64_t area;
};

static const struct ssd_field telemetry_fields[] = {
	{"kind", "Kind", "host or controller: who had it collected", SSD_STR},
	{"path", "File", NULL, SSD_STR},
	{"size_bytes", "Size", "Header and data areas, as they are in the file", SSD_UINT, SSD_BYTES},
	{"area", "Up to data area", NULL, SSD_UINT},
	{"area_1_last_block", "Data area 1, last block", "In blocks of 512 bytes", SSD_UINT, .flags = SSD_RAW},
	{"area_2_last_block", "Data area 2, last block", "In blocks of 512 bytes", SSD_UINT, .flags = SSD_RAW},
	{"area_3_last_block", "Data area 3, last block", "In blocks of 512 bytes", SSD_UINT, .flags = SSD_RAW},
	{"area_4_last_block", "Data area 4, last block", "In blocks of 512 bytes", SSD_UINT, .flags = SSD_RAW},
	{"host_generation", "Host generation", "Counts host-initiated data; null before NVMe 2.0", SSD_UINT},
	{"controller_generation", "Controller generation", "Counts controller-initiated data", SSD_UINT},
	{"controller_data_available", "Controller data available",
	 "The controller has collected data that nobody has acknowledged", SSD_BOOL},
	{"created", "Created", "The drive collected anew for this file; null: the answer was lost, it may have",
	 SSD_BOOL},
	{"released", "Released",
	 "--release: acknowledged, so that the controller may collect anew; null: the answer was lost", SSD_BOOL},
	{"result", "Result", "done or dry_run; null: no file was written", SSD_STR},
	SSD_FIELD_END,
};

static const struct ssd_field fields[] = {
	{"telemetry", "Telemetry", "What was read", SSD_OBJ, .sub = telemetry_fields},
	SSD_FIELD_END,
};

struct telemetry {
	struct ssd_run *run;
	struct ssd_row *row;
	struct ssd_device *dev;
	const struct options *o;
	uint8_t lid;
	uint8_t header[BLOCK];
	uint64_t size;
	uint64_t drawn_ms;
	bool created;
};

/* --- the drive --- */

static int fail_create_lost(const struct telemetry *t, struct ssd_err *err)
{
	ssd_get_mutable(t->row->element, "telemetry.created")->null = true;
	change_fail_lost(t->dev, err);
	ssd_hint(err, "what the drive may have collected can be read, and changes nothing: --existing");
	return -1;
}

/* Once: sent again, it would have the drive collect again, and lose what it had. */
static int create(struct telemetry *t, struct ssd_err *err)
{
	AUTO_FREE uint8_t *buf = ssd_page_alloc(4096);
	struct ssd_cmd cmd = {.opcode = SSD_ADMIN_GET_LOG_PAGE,
			      .nsid = SSD_NSID_ALL,
			      .cdw10 = LID_HOST | CREATE | RETAIN | (BLOCK / 4 - 1) << 16,
			      .data = buf,
			      .data_len = BLOCK,
			      .direction = SSD_DATA_FROM_DRIVE};
	struct ssd_cpl cpl;
	size_t got;
	int rc = ssd_submit_read(t->dev, &cmd, &cpl, &got);

	if (ssd_check(t->dev, &cmd, rc, &cpl, err)) {
		ssd_err_prefix(err, "having the drive collect; no file was written");
		return ssd_is_lost(rc, &cpl) ? fail_create_lost(t, err) : -1;
	}
	t->created = true;
	ssd_set_bool(ssd_get_mutable(t->row->element, "telemetry"), "created", true);
	return 0;
}

/* RAE 0: the controller may now replace what it had collected. The file is there by then. */
static int release(struct telemetry *t, struct ssd_err *err)
{
	AUTO_FREE uint8_t *buf = ssd_page_alloc(4096);
	struct ssd_cmd cmd = {.opcode = SSD_ADMIN_GET_LOG_PAGE,
			      .nsid = SSD_NSID_ALL,
			      .cdw10 = LID_CONTROLLER | (BLOCK / 4 - 1) << 16,
			      .data = buf,
			      .data_len = BLOCK,
			      .direction = SSD_DATA_FROM_DRIVE};
	struct ssd_cpl cpl;
	size_t got;
	int rc = ssd_submit_read(t->dev, &cmd, &cpl, &got);

	if (ssd_check(t->dev, &cmd, rc, &cpl, err)) {
		ssd_err_prefix(err, "%s is complete, but releasing the data failed", t->o->to);
		if (!ssd_is_lost(rc, &cpl))
			return -1;
		ssd_get_mutable(t->row->element, "telemetry.released")->null = true;
		return change_fail_lost(t->dev, err);
	}
	ssd_set_bool(ssd_get_mutable(t->row->element, "telemetry"), "released", true);
	return 0;
}

static int read_piece(struct telemetry *t, uint64_t offset, uint8_t *buf, size_t len, struct ssd_err *err)
{
	struct ssd_log_request req = {.lid = t->lid, .nsid = SSD_NSID_ALL, .offset = offset};
	size_t got;

	if (ssd_get_log(t->dev, &req, buf, len, &got, err)) {
		ssd_err_prefix(err, "no file was written: at byte %" PRIu64, offset);
		return -1;
	}
	if (got == len)
		return 0;
	return ssd_fail(err, SSD_ERR_NOT_WRITTEN,
			"no file was written: at byte %" PRIu64 ": %s: the drive returned %zu of %zu bytes", offset,
			t->dev->drive->device, got, len);
}

static uint64_t last_block(const uint8_t *header, unsigned area)
{
	return ssd_le(header + areas[area].at, areas[area].width);
}

/*
 * Areas begin where the one before ends. A drive that says otherwise gets the largest. What stands there while the
 * controller says that it has no data (byte 382) is not defined.
 */
static void measure(struct telemetry *t)
{
	bool nothing = t->lid == LID_CONTROLLER && !(t->header[CONTROLLER_AVAILABLE] & 1), ascending = true;
	uint64_t last = 0;

	for (unsigned i = 0; !nothing && i < t->o->area; i++) {
		uint64_t block = last_block(t->header, i);

		ascending &= block >= last;
		if (block > last)
			last = block;
	}
	t->size = (last + 1) * BLOCK;
	if (!ascending)
		ssd_note(t->run,
			 "%s: the ends of the data areas do not ascend, as they should; all up to the last is read",
			 t->dev->drive->device);
	if (!last)
		ssd_note(t->run, "%s: the drive has collected nothing: the file is the header alone",
			 t->dev->drive->device);
}

static void describe(const struct telemetry *t)
{
	static const char *const keys[AREAS] = {"area_1_last_block", "area_2_last_block", "area_3_last_block",
						"area_4_last_block"};
	struct ssd_node *obj = ssd_get_mutable(t->row->element, "telemetry");

	ssd_set_uint(obj, "size_bytes", t->size);
	for (unsigned i = 0; i < AREAS; i++)
		ssd_set_uint(obj, keys[i], last_block(t->header, i));
	if (t->lid == LID_HOST && ssd_version(t->dev) >= 0x20000)
		ssd_set_uint(obj, "host_generation", t->header[HOST_GENERATION]);
	ssd_set_uint(obj, "controller_generation", t->header[CONTROLLER_GENERATION]);
	ssd_set_bool(obj, "controller_data_available", t->header[CONTROLLER_AVAILABLE] & 1);
}

/* Whether two headers are of one collection. */
static bool same_collection(const struct telemetry *t, const uint8_t *header)
{
	unsigned generation = t->lid == LID_HOST ? HOST_GENERATION : CONTROLLER_GENERATION;

	for (unsigned i = 0; i < AREAS; i++)
		if (last_block(header, i) != last_block(t->header, i))
			return false;
	return header[generation] == t->header[generation];
}

/* --- the file --- */

static void bar(struct telemetry *t, uint64_t done)
{
	bool last = done >= t->size;

	if (t->run->globals.quiet || !isatty(STDERR_FILENO))
		return;
	if (!last && t->drawn_ms && ssd_now_ms() - t->drawn_ms < BAR_EVERY_MS)
		return;
	t->drawn_ms = ssd_now_ms();
	if (last)
		fprintf(stderr, "\r%40s\r", "");
	else
		fprintf(stderr, "\r%.16s telemetry %3u%%", t->dev->drive->device, (unsigned)(done * 100 / t->size));
	fflush(stderr);
}

static int fail_interrupted(const struct telemetry *t, struct ssd_err *err)
{
	return ssd_fail(err, SSD_ERR_INTERRUPTED, "%s: interrupted; no file was written%s", t->dev->drive->device,
			t->created ? ", but the drive has collected" : "");
}

static int stream(struct telemetry *t, const struct ssd_newfile *file, struct ssd_err *err)
{
	size_t chunk = ssd_max_transfer(t->dev);
	AUTO_FREE uint8_t *buf = ssd_page_alloc(chunk);

	for (uint64_t done = 0; done < t->size;) {
		size_t n = t->size - done < chunk ? (size_t)(t->size - done) : chunk;

		if (ssd_signal_wait(0))
			return fail_interrupted(t, err);
		bar(t, done);
		if (read_piece(t, done, buf, n, err) || ssd_newfile_write(file, buf, n, err))
			return -1;
		done += n;
	}
	bar(t, t->size);
	return 0;
}

static int check_same(struct telemetry *t, struct ssd_err *err)
{
	AUTO_FREE uint8_t *again = ssd_page_alloc(4096);

	if (read_piece(t, 0, again, BLOCK, err))
		return -1;
	if (same_collection(t, again))
		return 0;
	ssd_fail(err, SSD_ERR_UNVERIFIED, "%s: the drive collected anew while it was read; no file was written",
		 t->dev->drive->device);
	ssd_hint(err, "run the command again");
	return -1;
}

static int read_header(struct telemetry *t, struct ssd_err *err)
{
	AUTO_FREE uint8_t *buf = ssd_page_alloc(4096);

	if (read_piece(t, 0, buf, BLOCK, err))
		return -1;
	memcpy(t->header, buf, BLOCK);
	if (t->header[0] == t->lid)
		return 0;
	return ssd_fail(err, SSD_ERR_UNVERIFIED, "%s: the header says that it is log page %02Xh, not %02Xh",
			t->dev->drive->device, t->header[0], t->lid);
}

/* There is a file when all of it has been read and is of one collection; on every other way out there is none. */
static int read_file(struct telemetry *t, struct ssd_newfile *file, struct ssd_err *err)
{
	if (read_header(t, err))
		return -1;
	measure(t);
	return stream(t, file, err) || check_same(t, err) || ssd_newfile_publish(file, err) ? -1 : 0;
}

static int collect(struct telemetry *t, struct ssd_err *err)
{
	AUTO(ssd_newfile_close) struct ssd_newfile file = SSD_NEWFILE_INIT;

	if (ssd_newfile_open(&file, t->o->to, err))
		return -1;
	if (t->lid == LID_HOST && !t->o->existing && create(t, err))
		return -1;
	if (read_file(t, &file, err)) {
		if (t->created)
			ssd_hint(err, "what the drive has collected can still be read: --existing");
		return -1;
	}
	describe(t);
	ssd_set_str(ssd_get_mutable(t->row->element, "telemetry"), "result", "done");
	return t->o->release ? release(t, err) : 0;
}

static int act(struct change *c, struct ssd_err *err)
{
	return collect(c->ctx, err);
}

static int collect_reading(struct telemetry *t)
{
	sigset_t before;
	int rc;

	if (t->run->globals.dry_run)
		return 0;
	ssd_signals_block(&before);
	rc = collect(t, &t->row->err);
	ssd_signals_restore(&before);
	return rc;
}

static int check_drive(const struct telemetry *t, struct ssd_err *err)
{
	uint8_t lpa = t->dev->id_ctrl[SSD_ID_CTRL_LPA];

	if (!(lpa & LPA_TELEMETRY) || !(lpa & LPA_EXTENDED_DATA))
		return ssd_fail(err, SSD_ERR_UNSUPPORTED,
				"%s: the drive has no telemetry (LPA bit 3); nothing was sent", t->dev->drive->device);
	if (t->o->area == AREAS && !(lpa & LPA_AREA_4))
		return ssd_fail(err, SSD_ERR_UNSUPPORTED,
				"%s: the drive has no data area 4 (LPA bit 6); nothing was sent",
				t->dev->drive->device);
	return 0;
}

static int telemetry_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	const struct options *o = run->options;
	struct telemetry t = {run, row, dev, o, .lid = o->controller ? LID_CONTROLLER : LID_HOST};
	bool changes = o->release || (!o->controller && !o->existing);
	struct ssd_node *obj;
	struct change c = {.run = run,
			   .row = row,
			   .dev = dev,
			   .what = o->release ? "read the controller's telemetry and let it collect anew"
					      : "have the drive collect telemetry",
			   .impact = SSD_CHANGES,
			   .opcode = SSD_ADMIN_GET_LOG_PAGE,
			   .act = act,
			   .ctx = &t};

	if (ssd_id_ctrl(dev, &row->err) || check_drive(&t, &row->err))
		return -1;
	obj = ssd_set_obj(row->element, "telemetry");
	ssd_set_str(obj, "kind", o->controller ? "controller" : "host");
	ssd_set_str(obj, "path", o->to);
	ssd_set_uint(obj, "area", o->area);
	ssd_set_bool(obj, "created", false);
	ssd_set_bool(obj, "released", false);
	if (changes ? change_run(&c) : collect_reading(&t))
		return -1;
	if (run->globals.dry_run)
		ssd_set_str(obj, "result", "dry_run");
	return 0;
}

static void telemetry_text(const struct ssd_run *run, FILE *out)
{
	const struct ssd_row *row = &run->rows[0];

	if (!ssd_get(row->element, "telemetry.result"))
		return;
	ssd_text_title(run, row, out);
	ssd_render_text(row->element, out);
}

static int telemetry_prepare(struct ssd_run *run, struct ssd_err *err)
{
	struct options *o = run->options;

	if (!o->to)
		return ssd_fail(err, SSD_ERR_USAGE, "--to FILE is missing");
	if (o->existing && o->controller)
		return ssd_fail(err, SSD_ERR_USAGE, "--existing: controller telemetry is always what is there");
	if (o->release && !o->controller)
		return ssd_fail(err, SSD_ERR_USAGE, "--release goes with --controller");
	if (!o->area)
		o->area = 3;
	/* Before the drive collects anything. */
	return ssd_newfile_check(o->to, err);
}

static const struct ssd_option options[] = {
	{"to", 0, SSD_OPT_STR, SSD_OPTION(struct options, to), "FILE", "where to write it; must not exist"},
	{"controller", 0, SSD_OPT_FLAG, SSD_OPTION(struct options, controller), NULL,
	 "what the controller has collected by itself, not what it is now asked to collect"},
	{"existing", 0, SSD_OPT_FLAG, SSD_OPTION(struct options, existing), NULL,
	 "host telemetry that is there already: changes nothing"},
	{"area", 0, SSD_OPT_UINT, SSD_OPTION(struct options, area), "N", "up to this data area (default 3)", 1, 4},
	{"release", 0, SSD_OPT_FLAG, SSD_OPTION(struct options, release), NULL,
	 "with --controller: when the file is complete, let the controller collect anew"},
	{.type = SSD_OPT_END},
};

const struct ssd_command cmd_telemetry = {
	.name = "telemetry",
	.summary = "host or controller telemetry into a file, for the drive's vendor",
	.usage = "DRIVE --to FILE [--controller [--release]|--existing] [--area N]",
	.help = "Without --controller or --existing the drive is asked once to collect, which changes what it holds: a "
		"question, or\n"
		"--yes. The file appears when it is complete, or not at all; what the drive collected anew meanwhile "
		"is "
		"an error.",
	.examples = (const char *const[]){"telemetry nvme0 --to host.bin --yes",
					  "telemetry nvme0 --controller --to ctrl.bin", NULL},
	.flags = SSD_CMD_CHANGES | SSD_CMD_DRY_RUN,
	.drives = SSD_DRIVES_ONE,
	.options = options,
	.options_size = sizeof(struct options),
	.fields = fields,
	.prepare = telemetry_prepare,
	.each = telemetry_each,
	.text = telemetry_text,
};
