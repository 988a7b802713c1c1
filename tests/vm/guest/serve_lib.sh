# SPDX-License-Identifier: MIT
# Drives over NVMe/TCP: the server, and the kernel's connections to it; sourced after lib.sh.
ip link set lo up

# Starts ssdct-sim-serve; $server is its process.
serve() { # HOST
	rm -f /tmp/serve.out # what the last one said is no sign of this one
	touch /tmp/serve.out
	ssdct-sim-serve "$1" >/tmp/serve.out 2>/tmp/serve.err &
	server=$!
	await "the server is ready" grep -q ready /tmp/serve.out || { cat /tmp/serve.err; return 1; }
}

# Ends the server; its port is free then.
unserve() {
	kill "$server"
	wait "$server"
}

# The simulator counts what its fault rules match: so many commands hang, or have hung.
matched() { # DRIVE COUNT
	grep -q "}\": $2\$" "/tmp/lab/$1/state.json"
}

not_live() { # CONTROLLER
	! grep -q live "/sys/class/nvme/$1/state"
}

nqn_of() { # DRIVE
	sed -n "s/^$1 //p" /tmp/serve.out
}

# Further options after the name: ",duplicate_connect"
connect() { # NQN [OPTIONS]
	echo "transport=tcp,traddr=127.0.0.1,trsvcid=4420,nqn=$1,nr_io_queues=1,keep_alive_tmo=0,reconnect_delay=1${2:-}" \
		>/dev/nvme-fabrics
}

connect_all() {
	for served in $(grep ^nvme /tmp/serve.out | cut -d' ' -f1); do
		connect "$(nqn_of "$served")" || { echo "no connection to $served: $(dmesg | tail -n 5)"; return 1; }
	done
}

disconnect_all() {
	for controller in /sys/class/nvme/nvme*; do
		echo 1 >"$controller/delete_controller"
	done
}

# What every program says about a controller.
read_controller() { # CONTROLLER
	run "$1-nvme-id-ctrl" nvme id-ctrl "/dev/$1" -o json
	run "$1-nvme-smart-log" nvme smart-log "/dev/$1" -o json
	run "$1-ssdct-smart" ssdct -o json smart "$1"
	run "$1-smartctl" smartctl -j -a "/dev/$1"
	run "$1-nvme-fw-log" nvme fw-log "/dev/$1" -o json
	run "$1-nvme-error-log" nvme error-log "/dev/$1" -o json
	run "$1-ssdct-errors" ssdct -o json errors "$1"
	run "$1-ssdct-identify" ssdct -o json identify "$1" ctrl
	run "$1-ssdct-show" ssdct -o json show "$1"
	run "$1-ssdct-log-fw" ssdct -o json log get "$1" firmware-slot
	run "$1-ssdct-log-smart" ssdct -o json log get "$1" smart
	run "$1-ssdct-raw-smart" ssdct log get "$1" smart --raw
	run "$1-nvme-raw-smart" nvme get-log "/dev/$1" -i 2 -l 512 -b
}
