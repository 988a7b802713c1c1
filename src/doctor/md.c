/* SPDX-License-Identifier: MIT */
/* RAID by md on the drive: Linux, Documentation/admin-guide/md.rst. */
#include "doctor.h"

/* What mdadm takes when nothing is said: mdadm(8), --bitmap-chunk. */
#define DEFAULT_CHUNK_BYTES (64ll << 20)
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
		if (doctor_text(d->roots->sys, level, "class/block/%s/md/level", blocks.v[i].name) &&
		    is_level(level, levels))
			look(d, blocks.v[i].name);
}

static void bitmap(struct ssd_doctor *d, const char *md)
{
	long long chunk = doctor_int(d->roots->sys, 0, "class/block/%s/md/bitmap/chunksize", md);
	char location[DOCTOR_TEXT];

	if (!doctor_text(d->roots->sys, location, "class/block/%s/md/bitmap/location", md))
		return;
	if (!strcmp(location, "none")) {
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
	long long entries = doctor_int(d->roots->sys, 0, "class/block/%s/md/stripe_cache_size", md);

	if (entries <= 0 || entries > DEFAULT_STRIPE_CACHE)
		return;
	doctor_say(
		d, SSD_INFO,
		"the stripe cache of the array %s has %lld entries, the default of disks: writes wait for free entries "
		"long before drives like this one are busy",
		md, entries);
	doctor_advise(
		d,
		"`echo 8192 >/sys/block/%s/md/stripe_cache_size` takes 32 MiB of memory for each drive of the array; "
		"group_thread_cnt beside it spreads the work over CPUs",
		md);
}

void doctor_md_stripe_cache(struct ssd_doctor *d)
{
	static const char *const levels[] = {"raid4", "raid5", "raid6", NULL};

	each_array(d, levels, stripe_cache);
}
