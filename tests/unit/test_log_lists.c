/* SPDX-License-Identifier: MIT */
/*
 * The log pages whose elements have lengths of their own: ANA, LBA status, persistent events. Built with libnvme's
 * structures, so by another description of the same specification.
 */
#include "check.h"
#include "page_image.h"

#include <endian.h>
#include <libnvme.h>
#include <ssdct/device.h>

static uint8_t page[4096];

/* Copied, because a group need not lie where its structure would be aligned. */
static uint8_t *put(uint8_t *p, const void *bytes, size_t len)
{
	memcpy(p, bytes, len);
	return p + len;
}

/* Two groups, of three namespaces and of none. */
static size_t make_ana(void)
{
	static const uint8_t nsids[12] = {1, 0, 0, 0, 4, 3, 2, 1, 9, 0, 0, 0};
	struct nvme_ana_log log = {.chgcnt = htole64(5), .ngrps = htole16(2)};
	struct nvme_ana_group_desc a = {.grpid = htole32(7),
					.nnsids = htole32(3),
					.chgcnt = htole64(2),
					.state = NVME_ANA_STATE_NONOPTIMIZED},
				   b = {.grpid = htole32(8), .state = NVME_ANA_STATE_CHANGE};
	uint8_t *end;

	memset(page, 0, sizeof(page));
	end = put(page, &log, sizeof(log));
	end = put(end, &a, sizeof(a));
	end = put(end, nsids, sizeof(nsids));
	end = put(end, &b, sizeof(b));
	return (size_t)(end - page);
}

START_TEST(test_ana)
{
	size_t len = make_ana();
	const struct ssd_node *doc = decode(&ssd_page_ana, page, sizeof(page)), *g, *n;

	ck_assert_int_eq(ssd_get_int(doc, "change_count", -1), 5);
	g = ssd_get(doc, "groups")->child;
	ck_assert_int_eq(ssd_get_int(g, "anagrpid", -1), 7);
	ck_assert_int_eq(ssd_get_int(g, "change_count", -1), 2);
	ck_assert_str_eq(ssd_get_str(g, "state.name", ""), "non-optimized");
	n = ssd_get(g, "nsids")->child;
	ck_assert_uint_eq(n->u, 1);
	ck_assert_uint_eq(n->next->u, 0x01020304);
	ck_assert_uint_eq(n->next->next->u, 9);
	ck_assert_ptr_null(n->next->next->next);
	g = g->next;
	ck_assert_int_eq(ssd_get_int(g, "anagrpid", -1), 8);
	ck_assert_str_eq(ssd_get_str(g, "state.name", ""), "change");
	ck_assert_ptr_null(ssd_get(g, "nsids")->child);
	ck_assert_ptr_null(g->next);
	/* A group that says that it has more namespaces than there are bytes. */
	memset(page + 16 + offsetof(struct nvme_ana_group_desc, nnsids), 0xff, 4);
	g = ssd_get(decode(&ssd_page_ana, page, len), "groups")->child;
	ck_assert_uint_eq(ssd_get(g, "nsids")->last->u, 0);
	ck_assert_ptr_null(g->next);
}
END_TEST

/* NANAGRPID groups, and as many namespaces as MNAN says, or NN. */
START_TEST(test_ana_size)
{
	uint8_t id[ID_LEN] = {[348] = 3, [516] = 200, [540] = 10};
	struct ssd_device dev = {.id_ctrl = id, .id_ctrl_len = ID_LEN};

	ck_assert_uint_eq(ssd_page_ana.size_of(&dev), 16 + 3 * 32 + 10 * 4);
	id[540] = 0;
	ck_assert_uint_eq(ssd_page_ana.size_of(&dev), 16 + 3 * 32 + 200 * 4);
	memset(id, 0xff, sizeof(id));
	ck_assert_uint_lt(ssd_page_ana.size_of(&dev), 4 << 20);
	ck_assert_uint_eq(ssd_page_ana.size_of(&(struct ssd_device){0}), 16);
}
END_TEST

START_TEST(test_lba_status)
{
	struct nvme_lba_status_log *log = (struct nvme_lba_status_log *)(void *)page;
	struct nvme_lbas_ns_element *e = log->elements;
	const struct ssd_node *doc, *n, *r;

	memset(page, 0, sizeof(page));
	*log = (struct nvme_lba_status_log){.lslplen = htole32(16 + 16 + 2 * 16 + 16),
					    .nlslne = htole32(2),
					    .estulb = htole32(12),
					    .lsgc = htole16(3)};
	*e = (struct nvme_lbas_ns_element){.neid = htole32(4), .nlrd = htole32(2), .ratype = 1};
	e->lba_rd[0] = (struct nvme_lba_rd){.rslba = htole64(UINT64_C(1) << 40), .rnlb = htole32(8)};
	e->lba_rd[1] = (struct nvme_lba_rd){.rslba = htole64(100), .rnlb = htole32(4)};
	e = (struct nvme_lbas_ns_element *)(void *)(page + 16 + 16 + 2 * 16);
	*e = (struct nvme_lbas_ns_element){.neid = htole32(5), .nlrd = htole32(UINT32_MAX)};
	ck_assert_uint_eq(ssd_page_lba_status.total(page), 80);
	doc = decode(&ssd_page_lba_status, page, 80);
	ck_assert_int_eq(ssd_get_int(doc, "estimated_blocks", -1), 12);
	ck_assert_int_eq(ssd_get_int(doc, "generation", -1), 3);
	n = ssd_get(doc, "namespaces")->child;
	ck_assert_int_eq(ssd_get_int(n, "nsid", -1), 4);
	ck_assert_int_eq(ssd_get_int(n, "recommended_action", -1), 1);
	ck_assert_int_eq(ssd_get_int(n, "all", -1), 0);
	r = ssd_get(n, "ranges")->child;
	ck_assert_int_eq(ssd_get_int(r, "lba", -1), INT64_C(1) << 40);
	ck_assert_int_eq(ssd_get_int(r, "blocks", -1), 8);
	r = r->next;
	ck_assert_int_eq(ssd_get_int(r, "lba", -1), 100);
	ck_assert_ptr_null(r->next);
	n = n->next;
	ck_assert_int_eq(ssd_get_int(n, "nsid", -1), 5);
	ck_assert_int_eq(ssd_get_int(n, "all", -1), 1);
	ck_assert_ptr_null(ssd_get(n, "ranges")->child);
	ck_assert_ptr_null(n->next);
}
END_TEST

/* 2026-01-02T03:04:05.678Z, set by a host (origin 1). */
#define MOMENT_MS UINT64_C(1767323045678)
#define MOMENT (MOMENT_MS | UINT64_C(1) << 49)

static size_t at;

/* An event with `vendor` bytes of the vendor's before its data. */
static void put_event(uint8_t type, uint64_t time, const void *data, size_t len, size_t vendor)
{
	struct nvme_persistent_event_entry e = {.etype = type,
						.etype_rev = 2,
						.ehl = sizeof(e) - 3,
						.cntlid = htole16(0x0102),
						.ets = htole64(time),
						.vsil = htole16((uint16_t)vendor),
						.el = htole16((uint16_t)(vendor + len))};
	struct nvme_persistent_event_log *log = (struct nvme_persistent_event_log *)(void *)page;

	memcpy(page + at, &e, sizeof(e));
	memset(page + at + sizeof(e), 0xee, vendor);
	memcpy(page + at + sizeof(e) + vendor, data, len);
	at += sizeof(e) + vendor + len;
	log->tnev = htole32(le32toh(log->tnev) + 1);
	log->tll = htole64(at);
}

static void begin_events(void)
{
	struct nvme_persistent_event_log *log = (struct nvme_persistent_event_log *)(void *)page;

	memset(page, 0, sizeof(page));
	*log = (struct nvme_persistent_event_log){.lid = 0x0d, .lhl = htole16(512 - 20), .ts = htole64(MOMENT)};
	memcpy(log->sn, "SERIAL1             ", sizeof(log->sn));
	memcpy(log->subnqn, "nqn.x", 6);
	at = sizeof(*log);
}

/* Element number n of the events of the page as it stands. */
static const struct ssd_node *event(unsigned n)
{
	const struct ssd_node *e = ssd_get(decode(&ssd_page_persistent_event, page, at), "events")->child;

	while (e && n--)
		e = e->next;
	ck_assert_ptr_nonnull(e);
	return e;
}

START_TEST(test_events)
{
	struct nvme_fw_commit_event fw = {.fw_commit_action = 1, .fw_slot = 2, .sct_fw = 1, .sc_fw = 0x0b};
	struct nvme_thermal_exc_event thermal = {.over_temp = 3, .threshold = 1};
	struct nvme_smart_log smart = {.percent_used = 42};
	const struct ssd_node *doc, *e;

	memcpy(&fw.old_fw_rev, "8DV10131", 8);
	memcpy(&fw.new_fw_rev, "8DV10171", 8);
	begin_events();
	put_event(NVME_PEL_FW_COMMIT_EVENT, MOMENT, &fw, sizeof(fw), 0);
	put_event(NVME_PEL_SMART_HEALTH_EVENT, 5000, &smart, sizeof(smart), 12);
	put_event(0x55, MOMENT, "abc", 3, 0); /* no table knows it */
	put_event(NVME_PEL_THERMAL_EXCURSION_EVENT, MOMENT, &thermal, sizeof(thermal), 1);
	ck_assert_uint_eq(ssd_page_persistent_event.total(page), at);
	doc = decode(&ssd_page_persistent_event, page, at);
	ck_assert_str_eq(ssd_get_str(doc, "sn", ""), "SERIAL1");
	ck_assert_str_eq(ssd_get_str(doc, "subnqn", ""), "nqn.x");
	ck_assert_str_eq(ssd_get_str(doc, "time", ""), "2026-01-02T03:04:05.678Z");
	ck_assert_int_eq(ssd_get_int(doc, "events_left_out", -1), 0);
	e = event(0);
	ck_assert_str_eq(ssd_get_str(e, "type.name", ""), "firmware commit");
	ck_assert_int_eq(ssd_get_int(e, "cntlid", -1), 0x0102);
	ck_assert_int_eq(ssd_get_int(e, "revision", -1), 2);
	ck_assert_str_eq(ssd_get_str(e, "firmware_commit.old_revision", ""), "8DV10131");
	ck_assert_str_eq(ssd_get_str(e, "firmware_commit.new_revision", ""), "8DV10171");
	ck_assert_int_eq(ssd_get_int(e, "firmware_commit.action", -1), 1);
	ck_assert_int_eq(ssd_get_int(e, "firmware_commit.slot", -1), 2);
	ck_assert_int_eq(ssd_get_int(e, "firmware_commit.status_code", -1), 0x0b);
	ck_assert_ptr_null(ssd_get(e, "smart"));
	e = event(1);
	ck_assert_ptr_null(ssd_get(e, "time"));
	ck_assert_int_eq(ssd_get_int(e, "timestamp_ms", -1), 5000);
	ck_assert_int_eq(ssd_get_int(e, "smart.percentage_used", -1), 42);
	e = event(2);
	ck_assert_int_eq(ssd_get_int(e, "type.value", -1), 0x55);
	ck_assert_ptr_null(ssd_get(e, "type.name"));
	e = event(3);
	ck_assert_int_eq(ssd_get_int(e, "thermal_excursion.otmp", -1), 3);
	ck_assert_int_eq(ssd_get_int(e, "thermal_excursion.thresh", -1), 1);
	ck_assert_ptr_null(e->next);
}
END_TEST

START_TEST(test_reset_events)
{
	struct nvme_power_on_reset_info_list info[2] = {
		{.cid = htole16(1),
		 .fw_act = 1,
		 .ctrl_power_cycle = htole32(12),
		 .power_on_ml_seconds = htole64(99),
		 .ctrl_time_stamp = htole64(MOMENT)},
		{.cid = htole16(2), .op_in_prog = 1, .ctrl_power_cycle = htole32(13)}};
	uint8_t data[8 + sizeof(info)] = "8DV1    ";
	struct nvme_time_stamp_change_event change = {.previous_timestamp = htole64(MOMENT),
						      .ml_secs_since_reset = htole64(77)};
	const struct ssd_node *e, *c;

	memcpy(data + 8, info, sizeof(info));
	begin_events();
	put_event(NVME_PEL_POWER_ON_RESET_EVENT, MOMENT, data, sizeof(data), 3);
	put_event(NVME_PEL_TIMESTAMP_EVENT, MOMENT, &change, sizeof(change), 0);
	e = event(0);
	ck_assert_str_eq(ssd_get_str(e, "power_on_reset.firmware", ""), "8DV1");
	c = ssd_get(e, "power_on_reset.controllers")->child;
	ck_assert_int_eq(ssd_get_int(c, "cntlid", -1), 1);
	ck_assert_int_eq(ssd_get_int(c, "firmware_activation", -1), 1);
	ck_assert_int_eq(ssd_get_int(c, "power_cycle", -1), 12);
	ck_assert_int_eq(ssd_get_int(c, "power_on_ms", -1), 99);
	ck_assert_str_eq(ssd_get_str(c, "time", ""), "2026-01-02T03:04:05.678Z");
	c = c->next;
	ck_assert_int_eq(ssd_get_int(c, "operation_in_progress", -1), 1);
	ck_assert_int_eq(ssd_get_int(c, "power_cycle", -1), 13);
	ck_assert_ptr_null(c->next); /* and not into the next event */
	e = event(1);
	ck_assert_str_eq(ssd_get_str(e, "timestamp_change.previous_time", ""), "2026-01-02T03:04:05.678Z");
	ck_assert_int_eq(ssd_get_int(e, "timestamp_change.since_reset_ms", -1), 77);
}
END_TEST

START_TEST(test_events_of_commands)
{
	struct nvme_change_ns_event ns = {.nsmgt_cdw10 = htole32(1),
					  .nsze = htole64(1000),
					  .nscap = htole64(900),
					  .flbas = 3,
					  .nsid = htole32(6)};
	struct nvme_format_nvm_start_event format = {.nsid = htole32(6), .fna = 4, .format_nvm_cdw10 = htole32(0x200)};
	struct nvme_format_nvm_compln_event formatted = {.nsid = htole32(6),
							 .smallest_fpi = 7,
							 .format_nvm_status = 1,
							 .compln_info = htole16(2),
							 .status_field = htole32(0x8002)};
	struct nvme_sanitize_start_event sanitize = {
		.sani_cap = htole32(3), .sani_cdw10 = htole32(4), .sani_cdw11 = htole32(5)};
	struct nvme_sanitize_compln_event sanitized = {
		.sani_prog = htole16(0xffff), .sani_status = htole16(0x101), .cmpln_info = htole16(9)};
	struct {
		struct nvme_set_feature_event e;
		uint32_t cdw[2];
	} feature = {{.layout = htole32(2)}, {htole32(0x80000004), htole32(358)}};
	const uint8_t unsafe[4] = {8};

	begin_events();
	put_event(NVME_PEL_CHANGE_NS_EVENT, MOMENT, &ns, sizeof(ns), 0);
	put_event(NVME_PEL_FORMAT_START_EVENT, MOMENT, &format, sizeof(format), 0);
	put_event(NVME_PEL_FORMAT_COMPLETION_EVENT, MOMENT, &formatted, sizeof(formatted), 0);
	put_event(NVME_PEL_SANITIZE_START_EVENT, MOMENT, &sanitize, sizeof(sanitize), 0);
	put_event(NVME_PEL_SANITIZE_COMPLETION_EVENT, MOMENT, &sanitized, sizeof(sanitized), 0);
	put_event(NVME_PEL_SET_FEATURE_EVENT, MOMENT, &feature, sizeof(feature), 0);
	put_event(NVME_PEL_NSS_HW_ERROR_EVENT, MOMENT, unsafe, sizeof(unsafe), 0);
	ck_assert_int_eq(ssd_get_int(event(0), "change_namespace.nsze", -1), 1000);
	ck_assert_int_eq(ssd_get_int(event(0), "change_namespace.ncap", -1), 900);
	ck_assert_int_eq(ssd_get_int(event(0), "change_namespace.flbas", -1), 3);
	ck_assert_int_eq(ssd_get_int(event(0), "change_namespace.nsid", -1), 6);
	ck_assert_int_eq(ssd_get_int(event(1), "format_start.fna", -1), 4);
	ck_assert_int_eq(ssd_get_int(event(1), "format_start.cdw10", -1), 0x200);
	ck_assert_int_eq(ssd_get_int(event(2), "format_completion.smallest_fpi", -1), 7);
	ck_assert_int_eq(ssd_get_int(event(2), "format_completion.format_status", -1), 1);
	ck_assert_int_eq(ssd_get_int(event(2), "format_completion.completion_information", -1), 2);
	ck_assert_int_eq(ssd_get_int(event(2), "format_completion.status_field", -1), 0x8002);
	ck_assert_int_eq(ssd_get_int(event(3), "sanitize_start.sanicap", -1), 3);
	ck_assert_int_eq(ssd_get_int(event(3), "sanitize_start.cdw11", -1), 5);
	ck_assert_int_eq(ssd_get_int(event(4), "sanitize_completion.sstat", -1), 0x101);
	ck_assert_int_eq(ssd_get_int(event(4), "sanitize_completion.completion_information", -1), 9);
	ck_assert_int_eq(ssd_get_int(event(5), "set_feature.fid", -1), 4);
	ck_assert_int_eq(ssd_get_int(event(5), "set_feature.cdw11", -1), 358);
	ck_assert_int_eq(ssd_get_int(event(5), "set_feature.layout.dwords", -1), 2);
	ck_assert_str_eq(ssd_get_str(event(6), "hardware_error.error.name", ""), "unsafe shutdown");
}
END_TEST

/* Lengths that lie: no data that is another event's, and an end. */
START_TEST(test_lying_events)
{
	struct nvme_thermal_exc_event thermal = {.over_temp = 3, .threshold = 1};
	const struct ssd_node *doc, *e;

	begin_events();
	put_event(NVME_PEL_THERMAL_EXCURSION_EVENT, MOMENT, &thermal, sizeof(thermal), 0);
	put_event(NVME_PEL_THERMAL_EXCURSION_EVENT, MOMENT, &thermal, sizeof(thermal), 0);
	page[512 + offsetof(struct nvme_persistent_event_entry, vsil)] = 200;
	e = event(0);
	ck_assert_ptr_null(ssd_get(e, "thermal_excursion"));
	ck_assert_int_eq(ssd_get_int(event(1), "thermal_excursion.otmp", -1), 3);
	page[512 + offsetof(struct nvme_persistent_event_entry, vsil)] = 0;
	page[512 + offsetof(struct nvme_persistent_event_entry, ehl)] = 1; /* shorter than a header can be */
	ck_assert_ptr_null(ssd_get(event(0), "thermal_excursion"));
	memset(page, 0xff, 8);
	doc = decode(&ssd_page_persistent_event, page, at);
	ck_assert_int_gt(ssd_get_int(doc, "events_left_out", -1), 4000000000);
	/* Nothing but the header has been read. */
	begin_events();
	page[4] = 7;
	doc = decode(&ssd_page_persistent_event, page, 512);
	ck_assert_ptr_null(ssd_get(doc, "events"));
	ck_assert_int_eq(ssd_get_int(doc, "events_left_out", -1), 7);
}
END_TEST

CHECK_MAIN("log lists", test_ana, test_ana_size, test_lba_status, test_events, test_reset_events,
	   test_events_of_commands, test_lying_events)
