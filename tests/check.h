/* SPDX-License-Identifier: MIT */
/* The main() that every Check program shares: one suite, TAP on stdout. */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include <check.h>
#include <stddef.h>
#include <stdlib.h>

/* Runs the test functions of a list ended by NULL as one suite called name; the process exit status says whether all passed. */
static inline int check_main(const char *name, const TTest *const *tests)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create(name);
	SRunner *runner;
	int failed;

	tcase_set_timeout(tcase, 60);
	for (; *tests; tests++)
		tcase_add_test(tcase, *tests);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_set_tap(runner, "-");
	srunner_run_all(runner, CK_SILENT);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#define CHECK_MAIN(name, ...)                                     \
	int main(void)                                            \
	{                                                         \
		const TTest *const tests[] = {__VA_ARGS__, NULL}; \
		return check_main(name, tests);                   \
	}

#endif
