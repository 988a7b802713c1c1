/* SPDX-License-Identifier: MIT */
/* How many bytes a raw command transfers, as far as its dwords say it. */
#include "passthru_class.h"

#include <inttypes.h>
#include <ssdct/feature.h>
#include <ssdct/media.h>

/* Protection information of 16-bit guards; with PRACT set and no other metadata the drive makes it up and takes it off. */
#define PI_BYTES 8
#define PRACT (1u << 29)
#define SELECT(cdw10) ((cdw10) >> 8 & 7)

static int identify_bytes(struct ssd_device *dev, const struct ssd_cmd *cmd, uint64_t *bytes, struct ssd_err *err)
{
	(void)dev, (void)cmd, (void)err;
	*bytes = 4096;
	return 0;
}

/* NUMDL and NUMDU, zero-based dwords (NVM Express Base Specification 2.0c, Get Log Page, dwords 10 and 11). */
static int log_bytes(struct ssd_device *dev, const struct ssd_cmd *cmd, uint64_t *bytes, struct ssd_err *err)
{
	(void)dev, (void)err;
	*bytes = ((uint64_t)(cmd->cdw11 & 0xffff) << 16 | cmd->cdw10 >> 16) * 4 + 4;
	return 0;
}

/* NUMD, zero-based dwords (the same, Firmware Image Download, Directive Receive and Reservation Report, dword 10). */
static int dwords_bytes(struct ssd_device *dev, const struct ssd_cmd *cmd, uint64_t *bytes, struct ssd_err *err)
{
	(void)dev, (void)err;
	*bytes = (uint64_t)cmd->cdw10 * 4 + 4;
	return 0;
}

/* Allocation Length, bytes (the same, Security Receive, dword 11). */
static int security_bytes(struct ssd_device *dev, const struct ssd_cmd *cmd, uint64_t *bytes, struct ssd_err *err)
{
	(void)dev, (void)err;
	*bytes = cmd->cdw11;
	return 0;
}

/* MNDW, zero-based dwords (NVM Command Set Specification 1.0c, Get LBA Status, dword 12). */
static int lba_status_bytes(struct ssd_device *dev, const struct ssd_cmd *cmd, uint64_t *bytes, struct ssd_err *err)
{
	(void)dev, (void)err;
	*bytes = (uint64_t)cmd->cdw12 * 4 + 4;
	return 0;
}

/* NR, zero-based ranges of 16 bytes (the same, Dataset Management, dword 10). */
static int ranges_bytes(struct ssd_device *dev, const struct ssd_cmd *cmd, uint64_t *bytes, struct ssd_err *err)
{
	(void)dev, (void)err;
	*bytes = ((cmd->cdw10 & 0xff) + 1) * 16;
	return 0;
}

static int feature_bytes(struct ssd_device *dev, const struct ssd_cmd *cmd, uint64_t *bytes, struct ssd_err *err)
{
	(void)dev, (void)err;
	*bytes = 0;
	for (const struct ssd_std_feature *f = ssd_std_features; f->page.name; f++)
		if (f->page.id == (cmd->cdw10 & 0xff) && SELECT(cmd->cdw10) != SSD_SUPPORTED)
			*bytes = f->page.size;
	return 0;
}

static int fail_format(const struct ssd_device *dev, const struct ssd_cmd *cmd, const char *why, struct ssd_err *err)
{
	ssd_fail(err, SSD_ERR_REFUSED, "%s: namespace %" PRIu32 ": %s; nothing was sent", dev->drive->device, cmd->nsid,
		 why);
	ssd_hint(err, "the drive would transfer more or less than the buffer holds");
	return -1;
}

/* NLB, zero-based logical blocks (NVM Command Set Specification 1.0c, Compare, Read and Write, dword 12). */
static int blocks_bytes(struct ssd_device *dev, const struct ssd_cmd *cmd, uint64_t *bytes, struct ssd_err *err)
{
	struct media_ns ns = {.nsid = cmd->nsid, .attached = true, .elsewhere = -1};
	const struct media_lbaf *f;
	unsigned metadata;

	if (media_ns_read(dev, &ns, err))
		return -1;
	f = ns.format.index < ns.n_formats ? &ns.formats[ns.format.index] : NULL;
	if (!ns.known || !f || !f->block_bytes)
		return fail_format(dev, cmd, "its block size is not known", err);
	metadata = f->metadata_bytes;
	if (cmd->cdw12 & PRACT && ns.format.protection && metadata == PI_BYTES)
		metadata = 0;
	if (metadata && !ns.format.extended)
		return fail_format(dev, cmd, "its metadata need a buffer of their own, which passthru does not give",
				   err);
	*bytes = ((cmd->cdw12 & 0xffff) + 1) * (f->block_bytes + metadata);
	return 0;
}

static const struct {
	uint8_t opcode;
	bool io;
	int (*bytes)(struct ssd_device *dev, const struct ssd_cmd *cmd, uint64_t *bytes, struct ssd_err *err);
} rows[] = {
	{SSD_ADMIN_GET_LOG_PAGE, false, log_bytes},
	{SSD_ADMIN_IDENTIFY, false, identify_bytes},
	{SSD_ADMIN_GET_FEATURES, false, feature_bytes},
	{SSD_ADMIN_FIRMWARE_DOWNLOAD, false, dwords_bytes},
	{0x1a, false, dwords_bytes},     /* Directive Receive */
	{0x82, false, security_bytes},   /* Security Receive */
	{0x86, false, lba_status_bytes}, /* Get LBA Status */
	{0x01, true, blocks_bytes},      /* Write */
	{0x02, true, blocks_bytes},      /* Read */
	{0x05, true, blocks_bytes},      /* Compare */
	{SSD_IO_DSM, true, ranges_bytes},
	{0x0e, true, dwords_bytes}, /* Reservation Report */
};

int passthru_check_length(struct ssd_device *dev, const struct ssd_cmd *cmd, struct ssd_err *err)
{
	bool exact = cmd->opcode & 1; /* data go to the drive */
	uint64_t bytes = 0;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].opcode != cmd->opcode || rows[i].io != cmd->io)
			continue;
		if (rows[i].bytes(dev, cmd, &bytes, err))
			return -1;
		if (exact ? cmd->data_len == bytes : cmd->data_len >= bytes)
			return 0;
		return ssd_fail(err, SSD_ERR_USAGE,
				"%s: the data of this command are %" PRIu64
				" bytes by its dwords, but --data-len is %" PRIu32 "; nothing was sent",
				dev->drive->device, bytes, cmd->data_len);
	}
	return 0;
}
