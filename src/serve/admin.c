/* SPDX-License-Identifier: MIT */
/* Admin commands: to the simulated drive, and what a controller on a network must say otherwise than one on PCIe. */
#include "serve/serve.h"

#define FEATURE_QUEUES 0x07
/* 0-based numbers of submission and completion queues, in the lower and the upper half. */
#define QUEUES ((SERVE_IO_QUEUES - 1) | (uint32_t)(SERVE_IO_QUEUES - 1) << 16)

#define CNS_CTRL 1
/* Lists of controllers: of those that have a namespace, and of all. */
#define CNS_NS_CTRL_LIST 0x12
#define CNS_CTRL_LIST 0x13
/* Identify Controller: where the fields are, and what the kernel's host driver insists on (fabrics, section 4.1; base,
 * figure 247). A recording of a PCIe drive has zeros there. */
enum {
	ID_CMIC = 76,
	ID_CNTLID = 78,
	ID_KAS = 320,
	ID_MAXCMD = 514,
	ID_SGLS = 536,
	ID_SUBNQN = 768,
	ID_IOCCSZ = 1792,
	ID_IORCSZ = 1796,
	ID_ICDOFF = 1800,
};
#define CMIC_CONTROLLERS 2 /* the subsystem may have more than one */
#define SGLS_SUPPORTED 1u
#define SGLS_IN_CAPSULE (1u << 20)
#define KEEP_ALIVE_100MS 10

/*
 * The kernel has no length for what a drive returned, nor has the simulator: what it left alone is what still has this
 * pattern. Seeds differ from command to command, and eight bytes decide, so that data cannot be mistaken for it.
 */
static uint64_t pattern_word(uint64_t seed, uint64_t i)
{
	uint64_t x = seed + i * 0x9e3779b97f4a7c15ull; /* splitmix64, public domain, Vigna 2015 */

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

static void pattern_fill(uint8_t *data, uint32_t len, uint64_t seed)
{
	for (uint32_t at = 0; at < len; at += 8)
		ssd_put_le(data + at, len - at < 8 ? len - at : 8, pattern_word(seed, at / 8));
}

/* Bytes up to the last one that is not the pattern; a few that look like it are data all the same. */
static uint32_t written(const uint8_t *data, uint32_t len, uint64_t seed)
{
	uint32_t end = len, untouched;

	while (end && data[end - 1] == (uint8_t)(pattern_word(seed, (end - 1) / 8) >> 8 * ((end - 1) % 8)))
		end--;
	untouched = len - end;
	return untouched < 8 ? len : end;
}

static void overlay(const struct job *job, uint8_t *id, uint32_t len)
{
	const struct controller *k = job->connection->controller;
	const struct {
		uint16_t at, width;
		uint64_t value;
	} fields[] = {
		{ID_CNTLID, 2, k->cntlid},
		{ID_KAS, 2, KEEP_ALIVE_100MS},
		{ID_MAXCMD, 2, SERVE_QUEUE_ENTRIES},
		{ID_SGLS, 4, SGLS_SUPPORTED | SGLS_IN_CAPSULE},
		{ID_IOCCSZ, 4, (64 + SERVE_IN_CAPSULE) / 16}, /* in units of 16 bytes, the command included */
		{ID_IORCSZ, 4, 1},
		{ID_ICDOFF, 2, 0},
	};
	char nqn[256] = "";

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (fields[i].at + fields[i].width <= len)
			ssd_put_le(id + fields[i].at, fields[i].width, fields[i].value);
	if (k->drive->shared && ID_CMIC < len)
		id[ID_CMIC] |= CMIC_CONTROLLERS;
	ssd_strcpy(nqn, sizeof(nqn), k->drive->nqn);
	if (ID_SUBNQN + sizeof(nqn) <= len)
		memcpy(id + ID_SUBNQN, nqn, sizeof(nqn));
}

static void for_host(struct job *job, unsigned cns)
{
	if (cns == CNS_CTRL)
		overlay(job, job->data, job->done);
	else if ((cns == CNS_NS_CTRL_LIST || cns == CNS_CTRL_LIST) && job->done >= SERVE_IDENTIFY)
		serve_list_for_host(job);
}

/* What the simulator says when no completion arrives, and what becomes of that here. */
static void failed(struct job *job, int error)
{
	switch (error) {
	case ENODEV:
	case ENOENT:
		job->lost = true;
		serve_disconnect(job->connection->server, serve_of_drive, job->connection->controller->drive);
		break;
	case EINTR:
	case ETIMEDOUT: /* how a command ends that the drive has forgotten: the host's patience does */
		job->lost = true;
		break;
	default:
		job->status = SERVE_INTERNAL_ERROR;
	}
}

void serve_command_of(const struct job *job, struct ssd_cmd *cmd)
{
	*cmd = (struct ssd_cmd){
		.opcode = job->sqe[0],
		.nsid = serve_cdw(job, 1),
		.cdw2 = serve_cdw(job, 2),
		.cdw3 = serve_cdw(job, 3),
		.cdw10 = serve_cdw(job, 10),
		.cdw11 = serve_cdw(job, 11),
		.cdw12 = serve_cdw(job, 12),
		.cdw13 = serve_cdw(job, 13),
		.cdw14 = serve_cdw(job, 14),
		.cdw15 = serve_cdw(job, 15),
		.data = job->data,
		.data_len = job->len,
		.direction = job->direction,
	};
}

static void to_the_drive(struct job *job)
{
	struct serve_drive *drive = job->connection->controller->drive;
	uint64_t seed = ssd_now_us() ^ (uintptr_t)job;
	struct ssd_cpl cpl = {0};
	struct ssd_cmd cmd;
	int rc;

	serve_command_of(job, &cmd);
	if (job->direction == SSD_DATA_FROM_DRIVE)
		pattern_fill(job->data, job->len, seed);
	rc = serve_submit(drive, &cmd, &cpl);
	if (rc) {
		failed(job, -rc);
		return;
	}
	job->status = cpl.status;
	job->result = cpl.result;
	if (job->direction != SSD_DATA_FROM_DRIVE)
		return;
	job->done = written(job->data, job->len, seed);
	if (!job->status && cmd.opcode == SSD_ADMIN_IDENTIFY)
		for_host(job, cmd.cdw10 & 0xff);
}

/* Hosts cannot do without an answer to this one; a drive without the feature has as many as we have. */
static void number_of_queues(struct job *job)
{
	to_the_drive(job);
	if (!job->status || job->lost)
		return;
	job->status = SERVE_OK;
	job->result = QUEUES;
}

void serve_admin(struct job *job)
{
	switch (job->sqe[0]) {
	case SERVE_KEEP_ALIVE:
		break;
	case SERVE_ABORT:
		job->result = 1; /* not aborted, which a controller is free to say */
		break;
	case SSD_ADMIN_SET_FEATURES:
		if ((serve_cdw(job, 10) & 0xff) == FEATURE_QUEUES)
			number_of_queues(job);
		else
			to_the_drive(job);
		break;
	case SSD_ADMIN_NS_ATTACHMENT:
		if (job->direction == SSD_DATA_TO_DRIVE && job->len >= SERVE_IDENTIFY)
			serve_list_for_drive(job);
		to_the_drive(job);
		break;
	default:
		to_the_drive(job);
	}
}
