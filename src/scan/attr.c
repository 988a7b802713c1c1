/* SPDX-License-Identifier: MIT */
/* Names, directories and attributes as sysfs has them; plain files in a plain directory do as well. */
#include "scan/scan.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* Longer than any attribute read here; the longest are NQNs (223 bytes) and fabrics addresses. */
#define MAX_ATTR_BYTES 256
/* More directory entries than that are not a machine. */
#define MAX_ENTRIES 65536

/* Skips `word` and the digits behind it; NULL when they are not there. */
static const char *skip(const char *s, const char *word)
{
	size_t len = strlen(word), digits;

	if (!s || strncmp(s, word, len))
		return NULL;
	digits = strspn(s + len, "0123456789");
	return digits ? s + len + digits : NULL;
}

static bool at_end(const char *s)
{
	return s && !*s;
}

bool scan_is_controller(const char *name)
{
	return at_end(skip(name, "nvme"));
}

bool scan_is_block(const char *name)
{
	return at_end(skip(skip(name, "nvme"), "n"));
}

bool scan_is_path(const char *name)
{
	return at_end(skip(skip(skip(name, "nvme"), "c"), "n"));
}

bool scan_is_generic(const char *name)
{
	return at_end(skip(skip(name, "ng"), "n"));
}

const char *scan_suffix(const char *name)
{
	const char *last = strrchr(name, 'n');

	return last ? last + 1 : "";
}

void scan_names_free(struct scan_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->v[i]);
	free(names->v);
	*names = (struct scan_names){0};
}

int scan_opendir(int dir, const char *path)
{
	return openat(dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static int by_name(const void *a, const void *b)
{
	return ssd_natural_cmp(*(char *const *)a, *(char *const *)b);
}

static void add_name(struct scan_names *names, const char *name)
{
	names->v = ssd_realloc(names->v, names->n + 1, sizeof(*names->v));
	names->v[names->n++] = ssd_strdup(name);
}

void scan_list(int dir, const char *path, bool (*wanted)(const char *), struct scan_names *names)
{
	int fd = scan_opendir(dir, path);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	*names = (struct scan_names){0};
	if (!d) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((entry = readdir(d)) && names->n < MAX_ENTRIES) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (!wanted || wanted(entry->d_name))
			add_name(names, entry->d_name);
	}
	closedir(d);
	if (names->n)
		qsort(names->v, names->n, sizeof(*names->v), by_name);
}

void scan_trim(char *text)
{
	size_t len = strlen(text), start = 0;

	while (len && (unsigned char)text[len - 1] <= ' ')
		len--;
	while (start < len && (unsigned char)text[start] <= ' ')
		start++;
	memmove(text, text + start, len - start);
	text[len - start] = '\0';
}

int scan_attr(int dir, const char *path, char *buf, size_t size)
{
	/* O_NONBLOCK: whatever the file is, a look at the host never waits. */
	AUTO_CLOSE int fd = openat(dir, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char text[MAX_ATTR_BYTES + 1];
	struct stat st;
	ssize_t n;

	*buf = '\0';
	if (fd < 0 || fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	do
		n = read(fd, text, MAX_ATTR_BYTES);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	text[n] = '\0';
	scan_trim(text);
	ssd_strcpy(buf, size, text);
	return 0;
}

long long scan_int(const char *text, long long missing)
{
	char *end;
	long long value;

	errno = 0;
	value = strtoll(text, &end, strncmp(text, "0x", 2) ? 10 : 16);
	return errno || end == text || *end ? missing : value;
}

long long scan_attr_int(int dir, const char *path, long long missing)
{
	char text[MAX_ATTR_BYTES];

	return scan_attr(dir, path, text, sizeof(text)) ? missing : scan_int(text, missing);
}

int scan_link_name(int dir, const char *path, char *buf, size_t size)
{
	char target[4096];
	ssize_t n = readlinkat(dir, path, target, sizeof(target) - 1);
	const char *slash;

	*buf = '\0';
	if (n < 0)
		return -errno;
	target[n] = '\0';
	slash = strrchr(target, '/');
	ssd_strcpy(buf, size, slash ? slash + 1 : target);
	return 0;
}

int scan_node_name(const char *sysfs, mode_t mode, dev_t rdev, char *buf, size_t size)
{
	AUTO_FREE char *path =
		ssd_asprintf("%s/dev/%s/%u:%u", sysfs, S_ISBLK(mode) ? "block" : "char", major(rdev), minor(rdev));

	return scan_link_name(AT_FDCWD, path, buf, size);
}

/* Hexadecimal digits up to `stop` (0: the end); -1 when there are none, too many, or something else. */
static const char *hex_part(const char *s, char stop, size_t max_digits, unsigned *value)
{
	size_t n = s ? strspn(s, "0123456789abcdefABCDEF") : 0;

	if (!n || n > max_digits || s[n] != stop)
		return NULL;
	*value = (unsigned)strtoul(s, NULL, 16);
	return s + n + (stop != 0);
}

bool scan_pci_parse(const char *text, struct scan_pci *pci)
{
	const char *colon = strchr(text, ':');

	*pci = (struct scan_pci){.has_domain = colon && strchr(colon + 1, ':')};
	if (pci->has_domain)
		text = hex_part(text, ':', 8, &pci->domain);
	text = hex_part(text, ':', 2, &pci->bus);
	text = hex_part(text, '.', 2, &pci->device);
	return hex_part(text, '\0', 1, &pci->function) != NULL;
}
