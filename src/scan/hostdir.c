/* SPDX-License-Identifier: MIT */
/*
 * Host directories (ssdct-host(5)). What sysfs shows of a real drive comes here from the Identify bytes and, for
 * what only a host knows, from drive.json. A drive with broken files is shown all the same, with a note: its commands
 * will say what is wrong.
 */
#include "scan/scan.h"
#include "sim/drivejson.h"

#include <ssdct/id_ctrl.h>
#include <ssdct/le.h>

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#define IDENTIFY_BYTES 4096
/* More is read than is used, so that a file with something behind the 4096 bytes is no error. */
#define MAX_IDENTIFY_FILE (1u << 20)

/* Identify Namespace, NVM Command Set Specification 1.0c, section 4.1.5.1. */
enum { NS_NSZE = 0, NS_NLBAF = 25, NS_FLBAS = 26, NS_LBAF = 128 };

static const struct {
	size_t at, width, offset, size;
} text_fields[] = {
	{SSD_ID_CTRL_SN, SSD_ID_CTRL_SN_BYTES, offsetof(struct ssd_drive, serial),
	 sizeof(((struct ssd_drive *)0)->serial)},
	{SSD_ID_CTRL_MN, SSD_ID_CTRL_MN_BYTES, offsetof(struct ssd_drive, model),
	 sizeof(((struct ssd_drive *)0)->model)},
	{SSD_ID_CTRL_FR, SSD_ID_CTRL_FR_BYTES, offsetof(struct ssd_drive, firmware),
	 sizeof(((struct ssd_drive *)0)->firmware)},
	{SSD_ID_CTRL_SUBNQN, SSD_ID_CTRL_SUBNQN_BYTES, offsetof(struct ssd_drive, subsysnqn),
	 sizeof(((struct ssd_drive *)0)->subsysnqn)},
};

static const struct {
	const char *key;
	size_t offset, size;
} text_attrs[] = {
	{"model", offsetof(struct ssd_drive, model), sizeof(((struct ssd_drive *)0)->model)},
	{"serial", offsetof(struct ssd_drive, serial), sizeof(((struct ssd_drive *)0)->serial)},
	{"firmware_rev", offsetof(struct ssd_drive, firmware), sizeof(((struct ssd_drive *)0)->firmware)},
	{"transport", offsetof(struct ssd_drive, transport), sizeof(((struct ssd_drive *)0)->transport)},
	{"address", offsetof(struct ssd_drive, address), sizeof(((struct ssd_drive *)0)->address)},
	{"state", offsetof(struct ssd_drive, state), sizeof(((struct ssd_drive *)0)->state)},
	{"subsysnqn", offsetof(struct ssd_drive, subsysnqn), sizeof(((struct ssd_drive *)0)->subsysnqn)},
	{"subsystem", offsetof(struct ssd_drive, subsystem), sizeof(((struct ssd_drive *)0)->subsystem)},
	{"driver", offsetof(struct ssd_drive, driver), sizeof(((struct ssd_drive *)0)->driver)},
	{"current_link_speed", offsetof(struct ssd_drive, current_link_speed),
	 sizeof(((struct ssd_drive *)0)->current_link_speed)},
	{"max_link_speed", offsetof(struct ssd_drive, max_link_speed), sizeof(((struct ssd_drive *)0)->max_link_speed)},
};

static const struct {
	const char *key;
	size_t offset;
} int_attrs[] = {
	{"cntlid", offsetof(struct ssd_drive, cntlid)},
	{"numa_node", offsetof(struct ssd_drive, numa_node)},
	{"current_link_width", offsetof(struct ssd_drive, current_link_width)},
	{"max_link_width", offsetof(struct ssd_drive, max_link_width)},
	{"vendor", offsetof(struct ssd_drive, pci_vendor)},
	{"device", offsetof(struct ssd_drive, pci_device)},
	{"subsystem_vendor", offsetof(struct ssd_drive, pci_subsystem_vendor)},
	{"subsystem_device", offsetof(struct ssd_drive, pci_subsystem_device)},
};

/* The text of a field: like the kernel, only up to the first NUL. */
static void field(const uint8_t *bytes, size_t width, char *buf, size_t size)
{
	char text[IDENTIFY_BYTES + 1];

	memcpy(text, bytes, width);
	text[width] = '\0';
	scan_trim(text);
	ssd_strcpy(buf, size, text);
}

/* Reads an Identify file into 4096 zeroed bytes; bytes beyond the file stay zero. Returns the bytes it had, or -errno.
 */
static int identify_file(const char *path, uint8_t bytes[IDENTIFY_BYTES])
{
	AUTO_FREE uint8_t *data = NULL;
	size_t len;
	int rc = ssd_read_file(path, MAX_IDENTIFY_FILE, &data, &len);

	memset(bytes, 0, IDENTIFY_BYTES);
	if (rc < 0)
		return rc;
	if (len > IDENTIFY_BYTES)
		len = IDENTIFY_BYTES;
	memcpy(bytes, data, len);
	return (int)len;
}

static void id_ctrl(struct ssd_drive *drive, const char *dir)
{
	AUTO_FREE char *path = ssd_asprintf("%s/%s/id-ctrl.bin", dir, drive->device);
	uint8_t id[IDENTIFY_BYTES];
	int len = identify_file(path, id);

	if (len < 0) {
		scan_note(drive, "id-ctrl.bin cannot be read: %s", strerror(-len));
		return;
	}
	if (len < IDENTIFY_BYTES)
		scan_note(drive, "id-ctrl.bin has %d bytes, not %d", len, IDENTIFY_BYTES);
	for (size_t i = 0; i < ARRAY_SIZE(text_fields); i++)
		field(id + text_fields[i].at, text_fields[i].width, (char *)drive + text_fields[i].offset,
		      text_fields[i].size);
	if (len < SSD_ID_CTRL_CNTLID + 2)
		return;
	drive->cntlid = ssd_le16(id + SSD_ID_CTRL_CNTLID);
	drive->pci_vendor = ssd_le16(id + SSD_ID_CTRL_VID);
	drive->pci_subsystem_vendor = ssd_le16(id + SSD_ID_CTRL_SSVID);
}

/* sysfs attributes are text; a person may well write a number. */
static bool text_of(const json_t *value, char *buf, size_t size)
{
	if (json_is_integer(value))
		snprintf(buf, size, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (json_is_string(value))
		ssd_strcpy(buf, size, json_string_value(value));
	else
		return false;
	scan_trim(buf);
	return true;
}

static void sysfs_attrs(struct ssd_drive *drive, const json_t *json)
{
	char text[64];

	for (size_t i = 0; i < ARRAY_SIZE(text_attrs); i++)
		text_of(json_object_get(json, text_attrs[i].key), (char *)drive + text_attrs[i].offset,
			text_attrs[i].size);
	for (size_t i = 0; i < ARRAY_SIZE(int_attrs); i++)
		if (text_of(json_object_get(json, int_attrs[i].key), text, sizeof(text)))
			*(int *)((char *)drive + int_attrs[i].offset) = (int)scan_int(text, -1);
	drive->current_link_width = scan_width(drive->current_link_width);
	drive->max_link_width = scan_width(drive->max_link_width);
	if (text_of(json_object_get(json, "max_hw_sectors_kb"), text, sizeof(text)) && scan_int(text, 0) > 0 &&
	    scan_int(text, 0) < UINT32_MAX / 1024)
		drive->max_transfer_bytes = (uint32_t)scan_int(text, 0) * 1024;
	if (*drive->state && strcmp(drive->state, "live"))
		scan_note(drive, "the controller is %s", drive->state);
}

/*
 * Bytes of a block, and of a namespace, by the format in use. Bits 6:5 of FLBAS are the upper bits of its number when
 * there are more than 16 formats (the same section). No block is smaller than 512 bytes.
 */
static void geometry(struct ssd_namespace *ns, const uint8_t *id)
{
	unsigned format = id[NS_FLBAS] & 0xf, shift;
	uint64_t blocks = ssd_le64(id + NS_NSZE);

	if (id[NS_NLBAF] > 15)
		format |= (id[NS_FLBAS] & 0x60u) >> 1;
	ns->metadata_bytes = ssd_le16(id + NS_LBAF + 4 * format);
	shift = id[NS_LBAF + 4 * format + 2];
	if (shift < 9 || shift > 31)
		return;
	ns->block_bytes = 1u << shift;
	ns->size_bytes = blocks > UINT64_MAX >> shift ? UINT64_MAX : blocks << shift;
}

static void host_side(struct ssd_namespace *ns, const json_t *json)
{
	const json_t *device = json_object_get(json, "device"), *generic = json_object_get(json, "generic"),
		     *size = json_object_get(json, "size_bytes"), *block = json_object_get(json, "block_bytes");

	if (json_is_null(device))
		*ns->device = '\0';
	else
		text_of(device, ns->device, sizeof(ns->device));
	if (json_is_null(generic))
		*ns->generic = '\0';
	else
		text_of(generic, ns->generic, sizeof(ns->generic));
	if (json_is_integer(size) && json_integer_value(size) >= 0)
		ns->size_bytes = (uint64_t)json_integer_value(size);
	if (json_is_integer(block) && json_integer_value(block) >= 0 && json_integer_value(block) <= UINT32_MAX)
		ns->block_bytes = (uint32_t)json_integer_value(block);
}

/* NSID of id-ns-N.bin; 0 for any other name. */
static uint32_t nsid_of(const char *name)
{
	unsigned long nsid;
	char *end;

	if (strncmp(name, "id-ns-", 6) || name[6] < '1' || name[6] > '9')
		return 0;
	errno = 0;
	nsid = strtoul(name + 6, &end, 10);
	return errno || strcmp(end, ".bin") || nsid >= SSD_NSID_ALL ? 0 : (uint32_t)nsid;
}

static bool is_id_ns(const char *name)
{
	return nsid_of(name) != 0;
}

void scan_plain_namespace(struct ssd_namespace *ns, const char *controller, uint32_t nsid, const uint8_t *id)
{
	const char *instance = controller + strlen("nvme");

	*ns = (struct ssd_namespace){.nsid = nsid, .metadata_bytes = -1};
	snprintf(ns->device, sizeof(ns->device), "nvme%.10sn%u", instance, nsid);
	snprintf(ns->generic, sizeof(ns->generic), "ng%.10sn%u", instance, nsid);
	geometry(ns, id);
}

static void namespace(struct ssd_drive *drive, const char *dir, const char *file, const json_t *json)
{
	AUTO_FREE char *path = ssd_asprintf("%s/%s/%s", dir, drive->device, file);
	struct ssd_namespace *ns = scan_add_namespace(drive);
	uint8_t id[IDENTIFY_BYTES];
	char key[16];

	identify_file(path, id); /* unreadable: all zero, no format */
	scan_plain_namespace(ns, drive->device, nsid_of(file), id);
	if (!ns->block_bytes) {
		ns->metadata_bytes = -1;
		scan_note(drive, "%s is short or has no valid LBA format", file);
	}
	snprintf(key, sizeof(key), "%u", ns->nsid);
	host_side(ns, json_object_get(json, key));
}

static void namespaces(struct ssd_drive *drive, const char *dir, const json_t *json)
{
	AUTO_FREE char *path = ssd_asprintf("%s/%s", dir, drive->device);
	AUTO_NAMES struct scan_names files;

	scan_list(AT_FDCWD, path, is_id_ns, &files);
	for (size_t i = 0; i < files.n; i++)
	namespace(drive, dir, files.v[i], json);
}

static void add(struct ssd_host *host, const char *name)
{
	struct ssd_err err = SSD_ERR_INIT;
	AUTO_JSON json_t *json = drive_json_load(host->dir, name, &err);
	struct ssd_drive *drive = scan_add_drive(host, name);

	ssd_strcpy(drive->path, sizeof(drive->path), name);
	ssd_strcpy(drive->transport, sizeof(drive->transport), "pcie");
	ssd_strcpy(drive->state, sizeof(drive->state), "live");
	if (!json) {
		/* The file's path is known; what is wrong in it fits the note only without. */
		const char *what = strstr(err.message, "drive.json");

		scan_note(drive, "%s", what ? what : err.message);
	}
	id_ctrl(drive, host->dir);
	sysfs_attrs(drive, json_object_get(json, "sysfs"));
	namespaces(drive, host->dir, json_object_get(json, "namespaces"));
}

enum ssd_backend ssd_host_backend(const char *dir)
{
	struct ssd_err err = SSD_ERR_INIT;
	bool simulated = false;

	if (!dir)
		return SSD_BACKEND_LINUX;
	return !host_json_mode(dir, &simulated, &err) && simulated ? SSD_BACKEND_SIMULATED : SSD_BACKEND_RECORDED;
}

int scan_hostdir(struct ssd_host *host, struct ssd_err *err)
{
	AUTO_NAMES struct scan_names names = {0};
	bool simulated;

	if (host_json_mode(host->dir, &simulated, err))
		return -1;
	host->backend = simulated ? SSD_BACKEND_SIMULATED : SSD_BACKEND_RECORDED;
	scan_list(AT_FDCWD, host->dir, scan_is_controller, &names);
	for (size_t i = 0; i < names.n; i++) {
		AUTO_FREE char *path = ssd_asprintf("%s/%s/id-ctrl.bin", host->dir, names.v[i]);
		struct stat st;

		/* Only a file that is not there makes a directory no drive; one that cannot be read is a drive with a
		 * note. */
		if (!lstat(path, &st) || (errno != ENOENT && errno != ENOTDIR))
			add(host, names.v[i]);
	}
	if (!host->n_drives)
		host->mistake = host_dir_mistake(host->dir);
	return 0;
}

/* One string, or a list of them; anything else, null excepted, is not understood, which is no reason to see no use. */
static void each_use(const json_t *json, enum scan_use what, scan_use_fn fn, void *ctx)
{
	if (json_is_string(json)) {
		fn(ctx, what, json_string_value(json));
	} else if (json_is_array(json)) {
		for (size_t i = 0; i < json_array_size(json); i++)
			each_use(json_array_get(json, i), what, fn, ctx);
	} else if (json && !json_is_null(json)) {
		fn(ctx, SCAN_USE_UNKNOWN, "drive.json has a use here that is no text");
	}
}

void scan_hostdir_uses(const struct ssd_drive *drive, uint32_t nsid, scan_use_fn fn, void *ctx)
{
	static const struct {
		const char *key;
		enum scan_use what;
	} keys[] = {
		{"mounts", SCAN_USE_MOUNT},
		{"holders", SCAN_USE_HOLDER},
		{"signature", SCAN_USE_SIGNATURE},
	};
	struct ssd_err err = SSD_ERR_INIT;
	AUTO_JSON json_t *json = drive_json_load(drive->host->dir, drive->device, &err);
	const json_t *ns;
	char key[16];

	if (!json) {
		fn(ctx, SCAN_USE_UNKNOWN, "drive.json, which would say whether it is in use, cannot be read");
		return;
	}
	snprintf(key, sizeof(key), "%u", nsid);
	ns = json_object_get(json_object_get(json, "namespaces"), key);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		each_use(json_object_get(ns, keys[i].key), keys[i].what, fn, ctx);
}
