/* SPDX-License-Identifier: MIT */
/* The command line: whole words, typed and range-checked values, options anywhere. */
#include <ssdct/cli.h>

#include "../../src/cli/options.h"
#include "check.h"

struct options {
	uint64_t number, size;
	unsigned word;
	const char *text;
	struct ssd_strs many;
	bool flag;
};

static const char *const words[] = {"one", "two", NULL};
static const struct ssd_option table[] = {
	{"number", 'n', SSD_OPT_UINT, SSD_OPTION(struct options, number), "N", "a number", 1, 0xfffffffe},
	{"size", 0, SSD_OPT_SIZE, SSD_OPTION(struct options, size), "SIZE", "a size", 512, INT64_MAX},
	{"word", 0, SSD_OPT_ENUM, SSD_OPTION(struct options, word), "W", "a word", .words = words},
	{"text", 0, SSD_OPT_STR, SSD_OPTION(struct options, text), "T", "a text"},
	{"many", 0, SSD_OPT_STRS, SSD_OPTION(struct options, many), "M", "many"},
	{"flag", 0, SSD_OPT_FLAG, SSD_OPTION(struct options, flag), NULL, "a flag"},
	{.type = SSD_OPT_END},
};
static const struct ssd_command plain = {.name = "format", .options = table, .options_size = sizeof(struct options)};
static const struct ssd_command get = {.name = "get", .options = table, .options_size = sizeof(struct options)};
static const struct ssd_command group = {.name = "log", .verbs = (const struct ssd_command *const[]){&get, NULL}};
const struct ssd_command *const ssd_commands[] = {&plain, &group, NULL};

static struct ssd_cmdline line;
static struct ssd_err err;

static int parse(const char *first, ...)
{
	char *argv[16] = {(char *)"ssdct"};
	int argc = 1;
	va_list ap;

	va_start(ap, first);
	for (const char *a = first; a; a = va_arg(ap, const char *))
		argv[argc++] = (char *)a;
	va_end(ap);
	ssd_cmdline_free(&line);
	err = (struct ssd_err)SSD_ERR_INIT;
	return ssd_cmdline_parse(&line, argc, argv, &err);
}

static const struct options *opts(void)
{
	return line.options;
}

START_TEST(test_values)
{
	ck_assert_int_eq(
		parse("format", "--number", "0x10", "nvme0", "--word=two", "--many", "a", "--flag", "--many=b", NULL),
		0);
	ck_assert_ptr_eq(line.command, &plain);
	ck_assert_uint_eq(opts()->number, 16);
	ck_assert_uint_eq(opts()->word, 1);
	ck_assert_uint_eq(opts()->many.n, 2);
	ck_assert_str_eq(opts()->many.v[1], "b");
	ck_assert(opts()->flag);
	ck_assert_uint_eq(line.n_words, 1);
	ck_assert_str_eq(line.words[0], "nvme0");
}
END_TEST

/* What nvme-cli takes for 0xffffffff, 1 and "all": refused here. */
START_TEST(test_bad_numbers)
{
	static const char *const bad[] = {"0x1ffffffff",          "1x", "",    " 1",        "-1", "+1", "0",
					  "18446744073709551616", "0x", "1e3", "4294967295"};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		ck_assert_int_eq(parse("format", "--number", bad[i], NULL), -1);
		ck_assert_int_eq(err.code, SSD_ERR_USAGE);
		ck_assert_ptr_nonnull(strstr(err.message, "--number"));
	}
}
END_TEST

/* Capacities are sold as 1.92TB or 3.2TB; a number of bytes is always a whole one. */
START_TEST(test_sizes)
{
	static const struct {
		const char *text;
		uint64_t bytes; /* 0: refused */
	} rows[] = {
		{"512", 512},
		{"512B", 512},
		{"4K", 4096},
		{"4KiB", 4096},
		{"4kB", 4000},
		{"4KB", 4000},
		{"2T", 2199023255552},
		{"480GB", 480000000000},
		{"1.92TB", 1920000000000},
		{"3.2TB", 3200000000000},
		{"15.36TB", 15360000000000},
		{"0.5K", 512},
		{"1.5TiB", 1649267441664},
		{"1.000001GB", 1000001000},
		{"8388607.999999TB", 8388607999999000000},
		{"9007199254740991K", 9223372036854774784},
		{"1.6GiB", 0}, /* 1717986918.4 */
		{"512.0", 0},
		{"600.5B", 0},
		{"1.TB", 0},
		{".5TB", 0},
		{"1.0000000TB", 0},
		{"1.2.3TB", 0},
		{"1,92TB", 0},
		{"-1TB", 0},
		{"1e3GB", 0},
		{"511", 0},
		{"0.4K", 0},
		{"9223372.036855TB", 0},
		{"9223372036.854776GB", 0},
		{"99999999.999999TiB", 0},
		{"18446744073709551616", 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		ck_assert_msg(parse("format", "--size", rows[i].text, NULL) == (rows[i].bytes ? 0 : -1), "%s",
			      rows[i].text);
		if (rows[i].bytes)
			ck_assert_msg(opts()->size == rows[i].bytes, "%s: %llu", rows[i].text,
				      (unsigned long long)opts()->size);
		else
			ck_assert_int_eq(err.code, SSD_ERR_USAGE);
	}
}
END_TEST

START_TEST(test_whole_words_only)
{
	static const char *const bad[][2] = {{"form", "nvme0"}, {"forma", "nvme0"}, {"FORMAT", "nvme0"}, {"log", "ge"}};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		ck_assert_int_eq(parse(bad[i][0], bad[i][1], NULL), -1);
		ck_assert_int_eq(err.code, SSD_ERR_USAGE);
		ck_assert_ptr_nonnull(strstr(err.hint, "did you mean"));
	}
	ck_assert_int_eq(parse("format", "--flagg", NULL), -1);
	ck_assert_ptr_nonnull(strstr(err.hint, "--flag"));
	ck_assert_int_eq(parse("format", "--fla", NULL), -1);
	ck_assert_int_eq(parse("format", "--num", NULL), -1);
	ck_assert_ptr_nonnull(strstr(err.hint, "--number"));
	ck_assert_int_eq(parse("fo", NULL), -1);
	ck_assert_ptr_nonnull(strstr(err.hint, "\"format\""));
	ck_assert_int_eq(parse("log", "get", "--unheard-of", NULL), -1);
	ck_assert_ptr_nonnull(strstr(err.hint, "ssdct log get --help"));
	ck_assert_int_eq(parse("format", "-number", "1", NULL), -1);
}
END_TEST

START_TEST(test_options_anywhere)
{
	ck_assert_int_eq(
		parse("--number", "3", "--host", "log", "-vo", "json", "log", "--flag", "get", "nvme0", "-q", NULL), 0);
	ck_assert_ptr_eq(line.command, &get);
	ck_assert_uint_eq(opts()->number, 3);
	ck_assert_str_eq(line.globals.host, "log");
	ck_assert_uint_eq(line.globals.output, SSD_OUTPUT_JSON);
	ck_assert(line.globals.verbose && line.globals.quiet && opts()->flag);
	ck_assert_uint_eq(line.n_words, 1);
}
END_TEST

/* Letters in one word, and a value behind its letter, before the command as well: json ends in the letter of --number. */
START_TEST(test_letters)
{
	static const char *const lines[][4] = {{"-ojson", "format", "nvme0"},
					       {"-vojson", "format", "nvme0"},
					       {"format", "nvme0", "-qvojson"},
					       {"-vo", "json", "format", "nvme0"},
					       {"-vn3", "-ojson", "format", "nvme0"}};

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		ck_assert_int_eq(parse(lines[i][0], lines[i][1], lines[i][2], lines[i][3], NULL), 0);
		ck_assert_ptr_eq(line.command, &plain);
		ck_assert_uint_eq(line.globals.output, SSD_OUTPUT_JSON);
		ck_assert_uint_eq(line.n_words, 1);
	}
	ck_assert_uint_eq(opts()->number, 3);
}
END_TEST

START_TEST(test_end_of_options)
{
	ck_assert_int_eq(parse("format", "--", "--flag", "-n", NULL), 0);
	ck_assert(!opts()->flag);
	ck_assert_uint_eq(line.n_words, 2);
	ck_assert_str_eq(line.words[0], "--flag");
	ck_assert_int_eq(parse("--", "log", "get", "--flag", NULL), 0);
	ck_assert_ptr_eq(line.command, &get);
	ck_assert(!opts()->flag);
	ck_assert_uint_eq(line.n_words, 1);
	ck_assert_int_eq(parse("log", "--", NULL), 0);
	ck_assert_ptr_eq(line.command, &group);
}
END_TEST

START_TEST(test_values_missing_or_too_many)
{
	ck_assert_int_eq(parse("format", "--text", NULL), -1);
	ck_assert_int_eq(parse("format", "--flag=yes", NULL), -1);
	ck_assert_int_eq(parse("format", "--word", "three", NULL), -1);
	ck_assert_ptr_nonnull(strstr(err.message, "one, two"));
	ck_assert_int_eq(parse("format", "-o", "jsn", NULL), -1);
}
END_TEST

/* The error itself comes in JSON, wherever it stands before the request for JSON. */
START_TEST(test_json_even_on_error)
{
	ck_assert_int_eq(parse("nonsense", "--json", NULL), -1);
	ck_assert_uint_eq(line.globals.output, SSD_OUTPUT_JSON);
	ck_assert_int_eq(parse("format", "--bad", "-o", "json", NULL), -1);
	ck_assert_uint_eq(line.globals.output, SSD_OUTPUT_JSON);
	ck_assert_int_eq(parse("format", "--bad", "-qojson", NULL), -1);
	ck_assert_uint_eq(line.globals.output, SSD_OUTPUT_JSON);
	ck_assert_int_eq(parse("format", "--bad", "-vo", "json", NULL), -1);
	ck_assert_uint_eq(line.globals.output, SSD_OUTPUT_JSON);
	ck_assert_int_eq(parse("format", "--text", "--json", "--bad", NULL), -1);
	ck_assert_uint_eq(line.globals.output, SSD_OUTPUT_TEXT);
}
END_TEST

CHECK_MAIN("options", test_values, test_bad_numbers, test_sizes, test_whole_words_only, test_options_anywhere,
	   test_letters, test_end_of_options, test_values_missing_or_too_many, test_json_even_on_error)
