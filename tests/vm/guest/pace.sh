# SPDX-License-Identifier: MIT
# ssdct bench beside fio on null_blk that completes every read after 2 ms, one at a time: with more, an emulated processor is
# busy with them and not waiting. ROUNDS: on the kernel's command line. No queues for polling: they would not wait for the pace.
. ./lib.sh
. ./bench_lib.sh

null_device nullb0 irqmode=2 completion_nsec=2000000 poll_queues=0 || exit 1
i=1
while [ $i -le "$ROUNDS" ]; do
	ours "paced-ours-$i" /dev/nullb0 1 3
	theirs "paced-plain-$i" /dev/nullb0 1 3
	i=$((i + 1))
done
exit 0
