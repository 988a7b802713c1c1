/* SPDX-License-Identifier: MIT */
/*
 * Drives that `sim create` can make. A model is data; encode.c and encode_intel.c turn it into the pages of a controller
 * directory, through libnvme's structs, so that what is written here and what the decoders read are two independent
 * descriptions of the same bytes.
 */
#ifndef SSDCT_SIM_MODELS_H
#define SSDCT_SIM_MODELS_H

#include "sim/hostfile.h"

#include <ssdct/err.h>

struct sim_lba_format {
	uint16_t metadata_bytes;
	uint8_t shift, performance;
};

/* SMART / Health, log page 02h. */
struct sim_smart {
	uint16_t kelvin, sensors[8];
	uint8_t spare_percent, spare_threshold_percent, used_percent;
	uint64_t units_read, units_written; /* thousands of 512 bytes */
	uint64_t reads, writes, busy_minutes, power_cycles, power_on_hours, unsafe_shutdowns;
};

/* An entry of Intel's log page CAh: raw is 48 bits. */
struct sim_attr {
	uint8_t key, normalized;
	uint64_t raw;
	uint8_t holes; /* empty entries before it */
};

/* Buckets of a latency histogram that are not empty. */
struct sim_bucket {
	uint16_t index;
	uint32_t count;
};
#define SIM_WEAR(min, max, avg) ((uint64_t)(min) | (uint64_t)(max) << 16 | (uint64_t)(avg) << 32)

/* Intel's pages; all NULL or zero on a drive that refuses them. */
struct sim_intel {
	const char *market_name;      /* DDh */
	const char *boot_loader;      /* Identify Controller, vendor area */
	const struct sim_attr *attrs; /* CAh, ended by key 0 */
	struct {
		int current, highest, lowest, maximum, minimum, offset; /* C5h, Celsius */
	} temperature;
	const uint8_t *directory;                /* C0h: LIDs that it lists, ended by 0 */
	uint16_t latency_major, latency_minor;   /* C1h and C2h */
	const struct sim_bucket *reads, *writes; /* NAND drives, while tracking is on; ended by a count of 0 */
	uint16_t dump_major, dump_minor;         /* of the debug dumps; 0: it has none */
	const uint8_t *more; /* of the pages of later drives those that it has, ended by 0; NULL: none */
	bool at_d5;          /* temperatures are at D5h, and a page of OCP's is at C5h */
};

/* Of the models, by their names; models_intel.c. */
extern const struct sim_intel p3700_intel, p3600_intel, p3608_intel, p5520_intel, p5510_intel, p5316_intel, p5336_intel,
	ps1010_intel, p4510_intel, p4610_intel, p4800x_intel;

/* A feature of drive.json: an integer, or an object when it has capabilities. */
struct sim_model_feature {
	const char *key;
	int64_t current;
	int64_t initial; /* object: default and saved */
	bool object;
	uint8_t capabilities; /* object: bit 0 saveable, 1 namespace specific, 2 changeable */
};

struct sim_model {
	const char *name, *summary;
	const char *model, *serial_prefix, *serial_suffix; /* serial: prefix, five characters, suffix */
	const char *slots[7];                              /* firmware revisions by slot, NULL: empty */
	uint8_t running_slot;
	uint16_t vid, ssvid, pci_device, pci_subsystem_device;
	const char *link_speed, *link_width;
	uint32_t ieee;    /* OUI; 0: none */
	uint64_t sectors; /* of 512 bytes */
	uint32_t ver, oaes, rtd3r, rtd3e, nn, sanicap;
	uint16_t oacs, oncs, wctemp, cctemp, mtfa, edstt, centiwatts;
	uint8_t mdts, acl, aerl, frmw, lpa, elpe, fna, vwc, fwug, stripe, dpc, mc;
	bool capacity, identifiers; /* has TNVMCAP; EUI64 and NGUID */
	bool progress, buffers;     /* has FPI; LBA Range Type and Host Identifier, which have data */
	bool uuids;                 /* lists OCP's UUID and Solidigm's: C0h to C5h are OCP's by the first one */
	bool card;                  /* two controllers on one card: serial numbers that end in -1 and -2 */
	const struct sim_lba_format *formats;
	uint8_t n_formats;
	struct sim_smart smart;
	const struct sim_intel *intel;
	const struct sim_model_feature *features; /* ended by a NULL key */
};

extern const struct sim_model *const sim_models[]; /* NULL-terminated */
const struct sim_model *sim_model_find(const char *name);

/* Bytes of one namespace: all of the drive, in whole blocks. */
static inline uint64_t sim_model_bytes(const struct sim_model *m)
{
	return m->sectors * 512;
}

/* The serial number of the index-th drive of a host (of a card: of the index-th controller of its model): 20 characters
 * at most, and the NUL. */
void sim_model_serial(const struct sim_model *m, unsigned index, char serial[21]);

/* Where pages go. Returns 0, or -1 with the sink's own error. */
struct sim_sink {
	int (*put)(struct sim_sink *sink, const struct host_file *page, const void *data, size_t len);
};
/* All pages of the index-th drive of a host. Returns 0, or -1 from the sink. */
int sim_model_encode(const struct sim_model *m, unsigned index, struct sim_sink *sink);
/* Intel's; the vendor area of Identify Controller, which begins at byte 3072. */
int sim_intel_encode(const struct sim_model *m, struct sim_sink *sink);
int sim_intel_encode_dumps(const struct sim_intel *intel, struct sim_sink *sink);
void sim_intel_identify(const struct sim_model *m, unsigned index, uint8_t vs[1024]);

/* OCP's pages, for models that have them among the pages of later drives. */
int sim_ocp_smart(const struct sim_model *m, struct sim_sink *sink);
int sim_ocp_error_recovery(const struct sim_model *m, struct sim_sink *sink);
int sim_ocp_firmware_history(const struct sim_model *m, struct sim_sink *sink);
int sim_ocp_latency(const struct sim_model *m, struct sim_sink *sink);
int sim_ocp_capabilities(const struct sim_model *m, struct sim_sink *sink);
int sim_ocp_unsupported(const struct sim_model *m, struct sim_sink *sink);

#endif
