/* SPDX-License-Identifier: MIT */
/*
 * Intel's debug dumps (admin opcode D2h), as nvme-cli's plugins/intel reads them: version 1.1 has one nlog, later ones an nlog
 * per number and core. Contents and sizes are made up.
 */
#include "sim/models.h"

#include <endian.h>
#include <ssdct/le.h>

enum { NLOG, EVENT, ASSERT, HEADER_DWORDS = 0x400, CORES = 2, NLOGS = 3 };

struct dump_header {
	uint16_t major, minor;
	uint32_t header, size, cores; /* dwords */
	union {
		struct {
			uint32_t offset, size; /* dwords */
			uint8_t type, valid, reserved[2];
		} assert_core[CORES];
		struct {
			uint32_t id_size;
			struct {
				uint32_t n, size, offset, id_offset[16];
				uint8_t valid[16];
			} core[CORES];
		} event;
		uint8_t bytes[4080];
	};
};
_Static_assert(sizeof(struct dump_header) == 4096, "a header is 4096 bytes");

struct nlog_header {
	uint16_t major, minor;
	uint32_t select, n, number, name, bytes, primary_bytes, ticks_per_second, cores, others[11];
};
_Static_assert(offsetof(struct nlog_header, cores) == 32, "nlog header");

/* A header and made-up data behind it. */
static int put(struct sim_sink *sink, const struct host_file *file, const void *header, size_t header_len,
	       size_t data_len)
{
	AUTO_FREE uint8_t *dump = ssd_calloc(HEADER_DWORDS * 4 + data_len, 1);

	memcpy(dump, header, header_len);
	for (size_t i = 0; i < data_len; i++)
		dump[HEADER_DWORDS * 4 + i] = (uint8_t)(i ^ i >> 8 ^ file->id);
	return sink->put(sink, file, dump, HEADER_DWORDS * 4 + data_len);
}

static int old_nlog(const struct dump_header *base, struct sim_sink *sink)
{
	const struct host_file file = host_file_of(HOST_FILE_DUMP, NLOG);
	struct dump_header header = *base;

	header.size = htole32(HEADER_DWORDS + 0x500);
	return put(sink, &file, &header, sizeof(header), 0x500 * 4);
}

static int nlogs(const struct dump_header *base, struct sim_sink *sink)
{
	for (uint32_t i = 0; i < CORES * NLOGS; i++) {
		struct host_file file = host_file_of(HOST_FILE_DUMP, NLOG);
		uint32_t core = i / NLOGS, number = i % NLOGS, bytes = 4096 * (number + 1) + 64 * core;
		const struct nlog_header header = {.major = base->major,
						   .minor = base->minor,
						   .n = htole32(NLOGS),
						   .number = htole32(number),
						   .bytes = htole32(bytes),
						   .ticks_per_second = htole32(1000000),
						   .cores = htole32(CORES)};

		file.q[HOST_FILE_CORE] = core;
		file.q[HOST_FILE_NLOG] = number;
		if (put(sink, &file, &header, sizeof(header), bytes))
			return -1;
	}
	return 0;
}

static int events(const struct dump_header *base, struct sim_sink *sink)
{
	const struct host_file file = host_file_of(HOST_FILE_DUMP, EVENT);
	struct dump_header header = *base;

	for (uint32_t core = 0, at = HEADER_DWORDS; core < CORES; core++) {
		uint32_t size = core ? 0x20 : 0x480;

		header.event.core[core].n = htole32(1);
		header.event.core[core].size = htole32(size);
		header.event.core[core].offset = htole32(at);
		at += size;
	}
	return put(sink, &file, &header, sizeof(header), 0x4a0 * 4);
}

/* The second core has none. */
static int asserts(const struct dump_header *base, struct sim_sink *sink)
{
	const struct host_file file = host_file_of(HOST_FILE_DUMP, ASSERT);
	struct dump_header header = *base;

	header.assert_core[0].offset = htole32(HEADER_DWORDS);
	header.assert_core[0].size = htole32(0x402);
	header.assert_core[0].valid = 1;
	return put(sink, &file, &header, sizeof(header), 0x402 * 4);
}

int sim_intel_encode_dumps(const struct sim_intel *intel, struct sim_sink *sink)
{
	const struct dump_header base = {.major = htole16(intel->dump_major),
					 .minor = htole16(intel->dump_minor),
					 .header = htole32(HEADER_DWORDS),
					 .size = htole32(HEADER_DWORDS),
					 .cores = htole32(CORES)};
	bool old = intel->dump_major == 1;

	if (!intel->dump_major)
		return 0;
	return (old ? old_nlog(&base, sink) : nlogs(&base, sink)) || events(&base, sink) || asserts(&base, sink) ? -1
														 : 0;
}
