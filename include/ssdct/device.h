/* SPDX-License-Identifier: MIT */
/*
 * Drives. A host is a set of drives (this machine, or a host directory); a drive is what is known about a controller
 * without sending it anything; a device is a drive that has been opened.
 */
#ifndef SSDCT_DEVICE_H
#define SSDCT_DEVICE_H

#include <ssdct/err.h>
#include <ssdct/transport.h>

struct ssd_vendor;
struct ssd_local;
struct ssd_local_page;

enum ssd_backend { SSD_BACKEND_LINUX, SSD_BACKEND_SIMULATED, SSD_BACKEND_RECORDED };
const char *ssd_backend_name(enum ssd_backend backend); /* "linux", "simulated", "recorded" */

/* A namespace attached to the controller, from sysfs or from the files of a host directory. */
struct ssd_namespace {
	uint32_t nsid;
	char device[32];  /* block device: nvme0n1; for multipath the head; empty when the host has none */
	char generic[32]; /* ng0n1, or empty */
	uint64_t size_bytes;
	uint32_t block_bytes;   /* 0: unknown */
	int32_t metadata_bytes; /* -1: unknown */
};

/* Strings as sysfs gives them, trimmed at the end; empty: not known. */
struct ssd_drive {
	char device[32]; /* nvme0 */
	char path[64];   /* /dev/nvme0; in a host directory DIR/nvme0 is not a node: "nvme0" there too */
	char model[64], serial[32], firmware[16];
	char transport[16]; /* pcie, tcp, rdma, fc, loop, apple-nvme, ... */
	char address[256];  /* PCI address 0000:03:00.0, or the fabrics address */
	char state[24];     /* live, resetting, connecting, deleting, dead, new, unknown */
	char subsysnqn[256];
	char subsystem[32]; /* nvme-subsys0 */
	int cntlid;         /* -1: unknown */
	int numa_node;      /* -1: none or unknown */
	char current_link_speed[40], max_link_speed[40];
	int current_link_width, max_link_width;                                 /* -1: unknown */
	int pci_vendor, pci_device, pci_subsystem_vendor, pci_subsystem_device; /* -1: not a PCI device */
	char driver[32];                                                        /* of the PCI function */
	uint32_t max_transfer_bytes;      /* the kernel's limit (queue/max_hw_sectors_kb of a namespace); 0: unknown */
	struct ssd_namespace *namespaces; /* by nsid; owned */
	size_t n_namespaces;
	/* Drive and link facts could not be read because the drive was vanishing: a sentence, or empty. */
	char note[120];
	const struct ssd_host *host;
};

struct ssd_host {
	enum ssd_backend backend;
	char *dir;                /* host directory, or NULL for this machine; owned */
	char *mistake;            /* why that directory is none, and what may have been meant; NULL: it is one; owned */
	struct ssd_drive *drives; /* natural order of device; owned */
	size_t n_drives;
	const struct ssd_local *local; /* page descriptions of an operator; NULL: none were read */
};

/*
 * Looks at a host: this machine when dir is NULL, else a host directory. Sends nothing to any drive and needs no
 * privilege. A machine without NVMe is an empty host. Returns NULL with *err set only when the directory is unusable.
 */
struct ssd_host *ssd_host_scan(const char *dir, struct ssd_err *err);
/* What kind of host that is, without looking at drives: a directory that does not say it is simulated is a recording. */
enum ssd_backend ssd_host_backend(const char *dir);
/* The same for a sysfs tree elsewhere ("/sys" is this machine): for tests. */
struct ssd_host *ssd_host_scan_sysfs(const char *sysfs, struct ssd_err *err);
void ssd_host_free(struct ssd_host *host);

/* What a DRIVE on the command line means. */
struct ssd_target {
	const struct ssd_drive *drive;
	uint32_t nsid;  /* 0: the controller was named, not a namespace */
	bool by_serial; /* the word was a serial number */
	bool partition; /* the word was a partition of the namespace */
	/* A file or a block device that is no namespace: its path. The drive then has no identity. NULL: a drive. */
	const char *path;
};
/*
 * Resolves one word: nvme0, /dev/nvme0, nvme0n1, /dev/ng0n1, a serial number, a PCI address, a symlink to a node.
 * Returns 0, or -1 with not_found (hint: the drives there are), or ambiguous with the candidates in the message; the
 * target is then the first candidate. When several controllers of one drive are wanted (firmware), the caller filters.
 * A namespace that several controllers lead to (multipath) means the first of them whose state is live.
 */
int ssd_host_resolve(const struct ssd_host *host, const char *word, struct ssd_target *target, struct ssd_err *err);

/* Whether two controllers are of one NVM subsystem, that is of one drive: same serial number, model and subsystem NQN. */
bool ssd_same_subsystem(const struct ssd_drive *a, const struct ssd_drive *b);

/*
 * What lets commands that change something past the guard. Only safety/decide.c makes one, for one operation on one drive,
 * after everything that had to be asked was asked.
 */
struct ssd_grant {
	uint8_t opcodes[32];    /* bitmap of admin opcodes */
	uint8_t io_opcodes[32]; /* the same of I/O opcodes */
	bool controls[3];       /* by enum ssd_control */
};

/* An opened drive. */
struct ssd_device {
	const struct ssd_drive *drive;
	const struct ssd_vendor *vendor; /* whose tables match, or NULL; known after ssd_id_ctrl() */
	struct ssd_transport *transport;
	const struct ssd_grant *grant; /* NULL: reads only */
	uint8_t *id_ctrl;              /* 4096 bytes once read, page-aligned */
	size_t id_ctrl_len;            /* bytes that arrived */
	uint8_t supported_logs[32];    /* a bit per log page, once ssd_announces_log() has read page 00h */
	enum { SSD_LOGS_UNREAD, SSD_LOGS_READ, SSD_LOGS_UNREADABLE } supported_logs_state;
	uint8_t *uuid_list; /* Identify CNS 17h, 4096 bytes, once ssd_uuid_index() has read it; owned */
	const struct ssd_local_page **local; /* descriptions that are about it, NULL-terminated; owned; NULL: none */
	/* It has refused something of its vendor's, as firmware made for another brand does: asked for no more unasked. */
	bool vendor_refused;
};

/*
 * Opens a drive behind guard and trace (sink may be NULL). A drive whose state is dead or deleting is not opened.
 * Returns 0, or -1 with *err set; close with ssd_device_close() in both cases.
 */
int ssd_device_open(struct ssd_device *dev, const struct ssd_drive *drive, ssd_trace_fn sink, void *sink_ctx,
		    struct ssd_err *err);
void ssd_device_close(struct ssd_device *dev);

/* Set Features, queue and other commands that belong to the kernel: no grant lets them pass. */
bool ssd_is_kernels_own(const struct ssd_cmd *cmd);

#endif
