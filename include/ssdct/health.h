/* SPDX-License-Identifier: MIT */
/* Health: rules as data over a decoded document, and the verdict. */
#ifndef SSDCT_HEALTH_H
#define SSDCT_HEALTH_H

#include <ssdct/doc.h>
#include <ssdct/err.h>

struct ssd_device;
struct ssd_drive;

/* In the order of badness: critical > unknown > warning > ok; info never counts. */
enum ssd_severity { SSD_OK, SSD_INFO, SSD_WARNING, SSD_UNKNOWN, SSD_CRITICAL };
const char *ssd_severity_name(enum ssd_severity s);
/* The worse of two verdicts; info counts as ok. */
enum ssd_severity ssd_severity_worse(enum ssd_severity a, enum ssd_severity b);

struct ssd_thresholds {
	int64_t used_warning_percent, used_critical_percent;   /* -1: no such limit */
	int64_t temperature_warning, temperature_critical;     /* Celsius; INT64_MIN: the drive's own */
	int64_t media_errors_critical;                         /* -1: media errors are information */
	int64_t spare_warning_percent, spare_critical_percent; /* -1: the drive's own threshold */
};
#define SSD_THRESHOLDS_INIT                              \
	{                                                \
		90, -1, INT64_MIN, INT64_MIN, -1, -1, -1 \
	}

struct ssd_health_options {
	struct ssd_thresholds thresholds;
	const char *const *ignore; /* "ID" or "ID:DRIVE", DRIVE a device name or a serial number */
	size_t n_ignore;
};
#define SSD_HEALTH_OPTIONS_INIT              \
	{                                    \
		SSD_THRESHOLDS_INIT, NULL, 0 \
	}

/* All that the verdict on one drive depends on. */
struct ssd_health_input {
	const char *device, *serial;           /* for `ignore`; NULL: unknown */
	const char *state;                     /* of the controller, as sysfs says; NULL: unknown */
	const char *model, *firmware;          /* from Identify Controller, trimmed; NULL: not read */
	bool family_known;                     /* a vendor module knows it as a data-centre drive */
	const char *vendor_health;             /* what the drive says of itself in its vendor's words; NULL: nothing */
	uint64_t capacity_bytes;               /* 0: not reported */
	uint16_t wctemp_kelvin, cctemp_kelvin; /* WCTEMP and CCTEMP; 0: not reported */
	int32_t over_temperature_kelvin;       /* Get Features 04h, composite, over; -1: not asked or refused */
	const struct ssd_node *smart;          /* decoded log page 02h, or NULL */
	const struct ssd_node *sanitize;       /* decoded log page 81h; NULL: none, or not read */
	const struct ssd_node *self_test;      /* decoded log page 06h; NULL: none, or not read */
	const struct ssd_err *err;             /* why one of them or Identify could not be read whole, or NULL */
};

/* The verdict, and what it was found from. */
struct ssd_health {
	enum ssd_severity severity;                        /* never SSD_INFO */
	const struct ssd_node *smart;                      /* NULL: not readable, or not filled in by the drive */
	int64_t temperature_warning, temperature_critical; /* the limits in force, Celsius; INT64_MIN: none */
};

/* { id, severity, message, value, threshold } */
extern const struct ssd_field ssd_finding_fields[];
/* Every id that a finding can have, NULL-terminated. */
extern const char *const ssd_finding_ids[];

struct ssd_finding {
	const char *id;
	enum ssd_severity severity;
	int64_t value, threshold; /* INT64_MIN: null */
	const char *message;
	const char *device, *serial; /* of the drive that it concerns, for `ignore`; NULL: of none */
};
/*
 * Appends a finding to a list (NULL: to nothing), as information when the options ignore it: nobody should wonder why a
 * drive with a warning is "ok". Returns the severity that counts, never SSD_INFO.
 */
enum ssd_severity ssd_finding_add(struct ssd_node *findings, const struct ssd_health_options *options,
				  const struct ssd_finding *finding);

/* Whether a drive calls itself what a drive in fault mode does, and in words how: by what is known without a command. */
bool ssd_health_fault_identity(const struct ssd_drive *drive, char *text, size_t size);

/* Judges, without I/O. Findings are appended to `findings`, a list of ssd_finding_fields; NULL: only the verdict is wanted. */
struct ssd_health ssd_health_judge(const struct ssd_health_input *in, const struct ssd_health_options *options,
				   struct ssd_node *findings);

/*
 * Reads what is needed (Identify Controller, SMART, sanitize status and self-test log where Identify announces them, and
 * feature 04h when neither WCTEMP nor CCTEMP is reported) and judges. The SMART document belongs to the arena. Returns 0,
 * or -1 with *err set when the drive could not be read: then the verdict (unknown, or critical) and its findings are there
 * as well.
 */
int ssd_health_check(struct ssd_device *dev, struct ssd_arena *a, const struct ssd_health_options *options,
		     struct ssd_node *findings, struct ssd_health *health, struct ssd_err *err);
/* The verdict on a drive that was never reached: from its state, and from the error that says why. */
struct ssd_health ssd_health_unreached(const struct ssd_device *dev, const struct ssd_err *err,
				       const struct ssd_health_options *options, struct ssd_node *findings);

#endif
