/* SPDX-License-Identifier: MIT */
/* The standard pages that have a table. */
#include <ssdct/page.h>

const struct ssd_page *const ssd_standard_pages[] = {
	&ssd_page_id_ctrl,   &ssd_page_id_ns,    &ssd_page_supported_logs,
	&ssd_page_error_log, &ssd_page_smart,    &ssd_page_fw_slot,
	&ssd_page_self_test, &ssd_page_sanitize, NULL,
};
