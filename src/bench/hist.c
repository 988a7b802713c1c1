/* SPDX-License-Identifier: MIT */
/* Latency histogram: see bench.h. Minimum, maximum and mean are exact; percentiles are right to a bucket's width. */
#include <ssdct/bench.h>

void ssd_hist_init(struct ssd_hist *h)
{
	*h = (struct ssd_hist){.min_ns = UINT64_MAX};
}

void ssd_hist_merge(struct ssd_hist *into, const struct ssd_hist *from)
{
	for (size_t i = 0; i < SSD_HIST_BUCKETS; i++)
		into->count[i] += from->count[i];
	into->samples += from->samples;
	into->min_ns = from->min_ns < into->min_ns ? from->min_ns : into->min_ns;
	into->max_ns = from->max_ns > into->max_ns ? from->max_ns : into->max_ns;
	into->sum_ns = ssd_u128_add(into->sum_ns, from->sum_ns.lo);
	into->sum_ns.hi += from->sum_ns.hi;
}

double ssd_hist_mean(const struct ssd_hist *h)
{
	return h->samples ? ssd_u128_double(h->sum_ns) / (double)h->samples : 0;
}

uint64_t ssd_hist_low(unsigned bucket)
{
	unsigned shift = bucket >> SSD_HIST_BITS;

	/* The first two doublings are counted one by one. */
	if (shift < 2)
		return bucket;
	return (uint64_t)((1u << SSD_HIST_BITS) + (bucket & ((1u << SSD_HIST_BITS) - 1))) << (shift - 1);
}

uint64_t ssd_hist_high(unsigned bucket)
{
	return bucket + 1 < SSD_HIST_BUCKETS ? ssd_hist_low(bucket + 1) - 1 : UINT64_MAX;
}

/* The rank of the sample that is meant: the first one that leaves no more than 100 - percent above it. */
static uint64_t rank_of(const struct ssd_hist *h, double percent)
{
	double exact = percent / 100 * (double)h->samples;
	uint64_t rank = exact > 0 ? (uint64_t)exact : 0;

	/* 99.9 % of 1000 samples is 999 and not 998.99..., whatever a double makes of it. */
	if (exact - (double)rank > 1e-6)
		rank++;
	return rank < 1 ? 1 : rank > h->samples ? h->samples : rank;
}

static uint64_t clamp(const struct ssd_hist *h, uint64_t ns)
{
	return ns < h->min_ns ? h->min_ns : ns > h->max_ns ? h->max_ns : ns;
}

uint64_t ssd_hist_percentile(const struct ssd_hist *h, double percent)
{
	uint64_t rank, below = 0, width, part;
	unsigned b = 0;

	if (!h->samples)
		return 0;
	rank = rank_of(h, percent);
	while (below + h->count[b] < rank)
		below += h->count[b++];
	/* The samples of a bucket are taken as spread evenly over it; a double may round beyond its end. */
	width = ssd_hist_high(b) - ssd_hist_low(b);
	part = (uint64_t)((double)width * ((double)(rank - below) / (double)h->count[b]));
	return clamp(h, ssd_hist_low(b) + (part < width ? part : width));
}
