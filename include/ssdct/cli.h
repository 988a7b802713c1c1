/* SPDX-License-Identifier: MIT */
/*
 * Commands as data. A command is one const struct; the dispatcher parses its options by their table, resolves its drives,
 * runs `each` for every drive (in a worker process of its own), and renders the document that results.
 */
#ifndef SSDCT_CLI_H
#define SSDCT_CLI_H

#include <ssdct/admin.h>
#include <ssdct/doc.h>
#include <ssdct/render.h>

enum ssd_option_type {
	SSD_OPT_END,
	SSD_OPT_FLAG, /* bool */
	SSD_OPT_UINT, /* uint64_t, whole number in decimal or 0x hexadecimal, within min and max */
	SSD_OPT_SIZE, /* uint64_t, bytes: decimal, with or without a unit (4096, 512K, 2GiB, 1.92TB), within min and max */
	SSD_OPT_STR,  /* const char * */
	SSD_OPT_STRS, /* struct ssd_strs: may be given more than once */
	SSD_OPT_ENUM, /* unsigned: index in `words` */
};

struct ssd_strs {
	const char **v;
	size_t n;
};

struct ssd_option {
	const char *name; /* long name without dashes */
	char letter;      /* short name, or 0 */
	enum ssd_option_type type;
	size_t offset, size; /* where the value goes in the command's options, and how large that member is */
	const char *arg;     /* placeholder in help */
	const char *help;
	uint64_t min, max;
	const char *const *words; /* SSD_OPT_ENUM, NULL-terminated */
	uint64_t preset;          /* SSD_OPT_UINT: when the option is not given */
};

#define SSD_OPTION(t, member) .offset = offsetof(t, member), .size = sizeof(((t *)0)->member)

struct ssd_globals {
	bool json, verbose, quiet, dry_run, help, version, all;
	bool yes, force;          /* commands with SSD_CMD_CHANGES */
	const char *confirm;      /* likewise */
	unsigned output;          /* SSD_OUTPUT_... */
	const char *host;         /* host directory, or NULL */
	const char *trace;        /* file, or NULL */
	uint64_t timeout_seconds; /* 0: not given */
};
enum { SSD_OUTPUT_TEXT, SSD_OUTPUT_JSON, SSD_OUTPUT_NAGIOS };

enum ssd_drives { SSD_DRIVES_NONE, SSD_DRIVES_ONE, SSD_DRIVES_SOME, SSD_DRIVES_OR_ALL };

enum {
	SSD_CMD_NAGIOS = 1, /* has -o nagios */
	SSD_CMD_SYSFS = 2,  /* sends nothing: drives are not opened unless the command asks */
	SSD_CMD_MONITOR =
		4, /* exit codes of a monitoring plugin, and `status` at the top; simulated only with --allow-simulated */
	SSD_CMD_TIMEOUT = 8,  /* 10 s when --timeout is not given */
	SSD_CMD_RAW = 16,     /* may write raw bytes to stdout instead of a document */
	SSD_CMD_DRY_RUN = 32, /* knows --dry-run */
	SSD_CMD_ANY_LOG = 64, /* its document may hold any log page that has a decoder */
	/*
	 * Changes a drive: one drive after another, in this process, until one fails; --yes and so on. Not so when `prepare`
	 * has found that it only reads this time.
	 */
	SSD_CMD_CHANGES = 128,
	SSD_CMD_SUBSYSTEM = 256, /* several controllers of one subsystem are one drive: a serial number may name them */
	SSD_CMD_HOST_WORD = 512, /* the first word may be a host directory, instead of --host */
	SSD_CMD_FOLD = 1024,     /* a namespace stands for its drive, and no drive comes twice */
	SSD_CMD_ANY_IDENTIFY = 2048, /* its document may hold any Identify structure that has a decoder */
	SSD_CMD_ANY_FEATURE = 4096,  /* its document may hold the value of any feature that has a table */
	SSD_CMD_LOCAL = 8192,        /* uses the operator's page descriptions */
	SSD_CMD_PATHS = 16384,       /* a file, or a block device that is no namespace, may stand for a drive */
};

/* Exit codes of a monitoring plugin (monitoring-plugins, doc/developer-guidelines.sgml). */
enum { SSD_MONITOR_OK, SSD_MONITOR_WARNING, SSD_MONITOR_CRITICAL, SSD_MONITOR_UNKNOWN };

/* What became of one drive. Lives in memory shared with the worker. */
struct ssd_row {
	struct ssd_target target;
	struct ssd_arena *arena;
	struct ssd_node *element; /* of "drives": identity filled in before `each` runs */
	struct ssd_err err;
	const uint8_t *raw; /* SSD_CMD_RAW: instead of a document */
	size_t raw_len;
	int exit; /* of a row that did not fail: 0, SSD_EXIT_PENDING, or SSD_EXIT_FAILED for a bad verdict */
};

struct ssd_run {
	const struct ssd_command *command;
	struct ssd_globals globals;
	void *options;      /* the command's own, zeroed before parsing */
	const char **words; /* words that are not drives */
	size_t n_words;
	struct ssd_host *host;
	struct ssd_local *local;    /* the operator's page descriptions, with SSD_CMD_LOCAL; NULL: none */
	struct ssd_drive *no_drive; /* SSD_CMD_PATHS: what stands for the drive of a path */
	struct ssd_row *rows;
	size_t n_rows;
	struct ssd_arena *arena; /* of the envelope */
	struct ssd_node *doc;    /* the envelope: schema, version, command, ..., and the command's own top-level keys */
	void *sink;              /* of the trace */
	bool open_drives;        /* whether `each` needs an opened device */
	bool reads;              /* SSD_CMD_CHANGES, set by `prepare`: nothing is to be changed this time */
	bool ran;                /* the rows have been through `each`: there is something to show even if all failed */
	FILE *out;               /* stdout */
	bool printed;            /* the command has written its result to `out` itself (help, schema) */
	int exit;                /* a command's own verdict; -1: computed from the rows */
};

struct ssd_command {
	const char *name;
	const char *summary;                    /* one line */
	const char *usage;                      /* "DRIVE NAME|LID [--raw]" */
	const char *help;                       /* paragraphs */
	const char *const *examples;            /* NULL-terminated, without "ssdct " */
	const struct ssd_command *const *verbs; /* NULL-terminated: the next word is one of these */
	unsigned flags;
	enum ssd_drives drives;
	unsigned min_words, max_words; /* words besides the drives, after them */
	const struct ssd_option *options;
	size_t options_size;
	const struct ssd_field *fields;      /* keys in each element of "drives", besides identity */
	const struct ssd_page *const *pages; /* pages in each element, each under its own key; NULL-terminated */
	const struct ssd_field *top;         /* top-level keys, besides the envelope's */
	int (*prepare)(struct ssd_run *run, struct ssd_err *err); /* checks options before anything is opened */
	/* What is known without a command: called for every row, also for one whose drive does not answer. */
	void (*known)(struct ssd_node *element, const struct ssd_drive *drive);
	int (*each)(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row); /* -1: row->err is set */
	int (*run)(struct ssd_run *run, struct ssd_err *err);                          /* commands without drives */
	/* SSD_CMD_CHANGES: a drive is done and another one follows: what became of it, as a note before the next question. */
	void (*done)(const struct ssd_run *run, const struct ssd_row *row);
	int (*finish)(struct ssd_run *run, struct ssd_err *err); /* after all drives: top-level keys, exit */
	/* Instead, when a signal has ended the run: undoes what `each` has done, and fails the rows that were done. */
	void (*interrupted)(struct ssd_run *run);
	void (*text)(const struct ssd_run *run, FILE *out); /* instead of the document as it is */
};

/* " (simulated)" or " (recorded)" behind a drive's name in text; empty on this machine. */
const char *ssd_host_note(const struct ssd_run *run);
/* The line above what is said about one drive: names, serial number, firmware, and the note. */
void ssd_text_title(const struct ssd_run *run, const struct ssd_row *row, FILE *out);

/* Opens a drive (again) as the dispatcher does, with the run's trace. Returns 0, or -1 with *err set. */
int ssd_run_open(const struct ssd_run *run, const struct ssd_drive *drive, struct ssd_device *dev, struct ssd_err *err);
/* A change reaches the whole namespace, or the whole drive: more than a partition's name asks for. 0 when none was named. */
int ssd_refuse_partition(const struct ssd_run *run, const struct ssd_target *target, struct ssd_err *err);

/* A note for people on stderr; not with --quiet. */
void ssd_note(const struct ssd_run *run, const char *fmt, ...) PRINTF(2, 3);

/* The nearest of n words to a mistyped one, or NULL when none is near: "did you mean". */
const char *ssd_nearest(const char *word, const char *const *words, size_t n);

/*
 * Reads a page into the row's element, under the page's own key. Returns 0, or -1 with row->err set.
 */
int ssd_row_page(struct ssd_device *dev, struct ssd_row *row, const struct ssd_page *page, uint32_t nsid);
/*
 * Reads the pages that the drive's vendor adds to a command. One that the drive does not have is null. So is one that could
 * not be read for another reason, but then the result is -1, with row->err set to the first of these reasons.
 */
int ssd_row_vendor_pages(struct ssd_device *dev, struct ssd_row *row, const char *command);
/* The same for the operator's page descriptions of this drive that are to be read unasked: all in one object. */
int ssd_row_local_pages(struct ssd_device *dev, struct ssd_row *row, const char *command);
/* The object in a row's element, made on demand, that holds pages from an operator's descriptions and nothing else. */
struct ssd_node *ssd_row_local(struct ssd_row *row);
extern const struct ssd_field ssd_local_field;
/*
 * What `feature set NAME VALUE` does, for a vendor's verb of one feature: plan, question, reading back, exit code. The command
 * has SSD_CMD_CHANGES and SSD_CMD_DRY_RUN, and the fields and the text of `feature set`.
 */
int ssd_feature_set(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row, const char *name,
		    const char *value);
void ssd_feature_set_text(const struct ssd_run *run, FILE *out);
extern const struct ssd_field ssd_feature_fields[];
/*
 * Has `read` ask for log pages that clear when they are read: one question, or --yes, unless an option of the command has
 * asked for just that. The command has SSD_CMD_CHANGES; in a dry run, which ends before the question, `read` is not called.
 */
int ssd_run_clearing(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row, bool asked_for, const char *what,
		     int (*read)(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row));
/* Whether the drive said that it does not have what was asked for: an answer, not a failure. */
bool ssd_is_refusal(const struct ssd_err *err);

/*
 * Descriptors of a command's output: the envelope with the command's top-level keys, and the element of "drives" with the
 * command's keys (and, for the schema, those of every vendor's page). Owned by the arena.
 */
const struct ssd_field *ssd_envelope_field(struct ssd_arena *a, const struct ssd_command *command);
const struct ssd_field *ssd_element_field(struct ssd_arena *a, const struct ssd_command *command, bool with_vendors);

/* A drive's identity from what is known without a command. */
void ssd_element_identity(struct ssd_node *element, const struct ssd_drive *drive);
/* Replaces it by what Identify Controller says, which is newer than sysfs. */
void ssd_element_refresh(struct ssd_node *element, const struct ssd_device *dev);

/* Sets "ok" and "error" of the envelope or of an element; err NULL or without code: ok. */
void ssd_set_error(struct ssd_node *obj, const struct ssd_err *err);

/* Help of a command by its words ("fw", "update"); -1 with a usage error. */
int ssd_help_for(const char *const *words, size_t n, FILE *out, struct ssd_err *err);

/* The whole program: parses, runs, prints, returns the exit code. */
int ssd_cli_main(int argc, char **argv);

/* The table of commands, defined in main.c, NULL-terminated; for help, schema and completion. */
extern const struct ssd_command *const ssd_commands[];

#endif
