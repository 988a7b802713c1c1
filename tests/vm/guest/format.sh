# SPDX-License-Identifier: MIT
# Formats of real (that is, QEMU's) drives, read back with nvme-cli and as the kernel shows them; and each kind of use that
# must keep a drive from being formatted, with the trace as proof.
. ./lib.sh
wait_for_controllers 2 || exit 1
wait_for_namespaces 3 || exit 1
mkdir -p /mnt

# The namespaces of a serial number: the kernel numbers drives as it likes.
nodes_of() { # SERIAL
	for c in /sys/class/nvme/nvme*; do
		[ "$(sed 's/ *$//' "$c/serial")" = "$1" ] && ls "$c" | grep '^nvme[0-9]*\(c[0-9]*\)\?n[0-9]*$' | sed 's/c[0-9]*n/n/'
	done
}
ns=$(nodes_of FORM0001)
two=$(nodes_of FORM0002 | head -n 1)
two_controller=/dev/$(basename "$(grep -l FORM0002 /sys/class/nvme/nvme*/serial | xargs dirname)")

# Formats, and keeps what came of it: result, trace, Identify Namespace by nvme-cli, and what the kernel shows.
format() { # NAME NODE WORDS...
	name=$1 node=$2
	shift 2
	run "$name" ssdct format "$node" "$@" --trace "/results/$name.trace" -o json
	node=$(basename "$node")
	[ -e "/sys/block/$node" ] || return
	nvme id-ns "/dev/$node" -o json >"/results/$name.id-ns"
	cat "/sys/block/$node/queue/logical_block_size" "/sys/block/$node/size" >"/results/$name.kernel"
	ls /dev | grep -c "^${node}p" >"/results/$name.partitions"
}
one() { # NAME WORDS...
	name=$1
	shift
	format "$name" "/dev/$ns" --confirm FORM0001 "$@"
}

nvme id-ctrl "/dev/$ns" -o json >/results/id-ctrl
one dry --block-size 4096 --dry-run
format unconfirmed "/dev/$ns" --block-size 4096
format other "/dev/$ns" --block-size 4096 --confirm FORM0002
one to-4096 --block-size 4096
mke2fs -b 4096 "/dev/$ns" >/dev/null && mount -t ext4 "/dev/$ns" /mnt && echo precious >/mnt/file && sync || exit 1
one mounted --force
umount /mnt
one signature
mount -t ext4 "/dev/$ns" /mnt && cat /mnt/file >/results/file
umount /mnt
one forced --block-size 512 --force
one separate --block-size 512 --metadata-size 8 --metadata separate
one protected --block-size 4096 --metadata-size 8 --metadata separate --protection 1
one extended --block-size 512 --metadata-size 8 --metadata extended
one plain --block-size 512
one erased --erase user-data
one missing --block-size 1024

printf 'n\np\n1\n\n+16M\nn\np\n2\n\n\nw\n' | fdisk "/dev/$ns" >/dev/null 2>&1
await "the partitions" [ -e "/dev/${ns}p2" ] || exit 1
one table
mkswap "/dev/${ns}p1" >/dev/null && swapon "/dev/${ns}p1" || exit 1
one swap --force
swapoff "/dev/${ns}p1"
mke2fs "/dev/${ns}p2" >/dev/null && mount -t ext4 "/dev/${ns}p2" /mnt || exit 1
one partition --force
umount /mnt

# Something else keeps it in use meanwhile.
held() { # NAME COMMAND
	hold "$2"
	one "$1" --force
	let_go
}
held elsewhere "exec unshare -m sh -c 'mount -t ext4 /dev/${ns}p2 /mnt && exec sleep 1000'"
held opener "exec sleep 1000 </dev/$ns"
losetup /dev/loop0 "/dev/${ns}p2" || exit 1
one loop --force
losetup -d /dev/loop0
echo md7 >/sys/module/md_mod/parameters/new_array
cat "/sys/class/block/${ns}p2/dev" >/sys/block/md7/md/new_dev
one array --force
echo clear >/sys/block/md7/md/array_state
await "the array is gone" empty "/sys/class/block/${ns}p2/holders" || exit 1
one free --block-size 4096 --force

format controller "$two_controller" --confirm FORM0002
format first "/dev/$two" --block-size 4096 --confirm FORM0002
format all "$two_controller" --all-namespaces --block-size 4096 --confirm FORM0002
for n in $(nodes_of FORM0002); do
	nvme id-ns "/dev/$n" -o json >"/results/all-$(cat "/sys/block/$n/nsid").id-ns"
done
exit 0
