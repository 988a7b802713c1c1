/* SPDX-License-Identifier: MIT */
/*
 * I/O commands (NVM Command Set Specification 1.0c) on the sparse files ns-N.img: byte LBA times block. What
 * was never written reads as zeros. A namespace has one file, in the directory of the subsystem's home.
 */
#include "sim/sim.h"

#include <fcntl.h>
#include <ssdct/le.h>

#define DSM_DEALLOCATE 4 /* dword 11 */
#define DSM_RANGE_BYTES 16
#define INTERNAL_ERROR 0x0006

struct medium {
	uint64_t blocks;
	uint32_t block; /* bytes, with metadata when these follow each block */
};

static int find_medium(struct sim_call *call, struct medium *m)
{
	struct host_file page = sim_ns_page(call->cmd->nsid);
	struct nvme_id_ns ns;
	int rc = sim_page_read(call->sim, &page, 0, &ns, sizeof(ns), NULL);

	if (rc || call->cmd->nsid == SSD_NSID_ALL)
		return rc == -ENOENT || !rc ? SIM_INVALID_NS : rc;
	m->blocks = ssd_le64((const uint8_t *)&ns.nsze);
	if (!m->blocks || !sim_ns_shift(&ns))
		return SIM_INVALID_NS;
	m->block = 1u << sim_ns_shift(&ns);
	if (ns.flbas & NVME_NS_FLBAS_META_EXT)
		m->block += ssd_le16((const uint8_t *)&ns.lbaf[sim_ns_format(&ns)].ms);
	/* pread and pwrite take no more, and neither does a file. */
	return m->blocks > (uint64_t)INT64_MAX / m->block ? SIM_INVALID_NS : 0;
}

static int open_medium(struct sim_call *call, bool write)
{
	AUTO_FREE char *home = sim_home(call->sim);
	AUTO_FREE char *path = ssd_asprintf("%s/%s/ns-%u.img", call->sim->host, home, call->cmd->nsid);

	return open(path, (write ? O_RDWR | O_CREAT : O_RDONLY) | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0644);
}

static bool in_range(const struct medium *m, uint64_t lba, uint64_t blocks)
{
	return lba < m->blocks && blocks <= m->blocks - lba;
}

static bool transfer(int fd, uint8_t *data, size_t len, off_t at, bool write)
{
	while (len) {
		ssize_t n = write ? pwrite(fd, data, len, at) : pread(fd, data, len, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 || (write && !n))
			return false;
		if (!n) {
			memset(data, 0, len); /* beyond the end of the file: never written */
			return true;
		}
		data += n;
		at += n;
		len -= (size_t)n;
	}
	return true;
}

/* What writes begins with this: the media of two controllers are one. */
static int before_writing(struct sim_call *call)
{
	int rc = sim_home_settle(call->sim);

	return rc ? rc : sim_sanitize_written(call->sim);
}

static uint64_t lba_of(const struct ssd_cmd *cmd)
{
	return cmd->cdw10 | (uint64_t)cmd->cdw11 << 32;
}

static int read_write(struct sim_call *call, const struct medium *m)
{
	const struct ssd_cmd *cmd = call->cmd;
	bool write = cmd->opcode == SSD_IO_WRITE;
	uint64_t blocks = (cmd->cdw12 & 0xffff) + 1;
	AUTO_CLOSE int fd = -1;
	int rc;

	if (!in_range(m, lba_of(cmd), blocks))
		return SIM_LBA_RANGE;
	if (cmd->data_len != blocks * m->block || cmd->direction != (write ? SSD_DATA_TO_DRIVE : SSD_DATA_FROM_DRIVE))
		return SIM_SGL_LENGTH;
	rc = write ? before_writing(call) : 0;
	if (rc)
		return rc;
	fd = open_medium(call, write);
	if (fd < 0 && !write && errno == ENOENT)
		memset(cmd->data, 0, cmd->data_len);
	else if (fd < 0 || !transfer(fd, cmd->data, cmd->data_len, (off_t)(lba_of(cmd) * m->block), write))
		return INTERNAL_ERROR;
	return 0;
}

/* A hole reads as zeros. */
static int punch(int fd, const struct medium *m, uint64_t lba, uint64_t blocks)
{
	if (!in_range(m, lba, blocks))
		return SIM_LBA_RANGE;
	if (!blocks)
		return 0;
	if (fd < 0)
		return INTERNAL_ERROR;
	return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)(lba * m->block),
			 (off_t)(blocks * m->block))
		       ? INTERNAL_ERROR
		       : 0;
}

static int write_zeroes(struct sim_call *call, const struct medium *m)
{
	int rc = before_writing(call);
	AUTO_CLOSE int fd = rc ? -1 : open_medium(call, true);

	return rc ? rc : punch(fd, m, lba_of(call->cmd), (call->cmd->cdw12 & 0xffff) + 1);
}

static int dataset_management(struct sim_call *call, const struct medium *m)
{
	const struct ssd_cmd *cmd = call->cmd;
	uint32_t ranges = (cmd->cdw10 & 0xff) + 1;
	AUTO_CLOSE int fd = -1;
	int rc = 0;

	if (cmd->direction != SSD_DATA_TO_DRIVE || cmd->data_len < ranges * DSM_RANGE_BYTES)
		return SIM_SGL_LENGTH;
	if (!(cmd->cdw11 & DSM_DEALLOCATE))
		return 0; /* hints */
	fd = open_medium(call, true);
	for (uint32_t i = 0; i < ranges && !rc; i++) {
		const uint8_t *range = (const uint8_t *)cmd->data + (size_t)i * DSM_RANGE_BYTES;

		rc = punch(fd, m, ssd_le64(range + 8), ssd_le32(range + 4));
	}
	return rc;
}

/* Flush: what is written is in the host directory's file system, which is as durable as a simulated drive promises. */
int sim_media(struct sim_call *call)
{
	struct medium m;
	int rc = call->cmd->opcode == SSD_IO_FLUSH ? 0 : find_medium(call, &m);

	if (rc)
		return rc;
	if (sim_format_busy(call->sim->shared, call->cmd->nsid))
		return SIM_FORMAT_IN_PROGRESS;
	switch (call->cmd->opcode) {
	case SSD_IO_FLUSH:
		return 0;
	case SSD_IO_READ:
	case SSD_IO_WRITE:
		return read_write(call, &m);
	case SSD_IO_WRITE_ZEROES:
		return write_zeroes(call, &m);
	case SSD_IO_DSM:
		return dataset_management(call, &m);
	default:
		return SIM_INVALID_OPCODE;
	}
}

int sim_media_direct(struct ssd_transport *t, const struct ssd_cmd *cmd)
{
	struct sim *sim = (struct sim *)t;
	struct sim_call call = {.sim = sim, .cmd = cmd, .copy_limit = UINT32_MAX};
	int rc;

	sim_state(sim);
	sim_shared(sim);
	rc = sim_recover(sim);
	if (!rc)
		rc = sim_sanitize_gate(sim->shared, cmd);
	return rc ? rc : sim_media(&call);
}
