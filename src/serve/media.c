/* SPDX-License-Identifier: MIT */
/*
 * Commands of an I/O queue (NVM Command Set Specification 1.0c, section 3.2) on the sparse files ns-N.img of the
 * controller directory: byte LBA times block. What was never written reads as zeros.
 */
#include "serve/serve.h"

#include <fcntl.h>

enum { IO_FLUSH = 0x00, IO_WRITE = 0x01, IO_READ = 0x02, IO_WRITE_ZEROES = 0x08, IO_DSM = 0x09 };
#define DSM_DEALLOCATE 4 /* dword 11 */
#define DSM_RANGE_BYTES 16
/* Identify Namespace (the same specification, figure 97). */
#define CNS_NAMESPACE 0
enum { NS_NSZE = 0, NS_FLBAS = 26, NS_LBAF = 128, FLBAS_EXTENDED = 0x10 };

struct medium {
	uint64_t blocks;
	uint32_t block; /* bytes, with metadata when these follow each block */
};

static uint16_t find_medium(struct job *job, struct medium *medium)
{
	uint8_t id[SERVE_IDENTIFY];
	const uint8_t *format;
	unsigned index;

	if (serve_identify(job->connection->controller->drive, CNS_NAMESPACE, serve_cdw(job, 1), id))
		return SERVE_INVALID_NS;
	/* Bits 6:5 are the upper bits of the format's number. */
	index = (id[NS_FLBAS] & 0xfu) | (id[NS_FLBAS] >> 5 & 3u) << 4;
	format = id + NS_LBAF + (size_t)4 * index;
	medium->blocks = ssd_le64(id + NS_NSZE);
	if (!medium->blocks || format[2] < 9 || format[2] > 16)
		return SERVE_INVALID_NS;
	medium->block = 1u << format[2];
	if (id[NS_FLBAS] & FLBAS_EXTENDED)
		medium->block += ssd_le16(format);
	/* pread and pwrite take no more, and neither does a file. */
	return medium->blocks > (uint64_t)INT64_MAX / medium->block ? SERVE_INVALID_NS : SERVE_OK;
}

static int open_medium(struct job *job, bool write)
{
	struct serve_drive *drive = job->connection->controller->drive;
	AUTO_FREE char *path = ssd_asprintf("%s/%s/ns-%u.img", drive->host, drive->name, serve_cdw(job, 1));

	return open(path, (write ? O_RDWR | O_CREAT : O_RDONLY) | O_CLOEXEC | O_NONBLOCK, 0644);
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

static void read_write(struct job *job, const struct medium *m)
{
	bool write = job->sqe[0] == IO_WRITE;
	uint64_t lba = ssd_le64(job->sqe + 40), blocks = (serve_cdw(job, 12) & 0xffff) + 1;
	AUTO_CLOSE int fd = -1;

	if (!in_range(m, lba, blocks)) {
		job->status = SERVE_LBA_RANGE;
		return;
	}
	if (job->len != blocks * m->block || job->direction != (write ? SSD_DATA_TO_DRIVE : SSD_DATA_FROM_DRIVE)) {
		job->status = SERVE_SGL_LENGTH;
		return;
	}
	fd = open_medium(job, write);
	if (fd < 0 && !write && errno == ENOENT)
		memset(job->data, 0, job->len);
	else if (fd < 0 || !transfer(fd, job->data, job->len, (off_t)(lba * m->block), write))
		job->status = SERVE_INTERNAL_ERROR;
	job->done = job->len;
}

/* A hole reads as zeros. */
static uint16_t punch(int fd, const struct medium *m, uint64_t lba, uint64_t blocks)
{
	if (!blocks || fd < 0)
		return SERVE_OK;
	return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)(lba * m->block),
			 (off_t)(blocks * m->block))
		       ? SERVE_INTERNAL_ERROR
		       : SERVE_OK;
}

static void write_zeroes(struct job *job, const struct medium *m)
{
	uint64_t lba = ssd_le64(job->sqe + 40), blocks = (serve_cdw(job, 12) & 0xffff) + 1;
	AUTO_CLOSE int fd = open_medium(job, true);

	job->status = in_range(m, lba, blocks) ? punch(fd, m, lba, blocks) : SERVE_LBA_RANGE;
}

static void dataset_management(struct job *job, const struct medium *m)
{
	uint32_t ranges = (serve_cdw(job, 10) & 0xff) + 1;
	AUTO_CLOSE int fd = -1;

	if (job->direction != SSD_DATA_TO_DRIVE || job->len < ranges * DSM_RANGE_BYTES) {
		job->status = SERVE_SGL_LENGTH;
		return;
	}
	if (!(serve_cdw(job, 11) & DSM_DEALLOCATE))
		return; /* hints */
	fd = open_medium(job, true);
	for (uint32_t i = 0; i < ranges && !job->status; i++) {
		const uint8_t *range = job->data + (size_t)i * DSM_RANGE_BYTES;
		uint64_t lba = ssd_le64(range + 8), blocks = ssd_le32(range + 4);

		job->status = in_range(m, lba, blocks) ? punch(fd, m, lba, blocks) : SERVE_LBA_RANGE;
	}
}

/* Flush: what is written is in the host directory's file system, which is as durable as a simulated drive promises. */
void serve_media(struct job *job)
{
	struct medium medium;

	if (job->sqe[0] == IO_FLUSH)
		return;
	job->status = find_medium(job, &medium);
	if (job->status)
		return;
	switch (job->sqe[0]) {
	case IO_READ:
	case IO_WRITE:
		read_write(job, &medium);
		break;
	case IO_WRITE_ZEROES:
		write_zeroes(job, &medium);
		break;
	case IO_DSM:
		dataset_management(job, &medium);
		break;
	default:
		job->status = SERVE_INVALID_OPCODE;
	}
}
