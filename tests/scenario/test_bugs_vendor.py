#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Bugs that other tools had, section 7 of the bug corpus: vendor data. Each result says the number.

Not here: the text of 84, an internal log that a drive does not have, is what any refused page says (4002h as well as 4109h).
Golden values of 85, media wear, are those of isdct and of DAOS in tests/unit/test_intel.c; here is its arithmetic.
"""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import TMP, Host, Tap, id_ctrl, intel_smart, run, smart, trace_of  # noqa: E402

tap = Tap()

# Keys of page CAh, what smart calls them, and a raw value of which no two bytes and no two attributes are alike.
NAMES = {0xab: "program_fail_count", 0xac: "erase_fail_count", 0xb8: "end_to_end_error_count", 0xc7: "pcie_crc_error_count",
         0xf0: "retry_buffer_overflow_count", 0xf3: "pll_lock_loss_count", 0xf4: "nand_written", 0xf5: "host_written"}
RAWS = {key: int.from_bytes(bytes(range(i + 1, i + 7)), "little") for i, key in enumerate(NAMES)}


def attributes(page, **kwargs):
    host = Host(simulated=True).drive(log_ca=page, **kwargs)
    return run("smart", "nvme0", "-o", "json", host=host).drive["intel_smart"]


# 79: by key, not by place; 12 bytes each; unknown keys raw; absent ones null; padding of 00h and FFh is nothing.
entries = [(key, 90 + i, RAWS[key]) for i, key in enumerate(NAMES)]
expected = {NAMES[key]: (normalized, raw) for key, normalized, raw in entries}
sparse = [e for entry in entries for e in (entry, (0, 0, 0))]
shuffles = {"as published": entries, "backwards": entries[::-1], "rotated": entries[3:] + entries[:3], "with holes": sparse,
            "with an unknown one first": [(0x77, 50, 123456)] + entries}
for name, page in shuffles.items():
    got = attributes(intel_smart(*page))
    tap.equal({k: (got[k]["normalized"], got[k]["raw"]) for k in expected}, expected, f"bug 79: page CAh {name}")
    tap.equal([(u["id"], u["raw"]) for u in got["unknown"]], [(0x77, 123456)] if "unknown" in name else [], f"bug 79: unknown keys, {name}")
erased = intel_smart(*entries[:2])[:24] + b"\xff" * 488
got = attributes(erased)
tap.result(got["program_fail_count"]["raw"] == RAWS[0xab] and got["host_written"] is None and got["unknown"] == [], "bug 79: erased flash is no entry", got)
got = attributes(intel_smart((0xab, 100, 1)))
tap.result(got["nand_written"] is None and got["host_written"] is None, "bug 79: what is not there is null, not 0", got)
# A host directory fills up with zeros, which no drive would send in the midst of an entry: only whole entries are looked at.
wrong = []
for n in range(1, 112, 5):
    got = attributes(intel_smart(*entries)[:n])
    wrong += [(n, NAMES[k]) for i, (k, _, _) in enumerate(entries) if 12 * (i + 1) <= n and (got[NAMES[k]] or {}).get("raw") != RAWS[k]]
tap.equal(wrong, [], "bug 79: cut at each length, whole entries are right")
got = attributes(intel_smart((0xe2, 100, 65535), (0xe3, 100, 65535), (0xe4, 100, 65535)))
tap.equal([got["timed_workload_media_wear"]["percent"], got["timed_workload_host_reads"]["percent"], got["timed_workload_timer"]["minutes"]],
          [None, None, None], "bug 79: 65535 is no data yet, not 63.999 %")

# 82: each attribute has its own value.
got = attributes(intel_smart(*entries))
tap.equal(len({got[name]["raw"] for name in NAMES.values()}), len(NAMES), "bug 82: no counter is another one's copy")

# 85: media wear is raw / 1024 percent, in text and JSON.
got = attributes(intel_smart((0xe2, 100, 16)))
tap.equal(got["timed_workload_media_wear"]["percent"], 16 / 1024, "bug 85: media wear in percent")

# 83: one array for each group; a page that clears on read is not read, and another one once.
page = bytearray(4868)
struct.pack_into("<HH", page, 0, 3, 0)
for i in range(94):
    struct.pack_into("<I", page, 4 + 4 * i, 1000 + i)
host = Host(simulated=True).drive(log_c1=bytes(page), log_c2=bytes(page))
r, sent = trace_of("intel", "latency", "nvme0", "-o", "json", host=host)
buckets = r.drive["latency"]["read"]["buckets"]
tap.equal([b["count"] for b in buckets], list(range(1000, 1094)), "bug 83: 94 buckets, each counted once")
tap.equal([(b["from_us"], b["to_us"]) for b in (buckets[0], buckets[31], buckets[32], buckets[62], buckets[63])],
          [(0, 32), (992, 1024), (1024, 2048), (31744, 32768), (32768, 65536)], "bug 83: each group goes on where the one before ends")
tap.equal(sorted(c["cdw10"] & 0xff for c in sent if c["opcode"] == 2), [0xc1, 0xc2], "bug 83: each page is read once")

# 84: a page or a feature that the drive does not have.
for status, name in (("0x4002", "Invalid Field"), ("0x4109", "Invalid Log Page"), ("0x4001", "Invalid Opcode")):
    host = Host(simulated=True).drive(drive_json={"faults": [{"opcode": "0x02", "lid": "0xca", "count": 0, "status": status}]})
    r = run("smart", "nvme0", "-o", "json", host=host)
    tap.equal([r.code, r.drive["intel_smart"], r.drive["smart"]["percentage_used"]], [0, None, 1], f"bug 84: {status}: null, and health is whole")
    r = run("log", "get", "nvme0", "intel-smart", "-o", "json", host=host)
    tap.result(r.code == 1 and r.json["error"]["nvme_status"]["hex"] == status and "does not have it" in r.json["error"]["hint"],
               f"bug 84: {status}: asked for by name, the drive's answer and what it means", r)

# 86: known by model, whatever an OEM calls it.
for model, family in (("INTEL SSDPE2KX020T8O", "P4510"), ("INTEL SSDPE2KE016T7", "P4600"), ("INTEL SSDPEDKE020T7", "P4600"), ("INTEL SSDPE2KE016T8", "P4610"),
                      ("INTEL SSDPE2KX040T7", "P4500"), ("INTEL SSDPEDMD400G4", "P3700"), ("INTEL SSDPE2MD016T4", "P3700"),
                      ("Dell Express Flash NVMe P4510 2TB SFF", "P4510"), ("Dell Express Flash NVMe P4610 1.6TB SFF", "P4610")):
    r = run("list", "-o", "json", host=Host().drive(id_ctrl=id_ctrl(model=model, firmware="XXXXXXXX"), drive_json={"sysfs": {"vendor": "0x8086"}}))
    tap.result(r.code == 0 and family in (r.drive["family"] or ""), f"bug 86: {model}", r.drive["family"])

# 81: another vendor's drive is never sent anything of a vendor, whichever of the simulated products' names it has, and a
# drive of a known one only what its own product line has. All pages and features are there, so that nothing is refused.
READS = (["smart"], ["show"], ["log", "list"], ["check", "--allow-simulated"], ["errors"], ["identify"], ["intel", "latency"], ["intel", "temperature"],
         ["intel", "market-name"], ["solidigm", "power"], ["intel", "product"])
VENDORS_OWN = range(0xc0, 0x100)


def vendors_own(sent):
    """Commands that mean something else on another vendor's drive."""
    return [(hex(c["opcode"]), hex(c["cdw10"])) for c in sent
            if c["opcode"] >= 0xc0 or (c["opcode"] in (2, 9, 10) and c["cdw10"] & 0xff in VENDORS_OWN)]


lab = os.path.join(TMP, "models")
models = [line.split()[0] for line in run("sim", "models").out.splitlines()[1:] if line.strip()]
run("sim", "create", lab, *[w for m in models for w in ("--model", m)])
every_log = {f"log_{lid:02x}": bytes(512) for lid in VENDORS_OWN}
drives = sorted((d for d in os.listdir(lab) if d.startswith("nvme")), key=lambda d: int(d[4:]))
tap.result(len(drives) >= 8, f"{len(drives)} drives of {len(models)} models", models)
for name in drives:
    with open(os.path.join(lab, name, "id-ctrl.bin"), "rb") as f:
        identity = bytearray(f.read())
    model = identity[24:64].decode("latin-1").strip()
    for vid in (0x144d, 0x1c5c, 0x1344, 0x15b7):
        struct.pack_into("<HH", identity, 0, vid, vid)
        host = Host(simulated=True).drive(id_ctrl=bytes(identity), drive_json={"sysfs": {"vendor": hex(vid)}}, **every_log)
        bad = []
        for words in READS:
            _, sent = trace_of(*words, "nvme0", "-o", "json", host=host)
            bad += [(words, c) for c in vendors_own(sent)]
        tap.equal(bad, [], f"bug 81: {model} with vendor {vid:04x} is sent nothing of a vendor")

# Firmware made for an OEM: it refuses C0h and CAh, and all else is there; one refusal at most is in its error log.
for status in ("0x4109", "0x4002", "0x2109", "0x4001"):
    for lids in (("0xca",), ("0xc0", "0xca"), ("0xc0", "0xc5", "0xca", "0xdd")):
        for model in ("INTEL SSDPE2KX040T8", "SOLIDIGM SSDPF2KX038T1", "INTEL SSDPEDMD020T4"):
            faults = [{"opcode": "0x02", "lid": lid, "count": 0, "status": status} for lid in lids]
            host = Host(simulated=True).drive(id_ctrl=id_ctrl(model=model, ssvid=0x1028), log_02=smart(used=7), drive_json={"faults": faults}, **every_log)
            for words in (["smart"], ["show"]):
                r, sent = trace_of(*words, "nvme0", "-o", "json", host=host)
                refused = [c for c in sent if c["status"]]
                tap.result(r.code == 0 and r.drive["ok"] and r.drive["smart"]["percentage_used"] == 7 and len(refused) <= 1,
                           f"bug 81: {model} refuses {' '.join(lids)} with {status}: {words[0]} has the standard health", r, refused)
            r = run("check", "nvme0", "--allow-simulated", "-o", "json", host=host)
            tap.equal([r.code, r.drive["status"]], [0, "ok"], f"bug 81: {model} refuses {' '.join(lids)} with {status}: check is ok")
sys.exit(tap.end())
