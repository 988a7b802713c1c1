/* SPDX-License-Identifier: MIT */
/* The plan of a format: from facts and options to the commands that will be sent, or to the reason why none will. */
#include "media/media.h"

#define OACS_FORMAT 2u
/* MC and DPC of Identify Namespace: NVM Express NVM Command Set Specification 1.0c, figure 97. */
enum { MC_EXTENDED = 1, MC_SEPARATE = 2 };
enum { DPC_FIRST = 8, DPC_LAST = 16 };
#define PROTECTION_BYTES 8
/*
 * The opcode's timeout for each begun terabyte of namespaces in scope, as an erase may write the whole media. The rule is
 * our own, no drive promises it: too long means that a dead drive is noticed late, too short that the kernel resets the
 * controller in the midst of a format.
 */
#define TIMEOUT_UNIT_BYTES 1000000000000ull

static void note(struct format_plan *plan, const char *fmt, ...) PRINTF(2, 3);
static void note(struct format_plan *plan, const char *fmt, ...)
{
	va_list ap;

	if (plan->n_notes == ARRAY_SIZE(plan->notes))
		return;
	va_start(ap, fmt);
	vsnprintf(plan->notes[plan->n_notes++], sizeof(plan->notes[0]), fmt, ap);
	va_end(ap);
}

static int check_drive(const struct media_facts *f, enum media_erase erase, struct ssd_err *err)
{
	if (!(f->oacs & OACS_FORMAT))
		return ssd_fail(err, SSD_ERR_UNSUPPORTED, "this drive has no Format NVM command (OACS 0x%04x)",
				f->oacs);
	if (erase == MEDIA_ERASE_CRYPTO && !(f->fna & MEDIA_FNA_CRYPTO)) {
		ssd_fail(err, SSD_ERR_UNSUPPORTED, "this drive has no cryptographic erase (FNA 0x%02x)", f->fna);
		ssd_hint(err, "use --erase user-data");
		return -1;
	}
	if (f->busy_with) {
		ssd_fail(err, SSD_ERR_REFUSED, "%s is running; nothing was sent", f->busy_with);
		ssd_hint(err, "wait until it has ended");
		return -1;
	}
	if (f->failure_mode) {
		ssd_fail(err, SSD_ERR_REFUSED,
			 "the last sanitize operation failed, until it is done over the drive does "
			 "nothing else; nothing was sent");
		ssd_hint(err, "see: ssdct sanitize status");
		return -1;
	}
	return 0;
}

/* "0: 512 B, 1: 512+8 B, 3: 4096 B": what there is to choose from. */
static void list_formats(const struct media_ns *ns, char *buf, size_t size)
{
	size_t len = 0;

	*buf = '\0';
	for (unsigned i = 0; i < ns->n_formats && len + 40 < size; i++) {
		const struct media_lbaf *f = &ns->formats[i];

		if (!f->block_bytes)
			continue;
		len += (size_t)snprintf(buf + len, size - len, "%s%u: %llu", len ? ", " : "", i,
					(unsigned long long)f->block_bytes);
		if (f->metadata_bytes)
			len += (size_t)snprintf(buf + len, size - len, "+%u", f->metadata_bytes);
	}
}

static int fail_format(const struct media_ns *ns, struct ssd_err *err, const char *fmt, ...) PRINTF(3, 4);
static int fail_format(const struct media_ns *ns, struct ssd_err *err, const char *fmt, ...)
{
	char what[100], there[160];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	list_formats(ns, there, sizeof(there));
	return ssd_fail(err, SSD_ERR_UNSUPPORTED, "namespace %u has no %s; its formats (number: bytes+metadata) are %s",
			ns->nsid, what, *there ? there : "not known");
}

/* The best by relative performance; of equals the one in use, then the first. */
static int by_size(const struct media_ns *ns, uint64_t block, unsigned metadata, unsigned *index, struct ssd_err *err)
{
	int best = -1;

	for (unsigned i = 0; i < ns->n_formats; i++) {
		const struct media_lbaf *f = &ns->formats[i];

		if (!f->block_bytes || f->block_bytes != block || f->metadata_bytes != metadata)
			continue;
		if (best < 0 || f->performance < ns->formats[best].performance ||
		    (f->performance == ns->formats[best].performance && i == ns->format.index))
			best = (int)i;
	}
	if (best < 0 && !metadata)
		return fail_format(ns, err, "format of %llu bytes without metadata", (unsigned long long)block);
	if (best < 0)
		return fail_format(ns, err, "format of %llu bytes with %u bytes of metadata", (unsigned long long)block,
				   metadata);
	*index = (unsigned)best;
	return 0;
}

static int choose_index(const struct media_ns *ns, const struct format_options *o, unsigned *index, struct ssd_err *err)
{
	const struct media_lbaf *now = &ns->formats[ns->format.index < ns->n_formats ? ns->format.index : 0];

	*index = ns->format.index;
	if (o->lba_format >= 0) {
		*index = (unsigned)o->lba_format;
	} else if (o->block_bytes || o->metadata_bytes >= 0) {
		return by_size(ns, o->block_bytes ? o->block_bytes : now->block_bytes,
			       o->metadata_bytes >= 0 ? (unsigned)o->metadata_bytes : 0, index, err);
	}
	/* The one in use as well: a drive may say that it has a format which is none of its formats. */
	if (*index >= ns->n_formats || !ns->formats[*index].block_bytes)
		return fail_format(ns, err, "format %u", *index);
	return 0;
}

/* Where the metadata go; without any it makes no difference. */
static int choose_placement(const struct media_ns *ns, const struct format_options *o, struct media_format *t,
			    struct ssd_err *err)
{
	static const char *const names[] = {"in a buffer of their own", "at the end of each block"};

	if (!ns->formats[t->index].metadata_bytes) {
		if (o->extended > 0 || o->protection > 0)
			return ssd_fail(err, SSD_ERR_UNSUPPORTED,
					"format %u of namespace %u has no metadata, which %s would need", t->index,
					ns->nsid, o->protection > 0 ? "--protection" : "--metadata");
		return 0;
	}
	t->extended = !(ns->mc & MC_SEPARATE);
	if (o->extended >= 0)
		t->extended = o->extended > 0;
	else if (t->index == ns->format.index)
		t->extended = ns->format.extended;
	if (ns->mc & (t->extended ? MC_EXTENDED : MC_SEPARATE))
		return 0;
	return ssd_fail(err, SSD_ERR_UNSUPPORTED, "namespace %u cannot transfer metadata %s (MC 0x%02x)", ns->nsid,
			names[t->extended], ns->mc);
}

static int choose_protection(const struct media_ns *ns, const struct format_options *o, struct media_format *t,
			     struct ssd_err *err)
{
	bool same = t->index == ns->format.index;

	t->protection = (uint8_t)(o->protection >= 0 ? o->protection : same ? ns->format.protection : 0);
	if (!t->protection) {
		if (!o->protection_first)
			return 0;
		return ssd_fail(err, SSD_ERR_USAGE, "--protection-first needs --protection");
	}
	t->protection_first = o->protection >= 0 ? o->protection_first : ns->format.protection_first;
	if (ns->formats[t->index].metadata_bytes < PROTECTION_BYTES)
		return ssd_fail(err, SSD_ERR_UNSUPPORTED,
				"protection information takes 8 bytes of metadata, format %u of namespace %u has %u",
				t->index, ns->nsid, ns->formats[t->index].metadata_bytes);
	if (!(ns->dpc >> (t->protection - 1) & 1))
		return ssd_fail(err, SSD_ERR_UNSUPPORTED, "namespace %u has no protection type %u (DPC 0x%02x)",
				ns->nsid, t->protection, ns->dpc);
	if (!(ns->dpc & (t->protection_first ? DPC_FIRST : DPC_LAST)))
		return ssd_fail(
			err, SSD_ERR_UNSUPPORTED,
			"namespace %u cannot have protection information in the %s bytes of the metadata (DPC 0x%02x)",
			ns->nsid, t->protection_first ? "first" : "last", ns->dpc);
	return 0;
}

static int choose(const struct media_ns *ns, const struct format_options *o, struct media_format *target,
		  struct ssd_err *err)
{
	*target = (struct media_format){0};
	if (!ns->n_formats)
		return ssd_fail(
			err, SSD_ERR_UNSUPPORTED,
			"the drive does not say which formats namespace %u has, so what it would become is not known",
			ns->nsid);
	return choose_index(ns, o, &target->index, err) || choose_placement(ns, o, target, err) ||
			       choose_protection(ns, o, target, err)
		       ? -1
		       : 0;
}

/*
 * CDW10: bits 3:0 and 13:12 the format, 4 MSET, 7:5 PI, 8 PIL (1: first bytes), 11:9 SES. NVM Express Base
 * Specification 2.0c, "Format NVM - Command Dword 10".
 */
static uint32_t cdw10_of(const struct media_format *t, enum media_erase erase)
{
	return (t->index & 0xf) | (t->extended ? 1u << 4 : 0) | (uint32_t)t->protection << 5 |
	       (t->protection_first ? 1u << 8 : 0) | (uint32_t)erase << 9 | (t->index >> 4 & 3) << 12;
}

/* A command says one format for all that it reaches. */
static int fail_mixed(const struct format_plan *plan, size_t i, struct ssd_err *err)
{
	ssd_fail(err, SSD_ERR_REFUSED,
		 "the namespaces have different formats, and this drive formats them together: namespace %u would be "
		 "changed; nothing was sent",
		 plan->scope.nsids[i]);
	ssd_hint(err, "say which one all shall have: --block-size or --lba-format");
	return -1;
}

/* *other: a namespace that is to have another format than the first has, or 0. */
static int choose_each(const struct media_facts *f, const struct format_options *o, struct format_plan *plan,
		       size_t *other, struct ssd_err *err)
{
	const struct media_scope *s = &plan->scope;
	int first = -1;

	*other = 0;
	for (size_t i = 0; i < s->n; i++) {
		if (!s->formatted[i])
			continue;
		if (choose(media_find(f, s->nsids[i]), o, &plan->targets[i], err))
			return -1;
		first = first < 0 ? (int)i : first;
		if (cdw10_of(&plan->targets[i], 0) != cdw10_of(&plan->targets[first], 0))
			*other = i;
	}
	return 0;
}

static int choose_all(const struct media_facts *f, const struct format_options *o, struct format_plan *plan,
		      struct ssd_err *err)
{
	struct media_scope *s = &plan->scope;
	size_t other;

	plan->targets = ssd_calloc(s->n, sizeof(*plan->targets));
	if (choose_each(f, o, plan, &other, err))
		return -1;
	if (other && s->together)
		return fail_mixed(plan, other, err);
	if (other)
		media_scope_split(f, o->erase, s);
	plan->cdw10 = ssd_calloc(s->n_commands, sizeof(*plan->cdw10));
	for (size_t k = 0; k < s->n_commands; k++)
		for (size_t i = 0; i < s->n; i++)
			if (s->formatted[i] && (!other || s->commands[k] == s->nsids[i]))
				plan->cdw10[k] =
					cdw10_of(&plan->targets[i], s->erased_once && k ? MEDIA_ERASE_NONE : o->erase);
	return 0;
}

static uint32_t timeout_of(const struct media_facts *f, const struct media_scope *s)
{
	uint64_t bytes = 0, units, ms;

	for (size_t i = 0; i < s->n; i++)
		bytes = ssd_add_clamped(bytes, media_bytes(media_find(f, s->nsids[i])));
	units = bytes / TIMEOUT_UNIT_BYTES + (bytes % TIMEOUT_UNIT_BYTES || !bytes);
	ms = units * ssd_timeout_ms(SSD_ADMIN_FORMAT_NVM);
	return ms < INT32_MAX ? (uint32_t)ms : INT32_MAX;
}

static void add_notes(const struct media_facts *f, const struct format_options *o, struct format_plan *plan)
{
	const struct media_scope *s = &plan->scope;

	for (size_t i = 0; i < f->n; i++) {
		bool reached = false;

		for (size_t k = 0; k < s->n; k++)
			reached |= s->nsids[k] == f->ns[i].nsid;
		if (o->all_namespaces && !reached)
			note(plan, "namespace %u is not attached to this controller, and is not reached",
			     f->ns[i].nsid);
		else if (reached && o->erase && !f->ns[i].attached && !(f->fna & MEDIA_FNA_ERASE_ALL))
			note(plan, "namespace %u is not attached to this controller: it is formatted, and not erased",
			     f->ns[i].nsid);
		else if (reached && f->ns[i].format.protection && o->protection < 0 && !plan->targets[0].protection)
			note(plan, "namespace %u loses its protection information (type %u)", f->ns[i].nsid,
			     f->ns[i].format.protection);
	}
	if (s->erased_once)
		note(plan, "the first command erases all namespaces of the drive (FNA bit 1), the others only format");
	if (f->many_controllers && !f->lists_controllers)
		note(plan, "the drive may have other controllers, and does not say whether another host uses them");
}

int format_plan(const struct media_facts *f, uint32_t nsid, const struct format_options *o, struct format_plan *plan,
		struct ssd_err *err)
{
	*plan = (struct format_plan){.erase = o->erase};
	if (check_drive(f, o->erase, err) ||
	    media_scope_format(f, nsid, o->all_namespaces, o->erase, &plan->scope, err) || choose_all(f, o, plan, err))
		return -1;
	plan->timeout_ms = timeout_of(f, &plan->scope);
	add_notes(f, o, plan);
	return 0;
}

void format_plan_free(struct format_plan *plan)
{
	media_scope_free(&plan->scope);
	free(plan->targets);
	free(plan->cdw10);
	*plan = (struct format_plan){0};
}

void format_plan_cmd(const struct format_plan *plan, size_t k, struct ssd_cmd *cmd)
{
	*cmd = (struct ssd_cmd){.opcode = SSD_ADMIN_FORMAT_NVM,
				.nsid = plan->scope.commands[k],
				.cdw10 = plan->cdw10[k],
				.timeout_ms = plan->timeout_ms};
}
