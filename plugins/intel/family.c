/* SPDX-License-Identifier: MIT */
/*
 * Product lines by model number, by PCI ids, and where both leave it open by the firmware revision. The grammar of a model
 * code: SSDP, bus generation (E 3.0, F 4.0, D dual port), form, two letters of product line, capacity (three digits, G or
 * T), media generation, and what a customer or an OPAL build adds. Identify shows it after "INTEL " or "SOLIDIGM ", OEM
 * drives sometimes without; Dell's strings name the line instead ("Dell Express Flash NVMe P4510 2TB SFF").
 *
 * Sources: PCI ID database (pciutils/pciids), Intel product specifications 330566, 330569, 332164, libnvme_solidigm.c of
 * illumos, Lenovo's firmware lists (P4801X 100 GB, P4618), isdct's output, and model strings in public tool output.
 */
#include "intel.h"

#include <ctype.h>
#include <fnmatch.h>

struct line {
	const char *pattern; /* of the model code; NULL: no source gives it */
	const char *number;  /* as in Dell's strings */
	const char *name;
	enum intel_generation generation;
	unsigned controllers; /* 0: one */
};

/* The first that matches. */
static const struct line lines[] = {
	{"SSDPECME???[GT]4*", "P3608", "Intel SSD DC P3608", INTEL_NAND, 2},
	{"SSDPE?MD???[GT]4*", "P3700", "Intel SSD DC P3700", INTEL_NAND},
	{"SSDPE?ME???[GT]4*", "P3600", "Intel SSD DC P3600", INTEL_NAND},
	{"SSDPE?MX???[GT]4*", "P3500", "Intel SSD DC P3500", INTEL_NAND},
	{"SSDPE?MX???[GT]7*", "P3520", "Intel SSD DC P3520", INTEL_NAND},
	/* The same controller and firmware line as P3500 and P3600 (PCI device 0953h). */
	{"SSDPE?MW???[GT]4*", "750", "Intel SSD 750", INTEL_NAND},
	{"SSDPE7KX???[GT]7*", "P4501", "Intel SSD DC P4501", INTEL_NAND},
	{"SSDPE?KX???[GT]7*", "P4500", "Intel SSD DC P4500", INTEL_NAND},
	{"SSDPELKX???[GT]8*", "P4511", "Intel SSD DC P4511", INTEL_NAND},
	{"SSDPE?KX???[GT]8*", "P4510", "Intel SSD DC P4510", INTEL_NAND},
	{"SSDPECKE???[GT]7*", "P4608", "Intel SSD DC P4608", INTEL_NAND, 2},
	{"SSDPE?KE???[GT]7*", "P4600", "Intel SSD DC P4600", INTEL_NAND},
	{"SSDPECKE???[GT]8*", "P4618", "Intel SSD DC P4618", INTEL_NAND, 2},
	{"SSDPE?KE???[GT]8*", "P4610", "Intel SSD DC P4610", INTEL_NAND},
	/* One code for both; the firmware does not tell them apart either. */
	{"SSDPE?NV???[GT]8*", "P4320/P4326", "Intel SSD D5-P4320/P4326", INTEL_NAND},
	/* With form K the letters NU mean a client drive. */
	{"SSDPE[!K]NU???[GT]*", "P4420", "Intel SSD D5-P4420", INTEL_NAND},
	{"SSDPF?KX???[GT]Z*", "P5510", "Intel SSD D7-P5510", INTEL_P5510},
	{NULL, "P5500", "Intel SSD D7-P5500", INTEL_PLAIN},
	{NULL, "P5600", "Intel SSD D7-P5600", INTEL_PLAIN},
	{"SSDPF?NV???[GT]Z*", "P5316", "Intel SSD D5-P5316", INTEL_PLAIN},
	{"SSDPEL1K???[GT]A*", "P4801X", "Intel Optane SSD DC P4801X", INTEL_OPTANE},
	{"SSDPE?1K100GA*", "P4801X", "Intel Optane SSD DC P4801X", INTEL_OPTANE},
	{"SSDPE?1K???[GT]A*", "P4800X", "Intel Optane SSD DC P4800X", INTEL_OPTANE},
	{"MDTPE?1K???[GT]A*", "P4800X", "Intel Optane SSD DC P4800X", INTEL_OPTANE},
	{"SSDPD?1K???[GT]A*", "D4800X", "Intel Optane SSD DC D4800X", INTEL_OPTANE},
	/* The firmware line of the P4800X (E201). */
	{"SSDPE?1D???[GT]A*", "900P/905P", "Intel Optane SSD 900P/905P", INTEL_OPTANE},
	{"SSDPF?1Q???[GT]*", "P5800X", "Intel Optane SSD DC P5800X", INTEL_OPTANE},
	{"SSDPF?KX???[GT]1*", "P5520", "Solidigm D7-P5520", INTEL_P5X20},
	{"SSDPF?KE???[GT]1*", "P5620", "Solidigm D7-P5620", INTEL_P5X20},
	{"SSDPF2SQ???[GT]Z*", "P5810", "Solidigm D7-P5810", INTEL_QLC},
	{"SBFPF?BU???T*", "P5430", "Solidigm D5-P5430", INTEL_QLC},
	{"SBFPF?BV????*", "P5336", "Solidigm D5-P5336", INTEL_QLC},
	{NULL, "P5530", "Solidigm D7-P5530", INTEL_QLC},
	{NULL, "PS1010", "Solidigm D7-PS1010", INTEL_PS10X0},
	{NULL, "PS1030", "Solidigm D7-PS1030", INTEL_PS10X0},
	/* Controllers of other makers or of the Optane memory line: no source says that they answer Intel's pages. */
	{"SSDPEKKA???[GT]7*", "P3100", "Intel SSD DC P3100", INTEL_NONE},
	{"SSDPEKKA???[GT]8*", "P4101", "Intel SSD DC P4101", INTEL_NONE},
	{"SSDPEK1A???GA*", "P1600X", "Intel Optane SSD P1600X", INTEL_NONE},
	/* Renamed drives of which only the PCI device and the firmware line are known. */
	{NULL, "P3500/P3600/P3700", "Intel SSD DC P3500/P3600/P3700", INTEL_NAND},
	{NULL, "P4500/P4600", "Intel SSD DC P4500/P4600", INTEL_NAND},
	{NULL, "P4510/P4610", "Intel SSD DC P4510/P4610", INTEL_NAND},
};

enum {
	INTEL = 0x8086,
	SOLIDIGM = 0x025e,
	DELL = 0x1028,
	HPE = 0x1590,
	LENOVO = 0x1d49,
	CISCO = 0x1137,
	ORACLE = 0x108e
};

#define U2 "2.5-inch"
#define AIC "add-in card"
#define M2 "M.2"
#define E1L "E1.L"
#define E1S "E1.S"
#define E3S "E3.S"

/*
 * By PCI device and subsystem, for drives whose model number says nothing (pciutils/pciids; illumos for 0b60 and 2b59): other
 * makers' models and firmware revisions are their own. The first that fits.
 */
static const struct pci_row {
	uint16_t vendor, device; /* vendor 0: either */
	uint16_t sub_vendor;     /* 0: the vendor itself, or its old or new name */
	uint16_t first, last;    /* subsystem device */
	const char *number, *form_factor;
} pci_rows[] = {
	{INTEL, 0x0953, 0, 0x3702, 0x3702, "P3700", AIC},
	{INTEL, 0x0953, 0, 0x3703, 0x3703, "P3700", U2},
	{INTEL, 0x0953, 0, 0x3704, 0x3704, "P3500", AIC},
	{INTEL, 0x0953, 0, 0x3705, 0x3705, "P3500", U2},
	{INTEL, 0x0953, 0, 0x3709, 0x3709, "P3600", AIC},
	{INTEL, 0x0953, 0, 0x370a, 0x370a, "P3600", U2},
	{INTEL, 0x0953, 0, 0x370d, 0x370d, "750", AIC},
	{INTEL, 0x0953, 0, 0x370e, 0x370e, "750", U2},
	{INTEL, 0x0a54, 0, 0x4702, 0x4702, "P4500", U2},
	{INTEL, 0x0a54, 0, 0x4704, 0x4704, "P4500", AIC},
	{INTEL, 0x0a54, 0, 0x4712, 0x4712, "P4600", U2},
	{INTEL, 0x0a54, 0, 0x4714, 0x4714, "P4600", AIC},
	{INTEL, 0x0a54, 0, 0x4802, 0x4802, "P4510", U2},
	{INTEL, 0x0a54, 0, 0x4804, 0x4804, "P4510", AIC},
	{INTEL, 0x0a54, 0, 0x4805, 0x4805, "P4511", M2},
	{INTEL, 0x0a54, 0, 0x4812, 0x4812, "P4610", U2},
	{INTEL, 0x0a54, 0, 0x4814, 0x4814, "P4610", AIC},
	{INTEL, 0x0a54, 0, 0x4308, 0x4308, "P4320/P4326", NULL},
	{INTEL, 0x0a54, DELL, 0x1fe1, 0x1fe3, "P4500", U2},
	{INTEL, 0x0a54, DELL, 0x1fe4, 0x1fe4, "P4500", AIC},
	{INTEL, 0x0a54, DELL, 0x1fee, 0x1ff0, "P4610", U2},
	{INTEL, 0x0a54, DELL, 0x1fff, 0x1fff, "P4510", U2},
	{INTEL, 0x0a54, DELL, 0x2003, 0x2005, "P4510", U2},
	{INTEL, 0x0a54, HPE, 0x025d, 0x025f, "P4500", U2},
	{INTEL, 0x0a54, HPE, 0x0262, 0x0262, "P4600", U2},
	{INTEL, 0x0a54, HPE, 0x0264, 0x0265, "P4600", U2},
	{INTEL, 0x0a54, HPE, 0x026c, 0x026c, "P4500", AIC},
	{INTEL, 0x0a54, LENOVO, 0x4702, 0x4702, "P4500", U2},
	{INTEL, 0x0a54, LENOVO, 0x4704, 0x4704, "P4500", AIC},
	{INTEL, 0x0a54, LENOVO, 0x4712, 0x4712, "P4600", U2},
	{INTEL, 0x0a54, LENOVO, 0x4714, 0x4714, "P4600", AIC},
	{INTEL, 0x0a54, LENOVO, 0x4802, 0x4802, "P4510", U2},
	{INTEL, 0x0a54, LENOVO, 0x4812, 0x4812, "P4610", U2},
	{INTEL, 0x0a54, CISCO, 0x0227, 0x0229, "P4600", U2},
	{INTEL, 0x0a54, CISCO, 0x022b, 0x022d, "P4500", U2},
	{INTEL, 0x0a54, CISCO, 0x0231, 0x0233, "P4501", U2},
	{INTEL, 0x0a54, CISCO, 0x0258, 0x0258, "P4610", U2},
	{INTEL, 0x0a54, CISCO, 0x025a, 0x025a, "P4610", U2},
	{INTEL, 0x0a54, CISCO, 0x025b, 0x025e, "P4510", U2},
	{INTEL, 0x0a54, ORACLE, 0x4870, 0x4870, "P4608", AIC},
	{INTEL, 0x0a54, ORACLE, 0x4871, 0x4871, "P4600", U2},
	{INTEL, 0x0a54, ORACLE, 0x4879, 0x4879, "P4618", AIC},
	{INTEL, 0x0a54, ORACLE, 0x487a, 0x487a, "P4610", U2},
	{INTEL, 0x0a55, DELL, 0x1fe5, 0x1fe7, "P4600", U2},
	{INTEL, 0x0a55, DELL, 0x1fe8, 0x1fe9, "P4600", AIC},
	{0, 0x0b60, 0, 0x8008, 0x8008, "P5510", U2},
	{0, 0x0b60, 0, 0x8208, 0x8208, "P5810", U2},
	{0, 0x0b60, 0, 0x8d08, 0x8d08, "P5316", U2},
	{0, 0x0b60, 0, 0x8d1d, 0x8d1d, "P5316", E1L},
	{0, 0x0b60, 0, 0xc008, 0xc008, "P5530", U2},
	{0, 0x0b60, 0, 0x9008, 0x9008, "P5520", U2},
	{0, 0x0b60, 0, 0x900c, 0x900d, "P5520", E1S},
	{0, 0x0b60, 0, 0x901c, 0x901c, "P5520", E1L},
	{0, 0x0b60, 0, 0x9108, 0x9108, "P5620", U2},
	{0, 0x0b60, 0, 0xd408, 0xd408, "P5430", U2},
	{0, 0x0b60, 0, 0xd40c, 0xd40c, "P5430", E1S},
	{0, 0x0b60, 0, 0xd419, 0xd419, "P5430", E3S},
	{0, 0x0b60, 0, 0xd400, 0xd4ff, "P5430", NULL},
	{0, 0x0b60, 0, 0xd808, 0xd808, "P5336", U2},
	{0, 0x0b60, 0, 0xd819, 0xd819, "P5336", E3S},
	{0, 0x0b60, 0, 0xd81c, 0xd81d, "P5336", E1L},
	{0, 0x0b60, 0, 0xd800, 0xd8ff, "P5336", NULL},
	{0, 0x0b60, DELL, 0x2060, 0x2062, "P5600", U2},
	{0, 0x0b60, DELL, 0x2064, 0x2066, "P5500", U2},
	{0, 0x0b60, DELL, 0x209e, 0x209f, "P5600", U2},
	{0, 0x0b60, DELL, 0x2100, 0x2100, "P5600", U2},
	{0, 0x0b60, DELL, 0x2102, 0x2104, "P5500", U2},
	{0, 0x0b60, DELL, 0x219a, 0x219f, "P5316", NULL},
	{SOLIDIGM, 0x2b59, 0, 0x0008, 0x0008, "PS1010", U2},
	{SOLIDIGM, 0x2b59, 0, 0x000c, 0x000d, "PS1010", E1S},
	{SOLIDIGM, 0x2b59, 0, 0x0019, 0x0019, "PS1010", E3S},
	{SOLIDIGM, 0x2b59, 0, 0x0108, 0x0108, "PS1030", U2},
	{SOLIDIGM, 0x2b59, 0, 0x0119, 0x0119, "PS1030", E3S},
	{SOLIDIGM, 0x2b59, ORACLE, 0x48a0, 0x48a2, "PS1010", U2},
	{SOLIDIGM, 0x2b59, ORACLE, 0x48a3, 0x48a3, "PS1030", AIC},
	{SOLIDIGM, 0x2b59, ORACLE, 0x48a4, 0x48a6, "PS1010", E3S},
	{INTEL, 0x2700, 0, 0x3900, 0x3900, "900P/905P", AIC},
	{INTEL, 0x2700, 0, 0x3901, 0x3901, "900P/905P", U2},
	{INTEL, 0x2701, 0, 0x3904, 0x3904, "P4800X", AIC},
	{INTEL, 0x2701, 0, 0x3905, 0x3905, "P4800X", U2},
	{INTEL, 0x2701, DELL, 0x2000, 0x2001, "P4800X", U2},
	{INTEL, 0x2701, DELL, 0x2002, 0x2002, "P4800X", AIC},
	{INTEL, 0x2701, DELL, 0x200a, 0x200a, "P4800X", AIC},
	{INTEL, 0x4140, DELL, 0x2134, 0x2139, "P5800X", U2},
};

/* Whatever the subsystem; where a device id is of several lines the firmware's first characters tell more of it. */
static const struct {
	uint16_t device;
	const char *firmware; /* its first characters; NULL: any */
	const char *number;
} device_rows[] = {
	{0x0953, "8EV1", "750"},         {0x0953, "8DV1", "P3500/P3600/P3700"},
	{0x0a53, NULL, "P3520"},         {0x0a54, "QDV1", "P4500/P4600"},
	{0x0a54, "VDV1", "P4510/P4610"}, {0x0a54, "VEV1", "P4510"},
	{0x0a54, "VCV1", "P4511"},       {0x0a55, "QDV1", "P4500/P4600"},
	{0x0a55, "VDV1", "P4510/P4610"}, {0x0b60, "JCV1", "P5510"},
	{0x0b60, "ACV1", "P5316"},       {0x2700, NULL, "900P/905P"},
	{0x2701, NULL, "P4800X"},        {0x2525, NULL, "P1600X"},
	{0x4140, NULL, "P5800X"},
};

/* Places of the letters in a model code. */
enum { BUS = 4, FORM = 5, CAPACITY = 8, UNIT = 11, MEDIA = 12, SUFFIX = 13 };

static const struct {
	char letter;
	const char *form_factor;
} forms[] = {{'2', U2}, {'7', U2}, {'D', AIC}, {'C', AIC}, {'L', M2}, {'K', M2}, {'R', E1L}, {'W', E1L}};

static const struct {
	char letter;
	const char *media;
} media[] = {{'4', "20 nm MLC NAND"},
	     {'7', "3D NAND, first generation"},
	     {'8', "3D NAND, second generation"},
	     {'Z', "3D NAND, fourth generation"},
	     {'1', "3D NAND, fourth generation"},
	     {'A', "3D XPoint, first generation"},
	     {'B', "3D XPoint, second generation"}};

/* Tenths of a terabyte, but for these. */
static const struct {
	unsigned code, gigabytes;
} capacities[] = {{19, 1920}, {38, 3840}, {76, 7680}, {153, 15360}, {307, 30720}};

static const char *skip_prefix(const char *s, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncasecmp(s, prefix, len) ? s : s + len;
}

/* A word of Dell's string after the first, in either case ("P5800x"). */
static bool has_word(const char *model, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = strchr(model, ' '); p; p = strchr(p, ' '))
		if (!strncasecmp(++p, word, len) && (!p[len] || p[len] == ' '))
			return true;
	return false;
}

static bool is_dell(const char *model)
{
	return !strncasecmp(model, "Dell ", 5);
}

static const struct line *by_number(const char *number)
{
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		if (!strcmp(lines[i].number, number))
			return &lines[i];
	return NULL;
}

static const struct line *by_model(const char *model, const char *code)
{
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		if (lines[i].pattern && !fnmatch(lines[i].pattern, code, 0))
			return &lines[i];
		if (is_dell(model) && *lines[i].number == 'P' && has_word(model, lines[i].number))
			return &lines[i];
	}
	return NULL;
}

static const struct pci_row *pci_row(const struct ssd_identity *id)
{
	bool own = id->pci_subsystem_vendor == INTEL || id->pci_subsystem_vendor == SOLIDIGM;

	for (const struct pci_row *r = pci_rows; r < pci_rows + ARRAY_SIZE(pci_rows); r++)
		if (r->device == id->pci_device && (!r->vendor || r->vendor == id->pci_vendor) &&
		    (r->sub_vendor ? r->sub_vendor == id->pci_subsystem_vendor : own) &&
		    r->first <= id->pci_subsystem_device && id->pci_subsystem_device <= r->last)
			return r;
	return NULL;
}

/* A drive under another name: the PCI ids are still its maker's. */
static const struct line *by_pci(const struct ssd_identity *id, const struct pci_row *row)
{
	if (id->pci_vendor == -1)
		return NULL;
	if (row)
		return by_number(row->number);
	for (size_t i = 0; i < ARRAY_SIZE(device_rows); i++) {
		const char *firmware = device_rows[i].firmware;

		if (device_rows[i].device == id->pci_device &&
		    (!firmware || (id->firmware && !strncmp(id->firmware, firmware, strlen(firmware)))))
			return by_number(device_rows[i].number);
	}
	return NULL;
}

static uint64_t capacity_of(const char *code)
{
	unsigned n;

	if (!isdigit((unsigned char)code[CAPACITY]) || !isdigit((unsigned char)code[CAPACITY + 1]) ||
	    !isdigit((unsigned char)code[CAPACITY + 2]))
		return 0;
	n = (unsigned)strtoul(code + CAPACITY, NULL, 10);
	if (code[UNIT] == 'G')
		return n * UINT64_C(1000000000);
	for (size_t i = 0; i < ARRAY_SIZE(capacities); i++)
		if (capacities[i].code == n)
			return capacities[i].gigabytes * UINT64_C(1000000000);
	return n * UINT64_C(100000000000);
}

/*
 * The last letter of some OEM builds: "OEM : Cray" in isdct's output of a ...T4Y; K and R as people have met them on
 * Cisco's and Dell's drives.
 */
static const struct {
	char letter;
	const char *brand;
} suffixes[] = {{'Y', "Cray"}, {'K', "Cisco"}, {'R', "Dell"}};

static void read_suffix(const char *suffix, struct intel_product *p)
{
	p->opal = !strcmp(suffix, "O") || !strcmp(suffix, "OS");
	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++)
		if (suffix[0] == suffixes[i].letter && !suffix[1])
			p->brand = suffixes[i].brand;
}

static void read_code(const char *code, struct intel_product *p)
{
	ssd_strcpy(p->code, sizeof(p->code), code);
	p->code[strcspn(p->code, " ")] = '\0';
	if (strlen(p->code) <= MEDIA || (strncmp(code, "SSDP", 4) && strncmp(code, "MDTP", 4)))
		return;
	p->pcie_generation = code[BUS] == 'E' ? 3 : code[BUS] == 'F' ? 4 : 0;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		if (forms[i].letter == code[FORM])
			p->form_factor = forms[i].form_factor;
	for (size_t i = 0; i < ARRAY_SIZE(media); i++)
		if (media[i].letter == code[MEDIA])
			p->media = media[i].media;
	p->capacity_bytes = capacity_of(code);
	read_suffix(p->code + SUFFIX, p);
}

/* "2TB", "1.92TB", "375GB"; and what kind of card it is. */
static void read_dell(const char *model, struct intel_product *p)
{
	p->brand = "Dell";
	if (has_word(model, "SFF") || has_word(model, "U.2"))
		p->form_factor = U2;
	else if (has_word(model, "AIC") || has_word(model, "HHHL"))
		p->form_factor = AIC;
	for (const char *w = strchr(model, ' '); w; w = strchr(w, ' ')) {
		char *unit;
		double n = strtod(++w, &unit);

		if (isdigit((unsigned char)*w) && (!strncmp(unit, "TB", 2) || !strncmp(unit, "GB", 2)))
			p->capacity_bytes = (uint64_t)(n * 1000 + 0.5) * (*unit == 'T' ? 1000000000 : 1000000);
	}
}

static const struct {
	uint16_t id;
	const char *name;
} brands[] = {{DELL, "Dell"}, {HPE, "HPE"}, {LENOVO, "Lenovo"}, {CISCO, "Cisco"}, {ORACLE, "Oracle"}};

bool intel_identify(const struct ssd_identity *id, struct intel_product *p)
{
	const char *model = id->model ? id->model : "", *code;
	const struct pci_row *row = pci_row(id);
	const struct line *line;

	*p = (struct intel_product){0};
	if (id->pci_vendor != -1 && id->pci_vendor != INTEL && id->pci_vendor != SOLIDIGM)
		return false;
	while (*model == ' ')
		model++;
	code = skip_prefix(skip_prefix(model, "INTEL "), "SOLIDIGM ");
	line = by_model(model, code);
	if (line && is_dell(model))
		read_dell(model, p);
	else if (line)
		read_code(code, p);
	else
		line = by_pci(id, row);
	if (!line)
		return false;
	p->family = line->name;
	p->number = line->number;
	p->generation = line->generation;
	p->controllers = line->controllers ? line->controllers : 1;
	if (!p->form_factor && row)
		p->form_factor = row->form_factor;
	for (size_t i = 0; i < ARRAY_SIZE(brands); i++)
		if (brands[i].id == id->pci_subsystem_vendor)
			p->brand = brands[i].name;
	return true;
}

bool intel_identify_device(const struct ssd_device *dev, struct intel_product *p)
{
	struct ssd_identity_text text;
	struct ssd_identity id;

	return ssd_device_identity(dev, &text, &id) && intel_identify(&id, p);
}

/* Model, then family with this capacity, then the family at most. */
size_t intel_rate_product(const struct intel_product *p, const struct ssd_rating *rows[])
{
	uint64_t gb = p->capacity_bytes / 1000000000;
	size_t n = 0;

	for (unsigned pass = 0; pass < 3; pass++)
		for (const struct ssd_rating *r = intel_ratings; r < intel_ratings + intel_n_ratings; r++) {
			bool model = r->model_prefix && !strncmp(p->code, r->model_prefix, strlen(r->model_prefix));
			bool family = !r->model_prefix && !strcmp(r->family, p->number);
			bool fits = pass == 0   ? model
				    : pass == 1 ? family && r->capacity_gb && r->capacity_gb == gb
						: family && !r->capacity_gb;

			if (fits && n < SSD_RATINGS)
				rows[n++] = r;
		}
	return n;
}

size_t intel_rate(const struct ssd_identity *id, const struct ssd_rating *rows[])
{
	struct intel_product p;

	return intel_identify(id, &p) ? intel_rate_product(&p, rows) : 0;
}
