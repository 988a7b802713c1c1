/* SPDX-License-Identifier: MIT */
/*
 * Protocol data units (TCP, section 3.6): a common header of 8 bytes (type, flags, header length, data offset, total
 * length), the type's own header, data. No digests and no padding are agreed on, so data follow the header.
 *
 * Every length is judged before it is used. A PDU that is not as it must be ends the connection (TCP, section 3.5).
 */
#include "serve/serve.h"

#include <ssdct/admin.h>

#include <sys/socket.h>
#include <sys/uio.h>

enum {
	PDU_ICREQ,
	PDU_ICRESP,
	PDU_H2C_TERM,
	PDU_C2H_TERM,
	PDU_CAPSULE,
	PDU_RESPONSE,
	PDU_H2C_DATA,
	PDU_C2H_DATA,
	PDU_R2T = 9
};
enum { COMMON_BYTES = 8, IC_BYTES = 128, CAPSULE_BYTES = 72, DATA_BYTES = 24 };
/* Flags: digests, of which there are none; the last PDU of a transfer. */
enum { FLAG_HDGST = 1, FLAG_DDGST = 2, FLAG_LAST = 4 };
/* Fatal Error Status of a termination request (TCP, figure 20). */
enum { FES_HEADER = 1, FES_SEQUENCE = 2, FES_RANGE = 4, FES_LIMIT = 5, FES_UNSUPPORTED = 6 };
/* SGL descriptor type and subtype (base, section 4.4): data in the capsule at an offset; data by the transport. */
enum { SQE_SGL_LENGTH = 32, SQE_SGL_TYPE = 39, SGL_IN_CAPSULE = 0x01, SGL_TRANSPORT = 0x5a };

/* Fabrics command types (fabrics, figure 17). */
enum { PROPERTY_SET = 0x00, CONNECT = 0x01, PROPERTY_GET = 0x04 };

void serve_mutex_init(pthread_mutex_t *mutex)
{
	pthread_mutex_init(mutex, NULL);
}

static bool receive(int fd, void *buf, size_t len)
{
	uint8_t *p = buf;

	while (len) {
		ssize_t n = recv(fd, p, len, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		len -= (size_t)n;
	}
	return true;
}

/* Under the connection's lock, so that PDUs stay whole. A host that takes nothing for long is given up. */
static void transmit(struct connection *c, const uint8_t *header, const uint8_t *data, size_t len)
{
	struct iovec iov[2] = {{(void *)header, header[2]}, {(void *)data, len}};
	struct msghdr msg = {.msg_iov = iov, .msg_iovlen = 2};

	while (!c->dead && iov[0].iov_len + iov[1].iov_len) {
		ssize_t n = sendmsg(c->fd, &msg, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			c->dead = true;
			shutdown(c->fd, SHUT_RDWR);
			return;
		}
		for (size_t i = 0; i < 2; i++) {
			size_t part = (size_t)n < iov[i].iov_len ? (size_t)n : iov[i].iov_len;

			iov[i].iov_base = (uint8_t *)iov[i].iov_base + part;
			iov[i].iov_len -= part;
			n -= (ssize_t)part;
		}
	}
}

static void common_header(uint8_t *h, uint8_t type, uint8_t flags, uint8_t bytes, uint32_t data)
{
	memset(h, 0, bytes);
	h[0] = type;
	h[1] = flags;
	h[2] = bytes;
	h[3] = data ? bytes : 0;
	ssd_put_le(h + 4, 4, bytes + data);
}

/* Tells the host why, and ends the connection. `at`: byte of its header that is wrong. */
static bool terminate(struct connection *c, const uint8_t *header, unsigned fes, unsigned at)
{
	uint8_t h[DATA_BYTES];

	common_header(h, PDU_C2H_TERM, 0, DATA_BYTES, COMMON_BYTES);
	ssd_put_le(h + 8, 2, fes);
	ssd_put_le(h + 10, 4, at);
	pthread_mutex_lock(&c->lock);
	transmit(c, h, header, COMMON_BYTES);
	pthread_mutex_unlock(&c->lock);
	return false;
}

/* --- jobs --- */

static bool reserve(struct server *server, uint32_t bytes)
{
	bool fits;

	pthread_mutex_lock(&server->lock);
	fits = server->buffered + bytes <= SERVE_BUFFERS;
	if (fits)
		server->buffered += bytes;
	pthread_mutex_unlock(&server->lock);
	return fits;
}

static struct job *job_new(struct connection *c, const uint8_t *sqe, unsigned slot)
{
	struct job *job = ssd_calloc(1, sizeof(*job));

	memcpy(job->sqe, sqe, sizeof(job->sqe));
	job->slot = slot;
	job->connection = c;
	pthread_mutex_lock(&c->server->lock);
	c->refs++;
	pthread_mutex_unlock(&c->server->lock);
	return job;
}

void serve_job_free(struct job *job)
{
	struct connection *c = job->connection;

	if (job->data) {
		pthread_mutex_lock(&c->server->lock);
		c->server->buffered -= job->len;
		pthread_mutex_unlock(&c->server->lock);
		free(job->data);
	}
	free(job);
	serve_connection_unref(c);
}

static void send_data(struct connection *c, const struct job *job)
{
	uint8_t h[DATA_BYTES];

	common_header(h, PDU_C2H_DATA, FLAG_LAST, DATA_BYTES, job->done);
	ssd_put_le(h + 8, 2, serve_cid(job->sqe));
	ssd_put_le(h + 16, 4, job->done);
	transmit(c, h, job->data, job->done);
}

static void send_response(struct connection *c, const struct job *job)
{
	uint8_t h[DATA_BYTES];

	common_header(h, PDU_RESPONSE, 0, DATA_BYTES, 0);
	ssd_put_le(h + 8, 8, job->result);
	ssd_put_le(h + 16, 2, c->sqhd);
	ssd_put_le(h + 20, 2, serve_cid(job->sqe));
	ssd_put_le(h + 22, 2, (uint64_t)job->status << 1);
	transmit(c, h, NULL, 0);
}

void serve_complete(struct job *job)
{
	struct connection *c = job->connection;

	pthread_mutex_lock(&c->lock);
	/* Before the host knows that the command is done: it may send the next one at once. */
	c->slots[job->slot] = NULL;
	if (!job->lost) {
		if (!job->status && job->direction == SSD_DATA_FROM_DRIVE && job->done)
			send_data(c, job);
		send_response(c, job);
	}
	pthread_mutex_unlock(&c->lock);
	serve_job_free(job);
}

/* --- what the host sends --- */

/* TCP, figures 13 and 14. */
static bool initialize(struct connection *c, const uint8_t *h, uint32_t data_bytes)
{
	uint8_t answer[IC_BYTES];

	(void)data_bytes;
	if (ssd_le16(h + 8))
		return terminate(c, h, FES_UNSUPPORTED, 8); /* the one format of the PDUs is 0 */
	if (h[10])
		return terminate(c, h, FES_UNSUPPORTED, 10); /* wants our data aligned */
	common_header(answer, PDU_ICRESP, 0, IC_BYTES, 0);
	ssd_put_le(answer + 12, 4, SERVE_H2C_DATA);
	pthread_mutex_lock(&c->lock);
	c->initialized = true;
	transmit(c, answer, NULL, 0);
	pthread_mutex_unlock(&c->lock);
	return true;
}

/* Why a command cannot be executed on this queue, now; SERVE_OK when it can. */
static uint16_t out_of_place(struct connection *c, uint8_t opcode, uint8_t type)
{
	bool fabrics = opcode == SERVE_FABRICS;

	if (!c->controller || (!fabrics && !serve_ready(c->controller)))
		return SERVE_SEQUENCE_ERROR;
	return fabrics && (c->qid || (type != PROPERTY_SET && type != PROPERTY_GET)) ? SERVE_INVALID_OPCODE : SERVE_OK;
}

/* All data are there: to whoever executes it. */
static void dispatch(struct job *job)
{
	struct connection *c = job->connection;
	uint8_t opcode = job->sqe[0], type = job->sqe[4];

	job->running = true;
	if (opcode == SERVE_FABRICS && type == CONNECT) {
		serve_connect(job);
		serve_complete(job);
		return;
	}
	job->status = out_of_place(c, opcode, type);
	if (!job->status && !c->qid && (opcode != SERVE_FABRICS || type == PROPERTY_SET)) {
		serve_work(c->server, job);
		return;
	}
	if (!job->status && c->qid)
		serve_media(job);
	else if (!job->status)
		serve_property_get(job);
	serve_complete(job);
}

/* Kept until there is an event; the only one that could come here is none, so until the end of the connection. */
static bool keep_event_request(struct connection *c, const uint8_t *sqe)
{
	struct job refused = {.status = SERVE_TOO_MANY_AERS};

	pthread_mutex_lock(&c->lock);
	c->sqhd = (uint16_t)((c->sqhd + 1) % c->entries);
	pthread_mutex_unlock(&c->lock);
	if (c->n_aer < SERVE_AERS) {
		c->aer[c->n_aer++] = serve_cid(sqe);
		return true;
	}
	memcpy(refused.sqe, sqe, sizeof(refused.sqe));
	pthread_mutex_lock(&c->lock);
	send_response(c, &refused);
	pthread_mutex_unlock(&c->lock);
	return true;
}

static int free_slot(struct connection *c)
{
	int slot = -1;

	pthread_mutex_lock(&c->lock);
	for (int i = 0; i < c->entries && slot < 0; i++)
		if (!c->slots[i])
			slot = i;
	pthread_mutex_unlock(&c->lock);
	return slot;
}

/* What the command says about its data. `inside`: bytes that came with it. Returns a status. */
static uint16_t describe(struct job *job, uint32_t inside)
{
	uint8_t type = job->sqe[SQE_SGL_TYPE];
	uint32_t len = ssd_le32(job->sqe + SQE_SGL_LENGTH);
	uint8_t bits = job->sqe[0] == SERVE_FABRICS ? job->sqe[4] : job->sqe[0];

	if (job->sqe[1] & 3)
		return SERVE_INVALID_FIELD; /* fused commands */
	if (type != SGL_IN_CAPSULE && type != SGL_TRANSPORT)
		return len || inside ? SERVE_SGL_TYPE : SERVE_OK;
	/* Bit 0 of the opcode: data from the host. */
	if (type == SGL_IN_CAPSULE ? len != inside || !(bits & 1) || ssd_le64(job->sqe + 24) : inside != 0)
		return SERVE_SGL_LENGTH;
	if (len > SERVE_TRANSFER)
		return SERVE_INVALID_FIELD;
	if (!len)
		return SERVE_OK;
	if (!reserve(job->connection->server, len))
		return SERVE_INTERRUPTED;
	job->direction = bits & 1 ? SSD_DATA_TO_DRIVE : SSD_DATA_FROM_DRIVE;
	job->len = len;
	job->data = ssd_page_alloc(len);
	return SERVE_OK;
}

static bool drain(int fd, uint32_t bytes)
{
	uint8_t buf[SERVE_IN_CAPSULE];

	return receive(fd, buf, bytes);
}

static void ask_for_data(struct connection *c, const struct job *job)
{
	uint8_t h[DATA_BYTES];

	common_header(h, PDU_R2T, 0, DATA_BYTES, 0);
	ssd_put_le(h + 8, 2, serve_cid(job->sqe));
	ssd_put_le(h + 10, 2, job->slot);
	ssd_put_le(h + 16, 4, job->len);
	pthread_mutex_lock(&c->lock);
	transmit(c, h, NULL, 0);
	pthread_mutex_unlock(&c->lock);
}

static bool enter(struct connection *c, const uint8_t *h, int slot, uint32_t inside)
{
	struct job *job = job_new(c, h + COMMON_BYTES, (unsigned)slot);

	pthread_mutex_lock(&c->lock);
	c->slots[slot] = job;
	c->sqhd = (uint16_t)((c->sqhd + 1) % c->entries);
	pthread_mutex_unlock(&c->lock);
	job->status = describe(job, inside);
	if (inside) {
		/* Left to the end of the connection when they do not come. */
		if (job->status ? !drain(c->fd, inside) : !receive(c->fd, job->data, inside))
			return false;
		job->done = inside;
	}
	if (job->status) {
		serve_complete(job);
		return true;
	}
	if (job->direction != SSD_DATA_TO_DRIVE || job->done == job->len)
		dispatch(job);
	else
		ask_for_data(c, job);
	return true;
}

static bool capsule(struct connection *c, const uint8_t *h, uint32_t data_bytes)
{
	const uint8_t *sqe = h + COMMON_BYTES;
	int slot;

	if (data_bytes > SERVE_IN_CAPSULE)
		return terminate(c, h, FES_LIMIT, 4);
	if (c->controller && !c->qid && sqe[0] == SERVE_AER && !data_bytes && serve_ready(c->controller))
		return keep_event_request(c, sqe);
	slot = free_slot(c);
	if (slot < 0)
		return terminate(c, h, FES_SEQUENCE, 0); /* more commands than the queue has entries */
	return enter(c, h, slot, data_bytes);
}

/* TCP, figure 17. Data come in order, as one R2T asks for all of them. */
static bool more_data(struct connection *c, const uint8_t *h, uint32_t data_bytes)
{
	uint16_t slot = ssd_le16(h + 10);
	uint32_t offset = ssd_le32(h + 12);
	struct job *job = NULL;

	pthread_mutex_lock(&c->lock);
	if (slot < SERVE_QUEUE_ENTRIES && c->slots[slot] && !c->slots[slot]->running)
		job = c->slots[slot];
	pthread_mutex_unlock(&c->lock);
	if (!job || serve_cid(job->sqe) != ssd_le16(h + 8))
		return terminate(c, h, FES_HEADER, 10);
	if (data_bytes > SERVE_H2C_DATA)
		return terminate(c, h, FES_LIMIT, 16);
	if (!data_bytes || ssd_le32(h + 16) != data_bytes || offset != job->done || data_bytes > job->len - job->done)
		return terminate(c, h, FES_RANGE, 12);
	if (h[1] & FLAG_LAST && job->done + data_bytes != job->len)
		return terminate(c, h, FES_RANGE, 1);
	if (!receive(c->fd, job->data + job->done, data_bytes))
		return false;
	job->done += data_bytes;
	if (job->done == job->len)
		dispatch(job);
	return true;
}

static const struct kind {
	uint8_t type, bytes;
	bool first; /* the one that must come first, and only then */
	bool (*run)(struct connection *c, const uint8_t *header, uint32_t data_bytes);
	uint32_t most; /* data bytes; beyond it the length is a lie */
} kinds[] = {
	{PDU_ICREQ, IC_BYTES, true, initialize, 0},
	{PDU_CAPSULE, CAPSULE_BYTES, false, capsule, SERVE_H2C_DATA},
	{PDU_H2C_DATA, DATA_BYTES, false, more_data, 2 * SERVE_H2C_DATA},
};

static const struct kind *kind_of(const struct connection *c, uint8_t type)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].type == type && kinds[i].first == !c->initialized)
			return &kinds[i];
	return NULL;
}

bool serve_pdu(struct connection *c)
{
	uint8_t h[IC_BYTES];
	const struct kind *kind;
	uint32_t total;

	if (!receive(c->fd, h, COMMON_BYTES))
		return false;
	if (h[0] == PDU_H2C_TERM)
		return false; /* the host gives up */
	kind = kind_of(c, h[0]);
	total = ssd_le32(h + 4);
	if (!kind)
		return terminate(c, h, c->initialized ? FES_HEADER : FES_SEQUENCE, 0);
	if (h[1] & (FLAG_HDGST | FLAG_DDGST))
		return terminate(c, h, FES_HEADER, 1);
	if (h[2] != kind->bytes)
		return terminate(c, h, FES_HEADER, 2);
	if (total < kind->bytes || total - kind->bytes > kind->most)
		return terminate(c, h, FES_HEADER, 4);
	if (total > kind->bytes && h[3] != kind->bytes)
		return terminate(c, h, FES_HEADER, 3);
	return receive(c->fd, h + COMMON_BYTES, kind->bytes - (size_t)COMMON_BYTES) &&
	       kind->run(c, h, total - kind->bytes);
}
