#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every command of an update fails once, in every way, for every activation (firmware page, section 7, the last case; bug 46).

What is expected of each of these runs does not depend on where it was hit: what the program says is compared with what the
drive is afterwards, read from its files.
"""
import concurrent.futures
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fw_lib import (NEW, OLD, Tap, changing, clear_faults, drive, image_bytes, records, run, trace_path, truth,  # noqa: E402
                    update, write)

tap = Tap()
SIZE = 2 * 4096 + 512
PIECES = 3
IMAGE = write("small.bin", image_bytes(size=SIZE))
# Slot 1 runs, slot 2 is written; and a drive whose only slot is overwritten while it runs.
DRIVES = {"two slots": {"frmw": 0x14}, "one slot": {"frmw": 0x12}}
ACTIVATIONS = {"store": (0, "stored", OLD), "later": (5, "pending_controller_reset", OLD), "reset": (0, "active", NEW),
               "now": (0, "active", NEW)}
FOR_EVER = 0
# How the i-th command fails.
FAULTS = {
    "Do Not Retry": lambda i: [{"nth": i, "status": "0x4006"}],
    "transient": lambda i: [{"nth": i, "status": "0x0006"}],
    "interrupted, then gone once": lambda i: [{"nth": i, "errno": "EINTR"}, {"nth": i + 1, "errno": "ENODEV"}],
    "done, but the answer is lost": lambda i: [{"nth": i, "lost": "EINTR"}],
    "untouched data": lambda i: [{"nth": i, "untouched": True}],
    "gone for ever": lambda i: [{"nth": i, "count": FOR_EVER, "errno": "ENODEV"}],
    "done, then gone for ever": lambda i: [{"nth": i, "vanish_ms": -1}],
    "done, then gone for a while": lambda i: [{"nth": i, "vanish_ms": 100}],
}
# And how the controller reset does, which is no command.
RESETS = {
    "refused": [{"reset": "controller", "errno": "EBUSY"}],
    "not possible": [{"reset": "controller", "errno": "ENOTTY"}],
    "done, but reported as failed": [{"reset": "controller", "lost": "EIO"}],
    "done, then gone for ever": [{"reset": "controller", "vanish_ms": -1}],
    "done, then gone for a while": [{"reset": "controller", "vanish_ms": 100}],
}
PENDING = [f"pending_{r}" for r in ("controller_reset", "subsystem_reset", "conventional_reset", "power_cycle")]


def attempt(host, when):
    """An update with its trace; a drive that stays away is waited for one second."""
    path = trace_path()
    return update(host, "--activate", when, "--timeout", "1", "--trace", path, image=IMAGE), records(path)


def wrong_sequence(sent):
    """Of the commands that change something: what must never be."""
    sent = changing(sent)
    commits = [k for k, c in enumerate(sent) if c["opcode"] == 0x10]
    if any((c["status"] or 0) & 0x4000 for c in sent[:-1]):
        return "something is sent after Do Not Retry"
    if len(commits) > 1:
        return "more than one commit"
    if not commits:
        return None
    if commits[0] != len(sent) - 1:
        return "downloads after the commit"
    # The last time that each piece was sent must have succeeded, and the last round of all begins at 0.
    start = max(k for k, c in enumerate(sent) if c["opcode"] == 0x11 and c["cdw11"] == 0)
    good = [c for c in sent[start:-1] if c["status"] == 0]
    if [c["cdw11"] for c in good] != [k * 1024 for k in range(PIECES)] or any(c["errno"] for c in sent[start:-1]):
        return "a commit after a download that is not complete"
    return None


def contradictions(when, r, sent, before, after, later):
    """What the program said against what is."""
    code, fw, error = r.code, r.drive["fw"] or {}, r.drive["error"]
    result, message = fw.get("result"), (error or {}).get("message", "")
    slots = (after.slots, after.next, after.running)
    old_slots = (before.slots, before.next, before.running)
    new_runs = after.revision == NEW
    holds_new = NEW in after.slots
    rules = (
        (code == r.json["exit"] and (error is None) == (code in (0, 5)) and r.drive["ok"] == (error is None), "exit code and error"),
        (error is None or error["message"] and error["code"], "a reason"),
        (code in (0, 1, 3, 5), "an unexpected exit code"),
        (code != 0 or result == ACTIVATIONS[when][1], "exit 0 with another result"),
        (code != 5 or result in PENDING, "exit 5 with another result"),
        (result != "active" or (when in ("reset", "now") and new_runs), "active, but it does not run"),
        (result != "stored" or (when == "store" and holds_new and after.next is None and not new_runs), "stored, but it is not"),
        (result not in PENDING or (holds_new and after.next and not new_runs), "pending, but it does not wait"),
        (result != "not_applied" or (slots == old_slots and not new_runs), "not applied, but something was"),
        (result != "unchanged" or not new_runs, "unchanged, but it runs"),
        (result not in ("already_current", "not_attempted", "dry_run"), "a result that cannot be"),
        ("nothing was committed" not in message and "nothing was changed" not in message and "nothing was sent" not in message
         or slots == old_slots, f"\"nothing was ...\", but {slots}"),
        ("image is committed" not in message and "image was committed" not in message or holds_new, "committed, but it is not"),
        (fw.get("after") in (None, after.revision), f"after: {fw.get('after')}"),
        (fw.get("before") in (None, before.revision), f"before: {fw.get('before')}"),
        (fw.get("commands") in (None, len(changing(sent))), f"commands: {fw.get('commands')}"),
        (not changing(sent) or fw.get("commands") is not None, "commands are not told"),
        (wrong_sequence(sent) is None, wrong_sequence(sent)),
        ([s["revision"] for s in later["slots"]] == after.slots[:len(later["slots"])]
         and (later["running"], later["next"]) == (after.running, after.next), "fw status says something else"),
        (not fw.get("slots") or fw.get("after") is None or ([s["revision"] for s in fw["slots"]] == after.slots[:len(fw["slots"])]
         and fw["next"] == after.next), "slots in the report"),
    )
    return [text for good, text in rules if not good]


def make_well(host):
    """No more faults; only a drive that is away needs the program for that."""
    path = os.path.join(str(host), "nvme0", "drive.json")
    with open(path, encoding="utf-8") as f:
        config = json.load(f)
    if any("vanish_ms" in rule for rule in config.pop("faults", [])):
        clear_faults(host)
        return
    with open(path, "w", encoding="utf-8") as f:
        json.dump(config, f)


def one(host, when):
    """One run, and what is wrong with it."""
    before = truth(host)
    r, sent = attempt(host, when)
    after = truth(host)
    make_well(host)
    later = run("fw", "status", "nvme0", "-o", "json", host=host)
    if later.code:
        return [f"fw status: {later}"], r, sent
    try:
        return contradictions(when, r, sent, before, after, later.drive["fw"]), r, sent
    except (ValueError, KeyError, IndexError, TypeError) as e:
        return [f"{type(e).__name__}: {e}"], r, sent


def clean_run(kind, when):
    code, result, runs = ACTIVATIONS[when]
    host = drive(**DRIVES[kind])
    wrong, r, sent = one(host, when)
    tap.result(not wrong and (r.code, r.drive["fw"]["result"], truth(host).revision) == (code, result, runs),
               f"{kind}, --activate {when}: a clean run of {len(sent)} commands", wrong, r)
    return sent


def sweep(pool, kind, when):
    """
    Cases in order of the commands; they run side by side, as those whose drive stays away mostly wait. Before the first piece
    all activations are alike, and before the commit all slots.
    """
    clean = clean_run(kind, when)
    opcodes = [c["opcode"] for c in clean]
    first = 1 + (opcodes.index(0x10) if kind == "one slot" else 0 if when == "store" else opcodes.index(0x11))
    cases = []
    for i in range(first, len(clean) + 1):
        for name, rules in FAULTS.items():
            host = drive(faults=rules(i), **DRIVES[kind])
            cases.append((f"command {i} (opcode {clean[i - 1]['opcode']:02x}h)", name, clean[i - 1], pool.submit(one, host, when)))
    for name, rules in RESETS.items() if when == "reset" else ():
        cases.append(("the reset", name, None, pool.submit(one, drive(faults=rules, **DRIVES[kind]), when)))
    return cases


def must_succeed(name, command):
    """What may be tried again, or has happened and can be seen, is no reason to fail."""
    if not command:
        return name in ("done, but reported as failed", "done, then gone for a while")
    return command["opcode"] == 0x11 and name in ("transient", "done, but the answer is lost", "untouched data")


def report(kind, when, cases):
    for place, name, command, case in cases:
        wrong, r, sent = case.result()
        if must_succeed(name, command) and r.code != ACTIVATIONS[when][0]:
            wrong = wrong + ["gave up"]
        tap.result(not wrong, f"46: {kind}, --activate {when}, {place}: {name}", wrong, r, *sent)


def main():
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        for kind, when, cases in [(kind, when, sweep(pool, kind, when)) for kind in DRIVES for when in ACTIVATIONS]:
            report(kind, when, cases)
    return tap.end()


sys.exit(main())
