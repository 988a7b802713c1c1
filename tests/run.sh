#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs test programs that speak TAP, several at once, and ends in one line "N passed, N failed, N skipped".
#
#   tests/run.sh BUILD PROGRAM... [--alone PROGRAM...]
#
# Programs after --alone run afterwards, one at a time: they measure time. A program that crashes, runs out of time
# (TEST_TIMEOUT seconds), prints no plan or other than the planned number of results is one failure more. What each
# printed stays in BUILD/test-results. The exit status is 1 when anything failed or when nothing ran at all.
set -u

: "${TEST_JOBS:=4}" "${TEST_TIMEOUT:=900}" "${PYTHON:=python3}" "${CK_DEFAULT_TIMEOUT:=60}"
# Check's own limit for one test is 4 s, which a busy machine may need for nothing.
export CK_DEFAULT_TIMEOUT

# Reads TAP; prints "passed failed skipped", then the failures with what was said about them, then the skips.
tally() { # NAME EXIT-STATUS FILE
	awk -v name="$1" -v status="$2" '
	function fail(text) { failed++; said = said "FAIL " name ": " text "\n" }
	/^1\.\.[0-9]+/ { plan = substr($1, 4) + 0; planned = 1; reason = $0; sub(/^[^#]*#? *(SKIP)? */, "", reason) }
	/^(not )?ok/ { results++; talking = 0 }
	/^ok.*# *[Ss][Kk][Ii][Pp]/ { skipped++; sub(/^ok *[0-9]* *-? */, ""); skips = skips "SKIP " name ": " $0 "\n"; next }
	/^ok/ { passed++ }
	/^not ok/ { sub(/^not ok *[0-9]* *-? */, ""); fail($0); talking = 1; next }
	/^Bail out!/ { fail($0); talking = 1; next }
	talking { said = said "    " $0 "\n" }
	END {
		if (planned && plan == 0 && !results) { skipped++; skips = skips "SKIP " name ": # SKIP " reason "\n" }
		if (!planned) fail("no plan, so nobody knows whether it came to its end")
		else if (results != plan) fail(results + 0 " results, but " plan " planned")
		if (status == 124 || status == 137) fail("ran out of time")
		else if (status > 128) fail("killed by signal " status - 128)
		else if (status && !failed) fail("exit status " status " although no result is a failure")
		printf "%d %d %d\n%s%s", passed, failed, skipped, said, skips
	}' "$3"
}

run_one() { # RESULTS PROGRAM
	name=$(echo "$2" | sed 's,.*\(tests/\),\1,')
	base=$1/$(echo "$name" | tr / -)
	case $2 in
	*.py) timeout -k 10 "$TEST_TIMEOUT" "$PYTHON" "$2" ;;
	*) timeout -k 10 "$TEST_TIMEOUT" "$2" ;;
	esac </dev/null >"$base.tap" 2>"$base.err"
	tally "$name" $? "$base.tap" >"$base.tally"
	read -r passed failed skipped <"$base.tally"
	if [ "$failed" -gt 0 ] && [ -s "$base.err" ]; then
		printf '  stderr of %s:\n' "$name" >>"$base.tally"
		tail -n 40 "$base.err" | sed 's/^/    /' >>"$base.tally"
	fi
	# One write each, so that the lines of two programs cannot mix.
	if [ "$failed" -eq 0 ]; then verdict=ok; else verdict=FAILED; fi
	printf '%-6s %s: %d passed, %d failed, %d skipped\n' "$verdict" "$name" "$passed" "$failed" "$skipped"
}

if [ "$1" = --one ]; then
	run_one "$2" "$3"
	exit 0
fi

results=$1/test-results
shift
programs=0
for program; do
	[ "$program" = --alone ] || programs=$((programs + 1))
done
rm -rf "$results"
mkdir -p "$results" || exit 1
export TEST_TIMEOUT PYTHON

for program; do
	[ "$program" = --alone ] && break
	printf '%s\n' "$program"
done | xargs -r -n 1 -P "$TEST_JOBS" "$0" --one "$results"

alone=no
for program; do
	if [ "$program" = --alone ]; then
		alone=yes
	elif [ $alone = yes ]; then
		TEST_TIMEOUT=${TEST_TIMEOUT_ALONE:-1200} "$0" --one "$results" "$program"
	fi
done

# Why things failed, in one place, after the list of programs.
for tally in "$results"/*.tally; do
	[ -e "$tally" ] && sed 1d "$tally"
done
for tally in "$results"/*.tally; do
	[ -e "$tally" ] && sed -n 1p "$tally"
done | awk -v programs="$programs" '
	{ passed += $1; failed += $2; skipped += $3 }
	END {
		if (NR != programs) { failed++; print "FAIL tests/run.sh: " NR " of " programs " programs were run" }
		printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
		exit failed > 0 || NR == 0
	}'
