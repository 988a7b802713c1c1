/* SPDX-License-Identifier: MIT */
/*
 * ZFS pools whose smallest write is smaller than the drive's block. The pools of a host are in /etc/zfs/zpool.cache, a name-value
 * list in the encoding NV_ENCODE_XDR (OpenZFS, module/nvpair/nvpair.c): four bytes of header, then a list: version and
 * flags, then pairs, each with its encoded size, decoded size, name, type, number of elements and value; a size of zero ends
 * it. A list within a list has no header. Numbers are big-endian, texts and values fill up to four bytes.
 */
#include "doctor.h"

/* data_type_t: OpenZFS, include/sys/nvpair.h. */
enum { TYPE_UINT64 = 8, TYPE_STRING = 9, TYPE_NVLIST = 19, TYPE_NVLIST_ARRAY = 20 };
enum { ENCODE_XDR = 1, HEADER_BYTES = 4, MAX_CACHE_BYTES = 16 << 20, MAX_DEPTH = 12 };
enum { MAX_ASHIFT = 16 }; /* zpoolprops(7) */

struct reader {
	const uint8_t *at, *end;
	bool bad;
};

static uint32_t get32(struct reader *r)
{
	uint32_t v;

	if (r->end - r->at < 4) {
		r->bad = true;
		return 0;
	}
	v = (uint32_t)r->at[0] << 24 | (uint32_t)r->at[1] << 16 | (uint32_t)r->at[2] << 8 | r->at[3];
	r->at += 4;
	return v;
}

/* A text, cut when buf is too small. */
static void get_text(struct reader *r, char *buf, size_t size)
{
	uint32_t len = get32(r), padded = (len + 3) & ~3u;

	*buf = '\0';
	if (r->bad || padded < len || padded > (size_t)(r->end - r->at)) {
		r->bad = true;
		return;
	}
	snprintf(buf, size, "%.*s", (int)len, (const char *)r->at);
	r->at += padded;
}

/* A pool while it is gone through: of the vdev at hand the size, of its leaves whether one is ours. */
struct look {
	struct ssd_doctor *d;
	const char *pool;
	unsigned depth;
};

/* What is known of a vdev: ashift of itself or of the one above. */
struct vdev {
	uint64_t ashift; /* 0: not known */
	bool ours;
	char device[32]; /* the namespace that it lies on */
};

static void read_list(struct look *l, struct reader *r, struct vdev *v);

/* Paths are /dev/nvme0n1p1 or links like /dev/disk/by-id/nvme-MODEL_SERIAL-part1. */
static void match(const struct look *l, const char *path, struct vdev *v)
{
	const struct ssd_drive *drive = l->d->drive;
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	for (size_t i = 0; i < drive->n_namespaces; i++) {
		const char *device = drive->namespaces[i].device;
		size_t len = strlen(device);
		bool same = len && !strncmp(name, device, len) && (!name[len] || name[len] == 'p');

		if (!same && !(strlen(drive->serial) >= 8 && strstr(name, drive->serial)))
			continue;
		v->ours = true;
		ssd_strcpy(v->device, sizeof(v->device), device);
		return;
	}
}

static void read_pair(struct look *l, struct reader *r, struct vdev *v)
{
	char name[64], path[512];
	uint32_t type, n;

	get_text(r, name, sizeof(name));
	type = get32(r);
	n = get32(r);
	if (type == TYPE_UINT64 && !strcmp(name, "ashift")) {
		uint64_t high = get32(r);

		v->ashift = high << 32 | get32(r);
	} else if (type == TYPE_STRING && !strcmp(name, "path")) {
		get_text(r, path, sizeof(path));
		match(l, path, v);
	} else if (type == TYPE_NVLIST && !strcmp(name, "vdev_tree")) {
		struct vdev root = {0};

		read_list(l, r, &root);
	} else if (type == TYPE_NVLIST_ARRAY && !strcmp(name, "children")) {
		for (uint32_t i = 0; i < n && !r->bad; i++) {
			struct vdev child = {0};

			read_list(l, r, &child);
			v->ours |= child.ours;
			if (child.ours)
				memcpy(v->device, child.device, sizeof(v->device));
		}
	}
}

static void judge(struct ssd_doctor *d, const char *pool, const struct vdev *v)
{
	long long logical = doctor_int(d, SYS, 0, "class/block/%s/queue/logical_block_size", v->device);
	long long physical = doctor_int(d, SYS, 0, "class/block/%s/queue/physical_block_size", v->device);
	long long block = physical > logical ? physical : logical;
	unsigned needed = 0;

	if (!v->ours || !v->ashift || v->ashift > MAX_ASHIFT || 1ll << v->ashift >= block)
		return;
	doctor_say(
		d, SSD_WARNING,
		"the ZFS pool %s on %s has ashift %u, writes of %lld bytes, but a block of the drive has %lld: small "
		"writes make it read and write a whole block",
		pool, v->device, (unsigned)v->ashift, 1ll << v->ashift, block);
	while (needed < MAX_ASHIFT && 1ll << needed < block)
		needed++;
	doctor_advise(d,
		      "ashift cannot be changed: make a new vdev with `-o ashift=%u` (`zpool add`, or a new pool) and "
		      "move the data with zfs send",
		      needed);
}

/* The size of writes is said of a top-level vdev, so it is judged where it stands, once its children are known. */
static void read_list(struct look *l, struct reader *r, struct vdev *v)
{
	if (++l->depth > MAX_DEPTH)
		r->bad = true;
	get32(r);
	get32(r);
	while (!r->bad) {
		const uint8_t *start = r->at;
		uint32_t size = get32(r);
		struct reader pair;

		get32(r);
		if (!size || r->bad)
			break;
		if (size < 8 || size > (size_t)(r->end - start)) {
			r->bad = true;
			break;
		}
		pair = (struct reader){r->at, start + size, false};
		read_pair(l, &pair, v);
		r->at = start + size;
	}
	l->depth--;
	if (!r->bad && v->ashift)
		judge(l->d, l->pool, v);
}

/* The outermost list: a pair for each pool. */
static void read_pools(struct ssd_doctor *d, struct reader *r)
{
	get32(r);
	get32(r);
	while (!r->bad) {
		const uint8_t *start = r->at;
		uint32_t size = get32(r);
		struct reader pair;
		struct look l = {.d = d};
		struct vdev none = {0};
		uint32_t type;
		char pool[64];

		get32(r);
		if (!size || r->bad || size < 8 || size > (size_t)(r->end - start))
			return;
		pair = (struct reader){r->at, start + size, false};
		get_text(&pair, pool, sizeof(pool));
		l.pool = pool;
		type = get32(&pair);
		get32(&pair); /* number of elements */
		if (type == TYPE_NVLIST)
			read_list(&l, &pair, &none);
		r->at = start + size;
	}
}

void doctor_zfs_ashift(struct ssd_doctor *d)
{
	AUTO_FCLOSE FILE *f = doctor_open(d, ETC, "zfs/zpool.cache");
	AUTO_FREE uint8_t *data = f ? ssd_calloc(MAX_CACHE_BYTES, 1) : NULL;
	size_t len = f ? fread(data, 1, MAX_CACHE_BYTES, f) : 0;
	struct reader r;

	if (len < HEADER_BYTES || data[0] != ENCODE_XDR)
		return;
	r = (struct reader){data + HEADER_BYTES, data + len, false};
	read_pools(d, &r);
}
