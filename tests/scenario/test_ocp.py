#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""OCP's log pages C1h to C5h: vectors packed here by the offsets of the specification 2.0 (as nvme.h of the Windows SDK, nvme-cli
and illumos have them), which drives are asked for them, and that a page of the same number on other drives stays what it is."""
import hashlib
import os
import struct
import sys
import uuid

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import TMP, Host, Tap, id_ctrl, run, trace_of  # noqa: E402

tap = Tap()
OCP = uuid.UUID("c194d55b-e094-4794-a21d-29998f56be6f").bytes
SOLIDIGM = uuid.UUID("9619586e-c11b-43ad-aaaa-654187f6bbb2").bytes
PS1010, P5336, P5520, P4510 = "SOLIDIGM SB5PH27X076T", "SOLIDIGM SBFPF2BV0P12", "SOLIDIGM SSDPF2KX038T1", "INTEL SSDPE2KX040T8"
NEVER = 2**64 - 1


def uuid_list(*uuids):
    return b"".join(bytes(16) + u for u in (bytes(16), *uuids)).ljust(4096, b"\0")


def supported(*lids):
    return b"".join(struct.pack("<I", lid in lids) for lid in range(256))


def controller(model, listed=True, lpa=4, **more):
    vid = 0x8086 if model.startswith("INTEL") else 0x025e
    return id_ctrl(model=model, vid=vid, ssvid=vid, ver=0x10400, lpa=lpa, offset_96=struct.pack("<I", listed << 9), **more)


def page(size, version, guid, *parts):
    """(offset, format, values...) each; version and GUID (as written, most significant byte first) at the end."""
    buf = bytearray(size)
    for at, form, *values in parts:
        struct.pack_into("<" + form, buf, at, *values)
    struct.pack_into("<H16s", buf, size - 18, version, bytes.fromhex(guid)[::-1])
    return bytes(buf)


def activation(count, ms, origin, cycles, old, new, slot, action, result):
    return struct.pack("<BBHH6sBBQQ8s8sBBH14x", 1, 64, 0, count, ms.to_bytes(6, "little"), origin << 1, 0, 0, cycles, old, new, slot, action, result)


def stamps(*of_bucket):
    """(read, write, deallocate) of bucket 0 to 3; on the page bucket 3 is first, and the deallocation of each."""
    return [v for bucket in reversed(of_bucket) for v in reversed(bucket)]


NO = (NEVER, NEVER, NEVER)
PAGES = {
    0xc1: page(512, 2, "5A1983BA3DFD4DABAE3430FE2131D944", (0, "HBBQI", 10000, 0x12, 0x04, 0xf23456789abcdef0, 1), (16, "B3xIIBBB", 0xc6, 0x11223344, 0x55667788, 9, 2, 8)),
    0xc2: page(4096, 1, "D11CF3AC8AB24DE2A3F6DAB4769A796D", (0, "B3xI", 0xc2, 2),
               (8, "64s64s", activation(1, 1767323045678, 1, 3, b"8DV10131", b"8DV10171", 1, 1, 0), activation(2, 5000, 0, 7, b"8DV10171", b"8DV101B0", 2, 3, 0x107))),
    0xc3: page(512, 1, "85D45E58D4E643709C6C84D08CC07A92", (0, "BxHHBBBBHB", 0x05, 0x210, 0x7e0, 0x05, 0x13, 0x1e, 0x2e, 0x0fff, 0x0a),
               (0x20, "16I", 0, 3, 2, 1, 0, 6, 5, 4, 0, 9, 8, 7, 0, 12, 11, 10), (0x60, "12Q", *stamps((101, 102, NEVER), NO, NO, (103, NEVER, 104))),
               (0xc0, "12H", *stamps((31, 32, 33), (34, 35, 36), (37, 38, 39), (240, 241, 242))), (0xd8, "H", 0x0801),
               (0xf0, "16I", *[v + 100 for v in range(16)]), (0x130, "12Q", *stamps(NO, NO, (105, 106, 107), NO)), (0x190, "12H", *range(500, 512)), (0x1a8, "H", 0x0040),
               (0x1c0, "HHQHHB", 0x0002, 77, 999, 4242, 0x0400, 1)),
    0xc4: page(4096, 1, "B7053C914B58495D98C9E1D10D054297", (0, "8H", 2, 0x8002, 0x801f, 0x8007, 0x8003, 0x8009, 0x8001, 8), (16 + 8, "B", 0x82), (16 + 25, "BB", 0x80, 0x01)),
    0xc5: page(4096, 1, "C7BB98B7D0324863BB2C23990E9C722F", (0, "H", 2), (16, "16s16s16s", b"NVMe-IO-5", b"ABCDEFGHIJKLMNOP", b"not counted")),
}
NAMES = {0xc1: ("ocp-error-recovery", "ocp_error_recovery"), 0xc2: ("ocp-firmware-history", "ocp_firmware_history"), 0xc3: ("ocp-latency", "ocp_latency_monitor"),
         0xc4: ("ocp-capabilities", "ocp_capabilities"), 0xc5: ("ocp-unsupported", "ocp_unsupported")}
BITS = [f"bucket_{n}_{op}" for n in range(4) for op in ("read", "write", "deallocate")]


def bits(value, *names):
    return {"value": value, **{name: bool(value >> i & 1) for i, name in enumerate(names)}}


def with_compliant(value, *names):
    return {**bits(value, *names), "compliant": bool(value >> 15)}


def bucket(counts, latencies, times):
    names = ("read", "write", "deallocate")
    return {**{f"{n}_count": v for n, v in zip(names, counts)}, **{f"{n}_latency_ms": v for n, v in zip(names, latencies)},
            **{f"{n}_stamp": v if v != NEVER else None for n, v in zip(names, times)}}


VALUES = {
    0xc1: {"panic_reset_wait_ms": 10000,
           "panic_reset_action": bits(0x12, "controller_reset", "subsystem_reset", "function_level_reset", "fundamental_reset", "power_cycle", "hot_reset"),
           "device_recovery_action_1": 4, "panic_id": "f23456789abcdef0", "device_capabilities": bits(1, "asynchronous_event", "fatal_status"),
           "recovery_opcode": 0xc6, "recovery_cdw12": 0x11223344, "recovery_cdw13": 0x55667788, "recovery_timeout": 9, "device_recovery_action_2": 2,
           "device_recovery_action_2_timeout": 8, "panic_count": None, "previous_panics": None, "log_page_version": 2},
    0xc2: {"activation_count": 2, "log_page_version": 1, "activations": [
        {"activation": 1, "time": "2026-01-02T03:04:05.678Z", "power_cycles": 3, "previous_revision": "8DV10131", "new_revision": "8DV10171", "slot": 1,
         "commit_action": 1, "result": 0},
        {"activation": 2, "time": None, "power_cycles": 7, "previous_revision": "8DV10171", "new_revision": "8DV101B0", "slot": 2, "commit_action": 3,
         "result": 0x107}]},
    0xc3: {"status": bits(5, "enabled", "active_latency_mode", "active_measured_latency"), "active_timer_minutes": 2640, "active_timer_threshold_minutes": 10080,
           "threshold_a_ms": 30, "threshold_b_ms": 100, "threshold_c_ms": 155, "threshold_d_ms": 235, "active_latency_configuration": bits(0xfff, *BITS),
           "active_minimum_window_ms": 1000,
           "active_bucket_0": bucket((1, 2, 3), (31, 32, 33), (101, 102, NEVER)), "active_bucket_1": bucket((4, 5, 6), (34, 35, 36), NO),
           "active_bucket_2": bucket((7, 8, 9), (37, 38, 39), NO), "active_bucket_3": bucket((10, 11, 12), (240, 241, 242), (103, NEVER, 104)),
           "active_stamp_units": bits(0x801, *BITS),
           "static_bucket_0": bucket((103, 102, 101), (511, 510, 509), NO), "static_bucket_1": bucket((107, 106, 105), (508, 507, 506), NO),
           "static_bucket_2": bucket((111, 110, 109), (505, 504, 503), (105, 106, 107)), "static_bucket_3": bucket((115, 114, 113), (502, 501, 500), NO),
           "static_stamp_units": bits(0x40, *BITS), "debug_trigger_enable": bits(2, *BITS), "debug_latency_ms": 77, "debug_stamp": 999, "debug_log_pointer": 4242,
           "debug_trigger_source": bits(0x400, *BITS), "debug_stamp_by_timestamp": True, "log_page_version": 1},
    0xc4: {"pcie_ports": 2, "oob_management": {"value": 0x8002, "compliant": True},
           "write_zeroes": with_compliant(0x801f, "supported", "deallocate", "force_unit_access", "nvme_io_5", "nvme_io_6"),
           "sanitize": with_compliant(0x8007, "supported", "crypto_erase", "block_erase", "overwrite", "deallocate"),
           "dataset_management": with_compliant(0x8003, "supported", "deallocate"),
           "write_uncorrectable": with_compliant(0x8009, "supported", "single_lba", "maximum_lbas", "nvme_io_14"),
           "fused_operations": with_compliant(0x8001, "supported"), "minimum_dssd_power_state": 8,
           "power_states": [{"dssd_power_state": 8, "nvme_power_state": 2}, {"dssd_power_state": 25, "nvme_power_state": 0}], "log_page_version": 1},
    0xc5: {"requirement_count": 2, "requirements": ["NVMe-IO-5", "ABCDEFGHIJKLMNOP"], "log_page_version": 1},
}


def ocp_host(identity, **pages):
    """That a drive is a PS1010 its PCI ids say (2b59, subsystem 0008 of Solidigm's: illumos), not its model number."""
    known = identity[24:64].decode().strip() == PS1010
    ids = {"vendor": "0x025e", "device": "0x2b59", "subsystem_vendor": "0x025e", "subsystem_device": "0x0008"}
    return Host(simulated=True).drive(id_ctrl=identity, drive_json={"sysfs": ids} if known else {}, **pages)


def files(index):
    return {f"log_{lid:x}" + (f"_u{index}" if index else ""): data for lid, data in PAGES.items()}


def digest(host):
    """Of all that the drive holds. state.json has the commands that faults have counted: there are none here."""
    return {name: hashlib.sha256(open(os.path.join(where, name), "rb").read()).hexdigest() for where, _, names in os.walk(str(host)) for name in names}


def get(host, what):
    r, sent = trace_of("log", "get", "nvme0", what, "-o", "json", host=host)
    return r, sent


def of_vendor(r):
    return [k for k in r.drive if k.startswith(("ocp", "intel"))]


# Every page by its name and by its number, where the drive is known to have it, lists OCP's UUID, or announces it on page 00h.
ANNOUNCED = supported(1, 2, 3, 0xc0, *PAGES)
PLACES = (("PS1010 without UUIDs", controller(PS1010, listed=False), 0, {}),
          ("PS1010 with OCP's UUID", controller(PS1010), 2, {"identify_17": uuid_list(SOLIDIGM, OCP)}),
          ("P5336 with OCP's UUID", controller(P5336), 1, {"identify_17": uuid_list(OCP)}),
          ("P5336 with page 00h", controller(P5336, listed=False, lpa=0x24), 0, {"log_00": ANNOUNCED}))
for name, identity, index, more in PLACES:
    host = ocp_host(identity, **files(index), **more)
    before = digest(host)
    for lid, (word, key) in NAMES.items():
        for what in (word, f"0x{lid:x}"):
            r, sent = get(host, what)
            tap.equal(r.drive.get(key), VALUES[lid], f"{name}: log get {what}")
            tap.equal((r.code, r.drive["log"]["name"], r.drive["log"]["uuid_index"], of_vendor(r)), (0, word, index or None, [key]), f"{name}: {what}: that and nothing else")
            logs = [c for c in sent if c["opcode"] == 2 and c["cdw10"] & 0xff == lid]
            tap.equal((len(logs), logs[0]["cdw10"] >> 8 & 0xff, logs[0]["cdw14"], {c["opcode"] for c in sent}), (1, 0x80, index, {2, 6}),
                      f"{name}: {what}: read once, RAE set, LSP 0, and nothing but reads is sent")
    tap.equal(digest(host), before, f"{name}: reading twice has left everything as it was")
    listed = {e["lid"]: (e["name"], e["readable"], e["decoded"]) for e in run("log", "list", "nvme0", "-o", "json", host=host).drive["logs"]}
    tap.equal({lid: listed.get(lid) for lid in NAMES}, {lid: (word, True, True) for lid, (word, _) in NAMES.items()}, f"{name}: log list")
    for words in (("smart", "nvme0"), ("show", "nvme0"), ("check", "--allow-simulated")):
        r, sent = trace_of(*words, "-o", "json", host=host)
        tap.equal([hex(c["cdw10"] & 0xff) for c in sent if c["opcode"] == 2 and c["cdw10"] & 0xff in PAGES], [], f"{name}: {words[0]} does not ask for them")

# By another GUID, or by half of its own, it is somebody else's page: its bytes and no name of a value.
for what, change in (("another GUID", lambda b: b[:-1] + bytes([b[-1] ^ 1])), ("no GUID", lambda b: b[:-16] + bytes(16)), ("cut before its end", lambda b: b[:-4])):
    host = ocp_host(controller(PS1010, listed=False), **{f"log_{lid:x}": change(data) for lid, data in PAGES.items()})
    for lid, (word, _) in NAMES.items():
        r, _ = get(host, word)
        tap.equal((r.code, of_vendor(r), r.drive["log"]["data_hex"][:40]), (0, [], PAGES[lid][:20].hex()), f"{what}: {word} is shown in hexadecimal")

# Not announced, nothing is sent; nor is the page of another index.
host = ocp_host(controller(P5336), identify_17=uuid_list(SOLIDIGM), **files(0), **files(1))
for lid, (word, _) in NAMES.items():
    for options in ([word], [f"0x{lid:x}", "--uuid-index", "1"]):
        r, sent = trace_of("log", "get", "nvme0", *options, "-o", "json", host=host)
        tap.result(r.code == 4 and not [c for c in sent if c["sent"] and c["opcode"] == 2 and c["cdw10"] & 0xff == lid], f"not OCP's by any list: {' '.join(options)}", r, sent)
tap.equal([e["lid"] for e in run("log", "list", "nvme0", "-o", "json", host=host).drive["logs"] if e["lid"] in PAGES], [], "not OCP's by any list: log list")

# The other side: C1h and C2h are latency histograms, C5h are temperatures, on drives that have those there, with OCP's UUID or without.
HISTOGRAM = struct.pack("<HH", 4, 1) + struct.pack("<1216I", *[7 if i == 70 else 0 for i in range(1216)])
TEMPERATURES = struct.pack("<Q16xQQ40xQQQQ", 41, 60, 20, 70, 0, 0, 0)
for model in (P4510, P5520):
    for uuids in ((), (SOLIDIGM,), (OCP, SOLIDIGM)):
        own = uuids.index(SOLIDIGM) + 1 if uuids else 0
        suffix = f"_u{own}" if own else ""
        own_pages = {"log_c1" + suffix: HISTOGRAM, "log_c2" + suffix: HISTOGRAM, "log_c5" + suffix: TEMPERATURES}
        others = files(uuids.index(OCP) + 1) if OCP in uuids else {}
        host = ocp_host(controller(model, listed=bool(uuids)), identify_17=uuid_list(*uuids), **own_pages, **others)
        name = f"{model} with {len(uuids)} UUIDs"
        for lid, word, key in ((0xc1, "latency-read", "intel_latency_read"), (0xc2, "latency-write", "intel_latency_write"), (0xc5, "temperature", "intel_temperature")):
            r, _ = get(host, f"0x{lid:x}")
            tap.equal((r.code, r.drive["log"]["name"], r.drive["log"]["uuid_index"], of_vendor(r)), (0, word, own or None, [key]), f"{name}: {lid:x}h is {word}")
        tap.equal(get(host, "0xc1")[0].drive["intel_latency_read"]["commands"], 7, f"{name}: its histogram")
        tap.equal(get(host, "0xc5")[0].drive["intel_temperature"]["current_celsius"], 41, f"{name}: its temperature")
        names = {e["name"] for e in run("log", "list", "nvme0", "-o", "json", host=host).drive["logs"]}
        tap.equal((names & {word for word, _ in NAMES.values()}, {"latency-read", "latency-write", "temperature"} - names), (set(), set()), f"{name}: log list")
        for word, _ in NAMES.values():
            tap.equal(get(host, word)[0].code, 2, f"{name}: no page is called {word}")

# A drive with page 00h is recorded with those that it has there: one that a later specification took away is not asked for.
for name, lids in (("all", tuple(PAGES)), ("without C2h", (0xc1, 0xc3, 0xc4, 0xc5))):
    host = ocp_host(controller(P5336, lpa=0x24), identify_17=uuid_list(OCP), identify_03_n1=bytes(4096), log_00=supported(0, 1, 2, 3, 0xc0, *lids),
                    log_c0_u1=page(512, 3, "AFD514C97C6F4F9CA4F2BFEA2810AFC5"), **{k: v for k, v in files(1).items() if int(k[4:6], 16) in lids})
    to = os.path.join(TMP, "recording-" + name.split()[-1])
    r = run("capture", "--to", to, "-o", "json", host=host)
    tap.equal((r.code, r.drive["capture"]["error_log_entries_added"]), (0, 0), f"capture, {name}: nothing was refused")
    tap.equal(sorted(f for f in os.listdir(os.path.join(to, "nvme0")) if f[:6] in {f"log-{lid:x}" for lid in PAGES}), [f"log-{lid:x}-u1.bin" for lid in lids],
              f"capture, {name}: the files")
    for lid in lids:
        tap.equal(get(to, NAMES[lid][0])[0].drive[NAMES[lid][1]], VALUES[lid], f"capture, {name}: {lid:x}h of the recording")

# The models.
lab = os.path.join(TMP, "models")
run("sim", "create", lab, "--model", "ps1010", "--model", "p5336", "--model", "p5520")
for drive, has in (("nvme0", True), ("nvme1", True), ("nvme2", False)):
    for lid, (word, key) in NAMES.items():
        r = run("log", "get", drive, word, "-o", "json", host=lab)
        tap.equal((r.code, key in r.drive and r.drive[key] is not None), (0, True) if has else (2, False), f"model {drive}: {word}")
r = run("log", "get", "nvme0", "ocp-firmware-history", "-o", "json", host=lab)
tap.equal(r.drive["ocp_firmware_history"]["activations"][0]["new_revision"], r.drive["firmware"], "model: the last activation is of what runs")
r = run("log", "get", "nvme2", "0xc1", "-o", "json", host=lab)
tap.equal((r.code, of_vendor(r)), (0, ["intel_latency_read"]), "model: a P5520 has its histogram at C1h")

sys.exit(tap.end())
