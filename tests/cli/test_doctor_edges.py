#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ssdct doctor on machines that are not as they should be: files missing or full of garbage, drives that are gone, closed, shared
or many, and trees of any size. It never fails, never waits, and never makes a finding of nothing."""
import json
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from doctor_lib import BLOCK, DRIVE, FORMATS, FUNCTION, LIMITS, SYSFS, Machine  # noqa: E402
from harness import FEATURES, TMP, Tap, id_ctrl, id_ns, run  # noqa: E402

tap = Tap()


def doctor(host, *args):
    return run("doctor", *args, "-o", "json", host=host)


def all_of(got):
    return [f for d in got.json["drives"] for f in d["findings"]] + got.json["findings"]


def ids(got):
    return sorted({f["id"] for f in all_of(got)})


def files(host):
    """The files of the machine, by their own name: not through links."""
    return sorted(os.path.join(folder, name) for part in ("sys", "proc", "etc", "run")
                  for folder, _, names in os.walk(os.path.join(str(host), part)) for name in names)


# --- one file after the other is missing, or is something else ---

# Without it something is really different: nothing trims, and a function has no driver.
NEEDED = ("fstrim.timer", "0000:01:00.0/driver")
well = Machine()
tap.equal(all_of(doctor(well)), [], "a machine on which all is well")
wrong = []
for path in files(well):
    if path.endswith(NEEDED):
        continue
    away = path + ".away"
    os.rename(path, away)
    got = doctor(well)
    wrong += [(path, got.code, all_of(got))] if got.code or all_of(got) else []
    os.mkfifo(path)  # opening it for reading would wait for a writer
    got = doctor(well)
    wrong += [(path, "fifo", got.code, all_of(got))] if got.code or all_of(got) else []
    os.remove(path)
    os.rename(away, path)
tap.equal(wrong, [], f"each of {len(files(well))} files missing, or a FIFO: no finding, and no waiting")
for part in ("sys", "proc", "etc", "run"):
    host = Machine()
    shutil.rmtree(f"{host}/{part}")
    tap.equal((doctor(host).code, [i for i in ids(doctor(host)) if i != "trim"]), (0, []), f"without {part}")

GARBAGE = ("", "\n", "garbage", "-1", "-9223372036854775808", "9223372036854775807", "99999999999999999999", "0x", "[", "]", "[]",
           ",", "-", "0-", "0-99999999999999999999", "%s%n%d", "a" * 100000, "\0" * 300, "\xff\xfe\x1b[31m", "1 2 3 4 5 - 6",
           " - ", "TOTAL_ERR_COR 9223372036854775807", "1.5.5 GT/s", "4294967297")
for number, text in enumerate(GARBAGE):
    host = Machine(sysfs={"current_link_speed": text[:30], "max_link_speed": text[:30]} if "\0" not in text else {})
    for path in files(host):
        if not os.path.islink(path):
            with open(path, "w", encoding="latin-1") as f:
                f.write(text)
    got = doctor(host)
    raw = [f for f in all_of(got) if re.search(r"[^ -~]", f["message"] + f["advice"])]
    tap.result(got.code == 0 and not raw and not got.err, f"all files say {text[:24]!r}", got, raw)
    tap.equal(run("doctor", host=host).code, 0, "... as text")
host = Machine()
for path in files(host):
    if not os.path.islink(path):
        os.remove(path)
        os.mkdir(path)
tap.equal(doctor(host).code, 0, "directories in place of files")

# --- drives ---


def refused(errno):
    return Machine(sysfs={"current_link_width": "1"}, extra={"faults": [{"opcode": "0x06", "count": 0, "errno": errno}]})


for errno, code in (("EACCES", "permission"), ("ENODEV", "gone")):
    got = doctor(refused(errno), "nvme0")
    tap.equal((got.code, got.drive["error"]["code"], ids(got)), (3, code, ["pcie_width"]),
              f"{errno}: exit 3, and what the host says of the drive is found")
    tap.equal(doctor(refused(errno), "nvme0", "--strict").code, 3, "... --strict or not")

host = Machine(sysfs={"state": "deleting"})
for name in ("class/nvme/nvme0", "class/block/nvme0n1", "class/block/nvme0n1p1", "bus/pci/devices/0000:01:00.0"):
    os.remove(f"{host}/sys/{name}")
shutil.rmtree(f"{host}/sys/devices/pci0000:00")
got = doctor(host, "nvme0")
tap.equal((got.code, ids(got)), (3, ["health"]), "a drive that was just pulled: the error, and that it is gone")

# QEMU's drive: no link of its own, NUMA node -1, one queue less than CPUs, the ports of a machine that is not there.
qemu = Machine(sysfs={"current_link_speed": "Unknown", "max_link_speed": "Unknown", "current_link_width": "0",
                      "max_link_width": "255", "numa_node": "-1"}, id_ctrl=id_ctrl("QEMU NVMe Ctrl", vid=0x1b36, ssvid=0x1af4, **LIMITS))
qemu.sys("class/dmi/id/sys_vendor", "QEMU")
tap.equal(ids(doctor(qemu)), ["pcie_speed", "virtual_machine"], "QEMU's drive: a guest, and no link speed")
through = Machine()
through.sys("class/dmi/id/sys_vendor", "QEMU")
through.port(speed="2.5 GT/s PCIe", width=1, now_speed="2.5 GT/s PCIe", now_width=1)
tap.equal(ids(doctor(through)), ["virtual_machine"], "a drive passed through to a guest: the guest's port limits nothing")
virtio = Machine()
virtio.sys("class/block/vda/queue/scheduler", "[mq-deadline] none")
virtio.sys("class/block/vda/vda1/start", "63")
tap.equal(ids(doctor(virtio)), [], "a virtio disk beside the drive is none of doctor's business")

# Multipath: the namespace is a head without queues of its own; the controller has a hidden path.
host = Machine()
host.sys(f"{DRIVE}/nvme0c0n1/queue/scheduler", "none [bfq]")
host.sys(f"{DRIVE}/nvme0c0n1/queue/rq_affinity", "1")
got = doctor(host)
tap.equal(ids(got), ["scheduler"], "multipath: the settings of the path count")
tap.result("nvme0c0n1" in all_of(got)[0]["message"] and "tmpfiles.d" in all_of(got)[0]["advice"],
           "... which makes no udev event, so the setting is kept by tmpfiles.d", got)

host = Machine(id_ctrl=id_ctrl(nn=2, **LIMITS), id_ns_2=id_ns(**FORMATS))
second = BLOCK.replace("nvme0n1", "nvme0n2")
host.link("sys/class/block/nvme0n2", f"../../{second}")
host.sys(f"{second}/queue/rq_affinity", "0")
host.sys(f"{second}/queue/read_ahead_kb", "0")
got = doctor(host)
tap.equal(ids(got), ["read_ahead", "rq_affinity"], "several namespaces: the one that differs")
tap.result(all("nvme0n2" in f["message"] and "nvme0n1" not in f["message"] + f["advice"] for f in all_of(got)), "... and only that", got)

# --- size ---

# 2048 threads, every other one at work: the list has 4,900 characters.
host = Machine()
host.sys("devices/system/cpu/online", ",".join(str(n) for n in range(0, 2048, 2)))
for number in range(1024):
    host.sys(f"{BLOCK}/mq/{number}/cpu_list", str(2 * number))
    host.put(f"proc/irq/{100 + number}/effective_affinity_list", str(2 * number))
    host.sys(f"{FUNCTION}/msi_irqs/{100 + number}", "msix")
tap.equal(ids(doctor(host)), [], "1024 CPUs, a queue and an interrupt for each")
shutil.rmtree(f"{host}/sys/{BLOCK}/mq/1023")
tap.result("1023 I/O queues for 1024 CPUs" in doctor(host).out, "... and one queue less")

host = Machine()
os.remove(f"{host}/etc/systemd/system/timers.target.wants/fstrim.timer")
mounts = [f"{n} 1 8:{n} / /other/{n} rw - ext4 /dev/sd{n} rw" for n in range(5000)]
mounts += [f"{n} 1 259:1 / /srv\\040a/{n} rw - ext4 /dev/nvme0n1p1 rw" for n in range(5000)]
host.put("proc/self/mountinfo", "\n".join(mounts))
got = doctor(host)
tap.equal([f["message"].split(" is ")[0] for f in all_of(got)], ["/srv a/0 (ext4 on nvme0n1p1)"],
          "10000 mounts: a file system that is mounted often is one, and a blank is a blank")
host.put("proc/self/mountinfo", "7 1 259:1 / /srv/it's\\040" + "long" * 30 + " rw - ext4 /dev/nvme0n1p1 rw")
tap.result("srv" not in all_of(doctor(host))[0]["advice"], "the advice is a command whatever the mount point is called")

host = Machine()
for number in range(1000):
    host.sys(f"class/block/dm-{number}/dev", f"253:{number}")
    host.sys(f"class/block/dm-{number}/holders/dm-{number + 1}/x", "")
    host.sys(f"{BLOCK}/nvme0n1p1/holders/dm-{number}/x", "")
host.sys("class/block/dm-999/holders/dm-0/x", "")
tap.equal((doctor(host).code, ids(doctor(host))), (0, []), "1000 devices on top of one another, in a circle")

# --- a recording ---

host = Machine()
os.remove(f"{host}/etc/systemd/system/timers.target.wants/fstrim.timer")
host.sys(f"{BLOCK}/nvme0n1p1/holders/dm-0/x", "")
host.sys("class/block/dm-0/dev", "253:0")
host.sys("class/block/dm-0/dm/name", "payroll-secret")
host.put("proc/self/mountinfo", "21 1 0:5 / /proc/hidden rw - proc proc rw\n"
         "22 1 0:44 /vol /data/alice\\040b rw,noatime shared:3 - btrfs /dev/mapper/payroll-secret rw,ssd,subvolid=5,subvol=/vol/alice,space_cache")
host.put("etc/zfs/zpool.cache", "payroll pool")
place = os.path.join(TMP, "plain")
tap.equal(run("capture", "--to", place, host=host).code, 0, "capture")
tap.equal(all_of(doctor(place)), all_of(doctor(host)), "what doctor finds in the recording is what it finds on the machine")
tap.equal([f["id"] for f in all_of(doctor(place))], ["trim"], "... which is something")
with open(f"{place}/proc/self/mountinfo", encoding="utf-8") as f:
    tap.equal(len(f.readlines()), 1, "mounts of block devices alone are recorded")
tap.equal(os.readlink(f"{place}/sys/class/nvme/nvme0"), f"../../{DRIVE}", "links of sysfs are links")
modes = {os.stat(os.path.join(folder, name)).st_mode & 0o77 for folder, dirs, names in os.walk(place) for name in names
         if not os.path.islink(os.path.join(folder, name))}
tap.equal(modes, {0}, "the files are their owner's alone")
place = os.path.join(TMP, "redacted")
got = run("capture", "--to", place, "--redact", "-o", "json", host=host)
tap.equal([(g["file"], g["reason"]) for g in got.drive["capture"]["left_out"] if g["file"].startswith("etc")],
          [("etc/zfs/zpool.cache", "not redactable")], "redacted: what cannot be is listed")
with open(f"{place}/proc/self/mountinfo", encoding="utf-8") as f:
    tap.equal(f.read(), "22 1 0:44 /XXX /XXXX/XXXXXXXXXX rw,noatime shared:3 - btrfs /dev/mapper/XXXXXXXXXXXXXX "
              "rw,ssd,subvolid=5,subvol=/XXX/XXXXX,space_cache\n", "... paths and names are as many letters X")
everything = b"".join(open(path, "rb").read() for path in files(place) if os.path.exists(path))
tap.equal([w for w in (b"alice", b"payroll", b"secret") if w in everything], [], "... nowhere else either")
tap.equal([(f["id"], f["severity"]) for f in all_of(doctor(place))], [(f["id"], f["severity"]) for f in all_of(doctor(host))],
          "... and the findings are the same but for these")
# One byte more than was there: every length, because what lies behind it differs (16 bytes of the allocator's own).
for pad in range(16):
    host, place = Machine(), os.path.join(TMP, f"unended{pad}")
    line = "22 1 259:1 / /srv rw - ext4 /dev/nvme0n1p1 rw,stripe=" + "1" * pad
    host.write("proc/self/mountinfo", line)
    got = run("capture", "--to", place, host=host)
    kept = open(f"{place}/proc/self/mountinfo", encoding="utf-8").read() if got.code == 0 else got
    tap.equal(kept, line + "\n", f"a last line without an end, {len(line)} bytes")
host = Machine()
host.drive("nvme1", {"sysfs": {**SYSFS, "address": "0000:02:00.0"}, "features": FEATURES}, id_ctrl=id_ctrl(serial="S1", **LIMITS))
place = os.path.join(TMP, "two")
tap.equal(json.loads(run("capture", "--to", place, "-o", "json", host=host).out)["exit"], 0, "two drives of one machine")
tap.equal(sorted(n for n in os.listdir(place)), ["etc", "host.json", "nvme0", "nvme1", "proc", "run", "sys"], "... and what belongs to both")

sys.exit(tap.end())
