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
	return (struct ssd_u128){(uint64_t)(v >> 64), (uint64_t)v, 0};
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
	wide low = (wide)a.lo * b;
	wide high = (wide)a.hi * b + (low >> 64);
	wide top = (wide)a.top * b + (high >> 64);
	bool over = top >> 64;

	if (overflow)
		*overflow = over;
	if (over)
		return (struct ssd_u128){UINT64_MAX, UINT64_MAX, UINT64_MAX};
	return (struct ssd_u128){(uint64_t)high, (uint64_t)low, (uint64_t)top};
}

struct ssd_u128 ssd_u128_add(struct ssd_u128 a, uint64_t b)
{
	struct ssd_u128 v = a;

	v.lo += b;
	v.hi += v.lo < b;
	v.top += v.lo < b && !v.hi;
	return v;
}

/* Divides by 10 in place, as on paper; returns the remainder. */
static unsigned next_digit(struct ssd_u128 *v)
{
	wide x = v->top;

	v->top = (uint64_t)(x / 10);
	x = x % 10 << 64 | v->hi;
	v->hi = (uint64_t)(x / 10);
	x = x % 10 << 64 | v->lo;
	v->lo = (uint64_t)(x / 10);
	return (unsigned)(x % 10);
}

const char *ssd_u128_str(struct ssd_u128 v, char buf[SSD_U128_DIGITS])
{
	char *p = buf + SSD_U128_DIGITS - 1;

	*p = '\0';
	do
		*--p = (char)('0' + next_digit(&v));
	while (v.top || v.hi || v.lo);
	return memmove(buf, p, strlen(p) + 1);
}

double ssd_u128_double(struct ssd_u128 v)
{
	return (double)v.top * 0x1p128 + (double)to_wide(v);
}

int ssd_u128_cmp(struct ssd_u128 a, struct ssd_u128 b)
{
	wide x = to_wide(a), y = to_wide(b);

	if (a.top != b.top)
		return a.top < b.top ? -1 : 1;
	return x < y ? -1 : x > y;
}
