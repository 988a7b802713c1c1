/* SPDX-License-Identifier: MIT */
/*
 * Which namespaces lose their data, from what the drive says: NVM Express Base Specification 2.0c, FNA in the Identify
 * Controller data structure and "Format NVM - Operation Scope". A pure function.
 */
#include "media/media.h"

const struct media_ns *media_find(const struct media_facts *facts, uint32_t nsid)
{
	for (size_t i = 0; i < facts->n; i++)
		if (facts->ns[i].nsid == nsid)
			return &facts->ns[i];
	return NULL;
}

static size_t count_attached(const struct media_facts *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++)
		n += f->ns[i].attached;
	return n;
}

/* "1, 2, 5 and 3 more" */
static void list(const struct media_facts *f, char *buf, size_t size)
{
	size_t len = 0, i;

	for (i = 0; i < f->n && len + 48 < size; i++)
		len += (size_t)snprintf(buf + len, size - len, "%s%u", i ? ", " : "", f->ns[i].nsid);
	if (i < f->n)
		snprintf(buf + len, size - len, " and %zu more", f->n - i);
}

/*
 * The one namespace that is meant, or 0 when it is all of them. -1 with the reason. A namespace that was named stays the
 * target with --all-namespaces, unless the drive formats all of them by itself.
 */
static int target(const struct media_facts *f, uint32_t nsid, bool all, uint32_t *one, struct ssd_err *err)
{
	const struct media_ns *ns = nsid ? media_find(f, nsid) : NULL;
	char text[160] = "";

	*one = 0;
	if (!f->n)
		return ssd_fail(err, SSD_ERR_UNSUPPORTED, "the drive has no namespace that could be formatted");
	if (nsid && !ns)
		return ssd_fail(err, SSD_ERR_NOT_FOUND, "the drive has no namespace %u", nsid);
	if (ns && !ns->attached && !(all && f->fna & MEDIA_FNA_FORMAT_ALL)) {
		ssd_fail(err, SSD_ERR_NOT_FOUND, "namespace %u is not attached to this controller", nsid);
		ssd_hint(err, "attach it first, or use the controller that has it");
		return -1;
	}
	if (all && (!nsid || f->fna & MEDIA_FNA_FORMAT_ALL))
		return 0;
	*one = nsid ? nsid : f->ns[0].nsid;
	if (nsid || (f->n == 1 && f->ns[0].attached))
		return 0;
	list(f, text, sizeof(text));
	ssd_fail(err, SSD_ERR_REFUSED, "a controller was named, and the drive has namespace%s %s; nothing was sent",
		 f->n > 1 ? "s" : "", text);
	ssd_hint(err, f->n == 1 ? "it is not attached to this controller: attach it first"
				: "name the namespace that is meant, or say --all-namespaces");
	return -1;
}

static int fail_wider(const struct media_facts *f, uint32_t nsid, const char *why, struct ssd_err *err)
{
	char text[120];

	list(f, text, sizeof(text));
	ssd_fail(err, SSD_ERR_REFUSED, "namespace %u was named, but %s: namespaces %s; nothing was sent", nsid, why,
		 text);
	ssd_hint(err, "if all of them may be lost: --all-namespaces");
	return -1;
}

static void add_command(struct media_scope *s, uint32_t nsid)
{
	s->commands = ssd_realloc(s->commands, s->n_commands + 1, sizeof(*s->commands));
	s->commands[s->n_commands++] = nsid;
}

static void add(struct media_scope *s, uint32_t nsid, bool formatted)
{
	s->nsids = ssd_realloc(s->nsids, s->n + 1, sizeof(*s->nsids));
	s->formatted = ssd_realloc(s->formatted, s->n + 1, sizeof(*s->formatted));
	s->formatted[s->n] = formatted;
	s->nsids[s->n++] = nsid;
}

static uint32_t first_attached(const struct media_facts *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->ns[i].attached)
			return f->ns[i].nsid;
	return f->ns[0].nsid;
}

static void add_each(const struct media_facts *f, struct media_scope *s)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->ns[i].attached)
			add_command(s, f->ns[i].nsid);
}

/*
 * FFFFFFFFh reaches the namespaces that are attached to this controller; a drive that does not take it gets a command for
 * each, or one with any NSID where that reaches all of them anyway. What an erase reaches is said by FNA bit 1 and not by
 * bit 0: where it is the whole subsystem, one command erases, or the drive would be erased as often as it has namespaces.
 */
static void add_commands(const struct media_facts *f, uint32_t one, enum media_erase erase, struct media_scope *s)
{
	bool broadcast = !(f->fna & MEDIA_FNA_NO_BROADCAST), erases_all = erase && f->fna & MEDIA_FNA_ERASE_ALL;

	if (one)
		add_command(s, one);
	else if (broadcast && (count_attached(f) != 1 || s->together))
		add_command(s, SSD_NSID_ALL);
	else if (s->together && (!erase || erases_all))
		add_command(s, first_attached(f));
	else
		add_each(f, s);
	s->erased_once = erases_all && s->n_commands > 1;
}

void media_scope_split(const struct media_facts *f, enum media_erase erase, struct media_scope *scope)
{
	scope->n_commands = 0;
	add_each(f, scope);
	scope->erased_once = erase && f->fna & MEDIA_FNA_ERASE_ALL && scope->n_commands > 1;
}

int media_scope_format(const struct media_facts *f, uint32_t nsid, bool all, enum media_erase erase,
		       struct media_scope *scope, struct ssd_err *err)
{
	bool all_formatted = f->fna & MEDIA_FNA_FORMAT_ALL;
	bool all_erased = all_formatted || (erase && f->fna & MEDIA_FNA_ERASE_ALL);
	uint32_t one;

	*scope = (struct media_scope){0};
	if (target(f, nsid, all, &one, err))
		return -1;
	if (one && all && f->n > 1 && !all_erased) {
		ssd_fail(err, SSD_ERR_USAGE,
			 "--all-namespaces, but namespace %u was named, and the drive can do that one alone; nothing "
			 "was "
			 "sent",
			 one);
		ssd_hint(err, "leave one of them out; all namespaces are named by their controller");
		return -1;
	}
	if (one && f->n > 1 && all_erased && !all)
		return fail_wider(f, one,
				  all_formatted ? "this drive formats all of its namespaces at once (FNA bit 0)"
						: "this drive erases all of its namespaces at once (FNA bit 1)",
				  err);
	if (!one && !count_attached(f))
		return ssd_fail(err, SSD_ERR_UNSUPPORTED, "no namespace is attached to this controller");
	for (size_t i = 0; i < f->n; i++) {
		const struct media_ns *ns = &f->ns[i];
		bool formatted = all_formatted || (one ? ns->nsid == one : ns->attached);

		if (formatted || all_erased)
			add(scope, ns->nsid, formatted);
	}
	scope->widened = !one || (all_erased && f->n > 1);
	scope->together = all_formatted;
	add_commands(f, one, erase, scope);
	return 0;
}

void media_scope_sanitize(const struct media_facts *f, struct media_scope *scope)
{
	*scope = (struct media_scope){.widened = true};
	for (size_t i = 0; i < f->n; i++)
		add(scope, f->ns[i].nsid, false);
}

void media_scope_free(struct media_scope *scope)
{
	free(scope->nsids);
	free(scope->formatted);
	free(scope->commands);
	*scope = (struct media_scope){0};
}
