# SPDX-License-Identifier: MIT
# ssdct bench beside fio on a target that costs nothing (null_blk), and on drives that set the pace. ROUNDS: on the kernel's
# command line.
. ./lib.sh
. ./bench_lib.sh
wait_for_controllers 3 || exit 1
wait_for_namespaces 3 || exit 1

# In this order: what disturbs the machine for a while disturbs both. Slow targets need longer for as many I/Os. No queues for
# polling: fio would not use them.
null_device nullb0 irqmode=0 poll_queues=0 || exit 1
i=1
while [ $i -le "$ROUNDS" ]; do
	ours "fast-ours-$i" /dev/nullb0 32 1
	theirs "fast-plain-$i" /dev/nullb0 32 1
	theirs "fast-tuned-$i" /dev/nullb0 32 1 --registerfiles=1 --fixedbufs=1 --iodepth_batch_submit=32 \
		--iodepth_batch_complete_min=1 --iodepth_batch_complete_max=32
	# Deep enough that the drive sets the pace; long enough that what starts at once is not in the last hundredth.
	for case in "100 4 10" "1000 16 3" "5000 16 3"; do
		# shellcheck disable=SC2086
		set -- $case
		drive=$(drive_of "RATE$1")
		ours "rate$1-ours-$i" "$drive" "$2" "$3"
		theirs "rate$1-plain-$i" "/dev/${drive}n1" "$2" "$3"
	done
	i=$((i + 1))
done
exit 0
