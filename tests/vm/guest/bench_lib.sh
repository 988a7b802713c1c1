# SPDX-License-Identifier: MIT
# What the boots bench, speed and pace share; sourced after lib.sh.
insmod /lib/modules/configfs.ko
insmod /lib/modules/null_blk.ko nr_devices=0 || exit 1
mount -t configfs config /sys/kernel/config || exit 1

# The kernel's name of the drive with this serial number.
drive_of() { # SERIAL
	for drive in /sys/class/nvme/nvme*; do
		[ "$(tr -d ' ' <"$drive/serial")" = "$1" ] && basename "$drive"
	done
}

null_device() { # NAME ATTRIBUTE=VALUE...
	dir=/sys/kernel/config/nullb/$1
	mkdir "$dir" || return 1
	shift
	for setting in size=1024 blocksize=4096 hw_queue_depth=256 "$@" power=1; do
		echo "${setting#*=}" >"$dir/${setting%%=*}" || { echo "null_blk: $setting"; return 1; }
	done
}

# For speed and pace: the same reads by ssdct, and by fio.
ours() { # NAME TARGET DEPTH SECONDS
	run "$1" ssdct bench "$2" --rw randread --bs 4K --iodepth "$3" --time "$4" -o json
}

theirs() { # NAME TARGET DEPTH SECONDS OPTION...
	name=$1 target=$2 depth=$3 seconds=$4
	shift 4
	run "$name" fio --name=x --filename="$target" --readonly --rw=randread --bs=4k --iodepth="$depth" --direct=1 \
		--ioengine=io_uring --norandommap --time_based --runtime="$seconds" --lat_percentiles=1 \
		--output-format=json "$@"
}
