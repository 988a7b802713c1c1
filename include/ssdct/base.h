/* SPDX-License-Identifier: MIT */
/* What every file needs: cleanup attributes, checked allocation, bounded strings. */
#ifndef SSDCT_BASE_H
#define SSDCT_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SSDCT_VERSION "0.1.0"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/*
 * The one cleanup style: a local that owns something says so in its declaration and is released on every way out.
 * To hand ownership on, return STEAL(variable).
 */
#define AUTO(release) __attribute__((cleanup(release)))
#define AUTO_FREE AUTO(ssd_auto_free)
#define AUTO_CLOSE AUTO(ssd_auto_close)
#define AUTO_FCLOSE AUTO(ssd_auto_fclose)
#define STEAL(p)                      \
	({                            \
		typeof(p) tmp_ = (p); \
		(p) = NULL;           \
		tmp_;                 \
	})

static inline void ssd_auto_free(void *p)
{
	free(*(void **)p);
}

static inline void ssd_auto_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void ssd_auto_fclose(FILE **f)
{
	if (*f)
		fclose(*f);
}

/* Allocation that ends the program when memory is gone; the results are owned by the caller and freed with free(). */
void *ssd_calloc(size_t count, size_t size);
void *ssd_realloc(void *p, size_t count, size_t size);
char *ssd_strdup(const char *s);
char *ssd_asprintf(const char *fmt, ...) PRINTF(1, 2);

/* Bounded copy, always terminated; a longer source is cut. */
void ssd_strcpy(char *dst, size_t size, const char *src);

/* a + b, or UINT64_MAX when that is more: sizes that a drive makes up must not wrap round to small ones. */
static inline uint64_t ssd_add_clamped(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* The distance at which a "did you mean" is still helpful; case-insensitive Damerau-free edit distance. */
unsigned ssd_edit_distance(const char *a, const char *b);

/* Replaces \ooo by the byte, in place: blanks and the like are written so in /proc. */
void ssd_unescape_octal(char *text);
/* Bytes as people say them: capacities in decimal units ("2.00 TB", "512 B"), powers of two in binary ones ("4 KiB"). */
const char *ssd_bytes_text(double bytes, char buf[32]);
/* Natural order: nvme2 before nvme10. Returns as strcmp. */
int ssd_natural_cmp(const char *a, const char *b);

/*
 * Reads a whole regular file of at most max_bytes. Returns 0 and an owned, NUL-terminated buffer (the NUL not counted in
 * *len), or -errno: -EFBIG for a larger file, -EINVAL for anything that is not a regular file.
 */
int ssd_read_file(const char *path, size_t max_bytes, uint8_t **data, size_t *len);

/* Replaces path by the bytes, atomically (temporary file in the same directory, then rename). Returns 0 or -errno. */
int ssd_replace_file(const char *path, const void *data, size_t len, unsigned mode);

/* Milliseconds and microseconds of CLOCK_MONOTONIC. */
uint64_t ssd_now_ms(void);
uint64_t ssd_now_us(void);

#endif
