/* SPDX-License-Identifier: MIT */
/*
 * Firmware images for simulated drives (CONTRACT section 6): bytes 0-7 SSDCTFW1, 8-15 revision, 16-55 model, 56-59 CRC-32 of
 * everything from byte 64 on (little-endian), 60-63 zero, then the payload.
 */
#ifndef SSDCT_SIM_IMAGE_H
#define SSDCT_SIM_IMAGE_H

#include <ssdct/err.h>

#define SIM_IMAGE_HEADER 64
/* Larger than any drive's firmware: room of a simulated controller's download buffer. */
#define SIM_IMAGE_MAX (64u << 20)

/* Model number and revision as Identify has them. */
#define SIM_MODEL_BYTES 40
#define SIM_REVISION_BYTES 8

/*
 * An image of `size` bytes, header included; owned by the caller. The same arguments make the same bytes. NULL with *err
 * set (usage) when model or revision do not fit or the size is out of range.
 */
uint8_t *sim_image_make(const char *model, const char *revision, size_t size, struct ssd_err *err);

/*
 * Whether the bytes are an image for the model (40 bytes, as in Identify) and whole. The revision comes out as Identify
 * shows it, padded with blanks.
 */
bool sim_image_check(const uint8_t *image, size_t size, const uint8_t model[SIM_MODEL_BYTES],
		     uint8_t revision[SIM_REVISION_BYTES]);

#endif
