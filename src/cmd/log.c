/* SPDX-License-Identifier: MIT */
/* ssdct log: which log pages a drive has, and any of them decoded or as bytes. */
#include "bytes.h"
#include "cmd.h"

#include <ssdct/id_ctrl.h>
#include <ssdct/local.h>
#include <ssdct/plugin.h>

/* ---- log list ---- */

static const struct ssd_field entry_fields[] = {
	{"lid", "LID", "Log page identifier", SSD_UINT, SSD_HEX},
	{"name", "Name", "Name for `log get`", SSD_STR},
	{"label", "Log page", "What the specification or the vendor calls it", SSD_STR},
	{"vendor", "Vendor", "Vendor module whose page it is", SSD_STR},
	{"file", "File", "Page description that it comes from (ssdct-pages(5)); null: the program knows it", SSD_STR},
	{"decoded", "Decoded", "Whether `log get` decodes it", SSD_BOOL},
	{"readable", "Readable", "Whether `log get` reads it: false where reading changes something, or may", SSD_BOOL},
	SSD_FIELD_END,
};

static const struct ssd_field list_fields[] = {
	{"logs", "Log pages", "Log pages that the drive announces", SSD_LIST, .sub = entry_fields},
	SSD_FIELD_END,
};

static const struct ssd_page *vendor_page(const struct ssd_device *dev, int lid, const char *name)
{
	for (const struct ssd_page *const *p = dev->vendor ? dev->vendor->pages : NULL; p && *p; p++)
		if ((*p)->kind == SSD_PAGE_LOG && (name ? !strcmp((*p)->name, name) : (*p)->id == lid))
			return *p;
	return NULL;
}

struct entry {
	uint8_t lid;
	const char *name, *label, *vendor, *file; /* vendor and file: NULL when the page is none of theirs */
	bool decoded;
	const uint8_t *uuid; /* of a vendor's page, as in struct ssd_page */
};

static void add_entry(struct ssd_device *dev, struct ssd_node *list, const struct entry *e)
{
	struct ssd_node *item = ssd_add_item(list);

	ssd_set_uint(item, "lid", e->lid);
	ssd_set_str(item, "name", e->name);
	ssd_set_str(item, "label", e->label);
	ssd_set_str(item, "vendor", e->vendor);
	ssd_set_str(item, "file", e->file);
	ssd_set_bool(item, "decoded", e->decoded);
	ssd_set_bool(item, "readable", !ssd_log_page_hazard(dev, e->lid, ssd_uuid_index(dev, e->uuid)));
}

/* The vendor's page that lists others; NULL when the drive has none that may be asked for. */
static const struct ssd_page *directory_of(struct ssd_device *dev)
{
	/* Firmware made for somebody else's product often has none, and asking makes an entry in its error log. */
	if (memcmp(dev->id_ctrl + SSD_ID_CTRL_VID, dev->id_ctrl + SSD_ID_CTRL_SSVID, 2) != 0)
		return NULL;
	for (const struct ssd_page *const *p = dev->vendor ? dev->vendor->pages : NULL; p && *p; p++)
		if ((*p)->flags & SSD_PAGE_DIRECTORY)
			return *p;
	return NULL;
}

/* By number, what the vendor's directory lists; nothing when there is none. */
static int read_directory(struct ssd_device *dev, struct ssd_row *row, bool listed[256])
{
	const struct ssd_page *page = directory_of(dev);
	struct ssd_err err = SSD_ERR_INIT;
	const struct ssd_node *node = page ? ssd_read_page(dev, row->arena, page, 0, &err) : NULL, *pages;

	if (ssd_failed(&err) && !ssd_is_refusal(&err)) {
		row->err = err;
		return -1;
	}
	pages = ssd_get(node, "pages");
	for (const struct ssd_node *n = pages ? pages->child : NULL; n; n = n->next)
		listed[(uint8_t)ssd_get_int(n, "lid", 0)] = true;
	return 0;
}

/* All that is known of one number: a standard page, vendors' and an operator's, or that the directory has it. */
static void list_lid(struct ssd_device *dev, struct ssd_node *list, uint8_t lid, bool listed)
{
	const struct ssd_log_info *info = ssd_log_info(lid);

	if (info && ssd_announces_log(dev, lid))
		add_entry(dev, list, &(struct entry){lid, info->name, info->label, NULL, NULL, ssd_log_page(lid)});
	for (const struct ssd_page *const *p = dev->vendor ? dev->vendor->pages : NULL; p && *p; p++)
		if ((*p)->kind == SSD_PAGE_LOG && (*p)->id == lid && ssd_announces_page(dev, *p))
			add_entry(dev, list,
				  &(struct entry){lid, (*p)->name, (*p)->field.label, dev->vendor->name, NULL, true,
						  (*p)->uuid});
	for (const struct ssd_local_page *const *l = dev->local; l && *l; l++)
		if ((*l)->page.id == lid)
			add_entry(
				dev, list,
				&(struct entry){lid, (*l)->page.name, (*l)->page.field.label, NULL, (*l)->file, true});
	if (listed && !info && !vendor_page(dev, lid, NULL) && !ssd_local_find(dev, lid, NULL))
		add_entry(dev, list,
			  &(struct entry){lid, NULL, "only listed in the vendor's directory",
					  dev->vendor ? dev->vendor->name : NULL, NULL, false});
}

static int list_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	bool listed[256] = {false};
	struct ssd_node *list;
	int rc;

	(void)run;
	if (ssd_id_ctrl(dev, &row->err))
		return -1;
	list = ssd_set_list(row->element, "logs");
	rc = read_directory(dev, row, listed);
	for (unsigned lid = 0; lid < 256; lid++)
		list_lid(dev, list, (uint8_t)lid, listed[lid]);
	return rc;
}

static const struct ssd_command log_list = {
	.name = "list",
	.summary = "log pages that a drive announces, and those of its vendor's module",
	.usage = "DRIVE... | --all",
	.examples = (const char *const[]){"log list nvme0", NULL},
	.flags = SSD_CMD_LOCAL,
	.drives = SSD_DRIVES_SOME,
	.fields = list_fields,
	.each = list_each,
};

/* ---- log get ---- */

struct options {
	bool raw, hex;
	const char *to;
	uint64_t length, offset, nsid, lsp, lsi, uuid;
};

static const struct ssd_option get_options[] = {
	{"raw", 'b', SSD_OPT_FLAG, SSD_OPTION(struct options, raw), NULL,
	 "the bytes as they are, to stdout or to --to FILE"},
	{"hex", 0, SSD_OPT_FLAG, SSD_OPTION(struct options, hex), NULL, "the bytes in hexadecimal"},
	{"to", 0, SSD_OPT_STR, SSD_OPTION(struct options, to), "FILE", "with --raw: write FILE, which must not exist"},
	{"length", 'l', SSD_OPT_UINT, SSD_OPTION(struct options, length), "BYTES", "how much to read", 4,
	 SSD_MAX_LOG_BYTES},
	{"offset", 0, SSD_OPT_UINT, SSD_OPTION(struct options, offset), "BYTES", "where to start", 0, UINT64_MAX},
	{"nsid", 'n', SSD_OPT_UINT, SSD_OPTION(struct options, nsid), "N", "namespace (default: the controller)", 1,
	 0xffffffff},
	{"lsp", 0, SSD_OPT_UINT, SSD_OPTION(struct options, lsp), "N", "log specific parameter", 0, 127},
	{"lsi", 0, SSD_OPT_UINT, SSD_OPTION(struct options, lsi), "N",
	 "log specific identifier: which endurance group or NVM set (default there: 1)", 0, 65535},
	{"uuid-index", 0, SSD_OPT_UINT, SSD_OPTION(struct options, uuid), "N", "UUID index", 0, 127},
	{.type = SSD_OPT_END},
};

static const struct ssd_field log_fields[] = {
	{"lid", "LID", "Log page identifier", SSD_UINT, SSD_HEX},
	{"name", "Name", "Name of the log page, when a table knows it", SSD_STR},
	{"lsi", "LSI", "Log specific identifier: which endurance group or NVM set; null: none", SSD_UINT,
	 .flags = SSD_RAW | SSD_QUIET},
	{"uuid_index", "UUID index", "Whose page of this number, by the drive's list of UUIDs; null: none was chosen",
	 SSD_UINT, .flags = SSD_RAW | SSD_QUIET},
	{"length_bytes", "Length", "Bytes that the drive returned", SSD_UINT, SSD_BYTES},
	{"data_hex", "Data", "The bytes, with --hex, or when there is no decoder and no --raw", SSD_STR,
	 .flags = SSD_NO_TEXT},
	SSD_FIELD_END,
};

static const struct ssd_field get_fields[] = {
	{"log", "Log page", "What was read", SSD_OBJ, .sub = log_fields},
	SSD_FIELD_END,
};

/* A log page by name or number: on this drive, so that a vendor's name means that vendor's page. */
struct choice {
	int lid;
	const char *name;
	const struct ssd_page *page; /* NULL: no decoder */
	bool local;                  /* an operator's file describes it */
};

static int fail_name(const struct ssd_device *dev, const char *word, struct ssd_err *err)
{
	const char *names[64], *near;
	size_t n = 0;

	for (const struct ssd_log_info *l = ssd_log_table; l->name && n < ARRAY_SIZE(names); l++)
		names[n++] = l->name;
	for (const struct ssd_page *const *p = dev->vendor ? dev->vendor->pages : NULL;
	     p && *p && n < ARRAY_SIZE(names); p++)
		names[n++] = (*p)->name;
	for (const struct ssd_local_page *const *l = dev->local; l && *l && n < ARRAY_SIZE(names); l++)
		names[n++] = (*l)->page.name;
	near = ssd_nearest(word, names, n);
	ssd_fail(err, SSD_ERR_USAGE, "%s: no log page is called \"%s\"", dev->drive->device, word);
	if (cmd_bare_hex(word))
		ssd_hint(err, "the number %sh? Write 0x%s or %sh", word, word, word);
	else if (near)
		ssd_hint(err, "did you mean %s? See ssdct log list %s", near, dev->drive->device);
	else
		ssd_hint(err, "see ssdct log list %s", dev->drive->device);
	return -1;
}

static int choose(struct ssd_device *dev, const char *word, uint64_t uuid_index, struct choice *c, struct ssd_err *err)
{
	const struct ssd_local_page *local;
	const struct ssd_log_info *info = NULL;

	c->lid = cmd_byte_number(word);
	c->page = vendor_page(dev, c->lid, c->lid < 0 ? word : NULL);
	local = c->page ? NULL : ssd_local_find(dev, c->lid, c->lid < 0 ? word : NULL);
	if (local)
		c->page = &local->page;
	c->local = local;
	for (const struct ssd_log_info *l = ssd_log_table; l->name; l++)
		if (c->lid < 0 ? !strcmp(l->name, word) : l->lid == c->lid)
			info = l;
	if (c->lid < 0 && !info && !c->page)
		return fail_name(dev, word, err);
	if (c->lid < 0)
		c->lid = c->page ? c->page->id : info->lid;
	if (!c->page)
		c->page = ssd_log_page((uint8_t)c->lid);
	/* Another UUID index means somebody else's page of the same number (its name then only stood for that number). */
	if (uuid_index && !info && (!c->page || ssd_uuid_index(dev, c->page->uuid) != uuid_index))
		c->page = NULL;
	c->name = c->page ? c->page->name : info ? info->name : NULL;
	return 0;
}

static void describe(const struct ssd_device *dev, struct ssd_row *row, const struct options *o, const struct choice *c,
		     const struct ssd_log_request *req, const uint8_t *buf, size_t len)
{
	struct ssd_node *log = ssd_set_obj(row->element, "log");
	bool decode = c->page && !o->offset && ssd_page_recognise(c->page, buf, len);

	ssd_set_uint(log, "lid", (uint64_t)c->lid);
	ssd_set_str(log, "name", c->name);
	if (req->lsi)
		ssd_set_uint(log, "lsi", req->lsi);
	if (req->uuid_index)
		ssd_set_uint(log, "uuid_index", req->uuid_index);
	ssd_set_uint(log, "length_bytes", len);
	if (o->hex || (!decode && !o->raw))
		ssd_set_hex(log, "data_hex", buf, len);
	if (decode)
		ssd_attach(c->local ? ssd_row_local(row) : row->element,
			   ssd_page_decode_from(dev, row->arena, c->page, buf, len));
}

/* Of a page that no table knows. */
#define UNKNOWN_LENGTH 4096

static struct ssd_log_request request_of(struct ssd_device *dev, const struct options *o, const struct choice *c)
{
	struct ssd_log_request req = {.lid = (uint8_t)c->lid, .nsid = SSD_NSID_ALL};

	if (c->page)
		req = ssd_log_request_of(dev, c->page);
	req.lsp = (uint8_t)o->lsp;
	req.offset = o->offset;
	if (o->uuid)
		req.uuid_index = (uint8_t)o->uuid;
	if (o->lsi)
		req.lsi = (uint16_t)o->lsi;
	if (o->nsid)
		req.nsid = (uint32_t)o->nsid;
	return req;
}

static int get_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	const struct options *o = run->options;
	AUTO_FREE uint8_t *buf = NULL;
	struct ssd_log_request req;
	size_t len = UNKNOWN_LENGTH, got;
	struct choice c;

	if (ssd_id_ctrl(dev, &row->err) || choose(dev, run->words[0], o->uuid, &c, &row->err))
		return -1;
	req = request_of(dev, o, &c);
	/* The guard goes by what the drive has said. */
	if (c.page)
		ssd_announces_page(dev, c.page);
	if (o->length)
		len = (size_t)o->length;
	else if (c.page && ssd_log_bytes(dev, c.page, &req, &len, &row->err))
		return -1;
	buf = ssd_page_alloc(len);
	if (ssd_get_log(dev, &req, buf, len, &got, &row->err))
		return -1;
	describe(dev, row, o, &c, &req, buf, got);
	return o->raw ? cmd_deliver_raw(o->to, row, buf, got) : 0;
}

static int get_prepare(struct ssd_run *run, struct ssd_err *err)
{
	const struct options *o = run->options;

	if (o->length % 4 || o->offset % 4)
		return ssd_fail(err, SSD_ERR_USAGE, "%s is a multiple of 4 bytes",
				o->length % 4 ? "--length" : "--offset");
	if (o->raw && o->hex)
		return ssd_fail(err, SSD_ERR_USAGE, "--raw and --hex: one or the other");
	return cmd_check_raw(run, o->raw, o->to, err);
}

static void get_text(const struct ssd_run *run, FILE *out)
{
	const struct options *o = run->options;
	const struct ssd_node *e = run->rows[0].element;
	const char *hex = ssd_get_str(e, "log.data_hex", NULL);

	if (ssd_failed(&run->rows[0].err))
		return;
	if (o->to) {
		cmd_written_text(o->to, ssd_get_int(e, "log.length_bytes", 0), out);
		return;
	}
	ssd_text_title(run, &run->rows[0], out);
	if (hex)
		ssd_render_hex(hex, o->offset, out);
	else
		ssd_render_text(e, out);
}

static const struct ssd_command log_get = {
	.name = "get",
	.summary = "one log page: decoded, in hexadecimal, or raw",
	.usage = "DRIVE NAME|LID [--raw [--to FILE]|--hex] [--length BYTES]",
	.help = "NAME is one of `log list`, LID a number (0xCA, CAh, 202). A page without a decoder is shown in "
		"hexadecimal.\n"
		"Reading keeps asynchronous events (RAE). Pages that change the drive when they are read, and pages "
		"that no\n"
		"table knows, are refused (exit 4).",
	.examples = (const char *const[]){"log get nvme0 smart", "log get nvme0 0x03 --hex",
					  "log get nvme0 error --raw --to log01.bin", NULL},
	.flags = SSD_CMD_RAW | SSD_CMD_ANY_LOG | SSD_CMD_LOCAL,
	.drives = SSD_DRIVES_ONE,
	.min_words = 1,
	.max_words = 1,
	.options = get_options,
	.options_size = sizeof(struct options),
	.fields = get_fields,
	.prepare = get_prepare,
	.each = get_each,
	.text = get_text,
};

const struct ssd_command cmd_log = {
	.name = "log",
	.summary = "log pages: list, get, persistent-event",
	.verbs = (const struct ssd_command *const[]){&log_list, &log_get, &cmd_log_persistent_event, NULL},
};
