/* SPDX-License-Identifier: MIT */
/* Files that appear whole or not at all, on file systems that have files without a name and on those that have not. */
#include "check.h"
#include "sim_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ssdct/newfile.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/syscall.h>

static bool has_nameless;

/* The file system, as far as it is asked for a file without a name. */
int open(const char *path, int flags, ...)
{
	va_list ap;
	int mode;

	va_start(ap, flags);
	mode = va_arg(ap, int);
	va_end(ap);
	if ((flags & O_TMPFILE) == O_TMPFILE && !has_nameless) {
		errno = EOPNOTSUPP;
		return -1;
	}
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static size_t names_in(const char *dir)
{
	DIR *d = opendir(dir);
	size_t n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

static void published(void)
{
	AUTO_DIR char *dir = sim_dir_new();
	AUTO_FREE char *path = ssd_asprintf("%s/dump", dir);
	AUTO(ssd_newfile_close) struct ssd_newfile f = SSD_NEWFILE_INIT;
	struct ssd_err err = SSD_ERR_INIT;
	AUTO_FREE uint8_t *data = NULL;
	struct stat st;
	size_t len, before = names_in(dir);

	ck_assert_int_eq(ssd_newfile_check(path, &err), 0);
	ck_assert_int_eq(ssd_newfile_open(&f, path, &err), 0);
	ck_assert_int_eq(ssd_newfile_write(&f, "abc", 3, &err), 0);
	ck_assert_int_eq(ssd_newfile_write(&f, "de", 2, &err), 0);
	ck_assert_uint_eq(names_in(dir), before + !has_nameless);
	ck_assert_int_ne(access(path, F_OK), 0);
	ck_assert_int_eq(ssd_newfile_publish(&f, &err), 0);
	ssd_newfile_close(&f);
	ck_assert_uint_eq(names_in(dir), before + 1);
	ck_assert_int_eq(ssd_read_file(path, 10, &data, &len), 0);
	ck_assert_uint_eq(len, 5);
	ck_assert_mem_eq(data, "abcde", 5);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0600);
	ck_assert_uint_eq(st.st_nlink, 1);
}

static void never_over_another(void)
{
	AUTO_DIR char *dir = sim_dir_new();
	AUTO_FREE char *path = ssd_asprintf("%s/dump", dir);
	struct ssd_newfile f = SSD_NEWFILE_INIT;
	struct ssd_err err = SSD_ERR_INIT;
	AUTO_FREE uint8_t *data = NULL;
	size_t len, before = names_in(dir);

	ck_assert_int_eq(ssd_newfile_open(&f, path, &err), 0);
	ck_assert_int_eq(ssd_newfile_write(&f, "new", 3, &err), 0);
	/* Somebody makes it meanwhile. */
	ck_assert_int_eq(ssd_replace_file(path, "evidence", 8, 0644), 0);
	ck_assert_int_eq(ssd_newfile_publish(&f, &err), -1);
	ck_assert_int_eq(err.code, SSD_ERR_OUTPUT);
	ck_assert_int_eq(err.sys_errno, EEXIST);
	ssd_newfile_close(&f);
	ck_assert_uint_eq(names_in(dir), before + 1);
	ck_assert_int_eq(ssd_read_file(path, 10, &data, &len), 0);
	ck_assert_mem_eq(data, "evidence", 8);
	ck_assert_int_eq(ssd_newfile_check(path, &err), -1);
}

static void given_up(void)
{
	AUTO_DIR char *dir = sim_dir_new();
	AUTO_FREE char *path = ssd_asprintf("%s/dump", dir);
	AUTO_FREE char *nowhere = ssd_asprintf("%s/none/dump", dir);
	struct ssd_newfile f = SSD_NEWFILE_INIT;
	struct ssd_err err = SSD_ERR_INIT;
	size_t before = names_in(dir);

	ck_assert_int_eq(ssd_newfile_open(&f, path, &err), 0);
	ck_assert_int_eq(ssd_newfile_write(&f, "new", 3, &err), 0);
	ssd_newfile_close(&f);
	ck_assert_uint_eq(names_in(dir), before);
	ck_assert_int_eq(ssd_newfile_open(&f, nowhere, &err), -1);
	ck_assert_int_eq(err.sys_errno, ENOENT);
	ssd_newfile_close(&f);
}

/* Whoever writes "-" means stdout, and does not look for a file of that name afterwards. */
START_TEST(no_dash)
{
	AUTO(ssd_newfile_close) struct ssd_newfile f = SSD_NEWFILE_INIT;
	struct ssd_err err = SSD_ERR_INIT;

	ck_assert_int_eq(ssd_newfile_check("-", &err), -1);
	ck_assert_int_eq(err.code, SSD_ERR_USAGE);
	ck_assert_int_eq(ssd_newfile_open(&f, "-", &err), -1);
	ck_assert_int_eq(ssd_newfile_check("./-", &err), 0);
}
END_TEST

START_TEST(nameless)
{
	has_nameless = true;
	published();
	never_over_another();
	given_up();
}
END_TEST

START_TEST(named)
{
	has_nameless = false;
	published();
	never_over_another();
	given_up();
}
END_TEST

CHECK_MAIN("newfile", no_dash, nameless, named)
