# SPDX-License-Identifier: MIT
# Intel's and Solidigm's drives, simulated, behind the kernel's NVMe/TCP driver: what `nvme intel` and ssdct read of each.
. ./lib.sh
. ./serve_lib.sh
ssdct sim create /tmp/lab --model p3700 --model p4510 --model p4610 --model p4800x --model p5520 --model oem-p4510 \
	>/results/create.out || exit 1
zeros() { # COUNT
	dd if=/dev/zero bs=1 count="$1" 2>/dev/null
}
# Histograms of version 3.0, a bucket of each group (0, 32, 63) and the last one (93); and of version 4.1, buckets 5 and 200.
version_3() {
	printf '\003\000\000\000\001\000\000\000'; zeros 124; printf '\002\000\000\000'; zeros 120
	printf '\003\000\000\000'; zeros 116; printf '\004\000\000\000'
}
version_3 >/tmp/lab/nvme0/log-c1.bin
{ printf '\004\000\001\000'; zeros 20; printf '\012\000\000\000'; zeros 776; printf '\003\000\000\000'; zeros 4060; } >/tmp/lab/nvme1/log-c1.bin
# As long as nvme-cli reads it.
{ version_3; zeros 4488; } >/tmp/lab/nvme1/log-c2.bin
serve /tmp/lab || exit 1
connect_all || exit 1
wait_for_controllers 6 || exit 1
cp /tmp/lab/nvme3/log-c1.bin /tmp/optane
for controller in nvme0 nvme1 nvme2 nvme3 nvme4 nvme5; do
	run $controller-ssdct-smart ssdct -o json smart $controller
	run $controller-ssdct-temp ssdct -o json intel temperature $controller
	run $controller-ssdct-name ssdct -o json intel market-name $controller
	run $controller-ssdct-lat ssdct -o json intel latency $controller
done
cmp /tmp/optane /tmp/lab/nvme3/log-c1.bin && echo same >/results/optane-kept
for controller in nvme0 nvme1 nvme2 nvme3 nvme4 nvme5; do
	run $controller-nvme-raw nvme get-log /dev/$controller -i 0xca -l 512 -b
	run $controller-nvme-intel nvme intel smart-log-add /dev/$controller -j
	run $controller-nvme-intel-text nvme intel smart-log-add /dev/$controller
	run $controller-nvme-intel-temp nvme intel temp-stats /dev/$controller
	run $controller-nvme-intel-name nvme intel market-name /dev/$controller
	run $controller-nvme-intel-read nvme intel lat-stats /dev/$controller -j
	run $controller-nvme-intel-write nvme intel lat-stats /dev/$controller -w -j
done
cmp /tmp/optane /tmp/lab/nvme3/log-c1.bin || echo cleared >/results/optane-cleared
# Why nvme-cli has nothing to say of nvme0's histograms: it reads 4868 bytes in two pieces, the second from an offset.
run piece nvme get-log /dev/nvme0 -i 0xc1 -l 380 -b
run offset nvme get-log /dev/nvme0 -i 0xc1 -l 772 -o 4096
disconnect_all
kill "$server"
exit 0
