# SPDX-License-Identifier: MIT
"""A host directory with the machine around the drive, as ssdct doctor looks at it: sysfs, proc, etc and run.

Names and formats of the files are those of the kernel's documentation (Documentation/ABI and admin-guide), of systemd and of
OpenZFS; offsets those of the NVM Express specifications.
"""
import os

from harness import FEATURES, Host, id_ctrl, id_ns

PORT = "devices/pci0000:00/0000:00:1c.0"
FUNCTION = f"{PORT}/0000:01:00.0"
DRIVE = f"{FUNCTION}/nvme/nvme0"
BLOCK = f"{DRIVE}/nvme0n1"
SYSFS = {"address": "0000:01:00.0", "current_link_speed": "8.0 GT/s PCIe", "max_link_speed": "8.0 GT/s PCIe",
         "current_link_width": "4", "max_link_width": "4", "numa_node": "0", "driver": "nvme"}
LIMITS = {"wctemp": 343, "cctemp": 353}
FORMATS = {"flbas": 1}
CPUS = 4


class Machine(Host):
    """A machine on which all is well, with one drive, P3700 2 TB, formatted with 4096 bytes."""

    def __init__(self, sysfs=None, features=None, extra=None, **pages):
        super().__init__()
        default = {"id_ctrl": id_ctrl(**LIMITS), "id_ns_1": id_ns(**FORMATS)}
        self.drive(drive_json={"sysfs": {**SYSFS, **(sysfs or {})}, "features": {**FEATURES, "0xc6": 0, **(features or {})},
                               **(extra or {})}, **{**default, **pages})
        self.links()
        self.port()
        self.queue()
        self.cpus()
        self.sys("module/pcie_aspm/parameters/policy", "default [performance] powersave powersupersave")
        self.sys("class/dmi/id/sys_vendor", "Supermicro")
        self.sys("class/dmi/id/product_name", "SYS-1029U")
        self.put("proc/sys/kernel/osrelease", "6.1.0-13-amd64")
        self.put("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu vme sse2 ht\n\n")
        self.put("run/systemd/system/x", "")
        self.put("etc/systemd/system/timers.target.wants/fstrim.timer", "")
        self.put("proc/self/mountinfo", "22 1 259:1 / /srv rw,relatime shared:1 - ext4 /dev/nvme0n1p1 rw")

    def put(self, name, text):
        self.write(name, text + "\n")

    def sys(self, name, text):
        self.put(f"sys/{name}", text)

    def link(self, name, target):
        path = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        os.symlink(target, path)

    def remove(self, name):
        os.remove(os.path.join(self.path, name))

    def links(self):
        self.link("sys/class/nvme/nvme0", f"../../{DRIVE}")
        self.sys(f"{DRIVE}/state", "live")
        self.link(f"sys/{DRIVE}/device", "../../../0000:01:00.0")
        self.link("sys/class/block/nvme0n1", f"../../{BLOCK}")
        self.link("sys/class/block/nvme0n1p1", f"../../{BLOCK}/nvme0n1p1")
        self.link("sys/bus/pci/devices/0000:01:00.0", f"../../../{FUNCTION}")
        self.link(f"sys/{FUNCTION}/driver", "../../../../bus/pci/drivers/nvme")
        self.sys(f"{FUNCTION}/class", "0x010802")
        self.sys(f"{FUNCTION}/power/control", "on")
        self.sys(f"{FUNCTION}/link/l1_aspm", "0")
        for kind in ("COR", "NONFATAL", "FATAL"):
            name = {"COR": "correctable"}.get(kind, kind.lower())
            self.sys(f"{FUNCTION}/aer_dev_{name}", f"RxErr 0\nBadTLP 0\nTOTAL_ERR_{kind} 0")

    def port(self, directory=PORT, speed="8.0 GT/s PCIe", width=8, now_speed="8.0 GT/s PCIe", now_width=4):
        for name, value in (("max_link_speed", speed), ("max_link_width", width), ("current_link_speed", now_speed),
                            ("current_link_width", now_width)):
            self.sys(f"{directory}/{name}", str(value))

    def queue(self):
        for name, value in {"scheduler": "[none] mq-deadline kyber", "read_ahead_kb": 128, "rq_affinity": 1,
                            "max_sectors_kb": 128, "max_hw_sectors_kb": 128, "write_cache": "write through",
                            "discard_max_bytes": 2199023255040, "physical_block_size": 4096, "logical_block_size": 4096,
                            "zoned": "none"}.items():
            self.sys(f"{BLOCK}/queue/{name}", str(value))
        self.sys(f"{BLOCK}/dev", "259:0")
        for name, value in {"partition": 1, "start": 2048, "dev": "259:1"}.items():
            self.sys(f"{BLOCK}/nvme0n1p1/{name}", str(value))
        for number in range(CPUS):
            self.sys(f"{BLOCK}/mq/{number}/cpu_list", str(number))
            self.sys(f"{FUNCTION}/msi_irqs/{40 + number}", "msix")
            self.put(f"proc/irq/{40 + number}/effective_affinity_list", str(number))

    def cpus(self):
        self.sys("devices/system/cpu/online", f"0-{CPUS - 1}")
        self.sys("devices/system/node/node0/distance", "10")
        for number in range(CPUS):
            self.sys(f"devices/system/cpu/cpu{number}/cpufreq/scaling_governor", "performance")
            self.sys(f"devices/system/cpu/cpu{number}/cpufreq/scaling_driver", "intel_pstate")
        for number, (name, us, disable) in enumerate((("POLL", 0, 0), ("C1", 2, 0), ("C6", 133, 1))):
            state = f"devices/system/cpu/cpu0/cpuidle/state{number}"
            self.sys(f"{state}/name", name)
            self.sys(f"{state}/latency", str(us))
            self.sys(f"{state}/disable", str(disable))

    def array(self, level, bitmap="+8", chunk=67108864, cache=None):
        """md0 on the partition."""
        self.sys(f"{BLOCK}/nvme0n1p1/holders/md0/x", "")
        self.sys("class/block/md0/md/level", level)
        self.sys("class/block/md0/md/bitmap/location", bitmap)
        self.sys("class/block/md0/md/bitmap/chunksize", str(chunk))
        if cache:
            self.sys("class/block/md0/md/stripe_cache_size", str(cache))
