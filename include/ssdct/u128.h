/* SPDX-License-Identifier: MIT */
/* 128-bit counters, as NVMe health logs have them. */
#ifndef SSDCT_U128_H
#define SSDCT_U128_H

#include <stdbool.h>
#include <stdint.h>

struct ssd_u128 {
	uint64_t hi, lo;
	uint64_t top; /* bits 128 to 191: only a product has them, so that all its digits can be said */
};

/* The 58 digits of 2^192-1 and the NUL. */
#define SSD_U128_DIGITS 59

struct ssd_u128 ssd_u128_from_le(const uint8_t *p, unsigned width);
/* a * b, exact up to 192 bits; beyond them saturates and sets *overflow (may be NULL). */
struct ssd_u128 ssd_u128_mul(struct ssd_u128 a, uint64_t b, bool *overflow);
struct ssd_u128 ssd_u128_add(struct ssd_u128 a, uint64_t b);
/* Decimal digits into buf. */
const char *ssd_u128_str(struct ssd_u128 v, char buf[SSD_U128_DIGITS]);
/* The value as a double, for text that rounds anyway. */
double ssd_u128_double(struct ssd_u128 v);
int ssd_u128_cmp(struct ssd_u128 a, struct ssd_u128 b);

static inline struct ssd_u128 ssd_u128_of(uint64_t lo)
{
	return (struct ssd_u128){.lo = lo};
}

/* Clamped at the largest JSON integer, 2^63-1. */
static inline int64_t ssd_u128_clamp(struct ssd_u128 v)
{
	return v.top || v.hi || v.lo > INT64_MAX ? INT64_MAX : (int64_t)v.lo;
}

#endif
