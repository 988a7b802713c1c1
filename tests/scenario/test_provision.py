#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Provisioning: Intel's Max LBA, and namespaces made anew. Numbers are isdct's: 80 % of 3907029168 blocks are 3125623328."""
import os
import signal
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fw_lib import Host, Tap, id_ctrl, records, run, stopped_at, trace_path, traced  # noqa: E402
from harness import FEATURES, id_ns  # noqa: E402
from ns_lib import MB, SERIAL, Terminal, changing, drive, ns, truth  # noqa: E402

tap = Tap()
TB2 = 3907029168
INTEL = "CVFT5152003M2P0EGN"


def intel(blocks=TB2, native=TB2, unit="last_lba", effect="now", faults=None, uses=None, minimum=0, flbas=0, features=True, serial=INTEL,
          **fields):
    """A P3700; C2h counts blocks of 512 bytes in drive.json."""
    less = unit == "last_lba"
    values = {"0xc1": blocks - less, "0xc2": native - less} if features else {}
    config = {"features": {**FEATURES, **values}, "max_lba": {"unit": unit, "effect": effect, "minimum": minimum}, "faults": faults,
              "namespaces": uses}
    return Host(simulated=True).drive(id_ctrl=id_ctrl(serial=serial, **fields), id_ns_1=id_ns(blocks, flbas=flbas),
                                      drive_json={k: v for k, v in config.items() if v})


def provision(host, *words, confirm=INTEL, **kwargs):
    return run("provision", "nvme0", *words, *(("--confirm", confirm) if confirm else ()), "-o", "json", host=host, **kwargs)


def sent_by(host, *words, **kwargs):
    path = trace_path()
    r = provision(host, *words, "--trace", path, **kwargs)
    return r, changing(records(path))


def result(r):
    return r.code, r.drive["provision"]["result"]


def words_of(c):
    return c["opcode"], c["nsid"], c["cdw10"], c["cdw11"], c["cdw12"], c["data_len"]


def by_max_lba():
    host = intel()
    r, sent = sent_by(host, "--percent", "80")
    d = r.drive["provision"]
    tap.equal((result(r), truth(host).sizes[1]), ((0, "provisioned"), 3125623328), "80 %: the drive has it")
    tap.equal([words_of(c) for c in sent], [(0x09, 0, 0xc1, 3125623327, 0, 0)], "80 %: its command, the last LBA")
    tap.equal((d["method"], d["unit"], d["native_blocks"], d["before_blocks"], d["size_blocks"], d["after_blocks"], d["after_bytes"],
               d["controller_reset"], d["host"]["agrees"]),
              ("max_lba", "last_lba", TB2, TB2, 3125623328, 3125623328, 3125623328 * 512, False, True), "80 %: the report")
    r, sent = sent_by(host, "--percent", "80", confirm=None)
    tap.equal((result(r), sent), ((0, "already_so"), []), "80 % again: nothing is sent, nothing asked")
    r, sent = sent_by(host, "--native")
    tap.equal((result(r), truth(host).sizes[1], [c["cdw11"] for c in sent]), ((0, "provisioned"), TB2, [TB2 - 1]), "--native: as it was (72)")
    r = provision(host, "--max-lba", "999999999")
    tap.equal((result(r), truth(host).sizes[1]), ((0, "provisioned"), 10**9), "--max-lba: the last block has this number")
    r = provision(host, "--size", "1000000000001")
    tap.result(result(r) == (0, "provisioned") and truth(host).sizes[1] == 1953125001 and r.drive["provision"]["notes"],
               "--size: not a byte less, and the rounding is said (72)", r)


def units():
    host = intel(unit="count")
    r, sent = sent_by(host, "--percent", "80")
    tap.equal((result(r), truth(host).sizes[1], r.drive["provision"]["unit"], [c["cdw11"] for c in sent]),
              ((0, "provisioned"), 3125623328, "blocks", [3125623328]), "a drive whose C1h is a number of blocks")
    host = intel(blocks=7814037168, native=7814037168)
    r, sent = sent_by(host, "--size", "3TB")
    tap.equal((result(r), [(c["cdw11"], c["cdw12"]) for c in sent]), ((0, "provisioned"), [(5859374999 & 0xffffffff, 1)]),
              "more than 32 bits")
    host = intel(blocks=TB2 // 8, flbas=1)
    r = provision(host, "--percent", "50")
    tap.equal((result(r), truth(host).sizes[1]), ((0, "provisioned"), TB2 // 16), "blocks of 4096 bytes")


def after_a_reset():
    host = intel(effect="reset")
    r = provision(host, "--percent", "80")
    tap.equal((result(r), truth(host).sizes[1], r.drive["provision"]["controller_reset"]), ((0, "provisioned"), 3125623328, True),
              "a drive that shows it after a reset is reset")
    host = intel(effect="reset", faults=[{"reset": "controller", "errno": "EIO"}])
    r = provision(host, "--percent", "80")
    tap.result(result(r) == (5, "pending_power_cycle") and "waits for a reset" in str(r.drive["provision"]["notes"])
               and not r.drive["provision"]["controller_reset"] and truth(host).sizes[1] == TB2,
               "a reset that fails: what was set is pending, and said", r)
    r, sent = sent_by(host, "--native")
    tap.result(r.code == 4 and not sent and "3125623327" in r.json["error"]["message"] and str(TB2) in r.json["error"]["message"],
               "while it waits C1h fits nothing: refused, with both numbers", r)
    tap.equal(run("reset", "nvme0", "--yes", host=host).code, 0, "reset by hand")
    tap.equal((truth(host).sizes[1], result(provision(host, "--native"))), (3125623328, (0, "provisioned")), "and it goes on")


def refusals():
    for text, host, words, code in (
            ("more than there is", intel(), ("--max-lba", str(TB2)), 7), ("more than there is", intel(), ("--size", "3TB"), 7),
            ("less than its minimum", intel(minimum=10**9), ("--max-lba", "1000"), 1),
            ("no feature", intel(features=False), ("--percent", "80"), 7),
            ("not of this vendor", intel(model="Example NVMe 1.0 SSD", vid=0xfa1e), ("--percent", "80"), 7),
            ("in use", intel(uses={"1": {"mounts": ["/srv"]}}), ("--percent", "80", "--force"), 4),
            ("content", intel(uses={"1": {"signature": "xfs"}}), ("--percent", "80"), 4)):
        r = provision(host, *words)
        size = struct.unpack_from("<Q", open(f"{host}/nvme0/id-ns-1.bin", "rb").read())[0]
        tap.result(r.code == code and size == TB2, f"{text}: exit {code}", r)
        if code != 1:
            tap.equal(changing(records_of(host, words)), [], f"{text}: nothing is sent")
    r = provision(intel(minimum=10**9), "--max-lba", "1000")
    tap.result("minimum" in r.json["error"]["hint"] and r.drive["provision"]["result"] == "not_applied", "the drive's reason in words", r)
    for words in ((), ("--native", "--percent", "5"), ("--percent", "0"), ("--percent", "101"), ("--max-lba", "-1"), ("--max-lba", "0x10"),
                  ("--max-lba", "99999999999999999999"), ("--size", "12"), ("--size", "10%")):
        tap.equal(provision(intel(), *words).code, 2, f"usage: {' '.join(words)}")
    for confirm in (None, "OTHER", SERIAL):
        r, sent = sent_by(intel(), "--percent", "80", "--yes", "--force", confirm=confirm)
        tap.equal((r.code, sent), (4, []), f"--confirm {confirm}")
    tap.equal(provision(Host().drive(), "--native").code, 7, "a recorded host")


def records_of(host, words):
    path = trace_path()
    provision(host, *words, "--trace", path)
    return records(path)


def dry_run():
    host = intel()
    r, sent = sent_by(host, "--percent", "80", "--dry-run", confirm=None)
    tap.equal((result(r), sent, truth(host).sizes[1]), ((0, "dry_run"), [], TB2), "--dry-run changes nothing")
    step = r.drive["provision"]["steps"][0]
    tap.result(all(w in step for w in ("(09h)", "cdw10 0xc1", "cdw11 0xba4d3a1f", "cdw12 0x0", "3125623328 blocks")), "--dry-run: dwords", step)


def answers():
    for text, fault, code, said, blocks in (
            ("refused", {"opcode": 9, "status": "0x4002"}, 1, "not_applied", TB2),
            ("lost", {"opcode": 9, "lost": "EINTR"}, 0, "provisioned", 3125623328),
            ("lost on the way", {"opcode": 9, "errno": "EINTR"}, 1, "not_applied", TB2),
            ("success without deed", {"opcode": 9, "status": "0x0000"}, 1, "not_applied", TB2)):
        host = intel(faults=[fault])
        r, sent = sent_by(host, "--percent", "80")
        tap.result((*result(r), truth(host).sizes[1], len(sent)) == (code, said, blocks, 1), f"Max LBA, {text}: {code}, {said}", r, sent)


def by_namespaces():
    host = drive(unallocated=0)
    r, sent = sent_by(host, "--percent", "50", confirm=SERIAL)
    t = truth(host)
    tap.equal((result(r), t.attached, t.sizes, t.unallocated), ((0, "provisioned"), [1], {1: 8192}, 4 * MB), "by namespaces: half of it")
    tap.equal([(c["opcode"], c["nsid"], c["cdw10"]) for c in sent], [(0x0d, 1, 1), (0x0d, 0, 0), (0x15, 1, 0)], "by namespaces: its commands")
    r = provision(host, "--native", confirm=SERIAL)
    tap.equal((result(r), truth(host).sizes), ((0, "provisioned"), {1: 16384}), "by namespaces: all of it again (72)")
    host = drive(namespaces={1: ns(), 2: ns()})
    tap.equal((provision(host, "--native", confirm=SERIAL).code, truth(host).attached), (4, [1, 2]), "two namespaces: refused")
    r = provision(drive(namespaces={1: ns()}, allocated={2: ns()}), "--native", confirm=SERIAL)
    tap.result((r.code, "has 2 namespaces" in r.drive["error"]["message"]) == (4, True), "two namespaces, one of them not attached: refused", r)
    r, sent = sent_by(drive(namespaces={}, allocated={1: ns()}), "--percent", "50", confirm=SERIAL)
    tap.result((r.code, "is not attached" in r.drive["error"]["message"], sent) == (4, True, []), "not attached: its command set is not known", r)
    host = drive(namespaces={1: ns(2048, flbas=1)}, unallocated=8 * MB)
    r = provision(host, "--max-lba", "4095", confirm=SERIAL)
    tap.equal((result(r), truth(host).sizes, truth(host).flbas), ((0, "provisioned"), {1: 4096}, {1: 1}), "the LBA format stays")
    plain = ns()
    host = drive(namespaces={1: plain[:92] + struct.pack("<IIHH", 7, 0, 2, 3) + plain[104:]})
    r = provision(host, "--percent", "50", "--dry-run", confirm=None)
    d = r.drive["provision"]
    tap.result("NVMSETID 2, ENDGID 3;" in d["steps"][1] and "ANACAP" in str(d["notes"]),
               "NVM set and endurance group stay; an ANA group that the drive chooses is said", r)
    tap.equal(result(provision(host, "--percent", "50", confirm=SERIAL)), (0, "provisioned"), "NVM set and endurance group: verified")
    zoned = bytes([1, 8, 0, 0]) + bytes(8) + bytes([4, 1, 0, 0, 2])
    host = drive(pages={"identify_03_n1": zoned.ljust(4096, b"\0")})
    r, sent = sent_by(host, "--percent", "50", confirm=SERIAL)
    tap.result(r.code == 7 and not sent and "command set 2" in r.json["error"]["message"], "a zoned namespace: refused", r)


def half_done():
    """Deleted, and not made anew: refused by the drive, or killed."""
    host = drive(faults=[{"opcode": 0x0d, "nth": 2, "status": "0x4115"}])
    r = provision(host, "--percent", "50", confirm=SERIAL)
    tap.result(result(r) == (1, "partly_applied") and "namespace 1 was deleted" in r.json["error"]["message"]
               and "namespace create" in r.json["error"]["hint"], "creating fails: what was done and what is left to do are said", r)
    says_truth(host, "creating failed")
    clean = traced(lambda *w, host: provision(host, *w, confirm=SERIAL), "--percent", "50", host=drive())[1]
    creation = next(k for k, c in enumerate(clean) if c["opcode"] == 0x0d and c["cdw10"] == 0)
    host, _, _ = stopped_at(lambda faults: drive(faults=faults), creation, signal.SIGKILL, "provision", "nvme0", "--percent", "50",
                            "--confirm", SERIAL)
    run("sim", "fault", "nvme0", "--clear", host=host)
    says_truth(host, "killed")
    r = provision(host, "--native", confirm=SERIAL)
    tap.result(r.code == 3 and "namespace create" in r.json["error"]["hint"], "provision has no namespace then, and says what to do", r)
    r = run("namespace", "create", "nvme0", "--largest", "--block-size", "512", "--attach", "--yes", host=host)
    tap.equal((r.code, truth(host).sizes), (0, {1: 16384}), "which helps")
    for at in (k for k, c in enumerate(clean) if c in changing(clean)):
        host, _, sent = stopped_at(lambda faults: drive(faults=faults), at, signal.SIGKILL, "provision", "nvme0", "--percent", "50",
                                   "--confirm", SERIAL)
        run("sim", "fault", "nvme0", "--clear", host=host)
        d = run("namespace", "list", "nvme0", "-o", "json", host=host).drive["namespace"]
        t = truth(host)
        tap.equal(([(n["nsid"], n["attached"], n["size_blocks"]) for n in d["namespaces"]], d["unallocated_bytes"]),
                  ([(n, n in t.attached, t.sizes[n]) for n in t.allocated], t.unallocated),
                  f"killed when {len(changing(sent))} commands had changed something: namespace list")
    # Before anything was sent a signal ends it.
    host, r, sent = stopped_at(lambda faults: drive(faults=faults), next(k for k, c in enumerate(clean) if c["opcode"] == 0x0d) - 1,
                               signal.SIGINT, "provision", "nvme0", "--percent", "50", "--confirm", SERIAL)
    tap.result((*result(r), changing(sent), truth(host).sizes) == (130, "not_applied", [], {1: 16384})
               and "nothing was sent" in r.json["error"]["message"], "SIGINT before the deletion: nothing is sent", r)
    # A signal does not leave the drive between two steps.
    host, r, _ = stopped_at(lambda faults: drive(faults=faults), creation, signal.SIGTERM, "provision", "nvme0", "--percent", "50",
                            "--confirm", SERIAL)
    tap.equal((r.code, truth(host).sizes), (0, {1: 8192}), "SIGTERM in the middle: it is brought to its end")


def says_truth(host, text):
    d = run("namespace", "list", "nvme0", "-o", "json", host=host).drive["namespace"]
    t = truth(host)
    tap.equal(([n["nsid"] for n in d["namespaces"]], d["unallocated_bytes"]), (t.allocated, t.unallocated), f"{text}: namespace list")
    tap.equal((t.allocated, t.unallocated), ([], 8 * MB), f"{text}: deleted, and its capacity is unallocated")


def terminal():
    for typed, code in ((INTEL, 0), ("yes", 4)):
        host = intel()
        t = Terminal("provision", "nvme0", "--percent", "80", "-o", "json", host=host)
        asked = t.until("Type the serial number to go on:")
        t.type(typed + "\n")
        t.end()
        tap.result(asked and t.code == code and INTEL in t.seen and "3125623328 blocks" in t.seen and "THE DATA ARE LOST" in t.seen
                   and truth(host).sizes[1] == (3125623328 if code == 0 else TB2), f"the question, answered {typed!r}: exit {code}", t.seen)


for part in (by_max_lba, units, after_a_reset, refusals, dry_run, answers, by_namespaces, half_done, terminal):
    part()
sys.exit(tap.end())
