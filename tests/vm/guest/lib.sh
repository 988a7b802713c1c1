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

# Waits until the rest of the words, a command, succeeds: 120 s at most, of which an idle machine needs none.
await() { # WHAT COMMAND...
	what=$1
	tries=0
	shift
	until "$@"; do
		tries=$((tries + 1))
		[ $tries -lt 2400 ] || { echo "not within two minutes: $what"; return 1; }
		usleep 50000
	done
}

is_sleep() { # PID
	[ "$(cat "/proc/$1/comm")" = sleep ]
}

# Starts a command that ends as the program sleep; what it is to hold it holds by then. Its pid is in $user.
hold() { # COMMAND
	sh -c "$1" &
	user=$!
	await "$1" is_sleep $user || exit 1
}

let_go() {
	kill -9 $user
	wait $user
}

live() { # COUNT
	[ "$(cat /sys/class/nvme/nvme*/state 2>/dev/null | grep -c live)" -ge "$1" ]
}

wait_for_controllers() { # COUNT
	await "$1 live controllers" live "$1"
}

# Namespaces that are not hidden paths and have a node.
noded() { # COUNT
	[ "$(ls /dev | grep -c '^nvme[0-9]*n[0-9]*$')" -ge "$1" ]
}

wait_for_namespaces() { # COUNT
	await "$1 nodes of namespaces" noded "$1"
}

gone() { # PATH
	[ ! -e "$1" ]
}

empty() { # DIRECTORY
	[ -z "$(ls "$1")" ]
}
