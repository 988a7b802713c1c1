/* SPDX-License-Identifier: MIT */
/*
 * Firmware Image Download, Firmware Commit, and what resets make of them (NVMe 1.4).
 *
 * The slots are log page 03h and what runs is in Identify, in the files that anybody can read; a change of both is first
 * written down in the state as one decision, then carried out. A process that is killed in between leaves the decision to
 * whoever sends the next command, so that nobody ever sees half of a change.
 */
#include "sim/sim.h"

#include "sim/image.h"

#include <dirent.h>
#include <ssdct/le.h>

#define CNS_CTRL 0x01
#define LID_SLOTS 0x03

/* Identify Controller, NVMe 1.4. */
#define ID_MODEL 24
#define ID_REVISION 64
#define ID_MDTS 77
#define ID_FRMW 260
#define ID_FWUG 319
#define ID_BYTES 4096
#define FRMW_SLOT_1_READ_ONLY 1
#define FRMW_LIVE 0x10 /* activation without a reset */
#define FWUG_BYTES 4096u

/* Firmware Slot Information, NVMe 1.4: AFI, then seven revisions from byte 8. */
#define SLOTS 7
struct slots {
	uint8_t afi, reserved[7];
	uint8_t revision[SLOTS][SIM_REVISION_BYTES];
};
#define SLOT_LOG_BYTES 512

/* Firmware Commit - Command Dword 10, NVMe 1.4. */
enum { STORE, STORE_FOR_RESET, SLOT_FOR_RESET, NOW };

/* In state.json. */
#define FIRMWARE "firmware"
#define BUSY "busy_polls_left"
#define ACTIVATING "activation_polls_left"
#define CHANGE "change"

static unsigned slot_count(uint8_t frmw)
{
	return frmw >> 1 & 7;
}

static unsigned running_slot(const struct slots *s)
{
	return s->afi & 7;
}

static unsigned next_slot(const struct slots *s)
{
	return s->afi >> 4 & 7;
}

static bool is_empty(const struct slots *s, unsigned slot)
{
	for (unsigned i = 0; i < SIM_REVISION_BYTES; i++)
		if (s->revision[slot - 1][i] && s->revision[slot - 1][i] != ' ')
			return false;
	return true;
}

/* A drive without the page has its firmware in slot 1. */
static int read_slots(const struct sim *home, struct slots *s)
{
	const struct host_file log = host_file_of(HOST_FILE_LOG, LID_SLOTS);
	const struct host_file id = host_file_of(HOST_FILE_IDENTIFY, CNS_CTRL);
	int rc = sim_page_read(home, &log, 0, s, sizeof(*s), NULL);

	if (rc != -ENOENT)
		return rc;
	*s = (struct slots){.afi = 1};
	return sim_page_read(home, &id, ID_REVISION, s->revision[0], SIM_REVISION_BYTES, NULL);
}

/* --- a change, from the decision to the files --- */

/* Puts len bytes at an offset of a page file, which grows to least bytes when it has fewer. */
static int patch(const struct sim *sim, const struct host_file *page, size_t at, const void *bytes, size_t len,
		 size_t least)
{
	AUTO_FREE uint8_t *data = NULL;
	uint64_t size = 0;
	uint8_t byte;
	int rc = sim_page_read(sim, page, 0, &byte, 1, &size);

	if (rc && rc != -ENOENT)
		return rc;
	if (size < least)
		size = least;
	if (size > SIM_IMAGE_MAX)
		return -EFBIG;
	data = ssd_calloc(size, 1);
	if (!rc)
		rc = sim_page_read(sim, page, 0, data, size, NULL);
	if (rc && rc != -ENOENT)
		return rc;
	if (!memcmp(data + at, bytes, len) && !rc)
		return 0;
	memcpy(data + at, bytes, len);
	return sim_page_write(sim, page, data, size);
}

/* All files that show the page, whatever their qualifiers. */
static int patch_all(const struct sim *sim, enum host_file_kind kind, uint8_t id, size_t at, const void *bytes,
		     size_t len, size_t least)
{
	AUTO_FREE struct host_file *pages = NULL;
	DIR *d = opendir(sim->dir);
	struct host_file page;
	struct dirent *e;
	size_t n = 0;
	int rc = 0;

	if (!d)
		return -errno;
	while ((e = readdir(d))) {
		if (!host_file_parse(e->d_name, &page) || page.kind != kind || page.id != id)
			continue;
		pages = ssd_realloc(pages, n + 1, sizeof(*pages));
		pages[n++] = page;
	}
	closedir(d);
	for (size_t i = 0; !rc && i < n; i++)
		rc = patch(sim, &pages[i], at, bytes, len, least);
	return rc;
}

/* The home's slots, which are everybody's, as the change wants them. */
static int apply_to_slots(const struct sim *home, const json_t *change, struct slots *s)
{
	const char *revision = json_string_value(json_object_get(change, "revision"));
	json_int_t slot = json_integer_value(json_object_get(change, "slot"));
	const struct host_file log = host_file_of(HOST_FILE_LOG, LID_SLOTS);
	int rc = read_slots(home, s);

	if (rc)
		return rc;
	s->afi = (uint8_t)json_integer_value(json_object_get(change, "afi"));
	if (revision && slot >= 1 && slot <= SLOTS) {
		memset(s->revision[slot - 1], ' ', SIM_REVISION_BYTES);
		memcpy(s->revision[slot - 1], revision, strnlen(revision, SIM_REVISION_BYTES));
	}
	return patch(home, &log, 0, s, sizeof(*s), SLOT_LOG_BYTES);
}

/* A controller's files. Unfilled characters are blanks in Identify, whatever the slot log has. */
static int apply_to_controller(const struct sim *sim, const struct slots *s, bool activated)
{
	uint8_t revision[SIM_REVISION_BYTES];
	int rc = patch_all(sim, HOST_FILE_LOG, LID_SLOTS, 0, s, sizeof(*s), SLOT_LOG_BYTES);

	if (rc || !activated || !running_slot(s))
		return rc;
	memcpy(revision, s->revision[running_slot(s) - 1], sizeof(revision));
	for (unsigned i = 0; i < sizeof(revision); i++)
		if (!revision[i])
			revision[i] = ' ';
	return patch_all(sim, HOST_FILE_IDENTIFY, CNS_CTRL, ID_REVISION, revision, sizeof(revision), ID_BYTES);
}

/* Carries out the decision; doing it twice, or once more after half of it, comes to the same. */
static int apply(const struct sim *home, const json_t *change)
{
	json_t *names = json_object_get(change, "controllers");
	bool activated = json_is_true(json_object_get(change, "activated"));
	struct slots s;
	int rc = apply_to_slots(home, change, &s);

	for (size_t i = 0; !rc && i < json_array_size(names); i++) {
		const char *name = json_string_value(json_array_get(names, i));
		struct sim other;

		if (!sim_is_controller_name(name) && (!name || strcmp(name, home->name) != 0))
			continue;
		other = sim_other(home, name);
		rc = apply_to_controller(&other, &s, activated);
		if (rc == -ENOENT)
			rc = 0; /* its directory is gone, and the rest must not wait for it */
		sim_other_free(&other);
	}
	if (!rc && json_is_true(json_object_get(change, "consumed")))
		rc = sim_buffer_drop(home->dir);
	return rc;
}

static json_t *firmware_state(struct sim *home)
{
	json_t *firmware = json_object_get(home->state, FIRMWARE);

	if (json_is_object(firmware))
		return firmware;
	firmware = json_object();
	json_object_set_new(home->state, FIRMWARE, firmware);
	return firmware;
}

int sim_fw_finish(struct sim *home)
{
	json_t *firmware = json_object_get(home->state, FIRMWARE), *change = json_object_get(firmware, CHANGE);
	int rc;

	if (!change)
		return 0;
	rc = apply(home, change);
	if (rc)
		return rc;
	json_object_del(firmware, CHANGE);
	if (!json_object_size(firmware))
		json_object_del(home->state, FIRMWARE);
	return sim_state_write(home->host, home->name, home->state);
}

/* Writes the decision, then does it. Takes the change over. 0 or -errno. */
static int decide(struct sim *home, json_t *change, uint32_t busy_polls)
{
	json_t *firmware = firmware_state(home);
	int rc;

	json_object_set_new(change, "controllers", sim_controllers(home));
	json_object_set_new(firmware, CHANGE, change);
	if (busy_polls)
		json_object_set_new(firmware, BUSY, json_integer(busy_polls));
	rc = sim_state_write(home->host, home->name, home->state);
	return rc ? rc : sim_fw_finish(home);
}

bool sim_fw_unfinished(const json_t *state)
{
	return json_object_get(json_object_get(state, FIRMWARE), CHANGE) != NULL;
}

/* --- download --- */

/*
 * What offsets and lengths must be multiples of. FWUG 0 says nothing, and FFh that there is no restriction; where it is
 * more than a command can transfer nobody could obey it (nvme-cli issue 1840).
 */
static uint32_t granularity(const struct sim_call *call)
{
	uint8_t fwug = call->id_ctrl[ID_FWUG], mdts = call->id_ctrl[ID_MDTS];
	uint32_t bytes = fwug * FWUG_BYTES;

	if (call->sim->config.firmware.granularity_bytes)
		return call->sim->config.firmware.granularity_bytes;
	if (fwug == 0xff)
		return 4;
	return !fwug || (mdts && mdts < 20 && bytes > (uint64_t)SIM_PAGE_BYTES << mdts) ? FWUG_BYTES : bytes;
}

int sim_fw_download(struct sim_call *call)
{
	const struct ssd_cmd *cmd = call->cmd;
	struct sim_piece piece = {.offset = (uint64_t)cmd->cdw11 * 4,
				  .data = cmd->data,
				  .len = ((size_t)cmd->cdw10 + 1) * 4,
				  .granularity = granularity(call),
				  .strict = call->sim->config.firmware.strict_overlap};
	struct sim home;
	struct sim_txn txn;
	int rc;

	if (cmd->direction != SSD_DATA_TO_DRIVE || cmd->data_len < piece.len)
		return SIM_DATA_TRANSFER;
	rc = sim_home_settle(call->sim);
	if (!rc)
		rc = sim_home_begin(call->sim, &home, &txn);
	return rc ? rc : sim_home_end(&home, &txn, false, sim_buffer_put(home.dir, &piece));
}

/* --- commit --- */

struct commit {
	const struct sim_firmware *config;
	const uint8_t *id;
	struct slots slots;
	unsigned action, slot;
	bool stores;
	uint8_t *image; /* owned */
	size_t size;
	char revision[SIM_REVISION_BYTES + 1];
};

static bool writable(const struct commit *c, unsigned slot)
{
	return slot <= slot_count(c->id[ID_FRMW]) && !(slot == 1 && c->id[ID_FRMW] & FRMW_SLOT_1_READ_ONLY);
}

/* A slot that keeps what runs and what is to run, an empty one first; else any but the running one; else that. */
static unsigned choose_slot(const struct commit *c)
{
	const struct slots *s = &c->slots;
	unsigned best = 0;
	int cost, least = 4;

	for (unsigned slot = 1; slot <= SLOTS; slot++) {
		if (!writable(c, slot))
			continue;
		cost = slot == running_slot(s) ? 3 : slot == next_slot(s) ? 2 : !is_empty(s, slot);
		if (cost < least) {
			least = cost;
			best = slot;
		}
	}
	return best;
}

static int check_slot(struct commit *c)
{
	if (!c->slot && c->stores)
		c->slot = choose_slot(c);
	if (!c->slot || c->slot > slot_count(c->id[ID_FRMW]) || (c->stores && !writable(c, c->slot)))
		return SIM_INVALID_SLOT;
	return !c->stores && is_empty(&c->slots, c->slot) ? SIM_INVALID_IMAGE : 0;
}

static int check_image(struct commit *c)
{
	uint8_t revision[SIM_REVISION_BYTES];

	if (!c->stores)
		return 0;
	if (!c->image)
		return SIM_INVALID_IMAGE;
	if (*c->config->rehearse) {
		ssd_strcpy(c->revision, sizeof(c->revision), c->config->rehearse);
		return 0;
	}
	if (!sim_image_check(c->image, c->size, c->id + ID_MODEL, revision))
		return SIM_INVALID_IMAGE;
	memcpy(c->revision, revision, sizeof(revision));
	return 0;
}

/* Which event makes new firmware run; SIM_BY_STATUS and SIM_NOW are no events and are resolved here. */
static enum sim_activation activating_event(const struct sim_firmware *config)
{
	if (config->activation == SIM_NOW)
		return SIM_BY_CONTROLLER_RESET;
	if (config->activation != SIM_BY_STATUS)
		return config->activation;
	switch (config->commit_status < 0 ? 0 : config->commit_status & SIM_STATUS_MASK) {
	case SIM_NEEDS_CONVENTIONAL_RESET:
		return SIM_BY_CONVENTIONAL_RESET;
	case SIM_NEEDS_SUBSYSTEM_RESET:
		return SIM_BY_SUBSYSTEM_RESET;
	default:
		return SIM_BY_CONTROLLER_RESET;
	}
}

static bool can_activate_now(const struct commit *c)
{
	return c->config->activation == SIM_NOW ||
	       (activating_event(c->config) == SIM_BY_CONTROLLER_RESET && c->id[ID_FRMW] & FRMW_LIVE);
}

/* What the commit completes with once nothing is wrong with it. A power cycle has no status of its own. */
static int status_of(const struct commit *c)
{
	static const int needs[] = {
		[SIM_BY_CONTROLLER_RESET] = 0,
		[SIM_BY_SUBSYSTEM_RESET] = SIM_NEEDS_SUBSYSTEM_RESET,
		[SIM_BY_CONVENTIONAL_RESET] = SIM_NEEDS_CONVENTIONAL_RESET,
		[SIM_BY_POWER_CYCLE] = SIM_NEEDS_CONVENTIONAL_RESET,
	};
	enum sim_activation by = activating_event(c->config);

	if (c->config->commit_status >= 0)
		return c->config->commit_status;
	if (c->action == STORE || (c->action == NOW && can_activate_now(c)))
		return 0;
	return c->action == NOW && by == SIM_BY_CONTROLLER_RESET ? SIM_NEEDS_CONTROLLER_RESET : needs[by];
}

static bool accepts(int status)
{
	switch ((unsigned)status & SIM_STATUS_MASK) {
	case 0:
	case SIM_NEEDS_CONVENTIONAL_RESET:
	case SIM_NEEDS_SUBSYSTEM_RESET:
	case SIM_NEEDS_CONTROLLER_RESET:
		return true;
	default:
		return false;
	}
}

static bool activates_now(const struct commit *c, int status)
{
	return c->action == NOW && !((unsigned)status & SIM_STATUS_MASK) && can_activate_now(c);
}

static json_t *change_of(const struct commit *c, int status)
{
	bool live = activates_now(c, status) && !c->config->activation_polls;
	unsigned afi = c->slots.afi;
	json_t *change = json_object();

	if (live)
		afi = c->slot;
	else if (c->action != STORE)
		afi = running_slot(&c->slots) | c->slot << 4;
	if (c->config->ignore_image)
		afi = c->slots.afi;
	json_object_set_new(change, "afi", json_integer(afi));
	json_object_set_new(change, "consumed", json_boolean(c->stores));
	if (c->config->ignore_image)
		return change;
	json_object_set_new(change, "slot", json_integer(c->slot));
	if (c->stores)
		json_object_set_new(change, "revision", json_string(c->revision));
	json_object_set_new(change, "activated", json_boolean(live));
	return change;
}

/* The downloaded image; one with gaps is no image. Without a download action 3 takes what the slot has. */
static int get_image(const struct sim *home, struct commit *c)
{
	int rc;

	if (c->action == SLOT_FOR_RESET)
		return 0;
	rc = sim_buffer_get(home->dir, &c->image, &c->size);
	c->stores = rc != -ENOENT;
	if (rc == -ENOENT)
		return c->action == NOW ? 0 : SIM_SEQUENCE_ERROR;
	return rc == -ENODATA ? 0 : rc;
}

static int commit(struct sim *home, struct commit *c)
{
	int rc = read_slots(home, &c->slots), status;

	if (!rc)
		rc = get_image(home, c);
	if (!rc)
		rc = check_slot(c);
	if (!rc)
		rc = check_image(c);
	if (rc)
		return rc;
	status = status_of(c);
	if (!accepts(status))
		return status;
	json_object_del(firmware_state(home), ACTIVATING);
	if (activates_now(c, status) && c->config->activation_polls && !c->config->ignore_image)
		json_object_set_new(firmware_state(home), ACTIVATING, json_integer(c->config->activation_polls));
	rc = decide(home, change_of(c, status), c->config->busy_polls);
	return rc ? rc : status;
}

int sim_fw_commit(struct sim_call *call)
{
	struct commit c = {.config = &call->sim->config.firmware,
			   .id = call->id_ctrl,
			   .action = call->cmd->cdw10 >> 3 & 7,
			   .slot = call->cmd->cdw10 & 7};
	struct sim home;
	struct sim_txn txn;
	int rc;

	if (c.action > NOW) /* reserved, and boot partitions, which there are none of */
		return SIM_INVALID_FIELD;
	rc = sim_home_settle(call->sim);
	if (!rc)
		rc = sim_home_begin(call->sim, &home, &txn);
	if (rc)
		return rc;
	rc = sim_home_end(&home, &txn, false, commit(&home, &c));
	free(c.image);
	return rc;
}

/* --- afterwards --- */

bool sim_fw_busy(struct sim_call *call)
{
	struct sim home;
	struct sim_txn txn;
	json_t *firmware;
	json_int_t left;

	if (!call->sim->simulated || !call->sim->config.firmware.busy_polls)
		return false;
	if (sim_home_begin(call->sim, &home, &txn))
		return false;
	firmware = json_object_get(home.state, FIRMWARE);
	left = json_integer_value(json_object_get(firmware, BUSY));
	if (left > 1)
		json_object_set_new(firmware, BUSY, json_integer(left - 1));
	else if (left)
		json_object_del(firmware, BUSY);
	sim_home_end(&home, &txn, left > 0, 0);
	return left > 0;
}

/* What is to run is next in the slot log until so many readings have been made. */
int sim_fw_poll(struct sim_call *call)
{
	struct sim home;
	struct sim_txn txn;
	struct slots s;
	json_t *firmware;
	json_int_t left;
	int rc;

	if (!call->sim->simulated || !call->sim->config.firmware.activation_polls)
		return 0;
	rc = sim_home_begin(call->sim, &home, &txn);
	if (rc)
		return rc;
	firmware = json_object_get(home.state, FIRMWARE);
	left = json_integer_value(json_object_get(firmware, ACTIVATING));
	if (!json_object_get(firmware, ACTIVATING))
		return sim_home_end(&home, &txn, false, 0);
	if (left) {
		json_object_set_new(firmware, ACTIVATING, json_integer(left - 1));
		return sim_home_end(&home, &txn, true, 0);
	}
	json_object_del(firmware, ACTIVATING);
	rc = read_slots(&home, &s);
	if (!rc && next_slot(&s))
		rc = decide(&home, json_pack("{s:i, s:b}", "afi", (int)next_slot(&s), "activated", true), 0);
	return sim_home_end(&home, &txn, true, rc);
}

int sim_fw_pending_reset(struct sim_call *call, const struct sim *home)
{
	struct slots s;
	int rc = read_slots(home, &s);

	if (rc || !next_slot(&s))
		return rc;
	switch (activating_event(&call->sim->config.firmware)) {
	case SIM_BY_SUBSYSTEM_RESET:
		return SIM_NEEDS_SUBSYSTEM_RESET;
	case SIM_BY_CONVENTIONAL_RESET:
	case SIM_BY_POWER_CYCLE:
		return SIM_NEEDS_CONVENTIONAL_RESET;
	default:
		return SIM_NEEDS_CONTROLLER_RESET;
	}
}

static bool activates(enum sim_activation by, enum sim_event event)
{
	switch (by) {
	case SIM_BY_SUBSYSTEM_RESET:
		return event == SIM_SUBSYSTEM_RESET || event == SIM_POWER_CYCLE;
	case SIM_BY_CONVENTIONAL_RESET:
		return event == SIM_CONVENTIONAL_RESET || event == SIM_POWER_CYCLE;
	case SIM_BY_POWER_CYCLE:
		return event == SIM_POWER_CYCLE;
	default:
		return true;
	}
}

int sim_fw_event(struct sim *sim, enum sim_event event)
{
	enum sim_activation by = activating_event(&sim->config.firmware);
	struct sim home;
	struct sim_txn txn;
	struct slots s;
	unsigned next;
	int rc;

	sim_state(sim);
	rc = sim_home_begin(sim, &home, &txn);
	if (rc)
		return rc;
	rc = sim_buffer_drop(home.dir);
	json_object_del(json_object_get(home.state, FIRMWARE), ACTIVATING);
	if (!rc)
		rc = read_slots(&home, &s);
	next = rc ? 0 : next_slot(&s);
	if (next && !is_empty(&s, next) && activates(by, event))
		rc = decide(&home, json_pack("{s:i, s:b}", "afi", (int)next, "activated", true), 0);
	return sim_home_end(&home, &txn, false, rc);
}
