/* SPDX-License-Identifier: MIT */
/* Documents as text for people: aligned lines, sections, tables, sizes as people say them. */
#include <ssdct/render.h>

#include <inttypes.h>

/* Thousands are separated by commas whatever the locale: 57,288. */
static void group(char *dst, const char *digits)
{
	size_t len = strlen(digits);

	for (size_t i = 0; i < len; i++) {
		*dst++ = digits[i];
		if ((len - i) % 3 == 1 && i + 1 < len && digits[i] != '-')
			*dst++ = ',';
	}
	*dst = '\0';
}

static const char *const suffixes[] = {
	[SSD_CELSIUS] = " C", [SSD_PERCENT] = "%", [SSD_MINUTES] = " min", [SSD_HOURS] = " h", [SSD_SECONDS] = " s",
	[SSD_MS] = " ms",     [SSD_US] = " us",    [SSD_NS] = " ns",       [SSD_WATTS] = " W",
};

static const char *suffix(const struct ssd_field *f)
{
	return f->unit < ARRAY_SIZE(suffixes) && suffixes[f->unit] ? suffixes[f->unit] : "";
}

static const char *copy(const struct ssd_node *n, const char *text)
{
	return ssd_arena_strdup(n->arena, text);
}

static const char *number(const struct ssd_node *n, const char *digits)
{
	char grouped[96], text[128];

	group(grouped, digits);
	snprintf(text, sizeof(text), "%s%s", n->field->flags & SSD_RAW ? digits : grouped, suffix(n->field));
	return copy(n, text);
}

static const char *bytes(const struct ssd_node *n, double value, const char *digits)
{
	char human[32], grouped[96], text[160];

	ssd_bytes_text(value, human);
	group(grouped, digits);
	if (value < 1000)
		return copy(n, human);
	snprintf(text, sizeof(text), "%s (%s bytes)", human, grouped);
	return copy(n, text);
}

static const char *uint_text(const struct ssd_node *n)
{
	char digits[32];

	if (n->field->unit == SSD_HEX) {
		snprintf(digits, sizeof(digits), "0x%0*" PRIx64,
			 n->field->code == SSD_LE ? (int)n->field->width * 2 : 2, n->u);
		return copy(n, digits);
	}
	if (n->field->unit == SSD_NSID && n->u == UINT32_MAX)
		return "all";
	snprintf(digits, sizeof(digits), "%" PRIu64, n->u);
	return n->field->unit == SSD_BYTES ? bytes(n, (double)n->u, digits) : number(n, digits);
}

static const char *wide_text(const struct ssd_node *n)
{
	char digits[SSD_U128_DIGITS];

	ssd_u128_str(n->wide, digits);
	return n->field->unit == SSD_BYTES ? bytes(n, ssd_u128_double(n->wide), digits) : number(n, digits);
}

static const char *real_text(const struct ssd_node *n)
{
	char text[64];

	/* Small ones keep two digits: wear per day is a fraction of a thousandth. */
	snprintf(text, sizeof(text), n->real > 0 && n->real < 0.01 ? "%.2g%s" : "%.3f%s", n->real, suffix(n->field));
	return copy(n, text);
}

static const char *enum_text(const struct ssd_node *n)
{
	char text[128];

	snprintf(text, sizeof(text), "%s", ssd_get_str(n, "name", ""));
	if (!*text)
		snprintf(text, sizeof(text), "0x%" PRIx64, n->u);
	return copy(n, text);
}

static bool is_empty(const struct ssd_node *n)
{
	switch (n->field->type) {
	case SSD_STR:
		return !*n->s;
	case SSD_REAL:
		return n->real == 0;
	case SSD_WIDE:
		return !n->wide.hi && !n->wide.lo;
	case SSD_LIST:
		return !n->child;
	case SSD_BOOL:
		return !n->b;
	case SSD_INT:
		return !n->i;
	case SSD_OBJ:
		return false;
	default:
		return !n->u;
	}
}

/* What is set, by name; numbers inside a register with their value. */
static const char *flags_text(const struct ssd_node *n)
{
	char text[1024];
	int len = snprintf(text, sizeof(text), "0x%0*" PRIx64, (int)n->field->width * 2, n->u);
	const char *separator = ": ";

	for (const struct ssd_node *c = n->child; c; c = c->next) {
		bool plain = c->field->type == SSD_BOOL;

		if (c->field == &ssd_value_field || (plain && !c->b) || (size_t)len >= sizeof(text) - 2 ||
		    (c->field->flags & SSD_QUIET && is_empty(c)))
			continue;
		if (plain)
			len += snprintf(text + len, sizeof(text) - (size_t)len, "%s%s", separator, c->field->label);
		else
			len += snprintf(text + len, sizeof(text) - (size_t)len, "%s%s %s", separator, c->field->label,
					ssd_node_text(c));
		separator = ", ";
	}
	return copy(n, text);
}

/* What a function writes to a stream, owned by the node's arena. */
static const char *written(const struct ssd_node *n, void (*write)(const struct ssd_node *n, FILE *out))
{
	AUTO_FREE char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return "-";
	write(n, out);
	fclose(out);
	return copy(n, text ? text : "-");
}

/* Said in a table or line of another object: not what is empty and quiet, and of the kinds only the one that it is. */
static bool is_said_inline(const struct ssd_node *n)
{
	return !n->null && !(n->field->flags & SSD_NO_TEXT) && !(n->field->flags & SSD_QUIET && is_empty(n));
}

/* A small object inside a table or a line: "min 1, max 6, average 3"; a value whose label is empty speaks for itself. */
static void write_object(const struct ssd_node *n, FILE *out)
{
	const char *separator = "";

	for (const struct ssd_node *c = n->child; c; c = c->next) {
		if (!is_said_inline(c))
			continue;
		fprintf(out, "%s%s%s%s", separator, c->field->label, *c->field->label ? " " : "", ssd_node_text(c));
		separator = ", ";
	}
}

static bool is_list_of_objects(const struct ssd_node *n)
{
	return n->child && n->child->field->type == SSD_OBJ;
}

static void write_list(const struct ssd_node *n, FILE *out)
{
	const char *separator = is_list_of_objects(n) ? "; " : ", ";

	for (const struct ssd_node *c = n->child; c; c = c->next)
		fprintf(out, "%s%s", c == n->child ? "" : separator, ssd_node_text(c));
	if (!n->child)
		fputs("none", out);
}

const char *ssd_node_text(const struct ssd_node *n)
{
	char digits[32];

	if (!n || n->null)
		return "-";
	switch (n->field->type) {
	case SSD_UINT:
		return uint_text(n);
	case SSD_INT:
		snprintf(digits, sizeof(digits), "%" PRId64, n->i);
		return number(n, digits);
	case SSD_WIDE:
		return wide_text(n);
	case SSD_REAL:
		return real_text(n);
	case SSD_BOOL:
		return n->b ? "yes" : "no";
	case SSD_STR:
		return n->s;
	case SSD_ENUM:
		return enum_text(n);
	case SSD_FLAGS:
		return flags_text(n);
	case SSD_LIST:
		return written(n, write_list);
	default:
		return written(n, write_object);
	}
}

static bool hidden(const struct ssd_node *n)
{
	return n->field->flags & SSD_NO_TEXT || (n->field->flags & SSD_QUIET && (n->null || is_empty(n)));
}

/* Objects are sections of their own, and lists of objects tables; all else is a line. */
static bool is_line(const struct ssd_node *n)
{
	if (n->null || n->field->flags & SSD_INLINE)
		return true;
	if (n->field->type == SSD_LIST)
		return !n->child || n->child->field->type != SSD_OBJ;
	return n->field->type != SSD_OBJ;
}

static int label_width(const struct ssd_node *obj)
{
	size_t width = 0;

	for (const struct ssd_node *c = obj->child; c; c = c->next)
		if (!hidden(c) && is_line(c) && strlen(c->field->label) > width)
			width = strlen(c->field->label);
	return (int)width;
}

#define MAX_COLUMNS 32

/* Lists of objects are tables of their own, and the kinds that an element may be of share the last column. */
static bool is_column(const struct ssd_node *n)
{
	bool objects = n->field->type == SSD_LIST && n->field->sub && n->field->sub->key;

	return !objects && !n->field->id && !(n->field->flags & SSD_NO_TEXT);
}

static void print_list(const struct ssd_node *list, FILE *out, const char *indent);

/* A list of objects in an element is no cell, but a table of its own: "LBA formats (Namespace 1)". */
static void print_inner_lists(const struct ssd_node *item, FILE *out, const char *indent)
{
	for (const struct ssd_node *c = item->child; c; c = c->next) {
		char deeper[48];

		if (is_column(c) || c->field->id || hidden(c) || c->null || !c->child)
			continue;
		snprintf(deeper, sizeof(deeper), "%s  ", indent);
		fprintf(out, "\n%s%s (%s %s)\n", indent, c->field->label, item->child->field->label,
			ssd_node_text(item->child));
		print_list(c, out, deeper);
	}
}

static size_t make_columns(const struct ssd_node *item, struct ssd_column *columns)
{
	bool kinds = false;
	size_t n = 0;

	for (const struct ssd_node *c = item->child; c; c = c->next) {
		kinds = kinds || c->field->id;
		if (is_column(c) && n < MAX_COLUMNS - 1)
			columns[n++] = (struct ssd_column){c->field->label, c->field->type <= SSD_REAL};
	}
	if (kinds)
		columns[n++] = (struct ssd_column){"Details", false};
	return n;
}

static void print_list(const struct ssd_node *list, FILE *out, const char *indent)
{
	struct ssd_column columns[MAX_COLUMNS] = {{0}};
	size_t n = make_columns(list->child, columns);
	struct ssd_table *t = ssd_table_new(columns, n);

	for (const struct ssd_node *item = list->child; item; item = item->next) {
		const char *cells[MAX_COLUMNS + 1] = {0};
		size_t i = 0;

		for (const struct ssd_node *c = item->child; c; c = c->next) {
			if (is_column(c) && i < n)
				cells[i++] = ssd_node_text(c);
			else if (c->field->id && is_said_inline(c))
				cells[n - 1] = ssd_node_text(c);
		}
		ssd_table_row(t, cells);
	}
	ssd_table_print(t, out, indent);
	ssd_table_free(t);
	for (const struct ssd_node *item = list->child; item; item = item->next)
		print_inner_lists(item, out, indent);
}

/* As many as fit in 78 columns, then the next line. */
static void print_numbers(const struct ssd_node *list, FILE *out, const char *indent, int width)
{
	int left = (int)strlen(indent) + width + 2, at = left;

	fprintf(out, "%s%-*s  ", indent, width, list->field->label);
	for (const struct ssd_node *c = list->child; c; c = c->next) {
		const char *text = ssd_node_text(c);
		int len = (int)strlen(text) + (c->next ? 2 : 0);

		if (at > left && at + len > 79) {
			fprintf(out, "\n%*s", left, "");
			at = left;
		}
		fprintf(out, "%s%s", text, c->next ? ", " : "\n");
		at += len;
	}
}

/* A list of sentences has a line for each. */
static void print_line(const struct ssd_node *n, FILE *out, const char *indent, int width)
{
	const char *label = n->field->label;

	if (n->null || n->field->type != SSD_LIST || !n->child || strlen(ssd_node_text(n)) < 70) {
		fprintf(out, "%s%-*s  %s\n", indent, width, label, ssd_node_text(n));
		return;
	}
	if (n->child->field->type == SSD_UINT) {
		print_numbers(n, out, indent, width);
		return;
	}
	for (const struct ssd_node *c = n->child; c; c = c->next) {
		fprintf(out, "%s%-*s  %s\n", indent, width, label, ssd_node_text(c));
		label = "";
	}
}

static void print_object(const struct ssd_node *obj, FILE *out, int depth)
{
	int width = label_width(obj);
	char indent[32];

	snprintf(indent, sizeof(indent), "%*s", depth * 2, "");
	for (const struct ssd_node *c = obj->child; c; c = c->next)
		if (!hidden(c) && is_line(c))
			print_line(c, out, indent, width);
	for (const struct ssd_node *c = obj->child; c; c = c->next) {
		if (hidden(c) || is_line(c))
			continue;
		fprintf(out, "\n%s%s\n", indent, c->field->label);
		if (c->field->type == SSD_LIST) {
			char deeper[40];

			snprintf(deeper, sizeof(deeper), "%s  ", indent);
			print_list(c, out, deeper);
		} else {
			print_object(c, out, depth + 1);
		}
	}
}

void ssd_render_text(const struct ssd_node *obj, FILE *out)
{
	print_object(obj, out, 0);
}
