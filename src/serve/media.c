/* SPDX-License-Identifier: MIT */
/* Commands of an I/O queue: the simulator executes them on the media of the drive. */
#include "serve/serve.h"

#include "sim/sim.h"

void serve_media(struct job *job)
{
	struct serve_drive *drive = job->connection->controller->drive;
	struct ssd_transport *transport = serve_transport(drive);
	struct ssd_cmd cmd;
	int rc = -ENODEV;

	serve_command_of(job, &cmd);
	cmd.io = true;
	if (transport)
		rc = sim_media_direct(transport, &cmd);
	serve_transport_back(drive, transport);
	job->status = rc < 0 ? SERVE_INTERNAL_ERROR : (uint16_t)rc;
	if (!rc && job->direction == SSD_DATA_FROM_DRIVE)
		job->done = job->len;
}
