#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is broken, short or refused: files of a host directory, pages that end early, statuses of every kind.

Offsets, names of statuses and their numbers are the specification's (NVM Express Base Specification 2.0c, figures 94 to 101,
207, 275; NVM Command Set 1.0c, figure 97). What lies beyond the bytes that arrived is null, never an invented zero; what
lies beyond a file reads as zero (CONTRACT section 6).
"""
import json
import os
import random
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import FEATURES, TMP, Host, Tap, error_entry, error_log, id_ctrl, id_ns, run, slot_log  # noqa: E402

tap = Tap()
COMMANDS = [["list"], ["list", "--health"], ["show", "nvme0"], ["smart", "nvme0"], ["errors", "nvme0"], ["check", "--allow-simulated"],
            ["identify", "nvme0"], ["identify", "nvme0", "ns", "--nsid", "1"], ["log", "list", "nvme0"], ["log", "get", "nvme0", "smart"],
            ["log", "get", "nvme0", "3"], ["capture", "nvme0", "--to", None]]
counter = 0


def every_command(host, name, codes, error=None):
    """Every command ends with an object and one of these codes; never by a signal, never with an internal error."""
    global counter
    bad = []
    for words in COMMANDS:
        counter += 1
        words = [w or os.path.join(TMP, f"capture{counter}") for w in words]
        r = run(*words, "-o", "json", host=host, timeout=20)
        try:
            got = (r.json["error"] or {}).get("code")
            allowed = codes(words) if callable(codes) else codes
            if r.code not in allowed or got == "internal" or (r.code in (8, 3) and error and got not in error):
                bad.append(f"{' '.join(words)}: {r}")
        except (ValueError, AssertionError) as wrong:
            bad.append(f"{' '.join(words)}: {wrong!r} {r}")
        text = run(*[os.path.join(TMP, f"capture{counter}t") if "/capture" in w else w for w in words], host=host, timeout=20)
        if text.code != r.code or (text.code not in (0, 2, 3) and not text.err):
            bad.append(f"{' '.join(words)}, text: {text}")
    tap.result(not bad, name, *bad[:2])


# --- id-ctrl.bin ---

GOOD = id_ctrl(wctemp=343, cctemp=353)
for length in (0, 1, 3, 23, 24, 63, 64, 71, 72, 77, 261, 262, 267, 516, 519, 4095):
    host = Host().drive(id_ctrl=GOOD[:length])
    every_command(host, f"id-ctrl.bin of {length} bytes: every command", {0, 2} if length < 72 else {0})
    d = run("list", "-o", "json", host=host).drive
    padded = GOOD[:length].ljust(4096, b"\0")
    texts = [padded[a:a + n].split(b"\0")[0].decode().strip() or None for a, n in ((4, 20), (24, 40), (64, 8))]
    tap.equal([d["serial"], d["model"], d["firmware"]], texts, f"id-ctrl.bin of {length} bytes: what is there is shown")
    tap.result(str(length) in d["note"] and "id-ctrl.bin" in d["note"], f"id-ctrl.bin of {length} bytes: a note says so", d["note"])
host = Host().drive(id_ctrl=GOOD + b"more" * 100)
every_command(host, "id-ctrl.bin with something behind it: every command", {0})


def as_directory(path):
    os.mkdir(path)


def as_link(path):
    os.symlink("nowhere", path)


def as_loop(path):
    os.symlink(os.path.basename(path), path)


def listing(words):
    """Exit codes when nvme0 cannot be opened: sysfs alone is fine, check is 3, else a bad input file."""
    return {0} if words[0] == "list" and "--health" not in words else {3} if words[0] == "check" else {8}


KINDS = (("a directory", as_directory), ("a FIFO", os.mkfifo), ("a link to nothing", as_link), ("a link to itself", as_loop))
for kind, make in KINDS:
    host = Host().drive(id_ctrl=None)
    make(f"{host.path}/nvme0/id-ctrl.bin")
    every_command(host, f"id-ctrl.bin is {kind}: every command", listing, {"bad_input"})
    r = run("list", "-o", "json", host=host)
    tap.result("id-ctrl.bin cannot be read" in (r.drive["note"] or "") and r.drive["model"] is None, f"id-ctrl.bin is {kind}: listed with a note", r)
    host.drive("nvme1").drive("nvme2")
    for words, code in ((["list", "--health"], 6), (["smart", "--all"], 6), (["show", "--all"], 6), (["check"], 3)):
        r = run(*words, "-o", "json", host=host)
        tap.equal([r.code, [d["ok"] for d in r.json["drives"]]], [code, [False, True, True]], f"id-ctrl.bin is {kind}: the other drives, {' '.join(words)}")

# --- other pages ---

for kind, make in KINDS:
    for page in ("log-01.bin", "log-02.bin", "log-03.bin", "log-ca.bin", "id-ns-1.bin"):
        host = Host().drive(**{page[:-4].replace("-", "_"): None})
        make(f"{host.path}/nvme0/{page}")
        every_command(host, f"{page} is {kind}: every command", {0, 1, 3, 8})
        r = run("show", "nvme0", "-o", "json", host=host)
        tap.result(r.code == 0 and r.drive["controller"]["pci_vendor_id"] == 0x8086, f"{page} is {kind}: show shows the rest", r)
        if page == "log-02.bin":
            r = run("smart", "nvme0", "-o", "json", host=host)
            tap.result(r.code in (1, 8) and r.drive["smart"] is None, f"{page} is {kind}: no invented SMART log", r)
            r = run("check", "-o", "json", host=host)
            tap.equal([r.code, r.drive["status"]], [3, "unknown"], f"{page} is {kind}: check: unknown")
for length in (0, 1, 8, 25, 26, 128, 131, 4095):
    page = id_ns()[:length]
    host = Host().drive(id_ns_1=page)
    every_command(host, f"id-ns-1.bin of {length} bytes: every command", {0})
    n = run("list", "-o", "json", host=host).drive["namespaces"][0]
    expected = [1, 2000398934016, 512] if length > 130 else [1, 0, None]
    tap.equal([n["nsid"], n["size_bytes"], n["block_bytes"]], expected, f"id-ns-1.bin of {length} bytes: size and block")
rng = random.Random(4)
for i in range(12):
    noise = {p: rng.randbytes(rng.choice((4096, 512, 100))) for p in ("id_ctrl", "id_ns_1", "log_01", "log_02", "log_03", "log_ca", "log_dd", "log_c0")}
    every_command(Host().drive(**noise), f"noise {i}: every command", {0, 1, 2, 3, 7, 8})

# --- drive.json, host.json, names ---

BAD_JSON = ("", "[]", "{", "null", "1", '{"a": 1} x', '{"faults": {}}', '{"faults": [5]}', '{"faults": [{"opcode": 2}]}',
            '{"faults": [{"status": "0x8000"}]}', '{"faults": [{"errno": "EWHAT"}]}', '{"faults": [{"nth": 0, "status": 2}]}',
            '{"faults": [{"opcode": 256, "status": 2}]}', '{"features": []}', '{"features": {"0x100": 1}}', '{"features": {"x": 1}}',
            '{"features": {"0x04": "hot"}}', '{"latency_us": -1}', '{"latency_us": "soon"}', '{"a": 1, "a": 2}', b"\0\xff", b"\xff\xfe{\0}\0",
            '{"sysfs": []}', '{"sysfs": {"address": []}}', '{"sysfs": {"numa_node": true}}', '{"sysfs": {"state": null}}',
            '{"namespaces": []}', '{"namespaces": {"1": 5}}', '{"namespaces": {"1": {"device": 1}}}',
            '{"namespaces": {"1": {"generic": []}}}', '{"namespaces": {"1": {"size_bytes": "4 TB"}}}',
            '{"namespaces": {"1": {"block_bytes": -1}}}', '{"clear_on_read": ["0xc1"]}',
            '{"a":' * 3000 + "1" + "}" * 3000, '"' + "x" * 2_000_000 + '"')
for text in BAD_JSON:
    name = repr(text if len(text) < 60 else text[:20] + "...")
    host = Host().drive("nvme0", drive_json=text or b"").drive("nvme1")
    for words in (["smart", "nvme0"], ["show", "nvme0"], ["log", "get", "nvme0", "3"]):
        r = run(*words, "-o", "json", host=host)
        tap.result(r.code == 8 and r.drive["error"]["code"] == "bad_input" and "drive.json" in r.drive["error"]["message"],
                   f"drive.json {name}: {words[0]}: exit 8, the file is named", r)
    r = run("list", "-o", "json", host=host)
    tap.result(r.code == 0 and [d["model"] for d in r.json["drives"]] == ["INTEL SSDPEDMD020T4"] * 2, f"drive.json {name}: listed", r)
    r = run("smart", "--all", "-o", "json", host=host)
    tap.equal([r.code, [d["ok"] for d in r.json["drives"]]], [6, [False, True]], f"drive.json {name}: the other drive answers")
host = Host().drive("nvme0", drive_json='{\n "features": {"0x04": 1},\n "oops\n}')
tap.result("line 3" in run("smart", "nvme0", host=host).err, "drive.json: the line is named")
host = Host().drive("nvme0", drive_json=None)
os.unlink(f"{host.path}/nvme0/drive.json")
every_command(host, "no drive.json: every command", {0})

for text in ("", "[]", "{", '{"format": "ssdct-host/2", "mode": "recorded"}', '{"mode": "recorded"}', '{"format": "ssdct-host/1"}',
             '{"format": "ssdct-host/1", "mode": "real"}', '{"format": 1, "mode": 2}', b"\xff", None):
    host = Host().drive()
    if text is None:
        os.mkdir(f"{host.path}/host.json")
    else:
        host.write("host.json", text)
    every_command(host, f"host.json {text!r}: every command refuses", lambda words: {3} if words[0] == "check" else {8}, {"bad_input"})
    r = run("list", host=host)
    tap.result(not r.out and "host.json" in r.err, f"host.json {text!r}: nothing on stdout, the file is named", r)
host = Host().drive()
host.write("host.json", json.dumps({"format": "ssdct-host/1", "mode": "recorded", "extra": [1]}))
every_command(host, "host.json with a member that nobody knows: fine", {0})

host = Host().drive("nvme0")
host.write("nvme1", b"a file")
host.write("nvme-subsys0/id-ctrl.bin", GOOD)
host.write("nvme0n1/id-ctrl.bin", GOOD)
host.write("nvmeX/id-ctrl.bin", GOOD)
host.write("sda/id-ctrl.bin", GOOD)
os.mkdir(f"{host.path}/nvme2")
os.symlink("nowhere", f"{host.path}/nvme3")
for junk in ("id-ns-0.bin", "id-ns-x.bin", "id-ns-.bin", "id-ns-99999999999.bin", "log-.bin", "log-xyz.bin", "log-02.bin~", "README", "log-02-n1-n2.bin"):
    host.write(f"nvme0/{junk}", b"\xff" * 512)
r = run("list", "-o", "json", host=host)
tap.equal([r.code, [(d["device"], [n["nsid"] for n in d["namespaces"]]) for d in r.json["drives"]]], [0, [("nvme0", [1])]],
          "what is no controller's directory, and no page, is passed over")
tap.equal(run("smart", "nvme0", "-o", "json", host=host).drive["smart"]["temperature_celsius"], 38, "... and read over")
for text in ("", "[]", "{", b"\xff"):
    host = Host(simulated=True).drive(drive_json={"faults": [{"opcode": 2, "lid": 1, "delay_ms": 1, "nth": 2}]})
    host.write("nvme0/state.json", text)
    every_command(host, f"state.json {text!r}: every command that opens the drive", listing)
    r = run("smart", "nvme0", host=host)
    tap.result("nvme0/state.json" in r.err, f"state.json {text!r}: the file is named", r)
    r = run("sim", "fault", "nvme0", "--clear", host=host)
    tap.result(r.code == 8 and "nvme0/state.json" in r.err, f"state.json {text!r}: sim fault --clear, too", r)
    with open(f"{host.path}/nvme0/state.json", "rb") as f:
        tap.equal(f.read(), text if isinstance(text, bytes) else text.encode(), f"state.json {text!r}: stays as it is")
    os.unlink(f"{host.path}/nvme0/state.json")
    tap.equal(run("smart", "nvme0", host=host).code, 0, f"state.json {text!r}: removed, the drive starts afresh")

# --- SMART logs of every length, as a drive that returns fewer bytes ---

RNG = random.Random(2)
PAGE = bytearray(RNG.randrange(1, 256) for _ in range(512))
struct.pack_into("<H", PAGE, 1, 311)
for i in range(8):
    struct.pack_into("<H", PAGE, 200 + 2 * i, 290 + i)
FIELDS = {"available_spare_percent": (3, 1), "available_spare_threshold_percent": (4, 1), "percentage_used": (5, 1),
          "data_units_read": (32, 16), "data_units_written": (48, 16), "host_read_commands": (64, 16), "host_write_commands": (80, 16),
          "controller_busy_minutes": (96, 16), "power_cycles": (112, 16), "power_on_hours": (128, 16), "unsafe_shutdowns": (144, 16),
          "media_errors": (160, 16), "error_log_entries": (176, 16), "warning_temperature_minutes": (192, 4),
          "critical_temperature_minutes": (196, 4), "tmt1_transition_count": (216, 4), "tmt2_transition_count": (220, 4),
          "tmt1_seconds": (224, 4), "tmt2_seconds": (228, 4)}


def expected_smart(length):
    """What `length` bytes of PAGE say."""
    want = {}
    for key, (at, width) in FIELDS.items():
        value = int.from_bytes(PAGE[at:at + width], "little") if at + width <= length else None
        want[key + "_str" if width == 16 else key] = str(value) if width == 16 and value is not None else value
    want["temperature_celsius"] = 38 if length >= 3 else None
    want["critical_warning"] = PAGE[0] if length >= 1 else None
    want["sensors"] = [(i + 1, 17 + i) for i in range(8) if 202 + 2 * i <= length]
    return want


def got_smart(page):
    got = {key: page[key] for key in expected_smart(0) if key not in ("critical_warning", "sensors")}
    got["critical_warning"] = page["critical_warning"] and page["critical_warning"]["value"]
    got["sensors"] = [(s["sensor"], s["celsius"]) for s in page["temperature_sensors"] or []]
    return got


# No Intel drive: the vendor's log, which this one lacks, would be asked for, and the refusal counted in the page.
short = Host(simulated=True).drive(id_ctrl=id_ctrl(model="Example 1TB", vid=0x1d1d, ssvid=0x1d1d), log_02=bytes(PAGE))
for length in range(513):
    short.write("nvme0/drive.json", json.dumps({"features": FEATURES, "faults": [{"opcode": 2, "lid": 2, "short": length, "count": 0}]}))
    r = run("log", "get", "nvme0", "smart", "-o", "json", host=short)
    if not length:
        tap.result(r.code == 1 and r.drive["error"]["code"] == "no_data" and r.drive.get("smart") is None, "SMART log of 0 bytes: no data", r)
        continue
    got, want = got_smart(r.drive["smart"]), expected_smart(length)
    tap.result(r.code == 0 and got == want, f"SMART log of {length} bytes, log get: what arrived, null for the rest",
               {k: (got[k], want[k]) for k in want if got[k] != want[k]})
    # Fewer than eight bytes that were not written may be chance; they are reserved.
    if length <= 504 and (length % 37 == 1 or length < 8 or length > 500):
        r = run("smart", "nvme0", "-o", "json", host=short)
        tap.result(r.code == 1 and r.drive["ok"] is False and r.drive["error"]["code"] == "no_data" and r.drive["smart"] is None and
                   f"{length} of 512" in r.drive["error"]["message"], f"SMART log of {length} bytes, smart: half a page is no answer", r)
        every_command(short, f"SMART log of {length} bytes: every command", {0, 1, 2, 3})
for length in (0, 1, 2, 3, 5, 6, 100, 192, 511):
    r = run("smart", "nvme0", "-o", "json", host=Host().drive(log_02=bytes(PAGE[:length])))
    page = PAGE[:length] + bytes(512 - length)
    want = {k: int.from_bytes(page[at:at + width], "little") for k, (at, width) in FIELDS.items() if width < 16}
    tap.equal([r.code, {k: r.drive["smart"][k] for k in want}], [0, want], f"log-02.bin of {length} bytes: zero beyond the file")

# --- the other pages, short and untouched ---

for length in (1, 2, 23, 63, 72, 79, 100, 260, 262, 268, 516, 519, 600, 4095):
    host = Host(simulated=True).drive(id_ctrl=GOOD, drive_json={"faults": [{"opcode": 6, "cns": 1, "short": length, "count": 0}]})
    every_command(host, f"Identify Controller of {length} bytes: every command", {0, 1, 2, 3, 7})
    d = run("identify", "nvme0", "-o", "json", host=host).drive["id_ctrl"]
    want = [0x8086 if length >= 2 else None, "INTEL SSDPEDMD020T4" if length >= 64 else None, 63 if length >= 263 else None,
            70 if length >= 268 else None, 1 if length >= 520 else None]
    tap.equal([d["vid"], d["mn"], d["elpe"], d["wctemp_celsius"], d["nn"]], want, f"Identify Controller of {length} bytes: null beyond")
for length in (1, 8, 24, 26, 27, 128, 130, 132, 4095):
    host = Host(simulated=True).drive(drive_json={"faults": [{"opcode": 6, "cns": 0, "short": length, "count": 0}]})
    every_command(host, f"Identify Namespace of {length} bytes: every command", {0, 1, 2, 3})
    d = run("identify", "nvme0n1", "-o", "json", host=host).drive["id_ns"]
    want = [3907029168 if length >= 8 else None, 1 if length >= 26 else None, 512 if length >= 132 else None]
    tap.equal([d["nsze"], d["nlbaf"], d["block_bytes"]], want, f"Identify Namespace of {length} bytes: null beyond")
LOG = error_log(error_entry(0x1111111111111111, 0x2281, sqid=0x0101, cmdid=0x0202, location=0x0303, lba=0x0404040404040404, nsid=0x05050505),
                error_entry(0x0606060606060606, 0x4002, location=0x0707))
for length in (1, 7, 8, 9, 10, 12, 13, 14, 16, 24, 28, 40, 42, 64, 70, 72, 78, 128):
    host = Host(simulated=True).drive(log_01=LOG, drive_json={"faults": [{"opcode": 2, "lid": 1, "short": length, "count": 0}]})
    r = run("errors", "nvme0", "-o", "json", host=host)
    e = (r.drive["error_log"]["entries"] + [None])[0]
    want = None if length < 8 else [0x1111111111111111, 0x0101 if length >= 10 else None, 0x2281 if length >= 14 else None,
                                    0x0404040404040404 if length >= 24 else None, 0x05050505 if length >= 28 else None]
    got = e and [e["error_count"], e["sqid"], e["status"] and e["status"]["value"], e["lba"], e["nsid"]]
    tap.equal([r.code, got, len(r.drive["error_log"]["entries"])], [0, want, 0 if length < 8 else 2 if length >= 72 else 1],
              f"error log of {length} bytes: what arrived, null for the rest")
for length in (1, 8, 15, 16, 63, 64):
    host = Host(simulated=True).drive(id_ctrl=id_ctrl(frmw=0x0e), log_03=slot_log(2, 3, ["REVISION", "R2R2R2R2"]),
                                      drive_json={"faults": [{"opcode": 2, "lid": 3, "short": length, "count": 0}]})
    fw = run("log", "get", "nvme0", "3", "-o", "json", host=host).drive["fw"]
    want = [(n, {1: "REVISION", 2: "R2R2R2R2"}.get(n) if 8 + 8 * n <= length else None) for n in range(1, 8) if 8 * n < length]
    tap.equal([fw["running"], fw["next"], [(s["slot"], s["revision"]) for s in fw["slots"] or []]], [2, 3, want],
              f"slot log of {length} bytes: half a revision is none")
for rule, name in (({"opcode": 6, "cns": 0}, "Identify Namespace"), ({"opcode": 2, "lid": 1}, "the error log"), ({"opcode": 2, "lid": 3}, "the slot log"),
                   ({"opcode": 2, "lid": 0xca}, "Intel's log"), ({"opcode": 2}, "every log"), ({}, "everything")):
    host = Host(simulated=True).drive(log_ca=bytes(512), drive_json={"faults": [{**rule, "untouched": True, "count": 0}]})
    every_command(host, f"success without data from {name}: every command", {0, 1, 3})
    r = run("show", "nvme0", "-o", "json", host=host)
    lost = {"Identify Namespace": lambda d: d["namespaces"][0]["lba_formats"], "the slot log": lambda d: d["fw"],
            "every log": lambda d: d["smart"]}.get(name)
    tap.result(r.code == (1 if name == "everything" else 0) and (not lost or lost(r.drive) is None), f"success without data from {name}: null", r)

# --- statuses: as entries of the error log, and as answers ---

STATUSES = {0x001: "Invalid Command Opcode", 0x002: "Invalid Field in Command", 0x003: "Command ID Conflict", 0x004: "Data Transfer Error",
            0x005: "Commands Aborted due to Power Loss Notification", 0x006: "Internal Error", 0x007: "Command Abort Requested",
            0x00b: "Invalid Namespace or Format", 0x00c: "Command Sequence Error", 0x01c: "Sanitize Failed", 0x01d: "Sanitize In Progress",
            0x080: "LBA Out of Range", 0x081: "Capacity Exceeded", 0x082: "Namespace Not Ready", 0x084: "Format In Progress",
            0x106: "Invalid Firmware Slot", 0x107: "Invalid Firmware Image", 0x109: "Invalid Log Page", 0x10a: "Invalid Format",
            0x10b: "Firmware Activation Requires Conventional Reset", 0x110: "Firmware Activation Requires NVM Subsystem Reset",
            0x111: "Firmware Activation Requires Controller Level Reset", 0x114: "Overlapping Range", 0x280: "Write Fault",
            0x281: "Unrecovered Read Error", 0x282: "End-to-end Guard Check Error", 0x285: "Compare Failure", 0x286: "Access Denied",
            0x287: "Deallocated or Unwritten Logical Block", 0x303: "Asymmetric Access Transition", 0x370: "Host Pathing Error",
            0x371: "Command Aborted By Host"}
for flags, more, dnr in ((0, False, False), (0x2000, True, False), (0x4000, False, True), (0x6000, True, True)):
    items = list(STATUSES.items())
    log = error_log(*[error_entry(100 - i, code | flags) for i, (code, _) in enumerate(items)])
    entries = run("errors", "nvme0", "-o", "json", host=Host().drive(log_01=log)).drive["error_log"]["entries"]
    for (code, name), entry in zip(items, entries):
        s = entry["status"]
        want = [code | flags, f"0x{code | flags:04x}", code >> 8, code & 0xff, dnr, more]
        tap.result([s[k] for k in ("value", "hex", "type", "code", "do_not_retry", "more")] == want and s["name"].lower() == name.lower(),
                   f"errors: status {code | flags:#06x} is {name}", s)
    tap.equal(len(entries), len(items), f"errors: every status with flags {flags:#x}")
text = run("errors", "nvme0", host=Host().drive(log_01=error_log(*[error_entry(100 - i, c) for i, c in enumerate(STATUSES)]))).out
tap.result(all(name.lower() in text.lower() for name in STATUSES.values()), "errors: text says the names", text)
for code, name in STATUSES.items():
    host = Host(simulated=True).drive(drive_json={"faults": [{"opcode": 2, "lid": 2, "status": hex(code | 0x4000), "count": 0}]})
    r = run("smart", "nvme0", "-o", "json", host=host)
    error = r.drive["error"] or {}
    status = error.get("nvme_status") or {}
    tap.result(r.code == 1 and error.get("code") == "nvme_status" and error["errno"] is None and status["name"].lower() == name.lower() and
               [status[k] for k in ("value", "hex", "type", "code", "do_not_retry", "more")] ==
               [code | 0x4000, f"0x{code | 0x4000:04x}", code >> 8, code & 0xff, True, False], f"smart: status {code | 0x4000:#06x} is {name}", r)
for code, word in ((0x7ff, "vendor"), (0x7c0, "vendor"), (0x1c1, "vendor"), (0x0c5, "vendor"), (0x2f0, "vendor"), (0x07f, "unknown"), (0x17f, "unknown")):
    host = Host(simulated=True).drive(drive_json={"faults": [{"opcode": 2, "lid": 2, "status": hex(code), "count": 0}]})
    r = run("smart", "nvme0", "-o", "json", host=host)
    status = r.drive["error"]["nvme_status"]
    tap.result(r.code == 1 and status["value"] == code and word in status["name"].lower(), f"smart: status {code:#05x}: {word}", r)
for number, name in ((5, "EIO"), (12, "ENOMEM"), (22, "EINVAL"), (25, "ENOTTY"), (1, "EPERM"), (13, "EACCES")):
    host = Host(simulated=True).drive(drive_json={"faults": [{"opcode": 6, "errno": name, "count": 0}]})
    r = run("smart", "nvme0", "-o", "json", host=host)
    error = r.drive["error"]
    tap.result(r.code == (3 if name in ("EPERM", "EACCES") else 1) and error["errno"] == number and error["nvme_status"] is None and
               error["code"] == ("permission" if name in ("EPERM", "EACCES") else "kernel"), f"smart: {name} from the kernel", r)

sys.exit(tap.end())
