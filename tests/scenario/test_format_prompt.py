#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The serial number, typed at a terminal before data are destroyed: only the right one sends anything, as a trace shows."""
import json
import os
import signal
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from media_lib import BLOCK, SERIAL, Tap, changing, identify, media, records, trace_path  # noqa: E402
from terminal import SERIAL_QUESTION, Terminal  # noqa: E402

tap = Tap()
COMMANDS = (("format", "nvme0", "--block-size", "4096"), ("sanitize", "start", "nvme0", "--action", "block"),)


def drive():
    return media(sanicap=BLOCK)


def ask(command, answer=None, send=None, host=None, meanwhile=None, **kwargs):
    host = host or drive()
    path = trace_path()
    t = Terminal(*command, "-o", "json", "--trace", path, host=host, asks=SERIAL_QUESTION, **kwargs)
    t.asked = t.question()
    if meanwhile:
        meanwhile(host)
    if answer is not None:
        t.type(answer)
    if send:
        t.process.send_signal(send)
    t.end()
    t.sent = changing(records(path))
    t.error = json.loads(t.out)["error"] if t.out else None
    t.unchanged = identify(host)[0] == 0
    return t


def nothing_sent(t, text, code, word):
    tap.result(t.asked and t.code == code and not t.sent and t.unchanged and t.error["code"] == word
               and "nothing was sent" in t.error["message"] and t.same_modes, f"{text}: exit {code}, nothing sent", t, t.sent)


def answers(command):
    name = command[0]
    t = ask(command, SERIAL.encode() + b"\n")
    tap.result(t.asked and t.code == 0 and len(t.sent) == 1 and t.same_modes, f"{name}: the right serial number", t)
    tap.result(all(w in t.seen for w in (SERIAL, "INTEL SSDPEDMD020T4", "(simulated)", "nvme0n1): 32 MiB", "THE DATA ARE LOST FOR EVER")),
               f"{name}: the question shows drive, serial number, namespace, and what it means", t)
    for answer in (b"y\n", b"yes\n", b"\n", SERIAL[:-1].encode() + b"\n", SERIAL.lower().encode() + b"\n", b"nvme0\n",
                   SERIAL.encode() + b"X\n", b"\x04"):
        nothing_sent(ask(command, answer), f"{name}: {answer}", 4, "refused")
    nothing_sent(ask(command, b"\x03"), f"{name}: Ctrl-C", 130, "interrupted")
    nothing_sent(ask(command, SERIAL.encode() + b"\x03"), f"{name}: the serial number and Ctrl-C", 130, "interrupted")
    for sig in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        nothing_sent(ask(command, send=sig), f"{name}: {sig.name}", 130, "interrupted")
    nothing_sent(ask(command, b"no\n", early=SERIAL.encode() + b"\n"), f"{name}: typed before the question", 4, "refused")


def killed(command):
    host = drive()
    path = trace_path()
    t = Terminal(*command, "--trace", path, host=host, asks=SERIAL_QUESTION)
    asked = t.question()
    t.process.send_signal(signal.SIGKILL)
    t.end()
    tap.result(asked and not changing(records(path)) and identify(host)[0] == 0, f"{command[0]}: killed at the question", t)
    t = ask(command, SERIAL.encode() + b"\n", host=host)
    tap.result(t.code == 0 and len(t.sent) == 1, f"{command[0]}: the next one finds no lock in its way", t)


def changes_meanwhile(command):
    """A person may think for long: what was true before the question must still be."""
    def mount(host):
        host.write("nvme0/drive.json", json.dumps({"namespaces": {"1": {"mounts": ["/srv"]}}}))

    def replace(host):
        with open(f"{host}/nvme0/id-ctrl.bin", "rb") as f:
            data = bytearray(f.read())
        data[4:24] = b"ANOTHER".ljust(20)
        host.write("nvme0/id-ctrl.bin", bytes(data))

    def another(host, offset, size):
        with open(f"{host}/nvme0/id-ns-1.bin", "rb") as f:
            data = bytearray(f.read())
        data[offset:offset + size] = bytes(range(1, size + 1))
        host.write("nvme0/id-ns-1.bin", bytes(data))

    for what, change in (("mounted", mount), ("replaced by another drive", replace),
                         ("another namespace by its NGUID", lambda host: another(host, 104, 16)),
                         ("another namespace by its EUI64", lambda host: another(host, 120, 8))):
        t = ask(command, SERIAL.encode() + b"\n", meanwhile=change)
        tap.result(t.asked and t.code == 4 and not t.sent, f"{command[0]}: {what} while the question waited: refused", t)


for c in COMMANDS:
    answers(c)
    killed(c)
    changes_meanwhile(c)
sys.exit(tap.end())
