#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whose page is it: vendor specific log pages by the UUID List of the drive (Identify CNS 17h, CDW14 of Get Log Page).

OCP's UUID and Solidigm's are those of nvme-cli (plugins/ocp/ocp-utils.c, plugins/solidigm/solidigm-util.c); bytes of a UUID
are in the order in which it is written.
"""
import json
import os
import struct
import sys
import uuid

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import TMP, Host, Tap, id_ctrl, intel_smart, run, trace_of  # noqa: E402

tap = Tap()
OCP = uuid.UUID("c194d55b-e094-4794-a21d-29998f56be6f").bytes
SOLIDIGM = uuid.UUID("9619586e-c11b-43ad-aaaa-654187f6bbb2").bytes
OTHER = uuid.UUID("00112233-4455-6677-8899-aabbccddeeff").bytes
SMART_GUID = bytes.fromhex("c5af1028eabff2a49c4f6f7cc914d5af")  # AFD514C97C6F4F9CA4F2BFEA2810AFC5h, little-endian
P5520, P5336 = "SOLIDIGM SSDPF2KX038T1", "SOLIDIGM SBFPF2BV0P12"


def uuid_list(*uuids):
    """Index 1 is the second entry of 32 bytes."""
    return b"".join(bytes(16) + u for u in (bytes(16), *uuids)).ljust(4096, b"\0")


def controller(model=P5520, ver=0x10400, listed=True, **more):
    return id_ctrl(model=model, vid=0x025e, ssvid=0x025e, ver=ver, lpa=4, offset_96=struct.pack("<I", listed << 9), **more)


def ocp_smart(written):
    return (written.to_bytes(16, "little").ljust(494, b"\0") + b"\2\0" + SMART_GUID)


def temperatures(current):
    return struct.pack("<Q16xQQ40xQQQQ", current, 60, 20, 70, 0, 0, 0)


def asked(sent):
    """(LID, UUID index) of each Get Log Page of a vendor, and how often the list was asked for."""
    return ([(c["cdw10"] & 0xff, c["cdw14"]) for c in sent if c["opcode"] == 2 and c["cdw10"] & 0xff >= 0xc0],
            sum(c["opcode"] == 6 and c["cdw10"] & 0xff == 0x17 for c in sent))


def page_of(host, *words):
    r, sent = trace_of(*words, "-o", "json", host=host)
    return r, *asked(sent)


def smart(host):
    return page_of(host, "smart", "nvme0")


PAGES = {"log_ca": intel_smart((0xab, 100, 7)), "log_c5": temperatures(41), "log_c0": ocp_smart(5)}
# Pages that only their index chooses, at whatever place their UUIDs are.
for name, uuids in (("OCP first", (OCP, SOLIDIGM)), ("Solidigm first", (SOLIDIGM, OCP)), ("behind others and a hole", (OTHER, bytes(16), SOLIDIGM, OTHER, OCP)),
                    ("at the end", (OTHER,) * 125 + (OCP, SOLIDIGM))):
    ocp, own = uuids.index(OCP) + 1, uuids.index(SOLIDIGM) + 1
    chosen = {f"log_ca_u{own}": PAGES["log_ca"], f"log_c5_u{own}": PAGES["log_c5"], f"log_c0_u{ocp}": PAGES["log_c0"],
              f"log_c5_u{ocp}": bytes(4096), f"log_ca_u{ocp}": intel_smart((0xab, 1, 99))}
    for simulated in (True, False):
        host = Host(simulated=simulated).drive(id_ctrl=controller(), identify_17=uuid_list(*uuids), **chosen)
        r, logs, lists = smart(host)
        what = f"{name}, {'simulated' if simulated else 'recorded'}"
        tap.equal((r.code, logs, lists), (0, [(0xca, own), (0xc0, ocp), (0xc5, own)], 1), f"{what}: each page by its index, the list is read once")
        tap.equal((r.drive["intel_smart"]["program_fail_count"]["raw"], r.drive["ocp_smart"]["physical_media_written_bytes"],
                   r.drive["intel_temperature"]["current_celsius"]), (7, 5, 41), f"{what}: and they are those pages")

# Without the UUID, without a list, or with a list that cannot be read: index 0, as before there were any.
plain = [(0xca, 0), (0xc0, 0), (0xc5, 0)]
for name, identity, pages, lists in (
        ("only OCP's UUID", controller(), {"identify_17": uuid_list(OCP), "log_c0_u1": ocp_smart(6)}, 1),
        ("nobody's UUID", controller(), {"identify_17": uuid_list(OTHER)}, 1),
        ("an empty list", controller(), {"identify_17": bytes(4096)}, 1),
        ("a list that ends early", controller(), {"identify_17": uuid_list(OCP)[:60]}, 1),
        ("CTRATT does not announce a list", controller(listed=False), {"identify_17": uuid_list(OCP, SOLIDIGM)}, 0),
        ("NVMe 1.3 has no list", controller(ver=0x10300), {"identify_17": uuid_list(OCP, SOLIDIGM)}, 0),
        ("the list is refused", controller(), {}, 1)):
    r, logs, n = smart(Host(simulated=True).drive(id_ctrl=identity, **PAGES, **pages))
    expected = [(0xca, 0), (0xc0, 1), (0xc5, 0)] if name.startswith("only") else plain
    tap.equal((r.code, logs, n), (0, expected, lists), f"{name}: UUID indices")
    tap.equal(r.drive["ocp_smart"]["physical_media_written_bytes"], 6 if name.startswith("only") else 5, f"{name}: OCP's page")

# Another maker's drive with the same list is asked for neither.
r, logs, n = smart(Host(simulated=True).drive(id_ctrl=controller(model="EXAMPLE"), identify_17=uuid_list(OCP, SOLIDIGM), **PAGES))
tap.equal((r.code, logs, n), (0, [], 0), "a foreign drive: no page, and no list")

# A product line that may have OCP's page: it is read when page 00h or OCP's UUID says so.
for name, uuids, expected in (("listed", (OCP,), 5), ("not listed", (OTHER,), None)):
    host = Host(simulated=True).drive(id_ctrl=controller(P5336), identify_17=uuid_list(*uuids), **PAGES)
    r, logs, _ = smart(host)
    tap.equal((r.code, (0xc0, 1) in logs, r.drive["ocp_smart"] and r.drive["ocp_smart"]["physical_media_written_bytes"]),
              (0, expected is not None, expected), f"OCP's UUID {name}: smart")
    listed = [e["lid"] for e in run("log", "list", "nvme0", "-o", "json", host=host).drive["logs"] if e["readable"]]
    tap.equal(0xc0 in listed, expected is not None, f"OCP's UUID {name}: log list")
    r = run("log", "get", "nvme0", "ocp-smart", "-o", "json", host=host)
    tap.equal(r.code, 0 if expected else 4, f"OCP's UUID {name}: log get")

# log get: by name with the drive's own index; with another one it is somebody else's page, which nobody knows.
host = Host(simulated=True).drive(id_ctrl=controller(), identify_17=uuid_list(OTHER, OCP, SOLIDIGM), **PAGES)
r, logs, _ = page_of(host, "log", "get", "nvme0", "ocp-smart")
tap.equal((r.code, logs, r.drive["log"]["uuid_index"], "ocp_smart" in r.drive), (0, [(0xc0, 2)], 2, True), "log get ocp-smart")
r, logs, _ = page_of(host, "log", "get", "nvme0", "0xC0", "--uuid-index", "2")
tap.equal((r.code, logs, "ocp_smart" in r.drive), (0, [(0xc0, 2)], True), "log get C0h with OCP's index")
for lid, index in (("0xC0", 1), ("0xC0", 3), ("0xCA", 2), ("0xC5", 2), ("0xC5", 127), ("0xC8", 2)):
    r, sent = trace_of("log", "get", "nvme0", lid, "--uuid-index", str(index), "-o", "json", host=host)
    tap.result(r.code == 4 and not sent[-1]["sent"] and "UUID index" in r.json["error"]["message"] + str(r.json["error"]["hint"]),
               f"log get {lid} with index {index}: no table knows it, nothing is sent", r)
r, logs, _ = page_of(host, "log", "get", "nvme0", "smart")
tap.equal((r.code, logs, r.drive["log"]["uuid_index"]), (0, [], None), "a standard page has none")

# The simulator: an index without a UUID is an invalid field, and where there is no list it means nothing.
for name, identity, pages, status in (("an index behind the list", controller(), {"identify_17": uuid_list(OCP)}, 0x4002),
                                      ("an index in a hole", controller(), {"identify_17": uuid_list(OCP, bytes(16), OTHER)}, 0x4002),
                                      ("no list", controller(listed=False), {}, 0)):
    host = Host(simulated=True).drive(id_ctrl=identity, **PAGES, **pages)
    r, sent = trace_of("passthru", "admin", "nvme0", "--opcode", "2", "--nsid", "0xffffffff", "--cdw10", "0x7f8002", "--cdw14", "2",
                       "--data-len", "512", "--read", "-o", "json", host=host)
    tap.equal(sent[-1]["status"], status, f"simulator: {name}")

# Models, recorded and copied: the same answers from the drive, its recording and a copy of that.
for model in ("ps1010", "p5336", "p5520", "p5510", "p5316"):
    lab, recording, copy = (os.path.join(TMP, f"{model}-{kind}") for kind in ("lab", "recording", "copy"))
    run("sim", "create", lab, "--model", model)
    r = run("capture", "--to", recording, "-o", "json", host=lab)
    tap.result(r.code == 0 and r.drive["capture"]["error_log_entries_added"] == 0, f"{model}: captured, and nothing was refused", r)
    run("sim", "create", copy, "--from", recording)
    answers = [{k: v for k, v in run("smart", "nvme0", "-o", "json", host=h).drive.items() if k not in ("path",)} for h in (lab, recording, copy)]
    tap.result(answers[0] == answers[1] == answers[2] and answers[0]["ok"], f"{model}: smart of drive, recording and copy", *answers)
redacted = os.path.join(TMP, "redacted")
run("capture", "--to", redacted, "--redact", host=os.path.join(TMP, "ps1010-lab"))
with open(os.path.join(redacted, "nvme0", "identify-17.bin"), "rb") as f:
    tap.equal(f.read(), uuid_list(OCP, SOLIDIGM), "redacted: whose pages they are is no identity")
answers = [run("smart", "nvme0", "-o", "json", host=h).drive for h in (os.path.join(TMP, "ps1010-lab"), redacted)]
tap.equal([json.dumps(a["ocp_smart"]) for a in answers][0], json.dumps(answers[1]["ocp_smart"]), "redacted: its pages are found")
host = Host(simulated=True).drive(id_ctrl=controller(), identify_17=uuid_list(OTHER, OCP), **PAGES)
run("capture", "--to", redacted + "2", "--redact", host=host)
with open(os.path.join(redacted + "2", "nvme0", "identify-17.bin"), "rb") as f:
    tap.result(OTHER not in (page := f.read()) and OCP in page, "redacted: any other UUID is replaced")
sys.exit(tap.end())
