/* SPDX-License-Identifier: MIT */
/* What the tests of the page tables share: images of exactly the bytes there are, and libnvme's idea of an offset. */
#ifndef TESTS_PAGE_IMAGE_H
#define TESTS_PAGE_IMAGE_H

#include <ssdct/le.h>
#include <ssdct/page.h>
#include <ssdct/render.h>

enum { ID_LEN = 4096, LOG_LEN = 512 };

/* A copy of exactly len bytes, so that the sanitizer sees a read past them. */
static inline const struct ssd_node *decode(const struct ssd_page *page, const void *bytes, size_t len)
{
	static struct ssd_arena *arena; /* of the last document: a test looks at one at a time */
	uint8_t *copy = malloc(len ? len : 1);
	const struct ssd_node *doc;

	memcpy(copy, bytes, len);
	if (arena)
		ssd_arena_free(arena);
	arena = ssd_arena_new(8 << 20);
	doc = ssd_page_decode(arena, page, copy, len);
	free(copy);
	return doc;
}

/* Bytes of which no two neighbours and no two fields are alike, none of them 00h or FFh. */
static inline void fill(uint8_t *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		p[i] = (uint8_t)(1 + (i * 7 + i / 256 * 29) % 251);
}

/* Text without its NUL. */
static inline void put_text(uint8_t *p, const char *text)
{
	while (*text)
		*p++ = (uint8_t)*text++;
}

static inline char *json(const struct ssd_node *n)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	ssd_render_json(n, f, true);
	fclose(f);
	return text;
}

/* A wide member and all its digits, as JSON says them. */
static inline void check_wide(const struct ssd_page *page, const void *bytes, size_t len, const char *key,
			      const char *number, const char *digits)
{
	AUTO_FREE char *text = json(decode(page, bytes, len));
	AUTO_FREE char *want = ssd_asprintf("\"%s\":%s,\"%s_str\":\"%s\"", key, number, key, digits);

	ck_assert_msg(strstr(text, want) != NULL, "%s not in %s", want, text);
}

/* A number in the page: where libnvme has it, how many bytes, what ours is of it. */
struct number {
	const char *key;
	size_t off, width;
	uint64_t scale;
};

#define AT(t, m, k, s)                                                  \
	{                                                               \
		k, offsetof(struct t, m), sizeof(((struct t *)0)->m), s \
	}

/* Every number of rows, in an object whose bytes begin at `bytes`, none of which may read as "not reported". */
static inline void check_members(const struct ssd_node *obj, const uint8_t *bytes, const struct number *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct number *r = &rows[i];
		bool huge = r->width > 8 && !!bytes[r->off + 15];
		uint64_t raw = ssd_le(bytes + r->off, r->width > 8 ? 8 : (unsigned)r->width), product;
		bool over = __builtin_mul_overflow(raw, r->scale, &product) || huge || product > INT64_MAX;
		int64_t got = ssd_get_int(obj, r->key, -1);

		ck_assert_msg(got == (over ? INT64_MAX : (int64_t)product), "%s: %lld", r->key, (long long)got);
	}
}

#endif
