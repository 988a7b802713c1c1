#!/bin/sh
# SPDX-License-Identifier: MIT
# cppcheck over the program.
. tests/lint/common.sh
need cppcheck cppcheck

plan 1
cppcheck -q -j 2 --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
	--suppress=missingInclude --suppress=missingIncludeSystem -D_GNU_SOURCE -Iinclude -Isrc -Iplugins \
	src plugins >"$work/log" 2>&1
result $? "cppcheck src plugins" "$work/log"
