#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ssdct errors: what a status means, and whose fault it is (bugs 27 and 28)."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import Host, Tap, error_entry, error_log, run, smart  # noqa: E402

tap = Tap()


def errors(*entries, lifetime=3):
    h = Host().drive(log_01=error_log(*entries), log_02=smart(counters=[1, 2, 3, 4, 5, 6, 7, 8, 0, lifetime]))
    return run("errors", "nvme0", "-o", "json", host=h).drive, run("errors", "nvme0", host=h).out


# What operating systems cause at each boot is harmless.
d, text = errors(error_entry(9, 0x2002), error_entry(8, 0x4002), error_entry(7, 0x4001), error_entry(6, 0x4109))
tap.equal([e["category"] for e in d["error_log"]["entries"]], ["probe"] * 4, "bug 28: probes on the admin queue")
tap.equal(d["kinds"]["probe"], 4, "counted as such")
tap.equal([d["kinds"][k] for k in ("host", "device", "media", "path")], [0, 0, 0, 0], "and as nothing else")
tap.result("Probes 4" in text and "Media 0" in text, "and said", text)

# The same on an I/O queue is the host's fault; the media's and the drive's are told apart.
d, text = errors(error_entry(20, 0x4002, sqid=3), error_entry(19, 0x0281, sqid=1, lba=77, nsid=1), error_entry(18, 0x0280, sqid=1), error_entry(17, 0x0080, sqid=2),
                 error_entry(16, 0x0006), error_entry(15, 0x0281, sqid=1, lba=78, nsid=1), error_entry(14, 0x0700), error_entry(13, 0x0370), error_entry(12, 0x0450))
tap.equal([e["category"] for e in d["error_log"]["entries"]], ["host", "media", "media", "host", "device", "media", "vendor", "path", "unknown"], "whose fault each is")
tap.equal(d["kinds"], {"probe": 0, "host": 2, "device": 1, "media": 3, "path": 1, "vendor": 1, "unknown": 1, "none": 0}, "counted")
lost = [e for e in d["explanations"] if e["hex"] == "0x0281"]
tap.result(len(lost) == 1 and lost[0]["entries"] == 2 and "lost" in lost[0]["meaning"] and lost[0]["category"] == "media", "each status is explained once", lost)
tap.result(all(e["meaning"] for e in d["error_log"]["entries"]), "every entry has a meaning")
tap.result("what stood at this LBA is lost" in text, "and it is said", text)

# No drive has a block of this number, and clamped to 2^63-1 it would look like one; smartmontools shows none either.
d, text = errors(error_entry(2, 0x4002, lba=2**64 - 1), error_entry(1, 0x0281, sqid=1, lba=0, nsid=1))
tap.equal([e["lba"] for e in d["error_log"]["entries"]], [None, 0], "an LBA of all ones is none, 0 is the first block")

d, text = errors(lifetime=64)
tap.equal((d["error_log"]["entries"], d["explanations"], d["error_log_entries"], d["kinds"]["probe"]), ([], [], 64, 0), "bug 27: unused entries are none, the count stays")

sys.exit(tap.end())
