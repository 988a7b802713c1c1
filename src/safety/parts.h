/* SPDX-License-Identifier: MIT */
/* What the parts of the safety core share. Users of it want <ssdct/safety.h>. */
#ifndef SSDCT_SAFETY_PARTS_H
#define SSDCT_SAFETY_PARTS_H

#include <ssdct/safety.h>
#include <sys/types.h>

/* --- decide.c --- */

/*
 * The one place where a grant is made: for these opcodes and controls, and only when the decision, or the person who was
 * asked, says so. The kernel's own commands are never in it. Owned by the caller, free(); NULL unless verdict is GO.
 */
const struct ssd_grant *safety_grant_new(enum ssd_verdict verdict, const struct ssd_intent *intent);

/* --- use.c --- */

/*
 * Text that anybody may have chosen (serial numbers, mount points, names of processes), so that it cannot steer a terminal:
 * trimmed, bytes outside printable ASCII as \xNN, as in JSON.
 */
void safety_shown(char *buf, size_t size, const char *text);
/* Adds a use; one that is there already is not added again. */
void safety_add_use(struct ssd_usage *usage, struct ssd_use use, const char *fmt, ...) PRINTF(3, 4);
/* The first active use, or NULL. */
const struct ssd_use *safety_active(const struct ssd_usage *usage);

/* --- usage.c: this machine --- */

/* Where a machine is looked at; tests give a tree of their own. */
struct safety_roots {
	const char *proc, *sys, *dev, *udev;
	/* Opens a block device exclusively, for reading: a descriptor, or -errno; -ESTALE when the node is another device. */
	int (*claim)(const struct safety_roots *roots, const char *name, dev_t dev);
	/* The mode and number of a device that is open in a process: /proc/PID/fd/N. 0 or -errno. */
	int (*stat_open)(int fd_dir, const char *name, mode_t *mode, dev_t *dev);
};
extern const struct safety_roots safety_this_machine;

/* A device through which a namespace can be reached: its nodes, its partitions, and what holds these. */
struct safety_target {
	uint32_t nsid;
	char name[64];   /* nvme0n1, ng0n1, nvme0n1p2, md0 */
	char device[32]; /* the namespace or partition that it is or that it holds */
	char shown[160]; /* holders: with kind and name, "dm-0 (LVM volume vg0-srv)" */
	enum { SAFETY_NAMESPACE, SAFETY_PARTITION, SAFETY_GENERIC, SAFETY_HOLDER } kind;
	dev_t dev;      /* 0: unknown */
	uint64_t start; /* of a partition, bytes */
	uint64_t size;  /* bytes; 0: unknown */
};

struct safety_look {
	const struct safety_roots *roots;
	struct ssd_usage *usage;
	struct safety_target *targets; /* owned */
	size_t n;
};

struct ssd_use safety_use_of(enum ssd_use_kind kind, const struct safety_target *t);
/* The target of a path /dev/NAME, or of a device number; NULL when it is none of ours. */
const struct safety_target *safety_find(const struct safety_look *look, const char *path);
/* The same, following links like /dev/disk/by-uuid/... */
const struct safety_target *safety_find_path(const struct safety_look *look, const char *path);
const struct safety_target *safety_find_dev(const struct safety_look *look, dev_t dev, bool character);

void safety_scan_machine(const struct safety_roots *roots, const struct ssd_drive *drive, const uint32_t *nsids,
			 size_t n, bool exclusive, struct ssd_usage *usage);

/* --- usage_sys.c --- */

/* A device number as "259:1"; 0 when it is none. */
dev_t safety_dev_of(const char *text);

/* Adds a namespace's nodes, its partitions and all their holders as targets; holders are uses. */
void safety_sys_add(struct safety_look *look, const struct ssd_namespace *ns);
/* Users that sysfs alone knows and that need no exclusive access: loop devices, exported namespaces, btrfs members. */
void safety_sys_users(struct safety_look *look);

/* --- usage_proc.c --- */

void safety_proc_mounts(struct safety_look *look);
void safety_proc_swaps(struct safety_look *look);
void safety_proc_openers(struct safety_look *look);
/* Mounts in the mount namespaces of other processes; slower, for when nothing else explains. */
void safety_proc_other_mounts(struct safety_look *look);

/* --- signature.c --- */

/* What udev has found on a namespace or partition. */
void safety_udev_signature(struct safety_look *look, const struct safety_target *t);
/* What is found on it now: fd is the namespace's, the partition lies at t->start. */
void safety_probe_signature(struct safety_look *look, const struct safety_target *t, int fd);

/* --- lock.c --- */

/* The drive's lock: a descriptor in *fd that holds it until closed. 0, or -1: refused (held, by whom), permission. */
int safety_lock(const struct ssd_drive *drive, int *fd, struct ssd_err *err);
/* Locks of this machine, run_dir being /run: RUN_DIR/ssdct/lock/SERIAL, directories made when missing. */
int safety_lock_at(const char *run_dir, const char *serial, int *fd, struct ssd_err *err);
/* private: the file must belong to this user, and nobody else may write it. */
int safety_lock_file(int dir, const char *name, bool private, int *fd, struct ssd_err *err);
void safety_unlock(int *fd);
/* For a dry run: -1 (refused) when somebody holds the drive's lock; takes, makes and changes nothing. */
int safety_lock_held(const struct ssd_drive *drive, struct ssd_err *err);
/* The same for a lock by its path. */
int safety_lock_look(const char *path, struct ssd_err *err);

/* --- ask.c --- */

bool safety_has_terminal(void);
/* Asks on the terminal. serial NULL: yes or no, default no; else the serial number must be typed. 0, or -1 with *err. */
int safety_ask(const char *text, const char *serial, struct ssd_err *err);

/* --- journal.c --- */

void safety_journal(const char *device, const char *serial, const char *what, const char *outcome);

#endif
