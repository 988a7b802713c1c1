# SPDX-License-Identifier: MIT
"""What command-line and scenario tests share: running the built program, and host directories made by hand.

The bytes are laid out here from the NVMe specification's offsets, independently of the program's own tables.
"""
import atexit
import itertools
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "vm"))
from tap import Tap  # noqa: E402,F401

SSDCT = os.environ.get("SSDCT", os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../build/ssdct"))
TMP = tempfile.mkdtemp(prefix="ssdct-test-")
atexit.register(shutil.rmtree, TMP, True)


def unique_keys(pairs):
    keys = [k for k, _ in pairs]
    assert len(keys) == len(set(keys)), f"duplicate keys: {keys}"
    return dict(pairs)


class Result:
    def __init__(self, done):
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr

    @property
    def json(self):
        """The one object on stdout; no key may occur twice."""
        return json.loads(self.out, object_pairs_hook=unique_keys)

    @property
    def drive(self):
        return self.json["drives"][0]

    def __str__(self):
        return f"exit {self.code}\nstdout: {self.out[:2000]}\nstderr: {self.err[:2000]}"


def run(*args, host=None, timeout=300, env=None, **kwargs):
    """Runs the program with these words; host is a host directory."""
    environment = {k: v for k, v in os.environ.items() if k != "SSDCT_HOST"}
    environment.update(env or {})
    command = [SSDCT, *map(str, args)] + (["--host", str(host)] if host else [])
    kwargs.setdefault("stdin", subprocess.DEVNULL)
    return Result(subprocess.run(command, capture_output=True, text=True, timeout=timeout, env=environment, **kwargs))


def id_ctrl(model="INTEL SSDPEDMD020T4", serial="CVFT5152003M2P0EGN", firmware="8DV10131", vid=0x8086, ssvid=0x8086,
            ver=0x10200, mdts=5, oacs=6, frmw=2, lpa=0, elpe=63, nn=1, cntlid=0, wctemp=0, cctemp=0, **fields):
    """Identify Controller; further fields as offset_NNN=bytes."""
    b = bytearray(4096)
    struct.pack_into("<HH", b, 0, vid, ssvid)
    b[4:24] = serial.encode("latin-1").ljust(20)[:20]
    b[24:64] = model.encode("latin-1").ljust(40)[:40]
    b[64:72] = firmware.encode("latin-1").ljust(8)[:8]
    b[77] = mdts
    struct.pack_into("<HI", b, 78, cntlid, ver)
    struct.pack_into("<H", b, 256, oacs)
    b[260], b[261], b[262] = frmw, lpa, elpe
    struct.pack_into("<HH", b, 266, wctemp, cctemp)
    struct.pack_into("<I", b, 516, nn)
    for name, value in fields.items():
        at = int(name.split("_")[1])
        b[at:at + len(value)] = value
    return bytes(b)


def id_ns(nsze=3907029168, formats=((9, 0, 2), (12, 0, 0)), flbas=0, **fields):
    """Identify Namespace; formats are (log2 of the block, metadata bytes, relative performance)."""
    b = bytearray(4096)
    struct.pack_into("<QQQ", b, 0, nsze, nsze, nsze)
    b[25], b[26] = len(formats) - 1, flbas
    for i, (lbads, metadata, rp) in enumerate(formats):
        struct.pack_into("<HBB", b, 128 + 4 * i, metadata, lbads, rp)
    for name, value in fields.items():
        at = int(name.split("_")[1])
        b[at:at + len(value)] = value
    return bytes(b)


def smart(warning=0, kelvin=311, spare=100, threshold=10, used=1, counters=(), sensors=()):
    """SMART log; counters are the 128-bit ones from data units read (byte 32) on."""
    b = bytearray(512)
    b[0] = warning
    struct.pack_into("<H", b, 1, kelvin)
    b[3], b[4], b[5] = spare, threshold, used
    values = list(counters) or [1000, 2000, 30000, 40000, 50, 6, 7000, 1, 0, 3]
    for i, v in enumerate(values):
        b[32 + 16 * i:48 + 16 * i] = v.to_bytes(16, "little")
    for i, k in enumerate(sensors):
        struct.pack_into("<H", b, 200 + 2 * i, k)
    return bytes(b)


def slot_log(active=1, following=0, revisions=("8DV10131",)):
    b = bytearray(512)
    b[0] = active | following << 4
    for i, r in enumerate(revisions):
        b[8 + 8 * i:16 + 8 * i] = r.encode("latin-1").ljust(8)[:8]
    return bytes(b)


def error_entry(count, status, sqid=0, cmdid=0, location=0xffff, lba=0, nsid=0xffffffff):
    """Entry of the error log; status is the 15 bits as the kernel returns them, bit 0 of the field is the phase tag."""
    b = bytearray(64)
    struct.pack_into("<QHHHHQI", b, 0, count, sqid, cmdid, status << 1 | 1, location, lba, nsid)
    return bytes(b)


def error_log(*entries, total=64):
    return b"".join(entries).ljust(64 * total, b"\0")


def intel_smart(*entries):
    """Intel's additional SMART log: (key, normalised value, 48-bit raw) in this order."""
    return b"".join(struct.pack("<BHBB", key, 0, normalized, 0) + raw.to_bytes(6, "little") + b"\0"
                    for key, normalized, raw in entries).ljust(512, b"\0")


def trace_of(*args, **kwargs):
    """Runs the program with --trace; returns its result and the commands that it sent."""
    path = tempfile.mktemp(dir=TMP)
    result = run(*args, "--trace", path, **kwargs)
    with open(path, encoding="utf-8") as f:
        return result, [json.loads(line) for line in f]


# What every drive has: asking for a feature that is missing makes an entry in the error log.
FEATURES = {"0x01": 0, "0x02": 0, "0x04": 358, "0x05": 0, "0x07": 0x1d001d, "0x08": 0, "0x09": 0, "0x0a": 0, "0x0b": 0}


def until(reached, seconds=120):
    """Waits for something that happens at once on an idle machine; whether it did."""
    end = time.monotonic() + seconds
    while not reached():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def until_matched(host, count=1, name="nvme0"):
    """Until fault rules of a simulated drive have matched so many commands: the last of them is delayed now, if it is to be."""
    def matched():
        try:
            with open(os.path.join(str(host), name, "state.json"), encoding="utf-8") as f:
                return sum(json.load(f).get("fault_matches", {}).values()) >= count
        except (OSError, ValueError):
            return False
    return until(matched)


class Host:
    """A host directory. Drives have sane pages unless told otherwise; a page given as None is missing."""
    numbers = itertools.count(1)  # threads may share it

    def __init__(self, simulated=False):
        self.path = os.path.join(TMP, f"host{next(Host.numbers)}")
        os.mkdir(self.path)
        if simulated:
            self.write("host.json", json.dumps({"format": "ssdct-host/1", "mode": "simulated"}))

    def __str__(self):
        return self.path

    def write(self, name, data):
        path = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(data.encode() if isinstance(data, str) else data)

    def drive(self, name="nvme0", drive_json=None, **pages):
        """Pages by file name with _ for - ("log_02", "id_ns_1", "identify_02"), as bytes."""
        default = {"id_ctrl": id_ctrl(serial=f"CVFT5152003{name.upper():>9}".replace(" ", "0")), "id_ns_1": id_ns(),
                   "log_01": bytes(64 * 64), "log_02": smart(), "log_03": slot_log()}
        for page, data in {**default, **pages}.items():
            if data is not None:
                self.write(f"{name}/{page.replace('_', '-')}.bin", data)
        self.write(f"{name}/drive.json", drive_json if isinstance(drive_json, (str, bytes)) else
                   json.dumps({"features": FEATURES, **(drive_json or {})}))
        return self
