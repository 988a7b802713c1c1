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
	doctor_list(d, SYS, is_queue, names, "class/nvme/%s", d->drive->device);
}

static bool has(const struct doctor_blocks *blocks, const char *name)
{
	for (size_t i = 0; i < blocks->n; i++)
		if (!strcmp(blocks->v[i].name, name))
			return true;
	return false;
}

/* More than any machine has, and an end to what looking for doubles takes. */
#define MAX_BLOCKS 4096

/* What stands on several partitions or namespaces of the drive is one device all the same. */
static bool add(const struct ssd_doctor *d, struct doctor_blocks *blocks, struct doctor_block b, const char *name)
{
	char dev[DOCTOR_TEXT];

	if (blocks->n == MAX_BLOCKS || has(blocks, name))
		return false;
	doctor_text(d, SYS, dev, "class/block/%s/dev", name);
	ssd_strcpy(b.dev, sizeof(b.dev), dev);
	ssd_strcpy(b.name, sizeof(b.name), name);
	blocks->v = ssd_realloc(blocks->v, blocks->n + 1, sizeof(*blocks->v));
	blocks->v[blocks->n++] = b;
	return true;
}

/* nvme0n1p1, md0p2, sda1: with a number at the end, as few of the attributes beside them. */
static bool may_be_partition(const char *name)
{
	size_t len = strlen(name);

	return len && strchr("0123456789", name[len - 1]);
}

static void add_tree(const struct ssd_doctor *d, struct doctor_blocks *blocks, struct doctor_block b, const char *name,
		     unsigned depth)
{
	AUTO_NAMES struct scan_names inside = {0}, holders = {0};

	if (depth > MAX_DEPTH || !add(d, blocks, b, name))
		return;
	doctor_list(d, SYS, may_be_partition, &inside, "class/block/%s", name);
	doctor_list(d, SYS, NULL, &holders, "class/block/%s/holders", name);
	for (size_t i = 0; i < inside.n; i++) {
		struct doctor_block part = b;

		part.partition = !b.holder;
		if (doctor_exists(d, SYS, "class/block/%s/%s/partition", name, inside.v[i]))
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
