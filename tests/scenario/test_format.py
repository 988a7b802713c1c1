#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Format: the scope that the drive makes of it, what is refused before anything is sent, and what became of what was sent.

Numbers in brackets are entries of the collection of reports in the project's history: nvme-cli's issues and others.
"""
import os
import signal
import struct
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from media_lib import (BLOCKS, FORMAT, SERIAL, Started, Tap, asks_who_it_is_first, changing, comes_back_dumb, fault,  # noqa: E402
                       identify, media, ns, run, set_drive_json, traced, until_matched)

tap = Tap()
CONFIRM = ("--confirm", SERIAL)


def fmt(host, *words, drive="nvme0", confirm=True):
    return traced("format", drive, *words, *(CONFIRM if confirm else ()), host=host)


def error(r):
    """With texts that can be searched."""
    return {k: v or "" if k in ("message", "hint") else v for k, v in (r.drive["error"] or {"message": "", "hint": "", "code": ""}).items()}


def refused(text, host, *words, code=4, said="", drive="nvme0", confirm=True):
    before = identify(host) if os.path.exists(f"{host}/nvme0/id-ns-1.bin") else None
    r, sent = fmt(host, *words, drive=drive, confirm=confirm)
    after = identify(host) if before else None
    tap.result(r.code == code and not changing(sent) and before == after and said in error(r)["message"] + error(r)["hint"],
               f"{text}: exit {code}, nothing sent", r)
    dry, sent = fmt(host, *words, "--dry-run", drive=drive, confirm=confirm)
    if confirm:
        tap.result(dry.code == code and not changing(sent), f"{text}: the dry run says so too", dry)
        if r.drive["format"]:
            tap.equal(dry.drive["format"]["result"], r.drive["format"]["result"], f"{text}: with the same result")
    return r


def done(text, host, *words, cdw10, nsids=(1,), after=None, drive="nvme0"):
    dry, sent = fmt(host, *words, "--dry-run", drive=drive)
    tap.result(dry.code == 0 and dry.drive["format"]["result"] == "dry_run" and not changing(sent)
               and all(f"cdw10 0x{cdw10:08x}" in s for s in dry.drive["format"]["steps"]), f"{text}: dry run", dry)
    r, sent = fmt(host, *words, drive=drive)
    sent = changing(sent)
    tap.result(r.code == 0 and r.drive["format"]["result"] == "formatted" and [c["nsid"] for c in sent] == list(nsids)
               and {c["cdw10"] for c in sent} == {cdw10} and r.drive["format"]["host_refresh"] == "done"
               and r.drive["format"]["commands"] == len(nsids), f"{text}: formatted and verified", r, sent)
    tap.result(all(c["timeout_ms"] >= 3600000 for c in sent), f"{text}: an hour at least")
    if after:
        tap.equal(identify(host), after, f"{text}: so says the drive")
    return r


def formats():
    r = done("4096", media(), "--block-size", "4096", cdw10=3, after=(3, 0, BLOCKS // 8))
    scope = r.drive["format"]["scope"][0]
    tap.equal((scope["device"], scope["before"]["block_bytes"], scope["after"]["block_bytes"], scope["after"]["lba_format"],
               scope["before"]["size_bytes"], scope["after"]["size_bytes"]),
              ("nvme0n1", 512, 4096, 3, BLOCKS * 512, BLOCKS * 512), "before and after")
    done("4K as a size with a unit", media(), "--block-size", "4K", cdw10=3)
    done("as it is", media(namespaces={1: ns(flbas=3)}), cdw10=3, after=(3, 0, BLOCKS))
    done("as it is, with protection", media(namespaces={1: ns(flbas=0x14, dps=9)}), cdw10=0x134, after=(0x14, 9, BLOCKS))
    done("user data", media(), "--erase", "user-data", cdw10=0x200)
    done("crypto", media(), "--erase", "crypto", cdw10=0x400)
    done("4096+8 with protection", media(), "--lba-format", "4", "--protection", "1", "--metadata", "extended", cdw10=0x34,
         after=(0x14, 1, BLOCKS // 8))
    done("by metadata size", media(), "--block-size", "512", "--metadata-size", "16", cdw10=2)
    # [59] the last format, and the middle of three
    done("the last format is NLBAF", media(), "--lba-format", "6", cdw10=6)
    done("4096 is the last of seven", media(namespaces={1: ns(formats=((9, 0, 2),) * 6 + ((12, 0, 0),))}), "--block-size", "4096",
         cdw10=6)
    r = refused("[59] 4096 with metadata only", media(namespaces={1: ns(formats=((9, 0, 0), (12, 8, 0)))}), "--block-size", "4096",
                code=7, said="4096+8")
    tap.result("--metadata-size" not in r.json["error"]["message"] and "512" in error(r)["message"], "what there is, is said", r)
    refused("[59] beyond the last format", media(), "--lba-format", "7", code=7)
    refused("a format in use that the drive does not have", media(namespaces={1: ns(formats=((9, 0, 0), (12, 0, 0)), flbas=7)}), code=7,
            said="no format 7")
    refused("a format in use without a block size", media(namespaces={1: ns(formats=((9, 0, 0), (0, 8, 0)), flbas=1)}), code=7,
            said="no format 1")
    refused("crypto erase that is not there", media(fna=0), "--erase", "crypto", code=7, said="FNA")
    refused("protection without metadata", media(), "--lba-format", "3", "--protection", "1", code=7)
    refused("no Format NVM", media(oacs=4), code=7, said="OACS")
    # P3700: NVMe 1.0 has no list of namespaces [70]
    done("NVMe 1.0", media(ver=0, fna=0), "--block-size", "4096", cdw10=3)
    refuses_lists = media(drive_json=fault(opcode="0x06", cns=2, status="0x4002", count=0))
    done("[70] a drive that refuses the list", refuses_lists, "--block-size", "4096", cdw10=3)


def erase_of_all():
    """FNA bit 1 without FFFFFFFFh (bit 3): an erase of the whole drive is sent once, and not for each namespace."""
    three = {1: ns(fpi=0x80), 2: ns(flbas=3, fpi=0x80), 3: ns(fpi=0x80)}
    same = {n: ns(fpi=0x80) for n in (1, 2)}
    for text, fna, namespaces, words, commands in (
            ("FNA bits 1 and 3", 14, three, ("--block-size", "4096"), [(1, 0x403), (2, 0x003), (3, 0x003)]),
            ("FNA bits 1 and 3, each as it is", 14, three, (), [(1, 0x400), (2, 0x003), (3, 0x000)]),
            ("FNA bit 1, each as it is", 6, three, (), [(1, 0x400), (2, 0x003), (3, 0x000)]),
            ("neither, each as it is", 4, three, (), [(1, 0x400), (2, 0x403), (3, 0x400)]),
            ("FNA bits 0, 1 and 3", 15, same, (), [(1, 0x400)]),
            ("FNA bits 0 and 3", 13, same, (), [(1, 0x400), (2, 0x400)]),
            ("FNA bit 3", 12, same, (), [(1, 0x400), (2, 0x400)]),
            ("FNA bit 1", 6, same, (), [(0xffffffff, 0x400)])):
        host = media(fna=fna, namespaces=namespaces, drive_json={"format": {"busy_polls": 3}})
        dry, _ = fmt(host, "--all-namespaces", "--erase", "crypto", *words, "--dry-run")
        r, sent = fmt(host, "--all-namespaces", "--erase", "crypto", *words)
        tap.result(r.code == 0 and r.drive["format"]["result"] == "formatted"
                   and [(c["nsid"], c["cdw10"]) for c in changing(sent)] == commands, f"{text}: {len(commands)} commands, one erase of each", r)
        tap.equal(any("first command erases all" in n for n in dry.drive["format"]["notes"] or []), bool(fna & 2) and len(commands) > 1, f"{text}: the plan says so")
        tap.equal([s.split("cdw10 ")[1][:10] for s in dry.drive["format"]["steps"]], [f"{c:#010x}" for _, c in commands],
                  f"{text}: the dry run shows what is sent")
    apart = media(fna=5, oacs=0xe, identify_11_n2=ns())
    r, _ = fmt(apart, "--all-namespaces", "--erase", "crypto", "--force")
    tap.result(any("namespace 2" in n and "not erased" in n for n in r.drive["format"]["notes"] or []), "what an erase does not reach is said", r)
    # The erase reaches a namespace that is not formatted: it is waited for as well.
    host = media(fna=6, namespaces=same, drive_json={"format": {"busy_polls": 3}})
    r, sent = fmt(host, "--all-namespaces", "--erase", "crypto", drive="nvme0n1")
    after, _ = traced("format", "nvme0n2", "--erase", "none", *CONFIRM, host=host)
    tap.equal((r.code, after.code), (0, 0), "FNA bit 1: the other namespace is erased when the command has ended")


def usage():
    for words in (("--block-size", "4096", "--lba-format", "3"), ("--erase", "secure"), ("--protection", "4"), ("--lba-format", "-1"),
                  ("--lba-format", "0x3"), ("--metadata", "no"), ("--lba-format", "64"), ("--lba-format", "4294967299"),
                  ("--nsid", "0x1ffffffff"), ("--eras", "none"), ("--protection-first",)):
        r, sent = fmt(media(), *words)
        tap.result(r.code == 2 and not changing(sent), f"{words}: usage", r)
    r, _ = fmt(media(), "--nsid", "2", drive="nvme0n1")
    tap.result(r.code == 2, "--nsid that is not the one named", r)


def scope():
    two = {1: ns(), 2: ns(flbas=3)}
    refused("the controller of two namespaces", media(namespaces=two), said="--all-namespaces")
    refused("the controller, another one is not attached", media(oacs=0xe, identify_11_n2=ns()), said="--all-namespaces")
    done("one of two", media(namespaces=two), "--block-size", "4096", drive="nvme0n1", cdw10=3)
    for fna in (0, 2, 8):
        refused(f"FNA {fna}: one of two and all of them", media(fna=fna, namespaces=two), "--all-namespaces", code=2, drive="nvme0n1",
                said="namespace 1 was named")
        refused(f"FNA {fna}: one of two by --nsid and all of them", media(fna=fna, namespaces=two), "--all-namespaces", "--nsid", "2",
                code=2, said="namespace 2 was named")
    done("one of two by --nsid", media(namespaces=two), "--nsid", "2", nsids=(2,), cdw10=3)
    host = media(fna=5, namespaces=two)
    refused("FNA bit 0", host, drive="nvme0n1", said="FNA bit 0")
    refused("FNA bit 0, different formats", host, "--all-namespaces", drive="nvme0n1", said="--block-size")
    r = done("FNA bit 0, all of them", host, "--all-namespaces", "--block-size", "4096", nsids=(0xffffffff,), cdw10=3)
    tap.equal([s["nsid"] for s in r.drive["format"]["scope"]], [1, 2], "the scope is said")
    done("[27] FNA bit 0, and one namespace alone", media(fna=5), "--block-size", "4096", cdw10=3)
    host = media(fna=6, namespaces=two)
    refused("FNA bit 1 with an erase", host, "--erase", "user-data", drive="nvme0n1", said="FNA bit 1")
    refused("FNA bit 1 with a crypto erase", host, "--erase", "crypto", drive="nvme0n1", said="FNA bit 1")
    done("FNA bit 1 without an erase", host, drive="nvme0n1", cdw10=0)
    done("FNA bit 3: one by one", media(fna=12, namespaces=two), "--all-namespaces", "--block-size", "4096", nsids=(1, 2), cdw10=3)
    r = done("FNA bit 1 with an erase: all are lost, one gets the format", host, "--all-namespaces", "--erase", "user-data",
             "--block-size", "4096", drive="nvme0n1", cdw10=0x203)
    tap.equal([s["nsid"] for s in r.drive["format"]["scope"]], [1, 2], "the scope of the erase is said")
    # Allocated, and attached to nobody here: its use is unknown.
    hidden = media(fna=5, oacs=0xe, identify_11_n2=ns())
    refused("not attached here", hidden, "--all-namespaces", said="no node on this host")
    done("not attached here, with --force", hidden, "--all-namespaces", "--force", nsids=(0xffffffff,), cdw10=0)
    shared = media(oacs=0xe, identify_12_n1=struct.pack("<HHH", 2, 0, 7))
    refused("another host's controller has it too", shared, said="controller 7")
    done("another host's controller has it too, with --force", shared, "--force", cdw10=0)
    # Who has it cannot be read (CNS 12h)
    # Identify Controller without FNA must not pass for one whose FNA is 0.
    refused("FNA has not arrived", media(fna=5, namespaces=two, drive_json=fault(opcode="0x06", cns=1, count=0, short=524)),
            drive="nvme0n1", code=1, said="524")
    rule = {"opcode": "0x06", "cns": "0x12", "count": 0}
    untold = media(oacs=0xe, cmic=2, drive_json=fault(**rule, status="0x4002"))
    refused("the drive does not say who has it", untold, said="does not say who has")
    done("the drive does not say who has it, with --force", untold, "--force", cdw10=0)
    done("a subsystem of one controller (CMIC bit 1)", media(oacs=0xe, drive_json=fault(**rule, status="0x4002")), cdw10=0)
    for answer in ({"short": 1}, {"short": 3}, {"status": "0x4006"}, {"errno": "EIO"}):
        refused(f"who has it: {answer}", media(oacs=0xe, drive_json=fault(**rule, **answer)), "--force", code=1)
    done("who has it is nothing that a drive without management of namespaces says", media(drive_json=fault(**rule, errno="EIO")), cdw10=0)
    # [68] a second controller on this host
    both = media(fna=5, cmic=2)
    media(fna=5, cmic=2, name="nvme1", cntlid=1, host=both, namespaces={2: ns()})
    refused("a second controller of the drive has another namespace", both, drive="nvme0n1", said="FNA bit 0")
    mounted = media(cmic=2, drive_json={"namespaces": {"1": {"device": "nvme0n1"}}})
    media(cmic=2, name="nvme1", cntlid=1, host=mounted,
          drive_json={"namespaces": {"1": {"device": "nvme1n1", "mounts": ["/data"]}}})
    refused("mounted through the other controller", mounted, "--force", drive="nvme0n1", said="/data")
    refused("a list that is refused although announced", media(oacs=0xe, drive_json=fault(opcode="0x06", cns=0x10, status="0x4006", count=0)),
            code=1)


def in_use():
    for use, said in (({"mounts": ["/srv"]}, "mounted on /srv"), ({"holders": ["md0"]}, "part of md0")):
        host = media(drive_json={"namespaces": {"1": use}})
        refused(said, host, said=said)
        refused(f"{said}, --force", host, "--force", said=said)
    signature = media(drive_json={"namespaces": {"1": {"signature": "ext4"}}})
    refused("a signature", signature, said="ext4")
    done("a signature, with --force", signature, "--force", cdw10=0)
    refused("no terminal", media(), said="--confirm", confirm=False)
    r, sent = traced("format", "nvme0", "--yes", "--force", host=media())
    tap.result(r.code == 4 and not changing(sent), "--yes is no --confirm", r)
    r, sent = traced("format", "nvme0", "--confirm", SERIAL[:-1], host=media())
    tap.result(r.code == 4 and not changing(sent), "another serial number", r)
    other = media(drive_json={"namespaces": {"2": {"mounts": ["/other"]}}}, namespaces={1: ns(), 2: ns()})
    done("another namespace is mounted", other, drive="nvme0n1", cdw10=0)
    refused("another namespace is mounted, all", other, "--all-namespaces", said="/other")
    r, sent = traced("format", "nvme0", "--confirm", SERIAL, "--force",
                     host=media(drive_json={"sysfs": {"transport": "tcp"}}))
    tap.result(r.code == 0 and len(changing(sent)) == 1, "tcp with --force", r)
    recorded = media()
    os.unlink(f"{recorded}/host.json")
    refused("a recorded host", recorded, code=7)


def busy():
    """[35] and others: what runs in the drive must end first."""
    sanitizing = media(sanicap=2, log_81=struct.pack("<HHI", 655, 2, 2) + b"\xff" * 24 + bytes(480))
    refused("[35] a sanitize operation that never ends", sanitizing, said="sanitize operation is running")
    testing = media(oacs=0x16, log_06=bytes([1]) + bytes(563))
    refused("a self-test", testing, said="self-test")
    refused("a format that runs", media(namespaces={1: ns(fpi=0x80 | 40)}), said="a format is running")
    for opcode in ("update", "commit"):
        words = ("--image", "/dev/null") if opcode == "update" else ("--slot", "1", "--action", "1")
        r = run("fw", opcode, "nvme0", *words, "--yes", host=sanitizing)
        tap.result(r.code in (4, 8), f"fw {opcode} is refused", r)
    r = run("fw", "commit", "nvme0", "--slot", "1", "--action", "1", "--yes", "-o", "json", host=sanitizing)
    tap.result(r.code == 4 and "sanitize operation" in error(r)["message"], "fw commit during a sanitize operation", r)


def statuses():
    """[62] More and Do Not Retry beside the status do not hide it."""
    for status in ("0x10a", "0x210a", "0x410a"):
        r, sent = fmt(media(drive_json=fault(opcode="0x80", status=status)))
        tap.result(r.code == 1 and len(changing(sent)) == 1 and error(r)["nvme_status"]["value"] == int(status, 16)
                   and "Invalid Format" in error(r)["message"] and "--erase" in error(r)["hint"]
                   and r.drive["format"]["result"] == "not_started", f"[62] {status}: named, sent once", r)
    for status, words in (("0x0084", "format is in progress"), ("0x001d", "sanitize operation is in progress"),
                          ("0x4020", "write protected"), ("0x4007", "locked"), ("0x4006", "Internal Error")):
        r, sent = fmt(media(drive_json=fault(opcode="0x80", status=status)))
        tap.result(r.code == 1 and len(changing(sent)) == 1 and words in error(r)["message"], f"{status}: {words}", r)
    # Only these say that nothing was begun (NVM Express Base Specification 2.0c, status code tables).
    for status in ("0x4001", "0x4002", "0x400b", "0x0084", "0x001d", "0x001c", "0x4020", "0x4015", "0x4083", "0x410a"):
        r, _ = fmt(media(drive_json=fault(opcode="0x80", status=status)), "--erase", "user-data")
        tap.result(r.code == 1 and r.drive["format"]["result"] == "not_started" and "damaged" not in error(r)["message"],
                   f"{status}: not started", r)
    for status in ("0x0004", "0x4006", "0x4007", "0x0281", "0x47ff"):
        r, _ = fmt(media(drive_json=fault(opcode="0x80", status=status)), "--erase", "user-data")
        tap.result(r.code in (1, 3) and r.drive["format"]["result"] is None and "may be damaged" in error(r)["message"],
                   f"{status}: not known, and what that means", r)
    host = media(fna=12, namespaces={1: ns(), 2: ns()}, drive_json=fault(opcode="0x80", nth=2, status="0x4006"))
    r, sent = fmt(host, "--all-namespaces", "--block-size", "4096")
    tap.result(r.code == 1 and r.drive["format"]["result"] == "partly" and len(changing(sent)) == 2
               and (identify(host, 1)[0], identify(host, 2)[0]) == (3, 0)
               and [s["after"] and s["after"]["lba_format"] for s in r.drive["format"]["scope"]] == [3, None],
               "the second of two fails: partly", r)


def lost():
    """[63] EINTR: never sent again; the drive says what became of it."""
    for name in ("EINTR", "ENODEV", "EIO"):
        host = media(drive_json=fault(opcode="0x80", lost=name))
        r, sent = fmt(host, "--block-size", "4096")
        tap.result(r.code == 0 and r.drive["format"]["result"] == "formatted" and len(changing(sent)) == 1
                   and identify(host)[0] == 3 and "lost" in r.drive["format"]["notes"][0], f"[63] carried out, answer lost ({name})", r)
        host = media(drive_json=fault(opcode="0x80", errno=name))
        r, sent = fmt(host, "--block-size", "4096")
        tap.result(r.code != 0 and r.drive["format"]["result"] == "failed" and len(changing(sent)) == 1
                   and "not carried out" in error(r)["message"], f"[63] not carried out, {name}", r)
        host = media(drive_json=fault(opcode="0x80", lost=name))
        r, sent = fmt(host, "--erase", "user-data")
        tap.result(r.code != 0 and r.drive["format"]["result"] is None and len(changing(sent)) == 1
                   and "cannot tell" in error(r)["message"], f"[63] an erase whose answer is lost ({name}): nobody can tell", r)
    # Command Aborted By Host: of the kernel, whose answer says nothing of the drive.
    for words, result, said in ((("--block-size", "4096"), "failed", "not carried out"), (("--erase", "user-data"), None, "cannot tell")):
        r, sent = fmt(media(drive_json=fault(opcode="0x80", status="0x0371")), *words)
        tap.result(r.code and r.drive["format"]["result"] == result and said in error(r)["message"] and len(changing(sent)) == 1,
                   f"given up by the host, {words}", r)
    host = media(drive_json=fault(opcode="0x80", vanish_ms=400))
    r, sent = fmt(host, "--block-size", "4096")
    tap.result(r.code == 0 and r.drive["format"]["result"] == "formatted" and len(changing(sent)) == 1, "gone for a moment afterwards", r)
    r, sent = comes_back_dumb(lambda host: fmt(host, "--block-size", "4096"), {"opcode": "0x80"})
    tap.result(r.code == 0 and r.drive["format"]["result"] == "formatted" and asks_who_it_is_first(sent), "gone, and then Identify fails: who it is comes first", r, sent)
    r, sent = fmt(media(drive_json=fault(opcode="0x80", errno="EINVAL")))
    tap.result(r.code == 1 and r.drive["format"]["result"] == "not_started", "the kernel refuses: nothing was sent", r)


def verification():
    """The completion is no proof."""
    host = media(drive_json=fault(opcode="0x80", status="0x0000"))
    r, sent = fmt(host, "--block-size", "4096")
    tap.result(r.code == 1 and r.drive["format"]["result"] == "failed" and error(r)["code"] == "unchanged"
               and len(changing(sent)) == 1, "success without effect is none", r)
    for words in (("--erase", "user-data"), ("--lba-format", "0"), ()):
        r, _ = fmt(media(drive_json=fault(opcode="0x80", status="0x0000")), *words)
        tap.result(r.code == 0 and any("cannot show that this run did it" in n for n in r.drive["format"]["notes"]),
                   f"{words}: the format is the one from before, which proves nothing", r)
    r = run("format", "nvme0", "--erase", "user-data", *CONFIRM, host=media())
    tap.result("verified" not in r.out and "cannot show that this run did it" in r.out, "so says the text", r)
    r, _ = fmt(media(), "--lba-format", "3", "--erase", "user-data")
    tap.result(r.code == 0 and not r.drive["format"]["notes"], "another format is a proof", r)
    for nth in (2, 4):
        r, sent = fmt(media(drive_json=fault(opcode="0x06", cns=0, nth=nth, short=64)), "--block-size", "4096")
        tap.result(r.code == 1 and error(r)["code"] == "no_data" and not changing(sent), f"Identify Namespace {nth} comes short before", r)
    r, sent = fmt(media(drive_json=fault(opcode="0x06", cns=0, nth=5, short=64)), "--block-size", "4096")
    tap.result(r.code == 0 and r.drive["format"]["result"] == "formatted" and len(changing(sent)) == 1, "and after: it is asked once more", r)
    stale = media(drive_json={"namespaces": {"1": {"size_bytes": 4711 * 512, "block_bytes": 512}}})
    r, sent = fmt(stale, "--block-size", "4096")
    tap.result(r.code == 0 and r.drive["format"]["result"] == "formatted" and r.drive["format"]["host_refresh"] == "failed"
               and "rescan" in r.err, "[60] the host shows another size: apart from the drive's result", r)


def progress():
    """[63] FPI counts down: waited for."""
    host = media(namespaces={1: ns(fpi=0x80)}, drive_json={"format": {"busy_polls": 6}})
    r, sent = fmt(host, "--block-size", "4096")
    polls = [c for c in sent if c["opcode"] == 6 and c["cdw10"] == 0]
    tap.result(r.code == 0 and r.drive["format"]["result"] == "formatted" and len(changing(sent)) == 1 and len(polls) >= 6,
               "[63] the format goes on after the completion: polled until FPI is 0", r)
    # A drive may answer what it is asked meanwhile when it is done: a shorter timeout would have the kernel reset it in the midst.
    host = media(namespaces={1: ns(fpi=0x80)}, drive_json=fault(opcode="0x80", delay_ms=2500))
    r, sent = fmt(host, "--block-size", "4096")
    at = next(k for k, c in enumerate(sent) if c["opcode"] == FORMAT)
    meanwhile = [c["timeout_ms"] for c in sent[at - 1:at] if c["opcode"] == 6]
    tap.result(r.code == 0 and meanwhile == [sent[at]["timeout_ms"]], "what is asked meanwhile has the format's timeout", meanwhile)
    r = run("format", "nvme0", *CONFIRM, host=media(namespaces={1: ns(fpi=0x80)}))
    tap.result("%" not in r.err, "no bar when stderr is no terminal", r)


def slow(ms, **kwargs):
    return media(drive_json=fault(opcode="0x80", delay_ms=ms), **kwargs)


def interrupted():
    for sig in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        host = slow(3000)
        p = Started("format", "nvme0", "--block-size", "4096", *CONFIRM, host=host)
        until_matched(host)
        r = p.end(sig)
        tap.result(r.code == 0 and r.drive["format"]["result"] == "formatted" and "cannot be stopped" in r.err
                   and len(changing(p.sent())) == 1 and identify(host)[0] == 3, f"{sig.name} after sending: explained, and finished", r)
    host = slow(4000)
    p = Started("format", "nvme0", "--block-size", "4096", *CONFIRM, host=host)
    until_matched(host)
    p.process.send_signal(signal.SIGINT)
    p.said("cannot be stopped")
    r = p.end(signal.SIGINT)
    tap.result(r.code == 130 and r.drive["format"]["result"] is None and "goes on in the drive" in error(r)["message"],
               "a second one: no longer waited for, and told the truth", r)
    after_the_end(host, "interrupted twice")
    host = slow(4000)
    r, _ = fmt(host, "--block-size", "4096", "--timeout", "1")
    tap.result(r.code == 1 and error(r)["code"] == "timeout" and r.drive["format"]["result"] is None
               and "goes on" in error(r)["message"], "--timeout is how long we wait, and nothing else", r)
    after_the_end(host, "--timeout")


def after_the_end(host, text):
    """While the command that was left behind lasts, the next one is refused; then the drive says what it is."""
    r, sent = fmt(host)
    tap.result(r.code == 4 and "is changing this drive" in error(r)["message"] and not changing(sent), f"{text}: the lock holds", r)
    for _ in range(300):
        if identify(host)[0] == 3:
            break
        time.sleep(0.1)
    set_drive_json(host, faults=[])
    for _ in range(100):
        r = run("format", "nvme0", *CONFIRM, "-o", "json", host=host)
        if r.code != 4:
            break
        time.sleep(0.05)
    tap.result(r.code == 0 and r.drive["format"]["scope"][0]["before"]["lba_format"] == 3, f"{text}: then the truth is told", r)


def killed():
    host = slow(4000)
    p = Started("format", "nvme0", "--block-size", "4096", *CONFIRM, host=host)
    until_matched(host)
    p.process.send_signal(signal.SIGKILL)
    out = p.process.communicate(timeout=300)
    tap.result(p.process.returncode == -signal.SIGKILL and not out[0], "killed: nothing of ours stays open", out)
    after_the_end(host, "killed")


def text_output():
    r = run("format", "nvme0", "--block-size", "4096", *CONFIRM, host=media())
    tap.result("512 B (format 0) -> 4096 B (format 3)" in r.out and "(simulated)" in r.out and r.code == 0, "text: before and after", r)
    r = run("format", "nvme0", "--block-size", "4096", "--dry-run", host=media())
    tap.result("cdw10 0x00000003" in r.out and "timeout 3600 s" in r.out, "text of a dry run: dwords and timeout", r)
    big = media(namespaces={1: ns(nsze=31250000000)})
    r = run("format", "nvme0", "--dry-run", "-o", "json", host=big)
    tap.equal(r.drive["format"]["timeout_seconds"], 16 * 3600, "16 TB: the timeout goes by the size")
    r = run("format", "nvme0", "-v", *CONFIRM, host=media())
    tap.result(r.code == 0 and "Format NVM" in r.err, "-v says what was sent, from the process that sent it", r)
    tap.equal(run("forma", "nvme0", host=media()).code, 2, "whole words only")


for part in (formats, erase_of_all, usage, scope, in_use, busy, statuses, lost, verification, progress, interrupted, killed, text_output):
    part()
sys.exit(tap.end())
