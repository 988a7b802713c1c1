/* SPDX-License-Identifier: MIT */
/* Opening a drive: the right transport, with guard and trace around it. */
#include <ssdct/admin.h>
#include <ssdct/plugin.h>

static bool is_dead(const struct ssd_drive *drive)
{
	return !strcmp(drive->state, "dead") || !strncmp(drive->state, "deleting", 8);
}

/*
 * A controller that does not answer now. On this machine the kernel knows better than the state that was read a moment ago:
 * it refuses to open the node, which is tried for a while. In a host directory the state is what drive.json says.
 */
static bool is_away(const struct ssd_drive *drive)
{
	return drive->host->dir && (!strcmp(drive->state, "resetting") || !strcmp(drive->state, "connecting"));
}

static struct ssd_transport *open_transport(const struct ssd_drive *drive, struct ssd_err *err)
{
	const struct ssd_host *host = drive->host;

	if (host->backend == SSD_BACKEND_LINUX)
		return ssd_linux_open(drive->path, err);
	return ssd_sim_open(host->dir, drive->device, host->backend == SSD_BACKEND_SIMULATED, err);
}

bool ssd_is_kernels_own(const struct ssd_cmd *cmd)
{
	/* Queues, events, doorbells, fabrics; number of queues, events, host memory, keep-alive, host behaviour. */
	static const uint8_t opcodes[] = {0x00, 0x01, 0x04, 0x05, 0x0c, 0x7c, 0x7f},
			     features[] = {0x07, 0x0b, 0x0d, 0x0f, 0x16};

	return !cmd->io &&
	       (memchr(opcodes, cmd->opcode, sizeof(opcodes)) ||
		(cmd->opcode == SSD_ADMIN_SET_FEATURES && memchr(features, cmd->cdw10 & 0xff, sizeof(features))));
}

static bool may_send(const void *ctx, const struct ssd_cmd *cmd)
{
	const struct ssd_device *dev = ctx;

	if (ssd_is_kernels_own(cmd))
		return false;
	if (ssd_is_read(dev, cmd))
		return true;
	if (!dev->grant)
		return false;
	return (cmd->io ? dev->grant->io_opcodes : dev->grant->opcodes)[cmd->opcode / 8] >> cmd->opcode % 8 & 1;
}

static bool may_control(const void *ctx, enum ssd_control op)
{
	const struct ssd_device *dev = ctx;

	/* A rescan has the kernel read Identify and its lists: the drive is asked, and nothing in it changes. */
	return op == SSD_RESCAN || (dev->grant && dev->grant->controls[op]);
}

int ssd_device_open(struct ssd_device *dev, const struct ssd_drive *drive, ssd_trace_fn sink, void *sink_ctx,
		    struct ssd_err *err)
{
	static const struct ssd_guard_rules rules = {may_send, may_control};
	struct ssd_transport *t;

	*dev = (struct ssd_device){.drive = drive};
	if (is_dead(drive)) {
		ssd_fail(err, SSD_ERR_GONE, "%s: the controller is %s; nothing was sent", drive->device, drive->state);
		ssd_hint(err, "see the kernel log; a power cycle or re-seating the drive may bring it back");
		return -1;
	}
	if (is_away(drive)) {
		ssd_fail(err, SSD_ERR_BUSY, "%s: the controller is %s; nothing was sent", drive->device, drive->state);
		return -1;
	}
	t = open_transport(drive, err);
	if (!t)
		return -1;
	t = ssd_guard_new(t, &rules, dev);
	dev->transport = sink ? ssd_trace_new(t, drive->device, sink, sink_ctx) : t;
	return 0;
}

void ssd_device_close(struct ssd_device *dev)
{
	ssd_transport_close(dev->transport);
	free(dev->id_ctrl);
	free(dev->uuid_list);
	free(dev->local);
	dev->transport = NULL;
	dev->id_ctrl = NULL;
	dev->uuid_list = NULL;
	dev->local = NULL;
}
