# SPDX-License-Identifier: MIT
"""The drives of each boot, as QEMU's options."""


def disk(machine, name, mebibytes=64):
    path = machine.image(f"{name}.img", mebibytes)
    return ["-blockdev", f"driver=file,node-name={name},filename={path}"]


def root_port(number):
    """Without one a drive has no PCIe link to speak of, and cannot be pulled."""
    return ["-device", f"pcie-root-port,id=port{number},chassis={number},slot={number}"]


def drive(machine, name, serial, options="", namespaces=((1, ""),)):
    """A controller with namespaces (nsid, further options)."""
    result = ["-device", f"nvme,id={name},serial={serial}" + (f",{options}" if options else "")]
    for nsid, extra in namespaces:
        node = f"{name}-{nsid}"
        result = [*disk(machine, node), *result]
        result += ["-device", f"nvme-ns,drive={node},bus={name},nsid={nsid}" + (f",{extra}" if extra else "")]
    return result


BLOCKS_4K = "logical_block_size=4096,physical_block_size=4096"
IDENTIFIERS = "eui64=1311768467294899695,uuid=6f6a2a1e-0b0e-4b0a-9d0e-0123456789ab"


def compare(machine):
    """Six controllers, seven visible namespaces: one of everything that QEMU can do."""
    return [
        *root_port(1), *drive(machine, "plain", "PLAIN001", "bus=port1"),
        *drive(machine, "two", "TWO00002", "use-intel-id=on", ((1, ""), (5, BLOCKS_4K))),
        *drive(machine, "warn", "WARN0003", "smart_critical_warning=4,mdts=5", ((1, f"{BLOCKS_4K},{IDENTIFIERS}"),)),
        *drive(machine, "meta", "META0005", "aerl=7,vsl=6", ((1, "ms=8,pi=1,mssrl=64,mcl=99,msrc=11"),)),
        "-device", "nvme-subsys,id=subsystem,nqn=shared",
        *drive(machine, "first", "MULTI004", "subsys=subsystem", ((1, "shared=on"),)),
        *drive(machine, "second", "MULTI004", "subsys=subsystem", ((2, "shared=off"),)),
    ]


def hotplug(machine):
    devices = [*root_port(1), *root_port(2), *drive(machine, "stays", "STAY0001", "bus=port1"),
               *drive(machine, "also", "STAY0002"), *disk(machine, "hot-disk")]
    return [*devices, "-device", HOT_DRIVE]


# The drive itself names its disk: a backend belonging to a namespace device would vanish with it.
HOT_DRIVE = "nvme,id=hot,bus=port2,serial=HOT00001,drive=hot-disk"


def many(count):
    """Eight functions in each slot, on the root bus: hundreds of root ports would only make the boot longer."""
    devices = []
    for number in range(count):
        devices += ["-blockdev", f"driver=null-co,node-name=n{number},size={1 << 30},read-zeroes=on",
                    "-device", f"nvme,id=c{number},serial=MANY{number:04d},max_ioqpairs=2,msix_qsize=3,"
                               f"addr=0x{2 + number // 8:x}.0x{number % 8:x},multifunction=on",
                    "-device", f"nvme-ns,drive=n{number},bus=c{number},nsid=1"]
    return devices


BAD_SECTOR = 4001  # of 512 bytes, as QEMU's blkdebug counts; the slowest machine comes as far in a second


def bench(machine):
    """A small and a large drive; one with a sector that cannot be read and, in a second namespace, metadata."""
    bad = machine.image("bad.img", 64)
    return [*drive(machine, "small", "BENCH003"), *disk(machine, "large-1", 512), "-device", "nvme,id=large,serial=BENCH004",
            "-device", "nvme-ns,drive=large-1,bus=large,nsid=1", *disk(machine, "meta-2"),
            "-blockdev", f"driver=file,node-name=bad-data,filename={bad}",
            "-blockdev", "driver=blkdebug,node-name=bad-1,image=bad-data,inject-error.0.event=none,inject-error.0.iotype=read,"
                         f"inject-error.0.errno=5,inject-error.0.sector={BAD_SECTOR}",
            "-device", "nvme,id=bad,serial=BENCH005", "-device", f"nvme-ns,drive=bad-1,bus=bad,nsid=1,{BLOCKS_4K}",
            "-device", "nvme-ns,drive=meta-2,bus=bad,nsid=2,ms=8"]


def speed(machine):
    """Drives of which QEMU completes so many I/Os a second."""
    devices = []
    for rate in (100, 1000, 5000):
        node = f"rate{rate}"
        devices += ["-object", f"throttle-group,id=group{rate},x-iops-total={rate}",
                    "-blockdev", f"driver=null-co,node-name={node}-data,size={256 << 20},read-zeroes=on",
                    "-blockdev", f"driver=throttle,node-name={node},throttle-group=group{rate},file={node}-data",
                    "-device", f"nvme,id={node}c,serial=RATE{rate}", "-device", f"nvme-ns,drive={node},bus={node}c,nsid=1"]
    return devices
