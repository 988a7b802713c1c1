#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Firmware of many drives: order, first failure, exit codes, models, slots, revisions, subsystems, arrays, two at once."""
import os
import signal
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fw_lib import (IMAGE, MODEL, NEW, OLD, PIECES, Host, Started, Tap, changing, drive, run, traced, truth, update)  # noqa: E402

tap = Tap()
NQN = b"nqn.2014-08.org.example:one"


def host_of(*drives):
    """A host with these drives, nvme0 on; each a dictionary for drive()."""
    host = Host(simulated=True)
    for i, words in enumerate(drives):
        drive(f"nvme{i}", host=host, **words)
    return host


def results(r):
    return [d["fw"]["result"] for d in r.json["drives"]]


def devices(sent):
    """Which drives were told to change something, in this order."""
    order = []
    for c in changing(sent):
        if not order or order[-1] != c["device"]:
            order.append(c["device"])
    return order


def nothing_sent(r, sent, code, words, text):
    tap.result(r.code == code and words in str(r.json["error"]) and not changing(sent), text, r, *changing(sent))


REJECTS = {"faults": [{"opcode": "0x10", "status": "0x4107"}]}   # exit 8
REFUSES = {"faults": [{"opcode": "0x11", "status": "0x4002"}]}   # exit 1
VANISHES = {"faults": [{"opcode": "0x11", "nth": 2, "vanish_ms": -1}]}   # exit 3


def first_failure():
    for drives, words, code, expected in (
            (({}, {}, {}), ("--activate", "reset"), 0, ["active"] * 3),
            (({}, {}, {}), (), 5, ["pending_controller_reset"] * 3),
            (({}, {"firmware": {"activation": "power_cycle"}}), ("--activate", "reset"), 5, ["active", None]),
            (({}, REJECTS, {}), ("--activate", "reset"), 6, ["active", "not_applied", "not_attempted"]),
            (({}, REJECTS, {}), (), 6, ["pending_controller_reset", "not_applied", "not_attempted"]),
            ((REFUSES, {}, {}), (), 6, ["not_applied", "not_attempted", "not_attempted"]),
            (({}, VANISHES, {}), ("--timeout", "1"), 6, ["pending_controller_reset", "not_applied", "not_attempted"]),
            (({}, {"firmware": {"ignore_image": True}}, {}), ("--activate", "reset"), 6, ["active", "unchanged", "not_attempted"])):
        host = host_of(*drives)
        r, sent = traced(update, host, *words, drive_words=("--all",))
        got = results(r)
        tap.result(got == [g if e is None else e for g, e in zip(got, expected)], f"many: {expected}", r)
        touched = [f"nvme{i}" for i, e in enumerate(expected) if e != "not_attempted"]
        tap.equal(devices(sent), touched, f"many: {expected}: one after another, and none after the failure")
        rest = [d for d in r.json["drives"] if d["fw"]["result"] == "not_attempted"]
        tap.result(all(d["error"]["code"] == "not_attempted" and not d["ok"] and d["fw"]["after"] is None for d in rest),
                   f"many: {expected}: the rest says so", r)
        tap.result(r.code == r.json["exit"] and r.json["ok"] == (code in (0, 5)), f"many: {expected}: exit {r.code}", r)
        tap.result(r.code == code or (code == 6 and len([d for d in r.json["drives"] if d["error"]]) == len(drives)),
                   f"many: {expected}: exit {code}", r)


def text_of_many():
    """What people read names every drive and what became of it, and no drive twice."""
    host = host_of({}, REJECTS, {})
    r = run("fw", "update", "--all", "--image", IMAGE, "--activate", "reset", "--yes", host=host)
    tap.result(r.code == 6 and all(w in r.out for w in ("active", "not_applied", "not_attempted", "(simulated)")), "many: text", r)
    tap.result("107" in r.err or "rejected the image" in r.err, "many: the reason on stderr", r)


def models():
    mixed = ({}, {"model": "OTHER MODEL"})
    nothing_sent(*traced(update, host_of(*mixed), drive_words=("nvme0", "nvme1")), 4, "--model", "different models without --model")
    nothing_sent(*traced(update, host_of(*mixed), drive_words=("--all",)), 4, "--model", "different models without --model, --all")
    nothing_sent(*traced(update, host_of(*mixed), "--model", "OTHER*", drive_words=("nvme0",)), 4, "does not match",
                 "a drive that was named must match --model")
    nothing_sent(*traced(update, host_of(*mixed), "--model", "SAMSUNG*", drive_words=("--all",)), 3, "SAMSUNG",
                 "--all, and no drive matches")
    nothing_sent(*traced(update, host_of(*mixed), "--model", "INTEL", drive_words=("--all",)), 3, "INTEL", "--model is the whole name")
    for glob in (MODEL, "INTEL *", "INTEL SSDPEDMD0[12]0T?"):
        r, sent = traced(update, host_of(*mixed), "--model", glob, drive_words=("--all",))
        tap.result(r.code == 5 and [d["device"] for d in r.json["drives"]] == ["nvme0"] and devices(sent) == ["nvme0"],
                   f"--all --model '{glob}': chooses", r)
    # The user says that different models are meant; the drive itself rejects what is not for it.
    r, sent = traced(update, host_of(*mixed), "--model", "*", drive_words=("--all",))
    tap.result(r.code == 6 and results(r) == ["pending_controller_reset", "not_applied"] and r.json["drives"][1]["error"]["code"]
               == "bad_input", "--model '*': the other drive rejects the image", r)


def slots():
    for words, code in ((("--slot", "0"), 2), (("--slot", "8"), 2), (("--slot", "x"), 2), (("--slot", "3"), 7), (("--slot", "1"), 7)):
        r, sent = traced(update, drive(frmw=0x15, active=2, revisions=("FACTORY", OLD)), *words)
        tap.result(r.code == code and not changing(sent), f"53: two slots, the first read-only: {' '.join(words)}: exit {code}", r)
    host = drive(frmw=0x16, active=2, revisions=("A", OLD, "C"))
    r, sent = traced(update, host, "--slot", "3", "--activate", "reset")
    tap.result(r.code == 0 and r.drive["fw"]["slot"] == 3 and truth(host).slots[:3] == ["A", OLD, NEW] and truth(host).running == 3,
               "53: --slot 3: that one and no other", r, truth(host))
    # Without --slot: neither running nor next, an empty one first; then the pending one; then the running one.
    for frmw, active, following, revisions, slot in (
            (0x1a, 1, 2, (OLD, "P", "C", ""), 4), (0x1a, 1, 2, (OLD, "P", "C", "D", "E"), 3), (0x14, 1, 2, (OLD, "P"), 2),
            (0x15, 2, 0, ("FACTORY", OLD), 2), (0x12, 1, 0, (OLD,), 1), (0x17, 1, 3, (OLD, "B", "P"), 2)):
        r, sent = traced(update, drive(frmw=frmw, active=active, following=following, revisions=revisions))
        fw = r.drive["fw"]
        tap.result(r.code == 5 and fw["slot"] == slot and changing(sent)[-1]["cdw10"] & 7 == slot,
                   f"slot: FRMW {frmw:#x}, {active} runs, {following} is next, {revisions}: {slot}", r)
        lost = "overwritten" if slot == active else "replaced" if slot == following else None
        tap.result(not lost or any(lost in n for n in fw["notes"]), f"slot: what is lost is said: {lost}", r)


def expect():
    for value in ("", "123456789"):
        r, sent = traced(update, drive(), "--expect", value)
        tap.result(r.code == 2 and not sent, f"--expect '{value}': no revision", r)
    r, sent = traced(update, host_of({}, {"revisions": (NEW,)}, {}), "--expect", NEW, "--activate", "reset", drive_words=("--all",))
    tap.result(r.code == 0 and results(r) == ["active", "already_current", "active"] and devices(sent) == ["nvme0", "nvme2"],
               "--expect: nothing is sent to the one that runs it", r)
    r, sent = traced(update, host_of({}, {"revisions": (NEW,)}), "--expect", NEW, drive_words=("--all",))
    tap.result(r.code == 5 and results(r) == ["pending_controller_reset", "already_current"], "--expect: 5 if the rest is 0", r)
    host = drive(frmw=0x14)
    r = update(host, "--expect", "8DV10999", "--activate", "now")
    tap.result(r.code == 1 and r.drive["fw"]["after"] == NEW == truth(host).revision and r.drive["fw"]["result"] != "active",
               "--expect, --activate now: another one runs: exit 1, and which", r)
    for when in ("store", "later", "reset"):
        host = drive(frmw=0x14)
        r = update(host, "--expect", "8DV10999", "--activate", when)
        tap.result(r.code == 1 and NEW in r.json["error"]["message"] and truth(host).slots[1] == NEW and truth(host).revision == OLD,
                   f"--expect, --activate {when}: the slot holds another one: exit 1, and which", r)
    # A drive that runs it is not even judged: it needs no slot and no image.
    r, sent = traced(update, drive(frmw=0x03, revisions=(NEW,)), "--expect", NEW)
    tap.result(r.code == 0 and r.drive["fw"]["result"] == "already_current" and not changing(sent), "--expect: a drive that could not", r)
    r = update(drive(frmw=0x14, following=2, revisions=(NEW, "OTHER")), "--expect", NEW)
    tap.result(r.code == 0 and any("waits" in n for n in r.drive["fw"]["notes"]), "--expect: it runs, but another one waits: said", r)


def names_of_drives():
    """What a drive calls itself does not steer the terminal."""
    host = host_of({}, {"model": "X\x1b]0;P\x07\x1b[31m"})
    for words in ((), ("--model", "none")):
        r = update(host, *words, drive_words=("nvme0", "nvme1"))
        tap.result(r.code == 4 and "\x1b" not in r.err and "\x07" not in r.err, f"{' '.join(words)}: a model with escape sequences", r)


def nothing_there():
    r = update(Host(simulated=True), drive_words=("--all",))
    tap.result(r.code == 3 and r.json["error"]["code"] == "not_found", "--all where there is no drive: exit 3", r)


def one_controller_is_dead():
    pair = ({"serial": "ONE", "offset_768": NQN, "sysfs": {"state": "dead"}}, {"serial": "ONE", "offset_768": NQN, "cntlid": 1, "sysfs": {"state": "live"}})
    for words in (("ONE",), ("--all",), ("nvme0", "nvme1")):
        host = host_of(*pair)
        r, sent = traced(update, host, drive_words=words)
        tap.result(r.code == 5 and devices(sent) == ["nvme1"], f"{' '.join(words)}: the controller that lives is asked", r)


def subsystem():
    pair = ({"serial": "ONE", "offset_768": NQN}, {"serial": "ONE", "offset_768": NQN, "cntlid": 1})
    for words in (("ONE",), ("ONE  ",), ("nvme0", "nvme1"), ("--all",), ("nvme1",)):
        host = host_of(*pair)
        r, sent = traced(update, host, drive_words=words)
        tap.result(r.code == 5 and len(r.json["drives"]) == 1 and len(changing(sent)) == PIECES + 1 and len(devices(sent)) == 1,
                   f"two controllers, {' '.join(words)}: one drive, updated once", r)
    for when in ("reset", "now"):
        host = host_of(*({**p, "frmw": 0x14} for p in pair))
        r, sent = traced(update, host, "--activate", when, drive_words=("ONE",))
        done = [k for k, c in enumerate(sent) if c["opcode"] == 0x10]
        asked = {c["device"] for c in sent[done[0]:] if c["opcode"] == 0x06}
        tap.result(len(done) == 1 and asked == {"nvme0", "nvme1"}, f"two controllers, --activate {when}: verified on both", r, *sent)
        both = [truth(host, n).revision for n in ("nvme0", "nvme1")]
        tap.result((r.code == 0 and r.drive["fw"]["result"] == "active") == (both == [NEW, NEW]) and r.code in (0, 5),
                   f"two controllers, --activate {when}: active only when both run it", both, r)
    # One of them cannot be asked: nobody says that the drive is updated.
    host = host_of(pair[0], {**pair[1], "faults": [{"opcode": "0x06", "count": 0, "status": "0x4006"}]})
    r, sent = traced(update, host, "--activate", "reset", "--timeout", "1", drive_words=("nvme0",))
    tap.result(r.code not in (0, 5) and r.drive["fw"]["result"] is None and r.drive["fw"]["after"] == NEW
               and "another controller" in r.json["error"]["message"], "two controllers, one does not answer: not verified", r)
    # The same serial number is not enough.
    r, sent = traced(update, host_of({"serial": "ONE"}, {"serial": "ONE", "model": "OTHER"}), drive_words=("ONE",))
    nothing_sent(r, sent, 2, "nvme1", "one serial number, two drives: the candidates")


def arrays():
    member = {"namespaces": {"1": {"holders": ["md0"]}}, "frmw": 0x14}
    other = {"namespaces": {"1": {"holders": ["md1"]}}, "frmw": 0x14}
    mapped = {"namespaces": {"1": {"holders": ["dm-0"]}}, "frmw": 0x14}
    for when in ("reset", "now"):
        for drives in ((member, member), (member, {}, member)):
            for extra in (("--yes",), ("--yes", "--dry-run")):
                r, sent = traced(update, host_of(*drives), "--activate", when, "--force", *extra[1:], drive_words=("--all",))
                nothing_sent(r, sent, 4, "md0", f"57: two members of md0 of {len(drives)} drives, --activate {when} {extra[-1]}")
        r, sent = traced(update, host_of(member, other), "--activate", when, "--force", drive_words=("--all",))
        tap.result(r.code == 0 and devices(sent) == ["nvme0", "nvme1"], f"57: members of two arrays, --activate {when}", r)
        r, sent = traced(update, host_of(member, member), "--activate", when, "--force", drive_words=("nvme1",))
        tap.result(r.code == 0 and devices(sent) == ["nvme1"], f"57: one member, --activate {when}", r)
        r, sent = traced(update, host_of(member, member), "--activate", when, drive_words=("nvme1",))
        nothing_sent(r, sent, 4, "md0", f"57: one member, --activate {when}, without --force: in use")
        r, sent = traced(update, host_of(mapped, mapped), "--activate", when, "--force", drive_words=("--all",))
        tap.result(r.code == 0, f"57: dm-0 is no md array, --activate {when}", r)
    for when, code in (("later", 5), ("store", 0)):
        r, sent = traced(update, host_of(member, member), "--activate", when, drive_words=("--all",))
        tap.result(r.code == code and devices(sent) == ["nvme0", "nvme1"], f"57: two members, --activate {when}: nothing pauses", r)
    # In use: the whole run stops at the first such drive, before it is touched.
    r, sent = traced(update, host_of({}, {"namespaces": {"1": {"mounts": ["/srv"]}}}, {}), "--activate", "reset", drive_words=("--all",))
    tap.result(r.code == 6 and results(r) == ["active", "not_applied", "not_attempted"] and devices(sent) == ["nvme0"]
               and "/srv" in r.json["drives"][1]["error"]["message"], "57: the second of three is mounted", r)


def two_at_once():
    """The first one hangs in its third piece for as long as the others are tried."""
    host = host_of({"faults": [{"opcode": "0x11", "nth": 3, "delay_ms": 60000}]}, {})
    first = Started("fw", "update", "nvme0", "--image", IMAGE, "--yes", host=host)
    first.wait_for(lambda sent: len(changing(sent)) == 2)
    pid = str(first.process.pid)
    for words in (("fw", "update", "nvme0", "--image", IMAGE), ("fw", "download", "nvme0", "--image", IMAGE),
                  ("fw", "commit", "nvme0", "--slot", "1", "--action", "1"), ("fw", "activate", "nvme0", "--slot", "1"),
                  ("reset", "nvme0")):
        r, sent = traced(run, *words, "--yes", "-o", "json", host=host)
        nothing_sent(r, sent, 4, pid, f"two at once: {' '.join(words[:2])}: exit 4, and the holder's pid")
    r = run("fw", "status", "nvme0", "-o", "json", host=host)
    tap.result(r.code == 0 and r.drive["fw"]["next"] is None, "two at once: looking is free", r)
    r = update(host, drive_words=("nvme1",))
    tap.equal(r.code, 5, "two at once: another drive is no matter")
    r, sent = traced(update, host, drive_words=("--all",))
    tap.result(r.code == 4 or r.code == 6 and results(r) == ["not_applied", "not_attempted"], "two at once: --all stops there", r)
    first.end(signal.SIGKILL)
    r = update(host, "--activate", "reset", drive_words=("nvme0",))
    tap.result(r.code == 0 and truth(host).revision == NEW, "two at once: a killed one leaves no lock", r)


def not_disturbed():
    """The first one ends as if the second had not been."""
    for delay in (500, 5000, 30000):
        host = drive(faults=[{"opcode": "0x11", "nth": 3, "delay_ms": delay}])
        first = Started("fw", "update", "nvme0", "--image", IMAGE, "--activate", "reset", "--yes", host=host)
        first.wait_for(lambda sent: len(changing(sent)) == 2)
        second = update(host)
        r = first.end()
        if second.code == 4:
            break
    tap.result(second.code == 4 and r.code == 0 and r.drive["fw"]["result"] == "active" and len(changing(first.sent())) == PIECES + 1,
               "two at once: the first one is not disturbed", r, second)


def interrupted_at_the_second():
    """A signal while the second drive is looked at: what became of the first is told."""
    for sig in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        host = host_of({}, {"faults": [{"opcode": "0x06", "delay_ms": 2000}]}, {})
        p = Started("fw", "update", "--all", "--image", IMAGE, "--yes", host=host)
        p.wait_for(lambda sent: any(c["opcode"] == 0x10 for c in sent))
        p.wait_for(lambda sent: sum(c["device"] == "nvme0" and c["opcode"] == 0x06 for c in sent) >= 4)
        r = p.end(sig)
        tap.result(r.code == 130 and results(r)[0] == "pending_controller_reset" and devices(p.sent()) == ["nvme0"]
                   and "interrupted" in [d["error"] and d["error"]["code"] for d in r.json["drives"][:2]]
                   and r.json["drives"][2]["error"]["code"] == "not_attempted",
                   f"many: {sig.name} at the second drive", r)


def gone_meanwhile():
    """The second drive is pulled while the first is being updated."""
    host = host_of({}, {"faults": [{"opcode": "0x06", "vanish_ms": -1}]})
    r = update(host, "--timeout", "1", drive_words=("--all",))
    tap.result(r.code == 6 and results(r)[0] == "pending_controller_reset" and r.json["drives"][1]["error"]["code"] in ("gone", "not_found"),
               "many: the second drive is gone", r)


def main():
    for part in (first_failure, text_of_many, models, names_of_drives, nothing_there, slots, expect, subsystem,
                 one_controller_is_dead, arrays, two_at_once, not_disturbed,
                 interrupted_at_the_second, gone_meanwhile):
        part()
    return tap.end()


sys.exit(main())
