/* SPDX-License-Identifier: MIT */
/* What the parts of discovery share. Users of discovery want <ssdct/device.h>. */
#ifndef SSDCT_SCAN_SCAN_H
#define SSDCT_SCAN_SCAN_H

#include <ssdct/device.h>
#include <sys/types.h>

/* The names the kernel gives: nvme0; nvme0n1; the hidden path nvme1c0n1; ng0n1. Each must be the whole name. */
bool scan_is_controller(const char *name);
bool scan_is_block(const char *name);
bool scan_is_path(const char *name);
bool scan_is_generic(const char *name);
/* K of nvmeMnK, nvmeMcCnK and ngMnK: the suffix by which a node and its generic node belong together. */
const char *scan_suffix(const char *name);

/* Sorted entries of a directory, at most `max`; owned. An unreadable directory is an empty list. */
struct scan_names {
	char **v;
	size_t n;
};
void scan_names_free(struct scan_names *names);
#define AUTO_NAMES AUTO(scan_names_free)
/* `wanted` NULL: all of them, "." and ".." excepted. dir may be AT_FDCWD. */
void scan_list(int dir, const char *path, bool (*wanted)(const char *), struct scan_names *names);

/* A directory below another one; -1 with errno. */
int scan_opendir(int dir, const char *path);

/*
 * One attribute: at most size-1 and 256 bytes, up to the first NUL, blanks trimmed at both ends. Never waits. Returns
 * 0, or -errno and an empty string.
 */
int scan_attr(int dir, const char *path, char *buf, size_t size);
/* The same as a number in decimal or 0x hexadecimal; `missing` when it is not there or no number. */
long long scan_attr_int(int dir, const char *path, long long missing);
/* The last component of what a symlink points to. Returns 0 or -errno. */
int scan_link_name(int dir, const char *path, char *buf, size_t size);

/* Numbers in text, as scan_attr_int(). */
long long scan_int(const char *text, long long missing);
/* Trims text in place at both ends: blanks, control characters. */
void scan_trim(char *text);
/* 0000:03:00.0 or 10000:01:00.0; the domain may be missing. Fills the parts and returns true for a PCI address. */
struct scan_pci {
	unsigned domain, bus, device, function;
	bool has_domain;
};
bool scan_pci_parse(const char *text, struct scan_pci *pci);

/* A drive with everything unknown. */
void scan_drive_init(struct ssd_drive *drive, const char *name);
/* Adds a sentence to the note, as far as there is room. */
void scan_note(struct ssd_drive *drive, const char *fmt, ...) PRINTF(2, 3);
/* A new element at the end of the list: zeroed, sizes unknown. */
struct ssd_namespace *scan_add_namespace(struct ssd_drive *drive);
struct ssd_drive *scan_add_drive(struct ssd_host *host, const char *name);
/* Link widths: 0 and the kernel's 255 (PCIE_LNK_WIDTH_UNKNOWN, include/linux/pci.h) are not known. */
int scan_width(long long width);

/*
 * A namespace as its Identify bytes (4096 of them) say it is, with the names that it has on a host where nothing is
 * special: nvme0n1 and ng0n1 for NSID 1 of nvme0.
 */
void scan_plain_namespace(struct ssd_namespace *ns, const char *controller, uint32_t nsid, const uint8_t *id);

/* Fill host->drives. Sorting is the caller's. */
void scan_sysfs(struct ssd_host *host, const char *sysfs);
int scan_hostdir(struct ssd_host *host, struct ssd_err *err);

/*
 * Who uses a namespace of a host directory, as "namespaces" in its drive.json says; UNKNOWN, with a sentence, when that
 * cannot be read.
 */
enum scan_use { SCAN_USE_HOLDER, SCAN_USE_MOUNT, SCAN_USE_SIGNATURE, SCAN_USE_UNKNOWN };
typedef void (*scan_use_fn)(void *ctx, enum scan_use what, const char *detail);
void scan_hostdir_uses(const struct ssd_drive *drive, uint32_t nsid, scan_use_fn fn, void *ctx);

/*
 * The kernel's name of a device node, by its device number: nvme0, ng0n1, nvme0n1p1, dm-0. `mode` says character or
 * block. Returns 0 or -errno.
 */
int scan_node_name(const char *sysfs, mode_t mode, dev_t rdev, char *buf, size_t size);

#endif
