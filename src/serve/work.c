/* SPDX-License-Identifier: MIT */
/* Workers: as many threads as there are commands being executed, some kept for the next ones. */
#include "serve/serve.h"

#define STACK_BYTES (512u << 10)
#define IDLE_WORKERS 8

static struct job *take(struct server *server)
{
	struct job *job = server->first;

	if (!job)
		return NULL;
	server->first = job->next;
	if (!server->first)
		server->last = NULL;
	server->n_queued--;
	return job;
}

static void execute(struct server *server, struct job *job)
{
	struct serve_drive *drive = job->connection->controller->drive;
	bool gone;

	if (job->sqe[0] == SERVE_FABRICS)
		serve_property_set(job);
	else
		serve_admin(job);
	/*
	 * A rule may make the drive vanish after it has answered. Asked before the answer, as the host's next command may
	 * be the one with which it does, and that one's answer must come first as well.
	 */
	gone = serve_vanished(drive);
	serve_complete(job);
	if (gone)
		serve_disconnect(server, serve_of_drive, drive);
}

static void *worker(void *arg)
{
	struct server *server = arg;

	pthread_mutex_lock(&server->work_lock);
	for (;;) {
		struct job *job = take(server);

		if (job) {
			pthread_mutex_unlock(&server->work_lock);
			execute(server, job);
			pthread_mutex_lock(&server->work_lock);
			continue;
		}
		if (server->n_idle >= IDLE_WORKERS)
			break;
		server->n_idle++;
		pthread_cond_wait(&server->work, &server->work_lock);
		server->n_idle--;
	}
	server->n_workers--;
	pthread_mutex_unlock(&server->work_lock);
	return NULL;
}

static bool start_worker(struct server *server)
{
	pthread_attr_t attr;
	pthread_t thread;
	int rc;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	rc = pthread_create(&thread, &attr, worker, server);
	pthread_attr_destroy(&attr);
	return !rc;
}

void serve_work(struct server *server, struct job *job)
{
	pthread_mutex_lock(&server->work_lock);
	job->next = NULL;
	if (server->last)
		server->last->next = job;
	else
		server->first = job;
	server->last = job;
	server->n_queued++;
	/* One that is idle may be woken for an older job: there must be one for each. */
	if (server->n_queued > server->n_idle && server->n_workers < SERVE_WORKERS && start_worker(server))
		server->n_workers++;
	pthread_cond_signal(&server->work);
	pthread_mutex_unlock(&server->work_lock);
}

void serve_work_init(struct server *server)
{
	serve_mutex_init(&server->work_lock);
	pthread_cond_init(&server->work, NULL);
}
