/* SPDX-License-Identifier: MIT */
/* The files of page descriptions: which are there, which may be trusted, what is in them. */
#include "parse.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#define SYSTEM_DIR "/etc/ssdct/pages.d"
/* Address space; a table takes about four times the memory of its text. */
#define ARENA_BYTES (256u << 20)

struct load {
	struct ssd_local *local;
	const char *dir;
	int fd;
	int64_t owner; /* -1: anybody */
	ssd_local_note note;
	void *ctx;
};

static void PRINTF(3, 4) tell(const struct load *l, const char *file, const char *fmt, ...)
{
	char text[600];
	va_list ap;
	int n = snprintf(text, sizeof(text), "%s%s%s: ", l->dir, file ? "/" : "", file ? file : "");

	if (n < 0 || (size_t)n >= sizeof(text))
		n = (int)strlen(text);
	va_start(ap, fmt);
	vsnprintf(text + n, sizeof(text) - (size_t)n, fmt, ap);
	va_end(ap);
	for (char *c = text; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	if (l->note)
		l->note(l->ctx, text);
}

/* Why somebody else could have written it; NULL: nobody else can. */
static const char *distrust(const struct load *l, const struct stat *st)
{
	if (l->owner < 0)
		return NULL;
	if (st->st_uid != l->owner)
		return l->owner ? "it belongs to somebody else" : "it does not belong to root";
	return st->st_mode & (S_IWGRP | S_IWOTH) ? "its group or others may write it" : NULL;
}

/* Who may write into the directory or into the one above it can put any file here. */
static bool may_use_directory(const struct load *l)
{
	static const char *const names[] = {".", ".."};
	struct stat st;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *why = fstatat(l->fd, names[i], &st, 0) ? "it cannot be looked at" : distrust(l, &st);

		if (why) {
			tell(l, NULL, "page descriptions are not read: %s%s", i ? "of the directory above, " : "", why);
			return false;
		}
	}
	return true;
}

static char *slurp(int fd, size_t size, size_t *len)
{
	char *text = ssd_calloc(size + 1, 1);

	*len = 0;
	while (*len < size) {
		ssize_t n = read(fd, text + *len, size - *len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		*len += (size_t)n;
	}
	return text;
}

static void take(struct load *l, const struct ssd_local_page *pages, size_t n)
{
	struct ssd_local *local = l->local;
	struct ssd_local_page *all = ssd_arena_alloc(local->arena, (local->n + n) * sizeof(*all));

	if (local->n)
		memcpy(all, local->pages, local->n * sizeof(*all));
	memcpy(all + local->n, pages, n * sizeof(*all));
	local->pages = all;
	local->n += n;
}

static void load_file(struct load *l, const char *name)
{
	/* O_NONBLOCK: opening a FIFO must not wait for a writer. */
	AUTO_CLOSE int fd = openat(l->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct ssd_local_page pages[LOCAL_MAX_PAGES];
	AUTO_FREE char *text = NULL;
	const char *why;
	struct stat st;
	char fault[240];
	size_t len;
	int n;

	if (fd < 0 && errno == ELOOP) {
		tell(l, name, "left out: not a regular file");
		return;
	}
	if (fd < 0 || fstat(fd, &st)) {
		tell(l, name, "left out: %s", strerrordesc_np(errno));
		return;
	}
	why = S_ISREG(st.st_mode) ? distrust(l, &st) : "not a regular file";
	if (!why && st.st_size > LOCAL_FILE_BYTES)
		why = "larger than 256 KiB";
	if (why) {
		tell(l, name, "left out: %s", why);
		return;
	}
	text = slurp(fd, (size_t)st.st_size, &len);
	n = local_parse(l->local->arena, ssd_arena_strdup(l->local->arena, name), text, len, pages, fault);
	if (n < 0)
		tell(l, name, "left out: %s", fault);
	else
		take(l, pages, (size_t)n);
}

static int is_description(const struct dirent *e)
{
	size_t len = strlen(e->d_name);

	return *e->d_name != '.' && len > 5 && !strcmp(e->d_name + len - 5, ".json");
}

/* Byte order, whatever the locale: of two descriptions of one page the first is taken. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void load_files(struct load *l)
{
	struct dirent **entries = NULL;
	int n = scandirat(l->fd, ".", &entries, is_description, by_name);

	if (n < 0)
		tell(l, NULL, "page descriptions are not read: %s", strerrordesc_np(errno));
	for (int i = 0; i < n; i++) {
		if (i < LOCAL_MAX_FILES)
			load_file(l, entries[i]->d_name);
		else if (i == LOCAL_MAX_FILES)
			tell(l, NULL, "only the first %d page descriptions are read", LOCAL_MAX_FILES);
		free(entries[i]);
	}
	free(entries);
}

static struct ssd_local *local_new(void)
{
	struct ssd_arena *arena = ssd_arena_new(ARENA_BYTES);
	struct ssd_local *local = arena ? ssd_arena_alloc(arena, sizeof(*local)) : NULL;

	if (local)
		local->arena = arena;
	return local;
}

struct ssd_local *ssd_local_load_dir(const char *dir, int64_t owner, ssd_local_note note, void *ctx)
{
	AUTO_CLOSE int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct load l = {.dir = dir, .fd = fd, .owner = owner, .note = note, .ctx = ctx};

	if (fd < 0) {
		if (errno != ENOENT)
			tell(&l, NULL, "page descriptions are not read: %s", strerrordesc_np(errno));
		return NULL;
	}
	l.local = local_new();
	if (l.local && may_use_directory(&l))
		load_files(&l);
	if (l.local && l.local->n)
		return l.local;
	ssd_local_free(l.local);
	return NULL;
}

/* Owned; NULL: there is none. */
static char *dir_of(const struct ssd_host *host)
{
	if (host->backend == SSD_BACKEND_LINUX)
		return ssd_strdup(SYSTEM_DIR);
	return host->dir ? ssd_asprintf("%s/pages.d", host->dir) : NULL;
}

struct ssd_local *ssd_local_load(const struct ssd_host *host, ssd_local_note note, void *ctx)
{
	AUTO_FREE char *dir = dir_of(host);

	return dir ? ssd_local_load_dir(dir, host->backend == SSD_BACKEND_LINUX ? 0 : -1, note, ctx) : NULL;
}

int ssd_local_copy(const struct ssd_host *host, const struct ssd_local *local, const char *to, struct ssd_err *err)
{
	AUTO_FREE char *dir = dir_of(host);

	if (dir && local->n && mkdir(to, 0700) && errno != EEXIST)
		return ssd_fail_errno(err, errno, "making directory %s", to);
	for (size_t i = 0; dir && i < local->n; i++) {
		AUTO_FREE char *from = ssd_asprintf("%s/%s", dir, local->pages[i].file);
		AUTO_FREE char *path = ssd_asprintf("%s/%s", to, local->pages[i].file);
		AUTO_FREE uint8_t *data = NULL;
		size_t len;
		int rc;

		/* A file may have several pages. */
		if (i && !strcmp(local->pages[i].file, local->pages[i - 1].file))
			continue;
		rc = ssd_read_file(from, LOCAL_FILE_BYTES, &data, &len);
		if (!rc)
			rc = ssd_replace_file(path, data, len, 0600);
		if (rc)
			return ssd_fail_errno(err, -rc, "copying %s", from);
	}
	return 0;
}

void ssd_local_free(struct ssd_local *local)
{
	if (local)
		ssd_arena_free(local->arena);
}
