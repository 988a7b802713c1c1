/* SPDX-License-Identifier: MIT */
/* The table of features against libnvme's, and values as they are read and as people type them. */
#include "check.h"

#include <nvme/types.h>
#include <ssdct/device.h>
#include <ssdct/feature.h>
#include <ssdct/le.h>
#include <ssdct/plugin.h>

static const struct ssd_field *field(uint8_t fid, const char *key)
{
	return ssd_field_find(ssd_std_feature(fid)->page.field.sub, key);
}

START_TEST(table)
{
	/* CONTRACT section 5. */
	static const uint8_t kernels[] = {0x07, 0x0b, 0x0d, 0x0f, 0x16}, destroys[] = {0x1d, 0x84, 0x85};
	struct ssd_device dev = {0};
	int last = 0;

	for (const struct ssd_std_feature *f = ssd_std_features; f->page.name; f++) {
		struct ssd_cmd set = {.opcode = SSD_ADMIN_SET_FEATURES, .cdw10 = f->page.id};
		uint64_t seen = 0;

		ck_assert_int_gt(f->page.id, last);
		last = f->page.id;
		ck_assert_ptr_nonnull(f->page.field.label);
		ck_assert_int_eq(f->page.kind, SSD_PAGE_FEATURE);
		ck_assert_int_eq(ssd_is_kernels_own(&set), f->class == SSD_FEATURE_KERNELS);
		for (const struct ssd_std_feature *g = f + 1; g->page.name; g++) {
			ck_assert_str_ne(f->page.name, g->page.name);
			ck_assert_str_ne(f->page.field.key, g->page.field.key);
		}
		for (const struct ssd_field *b = f->page.field.sub; b->type != SSD_END; b++) {
			struct ssd_field one[] = {*b, SSD_FIELD_END};

			ck_assert_msg(!(seen & ssd_feature_mask(one)), "%s: %s overlaps", f->page.name, b->key);
			seen |= ssd_feature_mask(one);
		}
	}
	for (unsigned fid = 0; fid < 256; fid++) {
		enum ssd_feature_class class = ssd_feature_class(&dev, (uint8_t)fid);
		bool known = ssd_std_feature((uint8_t)fid);

		if (memchr(kernels, (int)fid, sizeof(kernels)))
			ck_assert_int_eq(class, SSD_FEATURE_KERNELS);
		else if (memchr(destroys, (int)fid, sizeof(destroys)) || !known)
			ck_assert_int_eq(class, SSD_FEATURE_DESTROYS);
		else
			ck_assert_int_eq(class, SSD_FEATURE_CHANGES);
	}
}
END_TEST

/* Where libnvme has a field, and how wide it is. */
#define BITS(fid, key, name)                                                                \
	{                                                                                   \
		NVME_FEAT_FID_##fid, key, NVME_FEAT_##name##_SHIFT, NVME_FEAT_##name##_MASK \
	}
START_TEST(libnvme_bits)
{
	static const struct {
		uint8_t fid;
		const char *key;
		unsigned shift, mask;
	} rows[] = {
		BITS(ARBITRATION, "burst", ARBITRATION_BURST),
		BITS(ARBITRATION, "low_weight", ARBITRATION_LPW),
		BITS(ARBITRATION, "medium_weight", ARBITRATION_MPW),
		BITS(ARBITRATION, "high_weight", ARBITRATION_HPW),
		BITS(POWER_MGMT, "power_state", PWRMGMT_PS),
		BITS(POWER_MGMT, "workload_hint", PWRMGMT_WH),
		BITS(LBA_RANGE, "last_range", LBAR_NR),
		BITS(TEMP_THRESH, "threshold_celsius", TT_TMPTH),
		BITS(ERR_RECOVERY, "time_limit_ms", ERROR_RECOVERY_TLER),
		BITS(ERR_RECOVERY, "deallocated_error", ERROR_RECOVERY_DULBE),
		BITS(VOLATILE_WC, "enabled", VWC_WCE),
		BITS(NUM_QUEUES, "submission_queues", NRQS_NSQR),
		BITS(NUM_QUEUES, "completion_queues", NRQS_NCQR),
		BITS(IRQ_COALESCE, "threshold", IRQC_THR),
		BITS(IRQ_COALESCE, "time_us", IRQC_TIME),
		BITS(IRQ_CONFIG, "coalescing_disabled", ICFG_CD),
		BITS(WRITE_ATOMIC, "disable_normal", WA_DN),
		BITS(ASYNC_EVENT, "critical_warnings", AE_SMART),
		BITS(ASYNC_EVENT, "namespace_attributes", AE_NAN),
		BITS(ASYNC_EVENT, "firmware_activation", AE_FW),
		BITS(ASYNC_EVENT, "telemetry", AE_TELEM),
		BITS(ASYNC_EVENT, "asymmetric_access", AE_ANA),
		BITS(ASYNC_EVENT, "predictable_latency", AE_PLA),
		BITS(ASYNC_EVENT, "lba_status", AE_LBAS),
		BITS(ASYNC_EVENT, "endurance_group", AE_EGA),
		BITS(AUTO_PST, "enabled", APST_APSTE),
		BITS(HOST_MEM_BUF, "enabled", HMEM_EHM),
		BITS(HCTM, "heavy_celsius", HCTM_TMT2),
		BITS(HCTM, "light_celsius", HCTM_TMT1),
		BITS(NOPSC, "permissive", NOPS_NOPPME),
		BITS(PLM_CONFIG, "enabled", PLM_PLME),
		BITS(PLM_WINDOW, "window", PLMW_WS),
		BITS(LBA_STS_INTERVAL, "report_interval_ms", LBAS_LSIRI),
		BITS(LBA_STS_INTERVAL, "poll_interval_ms", LBAS_LSIPI),
		{NVME_FEAT_FID_SANITIZE, "no_deallocate_response", NVME_FEAT_SC_NODRM_SHIFT, NVME_FEAT_SC_NODRM_MASK},
		BITS(ENDURANCE_EVT_CFG, "critical_warnings", EG_EGCW),
		BITS(SW_PROGRESS, "boots", SPM_PBSLC),
		BITS(RESV_MASK, "registration_preempted", RM_REGPRE),
		BITS(RESV_MASK, "reservation_released", RM_RESREL),
		BITS(RESV_MASK, "reservation_preempted", RM_RESPRE),
		BITS(RESV_PERSIST, "through_power_loss", RP_PTPL),
		BITS(WRITE_PROTECT, "state", WP_WPS),
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct ssd_field *f = field(rows[i].fid, rows[i].key);

		ck_assert_msg(f != NULL, "%s", rows[i].key);
		ck_assert_uint_eq(f->off, rows[i].shift);
		ck_assert_uint_eq((1ull << f->width) - 1, rows[i].mask);
	}
	ck_assert_uint_eq(ssd_feature_mask(ssd_std_feature(0x04)->which),
			  NVME_FEAT_TT_TMPSEL_MASK << NVME_FEAT_TT_TMPSEL_SHIFT | NVME_FEAT_TT_THSEL_MASK
											  << NVME_FEAT_TT_THSEL_SHIFT);
}
END_TEST

static const struct ssd_node *value(uint8_t fid, uint64_t result, const void *data, size_t len)
{
	static struct ssd_arena *arena;

	if (arena)
		ssd_arena_free(arena);
	arena = ssd_arena_new(1 << 20);
	return ssd_feature_decode(arena, &ssd_std_feature(fid)->page, result, data, len);
}

START_TEST(values)
{
	const struct ssd_node *n = value(0x04, 358, NULL, 0);

	ck_assert_int_eq(ssd_get_int(n, "threshold_celsius", 0), 85); /* isdct says 85 C of a P3700 */
	ck_assert_int_eq(ssd_get_int(value(0x04, 253, NULL, 0), "threshold_celsius", 0), -20);
	ck_assert_ptr_null(ssd_get(value(0x04, 0xffff, NULL, 0), "threshold_celsius"));
	ck_assert_ptr_null(ssd_get(value(0x04, 0, NULL, 0), "threshold_celsius"));
	n = value(0x05, 0x10005, NULL, 0);
	ck_assert_int_eq(ssd_get_int(n, "time_limit_ms", 0), 500);
	ck_assert_int_eq(ssd_get_int(n, "deallocated_error", 0), 1);
	n = value(0x01, 0x04030203, NULL, 0);
	ck_assert_str_eq(ssd_get_str(n, "burst.name", ""), "8");
	ck_assert_int_eq(ssd_get_int(n, "low_weight", 0), 2);
	ck_assert_int_eq(ssd_get_int(n, "high_weight", 0), 4);
	n = value(0x84, 2, NULL, 0);
	ck_assert_str_eq(ssd_get_str(n, "state.name", ""), "until power cycle");
}
END_TEST

START_TEST(data)
{
	struct nvme_lba_range_type_entry ranges[64] = {{.type = 2, .slba = 5, .nlb = 9}};
	uint8_t apst[256] = {0}, host_id[16];
	struct nvme_timestamp t = {.attr = 1 << 1 | 1};
	const struct ssd_node *n;

	ssd_put_le(apst + 8, 4, 100u << 8 | 3 << 3); /* state 1: after 100 ms to 3 */
	n = value(0x0c, 1, apst, sizeof(apst));
	ck_assert_int_eq(ssd_get_int(n, "enabled", 0), 1);
	n = ssd_get(n, "transitions")->child;
	ck_assert_int_eq(ssd_get_int(n, "power_state", 0), 1);
	ck_assert_int_eq(ssd_get_int(n, "idle_ms", 0), 100);
	ck_assert_int_eq(ssd_get_int(n, "to_power_state", 0), 3);
	ck_assert_ptr_null(n->next);

	ssd_put_le(t.timestamp, 6, 1700000000000);
	n = value(0x0e, 0, &t, sizeof(t));
	ck_assert_int_eq(ssd_get_int(n, "milliseconds", 0), 1700000000000);
	ck_assert_str_eq(ssd_get_str(n, "origin.name", ""), "host");
	ck_assert_int_eq(ssd_get_int(n, "stopped", 0), 1);

	n = value(0x03, 0, ranges, sizeof(ranges));
	n = ssd_get(n, "ranges")->child;
	ck_assert_str_eq(ssd_get_str(n, "type.name", ""), "RAID");
	ck_assert_int_eq(ssd_get_int(n, "first_lba", 0), 5);
	ck_assert_int_eq(ssd_get_int(n, "blocks", 0), 9);
	ck_assert_ptr_null(n->next);

	for (unsigned i = 0; i < 16; i++)
		host_id[i] = (uint8_t)i;
	n = value(0x81, 0, host_id, sizeof(host_id));
	ck_assert_str_eq(ssd_get_str(n, "identifier", ""), "0f0e0d0c0b0a09080706050403020100");
}
END_TEST

/* What is typed, on top of what is there, and what becomes of it. */
START_TEST(typed)
{
	static const struct {
		uint8_t fid;
		uint64_t before;
		const char *text;
		uint64_t after;
	} rows[] = {
		{0x01, 0x04030203, "burst=no-limit", 0x04030207},
		{0x01, 0x04030203, "burst=1,high_weight=255", 0xff030200},
		{0x01, 0x04030203, "0x01", 0x01},
		{0x02, 0x41, "3", 0x43},
		{0x02, 0x41, "workload_hint=none", 0x01},
		{0x04, 358, "75", 348},
		{0x04, 358, "75C", 348},
		{0x04, 358, "0", 273},
		{0x04, 358, "-5", 268},
		{0x04, 358, "none", 0xffff},
		{0x04, 358, "threshold_celsius=-272", 1},
		{0x05, 0, "time_limit_ms=500,deallocated_error=on", 0x10005},
		{0x05, 0, "time_limit_ms=6553500", 0xffff},
		{0x06, 1, "off", 0},
		{0x06, 0, "yes", 1},
		{0x08, 0, "threshold=8,time_us=25500", 0xff08},
		{0x10, 0, "light_celsius=60,heavy_celsius=70", 333 << 16 | 343},
		{0x84, 0, "protected", 1},
		{0x84, 0, "Until-Power-Cycle", 2},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct ssd_err err = SSD_ERR_INIT;
		uint64_t v = rows[i].before;

		ck_assert_msg(!ssd_feature_parse(ssd_std_feature(rows[i].fid), rows[i].text, &v, &err), "%s: %s",
			      rows[i].text, err.message);
		ck_assert_msg(v == rows[i].after, "%s: 0x%llx", rows[i].text, (unsigned long long)v);
	}
}
END_TEST

START_TEST(mistyped)
{
	static const struct {
		uint8_t fid;
		const char *text;
	} rows[] = {
		{0x01, "3"},       /* of which part? */
		{0x01, "burst=3"}, /* no name of a burst: 3 would be its code, 8 its meaning */
		{0x01, "burst=8,burst=8"},
		{0x01, "low_weight=256"},
		{0x01, "low_weight=-1"},
		{0x01, "low_weight="},
		{0x01, "low_weight"},
		{0x01, ""},
		{0x01, ","},
		{0x01, "weight=1"},
		{0x01, "burst=8 "},
		{0x01, "0x8"},
		{0x01, "0x100000000"},
		{0x01, "0x"},
		{0x02, "32"},
		{0x02, "1e3"},
		{0x04, "358"},
		{0x04, "358K"},
		{0x04, "201"},
		{0x04, "-273"},
		{0x04, "85 C"},
		{0x04, "C"},
		{0x04, ""},
		{0x04, "0x10000"},
		{0x05, "time_limit_ms=50"},
		{0x05, "time_limit_ms=6553600"},
		{0x06, "2"},
		{0x06, "ON"},
		{0x7e, "1"},
		{0x84, "1"},
		{0x84, "permanent?"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct ssd_err err = SSD_ERR_INIT;
		uint64_t v = 0;

		ck_assert_msg(ssd_feature_parse(ssd_std_feature(rows[i].fid), rows[i].text, &v, &err) < 0, "%02x %s",
			      rows[i].fid, rows[i].text);
		ck_assert_int_eq(err.code, SSD_ERR_USAGE);
	}
}
END_TEST

/* A vendor's feature is harmless only when its table says so. */
START_TEST(vendors_features)
{
	static const struct ssd_feature harmless = {.page = {.id = 0xe2}, .flags = SSD_FEATURE_HARMLESS},
					other = {.page = {.id = 0xc1}},
					/* A vendor cannot make a standard feature harmless. */
		standard = {.page = {.id = 0x84}, .flags = SSD_FEATURE_HARMLESS},
					reserved = {.page = {.id = 0x40}, .flags = SSD_FEATURE_HARMLESS};
	static const struct ssd_feature *const features[] = {&harmless, &other, &standard, &reserved, NULL};
	static const struct ssd_vendor vendor = {.name = "x", .features = features};
	struct ssd_device dev = {.vendor = &vendor};

	ck_assert_int_eq(ssd_feature_class(&dev, 0xe2), SSD_FEATURE_CHANGES);
	ck_assert_int_eq(ssd_feature_class(&dev, 0xc1), SSD_FEATURE_DESTROYS);
	ck_assert_int_eq(ssd_feature_class(&dev, 0xc2), SSD_FEATURE_DESTROYS);
	ck_assert_int_eq(ssd_feature_class(&dev, 0x84), SSD_FEATURE_DESTROYS);
	ck_assert_int_eq(ssd_feature_class(&dev, 0x40), SSD_FEATURE_DESTROYS);
}
END_TEST

CHECK_MAIN("features", table, libnvme_bits, values, data, typed, mistyped, vendors_features)
