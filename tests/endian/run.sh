#!/bin/sh
# SPDX-License-Identifier: MIT
# The unit tests of the decoders on a big-endian machine: cross-compiled for s390x and run under qemu-user; speaks TAP.
#
# What they need is the base, the pages, the vendor modules and the renderers of text, all of which call no library; what the
# tests themselves use of Check and of JSON is in this directory, and of libnvme only the layout of its structures.
set -u
cc=s390x-linux-gnu-gcc
qemu=qemu-s390x
work=${BUILD:-build}/endian

skip() { # PACKAGE
	echo "1..0 # SKIP needs the package $1"
	exit 0
}
command -v $cc >/dev/null || skip gcc-s390x-linux-gnu
command -v $qemu >/dev/null || skip qemu-user
echo '#include <stdio.h>' | $cc -E - >/dev/null 2>&1 || skip libc6-dev-s390x-cross
# Only its headers, and none of the host's beside them.
libnvme=$(echo '#include <libnvme.h>' | ${CC:-cc} ${CPPFLAGS:-} -E - 2>/dev/null | sed -n 's,^# 1 "\(.*\)/libnvme\.h".*,\1,p' | head -n 1)
[ -n "$libnvme" ] || skip libnvme-dev

rm -rf "$work"
mkdir -p "$work/include" || exit 1
ln -s "$libnvme/libnvme.h" "$libnvme/nvme" "$work/include/"
flags="-std=gnu11 -D_GNU_SOURCE -O0 -Iinclude -Isrc -Iplugins -Itests/endian -I$work/include -iquote tests"
export cc flags work

# Those that commands and not the tables need are left out.
sources=$(ls src/base/*.c src/nvme/*.c plugins/*.c plugins/*/*.c src/render/text.c src/render/table.c tests/endian/json.c |
	grep -v 'plugins/intel/commands\.c')
# shellcheck disable=SC2016 # expanded by the shells that xargs starts
printf '%s\n' $sources | xargs -P 2 -n 16 sh -c '
	for source; do $cc $flags -c -o "$work/$(echo "$source" | tr / -).o" "$source" || exit 255; done' sh 2>"$work/log"
status=$?
echo "${status}" | sed 's/^0$/ok 1 - the decoders build for s390x/; t; s/.*/not ok 1 - the decoders build for s390x/'
[ $status -eq 0 ] || {
	sed 's/^/# /' "$work/log"
	echo 1..1
	exit 1
}
s390x-linux-gnu-ar rcs "$work/library.a" "$work"/*.o

# shellcheck disable=SC2016
for test in doc base pages id_ctrl identify_lists identify_pages log_lists log_pages log_tables logs intel intel_pages ocp status opcode; do
	echo $test
done | xargs -P 2 -n 1 sh -c '
	$cc $flags -o "$work/$1" "tests/unit/test_$1.c" "$work/library.a" -lm >"$work/$1.log" 2>&1 &&
		'$qemu' -L /usr/s390x-linux-gnu "$work/$1" >"$work/$1.tap" 2>"$work/$1.log"
	[ $? -le 1 ] && grep -q "^1\.\." "$work/$1.tap" || { echo "not ok 1 - $1 builds and runs"; sed "s/^/# /" "$work/$1.log"; } >>"$work/$1.tap"' sh

cat "$work"/*.tap | awk '
	/^(not )?ok/ { sub(/ok [0-9]+/, "ok " ++n + 1); if (/^not/) failed = 1; print; next }
	/^#/
	END { print "1.." n + 1; exit failed }'
