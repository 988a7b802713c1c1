/* SPDX-License-Identifier: MIT */
/*
 * The log pages of OCP's Datacenter NVMe SSD Specification, 2.0. The structs follow nvme-cli's plugins/ocp, what is in them
 * is made up as far as the model does not say it. No command of the simulator changes them: the firmware history is that of
 * the drive as it was delivered.
 */
#include "sim/models.h"

#include <endian.h>
#include <ssdct/le.h>

/* By the index of OCP's UUID where the drive lists it, see uuid_list() in encode.c. */
static int put_ocp(const struct sim_model *m, struct sim_sink *sink, uint8_t lid, const void *data, size_t len)
{
	struct host_file page = host_file_of(HOST_FILE_LOG, lid);

	if (m->uuids)
		page.q[HOST_FILE_UUID] = 1;
	return sink->put(sink, &page, data, len);
}

struct smart {
	uint8_t written[16], read[16], bad_user[6];
	uint16_t bad_user_normalized;
	uint8_t bad_system[6];
	uint16_t bad_system_normalized;
	uint64_t xor_recovered, uncorrectable, soft_ecc;
	uint32_t e2e_detected, e2e_corrected;
	uint8_t system_used, refresh[7];
	uint32_t erase_max, erase_min;
	uint8_t throttle_events, throttling, reserved98[6];
	uint64_t pcie_errors;
	uint32_t incomplete_shutdowns, reserved116;
	uint8_t free_blocks, reserved121[7];
	uint16_t capacitor;
	uint8_t reserved130[364];
	uint16_t version;
	uint8_t guid[16];
} __attribute__((packed));
_Static_assert(sizeof(struct smart) == 512, "C0h is 512 bytes");

int sim_ocp_smart(const struct sim_model *m, struct sim_sink *sink)
{
	struct smart page = {
		.bad_user_normalized = htole16(100),
		.bad_system_normalized = htole16(100),
		.erase_max = htole32(41),
		.erase_min = htole32(33),
		.incomplete_shutdowns = htole32(2),
		.free_blocks = 100,
		.capacitor = htole16(100),
		.version = htole16(2),
		.guid = {0xc5, 0xaf, 0x10, 0x28, 0xea, 0xbf, 0xf2, 0xa4, 0x9c, 0x4f, 0x6f, 0x7c, 0xc9, 0x14, 0xd5,
			 0xaf},
	};

	ssd_put_le(page.written, 8, m->smart.units_written * 512000 / 10 * 13);
	ssd_put_le(page.read, 8, m->smart.units_read * 512000);
	ssd_put_le(page.bad_user, 6, 3);
	return put_ocp(m, sink, 0xc0, &page, sizeof(page));
}

struct error_recovery {
	uint16_t wait;
	uint8_t reset, action_1;
	uint64_t panic;
	uint32_t capabilities;
	uint8_t opcode, reserved17[3];
	uint32_t cdw12, cdw13;
	uint8_t timeout, action_2, action_2_timeout, reserved31[463];
	uint16_t version;
	uint8_t guid[16];
} __attribute__((packed));
_Static_assert(sizeof(struct error_recovery) == 512, "C1h is 512 bytes");

/* Never a panic; after one a reset of the controller or of the subsystem would do. */
int sim_ocp_error_recovery(const struct sim_model *m, struct sim_sink *sink)
{
	const struct error_recovery page = {
		.wait = htole16(10000),
		.reset = 0x03,
		.capabilities = htole32(0x03),
		.version = htole16(2),
		.guid = {0x44, 0xd9, 0x31, 0x21, 0xfe, 0x30, 0x34, 0xae, 0xab, 0x4d, 0xfd, 0x3d, 0xba, 0x83, 0x19,
			 0x5a},
	};

	return put_ocp(m, sink, 0xc1, &page, sizeof(page));
}

struct activation {
	uint8_t version, length;
	uint16_t reserved2, count;
	uint8_t time[6], time_origin, reserved13;
	uint64_t reserved14, power_cycles;
	char previous[8], revision[8];
	uint8_t slot, action;
	uint16_t result;
	uint8_t reserved50[14];
} __attribute__((packed));

struct firmware_history {
	uint8_t lid, reserved1[3];
	uint32_t n;
	struct activation entry[20];
	uint8_t reserved1288[2790];
	uint16_t version;
	uint8_t guid[16];
} __attribute__((packed));
_Static_assert(sizeof(struct firmware_history) == 4096, "C2h is 4096 bytes");

/* What runs came in the factory, 2026-01-02 03:04:05 UTC by its host's clock. */
int sim_ocp_firmware_history(const struct sim_model *m, struct sim_sink *sink)
{
	struct firmware_history page = {
		.lid = 0xc2,
		.n = htole32(1),
		.entry = {{.version = 1,
			   .length = sizeof(struct activation),
			   .count = htole16(1),
			   .time_origin = 1 << 1,
			   .power_cycles = htole64(3),
			   .previous = {'F', 'A', 'C', 'T', 'O', 'R', 'Y', ' '},
			   .slot = m->running_slot,
			   .action = 1}},
		.version = htole16(1),
		.guid = {0x6d, 0x79, 0x9a, 0x76, 0xb4, 0xda, 0xf6, 0xa3, 0xe2, 0x4d, 0xb2, 0x8a, 0xac, 0xf3, 0x1c,
			 0xd1},
	};
	const char *revision = m->slots[m->running_slot - 1];

	ssd_put_le(page.entry[0].time, 6, UINT64_C(1767323045000));
	memcpy(page.entry[0].revision, revision, strnlen(revision, 8));
	return put_ocp(m, sink, 0xc2, &page, sizeof(page));
}

/* Of each bucket deallocations, writes and reads, in this order. */
struct buckets {
	uint32_t count[4][4]; /* from bucket 0 up; the first one of each is reserved */
	uint64_t stamp[4][3]; /* from bucket 3 down, and so the latencies */
	uint16_t latency[4][3];
	uint16_t units;
} __attribute__((packed));

struct latency_monitor {
	uint8_t status, reserved1;
	uint16_t timer, timer_threshold;
	uint8_t threshold[4];
	uint16_t configuration;
	uint8_t window, reserved13[19];
	struct buckets active;
	uint8_t reserved218[22];
	struct buckets fixed;
	uint8_t reserved426[22];
	uint16_t trigger, debug_latency;
	uint64_t debug_stamp;
	uint16_t pointer, source;
	uint8_t debug_units, reserved465[29];
	uint16_t version;
	uint8_t guid[16];
} __attribute__((packed));
_Static_assert(sizeof(struct latency_monitor) == 512, "C3h is 512 bytes");

static void no_stamps(struct buckets *b)
{
	memset(b->stamp, 0xff, sizeof(b->stamp));
}

/* Thresholds, window and timer are the defaults that nvme-cli documents (nvme-wdc-set-latency-monitor-feature). */
int sim_ocp_latency(const struct sim_model *m, struct sim_sink *sink)
{
	struct latency_monitor page = {
		.status = 0x07,
		.timer = htole16(0x210),
		.timer_threshold = htole16(0x7e0),
		.threshold = {0x05, 0x13, 0x1e, 0x2e},
		.configuration = htole16(0x0fff),
		.window = 0x0a,
		.debug_stamp = UINT64_MAX,
		.version = htole16(1),
		.guid = {0x92, 0x7a, 0xc0, 0x8c, 0xd0, 0x84, 0x6c, 0x9c, 0x70, 0x43, 0xe6, 0xd4, 0x58, 0x5e, 0xd4,
			 0x85},
	};

	no_stamps(&page.active);
	no_stamps(&page.fixed);
	page.active.count[0][3] = htole32(12);
	page.active.count[0][2] = htole32(3);
	page.active.stamp[3][2] = htole64(UINT64_C(1767323045000));
	page.active.stamp[3][1] = htole64(UINT64_C(1767323046000));
	page.active.latency[3][2] = htole16(44);
	page.active.latency[3][1] = htole16(35);
	page.active.units = htole16(0x0fff);
	page.fixed.units = htole16(0x0fff);
	return put_ocp(m, sink, 0xc3, &page, sizeof(page));
}

struct capabilities {
	uint16_t ports, management, write_zeroes, sanitize, dataset, uncorrectable, fused, minimum;
	uint8_t state[128], reserved144[3934];
	uint16_t version;
	uint8_t guid[16];
} __attribute__((packed));
_Static_assert(sizeof(struct capabilities) == 4096, "C4h is 4096 bytes");

/* What the model's ONCS has; one power state, of as many watts as Identify says. */
int sim_ocp_capabilities(const struct sim_model *m, struct sim_sink *sink)
{
	struct capabilities page = {
		.ports = htole16(1),
		.management = htole16(0x8000),
		.dataset = htole16(m->oncs & 0x04 ? 0x8003 : 0),
		.uncorrectable = htole16(m->oncs & 0x02 ? 0x8007 : 0),
		.minimum = htole16(m->centiwatts / 100),
		.version = htole16(1),
		.guid = {0x97, 0x42, 0x05, 0x0d, 0xd1, 0xe1, 0xc9, 0x98, 0x5d, 0x49, 0x58, 0x4b, 0x91, 0x3c, 0x05,
			 0xb7},
	};

	page.state[m->centiwatts / 100 % 128] = 0x80;
	return put_ocp(m, sink, 0xc4, &page, sizeof(page));
}

struct unsupported {
	uint16_t n;
	uint8_t reserved2[14];
	char requirement[253][16];
	uint8_t reserved4064[14];
	uint16_t version;
	uint8_t guid[16];
} __attribute__((packed));
_Static_assert(sizeof(struct unsupported) == 4096, "C5h is 4096 bytes");

int sim_ocp_unsupported(const struct sim_model *m, struct sim_sink *sink)
{
	const struct unsupported page = {
		.n = htole16(2),
		.requirement = {"NVMe-IO-5", "NVMe-IO-6"},
		.version = htole16(1),
		.guid = {0x2f, 0x72, 0x9c, 0x0e, 0x99, 0x23, 0x2c, 0xbb, 0x63, 0x48, 0x32, 0xd0, 0xb7, 0x98, 0xbb,
			 0xc7},
	};

	return put_ocp(m, sink, 0xc5, &page, sizeof(page));
}
