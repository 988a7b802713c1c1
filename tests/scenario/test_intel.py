#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What only Intel's and Solidigm's drives have: ssdct intel, ssdct solidigm, and the same in show and smart."""
import json
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import TMP, Host, Tap, id_ctrl, id_ns, intel_smart, run, smart, trace_of  # noqa: E402

tap = Tap()
VECTORS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "vectors")


def vector(name):
    with open(os.path.join(VECTORS, name), "rb") as f:
        return f.read()


def lab(*models):
    lab.count = getattr(lab, "count", 0) + 1
    path = os.path.join(TMP, f"lab{lab.count}")
    r = run("sim", "create", path, *[w for m in models for w in ("--model", m)])
    tap.result(r.code == 0, f"a host of {' '.join(models)}", r)
    return path


def v4(counts, minor=1, average=None):
    page = bytearray(4868)
    struct.pack_into("<HH", page, 0, 4, minor)
    for i, n in counts.items():
        struct.pack_into("<I", page, 4 + 4 * i, n)
    return bytes(page) + (struct.pack("<Q", average) if average is not None else b"")


def entries(host, name="nvme0"):
    with open(os.path.join(str(host), name, "log-02.bin"), "rb") as f:
        return struct.unpack_from("<Q", f.read(), 176)[0]


FILE = os.path.join(TMP, "no-such-file")  # nobody writes it: internal-log of these drives is refused, or made up on the way
verbs = [line.split()[0] for line in run("intel", "--help").out.split("\nVerbs\n")[1].split("\n\n")[0].splitlines()]
MORE = {"internal-log": ["--to", FILE]}  # what a verb cannot do without


def sets(sent):
    return [c for c in sent if c["opcode"] == 9 and c["sent"]]


# --- check says what the drive says of itself: isdct's users take anything but "Healthy" as a warning ---
for model, says, expected in (("INTEL SSDPEDMD020T4", b"BAD CONTEXT 2030", "warning"), ("SOLIDIGM SSDPF2KX038T1", b"BAD CONTEXT 2030", "warning"),
                              ("INTEL SSDPEDMD020T4", b"Healthy", None), ("INTEL SSDPEDMD020T4", b"", None),
                              ("INTEL SSDPEDMD020T4", b" " * 20, None), ("INTEL SSDPEDMD020T4", bytes(range(1, 21)), None),
                              ("INTEL SSDPEKNW010T8", b"BAD CONTEXT 2030", None)):
    host = Host(simulated=True).drive(id_ctrl=id_ctrl(model=model, offset_3076=says))
    r, sent = trace_of("check", "--allow-simulated", "-o", "json", host=host)
    found = {f["id"]: f for f in r.drive["findings"]}
    tap.result(r.code == (1 if expected else 0) and found.get("vendor_health", {}).get("severity") == expected and
               (not expected or '"BAD CONTEXT 2030"' in found["vendor_health"]["message"]), f"check: {model} says {says}", r)
    tap.equal([c["opcode"] for c in sent if c["opcode"] == 2 and c["cdw10"] & 0xff >= 0xc0], [], f"check: {model} is asked nothing of its vendor")
r = run("check", "--allow-simulated", "--ignore", "vendor_health", "-o", "json",
        host=Host(simulated=True).drive(id_ctrl=id_ctrl(offset_3076=b"BAD CONTEXT 2030")))
tap.equal([r.code, r.drive["status"]], [0, "ok"], "check: --ignore vendor_health")

# --- the workload tracker: whoever has its page has its set-up, which is harmless ---
for model in ("p5520", "p5336", "ps1010"):
    host = lab(model)
    r = run("intel", "workload-tracker", "nvme0", "-o", "json", host=host)
    tap.result(r.code == 0 and r.drive["workload_tracker"]["configuration"]["enabled"] is False and r.drive["workload_trigger"]["threshold"] == 0,
               f"{model}: workload-tracker", r)
    # On, samples of a second (7 in bits 14:11).
    r = run("feature", "set", "nvme0", "workload-tracker", "0x3801", "--yes", "-o", "json", host=host)
    c = run("intel", "workload-tracker", "nvme0", "-o", "json", host=host).drive["workload_tracker"]["configuration"]
    tap.result(r.code == 0 and c["enabled"] is True and c["sample_time"]["name"] == "1 s", f"{model}: switched on", r, c)

# --- OCP's drives: features C1h to C9h are its own (firmware history, power-loss check, telemetry profile, asynchronous events) ---
OCP = {"features": {f"0xc{n}": 60 for n in (1, 2, 6, 8, 9)}}
for model in ("SOLIDIGM SSDPF2KX038T1", "SOLIDIGM SBFPF2BV0P12", "SOLIDIGM SB5PH27X076T"):
    host = Host(simulated=True).drive(id_ctrl=id_ctrl(model=model, vid=0x25e, ssvid=0x25e, oacs=0xe),
                                      drive_json={**OCP, "sysfs": {"vendor": "0x25e", "device": "0x2b59" if "SB5" in model else "0xb60",
                                                                   "subsystem_vendor": "0x25e", "subsystem_device": "0x8"}})
    for words in (["intel", "max-lba"], ["intel", "power-governor"], ["intel", "smbus-address"], ["intel", "led-pattern"], ["show"],
                  ["intel", "product"], ["doctor"], ["feature", "list"]):
        r, sent = trace_of(*words, "nvme0", "-o", "json", host=host)
        got = [hex(c["cdw10"] & 0xff) for c in sent if c["opcode"] == 10 and 0xc0 <= c["cdw10"] & 0xff < 0xd0]
        tap.result(r.code == (7 if words[0] == "intel" and words[1] != "product" else 0) and not got, f"{model}: {' '.join(words)} reads none of OCP's", r, got)
    for name in ("led-pattern", "power-governor"):
        r, sent = trace_of("feature", "set", "nvme0", name, "1", "--yes", "-o", "json", host=host)
        tap.result(r.code != 0 and not sets(sent), f"{model}: {name} sets none of OCP's", r)
    r, sent = trace_of("provision", "nvme0", "--percent", "80", "--dry-run", "-o", "json", host=host)
    tap.equal([c for c in sent if c["opcode"] in (9, 10) and c["cdw10"] & 0xff in (0xc1, 0xc2)], [], f"{model}: provision does not ask for C1h")

# --- a drive that refuses its vendor's log pages has said its part of Identify all the same ---
r, sent = trace_of("show", "nvme0", "-o", "json", host=lab("oem-p4510"))
tap.result(r.code == 0 and r.drive["market_name"] is None and (r.drive["intel_controller"] or {}).get("stripe_exponent") == 5 and
           len([c for c in sent if c["status"]]) == 1, "show: refused log pages, and the vendor's part of Identify", r)

# --- a histogram that is cut is none: part of the counts would pass for all of them ---
host = lab("p3600")
run("sim", "fault", "nvme0", "--lid", "0xc1", "--short", "200", "--count", "0", host=host)
r = run("intel", "latency", "nvme0", "-o", "json", host=host)
tap.result([r.drive["latency"]["read"][k] for k in ("version_major", "commands", "p50_us", "buckets")] == [3, None, None, None], "a cut histogram", r)

# --- the buckets' limits are 32 bytes: a number would land in CDW11, which chooses the histogram (nvme-cli: set-bucket-thresholds) ---
host = lab("p4800x")
for select, name in enumerate(("latency-limits-read", "latency-limits-write")):
    r, sent = trace_of("feature", "set", "nvme0", name, "5", "--yes", "-o", "json", host=host)
    tap.result(r.code == 2 and "--data" in r.json["error"]["message"] and not sets(sent), f"{name} is not a number", r)
    limits = os.path.join(TMP, name)
    with open(limits, "wb") as f:
        f.write(struct.pack("<8I", 0, 10, 20, 40, 80, 160, 320, 640 + select))
    r, sent = trace_of("feature", "set", "nvme0", name, "--data", limits, "--yes", "-o", "json", host=host)
    tap.equal([r.code, [(c["cdw10"], c["cdw11"], c["data_len"]) for c in sets(sent)]], [0, [(0xf7, select, 32)]], f"{name}: --data")
    r = run("intel", "latency-limits", "nvme0", "-o", "json", host=host)
    tap.equal(r.drive[name.replace("-", "_")]["limits_us"], [0, 10, 20, 40, 80, 160, 320, 640 + select], f"{name}: as set")

# --- a foreign drive never gets a vendor command ---
for name, identity in (("another vendor's drive", id_ctrl(model="SAMSUNG MZQLB960HAJR-00007", vid=0x144d)),
                       ("another vendor's drive with Intel's name", id_ctrl(vid=0x144d)),
                       ("QEMU's drive", id_ctrl(model="QEMU NVMe Ctrl", vid=0x8086)),
                       ("Intel's client drive", id_ctrl(model="INTEL SSDPEKNW010T8"))):
    host = Host(simulated=True).drive(id_ctrl=identity, log_ca=intel_smart((0xab, 100, 0)), log_c1=v4({1: 1}), log_dd=b"x" * 512)
    for verb in verbs:
        r, sent = trace_of("intel", verb, "nvme0", "-o", "json", *MORE.get(verb, []), host=host)
        tap.result(r.code == 7 and r.json["error"]["code"] == "unsupported" and {c["opcode"] for c in sent} <= {6},
                   f"{name}: intel {verb} asks who it is and nothing else", r, sent)
    for words in (["smart", "nvme0"], ["show", "nvme0"], ["log", "list", "nvme0"], ["check", "--allow-simulated"]):
        r, sent = trace_of(*words, "-o", "json", host=host)
        asked = [hex(c["cdw10"] & 0xff) for c in sent if c["opcode"] in (2, 10) and c["cdw10"] & 0xff >= 0xc0]
        tap.result(not asked and not [k for k in r.drive if k.startswith(("intel", "market", "ocp"))],
                   f"{name}: {' '.join(words)} asks nothing of a vendor", asked, r)
    tap.equal(entries(host), 3, f"{name}: no new entry in the error log")

# --- both words, one table ---
host = lab("p3700", "p3600", "p4510", "p4610", "p4800x", "oem-p4510", "p3608", "p5520")
for verb in verbs:
    drive = "nvme5" if verb in MORE else "nvme2"
    a, b = (run(word, verb, drive, "-o", "json", *MORE.get(verb, []), host=host) for word in ("intel", "solidigm"))
    tap.equal([a.code, a.json["drives"]], [b.code, b.json["drives"]], f"intel {verb} and solidigm {verb} are the same")
    tap.result(a.code in ((4,) if verb == "workload-reset" else (0, 1, 7)), f"intel {verb} of a P4510: shown, refused by the drive, or no such page", a)

# --- latency ---
r = run("intel", "latency", "nvme3", "-o", "json", host=host)
write = r.drive["latency"]["write"]
tap.equal([write["p50_us"], write["p90_us"], write["max_us"], write["commands"]], [7, 11, None, 1403621566 + 4210 + 27 + 1],
          "the histogram of nvme-cli issue 806: the median is where the reporter's own measurement has it")
tap.equal([b["count"] for b in write["buckets"]][:3], [27926401, 70933315, 129010370], "its buckets")
r = run("intel", "latency", "nvme3", "nvme1", host=host)
tap.result("p99.9" in r.out and "##########" in r.out and "16.65 s .." in r.out, "text: percentiles and bars", r.out)
wide = max((line for line in r.out.splitlines() if " .. " in line), key=len)
tap.result(len(wide) <= 80, "text: the bars fit into a terminal of 80 columns", wide)
longest = max(len(line) for line in r.out.splitlines())
tap.result(longest <= 100, "text: no line is longer than a wide terminal", longest)
tap.result("no commands counted" in run("intel", "latency", "nvme0", host=host).out, "an empty histogram says why")
# Many buckets are drawn by doublings; what is there is seen, and nothing is lost.
many = Host(simulated=True).drive(log_c1=v4({i: 3 for i in range(1216)}), log_c2=v4({0: 1000000, 1: 1}))
text = run("intel", "latency", "nvme0", host=many).out
rows = [line for line in text.splitlines() if " .. " in line]
tap.result(len(rows) == 27 and sum(int(line.split()[-2]) for line in rows[:-2]) == 3 * 1216, "1216 buckets in 25 rows", rows)
tap.result(rows[-1].endswith("#") and not rows[-1].endswith("##"), "one in a million still has a mark", rows[-1])
for missing, other in (("c1", "c2"), ("c2", "c1")):
    one = Host(simulated=True).drive(**{f"log_{other}": v4({5: 10})})
    r = run("intel", "latency", "nvme0", "-o", "json", host=one)
    key, there = ("read", "write") if missing == "c1" else ("write", "read")
    tap.equal([r.code, r.drive["latency"][key], r.drive["latency"][there]["p50_us"]], [0, None, 6], f"{missing}h missing: null, the other is shown")
r = run("intel", "latency", "nvme0", "-o", "json", host=Host(simulated=True).drive())
tap.result(r.code == 1 and r.json["error"]["nvme_status"]["hex"] == "0x4109", "both missing: refused by the drive", r)

# Optane clears its histograms when they are read: nothing is sent, by anybody.
for words in (["intel", "latency", "nvme4"], ["log", "get", "nvme4", "latency-read"], ["log", "get", "nvme4", "0xc2"]):
    r, sent = trace_of(*words, "-o", "json", host=host)
    tap.result(r.code == 4 and all(c["opcode"] == 6 or not c["sent"] for c in sent), f"{' '.join(words)}: refused, nothing sent", r, sent)
for words in (["show", "nvme4"], ["smart", "nvme4"], ["check", "--allow-simulated"], ["log", "list", "nvme4"],
              ["capture", "nvme4", "--to", os.path.join(TMP, "optane")]):
    r, sent = trace_of(*words, host=host)
    tap.result(not [c for c in sent if c["opcode"] == 2 and c["cdw10"] & 0xff in (0xc1, 0xc2)], f"{' '.join(words[:2])} does not read them", sent)
with open(os.path.join(host, "nvme4", "log-c1.bin"), "rb") as f:
    tap.result(any(f.read()[4:]), "and they are all still there")
# With --clearing and a yes they are read: once each, in one command, and what was read is kept.
for words, code in ((["--clearing"], 4), (["--clearing", "--dry-run"], 0), (["--yes"], 4)):
    r, sent = trace_of("intel", "latency", "nvme4", *words, host=host)
    tap.result(r.code == code and not [c for c in sent if c["opcode"] == 2 and c["sent"]], f"{words}: {code}, nothing sent", r, sent)
with open(os.path.join(host, "nvme4", "log-c1.bin"), "rb") as f:
    page = f.read()
r, sent = trace_of("intel", "latency", "nvme4", "nvme3", "--clearing", "--yes", "-o", "json", host=host)
optane, nand = (next(d for d in r.json["drives"] if d["device"] == n)["latency"] for n in ("nvme4", "nvme3"))
tap.equal([r.code, [(c["cdw10"] & 0xff, c["data_len"]) for c in sent if c["opcode"] == 2 and c["device"] == "nvme4"]], [0, [(0xc1, 4876), (0xc2, 4876)]],
          "--clearing --yes: each read once, at the longest there is")
tap.equal([[b["count"] for b in optane["read"]["buckets"]], optane["read"]["average_us"], optane["read"]["commands"]],
          [list(struct.unpack_from("<8Q", page, 4)), struct.unpack_from("<Q", page, 68)[0], sum(struct.unpack_from("<8Q", page, 4))], "its counts")
tap.equal(bytes.fromhex(optane["read_hex"]), page.rstrip(b"\0"), "and its bytes, which the drive no longer has")
tap.equal([nand["read_hex"], nand["write"]["p50_us"]], [None, 7], "another drive keeps its page, and its bytes are not needed")
with open(os.path.join(host, "nvme4", "log-c1.bin"), "rb") as f:
    tap.result(not any(f.read()[4:]), "the simulated drive has cleared it")
r = run("intel", "latency", "nvme4", "--clearing", "--yes", "-o", "json", host=host).drive["latency"]["read"]
tap.equal([r["commands"], r["average_us"], r["p50_us"]], [0, None, None], "of no commands there is no average")


def optane_host(faults=(), mode=True, **pages):
    model = id_ctrl(model="INTEL SSDPED1K375GA", firmware="E2010325", ver=0)
    return Host(simulated=mode).drive(id_ctrl=model, drive_json={"faults": list(faults), "clear_on_read": {"0xc1": 4, "0xc2": 4}},
                                      **{"log_c1": page, "log_c2": page, **pages})


for fault in ({"errno": "EINTR"}, {"errno": "EAGAIN"}, {"lost": "EINTR"}):
    r, sent = trace_of("intel", "latency", "nvme0", "--clearing", "--yes", "-o", "json", host=optane_host([{"opcode": 2, "lid": 0xc1, "count": 0, **fault}]))
    tap.result(r.code in (1, 3) and len([c for c in sent if c["opcode"] == 2]) == 1 and "may have cleared" in r.drive["error"]["hint"],
               f"{fault}: not read a second time, and it says what may have become of it", r, sent)
r = run("intel", "latency", "nvme0", "--clearing", "--yes", "-o", "json", host=optane_host([{"opcode": 2, "lid": 0xc2, "errno": "EIO"}]))
tap.result(r.code == 1 and r.drive["latency"]["read"]["commands"] and r.drive["latency"]["read_hex"] and r.drive["latency"]["write"] is None,
           "the second one fails: what was read of the first is shown", r)
unknown = struct.pack("<HH", 1001, 0) + bytes(range(1, 60))
r = run("intel", "latency", "nvme0", "--clearing", "--yes", "-o", "json", host=optane_host(log_c1=unknown))
tap.equal([r.code, r.drive["latency"]["read"]["commands"], r.drive["latency"]["read_hex"]], [0, None, unknown.hex()], "of an unknown version the bytes remain")
tap.result("01 02 03 04" in run("intel", "latency", "nvme0", "--clearing", "--yes", host=optane_host(log_c1=unknown)).out, "in text, too")
r = run("intel", "latency", "nvme0", "-o", "json", host=optane_host(mode=False))
tap.result(r.code == 0 and r.drive["latency"]["read"]["commands"] and r.drive["latency"]["read_hex"] is None, "a recording of them stays, and is just read", r)
tap.equal(run("intel", "latency", "nvme0", "--clearing", host=optane_host(mode=False)).code, 0, "with --clearing as well")

r = run("intel", "latency-limits", "nvme4", "-o", "json", host=host).drive
tap.equal(r["latency_limits_read"]["limits_us"], [0, 10, 20, 50, 100, 200, 500, 1000], "its buckets' limits (feature F7h)")

# --- temperature ---
published = {"current_celsius": 38, "highest_celsius": 46, "lowest_celsius": 23, "maximum_celsius": 85, "minimum_celsius": 0,
             "offset_celsius": -5}
one = Host(simulated=True).drive(log_c5=vector("c5_p3700_isdct_layout112.bin"), log_ca=vector("ca_telegraf_A.bin"))
for words in (["intel", "temperature", "nvme0"], ["smart", "nvme0"], ["log", "get", "nvme0", "temperature"]):
    got = run(*words, "-o", "json", host=one).drive["intel_temperature"]
    tap.equal({k: got[k] for k in published}, published, f"isdct's temperatures of a P3700: {' '.join(words)}")

# --- endurance ---
def endurance(attributes, hours=24, used=0, written=0):
    counters = [0, written, 0, 0, 0, 0, hours, 0, 0, 0]
    h = Host(simulated=True).drive(log_02=smart(used=used, counters=counters), log_ca=attributes)
    a = run("smart", "nvme0", "-o", "json", host=h).drive["intel_endurance"]
    b = run("intel", "endurance", "nvme0", "-o", "json", host=h).drive["intel_endurance"]
    tap.equal(a, b, "smart and intel endurance say the same")
    return a


UNIT = 32 << 20
e = endurance(intel_smart((0xf4, 100, 300), (0xf5, 100, 200)), hours=48, written=1000)
tap.equal([e["write_amplification"], e["host_written_bytes_per_day"], e["nand_written_bytes_per_day"]],
          [1.5, 1000 * 512000 // 2, 300 * UNIT // 2], "write amplification and bytes per day")
e = endurance(intel_smart((0xf4, 100, 300)))
tap.equal([e["write_amplification"], e["nand_written_bytes_per_day"]], [None, 300 * UNIT], "F5h is not there: no amplification")
e = endurance(intel_smart((0xf4, 100, 300), (0xf5, 100, 0)))
tap.equal(e["write_amplification"], None, "nothing written by the host: no amplification")
# 10.24 / 1024 = 0.01 % in a day: 10,000 days.
e = endurance(intel_smart((0xe2, 100, 1024), (0xe3, 100, 70), (0xe4, 100, 100 * 1440)), used=40)
tap.equal([round(e[k], 6) for k in ("workload_wear_percent", "wear_percent_per_day", "life_years", "years_left")],
          [1.0, 0.01, round(10000 / 365, 6), round(6000 / 365, 6)], "1 % in 100 days lasts 10,000 days, 60 % of it 6,000")
tap.equal([e["workload_minutes"], e["note"]], [144000, None], "and there is nothing to note")
e = endurance(intel_smart((0xe2, 100, 1024), (0xe4, 100, 1440)), used=120)
tap.equal(e["years_left"], 0, "worn beyond what was rated: nothing is left, and not less")
for name, attributes, words in (("no data yet", ((0xe2, 100, 65535), (0xe3, 100, 65535), (0xe4, 100, 65535)), "60 minutes"),
                                ("59 minutes", ((0xe2, 100, 5), (0xe4, 100, 59)), "60 minutes"),
                                ("no wear", ((0xe2, 100, 0), (0xe4, 100, 1000)), "no wear"),
                                ("no timed workload", ((0xab, 100, 0),), "does not report")):
    e = endurance(intel_smart(*attributes))
    tap.result(e["life_years"] is None and e["years_left"] is None and words in e["note"], f"{name}: no estimate, and a note why", e)
e = endurance(intel_smart((0xe2, 100, 5), (0xe4, 100, 60)))
tap.result(e["life_years"] > 0, "60 minutes are enough", e)
for name, per_day, life in (("ca_telegraf_A.bin", 133 / 1024 / 1612952 * 1440, 1612952 / 1440 / 365 * 102400 / 133),
                            ("ca_telegraf_B.bin", 552 / 1024 / 2343038 * 1440, 2343038 / 1440 / 365 * 102400 / 552)):
    e = endurance(vector(name))
    tap.equal([round(e["wear_percent_per_day"], 12), round(e["life_years"], 6)], [round(per_day, 12), round(life, 6)], f"{name}: wear per day and life")
e = endurance(vector("ca_cachelib_p3600.bin"))
tap.equal(round(e["write_amplification"], 6), round(224943088 / 172365270, 6), "a P3600 of CacheLib: write amplification")

# --- features ---
got = run("intel", "power-governor", "nvme0", "-o", "json", host=host).drive["power_governor"]
tap.equal(got, {"mode": 0, "limit_watts": 25}, "isdct: PowerGovernorMode 0 (25W)")
got = run("intel", "power-governor", "nvme6", "-o", "json", host=host).drive["power_governor"]
tap.equal(got, {"mode": 0, "limit_watts": 40}, "isdct: 0 40W for 8 Lane Slot power")
got = run("intel", "max-lba", "nvme6", "-o", "json", host=host).drive
tap.equal([got["max_lba"]["last_lba"], got["native_max_lba"]["last_lba"]], [3125623327, 3907029167], "isdct: MaximumLBA, NativeMaxLBA")
got = run("intel", "smbus-address", "nvme6", "-o", "json", host=host).drive["smbus_address"]["address"]
tap.equal(got, 106, "isdct: SMBusAddress 106")
tap.equal([run("intel", "latency-tracking", n, "-o", "json", host=host).drive["latency_tracking"]["enabled"] for n in ("nvme0", "nvme3")],
          [False, True], "latency tracking")
big = Host(simulated=True).drive(id_ns_1=id_ns(nsze=30005842608), drive_json={"features": {"0xc1": 30005842607 % 2**32, "0xc2": 30005842607}})
got = run("intel", "max-lba", "nvme0", "-o", "json", host=big).drive
tap.equal([got["max_lba"]["last_lba"], got["native_max_lba"]["last_lba"]], [None, 30005842607],
          "a last LBA without its upper half is not known; with it, it is")

# --- features that are set: what `feature set` does ---
for words, feature, cdw11, key, after in ((["latency-tracking", "nvme0", "on"], 0xe2, 1, "latency_tracking", {"enabled": True}),
                                          (["latency-tracking", "nvme0", "off"], 0xe2, 0, "latency_tracking", {"enabled": False}),
                                          (["power-governor", "nvme0", "20"], 0xc6, 1, "power_governor", {"mode": 1, "limit_watts": 20}),
                                          (["power-governor", "nvme0", "10W"], 0xc6, 2, "power_governor", {"mode": 2, "limit_watts": 10}),
                                          (["power-governor", "nvme0", "1"], 0xc6, 1, "power_governor", {"mode": 1, "limit_watts": 20}),
                                          (["power-governor", "nvme0", "0x0"], 0xc6, 0, "power_governor", {"mode": 0, "limit_watts": 25}),
                                          (["power-governor", "nvme6", "40"], 0xc6, 0, "power_governor", {"mode": 0, "limit_watts": 40})):
    name = " ".join(words)
    for more, code in (([], 4), (["--dry-run"], 0)):
        r, sent = trace_of("intel", *words, *more, "-o", "json", host=host)
        tap.result(r.code == code and not sets(sent), f"{name} {more}: {code}, nothing set", r)
    before = run("intel", *words[:2], "-o", "json", host=host).drive[key]
    r, sent = trace_of("intel", *words, "--yes", "-o", "json", host=host)
    f = r.drive["feature"]
    tap.result(r.code == 0 and [c["cdw11"] for c in sets(sent)] == [cdw11] and sets(sent)[0]["cdw10"] == feature and r.drive[key] == after and
               f["result"] == "done" and f["verified"] and f["name"] == words[0], f"{name}: set once, and read back", r, sent)
    tap.equal([f["before"] & 0xff, f["value"]], [before.get("mode", before.get("enabled")), cdw11], f"{name}: old and new")
    tap.equal(run("intel", *words[:2], "-o", "json", host=host).drive, {**r.drive, "feature": None}, f"{name}: so it is now, and looking sets nothing")
for words in (["latency-tracking", "nvme0", "yes"], ["latency-tracking", "nvme0", "nvme1"], ["power-governor", "nvme0", "40"], ["power-governor", "nvme0", "3"],
              ["power-governor", "nvme0", "25x"], ["power-governor", "nvme0", "2W"], ["power-governor", "nvme0", ""], ["workload-reset", "nvme0", "1"]):
    r, sent = trace_of("intel", *words, "--yes", host=host) if words[0] != "workload-reset" else (run("intel", *words, "--yes", host=host), [])
    tap.result(r.code == 2 and not sets(sent), f"{words}: usage, nothing set", r)
r = run("intel", "power-governor", "nvme0", "40", "--yes", host=host)
tap.result("25, 20, 10" in r.err, "and it says which limits there are", r)
lying = Host(simulated=True).drive(drive_json={"features": {"0xe2": 0, "0xe2/0x00000000": 0}})
r = run("intel", "latency-tracking", "nvme0", "on", "--yes", "-o", "json", host=lying)
tap.result(r.code == 1 and r.json["error"]["code"] == "unverified" and r.drive["feature"]["verified"] is False, "accepted, and read back otherwise: 1", r)
none = Host(simulated=True).drive(id_ctrl=id_ctrl(model="INTEL SSDPEK1A058GA", firmware="U5110550"))
for words in (["latency-tracking", "nvme0", "on"], ["power-governor", "nvme0", "20"], ["workload-reset", "nvme0"]):
    r, sent = trace_of("intel", *words, "--yes", "-o", "json", host=none)
    tap.result(r.code == 7 and {c["opcode"] for c in sent} == {6}, f"{words}: a product line without it is sent nothing", r, sent)
    r, sent = trace_of("intel", *words, "--yes", "-o", "json", host=Host().drive(drive_json={"features": {"0xe2": 0, "0xc6": 0}}))
    tap.result(r.code == 7 and not sets(sent), f"{words}: a recorded host answers reads only", r)
r, sent = trace_of("intel", "workload-reset", "nvme6", host=host)
tap.result(r.code == 4 and not sets(sent), "workload-reset asks first", r)
r, sent = trace_of("intel", "workload-reset", "nvme6", "--yes", "-o", "json", host=host)
tap.result(r.code == 0 and [(c["cdw10"], c["cdw11"]) for c in sets(sent)] == [(0xd5, 1)] and r.drive["feature"]["verified"] is None and
           r.drive["feature"]["result"] == "done" and 10 not in {c["opcode"] for c in sent}, "workload-reset: set, and nothing is there to read back", r, sent)
after = run("smart", "nvme6", "-o", "json", host=host).drive["intel_smart"]
tap.equal([after["timed_workload_media_wear"]["percent"], after["timed_workload_timer"]["minutes"], after["wear_leveling"]["max"]], [None, None, 48],
          "the simulated drive has no timed workload then, and all else as before")

# --- internal log: layouts as nvme-cli's plugins/intel has them ---
def data(n, seed=0):
    return bytes((i * 7 + (i >> 8) + seed) & 0xff for i in range(n))


def vu_header(major, minor, size=0x400, cores=0, records=b""):
    return (struct.pack("<HHIII", major, minor, 0x400, size, cores) + records).ljust(4096, b"\0")


def nlog(n, cores, length, body):
    return (struct.pack("<HHIIIII", 2, 0, 0, n, 0, 0x4e4c4f47, length) + struct.pack("<III", 0, 1000, cores)).ljust(4096, b"\xee") + body


def internal_log(h, *words):
    path = os.path.join(TMP, f"dump{internal_log.count}")
    internal_log.count += 1
    r, sent = trace_of("intel", "internal-log", "nvme0", "--to", path, "-o", "json", *words, host=h)
    try:
        with open(path, "rb") as f:
            return r, sent, f.read()
    except FileNotFoundError:
        return r, sent, None


internal_log.count = 0
old = data(0x501 * 4)
h = Host(simulated=True).drive(dump_00=vu_header(1, 1, 0x901) + old)
r, sent, got = internal_log(h)
tap.result(r.code == 0 and got == vu_header(1, 1, 0x901) + old, "P3700: one nlog of version 1.1, whole", r)
tap.equal([r.drive["internal_log"][k] for k in ("kind", "version_major", "version_minor", "size_bytes")], ["nlog", 1, 1, 0x901 * 4], "and what it is")
asked = [c for c in sent if c["opcode"] == 0xd2]
tap.equal([(c["cdw10"], c["cdw12"], c["cdw13"], c["data_len"], c["nsid"]) for c in asked],
          [(0x400, 0, 0, 4096, 2**32 - 1), (0x400, 0, 0x400, 4096, 2**32 - 1), (0x101, 0, 0x800, 0x404, 2**32 - 1)], "in pieces of 4 KiB, none twice")
pages = {f"dump_00_c{c}_n{n}": nlog(3, 2, 4 * (900 + 500 * n + c), data(4 * (900 + 500 * n + c), n + 3 * c)) for c in (0, 1) for n in (0, 1, 2)}
r, sent, got = internal_log(Host(simulated=True).drive(**pages))
tap.equal([r.code, r.drive["internal_log"]["pieces"]], [0, 6], "P4510: three nlogs of two cores")
tap.result(got == b"".join(pages[f"dump_00_c{c}_n{n}"][:76] + pages[f"dump_00_c{c}_n{n}"][4096:] for c in (0, 1) for n in (0, 1, 2)), "head and data of each, in order")
tap.result({c["cdw12"] for c in sent if c["opcode"] == 0xd2} == {n << 5 | c << 3 for c in (0, 1) for n in (0, 1, 2)}, "chosen by CDW12", sent)
body = data(0x502 * 4)
records = b"".join(struct.pack("<IIBBH", *row) for row in ((0x400, 0x402, 1, 1, 0), (0x400, 0x10, 1, 0, 0), (0x802, 0x100, 1, 1, 0)))
dump = vu_header(1, 1, cores=3, records=records) + body
r, sent, got = internal_log(Host(simulated=True).drive(dump_02=dump), "--log", "assert")
tap.result(r.code == 0 and got == dump and r.drive["internal_log"]["pieces"] == 2, "assert log: the cores that have one", r)
records = b"".join(struct.pack("<III", 1, size, at).ljust(92, b"\0") for size, at in ((0x402, 0x400), (0x100, 0x802)))
dump = vu_header(2, 0, cores=2, records=struct.pack("<I", 64) + records) + body
r, sent, got = internal_log(Host(simulated=True).drive(dump_01=dump), "--log", "event")
tap.result(r.code == 0 and got == dump and {c["cdw12"] for c in sent if c["opcode"] == 0xd2} == {1}, "event log: all cores", r)

# bug-corpus 84 (nvme-cli issue 703), and what else goes wrong: no file, and the reason.
r, sent, got = internal_log(Host(simulated=True).drive(), "--log", "event")
tap.result(r.code == 7 and got is None and r.json["error"]["code"] == "unsupported" and "not supported" in r.json["error"]["message"] and
           r.json["error"]["nvme_status"]["hex"] == "0x4002" and len([c for c in sent if c["opcode"] == 0xd2]) == 1, "bug 84: 0x4002 is not supported, asked once", r)
for status, code in (("0x4001", 7), ("0x0006", 1)):
    r, sent, got = internal_log(Host(simulated=True).drive(dump_00=vu_header(1, 1, 0x500), drive_json={"faults": [{"opcode": 0xd2, "status": status}]}))
    tap.result(r.code == code and got is None, f"{status}: {code}, no file", r)
for name, fault, code in (("refused on the way", {"nth": 2, "status": "0x4002"}, 1), ("a short answer", {"nth": 2, "short": 100}, 1),
                          ("an answer without data", {"nth": 1, "untouched": True}, 1), ("gone", {"nth": 2, "errno": "ENODEV"}, 3)):
    r, sent, got = internal_log(Host(simulated=True).drive(dump_00=vu_header(1, 1, 0x901) + old, drive_json={"faults": [{"opcode": 0xd2, **fault}]}))
    tap.result(r.code == code and got is None and r.drive["internal_log"] is None, f"{name}: {code}, no file", r)
for name, pages in (("a size below the header", {"dump_00": vu_header(1, 1, 5)}), ("all zero", {"dump_00": bytes(4096)}), ("a size of 16 GB", {"dump_00": vu_header(1, 1, 2**32 - 1)}),
                    ("no nlog", {"dump_00": nlog(0, 2, 8, b"")}), ("257 nlogs", {"dump_00": nlog(257, 2, 8, b"")}), ("5 cores", {"dump_00": nlog(1, 5, 8, b"")})):
    r, sent, got = internal_log(Host(simulated=True).drive(**pages))
    tap.result(r.code == 1 and got is None and r.json["error"]["code"] == "unverified" and len([c for c in sent if c["opcode"] == 0xd2]) <= 2, f"{name}: no file", r)
r = run("intel", "internal-log", "nvme0", "--log", "assert", "--to", FILE, "-o", "json",
        host=Host(simulated=True).drive(dump_02=vu_header(2, 0, cores=341)))
tap.result(r.code == 1 and not os.path.exists(FILE), "more cores than the header has room for", r)
tap.equal(run("intel", "internal-log", "nvme0", host=h).code, 2, "no --to")
with open(FILE, "w", encoding="utf-8") as f:
    f.write("evidence")
r = run("intel", "internal-log", "nvme0", "--to", FILE, host=h)
with open(FILE, encoding="utf-8") as f:
    tap.result(r.code == 1 and f.read() == "evidence", "a file that is there stays", r)
os.unlink(FILE)
tap.equal([n for n in os.listdir(TMP) if n.startswith(".")], [], "and nothing is left behind")
r, sent, got = internal_log(Host().drive())
tap.result(r.code == 7 and "recording" in r.json["error"]["hint"], "a recording does not have it", r)
r, sent = trace_of("solidigm", "internal-log", "nvme8", "--to", FILE, host=host)
tap.result(r.code == 7 and "no table" in r.err and {c["opcode"] for c in sent} == {6}, "a Solidigm drive of later lines: nothing asked, and the reason", r)
for model, logs in (("p3700", 3), ("p4610", 3), ("oem-p4510", 0), ("p4800x", 0)):
    where = lab(model)
    tap.equal(sum(internal_log(where, "--log", log)[0].code == 0 for log in ("nlog", "event", "assert")), logs, f"sim create {model}: {logs} internal logs")
# The guard knows it as a read with what only chooses what is read; anything else of the opcode is not.
for more, code in (([], 0), (["--cdw12", "0x1fff"], 1), (["--cdw12", "0x2000"], 4), (["--cdw12", "0x4000"], 4), (["--cdw11", "1"], 4), (["--cdw14", "1"], 4)):
    r = run("passthru", "admin", "nvme0", "--opcode", 0xd2, "--nsid", 0xffffffff, "--cdw10", 4, "--data-len", 16, "--read", *more, host=h)
    tap.equal(r.code, code, f"passthru of D2h {more}: {code}")
for drive, opcode in ((id_ctrl(), 0xd6), (id_ctrl(), 0xc8), (id_ctrl(vid=0x144d), 0xd2), (id_ctrl(model="SOLIDIGM SSDPF2KX038T1", vid=0x25e), 0xd2)):
    r = run("passthru", "admin", "nvme0", "--opcode", opcode, "--cdw10", 4, "--data-len", 16, "--read", host=Host(simulated=True).drive(id_ctrl=drive, dump_00=bytes(4096)))
    tap.equal(r.code, 4, f"passthru of {opcode:02X}h on {drive[24:50].decode().strip()}: not without the serial number")

# --- product ---
p = run("show", "nvme6", "-o", "json", host=host).drive["intel_product"]
tap.equal([p["series"], p["sold_as"], p["card_controllers"], p["card_devices"], p["last_lba"], p["power_limit_watts"], p["latency_tracking"]],
          ["Intel SSD DC P3608 Series", "Cray", 2, ["nvme6", "nvme7"], 3125623327, 40, False], "show of a P3608: one card of two controllers")
tap.equal(p["rated"]["sequential_read_mb_per_s"], 5000, "and what was published of the card")
tap.equal(run("intel", "product", "nvme6", "-o", "json", host=host).drive["intel_product"], p, "intel product says the same")
r = run("list", "-o", "json", host=host)
tap.equal([d["card_devices"] for d in r.json["drives"]], [None] * 6 + [["nvme6", "nvme7"]] * 2 + [None], "list tells a card of two controllers, and no other")
lines = [line for line in run("list", host=host).out.splitlines() if "one card with" in line]
tap.result(len(lines) == 2 and "one card with nvme7" in lines[0] and "one card with nvme6" in lines[1], "list, in words", lines)
p = run("show", "nvme0", "-o", "json", host=host).drive
tap.equal([p["market_name"]["name"], p["intel_controller"]["boot_loader"], p["intel_controller"]["link_width"], p["intel_product"]["card_devices"]],
          ["Intel SSD DC P3700 Series", "8B1B012E", 4, None], "show of a P3700: marketing name, boot loader, link")
renamed = Host(simulated=True).drive(id_ctrl=id_ctrl(model="MO001600KWVNB", ssvid=0x1590, firmware="VDV1HP01"), log_ca=intel_smart((0xab, 99, 4)),
                                     drive_json={"sysfs": {"vendor": "0x8086", "device": "0x0a54", "subsystem_vendor": "0x1590",
                                                           "subsystem_device": "0x0260"}})
d = run("smart", "nvme0", "-o", "json", host=renamed).drive
tap.equal([d["family"], d["intel_smart"]["program_fail_count"]["raw"]], ["Intel SSD DC P4510/P4610", 4], "a renamed drive is known by its PCI ids")
tap.equal(run("list", "-o", "json", host=renamed).drive["family"], "Intel SSD DC P4510/P4610", "in list, too, before any command")

# --- a refused page ---
for words in (["smart", "nvme5"], ["show", "nvme5"]):
    before = entries(host, "nvme5")
    r, sent = trace_of(*words, "-o", "json", host=host)
    refused = [c for c in sent if c["status"]]
    tap.result(r.code == 0 and r.drive["ok"] and r.drive["smart"]["temperature_celsius"] == 41, f"OEM drive: {words[0]} shows the standard health", r)
    tap.result(len(refused) <= 1 and entries(host, "nvme5") - before <= 1, f"OEM drive: {words[0]} asks for one vendor page at most", refused)
d = run("smart", "nvme5", "-o", "json", host=host).drive
tap.equal([d["intel_smart"], d["intel_temperature"]], [None, None], "OEM drive: refused pages are null")
# A page that times out or fails is not a drive without pages; the rest is still there.
failing = Host(simulated=True).drive(log_c5=vector("c5_p3700_isdct_layout112.bin"), drive_json={"faults": [{"opcode": "0x02", "lid": "0xca", "count": 0, "errno": "EIO"}]})
d = run("smart", "nvme0", "-o", "json", host=failing)
tap.result(d.code == 1 and d.drive["smart"]["percentage_used"] == 1 and d.drive["intel_smart"] is None and
           d.drive["intel_temperature"]["current_celsius"] == 38, "CAh fails in the host: health and the other page are whole", d)

# --- pages of later drives ---
d = run("smart", "nvme8", "-o", "json", host=host).drive
tap.equal([d["family"], d["ocp_smart"]["free_blocks_percent"], d["intel_smart"]["bad_tlp_count"]["raw"], d["intel_smart"]["pcie_crc_error_count"]],
          ["Solidigm D7-P5520", 100, 4, None], "smart of a P5520: OCP's page at C0h, bad TLPs in CAh")
listed = {(e["lid"], e["name"]) for e in run("log", "list", "nvme8", "-o", "json", host=host).drive["logs"] if e["vendor"]}
tap.result({(0xc0, "ocp-smart"), (0xcb, "queues"), (0xf2, "power"), (0xf9, "workload"), (0xfd, "garbage-collection"), (0xfe, "outliers")} <= listed,
           "log list names them", listed)
# As long as the version at its beginning says: from 4.8 on there is an average behind the 1216 buckets.
tap.equal([os.path.getsize(os.path.join(host, "nvme8", f"log-{lid}.bin")) for lid in ("c1", "c2")], [4876, 4876],
          "histograms of a simulated P5520, version 4.8, have room for the average")
tap.equal(run("solidigm", "power", "nvme8", "-o", "json", host=host).drive["intel_power"]["total_watts"], 6.42, "power")

# --- documents hold nothing that is not JSON ---
for verb in verbs:
    for name in ("nvme0", "nvme4", "nvme5", "nvme8"):
        r = run("intel", verb, name, "-o", "json", *(["--to", os.path.join(TMP, f"whole-{name}")] if verb in MORE else []), host=host)
        tap.result(json.loads(r.out)["exit"] == r.code and r.code in (0, 1, 4, 7), f"intel {verb} {name}: one document", r)
sys.exit(tap.end())
