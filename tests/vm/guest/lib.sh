# SPDX-License-Identifier: MIT
# What the guest's scripts share; sourced.

# Runs a command; its stdout, stderr, exit status and duration in seconds go to the host as NAME.out, .err, .rc, .seconds.
run() { # NAME COMMAND...
	name=$1
	shift
	read -r before _ </proc/uptime
	"$@" >"/results/$name.out" 2>"/results/$name.err" </dev/null
	echo $? >"/results/$name.rc"
	read -r after _ </proc/uptime
	awk "BEGIN { print $after - $before }" >"/results/$name.seconds"
}

# Waits until COUNT controllers are live, 30 s at most.
wait_for_controllers() { # COUNT
	tries=0
	until [ "$(cat /sys/class/nvme/nvme*/state 2>/dev/null | grep -c live)" -ge "$1" ]; do
		tries=$((tries + 1))
		[ $tries -lt 300 ] || { echo "only $(cat /sys/class/nvme/nvme*/state | grep -c live) controllers"; return 1; }
		usleep 100000
	done
}

# Waits until COUNT namespaces that are not hidden paths have a node, 30 s at most.
wait_for_namespaces() { # COUNT
	tries=0
	until [ "$(ls /dev | grep -c '^nvme[0-9]*n[0-9]*$')" -ge "$1" ]; do
		tries=$((tries + 1))
		[ $tries -lt 300 ] || { echo "only these nodes: $(ls /dev | grep nvme)"; return 1; }
		usleep 100000
	done
}
