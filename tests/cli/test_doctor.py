#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ssdct doctor: each finding on a small tree of sysfs, proc, etc and run in a host directory, and none on one that is well.

Numbers in messages are worked out by hand. Each tree is recorded, too, and the recording has the same findings.
"""
import glob
import os
import re
import struct
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "tests", "lib"))
from harness import FEATURES, TMP, Host, Tap, id_ctrl, id_ns, intel_smart, run, slot_log, smart, trace_of  # noqa: E402
from doctor_lib import BLOCK, CPUS, DRIVE, FORMATS, FUNCTION, LIMITS, PORT, SYSFS, Machine  # noqa: E402

tap = Tap()
fires, recordings = set(), 0


def findings(host, *args):
    return run("doctor", "nvme0", *args, "-o", "json", host=host)


def all_of(got):
    return got.drive["findings"] + got.json["findings"]


def recorded(host):
    """The findings of a recording of this host."""
    global recordings
    recordings += 1
    place = os.path.join(TMP, f"recorded{recordings}")
    got = run("capture", "--to", place, host=host)
    return all_of(findings(place)) if got.code == 0 else str(got)


def is_well(host, text):
    """Nothing is found."""
    got = findings(host)
    tap.result(got.code == 0 and all_of(got) == [] == recorded(host), f"nothing: {text}", all_of(got), got)


def finds(host, ident, severity, *words, other=(), in_recording=True):
    """This finding, no other, and these words in its message and advice."""
    fires.add(ident)
    got = findings(host)
    said = all_of(got)
    ours = [f for f in said if f["id"] == ident]
    text = " ".join(f"{f['message']} / {f['advice']}" for f in ours)
    missing = [word for word in words if str(word) not in text]
    good = (got.code == 0 and ours and {f["severity"] for f in ours} == {severity} and not missing
            and {f["id"] for f in said} <= {ident, *other} and all(f["cost"] for f in said))
    tap.result(good, f"{ident}: {severity}, with {', '.join(map(str, words))}", missing, said, got.err)
    tap.equal(recorded(host), said if in_recording else [], f"{ident}: in a recording {'the same' if in_recording else 'not'}")


# --- all is well, or nothing is known ---

well = Machine()
is_well(well, "a machine on which all is well")
got = findings(well)
tap.equal((got.drive["driver"], got.drive["kernel"]), ("nvme", "6.1.0-13-amd64"), "driver and kernel are said")
tap.equal(findings(well, "--strict").code, 0, "--strict: 0 when nothing is found")
bare = Host()
bare.drive(drive_json={"sysfs": SYSFS, "features": {**FEATURES, "0xc6": 0}}, id_ctrl=id_ctrl(**LIMITS),
           id_ns_1=id_ns(**FORMATS))
is_well(bare, "a host directory that says nothing of its host; this machine's CPUs are not looked at")
tap.equal(findings(bare).drive["kernel"], None, "... nor its kernel")

# --- the link. MB/s: lanes x GT/s x 128/130 (8b/10b up to 5 GT/s) / 8 ---

host = Machine(sysfs={"current_link_speed": "2.5 GT/s PCIe"})
finds(host, "pcie_speed", "warning", "2.5 GT/s", "8.0 GT/s", "drive and slot", "1000 instead of 3938 MB/s", "0000:01:00.0")
tap.equal(findings(host, "--strict").code, 1, "--strict: 1 with a warning")
finds(Machine(sysfs={"current_link_width": "1"}), "pcie_width", "warning", "1 lane,", "can do 4", "985 instead of 3938 MB/s")
finds(Machine(sysfs={"current_link_speed": "Unknown", "max_link_speed": "Unknown", "current_link_width": "0",
                     "max_link_width": "255"}), "pcie_speed", "info", "not known")
host = Machine(sysfs={"current_link_speed": "5.0 GT/s PCIe"})
host.port(speed="5.0 GT/s PCIe")
finds(host, "pcie_slot", "warning", "0000:00:1c.0", "5.0 GT/s x4", "8.0 GT/s x4", "2000 instead of 3938 MB/s")
host = Machine(sysfs={"current_link_width": "2", "current_link_speed": "2.5 GT/s PCIe"})
host.port(width=2, speed="5.0 GT/s PCIe")
finds(host, "pcie_slot", "warning", "5.0 GT/s x2", "1000 instead of 3938", other={"pcie_speed"})
host = Machine(sysfs={"current_link_width": "2"})
host.remove("sys/class/nvme/nvme0")
finds(host, "pcie_width", "warning", "the drive can do 4")


def behind_switch(width):
    """Root port, upstream and downstream port of a switch, drive."""
    m = Machine()
    for link in (f"sys/{DRIVE}/device", "sys/class/nvme/nvme0"):
        m.remove(link)
    deep = "devices/pci0000:00/0000:00:01.0/0000:02:00.0/0000:03:04.0/0000:04:00.0"
    m.link("sys/class/nvme/nvme0", f"../../{deep}/nvme/nvme0")
    m.sys(f"{deep}/nvme/nvme0/state", "live")
    m.link(f"sys/{deep}/nvme/nvme0/device", "../../../0000:04:00.0")
    m.port("devices/pci0000:00/0000:00:01.0", width=16, now_width=width)
    m.port("devices/pci0000:00/0000:00:01.0/0000:02:00.0", width=16, now_width=width)
    m.port("devices/pci0000:00/0000:00:01.0/0000:02:00.0/0000:03:04.0", width=4)
    return m


finds(behind_switch(2), "pcie_upstream", "warning", "0000:02:00.0", "8.0 GT/s x2", "1969", "3938")
is_well(behind_switch(16), "a switch with a wide link upwards")
host = Machine()
host.remove(f"sys/{DRIVE}/device")
host.link(f"sys/{DRIVE}/device", "/sys/devices")
is_well(host, "a link out of the host directory is not followed")

host = Machine()
host.sys(f"{FUNCTION}/aer_dev_correctable", "RxErr 7\nTOTAL_ERR_COR 7")
finds(host, "pcie_errors", "info", "7 corrected", "aer_dev_")
host.sys(f"{FUNCTION}/aer_dev_fatal", "TOTAL_ERR_FATAL 2")
finds(host, "pcie_errors", "warning", "2 fatal")
host = Machine()
host.sys("module/pcie_aspm/parameters/policy", "default performance [powersave] powersupersave")
finds(host, "pcie_aspm", "warning", "powersave", "pcie_aspm.policy=performance")
host = Machine()
host.sys(f"{FUNCTION}/link/l1_aspm", "1")
finds(host, "pcie_aspm", "info", "l1_aspm")
host = Machine()
host.sys(f"{FUNCTION}/power/control", "auto")
host.sys(f"{FUNCTION}/power/runtime_suspended_time", "5120")
finds(host, "pcie_sleep", "info", "echo on >/sys/class/nvme/nvme0/device/power/control")

# --- power of the drive ---

# Power states: 25 W, 10 W, and a non-operational one with 1000 us in, 5000 us out. Byte 263 NPSS, 265 APSTA.
STATES = {"offset_2048": struct.pack("<HBBII", 2500, 0, 0, 0, 0), "offset_2080": struct.pack("<HBBII", 1000, 0, 0, 0, 0),
          "offset_2112": struct.pack("<HBBII", 10, 0, 2, 1000, 5000), "offset_263": b"\2", "offset_265": b"\1"}
sleeper = {"id_ctrl": id_ctrl(**LIMITS, **STATES), "feature_0c": bytes(range(256))}
finds(Machine(features={"0x02": 1, "0x0c": 0}, **sleeper), "power_state", "warning", "power state 1", "10.00 W",
      "25.00 W", "ssdct feature set nvme0 0x02 0")
is_well(Machine(features={"0x02": 2, "0x0c": 0}, **sleeper), "asleep is not held back, and APST is off")
finds(Machine(features={"0x0c": 1}, **sleeper), "apst", "info", "6000 us", "nvme_core.default_ps_max_latency_us=0")
asked = [c for c in trace_of("doctor", "nvme0", host=Machine(features={"0x0c": 1}, **sleeper))[1]
         if c["opcode"] == 10 and c["cdw10"] == 12]
tap.equal([c["data_len"] for c in asked], [256], "APST is asked for with room for the 256 bytes that the drive writes")
is_well(Machine(features={"0x0c": 1}), "APST is asked only of a drive that announces it")
got, trace = trace_of("doctor", "nvme0", host=well)
tap.result(not any(c["opcode"] == 10 and c["cdw10"] & 255 in (6, 12) for c in trace), "neither cache nor APST asked unannounced", trace)
refusing = Machine(features={"0xc6": 1})
tap.equal([c for c in trace_of("doctor", "nvme0", host=refusing)[1] if c["opcode"] == 10 and c["cdw10"] & 255 >= 0xc0], [],
          "no vendor feature is asked of a drive that has refused its vendor's log")
# A vendor's feature is nothing that a drive announces, so it is not recorded.
finds(Machine(features={"0xc6": 1}, log_CA=intel_smart((0xea, 100, 0))), "power_governor", "warning", "at 1", "20 W",
      "ssdct feature set nvme0 power-governor 0", in_recording=False)
tap.equal([c for c in trace_of("doctor", "nvme0", host=Machine(id_ctrl=id_ctrl(model="Samsung SSD", vid=0x144d, ssvid=0x144d)))[1]
           if c["opcode"] == 10 and c["cdw10"] & 255 >= 0xc0], [], "no vendor feature is asked of another vendor's drive")

# --- CPUs and queues ---

host = Machine()
for cpu in (1, 2):
    host.sys(f"devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor", "powersave")
finds(host, "cpu_governor", "info", "2 of 4 CPUs", "powersave", "cpupower frequency-set -g performance")
for cpu in range(CPUS):
    host.sys(f"devices/system/cpu/cpu{cpu}/cpufreq/scaling_driver", "acpi-cpufreq")
finds(host, "cpu_governor", "warning", "lowest frequency")
host = Machine()
host.sys("devices/system/cpu/cpu0/cpuidle/state2/disable", "0")
finds(host, "cpu_idle", "info", "C6", "133 us", "cpupower idle-set -D 50")
host = Machine()
host.sys("devices/system/node/node0/distance", "10 21")
host.sys("devices/system/node/node0/cpulist", "0-1")
host.sys("devices/system/node/node1/distance", "21 10")
finds(host, "numa", "info", "node 0 of 2", "10 21", "CPUs 0-1", "numactl --cpunodebind=0")
host = Machine(sysfs={"numa_node": "-1"})
host.sys("devices/system/node/node1/distance", "21 10")
finds(host, "numa", "info", "not known")
is_well(Machine(sysfs={"numa_node": "-1"}), "a host of one node")
host = Machine()
host.sys("devices/system/cpu/online", "0-63")
finds(host, "queue_count", "info", "4 I/O queues for 64 CPUs")
host = Machine()
for irq in range(40, 44):
    host.put(f"proc/irq/{irq}/effective_affinity_list", "0")
finds(host, "interrupts", "warning", "4 interrupts", "1 of 4 CPUs", "nvme0q")
host = Machine()
for irq in range(40, 44):
    host.remove(f"proc/irq/{irq}/effective_affinity_list")
    host.put(f"proc/irq/{irq}/smp_affinity_list", "0-3")
is_well(host, "interrupts that may go anywhere")
host = Machine()
host.sys(f"{BLOCK}/queue/scheduler", "none [mq-deadline] kyber")
finds(host, "scheduler", "warning", "mq-deadline", "echo none >/sys/block/nvme0n1/queue/scheduler")
host.sys(f"{BLOCK}/queue/zoned", "host-managed")
is_well(host, "a zoned namespace needs its scheduler")
host = Machine()
host.sys(f"{BLOCK}/queue/read_ahead_kb", "0")
finds(host, "read_ahead", "warning", "0 KiB", "128")
host.sys(f"{BLOCK}/queue/read_ahead_kb", "16384")
finds(host, "read_ahead", "info", "16384 KiB")
host = Machine()
host.sys(f"{BLOCK}/queue/rq_affinity", "0")
finds(host, "rq_affinity", "warning", "echo 1 >/sys/block/nvme0n1/queue/rq_affinity")
host = Machine()
host.sys(f"{BLOCK}/queue/max_sectors_kb", "32")
# MDTS 5: 4 KiB x 2^5
finds(host, "max_sectors", "info", "32 KiB", "128 KiB (MDTS)", "echo 128 >")
host.sys(f"{BLOCK}/queue/max_sectors_kb", "1280")
host.sys(f"{BLOCK}/queue/max_hw_sectors_kb", "2048")
is_well(host, "the kernel's default of 1280 KiB")

# --- driver ---

finds(Machine(sysfs={"driver": "apple-nvme"}), "driver", "info", "apple-nvme")


def other_function(driver, cls="0x010802"):
    m = Machine()
    m.sys("devices/pci0000:00/0000:00:1d.0/0000:05:00.0/class", cls)
    m.link("sys/bus/pci/devices/0000:05:00.0", "../../../devices/pci0000:00/0000:00:1d.0/0000:05:00.0")
    if driver:
        m.link("sys/devices/pci0000:00/0000:00:1d.0/0000:05:00.0/driver", f"../../../../bus/pci/drivers/{driver}")
    return m


finds(other_function("vfio-pci"), "passed_through", "info", "0000:05:00.0", "vfio-pci", "guest")
finds(other_function(None), "no_driver", "warning", "0000:05:00.0", "/sys/bus/pci/drivers/nvme/bind")
tap.equal(findings(other_function(None), "--strict").code, 1, "--strict: 1 also for a drive that has no driver")
finds(other_function("uio_pci_generic"), "other_driver", "info", "uio_pci_generic")
is_well(other_function(None, "0x020000"), "a network card without driver")
tap.result("vfio-pci" in run("doctor", host=other_function("vfio-pci")).out, "text shows it, too")

# --- firmware and format ---

finds(Machine(log_03=slot_log(1, 2, ("8DV10131", "8DV10171"))), "firmware_pending", "warning", "slot 2 (8DV10171)",
      "ssdct reset nvme0")
is_well(Machine(log_03=slot_log(1, 1)), "the next slot is the running one")
finds(Machine(id_ctrl=id_ctrl("Samsung SSD 980 PRO 2TB", firmware="3B2QGXA7", vid=0x144d, ssvid=0x144d, **LIMITS)),
      "firmware_advisory", "warning", "3B2QGXA7", "5B2QGXA7")
is_well(Machine(id_ctrl=id_ctrl("Samsung SSD 980 PRO 2TB", firmware="5B2QGXA7", vid=0x144d, ssvid=0x144d, **LIMITS)),
        "the firmware that mends it")
finds(Machine(id_ctrl=id_ctrl(firmware="ERRORMOD", **LIMITS)), "firmware_advisory", "critical", "ERRORMOD", "replace")
finds(Machine(id_ns_1=id_ns(flbas=0)), "block_format", "info", "512", "good (2)", "best (0)",
      "ssdct format nvme0n1 --block-size 4096")
is_well(Machine(id_ns_1=id_ns(formats=((9, 0, 0), (12, 0, 0)))), "512 bytes that the drive calls as good as 4096")
is_well(Machine(id_ns_1=id_ns(formats=((9, 0, 1), (12, 8, 0)))), "4096 bytes with metadata only")
host = Machine()
host.sys(f"{BLOCK}/nvme0n1p1/start", "63")
finds(host, "partition_alignment", "warning", "nvme0n1p1", 63 * 512, "4096")
host.sys(f"{BLOCK}/nvme0n1p1/start", "34")
host.sys(f"{BLOCK}/queue/physical_block_size", "16384")
finds(host, "partition_alignment", "warning", 34 * 512, "16384")
# Sectors as installers leave them: Proxmox's BIOS boot partition, and the container of a DOS table's logical partitions.
for start, sectors in ((34, 2014), (501758, 2)):
    host = Machine()
    host.sys(f"{BLOCK}/nvme0n1p1/start", str(start))
    host.sys(f"{BLOCK}/nvme0n1p1/size", str(sectors))
    is_well(host, f"a partition of {sectors} sectors that holds no data")

# --- heat and health ---

finds(Machine(log_02=smart(kelvin=273 + 71)), "temperature", "warning", "71", "70")
finds(Machine(log_02=smart(kelvin=273 + 81)), "temperature", "critical", "81", "80")
hot = bytearray(smart())
struct.pack_into("<II", hot, 192, 12, 3)
struct.pack_into("<IIII", hot, 216, 5, 6, 70, 80)
finds(Machine(log_02=bytes(hot)), "throttling", "info", "12 minutes", "3 minutes", "5 light", "6 heavy", "70 seconds", "80 seconds")
# Attribute EAh: percent in the first byte of the raw value, count in the next four.
# Its page is listed in the vendor's directory (C0h), a word for each page.
DIRECTORY = bytes(2 * 0xca) + b"\1\0" + bytes(512 - 2 * 0xca - 2)
finds(Machine(log_CA=intel_smart((0xea, 100, 9 << 8)), log_C0=DIRECTORY), "throttling", "info", "9 throttlings")
finds(Machine(log_CA=intel_smart((0xea, 100, 40 | 9 << 8)), log_C0=DIRECTORY), "throttling", "warning", "40% throttled now")
finds(Machine(log_02=smart(spare=5)), "health", "critical", "available spare 5%", "ssdct check nvme0")
# As check has it: a drive that does not say how it is, is not well. In a recording the page is missing, which is the same.
unread = Machine(extra={"faults": [{"opcode": "0x02", "lid": "0x02", "count": 0, "status": "0x4109"}]})
finds(unread, "health", "unknown", "SMART", "ssdct check nvme0")
tap.equal(findings(unread, "--strict").code, 1, "... which --strict counts")
got = findings(Machine(sysfs={"state": "dead"}))
tap.result(got.code == 3 and [(f["id"], f["severity"]) for f in got.drive["findings"]] == [("health", "critical")],
           "a drive that is dead: the error, and the finding", got)

# --- usage ---


def untrimmed(line="22 1 259:1 / /srv rw,relatime shared:1 - ext4 /dev/nvme0n1p1 rw", systemd=True):
    m = Machine()
    m.remove("etc/systemd/system/timers.target.wants/fstrim.timer")
    if not systemd:
        m.remove("run/systemd/system/x")
        os.rmdir(f"{m}/run/systemd/system")
    m.put("proc/self/mountinfo", f"20 1 8:1 / / rw - ext4 /dev/sda1 rw\n{line}")
    return m


finds(untrimmed(), "trim", "warning", "/srv (ext4 on nvme0n1p1)", "systemctl enable --now fstrim.timer", "fstrim -av")
finds(untrimmed(systemd=False), "trim", "info", "not known")
finds(untrimmed("22 1 0:44 / /data rw - btrfs /dev/nvme0n1p1 rw,ssd,nodiscard"), "trim", "warning", "/data (btrfs")
for options in ("22 1 259:1 / /srv rw,discard - ext4 /dev/nvme0n1p1 rw", "22 1 0:44 / /d rw - btrfs /dev/nvme0n1p1 rw,discard=async",
                "22 1 259:1 / /boot rw - vfat /dev/nvme0n1p1 rw", "22 1 259:9 / /other rw - ext4 /dev/nvme7n1p1 rw"):
    is_well(untrimmed(options), options)
host = untrimmed()
host.put("run/systemd/units/invocation:fstrim.timer", "")
is_well(host, "fstrim.timer runs")
host = untrimmed()
host.sys(f"{BLOCK}/queue/discard_max_bytes", "0")
is_well(host, "a drive that cannot trim")
host = untrimmed("22 1 253:0 / /srv rw - xfs /dev/mapper/vg0-srv rw")
host.sys(f"{BLOCK}/nvme0n1p1/holders/dm-0/x", "")
host.sys("class/block/dm-0/dev", "253:0")
host.sys("class/block/dm-0/dm/name", "vg0-srv")
finds(host, "trim", "warning", "/srv (xfs on dm-0)")
host.sys("class/block/dm-0/queue/discard_max_bytes", "0")
is_well(host, "dm-crypt that was told to pass no discard on: fstrim would not help")
is_well(untrimmed("22 1 259:1 / /srv ro - ext4 /dev/nvme0n1p1 ro"), "a file system from which nothing is deleted")

# Byte 525 VWC; unsafe shutdowns are the eighth counter.
cached = id_ctrl(**LIMITS, offset_525=b"\1")
counters = [1000, 2000, 30000, 40000, 50, 6, 7000, 17, 0, 3]


def with_cache(unsafe=17, enabled=1, kernel="write back"):
    counters[7] = unsafe
    m = Machine(id_ctrl=cached, features={"0x06": enabled}, log_02=smart(counters=counters))
    m.sys(f"{BLOCK}/queue/write_cache", kernel)
    return m


finds(with_cache(), "write_cache", "info", "17 times", "ssdct feature set nvme0 0x06 0")
is_well(with_cache(0), "a cache and no unsafe shutdown")
is_well(with_cache(enabled=0, kernel="write through"), "a cache that is off")
finds(with_cache(0, kernel="write through"), "flush", "warning", "nvme0n1", "write back")
host = Machine()
host.array("raid1", bitmap="none")
finds(host, "md_bitmap", "warning", "md0", "mdadm --grow --bitmap=internal")
# KiB. mdadm makes a bitmap by itself from 100 GiB on.
host.sys("class/block/md0/md/component_size", "104857600")
finds(host, "md_bitmap", "warning", "md0")
host.sys("class/block/md0/md/component_size", "1046528")
is_well(host, "an array of 1 GB, as for /boot, is compared in seconds")
host = Machine()
host.array("raid1", chunk=4194304)
finds(host, "md_bitmap", "info", "4096 KiB")
host = Machine()
host.array("raid5", cache=256)
finds(host, "md_stripe_cache", "info", "md0", "256", "/sys/block/md0/md/stripe_cache_size")
for level, options in (("raid0", {"bitmap": "none"}), ("raid1", {}), ("raid6", {"cache": 8192})):
    host = Machine()
    host.array(level, **options)
    is_well(host, f"{level} {options}")


# zpool.cache: an XDR name-value list, module/nvpair/nvpair.c of OpenZFS.
def text(s):
    data = s.encode()
    return struct.pack(">I", len(data)) + data.ljust(-(-len(data) // 4) * 4, b"\0")


def pair(name, kind, n, value):
    body = text(name) + struct.pack(">II", kind, n) + value
    return struct.pack(">II", len(body) + 8, len(body) + 40) + body


def nvlist(*pairs):
    return struct.pack(">II", 0, 1) + b"".join(pairs) + bytes(8)


def number(name, value):
    return pair(name, 8, 1, struct.pack(">Q", value))


def string(name, value):
    return pair(name, 9, 1, text(value))


def pool(ashift, path, mirror):
    leaf = [string("type", "disk"), number("id", 0), string("path", path)]
    if mirror:
        top = nvlist(string("type", "mirror"), number("ashift", ashift), pair("children", 20, 2, nvlist(
            string("type", "disk"), string("path", "/dev/sdz1")) + nvlist(*leaf)))
    else:
        top = nvlist(*leaf, number("ashift", ashift), number("asize", 1 << 40))
    tree = nvlist(string("type", "root"), number("id", 0), pair("children", 20, 1, top))
    return b"\1\1\0\0" + nvlist(pair("tank", 19, 1, nvlist(number("version", 5000), string("name", "tank"),
                                                           pair("vdev_tree", 19, 1, tree), number("txg", 4))))


def with_pool(*args, cut=None):
    m = Machine()
    m.write("etc/zfs/zpool.cache", pool(*args)[:cut])
    return m


for mirror in (False, True):
    finds(with_pool(9, "/dev/nvme0n1p1", mirror), "zfs_ashift", "warning", "tank", "ashift 9", "512 bytes", "4096", "ashift=12")
    is_well(with_pool(12, "/dev/nvme0n1p1", mirror), "ashift 12")
    is_well(with_pool(9, "/dev/nvme0n12p1", mirror), "a pool on another namespace")
wide = with_pool(12, "/dev/nvme0n1p1", False)
wide.sys(f"{BLOCK}/queue/physical_block_size", "16384")
finds(wide, "zfs_ashift", "warning", "ashift 12", "16384", "ashift=14")
finds(with_pool(9, "/dev/disk/by-id/nvme-INTEL_SSDPEDMD020T4_CVFT5152003M2P0EGN-part1", True), "zfs_ashift", "warning", "tank")
for cut in (3, 4, 20, 60, 100, 150, 200, 250):
    got = findings(with_pool(9, "/dev/nvme0n1p1", True, cut=cut))
    tap.result(got.code == 0, f"a zpool.cache that ends after {cut} bytes", got)

host = Machine()
host.sys("class/dmi/id/sys_vendor", "QEMU")
host.sys("class/dmi/id/product_name", "Standard PC (Q35 + ICH9, 2009)")
finds(host, "virtual_machine", "info", "virtual machine", "QEMU Standard PC")
host = Machine()
host.put("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu vme sse2 hypervisor lahf_lm\n")
finds(host, "virtual_machine", "info", "virtual machine")
host = Machine()
host.sys("hypervisor/type", "xen")
finds(host, "virtual_machine", "info", "xen")
host.put("proc/xen/capabilities", "control_d")
is_well(host, "domain 0 of Xen has the hardware")

# --- a step away from each finding ---


def changed(files=(), **kwargs):
    m = Machine(**kwargs)
    for name, content in dict(files).items():
        m.put(name, content)
    return m


def wide_slot():
    m = Machine()
    m.port(speed="32.0 GT/s PCIe", width=16)
    return m


def ppl():
    m = Machine()
    m.array("raid5", bitmap="none", cache=8192)
    m.sys("class/block/md0/md/consistency_policy", "ppl")
    return m


CPU0 = "sys/devices/system/cpu/cpu0"
CARD = "0x020000"
NEAR = (
    ("health", "spare above its threshold", lambda: Machine(log_02=smart(spare=11))),
    ("temperature", "one degree below the limit", lambda: Machine(log_02=smart(kelvin=273 + 69))),
    ("throttling", "counters of zero", lambda: Machine(log_CA=intel_smart((0xea, 100, 0)), log_C0=DIRECTORY)),
    ("firmware_advisory", "another model with that revision", lambda: Machine(id_ctrl=id_ctrl(firmware="3B2QGXA7", **LIMITS))),
    ("firmware_pending", "the next slot is the running one", lambda: Machine(log_03=slot_log(1, 1))),
    ("pcie_speed", "a slower drive at its best", lambda: Machine(sysfs={k: "2.5 GT/s PCIe" for k in ("current_link_speed", "max_link_speed")})),
    ("pcie_width", "a drive of one lane", lambda: Machine(sysfs={"current_link_width": "1", "max_link_width": "1"})),
    ("pcie_slot", "a slot that can do more", wide_slot),
    ("pcie_upstream", "a wide link upwards", lambda: behind_switch(16)),
    ("pcie_errors", "words that are no totals", lambda: changed({f"sys/{FUNCTION}/aer_dev_correctable": "RxErr 9\nTOTAL_ERR_CORX 7"})),
    ("pcie_aspm", "the policy of the BIOS, and no state on",
     lambda: changed({"sys/module/pcie_aspm/parameters/policy": "[default] performance powersave powersupersave"})),
    # The driver nvme holds its function awake whatever the file says: local_pci_probe(), Linux, drivers/pci/pci-driver.c.
    ("pcie_sleep", "auto, and it has never slept", lambda: changed({f"sys/{FUNCTION}/power/control": "auto",
                                                                   f"sys/{FUNCTION}/power/runtime_suspended_time": "0"})),
    ("power_state", "asleep", lambda: Machine(features={"0x02": 2, "0x0c": 0}, **sleeper)),
    ("power_governor", "full power", lambda: Machine(features={"0xc6": 0}, log_CA=intel_smart((0xea, 100, 0)), log_C0=DIRECTORY)),
    ("apst", "off", lambda: Machine(features={"0x0c": 0}, **sleeper)),
    ("driver", "not known", lambda: Machine(sysfs={"driver": ""})),
    ("scheduler", "none, without a choice", lambda: changed({f"sys/{BLOCK}/queue/scheduler": "none"})),
    ("read_ahead", "something larger than the default", lambda: changed({f"sys/{BLOCK}/queue/read_ahead_kb": "4095"})),
    ("rq_affinity", "2", lambda: changed({f"sys/{BLOCK}/queue/rq_affinity": "2"})),
    ("max_sectors", "all that the drive takes", lambda: changed({f"sys/{BLOCK}/queue/max_sectors_kb": "64",
                                                                f"sys/{BLOCK}/queue/max_hw_sectors_kb": "64"})),
    ("queue_count", "more queues than CPUs at work", lambda: changed({"sys/devices/system/cpu/online": "0,2"})),
    ("interrupts", "half of the CPUs", lambda: changed({f"proc/irq/{irq}/effective_affinity_list": str(irq % 2) for irq in range(40, 44)})),
    ("numa", "two nodes that are one another's equals", lambda: changed({"sys/devices/system/node/node0/distance": "10 10",
                                                                         "sys/devices/system/node/node1/distance": "10 10"})),
    ("cpu_governor", "performance of another driver", lambda: changed({f"{CPU0}/cpufreq/scaling_driver": "acpi-cpufreq"})),
    ("cpu_idle", "awake in 49 us", lambda: changed({f"{CPU0}/cpuidle/state2/disable": "0", f"{CPU0}/cpuidle/state2/latency": "49"})),
    ("block_format", "4096 is called no better", lambda: Machine(id_ns_1=id_ns(formats=((9, 0, 0), (12, 0, 0))))),
    ("partition_alignment", "at byte 4096", lambda: changed({f"sys/{BLOCK}/nvme0n1p1/start": "8"})),
    ("trim", "discard", lambda: untrimmed("22 1 259:1 / /srv rw,discard - ext4 /dev/nvme0n1p1 rw")),
    ("write_cache", "a cache and no unsafe shutdown", lambda: with_cache(0)),
    ("flush", "no cache, and the kernel knows it", lambda: with_cache(enabled=0, kernel="write through")),
    ("md_bitmap", "a partial parity log", ppl),
    ("md_stripe_cache", "larger", ppl),
    ("zfs_ashift", "12", lambda: with_pool(12, "/dev/nvme0n1p1", False)),
    ("virtual_machine", "a product that sounds like it", lambda: changed({"sys/class/dmi/id/product_name": "Virtualizer 5000"})),
    ("passed_through", "a network card", lambda: other_function("vfio-pci", CARD)),
    ("no_driver", "a network card", lambda: other_function(None, CARD)),
    ("other_driver", "a network card", lambda: other_function("uio_pci_generic", CARD)),
)
for near, why, tree in NEAR:
    is_well(tree(), f"no {near}: {why}")

# --- text, errors ---

host = Machine(sysfs={"current_link_width": "1"})
host.drive("nvme1", {"sysfs": SYSFS, "features": {**FEATURES, "0xc6": 0}}, id_ctrl=id_ctrl(serial="S1", **LIMITS),
           id_ns_1=id_ns(**FORMATS))
host.put("proc/cpuinfo", "flags\t\t: hypervisor\n")
got = run("doctor", host=host)
tap.result(got.out.count("virtual machine") == 1 and "all of them" in got.out and "nothing found" in got.out
           and "driver nvme, Linux 6.1.0-13-amd64" in got.out and "(recorded)" in got.out,
           "text says once what concerns all drives", got)
both = run("doctor", "-o", "json", host=host).json["drives"]
tap.equal(["virtual_machine" in [f["id"] for f in d["findings"]] for d in both], [True, True], "JSON says it with every drive")
got = run("doctor", "nvme0", "-o", "json", host=Machine(extra={"faults": [{"opcode": "0x06", "count": 0, "status": "0x4006"}]}))
tap.result(got.code == 1 and not got.json["ok"] and got.drive["findings"] is not None, "a drive that does not identify itself", got)
got = run("doctor", "nvme0", "--timeout", "1", "-o", "json", host=Machine(
    sysfs={"current_link_width": "1"}, extra={"faults": [{"opcode": "0x06", "count": 0, "delay_ms": 20000}]}))
tap.result(got.drive["error"]["code"] == "timeout" and [f["id"] for f in got.drive["findings"]] == ["pcie_width"],
           "of a drive that hangs, what the host knows is said", got)
tap.equal(run("doctor", "nvme7", host=well).code, 3, "no such drive")
tap.equal(run("doctor", "--stricter", host=well).code, 2, "an unknown option")

# --- every finding is tested and in the manual ---

with open(os.path.join(ROOT, "src", "doctor", "rules.c"), encoding="utf-8") as f:
    rules = dict(re.findall(r'^\t\{"(\w+)", SSD_(\w+),', f.read(), re.M))
tap.equal(sorted(set(rules) ^ fires), [], "every finding has a tree where it fires")
tap.equal(sorted(set(rules) ^ {near for near, _, _ in NEAR}), [], "every finding has a tree where it must not")
with open(os.path.join(ROOT, "man", "ssdct-doctor.8"), encoding="utf-8") as f:
    manual = f.read().split(".Ss Findings")[1].split(".Sh ")[0]
tap.equal(sorted(re.findall(r"^\.It Cm (\w+)", manual, re.M)), sorted(rules), "the manual has every finding")
with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as f:
    section = f.read().split("## Why is it slow")[1].split("\n## ")[0]
tap.equal([r for r in rules if f"`{r}`" not in section], [], "the README has every finding")
files = glob.glob(os.path.join(ROOT, "src", "doctor", "*.c"))
tap.result(not [p for p in files if os.path.getsize(p) > 12000], "the findings are small files")

sys.exit(tap.end())
