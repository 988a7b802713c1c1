/* SPDX-License-Identifier: MIT */
/* All commands; each is one struct in a file of its own. */
#ifndef SSDCT_CMD_CMD_H
#define SSDCT_CMD_CMD_H

#include <ssdct/cli.h>

extern const struct ssd_command cmd_bench, cmd_list, cmd_show, cmd_smart, cmd_errors, cmd_check, cmd_doctor, cmd_fw,
	cmd_format, cmd_sanitize, cmd_reset, cmd_rescan, cmd_namespace, cmd_provision, cmd_identify, cmd_log,
	cmd_feature, cmd_selftest, cmd_telemetry, cmd_passthru, cmd_capture, cmd_sim, cmd_schema, cmd_help, cmd_version;
/* Verbs with a file of their own. */
extern const struct ssd_command cmd_log_persistent_event;

#endif
