/* SPDX-License-Identifier: MIT */
/*
 * The safety core. A command that changes something says what it intends; here it is found out who uses the drive, decided
 * (by a pure function), asked, locked, and a permit comes out, whose grant lets the commands past the guard.
 */
#ifndef SSDCT_SAFETY_H
#define SSDCT_SAFETY_H

#include <ssdct/device.h>

/* CONTRACT section 5. */
enum ssd_impact {
	SSD_CHANGES,      /* the drive, not the data: one question, or --yes */
	SSD_INTERRUPTS,   /* resets or pauses the controller: in use needs --force */
	SSD_TAKES_ACCESS, /* in use is refused; one question, or --yes */
	SSD_DESTROYS,     /* in use is refused; the serial number typed, or --confirm SERIAL */
};

enum ssd_use_kind {
	SSD_USE_MOUNT,     /* a file system is mounted: detail is the mount point */
	SSD_USE_SWAP,      /* swap space */
	SSD_USE_HOLDER,    /* md, dm, bcache: detail is its name */
	SSD_USE_EXCLUSIVE, /* O_EXCL is refused and nothing else says by whom (another mount namespace, ZFS, ...) */
	SSD_USE_OPENER,    /* a process has the node open: detail is its name, pid its number */
	SSD_USE_SIGNATURE, /* dormant content: detail is what (ext4, LVM2_member, gpt, ...) */
	SSD_USE_NO_NODE,   /* the namespace has no node on this host: its use is unknown */
	/* A controller that is not this host's has it too: its use is unknown. detail says which; empty: it may be so. */
	SSD_USE_ELSEWHERE,
};

struct ssd_use {
	enum ssd_use_kind kind;
	uint32_t nsid;
	char device[32]; /* namespace or partition: nvme0n1p2 */
	char detail[128];
	int pid; /* SSD_USE_OPENER */
};

/* Who uses a set of namespaces. The exclusive handles are kept open until ssd_usage_free(). */
struct ssd_usage {
	struct ssd_use *uses; /* owned */
	size_t n;
	int *handles; /* owned */
	size_t n_handles;
};

/*
 * Looks at the namespaces (nsids of the drive, all attached ones when n is 0): O_EXCL decides, mountinfo, swaps, holders,
 * udev's signatures and open descriptors explain. exclusive: keep the O_EXCL handles. On host directories the drive.json
 * of the namespace says it. Never fails: what cannot be looked at counts as in use, with a detail that says so.
 */
void ssd_usage_scan(const struct ssd_drive *drive, const uint32_t *nsids, size_t n, bool exclusive,
		    struct ssd_usage *usage);
void ssd_usage_free(struct ssd_usage *usage);
/* "nvme0n1p2 is mounted on /srv", into buf. */
const char *ssd_use_text(const struct ssd_use *use, char *buf, size_t size);
/* Whether a kind of use means "in use" (signatures and what is unknown do not). */
bool ssd_use_is_active(enum ssd_use_kind kind);

/* What a command intends. */
struct ssd_intent {
	const char *what; /* for question and journal: "update the firmware of slot 1 to 8DV10171" */
	enum ssd_impact impact;
	bool subsystem_reset; /* refused when any namespace of the subsystem is in use or another controller is attached */
	const uint8_t *opcodes; /* admin opcodes that it needs */
	size_t n_opcodes;
	const uint8_t *io_opcodes; /* I/O opcodes that it needs */
	size_t n_io_opcodes;
	bool controls[3]; /* resets and rescan that it needs, by enum ssd_control */
	const struct ssd_drive *drive;
	const uint32_t *nsids; /* namespaces whose use matters; n_nsids 0: all attached */
	size_t n_nsids;
	const struct ssd_use *known; /* uses that the drive tells of, besides those that the host shows */
	size_t n_known;
	bool yes, force, dry_run, quiet;
	const char *confirm; /* --confirm, or NULL */
};

/* The decision, computed from facts alone. */
struct ssd_facts {
	enum ssd_impact impact;
	bool subsystem_reset, other_controllers;
	bool pcie; /* attached by PCIe */
	bool simulated;
	const struct ssd_usage *usage;
	bool yes, force, terminal;
	const char *confirm, *serial;
};
enum ssd_verdict { SSD_VERDICT_GO, SSD_VERDICT_ASK, SSD_VERDICT_ASK_SERIAL, SSD_VERDICT_REFUSE };
struct ssd_decision {
	enum ssd_verdict verdict;
	char reason[240]; /* of a refusal, in words */
	char hint[240];   /* the option that is missing, or what to do first */
};
struct ssd_decision ssd_decide(const struct ssd_facts *facts);

/*
 * Everything between wish and deed: lock of the drive (by serial number; a second one is refused and told the holder's
 * pid), usage, decision, question on the terminal. Returns 0 and an owned permit, or -1: refused (exit 4), interrupted
 * (130), nothing was sent. With dry_run it ends before the question, with *permit NULL and 0.
 */
struct ssd_permit;
int ssd_permit_get(const struct ssd_intent *intent, struct ssd_permit **permit, struct ssd_err *err);
/*
 * Whether the drive is still the one that the user was shown, and not one that has taken its name since: serial is what it
 * says in an Identify Controller read after the permit was given. Returns 0, or -1 with *err set.
 */
int ssd_permit_check(const struct ssd_permit *permit, const char *serial, struct ssd_err *err);
/* Valid until the permit is freed; put it into the device. */
const struct ssd_grant *ssd_permit_grant(const struct ssd_permit *permit);
/*
 * Before the namespaces get another block size under the handles that the permit holds. The kernel sets the size of what it
 * reads when a device is opened for the first time, and no more: were it smaller than the new block, whoever reads the device
 * meanwhile (udev, the search for partitions) would ask for less than one block. Linux 6.1 does not notice, and crashed of it
 * where the new format had metadata (measured: tests/vm, boot "format"). Returns 0, or -1 with *err set.
 */
int ssd_permit_brace(const struct ssd_permit *permit, struct ssd_err *err);
/*
 * The namespaces have other contents now: through the handles that the permit holds, caches are dropped and partition tables
 * read anew. Only when the kernel shows them as they are: see above. Returns 0, or -1 with *err set to the first failure. Simulated hosts: nothing to do.
 */
int ssd_permit_reread(const struct ssd_permit *permit, struct ssd_err *err);
/*
 * The namespaces have been deleted: the handles on their nodes are closed, which would keep the kernel from giving the names
 * to the next ones.
 */
void ssd_permit_let_go(struct ssd_permit *permit);
/* Writes a line to the system's log: user, serial number, what, outcome. Simulated hosts: nothing. */
void ssd_permit_log(const struct ssd_permit *permit, const char *outcome);
void ssd_permit_free(struct ssd_permit *permit);

#endif
