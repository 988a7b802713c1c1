/* SPDX-License-Identifier: MIT */
/* Why a drive may be slow or at risk: findings, each with what was measured, what it costs and what mends it. */
#ifndef SSDCT_DOCTOR_H
#define SSDCT_DOCTOR_H

#include <ssdct/admin.h>
#include <ssdct/health.h>

/* Where the host is read; a root that is NULL is not there, and what would be read in it is not known. */
struct ssd_doctor_roots {
	char *sys, *proc, *etc, *run; /* owned */
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

/* { id, severity, message, advice } */
extern const struct ssd_field ssd_doctor_fields[];

#endif
