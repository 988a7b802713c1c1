#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""kill -9 after each command of everything that changes a drive: what the drive is then is said truthfully, nothing is stuck.

Firmware has this in test_fw_kill.py, the persistent event log in test_persistent.py. A format or a sanitize command that is
under way is not taken back by the death of who sent it: the process that sent it is left behind, and the lock with it.
"""
import glob
import json
import os
import signal
import struct
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import ns_lib  # noqa: E402
from fw_lib import clear_faults, records, side_by_side, stopped_at, trace_path  # noqa: E402
from harness import TMP, run  # noqa: E402
from media_lib import identify  # noqa: E402
from operations import CHANGES, DESTROYS, FAILED, SERIAL, TAKES_ACCESS, TESTING, Operation, is_question  # noqa: E402

TELEMETRY_BYTES = {"host": 41 * 512, "controller": 10 * 512}


def file_of(host, name):
    with open(os.path.join(str(host), "nvme0", name), "rb") as f:
        return f.read()


def state_of(host):
    path = os.path.join(str(host), "nvme0", "state.json")
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as f:
        return json.load(f)


# What the next command says, and what the drive's files say: each of them (said, true).

def formats(host):
    r = run("format", "nvme0", "--dry-run", "-o", "json", host=host)
    before = r.drive["format"]["scope"][0]["before"]
    flbas, _, nsze = identify(host)
    return (before["lba_format"], before["size_bytes"]), (flbas, nsze << (12 if flbas else 9))


def sanitize(host):
    r = run("sanitize", "status", "nvme0", "-o", "json", host=host)
    page = file_of(host, "log-81.bin")
    return r.drive["sanitize_log"]["state"]["value"], struct.unpack_from("<H", page, 2)[0] & 7


def namespaces(host):
    d = run("namespace", "list", "nvme0", "-o", "json", host=host).drive["namespace"]
    t = ns_lib.truth(host)
    return ([(n["nsid"], n["attached"], n["size_blocks"]) for n in d["namespaces"]], d["unallocated_bytes"]), \
           ([(n, n in t.attached, t.sizes[n]) for n in t.allocated], t.unallocated)


def selftest(host):
    r = run("selftest", "status", "nvme0", "-o", "json", host=host)
    return r.drive["selftest"]["state"] == "running", bool(state_of(host).get("selftest"))


def feature(host):
    value = run("feature", "get", "nvme0", 4, "-o", "json", host=host).drive["feature"]["value"]
    return value in (358, 348), True


def telemetry(host):
    """Either no file, or all of it: and what the drive holds can still be read whole."""
    sizes = {os.path.getsize(f) for f in glob.glob(f"{host}/to*")}
    to = f"{host}/again"
    r = run("telemetry", "nvme0", "--existing", "--to", to, host=host)
    size = os.path.getsize(to)
    os.unlink(to)
    return (r.code, sizes - set(TELEMETRY_BYTES.values()), size), (0, set(), TELEMETRY_BYTES["host"])


# Operation; who says what is; exit codes that the same command may have afterwards.
ROWS = (
    (Operation(DESTROYS, "format", "nvme0", "--block-size", 4096), formats, {0}),
    (Operation(DESTROYS, "format", "nvme0", "--erase", "user-data"), formats, {0}),
    (Operation(DESTROYS, "sanitize", "start", "nvme0", "--action", "block"), sanitize, {0, 1}),  # 1: the log cannot show it
    (Operation(DESTROYS, "sanitize", "start", "nvme0", "--action", "overwrite", "--wait", sanitize={"busy_polls": 3}), sanitize, {0, 4}),
    (Operation(DESTROYS, "sanitize", "exit-failure", "nvme0", **FAILED), sanitize, {0, 4}),
    (Operation(DESTROYS, "namespace", "delete", "nvme0n1"), namespaces, {0, 3}),
    (Operation(DESTROYS, "namespace", "delete", "nvme0", "--all-namespaces"), namespaces, {0, 3, 7}),
    (Operation(DESTROYS, "provision", "nvme0", "--percent", 50), namespaces, {0}),
    (Operation(TAKES_ACCESS, "namespace", "detach", "nvme0n1"), namespaces, {0, 3}),
    (Operation(CHANGES, "namespace", "create", "nvme0", "--size", "1M", "--attach"), namespaces, {0}),
    (Operation(CHANGES, "namespace", "attach", "nvme0", "--nsid", 2, allocated=(2,)), namespaces, {0}),
    (Operation(CHANGES, "selftest", "start", "nvme0", selftest={"busy_polls": 100000}), selftest, {0, 1}),
    (Operation(CHANGES, "selftest", "abort", "nvme0", **TESTING), selftest, {0}),
    (Operation(CHANGES, "feature", "set", "nvme0", 4, 75), feature, {0}),
    (Operation(CHANGES, "telemetry", "nvme0", "--to", "TO"), telemetry, {0}),
    (Operation(CHANGES, "telemetry", "nvme0", "--controller", "--release", "--to", "TO"), telemetry, {0}),
)


def words_of(operation, to):
    return [to if w == "TO" else w for w in operation.words] + (["--confirm", SERIAL] if operation.kind == DESTROYS else ["--yes"])


def until_free(host, *words):
    """The next command, as soon as what was left behind has come to its end: it is bounded by one command."""
    for _ in range(600):
        r = run(*words, "-o", "json", host=host)
        if not (r.code == 4 and "is changing this drive" in r.json["error"]["message"]):
            return r
        time.sleep(0.1)
    return r


def killed_after(tap, row, n, changing):
    operation, said_and_true, codes = row
    text = f"{operation.name}, killed after command {n}"
    to = f"{TMP}/kill-{id(row)}-{n}"

    def make(faults):
        if os.path.exists(to):  # of a try that came to its end before it was stopped
            os.unlink(to)
        return operation.make(faults=faults)

    host, _, sent = stopped_at(make, n, signal.SIGKILL, *words_of(operation, to))
    if os.path.exists(to):
        os.rename(to, f"{host}/to")
    clear_faults(host)
    free = until_free(host, *words_of(operation, f"{host}/free"), "--dry-run")
    tap.result("is changing this drive" not in free.out, f"{text}: no lock is left", free)
    said, true = said_and_true(host)
    tap.equal(said, true, f"{text}: the next command says what the drive is")
    smart = run("log", "get", "nvme0", "smart", "-o", "json", host=host)
    tap.result(smart.code == 0 and smart.drive["smart"], f"{text}: the drive answers", smart)
    if n < changing:
        tap.result(not [c for c in sent if not is_question(c)], f"{text}: nothing had been changed", sent)
    again = run(*words_of(operation, f"{host}/second"), host=host)
    tap.result(again.code in codes, f"{text}: the same command again, exit {sorted(codes)}", again)
    tap.equal(*said_and_true(host), f"{text}: and that is true as well")


def sweep(row):
    def part(tap):
        operation = row[0]
        path = trace_path()
        clean = run(*words_of(operation, f"{path}.to"), "--trace", path, host=operation.make())
        # The block that is read after a format is an I/O command, which a fault rule for admin commands does not hold up.
        sent = [c for c in records(path) if (c["opcode"], c["cdw10"]) != (0x02, 0)]
        tap.result(clean.code == 0 and sent, f"{operation.name}: {len(sent)} commands", clean)
        changing = next(k for k, c in enumerate(sent) if not is_question(c))
        # The questions before it are alike: the last of them stands for all.
        for n in range(max(changing - 1, 0), len(sent)):
            killed_after(tap, row, n, changing)
    return part


sys.exit(side_by_side([sweep(row) for row in ROWS]))
