/* SPDX-License-Identifier: MIT */
/* Help, generated: what the tables say is what the parser does. */
#include "help.h"

static void print_commands(const struct ssd_command *const *commands, FILE *out)
{
	int width = 12;

	for (const struct ssd_command *const *c = commands; *c; c++)
		if ((int)strlen((*c)->name) > width)
			width = (int)strlen((*c)->name);
	for (; *commands; commands++)
		fprintf(out, "  %-*s %s\n", width, (*commands)->name, (*commands)->summary);
}

static void print_option(const struct ssd_option *o, FILE *out)
{
	char left[64], words[160] = "";

	snprintf(left, sizeof(left), "%c%c%c --%s%s%s", o->letter ? '-' : ' ', o->letter ? o->letter : ' ',
		 o->letter ? ',' : ' ', o->name, o->arg ? " " : "", o->arg ? o->arg : "");
	for (const char *const *w = o->words; w && *w; w++)
		snprintf(words + strlen(words), sizeof(words) - strlen(words), "%s%s", w == o->words ? " (" : "|", *w);
	fprintf(out, "  %-34s %s%s%s\n", left, o->help, words, *words ? ")" : "");
}

static void print_options(const char *title, const struct ssd_option *o, FILE *out)
{
	if (!o || o->type == SSD_OPT_END)
		return;
	fprintf(out, "\n%s\n", title);
	for (; o->type != SSD_OPT_END; o++)
		print_option(o, out);
}

static bool takes_many(const struct ssd_command *c)
{
	return c->drives == SSD_DRIVES_SOME || c->drives == SSD_DRIVES_OR_ALL;
}

static bool takes_drives(const struct ssd_command *c)
{
	return c->drives != SSD_DRIVES_NONE;
}

/* `list` looks at sysfs, but sends commands with one of its options: that is why it has a timeout. */
static bool sends(const struct ssd_command *c)
{
	return takes_drives(c) && (!(c->flags & SSD_CMD_SYSFS) || c->flags & SSD_CMD_TIMEOUT);
}

static bool changes(const struct ssd_command *c)
{
	return c->flags & SSD_CMD_CHANGES;
}

static bool has_plan(const struct ssd_command *c)
{
	return c->flags & SSD_CMD_DRY_RUN;
}

/* Common options that only some commands take, or that mean nothing to the others. */
static const struct {
	const char *name;
	bool (*fits)(const struct ssd_command *c);
} conditions[] = {
	{"all", takes_many}, {"host", takes_drives}, {"trace", sends},     {"verbose", sends},    {"timeout", sends},
	{"yes", changes},    {"force", changes},     {"confirm", changes}, {"dry-run", has_plan},
};

static bool fits(const struct ssd_command *c, const struct ssd_option *o)
{
	for (size_t i = 0; i < ARRAY_SIZE(conditions); i++)
		if (!strcmp(conditions[i].name, o->name))
			return conditions[i].fits(c);
	return true;
}

static void print_common_options(const struct ssd_command *c, FILE *out)
{
	fputs("\nCommon options\n", out);
	for (const struct ssd_option *o = ssd_global_options; o->type != SSD_OPT_END; o++)
		if (fits(c, o))
			print_option(o, out);
}

static void print_program(FILE *out)
{
	fputs("usage: ssdct [OPTIONS] COMMAND [VERB] [DRIVE...] [OPTIONS]\n\n"
	      "Manages data-centre NVMe SSDs: shows drives and their health, for people, scripts and monitoring.\n\n"
	      "Commands\n",
	      out);
	print_commands(ssd_commands, out);
	print_options("Common options, where a command takes them", ssd_global_options, out);
	fputs("\nDRIVE is a controller (nvme0, /dev/nvme0), a namespace (nvme0n1), a serial number, a PCI address or a "
	      "symlink\n"
	      "to a node. `ssdct COMMAND --help` tells more; the manual is ssdct(8).\n",
	      out);
}

/* Every command has a page in the manual, of its own or with others; these two are in that of the program. */
static void print_more(const struct ssd_command *c, bool has_verbs, FILE *out)
{
	bool own = strcmp(c->name, "help") != 0 && strcmp(c->name, "version") != 0;

	fputc('\n', out);
	if (has_verbs)
		fprintf(out, "`ssdct %s VERB --help` tells more about each. ", c->name);
	fprintf(out, "The manual is ssdct%s%s(8).\n", own ? "-" : "", own ? c->name : "");
}

static void print_command(const struct ssd_command *const path[], FILE *out)
{
	const struct ssd_command *c = path[1] ? path[1] : path[0];

	fprintf(out, "usage: ssdct %s%s%s %s\n\n%s\n", path[0]->name, path[1] ? " " : "", path[1] ? path[1]->name : "",
		c->verbs   ? "VERB ..."
		: c->usage ? c->usage
			   : "",
		c->summary);
	if (c->help)
		fprintf(out, "\n%s\n", c->help);
	if (c->verbs) {
		fputs("\nVerbs\n", out);
		print_commands(c->verbs, out);
	}
	if (!c->verbs) {
		print_options("Options", c->options, out);
		print_common_options(c, out);
	}
	print_more(path[0], c->verbs, out);
	if (c->examples)
		fputs("\nExamples\n", out);
	for (const char *const *e = c->examples; e && *e; e++)
		fprintf(out, "  ssdct %s\n", *e);
}

void ssd_help(const struct ssd_cmdline *line, FILE *out)
{
	if (line->globals.version && !line->globals.help)
		fprintf(out, "ssdct %s\n", SSDCT_VERSION);
	else if (line->command)
		print_command(line->path, out);
	else
		print_program(out);
}

int ssd_help_wanted(const struct ssd_cmdline *line, struct ssd_err *err)
{
	char names[400];

	ssd_command_names(line->command ? line->command->verbs : ssd_commands, names, sizeof(names));
	ssd_fail(err, SSD_ERR_USAGE, "%s is missing: %s", line->command ? "the verb" : "the command", names);
	ssd_hint(err, "see ssdct %s%s--help", line->command ? line->command->name : "", line->command ? " " : "");
	return SSD_EXIT_USAGE;
}

int ssd_help_for(const char *const *words, size_t n, FILE *out, struct ssd_err *err)
{
	const char *argv[4] = {"ssdct"};
	struct ssd_cmdline line;
	int rc;

	for (size_t i = 0; i < n && i < 2; i++)
		argv[i + 1] = words[i];
	rc = ssd_cmdline_parse(&line, (int)(n > 2 ? 2 : n) + 1, (char **)argv, err);
	if (!rc)
		ssd_help(&line, out);
	ssd_cmdline_free(&line);
	return rc;
}
