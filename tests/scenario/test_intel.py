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


verbs = [line.split()[0] for line in run("intel", "--help").out.split("\nVerbs\n")[1].split("\n\n")[0].splitlines()]

# --- a foreign drive never gets a vendor command ---
for name, identity in (("another vendor's drive", id_ctrl(model="SAMSUNG MZQLB960HAJR-00007", vid=0x144d)),
                       ("another vendor's drive with Intel's name", id_ctrl(vid=0x144d)),
                       ("QEMU's drive", id_ctrl(model="QEMU NVMe Ctrl", vid=0x8086)),
                       ("Intel's client drive", id_ctrl(model="INTEL SSDPEKNW010T8"))):
    host = Host(simulated=True).drive(id_ctrl=identity, log_ca=intel_smart((0xab, 100, 0)), log_c1=v4({1: 1}), log_dd=b"x" * 512)
    for verb in verbs:
        r, sent = trace_of("intel", verb, "nvme0", "-o", "json", host=host)
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
    a, b = (run(word, verb, "nvme2", "-o", "json", host=host) for word in ("intel", "solidigm"))
    tap.equal([a.code, a.json["drives"]], [b.code, b.json["drives"]], f"intel {verb} and solidigm {verb} are the same")
    tap.result(a.code in (0, 1, 7), f"intel {verb} of a P4510: shown, refused by the drive, or no such page", a)

# --- latency ---
r = run("intel", "latency", "nvme3", "-o", "json", host=host)
write = r.drive["latency"]["write"]
tap.equal([write["p50_us"], write["p90_us"], write["max_us"], write["commands"]], [7, 11, None, 1403621566 + 4210 + 27 + 1],
          "the histogram of nvme-cli issue 806: the median is where the reporter's own measurement has it")
tap.equal([b["count"] for b in write["buckets"]][:3], [27926401, 70933315, 129010370], "its buckets")
r = run("intel", "latency", "nvme3", "nvme1", host=host)
tap.result("p99.9" in r.out and "##########" in r.out and "16.65 s .." in r.out, "text: percentiles and bars", r.out)
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
tap.equal(run("solidigm", "power", "nvme8", "-o", "json", host=host).drive["intel_power"]["total_watts"], 6.42, "power")

# --- documents hold nothing that is not JSON ---
for verb in verbs:
    for name in ("nvme0", "nvme4", "nvme5", "nvme8"):
        r = run("intel", verb, name, "-o", "json", host=host)
        tap.result(json.loads(r.out)["exit"] == r.code and r.code in (0, 1, 4, 7), f"intel {verb} {name}: one document", r)
sys.exit(tap.end())
