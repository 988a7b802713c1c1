#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The command line as the contract has it: exit codes, one JSON object, clean stdout, failed output, locales, help."""
import json
import os
import resource
import shlex
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import SSDCT, TMP, Host, Tap, id_ctrl, run, trace_of, until_matched  # noqa: E402

tap = Tap()
host = Host().drive("nvme0").drive("nvme10").drive("nvme2")
empty = Host()
READING = [["list"], ["list", "--health"], ["show", "nvme0"], ["smart", "nvme0"], ["errors", "nvme0"],
           ["check", "--allow-simulated"], ["doctor"], ["identify", "nvme0"], ["identify", "nvme0n1", "ns"], ["log", "list", "nvme0"],
           ["log", "get", "nvme0", "smart"], ["version"]]

# Every reading command, in text and in JSON, with and without -v.
for words in READING:
    name = " ".join(words)
    text, doc, loud = run(*words, host=host), run(*words, "-o", "json", host=host), run(*words, "--json", "-v", "-v", host=host)
    tap.result(text.code == 0 and text.out and not text.err, f"{name}: text", text)
    tap.result(doc.code == 0 and doc.json["exit"] == 0 and doc.json["ok"] is True and doc.json["error"] is None,
               f"{name}: JSON", doc)
    tap.result(doc.json["schema"] == "ssdct/1" and isinstance(doc.json["drives"], list) and not doc.err,
               f"{name}: envelope", doc)
    tap.equal(sorted(loud.json), sorted(doc.json), f"{name}: -v does not change the document")
    tap.result("\x1b" not in text.out, f"{name}: no colour without a terminal")

doc = run("smart", "--all", "-o", "json", host=host).json
tap.equal([d["device"] for d in doc["drives"]], ["nvme0", "nvme2", "nvme10"], "natural order")
tap.equal(doc["backend"], "recorded", "backend of a directory without host.json")
tap.equal(doc["command"], "smart", "command")

# Nothing there.
for words in (["list"], ["smart", "--all"], ["show", "--all"]):
    r = run(*words, "-o", "json", host=empty)
    tap.result(r.code == 0 and r.json["drives"] == [] and r.json["ok"], f"no drives: {' '.join(words)}", r)

# Usage: exit 2, an object when JSON was asked for, a suggestion, nothing on stdout otherwise.
for words, hint in ((["lits"], "list"), (["smart"], None), (["smart", "--al"], "--all"), (["log", "gett", "nvme0"], "get"),
                    (["log"], None), ([], None), (["identify", "nvme0", "nsx"], None), (["smart", "nvme0", "-o", "yaml"], None),
                    (["list", "--timeout", "0"], None),
                    (["log", "get", "nvme0", "smartt"], "smart"), (["log", "get", "nvme0", "2", "--length", "6"], None),
                    (["log", "get", "nvme0", "2", "--offset", "6"], None),
                    (["identify", "nvme0", "ns", "surplus"], '"surplus"'), (["reset", "nvme0", "nvme2"], '"nvme2"'),
                    (["sho", "nvme0"], "show")):
    r = run(*words, host=host)
    tap.result(r.code == 2 and not r.out and r.err.startswith("ssdct: "), f"usage: {' '.join(words)}", r)
    if hint:
        tap.result(hint in r.err, f"usage: {' '.join(words)} suggests {hint}", r)
    r = run(*words, "--json", host=host)
    tap.result(r.code == 2 and r.json["ok"] is False and r.json["error"]["code"] == "usage" and r.json["exit"] == 2,
               f"usage in JSON: {' '.join(words)}", r)

tap.equal(run("smart", "nvme0", "-o", "nagios", host=host).code, 2, "-o nagios is for check only")
tap.equal(run("smart", "nvme0", "--trace").code, 2, "an option without its value")

# No such drive, ambiguous, missing host.
r = run("smart", "nvme7", "-o", "json", host=host)
tap.result(r.code == 3 and r.json["error"]["code"] == "not_found" and "nvme10" in r.json["error"]["hint"], "no such drive", r)
tap.equal(run("smart", "0", host=host).code, 3, "a position is no name")
r = run("list", host="/nonexistent")
tap.result(r.code in (3, 8) and not r.out, "no such host directory", r)
twins = Host().drive("nvme0", id_ctrl=id_ctrl(serial="SAME")).drive("nvme1", id_ctrl=id_ctrl(serial="SAME"))
r = run("smart", "SAME", "-o", "json", host=twins)
tap.result(r.code == 2 and r.json["error"]["code"] == "ambiguous" and "nvme0" in r.json["error"]["message"]
           and "nvme1" in r.json["error"]["message"], "a serial of two controllers", r)

# The backend is said also when no drive was looked at: a directory is never this machine.
sim = Host(simulated=True).drive()
broken = Host().drive()
broken.write("host.json", "{")
for words, where, backend in ((["smart", "nvme0", "--bogus"], sim, "simulated"), (["smart"], sim, "simulated"), (["lits"], sim, "simulated"),
                              (["version"], sim, "simulated"), (["smart"], host, "recorded"), (["list"], broken, "recorded"),
                              (["list"], "/nonexistent", "recorded"), (["smart"], None, "linux")):
    tap.equal(run(*words, "-o", "json", host=where).json["backend"], backend, f"backend of {' '.join(words)} in {where}: {backend}")
tap.equal(run("smart", "-o", "json", env={"SSDCT_HOST": str(sim)}).json["backend"], "simulated", "backend with SSDCT_HOST: simulated")

# A drive that refuses; one of several.
mute = Host().drive("nvme0", log_02=None).drive("nvme1")
r = run("smart", "nvme0", "-o", "json", host=mute)
tap.equal(r.code, 1, "refused log: exit 1")
tap.equal(r.drive["error"]["nvme_status"], {"value": 16649, "hex": "0x4109", "name": "Invalid Log Page", "type": 1,
                                            "code": 9, "do_not_retry": True, "more": False}, "refused log: status")
tap.result(r.drive["ok"] is False and r.drive["smart"] is None and r.json["ok"] is False, "refused log: null", r)
r = run("smart", "--all", "-o", "json", host=mute)
tap.result(r.code == 6 and [d["ok"] for d in r.json["drives"]] == [False, True], "one of two failed: exit 6", r)
r = run("smart", "--all", host=mute)
tap.result("nvme0" in r.err and "nvme1" in r.out and "nvme0 " not in r.out, "one of two failed, in text", r)
r = run("smart", "nvme0", "nvme0", "nvme0n1", host=mute, env={})
tap.equal(r.code, 1, "both rows fail alike: their exit code")

# Output that cannot be written.
with open("/dev/full", "w") as full:
    for words in (["list"], ["smart", "nvme0", "-o", "json"], ["--help"], ["schema"]):
        p = subprocess.run([SSDCT, *words, "--host", str(host)], stdout=full, stderr=subprocess.PIPE, text=True)
        tap.result(p.returncode == 1 and "No space left" in p.stderr, f"/dev/full: {' '.join(words)}", p)
for words in (["list"], ["schema"], ["smart", "nvme0", "-o", "json"]):
    reader, writer = os.pipe()
    os.close(reader)
    p = subprocess.run([SSDCT, *words, "--host", str(host)], stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    tap.result(p.returncode == 1 and p.stderr == "", f"closed pipe: {' '.join(words)}: exit 1, silent", p)
p = subprocess.run(f"'{SSDCT}' list --host '{host}' >&-", shell=True, stderr=subprocess.PIPE, text=True)
tap.result(p.returncode == 1, "closed stdout: exit 1", p)

# Too little memory for the document is said; from what the loader needs to what the program does.
for words, code in ((["list"], 1), (["check"], 3)):
    done = [run(*words, host=host, preexec_fn=lambda n=n: resource.setrlimit(resource.RLIMIT_AS, (n << 20, n << 20))) for n in range(32, 160, 16)]
    tap.result(all(r.code in (0, code, 127) and (r.err or r.code == 0) for r in done), f"{words[0]} without memory: exit {code}, and says so",
               *(f"{r.code} {r.err}" for r in done))

# Locales change nothing.
reference = run("smart", "nvme0", host=host).out
for locale in ("de_DE.UTF-8", "tr_TR.UTF-8", "ar_EG", "C"):
    tap.equal(run("smart", "nvme0", host=host, env={"LC_ALL": locale, "LANG": locale}).out, reference, f"locale {locale}")

# Help at every level, and every example runs as far as its drive allows.
names = [line.split()[0] for line in run("--help").out.split("Commands\n")[1].split("\n\n")[0].splitlines()]
tap.result(len(names) >= 12, "help lists the commands", names)
examples = []
for name in names:
    r = run(name, "--help")
    tap.result(r.code == 0 and r.out.startswith("usage: ssdct " + name) and not r.err, f"{name} --help", r)
    tap.equal(run("help", name).out, r.out, f"help {name}")
    verbs = [v.split()[0] for v in r.out.split("\nVerbs\n")[1].split("\n\n")[0].splitlines()] if "\nVerbs\n" in r.out else []
    for words in [[name]] + [[name, v] for v in verbs]:
        text = run(*words, "--help").out
        tap.result(text.startswith("usage: ssdct " + " ".join(words)), f"{' '.join(words)} --help")
        if "\nExamples\n" in text:
            examples += [shlex.split(line)[1:] for line in text.split("\nExamples\n")[1].splitlines() if line.strip()]
os.chdir(TMP)
for words in examples:
    if "--raw" in words or words[:2] == ["sim", "serve"]:
        continue  # bytes, not a document; runs until it is ended (tests/cli/test_serve.py)
    words = [w for i, w in enumerate(words) if w != "-o" and words[i - 1] != "-o"]
    r = run(*words, "-o", "json", host=None if words[0] == "sim" else host)
    good = words[0] in ("help", "schema") or (r.json["error"] or {}).get("code") != "usage"
    tap.result(r.out and good, f"example: {' '.join(words)}", r)
tap.equal(run("--version").out, run("version").out, "--version")

# What to do about an errno: the kernel has no part in what a host directory says.
for name in ("EINVAL", "EACCES", "EPERM", "ENODEV", "ENXIO", "EAGAIN", "EINTR", "EIO"):
    r = run("errors", "nvme0", "-o", "json", host=Host(simulated=True).drive(
        drive_json={"faults": [{"opcode": "0x02", "count": 0, "errno": name}]}))
    hint = r.json["error"]["hint"] or ""
    tap.result(r.code in (1, 3) and "kernel" not in hint and "root" not in hint, f"{name} of a simulated drive: hint", r)

# Environment and trace.
tap.equal(run("list", "-o", "json", env={"SSDCT_HOST": str(host)}).json["backend"], "recorded", "SSDCT_HOST")
trace = os.path.join(TMP, "trace")
tap.equal(run("list", "--trace", trace, host=host).code, 0, "list with --trace")
tap.equal(open(trace).read(), "", "list sends nothing")
run("smart", "--all", "--trace", trace, host=host)
records = [json.loads(line) for line in open(trace)]
tap.equal(oct(os.stat(trace).st_mode & 0o777), "0o600", "mode of the trace")
tap.equal(sorted(records[0]), sorted("time pid device queue opcode nsid cdw2 cdw3 cdw10 cdw11 cdw12 cdw13 cdw14 cdw15 data_len "
                                     "direction timeout_ms control sent status result errno us".split()), "keys of the trace")
tap.equal({r["device"] for r in records}, {"nvme0", "nvme2", "nvme10"}, "the trace has every drive")
tap.result(all(r["opcode"] in (2, 6) and r["sent"] for r in records), "smart sends reads only", records)
tap.result(all(r["cdw10"] & 1 << 15 for r in records if r["opcode"] == 2), "log pages are read with RAE")
tap.result(all(r["timeout_ms"] >= 60000 for r in records), "never below the kernel's own timeout")
before = len(records)
r = run("log", "get", "nvme0", "0xC7", "--trace", trace, "-o", "json", host=Host().drive(id_ctrl=id_ctrl(model="OTHER", vid=0x1234)))
record = [json.loads(line) for line in open(trace)][-1]
tap.result(r.code == 4 and r.json["error"]["code"] == "refused" and not record["sent"] and record["status"] is record["errno"] is None,
           "a page that no table knows is not sent: exit 4", r, record)
for words in (["0xCA"], ["intel-smart"]):
    r, sent = trace_of("log", "get", "nvme0", *words, "--uuid-index", "1", "-o", "json", host=host)
    tap.result(r.code == 4 and "intel_smart" not in r.drive and not sent[-1]["sent"],
               f"with a UUID index {words[0]} is somebody else's page: exit 4", r, sent)
tap.equal(run("list", "--trace", "/nonexistent/x", host=host).code, 1, "a trace that cannot be opened")
fifo = os.path.join(TMP, "fifo")
os.mkfifo(fifo)
for path in (fifo, TMP):
    r = run("smart", "nvme0", "--trace", path, host=host, timeout=20)
    tap.result(r.code == 1 and not r.out and path in r.err, "a pipe or a directory is no file to trace to", r)
reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
tap.equal(run("smart", "nvme0", "--trace", fifo, host=host, timeout=20).code, 1, "nor is a pipe that somebody reads")
os.close(reader)
for path in ("/dev/null", "/dev/stderr"):
    r = run("smart", "nvme0", "--trace", path, host=host, timeout=20)
    tap.result(r.code == 0 and r.out and ('"opcode":2' in r.err.replace(" ", "")) == (path == "/dev/stderr"),
               f"--trace {path}", r)
r = run("smart", "--all", "--trace", "/dev/full", host=host)
tap.result(r.code == 0 and r.out and r.err.count("No space left") == 3 and "nvme10" in r.err,
           "a trace on a full disk: said once for each drive, and what was asked for is done", r)

# Interrupted while a drive is silent.


def slow():
    return Host(simulated=True).drive(drive_json={"faults": [{"opcode": "0x06", "count": 0, "delay_ms": 30000}]})


def signalled(number, inherited, drive):
    """Reads a slow drive and gets a signal meanwhile; `inherited` is what the caller had done with it."""
    p = subprocess.Popen([SSDCT, "smart", "nvme0", "-o", "json", "--host", str(drive)], stdout=subprocess.PIPE, text=True,
                         preexec_fn=lambda: signal.signal(number, inherited))
    until_matched(drive)
    p.send_signal(number)
    return p.communicate(timeout=300)[0], p.returncode


for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    out, code = signalled(number, signal.SIG_DFL, slow())
    tap.result(code == 130 and json.loads(out)["error"]["code"] == "interrupted", f"{number.name}: 130", out)
    patient = Host(simulated=True).drive(drive_json={"faults": [{"opcode": "0x06", "count": 1, "delay_ms": 1500}]})
    out, code = signalled(number, signal.SIG_IGN, patient)
    tap.result(code == 0 and json.loads(out)["ok"], f"{number.name} that was ignored at the start, as by nohup, still is", out)
start = time.monotonic()
r = run("smart", "nvme0", "--timeout", "1", "-o", "json", host=slow())
tap.result(r.code == 1 and r.drive["error"]["code"] == "timeout" and time.monotonic() - start < 25, "--timeout, and not the 30 s of the drive", r)

sys.exit(tap.end())
