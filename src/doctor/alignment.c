/* SPDX-License-Identifier: MIT */
/* Partitions that begin in the middle of a physical block. */
#include "doctor.h"

/* Sizes and starts count 512 bytes whatever the LBA format (Linux, Documentation/ABI/stable/sysfs-block). */
#define SECTOR_BYTES 512
/* Beyond it a byte has no number in 63 bits. */
#define MAX_START (INT64_MAX / SECTOR_BYTES)
/* What file systems write at least, on the architectures that data centres run. */
#define PAGE_BYTES 4096
/* Up to here nothing lives in it: boot code for GRUB from sector 34 on, the container of a DOS table's logical partitions. */
#define BOOT_BYTES (1 << 20)

void doctor_alignment(struct ssd_doctor *d)
{
	AUTO_BLOCKS struct doctor_blocks blocks;

	doctor_blocks(d, &blocks);
	for (size_t i = 0; i < blocks.n; i++) {
		const struct doctor_block *b = &blocks.v[i];
		long long start = doctor_int(d, SYS, -1, "class/block/%s/start", b->name);
		long long sectors = doctor_int(d, SYS, INT64_MAX, "class/block/%s/size", b->name);
		long long block = doctor_int(d, SYS, 0, "class/block/%s/queue/physical_block_size", b->below);

		if (block < PAGE_BYTES)
			block = PAGE_BYTES;
		if (!b->partition || sectors <= BOOT_BYTES / SECTOR_BYTES || start < 0 || start > MAX_START ||
		    start % (block / SECTOR_BYTES) == 0)
			continue;
		doctor_say(
			d, SSD_WARNING,
			"partition %s begins at byte %lld, no multiple of %lld: what is written in pages touches two "
			"blocks of the drive each time, which is read and written again",
			b->name, start * SECTOR_BYTES, block);
		doctor_advise(
			d,
			"save the data and make the partition anew at a multiple of 1 MiB, as fdisk and parted do by "
			"themselves");
	}
}
