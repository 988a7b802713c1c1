/* SPDX-License-Identifier: MIT */
/* Command lines: whole words only, options anywhere, values typed and range-checked by their table. */
#include "options.h"

#include <errno.h>
#include <inttypes.h>

static const char *const output_words[] = {"text", "json", "nagios", NULL};

#define G(member) SSD_OPTION(struct ssd_globals, member)

const struct ssd_option ssd_global_options[] = {
	{"output", 'o', SSD_OPT_ENUM, G(output), "FORMAT", "text (default) or json; check also nagios",
	 .words = output_words},
	{"json", 0, SSD_OPT_FLAG, G(json), NULL, "the same as -o json"},
	{"all", 0, SSD_OPT_FLAG, G(all), NULL, "every drive of the host"},
	{"host", 0, SSD_OPT_STR, G(host), "DIR",
	 "a recorded or simulated host instead of this machine (or SSDCT_HOST)"},
	{"trace", 0, SSD_OPT_STR, G(trace), "FILE", "append one JSON line per command sent to a drive"},
	{"verbose", 'v', SSD_OPT_FLAG, G(verbose), NULL, "say on stderr what is sent to the drives"},
	{"dry-run", 0, SSD_OPT_FLAG, G(dry_run), NULL, "print the plan, change nothing"},
	{"yes", 'y', SSD_OPT_FLAG, G(yes), NULL, "answer the question of a command that changes a drive"},
	{"force", 0, SSD_OPT_FLAG, G(force), NULL, "go on where a command that changes a drive asks for it by name"},
	{"confirm", 0, SSD_OPT_STR, G(confirm), "SERIAL",
	 "confirm the destruction of data on the drive with this serial number"},
	{"timeout", 0, SSD_OPT_UINT, G(timeout_seconds), "SECONDS", "how long to wait for a drive", 1, 86400},
	{"quiet", 'q', SSD_OPT_FLAG, G(quiet), NULL, "no notes and no progress on stderr"},
	{"help", 'h', SSD_OPT_FLAG, G(help), NULL, "this text"},
	{"version", 'V', SSD_OPT_FLAG, G(version), NULL, "the version"},
	{.type = SSD_OPT_END},
};

const char *ssd_nearest(const char *word, const char *const *words, size_t n)
{
	/* An abbreviation, or a third of the letters wrong, two at least: "lits" is list, "format" is nothing like fw. */
	unsigned limit = (unsigned)strlen(word) / 3 + 1, best = limit + 1;
	const char *nearest = NULL;

	for (size_t i = 0; i < n; i++) {
		bool begins = *word && !strncmp(word, words[i], strlen(word));
		unsigned d = begins ? 0 : ssd_edit_distance(word, words[i]);

		if (d < best) {
			best = d;
			nearest = words[i];
		}
	}
	return nearest;
}

static const struct ssd_option *find_option(const struct ssd_option *o, const char *name, size_t len, char letter)
{
	for (; o && o->type != SSD_OPT_END; o++) {
		if (letter ? o->letter == letter : !strncmp(o->name, name, len) && !o->name[len])
			return o;
	}
	return NULL;
}

static int bad_value(const struct ssd_option *o, const char *value, struct ssd_err *err)
{
	char list[120] = "";

	for (const char *const *w = o->words; w && *w; w++)
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s", w == o->words ? "" : ", ", *w);
	if (o->words)
		return ssd_fail(err, SSD_ERR_USAGE, "--%s: \"%s\" is none of %s", o->name, value, list);
	return ssd_fail(err, SSD_ERR_USAGE, "--%s: \"%s\" is not a whole number from %" PRIu64 " to %" PRIu64, o->name,
			value, o->min, o->max);
}

static int set_uint(const struct ssd_option *o, void *member, const char *value, struct ssd_err *err)
{
	int base = !strncmp(value, "0x", 2) || !strncmp(value, "0X", 2) ? 16 : 10;
	const char *digits = base == 16 ? "0123456789abcdefABCDEF" : "0123456789";
	const char *p = base == 16 ? value + 2 : value;
	uint64_t v;

	errno = 0;
	v = strtoull(p, NULL, base);
	if (!*p || p[strspn(p, digits)] || errno || v < o->min || (o->max && v > o->max))
		return bad_value(o, value, err);
	*(uint64_t *)member = v;
	return 0;
}

/* K, M, G, T and KiB ... are powers of 1024, kB ... powers of 1000, as the drives' own labels have them. */
static bool size_unit(const char *unit, uint64_t *factor)
{
	static const char letters[] = "KMGT";
	const char *at = strchr(letters, *unit == 'k' ? 'K' : *unit);
	uint64_t base = 1024;

	*factor = 1;
	if (!*unit || !strcmp(unit, "B"))
		return true;
	if (!at)
		return false;
	if (!strcmp(unit + 1, "B"))
		base = 1000;
	else if (unit[1] && strcmp(unit + 1, "iB") != 0)
		return false;
	for (const char *letter = letters; letter <= at; letter++)
		*factor *= base;
	return true;
}

/* A fraction has at most six digits: more than a drive is sold with, and no product that overflows. */
#define FRACTION_DIGITS 6

/* "1.92TB": digits, perhaps a fraction, a unit. False unless it is a whole number of bytes; more than fit are UINT64_MAX. */
static bool parse_size(const char *text, uint64_t *bytes)
{
	size_t digits = strspn(text, "0123456789"), fraction = 0;
	const char *unit = text + digits;
	uint64_t factor, scale = 1, whole = 0, part = 0;

	if (*unit == '.') {
		fraction = strspn(unit + 1, "0123456789");
		unit += 1 + fraction;
	}
	if (!digits || unit == text + digits + 1 || fraction > FRACTION_DIGITS || !size_unit(unit, &factor))
		return false;
	for (size_t i = 0; i < fraction; i++, scale *= 10)
		part = part * 10 + (uint64_t)(text[digits + 1 + i] - '0');
	if (fraction && (factor == 1 || part * factor % scale))
		return false;
	errno = 0;
	whole = strtoull(text, NULL, 10);
	if (errno || __builtin_mul_overflow(whole, factor, &whole) ||
	    __builtin_add_overflow(whole, part * factor / scale, bytes))
		*bytes = UINT64_MAX;
	return true;
}

static int set_size(const struct ssd_option *o, void *member, const char *value, struct ssd_err *err)
{
	uint64_t v;

	if (!parse_size(value, &v))
		return ssd_fail(err, SSD_ERR_USAGE, "--%s: \"%s\" is not a size such as 4096, 512K, 2GiB or 1.92TB",
				o->name, value);
	if (v < o->min || (o->max && v > o->max))
		return ssd_fail(err, SSD_ERR_USAGE, "--%s: \"%s\" is not a size from %" PRIu64 " to %" PRIu64 " bytes",
				o->name, value, o->min, o->max ? o->max : UINT64_MAX);
	*(uint64_t *)member = v;
	return 0;
}

static int set_enum(const struct ssd_option *o, void *member, const char *value, struct ssd_err *err)
{
	for (unsigned i = 0; o->words[i]; i++) {
		if (!strcmp(o->words[i], value)) {
			*(unsigned *)member = i;
			return 0;
		}
	}
	return bad_value(o, value, err);
}

static int store(const struct ssd_option *o, void *target, const char *value, struct ssd_err *err)
{
	void *member = (char *)target + o->offset;
	struct ssd_strs *strs = member;

	switch (o->type) {
	case SSD_OPT_FLAG:
		*(bool *)member = true;
		return 0;
	case SSD_OPT_UINT:
		return set_uint(o, member, value, err);
	case SSD_OPT_SIZE:
		return set_size(o, member, value, err);
	case SSD_OPT_ENUM:
		return set_enum(o, member, value, err);
	case SSD_OPT_STRS:
		strs->v = ssd_realloc(strs->v, strs->n + 1, sizeof(*strs->v));
		strs->v[strs->n++] = value;
		return 0;
	default:
		*(const char **)member = value;
		return 0;
	}
}

/* No option begins with a digit: -5 is a word, such as a temperature. */
static bool is_option(const char *arg)
{
	return arg[0] == '-' && arg[1] && (arg[1] < '0' || arg[1] > '9');
}

/* An option of whichever command: a name means the same in all of them, so the first one that has it decides. */
static const struct ssd_option *find_anywhere(const struct ssd_command *const *commands, const char *name, size_t len,
					      char letter)
{
	const struct ssd_option *o = NULL;

	for (; !o && commands && *commands; commands++) {
		o = find_option((*commands)->options, name, len, letter);
		if (!o)
			o = find_anywhere((*commands)->verbs, name, len, letter);
	}
	return o;
}

/* The option in arg that takes a value, and where in arg that is, if it is there; NULL: none does. */
static const struct ssd_option *valued_option(const char *arg, const char **value)
{
	bool is_long = arg[1] == '-';
	size_t len = is_long ? strcspn(arg + 2, "=") : 0;

	for (const char *p = arg + (is_long ? 2 : 1); *p; p++) {
		const struct ssd_option *o = find_option(ssd_global_options, p, len, is_long ? 0 : *p);
		const char *rest = is_long ? p + len : p + 1;

		if (!o)
			o = find_anywhere(ssd_commands, p, len, is_long ? 0 : *p);
		*value = !*rest ? NULL : is_long ? rest + 1 : rest;
		if (o && o->type != SSD_OPT_FLAG)
			return o;
		if (is_long || !o)
			break;
	}
	return NULL;
}

/* Whether an option that stands before the command takes the next word. */
static bool takes_next(const char *arg)
{
	const char *value;

	return valued_option(arg, &value) && !value;
}

void ssd_command_names(const struct ssd_command *const *commands, char *buf, size_t size)
{
	size_t len = 0;

	*buf = '\0';
	for (; *commands; commands++) {
		if (len + strlen((*commands)->name) + sizeof(", , ...") > size) {
			snprintf(buf + len, size - len, ", ...");
			return;
		}
		len += (size_t)snprintf(buf + len, size - len, "%s%s", len ? ", " : "", (*commands)->name);
	}
}

/* A verb without its command ("update"): all that it may be; empty when no command has it. */
static void commands_of_verb(const char *verb, char *buf, size_t size)
{
	*buf = '\0';
	for (const struct ssd_command *const *c = ssd_commands; *c; c++)
		for (const struct ssd_command *const *v = (*c)->verbs; v && *v; v++)
			if (!strcmp((*v)->name, verb))
				snprintf(buf + strlen(buf), size - strlen(buf), "%s\"%s %s\"", *buf ? " or " : "",
					 (*c)->name, verb);
}

/* What other tools call it. */
static const struct {
	const char *word, *command;
} elsewhere[] = {
	{"firmware", "fw"}, {"flash", "fw update"},  {"fw-log", "fw status"}, {"smart-log", "smart"},
	{"info", "show"},   {"error-log", "errors"}, {"id-ctrl", "identify"}, {"get-log", "log get"},
};

static int unknown_command(const char *word, struct ssd_err *err)
{
	const char *names[64], *near;
	char meant[200];
	size_t n = 0;

	for (; n < ARRAY_SIZE(names) && ssd_commands[n]; n++)
		names[n] = ssd_commands[n]->name;
	commands_of_verb(word, meant, sizeof(meant));
	for (size_t i = 0; i < ARRAY_SIZE(elsewhere); i++)
		if (!strcmp(elsewhere[i].word, word))
			snprintf(meant, sizeof(meant), "\"%s\"", elsewhere[i].command);
	near = *meant ? NULL : ssd_nearest(word, names, n);
	if (near)
		snprintf(meant, sizeof(meant), "\"%s\"", near);
	ssd_fail(err, SSD_ERR_USAGE, "unknown command \"%s\"", word);
	if (*meant)
		ssd_hint(err, "did you mean %s?", meant);
	else
		ssd_hint(err, "see ssdct --help");
	return -1;
}

static int unknown_verb(const struct ssd_command *command, const char *word, struct ssd_err *err)
{
	const char *names[64], *near;
	char list[400];
	size_t n = 0;

	for (; n < ARRAY_SIZE(names) && command->verbs[n]; n++)
		names[n] = command->verbs[n]->name;
	near = ssd_nearest(word, names, n);
	ssd_command_names(command->verbs, list, sizeof(list));
	ssd_fail(err, SSD_ERR_USAGE, "\"%s\" is no verb of %s", word, command->name);
	if (near)
		ssd_hint(err, "did you mean \"%s %s\"? All: %s", command->name, near, list);
	else
		ssd_hint(err, "after %s comes one of: %s", command->name, list);
	return -1;
}

static const struct ssd_command *lookup(const struct ssd_command *const *commands, const char *word)
{
	for (; *commands; commands++)
		if (!strcmp((*commands)->name, word))
			return *commands;
	return NULL;
}

/* Index in argv of the next word from i on that is neither an option nor an option's value; argc when there is none. */
static int next_word(int argc, char **argv, int i)
{
	for (; i < argc; i++) {
		if (!strcmp(argv[i], "--"))
			return i + 1;
		if (!is_option(argv[i]))
			return i;
		if (takes_next(argv[i]))
			i++;
	}
	return argc;
}

static int find_command(struct ssd_cmdline *line, int argc, char **argv, int at[2], struct ssd_err *err)
{
	at[0] = next_word(argc, argv, 1);
	at[1] = argc;
	if (at[0] >= argc)
		return 0;
	line->path[0] = line->command = lookup(ssd_commands, argv[at[0]]);
	if (!line->command)
		return unknown_command(argv[at[0]], err);
	if (!line->command->verbs)
		return 0;
	at[1] = next_word(argc, argv, at[0] + 1);
	if (at[1] >= argc)
		return 0;
	line->path[1] = lookup(line->command->verbs, argv[at[1]]);
	if (!line->path[1])
		return unknown_verb(line->command, argv[at[1]], err);
	line->command = line->path[1];
	return 0;
}

static int unknown_option(const struct ssd_cmdline *line, const char *arg, struct ssd_err *err)
{
	const struct ssd_option *tables[2] = {line->command ? line->command->options : NULL, ssd_global_options};
	const char *names[64], *near;
	char path[64];
	size_t n = 0;

	for (size_t t = 0; t < 2; t++)
		for (const struct ssd_option *o = tables[t]; o && o->type != SSD_OPT_END && n < ARRAY_SIZE(names); o++)
			names[n++] = o->name;
	near = arg[1] == '-' ? ssd_nearest(arg + 2, names, n) : NULL;
	ssd_fail(err, SSD_ERR_USAGE, "unknown option %s", arg);
	if (near)
		ssd_hint(err, "did you mean --%s?", near);
	else
		ssd_hint(err, "see ssdct %s%s--help", ssd_command_path(line, path, sizeof(path)),
			 line->command ? " " : "");
	return -1;
}

struct scan {
	struct ssd_cmdline *line;
	int argc;
	char **argv;
	int i;
};

static int apply(struct scan *s, const struct ssd_option *o, bool global, const char *attached, struct ssd_err *err)
{
	void *target = global ? (void *)&s->line->globals : s->line->options;
	const char *value = attached;

	if (o->type == SSD_OPT_FLAG) {
		if (attached)
			return ssd_fail(err, SSD_ERR_USAGE, "--%s takes no value", o->name);
	} else if (!value) {
		if (s->i + 1 >= s->argc)
			return ssd_fail(err, SSD_ERR_USAGE, "--%s needs a value: %s", o->name, o->arg);
		value = s->argv[++s->i];
	}
	return store(o, target, value, err);
}

static int parse_option(struct scan *s, const char *name, size_t len, char letter, const char *attached,
			struct ssd_err *err)
{
	const struct ssd_command *c = s->line->command;
	const struct ssd_option *o = c ? find_option(c->options, name, len, letter) : NULL;
	bool global = !o;

	if (!o)
		o = find_option(ssd_global_options, name, len, letter);
	if (!o)
		return unknown_option(s->line, s->argv[s->i], err);
	return apply(s, o, global, attached, err);
}

/* -v, -vq, -o json, -ojson */
static int parse_letters(struct scan *s, const char *letters, struct ssd_err *err)
{
	for (; *letters; letters++) {
		const struct ssd_command *c = s->line->command;
		const struct ssd_option *o = c ? find_option(c->options, "", 0, *letters) : NULL;
		bool value;

		if (!o)
			o = find_option(ssd_global_options, "", 0, *letters);
		value = o && o->type != SSD_OPT_FLAG;

		if (parse_option(s, "", 0, *letters, value && letters[1] ? letters + 1 : NULL, err))
			return -1;
		if (value)
			break;
	}
	return 0;
}

static int parse_arg(struct scan *s, bool *only_words, struct ssd_err *err)
{
	const char *arg = s->argv[s->i];
	const char *equals = strchr(arg, '=');

	if (*only_words || !is_option(arg)) {
		s->line->words[s->line->n_words++] = arg;
		return 0;
	}
	if (!strcmp(arg, "--")) {
		*only_words = true;
		return 0;
	}
	if (arg[1] != '-')
		return parse_letters(s, arg + 1, err);
	arg += 2;
	return parse_option(s, arg, equals ? (size_t)(equals - arg) : strlen(arg), 0, equals ? equals + 1 : NULL, err);
}

/* So that an error is said in the format that was asked for, and of the host, wherever the error stands. */
static void look_ahead(struct ssd_globals *globals, int argc, char **argv)
{
	struct ssd_err later = SSD_ERR_INIT;

	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const char *value = NULL;
		const struct ssd_option *o = is_option(argv[i]) ? valued_option(argv[i], &value) : NULL;

		if (!strcmp(argv[i], "--json"))
			globals->output = SSD_OUTPUT_JSON;
		if (o && !value && i + 1 < argc)
			value = argv[++i];
		if (o && value && (o->words == output_words || !strcmp(o->name, "host")))
			store(o, globals, value, &later);
	}
}

static void set_presets(const struct ssd_option *o, void *options)
{
	for (; o && o->type != SSD_OPT_END; o++)
		if (o->type == SSD_OPT_UINT && o->preset)
			*(uint64_t *)(void *)((char *)options + o->offset) = o->preset;
}

int ssd_cmdline_parse(struct ssd_cmdline *line, int argc, char **argv, struct ssd_err *err)
{
	struct scan s = {line, argc, argv, 1};
	bool only_words = false;
	int at[2];

	*line = (struct ssd_cmdline){.words = ssd_calloc((size_t)argc + 1, sizeof(char *))};
	look_ahead(&line->globals, argc, argv);
	if (find_command(line, argc, argv, at, err))
		return -1;
	if (line->command) {
		line->options = ssd_calloc(1, line->command->options_size);
		set_presets(line->command->options, line->options);
	}
	for (; s.i < argc; s.i++)
		if (s.i != at[0] && s.i != at[1] && parse_arg(&s, &only_words, err))
			return -1;
	if (line->globals.json)
		line->globals.output = SSD_OUTPUT_JSON;
	return 0;
}

static void free_lists(const struct ssd_option *o, void *options)
{
	for (; options && o && o->type != SSD_OPT_END; o++)
		if (o->type == SSD_OPT_STRS)
			free(((struct ssd_strs *)(void *)((char *)options + o->offset))->v);
}

void ssd_cmdline_free(struct ssd_cmdline *line)
{
	if (line->command)
		free_lists(line->command->options, line->options);
	free(line->options);
	free(line->words);
}

const char *ssd_command_path(const struct ssd_cmdline *line, char *buf, size_t size)
{
	snprintf(buf, size, "%s%s%s", line->path[0] ? line->path[0]->name : "", line->path[1] ? " " : "",
		 line->path[1] ? line->path[1]->name : "");
	return buf;
}
