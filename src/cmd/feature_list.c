/* SPDX-License-Identifier: MIT */
/* ssdct feature list: what a drive announces, with the current, default and saved values. */
#include "feature.h"

#include <ssdct/plugin.h>

struct options {
	bool probe;
};

static const struct ssd_option options[] = {
	{"probe", 0, SSD_OPT_FLAG, SSD_OPTION(struct options, probe), NULL,
	 "also ask for features that nothing announces: each one missing is an entry in the drive's error log"},
	{.type = SSD_OPT_END},
};

static const struct ssd_field entry_fields[] = {
	{"fid", "FID", "Feature identifier", SSD_UINT, SSD_HEX},
	{"name", "Name", "Name for `feature get`", SSD_STR},
	{"label", "Feature", "What the specification or the vendor calls it", SSD_STR, .flags = SSD_NO_TEXT},
	{"vendor", "Vendor", "Vendor module whose feature it is", SSD_STR, .flags = SSD_NO_TEXT},
	{"class", "Setting it", "What setting it does: changes, destroys (data, or nobody knows), kernel (never set)",
	 SSD_STR},
	{"nsid", "NS", "Namespace; null: the controller", SSD_UINT, .flags = SSD_RAW},
	{"saveable", "Saveable", "The drive can save it; null: the drive does not say", SSD_BOOL},
	{"per_namespace", "Per namespace", "Each namespace has a value of its own", SSD_BOOL, .flags = SSD_NO_TEXT},
	{"changeable", "Changeable", "It can be set", SSD_BOOL, .flags = SSD_NO_TEXT},
	{"current", "Current", "Dword 0 of the current value", SSD_UINT, SSD_HEX, .flags = SSD_NO_TEXT},
	{"current_text", "Current", "The current value decoded, for people", SSD_STR},
	{"default", "Default", "Dword 0 of the default value", SSD_UINT, SSD_HEX, .flags = SSD_NO_TEXT},
	{"default_text", "Default", "The default value decoded, for people", SSD_STR},
	{"saved", "Saved", "Dword 0 of the saved value", SSD_UINT, SSD_HEX, .flags = SSD_NO_TEXT},
	{"saved_text", "Saved", "The saved value decoded, for people", SSD_STR},
	{"refused", "Refused", "Why the drive did not say the current value", SSD_STR, .flags = SSD_NO_TEXT},
	{"not_asked", "Not asked", "Why a vendor's feature was not asked for; null: it was", SSD_STR,
	 .flags = SSD_NO_TEXT},
	SSD_FIELD_END,
};

static const struct ssd_field list_fields[] = {
	{"features", "Features", "Features of the drive", SSD_LIST, .sub = entry_fields},
	SSD_FIELD_END,
};

struct lister {
	struct ssd_device *dev;
	struct ssd_row *row;
	struct ssd_node *list;
	bool probe;
};

static int fail_entry(struct ssd_node *item, const struct ssd_err *err, struct ssd_err *row_err)
{
	if (err->nvme_status < 0 && err->code != SSD_ERR_NOT_WRITTEN) {
		*row_err = *err;
		return -1;
	}
	ssd_set_str(item, "current_text", "refused");
	ssd_set_str(item, "refused", err->message);
	return 0;
}

static void add_version(struct lister *l, struct ssd_node *item, const struct feature_choice *c, struct feature_ask ask,
			enum ssd_select select)
{
	static const char *const keys[] = {"current", "default", "saved"};
	static const char *const text_keys[] = {"current_text", "default_text", "saved_text"};
	struct feature_value v;

	ask.select = select;
	if (feature_read(l->dev, c, &ask, &v, NULL))
		return;
	ssd_set_uint(item, keys[select], v.result);
	ssd_set_str(item, text_keys[select], feature_text(l->row->arena, c, &v));
}

static struct ssd_node *new_entry(struct lister *l, const struct feature_choice *c)
{
	struct ssd_node *item = ssd_add_item(l->list);

	ssd_set_uint(item, "fid", c->fid);
	ssd_set_str(item, "name", c->page->name);
	ssd_set_str(item, "label", c->page->field.label);
	ssd_set_str(item, "vendor", c->vendor ? l->dev->vendor->name : NULL);
	ssd_set_str(item, "class", ssd_feature_class_word(c->class));
	return item;
}

static int add_entry(struct lister *l, const struct feature_choice *c, uint32_t nsid)
{
	struct feature_ask ask = {
		.nsid = nsid, .cdw11 = c->std ? c->std->cdw11 : c->vendor->cdw11, .data_len = feature_data_len(c)};
	struct ssd_node *item = new_entry(l, c);
	struct ssd_err err = SSD_ERR_INIT;
	struct feature_value v;
	struct feature_can can;

	if (nsid)
		ssd_set_uint(item, "nsid", nsid);
	if (feature_read(l->dev, c, &ask, &v, &err)) {
		l->dev->vendor_refused |= c->vendor && ssd_is_refusal(&err);
		return fail_entry(item, &err, &l->row->err);
	}
	ssd_set_uint(item, "current", v.result);
	ssd_set_str(item, "current_text", feature_text(l->row->arena, c, &v));
	can = feature_can(l->dev, c, ask);
	feature_doc_can(item, &can);
	if (!ssd_has_select(l->dev))
		return 0;
	add_version(l, item, c, ask, SSD_DEFAULT);
	/* What cannot be saved has no saved value, and asking for it is an error on some drives. */
	if (can.saveable)
		add_version(l, item, c, ask, SSD_SAVED);
	return 0;
}

static int add_standard(struct lister *l, const struct ssd_std_feature *f)
{
	const struct ssd_target *target = &l->row->target;
	const struct ssd_drive *drive = target->drive;
	struct feature_choice c = {l->dev, f->page.id, f, NULL, &f->page, f->class};

	if (!(f->flags & SSD_STD_NAMESPACE))
		return add_entry(l, &c, 0);
	for (size_t i = 0; i < drive->n_namespaces; i++) {
		uint32_t nsid = drive->namespaces[i].nsid;

		if ((!target->nsid || target->nsid == nsid) && add_entry(l, &c, nsid))
			return -1;
	}
	return 0;
}

static bool is_known(const struct ssd_vendor *vendor, const char *name)
{
	for (const char *const *known = vendor->known_features; known && *known; known++)
		if (!strcmp(*known, name))
			return true;
	return false;
}

/* Why a vendor's feature is not asked for; NULL: it is. Each one that is missing is an entry in the drive's error log. */
static const char *why_unasked(const struct lister *l, const struct ssd_feature *f)
{
	if (f->flags & SSD_FEATURE_WRITE_ONLY)
		return "it can only be set";
	if (l->probe)
		return NULL;
	if (!is_known(l->dev->vendor, f->page.name))
		return "nothing says that this product line has it (--probe)";
	return l->dev->vendor_refused ? "the drive has refused another one (--probe)" : NULL;
}

static void add_unasked(struct lister *l, const struct feature_choice *c, const char *why)
{
	struct ssd_node *item = new_entry(l, c);
	char text[120];

	snprintf(text, sizeof(text), "not asked: %s", why);
	ssd_set_str(item, "current_text", text);
	ssd_set_str(item, "not_asked", why);
}

static int add_vendor(struct lister *l)
{
	const struct ssd_vendor *vendor = l->dev->vendor;

	for (const struct ssd_feature *const *f = vendor ? vendor->features : NULL; f && *f; f++) {
		struct feature_choice c = {l->dev, (*f)->page.id, NULL,
					   *f,     &(*f)->page,   ssd_feature_class(l->dev, (*f)->page.id)};
		const char *why = why_unasked(l, *f);

		if (why)
			add_unasked(l, &c, why);
		else if (add_entry(l, &c, 0))
			return -1;
	}
	return 0;
}

static int list_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	const struct options *o = run->options;
	struct lister l = {dev, row, NULL, o->probe};

	if (ssd_id_ctrl(dev, &row->err))
		return -1;
	l.list = ssd_set_list(row->element, "features");
	for (const struct ssd_std_feature *f = ssd_std_features; f->page.name; f++) {
		enum ssd_announced announced = ssd_announces_feature(dev, f);

		if (announced == SSD_ANNOUNCED_YES || (o->probe && announced == SSD_ANNOUNCED_UNKNOWN))
			if (add_standard(&l, f))
				return -1;
	}
	return add_vendor(&l);
}

/* --- for people --- */

static const struct ssd_column columns[] = {{"FID"}, {"Name"}, {"Setting it"}, {"NS", true}, {"Value"}};
enum { COLUMNS = ARRAY_SIZE(columns), VALUE = COLUMNS - 1, SCREEN = 80, LEAST = 24, INDENT = 2, GAP = 2 };

/* Columns that are left for the values: all but the names are as wide as they ever are. */
static size_t value_width(const struct ssd_node *list)
{
	size_t name = 0, others = INDENT + strlen("0x00") + strlen("Setting it") + strlen("NS") + 4 * GAP;

	for (const struct ssd_node *f = list->child; f; f = f->next) {
		size_t len = strlen(ssd_get_str(f, "name", ""));

		name = len > name ? len : name;
	}
	return name + others + LEAST < SCREEN ? SCREEN - others - name : LEAST;
}

/* How much of the text a line holds: up to the last part of a value, else the last word, that fits. */
static size_t line_length(const char *text, size_t width)
{
	size_t comma = 0, blank = 0;

	if (strlen(text) <= width)
		return strlen(text);
	for (size_t i = 1; i <= width; i++) {
		if (text[i] != ' ')
			continue;
		blank = i;
		comma = text[i - 1] == ',' ? i : comma;
	}
	return comma ? comma : blank ? blank : width;
}

/* On as many lines as it takes; the other cells are blank from the second on. */
static void add_value(struct ssd_table *t, const char *cells[COLUMNS], const char *what, const char *value,
		      size_t width)
{
	AUTO_FREE char *whole = ssd_asprintf("%s%s", what, value);
	const char *text = whole;

	do {
		size_t len = line_length(text, width);
		AUTO_FREE char *line = ssd_asprintf("%.*s", (int)len, text);

		cells[VALUE] = line;
		ssd_table_row(t, cells);
		for (size_t i = 0; i < VALUE; i++)
			cells[i] = " ";
		text += len;
		text += strspn(text, " ");
	} while (*text);
}

/* The current value; the default and the saved one where they are others. */
static void add_feature(struct ssd_table *t, const struct ssd_node *f, size_t width)
{
	static const char *const others[][2] = {{"default_text", "default: "}, {"saved_text", "saved: "}};
	const char *current = ssd_get_str(f, "current_text", "-");
	const char *cells[COLUMNS] = {ssd_node_text(ssd_get(f, "fid")), ssd_get_str(f, "name", NULL),
				      ssd_get_str(f, "class", NULL),
				      ssd_get(f, "nsid") ? ssd_node_text(ssd_get(f, "nsid")) : NULL};

	add_value(t, cells, "", current, width);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		const char *value = ssd_get_str(f, others[i][0], current);

		if (strcmp(value, current) != 0)
			add_value(t, cells, others[i][1], value, width);
	}
}

static void list_text(const struct ssd_run *run, FILE *out)
{
	for (size_t i = 0; i < run->n_rows; i++) {
		const struct ssd_row *row = &run->rows[i];
		const struct ssd_node *list = ssd_get(row->element, "features");
		struct ssd_table *t;

		if (!list)
			continue;
		fputs(i ? "\n" : "", out);
		ssd_text_title(run, row, out);
		fputc('\n', out);
		t = ssd_table_new(columns, COLUMNS);
		for (const struct ssd_node *f = list->child; f; f = f->next)
			add_feature(t, f, value_width(list));
		ssd_table_print(t, out, "  ");
		ssd_table_free(t);
	}
}

const struct ssd_command feature_list = {
	.name = "list",
	.summary = "features that a drive announces: current, default and saved values",
	.usage = "DRIVE... | --all",
	.help = "Asks for what the drive announces in Identify Controller and log page 12h, and for what every drive "
		"has; with\n"
		"--probe also for the rest. A vendor's features are asked for where the product line is known to have "
		"them;\n"
		"the others stand there with the reason. Default and saved values are those of drives that have them "
		"(ONCS bit 4).",
	.examples = (const char *const[]){"feature list nvme0", "feature list nvme0 --probe -o json", NULL},
	.drives = SSD_DRIVES_SOME,
	.options = options,
	.options_size = sizeof(struct options),
	.fields = list_fields,
	.each = list_each,
	.text = list_text,
};
