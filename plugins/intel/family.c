/* SPDX-License-Identifier: MIT */
/*
 * Product lines by model number. The grammar: SSDP, bus generation (E 3.0, F 4.0, D dual port), form (2 2.5", D card,
 * C double-width card, 7 and L and K M.2, R W U ruler), two letters of product line, capacity (three digits, G or T),
 * media generation, and what a customer or an OPAL build adds. Identify shows it after "INTEL " or "SOLIDIGM ", OEM drives
 * sometimes without; Dell's strings name the line instead ("Dell Express Flash NVMe P4510 2TB SFF").
 *
 * Sources: PCI ID database (pciutils/pciids), Intel product specifications 330566, 330569, 332164, libnvme_solidigm.c of
 * illumos, Lenovo's firmware lists (P4801X 100 GB, P4618), and model strings in public tool output.
 */
#include "intel.h"

#include <ctype.h>
#include <fnmatch.h>

struct line {
	const char *pattern; /* of the model code; NULL: no source gives it */
	const char *number;  /* as in Dell's strings; NULL: none is known */
	const char *name;
	enum intel_logs logs;
};

/* The first that matches. */
static const struct line lines[] = {
	{"SSDPECME???[GT]4*", "P3608", "Intel SSD DC P3608", INTEL_LOGS_DIRECTORY},
	{"SSDPE?MD???[GT]4*", "P3700", "Intel SSD DC P3700", INTEL_LOGS_DIRECTORY},
	{"SSDPE?ME???[GT]4*", "P3600", "Intel SSD DC P3600", INTEL_LOGS_DIRECTORY},
	{"SSDPE?MX???[GT]4*", "P3500", "Intel SSD DC P3500", INTEL_LOGS_DIRECTORY},
	{"SSDPE?MX???[GT]7*", "P3520", "Intel SSD DC P3520", INTEL_LOGS_DIRECTORY},
	/* The same controller and firmware line as P3500 and P3600 (PCI device 0953h). */
	{"SSDPE?MW???[GT]4*", NULL, "Intel SSD 750", INTEL_LOGS_DIRECTORY},
	{"SSDPE7KX???[GT]7*", "P4501", "Intel SSD DC P4501", INTEL_LOGS_DIRECTORY},
	{"SSDPE?KX???[GT]7*", "P4500", "Intel SSD DC P4500", INTEL_LOGS_DIRECTORY},
	{"SSDPELKX???[GT]8*", "P4511", "Intel SSD DC P4511", INTEL_LOGS_DIRECTORY},
	{"SSDPE?KX???[GT]8*", "P4510", "Intel SSD DC P4510", INTEL_LOGS_DIRECTORY},
	{"SSDPECKE???[GT]7*", "P4608", "Intel SSD DC P4608", INTEL_LOGS_DIRECTORY},
	{"SSDPE?KE???[GT]7*", "P4600", "Intel SSD DC P4600", INTEL_LOGS_DIRECTORY},
	{"SSDPECKE???[GT]8*", "P4618", "Intel SSD DC P4618", INTEL_LOGS_DIRECTORY},
	{"SSDPE?KE???[GT]8*", "P4610", "Intel SSD DC P4610", INTEL_LOGS_DIRECTORY},
	/* One code for both; the firmware does not tell them apart either. */
	{"SSDPE?NV???[GT]8*", NULL, "Intel SSD D5-P4320/P4326", INTEL_LOGS_DIRECTORY},
	/* With form K the letters NU mean a client drive. */
	{"SSDPE[!K]NU???[GT]*", "P4420", "Intel SSD D5-P4420", INTEL_LOGS_DIRECTORY},
	{"SSDPF?KX???[GT]Z*", "P5510", "Intel SSD D7-P5510", INTEL_LOGS_DIRECTORY},
	{NULL, "P5500", "Intel SSD D7-P5500", INTEL_LOGS_PLAIN},
	{NULL, "P5600", "Intel SSD D7-P5600", INTEL_LOGS_PLAIN},
	{"SSDPF?NV???[GT]Z*", "P5316", "Intel SSD D5-P5316", INTEL_LOGS_PLAIN},
	{"SSDPEL1K???[GT]A*", "P4801X", "Intel Optane SSD DC P4801X", INTEL_LOGS_PLAIN},
	{"SSDPE?1K100GA*", "P4801X", "Intel Optane SSD DC P4801X", INTEL_LOGS_PLAIN},
	{"SSDPE?1K???[GT]A*", "P4800X", "Intel Optane SSD DC P4800X", INTEL_LOGS_PLAIN},
	{"MDTPE?1K???[GT]A*", NULL, "Intel Optane SSD DC P4800X", INTEL_LOGS_PLAIN},
	{"SSDPD?1K???[GT]A*", NULL, "Intel Optane SSD DC D4800X", INTEL_LOGS_PLAIN},
	/* The firmware line of the P4800X (E201). */
	{"SSDPE?1D???[GT]A*", NULL, "Intel Optane SSD 900P/905P", INTEL_LOGS_PLAIN},
	{"SSDPF?1Q???[GT]*", "P5800X", "Intel Optane SSD DC P5800X", INTEL_LOGS_PLAIN},
	{"SSDPF?KX???[GT]1*", "P5520", "Solidigm D7-P5520", INTEL_LOGS_SOLIDIGM},
	{"SSDPF?KE???[GT]1*", "P5620", "Solidigm D7-P5620", INTEL_LOGS_SOLIDIGM},
	{"SSDPF2SQ???[GT]Z*", "P5810", "Solidigm D7-P5810", INTEL_LOGS_SOLIDIGM},
	{"SBFPF?BU???T*", "P5430", "Solidigm D5-P5430", INTEL_LOGS_SOLIDIGM},
	{"SBFPF?BV????*", "P5336", "Solidigm D5-P5336", INTEL_LOGS_SOLIDIGM},
	/* Controllers of other makers or of the Optane memory line: no source says that they answer Intel's pages. */
	{"SSDPEKKA???[GT]7*", NULL, "Intel SSD DC P3100", INTEL_LOGS_NONE},
	{"SSDPEKKA???[GT]8*", NULL, "Intel SSD DC P4101", INTEL_LOGS_NONE},
	{"SSDPEK1A???GA*", NULL, "Intel Optane SSD P1600X", INTEL_LOGS_NONE},
};

enum { VENDOR_INTEL = 0x8086, VENDOR_SOLIDIGM = 0x025e };

static const char *skip_prefix(const char *s, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncasecmp(s, prefix, len) ? s : s + len;
}

/* Whether a word of Dell's string is the number, in either case ("P5800x"). */
static bool has_word(const char *model, const char *number)
{
	size_t len = strlen(number);

	for (const char *p = strchr(model, ' '); p; p = strchr(p, ' '))
		if (!strncasecmp(++p, number, len) && (!p[len] || p[len] == ' '))
			return true;
	return false;
}

static const struct line *find(const char *model)
{
	const char *code;
	bool dell;

	while (*model == ' ')
		model++;
	dell = !strncasecmp(model, "Dell ", 5);
	code = skip_prefix(skip_prefix(model, "INTEL "), "SOLIDIGM ");
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		if (lines[i].pattern && !fnmatch(lines[i].pattern, code, 0))
			return &lines[i];
		if (dell && lines[i].number && has_word(model, lines[i].number))
			return &lines[i];
	}
	return NULL;
}

const char *intel_family(const struct ssd_identity *id, enum intel_logs logs)
{
	const struct line *line;

	if (id->pci_vendor != -1 && id->pci_vendor != VENDOR_INTEL && id->pci_vendor != VENDOR_SOLIDIGM)
		return NULL;
	line = id->model ? find(id->model) : NULL;
	return line && line->logs == logs ? line->name : NULL;
}
