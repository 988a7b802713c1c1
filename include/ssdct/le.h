/* SPDX-License-Identifier: MIT */
/* Little-endian loads and stores, byte by byte: right on any endianness and at any alignment. */
#ifndef SSDCT_LE_H
#define SSDCT_LE_H

#include <stdint.h>

/* Loads width bytes (1 to 8). */
static inline uint64_t ssd_le(const uint8_t *p, unsigned width)
{
	uint64_t v = 0;

	while (width--)
		v = v << 8 | p[width];
	return v;
}

static inline uint16_t ssd_le16(const uint8_t *p)
{
	return (uint16_t)ssd_le(p, 2);
}

static inline uint32_t ssd_le32(const uint8_t *p)
{
	return (uint32_t)ssd_le(p, 4);
}

static inline uint64_t ssd_le64(const uint8_t *p)
{
	return ssd_le(p, 8);
}

/* Stores the low width bytes of v. */
static inline void ssd_put_le(uint8_t *p, unsigned width, uint64_t v)
{
	for (; width--; v >>= 8)
		*p++ = (uint8_t)v;
}

#endif
