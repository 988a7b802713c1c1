/* SPDX-License-Identifier: MIT */
/*
 * Controllers of one NVM subsystem: directories with the same serial number, model and subsystem NQN. They share their
 * firmware slots (NVMe 1.4, Firmware Update Process), so what is kept about firmware is kept in one of them, the home: the
 * first in natural order. The others know it by a mark in their state, made before there is anything to know.
 */
#include "sim/sim.h"

#include <dirent.h>

#define MARK "firmware_home"

struct sim sim_other(const struct sim *sim, const char *name)
{
	return (struct sim){.host = sim->host,
			    .name = ssd_strdup(name),
			    .dir = ssd_asprintf("%s/%s", sim->host, name),
			    .simulated = sim->simulated};
}

void sim_other_free(struct sim *other)
{
	free(other->name);
	free(other->dir);
	json_decref(other->state);
}

static bool same_subsystem(const uint8_t a[4096], const uint8_t b[4096])
{
	static const struct {
		uint16_t at, len;
	} names[] = {{4, 20}, {24, 40}, {768, 256}}; /* SN, MN, SUBNQN: NVMe 1.4, Identify Controller */
	bool nameless = true;

	for (unsigned i = 0; i < names[0].len; i++)
		nameless &= a[names[0].at + i] == ' ' || !a[names[0].at + i];
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (memcmp(a + names[i].at, b + names[i].at, names[i].len))
			return false;
	return !nameless;
}

static bool read_id(const struct sim *sim, uint8_t id[4096])
{
	const struct host_file page = host_file_of(HOST_FILE_IDENTIFY, 1);

	return !sim_page_read(sim, &page, 0, id, 4096, NULL);
}

bool sim_is_controller_name(const char *name)
{
	return name && !strncmp(name, "nvme", 4) && name[4] && !name[4 + strspn(name + 4, "0123456789")];
}

/* Whether the host has a drive of that name that is another controller of the same subsystem. */
static bool is_sibling(const struct sim *sim, const uint8_t id[4096], const char *name)
{
	uint8_t other_id[4096];
	struct sim other;
	bool is;

	if (!sim_is_controller_name(name) || !strcmp(name, sim->name))
		return false;
	other = sim_other(sim, name);
	is = read_id(&other, other_id) && same_subsystem(id, other_id);
	sim_other_free(&other);
	return is;
}

static int natural(const void *a, const void *b)
{
	return ssd_natural_cmp(*(const char *const *)a, *(const char *const *)b);
}

/* Own copies of the names in the order of the controllers. */
static json_t *sorted(char **names, size_t n)
{
	json_t *list = json_array();

	if (n)
		qsort(names, n, sizeof(*names), natural);
	for (size_t i = 0; i < n; i++) {
		json_array_append_new(list, json_string(names[i]));
		free(names[i]);
	}
	return list;
}

json_t *sim_controllers(const struct sim *sim)
{
	AUTO_FREE char **names = ssd_calloc(1, sizeof(*names));
	uint8_t id[4096];
	struct dirent *e;
	size_t n = 1;
	DIR *d = NULL;

	names[0] = ssd_strdup(sim->name);
	if (read_id(sim, id))
		d = opendir(sim->host);
	while (d && (e = readdir(d))) {
		if (!is_sibling(sim, id, e->d_name))
			continue;
		names = ssd_realloc(names, n + 1, sizeof(*names));
		names[n++] = ssd_strdup(e->d_name);
	}
	if (d)
		closedir(d);
	return sorted(names, n);
}

char *sim_home(const struct sim *sim)
{
	const char *mark = json_string_value(json_object_get(sim->state, MARK));
	uint8_t id[4096];

	if (sim->home)
		return ssd_strdup(sim->home);
	/* A directory that was copied or renamed may have a mark that is not its own. */
	if (mark && strcmp(mark, sim->name) && read_id(sim, id) && is_sibling(sim, id, mark))
		return ssd_strdup(mark);
	return ssd_strdup(sim->name);
}

/* Whether the mark says what it should: the home has none. */
static bool marked(const struct sim *other, const char *home)
{
	const char *mark = json_string_value(json_object_get(other->state, MARK));

	return strcmp(other->name, home) ? mark && !strcmp(mark, home) : !mark;
}

static int write_mark(struct sim *other, const char *home)
{
	struct sim_txn txn;
	int rc = sim_begin(other, &txn);

	if (rc)
		return rc;
	if (strcmp(other->name, home))
		json_object_set_new(other->state, MARK, json_string(home));
	else
		json_object_del(other->state, MARK);
	return sim_commit(other, &txn, true);
}

int sim_home_settle(struct sim *sim)
{
	AUTO_JSON json_t *names = NULL;
	const char *home;
	int rc = 0;

	if (sim->home)
		return 0;
	names = sim_controllers(sim);
	home = json_string_value(json_array_get(names, 0));
	for (size_t i = 0; !rc && i < json_array_size(names); i++) {
		struct sim other = sim_other(sim, json_string_value(json_array_get(names, i)));

		sim_state(&other);
		if (!marked(&other, home))
			rc = write_mark(&other, home);
		sim_other_free(&other);
	}
	if (!rc)
		sim->home = ssd_strdup(home);
	return rc;
}
