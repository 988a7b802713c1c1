#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""User-side instructions for each I/O, counted by callgrind: ssdct bench beside fio at its best, on the same file.

Instructions do not depend on how busy the machine is. What starting costs is subtracted: by a second, longer run.
"""
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import SSDCT, TMP, Tap  # noqa: E402

FILE = os.path.join(TMP, "target")
# fio with what costs it least: in one process, nothing to look up, and as many at once as there are.
FIO = ("fio", "--thread", "--name=x", f"--filename={FILE}", "--readonly", "--rw=randread", "--bs=4k", "--iodepth=32",
       "--direct=1", "--ioengine=io_uring", "--norandommap", "--registerfiles=1", "--fixedbufs=1",
       "--iodepth_batch_submit=32", "--iodepth_batch_complete_min=1", "--iodepth_batch_complete_max=32",
       "--output-format=json")


def callgrind(*words):
    done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={TMP}/callgrind.out", *map(str, words)],
                          capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or not found:
        raise RuntimeError(f"{words}: exit {done.returncode}: {done.stderr[-500:]}")
    return int(found.group(1)), json.loads(done.stdout[done.stdout.index("{"):])


def ours(seconds):
    count, document = callgrind(SSDCT, "bench", FILE, "--rw", "randread", "--bs", "4K", "--iodepth", 32, "--time", seconds,
                                "-o", "json")
    bench = document["drives"][0]["bench"]
    return count, bench["tests"][0]["ios"], bench["engine"]


def theirs(ios):
    count, document = callgrind(*FIO, f"--number_ios={ios}")
    return count, document["jobs"][0]["read"]["total_ios"]


def main():
    for program in ("fio", "valgrind"):
        if not shutil.which(program):
            print(f"1..0 # SKIP needs the package {program}")
            return 0
    with open(FILE, "wb") as f:
        for _ in range(64):
            f.write(os.urandom(1 << 20))
    tap = Tap()
    short, long = ours(1), ours(4)
    if not long[2].startswith("io_uring"):
        print("1..0 # SKIP io_uring is forbidden here")
        return 0
    own = (long[0] - short[0]) / (long[1] - short[1])
    short, long = theirs(5000), theirs(40000)
    other = (long[0] - short[0]) / (long[1] - short[1])
    tap.result(own <= other, f"{own:.0f} instructions for each I/O, fio has {other:.0f}")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
