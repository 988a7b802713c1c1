/* SPDX-License-Identifier: MIT */
/*
 * As much of the Check library as the decoders' unit tests use, in one header: for machines that have no Check. Tests run
 * one after another in one process; a failed assertion leaves its test.
 */
#ifndef TESTS_ENDIAN_CHECK_H
#define TESTS_ENDIAN_CHECK_H

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct TTest {
	const char *name;
	void (*run)(int);
} TTest;
typedef struct Suite {
	const char *name;
	const TTest *tests[64];
	int signals[64]; /* the test is to end by this signal; 0: by itself */
	int n, failed;
} Suite;
typedef Suite TCase;
typedef Suite SRunner;
enum { CK_SILENT };

static jmp_buf check_out;
static char check_why[600];

#define START_TEST(test)                                                           \
	static void test##_fn(int);                                                \
	static const TTest test##_test = {#test, test##_fn}, *test = &test##_test; \
	static void test##_fn(int check_loop __attribute__((unused)))
#define END_TEST

static inline Suite *suite_create(const char *name)
{
	Suite *s = calloc(1, sizeof(*s));

	s->name = name;
	return s;
}

/* Suite, case and runner are one: the last one made. */
static Suite *check_suite;

static inline TCase *tcase_create(const char *name)
{
	return check_suite = suite_create(name);
}

/* Pages cut at each length are about bounds, not byte order, and their thousands of arenas take minutes under qemu-user. */
static const char *const check_left_out[] = {"test_cut_at_every_length", "test_cut_latency",
					     "test_any_page_cut_at_any_length", "test_no_page_reads_past_its_end"};

static inline void tcase_add_test_raise_signal(TCase *c, const TTest *test, int signal)
{
	for (size_t i = 0; i < sizeof(check_left_out) / sizeof(*check_left_out); i++)
		if (!strcmp(check_left_out[i], test->name))
			return;
	c->signals[c->n] = signal;
	c->tests[c->n++] = test;
}

#define tcase_add_test(c, test) tcase_add_test_raise_signal(c, test, 0)
#define tcase_set_timeout(c, seconds) ((void)(c))
#define suite_add_tcase(s, c) ((void)(s))
#define srunner_create(s) check_suite
#define srunner_set_tap(r, file) ((void)(r))
#define srunner_ntests_failed(r) ((r)->failed)
#define srunner_free(r) ((void)(r))

/* Returns the signal that ended it, 0 for none; a failed assertion has its reason in check_why. */
static inline int check_one(const Suite *s, int i)
{
	int status = 0;
	pid_t child = s->signals[i] ? fork() : 0;

	if (child > 0) {
		waitpid(child, &status, 0);
		return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	}
	if (!setjmp(check_out))
		s->tests[i]->run(0);
	if (s->signals[i])
		_exit(0);
	return 0;
}

static inline void srunner_run_all(SRunner *s, int mode)
{
	(void)mode;
	printf("1..%d\n", s->n);
	for (int i = 0; i < s->n; i++) {
		int good;

		*check_why = '\0';
		fflush(stdout);
		good = check_one(s, i) == s->signals[i] && !*check_why;
		s->failed += !good;
		printf("%s %d - %s:%s%s\n", good ? "ok" : "not ok", i + 1, s->name, s->tests[i]->name, check_why);
	}
}

#define CHECK_FAIL(...)                                                                                 \
	do {                                                                                            \
		int check_n_ = snprintf(check_why, sizeof(check_why), ": %s:%d: ", __FILE__, __LINE__); \
		snprintf(check_why + check_n_, sizeof(check_why) - (size_t)check_n_, __VA_ARGS__);      \
		longjmp(check_out, 1);                                                                  \
	} while (0)

#define ck_abort_msg(...) CHECK_FAIL(__VA_ARGS__)
#define ck_assert_msg(cond, ...)                 \
	do {                                     \
		if (!(cond))                     \
			CHECK_FAIL(__VA_ARGS__); \
	} while (0)
#define ck_assert(cond) ck_assert_msg(cond, "%s", #cond)

#define CHECK_NUMBERS(type, format, a, op, b)                                                           \
	do {                                                                                            \
		type check_a_ = (a), check_b_ = (b);                                                    \
		if (!(check_a_ op check_b_))                                                            \
			CHECK_FAIL("%s %s %s: %" format ", %" format, #a, #op, #b, check_a_, check_b_); \
	} while (0)
#define ck_assert_int_eq(a, b) CHECK_NUMBERS(intmax_t, PRIdMAX, a, ==, b)
#define ck_assert_int_ne(a, b) CHECK_NUMBERS(intmax_t, PRIdMAX, a, !=, b)
#define ck_assert_int_gt(a, b) CHECK_NUMBERS(intmax_t, PRIdMAX, a, >, b)
#define ck_assert_int_ge(a, b) CHECK_NUMBERS(intmax_t, PRIdMAX, a, >=, b)
#define ck_assert_int_lt(a, b) CHECK_NUMBERS(intmax_t, PRIdMAX, a, <, b)
#define ck_assert_int_le(a, b) CHECK_NUMBERS(intmax_t, PRIdMAX, a, <=, b)
#define ck_assert_uint_eq(a, b) CHECK_NUMBERS(uintmax_t, PRIuMAX, a, ==, b)
#define ck_assert_uint_ne(a, b) CHECK_NUMBERS(uintmax_t, PRIuMAX, a, !=, b)
#define ck_assert_uint_gt(a, b) CHECK_NUMBERS(uintmax_t, PRIuMAX, a, >, b)
#define ck_assert_uint_ge(a, b) CHECK_NUMBERS(uintmax_t, PRIuMAX, a, >=, b)
#define ck_assert_uint_lt(a, b) CHECK_NUMBERS(uintmax_t, PRIuMAX, a, <, b)
#define ck_assert_uint_le(a, b) CHECK_NUMBERS(uintmax_t, PRIuMAX, a, <=, b)
#define ck_assert_double_eq(a, b) CHECK_NUMBERS(double, "g", a, ==, b)
#define ck_assert_double_eq_tol(a, b, t) \
	ck_assert_msg(fabs((a) - (b)) < (t), "%s: %g, not %g", #a, (double)(a), (double)(b))
#define ck_assert_ptr_eq(a, b) ck_assert_msg((const void *)(a) == (const void *)(b), "%s == %s", #a, #b)
#define ck_assert_ptr_ne(a, b) ck_assert_msg((const void *)(a) != (const void *)(b), "%s != %s", #a, #b)
#define ck_assert_ptr_null(a) ck_assert_msg(!(a), "%s is no null pointer", #a)
#define ck_assert_ptr_nonnull(a) ck_assert_msg((a), "%s is a null pointer", #a)
#define ck_assert_mem_eq(a, b, n) ck_assert_msg(!memcmp(a, b, n), "%s differs from %s", #a, #b)

static inline int check_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

#define ck_assert_str_eq(a, b)                                                                      \
	do {                                                                                        \
		const char *check_a_ = (a), *check_b_ = (b);                                        \
		ck_assert_msg(check_same(check_a_, check_b_), "%s: \"%.200s\", not \"%.200s\"", #a, \
			      check_a_ ? check_a_ : "(null)", check_b_ ? check_b_ : "(null)");      \
	} while (0)
#define ck_assert_str_ne(a, b) ck_assert_msg(!check_same(a, b), "%s is the same as %s", #a, #b)

#endif
