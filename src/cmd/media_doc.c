/* SPDX-License-Identifier: MIT */
/* What the documents of `format` and `sanitize` have in common, and its text. */
#include "media_common.h"

const struct ssd_field media_text_item[] = {{NULL, NULL, NULL, SSD_STR}, SSD_FIELD_END};

static const struct ssd_field format_fields[] = {
	{"lba_format", "LBA format", "Its number", SSD_UINT},
	{"block_bytes", "Block size", NULL, SSD_UINT, SSD_BYTES},
	{"metadata_bytes", "Metadata per block", NULL, SSD_UINT, SSD_BYTES},
	{"extended_metadata", "Metadata at the end of each block", "Else in a buffer of their own", SSD_BOOL},
	{"protection_type", "Protection type", "End-to-end protection information; 0: none", SSD_UINT},
	{"protection_first", "Protection in the first bytes", "Of the metadata, else in the last", SSD_BOOL},
	{"size_bytes", "Size", NULL, SSD_UINT, SSD_BYTES},
	SSD_FIELD_END,
};

const struct ssd_field media_scope_fields[] = {
	{"nsid", "Namespace", NULL, SSD_UINT, .flags = SSD_ALWAYS},
	{"device", "Device", "Its node on this host", SSD_STR},
	{"attached", "Attached", "To this controller", SSD_BOOL, .flags = SSD_ALWAYS},
	{"formatted", "Formatted", "Gets the format; else it is erased only", SSD_BOOL, .flags = SSD_ALWAYS},
	{"before", "Before", "null: not known", SSD_OBJ, .sub = format_fields},
	{"after", "After", "As the drive says it is now; null: not formatted, or not known", SSD_OBJ,
	 .sub = format_fields},
	{"first_block_readable", "First block", "After a format: whether block 0 can be read; null: not tried",
	 SSD_BOOL},
	SSD_FIELD_END,
};

static void set_format(struct ssd_node *n, const struct media_ns *ns)
{
	const struct media_format *f = &ns->format;

	ssd_set_uint(n, "lba_format", f->index);
	ssd_set_uint(n, "size_bytes", media_bytes(ns));
	if (f->index >= ns->n_formats || !ns->formats[f->index].block_bytes)
		return;
	ssd_set_uint(n, "block_bytes", ns->formats[f->index].block_bytes);
	ssd_set_uint(n, "metadata_bytes", ns->formats[f->index].metadata_bytes);
	ssd_set_uint(n, "protection_type", f->protection);
	if (ns->formats[f->index].metadata_bytes)
		ssd_set_bool(n, "extended_metadata", f->extended);
	if (f->protection)
		ssd_set_bool(n, "protection_first", f->protection_first);
}

static const char *node_of(const struct ssd_drive *drive, uint32_t nsid)
{
	for (size_t i = 0; i < drive->n_namespaces; i++)
		if (drive->namespaces[i].nsid == nsid)
			return drive->namespaces[i].device;
	return NULL;
}

void media_doc_scope(struct ssd_node *doc, const struct ssd_drive *drive, const struct media_facts *facts,
		     const struct media_scope *scope)
{
	struct ssd_node *list = ssd_set_list(doc, "scope");

	for (size_t i = 0; i < scope->n; i++) {
		const struct media_ns *ns = media_find(facts, scope->nsids[i]);
		struct ssd_node *item = ssd_add_item(list);

		ssd_set_uint(item, "nsid", ns->nsid);
		ssd_set_str(item, "device", node_of(drive, ns->nsid));
		ssd_set_bool(item, "attached", ns->attached);
		ssd_set_bool(item, "formatted", scope->formatted[i]);
		if (ns->known)
			set_format(ssd_set_obj(item, "before"), ns);
	}
}

/* Formats as they are now; those that were not read stay null. */
static void doc_after(struct ssd_node *doc, const struct media_outcome *out)
{
	const struct ssd_node *list = ssd_get(doc, "scope");

	for (struct ssd_node *item = list ? list->child : NULL; item; item = item->next)
		for (size_t i = 0; i < out->n_after; i++)
			if (out->after[i].known && out->after[i].nsid == (uint32_t)ssd_get_int(item, "nsid", 0))
				set_format(ssd_set_obj(item, "after"), &out->after[i]);
}

void media_doc_note(struct ssd_node *doc, const char *note)
{
	struct ssd_node *list = ssd_get_mutable(doc, "notes");

	ssd_add_str(list ? list : ssd_set_list(doc, "notes"), note);
}

void media_doc_outcome(struct ssd_node *doc, const struct media_outcome *out)
{
	ssd_set_str(doc, "result", media_result_word(out->result));
	ssd_set_uint(doc, "commands", out->commands);
	ssd_set_real(doc, "seconds", out->seconds);
	if (*out->note)
		media_doc_note(doc, out->note);
	doc_after(doc, out);
}

/* With all that goes to the drive, so that a trace can be compared with it. */
void media_doc_cmd(struct ssd_node *doc, const struct ssd_cmd *cmd)
{
	struct ssd_node *list = ssd_get_mutable(doc, "steps");
	char text[160];

	snprintf(text, sizeof(text), "%s (%02Xh): nsid 0x%x, cdw10 0x%08x, cdw11 0x%08x, timeout %u s",
		 ssd_opcode_name(cmd->opcode), cmd->opcode, cmd->nsid, cmd->cdw10, cmd->cdw11, cmd->timeout_ms / 1000);
	ssd_add_str(list ? list : ssd_set_list(doc, "steps"), text);
	ssd_set_uint(doc, "timeout_seconds", cmd->timeout_ms / 1000);
}

/* --- text --- */

const char *media_format_text(const struct ssd_node *format, char *buf, size_t size)
{
	long long metadata = ssd_get_int(format, "metadata_bytes", 0), type = ssd_get_int(format, "protection_type", 0);
	size_t len = (size_t)snprintf(buf, size, "%lld", (long long)ssd_get_int(format, "block_bytes", 0));

	if (metadata)
		len += (size_t)snprintf(buf + len, size - len, " + %lld", metadata);
	len += (size_t)snprintf(buf + len, size - len, " B (format %lld",
				(long long)ssd_get_int(format, "lba_format", 0));
	if (metadata)
		len += (size_t)snprintf(buf + len, size - len, ", metadata %s",
					ssd_get_int(format, "extended_metadata", 0) ? "extended" : "separate");
	if (type)
		len += (size_t)snprintf(buf + len, size - len, ", protection type %lld", type);
	snprintf(buf + len, size - len, ")");
	return buf;
}

static void scope_text(const struct ssd_node *item, FILE *out)
{
	const struct ssd_node *before = ssd_get(item, "before"), *after = ssd_get(item, "after");
	const char *device = ssd_get_str(item, "device", NULL);
	char text[160];

	fprintf(out, "  namespace %lld (%s%s): ", (long long)ssd_get_int(item, "nsid", 0),
		device ? device : "no node here",
		ssd_get_int(item, "attached", 0) ? "" : ", not attached to this controller");
	fputs(before ? media_format_text(before, text, sizeof(text)) : "format not known", out);
	if (after)
		fprintf(out, " -> %s", media_format_text(after, text, sizeof(text)));
	fputc('\n', out);
}

static void list_text(const struct ssd_node *doc, const char *key, const char *prefix, FILE *out)
{
	const struct ssd_node *list = ssd_get(doc, key);

	for (const struct ssd_node *n = list ? list->child : NULL; n; n = n->next)
		fprintf(out, "  %s%s\n", prefix, n->s);
}

void media_result_text(const struct ssd_node *doc, const struct media_result_text *table, FILE *out)
{
	const char *result = ssd_get_str(doc, "result", "");

	for (; table->result; table++)
		if (!strcmp(table->result, result))
			fprintf(out, "  %s: %s\n", result, table->meaning);
}

void media_text(const struct ssd_run *run, const struct ssd_node *doc, FILE *out)
{
	const struct ssd_node *list = ssd_get(doc, "scope");

	for (const struct ssd_node *n = list ? list->child : NULL; n; n = n->next)
		scope_text(n, out);
	if (run->globals.dry_run)
		list_text(doc, "steps", "", out);
	list_text(doc, "notes", "note: ", out);
	if (ssd_get_str(doc, "host_refresh", NULL))
		fprintf(out, "  host refresh: %s\n", ssd_get_str(doc, "host_refresh", ""));
}
