/* SPDX-License-Identifier: MIT */
/* Log pages: names, which of them a drive announces, and which commands are pure reads. */
#include <ssdct/admin.h>

#include <ssdct/id_ctrl.h>
#include <ssdct/le.h>
#include <ssdct/local.h>
#include <ssdct/plugin.h>

/*
 * NVM Express Base Specification 2.0c, figure 202 and the sections of the pages.
 * Pages 04h, 80h and BFh report what happened since they were last read: reading takes it away from the kernel, which
 * waits for it. Page 0Dh needs a context in the controller. Page 07h with LSP bit 0 makes the controller collect anew.
 */
#define TAKES_AWAY "reading it takes away what the kernel waits for"
#define CONTEXT "reading it needs a context in the controller (ssdct log persistent-event)"

const struct ssd_log_info ssd_log_table[] = {
	{0x00, "supported-logs", "Supported Log Pages"},
	{0x01, "error", "Error Information"},
	{0x02, "smart", "SMART / Health Information"},
	{0x03, "firmware-slot", "Firmware Slot Information"},
	{0x04, "changed-namespaces", "Changed Namespace List", .not_free = TAKES_AWAY},
	{0x05, "commands", "Commands Supported and Effects"},
	{0x06, "self-test", "Device Self-test"},
	{0x07, "telemetry-host", "Telemetry Host-Initiated"},
	{0x08, "telemetry-controller", "Telemetry Controller-Initiated"},
	{0x09, "endurance-group", "Endurance Group Information"},
	{0x0a, "predictable-latency", "Predictable Latency Per NVM Set"},
	{0x0b, "predictable-latency-events", "Predictable Latency Event Aggregate"},
	{0x0c, "ana", "Asymmetric Namespace Access", .free_lsp = 0x01}, /* Return Groups Only */
	{0x0d, "persistent-event", "Persistent Event Log", .not_free = CONTEXT},
	{0x0e, "lba-status", "LBA Status Information"},
	{0x0f, "endurance-group-events", "Endurance Group Event Aggregate"},
	{0x10, "media-units", "Media Unit Status"},
	{0x11, "capacity-configurations", "Supported Capacity Configuration List"},
	{0x12, "features", "Feature Identifiers Supported and Effects"},
	{0x13, "mi-commands", "NVMe-MI Commands Supported and Effects"},
	{0x14, "lockdown", "Command and Feature Lockdown", .free_lsp = 0x3f}, /* scope and contents */
	{0x15, "boot-partition", "Boot Partition", .free_lsp = 0x01},         /* which of the two */
	{0x16, "rotational-media", "Rotational Media Information"},
	{0x70, "discovery", "Discovery"},
	{0x80, "reservation", "Reservation Notification", .not_free = TAKES_AWAY},
	{0x81, "sanitize", "Sanitize Status"},
	{0xbf, "changed-zones", "Changed Zone List", .not_free = TAKES_AWAY},
	{0},
};

const struct ssd_log_info *ssd_log_info(uint8_t lid)
{
	for (const struct ssd_log_info *row = ssd_log_table; row->name; row++)
		if (row->lid == lid)
			return row;
	return NULL;
}

#define LPA_SUPPORTED_LOGS 0x20

/* A page is announced when any bit of mask is set in the field. Pages that are not listed: only page 00h announces them. */
static const struct {
	uint8_t lid;
	uint16_t off;
	uint8_t width;
	uint32_t mask;
} announcements[] = {
	{0x00, SSD_ID_CTRL_LPA, 1, LPA_SUPPORTED_LOGS},
	{0x04, SSD_ID_CTRL_OAES, 4, 1u << 8}, /* Namespace Attribute Notices */
	{0x05, SSD_ID_CTRL_LPA, 1, 1u << 1},
	{0x06, SSD_ID_CTRL_OACS, 2, 1u << 4},
	{0x07, SSD_ID_CTRL_LPA, 1, 1u << 3},
	{0x08, SSD_ID_CTRL_LPA, 1, 1u << 3},
	{0x09, SSD_ID_CTRL_CTRATT, 4, 1u << 4}, /* Endurance Groups */
	{0x0a, SSD_ID_CTRL_CTRATT, 4, 1u << 5}, /* Predictable Latency Mode */
	{0x0b, SSD_ID_CTRL_CTRATT, 4, 1u << 5},
	{0x0c, SSD_ID_CTRL_CMIC, 1, 1u << 3},
	{0x0d, SSD_ID_CTRL_LPA, 1, 1u << 4},
	{0x0e, SSD_ID_CTRL_OAES, 4, 1u << 13},   /* LBA Status Information Alert Notices */
	{0x0f, SSD_ID_CTRL_OAES, 4, 1u << 14},   /* Endurance Group Event Aggregate Log Page Change Notices */
	{0x11, SSD_ID_CTRL_CTRATT, 4, 1u << 11}, /* Fixed Capacity Management */
	{0x12, SSD_ID_CTRL_LPA, 1, LPA_SUPPORTED_LOGS},
	{0x13, SSD_ID_CTRL_LPA, 1, LPA_SUPPORTED_LOGS},
	{0x14, SSD_ID_CTRL_OACS, 2, 1u << 10},
	{0x80, SSD_ID_CTRL_ONCS, 2, 1u << 5},  /* Reservations */
	{0x81, SSD_ID_CTRL_SANICAP, 4, 7},     /* any sanitize operation */
	{0xbf, SSD_ID_CTRL_OAES, 4, 1u << 27}, /* Zone Descriptor Changed Notices */
};

static uint32_t id_field(const struct ssd_device *dev, unsigned off, unsigned width)
{
	return dev->id_ctrl && off + width <= dev->id_ctrl_len ? (uint32_t)ssd_le(dev->id_ctrl + off, width) : 0;
}

bool ssd_identify_announces(const struct ssd_device *dev, uint8_t lid)
{
	for (size_t i = 0; i < ARRAY_SIZE(announcements); i++)
		if (announcements[i].lid == lid)
			return id_field(dev, announcements[i].off, announcements[i].width) & announcements[i].mask;
	return lid == 0x70 && id_field(dev, SSD_ID_CTRL_CNTRLTYPE, 1) == 2; /* a discovery controller */
}

/* Page 00h: a dword per log page, bit 0 LSUPP. Kept in the device; a failure is remembered likewise. */
static void read_supported_logs(struct ssd_device *dev)
{
	AUTO_FREE uint8_t *buf = ssd_page_alloc(4096);
	struct ssd_log_request req = {.lid = 0x00};
	size_t got;

	dev->supported_logs_state = SSD_LOGS_UNREADABLE;
	if (ssd_get_log(dev, &req, buf, 1024, &got, NULL) || got < 1024)
		return;
	for (unsigned lid = 0; lid < 256; lid++)
		if (buf[lid * 4] & 1)
			dev->supported_logs[lid / 8] |= (uint8_t)(1u << lid % 8);
	dev->supported_logs_state = SSD_LOGS_READ;
}

bool ssd_announces_log(struct ssd_device *dev, uint8_t lid)
{
	bool mandatory = lid >= 0x01 && lid <= 0x03;

	if (mandatory)
		return true;
	if (lid && dev->supported_logs_state == SSD_LOGS_UNREAD &&
	    id_field(dev, SSD_ID_CTRL_LPA, 1) & LPA_SUPPORTED_LOGS)
		read_supported_logs(dev);
	if (lid && dev->supported_logs_state == SSD_LOGS_READ)
		return dev->supported_logs[lid / 8] >> lid % 8 & 1;
	return ssd_identify_announces(dev, lid);
}

bool ssd_announces_page(struct ssd_device *dev, const struct ssd_page *page)
{
	return !(page->flags & SSD_PAGE_ANNOUNCED) || ssd_uuid_index(dev, page->uuid) ||
	       ssd_announces_log(dev, page->id);
}

/* A recording is a set of files: reading them takes nothing away from anybody. */
bool ssd_is_recording(const struct ssd_device *dev)
{
	return dev && dev->drive && dev->drive->host && dev->drive->host->backend == SSD_BACKEND_RECORDED;
}

/* What has been read of page 00h counts; a guard asks the drive nothing. */
static bool is_announced(const struct ssd_device *dev, uint8_t lid)
{
	return dev->supported_logs_state == SSD_LOGS_READ && dev->supported_logs[lid / 8] >> lid % 8 & 1;
}

/* What an operator's file says, of pages about which nothing else does. */
static bool local_page_is_free(const struct ssd_device *dev, uint8_t lid)
{
	const struct ssd_local_page *local = dev ? ssd_local_find(dev, lid, NULL) : NULL;

	return local && !(local->page.flags & SSD_PAGE_CLEARS);
}

/* With a UUID index it is the page of that UUID, and no other one of the same number. */
static const char *vendor_hazard(const struct ssd_device *dev, uint8_t lid, unsigned uuid_index)
{
	const struct ssd_page *const *page = dev && dev->vendor ? dev->vendor->pages : NULL;

	for (; page && *page; page++) {
		if ((*page)->kind != SSD_PAGE_LOG || (*page)->id != lid ||
		    (uuid_index && !ssd_uuid_is_at(dev, (*page)->uuid, uuid_index)))
			continue;
		if (ssd_is_recording(dev))
			return NULL;
		if ((*page)->flags & SSD_PAGE_ANNOUNCED && !uuid_index && !is_announced(dev, lid))
			return "the drive does not announce it, so it may be somebody else's page of this number";
		return (*page)->flags & SSD_PAGE_CLEARS ? "reading it clears it" : NULL;
	}
	if (uuid_index)
		return "no table knows the page of this number that the UUID index chooses";
	return local_page_is_free(dev, lid) ? NULL : "no table says that reading it is harmless";
}

/*
 * Get Log Page: CDW10 has LID 7:0, LSP 14:8, RAE 15; CDW14 has the UUID index in 6:0. A UUID index says whose definition of
 * a vendor specific page is meant: of a table's page that its UUID, by the drive's own list.
 */
const char *ssd_log_hazard(const struct ssd_device *dev, const struct ssd_cmd *cmd)
{
	uint8_t lid = cmd->cdw10 & 0xff;
	const struct ssd_log_info *info = ssd_log_info(lid);
	unsigned lsp = cmd->cdw10 >> 8 & 0x7f, uuid_index = cmd->cdw14 & 0x7f;
	bool rae = cmd->cdw10 >> 15 & 1;

	if (!rae)
		return "without Retain Asynchronous Event it takes an event away from the kernel";
	if (info && info->not_free && !ssd_is_recording(dev))
		return info->not_free;
	if (lsp & ~(info ? info->free_lsp : 0u))
		return "no table says that it is harmless with this log specific parameter";
	if (info)
		return NULL;
	return vendor_hazard(dev, lid, uuid_index);
}

const char *ssd_log_page_hazard(const struct ssd_device *dev, uint8_t lid, uint8_t uuid_index)
{
	return ssd_log_hazard(
		dev, &(struct ssd_cmd){.opcode = SSD_ADMIN_GET_LOG_PAGE, .cdw10 = lid | 1u << 15, .cdw14 = uuid_index});
}

/* I/O commands that change nothing: Flush, Read, Compare, Verify, Reservation Report. */
static bool io_is_read(uint8_t opcode)
{
	return opcode == 0x00 || opcode == 0x02 || opcode == 0x05 || opcode == 0x0c || opcode == 0x0e;
}

/* By opcode, and with nothing set but the length, what is read, and from where on (CDW10, 12 and 13). */
static bool vendor_reads(const struct ssd_device *dev, const struct ssd_cmd *cmd)
{
	const struct ssd_vendor_read *r = dev && dev->vendor ? dev->vendor->reads : NULL;

	if (cmd->direction == SSD_DATA_TO_DRIVE || cmd->cdw2 || cmd->cdw3 || cmd->cdw11 || cmd->cdw14 || cmd->cdw15)
		return false;
	for (; r && r->opcode; r++)
		if (r->opcode == cmd->opcode)
			return !(cmd->cdw12 & ~r->cdw12);
	return false;
}

bool ssd_is_read(const void *ctx, const struct ssd_cmd *cmd)
{
	if (cmd->io)
		return io_is_read(cmd->opcode);
	switch (cmd->opcode) {
	case SSD_ADMIN_IDENTIFY:
	case SSD_ADMIN_GET_FEATURES:
		return true;
	case SSD_ADMIN_GET_LOG_PAGE:
		return !ssd_log_hazard(ctx, cmd);
	default:
		return vendor_reads(ctx, cmd);
	}
}

/*
 * Action 00h of the persistent event log reads what the context holds that was established before, as often as it is sent
 * (NVM Express Base Specification 2.0c, 5.16.1.14). It is no pure read, as there must be one, which somebody else may want.
 */
static bool reads_in_context(const struct ssd_cmd *cmd)
{
	return !cmd->io && cmd->opcode == SSD_ADMIN_GET_LOG_PAGE &&
	       (cmd->cdw10 & 0xffff) == ((uint32_t)ssd_page_persistent_event.id | 1u << 15);
}

bool ssd_is_repeatable(const struct ssd_device *dev, const struct ssd_cmd *cmd)
{
	return reads_in_context(cmd) || ssd_is_read(dev, cmd);
}
