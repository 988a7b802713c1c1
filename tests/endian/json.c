/* SPDX-License-Identifier: MIT */
/* ssd_render_json() without jansson, for machines that have none: on one line, as the tests of the decoders want it. */
#include <ssdct/render.h>

static void write_node(const struct ssd_node *n, FILE *out);

static void write_text(const char *s, FILE *out)
{
	fputc('"', out);
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			fputc('\\', out);
		fputc(*s, out);
	}
	fputc('"', out);
}

static void write_members(const struct ssd_node *n, FILE *out)
{
	char digits[SSD_U128_DIGITS];

	for (const struct ssd_node *c = n->child; c; c = c->next) {
		fprintf(out, "%s\"%s\":", c == n->child ? "" : ",", c->field->key);
		write_node(c, out);
		if (c->field->type == SSD_WIDE && c->null)
			fprintf(out, ",\"%s_str\":null", c->field->key);
		else if (c->field->type == SSD_WIDE)
			fprintf(out, ",\"%s_str\":\"%s\"", c->field->key, ssd_u128_str(c->wide, digits));
	}
}

/* jansson writes a real that is whole with ".0". */
static void write_real(double real, FILE *out)
{
	char text[40];

	snprintf(text, sizeof(text), "%.15g", real);
	fprintf(out, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

static void write_node(const struct ssd_node *n, FILE *out)
{
	switch (n->null ? SSD_END : n->field->type) {
	case SSD_END:
		fputs("null", out);
		break;
	case SSD_UINT:
		fprintf(out, "%llu", (unsigned long long)(n->u > INT64_MAX ? INT64_MAX : n->u));
		break;
	case SSD_INT:
		fprintf(out, "%lld", (long long)n->i);
		break;
	case SSD_WIDE:
		fprintf(out, "%lld", (long long)ssd_u128_clamp(n->wide));
		break;
	case SSD_REAL:
		write_real(n->real, out);
		break;
	case SSD_BOOL:
		fputs(n->b ? "true" : "false", out);
		break;
	case SSD_STR:
		write_text(n->s, out);
		break;
	case SSD_LIST:
		fputc('[', out);
		for (const struct ssd_node *c = n->child; c; c = c->next) {
			if (c != n->child)
				fputc(',', out);
			write_node(c, out);
		}
		fputc(']', out);
		break;
	default:
		fputc('{', out);
		write_members(n, out);
		fputc('}', out);
	}
}

void ssd_render_json(const struct ssd_node *root, FILE *out, bool one_line)
{
	(void)one_line;
	write_node(root, out);
	fputc('\n', out);
}
