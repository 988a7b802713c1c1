/* SPDX-License-Identifier: MIT */
/* Dormant content: what udev has found on a namespace, and what libblkid finds now. */
#include "safety/parts.h"

#include <blkid/blkid.h>
#include <sys/sysmacros.h>

void safety_udev_signature(struct safety_look *look, const struct safety_target *t)
{
	static const char *const keys[] = {"E:ID_FS_TYPE=", "E:ID_PART_TABLE_TYPE="};
	AUTO_FREE char *path = ssd_asprintf("%s/data/b%u:%u", look->roots->udev, major(t->dev), minor(t->dev)),
		       *line = NULL;
	AUTO_FCLOSE FILE *f = t->dev ? fopen(path, "re") : NULL;
	size_t size = 0;

	while (f && getline(&line, &size, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
			if (!strncmp(line, keys[i], strlen(keys[i])) && line[strlen(keys[i])])
				safety_add_use(look->usage, safety_use_of(SSD_USE_SIGNATURE, t), "%s",
					       line + strlen(keys[i]));
	}
}

/* libblkid says one finding at a time; a device can have several (an old RAID member with a new file system). */
static int probe(struct safety_look *look, const struct safety_target *t, blkid_probe pr)
{
	static const char *const names[] = {"TYPE", "PTTYPE"};
	int rc;

	while (!(rc = blkid_do_probe(pr)))
		for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
			const char *value;

			if (!blkid_probe_lookup_value(pr, names[i], &value, NULL))
				safety_add_use(look->usage, safety_use_of(SSD_USE_SIGNATURE, t), "%s", value);
		}
	return rc;
}

void safety_probe_signature(struct safety_look *look, const struct safety_target *t, int fd)
{
	blkid_probe pr = blkid_new_probe();
	int rc = -1;

	if (pr && !blkid_probe_set_device(pr, fd, (blkid_loff_t)t->start, (blkid_loff_t)t->size)) {
		blkid_probe_enable_superblocks(pr, 1);
		blkid_probe_set_superblocks_flags(pr, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_BADCSUM);
		blkid_probe_enable_partitions(pr, 1);
		rc = probe(look, t, pr);
	}
	if (rc < 0)
		safety_add_use(look->usage, safety_use_of(SSD_USE_SIGNATURE, t), "something that could not be read");
	blkid_free_probe(pr);
}
