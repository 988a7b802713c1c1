/* SPDX-License-Identifier: MIT */
/*
 * Identify Controller and Namespace with values worked out by hand, and with those that drives have been reported to send
 * (bug corpus 7, 8, 9, 10, 11, 13, 59, 71).
 */
#include "check.h"
#include "page_image.h"

/* Numbers inside registers, worked out by hand. */
START_TEST(test_registers)
{
	uint8_t bytes[ID_LEN] = {[254] = 0x85, [260] = 0x17, [312] = 0x0b, [314] = 3, [315] = 4, [331] = 0x80,
				 [512] = 0x66, [513] = 0x44, [525] = 0x07, [536] = 2, [537] = 9};
	const struct ssd_node *doc = decode(&ssd_page_id_ctrl, bytes, ID_LEN);
	uint8_t ns[ID_LEN] = {[29] = 0x0a, [32] = 0xe3, [33] = 0x1a};

	ck_assert_int_eq(ssd_get_int(doc, "vwci.remaining", -1), 5);
	ck_assert_int_eq(ssd_get_int(doc, "frmw.slot1_read_only", -1), 1);
	ck_assert_int_eq(ssd_get_int(doc, "frmw.slots", -1), 3);
	ck_assert_int_eq(ssd_get_int(doc, "frmw.activation_without_reset", -1), 1);
	ck_assert_int_eq(ssd_get_int(doc, "rpmbs.units", -1), 3);
	ck_assert_int_eq(ssd_get_int(doc, "rpmbs.authentication_method", -1), 1);
	ck_assert_int_eq(ssd_get_int(doc, "rpmbs.total_size", -1), 3);
	ck_assert_int_eq(ssd_get_int(doc, "rpmbs.access_size", -1), 4);
	ck_assert_str_eq(ssd_get_str(doc, "sanicap.nodmmas.name", ""), "media modified afterwards");
	ck_assert_int_eq(ssd_get_int(doc, "sqes.required", -1), 6);
	ck_assert_int_eq(ssd_get_int(doc, "cqes.maximum", -1), 4);
	ck_assert_int_eq(ssd_get_int(doc, "vwc.flush.value", -1), 3);
	ck_assert_str_eq(ssd_get_str(doc, "sgls.support.name", ""), "supported, dword aligned");
	ck_assert_int_eq(ssd_get_int(doc, "sgls.descriptor_threshold", -1), 9);
	doc = decode(&ssd_page_id_ns, ns, ID_LEN);
	ck_assert_int_eq(ssd_get_int(doc, "dps.type", -1), 2);
	ck_assert_int_eq(ssd_get_int(doc, "dps.first", -1), 1);
	ck_assert_int_eq(ssd_get_int(doc, "fpi.remaining_percent", -1), 99);
	ck_assert_str_eq(ssd_get_str(doc, "dlfeat.read_behavior.name", ""), "all bytes FFh");
}
END_TEST

/* What the specification calls not reported is null in a page of zeros, and only that. */
START_TEST(test_not_reported)
{
	static const char *const nulls[] = {"sn",
					    "mn",
					    "fr",
					    "ieee",
					    "ver",
					    "rtd3r_us",
					    "rtd3e_us",
					    "cntrltype",
					    "fguid",
					    "wctemp_celsius",
					    "cctemp_celsius",
					    "mtfa_ms",
					    "tnvmcap_bytes",
					    "unvmcap_bytes",
					    "edstt_minutes",
					    "fwug_bytes",
					    "kas_ms",
					    "mntmt_celsius",
					    "mxtmt_celsius",
					    "hmminds_bytes",
					    "hmmaxd",
					    "anatt_seconds",
					    "pels_bytes",
					    "domainid",
					    "megcap_bytes",
					    "maxcmd",
					    "subnqn",
					    "dctype"};
	static const uint8_t zeros[ID_LEN];
	const struct ssd_node *doc = decode(&ssd_page_id_ctrl, zeros, ID_LEN);

	for (const struct ssd_node *m = doc->child; m; m = m->next) {
		bool expected = false;

		for (size_t i = 0; i < ARRAY_SIZE(nulls); i++)
			expected = expected || !strcmp(nulls[i], m->field->key);
		ck_assert_msg(m->null == expected, "%s", m->field->key);
	}
	ck_assert_int_eq(ssd_get_int(doc, "fwug", -1), 0);
}
END_TEST

START_TEST(test_firmware_granularity)
{
	uint8_t bytes[ID_LEN] = {[319] = 255};
	const struct ssd_node *doc = decode(&ssd_page_id_ctrl, bytes, ID_LEN);

	ck_assert_int_eq(ssd_get_int(doc, "fwug", -1), 255);
	ck_assert_ptr_null(ssd_get(doc, "fwug_bytes"));
	bytes[319] = 2;
	ck_assert_int_eq(ssd_get_int(decode(&ssd_page_id_ctrl, bytes, ID_LEN), "fwug_bytes", -1), 8192);
}
END_TEST

/* Bug corpus 7, 8, 9: NULs, blanks on either side, eight bytes without an end, bytes that are not text. */
START_TEST(test_strings)
{
	uint8_t bytes[ID_LEN] = {0};
	const struct ssd_node *doc;

	memset(bytes + 4, 'x', 1800);
	put_text(bytes + 4, "    PHMD123456789   ");
	memset(bytes + 24, 0, 40);
	put_text(bytes + 24, "INTEL \"X\\\" 1,2|3;4'\xff\x01");
	put_text(bytes + 64, "8DV10131");
	put_text(bytes + 768, "nqn.2014-08.org.nvmexpress:uuid:1");
	bytes[768 + 33] = 0; /* and rubbish behind it */
	doc = decode(&ssd_page_id_ctrl, bytes, ID_LEN);
	ck_assert_str_eq(ssd_get_str(doc, "sn", ""), "PHMD123456789");
	ck_assert_str_eq(ssd_get_str(doc, "mn", ""), "INTEL \"X\\\" 1,2|3;4'\\xFF\\x01");
	ck_assert_str_eq(ssd_get_str(doc, "fr", ""), "8DV10131");
	ck_assert_str_eq(ssd_get_str(doc, "subnqn", ""), "nqn.2014-08.org.nvmexpress:uuid:1");
	memset(bytes + 4, ' ', 20);
	ck_assert_ptr_null(ssd_get(decode(&ssd_page_id_ctrl, bytes, ID_LEN), "sn"));
	memset(bytes + 768, 'n', 256);
	ck_assert_uint_eq(strlen(ssd_get_str(decode(&ssd_page_id_ctrl, bytes, ID_LEN), "subnqn", "")), 256);
}
END_TEST

/* IEEE is little-endian and printed as an OUI is written; 5CD2E4h is Intel's. */
START_TEST(test_identifiers_and_version)
{
	uint8_t bytes[ID_LEN] = {
		[73] = 0xe4, [74] = 0xd2, [75] = 0x5c, [80] = 1, [81] = 3, [82] = 1, [111] = 1, [112] = 0x0a};
	const struct ssd_node *doc = decode(&ssd_page_id_ctrl, bytes, ID_LEN);

	ck_assert_str_eq(ssd_get_str(doc, "ieee", ""), "5cd2e4");
	ck_assert_str_eq(ssd_get_str(doc, "ver", ""), "1.3.1");
	ck_assert_str_eq(ssd_get_str(doc, "cntrltype.name", ""), "I/O controller");
	ck_assert_str_eq(ssd_get_str(doc, "fguid", ""), "0a000000000000000000000000000000");
}
END_TEST

/* WCTEMP 70 C and CCTEMP 80 C, as a P4600 reports them. */
START_TEST(test_thresholds)
{
	uint8_t bytes[ID_LEN] = {0};
	const struct ssd_node *doc;

	ssd_put_le(bytes + 266, 2, 343);
	ssd_put_le(bytes + 268, 2, 353);
	doc = decode(&ssd_page_id_ctrl, bytes, ID_LEN);
	ck_assert_int_eq(ssd_get_int(doc, "wctemp_celsius", -1), 70);
	ck_assert_int_eq(ssd_get_int(doc, "cctemp_celsius", -1), 80);
}
END_TEST

START_TEST(test_capacities)
{
	uint8_t bytes[ID_LEN] = {0};
	const struct ssd_node *doc;

	ssd_put_le(bytes + 280, 8, UINT64_C(4000787030016));
	doc = decode(&ssd_page_id_ctrl, bytes, ID_LEN);
	ck_assert_int_eq(ssd_get_int(doc, "tnvmcap_bytes", -1), INT64_C(4000787030016));
	ck_assert_int_eq(ssd_get_int(doc, "unvmcap_bytes", -1), 0);
	memset(bytes + 280, 0xff, 16);
	check_wide(&ssd_page_id_ctrl, bytes, ID_LEN, "tnvmcap_bytes", "9223372036854775807",
		   "340282366920938463463374607431768211455");
}
END_TEST

static double watts(const struct ssd_node *state, const char *key)
{
	const struct ssd_node *n = ssd_get(state, key);

	return n ? n->real : -1;
}

/* Two power states: 25 W in 0.01 W; 0.004 W in 0.0001 W, non-operational. */
START_TEST(test_power_states)
{
	uint8_t bytes[ID_LEN] = {[263] = 1};
	uint8_t *p = bytes + 2048;
	const struct ssd_node *list, *state;

	ssd_put_le(p, 2, 2500);
	ssd_put_le(p + 4, 4, 100);
	ssd_put_le(p + 20, 2, 1234);
	p[22] = 2 << 6 | 2;
	p += 32;
	ssd_put_le(p, 2, 40);
	p[3] = 3;
	ssd_put_le(p + 8, 4, 7000000);
	p[12] = 1, p[13] = 2, p[14] = 3, p[15] = 4;
	ssd_put_le(p + 16, 2, 50);
	p[18] = 1 << 6;
	list = ssd_get(decode(&ssd_page_id_ctrl, bytes, ID_LEN), "psd");
	state = list->child;
	ck_assert_int_eq(ssd_get_int(state, "state", -1), 0);
	ck_assert_double_eq(watts(state, "max_power_watts"), 25.0);
	ck_assert_int_eq(ssd_get_int(state, "entry_latency_us", -1), 100);
	ck_assert_ptr_null(ssd_get(state, "exit_latency_us"));
	ck_assert_ptr_null(ssd_get(state, "idle_power_watts"));
	ck_assert_double_eq(watts(state, "active_power_watts"), 12.34);
	ck_assert_int_eq(ssd_get_int(state, "active_power_workload", -1), 2);
	state = state->next;
	ck_assert_double_eq(watts(state, "max_power_watts"), 0.004);
	ck_assert_int_eq(ssd_get_int(state, "flags.non_operational", -1), 1);
	ck_assert_int_eq(ssd_get_int(state, "exit_latency_us", -1), 7000000);
	ck_assert_int_eq(ssd_get_int(state, "relative_read_throughput", -1), 1);
	ck_assert_int_eq(ssd_get_int(state, "relative_read_latency", -1), 2);
	ck_assert_int_eq(ssd_get_int(state, "relative_write_throughput", -1), 3);
	ck_assert_int_eq(ssd_get_int(state, "relative_write_latency", -1), 4);
	ck_assert_double_eq(watts(state, "idle_power_watts"), 0.005);
	ck_assert_ptr_null(state->next);
	/* An absurd NPSS ends with the 32 descriptors that there are. */
	bytes[263] = 255;
	list = ssd_get(decode(&ssd_page_id_ctrl, bytes, ID_LEN), "psd");
	ck_assert_int_eq(ssd_get_int(list->last, "state", -1), 31);
	ck_assert_ptr_null(ssd_get(decode(&ssd_page_id_ctrl, bytes, 2048), "psd"));
}
END_TEST

static void put_lbaf(uint8_t *bytes, unsigned i, unsigned metadata, unsigned lbads, unsigned performance)
{
	ssd_put_le(bytes + 128 + (size_t)i * 4, 2, metadata);
	bytes[128 + i * 4 + 2] = (uint8_t)lbads;
	bytes[128 + i * 4 + 3] = (uint8_t)performance;
}

/* The formats of a 1.2 TB Intel drive (tests/data/vectors/intel_1200gb_smartctl_lbaf.txt); bug corpus 59: the last is there. */
/* NVM Command Set Specification 1.0c, figure 97, NSFEAT: without bit 1 (NSABP) and bit 4 (OPTPERF) the fields are not defined. */
START_TEST(test_fields_by_nsfeat)
{
	static const struct {
		const char *key;
		unsigned off, bit;
	} rows[] = {{"nawun", 34, 1}, {"nawupf", 36, 1}, {"nacwu", 38, 1}, {"npwg", 64, 4},
		    {"npwa", 66, 4},  {"npdg", 68, 4},   {"npda", 70, 4},  {"nows", 72, 4}};
	uint8_t bytes[4096] = {0};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		bytes[rows[i].off] = (uint8_t)(7 + i);
	for (unsigned nsfeat = 0; nsfeat < 32; nsfeat++) {
		bytes[24] = (uint8_t)nsfeat;
		for (size_t len = 80; len <= 4096; len += 4016) {
			const struct ssd_node *doc = decode(&ssd_page_id_ns, bytes, len);

			for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
				ck_assert_int_eq(ssd_get_int(doc, rows[i].key, -1),
						 nsfeat >> rows[i].bit & 1 ? 7 + (int)i : -1);
		}
	}
}
END_TEST

START_TEST(test_lba_formats)
{
	static const struct {
		unsigned data, metadata, performance;
	} rows[] = {{512, 0, 2}, {512, 8, 2}, {512, 16, 2}, {4096, 0, 0}, {4096, 8, 0}, {4096, 64, 0}, {4096, 128, 0}};
	uint8_t bytes[ID_LEN] = {[25] = 6, [26] = 3};
	const struct ssd_node *doc, *item;

	ssd_put_le(bytes, 8, 293028246);
	ssd_put_le(bytes + 8, 8, 293028246);
	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++)
		put_lbaf(bytes, i, rows[i].metadata, rows[i].data == 512 ? 9 : 12, rows[i].performance);
	put_lbaf(bytes, 7, 0, 12, 0); /* beyond NLBAF */
	doc = decode(&ssd_page_id_ns, bytes, ID_LEN);
	item = ssd_get(doc, "lbaf")->child;
	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++, item = item->next) {
		ck_assert_ptr_nonnull(item);
		ck_assert_int_eq(ssd_get_int(item, "index", -1), i);
		ck_assert_int_eq(ssd_get_int(item, "data_bytes", -1), rows[i].data);
		ck_assert_int_eq(ssd_get_int(item, "metadata_bytes", -1), rows[i].metadata);
		ck_assert_int_eq(ssd_get_int(item, "relative_performance.value", -1), rows[i].performance);
		ck_assert_int_eq(ssd_get_int(item, "in_use", -1), i == 3);
	}
	ck_assert_ptr_null(item);
	ck_assert_int_eq(ssd_get_int(doc, "lba_format", -1), 3);
	ck_assert_int_eq(ssd_get_int(doc, "block_bytes", -1), 4096);
	ck_assert_int_eq(ssd_get_int(doc, "metadata_bytes", -1), 0);
	/* 1200243695616 bytes, as its smartctl output says. */
	ck_assert_int_eq(ssd_get_int(doc, "size_bytes", -1), INT64_C(1200243695616));
	ck_assert_int_eq(ssd_get_int(doc, "capacity_bytes", -1), INT64_C(1200243695616));
}
END_TEST

/* NVMe 2.0: with more than 16 formats bits 6:5 of FLBAS count, with fewer they do not. */
START_TEST(test_more_than_16_formats)
{
	uint8_t bytes[ID_LEN] = {[25] = 19, [26] = 0x21};

	put_lbaf(bytes, 1, 8, 9, 0);
	put_lbaf(bytes, 17, 0, 12, 0);
	ck_assert_int_eq(ssd_get_int(decode(&ssd_page_id_ns, bytes, ID_LEN), "lba_format", -1), 17);
	ck_assert_int_eq(ssd_get_int(decode(&ssd_page_id_ns, bytes, ID_LEN), "block_bytes", -1), 4096);
	bytes[25] = 15;
	ck_assert_int_eq(ssd_get_int(decode(&ssd_page_id_ns, bytes, ID_LEN), "lba_format", -1), 1);
	ck_assert_int_eq(ssd_get_int(decode(&ssd_page_id_ns, bytes, ID_LEN), "metadata_bytes", -1), 8);
	bytes[82] = 4; /* unique formats come after the others */
	ck_assert_int_eq(ssd_get_int(decode(&ssd_page_id_ns, bytes, ID_LEN), "lba_format", -1), 17);
}
END_TEST

/* Bug corpus 11: 2^40 blocks of 4096 bytes; a product beyond 64 bits is clamped. A format that is not there: null. */
START_TEST(test_namespace_size)
{
	uint8_t bytes[ID_LEN] = {0};
	const struct ssd_node *doc;

	put_lbaf(bytes, 0, 0, 12, 0);
	ssd_put_le(bytes, 8, UINT64_C(1) << 40);
	doc = decode(&ssd_page_id_ns, bytes, ID_LEN);
	ck_assert_int_eq(ssd_get_int(doc, "size_bytes", -1), INT64_C(4503599627370496));
	ssd_put_le(bytes, 8, UINT64_MAX);
	ck_assert_int_eq(ssd_get_int(decode(&ssd_page_id_ns, bytes, ID_LEN), "size_bytes", -1), INT64_MAX);
	for (unsigned lbads = 0; lbads < 256; lbads++) {
		put_lbaf(bytes, 0, 0, lbads, 0);
		doc = decode(&ssd_page_id_ns, bytes, ID_LEN);
		if (lbads >= 9 && lbads < 63)
			ck_assert_int_eq(ssd_get_int(doc, "block_bytes", -1), (int64_t)1 << lbads);
		else
			ck_assert_ptr_null(ssd_get(doc, "block_bytes"));
		ck_assert_int_eq(!ssd_get(doc, "size_bytes"), !ssd_get(doc, "block_bytes"));
	}
	ck_assert_ptr_null(ssd_get(decode(&ssd_page_id_ns, bytes, 131), "size_bytes"));
	ck_assert_ptr_null(ssd_get(decode(&ssd_page_id_ns, bytes, 128), "lbaf"));
}
END_TEST

/* Bug corpus 13: utilization in bytes only with thin provisioning; 71: no identifier of zeros. */
START_TEST(test_utilization_and_identifiers)
{
	uint8_t bytes[ID_LEN] = {[120] = 0x5c, [121] = 0xd2, [122] = 0xe4, [127] = 1};
	const struct ssd_node *doc;

	put_lbaf(bytes, 0, 0, 9, 0);
	bytes[16] = 100;
	doc = decode(&ssd_page_id_ns, bytes, ID_LEN);
	ck_assert_int_eq(ssd_get_int(doc, "nuse", -1), 100);
	ck_assert_ptr_null(ssd_get(doc, "utilization_bytes"));
	ck_assert_ptr_null(ssd_get(doc, "nguid"));
	ck_assert_str_eq(ssd_get_str(doc, "eui64", ""), "5cd2e40000000001");
	bytes[24] = 1;
	bytes[120] = bytes[121] = bytes[122] = bytes[127] = 0;
	bytes[104] = 0xab;
	doc = decode(&ssd_page_id_ns, bytes, ID_LEN);
	ck_assert_int_eq(ssd_get_int(doc, "utilization_bytes", -1), 51200);
	ck_assert_str_eq(ssd_get_str(doc, "nguid", ""), "ab000000000000000000000000000000");
	ck_assert_ptr_null(ssd_get(doc, "eui64"));
}
END_TEST

CHECK_MAIN("identify pages", test_registers, test_not_reported, test_firmware_granularity, test_strings,
	   test_identifiers_and_version, test_thresholds, test_capacities, test_power_states, test_fields_by_nsfeat,
	   test_lba_formats, test_more_than_16_formats, test_namespace_size, test_utilization_and_identifiers)
