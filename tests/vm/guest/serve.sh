# SPDX-License-Identifier: MIT
# Simulated drives behind the kernel's NVMe/TCP driver; nvme-cli, smartctl and ssdct read them, one after the other.
. ./lib.sh
. ./serve_lib.sh
ssdct sim create /tmp/lab --model p3700 --model p4510 --model generic >/results/create.out || exit 1
# A page that only a file describes (ssdct-pages(5)); 40 C, 7 cuts.
printf '\001\000\071\001\007\000\000\000' >/tmp/lab/nvme2/log-c8.bin
echo "0x$(hexdump -n 2 -e '1/2 "%04x"' /tmp/lab/nvme2/id-ctrl.bin)" >/tmp/vendor
serve /tmp/lab || exit 1
connect_all || exit 1
wait_for_controllers 3 || exit 1
wait_for_namespaces 3 || exit 1
for attribute in /sys/class/nvme/nvme*/*; do
	case $attribute in
	*/state | */model | */serial | */firmware_rev | */transport | */address | */cntlid | */numa_node | */subsysnqn)
		echo "$attribute $(cat "$attribute")" ;;
	esac
done >/results/sysfs
cp /tmp/serve.out /results/nqns

run nvme-list nvme list -o json
run ssdct-list ssdct -o json list --trace /results/trace-list
run ssdct-list-health ssdct -o json list --health
run ssdct-smart-all ssdct -o json smart --all
for controller in nvme0 nvme1 nvme2; do
	read_controller $controller
	run $controller-nvme-list-ns nvme list-ns /dev/$controller -o json
	run $controller-nvme-id-ns-1 nvme id-ns /dev/$controller -n 1 -o json
	run $controller-ssdct-id-ns-1 ssdct -o json identify $controller ns --nsid 1
	run $controller-nvme-intel nvme intel smart-log-add /dev/$controller -j
done

# Descriptions of pages: root's own are used on real nodes, those that others may write and those named by the environment not.
mkdir -p -m 0755 /etc/ssdct/pages.d /tmp/pages.d
chmod 0755 /etc /etc/ssdct
cat >/tmp/pages.d/served.json <<'JSON'
{"format": "ssdct-pages/1", "pages": [{"key": "served", "label": "Served", "match": [{"vendor": "VENDOR", "model": "Example*"}],
 "lid": "0xc8", "length": 8, "read": "free", "smart": true, "fields": [
 {"key": "here_celsius", "label": "Temperature", "offset": 2, "width": 2, "kind": "kelvin"},
 {"key": "cuts", "label": "Cuts", "offset": 4, "width": 4, "kind": "uint"}]}]}
JSON
sed -i "s/VENDOR/$(cat /tmp/vendor)/" /tmp/pages.d/served.json
run pages-none ssdct -o json smart nvme2
cp /tmp/pages.d/served.json /etc/ssdct/pages.d/
chmod 0644 /etc/ssdct/pages.d/served.json
run pages-good ssdct -o json smart nvme2 --trace /results/trace-pages
run pages-get ssdct -o json log get nvme2 served
chmod 0666 /etc/ssdct/pages.d/served.json
run pages-writable ssdct -o json smart nvme2
chmod 0644 /etc/ssdct/pages.d/served.json
chown 65534 /etc/ssdct/pages.d/served.json
run pages-foreign ssdct -o json smart nvme2
rm -r /etc/ssdct
run ssdct-check ssdct -o json check
run smart-serial ssdct -o json smart "$(cat /sys/class/nvme/nvme1/serial)"

# The media: what is written is there, also for the file behind it.
dd if=/dev/urandom of=/tmp/data bs=64k count=4 2>/dev/null
dd if=/tmp/data of=/dev/nvme0n1 bs=64k oflag=direct 2>/dev/null
dd if=/dev/nvme0n1 of=/tmp/back bs=64k count=4 iflag=direct 2>/dev/null
cmp /tmp/data /tmp/back && echo same >/results/media
dd if=/tmp/lab/nvme0/ns-1.img of=/tmp/back bs=64k count=4 2>/dev/null
cmp /tmp/data /tmp/back && echo same >>/results/media

# An error that the drive returns, and one that arrives late, through the kernel.
run fault-status ssdct -o json --host /tmp/lab sim fault nvme1 --opcode 2 --lid 2 --status 0x0006
run status-nvme nvme smart-log /dev/nvme1
run fault-status2 ssdct -o json --host /tmp/lab sim fault nvme1 --clear --opcode 2 --lid 2 --status 0x4109
run status-ssdct ssdct -o json smart nvme1
run fault-untouched ssdct -o json --host /tmp/lab sim fault nvme1 --clear --opcode 2 --lid 2 --untouched
run untouched-ssdct ssdct -o json smart nvme1
run fault-short ssdct -o json --host /tmp/lab sim fault nvme1 --clear --opcode 6 --cns 1 --short 100
run short-ssdct ssdct -o json identify nvme1 ctrl
run fault-late ssdct -o json --host /tmp/lab sim fault nvme1 --clear --opcode 2 --lid 2 --delay-ms 15000
ssdct -o json smart nvme1 >/results/late.out 2>/dev/null &
await "the late answer" matched nvme1 1 || exit 1
run beside-late ssdct -o json smart nvme0
run beside-late-same ssdct -o json identify nvme1 ctrl
kill -0 $! && echo yes >/results/late-is-out
wait $!
run fault-vanish ssdct -o json --host /tmp/lab sim fault nvme1 --clear --opcode 2 --lid 2 --vanish-ms 1500
run vanish-before ssdct -o json log get nvme1 smart # one command; what comes after it may find nobody
await "the kernel notices" not_live nvme1 || exit 1
run vanish-list ssdct -o json list
run vanish-smart ssdct -o json smart nvme1
run fault-clear ssdct -o json --host /tmp/lab sim fault nvme1 --clear
wait_for_controllers 3 || exit 1
run vanish-after ssdct -o json smart nvme1

# The target is ended and started again; a controller is deleted.
unserve
await "the kernel notices" not_live nvme0 || exit 1
run killed-list ssdct -o json list
run killed-smart ssdct -o json smart nvme0
serve /tmp/lab || exit 1
wait_for_controllers 3 || exit 1
run again-smart ssdct -o json smart nvme0
echo 1 >/sys/class/nvme/nvme2/delete_controller
run deleted-list ssdct -o json list
run deleted-smart ssdct -o json smart nvme2
run dmesg dmesg
disconnect_all
kill "$server"
exit 0
