/* SPDX-License-Identifier: MIT */
/* Documents and renderers: every type, null, wide numbers, hostile strings. Expected text is written by hand. */
#include <ssdct/page.h>
#include <ssdct/render.h>

#include "check.h"

static const struct ssd_name colours[] = {{1, "red"}, {2, "green"}, {0, NULL}};
static const struct ssd_field bits[] = {SSD_BIT("first", "first", 0), SSD_BIT("third", "third", 2),
					SSD_BITS_FIELD("high", "high", 4, 4), SSD_FIELD_END};
static const struct ssd_field item[] = {{.key = "n", .label = "N", .code = SSD_INDEX1, .type = SSD_UINT},
					SSD_U16("v", "V", 0, .flags = SSD_SKIP),
					SSD_FIELD_END};
static const struct ssd_field table[] = {
	SSD_U8("u8", "U8", 0),
	SSD_U16("u16", "U16", 1, .null = SSD_NULL_ONES),
	SSD_U32("scaled_ms", "Scaled", 3, .scale = 100, .unit = SSD_MS),
	SSD_U128("wide", "Wide", 8),
	{.key = "signed", .label = "Signed", .type = SSD_INT, .code = SSD_SLE, .off = 24, .width = 2},
	{.key = "t_celsius",
	 .label = "Temperature",
	 .type = SSD_INT,
	 .code = SSD_KELVIN,
	 .off = 26,
	 .width = 2,
	 .unit = SSD_CELSIUS},
	SSD_TEXT("text", "Text", 28, 8),
	SSD_FLAGS_FIELD("flags", "Flags", 36, 1, bits),
	SSD_ENUM_FIELD("colour", "Colour", 37, 1, colours),
	{.key = "eui", .label = "EUI", .type = SSD_STR, .code = SSD_BYTES_HEX, .off = 38, .width = 4},
	{.key = "oui", .label = "OUI", .type = SSD_STR, .code = SSD_LE_HEX, .off = 42, .width = 3},
	{.key = "ver", .label = "Version", .type = SSD_STR, .code = SSD_NVME_VERSION, .off = 45, .width = 4},
	{.key = "list", .label = "List", .type = SSD_LIST, .off = 49, .count = 3, .stride = 2, .sub = item},
	SSD_FIELD_END,
};
static const struct ssd_page page = {.field = {"page", "Page", .type = SSD_OBJ, .sub = table}, .size = 55};

static const uint8_t
	image[55] =
		{
			[0] = 0xfe, [1] = 0x34,  0x12,     [3] = 5,     [8] = 0xff, 0xff,        0xff,     0xff,
			0xff,       0xff,        0xff,     0xff,        1,          [24] = 0xfb, 0xff,     [26] = 0xfd,
			0x00,       [28] = ' ',  ' ',      'A',         '"',        0x01,        0xff,     ' ',
			0,          [36] = 0x94, [37] = 2, [38] = 0xde, 0xad,       0xbe,        0xef,     [42] = 0xe4,
			0xd2,       0x5c,        [45] = 0, 3,           1,          0,           [49] = 7, 0,
			0,          0,           9,        1,
};

static struct ssd_arena *arena;

static char *json(const struct ssd_node *node)
{
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	ssd_render_json(node, out, true);
	fclose(out);
	return text;
}

START_TEST(test_every_code)
{
	char *text;

	arena = ssd_arena_new(1 << 20);
	text = json(ssd_page_decode(arena, &page, image, sizeof(image)));
	/* wide = 2^64 + (2^64 - 1) */
	ck_assert_str_eq(
		text,
		"{\"u8\":254,\"u16\":4660,\"scaled_ms\":500,\"wide\":9223372036854775807,"
		"\"wide_str\":\"36893488147419103231\",\"signed\":-5,\"t_celsius\":-20,\"text\":"
		"\"A\\\"\\\\x01\\\\xFF\","
		"\"flags\":{\"value\":148,\"first\":false,\"third\":true,\"high\":9},"
		"\"colour\":{\"value\":2,\"name\":\"green\"},\"eui\":\"deadbeef\",\"oui\":\"5cd2e4\",\"ver\":\"1.3.0\","
		"\"list\":[{\"n\":1,\"v\":7},{\"n\":3,\"v\":265}]}\n");
	free(text);
	ssd_arena_free(arena);
}
END_TEST

/* At every length: a member is either what the whole page says, or null. */
START_TEST(test_every_length)
{
	const struct ssd_node *whole;

	arena = ssd_arena_new(4 << 20);
	whole = ssd_page_decode(arena, &page, image, sizeof(image));
	for (size_t len = 0; len <= sizeof(image); len++) {
		/* A copy of exactly that size, so that a read beyond it is caught by the sanitizer. */
		uint8_t *copy = malloc(len ? len : 1);
		const struct ssd_node *cut, *w;

		memcpy(copy, image, len);
		cut = ssd_page_decode(arena, &page, copy, len);
		free(copy);
		w = whole->child;
		for (const struct ssd_node *c = cut->child; c; c = c->next, w = w->next) {
			char *a = json(c), *b = json(w);

			ck_assert_ptr_eq(c->field, w->field);
			if (c->field->type == SSD_LIST)
				ck_assert(c->null || len > c->field->off);
			else if (c->null)
				ck_assert_uint_lt(len, c->field->off + c->field->width);
			else
				ck_assert_str_eq(a, b);
			free(a);
			free(b);
		}
	}
	ssd_arena_free(arena);
}
END_TEST

START_TEST(test_nulls)
{
	uint8_t zero[55] = {0};
	const struct ssd_node *n;

	arena = ssd_arena_new(1 << 20);
	n = ssd_page_decode(arena, &page, zero, sizeof(zero));
	/* 0 is a number, but no temperature, no identifier, no version and no text. */
	ck_assert_ptr_nonnull(ssd_get(n, "u8"));
	ck_assert_ptr_null(ssd_get(n, "t_celsius"));
	ck_assert_ptr_null(ssd_get(n, "eui"));
	ck_assert_ptr_null(ssd_get(n, "oui"));
	ck_assert_ptr_null(ssd_get(n, "ver"));
	ck_assert_ptr_null(ssd_get(n, "text"));
	ck_assert_ptr_null(ssd_get(n, "list")->child);
	memset(zero, 0xff, sizeof(zero));
	n = ssd_page_decode(arena, &page, zero, sizeof(zero));
	ck_assert_ptr_null(ssd_get(n, "u16"));
	ck_assert_ptr_null(ssd_get(n, "colour.name"));
	ck_assert_int_eq(ssd_get_int(n, "colour.value", -1), 255);
	ssd_arena_free(arena);
}
END_TEST

START_TEST(test_text)
{
	static const struct {
		const char *path, *text;
	} rows[] = {
		{"u16", "4,660"},
		{"scaled_ms", "500 ms"},
		{"t_celsius", "-20 C"},
		{"signed", "-5"},
		{"flags", "0x94: third, high 9"},
		{"colour", "green"},
		{"wide", "36,893,488,147,419,103,231"},
	};
	const struct ssd_node *n;
	char buf[32];

	arena = ssd_arena_new(1 << 20);
	n = ssd_page_decode(arena, &page, image, sizeof(image));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		ck_assert_str_eq(ssd_node_text(ssd_get(n, rows[i].path)), rows[i].text);
	ck_assert_str_eq(ssd_node_text(NULL), "-");
	ck_assert_str_eq(ssd_bytes_text(512, buf), "512 B");
	ck_assert_str_eq(ssd_bytes_text(2000398934016.0, buf), "2.00 TB");
	ck_assert_str_eq(ssd_bytes_text(999999999.0, buf), "1.00 GB");
	ssd_arena_free(arena);
}
END_TEST

/* The rule with no exception: a key without a descriptor ends the program. */
START_TEST(test_no_key_without_descriptor)
{
	arena = ssd_arena_new(1 << 20);
	ssd_set_uint(ssd_obj_new(arena, &page.field), "no_such_key", 1);
}
END_TEST

START_TEST(test_attach_replaces)
{
	static const struct ssd_field members[] = {
		{"a", "A", NULL, SSD_UINT}, {"page", "P", NULL, SSD_OBJ}, {"z", "Z", NULL, SSD_UINT}, SSD_FIELD_END};
	static const struct ssd_field root = {.type = SSD_OBJ, .sub = members};
	struct ssd_node *obj;
	char *text;

	arena = ssd_arena_new(1 << 20);
	obj = ssd_obj_new(arena, &root);
	ssd_attach_null(obj, &page.field);
	ssd_attach(obj, ssd_obj_new(arena, &(struct ssd_field){"extra", "E", .type = SSD_OBJ}));
	text = json(obj);
	ck_assert_str_eq(text, "{\"a\":null,\"page\":null,\"z\":null,\"extra\":{}}\n");
	free(text);
	ssd_arena_free(arena);
}
END_TEST

int main(void)
{
	static const TTest *const *const tests[] = {&test_every_code, &test_every_length, &test_nulls, &test_text,
						    &test_attach_replaces};
	Suite *suite = suite_create("doc");
	TCase *tcase = tcase_create("doc");
	SRunner *runner;
	int failed;

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
		tcase_add_test(tcase, *tests[i]);
	tcase_add_test_raise_signal(tcase, test_no_key_without_descriptor, 6);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_set_tap(runner, "-");
	srunner_run_all(runner, CK_SILENT);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
