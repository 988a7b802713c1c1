#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Bugs that other benchmarks had, section 9 of the bug corpus: 93, 95 to 98 (there is no 94). Each result says the number.

What needs a kernel is in the boot "bench": a drive that is silent for 20 s (93, 98), a mounted one (96), the kernel looking
for partitions in what was written (97). Here a stall is the whole program standing still, for longer than fio's ceiling.
"""
import json
import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import SSDCT, TMP, Host, Tap, run, trace_of  # noqa: E402

tap = Tap()
MIB = 1 << 20
SERIAL = "CVFT51520030000NVME0"  # the harness's
FIO_CEILING_NS = 2 ** 34  # 17.18 s: the end of the table of axboe/fio#1668
STALL_SECONDS = 18
TARGET = os.path.join(TMP, "target")
with open(TARGET, "wb") as stream:
    stream.write(os.urandom(16 * MIB))


def start(*words):
    # A shell's background jobs ignore SIGINT, and hand that on.
    return subprocess.Popen([SSDCT, "bench", *map(str, words), "-o", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            stdin=subprocess.DEVNULL, text=True, start_new_session=True,
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))


def wait_until(process, ready):
    for _ in range(1200):
        if process.poll() is not None or ready():
            return
        time.sleep(0.05)


def measures(process):
    """Jobs are threads; they wait for each other before they begin, so a fifth of a second of work means that they have."""
    def ready():
        ticks = 0
        for thread in os.listdir(f"/proc/{process.pid}/task"):
            if int(thread) != process.pid:
                with open(f"/proc/{process.pid}/task/{thread}/stat", encoding="ascii") as stat:
                    ticks += sum(map(int, stat.read().rsplit(")", 1)[1].split()[11:13]))
        return ticks >= os.sysconf("SC_CLK_TCK") // 5
    return ready


def document_of(process):
    out, err = process.communicate(timeout=120)
    return json.loads(out), err


# 93: a histogram with a ceiling. Four threads with 32 I/Os each: of these some are under way whenever it is.
p = start(TARGET, "--rw", "randread", "--iodepth", 32, "--jobs", 4, "--time", 15)
wait_until(p, measures(p))
p.send_signal(signal.SIGSTOP)
time.sleep(STALL_SECONDS)
p.send_signal(signal.SIGCONT)
document, _ = document_of(p)
test = document["drives"][0]["bench"]["tests"][0]
latency, bars = test["latency_ns"], test["latency_histogram"]
tap.result(p.returncode == 0 and latency["max"] >= STALL_SECONDS * 10 ** 9, "bug 93: a stall of 18 s is in the maximum", latency)
tap.result(bars[-1]["from_ns"] <= latency["max"] <= bars[-1]["to_ns"] and bars[-1]["to_ns"] > FIO_CEILING_NS,
           "bug 93: and in the histogram, beyond 17.18 s", bars[-1])
tap.equal(sum(bar["ios"] for bar in bars), test["ios"], "bug 93: which has all I/Os")
tap.result(latency["p50"] < FIO_CEILING_NS and latency["p99_99"] <= latency["max"], "bug 93: percentiles are told apart", latency)
tap.result(test["longest_gap_ns"] >= STALL_SECONDS * 10 ** 9, "bug 98: the stall is the longest gap", test["longest_gap_ns"])
reasons = document["drives"][0]["bench"]["reasons"]
tap.result(any("nothing was completed for 1" in r or "nothing was completed for 2" in r for r in reasons),
           "bug 98: which people are told, too", reasons)
tap.result(test["errors"] == 0 and test["partial"] is False, "bug 98: and no reason to give up", test)

# 95: nanoseconds said to be something else. One I/O at a time: all latencies together are no longer than the test, and
# (a file in memory or on a disk) no thousandth of it.
r = run("bench", TARGET, "--rw", "randread", "--iodepth", 1, "--time", 1, "--engine", "preadv", "-o", "json")
test = r.drive["bench"]["tests"][0]
share = test["latency_ns"]["mean"] * test["ios"] / (test["seconds"] * 1e9)
tap.result(0.01 < share <= 1.0001, "bug 95: latencies are nanoseconds", share)
tap.result(0.01 < test["cpu_ns_per_io"] * test["ios"] / (test["busiest_cpu_percent"] / 100 * test["seconds"] * 1e9) < 1.1,
           "bug 95: and so is the time of the CPU", test)
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../data/schema.json"), encoding="utf-8") as stream:
    keys = [key for key in json.load(stream)["bench"] if key.startswith(".drives[].bench.")]
tap.equal([key for key in keys if re.search(r"\.(min|max|mean|p[0-9_]+)$", key) and not re.search(r"_ns\.[a-z0-9_]+$", key)], [],
          "bug 95: minimum, mean and percentiles lie in an object that says the unit")
tap.equal([key for key in keys if re.search(r"(gap|latency|cpu|from|to)[a-z_]*$", key)
           and not re.search(r"_ns$|_ns_per_io$|\.cpus$|_percent$|latency_histogram$|rated\.up_to$", key)], [],
          "bug 95: so does every other key of a time")

# 96: written to what is in use, or holds something. Everything but the drive's real data says yes.
YES = ("--yes", "--force", "--confirm", SERIAL)
WRITES = (("--write-namespace",), ("--rw", "randwrite"), ("--rw", "rw", "--bs", "128K"), ("--preset", "mixed", "--write-namespace"))
USES = {"mounted": ({"mounts": ["/srv"]}, "/srv"), "held": ({"holders": ["md0"]}, "md0")}
for name, (facts, words) in USES.items():
    host = Host(simulated=True).drive(drive_json={"namespaces": {"1": facts}})
    for write in WRITES:
        r, sent = trace_of("bench", "nvme0", *write, *YES, "-o", "json", host=host)
        tap.result(r.code == 4 and r.json["error"]["code"] == "refused" and words in r.json["error"]["message"],
                   f"bug 96: {name}, {' '.join(write)}: refused, and says why", r)
        tap.equal([c["opcode"] for c in sent if c["opcode"] not in ("0x02", "0x06", "0x0a", 2, 6, 10)], [],
                  f"bug 96: {name}, {' '.join(write)}: nothing but reads was sent")
    tap.equal([f for f in os.listdir(f"{host}/nvme0") if f.endswith(".img")], [], f"bug 96: {name}: its data were not touched")
host = Host(simulated=True).drive(drive_json={"namespaces": {"1": {"signature": "ext4"}}})
r = run("bench", "nvme0", "--rw", "randwrite", "--yes", "--confirm", SERIAL, "-o", "json", host=host)
tap.result(r.code == 4 and "ext4" in r.json["error"]["message"], "bug 96: an old file system needs --force", r)
with open(TARGET, "rb") as stream:
    before = stream.read()
for write in WRITES:
    tap.equal(run("bench", TARGET, *write, *YES, "-o", "json").code, 4, f"bug 96: a file that is there, {' '.join(write)}: refused")
with open(TARGET, "rb") as stream:
    tap.result(stream.read() == before, "bug 96: and is what it was")


# 97, 98: what is written, read through the descriptor of the running program; then a signal while everything stands still.
def scratch_of(process):
    """The file without a name, once it has its size."""
    folder = f"/proc/{process.pid}/fd"
    for number in os.listdir(folder):
        path = os.path.join(folder, number)
        try:
            if "(deleted)" in os.readlink(path) and os.stat(path).st_size == 16 * MIB:
                return path
        except OSError:
            pass
    return None


place = os.path.join(TMP, "place")
os.mkdir(place)
host = Host(simulated=True).drive()
p = start("nvme0", "--rw", "randwrite", "--bs", "4K", "--write-file", place, "--size", "16M", "--time", 600, "--host", host)
wait_until(p, lambda: scratch_of(p) and measures(p)())
p.send_signal(signal.SIGSTOP)
path = scratch_of(p)
with open(path, "rb") as stream:
    data = stream.read()
sectors = [data[at:at + 512] for at in range(0, len(data), 512)]
written = [s for s in sectors if any(s)]
tap.result(len(written) > 1000, "bug 97: it has written", len(written))
tap.equal(sum(s[510:] == b"\x55\xaa" for s in written), 0, "bug 97: no sector ends as a partition table or a boot sector does")
tap.equal(sum(s.startswith((b"EFI PART", b"LVM2", b"LABELONE")) for s in written), 0, "bug 97: or begins as one")
p.send_signal(signal.SIGINT)
time.sleep(1)
p.send_signal(signal.SIGCONT)
document, _ = document_of(p)
tests = document["drives"][0]["bench"]["tests"]
tap.equal((p.returncode, document["error"]["code"]), (130, "interrupted"), "bug 98: a signal in a stall ends it, with 130")
tap.result(tests[-1]["partial"] is True and tests[-1]["ios"] > 0 and document["drives"][0]["bench"]["interrupted"] is True,
           "bug 98: what was measured is there, marked partial", tests[-1])
tap.equal(os.listdir(place), [], "bug 98: the file is gone")
sys.exit(tap.end())
