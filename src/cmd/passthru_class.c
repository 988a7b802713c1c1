/* SPDX-License-Identifier: MIT */
#include "passthru_class.h"

#include <ssdct/admin.h>
#include <ssdct/feature.h>

/*
 * Admin commands that are known not to destroy data, or only with some values of a field of CDW10 (NVM Express Base
 * Specification 2.0c, figure 138 and the commands' sections). Whatever no row says destroys: Format NVM, Sanitize, Security
 * Send, NVMe-MI Send, Virtualization and Capacity Management, Lockdown, all vendors' and all unknown ones.
 */
static const struct {
	uint8_t opcode;
	uint32_t mask, value; /* of CDW10; mask 0: whatever it says */
	enum passthru_class class;
} rows[] = {
	{0x02, 0, 0, PASSTHRU_CHANGES},          /* Get Log Page that is no pure read: events, contexts, telemetry */
	{0x08, 0, 0, PASSTHRU_CHANGES},          /* Abort */
	{0x0d, 0xf, 0, PASSTHRU_CHANGES},        /* Namespace Management: create */
	{0x10, 0x38, 0x00, PASSTHRU_CHANGES},    /* Firmware Commit: store */
	{0x10, 0x38, 0x08, PASSTHRU_CHANGES},    /* store, activate at reset */
	{0x10, 0x38, 0x10, PASSTHRU_CHANGES},    /* activate at reset */
	{0x10, 0x38, 0x18, PASSTHRU_INTERRUPTS}, /* activate now */
	{0x11, 0, 0, PASSTHRU_CHANGES},          /* Firmware Image Download */
	{0x14, 0, 0, PASSTHRU_CHANGES},          /* Device Self-test */
	{0x15, 0xf, 0, PASSTHRU_CHANGES},        /* Namespace Attachment: attach */
	{0x15, 0xf, 1, PASSTHRU_TAKES_ACCESS},   /* detach */
	{0x18, 0, 0, PASSTHRU_CHANGES},          /* Keep Alive */
	{0x1a, 0, 0, PASSTHRU_CHANGES},          /* Directive Receive: may allocate streams */
	{0x82, 0, 0, PASSTHRU_CHANGES},          /* Security Receive: takes an answer away from whoever waits for it */
	{0x86, 0, 0, PASSTHRU_CHANGES},          /* Get LBA Status: may have the drive scan */
};

static enum passthru_class of_feature(const struct ssd_device *dev, uint8_t fid)
{
	return ssd_feature_class(dev, fid) == SSD_FEATURE_CHANGES ? PASSTHRU_CHANGES : PASSTHRU_DESTROYS;
}

enum passthru_class passthru_classify(const struct ssd_device *dev, const struct ssd_cmd *cmd)
{
	if (ssd_is_kernels_own(cmd))
		return PASSTHRU_KERNELS;
	if (ssd_is_read(dev, cmd))
		return PASSTHRU_READS;
	if (cmd->io)
		return PASSTHRU_DESTROYS;
	if (cmd->opcode == SSD_ADMIN_SET_FEATURES)
		return of_feature(dev, cmd->cdw10 & 0xff);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].opcode == cmd->opcode && (cmd->cdw10 & rows[i].mask) == rows[i].value)
			return rows[i].class;
	return PASSTHRU_DESTROYS;
}

static const struct {
	const char *word;
	enum ssd_impact impact;
} classes[] = {
	[PASSTHRU_READS] = {"reads", SSD_CHANGES},
	[PASSTHRU_CHANGES] = {"changes", SSD_CHANGES},
	[PASSTHRU_INTERRUPTS] = {"interrupts", SSD_INTERRUPTS},
	[PASSTHRU_TAKES_ACCESS] = {"takes_access", SSD_TAKES_ACCESS},
	[PASSTHRU_DESTROYS] = {"destroys", SSD_DESTROYS},
	[PASSTHRU_KERNELS] = {"kernel", SSD_DESTROYS},
};

const char *passthru_class_word(enum passthru_class class)
{
	return classes[class].word;
}

enum ssd_impact passthru_impact(enum passthru_class class)
{
	return classes[class].impact;
}
