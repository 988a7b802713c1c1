/* SPDX-License-Identifier: MIT */
/*
 * ssdct intel internal-log: the debug dump (admin opcode D2h) into a file, for the vendor. The command, the headers and the
 * order of the pieces in the file are those of nvme-cli (plugins/intel, `internal-log`); sizes and offsets are in dwords.
 *
 *   nlog     up to version 1.1 one piece, header included; later the head of each nlog of each core, and its data
 *   event    the header, and what it lists for each core
 *   assert   the header, and what it lists as valid
 */
#include "intel.h"

#include <inttypes.h>
#include <ssdct/cli.h>
#include <ssdct/le.h>
#include <ssdct/newfile.h>

enum { CHUNK = 0x400, HEADER_BYTES = CHUNK * 4 };
/* All headers: the version. All but that of an nlog: dwords of the whole, cores, a record for each core. */
enum { MAJOR = 0, MINOR = 2, SIZE = 8, CORES = 12 };
enum { ASSERTS = 16, ASSERT_BYTES = 12, ASSERT_OFFSET = 0, ASSERT_SIZE = 4, ASSERT_VALID = 9 };
enum { EVENTS = 20, EVENT_BYTES = 92, EVENT_SIZE = 4, EVENT_OFFSET = 8 };
enum { NLOG_COUNT = 8, NLOG_DATA_BYTES = 20, NLOG_CORES = 32, NLOG_HEAD_BYTES = 76 };
/* CDW12 has two bits for the core, eight for the nlog. */
enum { CORE_SHIFT = 3, NLOG_SHIFT = 5, MOST_CORES = 4, MOST_NLOGS = 256 };
/* A size that a drive makes up must not fill the disk. */
#define MOST_BYTES (1u << 30)

struct options {
	const char *to;
	unsigned log;
};

/* By CDW12, bits 0 to 2. */
enum { NLOG, EVENT, ASSERT };
static const char *const log_words[] = {[NLOG] = "nlog", [EVENT] = "event", [ASSERT] = "assert", NULL};

struct dump {
	struct ssd_device *dev;
	struct ssd_newfile file;
	uint8_t *header; /* HEADER_BYTES */
	uint8_t *buf;    /* HEADER_BYTES */
	uint64_t size;   /* written */
	unsigned pieces;
};

static int read_dwords(struct dump *d, uint32_t select, uint32_t offset, uint8_t *buf, uint32_t dwords,
		       struct ssd_err *err)
{
	struct ssd_cmd cmd = {.opcode = INTEL_DUMP,
			      .nsid = SSD_NSID_ALL,
			      .cdw10 = dwords,
			      .cdw12 = select,
			      .cdw13 = offset,
			      .data = buf,
			      .data_len = dwords * 4,
			      .direction = SSD_DATA_FROM_DRIVE};
	struct ssd_cpl cpl;
	size_t got;
	int rc = ssd_submit_read(d->dev, &cmd, &cpl, &got);

	if (ssd_check(d->dev, &cmd, rc, &cpl, err))
		return -1;
	return got < cmd.data_len ? ssd_fail_short(d->dev, "Internal log", got, cmd.data_len, err) : 0;
}

static int append(struct dump *d, const uint8_t *data, size_t len, struct ssd_err *err)
{
	d->size += len;
	return ssd_newfile_write(&d->file, data, len, err);
}

static int fail_header(const struct dump *d, const char *what, uint64_t number, struct ssd_err *err)
{
	return ssd_fail(err, SSD_ERR_UNVERIFIED,
			"%s: the header of the internal log says %s %" PRIu64 ", which cannot be; no file was written",
			d->dev->drive->device, what, number);
}

static int append_piece(struct dump *d, uint32_t select, uint32_t offset, uint32_t dwords, struct ssd_err *err)
{
	if (d->size + dwords * UINT64_C(4) > MOST_BYTES)
		return fail_header(d, "that the size in dwords is", dwords, err);
	d->pieces++;
	for (uint32_t n; dwords; offset += n, dwords -= n) {
		n = dwords < CHUNK ? dwords : CHUNK;
		if (read_dwords(d, select, offset, d->buf, n, err) || append(d, d->buf, n * 4, err))
			return -1;
	}
	return 0;
}

static int read_whole(struct dump *d, uint32_t select, struct ssd_err *err)
{
	uint32_t size = ssd_le32(d->header + SIZE);

	if (size < CHUNK)
		return fail_header(d, "that the size in dwords is", size, err);
	return append(d, d->header, HEADER_BYTES, err) || append_piece(d, select, CHUNK, size - CHUNK, err) ? -1 : 0;
}

/* The head says the length of the data, which begin at CHUNK whatever its own. */
static int read_nlog(struct dump *d, uint32_t select, struct ssd_err *err)
{
	if (read_dwords(d, select, 0, d->buf, CHUNK, err) || append(d, d->buf, NLOG_HEAD_BYTES, err))
		return -1;
	return append_piece(d, select, CHUNK, ssd_le32(d->buf + NLOG_DATA_BYTES) / 4, err);
}

static int read_nlogs(struct dump *d, struct ssd_err *err)
{
	uint32_t n = ssd_le32(d->header + NLOG_COUNT), cores = ssd_le32(d->header + NLOG_CORES);

	if (!n || n > MOST_NLOGS)
		return fail_header(d, "that the number of nlogs is", n, err);
	if (!cores || cores > MOST_CORES)
		return fail_header(d, "that the number of cores is", cores, err);
	for (uint32_t core = 0; core < cores; core++)
		for (uint32_t i = 0; i < n; i++)
			if (read_nlog(d, NLOG | core << CORE_SHIFT | i << NLOG_SHIFT, err))
				return -1;
	return 0;
}

static int read_listed(struct dump *d, uint32_t log, struct ssd_err *err)
{
	uint32_t cores = ssd_le32(d->header + CORES), first = log == EVENT ? EVENTS : ASSERTS;
	uint32_t each = log == EVENT ? EVENT_BYTES : ASSERT_BYTES;

	if (cores > (HEADER_BYTES - first) / each)
		return fail_header(d, "that the number of cores is", cores, err);
	if (append(d, d->header, HEADER_BYTES, err))
		return -1;
	for (uint32_t i = 0; i < cores; i++) {
		const uint8_t *record = d->header + first + i * each;
		uint32_t offset = ssd_le32(record + (log == EVENT ? EVENT_OFFSET : ASSERT_OFFSET));
		uint32_t size = ssd_le32(record + (log == EVENT ? EVENT_SIZE : ASSERT_SIZE));

		if ((log == EVENT || record[ASSERT_VALID]) && append_piece(d, log, offset, size, err))
			return -1;
	}
	return 0;
}

static int read_dump(struct dump *d, uint32_t log, struct ssd_err *err)
{
	uint16_t major, minor;

	if (read_dwords(d, log, 0, d->header, CHUNK, err)) {
		/* Invalid Field, nvme-cli issue 703: it is no fault that this firmware has none. */
		if (ssd_is_refusal(err)) {
			err->code = SSD_ERR_UNSUPPORTED;
			ssd_err_prefix(err, "not supported: the drive does not give this internal log");
		}
		return -1;
	}
	major = ssd_le16(d->header + MAJOR);
	minor = ssd_le16(d->header + MINOR);
	/* The P3x00 have the old nlog beside the newer event and assert logs. */
	if ((!major && !minor) || (log == NLOG && major <= 1 && minor <= 1))
		return read_whole(d, log, err);
	return log == NLOG ? read_nlogs(d, err) : read_listed(d, log, err);
}

static int check_dump(const struct ssd_device *dev, struct ssd_err *err)
{
	if (dev->vendor && dev->vendor->reads)
		return 0;
	ssd_fail(err, SSD_ERR_UNSUPPORTED,
		 "%s: no table says how this product line gives its internal log; nothing was asked for",
		 dev->drive->device);
	ssd_hint(err, "telemetry is the standard's: ssdct telemetry %s --to FILE", dev->drive->device);
	return -1;
}

static int internal_log_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	const struct options *o = run->options;
	AUTO_FREE uint8_t *header = ssd_page_alloc(HEADER_BYTES), *buf = ssd_page_alloc(HEADER_BYTES);
	struct dump d = {.dev = dev, .file = SSD_NEWFILE_INIT, .header = header, .buf = buf};
	struct ssd_node *obj;
	int rc;

	if (intel_check_drive(dev, &row->err) || check_dump(dev, &row->err) ||
	    ssd_newfile_open(&d.file, o->to, &row->err))
		return -1;
	rc = read_dump(&d, o->log, &row->err) || ssd_newfile_publish(&d.file, &row->err) ? -1 : 0;
	ssd_newfile_close(&d.file);
	if (rc)
		return -1;
	obj = ssd_set_obj(row->element, "internal_log");
	ssd_set_str(obj, "kind", log_words[o->log]);
	ssd_set_str(obj, "path", o->to);
	ssd_set_uint(obj, "version_major", ssd_le16(header + MAJOR));
	ssd_set_uint(obj, "version_minor", ssd_le16(header + MINOR));
	ssd_set_uint(obj, "pieces", d.pieces);
	ssd_set_uint(obj, "size_bytes", d.size);
	return 0;
}

static int internal_log_prepare(struct ssd_run *run, struct ssd_err *err)
{
	const struct options *o = run->options;

	return o->to ? ssd_newfile_check(o->to, err) : ssd_fail(err, SSD_ERR_USAGE, "--to FILE is missing");
}

static const struct ssd_option options[] = {
	{"to", 0, SSD_OPT_STR, SSD_OPTION(struct options, to), "FILE", "where to write it; must not exist"},
	{"log", 0, SSD_OPT_ENUM, SSD_OPTION(struct options, log), "WORD", "nlog (default), event, or assert",
	 .words = log_words},
	{.type = SSD_OPT_END},
};

static const struct ssd_field log_fields[] = {
	{"kind", "Kind", "nlog, event or assert", SSD_STR},
	{"path", "File", NULL, SSD_STR},
	{"version_major", "Version, major", "Of the header", SSD_UINT},
	{"version_minor", "Version, minor", "Of the header", SSD_UINT},
	{"pieces", "Pieces", "Parts that the header or headers list", SSD_UINT},
	{"size_bytes", "Size", "Headers and pieces, as they are in the file", SSD_UINT, SSD_BYTES},
	SSD_FIELD_END,
};

static const struct ssd_field fields[] = {
	{"internal_log", "Internal log", "What was read; null: no file was written", SSD_OBJ, .sub = log_fields},
	SSD_FIELD_END,
};

const struct ssd_command intel_verb_internal_log = {
	.name = "internal-log",
	.summary = "the firmware's own log into a file, for the vendor (admin opcode D2h)",
	.usage = "DRIVE --to FILE [--log nlog|event|assert]",
	.help = "The file appears when it is complete, or not at all. It is laid out as nvme-cli's `nvme intel "
		"internal-log`\n"
		"writes it. Firmware made for another brand often has none: not supported, exit 7.",
	.examples = (const char *const[]){"intel internal-log nvme0 --to nlog.bin",
					  "intel internal-log nvme0 --log assert --to assert.bin", NULL},
	.drives = SSD_DRIVES_ONE,
	.options = options,
	.options_size = sizeof(struct options),
	.fields = fields,
	.prepare = internal_log_prepare,
	.each = internal_log_each,
};
