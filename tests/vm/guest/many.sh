# SPDX-License-Identifier: MIT
# 64 drives: how long listing takes, and SMART of all, beside nvme-cli in the same boot, in turns.
. ./lib.sh
wait_for_controllers 64 || exit 1
wait_for_namespaces 64 || exit 1

controllers=$(ls /dev | grep -E '^nvme[0-9]+$')
smart_log_loop() {
	for controller in $controllers; do
		nvme smart-log "/dev/$controller" -o json || return 1
	done
}

for turn in 1 2 3 4 5 6 7; do
	run list-nvme-$turn nvme list -o json
	run list-ssdct-$turn ssdct -o json list
done
for turn in 1 2 3; do
	run smart-nvme-$turn smart_log_loop
	run smart-ssdct-$turn ssdct -o json smart --all
done
exit 0
