/* SPDX-License-Identifier: MIT */
/*
 * The standard pages against byte images: every field at the offset that libnvme's structures give it (another description
 * of the same specification), bits by libnvme's masks, every length.
 */
#include "check.h"
#include "page_image.h"

#include <libnvme.h>

#define IDC(m) AT(nvme_id_ctrl, m, #m, 1)
#define IDC_AS(m, k, s) AT(nvme_id_ctrl, m, k, s)
#define NS(m) AT(nvme_id_ns, m, #m, 1)

static const struct number ctrl_numbers[] = {
	IDC(vid),
	IDC(ssvid),
	IDC(rab),
	IDC(cmic),
	IDC(mdts),
	IDC(cntlid),
	IDC_AS(rtd3r, "rtd3r_us", 1),
	IDC_AS(rtd3e, "rtd3e_us", 1),
	IDC(oaes),
	IDC(ctratt),
	IDC(rrls),
	IDC(cntrltype),
	IDC_AS(crdt1, "crdt1_ms", 100),
	IDC_AS(crdt2, "crdt2_ms", 100),
	IDC_AS(crdt3, "crdt3_ms", 100),
	IDC(nvmsr),
	IDC(vwci),
	IDC(mec),
	IDC(oacs),
	IDC(acl),
	IDC(aerl),
	IDC(frmw),
	IDC(lpa),
	IDC(elpe),
	IDC(npss),
	IDC(avscc),
	IDC(apsta),
	IDC_AS(mtfa, "mtfa_ms", 100),
	IDC_AS(hmpre, "hmpre_bytes", 4096),
	IDC_AS(hmmin, "hmmin_bytes", 4096),
	IDC(rpmbs),
	IDC_AS(edstt, "edstt_minutes", 1),
	IDC(dsto),
	IDC(fwug),
	IDC_AS(fwug, "fwug_bytes", 4096),
	IDC_AS(kas, "kas_ms", 100),
	IDC(hctma),
	IDC(sanicap),
	IDC_AS(hmminds, "hmminds_bytes", 4096),
	IDC(hmmaxd),
	IDC(nsetidmax),
	IDC(endgidmax),
	IDC_AS(anatt, "anatt_seconds", 1),
	IDC(anacap),
	IDC(anagrpmax),
	IDC(nanagrpid),
	IDC_AS(pels, "pels_bytes", 65536),
	IDC(domainid),
	IDC(sqes),
	IDC(cqes),
	IDC(maxcmd),
	IDC(nn),
	IDC(oncs),
	IDC(fuses),
	IDC(fna),
	IDC(vwc),
	IDC(awun),
	IDC(awupf),
	IDC(icsvscc),
	IDC(nwpc),
	IDC(acwu),
	IDC(ocfs),
	IDC(sgls),
	IDC(mnan),
	IDC(maxcna),
	IDC_AS(ioccsz, "ioccsz_bytes", 16),
	IDC_AS(iorcsz, "iorcsz_bytes", 16),
	IDC_AS(icdoff, "icdoff_bytes", 16),
	IDC(fcatt),
	IDC(msdbd),
	IDC(ofcs),
	IDC(dctype),
};

static const struct number ns_numbers[] = {
	NS(nsze),   NS(ncap),   NS(nuse),     NS(nsfeat), NS(nlbaf),    NS(flbas),  NS(mc),    NS(dpc),   NS(dps),
	NS(nmic),   NS(rescap), NS(fpi),      NS(dlfeat), NS(nawun),    NS(nawupf), NS(nacwu), NS(nabsn), NS(nabo),
	NS(nabspf), NS(noiob),  NS(npwg),     NS(npwa),   NS(npdg),     NS(npda),   NS(nows),  NS(mssrl), NS(mcl),
	NS(msrc),   NS(nulbaf), NS(anagrpid), NS(nsattr), NS(nvmsetid), NS(endgid),
};

#define SMART(m, k) AT(nvme_smart_log, m, k, 1)
static const struct number smart_numbers[] = {
	SMART(critical_warning, "critical_warning"),
	SMART(avail_spare, "available_spare_percent"),
	SMART(spare_thresh, "available_spare_threshold_percent"),
	SMART(percent_used, "percentage_used"),
	SMART(endu_grp_crit_warn_sumry, "endurance_group_critical_warning"),
	SMART(warning_temp_time, "warning_temperature_minutes"),
	SMART(critical_comp_time, "critical_temperature_minutes"),
	SMART(thm_temp1_trans_count, "tmt1_transition_count"),
	SMART(thm_temp2_trans_count, "tmt2_transition_count"),
	SMART(thm_temp1_total_time, "tmt1_seconds"),
	SMART(thm_temp2_total_time, "tmt2_seconds"),
};

#define WIDE(m, k, s) AT(nvme_smart_log, m, k, s)
static const struct number smart_wide[] = {
	WIDE(data_units_read, "data_units_read", 1),
	WIDE(data_units_read, "data_read_bytes", 512000),
	WIDE(data_units_written, "data_units_written", 1),
	WIDE(data_units_written, "data_written_bytes", 512000),
	WIDE(host_reads, "host_read_commands", 1),
	WIDE(host_writes, "host_write_commands", 1),
	WIDE(ctrl_busy_time, "controller_busy_minutes", 1),
	WIDE(power_cycles, "power_cycles", 1),
	WIDE(power_on_hours, "power_on_hours", 1),
	WIDE(unsafe_shutdowns, "unsafe_shutdowns", 1),
	WIDE(media_errors, "media_errors", 1),
	WIDE(num_err_log_entries, "error_log_entries", 1),
};

static const struct number ctrl_wide[] = {IDC_AS(tnvmcap, "tnvmcap_bytes", 1), IDC_AS(unvmcap, "unvmcap_bytes", 1),
					  IDC_AS(megcap, "megcap_bytes", 1), IDC(maxdna)};

/* NSFEAT bits 1 and 4: the fields that depend on them are defined. In the other pages the byte is no number. */
enum { NSFEAT = 24, NSFEAT_ALL = 0x12 };

static void check_numbers(const struct ssd_page *page, const uint8_t *bytes, size_t len, const struct number *rows,
			  size_t n)
{
	const struct ssd_node *doc = decode(page, bytes, len);

	for (size_t i = 0; i < n; i++) {
		const struct number *r = &rows[i];
		uint64_t raw = 0;
		int64_t want;

		for (size_t b = 0; b < r->width; b++)
			raw += (uint64_t)bytes[r->off + b] << 8 * b;
		raw *= r->scale;
		want = raw > INT64_MAX ? INT64_MAX : (int64_t)raw;
		ck_assert_msg(ssd_get_int(doc, r->key, -1) == want, "%s: %lld, not %lld", r->key,
			      (long long)ssd_get_int(doc, r->key, -1), (long long)want);
	}
}

START_TEST(test_every_number_at_its_offset)
{
	uint8_t bytes[ID_LEN];

	fill(bytes, sizeof(bytes));
	bytes[NSFEAT] |= NSFEAT_ALL;
	check_numbers(&ssd_page_id_ctrl, bytes, ID_LEN, ctrl_numbers, ARRAY_SIZE(ctrl_numbers));
	check_numbers(&ssd_page_id_ns, bytes, ID_LEN, ns_numbers, ARRAY_SIZE(ns_numbers));
	check_numbers(&ssd_page_smart, bytes, LOG_LEN, smart_numbers, ARRAY_SIZE(smart_numbers));
}
END_TEST

/* Cut at every length: a number is right, or null when a byte of it is missing. */
static void check_cuts(const struct ssd_page *page, const struct number *rows, size_t n, size_t max, size_t step)
{
	uint8_t bytes[ID_LEN];

	fill(bytes, sizeof(bytes));
	bytes[NSFEAT] |= NSFEAT_ALL;
	for (size_t len = 0; len <= max; len += step) {
		const struct ssd_node *doc = decode(page, bytes, len);

		for (size_t i = 0; i < n; i++)
			ck_assert_msg(!ssd_get(doc, rows[i].key) == (rows[i].off + rows[i].width > len),
				      "%s cut at %zu", rows[i].key, len);
	}
}

START_TEST(test_cut_at_every_length)
{
	check_cuts(&ssd_page_smart, smart_numbers, ARRAY_SIZE(smart_numbers), LOG_LEN, 1);
	check_cuts(&ssd_page_smart, smart_wide, ARRAY_SIZE(smart_wide), LOG_LEN, 1);
	check_cuts(&ssd_page_id_ns, ns_numbers, ARRAY_SIZE(ns_numbers), 512, 1);
	check_cuts(&ssd_page_id_ctrl, ctrl_numbers, ARRAY_SIZE(ctrl_numbers), ID_LEN, 1);
	check_cuts(&ssd_page_id_ctrl, ctrl_wide, 1, 600, 1);
}
END_TEST

/* One bit of a register: libnvme's mask, and our member. */
struct bit {
	const char *path;
	uint32_t mask;
};

#define CMIC(b, m)                            \
	{                                     \
		"cmic." m, NVME_CTRL_CMIC_##b \
	}
#define OAES(b, m)                                      \
	{                                               \
		"oaes." m, (uint32_t)NVME_CTRL_OAES_##b \
	}
#define CTRATT(b, m)                              \
	{                                         \
		"ctratt." m, NVME_CTRL_CTRATT_##b \
	}
#define OACS(b, m)                            \
	{                                     \
		"oacs." m, NVME_CTRL_OACS_##b \
	}
#define LPA(b, m)                           \
	{                                   \
		"lpa." m, NVME_CTRL_LPA_##b \
	}
#define ONCS(b, m)                            \
	{                                     \
		"oncs." m, NVME_CTRL_ONCS_##b \
	}

static const struct bit ctrl_bits[] = {
	CMIC(MULTI_PORT, "multi_port"),
	CMIC(MULTI_CTRL, "multi_controller"),
	CMIC(MULTI_SRIOV, "sr_iov"),
	CMIC(MULTI_ANA_REPORTING, "ana_reporting"),
	OAES(NA, "namespace_attribute"),
	OAES(FA, "firmware_activation"),
	OAES(ANA, "ana_change"),
	OAES(PLEA, "predictable_latency"),
	OAES(LBAS, "lba_status"),
	OAES(EGE, "endurance_group"),
	OAES(NS, "subsystem_shutdown"),
	OAES(ZD, "zone_descriptor"),
	OAES(DL, "discovery_log"),
	CTRATT(128_ID, "host_id_128"),
	CTRATT(NON_OP_PSP, "non_operational_permissive"),
	CTRATT(NVM_SETS, "nvm_sets"),
	CTRATT(READ_RECV_LVLS, "read_recovery_levels"),
	CTRATT(ENDURANCE_GROUPS, "endurance_groups"),
	CTRATT(PREDICTABLE_LAT, "predictable_latency"),
	CTRATT(TBKAS, "traffic_keep_alive"),
	CTRATT(NAMESPACE_GRANULARITY, "namespace_granularity"),
	CTRATT(SQ_ASSOCIATIONS, "sq_associations"),
	CTRATT(UUID_LIST, "uuid_list"),
	CTRATT(MDS, "multi_domain"),
	CTRATT(FIXED_CAP, "fixed_capacity"),
	CTRATT(VARIABLE_CAP, "variable_capacity"),
	CTRATT(DEL_ENDURANCE_GROUPS, "delete_endurance_group"),
	CTRATT(DEL_NVM_SETS, "delete_nvm_set"),
	CTRATT(ELBAS, "extended_lba_formats"),
	{"nvmsr.storage_device", NVME_CTRL_NVMSR_NVMESD},
	{"nvmsr.enclosure", NVME_CTRL_NVMSR_NVMEE},
	{"vwci.valid", NVME_CTRL_VWCI_VWCRV},
	{"mec.smbus", NVME_CTRL_MEC_SMBUSME},
	{"mec.pcie", NVME_CTRL_MEC_PCIEME},
	OACS(SECURITY, "security"),
	OACS(FORMAT, "format"),
	OACS(FW, "firmware"),
	OACS(NS_MGMT, "namespace_management"),
	OACS(SELF_TEST, "self_test"),
	OACS(DIRECTIVES, "directives"),
	OACS(NVME_MI, "nvme_mi"),
	OACS(VIRT_MGMT, "virtualization"),
	OACS(DBBUF_CFG, "doorbell_buffer"),
	OACS(LBA_STATUS, "lba_status"),
	OACS(CMD_FEAT_LD, "lockdown"),
	{"frmw.slot1_read_only", NVME_CTRL_FRMW_1ST_RO},
	{"frmw.activation_without_reset", NVME_CTRL_FRMW_FW_ACT_NO_RESET},
	{"frmw.overlap_detection", NVME_CTRL_FRMW_MP_UP_DETECTION},
	LPA(SMART_PER_NS, "smart_per_namespace"),
	LPA(CMD_EFFECTS, "commands_effects"),
	LPA(EXTENDED, "extended_data"),
	LPA(TELEMETRY, "telemetry"),
	LPA(PERSETENT_EVENT, "persistent_event"),
	LPA(LI0_LI5_LI12_LI13, "supported_pages"),
	LPA(DA4_TELEMETRY, "telemetry_area_4"),
	{"avscc.standard_format", NVME_CTRL_AVSCC_AVS},
	{"apsta.supported", NVME_CTRL_APSTA_APST},
	{"dsto.one_at_a_time", NVME_CTRL_DSTO_ONE_DST},
	{"hctma.supported", NVME_CTRL_HCTMA_HCTM},
	{"sanicap.crypto_erase", NVME_CTRL_SANICAP_CES},
	{"sanicap.block_erase", NVME_CTRL_SANICAP_BES},
	{"sanicap.overwrite", NVME_CTRL_SANICAP_OWS},
	{"sanicap.no_deallocate_inhibited", NVME_CTRL_SANICAP_NDI},
	{"anacap.optimized", NVME_CTRL_ANACAP_OPT},
	{"anacap.non_optimized", NVME_CTRL_ANACAP_NON_OPT},
	{"anacap.inaccessible", NVME_CTRL_ANACAP_INACCESSIBLE},
	{"anacap.persistent_loss", NVME_CTRL_ANACAP_PERSISTENT_LOSS},
	{"anacap.change", NVME_CTRL_ANACAP_CHANGE},
	{"anacap.group_fixed", NVME_CTRL_ANACAP_GRPID_NO_CHG},
	{"anacap.group_managed", NVME_CTRL_ANACAP_GRPID_MGMT},
	ONCS(COMPARE, "compare"),
	ONCS(WRITE_UNCORRECTABLE, "write_uncorrectable"),
	ONCS(DSM, "dataset_management"),
	ONCS(WRITE_ZEROES, "write_zeroes"),
	ONCS(SAVE_FEATURES, "save_select"),
	ONCS(RESERVATIONS, "reservations"),
	ONCS(TIMESTAMP, "timestamp"),
	ONCS(VERIFY, "verify"),
	ONCS(COPY, "copy"),
	{"fuses.compare_and_write", NVME_CTRL_FUSES_COMPARE_AND_WRITE},
	{"fna.format_all", NVME_CTRL_FNA_FMT_ALL_NAMESPACES},
	{"fna.erase_all", NVME_CTRL_FNA_SEC_ALL_NAMESPACES},
	{"fna.crypto_erase", NVME_CTRL_FNA_CRYPTO_ERASE},
	{"fna.no_broadcast", NVME_CTRL_FNA_NSID_FFFFFFFF},
	{"vwc.present", NVME_CTRL_VWC_PRESENT},
	{"icsvscc.standard_format", NVME_CTRL_NVSCC_FMT},
	{"nwpc.write_protect", NVME_CTRL_NWPC_WRITE_PROTECT},
	{"nwpc.until_power_cycle", NVME_CTRL_NWPC_WRITE_PROTECT_POWER_CYCLE},
	{"nwpc.permanent", NVME_CTRL_NWPC_WRITE_PROTECT_PERMANENT},
	{"sgls.keyed", NVME_CTRL_SGLS_KEYED},
	{"sgls.bit_bucket", NVME_CTRL_SGLS_BIT_BUCKET},
	{"sgls.metadata_byte_aligned", NVME_CTRL_SGLS_MPTR_BYTE_ALIGNED},
	{"sgls.oversize", NVME_CTRL_SGLS_OVERSIZE},
	{"sgls.metadata_sgl", NVME_CTRL_SGLS_MPTR_SGL},
	{"sgls.address_offset", NVME_CTRL_SGLS_OFFSET},
	{"sgls.transport", NVME_CTRL_SGLS_TPORT},
	{"fcatt.static_controllers", NVME_CTRL_FCATT_DYNAMIC},
	{"ofcs.disconnect", NVME_CTRL_OFCS_DISCONNECT},
};

static const struct bit ns_bits[] = {
	{"nsfeat.thin_provisioning", NVME_NS_FEAT_THIN},
	{"nsfeat.atomic_writes", NVME_NS_FEAT_NATOMIC},
	{"nsfeat.deallocated_error", NVME_NS_FEAT_DULBE},
	{"nsfeat.ids_not_reused", NVME_NS_FEAT_ID_REUSE},
	{"nsfeat.optimal_io", NVME_NS_FEAT_IO_OPT},
	{"flbas.extended_metadata", NVME_NS_FLBAS_META_EXT},
	{"mc.extended", 1 << 0}, /* libnvme's comments on these two are swapped; the specification has bit 0 as this */
	{"mc.separate", 1 << 1},
	{"dpc.type_1", NVME_NS_DPC_PI_TYPE1},
	{"dpc.type_2", NVME_NS_DPC_PI_TYPE2},
	{"dpc.type_3", NVME_NS_DPC_PI_TYPE3},
	{"dpc.first", NVME_NS_DPC_PI_FIRST},
	{"dpc.last", NVME_NS_DPC_PI_LAST},
	{"dps.first", NVME_NS_DPS_PI_FIRST},
	{"nmic.shared", NVME_NS_NMIC_SHARED},
	{"rescap.persist_through_power_loss", NVME_NS_RESCAP_PTPL},
	{"rescap.write_exclusive", NVME_NS_RESCAP_WE},
	{"rescap.exclusive_access", NVME_NS_RESCAP_EA},
	{"rescap.write_exclusive_registrants", NVME_NS_RESCAP_WERO},
	{"rescap.exclusive_access_registrants", NVME_NS_RESCAP_EARO},
	{"rescap.write_exclusive_all", NVME_NS_RESCAP_WEAR},
	{"rescap.exclusive_access_all", NVME_NS_RESCAP_EAAR},
	{"rescap.ignore_existing_key", NVME_NS_RESCAP_IEK_13},
	{"fpi.supported", NVME_NS_FPI_SUPPORTED},
	{"dlfeat.write_zeroes_deallocate", NVME_NS_DLFEAT_WRITE_ZEROES},
	{"dlfeat.guard_crc", NVME_NS_DLFEAT_CRC_GUARD},
	{"nsattr.write_protected", NVME_NS_NSATTR_WRITE_PROTECTED},
};

static const struct bit smart_bits[] = {
	{"critical_warning.available_spare", NVME_SMART_CRIT_SPARE},
	{"critical_warning.temperature", NVME_SMART_CRIT_TEMPERATURE},
	{"critical_warning.reliability", NVME_SMART_CRIT_DEGRADED},
	{"critical_warning.read_only", NVME_SMART_CRIT_MEDIA},
	{"critical_warning.volatile_backup", NVME_SMART_CRIT_VOLATILE_MEMORY},
	{"critical_warning.persistent_memory", NVME_SMART_CRIT_PMR_RO},
	{"endurance_group_critical_warning.available_spare", NVME_SMART_EGCW_SPARE},
	{"endurance_group_critical_warning.reliability", NVME_SMART_EGCW_DEGRADED},
	{"endurance_group_critical_warning.read_only", NVME_SMART_EGCW_RO},
};

static const struct number *number_of(const struct number *rows, size_t n, const char *path)
{
	for (size_t i = 0; i < n; i++)
		if (!strncmp(rows[i].key, path, strlen(rows[i].key)) && path[strlen(rows[i].key)] == '.')
			return &rows[i];
	ck_abort_msg("no offset for %s", path);
}

/* Each bit alone sets its member and no other boolean of the register. */
static void check_bits(const struct ssd_page *page, size_t len, const struct bit *bits, size_t n,
		       const struct number *numbers, size_t n_numbers)
{
	for (size_t i = 0; i < n; i++) {
		const struct number *reg = number_of(numbers, n_numbers, bits[i].path);
		uint8_t bytes[ID_LEN] = {0};
		const struct ssd_node *doc;
		unsigned set = 0;

		ssd_put_le(bytes + reg->off, (unsigned)reg->width, bits[i].mask);
		doc = decode(page, bytes, len);
		ck_assert_msg(ssd_get_int(doc, bits[i].path, -1) == 1, "%s", bits[i].path);
		for (const struct ssd_node *c = ssd_get(doc, reg->key)->child; c; c = c->next)
			set += c->field->type == SSD_BOOL && c->b;
		ck_assert_msg(set == 1, "%s: %u bits", bits[i].path, set);
	}
}

START_TEST(test_bits)
{
	check_bits(&ssd_page_id_ctrl, ID_LEN, ctrl_bits, ARRAY_SIZE(ctrl_bits), ctrl_numbers, ARRAY_SIZE(ctrl_numbers));
	check_bits(&ssd_page_id_ns, ID_LEN, ns_bits, ARRAY_SIZE(ns_bits), ns_numbers, ARRAY_SIZE(ns_numbers));
	check_bits(&ssd_page_smart, LOG_LEN, smart_bits, ARRAY_SIZE(smart_bits), smart_numbers,
		   ARRAY_SIZE(smart_numbers));
}
END_TEST

/* Keys of one object are there once, labels exist, bits lie inside their register, members inside their page. */
static void check_table(const struct ssd_page *page, const struct ssd_field *sub)
{
	bool scalar = !sub->key && sub->type == SSD_UINT && sub[1].type == SSD_END;

	for (const struct ssd_field *f = sub; f->type != SSD_END && !scalar; f++) {
		ck_assert_ptr_nonnull(f->key);
		ck_assert_msg(f->label != NULL, "%s", f->key);
		ck_assert_msg(ssd_field_find(sub, f->key) == f, "%s: twice", f->key);
		ck_assert_msg((f->type == SSD_ENUM) == (f->names != NULL), "%s", f->key);
		if (f->type == SSD_WIDE)
			ck_assert_msg(f->width > 5, "%s", f->key);
		if (!f->sub)
			continue;
		for (const struct ssd_field *m = f->sub; f->type == SSD_FLAGS && m->type != SSD_END; m++)
			ck_assert_msg(m->off + m->width <= f->width * 8, "%s.%s", f->key, m->key);
		if (f->type == SSD_LIST && f->stride && !page->total)
			ck_assert_msg(f->off + f->count * f->stride <= page->size, "%s", f->key);
		check_table(page, f->sub);
	}
}

START_TEST(test_tables_are_sound)
{
	for (const struct ssd_page *const *p = ssd_standard_pages; *p; p++) {
		check_table(*p, (*p)->field.sub);
		for (const struct ssd_page *const *q = p + 1; *q; q++) {
			ck_assert_msg(strcmp((*p)->field.key, (*q)->field.key) != 0, "%s: twice", (*p)->field.key);
			ck_assert_msg((*p)->kind != (*q)->kind ||
					      ((*p)->id != (*q)->id && strcmp((*p)->name, (*q)->name) != 0),
				      "%s and %s", (*p)->name, (*q)->name);
		}
		for (const struct ssd_field *f = (*p)->field.sub; f->type != SSD_END; f++)
			ck_assert_msg(f->off + f->width <= (*p)->size, "%s", f->key);
	}
}
END_TEST

/* Hostile bytes: any page, any length, every byte the same. */
START_TEST(test_no_page_reads_past_its_end)
{
	static const uint8_t values[] = {0x00, 0x01, 0x03, 0x20, 0x7f, 0x80, 0xff};
	uint8_t bytes[ID_LEN];

	for (const struct ssd_page *const *p = ssd_standard_pages; *p; p++) {
		for (size_t v = 0; v < ARRAY_SIZE(values); v++) {
			memset(bytes, values[v], sizeof(bytes));
			for (size_t len = 0; len <= sizeof(bytes); len += len < 300 ? 1 : 61) {
				AUTO_FREE char *text = json(decode(*p, bytes, len));

				ck_assert_ptr_nonnull(text);
			}
		}
	}
}
END_TEST

/*
 * Any page cut at any length: what the whole page says is said, or nothing. Numbers that are computed from several others
 * and elements at the cut may be missing, but none may differ.
 */
static void check_same_or_null(const struct ssd_node *cut, const struct ssd_node *whole, const char *where, size_t len)
{
	const struct ssd_node *a = cut->child, *b = whole->child;

	/* What it says is how much is missing. */
	if (cut->null || (cut->field->key && !strcmp(cut->field->key, "events_left_out")))
		return;
	ck_assert_msg(!whole->null, "%s.%s cut at %zu: invented", where, cut->field->key, len);
	if (!a && cut->field->type != SSD_LIST)
		ck_assert_msg(!strcmp(ssd_node_text(cut), ssd_node_text(whole)), "%s.%s cut at %zu: %s, not %s", where,
			      cut->field->key, len, ssd_node_text(cut), ssd_node_text(whole));
	for (; a; a = a->next, b = b->next) {
		ck_assert_msg(b != NULL, "%s.%s cut at %zu: more elements", where, cut->field->key, len);
		check_same_or_null(a, b, cut->field->key ? cut->field->key : where, len);
	}
}

START_TEST(test_any_page_cut_at_any_length)
{
	uint8_t bytes[ID_LEN];

	fill(bytes, sizeof(bytes));
	for (const struct ssd_page *const *p = ssd_standard_pages; *p; p++) {
		struct ssd_arena *arena = ssd_arena_new(64 << 20);
		const struct ssd_node *whole = ssd_page_decode(arena, *p, bytes, sizeof(bytes));

		for (size_t len = 0; len <= sizeof(bytes); len += len < 300 ? 1 : 61)
			check_same_or_null(decode(*p, bytes, len), whole, (*p)->name, len);
		ssd_arena_free(arena);
	}
}
END_TEST

CHECK_MAIN("pages", test_every_number_at_its_offset, test_cut_at_every_length, test_bits, test_tables_are_sound,
	   test_no_page_reads_past_its_end, test_any_page_cut_at_any_length)
