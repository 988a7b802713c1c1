#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a drive does not say, or says too late, is not made up: answers that are short or lost, resets that fail, slots that
do not tell which of them runs."""
import os
import signal
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fw_lib import (IMAGE, NEW, OLD, Host, Started, changing, drive, run, side_by_side, status, traced, truth,  # noqa: E402,F401
                    update)

TWO = {"frmw": 0x14}


def told(tap, r, code, result, text, after=None, words="", error=None):
    fw, e = r.drive["fw"] or {}, r.json["error"] or {}
    tap.result(r.code == code == r.json["exit"] and fw.get("result") == result and (after is None or fw.get("after") == after)
               and words in e.get("message", "") and (error is None or e.get("code") == error), text, r)


def short_answers(tap):
    """Identify is needed up to SANICAP (byte 331), the slot log up to FRS7 (byte 63)."""
    for rule, enough in (({"opcode": "0x06", "short": 332}, True), ({"opcode": "0x06", "short": 300}, False),
                         ({"opcode": "0x06", "short": 100}, False), ({"lid": 3, "short": 64}, True), ({"lid": 3, "short": 40}, False)):
        text = f"short: {rule}"
        # The bytes around where it ends are no zeros, which would be told from the buffer's pattern just as well.
        pages = {"revisions": (OLD, "B", "C", "D", "E", "F", "G"), "frmw": 0x1e, "offset_296": b"\1" * 40}
        r = run("fw", "status", "nvme0", "-o", "json", host=drive(faults=[{"count": 0, **rule}], **pages))
        tap.result(r.code == (0 if enough else 1) and (enough or r.json["error"]["code"] == "no_data"), f"{text}: fw status", r)
        r, sent = traced(update, drive(faults=[{"count": 0, **rule}], **pages))
        tap.result((r.code == 5) == enough and (enough or r.json["error"]["code"] == "no_data" and not changing(sent)),
                   f"{text}: fw update", r)


def bytes_that_are_no_text(tap):
    """Revisions that differ in such a byte only are not the same, and are shown as everywhere else."""
    host = drive(frmw=0x14, active=1, revisions=("A\x80", "A\x81"))
    fw = status(host)
    tap.equal([s["revision"] for s in fw["slots"]], ["A\\x80", "A\\x81"], "no text: shown as \\xNN")
    r = run("fw", "activate", "nvme0", "--slot", "2", "--yes", "-o", "json", host=host)
    told(tap, r, 0, "active", "no text: fw activate of the other one", "A\\x81")
    tap.equal(r.drive["fw"]["before"], "A\\x80", "no text: before")


def unknown_running_slot(tap):
    """AFI 0. The slot that holds what runs is the running one, when there is only one such."""
    for revisions, slot in (((OLD, "B"), 2), (("A", OLD), 1), ((OLD, OLD), None), (("A", "B"), None)):
        host = drive(frmw=0x14, active=0, revisions=revisions, firmware_rev=OLD)
        text = f"AFI 0, slots {revisions}"
        r, sent = traced(update, host)
        if slot:
            told(tap, r, 5, "pending_controller_reset", f"{text}: slot {slot} is written")
            tap.equal(changing(sent)[-1]["cdw10"] & 7, slot, f"{text}: it is")
            continue
        tap.result(r.code == 4 and "--slot" in r.json["error"]["hint"] and not changing(sent), f"{text}: --slot is wanted", r)
        r = update(host, "--slot", "2")
        told(tap, r, 5, "pending_controller_reset", f"{text}: with --slot")
        tap.result(any("may be it" in n for n in r.drive["fw"]["notes"] or []), f"{text}: what may be lost is said", r)


def failed_reset(tap):
    """The image waits for a controller reset, as none was done."""
    for name, code in (("EBUSY", 3), ("ENODEV", 3), ("EIO", 1), ("EINTR", 1)):
        faults = [{"reset": "controller", "errno": name}]
        host = drive(faults=faults, **TWO)
        told(tap, update(host, "--activate", "reset"), code, "pending_controller_reset", f"the reset fails with {name}", OLD, "reset")
        tap.equal((truth(host).next, truth(host).revision), (2, OLD), f"the reset fails with {name}: it waits")
        r = run("fw", "activate", "nvme0", "--slot", "2", "--yes", "-o", "json", host=drive(revisions=(OLD, NEW), faults=faults, **TWO))
        told(tap, r, code, "pending_controller_reset", f"the reset fails with {name}, fw activate", OLD, "reset")
        tap.result(r.json["error"]["errno"] and not r.drive["fw"]["notes"], f"the reset fails with {name}: that is the error", r)


def wrong_firmware(tap):
    """The slot log shows it before the reset. One that was ignored is reset, and found unchanged."""
    for revisions in ((OLD,), (OLD, "OTHER"), (OLD, NEW)):
        host = drive(revisions=revisions, **TWO)
        r = update(host, "--activate", "reset", "--expect", "8DV10999")
        told(tap, r, 1, "pending_controller_reset", f"--expect: no reset into another one, slots {revisions}", OLD, NEW, "unverified")
        tap.equal((truth(host).revision, truth(host).next), (OLD, 2), f"--expect: it waits, slots {revisions}")
    told(tap, update(drive(**TWO), "--activate", "reset", "--expect", NEW), 0, "active", "--expect: the right one", NEW)


def lost_answers(tap):
    for when in ("later", "reset", "now"):
        for status, rest in (("0x0371", {}), ("0x0370", {})):
            r, sent = traced(update, drive(faults=[{"opcode": "0x10", "status": status}], **TWO), "--activate", when)
            told(tap, r, 3, None, f"{status} to the commit, --activate {when}: the host's, not the drive's", OLD, "not known")
    # Three slots, and the third is next before and after: it was not carried out.
    r = update(drive(frmw=0x16, following=3, revisions=(OLD, "", "P"), faults=[{"opcode": "0x10", "errno": "EINTR"}]))
    told(tap, r, 1, "not_applied", "lost, and another slot is next: nothing was applied", OLD, "nothing was applied")
    host = drive(revisions=(OLD, NEW), faults=[{"opcode": "0x10", "lost": "EIO"}], **TWO)
    r = run("fw", "activate", "nvme0", "--slot", "2", "--yes", "-o", "json", host=host)
    told(tap, r, 5, "pending_controller_reset", "lost, fw activate: no reset", OLD)
    tap.equal((truth(host).revision, truth(host).next), (OLD, 2), "lost, fw activate: it waits")


def slow_activation(tap):
    """Action 3 completes, and the drive goes on showing the old firmware for a while."""
    for polls in (1, 2, 9, 14):
        host = drive(firmware={"activation_polls": polls}, **TWO)
        r, sent = traced(update, host, "--activate", "now")
        told(tap, r, 0, "active", f"slow activation, {polls} readings", NEW)
        tap.equal((truth(host).revision, truth(host).running, len([c for c in sent if c["opcode"] == 0x10])), (NEW, 2, 1),
                  f"slow activation, {polls} readings: it runs")
    host = drive(revisions=(OLD, NEW), firmware={"activation_polls": 5}, **TWO)
    r = run("fw", "activate", "nvme0", "--slot", "2", "--activate", "now", "--yes", "-o", "json", host=host)
    told(tap, r, 0, "active", "slow activation, fw activate", NEW)
    host = drive(firmware={"activation_polls": 100000}, **TWO)
    told(tap, update(host, "--activate", "now", "--timeout", "1"), 5, "pending_controller_reset", "slow activation, too slow", OLD)
    told(tap, update(drive(firmware={"ignore_image": True}, **TWO), "--activate", "now", "--timeout", "1"), 1, "unchanged",
         "slow activation: none at all", OLD)


def interrupted_waits(tap):
    """For the activation, and for the other controller of the drive."""
    host = drive(firmware={"activation_polls": 100000}, **TWO)
    p = Started("fw", "update", "nvme0", "--image", IMAGE, "--activate", "now", "--yes", "--timeout", "60", host=host)
    p.wait_for(lambda sent: len([c for c in sent if c["opcode"] == 0x10]) == 1)
    told(tap, p.end(signal.SIGINT), 130, None, "interrupted while it activates", words="committed")
    twin = {"serial": "ONE", "offset_768": b"nqn.2026-01.org.example:twin".ljust(256, b"\0"), "frmw": 0x14}
    host = drive(**twin)
    drive("nvme1", host=host, cntlid=1, faults=[{"opcode": "0x06", "count": 0, "status": "0x4006"}], **twin)
    p = Started("fw", "update", "nvme0", "--image", IMAGE, "--activate", "reset", "--yes", "--timeout", "60", host=host)
    p.wait_for(lambda sent: len([c for c in sent if c["device"] == "nvme1"]) >= 2)
    told(tap, p.end(signal.SIGTERM), 130, None, "interrupted while the other controller is waited for", NEW, "another controller")


def busy_for_ever(tap):
    """AFI bit 3 is no part of the specification: it is waited for, as long as for the drive, and then ignored."""
    host = drive(firmware={"busy_polls": 1000000}, **TWO)
    r, sent = traced(update, host, "--timeout", "1")
    told(tap, r, 5, "pending_controller_reset", "busy for ever", OLD)
    tap.result(len([c for c in sent if c["opcode"] == 0x02]) < 20, "busy for ever: --timeout bounds it", len(sent))


def reset_of_a_drive_in_need(tap):
    """A drive that cannot be asked is reset all the same. What waited for it shows, in the files, that it was done."""
    pending = {"frmw": 0x14, "following": 2, "revisions": (OLD, NEW)}
    identify, slots = {"opcode": "0x06"}, {"lid": 3}
    for rule, before, code, shown in (
            ({**identify, "count": 2, "status": "0x4006"}, None, 0, True), ({**identify, "count": 2, "short": 100}, None, 0, True),
            ({**identify, "count": 2, "untouched": True}, None, 0, True), ({**identify, "count": 1, "errno": "EIO"}, None, 0, True),
            ({**identify, "count": 0, "status": "0x4006"}, None, 1, None), ({**identify, "count": 0, "errno": "ENODEV"}, None, 3, None),
            ({**slots, "count": 0, "status": "0x4109"}, OLD, 0, False), ({**slots, "count": 0, "short": 8}, OLD, 0, False),
            ({**slots, "count": 1, "status": "0x0006"}, OLD, 0, True)):
        host = drive(faults=[rule], **pending)
        text = f"reset in need: {rule}"
        r = run("reset", "nvme0", "--yes", "--timeout", "1", "-o", "json", host=host)
        fw = r.drive["fw"]
        tap.result(r.code == code and fw["before"] == before and fw["after"] == (None if shown is None else NEW)
                   and bool(fw["slots"]) == bool(shown), text, r)
        tap.equal((truth(host).revision, truth(host).next), (NEW, None), f"{text}: it was done")
        tap.result(fw["notes"] and (before or "CVFT000000000NVME0" in fw["notes"][0]), f"{text}: what could not be asked is said", r)
        r = run("reset", "nvme0", "--dry-run", "-o", "json", host=drive(faults=[rule], **pending))
        tap.result(r.code == 0 and r.drive["fw"]["result"] == "dry_run" and r.drive["fw"]["notes"], f"{text}: --dry-run", r)
    r = run("reset", "nvme0", "--yes", host=drive(faults=[{**identify, "count": 2, "status": "0x4006"}], **pending))
    tap.result(r.code == 0 and f"running: {NEW}" in r.out and "cannot be asked" in r.out, "reset in need: text", r)
    host = drive(faults=[{"reset": "controller", "errno": "EBUSY"}, {**slots, "count": 0, "status": "0x4109"}], **pending)
    r = run("reset", "nvme0", "--yes", "--timeout", "1", "-o", "json", host=host)
    tap.result(r.code == 3 and r.json["error"]["errno"] and truth(host).revision == OLD, "reset in need: the reset fails", r)


def slot_of_the_drives_choice(tap):
    for action, result in ((0, "stored"), (1, "pending_controller_reset"), (3, "active")):
        host = drive(frmw=0x16, revisions=(OLD, "B"))
        run("fw", "download", "nvme0", "--image", IMAGE, "--yes", host=host)
        words = ("fw", "commit", "nvme0", "--slot", "0", "--action", str(action))
        r = run(*words, "--dry-run", "-o", "json", host=host)
        fw = r.drive["fw"]
        tap.result(r.code == 0 and (fw["slot"], fw["action"], fw["commands"]) == (0, action, 1) and f"action {action}" in fw["steps"][0],
                   f"slot 0, action {action}: the plan", r)
        r = run(*words, "--yes", "-o", "json", host=host)
        told(tap, r, 0, result, f"slot 0, action {action}")
        chosen = truth(host).slots.index(NEW) + 1
        tap.result((r.drive["fw"]["slot"], r.drive["fw"]["action"]) == (chosen, action)
                   and any(f"slot {chosen}" in n for n in r.drive["fw"]["notes"]), f"slot 0, action {action}: the slot is told", r)
    host = drive(frmw=0x16, revisions=(OLD, "B"), firmware={"ignore_image": True})
    run("fw", "download", "nvme0", "--image", IMAGE, "--yes", host=host)
    r = run("fw", "commit", "nvme0", "--slot", "0", "--action", "0", "--yes", "-o", "json", host=host)
    told(tap, r, 1, None, "slot 0, no slot has changed", words="no change", error="unverified")


def parts():
    yield from (slot_of_the_drives_choice, reset_of_a_drive_in_need, slow_activation, interrupted_waits, busy_for_ever, failed_reset, wrong_firmware, lost_answers, short_answers, bytes_that_are_no_text, unknown_running_slot)


sys.exit(side_by_side(parts()))
