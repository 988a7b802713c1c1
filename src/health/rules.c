/* SPDX-License-Identifier: MIT */
/* What counts as ill: CONTRACT section 3, `check`. */
#include "rules.h"

#include <ssdct/sanitize_log.h>

#define NONE INT64_MIN

/* Critical Warning, NVM Express Base Specification 2.0c, figure 207, byte 0. */
#define WARNING_BIT(name, severity_, message)                                                                        \
	{                                                                                                            \
		"critical_warning_" name, "critical_warning." name, AT_LEAST, LIMIT_CONSTANT, 1, severity_, message, \
			NULL, 0                                                                                      \
	}

/*
 * No drive can have counted this far: 2^63 of anything, and a million hours are 114 years of power. They are signs of a
 * page that is not what it should be.
 */
#define IMPOSSIBLE(path_, from, text_, unit_)                                                                          \
	{                                                                                                              \
		"impossible_value", path_, AT_LEAST, LIMIT_CONSTANT, from, SSD_CRITICAL, "impossible " text_, unit_, 0 \
	}

/* Values of other pages than SMART, with the whole message. */
#define OTHER(id_, doc_, path_, compare_, value_, severity_, message)                           \
	{                                                                                       \
		id_, path_, compare_, LIMIT_CONSTANT, value_, severity_, message, NULL, 0, doc_ \
	}

const struct health_rule health_rules[] = {
	WARNING_BIT("available_spare", SSD_CRITICAL, "the drive warns: available spare has fallen below its threshold"),
	WARNING_BIT("temperature", SSD_WARNING, "the drive warns: a temperature is beyond its threshold"),
	WARNING_BIT("reliability", SSD_CRITICAL,
		    "the drive warns: reliability is degraded by media or internal errors"),
	WARNING_BIT("read_only", SSD_CRITICAL, "the drive warns: the media is in read-only mode"),
	WARNING_BIT("volatile_backup", SSD_CRITICAL, "the drive warns: the volatile memory backup device has failed"),
	WARNING_BIT("persistent_memory", SSD_CRITICAL,
		    "the drive warns: the persistent memory region is read-only or unreliable"),
	{"critical_warning_reserved", "critical_warning.value", ANY_BIT, LIMIT_CONSTANT, 0xc0, SSD_CRITICAL,
	 "the drive warns: critical warning bits 7:6, which the specification reserves, are set; critical warning", "",
	 0},

	{"available_spare", "available_spare_percent", BELOW, LIMIT_SPARE_CRITICAL, 0, SSD_CRITICAL, "available spare",
	 "%", 0},
	{"available_spare", "available_spare_percent", AT_MOST, LIMIT_SPARE_WARNING, 0, SSD_WARNING, "available spare",
	 "%", 0},
	/* An estimate that may exceed 100 on a drive that works; 255 stands for everything above 254. */
	{"percentage_used", "percentage_used", AT_LEAST, LIMIT_USED_CRITICAL, 0, SSD_CRITICAL, "percentage used", "%",
	 255},
	{"percentage_used", "percentage_used", AT_LEAST, LIMIT_USED_WARNING, 0, SSD_WARNING, "percentage used", "%",
	 255},
	{"temperature", "temperature_celsius", AT_LEAST, LIMIT_TEMPERATURE_CRITICAL, 0, SSD_CRITICAL, "temperature",
	 " C", 0},
	{"temperature", "temperature_celsius", AT_LEAST, LIMIT_TEMPERATURE_WARNING, 0, SSD_WARNING, "temperature", " C",
	 0},
	{"media_errors", "media_errors", AT_LEAST, LIMIT_MEDIA_ERRORS, 0, SSD_CRITICAL, "media errors", "", 0},
	{"media_errors", "media_errors", AT_LEAST, LIMIT_CONSTANT, 1, SSD_INFO, "media errors", "", 0},

	IMPOSSIBLE("available_spare_percent", 101, "available spare", "%"),
	IMPOSSIBLE("available_spare_threshold_percent", 101, "available spare threshold", "%"),
	IMPOSSIBLE("power_on_hours", 1000000, "power-on time", " h"),
	IMPOSSIBLE("data_units_read", INT64_MAX, "count of data units read", ""),
	IMPOSSIBLE("data_units_written", INT64_MAX, "count of data units written", ""),
	IMPOSSIBLE("host_read_commands", INT64_MAX, "count of host read commands", ""),
	IMPOSSIBLE("host_write_commands", INT64_MAX, "count of host write commands", ""),
	IMPOSSIBLE("power_cycles", INT64_MAX, "count of power cycles", ""),
	IMPOSSIBLE("unsafe_shutdowns", INT64_MAX, "count of unsafe shutdowns", ""),
	IMPOSSIBLE("media_errors", INT64_MAX, "count of media errors", ""),

	/* The page does not say whether the failure mode has been left since, and asking would grow the error log. */
	OTHER("sanitize_failed", SANITIZE, "state", IS, SSD_SANITIZE_FAILED, SSD_CRITICAL,
	      "the last sanitize operation failed: the drive gives no access to its data until one succeeds, "
	      "unless its failure mode was left (ssdct sanitize status)"),
	/* NVM Express Base Specification 2.0c, figure 213. */
	OTHER("self_test_failed", SELF_TEST, "result", AT_LEAST, 7, SSD_CRITICAL,
	      "the last device self-test failed in a segment (ssdct selftest status)"),
	OTHER("self_test_failed", SELF_TEST, "result", AT_LEAST, 6, SSD_CRITICAL,
	      "the last device self-test failed, in which segment is not known"),
	OTHER("self_test_failed", SELF_TEST, "result", AT_LEAST, 5, SSD_CRITICAL,
	      "the last device self-test was ended by a fatal error"),
};
const size_t n_health_rules = ARRAY_SIZE(health_rules);

/*
 * Seen on drives in fault mode: revision ERRORMOD with 1.07 GB (linux-nvme/nvme-cli#2844), and the model "Intel SSD
 * Bootloader" after a failed update (X25-M). What these have in common (a word instead of a revision, or none) is asked of
 * the families that are known only: their revisions are, and have no such words; another vendor's may.
 */
const struct health_identity_rule health_identity_rules[] = {
	{FIRMWARE, ANY_DRIVE, EQUALS, "ERRORMOD"},  {MODEL, ANY_DRIVE, EQUALS, "Intel SSD Bootloader"},
	{FIRMWARE, KNOWN_FAMILY, CONTAINS, "BOOT"}, {FIRMWARE, KNOWN_FAMILY, CONTAINS, "ASSERT"},
	{FIRMWARE, KNOWN_FAMILY, CONTAINS, "ERR"},  {FIRMWARE, KNOWN_FAMILY, BLANK, ""},
};
const size_t n_health_identity_rules = ARRAY_SIZE(health_identity_rules);

/* Used when the drive names no limit of its own (CONTRACT section 3). */
#define DEFAULT_WARNING_CELSIUS 70
#define DEFAULT_CRITICAL_CELSIUS 80
/* How far below the drive's only limit the warning starts. */
#define WARNING_DISTANCE 5

/*
 * Kelvin to Celsius as everywhere. A limit at or below the freezing point of water is no limit against heat, but a value in
 * another unit.
 */
static int64_t limit_celsius(int32_t kelvin)
{
	return health_is_limit(kelvin) && kelvin > 273 ? kelvin - 273 : NONE;
}

static int64_t choose(int64_t wanted, int64_t unset, int64_t otherwise)
{
	return wanted != unset ? wanted : otherwise;
}

static void temperature_limits(const struct ssd_health_input *in, int64_t *warning, int64_t *critical)
{
	int64_t over = limit_celsius(in->over_temperature_kelvin);

	*warning = limit_celsius(in->wctemp_kelvin);
	*critical = limit_celsius(in->cctemp_kelvin);
	if (*warning == NONE && *critical == NONE)
		*critical = over;
	if (*warning == NONE && *critical == NONE) {
		*warning = DEFAULT_WARNING_CELSIUS;
		*critical = DEFAULT_CRITICAL_CELSIUS;
	} else if (*warning == NONE) {
		*warning = *critical - WARNING_DISTANCE;
	} else if (*critical == NONE && *warning < DEFAULT_CRITICAL_CELSIUS) {
		*critical = DEFAULT_CRITICAL_CELSIUS;
	}
}

void health_limits(const struct ssd_health_input *in, const struct ssd_thresholds *t, int64_t limits[LIMITS])
{
	int64_t spare = ssd_get_int(in->smart, "available_spare_threshold_percent", NONE);
	int64_t warning, critical;

	temperature_limits(in, &warning, &critical);
	limits[LIMIT_CONSTANT] = NONE;
	limits[LIMIT_USED_WARNING] = choose(t->used_warning_percent, -1, NONE);
	limits[LIMIT_USED_CRITICAL] = choose(t->used_critical_percent, -1, NONE);
	limits[LIMIT_TEMPERATURE_WARNING] = choose(t->temperature_warning, NONE, warning);
	limits[LIMIT_TEMPERATURE_CRITICAL] = choose(t->temperature_critical, NONE, critical);
	limits[LIMIT_SPARE_WARNING] = choose(t->spare_warning_percent, -1, spare);
	limits[LIMIT_SPARE_CRITICAL] = choose(t->spare_critical_percent, -1, spare);
	limits[LIMIT_MEDIA_ERRORS] = choose(t->media_errors_critical, -1, NONE);
}
