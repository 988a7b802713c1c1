# SPDX-License-Identifier: MIT
# What holds a drive through the device mapper, LVM and dm-crypt; what older owners have left on drives that nobody uses; and
# the namespaces of a subsystem with two controllers, attached and detached.
. ./lib.sh
wait_for_controllers 7 || exit 1
wait_for_namespaces 6 || exit 1
for module in dm-mod dm-crypt ecb xts cryptd crypto_simd aesni-intel af_alg algif_skcipher; do
	[ ! -e /lib/modules/$module.ko ] || insmod /lib/modules/$module.ko || exit 1
done
mkdir -p /mnt /run/lock /run/cryptsetup

# The kernel numbers drives as it likes.
controllers_of() { # SERIAL
	for c in /sys/class/nvme/nvme*; do
		read -r its <"$c/serial"
		[ "$its" != "$1" ] || basename "$c"
	done
}

# A change by ssdct: confirmed, and forced where that may help.
try() { # NAME SERIAL WORDS...
	name=$1 serial=$2
	shift 2
	run "$name" ssdct -o json "$@" --yes --confirm "$serial" --trace "/results/$name-trace"
}

# What destroys the data, by name and by number.
refuse() { # NAME SERIAL NODE
	try "$1-format" "$2" format "$3" --force
	try "$1-delete" "$2" namespace delete "$3" --force
	try "$1-raw" "$2" passthru admin "$(echo "$3" | sed 's/n[0-9]*$//')" --opcode 0x80 --nsid 1 --force
}

# LVM, on the whole namespace. There is no udev here that would make the nodes.
lvm() {
	/usr/bin/lvm "$@" --config 'activation { udev_sync=0 udev_rules=0 } devices { use_devicesfile=0 }' >>/results/lvm.log 2>&1
}
pv=$(controllers_of MAPLVM01)n1
lvm pvcreate -y "/dev/$pv" && lvm vgcreate vg0 "/dev/$pv" && lvm lvcreate -y -L 32M -n srv vg0 || exit 1
refuse lvm MAPLVM01 "$pv"
mke2fs /dev/vg0/srv >/dev/null && mount -t ext4 /dev/vg0/srv /mnt && echo precious >/mnt/file || exit 1
try lvm-mounted MAPLVM01 format "$pv" --force
cat /mnt/file >/results/lvm-file
umount /mnt
lvm vgchange -an vg0 || exit 1
try lvm-dormant MAPLVM01 format "$pv"
try lvm-forced MAPLVM01 format "$pv" --force

# dm-crypt, on a partition.
luks=$(controllers_of MAPCRYPT)n1
printf 'n\np\n1\n\n\nw\n' | fdisk "/dev/$luks" >/dev/null 2>&1
await "the partition" [ -e "/dev/${luks}p1" ] || exit 1
printf secret | cryptsetup luksFormat --batch-mode --type luks2 --pbkdf pbkdf2 --pbkdf-force-iterations 1000 "/dev/${luks}p1" - \
	>>/results/crypt.log 2>&1 || exit 1
printf secret | cryptsetup open --disable-keyring --key-file - "/dev/${luks}p1" secret >>/results/crypt.log 2>&1 || exit 1
refuse crypt MAPCRYPT "$luks"
cryptsetup close secret >>/results/crypt.log 2>&1 || exit 1
try crypt-dormant MAPCRYPT format "$luks"
try crypt-forced MAPCRYPT format "$luks" --force

# What lies there unused: the host has laid it out.
for left in zfs bcache md; do
	node=$(controllers_of SIG$left)n1
	try $left SIG$left format "$node"
	try $left-delete SIG$left namespace delete "$node"
	try $left-forced SIG$left format "$node" --force
	try $left-after SIG$left format "$node"
done

# The subsystem. State: what nvme-cli says and what the kernel shows.
pair=$(controllers_of MAPPAIR | head -n 1)
cat "/sys/class/nvme/$pair/cntlid" >/results/pair
state() { # NAME
	for controller in $(controllers_of MAPPAIR); do
		read -r id <"/sys/class/nvme/$controller/cntlid"
		nvme list-ns "/dev/$controller" -o json >"/results/$1-$id.active"
	done
	run "$1-all" nvme list-ns "/dev/$pair" --all -o json
	run "$1-who" nvme list-ctrl "/dev/$pair" -n 2 -o json
	run "$1-list" ssdct -o json namespace list "$pair"
	# shellcheck disable=SC2012 # names of devices
	ls /dev | grep -c "^nvme[0-9]*n2$" >"/results/$1-nodes"
}
state start
try attach-all MAPPAIR namespace attach "$pair" --nsid 2 --controllers all
state attach-all
try detach-one MAPPAIR namespace detach "$pair" --nsid 2
state detach-one
try attach-one MAPPAIR namespace attach "$pair" --nsid 2
state attach-one
# shellcheck disable=SC2010 # names of devices
node=$(ls /dev | grep '^nvme[0-9]*n2$')
mke2fs "/dev/$node" >/dev/null && mount -t ext4 "/dev/$node" /mnt || exit 1
try detach-mounted MAPPAIR namespace detach "$pair" --nsid 2 --controllers all
state detach-mounted
umount /mnt
try detach-all MAPPAIR namespace detach "$pair" --nsid 2 --controllers all
state detach-all
run dmesg dmesg
exit 0
