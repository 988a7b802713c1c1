# SPDX-License-Identifier: MIT
"""Boot "serve_intel": Intel's pages of served drives, as nvme-cli's plugin and as ssdct say them; later.py has more of it.

Values are equal, or different for a reason that is known; REASONS says which of the two is right. Neither is the measure of
the other: what both must say is computed here from the bytes of the page, as `nvme get-log` brings them, once in the way
that the layout's sources (plugins/intel) have it and once in nvme-cli's. So a difference that goes away is noticed as well.
"""
import re
import struct

# What is said differently: who is right, and why.
REASONS = {
    "position": "ssdct: an attribute is found by its key; theirs (JSON) is what lies at the place where another drive has it",
    "absent": "ssdct: the page has no such key (00h), so it is not reported; theirs (JSON) goes by position and prints 0",
    "no data": "ssdct: 65535 means that the timed workload has no data yet: no percentage, no minutes",
    "parts": "ssdct: key ADh is three numbers of 16 bits, EAh one of 8 and one of 32; theirs (text) is all of it as one",
    "unit": "ssdct: F4h and F5h count 32 MiB, E2h 1/1024 %; theirs (text) is the raw number without a unit",
    "bad TLP": "ssdct: C7h counts bad TLPs on a drive that has E7h or E8h (nvme-cli issue 3081); theirs calls it CRC errors",
    "twenty": "ssdct: the page has room for 42 entries; theirs (text) ends after 20 and says nothing of the rest",
    "unnamed": "ssdct: keys of later drives have names; theirs (text) prints Invalid ID",
    "offset": "ssdct: the offset is at byte 104, signed (SPDK, illumos; isdct says -5); theirs is byte 96, the minimum",
    "middle": "ssdct: version 4 groups begin at powers of two; from bucket 128 on theirs is the middle of a bucket",
    "base": "ssdct: each group of version 3 begins where the one before it ends; theirs is step times the index in the page",
    "pieces": "ssdct: it asks for what one command can bring; theirs wants 4868 bytes in two pieces, the second from an "
              "offset, which drives without extended data refuse, and prints nothing",
    "cleared": "ssdct: what an Optane drive has counted is gone once it is read, so that is refused; theirs is the same "
               "second piece: it has cleared the page by then, and prints nothing",
    "4.8": "ssdct: from version 4.8 on there is an average behind the same buckets; theirs calls the version unsupported",
    "4.0": "ssdct: version 4.0 has 152 buckets, 8 to a doubling; their Intel part takes it for the 1216 of 4.1, their Solidigm "
           "part has the 152, and prints the middle of a bucket for its beginning",
    "aligned": "ssdct: the average stands right behind the buckets, at byte 4868 (illumos asserts the page's 4876); theirs (Solidigm part) is "
               "a struct that is not packed, and reads it four bytes later",
    "one unknown": "ssdct: keys of later drives have names; theirs (Solidigm part, JSON) calls each unknown and keeps the last one",
    "unused": "ssdct: entries of zeros are no events; theirs prints all 100 of the page",
    "no estimate": "ssdct: an endurance estimate of 0 is none",
    "uuid": "ssdct: the drive lists OCP's UUID, so its pages are asked for by that index; theirs gives none, and is refused",
    "directory": "ssdct: page C0h of this line is Intel's directory of pages; theirs wants OCP's GUID in it",
    "D5h": "ssdct: this line has its temperatures at D5h, and at C5h a page of OCP's; theirs knows C5h only, and is refused",
    "not asked": "ssdct: no source says that the line has the page, so nothing is sent; theirs asks, and makes an error in the drive's log",
    "PCI": "ssdct, for safety: a PS1010 is known by its PCI ids, over TCP there are none, and what it does not know gets no vendor "
           "command; theirs asks whatever drive it is given",
}

# nvme-cli's JSON of page CAh by position: their member, the key that is meant, ours.
MEMBERS = (
    ("program_fail_count", 0xab, "program_fail_count"), ("erase_fail_count", 0xac, "erase_fail_count"),
    ("wear_leveling", 0xad, "wear_leveling"), ("end_to_end_error_detection_count", 0xb8, "end_to_end_error_count"),
    ("crc_error_count", 0xc7, "pcie_crc_error_count"), ("timed_workload_media_wear", 0xe2, "timed_workload_media_wear"),
    ("timed_workload_host_reads", 0xe3, "timed_workload_host_reads"), ("timed_workload_timer", 0xe4, "timed_workload_timer"),
    ("thermal_throttle_status", 0xea, "thermal_throttle"), ("retry_buffer_overflow_count", 0xf0, "retry_buffer_overflow_count"),
    ("pll_lock_loss_count", 0xf3, "pll_lock_loss_count"), ("nand_bytes_written", 0xf4, "nand_written"),
    ("host_bytes_written", 0xf5, "host_written"), ("host_ctx_wear_used", 0xf6, "host_context_wear_used"),
    ("perf_stat_indicator", 0xf7, "performance_status_indicator"), ("re_alloc_sectr_cnt", 0x05, "reallocated_sector_count"),
    ("soft_ecc_err_rate", 0x0d, "soft_ecc_error_rate"), ("unexp_power_loss", 0xae, "unexpected_power_loss_count"),
    ("media_bytes_read", 0xf8, "media_read"), ("avail_fw_downgrades", 0xf9, "firmware_downgrades_available"))
# The parts of a value of 48 bits, as they call them and as we do.
PARTS = {0xad: ("<HHH", ("min", "max", "avg"), ("min", "max", "average")), 0xea: ("<BI", ("pct", "cnt"), ("percent", "count"))}
WORKLOAD = {0xe2: "percent", 0xe3: "percent", 0xe4: "minutes"}
NO_DATA = 65535
# Keys that nvme-cli 2.3 has no name for, of those that the served drives have.
UNNAMED = (0xe5, 0xe6, 0xe7, 0xe8, 0xee, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe)
# The lines of temp-stats.
TEMPERATURES = {"Current temperature": "current_celsius", "Highest temperature": "highest_celsius", "Lowest temperature": "lowest_celsius",
                "Max operating temperature": "maximum_celsius", "Min operating temperature": "minimum_celsius"}
DRIVES = {"nvme0": "P3700", "nvme1": "P4510", "nvme2": "P4610", "nvme3": "P4800X", "nvme4": "P5520", "nvme5": "OEM P4510",
          "nvme6": "P5510", "nvme7": "P5316", "nvme8": "P5336", "nvme9": "PS1010"}
# Who refuses nvme-cli a page: firmware of an OEM each of them; lines that have their temperatures elsewhere, or none.
REFUSED = {"any": ("nvme5",), "temp-stats": ("nvme5", "nvme8", "nvme9")}


def number(raw):
    return int.from_bytes(raw, "little")


def known(index, version):
    """Edges of a bucket in us, by the layout's sources; None: open."""
    if version == 3:
        first, start, step = ((0, 0, 32), (32, 1024, 1024), (63, 32768, 32768))[(index >= 32) + (index >= 63)]
        return start + (index - first) * step, start + (index + 1 - first) * step

    def edge(i):
        return i if i < 128 else (64 + i % 64) << (i // 64 - 1)
    return edge(index), edge(index + 1) if index < 1215 else None


def theirs(index, version):
    """The same as nvme-cli 2.3 has it, in its words."""
    def text(us):
        value, unit = (us / 1e6, "s") if us > 1e6 else (us / 1e3, "ms") if us > 1e3 else (us, "us")
        return f"{value:.2f}{unit}"

    def scale(i):
        return i if i < 128 else int((64 + i % 64 + 0.5) * (1 << (i // 64 - 1)))
    if version == 3:
        step = (32, 1024, 32768)[(index >= 32) + (index >= 63)]
        return text(index * step), text((index + 1) * step)
    return text(scale(index)), text(scale(index + 1)) if index < 1215 else "+INF"


class Intel:
    def __init__(self, result):
        self.result = result
        self.table = {}  # (drive, command): [equal, different]
        self.differences = {}  # reason: examples
        self.row = None

    def begin(self, drive, command):
        self.row = self.table.setdefault((drive, command), [0, 0])

    def ours(self, drive, what, key):
        """A PS1010 is known by its PCI ids alone, and has them in the host directory only."""
        drive = f"host-{drive}" if DRIVES[drive] == "PS1010" else drive
        return self.result.json(f"{drive}-ssdct-{what}")["drives"][0].get(key)

    def equal(self, name, their, our):
        self.row[0] += 1
        return [] if their == our and isinstance(their, type(our)) else [f"{name}: {their!r}, but {our!r}"]

    def differ(self, name, pair, expected, reason):
        """Both say what they must say by their own layouts, and that is not the same."""
        self.row[1] += 1
        self.differences.setdefault(reason, {}).setdefault(name, pair)
        if expected[0] == expected[1]:
            return [f"{name}: no difference was expected to be one: {expected}"]
        return [] if pair == expected else [f"{name}: {pair}, but {expected} was known: {REASONS[reason]}"]

    def compare(self, name, pair, expected, reason):
        if expected[0] == expected[1]:
            return self.equal(name, *pair) if pair == expected else [f"{name}: {pair}, but {expected}"]
        return self.differ(name, pair, expected, reason)

    def entries(self, drive):
        page = self.result.files[f"{drive}-nvme-raw.out"]
        return [page[i * 12:i * 12 + 12] for i in range(42)]

    # -- smart-log-add -j --

    def value(self, entry, key):
        """What an entry's bytes are when they are taken for this key's; nvme-cli's numbers in JSON have 32 bits."""
        if key in PARTS:
            return dict(zip(PARTS[key][1], struct.unpack_from(PARTS[key][0], entry, 5)))
        raw = number(entry[5:11])
        return round(raw / 1024, 6) if key == 0xe2 else int.from_bytes(entry[5:9], "little", signed=True)

    def our_value(self, member, key):
        if member is None:
            return None
        if key in PARTS:
            return dict(zip(PARTS[key][1], (member[part] for part in PARTS[key][2])))
        value = member[WORKLOAD[key]] if key in WORKLOAD else member["raw"]
        return round(value, 6) if key == 0xe2 and value is not None else value

    def attributes(self, drive):
        self.begin(drive, "smart-log-add -j")
        said, ours = self.result.json(f"{drive}-nvme-intel")["Device stats"], self.ours(drive, "smart", "intel_smart")
        entries = self.entries(drive)
        by_key = {entry[0]: entry for entry in entries}
        problems = [] if list(said) == [m[0] for m in MEMBERS] else [f"other members: {list(said)}"]
        for place, (their_name, key, our_name) in zip(entries, MEMBERS):
            their = said[their_name]["raw"]
            if key == 0xe2:
                their = round(float(their), 6)
            reason = "absent" if key not in by_key else "position"
            expected = self.value(by_key[key], key) if key in by_key else None
            if key in WORKLOAD and number(by_key[key][5:11]) == NO_DATA:
                expected, reason = None, "no data" if place[0] == key else reason
            if key == 0xc7 and by_key.keys() & {0xe7, 0xe8}:
                problems += self.equal("bad_tlp_count", number(by_key[key][5:11]), ours["bad_tlp_count"]["raw"])
                expected = None
            problems += self.compare(our_name, (their, self.our_value(ours[our_name], key)), (self.value(place, key), expected), reason)
            if key in by_key and place[0] == key and ours[our_name]:
                problems += self.equal(f"{our_name}: normalized", said[their_name]["normalized"], ours[our_name]["normalized"])
        return problems

    # -- smart-log-add --

    def text(self, drive):
        self.begin(drive, "smart-log-add")
        lines = re.findall(r"^0x(\w+) +(\S.*?) +(\d+) +(\d+)$", self.result.text(f"{drive}-nvme-intel-text.out"), re.M)
        said = {int(key, 16): (name, int(normalized), int(raw)) for key, name, normalized, raw in lines}
        members = self.ours(drive, "smart", "intel_smart")
        ours = {m["id"]: m for m in members.values() if isinstance(m, dict)}
        problems = []
        for place, entry in enumerate(self.entries(drive)):
            key, raw = entry[0], number(entry[5:11])
            if not key:
                continue
            if place >= 20:
                problems += self.differ(f"key {key:02X}h", (said.get(key), ours[key]["raw"]), (None, raw), "twenty")
                continue
            problems += self.equal(f"key {key:02X}h", said[key][1:], (ours[key]["normalized"], ours[key]["raw"]))
            problems += [] if ours[key]["raw"] == raw else [f"key {key:02X}h: {ours[key]['raw']}, not {raw}"]
            problems += self.meaning(key, raw, said[key], ours[key])
            if key == 0xc7 and ours.keys() & {0xe7, 0xe8}:
                name = next(n for n, m in members.items() if isinstance(m, dict) and m["id"] == key)
                problems += self.differ("key C7h", (said[key][0], name), ("crc_error_count", "bad_tlp_count"), "bad TLP")
        return problems

    def meaning(self, key, raw, said, ours):
        name = f"key {key:02X}h"
        if key in PARTS and raw:
            layout, _, parts = PARTS[key]
            values = struct.unpack_from(layout, raw.to_bytes(6, "little"))
            return self.differ(name, (said[2], tuple(ours[p] for p in parts)), (raw, values), "parts")
        if key in (0xf4, 0xf5):
            return self.differ(name, (said[2], ours["bytes"]), (raw, raw * 32 * 1024 * 1024), "unit")
        if key == 0xe2 and raw != NO_DATA:
            return self.differ(name, (said[2], ours["percent"]), (raw, raw / 1024), "unit")
        if key in UNNAMED:
            return self.differ(name, (said[0], None), ("Invalid ID", None), "unnamed")
        return []

    # -- temp-stats, market-name --

    def temperatures(self, drive):
        self.begin(drive, "temp-stats")
        said = dict(re.findall(r"^(\S.*?) *: (\d+)$", self.result.text(f"{drive}-nvme-intel-temp.out"), re.M))
        ours, problems = self.ours(drive, "temp", "intel_temperature"), []
        for line, key in TEMPERATURES.items():
            problems += self.equal(key, int(said[line]), ours[key])
        for line, key in (("Last critical overtemp flag", "shutdown_since_power_on"), ("Life critical overtemp flag", "shutdown_ever")):
            problems += self.equal(key, bool(int(said[line])), ours[key])
        # isdct of the P3700 says -5; the simulated others have none
        expected = (0, -5 if drive == "nvme0" else 0)
        return problems + self.compare("offset_celsius", (int(said["Estimated offset"]), ours["offset_celsius"]), expected, "offset")

    def market_name(self, drive):
        self.begin(drive, "market-name")
        said = self.result.text(f"{drive}-nvme-intel-name.out").splitlines()[1].strip()
        return self.equal("market_name", said, self.ours(drive, "name", "market_name")["name"])

    # -- lat-stats --

    def histogram(self, drive, kind, version):
        """Buckets with something in them: how many commands, and from where to where."""
        self.begin(drive, f"lat-stats {'-w ' if kind == 'write' else ''}(version {version})")
        said = [b for b in self.result.json(f"{drive}-nvme-intel-{kind}")["latstats"]["values"] if b["value"]]
        ours = self.ours(drive, "lat", "latency")[kind]
        problems = self.equal(f"{kind}: version", version, ours["version_major"])
        problems += self.equal(f"{kind}: commands in each bucket", [b["value"] for b in said], [b["count"] for b in ours["buckets"]])
        for b, our in zip(said, ours["buckets"]):
            edges, words = known(b["id"], version), theirs(b["id"], version)
            pair = (b["start"], b["end"]), (our["from_us"], our["to_us"])
            name = f"bucket {b['id']}"
            problems += [] if pair[1] == edges else [f"{name}: {pair[1]}, not {edges}"]
            if b["id"] < (32 if version == 3 else 128):
                problems += self.equal(name, pair[0], tuple(f"{edge:.2f}us" for edge in edges))
            else:
                problems += self.differ(name, pair, (words, edges), "base" if version == 3 else "middle")
        return problems


def said_nothing(result, drive):
    return [(result.rc(f"{drive}-nvme-intel-{kind}"), result.text(f"{drive}-nvme-intel-{kind}.out")) for kind in ("read", "write")]


def check_histograms(tap, result, intel):
    for drive, kind, version in (("nvme1", "read", 4), ("nvme1", "write", 3), ("nvme2", "read", 4), ("nvme2", "write", 4),
                                 ("nvme6", "read", 4), ("nvme6", "write", 4)):
        problems = intel.histogram(drive, kind, version)
        tap.result(not problems, f"{drive}: lat-stats of version {version}, {kind}s", *problems)

    # Version 3 on the drive that has it: its own bytes, which nvme-cli cannot get.
    intel.begin("nvme0", "lat-stats")
    buckets = [(b["from_us"], b["to_us"], b["count"]) for b in intel.ours("nvme0", "lat", "latency")["read"]["buckets"]]
    expected = [(*known(index, 3), count) for index, count in ((0, 1), (32, 2), (63, 3), (93, 4))]
    problems = intel.differ("histogram", (said_nothing(result, "nvme0"), buckets), ([(1, "")] * 2, expected), "pieces")
    tap.result(not problems, "nvme0: version 3.0, a bucket of each group and the last; nvme-cli says nothing", *problems)
    page = result.files["piece.out"]
    tap.equal((struct.unpack_from("<HH94I", page)[2:][::31][:3], len(page)), ((1, 0, 0), 380), "nvme0: as get-log brings it")
    tap.result(result.rc("offset") != 0 and "INVALID_FIELD" in (result.text("offset.err") + result.text("offset.out")).upper().replace(" ", "_"),
               "nvme0: and why: a piece from an offset is an invalid field", result.text("offset.err"))

    intel.begin("nvme3", "lat-stats")
    kept, cleared = result.text("optane-kept").strip(), result.text("optane-cleared").strip()
    problems = intel.differ("histogram", ((said_nothing(result, "nvme3"), cleared), (result.rc("nvme3-ssdct-lat"), kept)),
                            (([(1, "")] * 2, "cleared"), (4, "same")), "cleared")
    tap.result(not problems, "nvme3: Optane's histogram is kept, and refused; nvme-cli clears it and says nothing", *problems)

    intel.begin("nvme4", "lat-stats")
    said = result.text("nvme4-nvme-intel-read.out").strip()
    ours = intel.ours("nvme4", "lat", "latency")["read"]
    problems = intel.differ("version", (said, (ours["version_major"], ours["version_minor"], ours["commands"])),
                            ("Unsupported minor revision (4.8)", (4, 8, 13)), "4.8")
    tap.result(not problems, "nvme4: version 4.8", *problems)


def check_refused(tap, result):
    """Firmware of an OEM that refuses the pages: the standard health is whole, and who asks for one of them is told."""
    ours = result.json("nvme5-ssdct-smart")["drives"][0]
    tap.equal((result.rc("nvme5-ssdct-smart"), ours["ok"], ours["intel_smart"], ours["smart"]["percentage_used"]), (0, True, None, 3),
              "nvme5: the vendor's page is null, the health is whole")
    for what in ("temp", "name", "lat"):
        error = result.json(f"nvme5-ssdct-{what}")["drives"][0]["error"]
        tap.equal((result.rc(f"nvme5-ssdct-{what}"), error["nvme_status"]["hex"]), (1, "0x4109"), f"nvme5: {what} by name says what the drive says")
    tap.result(all("0x4109" in result.text(f"nvme5-nvme-{what}.err") for what in ("intel", "intel-temp", "intel-name")), "nvme5: nvme-cli too")


def check(tap, intel):
    for drive in DRIVES:
        for name, method in (("smart-log-add -j", intel.attributes), ("smart-log-add", intel.text),
                             ("temp-stats", intel.temperatures), ("market-name", intel.market_name)):
            if drive in REFUSED.get(name, REFUSED["any"]):
                continue
            problems = method(drive)
            tap.result(not problems, f"{drive}: {name} and ssdct", *problems)
    check_histograms(tap, intel.result, intel)
    check_refused(tap, intel.result)


def report(tap, intel):
    print("# nvme intel ... and ssdct on the same served drive: values that are equal, values that differ")
    for (drive, command), (equal, different) in intel.table.items():
        print(f"#     {drive} {DRIVES[drive]:10} {command:28} {equal:4} {different:4}")
    for reason, examples in intel.differences.items():
        print(f"# Right is {REASONS[reason]}")
        for name, pair in examples.items():
            print(f"#     {name}: {pair[0]!r} / {pair[1]!r}")
    tap.equal(sorted(intel.differences), sorted(REASONS), "each known difference was seen")
