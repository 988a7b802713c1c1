/* SPDX-License-Identifier: MIT */
/* ssdct passthru: any command, dword by dword, past the same guard as all others. */
#include "bytes.h"
#include "change.h"
#include "cmd.h"
#include "passthru_class.h"

#include <inttypes.h>
#include <ssdct/newfile.h>
#include <ssdct/status.h>

#define MAX_DATA (16u << 20)
/* As digits in a document; more goes into a file. */
#define MAX_SHOWN (1u << 20)

struct options {
	const char *opcode; /* text, as 0 is an opcode */
	uint64_t nsid, cdw2, cdw3, cdw10, cdw11, cdw12, cdw13, cdw14, cdw15, data_len;
	bool read, write;
	const char *input, *output;
	uint8_t *bytes; /* of --input, owned */
	size_t n_bytes;
};

#define DWORD(n)                                                                                                       \
	{                                                                                                              \
		"cdw" #n, 0, SSD_OPT_UINT, SSD_OPTION(struct options, cdw##n), "N", "command dword " #n, 0, UINT32_MAX \
	}

static const struct ssd_option options[] = {
	{"opcode", 0, SSD_OPT_STR, SSD_OPTION(struct options, opcode), "N", "opcode, 0 to 0xff"},
	{"nsid", 'n', SSD_OPT_UINT, SSD_OPTION(struct options, nsid), "N",
	 "namespace (io: default the one that is named)", 0, UINT32_MAX},
	DWORD(2),
	DWORD(3),
	DWORD(10),
	DWORD(11),
	DWORD(12),
	DWORD(13),
	DWORD(14),
	DWORD(15),
	{"data-len", 'l', SSD_OPT_UINT, SSD_OPTION(struct options, data_len), "BYTES",
	 "length of the data (default: that of --input)", 1, MAX_DATA},
	{"read", 0, SSD_OPT_FLAG, SSD_OPTION(struct options, read), NULL, "data come from the drive"},
	{"write", 0, SSD_OPT_FLAG, SSD_OPTION(struct options, write), NULL, "data go to the drive"},
	{"input", 0, SSD_OPT_STR, SSD_OPTION(struct options, input), "FILE", "data for the drive"},
	{"output", 0, SSD_OPT_STR, SSD_OPTION(struct options, output), "FILE",
	 "write the drive's data to FILE, which must not exist"},
	{.type = SSD_OPT_END},
};

static const struct ssd_field passthru_fields[] = {
	{"queue", "Queue", "admin or io", SSD_STR},
	{"opcode", "Opcode", NULL, SSD_UINT, SSD_HEX},
	{"name", "Command", "What the specification calls it", SSD_STR},
	{"class", "Class", "What it does, as far as is known: reads, changes, interrupts, takes_access, destroys",
	 SSD_STR},
	{"nsid", "Namespace", NULL, SSD_UINT, SSD_HEX},
	{"cdw2", "CDW2", NULL, SSD_UINT, SSD_HEX, .flags = SSD_QUIET},
	{"cdw3", "CDW3", NULL, SSD_UINT, SSD_HEX, .flags = SSD_QUIET},
	{"cdw10", "CDW10", NULL, SSD_UINT, SSD_HEX},
	{"cdw11", "CDW11", NULL, SSD_UINT, SSD_HEX},
	{"cdw12", "CDW12", NULL, SSD_UINT, SSD_HEX},
	{"cdw13", "CDW13", NULL, SSD_UINT, SSD_HEX},
	{"cdw14", "CDW14", NULL, SSD_UINT, SSD_HEX},
	{"cdw15", "CDW15", NULL, SSD_UINT, SSD_HEX},
	{"direction", "Data", "none, from_drive or to_drive", SSD_STR},
	{"data_bytes", "Length", "Bytes of data that the command asks for or brings", SSD_UINT, SSD_BYTES},
	{"timeout_ms", "Timeout", "Given to the kernel", SSD_UINT, SSD_MS},
	{"result", "Result", "Dwords 0 and 1 of the completion; null: none arrived", SSD_UINT, SSD_HEX},
	{"status", "Status", "Null: no completion arrived", SSD_OBJ, .flags = SSD_INLINE, .sub = ssd_status_fields},
	{"received_bytes", "Received", "Bytes of data that the drive wrote", SSD_UINT, SSD_BYTES},
	{"data_hex", "Data", "The drive's data, without --output", SSD_STR, .flags = SSD_NO_TEXT},
	{"output", "Written to", "--output", SSD_STR, .flags = SSD_QUIET},
	{"state", "State", "done, dry_run; null: not done", SSD_STR},
	SSD_FIELD_END,
};

static const struct ssd_field fields[] = {
	{"passthru", "Command", "The command and its completion", SSD_OBJ, .sub = passthru_fields},
	SSD_FIELD_END,
};

struct job {
	struct ssd_run *run;
	struct ssd_row *row;
	const struct options *o;
	struct ssd_cmd cmd;
	enum passthru_class class;
};

static struct ssd_node *doc(const struct job *j)
{
	return ssd_get_mutable(j->row->element, "passthru");
}

/* --- the command line --- */

/* Bits 1:0 of an opcode say which way data go (figure 86); the kernel goes by bit 0. */
static int check_direction(const struct options *o, uint8_t opcode, struct ssd_err *err)
{
	bool to_drive = opcode & 1;

	if (o->read && o->write)
		return ssd_fail(err, SSD_ERR_USAGE, "--read and --write exclude each other");
	if ((o->read && to_drive) || ((o->write || o->input) && !to_drive))
		return ssd_fail(err, SSD_ERR_USAGE, "data of opcode 0x%02x go %s the drive (bit 0 of the opcode)",
				opcode, to_drive ? "to" : "from");
	if (o->output && to_drive)
		return ssd_fail(err, SSD_ERR_USAGE, "--output: opcode 0x%02x brings no data from the drive", opcode);
	if (o->write && !o->input)
		return ssd_fail(err, SSD_ERR_USAGE, "--write needs --input FILE");
	if ((o->read || o->output) && !o->data_len)
		return ssd_fail(err, SSD_ERR_USAGE, "--data-len BYTES is missing");
	if (o->data_len > MAX_SHOWN && !to_drive && !o->output)
		return ssd_fail(err, SSD_ERR_USAGE, "--output FILE is missing: more than 1 MiB is not shown");
	if (o->data_len && to_drive && !o->input)
		return ssd_fail(err, SSD_ERR_USAGE, "--input FILE is missing: data of opcode 0x%02x go to the drive",
				opcode);
	return 0;
}

static int read_input(struct options *o, struct ssd_err *err)
{
	int rc = ssd_read_file(o->input, MAX_DATA, &o->bytes, &o->n_bytes);

	if (!rc && o->n_bytes && (!o->data_len || o->data_len == o->n_bytes)) {
		o->data_len = o->n_bytes;
		return 0;
	}
	if (rc)
		ssd_fail_errno(err, -rc, "--input %s", o->input);
	else
		ssd_fail(err, SSD_ERR_BAD_INPUT, "--input %s has %zu bytes, not %" PRIu64, o->input, o->n_bytes,
			 o->data_len);
	err->code = SSD_ERR_BAD_INPUT;
	return -1;
}

static int passthru_prepare(struct ssd_run *run, struct ssd_err *err)
{
	struct options *o = run->options;
	int opcode = o->opcode ? cmd_byte_number(o->opcode) : -1;

	if (opcode < 0)
		return ssd_fail(err, SSD_ERR_USAGE,
				o->opcode ? "--opcode: \"%.60s\" is not a number from 0 to 0xff"
					  : "--opcode N is missing",
				o->opcode);
	if (check_direction(o, (uint8_t)opcode, err))
		return -1;
	if (o->output && ssd_newfile_check(o->output, err))
		return -1;
	return o->input ? read_input(o, err) : 0;
}

static int choose_namespace(struct job *j, struct ssd_err *err)
{
	const struct ssd_target *target = &j->row->target;

	if (change_nsid(target, j->o->nsid, &j->cmd.nsid, err))
		return -1;
	if (!j->cmd.io || j->cmd.nsid)
		return 0;
	if (target->drive->n_namespaces == 1) {
		j->cmd.nsid = target->drive->namespaces[0].nsid;
		return 0;
	}
	ssd_fail(err, SSD_ERR_USAGE, "%s has %zu namespaces: which one?", target->drive->device,
		 target->drive->n_namespaces);
	ssd_hint(err, "name the namespace node instead of the controller, or give --nsid N");
	return -1;
}

static void make_command(struct job *j, bool io)
{
	const struct options *o = j->o;
	uint8_t opcode = (uint8_t)cmd_byte_number(o->opcode);

	j->cmd = (struct ssd_cmd){.opcode = opcode,
				  .io = io,
				  .nsid = (uint32_t)o->nsid,
				  .cdw2 = (uint32_t)o->cdw2,
				  .cdw3 = (uint32_t)o->cdw3,
				  .cdw10 = (uint32_t)o->cdw10,
				  .cdw11 = (uint32_t)o->cdw11,
				  .cdw12 = (uint32_t)o->cdw12,
				  .cdw13 = (uint32_t)o->cdw13,
				  .cdw14 = (uint32_t)o->cdw14,
				  .cdw15 = (uint32_t)o->cdw15,
				  .data_len = (uint32_t)o->data_len,
				  .direction = !o->data_len ? SSD_DATA_NONE
					       : opcode & 1 ? SSD_DATA_TO_DRIVE
							    : SSD_DATA_FROM_DRIVE,
				  .timeout_ms = (uint32_t)j->run->globals.timeout_seconds * 1000};
	if (j->cmd.timeout_ms < ssd_timeout_ms(opcode))
		j->cmd.timeout_ms = ssd_timeout_ms(opcode);
}

static void describe(const struct job *j)
{
	static const char *const directions[] = {"none", "to_drive", "from_drive"};
	struct ssd_node *obj = ssd_set_obj(j->row->element, "passthru");
	const struct ssd_cmd *c = &j->cmd;
	const struct {
		const char *key;
		uint32_t value;
	} dwords[] = {{"nsid", c->nsid},   {"cdw2", c->cdw2},   {"cdw3", c->cdw3},
		      {"cdw10", c->cdw10}, {"cdw11", c->cdw11}, {"cdw12", c->cdw12},
		      {"cdw13", c->cdw13}, {"cdw14", c->cdw14}, {"cdw15", c->cdw15}};

	ssd_set_str(obj, "queue", c->io ? "io" : "admin");
	ssd_set_uint(obj, "opcode", c->opcode);
	ssd_set_str(obj, "name", ssd_cmd_name(c));
	ssd_set_str(obj, "class", passthru_class_word(j->class));
	for (size_t i = 0; i < ARRAY_SIZE(dwords); i++)
		ssd_set_uint(obj, dwords[i].key, dwords[i].value);
	ssd_set_str(obj, "direction", directions[c->direction]);
	ssd_set_uint(obj, "data_bytes", c->data_len);
	ssd_set_uint(obj, "timeout_ms", c->timeout_ms);
}

/* --- sending --- */

static int deliver(struct job *j, const uint8_t *buf, size_t got, struct ssd_err *err)
{
	if (!got) {
		ssd_fail(err, SSD_ERR_NOT_WRITTEN, "%s: the drive reported success but returned no data",
			 j->row->target.drive->device);
		return -1;
	}
	if (!j->o->output) {
		ssd_set_hex(doc(j), "data_hex", buf, got);
		return 0;
	}
	if (cmd_deliver_raw(j->o->output, j->row, buf, got)) {
		*err = j->row->err;
		return -1;
	}
	ssd_set_str(doc(j), "output", j->o->output);
	return 0;
}

static int send_on(struct job *j, struct ssd_device *dev, struct ssd_err *err)
{
	AUTO_FREE uint8_t *buf = j->cmd.data_len ? ssd_page_alloc(j->cmd.data_len) : NULL;
	bool reads = j->cmd.direction == SSD_DATA_FROM_DRIVE;
	struct ssd_cpl cpl = {0};
	size_t got = 0;
	int rc;

	if (buf && !reads)
		memcpy(buf, j->o->bytes, j->cmd.data_len);
	j->cmd.data = buf;
	rc = reads ? ssd_submit_read(dev, &j->cmd, &cpl, &got) : ssd_submit(dev, &j->cmd, &cpl);
	j->cmd.data = NULL;
	if (!rc) {
		ssd_set_status(ssd_set_obj(doc(j), "status"), cpl.status);
		ssd_set_uint(doc(j), "result", cpl.result);
		if (reads)
			ssd_set_uint(doc(j), "received_bytes", got);
	}
	if (ssd_check(dev, &j->cmd, rc, &cpl, err))
		return j->class != PASSTHRU_READS && ssd_is_lost(rc, &cpl) ? change_fail_lost(dev, err) : -1;
	return reads ? deliver(j, buf, got, err) : 0;
}

static int send_io(struct job *j, const struct ssd_grant *grant, struct ssd_err *err)
{
	struct ssd_drive at;
	struct ssd_device dev;
	int rc = change_open_namespace(j->run, j->row->target.drive, j->cmd.nsid, &at, &dev, err);

	if (!rc) {
		dev.grant = grant;
		rc = send_on(j, &dev, err);
	}
	ssd_device_close(&dev);
	return rc;
}

static int act(struct change *c, struct ssd_err *err)
{
	struct job *j = c->ctx;

	return j->cmd.io ? send_io(j, c->dev->grant, err) : send_on(j, c->dev, err);
}

static int change(struct job *j, struct ssd_device *dev)
{
	/* An admin command that destroys may reach more than the namespace that it names. */
	bool of_one = j->cmd.io || j->class == PASSTHRU_TAKES_ACCESS;
	char what[160];
	struct change c = {.run = j->run,
			   .row = j->row,
			   .dev = dev,
			   .what = what,
			   .impact = passthru_impact(j->class),
			   .opcode = j->cmd.opcode,
			   .io = j->cmd.io,
			   .nsid = of_one && j->cmd.nsid && j->cmd.nsid != SSD_NSID_ALL ? &j->cmd.nsid : NULL,
			   .act = act,
			   .ctx = j};

	snprintf(what, sizeof(what), "send a raw %s command: %s, opcode 0x%02x, nsid 0x%x, cdw10 0x%x",
		 j->cmd.io ? "I/O" : "admin", ssd_cmd_name(&j->cmd), j->cmd.opcode, j->cmd.nsid, j->cmd.cdw10);
	return change_run(&c);
}

static int fail_kernels(const struct job *j)
{
	ssd_fail(&j->row->err, SSD_ERR_REFUSED,
		 "%s: %s (opcode 0x%02x) belongs to the kernel's driver; nothing was sent",
		 j->row->target.drive->device, ssd_cmd_name(&j->cmd), j->cmd.opcode);
	ssd_hint(&j->row->err, "no option goes past this: sent behind the driver's back it breaks the controller");
	return -1;
}

static int passthru_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	struct job j = {.run = run, .row = row, .o = run->options};
	int rc;

	if (ssd_id_ctrl(dev, &row->err))
		return -1;
	make_command(&j, !strcmp(run->command->name, "io"));
	if (choose_namespace(&j, &row->err))
		return -1;
	j.class = passthru_classify(dev, &j.cmd);
	describe(&j);
	if (j.class == PASSTHRU_KERNELS)
		return fail_kernels(&j);
	if (passthru_check_length(dev, &j.cmd, &row->err))
		return -1;
	if (j.class != PASSTHRU_READS)
		rc = change(&j, dev);
	else if (run->globals.dry_run)
		rc = 0;
	else
		rc = j.cmd.io ? send_io(&j, NULL, &row->err) : send_on(&j, dev, &row->err);
	if (!rc)
		ssd_set_str(doc(&j), "state", run->globals.dry_run ? "dry_run" : "done");
	return rc;
}

static int passthru_finish(struct ssd_run *run, struct ssd_err *err)
{
	(void)err;
	free(((struct options *)run->options)->bytes);
	return 0;
}

static void passthru_text(const struct ssd_run *run, FILE *out)
{
	const struct ssd_row *row = &run->rows[0];
	const char *hex = ssd_get_str(row->element, "passthru.data_hex", NULL);

	/* What was not sent has its error, and no more. */
	if (!ssd_get(row->element, "passthru.status") && !ssd_get(row->element, "passthru.state"))
		return;
	ssd_text_title(run, row, out);
	ssd_render_text(row->element, out);
	if (hex)
		ssd_render_hex(hex, 0, out);
}

#define HELP                                                                                                       \
	"Pure reads pass. What changes the drive needs --yes; opcodes that no table knows, vendors' ones and "     \
	"whatever\n"                                                                                               \
	"may destroy data need --confirm SERIAL, and a drive that is not in use. Commands of the kernel's driver " \
	"are\n"                                                                                                    \
	"never sent. A status of the drive other than success is exit 1, and decoded in JSON."

static const struct ssd_command passthru_admin = {
	.name = "admin",
	.summary = "send an admin command",
	.usage = "DRIVE --opcode N [--nsid N] [--cdw10 N ... --cdw15 N] [--data-len N [--read|--write --input FILE]]",
	.help = HELP,
	.examples = (const char *const[]){"passthru admin nvme0 --opcode 0x06 --cdw10 1 --data-len 4096 --read",
					  "passthru admin nvme0 --opcode 0x02 --cdw10 0x7f8002 --nsid 0xffffffff "
					  "--data-len 512 --read --output smart.bin",
					  NULL},
	.flags = SSD_CMD_CHANGES | SSD_CMD_DRY_RUN,
	.drives = SSD_DRIVES_ONE,
	.options = options,
	.options_size = sizeof(struct options),
	.fields = fields,
	.prepare = passthru_prepare,
	.each = passthru_each,
	.finish = passthru_finish,
	.text = passthru_text,
};

static const struct ssd_command passthru_io = {
	.name = "io",
	.summary = "send an I/O command to a namespace",
	.usage = "DRIVE --opcode N [--nsid N] [--cdw10 N ... --cdw15 N] [--data-len N [--read|--write --input FILE]]",
	.help = HELP,
	.examples = (const char *const[]){"passthru io nvme0n1 --opcode 0x02 --data-len 512 --read --output lba0.bin",
					  NULL},
	.flags = SSD_CMD_CHANGES | SSD_CMD_DRY_RUN,
	.drives = SSD_DRIVES_ONE,
	.options = options,
	.options_size = sizeof(struct options),
	.fields = fields,
	.prepare = passthru_prepare,
	.each = passthru_each,
	.finish = passthru_finish,
	.text = passthru_text,
};

const struct ssd_command cmd_passthru = {
	.name = "passthru",
	.summary = "raw commands behind the same guard: admin, io",
	.verbs = (const struct ssd_command *const[]){&passthru_admin, &passthru_io, NULL},
};
