/* SPDX-License-Identifier: MIT */
/* The transport: opening a controller directory, and the way of a command through it. */
#include "sim/sim.h"

#include <ssdct/id_ctrl.h>
#include <ssdct/le.h>
#include <time.h>

#define VID_INTEL 0x8086
#define SIM_INTEL_DUMP 0xd2

/*
 * What the controller can do. `read`: a recorded host answers it as well. `oacs`, `oncs`: the bits by which a drive says
 * that it has it. `intel`: only Intel's drives know the opcode.
 */
static const struct handler {
	uint8_t opcode;
	bool read, io, intel;
	uint16_t oacs, oncs;
	int (*run)(struct sim_call *call);
} handlers[] = {
	{SSD_ADMIN_GET_LOG_PAGE, .read = true, .run = sim_get_log},
	{SSD_ADMIN_IDENTIFY, .read = true, .run = sim_identify},
	{SSD_ADMIN_GET_FEATURES, .read = true, .run = sim_get_features},
	{SSD_ADMIN_SET_FEATURES, .run = sim_set_features},
	{SSD_ADMIN_FIRMWARE_COMMIT, .oacs = NVME_CTRL_OACS_FW, .run = sim_fw_commit},
	{SSD_ADMIN_FIRMWARE_DOWNLOAD, .oacs = NVME_CTRL_OACS_FW, .run = sim_fw_download},
	{SSD_ADMIN_FORMAT_NVM, .oacs = NVME_CTRL_OACS_FORMAT, .run = sim_format},
	{SSD_ADMIN_SANITIZE, .run = sim_sanitize},
	{SSD_ADMIN_NS_MANAGEMENT, .oacs = NVME_CTRL_OACS_NS_MGMT, .run = sim_ns_management},
	{SSD_ADMIN_NS_ATTACHMENT, .oacs = NVME_CTRL_OACS_NS_MGMT, .run = sim_ns_attachment},
	{SSD_ADMIN_SELF_TEST, .oacs = NVME_CTRL_OACS_SELF_TEST, .run = sim_selftest},
	{SIM_INTEL_DUMP, .read = true, .intel = true, .run = sim_dump},
	{SSD_IO_FLUSH, .io = true, .run = sim_media},
	{SSD_IO_WRITE, .io = true, .run = sim_media},
	{SSD_IO_READ, .io = true, .run = sim_media},
	{SSD_IO_WRITE_ZEROES, .io = true, .oncs = NVME_CTRL_ONCS_WRITE_ZEROES, .run = sim_media},
	{SSD_IO_DSM, .io = true, .oncs = NVME_CTRL_ONCS_DSM, .run = sim_media},
};

static const struct handler *handler_of(const struct ssd_cmd *cmd)
{
	for (size_t i = 0; i < ARRAY_SIZE(handlers); i++)
		if (handlers[i].opcode == cmd->opcode && handlers[i].io == cmd->io)
			return &handlers[i];
	return NULL;
}

/* Host-initiated telemetry with Create set makes new data: not a read, though it is a Get Log Page (NVMe 1.3). */
static bool creates_telemetry(const struct ssd_cmd *cmd)
{
	return cmd->opcode == SSD_ADMIN_GET_LOG_PAGE && (cmd->cdw10 & 0xff) == 0x07 && cmd->cdw10 & 0x100;
}

uint32_t sim_version(const struct sim_call *call)
{
	return ssd_le32(call->id_ctrl + SSD_ID_CTRL_VER);
}

bool sim_is_intel(const struct sim_call *call)
{
	return ssd_le16(call->id_ctrl + SSD_ID_CTRL_VID) == VID_INTEL;
}

void sim_copy_out(struct sim_call *call, const void *src, size_t len)
{
	if (call->cmd->direction != SSD_DATA_FROM_DRIVE)
		return;
	if (len > call->cmd->data_len)
		len = call->cmd->data_len;
	if (len > call->copy_limit)
		len = call->copy_limit;
	if (len)
		memcpy(call->cmd->data, src, len);
}

void sim_sleep_us(uint64_t us)
{
	struct timespec left = {(time_t)(us / 1000000), (long)(us % 1000000) * 1000};

	while (us && nanosleep(&left, &left) && errno == EINTR)
		continue;
}

void sim_follow_config(struct sim *sim)
{
	AUTO_FREE char *path = ssd_asprintf("%s/drive.json", sim->dir);
	struct stat st = {0}, *old = &sim->config_stat;
	struct sim_config config;

	if (stat(path, &st))
		st = (struct stat){0};
	if (st.st_ino == old->st_ino && st.st_size == old->st_size && st.st_mtim.tv_sec == old->st_mtim.tv_sec &&
	    st.st_mtim.tv_nsec == old->st_mtim.tv_nsec)
		return;
	if (sim_config_load(&config, sim->host, sim->name, NULL)) {
		sim_config_free(&config);
		return;
	}
	sim_config_free(&sim->config);
	sim->config = config;
	sim->config_stat = st;
}

static uint16_t field(const struct sim_call *call, size_t at)
{
	return ssd_le16(call->id_ctrl + at);
}

static bool is_supported(const struct sim_call *call, const struct handler *h)
{
	return h && (!h->intel || sim_is_intel(call)) &&
	       (field(call, offsetof(struct nvme_id_ctrl, oacs)) & h->oacs) == h->oacs &&
	       (field(call, offsetof(struct nvme_id_ctrl, oncs)) & h->oncs) == h->oncs;
}

static bool transfer_too_large(const struct sim_call *call)
{
	uint8_t mdts = call->id_ctrl[SSD_ID_CTRL_MDTS];

	return mdts && mdts < 20 && call->cmd->data_len > (uint64_t)SIM_PAGE_BYTES << mdts;
}

static int execute(struct sim_call *call, const struct handler *handler)
{
	const struct host_file id_ctrl = host_file_of(HOST_FILE_IDENTIFY, 1);
	int rc = sim_page_read(call->sim, &id_ctrl, 0, call->id_ctrl, sizeof(call->id_ctrl), NULL);

	if (rc)
		return rc == -ENOENT ? -ENODEV : rc; /* somebody took the directory away: so it goes with drives */
	if (call->effect == SIM_EFFECT_STATUS)
		return (int)call->effect_value;
	if (!is_supported(call, handler))
		return SIM_INVALID_OPCODE;
	if (call->cmd->data_len && !call->cmd->data)
		return -EFAULT;
	if (transfer_too_large(call))
		return SIM_INVALID_FIELD;
	if (call->effect == SIM_EFFECT_SHORT)
		call->copy_limit = (uint32_t)call->effect_value;
	if (call->effect == SIM_EFFECT_UNTOUCHED)
		call->copy_limit = 0;
	rc = sim_sanitize_gate(call->sim->shared, call->cmd);
	return rc ? rc : handler->run(call);
}

/* Firmware that is stored but not yet running is reported with an error code, and is none (NVMe 1.4, Firmware Commit). */
static bool is_error(unsigned status)
{
	switch (status & SIM_STATUS_MASK) {
	case 0:
	case SIM_NEEDS_CONVENTIONAL_RESET:
	case SIM_NEEDS_SUBSYSTEM_RESET:
	case SIM_NEEDS_CONTROLLER_RESET:
		return false;
	default:
		return true;
	}
}

static int complete(struct sim_call *call, int status, struct ssd_cpl *cpl)
{
	int rc = 0;

	if (call->sim->simulated && is_error((unsigned)status))
		rc = sim_log_error(call, (unsigned)status);
	if (!rc && call->effect == SIM_EFFECT_VANISH)
		rc = sim_vanish(call->sim, call->effect_value);
	if (!rc && call->effect == SIM_EFFECT_LOST)
		rc = -(int)call->effect_value;
	if (rc)
		return rc;
	*cpl = (struct ssd_cpl){.status = (uint16_t)status, .result = call->result};
	return 0;
}

static int submit(struct ssd_transport *t, const struct ssd_cmd *cmd, struct ssd_cpl *cpl)
{
	struct sim *sim = (struct sim *)t;
	struct sim_call call = {.sim = sim, .cmd = cmd, .copy_limit = UINT32_MAX};
	const struct handler *handler = handler_of(cmd);
	int rc;

	sim_follow_config(sim);
	if (!sim->simulated && (!handler || !handler->read || creates_telemetry(cmd)))
		return -EROFS;
	sim_sleep_us(sim->config.latency_us);
	if (sim_vanished(sim))
		return -ENODEV;
	sim_shared(sim);
	rc = sim_recover(sim);
	if (rc)
		return rc;
	sim->cid++;
	rc = sim_faults(&call);
	if (rc)
		return rc;
	sim_sleep_us(call.delay_ms * 1000);
	if (call.effect == SIM_EFFECT_ERRNO)
		return -(int)call.effect_value;
	rc = execute(&call, handler);
	return rc < 0 ? rc : complete(&call, rc, cpl);
}

static void release(struct sim *sim)
{
	sim_config_free(&sim->config);
	json_decref(sim->state);
	json_decref(sim->shared);
	free(sim->host);
	free(sim->name);
	free(sim->dir);
	free(sim->home);
	free(sim);
}

static void sim_close(struct ssd_transport *t)
{
	release((struct sim *)t);
}

static int check_directory(struct sim *sim, struct ssd_err *err)
{
	const struct host_file id_ctrl = host_file_of(HOST_FILE_IDENTIFY, 1);
	struct stat st;
	uint8_t byte;
	int rc;

	if (strchr(sim->name, '/') || sim->name[0] == '.' || !*sim->name || stat(sim->dir, &st) || !S_ISDIR(st.st_mode))
		return ssd_fail_errno(err, ENOENT, "%s: no such drive in %s", sim->name, sim->host);
	if (sim_vanished(sim))
		return ssd_fail_errno(err, ENOENT, "opening %s", sim->name);
	rc = sim_page_read(sim, &id_ctrl, 0, &byte, sizeof(byte), NULL);
	if (!rc)
		return 0;
	if (stat(sim->dir, &st)) /* taken away meanwhile, as drives are */
		return ssd_fail_errno(err, ENOENT, "opening %s", sim->name);
	ssd_fail(err, SSD_ERR_BAD_INPUT, "%s/id-ctrl.bin: %s", sim->dir, strerror(-rc));
	ssd_hint(err, "a controller directory needs it: 4096 bytes, Identify Controller (CNS 01h)");
	return -1;
}

struct ssd_transport *ssd_sim_open(const char *host, const char *name, bool simulated, struct ssd_err *err)
{
	struct sim *sim = ssd_calloc(1, sizeof(*sim));
	AUTO_FREE char *path = NULL;

	sim->transport = (struct ssd_transport){.submit = submit, .control = sim_control, .close = sim_close};
	sim->simulated = simulated;
	sim->host = ssd_strdup(host);
	sim->name = ssd_strdup(name);
	sim->dir = ssd_asprintf("%s/%s", host, name);
	path = ssd_asprintf("%s/drive.json", sim->dir);
	if (stat(path, &sim->config_stat))
		sim->config_stat = (struct stat){0};
	if (check_directory(sim, err) || sim_state_check(sim, err) || sim_config_load(&sim->config, host, name, err)) {
		release(sim);
		return NULL;
	}
	return &sim->transport;
}
