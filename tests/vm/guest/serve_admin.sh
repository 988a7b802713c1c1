# SPDX-License-Identifier: MIT
# Features, self-test, telemetry and raw commands through the kernel's NVMe/TCP driver, beside nvme-cli.
. ./lib.sh
. ./serve_lib.sh
ssdct sim create /tmp/lab --model generic >/results/create.out || exit 1
# The controller has collected something: without that nvme-cli writes its header alone, and so do we.
sed -i '1s/^{/{"telemetry": {"controller_available": true}, /' /tmp/lab/nvme0/drive.json
serve /tmp/lab || exit 1
connect_all || exit 1
wait_for_controllers 1 || exit 1
wait_for_namespaces 1 || exit 1
read -r serial </sys/class/nvme/nvme0/serial # without the blanks at its end

# --force is what a drive that is not on PCIe needs.
change() { # NAME WORDS...
	name=$1
	shift
	run "$name" ssdct -o json "$@" --yes --force --trace "/results/$name-trace"
}

run feature-list ssdct -o json feature list nvme0
for fid in 0x01 0x02 0x04 0x06 0x0a; do
	run "feature-nvme-$fid" nvme get-feature /dev/nvme0 -f $fid
	run "feature-ssdct-$fid" ssdct -o json feature get nvme0 $fid
done
run feature-unforced ssdct -o json feature set nvme0 temperature-threshold 75 --yes
change feature-set feature set nvme0 temperature-threshold 75
run feature-set-nvme nvme get-feature /dev/nvme0 -f 4
change feature-save feature set nvme0 temperature-threshold 74 --save
run feature-save-nvme nvme get-feature /dev/nvme0 -f 4 -s 2
run feature-nvme-set nvme set-feature /dev/nvme0 -f 4 -v 0x15a
run feature-nvme-set-ssdct ssdct -o json feature get nvme0 4
change feature-kernel feature set nvme0 number-of-queues submission_queues=1
change timestamp feature set nvme0 timestamp now

change selftest selftest start nvme0 --wait
run selftest-nvme nvme self-test-log /dev/nvme0 -o json

change telemetry telemetry nvme0 --to /results/telemetry-ssdct.bin
run telemetry-nvme nvme telemetry-log /dev/nvme0 --output-file=/results/telemetry-nvme.bin --host-generate=0
change telemetry-controller telemetry nvme0 --controller --to /results/controller-ssdct.bin
run controller-nvme nvme telemetry-log /dev/nvme0 --output-file=/results/controller-nvme.bin --controller-init

# Raw commands: eight blocks from number 16 on, by the kernel's block device and by us.
dd if=/dev/urandom of=/tmp/data bs=4096 count=1 2>/dev/null
run raw-unconfirmed ssdct -o json passthru io nvme0n1 --opcode 1 --cdw10 16 --cdw12 7 --input /tmp/data --yes --force
run raw-write ssdct -o json passthru io nvme0n1 --opcode 1 --cdw10 16 --cdw12 7 --input /tmp/data --confirm "$serial" --force
dd if=/dev/nvme0n1 of=/tmp/read bs=512 skip=16 count=8 iflag=direct 2>/results/dd.err
run raw-written cmp /tmp/data /tmp/read
run raw-read ssdct passthru io nvme0n1 --opcode 2 --cdw10 16 --cdw12 7 --data-len 4096 --output /tmp/raw
run raw-same cmp /tmp/data /tmp/raw
run raw-identify ssdct passthru admin nvme0 --opcode 6 --cdw10 1 --data-len 4096 --output /tmp/identify
run raw-identify-nvme sh -c 'nvme id-ctrl /dev/nvme0 -b >/tmp/identify-nvme'
run raw-identify-same cmp /tmp/identify /tmp/identify-nvme
run raw-vendor ssdct -o json passthru admin nvme0 --opcode 0xc1 --confirm "$serial" --force
run raw-kernel ssdct -o json passthru admin nvme0 --opcode 0x0c --confirm "$serial" --force --yes
mke2fs /dev/nvme0n1 65536 >/results/mke2fs.out 2>&1
mkdir -p /tmp/mnt
mount -t ext4 /dev/nvme0n1 /tmp/mnt || exit 1
run raw-mounted ssdct -o json passthru io nvme0n1 --opcode 1 --cdw10 16 --cdw12 7 --input /tmp/data --confirm "$serial" --force
umount /tmp/mnt
run errors ssdct -o json errors nvme0
dmesg >/results/dmesg.out
disconnect_all
kill $server
exit 0
