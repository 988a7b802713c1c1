#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Bugs that other tools had, entries 91 and 92 of the bug corpus: the PCIe link.

91: registers of the controller that cannot be read, as the kernel keeps /dev/mem and the BARs to itself. 92: a link in fewer
lanes, a speed that is "Unknown", maxima that are missing, and a slot that is the limit.
"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from doctor_lib import FUNCTION, LIMITS, PORT, Machine  # noqa: E402
from harness import Tap, id_ctrl, run, trace_of  # noqa: E402

tap = Tap()
FOREIGN = id_ctrl("Samsung SSD 980 PRO 2TB", firmware="5B2QGXA7", vid=0x144d, ssvid=0x144d, **LIMITS)


def findings(host):
    got = run("doctor", "nvme0", "-o", "json", host=host)
    return {f["id"]: f for f in got.drive["findings"]}


def said(host, ident):
    return findings(host).get(ident, {}).get("message", "")


# 91: whoever opened one of these would wait for ever.
host = Machine(sysfs={"current_link_width": "2"})
for name in ("config", "resource", "resource0", "rom", "vpd"):
    os.mkfifo(f"{host}/sys/{FUNCTION}/{name}")
for name in ("iomem", "kcore"):
    os.mkfifo(f"{host}/proc/{name}")
got, trace = trace_of("doctor", "nvme0", "-o", "json", host=host)
tap.equal((got.code, [f["id"] for f in got.drive["findings"]]), (0, ["pcie_width"]), "bug 91: link and findings come from sysfs alone")
tap.equal(sorted({c["opcode"] for c in trace} - {0x02, 0x06, 0x0a}), [], "bug 91: no command but Identify, Get Log Page, Get Features")
shown = run("show", "nvme0", "-o", "json", host=host)
tap.equal(shown.code, 0, "bug 91: show reads no register either")

# 92: 8 GT/s x 128/130 / 8 = 985 MB/s for a lane.
host = Machine(sysfs={"current_link_width": "1"})
tap.equal(findings(host)["pcie_width"]["severity"], "warning", "bug 92: one lane of four is a warning")
tap.result("at most 985 instead of 3938 MB/s" in said(host, "pcie_width"), "bug 92: with the bandwidth that is expected", said(host, "pcie_width"))

host = Machine(sysfs={"current_link_width": "1", "current_link_speed": "Unknown"})
tap.result("at most 985 instead of 3938 MB/s" in said(host, "pcie_width"), "bug 92: ... at the speed that it can have, when it is not known", said(host, "pcie_width"))
tap.equal(findings(host)["pcie_speed"]["severity"], "info", "bug 92: an unknown speed is not known; it is no slow one")
tap.result(not re.search(r"\b0(\.0)? (MB|GT)/s", str(findings(host))), "bug 92: Unknown is not 0", findings(host))

missing = {"max_link_speed": "", "max_link_width": ""}
host = Machine(sysfs={"current_link_width": "1", **missing}, id_ctrl=FOREIGN)
tap.equal(list(findings(host)), ["pcie_speed"], "bug 92: without maxima nothing is known to be missing")
tap.result("runs at 8.0 GT/s; what the drive can do is not known" in said(host, "pcie_speed"), "bug 92: ... and that is said", said(host, "pcie_speed"))
host = Machine(sysfs={"current_link_width": "1", **missing})
tap.equal(findings(host)["pcie_width"]["severity"], "warning", "bug 92: of a P3700 it is published: PCIe 3.0, four lanes")
tap.result("maker's figures" in said(host, "pcie_width") and "985 instead of 3938" in said(host, "pcie_width"), "bug 92: ... which is said", said(host, "pcie_width"))
tap.equal(list(findings(Machine(sysfs=missing))), [], "bug 92: ... and a P3700 at its published best is well")

host = Machine(sysfs={"current_link_width": "1"})
host.port(width=1, now_width=1)
tap.equal(list(findings(host)), ["pcie_slot"], "bug 92: an x4 drive in an x1 slot is the slot's limit, no bad link")
tap.result("x1, the drive 8.0 GT/s x4" in said(host, "pcie_slot") and PORT.rsplit("/", 1)[1] in said(host, "pcie_slot"),
           "bug 92: ... by the port that it is in", said(host, "pcie_slot"))
host.port(speed="Unknown", width=255)
tap.equal(list(findings(host)), ["pcie_width"], "bug 92: a port that says nothing is no limit")

sys.exit(tap.end())
