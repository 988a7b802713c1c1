/* SPDX-License-Identifier: MIT */
/* 128-bit counters through the compiler's own type. */
#include <ssdct/u128.h>

#include <stddef.h>
#include <string.h>

typedef unsigned __int128 wide;

static wide to_wide(struct ssd_u128 v)
{
	return (wide)v.hi << 64 | v.lo;
}

static struct ssd_u128 from_wide(wide v)
{
	return (struct ssd_u128){(uint64_t)(v >> 64), (uint64_t)v};
}

struct ssd_u128 ssd_u128_from_le(const uint8_t *p, unsigned width)
{
	wide v = 0;

	while (width--)
		v = v << 8 | p[width];
	return from_wide(v);
}

struct ssd_u128 ssd_u128_mul(struct ssd_u128 a, uint64_t b, bool *overflow)
{
	wide v;
	bool over = __builtin_mul_overflow(to_wide(a), (wide)b, &v);

	if (overflow)
		*overflow = over;
	return from_wide(over ? ~(wide)0 : v);
}

struct ssd_u128 ssd_u128_add(struct ssd_u128 a, uint64_t b)
{
	wide v;

	return from_wide(__builtin_add_overflow(to_wide(a), (wide)b, &v) ? ~(wide)0 : v);
}

const char *ssd_u128_str(struct ssd_u128 v, char buf[SSD_U128_DIGITS])
{
	wide w = to_wide(v);
	char *p = buf + SSD_U128_DIGITS - 1;

	*p = '\0';
	do
		*--p = (char)('0' + (int)(w % 10));
	while (w /= 10);
	return memmove(buf, p, strlen(p) + 1);
}

double ssd_u128_double(struct ssd_u128 v)
{
	return (double)to_wide(v);
}

int ssd_u128_cmp(struct ssd_u128 a, struct ssd_u128 b)
{
	wide x = to_wide(a), y = to_wide(b);

	return x < y ? -1 : x > y;
}
