#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Telemetry of simulated drives into files: all of it or nothing, whatever happens on the way."""
import json
import os
import resource
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import SSDCT, TMP, Host, Tap, id_ctrl, run, trace_of, until_matched  # noqa: E402

tap = Tap()
FULL = {"host_blocks": [10, 40, 300], "controller_blocks": [5, 5, 9]}
count = 0


def host(telemetry=None, faults=(), lpa=0xc, mdts=5, ver=0x20000, latency=0, simulated=True, **pages):
    h = Host(simulated=simulated)
    return h.drive(id_ctrl=id_ctrl(ver=ver, lpa=lpa, mdts=mdts), drive_json={"telemetry": FULL if telemetry is None else telemetry, "faults": list(faults),
                                                                             "latency_us": latency}, **pages)


def path():
    global count
    count += 1
    os.makedirs(f"{TMP}/out{count}")
    return f"{TMP}/out{count}/file"


def left(to):
    """Names beside the file: temporary files would be here."""
    return os.listdir(os.path.dirname(to))


def log_pages(trace):
    """(LSP and RAE, offset, bytes) of each Get Log Page of telemetry."""
    return [(t["cdw10"] >> 8 & 0xff, t["cdw12"] | t["cdw13"] << 32, t["data_len"]) for t in trace if t["opcode"] == 2 and t["cdw10"] & 0xff in (7, 8)]


# Host: created once, RAE on every piece, all blocks.
to = path()
r, trace = trace_of("telemetry", "nvme0", "--to", to, "--yes", "-o", "json", host=host())
t = r.drive["telemetry"]
tap.result(r.code == 0 and t["result"] == "done" and t["created"] and t["size_bytes"] == 301 * 512 and os.path.getsize(to) == 301 * 512, "host telemetry", r)
tap.equal(os.stat(to).st_mode & 0o777, 0o600, "mode 0600")
tap.equal(left(to), ["file"], "nothing else is left")
pages = log_pages(trace)
tap.equal([p for p in pages if p[0] & 1], [(0x81, 0, 512)], "LSP bit 0 once")
tap.result(all(flags & 0x80 for flags, _, _ in pages), "bug 38: RAE on every piece", pages)
tap.result(max(n for _, _, n in pages) == 128 << 10, "pieces of MDTS", pages)
data = open(to, "rb").read()
tap.result(data[0] == 7 and data[8:14] == b"\x0a\0\x28\0\x2c\x01" and all(b"block %010d\n" % n in data[512 * n:512 * n + 512] for n in range(1, 301)),
           "the header, and every block in its place")
h = host()
to = path()
run("telemetry", "nvme0", "--to", to, "--yes", host=h)
first = open(to, "rb").read()
to = path()
r, trace = trace_of("telemetry", "nvme0", "--to", to, "--existing", host=h)
tap.result(r.code == 0 and open(to, "rb").read() == first and not [p for p in log_pages(trace) if p[0] & 1], "--existing: the same, nothing created, no question", r)

# Small transfers (bug 36), large files, data areas (bug 37).
for mdts in (1, 2, 0):
    to = path()
    r, trace = trace_of("telemetry", "nvme0", "--to", to, "--yes", host=host(mdts=mdts))
    most = 4096 << mdts if mdts else 128 << 10
    tap.result(r.code == 0 and os.path.getsize(to) == 301 * 512 and max(n for _, _, n in log_pages(trace)) == most, f"MDTS {mdts}", r)
for area, blocks, size in ((1, [3, 9, 20], 4), (2, [3, 9, 20], 10), (3, [3, 9, 20], 21), (3, [3], 4), (3, [0, 0, 0], 1), (3, [0, 0, 7], 8)):
    to = path()
    r = run("telemetry", "nvme0", "--to", to, "--area", area, "--yes", host=host({"host_blocks": blocks}))
    tap.result(r.code == 0 and os.path.getsize(to) == size * 512, f"area {area} of {blocks}: {size} blocks", r)
    tap.equal("nothing" in r.err, size == 1, f"area {area} of {blocks}: an empty one is said")
to = path()
r = run("telemetry", "nvme0", "--to", to, "--area", 4, "--yes", host=host({"host_blocks": [1, 2, 3, 70000]}, lpa=0x4c))
tap.result(r.code == 0 and os.path.getsize(to) == 70001 * 512, "area 4 beyond 16 bits", r)
tap.equal(run("telemetry", "nvme0", "--to", path(), "--area", 4, "--yes", host=host()).code, 7, "area 4 that the drive does not have")
# Ends that do not ascend, in the page's own bytes.
page = bytearray(512 * 10)
page[0], page[8], page[10], page[12] = 7, 9, 4, 2
to = path()
r = run("telemetry", "nvme0", "--to", to, "--yes", host=host({}, log_07=bytes(page)))
tap.result(r.code == 0 and os.path.getsize(to) == 512 * 10 and "ascend" in r.err, "bug 37: ends that do not ascend", r)
page[0] = 8
to = path()
r = run("telemetry", "nvme0", "--to", to, "--yes", host=host({}, log_07=bytes(page)))
tap.result(r.code == 1 and not left(to), "a header of another page", r)

# Controller: keeps what it has, unless it is released.
h = host({**FULL, "controller_available": True})
for _ in range(2):
    to = path()
    r, trace = trace_of("telemetry", "nvme0", "--controller", "--to", to, "-o", "json", host=h)
    tap.result(r.code == 0 and r.drive["telemetry"]["controller_data_available"] and os.path.getsize(to) == 5120
               and all(flags == 0x80 for flags, _, _ in log_pages(trace)), "controller telemetry: a pure read", r)
r = run("telemetry", "nvme0", "--controller", "--release", "--to", path(), host=h)
tap.equal(r.code, 4, "--release asks")
to = path()
r, trace = trace_of("telemetry", "nvme0", "--controller", "--release", "--to", to, "--yes", "-o", "json", host=h)
pages = log_pages(trace)
tap.result(r.code == 0 and r.drive["telemetry"]["released"] and os.path.getsize(to) == 5120 and [p[0] for p in pages if not p[0] & 0x80] == [0] and not pages[-1][0],
           "--release: RAE 0 once, last", r)
r = run("telemetry", "nvme0", "--controller", "--to", path(), "-o", "json", host=h)
tap.result(r.code == 0 and r.drive["telemetry"]["controller_data_available"] is False, "then the controller has nothing", r)
page = bytearray(512 * 10)
page[0], page[8], page[10], page[12] = 8, 2, 4, 9
to = path()
r = run("telemetry", "nvme0", "--controller", "--to", to, host=host({}, log_08=bytes(page)))
tap.result(r.code == 0 and os.path.getsize(to) == 512 and "nothing" in r.err, "a controller that says it has no data: the header alone, as nvme-cli has it", r)
r = run("telemetry", "nvme0", "--controller", "--release", "--to", "/nonexistent/file", "--yes", host=host({**FULL, "controller_available": True}))
tap.equal(r.code, 1, "a file that cannot be made")

# Refusals: nothing is created.
for words, code in (((), 4), (("--dry-run",), 0), (("--yes", "--release"), 2), (("--existing", "--controller"), 2), (("--area", "5"), 2)):
    to = path()
    r, trace = trace_of("telemetry", "nvme0", "--to", to, *words, host=h) if code != 2 else (run("telemetry", "nvme0", "--to", to, *words, host=h), [])
    tap.result(r.code == code and not left(to) and not log_pages(trace), f"{words}: {code}, nothing sent", r)
tap.equal(run("telemetry", "nvme0", "--yes", host=h).code, 2, "no --to")
to = path()
open(to, "w", encoding="utf-8").write("evidence")
for words in (("--yes",), ("--controller",), ("--dry-run",)):
    r = run("telemetry", "nvme0", "--to", to, *words, host=h)
    tap.result(r.code == 1 and open(to, encoding="utf-8").read() == "evidence" and left(to) == ["file"], f"{words}: a file that is there stays", r)
r, trace = trace_of("telemetry", "nvme0", "--to", path(), "--yes", host=host(lpa=4))
tap.result(r.code == 7 and not log_pages(trace), "no telemetry: 7, nothing sent", r)
recorded = host({}, simulated=False, log_07=bytes([7]) + bytes(511), log_08=bytes([8]) + bytes(511))
tap.equal([run("telemetry", "nvme0", "--to", path(), *w, host=recorded).code for w in (("--yes",), ("--existing",), ("--controller",))], [7, 0, 0],
          "a recorded host creates nothing and shows what it has")

# Failures on the way: no file, no temporary file, created once.
for fault, code in (({"nth": 4, "status": "0x0006"}, 1), ({"nth": 4, "untouched": True}, 1), ({"nth": 4, "short": 100}, 1), ({"nth": 4, "vanish_ms": -1}, 3),
                    ({"nth": 1, "status": "0x4002"}, 1), ({"nth": 1, "errno": "EINTR"}, 1), ({"nth": 2, "errno": "EIO"}, 1), ({"nth": 1, "lost": "EINTR"}, 1)):
    to = path()
    r, trace = trace_of("telemetry", "nvme0", "--to", to, "--yes", "-o", "json", host=host(mdts=2, faults=[{"opcode": 2, "lid": 7, **fault}]))
    tap.result(r.code == code and not left(to) and r.drive["telemetry"]["result"] is None and len([p for p in log_pages(trace) if p[0] & 1]) == 1,
               f"{fault}: {code}, no file, created once", r)
    tap.result("no file was written" in r.drive["error"]["message"], f"{fault}: it says that there is no file", r.drive["error"])

# A lost answer: of the creation (nobody knows whether the drive has collected), of a piece, of the release.
for name in ("EINTR", "EIO", "ENODEV"):
    for effect in ("lost", "errno"):
        to = path()
        h = host(faults=[{"opcode": 2, "lid": 7, "nth": 1, effect: name}])
        r, trace = trace_of("telemetry", "nvme0", "--to", to, "--yes", "-o", "json", host=h)
        tap.result(r.code == 1 and not left(to) and r.drive["error"]["code"] == "unverified" and "not known" in r.drive["error"]["message"]
                   and "--existing" in r.drive["error"]["hint"] and r.drive["telemetry"]["created"] is None and len(log_pages(trace)) == 1,
                   f"creating, {effect} {name}: not known, not sent again, no file", r)
for nth in (2, 3, 4, 5):
    to = path()
    r, trace = trace_of("telemetry", "nvme0", "--to", to, "--yes", "-o", "json", host=host(faults=[{"opcode": 2, "lid": 7, "nth": nth, "lost": "EIO"}]))
    tap.result(r.code == 1 and not left(to) and "no file was written" in r.drive["error"]["message"] and "--existing" in r.drive["error"]["hint"]
               and r.drive["telemetry"]["created"], f"answer {nth} lost by EIO: no file, and what was collected can be read", r)
for effect, code, word, released in (({"lost": "EIO"}, 1, "unverified", None), ({"status": "0x4006"}, 1, "nvme_status", False)):
    to = path()
    h = host({**FULL, "controller_available": True}, faults=[{"opcode": 2, "lid": 8, "nth": 4, **effect}])
    r = run("telemetry", "nvme0", "--controller", "--release", "--to", to, "--yes", "-o", "json", host=h)
    tap.result(r.code == code and r.drive["error"]["code"] == word and "is complete" in r.drive["error"]["message"] and os.path.getsize(to) == 5120
               and r.drive["telemetry"]["released"] is released, f"releasing, {effect}: the file is complete, and the rest is said", r)
to = path()
r = subprocess.run([SSDCT, "telemetry", "nvme0", "--to", to, "--yes", "--host", str(host())], capture_output=True, text=True, check=False,
                   preexec_fn=lambda: (signal.signal(signal.SIGXFSZ, signal.SIG_IGN), resource.setrlimit(resource.RLIMIT_FSIZE, (70000, 70000))))
tap.result(r.returncode == 1 and not left(to) and "writing" in r.stderr, "a full disk: 1, no file", r.stderr)


def start(*words):
    """A run that has read a piece of the data, and waits for the next one: there is time to do something else."""
    to, h = path(), host({"host_blocks": [300, 300, 300]}, mdts=1, faults=[{"opcode": 2, "lid": 7, "nth": 6, "delay_ms": 3000}])
    p = subprocess.Popen([SSDCT, "telemetry", "nvme0", "--to", to, "--yes", "-o", "json", *words, "--host", str(h)],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    until_matched(h, 6)
    return p, to, h


# Collected anew meanwhile: by somebody else, or by the controller.
p, to, h = start()
r = run("telemetry", "nvme0", "--to", path(), "--yes", host=h, timeout=300)
out = p.communicate(timeout=300)[0]
tap.result(p.returncode == 0 and os.path.getsize(to) == 301 * 512 and r.code == 4 and f"process {p.pid} " in r.err, "two at a time: the second is refused", r, out[-500:])
p, to, h = start("--existing")
r = run("passthru", "admin", "nvme0", "--opcode", 2, "--cdw10", 0x7f8107, "--nsid", 0xffffffff, "--data-len", 512, "--yes", host=h)
d = json.loads(p.communicate(timeout=300)[0])["drives"][0]
tap.result(r.code == 0 and p.returncode == 1 and d["error"]["code"] == "unverified" and not left(to), "collected anew while it was read: 1, no file", d)

# Signals: no file, no temporary file.
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    p, to, _ = start()
    p.send_signal(number)
    d = json.loads(p.communicate(timeout=300)[0])["drives"][0]
    tap.result(p.returncode == 130 and not left(to) and d["error"]["code"] == "interrupted" and "--existing" in d["error"]["hint"] and d["telemetry"]["created"],
               f"{number.name}: 130, no file, and it says that the drive has collected", d)

sys.exit(tap.end())
