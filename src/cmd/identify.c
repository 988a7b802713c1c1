/* SPDX-License-Identifier: MIT */
/* ssdct identify: Identify structures, every field; those without a table as bytes. */
#include "bytes.h"
#include "change.h"
#include "cmd.h"

#include <ssdct/id_ctrl.h>
#include <ssdct/le.h>

#define NOT_GIVEN UINT64_MAX

struct options {
	uint64_t nsid, cntid, cnssi, csi;
	bool raw, hex;
	const char *to;
};

static const struct ssd_option options[] = {
	{"nsid", 'n', SSD_OPT_UINT, SSD_OPTION(struct options, nsid), "N",
	 "namespace (0xffffffff: what all have in common); with a list of namespaces: only those above it", 1,
	 UINT32_MAX},
	{"cntid", 0, SSD_OPT_UINT, SSD_OPTION(struct options, cntid), "N",
	 "controller identifier; with a list of controllers: only those from it on", 0, 65535, .preset = NOT_GIVEN},
	{"cnssi", 0, SSD_OPT_UINT, SSD_OPTION(struct options, cnssi), "N",
	 "CNS specific identifier: where a list of NVM sets, domains or endurance groups begins", 0, 65535},
	{"csi", 0, SSD_OPT_UINT, SSD_OPTION(struct options, csi), "N", "command set identifier (default: 0, NVM)", 0,
	 255},
	{"raw", 'b', SSD_OPT_FLAG, SSD_OPTION(struct options, raw), NULL,
	 "the bytes as they are, to stdout or to --to FILE"},
	{"hex", 0, SSD_OPT_FLAG, SSD_OPTION(struct options, hex), NULL, "the bytes in hexadecimal"},
	{"to", 0, SSD_OPT_STR, SSD_OPTION(struct options, to), "FILE", "with --raw: write FILE, which must not exist"},
	{.type = SSD_OPT_END},
};

/* In JSON these two are there always, null when they were not asked for; the others only when they were. */
static const struct ssd_page *const pages[] = {&ssd_page_id_ctrl, &ssd_page_id_ns, NULL};

static const struct ssd_field identify_fields[] = {
	{"cns", "CNS", "Controller or namespace structure", SSD_UINT, SSD_HEX},
	{"name", "Name", "Name of the structure, when a table knows it", SSD_STR},
	{"nsid", "Namespace", "Namespace that was asked about; null: none", SSD_UINT, .flags = SSD_RAW},
	{"length_bytes", "Length", "Bytes that the drive returned", SSD_UINT, SSD_BYTES},
	{"data_hex", "Data", "The bytes, with --hex, or when there is no decoder and no --raw", SSD_STR,
	 .flags = SSD_NO_TEXT},
	SSD_FIELD_END,
};

static const struct ssd_field fields[] = {
	{"identify", "Identify", "What was read", SSD_OBJ, .flags = SSD_NO_TEXT, .sub = identify_fields},
	SSD_FIELD_END,
};

/* An Identify structure by name or number. */
struct choice {
	int cns;                     /* -1: there is none of that name */
	const struct ssd_page *page; /* NULL: no decoder */
};

static struct choice choose(const char *word)
{
	struct choice c = {cmd_byte_number(word), NULL};

	for (const struct ssd_page *const *p = ssd_standard_pages; *p; p++)
		if ((*p)->kind == SSD_PAGE_IDENTIFY && (c.cns < 0 ? !strcmp((*p)->name, word) : (*p)->id == c.cns))
			c.page = *p;
	if (c.page)
		c.cns = c.page->id;
	return c;
}

static const char *word_of(const struct ssd_run *run)
{
	const struct ssd_row *row = run->n_rows ? &run->rows[0] : NULL;

	return run->n_words ? run->words[0] : row && row->target.nsid ? "ns" : "ctrl";
}

static int fail_word(const char *word, struct ssd_err *err)
{
	const char *names[64] = {NULL}, *near;
	char list[400] = "";
	size_t n = 0;

	for (const struct ssd_page *const *p = ssd_standard_pages; *p && n < ARRAY_SIZE(names); p++)
		if ((*p)->kind == SSD_PAGE_IDENTIFY)
			names[n++] = (*p)->name;
	near = ssd_nearest(word, names, n);
	ssd_fail(err, SSD_ERR_USAGE, "unknown Identify structure \"%s\"", word);
	for (size_t i = 0; i < n; i++)
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s", i ? " " : "", names[i]);
	if (cmd_bare_hex(word))
		ssd_hint(err, "the number %sh? Write 0x%s or %sh", word, word, word);
	else if (near)
		ssd_hint(err, "did you mean %s?", near);
	else
		ssd_hint(err, "a CNS number, or one of %s", list);
	return -1;
}

static int identify_prepare(struct ssd_run *run, struct ssd_err *err)
{
	const struct options *o = run->options;

	if (choose(word_of(run)).cns < 0)
		return fail_word(word_of(run), err);
	if (o->raw && o->hex)
		return ssd_fail(err, SSD_ERR_USAGE, "--raw and --hex: one or the other");
	return cmd_check_raw(run, o->raw, o->to, err);
}

/* The namespace that was named, or the only one there is. */
static int choose_namespace(const struct ssd_run *run, const struct ssd_row *row, uint32_t *nsid, struct ssd_err *err)
{
	const struct options *o = run->options;
	const struct ssd_drive *drive = row->target.drive;

	if (change_nsid(&row->target, o->nsid, nsid, err))
		return -1;
	if (!*nsid && drive->n_namespaces == 1)
		*nsid = drive->namespaces[0].nsid;
	if (*nsid)
		return 0;
	ssd_fail(err, SSD_ERR_USAGE, "%s has %zu namespaces: which one?", drive->device, drive->n_namespaces);
	ssd_hint(err, "name the namespace node instead of the controller, or give --nsid N");
	return -1;
}

static int make_request(const struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row, const struct choice *c,
			struct ssd_identify *id)
{
	const struct options *o = run->options;
	unsigned flags = c->page ? c->page->flags : 0;

	*id = (struct ssd_identify){.cns = (uint8_t)c->cns,
				    .nsid = (uint32_t)o->nsid,
				    .cntid = o->cntid == NOT_GIVEN ? 0 : (uint16_t)o->cntid,
				    .cnssi = (uint16_t)o->cnssi,
				    .csi = (uint8_t)o->csi};
	if (flags & SSD_PAGE_NAMESPACE && choose_namespace(run, row, &id->nsid, &row->err))
		return -1;
	if (flags & SSD_PAGE_OWN_CNTID && o->cntid == NOT_GIVEN)
		id->cntid = ssd_le16(dev->id_ctrl + SSD_ID_CTRL_CNTLID);
	return 0;
}

static void describe(const struct options *o, const struct ssd_device *dev, struct ssd_row *row, const struct choice *c,
		     const struct ssd_identify *id, const uint8_t *buf, size_t len)
{
	struct ssd_node *node = ssd_set_obj(row->element, "identify");
	/* Another command set has a layout of its own. */
	bool decode = c->page && !(c->page->flags & SSD_PAGE_OF_NVM && id->csi);

	ssd_set_uint(node, "cns", id->cns);
	ssd_set_str(node, "name", c->page ? c->page->name : NULL);
	if (id->nsid)
		ssd_set_uint(node, "nsid", id->nsid);
	ssd_set_uint(node, "length_bytes", len);
	if (o->hex || (!decode && !o->raw))
		ssd_set_hex(node, "data_hex", buf, len);
	if (decode)
		ssd_attach(row->element, ssd_page_decode_from(dev, row->arena, c->page, buf, len));
}

static int identify_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	const struct options *o = run->options;
	struct choice c = choose(word_of(run));
	AUTO_FREE uint8_t *buf = ssd_page_alloc(4096);
	const uint8_t *data = buf;
	struct ssd_identify id;
	size_t len;

	if (ssd_id_ctrl(dev, &row->err) || make_request(run, dev, row, &c, &id))
		return -1;
	if (c.page == &ssd_page_id_ctrl) {
		data = dev->id_ctrl;
		len = dev->id_ctrl_len;
	} else if (ssd_identify(dev, &id, buf, &len, &row->err)) {
		return -1;
	}
	describe(o, dev, row, &c, &id, data, len);
	return o->raw ? cmd_deliver_raw(o->to, row, data, len) : 0;
}

/* Only the structure that was asked for. */
static void identify_text(const struct ssd_run *run, FILE *out)
{
	const struct options *o = run->options;
	const struct ssd_node *e = run->rows[0].element;
	const struct ssd_page *page = choose(word_of(run)).page;
	const char *hex = ssd_get_str(e, "identify.data_hex", NULL);
	const struct ssd_node *node = page ? ssd_get(e, page->field.key) : NULL;

	if (ssd_failed(&run->rows[0].err))
		return;
	if (o->to) {
		cmd_written_text(o->to, ssd_get_int(e, "identify.length_bytes", 0), out);
		return;
	}
	ssd_text_title(run, &run->rows[0], out);
	if (hex)
		ssd_render_hex(hex, 0, out);
	else if (node)
		ssd_render_text(node, out);
}

const struct ssd_command cmd_identify = {
	.name = "identify",
	.summary = "Identify structures: ctrl (controller), ns (namespace), lists, capabilities",
	.usage = "DRIVE [NAME|CNS] [--nsid N] [--raw [--to FILE]|--hex]",
	.help = "Without a word: ctrl for a controller, ns for a namespace node. Keys are the specification's\n"
		"abbreviations. Names: ctrl, ns, active-namespaces, ns-descriptors, nvm-sets, ns-nvm, ctrl-nvm,\n"
		"active-namespaces-csi, ns-independent, allocated-namespaces, allocated-ns, attached-controllers,\n"
		"controllers, primary, secondary, granularity, uuids, domains, endurance-groups, command-sets.\n"
		"CNS is a number (0x17, 17h, 23); a structure without a decoder is shown in hexadecimal.",
	.examples = (const char *const[]){"identify nvme0", "identify nvme0n1 ns", "identify nvme0 ns --nsid 1 -o json",
					  "identify nvme0 active-namespaces", "identify nvme0 0x17 --hex", NULL},
	.flags = SSD_CMD_RAW | SSD_CMD_ANY_IDENTIFY,
	.drives = SSD_DRIVES_ONE,
	.max_words = 1,
	.options = options,
	.options_size = sizeof(struct options),
	.fields = fields,
	.pages = pages,
	.prepare = identify_prepare,
	.each = identify_each,
	.text = identify_text,
};
