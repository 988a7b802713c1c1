# SPDX-License-Identifier: MIT
# Intel's and Solidigm's drives, simulated, behind the kernel's NVMe/TCP driver: what `nvme intel` and ssdct read of each.
. ./lib.sh
. ./serve_lib.sh
ssdct sim create /tmp/lab --model p3700 --model p4510 --model p4610 --model p4800x --model p5520 --model oem-p4510 \
	--model p5510 --model p5316 --model p5336 --model ps1010 >/results/create.out || exit 1
zeros() { # COUNT
	dd if=/dev/zero bs=1 count="$1" 2>/dev/null
}
# Histograms of version 3.0, a bucket of each group (0, 32, 63) and the last one (93); and of version 4, buckets 5 and 200,
# that of 4.8 with its average.
version_3() {
	printf '\003\000\000\000\001\000\000\000'; zeros 124; printf '\002\000\000\000'; zeros 120
	printf '\003\000\000\000'; zeros 116; printf '\004\000\000\000'
}
version_4() { # MINOR, octal
	printf "\\004\\000\\0$1\\000"; zeros 20; printf '\012\000\000\000'; zeros 776; printf '\003\000\000\000'; zeros 4060
}
version_3 >/tmp/lab/nvme0/log-c1.bin
version_4 01 >/tmp/lab/nvme1/log-c1.bin
{ version_4 10; printf '\115\000\000\000\000\000\000\000'; } >/tmp/lab/nvme4/log-c1.bin
version_4 05 >/tmp/lab/nvme6/log-c1.bin
# Version 4.0: buckets 5 and 100.
{ printf '\004\000\000\000'; zeros 20; printf '\012\000\000\000'; zeros 376; printf '\003\000\000\000'; zeros 4460; } >/tmp/lab/nvme7/log-c1.bin
# As long as nvme-cli reads it.
{ version_3; zeros 4488; } >/tmp/lab/nvme1/log-c2.bin
serve /tmp/lab || exit 1
connect_all || exit 1
wait_for_controllers 10 || exit 1
wait_for_namespaces 10 || exit 1 # what the kernel asks of a drive that does not know it is in the drive's error log
run nvme8-entries-first nvme smart-log /dev/nvme8 -o json
cp /tmp/lab/nvme3/log-c1.bin /tmp/optane
for controller in nvme0 nvme1 nvme2 nvme3 nvme4 nvme5 nvme6 nvme7 nvme8 nvme9; do
	run $controller-ssdct-smart ssdct -o json smart $controller
	run $controller-ssdct-temp ssdct -o json intel temperature $controller
	run $controller-ssdct-name ssdct -o json intel market-name $controller
	run $controller-ssdct-lat ssdct -o json intel latency $controller
done
# A PS1010 is known by its PCI ids, and over TCP there are none.
run host-nvme9-ssdct-smart ssdct -o json --host /tmp/lab smart nvme9
run host-nvme9-ssdct-temp ssdct -o json --host /tmp/lab intel temperature nvme9
run host-nvme9-ssdct-name ssdct -o json --host /tmp/lab intel market-name nvme9
run nvme6-ssdct-directory ssdct -o json log get nvme6 intel-directory
for drive in nvme4 nvme6; do
	for verb in queues garbage-collection outliers power; do
		run $drive-ssdct-$verb ssdct -o json intel $verb $drive
	done
done
run nvme8-entries-ours nvme smart-log /dev/nvme8 -o json
cmp /tmp/optane /tmp/lab/nvme3/log-c1.bin && echo same >/results/optane-kept
for controller in nvme0 nvme1 nvme2 nvme3 nvme4 nvme5 nvme6 nvme7 nvme8 nvme9; do
	run $controller-nvme-raw nvme get-log /dev/$controller -i 0xca -l 512 -b
	run $controller-nvme-intel nvme intel smart-log-add /dev/$controller -j
	run $controller-nvme-intel-text nvme intel smart-log-add /dev/$controller
	run $controller-nvme-intel-temp nvme intel temp-stats /dev/$controller
	run $controller-nvme-intel-name nvme intel market-name /dev/$controller
	run $controller-nvme-intel-read nvme intel lat-stats /dev/$controller -j
	run $controller-nvme-intel-write nvme intel lat-stats /dev/$controller -w -j
done
# The later drives: what every drive has, and nvme-cli's other plugins that know them.
run ssdct-smart-all ssdct -o json smart --all
for controller in nvme4 nvme6 nvme7 nvme8 nvme9; do
	read_controller $controller
	run $controller-ocp nvme ocp smart-add-log /dev/$controller -o json
	run $controller-solidigm nvme solidigm smart-log-add /dev/$controller -o json
	run $controller-solidigm-read nvme solidigm latency-tracking-log /dev/$controller -r -o json
	run $controller-solidigm-gc nvme solidigm garbage-collect-log /dev/$controller -o json
done
for page in 0xc0 0xcb 0xf2 0xfd 0xfe; do
	run nvme4-raw-$page nvme get-log /dev/nvme4 -i $page -l 1024 -b
	run nvme6-raw-$page nvme get-log /dev/nvme6 -i $page -l 1024 -b
done
for drive in nvme8 nvme9; do
	run $drive-raw-ocp nvme get-log /dev/$drive -i 0xc0 -U 1 -l 512 -b
done
cmp /tmp/optane /tmp/lab/nvme3/log-c1.bin || echo cleared >/results/optane-cleared
# Why nvme-cli has nothing to say of nvme0's histograms: it reads 4868 bytes in two pieces, the second from an offset.
run piece nvme get-log /dev/nvme0 -i 0xc1 -l 380 -b
run offset nvme get-log /dev/nvme0 -i 0xc1 -l 772 -o 4096
disconnect_all
kill "$server"
exit 0
