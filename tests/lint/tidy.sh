#!/bin/sh
# SPDX-License-Identifier: MIT
# clang-tidy over every source file, checks as in .clang-tidy.
. tests/lint/common.sh
need clang-tidy clang-tidy

plan 1
# Headers that are not where the compiler looks.
flags=$(${PKG_CONFIG:-pkg-config} --cflags libxml-2.0 2>/dev/null)
export flags
# Two processes; each file's findings go to a file of their own, so that they cannot mix.
git_files '*.c' | xargs -n 1 -P 2 sh -c '
	clang-tidy --quiet "$1" -- -std=gnu11 -D_GNU_SOURCE -Iinclude -Isrc -Iplugins -iquote tests $flags >"$0/$(echo "$1" | tr / -)" 2>/dev/null
' "$work"
status=$?
cat "$work"/* >"$work.log"
result $status "clang-tidy finds nothing" "$work.log"
