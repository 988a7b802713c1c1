# SPDX-License-Identifier: MIT
# What ssdct bench does to targets: engines, passthrough, silence, use. How fast it is, is the boot speed.
. ./lib.sh
. ./bench_lib.sh
. ./serve_lib.sh
wait_for_controllers 3 || exit 1
wait_for_namespaces 4 || exit 1

# A drive that is silent for 20 s, as the program that it is stands still: one run waits until that is over, one is told to
# end meanwhile. Whichever opens it second finds it in use.
ssdct sim create /tmp/lab --model p3700 >/dev/null && serve /tmp/lab && connect_all || exit 1
wait_for_controllers 4 || exit 1
wait_for_namespaces 5 || exit 1
served=$(basename "$(dirname "$(grep -l tcp /sys/class/nvme/nvme*/transport)")")
for name in silent impatient; do
	ssdct bench "$served" --rw randread --iodepth 4 --rate 20 --time 10 --yes --force -o json \
		>"/results/$name.out" 2>"/results/$name.err" &
	echo $! >"/tmp/$name.pid"
done
# Both measure: they have threads, and the drive has been read so often meanwhile.
has_threads() { # PID
	[ "$(ls "/proc/$1/task" | wc -l)" -gt 1 ]
}
has_read() { # COUNT
	read -r reads _ <"/sys/block/${served}n1/stat" && [ "$reads" -ge "$1" ]
}
for name in silent impatient; do
	await "$name measures" has_threads "$(cat /tmp/$name.pid)" || exit 1
done
has_read 0
await "reads" has_read $((reads + 20)) || exit 1
kill -STOP "$server"
{ usleep 20500000; kill -CONT "$server"; } &
usleep 1000000
kill -TERM "$(cat /tmp/impatient.pid)"

null_device nullb1 irqmode=2 completion_nsec=2000000 poll_queues=1 || exit 1
run engine-best ssdct bench /dev/nullb1 --rw randread --iodepth 8 --time 1 -o json
run engine-rate ssdct bench /dev/nullb1 --rw randread --rate 1000 --time 1 -o json
run engine-preadv ssdct bench /dev/nullb1 --rw randread --iodepth 8 --time 1 --engine preadv -o json

# A loop device on a file, then with a file system in use. It is measured, and never written.
dd if=/dev/urandom of=/tmp/loop.img bs=1M count=16 2>/dev/null
losetup /dev/loop0 /tmp/loop.img && mke2fs /dev/loop0 >/dev/null || exit 1
run loop ssdct bench /dev/loop0 --time 1 -o json
mkdir -p /mnt
mount -t ext4 -o ro /dev/loop0 /mnt || exit 1
run loop-used ssdct bench /dev/loop0 --time 1 -o json
run loop-yes ssdct bench /dev/loop0 --time 1 --yes -o json
md5sum </tmp/loop.img >/results/loop-sums
run loop-write ssdct bench /dev/loop0 --rw randwrite --time 1 --yes --force -o json
run loop-preset ssdct bench /dev/loop0 --preset mixed --write-namespace --yes --force -o json
md5sum </tmp/loop.img >>/results/loop-sums
umount /mnt
losetup -d /dev/loop0

# The drives have a queue for polling (nvme.poll_queues=1). Passthrough: what the drive itself counts, before and after.
counted() { # NAME COMMAND...
	nvme smart-log "/dev/$drive" -o json >"/results/$1.before"
	run "$@"
	nvme smart-log "/dev/$drive" -o json >"/results/$1.after"
}
drive=$(drive_of BENCH003)
counted cmd-random ssdct bench "${drive}n1" --engine uring_cmd --rw randread --iodepth 8 --jobs 2 --time 1 -o json
counted cmd-read ssdct bench "${drive}n1" --engine uring_cmd --rw read --bs 128K --iodepth 4 --time 1 -o json
run cmd-quick ssdct bench "${drive}n1" --engine uring_cmd --time 1 -o json
run cmd-write ssdct bench "${drive}n1" --engine uring_cmd --rw randwrite --confirm BENCH003 -o json
run cmd-long ssdct bench "${drive}n1" --engine uring_cmd --rw read --bs 16M -o json
run cmd-null ssdct bench /dev/nullb1 --engine uring_cmd --rw read -o json
mv "/dev/ng${drive#nvme}n1" /tmp/ng
run cmd-none ssdct bench "${drive}n1" --engine uring_cmd --rw read --time 1 -o json
mv /tmp/ng "/dev/ng${drive#nvme}n1"
drive=$(drive_of BENCH005) # a sector that cannot be read; a namespace with metadata
run cmd-bad ssdct bench "${drive}n1" --engine uring_cmd --rw read --bs 64K --iodepth 1 --time 2 -o json
run block-bad ssdct bench "${drive}n1" --rw read --bs 64K --iodepth 1 --time 2 -o json
run cmd-metadata ssdct bench "${drive}n2" --engine uring_cmd --rw read --time 1 -o json

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
sum() {
	dd if="$disk" bs=1M iflag=direct 2>/dev/null | md5sum >>/results/sums
}
# Frozen: ext4 writes what it likes when it likes (its inode tables after the first mount), and is not what is asked.
fsfreeze --freeze /mnt || exit 1
sum
run mounted-write ssdct bench "$drive" --rw randwrite --time 1 --confirm BENCH003 --yes --force -o json
sum
fsfreeze --unfreeze /mnt || exit 1
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

for name in silent impatient; do
	wait "$(cat /tmp/$name.pid)"
	echo $? >"/results/$name.rc"
done

# Judged and found wanting: a P3700 that is a program on this machine.
run short ssdct bench "$served" --rw randread --iodepth 32 --jobs 4 --time 1 --html /results/short.html -o json
run short-text ssdct bench "$served" --rw randread --iodepth 32 --jobs 4 --time 1
exit 0
