/* SPDX-License-Identifier: MIT */
/* What `format` and `sanitize` share: the permit for a scope, the session, the host's side afterwards. */
#ifndef SSDCT_CMD_MEDIA_COMMON_H
#define SSDCT_CMD_MEDIA_COMMON_H

#include <ssdct/cli.h>
#include <ssdct/media.h>
#include <ssdct/safety.h>

struct media_change {
	struct ssd_run *run;
	struct ssd_row *row;
	struct ssd_device *dev;
	const char *what; /* for question and journal */
	uint8_t opcode;
	const struct media_facts *facts; /* the plan was made with these */
	const struct media_scope *scope;
	bool reads;           /* then a block of each namespace in the scope is read: a drive may be done, and broken */
	struct ssd_node *doc; /* gets what became of it */
	int (*act)(struct media_change *c, const struct media_job *job, struct media_outcome *out, struct ssd_err *err);
	const void *plan;
};
/*
 * Reads block 0 of the namespaces that were formatted, as far as that can be done, into the document. Returns 0, or -1 with
 * *err set when one cannot be read.
 */
int media_read_back(struct media_change *c, const struct media_outcome *out, struct ssd_err *err);
/*
 * Permit, the drive looked at once more, the deed with signals blocked, and when it is done the host reads namespaces and
 * partition tables anew. Returns 0 (with --dry-run: it could be done), or -1 with row->err set; the document says how far
 * it came.
 */
int media_change_run(struct media_change *c);

/* Members that both documents have: result, scope, commands, ... */
#define MEDIA_COMMON_FIELDS                                                                                         \
	{"scope", "Namespaces", "Namespaces that lose their data", SSD_LIST, .sub = media_scope_fields},            \
		{"commands", "Commands", "That were sent, or with --dry-run would be", SSD_UINT},                   \
		{"timeout_seconds", "Timeout", "Given to the kernel", SSD_UINT, SSD_SECONDS},                       \
		{"seconds", "Seconds", "From the command to the verification", SSD_REAL, SSD_SECONDS},              \
		{"host_refresh", "Host",                                                                            \
		 "done: the kernel has read namespaces and partition tables anew; failed; null: not attempted",     \
		 SSD_STR},                                                                                          \
		{"steps", "Steps", "What is sent", SSD_LIST, .flags = SSD_QUIET, .sub = media_text_item},           \
	{                                                                                                           \
		"notes", "Notes", "What the user should know", SSD_LIST, .flags = SSD_QUIET, .sub = media_text_item \
	}
extern const struct ssd_field media_scope_fields[], media_text_item[];

void media_doc_scope(struct ssd_node *doc, const struct ssd_drive *drive, const struct media_facts *facts,
		     const struct media_scope *scope);
void media_doc_outcome(struct ssd_node *doc, const struct media_outcome *out);
void media_doc_cmd(struct ssd_node *doc, const struct ssd_cmd *cmd);
void media_doc_note(struct ssd_node *doc, const char *note);
/* "4096 B (format 3)", "4096 + 8 B (format 4, protection type 1)". */
const char *media_format_text(const struct ssd_node *format, char *buf, size_t size);
/* The result and what it means, by a table that ends with NULL. */
struct media_result_text {
	const char *result, *meaning;
};
void media_result_text(const struct ssd_node *doc, const struct media_result_text *table, FILE *out);
/* Scope, steps and notes of one row. */
void media_text(const struct ssd_run *run, const struct ssd_node *doc, FILE *out);

#endif
