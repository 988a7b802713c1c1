/* SPDX-License-Identifier: MIT */
/* ssdct identify: Identify structures, every field. */
#include "cmd.h"

struct options {
	uint64_t nsid;
};

static const struct ssd_option options[] = {
	{"nsid", 'n', SSD_OPT_UINT, SSD_OPTION(struct options, nsid), "N", "namespace of `identify ns`", 1, 0xfffffffe},
	{.type = SSD_OPT_END},
};

static const struct ssd_page *const pages[] = {&ssd_page_id_ctrl, &ssd_page_id_ns, NULL};

static const struct ssd_page *page_named(const char *name)
{
	for (const struct ssd_page *const *p = pages; *p; p++)
		if (!strcmp((*p)->name, name))
			return *p;
	return NULL;
}

static const char *structure(const struct ssd_run *run)
{
	const struct ssd_row *row = run->n_rows ? &run->rows[0] : NULL;

	return run->n_words ? run->words[0] : row && row->target.nsid ? "ns" : "ctrl";
}

static int identify_prepare(struct ssd_run *run, struct ssd_err *err)
{
	if (page_named(structure(run)))
		return 0;
	return ssd_fail(err, SSD_ERR_USAGE, "unknown Identify structure \"%s\": ctrl or ns", structure(run));
}

/* The namespace that was named, or the only one there is. */
static int choose_namespace(const struct ssd_run *run, const struct ssd_row *row, uint32_t *nsid, struct ssd_err *err)
{
	const struct options *o = run->options;
	const struct ssd_drive *drive = row->target.drive;

	*nsid = o->nsid ? (uint32_t)o->nsid : row->target.nsid;
	if (!*nsid && drive->n_namespaces == 1)
		*nsid = drive->namespaces[0].nsid;
	if (*nsid)
		return 0;
	ssd_fail(err, SSD_ERR_USAGE, "%s has %zu namespaces: which one?", drive->device, drive->n_namespaces);
	ssd_hint(err, "name the namespace node instead of the controller, or give --nsid N");
	return -1;
}

static int identify_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	const struct ssd_page *page = page_named(structure(run));
	uint32_t nsid = 0;

	if (page == &ssd_page_id_ns && choose_namespace(run, row, &nsid, &row->err))
		return -1;
	return ssd_row_page(dev, row, page, nsid);
}

/* Only the structure that was asked for; in JSON the other's key is there, null. */
static void identify_text(const struct ssd_run *run, FILE *out)
{
	const struct ssd_node *node = ssd_get(run->rows[0].element, page_named(structure(run))->field.key);

	if (!node)
		return;
	ssd_text_title(run, &run->rows[0], out);
	ssd_render_text(node, out);
}

const struct ssd_command cmd_identify = {
	.name = "identify",
	.summary = "Identify structures: ctrl (controller), ns (namespace)",
	.usage = "DRIVE [ctrl|ns] [--nsid N]",
	.help = "Without a word: ctrl for a controller, ns for a namespace node. Keys are the specification's "
		"abbreviations.",
	.examples = (const char *const[]){"identify nvme0", "identify nvme0n1 ns", "identify nvme0 ns --nsid 1 -o json",
					  NULL},
	.drives = SSD_DRIVES_ONE,
	.max_words = 1,
	.options = options,
	.options_size = sizeof(struct options),
	.pages = pages,
	.prepare = identify_prepare,
	.each = identify_each,
	.text = identify_text,
};
