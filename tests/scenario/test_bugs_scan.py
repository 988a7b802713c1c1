#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Bugs that other tools had, entries 68 to 79 of the bug corpus: namespaces, discovery, transport, Intel's attributes.

What sysfs shows is tested with trees of files by tests/unit/test_scan_sysfs.c (68, 70, 74, 75, 76) and in a virtual
machine by tests/vm (68, 70, 74 with real hot-unplug, 77); here are the same entries as host directories.

Not here: of 75 the refusal of firmware and format on other transports, of 73 commit and format, which no reading command
sends. 78 (big-endian) cannot be met on a little-endian machine: decoders read byte by byte and never cast, and it takes a
cross-build to prove it.
"""
import os
import random
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import Host, Tap, id_ctrl, id_ns, intel_smart, run, smart, trace_of, until  # noqa: E402

tap = Tap()
MIB = 1 << 20


def commands(drive="nvme0"):
    """Reading commands that send something."""
    return [["list", "--health"], ["show", drive], ["smart", drive], ["errors", drive], ["check", drive, "--allow-simulated"],
            ["identify", drive, "ctrl"], ["identify", drive, "ns", "--nsid", "1"], ["log", "list", drive],
            ["log", "get", drive, "smart"]]


def sysfs(**attributes):
    return {"sysfs": attributes}


# 68: one namespace behind two controllers of one drive.
NQN = b"nqn.2014-08.org.nvmexpress:8086:dual".ljust(256, b"\0")
PORT = {"log_02": smart(used=7), "id_ns_1": id_ns(offset_30=b"\1")}


def dual(first_state="live"):
    host = Host()
    for n, state in ((0, first_state), (1, "live")):
        host.drive(f"nvme{n}", id_ctrl=id_ctrl(serial="DUALPORT", cntlid=n + 1, offset_76=b"\3", offset_768=NQN), **PORT,
                   drive_json={**sysfs(state=state, subsystem="nvme-subsys0", address=f"0000:0{n + 3}:00.0"),
                               "namespaces": {"1": {"device": "nvme0n1", "generic": "ng0n1"}}})
    return host


r = run("smart", "DUALPORT", "-o", "json", host=dual())
tap.result(r.code == 2 and r.json["error"]["code"] == "ambiguous" and
           all(w in r.json["error"]["message"] for w in ("nvme0", "nvme1", "0000:03:00.0", "0000:04:00.0")),
           "bug 68: the serial number of two controllers: exit 2, both named", r)
tap.equal(run("smart", "0000:04:00.0", "-o", "json", host=dual()).drive["device"], "nvme1", "bug 68: one of them by address")
for word in ("nvme0n1", "/dev/ng0n1"):
    tap.equal(run("smart", word, "-o", "json", host=dual()).drive["device"], "nvme0", f"bug 68: {word}: the first controller")
    for state in ("dead", "resetting", "deleting (no IO)"):
        r = run("smart", word, "-o", "json", host=dual(state))
        tap.result(r.code == 0 and r.drive["device"] == "nvme1", f"bug 68: {word} while nvme0 is {state}: the live controller", r)
docs = run("show", "--all", "-o", "json", host=dual()).json["drives"]
tap.equal([(d["device"], d["serial"], d["controller"]["controller_id"]) for d in docs],
          [("nvme0", "DUALPORT", 1), ("nvme1", "DUALPORT", 2)], "bug 68: told apart by controller id")
tap.equal({d["controller"]["subsystem_nqn"] for d in docs}, {NQN.rstrip(b"\0").decode()}, "bug 68: one subsystem")
docs = run("list", "-o", "json", host=dual()).json["drives"]
tap.equal([[n["device"] for n in d["namespaces"]] for d in docs], [["nvme0n1"], ["nvme0n1"]],
          "bug 68: the namespace's node is the head's, whatever the controller is called")

# 70: gaps between the namespaces, NN far above them, and a drive of NVMe 1.0 that knows neither CNS 02h nor 10h.
PAGES = {"id_ns_1": id_ns(nsze=1000), "id_ns_5": id_ns(nsze=2000, flbas=1), "id_ns_32": id_ns(nsze=3000)}
NO_LISTS = {"faults": [{"opcode": 6, "cns": cns, "count": 0, "status": "0x4002"} for cns in (2, 3, 0x10, 0x11)]}
for ver, nn, name in ((0, 1024, "NVMe 1.0"), (0x10000, 32, "NVMe 1.0 by name"), (0x10100, 32, "NVMe 1.1"),
                      (0x10200, 1024, "NVMe 1.2"), (0x10400, 0xffffffff, "NVMe 1.4")):
    host = Host(simulated=True).drive(id_ctrl=id_ctrl(ver=ver, nn=nn), drive_json=NO_LISTS, **PAGES)
    d = run("list", "-o", "json", host=host).drive
    tap.equal([(n["nsid"], n["device"], n["size_bytes"]) for n in d["namespaces"]],
              [(1, "nvme0n1", 512000), (5, "nvme0n5", 8192000), (32, "nvme0n32", 1536000)], f"bug 70: {name}, list: 1, 5, 32")
    tap.equal(d["size_bytes"], 512000 + 8192000 + 1536000, f"bug 70: {name}, list: the sum")
    r, sent = trace_of("show", "nvme0", "-o", "json", host=host)
    tap.equal([r.code] + [(n["nsid"], n["size_bytes"]) for n in r.drive["namespaces"]],
              [0, (1, 512000), (5, 8192000), (32, 1536000)], f"bug 70: {name}, show: 1, 5, 32")
    tap.result({c["cdw10"] & 0xff for c in sent if c["opcode"] == 6} == {0, 1} and not any(c["status"] for c in sent if c["opcode"] == 6),
               f"bug 70: {name}: CNS 00h and 01h do", sent)
    d = run("identify", "nvme0", "ns", "--nsid", "5", "-o", "json", host=host).drive["id_ns"]
    tap.equal([d["nsze"], d["block_bytes"]], [2000, 4096], f"bug 70: {name}, identify of namespace 5")
    tap.equal(run("identify", "nvme0n32", "-o", "json", host=host).drive["id_ns"]["nsze"], 3000, f"bug 70: {name}, identify nvme0n32")
    r = run("identify", "nvme0", "ns", "-o", "json", host=host)
    tap.result(r.code == 2 and "3 namespaces" in r.json["drives"][0]["error"]["message"], f"bug 70: {name}, which one?", r)
host = Host(simulated=True).drive(id_ctrl=id_ctrl(ver=0, nn=32), **PAGES)
for words in commands():
    r, sent = trace_of(*words, "-o", "json", host=host)
    tap.result({c["cdw10"] & 0xff for c in sent if c["opcode"] == 6} <= {0, 1}, f"bug 70: NVMe 1.0, {' '.join(words)}: no newer CNS", sent)
host = Host().drive(id_ctrl=id_ctrl(nn=2), id_ns_2=bytes(4096))  # inactive: Identify is all zero
r = run("show", "nvme0", "-o", "json", host=host)
n = r.drive["namespaces"][1]
tap.equal([r.code, n["nsid"], n["size_bytes"], n["block_bytes"], n["lba_formats"]], [0, 2, 0, None, []], "bug 70: an inactive namespace has no size and no format")
host = Host().drive(id_ns_1=None)
for words in (["list"], ["show", "nvme0"]):
    d = run(*words, "-o", "json", host=host).drive
    tap.equal([d["namespaces"], d["size_bytes"]], [[], 0], f"bug 70: no namespace at all, {words[0]}")

# 71: identifiers of zeros are none.
EUI, NGUID = bytes(range(0x11, 0x19)), bytes(range(0xa0, 0xb0))
for eui, nguid in ((bytes(8), bytes(16)), (EUI, bytes(16)), (bytes(8), NGUID), (EUI, NGUID)):
    r = run("identify", "nvme0n1", "-o", "json", host=Host().drive(id_ns_1=id_ns(offset_104=nguid, offset_120=eui)))
    expected = [nguid.hex() if any(nguid) else None, eui.hex() if any(eui) else None]
    tap.equal([r.drive["id_ns"]["nguid"], r.drive["id_ns"]["eui64"]], expected, f"bug 71: NGUID and EUI64 {expected}")
text = run("identify", "nvme0n1", host=Host().drive()).out
tap.result("0000000000" not in text, "bug 71: no row of zeros in text", text)

# 72: a namespace 64 MiB smaller than the drive: every number to the block.
TNVMCAP = 4000787030016
for lost in (64 * MIB, 512, 0):
    blocks = (TNVMCAP - lost) // 512
    host = Host().drive(id_ctrl=id_ctrl(offset_280=TNVMCAP.to_bytes(16, "little")), id_ns_1=id_ns(nsze=blocks))
    r = run("show", "nvme0", "-o", "json", host=host)
    tap.equal([r.drive["capacity_bytes"], r.drive["capacity_bytes_str"], r.drive["size_bytes"]],
              [TNVMCAP, str(TNVMCAP), TNVMCAP - lost], f"bug 72: {lost} bytes lost, show: both, exact")
    text = run("show", "nvme0", host=host).out
    tap.result(f"{TNVMCAP:,} bytes" in text and f"{TNVMCAP - lost:,} bytes" in text, f"bug 72: {lost} bytes lost, text: both, exact", text)
    d = run("list", "--health", "-o", "json", host=host).drive
    tap.equal([d["capacity_bytes"], d["size_bytes"]], [TNVMCAP, TNVMCAP - lost], f"bug 72: {lost} bytes lost, list --health")
    tap.equal(run("identify", "nvme0n1", "-o", "json", host=host).drive["id_ns"]["nsze"], blocks, f"bug 72: {lost} bytes lost, blocks")

# 73: interrupted system calls.
for opcode, lid in ((6, None), (2, 2), (2, 1), (2, 3), (10, None)):
    which = {"opcode": opcode, **({"lid": lid} if lid else {})}
    for words in (["show", "nvme0"], ["smart", "nvme0"], ["errors", "nvme0"], ["list", "--health"], ["check", "--allow-simulated"]):
        host = Host(simulated=True).drive(drive_json={"faults": [{**which, "errno": "EINTR", "count": 3}], "features": {"0x02": 0, "0x04": 358, "0x07": 0}})
        r, sent = trace_of(*words, "-o", "json", host=host)
        d = r.drive
        whole = d["ok"] and not d.get("notes") and d.get("smart", 1) is not None and d.get("health", "ok") == "ok"
        tap.result(r.code == 0 and whole, f"bug 73: EINTR three times from {which}: {' '.join(words)}", r, sent)
host = Host(simulated=True).drive(drive_json={"faults": [{"opcode": 2, "lid": 2, "errno": "EINTR", "count": 0}]})
r, sent = trace_of("smart", "nvme0", "-o", "json", host=host)
tries = sum(c["opcode"] == 2 for c in sent)
tap.result(r.code == 1 and r.drive["error"]["errno"] == 4 and 4 <= tries <= 20, "bug 73: EINTR for ever: bounded, then the error", r, tries)
host = Host(simulated=True).drive(drive_json={"faults": [{"opcode": 6, "errno": "EAGAIN", "count": 12}]})
r = run("smart", "nvme0", "-o", "json", host=host)
tap.result(r.code == 0 and r.drive["smart"], "bug 73: EAGAIN for a second, as while resetting: waited for", r)
start = time.monotonic()
run("smart", "nvme0", host=Host(simulated=True).drive())
ordinary, start = time.monotonic() - start, time.monotonic()
r = run("smart", "nvme0", "-o", "json", host=Host(simulated=True).drive(drive_json={"faults": [{"opcode": 6, "errno": "EAGAIN", "count": 0}]}))
tap.result(r.code == 3 and r.drive["error"]["code"] == "busy" and r.drive["error"]["errno"] == 11 and 4.5 < time.monotonic() - start < 9 + 10 * ordinary,
           "bug 73: EAGAIN for ever: 5 s, then exit 3", r, time.monotonic() - start)

# 74: drives that are gone, dead, or going.
for error in ("ENODEV", "ENXIO", "ENOENT"):
    for words in commands():
        host = Host(simulated=True).drive("nvme0").drive("nvme1", drive_json={"faults": [{"errno": error, "count": 0}]})
        r = run(*[("nvme1" if w == "nvme0" else w) for w in words], "-o", "json", host=host)
        d = r.json["drives"][-1]
        good = r.code == {"list": 6, "check": 3}.get(words[0], 3) and d["device"] == "nvme1" and d["error"]["code"] in ("gone", "not_found")
        tap.result(good, f"bug 74: {error} from a drive: {' '.join(words)}", r)
host = Host(simulated=True).drive(drive_json={"faults": [{"opcode": 6, "vanish_ms": -1}]})
r = run("smart", "nvme0", "-o", "json", host=host)
tap.result(r.code == 3 and r.drive["error"]["code"] == "gone", "bug 74: gone after Identify: exit 3", r)
r = run("smart", "nvme0", "-o", "json", host=host)
tap.result(r.code == 3 and r.drive["error"]["code"] in ("gone", "not_found"), "bug 74: node gone: exit 3", r)
r = run("list", "-o", "json", host=host)
tap.result(r.code == 0 and len(r.json["drives"]) == 1, "bug 74: list goes on", r)
r = run("check", "--allow-simulated", "-o", "json", host=host)
tap.result(r.code == 3 and r.json["status"] == "unknown", "bug 74: gone, check: unknown", r)
host = Host(simulated=True).drive(drive_json={"faults": [{"opcode": 6, "vanish_ms": 3000}]})
first = run("smart", "nvme0", host=host).code
tap.result(first == 3 and until(lambda: run("smart", "nvme0", host=host).code == 0), "bug 74: gone for 3 s, then back")
for state, code, word in (("dead", 2, "gone"), ("deleting", 2, "gone"), ("deleting (no IO)", 2, "gone"), ("resetting", 3, "busy"),
                          ("connecting", 3, "busy")):
    host = Host().drive("nvme0", drive_json=sysfs(state=state)).drive("nvme1")
    r = run("list", "-o", "json", host=host)
    tap.result(r.code == 0 and r.drive["state"] == state and state in r.drive["note"] and r.drive["model"], f"bug 74: {state}, list: a note", r)
    for words in commands():
        r, sent = trace_of(*words, "-o", "json", host=host)
        expected = code if words[0] == "check" else 6 if words[0] == "list" else 3
        tap.result(r.code == expected and r.drive["error"]["code"] == word and not [c for c in sent if c["device"] == "nvme0"],
                   f"bug 74: {state}, {' '.join(words)}: nothing is sent", r, sent)
    d = run("list", "--health", "-o", "json", host=host).json["drives"]
    tap.equal([d[0]["health"], d[1]["health"]], ["critical" if code == 2 else "unknown", "ok"], f"bug 74: {state}, list --health")

# 74: a drive is pulled and put back while commands loop. A directory does not go in one moment as a drive does: between two
# of its files a command may meet a page that is not there (1) or a directory without id-ctrl.bin (8).
host = Host().drive("nvme0").drive("nvme1").drive("nvme2")
stop = threading.Event()


def pull():
    inside, outside = os.path.join(host.path, "nvme1"), os.path.join(host.path, "pulled")
    while not stop.wait(random.uniform(0, 0.003)):
        os.rename(inside, outside)
        time.sleep(random.uniform(0, 0.003))
        os.rename(outside, inside)


thread = threading.Thread(target=pull)
thread.start()
for words, codes, rounds in ((["list"], {0}, 60), (["list", "--health"], {0, 6}, 40), (["smart", "--all"], {0, 6}, 40),
                             (["show", "--all"], {0, 6}, 40), (["check"], {0, 3}, 40), (["errors", "nvme1"], {0, 1, 3, 8}, 40)):
    bad, seen = [], set()
    for _ in range(rounds):
        r = run(*words, "-o", "json", host=host, timeout=20)
        rows = r.json["drives"]
        seen.add(r.code)
        others = [d["ok"] for d in rows if d["device"] != "nvme1"]
        fine = r.code in codes and not any((d["error"] or {}).get("code") == "internal" for d in rows)
        if not fine or (words[0] != "errors" and others != [True, True]):
            bad.append(str(r))
    tap.result(not bad, f"bug 74: {' '.join(words)} while a drive comes and goes: exits {sorted(seen)}, the others whole", *bad[:1])
stop.set()
thread.join()

# 75: transports of every kind are shown.
for transport, address in (("tcp", "traddr=10.1.2.3,trsvcid=4420,src_addr=10.1.2.4"), ("rdma", "traddr=10.1.2.3,trsvcid=4420"),
                           ("fc", "traddr=nn-0x1:pn-0x2"), ("loop", ""), ("apple-nvme", ""), ("something-new", "x")):
    host = Host().drive(drive_json=sysfs(transport=transport, address=address, state="live"))
    for words in (["list"], ["show", "nvme0"]):
        d = run(*words, "-o", "json", host=host).drive
        where = d.get("controller", d)
        tap.equal([where["transport"], where["address"]], [transport, address or None], f"bug 75: transport {transport}, {words[0]}")
    tap.result(transport in run("show", "nvme0", host=host).out, f"bug 75: transport {transport} in text")
    for words in commands():
        r = run(*words, host=host)
        tap.result(r.code == 0 and r.out, f"bug 75: transport {transport}, {' '.join(words)}", r)

# 76: the controller's own node takes the commands, whatever the namespaces' nodes are called, or if there is none.
NODES = [({"device": None, "generic": "ng0n1"}, ["ng0n1", "/dev/ng0n1"]), ({"device": "nvme0n1", "generic": None}, ["nvme0n1", "/dev/nvme0n1"]),
         ({"device": "nvme3n1", "generic": "ng3n1"}, ["nvme3n1", "ng3n1", "nvme3n1p2"]), ({"device": None, "generic": None}, [])]
for node, words in NODES:
    host = Host().drive(drive_json={"namespaces": {"1": node}})
    d = run("list", "-o", "json", host=host).drive
    tap.equal([d["namespaces"][0]["nsid"], d["namespaces"][0]["device"]], [1, node["device"]], f"bug 76: list with {node}")
    for word in ["nvme0"] + words:
        r, sent = trace_of("smart", word, "-o", "json", host=host)
        tap.result(r.code == 0 and {c["device"] for c in sent} == {"nvme0"} and r.drive["device"] == "nvme0",
                   f"bug 76: smart {word} with {node}: sent to the controller", r, sent)
    r = run("identify", "nvme0", "ns", "-o", "json", host=host)
    tap.equal([r.code, r.drive["id_ns"]["nsze"]], [0, 3907029168], f"bug 76: identify of the namespace with {node}")
tap.equal(run("smart", "nvme0n1", host=Host().drive(drive_json={"namespaces": {"1": NODES[3][0]}})).code, 3, "bug 76: a node that is not there names nothing")

# 77: transfers: no more than MDTS, than the kernel, than 128 KiB.
DATA = random.Random(77).randbytes(MIB)
for mdts in (0, 1, 4, 5, 9):
    for limit_kb in (None, 64, 124, 128, 1280):
        config = sysfs(max_hw_sectors_kb=str(limit_kb)) if limit_kb else {}
        host = Host().drive(id_ctrl=id_ctrl(mdts=mdts, lpa=0x0e, ver=0x10300), log_08=DATA, drive_json=config)
        to = os.path.join(host.path, "dump")
        r, sent = trace_of("log", "get", "nvme0", "telemetry-controller", "--length", MIB, "--raw", "--to", to, host=host)
        chunk = min([128 * 1024] + ([4096 << mdts] if mdts else []) + ([limit_kb * 1024] if limit_kb else []))
        reads = [c for c in sent if c["opcode"] == 2]
        offsets = [c["cdw12"] | c["cdw13"] << 32 for c in reads]
        lengths = [c["data_len"] for c in reads]
        fine = max(lengths, default=0) == chunk and offsets == list(range(0, MIB, chunk)) and sum(lengths) == MIB
        tap.result(r.code == 0 and fine and all(((c["cdw11"] & 0xffff) << 16 | c["cdw10"] >> 16) * 4 + 4 == c["data_len"] for c in reads),
                   f"bug 77: MDTS {mdts}, kernel {limit_kb} KiB: pieces of {chunk}", r, lengths, offsets)
        with open(to if os.path.exists(to) else os.devnull, "rb") as f:
            tap.result(f.read() == DATA, f"bug 77: MDTS {mdts}, kernel {limit_kb} KiB: all bytes in their places")
host = Host().drive(id_ctrl=id_ctrl(mdts=5, lpa=0x0e, ver=0x10300), log_08=DATA * 4)
r = run("log", "get", "nvme0", "telemetry-controller", "--length", 4 * MIB, "--hex", "-o", "json", host=host)
tap.result(r.code == 0 and r.drive["log"]["data_hex"] == (DATA * 4).hex(), "bug 77: the longest page in hexadecimal, too", r.err)
host = Host().drive(id_ctrl=id_ctrl(mdts=0, lpa=0x0a, ver=0x10300), log_08=DATA)
r, sent = trace_of("log", "get", "nvme0", "telemetry-controller", "--length", MIB, "--raw", "--to", "/dev/null", "-o", "json", host=host)
tap.result(r.code == 7 and not [c for c in sent if c["opcode"] == 2], "bug 77: a drive without offsets reads no long page: exit 7, nothing sent", r)

# 79: Intel's attributes by key. Entries of 12 bytes: key, normalised value in byte 3, 48 bits from byte 5.
ENTRIES = [(0xab, 100, 1), (0xac, 99, 2), (0xad, 98, 3 | 40 << 16 | 21 << 32), (0xb8, 97, 4), (0xc7, 96, 5), (0xe2, 95, 1536),
           (0xe3, 94, 37), (0xe4, 93, 1234), (0xea, 92, 7 | 70000 << 8), (0xf0, 91, 8), (0xf3, 90, 9), (0xf4, 89, 2**32 + 1),
           (0xf5, 88, 2**48 - 1)]
WANTED = {"program_fail_count": {"normalized": 100, "raw": 1}, "erase_fail_count": {"normalized": 99, "raw": 2},
          "wear_leveling": {"normalized": 98, "min": 3, "max": 40, "average": 21}, "end_to_end_error_count": {"normalized": 97, "raw": 4},
          "pcie_crc_error_count": {"normalized": 96, "raw": 5}, "timed_workload_media_wear": {"normalized": 95, "percent": 1.5},
          "timed_workload_host_reads": {"normalized": 94, "percent": 37}, "timed_workload_timer": {"normalized": 93, "minutes": 1234},
          "thermal_throttle": {"normalized": 92, "percent": 7, "count": 70000}, "retry_buffer_overflow_count": {"normalized": 91, "raw": 8},
          "pll_lock_loss_count": {"normalized": 90, "raw": 9}, "nand_written": {"normalized": 89, "bytes": (2**32 + 1) * 33554432},
          "host_written": {"normalized": 88, "raw": 2**48 - 1, "bytes_str": str((2**48 - 1) * 33554432)}}
KEY_OF = dict(zip(WANTED, (e[0] for e in ENTRIES)))


def intel(page, model="INTEL SSDPEDMD020T4"):
    return run("smart", "nvme0", "-o", "json", host=Host().drive(id_ctrl=id_ctrl(model=model), log_ca=page)).drive["intel_smart"]


def wrong(got, present):
    """What differs from WANTED, of which only the keys in `present` are in the page."""
    found = []
    for name, values in WANTED.items():
        entry = got[name]
        if KEY_OF[name] not in present:
            found += [(name, entry)] if entry is not None else []
        elif entry is None or any(entry[k] != v for k, v in values.items()):
            found.append((name, entry))
    return found


rng = random.Random(79)
for order in range(8):
    entries = rng.sample(ENTRIES, len(ENTRIES)) if order else ENTRIES
    got = intel(intel_smart(*entries))
    tap.equal([wrong(got, {e[0] for e in entries}), got["unknown"]], [[], []], f"bug 79: shuffled, order {order}")
for count in (0, 1, 5, 12):
    entries = rng.sample(ENTRIES, count)
    sparse = [e for entry in entries for e in [(0, 0, 0)] * rng.randrange(3) + [entry]]
    got = intel(intel_smart((0, 100, 77), *sparse))
    tap.equal(wrong(got, {e[0] for e in entries}), [], f"bug 79: {count} attributes among keys 00h: the others are null, not 0")
got = intel(intel_smart(*ENTRIES)[:156] + b"\xff" * 356)
tap.equal([wrong(got, {e[0] for e in ENTRIES}), got["unknown"]], [[], []], "bug 79: FFh padding is no attribute")
got = intel(intel_smart((0x77, 50, 0x123456789abc), *ENTRIES, (0xff, 1, 2)))
tap.equal([wrong(got, {e[0] for e in ENTRIES}), [(u["id"], u["normalized"], u["raw"]) for u in got["unknown"]]],
          [[], [(0x77, 50, 0x123456789abc), (0xff, 1, 2)]], "bug 79: unknown keys are listed raw, 48 bits")
got = intel(intel_smart(*[(key, 100, 65535) for key in (0xe2, 0xe3, 0xe4)], (0xf4, 100, 0), (0xf5, 100, 0)))
tap.equal([got["timed_workload_media_wear"]["percent"], got["timed_workload_host_reads"]["percent"], got["timed_workload_timer"]["minutes"]],
          [None] * 3, "bug 79: 65535 in E2h, E3h, E4h: no data yet, never 63.999 %")
tap.equal([got["timed_workload_media_wear"]["raw"], got["nand_written"]["bytes"], got["host_written"]["bytes"]], [65535, 0, 0],
          "bug 79: the raw marker is shown, and counters that are there and 0")
text = run("smart", "nvme0", host=Host().drive(log_ca=intel_smart(*[(key, 100, 65535) for key in (0xe2, 0xe3, 0xe4)]))).out
tap.result("63.99" not in text, "bug 79: no 63.999 % in text", text)
host = Host().drive(log_ca=intel_smart(*ENTRIES))
got = run("log", "get", "nvme0", "0xCA", "-o", "json", host=host).drive["intel_smart"]
tap.equal(wrong(got, {e[0] for e in ENTRIES}), [], "bug 79: the same by log get")
for length in list(range(0, 157, 4)) + [508, 512]:
    host = Host(simulated=True).drive(log_ca=intel_smart(*ENTRIES), drive_json={"faults": [
        {"opcode": 2, "lid": 0xca, "short": length, "count": 0}]})
    r = run("log", "get", "nvme0", "0xCA", "-o", "json", host=host)
    got = r.drive.get("intel_smart")
    # What C7h counts depends on which other keys there are, so a part of the page does not tell.
    whole = {e[0] for e in ENTRIES[:length // 12]} - ({0xc7} if length < 504 else set())
    fine = r.code == 1 and got is None if length == 0 else r.code == 0 and not wrong(got, whole)
    tap.result(fine, f"bug 79: cut after {length} bytes, log get: what is whole, null for the rest", r)
    r = run("smart", "nvme0", "-o", "json", host=host)
    fine = r.code == 0 and r.drive["intel_smart"] if length >= 512 else r.code == 1 and r.drive["intel_smart"] is None
    tap.result(fine and r.drive["smart"], f"bug 79: cut after {length} bytes, smart: half a page is none", r)

sys.exit(tap.end())
