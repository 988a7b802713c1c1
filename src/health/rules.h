/* SPDX-License-Identifier: MIT */
/* The rules of the health verdict, as data. */
#ifndef HEALTH_RULES_H
#define HEALTH_RULES_H

#include <ssdct/health.h>

/* Limits that depend on the drive or on the user; a rule names one of them. INT64_MIN: no limit, the rule is off. */
enum health_limit {
	LIMIT_CONSTANT, /* the rule's own number */
	LIMIT_USED_WARNING,
	LIMIT_USED_CRITICAL,
	LIMIT_TEMPERATURE_WARNING,
	LIMIT_TEMPERATURE_CRITICAL,
	LIMIT_SPARE_WARNING,
	LIMIT_SPARE_CRITICAL,
	LIMIT_MEDIA_ERRORS,
	LIMITS
};

enum health_compare { AT_LEAST, AT_MOST, BELOW, ANY_BIT, IS };

/* What a rule is about: the SMART log, the sanitize status, or the newest self-test that came to an end of its own. */
enum health_doc { SMART, SANITIZE, SELF_TEST, HEALTH_DOCS };

/*
 * A rule on one value of a document. Rules with the same id and path stand together, the worst first: only the
 * first that applies makes a finding.
 */
struct health_rule {
	const char *id, *path;
	enum health_compare compare;
	enum health_limit limit;
	int64_t constant;
	enum ssd_severity severity;
	const char *text;  /* what the value is; the whole message when unit is NULL */
	const char *unit;  /* after the number */
	int64_t saturates; /* the drive counts no further than this; 0: no such end */
	enum health_doc doc;
};
extern const struct health_rule health_rules[];
extern const size_t n_health_rules;

/* What a drive calls itself when it does not run its normal firmware. */
struct health_identity_rule {
	enum { FIRMWARE, MODEL } what;
	enum { ANY_DRIVE, KNOWN_FAMILY } whose;
	enum { EQUALS, CONTAINS, BLANK } match; /* in either case */
	const char *pattern;
};
extern const struct health_identity_rule health_identity_rules[];
extern const size_t n_health_identity_rules;

/* A data-centre drive of 8 GB or less is one that lost its capacity to a fault. */
#define HEALTH_TINY_BYTES 8000000000ull

/* WCTEMP, CCTEMP: 0 is "not reported", FFFFh "disabled". */
static inline bool health_is_limit(int32_t kelvin)
{
	return kelvin > 0 && kelvin != 0xffff;
}

/* Whether a drive calls itself what a drive in fault mode does, and in words how. */
bool health_fault_identity(const struct ssd_health_input *in, char *text, size_t size);

/* Fills in the limits that hold for this drive. */
void health_limits(const struct ssd_health_input *in, const struct ssd_thresholds *t, int64_t limits[LIMITS]);

#endif
