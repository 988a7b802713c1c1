/* SPDX-License-Identifier: MIT */
/* What is known about the product, what was published of it, and the features that matter: `show`, `intel product`. */
#include "intel.h"

static const struct ssd_field strings[] = {{.type = SSD_STR}, SSD_FIELD_END};

#define NUMBER(k, l, t, u, h)                                                   \
	{                                                                       \
		.key = (k), .label = (l), .help = (h), .type = (t), .unit = (u) \
	}

static const struct ssd_field rated_fields[] = {
	NUMBER("sequential_read_mb_per_s", "Sequential read, MB/s", SSD_UINT, SSD_NO_UNIT, NULL),
	NUMBER("sequential_write_mb_per_s", "Sequential write, MB/s", SSD_UINT, SSD_NO_UNIT, NULL),
	NUMBER("random_read_iops", "Random read, IOPS", SSD_UINT, SSD_NO_UNIT, "4 KiB"),
	NUMBER("random_write_iops", "Random write, IOPS", SSD_UINT, SSD_NO_UNIT, "4 KiB"),
	NUMBER("random_mixed_iops", "Random 70/30, IOPS", SSD_UINT, SSD_NO_UNIT, "4 KiB, 70 % reads"),
	NUMBER("endurance_petabytes", "Endurance, PB written", SSD_REAL, SSD_NO_UNIT, NULL),
	NUMBER("drive_writes_per_day", "Drive writes per day", SSD_REAL, SSD_NO_UNIT, NULL),
	NUMBER("active_watts", "Active", SSD_REAL, SSD_WATTS, "Writing, or the only figure there is"),
	NUMBER("active_read_watts", "Active, reading", SSD_REAL, SSD_WATTS, NULL),
	NUMBER("idle_watts", "Idle", SSD_REAL, SSD_WATTS, NULL),
	{.key = "up_to",
	 .label = "Of the family",
	 .help = "Some of the figures are the most of any capacity of the family, not this model's",
	 .type = SSD_BOOL},
	{.key = "sources", .label = "Sources", .help = "Who published them", .type = SSD_LIST, .sub = strings},
	{.key = "notes",
	 .label = "Notes",
	 .help = "What there is to say of them",
	 .type = SSD_LIST,
	 .sub = strings,
	 .flags = SSD_QUIET},
	SSD_FIELD_END,
};

static const struct ssd_field fields[] = {
	NUMBER("series", "Series", SSD_STR, SSD_NO_UNIT, "Product family as its maker's tools call it"),
	NUMBER("sold_as", "Sold by", SSD_STR, SSD_NO_UNIT, "Under whose name it is sold; null: its maker's"),
	NUMBER("form_factor", "Form factor", SSD_STR, SSD_NO_UNIT, NULL),
	NUMBER("pcie_generation", "PCIe generation", SSD_UINT, SSD_NO_UNIT, "Of the model, not of the link"),
	NUMBER("media", "Media", SSD_STR, SSD_NO_UNIT, NULL),
	NUMBER("nominal_bytes", "Nominal capacity", SSD_UINT, SSD_BYTES, "Capacity as the model number says it"),
	NUMBER("opal", "TCG Opal", SSD_BOOL, SSD_NO_UNIT, "Whether the model number says so"),
	NUMBER("card_controllers", "Controllers of the card", SSD_UINT, SSD_NO_UNIT,
	       "Controllers, each a drive of its own to the system, that the product consists of"),
	{.key = "card_devices",
	 .label = "Devices of the card",
	 .help = "The drives that are one product, by their serial numbers",
	 .type = SSD_LIST,
	 .flags = SSD_QUIET,
	 .sub = strings},
	{.key = "last_lba",
	 .label = "Last LBA",
	 .help = "Feature C1h: the last logical block that the drive shows",
	 .type = SSD_UINT,
	 .flags = SSD_RAW},
	{.key = "native_last_lba",
	 .label = "Last LBA, native",
	 .help = "Feature C2h: the last logical block that it was made with",
	 .type = SSD_UINT,
	 .flags = SSD_RAW},
	NUMBER("power_limit_watts", "Power limit", SSD_UINT, SSD_WATTS, "Feature C6h: the power governor"),
	NUMBER("latency_tracking", "Latency tracking", SSD_BOOL, SSD_NO_UNIT, "Feature E2h; see `intel latency`"),
	{.key = "rated",
	 .label = "Published figures",
	 .help = "Published figures of the model, or of its family; null: none is known",
	 .type = SSD_OBJ,
	 .sub = rated_fields},
	SSD_FIELD_END,
};

/* ---- published figures ---- */

static const struct {
	const char *key;
	size_t off;
	bool real;
} figures[] = {
#define FIGURE(k, m, r)                              \
	{                                            \
		k, offsetof(struct ssd_rating, m), r \
	}
	FIGURE("sequential_read_mb_per_s", read_mb_per_s, false),
	FIGURE("sequential_write_mb_per_s", write_mb_per_s, false),
	FIGURE("random_read_iops", read_iops, false),
	FIGURE("random_write_iops", write_iops, false),
	FIGURE("random_mixed_iops", mixed_iops, false),
	FIGURE("endurance_petabytes", endurance_pb, true),
	FIGURE("drive_writes_per_day", drive_writes_per_day, true),
	FIGURE("active_watts", active_watts, true),
	FIGURE("active_read_watts", active_read_watts, true),
	FIGURE("idle_watts", idle_watts, true),
};

static double figure_of(const struct ssd_rating *r, size_t i)
{
	const char *p = (const char *)r + figures[i].off;

	return figures[i].real ? *(const double *)(const void *)p : *(const unsigned *)(const void *)p;
}

/* Each figure from the most specific row that has it; a card's watts when reading belong to its watts when writing. */
static void fill_rated(const struct intel_product *p, struct ssd_node *obj)
{
	const struct ssd_rating *rows[SSD_RATINGS];
	size_t n = intel_rate_product(p, rows);
	bool used[SSD_RATINGS] = {false}, up_to = false;
	struct ssd_node *rated = n ? ssd_set_obj(obj, "rated") : NULL, *sources, *notes;

	if (!rated)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(figures); i++) {
		size_t r = 0;

		while (r < n && figure_of(rows[r], i) <= 0)
			r++;
		if (r == n)
			continue;
		used[r] = true;
		up_to |= ssd_rating_is_up_to(rows[r]);
		if (figures[i].real)
			ssd_set_real(rated, figures[i].key, figure_of(rows[r], i));
		else
			ssd_set_uint(rated, figures[i].key, (uint64_t)figure_of(rows[r], i));
	}
	ssd_set_bool(rated, "up_to", up_to);
	sources = ssd_set_list(rated, "sources");
	notes = ssd_set_list(rated, "notes");
	for (size_t r = 0; r < n; r++) {
		if (used[r])
			ssd_add_str(sources, rows[r]->source);
		if (used[r] && rows[r]->notes)
			ssd_add_str(notes, rows[r]->notes);
	}
}

/* ---- cards of two controllers ---- */

/* isdct shows the controllers of a P3608 as SERIAL-1 and SERIAL-2. */
static size_t card_part(const char *serial)
{
	size_t len = strlen(serial);

	return len > 2 && serial[len - 2] == '-' ? len - 2 : 0;
}

bool intel_same_card(const struct ssd_drive *a, const struct ssd_drive *b)
{
	const struct ssd_identity id = ssd_drive_identity(a);
	size_t part = card_part(a->serial);
	struct intel_product p;

	return part && intel_identify(&id, &p) && p.controllers > 1 && !strcmp(a->model, b->model) &&
	       card_part(b->serial) == part && !strncmp(a->serial, b->serial, part);
}

static void fill_card(const struct ssd_device *dev, const struct intel_product *p, struct ssd_node *obj)
{
	const struct ssd_host *host = dev->drive->host;
	struct ssd_node *list;

	ssd_set_uint(obj, "card_controllers", p->controllers);
	if (!host || !intel_same_card(dev->drive, dev->drive))
		return;
	list = ssd_set_list(obj, "card_devices");
	for (size_t i = 0; i < host->n_drives; i++)
		if (intel_same_card(dev->drive, &host->drives[i]))
			ssd_add_str(list, host->drives[i].device);
}

/* ---- features ---- */

/* Unasked, so only of drives that have answered everything so far, and only what the product line is known to have. */
static const struct ssd_node *feature(struct ssd_device *dev, struct ssd_arena *a, const char *name)
{
	const struct ssd_feature *f = ssd_vendor_feature(dev, name);
	struct ssd_err err = SSD_ERR_INIT;
	const struct ssd_node *node;

	if (!f || dev->vendor_refused)
		return NULL;
	node = ssd_read_feature(dev, a, f, &err);
	dev->vendor_refused |= err.nvme_status >= 0;
	return node;
}

static void copy(struct ssd_node *obj, const char *key, const struct ssd_node *from, const char *member)
{
	const struct ssd_node *n = ssd_get(from, member);

	if (n && n->field->type == SSD_BOOL)
		ssd_set_bool(obj, key, n->b);
	else if (n)
		ssd_set_uint(obj, key, n->u);
}

static void fill_features(struct ssd_device *dev, struct ssd_node *obj)
{
	copy(obj, "last_lba", feature(dev, obj->arena, "max-lba"), "last_lba");
	copy(obj, "native_last_lba", feature(dev, obj->arena, "native-max-lba"), "last_lba");
	copy(obj, "power_limit_watts", feature(dev, obj->arena, "power-governor"), "limit_watts");
	copy(obj, "latency_tracking", feature(dev, obj->arena, "latency-tracking"), "enabled");
}

static void fill(struct ssd_device *dev, const struct ssd_node *element, struct ssd_node *obj)
{
	struct intel_product p;
	char series[80];

	(void)element;
	if (!intel_identify_device(dev, &p))
		return;
	snprintf(series, sizeof(series), "%s Series", p.family);
	ssd_set_str(obj, "series", series);
	ssd_set_str(obj, "sold_as", p.brand);
	ssd_set_str(obj, "form_factor", p.form_factor);
	ssd_set_str(obj, "media", p.media);
	if (p.pcie_generation)
		ssd_set_uint(obj, "pcie_generation", p.pcie_generation);
	if (p.capacity_bytes)
		ssd_set_uint(obj, "nominal_bytes", p.capacity_bytes);
	if (*p.code)
		ssd_set_bool(obj, "opal", p.opal);
	fill_card(dev, &p, obj);
	if (dev->vendor && dev->vendor->known_features)
		fill_features(dev, obj);
	fill_rated(&p, obj);
}

#define OBJECT                                                                                            \
	{                                                                                                 \
		.key = "intel_product", .label = "Intel product",                                         \
		.help = "What is known about the product, and what was published of it", .type = SSD_OBJ, \
		.sub = fields                                                                             \
	}

const struct ssd_field intel_product_object[] = {OBJECT, SSD_FIELD_END};

const struct ssd_extra intel_extra_drive = {
	.field = OBJECT,
	.command = "show",
	.fill = fill,
};
