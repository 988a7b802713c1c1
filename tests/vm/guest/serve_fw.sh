# SPDX-License-Identifier: MIT
# Firmware updates through the kernel's NVMe/TCP driver. After each step nvme-cli and sysfs say what there is.
. ./lib.sh
. ./serve_lib.sh
drive=/sys/class/nvme/nvme0
for words in "fw update" "sim image"; do
	# shellcheck disable=SC2086 # two words
	ssdct $words --help >/dev/null 2>&1 || { echo "ssdct $words" >/results/missing; exit 0; }
done
ssdct sim create /tmp/lab --model generic >/results/create.out || exit 1
for revision in 2.1.0 2.2.0 2.3.0 2.4.0 2.5.0 2.6.0 2.7.0; do
	ssdct sim image --model "Example NVMe 1.4 SSD 1TB" --revision $revision --size 65536 --out /tmp/$revision.img \
		>/results/image.out || exit 1
done
serve /tmp/lab || exit 1
connect_all || exit 1
wait_for_controllers 1 || exit 1
wait_for_namespaces 1 || exit 1

state() { # NAME
	wait_for_controllers 1 || exit 1
	run "$1-fw-log" nvme fw-log /dev/nvme0 -o json
	run "$1-id-ctrl" nvme id-ctrl /dev/nvme0 -o json
	run "$1-status" ssdct -o json fw status nvme0
	cat $drive/firmware_rev >"/results/$1-sysfs"
}

# Without --force, which a drive that is not on PCIe needs.
update() { # NAME REVISION [OPTIONS]
	name=$1
	image=/tmp/$2.img
	shift 2
	run "$name" ssdct -o json fw update nvme0 --image "$image" --yes --trace "/results/$name-trace" "$@"
}

fault() { # RULE
	ssdct --host /tmp/lab sim fault nvme0 "$@" >/results/fault.out || exit 1
}

state start
update refused 2.1.0
update dry-run 2.1.0 --force --dry-run
state refused
update later 2.1.0 --force
state later
run nvme-reset nvme reset /dev/nvme0
state later-reset
update reset 2.2.0 --force --activate reset
state reset
update now 2.3.0 --force --activate now
state now
update current 2.3.0 --force --expect 2.3.0
update store 2.4.0 --force --activate store
state store

# A drive that wants more than a controller reset.
cp /tmp/lab/nvme0/drive.json /tmp/drive.json
sed '1s/{/{ "firmware": {"activation": "subsystem_reset"},/' /tmp/drive.json >/tmp/lab/nvme0/drive.json
update subsystem 2.5.0 --force --activate reset
state subsystem
run nvme-subsystem-reset nvme subsystem-reset /dev/nvme0
state subsystem-reset
cp /tmp/drive.json /tmp/lab/nvme0/drive.json

# In use: a file system, an md array, a process.
mke2fs /dev/nvme0n1 65536 >/results/mke2fs.out 2>&1
mkdir -p /tmp/mnt
mount -t ext4 /dev/nvme0n1 /tmp/mnt || exit 1
echo kept >/tmp/mnt/file
update mounted 2.6.0 --activate reset
update mounted-forced 2.6.0 --force --activate reset
state mounted-forced
cat /tmp/mnt/file >/results/kept
umount /tmp/mnt
hold "exec sleep 1000 </dev/nvme0n1"
echo $user >/results/opener
update opened 2.7.0 --activate reset
let_go
echo md127 >/sys/module/md_mod/parameters/new_array
echo none >/sys/block/md127/md/metadata_version
cat /sys/block/nvme0n1/dev >/sys/block/md127/md/new_dev
ls /sys/block/nvme0n1/holders >/results/holders
update member 2.7.0 --activate reset
echo clear >/sys/block/md127/md/array_state
state used

# What happens in the middle of an update. The update runs beside; the event comes when a command hangs: the fault rule has
# matched so many commands.
beside() { # MATCHES NAME REVISION [OPTIONS]
	matches=$1
	shift
	update "$@" --timeout 8 &
	updater=$!
	await "the command that hangs" matched nvme0 $matches
}
after() { # NAME
	wait "$updater"
	fault --clear
	[ -e $drive ] || connect "$(nqn_of nvme0)"
	state "$1"
}
restart() {
	unserve
	serve /tmp/lab || exit 1
}

fault --clear --opcode 0x11 --nth 3 --vanish-ms 1200
update download-vanish 2.7.0 --force
fault --clear
state download-vanish

fault --clear --opcode 0x11 --nth 3 --delay-ms 4000
beside 3 download-killed 2.7.0 --force
restart
after download-killed

fault --clear --opcode 0x11 --nth 3 --delay-ms 4000
beside 3 download-deleted 2.7.0 --force
echo 1 >$drive/delete_controller
after download-deleted

fault --clear --opcode 0x10 --vanish-ms 1200
update commit-vanish 2.7.0 --force
fault --clear
state commit-vanish

fault --clear --opcode 0x10 --delay-ms 4000
beside 1 commit-killed 2.6.0 --force
restart
after commit-killed

fault --clear --opcode 0x10 --delay-ms 4000
beside 1 commit-deleted 2.5.0 --force
echo 1 >$drive/delete_controller
after commit-deleted

# The controller goes while it is being reset.
update reset-deleted 2.4.0 --force --activate reset --timeout 8 &
updater=$!
tries=0
while read -r live <$drive/state && [ "$live" = live ] && [ $tries -lt 200000 ]; do
	tries=$((tries + 1))
done
echo 1 >$drive/delete_controller
wait $updater
[ -e $drive ] || connect "$(nqn_of nvme0)"
state reset-deleted

# Two controllers of one drive: updated once, verified on both. Its namespace is shared (NMIC, byte 30).
disconnect_all
unserve
ssdct sim create /tmp/pair --model generic >/results/create.out || exit 1
ln -s nvme0 /tmp/pair/nvme1
printf '\001' | dd of=/tmp/pair/nvme0/id-ns-1.bin bs=1 seek=30 conv=notrunc 2>/dev/null
serve /tmp/pair || exit 1
connect "$(nqn_of nvme0)"
connect "$(nqn_of nvme1)" ,duplicate_connect
wait_for_controllers 2 || exit 1
run pair-list ssdct -o json list
run pair-smart ssdct -o json smart "$(cat $drive/serial)"
run pair-update ssdct -o json fw update "$(cat $drive/serial)" --image /tmp/2.1.0.img --yes --force --activate reset \
	--trace /results/pair-trace
wait_for_controllers 2 || exit 1
for controller in nvme0 nvme1; do
	run pair-$controller-id-ctrl nvme id-ctrl /dev/$controller -o json
	cat /sys/class/nvme/$controller/firmware_rev >/results/pair-$controller-sysfs
done

run dmesg dmesg
disconnect_all
kill "$server"
exit 0
