/* SPDX-License-Identifier: MIT */
/* A host directory for one test, made by hand byte by byte, and commands sent straight to the transport. */
#ifndef TESTS_UNIT_SIM_DIR_H
#define TESTS_UNIT_SIM_DIR_H

#include "check.h"

#include <ssdct/le.h>
#include <ssdct/transport.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* Bytes that no page of these tests holds: what still shows them was not written. */
#define PATTERN 0xa5

/* HOST: below the directory of the test run; the caller removes it with sim_dir_remove(). */
static inline char *sim_dir_new(void)
{
	char *host = ssd_strdup("/tmp/ssdct-sim.XXXXXX");

	ck_assert_ptr_nonnull(mkdtemp(host));
	return host;
}

static inline void sim_dir_remove(char **host)
{
	AUTO_FREE char *command = ssd_asprintf("rm -rf '%s'", *host);

	ck_assert_int_eq(system(command), 0);
	free(*host);
}
#define AUTO_DIR AUTO(sim_dir_remove)

static inline void sim_put(const char *host, const char *file, const void *data, size_t len)
{
	AUTO_FREE char *path = ssd_asprintf("%s/nvme0/%s", host, file);
	AUTO_FREE char *dir = ssd_asprintf("%s/nvme0", host);

	mkdir(dir, 0755);
	ck_assert_int_eq(ssd_replace_file(path, data, len, 0644), 0);
}

static inline void sim_put_text(const char *host, const char *file, const char *text)
{
	sim_put(host, file, text, strlen(text));
}

static inline bool sim_has(const char *host, const char *file)
{
	AUTO_FREE char *path = ssd_asprintf("%s/nvme0/%s", host, file);

	return !access(path, F_OK);
}

/* Identify Controller, by offset as the NVMe base specification gives them. */
struct sim_ctrl {
	uint32_t ver, nn;
	uint16_t oacs, oncs;
	uint8_t mdts, lpa, elpe, frmw, fwug;
};

static inline void sim_put_ctrl(const char *host, struct sim_ctrl c)
{
	uint8_t id[4096] = {0};

	memcpy(id + 4, "SERIAL01            ", 20);
	memset(id + 24, ' ', 40);
	memcpy(id + 24, "TESTDRIVE", 9);
	memcpy(id + 64, "FW1     ", 8);
	id[77] = c.mdts;
	ssd_put_le(id + 80, 4, c.ver);
	ssd_put_le(id + 256, 2, c.oacs);
	id[261] = c.lpa;
	id[260] = c.frmw;
	id[262] = c.elpe;
	id[319] = c.fwug;
	ssd_put_le(id + 516, 4, c.nn);
	ssd_put_le(id + 520, 2, c.oncs);
	sim_put(host, "id-ctrl.bin", id, sizeof(id));
}

static inline struct ssd_transport *sim_open(const char *host, bool simulated)
{
	struct ssd_err err = SSD_ERR_INIT;
	struct ssd_transport *t = ssd_sim_open(host, "nvme0", simulated, &err);

	ck_assert_msg(t != NULL, "%s", err.message);
	return t;
}

static inline void sim_close(struct ssd_transport **t)
{
	if (*t)
		(*t)->close(*t);
}
#define AUTO_SIM AUTO(sim_close) struct ssd_transport *

/* Sends a command with a buffer full of the pattern; returns the status, or -errno. */
struct sim_answer {
	uint8_t data[32768];
	uint64_t result;
};

static inline int sim_send(struct ssd_transport *t, struct ssd_cmd cmd, struct sim_answer *a)
{
	struct ssd_cpl cpl = {.status = 0x7fff};
	int rc;

	memset(a, 0, sizeof(*a));
	memset(a->data, PATTERN, sizeof(a->data));
	if (cmd.data_len && cmd.direction == SSD_DATA_NONE) {
		cmd.data = a->data;
		cmd.direction = SSD_DATA_FROM_DRIVE;
	}
	rc = t->submit(t, &cmd, &cpl);
	a->result = cpl.result;
	return rc ? rc : cpl.status;
}

static inline int sim_identify_cmd(struct ssd_transport *t, uint8_t cns, uint32_t nsid, struct sim_answer *a)
{
	return sim_send(t, (struct ssd_cmd){.opcode = 0x06, .cdw10 = cns, .nsid = nsid, .data_len = 4096}, a);
}

/* len bytes of a log page from offset. */
static inline int sim_log_at(struct ssd_transport *t, uint8_t lid, uint32_t nsid, uint64_t offset, uint32_t len,
			     struct sim_answer *a)
{
	return sim_send(t,
			(struct ssd_cmd){.opcode = 0x02,
					 .nsid = nsid,
					 .cdw10 = lid | (len / 4 - 1) << 16,
					 .cdw12 = (uint32_t)offset,
					 .cdw13 = (uint32_t)(offset >> 32),
					 .data_len = len},
			a);
}

static inline int sim_log(struct ssd_transport *t, uint8_t lid, uint32_t len, struct sim_answer *a)
{
	return sim_log_at(t, lid, 0xffffffff, 0, len, a);
}

static inline int sim_feature(struct ssd_transport *t, uint8_t fid, unsigned sel, uint32_t nsid, uint32_t cdw11,
			      struct sim_answer *a)
{
	return sim_send(t, (struct ssd_cmd){.opcode = 0x0a, .nsid = nsid, .cdw10 = fid | sel << 8, .cdw11 = cdw11}, a);
}

static inline int sim_set(struct ssd_transport *t, uint8_t fid, bool save, uint32_t nsid, uint32_t cdw11,
			  struct sim_answer *a)
{
	return sim_send(
		t, (struct ssd_cmd){.opcode = 0x09, .nsid = nsid, .cdw10 = fid | (uint32_t)save << 31, .cdw11 = cdw11},
		a);
}

static inline bool sim_all(const uint8_t *p, size_t len, uint8_t value)
{
	for (size_t i = 0; i < len; i++)
		if (p[i] != value)
			return false;
	return true;
}

/* The exit code of fn in a process of its own. */
static inline int sim_in_child(int (*fn)(const char *host), const char *host)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(fn(host));
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#endif
