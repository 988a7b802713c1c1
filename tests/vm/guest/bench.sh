# SPDX-License-Identifier: MIT
# ssdct bench beside fio on targets that cost nothing (null_blk), on targets that set the pace, and on an NVMe drive.
. ./lib.sh
wait_for_controllers 5 || exit 1
wait_for_namespaces 5 || exit 1
insmod /lib/modules/configfs.ko
insmod /lib/modules/null_blk.ko nr_devices=0 poll_queues=1 || exit 1
mount -t configfs config /sys/kernel/config || exit 1
ROUNDS=7

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

ours() { # NAME TARGET DEPTH
	run "$1" ssdct bench "$2" --rw randread --bs 4K --iodepth "$3" --time 1 -o json
}

theirs() { # NAME TARGET DEPTH OPTION...
	name=$1 target=$2 depth=$3
	shift 3
	run "$name" fio --name=x --filename="$target" --readonly --rw=randread --bs=4k --iodepth="$depth" --direct=1 \
		--ioengine=io_uring --norandommap --time_based --runtime=1 --lat_percentiles=1 --output-format=json "$@"
}

# In this order: what disturbs the machine for a while disturbs both.
null_device nullb0 irqmode=0 || exit 1
null_device nullb1 irqmode=2 completion_nsec=2000000 || exit 1
null_device nullb2 irqmode=0 poll_queues=1 || exit 1
i=1
while [ $i -le "$ROUNDS" ]; do
	ours "fast-ours-$i" /dev/nullb0 32
	theirs "fast-plain-$i" /dev/nullb0 32
	theirs "fast-tuned-$i" /dev/nullb0 32 --registerfiles=1 --fixedbufs=1 --iodepth_batch_submit=32 \
		--iodepth_batch_complete_min=1 --iodepth_batch_complete_max=32
	ours "paced-ours-$i" /dev/nullb1 8
	theirs "paced-plain-$i" /dev/nullb1 8
	for rate in 100 1000 5000; do
		drive=$(drive_of "RATE$rate")
		ours "rate$rate-ours-$i" "$drive" 4
		theirs "rate$rate-plain-$i" "/dev/${drive}n1" 4
	done
	i=$((i + 1))
done
ours polled /dev/nullb2 4
run fallback ssdct bench /dev/nullb1 --rw randread --iodepth 8 --time 1 --engine preadv -o json

# A drive, by the rules: nobody uses it, then a file system does.
drive=$(drive_of BENCH003)
disk=/dev/${drive}n1
run reads ssdct bench "$drive" --time 1 -o json
run refused ssdct bench "${drive}n1" --rw randwrite --time 1 -o json
run other ssdct bench "${drive}n1" --rw randwrite --time 1 --confirm WRONG -o json
cmp "$disk" /dev/zero 2>&1 | grep -c EOF >/results/untouched
run overwrite ssdct bench "${drive}n1" --rw randwrite --bs 64K --time 1 --confirm BENCH003 -o json
for part in 0 63; do
	dd if="$disk" bs=1M skip=$part count=1 2>/dev/null | tr -d '\0' | wc -c
done >/results/margins
dd if="$disk" bs=1M skip=1 count=62 2>/dev/null | tr -d '\0' | wc -c >/results/written
echo 1 >/sys/class/nvme/$drive/rescan_controller 2>/dev/null
grep -c 'n[0-9]*p' /proc/partitions >/results/partitions

mke2fs "$disk" >/dev/null || exit 1
mkdir -p /mnt
mount -t ext4 "$disk" /mnt || exit 1
run mounted ssdct bench "$drive" --time 1 -o json
run mounted-yes ssdct bench "$drive" --time 1 --yes -o json
run mounted-write ssdct bench "$drive" --rw randwrite --time 1 --confirm BENCH003 -o json
# A tenth of what is free is less than 16 MiB on so small a drive.
run small ssdct bench "$drive" --preset mixed --write-file /mnt --time 1 --yes -o json
run elsewhere ssdct bench "$drive" --preset mixed --write-file /tmp --time 1 --yes -o json
umount /mnt
drive=$(drive_of BENCH004)
mke2fs "/dev/${drive}n1" >/dev/null && mount -t ext4 "/dev/${drive}n1" /mnt || exit 1
used() {
	df -k /mnt | awk 'NR == 2 { print $3 }'
}

# Waits until that much is in use, 60 s at most, and says how much it is then.
wait_used() { # lt|ge|eq KIB
	tries=0
	until [ "$(used)" "-$1" "$2" ] || [ $tries -ge 600 ]; do
		tries=$((tries + 1))
		usleep 100000
	done
	used
}

none=$(used) # `run` has a "before" of its own
run file ssdct bench "$drive" --preset mixed --write-file /mnt --size 16M --time 1 --yes -o json
{ echo "$none"; wait_used eq "$none"; } >/results/used
# A shell lets what it runs in the background ignore SIGINT.
for signal in TERM KILL; do
	ssdct bench "$drive" --preset mixed --write-file /mnt --size 16M --time 60 --yes -o json \
		>/results/signal-$signal.out 2>/results/signal-$signal.err &
	wait_used ge $((none + 16000)) >>/results/used-during
	usleep 500000
	kill -$signal $!
	wait $!
	echo $? >/results/signal-$signal.rc
	ls -A /mnt | grep -v lost+found >>/results/left
	# The kernel closes what a ring had open a moment after the process has ended.
	wait_used eq "$none" >>/results/used
done
exit 0
