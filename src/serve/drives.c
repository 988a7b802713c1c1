/* SPDX-License-Identifier: MIT */
/* The drives of the host directory, and commands to them. */
#include "serve/serve.h"

#include "sim/sim.h"

#include <ctype.h>

/*
 * A drive that has a subsystem NQN of its own is called by it; one that has none (before NVMe 1.2.1), by this and its
 * serial number, with an underscore for whatever is neither letter, digit, dot nor dash. ".invalid" is nobody's domain
 * (RFC 2606).
 */
#define NQN_PREFIX "nqn.2026-12.invalid.ssdct:"

static bool has_own_nqn(const struct ssd_host *host, const struct ssd_drive *drive)
{
	if (strncmp(drive->subsysnqn, "nqn.", 4) || strlen(drive->subsysnqn) > 223)
		return false;
	/* Two controllers of one drive share a serial number; drives that merely claim the same name do not. */
	for (const struct ssd_drive *d = host->drives; d < drive; d++)
		if (!strcmp(d->subsysnqn, drive->subsysnqn) && strcmp(d->serial, drive->serial))
			return false;
	return true;
}

static void name_subsystem(struct serve_drive *d, const struct ssd_host *host, const struct ssd_drive *drive)
{
	if (has_own_nqn(host, drive)) {
		ssd_strcpy(d->nqn, sizeof(d->nqn), drive->subsysnqn);
		return;
	}
	snprintf(d->nqn, sizeof(d->nqn), NQN_PREFIX "%s", *drive->serial ? drive->serial : drive->device);
	for (char *p = d->nqn + strlen(NQN_PREFIX); *p; p++)
		if (!isalnum((unsigned char)*p) && *p != '.' && *p != '-')
			*p = '_';
}

static void find_shared(struct server *server)
{
	for (size_t i = 0; i < server->n_drives; i++)
		for (size_t k = 0; k < server->n_drives; k++)
			if (i != k && !strcmp(server->drives[i].nqn, server->drives[k].nqn))
				server->drives[i].shared = true;
}

int serve_drives(struct server *server, const char *dir, struct ssd_err *err)
{
	struct ssd_host *host = ssd_host_scan(dir, err);

	if (!host)
		return -1;
	server->host = host;
	if (host->backend != SSD_BACKEND_SIMULATED) {
		ssd_fail(err, SSD_ERR_UNSUPPORTED, "%s is a recording, and nothing may change it", dir);
		ssd_hint(err, "make a simulated copy: ssdct sim create DIR --from %s", dir);
		return -1;
	}
	if (!host->n_drives)
		return ssd_fail(err, SSD_ERR_NOT_FOUND, "%s: no drive in it", dir);
	server->drives = ssd_calloc(host->n_drives, sizeof(*server->drives));
	server->n_drives = host->n_drives;
	for (size_t i = 0; i < host->n_drives; i++) {
		struct serve_drive *d = &server->drives[i];

		d->host = host->dir;
		ssd_strcpy(d->name, sizeof(d->name), host->drives[i].device);
		serve_mutex_init(&d->lock);
		name_subsystem(d, host, &host->drives[i]);
	}
	find_shared(server);
	return 0;
}

void serve_drives_free(struct server *server)
{
	for (size_t i = 0; i < server->n_drives; i++)
		pthread_mutex_destroy(&server->drives[i].lock);
	free(server->drives);
	ssd_host_free(server->host);
}

struct ssd_transport *serve_transport(struct serve_drive *drive)
{
	struct ssd_transport *transport = NULL;

	pthread_mutex_lock(&drive->lock);
	if (drive->n_idle)
		transport = drive->idle[--drive->n_idle];
	pthread_mutex_unlock(&drive->lock);
	return transport ? transport : ssd_sim_open(drive->host, drive->name, true, NULL);
}

void serve_transport_back(struct serve_drive *drive, struct ssd_transport *transport)
{
	pthread_mutex_lock(&drive->lock);
	if (transport && drive->n_idle < SERVE_IDLE_TRANSPORTS)
		drive->idle[drive->n_idle++] = STEAL(transport);
	pthread_mutex_unlock(&drive->lock);
	ssd_transport_close(transport);
}

int serve_submit(struct serve_drive *drive, const struct ssd_cmd *cmd, struct ssd_cpl *cpl)
{
	struct ssd_transport *transport = serve_transport(drive);
	int rc = transport ? transport->submit(transport, cmd, cpl) : -ENODEV;

	serve_transport_back(drive, transport);
	return rc;
}

int serve_control(struct serve_drive *drive, enum ssd_control op)
{
	struct ssd_transport *transport = serve_transport(drive);
	int rc = -ENODEV;

	if (transport)
		rc = transport->control ? transport->control(transport, op) : 0;
	serve_transport_back(drive, transport);
	return rc;
}

int serve_identify(struct serve_drive *drive, uint8_t cns, uint32_t nsid, uint8_t id[SERVE_IDENTIFY])
{
	struct host_file page = host_file_of(HOST_FILE_IDENTIFY, cns);
	struct ssd_transport *transport = serve_transport(drive);
	int rc = -ENODEV;

	if (!cns)
		page.q[HOST_FILE_NSID] = nsid;
	if (transport)
		rc = sim_page_read((struct sim *)transport, &page, 0, id, SERVE_IDENTIFY, NULL);
	serve_transport_back(drive, transport);
	return rc;
}

bool serve_vanished(struct serve_drive *drive)
{
	struct ssd_transport *transport = serve_transport(drive);
	bool gone = !transport || sim_vanished((struct sim *)transport);

	serve_transport_back(drive, transport);
	return gone;
}
