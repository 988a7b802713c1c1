# SPDX-License-Identifier: MIT
# nvme-cli, smartctl and ssdct on the same drives, one after the other; the host compares what they said.
. ./lib.sh
wait_for_controllers 6 || exit 1
wait_for_namespaces 7 || exit 1

for attribute in /sys/class/nvme/nvme*/* /sys/class/nvme/nvme*/device/*; do
	case $attribute in
	*/state | */model | */serial | */firmware_rev | */transport | */address | */cntlid | */numa_node | */subsysnqn | \
		*/vendor | */device | */subsystem_vendor | */subsystem_device | */current_link_* | */max_link_*)
		[ -f "$attribute" ] && echo "$attribute $(cat "$attribute")"
		;;
	esac
done >/results/sysfs

run nvme-list nvme list -o json
run ssdct-list ssdct -o json list --trace /results/trace-list
run ssdct-list-health ssdct -o json list --health
run ssdct-check ssdct -o json check
run ssdct-check-nagios ssdct -o nagios check

# Doctor, before and after it what the kernel has sent and what the drives have counted; and from a recording.
sent() { cat /sys/block/nvme*/stat; for c in /dev/nvme?; do nvme smart-log "$c" | grep -E 'num_err_log_entries|host_write'; done; }
sent >/results/doctor-before
run ssdct-doctor ssdct -o json doctor --all --trace /results/trace-doctor
sent >/results/doctor-after
run doctor-capture ssdct -o json capture --all --to /tmp/doctor
run doctor-recorded ssdct -o json --host /tmp/doctor doctor --all
run doctor-text ssdct doctor --all
echo bfq >/sys/block/nvme0n1/queue/scheduler 2>/dev/null || echo mq-deadline >/sys/block/nvme0n1/queue/scheduler
run doctor-scheduler ssdct -o json doctor nvme0
echo none >/sys/block/nvme0n1/queue/scheduler
run doctor-mended ssdct -o json doctor nvme0

run ssdct-smart-all ssdct -o json smart --all --trace /results/trace-smart

for controller in $(ls /dev | grep -E '^nvme[0-9]+$'); do
	run $controller-nvme-id-ctrl nvme id-ctrl "/dev/$controller" -o json
	run $controller-nvme-smart-log nvme smart-log "/dev/$controller" -o json
	run $controller-ssdct-smart ssdct -o json smart "$controller"
	run $controller-smartctl smartctl -j -a "/dev/$controller"
	run $controller-nvme-fw-log nvme fw-log "/dev/$controller" -o json
	run $controller-nvme-error-log nvme error-log "/dev/$controller" -o json
	for fid in 2 4 6 7; do
		run $controller-nvme-feature-$fid nvme get-feature "/dev/$controller" -f $fid
	done
	run $controller-ssdct-identify ssdct -o json identify "$controller" ctrl
	run $controller-ssdct-show ssdct -o json show "$controller"
	run $controller-ssdct-errors ssdct -o json errors "$controller"
	run $controller-ssdct-log-fw ssdct -o json log get "$controller" firmware-slot
	run $controller-ssdct-log-smart ssdct -o json log get "/dev/$controller" 0x02
	run $controller-ssdct-log-list ssdct -o json log list "$controller"
	run $controller-ssdct-raw-smart ssdct log get "$controller" smart --raw
	run $controller-nvme-raw-smart nvme get-log "/dev/$controller" -i 2 -l 512 -b
	run $controller-nvme-list-ns nvme list-ns "/dev/$controller" -o json
	for nsid in $(grep -o '"nsid":[0-9]*' /results/$controller-nvme-list-ns.out | cut -d: -f2); do
		run $controller-nvme-id-ns-$nsid nvme id-ns "/dev/$controller" -n "$nsid" -o json
		run $controller-ssdct-id-ns-$nsid ssdct -o json identify "$controller" ns --nsid "$nsid"
	done
done

# Names: the drive by serial number and by PCI address, a namespace by either of its nodes.
run name-serial ssdct -o json identify PLAIN001 ctrl
run name-address ssdct -o json smart "$(cat "$(dirname "$(grep -l PLAIN001 /sys/class/nvme/*/serial)")"/address)"
run name-ambiguous ssdct -o json smart MULTI004
run name-unknown ssdct -o json smart nvme99

# Somebody who is not root: sees the drives, may not ask them.
nobody="/usr/bin/setpriv --reuid 65534 --regid 65534 --clear-groups"
run doctor-nobody $nobody ssdct -o json doctor --all
run nobody-list $nobody ssdct -o json list
run nobody-smart $nobody ssdct -o json smart nvme0
run nobody-smart-all $nobody ssdct -o json smart --all
chmod 666 /dev/nvme0
run nobody-open $nobody ssdct -o json smart nvme0
chmod 600 /dev/nvme0

# A recording of these drives answers like them.
run capture ssdct -o json capture --all --to /tmp/recording
run capture-error-count nvme smart-log /dev/nvme0 -o json
for controller in $(ls /dev | grep -E '^nvme[0-9]+$'); do
	run $controller-recorded-identify ssdct -o json --host /tmp/recording identify "$controller" ctrl
	run $controller-recorded-smart ssdct -o json --host /tmp/recording smart "$controller"
done
run recorded-list ssdct -o json --host /tmp/recording list

# A command counts in the drive's own SMART log only through the kernel; after all this it is still readable.
run dmesg dmesg
exit 0
