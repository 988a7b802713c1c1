# SPDX-License-Identifier: MIT
"""Everything that ssdct can do to a drive, as one table: for the truth table of safety, for questions, for kills.

What an operation is (its class) is written here from the contract (section 5), not taken from the program.
"""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fw_lib import NEW, OLD, image_bytes, write  # noqa: E402
from media_lib import set_drive_json  # noqa: E402
from harness import FEATURES, TMP, Host, id_ctrl, id_ns, run, slot_log  # noqa: E402

SERIAL = "CVFT5152003M2P0EGN"
# What the contract tells apart: destroys data, takes access away, resets or pauses, changes the drive and not the data, reads
# only, is never sent.
DESTROYS, TAKES_ACCESS, INTERRUPTS, CHANGES, READS, NEVER = range(6)
BLOCKS = 16384
DATA = write("data.bin", bytes(512))
IMAGE = write("op.bin", image_bytes(size=4096 + 512))
FORMATS = ((9, 0, 2), (12, 0, 0))
ANY_SANITIZE = 7


def drive(simulated=True, allocated=(), **sections):
    """One drive that can do everything: one namespace, room for more, and firmware in slot 2 that does not run."""
    namespace = id_ns(BLOCKS, FORMATS, offset_48=struct.pack("<Q", BLOCKS * 512))
    idc = id_ctrl(serial=SERIAL, firmware=OLD, ver=0x10400, oacs=0x1e, frmw=0x14, lpa=0x1e, nn=8, mdts=1,
                  offset_92=struct.pack("<I", 0x100), offset_280=struct.pack("<QQ", 64 << 20, 0),
                  offset_296=struct.pack("<QQ", 48 << 20, 0), offset_319=b"\1", offset_328=struct.pack("<I", ANY_SANITIZE),
                  offset_520=b"\x10\0", offset_524=b"\4", offset_531=b"\1", offset_768=b"nqn.2014.08.org.nvmexpress:op")
    config = {"features": {**FEATURES, "0xc1": BLOCKS - 1, "0xc2": BLOCKS - 1, "0x84@1": 0, "0x85": 0, "0x1d": 0, "0x20": 0, "0xd7": 0,
                           "0xd5": 0},
              "telemetry": {"host_blocks": [10, 20, 40], "controller_blocks": [5, 5, 9], "controller_available": True}, **sections}
    events = bytearray(512)
    events[0] = 0x0d
    struct.pack_into("<IQ", events, 4, 0, 512)
    return Host(simulated=simulated).drive(
        id_ctrl=idc, id_ns_1=namespace, log_03=slot_log(1, 0, (OLD, NEW)), log_04=bytes(4096), log_05=bytes(4096),
        log_06=bytes(4) + (b"\x0f" + bytes(27)) * 20, log_0d=bytes(events),
        log_81=b"\xff\xff" + bytes(6) + b"\xff" * 24 + bytes(480), drive_json=config,
        **{f"identify_11_n{n}": namespace for n in allocated})


class Operation:
    """words: the command line. before: what is done to the drive first, as command lines. host: of drive()."""

    def __init__(self, kind, *words, before=(), **host):
        self.kind, self.words, self.before, self.host = kind, words, before, host
        self.name = " ".join(map(str, words)).replace(TMP + "/", "")

    def make(self, use=None, transport=None, simulated=True, faults=()):
        """A drive on which it can be done; what is in its way comes after what is done to the drive first."""
        host = drive(simulated=simulated, **self.host)
        for words in self.before if simulated else ():
            r = run(*words, *(("--confirm", SERIAL) if words[0] == "sanitize" else ("--yes",)), host=host)
            assert r.code in (0, 1), f"{words}: {r}"
        set_drive_json(host, namespaces={"1": use} if use else {}, sysfs={"transport": transport or "pcie"}, faults=list(faults))
        return host


DOWNLOADED = (("fw", "download", "nvme0", "--image", IMAGE),)
TESTING = {"before": (("selftest", "start", "nvme0"),), "selftest": {"busy_polls": 100000}}
FAILED = {"before": (("sanitize", "start", "nvme0", "--action", "block", "--allow-unrestricted-exit"),), "sanitize": {"fail": True}}


def raw(kind, opcode, *words, queue="admin"):
    return Operation(kind, "passthru", queue, "nvme0", "--opcode", opcode, *words)


OPERATIONS = [
    Operation(DESTROYS, "format", "nvme0", "--block-size", 4096),
    Operation(DESTROYS, "format", "nvme0n1", "--erase", "user-data"),
    Operation(DESTROYS, "format", "nvme0", "--all-namespaces", "--erase", "crypto"),
    Operation(DESTROYS, "sanitize", "start", "nvme0", "--action", "block"),
    Operation(DESTROYS, "sanitize", "start", "nvme0", "--action", "crypto"),
    Operation(DESTROYS, "sanitize", "start", "nvme0", "--action", "overwrite"),
    Operation(DESTROYS, "sanitize", "exit-failure", "nvme0", **FAILED),
    Operation(DESTROYS, "namespace", "delete", "nvme0n1"),
    Operation(DESTROYS, "namespace", "delete", "nvme0", "--all-namespaces"),
    Operation(DESTROYS, "provision", "nvme0", "--percent", 50),
    Operation(DESTROYS, "feature", "set", "nvme0", "0x1d", "enabled=on"),
    Operation(DESTROYS, "feature", "set", "nvme0", "write-protection", "protected"),
    Operation(DESTROYS, "feature", "set", "nvme0", "0x85", "partition_0=locked"),
    Operation(DESTROYS, "feature", "set", "nvme0", "0xc1", 100),
    Operation(DESTROYS, "feature", "set", "nvme0", "0xd7", 1),
    raw(DESTROYS, 0x80, "--nsid", 1), raw(DESTROYS, 0x84, "--cdw10", 2), raw(DESTROYS, 0x0d, "--cdw10", 1, "--nsid", 1),
    raw(DESTROYS, 0x09, "--cdw10", 0xc1), raw(DESTROYS, 0x09, "--cdw10", 0x84, "--nsid", 1), raw(DESTROYS, 0x10, "--cdw10", 6 << 3),
    raw(DESTROYS, 0x1c), raw(DESTROYS, 0x1e), raw(DESTROYS, 0x24), raw(DESTROYS, 0x81), raw(DESTROYS, 0x55), raw(DESTROYS, 0xc1),
    raw(DESTROYS, 0x01, "--nsid", 1, "--input", DATA, queue="io"), raw(DESTROYS, 0x08, "--nsid", 1, queue="io"),
    raw(DESTROYS, 0x04, "--nsid", 1, queue="io"), raw(DESTROYS, 0x0d, "--nsid", 1, queue="io"), raw(DESTROYS, 0x90, "--nsid", 1, queue="io"),
    Operation(TAKES_ACCESS, "namespace", "detach", "nvme0n1"),
    Operation(INTERRUPTS, "reset", "nvme0"),
    Operation(INTERRUPTS, "fw", "update", "nvme0", "--image", IMAGE, "--activate", "reset"),
    Operation(INTERRUPTS, "fw", "update", "nvme0", "--image", IMAGE, "--activate", "now"),
    Operation(INTERRUPTS, "fw", "activate", "nvme0", "--slot", 2),
    Operation(INTERRUPTS, "fw", "activate", "nvme0", "--slot", 2, "--activate", "now"),
    Operation(INTERRUPTS, "fw", "commit", "nvme0", "--slot", 2, "--action", 3),
    raw(INTERRUPTS, 0x10, "--cdw10", 3 << 3 | 2),
    Operation(CHANGES, "fw", "update", "nvme0", "--image", IMAGE),
    Operation(CHANGES, "fw", "update", "nvme0", "--image", IMAGE, "--activate", "store"),
    Operation(CHANGES, "fw", "download", "nvme0", "--image", IMAGE),
    Operation(CHANGES, "fw", "commit", "nvme0", "--slot", 2, "--action", 0, before=DOWNLOADED),
    Operation(CHANGES, "fw", "commit", "nvme0", "--slot", 2, "--action", 1, before=DOWNLOADED),
    Operation(CHANGES, "fw", "commit", "nvme0", "--slot", 2, "--action", 2),
    Operation(CHANGES, "feature", "set", "nvme0", "temperature-threshold", 75),
    Operation(CHANGES, "feature", "set", "nvme0", "2", 1),
    Operation(CHANGES, "selftest", "start", "nvme0"),
    Operation(CHANGES, "selftest", "abort", "nvme0", **TESTING),
    Operation(CHANGES, "telemetry", "nvme0", "--to", "TO"),
    Operation(CHANGES, "telemetry", "nvme0", "--controller", "--release", "--to", "TO"),
    Operation(CHANGES, "log", "persistent-event", "nvme0"),
    Operation(CHANGES, "namespace", "create", "nvme0", "--size", "1M", "--attach"),
    Operation(CHANGES, "namespace", "attach", "nvme0", "--nsid", 2, allocated=(2,)),
    raw(CHANGES, 0x02, "--cdw10", 0x7f0002, "--data-len", 512), raw(CHANGES, 0x02, "--cdw10", 0x7f8107, "--data-len", 512),
    raw(CHANGES, 0x02, "--cdw10", 0x7f810d, "--data-len", 512), raw(CHANGES, 0x02, "--cdw10", 0x7f80d9, "--data-len", 512),
    raw(CHANGES, 0x09, "--cdw10", 4, "--cdw11", 350), raw(CHANGES, 0x14, "--cdw10", 1, "--nsid", "0xffffffff"), raw(CHANGES, 0x08),
    Operation(READS, "list", "--health"), Operation(READS, "show", "nvme0"), Operation(READS, "smart", "nvme0"), Operation(READS, "errors", "nvme0"),
    Operation(READS, "identify", "nvme0"), Operation(READS, "log", "list", "nvme0"), Operation(READS, "log", "get", "nvme0", "smart"),
    Operation(READS, "feature", "list", "nvme0"), Operation(READS, "feature", "get", "nvme0", 4), Operation(READS, "fw", "status", "nvme0"),
    Operation(READS, "sanitize", "status", "nvme0"), Operation(READS, "selftest", "status", "nvme0"), Operation(READS, "namespace", "list", "nvme0"),
    Operation(READS, "telemetry", "nvme0", "--controller", "--to", "TO"), Operation(READS, "telemetry", "nvme0", "--existing", "--to", "TO"),
    raw(READS, 0x06, "--cdw10", 1, "--data-len", 4096), raw(READS, 0x0a, "--cdw10", 4), raw(READS, 0x02, "--cdw10", 0x7f8002, "--data-len", 512),
    raw(READS, 0x02, "--nsid", 1, "--data-len", 512, queue="io"), raw(READS, 0x00, "--nsid", 1, queue="io"),
    *(Operation(NEVER, "feature", "set", "nvme0", fid, 1) for fid in ("7", "0x0b", "0x0d", "0x0f", "0x16")),
    *(raw(NEVER, opcode) for opcode in (0x00, 0x01, 0x04, 0x05, 0x0c, 0x7c, 0x7f)), raw(NEVER, 0x09, "--cdw10", 7),
    Operation(NEVER, "log", "get", "nvme0", "persistent-event"), Operation(NEVER, "log", "get", "nvme0", "changed-namespaces"),
    Operation(NEVER, "log", "get", "nvme0", "0xd9"), Operation(NEVER, "log", "get", "nvme0", "7", "--lsp", 1),
]


def is_question(c):
    """Commands that only ask: Identify, Get Features; Get Log Page that keeps events and starts nothing."""
    free_lsp = {0x0c: 1, 0x15: 1}
    log = c["opcode"] == 0x02 and c["cdw10"] >> 15 & 1 and not c["cdw10"] >> 8 & 0x7f & ~free_lsp.get(c["cdw10"] & 0xff, 0)
    return not c["control"] and (c["opcode"] in (0x06, 0x0a) or (log and c["cdw10"] & 0xff not in (0x04, 0x0d, 0x80, 0xbf, 0xd9)))


numbers = iter(range(1, 1000000))


def command_line(operation):
    """With a file of its own where it writes one."""
    return [f"{TMP}/to{next(numbers)}" if w == "TO" else w for w in operation.words]
