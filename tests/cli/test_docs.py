#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The manual and the README say what the program does: commands, options, exit codes, keys; nothing more, nothing less."""
import glob
import json
import os
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "tests", "lib"))
from harness import SSDCT, TMP, Tap, run  # noqa: E402

tap = Tap()


def section(text, title):
    parts = text.split(f"\n{title}\n")
    return parts[1].split("\n\n")[0].splitlines() if len(parts) > 1 else []


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read()


pages = {os.path.basename(p): read(p) for p in sorted(glob.glob(os.path.join(ROOT, "man", "*.[1-8]")))}
manual = "\n".join(pages.values())
commands = [line.split()[0] for line in section(run("--help").out, "Commands")]
words = [[c] for c in commands]
for c in commands:
    words += [[c, line.split()[0]] for line in section(run(c, "--help").out, "Verbs")]

options = set()
for w in words:
    helped = run(*w, "--help").out
    options |= set(re.findall(r"^  (?:-\w,|   )  ?--([a-z-]+)", helped, re.M))
    tap.result(re.search(r"\.(It )?(Ic|Cm|Nm|Ar|Op).*\b" + w[-1] + r"\b", manual), f"the manual has {' '.join(w)}")
documented = set(re.findall(r"Fl -([a-z][a-z-]+)", manual))
tap.equal(sorted(options - documented), [], "every option is in the manual")
tap.equal(sorted(documented - options), [], "the manual has no option that the program lacks")

status = pages["ssdct.8"].split(".Sh EXIT STATUS")[1].split(".Sh ")[0]
tap.equal(re.findall(r"^\.It (\d+)", status, re.M), "0 1 2 3 4 5 6 7 8 130".split(), "the manual has all exit codes")
source = read("src/base/err.c")
in_source = set(re.findall(r'\[SSD_ERR_\w+\] = \{"(\w+)"', source))
in_manual = set(re.findall(r"^\.It (\w+) Ta \d+ Ta", pages["ssdct.8"], re.M))
tap.equal(sorted(in_source ^ in_manual), [], "the manual has all error codes")

readme = read("README.md")
table = [w for row in re.findall(r"^\| `([^`]+)`", readme.split("## Commands")[1].split("\n## ")[0], re.M) for w in [row.split()[0]]]
tap.equal(sorted(set(table)), sorted(commands), "the table of the README has the program's commands")
table = re.findall(r"^\| (\d+) \|", readme.split("## Exit codes")[1], re.M)
tap.equal(table, "0 1 2 3 4 5 6 7 8 130".split(), "the README has all exit codes")

# What README and manual show at a prompt is run, one after another in one directory; what needs a real drive is marked by #.
os.chdir(TMP)
os.makedirs("bin")
os.symlink(os.path.abspath(SSDCT), "bin/ssdct")
environment = {**os.environ, "PATH": f"{TMP}/bin:{os.environ['PATH']}"}
for name, text in (("README.md", readme), *pages.items()):
    directory = os.path.join(TMP, "examples-" + name)
    os.mkdir(directory)
    for line in re.findall(r"^\$ (ssdct .*)$", text, re.M):
        line = line.replace("\\e", "\\").replace("\\-", "-")
        done = subprocess.run(["sh", "-c", line], cwd=directory, env=environment, capture_output=True, text=True, timeout=60,
                              stdin=subprocess.DEVNULL)
        good = done.returncode != 2 and "usage" not in done.stderr
        tap.result(good or "check" in line, f"{name}: {line}", f"exit {done.returncode}", done.stderr)

fields = subprocess.run([sys.executable, os.path.join(ROOT, "scripts", "fields.py"), SSDCT], capture_output=True, text=True)
tap.equal(fields.returncode, 0, "the manual of keys can be made")
listed = {p.split(".")[-1].removesuffix("[]") for p in re.findall(r"^\.It Ql (?:\\&)?(\S+)", fields.stdout, re.M)}


def names(schema):
    for name, member in schema.get("properties", {}).items():
        yield name
        yield from names(member.get("items", member))


known = {n for schema in json.loads(run("schema").out).values() for n in names(schema) if not n.endswith("_str")}
tap.equal(sorted(known - listed), [], "the manual of keys has every key")

sys.exit(tap.end())
