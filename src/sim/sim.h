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

#include <ssdct/transport.h>
#include <sys/stat.h>

/* Status values as the kernel returns them, with Do Not Retry where real controllers set it (NVMe 2.0c, figure 91 on). */
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
	char rehearse[9]; /* any file is firmware of this revision; empty: only images for simulated drives are */
};

/* drive.json, checked. */
struct sim_config {
	json_t *json;
	struct sim_fault *faults;
	size_t n_faults;
	struct sim_feature *features;
	size_t n_features;
	struct sim_firmware firmware;
	uint64_t latency_us;
	/* "clear_on_read": by LID, the offset from which the page is zero once it has been read; 0: it stays. */
	uint16_t clear_from[256];
};
int sim_config_load(struct sim_config *config, const char *host, const char *name, struct ssd_err *err);
void sim_config_free(struct sim_config *config);
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

/* Copies to the caller's buffer as much as there is room, and no more than the call may. */
void sim_copy_out(struct sim_call *call, const void *src, size_t len);
/* VER as Identify says it: 0 before NVMe 1.2. */
uint32_t sim_version(const struct sim_call *call);
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
/* Finishes a change of which only the decision had been written when its process died. Needs sim_state(). 0 or -errno. */
int sim_fw_recover(struct sim *sim);

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
