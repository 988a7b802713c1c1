/* SPDX-License-Identifier: MIT */
/*
 * The simulated controller: a transport that answers from a controller directory (ssdct-host(5)). Private to
 * src/sim; everybody else sees ssd_sim_open() of <ssdct/transport.h>.
 *
 * A drive's state is its directory and nothing else: every command reads what it needs, so that any number of processes
 * may use one directory. Whatever changes it does so in a transaction, under a lock that is never held while sleeping.
 */
#ifndef SSDCT_SIM_SIM_H
#define SSDCT_SIM_SIM_H

#include "sim/drivejson.h"
#include "sim/hostfile.h"

#include <nvme/types.h>
#include <ssdct/transport.h>
#include <sys/stat.h>

/* Status values as the kernel returns them, with Do Not Retry where real controllers set it (NVMe 2.0c, Status Code). */
enum {
	SIM_INVALID_OPCODE = 0x4001,
	SIM_INVALID_FIELD = 0x4002,
	SIM_INVALID_NS = 0x400b,
	SIM_INVALID_LOG_PAGE = 0x4109,
	SIM_NOT_SAVEABLE = 0x410d,
	SIM_NOT_CHANGEABLE = 0x410e,
	SIM_DATA_TRANSFER = 0x4004,
	SIM_SEQUENCE_ERROR = 0x400c,
	SIM_INVALID_SLOT = 0x4106,
	SIM_INVALID_IMAGE = 0x4107,
	SIM_OVERLAPPING_RANGE = 0x4114,
	/* What ends by itself may be tried again: no Do Not Retry. */
	SIM_SANITIZE_IN_PROGRESS = 0x001d,
	SIM_FORMAT_IN_PROGRESS = 0x0084,
	SIM_SELF_TEST_IN_PROGRESS = 0x011d,
	SIM_SANITIZE_FAILED = 0x401c,
	SIM_SGL_LENGTH = 0x400f,
	SIM_LBA_RANGE = 0x4080,
	SIM_INVALID_FORMAT = 0x410a,
	SIM_NOT_PER_NS = 0x410f,
	SIM_NS_CAPACITY = 0x4115,
	SIM_NSID_UNAVAILABLE = 0x4116,
	SIM_ALREADY_ATTACHED = 0x4118,
	SIM_NS_PRIVATE = 0x4119,
	SIM_NOT_ATTACHED = 0x411a,
	SIM_NO_THIN_PROVISIONING = 0x411b,
	SIM_BAD_CONTROLLER_LIST = 0x411c,
	/* Intel's, of Set Features C1h (SPDK nvme_intel.h). */
	SIM_MAX_LBA_EXCEEDS_CAPACITY = 0x41c0,
	SIM_MAX_LBA_BELOW_MINIMUM = 0x41c1,
	SIM_MAX_LBA_BELOW_NAMESPACES = 0x41c2,
	/* Stored, and not running before a reset: no error, and nothing to retry. */
	SIM_NEEDS_CONVENTIONAL_RESET = 0x010b,
	SIM_NEEDS_SUBSYSTEM_RESET = 0x0110,
	SIM_NEEDS_CONTROLLER_RESET = 0x0111,
};
/* A status without Do Not Retry, More and the retry delay. */
#define SIM_STATUS_MASK 0x7ffu

/* What a fault rule does to the command that it hits. */
enum sim_effect {
	SIM_EFFECT_NONE,
	SIM_EFFECT_STATUS,
	SIM_EFFECT_ERRNO,
	SIM_EFFECT_DELAY,
	SIM_EFFECT_SHORT,
	SIM_EFFECT_UNTOUCHED,
	SIM_EFFECT_VANISH,
	SIM_EFFECT_LOST, /* done, but the host gets an errno instead of the completion */
};

/* Which resets a fault rule is for. */
enum sim_fault_reset { SIM_RESET_NONE, SIM_RESET_CONTROLLER, SIM_RESET_SUBSYSTEM, SIM_RESET_ANY };

/* A row of "faults" in drive.json. */
struct sim_fault {
	int64_t opcode, lid, cns, fid, nsid; /* -1: any */
	bool io;                             /* I/O commands, not admin ones */
	enum sim_fault_reset reset;          /* not NONE: resets that the host asks for, no command */
	uint64_t nth, count;
	enum sim_effect effect;
	int64_t value; /* status, errno, milliseconds, bytes */
	char *key;     /* the rule's text: what its matches are counted under */
};

/* A member of "features" in drive.json. */
struct sim_feature {
	const char *key; /* as written there, and as it is called in state.json; belongs to `value`'s document */
	uint8_t fid;
	bool has_cdw11, has_nsid;
	uint32_t cdw11, nsid;
	json_t *value; /* integer or object */
};

/* Which event makes new firmware run. */
enum sim_activation {
	SIM_BY_STATUS, /* not said: the one that commit_status asks for, else a controller reset */
	SIM_BY_CONTROLLER_RESET,
	SIM_BY_SUBSYSTEM_RESET,
	SIM_BY_CONVENTIONAL_RESET,
	SIM_BY_POWER_CYCLE,
	SIM_NOW, /* commit action 3, whatever FRMW says; else a controller reset */
};

/* "firmware" in drive.json. */
struct sim_firmware {
	uint32_t granularity_bytes; /* 0: as Identify says */
	enum sim_activation activation;
	int32_t commit_status; /* -1: the one that fits action and activation */
	bool ignore_image;     /* a commit is accepted and changes nothing */
	bool strict_overlap;   /* a download may not begin anew before a commit or a reset */
	uint32_t busy_polls;
	uint32_t activation_polls; /* readings that show the old firmware after an activation without reset */
	char rehearse[9]; /* any file is firmware of this revision; empty: only images for simulated drives are */
};

/* "host_blocks" and "controller_blocks" of "telemetry". */
struct sim_telemetry {
	bool given;
	uint32_t blocks[4]; /* last block of data areas 1 to 4, from 1 on; 0: the area is not there */
};

/* How administrative commands behave: config_admin.c. -1 where nothing is said and zero would be something. */
struct sim_admin {
	int64_t format_busy_polls;
	int64_t sanitize_busy_polls, sanitize_fail;
	int64_t selftest_busy_polls, selftest_result, selftest_segment, selftest_nsid, selftest_lba, selftest_status;
	int64_t telemetry_available;
	struct sim_telemetry host_telemetry, controller_telemetry;
	int64_t granularity_bytes; /* of namespaces; 0: a block */
	int64_t max_lba_unit;      /* 0: as the value of C1h is, 1: the last LBA, 2: how many there are */
	int64_t max_lba_effect;    /* 0: now, 1: with the next reset */
	int64_t max_lba_minimum;   /* in the unit */
};

/* drive.json, checked. */
struct sim_config {
	json_t *json;
	struct sim_fault *faults;
	size_t n_faults;
	struct sim_feature *features;
	size_t n_features;
	struct sim_firmware firmware;
	struct sim_admin admin;
	uint64_t latency_us;
	/* "clear_on_read": by LID, the offset from which the page is zero once it has been read; 0: it stays. */
	uint16_t clear_from[256];
};
int sim_config_load(struct sim_config *config, const char *host, const char *name, struct ssd_err *err);
void sim_config_free(struct sim_config *config);
int sim_config_admin(struct sim_admin *admin, const json_t *json, const char *path, struct ssd_err *err);
/* An integer, or a string with one in decimal or 0x hexadecimal; false when it is neither or out of range. */
bool sim_json_number(const json_t *json, int64_t min, int64_t max, int64_t *value);
/* errno by name ("EINTR"), 0 when there is none. */
int sim_errno_of(const char *name);
/* Checks and reads one fault rule. Returns NULL, or what is wrong with it. */
const char *sim_fault_parse(const json_t *rule, struct sim_fault *fault);

struct sim {
	struct ssd_transport transport;
	char *host, *name, *dir; /* owned; dir is host/name */
	bool simulated;
	struct sim_config config;
	struct stat config_stat; /* of the drive.json that config was read from; zero when there was none */
	json_t *state;           /* recorded hosts: all there is; simulated ones: as last read from state.json */
	json_t *shared;          /* of a simulated host: the home's, as sim_shared() read it */
	char *home;              /* owned; see sim_home(), NULL: not looked for yet */
	uint16_t cid;
};

/* One command on its way. */
struct sim_call {
	struct sim *sim;
	const struct ssd_cmd *cmd;  /* NULL: a reset */
	enum sim_fault_reset reset; /* which */
	uint64_t result;
	uint8_t id_ctrl[4096];
	uint32_t copy_limit; /* bytes that may reach the caller's buffer */
	/* feature.c: of a namespace that drive.json does not name. */
	struct sim_feature feature;
	char feature_key[32];
	/* What fault rules want done. */
	uint64_t delay_ms;
	enum sim_effect effect;
	int64_t effect_value;
};

/* --- store.c: files and state --- */

/* Reads of a page len bytes from offset; what lies beyond the file is zero. *size is the file's. 0 or -errno. */
int sim_page_read(const struct sim *sim, const struct host_file *page, uint64_t offset, void *buf, size_t len,
		  uint64_t *size);
/* Replaces the file that answers `page`, or makes it. 0 or -errno. */
int sim_page_write(const struct sim *sim, const struct host_file *page, const void *data, size_t len);

/* Whether state.json can be read. 0, or -1 with *err set: bad_input. */
int sim_state_check(const struct sim *sim, struct ssd_err *err);
/* State as it is now (damaged: as it was last), without a lock: an object, borrowed, valid until the next call. */
json_t *sim_state(struct sim *sim);
/*
 * The same under the lock, to be changed; sim_commit() writes it when changed and ends the lock. 0 or -errno: a damaged
 * state is never overwritten (-EBADMSG).
 */
struct sim_txn {
	int lock;
	bool fresh; /* the first change to this drive: state.json is written in any case */
};
/* When the state was made, seconds of CLOCK_REALTIME: the clock that power-on hours go by. */
#define SIM_CREATED "created"
int sim_begin(struct sim *sim, struct sim_txn *txn);
int sim_commit(struct sim *sim, struct sim_txn *txn, bool changed);

/* The directory's lock alone, for whoever edits drive.json: a descriptor to close, or -errno. */
int sim_lock(const char *host, const char *name);
/* Writes state.json. 0 or -errno. */
int sim_state_write(const char *host, const char *name, const json_t *state);

uint64_t sim_now_ms(void); /* CLOCK_REALTIME: it means the same in every process */

/* --- the controller's commands: an NVMe status (0: success), or -errno --- */

int sim_identify(struct sim_call *call);
int sim_get_log(struct sim_call *call);
int sim_get_features(struct sim_call *call);
int sim_set_features(struct sim_call *call);
int sim_workload_reset(struct sim_call *call);
int sim_dump(struct sim_call *call);
/* What was set and not saved is lost with a reset. 0 or -errno. */
int sim_feature_event(struct sim *sim);
/* The current value of a feature that drive.json has; false: it has none. */
bool sim_feature_value(struct sim_call *call, uint8_t fid, uint64_t *value);

/* Copies to the caller's buffer as much as there is room, and no more than the call may. */
void sim_copy_out(struct sim_call *call, const void *src, size_t len);
/* VER as Identify says it: 0 before NVMe 1.2. */
uint32_t sim_version(const struct sim_call *call);
/* PCI vendor 8086h: what only Intel's drives have. */
bool sim_is_intel(const struct sim_call *call);
/* Follows changes to drive.json, as a long-running process must; keeps the old one while an editor is at it. */
void sim_follow_config(struct sim *sim);
void sim_sleep_us(uint64_t us);
/* CAP.MPSMIN of a simulated controller: pages of 4 KiB. */
#define SIM_PAGE_BYTES 4096u

/* --- fault.c --- */

/* Counts the rules that match and sets what they want. 0 or -errno. */
int sim_faults(struct sim_call *call);
bool sim_vanished(struct sim *sim);
int sim_vanish(struct sim *sim, int64_t ms);
/* "controller", "subsystem", "any"; NONE for any other word. */
enum sim_fault_reset sim_fault_reset_of(const char *word);
const char *sim_fault_reset_word(enum sim_fault_reset reset);

/* --- subsystem.c --- */

/* nvme and a number: a name from a file must not lead out of the host directory. */
bool sim_is_controller_name(const char *name);
/* Another controller directory of the host; release it with sim_other_free(). */
struct sim sim_other(const struct sim *sim, const char *name);
void sim_other_free(struct sim *other);
/* The controllers of the subsystem, this one included, in natural order: an array of names, owned by the caller. */
json_t *sim_controllers(const struct sim *sim);
/* The controller in whose directory the subsystem's firmware is kept; owned by the caller. Needs sim_state(). */
char *sim_home(const struct sim *sim);
/* Finds it anew and tells all controllers: before there is anything to keep. 0 or -errno. */
int sim_home_settle(struct sim *sim);

/* --- change.c: changes of several files and the state in one --- */

/* The home, locked, with nothing left to finish. 0 or -errno; end with sim_home_end() in the first case only. */
int sim_home_begin(const struct sim *sim, struct sim *home, struct sim_txn *txn);
/* rc, or the error of ending it. */
int sim_home_end(struct sim *home, struct sim_txn *txn, bool changed, int rc);
/* The home's state as it is now, borrowed until the next call; sim->shared. */
json_t *sim_shared(struct sim *sim);
/* Finishes what a process had decided that died then. Needs sim_shared(). 0 or -errno. */
int sim_recover(struct sim *sim);

struct sim_change {
	struct sim home; /* locked; its state may be changed */
	struct sim_txn txn;
	json_t *controllers; /* names of the subsystem's controllers, owned */
	json_t *steps;       /* owned */
	json_t *told;        /* manage.c: by controller, which namespaces have changed */
	bool changed;        /* the state */
};
/* 0 or -errno; end with sim_change_end() in the first case only. */
int sim_change_begin(struct sim *sim, struct sim_change *c);
/* Decides and carries out when rc is 0, else all is as before. rc, or the error of it. */
int sim_change_end(struct sim_change *c, int rc);
/* Carries out what is decided; under the home's lock. 0 or -errno. */
int sim_change_finish(struct sim *home);
/* An object of the state, made if need be; it will be written. */
json_t *sim_change_object(struct sim_change *c, const char *key);
void sim_change_forget(struct sim_change *c, const char *key);
/* Whether the controller has this very page, with these qualifiers and no others. */
bool sim_change_has(const struct sim_change *c, const char *controller, const struct host_file *page);
/* Bytes of a page, or all of it; of a page that is not there a file is made. */
void sim_change_patch(struct sim_change *c, const char *controller, const struct host_file *page, size_t at,
		      const void *bytes, size_t len);
void sim_change_write(struct sim_change *c, const char *controller, const struct host_file *page, const void *bytes,
		      size_t len);
/* All page files that match. */
void sim_change_remove(struct sim_change *c, const char *controller, bool (*match)(const struct host_file *, uint32_t),
		       uint32_t arg);
void sim_change_remove_file(struct sim_change *c, const char *controller, const char *file);
/* The namespace's media, whoever has them. */
void sim_change_drop_media(struct sim_change *c, uint32_t nsid);

/* Bytes as digits in the state. Returns how many there were. */
void sim_set_hex(json_t *object, const char *key, const uint8_t *bytes, size_t len);
size_t sim_from_hex(const char *text, uint8_t *bytes, size_t room);

/* --- feature_buffer.c --- */

/* "current", "default" or "saved" data of the feature that the command names; *len is 0 when it has none. 0 or -errno. */
int sim_feature_buffer(struct sim_call *call, const char *which, uint8_t data[4096], size_t *len);
/* Sets them from the command's data. A status or -errno. */
int sim_feature_store(struct sim_call *call, bool save);
/* What a reset makes of them. Needs sim_state(). 0 or -errno. */
int sim_feature_buffers_event(struct sim *sim);

/* --- maxlba.c --- */

/* Whether it is one of the two features, and follows from a namespace. */
bool sim_max_lba_get(struct sim_call *call, uint8_t fid, uint64_t *value);
/* Before the size of a namespace changes: what the value in drive.json counts is kept, as it can be seen no more after. */
void sim_max_lba_keep(struct sim_call *call, struct sim_change *c);
/* A status or -errno; *handled: it was done. */
int sim_max_lba_set(struct sim_call *call, uint64_t value, bool *handled);
int sim_max_lba_event(struct sim *sim);

/* --- namespace.c --- */

/* id-ns-N.bin; identify-11-nN.bin. */
struct host_file sim_ns_page(uint32_t nsid);
struct host_file sim_ns_allocated_page(uint32_t nsid);
/* All allocated namespaces of the controllers, ascending; owned by the caller. Returns how many. */
size_t sim_ns_list(const struct sim *sim, const json_t *controllers, uint32_t **nsids);
bool sim_ns_attached(const struct sim *sim, const char *controller, uint32_t nsid);
/* 0 or -errno; -ENOENT: there is none. */
int sim_ns_read(const struct sim *sim, const json_t *controllers, uint32_t nsid, struct nvme_id_ns *ns);
/* In all files of the namespace. */
void sim_ns_patch(struct sim_change *c, uint32_t nsid, size_t at, const void *bytes, size_t len);
/* The number of the format in use; log2 of its block, 0 when it has none that is possible. */
unsigned sim_ns_format(const struct nvme_id_ns *ns);
unsigned sim_ns_shift(const struct nvme_id_ns *ns);
/* Of NVM that belongs to the namespace. */
uint64_t sim_ns_bytes(const struct nvme_id_ns *ns);
/* NSZE, NCAP and NUSE. */
void sim_ns_resize(struct nvme_id_ns *ns, uint64_t blocks);
struct sim_ns_format {
	unsigned lbaf, pi;
	bool extended, pi_first;
};
/* A status. */
int sim_ns_check_format(const struct nvme_id_ns *ns, const struct sim_ns_format *f);
/* FLBAS and DPS. */
void sim_ns_set_format(struct nvme_id_ns *ns, const struct sim_ns_format *f);
/* Puts it on the Changed Namespace List of the controllers that it is attached to. */
void sim_ns_changed(struct sim_change *c, uint32_t nsid);

/* --- format.c --- */

int sim_format(struct sim_call *call);
bool sim_format_busy(const json_t *state, uint32_t nsid);
bool sim_format_any_busy(const json_t *state);
/* Format Progress Indicator; counts the reading. */
void sim_format_progress(struct sim_call *call, uint32_t nsid, struct nvme_id_ns *ns);

/* --- manage.c --- */

int sim_ns_management(struct sim_call *call);
int sim_ns_attachment(struct sim_call *call);
/* Without what is a namespace's own. */
void sim_ns_common(struct nvme_id_ns *ns);
/* Empties the Changed Namespace List once it has been read. */
int sim_ns_list_read(struct sim_call *call);

/* --- sanitize.c --- */

int sim_sanitize(struct sim_call *call);
/* What the command must be answered with because of a sanitize operation; 0: nothing. */
int sim_sanitize_gate(const json_t *state, const struct ssd_cmd *cmd);
/* Completes log page 81h, which is being read from its beginning; counts that. A status or -errno. */
int sim_sanitize_poll(struct sim_call *call, uint8_t *page, size_t len);
/* Data have been written: Global Data Erased is no longer so. 0 or -errno. */
int sim_sanitize_written(struct sim *sim);

/* --- selftest.c --- */

int sim_selftest(struct sim_call *call);
/* The same for log page 06h. */
int sim_selftest_poll(struct sim_call *call, uint8_t *page, size_t len);
/* Ends all tests of the subsystem. 0 or -errno. */
int sim_selftest_abort(struct sim_change *c, unsigned result);
/* The controller starts anew. 0 or -errno. */
int sim_selftest_event(struct sim *sim);

/* --- telemetry.c --- */

bool sim_telemetry_is(uint8_t lid);
/* As sim_page_read(), and what reading it does. 0 or -errno. */
int sim_telemetry_read(struct sim_call *call, const struct host_file *want, uint64_t offset, uint8_t *page, size_t len,
		       uint64_t *size);

/* --- media.c --- */

int sim_media(struct sim_call *call);
/* The same for whoever serves a queue: no faults, no delay, no error log. A status or -errno. */
int sim_media_direct(struct ssd_transport *t, const struct ssd_cmd *cmd);

/* --- fw_buffer.c: what was downloaded, in a file of the directory; under its lock --- */

struct sim_piece {
	uint64_t offset; /* bytes, as len and granularity */
	const uint8_t *data;
	size_t len; /* a multiple of 4 */
	uint32_t granularity;
	bool strict; /* the first piece may not come twice */
};
/* Adds a piece: an NVMe status (0: success), or -errno. The first piece once more begins a new download. */
int sim_buffer_put(const char *dir, const struct sim_piece *piece);
/* The image; owned by the caller. 0; -ENOENT: there is none; -ENODATA: a piece is missing; another -errno. */
int sim_buffer_get(const char *dir, uint8_t **image, size_t *size);
/* Forgets it. 0 or -errno. */
int sim_buffer_drop(const char *dir);

/* --- firmware.c --- */

int sim_fw_download(struct sim_call *call);
int sim_fw_commit(struct sim_call *call);
/* Whether this reading of the slot log finds an update in progress; counts it. */
bool sim_fw_busy(struct sim_call *call);
/* Before a reading of Identify Controller or the slot log: an activation that takes some of them comes nearer. 0 or -errno. */
int sim_fw_poll(struct sim_call *call);
/* Under the home's lock: finishes a change of which only the decision has been written. 0 or -errno. */
int sim_fw_finish(struct sim *home);
bool sim_fw_unfinished(const json_t *state);
/* The status that says for which reset new firmware waits, 0 when none does; -errno. */
int sim_fw_pending_reset(struct sim_call *call, const struct sim *home);

/* What makes a drive start anew, in order of strength; but a conventional reset is no subsystem reset, nor vice versa. */
enum sim_event { SIM_CONTROLLER_RESET, SIM_SUBSYSTEM_RESET, SIM_CONVENTIONAL_RESET, SIM_POWER_CYCLE };
/* The firmware's part: what was downloaded is lost, what waits for such an event runs. 0 or -errno. */
int sim_fw_event(struct sim *sim, enum sim_event event);

/* --- reset.c --- */

/* struct ssd_transport.control. */
int sim_control(struct ssd_transport *t, enum ssd_control op);
/* What the event does to the drive. 0 or -errno. */
int sim_restart(struct sim *sim, enum sim_event event);

/* --- errlog.c --- */

/* Adds one to a 16-byte counter of the SMART page; *count is what it then shows, 0 without the page. 0 or -errno. */
int sim_smart_count(struct sim *sim, size_t offset, uint64_t *count);
/* An entry in the error log for a command that completed with an error. 0 or -errno. */
int sim_log_error(struct sim_call *call, unsigned status);

#endif
