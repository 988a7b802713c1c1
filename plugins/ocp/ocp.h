/* SPDX-License-Identifier: MIT */
/*
 * Pages of the Open Compute Project's "Datacenter NVMe SSD Specification", which drives of several makers have.
 *
 * Where the text of the specification 2.0 was not to be had, the sources are three descriptions of it that were written
 * independently, which agree but where a page says otherwise: nvme.h of the Windows SDK (Microsoft is among the
 * specification's authors), nvme-cli (plugins/ocp, plugins/wdc) and illumos (uts/common/sys/nvme/ocp.h).
 */
#ifndef PLUGINS_OCP_H
#define PLUGINS_OCP_H

#include <ssdct/plugin.h>

/* Each page twice: for drives that may have it, read when page 00h or OCP's UUID says so; for those known to have it. */
enum { OCP_ANNOUNCED, OCP_KNOWN, OCP_WAYS };
extern const struct ssd_page ocp_page_smart[OCP_WAYS], ocp_page_error_recovery[OCP_WAYS],
	ocp_page_firmware_history[OCP_WAYS], ocp_page_latency[OCP_WAYS], ocp_page_capabilities[OCP_WAYS],
	ocp_page_unsupported[OCP_WAYS];

/* C194D55B-E094-4794-A21D-29998F56BE6F, by which a drive's UUID List names OCP (ocp-utils.c of nvme-cli). */
extern const uint8_t ocp_uuid[16];

/* All of these pages end with a version and a GUID, by which they are told from other makers' pages of the same number. */
#define OCP_PAGE(flags_, id_, bytes_, guid_, ...)                                                         \
	{                                                                                                 \
		.kind = SSD_PAGE_LOG, .id = (id_), .flags = (flags_), .size = (bytes_), .uuid = ocp_uuid, \
		.signature = {(bytes_)-16, 16, (guid_)}, __VA_ARGS__                                      \
	}
#define OCP_PAGES(...)                                                                                              \
	{                                                                                                           \
		[OCP_ANNOUNCED] = OCP_PAGE(SSD_PAGE_ANNOUNCED, __VA_ARGS__), [OCP_KNOWN] = OCP_PAGE(0, __VA_ARGS__) \
	}
#define OCP_OBJECT(key_, label_, help_, fields_) \
	.field = {                               \
		.key = (key_),                   \
		.label = (label_),               \
		.help = (help_),                 \
		.type = SSD_OBJ,                 \
		.sub = (fields_),                \
	}
#define OCP_VERSION(bytes_) SSD_U16("log_page_version", "Log page version", (bytes_)-18)

#endif
