/* SPDX-License-Identifier: MIT */
/*
 * Which drive is what: every model string of the references with what its maker's grammar says (bug corpus 86), PCI ids of
 * pciutils/pciids for drives under other names, and the published figures against tests/data/intel-models.json.
 */
#include "check.h"

#include "../../plugins/intel/intel.h"

#include <jansson.h>

#define U2 "2.5-inch"
#define AIC "add-in card"
#define E1L "E1.L"
#define GB UINT64_C(1000000000)

/* Form NULL, generation 0, capacity 0: the string does not say. */
static const struct row {
	const char *model, *family, *form;
	unsigned generation;
	uint64_t gigabytes;
	const char *brand;
} models[] = {
	{"INTEL SSDPEDMD020T4", "Intel SSD DC P3700", AIC, 3, 2000, NULL},
	{"INTEL SSDPEDMD016T4", "Intel SSD DC P3700", AIC, 3, 1600, NULL},
	{"INTEL SSDPE2MD400G4", "Intel SSD DC P3700", U2, 3, 400, NULL},
	{"  INTEL SSDPEDMD020T4", "Intel SSD DC P3700", AIC, 3, 2000, NULL},
	{"SSDPEDMD020T401", "Intel SSD DC P3700", AIC, 3, 2000, NULL},
	{"INTEL SSDPEDMD020T4D", "Intel SSD DC P3700", AIC, 3, 2000, NULL},
	{"INTEL SSDPEDME016T4F", "Intel SSD DC P3600", AIC, 3, 1600, NULL},
	{"SSDPEDME016T4F", "Intel SSD DC P3600", AIC, 3, 1600, NULL},
	{"INTEL SSDPEDME400G4", "Intel SSD DC P3600", AIC, 3, 400, NULL},
	{"INTEL SSDPE2ME016T4S", "Intel SSD DC P3600", U2, 3, 1600, NULL},
	{"INTEL SSDPE2ME012T4", "Intel SSD DC P3600", U2, 3, 1200, NULL},
	{"INTEL SSDPECME016T4", "Intel SSD DC P3608", AIC, 3, 1600, NULL},
	{"INTEL SSDPECME040T4Y", "Intel SSD DC P3608", AIC, 3, 4000, "Cray"},
	{"INTEL SSDPEDMX400G4", "Intel SSD DC P3500", AIC, 3, 400, NULL},
	{"INTEL SSDPE2MX020T7", "Intel SSD DC P3520", U2, 3, 2000, NULL},
	{"INTEL SSDPEDMW400G4", "Intel SSD 750", AIC, 3, 400, NULL},
	{"INTEL SSDPEDMW012T4", "Intel SSD 750", AIC, 3, 1200, NULL},
	{"INTEL SSDPE2KX010T7", "Intel SSD DC P4500", U2, 3, 1000, NULL},
	{"INTEL SSDPE2KX040T7", "Intel SSD DC P4500", U2, 3, 4000, NULL},
	{"INTEL SSDPE7KX010T7", "Intel SSD DC P4501", U2, 3, 1000, NULL},
	{"INTEL SSDPE2KX040T8", "Intel SSD DC P4510", U2, 3, 4000, NULL},
	{"INTEL SSDPE2KX020T8O", "Intel SSD DC P4510", U2, 3, 2000, NULL},
	{"INTEL SSDPE2KX080T8K", "Intel SSD DC P4510", U2, 3, 8000, "Cisco"},
	{"INTEL SSDPE2KX080T8R", "Intel SSD DC P4510", U2, 3, 8000, "Dell"},
	{"INTEL SSDPELKX020T8", "Intel SSD DC P4511", "M.2", 3, 2000, NULL},
	{"INTEL SSDPERKX040T8", "Intel SSD DC P4510", "E1.L", 3, 4000, NULL},
	{"INTEL SSDPE2KE016T7", "Intel SSD DC P4600", U2, 3, 1600, NULL},
	{"INTEL SSDPE2KE016T8", "Intel SSD DC P4610", U2, 3, 1600, NULL},
	{"INTEL SSDPECKE064T7ES", "Intel SSD DC P4608", AIC, 3, 6400, NULL},
	{"INTEL SSDPECKE064T8", "Intel SSD DC P4618", AIC, 3, 6400, NULL},
	{"INTEL SSDPE2NV153T8", "Intel SSD D5-P4320/P4326", U2, 3, 15360, NULL},
	{"INTEL SSDPF2KX038TZ", "Intel SSD D7-P5510", U2, 4, 3840, NULL},
	{"INTEL SSDPF2KX076TZ", "Intel SSD D7-P5510", U2, 4, 7680, NULL},
	{"INTEL SSDPF2KX038T1N1", "Solidigm D7-P5520", U2, 4, 3840, NULL},
	{"SOLIDIGM SSDPF2KX038T1", "Solidigm D7-P5520", U2, 4, 3840, NULL},
	{"SOLIDIGM SSDPF2KX019T1O", "Solidigm D7-P5520", U2, 4, 1920, NULL},
	{"INTEL SSDPF2KE064T1N1", "Solidigm D7-P5620", U2, 4, 6400, NULL},
	{"INTEL SSDPF2NV307TZ", "Intel SSD D5-P5316", U2, 4, 30720, NULL},
	{"INTEL SSDPFWNV153TZ", "Intel SSD D5-P5316", "E1.L", 4, 15360, NULL},
	{"INTEL SSDPE21K375GA", "Intel Optane SSD DC P4800X", U2, 3, 375, NULL},
	{"INTEL SSDPED1K750GA", "Intel Optane SSD DC P4800X", AIC, 3, 750, NULL},
	{"INTEL SSDPED1K375GAQ", "Intel Optane SSD DC P4800X", AIC, 3, 375, NULL},
	{"INTEL MDTPE21K015TA", "Intel Optane SSD DC P4800X", U2, 3, 1500, NULL},
	{"INTEL SSDPD21K750GA", "Intel Optane SSD DC D4800X", U2, 0, 750, NULL},
	{"INTEL SSDPE21K100GA", "Intel Optane SSD DC P4801X", U2, 3, 100, NULL},
	{"INTEL SSDPEL1K200GA", "Intel Optane SSD DC P4801X", "M.2", 3, 200, NULL},
	{"INTEL SSDPF21Q400GB", "Intel Optane SSD DC P5800X", U2, 4, 400, NULL},
	{"INTEL SSDPF21Q016TB", "Intel Optane SSD DC P5800X", U2, 4, 1600, NULL},
	{"INTEL SSDPED1D280GA", "Intel Optane SSD 900P/905P", AIC, 3, 280, NULL},
	{"INTEL SSDPEKKA256G7", "Intel SSD DC P3100", "M.2", 3, 256, NULL},
	{"INTEL SSDPEKKA512G8", "Intel SSD DC P4101", "M.2", 3, 512, NULL},
	{"INTEL SSDPE2NU076T8", "Intel SSD D5-P4420", U2, 3, 7680, NULL},
	{"INTEL SSDPEK1A118GA", "Intel Optane SSD P1600X", "M.2", 3, 118, NULL},
	{"INTEL SSDPE21K750GA", "Intel Optane SSD DC P4800X", U2, 3, 750, NULL},
	{"INTEL SSDPE2KX020T7", "Intel SSD DC P4500", U2, 3, 2000, NULL},
	{"INTEL SSDPE2MX450G7", "Intel SSD DC P3520", U2, 3, 450, NULL},
	{"INTEL SSDPEDMX012T4", "Intel SSD DC P3500", AIC, 3, 1200, NULL},
	{"INTEL SSDPF21Q800GB", "Intel Optane SSD DC P5800X", U2, 4, 800, NULL},
	{"INTEL SSDPF2NV153TZ", "Intel SSD D5-P5316", U2, 4, 15360, NULL},
	{"SOLIDIGM SBFPF2BU153T", "Solidigm D5-P5430", NULL, 0, 0, NULL},
	{"SOLIDIGM SBFPF2BV0P12", "Solidigm D5-P5336", NULL, 0, 0, NULL},
	{"Dell Express Flash NVMe P4510 2TB SFF", "Intel SSD DC P4510", U2, 0, 2000, "Dell"},
	{"Dell Express Flash NVMe P4500 1.0TB SFF", "Intel SSD DC P4500", U2, 0, 1000, "Dell"},
	{"Dell Express Flash NVMe P4610 3.2TB SFF", "Intel SSD DC P4610", U2, 0, 3200, "Dell"},
	{"Dell Express Flash NVMe P4600", "Intel SSD DC P4600", NULL, 0, 0, "Dell"},
	{"Dell Express Flash NVMe P4800X 375GB SFF", "Intel Optane SSD DC P4800X", U2, 0, 375, "Dell"},
	{"Dell Ent NVMe P5600 MU U.2 3.2TB", "Intel SSD D7-P5600", U2, 0, 3200, "Dell"},
	{"Dell Ent NVMe P5500 RI U.2 1.92TB", "Intel SSD D7-P5500", U2, 0, 1920, "Dell"},
	{"Dell Ent NVMe P5800x WI U.2 400GB", "Intel Optane SSD DC P5800X", U2, 0, 400, "Dell"},
	/* Not Intel's, or not data-centre drives. */
	{"QEMU NVMe Ctrl", NULL, NULL, 0, 0, NULL},
	{"INTEL SSDPEKKW512G7", NULL, NULL, 0, 0, NULL},
	{"INTEL SSDPEKNW010T8", NULL, NULL, 0, 0, NULL},
	{"INTEL SSDPEKNU010TZ", NULL, NULL, 0, 0, NULL},
	{"SOLIDIGM SSDPFKKW010X7", NULL, NULL, 0, 0, NULL},
	{"SOLIDIGM SSDPFKNU020TZ", NULL, NULL, 0, 0, NULL},
	{"INTEL MEMPEK1J016GAL", NULL, NULL, 0, 0, NULL},
	{"INTEL SSDSC2KB480G8", NULL, NULL, 0, 0, NULL},
	{"Dell Express Flash PM1725b 1.6TB SFF", NULL, NULL, 0, 0, NULL},
	{"Dell Express Flash NVMe PM1725 1.6TB AIC", NULL, NULL, 0, 0, NULL},
	{"Dell Ent NVMe CM6 RI 1.92TB", NULL, NULL, 0, 0, NULL},
	{"SAMSUNG MZQLB960HAJR-00007", NULL, NULL, 0, 0, NULL},
	{"INTEL ", NULL, NULL, 0, 0, NULL},
	{"", NULL, NULL, 0, 0, NULL},
};

static bool same(const char *a, const char *b)
{
	return !a == !b && (!a || !strcmp(a, b));
}

START_TEST(test_models)
{
	static const int vendors[] = {-1, 0x8086, 0x025e};

	for (const struct row *r = models; r < models + ARRAY_SIZE(models); r++) {
		for (size_t v = 0; v < ARRAY_SIZE(vendors); v++) {
			const struct ssd_identity id = {r->model, "", vendors[v], -1, -1, -1};
			const char *family = "?";
			const struct ssd_vendor *vendor = ssd_vendor_find(&id, &family);
			struct intel_product p;

			ck_assert_msg(!vendor == !r->family && same(family, r->family), "\"%s\": %s", r->model, family);
			ck_assert_int_eq(intel_identify(&id, &p), r->family != NULL);
			if (!r->family)
				continue;
			ck_assert_msg(same(p.form_factor, r->form), "\"%s\": %s", r->model, p.form_factor);
			ck_assert_msg(p.pcie_generation == r->generation, "\"%s\"", r->model);
			ck_assert_msg(p.capacity_bytes == r->gigabytes * GB, "\"%s\"", r->model);
			ck_assert_msg(same(p.brand, r->brand), "\"%s\": %s", r->model, p.brand);
		}
	}
}
END_TEST

/* Another maker's PCI vendor: nothing is recognised, so nothing is sent (bug corpus 81). */
START_TEST(test_other_vendors)
{
	for (const struct row *r = models; r < models + ARRAY_SIZE(models); r++) {
		const struct ssd_identity id = {r->model, "8DV10131", 0x144d, 0x0a54, 0x8086, 0x4802};
		const char *family;

		ck_assert_ptr_null(ssd_vendor_find(&id, &family));
		ck_assert_ptr_null(family);
	}
}
END_TEST

/* Drives under another name. */
START_TEST(test_pci)
{
	static const struct {
		struct ssd_identity id;
		const char *family, *form, *brand;
	} rows[] = {
		{{"X", "", 0x8086, 0x0953, 0x8086, 0x3702}, "Intel SSD DC P3700", AIC, NULL},
		{{"X", "", 0x8086, 0x0953, 0x8086, 0x370a}, "Intel SSD DC P3600", U2, NULL},
		{{"X", "", 0x8086, 0x0953, 0x8086, 0x370e}, "Intel SSD 750", U2, NULL},
		{{"X", "8DV1FF05", 0x8086, 0x0953, 0x1028, 0x1f00}, "Intel SSD DC P3500/P3600/P3700", NULL, "Dell"},
		{{"X", "8EV101H0", 0x8086, 0x0953, -1, -1}, "Intel SSD 750", NULL, NULL},
		{{"X", "MDV10271", 0x8086, 0x0a53, 0x1590, 1}, "Intel SSD DC P3520", NULL, "HPE"},
		{{"X", "", 0x8086, 0x0a54, 0x8086, 0x4712}, "Intel SSD DC P4600", U2, NULL},
		{{"X", "", 0x8086, 0x0a54, 0x1028, 0x1fe1}, "Intel SSD DC P4500", U2, "Dell"},
		{{"X", "", 0x8086, 0x0a54, 0x1028, 0x1fe4}, "Intel SSD DC P4500", AIC, "Dell"},
		{{"X", "", 0x8086, 0x0a54, 0x1028, 0x1fef}, "Intel SSD DC P4610", U2, "Dell"},
		{{"X", "", 0x8086, 0x0a54, 0x1028, 0x2004}, "Intel SSD DC P4510", U2, "Dell"},
		/* Their firmware revisions are HPE's and Lenovo's own: only the subsystem tells. */
		{{"X", "HPK2", 0x8086, 0x0a54, 0x1590, 0x025d}, "Intel SSD DC P4500", U2, "HPE"},
		{{"X", "HPK2", 0x8086, 0x0a54, 0x1590, 0x025f}, "Intel SSD DC P4500", U2, "HPE"},
		{{"X", "HPK2", 0x8086, 0x0a54, 0x1590, 0x0262}, "Intel SSD DC P4600", U2, "HPE"},
		{{"X", "HPK2", 0x8086, 0x0a54, 0x1590, 0x0264}, "Intel SSD DC P4600", U2, "HPE"},
		{{"X", "HPK2", 0x8086, 0x0a54, 0x1590, 0x0265}, "Intel SSD DC P4600", U2, "HPE"},
		{{"X", "HPK2", 0x8086, 0x0a54, 0x1590, 0x026c}, "Intel SSD DC P4500", AIC, "HPE"},
		{{"X", "", 0x8086, 0x0a54, 0x1d49, 0x4702}, "Intel SSD DC P4500", U2, "Lenovo"},
		{{"X", "", 0x8086, 0x0a54, 0x1d49, 0x4704}, "Intel SSD DC P4500", AIC, "Lenovo"},
		{{"X", "", 0x8086, 0x0a54, 0x1d49, 0x4712}, "Intel SSD DC P4600", U2, "Lenovo"},
		{{"X", "", 0x8086, 0x0a54, 0x1d49, 0x4714}, "Intel SSD DC P4600", AIC, "Lenovo"},
		{{"X", "VDV10131", 0x8086, 0x0a54, 0x1d49, 0x4802}, "Intel SSD DC P4510", U2, "Lenovo"},
		{{"X", "", 0x8086, 0x0a54, 0x1d49, 0x4812}, "Intel SSD DC P4610", U2, "Lenovo"},
		{{"X", "", 0x8086, 0x0a54, 0x1137, 0x0227}, "Intel SSD DC P4600", U2, "Cisco"},
		{{"X", "", 0x8086, 0x0a54, 0x1137, 0x0229}, "Intel SSD DC P4600", U2, "Cisco"},
		{{"X", "", 0x8086, 0x0a54, 0x1137, 0x022b}, "Intel SSD DC P4500", U2, "Cisco"},
		{{"X", "", 0x8086, 0x0a54, 0x1137, 0x022d}, "Intel SSD DC P4500", U2, "Cisco"},
		{{"X", "", 0x8086, 0x0a54, 0x1137, 0x0231}, "Intel SSD DC P4501", U2, "Cisco"},
		{{"X", "", 0x8086, 0x0a54, 0x1137, 0x0233}, "Intel SSD DC P4501", U2, "Cisco"},
		{{"X", "", 0x8086, 0x0a54, 0x1137, 0x0258}, "Intel SSD DC P4610", U2, "Cisco"},
		{{"X", "", 0x8086, 0x0a54, 0x1137, 0x025a}, "Intel SSD DC P4610", U2, "Cisco"},
		{{"X", "", 0x8086, 0x0a54, 0x1137, 0x025b}, "Intel SSD DC P4510", U2, "Cisco"},
		{{"X", "", 0x8086, 0x0a54, 0x1137, 0x025e}, "Intel SSD DC P4510", U2, "Cisco"},
		{{"X", "VCV10370", 0x8086, 0x0a54, 0x1137, 0x0250}, "Intel SSD DC P4511", NULL, "Cisco"},
		{{"X", "", 0x8086, 0x0a54, 0x108e, 0x4879}, "Intel SSD DC P4618", AIC, "Oracle"},
		{{"X", "", 0x8086, 0x0a55, 0x1028, 0x1fe7}, "Intel SSD DC P4600", U2, "Dell"},
		{{"X", "", 0x8086, 0x0a55, 0x1028, 0x1fe9}, "Intel SSD DC P4600", AIC, "Dell"},
		{{"X", "", 0x8086, 0x0b60, 0x8086, 0x8008}, "Intel SSD D7-P5510", U2, NULL},
		{{"X", "", 0x025e, 0x0b60, 0x025e, 0x9108}, "Solidigm D7-P5620", U2, NULL},
		{{"X", "", 0x025e, 0x0b60, 0x025e, 0x901c}, "Solidigm D7-P5520", E1L, NULL},
		{{"X", "", 0x025e, 0x0b60, 0x025e, 0x900d}, "Solidigm D7-P5520", "E1.S", NULL},
		{{"X", "", 0x025e, 0x0b60, 0x025e, 0x8d1d}, "Intel SSD D5-P5316", E1L, NULL},
		{{"X", "", 0x025e, 0x0b60, 0x025e, 0xd408}, "Solidigm D5-P5430", U2, NULL},
		{{"X", "", 0x025e, 0x0b60, 0x025e, 0xd819}, "Solidigm D5-P5336", "E3.S", NULL},
		{{"X", "", 0x025e, 0x0b60, 0x025e, 0xd4c1}, "Solidigm D5-P5430", NULL, NULL},
		{{"X", "", 0x025e, 0x0b60, 0x025e, 0xd804}, "Solidigm D5-P5336", NULL, NULL},
		{{"X", "", 0x025e, 0x0b60, 0x025e, 0x8208}, "Solidigm D7-P5810", U2, NULL},
		{{"X", "", 0x8086, 0x0b60, 0x1028, 0x2061}, "Intel SSD D7-P5600", U2, "Dell"},
		{{"X", "", 0x8086, 0x0b60, 0x1028, 0x2066}, "Intel SSD D7-P5500", U2, "Dell"},
		{{"X", "", 0x8086, 0x0b60, 0x1028, 0x209f}, "Intel SSD D7-P5600", U2, "Dell"},
		{{"X", "", 0x8086, 0x0b60, 0x1028, 0x2100}, "Intel SSD D7-P5600", U2, "Dell"},
		{{"X", "", 0x8086, 0x0b60, 0x1028, 0x2103}, "Intel SSD D7-P5500", U2, "Dell"},
		{{"X", "", 0x025e, 0x2b59, 0x025e, 0x0008}, "Solidigm D7-PS1010", U2, NULL},
		{{"X", "", 0x025e, 0x2b59, 0x025e, 0x0019}, "Solidigm D7-PS1010", "E3.S", NULL},
		{{"X", "", 0x025e, 0x2b59, 0x025e, 0x0119}, "Solidigm D7-PS1030", "E3.S", NULL},
		{{"X", "", 0x025e, 0x2b59, 0x108e, 0x48a1}, "Solidigm D7-PS1010", U2, "Oracle"},
		{{"X", "", 0x025e, 0x2b59, 0x108e, 0x48a3}, "Solidigm D7-PS1030", AIC, "Oracle"},
		{{"X", "", 0x025e, 0x2b59, 0x108e, 0x48a5}, "Solidigm D7-PS1010", "E3.S", "Oracle"},
		{{"X", "", 0x8086, 0x2700, 0x8086, 0x3900}, "Intel Optane SSD 900P/905P", AIC, NULL},
		{{"X", "", 0x8086, 0x2701, 0x1028, 0x200a}, "Intel Optane SSD DC P4800X", AIC, "Dell"},
		{{"X", "", 0x8086, 0x2701, 0x1028, 0x2001}, "Intel Optane SSD DC P4800X", U2, "Dell"},
		{{"X", "", 0x8086, 0x4140, 0x1028, 0x2134}, "Intel Optane SSD DC P5800X", U2, "Dell"},
		/* QEMU, client drives, and nothing known. */
		{{"X", "", 0x8086, 0x5845, 0x1af4, 0x1100}, NULL, NULL, NULL},
		{{"X", "", 0x8086, 0xf1a5, 0x8086, 0x390a}, NULL, NULL, NULL},
		{{"X", "", 0x8086, 0xf1a8, 0x8086, 0x390d}, NULL, NULL, NULL},
		{{"X", "", 0x8086, 0x0a54, 0x1590, 0x0266}, NULL, NULL, NULL},
		{{"X", "VDV1", 0x8086, -1, -1, -1}, NULL, NULL, NULL},
		{{"X", "VDV1", -1, 0x0a54, 0x8086, 0x4802}, NULL, NULL, NULL},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct intel_product p;
		bool known = intel_identify(&rows[i].id, &p);

		ck_assert_msg(known == (rows[i].family != NULL), "row %zu", i);
		if (!known)
			continue;
		ck_assert_msg(same(p.family, rows[i].family), "row %zu: %s", i, p.family);
		ck_assert_msg(same(p.form_factor, rows[i].form), "row %zu: %s", i, p.form_factor);
		ck_assert_msg(same(p.brand, rows[i].brand), "row %zu: %s", i, p.brand);
	}
}
END_TEST

/* The model number of a drive is more exact than the PCI ids, which say under whose name it is sold. */
START_TEST(test_model_and_pci)
{
	const struct ssd_identity id = {"INTEL SSDPE2KX020T8O", "VDV1", 0x8086, 0x0a54, 0x1d49, 0x4712};
	struct intel_product p;

	ck_assert(intel_identify(&id, &p));
	ck_assert_str_eq(p.family, "Intel SSD DC P4510");
	ck_assert_str_eq(p.brand, "Lenovo");
	ck_assert_str_eq(p.code, "SSDPE2KX020T8O");
	ck_assert(p.opal);
	ck_assert_uint_eq(p.controllers, 1);
}
END_TEST

START_TEST(test_two_controllers)
{
	static const struct {
		const char *model;
		unsigned controllers;
	} rows[] = {{"INTEL SSDPECME040T4Y", 2},
		    {"INTEL SSDPECKE064T7", 2},
		    {"INTEL SSDPECKE064T8", 2},
		    {"INTEL SSDPEDMD020T4", 1},
		    {"INTEL SSDPE2KE016T8", 1}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct ssd_identity id = {rows[i].model, "", 0x8086, -1, -1, -1};
		struct intel_product p;

		ck_assert(intel_identify(&id, &p));
		ck_assert_msg(p.controllers == rows[i].controllers, "%s", rows[i].model);
	}
}
END_TEST

/* isdct: "0 (25W)" on a P3700, "0 40W for 8 Lane Slot power" on a P3608; SPDK: 20 and 10 W. */
START_TEST(test_power_limits)
{
	static const struct {
		const char *model;
		int64_t mode;
		unsigned watts;
	} rows[] = {{"INTEL SSDPEDMD020T4", 0, 25}, {"INTEL SSDPEDMD020T4", 1, 20},  {"INTEL SSDPEDMD020T4", 2, 10},
		    {"INTEL SSDPEDMD020T4", 3, 0},  {"INTEL SSDPECME040T4Y", 0, 40}, {"INTEL SSDPECME040T4Y", 1, 0},
		    {"INTEL SSDPEDME020T4", 0, 25}, {"INTEL SSDPE2MX020T4", 2, 10},  {"INTEL SSDPELKX020T8", 0, 0},
		    {"INTEL SSDPE2KX040T8", 1, 0},  {"INTEL SSDPEDMW400G4", 0, 0},   {"INTEL SSDPECKE064T8", 0, 0},
		    {"INTEL SSDPED1K375GA", 0, 0},  {"INTEL SSDPEDMD020T4", -1, 0}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct ssd_identity id = {rows[i].model, "", 0x8086, -1, -1, -1};
		struct intel_product p;

		ck_assert(intel_identify(&id, &p));
		ck_assert_msg(intel_power_limit(&p, rows[i].mode) == rows[i].watts, "row %zu", i);
	}
}
END_TEST

/* ---- published figures ---- */

static json_t *facts(void)
{
	json_t *json = json_load_file("tests/data/intel-models.json", 0, NULL);

	ck_assert(json_is_array(json));
	return json;
}

static void check_number(const json_t *fact, const char *key, double value)
{
	const json_t *n = json_object_get(fact, key);
	double expected = json_is_number(n) ? json_number_value(n) : 0;

	ck_assert_msg(expected > 0 ? value == expected : value == 0, "%s %s: %g, not %g",
		      json_string_value(json_object_get(fact, "family")), key, value, expected);
}

static void check_text(const json_t *fact, const char *key, const char *value)
{
	const char *expected = json_string_value(json_object_get(fact, key));

	ck_assert_msg(same(value, expected), "%s: %s, not %s", key, value, expected);
}

START_TEST(test_ratings)
{
	json_t *json = facts();

	ck_assert_uint_eq(intel_n_ratings, json_array_size(json));
	for (size_t i = 0; i < intel_n_ratings; i++) {
		const struct ssd_rating *r = &intel_ratings[i];
		const json_t *f = json_array_get(json, i), *watts = json_object_get(f, "active_power_w");

		check_text(f, "family", r->family);
		check_text(f, "model_prefix", r->model_prefix);
		check_text(f, "form_factor", r->form_factor);
		check_text(f, "source", r->source);
		check_text(f, "notes", r->notes);
		/* "series maxima applied to every capacity", "family maximum": no figure of the model itself. */
		ck_assert(ssd_rating_is_up_to(r) ==
			  (!r->capacity_gb || (r->notes && !strncmp(r->notes, "series maxima applied", 21))));
		check_number(f, "capacity_gb", r->capacity_gb);
		check_number(f, "pcie_gen", r->pcie_generation);
		check_number(f, "pcie_lanes", r->pcie_lanes);
		check_number(f, "seq_read_mbps", r->read_mb_per_s);
		check_number(f, "seq_write_mbps", r->write_mb_per_s);
		check_number(f, "rand_read_iops", r->read_iops);
		check_number(f, "rand_write_iops", r->write_iops);
		check_number(f, "rand_7030_iops", r->mixed_iops);
		check_number(f, "endurance_pbw", r->endurance_pb);
		check_number(f, "dwpd", r->drive_writes_per_day);
		check_number(f, "idle_power_w", r->idle_watts);
		if (json_is_object(watts)) {
			check_number(watts, "write", r->active_watts);
			check_number(watts, "read", r->active_read_watts);
		} else {
			check_number(f, "active_power_w", r->active_watts);
			ck_assert(r->active_read_watts == 0);
		}
	}
	json_decref(json);
}
END_TEST

static size_t rate(const char *model, const struct ssd_rating *rows[])
{
	const struct ssd_identity id = {model, "", 0x8086, -1, -1, -1};
	const char *family;

	return ssd_vendor_find(&id, &family)->rate(&id, rows);
}

/* The model's own row before its capacity's, that before the family's; none for what nobody published. */
START_TEST(test_which_rating)
{
	const struct ssd_rating *rows[SSD_RATINGS];

	ck_assert_uint_eq(rate("INTEL SSDPED1K375GA", rows), 1);
	ck_assert_str_eq(rows[0]->model_prefix, "SSDPED1K375GA");
	ck_assert_uint_eq(rate("INTEL SSDPEDMD016T4", rows), 2);
	ck_assert_uint_eq(rows[0]->capacity_gb, 1600);
	ck_assert_double_eq(rows[0]->endurance_pb, 43.8);
	ck_assert_uint_eq(rows[1]->capacity_gb, 0);
	ck_assert_uint_eq(rows[1]->read_mb_per_s, 2800);
	ck_assert_uint_eq(rate("INTEL SSDPEDMW400G4", rows), 2);
	ck_assert_uint_eq(rows[0]->read_mb_per_s, 2200);
	ck_assert_uint_eq(rate("Dell Ent NVMe P5500 RI U.2 1.92TB", rows), 1);
	ck_assert_uint_eq(rows[0]->capacity_gb, 1920);
	ck_assert_uint_eq(rate("INTEL SSDPE2KX040T8", rows), 0);
	ck_assert_uint_eq(rate("INTEL SSDPELKX020T8", rows), 0);
}
END_TEST

CHECK_MAIN("intel_products", test_models, test_other_vendors, test_pci, test_model_and_pci, test_two_controllers,
	   test_power_limits, test_ratings, test_which_rating)
