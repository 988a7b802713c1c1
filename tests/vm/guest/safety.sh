# SPDX-License-Identifier: MIT
# Who uses a drive, as the real kernel has it: each kind of use, and what ssdct says about it.
. ./lib.sh
wait_for_controllers 1 || exit 1
wait_for_namespaces 1 || exit 1
syslogd -O /results/syslog
mkdir -p /mnt

look() { # NAME
	run "$1" ssdct reset nvme0 --dry-run -o json
}

start() { # COMMAND NAME
	hold "$1"
	echo $user >"/results/$2.pid"
	look "$2"
	let_go
}

look idle
mke2fs /dev/nvme0n1 >/dev/null || exit 1
look signature
mount -t ext4 /dev/nvme0n1 /mnt || exit 1
echo precious >/mnt/file
sync
look mounted
run reset-yes ssdct reset nvme0 --yes -o json
run reset-force ssdct reset nvme0 --yes --force -o json
echo 3 >/proc/sys/vm/drop_caches
cat /mnt/file >/results/file
umount /mnt
start 'exec unshare -m sh -c "mount -t ext4 /dev/nvme0n1 /mnt && exec sleep 1000"' elsewhere
await "the kernel has unmounted it" gone /sys/fs/ext4/nvme0n1 || exit 1 # a moment after its last process
look ended

printf 'n\np\n1\n\n+16M\nn\np\n2\n\n\nw\n' | fdisk /dev/nvme0n1 >/dev/null 2>&1
await "the partitions" [ -e /dev/nvme0n1p2 ] || exit 1
mkswap /dev/nvme0n1p1 >/dev/null && swapon /dev/nvme0n1p1 || exit 1
look swap
swapoff /dev/nvme0n1p1
mke2fs /dev/nvme0n1p2 >/dev/null && mount -t ext4 /dev/nvme0n1p2 /mnt || exit 1
look partition
umount /mnt
start 'exec sleep 1000 </dev/nvme0n1p2' opener
start 'exec sleep 1000 </dev/ng0n1' generic
start 'exec sleep 1000 </dev/nvme0' controller
# A node of another name, as in a container.
mknod /tmp/other b $(sed 's/:/ /' /sys/class/block/nvme0n1/dev)
start 'exec sleep 1000 </tmp/other' renamed
losetup /dev/loop0 /dev/nvme0n1p2 || exit 1
look loop
losetup -d /dev/loop0

# A member of an array that does not run yet is held by it already.
echo md7 >/sys/module/md_mod/parameters/new_array
cat /sys/class/block/nvme0n1p2/dev >/sys/block/md7/md/new_dev
look array
echo clear >/sys/block/md7/md/array_state
await "the array is gone" empty /sys/class/block/nvme0n1p2/holders || exit 1

look free
run reset ssdct reset nvme0 --yes -o json
stat -c '%a %u' /run/ssdct /run/ssdct/lock /run/ssdct/lock/* >/results/locks
logger -t end-of-test end
await "the log is written" grep -q end-of-test /results/syslog
exit 0
