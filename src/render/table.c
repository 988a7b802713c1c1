/* SPDX-License-Identifier: MIT */
/* Tables for people: columns as wide as their widest cell. */
#include <ssdct/render.h>

struct ssd_table {
	const struct ssd_column *columns;
	size_t n, rows;
	char **cells;
};

struct ssd_table *ssd_table_new(const struct ssd_column *columns, size_t n)
{
	struct ssd_table *t = ssd_calloc(1, sizeof(*t));

	t->columns = columns;
	t->n = n;
	return t;
}

void ssd_table_row(struct ssd_table *t, const char *const *cells)
{
	t->cells = ssd_realloc(t->cells, (t->rows + 1) * t->n, sizeof(*t->cells));
	for (size_t c = 0; c < t->n; c++)
		t->cells[t->rows * t->n + c] = ssd_strdup(cells[c] && *cells[c] ? cells[c] : "-");
	t->rows++;
}

static int width_of(const struct ssd_table *t, size_t column)
{
	size_t width = strlen(t->columns[column].header);

	for (size_t r = 0; r < t->rows; r++) {
		size_t len = strlen(t->cells[r * t->n + column]);

		if (len > width)
			width = len;
	}
	return (int)width;
}

static void print_cell(const struct ssd_table *t, size_t column, const char *text, FILE *out)
{
	bool last = column + 1 == t->n;

	if (t->columns[column].right)
		fprintf(out, "%*s%s", width_of(t, column), text, last ? "\n" : "  ");
	else if (last)
		fprintf(out, "%s\n", text);
	else
		fprintf(out, "%-*s  ", width_of(t, column), text);
}

void ssd_table_print(const struct ssd_table *t, FILE *out, const char *indent)
{
	fputs(indent, out);
	for (size_t c = 0; c < t->n; c++)
		print_cell(t, c, t->columns[c].header, out);
	for (size_t r = 0; r < t->rows; r++) {
		fputs(indent, out);
		for (size_t c = 0; c < t->n; c++)
			print_cell(t, c, t->cells[r * t->n + c], out);
	}
}

void ssd_table_free(struct ssd_table *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->rows * t->n; i++)
		free(t->cells[i]);
	free(t->cells);
	free(t);
}
