/* SPDX-License-Identifier: MIT */
/* What the parts of this room share. */
#ifndef SSDCT_MEDIA_MEDIA_H
#define SSDCT_MEDIA_MEDIA_H

#include <ssdct/media.h>

/* FNA, byte 524 of Identify Controller (NVM Express Base Specification 2.0c, figure 275). */
enum {
	MEDIA_FNA_FORMAT_ALL = 1,
	MEDIA_FNA_ERASE_ALL = 2,
	MEDIA_FNA_CRYPTO = 4,
	MEDIA_FNA_NO_BROADCAST = 8,
};

/* --- send.c --- */

/* One command, in a process of its own: it may take hours in the kernel, where nothing interrupts it. */
struct media_sender {
	int pid;                     /* 0: none */
	int pipe;                    /* its stderr; its end is the end of the process */
	struct media_answer *answer; /* shared with it */
};
int media_send(struct ssd_device *dev, const struct ssd_cmd *cmd, struct media_sender *s, struct ssd_err *err);
/* Waits up to ms. Whether the process has ended: *rc and *cpl are then as of ssd_submit(); -EINTR when it was killed. */
bool media_send_done(struct media_sender *s, unsigned ms, int *rc, struct ssd_cpl *cpl);
/* Leaves it behind, or cleans up when it has ended. */
void media_send_end(struct media_sender *s);

/* --- wait.c --- */

/* What was sent once, and how it is waited for. */
struct media_wait {
	const struct media_job *job;
	const char *what; /* "format" */
	uint64_t end_ms;  /* 0: none */
	bool explained;
};
void media_wait_begin(struct media_wait *w, const struct media_job *job, const char *what);
/*
 * Waits up to ms for a signal. 0: go on (the first signal is explained); else -1 with *err set: the second signal, or
 * --timeout is over; the operation goes on without us.
 */
int media_wait_step(struct media_wait *w, unsigned ms, struct ssd_err *err);
/*
 * Sends a command and waits for its completion; tick is called about every second meanwhile. 0: *rc and *cpl are its answer.
 * -1: no longer waited for, *err says so, the process is left behind.
 */
int media_wait_send(struct media_wait *w, const struct ssd_cmd *cmd, void (*tick)(void *ctx), void *ctx, int *rc,
		    struct ssd_cpl *cpl, struct ssd_err *err);
/* SN of Identify Controller, trimmed at the end. */
void media_serial(const uint8_t *id, char serial[21]);
/* The drive does not answer: it is opened again, and must be the same; else it is closed. The grant stays. */
int media_reopen(const struct media_job *job, struct ssd_err *err);
/* Statuses that are given before anything is done; after any other the contents may be damaged. */
bool media_not_begun(unsigned status);
/* What a status means for one kind of command, and what to do about it. */
struct media_refusal {
	unsigned status;
	const char *what, *hint;
};
/* Sets *err to what the drive's status says of the command, called `name`; those of the table in its words. */
void media_refused(const struct media_job *job, const struct ssd_cmd *cmd, const struct ssd_cpl *cpl, const char *name,
		   const struct media_refusal *table, size_t n, struct ssd_err *err);

#endif
