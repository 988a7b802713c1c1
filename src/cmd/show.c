/* SPDX-License-Identifier: MIT */
/* ssdct show: all about a drive on one page. */
#include "cmd.h"

static const struct ssd_field controller_fields[] = {
	{"nvme_version", "NVMe version", "VER; null before NVMe 1.2", SSD_STR},
	{"pci_vendor_id", "PCI vendor", NULL, SSD_UINT, SSD_HEX},
	{"pci_subsystem_vendor_id", "PCI subsystem vendor", NULL, SSD_UINT, SSD_HEX},
	{"controller_id", "Controller ID", NULL, SSD_UINT},
	{"subsystem_nqn", "Subsystem NQN", NULL, SSD_STR, .flags = SSD_QUIET},
	{"transport", "Transport", NULL, SSD_STR},
	{"address", "Address", "PCI address, or the fabrics address", SSD_STR},
	{"state", "State", "What the driver says: live, resetting, connecting, dead", SSD_STR},
	{"driver", "Driver", NULL, SSD_STR, .flags = SSD_QUIET},
	{"numa_node", "NUMA node", NULL, SSD_UINT},
	{"max_transfer_bytes", "Largest transfer", "4096 x 2^MDTS; null: no limit", SSD_UINT, SSD_BYTES},
	{"optional_admin_commands", "Optional admin commands", "OACS", SSD_LIST,
	 .sub = (const struct ssd_field[]){{.type = SSD_STR}, SSD_FIELD_END}},
	{"warning_temperature_celsius", "Warning temperature", "WCTEMP", SSD_INT, SSD_CELSIUS},
	{"critical_temperature_celsius", "Critical temperature", "CCTEMP", SSD_INT, SSD_CELSIUS},
	SSD_FIELD_END,
};

static const struct ssd_field link_fields[] = {
	{"current_speed", "Speed", "Negotiated PCIe link speed", SSD_STR},
	{"max_speed", "Speed, maximum", "What the drive can do", SSD_STR},
	{"current_width", "Lanes", "Negotiated PCIe lanes", SSD_UINT},
	{"max_width", "Lanes, maximum", "What the drive can do", SSD_UINT},
	SSD_FIELD_END,
};

static const struct ssd_field namespace_fields[] = {
	{"nsid", "Namespace", NULL, SSD_UINT},
	{"device", "Device", NULL, SSD_STR},
	{"size_bytes", "Size", "NSZE x block", SSD_UINT, SSD_BYTES},
	{"utilization_bytes", "Utilization", "NUSE x block; null without thin provisioning", SSD_UINT, SSD_BYTES},
	{"block_bytes", "Block", "LBA data size", SSD_UINT, SSD_BYTES},
	{"metadata_bytes", "Metadata", "Metadata per block", SSD_UINT},
	{"lba_formats", "LBA formats", NULL, SSD_LIST, .sub = ssd_lba_format_fields},
	SSD_FIELD_END,
};

static const struct ssd_field feature_fields[] = {
	{"power_state", "Power state", "Feature 02h", SSD_UINT},
	{"over_temperature_celsius", "Over temperature threshold", "Feature 04h, composite; null: disabled", SSD_INT,
	 SSD_CELSIUS},
	{"volatile_write_cache", "Volatile write cache", "Feature 06h; null: the drive has none", SSD_BOOL},
	{"submission_queues", "I/O submission queues", "Feature 07h: allocated", SSD_UINT},
	{"completion_queues", "I/O completion queues", "Feature 07h: allocated", SSD_UINT},
	SSD_FIELD_END,
};

static const struct ssd_field fields[] = {
	{"controller", "Controller", NULL, SSD_OBJ, .sub = controller_fields},
	{"capacity_bytes", "Total NVM capacity", "TNVMCAP", SSD_WIDE, SSD_BYTES},
	{"size_bytes", "Size of all namespaces", "Sum of the attached namespaces", SSD_UINT, SSD_BYTES},
	{"namespaces", "Namespaces", NULL, SSD_LIST, .sub = namespace_fields},
	{"link", "PCIe link", NULL, SSD_OBJ, .sub = link_fields},
	{"features", "Features", NULL, SSD_OBJ, .sub = feature_fields},
	{"notes", "Notes", "What could not be read, and why, and where this host differs from the drive", SSD_LIST,
	 .flags = SSD_QUIET, .sub = (const struct ssd_field[]){{.type = SSD_STR}, SSD_FIELD_END}},
	SSD_FIELD_END,
};

static const struct ssd_page *const pages[] = {&ssd_page_fw_slot, &ssd_page_smart, NULL};

/* A part that cannot be read leaves a note; the rest is shown all the same. */
struct show {
	struct ssd_device *dev;
	struct ssd_row *row;
	struct ssd_node *notes;
};

/* What a drive merely does not have is null and needs no words. */
static void note(struct show *s, const struct ssd_err *err)
{
	if (!ssd_is_refusal(err))
		ssd_add_str(s->notes, err->message);
}

static void copy_int(struct ssd_node *to, const char *key, int64_t v)
{
	if (v >= 0)
		ssd_set_uint(to, key, (uint64_t)v);
}

static void show_controller(struct show *s, const struct ssd_node *id)
{
	const struct ssd_drive *drive = s->dev->drive;
	struct ssd_node *c = ssd_set_obj(s->row->element, "controller"), *list;
	const struct ssd_node *oacs = ssd_get(id, "oacs"), *mdts = ssd_get(id, "mdts");
	static const char *const temperatures[][2] = {{"wctemp_celsius", "warning_temperature_celsius"},
						      {"cctemp_celsius", "critical_temperature_celsius"}};

	ssd_set_str(c, "nvme_version", ssd_get_str(id, "ver", NULL));
	copy_int(c, "pci_vendor_id", ssd_get_int(id, "vid", -1));
	copy_int(c, "pci_subsystem_vendor_id", ssd_get_int(id, "ssvid", -1));
	copy_int(c, "controller_id", ssd_get_int(id, "cntlid", -1));
	ssd_set_str(c, "subsystem_nqn", ssd_get_str(id, "subnqn", NULL));
	ssd_set_str(c, "transport", drive->transport);
	ssd_set_str(c, "address", drive->address);
	ssd_set_str(c, "state", drive->state);
	ssd_set_str(c, "driver", drive->driver);
	copy_int(c, "numa_node", drive->numa_node);
	if (mdts && mdts->u && mdts->u < 20)
		ssd_set_uint(c, "max_transfer_bytes", 4096ull << mdts->u);
	list = ssd_set_list(c, "optional_admin_commands");
	for (const struct ssd_node *b = oacs ? oacs->child : NULL; b; b = b->next)
		if (b->field->type == SSD_BOOL && b->b)
			ssd_add_str(list, b->field->label);
	for (size_t i = 0; i < ARRAY_SIZE(temperatures); i++)
		if (ssd_get(id, temperatures[i][0]))
			ssd_set_int(c, temperatures[i][1], ssd_get_int(id, temperatures[i][0], 0));
}

/* "Unknown" is what the kernel writes for a function without a link of its own, as a virtual machine has. */
static const char *known_speed(const char *speed)
{
	return *speed && strncmp(speed, "Unknown", 7) != 0 ? speed : NULL;
}

static void show_link(struct show *s)
{
	const struct ssd_drive *drive = s->dev->drive;
	struct ssd_node *l;

	if (!known_speed(drive->current_link_speed) && drive->current_link_width < 0)
		return;
	l = ssd_set_obj(s->row->element, "link");
	ssd_set_str(l, "current_speed", known_speed(drive->current_link_speed));
	ssd_set_str(l, "max_speed", known_speed(drive->max_link_speed));
	copy_int(l, "current_width", drive->current_link_width);
	copy_int(l, "max_width", drive->max_link_width);
}

static void show_formats(struct ssd_node *obj, const struct ssd_node *id)
{
	static const char *const keys[] = {"index", "data_bytes", "metadata_bytes"};
	const struct ssd_node *from = ssd_get(id, "lbaf");
	struct ssd_node *to = from ? ssd_set_list(obj, "lba_formats") : NULL;

	for (const struct ssd_node *f = from ? from->child : NULL; f; f = f->next) {
		struct ssd_node *item = ssd_add_item(to);

		for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
			copy_int(item, keys[i], ssd_get_int(f, keys[i], -1));
		ssd_set_enum(item, "relative_performance", (uint64_t)ssd_get_int(f, "relative_performance", 0));
		ssd_set_bool(item, "in_use", ssd_get_int(f, "in_use", 0));
	}
}

/*
 * The kernel keeps what it has read: after a format or another host's change it may count in blocks that are no more. A size of
 * 0 is a format that it cannot use.
 */
static void compare(struct show *s, const struct ssd_namespace *ns, uint64_t size, uint64_t block)
{
	char text[200];

	if (!*ns->device || !ns->size_bytes || ns->size_bytes > INT64_MAX ||
	    (ns->size_bytes == size && (!ns->block_bytes || ns->block_bytes == block)))
		return;
	snprintf(text, sizeof(text),
		 "%s: this host shows %llu bytes in blocks of %u, but the drive has %llu in blocks of %llu: rescan "
		 "needed (ssdct rescan %s)",
		 ns->device, (unsigned long long)ns->size_bytes, ns->block_bytes, (unsigned long long)size,
		 (unsigned long long)block, s->dev->drive->device);
	ssd_add_str(s->notes, text);
}

static void show_namespace(struct show *s, struct ssd_node *list, const struct ssd_namespace *ns)
{
	struct ssd_err err = SSD_ERR_INIT;
	struct ssd_node *item = ssd_add_item(list);
	const struct ssd_node *id = ssd_read_page(s->dev, s->row->arena, &ssd_page_id_ns, ns->nsid, &err);
	int64_t block = ssd_get_int(id, "block_bytes", ns->block_bytes);

	ssd_set_uint(item, "nsid", ns->nsid);
	ssd_set_str(item, "device", ns->device);
	ssd_set_uint(item, "size_bytes", (uint64_t)ssd_get_int(id, "size_bytes", (int64_t)ns->size_bytes));
	if (block > 0)
		ssd_set_uint(item, "block_bytes", (uint64_t)block);
	copy_int(item, "metadata_bytes", ssd_get_int(id, "metadata_bytes", ns->metadata_bytes));
	copy_int(item, "utilization_bytes", ssd_get_int(id, "utilization_bytes", -1));
	show_formats(item, id);
	if (id)
		compare(s, ns, (uint64_t)ssd_get_int(id, "size_bytes", 0), (uint64_t)block);
	else
		note(s, &err);
}

static void show_capacity(struct show *s, const struct ssd_node *id)
{
	const struct ssd_drive *drive = s->dev->drive;
	const struct ssd_node *total = ssd_get(id, "tnvmcap_bytes");
	struct ssd_node *list = ssd_set_list(s->row->element, "namespaces");
	uint64_t sum = 0;

	for (size_t i = 0; i < drive->n_namespaces; i++) {
		show_namespace(s, list, &drive->namespaces[i]);
		sum = ssd_add_clamped(sum, (uint64_t)ssd_get_int(list->last, "size_bytes", 0));
	}
	ssd_set_uint(s->row->element, "size_bytes", sum);
	if (total)
		ssd_set_wide(s->row->element, "capacity_bytes", total->wide);
}

static bool feature(struct show *s, uint8_t fid, uint32_t *value)
{
	struct ssd_err err = SSD_ERR_INIT;

	if (!ssd_get_feature(s->dev, fid, SSD_CURRENT, 0, 0, value, &err))
		return true;
	note(s, &err);
	return false;
}

/* Mandatory features only, and the write cache where Identify says that there is one: a question never makes an error. */
static void show_features(struct show *s, const struct ssd_node *id)
{
	struct ssd_node *f = ssd_set_obj(s->row->element, "features");
	uint32_t v;

	if (feature(s, 0x02, &v))
		ssd_set_uint(f, "power_state", v & 0x1f);
	/* FFFFh and 0 K are no thresholds: disabled (NVMe Base Specification 2.0c, 5.27.1.3). */
	if (feature(s, 0x04, &v) && (v & 0xffff) && (v & 0xffff) != 0xffff)
		ssd_set_int(f, "over_temperature_celsius", (int64_t)(v & 0xffff) - 273);
	if (ssd_get_int(id, "vwc.present", 0) && feature(s, 0x06, &v))
		ssd_set_bool(f, "volatile_write_cache", v & 1);
	if (feature(s, 0x07, &v)) {
		ssd_set_uint(f, "submission_queues", (v & 0xffff) + 1);
		ssd_set_uint(f, "completion_queues", (v >> 16) + 1);
	}
}

/* The slot log has room for seven slots; a drive has as many as FRMW says. */
static void drop_missing_slots(struct ssd_node *fw, int64_t slots)
{
	const struct ssd_node *list = ssd_get(fw, "slots");
	struct ssd_node *n = list ? list->child : NULL;

	while (n && n->next && slots-- > 1)
		n = n->next;
	if (n)
		n->next = NULL;
}

static void show_pages(struct show *s, const struct ssd_node *id)
{
	struct ssd_err err = SSD_ERR_INIT;

	for (const struct ssd_page *const *p = pages; *p; p++) {
		struct ssd_node *node = ssd_read_page(s->dev, s->row->arena, *p, 0, &err);

		if (*p == &ssd_page_fw_slot)
			drop_missing_slots(node, ssd_get_int(id, "frmw.slots", 7));
		if (node)
			ssd_attach(s->row->element, node);
		else
			note(s, &err);
	}
}

static int show_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	struct show s = {dev, row, ssd_set_list(row->element, "notes")};
	const struct ssd_node *id = ssd_read_page(dev, row->arena, &ssd_page_id_ctrl, 0, &row->err);

	if (!id)
		return -1;
	show_controller(&s, id);
	show_capacity(&s, id);
	show_link(&s);
	show_pages(&s, id);
	show_features(&s, id);
	if (ssd_row_vendor_pages(dev, row, run->command->name))
		note(&s, &row->err);
	return 0;
}

const struct ssd_command cmd_show = {
	.name = "show",
	.summary = "all about a drive: identity, capacity, formats, firmware, link, health, features",
	.usage = "DRIVE... | --all",
	.help = "What cannot be read is \"-\" (null in JSON) and said under \"Notes\"; `smart`, `identify` and `log` "
		"show\neach part whole.",
	.examples = (const char *const[]){"show nvme0", "show CVFT5152003M2P0EGN -o json", NULL},
	.drives = SSD_DRIVES_SOME,
	.fields = fields,
	.pages = pages,
	.each = show_each,
};
