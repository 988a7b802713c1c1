/* SPDX-License-Identifier: MIT */
/* Pages of a model, filled through libnvme's structs. */
#include "sim/models.h"

#include <endian.h>
#include <nvme/types.h>
#include <ssdct/le.h>

/* Locally reserved for documentation (RFC 9542, 2.2.3): no real device has it. */
#define EUI64_DOCUMENTATION 0x00005eef10000000ull

struct builder {
	const struct sim_model *m;
	unsigned index;
	struct sim_sink *sink;
};

static int put(struct builder *b, struct host_file page, const void *data, size_t len)
{
	return b->sink->put(b->sink, &page, data, len);
}

static int put_log(struct builder *b, uint8_t lid, const void *data, size_t len)
{
	return put(b, host_file_of(HOST_FILE_LOG, lid), data, len);
}

/* Left-justified, padded with blanks, not terminated. */
static void ascii(char *field, size_t width, const char *text)
{
	size_t len = strnlen(text, width);

	memset(field, ' ', width);
	memcpy(field, text, len);
}

static void put128(uint8_t field[16], uint64_t value)
{
	memset(field, 0, 16);
	ssd_put_le(field, 8, value);
}

static void identity(struct nvme_id_ctrl *id, const struct builder *b)
{
	const struct sim_model *m = b->m;
	char serial[21];

	sim_model_serial(m, b->index, serial);
	id->vid = htole16(m->vid);
	id->ssvid = htole16(m->ssvid);
	ascii(id->sn, sizeof(id->sn), serial);
	ascii(id->mn, sizeof(id->mn), m->model);
	ascii(id->fr, sizeof(id->fr), m->slots[m->running_slot - 1]);
	ssd_put_le(id->ieee, 3, m->ieee);
	id->ver = htole32(m->ver);
	if (m->ver >= 0x10400)
		id->cntrltype = 1; /* I/O controller; reserved before 1.4 */
	if (m->ver >= 0x10201)
		snprintf(id->subnqn, sizeof(id->subnqn),
			 "nqn.2014-08.org.nvmexpress:uuid:5353442d-5349-4d00-8000-%012x", b->index + 1);
}

static int id_ctrl(struct builder *b)
{
	const struct sim_model *m = b->m;
	struct nvme_id_ctrl id = {
		.mdts = m->mdts,
		.rtd3r = htole32(m->rtd3r),
		.rtd3e = htole32(m->rtd3e),
		.oaes = htole32(m->oaes),
		.oacs = htole16(m->oacs),
		.acl = m->acl,
		.aerl = m->aerl,
		.frmw = m->frmw,
		.lpa = m->lpa,
		.elpe = m->elpe,
		.wctemp = htole16(m->wctemp),
		.cctemp = htole16(m->cctemp),
		.mtfa = htole16(m->mtfa),
		.edstt = htole16(m->edstt),
		.fwug = m->fwug,
		.sanicap = htole32(m->sanicap),
		.sqes = 0x66, /* 64 bytes, as every controller */
		.cqes = 0x44, /* 16 bytes */
		.nn = htole32(m->nn),
		.oncs = htole16(m->oncs),
		.fna = m->fna,
		.vwc = m->vwc,
	};

	identity(&id, b);
	if (m->uuids)
		id.ctratt = htole32(NVME_CTRL_CTRATT_UUID_LIST);
	if (m->capacity)
		put128(id.tnvmcap, sim_model_bytes(m));
	id.psd[0].mp = htole16(m->centiwatts);
	if (m->intel || m->vid == 0x8086)
		sim_intel_identify(m, b->index, id.vs);
	return put(b, host_file_of(HOST_FILE_IDENTIFY, 1), &id, sizeof(id));
}

static void eui64(const struct builder *b, uint8_t out[8])
{
	uint64_t eui = htobe64(EUI64_DOCUMENTATION + b->index + 1);

	memcpy(out, &eui, 8);
}

static void nguid(const struct builder *b, uint8_t out[16])
{
	memset(out, 0, 16);
	out[7] = 1;
	eui64(b, out + 8);
}

static int id_ns(struct builder *b)
{
	const struct sim_model *m = b->m;
	struct host_file page = host_file_of(HOST_FILE_IDENTIFY, 0);
	struct nvme_id_ns ns = {
		.nsze = htole64(m->sectors),
		.ncap = htole64(m->sectors),
		.nuse = htole64(m->sectors),
		.nlbaf = m->n_formats - 1,
		.mc = m->mc,
		.dpc = m->dpc,
		.fpi = m->progress ? NVME_NS_FPI_SUPPORTED : 0,
	};

	for (unsigned i = 0; i < m->n_formats; i++)
		ns.lbaf[i] = (struct nvme_lbaf){htole16(m->formats[i].metadata_bytes), m->formats[i].shift,
						m->formats[i].performance};
	if (m->capacity)
		put128(ns.nvmcap, sim_model_bytes(m));
	if (m->identifiers) {
		eui64(b, ns.eui64);
		nguid(b, ns.nguid);
	}
	page.q[HOST_FILE_NSID] = 1;
	return put(b, page, &ns, sizeof(ns));
}

/* Namespace Identification Descriptor list, CNS 03h: NVMe 1.3. */
static int ns_descriptors(struct builder *b)
{
	struct host_file page = host_file_of(HOST_FILE_IDENTIFY, 3);
	uint8_t list[4096] = {0}, *p = list;
	struct nvme_ns_id_desc *desc = (struct nvme_ns_id_desc *)p;

	if (b->m->ver < 0x10300)
		return 0;
	desc->nidt = NVME_NIDT_EUI64;
	desc->nidl = 8;
	eui64(b, desc->nid);
	p += sizeof(*desc) + 8;
	desc = (struct nvme_ns_id_desc *)p;
	desc->nidt = NVME_NIDT_NGUID;
	desc->nidl = 16;
	nguid(b, desc->nid);
	page.q[HOST_FILE_NSID] = 1;
	return put(b, page, list, sizeof(list));
}

/* UUID List, CNS 17h, which CTRATT bit 9 announces: OCP's at index 1 and Solidigm's at 2 (ocp-utils.c, solidigm-util.c of nvme-cli). */
static int uuid_list(struct builder *b)
{
	static const uint8_t uuids[2][16] = {
		{0xc1, 0x94, 0xd5, 0x5b, 0xe0, 0x94, 0x47, 0x94, 0xa2, 0x1d, 0x29, 0x99, 0x8f, 0x56, 0xbe, 0x6f},
		{0x96, 0x19, 0x58, 0x6e, 0xc1, 0x1b, 0x43, 0xad, 0xaa, 0xaa, 0x65, 0x41, 0x87, 0xf6, 0xbb, 0xb2}};
	struct nvme_id_uuid_list list = {0};

	if (!b->m->uuids)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(uuids); i++)
		memcpy(list.entry[i].uuid, uuids[i], 16);
	return put(b, host_file_of(HOST_FILE_IDENTIFY, 0x17), &list, sizeof(list));
}

static int error_log(struct builder *b)
{
	struct nvme_error_log_page entries[256] = {0};

	return put_log(b, 0x01, entries, (b->m->elpe + 1u) * sizeof(entries[0]));
}

static int smart_log(struct builder *b)
{
	const struct sim_smart *s = &b->m->smart;
	struct nvme_smart_log log = {
		.avail_spare = s->spare_percent,
		.spare_thresh = s->spare_threshold_percent,
		.percent_used = s->used_percent,
	};

	ssd_put_le(log.temperature, 2, s->kelvin);
	put128(log.data_units_read, s->units_read);
	put128(log.data_units_written, s->units_written);
	put128(log.host_reads, s->reads);
	put128(log.host_writes, s->writes);
	put128(log.ctrl_busy_time, s->busy_minutes);
	put128(log.power_cycles, s->power_cycles);
	put128(log.power_on_hours, s->power_on_hours);
	put128(log.unsafe_shutdowns, s->unsafe_shutdowns);
	for (unsigned i = 0; i < 8; i++)
		log.temp_sensor[i] = htole16(s->sensors[i]);
	return put_log(b, 0x02, &log, sizeof(log));
}

static int firmware_log(struct builder *b)
{
	struct nvme_firmware_slot log = {.afi = b->m->running_slot};

	for (unsigned i = 0; i < 7; i++)
		if (b->m->slots[i])
			ascii(log.frs[i], sizeof(log.frs[i]), b->m->slots[i]);
	return put_log(b, 0x03, &log, sizeof(log));
}

/* Commands with their effects; `oacs` is what Identify must say, 0: every controller has it. */
static const struct {
	bool io;
	uint8_t opcode;
	uint16_t oacs, oncs;
	uint32_t effects;
} commands[] = {
	{.opcode = 0x00, .effects = NVME_CMD_EFFECTS_CSUPP},
	{.opcode = 0x01, .effects = NVME_CMD_EFFECTS_CSUPP},
	{.opcode = 0x02, .effects = NVME_CMD_EFFECTS_CSUPP},
	{.opcode = 0x04, .effects = NVME_CMD_EFFECTS_CSUPP},
	{.opcode = 0x05, .effects = NVME_CMD_EFFECTS_CSUPP},
	{.opcode = 0x06, .effects = NVME_CMD_EFFECTS_CSUPP},
	{.opcode = 0x08, .effects = NVME_CMD_EFFECTS_CSUPP},
	{.opcode = 0x09, .effects = NVME_CMD_EFFECTS_CSUPP | NVME_CMD_EFFECTS_NCC | NVME_CMD_EFFECTS_CCC},
	{.opcode = 0x0a, .effects = NVME_CMD_EFFECTS_CSUPP},
	{.opcode = 0x0c, .effects = NVME_CMD_EFFECTS_CSUPP},
	{.opcode = 0x0d, .oacs = 0x8, .effects = NVME_CMD_EFFECTS_CSUPP | NVME_CMD_EFFECTS_LBCC | NVME_CMD_EFFECTS_NIC},
	{.opcode = 0x10, .oacs = 0x4, .effects = NVME_CMD_EFFECTS_CSUPP | NVME_CMD_EFFECTS_CCC},
	{.opcode = 0x11, .oacs = 0x4, .effects = NVME_CMD_EFFECTS_CSUPP},
	{.opcode = 0x14, .oacs = 0x10, .effects = NVME_CMD_EFFECTS_CSUPP},
	{.opcode = 0x15, .oacs = 0x8, .effects = NVME_CMD_EFFECTS_CSUPP | NVME_CMD_EFFECTS_NIC},
	{.opcode = 0x80,
	 .oacs = 0x2,
	 .effects = NVME_CMD_EFFECTS_CSUPP | NVME_CMD_EFFECTS_LBCC | NVME_CMD_EFFECTS_NCC | 2 << 16},
	{.io = true, .opcode = 0x00, .effects = NVME_CMD_EFFECTS_CSUPP},
	{.io = true, .opcode = 0x01, .effects = NVME_CMD_EFFECTS_CSUPP | NVME_CMD_EFFECTS_LBCC},
	{.io = true, .opcode = 0x02, .effects = NVME_CMD_EFFECTS_CSUPP},
	{.io = true, .opcode = 0x04, .oncs = 0x2, .effects = NVME_CMD_EFFECTS_CSUPP | NVME_CMD_EFFECTS_LBCC},
	{.io = true, .opcode = 0x08, .oncs = 0x8, .effects = NVME_CMD_EFFECTS_CSUPP | NVME_CMD_EFFECTS_LBCC},
	{.io = true, .opcode = 0x09, .oncs = 0x4, .effects = NVME_CMD_EFFECTS_CSUPP | NVME_CMD_EFFECTS_LBCC},
};

/* Commands Supported and Effects: LPA bit 1. */
static int effects_log(struct builder *b)
{
	struct nvme_cmd_effects_log log = {0};
	const struct sim_model *m = b->m;

	if (!(m->lpa & 2))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		__le32 *table = commands[i].io ? log.iocs : log.acs;

		if ((commands[i].oacs && !(m->oacs & commands[i].oacs)) ||
		    (commands[i].oncs && !(m->oncs & commands[i].oncs)))
			continue;
		table[commands[i].opcode] = htole32(commands[i].effects);
	}
	if (m->sanicap)
		log.acs[0x84] = htole32(NVME_CMD_EFFECTS_CSUPP | NVME_CMD_EFFECTS_LBCC | 2 << 16);
	return put_log(b, 0x05, &log, sizeof(log));
}

/* Changed Namespace List: OAES bit 8. */
static int changed_log(struct builder *b)
{
	static const struct nvme_ns_list none;

	return b->m->oaes & 0x100 ? put_log(b, 0x04, &none, sizeof(none)) : 0;
}

/* LBA Range Type of namespace 1: one range, of no type; and a Host Identifier of 64 bits that nobody has set. */
static int buffers(struct builder *b)
{
	struct host_file page = host_file_of(HOST_FILE_FEATURE, NVME_FEAT_FID_HOST_ID);
	struct nvme_lba_range_type ranges = {0};
	static const uint8_t id[8];

	if (!b->m->buffers)
		return 0;
	if (put(b, page, id, sizeof(id)))
		return -1;
	ranges.entry[0].nlb = htole64(b->m->sectors);
	page = host_file_of(HOST_FILE_FEATURE, NVME_FEAT_FID_LBA_RANGE);
	page.q[HOST_FILE_NSID] = 1;
	return put(b, page, &ranges, sizeof(ranges));
}

/* Device Self-test: OACS bit 4. One short test passed a while ago, the other entries are unused. */
static int self_test_log(struct builder *b)
{
	struct nvme_self_test_log log = {0};

	if (!(b->m->oacs & 0x10))
		return 0;
	for (unsigned i = 0; i < NVME_LOG_ST_MAX_RESULTS; i++)
		log.result[i].dsts = NVME_ST_RESULT_NOT_USED;
	log.result[0].dsts = 1 << 4; /* short, completed without error */
	log.result[0].poh = htole64(b->m->smart.power_on_hours - 100);
	log.result[0].nsid = htole32(0xffffffff);
	return put_log(b, 0x06, &log, sizeof(log));
}

/* Telemetry, host- and controller-initiated: LPA bit 3. Three areas of filler that says what it is. */
static int telemetry_log(struct builder *b, uint8_t lid)
{
	static const char filler[] = "simulated telemetry ";
	const unsigned blocks[3] = {2, 6, 16};
	uint8_t page[512 * 17] = {0};
	struct nvme_telemetry_log *log = (struct nvme_telemetry_log *)page;

	if (!(b->m->lpa & 8))
		return 0;
	log->lpi = lid;
	ssd_put_le(log->ieee, 3, b->m->ieee);
	log->dalb1 = htole16(blocks[0]);
	log->dalb2 = htole16(blocks[1]);
	log->dalb3 = htole16(blocks[2]);
	for (size_t i = sizeof(*log); i < sizeof(page); i++)
		page[i] = (uint8_t)filler[i % (sizeof(filler) - 1)];
	return put_log(b, lid, page, sizeof(page));
}

static int host_telemetry(struct builder *b)
{
	return telemetry_log(b, 0x07);
}

static int controller_telemetry(struct builder *b)
{
	return telemetry_log(b, 0x08);
}

/* Sanitize Status: never sanitized, no estimates. */
static int sanitize_log(struct builder *b)
{
	struct nvme_sanitize_log_page log = {.sprog = htole16(0xffff)};

	if (!b->m->sanicap)
		return 0;
	log.eto = log.etbe = log.etce = htole32(0xffffffff);
	log.etond = log.etbend = log.etcend = htole32(0xffffffff);
	return put_log(b, 0x81, &log, sizeof(log));
}

static int (*const builders[])(struct builder *b) = {
	id_ctrl,       id_ns,          ns_descriptors,       error_log,    smart_log,   firmware_log, effects_log,
	self_test_log, host_telemetry, controller_telemetry, sanitize_log, changed_log, buffers,      uuid_list,
};

int sim_model_encode(const struct sim_model *m, unsigned index, struct sim_sink *sink)
{
	struct builder b = {m, index, sink};

	for (size_t i = 0; i < ARRAY_SIZE(builders); i++)
		if (builders[i](&b))
			return -1;
	return m->intel ? sim_intel_encode(m, sink) : 0;
}
