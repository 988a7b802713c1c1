# SPDX-License-Identifier: MIT
"""What the scenarios of format and sanitize share: drives laid out from the specification's offsets, and what a trace says."""
import json
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fw_lib import Started, records, trace_path  # noqa: E402
from harness import Host, Tap, id_ctrl, id_ns, intel_smart, run, slot_log, until_matched  # noqa: E402,F401

SERIAL = "CVFT5152003M2P0EGN"
FORMAT, SANITIZE = 0x80, 0x84
# A P3700's: (log2 of the block, metadata bytes, relative performance).
P3700 = ((9, 0, 2), (9, 8, 2), (9, 16, 2), (12, 0, 0), (12, 8, 0), (12, 64, 0), (12, 128, 0))
BLOCKS = 64 << 10
CRYPTO, BLOCK, OVERWRITE = 1, 2, 4


def ns(formats=P3700, flbas=0, nsze=BLOCKS, dps=0, mc=3, dpc=0x1f, fpi=0):
    return id_ns(nsze=nsze, formats=formats, flbas=flbas, offset_27=bytes([mc]), offset_28=bytes([dpc]), offset_29=bytes([dps]),
                 offset_32=bytes([fpi]))


def media(fna=4, oacs=0x6, sanicap=0, cmic=0, ver=0x10400, name="nvme0", host=None, serial=SERIAL, cntlid=0, namespaces=None,
          drive_json=None, **pages):
    """A simulated host with one more drive. namespaces: by number, what is attached."""
    host = host or Host(simulated=True)
    pages.setdefault("id_ns_1", None)
    for nsid, data in (namespaces or {1: ns()}).items():
        pages[f"id_ns_{nsid}"] = data
    if sanicap:
        pages.setdefault("log_81", bytes([0xff, 0xff]) + bytes(6) + b"\xff\xff\xff\xff" * 6 + bytes(480))
    return host.drive(name, id_ctrl=id_ctrl(serial=serial, oacs=oacs, ver=ver, nn=8, cntlid=cntlid, frmw=0x02, lpa=0,
                                            offset_76=bytes([cmic]), offset_524=bytes([fna]),
                                            offset_328=struct.pack("<I", sanicap), offset_768=b"nqn.2014.08.org.nvmexpress:m"),
                      drive_json=drive_json, **pages)


def fault(**rule):
    return {"faults": [rule]}


def traced(*args, host, **kwargs):
    """Result, and the commands of this opcode that were sent."""
    path = trace_path()
    r = run(*args, "--trace", path, "-o", "json", host=host, **kwargs)
    return r, records(path)


def is_id_ctrl(c):
    return c["opcode"] == 6 and c["cdw10"] & 0xff == 1


def comes_back_dumb(start, rule, **config):
    """A drive that is gone after the command, and whose Identify Controller then fails twice. Result, and what was sent once it was back."""
    _, sent = start(media(drive_json=config, sanicap=BLOCK))
    first = next(i for i, c in enumerate(sent) if c in changing(sent))
    before = sum(map(is_id_ctrl, sent[:first]))
    faults = [{**rule, "vanish_ms": 300}, {"opcode": 6, "cns": 1, "nth": before + 1, "count": 2, "status": "0x0006"}]
    r, sent = start(media(drive_json={**config, "faults": faults}, sanicap=BLOCK))
    return r, [c for c in sent[first + 1:] if c["errno"] is None]


def asks_who_it_is_first(sent):
    """Nothing is asked of a drive, let alone changed, before it has said who it is."""
    return [c["status"] for c in sent[:3]] == [6, 6, 0] and all(map(is_id_ctrl, sent[:3]))


def changing(sent):
    return [c for c in sent if c["opcode"] in (FORMAT, SANITIZE)]


def identify(host, nsid=1, name="nvme0"):
    """FLBAS, DPS and NSZE as they are on the drive, read from its files and not through the program."""
    with open(os.path.join(str(host), name, f"id-ns-{nsid}.bin"), "rb") as f:
        data = f.read()
    return data[26], data[29], struct.unpack_from("<Q", data)[0]


def set_drive_json(host, name="nvme0", **members):
    path = os.path.join(str(host), name, "drive.json")
    with open(path, encoding="utf-8") as f:
        document = json.load(f)
    document.update(members)
    with open(path, "w", encoding="utf-8") as f:
        json.dump(document, f)
