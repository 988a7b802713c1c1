/* SPDX-License-Identifier: MIT */
/*
 * Intel's log pages and its part of Identify. libnvme has no structs for them; these follow the programmer's view of
 * SPDK (include/spdk/nvme_intel.h), illumos (usr/src/uts/common/sys/nvme/solidigm) and nvme-cli (plugins/intel).
 */
#include "sim/models.h"

#include <endian.h>
#include <ssdct/le.h>

/* Directory: a version, then a u16 per log page, non-zero when the page exists. */
struct intel_directory {
	uint16_t version, page[255];
} __attribute__((packed));

struct intel_attr {
	uint8_t key, reserved1[2], normalized, reserved4, raw[6], reserved11;
} __attribute__((packed));

struct intel_smart {
	struct intel_attr attr[42];
	uint8_t reserved[8];
} __attribute__((packed));

struct intel_temperature {
	uint64_t current, shutdown_last, shutdown_life, highest, lowest, reserved40[5], maximum, reserved88, minimum;
	int64_t offset;
} __attribute__((packed));

/* Versions 3.0 (P3x00), 4.1, 4.8 (the same and an average) and 1000.0 (Optane: eight counts and an average). */
struct intel_latency {
	uint16_t major, minor;
	union {
		uint32_t v3[94], v4[1216];
		struct {
			uint32_t count[1216];
			uint64_t average;
		} __attribute__((packed)) v4_8;
		struct {
			uint64_t count[8], average;
		} __attribute__((packed)) v1000;
	};
} __attribute__((packed));
_Static_assert(offsetof(struct intel_latency, v3) + sizeof(((struct intel_latency *)0)->v3) == 380, "v3 is 380 bytes");
_Static_assert(offsetof(struct intel_latency, v4_8.average) == 4868, "v4.1 is 4868 bytes");
_Static_assert(sizeof(struct intel_latency) == 4876, "v4.8 is 4876 bytes");
_Static_assert(sizeof(struct intel_temperature) == 112, "C5h is 112 bytes");
_Static_assert(sizeof(struct intel_smart) == 512, "CAh is 512 bytes");

static int put_log(struct sim_sink *sink, uint8_t lid, const void *data, size_t len)
{
	const struct host_file page = host_file_of(HOST_FILE_LOG, lid);

	return sink->put(sink, &page, data, len);
}

static int directory(const struct sim_intel *intel, struct sim_sink *sink)
{
	struct intel_directory dir = {.version = htole16(1)};

	if (!intel->directory)
		return 0;
	for (const uint8_t *lid = intel->directory; *lid; lid++)
		dir.page[*lid - 1] = htole16(1);
	return put_log(sink, 0xc0, &dir, sizeof(dir));
}

static int additional_smart(const struct sim_intel *intel, struct sim_sink *sink)
{
	struct intel_smart page = {0};

	for (unsigned i = 0, at = 0; intel->attrs[i].key; i++, at++) {
		at += intel->attrs[i].holes;
		page.attr[at].key = intel->attrs[i].key;
		page.attr[at].normalized = intel->attrs[i].normalized;
		ssd_put_le(page.attr[at].raw, 6, intel->attrs[i].raw);
	}
	return put_log(sink, 0xca, &page, sizeof(page));
}

static int temperature(const struct sim_intel *intel, struct sim_sink *sink)
{
	const struct intel_temperature page = {
		.current = htole64((uint64_t)intel->temperature.current),
		.highest = htole64((uint64_t)intel->temperature.highest),
		.lowest = htole64((uint64_t)intel->temperature.lowest),
		.maximum = htole64((uint64_t)intel->temperature.maximum),
		.minimum = htole64((uint64_t)intel->temperature.minimum),
		.offset = (int64_t)htole64((uint64_t)(int64_t)intel->temperature.offset),
	};

	if (!intel->temperature.highest)
		return 0;
	return put_log(sink, intel->at_d5 ? 0xd5 : 0xc5, &page, sizeof(page));
}

static int market_name(const struct sim_intel *intel, struct sim_sink *sink)
{
	char page[512] = {0};

	ssd_strcpy(page, sizeof(page), intel->market_name);
	return put_log(sink, 0xdd, page, sizeof(page));
}

/* Lower limits of the eight Optane buckets, microseconds: feature F7h. Round numbers, not a real drive's. */
static const uint32_t limits[8] = {0, 10, 20, 50, 100, 200, 500, 1000};
static const uint64_t read_counts[8] = {0, 38120943, 912204, 2210, 371, 24, 1, 0};

/* Versions 3 and 4 have their counts at the same place. */
static void count(struct intel_latency *page, const struct sim_bucket *buckets)
{
	for (; buckets && buckets->count; buckets++)
		page->v4[buckets->index] = htole32(buckets->count);
}

static size_t counts_len(const struct intel_latency *page)
{
	switch (le16toh(page->major)) {
	case 3:
		return sizeof(page->v3);
	case 1000:
		return sizeof(page->v1000);
	default:
		return le16toh(page->minor) < 8 ? sizeof(page->v4) : sizeof(page->v4_8);
	}
}

/* Where tracking is off (feature E2h) the histograms of NAND drives are empty; Optane's always runs. */
static int latency(const struct sim_intel *intel, uint8_t lid, struct sim_sink *sink)
{
	struct intel_latency page = {htole16(intel->latency_major), htole16(intel->latency_minor), {{0}}};

	if (!intel->latency_major)
		return 0;
	if (intel->latency_major == 1000) {
		for (unsigned i = 0; i < 8; i++)
			page.v1000.count[i] = htole64(lid == 0xc1 ? read_counts[i] : read_counts[i] / 3);
		page.v1000.average = htole64(lid == 0xc1 ? 11 : 12);
	} else {
		count(&page, lid == 0xc1 ? intel->reads : intel->writes);
	}
	return put_log(sink, lid, &page, offsetof(struct intel_latency, v4) + counts_len(&page));
}

/* ---- pages of the P5520 (illumos, solidigm_p5x2x.h) ---- */

static int io_queues(const struct sim_model *m, struct sim_sink *sink)
{
	struct {
		uint16_t version, n_sq, n_cq, sq[32][6], cq[32][5], reserved[157];
	} __attribute__((packed)) page = {htole16(1), htole16(2), htole16(2), {{0}}, {{0}}, {0}};

	(void)m;
	_Static_assert(sizeof(page) == 1024, "CBh is 1024 bytes");
	for (uint16_t i = 0; i < 2; i++) {
		const uint16_t sq[] = {i, i, (uint16_t)(17 + i), (uint16_t)(17 + i), 0, (uint16_t)(i ? 1023 : 31)};

		for (unsigned k = 0; k < 6; k++)
			page.sq[i][k] = htole16(sq[k]);
		page.cq[i][0] = htole16(i);
		page.cq[i][1] = htole16(17 + i);
	}
	return put_log(sink, 0xcb, &page, sizeof(page));
}

static int power(const struct sim_model *m, struct sim_sink *sink)
{
	const uint32_t page[] = {htole32(6420000), htole32(0)};

	(void)m;
	return put_log(sink, 0xf2, page, sizeof(page));
}

static int garbage_collections(const struct sim_model *m, struct sim_sink *sink)
{
	struct {
		uint16_t major, minor;
		struct {
			uint32_t type;
			uint64_t time;
		} __attribute__((packed)) event[100];
	} __attribute__((packed))
	page = {htole16(1), 0, {{htole32(1), htole64(90311204)}, {htole32(2), htole64(91120042)}}};

	(void)m;
	return put_log(sink, 0xfd, &page, sizeof(page));
}

static int slow_commands(const struct sim_model *m, struct sim_sink *sink)
{
	struct {
		uint16_t major, minor;
		uint32_t reserved;
		uint64_t n;
		struct {
			uint64_t time;
			uint32_t command, us;
			uint64_t lba;
		} __attribute__((packed)) entry[2];
	} __attribute__((packed)) page = {htole16(1),
					  0,
					  0,
					  htole64(2),
					  {{htole64(55010), htole32(2), htole32(18400), htole64(41230336)},
					   {htole64(71888), htole32(1), htole32(22150), htole64(8)}}};

	(void)m;
	return put_log(sink, 0xfe, &page, sizeof(page));
}

/* It is off. */
static int workload_tracker(const struct sim_model *m, struct sim_sink *sink)
{
	static const uint8_t page[4080] = {2};

	(void)m;
	return put_log(sink, 0xf9, page, sizeof(page));
}

static const struct {
	uint8_t lid;
	int (*put)(const struct sim_model *m, struct sim_sink *sink);
} more_pages[] = {
	{0xc0, sim_ocp_smart},
	{0xc1, sim_ocp_error_recovery},
	{0xc2, sim_ocp_firmware_history},
	{0xc3, sim_ocp_latency},
	{0xc4, sim_ocp_capabilities},
	{0xc5, sim_ocp_unsupported},
	{0xcb, io_queues},
	{0xf2, power},
	{0xf9, workload_tracker},
	{0xfd, garbage_collections},
	{0xfe, slow_commands},
};

static int later_pages(const struct sim_model *m, struct sim_sink *sink)
{
	for (size_t i = 0; m->intel->more && i < ARRAY_SIZE(more_pages); i++)
		if (strchr((const char *)m->intel->more, more_pages[i].lid) && more_pages[i].put(m, sink))
			return -1;
	return 0;
}

static int latency_limits(const struct sim_intel *intel, struct sim_sink *sink)
{
	const struct host_file page = host_file_of(HOST_FILE_FEATURE, 0xf7);
	uint8_t buf[sizeof(limits)];

	if (intel->latency_major != 1000)
		return 0;
	for (unsigned i = 0; i < ARRAY_SIZE(limits); i++)
		ssd_put_le(buf + 4 * i, 4, limits[i]);
	return sink->put(sink, &page, buf, sizeof(buf));
}

int sim_intel_encode(const struct sim_model *m, struct sim_sink *sink)
{
	const struct sim_intel *intel = m->intel;

	return directory(intel, sink) || latency(intel, 0xc1, sink) || latency(intel, 0xc2, sink) ||
			       temperature(intel, sink) || additional_smart(intel, sink) || market_name(intel, sink) ||
			       latency_limits(intel, sink) || later_pages(m, sink) ||
			       sim_intel_encode_dumps(intel, sink)
		       ? -1
		       : 0;
}

/* Stripe exponent at 3, link generation and width at 24, boot loader at 28, World Wide Id at 74 (nvme-cli). */
void sim_intel_identify(const struct sim_model *m, unsigned index, uint8_t vs[1024])
{
	vs[3] = m->stripe;
	vs[24] = 3;
	vs[25] = 4;
	if (m->intel && m->intel->boot_loader)
		memcpy(vs + 28, m->intel->boot_loader, strnlen(m->intel->boot_loader, 8));
	if (m->ver)
		ssd_put_le(vs + 74, 8, 0x55cd2e4100000000ull + index + 1); /* NAA 5 and Intel's OUI */
}
