/* SPDX-License-Identifier: MIT */
/* The dispatcher: from argv to exit code, the same for every command. */
#include "help.h"
#include "options.h"
#include "workers.h"

#include <errno.h>
#include <ssdct/signals.h>
#include <fcntl.h>
#include <signal.h>
#include <ssdct/local.h>
#include <sys/stat.h>
#include <time.h>

/*
 * Address space for one drive's document; memory is what is used of it. Where the kernel does not overcommit it is taken all
 * the same, so it is large only where a page may be: 4 MiB of a log page in hexadecimal, or as events.
 */
#define ARENA_BYTES (16u << 20)
#define LARGE_ARENA_BYTES (256u << 20)
#define RUN_ARENA_BYTES (64u << 20)
#define DEFAULT_TIMEOUT_SECONDS 10 /* CONTRACT section 1 */

static const char *host_dir(const struct ssd_globals *g)
{
	const char *env = getenv("SSDCT_HOST");

	return g->host ? g->host : env && *env ? env : NULL;
}

/* A verdict that nobody got is unknown: only critical is worse. */
static int lost_output(const struct ssd_command *command, int code)
{
	if (command && command->flags & SSD_CMD_MONITOR)
		return code == SSD_MONITOR_CRITICAL ? code : SSD_MONITOR_UNKNOWN;
	return code ? code : SSD_EXIT_FAILED;
}

static void fill_envelope(struct ssd_run *run, const struct ssd_cmdline *line)
{
	char path[64], name[256] = "", date[32];
	time_t now = time(NULL);

	run->arena = ssd_arena_new(RUN_ARENA_BYTES);
	if (!run->arena) {
		fputs("ssdct: out of memory\n", stderr);
		exit(lost_output(line->command, SSD_EXIT_OK));
	}
	run->doc = ssd_obj_new(run->arena, ssd_envelope_field(run->arena, line->command));
	gethostname(name, sizeof(name) - 1);
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
	ssd_set_str(run->doc, "schema", "ssdct/1");
	ssd_set_str(run->doc, "version", SSDCT_VERSION);
	ssd_set_str(run->doc, "command", ssd_command_path(line, path, sizeof(path)));
	ssd_set_str(run->doc, "hostname", name);
	ssd_set_str(run->doc, "time", date);
	ssd_set_str(run->doc, "backend", ssd_backend_name(ssd_host_backend(host_dir(&run->globals))));
	ssd_set_list(run->doc, "drives");
}

static int check_globals(const struct ssd_run *run, const struct ssd_command *c, struct ssd_err *err)
{
	if (run->globals.output == SSD_OUTPUT_NAGIOS && !(c->flags & SSD_CMD_NAGIOS))
		return ssd_fail(err, SSD_ERR_USAGE, "-o nagios: only `check` has it");
	if (run->globals.dry_run && !(c->flags & SSD_CMD_DRY_RUN))
		return ssd_fail(err, SSD_ERR_USAGE, "--dry-run: this command changes nothing");
	if ((run->globals.yes || run->globals.force || run->globals.confirm) && !(c->flags & SSD_CMD_CHANGES))
		return ssd_fail(err, SSD_ERR_USAGE, "--yes, --force, --confirm: this command changes no drive");
	if (run->globals.all && (c->drives == SSD_DRIVES_NONE || c->drives == SSD_DRIVES_ONE))
		return ssd_fail(err, SSD_ERR_USAGE, "--all: this command takes %s",
				c->drives == SSD_DRIVES_ONE ? "one drive" : "no drives");
	return 0;
}

/* The last n words are not drives. */
static int check_word_count(const struct ssd_run *run, size_t n, unsigned min, unsigned max, struct ssd_err *err)
{
	if (n >= min && n <= max)
		return 0;
	ssd_fail(err, SSD_ERR_USAGE, n < min ? "an argument is missing" : "unexpected argument \"%s\"",
		 n < min ? "" : run->words[run->n_words - n + max]);
	ssd_hint(err, "usage: ssdct %s %s", ssd_get_str(run->doc, "command", ""),
		 run->command->usage ? run->command->usage : "");
	return -1;
}

static void add_row(struct ssd_run *run, const struct ssd_target *target)
{
	run->rows = ssd_realloc(run->rows, run->n_rows + 1, sizeof(*run->rows));
	run->rows[run->n_rows++] = (struct ssd_row){.target = *target, .err = SSD_ERR_INIT};
}

static bool has_row(const struct ssd_run *run, const struct ssd_target *t)
{
	for (size_t i = 0; i < run->n_rows; i++)
		if (run->rows[i].target.drive == t->drive && run->rows[i].target.nsid == t->nsid)
			return true;
	return false;
}

/* A serial number that several controllers have means one drive where the command says so: if they are one subsystem. */
static bool is_one_drive(const struct ssd_run *run, const struct ssd_target *target)
{
	const struct ssd_drive *first = target->drive;

	if (!(run->command->flags & SSD_CMD_SUBSYSTEM) || !target->by_serial)
		return false;
	for (size_t i = 0; i < run->host->n_drives; i++)
		if (!strcmp(run->host->drives[i].serial, first->serial) &&
		    !ssd_same_subsystem(first, &run->host->drives[i]))
			return false;
	return true;
}

/* The first controller of the drive that answers, or else the one that is given. */
static const struct ssd_drive *live_one(const struct ssd_run *run, const struct ssd_drive *drive)
{
	for (size_t i = 0; i < run->host->n_drives; i++)
		if (ssd_same_subsystem(drive, &run->host->drives[i]) && !strcmp(run->host->drives[i].state, "live"))
			return &run->host->drives[i];
	return drive;
}

/* What is no drive of this machine, but a file or a block device, where the command takes such a thing. */
static bool is_path(struct ssd_run *run, const char *word, struct ssd_target *target)
{
	struct stat st;

	if (!(run->command->flags & SSD_CMD_PATHS) || run->host->dir || stat(word, &st))
		return false;
	if (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode))
		return false;
	if (!run->no_drive)
		run->no_drive = ssd_calloc(1, sizeof(*run->no_drive));
	*run->no_drive = (struct ssd_drive){.host = run->host,
					    .cntlid = -1,
					    .numa_node = -1,
					    .current_link_width = -1,
					    .max_link_width = -1,
					    .pci_vendor = -1,
					    .pci_device = -1,
					    .pci_subsystem_vendor = -1,
					    .pci_subsystem_device = -1};
	*target = (struct ssd_target){.drive = run->no_drive, .path = word};
	return true;
}

static int resolve(struct ssd_run *run, const char *word, struct ssd_err *err)
{
	struct ssd_target target;

	if (ssd_host_resolve(run->host, word, &target, err) && is_path(run, word, &target)) {
		*err = (struct ssd_err)SSD_ERR_INIT;
	} else if (ssd_failed(err)) {
		if (err->code == SSD_ERR_NOT_FOUND && run->command->flags & SSD_CMD_PATHS && !run->host->dir)
			snprintf(err->message, sizeof(err->message), "no such drive, block device or file: %.200s",
				 word);
		if (err->code != SSD_ERR_AMBIGUOUS || !is_one_drive(run, &target))
			return -1;
		*err = (struct ssd_err)SSD_ERR_INIT;
		target.drive = live_one(run, target.drive);
	}
	if (run->command->flags & SSD_CMD_FOLD)
		target.nsid = 0;
	if (!has_row(run, &target))
		add_row(run, &target);
	return 0;
}

/* As the drives stand in the host, which is natural order, whatever the order of the words. */
static int by_drive(const void *a, const void *b)
{
	const struct ssd_target *x = &((const struct ssd_row *)a)->target, *y = &((const struct ssd_row *)b)->target;

	if (x->drive != y->drive)
		return x->drive < y->drive ? -1 : 1;
	return (x->nsid > y->nsid) - (x->nsid < y->nsid);
}

static void sort_rows(struct ssd_run *run)
{
	if (run->n_rows)
		qsort(run->rows, run->n_rows, sizeof(*run->rows), by_drive);
}

/* Splits the words into drives and the rest, and finds the drives. */
static int find_drives(struct ssd_run *run, struct ssd_err *err)
{
	const struct ssd_command *c = run->command;
	size_t n = c->drives == SSD_DRIVES_ONE ? 1 : run->n_words;
	bool all = run->globals.all || (c->drives == SSD_DRIVES_OR_ALL && !n);

	if (!run->host)
		return check_word_count(run, run->n_words, c->min_words, c->max_words, err);
	if (run->n_words < n || (c->drives == SSD_DRIVES_SOME && !n && !all))
		return check_word_count(run, 0, 1, 1, err);
	if (check_word_count(run, run->n_words - n, c->min_words, c->max_words, err))
		return -1;
	if (run->globals.all && n)
		return ssd_fail(err, SSD_ERR_USAGE, "--all is every drive, %s one of them: say one or the other",
				run->words[0]);
	for (size_t i = 0; i < n; i++)
		if (resolve(run, run->words[i], err))
			return -1;
	for (size_t i = 0; all && i < run->host->n_drives; i++)
		if (!has_row(run, &(struct ssd_target){&run->host->drives[i], 0}))
			add_row(run, &(struct ssd_target){&run->host->drives[i], 0});
	/* What is changed is changed in the order in which it was named. */
	if (!(c->flags & SSD_CMD_CHANGES))
		sort_rows(run);
	run->words += n;
	run->n_words -= n;
	return 0;
}

/* DIR in front of the drives: any word where no host is named otherwise; with SSDCT_HOST, one that is a host. */
static void take_host_word(struct ssd_run *run)
{
	AUTO_FREE char *path = NULL;

	if (!(run->command->flags & SSD_CMD_HOST_WORD) || !run->n_words || run->globals.host)
		return;
	path = ssd_asprintf("%s/host.json", run->words[0]);
	if (host_dir(&run->globals) && access(path, F_OK))
		return;
	run->globals.host = *run->words++;
	run->n_words--;
}

static void note_local(void *ctx, const char *text)
{
	ssd_note(ctx, "%s", text);
}

static int scan_host(struct ssd_run *run, struct ssd_err *err)
{
	const char *dir = host_dir(&run->globals);

	if (run->command->drives == SSD_DRIVES_NONE)
		return 0;
	run->host = ssd_host_scan(dir, err);
	if (!run->host)
		return -1;
	ssd_set_str(run->doc, "backend", ssd_backend_name(run->host->backend));
	if (run->command->flags & SSD_CMD_LOCAL)
		run->host->local = run->local = ssd_local_load(run->host, note_local, run);
	if (run->host->mistake)
		ssd_note(run, "%s", run->host->mistake);
	return 0;
}

static struct ssd_node *new_element(const struct ssd_run *run, struct ssd_arena *a, const struct ssd_field *field,
				    const struct ssd_target *target)
{
	struct ssd_node *element = ssd_obj_new(a, field);

	ssd_element_identity(element, target->drive);
	if (target->path) {
		ssd_set_str(element, "device", target->path);
		ssd_set_str(element, "path", target->path);
	}
	if (run->command->known)
		run->command->known(element, target->drive);
	return element;
}

/* Pages that say themselves how long they are. */
static bool has_long_page(const struct ssd_command *c)
{
	for (const struct ssd_page *const *p = c->pages; p && *p; p++)
		if ((*p)->total)
			return true;
	return c->flags & (SSD_CMD_ANY_LOG | SSD_CMD_ANY_IDENTIFY);
}

static size_t arena_bytes(const struct ssd_command *c)
{
	return has_long_page(c) ? LARGE_ARENA_BYTES : ARENA_BYTES;
}

static int open_rows(struct ssd_run *run, struct ssd_err *err)
{
	const struct ssd_field *field = ssd_element_field(run->arena, run->command, false);

	for (size_t i = 0; i < run->n_rows; i++) {
		struct ssd_row *row = &run->rows[i];

		row->arena = ssd_arena_new(arena_bytes(run->command));
		if (!row->arena)
			return ssd_fail_errno(err, errno, "memory for %zu drives", run->n_rows);
		row->element = new_element(run, row->arena, field, &row->target);
	}
	return 0;
}

static bool changes(const struct ssd_run *run)
{
	return run->command->flags & SSD_CMD_CHANGES && !run->reads;
}

/* A row that failed shows the identity and the error; what its worker left unfinished is not shown. */
static void clean_row(struct ssd_run *run, struct ssd_row *row, const struct ssd_field *field)
{
	bool torn = row->err.code == SSD_ERR_TIMEOUT || row->err.code == SSD_ERR_INTERRUPTED ||
		    row->err.code == SSD_ERR_INTERNAL;

	if (torn && !changes(run))
		row->element = new_element(run, run->arena, field, &row->target);
	ssd_set_error(row->element, &row->err);
}

int ssd_run_open(const struct ssd_run *run, const struct ssd_drive *drive, struct ssd_device *dev, struct ssd_err *err)
{
	const struct ssd_trace_sink *sink = run->sink;
	bool tracing = sink->fd >= 0 || sink->verbose;

	return ssd_device_open(dev, drive, tracing ? ssd_trace_write : NULL, run->sink, err);
}

/* One after another, in this process: a question needs the terminal, and what was done must be known at every moment. */
static void run_in_turn(struct ssd_run *run)
{
	bool failed = false;
	sigset_t before;

	/* From here on to the end: what became of the first drive is told, also when a signal keeps us from the second. */
	if (run->n_rows > 1)
		ssd_signals_block(&before);
	for (size_t i = 0; i < run->n_rows; i++) {
		struct ssd_row *row = &run->rows[i];
		struct ssd_device dev = {.drive = row->target.drive};

		if (!failed && run->n_rows > 1 && ssd_signal_wait(0)) {
			failed = true;
			ssd_fail(&row->err, SSD_ERR_INTERRUPTED, "%s: interrupted; nothing was sent",
				 dev.drive->device);
			continue;
		}
		if (failed) {
			ssd_fail(&row->err, SSD_ERR_NOT_ATTEMPTED, "%s: not attempted, as an earlier drive failed",
				 dev.drive->device);
			continue;
		}
		if ((row->target.path || !ssd_run_open(run, row->target.drive, &dev, &row->err)) &&
		    !run->command->each(run, &dev, row))
			row->err = (struct ssd_err)SSD_ERR_INIT;
		failed = ssd_failed(&row->err);
		ssd_element_refresh(row->element, &dev);
		ssd_device_close(&dev);
		if (!failed && run->command->done && i + 1 < run->n_rows)
			run->command->done(run, row);
	}
}

static bool run_rows(struct ssd_run *run, struct ssd_trace_sink *sink)
{
	const struct ssd_field *field = ssd_element_field(run->arena, run->command, false);
	uint64_t seconds = run->globals.timeout_seconds;
	bool finished = true;

	if (!seconds && run->open_drives && run->command->flags & SSD_CMD_TIMEOUT)
		seconds = DEFAULT_TIMEOUT_SECONDS;
	if (changes(run))
		run_in_turn(run);
	else if (run->open_drives)
		finished = ssd_workers_run(run, sink, seconds * 1000);
	for (size_t i = 0; i < run->n_rows; i++) {
		struct ssd_row *row = &run->rows[i];
		struct ssd_device dev = {.drive = row->target.drive};

		if (!run->open_drives)
			run->command->each(run, &dev, row);
		clean_row(run, row, field);
	}
	return finished;
}

/* Whether the rows that failed would all end the program with the code of the first one. */
static bool same_exit(const struct ssd_run *run, const struct ssd_err *first)
{
	for (size_t i = 0; i < run->n_rows; i++)
		if (run->rows[i].err.code != SSD_ERR_NOT_ATTEMPTED &&
		    ssd_err_exit(&run->rows[i].err) != ssd_err_exit(first))
			return false;
	return true;
}

/* The exit code of all rows together, and the error that the envelope shows. */
static int sum_up(const struct ssd_run *run, struct ssd_err *err)
{
	const struct ssd_row *first = NULL;
	int code = SSD_EXIT_OK;
	size_t failed = 0, skipped = 0;
	char rest[48] = "";

	for (size_t i = 0; i < run->n_rows; i++) {
		const struct ssd_row *row = &run->rows[i];

		if (!ssd_failed(&row->err)) {
			code = row->exit ? row->exit : code;
			continue;
		}
		skipped += row->err.code == SSD_ERR_NOT_ATTEMPTED;
		failed += row->err.code != SSD_ERR_NOT_ATTEMPTED;
		if (!first)
			first = row;
	}
	if (!failed)
		return code;
	*err = first->err;
	if (run->n_rows == 1 || err->code == SSD_ERR_INTERRUPTED)
		return (int)ssd_err_exit(err);
	if (skipped)
		snprintf(rest, sizeof(rest), ", %zu not attempted", skipped);
	ssd_fail(err, first->err.code, "%zu of %zu drives failed%s", failed, run->n_rows, rest);
	return same_exit(run, &first->err) ? (int)ssd_err_exit(&first->err) : SSD_EXIT_SOME_FAILED;
}

int ssd_refuse_partition(const struct ssd_run *run, const struct ssd_target *target, struct ssd_err *err)
{
	if (!target->partition)
		return 0;
	ssd_fail(err, SSD_ERR_REFUSED, "%s: a partition was named, and %s is never for that alone",
		 target->drive->device, ssd_get_str(run->doc, "command", "this"));
	ssd_hint(err, "name the namespace, or the drive, if that is what you mean");
	return -1;
}

/* Where paths stand for drives it is for the command to say: what it writes may be a file in the partition. */
static int refuse_partitions(const struct ssd_run *run, struct ssd_err *err)
{
	for (size_t i = 0; changes(run) && !(run->command->flags & SSD_CMD_PATHS) && i < run->n_rows; i++)
		if (ssd_refuse_partition(run, &run->rows[i].target, err))
			return -1;
	return 0;
}

static int execute(struct ssd_run *run, struct ssd_trace_sink *sink, struct ssd_err *err)
{
	const struct ssd_command *c = run->command;
	int code;

	if (!c)
		return SSD_EXIT_USAGE;
	if (check_globals(run, c, err))
		return (int)ssd_err_exit(err);
	take_host_word(run);
	if (scan_host(run, err) || find_drives(run, err))
		return (int)ssd_err_exit(err);
	run->open_drives = c->each && !(c->flags & SSD_CMD_SYSFS);
	if ((c->prepare && c->prepare(run, err)) || refuse_partitions(run, err) ||
	    ssd_trace_open(sink, &run->globals, err) || open_rows(run, err))
		return (int)ssd_err_exit(err);
	run->ran = !c->run;
	if (c->run)
		return c->run(run, err) ? (int)ssd_err_exit(err) : SSD_EXIT_OK;
	if (!run_rows(run, sink))
		return ssd_fail(err, SSD_ERR_INTERRUPTED, "interrupted; nothing was changed"), SSD_EXIT_INTERRUPTED;
	code = sum_up(run, err);
	if (c->finish && c->finish(run, err) && ssd_failed(err))
		return (int)ssd_err_exit(err);
	return code;
}

/* What drives and archives call themselves is in here as they wrote it: it must not steer the terminal. */
static void print_line(const char *prefix, const char *text)
{
	fputs(prefix, stderr);
	for (; *text; text++)
		fprintf(stderr, *text < ' ' || *text > '~' ? "\\x%02X" : "%c", (unsigned char)*text);
	fputc('\n', stderr);
}

static void print_error(const struct ssd_err *err)
{
	print_line("ssdct: ", err->message);
	if (*err->hint)
		print_line("ssdct: hint: ", err->hint);
}

void ssd_note(const struct ssd_run *run, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	if (run->globals.quiet)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	print_line("ssdct: ", text);
}

const char *ssd_host_note(const struct ssd_run *run)
{
	static const char *const notes[] = {[SSD_BACKEND_LINUX] = "",
					    [SSD_BACKEND_SIMULATED] = " (simulated)",
					    [SSD_BACKEND_RECORDED] = " (recorded)"};

	return run->host ? notes[run->host->backend] : "";
}

void ssd_text_title(const struct ssd_run *run, const struct ssd_row *row, FILE *out)
{
	static const char *const keys[] = {"family", "model", "serial", "firmware"};

	fputs(ssd_get_str(row->element, "device", ""), out);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (ssd_get(row->element, keys[i]))
			fprintf(out, "  %s", ssd_get_str(row->element, keys[i], ""));
	fprintf(out, "%s\n", ssd_host_note(run));
}

/* A page that was read is shown, also when another one was not. */
static bool has_page(const struct ssd_row *row)
{
	for (const struct ssd_node *n = row->element ? row->element->child : NULL; n; n = n->next)
		if (n->field->type == SSD_OBJ && !n->null && !(n->field->flags & SSD_NO_TEXT))
			return true;
	return false;
}

static void print_text(const struct ssd_run *run, FILE *out)
{
	bool first = true;

	if (run->command->text) {
		run->command->text(run, out);
		return;
	}
	ssd_render_text(run->doc, out);
	for (size_t i = 0; i < run->n_rows; i++) {
		const struct ssd_row *row = &run->rows[i];

		if (ssd_failed(&row->err) && !has_page(row))
			continue;
		if (!first)
			fputc('\n', out);
		first = false;
		ssd_text_title(run, row, out);
		ssd_render_text(row->element, out);
	}
}

static bool print_raw(const struct ssd_run *run, FILE *out)
{
	bool any = false;

	for (size_t i = 0; i < run->n_rows; i++) {
		if (run->rows[i].raw) {
			fwrite(run->rows[i].raw, 1, run->rows[i].raw_len, out);
			any = true;
		}
	}
	return any;
}

/* Messages of drives that failed; the envelope's own error says it for a single one. */
static void print_row_errors(const struct ssd_run *run)
{
	for (size_t i = 0; run->ran && run->n_rows > 1 && i < run->n_rows; i++)
		if (ssd_failed(&run->rows[i].err))
			print_error(&run->rows[i].err);
}

/* A plugin says on stdout what kept it from judging, too. */
static bool is_plugin(const struct ssd_run *run)
{
	return run->globals.output == SSD_OUTPUT_NAGIOS && run->command->flags & SSD_CMD_NAGIOS;
}

/* What a monitoring command could not judge is a finding on stdout: on stderr as well, cron would mail it twice. */
static bool is_said(const struct ssd_run *run, const struct ssd_err *err)
{
	bool text = run->globals.output == SSD_OUTPUT_TEXT && !run->globals.verbose;

	return text && run->command && run->command->flags & SSD_CMD_MONITOR && run->ran && run->n_rows &&
	       err->code != SSD_ERR_INTERRUPTED;
}

static void output(struct ssd_run *run, const struct ssd_err *err, int code)
{
	struct ssd_node *drives = ssd_set_list(run->doc, "drives");

	sort_rows(run);
	ssd_set_uint(run->doc, "exit", (uint64_t)code);
	ssd_set_error(run->doc, err);
	for (size_t i = 0; i < run->n_rows; i++)
		if (run->rows[i].element)
			ssd_attach(drives, run->rows[i].element);
	if (!run->printed && !print_raw(run, stdout)) {
		if (run->globals.output == SSD_OUTPUT_JSON)
			ssd_render_json(run->doc, stdout, false);
		else if (run->command && (!ssd_failed(err) || run->ran || is_plugin(run)))
			print_text(run, stdout);
	}
	fflush(stdout);
	if (is_said(run, err))
		return;
	if (run->globals.output != SSD_OUTPUT_JSON || run->globals.verbose)
		print_row_errors(run);
	if (ssd_failed(err))
		print_error(err);
}

/* A result that nobody got is a failure; a closed pipe is one too, but the reader knows. */
static int check_stdout(const struct ssd_command *command, int code)
{
	bool failed = ferror(stdout);
	int error = errno;

	if (fclose(stdout)) {
		failed = true;
		error = errno;
	}
	if (!failed)
		return code;
	if (error != EPIPE)
		fprintf(stderr, "ssdct: writing the output: %s\n", strerrordesc_np(error));
	return lost_output(command, code);
}

/* So that no file that we open becomes our standard output or error. */
static void claim_standard_streams(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_RDONLY : O_WRONLY) != fd)
			_exit(SSD_EXIT_FAILED);
}

static void free_run(struct ssd_run *run)
{
	for (size_t i = 0; i < run->n_rows; i++)
		ssd_arena_free(run->rows[i].arena);
	free(run->rows);
	ssd_host_free(run->host);
	ssd_local_free(run->local);
	free(run->no_drive);
	ssd_arena_free(run->arena);
}

/* What kept a monitoring command from judging is a verdict, too. */
static void no_verdict(struct ssd_run *run)
{
	ssd_set_str(run->doc, "status", "unknown");
	run->exit = SSD_MONITOR_UNKNOWN;
}

static int run_command(struct ssd_cmdline *line, struct ssd_err *err, int code)
{
	struct ssd_run run = {.command = line->command,
			      .globals = line->globals,
			      .options = line->options,
			      .words = line->words,
			      .n_words = line->n_words,
			      .out = stdout,
			      .exit = -1};
	struct ssd_trace_sink sink = {.fd = -1};

	run.sink = &sink;
	fill_envelope(&run, line);
	if (!code)
		code = execute(&run, &sink, err);
	if (run.exit < 0 && (code || ssd_failed(err)) && line->command && line->command->flags & SSD_CMD_MONITOR)
		no_verdict(&run);
	if (run.exit >= 0)
		code = run.exit;
	output(&run, err, code);
	if (sink.fd >= 0)
		close(sink.fd);
	free_run(&run);
	return code;
}

int ssd_cli_main(int argc, char **argv)
{
	struct ssd_err err = SSD_ERR_INIT;
	struct ssd_cmdline line;
	int code = 0;

	claim_standard_streams();
	signal(SIGPIPE, SIG_IGN);
	if (ssd_cmdline_parse(&line, argc, argv, &err))
		code = (int)ssd_err_exit(&err);
	if (!code && (line.globals.help || line.globals.version))
		ssd_help(&line, stdout);
	else if (!code && (!line.command || line.command->verbs))
		code = ssd_help_wanted(&line, &err);
	if (code || !(line.globals.help || line.globals.version))
		code = run_command(&line, &err, code);
	code = check_stdout(line.command, code);
	ssd_cmdline_free(&line);
	return code;
}
