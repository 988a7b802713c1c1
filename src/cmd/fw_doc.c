/* SPDX-License-Identifier: MIT */
/* The document of the firmware commands, and its text. */
#include "fw_common.h"

static const struct ssd_field text_item[] = {{NULL, NULL, NULL, SSD_STR}, SSD_FIELD_END};

static const struct ssd_field slot_fields[] = {
	{"slot", "Slot", NULL, SSD_UINT, .flags = SSD_ALWAYS},
	{"revision", "Revision", "Firmware revision; null: the slot is empty", SSD_STR},
	{"running", "Running", NULL, SSD_BOOL, .flags = SSD_ALWAYS},
	{"next", "Next", "Runs after the next reset", SSD_BOOL, .flags = SSD_ALWAYS},
	{"read_only", "Read-only", NULL, SSD_BOOL, .flags = SSD_ALWAYS},
	SSD_FIELD_END,
};

static const struct ssd_field image_fields[] = {
	{"path", "File", NULL, SSD_STR, .flags = SSD_ALWAYS},
	{"size_bytes", "Size", "Bytes of the image itself, without what it was packed in", SSD_UINT, SSD_BYTES},
	{"sha256", "SHA-256", "Of the image itself", SSD_STR},
	{"member", "Member", "Its name in the archive", SSD_STR},
	{"version", "Version", "What the archive's metadata say", SSD_STR},
	SSD_FIELD_END,
};

static const struct ssd_field members[] = {
	{"running", "Running slot", "Slot whose firmware runs", SSD_UINT},
	{"next", "Next slot", "Slot whose firmware runs after the next reset; null: nothing is pending", SSD_UINT},
	{"slots", "Slots", "null, as running and next: the drive did not come back to be asked", SSD_LIST,
	 .sub = slot_fields},
	{"update_supported", "Can be updated", "OACS bit 2: Firmware Commit and Firmware Image Download", SSD_BOOL},
	{"slot_count", "Number of slots", "FRMW bits 3:1", SSD_UINT},
	{"activation_without_reset", "Activates without a reset", "FRMW bit 4", SSD_BOOL},
	{"granularity_bytes", "Granularity", "FWUG; null: the drive does not say", SSD_UINT, SSD_BYTES},
	{"activation_seconds", "Longest activation", "MTFA; null: the drive does not say", SSD_REAL, SSD_SECONDS},
	{"result", "Result",
	 "active, stored, already_current, pending_controller_reset, pending_subsystem_reset, "
	 "pending_conventional_reset, pending_power_cycle, unchanged, not_applied, not_attempted, dry_run; null: none, "
	 "or "
	 "not known",
	 SSD_STR},
	{"before", "Before", "Revision that ran before", SSD_STR},
	{"after", "After", "Revision that runs now, as the drive says", SSD_STR},
	{"slot", "Slot", "Target of the commit; 0: the drive chooses", SSD_UINT},
	{"action", "Commit action", NULL, SSD_UINT},
	{"image", "Image", NULL, SSD_OBJ, .sub = image_fields},
	{"commands", "Commands", "Downloads and commits that were sent, or with --dry-run would be", SSD_UINT},
	{"seconds", "Seconds", "From the first command to the verification", SSD_REAL, SSD_SECONDS},
	{"chunk_bytes", "Pieces of", NULL, SSD_UINT, SSD_BYTES},
	{"steps", "Steps", "What is sent", SSD_LIST, .flags = SSD_QUIET, .sub = text_item},
	{"notes", "Notes", "What the user should know", SSD_LIST, .flags = SSD_QUIET, .sub = text_item},
	SSD_FIELD_END,
};

const struct ssd_field fw_fields[] = {
	{"fw", "Firmware", NULL, SSD_OBJ, .sub = members},
	SSD_FIELD_END,
};

struct ssd_node *fw_doc(struct ssd_row *row)
{
	struct ssd_node *fw = ssd_get_mutable(row->element, "fw");

	return fw ? fw : ssd_set_obj(row->element, "fw");
}

static void add_slot(struct ssd_node *list, const struct fw_facts *f, unsigned slot, unsigned next)
{
	struct ssd_node *item = ssd_add_item(list);

	ssd_set_uint(item, "slot", slot);
	ssd_set_str(item, "revision", f->revisions[slot - 1]);
	ssd_set_bool(item, "running", slot == fw_running_slot(f));
	ssd_set_bool(item, "next", slot == next);
	ssd_set_bool(item, "read_only", slot == 1 && f->frmw & 1);
}

/* AFI may name the running slot as the next one: nothing is pending then, unless another revision was written there. */
static unsigned pending_slot(const struct fw_facts *f)
{
	unsigned next = fw_next_slot(f);

	if (next && next == fw_running_slot(f) && !strcmp(f->revisions[next - 1], f->running_revision))
		return 0;
	return next;
}

static void add_slots(struct ssd_node *fw, const struct fw_facts *f)
{
	struct ssd_node *list = ssd_set_list(fw, "slots");
	unsigned next = pending_slot(f);

	for (unsigned slot = 1; slot <= FW_SLOTS; slot++)
		if (slot <= fw_slot_count(f) || *f->revisions[slot - 1] || slot == fw_running_slot(f) || slot == next)
			add_slot(list, f, slot, next);
	if (fw_running_slot(f))
		ssd_set_uint(fw, "running", fw_running_slot(f));
	if (next)
		ssd_set_uint(fw, "next", next);
	else if (ssd_get(fw, "next"))
		ssd_attach_null(fw, ssd_get(fw, "next")->field);
}

/* Nobody knows any more: the drive did not come back to be asked. */
static void forget_slots(struct ssd_node *fw)
{
	static const char *const keys[] = {"running", "next", "slots"};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (ssd_get(fw, keys[i]))
			ssd_attach_null(fw, ssd_get(fw, keys[i])->field);
}

void fw_doc_facts(struct ssd_row *row, const struct fw_facts *f)
{
	struct ssd_node *fw = fw_doc(row);

	if (f->slots_known)
		add_slots(fw, f);
	else
		forget_slots(fw);
	ssd_set_bool(fw, "update_supported", f->oacs & 4);
	ssd_set_uint(fw, "slot_count", fw_slot_count(f));
	ssd_set_bool(fw, "activation_without_reset", fw_activates_live(f));
	if (f->fwug && f->fwug != 0xff)
		ssd_set_uint(fw, "granularity_bytes", f->fwug * 4096u);
	if (f->mtfa_100ms)
		ssd_set_real(fw, "activation_seconds", f->mtfa_100ms / 10.0);
}

void fw_doc_image(struct ssd_row *row, const struct fw_image *image)
{
	struct ssd_node *n = ssd_set_obj(fw_doc(row), "image");

	ssd_set_str(n, "path", image->path);
	ssd_set_uint(n, "size_bytes", image->size);
	ssd_set_str(n, "sha256", image->sha256);
	ssd_set_str(n, "member", image->member);
	ssd_set_str(n, "version", image->version);
}

void fw_doc_note(struct ssd_row *row, const char *note)
{
	struct ssd_node *fw = fw_doc(row), *list = ssd_get_mutable(fw, "notes");

	ssd_add_str(list ? list : ssd_set_list(fw, "notes"), note);
}

/* The commands with their dwords, so that a trace can be compared with them. */
static void add_steps(struct ssd_node *list, const struct fw_plan *plan, bool commit)
{
	struct ssd_cmd first, last;
	char text[200];

	if (plan->chunks == 1) {
		fw_plan_download_cmd(plan, 0, &first);
		snprintf(text, sizeof(text),
			 "Firmware Image Download (11h), once: %zu bytes, cdw11 (offset) 0x%x, cdw10 0x%x",
			 plan->padded_size, first.cdw11, first.cdw10);
		ssd_add_str(list, text);
	} else if (plan->chunks) {
		fw_plan_download_cmd(plan, 0, &first);
		fw_plan_download_cmd(plan, plan->chunks - 1, &last);
		snprintf(text, sizeof(text),
			 "Firmware Image Download (11h), %zu times: %zu bytes in pieces of %u, cdw11 (offset) 0x%x to "
			 "0x%x, "
			 "cdw10 0x%x, the last 0x%x",
			 plan->chunks, plan->padded_size, plan->chunk_bytes, first.cdw11, last.cdw11, first.cdw10,
			 last.cdw10);
		ssd_add_str(list, text);
	}
	if (!commit)
		return;
	fw_plan_commit_cmd(plan, &last);
	snprintf(text, sizeof(text), "Firmware Commit (10h): slot %u, action %u, cdw10 0x%x, timeout %u s", plan->slot,
		 plan->action, last.cdw10, ssd_timeout_ms(last.opcode) / 1000);
	ssd_add_str(list, text);
}

void fw_doc_plan(struct ssd_row *row, const struct fw_plan *plan, enum fw_activate activate)
{
	struct ssd_node *fw = fw_doc(row);
	bool commit = plan->commits;

	if (commit) {
		ssd_set_uint(fw, "slot", plan->slot);
		ssd_set_uint(fw, "action", plan->action);
	}
	if (plan->chunks)
		ssd_set_uint(fw, "chunk_bytes", plan->chunk_bytes);
	add_steps(ssd_set_list(fw, "steps"), plan, commit);
	if (commit && activate == FW_RESET && !(plan->quirks & FW_QUIRK_POWER_CYCLE))
		ssd_add_str(ssd_get_mutable(fw, "steps"),
			    "controller reset, if the drive's answer says that it is enough");
	for (size_t i = 0; i < plan->n_notes; i++)
		fw_doc_note(row, plan->notes[i]);
	ssd_set_uint(fw, "commands", plan->chunks + commit);
}

void fw_doc_outcome(struct ssd_row *row, const struct fw_outcome *o)
{
	struct ssd_node *fw = fw_doc(row);

	ssd_set_str(fw, "result", fw_result_word(o->result));
	ssd_set_str(fw, "before", o->before);
	ssd_set_str(fw, "after", o->after);
	ssd_set_uint(fw, "commands", o->commands);
	ssd_set_real(fw, "seconds", o->seconds);
	if (o->slot)
		ssd_set_uint(fw, "slot", o->slot);
	for (size_t i = 0; i < o->n_notes; i++)
		fw_doc_note(row, o->notes[i]);
	if (*o->after)
		fw_doc_facts(row, &o->facts);
	else if (o->stale)
		forget_slots(fw);
}

/* --- text --- */

static void slots_text(const struct ssd_node *fw, FILE *out)
{
	static const struct ssd_column columns[] = {{"SLOT", true}, {"REVISION"}, {"STATE"}};
	const struct ssd_node *list = ssd_get(fw, "slots");
	struct ssd_table *t;

	if (!list || !list->child)
		return;
	t = ssd_table_new(columns, ARRAY_SIZE(columns));
	for (const struct ssd_node *n = list->child; n; n = n->next) {
		bool running = ssd_get_int(n, "running", 0), next = ssd_get_int(n, "next", 0);
		bool read_only = ssd_get_int(n, "read_only", 0);
		char slot[8], state[64];

		snprintf(slot, sizeof(slot), "%u", (unsigned)ssd_get_int(n, "slot", 0));
		snprintf(state, sizeof(state), "%s%s%s%s%s", running ? "running" : "", running && next ? ", " : "",
			 next ? "next, after a reset" : "", read_only && (running || next) ? ", " : "",
			 read_only ? "read-only" : "");
		ssd_table_row(t, (const char *const[]){slot, ssd_get_str(n, "revision", NULL), state});
	}
	ssd_table_print(t, out, "  ");
	ssd_table_free(t);
}

void fw_status_text(const struct ssd_run *run, FILE *out)
{
	static const char *const keys[] = {"update_supported", "activation_without_reset", "granularity_bytes",
					   "activation_seconds"};

	for (size_t i = 0; i < run->n_rows; i++) {
		const struct ssd_node *fw = ssd_get(run->rows[i].element, "fw");

		if (ssd_failed(&run->rows[i].err) || !fw)
			continue;
		ssd_text_title(run, &run->rows[i], out);
		slots_text(fw, out);
		for (size_t k = 0; k < ARRAY_SIZE(keys); k++)
			if (ssd_get(fw, keys[k]))
				fprintf(out, "  %-26s %s\n", ssd_get(fw, keys[k])->field->label,
					ssd_node_text(ssd_get(fw, keys[k])));
	}
}

/* What a result means and what is left to do. */
static const struct {
	const char *result, *text;
} meanings[] = {
	{"active", "runs now"},
	{"stored", "is stored; nothing is activated"},
	{"already_current", "runs already; nothing was sent"},
	{"pending_controller_reset", "runs after a controller reset (ssdct reset), at the latest after a power cycle"},
	{"pending_subsystem_reset", "runs after an NVM subsystem reset (ssdct reset --subsystem) or a power cycle"},
	{"pending_conventional_reset", "runs after a conventional PCIe reset, in practice after a power cycle"},
	{"pending_power_cycle", "runs after the drive has been without power: switch the machine off and on"},
	{"unchanged", "was accepted, but the drive is as it was"},
	{"not_applied", "was not applied"},
	{"not_attempted", "was not attempted, as an earlier drive failed"},
};

static void list_text(const struct ssd_node *fw, const char *key, FILE *out)
{
	const struct ssd_node *list = ssd_get(fw, key);

	for (const struct ssd_node *n = list ? list->child : NULL; n; n = n->next)
		fprintf(out, "  %s%s\n", strcmp(key, "notes") ? "" : "note: ", n->s);
}

static const char *meaning_of(const char *result)
{
	for (size_t i = 0; i < ARRAY_SIZE(meanings); i++)
		if (!strcmp(meanings[i].result, result))
			return meanings[i].text;
	return NULL;
}

void fw_note_outcome(const struct ssd_run *run, const struct ssd_row *row)
{
	const char *text = meaning_of(ssd_get_str(row->element, "fw.result", ""));

	if (text)
		ssd_note(run, "%s: the new firmware %s", row->target.drive->device, text);
}

/* Of steps that lead to no result: the download alone, a reset. */
static void done_text(const struct ssd_row *row, const struct ssd_node *fw, FILE *out)
{
	const struct ssd_node *steps = ssd_get(fw, "steps");

	if (ssd_get(fw, "image"))
		fprintf(out, "  downloaded: %s\n  next: ssdct fw commit %s --slot N --action 0..3\n",
			ssd_node_text(ssd_get(fw, "image.size_bytes")), row->target.drive->device);
	else if (steps && steps->child)
		fprintf(out, "  %s: done\n", steps->child->s);
}

static void result_text(const struct ssd_run *run, const struct ssd_row *row, const struct ssd_node *fw, FILE *out)
{
	const char *result = ssd_get_str(fw, "result", ""), *before = ssd_get_str(fw, "before", NULL),
		   *after = ssd_get_str(fw, "after", NULL), *text = meaning_of(result);

	if (!strcmp(result, "dry_run"))
		fprintf(out, "  dry_run: %s\n",
			ssd_get(fw, "action") || ssd_get(fw, "image") ? "this is what would be sent; nothing was"
								      : "nothing was sent");
	else if (text && !run->globals.dry_run) /* a plan that was refused has applied nothing, of course */
		fprintf(out, "  %s: the %s firmware %s\n", result, run->command == &fw_activate ? "chosen" : "new",
			text);
	else if (!*result && !ssd_failed(&row->err) && !ssd_get(fw, "action"))
		done_text(row, fw, out);
	if (before && after)
		fprintf(out, "  running: %s before, %s now\n", before, after);
	else if (before || after)
		fprintf(out, "  running: %s\n", before ? before : after);
}

void fw_change_text(const struct ssd_run *run, FILE *out)
{
	for (size_t i = 0; i < run->n_rows; i++) {
		const struct ssd_node *fw = ssd_get(run->rows[i].element, "fw");

		if (!fw)
			continue;
		ssd_text_title(run, &run->rows[i], out);
		if (run->globals.dry_run)
			list_text(fw, "steps", out);
		result_text(run, &run->rows[i], fw, out);
		list_text(fw, "notes", out);
		if (ssd_get_str(fw, "after", NULL))
			slots_text(fw, out);
	}
}
