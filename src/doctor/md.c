/* SPDX-License-Identifier: MIT */
/* RAID by md on the drive: Linux, Documentation/admin-guide/md.rst. */
#include "doctor.h"

/* What mdadm takes when nothing is said: mdadm(8), --bitmap-chunk. */
#define DEFAULT_CHUNK_BYTES (64ll << 20)
/* From this size of a member on mdadm makes a bitmap by itself (mdadm(8), --bitmap); what is smaller is compared soon. */
#define BITMAP_KIB (100ll << 20)
/* md.rst, stripe_cache_size. */
#define DEFAULT_STRIPE_CACHE 256

static bool is_level(const char *level, const char *const *levels)
{
	for (; *levels; levels++)
		if (!strcmp(level, *levels))
			return true;
	return false;
}

/* Calls for each array of these levels that stands on the drive. */
static void each_array(struct ssd_doctor *d, const char *const *levels,
		       void (*look)(struct ssd_doctor *d, const char *md))
{
	AUTO_BLOCKS struct doctor_blocks blocks;
	char level[DOCTOR_TEXT];

	doctor_blocks(d, &blocks);
	for (size_t i = 0; i < blocks.n; i++)
		if (doctor_text(d, SYS, level, "class/block/%s/md/level", blocks.v[i].name) && is_level(level, levels))
			look(d, blocks.v[i].name);
}

/* A journal or a partial parity log tells after a crash what to compare, as a bitmap does. Empty: Linux before 4.12. */
static bool needs_bitmap(const char *policy)
{
	return strcmp(policy, "journal") != 0 && strcmp(policy, "ppl") != 0;
}

static void bitmap(struct ssd_doctor *d, const char *md)
{
	long long chunk = doctor_int(d, SYS, 0, "class/block/%s/md/bitmap/chunksize", md);
	char location[DOCTOR_TEXT], policy[DOCTOR_TEXT];

	doctor_text(d, SYS, policy, "class/block/%s/md/consistency_policy", md);
	if (!doctor_text(d, SYS, location, "class/block/%s/md/bitmap/location", md) || !needs_bitmap(policy))
		return;
	if (!strcmp(location, "none")) {
		if (doctor_int(d, SYS, BITMAP_KIB, "class/block/%s/md/component_size", md) < BITMAP_KIB)
			return;
		doctor_say(d, SSD_WARNING,
			   "the array %s has no write-intent bitmap: after a crash the whole of it is compared or "
			   "rebuilt, "
			   "for hours at full load",
			   md);
		doctor_advise(d, "`mdadm --grow --bitmap=internal --bitmap-chunk=128M /dev/%s`", md);
	} else if (chunk > 0 && chunk < DEFAULT_CHUNK_BYTES) {
		doctor_say(d, SSD_INFO,
			   "the bitmap of the array %s has a bit for every %lld KiB, where mdadm takes 64 MiB: random "
			   "writes "
			   "wait for many more writes of the bitmap",
			   md, chunk / 1024);
		doctor_advise(d,
			      "`mdadm --grow --bitmap=none /dev/%s`, then `mdadm --grow --bitmap=internal "
			      "--bitmap-chunk=128M "
			      "/dev/%s`",
			      md, md);
	}
}

void doctor_md_bitmap(struct ssd_doctor *d)
{
	static const char *const levels[] = {"raid1", "raid4", "raid5", "raid6", "raid10", NULL};

	each_array(d, levels, bitmap);
}

static void stripe_cache(struct ssd_doctor *d, const char *md)
{
	long long entries = doctor_int(d, SYS, 0, "class/block/%s/md/stripe_cache_size", md);

	if (entries <= 0 || entries > DEFAULT_STRIPE_CACHE)
		return;
	doctor_say(
		d, SSD_INFO,
		"the stripe cache of the array %s has %lld entries, the default of disks: writes wait for free entries "
		"long before drives like this one are busy; 8192 of them take 32 MiB of memory for each drive of the "
		"array",
		md, entries);
	/* 8192 pages of 4 KiB, 32 MiB, for each drive of the array: md.rst. */
	doctor_advise_setting(d, md, "md/stripe_cache_size", "8192");
}

void doctor_md_stripe_cache(struct ssd_doctor *d)
{
	static const char *const levels[] = {"raid4", "raid5", "raid6", NULL};

	each_array(d, levels, stripe_cache);
}
