#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rehearsal: a drive is captured, its twin is updated with the very file that the drive is to get, then the drive itself.

Plan, commands and outcome must be the same. The drive that plays the real one is a simulated one here as well; it is given
the same file, of which only the vendor knows what is in it.
"""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fw_lib import (NEW, OLD, TMP, Tap, changing, drive, image_bytes, run, traced, truth, update, words, write)  # noqa: E402

tap = Tap()
# No image for simulated drives: as a vendor's file would be.
VENDORS_FILE = write("vendor.bin", bytes(range(7, 256)) * 201 + bytes(3))


def place(name):
    return os.path.join(TMP, name)


def rehearse(host, name, revision=NEW, **firmware):
    """Sets what the drive makes of any file."""
    path = os.path.join(str(host), name, "drive.json")
    with open(path, encoding="utf-8") as f:
        config = json.load(f)
    config["firmware"] = {"rehearse": revision, **firmware}
    with open(path, "w", encoding="utf-8") as f:
        json.dump(config, f)


def twin_of(host, number):
    recording, twin = place(f"recording{number}"), place(f"twin{number}")
    r = run("capture", "--all", "--to", recording, host=host)
    tap.result(r.code == 0, f"{number}: capture", r)
    r = run("sim", "create", twin, "--from", recording)
    tap.result(r.code == 0, f"{number}: sim create --from", r)
    r, sent = traced(update, recording, image=VENDORS_FILE)
    tap.result(r.code == 7 and "sim create" in r.json["error"]["hint"] and not changing(sent), f"{number}: the recording itself: exit 7", r)
    return twin


def same(real, twin, text):
    """What was done to both; time and place aside, the reports are one."""
    def report(r):
        drives = json.loads(json.dumps(r.json["drives"]))
        for d in drives:
            d["fw"].pop("seconds", None)
        return r.code, drives
    tap.equal(report(twin), report(real), text)


SHAPES = (
    {"frmw": 0x12}, {"frmw": 0x14}, {"frmw": 0x1a, "revisions": (OLD, "8DV10102"), "fwug": 2}, {"frmw": 0x05, "active": 2, "revisions": ("FACTORY", OLD)},
    {"frmw": 0x12, "fwug": 0, "mdts": 3}, {"frmw": 0x12, "fwug": 0xff, "mdts": 0}, {"frmw": 0x12, "fwug": 64})


def shapes():
    for number, shape in enumerate(SHAPES):
        real = drive(**shape)
        twin = twin_of(real, number)
        for host in (real, twin):
            rehearse(host, "nvme0")
        for extra in (("--dry-run",), ("--activate", "store"), ("--activate", "later"), ("--activate", "reset")):
            rehearsed, twins = traced(update, twin, *extra, image=VENDORS_FILE)
            done, reals = traced(update, real, *extra, image=VENDORS_FILE)
            text = f"{number}: {shape}, {' '.join(extra)}"
            same(done, rehearsed, f"{text}: the same report")
            tap.equal([words(c) for c in twins], [words(c) for c in reals], f"{text}: the same {len(reals)} commands")
            tap.equal(truth(twin), truth(real), f"{text}: the same drive afterwards")
        tap.equal(truth(twin).revision, NEW, f"{number}: the rehearsed revision runs")


def refusals():
    """A twin of a drive that cannot says so before anything is sent to the real one."""
    for number, (shape, code) in enumerate((({"frmw": 0x03}, 7), ({"frmw": 0x00}, 7), ({"oacs": 0}, 7)), len(SHAPES)):
        real = drive(**shape)
        twin = twin_of(real, number)
        rehearse(twin, "nvme0")
        r, sent = traced(update, twin, "--dry-run", image=VENDORS_FILE)
        tap.result(r.code == code and not changing(sent), f"{number}: {shape}: the dry run on the twin says so: exit {code}", r)
        r, sent = traced(update, twin, image=VENDORS_FILE)
        tap.result(r.code == code and not changing(sent), f"{number}: {shape}: the run on the twin as well", r)


def without_rehearse():
    """Without it a simulated drive takes only images for simulated drives."""
    real = drive()
    twin = twin_of(real, 20)
    r = update(twin, image=VENDORS_FILE)
    tap.result(r.code == 8 and r.drive["fw"]["result"] == "not_applied" and truth(twin).slots[0] == OLD, "without rehearse: 107h, exit 8", r)
    r = update(twin, "--activate", "reset", image=write("sim.bin", image_bytes()))
    tap.result(r.code == 0 and truth(twin).revision == NEW and truth(real).revision == OLD, "the twin changes, the other one does not", r)
    rehearse(twin, "nvme0", "8DV10999")
    r = update(twin, "--activate", "reset", "--expect", "8DV10999", image=write("sim.bin", image_bytes()))
    tap.result(r.code == 0 and truth(twin).revision == "8DV10999", "rehearse: any file is that revision, an image for simulated drives too", r)


def models():
    """Each model that `sim create` knows: its plan is for its own slots."""
    lab = place("lab")
    run("sim", "create", lab, "--model", "p3700", "--model", "p4510")
    for name in ("nvme0", "nvme1"):
        model = run("list", "-o", "json", host=lab).json["drives"][int(name[-1])]["model"]
        was = truth(lab, name)
        out = place(f"{name}.bin")
        made = run("sim", "image", "--model", model, "--revision", "TEST0001", "--size", str(256 * 1024 + 4), "--out", out)
        dry = update(lab, "--dry-run", drive_words=(name,), image=out, yes=False)
        r = update(lab, "--activate", "reset", "--expect", "TEST0001", drive_words=(name,), image=out)
        tap.result(made.code == 0 and dry.code == 0 and r.code == 0 and truth(lab, name).revision == "TEST0001"
                   and dry.drive["fw"]["slot"] == r.drive["fw"]["slot"] and dry.drive["fw"]["commands"] == r.drive["fw"]["commands"],
                   f"{model} ({was.revision}): plan, update, proof", made, dry, r)


def main():
    for part in (shapes, refusals, without_rehearse, models):
        part()
    return tap.end()


sys.exit(main())
