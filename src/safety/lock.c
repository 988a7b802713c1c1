/* SPDX-License-Identifier: MIT */
/*
 * One change per drive at a time. The lock is flock(): the kernel ends it with the process, however that ends, so there are
 * no stale ones. The file is never removed, or two processes could each lock a file of that name.
 */
#include "safety/parts.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

/* Between locking and writing who it is, a holder has no name yet: it is looked for so often, at this distance. */
#define LOOKS 20
#define LOOK_EVERY_NS 10000000

#define HOLDER_BYTES 256

/* "1234 ssdct reset nvme0", for whoever comes second. */
static void write_holder(int fd)
{
	AUTO_CLOSE int cmdline = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	char text[HOLDER_BYTES];
	int len = snprintf(text, sizeof(text), "%d ", (int)getpid());
	ssize_t n = cmdline < 0 ? 0 : read(cmdline, text + len, sizeof(text) - 1 - (size_t)len);

	for (ssize_t i = 0; i < n; i++, len++)
		if (!text[len])
			text[len] = ' ';
	text[len++] = '\n';
	(void)!ftruncate(fd, 0);
	(void)!pwrite(fd, text, (size_t)len, 0);
}

/* Reads what the holder wrote. Returns its pid, or 0 when there is nothing, or what is left of one that has ended. */
static int read_holder(int fd, char *command, size_t size)
{
	char text[HOLDER_BYTES + 1], *end;
	ssize_t n = pread(fd, text, HOLDER_BYTES, 0);
	long pid;

	text[n > 0 ? n : 0] = '\0';
	pid = strtol(text, &end, 10);
	end[strcspn(end, "\n")] = '\0';
	safety_shown(command, size, end);
	return pid > 0 && pid <= INT32_MAX && (!kill((pid_t)pid, 0) || errno == EPERM) ? (int)pid : 0;
}

static int fail_held(int fd, struct ssd_err *err)
{
	char command[120] = "";
	int pid = 0;

	for (int i = 0; i < LOOKS && !pid; i++) {
		if (i)
			nanosleep(&(struct timespec){.tv_nsec = LOOK_EVERY_NS}, NULL);
		pid = read_holder(fd, command, sizeof(command));
	}
	if (pid)
		ssd_fail(err, SSD_ERR_REFUSED, "process %d is changing this drive (%s); nothing was sent", pid,
			 command);
	else
		ssd_fail(err, SSD_ERR_REFUSED, "another process is changing this drive; nothing was sent");
	ssd_hint(err, "wait until it has ended");
	return -1;
}

/* What somebody else could have put there is no lock of ours. */
static bool is_ours(const struct stat *st, mode_t type)
{
	return (st->st_mode & S_IFMT) == type && st->st_uid == geteuid() && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

static int take(int file, const char *name, bool private, struct ssd_err *err)
{
	struct stat st;

	if (fstat(file, &st))
		return ssd_fail_errno(err, errno, "the lock %s", name);
	if (!S_ISREG(st.st_mode) || st.st_nlink != 1 || (private && !is_ours(&st, S_IFREG)))
		return ssd_fail(err, SSD_ERR_REFUSED, "the lock %s is no file of ours; nothing was sent", name);
	if (!flock(file, LOCK_EX | LOCK_NB))
		return 0;
	return errno == EWOULDBLOCK ? fail_held(file, err) : ssd_fail_errno(err, errno, "the lock %s", name);
}

int safety_lock_file(int dir, const char *name, bool private, int *fd, struct ssd_err *err)
{
	int file = openat(dir, name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);

	if (file < 0)
		return ssd_fail_errno(err, errno, "the lock %s", name);
	if (take(file, name, private, err)) {
		close(file);
		return -1;
	}
	write_holder(file);
	*fd = file;
	return 0;
}

void safety_unlock(int *fd)
{
	if (*fd < 0)
		return;
	(void)!ftruncate(*fd, 0);
	close(*fd);
	*fd = -1;
}

/* A directory below another, made when it is missing; -1 with *err set. */
static int private_dir(int parent, const char *name, struct ssd_err *err)
{
	struct stat st;
	int dir;

	if (mkdirat(parent, name, 0700) && errno != EEXIST)
		return ssd_fail_errno(err, errno, "making the directory of locks %s", name);
	dir = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0)
		return ssd_fail_errno(err, errno, "the directory of locks %s", name);
	if (!fstat(dir, &st) && is_ours(&st, S_IFDIR))
		return dir;
	close(dir);
	return ssd_fail(err, SSD_ERR_REFUSED,
			"the directory of locks %s does not belong to this user alone; nothing was sent", name);
}

/* A serial number as a file name: what is no letter, digit, dash or underscore becomes %XX. */
static void escape(const char *serial, char *buf, size_t size)
{
	size_t len = 0;

	for (const unsigned char *s = (const unsigned char *)serial; *s && len + 4 <= size; s++)
		len += (size_t)sprintf(buf + len, isalnum(*s) || *s == '-' || *s == '_' ? "%c" : "%%%02X", *s);
	buf[len] = '\0';
}

int safety_lock_at(const char *run_dir, const char *serial, int *fd, struct ssd_err *err)
{
	AUTO_CLOSE int run = open(run_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_CLOSE int own = run < 0 ? ssd_fail_errno(err, errno, "%s", run_dir) : private_dir(run, "ssdct", err);
	AUTO_CLOSE int dir = own < 0 ? -1 : private_dir(own, "lock", err);
	char name[128];

	if (dir < 0)
		return -1;
	escape(serial, name, sizeof(name));
	return safety_lock_file(dir, name, true, fd, err);
}

/* Controllers of one drive share its lock, which lies with the first of them. */
static const struct ssd_drive *first_controller(const struct ssd_drive *drive)
{
	const struct ssd_drive *first = drive->host->drives;

	while (first->device != drive->device && !ssd_same_subsystem(first, drive))
		first++;
	return first;
}

static int lock_host_dir(const struct ssd_drive *drive, int *fd, struct ssd_err *err)
{
	AUTO_FREE char *path = ssd_asprintf("%s/%s", drive->host->dir, first_controller(drive)->device);
	AUTO_CLOSE int dir = -1;

	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return ssd_fail_errno(err, errno, "%s", path);
	return safety_lock_file(dir, ".lock", false, fd, err);
}

int safety_lock_look(const char *path, struct ssd_err *err)
{
	AUTO_CLOSE int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;

	if (file < 0 || fstat(file, &st) || !S_ISREG(st.st_mode) || !flock(file, LOCK_SH | LOCK_NB))
		return 0;
	return errno == EWOULDBLOCK ? fail_held(file, err) : 0;
}

/* Where a drive's lock is, whether or not it has ever been used. Owned by the caller. */
static char *lock_path(const struct ssd_drive *drive)
{
	char name[128];

	if (drive->host->dir)
		return ssd_asprintf("%s/%s/.lock", drive->host->dir, first_controller(drive)->device);
	escape(*drive->serial ? drive->serial : drive->device, name, sizeof(name));
	return ssd_asprintf("/run/ssdct/lock/%s", name);
}

int safety_lock_held(const struct ssd_drive *drive, struct ssd_err *err)
{
	AUTO_FREE char *path = lock_path(drive);

	if (!safety_lock_look(path, err))
		return 0;
	ssd_err_prefix(err, "%s", drive->device);
	return -1;
}

int safety_lock(const struct ssd_drive *drive, int *fd, struct ssd_err *err)
{
	int rc = drive->host->dir ? lock_host_dir(drive, fd, err)
				  : safety_lock_at("/run", *drive->serial ? drive->serial : drive->device, fd, err);

	if (rc)
		ssd_err_prefix(err, "%s", drive->device);
	return rc;
}
