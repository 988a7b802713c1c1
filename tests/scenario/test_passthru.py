#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Raw commands on simulated drives: classes, data both ways, statuses, and what is never sent."""
import os
import signal
import struct
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from fw_lib import Started  # noqa: E402
from harness import TMP, Host, Tap, id_ctrl, id_ns, run, trace_of  # noqa: E402
from terminal import SERIAL_QUESTION, Terminal  # noqa: E402

tap = Tap()
SERIAL = "CVFT5152003M2P0EGN"


def host(ns=None, faults=(), transport="pcie", **pages):
    drive = {"features": {"0x04": 358, "0x02": 0}, "faults": list(faults), "sysfs": {"transport": transport}}
    if ns:
        drive["namespaces"] = {"1": ns}
    return Host(simulated=True).drive(id_ctrl=id_ctrl(serial=SERIAL, oacs=0x1e), drive_json=drive, **pages)


def mine(trace):
    """What was sent besides the program's own questions."""
    return [t for t in trace if t["sent"] and t["opcode"] not in (2, 6)]


# Reads pass without a question, and bring what other commands bring.
h = host()
ident = open(f"{h}/nvme0/id-ctrl.bin", "rb").read()
r = run("passthru", "admin", "nvme0", "--opcode", "0x06", "--cdw10", "1", "--data-len", "4096", "--read", "-o", "json", host=h)
p = r.drive["passthru"]
tap.result(r.code == 0 and bytes.fromhex(p["data_hex"]) == ident and p["class"] == "reads" and p["status"]["value"] == 0 and p["state"] == "done", "identify", r)
out = os.path.join(TMP, "out")
r = run("passthru", "admin", "nvme0", "--opcode", "06h", "--cdw10", "1", "--data-len", "4096", "--output", out, "-o", "json", host=h)
tap.result(r.code == 0 and open(out, "rb").read() == ident and os.stat(out).st_mode & 0o777 == 0o600 and r.drive["passthru"]["data_hex"] is None, "--output", r)
r = run("passthru", "admin", "nvme0", "--opcode", "6", "--cdw10", "1", "--data-len", "4096", "--output", out, host=h)
tap.equal(r.code, 1, "--output never replaces a file")
unused = os.path.join(TMP, "unused.trace")
r = run("passthru", "admin", "nvme0", "--opcode", "6", "--cdw10", "1", "--data-len", "4096", "--output", "-", "--trace", unused, host=h)
tap.result(r.code == 2 and not os.path.exists(unused) and not os.path.exists("-"), "nor is - a file: said before anything is sent", r)
r = run("passthru", "admin", "nvme0", "--opcode", "0x0a", "--cdw10", "4", "-o", "json", host=h)
tap.equal(r.drive["passthru"]["result"], 358, "Get Features: the result")
for opcode, cdw10, status in ((0x02, 0x7f80dc, None), (0x06, 0x55, 0x4002), (0x0a, 0x77, 0x4002)):
    r = run("passthru", "admin", "nvme0", "--opcode", opcode, "--cdw10", cdw10, "--data-len", 4096, "-o", "json", host=h)
    if status:
        tap.result(r.code == 1 and r.drive["passthru"]["status"]["value"] == status and r.drive["error"]["nvme_status"]["value"] == status
                   and r.drive["passthru"]["state"] is None, f"opcode {opcode:#x}: the status, decoded", r)
    else:
        tap.result(r.code == 4, "a log page that no table knows is no pure read", r)

# I/O: read what was written, in the namespace that is meant.
data = os.path.join(TMP, "data")
with open(data, "wb") as f:
    f.write(os.urandom(4096))
write = ("passthru", "io", "nvme0n1", "--opcode", "1", "--cdw10", "16", "--cdw12", "7", "--input", data)
r, trace = trace_of(*write, "--yes", "--force", "-o", "json", host=h)
tap.result(r.code == 4 and not mine(trace) and r.drive["passthru"]["class"] == "destroys", "a write is not confirmed by --yes", r)
r = run(*write, "--confirm", SERIAL, "-o", "json", host=h)
tap.result(r.code == 0 and r.drive["passthru"]["status"]["value"] == 0, "a write, confirmed", r)
r = run("passthru", "io", "nvme0", "--opcode", "2", "--cdw10", "16", "--cdw12", "7", "--data-len", "4096", "--read", "-o", "json", host=h)
tap.result(bytes.fromhex(r.drive["passthru"]["data_hex"]) == open(data, "rb").read() and r.drive["passthru"]["nsid"] == 1, "and what it wrote", r)
for words, name, queue in ((("admin", "nvme0", "--opcode", "2", "--cdw10", "0x7f8002", "--data-len", "512"), "Get Log Page", "admin"),
                           (("io", "nvme0n1", "--opcode", "2", "--data-len", "4096", "--cdw12", "7"), "Read", "io")):
    r, trace = trace_of("passthru", *words, "-v", host=h)
    sent = [c["queue"] for c in trace if c["opcode"] == 2][-1:]
    tap.result(r.code == 0 and f"nvme0: {name} nsid" in r.err and sent == [queue], f"opcode 02h of the {queue} queue: trace and -v name it", r)
r = run("passthru", "io", "nvme0", "--opcode", "0", "--nsid", "1", host=h)
tap.equal(r.code, 0, "Flush passes")
for use, words in (({"mounts": ["/srv"]}, "/srv"), ({"holders": ["md0"]}, "md0")):
    r, trace = trace_of(*write, "--confirm", SERIAL, "--force", host=host(ns=use))
    tap.result(r.code == 4 and words in r.err and not mine(trace), f"a write to a namespace in use ({words}): no option", r)
    r = run("passthru", "io", "nvme0", "--opcode", "2", "--data-len", "512", host=host(ns=use))
    tap.equal(r.code, 0, "bug 64: reading it is fine")
two = host(id_ns_2=id_ns())
tap.equal(run("passthru", "io", "nvme0", "--opcode", "2", "--data-len", "512", host=two).code, 2, "two namespaces: which one?")
mounted = Host(simulated=True).drive(id_ctrl=id_ctrl(serial=SERIAL, nn=2), id_ns_2=id_ns(), drive_json={"namespaces": {"2": {"mounts": ["/other"]}}})
r = run(*write, "--confirm", SERIAL, host=mounted)
tap.equal(r.code, 0, "an I/O command concerns its own namespace")
r = run("passthru", "io", "nvme0", "--opcode", "0xc0", "--nsid", 0xffffffff, "--confirm", SERIAL, host=mounted)
tap.result(r.code == 4 and "/other" in r.err, "with NSID FFFFFFFFh all of them", r)
r = run("passthru", "admin", "nvme0", "--opcode", "0x80", "--nsid", "1", "--confirm", SERIAL, host=mounted)
tap.result(r.code == 4 and "/other" in r.err, "an admin command that destroys concerns the whole drive", r)

# Classes at the command line.
for opcode, words, code, sent in ((0xc1, ("--yes", "--force"), 4, 0), (0xc1, ("--confirm", "X"), 4, 0), (0xc1, ("--confirm", SERIAL), 1, 1), (0x84, ("--yes",), 4, 0),
                                  (0x30, ("--yes",), 4, 0), (0x14, (), 4, 0), (0x14, ("--dry-run",), 0, 0), (0xc1, ("--dry-run",), 0, 0), (0x06, ("--dry-run", "--data-len", "4096"), 0, 0)):
    r, trace = trace_of("passthru", "admin", "nvme0", "--opcode", opcode, "--cdw10", "2", *words, host=host())
    tap.result(r.code == code and len(mine(trace)) == sent, f"opcode {opcode:#x} {words}: {code}", r)
for opcode, cdw10 in ((0, 0), (1, 0), (4, 0), (5, 0), (0x0c, 0), (0x7c, 0), (0x7f, 0), (9, 7), (9, 0x0b), (9, 0x8000000d), (9, 0x0f), (9, 0x16)):
    r, trace = trace_of("passthru", "admin", "nvme0", "--opcode", opcode, "--cdw10", cdw10, "--yes", "--force", "--confirm", SERIAL, "-o", "json", host=host())
    tap.result(r.code == 4 and r.drive["error"]["code"] == "refused" and not mine(trace), f"the kernel's own: {opcode:#x} {cdw10:#x}", r)
r, trace = trace_of("passthru", "admin", "nvme0", "--opcode", 9, "--cdw10", 4, "--cdw11", 350, "--yes", host=host())
tap.result(r.code == 0 and [(t["opcode"], t["cdw11"]) for t in mine(trace)] == [(9, 350)], "Set Features of a plain feature", r)
r = run("passthru", "admin", "nvme0", "--opcode", 9, "--cdw10", 4, "--cdw11", 350, "--yes", host=host(transport="tcp"))
tap.equal(r.code, 4, "not a PCIe drive: needs --force")
r, trace = trace_of("passthru", "admin", "nvme0", "--opcode", 9, "--cdw10", 4, "--yes", host=host(faults=[{"opcode": 9, "errno": "EINTR"}]))
tap.result(r.code == 1 and len(mine(trace)) == 1, "sent once, whatever happens", r)
r = run("passthru", "admin", "nvme0", "--opcode", 6, "--cdw10", 1, "--data-len", 4096, "-o", "json", host=host(faults=[{"opcode": 6, "nth": 2, "count": 0, "untouched": True}]))
tap.result(r.code == 1 and r.drive["error"]["code"] == "no_data" and r.drive["passthru"]["data_hex"] is None, "bug 15: what the drive did not write is not shown", r)
recorded = Host().drive()
tap.equal([run("passthru", "admin", "nvme0", *w, host=recorded).code for w in (("--opcode", 6, "--cdw10", 1, "--data-len", 4096), ("--opcode", 0x14, "--yes"), ("--opcode", 0x0c))],
          [0, 7, 4], "a recorded host answers reads")

# Command lines that are wrong.
empty = os.path.join(TMP, "empty")
open(empty, "wb").close()
for words, code in (((), 2), (("--opcode", "256"), 2), (("--opcode", "x"), 2), (("--opcode", "6", "--cdw10", "0x100000000"), 2), (("--opcode", "6", "--read"), 2),
                    (("--opcode", "6", "--write", "--input", data), 2), (("--opcode", "9", "--read", "--data-len", "8"), 2), (("--opcode", "9", "--data-len", "8"), 2),
                    (("--opcode", "9", "--write"), 2), (("--opcode", "6", "--input", data), 2), (("--opcode", "9", "--input", data, "--data-len", "8"), 8),
                    (("--opcode", "9", "--input", empty), 8), (("--opcode", "9", "--input", "/nonexistent"), 8), (("--opcode", "6", "--data-len", str(2 << 20)), 2),
                    (("--opcode", "6", "--data-len", str(17 << 20)), 2)):
    r = run("passthru", "admin", "nvme0", *words, host=h)
    tap.result(r.code == code, f"{words}: {code}", r)

# What the dwords transfer must fit the buffer.
blocks_of = {"512": host(), "4096": host(id_ns_1=id_ns(flbas=1)), "512+8": host(id_ns_1=id_ns(formats=((9, 8, 0),), flbas=0x10)),
             "separate": host(id_ns_1=id_ns(formats=((9, 8, 0),), flbas=0)), "none": host(id_ns_1=id_ns(nsze=0))}
for name, words, code, number in (
        ("512", ("admin", "--opcode", 6, "--cdw10", 1, "--data-len", 4092), 2, "4096"), ("512", ("admin", "--opcode", 6, "--cdw10", 1), 2, "4096"),
        ("512", ("admin", "--opcode", 2, "--cdw10", 0x7f8002, "--data-len", 508), 2, "512"), ("512", ("admin", "--opcode", 2, "--cdw10", 0xffff8002, "--cdw11", 1, "--data-len", 512), 2, "524288"),
        ("512", ("admin", "--opcode", 0x0a, "--cdw10", 0x0e, "--data-len", 4), 2, "8"), ("512", ("admin", "--opcode", 0x11, "--cdw10", 0x3fe, "--input", data, "--yes"), 2, "4092"),
        ("512", ("admin", "--opcode", 0x11, "--cdw10", 0x400, "--input", data, "--yes"), 2, "4100"),
        ("512", ("io", "--opcode", 2, "--cdw12", 7, "--data-len", 4095), 2, "4096"), ("4096", ("io", "--opcode", 2, "--data-len", 512), 2, "4096"),
        ("4096", ("io", "--opcode", 2, "--data-len", 4096), 0, ""), ("512+8", ("io", "--opcode", 2, "--data-len", 512), 2, "520"),
        ("512", ("io", "--opcode", 1, "--cdw12", 6, "--input", data, "--confirm", SERIAL), 2, "3584"), ("512", ("io", "--opcode", 5, "--cdw12", 8, "--input", data, "--confirm", SERIAL), 2, "4608"),
        ("separate", ("io", "--opcode", 2, "--data-len", 4096), 4, "metadata"), ("none", ("io", "--opcode", 2, "--data-len", 4096), 4, "block size"),
        ("512", ("io", "--opcode", 0x0e, "--cdw10", 0x3ff, "--data-len", 16), 2, "4096"), ("512", ("io", "--opcode", 0x0e), 2, "4"),
        ("512", ("io", "--opcode", 9, "--cdw10", 1, "--input", data, "--confirm", SERIAL), 2, "32"),
        ("512", ("admin", "--opcode", 0x1a, "--cdw10", 0x3ff, "--data-len", 16, "--yes"), 2, "4096"),
        ("512", ("admin", "--opcode", 0x82, "--cdw11", 512, "--data-len", 16, "--yes"), 2, "512"),
        ("512", ("admin", "--opcode", 0x86, "--cdw12", 0x3ff, "--data-len", 16, "--yes"), 2, "4096"),
        ("none", ("io", "--opcode", 0), 0, "")):
    r, trace = trace_of("passthru", words[0], "nvme0", *(("--nsid", 1) if words[0] == "io" else ()), *words[1:], host=blocks_of[name])
    tap.result(r.code == code and number in r.err and (code == 0 or not [t for t in mine(trace) if t["sent"]]), f"transfer length, {name} {words}: {code}", r)

# Destroying concerns namespaces that this host does not show.
hidden = Host(simulated=True).drive(id_ctrl=id_ctrl(serial=SERIAL, oacs=0x1e, nn=2), identify_11_n2=id_ns())
for opcode, cdw10 in ((0xc1, 2), (0x0d, 1)):
    r, trace = trace_of("passthru", "admin", "nvme0", "--opcode", opcode, "--cdw10", cdw10, "--nsid", 1, "--confirm", SERIAL, host=hidden)
    tap.result(r.code == 4 and "no node" in r.err and not mine(trace), f"a namespace without a node, {opcode:#x}: refused", r)
r, trace = trace_of("passthru", "admin", "nvme0", "--opcode", 0xc1, "--confirm", SERIAL, "--force", host=hidden)
tap.result(len(mine(trace)) == 1, "with --force it is sent", r)
r = run(*write, "--confirm", SERIAL, host=hidden)
tap.equal(r.code, 0, "a write to another namespace does not concern it")
elsewhere = Host(simulated=True).drive(id_ctrl=id_ctrl(serial=SERIAL, oacs=0x1e), identify_12_n1=struct.pack("<HHH", 2, 0, 7))
for words in (("admin", "nvme0", "--opcode", 0xc1), write[1:]):
    r, trace = trace_of("passthru", *words, "--confirm", SERIAL, host=elsewhere)
    tap.result(r.code == 4 and "controller 7" in r.err and not mine(trace), f"another host has the namespace too, {words}: refused", r)
    # The drive has several controllers (CMIC bit 1) and does not say which of them have it.
    untold = Host(simulated=True).drive(id_ctrl=id_ctrl(serial=SERIAL, oacs=0x1e, offset_76=b"\2"),
                                        drive_json={"faults": [{"opcode": 6, "cns": 0x12, "count": 0, "status": "0x4002"}]})
    r, trace = trace_of("passthru", *words, "--confirm", SERIAL, host=untold)
    tap.result(r.code == 4 and "does not say who has" in r.err and not mine(trace), f"another host could have the namespace, {words}: refused", r)

# Which namespace: two answers are a mistake.
for words in (("admin", "nvme0n1", "--opcode", "0xc1", "--nsid", 2, "--confirm", SERIAL), ("io", "nvme0n1", "--opcode", 0, "--nsid", 2),
              ("admin", "nvme0n1", "--opcode", 0x14, "--nsid", "0xffffffff", "--yes")):
    r, trace = trace_of("passthru", *words, host=two)
    tap.result(r.code == 2 and "--nsid" in r.err and not mine(trace), f"{words}: usage", r)

# Interrupted before it is sent: it is not.
interrupted = ("passthru", "admin", "nvme0", "--opcode", "0x0d", "--cdw10", "1", "--nsid", "1", "--confirm", SERIAL)
_, trace = trace_of(*interrupted, host=host())
before = [t["opcode"] for t in trace if t["sent"]].index(0x0d)


def interrupt_late(nth):
    """SIGINT while the last question before the command waits for its answer, and signals are blocked already."""
    for delay in (300, 3000, 30000):
        p = Started(*interrupted, host=host(faults=[{"nth": nth, "delay_ms": delay}]))
        while p.process.poll() is None:
            with open(f"/proc/{p.process.pid}/status", encoding="utf-8") as f:
                if any(int(line.split()[1], 16) >> (signal.SIGINT - 1) & 1 for line in f if line.startswith("SigBlk")):
                    break
        if len(p.freeze()) == nth - 1:
            return p.end(signal.SIGINT), p.sent()
        p.end(signal.SIGKILL)
    raise AssertionError("this machine is too slow")


r, sent_then = interrupt_late(before)
tap.result(r.code == 130 and r.drive["error"]["code"] == "interrupted" and "nothing was sent" in r.drive["error"]["message"] and not mine(sent_then), "Ctrl-C before the command: not sent", r)

# A lost answer promises nothing; I/O commands have their own names.
for opcode, cdw10, confirm in ((0xc1, 2, ("--confirm", SERIAL)), (0x14, 1, ("--yes",)), (9, 4, ("--yes",))):
    for errno in ("ENODEV", "EINTR", "EIO"):
        r = run("passthru", "admin", "nvme0", "--opcode", opcode, "--cdw10", cdw10, *confirm, "-o", "json", host=host(faults=[{"opcode": opcode, "lost": errno}]))
        tap.result(r.code == 1 and r.drive["error"]["code"] == "unverified" and "not known" in r.drive["error"]["message"] and r.drive["passthru"]["state"] is None,
                   f"opcode {opcode:#x}, answer lost by {errno}", r)
r = run("passthru", "io", "nvme0", "--opcode", 2, "--cdw10", 0xffffffff, "--cdw11", 0xffff, "--data-len", 512, host=host())
tap.result(r.code == 1 and "Read (I/O opcode 02h)" in r.err, "the name of an I/O command in an error", r)

# On a terminal: the serial number is typed.
def asked(answer, *words):
    path = os.path.join(TMP, f"trace{time.monotonic_ns()}")
    t = Terminal("passthru", "admin", "nvme0", *words, "--trace", path, host=host(), asks=SERIAL_QUESTION)
    if t.question():
        t.type(answer)
    t.end()
    with open(path, encoding="utf-8") as trace:
        sent = sum('"opcode":193' in line.replace(" ", "") for line in trace)
    return t.code, t.seen, sent


for answer, code, sent in ((SERIAL.encode() + b"\n", 1, 1), (b"y\n", 4, 0), (b"yes\n", 4, 0), (b"\n", 4, 0), (b"\x04", 4, 0), (b"\x03", 130, 0), (SERIAL[:-1].encode() + b"\n", 4, 0)):
    got = asked(answer, "--opcode", "0xc1")
    tap.result((got[0], got[2]) == (code, sent) and SERIAL in got[1] and "Vendor specific" in got[1], f"the answer {answer}: {code}", got)

sys.exit(tap.end())
