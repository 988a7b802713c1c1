/* SPDX-License-Identifier: MIT */
/* Pages of the Open Compute Project's "Datacenter NVMe SSD Specification", which drives of several makers have. */
#ifndef PLUGINS_OCP_H
#define PLUGINS_OCP_H

#include <ssdct/plugin.h>

extern const struct ssd_page ocp_page_smart;

#endif
