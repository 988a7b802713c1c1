/* SPDX-License-Identifier: MIT */
/*
 * Workloads as a table. Where they come from: CrystalDiskMark's as KDiskMark has them (src/appsettings.cpp, e78d3c7; there
 * five runs of five seconds each and their mean, here one run); Intel's conditions, 4 workers with 32 I/Os each over the
 * whole span, from the P3700's product specification (330566) and the reviews that repeat it with IOMeter; steady state
 * from SNIA's PTS as TKperf does it (638b0837).
 */
#include <ssdct/bench.h>

#define K 1024u
#define M (1024u * K)
#define G (1024ull * M)

#define SEQ_READ .kind = SSD_BENCH_SEQ_READ, .read_percent = 100
#define RAND_READ .kind = SSD_BENCH_RAND_READ, .read_percent = 100
#define SEQ_WRITE .kind = SSD_BENCH_SEQ_WRITE
#define RAND_WRITE .kind = SSD_BENCH_RAND_WRITE
#define MIXED .kind = SSD_BENCH_RAND_MIXED, .read_percent = 70
/* Bytes of a block, I/Os under way in each job, jobs, seconds. */
#define LOAD(bs, qd, n, s) .block_bytes = (bs), .queue_depth = (qd), .jobs = (n), .seconds = (s)

static const struct ssd_bench_test quick[] = {
	{"seq_read_128k_q32", SEQ_READ, LOAD(128 * K, 32, 1, 4)},
	{"rand_read_4k_q1", RAND_READ, LOAD(4 * K, 1, 1, 4)},
	{"rand_read_4k_q32", RAND_READ, LOAD(4 * K, 32, 1, 4)},
	{"rand_read_4k_q32x4", RAND_READ, LOAD(4 * K, 32, 4, 4)},
};

static const struct ssd_bench_test rated[] = {
	{"seq_read_128k_q32x4", SEQ_READ, LOAD(128 * K, 32, 4, 20)},
	{"rand_read_4k_q32x4", RAND_READ, LOAD(4 * K, 32, 4, 20)},
	{"seq_write_128k_q32x4", SEQ_WRITE, LOAD(128 * K, 32, 4, 20)},
	{"rand_write_4k_q32x4", RAND_WRITE, LOAD(4 * K, 32, 4, 20)},
	{"rand_mixed_4k_q32x4", MIXED, LOAD(4 * K, 32, 4, 20)},
};

static const struct ssd_bench_test crystaldiskmark[] = {
	{"seq_read_1m_q8", SEQ_READ, LOAD(M, 8, 1, 5), .span_bytes = G},
	{"seq_read_1m_q1", SEQ_READ, LOAD(M, 1, 1, 5), .span_bytes = G},
	{"rand_read_4k_q32", RAND_READ, LOAD(4 * K, 32, 1, 5), .span_bytes = G},
	{"rand_read_4k_q1", RAND_READ, LOAD(4 * K, 1, 1, 5), .span_bytes = G},
	{"seq_write_1m_q8", SEQ_WRITE, LOAD(M, 8, 1, 5), .span_bytes = G},
	{"seq_write_1m_q1", SEQ_WRITE, LOAD(M, 1, 1, 5), .span_bytes = G},
	{"rand_write_4k_q32", RAND_WRITE, LOAD(4 * K, 32, 1, 5), .span_bytes = G},
	{"rand_write_4k_q1", RAND_WRITE, LOAD(4 * K, 1, 1, 5), .span_bytes = G},
};

static const struct ssd_bench_test crystaldiskmark_nvme[] = {
	{"seq_read_1m_q8", SEQ_READ, LOAD(M, 8, 1, 5), .span_bytes = G},
	{"seq_read_128k_q32", SEQ_READ, LOAD(128 * K, 32, 1, 5), .span_bytes = G},
	{"rand_read_4k_q32x16", RAND_READ, LOAD(4 * K, 32, 16, 5), .span_bytes = G},
	{"rand_read_4k_q1", RAND_READ, LOAD(4 * K, 1, 1, 5), .span_bytes = G},
	{"seq_write_1m_q8", SEQ_WRITE, LOAD(M, 8, 1, 5), .span_bytes = G},
	{"seq_write_128k_q32", SEQ_WRITE, LOAD(128 * K, 32, 1, 5), .span_bytes = G},
	{"rand_write_4k_q32x16", RAND_WRITE, LOAD(4 * K, 32, 16, 5), .span_bytes = G},
	{"rand_write_4k_q1", RAND_WRITE, LOAD(4 * K, 1, 1, 5), .span_bytes = G},
};

/*
 * What reviews draw: the P3500's four bars (1 MiB and 4 KiB, read and written, with the one outstanding I/O that IOMeter has
 * unless it is told otherwise), from one I/O to 128 of them, and the specification's sequential point.
 */
static const struct ssd_bench_test iometer[] = {
	{"seq_read_1m_q1", SEQ_READ, LOAD(M, 1, 1, 10)},
	{"rand_read_4k_q1", RAND_READ, LOAD(4 * K, 1, 1, 10)},
	{"rand_read_4k_q1x4", RAND_READ, LOAD(4 * K, 1, 4, 10)},
	{"rand_read_4k_q4x4", RAND_READ, LOAD(4 * K, 4, 4, 10)},
	{"rand_read_4k_q8x4", RAND_READ, LOAD(4 * K, 8, 4, 10)},
	{"rand_read_4k_q16x4", RAND_READ, LOAD(4 * K, 16, 4, 10)},
	{"rand_read_4k_q32x4", RAND_READ, LOAD(4 * K, 32, 4, 10)},
	{"seq_read_128k_q32x4", SEQ_READ, LOAD(128 * K, 32, 4, 10)},
	{"seq_write_1m_q1", SEQ_WRITE, LOAD(M, 1, 1, 10)},
	{"rand_write_4k_q1", RAND_WRITE, LOAD(4 * K, 1, 1, 10)},
	{"rand_write_4k_q32x4", RAND_WRITE, LOAD(4 * K, 32, 4, 10)},
	{"seq_write_128k_q32x4", SEQ_WRITE, LOAD(128 * K, 32, 4, 10)},
	{"rand_mixed_4k_q32x4", MIXED, LOAD(4 * K, 32, 4, 10)},
};

static const struct ssd_bench_test mixed[] = {
	{"rand_mixed_4k_q1", MIXED, LOAD(4 * K, 1, 1, 10)},
	{"rand_mixed_4k_q32", MIXED, LOAD(4 * K, 32, 1, 10)},
	{"rand_mixed_4k_q32x4", MIXED, LOAD(4 * K, 32, 4, 10)},
};

/* At a rate that a drive keeps easily, it is the drive that is seen and not the queue before it. */
static const struct ssd_bench_test latency[] = {
	{"rand_read_4k_q1", RAND_READ, LOAD(4 * K, 1, 1, 30)},
	{"rand_read_4k_rate_5000", RAND_READ, LOAD(4 * K, 32, 1, 30), .rate = 5000},
	{"rand_write_4k_q1", RAND_WRITE, LOAD(4 * K, 1, 1, 30)},
};

/* A round of a minute, repeated until it is steady (steady.c), after the drive has been filled twice. */
static const struct ssd_bench_test steady[] = {
	{"fill_128k_q32", SEQ_WRITE, LOAD(128 * K, 32, 1, 0), .precondition = true},
	{"rand_write_4k_q32x4", RAND_WRITE, LOAD(4 * K, 32, 4, 60)},
};

#define PRESET(word, table, text, ...)                                                                         \
	{                                                                                                      \
		.name = (word), .about = (text), .tests = (table), .n_tests = ARRAY_SIZE(table), ##__VA_ARGS__ \
	}

const struct ssd_bench_preset ssd_bench_presets[] = {
	PRESET("quick", quick, "under 20 s: sequential read, random read at depths 1, 32 and 4 x 32"),
	PRESET("rated", rated, "what data sheets rate, under their conditions: 4 jobs x 32, 20 s each"),
	PRESET("crystaldiskmark", crystaldiskmark, "CrystalDiskMark's default, in 1 GiB"),
	PRESET("crystaldiskmark-nvme", crystaldiskmark_nvme, "CrystalDiskMark's NVMe set, in 1 GiB"),
	PRESET("iometer", iometer,
	       "as IOMeter reviews: 1 MiB at depth 1, 4 KiB from depth 1 to 128, sequential at 128"),
	PRESET("mixed", mixed, "random 4 KiB, 70 % reads; needs somewhere to write"),
	PRESET("latency", latency, "one I/O at a time, and 5,000 each second: for the far percentiles"),
	PRESET("steady", steady,
	       "fills twice, then writes randomly until the rate is steady (5 rounds within 20 %); hours",
	       .steady = true),
};
const size_t ssd_bench_n_presets = ARRAY_SIZE(ssd_bench_presets);

const struct ssd_bench_preset *ssd_bench_preset_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(ssd_bench_presets); i++)
		if (!strcmp(ssd_bench_presets[i].name, name))
			return &ssd_bench_presets[i];
	return NULL;
}

static const struct {
	const char *word;
	bool random, writes;
} kinds[] = {
	[SSD_BENCH_SEQ_READ] = {"seq_read", false, false},  [SSD_BENCH_RAND_READ] = {"rand_read", true, false},
	[SSD_BENCH_SEQ_WRITE] = {"seq_write", false, true}, [SSD_BENCH_RAND_WRITE] = {"rand_write", true, true},
	[SSD_BENCH_SEQ_MIXED] = {"seq_mixed", false, true}, [SSD_BENCH_RAND_MIXED] = {"rand_mixed", true, true},
};

const char *ssd_bench_kind_word(enum ssd_bench_kind kind)
{
	return kinds[kind].word;
}

bool ssd_bench_is_random(enum ssd_bench_kind kind)
{
	return kinds[kind].random;
}

bool ssd_bench_writes(enum ssd_bench_kind kind)
{
	return kinds[kind].writes;
}

const char *ssd_bench_state_word(enum ssd_bench_state state)
{
	static const char *const words[] = {
		[SSD_BENCH_BURST] = "burst", [SSD_BENCH_STEADY] = "steady", [SSD_BENCH_SHARED] = "shared"};

	return words[state];
}
