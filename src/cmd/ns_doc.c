/* SPDX-License-Identifier: MIT */
/* The documents of `namespace` and `provision`, and their text. */
#include "ns_common.h"

#include <inttypes.h>

static const struct ssd_field text_item[] = {{NULL, NULL, NULL, SSD_STR}, SSD_FIELD_END};

static const struct ssd_field controller_item[] = {
	{"controller_id", "Controller", "CNTLID", SSD_UINT, .flags = SSD_ALWAYS},
	{"device", "Device", "Its name on this host; null: this host does not have it", SSD_STR},
	SSD_FIELD_END,
};

static const struct ssd_field changed_item[] = {
	{"nsid", "Namespace", "4294967295: more than fit", SSD_UINT, .flags = SSD_ALWAYS},
	SSD_FIELD_END,
};

static const struct ssd_field namespace_item[] = {
	{"nsid", "Namespace", NULL, SSD_UINT, .flags = SSD_ALWAYS},
	{"device", "Device", "Its block device on this host", SSD_STR},
	{"attached", "Attached", "To this controller", SSD_BOOL, .flags = SSD_ALWAYS},
	{"controllers", "Controllers", "That have it; null: the drive does not say", SSD_LIST, .sub = controller_item},
	{"shared", "Shared", "NMIC bit 0: more than one controller may have it", SSD_BOOL},
	{"size_blocks", "Blocks", "NSZE", SSD_UINT},
	{"size_bytes", "Size", "NSZE x block", SSD_UINT, SSD_BYTES},
	{"capacity_blocks", "Capacity in blocks", "NCAP", SSD_UINT},
	{"allocated_bytes", "Takes", "NVMCAP; null: the drive does not say", SSD_UINT, SSD_BYTES},
	{"lba_format", "LBA format", "Number of the format in use", SSD_UINT},
	{"block_bytes", "Block", "LBA data size", SSD_UINT, SSD_BYTES},
	{"metadata_bytes", "Metadata", "Metadata per block", SSD_UINT},
	{"nguid", "NGUID", NULL, SSD_STR},
	{"eui64", "EUI64", NULL, SSD_STR},
	SSD_FIELD_END,
};

const struct ssd_field ns_host_fields[] = {
	{"rescanned", "Rescanned", "The kernel has been asked to read the namespaces anew", SSD_BOOL,
	 .flags = SSD_ALWAYS},
	{"agrees", "Agrees", "Namespaces and sizes on this host are those of the drive; null: not known", SSD_BOOL},
	{"message", "Message", "What failed, or the first difference", SSD_STR},
	SSD_FIELD_END,
};

#define STEPS_AND_NOTES                                                                                          \
	{"steps", "Steps", "What is sent", SSD_LIST, .flags = SSD_QUIET, .sub = text_item},                      \
		{"notes", "Notes", "What the user should know", SSD_LIST, .flags = SSD_QUIET, .sub = text_item}, \
		{"changed_namespaces",                                                                           \
		 "Changed namespaces",                                                                           \
		 "Log page 04h, the first of them; null: not read",                                              \
		 SSD_LIST,                                                                                       \
		 .flags = SSD_QUIET,                                                                             \
		 .sub = changed_item},                                                                           \
	{                                                                                                        \
		"host", "This host", "What it has made of the change; null: nothing was changed", SSD_OBJ,       \
			.sub = ns_host_fields                                                                    \
	}

static const struct ssd_field members[] = {
	{"management", "Namespace management", "OACS bit 3", SSD_BOOL},
	{"controller_id", "Controller ID", "Of the controller that was asked", SSD_UINT},
	{"controllers", "Controllers", "Of the drive; null: it does not say", SSD_LIST, .sub = controller_item},
	{"total_bytes", "Total capacity", "TNVMCAP; null: the drive does not say", SSD_WIDE, SSD_BYTES},
	{"unallocated_bytes", "Unallocated capacity", "UNVMCAP; null: the drive does not say", SSD_WIDE, SSD_BYTES},
	{"max_namespaces", "Largest namespace number", "NN", SSD_UINT},
	{"size_granularity_bytes", "Size granularity", "Identify CNS 16h; null: the drive does not say", SSD_UINT,
	 SSD_BYTES},
	{"capacity_granularity_bytes", "Capacity granularity", "Identify CNS 16h; null: the drive does not say",
	 SSD_UINT, SSD_BYTES},
	{"allocated_known", "Allocated namespaces known", "Else only those attached to this controller are listed",
	 SSD_BOOL},
	{"namespaces", "Namespaces", "null: not known after a change whose result could not be read", SSD_LIST,
	 .sub = namespace_item},
	{"result", "Result",
	 "created, deleted, attached, detached, already_attached, already_detached, not_applied, partly_applied, "
	 "dry_run; null: none, or not known",
	 SSD_STR},
	{"nsid", "Namespace", "That was created, deleted, attached or detached; null: none, or several", SSD_UINT},
	STEPS_AND_NOTES,
	SSD_FIELD_END,
};

const struct ssd_field ns_fields[] = {
	{"namespace", "Namespaces", NULL, SSD_OBJ, .sub = members},
	SSD_FIELD_END,
};

static const struct ssd_field provision_members[] = {
	{"result", "Result",
	 "provisioned, already_so, pending_power_cycle, not_applied, partly_applied, dry_run; null: not known",
	 SSD_STR},
	{"method", "Method", "max_lba (features C1h and C2h) or namespaces (delete and create)", SSD_STR},
	{"unit", "Unit", "What feature C1h counts, found by comparison with NSZE: last_lba or blocks", SSD_STR},
	{"nsid", "Namespace", NULL, SSD_UINT},
	{"block_bytes", "Block", NULL, SSD_UINT, SSD_BYTES},
	{"native_blocks", "Native blocks", "The largest that is possible; null: not known", SSD_UINT},
	{"native_bytes", "Native size", NULL, SSD_UINT, SSD_BYTES},
	{"before_blocks", "Blocks before", NULL, SSD_UINT},
	{"before_bytes", "Size before", NULL, SSD_UINT, SSD_BYTES},
	{"size_blocks", "Blocks wanted", NULL, SSD_UINT},
	{"size_bytes", "Size wanted", NULL, SSD_UINT, SSD_BYTES},
	{"after_blocks", "Blocks now", "As the drive says; null: not read again", SSD_UINT},
	{"after_bytes", "Size now", NULL, SSD_UINT, SSD_BYTES},
	{"controller_reset", "Controller was reset", "The drive showed the new size after that only", SSD_BOOL},
	STEPS_AND_NOTES,
	SSD_FIELD_END,
};

const struct ssd_field ns_provision_fields[] = {
	{"provision", "Provisioning", NULL, SSD_OBJ, .sub = provision_members},
	SSD_FIELD_END,
};

static uint64_t bytes_of(uint64_t blocks, uint32_t block_bytes)
{
	return block_bytes && blocks > UINT64_MAX / block_bytes ? UINT64_MAX : blocks * block_bytes;
}

const char *ns_size_text(uint64_t blocks, uint32_t block_bytes, char buf[96])
{
	char human[32];

	snprintf(buf, 96, "%s, %" PRIu64 " blocks of %" PRIu32 " bytes",
		 ssd_bytes_text((double)bytes_of(blocks, block_bytes), human), blocks, block_bytes);
	return buf;
}

/* --- facts --- */

static const char *device_of(const struct ssd_drive *drive, unsigned controller)
{
	const struct ssd_host *host = drive->host;

	for (size_t i = 0; i < host->n_drives; i++) {
		const struct ssd_drive *d = &host->drives[i];

		if ((d == drive || ssd_same_subsystem(d, drive)) && d->cntlid == (int)controller)
			return d->device;
	}
	return NULL;
}

static void add_controllers(struct ssd_node *obj, const struct ssd_drive *drive, const struct ssd_controllers *list)
{
	struct ssd_node *out = ssd_set_list(obj, "controllers");

	for (unsigned i = 0; i < list->n; i++) {
		struct ssd_node *item = ssd_add_item(out);

		ssd_set_uint(item, "controller_id", list->ids[i]);
		ssd_set_str(item, "device", device_of(drive, list->ids[i]));
	}
}

static void set_hex(struct ssd_node *obj, const char *key, const uint8_t *bytes, size_t n)
{
	char text[40] = "";
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
		any |= bytes[i];
	}
	ssd_set_str(obj, key, any ? text : NULL);
}

static const char *node_of(const struct ssd_drive *drive, uint32_t nsid)
{
	for (size_t i = 0; i < drive->n_namespaces; i++)
		if (drive->namespaces[i].nsid == nsid)
			return drive->namespaces[i].device;
	return NULL;
}

static void add_namespace(struct ssd_node *list, const struct ssd_drive *drive, const struct ns_info *ns)
{
	struct ssd_node *item = ssd_add_item(list);

	ssd_set_uint(item, "nsid", ns->nsid);
	ssd_set_str(item, "device", ns->attached ? node_of(drive, ns->nsid) : NULL);
	ssd_set_bool(item, "attached", ns->attached);
	if (ns->controllers_known)
		add_controllers(item, drive, &ns->controllers);
	ssd_set_bool(item, "shared", ns->nmic & 1);
	ssd_set_uint(item, "size_blocks", ns->nsze);
	ssd_set_uint(item, "capacity_blocks", ns->ncap);
	if (ns->nvmcap)
		ssd_set_uint(item, "allocated_bytes", ns->nvmcap);
	ssd_set_uint(item, "lba_format", ns->format);
	if (ns->block_bytes) {
		ssd_set_uint(item, "size_bytes", bytes_of(ns->nsze, ns->block_bytes));
		ssd_set_uint(item, "block_bytes", ns->block_bytes);
		ssd_set_uint(item, "metadata_bytes", ns->metadata_bytes);
	}
	set_hex(item, "nguid", ns->nguid, sizeof(ns->nguid));
	set_hex(item, "eui64", ns->eui64, sizeof(ns->eui64));
}

/* Names of nodes come from the host as it is now, not from when the command began. */
static const struct ssd_drive *same_drive(const struct ssd_host *host, const struct ssd_drive *drive)
{
	for (size_t i = 0; host && i < host->n_drives; i++)
		if (!strcmp(host->drives[i].device, drive->device))
			return &host->drives[i];
	return drive;
}

void ns_doc_facts(const struct ssd_run *run, struct ssd_node *obj, const struct ssd_drive *drive,
		  const struct ns_facts *f)
{
	struct ssd_err unused = SSD_ERR_INIT;
	struct ssd_host *now = ssd_host_scan(run->host->dir, &unused);
	struct ssd_node *list = ssd_set_list(obj, "namespaces");

	drive = same_drive(now, drive);
	ssd_set_bool(obj, "management", f->managed);
	ssd_set_uint(obj, "controller_id", f->controller_id);
	if (f->controllers.n)
		add_controllers(obj, drive, &f->controllers);
	if (f->capacity_known) {
		ssd_set_wide(obj, "total_bytes", f->total);
		ssd_set_wide(obj, "unallocated_bytes", f->unused);
	}
	ssd_set_uint(obj, "max_namespaces", f->most);
	if (f->size_granularity)
		ssd_set_uint(obj, "size_granularity_bytes", f->size_granularity);
	if (f->capacity_granularity)
		ssd_set_uint(obj, "capacity_granularity_bytes", f->capacity_granularity);
	ssd_set_bool(obj, "allocated_known", f->allocated);
	for (size_t i = 0; i < f->n; i++)
		add_namespace(list, drive, &f->namespaces[i]);
	ssd_host_free(now);
}

/* --- changes --- */

void ns_doc_note(struct ssd_node *obj, const char *note)
{
	struct ssd_node *list = ssd_get_mutable(obj, "notes");

	ssd_add_str(list ? list : ssd_set_list(obj, "notes"), note);
}

void ns_doc_plan(struct ssd_node *obj, const struct ns_plan *plan)
{
	struct ssd_node *list = ssd_set_list(obj, "steps");
	char text[400];

	for (size_t i = 0; i < plan->n_steps; i++) {
		ns_step_text(&plan->steps[i], text, sizeof(text));
		ssd_add_str(list, text);
	}
	for (size_t i = 0; i < plan->n_notes; i++)
		ns_doc_note(obj, plan->notes[i]);
}

void ns_doc_host(struct ssd_node *obj, const struct ns_host *host)
{
	ssd_set_bool(obj, "rescanned", host->rescanned);
	if (host->compared)
		ssd_set_bool(obj, "agrees", host->agrees);
	ssd_set_str(obj, "message", host->message);
}

void ns_doc_change(struct ssd_node *obj, const struct ns_change *c)
{
	if (!c->outcome.sent)
		return;
	ns_doc_host(ssd_set_obj(obj, "host"), &c->host);
	if (*c->outcome.note)
		ns_doc_note(obj, c->outcome.note);
	if (!c->changed_known)
		return;
	for (size_t i = 0; i <= c->n_changed; i++) {
		struct ssd_node *list = ssd_get_mutable(obj, "changed_namespaces");

		if (!list)
			list = ssd_set_list(obj, "changed_namespaces");
		if (i < c->n_changed)
			ssd_set_uint(ssd_add_item(list), "nsid", c->changed[i]);
	}
}

/* --- text --- */

static void list_text(const struct ssd_node *obj, const char *key, const char *prefix, FILE *out)
{
	const struct ssd_node *list = ssd_get(obj, key);

	for (const struct ssd_node *n = list ? list->child : NULL; n; n = n->next)
		fprintf(out, "  %s%s\n", prefix, n->s);
}

static void controllers_text(const struct ssd_node *ns, char *buf, size_t size)
{
	const struct ssd_node *list = ssd_get(ns, "controllers");
	size_t len = 0;

	ssd_strcpy(buf, size, !list && ssd_get_int(ns, "attached", 0) ? "this one" : "-");
	for (const struct ssd_node *n = list ? list->child : NULL; n && len + 40 < size; n = n->next)
		len += (size_t)snprintf(buf + len, size - len, "%s%s%s%u%s", len ? ", " : "",
					ssd_get_str(n, "device", ""), ssd_get_str(n, "device", NULL) ? " (" : "",
					(unsigned)ssd_get_int(n, "controller_id", 0),
					ssd_get_str(n, "device", NULL) ? ")" : "");
}

static void namespaces_text(const struct ssd_node *obj, FILE *out)
{
	static const struct ssd_column columns[] = {{"NSID", true},   {"DEVICE"},      {"SIZE", true},
						    {"BLOCKS", true}, {"BLOCK", true}, {"METADATA", true},
						    {"SHARED"},       {"ATTACHED TO"}};
	struct ssd_table *t = ssd_table_new(columns, ARRAY_SIZE(columns));
	const struct ssd_node *list = ssd_get(obj, "namespaces");

	for (const struct ssd_node *n = list ? list->child : NULL; n; n = n->next) {
		char nsid[16], size[32], blocks[24], block[24], controllers[160];

		snprintf(nsid, sizeof(nsid), "%u", (unsigned)ssd_get_int(n, "nsid", 0));
		snprintf(blocks, sizeof(blocks), "%" PRId64, ssd_get_int(n, "size_blocks", 0));
		snprintf(block, sizeof(block), "%" PRId64, ssd_get_int(n, "block_bytes", 0));
		ssd_bytes_text((double)ssd_get_int(n, "size_bytes", 0), size);
		controllers_text(n, controllers, sizeof(controllers));
		ssd_table_row(t, (const char *const[]){nsid, ssd_get_str(n, "device", NULL), size, blocks, block,
						       ssd_node_text(ssd_get(n, "metadata_bytes")),
						       ssd_get_int(n, "shared", 0) ? "yes" : "no", controllers});
	}
	if (list && list->child)
		ssd_table_print(t, out, "  ");
	else if (list)
		fputs("  no namespaces\n", out);
	ssd_table_free(t);
}

static void capacity_text(const struct ssd_node *obj, FILE *out)
{
	static const char *const keys[] = {"total_bytes", "unallocated_bytes", "size_granularity_bytes",
					   "capacity_granularity_bytes", "management"};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (ssd_get(obj, keys[i]))
			fprintf(out, "  %-22s %s\n", ssd_get(obj, keys[i])->field->label,
				ssd_node_text(ssd_get(obj, keys[i])));
}

void ns_list_text(const struct ssd_run *run, FILE *out)
{
	for (size_t i = 0; i < run->n_rows; i++) {
		const struct ssd_node *obj = ssd_get(run->rows[i].element, "namespace");

		if (ssd_failed(&run->rows[i].err) || !obj)
			continue;
		ssd_text_title(run, &run->rows[i], out);
		namespaces_text(obj, out);
		capacity_text(obj, out);
	}
}

static void host_text(const struct ssd_node *obj, FILE *out)
{
	const struct ssd_node *host = ssd_get(obj, "host");

	if (!host)
		return;
	if (ssd_get_int(host, "agrees", 0))
		fputs("  this host: shows the same\n", out);
	else
		fprintf(out, "  this host: %s\n", ssd_get_str(host, "message", "not known"));
}

/* What a result means. */
static const struct {
	const char *result, *text;
} meanings[] = {
	{"created", "the drive shows it"},
	{"deleted", "the drive shows it"},
	{"attached", "the drive shows it"},
	{"detached", "the drive shows it"},
	{"already_attached", "it was so; nothing was sent"},
	{"already_detached", "it was so; nothing was sent"},
	{"provisioned", "the drive shows it"},
	{"already_so", "the drive has this size; nothing was sent"},
	{"pending_power_cycle", "accepted; the drive shows it after it has been without power"},
	{"not_applied", "the drive is as it was"},
	{"partly_applied", "only some of the steps were carried out"},
	{"dry_run", "it would be sent like this; nothing was sent"},
};

static void result_text(const struct ssd_run *run, const struct ssd_node *obj, FILE *out)
{
	const char *result = ssd_get_str(obj, "result", "");
	char nsid[40] = "";

	if (ssd_get(obj, "nsid"))
		snprintf(nsid, sizeof(nsid), "namespace %u: ", (unsigned)ssd_get_int(obj, "nsid", 0));
	if (run->globals.dry_run)
		list_text(obj, "steps", "", out);
	for (size_t i = 0; i < ARRAY_SIZE(meanings); i++)
		if (!strcmp(meanings[i].result, result))
			fprintf(out, "  %s%s, %s\n", strcmp(result, "dry_run") ? nsid : "", result, meanings[i].text);
}

void ns_change_text(const struct ssd_run *run, FILE *out)
{
	for (size_t i = 0; i < run->n_rows; i++) {
		const struct ssd_node *obj = ssd_get(run->rows[i].element, "namespace");

		if (!obj)
			continue;
		ssd_text_title(run, &run->rows[i], out);
		result_text(run, obj, out);
		list_text(obj, "notes", "note: ", out);
		host_text(obj, out);
		namespaces_text(obj, out);
		capacity_text(obj, out);
	}
}

static void size_line(const struct ssd_node *obj, const char *label, const char *blocks, const char *bytes, FILE *out)
{
	if (ssd_get(obj, blocks))
		fprintf(out, "  %-7s %" PRId64 " blocks, %s\n", label, ssd_get_int(obj, blocks, 0),
			ssd_node_text(ssd_get(obj, bytes)));
}

void ns_provision_text(const struct ssd_run *run, FILE *out)
{
	for (size_t i = 0; i < run->n_rows; i++) {
		const struct ssd_node *obj = ssd_get(run->rows[i].element, "provision");

		if (!obj)
			continue;
		ssd_text_title(run, &run->rows[i], out);
		result_text(run, obj, out);
		size_line(obj, "native", "native_blocks", "native_bytes", out);
		size_line(obj, "before", "before_blocks", "before_bytes", out);
		size_line(obj, "wanted", "size_blocks", "size_bytes", out);
		size_line(obj, "now", "after_blocks", "after_bytes", out);
		list_text(obj, "notes", "note: ", out);
		host_text(obj, out);
	}
}
