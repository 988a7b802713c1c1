# SPDX-License-Identifier: MIT
# Namespaces through the kernel's NVMe/TCP driver. After each step nvme-cli and sysfs say what there is.
. ./lib.sh
. ./serve_lib.sh
for words in "namespace create" provision rescan; do
	# shellcheck disable=SC2086 # two words
	ssdct $words --help >/dev/null 2>&1 || { echo "ssdct $words" >/results/missing; exit 0; }
done
ssdct sim create /tmp/lab --model generic-ns --model p3700 >/results/create.out || exit 1
serve /tmp/lab || exit 1
connect_all || exit 1
wait_for_controllers 2 || exit 1
wait_for_namespaces 2 || exit 1
read -r serial </sys/class/nvme/nvme0/serial # without the blanks at its end
read -r intel </sys/class/nvme/nvme1/serial

# What the drive has, by nvme-cli, and what the kernel shows: name, NSID, 512-byte sectors.
state() { # NAME [CONTROLLER]
	controller=${2:-nvme0}
	run "$1-active" nvme list-ns "/dev/$controller" -o json
	run "$1-all" nvme list-ns "/dev/$controller" --all -o json
	run "$1-list" ssdct -o json namespace list "$controller"
	run "$1-id-ctrl" nvme id-ctrl "/dev/$controller" -o json
	for nsid in 1 2; do
		run "$1-id-ns-$nsid" nvme id-ns "/dev/$controller" -n $nsid -o json
	done
	for block in /sys/block/"$controller"n*; do
		[ ! -e "$block/nsid" ] || echo "${block##*/} $(cat "$block/nsid") $(cat "$block/size")"
	done >"/results/$1-sysfs"
}

# Confirmed; --force is what a drive that is not on PCIe needs.
change() { # NAME WORDS...
	name=$1
	shift
	run "$name" ssdct -o json "$@" --yes --confirm "$serial" --force --trace "/results/$name-trace"
}

state start
run unforced ssdct -o json namespace delete nvme0n1 --confirm "$serial"
mke2fs /dev/nvme0n1 65536 >/results/mke2fs.out 2>&1
mkdir -p /tmp/mnt
mount -t ext4 /dev/nvme0n1 /tmp/mnt || exit 1
change mounted-delete namespace delete nvme0n1
change mounted-detach namespace detach nvme0n1
change mounted-provision provision nvme0 --percent 50
umount /tmp/mnt
hold "exec sleep 1000 </dev/nvme0n1"
change opened-delete namespace delete nvme0n1
let_go
state refused

change delete namespace delete nvme0n1
state delete
change create namespace create nvme0 --size 64MiB --block-size 512 --attach
state create
dd if=/dev/urandom of=/tmp/data bs=4096 count=16 2>/dev/null
dd if=/tmp/data of=/dev/nvme0n1 bs=4096 count=16 conv=fsync 2>/dev/null
change largest namespace create nvme0 --largest
state largest
change attach namespace attach nvme0 --nsid 2
state attach
change detach namespace detach nvme0 --nsid 2
state detach
change delete-2 namespace delete nvme0 --nsid 2

# Detached and attached again: the data are there.
change away namespace detach nvme0n1
state away
change back namespace attach nvme0 --nsid 1
state back
await "its node" [ -b /dev/nvme0n1 ] || exit 1
dd if=/dev/nvme0n1 of=/tmp/again bs=4096 count=16 2>/dev/null
cmp /tmp/data /tmp/again && echo same >/results/kept

# The namespace made anew has the old one's name, and half the drive.
change half provision nvme0 --percent 50
state half
change native provision nvme0 --native
state native

# Somebody else changes it; the kernel is told by rescan at the latest.
run nvme-delete nvme delete-ns /dev/nvme0 -n 1
run rescan-delete ssdct -o json rescan nvme0
state nvme-delete
run nvme-create nvme create-ns /dev/nvme0 -s 8192 -c 8192 -f 0
run nvme-attach nvme attach-ns /dev/nvme0 -n 1 -c "$(cat /sys/class/nvme/nvme0/cntlid)"
run rescan-create ssdct -o json rescan nvme0
state nvme-create

# Intel's Max LBA.
state intel nvme1
serial=$intel
change intel-80 provision nvme1 --percent 80
state intel-80 nvme1
run intel-feature nvme get-feature /dev/nvme1 -f 0xc1 -n 0
change intel-native provision nvme1 --native
state intel-native nvme1
sed '1s/{/{ "max_lba": {"effect": "reset"},/' /tmp/lab/nvme1/drive.json >/tmp/drive.json
cp /tmp/drive.json /tmp/lab/nvme1/drive.json
change intel-reset provision nvme1 --percent 80
state intel-reset nvme1

run dmesg dmesg
disconnect_all
kill "$server"
exit 0
