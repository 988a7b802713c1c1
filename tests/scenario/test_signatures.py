#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What lies on a drive unused, an exported pool or a disk of another machine's array: named and refused, until --force.

The media of simulated drives are made from the documents of each format (tests/lib/signatures.py), not by the program.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from media_lib import BLOCK, SERIAL, Tap, changing, media, ns, traced  # noqa: E402
import signatures  # noqa: E402  (where media_lib has looked)

tap = Tap()
CONFIRM = ("--confirm", SERIAL)
# ZFS wants 64 MiB; and no multiple of anything, as real drives are.
BLOCKS = (80 << 11) + 77
MANAGEMENT = 0x0d


def image(host, nsid=1, name="nvme0"):
    return f"{host}/{name}/ns-{nsid}.img"


def laid(signature, nsid=1, **kwargs):
    host = media(namespaces={n: ns(nsze=BLOCKS) for n in range(1, nsid + 1)}, **kwargs)
    signatures.write(image(host, nsid), signature, BLOCKS * 512)
    return host


def refused(text, host, *words, said):
    r, sent = traced(*words, host=host)
    sent = [c for c in changing(sent) + [c for c in sent if c["opcode"] == MANAGEMENT] if c["sent"]]
    error = r.json["error"] or {"message": "", "hint": ""}
    tap.result(r.code == 4 and not sent and said in error["message"] and "--force" in (error["hint"] or ""),
               f"{text}: exit 4, {said!r}, nothing sent", r)
    return r


def each():
    for signature, name in signatures.ALL.items():
        host = laid(signature)
        said = f"nvme0n1 contains {name}"
        refused(signature.__name__, host, "format", "nvme0", *CONFIRM, said=said)
        refused(f"{signature.__name__}, dry run", host, "format", "nvme0", *CONFIRM, "--dry-run", said=said)
        tap.result(os.path.exists(image(host)), f"{signature.__name__}: still there")
        r, sent = traced("format", "nvme0", *CONFIRM, "--force", host=host)
        tap.result(r.code == 0 and len(changing(sent)) == 1 and r.drive["format"]["result"] == "formatted", f"{signature.__name__}: --force", r)
        r, _ = traced("format", "nvme0", *CONFIRM, host=host)
        tap.result(r.code == 0, f"{signature.__name__}: gone with the format", r)


def forced():
    """--force is no confirmation, and a confirmation of another drive is none either."""
    host = laid(signatures.zfs)
    for words in ((), ("--yes",), ("--confirm", SERIAL[:-1] + "X")):
        r, sent = traced("format", "nvme0", "--force", *words, host=host)
        tap.result(r.code == 4 and not changing(sent), f"--force {words}: exit 4, nothing sent", r)


def others():
    """The other commands that destroy data, and the namespaces that a wider scope takes with it."""
    said = "nvme0n1 contains zfs_member"
    refused("sanitize", laid(signatures.zfs, sanicap=BLOCK), "sanitize", "start", "nvme0", "--action", "block", *CONFIRM, said=said)
    refused("namespace delete", laid(signatures.zfs, oacs=0xe), "namespace", "delete", "nvme0n1", *CONFIRM, said=said)
    second = laid(signatures.bcache, nsid=2, fna=5)
    refused("on the second of two", second, "format", "nvme0", "--all-namespaces", *CONFIRM, said="nvme0n2 contains bcache")
    tap.equal(traced("format", "nvme0n1", *CONFIRM, host=laid(signatures.bcache, nsid=2))[0].code, 0, "on the second, and the first is meant")


def layers():
    """What came later does not hide what was there before; remains on a drive that is now partitioned are the usual case."""
    host = laid(signatures.zfs_end)
    with open(image(host), "r+b") as file:
        for at, data in signatures.gpt(BLOCKS * 512).items():
            file.seek(at)
            file.write(data)
    for said in ("nvme0n1 contains zfs_member", "nvme0n1 contains gpt"):
        refused("a partition table over a pool", host, "format", "nvme0", *CONFIRM, said=said)


def nothing():
    """Data of no known form are none; and a medium that was not written to its end is read as far as it goes."""
    for length in (0, 512, 70000, BLOCKS * 512):
        host = media(namespaces={1: ns(nsze=BLOCKS)})
        with open(image(host), "wb") as file:
            file.write(b"\x11" * length)
        tap.equal(traced("format", "nvme0", *CONFIRM, host=host)[0].code, 0, f"{length} bytes of no form: formatted")


def second_controller():
    """The medium lies with one controller of the drive, whichever is asked."""
    shared = {"cmic": 2, "namespaces": {1: ns(nsze=BLOCKS)}}
    host = media(**shared)
    media(name="nvme1", cntlid=1, host=host, **shared)
    signatures.write(image(host), signatures.lvm, BLOCKS * 512)
    refused("through the other controller", host, "format", "nvme1", *CONFIRM, said="contains LVM2_member")


for scenario in (each, forced, others, layers, nothing, second_controller):
    scenario()
sys.exit(tap.end())
