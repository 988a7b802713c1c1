/* SPDX-License-Identifier: MIT */
/* The standard pages that have a table. */
#include <ssdct/page.h>

const struct ssd_page *const ssd_standard_pages[] = {
	&ssd_page_id_ctrl,
	&ssd_page_id_ns,
	&ssd_page_active_ns,
	&ssd_page_ns_descs,
	&ssd_page_nvm_sets,
	&ssd_page_ns_nvm,
	&ssd_page_ctrl_nvm,
	&ssd_page_active_ns_csi,
	&ssd_page_independent_ns,
	&ssd_page_allocated_ns_list,
	&ssd_page_allocated_ns,
	&ssd_page_attached_ctrls,
	&ssd_page_controllers,
	&ssd_page_primary,
	&ssd_page_secondary,
	&ssd_page_granularity,
	&ssd_page_uuid_list,
	&ssd_page_domains,
	&ssd_page_endurance_groups,
	&ssd_page_command_sets,
	&ssd_page_supported_logs,
	&ssd_page_error_log,
	&ssd_page_smart,
	&ssd_page_fw_slot,
	&ssd_page_changed_ns,
	&ssd_page_effects,
	&ssd_page_self_test,
	&ssd_page_telemetry_host,
	&ssd_page_telemetry_ctrl,
	&ssd_page_endurance_group,
	&ssd_page_latency,
	&ssd_page_latency_events,
	&ssd_page_ana,
	&ssd_page_persistent_event,
	&ssd_page_lba_status,
	&ssd_page_endurance_group_events,
	&ssd_page_feature_effects,
	&ssd_page_reservation,
	&ssd_page_sanitize,
	NULL,
};

const struct ssd_page *ssd_log_page(uint8_t lid)
{
	for (const struct ssd_page *const *p = ssd_standard_pages; *p; p++)
		if ((*p)->kind == SSD_PAGE_LOG && (*p)->id == lid)
			return *p;
	return NULL;
}
