#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Who may include and call whom, as text searches over the sources; speaks TAP.

Every rule is tried on a piece of code that breaks it, so that a rule that has stopped finding anything is noticed.
"""
import os
import re
import subprocess
import sys
import tempfile

BASE = {"base", "err", "le", "u128", "doc", "signals", "newfile"}
WAIST = BASE | {"cmd", "transport", "status", "id_ctrl"}
NVME = WAIST | {"device", "admin", "page", "plugin", "feature", "sanitize_log", "local"}
EVERYTHING = NVME | {"cli", "render", "health", "safety", "fw", "media", "ns", "bench", "doctor", "identity"}

# Room: which headers of include/ssdct it may see, which rooms' private headers, which other libraries.
ROOMS = {
    "include/ssdct": (EVERYTHING, set(), set()),
    "src/base": (BASE, {"base"}, set()),
    "src/transport": (WAIST, {"transport"}, {"libnvme.h"}),
    "src/sim": (WAIST | {"device"}, {"sim"}, {"jansson.h", "nvme/types.h"}),
    "src/scan": (BASE | {"device", "transport", "plugin", "id_ctrl"}, {"scan", "sim"}, {"jansson.h", "libudev.h"}),
    "src/nvme": (NVME, {"nvme"}, set()),
    "src/local": (NVME, {"local"}, {"jansson.h"}),
    "src/render": (BASE | {"render"}, {"render"}, {"jansson.h"}),
    "src/health": (NVME | {"health"}, {"health"}, set()),
    "src/safety": (NVME | {"safety", "identity"}, {"safety", "scan"}, {"blkid/blkid.h"}),
    "src/fw": (NVME | {"fw", "safety", "identity"}, {"fw"}, set()),
    "src/media": (NVME | {"media"}, {"media"}, set()),
    "src/ns": (NVME | {"ns"}, {"ns"}, set()),
    "src/bench": (NVME | {"bench", "safety", "identity"}, {"bench"}, {"liburing.h"}),
    "src/doctor": (NVME | {"doctor", "health", "identity"}, {"doctor", "scan"}, set()),
    "src/serve": (WAIST | {"device", "admin"}, {"serve", "sim"}, {"jansson.h"}),
    "src/cmd": (EVERYTHING, {"cmd", "scan", "sim", "safety", "health", "fw", "media", "ns", "bench", "doctor"}, {"jansson.h"}),
    "src/cli": (EVERYTHING, {"cli", "cmd", "sim"}, set()),
    "plugins": (EVERYTHING, {"intel", "solidigm", "ocp"}, set()),
    "src": (EVERYTHING, {"cli", "cmd"}, set()),
}

# What must not be said, in which files (a prefix), except where, and how it looks when somebody does.
WORDS = [
    ("libnvme is called in src/transport/linux.c alone", ("src/", "plugins/"), ("src/transport/linux.c",),
     r"\bnvme_\w+\s*\(", "src/cmd/x.c", "rc = nvme_submit_admin_passthru(fd, 1);"),
    ("only src/nvme/admin.c and the decorators submit commands", ("src/", "plugins/"),
     ("src/nvme/admin.c", "src/transport/guard.c", "src/transport/trace.c", "src/serve/"),
     r"(->|\.)submit\s*\(", "src/cmd/x.c", "t->submit(t, &cmd, &cpl);"),
    ("JSON is written by src/render/json.c alone, the simulator's own files excepted", ("src/", "plugins/"),
     ("src/render/json.c", "src/sim/"), r"\bjson_dump\w*\s*\(", "src/cmd/x.c", "json_dumpf(o, f, 0);"),
    ("commands do not print", ("src/cmd/", "plugins/"), (),
     r"\b(v?printf|puts|putchar|perror)\s*\(|\bstdout\b", "src/cmd/x.c", 'printf("%d", 1);'),
    ("pages do no I/O and do not print", ("src/nvme/page",), (),
     r"\b(v?f?printf|fputs|puts|open|ioctl|read|write)\s*\(", "src/nvme/page_x.c", 'fprintf(f, "x");'),
    ("commands open no node", ("src/cmd/", "plugins/"), (), r"\b(ssd_linux_open|ssd_sim_open)\s*\(",
     "src/cmd/x.c", "t = ssd_linux_open(path, err);"),
    ("a grant is made in src/safety/decide.c alone; everywhere else there are pointers to one that cannot be written",
     ("src/", "plugins/"), ("src/safety/decide.c",), r"(?<!const )struct ssd_grant\b|struct ssd_grant\b(?! \*)",
     "src/cmd/x.c", "struct ssd_grant grant = {.controls = {true}};"),
    ("no thread may get stuck in the kernel: worker processes instead", ("src/", "plugins/"), ("src/bench/", "src/serve/"),
     r"\bpthread_create\s*\(", "src/cli/x.c", "pthread_create(&t, 0, f, 0);"),
]
MACHINE_PATH = r"/(work|root|home)/[A-Za-z]"


def without_comments(text):
    """Comments and the insides of strings become blanks; lines stay where they are."""
    pattern = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"' + r"|'(?:\\.|[^'\\\n])*'"
    return re.sub(pattern, lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)


def room_of(path):
    return max((r for r in ROOMS if path.startswith(r + "/")), key=len, default=None)


def include_breaches(path, text):
    room = room_of(path)
    if room is None:
        return
    public, private, libraries = ROOMS[room]
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*(?:<([^>]+)>|"([^"]+)")', line)
        if not match:
            continue
        system, own = match.groups()
        if own is not None:
            fine = own.split("/")[0] in private if "/" in own else os.path.dirname(path) not in ("src", "include/ssdct")
        elif system.startswith("ssdct/"):
            fine = system[len("ssdct/"):-len(".h")] in public
        else:
            foreign = re.match(r"(libnvme|nvme/|jansson|libudev|liburing|blkid)", system)
            fine = not foreign or system in libraries
        if not fine:
            yield f"{path}:{number}: {room} may not include {own or system}"


def word_breaches(rule, path, text):
    _, where, except_in, pattern = rule[:4]
    if not path.startswith(where) or (except_in and path.startswith(except_in)):
        return
    for number, line in enumerate(without_comments(text).splitlines(), 1):
        if re.search(pattern, line):
            yield f"{path}:{number}: {line.strip()}"


def path_breaches(path, text):
    for number, line in enumerate(text.splitlines(), 1):
        if re.search(MACHINE_PATH, line):
            yield f"{path}:{number}: {line.strip()}"


class Tap:
    def __init__(self):
        self.count = self.failed = 0

    def result(self, fine, text, details=()):
        self.count += 1
        self.failed += not fine
        print(f"{'ok' if fine else 'not ok'} {self.count} - {text}")
        for detail in () if fine else details:
            print(f"# {detail}")


def self_test(tap):
    """Each rule finds the breach it is there for, and lets the allowed pass."""
    bad = [
        ("src/nvme/page.c", "#include <ssdct/cli.h>\n"),
        ("src/render/text.c", "#include <ssdct/admin.h>\n"),
        ("src/transport/guard.c", "#include <ssdct/page.h>\n"),
        ("src/cmd/list.c", "#include <libnvme.h>\n"),
        ("src/scan/sysfs.c", '#include "nvme/admin.h"\n'),
        ("plugins/intel/intel.c", '#include "scan/scan.h"\n'),
        ("src/nvme/admin.c", "#include <jansson.h>\n"),
    ]
    for path, text in bad:
        tap.result(list(include_breaches(path, text)), f"finds that {path} has {text.strip()}")
    good = [("src/transport/linux.c", "#include <libnvme.h>\n"), ("src/sim/pages.c", "#include <nvme/types.h>\n"),
            ("src/cmd/list.c", '#include <ssdct/cli.h>\n#include <errno.h>\n')]
    for path, text in good:
        tap.result(not list(include_breaches(path, text)), f"allows that {path} has {text.splitlines()[0]}")
    for rule in WORDS:
        name, example, code = rule[0], rule[4], rule[5]
        tap.result(list(word_breaches(rule, example, code)), f"finds a breach of: {name}")
        tap.result(not list(word_breaches(rule, example, f"/* {code} */")), f"a comment is no breach of: {name}")
    tap.result(list(path_breaches("x", "cd /ho" + "me/me")), "finds a path of a machine")
    with tempfile.TemporaryDirectory() as tree:
        os.makedirs(f"{tree}/src/cmd")
        with open(f"{tree}/src/cmd/list.c", "w", encoding="utf-8") as file:
            file.write('#include <libnvme.h>\nvoid f(void)\n{\n\tprintf("");\n}\n')
        run = subprocess.run([sys.executable, os.path.abspath(__file__), tree], capture_output=True, text=True, check=False)
        found = [line for line in run.stdout.splitlines() if line.startswith("not ok")]
        tap.result(run.returncode == 1 and len(found) == 2, "fails on a tree with two breaches", run.stdout.splitlines())


def tracked(pattern):
    if os.path.exists(".git"):
        return subprocess.run(["git", "ls-files", "--", *pattern], check=True, capture_output=True,
                              text=True).stdout.split("\n")[:-1]
    return [os.path.join(d, f)[2:] for d, _, files in os.walk(".") for f in files]


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def main():
    tap = Tap()
    if len(sys.argv) > 1:
        os.chdir(sys.argv[1])
    else:
        self_test(tap)
    code = {path: read(path) for path in tracked(["include", "src", "plugins"])
            if path.endswith((".c", ".h")) and os.path.exists(path)}
    breaches = [b for path, text in sorted(code.items()) for b in include_breaches(path, text)]
    tap.result(not breaches, "who may include whom", breaches)
    for rule in WORDS:
        breaches = [b for path, text in sorted(code.items()) for b in word_breaches(rule, path, text)]
        tap.result(not breaches, rule[0], breaches)
    breaches = [b for path in tracked([]) if os.path.isfile(path) and "/vectors/" not in path
                for b in path_breaches(path, read(path))]
    tap.result(not breaches, "no path of somebody's machine", breaches)
    print(f"1..{tap.count}")
    return 1 if tap.failed else 0


if __name__ == "__main__":
    sys.exit(main())
