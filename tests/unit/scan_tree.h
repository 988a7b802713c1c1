/* SPDX-License-Identifier: MIT */
/* Builds trees of files for the discovery tests, in a temporary directory that is removed at exit. */
#ifndef TESTS_SCAN_TREE_H
#define TESTS_SCAN_TREE_H

#include <ftw.h>
#include <ssdct/device.h>
#include <sys/stat.h>

static char tree_root[64];

static int tree_remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static void tree_remove(void)
{
	if (*tree_root)
		nftw(tree_root, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static const char *tree_new(void)
{
	tree_remove();
	strcpy(tree_root, "/tmp/ssdct-scan-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(tree_root));
	atexit(tree_remove);
	return tree_root;
}

/* Makes all directories above the last component of path. */
static void tree_parents(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
}

static void put_bytes(const char *name, const void *bytes, size_t len)
{
	AUTO_FREE char *path = ssd_asprintf("%s/%s", tree_root, name);
	FILE *f;

	tree_parents(path);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(bytes, 1, len, f), len);
	fclose(f);
}

/* An attribute as sysfs has it: the text and a newline. */
static inline void put(const char *dir, const char *name, const char *text)
{
	AUTO_FREE char *path = ssd_asprintf("%s/%s", dir, name), *line = ssd_asprintf("%s\n", text);

	put_bytes(path, line, strlen(line));
}

static inline void put_link(const char *name, const char *target)
{
	AUTO_FREE char *path = ssd_asprintf("%s/%s", tree_root, name);

	tree_parents(path);
	ck_assert_int_eq(symlink(target, path), 0);
}

static inline void put_dir(const char *name)
{
	AUTO_FREE char *path = ssd_asprintf("%s/%s/", tree_root, name);

	tree_parents(path);
}

#endif
