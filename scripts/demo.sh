#!/bin/sh
# SPDX-License-Identifier: MIT
# The main job on a simulated host with three Intel data-centre drives: needs no drive, no root, and changes nothing
# outside a temporary directory.
#
#   scripts/demo.sh PATH-OF-SSDCT
set -eu

program=$(realpath "${1:-build/ssdct}")
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"

# People type "ssdct", so that is what is shown; the script runs the program that it was given.
mkdir bin
ln -s "$program" bin/ssdct
PATH=$place/bin:$PATH

show() { # COMMAND LINE
	printf '\n$ %s\n' "$1"
	sh -c "$1"
}

echo "Drives can be directories: here three Intel SSDs are simulated. Without --host or SSDCT_HOST, ssdct sees real ones."
show 'ssdct sim create rack --model p3700 --model p3600 --model p4510'
SSDCT_HOST=$place/rack
export SSDCT_HOST
show 'ssdct list'
show 'ssdct list --health'
show 'ssdct show nvme0'
show 'ssdct smart nvme0'
show 'ssdct check --allow-simulated'
show 'ssdct smart --all -o json | grep -E "\"(device|temperature_celsius|percentage_used)\":"'

printf '\nFirmware, from plan to proof: what runs, what would be sent, the update, and what the drive says afterwards.\n'
show 'ssdct sim image --model p3700 --revision 8DV10171 --size 1M --out new.bin'
show 'ssdct fw status nvme0'
show 'ssdct fw update nvme0 --image new.bin --activate reset --dry-run'
show 'ssdct fw update nvme0 --image new.bin --activate reset --yes'
show 'ssdct fw status nvme0'

printf '\nA benchmark that only reads. The drive is simulated, so what is fast or slow here is this machine.\n'
show 'ssdct bench nvme0 --time 1'

printf '\nA recording of drives, for a bug report or a rehearsal.\n'
show 'ssdct capture --all --to recording'
show 'ssdct --host recording list'
