#!/bin/sh
# SPDX-License-Identifier: MIT
# Formatting: clang-format with the repository's .clang-format changes nothing. Only version 14 is asked, because other
# versions format a few things otherwise.
. tests/lint/common.sh
need clang-format clang-format

version=$(clang-format --version | sed 's/.*version \([0-9]*\).*/\1/')
if [ "$version" != 14 ]; then
	echo "1..0 # SKIP clang-format $version formats otherwise than version 14, by which the sources are formatted"
	exit 0
fi
plan 1
git_files '*.[ch]' | xargs clang-format --dry-run -Werror >"$work/log" 2>&1
result $? "clang-format changes nothing" "$work/log"
