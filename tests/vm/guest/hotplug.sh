# SPDX-License-Identifier: MIT
# The host pulls a drive and puts it back, again and again, while these loops look at the drives.
. ./lib.sh
wait_for_controllers 3 || exit 1
wait_for_namespaces 3 || exit 1
stty -F /dev/ttyS1 raw -echo

# Runs a command until the host says stop; every run leaves NAME-NUMBER.out and a line "number rc seconds" in NAME.log, and
# tells the host its exit code and how often the drive that comes and goes is in what it said.
loop() { # NAME COMMAND...
	name=$1
	number=0
	shift
	while [ ! -e /tmp/stop ]; do
		read -r before _ </proc/uptime
		"$@" >"/results/$name-$number.out" 2>"/results/$name-$number.err" </dev/null
		rc=$?
		read -r after _ </proc/uptime
		echo "$number $rc $(awk "BEGIN { print $after - $before }")" >>"/results/$name.log"
		echo "$name $rc $(grep -c HOT00001 "/results/$name-$number.out")" >/dev/ttyS1
		number=$((number + 1))
	done
}

loop list ssdct -o json list &
loop smart ssdct -o json smart HOT00001 &
loop all ssdct -o json smart --all &
echo ready >/dev/ttyS1
read -r _ </dev/ttyS1
touch /tmp/stop
wait
wait_for_controllers 3 || exit 1
wait_for_namespaces 3 || exit 1
run after-doctor ssdct -o json doctor --all
run after-list ssdct -o json list
run after-smart ssdct -o json smart HOT00001
run after-nvme nvme smart-log /dev/"$(basename "$(dirname "$(grep -l HOT00001 /sys/class/nvme/*/serial)")")" -o json
exit 0
