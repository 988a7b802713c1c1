# SPDX-License-Identifier: MIT
# What the boots bench and speed share; sourced after lib.sh.
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
