/* SPDX-License-Identifier: MIT */
/* Renderers print documents; they know nothing of NVMe. All write to a stream whose errors the caller checks. */
#ifndef SSDCT_RENDER_H
#define SSDCT_RENDER_H

#include <ssdct/doc.h>

/* One JSON object, indented, or on one line; ends with a newline. The only writer of JSON. */
void ssd_render_json(const struct ssd_node *root, FILE *out, bool one_line);

/* Members of an object as aligned "label  value" lines; nested objects become sections, lists become tables. */
void ssd_render_text(const struct ssd_node *obj, FILE *out);

/* Bytes, given as hexadecimal digits, in rows of 16 with offset and ASCII. */
void ssd_render_hex(const char *hex, uint64_t offset, FILE *out);

/* JSON Schemas (draft 2020-12) of objects with the given descriptors: one alone, several in one object by their titles. */
struct ssd_schema {
	const char *title;
	const struct ssd_field *root;
};
void ssd_render_schema(const struct ssd_schema *schemas, size_t n, FILE *out);

/* A table: header row, then rows; columns are as wide as their widest cell; numbers flush right. */
struct ssd_column {
	const char *header;
	bool right;
};
struct ssd_table;
struct ssd_table *ssd_table_new(const struct ssd_column *columns, size_t n);
/* n strings, copied; NULL prints as "-". */
void ssd_table_row(struct ssd_table *t, const char *const *cells);
void ssd_table_print(const struct ssd_table *t, FILE *out, const char *indent);
void ssd_table_free(struct ssd_table *t);

/* A scalar as people say it ("2.00 TB", "38 C", "57,288 h"), "-" for null. Owned by the node's arena. */
const char *ssd_node_text(const struct ssd_node *node);

#endif
