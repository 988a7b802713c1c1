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

static bool wanted(const struct ssd_run *run, const char *title)
{
	char words[64] = "";
	size_t len;

	for (size_t i = 0; i < run->n_words; i++)
		snprintf(words + strlen(words), sizeof(words) - strlen(words), "%s%s", i ? " " : "", run->words[i]);
	len = strlen(words);
	return !len || (!strncmp(title, words, len) && (!title[len] || title[len] == ' '));
}

static void collect(const struct ssd_run *run, struct collection *all, const char *prefix,
		    const struct ssd_command *const *commands)
{
	for (; *commands; commands++) {
		char title[64];

		snprintf(title, sizeof(title), "%s%s", prefix, (*commands)->name);
		if ((*commands)->verbs) {
			snprintf(title, sizeof(title), "%s%s ", prefix, (*commands)->name);
			collect(run, all, title, (*commands)->verbs);
		} else if (has_document(*commands) && wanted(run, title)) {
			all->schemas = ssd_realloc(all->schemas, all->n + 1, sizeof(*all->schemas));
			all->schemas[all->n++] = (struct ssd_schema){ssd_arena_strdup(all->arena, title),
								     ssd_envelope_field(all->arena, *commands)};
		}
	}
}

static int schema_run(struct ssd_run *run, struct ssd_err *err)
{
	struct collection all = {.arena = run->arena};

	collect(run, &all, "", ssd_commands);
	if (!all.n) {
		ssd_fail(err, SSD_ERR_USAGE, "no command \"%s\" with a document", run->words[0]);
		ssd_hint(err, "see ssdct --help");
		return -1;
	}
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
