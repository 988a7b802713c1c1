/* SPDX-License-Identifier: MIT */
/*
 * Intel's and Solidigm's data-centre drives: which pages which of them has. A page more is a struct ssd_page in a file of
 * its own and a row here.
 */
#include "intel.h"

#include "ocp/ocp.h"

static const char *directory_family(const struct ssd_identity *id)
{
	return intel_family(id, INTEL_LOGS_DIRECTORY);
}

static const char *plain_family(const struct ssd_identity *id)
{
	return intel_family(id, INTEL_LOGS_PLAIN);
}

static const char *solidigm_family(const struct ssd_identity *id)
{
	return intel_family(id, INTEL_LOGS_SOLIDIGM);
}

static const char *nameless_family(const struct ssd_identity *id)
{
	return intel_family(id, INTEL_LOGS_NONE);
}

static const struct ssd_page *const directory_pages[] = {&intel_page_smart, &intel_page_market_name,
							 &intel_page_directory, NULL};
static const struct ssd_page *const plain_pages[] = {&intel_page_smart, &intel_page_market_name, NULL};
/* P5520 and later: what was the directory is OCP's page there. */
static const struct ssd_page *const solidigm_pages[] = {&intel_page_smart, &intel_page_market_name, &ocp_page_smart,
							NULL};
static const struct ssd_page *const no_pages[] = {NULL};

const struct ssd_vendor ssd_vendor_intel = {"intel", directory_family, directory_pages};
const struct ssd_vendor ssd_vendor_intel_plain = {"intel", plain_family, plain_pages};
const struct ssd_vendor ssd_vendor_intel_none = {"intel", nameless_family, no_pages};
const struct ssd_vendor ssd_vendor_solidigm = {"solidigm", solidigm_family, solidigm_pages};
