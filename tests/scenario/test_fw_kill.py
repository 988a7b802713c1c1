#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The program ends in the middle of an update: killed after every command, or interrupted by a signal.

Where the program stands does not depend on anybody's speed: see stopped_at().
"""
import os
import signal
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fw_lib import (NEW, OLD, Tap, changing, clear_faults, drive, image_bytes, status, stopped_at, traced, truth, update,  # noqa: E402
                    write)

tap = Tap()
SIZE = 2 * 4096 + 512
IMAGE = write("small.bin", image_bytes(size=SIZE))
FINAL = {"store": (0, "stored", OLD), "later": (5, "pending_controller_reset", OLD), "reset": (0, "active", NEW),
         "now": (0, "active", NEW)}


def command(when):
    return "fw", "update", "nvme0", "--image", IMAGE, "--activate", when, "--yes"


def clean(when, frmw):
    return traced(update, drive(frmw=frmw), "--activate", when, image=IMAGE)[1]


def stop(when, frmw, n, sig):
    """The program gets a signal when n of its commands were carried out and the next one is under way."""
    return stopped_at(lambda faults: drive(frmw=frmw, faults=faults), n, sig, *command(when))


def says_truth(host, text):
    said = status(host)  # first: it finishes what a simulated drive had begun when its process was killed
    is_now = truth(host)
    tap.result([s["revision"] for s in said["slots"]] == is_now.slots[:len(said["slots"])]
               and (said["running"], said["next"]) == (is_now.running, is_now.next), f"{text}: fw status", is_now, said)
    return is_now


def kill_after(n, when, frmw):
    text = f"FRMW {frmw:#x}, --activate {when}, killed after command {n}"
    host, _, sent = stop(when, frmw, n, signal.SIGKILL)
    clear_faults(host)
    is_now = says_truth(host, text)
    committed = any(c["opcode"] == 0x10 for c in sent)
    tap.result((NEW in is_now.slots) == committed and (committed or is_now.revision == OLD), f"{text}: only a commit changes it", is_now)
    again(host, when, text, is_now)


def again(host, when, text, was):
    """The second attempt needs no help, and whoever says what he expects is told when it is there already."""
    r = update(host, "--activate", when, "--expect", NEW, image=IMAGE)
    code, result, runs = FINAL[when]
    if was.revision == NEW:
        code, result, runs = 0, "already_current", NEW
    is_now = truth(host)
    tap.result((r.code, r.drive["fw"]["result"], is_now.revision) == (code, result, runs) and NEW in is_now.slots,
               f"{text}: a second update", is_now, r)


def kill_sweep():
    for frmw in (0x12, 0x14):
        for when in FINAL:
            r, sent = traced(update, drive(frmw=frmw), "--activate", when, image=IMAGE)
            tap.equal((r.code, r.drive["fw"]["result"]), FINAL[when][:2], f"FRMW {frmw:#x}, --activate {when}: {len(sent)} commands")
            # Before the first piece all activations are alike.
            for n in range(0 if when == "store" else place(sent, 0x11), len(sent)):
                kill_after(n, when, frmw)


def place(sent, opcode):
    """How many commands come before the first with this opcode."""
    return next(k for k, c in enumerate(sent) if c["opcode"] == opcode)


def interrupt_between_pieces(sig):
    """The piece that is under way reaches the drive; it is the last one that does."""
    n = place(clean("reset", 0x12), 0x11) + 1
    host, r, sent = stop("reset", 0x12, n, sig)
    sent = changing(sent)
    tap.result(r.code == 130 and r.drive["fw"]["result"] == "not_applied" and "nothing was committed" in r.json["error"]["message"],
               f"{sig.name} between pieces: exit 130, and what was not done", r)
    tap.result([c["opcode"] for c in sent] == [0x11, 0x11] and r.drive["fw"]["commands"] == 2, f"{sig.name}: no further piece, no commit",
               sent)
    is_now = says_truth(host, sig.name)
    tap.result(is_now.revision == OLD and NEW not in is_now.slots and is_now.next is None, f"{sig.name}: nothing is pending", is_now)


def interrupt_the_commit():
    """A signal in the midst of the commit waits: what became of the commit is asked and told."""
    for when in ("store", "later", "now"):
        code, result, runs = FINAL[when]
        host, r, _ = stop(when, 0x14, place(clean(when, 0x14), 0x10), signal.SIGINT)
        tap.result((r.code, r.drive["fw"]["result"], truth(host).revision) == (code, result, runs),
                   f"SIGINT during the commit, --activate {when}: {result}", r)


def interrupt_before_the_reset():
    """Committed, and not reset: said so."""
    host, r, _ = stop("reset", 0x12, place(clean("reset", 0x12), 0x10) + 1, signal.SIGINT)
    is_now = says_truth(host, "SIGINT before the reset")
    tap.result(r.code == 130 and r.drive["fw"]["result"] == "pending_controller_reset" and "committed" in r.json["error"]["message"]
               and is_now.revision == OLD and is_now.next == 1, "SIGINT before the reset: committed, not reset, pending", r, is_now)


def interrupt_many():
    """Between two drives: the second one is not touched."""
    n = place(clean("later", 0x12), 0x10)
    host, r, sent = stopped_at(lambda faults: drive("nvme1", host=drive(faults=faults)), n, signal.SIGINT, "fw", "update", "--all",
                               "--image", IMAGE, "--yes")
    tap.result(r.code == 130 and [d["fw"]["result"] for d in r.json["drives"]] == ["pending_controller_reset", "not_attempted"]
               and {c["device"] for c in changing(sent)} == {"nvme0"}, "SIGINT on the first of two drives: it is finished, the other left", r)


def ignored_signal():
    """nohup: what somebody ignores stays ignored."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        _, r, _ = stop("reset", 0x12, place(clean("reset", 0x12), 0x11) + 1, signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)
    tap.result(r.code == 0 and r.drive["fw"]["result"] == "active", "an ignored SIGHUP does not end it", r)


def main():
    kill_sweep()
    for sig in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        interrupt_between_pieces(sig)
    interrupt_the_commit()
    interrupt_before_the_reset()
    interrupt_many()
    ignored_signal()
    return tap.end()


sys.exit(main())
