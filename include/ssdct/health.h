/* SPDX-License-Identifier: MIT */
/* Health: rules as data over a decoded document, and the verdict. */
#ifndef SSDCT_HEALTH_H
#define SSDCT_HEALTH_H

#include <ssdct/doc.h>

struct ssd_device;

/* In the order of badness: critical > unknown > warning > ok; info never counts. */
enum ssd_severity { SSD_OK, SSD_INFO, SSD_WARNING, SSD_UNKNOWN, SSD_CRITICAL };
const char *ssd_severity_name(enum ssd_severity s);

struct ssd_thresholds {
	int64_t used_warning_percent, used_critical_percent; /* -1: no such limit */
	int64_t temperature_warning, temperature_critical; /* Celsius; INT64_MIN: the drive's own */
	int64_t media_errors_critical; /* -1: media errors are information */
	int64_t spare_warning_percent, spare_critical_percent; /* -1: the drive's own threshold */
};
#define SSD_THRESHOLDS_INIT {90, -1, INT64_MIN, INT64_MIN, -1, -1, -1}

/* { id, severity, message, value, threshold } */
extern const struct ssd_field ssd_finding_fields[];

#endif
