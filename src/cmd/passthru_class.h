/* SPDX-License-Identifier: MIT */
/* What a raw command would do: decided by tables, before anything is sent. */
#ifndef SSDCT_CMD_PASSTHRU_CLASS_H
#define SSDCT_CMD_PASSTHRU_CLASS_H

#include <ssdct/device.h>
#include <ssdct/safety.h>

enum passthru_class {
	PASSTHRU_READS,   /* passes without a question */
	PASSTHRU_CHANGES, /* the rest as enum ssd_impact */
	PASSTHRU_INTERRUPTS,
	PASSTHRU_TAKES_ACCESS,
	PASSTHRU_DESTROYS,
	PASSTHRU_KERNELS, /* never sent */
};

enum passthru_class passthru_classify(const struct ssd_device *dev, const struct ssd_cmd *cmd);
const char *passthru_class_word(enum passthru_class class);
enum ssd_impact passthru_impact(enum passthru_class class);

/*
 * The kernel gives the drive a buffer of the length that we say, and the drive transfers as much as the dwords say. Where
 * that is known, data must be as long: at least what a read brings, exactly what a write takes. 0, or -1 with *err set.
 */
int passthru_check_length(struct ssd_device *dev, const struct ssd_cmd *cmd, struct ssd_err *err);

#endif
