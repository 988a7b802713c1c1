#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a new user stumbles over: mistyped and misplaced words, and whether what is said about them is true and leads on."""
import json
import os
import pty
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "tests", "lib"))
from harness import SSDCT, TMP, Host, Tap, id_ctrl, run, smart  # noqa: E402

tap = Tap()
host = Host().drive("nvme0").drive("nvme1")
lab = os.path.join(TMP, "lab")
run("sim", "create", lab)
os.chdir(TMP)

# --- host directories ---

os.mkdir("bare")
r = run("list", host="bare")
tap.result(r.code == 0 and not r.out and "bare is no host directory" in r.err, "a directory that is no host says so", r)
tap.result("no NVMe drives" not in r.err, "once", r)
r = run("list", "-o", "json", host="bare")
tap.result(r.code == 0 and r.json["drives"] == [] and r.json["ok"], "a directory that is no host: an empty list all the same", r)
tap.equal(run("list", "-q", host="bare").err, "", "a directory that is no host: --quiet is quiet")
for word in ("lab/nvme0", "lab/nvme0/"):
    r = run("list", host=word)
    tap.result("did you mean lab?" in r.err, f"--host {word}: the host is one up", r)
empty = Host(simulated=True)
tap.result("no NVMe drives" in run("list", host=empty).err, "an empty host is a host")
r = run("sim", "create", "copy", "--from", "nowhere")
tap.result(r.code == 3 and "sim create nowhere" not in r.err and "capture" in r.err, "a copy of nothing: what --from wants", r)
r = run("sim", "create", "copy", "--from", "lab/nvme0")
tap.result(r.code == 3 and "did you mean lab?" in r.err and not os.path.exists("copy"), "a copy of a drive's directory", r)
r = run("list", host="/etc/passwd")
tap.result(r.code == 3 and "sim create /etc/passwd" not in r.err, "a file is no host, and none is made over it", r)

# --- typos ---

r = run("sim", "image", "--model", "p4511", "--revision", "A", "--size", "4K", "--out", "a.bin")
tap.result(r.code == 0 and "did you mean p4510?" in r.err, "a model that is almost a name is noted", r)
for model in ("p4510", "INTEL SSDPE2KX010T8", "MICRON 7450"):
    r = run("sim", "image", "--model", model, "--revision", "A", "--size", "4K", "--out", f"{model}.bin")
    tap.result(r.code == 0 and not r.err, f"no note of {model}", r)
r = run("check", "--ignore", "temperature:nvme9", "--ignore", "temperature:nvme1", "--ignore", "missing_drive:GONE", host=host)
tap.result(r.code == 0 and r.err.count("--ignore") == 1 and "temperature:nvme9" in r.err, "--ignore of a drive that is not here is noted", r)
for words in (["list", "--all", "nvme0"], ["smart", "nvme0", "--all"], ["fw", "update", "--all", "nvme0", "--image", "p4510.bin"]):
    r = run(*words, host=host)
    tap.result(r.code == 2 and "--all" in r.err, f"{' '.join(words)}: one or the other", r)
r = run("smart", "nvme0", "--trace", "-", host=host)
tap.result(r.code == 2 and "/dev/stderr" in r.err and not os.path.exists("-"), "--trace - makes no file of that name", r)

# --- commands and verbs ---

for words, hint in ((["log", "nvme0"], "list, get"), (["intel", "nvme0"], "market-name"), (["update"], '"fw update"'),
                    (["firmware"], '"fw"'), (["commit"], '"fw commit"'), (["schema", "fw", "updat"], '"fw update"'),
                    (["schema", "lits"], '"list"'), (["fw", "updte"], '"fw update"'), (["log", "get", "nvme0", "ca"], "0xca or cah"),
                    (["identify", "nvme0", "1c"], "0x1c or 1ch"), (["identify", "nvme0", "zzz"], "endurance-groups command-sets")):
    r = run(*words, "-o", "json", host=None if words[0] == "schema" else host)
    tap.result(r.code == 2 and hint in r.json["error"]["hint"], f"{' '.join(words)}: what there is", r)
tap.result('"fw updat"' in run("schema", "fw", "updat").err, "schema says all that was said")
for words in ([], ["intel"], ["sim"]):
    r = run(*words)
    listed = [line.split()[0] for line in run(*words, "--help").out.split("\nVerbs\n" if words else "\nCommands\n")[1].split("\n\n")[0].splitlines()]
    tap.result(r.code == 2 and ", ".join(listed) in r.err, f"{' '.join(words) or 'no command'}: the whole list", r)

# --- help: the options that a command takes, and the page that tells more ---

COMMON = {"--yes": ["smart", "list", "identify"], "--dry-run": ["smart", "list"], "--all": ["reset", "identify", "fw commit", "version"],
          "--host": ["sim create", "schema"], "--trace": ["version", "sim fault"], "--timeout": ["sim models"]}
GIVEN = {"--yes": ["fw update", "reset"], "--dry-run": ["reset"], "--all": ["smart", "list", "fw update"], "--host": ["list", "sim fault"],
         "--trace": ["list", "smart"], "--timeout": ["check", "list"], "--output": ["version", "sim models"]}
for option, commands in [*COMMON.items(), *GIVEN.items()]:
    for command in commands:
        shown = re.search(rf"^ +(-\w, )? *{option}\b", run(*command.split(), "--help").out, re.M)
        tap.equal(bool(shown), [option, commands] in map(list, GIVEN.items()), f"{command} --help and {option}")
for command in [line.split()[0] for line in run("--help").out.split("\nCommands\n")[1].split("\n\n")[0].splitlines()]:
    text = run(command, "--help").out
    page = re.search(r"The manual is (ssdct\S*)\(8\)", text)
    tap.result(page and os.path.exists(os.path.join(ROOT, "man", f"{page[1]}.8")), f"{command} --help names a page that there is", text)
    if "\nVerbs\n" in text:
        tap.result(f"ssdct {command} VERB --help" in text and "--output" not in text, f"{command} --help: how to get help of a verb", text)

# --- log pages ---


def on_terminal(*words, host):
    """Runs the program with a terminal as its standard output; returns the exit code, stderr and what the terminal saw."""
    main, terminal = pty.openpty()
    p = subprocess.run([SSDCT, *words, "--host", str(host)], stdin=subprocess.DEVNULL, stdout=terminal, stderr=subprocess.PIPE, text=True)
    os.close(terminal)
    try:
        seen = os.read(main, 65536)
    except OSError:
        seen = b""
    os.close(main)
    return p.returncode, p.stderr, seen


for words in (["log", "get", "nvme0", "smart"], ["identify", "nvme0", "ctrl"]):
    path, size = f"{words[0]}.bin", {"log": 512, "identify": 4096}[words[0]]
    r = run(*words, "--raw", "--to", path, host=host)
    tap.equal([r.code, r.out, r.err], [0, f"{path}: {size} bytes written\n", ""], f"{' '.join(words)} --raw --to: what was written")
    r = run(*words, "--raw", "--to", path, host=host)
    tap.result(r.code == 1 and "hint" in r.err and "new file" in r.err, f"{' '.join(words)} --raw --to: not over a file", r)
    tap.equal(os.path.getsize(path), size, f"{' '.join(words)} --raw --to: the bytes")
    r = run(*words, "--raw", "--hex", host=host)
    tap.result(r.code == 2 and not r.out, f"{' '.join(words)} --raw --hex: one or the other", r)
    code, err, seen = on_terminal(*words, "--raw", host=host)
    tap.result(code == 2 and "--to" in err and not seen, f"{' '.join(words)} --raw: no bytes on a terminal", err, seen)
    tap.result(on_terminal(*words, host=host)[2], f"{' '.join(words)}: text on a terminal")

# Every page of the list is read, or refused with the reason, as the list says.
optane = os.path.join(TMP, "optane")
run("sim", "create", optane, "--model", "p4800x")
odd = Host(simulated=True).drive(id_ctrl=id_ctrl(offset_92=(1 << 8).to_bytes(4, "little")))  # OAES: namespace attribute notices
for name, where in (("p3700", lab), ("p4800x", optane), ("changed namespaces", odd)):
    for entry in run("log", "list", "nvme0", "-o", "json", host=where).drive["logs"]:
        r = run("log", "get", "nvme0", entry["lid"], "-o", "json", host=where)
        tap.equal(r.code != 4, entry["readable"], f"{name}: whether page {entry['lid']:02X}h is readable is what the list says")
entries = {e["lid"]: e for e in run("log", "list", "nvme0", "-o", "json", host=odd).drive["logs"]}
tap.equal([entries[2]["readable"], entries[4]["readable"]], [True, False], "changed-namespaces is listed as not readable")
reasons = {run(*words, host=optane).err.split(": ", 2)[2].splitlines()[0] for words in
           (["log", "get", "nvme0", "C1h"], ["log", "get", "nvme0", "latency-read"], ["intel", "latency", "nvme0"])}
tap.equal(reasons, {"Get Log Page C1h: reading it clears it; nothing was sent"}, "the same refusal in the same words")
r = run("log", "get", "nvme0", "changed-namespaces", host=odd)
tap.result(r.code == 4 and "what the kernel waits for" in r.err, "the reason of a refusal", r)
directory = bytearray(512)
for lid in (0xc0, 0xc1, 0xc4, 0xca):
    directory[2 * lid] = 1
listing = Host().drive(id_ctrl=id_ctrl(model="INTEL SSDPE2KX010T8"), log_c0=bytes(directory))
entries = {e["lid"]: e for e in run("log", "list", "nvme0", "-o", "json", host=listing).drive["logs"]}
tap.equal([entries[0xc4][k] for k in ("name", "vendor", "decoded", "readable")], [None, "intel", False, False],
          "a page that only the vendor's directory lists")
tap.equal(list(entries), sorted(entries), "log list goes by number, whoever's the pages are")
tap.result(entries[0xc1]["name"] and entries[0xca]["readable"], "those that a table knows stand there once, with their names", entries)
tap.equal(run("log", "list", "nvme0", host=Host().drive(id_ctrl=id_ctrl(model="INTEL SSDPE2KX010T8"))).code, 0, "no directory is no failure")

# --- sim fault ---

r = run("sim", "fault", "nvme1", "--errno", "EBOGUS", host=lab)
tap.result(r.code == 2 and "--errno" in r.err and "EINTR" in r.err, "an errno that is none: which option, and names", r)
r = run("sim", "fault", "nvme1", "--lost", "EBOGUS", host=lab)
tap.result(r.code == 2 and "--lost" in r.err, "the same of --lost", r)
r = run("sim", "fault", "nvme1", "--opcode", "2", host=lab)
tap.result(r.code == 2 and "--delay-ms" in r.err and "--vanish-ms" in r.err and "delay_ms" not in r.err, "no effect: the options there are", r)
r = run("sim", "fault", "nvme1", "--reset", "soft", "--errno", "EIO", host=lab)
tap.result(r.code == 2 and "controller, subsystem, any" in r.err, "a kind of reset that is none", r)
r = run("sim", "fault", "nvme1", "--reset", "any", "--status", "1", host=lab)
tap.result(r.code == 2 and "--delay-ms" in r.err, "an effect that resets do not have", r)
tap.result("none" in run("sim", "fault", "nvme1", host=lab).out, "no rules")
r = run("sim", "fault", "nvme1", "--opcode", "0xfe", "--count", "0", "--vanish-ms", "-1", host=lab)
tap.result(r.code == 0 and r.out.count("for ever") == 2 and "-1 ms" not in r.out, "for ever is said so", r)
run("sim", "fault", "nvme1", "--clear", host=lab)

# --- a drive that cannot be read ---

short = Host(simulated=True).drive(drive_json={"faults": [{"opcode": "0x02", "lid": "0x02", "count": 0, "short": 100}]})
r = run("smart", "nvme0", host=short)
tap.result(r.code == 1 and not r.out and "a part of this page" not in r.err and "log get" in r.err, "half a page is not shown, and that is said", r)
r = run("check", "--allow-simulated", host=short)
tap.result(r.code == 3 and not r.err and r.out.count("100 of 512 bytes") == 1 and "hint: " in r.out, "check says it once", r)
tap.result(not re.search(r"\S  +\(simulated\)", r.out), "without a gap where there are no readings", r)
tap.result(run("check", "--allow-simulated", "-v", host=short).err, "check -v: on stderr too")
r = run("check", host=Host())
tap.result(r.code == 3 and "no NVMe drive" in r.err, "what is no finding is still said on stderr", r)

# --- firmware: what is said about it ---

rack = os.path.join(TMP, "rack")
run("sim", "create", rack, "--model", "p3700:2", "--model", "p4510")
run("sim", "image", "--model", "p3700", "--revision", "NEW", "--size", "4K", "--out", "new.bin")
P3700, P4510 = (run("show", d, "-o", "json", host=rack).drive["model"] for d in ("nvme0", "nvme2"))
r = run("fw", "update", "--all", "--image", "new.bin", "--yes", host=rack)
tap.result(r.code == 4 and f'--model "{P3700}", --model "{P4510}"' in r.err, "different models with --all: each of them", r)
r = run("fw", "update", "nvme0", "nvme2", "--image", "new.bin", "--yes", host=rack)
tap.result(r.code == 4 and "one model only" in r.err and P4510 in r.err.split("hint")[1], "different models by name: no way into another refusal", r)
r = run("fw", "update", "nvme0", "--slot", "7", "--image", "new.bin", "--yes", host=rack)
tap.result(r.code == 7 and "the new firmware was not applied" in r.out, "a refused update is about the new firmware", r)
r = run("fw", "update", "nvme0", "--slot", "7", "--image", "new.bin", "--dry-run", host=rack)
tap.result(r.code == 7 and "not_applied" not in r.out, "a refused plan has applied nothing", r)
r = run("fw", "update", "nvme0", "--image", "new.bin", "--dry-run", host=rack)
tap.result(r.code == 0 and "(11h), once: 4096 bytes" in r.out and "1 times" not in r.out, "one piece is sent once", r)
r = run("fw", "commit", "nvme0", "--slot", "1", "--action", "1", "--dry-run", host=rack)
tap.result(r.code == 0 and "dry_run: this is what would be sent; nothing was" in r.out, "a plan is no firmware", r)
r = run("fw", "download", "nvme0", "--image", "new.bin", "--yes", host=rack)
tap.result(r.code == 0 and "downloaded: 4 KiB" in r.out and "fw commit nvme0" in r.out, "a download says what was done and what is next", r)
r = run("reset", "nvme0", "--yes", host=rack)
tap.result(r.code == 0 and "controller reset: done" in r.out, "a reset says that it was done", r)
trace = os.path.join(TMP, "order.jsonl")
r = run("fw", "update", "nvme1", "nvme0", "--image", "new.bin", "--yes", "--trace", trace, host=rack)
with open(trace, encoding="utf-8") as f:
    downloads = [record["device"] for record in map(json.loads, f) if record["opcode"] == 0x11]
tap.equal([r.code, downloads], [5, ["nvme1", "nvme0"]], "drives are changed in the order in which they are named")
tap.result(r.out.index("nvme0 ") < r.out.index("nvme1 "), "and shown in natural order", r)
tap.result(re.search(r"ssdct: nvme1: the new firmware runs after", r.err) and "nvme0" not in r.err, "what became of one is noted before the next", r)

# --- what a drive does not have ---

r = run("identify", "nvme0", "domains", "-o", "json", host=host)
tap.result(r.code == 1 and "recording" in r.json["error"]["hint"], "a recording does not know what the drive has", r)
r = run("log", "get", "nvme0", "sanitize", "-o", "json", host=lab)
tap.result(r.code == 1 and r.json["error"]["hint"] == "this drive does not have it", "a drive that refuses does", r)
for verb, listed in (("workload", True), ("workload-tracker", False)):
    r = run("intel", verb, "nvme0", "-o", "json", host=lab)
    tap.equal([r.code, "log list" in r.json["error"]["hint"]], [7, listed], f"intel {verb}: features are in no list of log pages")

sys.exit(tap.end())
