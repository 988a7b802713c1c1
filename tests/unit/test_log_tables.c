/* SPDX-License-Identifier: MIT */
/* The log pages that are tables of numbers: every field where libnvme's structures have it, bits by libnvme's masks. */
#include "check.h"
#include "page_image.h"

#include <libnvme.h>

#define ROWS(rows) rows, ARRAY_SIZE(rows)

#define GROUP(m, k, s) AT(nvme_endurance_group_log, m, k, s)
static const struct number group[] = {
	GROUP(critical_warning, "critical_warning", 1),
	GROUP(avl_spare, "available_spare_percent", 1),
	GROUP(avl_spare_threshold, "available_spare_threshold_percent", 1),
	GROUP(percent_used, "percentage_used", 1),
	GROUP(endurance_estimate, "endurance_estimate_bytes", 1000000000),
	GROUP(data_units_read, "data_read_bytes", 1000000000),
	GROUP(data_units_written, "data_written_bytes", 1000000000),
	GROUP(media_units_written, "media_written_bytes", 1000000000),
	GROUP(host_read_cmds, "host_read_commands", 1),
	GROUP(host_write_cmds, "host_write_commands", 1),
	GROUP(media_data_integrity_err, "media_errors", 1),
	GROUP(num_err_info_log_entries, "error_log_entries", 1),
};

#define LATENCY(m, k) AT(nvme_nvmset_predictable_lat_log, m, k, 1)
static const struct number latency[] = {
	LATENCY(event_type, "events"),
	LATENCY(dtwin_rt, "dtwin_reads_typical"),
	LATENCY(dtwin_wt, "dtwin_writes_typical"),
	LATENCY(dtwin_tmax, "dtwin_time_maximum_ms"),
	LATENCY(ndwin_tmin_hi, "ndwin_time_minimum_high_ms"),
	LATENCY(ndwin_tmin_lo, "ndwin_time_minimum_low_ms"),
	LATENCY(dtwin_re, "dtwin_reads_estimate"),
	LATENCY(dtwin_we, "dtwin_writes_estimate"),
	LATENCY(dtwin_te, "dtwin_time_estimate_ms"),
};

#define TELEMETRY(m, k) AT(nvme_telemetry_log, m, k, 1)
static const struct number telemetry[] = {
	TELEMETRY(dalb1, "area_1_last_block"),
	TELEMETRY(dalb2, "area_2_last_block"),
	TELEMETRY(dalb3, "area_3_last_block"),
	TELEMETRY(dalb4, "area_4_last_block"),
	TELEMETRY(ctrlavail, "controller_data_available"),
	TELEMETRY(ctrldgn, "controller_generation"),
};

#define SANITIZE(m, k) AT(nvme_sanitize_log_page, m, k, 1)
static const struct number sanitize[] = {
	SANITIZE(sprog, "sprog"),
	SANITIZE(scdw10, "scdw10"),
	SANITIZE(eto, "overwrite_seconds"),
	SANITIZE(etbe, "block_erase_seconds"),
	SANITIZE(etce, "crypto_erase_seconds"),
	SANITIZE(etond, "overwrite_no_deallocate_seconds"),
	SANITIZE(etbend, "block_erase_no_deallocate_seconds"),
	SANITIZE(etcend, "crypto_erase_no_deallocate_seconds"),
};

#define RESERVATION(m, k) AT(nvme_resv_notification_log, m, k, 1)
static const struct number reservation[] = {
	RESERVATION(lpc, "count"),
	RESERVATION(rnlpt, "type"),
	RESERVATION(nalp, "available"),
	RESERVATION(nsid, "nsid"),
};

#define LBA(m, k) AT(nvme_lba_status_log, m, k, 1)
static const struct number lba_status[] = {
	LBA(lslplen, "length_bytes"),
	LBA(estulb, "estimated_blocks"),
	LBA(lsgc, "generation"),
};

#define PERSISTENT(m, k) AT(nvme_persistent_event_log, m, k, 1)
static const struct number persistent[] = {
	PERSISTENT(tnev, "total_events"),  PERSISTENT(tll, "total_bytes"),       PERSISTENT(rv, "revision"),
	PERSISTENT(poh, "power_on_hours"), PERSISTENT(pcc, "power_cycles"),      PERSISTENT(vid, "vid"),
	PERSISTENT(ssvid, "ssvid"),        PERSISTENT(gen_number, "generation"),
};

START_TEST(test_flat)
{
	uint8_t bytes[ID_LEN];

	fill(bytes, sizeof(bytes));
	check_members(decode(&ssd_page_endurance_group, bytes, LOG_LEN), bytes, ROWS(group));
	check_members(decode(&ssd_page_latency, bytes, LOG_LEN), bytes, ROWS(latency));
	check_members(decode(&ssd_page_telemetry_host, bytes, LOG_LEN), bytes, ROWS(telemetry));
	check_members(decode(&ssd_page_telemetry_ctrl, bytes, LOG_LEN), bytes, ROWS(telemetry));
	check_members(decode(&ssd_page_sanitize, bytes, LOG_LEN), bytes, ROWS(sanitize));
	check_members(decode(&ssd_page_reservation, bytes, 64), bytes, ROWS(reservation));
	check_members(decode(&ssd_page_lba_status, bytes, LOG_LEN), bytes, ROWS(lba_status));
	check_members(decode(&ssd_page_persistent_event, bytes, LOG_LEN), bytes, ROWS(persistent));
}
END_TEST

/* A capacity of 16 bytes; without it nothing is known of what is free of it. NVMe 2.0 put both behind libnvme's fields. */
START_TEST(test_endurance_group)
{
	uint8_t bytes[LOG_LEN] = {[0] = NVME_EG_CRITICAL_WARNING_DEGRADED, [32] = 5};
	const struct ssd_node *doc = decode(&ssd_page_endurance_group, bytes, LOG_LEN);

	ck_assert_int_eq(ssd_get_int(doc, "critical_warning.reliability", -1), 1);
	ck_assert_int_eq(ssd_get_int(doc, "critical_warning.read_only", -1), 0);
	ck_assert_int_eq(ssd_get_int(doc, "endurance_estimate_bytes", -1), INT64_C(5000000000));
	ck_assert_int_eq(ssd_get_int(doc, "data_written_bytes", -1), 0);
	ck_assert_ptr_null(ssd_get(doc, "total_bytes"));
	ck_assert_ptr_null(ssd_get(doc, "unallocated_bytes"));
	ck_assert_ptr_null(ssd_get(doc, "domainid"));
	bytes[32] = 0;
	bytes[160] = 9;
	doc = decode(&ssd_page_endurance_group, bytes, LOG_LEN);
	ck_assert_ptr_null(ssd_get(doc, "endurance_estimate_bytes"));
	ck_assert_int_eq(ssd_get_int(doc, "total_bytes", -1), 9);
	ck_assert_int_eq(ssd_get_int(doc, "unallocated_bytes", -1), 0);
	memset(bytes + 48, 0xff, 16);
	/* (2^128 - 1) * 10^9 */
	check_wide(&ssd_page_endurance_group, bytes, LOG_LEN, "data_read_bytes", "9223372036854775807",
		   "340282366920938463463374607431768211455000000000");
}
END_TEST

/* Areas that are empty end where the one before does: the largest number is the last block. */
START_TEST(test_telemetry)
{
	uint8_t bytes[LOG_LEN] = {[5] = 0xe4, [6] = 0xd2, [7] = 0x5c, [8] = 1, [10] = 3, [12] = 3, [381] = 2};
	const struct ssd_node *doc = decode(&ssd_page_telemetry_host, bytes, LOG_LEN);

	ck_assert_str_eq(ssd_get_str(doc, "ieee", ""), "5cd2e4");
	ck_assert_int_eq(ssd_get_int(doc, "size_bytes", -1), 4 * 512);
	ck_assert_int_eq(ssd_get_int(doc, "host_generation", -1), 2);
	ck_assert_ptr_null(ssd_get(doc, "reason_identifier"));
	bytes[18] = 1; /* area 4 ends with block 65,536 */
	bytes[384 + 127] = 0xab;
	doc = decode(&ssd_page_telemetry_ctrl, bytes, LOG_LEN);
	ck_assert_int_eq(ssd_get_int(doc, "size_bytes", -1), INT64_C(65537) * 512);
	ck_assert_str_eq(ssd_get_str(doc, "scope.name", ""), "NVM subsystem");
	ck_assert_uint_eq(strlen(ssd_get_str(doc, "reason_identifier", "")), 256);
	ck_assert_str_eq(ssd_get_str(doc, "reason_identifier", "") + 254, "ab");
}
END_TEST

START_TEST(test_sanitize)
{
	uint8_t bytes[LOG_LEN] = {0};
	const struct ssd_node *doc;

	ssd_put_le(bytes, 2, 0x4000);
	ssd_put_le(bytes + 2, 2,
		   NVME_SANITIZE_SSTAT_STATUS_IN_PROGESS | 5 << NVME_SANITIZE_SSTAT_COMPLETED_PASSES_SHIFT |
			   1 << NVME_SANITIZE_SSTAT_GLOBAL_DATA_ERASED_SHIFT);
	ssd_put_le(bytes + 4, 4, 3 | 2 << 4 | 1 << 8);
	memset(bytes + 8, 0xff, 4);
	doc = decode(&ssd_page_sanitize, bytes, LOG_LEN);
	ck_assert_str_eq(ssd_get_str(doc, "state.name", ""), "in progress");
	ck_assert_double_eq(ssd_get(doc, "progress_percent")->real, 25.0);
	ck_assert_int_eq(ssd_get_int(doc, "completed_passes", -1), 5);
	ck_assert_int_eq(ssd_get_int(doc, "global_data_erased", -1), 1);
	ck_assert_str_eq(ssd_get_str(doc, "scdw10.action.name", ""), "overwrite");
	ck_assert_int_eq(ssd_get_int(doc, "scdw10.passes", -1), 2);
	ck_assert_int_eq(ssd_get_int(doc, "scdw10.invert", -1), 1);
	ck_assert_ptr_null(ssd_get(doc, "overwrite_seconds"));
	ck_assert_int_eq(ssd_get_int(doc, "block_erase_seconds", -1), 0);
	ssd_put_le(bytes, 2, 0xffff);
	ssd_put_le(bytes + 2, 2, NVME_SANITIZE_SSTAT_STATUS_COMPLETE_SUCCESS);
	doc = decode(&ssd_page_sanitize, bytes, LOG_LEN);
	ck_assert_double_eq(ssd_get(doc, "progress_percent")->real, 100.0);
	ck_assert_int_eq(ssd_get_int(doc, "global_data_erased", -1), 0);
}
END_TEST

START_TEST(test_latency)
{
	uint8_t bytes[LOG_LEN] = {[0] = NVME_NVMSET_PL_STATUS_NDWIN};
	const struct ssd_node *doc;

	ssd_put_le(bytes + 2, 2, NVME_NVMSET_PL_EVENT_DTWIN_WRITE_WARN | NVME_NVMSET_PL_EVENT_DTWIN_EXCURSION);
	doc = decode(&ssd_page_latency, bytes, LOG_LEN);
	ck_assert_str_eq(ssd_get_str(doc, "window.name", ""), "non-deterministic (NDWIN)");
	ck_assert_int_eq(ssd_get_int(doc, "events.reads", -1), 0);
	ck_assert_int_eq(ssd_get_int(doc, "events.writes", -1), 1);
	ck_assert_int_eq(ssd_get_int(doc, "events.excursion", -1), 1);
	ck_assert_int_eq(ssd_get_int(doc, "events.exceeded", -1), 0);
}
END_TEST

#define RESULT(m, k) AT(nvme_st_result, m, k, 1)
static const struct number result[] = {
	RESULT(seg, "segment"),      RESULT(vdi, "valid"),      RESULT(poh, "power_on_hours"), RESULT(nsid, "nsid"),
	RESULT(flba, "failing_lba"), RESULT(sc, "status_code"), RESULT(vs, "vendor_specific"),
};

/* Three results: all diagnostic information valid, none, an unused entry between them. */
START_TEST(test_self_test)
{
	uint8_t bytes[564];
	uint8_t *first = bytes + offsetof(struct nvme_self_test_log, result);
	const struct ssd_node *doc, *r;

	fill(bytes, sizeof(bytes));
	bytes[0] = NVME_ST_CURR_OP_EXTENDED;
	bytes[1] = 0x80 | 37;
	for (unsigned i = 0; i < 20; i++)
		first[i * 28] = NVME_ST_RESULT_NOT_USED;
	first[0] = NVME_ST_RESULT_KNOWN_SEG_FAIL | NVME_ST_CODE_SHORT << NVME_ST_CODE_SHIFT;
	first[2] = NVME_ST_VALID_DIAG_INFO_NSID | NVME_ST_VALID_DIAG_INFO_FLBA | NVME_ST_VALID_DIAG_INFO_SCT |
		   NVME_ST_VALID_DIAG_INFO_SC;
	first[24] = 2;
	first[56] = NVME_ST_RESULT_NO_ERR | NVME_ST_CODE_EXTENDED << NVME_ST_CODE_SHIFT;
	first[58] = 0;
	doc = decode(&ssd_page_self_test, bytes, sizeof(bytes));
	ck_assert_str_eq(ssd_get_str(doc, "current_operation.name", ""), "extended");
	ck_assert_int_eq(ssd_get_int(doc, "completion_percent", -1), 37);
	r = ssd_get(doc, "results")->child;
	check_members(r, first, ROWS(result));
	ck_assert_str_eq(ssd_get_str(r, "type.name", ""), "short");
	ck_assert_str_eq(ssd_get_str(r, "result.name", ""), "failed in a segment");
	ck_assert_int_eq(ssd_get_int(r, "status_code_type", -1), 2);
	r = r->next;
	ck_assert_int_eq(ssd_get_int(r, "entry", -1), 2);
	ck_assert_str_eq(ssd_get_str(r, "type.name", ""), "extended");
	ck_assert_int_eq(ssd_get_int(r, "result.value", -1), 0);
	ck_assert_ptr_null(ssd_get(r, "segment"));
	ck_assert_ptr_null(ssd_get(r, "nsid"));
	ck_assert_ptr_null(ssd_get(r, "failing_lba"));
	ck_assert_ptr_null(ssd_get(r, "status_code_type"));
	ck_assert_ptr_null(ssd_get(r, "status_code"));
	ck_assert_ptr_null(r->next);
	bytes[0] = 0;
	ck_assert_ptr_null(ssd_get(decode(&ssd_page_self_test, bytes, sizeof(bytes)), "completion_percent"));
}
END_TEST

START_TEST(test_effects)
{
	uint8_t bytes[4096] = {0};
	const struct ssd_node *doc, *c;

	ssd_put_le(bytes + 4 * 0x80, 4,
		   NVME_CMD_EFFECTS_CSUPP | NVME_CMD_EFFECTS_LBCC | NVME_CMD_EFFECTS_NCC | 2 << 16 |
			   NVME_CMD_EFFECTS_UUID_SEL);
	ssd_put_le(bytes + offsetof(struct nvme_cmd_effects_log, iocs) + 4 * 1, 4,
		   NVME_CMD_EFFECTS_CSUPP | NVME_CMD_EFFECTS_LBCC);
	doc = decode(&ssd_page_effects, bytes, 4096);
	c = ssd_get(doc, "admin")->child;
	ck_assert_int_eq(ssd_get_int(c, "opcode", -1), 0x80);
	ck_assert_str_eq(ssd_get_str(c, "name", ""), "Format NVM");
	ck_assert_int_eq(ssd_get_int(c, "effects.csupp", -1), 1);
	ck_assert_int_eq(ssd_get_int(c, "effects.lbcc", -1), 1);
	ck_assert_int_eq(ssd_get_int(c, "effects.ncc", -1), 1);
	ck_assert_int_eq(ssd_get_int(c, "effects.nic", -1), 0);
	ck_assert_int_eq(ssd_get_int(c, "effects.ccc", -1), 0);
	ck_assert_str_eq(ssd_get_str(c, "effects.cse.name", ""), "one for the controller");
	ck_assert_int_eq(ssd_get_int(c, "effects.uuid_selection", -1), 1);
	ck_assert_ptr_null(c->next);
	c = ssd_get(doc, "io")->child;
	ck_assert_int_eq(ssd_get_int(c, "opcode", -1), 1);
	ck_assert_str_eq(ssd_get_str(c, "name", ""), "Write");
	ck_assert_ptr_null(c->next);
}
END_TEST

START_TEST(test_feature_effects)
{
	uint8_t bytes[sizeof(struct nvme_fid_supported_effects_log)] = {0};
	const struct ssd_node *doc, *f;

	ssd_put_le(bytes + offsetof(struct nvme_fid_supported_effects_log, fid_support[NVME_FEAT_FID_TEMP_THRESH]), 4,
		   NVME_FID_SUPPORTED_EFFECTS_FSUPP | (uint32_t)NVME_FID_SUPPORTED_EFFECTS_SCOPE_CTRL
							      << NVME_FID_SUPPORTED_EFFECTS_SCOPE_SHIFT);
	ssd_put_le(bytes + offsetof(struct nvme_fid_supported_effects_log, fid_support[0xc1]), 4,
		   NVME_FID_SUPPORTED_EFFECTS_FSUPP | NVME_FID_SUPPORTED_EFFECTS_UDCC | NVME_FID_SUPPORTED_EFFECTS_NCC |
			   NVME_FID_SUPPORTED_EFFECTS_UUID_SEL |
			   (uint32_t)(NVME_FID_SUPPORTED_EFFECTS_SCOPE_NS | NVME_FID_SUPPORTED_EFFECTS_SCOPE_NSS)
				   << NVME_FID_SUPPORTED_EFFECTS_SCOPE_SHIFT);
	ck_assert_uint_eq(sizeof(bytes), ssd_page_feature_effects.size);
	doc = decode(&ssd_page_feature_effects, bytes, sizeof(bytes));
	f = ssd_get(doc, "features")->child;
	ck_assert_int_eq(ssd_get_int(f, "fid", -1), 4);
	ck_assert_str_eq(ssd_get_str(f, "name", ""), "Temperature Threshold");
	ck_assert_int_eq(ssd_get_int(f, "effects.fsupp", -1), 1);
	ck_assert_int_eq(ssd_get_int(f, "effects.udcc", -1), 0);
	ck_assert_int_eq(ssd_get_int(f, "effects.uuid_selection", -1), 0);
	ck_assert_int_eq(ssd_get_int(f, "effects.scope_controller", -1), 1);
	ck_assert_int_eq(ssd_get_int(f, "effects.scope_namespace", -1), 0);
	f = f->next;
	ck_assert_int_eq(ssd_get_int(f, "fid", -1), 0xc1);
	ck_assert_ptr_null(ssd_get_str(f, "name", NULL));
	ck_assert_int_eq(ssd_get_int(f, "effects.udcc", -1), 1);
	ck_assert_int_eq(ssd_get_int(f, "effects.ncc", -1), 1);
	ck_assert_int_eq(ssd_get_int(f, "effects.nic", -1), 0);
	ck_assert_int_eq(ssd_get_int(f, "effects.ccc", -1), 0);
	ck_assert_int_eq(ssd_get_int(f, "effects.uuid_selection", -1), 1);
	ck_assert_int_eq(ssd_get_int(f, "effects.scope_namespace", -1), 1);
	ck_assert_int_eq(ssd_get_int(f, "effects.scope_controller", -1), 0);
	ck_assert_int_eq(ssd_get_int(f, "effects.scope_subsystem", -1), 1);
	ck_assert_ptr_null(f->next);
	/* Half a dword says nothing. */
	ck_assert_ptr_null(ssd_get(decode(&ssd_page_feature_effects, bytes, 4 * 4 + 2), "features")->child);
}
END_TEST

static void check_numbers(const struct ssd_node *list, const unsigned *want, size_t n)
{
	const struct ssd_node *c = list->child;

	for (size_t i = 0; i < n; i++, c = c->next) {
		ck_assert_msg(c != NULL, "%zu numbers", i);
		ck_assert_uint_eq(c->u, want[i]);
	}
	ck_assert_ptr_null(c);
}

START_TEST(test_lists_of_identifiers)
{
	static const unsigned groups[] = {1, 0x0102, 3}, nsids[] = {4, 7};
	uint8_t bytes[4096] = {[0] = 3, [8] = 1, [10] = 2, [11] = 1, [12] = 3, [14] = 9};
	const struct ssd_node *doc;

	check_numbers(ssd_get(decode(&ssd_page_endurance_group_events, bytes, 64), "endurance_groups"), groups, 3);
	check_numbers(ssd_get(decode(&ssd_page_latency_events, bytes, 64), "nvm_sets"), groups, 3);
	ck_assert_uint_eq(ssd_page_latency_events.total(bytes), 8 + 3 * 2);
	memset(bytes, 0xff, 8);
	ck_assert_uint_eq(ssd_page_latency_events.total(bytes), 8 + 65535 * 2);
	memset(bytes, 0, sizeof(bytes));
	bytes[0] = 4, bytes[4] = 7;
	doc = decode(&ssd_page_changed_ns, bytes, 4096);
	check_numbers(ssd_get(doc, "nsids"), nsids, 2);
	ck_assert_int_eq(ssd_get_int(doc, "too_many", -1), 0);
	memset(bytes, 0xff, 4);
	doc = decode(&ssd_page_changed_ns, bytes, 4096);
	ck_assert_ptr_null(ssd_get(doc, "nsids")->child);
	ck_assert_int_eq(ssd_get_int(doc, "too_many", -1), 1);
}
END_TEST

CHECK_MAIN("log tables", test_flat, test_endurance_group, test_telemetry, test_sanitize, test_latency, test_self_test,
	   test_effects, test_feature_effects, test_lists_of_identifiers)
