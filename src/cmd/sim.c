/* SPDX-License-Identifier: MIT */
/* ssdct sim: simulated hosts, to try things on. */
#include "cmd.h"

#include "cmd/sim.h"
#include "sim/host.h"
#include "sim/sim.h"

/* --- models --- */

static const struct ssd_field model_fields[] = {
	{"name", "Name", "Word for --model", SSD_STR},
	{"model", "Model", "Model number that the drive reports", SSD_STR},
	{"firmware", "Firmware", "Revision that runs", SSD_STR},
	{"nvme_version", "NVMe", "VER of Identify Controller; drives before 1.2 do not say", SSD_STR},
	{"size_bytes", "Size", "Bytes of namespace 1", SSD_UINT, SSD_BYTES},
	{"summary", "What it is", NULL, SSD_STR},
	SSD_FIELD_END,
};

static const struct ssd_field models_top[] = {
	{"models", "Models", "Drives that `sim create` can make", SSD_LIST, .sub = model_fields},
	SSD_FIELD_END,
};

static int models_run(struct ssd_run *run, struct ssd_err *err)
{
	struct ssd_node *list = ssd_set_list(run->doc, "models");
	char version[16];

	(void)err;
	for (const struct sim_model *const *m = sim_models; *m; m++) {
		struct ssd_node *item = ssd_add_item(list);

		snprintf(version, sizeof(version), "%u.%u.%u", (*m)->ver >> 16, (*m)->ver >> 8 & 0xff,
			 (*m)->ver & 0xff);
		ssd_set_str(item, "name", (*m)->name);
		ssd_set_str(item, "model", (*m)->model);
		ssd_set_str(item, "firmware", (*m)->slots[(*m)->running_slot - 1]);
		ssd_set_str(item, "nvme_version", (*m)->ver ? version : NULL);
		ssd_set_uint(item, "size_bytes", sim_model_bytes(*m));
		ssd_set_str(item, "summary", (*m)->summary);
	}
	return 0;
}

static void models_text(const struct ssd_run *run, FILE *out)
{
	static const struct ssd_column columns[] = {{"NAME"}, {"MODEL"}, {"FIRMWARE"}, {"SIZE", true}, {"WHAT IT IS"}};
	struct ssd_table *t = ssd_table_new(columns, ARRAY_SIZE(columns));
	const struct ssd_node *list = ssd_get(run->doc, "models");

	for (const struct ssd_node *item = list ? list->child : NULL; item; item = item->next) {
		char size[32];

		ssd_bytes_text((double)ssd_get_int(item, "size_bytes", 0), size);
		ssd_table_row(t, (const char *const[]){ssd_get_str(item, "name", ""), ssd_get_str(item, "model", ""),
						       ssd_get_str(item, "firmware", ""), size,
						       ssd_get_str(item, "summary", "")});
	}
	ssd_table_print(t, out, "");
	ssd_table_free(t);
}

static const struct ssd_command sim_models_command = {
	.name = "models",
	.summary = "drives that `sim create` can make",
	.usage = "",
	.examples = (const char *const[]){"sim models", "sim models -o json", NULL},
	.top = models_top,
	.run = models_run,
	.text = models_text,
};

/* --- create --- */

struct create_options {
	struct ssd_strs models;
	const char *from;
};

static const struct ssd_option create_options[] = {
	{"model", 0, SSD_OPT_STRS, SSD_OPTION(struct create_options, models), "NAME[:COUNT]",
	 "a drive, or COUNT of them; may be repeated"},
	{"from", 0, SSD_OPT_STR, SSD_OPTION(struct create_options, from), "HOST",
	 "copy this recorded or simulated host"},
	{.type = SSD_OPT_END},
};

static const struct ssd_field created_fields[] = {
	{"device", "Device", NULL, SSD_STR},
	{"model", "Model", "Model number (MN)", SSD_STR},
	{"serial", "Serial", "Serial number (SN)", SSD_STR},
	{"firmware", "Firmware", "Firmware revision (FR)", SSD_STR},
	SSD_FIELD_END,
};

static const struct ssd_field create_top[] = {
	{"directory", "Directory", "The new host directory", SSD_STR},
	{"created", "Drives", "The drives in it", SSD_LIST, .sub = created_fields},
	SSD_FIELD_END,
};

static int unknown_model(const char *word, struct ssd_err *err)
{
	const char *names[32];
	size_t n = 0;

	while (n < ARRAY_SIZE(names) && sim_models[n]) {
		names[n] = sim_models[n]->name;
		n++;
	}
	ssd_fail(err, SSD_ERR_USAGE, "--model: no model \"%s\"", word);
	if (ssd_nearest(word, names, n))
		ssd_hint(err, "did you mean %s? All of them: ssdct sim models", ssd_nearest(word, names, n));
	else
		ssd_hint(err, "all of them: ssdct sim models");
	return -1;
}

/* "p3700" or "p3700:4". */
static int parse_order(const char *word, struct sim_order *order, struct ssd_err *err)
{
	AUTO_FREE char *name = ssd_strdup(word);
	char *colon = strchr(name, ':'), *end;
	unsigned long count = 1;

	if (colon) {
		*colon++ = '\0';
		count = strtoul(colon, &end, 10);
		if (!*colon || *end || *colon < '0' || *colon > '9' || count < 1 || count > 1024)
			return ssd_fail(err, SSD_ERR_USAGE, "--model: \"%s\" is not a number of drives from 1 to 1024",
					colon);
	}
	*order = (struct sim_order){sim_model_find(name), (unsigned)count};
	return order->model ? 0 : unknown_model(name, err);
}

static int create_from_models(const struct create_options *o, const char *dir, struct ssd_err *err)
{
	static const char *const trio[] = {"p3700", "p3600", "p4510"};
	const char *const *words = o->models.n ? o->models.v : trio;
	size_t n = o->models.n ? o->models.n : ARRAY_SIZE(trio);
	AUTO_FREE struct sim_order *orders = ssd_calloc(n, sizeof(*orders));

	for (size_t i = 0; i < n; i++)
		if (parse_order(words[i], &orders[i], err))
			return -1;
	return sim_host_create(dir, orders, n, err);
}

static void show_drives(struct ssd_run *run)
{
	struct ssd_node *list = ssd_set_list(run->doc, "created");

	for (size_t i = 0; i < run->host->n_drives; i++) {
		const struct ssd_drive *d = &run->host->drives[i];
		struct ssd_node *item = ssd_add_item(list);

		ssd_set_str(item, "device", d->device);
		ssd_set_str(item, "model", d->model);
		ssd_set_str(item, "serial", d->serial);
		ssd_set_str(item, "firmware", d->firmware);
	}
}

static int create_run(struct ssd_run *run, struct ssd_err *err)
{
	const struct create_options *o = run->options;
	const char *dir = run->words[0];

	if (o->from && o->models.n)
		return ssd_fail(err, SSD_ERR_USAGE, "--from and --model: one or the other");
	if (o->from ? sim_host_copy(dir, o->from, err) : create_from_models(o, dir, err))
		return -1;
	ssd_host_free(run->host);
	run->host = ssd_host_scan(dir, err);
	if (!run->host)
		return -1;
	ssd_set_str(run->doc, "backend", ssd_backend_name(run->host->backend));
	ssd_set_str(run->doc, "directory", dir);
	show_drives(run);
	return 0;
}

static void create_text(const struct ssd_run *run, FILE *out)
{
	static const struct ssd_column columns[] = {{"DEVICE"}, {"MODEL"}, {"SERIAL"}, {"FIRMWARE"}};
	struct ssd_table *t = ssd_table_new(columns, ARRAY_SIZE(columns));

	for (size_t i = 0; run->host && i < run->host->n_drives; i++) {
		const struct ssd_drive *d = &run->host->drives[i];

		ssd_table_row(t, (const char *const[]){d->device, d->model, d->serial, d->firmware});
	}
	fprintf(out, "%s: a simulated host\n", ssd_get_str(run->doc, "directory", ""));
	ssd_table_print(t, out, "  ");
	ssd_table_free(t);
	fprintf(out, "use it with --host %s, or: export SSDCT_HOST=%s\n", ssd_get_str(run->doc, "directory", ""),
		ssd_get_str(run->doc, "directory", ""));
}

static const struct ssd_command sim_create = {
	.name = "create",
	.summary = "make a simulated host",
	.usage = "DIR [--model NAME[:COUNT] ... | --from HOST]",
	.help = "Makes a host directory with drives that answer like real ones and keep what is done to them. Without "
		"--model:\n"
		"one p3700, one p3600 and one p4510. With --from: a copy of a recorded host, to rehearse a change on "
		"before\n"
		"touching the real drive. DIR must be new or empty. The same command always makes the same host.",
	.examples = (const char *const[]){"sim create /tmp/lab", "sim create /tmp/lab --model p4510:12 --model generic",
					  "sim create /tmp/rehearsal --from /tmp/recorded", NULL},
	.min_words = 1,
	.max_words = 1,
	.options = create_options,
	.options_size = sizeof(struct create_options),
	.top = create_top,
	.run = create_run,
	.text = create_text,
};

/* --- fault --- */

/* All words: an option that was not given must be told from 0. */
struct fault_options {
	const char *opcode, *lid, *cns, *fid, *nsid, *reset, *nth, *count;
	const char *status, *error, *delay_ms, *bytes, *vanish_ms, *lost;
	bool untouched, clear;
};

#define FAULT(member) SSD_OPT_STR, SSD_OPTION(struct fault_options, member)

static const struct ssd_option fault_options[] = {
	{"opcode", 0, FAULT(opcode), "N", "admin commands with this opcode; without: all"},
	{"lid", 0, FAULT(lid), "N", "only Get Log Page of this page"},
	{"cns", 0, FAULT(cns), "N", "only Identify of this structure"},
	{"fid", 0, FAULT(fid), "N", "only Get or Set Features of this feature"},
	{"nsid", 0, FAULT(nsid), "N", "only with this namespace id"},
	{"reset", 0, FAULT(reset), "KIND", "not commands, but resets of this kind: controller, subsystem or any"},
	{"nth", 0, FAULT(nth), "N", "from the N-th match on (default 1)"},
	{"count", 0, FAULT(count), "N", "for N matches (default 1; 0: for ever)"},
	{"status", 0, FAULT(status), "N", "complete with this status, 15 bits as the kernel returns it (0x4002)"},
	{"errno", 0, FAULT(error), "NAME", "fail in the kernel with this errno (EINTR)"},
	{"delay-ms", 0, FAULT(delay_ms), "N", "answer this much later"},
	{"short", 0, FAULT(bytes), "N", "succeed, but return only this many bytes"},
	{"untouched", 0, SSD_OPT_FLAG, SSD_OPTION(struct fault_options, untouched), NULL,
	 "succeed, but return no data"},
	{"vanish-ms", 0, FAULT(vanish_ms), "N", "complete, then be gone for this long (-1: for ever)"},
	{"lost", 0, FAULT(lost), "NAME", "do it, but fail in the kernel with this errno, as if the answer were lost"},
	{"clear", 0, SSD_OPT_FLAG, SSD_OPTION(struct fault_options, clear), NULL,
	 "remove all rules and what they counted"},
	{.type = SSD_OPT_END},
};

/* Option by option: the member of the rule, its range, and how drive.json shows it. */
static const struct rule_member {
	const char *option, *key;
	size_t offset;
	int64_t min, max;
	bool hex;
} rule_members[] = {
	{"opcode", "opcode", offsetof(struct fault_options, opcode), 0, 0xff, true},
	{"lid", "lid", offsetof(struct fault_options, lid), 0, 0xff, true},
	{"cns", "cns", offsetof(struct fault_options, cns), 0, 0xff, true},
	{"fid", "fid", offsetof(struct fault_options, fid), 0, 0xff, true},
	{"nsid", "nsid", offsetof(struct fault_options, nsid), 0, UINT32_MAX, false},
	{"nth", "nth", offsetof(struct fault_options, nth), 1, INT32_MAX, false},
	{"count", "count", offsetof(struct fault_options, count), 0, INT32_MAX, false},
	{"status", "status", offsetof(struct fault_options, status), 0, 0x7fff, true},
	{"delay-ms", "delay_ms", offsetof(struct fault_options, delay_ms), 0, 86400000, false},
	{"short", "short", offsetof(struct fault_options, bytes), 0, INT32_MAX, false},
	{"vanish-ms", "vanish_ms", offsetof(struct fault_options, vanish_ms), -1, 86400000, false},
};

static int rule_number(json_t *rule, const struct rule_member *m, const char *text, struct ssd_err *err)
{
	AUTO_JSON json_t *word = json_string(text);
	char hex[24];
	int64_t v = -1;

	if (!(m->min < 0 && !strcmp(text, "-1")) && !sim_json_number(word, m->min < 0 ? 0 : m->min, m->max, &v))
		return ssd_fail(err, SSD_ERR_USAGE, "--%s: \"%s\" is not a whole number from %lld to %lld", m->option,
				text, (long long)m->min, (long long)m->max);
	snprintf(hex, sizeof(hex), "0x%02llx", (unsigned long long)v);
	json_object_set_new(rule, m->key, m->hex ? json_string(hex) : json_integer(v));
	return 0;
}

/* What the simulator would say of the rule in the words of drive.json, in those of the command line. */
static int check_words(const struct fault_options *o, struct ssd_err *err)
{
	const struct {
		const char *option, *name;
	} errors[] = {{"errno", o->error}, {"lost", o->lost}};
	bool resets = o->error || o->delay_ms || o->vanish_ms || o->lost,
	     commands = o->status || o->bytes || o->untouched;
	bool selects = o->opcode || o->lid || o->cns || o->fid || o->nsid || o->reset || o->nth || o->count;

	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		if (!errors[i].name || sim_errno_of(errors[i].name))
			continue;
		ssd_fail(err, SSD_ERR_USAGE, "--%s: \"%s\" is no name of an error", errors[i].option, errors[i].name);
		ssd_hint(err, "a name from errno(3), such as EINTR, EIO, ENODEV, EAGAIN, ETIMEDOUT, EACCES, EINVAL");
		return -1;
	}
	if (o->reset && sim_fault_reset_of(o->reset) == SIM_RESET_NONE)
		return ssd_fail(err, SSD_ERR_USAGE, "--reset: \"%s\" is none of controller, subsystem, any", o->reset);
	if (o->reset && commands)
		return ssd_fail(err, SSD_ERR_USAGE, "--reset goes with --errno, --delay-ms, --vanish-ms or --lost");
	if (!selects || resets || commands)
		return 0;
	ssd_fail(err, SSD_ERR_USAGE, "what happens to them is missing");
	ssd_hint(err, "one of --status, --errno, --delay-ms, --short, --untouched, --vanish-ms, --lost");
	return -1;
}

/* The rule that the options say; NULL with *err set. An empty object when they say none. */
static json_t *rule_of(const struct fault_options *o, struct ssd_err *err)
{
	const struct {
		const char *key, *value;
	} words[] = {{"reset", o->reset}, {"errno", o->error}, {"lost", o->lost}};
	json_t *rule = json_object();
	struct sim_fault parsed;
	const char *wrong;

	for (size_t i = 0; i < ARRAY_SIZE(rule_members); i++) {
		const char *text = *(const char *const *)((const char *)o + rule_members[i].offset);

		if (text && rule_number(rule, &rule_members[i], text, err)) {
			json_decref(rule);
			return NULL;
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (words[i].value)
			json_object_set_new(rule, words[i].key, json_string(words[i].value));
	if (o->untouched)
		json_object_set_new(rule, "untouched", json_true());
	wrong = json_object_size(rule) ? sim_fault_parse(rule, &parsed) : NULL;
	if (!wrong)
		return rule;
	ssd_fail(err, SSD_ERR_USAGE, "the fault rule %s", wrong);
	json_decref(rule);
	return NULL;
}

static const struct ssd_field fault_fields[] = {
	{"opcode", "Opcode", "Admin opcode; null: any", SSD_UINT, SSD_HEX},
	{"lid", "Log page", NULL, SSD_UINT, SSD_HEX},
	{"cns", "CNS", "Identify structure", SSD_UINT, SSD_HEX},
	{"fid", "Feature", NULL, SSD_UINT, SSD_HEX},
	{"nsid", "NSID", NULL, SSD_UINT},
	{"reset", "Reset", "Resets of this kind, instead of commands: controller, subsystem, any", SSD_STR},
	{"nth", "From match", "First match that is hit, from 1", SSD_UINT},
	{"count", "Matches", "How many are hit; 0: all from there on", SSD_UINT},
	{"status", "Status", "Status that they complete with", SSD_UINT, SSD_HEX},
	{"errno", "errno", "Error that they fail with in the kernel", SSD_STR},
	{"delay_ms", "Delay", "They are answered this much later", SSD_UINT, SSD_MS},
	{"short_bytes", "Short", "Only this many bytes are returned", SSD_UINT, SSD_BYTES},
	{"untouched", "Untouched", "No data are returned", SSD_BOOL},
	{"vanish_ms", "Vanish", "The drive is gone afterwards for this long; -1: for ever", SSD_INT, SSD_MS},
	{"lost", "Lost", "They are carried out, but the kernel fails with this error", SSD_STR},
	SSD_FIELD_END,
};

static const struct ssd_field fault_element[] = {
	{"faults", "Fault rules", "All rules of the drive, as they are now", SSD_LIST, .sub = fault_fields},
	SSD_FIELD_END,
};

static void show_rule(struct ssd_node *list, const struct sim_fault *f)
{
	struct ssd_node *item = ssd_add_item(list);
	const struct {
		const char *key;
		int64_t value;
	} selectors[] = {{"opcode", f->opcode}, {"lid", f->lid}, {"cns", f->cns}, {"fid", f->fid}, {"nsid", f->nsid}};
	static const char *const effects[] = {
		[SIM_EFFECT_STATUS] = "status",
		[SIM_EFFECT_DELAY] = "delay_ms",
		[SIM_EFFECT_SHORT] = "short_bytes",
	};

	for (size_t i = 0; i < ARRAY_SIZE(selectors); i++)
		if (selectors[i].value >= 0)
			ssd_set_uint(item, selectors[i].key, (uint64_t)selectors[i].value);
	if (f->reset != SIM_RESET_NONE)
		ssd_set_str(item, "reset", sim_fault_reset_word(f->reset));
	ssd_set_uint(item, "nth", f->nth);
	ssd_set_uint(item, "count", f->count);
	if (f->effect == SIM_EFFECT_ERRNO || f->effect == SIM_EFFECT_LOST)
		ssd_set_str(item, f->effect == SIM_EFFECT_LOST ? "lost" : "errno", strerrorname_np((int)f->value));
	else if (f->effect == SIM_EFFECT_UNTOUCHED)
		ssd_set_bool(item, "untouched", true);
	else if (f->effect == SIM_EFFECT_VANISH)
		ssd_set_int(item, "vanish_ms", f->value);
	else
		ssd_set_uint(item, effects[f->effect], (uint64_t)f->value);
}

static int show_rules(struct ssd_row *row, const char *host, const char *name)
{
	struct ssd_node *list = ssd_set_list(row->element, "faults");
	struct sim_config config;
	int rc = sim_config_load(&config, host, name, &row->err);

	for (size_t i = 0; !rc && i < config.n_faults; i++)
		show_rule(list, &config.faults[i]);
	sim_config_free(&config);
	return rc;
}

static int fault_prepare(struct ssd_run *run, struct ssd_err *err)
{
	AUTO_JSON json_t *rule = NULL;

	if (check_words(run->options, err))
		return -1;
	rule = rule_of(run->options, err);
	return rule ? 0 : -1;
}

static int fault_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	const struct fault_options *o = run->options;
	const struct ssd_drive *drive = dev->drive;
	AUTO_JSON json_t *rule = rule_of(o, &row->err);

	if (!rule || sim_check_host(drive->host, drive->device, &row->err))
		return -1;
	if (o->clear && sim_fault_clear(drive->host->dir, drive->device, &row->err))
		return -1;
	if (json_object_size(rule) && sim_fault_add(drive->host->dir, drive->device, rule, &row->err))
		return -1;
	return show_rules(row, drive->host->dir, drive->device);
}

static bool is_for_ever(const struct ssd_node *rule, const char *key)
{
	return (!strcmp(key, "count") && !ssd_get_int(rule, key, 1)) ||
	       (!strcmp(key, "vanish_ms") && ssd_get_int(rule, key, 0) < 0);
}

static void fault_text(const struct ssd_run *run, FILE *out)
{
	const struct ssd_node *list = ssd_get(run->rows[0].element, "faults");
	struct ssd_column columns[ARRAY_SIZE(fault_fields)] = {{NULL}};
	const char *cells[ARRAY_SIZE(fault_fields)];
	size_t n = ARRAY_SIZE(fault_fields) - 1;
	struct ssd_table *t;

	if (ssd_failed(&run->rows[0].err))
		return;
	for (size_t i = 0; i < n; i++)
		columns[i] = (struct ssd_column){fault_fields[i].label, fault_fields[i].type != SSD_STR};
	ssd_text_title(run, &run->rows[0], out);
	fputs(list && list->child ? "\nFault rules\n" : "\nFault rules: none\n", out);
	t = ssd_table_new(columns, n);
	for (const struct ssd_node *item = list ? list->child : NULL; item; item = item->next) {
		for (size_t i = 0; i < n; i++)
			cells[i] = is_for_ever(item, fault_fields[i].key)
					   ? "for ever"
					   : ssd_node_text(ssd_get(item, fault_fields[i].key));
		ssd_table_row(t, cells);
	}
	if (list && list->child)
		ssd_table_print(t, out, "  ");
	ssd_table_free(t);
}

static const struct ssd_command sim_fault = {
	.name = "fault",
	.summary = "make a simulated drive misbehave",
	.usage = "DRIVE [WHICH COMMANDS] [WHAT HAPPENS] [--clear]",
	.help = "Adds a rule to the drive's drive.json and shows all rules; without options it only shows them. A rule "
		"hits\n"
		"the --nth admin command that it matches and the ones after it, --count in all. Numbers may be "
		"hexadecimal\n"
		"(0x02). Matches are counted across processes. With --reset it hits resets instead, and what happens "
		"to "
		"them is\n"
		"--errno, --delay-ms, --vanish-ms or --lost. --clear comes before a rule that is given with it.",
	.examples = (const char *const[]){"sim fault nvme0 --host /tmp/lab --opcode 0x11 --nth 3 --status 0x4002",
					  "sim fault nvme0 --host /tmp/lab --opcode 2 --lid 2 --untouched --count 0",
					  "sim fault nvme1 --host /tmp/lab --delay-ms 3000",
					  "sim fault nvme1 --host /tmp/lab --reset controller --lost ETIMEDOUT",
					  "sim fault nvme0 --host /tmp/lab --clear", NULL},
	.flags = SSD_CMD_SYSFS,
	.drives = SSD_DRIVES_ONE,
	.options = fault_options,
	.options_size = sizeof(struct fault_options),
	.fields = fault_element,
	.prepare = fault_prepare,
	.each = fault_each,
	.text = fault_text,
};

const struct ssd_command cmd_sim = {
	.name = "sim",
	.summary = "simulated hosts: create, models, fault, image, reset, power-cycle, serve",
	.verbs = (const struct ssd_command *const[]){&sim_create, &sim_models_command, &sim_fault, &sim_image,
						     &sim_reset, &sim_power_cycle, &sim_serve, NULL},
};
