#!/bin/sh
# SPDX-License-Identifier: MIT
# Every shell script and Python program parses.
. tests/lint/common.sh

shell=$(git_files '*.sh'; git_files '.ci/*'; git_files 'tests/vm/guest/*' | grep -v '\.[ch]$')
python=$(git_files '*.py')
plan 2
for script in $shell; do
	sh -n "$script"
done >"$work/shell.log" 2>&1
[ ! -s "$work/shell.log" ]
result $? "shell scripts parse" "$work/shell.log"
for script in $python; do
	"${PYTHON:-python3}" -c 'import ast, sys; ast.parse(open(sys.argv[1]).read(), sys.argv[1])' "$script"
done >"$work/python.log" 2>&1
[ ! -s "$work/python.log" ]
result $? "Python programs parse" "$work/python.log"
