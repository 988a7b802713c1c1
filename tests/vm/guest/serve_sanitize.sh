# SPDX-License-Identifier: MIT
# Sanitize operations through the kernel's NVMe/TCP driver; nvme-cli reads the log that the drive has of each.
. ./lib.sh
. ./serve_lib.sh
ssdct sim create /tmp/lab --model generic-ns --model generic >/results/create.out || exit 1
# The second drive can crypto erase only: SANICAP, byte 328 of Identify Controller.
printf '\001' | dd of=/tmp/lab/nvme1/id-ctrl.bin bs=1 seek=328 conv=notrunc 2>/dev/null
serve /tmp/lab || exit 1
connect_all || exit 1
wait_for_controllers 2 || exit 1
wait_for_namespaces 2 || exit 1
read -r serial </sys/class/nvme/nvme0/serial # without the blanks at its end
read -r second </sys/class/nvme/nvme1/serial
cp /tmp/lab/nvme0/drive.json /tmp/drive.json
mkdir -p /mnt

# How operations go from now on: so many readings of the log find them running; they fail or not.
behave() { # POLLS FAIL
	sed "1s/{/{ \"sanitize\": {\"busy_polls\": $1, \"fail\": $2},/" /tmp/drive.json >/tmp/lab/nvme0/new.json
	mv /tmp/lab/nvme0/new.json /tmp/lab/nvme0/drive.json
}

# Confirmed; --force is what a drive that is not on PCIe needs.
change() { # NAME WORDS...
	name=$1
	shift
	run "$name" ssdct -o json "$@" --yes --confirm "$serial" --force --trace "/results/$name-trace"
}

start() { # NAME WORDS...
	name=$1
	shift
	change "$name" sanitize start nvme0 "$@"
	run "$name-log" nvme sanitize-log /dev/nvme0 -o json
}

fill() {
	dd if=/dev/urandom of=/dev/nvme0n1 bs=4096 count=16 oflag=direct 2>/dev/null
}

# How much of what fill() wrote is there.
left() { # NAME
	dd if=/dev/nvme0n1 bs=4096 count=16 iflag=direct 2>/dev/null | tr -d '\0' | wc -c >"/results/$1-left"
}

# Each operation, and what it leaves.
run fresh ssdct -o json sanitize status nvme0
once() { # ACTION [OPTION...]
	fill
	left "before-$1"
	start "$1" --action "$@" --wait
	left "$1"
}
once block
behave 6 false
once crypto
once overwrite --passes 16 --no-deallocate --allow-unrestricted-exit

# While one runs.
behave 30 false
fill
start running --action overwrite --passes 3 --pattern 0xdeadbeef --invert
change again sanitize start nvme0 --action block
change exit-running sanitize exit-failure nvme0
change format-running format nvme0n1
change create-running namespace create nvme0 --size 1GiB
change delete-running namespace delete nvme0n1
change provision-running provision nvme0 --percent 50
change fw-running fw commit nvme0 --slot 2 --action 1
change selftest-running selftest start nvme0
run status-1 ssdct -o json sanitize status nvme0
run status-1-log nvme sanitize-log /dev/nvme0 -o json
run status-2 ssdct -o json sanitize status nvme0
run read-running dd if=/dev/nvme0n1 of=/dev/null bs=4096 count=1 iflag=direct
tries=0
until nvme sanitize-log /dev/nvme0 | grep -q 'Completed Successfully' || [ $tries -ge 100 ]; do
	tries=$((tries + 1))
done
run ended ssdct -o json sanitize status nvme0
run ended-log nvme sanitize-log /dev/nvme0 -o json
left ended

# One that fails, with no way out but one that succeeds; then one with a way out.
behave 2 true
start failed --action block --wait
run failed-status ssdct -o json sanitize status nvme0
change format-failed format nvme0n1
change exit-restricted sanitize exit-failure nvme0
start unrestricted --action block --allow-unrestricted-exit
behave 0 false
start mended --action block --wait
behave 0 true
start failed-again --action block --allow-unrestricted-exit --wait
change exit sanitize exit-failure nvme0
run exit-log nvme sanitize-log /dev/nvme0 -o json
behave 0 false
change format-after format nvme0n1

# What keeps one from being started.
run unforced ssdct -o json sanitize start nvme0 --action block --confirm "$serial" --trace /results/unforced-trace
run unconfirmed ssdct -o json sanitize start nvme0 --action block --force --yes --trace /results/unconfirmed-trace
run wrong ssdct -o json sanitize start nvme0 --action block --force --confirm "$second" --trace /results/wrong-trace
mke2fs /dev/nvme0n1 65536 >/dev/null 2>&1
mount -t ext4 /dev/nvme0n1 /mnt && echo precious >/mnt/file && sync || exit 1
change mounted sanitize start nvme0 --action crypto
umount /mnt

# Something else keeps it in use meanwhile.
held() { # NAME COMMAND
	hold "$2"
	change "$1" sanitize start nvme0 --action crypto
	let_go
}
held elsewhere "exec unshare -m sh -c 'mount -t ext4 /dev/nvme0n1 /mnt && exec sleep 1000'"
held opener "exec sleep 1000 </dev/nvme0n1"
mount -t ext4 /dev/nvme0n1 /mnt && cat /mnt/file >/results/file
umount /mnt

# As the drive allows.
serial=$second
change cannot sanitize start nvme1 --action block
change can sanitize start nvme1 --action crypto --wait
run can-log nvme sanitize-log /dev/nvme1 -o json

run dmesg dmesg
disconnect_all
kill "$server"
exit 0
