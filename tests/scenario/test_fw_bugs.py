#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Bugs 39 to 58 of the corpus: what others' firmware tools got wrong, by number.

7.N is the N-th case of section 7 of the firmware page; all of them are listed in test_fw_cases.py.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fw_lib import (IMAGE, NEW, OLD, PIECES, SIZE, Host, Tap, changing, drive, image_bytes, run, status,  # noqa: E402
                    traced, update, write)

tap = Tap()


def check(r, code, result, text, running=None):
    fw = r.drive["fw"] or {}
    tap.result(r.code == code and fw.get("result") == result and (running is None or fw.get("after") == running)
               and r.drive["ok"] == (r.drive["error"] is None), text, r)


# The main thing: each way to activate, and what the drive says afterwards.
for when, code, result, runs in (("store", 0, "stored", OLD), ("later", 5, "pending_controller_reset", OLD),
                                 ("reset", 0, "active", NEW), ("now", 0, "active", NEW)):
    host = drive(frmw=0x14, revisions=(OLD,))
    r = update(host, "--activate", when)
    check(r, code, result, f"--activate {when}: {result}", runs)
    fw = r.drive["fw"]
    tap.result(fw["before"] == OLD and fw["slot"] == 2 and fw["commands"] == PIECES + 1 and fw["image"]["size_bytes"] == SIZE
               and len(fw["image"]["sha256"]) == 64, f"--activate {when}: keys", r)
    fw = status(host)
    tap.result(fw["slots"][1]["revision"] == NEW and fw["running"] == (2 if runs == NEW else 1)
               and fw["next"] == (2 if when == "later" else None), f"--activate {when}: fw status", fw)
r = run("reset", "nvme0", "--yes", "-o", "json", host=(host := drive()) and update(host) and host)
tap.result(r.code == 0 and r.drive["fw"]["before"] == OLD and r.drive["fw"]["after"] == NEW and r.drive["firmware"] == NEW,
           "reset activates what was pending", r)
host = drive(frmw=0x14)
update(host, "--activate", "store")
r = run("fw", "activate", "nvme0", "--slot", "2", "--yes", "-o", "json", host=host)
check(r, 0, "active", "fw activate", NEW)
host = drive()
r = run("fw", "download", "nvme0", "--image", IMAGE, "--yes", "-o", "json", host=host)
tap.result(r.code == 0 and r.drive["fw"]["commands"] == PIECES, "fw download", r)
r = run("fw", "commit", "nvme0", "--slot", "1", "--action", "1", "--yes", "-o", "json", host=host)
check(r, 0, "pending_controller_reset", "fw commit: pending is what was asked for", OLD)

# 39, 40, 42: sizes, granularity, offsets.
r, sent = traced(update, drive(), image=write("odd", image_bytes(size=SIZE + 1)))
tap.result(r.code == 8 and "multiple of 4" in r.json["error"]["message"] and not changing(sent), "39: no multiple of 4", r)
r = update(drive(firmware={"granularity_bytes": 4096}), "--activate", "reset", image=write("unaligned", image_bytes(size=SIZE + 4)))
check(r, 0, "active", "39: no multiple of the granularity: the last piece is short", NEW)
for fwug, mdts, piece in ((0, 5, 4096), (0xff, 5, 4096), (2, 5, 8192), (64, 5, 4096), (32, 5, 131072), (32, 0, 131072)):
    size = 600 * 1024 + 4
    r, sent = traced(update, drive(fwug=fwug, mdts=mdts), "--activate", "reset", image=write("big", image_bytes(size=size)))
    downloads = [c for c in sent if c["opcode"] == 0x11]
    check(r, 0, "active", f"40: FWUG {fwug}, MDTS {mdts}", NEW)
    tap.result(len(downloads) == -(-size // piece) and all(c["cdw11"] == k * piece // 4 for k, c in enumerate(downloads))
               and all(c["cdw10"] == c["data_len"] // 4 - 1 for c in downloads)
               and sum(c["data_len"] for c in downloads) == size, f"40, 42: pieces of {piece}, offsets in dwords", downloads[:3])
r = update(drive(fwug=64), "--dry-run", yes=False)
tap.result(any("FWUG" in n for n in r.drive["fw"]["notes"]), "40: the conflict is said before the first byte", r)

# 43 is about huge pages, which are not used; what is used shows in the lengths above.

# 44: a lost answer. 45: Do Not Retry. 46 is the sweep (test_fw_sweep.py).
r, sent = traced(update, drive(faults=[{"opcode": "0x11", "nth": 7, "errno": "EINTR"}]), "--activate", "reset")
check(r, 0, "active", "44: a lost completion: again from the start", NEW)
tap.equal([c["cdw11"] for c in sent if c["opcode"] == 0x11], [k * 1024 for k in list(range(7)) + list(range(PIECES))],
          "44: offsets")
r, sent = traced(update, drive(faults=[{"opcode": "0x11", "nth": 7, "count": 0, "status": "0x4114"}]))
tap.result(r.code == 1 and not [c for c in sent if c["opcode"] == 0x10], "44: overlap again and again: no commit", r)
r, sent = traced(update, drive(faults=[{"opcode": "0x11", "nth": 7, "status": "0x4002"}]))
tap.result(r.code == 1 and r.drive["fw"]["result"] == "not_applied" and len(changing(sent)) == 7
           and "offset 24576" in r.json["error"]["message"] and r.drive["error"]["nvme_status"]["do_not_retry"],
           "45: Do Not Retry on piece 7: one attempt, no commit, the offset is named", r)
r, sent = traced(update, drive(faults=[{"opcode": "0x11", "nth": 7, "count": 2, "status": "0x0006"}]), "--activate", "reset")
tap.result(r.code == 0 and len(changing(sent)) == PIECES + 3, "45: a transient status: three attempts", r)
r, sent = traced(update, drive(faults=[{"opcode": "0x11", "nth": 7, "count": 3, "status": "0x0006"}]))
tap.result(r.code == 1 and len(changing(sent)) == 9, "45: not a fourth one", r)

# 47, no image at all: test_fw_image.py.

# 48: 10Bh, 110h, 111h are no failures, with More and Do Not Retry neither.
for status_code, result in ((0x10b, "conventional_reset"), (0x110, "subsystem_reset"), (0x111, "controller_reset")):
    for more in (0, 0x2000, 0x4000, 0x6000):
        r = update(drive(firmware={"commit_status": hex(status_code | more)}))
        check(r, 5, f"pending_{result}", f"48: {status_code | more:#x}", OLD)
r = update(drive(firmware={"commit_status": "0x111"}), "--activate", "reset")
check(r, 0, "active", "48: 111h and --activate reset: reset is enough", NEW)

# 49: another kind of reset.
for activation, result in (("subsystem_reset", "subsystem_reset"), ("conventional_reset", "conventional_reset"),
                           ("power_cycle", None)):
    r = update(drive(firmware={"activation": activation}), "--activate", "reset")
    tap.result(r.code == 5 and r.drive["fw"]["result"].startswith("pending_") and r.drive["fw"]["after"] == OLD
               and (result is None or r.drive["fw"]["result"] == "pending_" + result), f"49: {activation} needed", r)
host = drive(firmware={"activation": "power_cycle", "commit_status": "0x000"})
r = update(host, "--activate", "reset")
check(r, 5, "pending_power_cycle", "49: said to be enough, but is not", OLD)
tap.equal(status(host)["next"], 1, "49: still waits")
run("sim", "power-cycle", "nvme0", host=host)
tap.equal(status(host)["slots"][0]["revision"], NEW, "49: after the power cycle")
tap.equal(run("show", "nvme0", "-o", "json", host=host).drive["firmware"], NEW, "49: it runs")

# 50: the drive is asked, not sysfs.
host = drive(sysfs={"firmware_rev": OLD}, frmw=0x14)
r = update(host, "--activate", "now")
check(r, 0, "active", "50: sysfs shows the old revision", NEW)

# 51: accepted, and ignored.
for when in ("reset", "now"):
    r = update(drive(firmware={"ignore_image": True}), "--activate", when, "--timeout", "1")
    check(r, 1, "unchanged", f"51: --activate {when}", OLD)
r = update(drive(revisions=(NEW,)), "--expect", NEW, "--activate", "reset")
check(r, 0, "already_current", "51: nothing is sent to a drive that runs it")
r, sent = traced(update, drive(revisions=(NEW,)), "--expect", NEW)
tap.result(not changing(sent), "51: nothing at all", sent)
r = update(drive(), "--expect", "8DV10999", "--activate", "reset")
check(r, 1, "pending_controller_reset", "51: another one is in the slot: it is not reset into it", OLD)
r = update(drive(), "--expect", "8DV10999", "--activate", "now")
tap.result(r.code == 1 and r.drive["fw"]["result"] != "active" and r.drive["fw"]["after"] == NEW, "51: another one runs: exit 1", r)

# 53: slots.
for frmw, active, revisions, words, code, slot in (
        (0x00, 1, (OLD,), (), 7, None), (0x02, 1, (OLD,), (), 5, 1), (0x03, 1, (OLD,), (), 7, None),
        (0x13, 1, (OLD,), (), 7, None), (0x1a, 1, (OLD,), (), 5, 2), (0x1f, 2, ("FACTORY", OLD), (), 5, 3),
        (0x1f, 2, ("FACTORY", OLD), ("--slot", "1"), 7, None), (0x1f, 2, ("FACTORY", OLD), ("--slot", "7"), 5, 7),
        (0x04, 1, (OLD,), ("--slot", "3"), 7, None), (0x05, 2, ("FACTORY", OLD), (), 5, 2)):
    r, sent = traced(update, drive(frmw=frmw, active=active, revisions=revisions), *words)
    tap.result(r.code == code and (r.drive["fw"]["slot"] == slot) and bool(changing(sent)) == (code == 5),
               f"53: FRMW {frmw:#04x} {' '.join(words)}: slot {slot}", r)
r = update(drive(faults=[{"opcode": "0x10", "status": "0x2106"}]))
check(r, 1, "not_applied", "53: 106h with More", OLD)

# 54 and the other answers to a commit: explained, never repeated.
for code in (0x00c, 0x006, 0x106, 0x112, 0x113, 0x114):
    for more in (0, 0x2000, 0x4000):
        r, sent = traced(update, drive(faults=[{"opcode": "0x10", "status": hex(code | more)}]))
        check(r, 1, "not_applied", f"54: commit says {code | more:#x}", OLD)
        tap.equal(len([c for c in sent if c["opcode"] == 0x10]), 1, f"54: one commit, {code | more:#x}")
r = run("fw", "commit", "nvme0", "--slot", "1", "--action", "1", "--yes", "-o", "json", host=drive())
tap.result(r.code != 0 and r.json["error"]["nvme_status"] is not None, "54: a commit without a download", r)

# 55: update in progress.
r = update(drive(firmware={"busy_polls": 3}), "--activate", "reset")
check(r, 0, "active", "55: busy for three polls", NEW)

# 56: gone for a while after the commit, and during the activation.
r = update(drive(faults=[{"opcode": "0x10", "vanish_ms": 1500}]), "--activate", "now")
check(r, 0, "active", "56: back after 1.5 s", NEW)

# 57: in use.
used = {"1": {"mounts": ["/srv"]}}
for words in (("fw", "update", "nvme0", "--image", IMAGE, "--activate", "now"), ("fw", "update", "nvme0", "--image", IMAGE, "--activate", "reset"),
              ("fw", "activate", "nvme0", "--slot", "1"), ("reset", "nvme0")):
    r, sent = traced(lambda *w: run(*w, "--yes", "-o", "json", host=drive(namespaces=used)), *words)
    tap.result(r.code == 4 and "/srv" in r.json["error"]["message"] and not changing(sent), f"57: {' '.join(words[:2])}: mounted", r)
r = update(drive(namespaces=used))
check(r, 5, "pending_controller_reset", "57: staging a drive in use is fine", OLD)
r = update(drive(namespaces=used), "--activate", "reset", "--force")
check(r, 0, "active", "57: --force", NEW)
r = update(drive(faults=[{"opcode": "0x10", "vanish_ms": -1}]), "--activate", "now", "--timeout", "2")
tap.result(r.code == 3 and r.drive["fw"]["result"] is None and "committed" in r.json["error"]["message"], "57: killed by the activation: exit 3, and what is known", r)
# 57, members of one array: test_fw_many.py.

# 58: slot strings.
host = Host(simulated=True)
drive(host=host, frmw=0x1a, active=1, following=2, revisions=(OLD, "\0\0\0", "   ", "A\0B"))
fw = status(host)
tap.equal([s["revision"] for s in fw["slots"]], [OLD, None, None, "A", None], "58: NULs and blanks")
tap.equal((fw["running"], fw["next"], fw["slots"][1]["next"]), (1, 2, True), "58: next")

# Not confirmed, recorded, and what --dry-run says against what is sent.
r, sent = traced(update, drive(), yes=False)
tap.result(r.code == 4 and not changing(sent), "without a terminal and --yes: exit 4", r)
recorded = Host().drive("nvme0")
r = update(recorded)
tap.result(r.code == 7 and "sim create" in r.json["error"]["hint"], "a recorded host: exit 7", r)
host = drive(frmw=0x14)
dry, sent = traced(update, host, "--dry-run", yes=False)
check(dry, 0, "dry_run", "--dry-run")
tap.result(not changing(sent), "--dry-run sends nothing that changes anything", sent)
r, sent = traced(update, host)
sent = changing(sent)
plan = dry.drive["fw"]
tap.equal((plan["commands"], plan["slot"], plan["action"]), (len(sent), sent[-1]["cdw10"] & 7, sent[-1]["cdw10"] >> 3), "--dry-run: the commit")
tap.equal([c["data_len"] for c in sent[:-1]], [min(plan["chunk_bytes"], SIZE - k * plan["chunk_bytes"]) for k in range(PIECES)],
          "--dry-run: the pieces")

for when in ("store", "later", "reset", "now"):
    r = update(host, "--activate", when, "--dry-run", yes=False)
    tap.equal(any("controller reset" in s for s in r.drive["fw"]["steps"]), when == "reset", f"--dry-run --activate {when}: whether it resets")

sys.exit(tap.end())
