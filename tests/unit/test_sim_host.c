/* SPDX-License-Identifier: MIT */
/* Host directories: names of page files, host.json, models, copies. Expected bytes are by offset, from the documents. */
#include "sim_dir.h"

#include "sim/host.h"

static struct ssd_transport *open_n(const char *host, unsigned n)
{
	AUTO_FREE char *name = ssd_asprintf("nvme%u", n);
	struct ssd_err err = SSD_ERR_INIT;
	struct ssd_transport *t = ssd_sim_open(host, name, true, &err);

	ck_assert_msg(t != NULL, "%s", err.message);
	return t;
}

/* HOST/host: a new host directory with one drive of each of these models. */
static char *host_of(const char *base, const char *const *models, size_t n)
{
	char *host = ssd_asprintf("%s/host", base);
	struct sim_order orders[16];
	struct ssd_err err = SSD_ERR_INIT;

	for (size_t i = 0; i < n; i++) {
		orders[i] = (struct sim_order){sim_model_find(models[i]), 1};
		ck_assert_ptr_nonnull(orders[i].model);
	}
	ck_assert_msg(!sim_host_create(host, orders, n, &err), "%s", err.message);
	return host;
}

START_TEST(file_names)
{
	static const struct {
		const char *name;
		enum host_file_kind kind;
		uint8_t id;
		int64_t nsid, cntid, csi, lsi, uuid;
		const char *canonical;
		int64_t core, nlog; /* of dumps */
	} names[] = {
		{"id-ctrl.bin", HOST_FILE_IDENTIFY, 1, -1, -1, -1, -1, -1, "id-ctrl.bin"},
		{"id-ns-12.bin", HOST_FILE_IDENTIFY, 0, 12, -1, -1, -1, -1, "id-ns-12.bin"},
		{"identify-1C-n2-c65535-i3.bin", HOST_FILE_IDENTIFY, 0x1c, 2, 65535, 3, -1, -1,
		 "identify-1c-n2-c65535-i3.bin"},
		{"log-0xca.bin", HOST_FILE_LOG, 0xca, -1, -1, -1, -1, -1, "log-ca.bin"},
		{"log-05-u1-n0xffffffff.bin", HOST_FILE_LOG, 5, 0xffffffff, -1, -1, -1, 1, "log-05-n4294967295-u1.bin"},
		{"log-9-s010.bin", HOST_FILE_LOG, 9, -1, -1, -1, 10, -1, "log-09-s10.bin"},
		{"feature-f7.bin", HOST_FILE_FEATURE, 0xf7, -1, -1, -1, -1, -1, "feature-f7.bin"},
		{"dump-2.bin", HOST_FILE_DUMP, 2, -1, -1, -1, -1, -1, "dump-02.bin", -1, -1},
		{"dump-00-n255-c3.bin", HOST_FILE_DUMP, 0, -1, -1, -1, -1, -1, "dump-00-c3-n255.bin", 3, 255},
	};
	static const char *const others[] = {
		"drive.json",
		"state.json",
		"ns-1.img",
		"log-.bin",
		"log-100.bin",
		"log-02",
		"log-02.bin.x7Yd2q",
		"log-02-n.bin",
		"log-02-n1-n2.bin",
		"log-02-x1.bin",
		"log-02-n4294967296.bin",
		"id-ns-.bin",
		"id-ns-x.bin",
		"identify.bin",
		"",
	};
	struct host_file f;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		AUTO_FREE char *canonical = NULL;

		ck_assert_msg(host_file_parse(names[i].name, &f), "%s", names[i].name);
		ck_assert_int_eq(f.kind, names[i].kind);
		ck_assert_uint_eq(f.id, names[i].id);
		ck_assert_int_eq(f.q[HOST_FILE_NSID], names[i].nsid);
		ck_assert_int_eq(f.q[HOST_FILE_CNTID], names[i].cntid);
		ck_assert_int_eq(f.q[HOST_FILE_CSI], names[i].csi);
		ck_assert_int_eq(f.q[HOST_FILE_LSI], names[i].lsi);
		ck_assert_int_eq(f.q[HOST_FILE_UUID], names[i].uuid);
		if (f.kind == HOST_FILE_DUMP) {
			ck_assert_int_eq(f.q[HOST_FILE_CORE], names[i].core);
			ck_assert_int_eq(f.q[HOST_FILE_NLOG], names[i].nlog);
		}
		canonical = host_file_name(&f);
		ck_assert_str_eq(canonical, names[i].canonical);
	}
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		ck_assert_msg(!host_file_parse(others[i], &f), "%s", others[i]);
}
END_TEST

static int mode_of(const char *host, const char *host_json, bool *simulated, struct ssd_err *err)
{
	AUTO_FREE char *path = ssd_asprintf("%s/host.json", host);

	*err = (struct ssd_err)SSD_ERR_INIT;
	ck_assert_int_eq(ssd_replace_file(path, host_json, strlen(host_json), 0644), 0);
	return host_json_mode(host, simulated, err);
}

START_TEST(host_json)
{
	AUTO_DIR char *host = sim_dir_new();
	AUTO_FREE char *none = ssd_asprintf("%s/none", host);
	AUTO_FREE char *file = ssd_asprintf("%s/host.json", host);
	struct ssd_err err = SSD_ERR_INIT;
	bool simulated = true;

	ck_assert_int_eq(host_json_mode(host, &simulated, &err), 0);
	ck_assert(!simulated);
	ck_assert_int_eq(mode_of(host, "{\"format\": \"ssdct-host/1\", \"mode\": \"simulated\"}", &simulated, &err), 0);
	ck_assert(simulated);
	ck_assert_int_eq(mode_of(host, "{\"format\": \"ssdct-host/1\", \"mode\": \"recorded\"}", &simulated, &err), 0);
	ck_assert(!simulated);
	ck_assert_int_eq(mode_of(host, "{\"format\": \"ssdct-host/2\", \"mode\": \"simulated\"}", &simulated, &err),
			 -1);
	ck_assert_int_eq(err.code, SSD_ERR_BAD_INPUT);
	ck_assert_ptr_nonnull(strstr(err.message, "ssdct-host/2"));
	ck_assert_int_eq(mode_of(host, "{\"format\": \"ssdct-host/1\", \"mode\": \"real\"}", &simulated, &err), -1);
	ck_assert_int_eq(err.code, SSD_ERR_BAD_INPUT);
	ck_assert_int_eq(mode_of(host, "{\"format\":\n", &simulated, &err), -1);
	ck_assert_int_eq(err.code, SSD_ERR_BAD_INPUT);
	ck_assert_int_eq(host_json_mode(none, &simulated, &err), -1);
	ck_assert_int_eq(err.code, SSD_ERR_NOT_FOUND);
	ck_assert_str_ne(err.hint, "");
	ck_assert_int_eq(host_json_mode(file, &simulated, &err), -1);
	ck_assert_int_eq(err.code, SSD_ERR_NOT_FOUND);
}
END_TEST

START_TEST(missing_drive_json_is_empty)
{
	AUTO_DIR char *host = sim_dir_new();
	struct ssd_err err = SSD_ERR_INIT;
	AUTO_JSON json_t *json = drive_json_load(host, "nvme0", &err);

	ck_assert(json_is_object(json));
	ck_assert_uint_eq(json_object_size(json), 0);
}
END_TEST

/* isdct and smartctl captures of the drives; CAh and C5h as in intel's documents: 12-byte entries, Celsius. */
START_TEST(p3700_bytes)
{
	AUTO_DIR char *base = sim_dir_new();
	AUTO_FREE char *host = host_of(base, (const char *const[]){"p3700"}, 1);
	AUTO_SIM t = open_n(host, 0);
	struct sim_answer a;

	ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &a), 0);
	ck_assert_uint_eq(ssd_le16(a.data), 0x8086);
	ck_assert_mem_eq(a.data + 24, "INTEL SSDPEDMD020T4                     ", 40);
	ck_assert_mem_eq(a.data + 64, "8DV10131", 8);
	ck_assert_uint_eq((unsigned)ssd_le(a.data + 73, 3), 0x5cd2e4);
	ck_assert_uint_eq(a.data[77], 5);
	ck_assert_uint_eq(ssd_le32(a.data + 80), 0);
	ck_assert_uint_eq(ssd_le16(a.data + 256), 0x0006);
	ck_assert_uint_eq(a.data[260], 0x02);
	ck_assert_uint_eq(a.data[262], 63);
	ck_assert_uint_eq(ssd_le16(a.data + 520), 0x0006);
	ck_assert_mem_eq(a.data + 3072 + 28, "8B1B012E", 8);
	ck_assert_int_eq(sim_identify_cmd(t, 0, 1, &a), 0);
	ck_assert_uint_eq(ssd_le64(a.data) * 512, 2000398934016);
	ck_assert_uint_eq(a.data[25], 6);
	ck_assert_uint_eq(ssd_le32(a.data + 128 + 4 * 3), 12 << 16); /* format 3: 4096 bytes, no metadata, best */
	ck_assert_int_eq(sim_log(t, 3, 512, &a), 0);
	ck_assert_uint_eq(a.data[0], 1);
	ck_assert_mem_eq(a.data + 8, "8DV10131", 8);
	ck_assert_int_eq(sim_log(t, 0xc5, 112, &a), 0);
	ck_assert_uint_eq(ssd_le64(a.data), 38);
	ck_assert_uint_eq(ssd_le64(a.data + 80), 85);
	ck_assert_int_eq((int64_t)ssd_le64(a.data + 104), -5);
	ck_assert_int_eq(sim_log(t, 0xca, 512, &a), 0);
	ck_assert_uint_eq(a.data[24], 0xad); /* third entry: wear */
	ck_assert_uint_eq(ssd_le16(a.data + 24 + 5), 790);
	ck_assert_uint_eq(ssd_le16(a.data + 24 + 7), 812);
	ck_assert_uint_eq(ssd_le16(a.data + 24 + 9), 804);
	ck_assert_uint_eq(a.data[144], 0xf5); /* thirteenth and last */
	ck_assert(sim_all(a.data + 156, 512 - 156, 0));
	ck_assert_int_eq(sim_log(t, 0xc0, 512, &a), 0);
	ck_assert_uint_eq(ssd_le16(a.data + 404), 1); /* CAh */
	ck_assert_uint_eq(ssd_le16(a.data + 442), 1); /* DDh */
	ck_assert_int_eq(sim_log(t, 0xc1, 380, &a), 0);
	ck_assert_uint_eq(ssd_le16(a.data), 3);
	ck_assert_int_eq(sim_feature(t, 0xc1, 0, 0, 0, &a), 0);
	ck_assert_uint_eq(a.result, 3907029167);
	ck_assert_int_eq(sim_feature(t, 0x04, 0, 0, 0, &a), 0);
	ck_assert_uint_eq(a.result, 85 + 273);
}
END_TEST

/* A capture of the same firmware on a 1 TB drive: two slots, offsets, telemetry, 128 namespaces, 70 and 80 C. */
START_TEST(p4510_bytes)
{
	AUTO_DIR char *base = sim_dir_new();
	AUTO_FREE char *host = host_of(base, (const char *const[]){"p4510"}, 1);
	AUTO_SIM t = open_n(host, 0);
	struct sim_answer a;

	ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &a), 0);
	ck_assert_uint_eq(ssd_le32(a.data + 80), 0x10200);
	ck_assert_uint_eq(ssd_le16(a.data + 256), 0x000e);
	ck_assert_uint_eq(a.data[260], 0x14);
	ck_assert_uint_eq(a.data[261], 0x0e);
	ck_assert_uint_eq(ssd_le16(a.data + 266), 343);
	ck_assert_uint_eq(ssd_le16(a.data + 268), 353);
	ck_assert_uint_eq(ssd_le64(a.data + 280), 4000787030016);
	ck_assert_uint_eq(ssd_le32(a.data + 516), 128);
	ck_assert_uint_eq(a.data[524], 4);
	ck_assert_int_eq(sim_identify_cmd(t, 2, 0, &a), 0);
	ck_assert_uint_eq(ssd_le32(a.data), 1);
	ck_assert_int_eq(sim_identify_cmd(t, 0, 128, &a), 0);
	ck_assert_int_eq(sim_identify_cmd(t, 0, 129, &a), 0x400b);
	ck_assert_int_eq(sim_log(t, 5, 4096, &a), 0);
	ck_assert_uint_eq(ssd_le32(a.data + 4 * 0x02), 1);
	ck_assert_uint_eq(ssd_le32(a.data + 4 * 0x14), 0); /* no self-test */
	/* Last block of telemetry area 3, byte 12; the page is one header block longer. */
	ck_assert_int_eq(sim_log_at(t, 8, 0, 0, 512, &a), 0);
	ck_assert_uint_eq(ssd_le16(a.data + 12), 16);
	ck_assert_int_eq(sim_log_at(t, 8, 0, 16 * 512, 512, &a), 0);
	ck_assert(!sim_all(a.data, 512, 0));
	ck_assert_int_eq(sim_log_at(t, 8, 0, 17 * 512 + 4, 4, &a), 0x4002);
	ck_assert_int_eq(sim_log(t, 0xc1, 4868, &a), 0);
	ck_assert_uint_eq(ssd_le32(a.data), 0x00010004); /* version 4.1 */
	ck_assert_int_eq(sim_log(t, 0xc0, 512, &a), 0);
	ck_assert_uint_eq(ssd_le16(a.data + 2 * 0xc4), 1);
}
END_TEST

START_TEST(other_models)
{
	AUTO_DIR char *base = sim_dir_new();
	AUTO_FREE char *host = host_of(base, (const char *const[]){"oem-p4510", "p4800x", "nvme10", "generic"}, 4);
	struct sim_answer a;
	struct ssd_transport *t = open_n(host, 0);

	/* The OEM's drive says Intel, and Dell behind it, and refuses Intel's pages. */
	ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &a), 0);
	ck_assert_uint_eq(ssd_le32(a.data), 0x10288086);
	ck_assert_mem_eq(a.data + 24, "Dell Express Flash NVMe P4510 2TB SFF   ", 40);
	ck_assert_int_eq(sim_log(t, 0xca, 512, &a), 0x4109);
	ck_assert_int_eq(sim_log(t, 3, 512, &a), 0);
	ck_assert_uint_eq(a.data[0], 2);
	sim_close(&t);
	t = open_n(host, 1);
	ck_assert_int_eq(sim_log(t, 0xc1, 76, &a), 0);
	ck_assert_uint_eq(ssd_le16(a.data), 1000);
	ck_assert_uint_ne(ssd_le64(a.data + 12), 0);
	/* Handed out once: the second read finds the version and nothing counted. */
	ck_assert_int_eq(sim_log(t, 0xc1, 76, &a), 0);
	ck_assert_uint_eq(ssd_le16(a.data), 1000);
	ck_assert(sim_all(a.data + 4, 72, 0));
	ck_assert_int_eq(sim_send(t, (struct ssd_cmd){.opcode = 0x0a, .cdw10 = 0xf7, .data_len = 32}, &a), 0);
	ck_assert_uint_eq(ssd_le32(a.data + 4), 10);
	sim_close(&t);
	t = open_n(host, 2);
	ck_assert_int_eq(sim_identify_cmd(t, 2, 0, &a), 0x4002);
	ck_assert_int_eq(sim_log(t, 5, 4096, &a), 0x4109);
	ck_assert_int_eq(sim_log(t, 1, 64, &a), 0);
	sim_close(&t);
	t = open_n(host, 3);
	ck_assert_int_eq(sim_identify_cmd(t, 3, 1, &a), 0);
	ck_assert_uint_eq(a.data[0], 1); /* EUI64, 8 bytes, then NGUID, 16 bytes */
	ck_assert_uint_eq(a.data[1], 8);
	ck_assert_uint_eq(a.data[12], 2);
	ck_assert_uint_eq(a.data[13], 16);
	ck_assert_int_eq(sim_log(t, 6, 564, &a), 0);
	ck_assert_uint_eq(a.data[4], 0x10);      /* short, no error */
	ck_assert_uint_eq(a.data[4 + 28], 0x0f); /* not used */
	sim_close(&t);
}
END_TEST

/* isdct shows the two controllers of a P3608 as two drives, SERIAL-1 and SERIAL-2; one order makes both. */
START_TEST(cards_have_two_controllers)
{
	AUTO_DIR char *base = sim_dir_new();
	AUTO_FREE char *host = host_of(base, (const char *const[]){"p3700", "p3608", "p3608"}, 3);
	char serials[5][21] = {{0}};
	struct sim_answer a;

	for (unsigned i = 0; i < 5; i++) {
		AUTO_SIM t = open_n(host, i);

		ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &a), 0);
		memcpy(serials[i], a.data + 4, 20);
	}
	for (unsigned card = 0; card < 2; card++) {
		const char *one = serials[1 + 2 * card], *two = serials[2 + 2 * card];

		ck_assert_mem_eq(strchr(one, '-'), "-1", 2);
		ck_assert_mem_eq(strchr(two, '-'), "-2", 2);
		ck_assert_mem_eq(one, two, strcspn(one, "-"));
	}
	ck_assert_str_ne(serials[1], serials[3]);
}
END_TEST

/* Attributes in another order and with holes, as the layout allows; a histogram that was published (nvme-cli issue 806). */
START_TEST(p4610_bytes)
{
	AUTO_DIR char *base = sim_dir_new();
	AUTO_FREE char *host = host_of(base, (const char *const[]){"p4610"}, 1);
	AUTO_SIM t = open_n(host, 0);
	struct sim_answer a;

	ck_assert_int_eq(sim_log(t, 0xca, 512, &a), 0);
	ck_assert_uint_eq(a.data[0], 0xf5);
	ck_assert(sim_all(a.data + 12, 24, 0));
	ck_assert_uint_eq(a.data[36], 0x05);
	ck_assert_int_eq(sim_log(t, 0xc2, 4868, &a), 0);
	ck_assert_uint_eq(ssd_le32(a.data + 4 + 4 * 2), 27926401);
	ck_assert_uint_eq(ssd_le32(a.data + 4 + 4 * 5), 260592977);
	ck_assert_int_eq(sim_feature(t, 0xe2, 0, 0, 0, &a), 0);
	ck_assert_uint_eq(a.result, 1);
}
END_TEST

/* OCP's page where earlier drives have the directory; the pages that illumos knows of the P5520. */
START_TEST(p5520_bytes)
{
	AUTO_DIR char *base = sim_dir_new();
	AUTO_FREE char *host = host_of(base, (const char *const[]){"p5520"}, 1);
	AUTO_SIM t = open_n(host, 0);
	struct sim_answer a;

	ck_assert_int_eq(sim_log(t, 0xc0, 512, &a), 0);
	ck_assert_uint_eq(ssd_le64(a.data + 504), UINT64_C(0xafd514c97c6f4f9c));
	ck_assert_uint_eq(ssd_le64(a.data + 496), UINT64_C(0xa4f2bfea2810afc5));
	ck_assert_uint_eq(a.data[120], 100);
	ck_assert_int_eq(sim_log(t, 0xcb, 1024, &a), 0);
	ck_assert_uint_eq(ssd_le16(a.data + 2), 2);
	ck_assert_uint_eq(ssd_le16(a.data + 390 + 10), 1); /* second completion queue */
	ck_assert_int_eq(sim_log(t, 0xf2, 8, &a), 0);
	ck_assert_uint_eq(ssd_le32(a.data), 6420000);
	ck_assert_int_eq(sim_log(t, 0xfe, 64, &a), 0);
	ck_assert_uint_eq(ssd_le64(a.data + 8), 2);
	ck_assert_uint_eq(ssd_le32(a.data + 16 + 24 + 12), 22150);
	ck_assert_int_eq(sim_log(t, 0xfd, 1204, &a), 0);
	ck_assert_int_eq(sim_log(t, 0xf9, 4080, &a), 0);
}
END_TEST

static bool mandatory_feature_missing(struct ssd_transport *t, uint8_t fid)
{
	struct sim_answer a;

	return sim_feature(t, fid, 0, fid == 0x05 ? 1 : 0, 0, &a) != 0 && sim_feature(t, fid, 0, 0, 0, &a) != 0;
}

/* Every model has what its own Identify announces, and the pages and features that are mandatory (NVMe 1.0, 1.4). */
START_TEST(models_are_consistent)
{
	static const uint8_t fids[] = {0x01, 0x02, 0x04, 0x05, 0x07, 0x08, 0x09, 0x0a, 0x0b};

	for (const struct sim_model *const *m = sim_models; *m; m++) {
		AUTO_DIR char *base = sim_dir_new();
		AUTO_FREE char *host = host_of(base, &(*m)->name, 1);
		AUTO_SIM t = open_n(host, 0);
		struct sim_answer id, a;

		ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &id), 0);
		for (uint8_t lid = 1; lid <= 3; lid++)
			ck_assert_int_eq(sim_log(t, lid, 64, &a), 0);
		for (size_t i = 0; i < sizeof(fids); i++)
			ck_assert_msg(!mandatory_feature_missing(t, fids[i]), "%s: feature %02xh", (*m)->name, fids[i]);
		ck_assert_int_eq(sim_log(t, 5, 64, &a), id.data[261] & 2 ? 0 : 0x4109);
		ck_assert_int_eq(sim_log(t, 6, 64, &a), id.data[256] & 0x10 ? 0 : 0x4109);
		ck_assert_int_eq(sim_log(t, 7, 64, &a), id.data[261] & 8 ? 0 : 0x4109);
		ck_assert_int_eq(sim_log(t, 0x81, 64, &a), id.data[328] & 7 ? 0 : 0x4109);
		ck_assert_int_eq(sim_log(t, 3, 512, &a), 0);
		ck_assert_mem_eq(a.data + 8 * (a.data[0] & 7), id.data + 64, 8);
		/* The running slot is one there is. */
		ck_assert_uint_le(a.data[0] & 7, id.data[260] >> 1 & 7);
		ck_assert_int_eq(sim_identify_cmd(t, 0, 1, &a), 0);
		ck_assert_uint_eq(ssd_le64(a.data) * 512, sim_model_bytes(*m));
		if (ssd_le64(id.data + 280))
			ck_assert_uint_eq(ssd_le64(id.data + 280), sim_model_bytes(*m));
	}
}
END_TEST

/* Host writes of SMART (thousands of 512 bytes) and of CAh (F5h, 32 MiB) are the same bytes but for rounding. */
START_TEST(host_writes_agree)
{
	for (const struct sim_model *const *m = sim_models; *m; m++) {
		const struct sim_attr *attr = (*m)->intel ? (*m)->intel->attrs : NULL;

		for (; attr && attr->key; attr++) {
			double units = (double)attr->raw * 33554432 / 512000;

			if (attr->key == 0xf5)
				ck_assert_double_eq_tol(units, (double)(*m)->smart.units_written, 66);
		}
	}
}
END_TEST

START_TEST(serials_are_unique)
{
	AUTO_DIR char *base = sim_dir_new();
	AUTO_FREE char *host = ssd_asprintf("%s/host", base);
	struct sim_order order = {sim_model_find("p4510"), 12};
	char serials[12][21];
	struct sim_answer a;

	ck_assert_int_eq(sim_host_create(host, &order, 1, NULL), 0);
	for (unsigned i = 0; i < 12; i++) {
		AUTO_SIM t = open_n(host, i);

		ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &a), 0);
		memcpy(serials[i], a.data + 4, 20);
		serials[i][20] = '\0';
		ck_assert_uint_eq(strcspn(serials[i], " "), 18); /* PHLJ900100A14P0DGN is as long */
		for (unsigned k = 0; k < i; k++)
			ck_assert_str_ne(serials[i], serials[k]);
	}
}
END_TEST

START_TEST(create_refuses_what_exists)
{
	AUTO_DIR char *base = sim_dir_new();
	AUTO_FREE char *empty = ssd_asprintf("%s/empty", base);
	AUTO_FREE char *deep = ssd_asprintf("%s/no/such", base);
	struct sim_order order = {sim_model_find("nvme10"), 1};
	struct ssd_err err = SSD_ERR_INIT;

	ck_assert_int_eq(mkdir(empty, 0755), 0);
	ck_assert_int_eq(sim_host_create(empty, &order, 1, &err), 0);
	ck_assert_int_eq(sim_host_create(empty, &order, 1, &err), -1);
	ck_assert_int_eq(err.code, SSD_ERR_REFUSED);
	ck_assert_int_eq(sim_host_create(deep, &order, 1, &err), -1);
	ck_assert_int_eq(err.code, SSD_ERR_NOT_FOUND);
}
END_TEST

START_TEST(copy_of_a_recording)
{
	AUTO_DIR char *from = sim_dir_new();
	AUTO_DIR char *base = sim_dir_new();
	AUTO_FREE char *to = ssd_asprintf("%s/copy", base);
	AUTO_FREE char *link = ssd_asprintf("%s/nvme0/log-ca.bin", from);
	struct ssd_err err = SSD_ERR_INIT;
	bool simulated = false;
	struct sim_answer a;

	ck_assert_int_eq(sim_host_copy(to, from, &err), -1);
	ck_assert_int_eq(err.code, SSD_ERR_NOT_FOUND);
	sim_put_ctrl(from, (struct sim_ctrl){.nn = 1});
	sim_put(from, "log-02.bin", "0123456789abcdef", 16);
	sim_put_text(from, "drive.json", "{\"features\": {\"0x02\": 1}}");
	sim_put_text(from, "notes.txt", "not a page");
	ck_assert_int_eq(symlink("/etc/passwd", link), 0);
	ck_assert_msg(!sim_host_copy(to, from, &err), "%s", err.message);
	ck_assert_int_eq(host_json_mode(to, &simulated, &err), 0);
	ck_assert(simulated);
	{
		AUTO_SIM t = open_n(to, 0);

		ck_assert_int_eq(sim_log(t, 2, 16, &a), 0);
		ck_assert_mem_eq(a.data, "0123456789abcdef", 16);
		ck_assert_int_eq(sim_set(t, 0x02, false, 0, 5, &a), 0);
	}
	ck_assert(!sim_has(to, "log-ca.bin")); /* links are not followed */
	ck_assert(!sim_has(to, "notes.txt"));
	ck_assert(!sim_has(from, "state.json"));
	ck_assert_int_eq(sim_host_copy(to, from, &err), -1);
	ck_assert_int_eq(err.code, SSD_ERR_REFUSED);
}
END_TEST

/* Media of a simulated drive: sparse stays sparse, state goes with it. */
START_TEST(copy_of_a_simulation)
{
	AUTO_DIR char *base = sim_dir_new();
	AUTO_FREE char *from = host_of(base, (const char *const[]){"p3700", "nvme10"}, 2);
	AUTO_FREE char *to = ssd_asprintf("%s/copy", base);
	AUTO_FREE char *media = ssd_asprintf("%s/nvme0/ns-1.img", from);
	AUTO_FREE char *copied = ssd_asprintf("%s/nvme0/ns-1.img", to);
	struct ssd_err err = SSD_ERR_INIT;
	FILE *f = fopen(media, "w");
	struct sim_answer a;
	char text[5] = "";
	struct stat st;

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fseek(f, 1l << 30, SEEK_SET), 0);
	fputs("data", f);
	ck_assert_int_eq(fclose(f), 0);
	ck_assert_int_eq(truncate(media, 2l << 30), 0);
	{
		AUTO_SIM t = open_n(from, 0);

		ck_assert_int_eq(sim_set(t, 0x02, false, 0, 9, &a), 0);
	}
	ck_assert_msg(!sim_host_copy(to, from, &err), "%s", err.message);
	ck_assert_int_eq(stat(copied, &st), 0);
	ck_assert_int_eq(st.st_size, 2l << 30);
	ck_assert_int_lt(st.st_blocks, 1000);
	f = fopen(copied, "r");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fseek(f, 1l << 30, SEEK_SET), 0);
	ck_assert_uint_eq(fread(text, 1, 4, f), 4);
	fclose(f);
	ck_assert_str_eq(text, "data");
	{
		AUTO_SIM t = open_n(to, 0);

		ck_assert_int_eq(sim_feature(t, 0x02, 0, 0, 0, &a), 0);
		ck_assert_uint_eq(a.result, 9);
	}
	{
		AUTO_SIM t = open_n(to, 1);

		ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &a), 0);
	}
}
END_TEST

CHECK_MAIN("sim_host", file_names, host_json, missing_drive_json_is_empty, p3700_bytes, p4510_bytes, other_models,
	   cards_have_two_controllers, p4610_bytes, p5520_bytes, models_are_consistent, host_writes_agree,
	   serials_are_unique, create_refuses_what_exists, copy_of_a_recording, copy_of_a_simulation)
