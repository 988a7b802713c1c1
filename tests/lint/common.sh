# SPDX-License-Identifier: MIT
# What the lint programs share; sourced. They are started at the root of the source tree, with BUILD set.
set -u
unset MAKEFLAGS MFLAGS MAKELEVEL # these are programs of their own, not part of the make that started them

work=${BUILD:-build}/lint/$(basename "$0" .sh)
rm -rf "$work"
mkdir -p "$work" || exit 1

# Source files that match a pattern: those that git knows, or in an unpacked archive simply all.
git_files() { # PATTERN
	if [ -e .git ] && command -v git >/dev/null; then
		git ls-files -- "$1"
	else
		find include src plugins tests scripts .ci -name "$1"
	fi | LC_ALL=C sort
}

# Ends the program as skipped when a tool is missing.
need() { # COMMAND PACKAGE
	command -v "$1" >/dev/null && return
	echo "1..0 # SKIP needs the package $2"
	exit 0
}

number=0
plan() { # COUNT
	echo "1..$1"
}

result() { # STATUS TEXT [FILE with what to say about a failure]
	number=$((number + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $number - $2"
		return
	fi
	echo "not ok $number - $2"
	[ $# -lt 3 ] || sed 's/^/# /' "$3"
}
