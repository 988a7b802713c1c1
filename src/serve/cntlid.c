/* SPDX-License-Identifier: MIT */
/*
 * Controller identifiers. A host that connects gets one of the server's own, as dynamic controllers do (NVMe over Fabrics
 * 1.1, 4.2), whatever the drive's Identify says; lists of controllers have to name those that hosts know. A controller of
 * the drive that nobody is connected to is shown by its own number, out of their way.
 */
#include "serve/serve.h"

#define ID_CNTLID 78
#define UNCONNECTED 0x8000u
#define LIST_ENTRIES 2047
#define NAMES 64

struct names {
	unsigned n;
	struct {
		uint16_t shown, own;
	} v[NAMES];
};

/* Those of the drive's subsystem; the one that asks first, as several hosts may have the same controller. */
static void look_up(const struct job *job, struct names *names)
{
	struct server *server = job->connection->server;
	const struct controller *me = job->connection->controller;
	struct serve_drive *drives[NAMES] = {me->drive};
	uint8_t id[SERVE_IDENTIFY];

	*names = (struct names){.n = 1, .v = {{me->cntlid, 0}}};
	pthread_mutex_lock(&server->lock);
	for (const struct controller *k = server->controllers; k && names->n < NAMES; k = k->next)
		if (k != me && !strcmp(k->drive->nqn, me->drive->nqn)) {
			drives[names->n] = k->drive;
			names->v[names->n++].shown = k->cntlid;
		}
	pthread_mutex_unlock(&server->lock);
	for (unsigned i = 0; i < names->n; i++)
		if (!serve_identify(drives[i], 1, 0, id))
			names->v[i].own = ssd_le16(id + ID_CNTLID);
}

static uint16_t shown(const struct names *names, uint16_t own)
{
	for (unsigned i = 0; i < names->n; i++)
		if (names->v[i].own == own)
			return names->v[i].shown;
	return (uint16_t)(own | UNCONNECTED);
}

static uint16_t own(const struct names *names, uint16_t said)
{
	for (unsigned i = 0; i < names->n; i++)
		if (names->v[i].shown == said)
			return names->v[i].own;
	/* What no controller is called: nor should the drive know one by it. */
	return said & UNCONNECTED ? said & ~UNCONNECTED : said | UNCONNECTED;
}

static int ascending(const void *a, const void *b)
{
	return *(const uint16_t *)a - *(const uint16_t *)b;
}

/* A Controller List: a count, and identifiers in ascending order. */
static void translate(const struct job *job, uint16_t (*to)(const struct names *names, uint16_t id))
{
	uint16_t ids[LIST_ENTRIES];
	unsigned n = ssd_le16(job->data);
	struct names names;

	if (n > LIST_ENTRIES || job->len < 2 + 2 * n)
		return;
	look_up(job, &names);
	for (unsigned i = 0; i < n; i++)
		ids[i] = to(&names, ssd_le16(job->data + 2 + 2 * i));
	qsort(ids, n, sizeof(*ids), ascending);
	for (unsigned i = 0; i < n; i++)
		ssd_put_le(job->data + 2 + 2 * i, 2, ids[i]);
}

void serve_list_for_host(const struct job *job)
{
	translate(job, shown);
}

void serve_list_for_drive(const struct job *job)
{
	translate(job, own);
}
