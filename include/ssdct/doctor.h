/* SPDX-License-Identifier: MIT */
/* Why a drive may be slow or at risk: findings, each with what was measured, what it costs and what mends it. */
#ifndef SSDCT_DOCTOR_H
#define SSDCT_DOCTOR_H

#include <ssdct/admin.h>
#include <ssdct/health.h>

/* The parts of a host that are looked at. */
enum ssd_doctor_root { SSD_DOCTOR_SYS, SSD_DOCTOR_PROC, SSD_DOCTOR_ETC, SSD_DOCTOR_RUN, SSD_DOCTOR_N_ROOTS };
/* "sys", "proc", "etc", "run": what they are called in a host directory. */
extern const char *const ssd_doctor_root_names[SSD_DOCTOR_N_ROOTS];

/*
 * Told of each file before it is looked at, there or not: its name below the root ("devices/system/cpu/online"). Without
 * `content` it is only asked whether it is there, or where it leads.
 */
typedef void (*ssd_doctor_watch_fn)(void *ctx, enum ssd_doctor_root root, const char *name, bool content);

/* Where the host is read; a root that is NULL is not there, and what would be read in it is not known. */
struct ssd_doctor_roots {
	char *path[SSD_DOCTOR_N_ROOTS]; /* owned */
	ssd_doctor_watch_fn watch;      /* NULL: nobody */
	void *ctx;                      /* watch's */
};
/*
 * The roots of a host: /sys and so on of this machine; of a host directory DIR/sys, DIR/proc, DIR/etc and DIR/run, as far as
 * they are there. Nothing of this machine is said about a host directory.
 */
struct ssd_doctor_roots ssd_doctor_roots_of(const struct ssd_host *host);
void ssd_doctor_roots_free(struct ssd_doctor_roots *roots);

/* What a finding explains. */
enum { SSD_DOCTOR_SLOW = 1, SSD_DOCTOR_RISK = 2 };

struct ssd_doctor;
struct ssd_doctor_rule {
	const char *id;
	enum ssd_severity severity; /* the worst that it can say */
	unsigned explains;          /* SSD_DOCTOR_... */
	void (*look)(struct ssd_doctor *d);
	const char *help; /* what is found, for the manual */
	const char *cost; /* what is known of what it costs, and from whom; "not measured" */
};
/* Of a drive, and of the host beside its drives; both end with an id of NULL. */
extern const struct ssd_doctor_rule ssd_doctor_rules[], ssd_doctor_host_rules[];

struct ssd_doctor_finding {
	const struct ssd_doctor_rule *rule;
	enum ssd_severity severity; /* SSD_INFO: worth knowing, or "not known" */
	const char *message;        /* measured value and cost */
	const char *advice;         /* what mends it */
};
typedef void (*ssd_doctor_fn)(void *ctx, const struct ssd_doctor_finding *finding);

/*
 * Calls found() for each finding about a drive that explains at least one of `explains`. A device that is not open is asked
 * nothing: only what the host knows is found. Sends reads alone, and what a drive does not announce only where its vendor's
 * tables know it. Never fails: what cannot be read is no finding.
 */
void ssd_doctor_examine(struct ssd_device *dev, struct ssd_arena *a, const struct ssd_doctor_roots *roots,
			unsigned explains, ssd_doctor_fn found, void *ctx);
/* The same for what concerns no single drive that is there: NVMe functions that this host's driver does not have. */
void ssd_doctor_examine_host(const struct ssd_doctor_roots *roots, struct ssd_arena *a, ssd_doctor_fn found, void *ctx);

/* The kernel's release ("6.1.0-13-amd64") into buf; empty: not known. */
const char *ssd_doctor_kernel(const struct ssd_doctor_roots *roots, char *buf, size_t size);

/* { id, severity, message, cost, advice } */
extern const struct ssd_field ssd_doctor_fields[];

#endif
