/* SPDX-License-Identifier: MIT */
/* What `namespace`, `provision` and `rescan` share. */
#ifndef SSDCT_CMD_NS_COMMON_H
#define SSDCT_CMD_NS_COMMON_H

#include <ssdct/cli.h>
#include <ssdct/ns.h>
#include <ssdct/safety.h>

/* Keys "namespace" and "provision" in each element. */
extern const struct ssd_field ns_fields[], ns_provision_fields[];

/* What this host has made of it, apart from what the drive says. */
struct ns_host {
	bool rescanned;     /* the kernel was asked to look anew, and could */
	struct ssd_err err; /* when it was not */
	bool compared;      /* whether it agrees is known */
	bool agrees; /* the namespaces that the host shows are those that the drive has attached, of the same size */
	char message[240]; /* what failed or differs; empty: nothing */
};

/* A change under its permit. */
struct ns_change {
	struct ssd_run *run;
	struct ssd_row *row;
	struct ssd_device *dev;
	const char *what; /* for question and journal */
	enum ssd_impact impact;
	uint32_t nsid; /* whose use matters; SSD_NSID_ALL: that of all there are */
	const struct ns_facts *facts;
	const struct ns_plan *plan;
	/* Filled in by the run. */
	struct ns_outcome outcome;
	struct ns_host host;
	uint32_t changed[8]; /* Changed Namespace List, the first of them */
	size_t n_changed;
	bool changed_known;
};
/* Returns 0 (done and verified, or with --dry-run it could be), or -1 with row->err set. Free with ns_change_free(). */
int ns_change_run(struct ns_change *c);
void ns_change_free(struct ns_change *c);
/* The kernel reads the namespaces anew; then what the host shows is compared with facts (NULL: it is not). */
void ns_host_refresh(const struct ssd_run *run, struct ssd_device *dev, const struct ns_facts *facts,
		     struct ns_host *host);

void ns_doc_facts(const struct ssd_run *run, struct ssd_node *obj, const struct ssd_drive *drive,
		  const struct ns_facts *facts);
/* The steps of a plan and its notes, into an object that has "steps" and "notes". */
void ns_doc_plan(struct ssd_node *obj, const struct ns_plan *plan);
void ns_doc_note(struct ssd_node *obj, const char *note);
/* What became of it: host, changed namespaces, notes. */
void ns_doc_change(struct ssd_node *obj, const struct ns_change *c);
void ns_doc_host(struct ssd_node *obj, const struct ns_host *host);
extern const struct ssd_field ns_host_fields[];

void ns_list_text(const struct ssd_run *run, FILE *out);
void ns_change_text(const struct ssd_run *run, FILE *out);
void ns_provision_text(const struct ssd_run *run, FILE *out);

/* "100.00 GB, 24414063 blocks of 4096 bytes" */
const char *ns_size_text(uint64_t blocks, uint32_t block_bytes, char buf[96]);

#endif
