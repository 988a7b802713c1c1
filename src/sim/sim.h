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
};

/* What a fault rule does to the command that it hits. */
enum sim_effect {
	SIM_EFFECT_NONE,
	SIM_EFFECT_STATUS,
	SIM_EFFECT_ERRNO,
	SIM_EFFECT_DELAY,
	SIM_EFFECT_SHORT,
	SIM_EFFECT_UNTOUCHED,
	SIM_EFFECT_VANISH,
};

/* A row of "faults" in drive.json. */
struct sim_fault {
	int64_t opcode, lid, cns, fid, nsid; /* -1: any */
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

/* drive.json, checked. */
struct sim_config {
	json_t *json;
	struct sim_fault *faults;
	size_t n_faults;
	struct sim_feature *features;
	size_t n_features;
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
	uint16_t cid;
};

/* One command on its way. */
struct sim_call {
	struct sim *sim;
	const struct ssd_cmd *cmd;
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

/* --- fault.c --- */

/* Counts the rules that match and sets what they want. 0 or -errno. */
int sim_faults(struct sim_call *call);
bool sim_vanished(struct sim *sim);
int sim_vanish(struct sim *sim, int64_t ms);

/* --- reset.c --- */

/* struct ssd_transport.control. */
int sim_control(struct ssd_transport *t, enum ssd_control op);

/* --- errlog.c --- */

/* An entry in the error log for a command that completed with an error. 0 or -errno. */
int sim_log_error(struct sim_call *call, unsigned status);

#endif
