/* SPDX-License-Identifier: MIT */
/* What the findings share. A finding is a function in a file of its own and a row in rules.c. */
#ifndef SSDCT_DOCTOR_PARTS_H
#define SSDCT_DOCTOR_PARTS_H

#include <ssdct/doctor.h>

#include "scan/scan.h"

#include <limits.h>

/* Longer than any attribute that is read here; what is longer is cut. */
#define DOCTOR_TEXT 256

struct ssd_doctor {
	struct ssd_device *dev;        /* NULL: the host is looked at, not a drive */
	const struct ssd_drive *drive; /* likewise */
	struct ssd_arena *arena;
	const struct ssd_doctor_roots *roots;
	const struct ssd_doctor_rule *rule; /* whose turn it is */
	ssd_doctor_fn found;
	void *ctx;
	/* The finding in the making. */
	enum ssd_severity severity;
	char message[480];
	/* Read when first asked for. */
	bool identified, judged;
	const struct ssd_node *id_ctrl;         /* NULL: not known */
	const struct ssd_node *health_findings; /* of ssd_finding_fields */
	const struct ssd_node *smart;           /* NULL: not known */
};

/* --- doctor.c --- */

/* Begins a finding: the message with value and cost. */
void doctor_say(struct ssd_doctor *d, enum ssd_severity severity, const char *fmt, ...) PRINTF(3, 4);
/* Completes it: what mends it. */
void doctor_advise(struct ssd_doctor *d, const char *fmt, ...) PRINTF(2, 3);
/* The same for an attribute of a block device, "queue/scheduler": now, and after the next boot. */
void doctor_advise_setting(struct ssd_doctor *d, const char *name, const char *attribute, const char *value);

/* --- read.c: files below a root; a root that is not there has none --- */

#define SYS SSD_DOCTOR_SYS
#define PROC SSD_DOCTOR_PROC
#define ETC SSD_DOCTOR_ETC
#define RUN SSD_DOCTOR_RUN

/* An attribute; empty and false when it is not there. */
bool doctor_text(const struct ssd_doctor *d, enum ssd_doctor_root root, char buf[DOCTOR_TEXT], const char *fmt, ...)
	PRINTF(4, 5);
/* The same as a number; `missing` when it is not there or no number. */
long long doctor_int(const struct ssd_doctor *d, enum ssd_doctor_root root, long long missing, const char *fmt, ...)
	PRINTF(4, 5);
bool doctor_exists(const struct ssd_doctor *d, enum ssd_doctor_root root, const char *fmt, ...) PRINTF(3, 4);
void doctor_list(const struct ssd_doctor *d, enum ssd_doctor_root root, bool (*wanted)(const char *),
		 struct scan_names *names, const char *fmt, ...) PRINTF(5, 6);
/* A file of more than a line, to be closed; NULL when it is not there. */
FILE *doctor_open(const struct ssd_doctor *d, enum ssd_doctor_root root, const char *fmt, ...) PRINTF(3, 4);
/* The number behind a word in a file of lines "WORD NUMBER"; `missing` likewise. */
long long doctor_line_int(const struct ssd_doctor *d, enum ssd_doctor_root root, const char *word, long long missing,
			  const char *fmt, ...) PRINTF(5, 6);
/* The last component of a link's target; empty and false when it is no link. */
bool doctor_link(const struct ssd_doctor *d, enum ssd_doctor_root root, char buf[DOCTOR_TEXT], const char *fmt, ...)
	PRINTF(4, 5);
/* Where a name leads, below the same root and without links; false when it leads nowhere, or out of the root. */
bool doctor_resolve(const struct ssd_doctor *d, enum ssd_doctor_root root, char name[PATH_MAX], const char *fmt, ...)
	PRINTF(4, 5);
/* The word in brackets of "none [mq-deadline] kyber"; the whole when there are none. */
void doctor_chosen(char text[DOCTOR_TEXT]);

/* CPUs as the kernel lists them: "0-3,8". More than that many are not told apart. */
#define DOCTOR_CPUS 8192
struct doctor_cpus {
	uint8_t bits[DOCTOR_CPUS / 8];
	unsigned n;
};
void doctor_cpus_add(struct doctor_cpus *cpus, const char *list);
/* Adds the list in a file of any length; false when it is not there. */
bool doctor_cpus_read(const struct ssd_doctor *d, enum ssd_doctor_root root, struct doctor_cpus *cpus, const char *fmt,
		      ...) PRINTF(4, 5);
/* Of this host, at work; 0: not known. */
unsigned doctor_online_cpus(const struct ssd_doctor *d);

/* --- blocks.c --- */

/* Names of the queues of a drive: its namespaces, with multipath its hidden paths; below SYS/class/nvme/DRIVE. */
void doctor_queues(const struct ssd_doctor *d, struct scan_names *names);

/* What a namespace is reached through: itself, partitions, and devices on top of these, each below SYS/class/block. */
struct doctor_block {
	char name[64];
	char below[32]; /* the namespace that it leads to */
	char dev[24];   /* "259:1" */
	bool partition, holder;
	bool mounted; /* a file system on it has been looked at */
};
struct doctor_blocks {
	struct doctor_block *v; /* owned */
	size_t n;
};
void doctor_blocks(const struct ssd_doctor *d, struct doctor_blocks *blocks);
void doctor_blocks_free(struct doctor_blocks *blocks);
#define AUTO_BLOCKS AUTO(doctor_blocks_free)

/* --- drive.c: what the drive says; NULL or false when it was not opened or does not answer --- */

const struct ssd_node *doctor_id_ctrl(struct ssd_doctor *d);
const struct ssd_node *doctor_smart(struct ssd_doctor *d);
/* Findings of the health verdict, a list of ssd_finding_fields; never NULL. */
const struct ssd_node *doctor_health(struct ssd_doctor *d);
bool doctor_feature(struct ssd_doctor *d, uint8_t fid, uint32_t *value);
bool doctor_is_open(const struct ssd_doctor *d);
enum ssd_severity doctor_severity(const struct ssd_node *finding);

/* --- virtual.c --- */

/* Whether this host is a guest, as far as is known. */
bool doctor_is_guest(const struct ssd_doctor *d);

/* --- the findings --- */

void doctor_pcie_speed(struct ssd_doctor *d), doctor_pcie_width(struct ssd_doctor *d),
	doctor_pcie_slot(struct ssd_doctor *d), doctor_pcie_upstream(struct ssd_doctor *d),
	doctor_pcie_errors(struct ssd_doctor *d), doctor_pcie_aspm(struct ssd_doctor *d),
	doctor_pcie_sleep(struct ssd_doctor *d), doctor_apst(struct ssd_doctor *d),
	doctor_power_state(struct ssd_doctor *d), doctor_power_governor(struct ssd_doctor *d),
	doctor_cpu_governor(struct ssd_doctor *d), doctor_cpu_idle(struct ssd_doctor *d),
	doctor_numa(struct ssd_doctor *d), doctor_queue_count(struct ssd_doctor *d),
	doctor_interrupts(struct ssd_doctor *d), doctor_scheduler(struct ssd_doctor *d),
	doctor_read_ahead(struct ssd_doctor *d), doctor_rq_affinity(struct ssd_doctor *d),
	doctor_max_sectors(struct ssd_doctor *d), doctor_driver(struct ssd_doctor *d),
	doctor_firmware_pending(struct ssd_doctor *d), doctor_firmware_advisory(struct ssd_doctor *d),
	doctor_block_format(struct ssd_doctor *d), doctor_alignment(struct ssd_doctor *d),
	doctor_temperature(struct ssd_doctor *d), doctor_throttling(struct ssd_doctor *d),
	doctor_health_verdict(struct ssd_doctor *d), doctor_trim(struct ssd_doctor *d),
	doctor_write_cache(struct ssd_doctor *d), doctor_flush(struct ssd_doctor *d),
	doctor_md_bitmap(struct ssd_doctor *d), doctor_md_stripe_cache(struct ssd_doctor *d),
	doctor_zfs_ashift(struct ssd_doctor *d), doctor_virtual_machine(struct ssd_doctor *d),
	doctor_passed_through(struct ssd_doctor *d), doctor_no_driver(struct ssd_doctor *d),
	doctor_other_driver(struct ssd_doctor *d);

#endif
