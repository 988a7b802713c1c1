# SPDX-License-Identifier: MIT
"""What file systems, arrays and volume managers leave on a device, laid out from their documents: as little as tells what it is.

A signature is a function of the device's size in bytes, and gives {offset: bytes}. The names are libblkid's, which are also
udev's and lsblk's.
"""
import struct
import zlib

UUID = bytes(range(1, 17))


def zfs_label(uberblocks=8):
    """ZFS On-Disk Specification (Sun, 2006), 1.2 and 1.3: in a label of 256 KiB uberblocks of 1 KiB from 128 KiB on."""
    uberblock = struct.pack("<QQQQQ", 0x00bab10c, 28, 1234, 5678, 1300000000).ljust(1024, b"\0")
    return bytes(128 << 10) + uberblock * uberblocks


def zfs(size):
    """Two labels at the start, two at the end of the device, whose size they count in whole labels."""
    end = size // (256 << 10) * (256 << 10)
    return {at: zfs_label() for at in (0, 256 << 10, end - (512 << 10), end - (256 << 10))}


def zfs_end(size):
    """What is left when somebody has overwritten the start: partition table, mkfs, dd of some megabytes."""
    return {at: data for at, data in zfs(size).items() if at >= 1 << 20}


def bcache(_size):
    """Linux, include/uapi/linux/bcache.h, struct cache_sb: at sector 8; version 1 is a backing device."""
    magic = bytes.fromhex("c68573f64e1a45ca8265f57f48ba6d81")
    return {4096: struct.pack("<QQQ", 0, 8, 1) + magic + UUID}


def md_1(major, at):
    """Linux, include/uapi/linux/raid/md_p.h, struct mdp_superblock_1; super_offset, in sectors, at byte 144."""
    head = struct.pack("<IIII16s32sQII", 0xa92b4efc, major, 0, 0, UUID, b"db7:0", 1300000000, 1, 0)
    return {at: head.ljust(128, b"\0") + struct.pack("<QQQ", 2048, 100000, at // 512) + bytes(256)}


def md_12(_size):
    return md_1(1, 4096)


def md_10(size):
    """Version 1.0: 8 KiB or more before the end, at a multiple of 4 KiB."""
    return md_1(1, (size // 512 - 16) // 8 * 8 * 512)


def md_090(size):
    """Version 0.90: in the last whole 64 KiB but one."""
    return {size // 65536 * 65536 - 65536: struct.pack("<IIII", 0xa92b4efc, 0, 90, 0).ljust(4096, b"\0")}


def imsm(size):
    """Intel's (VROC, Rapid Storage): mdadm, super-intel.c: the anchor is the last sector but one."""
    return {size - 1024: b"Intel Raid ISM Cfg Sig. 1.1.00".ljust(512, b"\0")}


def lvm(_size):
    """LVM2, lib/format_text/layout.h and lib/label/label.h: a label in the second sector, a CRC-32 that starts with f597a6cfh."""
    body = struct.pack("<I8s", 32, b"LVM2 001") + b"ABCDEFGHIJKLMNOPQRSTUVWXYZ012345"
    body = body.ljust(512 - 20, b"\0")
    crc = zlib.crc32(body, 0xf597a6cf ^ 0xffffffff) ^ 0xffffffff
    return {512: struct.pack("<8sQI", b"LABELONE", 1, crc) + body}


def luks(_size):
    """LUKS On-Disk Format 1.2.3, figure 1."""
    return {0: b"LUKS\xba\xbe" + struct.pack(">H", 1) + b"aes".ljust(32, b"\0")}


def luks2(_size):
    """LUKS2 On-Disk Format 1.1.0, figure 3."""
    return {0: b"LUKS\xba\xbe" + struct.pack(">HQQ", 2, 16384, 1)}


def swap(_size):
    """Linux, include/linux/swap.h, union swap_header."""
    return {1024: struct.pack("<II", 1, 255), 4086: b"SWAPSPACE2"}


def ext4(_size):
    """Linux, Documentation/filesystems/ext4/super.rst: a journal, extents."""
    b = bytearray(1024)
    struct.pack_into("<III", b, 0, 16, 64, 0)
    struct.pack_into("<I", b, 24, 0)
    struct.pack_into("<H", b, 56, 0xef53)
    struct.pack_into("<IIII", b, 76, 1, 11, 128, 0)
    struct.pack_into("<III", b, 92, 0x4, 0x42, 0x1)
    return {1024: bytes(b)}


def xfs(_size):
    """XFS Algorithms & Data Structures, 3rd edition, 13.1: superblock, big-endian."""
    b = bytearray(512)
    struct.pack_into(">4sIQQQ16sQ", b, 0, b"XFSB", 4096, 16384, 0, 0, UUID, 8196)
    # rextsize, agblocks, agcount, rbmblocks, logblocks; versionnum, sectsize, inodesize, inopblock
    struct.pack_into(">IIIIIHHHH", b, 80, 1, 4096, 4, 0, 2560, 0xb4a4, 512, 512, 8)
    struct.pack_into(">BBBBBBBB", b, 120, 12, 9, 9, 3, 12, 0, 0, 25)  # logarithms of the same, and imax_pct
    return {0: bytes(b)}


def btrfs(_size):
    """btrfs, Documentation/dev/On-disk-format: at 64 KiB."""
    b = bytearray(4096)
    struct.pack_into("<32s16sQQ8s", b, 0, b"", UUID, 65536, 1, b"_BHRfS_M")
    struct.pack_into("<QQQII", b, 112, 64 << 20, 4096, 6, 0, 0)
    struct.pack_into("<III", b, 144, 4096, 16384, 16384)
    return {65536: bytes(b)}


def dos(_size):
    """An MBR with one partition."""
    return {446: bytes((0x80, 1, 1, 0, 0x83, 1, 1, 0)) + struct.pack("<II", 1024, 1024), 510: b"\x55\xaa"}


def gpt(size):
    """UEFI 2.10, 5.2.3 and 5.3.2: a protective MBR and the primary header, with one partition in the table."""
    last = size // 512 - 1
    entries = struct.pack("<16s16sQQQ", UUID, UUID, 2048, 4095, 0).ljust(128, b"\0").ljust(128 * 128, b"\0")

    def header(crc):
        return struct.pack("<8sIIIIQQQQ16sQIII", b"EFI PART", 0x10000, 92, crc, 0, 1, last, 34, last - 33, UUID, 2, 128, 128,
                           zlib.crc32(entries))
    return {446: bytes((0, 0, 2, 0, 0xee, 255, 255, 255)) + struct.pack("<II", 1, last), 510: b"\x55\xaa",
            512: header(zlib.crc32(header(0))), 1024: entries}


def oracleasm(_size):
    """Oracle's ASMLib, kernel/oracleasm.h: its label at byte 32 of a disk."""
    return {32: b"ORCLDISKDATA01".ljust(32, b"\0")}


def bluestore(_size):
    """Ceph, src/os/bluestore: the label of a block device begins with this line."""
    return {0: b"bluestore block device\n01020304-0506-0708-090a-0b0c0d0e0f10\n"}


# Function: libblkid's name.
ALL = {
    zfs: "zfs_member", zfs_end: "zfs_member", bcache: "bcache", md_12: "linux_raid_member", md_10: "linux_raid_member",
    md_090: "linux_raid_member", imsm: "isw_raid_member", lvm: "LVM2_member", luks: "crypto_LUKS", luks2: "crypto_LUKS",
    swap: "swap", ext4: "ext4", xfs: "xfs", btrfs: "btrfs", dos: "dos", gpt: "gpt", oracleasm: "oracleasm",
    bluestore: "ceph_bluestore",
}


def write(path, signature, size):
    """An image of this size with this signature."""
    with open(path, "wb") as file:
        file.truncate(size)
        for at, data in signature(size).items():
            file.seek(at)
            file.write(data)
