/* SPDX-License-Identifier: MIT */
/* Reading below a root. Nothing here waits or fails: what is not there is not known. */
#include "doctor.h"

#include <fcntl.h>
#include <sys/stat.h>

/* ROOT/formatted, owned; NULL without a root. */
static char *path_of(const struct ssd_doctor *d, enum ssd_doctor_root root, bool content, const char *fmt, va_list ap)
{
	AUTO_FREE char *name = NULL;

	if (!d->roots->path[root] || vasprintf(&name, fmt, ap) < 0)
		return NULL;
	if (d->roots->watch)
		d->roots->watch(d->roots->ctx, root, name, content);
	return ssd_asprintf("%s/%s", d->roots->path[root], name);
}

#define PATH(variable, content)                          \
	AUTO_FREE char *variable = NULL;                 \
	va_list ap;                                      \
	va_start(ap, fmt);                               \
	(variable) = path_of(d, root, content, fmt, ap); \
	va_end(ap)

bool doctor_text(const struct ssd_doctor *d, enum ssd_doctor_root root, char buf[DOCTOR_TEXT], const char *fmt, ...)
{
	PATH(path, true);

	*buf = '\0';
	return path && !scan_attr(AT_FDCWD, path, buf, DOCTOR_TEXT) && *buf;
}

long long doctor_int(const struct ssd_doctor *d, enum ssd_doctor_root root, long long missing, const char *fmt, ...)
{
	PATH(path, true);

	return path ? scan_attr_int(AT_FDCWD, path, missing) : missing;
}

bool doctor_exists(const struct ssd_doctor *d, enum ssd_doctor_root root, const char *fmt, ...)
{
	PATH(path, false);

	/* A link in /run and /etc of systemd says something even when it leads nowhere. */
	return path && !faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW);
}

void doctor_list(const struct ssd_doctor *d, enum ssd_doctor_root root, bool (*wanted)(const char *),
		 struct scan_names *names, const char *fmt, ...)
{
	PATH(path, false);

	*names = (struct scan_names){0};
	if (path)
		scan_list(AT_FDCWD, path, wanted, names);
	for (size_t i = 0; d->roots->watch && i < names->n; i++) {
		AUTO_FREE char *name = ssd_asprintf("%s/%s", path + strlen(d->roots->path[root]) + 1, names->v[i]);

		d->roots->watch(d->roots->ctx, root, name, false);
	}
}

bool doctor_link(const struct ssd_doctor *d, enum ssd_doctor_root root, char buf[DOCTOR_TEXT], const char *fmt, ...)
{
	PATH(path, false);

	*buf = '\0';
	return path && !scan_link_name(AT_FDCWD, path, buf, DOCTOR_TEXT);
}

bool doctor_resolve(const struct ssd_doctor *d, enum ssd_doctor_root root, char name[PATH_MAX], const char *fmt, ...)
{
	PATH(path, false);
	AUTO_FREE char *real = path ? realpath(path, NULL) : NULL;
	AUTO_FREE char *top = real ? realpath(d->roots->path[root], NULL) : NULL;
	size_t len = top ? strlen(top) : 0;

	*name = '\0';
	if (!len || strncmp(real, top, len) != 0 || real[len] != '/')
		return false;
	ssd_strcpy(name, PATH_MAX, real + len + 1);
	return true;
}

/* Never waits, whatever the file is. */
static FILE *open_file(const char *path)
{
	int fd = path ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
	struct stat st;
	FILE *f = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) ? fdopen(fd, "r") : NULL;

	if (fd >= 0 && !f)
		close(fd);
	return f;
}

FILE *doctor_open(const struct ssd_doctor *d, enum ssd_doctor_root root, const char *fmt, ...)
{
	PATH(path, true);

	return open_file(path);
}

long long doctor_line_int(const struct ssd_doctor *d, enum ssd_doctor_root root, const char *word, long long missing,
			  const char *fmt, ...)
{
	PATH(path, true);
	AUTO_FREE char *line = NULL;
	AUTO_FCLOSE FILE *f = open_file(path);
	size_t size = 0, len = strlen(word);

	while (f && getline(&line, &size, f) > 0) {
		if (strncmp(line, word, len) != 0 || line[len] != ' ')
			continue;
		scan_trim(line);
		return scan_int(line + len + 1, missing);
	}
	return missing;
}

void doctor_chosen(char text[DOCTOR_TEXT])
{
	char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;

	if (!close)
		return;
	*close = '\0';
	memmove(text, open + 1, (size_t)(close - open));
}

static void add_cpu(struct doctor_cpus *cpus, unsigned long cpu)
{
	if (cpu >= DOCTOR_CPUS || cpus->bits[cpu / 8] >> cpu % 8 & 1)
		return;
	cpus->bits[cpu / 8] |= (uint8_t)(1u << cpu % 8);
	cpus->n++;
}

void doctor_cpus_add(struct doctor_cpus *cpus, const char *list)
{
	while (*list >= '0' && *list <= '9') {
		char *end;
		unsigned long first = strtoul(list, &end, 10), last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		for (unsigned long cpu = first; cpu <= last && cpu < DOCTOR_CPUS; cpu++)
			add_cpu(cpus, cpu);
		list = *end == ',' ? end + 1 : "";
	}
}

bool doctor_cpus_read(const struct ssd_doctor *d, enum ssd_doctor_root root, struct doctor_cpus *cpus, const char *fmt,
		      ...)
{
	PATH(path, true);
	AUTO_FREE char *line = NULL;
	AUTO_FCLOSE FILE *f = open_file(path);
	size_t size = 0;

	if (!f || getline(&line, &size, f) <= 0)
		return false;
	doctor_cpus_add(cpus, line);
	return true;
}

unsigned doctor_online_cpus(const struct ssd_doctor *d)
{
	struct doctor_cpus cpus = {.n = 0};

	/* Linux, Documentation/ABI/testing/sysfs-devices-system-cpu. */
	doctor_cpus_read(d, SYS, &cpus, "devices/system/cpu/online");
	return cpus.n;
}
