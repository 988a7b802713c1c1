/* SPDX-License-Identifier: MIT */
/* Connect, and the controller's properties, which are what registers are over PCIe. */
#include "serve/serve.h"

#include <ssdct/id_ctrl.h>

/* Connect: the command (fabrics, figure 19; here as dwords 10 and 11) and its data (figure 20). */
enum { DATA_BYTES = 1024, DATA_HOST_ID = 0, DATA_CNTLID = 16, DATA_SUBNQN = 256, DATA_HOSTNQN = 512, NQN_BYTES = 256 };
enum { SQE_SQSIZE = 44, SQE_QID = 42 };
#define DYNAMIC 0xffff
/* Result of a Connect that is refused: which byte is wrong, bit 16: of the data. */
#define IN_DATA 0x10000

/* Properties (base, section 3.1). */
enum { PROP_CAP = 0x00, PROP_VS = 0x08, PROP_CC = 0x14, PROP_CSTS = 0x1c, PROP_NSSR = 0x20 };
#define CAP_CQR (1ull << 16)
#define CAP_TO (60ull << 24) /* half seconds until ready */
#define CAP_NSSRS (1ull << 36)
#define CAP_CSS_NVM (1ull << 37)
enum { CC_EN = 1, CC_SHN = 3 << 14, CSTS_RDY = 1, CSTS_CFS = 2, CSTS_SHST_DONE = 2 << 2, CSTS_NSSRO = 1 << 4 };
#define NSSR_NVME 0x4e564d65 /* "NVMe" */

#define ID_CTRL_CNS 1
#define OLDEST_VERSION 0x10200 /* with fabrics there is none before */

/* --- Connect --- */

static void refuse(struct job *job, uint16_t status, uint64_t result)
{
	job->status = status;
	job->result = result;
}

static struct serve_drive *least_used(struct server *server, const char *nqn)
{
	struct serve_drive *best = NULL;
	unsigned least = 0;

	for (size_t i = 0; i < server->n_drives; i++) {
		struct serve_drive *d = &server->drives[i];
		unsigned n = 0;

		if (strcmp(d->nqn, nqn))
			continue;
		for (const struct controller *k = server->controllers; k; k = k->next)
			n += k->drive == d;
		if (!best || n < least) {
			best = d;
			least = n;
		}
	}
	return best;
}

static bool cntlid_used(const struct server *server, uint16_t cntlid)
{
	for (const struct controller *k = server->controllers; k; k = k->next)
		if (k->cntlid == cntlid)
			return true;
	return false;
}

/* A new association. NULL: no drive of that name. Under the server's lock. */
static struct controller *associate(struct server *server, const uint8_t *data)
{
	struct serve_drive *drive = least_used(server, (const char *)data + DATA_SUBNQN);
	struct controller *k;

	if (!drive)
		return NULL;
	k = ssd_calloc(1, sizeof(*k));
	k->drive = drive;
	k->cntlid = 1;
	while (cntlid_used(server, k->cntlid))
		k->cntlid++;
	memcpy(k->host_id, data + DATA_HOST_ID, sizeof(k->host_id));
	memcpy(k->host_nqn, data + DATA_HOSTNQN, NQN_BYTES);
	serve_mutex_init(&k->lock);
	k->next = server->controllers;
	server->controllers = k;
	return k;
}

/* The association that an I/O queue belongs to, as its host says. Under the server's lock. */
static struct controller *associated(struct server *server, const uint8_t *data)
{
	struct controller *k = server->controllers;

	while (k && k->cntlid != ssd_le16(data + DATA_CNTLID))
		k = k->next;
	if (!k || memcmp(k->host_id, data + DATA_HOST_ID, sizeof(k->host_id)) ||
	    memcmp(k->host_nqn, data + DATA_HOSTNQN, NQN_BYTES) || !serve_ready(k))
		return NULL;
	for (const struct connection *c = server->connections; c; c = c->next)
		if (c->controller == k && !c->qid)
			return k;
	return NULL; /* its admin queue is gone, and soon it will be */
}

static bool queue_exists(const struct server *server, const struct controller *k, uint16_t qid)
{
	for (const struct connection *c = server->connections; c; c = c->next)
		if (c->controller == k && c->qid == qid)
			return true;
	return false;
}

static void connect_admin(struct job *job, const uint8_t *data)
{
	struct server *server = job->connection->server;
	struct controller *k;

	if (ssd_le16(data + DATA_CNTLID) != DYNAMIC) {
		refuse(job, SERVE_CONNECT_INVALID, IN_DATA | DATA_CNTLID);
		return;
	}
	k = associate(server, data);
	if (!k) {
		refuse(job, SERVE_CONNECT_INVALID, IN_DATA | DATA_SUBNQN);
		return;
	}
	k->refs++;
	job->connection->controller = k;
	job->result = k->cntlid;
}

static void connect_io(struct job *job, const uint8_t *data, uint16_t qid)
{
	struct server *server = job->connection->server;
	struct controller *k = associated(server, data);

	if (!k || strcmp(k->drive->nqn, (const char *)data + DATA_SUBNQN)) {
		refuse(job, SERVE_CONNECT_INVALID, IN_DATA | DATA_CNTLID);
	} else if (qid > SERVE_IO_QUEUES || queue_exists(server, k, qid)) {
		refuse(job, SERVE_CONNECT_INVALID, SQE_QID);
	} else {
		k->refs++;
		job->connection->controller = k;
		job->connection->qid = qid;
		job->result = k->cntlid;
	}
}

static bool terminated(const uint8_t *name)
{
	return memchr(name, 0, NQN_BYTES);
}

/*
 * A drive that is gone for a while. A host that got no answer at all would wait for it as long as for any command (Linux:
 * 60 s); after this one, which it may retry, it tries again when its reconnect delay is over.
 */
static void refuse_vanished(struct job *job)
{
	struct connection *c = job->connection;
	struct controller *k;

	pthread_mutex_lock(&c->server->lock);
	k = c->controller;
	c->controller = NULL;
	c->qid = 0;
	serve_controller_unref(c->server, k);
	pthread_mutex_unlock(&c->server->lock);
	refuse(job, SERVE_CONNECT_BUSY, 0);
}

void serve_connect(struct job *job)
{
	struct connection *c = job->connection;
	uint16_t qid = (uint16_t)(serve_cdw(job, 10) >> 16), last = (uint16_t)serve_cdw(job, 11);

	if (c->controller)
		refuse(job, SERVE_SEQUENCE_ERROR, 0);
	else if (serve_cdw(job, 10) & 0xffff)
		refuse(job, SERVE_INCOMPATIBLE_FORMAT, 0);
	else if (job->direction != SSD_DATA_TO_DRIVE || job->len != DATA_BYTES)
		refuse(job, SERVE_INVALID_FIELD, 0);
	else if (!last || last >= SERVE_QUEUE_ENTRIES)
		refuse(job, SERVE_CONNECT_INVALID, SQE_SQSIZE);
	else if (!terminated(job->data + DATA_SUBNQN) || !terminated(job->data + DATA_HOSTNQN))
		refuse(job, SERVE_CONNECT_INVALID, IN_DATA | DATA_SUBNQN);
	if (job->status)
		return;
	pthread_mutex_lock(&c->server->lock);
	if (qid)
		connect_io(job, job->data, qid);
	else
		connect_admin(job, job->data);
	if (!job->status)
		c->entries = last + 1;
	pthread_mutex_unlock(&c->server->lock);
	if (!job->status && serve_vanished(c->controller->drive))
		refuse_vanished(job);
}

/* --- properties --- */

bool serve_ready(struct controller *k)
{
	bool ready;

	pthread_mutex_lock(&k->lock);
	ready = k->csts & CSTS_RDY;
	pthread_mutex_unlock(&k->lock);
	return ready;
}

static uint32_t version(struct serve_drive *drive)
{
	uint8_t id[SERVE_IDENTIFY];
	uint32_t said = serve_identify(drive, ID_CTRL_CNS, 0, id) ? 0 : ssd_le32(id + SSD_ID_CTRL_VER);

	return said < OLDEST_VERSION ? OLDEST_VERSION : said;
}

void serve_property_get(struct job *job)
{
	struct controller *k = job->connection->controller;
	bool wide = (serve_cdw(job, 10) & 7) == 1;
	uint32_t cc, csts;

	pthread_mutex_lock(&k->lock);
	cc = k->cc;
	csts = k->csts;
	pthread_mutex_unlock(&k->lock);
	if (wide != (serve_cdw(job, 11) == PROP_CAP)) {
		job->status = SERVE_INVALID_FIELD;
		return;
	}
	switch (serve_cdw(job, 11)) {
	case PROP_CAP:
		job->result = (SERVE_QUEUE_ENTRIES - 1) | CAP_CQR | CAP_TO | CAP_NSSRS | CAP_CSS_NVM;
		break;
	case PROP_VS:
		job->result = version(k->drive);
		break;
	case PROP_CC:
		job->result = cc;
		break;
	case PROP_CSTS:
		job->result = csts;
		break;
	case PROP_NSSR:
		break;
	default:
		job->status = SERVE_INVALID_FIELD;
	}
}

/*
 * Enabling is where a controller that was reset begins anew, and so where firmware that waits for a reset is activated:
 * the drive learns of the reset here, once, however the controller was disabled (by CC, or by the end of an association).
 */
static void set_configuration(struct job *job, struct controller *k, uint32_t cc)
{
	uint32_t csts, old;
	int rc = 0;

	pthread_mutex_lock(&k->lock);
	old = k->cc;
	k->cc = cc;
	if (!(cc & CC_EN))
		k->csts &= ~(uint32_t)(CSTS_RDY | CSTS_CFS | CSTS_SHST_DONE);
	if (cc & CC_SHN)
		k->csts |= CSTS_SHST_DONE;
	pthread_mutex_unlock(&k->lock);
	if (!(cc & CC_EN) || old & CC_EN)
		return;
	rc = serve_control(k->drive, SSD_RESET_CONTROLLER);
	if (rc == -ENODEV || rc == -ENOENT) {
		job->status = SERVE_INTERNAL_ERROR; /* an answer, as for Connect; then the connection ends */
		return;
	}
	csts = rc ? CSTS_CFS : CSTS_RDY;
	pthread_mutex_lock(&k->lock);
	if (k->cc & CC_EN)
		k->csts |= csts;
	pthread_mutex_unlock(&k->lock);
}

struct others {
	const char *nqn;
	const struct controller *own;
};

static bool is_other(const struct connection *c, const void *what)
{
	const struct others *o = what;

	return c->controller && c->controller != o->own && !strcmp(c->controller->drive->nqn, o->nqn);
}

/* All controllers of the subsystem are reset; the others notice by losing their connections. */
static void reset_subsystem(struct job *job, struct controller *k)
{
	struct server *server = job->connection->server;
	struct others others = {k->drive->nqn, k};

	for (size_t i = 0; i < server->n_drives; i++)
		if (!strcmp(server->drives[i].nqn, k->drive->nqn))
			serve_control(&server->drives[i], SSD_RESET_SUBSYSTEM);
	serve_disconnect(server, is_other, &others);
	pthread_mutex_lock(&k->lock);
	k->cc = 0;
	k->csts = CSTS_NSSRO;
	pthread_mutex_unlock(&k->lock);
}

void serve_property_set(struct job *job)
{
	struct controller *k = job->connection->controller;
	uint32_t value = serve_cdw(job, 12);

	if (serve_cdw(job, 10) & 7) {
		job->status = SERVE_INVALID_FIELD; /* the ones that can be set have four bytes */
		return;
	}
	switch (serve_cdw(job, 11)) {
	case PROP_CC:
		set_configuration(job, k, value);
		break;
	case PROP_CSTS:
		pthread_mutex_lock(&k->lock);
		k->csts &= ~(value & CSTS_NSSRO);
		pthread_mutex_unlock(&k->lock);
		break;
	case PROP_NSSR:
		if (value == NSSR_NVME)
			reset_subsystem(job, k);
		break;
	default:
		job->status = SERVE_INVALID_FIELD;
	}
}
