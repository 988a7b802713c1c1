/* SPDX-License-Identifier: MIT */
/*
 * Every page of all vendor modules, and every feature, cut at every length (the standard pages are so in test_pages.c): no
 * read past the end (each copy has exactly the bytes that there are, for the sanitizer), and what is said of a cut page
 * is what the whole one says, or nothing: no zero, no number and no text is invented.
 *
 * The bytes are a pattern without zeros, and of vendors' pages also whatever the simulator's models have there, which is
 * written by another description of the same layouts.
 */
#include "check.h"
#include "page_image.h"

#include "sim/models.h"

#include <ssdct/feature.h>
#include <ssdct/plugin.h>

enum { MOST = 4876, ROOM = 64 };

struct image {
	struct host_file of;
	uint8_t bytes[MOST];
	size_t len;
};

/* What the models have, once for each page and contents. */
struct images {
	struct sim_sink sink;
	struct image *v;
	size_t n;
};

static int keep(struct sim_sink *sink, const struct host_file *page, const void *data, size_t len)
{
	struct images *all = (struct images *)sink;
	struct image *image;

	if (len > MOST)
		return 0; /* telemetry and the longest error log: repeated entries */
	for (size_t i = 0; i < all->n; i++)
		if (all->v[i].of.kind == page->kind && all->v[i].of.id == page->id && all->v[i].len == len &&
		    !memcmp(all->v[i].bytes, data, len))
			return 0;
	all->v = ssd_realloc(all->v, all->n + 1, sizeof(*all->v));
	image = &all->v[all->n++];
	*image = (struct image){.of = *page, .len = len};
	memcpy(image->bytes, data, len);
	return 0;
}

static void collect(struct images *all)
{
	*all = (struct images){.sink.put = keep};
	for (const struct sim_model *const *m = sim_models; *m; m++)
		ck_assert_int_eq(sim_model_encode(*m, 0, &all->sink), 0);
	ck_assert_uint_gt(all->n, 40);
}

static struct ssd_node *decode_copy(struct ssd_arena *a, const struct ssd_page *page, const uint8_t *bytes, size_t len)
{
	uint8_t *copy = malloc(len ? len : 1);
	struct ssd_node *doc;

	memcpy(copy, bytes, len);
	doc = ssd_page_decode(a, page, copy, ssd_page_recognise(page, copy, len) ? len : 0);
	free(copy);
	return doc;
}

/* Values compared without making text of them: there are millions. */
static bool is_same(const struct ssd_node *a, const struct ssd_node *b)
{
	switch (a->field->type) {
	case SSD_STR:
		return !strcmp(a->s, b->s);
	case SSD_WIDE:
		return !memcmp(&a->wide, &b->wide, sizeof(a->wide));
	case SSD_BOOL:
		return a->b == b->b;
	case SSD_OBJ:
	case SSD_LIST:
		return true;
	default: /* a number of 64 bits, a real one too */
		return a->u == b->u;
	}
}

/* "where" is the page; how much is missing is what one member says. */
static void check_same_or_null(const struct ssd_node *cut, const struct ssd_node *whole, const char *where, size_t len)
{
	const struct ssd_node *a = cut->child, *b = whole->child;
	const char *key = cut->field->key ? cut->field->key : "element";

	if (cut->null || !strcmp(key, "events_left_out"))
		return;
	ck_assert_msg(!whole->null, "%s, %s cut at %zu: invented", where, key, len);
	if (!a)
		ck_assert_msg(is_same(cut, whole), "%s, %s cut at %zu: %s, not %s", where, key, len, ssd_node_text(cut),
			      ssd_node_text(whole));
	for (; a; a = a->next, b = b->next) {
		ck_assert_msg(b != NULL, "%s, %s cut at %zu: more elements", where, key, len);
		check_same_or_null(a, b, where, len);
	}
}

/* Of a page without a byte nothing is said. */
static void check_empty(const struct ssd_node *doc, const char *where)
{
	for (const struct ssd_node *n = doc->child; n; n = n->next)
		ck_assert_msg(n->null || (n->field->type == SSD_LIST && !n->child), "%s, %s: of no bytes", where,
			      n->field->key);
}

/* Every length; in long pages, whose elements repeat, every remainder of every element instead of every element. */
static size_t next_length(size_t n, size_t len)
{
	return n < 700 || n + 100 >= len ? n + 1 : n + 13;
}

static void cut(const struct ssd_page *page, const uint8_t *bytes, size_t len)
{
	struct ssd_arena *a = ssd_arena_new(64 << 20);
	const struct ssd_node *whole = decode_copy(a, page, bytes, len);

	for (size_t n = 0; n <= len; n = next_length(n, len)) {
		struct ssd_arena *b = ssd_arena_new(64 << 20);
		const struct ssd_node *doc = decode_copy(b, page, bytes, n);

		if (!n)
			check_empty(doc, page->name);
		check_same_or_null(doc, whole, page->name, n);
		ssd_arena_free(b);
	}
	ssd_arena_free(a);
}

static enum host_file_kind kind_of(const struct ssd_page *page)
{
	return page->kind == SSD_PAGE_LOG       ? HOST_FILE_LOG
	       : page->kind == SSD_PAGE_FEATURE ? HOST_FILE_FEATURE
						: HOST_FILE_IDENTIFY;
}

static size_t cut_images(const struct images *all, const struct ssd_page *page)
{
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		if (all->v[i].of.kind == kind_of(page) && all->v[i].of.id == page->id) {
			uint8_t bytes[MOST] = {0};
			size_t len = all->v[i].len < page->size ? page->size : all->v[i].len;

			/* A drive sends as much as was asked for; behind the page there is nothing. */
			memcpy(bytes, all->v[i].bytes, all->v[i].len);
			cut(page, bytes, len < MOST ? len : MOST);
			n++;
		}
	return n;
}

/* A pattern, with what the page is known by: a GUID, or a version of its layout. */
static void cut_pattern(const struct ssd_page *page)
{
	static const uint16_t versions[][2] = {{3, 0}, {4, 0}, {4, 7}, {4, 8}, {1000, 0}, {1, 1}};
	uint8_t bytes[MOST];
	size_t len = page->size < 64 ? 64 : page->size < MOST ? page->size : MOST;

	fill(bytes, sizeof(bytes));
	if (page->signature.len)
		memcpy(bytes + page->signature.off, page->signature.bytes, page->signature.len);
	cut(page, bytes, len);
	/* Histograms with some hundred buckets empty: each that is not is a line of the document. */
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = i % 97 ? 0 : bytes[i];
	for (size_t i = 0; strstr(page->field.key, "latency") && i < ARRAY_SIZE(versions); i++) {
		ssd_put_le(bytes, 2, versions[i][0]);
		ssd_put_le(bytes + 2, 2, versions[i][1]);
		cut(page, bytes, len);
	}
}

/* Each table once, in however many modules it is; of each log page that Intel's drives have there is an image. */
START_TEST(test_vendor_pages)
{
	const struct ssd_page *seen[ROOM];
	struct images all;
	size_t n = 0;

	collect(&all);
	for (const struct ssd_vendor *const *v = ssd_vendors; *v; v++)
		for (const struct ssd_page *const *p = (*v)->pages; *p; p++) {
			size_t i = 0;

			while (i < n && seen[i] != *p)
				i++;
			if (i < n)
				continue;
			ck_assert_uint_lt(n, ROOM);
			seen[n++] = *p;
			cut_pattern(*p);
			ck_assert_msg(cut_images(&all, *p) > 0, "%s: no model has it", (*p)->name);
		}
	ck_assert_uint_gt(n, 15);
	free(all.v);
}
END_TEST

/* Vendors' features are decoded from their dwords or their data as pages are; the standard ones from both. */
START_TEST(test_features)
{
	size_t n = 0;
	uint8_t bytes[4096];

	fill(bytes, sizeof(bytes));
	for (const struct ssd_vendor *const *v = ssd_vendors; *v; v++)
		for (const struct ssd_feature *const *f = (*v)->features; f && *f; f++, n++)
			cut(&(*f)->page, bytes, (*f)->page.size ? (*f)->page.size : 8);
	for (const struct ssd_std_feature *f = ssd_std_features; f->page.name; f++, n++) {
		struct ssd_arena *a = ssd_arena_new(8 << 20);
		const struct ssd_node *whole = ssd_feature_decode(a, &f->page, 0, bytes, f->page.size);

		for (size_t len = 0; len <= f->page.size; len++) {
			struct ssd_arena *b = ssd_arena_new(8 << 20);
			uint8_t *copy = malloc(len ? len : 1);

			memcpy(copy, bytes, len);
			check_same_or_null(ssd_feature_decode(b, &f->page, 0, copy, len), whole, f->page.name, len);
			free(copy);
			ssd_arena_free(b);
		}
		ssd_arena_free(a);
	}
	ck_assert_uint_gt(n, 40);
}
END_TEST

CHECK_MAIN("cut", test_vendor_pages, test_features)
