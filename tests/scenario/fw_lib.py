# SPDX-License-Identifier: MIT
"""What the firmware scenarios share: images by the contract's description, drives, and what a trace says was sent."""
import json
import os
import struct
import sys
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import SSDCT, TMP, Host, Tap, id_ctrl, run, slot_log  # noqa: E402,F401

MODEL, OLD, NEW = "INTEL SSDPEDMD020T4", "8DV10131", "8DV10171"
SIZE = 10 * 4096 + 512
PIECES = 11


def image_bytes(revision=NEW, model=MODEL, size=SIZE):
    payload = bytes((i * 131 + i // 256) & 0xff for i in range(size - 64))
    return (b"SSDCTFW1" + revision.encode().ljust(8) + model.encode().ljust(40)
            + struct.pack("<II", zlib.crc32(payload), 0) + payload)


def write(name, data):
    path = os.path.join(TMP, name)
    with open(path, "wb") as f:
        f.write(data)
    return path


IMAGE = write("new.bin", image_bytes())


def drive(name="nvme0", firmware=None, faults=None, frmw=0x12, active=1, following=0, revisions=(OLD,), fwug=1, host=None,
          serial=None, namespaces=None, sysfs=None, **fields):
    """A simulated host with one more drive."""
    host = host or Host(simulated=True)
    config = {k: v for k, v in (("firmware", firmware), ("faults", faults), ("namespaces", namespaces), ("sysfs", sysfs)) if v}
    return host.drive(name, id_ctrl=id_ctrl(serial=serial or "CVFT" + name.upper().rjust(14, "0"), frmw=frmw,
                                            firmware=revisions[active - 1], offset_319=bytes([fwug]), **fields),
                      log_03=slot_log(active, following, revisions), drive_json=config)


def update(host, *words, drive_words=("nvme0",), image=IMAGE, yes=True, **kwargs):
    extra = ["--yes"] if yes else []
    return run("fw", "update", *drive_words, "--image", image, *words, *extra, "-o", "json", host=host, **kwargs)


def status(host, name="nvme0"):
    return run("fw", "status", name, "-o", "json", host=host).drive["fw"]


def traced(function, *args, **kwargs):
    """Runs with --trace; returns the result and the commands that were sent."""
    traced.count = getattr(traced, "count", 0) + 1
    path = os.path.join(TMP, f"trace{traced.count}")
    result = function(*args, "--trace", path, **kwargs)
    records = [json.loads(line) for line in open(path)] if os.path.exists(path) else []
    return result, [r for r in records if r["sent"]]


def changing(records):
    return [r for r in records if r["opcode"] in (0x10, 0x11)]
