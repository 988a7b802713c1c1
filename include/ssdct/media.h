/* SPDX-License-Identifier: MIT */
/*
 * Format NVM and Sanitize: what the drive says (facts), which namespaces lose their data (scope), plan, execution, and
 * verification. Scope and plans are pure functions of the facts.
 */
#ifndef SSDCT_MEDIA_H
#define SSDCT_MEDIA_H

#include <ssdct/admin.h>
#include <ssdct/sanitize_log.h>

#define MEDIA_FORMATS 64

struct media_lbaf {
	uint64_t block_bytes; /* 0: not available */
	uint16_t metadata_bytes;
	uint8_t performance; /* 0 is best, 3 worst */
};

struct media_format {
	unsigned index;
	bool extended;         /* metadata at the end of each block, not in a buffer of their own */
	uint8_t protection;    /* type of the protection information, 0: none */
	bool protection_first; /* in the first bytes of the metadata, not in the last */
};

/* MEDIA_UNTOLD: the drive manages namespaces, and does not say which controllers have this one. */
enum media_elsewhere { MEDIA_NOWHERE_ELSE = -1, MEDIA_UNTOLD = -2 };

struct media_ns {
	uint32_t nsid;
	bool attached; /* to this controller */
	int elsewhere; /* a controller that has it and is not of this host, or one of enum media_elsewhere */
	bool known;    /* what follows was read */
	uint8_t eui64[8], nguid[16];
	uint64_t blocks;
	struct media_format format;
	struct media_lbaf formats[MEDIA_FORMATS];
	unsigned n_formats;
	uint8_t mc, dpc;
	int remaining_percent; /* of a format that runs; -1: the drive does not tell */
};

struct media_facts {
	char serial[21];
	uint16_t oacs;
	uint8_t fna;
	uint32_t sanicap;
	bool many_controllers;  /* CMIC bit 1: the subsystem may have several */
	bool lists_controllers; /* and says which of them has a namespace */
	struct media_ns *ns;    /* of the subsystem, as far as anybody tells, by nsid; owned */
	size_t n;
	const char *busy_with; /* an operation that must end first, in words, or NULL */
	bool sanitizes;        /* SANICAP names an operation: log is read */
	struct ssd_sanitize_log log;
	/* The last operation failed, and nothing shows that the drive does not refuse nearly everything until another succeeds. */
	bool failure_mode;
};

/*
 * Asks the drive anew: Identify Controller, the lists of attached and of allocated namespaces, each of these, log page 81h.
 * Namespaces of other controllers of the subsystem on this host count too. 0, or -1 with *err set; free in both cases.
 */
int media_facts_read(struct ssd_device *dev, struct media_facts *facts, struct ssd_err *err);
/* One namespace's Identify (CNS 00h, or 11h where it is not attached) into ns, whose nsid and attached are set. */
int media_ns_read(struct ssd_device *dev, struct media_ns *ns, struct ssd_err *err);
void media_ns_decode(const uint8_t *buf, size_t len, struct media_ns *ns);
int media_log_read(struct ssd_device *dev, struct ssd_sanitize_log *log, struct ssd_err *err);
/*
 * Whether the drive is in the failure mode: the log says what the last operation came to also when that mode was left, so a
 * page is asked for that the drive does not show in it. 1: it is; 0: it is not; -1: not known, *err says why.
 */
int media_failure_mode(struct ssd_device *dev, const struct ssd_sanitize_log *log, struct ssd_err *err);
void media_facts_free(struct media_facts *facts);
const struct media_ns *media_find(const struct media_facts *facts, uint32_t nsid);
/* Whether nothing has changed that a plan depends on. */
bool media_facts_equal(const struct media_facts *a, const struct media_facts *b);
uint64_t media_bytes(const struct media_ns *ns); /* size; 0: not known */

enum media_erase { MEDIA_ERASE_NONE, MEDIA_ERASE_USER_DATA, MEDIA_ERASE_CRYPTO };

/* --- scope --- */

struct media_scope {
	uint32_t *nsids; /* that lose their data; owned */
	size_t n;
	bool *formatted;    /* by nsids: they get the format as well */
	bool together;      /* every command formats all of these (FNA bit 0) */
	bool erased_once;   /* the first of several commands erases all (FNA bit 1): the others have no erase setting */
	uint32_t *commands; /* NSIDs of the commands that this takes; owned */
	size_t n_commands;  /* of a format */
	bool widened;       /* more than the namespace or controller that was named */
};
/*
 * What a format of nsid (0: the controller was named) reaches: FNA bits 0 and 1 with the erase setting, and bit 3. all:
 * the user said --all-namespaces, which permits what the drive does by itself and never widens what was named. Returns 0, or
 * -1 with the reason: refused (wider than asked, several namespaces), usage (both a namespace and all), not_found,
 * unsupported. Free in both cases.
 */
int media_scope_format(const struct media_facts *facts, uint32_t nsid, bool all, enum media_erase erase,
		       struct media_scope *scope, struct ssd_err *err);
/* Not one command for all of them, which says one format, but one for each. Not where the drive formats them together. */
void media_scope_split(const struct media_facts *facts, enum media_erase erase, struct media_scope *scope);
/* A sanitize operation: all of the subsystem. */
void media_scope_sanitize(const struct media_facts *facts, struct media_scope *scope);
void media_scope_free(struct media_scope *scope);

/* --- format --- */

struct format_options {
	bool all_namespaces;
	enum media_erase erase;
	uint64_t block_bytes; /* 0: as it is */
	int lba_format;       /* -1: by block_bytes and metadata_bytes */
	int metadata_bytes;   /* -1: none with block_bytes, else as it is */
	int extended;         /* -1: as it is, or as the drive can */
	int protection;       /* -1: as it is, or none in another format */
	bool protection_first;
};

struct format_plan {
	struct media_scope scope;
	struct media_format *targets; /* by scope.nsids; owned */
	uint32_t *cdw10;              /* by scope.commands; owned */
	enum media_erase erase;
	uint32_t timeout_ms;
	char notes[4][200];
	size_t n_notes;
};
/* Pure. Returns 0, or -1 with the reason (unsupported, refused, usage, not_found). Free in both cases. */
int format_plan(const struct media_facts *facts, uint32_t nsid, const struct format_options *options,
		struct format_plan *plan, struct ssd_err *err);
void format_plan_free(struct format_plan *plan);
void format_plan_cmd(const struct format_plan *plan, size_t k, struct ssd_cmd *cmd);

/* --- sanitize --- */

struct sanitize_options {
	enum ssd_sanitize_action action;
	unsigned passes; /* of an overwrite, 1 to 16; 0: one */
	uint32_t pattern;
	bool invert, no_deallocate, unrestricted_exit;
};

struct sanitize_plan {
	struct media_scope scope;
	uint32_t cdw10, cdw11;
	uint32_t timeout_ms;
	int64_t estimate_seconds; /* by the log; -1: none */
	char notes[2][200];
	size_t n_notes;
};
int sanitize_plan(const struct media_facts *facts, const struct sanitize_options *options, struct sanitize_plan *plan,
		  struct ssd_err *err);
int sanitize_plan_exit(const struct media_facts *facts, struct sanitize_plan *plan, struct ssd_err *err);
void sanitize_plan_free(struct sanitize_plan *plan);
void sanitize_plan_cmd(const struct sanitize_plan *plan, struct ssd_cmd *cmd);

/* --- execution --- */

enum media_result {
	MEDIA_NOT_STARTED, /* "not_started": nothing was sent, or the drive refused the first command */
	MEDIA_DRY_RUN,     /* "dry_run" */
	MEDIA_FORMATTED,   /* "formatted": and verified */
	MEDIA_PARTLY,      /* "partly": some of the namespaces */
	MEDIA_STARTED,     /* "started": the log shows the operation */
	MEDIA_COMPLETED,   /* "completed": the log says so */
	MEDIA_FAILED,      /* "failed": the log says so, or the drive is not as wanted */
	MEDIA_LEFT,        /* "failure_mode_left" */
	MEDIA_UNKNOWN,     /* no word */
};
const char *media_result_word(enum media_result result);

/* An execution: the device is open and has its grant. */
struct media_job {
	struct ssd_device *dev;
	const struct media_facts *before;
	unsigned wait_seconds; /* how long the user wants to wait; 0: until the drive is done */
	/* Opens the drive again, also under another name. One attempt. */
	int (*reopen)(void *ctx, struct ssd_device *dev, struct ssd_err *err);
	void (*progress)(void *ctx, size_t done, size_t total);
	/* A signal came, which cannot stop what was sent; a second one ends the waiting. */
	void (*explain)(void *ctx, const char *text);
	void *ctx;
};

struct media_outcome {
	enum media_result result;
	unsigned commands;      /* that were sent */
	bool sent;              /* one may have reached the drive */
	struct media_ns *after; /* by the plan's scope, of a format; those that were read are `known`; owned */
	size_t n_after;
	struct ssd_sanitize_log log;
	bool log_known;
	double seconds;
	char note[240];
};
/* Both return 0, or -1 with *err set and *outcome saying how far it came. Signals must be blocked. */
int format_run(const struct media_job *job, const struct format_plan *plan, struct media_outcome *outcome,
	       struct ssd_err *err);
int sanitize_run(const struct media_job *job, const struct sanitize_plan *plan, bool wait,
		 struct media_outcome *outcome, struct ssd_err *err);
void media_outcome_free(struct media_outcome *outcome);

#endif
