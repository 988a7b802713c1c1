/* SPDX-License-Identifier: MIT */
/* The block devices of a drive, and what lies on them. */
#include "doctor.h"

/* Devices on devices: more than any machine stacks, and an end should a tree lead into itself. */
#define MAX_DEPTH 16

static bool is_queue(const char *name)
{
	return scan_is_block(name) || scan_is_path(name);
}

void doctor_queues(const struct ssd_doctor *d, struct scan_names *names)
{
	doctor_list(d->roots->sys, is_queue, names, "class/nvme/%s", d->drive->device);
}

static bool has(const struct doctor_blocks *blocks, const char *name)
{
	for (size_t i = 0; i < blocks->n; i++)
		if (!strcmp(blocks->v[i].name, name))
			return true;
	return false;
}

/* What stands on several partitions or namespaces of the drive is one device all the same. */
static bool add(struct doctor_blocks *blocks, struct doctor_block b, const char *name)
{
	if (has(blocks, name))
		return false;
	ssd_strcpy(b.name, sizeof(b.name), name);
	blocks->v = ssd_realloc(blocks->v, blocks->n + 1, sizeof(*blocks->v));
	blocks->v[blocks->n++] = b;
	return true;
}

static void add_tree(const struct ssd_doctor *d, struct doctor_blocks *blocks, struct doctor_block b, const char *name,
		     unsigned depth)
{
	AUTO_NAMES struct scan_names inside = {0}, holders = {0};

	if (depth > MAX_DEPTH || !add(blocks, b, name))
		return;
	doctor_list(d->roots->sys, NULL, &inside, "class/block/%s", name);
	doctor_list(d->roots->sys, NULL, &holders, "class/block/%s/holders", name);
	for (size_t i = 0; i < inside.n; i++) {
		struct doctor_block part = b;

		part.partition = !b.holder;
		if (doctor_exists(d->roots->sys, "class/block/%s/%s/partition", name, inside.v[i]))
			add_tree(d, blocks, part, inside.v[i], depth + 1);
	}
	b.partition = false;
	b.holder = true;
	for (size_t i = 0; i < holders.n; i++)
		add_tree(d, blocks, b, holders.v[i], depth + 1);
}

void doctor_blocks(const struct ssd_doctor *d, struct doctor_blocks *blocks)
{
	*blocks = (struct doctor_blocks){0};
	for (size_t i = 0; i < d->drive->n_namespaces; i++) {
		const struct ssd_namespace *ns = &d->drive->namespaces[i];
		struct doctor_block b = {.holder = false};

		ssd_strcpy(b.below, sizeof(b.below), ns->device);
		if (*ns->device)
			add_tree(d, blocks, b, ns->device, 0);
	}
}

void doctor_blocks_free(struct doctor_blocks *blocks)
{
	free(blocks->v);
	*blocks = (struct doctor_blocks){0};
}
