/* SPDX-License-Identifier: MIT */
/* Reading below a root. Nothing here waits or fails: what is not there is not known. */
#include "doctor.h"

#include <fcntl.h>

/* ROOT/formatted, owned; NULL without a root. */
static char *path_of(const char *root, const char *fmt, va_list ap)
{
	char *rest = NULL, *path;

	if (!root)
		return NULL;
	if (vasprintf(&rest, fmt, ap) < 0)
		return NULL;
	path = ssd_asprintf("%s/%s", root, rest);
	free(rest);
	return path;
}

#define PATH(variable)                       \
	AUTO_FREE char *variable = NULL;     \
	va_list ap;                          \
	va_start(ap, fmt);                   \
	(variable) = path_of(root, fmt, ap); \
	va_end(ap)

bool doctor_text(const char *root, char buf[DOCTOR_TEXT], const char *fmt, ...)
{
	PATH(path);

	*buf = '\0';
	return path && !scan_attr(AT_FDCWD, path, buf, DOCTOR_TEXT) && *buf;
}

long long doctor_int(const char *root, long long missing, const char *fmt, ...)
{
	PATH(path);

	return path ? scan_attr_int(AT_FDCWD, path, missing) : missing;
}

bool doctor_exists(const char *root, const char *fmt, ...)
{
	PATH(path);

	/* A link in /run and /etc of systemd says something even when it leads nowhere. */
	return path && !faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW);
}

void doctor_list(const char *root, bool (*wanted)(const char *), struct scan_names *names, const char *fmt, ...)
{
	PATH(path);

	*names = (struct scan_names){0};
	if (path)
		scan_list(AT_FDCWD, path, wanted, names);
}

bool doctor_link(const char *root, char buf[DOCTOR_TEXT], const char *fmt, ...)
{
	PATH(path);

	*buf = '\0';
	return path && !scan_link_name(AT_FDCWD, path, buf, DOCTOR_TEXT);
}

long long doctor_line_int(const char *root, const char *word, long long missing, const char *fmt, ...)
{
	AUTO_FREE char *line = NULL;
	AUTO_FCLOSE FILE *f = NULL;
	size_t size = 0, len = strlen(word);
	PATH(path);

	f = path ? fopen(path, "re") : NULL;
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

unsigned doctor_online_cpus(const struct ssd_doctor *d)
{
	struct doctor_cpus cpus = {.n = 0};
	char text[DOCTOR_TEXT];

	/* Linux, Documentation/ABI/testing/sysfs-devices-system-cpu. */
	if (doctor_text(d->roots->sys, text, "devices/system/cpu/online"))
		doctor_cpus_add(&cpus, text);
	return cpus.n;
}
