/* SPDX-License-Identifier: MIT */
/*
 * What has been downloaded and not yet committed: a sparse file in the drive's directory. A bit for each dword that has
 * arrived, then the dwords; so a piece costs the same wherever it belongs and whatever came before. The end of the file is
 * the end of the image. A piece whose writer was killed has no bits: it did not arrive.
 */
#include "sim/sim.h"

#include "sim/image.h"

#include <fcntl.h>

#define BUFFER_FILE "download.bin"
#define DWORD 4u
#define MAP_BYTES (SIM_IMAGE_MAX / DWORD / 8)

/* All of it, or an error: 0 or -errno. What lies beyond the end of the file reads as zero. */
static int read_all(int fd, off_t at, uint8_t *buf, size_t len)
{
	while (len) {
		ssize_t n = pread(fd, buf, len, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n) {
			memset(buf, 0, len);
			return 0;
		}
		buf += n;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

static int write_all(int fd, off_t at, const uint8_t *data, size_t len)
{
	while (len) {
		ssize_t n = pwrite(fd, data, len, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data += n;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Opens the file; *extent is where the image ends as far as it is known. A descriptor or -errno. */
static int open_buffer(const char *dir, int flags, uint64_t *extent)
{
	AUTO_FREE char *path = ssd_asprintf("%s/" BUFFER_FILE, dir);
	int fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644), rc = 0;
	struct stat st;

	*extent = 0;
	if (fd < 0)
		return errno == EROFS ? -EACCES : -errno; /* EROFS means a recorded host */
	if (fstat(fd, &st))
		rc = -errno;
	else if (!S_ISREG(st.st_mode))
		rc = -EINVAL;
	if (rc) {
		close(fd);
		return rc;
	}
	if (st.st_size > (off_t)MAP_BYTES)
		*extent = (uint64_t)st.st_size - MAP_BYTES;
	return fd;
}

static bool any_set(const uint8_t *map, uint64_t first, uint64_t end)
{
	for (uint64_t i = first; i < end; i++)
		if (map[i / 8] >> i % 8 & 1)
			return true;
	return false;
}

static bool all_set(const uint8_t *map, uint64_t end)
{
	for (uint64_t i = 0; i < end; i++)
		if (!(map[i / 8] >> i % 8 & 1))
			return false;
	return true;
}

/* Only the last piece may be short: nothing comes after one that is. */
static bool aligned(const struct sim_piece *p, uint64_t extent)
{
	uint64_t end = p->offset + p->len;

	return p->offset % p->granularity == 0 && (p->len % p->granularity == 0 || end >= extent) &&
	       (extent % p->granularity == 0 || end <= extent);
}

static int add_piece(int fd, const struct sim_piece *p, uint64_t extent)
{
	uint64_t first = p->offset / DWORD, count = p->len / DWORD, at = first / 8;
	size_t bytes = (size_t)((first + count + 7) / 8 - at);
	AUTO_FREE uint8_t *map = ssd_calloc(bytes, 1);
	int rc = read_all(fd, (off_t)at, map, bytes);

	if (rc)
		return rc;
	first -= at * 8;
	if (any_set(map, first, first + count)) {
		/* The first piece once more: a host that begins anew. */
		if (p->offset || p->strict)
			return SIM_OVERLAPPING_RANGE;
		if (ftruncate(fd, 0))
			return -errno;
		memset(map, 0, bytes);
		extent = 0;
	}
	if (!aligned(p, extent))
		return SIM_INVALID_FIELD;
	for (uint64_t i = first; i < first + count; i++)
		map[i / 8] |= (uint8_t)(1u << i % 8);
	rc = write_all(fd, (off_t)(MAP_BYTES + p->offset), p->data, p->len);
	return rc ? rc : write_all(fd, (off_t)at, map, bytes);
}

int sim_buffer_put(const char *dir, const struct sim_piece *piece)
{
	uint64_t extent = 0;
	AUTO_CLOSE int fd = -1;

	if (piece->offset + piece->len > SIM_IMAGE_MAX || piece->offset % piece->granularity)
		return SIM_INVALID_FIELD;
	fd = open_buffer(dir, O_RDWR | O_CREAT, &extent);
	return fd < 0 ? fd : add_piece(fd, piece, extent);
}

int sim_buffer_get(const char *dir, uint8_t **image, size_t *size)
{
	AUTO_FREE uint8_t *map = ssd_calloc(MAP_BYTES, 1);
	AUTO_FREE uint8_t *data = NULL;
	uint64_t extent = 0;
	AUTO_CLOSE int fd = open_buffer(dir, O_RDONLY, &extent);
	int rc;

	*image = NULL;
	*size = 0;
	if (fd < 0)
		return fd;
	if (!extent)
		return -ENOENT;
	if (extent > SIM_IMAGE_MAX || extent % DWORD)
		return -EINVAL;
	rc = read_all(fd, 0, map, MAP_BYTES);
	if (rc)
		return rc;
	if (!all_set(map, extent / DWORD))
		return -ENODATA;
	data = ssd_calloc(extent, 1);
	rc = read_all(fd, MAP_BYTES, data, extent);
	if (rc)
		return rc;
	*image = STEAL(data);
	*size = extent;
	return 0;
}

int sim_buffer_drop(const char *dir)
{
	AUTO_FREE char *path = ssd_asprintf("%s/" BUFFER_FILE, dir);

	if (!unlink(path) || errno == ENOENT)
		return 0;
	return errno == EROFS ? -EACCES : -errno;
}
