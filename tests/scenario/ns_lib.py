# SPDX-License-Identifier: MIT
"""What the scenarios of namespaces share: drives with namespace management, what their files say, a terminal."""
import collections
import fcntl
import glob
import json
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import SSDCT, Host, id_ctrl, id_ns  # noqa: E402

MB = 1 << 20
SERIAL = "EXNS00001A"
NQN = b"nqn.2014.08.org.nvmexpress:namespaces"


def ns(blocks=16384, formats=((9, 0, 2), (12, 0, 0)), flbas=0, nmic=0):
    """Identify Namespace; the default has 8 MiB."""
    return id_ns(blocks, formats, flbas, offset_30=bytes([nmic]), offset_48=struct.pack("<Q", blocks << formats[flbas & 15][0]))


def drive(name="nvme0", namespaces=None, allocated=None, unallocated=0, total=None, faults=None, uses=None, granularity=0, host=None,
          transport=None, pages=None, cntlid=0, cmic=0, **sections):
    """A simulated host with one more drive that can manage namespaces; attached and merely allocated namespaces by number."""
    host = host or Host(simulated=True)
    namespaces = {1: ns()} if namespaces is None else namespaces
    allocated = allocated or {}
    if total is None:
        total = unallocated + 8 * MB * (len(namespaces) + len(allocated))
    idc = id_ctrl(model="Example NVMe 1.4 NS SSD 1TB", vid=0xfa1e, serial=SERIAL, ver=0x10400, oacs=0x0e, nn=16, cntlid=cntlid,
                  offset_76=bytes([cmic]), offset_92=struct.pack("<I", 0x100), offset_96=struct.pack("<I", 0x80 if granularity else 0),
                  offset_280=struct.pack("<QQ", total, 0), offset_296=struct.pack("<QQ", unallocated, 0), offset_768=NQN)
    files = {f"id_ns_{n}": data for n, data in namespaces.items()}
    files.update({f"identify_11_n{n}": data for n, data in allocated.items()})
    files.update({page.replace("-", "_"): data for page, data in (pages or {}).items()})
    files.setdefault("id_ns_1", None)
    config = {"faults": faults, "namespaces": uses, "sysfs": {"transport": transport} if transport else None,
              "namespace_management": {"granularity_bytes": granularity} if granularity else None, **sections}
    return host.drive(name, id_ctrl=idc, log_04=bytes(4096), drive_json={k: v for k, v in config.items() if v}, **files)


Truth = collections.namedtuple("Truth", "attached allocated sizes flbas unallocated")


def truth(host, name="nvme0"):
    """What the drive is, read from its files and not through the program."""
    path = os.path.join(str(host), name)

    def numbers(pattern):
        return {int(m.group(1)): f for f in glob.glob(f"{path}/*.bin") if (m := re.fullmatch(pattern, os.path.basename(f)))
                and int(m.group(1)) < 1 << 31}
    attached, allocated = numbers(r"id-ns-(\d+)\.bin"), numbers(r"identify-11-n(\d+)\.bin")
    data = {n: open(f, "rb").read() for n, f in {**allocated, **attached}.items()}
    with open(f"{path}/id-ctrl.bin", "rb") as f:
        unallocated = struct.unpack_from("<Q", f.read(), 296)[0]
    return Truth(sorted(attached), sorted(data), {n: struct.unpack_from("<Q", d)[0] for n, d in data.items()},
                 {n: d[26] for n, d in data.items()}, unallocated)


def changing(sent):
    return [c for c in sent if c["opcode"] not in (0x02, 0x06, 0x0a)]


class Terminal:
    """The program with a terminal as its stdin and stderr."""

    def __init__(self, *args, host):
        self.master, slave = pty.openpty()
        self.seen = ""

        def own_session():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        environment = {k: v for k, v in os.environ.items() if k != "SSDCT_HOST"}
        self.process = subprocess.Popen([SSDCT, *args, "--host", str(host)], stdin=slave, stderr=slave, stdout=subprocess.PIPE,
                                        env=environment, preexec_fn=own_session)
        os.close(slave)

    def until(self, text):
        end = time.monotonic() + 120
        while text not in self.seen and time.monotonic() < end:
            if not self.drain(0.1) and self.process.poll() is not None:
                break
        return text in self.seen

    def drain(self, seconds):
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        try:
            more = os.read(self.master, 4096)
        except OSError:
            return False
        self.seen += more.decode(errors="replace")
        return bool(more)

    def type(self, text):
        os.write(self.master, text.encode())

    def end(self):
        self.out = self.process.communicate(timeout=300)[0].decode()
        self.code = self.process.returncode
        while self.drain(0):
            pass

    @property
    def json(self):
        return json.loads(self.out)
