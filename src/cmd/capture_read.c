/* SPDX-License-Identifier: MIT */
/*
 * What capture reads. Only what the drive announces is asked for: a command that a drive refuses makes an entry in its
 * error log, and monitoring somewhere sends a mail. Offsets, bits and CNS values: NVM Express Base Specification 2.0c,
 * sections 5.16.1 (log pages) and 5.17.2 (Identify), 5.27.1 (features).
 */
#include "capture.h"

#include "sim/hostfile.h"

#include <ssdct/feature.h>
#include <ssdct/id_ctrl.h>
#include <ssdct/le.h>

enum { VER_1_2 = 0x10200, VER_1_3 = 0x10300, VER_1_4 = 0x10400, VER_2_0 = 0x20000 };
#define ONCS_SAVE_SELECT 0x10
#define CNTRLTYPE_IO 1
#define ID_NS_ENDGID 102

/* More namespaces than a drive has. */
#define MAX_NAMESPACES 1024
/* Three data areas with 16-bit block numbers cannot be longer (5.16.1.8). */
#define TELEMETRY_BLOCK 512u
#define TELEMETRY_LAST_BLOCK 12

static uint32_t id_field(const struct capture *c, unsigned off, unsigned width)
{
	return (uint32_t)ssd_le(c->dev->id_ctrl + off, width);
}

/*
 * The drive (or the guard) said no, or it said yes and gave nothing: that is an answer. Everything else will happen again.
 */
static bool is_answer(const struct ssd_err *err)
{
	return err->code == SSD_ERR_NVME || err->code == SSD_ERR_NOT_WRITTEN || err->code == SSD_ERR_UNSUPPORTED ||
	       err->code == SSD_ERR_REFUSED;
}

static int gap_or_fail(struct capture *c, const struct host_file *file, struct ssd_err *err)
{
	AUTO_FREE char *name = NULL;

	if (!is_answer(err))
		return -1;
	name = host_file_name(file);
	capture_add_gap(c, name, err->message);
	*err = (struct ssd_err)SSD_ERR_INIT;
	return 0;
}

/* --- Identify --- */

static struct host_file identify_file(const struct ssd_identify *id)
{
	struct host_file file = host_file_of(HOST_FILE_IDENTIFY, id->cns);

	if (id->nsid)
		file.q[HOST_FILE_NSID] = id->nsid;
	return file;
}

static int read_identify(struct capture *c, const struct ssd_identify *id, struct ssd_err *err)
{
	AUTO_FREE uint8_t *buf = ssd_page_alloc(4096);
	struct host_file file = identify_file(id);
	size_t got;

	if (ssd_identify(c->dev, id, buf, &got, err))
		return gap_or_fail(c, &file, err);
	capture_add_file(c, host_file_name(&file), STEAL(buf), got);
	return 0;
}

struct nsids {
	uint32_t v[MAX_NAMESPACES];
	size_t n;
};

static bool has_nsid(const struct nsids *list, uint32_t nsid)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->v[i] == nsid)
			return true;
	return false;
}

/* The list of CNS 02h (attached namespaces) or 10h (all of them), page by page. */
static int list_namespaces(struct capture *c, uint8_t cns, struct nsids *list, struct ssd_err *err)
{
	AUTO_FREE uint8_t *buf = ssd_page_alloc(4096);
	struct ssd_identify id = {.cns = cns};
	size_t got, i;

	list->n = 0;
	do {
		if (ssd_identify(c->dev, &id, buf, &got, err)) {
			struct host_file file = host_file_of(HOST_FILE_IDENTIFY, cns);

			return gap_or_fail(c, &file, err);
		}
		for (i = 0; i + 4 <= got && list->n < MAX_NAMESPACES; i += 4) {
			uint32_t nsid = ssd_le32(buf + i);

			if (nsid <= id.nsid)
				return 0;
			list->v[list->n++] = id.nsid = nsid;
		}
	} while (i == 4096 && list->n < MAX_NAMESPACES);
	return 0;
}

/* Before 1.2 a drive cannot list its namespaces, but the kernel has found them. */
static void known_namespaces(const struct capture *c, struct nsids *list)
{
	const struct ssd_drive *drive = c->dev->drive;

	list->n = 0;
	for (size_t i = 0; i < drive->n_namespaces && list->n < MAX_NAMESPACES; i++)
		list->v[list->n++] = drive->namespaces[i].nsid;
}

static int read_each(struct capture *c, uint8_t cns, const struct nsids *list, struct ssd_err *err)
{
	for (size_t i = 0; i < list->n; i++)
		if (read_identify(c, &(struct ssd_identify){.cns = cns, .nsid = list->v[i]}, err))
			return -1;
	return 0;
}

/* Namespaces of the drive that are not attached to this controller, and who is attached to what. */
static int read_managed(struct capture *c, const struct nsids *active, struct ssd_err *err)
{
	struct nsids all, detached = {.n = 0};

	if (read_identify(c, &(struct ssd_identify){.cns = 0x10}, err))
		return -1;
	if (!capture_find(c, "identify-10.bin"))
		return 0; /* refused: it will not have the others either */
	if (list_namespaces(c, 0x10, &all, err))
		return -1;
	for (size_t i = 0; i < all.n; i++)
		if (!has_nsid(active, all.v[i]))
			detached.v[detached.n++] = all.v[i];
	if (read_each(c, 0x11, &detached, err) || read_each(c, 0x12, &all, err))
		return -1;
	return read_identify(c, &(struct ssd_identify){.cns = 0x13}, err);
}

/* Structures of the controller that a bit of Identify Controller announces. */
static const struct {
	uint8_t cns;
	uint16_t off;
	uint8_t width;
	uint32_t mask;
	uint32_t version;
} announced[] = {
	{0x04, SSD_ID_CTRL_CTRATT, 4, 1u << 2, VER_1_4},  /* NVM Set List */
	{0x15, SSD_ID_CTRL_OACS, 2, 1u << 7, VER_1_3},    /* Secondary Controller List */
	{0x16, SSD_ID_CTRL_CTRATT, 4, 1u << 7, VER_1_4},  /* Namespace Granularity List */
	{0x17, SSD_ID_CTRL_CTRATT, 4, 1u << 9, VER_1_4},  /* UUID List */
	{0x18, SSD_ID_CTRL_CTRATT, 4, 1u << 10, VER_2_0}, /* Domain List */
	{0x19, SSD_ID_CTRL_CTRATT, 4, 1u << 4, VER_2_0},  /* Endurance Group List */
};

static int read_announced(struct capture *c, struct ssd_err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(announced); i++)
		if (ssd_version(c->dev) >= announced[i].version &&
		    id_field(c, announced[i].off, announced[i].width) & announced[i].mask &&
		    read_identify(c, &(struct ssd_identify){.cns = announced[i].cns}, err))
			return -1;
	return 0;
}

static int read_identify_all(struct capture *c, struct ssd_err *err)
{
	uint32_t version = ssd_version(c->dev);
	struct nsids active;

	active.n = 0;
	if (version >= VER_1_2 && list_namespaces(c, 0x02, &active, err))
		return -1;
	if (!active.n)
		known_namespaces(c, &active);
	if (read_each(c, 0x00, &active, err) || version < VER_1_2)
		return ssd_failed(err) ? -1 : 0;
	/* Namespace Identification Descriptors are mandatory from 1.3 on. */
	if (version >= VER_1_3 && read_each(c, 0x03, &active, err))
		return -1;
	if (id_field(c, SSD_ID_CTRL_OACS, 2) & 1u << 3 && read_managed(c, &active, err))
		return -1;
	return read_announced(c, err);
}

/* --- log pages --- */

int capture_read_log(struct capture *c, const struct ssd_log_request *req, size_t len, struct ssd_err *err)
{
	struct host_file file = host_file_of(HOST_FILE_LOG, req->lid);
	AUTO_FREE uint8_t *buf = ssd_page_alloc(len);
	size_t got;

	if (req->lsi)
		file.q[HOST_FILE_LSI] = req->lsi;
	if (req->uuid_index)
		file.q[HOST_FILE_UUID] = req->uuid_index;
	if (ssd_get_log(c->dev, req, buf, len, &got, err))
		return gap_or_fail(c, &file, err);
	capture_add_file(c, host_file_name(&file), STEAL(buf), got);
	return 0;
}

/* Pages without a table, by their length. */
static const struct {
	uint8_t lid;
	uint16_t bytes;
} logs[] = {{0x12, 1024}, {0x13, 4096}};

/* 0: its length is not known, or there is one for each of something. */
static int log_bytes(struct capture *c, const struct ssd_log_request *req, size_t *len, struct ssd_err *err)
{
	const struct ssd_page *page = ssd_log_page(req->lid);

	*len = 0;
	for (size_t i = 0; i < ARRAY_SIZE(logs); i++)
		if (logs[i].lid == req->lid)
			*len = logs[i].bytes;
	return page && !(page->flags & SSD_PAGE_LSI) ? ssd_log_bytes(c->dev, page, req, len, err) : 0;
}

/* What is there, to the end of data area 3; the drive is not asked to collect anything new (LSP 0). */
static int read_telemetry(struct capture *c, uint8_t lid, struct ssd_err *err)
{
	struct ssd_log_request req = {.lid = lid, .nsid = SSD_NSID_ALL};
	struct host_file file = host_file_of(HOST_FILE_LOG, lid);
	AUTO_FREE uint8_t *header = ssd_page_alloc(TELEMETRY_BLOCK);
	size_t got;

	if (c->redact) {
		AUTO_FREE char *name = host_file_name(&file);

		capture_add_gap(c, name, "not redactable: its contents are the vendor's own");
		return 0;
	}
	if (ssd_get_log(c->dev, &req, header, TELEMETRY_BLOCK, &got, err))
		return gap_or_fail(c, &file, err);
	if (got < TELEMETRY_BLOCK)
		return 0;
	return capture_read_log(c, &req, (ssd_le16(header + TELEMETRY_LAST_BLOCK) + 1u) * TELEMETRY_BLOCK, err);
}

/* A page for each endurance group that a namespace lies in. */
static int read_endurance_groups(struct capture *c, struct ssd_err *err)
{
	bool seen[65536] = {false};

	if (!ssd_announces_log(c->dev, 0x09))
		return 0;
	for (size_t i = 0, n = c->n_files; i < n; i++) {
		const struct capture_file *f = &c->files[i];
		uint16_t group = f->len == 4096 ? ssd_le16(f->data + ID_NS_ENDGID) : 0;

		if (!capture_nsid(f) || !group || seen[group])
			continue;
		seen[group] = true;
		if (capture_read_log(c, &(struct ssd_log_request){.lid = 0x09, .lsi = group, .nsid = SSD_NSID_ALL}, 512,
				     err))
			return -1;
	}
	return 0;
}

static int read_log(struct capture *c, const struct ssd_log_info *info, struct ssd_err *err)
{
	struct ssd_log_request req = {.lid = info->lid, .nsid = info->lid ? SSD_NSID_ALL : 0};
	struct host_file file = host_file_of(HOST_FILE_LOG, info->lid);
	AUTO_FREE char *name = NULL;
	size_t len = 0;

	if (info->lid == 0x07 || info->lid == 0x08)
		return read_telemetry(c, info->lid, err);
	if (info->lid == 0x09)
		return 0; /* one per endurance group: once the namespaces are known */
	if (!info->not_free && log_bytes(c, &req, &len, err))
		return gap_or_fail(c, &file, err);
	if (len)
		return capture_read_log(c, &req, len, err);
	name = host_file_name(&file);
	capture_add_gap(c, name,
			info->not_free ? "reading it is not free of effects" : "its length depends on its contents");
	return 0;
}

static int read_logs(struct capture *c, struct ssd_err *err)
{
	for (const struct ssd_log_info *info = ssd_log_table; info->name; info++)
		if (ssd_announces_log(c->dev, info->lid) && read_log(c, info, err))
			return -1;
	return 0;
}

/* --- features --- */

#define FID_ERROR_RECOVERY 0x05

/* Mandatory features of an I/O controller, and optional ones that a field announces (mask 0: mandatory). */
static const struct {
	uint8_t fid, width;
	uint16_t off;
	uint32_t mask;
} features[] = {
	{0x01},                                 /* Arbitration */
	{0x02},                                 /* Power Management */
	{0x04},                                 /* Temperature Threshold */
	{0x06, 1, SSD_ID_CTRL_VWC, 1},          /* Volatile Write Cache */
	{0x07},                                 /* Number of Queues */
	{0x08},                                 /* Interrupt Coalescing */
	{0x09},                                 /* Interrupt Vector Configuration */
	{0x0a},                                 /* Write Atomicity Normal */
	{0x0b},                                 /* Asynchronous Event Configuration */
	{0x0c, 1, SSD_ID_CTRL_APSTA, 1},        /* Autonomous Power State Transition, with data */
	{0x0f, 2, SSD_ID_CTRL_KAS, 0xffff},     /* Keep Alive Timer */
	{0x10, 2, SSD_ID_CTRL_HCTMA, 1},        /* Host Controlled Thermal Management */
	{0x11, 4, SSD_ID_CTRL_CTRATT, 1u << 1}, /* Non-Operational Power State Config */
};

struct feature {
	uint8_t fid;
	uint32_t nsid;
	json_t *values; /* borrowed */
};

static int read_selected(struct capture *c, const struct feature *f, enum ssd_select select, const char *key,
			 struct ssd_err *err)
{
	struct host_file file = host_file_of(HOST_FILE_FEATURE, f->fid);
	struct ssd_feature_request req = {.fid = f->fid, .select = select, .nsid = f->nsid};
	const struct ssd_std_feature *std = ssd_std_feature(f->fid);
	/* What a feature can do is in the completion alone. */
	size_t size = std && select != SSD_SUPPORTED ? std->page.size : 0, got;
	AUTO_FREE uint8_t *buf = size ? ssd_page_alloc(size) : NULL;
	uint64_t result;

	if (ssd_get_feature_data(c->dev, &req, &result, buf, size, &got, err))
		return gap_or_fail(c, &file, err);
	json_object_set_new(f->values, key, json_integer((uint32_t)result));
	if (buf && select == SSD_CURRENT)
		capture_add_file(c, host_file_name(&file), STEAL(buf), got);
	return 0;
}

/* Saved values are asked for only where the drive says that the feature can be saved (capabilities bit 0). */
static int read_feature(struct capture *c, uint8_t fid, uint32_t nsid, bool key_has_nsid, struct ssd_err *err)
{
	struct feature f = {fid, nsid, json_object()};
	char key[24];

	snprintf(key, sizeof(key), key_has_nsid ? "0x%02x@%u" : "0x%02x", fid, nsid);
	json_object_set_new(c->features, key, f.values);
	if (read_selected(c, &f, SSD_CURRENT, "current", err))
		return -1;
	if (!json_object_size(f.values))
		return json_object_del(c->features, key), 0;
	if (!(id_field(c, SSD_ID_CTRL_ONCS, 2) & ONCS_SAVE_SELECT))
		return 0;
	if (read_selected(c, &f, SSD_DEFAULT, "default", err) ||
	    read_selected(c, &f, SSD_SUPPORTED, "capabilities", err))
		return -1;
	if (json_integer_value(json_object_get(f.values, "capabilities")) & 1)
		return read_selected(c, &f, SSD_SAVED, "saved", err);
	return 0;
}

/*
 * Error Recovery belongs to a namespace from 1.2 on and to the controller before. When there is one namespace its value
 * is recorded as the answer to whoever asks.
 */
static int read_error_recovery(struct capture *c, struct ssd_err *err)
{
	uint32_t nsids[MAX_NAMESPACES];
	size_t n = 0;

	if (ssd_version(c->dev) < VER_1_2)
		return read_feature(c, FID_ERROR_RECOVERY, 0, false, err);
	for (size_t i = 0; i < c->n_files && n < MAX_NAMESPACES; i++)
		if (capture_nsid(&c->files[i]))
			nsids[n++] = capture_nsid(&c->files[i]);
	for (size_t i = 0; i < n; i++)
		if (read_feature(c, FID_ERROR_RECOVERY, nsids[i], n > 1, err))
			return -1;
	return 0;
}

static int read_features(struct capture *c, struct ssd_err *err)
{
	/* Zero before 1.4: an I/O controller as well. Others have features of their own. */
	if (id_field(c, SSD_ID_CTRL_CNTRLTYPE, 1) > CNTRLTYPE_IO)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(features); i++)
		if ((!features[i].mask || id_field(c, features[i].off, features[i].width) & features[i].mask) &&
		    read_feature(c, features[i].fid, 0, false, err))
			return -1;
	return read_error_recovery(c, err);
}

/* --- all of it --- */

/* Number of Error Information Log Entries, SMART bytes 176 on; its upper half is never used. */
static int64_t error_count(const uint8_t *smart, size_t len)
{
	return len >= 192 ? (int64_t)(ssd_le64(smart + 176) & INT64_MAX) : -1;
}

static int64_t count_errors_again(struct capture *c)
{
	AUTO_FREE uint8_t *buf = ssd_page_alloc(512);
	struct ssd_log_request req = {.lid = 0x02, .nsid = SSD_NSID_ALL};
	size_t got;

	return ssd_get_log(c->dev, &req, buf, 512, &got, NULL) ? -1 : error_count(buf, got);
}

int capture_read(struct capture *c, struct ssd_err *err)
{
	const struct capture_file *smart;
	uint8_t *id;

	if (ssd_id_ctrl(c->dev, err))
		return -1;
	id = ssd_page_alloc(4096);
	memcpy(id, c->dev->id_ctrl, 4096);
	capture_add_file(c, ssd_strdup("id-ctrl.bin"), id, c->dev->id_ctrl_len);
	/* The log pages first: what is in them should be from before anything that we ask. */
	if (read_logs(c, err) || capture_read_vendor(c, err) || capture_read_local(c, err) ||
	    read_identify_all(c, err) || read_endurance_groups(c, err) || read_features(c, err))
		return -1;
	smart = capture_find(c, "log-02.bin");
	c->errors_before = smart ? error_count(smart->data, smart->len) : -1;
	c->errors_after = smart ? count_errors_again(c) : -1;
	return 0;
}
