#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The tests in the virtual machine: Debian's kernel and its NVMe driver, with QEMU's NVMe controllers; speaks TAP.

    SSDCT=build/ssdct BUILD=build tests/vm/run.py [BOOT...]

What the guest said stays in BUILD/vm/results/BOOT. Needs no root, and gives the guest nothing of the host but copies.
"""
import os
import platform
import sys

import bench
import compare
import drives
import formats
import hotplug
import later
import many
import mapped
import safety
import serve
import serve_admin
import serve_fw
import serve_ns
import serve_sanitize
import speed
from guest import Unavailable
from machine import Machine
from tap import Tap

BOOTS = {
    "compare": {"devices": drives.compare, "check": compare.check},
    "hotplug": {"devices": drives.hotplug, "check": hotplug.check, "steer": hotplug.steer},
    "many": {"devices": lambda machine: drives.many(many.COUNT), "check": many.check},
    "format": {"devices": formats.devices, "check": formats.check},
    "safety": {"devices": lambda machine: drives.drive(machine, "plain", "SAFE0001"), "check": safety.check},
    "mapped": {"devices": mapped.devices, "check": mapped.check, "programs": ("lvm", "cryptsetup"),
               "modules": ("dm_crypt", "xts", "aes", "algif_skcipher")},
    "bench": {"devices": drives.bench, "check": bench.check, "modules": ("null_blk",),
              "words": "nvme.poll_queues=1"},
    "speed": {"devices": drives.speed, "check": speed.check, "seconds": 120 + 120 * speed.COUNT, "programs": ("fio",),
              "modules": ("null_blk",), "words": f"ROUNDS={speed.COUNT}"},
    # The idle processor polls: asleep, an emulated one is woken up to milliseconds after its timer.
    "pace": {"devices": lambda machine: [], "check": speed.check_pace, "seconds": 120 + 15 * speed.COUNT, "programs": ("fio",),
             "modules": ("null_blk",), "words": f"idle=poll ROUNDS={speed.COUNT}"},
    "serve": {"devices": lambda machine: [], "check": serve.check},
    "serve_admin": {"devices": lambda machine: [], "check": serve_admin.check},
    "serve_fw": {"devices": lambda machine: [], "check": serve_fw.check},
    "serve_intel": {"devices": lambda machine: [], "check": later.check},
    "serve_ns": {"devices": lambda machine: [], "check": serve_ns.check},
    "serve_sanitize": {"devices": lambda machine: [], "check": serve_sanitize.check},
    "empty": {"devices": lambda machine: [], "check": many.check_empty},
}
MEASURED = ("speed", "pace")  # only on a calm machine, when asked for
SECONDS = 900  # after which a boot has hung; most take less than 60, a machine that is busy with other things takes its time


def run(tap, machine, name, devices, check, steer=None, seconds=SECONDS, **more):
    try:
        result = machine.boot(f"{name}.sh", devices(machine), seconds, steer, **more)
    except Unavailable as reason:
        tap.skip(f"boot {name}", reason)
        return
    if not tap.result(result.good, f"boot {name} comes to its end ({result.seconds:.0f} s)",
                      f"QEMU's exit status {result.status}", result.console[-3000:]):
        return
    try:
        check(tap, result)
    except (KeyError, IndexError, ValueError, TypeError, StopIteration) as error:
        tap.result(False, f"boot {name}: everything was there to check", f"{type(error).__name__}: {error}")


def main(names):
    tap = Tap()
    folder = os.path.join(os.environ.get("BUILD", "build"), "vm")
    try:
        if platform.machine() != "x86_64":
            raise Unavailable(f"written for x86_64, this is {platform.machine()}")
        machine = Machine(folder, os.environ.get("SSDCT", "build/ssdct"))
    except Unavailable as reason:
        print(f"1..0 # SKIP {reason}")
        return 0
    for name in names:
        run(tap, machine, name, **BOOTS[name])
    return tap.end()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or [name for name in BOOTS if name not in MEASURED]))
