# SPDX-License-Identifier: MIT
# A machine without NVMe drives.
. ./lib.sh
run list ssdct -o json list
run smart ssdct -o json smart --all
run check ssdct -o json check
run check-expect-0 ssdct -o json check --expect 0
exit 0
