/* SPDX-License-Identifier: MIT */
/* ssdct: SSD Data Center Tool. The table of commands, in the order in which help shows them. */
#include "cmd/cmd.h"

#include <ssdct/plugin.h>

const struct ssd_command *const ssd_commands[] = {
	&cmd_list,     &cmd_show,     &cmd_smart,     &cmd_errors,    &cmd_check,    &cmd_doctor,  &cmd_fw,
	&cmd_format,   &cmd_sanitize, &cmd_namespace, &cmd_provision, &cmd_reset,    &cmd_rescan,  &cmd_identify,
	&cmd_log,      &cmd_feature,  &cmd_selftest,  &cmd_telemetry, &cmd_passthru, &cmd_bench,   &cmd_intel,
	&cmd_solidigm, &cmd_capture,  &cmd_sim,       &cmd_schema,    &cmd_help,     &cmd_version, NULL,
};

int main(int argc, char **argv)
{
	return ssd_cli_main(argc, argv);
}
