#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ssdct capture: what is sent, what is written, and that the recording answers as the drive did."""
import json
import os
import shutil
import signal
import stat
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import FEATURES, SSDCT, TMP, Host, Tap, id_ctrl, id_ns, run, smart  # noqa: E402

tap = Tap()
number = 0


def place():
    global number
    number += 1
    return os.path.join(TMP, f"recording{number}")


def tree(path):
    """Every file below path with its bytes; the simulator's lock is no content."""
    found = {}
    for folder, _, names in os.walk(path):
        for name in names:
            full = os.path.join(folder, name)
            with open(full, "rb") as f:
                found[os.path.relpath(full, path)] = f.read()
    return found


def changed(one, other):
    """Names of the files that differ."""
    return sorted(n for n in {**one, **other} if one.get(n) != other.get(n))


def equal(text, got, expected):
    tap.equal(got, expected, text)


def check(text, good, details):
    tap.result(good, text, details)


def commands_of(trace):
    with open(trace) as f:
        return [json.loads(line) for line in f]


def sample():
    """nvme0: NVMe 1.0, nothing optional. nvme1: 1.4, two namespaces, telemetry, saved features, identities everywhere."""
    host = Host(simulated=True)
    host.drive("nvme0", id_ctrl=id_ctrl(serial="SERIALALPHA01", vid=0x1234, ssvid=0x1234, ver=0, oacs=0, elpe=3),
               log_01=bytes(256), log_02=smart(counters=[1, 2, 3, 4, 5, 6, 7, 8, 9, 17]))
    eui, nguid, uuid = bytes(range(1, 9)), bytes(range(0x31, 0x41)), bytes(range(0x51, 0x61))
    nqn = b"nqn.2014-08.com.example:uuid:SERIALBETA02-0001"
    ctrl = id_ctrl(serial="  SERIALBETA02", model='Maker "X" 2TB', vid=0x1234, ssvid=0x1234, ver=0x10400, oacs=0x10,
                   lpa=0x0e, nn=8, offset_520=struct.pack("<H", 0x10), offset_525=b"\1", offset_768=nqn,
                   offset_3072=b"made for SERIALBETA02 only", offset_112=bytes(range(0x71, 0x81)))
    descriptors = b"\1\x08\0\0" + eui + b"\2\x10\0\0" + nguid + b"\3\x10\0\0" + uuid + b"\4\1\0\0\0"
    telemetry = bytearray(b"\7" * 2048)
    struct.pack_into("<HHH", telemetry, 8, 1, 2, 3)
    host.drive("nvme1", id_ctrl=ctrl, id_ns_1=id_ns(offset_104=nguid, offset_120=eui),
               id_ns_5=id_ns(nsze=1000, flbas=1), identify_03_n1=descriptors.ljust(4096, b"\0"),
               identify_03_n5=bytes(4096), log_05=bytes(range(256)) * 16, log_06=bytes(564), log_07=bytes(telemetry),
               log_08=bytes(512), log_81=bytes(512),
               drive_json={"sysfs": {"transport": "tcp", "address": "traddr=10.1.2.3,trsvcid=4420", "state": "live"},
                           "namespaces": {"5": {"device": None, "generic": None}},
                           "features": {"0x01": 0, "0x02": {"current": 1, "default": 0, "saved": 1, "capabilities": 5},
                                        "0x04": 358, "0x05@1": 3, "0x05@5": 4, "0x06": 1, "0x07": 0x1d001d, "0x08": 0,
                                        "0x09": 0, "0x0a": 0, "0x0b": 0}})
    return host


# --- what is sent and written ---

source = sample()
before = tree(source.path)
to, trace = place(), os.path.join(TMP, "trace")
result = run("capture", "--to", to, "--json", "--trace", trace, host=source)
equal("capture succeeds", result.code, 0)
equal("the document says which backend was recorded", result.json["backend"], "simulated")
equal("no drive has more error log entries than before",
          [d["capture"]["error_log_entries_added"] for d in result.json["drives"]], [0, 0])
equal("the source is as it was", changed(tree(source.path), before), [])
equal("the directory is its owner's", stat.S_IMODE(os.stat(to).st_mode), 0o700)
equal("the drives' directories are, too", stat.S_IMODE(os.stat(f"{to}/nvme1").st_mode), 0o700)
with open(f"{to}/host.json") as f:
    equal("host.json says that it is a recording", json.load(f), {"format": "ssdct-host/1", "mode": "recorded"})
recorded = tree(to)
equal("NVMe 1.0: the files", sorted(n for n in recorded if n.startswith("nvme0/")),
          ["nvme0/drive.json", "nvme0/id-ctrl.bin", "nvme0/id-ns-1.bin", "nvme0/log-01.bin", "nvme0/log-02.bin",
           "nvme0/log-03.bin"])
equal("NVMe 1.4: the files", sorted(n for n in recorded if n.startswith("nvme1/")),
          sorted("nvme1/" + n for n in ["drive.json", "id-ctrl.bin", "id-ns-1.bin", "id-ns-5.bin", "identify-03-n1.bin",
                                         "identify-03-n5.bin", "log-01.bin", "log-02.bin", "log-03.bin", "log-05.bin",
                                         "log-06.bin", "log-07.bin", "log-08.bin"]))
equal("every file has the bytes of the drive", [n for n in recorded if n.endswith(".bin") and recorded[n] != before[n]],
          [])
equal("telemetry is whole: the last block of area 3 is number 3", len(recorded["nvme1/log-07.bin"]), 2048)

sent = commands_of(trace)
check("only Identify, Get Log Page and Get Features are sent",
          {int(str(c["opcode"]), 0) for c in sent} <= {0x02, 0x06, 0x0a}, {str(c["opcode"]) for c in sent})
logs = [c for c in sent if int(str(c["opcode"]), 0) == 2]
cdw10 = [int(str(c["cdw10"]), 0) for c in logs]
check("every log page is read with RAE set and no parameter", all(v >> 8 & 0xff == 0x80 for v in cdw10), cdw10)
equal("NVMe 1.0: no CNS but 00h and 01h", {int(str(c["cdw10"]), 0) for c in sent if c["device"] == "nvme0" and
                                                int(str(c["opcode"]), 0) == 6}, {0, 1})
equal("NVMe 1.0: no log page but the mandatory ones",
          {int(str(c["cdw10"]), 0) & 0xff for c in logs if c["device"] == "nvme0"}, {1, 2, 3})
equal("the error log is read as long as ELPE says",
          [(int(str(c["cdw10"]), 0) >> 16) + 1 for c in logs if c["device"] == "nvme0" and
           int(str(c["cdw10"]), 0) & 0xff == 1], [64])
check("every command succeeded", all(c["status"] == 0 for c in sent), [c for c in sent if c["status"]])

config = json.loads(recorded["nvme1/drive.json"])
equal("drive.json: a feature with all its values", config["features"]["0x02"],
          {"current": 1, "default": 0, "saved": 1, "capabilities": 5})
check("drive.json: no saved value of what cannot be saved", "saved" not in config["features"]["0x04"],
          config["features"]["0x04"])
equal("drive.json: a feature of each namespace",
          [config["features"][k]["current"] for k in ("0x05@1", "0x05@5")], [3, 4])
equal("drive.json: what sysfs says", (config["sysfs"]["transport"], config["sysfs"]["address"]),
          ("tcp", "traddr=10.1.2.3,trsvcid=4420"))
equal("drive.json: only what Identify does not say of a namespace", config["namespaces"],
          {"5": {"device": None, "generic": None}})

# --- nothing is overwritten ---

again = run("capture", "--to", to, "--json", host=source)
equal("a directory with files is refused", (again.code, again.json["error"]["code"]), (4, "refused"))
equal("and stays as it is", changed(tree(to), recorded), [])
plain = os.path.join(TMP, "file")
with open(plain, "w") as f:
    f.write("mine")
equal("a file is refused", run("capture", "--to", plain, host=source).code, 4)
with open(plain) as f:
    equal("and stays as it is, too", f.read(), "mine")
empty = place()
os.mkdir(empty, 0o755)
equal("an empty directory is taken", run("capture", "nvme0n1", "nvme0", "--to", empty, host=source).code, 0)
equal("and closed to others", stat.S_IMODE(os.stat(empty).st_mode), 0o700)
equal("a namespace stands for its drive, once", sorted(os.listdir(empty)), ["host.json", "nvme0"])
equal("--to is needed", run("capture", "nvme0", host=source).code, 2)
equal("a directory that cannot be made", run("capture", "--to", f"{TMP}/no/such", host=source).code, 1)
nothing = place()
equal("no drive, no recording", (run("capture", "--to", nothing, host=Host()).code, os.path.exists(nothing)), (3, False))
equal("an unknown drive, no recording",
          (run("capture", "nvme7", "--to", nothing, host=source).code, os.path.exists(nothing)), (3, False))

# --- a drive that fails ---

broken = sample()
broken.drive("nvme2", drive_json={"faults": [{"opcode": "0x06", "nth": 1, "count": 0, "errno": "ENODEV"}]})
to = place()
result = run("capture", "--to", to, "--json", host=broken)
equal("one drive that is gone: exit 6", result.code, 6)
equal("the others are recorded", sorted(os.listdir(to)), ["host.json", "nvme0", "nvme1"])
refusing = Host(simulated=True).drive("nvme0", id_ctrl=id_ctrl(lpa=2, vid=0x1234, ssvid=0x1234))
to = place()
result = run("capture", "--to", to, "--json", host=refusing)
equal("a page that is announced but refused is a gap, not a failure",
          (result.code, [g["file"] for g in result.drive["capture"]["left_out"]]), (0, ["log-05.bin"]))

everywhere = Host(simulated=True).drive(drive_json={"faults": [{"opcode": "0x06", "count": 0, "errno": "ENODEV"}]})
to = place()
equal("nothing could be recorded, nothing is left", (run("capture", "--to", to, host=everywhere).code, os.path.exists(to)),
      (3, False))
to = place()
equal("a trace that cannot be opened, nothing is left",
      (run("capture", "--to", to, "--trace", "/nonexistent/x", host=source).code, os.path.exists(to)), (1, False))

# --- interrupted ---


def interrupted(to, number):
    """Records a drive that answers and one that does not for a while; the signal comes when the former is on disk."""
    slow = sample()
    slow.drive("nvme2", drive_json={"faults": [{"opcode": "0x06", "count": 1, "delay_ms": 20000}]})
    p = subprocess.Popen([SSDCT, "capture", "--to", to, "--json", "--host", str(slow)], stdout=subprocess.PIPE, text=True)
    while not any("log-08.bin" in names for _, _, names in os.walk(to)) and p.poll() is None:
        time.sleep(0.01)
    p.send_signal(number)
    out = p.communicate(timeout=300)[0]
    return p.returncode, json.loads(out) if out else None


to = place()
code, doc = interrupted(to, signal.SIGINT)
equal("interrupted: exit 130", code, 130)
equal("no drive is said to be recorded", [(d["ok"], d["capture"], d["error"]["code"]) for d in doc["drives"]],
      [(False, None, "interrupted")] * 3)
equal("nothing is left", os.path.exists(to), False)
equal("and it can be tried again", run("capture", "--to", to, host=source).code, 0)
to = place()
os.mkdir(to)
interrupted(to, signal.SIGTERM)
equal("an empty directory that was there still is", os.listdir(to), [])
to = place()
interrupted(to, signal.SIGKILL)
equal("killed: what is left does not look like a recording", run("list", "--json", host=to).json["drives"], [])
again = run("capture", "--to", to, "--json", host=source)
check("and the next attempt says what it is", again.code == 4 and ".partial" in again.json["error"]["hint"], again)

# --- redaction ---

to = place()
result = run("capture", "--to", to, "--json", "--redact", host=source)
equal("--redact succeeds", result.code, 0)
redacted = tree(to)
secrets = [b"SERIALALPHA01", b"SERIALBETA02", b"com.example:uuid:", bytes(range(1, 9)), bytes(range(0x31, 0x41)),
           bytes(range(0x51, 0x61)), bytes(range(0x71, 0x81)), b"10.1.2.3", b"4420"]
equal("no identity is left in any file",
          [(n, s) for n, data in redacted.items() for s in secrets if s in data], [])
equal("every file has the length it had",
          [n for n in redacted if n.endswith(".bin") and len(redacted[n]) != len(recorded[n])], [])
equal("what cannot be redacted is left out", sorted(set(recorded) - set(redacted)),
          ["nvme1/log-07.bin", "nvme1/log-08.bin"])
equal("and listed", [g["file"] for g in result.json["drives"][1]["capture"]["left_out"]],
          ["log-07.bin", "log-08.bin"])
listed = run("list", "--json", host=to).json["drives"]
equal("serial numbers of the same length", [len(d["serial"]) for d in listed], [13, 12])
check("that differ", listed[0]["serial"] != listed[1]["serial"], listed)
check("models stay", listed[1]["model"] == 'Maker "X" 2TB', listed[1])
equal("the rest of Identify stays as it is",
          [i for i in range(4096) if recorded["nvme0/id-ctrl.bin"][i] != redacted["nvme0/id-ctrl.bin"][i]
           and not 4 <= i < 24], [])

# The UUID list (CNS 17h): entries of 32 bytes, the UUID in bytes 16 to 31 (NVMe 1.4, 5.15.2.12); and what the host adds.
uuids = [bytes(range(0xa0, 0xb0)), bytes(range(0xc0, 0xd0))]
named = Host(simulated=True).drive(
    id_ctrl=id_ctrl(serial="SERIALGAMMA3", vid=0x1234, ssvid=0x1234, ver=0x10400, offset_96=struct.pack("<I", 1 << 9)),
    identify_17=(bytes(32) + b"".join(bytes([1]) + bytes(15) + u for u in uuids)).ljust(4096, b"\0"),
    drive_json={"features": FEATURES, "sysfs": {
        "subsystem": "sub-SERIALGAMMA3", "driver": "SERIALGAMMA3drv", "state": "SERIALGAMMA3",
        "subsysnqn": "nqn.2014-08.org.nvmexpress:customer-42"}})
to = place()
run("capture", "--to", to, "--redact", host=named)
redacted = tree(to)
equal("UUID list and sysfs attributes: no identity is left",
      [(n, s) for n, data in redacted.items() for s in [*uuids, b"SERIALGAMMA3", b"customer-42"] if s in data], [])
uuid_list = redacted["nvme0/identify-17.bin"]
check("two UUIDs are two, and no third one is made", 0 not in (any(uuid_list[48:64]), any(uuid_list[80:96])) and
      uuid_list[48:64] != uuid_list[80:96] and not any(uuid_list[96:]) and uuid_list[32] == uuid_list[64] == 1, uuid_list[:128])
equal("attributes keep their length", [len(v) for k, v in json.loads(redacted["nvme0/drive.json"])["sysfs"].items()
                                       if k in ("subsystem", "driver", "state", "subsysnqn")], [12, 16, 15, 38])

# A serial number that is too short to be looked for among bytes.
for serial, left_out in (("AB12", ["id-ctrl.bin", "id-ns-1.bin", "log-c0.bin", "log-ca.bin"]), ("", []),
                         ("AB1234", [])):
    own = id_ctrl(serial=serial, offset_3072=f"for {serial}".encode())
    short = Host(simulated=True).drive(id_ctrl=own, id_ns_1=id_ns(offset_384=serial.encode()),
                                       log_c0=bytes(2 * 0xc0) + b"\1\0" + bytes(18) + b"\1\0" + bytes(106),
                                       log_ca=b"\xab" + bytes(11) + serial.encode().ljust(500, b"\0"),
                                       drive_json={"features": FEATURES,
                                                   "sysfs": {"subsysnqn": f"nqn.2014.08.org.nvmexpress:80868086{serial}  X"}})
    to = place()
    result = run("capture", "--to", to, "--json", "--redact", host=short)
    redacted = tree(to)
    equal(f"serial number {serial!r}: what is left out", sorted(g["file"] for g in result.drive["capture"]["left_out"]), left_out)
    equal(f"serial number {serial!r}: the vendor's page is there", "nvme0/log-ca.bin" in redacted, not left_out)
    if serial:
        equal(f"serial number {serial!r} is in no file", [n for n, d in redacted.items() if serial.encode() in d], [])
    if left_out:
        equal("the rest of Identify Controller stays", redacted["nvme0/id-ctrl.bin"][64:768], own[64:768])

dual = Host(simulated=True)
for name, cntlid in (("nvme0", 1), ("nvme1", 2)):
    dual.drive(name, id_ctrl=id_ctrl(serial="DUALPORT9", cntlid=cntlid, vid=0x1234, ssvid=0x1234))
to = place()
run("capture", "--to", to, "--redact", host=dual)
listed = run("list", "--json", host=to).json["drives"]
check("two controllers of one drive still are", listed[0]["serial"] == listed[1]["serial"] != "DUALPORT9", listed)

# --- pages that reading clears: Optane's histograms, announced by page 00h (LPA bit 5), or known of the product line ---

histogram = struct.pack("<HH8Q", 1000, 0, *range(1, 9)).ljust(4876, b"\0")
lids = b"".join(struct.pack("<I", lid in (0x01, 0x02, 0x03, 0xc1, 0xc2)) for lid in range(256))
for name, lpa, pages in (("announced", 0x20, {"log_00": lids}), ("known", 0, {})):
    optane = Host(simulated=True).drive(id_ctrl=id_ctrl(model="INTEL SSDPED1K375GA", firmware="E2010325", lpa=lpa), log_c1=histogram, log_c2=histogram,
                                        drive_json={"features": FEATURES, "clear_on_read": {"0xc1": 4, "0xc2": 4}}, **pages)
    to = place()
    result = run("capture", "--to", to, "--json", host=optane)
    left_out = [g["file"] for g in result.drive["capture"]["left_out"] if "--clearing" in g["reason"]]
    equal(f"{name}: left alone, and listed", [left_out, tree(str(optane))["nvme0/log-c1.bin"]], [["log-c1.bin", "log-c2.bin"], histogram])
    to = place()
    result = run("capture", "--to", to, "--json", "--clearing", host=optane)
    recorded = tree(to)
    equal(f"{name}, --clearing: recorded, with no further question",
          [result.code, [g["file"] for g in result.drive["capture"]["left_out"] if g["file"] in ("log-c1.bin", "log-c2.bin")]], [0, []])
    equal(f"{name}: whole", [recorded.get(f"nvme0/log-{lid}.bin", b"").rstrip(b"\0") for lid in ("c1", "c2")], [histogram.rstrip(b"\0")] * 2)
    equal(f"{name}: and gone from the drive", any(tree(str(optane))["nvme0/log-c1.bin"][4:]), False)

# --- the recording answers as the drive did ---

READS = [["list"], ["show"], ["smart"], ["errors"], ["check", "--allow-simulated"], ["identify"], ["identify", "ns", "--nsid", "1"], ["log", "list"],
         ["log", "get", "smart"], ["log", "get", "error"], ["log", "get", "firmware-slot"]]
ANYWAY = {"time", "backend", "hostname"}
# Values of vendor features: no drive announces these, so they are not recorded.
NOT_ANNOUNCED = {"last_lba", "native_last_lba", "power_limit_watts", "latency_tracking"}


def document(host, words, device):
    drive = [] if words == ["list"] else [device]
    verb = 2 if words[0] == "log" else 1
    result = run(*words[:verb], *drive, *words[verb:], "--json", host=host)
    if words[0] != "check" and result.code:
        check(f"{words} of {host}", False, result)
    whole = result.json
    for row in whole["drives"]:
        for key in NOT_ANNOUNCED & set(row.get("intel_product") or ()):
            del row["intel_product"][key]
        for log in row.get("logs") or ():
            del log["readable"]  # from a file every page is
    return result.code, {k: v for k, v in whole.items() if k not in ANYWAY}


def compare(name, host, devices):
    to = place()
    done = run("capture", "--to", to, "--json", host=host)
    equal(f"{name}: recorded", done.code, 0)
    equal(f"{name}: no error log entry more",
              [d["capture"]["error_log_entries_added"] for d in done.json["drives"]], [0] * len(done.json["drives"]))
    for device in devices:
        for words in READS:
            equal(f"{name}: {' '.join(words)} of {device} from the recording", document(to, words, device),
                      document(host, words, device))
    equal(f"{name}: the recording says what it is", run("list", "--json", host=to).json["backend"], "recorded")
    return to


compare("by hand", source, ["nvme0", "nvme1"])
for model in ("p3700", "p3600", "p4510", "p4610", "p4800x", "generic", "nvme10"):
    simulated = os.path.join(TMP, f"sim-{model}")
    if run("sim", "create", simulated, "--model", model).code:
        check(f"{model}: simulated host", False, "sim create failed")
        continue
    compare(model, simulated, ["nvme0"])
oem = os.path.join(TMP, "sim-oem")
run("sim", "create", oem, "--model", "oem-p4510")
done = run("capture", "--to", place(), "--json", host=oem)
check("OEM firmware: the vendor's pages are not asked for",
          {"log-c0.bin", "log-ca.bin", "log-dd.bin"} <= {g["file"] for g in done.drive["capture"]["left_out"]}, done)

# --- and a recording of the recording is the same ---

first, second = place(), place()
run("capture", "--to", first, host=source)
run("capture", "--to", second, host=first)
equal("a recording of the recording is the same", changed(tree(second), tree(first)), [])
copy = place()
equal("a simulated copy of it can be made", run("sim", "create", copy, "--from", first).code, 0)
shutil.rmtree(copy, True)
sys.exit(tap.end())
