/* SPDX-License-Identifier: MIT */
/* ssdct list: every drive, a line each, from sysfs alone. */
#include "cmd.h"

#include <inttypes.h>
#include <ssdct/plugin.h>
#include <ssdct/health.h>

struct options {
	bool health;
};

static const struct ssd_option options[] = {
	{"health", 0, SSD_OPT_FLAG, SSD_OPTION(struct options, health), NULL,
	 "ask the drives too: temperature, wear and verdict"},
	{.type = SSD_OPT_END},
};

static const struct ssd_field namespace_fields[] = {
	{"nsid", "Namespace", NULL, SSD_UINT, .flags = SSD_ALWAYS},
	{"device", "Device", "Block device, when this host has one", SSD_STR},
	{"size_bytes", "Size", NULL, SSD_UINT, SSD_BYTES},
	{"block_bytes", "Block", "LBA data size", SSD_UINT, SSD_BYTES},
	{"metadata_bytes", "Metadata", "Metadata per block; null when the kernel does not tell", SSD_UINT},
	SSD_FIELD_END,
};

static const struct ssd_field strings[] = {{.type = SSD_STR}, SSD_FIELD_END};

static const struct ssd_field fields[] = {
	{"transport", "Transport", "pcie, tcp, rdma, fc, ...", SSD_STR},
	{"address", "Address", "PCI address, or the fabrics address", SSD_STR},
	{"state", "State", "What the driver says: live, resetting, connecting, deleting, dead", SSD_STR},
	{"size_bytes", "Size", "Sum of the attached namespaces", SSD_UINT, SSD_BYTES},
	{"capacity_bytes", "Capacity", "TNVMCAP, with --health; null when the drive does not report it", SSD_WIDE,
	 SSD_BYTES},
	{"namespaces", "Namespaces", NULL, SSD_LIST, .flags = SSD_ALWAYS, .sub = namespace_fields},
	{"card_devices", "Card",
	 "Drives that are one product with this one: a card of two controllers; null: none is known", SSD_LIST,
	 .sub = strings},
	{"note", "Note", "What is odd about this drive", SSD_STR},
	{"temperature_celsius", "Temperature", "Composite temperature, with --health", SSD_INT, SSD_CELSIUS},
	{"percentage_used", "Used", "Percentage of the rated endurance used, with --health", SSD_UINT, SSD_PERCENT},
	{"health", "Health", "Verdict with --health: ok, warning, critical, unknown", SSD_STR},
	SSD_FIELD_END,
};

static void add_namespaces(struct ssd_node *element, const struct ssd_drive *drive)
{
	struct ssd_node *list = ssd_set_list(element, "namespaces");
	uint64_t sum = 0;

	for (size_t i = 0; i < drive->n_namespaces; i++) {
		const struct ssd_namespace *ns = &drive->namespaces[i];
		struct ssd_node *item = ssd_add_item(list);

		ssd_set_uint(item, "nsid", ns->nsid);
		ssd_set_str(item, "device", ns->device);
		ssd_set_uint(item, "size_bytes", ns->size_bytes);
		if (ns->block_bytes)
			ssd_set_uint(item, "block_bytes", ns->block_bytes);
		if (ns->metadata_bytes >= 0)
			ssd_set_uint(item, "metadata_bytes", (uint64_t)ns->metadata_bytes);
		sum = ssd_add_clamped(sum, ns->size_bytes);
	}
	ssd_set_uint(element, "size_bytes", sum);
}

/* What discovery found odd, and a drive that does not run its firmware: in a line of its own nobody would notice that. */
static const char *note_of(const struct ssd_drive *drive, char buf[400])
{
	char fault[200];

	if (!ssd_health_fault_identity(drive, fault, sizeof(fault)))
		return drive->note;
	snprintf(buf, 400, "%s%s%s", drive->note, *drive->note ? "; " : "", fault);
	return buf;
}

static int list_prepare(struct ssd_run *run, struct ssd_err *err)
{
	const struct options *o = run->options;
	char buf[400];

	(void)err;
	run->open_drives = o->health;
	for (size_t i = 0; i < run->n_rows; i++) {
		const struct ssd_drive *drive = run->rows[i].target.drive;
		const char *note = note_of(drive, buf);

		if (*note)
			ssd_note(run, "%s: %s", drive->device, note);
	}
	return 0;
}

static int list_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	static const struct ssd_health_options defaults = SSD_HEALTH_OPTIONS_INIT;
	const struct options *o = run->options;
	struct ssd_health health;
	const struct ssd_node *id;
	int rc;

	if (!o->health)
		return 0;
	rc = ssd_health_check(dev, row->arena, &defaults, NULL, &health, &row->err);
	ssd_set_str(row->element, "health", ssd_severity_name(health.severity));
	/* What was read is shown, whichever other page was not. */
	if (ssd_get(health.smart, "temperature_celsius"))
		ssd_set_int(row->element, "temperature_celsius", ssd_get_int(health.smart, "temperature_celsius", 0));
	if (ssd_get(health.smart, "percentage_used"))
		ssd_set_uint(row->element, "percentage_used",
			     (uint64_t)ssd_get_int(health.smart, "percentage_used", 0));
	if (rc)
		return -1;
	id = ssd_read_page(dev, row->arena, &ssd_page_id_ctrl, 0, &row->err);
	if (ssd_get(id, "tnvmcap_bytes"))
		ssd_set_wide(row->element, "capacity_bytes", ssd_get(id, "tnvmcap_bytes")->wide);
	return 0;
}

/* A drive that did not answer has a verdict too. */
static int list_finish(struct ssd_run *run, struct ssd_err *err)
{
	static const struct ssd_health_options defaults = SSD_HEALTH_OPTIONS_INIT;

	(void)err;
	for (size_t i = 0; i < run->n_rows; i++) {
		const struct ssd_row *row = &run->rows[i];
		struct ssd_device dev = {.drive = row->target.drive};

		if (ssd_failed(&row->err) && !ssd_get(row->element, "health"))
			ssd_set_str(row->element, "health",
				    ssd_severity_name(ssd_health_unreached(&dev, &row->err, &defaults, NULL).severity));
	}
	return 0;
}

/* A card of two controllers is two drives to the system, and one product. */
static void add_card(struct ssd_node *element, const struct ssd_drive *drive)
{
	const struct ssd_identity id = ssd_drive_identity(drive);
	const struct ssd_host *host = drive->host;
	const char *family;
	const struct ssd_vendor *vendor = ssd_vendor_find(&id, &family);
	struct ssd_node *list;

	if (!host || !vendor || !vendor->same_card || !vendor->same_card(drive, drive))
		return;
	list = ssd_set_list(element, "card_devices");
	for (size_t i = 0; i < host->n_drives; i++)
		if (&host->drives[i] == drive || vendor->same_card(drive, &host->drives[i]))
			ssd_add_str(list, host->drives[i].device);
}

/* ", one card with nvme1" */
static const char *card_text(const struct ssd_node *element, char buf[64])
{
	const char *self = ssd_get_str(element, "device", "");
	const struct ssd_node *list = ssd_get(element, "card_devices");

	*buf = '\0';
	for (const struct ssd_node *n = list ? list->child : NULL; n; n = n->next)
		if (strcmp(n->s, self) != 0)
			snprintf(buf, 64, ", one card with %s", n->s);
	return buf;
}

/* What sysfs says stands in every row, also of a drive that does not answer. */
static void list_known(struct ssd_node *element, const struct ssd_drive *drive)
{
	char buf[400];

	ssd_set_str(element, "transport", drive->transport);
	ssd_set_str(element, "address", drive->address);
	ssd_set_str(element, "state", drive->state);
	ssd_set_str(element, "note", note_of(drive, buf));
	add_namespaces(element, drive);
	add_card(element, drive);
}

static const char *bytes_text(const struct ssd_node *node, char buf[32])
{
	return node ? ssd_bytes_text((double)node->u, buf) : NULL;
}

/* "512", "4096+8", "512 x2": the block formats of all namespaces. */
static const char *blocks_text(const struct ssd_node *element, char buf[64])
{
	const struct ssd_node *list = ssd_get(element, "namespaces");

	*buf = '\0';
	for (const struct ssd_node *n = list ? list->child : NULL; n && strlen(buf) < 40; n = n->next) {
		int64_t block = ssd_get_int(n, "block_bytes", 0), metadata = ssd_get_int(n, "metadata_bytes", 0);
		char one[32];

		snprintf(one, sizeof(one), metadata ? "%" PRId64 "+%" PRId64 : "%" PRId64, block, metadata);
		if (!strstr(buf, one))
			snprintf(buf + strlen(buf), 64 - strlen(buf), "%s%s", *buf ? "," : "", one);
	}
	return buf;
}

static const char *namespaces_text(const struct ssd_node *element, char buf[64])
{
	const struct ssd_node *list = ssd_get(element, "namespaces");

	*buf = '\0';
	for (const struct ssd_node *n = list ? list->child : NULL; n; n = n->next) {
		const char *device = ssd_get_str(n, "device", "");

		if (strlen(buf) + strlen(device) > 50) {
			ssd_strcpy(buf + strlen(buf), 64 - strlen(buf), ",...");
			break;
		}
		if (*device)
			snprintf(buf + strlen(buf), 64 - strlen(buf), "%s%s", *buf ? "," : "", device);
	}
	return buf;
}

static void add_line(const struct ssd_run *run, struct ssd_table *table, const struct ssd_row *row)
{
	const struct ssd_node *e = row->element;
	char size[32], blocks[64], namespaces[64], state[160], card[64];
	const char *cells[] = {
		ssd_get_str(e, "device", ""),
		ssd_get_str(e, "model", ""),
		ssd_get_str(e, "serial", ""),
		ssd_get_str(e, "firmware", ""),
		bytes_text(ssd_get(e, "size_bytes"), size),
		blocks_text(e, blocks),
		namespaces_text(e, namespaces),
		ssd_get_str(e, "address", NULL) ? ssd_get_str(e, "address", NULL) : ssd_get_str(e, "transport", NULL),
		state,
		ssd_node_text(ssd_get(e, "temperature_celsius")),
		ssd_node_text(ssd_get(e, "percentage_used")),
		ssd_get_str(e, "health", ""),
	};

	snprintf(state, sizeof(state), "%s%s%s", ssd_get_str(e, "state", "unknown"), card_text(e, card),
		 ssd_host_note(run));
	ssd_table_row(table, cells);
}

static void list_text(const struct ssd_run *run, FILE *out)
{
	static const struct ssd_column columns[] = {
		{"DEVICE", false}, {"MODEL", false},      {"SERIAL", false},     {"FIRMWARE", false},
		{"SIZE", true},    {"BLOCK", true},       {"NAMESPACES", false}, {"ADDRESS", false},
		{"STATE", false},  {"TEMPERATURE", true}, {"USED", true},        {"HEALTH", false},
	};
	const struct options *o = run->options;
	struct ssd_table *table = ssd_table_new(columns, o->health ? 12 : 9);

	for (size_t i = 0; i < run->n_rows; i++)
		add_line(run, table, &run->rows[i]);
	if (run->n_rows)
		ssd_table_print(table, out, "");
	else if (!run->host->mistake)
		ssd_note(run, "no NVMe drives");
	ssd_table_free(table);
}

const struct ssd_command cmd_list = {
	.name = "list",
	.summary = "every NVMe drive, one line each",
	.usage = "[DRIVE...] [--health]",
	.help = "Reads sysfs alone: needs no privilege, sends no command, and no drive can stall it. --health asks "
		"every drive\n"
		"for its health log, all at once, and waits 10 s (--timeout) for each.",
	.examples = (const char *const[]){"list", "list --health", "list -o json", NULL},
	.flags = SSD_CMD_SYSFS | SSD_CMD_TIMEOUT,
	.drives = SSD_DRIVES_OR_ALL,
	.options = options,
	.options_size = sizeof(struct options),
	.fields = fields,
	.prepare = list_prepare,
	.known = list_known,
	.each = list_each,
	.finish = list_finish,
	.text = list_text,
};
