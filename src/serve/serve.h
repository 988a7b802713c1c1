/* SPDX-License-Identifier: MIT */
/*
 * ssdct-sim-serve: the simulated drives of a host directory as NVMe/TCP controllers, so that the kernel's own driver, and
 * with it every program for NVMe drives, sees them. An adapter and nothing more: what a drive answers comes from src/sim.
 *
 * Figures and sections are those of the NVMe/TCP Transport Specification 1.0c ("TCP"), the NVM Express over Fabrics
 * Specification 1.1 ("fabrics") and the NVM Express Base Specification 1.4 ("base").
 *
 * A thread reads each connection. Admin commands run in workers, as any of them may be delayed by a fault rule and must
 * not hold up the others; commands for media never wait and run in the reader.
 */
#ifndef SSDCT_SERVE_SERVE_H
#define SSDCT_SERVE_SERVE_H

#include <ssdct/device.h>
#include <ssdct/le.h>

#include <pthread.h>

enum {
	SERVE_QUEUE_ENTRIES = 128, /* commands outstanding on a queue; CAP.MQES is one less */
	SERVE_IO_QUEUES = 64,      /* of a controller */
	SERVE_AERS = 16,           /* Asynchronous Event Requests outstanding */
	SERVE_IN_CAPSULE = 8192,   /* bytes of data that a command may bring along */
	SERVE_TRANSFER = 4 << 20,  /* bytes of data of one command; more is Invalid Field, whatever MDTS says */
	SERVE_H2C_DATA = 1 << 20,  /* bytes of data in one PDU from the host: MAXH2CDATA */
	SERVE_CONNECTIONS = 1024,  /* a controller has one for each queue */
	SERVE_WORKERS = 512,       /* commands being executed */
	SERVE_IDLE_TRANSPORTS = 8, /* of a drive, kept for the next command */
	SERVE_BUFFERS =
		512 << 20, /* bytes of data of all commands; beyond it they are answered with Command Interrupted */
};

/* Status values as the kernel shows them: code, type in bits 10:8, Do Not Retry in bit 14 (base, figure 126 on). */
enum {
	SERVE_OK = 0,
	SERVE_INVALID_OPCODE = 0x4001,
	SERVE_INVALID_FIELD = 0x4002,
	SERVE_INTERNAL_ERROR = 0x0006,
	SERVE_INVALID_NS = 0x400b,
	SERVE_SEQUENCE_ERROR = 0x400c,
	SERVE_SGL_LENGTH = 0x400f,
	SERVE_SGL_TYPE = 0x4011,
	SERVE_INTERRUPTED = 0x0021,
	SERVE_LBA_RANGE = 0x4080,
	SERVE_TOO_MANY_AERS = 0x4105,
	SERVE_INCOMPATIBLE_FORMAT = 0x4180,
	SERVE_CONNECT_BUSY = 0x0181, /* may be retried */
	SERVE_CONNECT_INVALID = 0x4182,
};

/* Opcodes that belong to the transport's side of a controller. */
enum {
	SERVE_ABORT = 0x08,
	SERVE_AER = 0x0c,
	SERVE_KEEP_ALIVE = 0x18,
	SERVE_FABRICS = 0x7f,
};

/* Worlds: the drives of a host directory, and who is connected to them. */
struct serve_drive {
	const char *host; /* directory */
	char name[32];    /* nvme0 */
	char nqn[224];
	bool shared;          /* its subsystem has more controllers */
	pthread_mutex_t lock; /* of the transports */
	struct ssd_transport *idle[SERVE_IDLE_TRANSPORTS];
	unsigned n_idle;
};

/* An association: what a host calls a controller. */
struct controller {
	struct serve_drive *drive;
	uint16_t cntlid; /* unique in the process, 1 on */
	uint8_t host_id[16];
	char host_nqn[256];
	pthread_mutex_t lock; /* of cc and csts */
	uint32_t cc, csts;
	unsigned refs; /* connections; under the server's lock */
	struct controller *next;
};

struct server;

/* A command, from its capsule to its response. */
struct job {
	struct connection *connection; /* a reference */
	uint8_t sqe[64];
	unsigned slot;
	enum ssd_direction direction;
	uint8_t *data; /* page-aligned, owned */
	uint32_t len;  /* bytes to be transferred, 0 without data */
	uint32_t done; /* bytes that have come from the host, or that are for it */
	uint16_t status;
	uint64_t result;
	bool lost;    /* never answered: what a host sees of a command that the drive has forgotten */
	bool running; /* all data are there; no more may come */
	struct job *next;
};

struct connection {
	struct server *server;
	int fd;
	unsigned refs;                 /* the reader and the jobs; under the server's lock */
	pthread_mutex_t lock;          /* of sending, slots and sqhd */
	bool initialized;              /* ICReq was answered */
	bool dead;                     /* nothing more is sent */
	struct controller *controller; /* once Connect succeeded; a reference */
	uint16_t qid, entries, sqhd;
	struct job *slots[SERVE_QUEUE_ENTRIES];
	uint16_t aer[SERVE_AERS];
	unsigned n_aer;
	struct connection *next; /* in the server's list */
};

struct server {
	struct ssd_host *host;
	struct serve_drive *drives;
	size_t n_drives;
	pthread_mutex_t lock; /* of the lists, references and counts */
	struct controller *controllers;
	struct connection *connections;
	unsigned n_connections;
	uint64_t buffered; /* bytes of all jobs */
	/* workers */
	pthread_mutex_t work_lock;
	pthread_cond_t work;
	struct job *first, *last;
	unsigned n_workers, n_idle, n_queued;
};

/* Fields of a submission queue entry. */
static inline uint32_t serve_cdw(const struct job *job, unsigned n)
{
	return ssd_le32(job->sqe + 4 * n);
}
static inline uint16_t serve_cid(const uint8_t *sqe)
{
	return ssd_le16(sqe + 2);
}

/* --- drives.c --- */

/*
 * Finds the drives of a simulated host and names their subsystems. Returns 0, or -1 with *err set: not_found,
 * unsupported for a recorded host.
 */
int serve_drives(struct server *server, const char *dir, struct ssd_err *err);
/* For a server that nobody has connected to. */
void serve_drives_free(struct server *server);
/* A transport for one command at a time; give it back. NULL: the drive is gone. */
struct ssd_transport *serve_transport(struct serve_drive *drive);
void serve_transport_back(struct serve_drive *drive, struct ssd_transport *transport);
/* Sends a command to the drive; 0 or -errno. */
int serve_submit(struct serve_drive *drive, const struct ssd_cmd *cmd, struct ssd_cpl *cpl);
int serve_control(struct serve_drive *drive, enum ssd_control op);
/*
 * Identify for the adapter itself: the drive's answer without its faults, delays and counts. 0 or -errno. An NSID is for
 * CNS 00h alone.
 */
#define SERVE_IDENTIFY 4096
int serve_identify(struct serve_drive *drive, uint8_t cns, uint32_t nsid, uint8_t id[SERVE_IDENTIFY]);
/* Whether a fault rule has made the drive vanish. */
bool serve_vanished(struct serve_drive *drive);

/* --- cntlid.c --- */

/* The Controller List that is the job's data, in identifiers that hosts know, or that the drive does. */
void serve_list_for_host(const struct job *job);
void serve_list_for_drive(const struct job *job);

/* --- connection.c --- */

/* Takes over the socket and serves it in a thread of its own; closes it when there are too many. */
void serve_connection(struct server *server, int fd);
/* Ends connections, all that `match` says; their readers tidy up. Takes the server's lock. */
void serve_disconnect(struct server *server, bool (*match)(const struct connection *c, const void *what),
		      const void *what);
bool serve_of_drive(const struct connection *c, const void *drive);
bool serve_of_controller(const struct connection *c, const void *controller);
void serve_connection_unref(struct connection *c);
/* Under the server's lock. */
void serve_controller_unref(struct server *server, struct controller *controller);

/* --- pdu.c --- */

/* Receives one PDU and does what it says; false: the connection is at its end. */
bool serve_pdu(struct connection *c);
/* Sends the response of a job and frees it. */
void serve_complete(struct job *job);
void serve_job_free(struct job *job);
void serve_mutex_init(pthread_mutex_t *mutex);

/* --- work.c --- */

void serve_work_init(struct server *server);
/* Executes the job in a worker, now or when one is free. */
void serve_work(struct server *server, struct job *job);

/* --- fabrics.c --- */

/* Connect, in the reader: sets the connection's controller. */
void serve_connect(struct job *job);
void serve_property_get(struct job *job);
void serve_property_set(struct job *job);
bool serve_ready(struct controller *controller);

/* --- admin.c, media.c --- */

/* The command as transports have it; an admin one. */
void serve_command_of(const struct job *job, struct ssd_cmd *cmd);
/* Set the job's status, result and data; neither completes it. */
void serve_admin(struct job *job);
void serve_media(struct job *job);

#endif
