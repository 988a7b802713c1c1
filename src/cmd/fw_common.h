/* SPDX-License-Identifier: MIT */
/* What the firmware commands and `reset` share. */
#ifndef SSDCT_CMD_FW_COMMON_H
#define SSDCT_CMD_FW_COMMON_H

#include <ssdct/cli.h>
#include <ssdct/fw.h>

/* Key "fw" in each element. */
extern const struct ssd_field fw_fields[];

/* The "fw" object of a row, made when it is not there. */
struct ssd_node *fw_doc(struct ssd_row *row);
void fw_doc_facts(struct ssd_row *row, const struct fw_facts *facts);
void fw_doc_image(struct ssd_row *row, const struct fw_image *image);
void fw_doc_plan(struct ssd_row *row, const struct fw_plan *plan, enum fw_activate activate);
/* Result, revisions, commands, seconds, notes; facts when the drive was read again. */
void fw_doc_outcome(struct ssd_row *row, const struct fw_outcome *outcome);
void fw_doc_note(struct ssd_row *row, const char *note);

void fw_status_text(const struct ssd_run *run, FILE *out);
void fw_change_text(const struct ssd_run *run, FILE *out);
/* The hook `done` of a command that changes several drives. */
void fw_note_outcome(const struct ssd_run *run, const struct ssd_row *row);

/* A run on one drive: the callbacks of a struct fw_job. */
struct fw_session {
	struct ssd_run *run;
	struct ssd_row *row;
	struct ssd_host *host; /* looked at again, owned; NULL: the run's own */
	unsigned wait_seconds;
	uint64_t drawn_ms;
	bool bar; /* stderr is a terminal, and nobody said --quiet */
};
void fw_session_begin(struct fw_session *s, struct ssd_run *run, struct ssd_row *row, unsigned wait_seconds);
/* Gives the device back to the dispatcher as it was. */
void fw_session_end(struct fw_session *s, struct ssd_device *dev);
struct fw_job fw_session_job(struct fw_session *s, struct ssd_device *dev);

/* A change under its permit. `act` runs with the lock held, the grant in place, and signals blocked. */
struct fw_change {
	struct ssd_run *run;
	struct ssd_row *row;
	struct ssd_device *dev;
	const char *what;
	enum ssd_impact impact;
	bool download, commit;
	const bool *controls; /* three, by enum ssd_control; NULL: none */
	bool subsystem_reset;
	bool some_facts;              /* a drive that cannot be asked is no reason not to do it */
	const struct fw_facts *facts; /* the plan was made with these */
	const struct fw_plan *plan;
	int (*act)(struct fw_change *c, struct fw_job *job, struct fw_outcome *outcome, struct ssd_err *err);
	const struct fw_image *image;
	enum fw_activate activate;
	const char *expect;
	enum ssd_control control;
};
/* Returns 0 with the outcome in the document (or, with --dry-run, the plan), or -1 with row->err set. */
int fw_change_run(struct fw_change *c, struct fw_outcome *outcome);

unsigned fw_timeout(const struct ssd_run *run);

/* Before anything is opened: the same drive twice is one row; models; members of one md array. */
int fw_prepare_rows(struct ssd_run *run, const char *model, bool activates, struct ssd_err *err);

extern const struct ssd_command fw_update, fw_download, fw_commit, fw_activate;

#endif
