/* SPDX-License-Identifier: MIT */
/* What is measured: a block device, a file that is there, or one that is made for it. */
#include <ssdct/bench.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/nvme_ioctl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>

#define FILE_ALIGN 4096u /* of direct I/O to a file, as any file system takes it */
#define PART_OF_FREE 10u
#define LEAST_BYTES (16u << 20) /* a file smaller than that says nothing */

static void init(struct ssd_bench_target *t)
{
	*t = (struct ssd_bench_target){
		.fd = -1, .generic_fd = -1, .numa_node = -1, .align_bytes = FILE_ALIGN, .allocated_percent = -1};
}

void ssd_bench_close(struct ssd_bench_target *target)
{
	ssd_auto_close(&target->fd);
	ssd_auto_close(&target->generic_fd);
	target->fd = target->generic_fd = -1;
}

/*
 * Only after it is open: a file system that cannot do it refuses to open, but not before it has made the file. O_NONBLOCK
 * was for opening what may be a pipe; to io_uring it would mean that I/O must not wait either.
 */
static void set_direct(struct ssd_bench_target *t)
{
	int flags = fcntl(t->fd, F_GETFL);

	t->direct = flags >= 0 && !fcntl(t->fd, F_SETFL, (flags & ~O_NONBLOCK) | O_DIRECT);
	if (!t->direct)
		fcntl(t->fd, F_SETFL, flags & ~O_NONBLOCK);
}

static int facts_of_device(struct ssd_bench_target *t, const char *path, dev_t dev, struct ssd_err *err)
{
	int block = 0;

	snprintf(t->poll, sizeof(t->poll), "/sys/dev/block/%u:%u/queue/io_poll", major(dev), minor(dev));

	if (ioctl(t->fd, BLKGETSIZE64, &t->size_bytes) || ioctl(t->fd, BLKSSZGET, &block) || block <= 0)
		return ssd_fail_errno(err, errno, "%s: asking for its size", path);
	t->align_bytes = (uint32_t)block;
	t->start_bytes = SSD_BENCH_MARGIN_BYTES;
	t->end_bytes = t->size_bytes > SSD_BENCH_MARGIN_BYTES ? t->size_bytes - SSD_BENCH_MARGIN_BYTES : 0;
	return 0;
}

static void size_of_file(struct ssd_bench_target *t, const struct stat *st)
{
	t->size_bytes = (uint64_t)st->st_size / FILE_ALIGN * FILE_ALIGN;
	t->end_bytes = t->size_bytes;
	if (t->size_bytes)
		t->allocated_percent = (int)(100.0 * (double)st->st_blocks * 512 / (double)t->size_bytes);
	if (t->allocated_percent > 100)
		t->allocated_percent = 100;
}

int ssd_bench_open(const char *path, bool write, struct ssd_bench_target *t, struct ssd_err *err)
{
	struct stat st;

	init(t);
	t->fd = open(path, (write ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (t->fd < 0 || fstat(t->fd, &st))
		return ssd_fail_errno(err, errno, "opening %s", path);
	t->writable = write;
	set_direct(t);
	if (S_ISBLK(st.st_mode))
		return facts_of_device(t, path, st.st_rdev, err);
	if (!S_ISREG(st.st_mode))
		return ssd_fail(err, SSD_ERR_BAD_INPUT, "%s is neither a file nor a block device", path);
	size_of_file(t, &st);
	if (!t->size_bytes)
		return ssd_fail(err, SSD_ERR_BAD_INPUT, "%s: shorter than a block of %u bytes", path, FILE_ALIGN);
	return 0;
}

int ssd_bench_open_generic(const char *path, uint32_t nsid, struct ssd_bench_target *t, struct ssd_err *err)
{
	struct stat st;
	int got;

	t->generic_fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (t->generic_fd < 0 || fstat(t->generic_fd, &st))
		return ssd_fail_errno(err, errno, "opening %s", path);
	got = S_ISCHR(st.st_mode) ? ioctl(t->generic_fd, NVME_IOCTL_ID) : -1;
	if (got < 0 || (uint32_t)got != nsid)
		return ssd_fail(err, SSD_ERR_BAD_INPUT, "%s is not the character device of namespace %u", path, nsid);
	t->nsid = nsid;
	return 0;
}

static int make_nameless(const char *dir)
{
	AUTO_FREE char *path = ssd_asprintf("%s/.ssdct-bench-XXXXXX", dir);
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0 || errno == ENOENT || errno == ENOTDIR || errno == EACCES || errno == EROFS)
		return fd;
	/* A file system without O_TMPFILE: the name is there for a moment. */
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

int ssd_bench_scratch(const char *dir, uint64_t bytes, bool sparse, struct ssd_bench_target *t, struct ssd_err *err)
{
	struct statvfs fs;
	uint64_t most;
	int rc;

	init(t);
	t->fd = make_nameless(dir);
	if (t->fd < 0 || fstatvfs(t->fd, &fs))
		return ssd_fail_errno(err, errno, "making a file in %s", dir);
	most = (uint64_t)fs.f_bavail * fs.f_frsize / PART_OF_FREE;
	if (!sparse && bytes > most)
		bytes = most;
	bytes = bytes / LEAST_BYTES * LEAST_BYTES;
	if (!bytes)
		return ssd_fail(err, SSD_ERR_REFUSED,
				"%s: a tenth of what is free is less than %u MiB, and no more than that is taken", dir,
				LEAST_BYTES >> 20);
	do
		rc = sparse ? ftruncate(t->fd, (off_t)bytes) : fallocate(t->fd, 0, 0, (off_t)bytes);
	while (rc && errno == EINTR);
	if (rc && (sparse || errno != EOPNOTSUPP || ftruncate(t->fd, (off_t)bytes)))
		return ssd_fail_errno(err, errno, "making a file of %llu bytes in %s", (unsigned long long)bytes, dir);
	set_direct(t);
	t->writable = !sparse;
	t->size_bytes = t->end_bytes = bytes;
	t->allocated_percent = sparse ? 0 : 100;
	return 0;
}
