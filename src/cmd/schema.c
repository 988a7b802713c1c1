/* SPDX-License-Identifier: MIT */
/* ssdct schema: the JSON Schema of every command's output, from the same descriptors that print it. */
#include "cmd.h"

struct collection {
	struct ssd_arena *arena;
	struct ssd_schema *schemas; /* owned */
	size_t n;
};

/* Help and schema print something else than a document. */
static bool has_document(const struct ssd_command *c)
{
	return c != &cmd_help && c != &cmd_schema;
}

/* "fw update" */
static void join_words(const struct ssd_run *run, char *buf, size_t size)
{
	*buf = '\0';
	for (size_t i = 0; i < run->n_words; i++)
		snprintf(buf + strlen(buf), size - strlen(buf), "%s%s", i ? " " : "", run->words[i]);
}

static bool wanted(const char *words, const char *title)
{
	size_t len = strlen(words);

	return !len || (!strncmp(title, words, len) && (!title[len] || title[len] == ' '));
}

/* Those that the words name; empty: all. */
static void collect(struct collection *all, const char *words, const char *prefix,
		    const struct ssd_command *const *commands)
{
	for (; *commands; commands++) {
		char title[64];

		snprintf(title, sizeof(title), "%s%s", prefix, (*commands)->name);
		if ((*commands)->verbs) {
			snprintf(title, sizeof(title), "%s%s ", prefix, (*commands)->name);
			collect(all, words, title, (*commands)->verbs);
		} else if (has_document(*commands) && wanted(words, title)) {
			all->schemas = ssd_realloc(all->schemas, all->n + 1, sizeof(*all->schemas));
			all->schemas[all->n++] = (struct ssd_schema){ssd_arena_strdup(all->arena, title),
								     ssd_envelope_field(all->arena, *commands)};
		}
	}
}

static int fail_words(struct collection *all, const char *words, struct ssd_err *err)
{
	AUTO_FREE const char **titles = NULL;
	const char *near;

	collect(all, "", "", ssd_commands);
	titles = ssd_calloc(all->n, sizeof(*titles));
	for (size_t i = 0; i < all->n; i++)
		titles[i] = all->schemas[i].title;
	near = ssd_nearest(words, titles, all->n);
	free(all->schemas);
	ssd_fail(err, SSD_ERR_USAGE, "no command \"%s\" with a document", words);
	if (near)
		ssd_hint(err, "did you mean \"%s\"?", near);
	else
		ssd_hint(err, "see ssdct --help");
	return -1;
}

static int schema_run(struct ssd_run *run, struct ssd_err *err)
{
	struct collection all = {.arena = run->arena};
	char words[64];

	join_words(run, words, sizeof(words));
	collect(&all, words, "", ssd_commands);
	if (!all.n)
		return fail_words(&all, words, err);
	ssd_render_schema(all.schemas, all.n, run->out);
	free(all.schemas);
	run->printed = true;
	return 0;
}

const struct ssd_command cmd_schema = {
	.name = "schema",
	.summary = "JSON Schema of the output of a command, or of all",
	.usage = "[COMMAND [VERB]]",
	.help = "Prints one JSON Schema (draft 2020-12), or an object with one for each command. Keys are never "
		"renamed,\n"
		"retyped or removed; new ones may appear.",
	.examples = (const char *const[]){"schema smart", "schema", NULL},
	.drives = SSD_DRIVES_NONE,
	.max_words = 2,
	.run = schema_run,
};
