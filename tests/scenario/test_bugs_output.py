#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Bugs that other tools had, section 1 of the bug corpus: JSON and text output. Each result says the entry's number.

Values are those of the reports, or worked out from the specification's offsets and units. The corpus asks for decimal
strings above 2^53; here a number is clamped at 2^63-1 and a string beside it has all digits.

Where else: 4 (the schema only grows) is tests/cli/test_schema.py. The exporters' half of 2, 10 and 13 concerns `export`.
"""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import Host, Tap, error_entry, error_log, id_ctrl, id_ns, run, slot_log, smart  # noqa: E402

tap = Tap()
CLAMP = 2**63 - 1
# Keys of the ten 128-bit counters of the SMART log, from byte 32 on.
COUNTERS = ["data_units_read", "data_units_written", "host_read_commands", "host_write_commands",
            "controller_busy_minutes", "power_cycles", "power_on_hours", "unsafe_shutdowns", "media_errors",
            "error_log_entries"]


def reading(drive="nvme0"):
    """Every reading command for a drive."""
    return [["list"], ["list", "--health"], ["show", drive], ["smart", drive], ["errors", drive],
            ["check", "--allow-simulated"], ["identify", drive], ["identify", drive, "ns", "--nsid", "1"],
            ["log", "list", drive], ["log", "get", drive, "smart"], ["log", "get", drive, "firmware-slot"]]


def walk(node, path=""):
    """Every (path, value) of a document; elements of lists share a path."""
    if isinstance(node, dict):
        for key, value in node.items():
            yield from walk(value, f"{path}.{key}")
    elif isinstance(node, list):
        for item in node:
            yield from walk(item, path + "[]")
    else:
        yield path, node


# 1: 2^64-1, 2^64 and 2^128-1 in every 128-bit counter.
for value, name in ((2**64 - 1, "2^64-1"), (2**64, "2^64"), (2**128 - 1, "2^128-1"), (2**63 - 1, "2^63-1"),
                    (2**53 + 1, "2^53+1")):
    host = Host().drive(log_02=smart(counters=[value] * 10))
    got = run("smart", "nvme0", "-o", "json", host=host).drive["smart"]
    tap.equal([got[k] for k in COUNTERS], [min(value, CLAMP)] * 10, f"bug 1: {name} as a number")
    tap.equal([got[k + "_str"] for k in COUNTERS], [str(value)] * 10, f"bug 1: {name} with all digits")
    tap.equal([got["data_read_bytes_str"], got["data_written_bytes_str"]], [str(value * 512000)] * 2,
              f"bug 1: {name} data units in bytes, all digits")
    tap.equal(got["data_read_bytes"], min(value * 512000, CLAMP), f"bug 1: {name} data units in bytes, as a number")
    got = run("errors", "nvme0", "-o", "json", host=host).drive
    tap.equal([got["error_log_entries"], got["error_log_entries_str"]], [min(value, CLAMP), str(value)],
              f"bug 1: {name} errors over the drive's life")
    got = run("show", "nvme0", "-o", "json", host=host).drive["smart"]
    tap.equal(got["host_read_commands_str"], str(value), f"bug 1: {name} in show")
    text = run("smart", "nvme0", host=host).out
    tap.result(f"{value:,}" in text and f"{value * 512000:,}" in text, f"bug 1: {name} in text", text)
total = 2**127 + 3
host = Host().drive(id_ctrl=id_ctrl(offset_280=total.to_bytes(16, "little")))
for words, path in ((["show", "nvme0"], "capacity_bytes"), (["list", "--health"], "capacity_bytes")):
    got = run(*words, "-o", "json", host=host).drive
    tap.equal([got[path], got[path + "_str"]], [CLAMP, str(total)], f"bug 1: TNVMCAP 2^127+3 in {words[0]}")

# 2: a key's type is the same whatever the value.
shapes = []
for value in (0, 1, 2**31, 2**53 + 1, 2**64 - 1, 2**64, 2**128 - 1):
    host = Host().drive(log_02=smart(counters=[value] * 10), log_01=error_log(error_entry(min(value, 2**64 - 1) or 1, 2)))
    got = [(p, type(v).__name__) for words in (["smart", "nvme0"], ["errors", "nvme0"])
           for p, v in walk(run(*words, "-o", "json", host=host).drive) if v is not None]
    shapes.append(sorted(set(got)))
tap.result(all(s == shapes[0] for s in shapes), "bug 2: types do not depend on the size of a counter",
           [set(s) ^ set(shapes[0]) for s in shapes])
tap.result({(".smart.power_cycles", "int"), (".smart.power_cycles_str", "str")} <= set(shapes[0]), "bug 2: numbers are numbers, digits are strings", shapes[0])
perf = run("check", "-o", "nagios", host=Host().drive(log_02=smart(counters=[2**64] * 10))).out
tap.result('"' not in perf.split("|")[1], "bug 2: the monitoring plugin's numbers are bare digits", perf)

# 5: -v says more on stderr, never on stdout.
good = Host().drive()
bad = Host().drive(log_01=None, log_02=None, log_03=None, id_ns_1=None)
for host, kind in ((good, "a sane drive"), (bad, "a drive without log pages")):
    for words in reading():
        r = run(*words, "-v", "-v", "-o", "json", host=host)
        try:
            fine = isinstance(r.json["drives"], list)
        except (ValueError, KeyError):
            fine = False
        tap.result(fine, f"bug 5: -v -v {' '.join(words)} of {kind}: stdout is one JSON object", r)
r = run("smart", "nvme0", "-v", "-v", "-o", "json", host=good)
tap.result(r.err and "{" not in r.err.splitlines()[0][:1], "bug 5: what was sent stands on stderr", r)

# 7: strings of NULs, strings of blanks.
NUL, BLANK = b"\0", b" "
for pad, name in ((NUL, "NUL"), (BLANK, "blank")):
    host = Host().drive(id_ctrl=id_ctrl(offset_4=pad * 20, offset_24=pad * 40, offset_64=pad * 8, offset_768=pad * 256),
                        log_03=slot_log(revisions=[]))
    for words in reading():
        r = run(*words, "-o", "json", host=host)
        d = r.drive
        tap.result(r.code in (0, 2) and not r.err and [d["model"], d["serial"], d["firmware"], d["family"]] == [None] * 4,
                   f"bug 7: all-{name} strings, {' '.join(words)}: null", r)
        r = run(*words, host=host)
        tap.result(r.code in (0, 2) and r.out and "\0" not in r.out, f"bug 7: all-{name} strings, {' '.join(words)}: text", r)
    tap.equal(run("smart", "", "-o", "json", host=host).code, 3, f"bug 7: all-{name}: the empty word names no drive")
host = Host().drive(id_ctrl=id_ctrl(model="Example NVMe 1TB", vid=0x1d1d, offset_4=BLANK * 20))
d = run("list", "-o", "json", host=host).drive
tap.equal([d["model"], d["serial"]], ["Example NVMe 1TB", None], "bug 7: a serial number of blanks only")
host = Host().drive(id_ctrl=id_ctrl(offset_24=b"QEMU NVMe Ctrl".ljust(40, NUL), offset_4=b"abc".ljust(20, NUL)))
for words in (["list"], ["show", "nvme0"]):
    d = run(*words, "-o", "json", host=host).drive
    tap.equal([d["model"], d["serial"]], ["QEMU NVMe Ctrl", "abc"], f"bug 7: NUL instead of blank padding, {words[0]}")

# 8: right-aligned fields.
host = Host().drive(id_ctrl=id_ctrl(offset_4=b"        S1234567    ", offset_24=b"MODEL X".rjust(40), offset_64=b"    1.2a"))
for words in (["list"], ["show", "S1234567"], ["smart", "S1234567"], ["errors", "S1234567"], ["check", "S1234567"],
              ["identify", "S1234567"], ["log", "list", "S1234567"]):
    r = run(*words, "-o", "json", host=host)
    tap.result(r.code == 0 and [r.drive[k] for k in ("model", "serial", "firmware")] == ["MODEL X", "S1234567", "1.2a"],
               f"bug 8: leading blanks, {' '.join(words)}", r)
d = run("identify", "nvme0", "-o", "json", host=host).drive["id_ctrl"]
tap.equal([d["mn"], d["sn"], d["fr"]], ["MODEL X", "S1234567", "1.2a"], "bug 8: trimmed in Identify, too")
tap.equal(run("check", "--expect-serial", "S1234567", host=host).code, 0, "bug 8: check expects the trimmed serial number")
tap.equal(run("smart", "        S1234567    ", host=host).code, 0, "bug 8: as it stands in the field it is found as well")

# 9: a revision that fills its 8 bytes, with other bytes (RAB, IEEE OUI, CMIC, MDTS) right behind it.
host = Host().drive(id_ctrl=id_ctrl(firmware="8DV10131", offset_72=b"ABCDE"), log_03=slot_log(1, 2, ["8DV10131", "8DV10171"]))
for words in (["list"], ["show", "nvme0"], ["identify", "nvme0"]):
    r = run(*words, "-o", "json", host=host)
    tap.equal(r.drive["firmware"], "8DV10131", f"bug 9: 8 bytes of revision and no more, {words[0]}")
    tap.result("8DV10131A" not in run(*words, host=host).out, f"bug 9: nor in text, {words[0]}")
d = run("show", "nvme0", "-o", "json", host=host).drive["fw"]
tap.equal([s["revision"] for s in d["slots"]][:1], ["8DV10131"], "bug 9: slots are 8 bytes each")
host = Host().drive(id_ctrl=id_ctrl(frmw=4), log_03=slot_log(1, 2, ["8DV10131", "8DV10171"]))
d = run("show", "nvme0", "-o", "json", host=host).drive["fw"]
tap.equal([(s["slot"], s["revision"], s["running"], s["next"]) for s in d["slots"]],
          [(1, "8DV10131", True, False), (2, "8DV10171", False, True)], "bug 9: two slots side by side")
host = Host().drive(id_ctrl=id_ctrl(firmware="8DV10131", offset_24=b"M" * 40, offset_4=b"S" * 20))
d = run("show", "nvme0", "-o", "json", host=host).drive
tap.equal([d["model"], d["serial"], d["firmware"]], ["M" * 40, "S" * 20, "8DV10131"], "bug 9: every field full")
for words in reading():
    r = run(*words, "-o", "json", host=Host().drive(log_ca=bytes(512), log_01=error_log(*[error_entry(n, 2) for n in (3, 2, 1)])))
    try:
        r.json  # pylint: disable=pointless-statement
        fine = True
    except AssertionError:
        fine = False
    tap.result(fine, f"bug 9: no key twice, {' '.join(words)}", r)

# 10: every character that some format gives a meaning.
NASTY = 'INTEL "X\\" 1,2|3;4\''
host = Host().drive(id_ctrl=id_ctrl(model=NASTY, vid=0x1d1d, serial='S"\\|,;\'=`$(x)'))
for words in reading():
    r = run(*words, "-o", "json", host=host)
    tap.result(r.code == 0 and r.drive["model"] == NASTY and r.drive["serial"] == 'S"\\|,;\'=`$(x)',
               f"bug 10: quotes in the model, {' '.join(words)}", r)
tap.result(NASTY in run("list", host=host).out, "bug 10: text says the model as it is")
out = run("check", "-o", "nagios", host=host).out
tap.result(out.count("|") == 1 and all(p.count("'") % 2 == 0 for p in out.splitlines()[0].split("|")[1:]),
           "bug 10: one separator, quotes in pairs", out)
host = Host().drive(id_ctrl=id_ctrl(offset_24=b'A\xc3\xa9\xff"\x1b[31m\x07\n\tB'.ljust(40), vid=0x1d1d))
r = run("list", "-o", "json", host=host)
tap.equal(r.drive["model"], 'A\\xC3\\xA9\\xFF"\\x1B[31m\\x07\\x0A\\x09B', "bug 10: bytes outside printable ASCII are \\xNN")
text = run("list", host=host).out
tap.result("\x1b" not in text and "\x07" not in text and len(text.splitlines()) == 2, "bug 10: no escape reaches the terminal", text)

# 11: large namespaces. 2^40 blocks of 4096 are 4 PiB; above 4 TB some tools crashed.
BLOCKS_4K = ((12, 0, 0),)
for nsze, shift in ((2**40, 12), (2**33, 9), (10**10, 12), (2**50, 12)):
    size = nsze << shift
    host = Host().drive(id_ns_1=id_ns(nsze=nsze, formats=((shift, 0, 0),)))
    d = run("list", "-o", "json", host=host).drive
    tap.equal([d["size_bytes"], d["namespaces"][0]["size_bytes"]], [size, size], f"bug 11: {nsze} blocks of 2^{shift}, list")
    d = run("show", "nvme0", "-o", "json", host=host).drive
    tap.equal([d["size_bytes"], d["namespaces"][0]["size_bytes"]], [size, size], f"bug 11: {nsze} blocks of 2^{shift}, show")
    d = run("identify", "nvme0n1", "-o", "json", host=host).drive["id_ns"]
    tap.equal([d["nsze"], d["size_bytes"], d["capacity_bytes"]], [nsze, size, size],
              f"bug 11: {nsze} blocks of 2^{shift}, identify")
text = run("list", host=Host().drive(id_ns_1=id_ns(nsze=2**40, formats=BLOCKS_4K))).out
tap.result("4.50 PB" in text, "bug 11: 2^52 bytes are 4.50 PB", text)
# Products and sums that do not fit are clamped, not wrapped: 2^60 blocks of 4096 are 2^72 bytes.
for count in (1, 2, 3):
    pages = {f"id_ns_{n}": id_ns(nsze=2**60, formats=BLOCKS_4K, offset_24=b"\1") for n in range(1, count + 1)}
    host = Host().drive(id_ctrl=id_ctrl(nn=count), **pages)
    d = run("list", "-o", "json", host=host).drive
    tap.equal([d["size_bytes"]] + [n["size_bytes"] for n in d["namespaces"]], [CLAMP] * (count + 1),
              f"bug 11: {count} x 2^72 bytes, list")
    d = run("show", "nvme0", "-o", "json", host=host).drive
    tap.equal([d["size_bytes"]] + [n["size_bytes"] for n in d["namespaces"]], [CLAMP] * (count + 1),
              f"bug 11: {count} x 2^72 bytes, show")
    tap.equal([n["utilization_bytes"] for n in d["namespaces"]], [CLAMP] * count, f"bug 11: {count} x 2^72 bytes in use, show")
d = run("identify", "nvme0n1", "-o", "json", host=host).drive["id_ns"]
tap.equal([d["size_bytes"], d["capacity_bytes"], d["utilization_bytes"]], [CLAMP] * 3, "bug 11: 2^72 bytes, identify")
four = 2**62  # four namespaces of 2^62 bytes: 2^64 together
host = Host().drive(id_ctrl=id_ctrl(nn=4), **{f"id_ns_{n}": id_ns(nsze=four >> 12, formats=BLOCKS_4K) for n in (1, 2, 3, 4)})
for words in (["list"], ["show", "nvme0"]):
    d = run(*words, "-o", "json", host=host).drive
    tap.equal([d["size_bytes"], d["namespaces"][3]["size_bytes"]], [CLAMP, four], f"bug 11: four times 2^62 bytes, {words[0]}")

# 12: one data unit is 512,000 bytes on any LBA format.
for shift in (9, 12):
    host = Host().drive(id_ns_1=id_ns(formats=((shift, 0, 0),)), log_02=smart(counters=[1, 3, 1, 1, 0, 1, 1, 0, 0, 0]))
    for words in (["smart", "nvme0"], ["show", "nvme0"], ["log", "get", "nvme0", "smart"]):
        s = run(*words, "-o", "json", host=host).drive["smart"]
        tap.equal([s["data_units_read"], s["data_read_bytes"], s["data_written_bytes"]], [1, 512000, 1536000],
                  f"bug 12: a data unit with blocks of {1 << shift}, {' '.join(words)}")

# 13: NUSE equal to NSZE without thin provisioning says nothing; with it (NSFEAT bit 0) it does.
for thin, nuse, expected in ((False, 3907029168, None), (True, 1000, 512000), (True, 0, 0)):
    page = bytearray(id_ns(offset_24=bytes([thin])))
    struct.pack_into("<Q", page, 16, nuse)
    host = Host().drive(id_ns_1=bytes(page))
    name = f"{'with' if thin else 'without'} thin provisioning, NUSE {nuse}"
    tap.equal(run("show", "nvme0", "-o", "json", host=host).drive["namespaces"][0]["utilization_bytes"], expected,
              f"bug 13: {name}, show")
    d = run("identify", "nvme0n1", "-o", "json", host=host).drive["id_ns"]
    tap.equal([d["nuse"], d["utilization_bytes"]], [nuse, expected], f"bug 13: {name}, identify")
    text = run("show", "nvme0", host=host).out + run("identify", "nvme0n1", host=host).out
    tap.result("usage" not in text.lower(), f"bug 13: {name}, text says utilization, never usage", text)

# One thing has one shape, wherever it is said.
host = Host().drive(id_ctrl=id_ctrl(nn=2), id_ns_2=id_ns(formats=((9, 0, 2), (9, 8, 1), (12, 0, 0)), flbas=2))
shown = run("show", "nvme0", "-o", "json", host=host).drive
tap.result("lba_formats" not in shown, "show: LBA formats are said once, of their namespace", list(shown))
for namespace in shown["namespaces"]:
    formats = run("identify", "nvme0", "ns", "--nsid", namespace["nsid"], "-o", "json", host=host).drive["id_ns"]["lbaf"]
    tap.equal(namespace["lba_formats"], formats, f"show: LBA formats of namespace {namespace['nsid']} as identify says them")
tap.equal([f["relative_performance"] for f in shown["namespaces"][1]["lba_formats"]],
          [{"value": 2, "name": "good"}, {"value": 1, "name": "better"}, {"value": 0, "name": "best"}], "show: performance by name")
lines = [line.split() for line in run("show", "nvme0", host=host).out.splitlines()]
tap.result([["LBA", "formats", f"(Namespace", f"{n})"] in lines for n in (1, 2)] == [True, True] and ["1", "512", "B", "8", "B", "better", "no"] in lines and
           ["2", "4", "KiB", "(4,096", "bytes)", "0", "B", "best", "yes"] in lines, "show: a table of LBA formats for each namespace", lines)

# What a bit says is not defined is not reported: MSSRL, MCL and MSRC belong to the Copy command (ONCS bit 8).
copy = {"offset_74": struct.pack("<HIB", 128, 1024, 7)}
for oncs, want in ((0x0100, [128, 1024, 7]), (0xfeff, [None] * 3)):
    host = Host().drive(id_ctrl=id_ctrl(offset_520=struct.pack("<H", oncs)), id_ns_1=id_ns(**copy))
    d = run("identify", "nvme0n1", "-o", "json", host=host).drive["id_ns"]
    tap.equal([d["mssrl"], d["mcl"], d["msrc"]], want, f"identify ns: the limits of Copy with ONCS {oncs:#06x}")

sys.exit(tap.end())
