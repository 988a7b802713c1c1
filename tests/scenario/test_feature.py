#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Features on simulated drives: list, get, set with reading back, and what must never be set."""
import json
import os
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import SSDCT, TMP, Host, Tap, id_ctrl, run, trace_of, until_matched  # noqa: E402

tap = Tap()
SERIAL = "CVFT5152003M2P0EGN"
ONCS_SAVE, ONCS_TIMESTAMP = 1 << 4, 1 << 6


def value(current, default=0, saved=0, can=5):
    return {"current": current, "default": default, "saved": saved, "capabilities": can}


FEATURES = {"0x01": value(3), "0x02": value(0), "0x04": value(343, 343, 343), "0x04/0x00010000": value(348, 348, 348),
            "0x04/0x00100000": value(268, 268, 268), "0x05@1": value(0, can=7), "0x07": value(0x1d001d, can=4), "0x08": value(0),
            "0x09": value(0), "0x0a": value(0, can=0), "0x0b": value(0), "0x10": value(0), "0x84@1": value(0, can=6), "0x20": value(0),
            "0xc1": value(100), "0xc2": value(100), "0xc6": value(0), "0xe2": value(0), "0x0f": value(1000), "0x0d": value(0), "0x16": value(0), "0x1d": value(0), "0x85": value(0)}


def host(faults=(), ns=None, oncs=ONCS_SAVE | ONCS_TIMESTAMP, transport="pcie", **pages):
    drive = {"features": FEATURES, "faults": list(faults), "sysfs": {"transport": transport}}
    if ns:
        drive["namespaces"] = {"1": ns}
    h = Host(simulated=True)
    h.drive(id_ctrl=id_ctrl(serial=SERIAL, ver=0x10400, offset_520=oncs.to_bytes(2, "little"), offset_531=b"\1", offset_322=b"\1"),
            drive_json=drive, **pages)
    return h


def current(h, fid, *words):
    return run("feature", "get", "nvme0", fid, *words, "-o", "json", host=h).drive["feature"]["value"]


def sets(trace):
    return [t for t in trace if t["opcode"] == 9 and t["sent"]]


# Part of a feature's data: what is missing of them is not set to zero.
h = Host(simulated=True)
h.drive(id_ctrl=id_ctrl(serial=SERIAL, ver=0x10400, offset_265=b"\1"), feature_0c=bytes(range(256)),
        drive_json={"features": {"0x0c": 0}, "faults": [{"opcode": 0x0a, "fid": 0x0c, "short": 64}]})
r, trace = trace_of("feature", "set", "nvme0", "power-transitions", "on", "--yes", "-o", "json", host=h)
tap.result(r.code == 1 and r.drive["error"]["code"] == "no_data" and not sets(trace)
           and open(f"{h}/nvme0/feature-0c.bin", "rb").read() == bytes(range(256)), "data that came back short are not set", r)
# What is the controller's has no namespace, also when its only one is named: NSIDs of such features are refused since NVMe 1.2.
r, trace = trace_of("feature", "set", "nvme0n1", "temperature-threshold", "75", "--yes", "-o", "json", host=host())
tap.equal((r.code, [t["nsid"] for t in trace if t["opcode"] in (9, 10)]), (0, [0] * 4), "a controller's feature by a namespace's node")

# --- list ---
h = host()
r, trace = trace_of("feature", "list", "nvme0", "-o", "json", host=h)
rows = {f["name"]: f for f in r.drive["features"]}
tap.equal(r.code, 0, "list")
tap.equal((rows["temperature-threshold"]["current"], rows["temperature-threshold"]["current_text"]), (343, "Threshold 70 C"), "list decodes")
tap.equal(rows["number-of-queues"]["current_text"], "Submission queues, zero-based 29, Completion queues, zero-based 29",
          "where show says 30, 29 says what it is")
tap.equal([rows["arbitration"][k] for k in ("current", "default", "saved", "saveable")], [3, 0, 0, True], "list: all versions of a value")
tap.equal(rows["write-atomicity"]["saved"], None, "a feature that cannot be saved has no saved value")
tap.equal([n for n, f in rows.items() if f["class"] == "kernel"], ["number-of-queues", "async-events"], "the kernel's own are marked")
tap.equal((rows["write-protection"]["class"], rows["write-protection"]["nsid"]), ("destroys", 1), "write protection destroys, by namespace")
tap.result("volatile-write-cache" not in rows and "boot-count" not in rows, "what is not announced is not listed")
tap.equal([[n, f["current_text"], f["not_asked"]] for n, f in rows.items() if n in ("power-governor", "latency-tracking")],
          [["power-governor", "Mode 0, Limit 25 W", None], ["latency-tracking", "Enabled no", None]],
          "a vendor's features that the product line is known to have")
tap.result(all(rows[n]["current"] is None and rows[n]["refused"] is None and "--probe" in rows[n]["not_asked"] and rows[n]["vendor"] == "intel"
               for n in ("smbus-address", "led-pattern")) and "only be set" in rows["workload-reset"]["not_asked"],
           "the vendor's other features stand there with the reason why they were not asked for", rows)
tap.result(not {0xc8, 0xc9, 0xd5} & {t["cdw10"] & 0xff for t in trace if t["opcode"] == 10}, "and they were not", trace)
out = run("feature", "list", "nvme0", host=h).out
words = " ".join(out.split())
tap.result("not asked: nothing says" in words, "in text as well", out)
tap.result(max(map(len, out.splitlines()[1:])) <= 80, "text fits a terminal of 80 columns", out)
# Arbitration of 3 with a default of 0 (burst 8 and 1); the threshold of 343 K is the default, too. Section "Arbitration": 2^n commands.
arbitration = out[out.index("arbitration"):out.index("0x02")]
tap.result("Burst 8" in arbitration and "default: Burst 1" in arbitration and "saved: Burst 1" in arbitration, "text: default and saved values that differ", out)
tap.result("default" not in out[out.index("temperature-threshold"):out.index("0x05")], "text: those that do not are left out", out)
tap.equal(run("errors", "nvme0", "-o", "json", host=h).drive["error_log"]["entries"], [], "bug 26: list leaves the error log as it is")
tap.result(not [t for t in trace if t["status"]], "no question of list was refused")
r = run("feature", "list", "nvme0", "--probe", "-o", "json", host=h)
rows = {f["name"]: f for f in r.drive["features"]}
tap.result(r.code == 0 and rows["boot-count"]["refused"] and rows["boot-count"]["current"] is None, "--probe asks, and a refusal is a row", r)
r = run("feature", "list", "nvme0", host=host(oncs=0), timeout=20)
tap.equal(r.code, 0, "a drive without default and saved values")
r = run("feature", "list", "nvme0", "-o", "json", host=host(faults=[{"opcode": 10, "fid": 2, "count": 0, "errno": "ENODEV"}]))
tap.equal(r.code, 3, "a drive that goes away is no list of refusals")

# --- get ---
for words, got in ((("temperature-threshold",), 343), (("4",), 343), (("0x04",), 343), (("04h",), 343),
                   (("4", "--which", "sensor=1"), 348), (("4", "--which", "type=under"), 268), (("4", "--select", "default"), 343),
                   (("error-recovery",), 0), (("0x20",), 0)):
    tap.equal(current(h, *words), got, f"get {' '.join(words)}")
r = run("feature", "get", "nvme0", "4", "--which", "type=under", "-o", "json", host=h)
tap.equal(r.drive["temperature_threshold"]["threshold_celsius"], -5, "bug 21: a temperature below zero")
# Before NVMe 1.1 the bits that choose were reserved: a drive that ignores them would answer with the current value.
for word in ("default", "saved", "supported"):
    r, trace = trace_of("feature", "get", "nvme0", "4", "--select", word, "-o", "json", host=host(oncs=0))
    tap.result(r.code == 7 and r.drive["error"]["code"] == "unsupported" and "ONCS" in r.drive["error"]["message"]
               and not [t for t in trace if t["opcode"] == 10], f"get --select {word} of a drive that has none: not asked", r)
r = run("feature", "get", "nvme0", "0xa", "--select", "supported", "-o", "json", host=h).drive["feature"]
tap.equal((r["saveable"], r["per_namespace"], r["changeable"]), (False, False, False), "supported capabilities")
for words, hint in ((("temprature-threshold",), "temperature-threshold"), (("nothing-like-it",), "feature list"), (("256",), ""),
                    (("4", "--which", "sensor=16"), ""), (("2", "--which", "sensor=1"), ""), (("4", "--select", "curent"), "")):
    r = run("feature", "get", "nvme0", *words, "-o", "json", host=h)
    tap.result(r.code == 2 and hint in (r.json["error"]["hint"] or r.json["error"]["message"]), f"get {' '.join(words)}: usage", r)
r = run("feature", "get", "nvme0", "0x80", "-o", "json", host=h)
tap.result(r.code == 1 and r.drive["error"]["nvme_status"]["code"] == 2, "a feature that is not there: 1, with the status", r)
recorded = Host()
recorded.drive(drive_json={"features": FEATURES})
tap.equal(run("feature", "get", "nvme0", "4", host=recorded).code, 0, "a recorded host answers")
r = run("feature", "set", "nvme0", "4", "80", "--yes", host=recorded)
tap.result(r.code == 7 and "sim create" in r.err, "and is never set", r)

# --- set ---
for fid, text, before, after in (("temperature-threshold", "75", 343, 348), ("temperature-threshold", "-5", 348, 268), ("4", "75", 268, 348), ("4", "0x15d", 348, 349), ("arbitration", "burst=64,high_weight=9", 3, 0x9000006),
                                 ("power-management", "2", 0, 2), ("error-recovery", "time_limit_ms=700", 0, 7), ("interrupt-coalescing", "time_us=300", 0, 0x300),
                                 ("thermal-management", "light_celsius=60,heavy_celsius=70", 0, 333 << 16 | 343)):
    r, trace = trace_of("feature", "set", "nvme0", fid, text, "--yes", "-o", "json", host=h)
    f = r.drive["feature"]
    tap.result(r.code == 0 and f["result"] == "done" and f["verified"] and (f["before"], f["value"]) == (before, after) and len(sets(trace)) == 1,
               f"set {fid} {text}", r)
    tap.result(sets(trace)[0]["cdw11"] & 0xffffffff == after and sets(trace)[0]["cdw10"] == f["fid"], f"set {fid}: the dwords", sets(trace))
r = run("feature", "set", "nvme0", "4", "80", "--yes", host=host(faults=[{"opcode": "0x09", "status": "0x4002"}]))
tap.result(r.code == 1 and "or not with these values" in r.err, "a change may be refused for its values", r)
r, trace = trace_of("feature", "set", "nvme0", "4", "80", "--which", "sensor=1", "--yes", host=h)
tap.result(r.code == 0 and sets(trace)[0]["cdw11"] == 1 << 16 | 353 and current(h, "4", "--which", "sensor=1") == 353 and current(h, "4") == 349,
           "set one of several values", r)
r, trace = trace_of("feature", "set", "nvme0", "4", "60", "--save", "--yes", host=h)
tap.result(r.code == 0 and sets(trace)[0]["cdw10"] == 0x80000004 and current(h, "4", "--select", "saved") == 333, "--save", r)
run("sim", "reset", host=h)
tap.equal((current(h, "4"), current(h, "1")), (333, 0), "what was saved survives a reset, what was not does not")

# Nothing is sent when it is not confirmed, or cannot be.
for words, code in (((), 4), (("--dry-run",), 0), (("--force",), 4), (("--confirm", "WRONG", "--yes"), 4), (("--nsid", "0"), 2)):
    r, trace = trace_of("feature", "set", "nvme0", "4", "61", *words, host=h) if code != 2 else (run("feature", "set", "nvme0", "4", "61", *words, host=h), [])
    tap.result(r.code == code and not sets(trace) and current(h, "4") == 333, f"set {words}: {code}, nothing sent", r)
for text in ("358", "99999", "0x10000", "burst=1", "", "on", "75 "):
    r = run("feature", "set", "nvme0", "4", text, "--yes", host=h)
    tap.result(r.code == 2 and current(h, "4") == 333, f"set 4 {text!r}: usage", r)
tap.equal(run("feature", "set", "nvme0", "4", host=h).code, 2, "no value")
r = run("feature", "set", "nvme0", "write-atomicity", "on", "--yes", host=h)
tap.result(r.code == 7 and "cannot be changed" in r.err, "the drive says that it is not changeable: 7", r)
r = run("feature", "set", "nvme0", "error-recovery", "time_limit_ms=100", "--save", "--yes", host=host(oncs=0))
tap.result(r.code == 7 and "save" in r.err, "--save on a drive that saves nothing: 7", r)

# The kernel's own: no option goes past it, on any kind of host.
for fid in ("7", "number-of-queues", "0x0b", "0x0d", "0fh", "22"):
    for options in ((), ("--yes",), ("--yes", "--force", "--confirm", SERIAL), ("--dry-run",)):
        r, trace = trace_of("feature", "set", "nvme0", fid, "1", *options, "-o", "json", host=h)
        tap.result(r.code == 4 and r.drive["error"]["code"] == "refused" and not sets(trace), f"kernel's own: {fid} {options}", r)

# What destroys: not in use, and the serial number.
for fid, text in (("write-protection", "protected"), ("0x85", "partition_0=locked"), ("0x1d", "enabled=on"), ("0xc1", "50"), ("0x20", "1")):
    words = ("feature", "set", "nvme0", fid, text)
    r, trace = trace_of(*words, "--yes", "--force", "-o", "json", host=h)
    tap.result(r.code == 4 and "--confirm" in r.drive["error"]["hint"] and not sets(trace), f"{fid}: --yes is not enough", r)
    r, trace = trace_of(*words, "--confirm", SERIAL, host=host(ns={"mounts": ["/srv"]}))
    tap.result(r.code == 4 and "/srv" in r.err and not sets(trace), f"{fid}: in use", r)
    r, trace = trace_of(*words, "--confirm", SERIAL, "--force", host=host(ns={"mounts": ["/srv"]}))
    tap.result(r.code == 4 and not sets(trace), f"{fid}: in use, no override", r)
    r, trace = trace_of(*words, "--confirm", SERIAL, host=host(ns={"signature": "ext4"}))
    tap.result(r.code == 4 and "ext4" in r.err and not sets(trace), f"{fid}: a signature needs --force", r)
    r, trace = trace_of(*words, "--confirm", SERIAL, host=host())
    tap.result(len(sets(trace)) == 1, f"{fid}: with the serial number", r)
r = run("feature", "set", "nvme0", "4", "80", "--yes", host=host(ns={"mounts": ["/srv"]}))
tap.equal(r.code, 0, "a plain change does not mind a mount")
r = run("feature", "set", "nvme0", "4", "80", "--yes", host=host(transport="tcp"))
tap.equal(r.code, 4, "no PCIe drive: needs --force")

# False successes and failures.
for fault, code, word in (({"opcode": 9, "status": "0x410e"}, 1, "nvme_status"), ({"opcode": 9, "errno": "EIO"}, 1, "unverified"),
                          ({"opcode": 10, "fid": 4, "nth": 3, "status": "0x4002"}, 1, "nvme_status"), ({"opcode": 9, "vanish_ms": -1}, 3, "gone")):
    r, trace = trace_of("feature", "set", "nvme0", "4", "80", "--yes", "-o", "json", host=host(faults=[fault]))
    tap.result(r.code == code and r.drive["error"]["code"] == word and r.drive["feature"]["result"] is None and len(sets(trace)) == 1,
               f"{fault}: {word}, sent once, no result", r)
# A drive that accepts the value and shows another: the row that Get Features finds is not the one that Set Features changes.
lying = Host(simulated=True)
lying.drive(id_ctrl=id_ctrl(serial=SERIAL, offset_520=b"\x10\0"), drive_json={"features": {"0x02": value(0), "0x02/0x00000000": value(0)}})
r, trace = trace_of("feature", "set", "nvme0", "2", "3", "--yes", "-o", "json", host=lying)
tap.result(r.code == 1 and r.drive["error"]["code"] == "unverified" and r.drive["feature"]["verified"] is False and len(sets(trace)) == 1
           and r.drive["feature"]["result"] is None, "accepted, but read back otherwise: 1", r)

# Data: timestamps, host identifiers, files.
h = host(feature_0c=bytes(256), feature_81=bytes(16))
r = run("feature", "set", "nvme0", "timestamp", "1700000000000", "--yes", "-o", "json", host=h)
tap.result(r.code == 0 and r.drive["timestamp"]["milliseconds"] >= 1700000000000 and r.drive["timestamp"]["origin"]["name"] == "host", "timestamp", r)
tap.equal(run("feature", "set", "nvme0", "timestamp", "now", "--yes", host=h).code, 0, "timestamp now")
for text in ("281474976710656", "yesterday", "-1", "0x"):
    tap.equal(run("feature", "set", "nvme0", "timestamp", text, "--yes", host=h).code, 2, f"timestamp {text}")
identifier = "00112233445566778899aabbccddeeff"
r = run("feature", "set", "nvme0", "host-identifier", identifier, "--yes", "-o", "json", host=h)
tap.result(r.code == 0 and r.drive["host_identifier"]["identifier"] == identifier, "host identifier", r)
with open(f"{h}/nvme0/feature-81.bin", "rb") as f:
    tap.equal(f.read()[:16], bytes.fromhex(identifier)[::-1], "host identifier: least significant byte first")
table = os.path.join(TMP, "apst")
with open(table, "wb") as f:
    f.write((100 << 8 | 3 << 3).to_bytes(8, "little") + bytes(248))
r = run("feature", "set", "nvme0", "power-transitions", "--data", table, "--yes", "-o", "json", host=h)
tap.result(r.code == 0 and r.drive["power_transitions"]["transitions"] == [{"power_state": 0, "idle_ms": 100, "to_power_state": 3}], "--data", r)
for size in (0, 8, 255, 257, 5000):
    with open(table, "wb") as f:
        f.write(bytes(size))
    tap.equal(run("feature", "set", "nvme0", "power-transitions", "--data", table, "--yes", host=h).code, 8, f"--data of {size} bytes")
tap.equal(run("feature", "set", "nvme0", "4", "--data", "/nonexistent", "--yes", host=h).code, 8, "--data that is not there")

# A firmware for another brand: one question of the vendor's that is refused, and no more.
oem = os.path.join(TMP, "oem")
run("sim", "create", oem, "--model", "oem-p4510", "--model", "generic")
r, trace = trace_of("feature", "list", "nvme0", "-o", "json", host=oem)
rows = {f["name"]: f for f in r.drive["features"]}
tap.result(r.code == 0 and len([t for t in trace if t["status"]]) == 1 and rows["max-lba"]["refused"] and "refused" in rows["power-governor"]["not_asked"],
           "an OEM's drive: no more of its vendor's features once it has refused one", r)
r, trace = trace_of("feature", "list", "nvme1", "-o", "json", host=oem)
tap.result(r.code == 0 and not [f for f in r.drive["features"] if f["vendor"] or f["not_asked"]] and not [t for t in trace if t["opcode"] == 10 and t["cdw10"] & 0xff >= 0xc0],
           "another vendor's drive has none of them", r)
r = run("feature", "get", "nvme0", "power-governor", "-o", "json", host=os.path.join(TMP, "oem"))
tap.equal(r.code, 1, "asked for by name it is refused by the drive")

# A vendor's drive: its table says which of its features are harmless.
lab = os.path.join(TMP, "lab")
run("sim", "create", lab, "--model", "p3700")
r = run("feature", "set", "nvme0", "power-governor", "1", "--yes", "-o", "json", host=lab)
tap.result(r.code == 0 and r.drive["feature"]["verified"], "a vendor's feature that its table marks harmless", r)
r = run("feature", "set", "nvme0", "0xc8", "1", "--yes", host=lab)
tap.equal(r.code, 4, "a vendor's feature that its table does not mark harmless")
serial = run("list", "-o", "json", host=lab).drive["serial"]
r = run("feature", "set", "nvme0", "0xc8", "107", "--confirm", serial, "-o", "json", host=lab)
tap.result(r.code == 0 and r.drive["feature"]["verified"], "with the serial number", r)
# SPDK nvme_intel.h: the address stands in bits 8:1.
tap.equal([r.drive["feature"]["before"], r.drive["feature"]["value"], r.drive["smbus_address"]["address"]], [106 << 1, 107 << 1, 107], "an address is an address")
tap.equal(run("feature", "set", "nvme0", "0xc8", "128", "--confirm", serial, host=lab).code, 2, "of seven bits")
tap.equal(run("feature", "get", "nvme0", "power-governor", "-o", "json", host=lab).drive["power_governor"], {"mode": 1, "limit_watts": 20},
          "get says the watts, too")
limits = os.path.join(TMP, "limits")
optane = os.path.join(TMP, "optane")
run("sim", "create", optane, "--model", "p4800x")
with open(limits, "wb") as f:
    f.write(b"".join(n.to_bytes(4, "little") for n in (0, 5, 10, 15, 20, 25, 30, 35)))
r = run("feature", "set", "nvme0", "latency-limits-read", "--data", limits, "--yes", "-o", "json", host=optane)
tap.result(r.code == 0 and r.drive["latency_limits_read"]["limits_us"] == [0, 5, 10, 15, 20, 25, 30, 35], "limits of Optane's buckets", r)

# Interrupted while the drive works: the outcome is reported all the same, nothing is sent twice.
h = host(faults=[{"opcode": 9, "delay_ms": 3000}])
path = os.path.join(TMP, "trace")
p = subprocess.Popen([SSDCT, "feature", "set", "nvme0", "4", "80", "--yes", "-o", "json", "--host", str(h), "--trace", path],
                     stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
until_matched(h)
p.send_signal(signal.SIGTERM)
out = p.communicate(timeout=300)[0]
tap.result(out and json.loads(out)["drives"][0]["feature"]["result"] == "done" and current(h, "4") == 353, "a signal meanwhile: what was done is said", out[-900:])

# --- an answer that was lost, and two namespaces ---
for errno in ("ENODEV", "EINTR"):
    h = host(faults=[{"opcode": "0x09", "lost": errno}])
    r = run("feature", "set", "nvme0", "temperature-threshold", "75", "--yes", "-o", "json", host=h)
    tap.result(r.code == 0 and r.drive["feature"]["verified"] is True and r.drive["feature"]["result"] == "done" and current(h, "4") == 348, f"set, and the answer lost ({errno}): read back", r)
    r, trace = trace_of("feature", "set", "nvme0", "temperature-threshold", "75", "--yes", "-o", "json", host=host(faults=[{"opcode": "0x09", "errno": errno}]))
    tap.result(r.code == 1 and r.drive["error"]["code"] == "unverified" and "not known" in r.drive["error"]["message"] and r.drive["feature"]["result"] is None and len(sets(trace)) == 1,
               f"not set, and the answer lost ({errno}): not known", r)
for words in (("get", "nvme0n1", "5", "--nsid", 2), ("set", "nvme0n1", "write-protection", "protected", "--nsid", 2, "--confirm", SERIAL)):
    r, trace = trace_of("feature", *words, host=host())
    tap.result(r.code == 2 and "--nsid" in r.err and not sets(trace), f"{words}: which namespace?", r)

sys.exit(tap.end())
