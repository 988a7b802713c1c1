/* SPDX-License-Identifier: MIT */
/* Pages of the Open Compute Project's "Datacenter NVMe SSD Specification", which drives of several makers have. */
#ifndef PLUGINS_OCP_H
#define PLUGINS_OCP_H

#include <ssdct/plugin.h>

/* For drives that may have it, read when page 00h says so; and for product lines that are known to have it. */
extern const struct ssd_page ocp_page_smart, ocp_page_smart_known;

#endif
