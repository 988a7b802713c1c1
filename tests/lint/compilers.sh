#!/bin/sh
# SPDX-License-Identifier: MIT
# The program and its tests compile without a warning under gcc and clang.
. tests/lint/common.sh

plan 2
for compiler in gcc clang; do
	if ! command -v $compiler >/dev/null; then
		result 0 "$compiler -Werror # SKIP needs the package $compiler"
		continue
	fi
	make -j2 -s CC=$compiler BUILD="$work/$compiler" CFLAGS="-O2 -Werror" tests >"$work/$compiler.log" 2>&1
	result $? "$compiler -Werror" "$work/$compiler.log"
done
