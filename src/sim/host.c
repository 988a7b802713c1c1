/* SPDX-License-Identifier: MIT */
#include "sim/host.h"

#include <dirent.h>
#include <ssdct/id_ctrl.h>

#define MAX_DRIVES 1024

static int write_json(const char *path, const json_t *json, struct ssd_err *err)
{
	AUTO_FREE char *text = json_dumps(json, JSON_INDENT(2));
	size_t len;
	int rc;

	if (!text)
		return ssd_fail(err, SSD_ERR_INTERNAL, "%s: cannot be written as JSON", path);
	len = strlen(text);
	text[len++] = '\n'; /* instead of the NUL */
	rc = ssd_replace_file(path, text, len, 0644);
	return rc ? ssd_fail_errno(err, -rc, "writing %s", path) : 0;
}

int sim_host_finish(const char *dir, struct ssd_err *err)
{
	AUTO_FREE char *path = ssd_asprintf("%s/host.json", dir);
	AUTO_JSON json_t *json = json_pack("{s:s, s:s}", "format", "ssdct-host/1", "mode", "simulated");

	return write_json(path, json, err);
}

static bool is_empty(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	bool empty = d != NULL;

	while (empty && (e = readdir(d)))
		empty = !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..");
	if (d)
		closedir(d);
	return empty;
}

int sim_host_begin(const char *dir, struct ssd_err *err)
{
	if (!mkdir(dir, 0755))
		return 0;
	if (errno != EEXIST) {
		ssd_fail_errno(err, errno, "making directory %s", dir);
		if (errno == ENOENT)
			ssd_hint(err, "its parent directory must exist");
		return -1;
	}
	if (is_empty(dir))
		return 0;
	ssd_fail(err, SSD_ERR_REFUSED, "%s exists and is not an empty directory", dir);
	ssd_hint(err, "nothing was changed; name a new directory");
	return -1;
}

struct directory_sink {
	struct sim_sink sink;
	const char *dir;
	struct ssd_err *err;
};

static int put_file(struct sim_sink *sink, const struct host_file *page, const void *data, size_t len)
{
	struct directory_sink *d = (struct directory_sink *)sink;
	AUTO_FREE char *name = host_file_name(page);
	AUTO_FREE char *path = ssd_asprintf("%s/%s", d->dir, name);
	int rc = ssd_replace_file(path, data, len, 0644);

	return rc ? ssd_fail_errno(d->err, -rc, "writing %s", path) : 0;
}

/* Every drive in a slot of its own, below a bridge each, as on a server's riser. */
static json_t *sysfs_json(const struct sim_model *m, unsigned index)
{
	char address[16], ids[4][8];

	snprintf(address, sizeof(address), "%04x:%02x:00.0", (index + 3) >> 8 & 0xff, (index + 3) & 0xff);
	snprintf(ids[0], sizeof(ids[0]), "0x%04x", m->vid);
	snprintf(ids[1], sizeof(ids[1]), "0x%04x", m->pci_device);
	snprintf(ids[2], sizeof(ids[2]), "0x%04x", m->ssvid);
	snprintf(ids[3], sizeof(ids[3]), "0x%04x", m->pci_subsystem_device);
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "transport", "pcie", "address",
			 address, "state", "live", "numa_node", "0", "current_link_speed", m->link_speed,
			 "current_link_width", m->link_width, "max_link_speed", m->link_speed, "max_link_width",
			 m->link_width, "vendor", ids[0], "device", ids[1], "subsystem_vendor", ids[2],
			 "subsystem_device", ids[3]);
}

static json_t *feature_json(const struct sim_model_feature *f)
{
	if (!f->object)
		return json_integer(f->current);
	return json_pack("{s:I, s:I, s:I, s:I}", "current", (json_int_t)f->current, "default", (json_int_t)f->initial,
			 "saved", (json_int_t)f->initial, "capabilities", (json_int_t)f->capabilities);
}

static int write_drive_json(const struct sim_model *m, unsigned index, const char *dir, struct ssd_err *err)
{
	AUTO_FREE char *path = ssd_asprintf("%s/drive.json", dir);
	AUTO_JSON json_t *json = json_object();
	json_t *features = json_object();

	json_object_set_new(json, "sysfs", sysfs_json(m, index));
	json_object_set_new(json, "features", features);
	for (const struct sim_model_feature *f = m->features; f->key; f++)
		json_object_set_new(features, f->key, feature_json(f));
	/* Optane's latency logs start again when read; the version in front of the counts stays. */
	if (m->intel && m->intel->latency_major == 1000)
		json_object_set_new(json, "clear_on_read", json_pack("{s:i, s:i}", "0xc1", 4, "0xc2", 4));
	return write_json(path, json, err);
}

/* serial: what the serial number is made of; the index, but on cards, whose controllers have one number. */
static int create_drive(const char *host, const struct sim_model *m, unsigned index, unsigned serial,
			struct ssd_err *err)
{
	AUTO_FREE char *dir = ssd_asprintf("%s/nvme%u", host, index);
	struct directory_sink sink = {{put_file}, dir, err};

	if (mkdir(dir, 0755))
		return ssd_fail_errno(err, errno, "making directory %s", dir);
	return sim_model_encode(m, serial, &sink.sink) || write_drive_json(m, index, dir, err) ? -1 : 0;
}

int sim_host_create(const char *dir, const struct sim_order *orders, size_t n, struct ssd_err *err)
{
	unsigned index = 0, total = 0, cards = 0;

	for (size_t i = 0; i < n; i++)
		total += orders[i].count < MAX_DRIVES ? orders[i].count << orders[i].model->card : MAX_DRIVES + 1;
	if (total > MAX_DRIVES)
		return ssd_fail(err, SSD_ERR_USAGE, "a simulated host has at most %d drives", MAX_DRIVES);
	if (sim_host_begin(dir, err))
		return -1;
	for (size_t i = 0; i < n; i++)
		for (unsigned k = 0; k < orders[i].count << orders[i].model->card; k++, index++)
			if (create_drive(dir, orders[i].model, index, orders[i].model->card ? cards++ : index, err))
				return -1;
	/* Last: until all is there it is no simulated host. */
	return sim_host_finish(dir, err);
}

int sim_fault_add(const char *host, const char *name, const json_t *rule, struct ssd_err *err)
{
	AUTO_FREE char *path = ssd_asprintf("%s/%s/drive.json", host, name);
	AUTO_JSON json_t *json = NULL;
	AUTO_CLOSE int lock = sim_lock(host, name);
	struct sim_fault parsed;
	const char *wrong = sim_fault_parse(rule, &parsed);
	json_t *faults;

	if (wrong)
		return ssd_fail(err, SSD_ERR_USAGE, "the fault rule %s", wrong);
	if (lock < 0)
		return ssd_fail_errno(err, -lock, "locking %s/%s", host, name);
	json = drive_json_load(host, name, err);
	if (!json)
		return -1;
	faults = json_object_get(json, "faults");
	if (!faults)
		json_object_set_new(json, "faults", faults = json_array());
	if (!json_is_array(faults))
		return ssd_fail(err, SSD_ERR_BAD_INPUT, "%s: \"faults\" is not an array", path);
	json_array_append_new(faults, json_deep_copy(rule));
	return write_json(path, json, err);
}

static int forget_matches(const char *host, const char *name, json_t *state, struct ssd_err *err)
{
	int rc = 0;

	if (json_object_size(state)) {
		json_object_del(state, "fault_matches");
		json_object_del(state, "vanished_until_ms");
		rc = sim_state_write(host, name, state);
	}
	return rc ? ssd_fail_errno(err, -rc, "writing %s/%s/state.json", host, name) : 0;
}

int sim_fault_clear(const char *host, const char *name, struct ssd_err *err)
{
	AUTO_FREE char *path = ssd_asprintf("%s/%s/drive.json", host, name);
	AUTO_FREE char *state_path = ssd_asprintf("%s/%s/state.json", host, name);
	AUTO_JSON json_t *json = NULL, *state = NULL;
	AUTO_CLOSE int lock = sim_lock(host, name);

	if (lock < 0)
		return ssd_fail_errno(err, -lock, "locking %s/%s", host, name);
	json = drive_json_load(host, name, err);
	state = json ? json_object_file(state_path, err) : NULL;
	if (!state)
		return -1;
	if (!json_object_del(json, "faults") && write_json(path, json, err))
		return -1;
	return forget_matches(host, name, state, err);
}

static int read_revision(const struct sim *sim, char revision[9])
{
	const struct host_file id = host_file_of(HOST_FILE_IDENTIFY, 1);
	size_t len = 8;
	int rc = sim_page_read(sim, &id, SSD_ID_CTRL_FR, revision, len, NULL);

	while (len && (revision[len - 1] == ' ' || !revision[len - 1]))
		len--;
	revision[len] = '\0';
	return rc;
}

static int restart(struct sim *sim, enum sim_event event)
{
	switch (event) {
	case SIM_CONTROLLER_RESET:
		return sim_control(&sim->transport, SSD_RESET_CONTROLLER);
	case SIM_SUBSYSTEM_RESET:
		return sim_control(&sim->transport, SSD_RESET_SUBSYSTEM);
	default:
		return sim_restart(sim, event);
	}
}

int sim_drive_restart(const char *host, const char *name, enum sim_event event, char before[9], char after[9],
		      struct ssd_err *err)
{
	struct ssd_transport *t = ssd_sim_open(host, name, true, err);
	struct sim *sim = (struct sim *)t;
	int rc;

	if (!t)
		return -1;
	sim_state(sim);
	rc = sim_recover(sim);
	if (!rc)
		rc = read_revision(sim, before);
	if (!rc)
		rc = restart(sim, event);
	if (!rc)
		rc = read_revision(sim, after);
	ssd_transport_close(t);
	return rc ? ssd_fail_errno(err, -rc, "%s %s", event == SIM_POWER_CYCLE ? "power-cycling" : "resetting", name)
		  : 0;
}
