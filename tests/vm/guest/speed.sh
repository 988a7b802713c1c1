# SPDX-License-Identifier: MIT
# ssdct bench beside fio on targets that cost nothing (null_blk), and on targets that set the pace. ROUNDS: on the kernel's
# command line.
. ./lib.sh
. ./bench_lib.sh
wait_for_controllers 3 || exit 1
wait_for_namespaces 3 || exit 1

ours() { # NAME TARGET DEPTH SECONDS
	run "$1" ssdct bench "$2" --rw randread --bs 4K --iodepth "$3" --time "$4" -o json
}

theirs() { # NAME TARGET DEPTH SECONDS OPTION...
	name=$1 target=$2 depth=$3 seconds=$4
	shift 4
	run "$name" fio --name=x --filename="$target" --readonly --rw=randread --bs=4k --iodepth="$depth" --direct=1 \
		--ioengine=io_uring --norandommap --time_based --runtime="$seconds" --lat_percentiles=1 \
		--output-format=json "$@"
}

# In this order: what disturbs the machine for a while disturbs both. Slow targets need longer for as many I/Os. No queues for
# polling: they would not wait for the pace, and fio would not use them.
null_device nullb0 irqmode=0 poll_queues=0 || exit 1
null_device nullb1 irqmode=2 completion_nsec=2000000 poll_queues=0 || exit 1
i=1
while [ $i -le "$ROUNDS" ]; do
	ours "fast-ours-$i" /dev/nullb0 32 1
	theirs "fast-plain-$i" /dev/nullb0 32 1
	theirs "fast-tuned-$i" /dev/nullb0 32 1 --registerfiles=1 --fixedbufs=1 --iodepth_batch_submit=32 \
		--iodepth_batch_complete_min=1 --iodepth_batch_complete_max=32
	ours "paced-ours-$i" /dev/nullb1 8 1
	theirs "paced-plain-$i" /dev/nullb1 8 1
	for rate in 100 1000 5000; do
		drive=$(drive_of "RATE$rate")
		ours "rate$rate-ours-$i" "$drive" 4 3
		theirs "rate$rate-plain-$i" "/dev/${drive}n1" 4 3
	done
	i=$((i + 1))
done
exit 0
