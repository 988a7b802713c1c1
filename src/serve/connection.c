/* SPDX-License-Identifier: MIT */
/* Connections and associations: who holds what, and how it ends. */
#include "serve/serve.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>

#define STACK_BYTES (512u << 10)
/* A host that takes nothing for so long is given up. */
#define SEND_SECONDS 20

void serve_controller_unref(struct server *server, struct controller *controller)
{
	if (--controller->refs)
		return;
	for (struct controller **p = &server->controllers; *p; p = &(*p)->next) {
		if (*p != controller)
			continue;
		*p = controller->next;
		break;
	}
	pthread_mutex_destroy(&controller->lock);
	free(controller);
}

void serve_connection_unref(struct connection *c)
{
	struct server *server = c->server;
	bool last;

	pthread_mutex_lock(&server->lock);
	last = !--c->refs;
	if (last) {
		server->n_connections--;
		if (c->controller)
			serve_controller_unref(server, c->controller);
	}
	pthread_mutex_unlock(&server->lock);
	if (!last)
		return;
	close(c->fd);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

bool serve_of_drive(const struct connection *c, const void *drive)
{
	return c->controller && c->controller->drive == drive;
}

bool serve_of_controller(const struct connection *c, const void *controller)
{
	return c->controller == controller;
}

void serve_disconnect(struct server *server, bool (*match)(const struct connection *c, const void *what),
		      const void *what)
{
	pthread_mutex_lock(&server->lock);
	for (struct connection *c = server->connections; c; c = c->next)
		if (match(c, what))
			shutdown(c->fd, SHUT_RDWR);
	pthread_mutex_unlock(&server->lock);
}

static void leave(struct connection *c)
{
	struct server *server = c->server;

	pthread_mutex_lock(&server->lock);
	for (struct connection **p = &server->connections; *p; p = &(*p)->next) {
		if (*p != c)
			continue;
		*p = c->next;
		break;
	}
	pthread_mutex_unlock(&server->lock);
}

/* Commands whose data will not come any more; those that are being executed end by themselves. */
static void drop_unfinished(struct connection *c)
{
	for (unsigned i = 0; i < SERVE_QUEUE_ENTRIES; i++) {
		struct job *job;

		pthread_mutex_lock(&c->lock);
		job = c->slots[i];
		if (job && job->running)
			job = NULL;
		if (job)
			c->slots[i] = NULL;
		pthread_mutex_unlock(&c->lock);
		if (job)
			serve_job_free(job);
	}
}

/* The end of the admin queue's connection is the end of the association (fabrics, section 4.3). */
static void *reader(void *arg)
{
	struct connection *c = arg;

	while (serve_pdu(c))
		continue;
	pthread_mutex_lock(&c->lock);
	c->dead = true;
	pthread_mutex_unlock(&c->lock);
	shutdown(c->fd, SHUT_RDWR);
	leave(c);
	drop_unfinished(c);
	if (c->controller && !c->qid)
		serve_disconnect(c->server, serve_of_controller, c->controller);
	serve_connection_unref(c);
	return NULL;
}

static bool start(struct connection *c)
{
	pthread_attr_t attr;
	pthread_t thread;
	int rc;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	rc = pthread_create(&thread, &attr, reader, c);
	pthread_attr_destroy(&attr);
	return !rc;
}

/* False: there are as many as may be. */
static bool enter(struct server *server, struct connection *c)
{
	bool room;

	pthread_mutex_lock(&server->lock);
	room = server->n_connections < SERVE_CONNECTIONS;
	if (room) {
		server->n_connections++;
		c->next = server->connections;
		server->connections = c;
	}
	pthread_mutex_unlock(&server->lock);
	return room;
}

void serve_connection(struct server *server, int fd)
{
	const struct timeval patience = {.tv_sec = SEND_SECONDS};
	struct connection *c = ssd_calloc(1, sizeof(*c));
	const int on = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	c->server = server;
	c->fd = fd;
	c->refs = 1;
	c->entries = 1; /* until Connect says more */
	serve_mutex_init(&c->lock);
	if (!enter(server, c)) {
		close(fd);
		pthread_mutex_destroy(&c->lock);
		free(c);
	} else if (!start(c)) {
		leave(c);
		serve_connection_unref(c);
	}
}
