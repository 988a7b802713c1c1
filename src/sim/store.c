/* SPDX-License-Identifier: MIT */
/* Files of a controller directory: pages, and the state that the simulator keeps. */
#include "sim/sim.h"

#include <fcntl.h>
#include <sys/file.h>
#include <time.h>

#define STATE_FILE "state.json"
#define LOCK_FILE "state.lock"

uint64_t sim_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static int read_at(int fd, uint64_t offset, uint8_t *buf, size_t len)
{
	size_t got = 0;

	while (got < len) {
		ssize_t n = pread(fd, buf + got, len - got, (off_t)(offset + got));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		got += (size_t)n;
	}
	memset(buf + got, 0, len - got);
	return 0;
}

int sim_page_read(const struct sim *sim, const struct host_file *page, uint64_t offset, void *buf, size_t len,
		  uint64_t *size)
{
	AUTO_FREE char *name = host_file_find(sim->dir, page);
	AUTO_FREE char *path = NULL;
	AUTO_CLOSE int fd = -1;
	struct stat st;

	if (!name)
		return -ENOENT;
	path = ssd_asprintf("%s/%s", sim->dir, name);
	/* O_NONBLOCK: a FIFO in a stranger's directory must not make us wait. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if (size)
		*size = (uint64_t)st.st_size;
	if (offset > (uint64_t)st.st_size)
		offset = (uint64_t)st.st_size;
	return read_at(fd, offset, buf, len);
}

/* A read-only directory must not look like a recorded host, which is what EROFS means to the caller. */
static int write_error(int rc)
{
	return rc == -EROFS ? -EACCES : rc;
}

int sim_page_write(const struct sim *sim, const struct host_file *page, const void *data, size_t len)
{
	AUTO_FREE char *found = host_file_find(sim->dir, page);
	AUTO_FREE char *path = NULL;
	struct stat st;
	mode_t mode = 0644;

	if (!found)
		found = host_file_name(page);
	path = ssd_asprintf("%s/%s", sim->dir, found);
	if (!stat(path, &st))
		mode = st.st_mode & 0777;
	return write_error(ssd_replace_file(path, data, len, mode));
}

int sim_lock(const char *host, const char *name)
{
	AUTO_FREE char *path = ssd_asprintf("%s/%s/" LOCK_FILE, host, name);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	int rc;

	if (fd < 0)
		return write_error(-errno);
	do
		rc = flock(fd, LOCK_EX);
	while (rc && errno == EINTR);
	if (rc) {
		rc = -errno;
		close(fd);
		return rc;
	}
	return fd;
}

int sim_state_write(const char *host, const char *name, const json_t *state)
{
	AUTO_FREE char *path = ssd_asprintf("%s/%s/" STATE_FILE, host, name);
	AUTO_FREE char *text = json_dumps(state, JSON_INDENT(2));
	size_t len;

	if (!text)
		return -EINVAL;
	len = strlen(text);
	text[len++] = '\n'; /* instead of the NUL: a text file ends with a newline */
	return write_error(ssd_replace_file(path, text, len, 0644));
}

static json_t *load_state(const struct sim *sim, struct ssd_err *err)
{
	AUTO_FREE char *path = ssd_asprintf("%s/" STATE_FILE, sim->dir);
	json_t *state = json_object_file(path, err);

	if (!state)
		ssd_hint(err, "the simulator's own file is damaged; without it the drive starts afresh");
	return state;
}

int sim_state_check(const struct sim *sim, struct ssd_err *err)
{
	AUTO_JSON json_t *state = sim->simulated ? load_state(sim, err) : NULL;

	return sim->simulated && !state ? -1 : 0;
}

/* State of a simulated drive. One that has been damaged meanwhile is not taken. 0 or -errno. */
static int reload(struct sim *sim)
{
	json_t *state = sim->simulated ? load_state(sim, NULL) : NULL;

	if (state) {
		json_decref(sim->state);
		sim->state = state;
	}
	if (!sim->state)
		sim->state = json_object();
	return sim->simulated && !state ? -EBADMSG : 0;
}

json_t *sim_state(struct sim *sim)
{
	reload(sim);
	return sim->state;
}

int sim_begin(struct sim *sim, struct sim_txn *txn)
{
	int rc;

	txn->lock = -1;
	if (sim->simulated) {
		txn->lock = sim_lock(sim->host, sim->name);
		if (txn->lock < 0)
			return txn->lock;
	}
	rc = reload(sim);
	if (rc) {
		close(txn->lock);
		return rc;
	}
	txn->fresh = !json_object_get(sim->state, SIM_CREATED);
	if (txn->fresh)
		json_object_set_new(sim->state, SIM_CREATED, json_integer((json_int_t)(sim_now_ms() / 1000)));
	return 0;
}

int sim_commit(struct sim *sim, struct sim_txn *txn, bool changed)
{
	int rc = 0;

	if ((changed || txn->fresh) && sim->simulated)
		rc = sim_state_write(sim->host, sim->name, sim->state);
	if (txn->lock >= 0)
		close(txn->lock);
	return rc;
}
