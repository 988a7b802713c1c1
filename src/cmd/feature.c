/* SPDX-License-Identifier: MIT */
/* ssdct feature: one feature by name, its value in all its versions. */
#include "feature.h"
#include "bytes.h"
#include "change.h"
#include "cmd.h"

#include <inttypes.h>
#include <ssdct/plugin.h>
#include <ssdct/render.h>

enum { CAN_SAVE = 1, CAN_PER_NAMESPACE = 2, CAN_CHANGE = 4 };

/* --- which feature --- */

static const struct ssd_feature *vendor_feature(const struct ssd_device *dev, int fid, const char *name)
{
	for (const struct ssd_feature *const *f = dev->vendor ? dev->vendor->features : NULL; f && *f; f++)
		if (name ? !strcmp((*f)->page.name, name) : (*f)->page.id == fid)
			return *f;
	return NULL;
}

static int fail_name(const struct ssd_device *dev, const char *word, struct ssd_err *err)
{
	const char *names[96], *near;
	size_t n = 0;

	for (const struct ssd_std_feature *f = ssd_std_features; f->page.name && n < ARRAY_SIZE(names); f++)
		names[n++] = f->page.name;
	for (const struct ssd_feature *const *f = dev->vendor ? dev->vendor->features : NULL;
	     f && *f && n < ARRAY_SIZE(names); f++)
		names[n++] = (*f)->page.name;
	near = ssd_nearest(word, names, n);
	ssd_fail(err, SSD_ERR_USAGE, "%s: no feature is called \"%.60s\"", dev->drive->device, word);
	if (near)
		ssd_hint(err, "did you mean %s? See ssdct feature list %s", near, dev->drive->device);
	else
		ssd_hint(err, "see ssdct feature list %s", dev->drive->device);
	return -1;
}

int feature_choose(const struct ssd_device *dev, const char *word, struct feature_choice *c, struct ssd_err *err)
{
	int fid = cmd_byte_number(word);

	*c = (struct feature_choice){.dev = dev};
	for (const struct ssd_std_feature *f = ssd_std_features; f->page.name; f++)
		if (fid < 0 ? !strcmp(f->page.name, word) : f->page.id == fid)
			c->std = f;
	if (!c->std)
		c->vendor = vendor_feature(dev, fid, fid < 0 ? word : NULL);
	if (fid < 0 && !c->std && !c->vendor)
		return fail_name(dev, word, err);
	c->page = c->std ? &c->std->page : c->vendor ? &c->vendor->page : NULL;
	c->fid = fid < 0 ? c->page->id : (uint8_t)fid;
	c->class = ssd_feature_class(dev, c->fid);
	return 0;
}

const char *feature_label(const struct feature_choice *c, char buf[64])
{
	if (c->page)
		snprintf(buf, 64, "%.50s (%02Xh)", c->page->field.label, c->fid);
	else
		snprintf(buf, 64, "feature %02Xh", c->fid);
	return buf;
}

/* --- asking --- */

/* What a table has as the controller's gets a namespace only by --nsid: the drive would refuse that of a node. */
static int choose_namespace(const struct feature_choice *c, const struct ssd_target *target, uint64_t option,
			    uint32_t *nsid, struct ssd_err *err)
{
	const struct ssd_drive *drive = target->drive;
	char label[64];

	if (c->page && !(c->std && c->std->flags & SSD_STD_NAMESPACE)) {
		*nsid = option ? (uint32_t)option : 0;
		return 0;
	}
	if (*nsid || !c->page)
		return 0;
	if (drive->n_namespaces == 1) {
		*nsid = drive->namespaces[0].nsid;
		return 0;
	}
	ssd_fail(err, SSD_ERR_USAGE, "%s: %s has a value for each namespace, of which there are %zu: which one?",
		 drive->device, feature_label(c, label), drive->n_namespaces);
	ssd_hint(err, "name the namespace node instead of the controller, or give --nsid N");
	return -1;
}

size_t feature_data_len(const struct feature_choice *c)
{
	size_t len = c->page ? c->page->size : 0;

	return len < FEATURE_DATA ? len : FEATURE_DATA;
}

int feature_ask_for(const struct feature_choice *c, const struct ssd_target *target, uint64_t nsid, const char *which,
		    struct feature_ask *ask, struct ssd_err *err)
{
	uint64_t cdw11 = c->std ? c->std->cdw11 : c->vendor ? c->vendor->cdw11 : 0;
	char label[64];

	*ask = (struct feature_ask){.data_len = feature_data_len(c)};
	if (which && !(c->std && c->std->which))
		return ssd_fail(err, SSD_ERR_USAGE, "--which: %s has one value", feature_label(c, label));
	if (which && ssd_feature_assign(c->std->which, which, &cdw11, err)) {
		ssd_err_prefix(err, "--which");
		return -1;
	}
	ask->cdw11 = (uint32_t)cdw11;
	if (change_nsid(target, nsid, &ask->nsid, err))
		return -1;
	return choose_namespace(c, target, nsid, &ask->nsid, err);
}

int feature_read(struct ssd_device *dev, const struct feature_choice *c, const struct feature_ask *ask,
		 struct feature_value *v, struct ssd_err *err)
{
	AUTO_FREE uint8_t *buf = ask->data_len && ask->select != SSD_SUPPORTED ? ssd_page_alloc(FEATURE_DATA) : NULL;
	const struct ssd_feature_request req = {c->fid, ask->select, ask->nsid, ask->cdw11};

	*v = (struct feature_value){0};
	if (ssd_get_feature_data(dev, &req, &v->result, buf, buf ? ask->data_len : 0, &v->len, err))
		return -1;
	if (buf)
		memcpy(v->data, buf, v->len);
	return 0;
}

struct feature_can feature_can(struct ssd_device *dev, const struct feature_choice *c, struct feature_ask ask)
{
	struct feature_value v;

	ask.select = SSD_SUPPORTED;
	if (!ssd_has_select(dev) || feature_read(dev, c, &ask, &v, NULL))
		return (struct feature_can){0};
	return (struct feature_can){true, v.result & CAN_SAVE, v.result & CAN_PER_NAMESPACE, v.result & CAN_CHANGE};
}

struct ssd_node *feature_decode(struct ssd_arena *a, const struct feature_choice *c, const struct feature_value *v)
{
	struct ssd_node *node = c->page ? ssd_feature_decode(a, c->page, v->result, v->data, v->len) : NULL;

	if (node && c->page->derive_from)
		c->page->derive_from(c->dev, node);
	return node;
}

static bool has_members(const struct ssd_node *obj)
{
	return obj && obj->child;
}

/* A member as a part of a line: a switch that is on by its name alone, and nothing of one that is off. */
static void add_member(char *text, size_t size, const struct ssd_node *n, bool only)
{
	bool is_switch = n->field->type == SSD_BOOL && !only;
	size_t len = strlen(text);

	if ((is_switch && !n->b) || (n->field->type == SSD_LIST && !n->child))
		return;
	snprintf(text + len, size - len, "%s%s%s%s", *text ? ", " : "", n->field->label, is_switch ? "" : " ",
		 is_switch                    ? ""
		 : n->field->type == SSD_LIST ? "given"
					      : ssd_node_text(n));
}

const char *feature_text(struct ssd_arena *a, const struct feature_choice *c, const struct feature_value *v)
{
	struct ssd_node *node = feature_decode(a, c, v);
	char text[400] = "";

	if (!has_members(node)) {
		snprintf(text, sizeof(text), "0x%08" PRIx64, v->result);
		return ssd_arena_strdup(a, text);
	}
	for (const struct ssd_node *n = node->child; n; n = n->next)
		add_member(text, sizeof(text), n, !node->child->next);
	return ssd_arena_strdup(a, *text ? text : "nothing on");
}

/* --- documents --- */

static const struct ssd_field value_fields[] = {
	{"fid", "Feature", "Feature identifier", SSD_UINT, SSD_HEX},
	{"name", "Name", "Name of the feature, when a table knows it", SSD_STR},
	{"label", "Label", "What the specification or the vendor calls it", SSD_STR, .flags = SSD_NO_TEXT},
	{"class", "Setting it", "What setting it does: changes, destroys (data, or nobody knows), kernel (never set)",
	 SSD_STR},
	{"nsid", "Namespace", "Namespace that was asked for; null: none", SSD_UINT, .flags = SSD_QUIET},
	{"cdw11", "Which", "CDW11, where it chooses among several values", SSD_UINT, SSD_HEX, .flags = SSD_QUIET},
	{"select", "Select", "current, default, saved or supported", SSD_STR},
	{"value", "Value", "Dwords 0 and 1 of the answer", SSD_UINT, SSD_HEX},
	{"data_hex", "Data", "Data of the feature", SSD_STR, .flags = SSD_NO_TEXT},
	{"saveable", "Saveable", "The drive can save it; null: the drive does not say", SSD_BOOL},
	{"per_namespace", "Per namespace", "Each namespace has a value of its own", SSD_BOOL},
	{"changeable", "Changeable", "It can be set", SSD_BOOL},
	{"before", "Before", "`feature set`: dwords 0 and 1 as they were", SSD_UINT, SSD_HEX, .flags = SSD_NO_TEXT},
	{"before_text", "Before", "The same decoded, for people", SSD_STR, .flags = SSD_QUIET},
	{"save", "Saved", "`feature set`: whether it is to survive resets", SSD_BOOL, .flags = SSD_QUIET},
	{"result", "Result", "`feature set`: done, or dry_run; null: not done", SSD_STR, .flags = SSD_QUIET},
	{"verified", "Verified", "`feature set`: read back and found as asked for; null: it cannot be read", SSD_BOOL,
	 .flags = SSD_QUIET},
	{"command", "Command", "`feature set`: the dwords of Set Features", SSD_STR, .flags = SSD_QUIET},
	SSD_FIELD_END,
};

const struct ssd_field ssd_feature_fields[] = {
	{"feature", "Feature", "The feature and its value; null: it was only looked at", SSD_OBJ, .flags = SSD_QUIET,
	 .sub = value_fields},
	SSD_FIELD_END,
};

static const char *const select_words[] = {"current", "default", "saved", "supported", NULL};

void feature_doc_can(struct ssd_node *obj, const struct feature_can *can)
{
	if (!can->known)
		return;
	ssd_set_bool(obj, "saveable", can->saveable);
	ssd_set_bool(obj, "per_namespace", can->per_namespace);
	ssd_set_bool(obj, "changeable", can->changeable);
}

struct ssd_node *feature_doc(struct ssd_device *dev, struct ssd_row *row, const struct feature_choice *c,
			     const struct feature_ask *ask)
{
	struct ssd_node *obj = ssd_set_obj(row->element, "feature");

	(void)dev;
	ssd_set_uint(obj, "fid", c->fid);
	ssd_set_str(obj, "name", c->page ? c->page->name : NULL);
	ssd_set_str(obj, "label", c->page ? c->page->field.label : NULL);
	ssd_set_str(obj, "class", ssd_feature_class_word(c->class));
	ssd_set_str(obj, "select", select_words[ask->select]);
	if (ask->nsid)
		ssd_set_uint(obj, "nsid", ask->nsid);
	if (ask->cdw11)
		ssd_set_uint(obj, "cdw11", ask->cdw11);
	return obj;
}

void feature_doc_value(struct ssd_row *row, const struct feature_choice *c, const struct feature_value *v)
{
	struct ssd_node *obj = ssd_get_mutable(row->element, "feature"), *node = feature_decode(row->arena, c, v);

	ssd_set_uint(obj, "value", v->result);
	if (v->len)
		ssd_set_hex(obj, "data_hex", v->data, v->len);
	if (has_members(node))
		ssd_attach(row->element, node);
}

/* --- feature get --- */

struct get_options {
	unsigned select;
	uint64_t nsid;
	const char *which;
};

static const struct ssd_option get_options[] = {
	{"select", 0, SSD_OPT_ENUM, SSD_OPTION(struct get_options, select), "WORD",
	 "current (default), default, saved, or supported (what can be done with it)", .words = select_words},
	{"nsid", 'n', SSD_OPT_UINT, SSD_OPTION(struct get_options, nsid), "N", "namespace", 1, 0xffffffff},
	{"which", 0, SSD_OPT_STR, SSD_OPTION(struct get_options, which), "KEY=VALUE,...",
	 "which of several values: sensor=1,type=under of temperature-threshold, vector=3 of interrupt-vector, ..."},
	{.type = SSD_OPT_END},
};

static int get_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	const struct get_options *o = run->options;
	struct feature_choice c;
	struct feature_value v;
	struct feature_ask ask;
	struct feature_can can;

	if (ssd_id_ctrl(dev, &row->err) || feature_choose(dev, run->words[0], &c, &row->err))
		return -1;
	if (c.vendor && c.vendor->flags & SSD_FEATURE_WRITE_ONLY)
		return ssd_fail(&row->err, SSD_ERR_UNSUPPORTED, "%s: %s can only be set", dev->drive->device,
				c.page->name);
	if (feature_ask_for(&c, &row->target, o->nsid, o->which, &ask, &row->err))
		return -1;
	ask.select = (enum ssd_select)o->select;
	feature_doc(dev, row, &c, &ask);
	/* One that does not know the bits that choose may answer with the current value. */
	if (ask.select != SSD_CURRENT && !ssd_has_select(dev))
		return ssd_fail(&row->err, SSD_ERR_UNSUPPORTED,
				"%s: the drive tells current values alone (ONCS bit 4); nothing was sent",
				dev->drive->device);
	if (feature_read(dev, &c, &ask, &v, &row->err))
		return -1;
	if (ask.select != SSD_SUPPORTED) {
		feature_doc_value(row, &c, &v);
		return 0;
	}
	can = (struct feature_can){true, v.result & CAN_SAVE, v.result & CAN_PER_NAMESPACE, v.result & CAN_CHANGE};
	ssd_set_uint(ssd_get_mutable(row->element, "feature"), "value", v.result);
	feature_doc_can(ssd_get_mutable(row->element, "feature"), &can);
	return 0;
}

static void get_text(const struct ssd_run *run, FILE *out)
{
	const struct ssd_row *row = &run->rows[0];
	const char *hex = ssd_get_str(row->element, "feature.data_hex", NULL);
	bool decoded = row->element->last->field->flags & SSD_OPTIONAL;

	if (ssd_failed(&row->err))
		return;
	ssd_text_title(run, row, out);
	ssd_render_text(row->element, out);
	if (hex && !decoded)
		ssd_render_hex(hex, 0, out);
}

static const struct ssd_command feature_get = {
	.name = "get",
	.summary = "one feature: its current, default or saved value, decoded",
	.usage = "DRIVE NAME|FID [--select WORD] [--which KEY=VALUE,...] [--nsid N]",
	.help = "NAME is one of `feature list`, FID a number (0x04, 4, 04h). A feature that no table knows is shown as "
		"a number.\n"
		"Asking for a feature that the drive does not have makes an entry in its error log.",
	.examples =
		(const char *const[]){"feature get nvme0 temperature-threshold", "feature get nvme0 4 --select default",
				      "feature get nvme0 temperature-threshold --which sensor=1,type=under -o json",
				      NULL},
	.flags = SSD_CMD_ANY_FEATURE,
	.drives = SSD_DRIVES_ONE,
	.min_words = 1,
	.max_words = 1,
	.options = get_options,
	.options_size = sizeof(struct get_options),
	.fields = ssd_feature_fields,
	.each = get_each,
	.text = get_text,
};

const struct ssd_command cmd_feature = {
	.name = "feature",
	.summary = "features: list, get, set",
	.verbs = (const struct ssd_command *const[]){&feature_list, &feature_get, &feature_set, NULL},
};
