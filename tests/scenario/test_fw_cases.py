#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The cases of section 7 of the firmware page, by number.

 1 FWUG 0, 2 FWUG FFh, 3 FWUG 2, 4 FWUG larger than MDTS, 5 size not a multiple   test_fw_bugs.py, 39 and 40
 6 slot 1 read-only, 7-12 FRMW 00h 02h 03h 13h 1Ah 1Fh                           test_fw_bugs.py, 53; test_fw_many.py, slots
13 rejected at the commit                                                       test_fw_image.py
14 Do Not Retry on piece 7, 15 a transient status on piece 7                     test_fw_bugs.py, 45
16 gone during the download, 17 during the commit, 18 after the commit           here
19-24 10Bh 110h 111h 112h 113h 114h, each with More and Do Not Retry             here; for the default test_fw_bugs.py, 48 and 54
25 action 3 with a pause                                                        here
26 success, but the version is unchanged                                        test_fw_bugs.py, 51; here with other answers
27 sysfs shows the old version                                                  test_fw_bugs.py, 50
28 a second process                                                             test_fw_many.py, two at once
29 after a reboot, 30 another kind of reset                                     here
31 every command fails                                                          test_fw_sweep.py
"""
import functools
import os
import signal
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fw_lib import (IMAGE, NEW, OLD, PIECES, Started, changing, clear_faults, drive, run, side_by_side, status, traced,  # noqa: E402
                    truth, update)

TWO = {"frmw": 0x14}
OUTCOMES = {"store": (0, "stored"), "later": (5, "pending_controller_reset"), "reset": (0, "active"), "now": (0, "active")}


def commits(sent):
    return [c for c in sent if c["opcode"] == 0x10]


def told(tap, r, code, result, text, after=None, words=""):
    fw = r.drive["fw"] or {}
    message = (r.json["error"] or {}).get("message", "")
    tap.result(r.code == code == r.json["exit"] and fw.get("result") == result and (after is None or fw.get("after") == after)
               and words in message, text, r)


def status_is_true(tap, host, text, gone=False):
    if gone:
        clear_faults(host)
    said, is_now = status(host), truth(host)
    tap.result([s["revision"] for s in said["slots"]] == is_now.slots[:len(said["slots"])]
               and (said["running"], said["next"]) == (is_now.running, is_now.next), f"{text}: fw status", is_now, said)
    return is_now


def gone_during_download(k, tap):
    text = f"7.16: gone after piece {k}"
    host = drive(faults=[{"opcode": "0x11", "nth": k, "vanish_ms": -1}])
    r, sent = traced(update, host, "--activate", "reset", "--timeout", "1")
    told(tap, r, 3, "not_applied", f"{text} for ever", words="nothing was committed")
    tap.result(not commits(sent) and r.json["error"]["code"] == "gone", f"{text} for ever: no commit", r)
    tap.equal(status_is_true(tap, host, text, gone=True).slots[0], OLD, f"{text} for ever: nothing changed")
    host = drive(faults=[{"opcode": "0x11", "nth": k, "vanish_ms": 200}])
    r, sent = traced(update, host, "--activate", "reset")
    if k == PIECES:
        told(tap, r, 3, "not_applied", f"{text}, the last: no commit, as the drive may have forgotten the download",
             words="nothing was committed")
        tap.equal(len(commits(sent)), 0, f"{text}: no commit")
        return
    told(tap, r, 0, "active", f"{text} for a while: all of it again", NEW)
    tap.equal(status_is_true(tap, host, text).revision, NEW, f"{text} for a while: it runs")


def gone_during_commit(when, tap):
    """Nobody knows: the drive does not come back. When it does, it says so itself."""
    _, clean = traced(update, drive(**TWO), "--activate", when)
    looks = len([c for c in clean[:clean.index(commits(clean)[0])] if c["opcode"] == 0x06])
    for did in ("errno", "lost"):
        text = f"7.17: gone during the commit for ever ({did}), --activate {when}"
        host = drive(faults=[{"opcode": "0x10", did: "ENODEV"}, {"opcode": "0x06", "nth": looks + 1, "count": 0, "errno": "ENODEV"}], **TWO)
        r, sent = traced(update, host, "--activate", when, "--timeout", "1")
        told(tap, r, 3, None, f"{text}: not known", words="not known")
        tap.result(r.drive["fw"]["after"] is None and r.drive["fw"]["slots"] is None and len(commits(sent)) == 1,
                   f"{text}: nothing is shown that is not known", r)
        is_now = status_is_true(tap, host, text, gone=True)
        tap.equal(NEW in is_now.slots, did == "lost", f"{text}: fw status shows it later")


def commit_without_answer(when, tap):
    """The completion is lost, the drive is there: the slot log decides."""
    text = f"7.17: the commit has no answer, --activate {when}"
    host = drive(faults=[{"opcode": "0x10", "errno": "ENODEV"}], **TWO)
    r, sent = traced(update, host, "--activate", when)
    told(tap, r, 3, None, f"{text}: it was not carried out, but some drives' slot logs would look like this", OLD, "not known")
    tap.result(len(commits(sent)) == 1 and status_is_true(tap, host, text).slots[:2] == [OLD, None], f"{text}: nothing changed", r)
    host = drive(faults=[{"opcode": "0x10", "lost": "EINTR"}], **TWO)
    r, sent = traced(update, host, "--activate", when)
    told(tap, r, *(OUTCOMES["later"] if when == "reset" else OUTCOMES[when]), f"{text}: it was carried out")
    tap.result(len(commits(sent)) == 1 and any("lost" in n for n in r.drive["fw"]["notes"])
               and any("none was done" in n for n in r.drive["fw"]["notes"]) == (when == "reset")
               and status_is_true(tap, host, text).slots[:2] == [OLD, NEW], f"{text}: one commit, and a note", r)


def undecidable(tap):
    """The slot held the very revision before, so its log cannot tell: no guess."""
    for did in ("errno", "lost"):
        r = update(drive(faults=[{"opcode": "0x10", did: "EINTR"}], frmw=0x14, revisions=(OLD, NEW)), "--activate", "store")
        told(tap, r, 1, None, f"7.17: the slot log cannot tell ({did})", words="cannot tell")


def gone_after_commit(when, tap):
    text = f"7.18: gone after the commit, --activate {when}"
    host = drive(faults=[{"opcode": "0x10", "vanish_ms": 300}], **TWO)
    told(tap, update(host, "--activate", when), *OUTCOMES[when], f"{text}, for a while")
    status_is_true(tap, host, text)
    host = drive(faults=[{"opcode": "0x10", "vanish_ms": -1}], **TWO)
    r = update(host, "--activate", when, "--timeout", "1")
    told(tap, r, 3, None, f"{text}, for ever", words="committed")
    is_now = status_is_true(tap, host, text, gone=True)
    tap.equal((is_now.slots[1], is_now.revision == NEW), (NEW, when == "now"), f"{text}, for ever: fw status shows it later")


def gone_after_reset(ms, tap):
    host = drive(faults=[{"reset": "controller", "vanish_ms": ms}], **TWO)
    r = update(host, "--activate", "reset", "--timeout", "2")
    told(tap, r, *((3, None) if ms < 0 else (0, "active")), f"7.18: gone after the reset, {ms} ms", words="was reset" if ms < 0 else "")
    host = drive(faults=[{"reset": "controller", "vanish_ms": ms}])
    r = run("reset", "nvme0", "--yes", "--timeout", "2", "-o", "json", host=host)
    tap.result(r.code == (3 if ms < 0 else 0) and r.drive["fw"]["after"] == (None if ms < 0 else OLD),
               f"7.18: ssdct reset, gone for {ms} ms", r)


def another_name(tap):
    """While it commits it gets another name: found by its serial number."""
    _, clean = traced(update, drive(**TWO), "--activate", "now")
    n = clean.index(commits(clean)[0])
    for delay in (500, 5000, 30000):
        host = drive(faults=[{"nth": n + 1, "delay_ms": delay}], **TWO)
        p = Started("fw", "update", "nvme0", "--image", IMAGE, "--activate", "now", "--yes", host=host)
        p.wait_for(lambda sent: len(sent) >= n)
        if len(p.freeze()) == n:
            break
        p.end(signal.SIGKILL)
    os.rename(os.path.join(str(host), "nvme0"), os.path.join(str(host), "nvme7"))
    r = p.end(signal.SIGCONT)
    tap.result(r.drive["fw"]["after"] == truth(host, "nvme7").revision and r.drive["fw"]["result"] is None and r.code == 3,
               "7.17: back under another name: it is asked there", r)


# What a commit's answer means for each activation.
ANSWERS = {0x10b: "pending_conventional_reset", 0x110: "pending_subsystem_reset", 0x111: "pending_controller_reset"}
REFUSALS = {0x112: "longer", 0x113: "policy", 0x114: "overlap"}
MORE = (0, 0x2000, 0x4000, 0x6000, 0x1800)


def answers(tap):
    for number, (code, result) in enumerate(ANSWERS.items(), 19):
        for more in MORE:
            for when in ("store", "later", "reset", "now"):
                text = f"7.{number}: {code | more:04x}h, --activate {when}"
                host = drive(firmware={"commit_status": hex(code | more)}, **TWO)
                r, sent = traced(update, host, "--activate", when)
                is_now = status_is_true(tap, host, text)
                if when == "store":
                    told(tap, r, 0, "stored", text, OLD)
                elif when == "reset" and code == 0x111:
                    told(tap, r, 0, "active", text, NEW)
                else:
                    told(tap, r, 5, result, text, OLD)
                    tap.equal(is_now.revision, OLD, f"{text}: it waits")
                tap.equal(len(commits(sent)), 1, f"{text}: one commit")


def refusals(tap):
    for number, (code, word) in enumerate(REFUSALS.items(), 22):
        for more in MORE:
            for when in ("store", "reset", "now"):
                text = f"7.{number}: {code | more:04x}h, --activate {when}"
                host = drive(faults=[{"opcode": "0x10", "status": hex(code | more)}], **TWO)
                r, sent = traced(update, host, "--activate", when)
                told(tap, r, 1, "not_applied", text, words=word)
                tap.result(len(commits(sent)) == 1 and r.drive["error"]["nvme_status"]["value"] == code | more
                           and status_is_true(tap, host, text).slots[:2] == [OLD, None], f"{text}: one commit, nothing changed", r)


def activation_pause(tap):
    """MTFA is 200 (20 s); the drive is away for a moment, or the kernel has it in reset."""
    mtfa = {"frmw": 0x14, "offset_270": (200).to_bytes(2, "little")}
    tap.equal(status(drive(**mtfa))["activation_seconds"], 20, "7.25: MTFA is shown")
    for name, rules in (("slow", [{"opcode": "0x10", "delay_ms": 400}]), ("away", [{"opcode": "0x10", "vanish_ms": 400}]),
                        ("in reset", [{"nth": 20, "count": 3, "errno": "EAGAIN"}]), ("interrupted", [{"nth": 20, "count": 2, "errno": "EINTR"}])):
        host = drive(faults=rules, **mtfa)
        r, sent = traced(update, host, "--activate", "now")
        told(tap, r, 0, "active", f"7.25: {name} while it activates", NEW)
        tap.result(len(commits(sent)) == 1 and commits(sent)[0]["cdw10"] >> 3 == 3, f"7.25: {name}: one commit with action 3", sent)
    r, sent = traced(update, drive(frmw=0x04), "--activate", "now")
    tap.result(r.code == 7 and not changing(sent), "7.25: no action 3 where FRMW bit 4 is clear", r)


def unchanged(tap):
    for when in ("reset", "now"):
        for expect in ((), ("--expect", NEW)):
            for revisions in ((OLD,), (OLD, OLD)):
                r = update(drive(firmware={"ignore_image": True}, revisions=revisions, **TWO), "--activate", when, "--timeout", "1", *expect)
                told(tap, r, 1, "unchanged", f"7.26: ignored, --activate {when} {' '.join(expect)}, slots {revisions}", OLD)
    r = update(drive(firmware={"ignore_image": True}, **TWO), "--activate", "store")
    told(tap, r, 1, "unchanged", "7.26: ignored, --activate store: the slot is empty")
    # The same revision once more, into the other slot: what runs now runs from there.
    host = drive(frmw=0x14, revisions=(NEW,))
    r = update(host, "--activate", "reset")
    tap.result(r.code == 0 and r.drive["fw"]["result"] == "active" and truth(host).running == 2, "7.26: the same revision again", r)


def reboot(tap):
    host = drive(**TWO)
    update(host)
    tap.equal(status(host)["next"], 2, "7.29: pending before")
    r = run("sim", "power-cycle", "nvme0", host=host)
    is_now = status_is_true(tap, host, "7.29: after the power cycle")
    tap.result(r.code == 0 and (is_now.revision, is_now.running, is_now.next) == (NEW, 2, None), "7.29: it runs after a power cycle", r, is_now)
    r = update(host, "--expect", NEW)
    told(tap, r, 0, "already_current", "7.29: the next run of the job has nothing to do", NEW)
    host = drive(**TWO)
    update(host, "--activate", "store")
    run("sim", "power-cycle", "nvme0", host=host)
    is_now = status_is_true(tap, host, "7.29: stored, and rebooted")
    tap.equal((is_now.revision, is_now.slots[1]), (OLD, NEW), "7.29: what is only stored does not run after a power cycle")
    r = run("fw", "activate", "nvme0", "--slot", "2", "--yes", "-o", "json", host=host)
    told(tap, r, 0, "active", "7.29: fw activate", NEW)
    # A download alone does not outlive a power cycle: the commit finds nothing.
    host = drive(**TWO)
    run("fw", "download", "nvme0", "--image", IMAGE, "--yes", host=host)
    run("sim", "power-cycle", "nvme0", host=host)
    r = run("fw", "commit", "nvme0", "--slot", "2", "--action", "1", "--yes", "-o", "json", host=host)
    # Drives answer 00Ch (bug 54) or 107h.
    tap.result(r.code in (1, 8) and r.drive["fw"]["result"] == "not_applied" and "download" in r.json["error"]["message"],
               "7.29: a commit after a power cycle has nothing to commit", r)
    r = run("fw", "commit", "nvme0", "--slot", "2", "--action", "1", "--yes", "-o", "json",
            host=drive(faults=[{"opcode": "0x10", "status": "0x0107"}], **TWO))
    told(tap, r, 8, "not_applied", "54: a commit without a download, 107h", words="nothing was downloaded")
    tap.equal(status_is_true(tap, host, "7.29: nothing committed").slots[:2], [OLD, None], "7.29: nothing committed")


# What activates what: a controller reset is the weakest, a power cycle does everything.
KINDS = ("controller_reset", "subsystem_reset", "conventional_reset", "power_cycle")


def another_reset(tap):
    for kind in KINDS:
        for words, enough in ((("reset", "nvme0", "--yes"), ("controller_reset",)),
                              (("sim", "reset", "nvme0"), ("controller_reset",)),
                              (("sim", "power-cycle", "nvme0"), KINDS)):
            text = f"7.30: activated by {kind}, {' '.join(words[:2])}"
            host = drive(firmware={"activation": kind}, **TWO)
            r = update(host)
            tap.result(r.code == 5 and r.drive["fw"]["result"].startswith("pending_") and truth(host).revision == OLD, f"{text}: pending", r)
            r = run(*words, host=host)
            is_now = status_is_true(tap, host, text)
            tap.result(r.code == 0 and (is_now.revision == NEW) == (kind in enough) and (is_now.next is None) == (kind in enough),
                       text, r, is_now)
        host = drive(firmware={"activation": kind}, **TWO)
        r = update(host, "--activate", "reset")
        runs = truth(host).revision == NEW
        tap.result(runs == (kind == "controller_reset") and r.code == (0 if runs else 5) and (r.drive["fw"]["after"] == NEW) == runs,
                   f"7.30: activated by {kind}, --activate reset", r)
        if not runs:
            # No status says "power cycle": the drive answers with the strongest that there is.
            said = "conventional_reset" if kind == "power_cycle" else kind
            tap.equal(r.drive["fw"]["result"], f"pending_{said}", f"7.30: what {kind} waits for is said")
    # A drive that answers success to the commit and needs more than it says.
    for kind in KINDS[1:]:
        host = drive(firmware={"activation": kind, "commit_status": "0x000"}, **TWO)
        r = update(host, "--activate", "reset")
        told(tap, r, 5, "pending_power_cycle", f"7.30: needs {kind}, and does not say it", OLD)
        r = run("fw", "activate", "nvme0", "--slot", "2", "--yes", "-o", "json", host=host)
        told(tap, r, 5, "pending_power_cycle", f"7.30: needs {kind}, fw activate", OLD)


def parts():
    for k in (1, 6, PIECES):
        yield functools.partial(gone_during_download, k)
    for part in (gone_during_commit, commit_without_answer, gone_after_commit):
        for when in OUTCOMES:
            yield functools.partial(part, when)
    for ms in (300, -1):
        yield functools.partial(gone_after_reset, ms)
    yield from (undecidable, another_name, answers, refusals, activation_pause, unchanged, reboot, another_reset)


sys.exit(side_by_side(parts()))
