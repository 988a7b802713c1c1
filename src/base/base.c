/* SPDX-License-Identifier: MIT */
/* Checked allocation, bounded strings, whole files, clocks. */
#include <ssdct/base.h>

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>

static void *checked(void *p)
{
	if (!p) {
		static const char text[] = "ssdct: out of memory\n";

		(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
		_exit(1);
	}
	return p;
}

void *ssd_calloc(size_t count, size_t size)
{
	return checked(calloc(count ? count : 1, size ? size : 1));
}

void *ssd_realloc(void *p, size_t count, size_t size)
{
	return checked(reallocarray(p, count ? count : 1, size ? size : 1));
}

char *ssd_strdup(const char *s)
{
	return checked(strdup(s));
}

char *ssd_asprintf(const char *fmt, ...)
{
	va_list ap;
	char *s = NULL;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	return checked(n < 0 ? NULL : s);
}

void ssd_strcpy(char *dst, size_t size, const char *src)
{
	size_t len = strnlen(src, size - 1);

	memmove(dst, src, len);
	dst[len] = '\0';
}

unsigned ssd_edit_distance(const char *a, const char *b)
{
	unsigned row[64], n = (unsigned)strnlen(b, ARRAY_SIZE(row) - 1);

	for (unsigned j = 0; j <= n; j++)
		row[j] = j;
	for (unsigned i = 0; a[i]; i++) {
		unsigned diagonal = row[0];

		row[0] = i + 1;
		for (unsigned j = 1; j <= n; j++) {
			bool same = tolower((unsigned char)a[i]) == tolower((unsigned char)b[j - 1]);
			unsigned best = diagonal + (same ? 0 : 1);

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[n];
}

void ssd_unescape_octal(char *text)
{
	char *to = text;

	for (const char *from = text; *from; to++) {
		unsigned byte = 0;

		if (*from == '\\' && strspn(from + 1, "01234567") >= 3) {
			for (int i = 1; i <= 3; i++)
				byte = byte * 8 + (unsigned)(from[i] - '0');
			*to = (char)byte;
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
}

int ssd_natural_cmp(const char *a, const char *b)
{
	while (*a && *b) {
		if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
			size_t na, nb;
			int c;

			a += strspn(a, "0");
			b += strspn(b, "0");
			na = strspn(a, "0123456789");
			nb = strspn(b, "0123456789");
			c = na != nb ? (na < nb ? -1 : 1) : strncmp(a, b, na);
			if (c)
				return c;
			a += na;
			b += nb;
		} else if (*a != *b) {
			break;
		} else {
			a++;
			b++;
		}
	}
	return (unsigned char)*a - (unsigned char)*b;
}

int ssd_read_file(const char *path, size_t max_bytes, uint8_t **data, size_t *len)
{
	/* O_NONBLOCK: opening a FIFO must not wait for a writer; it has no effect on a regular file. */
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	AUTO_FREE uint8_t *buf = NULL;
	size_t got = 0;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	if ((uint64_t)st.st_size > max_bytes)
		return -EFBIG;
	buf = ssd_calloc((size_t)st.st_size + 1, 1);
	while (got < (size_t)st.st_size) {
		ssize_t n = read(fd, buf + got, (size_t)st.st_size - got);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		got += (size_t)n;
	}
	*data = STEAL(buf);
	*len = got;
	return 0;
}

static int write_all(int fd, const uint8_t *p, size_t len)
{
	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

int ssd_replace_file(const char *path, const void *data, size_t len, unsigned mode)
{
	AUTO_FREE char *tmp = ssd_asprintf("%s.XXXXXX", path);
	AUTO_CLOSE int fd = mkostemp(tmp, O_CLOEXEC);
	int rc;

	if (fd < 0)
		return -errno;
	rc = write_all(fd, data, len);
	if (!rc && fchmod(fd, mode))
		rc = -errno;
	if (!rc && rename(tmp, path))
		rc = -errno;
	if (rc)
		unlink(tmp);
	return rc;
}

uint64_t ssd_now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

uint64_t ssd_now_ms(void)
{
	return ssd_now_us() / 1000;
}

const char *ssd_bytes_text(double bytes, char buf[32])
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"};
	size_t u = 0;

	/* Powers of two are block, buffer and transfer sizes: nobody calls 128 KiB 131.07 kB. */
	if (bytes >= 1024 && bytes < 1024.0 * 1024 * 1024 && !((uint64_t)bytes & ((uint64_t)bytes - 1))) {
		snprintf(buf, 32, bytes < 1024 * 1024 ? "%.0f KiB" : "%.0f MiB",
			 bytes / (bytes < 1024 * 1024 ? 1024 : 1024 * 1024));
		return buf;
	}
	while (bytes >= 999.995 && u + 1 < ARRAY_SIZE(units)) {
		bytes /= 1000;
		u++;
	}
	if (u)
		snprintf(buf, 32, "%.2f %s", bytes, units[u]);
	else
		snprintf(buf, 32, "%.0f B", bytes);
	return buf;
}
