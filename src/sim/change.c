/* SPDX-License-Identifier: MIT */
/*
 * A change of several files, of any controllers of the subsystem, together with the state: all or nothing. The steps are
 * first written down in the state of the home, in one piece with whatever else changes there; that is the decision. Then
 * they are carried out, each of them such that doing it twice comes to the same. A process that is killed in between
 * leaves the rest to whoever sends the next command.
 */
#include "sim/sim.h"

#include <ctype.h>
#include <dirent.h>

/* In state.json. */
#define STEPS "steps"
/* What a page file may grow to by a step: a stranger's state must not fill the disk. */
#define MAX_PAGE_BYTES (1u << 20)

int sim_home_begin(const struct sim *sim, struct sim *home, struct sim_txn *txn)
{
	AUTO_FREE char *name = sim_home(sim);
	int rc;

	*home = sim_other(sim, name);
	rc = sim_begin(home, txn);
	if (rc) {
		sim_other_free(home);
		return rc;
	}
	rc = sim_fw_finish(home);
	if (!rc)
		rc = sim_change_finish(home);
	if (rc) {
		sim_commit(home, txn, false);
		sim_other_free(home);
	}
	return rc;
}

int sim_home_end(struct sim *home, struct sim_txn *txn, bool changed, int rc)
{
	int end = sim_commit(home, txn, changed);

	sim_other_free(home);
	return rc < 0 || !end ? rc : end;
}

/* --- carrying out --- */

static bool is_media(const char *name)
{
	const char *digits = name + strlen("ns-");

	return !strncmp(name, "ns-", strlen("ns-")) && isdigit((unsigned char)*digits) &&
	       !strcmp(digits + strspn(digits, "0123456789"), ".img");
}

/* state.json may come from a stranger: only files that are ours to write, in directories of controllers. */
static bool may_touch(const char *controller, const char *file)
{
	const char *digits = controller ? controller + strlen("nvme") : "";
	struct host_file page;

	return controller && file && !strncmp(controller, "nvme", strlen("nvme")) && *digits &&
	       !digits[strspn(digits, "0123456789")] && !strchr(file, '/') &&
	       (is_media(file) || host_file_parse(file, &page));
}

static char *to_hex(const uint8_t *bytes, size_t len)
{
	char *text = ssd_calloc(2 * len + 1, 1);

	for (size_t i = 0; i < len; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	return text;
}

size_t sim_from_hex(const char *text, uint8_t *bytes, size_t room)
{
	size_t n = 0;

	for (; text && n < room && isxdigit((unsigned char)text[0]) && isxdigit((unsigned char)text[1]); text += 2) {
		char digits[3] = {text[0], text[1], '\0'};

		bytes[n++] = (uint8_t)strtoul(digits, NULL, 16);
	}
	return n;
}

void sim_set_hex(json_t *object, const char *key, const uint8_t *bytes, size_t len)
{
	AUTO_FREE char *text = to_hex(bytes, len);

	json_object_set_new(object, key, json_string(text));
}

static int remove_file(const char *path)
{
	if (!unlink(path) || errno == ENOENT)
		return 0;
	return errno == EROFS ? -EACCES : -errno;
}

/* Whole: the file is these bytes and zeros; else they take the place of what is there. */
static int write_bytes(const char *path, const json_t *step, bool whole)
{
	json_int_t at = json_integer_value(json_object_get(step, "at"));
	json_int_t size = json_integer_value(json_object_get(step, "size"));
	const char *hex = json_string_value(json_object_get(step, "hex"));
	AUTO_FREE uint8_t *data = NULL, *old = NULL;
	size_t len = hex ? strlen(hex) / 2 : 0, old_len = 0;
	int rc;

	if (at < 0 || size < 0 || (size_t)at + len > MAX_PAGE_BYTES || size > MAX_PAGE_BYTES)
		return -EINVAL;
	rc = ssd_read_file(path, MAX_PAGE_BYTES, &old, &old_len);
	if (rc && rc != -ENOENT)
		return rc;
	if ((size_t)size < (size_t)at + len)
		size = at + (json_int_t)len;
	if (!whole && (size_t)size < old_len)
		size = (json_int_t)old_len;
	data = ssd_calloc((size_t)size, 1);
	if (!whole && old_len)
		memcpy(data, old, old_len);
	sim_from_hex(hex, data + at, len);
	if (!rc && old_len == (size_t)size && !memcmp(old, data, old_len))
		return 0;
	rc = ssd_replace_file(path, data, (size_t)size, 0644);
	return rc == -EROFS ? -EACCES : rc;
}

static int do_step(const struct sim *home, const json_t *step)
{
	const char *controller = json_string_value(json_object_get(step, "in"));
	const char *file = json_string_value(json_object_get(step, "file"));
	const char *what = json_string_value(json_object_get(step, "do"));
	AUTO_FREE char *dir = NULL;
	AUTO_FREE char *path = NULL;

	if (!what || !may_touch(controller, file))
		return 0;
	dir = ssd_asprintf("%s/%s", home->host, controller);
	if (access(dir, F_OK) && errno == ENOENT)
		return 0; /* the controller is gone, and the rest must not wait for it */
	path = ssd_asprintf("%s/%s", dir, file);
	return !strcmp(what, "remove") ? remove_file(path) : write_bytes(path, step, !strcmp(what, "write"));
}

int sim_change_finish(struct sim *home)
{
	json_t *steps = json_object_get(home->state, STEPS);
	int rc = 0;

	if (!steps)
		return 0;
	for (size_t i = 0; !rc && i < json_array_size(steps); i++)
		rc = do_step(home, json_array_get(steps, i));
	if (rc)
		return rc;
	json_object_del(home->state, STEPS);
	return sim_state_write(home->host, home->name, home->state);
}

/* --- recovery --- */

json_t *sim_shared(struct sim *sim)
{
	AUTO_FREE char *name = NULL;
	json_t *own = sim_state(sim), *shared;
	struct sim home;

	if (!sim->simulated)
		return own;
	name = sim_home(sim);
	if (!strcmp(name, sim->name)) {
		shared = json_incref(own);
	} else {
		home = sim_other(sim, name);
		shared = json_incref(sim_state(&home));
		sim_other_free(&home);
	}
	json_decref(sim->shared);
	return sim->shared = shared;
}

int sim_recover(struct sim *sim)
{
	struct sim home;
	struct sim_txn txn;
	int rc;

	if (!sim->simulated)
		return 0;
	if (!sim_fw_unfinished(sim->shared) && !json_object_get(sim->shared, STEPS))
		return 0;
	rc = sim_home_begin(sim, &home, &txn);
	if (rc)
		return rc;
	rc = sim_home_end(&home, &txn, false, 0);
	if (!rc)
		sim_shared(sim);
	return rc;
}

/* --- deciding --- */

int sim_change_begin(struct sim *sim, struct sim_change *c)
{
	int rc = sim_home_settle(sim);

	*c = (struct sim_change){0};
	if (!rc)
		rc = sim_home_begin(sim, &c->home, &c->txn);
	if (rc)
		return rc;
	c->controllers = sim_controllers(&c->home);
	c->steps = json_array();
	return 0;
}

json_t *sim_change_object(struct sim_change *c, const char *key)
{
	json_t *object = json_object_get(c->home.state, key);

	c->changed = true;
	if (json_is_object(object))
		return object;
	object = json_object();
	json_object_set_new(c->home.state, key, object);
	return object;
}

void sim_change_forget(struct sim_change *c, const char *key)
{
	c->changed = true;
	json_object_del(c->home.state, key);
}

int sim_change_end(struct sim_change *c, int rc)
{
	bool steps = !rc && json_array_size(c->steps);
	int error = 0;

	if (steps)
		json_object_set(c->home.state, STEPS, c->steps);
	if (steps)
		error = sim_state_write(c->home.host, c->home.name, c->home.state);
	if (steps && !error)
		error = sim_change_finish(&c->home);
	json_decref(c->steps);
	json_decref(c->told);
	json_decref(c->controllers);
	return sim_home_end(&c->home, &c->txn, !rc && !error && c->changed && !steps, error ? error : rc);
}

/* The file as it is spelt there, or as it will be. The first one when there are several spellings, as in hostfile.c. */
static char *exact_file(const char *dir, const struct host_file *page)
{
	DIR *d = opendir(dir);
	char *found = NULL;
	struct host_file file;
	struct dirent *e;

	while (d && (e = readdir(d))) {
		if (!host_file_parse(e->d_name, &file) || file.kind != page->kind || file.id != page->id ||
		    memcmp(file.q, page->q, sizeof(file.q)) || (found && strcmp(e->d_name, found) > 0))
			continue;
		free(found);
		found = ssd_strdup(e->d_name);
	}
	if (d)
		closedir(d);
	return found;
}

bool sim_change_has(const struct sim_change *c, const char *controller, const struct host_file *page)
{
	AUTO_FREE char *dir = ssd_asprintf("%s/%s", c->home.host, controller);
	AUTO_FREE char *file = exact_file(dir, page);

	return file != NULL;
}

static void add_bytes(struct sim_change *c, const char *controller, const struct host_file *page, json_t *step,
		      const void *bytes, size_t len)
{
	AUTO_FREE char *dir = ssd_asprintf("%s/%s", c->home.host, controller);
	AUTO_FREE char *file = exact_file(dir, page);
	AUTO_FREE char *hex = to_hex(bytes, len);

	if (!file)
		file = host_file_name(page);
	json_object_set_new(step, "in", json_string(controller));
	json_object_set_new(step, "file", json_string(file));
	json_object_set_new(step, "hex", json_string(hex));
	json_array_append_new(c->steps, step);
}

void sim_change_patch(struct sim_change *c, const char *controller, const struct host_file *page, size_t at,
		      const void *bytes, size_t len)
{
	add_bytes(c, controller, page, json_pack("{s:s, s:I}", "do", "patch", "at", (json_int_t)at), bytes, len);
}

void sim_change_write(struct sim_change *c, const char *controller, const struct host_file *page, const void *bytes,
		      size_t len)
{
	const uint8_t *p = bytes;
	json_t *step = json_pack("{s:s, s:I}", "do", "write", "size", (json_int_t)len);

	while (len && !p[len - 1])
		len--;
	add_bytes(c, controller, page, step, bytes, len);
}

void sim_change_remove_file(struct sim_change *c, const char *controller, const char *file)
{
	json_array_append_new(c->steps, json_pack("{s:s, s:s, s:s}", "do", "remove", "in", controller, "file", file));
}

void sim_change_remove(struct sim_change *c, const char *controller, bool (*match)(const struct host_file *, uint32_t),
		       uint32_t arg)
{
	AUTO_FREE char *dir = ssd_asprintf("%s/%s", c->home.host, controller);
	DIR *d = opendir(dir);
	struct host_file file;
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (host_file_parse(e->d_name, &file) && match(&file, arg))
			sim_change_remove_file(c, controller, e->d_name);
	if (d)
		closedir(d);
}

void sim_change_drop_media(struct sim_change *c, uint32_t nsid)
{
	AUTO_FREE char *file = ssd_asprintf("ns-%u.img", nsid);

	for (size_t i = 0; i < json_array_size(c->controllers); i++) {
		const char *name = json_string_value(json_array_get(c->controllers, i));
		AUTO_FREE char *path = ssd_asprintf("%s/%s/%s", c->home.host, name, file);

		if (!access(path, F_OK))
			sim_change_remove_file(c, name, file);
	}
}
