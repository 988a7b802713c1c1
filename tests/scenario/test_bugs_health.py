#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Bugs that other tools had, sections 2 and 3 of the bug corpus: SMART, health, error log. Each result says the number.

Values are those of the reports; temperatures are kelvin less 273, verdicts those of CONTRACT section 3 (critical before
unknown before warning; exit 2, 3, 1).

Not here: of 22 the hint about a value that never changes, which a command that looks once cannot give. Of 24 the
conversion to seconds, and of 26 the exporters, which concern `export`. 33 to 38 concern self-test, sanitize, telemetry.
"""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import (TMP, Host, Tap, error_entry, error_log, id_ctrl, id_ns, intel_smart, run, smart,  # noqa: E402
                     trace_of)

tap = Tap()


def check(host, *args):
    """Exit code, the first drive's element, and its findings as {id: severity}."""
    r = run("check", *args, "--allow-simulated", "-o", "json", host=host)
    return r.code, r.drive, {f["id"]: f["severity"] for f in r.drive["findings"]}


def smart_of(host):
    return run("smart", "nvme0", "-o", "json", host=host).drive["smart"]


def faulty(*faults, **pages):
    """A simulated drive with fault rules that hold for ever."""
    return Host(simulated=True).drive(drive_json={"faults": [{"count": 0, **f} for f in faults]}, **pages)


# 14: a composite temperature of 0 K is none.
host = Host().drive(log_02=smart(kelvin=0))
tap.equal(smart_of(host)["temperature_celsius"], None, "bug 14: 0 K, smart: null")
tap.equal(run("show", "nvme0", "-o", "json", host=host).drive["smart"]["temperature_celsius"], None, "bug 14: 0 K, show: null")
d = run("list", "--health", "-o", "json", host=host).drive
tap.equal([d["temperature_celsius"], d["health"]], [None, "ok"], "bug 14: 0 K, list --health: null, and no alarm")
code, d, found = check(host)
tap.equal([code, d["temperature_celsius"], found], [0, None, {}], "bug 14: 0 K, check: null, and no alarm")
text = "".join(run(*w, host=host).out for w in (["smart", "nvme0"], ["list", "--health"], ["check"], ["show", "nvme0"]))
tap.result("-273" not in text, "bug 14: 0 K, text never says -273", text)
out = run("check", "-o", "nagios", host=host).out
tap.result("temperature" not in out and "used" in out, "bug 14: 0 K, no performance value", out)

# 15: a page that was not written, a page of zeros, a page of nonsense.
host = faulty({"opcode": "0x02", "lid": "0x02", "untouched": True})
r = run("smart", "nvme0", "-o", "json", host=host)
tap.result(r.code == 1 and r.drive["error"]["code"] == "no_data" and r.drive["smart"] is None,
           "bug 15: success without data is an error of smart", r)
code, d, found = check(host)
tap.equal([code, d["status"], found, d["percentage_used"], d["temperature_celsius"], d["available_spare_percent"]],
          [3, "unknown", {"no_data": "unknown"}, None, None, None], "bug 15: success without data, check: unknown, no numbers")
r = run("list", "--health", "-o", "json", host=host)
tap.equal([r.drive["health"], r.drive["percentage_used"], r.drive["temperature_celsius"]], ["unknown", None, None],
          "bug 15: success without data, list --health: unknown, no numbers")
r = run("show", "nvme0", "-o", "json", host=host)
tap.result(r.code == 0 and r.drive["smart"] is None and any("no data" in n for n in r.drive["notes"]) and r.drive["fw"],
           "bug 15: success without data, show: null, a note, and the rest", r)
r = run("errors", "nvme0", "-o", "json", host=host)
tap.result(r.code == 0 and r.drive["error_log_entries"] is None and r.drive["error_log"] is not None,
           "bug 15: success without data, errors: the lifetime count is null", r)
for page, name in ((bytes(512), "an all-zero page"), (bytes(176) + b"\x40" + bytes(335), "zeros but for the error count")):
    host = Host().drive(log_02=page)
    code, d, found = check(host)
    tap.equal([code, d["status"], found], [3, "unknown", {"smart_blank": "unknown"}], f"bug 15: {name}, check: unknown")
    tap.equal([d["percentage_used"], d["available_spare_percent"], d["temperature_celsius"]], [None] * 3,
              f"bug 15: {name}, check: no \"0 % used\"")
    r = run("list", "--health", "-o", "json", host=host)
    tap.equal([r.code, r.drive["health"], r.drive["percentage_used"], r.drive["temperature_celsius"]],
              [0, "unknown", None, None], f"bug 15: {name}, list --health: unknown, no \"0 % used\"")
    out = run("check", "-o", "nagios", host=host).out
    tap.result(out.startswith("SSDCT UNKNOWN") and "|" not in out, f"bug 15: {name}, no performance values", out)
for length in (3, 6, 16, 48, 200, 504):
    host = faulty({"opcode": 2, "lid": 2, "short": length})
    code, d, found = check(host)
    tap.equal([code, d["status"], found, d["ok"], d["percentage_used"], d["temperature_celsius"]],
              [3, "unknown", {"no_data": "unknown"}, False, None, None], f"bug 15: {length} bytes of 512, check: unknown, no numbers")
    d = run("list", "--health", "-o", "json", host=host).drive
    tap.equal([d["health"], d["percentage_used"]], ["unknown", None], f"bug 15: {length} bytes of 512, list --health: unknown")
    r = run("show", "nvme0", "-o", "json", host=host)
    tap.result(r.code == 0 and r.drive["smart"] is None and any("no_data" in n or "512" in n for n in r.drive["notes"]),
               f"bug 15: {length} bytes of 512, show: null and a note", r)
for length, page, status in ((64, smart(), "unknown"), (268, smart(), "unknown"), (290, smart(spare=9), "critical")):
    code, d, found = check(faulty({"opcode": 6, "cns": 1, "short": length}, log_02=page))
    tap.result(d["status"] == status and found.get("no_data") == "unknown" and d["error"]["code"] == "no_data",
               f"bug 15: Identify Controller of {length} bytes: what was not seen was not judged", d)
d = run("list", "--health", "-o", "json", host=faulty({"opcode": 2, "lid": 6, "status": "0x0006", "count": 0}, id_ctrl=id_ctrl(oacs=0x10), log_02=smart())).drive
tap.equal([d["health"], d["temperature_celsius"], d["percentage_used"] is None, d["error"]["nvme_status"]["code"]], ["unknown", 38, False, 6],
          "the self-test log fails, list --health: unknown, and the SMART log's numbers all the same")
host = Host().drive(log_02=b"\xff" * 512)
code, d, found = check(host)
tap.result(code == 2 and found.get("impossible_value") == "critical", "bug 15: a page of FFh is impossible, not healthy", d)
host = Host().drive(log_02=smart(counters=[0] * 6 + [2**100, 0, 0, 0]))
code, d, found = check(host)
tap.equal([code, found.get("impossible_value")], [2, "critical"], "bug 15: 2^100 hours are impossible")
for opcode, name, words in ((6, "Identify Controller", ["show", "nvme0"]), (2, "the error log", ["errors", "nvme0"])):
    r = run(*words, "-o", "json", host=faulty({"opcode": opcode, "untouched": True}))
    tap.result(r.code == 1 and r.drive["error"]["code"] == "no_data", f"bug 15: {name} without data", r)

# 17: a controller in fault mode: FR "ERRORMOD", 1.07 GB.
host = Host().drive(id_ctrl=id_ctrl(model="INTEL SSDPE2KX040T8", firmware="ERRORMOD"), id_ns_1=id_ns(nsze=2097152))
code, d, found = check(host)
tap.equal([code, d["status"], found.get("fault_identity")], [2, "critical", "critical"], "bug 17: ERRORMOD, check: critical")
tap.equal(found.get("fault_capacity"), "critical", "bug 17: 1.07 GB of a data-centre drive, check: critical")
d = run("list", "--health", "-o", "json", host=host).drive
tap.equal([d["health"], d["size_bytes"], d["firmware"]], ["critical", 1073741824, "ERRORMOD"],
          "bug 17: ERRORMOD, list --health: critical")
r = run("list", "-o", "json", host=host)
tap.result(r.code == 0 and "ERRORMOD" in (r.drive["note"] or ""), "bug 17: ERRORMOD, list: a note in JSON", r)
r = run("list", host=host)
tap.result(r.code == 0 and "nvme0" in r.err and "ERRORMOD" in r.err, "bug 17: ERRORMOD, list: a note for people", r)
# Known by its PCI ids alone: HPE's name and revisions on a P4500.
host = Host().drive(id_ctrl=id_ctrl(model="VO001000KWJSE", firmware="HPKBOOT", ssvid=0x1590),
                    drive_json={"sysfs": {"vendor": "0x8086", "device": "0xa54", "subsystem_vendor": "0x1590", "subsystem_device": "0x25d"}})
d = run("list", "-o", "json", host=host).drive
tap.result(d["family"] == "Intel SSD DC P4500" and "HPKBOOT" in (d["note"] or ""), "bug 17: a renamed drive, list: a note", d)
r = run("list", "-o", "json", host=Host().drive())
tap.equal(r.drive["note"], None, "bug 17: no note on a drive that runs its firmware")
tap.result(run("check", "-o", "nagios", host=host).out.startswith("SSDCT CRITICAL"), "bug 17: ERRORMOD, plugin: critical")
for model, firmware in (("INTEL SSDPE2KX040T8", "BOOTLDR1"), ("INTEL SSDPE2KX040T8", "ASSERT01"), ("INTEL SSDPE2KX040T8", " ")):
    code, d, found = check(Host().drive(id_ctrl=id_ctrl(model=model, firmware=firmware)))
    tap.equal([code, found.get("fault_identity")], [2, "critical"], f"bug 17: revision {firmware!r} is critical")

for firmware in ("BOOTLDR1", "3B2QERR7", " "):
    code, d, found = check(Host().drive(id_ctrl=id_ctrl(model="Other 1TB", vid=0x1d1d, ssvid=0x1d1d, firmware=firmware)))
    tap.equal([code, found], [0, {}], f"bug 17: revision {firmware!r} of a drive that nobody knows says nothing")

# 18: more wear than 100 percent.
for used, verdict, codes in ((89, "ok", 0), (90, "warning", 1), (100, "warning", 1), (101, "warning", 1), (161, "warning", 1),
                             (200, "warning", 1), (254, "warning", 1), (255, "warning", 1)):
    host = Host().drive(log_02=smart(used=used))
    code, d, found = check(host)
    tap.equal([code, d["status"], d["percentage_used"]], [codes, verdict, used], f"bug 18: {used} % used is {verdict}")
    d = run("list", "--health", "-o", "json", host=host).drive
    tap.equal([d["percentage_used"], d["health"]], [used, verdict], f"bug 18: {used} % used, list --health")
    tap.equal(smart_of(host)["percentage_used"], used, f"bug 18: {used} % used, smart")
    text = "".join(run(*w, host=host).out for w in (["smart", "nvme0"], ["list", "--health"], ["check"]))
    tap.result(text.count(f"{used}%") >= 3 and "-" + str(used - 100) + "%" not in text, f"bug 18: {used} % in text", text)
    out = run("check", "-o", "nagios", host=host).out
    tap.result(f"percentage_used'={used}%" in out, f"bug 18: {used} % as performance value", out)
r = run("check", "-o", "json", host=Host().drive(log_02=smart(used=255)))
tap.result("or more" in r.drive["findings"][0]["message"], "bug 18: 255 means 255 or more", r)
code, d, found = check(Host().drive(log_02=smart(used=161, warning=4)))
tap.equal([code, found], [2, {"critical_warning_reliability": "critical", "percentage_used": "warning"}],
          "bug 18: 161 % with warning 4 is critical by the warning")

# 19: wear and spare are two things.
host = Host().drive(log_02=smart(spare=100, used=91))
s = smart_of(host)
tap.equal([s["available_spare_percent"], s["percentage_used"]], [100, 91], "bug 19: spare 100, used 91, smart")
code, d, found = check(host)
tap.equal([code, d["available_spare_percent"], d["percentage_used"], found], [1, 100, 91, {"percentage_used": "warning"}],
          "bug 19: spare 100, used 91, check")
tap.equal(run("list", "--health", "-o", "json", host=host).drive["percentage_used"], 91, "bug 19: used 91, list --health")
text = run("smart", "nvme0", host=host).out
tap.result("100%" in text and "91%" in text, "bug 19: both in text", text)

# 20: spare at the threshold, below it; several warning bits at once, unknown ones among them.
for spare, threshold, verdict in ((10, 10, "warning"), (9, 10, "critical"), (11, 10, "ok"), (100, 0, "ok"), (1, 0, "ok"),
                                  (100, 100, "warning")):
    code, d, found = check(Host().drive(log_02=smart(spare=spare, threshold=threshold)))
    tap.equal([d["status"], found], [verdict, {} if verdict == "ok" else {"available_spare": verdict}],
              f"bug 20: spare {spare} with threshold {threshold} is {verdict}")
BITS = ["available_spare", "temperature", "reliability", "read_only", "volatile_backup", "persistent_memory", "reserved_6",
        "reserved_7"]
for warning in [0x1f, 0xe0, 0xff] + [1 << bit for bit in range(8)]:
    host = Host().drive(log_02=smart(warning=warning))
    expected = {"value": warning, **{name: bool(warning >> bit & 1) for bit, name in enumerate(BITS)}}
    tap.equal(smart_of(host)["critical_warning"], expected, f"bug 20: critical warning {warning:#04x}, every bit for itself")
    code, d, found = check(host)
    named = {"critical_warning_" + ("reserved" if bit > 5 else name): "warning" if bit == 1 else "critical"
             for bit, name in enumerate(BITS) if warning >> bit & 1}
    tap.equal([found, d["status"]], [named, "warning" if warning == 2 else "critical"],
              f"bug 20: critical warning {warning:#04x}, a finding for each")
r = run("check", host=Host().drive(log_02=smart(warning=0xe0)))
tap.result("0xe0" in r.out.lower(), "bug 20: reserved bits are shown with the value", r)

# 21: below the freezing point. 253 K are -20 C.
host = Host().drive(log_02=smart(kelvin=253, sensors=[253, 273, 272]))
s = smart_of(host)
tap.equal([s["temperature_celsius"], s["temperature_sensors"]],
          [-20, [{"sensor": 1, "celsius": -20}, {"sensor": 2, "celsius": 0}, {"sensor": 3, "celsius": -1}]],
          "bug 21: 253 K are -20 C, smart")
code, d, found = check(host)
tap.equal([code, d["temperature_celsius"], found], [0, -20, {}], "bug 21: 253 K, check")
tap.equal(run("list", "--health", "-o", "json", host=host).drive["temperature_celsius"], -20, "bug 21: 253 K, list --health")
text = "".join(run(*w, host=host).out for w in (["smart", "nvme0"], ["list", "--health"], ["check"]))
tap.result(text.count("-20 C") >= 3 and "65" not in text.replace("65,536", ""), "bug 21: -20 C in text", text)
tap.result("'nvme0_temperature'=-20;" in run("check", "-o", "nagios", host=host).out, "bug 21: -20 as performance value")

# 22: thresholds that are disabled or not reported.
for wctemp, cctemp, feature, limits in ((0, 0, 0xffff, [70, 80]), (0, 0, 0, [70, 80]), (0xffff, 0xffff, 0xffff, [70, 80]),
                                        (0, 0, 358, [80, 85]), (343, 353, 0xffff, [70, 80]), (348, 0, 0xffff, [75, 80]),
                                        (0, 358, 0xffff, [80, 85])):
    host = Host().drive(id_ctrl=id_ctrl(wctemp=wctemp, cctemp=cctemp), log_02=smart(kelvin=313),
                        drive_json={"features": {"0x04": feature, "0x02": 0, "0x07": 0}})
    code, d, found = check(host)
    tap.equal([code, d["temperature_warning_celsius"], d["temperature_critical_celsius"]], [0] + limits,
              f"bug 22: WCTEMP {wctemp}, CCTEMP {cctemp}, feature 04h {feature:#x}: limits {limits}")
    d = run("show", "nvme0", "-o", "json", host=host).drive
    tap.equal(d["features"]["over_temperature_celsius"], None if feature in (0, 0xffff) else feature - 273,
              f"bug 22: feature 04h {feature:#x} in show")
    text = run("show", "nvme0", host=host).out + run("check", "-o", "nagios", host=host).out
    tap.result("65262" not in text and "65,262" not in text and "65261" not in text,
               f"bug 22: WCTEMP {wctemp}, feature 04h {feature:#x}: FFFFh is no temperature", text)
d = run("show", "nvme0", "-o", "json", host=Host().drive(id_ctrl=id_ctrl(wctemp=0, cctemp=0))).drive["controller"]
tap.equal([d["warning_temperature_celsius"], d["critical_temperature_celsius"]], [None, None],
          "bug 22: WCTEMP and CCTEMP 0 are not reported")

# 23: sensors that are not there.
for sensors, expected in (([0, 354, 0, 0, 0, 0, 0, 300], [(2, 81), (8, 27)]), ([0] * 8, []), ([354, 0, 353], [(1, 81), (3, 80)]),
                          ([300 + i for i in range(8)], [(i + 1, 27 + i) for i in range(8)])):
    host = Host().drive(log_02=smart(sensors=sensors))
    for words in (["smart", "nvme0"], ["show", "nvme0"], ["log", "get", "nvme0", "smart"]):
        got = run(*words, "-o", "json", host=host).drive["smart"]["temperature_sensors"]
        tap.equal([(x["sensor"], x["celsius"]) for x in got], expected, f"bug 23: sensors {sensors}, {' '.join(words)}")
    text = run("smart", "nvme0", host=host).out
    tap.result("-273" not in text and "9223372036854775808" not in text, f"bug 23: sensors {sensors}, text", text)

# 24: busy time is minutes, and nobody is alarmed by it.
host = Host().drive(log_02=smart(counters=[1, 1, 1, 1, 7, 1, 57288, 0, 0, 0]))
tap.equal(smart_of(host)["controller_busy_minutes"], 7, "bug 24: 7 under a key that says minutes")
tap.result("7 min" in run("smart", "nvme0", host=host).out, "bug 24: 7 min in text")
for minutes in (0, 16, 10**9):
    code, d, found = check(Host().drive(log_02=smart(counters=[1, 1, 1, 1, minutes, 1, 57288, 0, 0, 0])))
    tap.equal([code, found], [0, {}], f"bug 24: busy {minutes} minutes in 57,288 hours is no finding")

# 25: SMART of the controller, whatever node was named.
OTHERS = [["smart", "nvme0"], ["smart", "nvme0n1"], ["show", "nvme0"], ["errors", "nvme0n1"], ["check", "nvme0n1", "--allow-simulated"],
          ["list", "--health"], ["log", "get", "nvme0", "smart"]]
for status in ("0x400b", "0x4002"):
    for lpa in (0, 1):
        host = faulty(*[{"opcode": 2, "nsid": n, "status": status} for n in (0, 1, 0xfffffffe)], id_ctrl=id_ctrl(lpa=lpa))
        for words in OTHERS:
            r, sent = trace_of(*words, "-o", "json", host=host)
            asked = {c["nsid"] for c in sent if c["opcode"] == 2}
            tap.result(r.code == 0 and r.drive["ok"] and asked == {0xffffffff},
                       f"bug 25: LPA {lpa}, other NSIDs give {status}: {' '.join(words)}", r, asked)
host = Host().drive(id_ctrl=id_ctrl(lpa=1, nn=2), log_02=smart(kelvin=311, used=1), log_02_n1=smart(kelvin=350, used=77),
                    id_ns_2=id_ns())
for words in OTHERS:
    if words[0] == "errors":
        continue
    d = run(*words, "-o", "json", host=host).drive
    s = d.get("smart") or d
    tap.equal([s["temperature_celsius"], s["percentage_used"]], [38, 1], f"bug 25: the drive's data, not the namespace's: {' '.join(words)}")
text = "".join(run(*w, host=Host().drive(log_01=error_log(error_entry(1, 2)))).out for w in (["smart", "nvme0"], ["errors", "nvme0"]))
tap.result("-1" not in text, "bug 25: the broadcast NSID is never -1", text)
e = run("errors", "nvme0", "-o", "json", host=Host().drive(log_01=error_log(error_entry(1, 2)))).drive["error_log"]["entries"][0]
tap.equal(e["nsid"], 0xffffffff, "bug 25: the broadcast NSID of an error entry")

# 26: looking makes no errors, on any model.
lab = os.path.join(TMP, "lab")
models = [line.split()[0] for line in run("sim", "models").out.splitlines()[1:]]
tap.result(len(models) >= 8, "bug 26: simulated models", models)
run("sim", "create", lab, *[w for m in models for w in ("--model", m)])


def entries(host, n):
    """Number of error log entries, byte 176 of the simulated drives' SMART pages."""
    pages = []
    for i in range(n):
        with open(os.path.join(str(host), f"nvme{i}", "log-02.bin"), "rb") as f:
            pages.append(struct.unpack_from("<Q", f.read(), 176)[0])
    return pages


# An OEM drive may refuse the vendor's pages, which only asking shows (CONTRACT section 3: null); a health run does not ask.
REFUSES = models.index("oem-p4510")
for words in (["check", "--allow-simulated"], ["list", "--health"], ["list"], ["smart", "--all"], ["show", "--all"], ["errors", "--all"],
              ["log", "list", "--all"], ["capture", "--all", "--to", os.path.join(TMP, "captured")]):
    before = entries(lab, len(models))
    r, sent = trace_of(*words, host=lab)
    after = entries(lab, len(models))
    refused = [(c["device"], c["opcode"], hex(c["cdw10"]), c["status"]) for c in sent if c["status"]]
    asks = words[0] in ("smart", "show")
    if asks:
        tap.result({(d, o, int(w, 16) & 0xff >= 0xc0) for d, o, w, _ in refused} <= {(f"nvme{REFUSES}", 2, True)},
                   f"bug 26: {' '.join(words)}: only an OEM drive refuses, only vendor pages", refused)
        before[REFUSES] = after[REFUSES] = None
    tap.result(r.code in (0, 1, 2) and after == before, f"bug 26: {' '.join(words[:2])} makes no error entry",
               f"before {before}, after {after} of {models}", refused)
r, sent = trace_of("check", "--allow-simulated", host=lab)
tap.equal({c["nsid"] for c in sent if c["opcode"] == 6}, {0}, "bug 26: Identify Controller is asked with NSID 0")

# 27: an empty log, but a count.
host = Host().drive(log_01=bytes(4096), log_02=smart(counters=[1, 1, 1, 1, 1, 1, 1, 0, 0, 64]))
r = run("errors", "nvme0", "-o", "json", host=host)
tap.equal([r.code, r.drive["error_log"]["entries"], r.drive["error_log_entries"]], [0, [], 64], "bug 27: no blank entries, count 64")
r = run("errors", "nvme0", host=host)
tap.result("64" in r.out and "none" in r.out and r.out.count("\n") < 10, "bug 27: text says 64 ever and none kept", r)
log = error_log(error_entry(70, 0x4002), bytes(64), error_entry(68, 0x4001, cmdid=7), bytes(64), bytes(64), error_entry(66, 2))
got = run("errors", "nvme0", "-o", "json", host=Host().drive(log_01=log)).drive["error_log"]["entries"]
tap.equal([(e["entry"], e["error_count"]) for e in got], [(0, 70), (2, 68), (5, 66)], "bug 27: unused entries in between")

# 28: refused probes of the operating system: Invalid Field with More, with Do Not Retry, on the admin queue.
log = error_log(*[error_entry(900 - i, (0x2002, 0x4002, 0x4001)[i % 3], cmdid=i) for i in range(64)])
page = smart(counters=[1, 1, 1, 1, 1, 1, 1, 0, 0, 900])
for words in (["check"], ["list", "--health"]):
    r = run(*words, "-o", "json", host=Host().drive(log_01=log, log_02=page))
    tap.equal([r.code, r.drive.get("status", r.drive.get("health")), r.drive.get("findings", [])], [0, "ok", []],
              f"bug 28: 900 refused probes are no finding, {' '.join(words)}")
first, second, third = run("errors", "nvme0", "-o", "json", host=Host().drive(log_01=log, log_02=page)).drive["error_log"]["entries"][:3]
tap.equal([first["status"][k] for k in ("value", "hex", "name", "type", "code", "do_not_retry", "more")],
          [0x2002, "0x2002", "Invalid Field in Command", 0, 2, False, True], "bug 28: status 0x2002, errors")
tap.equal([second["status"][k] for k in ("value", "hex", "name", "type", "code", "do_not_retry", "more")],
          [0x4002, "0x4002", "Invalid Field in Command", 0, 2, True, False], "bug 28: status 0x4002, errors")
tap.equal([third["status"]["name"], third["sqid"], first["cmdid"], second["cmdid"]], ["Invalid Command Opcode", 0, 0, 1],
          "bug 28: Invalid Opcode on the admin queue, errors")
tap.result("admin" in run("errors", "--help").out, "bug 28: help says what such entries mean")

# 29: one transfer of at most 64 entries, from the start, whatever ELPE says.
for elpe, lpa, size in ((255, 0, 4096), (255, 4, 4096), (63, 0, 4096), (3, 0, 256), (0, 0, 64), (127, 4, 4096)):
    host = Host(simulated=True).drive(id_ctrl=id_ctrl(elpe=elpe, lpa=lpa), log_01=error_log(error_entry(9, 2), total=elpe + 1))
    for words in (["errors", "nvme0"], ["log", "get", "nvme0", "error"],
                  ["capture", "nvme0", "--to", os.path.join(TMP, f"c{elpe}-{lpa}")]):
        r, sent = trace_of(*words, "-o", "json", host=host)
        reads = [(((c["cdw11"] & 0xffff) << 16 | c["cdw10"] >> 16) * 4 + 4, c["data_len"], c["cdw12"], c["cdw13"])
                 for c in sent if c["opcode"] == 2 and c["cdw10"] & 0xff == 1]
        tap.equal([r.code, reads], [0, [(size, size, 0, 0)]], f"bug 29: ELPE {elpe}, LPA {lpa}: one read of {size} bytes, {words[0]}")
log = error_log(*[error_entry(300 - i, 2) for i in range(256)], total=256)
d = run("errors", "nvme0", "-o", "json", host=Host().drive(id_ctrl=id_ctrl(elpe=255), log_01=log)).drive
tap.equal([e["error_count"] for e in d["error_log"]["entries"]], list(range(300, 236, -1)), "bug 29: the 64 newest of 256")

# 31: a page that is not supported, or odd: the rest goes on.
KEYS = {1: "error_log", 2: "smart", 3: "fw"}
for status, name in ((0x13, None), (0x4013, None), (0x109, "Invalid Log Page"), (0x4109, "Invalid Log Page"),
                     (0x4002, "Invalid Field in Command"), (0x2109, "Invalid Log Page")):
    for lid in (1, 2, 3):
        rule = {"opcode": 2, "lid": lid, "status": hex(status)}
        r = run("show", "nvme0", "-o", "json", host=faulty(rule))
        rest = [r.drive[k] is not None for k in ("controller", "namespaces", "features", "fw", "smart")]
        tap.equal([r.code, r.drive["ok"]] + rest, [0, True, True, True, True, lid != 3, lid != 2],
                  f"bug 31: log {lid:02x}h gives {status:#x}, show: the rest is there")
        r = run({1: "errors", 2: "smart"}[lid] if lid < 3 else "log", *([] if lid < 3 else ["get"]), "nvme0",
                *([] if lid < 3 else ["3"]), "-o", "json", host=faulty(rule))
        got = r.drive["error"] or {}
        tap.result(r.code == 1 and got.get("code") == "nvme_status" and got["nvme_status"]["value"] == status and
                   name in (None, got["nvme_status"]["name"]) and r.drive.get(KEYS[lid]) is None,
                   f"bug 31: log {lid:02x}h gives {status:#x}, itself: says so", r)
        code, d, found = check(faulty(rule))
        expected = [3, "unknown", {"unreadable": "unknown"}] if lid == 2 else [0, "ok", {}]
        tap.equal([code, d["status"], found], expected, f"bug 31: log {lid:02x}h gives {status:#x}, check")
r = run("errors", "nvme0", "-o", "json", host=faulty({"opcode": 2, "lid": 2, "status": "0x4109"},
                                                      log_01=error_log(error_entry(5, 2))))
tap.result(r.code == 0 and r.drive["error_log_entries"] is None and len(r.drive["error_log"]["entries"]) == 1,
           "bug 31: errors without SMART: the entries, and null for the count", r)
r = run("smart", "nvme0", "-o", "json", host=faulty({"opcode": 2, "lid": 0xca, "status": "0x4109"}, log_ca=intel_smart((0xab, 100, 0))))
tap.result(r.code == 0 and r.drive["intel_smart"] is None and r.drive["smart"]["temperature_celsius"] == 38,
           "bug 31: the vendor's page refused: null beside a whole SMART log", r)
for fault, exit_code, word in (({"status": "0x4001"}, 0, None), ({"status": "0x2002"}, 0, None), ({"status": "0x0109"}, 0, None),
                               ({"status": "0x0006"}, 1, "nvme_status"), ({"status": "0x400b"}, 1, "nvme_status"), ({"status": "0x01c1"}, 1, "nvme_status"),
                               ({"errno": "ENODEV"}, 3, "gone"), ({"errno": "EIO"}, 1, "kernel"), ({"untouched": True}, 1, "no_data")):
    host = faulty({"opcode": 2, "lid": 0xca, **fault}, {"opcode": 2, "lid": 0xdd, **fault}, log_ca=intel_smart((0xab, 100, 0)), log_dd=b"Name")
    r = run("smart", "nvme0", "-o", "json", host=host)
    tap.result(r.code == exit_code and (r.drive["error"] or {}).get("code") == word and r.drive["ok"] is (not word) and
               r.drive["intel_smart"] is None and r.drive["smart"]["temperature_celsius"] == 38,
               f"bug 31: the vendor's page gives {fault}: null is for a drive that does not have it", r)
    r = run("smart", "nvme0", host=host)
    tap.result("38 C" in r.out and bool(r.err) is bool(word), f"bug 31: the vendor's page gives {fault}: the SMART log is shown all the same", r)
    r = run("show", "nvme0", "-o", "json", host=host)
    tap.result(r.code == 0 and r.drive["market_name"] is None and bool(r.drive["notes"]) is bool(word),
               f"bug 31: the vendor's page gives {fault}, show: null, and a note when that is not all", r)
r = run("smart", "nvme0", "-o", "json", host=faulty({"opcode": 2, "lid": 0xca, "short": 24}, log_ca=intel_smart((0xab, 100, 0), (0xac, 100, 0))))
tap.result(r.code == 1 and r.drive["error"]["code"] == "no_data" and r.drive["intel_smart"] is None and r.drive["smart"]["temperature_celsius"] == 38,
           "bug 15: half of the vendor's page is none", r)
r = run("smart", "nvme0", "-o", "json", host=faulty({"opcode": 6, "cns": 1, "short": 64}))
tap.result(r.code == 1 and r.drive["error"]["code"] == "no_data" and r.drive["smart"]["temperature_celsius"] == 38,
           "bug 31: a drive of which nobody can say whether it has a vendor's page", r)
log = error_log(*[error_entry(9 - i, 2) for i in range(9)])
r = run("errors", "nvme0", "-o", "json", host=faulty({"opcode": 2, "lid": 1, "short": 64}, log_01=log))
tap.equal([r.code, [e["error_count"] for e in r.drive["error_log"]["entries"]]], [0, [9]], "bug 31: only one entry readable")

sys.exit(tap.end())
