/* SPDX-License-Identifier: MIT */
/*
 * Namespaces: what the drive says of them, plans of their change (pure), execution. Provisioning, that is how much of the
 * drive its namespace shows, is such a change too.
 */
#ifndef SSDCT_NS_H
#define SSDCT_NS_H

#include <ssdct/admin.h>

#define NS_FORMATS 64
/* Intel's features (SPDK nvme_intel.h). */
#define NS_FID_MAX_LBA 0xc1u
#define NS_FID_NATIVE_MAX_LBA 0xc2u

struct ns_info {
	uint32_t nsid;
	bool attached; /* to the controller that was asked */
	uint64_t nsze, ncap;
	uint64_t nvmcap; /* bytes that it takes; 0: the drive does not say */
	uint8_t flbas, nmic, dps, nsfeat;
	uint32_t anagrpid; /* these three 0: none */
	uint16_t nvmsetid, endgid;
	uint8_t csi; /* command set, only by ns_command_set_read(); 0: NVM, or not known */
	uint8_t eui64[8], nguid[16];
	unsigned format;      /* number of the LBA format in use */
	uint32_t block_bytes; /* 0: no valid format */
	uint16_t metadata_bytes;
	bool controllers_known;
	struct ssd_controllers controllers; /* that have it */
};

struct ns_format {
	uint8_t shift; /* block bytes as a power of two; below 9: not there */
	uint8_t performance;
	uint16_t metadata_bytes;
};

/* Intel's features C1h and C2h, in the drive's own unit: see ns_plan_provision(). */
struct ns_max_lba {
	bool known;
	uint64_t current, native;
};

struct ns_facts {
	char serial[21];
	bool managed;   /* OACS bit 3: namespace management and attachment */
	bool allocated; /* the namespaces are all allocated ones; else only those attached here */
	unsigned controller_id;
	uint32_t most;                      /* NN */
	bool capacity_known;                /* TNVMCAP and UNVMCAP are reported */
	struct ssd_u128 total, unused;      /* TNVMCAP and UNVMCAP, bytes */
	struct ssd_controllers controllers; /* of the subsystem */
	struct ns_info *namespaces;         /* by nsid; owned */
	size_t n;
	/* What all namespaces have in common. */
	struct ns_format formats[NS_FORMATS];
	unsigned n_formats; /* 0: not known */
	bool thin, extended_only;
	bool ana_chosen;                                 /* ANACAP bit 7: a new namespace may be given its ANA group */
	uint64_t size_granularity, capacity_granularity; /* bytes, by the list of CNS 16h; 0: not reported */
	const char *busy_with;                           /* an operation that must end first, in words, or NULL */
	struct ns_max_lba max_lba;                       /* only by ns_max_lba_read() */
};

/*
 * Asks the drive anew: Identify Controller, lists, every namespace. A drive without namespace management has those that are
 * attached, by its list or, before NVMe 1.2, by the kernel's. 0, or -1 with *err set; free in both cases.
 */
int ns_facts_read(struct ssd_device *dev, struct ns_facts *facts, struct ssd_err *err);
void ns_facts_free(struct ns_facts *facts);
/* Features C1h and C2h; a drive that does not have them says so by max_lba.known. 0, or -1 with *err set. */
int ns_max_lba_read(struct ssd_device *dev, struct ns_facts *facts, struct ssd_err *err);
/* Command set of the only namespace, as far as the drive tells, which it does of an attached one. 0, or -1 with *err set. */
int ns_command_set_read(struct ssd_device *dev, struct ns_facts *facts, struct ssd_err *err);
/* Whether a plan that was made with one holds for the other. */
bool ns_facts_equal(const struct ns_facts *a, const struct ns_facts *b);
const struct ns_info *ns_find(const struct ns_facts *facts, uint32_t nsid);

enum ns_step_kind { NS_CREATE, NS_DELETE, NS_ATTACH, NS_DETACH, NS_SET_MAX_LBA };

struct ns_step {
	enum ns_step_kind kind;
	uint32_t nsid;            /* 0: the one that the step before has created */
	uint64_t nsze, ncap;      /* NS_CREATE, blocks; NS_SET_MAX_LBA: the size that it leads to */
	uint8_t flbas, dps, nmic; /* NS_CREATE */
	uint32_t anagrpid;        /* NS_CREATE; these three 0: as the drive chooses */
	uint16_t nvmsetid, endgid;
	uint64_t value;                     /* NS_SET_MAX_LBA */
	struct ssd_controllers controllers; /* NS_ATTACH, NS_DETACH */
};

enum ns_method { NS_BY_NONE, NS_BY_MAX_LBA, NS_BY_NAMESPACES };

struct ns_plan {
	struct ns_step steps[3];
	size_t n_steps; /* 0: the drive is like that already */
	uint32_t nsid;  /* 0: not known before it is created */
	uint64_t blocks;
	uint32_t block_bytes;
	unsigned format;
	/* Provisioning. */
	enum ns_method method;
	bool counts;                         /* C1h is a number of blocks, not the last LBA */
	uint64_t before_blocks, most_blocks; /* most_blocks 0: not known */
	char notes[4][200];
	size_t n_notes;
};

struct ns_wish {
	uint64_t size_bytes, blocks; /* one of them, or largest */
	bool largest;                /* all that is unallocated */
	uint64_t capacity_bytes;     /* 0: as the size */
	uint32_t block_bytes;        /* 0: as the namespaces that there are, or the fastest */
	int format;                  /* -1: by block_bytes */
	bool shared;
	const struct ssd_controllers *attach; /* NULL: to none */
};

enum ns_provision_by { NS_TO_BLOCKS, NS_TO_BYTES, NS_TO_PERCENT, NS_TO_NATIVE };

/* All plans are pure. They return 0, or -1 with the reason for the refusal. */
int ns_plan_create(const struct ns_facts *facts, const struct ns_wish *wish, struct ns_plan *plan, struct ssd_err *err);
/* nsid SSD_NSID_ALL: all of them. */
int ns_plan_delete(const struct ns_facts *facts, uint32_t nsid, struct ns_plan *plan, struct ssd_err *err);
int ns_plan_attach(const struct ns_facts *facts, uint32_t nsid, const struct ssd_controllers *controllers, bool attach,
		   struct ns_plan *plan, struct ssd_err *err);
/*
 * How much of the drive its only namespace shows. By Max LBA where facts->max_lba is known: the unit of C1h, last LBA or
 * count, is whichever fits NSZE; when neither does it is refused. Else the namespace is deleted and made anew.
 */
int ns_plan_provision(const struct ns_facts *facts, enum ns_provision_by by, uint64_t value, struct ns_plan *plan,
		      struct ssd_err *err);

/* A step as it is sent; created is the NSID for a step that has none; data is a page of 4096 bytes. */
void ns_step_cmd(const struct ns_step *step, uint32_t created, uint8_t *data, struct ssd_cmd *cmd);
/* "Namespace Management (0Dh): create, ..., cdw10 0x0", for --dry-run. */
void ns_step_text(const struct ns_step *step, char *buf, size_t size);

struct ns_outcome {
	size_t done;   /* steps that the drive shows as carried out */
	bool sent;     /* a command was sent */
	uint32_t nsid; /* created */
	bool known;    /* facts are from after the last command */
	bool reset;    /* the controller was reset */
	bool pending;  /* Max LBA: accepted, and not in effect, even after a controller reset or because that failed */
	struct ns_facts facts; /* free with ns_facts_free() */
	char note[200];
};

/*
 * Carries a plan out, step by step: each is sent once and then looked for in what the drive says, also when its answer was
 * lost. The device has its grant. Returns 0, or -1 with *err set and *outcome saying how far it came. let_go is called once
 * a namespace was deleted: whoever holds its node open keeps the kernel from giving the name to the next one.
 */
struct ns_job {
	struct ssd_device *dev;
	const struct ns_plan *plan;
	const struct ns_facts *before;
	void (*let_go)(void *ctx);
	void *ctx;
};
int ns_run(const struct ns_job *job, struct ns_outcome *outcome, struct ssd_err *err);

#endif
