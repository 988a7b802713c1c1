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

/* Versions 3.0 (P3x00), 4.1 and 1000.0 (Optane: eight counts and an average). */
struct intel_latency {
	uint16_t major, minor;
	union {
		uint32_t v3[94], v4[1216];
		struct {
			uint64_t count[8], average;
		} __attribute__((packed)) v1000;
	};
} __attribute__((packed));
_Static_assert(offsetof(struct intel_latency, v3) + sizeof(((struct intel_latency *)0)->v3) == 380, "v3 is 380 bytes");
_Static_assert(sizeof(struct intel_latency) == 4868, "v4.1 is 4868 bytes");
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

	for (unsigned i = 0; intel->attrs[i].key; i++) {
		page.attr[i].key = intel->attrs[i].key;
		page.attr[i].normalized = intel->attrs[i].normalized;
		ssd_put_le(page.attr[i].raw, 6, intel->attrs[i].raw);
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

	return put_log(sink, 0xc5, &page, sizeof(page));
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

/* NAND drives have tracking off (feature E2h), so their histograms are empty; Optane's always runs. */
static int latency(const struct sim_intel *intel, uint8_t lid, struct sim_sink *sink)
{
	struct intel_latency page = {htole16(intel->latency_major), htole16(intel->latency_minor), {{0}}};
	bool optane = intel->latency_major == 1000;
	size_t len = offsetof(struct intel_latency, v4);

	if (optane) {
		for (unsigned i = 0; i < 8; i++)
			page.v1000.count[i] = htole64(lid == 0xc1 ? read_counts[i] : read_counts[i] / 3);
		page.v1000.average = htole64(lid == 0xc1 ? 11 : 12);
	}
	len += optane ? sizeof(page.v1000) : intel->latency_major == 3 ? sizeof(page.v3) : sizeof(page.v4);
	return put_log(sink, lid, &page, len);
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
			       latency_limits(intel, sink)
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
