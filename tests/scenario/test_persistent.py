#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The persistent event log of a live drive: a context is established, the log read, and the context released on every way out.

Actions of log page 0Dh, bits of LSP (NVM Express Base Specification 1.4, 5.14.1.13): 0 reads, 1 establishes, 2 releases.
"""
import json
import os
import signal
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fw_lib import clear_faults, records, stopped_at, trace_path  # noqa: E402
from harness import TMP, Host, Tap, id_ctrl, run  # noqa: E402

tap = Tap()
SERIAL = "CVFT5152003M2P0EGN"
READ, ESTABLISH, RELEASE = 0, 1, 2


def event(kind, data):
    return struct.pack("<BBBBHQHIHH", kind, 1, 21, 0, 0, 0, 0, 0, 0, len(data)) + data


def page(events):
    body = b"".join(events)
    head = bytearray(512)
    head[0] = 0x0d
    struct.pack_into("<IQ", head, 4, len(events), 512 + len(body))
    return bytes(head) + body


# Firmware commits: 22 bytes. More than one transfer of 4 KiB.
EVENTS = page([event(2, b"8DV10131" + b"8DV10171" + bytes(6))] * 300)


def drive(faults=(), lpa=0x1e, log=EVENTS, simulated=True, mdts=1, **sections):
    return Host(simulated=simulated).drive(id_ctrl=id_ctrl(serial=SERIAL, ver=0x20000, lpa=lpa, mdts=mdts), log_0d=log,
                                           drive_json={"faults": list(faults), **sections})


def read(host, *words, yes=True):
    path = trace_path()
    r = run("log", "persistent-event", "nvme0", *(("--yes",) if yes else ()), *words, "-o", "json", "--trace", path, host=host)
    return r, actions(records(path))


def actions(sent):
    return [c["cdw10"] >> 8 & 0x7f for c in sent if c["opcode"] == 2 and c["cdw10"] & 0xff == 0x0d]


def has_context(host):
    """As the simulated controller has it, not through the program."""
    path = os.path.join(str(host), "nvme0", "state.json")
    if not os.path.exists(path):
        return False
    with open(path, encoding="utf-8") as f:
        return json.load(f).get("persistent_event_context", False)


def reads():
    host = drive()
    for again in ("", ", once more"):
        r, sent = read(host)
        d = r.drive
        pieces = -(-len(EVENTS) // 8192)
        tap.result(r.code == 0 and d["reading"] == {"established": True, "released": True, "length_bytes": len(EVENTS), "result": "done"}
                   and len(d["persistent_events"]["events"]) == 300 and sent == [ESTABLISH] + [READ] * (1 + pieces) + [RELEASE]
                   and not has_context(host), f"established, read, released{again}", r.err, sent)
    tap.equal(d["persistent_events"]["events"][299]["firmware_commit"]["new_revision"], "8DV10171", "the last event")
    to = os.path.join(TMP, "log0d.bin")
    r, _ = read(host, "--raw", "--to", to)
    with open(to, "rb") as f:
        tap.result(r.code == 0 and f.read() == EVENTS, "--raw: the bytes as they are", r.err)
    r = run("log", "persistent-event", "nvme0", "--yes", host=host)
    tap.result(r.code == 0 and "8DV10171" in r.out, "text", r)
    r, sent = read(drive(simulated=False), yes=False)
    tap.result(r.code == 0 and len(r.drive["persistent_events"]["events"]) == 300 and r.drive["reading"]["established"] is None
               and set(sent) == {READ}, "a recording is read as it is: no question, no context", r)


def refusals():
    for text, host, words, code in (("no --yes", drive(), (), 4), ("--dry-run", drive(), ("--dry-run",), 0),
                                    ("not attached by PCIe", drive(sysfs={"transport": "tcp"}), ("--yes",), 4),
                                    ("another serial number", drive(), ("--yes", "--confirm", "X"), 4),
                                    ("a drive that has no such log", drive(lpa=0x0e), ("--yes",), 7)):
        r, sent = read(host, *words, yes=False)
        tap.result(r.code == code and not sent and not has_context(host), f"{text}: exit {code}, nothing sent", r, sent)
    r = run("log", "get", "nvme0", "persistent-event", "-o", "json", host=drive())
    tap.result(r.code == 4 and "log persistent-event" in r.json["error"]["message"], "log get refuses, and names the command", r)


def taken():
    """Somebody else's context, or one of a run that was killed: not touched, unless asked."""
    host = drive()
    r = run("passthru", "admin", "nvme0", "--opcode", 2, "--nsid", "0xffffffff", "--cdw10", 0x7f810d, "--data-len", 512, "--yes", host=host)
    tap.result(r.code == 0 and has_context(host), "a context of somebody else's", r)
    r, sent = read(host)
    tap.result(r.code == 1 and sent == [ESTABLISH] and has_context(host) and r.drive["error"]["nvme_status"]["code"] == 0x0c
               and "--force" in r.drive["error"]["hint"] and r.drive["reading"] == {"established": False, "released": None,
                                                                                   "length_bytes": None, "result": None},
               "it is left alone, and said", r, sent)
    r, sent = read(host, "--force")
    tap.result(r.code == 0 and sent[:2] == [RELEASE, ESTABLISH] and sent[-1] == RELEASE and not has_context(host), "--force takes it away", r, sent)


def every_way_out():
    """Whatever happens to the n-th command on the page: whoever may have established a context releases it."""
    n_commands = len(read(drive())[1])
    for n in range(1, n_commands):
        for fault, code in (({"status": "0x4006"}, 1), ({"errno": "EIO"}, 1), ({"lost": "EIO"}, 1), ({"untouched": True}, 1)):
            if n == 1 and "untouched" in fault:
                continue  # what comes with establishing is not used
            host = drive([{"opcode": 2, "lid": 0x0d, "nth": n, **fault}])
            r, sent = read(host)
            refused = n == 1 and "status" in fault
            tap.result(r.code == code and not has_context(host) and r.drive["persistent_events"] is None
                       and sent.count(ESTABLISH) == 1 and sent.count(RELEASE) == (not refused) and r.drive["reading"]["result"] is None,
                       f"command {n} of {n_commands}, {fault}: no context stays", r, sent)
    for fault, there in (({"status": "0x4006"}, True), ({"errno": "EIO"}, True), ({"lost": "EIO"}, False)):
        host = drive([{"opcode": 2, "lid": 0x0d, "nth": n_commands, **fault}])
        r, sent = read(host)
        tap.result(r.code == 1 and has_context(host) == there and r.drive["reading"]["released"] is False and "--force" in r.drive["error"]["hint"]
                   and sent.count(RELEASE) == 1, f"releasing fails, {fault}: said", r, sent)
    r, _ = read(drive([{"opcode": 2, "lid": 0x0d, "nth": 1, "lost": "EINTR"}]))
    tap.result(r.drive["error"]["code"] == "unverified" and r.drive["reading"]["established"] is None and r.drive["reading"]["released"],
               "establishing, answer lost: not known, and released", r)


def lost_pieces():
    """Within a context reading changes nothing: a piece whose answer was lost is read again, as any pure read is (EINTR at once, EAGAIN)."""
    whole = read(drive())[1]
    for n in range(2, len(whole)):
        for error in ("EINTR", "EAGAIN"):
            host = drive([{"opcode": 2, "lid": 0x0d, "nth": n, "count": 2, "lost": error}])
            r, sent = read(host)
            tap.result(r.code == 0 and len(r.drive["persistent_events"]["events"]) == 300 and not has_context(host)
                       and sent == whole[:n] + [READ] * 2 + whole[n:], f"command {n} of {len(whole)}, answer lost twice, {error}: read again", r, sent)
    host = drive([{"opcode": 2, "lid": 0x0d, "nth": 3, "count": 4, "lost": "EINTR"}])
    r, sent = read(host)
    tap.result(r.code == 1 and r.drive["reading"]["released"] and r.drive["persistent_events"] is None and not has_context(host)
               and sent == [ESTABLISH] + [READ] * 5 + [RELEASE], "reading, answers lost: four times in all, and released", r, sent)
    for n, action in ((1, ESTABLISH), (len(whole), RELEASE)):
        r, sent = read(drive([{"opcode": 2, "lid": 0x0d, "nth": n, "lost": "EINTR"}]))
        tap.result(r.code == 1 and sent.count(action) == 1, f"action {action}, answer lost: never sent again", r, sent)


def signals():
    command = ("log", "persistent-event", "nvme0", "--yes")
    path = trace_path()
    run(*command, "--trace", path, host=drive())
    first = next(k for k, c in enumerate(records(path)) if c["opcode"] == 2)
    for sig in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        host, r, sent = stopped_at(lambda faults: drive(faults), first + 1, sig, *command)
        tap.result(r.code == 130 and actions(sent)[-1] == RELEASE and not has_context(host) and "not read" in r.json["error"]["message"],
                   f"{sig.name} after establishing: 130, released", r, sent)
    host, r, sent = stopped_at(lambda faults: drive(faults), first, signal.SIGINT, *command)
    tap.result(r.code == 130 and actions(sent)[-1] == RELEASE and not has_context(host), "SIGINT while establishing: released", r, sent)
    for n in range(1, 4):
        host, _, _ = stopped_at(lambda faults: drive(faults), first + n, signal.SIGKILL, *command)
        clear_faults(host)
        there = has_context(host)
        r, _ = read(host)
        tap.result(there and r.code == 1 and "killed" in r.drive["error"]["message"] and "--force" in r.drive["error"]["hint"],
                   f"killed after command {n} on the page: the next one says so", r)
        r, _ = read(host, "--force")
        tap.result(r.code == 0 and r.drive["reading"]["result"] == "done" and not has_context(host), f"and --force helps ({n})", r)


for part in (reads, refusals, taken, every_way_out, lost_pieces, signals):
    part()
sys.exit(tap.end())
