#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ssdct check: verdicts, exit codes, expectations and the plugin format, on hosts made by hand; speaks TAP.

Offsets are those of the NVM Express Base Specification; verdicts those of CONTRACT section 3.
"""
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

SSDCT = os.environ.get("SSDCT", "build/ssdct")
count = failed = 0


def result(fine, text, said=""):
    global count, failed
    count += 1
    failed += not fine
    print(f"{'ok' if fine else 'not ok'} {count} - {text}")
    if not fine and said:
        print("\n".join("# " + line for line in str(said).splitlines()))


def smart(kelvin=311, spare=99, threshold=10, used=41, warning=0, media=0):
    page = bytearray(512)
    struct.pack_into("<BHBBB", page, 0, warning, kelvin, spare, threshold, used)
    struct.pack_into("<Q", page, 112, 33)
    struct.pack_into("<Q", page, 128, 57288)
    struct.pack_into("<Q", page, 160, media)
    return bytes(page)


def drive(host, name, serial, page, model="INTEL SSDPEDMD020T4", firmware="8DV10131", config=None,
          limits=(343, 353), oacs=0, sanicap=0, **pages):
    directory = os.path.join(host, name)
    os.makedirs(directory)
    ident = bytearray(4096)
    ident[0:4] = b"\x86\x80\x86\x80"
    ident[4:24] = serial.encode().ljust(20)
    ident[24:64] = model.encode().ljust(40)
    ident[64:72] = firmware.encode().ljust(8)
    struct.pack_into("<H", ident, 256, oacs)
    struct.pack_into("<HH", ident, 266, *limits)  # WCTEMP 70 C, CCTEMP 80 C
    struct.pack_into("<I", ident, 328, sanicap)
    ident[516] = 1
    namespace = bytearray(4096)
    struct.pack_into("<QQQ", namespace, 0, *[3907029168] * 3)
    namespace[130] = 9
    files = {"id-ctrl.bin": ident, "id-ns-1.bin": namespace, "log-02.bin": page}
    files.update({f"{key.replace('_', '-')}.bin": data for key, data in pages.items()})
    if config is not None:
        files["drive.json"] = json.dumps(config).encode()
    for file, data in files.items():
        if data is not None:
            with open(os.path.join(directory, file), "wb") as out:
                out.write(data)


def new_host(parent, name, mode="simulated"):
    host = os.path.join(parent, name)
    os.makedirs(host)
    with open(os.path.join(host, "host.json"), "w") as out:
        json.dump({"format": "ssdct-host/1", "mode": mode}, out)
    return host


def check(host, *args, allow=True):
    command = [SSDCT, "check", "--host", host, *args] + (["--allow-simulated"] if allow else [])
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})


def ends(run, code, text, also=True):
    result(run.returncode == code and also, f"{text}: exit {code}", f"exit {run.returncode}\n{run.stdout}{run.stderr}")


def document(run):
    return json.loads(run.stdout)


def findings(element):
    return {f["id"]: f["severity"] for f in element["findings"]}


def verdicts(parent):
    host = new_host(parent, "verdicts")
    drive(host, "nvme0", "OK1", smart())
    drive(host, "nvme1", "WARN1", smart(used=91))
    drive(host, "nvme2", "CRIT1", smart(spare=9))
    drive(host, "nvme3", "BLANK1", bytes(512))
    drive(host, "nvme4", "NOLOG1", None)
    drive(host, "nvme5", "FAULT1", smart(), firmware="ERRORMOD")
    drive(host, "nvme10", "MEDIA1", smart(media=5))
    for name, code, status in (("nvme0", 0, "ok"), ("nvme1", 1, "warning"), ("nvme2", 2, "critical"),
                               ("nvme3", 3, "unknown"), ("nvme4", 3, "unknown"), ("nvme5", 2, "critical"),
                               ("nvme10", 0, "ok")):
        run = check(host, name, "-o", "json")
        doc = document(run)
        ends(run, code, f"{name} is {status}", doc["status"] == doc["drives"][0]["status"] == status)
    run = check(host, "-o", "json")
    doc = document(run)
    ends(run, 2, "critical before unknown before warning", doc["status"] == "critical")
    by_name = {d["device"]: d for d in doc["drives"]}
    result([d["device"] for d in doc["drives"]][-1] == "nvme10", "natural order")
    result(findings(by_name["nvme1"]) == {"percentage_used": "warning"}, "wear is told", by_name["nvme1"])
    result(findings(by_name["nvme3"]) == {"smart_blank": "unknown"}, "a blank page is told", by_name["nvme3"])
    result(findings(by_name["nvme4"]) == {"unreadable": "unknown"} and by_name["nvme4"]["ok"] is False and
           by_name["nvme4"]["error"]["nvme_status"]["value"] == 0x4109, "an unreadable page is told", by_name["nvme4"])
    result(findings(by_name["nvme10"]) == {"media_errors": "info"}, "media errors are information")
    result(by_name["nvme2"]["ok"] is True and by_name["nvme2"]["error"] is None, "a verdict is no error")
    ends(check(host, "nvme0", "nvme3", "nvme1"), 3, "unknown is worse than warning")
    ends(check(host, "nvme0", "nvme1"), 1, "one warning of two")
    ends(check(host, "nvme10", "--media-errors", "5"), 2, "--media-errors reached")
    ends(check(host, "nvme10", "--media-errors", "6"), 0, "--media-errors not reached")
    ends(check(host, "nvme1", "--used-warning", "92"), 0, "--used-warning")
    ends(check(host, "nvme1", "--used-critical", "91"), 2, "--used-critical")
    ends(check(host, "nvme0", "--temperature-warning", "38"), 1, "--temperature-warning")
    ends(check(host, "nvme0", "--temperature-critical", "38"), 2, "--temperature-critical")
    ends(check(host, "nvme0", "--spare-warning", "99"), 1, "--spare-warning")
    ends(check(host, "nvme0", "--spare-critical", "100"), 2, "--spare-critical")
    ends(check(host, "nvme1", "--ignore", "percentage_used"), 0, "--ignore everywhere")
    ends(check(host, "nvme1", "--ignore", "percentage_used:WARN1"), 0, "--ignore by serial number")
    ends(check(host, "nvme1", "--ignore", "percentage_used:nvme0"), 1, "--ignore of another drive")
    run = check(host, "nvme1", "--ignore", "percentage_use")
    ends(run, 3, "--ignore of nothing that exists", "did you mean percentage_used" in run.stderr)
    ends(check(host, "nvme99"), 3, "no such drive")
    ends(check(host, "--bogus"), 3, "bad command line")


def expectations(parent):
    host = new_host(parent, "expectations")
    drive(host, "nvme0", "OK1", smart())
    drive(host, "nvme1", "OK2", smart())
    ends(check(host, "--expect", "2"), 0, "as many as expected")
    ends(check(host, "--expect", "3"), 2, "fewer than expected")
    ends(check(host, "--expect", "1"), 1, "more than expected")
    ends(check(host, "--expect", "x"), 3, "--expect of no number")
    ends(check(host, "--expect-serial", "OK1,OK2"), 0, "serial numbers in one list")
    ends(check(host, "--expect-serial", "OK1", "--expect-serial", " OK2 ,"), 0, "serial numbers one by one")
    run = check(host, "--expect-serial", "OK1,GONE7", "-o", "json")
    doc = document(run)
    ends(run, 2, "a missing serial number", doc["findings"][0]["id"] == "missing_drive" and
         "GONE7" in doc["findings"][0]["message"] and doc["ok"] is True)
    run = check(host, "nvme0", "nvme0n1", "OK1", "--expect", "2", "-o", "json")
    ends(run, 2, "a drive under three names is one drive", findings(document(run)) == {"missing_drives": "critical"} and
         len(document(run)["drives"]) == 1)
    ends(check(host, "nvme0n1", "nvme1", "--expect", "2"), 0, "a namespace stands for its drive")
    run = check(host, "nvme0", "--expect-serial", "OK2", "-o", "json")
    ends(run, 2, "a serial number that is not judged is missing", findings(document(run)) == {"missing_drive": "critical"})
    ends(check(host, "nvme1", "--expect-serial", "OK2"), 0, "a serial number that is judged")
    for words, ignore, code, id in ((("--expect", "1"), "unexpected_drives", 0, "unexpected_drives"), (("--expect", "3"), "missing_drives", 0, "missing_drives"),
                                    (("--expect", "3"), "unexpected_drives", 2, "missing_drives"),
                                    (("--expect-serial", "GONE7,OK1"), "missing_drive", 0, "missing_drive"),
                                    (("--expect-serial", "GONE7"), "missing_drive:GONE7", 0, "missing_drive"),
                                    (("--expect-serial", "GONE7"), "missing_drive:GONE8", 2, "missing_drive")):
        run = check(host, *words, "--ignore", ignore, "-o", "json")
        ends(run, code, f"{' '.join(words)} --ignore {ignore}", findings(document(run)) == {id: "critical" if code else "info"} and
             ("(ignored: " in document(run)["findings"][0]["message"]) is (not code))
    empty = new_host(parent, "empty")
    ends(check(empty), 3, "no drive at all")
    run = check(empty, "-o", "json")
    ends(run, 3, "no drive at all, JSON", document(run)["drives"] == [] and document(run)["status"] == "unknown")
    ends(check(empty, "--expect", "0"), 0, "none expected, none there")
    ends(check(empty, "--expect", "1"), 2, "one expected, none there")
    ends(check(empty, "--expect", "1", "--ignore", "missing_drives"), 3, "one expected, none there, ignored: nothing was judged")


def quiet(parent):
    """A check that makes error log entries would itself be what the next mail is about."""
    host = new_host(parent, "quiet")
    drive(host, "nvme0", "OK1", smart())
    drive(host, "nvme1", "OK2", smart(), limits=(0, 0), config={"features": {"0x04": 358}})

    def entries():
        pages = [subprocess.run([SSDCT, "log", "get", name, "smart", "--raw", "--host", host], capture_output=True).stdout
                 for name in ("nvme0", "nvme1")]
        return [struct.unpack_from("<Q", page, 176)[0] for page in pages]

    before = entries()
    for _ in range(3):
        check(host)
    result(before == entries() == [0, 0], "checking leaves the error log as it is", f"{before} {entries()}")
    run = check(host, "nvme1", "-o", "json")
    limits = [document(run)["drives"][0][f"temperature_{word}_celsius"] for word in ("warning", "critical")]
    result(limits == [80, 85], "limits from feature 04h, 358 K", limits)


def self_tests(*entries):
    """Log page 06h: a byte per result, newest first: test (1 short, 2 extended) and result; Fh is unused."""
    page = bytearray(564)
    for i, entry in enumerate(entries + (0x0f,) * (20 - len(entries))):
        page[4 + 28 * i] = entry
    return bytes(page)


def sanitized(sstat):
    return struct.pack("<HHI", 0xffff, sstat, 2).ljust(512, b"\0")


def other_pages(parent):
    """What is not in the SMART log: a sanitize operation or a self-test that failed. Read where Identify announces it."""
    has_test, has_sanitize = {"oacs": 0x10}, {"sanicap": 2}
    tests, sanitize = (lambda *entries: {"log_06": self_tests(*entries), **has_test}), lambda s: {"log_81": sanitized(s), **has_sanitize}
    failed_test, failed_sanitize = {"self_test_failed": "critical"}, {"sanitize_failed": "critical"}
    cases = (
        ("no test yet", tests(), {}), ("a test that passed", tests(0x10), {}),
        ("a segment failed", tests(0x27), failed_test), ("an unknown segment failed", tests(0x16), failed_test),
        ("a fatal error", tests(0x15), failed_test), ("passed after a failure", tests(0x10, 0x27), {}),
        ("aborted after a failure", tests(0x11, 0x22, 0x13, 0x14, 0x18, 0x19, 0x27), failed_test),
        ("aborted after a pass", tests(0x11, 0x10, 0x27), {}), ("an unused entry first", tests(0x0f, 0x07, 0x27), failed_test),
        ("not announced", {"log_06": self_tests(0x27), "log_81": sanitized(3)}, {}),
        ("announced and missing", {**has_test, **has_sanitize}, {}),
        ("never sanitized", sanitize(0), {}), ("sanitized", sanitize(0x101), {}), ("sanitize in progress", sanitize(2), {}),
        ("sanitize failed", sanitize(3), failed_sanitize), ("sanitize failed, passes counted", sanitize(3 | 2 << 3), failed_sanitize),
        ("sanitized, deallocated", sanitize(0x104), {}),
        ("page 81h of no more than a dword", {**sanitize(0), "config": {"faults": [{"opcode": 2, "lid": 0x81, "count": 0, "short": 4}]}}, {"no_data": "unknown"}),
        ("page 06h without a result", {**tests(), "config": {"faults": [{"opcode": 2, "lid": 6, "count": 0, "short": 4}]}}, {"no_data": "unknown"}),
        ("page 06h failed", {**tests(), "config": {"faults": [{"opcode": 2, "lid": 6, "count": 0, "status": "0x0006"}]}}, {"unreadable": "unknown"}),
        ("a failed test, and page 81h failed", {**tests(0x27), **has_sanitize, "config": {"faults": [{"opcode": 2, "lid": 0x81, "count": 0, "status": "0x0006"}]}},
         {"self_test_failed": "critical", "unreadable": "unknown"}))
    host = new_host(parent, "other-pages")
    for i, (_, made, _) in enumerate(cases):
        drive(host, f"nvme{i}", f"S{i}", smart(), **made)
    for i, (text, _, found) in enumerate(cases):
        code = 2 if "critical" in found.values() else 3 if found else 0
        run = check(host, f"nvme{i}", "-o", "json")
        ends(run, code, text, findings(document(run)["drives"][0]) == found)
    for id, words in (("self_test_failed", {**tests(0x27)}), ("sanitize_failed", sanitize(3))):
        host = new_host(parent, id)
        drive(host, "nvme0", "S0", smart(), **words)
        run = check(host, "--ignore", id, "-o", "json")
        ends(run, 0, f"--ignore {id}", findings(document(run)["drives"][0]) == {id: "info"})


def failure_mode(parent):
    """A drive in this mode refuses most pages, with an entry in its error log: check asks for none of them."""
    host = new_host(parent, "failure-mode")
    drive(host, "nvme0", "S0", smart(), oacs=0x10, sanicap=2, log_06=self_tests(), log_81=sanitized(0), config={"sanitize": {"fail": True, "busy_polls": 0}})
    subprocess.run([SSDCT, "sanitize", "start", "nvme0", "--action", "block", "--confirm", "S0", "--host", host], capture_output=True)
    entries = []
    for _ in range(2):
        run = check(host, "-o", "json")
        ends(run, 2, "the failure mode of a sanitize operation", findings(document(run)["drives"][0]) == {"sanitize_failed": "critical"})
        page = subprocess.run([SSDCT, "log", "get", "nvme0", "smart", "--raw", "--host", host], capture_output=True).stdout
        entries.append(struct.unpack_from("<Q", page, 176)[0])
    result(entries[0] == entries[1], "checking leaves the error log as it is, in the failure mode as well", entries)


def timeouts(parent):
    host = new_host(parent, "timeouts")
    drive(host, "nvme0", "OK1", smart())
    drive(host, "nvme1", "SLOW1", smart(), config={"faults": [{"opcode": "0x02", "count": 0, "delay_ms": 20000}]})
    run = check(host, "--timeout", "1", "-o", "json")
    doc = document(run)
    ends(run, 3, "a drive that does not answer", findings(doc["drives"][1]) == {"timeout": "unknown"} and
         doc["drives"][0]["status"] == "ok" and doc["drives"][1]["error"]["code"] == "timeout")


def dead(parent):
    host = new_host(parent, "dead")
    drive(host, "nvme0", "DEAD1", smart(), config={"sysfs": {"state": "dead"}})
    run = check(host, "-o", "json")
    ends(run, 2, "a dead controller", findings(document(run)["drives"][0]) == {"state": "critical"})


PERFDATA = re.compile(r"('([^'=]|'')+'=-?\d+(\.\d+)?(%|c)?(;[^; ]*){0,4}( |$))+")


def nagios(parent):
    host = new_host(parent, "nagios")
    drive(host, "nvme0", "OK1", smart())
    run = check(host, "-o", "nagios")
    first = run.stdout.splitlines()[0]
    ends(run, 0, "plugin, all well", first == "SSDCT OK - nvme0 INTEL SSDPEDMD020T4 38 C, used 41%, spare 99% (simulated)"
         " | 'nvme0_temperature'=38;@70:;@80: 'nvme0_percentage_used'=41%;@90:;;0;255 'nvme0_spare'=99%;@0:10;@0:9;0;100")
    drive(host, "nvme1", "A|B", smart(spare=9, used=95), model="INTEL \"X\\\" 1,2|3;4'", firmware="ERR|x")
    run = check(host, "-o", "nagios")
    lines = run.stdout.splitlines()
    ends(run, 2, "plugin, critical", lines[0].startswith("SSDCT CRITICAL - "))
    result(run.stdout.count("|") == 1 and lines[0].count(" | ") == 1, "one separator whatever the drives are called",
           run.stdout)
    result(bool(PERFDATA.fullmatch(lines[0].split(" | ")[1])), "performance data are well formed", lines[0])
    for name, code, word in (("nvme7", 3, "UNKNOWN"), ("nvme0", 0, "OK")):
        run = check(host, name, "-o", "nagios")
        ends(run, code, f"plugin, {word}", run.stdout.startswith(f"SSDCT {word} - "))
    run = check(host, "-o", "nagios", allow=False)
    ends(run, 3, "plugin, simulated host not allowed", run.stdout.startswith("SSDCT UNKNOWN - ") and "|" not in run.stdout)
    run = check(host, "-o", "json", allow=False)
    ends(run, 3, "simulated host not allowed", document(run)["error"]["code"] == "refused" and document(run)["status"] == "unknown")
    for words in (("--bogus", "-o", "nagios"), ("-o", "nagios", "--expect", "x"), ("-onagios", "--bogus"), ("--output", "nagios", "--bogus"),
                  ("--bogus", "--output=nagios"), ("nvme0", "extra|ord\ninary", "-o", "nagios"), ("-o", "nagios", "--ignore", "x"), ("-onagios", "--all=3")):
        run = check(host, *words)
        ends(run, 3, f"plugin, {' '.join(words)}", re.fullmatch(r"SSDCT UNKNOWN - [^|]+\n", run.stdout) is not None)
    for words in (("--bogus",), ("nvme99",), ("--expect", "x")):
        run = check(host, *words, "--json")
        ends(run, 3, f"no verdict, {' '.join(words)}", document(run)["status"] == "unknown" and document(run)["ok"] is False)
    for words in (("-o", "nagios", "list"), ("list", "--bogus", "-o", "nagios"), ("-o", "nagios"), ("-o", "nagios", "chekc")):
        run = subprocess.run([SSDCT, *words, "--host", host], capture_output=True, text=True)
        ends(run, 2, f"plugin of another command, {' '.join(words)}", not run.stdout and run.stderr)
    run = check(new_host(parent, "none"), "-o", "nagios")
    ends(run, 3, "plugin, no drive", run.stdout.startswith("SSDCT UNKNOWN - ") and "|" not in run.stdout)


def alerts(value, text):
    """Whether a value is outside (or with @ inside) of a range "[@][start:]end", as the plugins' guidelines define it."""
    if not text:
        return False
    start, _, end = text.lstrip("@").rpartition(":")
    inside = value >= (float("-inf") if start == "~" else float(start or 0)) and value <= float(end or "inf")
    return inside == text.startswith("@")


def ranges(parent):
    """Performance data and verdict agree, at the limits as well."""
    host = new_host(parent, "ranges", mode="recorded")
    pages = [({"kelvin": 273 + t}, "temperature", t) for t in (-1, 0, 69, 70, 71, 79, 80, 81)]
    pages += [({"used": u}, "percentage_used", u) for u in (0, 89, 90, 91, 99, 100, 101, 255)]
    pages += [({"spare": s}, "spare", s) for s in (0, 9, 10, 11, 100)]
    for i, (page, label, value) in enumerate(pages):
        drive(host, f"nvme{i}", f"S{i}", smart(**page))
        run = check(host, f"nvme{i}", "-o", "nagios", "--used-critical", "100", allow=False)
        found = re.search(rf"'nvme{i}_{label}'=(-?\d+)%?;([^; ]*);([^; ]*)", run.stdout)
        said = 2 if alerts(value, found[3]) else 1 if alerts(value, found[2]) else 0
        result(int(found[1]) == value and said == run.returncode, f"plugin, {label} {value}: {said}", run)
    run = check(host, "nvme0", allow=False)
    result("(recorded)" in run.stdout and "(recorded)" in check(host, "nvme0", "-o", "nagios", allow=False).stdout.splitlines()[0],
           "a recording is called one", run)


def lost_output(parent):
    """A verdict that nobody got is none; only critical is worse. Exit 1 would be a warning."""
    host = new_host(parent, "lost")
    drive(host, "nvme0", "OK1", smart())
    drive(host, "nvme1", "WARN1", smart(used=91))
    drive(host, "nvme2", "CRIT1", smart(spare=9))
    for name, code in (("nvme0", 3), ("nvme1", 3), ("nvme2", 2)):
        for output in ("text", "json", "nagios"):
            with open("/dev/full", "w") as full:
                run = subprocess.run([SSDCT, "check", name, "--host", host, "--allow-simulated", "-o", output], stdout=full,
                                     stderr=subprocess.PIPE, text=True)
            result(run.returncode == code and run.stderr.count("\n") == 1, f"/dev/full, {name}, {output}: exit {code}", run)


def recorded(parent):
    host = new_host(parent, "recorded", mode="recorded")
    drive(host, "nvme0", "OK1", smart())
    ends(check(host, allow=False), 0, "a recording may be judged")


def main():
    with tempfile.TemporaryDirectory() as parent:
        verdicts(parent)
        expectations(parent)
        quiet(parent)
        other_pages(parent)
        failure_mode(parent)
        timeouts(parent)
        dead(parent)
        nagios(parent)
        ranges(parent)
        lost_output(parent)
        recorded(parent)
    print(f"1..{count}")
    return 1 if failed else 0


sys.exit(main())
