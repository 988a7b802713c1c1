/* SPDX-License-Identifier: MIT */
/*
 * What follows from the counters: write amplification, bytes per day, and from the timed workload (attributes E2h and E4h)
 * how long the drive lasts at this pace, which isdct calls EnduranceAnalyzer. Like isdct it says so only when the workload
 * has run for 60 minutes since its reset; before, the attributes are FFFFh.
 */
#include "intel.h"

#define MINUTES_PER_DAY 1440.0
#define DAYS_PER_YEAR 365.0
#define WORKLOAD_MINUTES 60

#define REAL(k, l, u, h)                                                                                  \
	{                                                                                                 \
		.key = (k), .label = (l), .help = (h), .type = SSD_REAL, .unit = (u), .metric = SSD_GAUGE \
	}
#define PER_DAY(k, l, h)                                                                                        \
	{                                                                                                       \
		.key = (k), .label = (l), .help = (h), .type = SSD_UINT, .unit = SSD_BYTES, .metric = SSD_GAUGE \
	}

static const struct ssd_field fields[] = {
	REAL("write_amplification", "Write amplification", SSD_NO_UNIT,
	     "NAND written by host written over the drive's life"),
	PER_DAY("host_written_bytes_per_day", "Host written per day", "Over the power-on hours of its life"),
	PER_DAY("nand_written_bytes_per_day", "NAND written per day", "Over the power-on hours of its life"),
	REAL("workload_wear_percent", "Timed workload: wear", SSD_PERCENT, "Wear since the workload was reset"),
	{.key = "workload_minutes",
	 .label = "Timed workload: time",
	 .help = "Time since the workload was reset",
	 .type = SSD_UINT,
	 .unit = SSD_MINUTES},
	REAL("wear_percent_per_day", "Wear per day", SSD_PERCENT, "At the pace of the timed workload"),
	REAL("life_years", "Whole life, years", SSD_NO_UNIT,
	     "From new to worn at the pace of the timed workload; what isdct calls EnduranceAnalyzer"),
	REAL("years_left", "Years left", SSD_NO_UNIT,
	     "What is left of the rated wear at the pace of the timed workload"),
	{.key = "note",
	 .label = "Note",
	 .help = "Why there is no estimate; null: there is one",
	 .type = SSD_STR,
	 .flags = SSD_QUIET},
	SSD_FIELD_END,
};

static void per_day(struct ssd_node *obj, const char *key, const struct ssd_node *bytes, double days)
{
	double n = bytes ? ssd_u128_double(bytes->wide) / days : 0;

	if (bytes && days > 0)
		ssd_set_uint(obj, key, n < 9e18 ? (uint64_t)n : INT64_MAX);
}

static void estimate(struct ssd_node *obj, const struct ssd_node *element)
{
	const struct ssd_node *wear = ssd_get(element, "intel_smart.timed_workload_media_wear.percent");
	int64_t minutes = ssd_get_int(element, "intel_smart.timed_workload_timer.minutes", -1);
	int64_t used = ssd_get_int(element, "smart.percentage_used", -1);
	double a_day;

	if (wear)
		ssd_set_real(obj, "workload_wear_percent", wear->real);
	if (minutes >= 0)
		ssd_set_uint(obj, "workload_minutes", (uint64_t)minutes);
	if (!ssd_get(element, "intel_smart"))
		ssd_set_str(obj, "note", "the drive does not give its additional SMART attributes");
	else if (!ssd_get(element, "intel_smart.timed_workload_media_wear") ||
		 !ssd_get(element, "intel_smart.timed_workload_timer"))
		ssd_set_str(obj, "note", "the drive does not report a timed workload");
	else if (!wear || minutes < WORKLOAD_MINUTES)
		ssd_set_str(obj, "note", "no estimate yet: the timed workload needs 60 minutes of I/O after its reset");
	else if (wear->real <= 0)
		ssd_set_str(obj, "note", "no estimate: the timed workload shows no wear");
	if (ssd_get(obj, "note") || !wear)
		return;
	a_day = wear->real / (double)minutes * MINUTES_PER_DAY;
	ssd_set_real(obj, "wear_percent_per_day", a_day);
	ssd_set_real(obj, "life_years", 100 / a_day / DAYS_PER_YEAR);
	if (used >= 0)
		ssd_set_real(obj, "years_left", used < 100 ? (double)(100 - used) / a_day / DAYS_PER_YEAR : 0);
}

static void fill(struct ssd_device *dev, const struct ssd_node *element, struct ssd_node *obj)
{
	const struct ssd_node *nand = ssd_get(element, "intel_smart.nand_written.bytes");
	const struct ssd_node *host = ssd_get(element, "intel_smart.host_written.bytes");
	const struct ssd_node *data = ssd_get(element, "smart.data_written_bytes");
	int64_t hours = ssd_get_int(element, "smart.power_on_hours", -1);
	/* Whole hours are counted: the first one is not over yet. */
	double days = (double)(hours ? hours : 1) / 24;

	(void)dev;
	if (nand && host && ssd_u128_double(host->wide) > 0)
		ssd_set_real(obj, "write_amplification", ssd_u128_double(nand->wide) / ssd_u128_double(host->wide));
	per_day(obj, "host_written_bytes_per_day", data ? data : host, days);
	per_day(obj, "nand_written_bytes_per_day", nand, days);
	estimate(obj, element);
}

#define OBJECT                                                                                              \
	{                                                                                                   \
		.key = "intel_endurance", .label = "Intel endurance",                                       \
		.help = "What follows from the counters of Intel's and Solidigm's drives", .type = SSD_OBJ, \
		.sub = fields                                                                               \
	}

const struct ssd_field intel_endurance_object[] = {OBJECT, SSD_FIELD_END};

const struct ssd_extra intel_extra_endurance = {
	.field = OBJECT,
	.command = "smart",
	.fill = fill,
};
