/* SPDX-License-Identifier: MIT */
/* Settings of the block layer's queues: Linux, Documentation/ABI/stable/sysfs-block. */
#include "doctor.h"

#define QUEUE(file) "class/nvme/%s/%s/queue/" file, d->drive->device

/* Calls for each queue of the drive. */
static void each_queue(struct ssd_doctor *d, void (*look)(struct ssd_doctor *d, const char *name))
{
	AUTO_NAMES struct scan_names queues = {0};

	doctor_queues(d, &queues);
	for (size_t i = 0; i < queues.n; i++)
		look(d, queues.v[i]);
}

static void scheduler(struct ssd_doctor *d, const char *name)
{
	char text[DOCTOR_TEXT], zoned[DOCTOR_TEXT];

	if (!doctor_text(d, SYS, text, QUEUE("scheduler"), name))
		return;
	doctor_chosen(text);
	/* Zones are written in order, which needs a scheduler. */
	if (!strcmp(text, "none") || (doctor_text(d, SYS, zoned, QUEUE("zoned"), name) && strcmp(zoned, "none") != 0))
		return;
	doctor_say(d, SSD_WARNING,
		   "%s has the I/O scheduler %.40s: it costs CPU time for every command, and a drive of many queues "
		   "gains nothing from it",
		   name, text);
	doctor_advise_setting(d, name, "queue/scheduler", "none");
}

void doctor_scheduler(struct ssd_doctor *d)
{
	each_queue(d, scheduler);
}

/* VM_READAHEAD_PAGES: Linux, include/linux/pagemap.h; what a queue begins with. */
#define DEFAULT_READ_AHEAD_KIB 128
/* A choice, not a fact: from here on a random reader through the page cache mostly reads what nobody wants. */
#define LARGE_READ_AHEAD_KIB 4096

/* Of the node that file systems use: with multipath the head, not its paths. */
void doctor_read_ahead(struct ssd_doctor *d)
{
	for (size_t i = 0; i < d->drive->n_namespaces; i++) {
		const char *name = d->drive->namespaces[i].device;
		long long kib = *name ? doctor_int(d, SYS, -1, "class/block/%s/queue/read_ahead_kb", name) : -1;
		char value[24];

		if (kib < 0 || (kib >= DEFAULT_READ_AHEAD_KIB && kib < LARGE_READ_AHEAD_KIB))
			continue;
		if (kib < DEFAULT_READ_AHEAD_KIB)
			doctor_say(d, SSD_WARNING,
				   "%s reads %lld KiB ahead, less than the kernel's default of %d: reading files "
				   "from end to end waits for the drive",
				   name, kib, DEFAULT_READ_AHEAD_KIB);
		else
			doctor_say(d, SSD_INFO,
				   "%s reads %lld KiB ahead: good for streams, while random readers of files "
				   "fetch what nobody wants",
				   name, kib);
		snprintf(value, sizeof(value), "%d", DEFAULT_READ_AHEAD_KIB);
		doctor_advise_setting(d, name, "queue/read_ahead_kb", value);
	}
}

static void rq_affinity(struct ssd_doctor *d, const char *name)
{
	if (doctor_int(d, SYS, -1, QUEUE("rq_affinity"), name) != 0)
		return;
	doctor_say(d, SSD_WARNING,
		   "%s completes requests on whichever CPU the interrupt came to (rq_affinity 0): the data are "
		   "in another CPU's cache",
		   name);
	doctor_advise_setting(d, name, "queue/rq_affinity", "1");
}

void doctor_rq_affinity(struct ssd_doctor *d)
{
	each_queue(d, rq_affinity);
}

/* BLK_DEF_MAX_SECTORS: 2560 sectors of 512 bytes until Linux 6.7 (include/linux/blkdev.h); nobody has lowered that. */
#define DEFAULT_MAX_KIB 1280

static void max_sectors(struct ssd_doctor *d, const char *name)
{
	long long now = doctor_int(d, SYS, 0, QUEUE("max_sectors_kb"), name);
	long long can = doctor_int(d, SYS, 0, QUEUE("max_hw_sectors_kb"), name);
	/* MDTS counts pages of 4 KiB at least, as a power of two (NVM Express Base Specification 2.0c, figure 275). */
	int64_t mdts = ssd_get_int(doctor_id_ctrl(d), "mdts", 0);
	long long drive = mdts > 0 && mdts < 20 ? 4ll << mdts : 0;
	char value[24];

	if (now <= 0 || can <= 0 || now >= can || now >= DEFAULT_MAX_KIB)
		return;
	if (drive)
		doctor_say(d, SSD_INFO,
			   "%s: the kernel sends %lld KiB at once, the drive takes %lld KiB (MDTS), the driver %lld: "
			   "large "
			   "requests are split into more commands",
			   name, now, drive, can);
	else
		doctor_say(
			d, SSD_INFO,
			"%s: the kernel sends %lld KiB at once, drive and driver take %lld: large requests are split "
			"into more commands",
			name, now, can);
	snprintf(value, sizeof(value), "%lld", can);
	doctor_advise_setting(d, name, "queue/max_sectors_kb", value);
}

void doctor_max_sectors(struct ssd_doctor *d)
{
	each_queue(d, max_sectors);
}

/* The drive's own cache, Feature 06h: NVM Express Base Specification 2.0c, 5.27.1.4; bit 0, enabled. */
#define FEATURE_WRITE_CACHE 0x06

static bool cache_is_on(struct ssd_doctor *d)
{
	uint32_t value;

	return ssd_get_int(doctor_id_ctrl(d), "vwc.present", 0) && doctor_feature(d, FEATURE_WRITE_CACHE, &value) &&
	       value & 1;
}

void doctor_write_cache(struct ssd_doctor *d)
{
	int64_t unsafe = ssd_get_int(doctor_smart(d), "unsafe_shutdowns", 0);

	if (unsafe <= 0 || !cache_is_on(d))
		return;
	/* As most drives of desktops and laptops: what flushes, as file systems do, has lost nothing. */
	doctor_say(d, SSD_INFO,
		   "the drive has a volatile write cache that is on, and has lost power without notice %lld times: "
		   "each time what had not been flushed was lost",
		   (long long)unsafe);
	doctor_advise(
		d,
		"find out why the power goes; `ssdct feature set %s 0x06 0` switches the cache off, at the price of "
		"slower writes, for good with --save where the drive can save it",
		d->drive->device);
}

static void flush(struct ssd_doctor *d, const char *name)
{
	char text[DOCTOR_TEXT];

	if (!doctor_text(d, SYS, text, QUEUE("write_cache"), name) || strcmp(text, "write through") != 0 ||
	    !cache_is_on(d))
		return;
	doctor_say(d, SSD_WARNING,
		   "the drive's volatile write cache is on, but the kernel was told that %s has none (write_cache is "
		   "\"write through\"): it never flushes, and a power cut loses what was acknowledged",
		   name);
	doctor_advise_setting(d, name, "queue/write_cache", "write back");
}

void doctor_flush(struct ssd_doctor *d)
{
	each_queue(d, flush);
}
