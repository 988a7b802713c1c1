#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The worked example of plugins/README.md is built and run: what the page says of it is what comes out."""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tests", "lib"))
from harness import SSDCT, TMP, Host, Tap, id_ctrl  # noqa: E402

tap = Tap()
with open(os.path.join(ROOT, "plugins", "README.md"), encoding="utf-8") as f:
    text = f.read().split("## Example")[1]
blocks = re.findall(r"```(c|json|)\n(.*?)```", text, re.S)
sources = [body for kind, body in blocks if kind == "c"]
vector, shown = [body for kind, body in blocks if kind == ""]
expected = json.loads([body for kind, body in blocks if kind == "json"][0])
tap.equal(len(sources), 3, "page, header and list")

library = os.path.join(os.path.dirname(os.path.abspath(SSDCT)), "libssdct.a")
compiler = shlex.split(os.environ.get("CC", "cc"))
if not shutil.which(compiler[0]) or not os.path.exists(library):
    print("ok - # SKIP no compiler, or no library beside the program")
    sys.exit(tap.end())


def pkg_config(*words):
    done = subprocess.run(["pkg-config", *words], capture_output=True, text=True)
    return done.stdout.split() if done.returncode == 0 else []


# The program's own files but for the list of vendors, which the linker takes from here and then not from the library.
tree = os.path.join(TMP, "tree")
for directory in ("include", "src/cmd", "plugins/intel"):
    shutil.copytree(os.path.join(ROOT, directory), os.path.join(tree, directory))
shutil.copy(os.path.join(ROOT, "src/main.c"), os.path.join(tree, "src"))
os.mkdir(os.path.join(tree, "plugins/acme"))
for name, body in zip(("acme/acme.c", "acme/acme.h", "vendors.c"), sources):
    with open(os.path.join(tree, "plugins", name), "w", encoding="utf-8") as f:
        f.write(body)
program = os.path.join(tree, "ssdct")
flags = shlex.split(os.environ.get("CFLAGS", "-O1")) + shlex.split(os.environ.get("LDFLAGS", ""))
with open(os.path.join(ROOT, "Makefile"), encoding="utf-8") as f:
    names = re.search(r"^LIBS = (.*)$", f.read(), re.M).group(1).split()
libs = [word for name in names for word in pkg_config("--libs", name) or ["-l" + name.removeprefix("lib")]]
built = subprocess.run([*compiler, "-std=gnu11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Wno-missing-field-initializers", "-Werror", *flags,
                        "-Iinclude", "-Isrc", "-o", program, "src/main.c", "plugins/vendors.c", "plugins/acme/acme.c", library, *libs],
                       cwd=tree, capture_output=True, text=True)
tap.result(built.returncode == 0, "the example builds without a warning", built.stderr)

page = bytes.fromhex(vector)
ACME = {"model": "ACME D1-960G", "vid": 0xfa1d}


def ask(host, *words):
    return subprocess.run([program, "--host", str(host), *words], capture_output=True, text=True, timeout=60)


def smart_of(host):
    return json.loads(ask(host, "smart", "nvme0", "-o", "json").stdout)["drives"][0]


host = Host().drive(id_ctrl=id_ctrl(**ACME), log_c8=page)
drive = smart_of(host)
tap.equal(drive["family"], "Acme D1", "the family")
tap.equal(drive["acme_health"], expected, "the values of the page")
tap.result(shown in ask(host, "smart", "nvme0").stdout + "\n", "the text of the page", ask(host, "smart", "nvme0").stdout)
logs = json.loads(ask(host, "log", "list", "nvme0", "-o", "json").stdout)["drives"][0]["logs"]
tap.result({"lid": 0xc8, "name": "acme-health", "label": "Acme health", "vendor": "acme", "file": None, "decoded": True,
            "readable": True} in logs, "log list has it", logs)
tap.result("Acme health" in ask(host, "log", "get", "nvme0", "acme-health").stdout, "log get knows it by name")
schema = json.loads(ask(host, "schema", "smart").stdout)
tap.result("acme_health" in json.dumps(schema), "the schema has it")

# Cut at every length: what is there is true, what is not is null. Not counted, no sensor: null as well.
for n in range(len(page)):
    got = smart_of(Host().drive(id_ctrl=id_ctrl(**ACME), log_c8=page[:n] if n else None))["acme_health"]
    # Bytes that a file lacks read as zero in a host directory; a missing page is null.
    tap.result(got is None if not n else got["version"] in (0, 1), f"{n} bytes", got)
got = smart_of(Host().drive(id_ctrl=id_ctrl(**ACME), log_c8=page[:2] + bytes(2) + page[4:8] + b"\xff" * 6 + page[14:]))["acme_health"]
tap.equal([got["controller_celsius"], got["nand_written_bytes"]], [None, None], "no sensor, not counted: null")

# Nobody else's drive is asked, and Intel's are what they were.
for name, identity in (("another vendor", id_ctrl(model="ACME D1-960G", vid=0x144d)), ("another model", id_ctrl(model="ACME X", vid=0xfa1d))):
    drive = smart_of(Host().drive(id_ctrl=identity, log_c8=page))
    tap.result("acme_health" not in drive and drive["family"] is None, f"{name}: nothing of Acme's", drive)
tap.equal(smart_of(Host().drive())["family"], "Intel SSD DC P3700", "Intel's drives are still known")
sys.exit(tap.end())
