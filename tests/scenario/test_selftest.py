#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Device self-test on simulated drives: start, follow, abort, and results with their meaning."""
import glob
import json
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from fw_lib import Started  # noqa: E402
from harness import SSDCT, Host, Tap, id_ctrl, id_ns, run, trace_of, until  # noqa: E402

tap = Tap()
SERIAL = "CVFT5152003M2P0EGN"


def host(selftest=None, faults=(), oacs=0x16, nn=1, ns=None, **pages):
    h = Host(simulated=True)
    drive = {"selftest": selftest or {}, "faults": list(faults)}
    if ns:
        drive["namespaces"] = {"1": ns}
    pages.setdefault("log_06", log())
    return h.drive(id_ctrl=id_ctrl(serial=SERIAL, ver=0x10400, oacs=oacs, nn=nn, offset_316=(7).to_bytes(2, "little")), drive_json=drive, **pages)


def sent(trace, opcode=0x14):
    return [(t["nsid"], t["cdw10"]) for t in trace if t["opcode"] == opcode and t["sent"]]


def log(*results, running=0, percent=0):
    """Log page 06h; each result is (status byte, segment, valid, nsid, lba)."""
    b = bytes([running, percent, 0, 0])
    for status, segment, valid, nsid, lba in results:
        b += bytes([status, segment, valid, 0]) + (100).to_bytes(8, "little") + nsid.to_bytes(4, "little") + lba.to_bytes(8, "little") + bytes(4)
    return b + (b"\x0f" + bytes(27)) * (20 - len(results))


# A drive that has none is sent nothing (bug 34).
h = host(oacs=6)
for verb in ("start", "abort", "status"):
    words = ["--yes"] if verb != "status" else []
    r, trace = trace_of("selftest", verb, "nvme0", *words, "-o", "json", host=h)
    tap.result(r.code == 7 and r.drive["error"]["code"] == "unsupported" and {t["opcode"] for t in trace} <= {6}, f"{verb}: no self-test, nothing sent", r)

# Half a log is none: "no result" and "no test is running" would be made up.
ended = log((0x16, 1, 0, 0, 0))
for verb in ("status", "abort", "start"):
    r, trace = trace_of("selftest", verb, "nvme0", *(["--yes"] if verb != "status" else []), "-o", "json",
                        host=host(log_06=ended, faults=[{"opcode": 2, "lid": 6, "short": 4, "count": 0}]))
    tap.result(r.code == 1 and r.drive["error"]["code"] == "no_data" and r.drive["selftest"]["state"] is None and not sent(trace), f"{verb}: a short log", r)
# Another namespace than that which there is means something else: it is not exchanged for all.
r, trace = trace_of("selftest", "start", "nvme0", "--nsid", "5", "--yes", "-o", "json", host=host())
tap.result(r.code == 1 and sent(trace) == [(5, 1)] and r.drive["error"]["nvme_status"]["code"] == 0xb, "a namespace that is not there is refused", r)

for words, namespaces in (((), "all"), (("--nsid", "1"), "1"), (("--controller",), None)):
    r = run("selftest", "start", "nvme0", *words, "--yes", host=host())
    said = [line.split()[1] for line in r.out.splitlines() if line.startswith("  Namespaces ")]
    tap.equal(said, [namespaces] if namespaces else [], f"text, {words}: namespaces {namespaces}")
# Start, follow, result.
for result, state, code in ((0, "passed", 0), (1, "aborted", 1), (2, "aborted", 1), (3, "aborted", 1), (4, "aborted", 1), (5, "failed", 1),
                            (6, "failed", 1), (7, "failed", 1), (8, "aborted", 1), (9, "aborted", 1), (10, "failed", 1)):
    r, trace = trace_of("selftest", "start", "nvme0", "--wait", "--yes", "-o", "json", host=host({"busy_polls": 3, "result": result}))
    s = r.drive["selftest"]
    tap.result(r.code == code and r.json["ok"] and s["state"] == state and s["meaning"] and s["type"] == "short"
               and r.drive["self_test"]["results"][0]["result"]["value"] == result, f"result {result}: {state}, exit {code}", r)
    tap.equal(sent(trace), [(0xffffffff, 1)], f"result {result}: sent once, all namespaces")
r = run("selftest", "start", "nvme0", "--wait", "--yes", "-o", "json",
        host=host({"busy_polls": 1, "result": 7, "segment": 4, "nsid": 1, "failing_lba": 77, "status": 0x281}))
tap.equal([r.drive["self_test"]["results"][0][k] for k in ("segment", "nsid", "failing_lba", "status_code_type", "status_code")], [4, 1, 77, 2, 0x81],
          "what failed, and where")
r, trace = trace_of("selftest", "start", "nvme0", "--type", "extended", "--yes", "-o", "json", host=host({"busy_polls": 50}))
tap.result(r.code == 0 and r.drive["selftest"]["state"] == "running" and r.drive["selftest"]["extended_minutes"] == 7 and sent(trace) == [(0xffffffff, 2)],
           "extended, not waited for", r)
r = run("selftest", "start", "nvme0", "--yes", "-o", "json", host=host({"busy_polls": 0}))
tap.result(r.code == 0 and r.drive["selftest"]["state"] == "passed", "a test that has ended before anybody looked", r)
for words, nsid in ((("--nsid", "1"), 1), (("--controller",), 0), ((), 0xffffffff)):
    r, trace = trace_of("selftest", "start", "nvme0", *words, "--yes", host=host())
    tap.result(r.code == 0 and sent(trace) == [(nsid, 1)], f"start {words}: NSID {nsid}", r)
r, trace = trace_of("selftest", "start", "nvme0n1", "--yes", host=host())
tap.equal(sent(trace), [(1, 1)], "the namespace that is named")

# Bug 34: a drive of one namespace that refuses one way of naming it.
for status in ("0x4002", "0x400b", "0x2002"):
    for words, first, second in (((), 0xffffffff, 1), (("--nsid", "1"), 1, 0xffffffff)):
        r, trace = trace_of("selftest", "start", "nvme0", *words, "--yes", "-o", "json",
                            host=host({"busy_polls": 5}, faults=[{"opcode": 0x14, "nsid": first, "count": 0, "status": status}]))
        tap.result(r.code == 0 and sent(trace) == [(first, 1), (second, 1)] and r.drive["selftest"]["nsid"] == second, f"{status} for NSID {first}: the other", r)
r, trace = trace_of("selftest", "start", "nvme0", "--yes", host=host(nn=2, faults=[{"opcode": 0x14, "count": 0, "status": "0x4002"}], id_ns_2=id_ns()))
tap.result(r.code == 1 and len(sent(trace)) == 1, "with two namespaces it is not the same, and not tried", r)
r, trace = trace_of("selftest", "start", "nvme0", "--nsid", "7", "--yes", host=host())
tap.result(r.code == 1 and sent(trace) == [(7, 1)], "a namespace that is not there is no other way of naming the one that is", r)
r, trace = trace_of("selftest", "start", "nvme0", "--yes", host=host(faults=[{"opcode": 0x14, "count": 0, "status": "0x0006"}]))
tap.result(r.code == 1 and len(sent(trace)) == 1, "another refusal is not answered by a second try", r)

# Refusals before anything is sent.
h = host({"busy_polls": 9})
for words, code in (((), 4), (("--dry-run",), 0), (("--confirm", SERIAL), 4), (("--yes", "--nsid", "0"), 2), (("--yes", "--type", "long"), 2),
                    (("--yes", "--nsid", "1", "--controller"), 2)):
    r = run("selftest", "start", "nvme0", *words, "-o", "json", host=h)
    tap.result(r.code == code and run("selftest", "status", "nvme0", "-o", "json", host=h).drive["selftest"]["state"] == "none", f"{words}: {code}, none runs", r)
tap.equal(run("selftest", "start", "nvme0", "--yes", host=host(ns={"mounts": ["/srv"]})).code, 0, "a mounted drive can be tested")

# Nothing beside a sanitize operation: log page 81h says that one runs (state 2), and SANICAP that there are such.
h = host(log_81=b"\x00\x40\x02\x00".ljust(512, b"\0"))
with open(os.path.join(str(h), "nvme0/id-ctrl.bin"), "r+b") as f:
    f.seek(328)
    f.write(b"\x02")
r, trace = trace_of("selftest", "start", "nvme0", "--yes", "-o", "json", host=h)
tap.result(r.code == 4 and "a sanitize operation is running" in r.drive["error"]["message"] and not sent(trace), "a sanitize operation runs: refused", r)

# One at a time; abort.
h = host({"busy_polls": 1000})
run("selftest", "start", "nvme0", "--yes", host=h)
r = run("selftest", "start", "nvme0", "--yes", "-o", "json", host=h)
tap.result(r.code == 1 and r.drive["error"]["nvme_status"]["code"] == 0x1d and "abort" in r.drive["error"]["hint"], "a second test: refused by the drive", r)
r = run("selftest", "abort", "nvme0", host=h)
tap.equal(r.code, 4, "abort asks")
r, trace = trace_of("selftest", "abort", "nvme0", "--yes", "-o", "json", host=h)
tap.result(r.code == 0 and r.drive["selftest"]["state"] == "aborted" and [c for _, c in sent(trace)] == [15], "abort", r)
r, trace = trace_of("selftest", "abort", "nvme0", "--yes", host=h)
tap.result(r.code == 0 and not sent(trace), "abort of nothing: nothing is sent", r)

# Status: what is unused, what failed.
h = host(log_06=log((0x10, 0, 0, 0, 0), (0x0f, 0, 0, 0, 0), (0x00, 0, 0, 0, 0), (0x27, 3, 3, 1, 9)))
r = run("selftest", "status", "nvme0", "-o", "json", host=h)
tap.equal([e["entry"] for e in r.drive["self_test"]["results"]], [0, 3], "bug 33: unused entries in the midst are none")
tap.equal((r.code, r.drive["selftest"]["state"]), (0, "passed"), "status: the newest result")
h = host(log_06=log((0x0f, 0, 0, 0, 0), (0x26, 0, 0, 0, 0)))
tap.equal((run("selftest", "status", "nvme0", host=h).code, run("selftest", "status", "nvme0", "--strict", host=h).code), (0, 1), "--strict")
tap.equal(run("selftest", "status", "nvme0", "--strict", host=host(log_06=log((0x11, 0, 0, 0, 0)))).code, 0, "--strict: aborted is no failure")
r, trace = trace_of("selftest", "status", "nvme0", host=host(log_06=log()))
tap.equal([t["nsid"] for t in trace if t["opcode"] == 2], [0xffffffff], "smartmontools issue 217: the log is read with FFFFFFFFh")
for fault in ({"opcode": 2, "lid": 6, "count": 0, "status": "0x4109"}, {"opcode": 2, "lid": 6, "count": 0, "untouched": True}):
    r, trace = trace_of("selftest", "start", "nvme0", "--yes", host=host(faults=[fault]))
    tap.result(r.code == 1 and not sent(trace), f"{fault}: a test whose result nobody could read is not started", r)

r = run("selftest", "start", "nvme0", "--yes", "-o", "json", host=host({"busy_polls": 9}, faults=[{"opcode": 2, "lid": 6, "nth": 2, "count": 0, "short": 4}]))
tap.result(r.code == 1 and r.drive["error"]["code"] == "no_data" and "was started" in r.drive["error"]["message"] and r.drive["self_test"] is None,
           "started, and then a log that ends early", r)

# Interrupted, or no longer waited for: the test goes on.
h = host({"busy_polls": 100000})
p = subprocess.Popen([SSDCT, "selftest", "start", "nvme0", "--wait", "--yes", "-o", "json", "--host", str(h)], stdout=subprocess.PIPE,
                     stderr=subprocess.DEVNULL, text=True)
until(lambda: run("selftest", "status", "nvme0", "-o", "json", host=h).drive["selftest"]["state"] == "running")
tap.result(until(lambda: run("selftest", "abort", "nvme0", "--dry-run", host=h).code == 0) and p.poll() is None, "who waits does not hold the drive")
p.send_signal(signal.SIGINT)
d = json.loads(p.communicate(timeout=300)[0])["drives"][0]
tap.result(p.returncode == 130 and d["error"]["code"] == "interrupted" and "goes on" in d["error"]["message"], "interrupted: 130", d)
tap.equal(run("selftest", "status", "nvme0", "-o", "json", host=h).drive["selftest"]["state"], "running", "and the test goes on")
r = run("selftest", "start", "nvme0", "--wait", "--timeout", "1", "--yes", "-o", "json", host=host({"busy_polls": 100000}))
tap.result(r.code == 1 and r.drive["error"]["code"] == "timeout" and "goes on" in r.drive["error"]["message"], "--timeout: 1", r)
tap.equal(run("selftest", "status", "nvme0", host=Host().drive(id_ctrl=id_ctrl(oacs=0x16), log_06=log((0x10, 0, 0, 0, 0)))).code, 0, "a recorded host has results")
tap.equal(run("selftest", "start", "nvme0", "--yes", host=Host().drive(id_ctrl=id_ctrl(oacs=0x16), log_06=log())).code, 7, "and starts nothing")

# A lost answer: the log says what came of it.
for errno in ("ENODEV", "EINTR"):
    r, trace = trace_of("selftest", "start", "nvme0", "--yes", "-o", "json", host=host({"busy_polls": 50}, faults=[{"opcode": 0x14, "lost": errno}]))
    tap.result(r.code == 0 and r.drive["selftest"]["state"] == "running" and len(sent(trace)) == 1, f"started, and the answer lost ({errno})", r)
    r, trace = trace_of("selftest", "start", "nvme0", "--yes", "-o", "json", host=host({"busy_polls": 50}, faults=[{"opcode": 0x14, "errno": errno}]))
    tap.result(r.code == 1 and r.drive["error"]["code"] == "unverified" and r.drive["selftest"]["state"] is None and len(sent(trace)) == 1,
               f"not started, and the answer lost ({errno}): not known", r)
    h = host({"busy_polls": 1000}, faults=[{"opcode": 0x14, "nth": 2, "lost": errno}])
    run("selftest", "start", "nvme0", "--yes", host=h)
    r = run("selftest", "abort", "nvme0", "--yes", "-o", "json", host=h)
    tap.result(r.code == 0 and r.drive["selftest"]["state"] == "aborted", f"aborted, and the answer lost ({errno})", r)

# A log full of results that are all alike, in a burn-in of twenty tests within an hour, looks the same after one more.
alike = log(*[(0x10, 0, 0, 0, 0)] * 20)
smart = bytes(128) + (100).to_bytes(16, "little") + bytes(368)
for words in ((), ("--wait",)):
    for polls in (0, 2):
        h = host({"busy_polls": polls}, log_06=alike, log_02=smart)
        r, trace = trace_of("selftest", "start", "nvme0", *words, "--yes", "-o", "json", host=h)
        state = "passed" if words or not polls else "running"
        tap.result(r.code == 0 and r.drive["selftest"]["state"] == state and len(r.drive["self_test"]["results"]) == 20 and len(sent(trace)) == 1,
                   f"the 21st of its kind, {words}, {polls} polls: {state}", r)
        tap.equal("all alike" in r.err, state == "passed", "and it is said by what")
# It does not where the new one would differ: a test that left no result while the drive was on for longer, or of the other type.
later = bytes(128) + (101).to_bytes(16, "little") + bytes(368)
for what, full, words, page in (("an hour later", alike, (), later), ("the other type", alike, ("--type", "extended"), smart),
                                ("the hours not readable", alike, (), None)):
    h = host(log_06=full, log_02=page or smart, faults=[{"opcode": 0x14, "status": "0x000"}] + ([] if page else [{"opcode": 2, "lid": 2, "status": "0x4002", "count": 0}]))
    r, trace = trace_of("selftest", "start", "nvme0", *words, "--yes", "-o", "json", host=h)
    tap.result(r.code == 1 and r.drive["error"]["code"] == "unverified" and r.drive["selftest"]["state"] is None and len(sent(trace)) == 1,
               f"a log full of results that are all alike is not this test's, {what}", r)
r = run("selftest", "start", "nvme0", "--yes", "-o", "json", host=host(log_06=alike, faults=[{"opcode": 0x14, "errno": "EINTR"}]))
tap.result(r.code == 1 and r.drive["error"]["code"] == "unverified" and r.drive["selftest"]["state"] is None, "which is no proof where the answer was lost", r)

# Two namespaces named.
r, trace = trace_of("selftest", "start", "nvme0n1", "--nsid", 2, "--yes", host=host(id_ns_2=id_ns(), nn=2))
tap.result(r.code == 2 and "--nsid" in r.err and not sent(trace), "nvme0n1 --nsid 2: which namespace?", r)

# The newest result is an old one: a test that was reset away has none.
h = host({"busy_polls": 1000000}, log_06=log((0x10, 0, 0, 0, 0)))
p = Started("selftest", "start", "nvme0", "--wait", "--yes", host=h)
reached = p.wait_for(lambda all_sent: sent([{**t, "sent": True} for t in all_sent]) and sum(t["opcode"] == 2 for t in all_sent) > 2)
tap.result(reached, "a test is followed")
while p.process.poll() is None:
    for path in glob.glob(os.path.join(str(h), "**", "state.json"), recursive=True):
        with open(path, encoding="utf-8") as f:
            state = json.load(f)
        if state.pop("selftest", None):
            with open(path + ".new", "w", encoding="utf-8") as f:
                json.dump(state, f)
            os.rename(path + ".new", path)
    time.sleep(0.01)
r = p.end()
tap.result(r.code == 1 and r.drive["error"]["code"] == "unverified" and r.drive["selftest"]["state"] is None
           and len(r.drive["self_test"]["results"]) == 1, "a test that ended without a result: an old one is not its result", r)

sys.exit(tap.end())
