#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Namespaces: list, create, delete, attach, detach; the kernel's rescan. What the drive is, is read from its files."""
import os
import signal
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fw_lib import Host, Tap, id_ctrl, records, run, stopped_at, traced, trace_path  # noqa: E402
from harness import trace_of  # noqa: E402
from ns_lib import MB, SERIAL, Terminal, changing, drive, ns, truth  # noqa: E402

tap = Tap()


def namespace(host, *words, **kwargs):
    return run("namespace", *words, "-o", "json", host=host, **kwargs)


def sent_by(host, *words):
    """Runs with --trace; the result, and the commands that could change something."""
    path = trace_path()
    r = namespace(host, *words, "--trace", path)
    return r, changing(records(path))


def result(r):
    return r.code, r.drive["namespace"]["result"]


def lists():
    host = drive(namespaces={1: ns(16384), 3: ns(2048, flbas=1, nmic=1)}, allocated={7: ns(16384)}, unallocated=40 * MB,
                 total=60 * MB)
    d = namespace(host, "list", "nvme0").drive["namespace"]
    tap.equal([(n["nsid"], n["attached"], n["size_blocks"], n["size_bytes"], n["block_bytes"], n["shared"], n["device"])
               for n in d["namespaces"]],
              [(1, True, 16384, 8 * MB, 512, False, "nvme0n1"), (3, True, 2048, 8 * MB, 4096, True, "nvme0n3"),
               (7, False, 16384, 8 * MB, 512, False, None)], "list: attached and allocated ones, gaps between the numbers (70)")
    tap.equal([[c["controller_id"] for c in n["controllers"]] for n in d["namespaces"]], [[0], [0], []], "list: controllers")
    tap.equal((d["total_bytes"], d["unallocated_bytes"], d["unallocated_bytes_str"], d["management"], d["max_namespaces"]),
              (60 * MB, 40 * MB, str(40 * MB), True, 16), "list: capacity")
    old = Host(simulated=True).drive(id_ctrl=id_ctrl(serial=SERIAL, ver=0))
    r = namespace(old, "list", "nvme0")
    tap.equal((r.code, [(n["nsid"], n["controllers"]) for n in r.drive["namespace"]["namespaces"]],
               r.drive["namespace"]["total_bytes"]), (0, [(1, None)], None), "list: NVMe 1.0 has no lists (70)")
    huge = drive(namespaces={1: ns(1 << 40, flbas=1)})
    tap.equal(namespace(huge, "list", "nvme0").drive["namespace"]["namespaces"][0]["size_bytes"], 1 << 52, "list: 4 PiB (11)")
    recorded = Host().drive(id_ctrl=id_ctrl(serial=SERIAL))
    tap.equal(namespace(recorded, "list", "nvme0").code, 0, "list: a recorded drive")
    no_list = drive(faults=[{"opcode": 6, "cns": 0x10, "count": 0, "status": "0x4002"}])
    r = namespace(no_list, "list", "nvme0")
    tap.equal((r.code, r.drive["namespace"]["allocated_known"], len(r.drive["namespace"]["namespaces"])), (0, False, 1),
              "list: a drive that has no list of allocated ones")
    nothing = drive(namespaces={1: ns(), 5: ns()}, faults=[{"opcode": 6, "cns": c, "count": 0, "status": "0x4002"} for c in (2, 0x10, 0x13)])
    d = namespace(nothing, "list", "nvme0").drive["namespace"]
    tap.equal(([n["nsid"] for n in d["namespaces"]], d["controllers"]), ([1, 5], None), "list: without any list, what the kernel has (70)")
    tap.equal([(n["nguid"], n["eui64"]) for n in d["namespaces"]], [(None, None)] * 2, "list: identifiers of zeros are none (71)")
    shaky = drive(faults=[{"opcode": 6, "count": 2, "errno": "EINTR"}])
    tap.equal(namespace(shaky, "list", "nvme0").code, 0, "list: reads that were cancelled are sent again (73)")
    r = namespace(no_list, "delete", "nvme0", "--nsid", 1, "--confirm", SERIAL)
    tap.equal((r.code, truth(no_list).attached), (7, [1]), "delete: what there is must be known")


def creates():
    host = drive(unallocated=64 * MB)
    r, sent = sent_by(host, "create", "nvme0", "--size", "16M", "--attach", "--yes")
    tap.equal(result(r), (0, "created"), "create --attach")
    tap.equal([(c["opcode"], c["nsid"], c["cdw10"], c["cdw11"], c["data_len"]) for c in sent],
              [(0x0d, 0, 0, 0, 4096), (0x15, 2, 0, 0, 4096)], "create: its commands")
    t = truth(host)
    tap.equal((t.attached, t.sizes[2], t.unallocated), ([1, 2], 32768, 48 * MB), "create: the drive has it")
    d = r.drive["namespace"]
    tap.equal((d["nsid"], d["host"], [n["nsid"] for n in d["changed_namespaces"]]),
              (2, {"rescanned": True, "agrees": True, "message": None}, [2]), "create: host and changed list")
    r = namespace(host, "create", "nvme0", "--blocks", 100, "--block-size", 4096, "--yes")
    t = truth(host)
    tap.equal((result(r), t.attached, t.allocated, t.sizes[3], t.flbas[3]), ((0, "created"), [1, 2], [1, 2, 3], 100, 1),
              "create without --attach: exactly so many blocks (72)")
    r = namespace(host, "create", "nvme0", "--largest", "--yes")
    tap.equal((result(r), truth(host).unallocated), ((0, "created"), 0), "create --largest: nothing is left over (72)")
    r = namespace(host, "create", "nvme0", "--size", "1M", "--yes")
    tap.equal((r.code, r.json["error"]["code"]), (7, "unsupported"), "create: no room is said before it is tried")


def create_says_what_it_rounds():
    host = drive(unallocated=64 * MB, granularity=4 * MB)
    r = namespace(host, "create", "nvme0", "--size", "5M", "--yes")
    d = r.drive["namespace"]
    tap.result(result(r) == (0, "created") and truth(host).sizes[2] == 16384 and d["size_granularity_bytes"] == 4 * MB
               and any("16384 blocks" in n for n in d["notes"]), "create: whole units of the drive's granularity, and said", r)
    r = namespace(host, "create", "nvme0", "--blocks", "10240", "--yes")
    tap.result(result(r) == (0, "created") and truth(host).sizes[3] == 10240
               and any(str(3 * MB) in n for n in r.drive["namespace"]["notes"]), "create --blocks: exact, and what is lost is said", r)


def create_formats():
    formats = ((9, 0, 2), (9, 8, 2), (9, 16, 2), (12, 8, 0), (12, 64, 0), (12, 128, 0), (12, 0, 0))
    host = drive(namespaces={1: ns(16384, formats=formats)}, unallocated=64 * MB)
    r = namespace(host, "create", "nvme0", "--size", "1M", "--block-size", 4096, "--yes")
    tap.equal((result(r), truth(host).flbas.get(2)), ((0, "created"), 6), "create: the last format, NLBAF, is one (59)")
    for words, code in ((("--block-size", "1024"), 7), (("--lba-format", "7"), 7), (("--lba-format", "255"), 2),
                        (("--lba-format", "-1"), 2), (("--lba-format", "1", "--block-size", "512"), 2)):
        r = namespace(host, "create", "nvme0", "--size", "1M", *words, "--yes")
        tap.result(r.code == code and truth(host).allocated == [1, 2], f"create {' '.join(words)}: exit {code} (59)", r)


def create_names_formats():
    host = drive(namespaces={1: ns(16384, formats=((9, 0, 0), (12, 8, 0)))}, unallocated=MB)
    r = namespace(host, "create", "nvme0", "--size", "1M", "--block-size", 4096, "--yes")
    tap.result(r.code == 7 and "0: 512" in r.json["error"]["hint"] and "1: 4096+8" in r.json["error"]["hint"],
               "create: 4096 with metadata only: what there is is named (59)", r)


def usage():
    host = drive(namespaces={1: ns(), 2: ns()}, unallocated=MB)
    for words in (("create", "nvme0"), ("create", "nvme0", "--size", "1M", "--blocks", "1"), ("create", "nvme0", "--size", "0"),
                  ("create", "nvme0", "--size", "1M", "--controllers", "0"), ("delete", "nvme0"), ("attach", "nvme0"),
                  ("create", "nvme0", "--size", "1M", "--attach", "--controllers", "x"), ("delete", "nvme0n1", "--nsid", "2"),
                  ("delete", "nvme0n1", "--all-namespaces"), ("delete", "nvme0", "--nsid", "0x1ffffffff"),
                  ("delete", "nvme0", "--nsid", "0xffffffff"), ("detach", "nvme0", "--nsid", "1", "--controllers", "70000"),
                  ("detach", "nvme0", "--nsid", "1", "--controllers", "0,"), ("delete", "--all", "--nsid", "1"), ("erase", "nvme0"),
                  ("del", "nvme0", "--nsid", "1")):
        r = namespace(host, *words, "--confirm", SERIAL, "--yes")
        tap.equal((r.code, truth(host).allocated), (2, [1, 2]), f"usage: {' '.join(words)}")
    for verb in ("attach", "detach", "delete"):
        r = namespace(host, verb, "nvme0n1", "--nsid", "2", "--confirm", SERIAL, "--yes")
        tap.equal((r.code, r.json["error"]["message"], truth(host).attached), (2, "--nsid 2, but namespace 1 was named", [1, 2]),
                  f"{verb}: two namespaces are named")
    tap.equal(result(namespace(host, "detach", "nvme0n2", "--nsid", "2", "--yes")), (0, "detached"), "the same one is named twice")


def permission():
    host = drive(namespaces={1: ns(), 2: ns()}, unallocated=64 * MB)
    for words in (("create", "nvme0", "--size", "1M"), ("delete", "nvme0", "--nsid", 2), ("delete", "nvme0", "--nsid", 2, "--yes", "--force"),
                  ("delete", "nvme0", "--nsid", 2, "--confirm", "OTHER"), ("detach", "nvme0", "--nsid", 2),
                  ("create", "nvme0", "--size", "1M", "--yes", "--confirm", "OTHER")):
        r, sent = sent_by(host, *words)
        tap.equal((r.code, r.json["error"]["code"], sent), (4, "refused", []), f"not confirmed: {' '.join(map(str, words))}")
    for words in (("create", "nvme0", "--size", "1M", "--attach"), ("delete", "nvme0n2"), ("detach", "nvme0n2"),
                  ("delete", "nvme0", "--all-namespaces")):
        r, sent = sent_by(host, *words, "--dry-run")
        tap.equal((result(r), sent, truth(host).attached), ((0, "dry_run"), [], [1, 2]), f"--dry-run: {' '.join(words)}")
    recorded = Host().drive(id_ctrl=id_ctrl(serial=SERIAL, oacs=0x0e))
    for words in (("create", "nvme0", "--size", "1M"), ("delete", "nvme0n1"), ("attach", "nvme0n1")):
        tap.equal(namespace(recorded, *words, "--yes", "--confirm", SERIAL).code, 7, f"recorded: {' '.join(words)}")
    without = Host(simulated=True).drive(id_ctrl=id_ctrl(serial=SERIAL))
    for words in (("create", "nvme0", "--size", "1M"), ("delete", "nvme0n1"), ("detach", "nvme0n1")):
        r, sent = sent_by(without, *words, "--yes", "--confirm", SERIAL)
        tap.equal((r.code, sent), (7, []), f"no namespace management: {' '.join(words)}")
    remote = drive(unallocated=64 * MB, transport="tcp")
    tap.equal(namespace(remote, "create", "nvme0", "--size", "1M", "--yes").code, 4, "not attached by PCIe: --force is missing")
    tap.equal(namespace(remote, "create", "nvme0", "--size", "1M", "--yes", "--force").code, 0, "not attached by PCIe, --force")


def dry_run_is_what_is_sent():
    for words in (("create", "nvme0", "--size", "16M", "--attach"), ("delete", "nvme0n1"), ("detach", "nvme0n1")):
        host = drive(unallocated=64 * MB)
        steps = namespace(host, *words, "--dry-run").drive["namespace"]["steps"]
        _, sent = sent_by(host, *words, "--yes", "--confirm", SERIAL)
        fine = len(steps) == len(sent) and all(
            f"({c['opcode']:02X}h)" in s and f"cdw10 {c['cdw10']:#x}" in s and f"cdw11 {c['cdw11']:#x}" in s
            and f"timeout {c['timeout_ms'] // 1000} s" in s and (f"nsid {c['nsid']:#x}," in s or "the new one's" in s)
            for s, c in zip(steps, sent))
        tap.result(fine, f"--dry-run says what is sent: {' '.join(words)}", steps, sent)


def deletes():
    host = drive(namespaces={1: ns(), 2: ns()}, unallocated=0)
    r, sent = sent_by(host, "delete", "nvme0n2", "--confirm", SERIAL)
    tap.equal((result(r), truth(host).attached, truth(host).unallocated), ((0, "deleted"), [1], 8 * MB), "delete: one, by its node")
    tap.equal([(c["opcode"], c["nsid"], c["cdw10"]) for c in sent], [(0x0d, 2, 1)], "delete: its command")
    tap.equal(namespace(host, "delete", "nvme0", "--nsid", 2, "--confirm", SERIAL).code, 3, "delete: one that is not there")
    host = drive(namespaces={1: ns(), 2: ns()}, allocated={3: ns()})
    r = namespace(host, "delete", "nvme0", "--all-namespaces", "--confirm", SERIAL)
    tap.result(r.code == 4 and "namespace 3" in r.json["error"]["message"] and truth(host).allocated == [1, 2, 3],
               "delete all: one that no node leads to needs --force", r)
    r, sent = sent_by(host, "delete", "nvme0", "--all-namespaces", "--confirm", SERIAL, "--force")
    tap.equal((result(r), truth(host).allocated, [c["nsid"] for c in sent]), ((0, "deleted"), [], [0xffffffff]), "delete all")
    tap.equal(namespace(host, "list", "nvme0").drive["namespace"]["namespaces"], [], "delete all: an empty list")


def in_use():
    for use in ({"mounts": ["/srv"]}, {"holders": ["md0"]}):
        for words in (("delete", "nvme0n2"), ("detach", "nvme0n2"), ("delete", "nvme0", "--all-namespaces")):
            host = drive(namespaces={1: ns(), 2: ns()}, uses={"2": use})
            r, sent = sent_by(host, *words, "--yes", "--force", "--confirm", SERIAL)
            tap.result(r.code == 4 and not sent and list(use.values())[0][0] in r.json["error"]["message"],
                       f"in use: {' '.join(words)}, {use}", r)
            tap.equal(namespace(host, *words, "--dry-run").code, 4, f"in use: {' '.join(words)} --dry-run")
    host = drive(namespaces={1: ns(), 2: ns()}, uses={"2": {"mounts": ["/srv"]}})
    tap.equal(namespace(host, "delete", "nvme0n1", "--confirm", SERIAL).code, 0, "in use: another namespace is no matter")
    host = drive(namespaces={1: ns()}, uses={"1": {"signature": "ext4"}})
    r = namespace(host, "delete", "nvme0n1", "--confirm", SERIAL)
    tap.result(r.code == 4 and "ext4" in r.json["error"]["message"], "content: --force is missing", r)
    tap.equal(namespace(host, "delete", "nvme0n1", "--confirm", SERIAL, "--force").code, 0, "content: --force")


def two_controllers(**second):
    host = drive(namespaces={1: ns(nmic=1)}, unallocated=64 * MB)
    return drive("nvme1", host=host, cntlid=1, namespaces=second.pop("namespaces", {}), unallocated=64 * MB, **second)


def shared():
    host = two_controllers()
    r = namespace(host, "attach", "nvme0", "--nsid", 1, "--controllers", "all", "--yes")
    tap.equal((result(r), truth(host, "nvme1").attached), ((0, "attached"), [1]), "attach to all: the other controller has it (68)")
    r, sent = sent_by(host, "attach", "nvme0", "--nsid", 1, "--controllers", "1,0", "--yes")
    tap.equal((result(r), sent), ((0, "already_attached"), []), "attach: what is so is not sent")
    r = namespace(host, "detach", "nvme0", "--nsid", 1, "--controllers", "0", "--yes")
    tap.equal((result(r), truth(host).attached, truth(host, "nvme1").attached), ((0, "detached"), [], [1]), "detach: one of two")
    r = namespace(host, "create", "nvme0", "--size", "1M", "--attach", "--controllers", "all", "--yes")
    tap.equal(r.code, 7, "create: private, for two controllers")
    r = namespace(host, "create", "nvme0", "--size", "1M", "--shared", "--attach", "--controllers", "all", "--yes")
    tap.equal((result(r), truth(host).attached, truth(host, "nvme1").attached), ((0, "created"), [2], [1, 2]), "create --shared")
    r = namespace(host, "attach", "nvme0", "--nsid", 1, "--controllers", "9", "--yes")
    tap.equal(r.code, 3, "attach: a controller that is not there")
    # Used through the other controller.
    host = two_controllers(namespaces={1: ns(nmic=1)}, uses={"1": {"mounts": ["/srv"]}})
    for words in (("delete", "nvme0", "--nsid", 1), ("detach", "nvme0", "--nsid", 1)):
        r, sent = sent_by(host, *words, "--confirm", SERIAL, "--yes", "--force")
        tap.result(r.code == 4 and not sent and "/srv" in r.json["error"]["message"], f"in use on another controller: {words[0]} (68)", r)


def elsewhere():
    """A controller of the drive that this host does not have: what another host does with it is not known."""
    host = drive(namespaces={1: ns(nmic=1)}, pages={"identify-12-n1": struct.pack("<HHH", 2, 0, 4).ljust(4096, b"\0")})
    r = namespace(host, "delete", "nvme0n1", "--confirm", SERIAL)
    tap.result(r.code == 4 and "controller 4" in r.json["error"]["message"] and truth(host).attached == [1],
               "delete: attached elsewhere needs --force", r)

    def two_hosts():
        both = struct.pack("<HHH", 2, 0, 4).ljust(4096, b"\0")
        return drive(namespaces={1: ns(nmic=1)}, cmic=2, pages={"identify-12-n1": both, "identify-13": both})

    # Detaching takes it away from that host only when its controller is named.
    for words, code in ((("--controllers", "4"), 4), (("--controllers", "0,4"), 4), ((), 0), (("--controllers", "0", "--force"), 0)):
        r, sent = sent_by(two_hosts(), "detach", "nvme0n1", "--yes", *words)
        tap.result(len(sent) == (code == 0) and (not code or (r.code == 4 and "controller 4" in r.json["error"]["message"]
                                                              and "--force" in r.json["error"]["hint"])), f"detach {words}: {code}", r, sent)
    r, sent = sent_by(two_hosts(), "detach", "nvme0n1", "--yes", "--controllers", "4", "--force")
    tap.equal([c["opcode"] for c in sent], [0x15], "detach: taken away from another host with --force")
    untold = {"opcode": "0x06", "cns": "0x12", "count": 0}
    host = drive(namespaces={1: ns()}, cmic=2, faults=[{**untold, "status": "0x4002"}])
    r = namespace(host, "delete", "nvme0n1", "--confirm", SERIAL)
    tap.result(r.code == 4 and "does not say who has" in r.json["error"]["message"] and truth(host).attached == [1],
               "delete: the drive does not say who has it", r)
    r = namespace(host, "list", "nvme0")
    tap.equal(r.drive["namespace"]["namespaces"][0]["controllers"], None, "list: who has it is not known")
    # CMIC bit 1 clear: a subsystem of one controller.
    host = drive(namespaces={1: ns()}, allocated={2: ns()}, cntlid=5, faults=[{**untold, "status": "0x4002"}])
    r = namespace(host, "list", "nvme0")
    tap.equal([[c["controller_id"] for c in n["controllers"]] for n in r.drive["namespace"]["namespaces"]], [[5], []],
              "list: a subsystem of one controller does not say who has it")
    tap.equal(result(namespace(host, "attach", "nvme0", "--nsid", 2, "--yes")), (0, "attached"), "attach: the same drive")
    tap.equal((result(namespace(host, "delete", "nvme0n1", "--confirm", SERIAL)), truth(host).allocated), ((0, "deleted"), [2]),
              "delete: the same drive")
    for cns, answer in (("0x12", {"short": 1}), ("0x12", {"short": 2}), ("0x12", {"errno": "EIO"}), ("0x10", {"short": 4}),
                        ("0x02", {"short": 4}), ("0x13", {"short": 1}), ("0x13", {"short": 2}), ("0x02", {"status": "0x4006"})):
        host = drive(namespaces={1: ns(), 2: ns()}, faults=[{**untold, "cns": cns, **answer}])
        r = namespace(host, "delete", "nvme0", "--all-namespaces", "--confirm", SERIAL, "--force")
        tap.result(r.code == 1 and truth(host).attached == [1, 2], f"delete: CNS {cns} {answer} is no answer", r)


def identify_cut_off():
    """Without UNVMCAP or NN there is no telling what can be made."""
    for length in (280, 300, 516):
        host = drive(unallocated=64 * MB, faults=[{"opcode": 6, "cns": 1, "short": length, "count": 0}])
        r, sent = sent_by(host, "create", "nvme0", "--size", "1M", "--yes")
        tap.result(r.code == 1 and not sent and str(length) in r.json["error"]["message"], f"Identify Controller ends at {length}: nothing is sent", r)
    for cns, length in ((0x11, 16), (0x11, 100), (0x11, 200), (0x16, 40)):
        host = drive(unallocated=64 * MB, granularity=MB, faults=[{"opcode": 6, "cns": cns, "short": length, "count": 0}])
        for words in (("list", "nvme0"), ("create", "nvme0", "--size", "1M", "--yes")):
            r, sent = sent_by(host, *words)
            tap.result(r.code == 1 and not sent and r.json["error"]["code"] == "no_data", f"{words[0]}: Identify CNS {cns:#x} ends at {length}", r)


def attach_detach():
    host = drive(allocated={2: ns()})
    r, sent = sent_by(host, "attach", "nvme0", "--nsid", 2, "--yes")
    tap.equal((result(r), truth(host).attached), ((0, "attached"), [1, 2]), "attach")
    tap.equal([(c["opcode"], c["nsid"], c["cdw10"], c["data_len"]) for c in sent], [(0x15, 2, 0, 4096)], "attach: its command")
    r, sent = sent_by(host, "detach", "nvme0n2", "--yes")
    tap.equal((result(r), truth(host).attached, truth(host).allocated), ((0, "detached"), [1], [1, 2]), "detach: it stays allocated")
    tap.equal([(c["opcode"], c["nsid"], c["cdw10"]) for c in sent], [(0x15, 2, 1)], "detach: its command")
    r, sent = sent_by(host, "detach", "nvme0", "--nsid", 2, "--yes")
    tap.equal((result(r), sent), ((0, "already_detached"), []), "detach: what is so is not sent")


def answers():
    """What is sent once and then looked for: refused, lost, not carried out, said to be done and not done."""
    create = ("create", "nvme0", "--size", "1M", "--attach", "--yes")
    delete = ("delete", "nvme0n1", "--confirm", SERIAL)
    for text, words, fault, code, said, allocated in (
            ("refused", create, {"opcode": 0x0d, "status": "0x4002"}, 1, "not_applied", [1]),
            ("lost", create, {"opcode": 0x0d, "lost": "EINTR"}, 0, "created", [1, 2]),
            ("lost on the way", create, {"opcode": 0x0d, "errno": "EINTR"}, 1, "not_applied", [1]),
            ("success without deed", create, {"opcode": 0x0d, "status": "0x0000"}, 1, "not_applied", [1]),
            ("attach refused", create, {"opcode": 0x15, "status": "0x4006"}, 1, "partly_applied", [1, 2]),
            ("attach lost", create, {"opcode": 0x15, "lost": "EINTR"}, 0, "created", [1, 2]),
            ("given up by the host", create, {"opcode": 0x0d, "status": "0x0371"}, 3, "not_applied", [1]),
            ("answered and away for a while", create, {"opcode": 0x0d, "vanish_ms": 800}, 0, "created", [1, 2]),
            ("refused", delete, {"opcode": 0x0d, "status": "0x4002"}, 1, "not_applied", [1]),
            ("lost", delete, {"opcode": 0x0d, "lost": "EINTR"}, 0, "deleted", []),
            ("lost on the way", delete, {"opcode": 0x0d, "errno": "EINTR"}, 1, "not_applied", [1]),
            ("success without deed", delete, {"opcode": 0x0d, "status": "0x0000"}, 1, "not_applied", [1]),
            ("answered and gone", delete, {"opcode": 0x0d, "vanish_ms": -1}, 1, None, [])):
        host = drive(unallocated=64 * MB, faults=[fault])
        r, sent = sent_by(host, *words)
        once = len({(c["opcode"], c["cdw10"]) for c in sent}) == len(sent)
        tap.result((*result(r), truth(host).allocated) == (code, said, allocated) and once, f"{words[0]}, {text}: {code}, {said}",
                   r, truth(host), sent)
        if "given up" in text:
            tap.result("answer was lost" in r.json["error"]["hint"], "given up by the host is no refusal", r)
        if said == "partly_applied":
            tap.result("namespace 2 was created" in r.json["error"]["message"], "what was done before is said", r)


def never_sent():
    """What the kernel does not take was not lost: no namespace is looked for, and the message does not speak of an answer."""
    for name in ("ENOTTY", "EINVAL", "EACCES"):
        host = drive(unallocated=64 * MB, faults=[{"opcode": 0x0d, "errno": name}])
        r, sent = sent_by(host, "create", "nvme0", "--size", "1M", "--yes")
        tap.result(r.code and result(r)[1] == "not_applied" and "answer" not in str(r.json["error"]) and len(sent) == 1, f"{name}: never sent", r)


def killed():
    """Between creating and attaching: the next command says what is."""
    words = ("create", "nvme0", "--size", "1M", "--attach", "--yes")
    clean = traced(lambda *w, host: namespace(host, *w), *words, host=drive(unallocated=64 * MB))[1]
    at = next(k for k, c in enumerate(clean) if c["opcode"] == 0x15)
    host, _, _ = stopped_at(lambda faults: drive(unallocated=64 * MB, faults=faults), at, signal.SIGKILL, "namespace", *words)
    run("sim", "fault", "nvme0", "--clear", host=host)
    d = namespace(host, "list", "nvme0").drive["namespace"]
    tap.equal(([(n["nsid"], n["attached"]) for n in d["namespaces"]], d["unallocated_bytes"]), ([(1, True), (2, False)], 63 * MB),
              "killed between create and attach: allocated, not attached")
    tap.equal(result(namespace(host, "attach", "nvme0", "--nsid", 2, "--yes")), (0, "attached"), "and attached by the next command")


def terminal():
    for typed, code in (("OTHER", 4), ("", 4), ("y", 4), (SERIAL, 0)):
        host = drive()
        t = Terminal("namespace", "delete", "nvme0n1", "-o", "json", host=host)
        asked = t.until("Type the serial number to go on:")
        t.type(typed + "\n")
        t.end()
        tap.result(asked and t.code == code and SERIAL in t.seen and "THE DATA ARE LOST" in t.seen and "nvme0n1" in t.seen
                   and truth(host).allocated == ([] if code == 0 else [1]), f"the question, answered {typed!r}: exit {code}", t.seen)
    host = drive()
    t = Terminal("namespace", "detach", "nvme0n1", "-o", "json", host=host)
    asked = t.until("Go on? [y/N]")
    t.type("n\n")
    t.end()
    tap.result(asked and t.code == 4 and truth(host).attached == [1], "detach asks as well", t.seen)


def host_side():
    """Host and drive apart: a stale size is told, and does not make a good result a failure (60)."""
    host = drive(unallocated=64 * MB, uses={"1": {"size_bytes": 4096}})
    r = namespace(host, "create", "nvme0", "--size", "1M", "--attach", "--yes")
    tap.result(result(r) == (0, "created") and r.drive["namespace"]["host"]["agrees"] is False
               and "4096" in r.drive["namespace"]["host"]["message"] and "this host does not show it" in r.err,
               "a host that does not follow is told apart from the drive's result (60)", r)
    r = run("rescan", "nvme0", "-o", "json", host=host)
    tap.equal((r.code, r.json["error"]["code"], r.drive["rescan"]["rescanned"]), (1, "unverified", True), "rescan: a difference that stays")
    path = trace_path()
    r = run("rescan", "nvme0", "-o", "json", "--trace", path, host=drive())
    tap.equal((r.code, r.drive["rescan"]), (0, {"rescanned": True, "agrees": True, "message": None}), "rescan")
    tap.equal({c["opcode"] for c in records(path)} - {0x06, 0x02}, set(), "rescan changes nothing in the drive")
    tap.equal(run("rescan", "nvme0", "-o", "json", host=Host().drive()).code, 7, "rescan: a recorded host")
    tap.equal(run("rescan", "nvme0", "--yes", host=drive()).code, 2, "rescan asks nothing")
    # One rescan that failed is not done again for its error: the second could succeed, with nothing compared after it.
    last = len(trace_of("rescan", "nvme0", host=drive())[1]) - 1
    r, sent = trace_of("rescan", "nvme0", host=drive(faults=[{"nth": last, "vanish_ms": -1}]))
    tap.result(r.code == 3 and [c["control"] for c in sent if c["control"]] == ["rescan"], "rescan: a failed one is one", r)


def reads_leave_no_trace():
    """Asking makes no entries in the error log of drives that have what is asked for (26)."""
    for model in ("p3700", "p4510", "p4800x", "oem-p4510", "generic", "generic-ns", "nvme10"):
        path = os.path.join(str(Host().path), "host")
        run("sim", "create", path, "--model", model)
        r, sent = traced(lambda *w, host: namespace(host, *w), "list", "nvme0", host=path)
        tap.equal((r.code, [c for c in sent if c["status"]]), (0, []), f"namespace list asks {model} for nothing that it lacks (26)")


def interrupted():
    """A signal before the first step, while the drive is looked at once more: nothing is sent, and the exit says so."""
    command = ("namespace", "delete", "nvme0n1", "--confirm", SERIAL)
    clean = traced(lambda *w, host: run(*w, host=host), *command, host=drive())[1]
    deletion = next(k for k, c in enumerate(clean) if c["opcode"] == 0x0d)
    for sig in (signal.SIGINT, signal.SIGTERM):
        host, r, sent = stopped_at(lambda faults: drive(faults=faults), deletion - 1, sig, *command)
        tap.result((*result(r), r.json["error"]["code"], changing(sent), truth(host).attached) == (130, "not_applied", "interrupted", [], [1])
                   and "nothing was sent" in r.json["error"]["message"], f"signal {sig} before the deletion: nothing is sent", r)


for part in (lists, creates, create_says_what_it_rounds, create_formats, create_names_formats, usage, permission, dry_run_is_what_is_sent, deletes, in_use,
             shared, elsewhere, identify_cut_off, attach_detach, answers, never_sent, killed, interrupted, terminal, host_side, reads_leave_no_trace):
    part()
sys.exit(tap.end())
