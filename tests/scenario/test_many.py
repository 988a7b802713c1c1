#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Many drives at once: one that does not answer among eight, 64 slow ones, 128.

Times are compared within one run: 64 drives with one, by the median of ratios, so that the speed of the machine and what
else runs on it do not decide. Only the time-out is in seconds, as the contract has it.
"""
import json
import os
import random
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import SSDCT, TMP, Host, Tap, run, smart, until  # noqa: E402

tap = Tap()
ALLOW = "--allow-simulated"


# --- One of eight answers its SMART log after 30 s ---

slow = Host(simulated=True)
for n in range(8):
    late = {"faults": [{"opcode": 2, "lid": 2, "count": 0, "delay_ms": 30000}]} if n == 3 else {}
    slow.drive(f"nvme{n}", log_02=smart(kelvin=300 + n, used=n), drive_json=late)


def children(pid):
    """Processes whose parent is pid."""
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat", encoding="latin-1") as f:
                if f.read().rpartition(")")[2].split()[1] == str(pid):
                    found.append(int(entry))
        except (FileNotFoundError, ProcessLookupError):
            pass
    return found


def outputs(pid):
    """What the descriptors of a process lead to; None when it has gone."""
    try:
        return {os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")}
    except (FileNotFoundError, PermissionError):
        return None


def start(*words, shell=""):
    """Starts the program with both outputs in pipes; shell is what follows it in a command line."""
    words = [SSDCT, *words, "--host", str(slow)]
    command = ["sh", "-c", '"$@" ' + shell, "sh", *words] if shell else words
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return process, time.monotonic()


def finish(started):
    """Reads both pipes to their ends; returns the seconds that took, exit code, stdout, stderr."""
    process, begun = started
    out, err = process.communicate(timeout=300)
    return time.monotonic() - begun, process.returncode, out, err


# What a busy machine may add to a time-out: ten times what the same takes on drives that answer.
quick = Host(simulated=True)
for n in range(8):
    quick.drive(f"nvme{n}")
begun = time.monotonic()
run("list", "--health", host=quick)
slack = 10 * (time.monotonic() - begun)

runs = {"list": start("list", "--health", "-o", "json"), "check": start("check", ALLOW, "-o", "json"),
        "list, text": start("list", "--health", shell="2>&1 | cat"), "check, plugin": start("check", ALLOW, "-o", "nagios", shell="2>&1 | cat")}
for name in ("list", "check"):
    ours = {f"pipe:[{os.fstat(stream.fileno()).st_ino}]" for stream in (runs[name][0].stdout, runs[name][0].stderr)}
    until(lambda pid=runs[name][0].pid: len(children(pid)) == 1, 8)  # the others have their answers
    workers = [held for held in map(outputs, children(runs[name][0].pid)) if held is not None]
    tap.result(len(workers) == 1 and not workers[0] & ours, f"{name}: the process that waits holds neither stdout nor stderr", workers, ours)
ends = {name: finish(started) for name, started in runs.items()}
for name, (seconds, code, out, err) in ends.items():
    tap.result(9.5 < seconds < 11 + slack, f"{name}: readers see the end after 10 s ({seconds:.2f})", slack, out, err)
for name, code in (("list", 6), ("check", 3)):
    doc = json.loads(ends[name][2])
    tap.equal(ends[name][1], code, f"{name}: exit code")
    rows = doc["drives"]
    tap.equal([d["device"] for d in rows], [f"nvme{n}" for n in range(8)], f"{name}: all eight rows")
    verdict = "health" if name == "list" else "status"
    tap.equal([(d["ok"], d[verdict], d["temperature_celsius"], d["percentage_used"], d["error"]) for d in rows if d["device"] != "nvme3"],
              [(True, "ok", 27 + n, n, None) for n in range(8) if n != 3], f"{name}: seven are complete")
    row = rows[3]
    tap.equal([row["ok"], row["error"]["code"], row[verdict], row["temperature_celsius"]], [False, "timeout", "unknown", None],
              f"{name}: the eighth has error code timeout")
tap.equal([rows[3]["findings"][0]["id"], rows[3]["serial"] is not None], ["timeout", True], "check: the finding; identity is there all the same")
lines = ends["list, text"][2].splitlines()
tap.result(sum(" ok" in line for line in lines) == 7 and any("nvme3" in line and "unknown" in line for line in lines) and
           any("nvme3" in line and "10 s" in line for line in lines), "list, text: eight lines, and why", *lines)
tap.result(ends["check, plugin"][2].startswith("SSDCT UNKNOWN"), "check, plugin: unknown", ends["check, plugin"][2])
begun = time.monotonic()
r = run("smart", "--all", "--timeout", "2", "-o", "json", host=slow)
tap.result(r.code == 6 and time.monotonic() - begun < 5 + slack and [d["ok"] for d in r.json["drives"]] == [n != 3 for n in range(8)],
           "--timeout 2: the same after two seconds", r)


# --- 64 drives of 20 ms a command ---

SLOW = {"latency_us": 20000}
one, many = Host(simulated=True).drive("nvme0", drive_json=SLOW), Host(simulated=True)
for n in range(64):
    many.drive(f"nvme{n}", drive_json=SLOW)


def seconds_of(words, host):
    begun_at = time.monotonic()
    result = run(*words, host=host)
    return time.monotonic() - begun_at, result.code


for words in (["list", "--health"], ["check", ALLOW], ["smart", "--all"], ["show", "--all"]):
    seconds_of(words, many)  # what is read from disk for the first time
    ratios, codes, single = [], set(), []
    for _ in range(9):
        alone, code = seconds_of(words, one)
        all_of_them, code_many = seconds_of(words, many)
        ratios.append(all_of_them / alone)
        single.append(alone)
        codes |= {code, code_many}
    name = " ".join(words)
    tap.equal(codes, {0}, f"{name}: 64 drives of 20 ms a command: exit codes")
    tap.result(min(single) > 0.03, f"{name}: one takes its time, at least two commands", single)
    tap.result(statistics.median(ratios) < 5, f"{name}: 64 drives take less than 5 times what one takes",
               f"median {statistics.median(ratios):.2f}", sorted(ratios))
    print(f"# {name}: median ratio {statistics.median(ratios):.2f}, one takes {statistics.median(single) * 1000:.0f} ms")


# --- 128 drives ---

crowd = Host(simulated=True)
order = list(range(128))
random.Random(128).shuffle(order)
for n in order:
    crowd.drive(f"nvme{n}", log_02=smart(kelvin=273 + n % 60))
NAMES = [f"nvme{n}" for n in range(128)]
for words in (["list"], ["list", "--health"], ["smart", "--all"], ["errors", "--all"], ["show", "--all"], ["check", ALLOW], ["log", "list", "--all"]):
    r = run(*words, "-o", "json", host=crowd)
    name = " ".join(words)
    tap.equal([r.code, [d["device"] for d in r.json["drives"]]], [0, NAMES], f"{name}: 128 drives in natural order")
    tap.result(all(d["ok"] for d in r.json["drives"]), f"{name}: every one of 128 is complete")
    text = run(*words, host=crowd)
    places = [text.out.find(f"{device} ") for device in NAMES]
    tap.result(text.code == 0 and -1 not in places and places == sorted(places) and not text.err, f"{name}: 128 drives in text", text)
temperatures = [d["smart"]["temperature_celsius"] for d in run("smart", "--all", "-o", "json", host=crowd).json["drives"]]
tap.equal(temperatures, [n % 60 for n in range(128)], "smart --all: every row has its own drive's numbers")
r = run("smart", "nvme100", "nvme9", "nvme10", "-o", "json", host=crowd)
tap.equal([d["device"] for d in r.json["drives"]], ["nvme9", "nvme10", "nvme100"], "named in another order: natural order")
r = run("smart", "--all", "-o", "json", host=crowd)
tap.equal([d["device"] for d in r.json["drives"]], NAMES, "all: natural order, each once")
tap.equal(run("smart", "nvme100", "--all", host=crowd).code, 2, "one named, and all: which is it")
lab = os.path.join(TMP, "lab128")
r = run("sim", "create", lab, "--model", "p4510:128", "-o", "json")
r = run("list", "--health", "-o", "json", host=lab)
tap.equal([r.code, len(r.json["drives"]), {d["health"] for d in r.json["drives"]}, len({d["serial"] for d in r.json["drives"]})],
          [0, 128, {"ok"}, 128], "128 drives of a simulated model")

sys.exit(tap.end())
