#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The question of every operation that changes a drive, at a pseudo-terminal: which answers let it through.

Nothing else sends anything, as a trace shows: Ctrl-C, SIGTERM, SIGHUP, end of input, a wrong serial number, kill -9; nor
does the right answer to a drive that was put to use while the question waited.
"""
import concurrent.futures
import json
import os
import signal
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fw_lib import trace_path  # noqa: E402
from harness import Tap, run  # noqa: E402
from media_lib import set_drive_json  # noqa: E402
from operations import DESTROYS, INTERRUPTS, NEVER, OPERATIONS, READS, SERIAL, TAKES_ACCESS, command_line, is_question  # noqa: E402
from terminal import SERIAL_QUESTION, Terminal  # noqa: E402

QUESTION = "Go on? [y/N] "
TYPED, WRONG = SERIAL.encode() + b"\n", SERIAL[:-1].encode() + b"0\n"


class Asked:
    """One run at a terminal: what was asked, what was answered, what was sent."""

    def __init__(self, operation, answer=None, send=None, meanwhile=None, options=(), host=None, **kwargs):
        self.host = host or operation.make(**kwargs)
        path = trace_path()
        asks = SERIAL_QUESTION if operation.kind == DESTROYS else QUESTION
        self.terminal = t = Terminal(*map(str, command_line(operation)), *options, "-o", "json", "--trace", path, host=self.host, asks=asks)
        self.asked = t.question()
        if meanwhile:
            meanwhile(self.host)
        if self.asked and answer is not None:
            t.type(answer)
        if self.asked and send:
            t.process.send_signal(send)
        t.end()
        self.code = t.code
        self.error = (json.loads(t.out)["error"] or {}) if t.out else {}
        self.sent = []
        if os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                self.sent = [c for c in map(json.loads, f) if c["sent"] and not is_question(c)]

    def refused(self, code, word):
        return (self.asked and self.code == code and not self.sent and self.error.get("code") == word
                and "nothing was sent" in self.error.get("message", "") and self.terminal.same_modes)

    def __str__(self):
        return f"asked: {self.asked}, sent: {self.sent}\n{self.terminal}"


def answers(operation):
    """(what is done, how it has to end): None: it goes through."""
    destroys = operation.kind == DESTROYS
    yield "the right answer", {"answer": TYPED if destroys else b"y\n"}, None
    for answer in (b"\n", b"no\n", b"\x04", WRONG, *((b"y\n", b"yes\n", SERIAL.lower().encode() + b"\n", b"nvme0\n") if destroys else (TYPED,))):
        yield repr(answer), {"answer": answer}, (4, "refused")
    for text, how in (("Ctrl-C", {"answer": b"\x03"}), ("the right answer and Ctrl-C", {"answer": (TYPED if destroys else b"y\n")[:-1] + b"\x03"}),
                      ("SIGINT", {"send": signal.SIGINT}), ("SIGTERM", {"send": signal.SIGTERM}), ("SIGHUP", {"send": signal.SIGHUP})):
        yield text, how, (130, "interrupted")
    if destroys:
        yield "--yes does not answer it", {"answer": b"y\n", "options": ("--yes",)}, (4, "refused")
    if operation.kind in (DESTROYS, TAKES_ACCESS, INTERRUPTS):
        yield ("mounted while the question waited", {"answer": TYPED if destroys else b"y\n", "meanwhile": mount}, (4, "refused"))


def mount(host):
    set_drive_json(host, namespaces={"1": {"mounts": ["/srv"]}})


def asks(operation):
    """Returns what was wrong."""
    wrong, n = [], 0
    for text, how, end in answers(operation):
        a = Asked(operation, **how)
        n += 1
        fine = a.refused(*end) if end else a.asked and a.sent and a.code not in (2, 4, 130) and a.terminal.same_modes
        if fine and SERIAL not in a.terminal.seen:
            fine = False
        if not fine:
            wrong.append(f"{text}: expected {end}\n{a}")
    return n, wrong


def killed(operation):
    """At the question: nothing is sent, and no lock is left."""
    a = Asked(operation, send=signal.SIGKILL)
    after = Asked(operation, answer=TYPED if operation.kind == DESTROYS else b"y\n", host=a.host)
    fine = a.asked and a.code == -signal.SIGKILL and not a.sent and after.asked and after.sent and after.code not in (2, 4)
    return [] if fine else [f"killed at the question\n{a}\n{after}"]


def not_even_asked(operation):
    """What no answer could allow is not asked."""
    wrong = []
    for text, kwargs in (("mounted", {"use": {"mounts": ["/srv"]}}), ("md", {"use": {"holders": ["md0"]}}), ("TCP", {"transport": "tcp"})):
        if text != "TCP" and operation.kind not in (DESTROYS, TAKES_ACCESS, INTERRUPTS):
            continue
        a = Asked(operation, **kwargs)
        if a.asked or a.sent or a.code != 4:
            wrong.append(f"{text}\n{a}")
    return wrong


def check(operation):
    n, wrong = asks(operation)
    return n, wrong + killed(operation) + not_even_asked(operation)


def main():
    tap = Tap()
    changing = [o for o in OPERATIONS if o.kind not in (READS, NEVER)]
    with concurrent.futures.ThreadPoolExecutor(2 * os.cpu_count()) as pool:
        for operation, (n, wrong) in zip(changing, pool.map(check, changing)):
            tap.result(not wrong, f"{operation.name}: {n} answers, killed, in use", f"{len(wrong)} wrong", *wrong[:2])
    tap.equal(run("format", "nvme0", "--block-size", 4096, host=changing[0].make(), stdin=None).code in (4,), True, "no terminal: refused")
    return tap.end()


sys.exit(main())
