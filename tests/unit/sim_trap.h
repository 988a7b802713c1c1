/* SPDX-License-Identifier: MIT */
/* A process that ends, or finds no room, at a chosen one of the calls that change files. For one file of a program. */
#ifndef TESTS_UNIT_SIM_TRAP_H
#define TESTS_UNIT_SIM_TRAP_H

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

/* The calls that change files: the one with this number does not happen. */
static struct {
	unsigned left; /* 0: all happen */
	bool full;     /* it fails, and all after it; else the process ends there */
} trap;

static bool trapped(void)
{
	if (!trap.left || (trap.left > 1 && trap.left--))
		return false;
	if (!trap.full)
		_exit(77);
	errno = ENOSPC;
	return true;
}

int rename(const char *old, const char *new)
{
	int (*real)(const char *, const char *) = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");

	return trapped() ? -1 : real(old, new);
}

int unlink(const char *path)
{
	int (*real)(const char *) = (int (*)(const char *))dlsym(RTLD_NEXT, "unlink");

	/* Room or not, a file can be removed. */
	return !trap.full && trapped() ? -1 : real(path);
}

ssize_t write(int fd, const void *data, size_t len)
{
	ssize_t (*real)(int, const void *, size_t) = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");

	return trapped() ? -1 : real(fd, data, len);
}

ssize_t pwrite(int fd, const void *data, size_t len, off_t at)
{
	ssize_t (*real)(int, const void *, size_t, off_t) =
		(ssize_t(*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite");

	return trapped() ? -1 : real(fd, data, len, at);
}

#endif
