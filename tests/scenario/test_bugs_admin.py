#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Bugs that other tools had, entries 33 to 38 and 59 to 72 of the bug corpus: self-test, sanitize, telemetry, format, capacity.

27 to 31 are in test_bugs_health.py, 68, 70 and 71 for what only reads in test_bugs_scan.py; the scenarios of the commands
themselves go further. What this machine's kernel does (64 with a loop device, 67 and 68 with QEMU) is tests/vm's.
"""
import os
import random
import struct
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import ns_lib  # noqa: E402
from harness import TMP, Host, Tap, id_ctrl, run, trace_of  # noqa: E402
from media_lib import BLOCK, BLOCKS, SERIAL, changing, fault, identify, media, ns, traced  # noqa: E402
from terminal import SERIAL_QUESTION, Terminal  # noqa: E402

tap = Tap()
CONFIRM = ("--confirm", SERIAL)


def error(r):
    return {k: v or "" if k in ("message", "hint") else v for k, v in (r.json["error"] or {"message": "", "hint": "", "code": ""}).items()}


def sent(trace, opcode):
    return [(c["nsid"], c["cdw10"]) for c in trace if c["opcode"] == opcode and c["sent"]]


# --- self-test ---

def selftest(faults=(), oacs=0x16, nn=1, log=None, **sections):
    """A drive with a self-test; every entry of its log is unused unless told otherwise."""
    return Host(simulated=True).drive(id_ctrl=id_ctrl(serial=SERIAL, ver=0x10400, oacs=oacs, nn=nn),
                                      log_06=log or bytes(4) + (b"\x0f" + bytes(27)) * 20, drive_json={"faults": list(faults), **sections})


def bug_33():
    def entry(status):
        return bytes([status]) + bytes(3) + (100).to_bytes(8, "little") + bytes(16)
    log = bytes(4) + entry(0x10) + entry(0x0f) + entry(0x00) + entry(0xff) + entry(0x27) + entry(0x2f) + (b"\x0f" + bytes(27)) * 14
    r = run("selftest", "status", "nvme0", "-o", "json", host=selftest(log=log))
    tap.equal([(e["entry"], e["result"]["value"]) for e in r.drive["self_test"]["results"]], [(0, 0), (4, 7)],
              "bug 33: code Fh and type 0 in the midst are no results")
    text = run("selftest", "status", "nvme0", host=selftest(log=bytes(4) + (b"\x0f" + bytes(27)) * 20)).out
    tap.result("without error" not in text and "none" in text, "bug 33: a log of unused entries has no test that passed", text)


def bug_34():
    for status in ("0x4002", "0x400b", "0x2002", "0x0002"):
        r, trace = trace_of("selftest", "start", "nvme0", "--yes", "-o", "json",
                            host=selftest([{"opcode": 0x14, "nsid": 0xffffffff, "count": 0, "status": status}]))
        tap.result(r.code == 0 and sent(trace, 0x14) == [(0xffffffff, 1), (1, 1)], f"bug 34: NN 1: broadcast, after {status} namespace 1", r)
    for status in ("0x0006", "0x4001", "0x011d"):
        r, trace = trace_of("selftest", "start", "nvme0", "--yes", host=selftest([{"opcode": 0x14, "count": 0, "status": status}]))
        tap.result(r.code == 1 and sent(trace, 0x14) == [(0xffffffff, 1)], f"bug 34: {status} says nothing about the NSID: sent once", r)
    r, trace = trace_of("selftest", "start", "nvme0", "--yes", "-o", "json", host=selftest(oacs=6))
    tap.result(r.code == 7 and error(r)["code"] == "unsupported" and not sent(trace, 0x14), "bug 34: a P3xxx has none: exit 7, nothing sent", r)


# --- sanitize ---

def bug_35():
    def log(sprog, sstat, estimate=0xffffffff):
        return struct.pack("<HHI6I", sprog, sstat, 2, *[estimate] * 6) + bytes(480)
    for sprog, sstat, state, percent in ((655, 2, 2, 655 * 100 / 65536), (0xffff, 2, 2, 65535 * 100 / 65536), (0, 0x102, 2, 0),
                                         (0xffff, 0x101, 1, 100), (655, 0x103, 3, None)):
        d = run("sanitize", "status", "nvme0", "-o", "json", host=media(sanicap=BLOCK, log_81=log(sprog, sstat))).drive["sanitize_log"]
        fine = d["progress_percent"] == percent or abs(d["progress_percent"] - percent) < 1e-9  # a document has 15 digits
        tap.result(fine and (d["state"]["value"], d["block_erase_seconds"]) == (state, None),
                   f"bug 35: SSTAT {sstat:#x}, SPROG {sprog}: state {state}, {percent} %, no estimate", d)
    text = run("sanitize", "status", "nvme0", host=media(sanicap=BLOCK, log_81=log(655, 2))).out
    tap.result("1.0 %" in text and "655 %" not in text and "4294967295" not in text, "bug 35: text: 1.0 %, and no time that is none", text)
    # Stuck in state 2: all that touches the media would be refused by the drive (1Dh), so nothing of it is sent.
    for words in (("format", "nvme0", *CONFIRM), ("format", "nvme0", "--erase", "crypto", *CONFIRM), ("sanitize", "start", "nvme0", "--action", "block", *CONFIRM),
                  ("fw", "commit", "nvme0", "--slot", "1", "--action", "1", "--yes"), ("fw", "activate", "nvme0", "--slot", "1", "--yes")):
        r, trace = traced(*words, host=media(sanicap=BLOCK, log_81=log(655, 2)))
        tap.result(r.code == 4 and "sanitize operation is running" in error(r)["message"] and {c["opcode"] for c in trace} <= {2, 6, 0x0a},
                   f"bug 35: {' '.join(words[:2])} while a sanitize operation runs: refused, nothing sent", r, trace)
    # It has begun since the log was read.
    r, trace = traced("format", "nvme0", *CONFIRM, host=media(sanicap=BLOCK, drive_json=fault(opcode=0x80, count=0, status="0x001d")))
    tap.result(r.code == 1 and "sanitize operation is in progress" in error(r)["message"] and len(changing(trace)) == 1
               and r.drive["format"]["result"] == "not_started", "bug 35: status 1Dh of a format: named, and not sent again", r)


# --- telemetry ---

def telemetry(blocks=None, mdts=5, lpa=0x4c, faults=(), controller=None, **pages):
    t = {"host_blocks": blocks} if blocks else {}
    if controller:
        t.update(controller_blocks=controller, controller_available=True)
    return Host(simulated=True).drive(id_ctrl=id_ctrl(ver=0x20000, lpa=lpa, mdts=mdts), drive_json={"telemetry": t, "faults": list(faults)}, **pages)


def dump(*words, host):
    to = f"{host}/dump"
    r, trace = trace_of("telemetry", "nvme0", "--to", to, *words, "-o", "json", host=host)
    pages = [(c["cdw10"] >> 8 & 0xff, c["cdw12"] | c["cdw13"] << 32, c["data_len"]) for c in trace
             if c["opcode"] == 2 and c["cdw10"] & 0xff in (7, 8)]
    return r, pages, os.path.getsize(to) if os.path.exists(to) else None


def bug_36():
    blocks = 700 * 1000 * 1000 // 512
    for mdts, last in ((5, blocks), (1, 40000), (2, 9000)):
        host = telemetry([1, 2, 3, last], mdts=mdts)
        r, pages, size = dump("--area", 4, "--yes", host=host)
        most = 4096 << mdts
        body = [(at, n) for flags, at, n in pages if not flags & 1][1:-1]  # the header before and after
        tap.result(r.code == 0 and size == (last + 1) * 512 == r.drive["telemetry"]["size_bytes"] and all(n <= most and n % 512 == 0 for _, n in body)
                   and [at for at, _ in body] == list(range(0, size, most)), f"bug 36: {size} bytes, MDTS {mdts}: pieces of {most}", r.err, body[:3])
        with open(f"{host}/dump", "rb") as f:
            wrong = []
            for block in {1, last // 2, last - 1, last}:
                f.seek(block * 512)
                if b"block %010d\n" % block not in f.read(512):
                    wrong.append(block)
        os.unlink(f"{host}/dump")
        tap.equal(wrong, [], f"bug 36: MDTS {mdts}: every block in its place")
    # More than 32 bits of offset.
    host = telemetry([1, 2, 3, 2**32 - 2])
    at = 5 << 30
    r, trace = trace_of("log", "get", "nvme0", "telemetry-host", "--offset", at, "--length", 512, "--raw", "--to", f"{host}/part", host=host)
    c = [c for c in trace if c["opcode"] == 2][-1]
    with open(f"{host}/part", "rb") as f:
        tap.result(r.code == 0 and (c["cdw12"], c["cdw13"]) == (at & 0xffffffff, at >> 32) and b"block %010d\n" % (at // 512) in f.read(),
                   "bug 36: an offset of 5 GiB", r)


def bug_37():
    rng = random.Random(37)
    for n in range(40):
        last = [rng.choice((0, rng.randrange(60), rng.randrange(60))) for _ in range(4)]
        page = bytearray(512 * 64)
        page[0] = 7
        struct.pack_into("<HHH2xI", page, 8, *last)
        area = rng.randrange(1, 5)
        host = telemetry(lpa=0x4c, log_07=bytes(page))
        r, _, size = dump("--area", area, "--existing", host=host)
        wanted = last[:area]
        tap.result(r.code == 0 and size == (max(wanted) + 1) * 512 and ("ascend" in r.err) == (sorted(wanted) != wanted),
                   f"bug 37: last blocks {last}, area {area}: {(max(wanted) + 1)} blocks", r)
    r, pages, size = dump("--area", 4, "--yes", host=telemetry([1, 2, 3], lpa=0xc))
    tap.result(r.code == 7 and not pages and size is None, "bug 37: a drive without area 4: exit 7, nothing sent", r)
    # The page ends before the areas do: what is not there is no file.
    page = bytearray(512 * 4)
    page[0] = 7
    struct.pack_into("<HHH", page, 8, 65535, 65535, 65535)
    host = telemetry(log_07=bytes(page), faults=[{"opcode": 2, "lid": 7, "nth": 2, "count": 0, "short": 2048}])
    r, _, size = dump("--existing", host=host)
    tap.result(r.code == 1 and size is None and set(os.listdir(str(host))) == {"nvme0", "host.json"},
               "bug 37: areas that are longer than what the drive gives: exit 1, no file", r)


def bug_38():
    for words in (("--yes",), ("--controller",)):
        _, pages, size = dump(*words, host=telemetry([10, 40, 900], controller=[5, 9, 900], mdts=1))
        tap.result(size == 901 * 512 and len(pages) > 50 and all(flags & 0x80 for flags, _, _ in pages), f"bug 38: {words}: RAE on every piece", pages[:4])
    _, pages, size = dump("--controller", "--release", "--yes", host=telemetry(controller=[5, 9, 900], mdts=1))
    tap.result(size == 901 * 512 and all(flags & 0x80 for flags, _, _ in pages[:-1]) and pages[-1] == (0, 0, 512),
               "bug 38: --release: RAE clear on the last one alone, when the file is there", pages[-3:])
    for nth in (2, 30):
        _, pages, size = dump("--controller", "--release", "--yes",
                              host=telemetry(controller=[5, 9, 900], mdts=1, faults=[{"opcode": 2, "lid": 8, "nth": nth, "status": "0x4006"}]))
        tap.result(size is None and all(flags & 0x80 for flags, _, _ in pages), f"bug 38: piece {nth} fails: the log is not dropped", pages[-2:])


# --- format ---

def fmt(host, *words, confirm=CONFIRM, drive="nvme0"):
    return traced("format", drive, *words, *confirm, host=host)


def bug_59():
    for text, formats, index in (("in the middle of seven", ((9, 0, 2), (9, 8, 2), (9, 16, 2), (12, 0, 0), (12, 8, 0), (12, 64, 0), (12, 128, 0)), 3),
                                 ("the last of seven", ((9, 0, 2),) * 6 + ((12, 0, 0),), 6), ("the only one", ((12, 0, 0),), 0),
                                 ("of two the faster", ((12, 0, 3), (9, 0, 0), (12, 0, 1)), 2),
                                 ("without metadata", ((12, 8, 0), (12, 0, 3)), 1)):
        host = media(namespaces={1: ns(formats=formats)})
        r, trace = fmt(host, "--block-size", 4096)
        tap.result(r.code == 0 and [c["cdw10"] for c in changing(trace)] == [index] and identify(host)[0] == index, f"bug 59: 4096 is {text}: {index}", r)
        shown = run("show", "nvme0", "-o", "json", host=host).drive["namespaces"][0]["lba_formats"]
        tap.equal([f["index"] for f in shown], list(range(len(formats))), f"bug 59: show has all of them, {text}")
    r, trace = fmt(media(namespaces={1: ns(formats=((9, 0, 0), (12, 8, 0)))}), "--block-size", 4096)
    tap.result(r.code == 7 and not changing(trace) and "4096+8" in error(r)["message"] and "512" in error(r)["message"],
               "bug 59: 4096 with metadata only: exit 7, what there is is named", r)
    r, trace = fmt(media(namespaces={1: ns(formats=((9, 0, 0), (12, 0, 0)))}), "--lba-format", 2)
    tap.result(r.code == 7 and not changing(trace), "bug 59: one beyond NLBAF: exit 7", r)
    r, trace = fmt(media(), "--lba-format", 255)
    tap.result(r.code == 2 and not changing(trace), "bug 59: 255 is no marker for anything: usage", r)


def bug_60():
    stale = {"namespaces": {"1": {"size_bytes": 30640 * 10**9 // 512 * 512, "block_bytes": 512}}}
    host = media(namespaces={1: ns(flbas=3, nsze=3830 * 10**9 // 4096)}, drive_json=stale)
    size = 3830 * 10**9 // 4096 * 4096
    d = run("show", "nvme0", "-o", "json", host=host).drive
    tap.equal((d["size_bytes"], d["namespaces"][0]["size_bytes"], d["namespaces"][0]["block_bytes"]), (size, size, 4096),
              "bug 60: Identify Namespace decides: 3.83 TB in blocks of 4096")
    tap.result(len(d["notes"]) == 1 and all(w in d["notes"][0] for w in ("nvme0n1", "rescan needed", str(size), "blocks of 512", "blocks of 4096")),
               "bug 60: this host shows it otherwise: rescan needed", d["notes"])
    tap.result("rescan needed" in run("show", "nvme0", host=host).out, "bug 60: in text, too")
    tap.equal(run("show", "nvme0", "-o", "json", host=media(namespaces={1: ns(flbas=3)})).drive["notes"], [], "bug 60: no note when they agree")
    r = run("rescan", "nvme0", "-o", "json", host=host)
    tap.result(r.code == 1 and error(r)["code"] == "unverified" and str(size) in error(r)["message"], "bug 60: rescan says what stays", r)
    host = media(drive_json={"namespaces": {"1": {"size_bytes": BLOCKS * 512, "block_bytes": 512}}})
    r, _ = fmt(host, "--block-size", 4096)
    after = r.drive["format"]["scope"][0]["after"]
    tap.result(r.code == 0 and r.drive["format"]["host_refresh"] == "failed" and (after["size_bytes"], after["block_bytes"]) == (BLOCKS * 512, 4096)
               and "rescan" in r.err, "bug 60: after a format the drive's result and the host's are told apart", r)


def bug_62():
    for status in ("0x10a", "0x210a", "0x410a"):
        r, trace = fmt(media(drive_json=fault(opcode="0x80", status=status)), "--erase", "user-data")
        status_doc = error(r)["nvme_status"]
        tap.result(r.code == 1 and len(changing(trace)) == 1 and "unknown" not in r.out.lower() and status_doc["name"] == "Invalid Format"
                   and (status_doc["value"], status_doc["type"], status_doc["code"]) == (int(status, 16), 1, 0x0a)
                   and "erase" in error(r)["message"] and "protection" in error(r)["message"] and "--erase" in error(r)["hint"],
                   f"bug 62: {status}: named, with what to try", r)


def bug_63():
    # The kernel gets an hour at least, whatever --timeout says, which is about us.
    host = media(drive_json=fault(opcode="0x80", delay_ms=2500))
    r, trace = fmt(host, "--block-size", 4096, "--timeout", 1)
    tap.result(r.code == 1 and error(r)["code"] == "timeout" and "goes on in the drive" in error(r)["message"] and r.drive["format"]["result"] is None,
               "bug 63: longer than --timeout: not failed, not done", r)
    for _ in range(300):
        if identify(host)[0] == 3:
            break
        time.sleep(0.1)
    r = run("format", "nvme0", "--dry-run", "-o", "json", host=host)
    tap.result(r.drive["format"]["scope"][0]["before"]["lba_format"] == 3 and r.drive["format"]["timeout_seconds"] >= 3600, "bug 63: and it is carried out", r)
    r, trace = fmt(media(), "--block-size", 4096)
    tap.result(all(c["timeout_ms"] >= 3600000 for c in changing(trace)), "bug 63: an hour at least for the kernel", trace)
    host = media(namespaces={1: ns(fpi=0x80)}, drive_json={"format": {"busy_polls": 8}})
    r, trace = fmt(host, "--block-size", 4096)
    after = [c["opcode"] for c in trace][[c["opcode"] for c in trace].index(0x80):]
    tap.result(r.code == 0 and r.drive["format"]["result"] == "formatted" and after.count(0x06) >= 8 and after.count(0x80) == 1,
               "bug 63: FPI counts down: asked until it is 0", r, after)
    for effect, code, result in (("lost", 0, "formatted"), ("errno", 1, "failed")):
        r, trace = fmt(media(drive_json=fault(opcode="0x80", **{effect: "EINTR"})), "--block-size", 4096)
        tap.result(r.code == code and r.drive["format"]["result"] == result and len(changing(trace)) == 1, f"bug 63: {effect} EINTR: asked, never sent again", r)


def bug_64():
    for use, said in (({"mounts": ["/srv"]}, "mounted on /srv"), ({"mounts": ["/", "/boot"]}, "mounted on /"), ({"holders": ["md0"]}, "part of md0"),
                      ({"holders": ["dm-0"]}, "part of dm-0")):
        for options in ((), ("--force",), ("--force", "--yes")):
            r, trace = fmt(media(drive_json={"namespaces": {"1": use}}), "--block-size", 4096, *options)
            tap.result(r.code == 4 and not changing(trace) and said in error(r)["message"] and error(r)["hint"], f"bug 64: {said} {options}: refused before", r)
    r, trace = fmt(media(drive_json=fault(opcode="0x80", status="0x0007")))
    tap.result(r.code == 1 and "in use" in error(r)["message"], "bug 64: status 7 of a drive that knows better: said in words", r)


def bug_65():
    reads = {"io": True, "opcode": 2, "count": 0}
    for status, name in (("0x0281", "Unrecovered Read Error"), ("0x4281", "Unrecovered Read Error"), ("0x0286", "Access Denied"), ("0x4006", "Internal Error")):
        r, trace = fmt(media(drive_json=fault(**reads, status=status)), "--block-size", 4096)
        tap.result(r.code == 1 and error(r)["code"] == "unverified" and name in error(r)["message"] and "block 0 of namespace 1" in error(r)["message"]
                   and r.drive["format"]["result"] == "formatted" and r.drive["format"]["scope"][0]["first_block_readable"] is False
                   and "do not use" in error(r)["hint"] and len(changing(trace)) == 1, f"bug 65: every read gives {status} after the format: said", r)
    r, trace = fmt(media(), "--block-size", 4096)
    read = trace[-1]
    tap.result(r.code == 0 and r.drive["format"]["scope"][0]["first_block_readable"] is True
               and (read["opcode"], read["nsid"], read["cdw10"], read["cdw11"], read["cdw12"], read["data_len"]) == (2, 1, 0, 0, 0, 4096),
               "bug 65: one block of the new size is read", r, read)
    for text, how in (("not written yet (87h)", {"status": "0x0287"}),):
        r, _ = fmt(media(drive_json=fault(**reads, **how)))
        tap.result(r.code == 0 and r.drive["format"]["scope"][0]["first_block_readable"] is True, f"bug 65: {text} is well", r)
    for text, how in (("an answer that is lost", {"errno": "EIO"}), ("a command that the host gave up", {"status": "0x0371"})):
        r, _ = fmt(media(drive_json=fault(**reads, **how)))
        tap.result(r.code == 0 and r.drive["format"]["scope"][0]["first_block_readable"] is None, f"bug 65: {text} says nothing about the drive", r)
    r, trace = fmt(media(), "--lba-format", 4)
    tap.result(r.code == 0 and r.drive["format"]["scope"][0]["first_block_readable"] is None, "bug 65: a format with metadata is not read", r)
    host = media(fna=12, namespaces={1: ns(), 2: ns()}, drive_json=fault(**reads, nsid=2, status="0x0281"))
    r, _ = fmt(host, "--all-namespaces")
    tap.result(r.code == 1 and [s["first_block_readable"] for s in r.drive["format"]["scope"]] == [True, False] and "namespace 2" in error(r)["message"],
               "bug 65: the second of two", r)


# --- which drive ---

def swapped():
    """nvme3n1 is a namespace of nvme0, and nvme0n1 one of nvme3: the kernel numbers nodes by subsystem."""
    host = media(serial="SERIALA", drive_json={"namespaces": {"1": {"device": "nvme3n1", "generic": "ng3n1"}}})
    return media(name="nvme3", serial="SERIALB", host=host, drive_json={"namespaces": {"1": {"device": "nvme0n1", "generic": "ng0n1"}}})


def bug_67():
    for word, name, serial in (("nvme3n1", "nvme0", "SERIALA"), ("/dev/ng3n1", "nvme0", "SERIALA"), ("nvme0n1", "nvme3", "SERIALB"), ("nvme0", "nvme0", "SERIALA"),
                               ("nvme3", "nvme3", "SERIALB"), ("SERIALA", "nvme0", "SERIALA")):
        other = "SERIALB" if serial == "SERIALA" else "SERIALA"
        r, trace = fmt(swapped(), "--block-size", 4096, drive=word, confirm=("--confirm", other))
        tap.result(r.code == 4 and not changing(trace) and serial in error(r)["message"] and other in error(r)["message"],
                   f"bug 67: {word} is of {name}: the other's serial number is refused, both are said", r)
        host = swapped()
        r, trace = fmt(host, "--block-size", 4096, drive=word, confirm=("--confirm", serial))
        tap.result(r.code == 0 and {c["device"] for c in changing(trace)} == {name}
                   and (identify(host, name="nvme0")[0], identify(host, name="nvme3")[0]) == ((3, 0) if name == "nvme0" else (0, 3)),
                   f"bug 67: {word}: that drive and no other is formatted", r)
    t = Terminal("format", "nvme3n1", "--block-size", "4096", host=swapped(), asks=SERIAL_QUESTION)
    asked = t.question()
    t.type(b"SERIALB\n")
    t.end()
    tap.result(asked and t.code == 4 and all(w in t.seen for w in ("nvme3n1 is a namespace of nvme0", "nvme3 is another drive", "SERIALA", "SERIALB")),
               "bug 67: the question warns, with both serial numbers; the wrong one is refused", t)
    t = Terminal("format", "nvme0n1", "--block-size", "4096", host=media(), asks=SERIAL_QUESTION)
    t.question()
    t.type(b"\n")
    tap.result("another drive" not in t.end().seen, "bug 67: no warning where the numbers are the same", t)


def bug_68():
    host = media(cmic=2, oacs=0x6)
    media(cmic=2, oacs=0x6, name="nvme1", cntlid=1, host=host)
    image = os.path.join(TMP, "fw68.bin")
    run("sim", "image", "--model", "INTEL SSDPEDMD020T4", "--revision", "8DV10171", "--size", 8192, "--out", image)
    for words in (("--all",), (SERIAL,), ("nvme0", "nvme1")):
        r, trace = traced("fw", "update", *words, "--image", image, "--dry-run", host=host)
        tap.equal((r.code, len([d for d in r.json["drives"] if d["fw"]["result"] == "dry_run"])), (0, 1), f"bug 68: {words}: one drive, one plan")
    r, trace = traced("fw", "update", "--all", "--image", image, "--yes", host=host)
    loads = [c for c in trace if c["opcode"] == 0x11]
    tap.result(r.code == 5 and len({c["device"] for c in loads}) == 1 and [c["cdw11"] for c in loads] == sorted({c["cdw11"] for c in loads})
               and len([c for c in trace if c["opcode"] == 0x10]) == 1, "bug 68: firmware is loaded once into a drive of two controllers", r, loads)
    host = media(cmic=2, drive_json={"namespaces": {"1": {"device": "nvme0n1"}}})
    media(cmic=2, name="nvme1", cntlid=1, host=host, drive_json={"namespaces": {"1": {"device": "nvme0n1", "mounts": ["/data"]}}})
    r, trace = fmt(host, "--force", drive="nvme0n1")
    tap.result(r.code == 4 and "/data" in error(r)["message"] and not changing(trace), "bug 68: in use through the other controller", r)


# --- namespaces and capacity ---

def bug_70():
    for ver, refused in ((0, (2, 0x10)), (0x10000, (2, 0x10)), (0x10100, (0x10,)), (0x10400, (2, 0x10))):
        host = media(ver=ver, namespaces={1: ns(), 5: ns()}, drive_json={"faults": [{"opcode": 6, "cns": c, "count": 0, "status": "0x4002"} for c in refused]})
        r, trace = fmt(host, "--block-size", 4096, "--nsid", 5)
        tap.result(r.code == 0 and [c["nsid"] for c in changing(trace)] == [5] and (identify(host, 1)[0], identify(host, 5)[0]) == (0, 3),
                   f"bug 70: VER {ver:#x}, CNS {refused} refused, namespaces 1 and 5: number 5 is formatted", r)
        r, trace = fmt(host, "--block-size", 4096)
        tap.result(r.code == 4 and not changing(trace), f"bug 70: VER {ver:#x}: the controller of two needs more words", r)
        r = run("namespace", "list", "nvme0", "-o", "json", host=host)
        tap.result([n["nsid"] for n in (r.drive["namespace"] or {"namespaces": []})["namespaces"]] == [1, 5], f"bug 70: VER {ver:#x}: namespace list has 1 and 5", r)


def bug_71():
    for words in (("show", "nvme0"), ("identify", "nvme0n1"), ("namespace", "list", "nvme0"), ("list",)):
        text = run(*words, "-o", "json", host=media()).out
        tap.result('"0000000000000000"' not in text and "00000000000000000000000000000000" not in text, f"bug 71: {words[0]}: identifiers of zeros are null")


def bug_72():
    """Deleted and made anew: not a block is lost, and both numbers are said."""
    host = ns_lib.drive(unallocated=0)
    total = 16384
    before = ns_lib.truth(host).sizes[1]
    r = run("provision", "nvme0", "--native", "--confirm", ns_lib.SERIAL, "-o", "json", host=host)
    tap.result(r.code == 0 and ns_lib.truth(host).sizes == {1: before} and r.drive["provision"]["before_blocks"] == before, "bug 72: --native of a whole drive", r)
    run("namespace", "delete", "nvme0n1", "--confirm", ns_lib.SERIAL, host=host)
    r = run("namespace", "create", "nvme0", "--largest", "--block-size", 512, "--attach", "--yes", "-o", "json", host=host)
    tap.result(r.code == 0 and ns_lib.truth(host).sizes == {1: total} and ns_lib.truth(host).unallocated == 0, "bug 72: made anew of all there is: as large as before", r)
    host = ns_lib.drive(unallocated=0, granularity=1 << 20)
    run("namespace", "delete", "nvme0n1", "--confirm", ns_lib.SERIAL, host=host)
    r = run("namespace", "create", "nvme0", "--size", "3000001", "--block-size", 512, "--attach", "--yes", "-o", "json", host=host)
    d = r.drive["namespace"]
    tap.result(r.code == 0 and ns_lib.truth(host).sizes[1] * 512 >= 3000001 and any("3000001" in n for n in d["notes"] or []),
               "bug 72: a size that is rounded is rounded up, and both numbers are said", r)


BUGS = (bug_33, bug_34, bug_35, bug_36, bug_37, bug_38, bug_59, bug_60, bug_62, bug_63, bug_64, bug_65, bug_67, bug_68, bug_70, bug_71, bug_72)
for bug in BUGS:
    bug()
sys.exit(tap.end())
