/* SPDX-License-Identifier: MIT */
/* ssdct capture: what drives announce, recorded into a host directory. */
#include "capture.h"

#include "cmd.h"
#include "scan/scan.h"
#include "sim/hostfile.h"
#include "sim/recording.h"

#include <ssdct/doctor.h>
#include <ssdct/id_ctrl.h>
#include <ssdct/local.h>

struct options {
	const char *to;
	bool redact, clearing;
	bool exists; /* no option: the directory was there before */
};

#define O(member) SSD_OPTION(struct options, member)

static const struct ssd_option options[] = {
	{"to", 0, SSD_OPT_STR, O(to), "DIR", "directory to make; an empty one may be there"},
	{"redact", 0, SSD_OPT_FLAG, O(redact), NULL, "replace serial numbers and other identifiers"},
	{"clearing", 0, SSD_OPT_FLAG, O(clearing), NULL, "also read log pages that reading clears"},
	{.type = SSD_OPT_END},
};

static const struct ssd_field gap_fields[] = {
	{"file", "File", "The file that would have held it", SSD_STR, .flags = SSD_ALWAYS},
	{"reason", "Reason", "Why it is not in the recording", SSD_STR, .flags = SSD_ALWAYS},
	SSD_FIELD_END,
};

static const struct ssd_field capture_fields[] = {
	{"directory", "Directory", "Where the drive was recorded", SSD_STR, .flags = SSD_ALWAYS},
	{"files", "Files", "Number of files written", SSD_UINT, .flags = SSD_ALWAYS},
	{"size_bytes", "Size", "Bytes written", SSD_UINT, SSD_BYTES, .flags = SSD_ALWAYS},
	{"redacted", "Redacted", "Identities were replaced", SSD_BOOL, .flags = SSD_ALWAYS},
	{"error_log_entries_added", "Error log entries added",
	 "How far the count of error log entries moved meanwhile; reading should leave it alone", SSD_UINT},
	{"left_out", "Left out", "What the drive announces and the recording does not have", SSD_LIST,
	 .sub = gap_fields},
	SSD_FIELD_END,
};

static const struct ssd_field fields[] = {
	{"capture", "Recording", NULL, SSD_OBJ, .sub = capture_fields},
	SSD_FIELD_END,
};

/* --- the recording in memory --- */

void capture_add_file(struct capture *c, char *name, uint8_t *data, size_t len)
{
	c->files = ssd_realloc(c->files, c->n_files + 1, sizeof(*c->files));
	c->files[c->n_files++] = (struct capture_file){name, data, len};
}

void capture_add_gap(struct capture *c, const char *name, const char *reason)
{
	struct capture_gap *gap;

	c->gaps = ssd_realloc(c->gaps, c->n_gaps + 1, sizeof(*c->gaps));
	gap = &c->gaps[c->n_gaps++];
	gap->name = ssd_strdup(name);
	ssd_strcpy(gap->reason, sizeof(gap->reason), reason);
}

const struct capture_file *capture_find(const struct capture *c, const char *name)
{
	for (size_t i = 0; i < c->n_files; i++)
		if (!strcmp(c->files[i].name, name))
			return &c->files[i];
	return NULL;
}

uint32_t capture_nsid(const struct capture_file *f)
{
	struct host_file file;
	bool id_ns = host_file_parse(f->name, &file) && file.kind == HOST_FILE_IDENTIFY && !file.id;

	return id_ns && file.q[HOST_FILE_NSID] > 0 ? (uint32_t)file.q[HOST_FILE_NSID] : 0;
}

void capture_free(struct capture *c)
{
	for (size_t i = 0; i < c->n_files; i++) {
		free(c->files[i].name);
		free(c->files[i].data);
	}
	for (size_t i = 0; i < c->n_gaps; i++)
		free(c->gaps[i].name);
	free(c->files);
	free(c->gaps);
	json_decref(c->features);
	json_decref(c->sysfs);
	json_decref(c->namespaces);
}

/* --- the host's side --- */

static const struct {
	const char *key;
	size_t offset;
} text_attrs[] = {
	{"transport", offsetof(struct ssd_drive, transport)},
	{"address", offsetof(struct ssd_drive, address)},
	{"state", offsetof(struct ssd_drive, state)},
	{"subsystem", offsetof(struct ssd_drive, subsystem)},
	{"driver", offsetof(struct ssd_drive, driver)},
	{"current_link_speed", offsetof(struct ssd_drive, current_link_speed)},
	{"max_link_speed", offsetof(struct ssd_drive, max_link_speed)},
};

static const struct {
	const char *key, *format;
	size_t offset;
} int_attrs[] = {
	{"numa_node", "%d", offsetof(struct ssd_drive, numa_node)},
	{"current_link_width", "%d", offsetof(struct ssd_drive, current_link_width)},
	{"max_link_width", "%d", offsetof(struct ssd_drive, max_link_width)},
	{"vendor", "0x%04x", offsetof(struct ssd_drive, pci_vendor)},
	{"device", "0x%04x", offsetof(struct ssd_drive, pci_device)},
	{"subsystem_vendor", "0x%04x", offsetof(struct ssd_drive, pci_subsystem_vendor)},
	{"subsystem_device", "0x%04x", offsetof(struct ssd_drive, pci_subsystem_device)},
};

static void set_text(json_t *obj, const char *key, const char *text)
{
	if (*text)
		json_object_set_new(obj, key, json_string(text));
}

static json_t *sysfs_of(const struct ssd_drive *drive)
{
	json_t *json = json_object();
	char text[32];

	for (size_t i = 0; i < ARRAY_SIZE(text_attrs); i++)
		set_text(json, text_attrs[i].key, (const char *)drive + text_attrs[i].offset);
	for (size_t i = 0; i < ARRAY_SIZE(int_attrs); i++) {
		int value = *(const int *)(const void *)((const char *)drive + int_attrs[i].offset);

		snprintf(text, sizeof(text), int_attrs[i].format, (unsigned)value);
		set_text(json, int_attrs[i].key, value < 0 ? "" : text);
	}
	snprintf(text, sizeof(text), "%u", drive->max_transfer_bytes / 1024);
	set_text(json, "max_hw_sectors_kb", drive->max_transfer_bytes ? text : "");
	return json;
}

/* What the recording would say of a namespace by its bytes alone; in the same order as id-ns-N.bin is written. */
static void set_namespace(json_t *json, const struct ssd_drive *drive, uint32_t nsid, const uint8_t *id_ns)
{
	static const struct ssd_namespace none = {.metadata_bytes = -1};
	const struct ssd_namespace *real = &none;
	struct ssd_namespace plain;

	scan_plain_namespace(&plain, drive->device, nsid, id_ns);
	for (size_t i = 0; i < drive->n_namespaces; i++)
		if (drive->namespaces[i].nsid == nsid)
			real = &drive->namespaces[i];
	if (strcmp(real->device, plain.device) != 0)
		json_object_set_new(json, "device", *real->device ? json_string(real->device) : json_null());
	if (strcmp(real->generic, plain.generic) != 0)
		json_object_set_new(json, "generic", *real->generic ? json_string(real->generic) : json_null());
	if (real->size_bytes != plain.size_bytes && real != &none)
		json_object_set_new(json, "size_bytes", json_integer((json_int_t)real->size_bytes));
	if (real->block_bytes != plain.block_bytes && real->block_bytes)
		json_object_set_new(json, "block_bytes", json_integer(real->block_bytes));
}

void capture_host_side(struct capture *c)
{
	const struct ssd_drive *drive = c->dev->drive;
	const char *nqn = (const char *)c->dev->id_ctrl + SSD_ID_CTRL_SUBNQN;

	c->sysfs = sysfs_of(drive);
	if (strncmp(drive->subsysnqn, nqn, sizeof(drive->subsysnqn) - 1) != 0)
		set_text(c->sysfs, "subsysnqn", drive->subsysnqn);
	c->namespaces = json_object();
	for (size_t i = 0; i < c->n_files; i++) {
		uint32_t nsid = capture_nsid(&c->files[i]);
		char key[16];
		json_t *ns;

		if (!nsid || c->files[i].len < 4096)
			continue;
		ns = json_object();
		set_namespace(ns, drive, nsid, c->files[i].data);
		snprintf(key, sizeof(key), "%u", nsid);
		if (json_object_size(ns))
			json_object_set(c->namespaces, key, ns);
		json_decref(ns);
	}
}

/* --- the command --- */

static int write_all(const struct capture *c, const char *dir, struct ssd_err *err)
{
	AUTO_JSON json_t *json = json_object();
	const char *drive = c->dev->drive->device;

	json_object_set(json, "sysfs", c->sysfs);
	json_object_set(json, "features", c->features);
	if (json_object_size(c->namespaces))
		json_object_set(json, "namespaces", c->namespaces);
	if (recording_write_json(dir, drive, json, err))
		return -1;
	for (size_t i = 0; i < c->n_files; i++)
		if (recording_write(dir, drive, c->files[i].name, c->files[i].data, c->files[i].len, err))
			return -1;
	return 0;
}

static void add_gap(struct ssd_node *gaps, const char *file, const char *reason)
{
	struct ssd_node *gap = ssd_add_item(gaps);

	ssd_set_str(gap, "file", file);
	ssd_set_str(gap, "reason", reason);
}

static void report(const struct capture *c, const char *dir, struct ssd_node *element)
{
	struct ssd_node *obj = ssd_set_obj(element, "capture"), *gaps = ssd_set_list(obj, "left_out");
	AUTO_FREE char *path = ssd_asprintf("%s/%s", dir, c->dev->drive->device);
	uint64_t bytes = 0;

	for (size_t i = 0; i < c->n_files; i++)
		bytes += c->files[i].len;
	ssd_set_str(obj, "directory", path);
	ssd_set_uint(obj, "files", c->n_files);
	ssd_set_uint(obj, "size_bytes", bytes);
	ssd_set_bool(obj, "redacted", c->redact);
	if (c->errors_before >= 0 && c->errors_after >= c->errors_before)
		ssd_set_uint(obj, "error_log_entries_added", (uint64_t)(c->errors_after - c->errors_before));
	for (size_t i = 0; i < c->n_gaps; i++)
		add_gap(gaps, c->gaps[i].name, c->gaps[i].reason);
}

/* The number of the drive among those of the host; controllers of the same serial number have the same. */
static unsigned number_of(const struct ssd_drive *drive)
{
	const struct ssd_host *host = drive->host;
	unsigned number = 0;

	for (size_t i = 0; i < host->n_drives; i++) {
		number++;
		if (&host->drives[i] == drive || (*drive->serial && !strcmp(host->drives[i].serial, drive->serial)))
			break;
	}
	return number;
}

static int record(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	const struct options *o = run->options;
	AUTO(capture_free)
	struct capture c = {.dev = dev,
			    .clearing = o->clearing,
			    .redact = o->redact,
			    .features = json_object(),
			    .errors_before = -1,
			    .errors_after = -1};

	if (recording_add_drive(o->to, dev->drive->device, &row->err) || capture_read(&c, &row->err))
		return -1;
	capture_host_side(&c);
	if (c.redact)
		capture_redact(&c, number_of(dev->drive));
	if (write_all(&c, o->to, &row->err))
		return -1;
	report(&c, o->to, row->element);
	return 0;
}

static int capture_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	const struct options *o = run->options;

	if (o->clearing && ssd_id_ctrl(dev, &row->err))
		return -1;
	if (o->clearing && capture_can_clear(dev))
		return ssd_run_clearing(run, dev, row, true, "record its log pages, some of which that clears", record);
	return record(run, dev, row);
}

static int capture_prepare(struct ssd_run *run, struct ssd_err *err)
{
	struct options *o = run->options;

	run->reads = !o->clearing;
	if (!o->to || !*o->to) {
		ssd_fail(err, SSD_ERR_USAGE, "--to DIR is missing");
		ssd_hint(err, "usage: ssdct capture [DRIVE...] --to DIR");
		return -1;
	}
	if (!run->n_rows)
		return ssd_fail(err, SSD_ERR_NOT_FOUND, "no NVMe drives on this host");
	return recording_check(o->to, &o->exists, err);
}

static int publish_machine(const char *dir, struct ssd_err *err)
{
	for (size_t i = 0; i < SSD_DOCTOR_N_ROOTS; i++)
		if (recording_publish(dir, ssd_doctor_root_names[i], err))
			return -1;
	return 0;
}

static int record_machine(const struct options *o, const struct ssd_row *row, struct ssd_err *err)
{
	bool left_out;

	if (capture_machine(o->to, row->target.drive, o->redact, &left_out, err))
		return -1;
	if (left_out)
		add_gap(ssd_get_mutable(row->element, "capture.left_out"), "etc/zfs/zpool.cache", "not redactable");
	return 0;
}

static int capture_finish(struct ssd_run *run, struct ssd_err *err)
{
	const struct options *o = run->options;
	size_t recorded = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < run->n_rows; i++) {
		const struct ssd_row *row = &run->rows[i];

		if (ssd_failed(&row->err))
			continue;
		rc = record_machine(o, row, err);
		if (!rc)
			rc = recording_publish(o->to, row->target.drive->device, err);
		recorded++;
	}
	if (!rc && recorded && run->local) {
		AUTO_FREE char *pages = ssd_asprintf("%s/pages.d", o->to);

		rc = ssd_local_copy(run->host, run->local, pages, err);
	}
	if (!rc && recorded)
		rc = publish_machine(o->to, err);
	if (!rc && recorded)
		rc = recording_finish(o->to, err);
	recording_discard(o->to, o->exists);
	return rc;
}

static void capture_interrupted(struct ssd_run *run)
{
	const struct options *o = run->options;
	int rc = recording_discard(o->to, o->exists);

	for (size_t i = 0; i < run->n_rows; i++)
		ssd_fail(&run->rows[i].err, SSD_ERR_INTERRUPTED, "%s: interrupted; %s%s",
			 run->rows[i].target.drive->device,
			 rc ? "an unfinished recording is left in " : "nothing was recorded", rc ? o->to : "");
}

const struct ssd_command cmd_capture = {
	.name = "capture",
	.summary = "record what drives announce into a host directory",
	.usage = "[DRIVE...] --to DIR [--redact] [--clearing]",
	.help = "Reads what the drives say they have, and nothing else: the count of error log entries stays as it is. "
		"The\n"
		"directory can be looked at with --host DIR like the machine itself, on any machine, and tried on with "
		"a\n"
		"simulated copy (ssdct sim create DIR2 --from DIR). Without DRIVE all drives are recorded. Of the "
		"machine it\n"
		"takes what doctor looks at.\n"
		"\n"
		"--redact replaces serial numbers, NQNs, EUI-64, NGUID, UUID, fabrics addresses, mount points and "
		"names of device\n"
		"mapper by others of the same length, and leaves out what cannot be redacted; it is listed. Look "
		"through the files\n"
		"all the same before you pass them on.",
	.examples = (const char *const[]){"capture --to /tmp/host", "capture nvme0 --to report --redact", NULL},
	.flags = SSD_CMD_FOLD | SSD_CMD_LOCAL | SSD_CMD_CHANGES,
	.drives = SSD_DRIVES_OR_ALL,
	.options = options,
	.options_size = sizeof(struct options),
	.fields = fields,
	.prepare = capture_prepare,
	.each = capture_each,
	.finish = capture_finish,
	.interrupted = capture_interrupted,
};
