/* SPDX-License-Identifier: MIT */
#include "sim/hostfile.h"

#include <ctype.h>
#include <dirent.h>

/* Letters of the qualifiers that a kind of file may carry, in the order in which they are written. */
static const struct {
	const char *stem;
	struct {
		char letter;
		int qualifier;
	} q[4];
} kinds[] = {
	[HOST_FILE_IDENTIFY] = {"identify-", {{'n', HOST_FILE_NSID}, {'c', HOST_FILE_CNTID}, {'i', HOST_FILE_CSI}}},
	[HOST_FILE_LOG] = {"log-", {{'n', HOST_FILE_NSID}, {'s', HOST_FILE_LSI}, {'u', HOST_FILE_UUID}}},
	[HOST_FILE_FEATURE] = {"feature-", {{'n', HOST_FILE_NSID}, {'c', HOST_FILE_CDW11}}},
	[HOST_FILE_DUMP] = {"dump-", {{'c', HOST_FILE_CORE}, {'n', HOST_FILE_NLOG}}},
};

#define SUFFIX ".bin"
#define ID_CTRL "id-ctrl"
#define ID_NS "id-ns-"

struct host_file host_file_of(enum host_file_kind kind, uint8_t id)
{
	struct host_file file = {.kind = kind, .id = id};

	for (unsigned i = 0; i < HOST_FILE_QUALIFIERS; i++)
		file.q[i] = HOST_FILE_ANY;
	return file;
}

/* Digits in the given base, or in hexadecimal after 0x; at most 32 bits. */
static bool number(const char **p, int base, int64_t *value)
{
	unsigned long long v;
	char *end;

	if (!isxdigit((unsigned char)**p))
		return false;
	if ((*p)[0] == '0' && ((*p)[1] == 'x' || (*p)[1] == 'X'))
		base = 16;
	v = strtoull(*p, &end, base);
	if (end == *p || v > UINT32_MAX)
		return false;
	*p = end;
	*value = (int64_t)v;
	return true;
}

/* "-n1-s2": each letter at most once, and only those of the kind. */
static bool qualifiers(const char *p, struct host_file *file)
{
	while (*p == '-') {
		unsigned i = 0;

		while (i < ARRAY_SIZE(kinds[0].q) && kinds[file->kind].q[i].letter != p[1])
			i++;
		if (!p[1] || i == ARRAY_SIZE(kinds[0].q) || file->q[kinds[file->kind].q[i].qualifier] != HOST_FILE_ANY)
			return false;
		p += 2;
		if (!number(&p, 10, &file->q[kinds[file->kind].q[i].qualifier]))
			return false;
	}
	return !strcmp(p, SUFFIX);
}

bool host_file_parse(const char *name, struct host_file *file)
{
	const char *p;
	int64_t id;

	*file = host_file_of(HOST_FILE_IDENTIFY, 1);
	if (!strcmp(name, ID_CTRL SUFFIX))
		return true;
	if (!strncmp(name, ID_NS, strlen(ID_NS))) {
		file->id = 0;
		p = name + strlen(ID_NS);
		return number(&p, 10, &file->q[HOST_FILE_NSID]) && !strcmp(p, SUFFIX);
	}
	for (unsigned kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
		if (strncmp(name, kinds[kind].stem, strlen(kinds[kind].stem)))
			continue;
		p = name + strlen(kinds[kind].stem);
		if (!number(&p, 16, &id) || id > 0xff)
			return false;
		*file = host_file_of(kind, (uint8_t)id);
		return qualifiers(p, file);
	}
	return false;
}

char *host_file_name(const struct host_file *file)
{
	char *name, *longer;

	if (file->kind == HOST_FILE_IDENTIFY && file->id == 1)
		return ssd_strdup(ID_CTRL SUFFIX);
	if (file->kind == HOST_FILE_IDENTIFY && file->id == 0 && file->q[HOST_FILE_NSID] != HOST_FILE_ANY)
		return ssd_asprintf(ID_NS "%lld" SUFFIX, (long long)file->q[HOST_FILE_NSID]);
	name = ssd_asprintf("%s%02x", kinds[file->kind].stem, file->id);
	for (unsigned i = 0; i < ARRAY_SIZE(kinds[0].q) && kinds[file->kind].q[i].letter; i++) {
		int64_t v = file->q[kinds[file->kind].q[i].qualifier];

		if (v == HOST_FILE_ANY)
			continue;
		longer = ssd_asprintf("%s-%c%lld", name, kinds[file->kind].q[i].letter, (long long)v);
		free(name);
		name = longer;
	}
	longer = ssd_asprintf("%s" SUFFIX, name);
	free(name);
	return longer;
}

/* How specific an answer the file is, or -1: to something else. Among equally many, the earlier qualifier wins. */
static int specificity(const struct host_file *file, const struct host_file *want)
{
	int count = 0, order = 0;

	if (file->kind != want->kind || file->id != want->id)
		return -1;
	for (unsigned i = 0; i < HOST_FILE_QUALIFIERS; i++) {
		if (file->q[i] == HOST_FILE_ANY)
			continue;
		if (file->q[i] != want->q[i])
			return -1;
		count++;
		order |= 1 << (HOST_FILE_QUALIFIERS - 1 - i);
	}
	return count << HOST_FILE_QUALIFIERS | order;
}

char *host_file_find(const char *dir, const struct host_file *want)
{
	DIR *d = opendir(dir);
	struct host_file file;
	struct dirent *e;
	char *best = NULL;
	int highest = -1;

	while (d && (e = readdir(d))) {
		int s = host_file_parse(e->d_name, &file) ? specificity(&file, want) : -1;

		/* Two spellings of the same name (log-ca.bin, log-CA.bin): any one, but always the same. */
		if (s < 0 || s < highest || (s == highest && strcmp(e->d_name, best) > 0))
			continue;
		free(best);
		best = ssd_strdup(e->d_name);
		highest = s;
	}
	if (d)
		closedir(d);
	return best;
}

static int ascending(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Identify. */
#define CNS_ALLOCATED_NS 0x11

static size_t namespaces(const char *dir, bool allocated, uint32_t **nsids)
{
	DIR *d = opendir(dir);
	struct host_file file;
	struct dirent *e;
	size_t n = 0;

	*nsids = NULL;
	while (d && (e = readdir(d))) {
		if (!host_file_parse(e->d_name, &file) || file.kind != HOST_FILE_IDENTIFY)
			continue;
		/* FFFFFFFFh is no namespace, but what all have in common. */
		if (file.q[HOST_FILE_NSID] < 1 || file.q[HOST_FILE_NSID] >= UINT32_MAX)
			continue;
		if (strncmp(e->d_name, ID_NS, strlen(ID_NS)) && !(allocated && file.id == CNS_ALLOCATED_NS))
			continue;
		*nsids = ssd_realloc(*nsids, n + 1, sizeof(**nsids));
		(*nsids)[n++] = (uint32_t)file.q[HOST_FILE_NSID];
	}
	if (d)
		closedir(d);
	if (n)
		qsort(*nsids, n, sizeof(**nsids), ascending);
	return n;
}

size_t host_file_namespaces(const char *dir, uint32_t **nsids)
{
	return namespaces(dir, false, nsids);
}

size_t host_file_allocated(const char *dir, uint32_t **nsids)
{
	return namespaces(dir, true, nsids);
}
