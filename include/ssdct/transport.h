/* SPDX-License-Identifier: MIT */
/*
 * The ways to a drive. A transport is one function; decorators (guard, trace) are transports that own the next one.
 */
#ifndef SSDCT_TRANSPORT_H
#define SSDCT_TRANSPORT_H

#include <errno.h>
#include <ssdct/cmd.h>
#include <ssdct/err.h>

/* What submit returns when the guard stopped the command: no other layer uses this errno. */
#define SSD_EGUARD EKEYREJECTED

/* What can be asked of the host about a drive besides commands. */
enum ssd_control {
	SSD_RESET_CONTROLLER, /* returns when the controller is ready again, or has failed */
	SSD_RESET_SUBSYSTEM,
	SSD_RESCAN, /* namespaces are read anew */
};

struct ssd_transport {
	/* 0: a completion arrived, look at its status. -errno: none did. */
	int (*submit)(struct ssd_transport *t, const struct ssd_cmd *cmd, struct ssd_cpl *cpl);
	/* 0, or -errno; -SSD_EGUARD without a grant. */
	int (*control)(struct ssd_transport *t, enum ssd_control op);
	void (*close)(struct ssd_transport *t);
	struct ssd_transport *next; /* decorators: what they decorate, owned */
};

/* Closes t and everything below it; NULL is fine. */
void ssd_transport_close(struct ssd_transport *t);

/*
 * Opens the character (or block) node of a controller by path. EAGAIN and EBUSY (the controller is resetting) are
 * retried for 5 s. Returns NULL with *err set: gone, permission, busy, kernel.
 */
struct ssd_transport *ssd_linux_open(const char *path, struct ssd_err *err);

/*
 * Opens controller `name` (nvme0) of host directory `host`. Returns NULL with *err set.
 * `simulated` false opens the directory read-only: a recorded host, that answers reads and nothing else.
 */
struct ssd_transport *ssd_sim_open(const char *host, const char *name, bool simulated, struct ssd_err *err);

/*
 * The guard passes what its rules allow and stops everything else with -SSD_EGUARD. Takes ownership of next.
 */
struct ssd_guard_rules {
	bool (*command)(const void *ctx, const struct ssd_cmd *cmd);
	bool (*control)(const void *ctx, enum ssd_control op);
};
struct ssd_transport *ssd_guard_new(struct ssd_transport *next, const struct ssd_guard_rules *rules, const void *ctx);

/* One record per command, reset or rescan, also for those that the guard stopped (sent is false). */
struct ssd_trace_record {
	const char *device;
	const struct ssd_cmd *cmd; /* NULL: a reset or rescan, which is in control */
	enum ssd_control control;
	const struct ssd_cpl *cpl; /* NULL when no completion arrived */
	int error;                 /* errno of what was sent and failed, else 0 */
	bool sent;
	uint64_t us;
};
typedef void (*ssd_trace_fn)(void *ctx, const struct ssd_trace_record *record);
/* Calls sink after each of them. Takes ownership of next; device must outlive the transport. */
struct ssd_transport *ssd_trace_new(struct ssd_transport *next, const char *device, ssd_trace_fn sink, void *ctx);

#endif
