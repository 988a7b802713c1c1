#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ssdct identify and ssdct log get: structures and pages by name and number, how long they are read, what is refused, text.

The images are laid out here from the specification's byte offsets; every field has its test in tests/unit.
"""
import json
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import TMP, Host, Tap, id_ctrl, id_ns, run, smart, trace_of  # noqa: E402

tap = Tap()
MOMENT = 1767323045678 | 1 << 49  # 2026-01-02T03:04:05.678Z, set by a host


def page(data, size=4096):
    return data.ljust(size, b"\0")


def event(kind, data, time=MOMENT):
    return struct.pack("<BBBBHQH4xHH", kind, 1, 21, 0, 1, time, 0, 0, len(data)) + data


def events(*all_events):
    body = b"".join(all_events)
    head = struct.pack("<B3xIQBBHQ", 0x0d, len(all_events), 512 + len(body), 1, 0, 492, MOMENT)
    return head.ljust(512, b"\0") + body


COMMITTED = event(2, b"8DV10131" + b"8DV10171" + bytes([1, 2, 0, 0, 0, 0]))
EVENTS = events(COMMITTED, event(1, smart()), event(5, struct.pack("<HH", 8, 0)))
DESCRIPTORS = b"\1\x08\0\0" + bytes(range(1, 9)) + b"\3\x10\0\0" + bytes(range(0x51, 0x61)) + b"\4\1\0\0\0"
ANA = struct.pack("<QH6x", 5, 2) + struct.pack("<IIQB15x3I", 1, 3, 2, 1, 1, 2, 3) + struct.pack("<IIQB15x", 2, 0, 2, 3)
LBA = (struct.pack("<IIIxxH", 16 + 48 + 16, 2, 12, 3) + struct.pack("<IIB7xQI4xQI4x", 1, 2, 1, 100, 8, 200, 16) +
       struct.pack("<IIB7x", 2, 0xffffffff, 0))
PAGES = {
    "identify_02": page(struct.pack("<300I", *range(1, 301))), "identify_03_n1": page(DESCRIPTORS),
    "identify_05_n1": page(b""), "identify_05_n1_i2": page(b"\1"), "identify_13": page(struct.pack("<4H", 3, 0, 1, 7)),
    "identify_14_c5": page(struct.pack("<HH", 5, 1)), "identify_17": page(bytes(32) + b"\1" + bytes(15) + bytes(range(1, 17))),
    "identify_42": page(b"\xab\xcd"), "log_09_s1": page(b"\0\0\0\x64", 512), "log_09_s2": page(b"\0\0\0\x32", 512),
    "log_0b": struct.pack("<Q3H", 3, 1, 2, 9), "log_0c": ANA, "log_0d": EVENTS, "log_0e": LBA,
    "log_04": page(struct.pack("<2I", 3, 9)), "log_80": page(struct.pack("<QBB2xI", 4, 2, 0, 1), 64),
    "log_81": page(struct.pack("<HHI6I", 0x4000, 2, 3, 30, *[0xffffffff] * 5), 512),
}
CTRL = id_ctrl(ver=0x20000, lpa=0x1e, cntlid=5, nn=300, offset_344=struct.pack("<II", 2, 2), offset_540=struct.pack("<I", 3))
recorded = Host().drive(id_ctrl=CTRL, **PAGES)
simulated = Host(simulated=True).drive(id_ctrl=CTRL, **PAGES)


def get(*words, host=recorded):
    return run(*words, "-o", "json", host=host).drive


# --- identify ---

tap.equal(get("identify", "nvme0", "active-namespaces")["active_namespaces"]["nsids"], list(range(1, 301)), "a list of namespaces")
# What a namespace that is yet to be made can have (NVM Command Set Specification 1.0c, 4.1.5.1: NSID FFFFFFFFh).
common = Host().drive(id_ctrl=id_ctrl(ver=0x10400, oacs=0x8), identify_00_n0xffffffff=id_ns(0, ((9, 0, 2), (12, 0, 0))))
tap.equal([f["data_bytes"] for f in get("identify", "nvme0", "ns", "--nsid", "0xffffffff", host=common)["id_ns"]["lbaf"]], [512, 4096],
          "what all namespaces have in common")
tap.equal(get("identify", "nvme0", "controllers")["subsystem_controllers"]["controllers"], [0, 1, 7], "a list of controllers")
d = get("identify", "nvme0", "ns-descriptors")
tap.equal([x["eui64"] or x["uuid"] or x["csi"]["name"] for x in d["ns_descriptors"]["descriptors"]],
          ["0102030405060708", "51525354-5556-5758-595a-5b5c5d5e5f60", "NVM"], "identifiers of a namespace")
tap.equal([d["identify"]["cns"], d["identify"]["name"], d["identify"]["nsid"]], [3, "ns-descriptors", 1], "what was asked is said")
tap.equal([d["id_ctrl"], d["id_ns"]], [None, None], "the two that are always there are null")
tap.equal([k for k in get("identify", "nvme0") if "list" in k or "namespaces" in k], [], "the others are absent")
for word in ("uuids", "0x17", "17h", "23"):
    tap.equal(get("identify", "nvme0", word)["uuid_list"]["uuids"][0]["uuid"], "01020304-0506-0708-090a-0b0c0d0e0f10", f"identify {word}")
r, sent = trace_of("identify", "nvme0", "primary", "-o", "json", host=recorded)
tap.equal([r.drive["primary_capabilities"]["cntlid"], sent[-1]["cdw10"]], [5, 0x50014], "primary: the controller's own identifier")
sent = trace_of("identify", "nvme0", "primary", "--cntid", "0", host=recorded)[1]
tap.equal(sent[-1]["cdw10"], 0x14, "primary: another one, 0 too")
r = run("identify", "nvme0n1", "ns", "--nsid", "2", "-o", "json", host=recorded)
tap.equal([r.code, r.json["error"]["message"]], [2, "--nsid 2, but namespace 1 was named"], "two namespaces named: neither is chosen in silence")
sent = trace_of("identify", "nvme0", "nvm-sets", "--cnssi", "7", host=recorded)[1]
tap.equal([sent[-1]["cdw10"], sent[-1]["cdw11"]], [4, 7], "--cnssi is in CDW11")
d = get("identify", "nvme0", "ns-nvm", "--csi", "2")
tap.equal(["id_ns_nvm" in d, d["identify"]["data_hex"][:2]], [False, "01"], "the structure of another command set is not taken for NVM's")
tap.equal(get("identify", "nvme0", "ns-nvm")["id_ns_nvm"]["lbstm"], 0, "that of NVM is decoded")
d = get("identify", "nvme0", "0x42")
tap.equal([d["identify"]["name"], d["identify"]["data_hex"][:6]], [None, "abcd00"], "a structure that no table knows is shown in hexadecimal")
raw = os.path.join(TMP, "raw.bin")
r = run("identify", "nvme0", "0x42", "--raw", "--to", raw, host=recorded)
with open(raw, "rb") as f:
    tap.equal([r.code, f.read()], [0, PAGES["identify_42"]], "identify --raw --to")
r = run("identify", "nvme0", "ctrl", "--hex", "-o", "json", host=recorded)
tap.equal([r.drive["identify"]["data_hex"], r.drive["id_ctrl"]["cntlid"]], [CTRL.hex(), 5], "--hex beside the decoded structure")
r = run("identify", "nvme0", "active-namespace", host=recorded)
tap.result(r.code == 2 and "did you mean active-namespaces" in r.err, "a mistyped structure", r)
tap.equal(run("identify", "nvme0", "0x100", host=recorded).code, 2, "no byte")
tap.equal(run("identify", "nvme0", "domains", host=recorded).code, 1, "a structure that the drive does not have")
two = Host().drive(id_ctrl=CTRL, id_ns_2=id_ns(nsze=2))
tap.equal(run("identify", "nvme0", "ns-descriptors", host=two).code, 2, "of which namespace is a question")
text = run("identify", "nvme0", "active-namespaces", host=recorded).out.splitlines()
tap.result(all(len(line) < 80 for line in text[1:]) and len(text) < 30 and text[-1].endswith("300"), "text: long lists are wrapped", *text)
text = run("identify", "nvme0", "ns-descriptors", host=recorded).out
tap.result("51525354-5556-5758-595a-5b5c5d5e5f60" in text and "Details" in text, "text: identifiers", text)

# --- log get ---

d = get("log", "get", "nvme0", "ana")
tap.equal([[g["anagrpid"], g["state"]["name"], g["nsids"]] for g in d["ana"]["groups"]],
          [[1, "optimized", [1, 2, 3]], [2, "inaccessible", []]], "ANA groups of different lengths")
sent = trace_of("log", "get", "nvme0", "ana", host=recorded)[1]
tap.equal((sent[-1]["cdw10"] >> 16) + 1, (16 + 2 * 32 + 3 * 4) // 4, "ANA: NANAGRPID groups and MNAN namespaces are read")
r, sent = trace_of("log", "get", "nvme0", "lba-status", "-o", "json", host=recorded)
tap.equal([(c["cdw10"] >> 16) + 1 for c in sent if c["opcode"] == 2], [4, 20], "LBA status: the head, then as much as it says")
tap.equal([[n["nsid"], n["all"], len(n["ranges"])] for n in r.drive["lba_status"]["namespaces"]], [[1, False, 2], [2, True, 0]],
          "LBA status: ranges, and a namespace without")
tap.equal(get("log", "get", "nvme0", "0x0b")["predictable_latency_events"]["nvm_sets"], [1, 2, 9], "a list that says its length")
tap.equal(get("log", "get", "nvme0", "sanitize")["sanitize_log"]["progress_percent"], 25, "sanitize progress")
for lsi, percent in (([], 100), (["--lsi", "2"], 50)):
    d = get("log", "get", "nvme0", "endurance-group", *lsi)
    tap.equal([d["log"]["lsi"], d["endurance_group"]["available_spare_percent"]], [2 if lsi else 1, percent], f"endurance group {lsi}")
tap.equal(get("log", "get", "nvme0", "smart")["log"]["lsi"], None, "other pages have no LSI")

# What reading would take away or needs a context: on a recording there is nobody to take it from.
d = get("log", "get", "nvme0", "persistent-event")["persistent_events"]
tap.equal([e["type"]["name"] for e in d["events"]], ["firmware commit", "SMART / health snapshot", "NVM subsystem hardware error"],
          "persistent events of a recording")
tap.equal([d["events"][0]["time"], d["events"][0]["firmware_commit"]["new_revision"], d["events"][1]["smart"]["temperature_celsius"],
           d["events"][2]["hardware_error"]["error"]["name"]], ["2026-01-02T03:04:05.678Z", "8DV10171", 38, "unsafe shutdown"],
          "persistent events: their data")
tap.equal(get("log", "get", "nvme0", "4")["changed_namespaces"]["nsids"], [3, 9], "changed namespaces of a recording")
tap.equal(get("log", "get", "nvme0", "reservation")["reservation"]["type"]["name"], "reservation released", "reservation of a recording")
for name in ("persistent-event", "changed-namespaces", "reservation"):
    r, sent = trace_of("log", "get", "nvme0", name, "-o", "json", host=simulated)
    tap.result(r.code == 4 and r.json["error"]["code"] == "refused" and not sent[-1]["sent"], f"{name}: refused where it has an effect", r)
r = run("log", "get", "nvme0", "persistent-event", "--lsp", "1", host=recorded)
tap.equal(r.code, 4, "no context is established, not even in a recording")
text = run("log", "get", "nvme0", "persistent-event", host=recorded).out
tap.result("from 8DV10131, to 8DV10171" in text and "Available spare" not in text, "text: an event is a line", text)

# Lengths that a drive makes up: 4 MiB are read at most, and what was not shown is counted.
FOUR = 4 << 20
liar = Host().drive(id_ctrl=id_ctrl(ver=0x20000, lpa=0x1e), log_0e=b"\xff" * FOUR, log_0b=b"\xff" * FOUR, log_0c=b"\xff" * FOUR,
                    log_0d=(EVENTS[:4] + struct.pack("<IQ", 2**32 - 1, 2**63) + EVENTS[16:512] + COMMITTED * (FOUR // 46 + 1))[:FOUR])
for name in ("persistent-event", "lba-status", "0x0b", "ana"):
    r, sent = trace_of("log", "get", "nvme0", name, "-o", "json", host=liar)
    words = sum((c["cdw10"] >> 16) + 1 for c in sent if c["opcode"] == 2)
    tap.result(r.code == 0 and words * 4 <= FOUR + 512, f"{name}: a length that lies", r.code, words, r.err)
d = run("log", "get", "nvme0", "persistent-event", "-o", "json", host=liar).drive["persistent_events"]
tap.equal([len(d["events"]), d["events_left_out"]], [16384, 2**32 - 1 - 16384], "events that are not shown are counted")
d = get("log", "get", "nvme0", "persistent-event", "--length", "512")["persistent_events"]
tap.equal([d["events"], d["events_left_out"]], [None, 3], "the head alone has no events")
cut = Host().drive(id_ctrl=CTRL, log_0d=EVENTS[:600])
tap.equal(run("log", "get", "nvme0", "persistent-event", host=cut).code, 0, "a file that is too short")
short = Host().drive(id_ctrl=id_ctrl(ver=0x10400, lpa=0x1a), log_0d=EVENTS)  # no extended data: one transfer
tap.equal(len(get("log", "get", "nvme0", "persistent-event", host=short)["persistent_events"]["events"]), 3, "without extended data")

# --- capture records what is announced, however long it is ---

announcing = Host().drive(id_ctrl=id_ctrl(ver=0x10400, lpa=0x1e, cntlid=5, nn=3, offset_76=b"\x08", offset_92=struct.pack("<I", 3 << 13),
                                          offset_96=struct.pack("<I", 1 << 5), offset_344=struct.pack("<II", 2, 2)),
                          **{**PAGES, "log_0f": struct.pack("<Q2H", 2, 1, 2), "log_05": bytes(4096), "log_07": bytes(512), "log_08": bytes(512)})
to = os.path.join(TMP, "captured")
r = run("capture", "--to", to, host=announcing)
written = {name for name in os.listdir(os.path.join(to, "nvme0")) if name.startswith("log-")}
tap.equal(sorted({"log-0b.bin", "log-0c.bin", "log-0e.bin", "log-0f.bin"} - written), [], "capture: pages of variable length")
tap.equal([name for name in ("log-04.bin", "log-0d.bin", "log-80.bin") if name in written], [], "capture: nothing that is not free")
for name in ("log_0c", "log_0e"):
    with open(os.path.join(to, "nvme0", name.replace("_", "-") + ".bin"), "rb") as f:
        tap.equal(f.read().rstrip(b"\0"), PAGES[name].rstrip(b"\0"), f"capture: {name} is whole")

# --- OCP's page C0h: by its GUID, and where page 00h has it ---

SUPPORTED = bytearray(1024)
for lid in (1, 2, 3, 0xc0, 0xca):
    SUPPORTED[4 * lid] = 1
GUID = bytes.fromhex("afd514c97c6f4f9ca4f2bfea2810afc5")[::-1]
OCP = (123).to_bytes(16, "little").ljust(496, b"\0") + GUID
P5520 = {"model": "SOLIDIGM SSDPF2KX038T1", "vid": 0x025e, "ssvid": 0x025e, "ver": 0x10400}


P5430 = {**P5520, "model": "SOLIDIGM SBFPF2BU153T"}


def solidigm(lpa, c0, drive=P5430, **more):
    return Host(simulated=True).drive(id_ctrl=id_ctrl(lpa=lpa, **drive), log_00=bytes(SUPPORTED), log_c0=c0, **more)


r = run("log", "get", "nvme0", "ocp-smart", "-o", "json", host=solidigm(0x2e, OCP))
tap.result(r.code == 0 and r.drive["ocp_smart"]["physical_media_written_bytes"] == 123, "OCP's page", r)
r = run("log", "get", "nvme0", "0xc0", "-o", "json", host=solidigm(0x2e, bytes(512)))
tap.result(r.code == 0 and "ocp_smart" not in r.drive and r.drive["log"]["data_hex"] == "00" * 512, "another page there: its bytes", r)
r, sent = trace_of("log", "get", "nvme0", "0xc0", "-o", "json", host=solidigm(0x0e, OCP))
tap.result(r.code == 4 and not sent[-1]["sent"], "without page 00h it is not read", r)
names = [log["name"] for log in run("log", "list", "nvme0", "-o", "json", host=solidigm(0x2e, OCP)).drive["logs"]]
tap.result("ocp-smart" in names, "log list has it where page 00h has", names)
names = [log["name"] for log in run("log", "list", "nvme0", "-o", "json", host=solidigm(0x0e, OCP)).drive["logs"]]
tap.result("ocp-smart" not in names, "log list has it not elsewhere", names)
r = run("log", "get", "nvme0", "ocp-smart", "-o", "json", host=solidigm(0x0e, OCP, P5520))
tap.result(r.code == 0 and r.drive["ocp_smart"]["physical_media_written_bytes"] == 123, "a P5520 is known to have it", r)
directory = Host(simulated=True).drive(id_ctrl=id_ctrl(lpa=0x2e, ver=0x10400), log_00=bytes(SUPPORTED), log_c0=OCP)
tap.result("ocp_smart" not in run("log", "get", "nvme0", "0xc0", "-o", "json", host=directory).drive, "a P3700 has its directory there")

sys.exit(tap.end())
