# SPDX-License-Identifier: MIT
"""Intel's pages of a served drive, as nvme-cli's plugin and as ssdct say them: equal, or different for a reason that is known.

What the drive's bytes mean is in the reference that plugins/intel names; a difference is right only with the values that
are expected of both programs, so that one that goes away is noticed as well.
"""
import re

# nvme-cli's JSON of page CAh -> ssdct's member.
ATTRIBUTES = {
    "program_fail_count": "program_fail_count", "erase_fail_count": "erase_fail_count",
    "end_to_end_error_detection_count": "end_to_end_error_count", "crc_error_count": "pcie_crc_error_count",
    "retry_buffer_overflow_count": "retry_buffer_overflow_count", "pll_lock_loss_count": "pll_lock_loss_count",
    "nand_bytes_written": "nand_written", "host_bytes_written": "host_written", "host_ctx_wear_used": "host_context_wear_used",
    "perf_stat_indicator": "performance_status_indicator", "re_alloc_sectr_cnt": "reallocated_sector_count",
    "media_bytes_read": "media_read", "avail_fw_downgrades": "firmware_downgrades_available", "soft_ecc_err_rate": "soft_ecc_error_rate", "unexp_power_loss": "unexpected_power_loss_count"}
# Their members of members, and ours.
NESTED = {("wear_leveling", "min"): ("wear_leveling", "min"), ("wear_leveling", "max"): ("wear_leveling", "max"),
          ("wear_leveling", "avg"): ("wear_leveling", "average"),
          ("thermal_throttle_status", "pct"): ("thermal_throttle", "percent"), ("thermal_throttle_status", "cnt"): ("thermal_throttle", "count")}
# Derived values of the timed workload, and what theirs says when there are no data yet (raw 65535).
WORKLOAD = {"timed_workload_media_wear": ("percent", "63.999023"), "timed_workload_host_reads": ("percent", 65535),
            "timed_workload_timer": ("minutes", 65535)}
# The lines of temp-stats.
TEMPERATURES = {"Current temperature": "current_celsius", "Highest temperature": "highest_celsius", "Lowest temperature": "lowest_celsius",
                "Max operating temperature": "maximum_celsius", "Min operating temperature": "minimum_celsius"}

NO_DATA = "65535 means that the timed workload has no data yet: no percentage, no minutes"
ABSENT = "an attribute that the page does not have (key 00h) is not reported; theirs goes by position and prints 0"
OFFSET = "the offset is at byte 104, signed (SPDK, illumos); theirs reads byte 96, the minimum, and takes the reserved byte 88 for that"
MIDDLE = "bucket 200 of version 4.1 begins at 2^8 + 8 * 4 = 288 us; theirs prints its middle"


class Intel:
    def __init__(self, result):
        self.result = result
        self.values = 0
        self.differences = []

    def ours(self, drive, what, key):
        return self.result.json(f"{drive}-ssdct-{what}")["drives"][0].get(key)

    def equal(self, name, theirs, ours):
        self.values += 1
        return [] if theirs == ours and type(theirs) is type(ours) else [f"{name}: {theirs!r}, but {ours!r}"]

    def differ(self, name, pair, expected, reason):
        """Both say what they are known to say."""
        self.values += 1
        self.differences.append(f"{name}: {pair[0]!r} / {pair[1]!r}: {reason}")
        return [] if pair == expected else [f"{name}: {pair}, but {expected} was known: {reason}"]

    def attributes(self, drive):
        theirs, ours = self.result.json(f"{drive}-nvme-intel")["Device stats"], self.ours(drive, "smart", "intel_smart")
        problems = [f"nobody compares {key}" for key in theirs
                    if key not in ATTRIBUTES and key not in WORKLOAD and key not in {k for k, _ in NESTED}]
        for their_name, our_name in ATTRIBUTES.items():
            if their_name not in theirs:
                continue
            value = theirs[their_name]
            if ours[our_name] is None:
                problems += self.differ(our_name, ((value["normalized"], value["raw"]), None), ((0, 0), None), ABSENT)
            else:
                for part in ("normalized", "raw"):
                    problems += self.equal(f"{our_name}.{part}", value[part], ours[our_name][part])
        for (their_name, part), (our_name, our_part) in NESTED.items():
            problems += self.equal(f"{our_name}.{our_part}", theirs[their_name]["raw"][part], ours[our_name][our_part])
        for name, (part, said) in WORKLOAD.items():
            if ours[name]["raw"] == 65535:
                problems += self.differ(f"{name}.{part}", (theirs[name]["raw"], ours[name][part]), (said, None), NO_DATA)
            else:
                problems += self.equal(name, round(float(theirs[name]["raw"]), 3), round(float(ours[name][part]), 3))
        return problems

    def temperatures(self, drive):
        said = dict(re.findall(r"^(\S.*?) *: (\d+)$", self.result.text(f"{drive}-nvme-intel-temp.out"), re.M))
        ours, problems = self.ours(drive, "temp", "intel_temperature"), []
        for line, key in TEMPERATURES.items():
            problems += self.equal(key, int(said[line]), ours[key])
        for line, key in (("Last critical overtemp flag", "shutdown_since_power_on"), ("Life critical overtemp flag", "shutdown_ever")):
            problems += self.equal(key, bool(int(said[line])), ours[key])
        if ours["offset_celsius"]:
            return problems + self.differ("offset_celsius", (int(said["Estimated offset"]), ours["offset_celsius"]), (0, -5), OFFSET)
        return problems + self.equal("offset_celsius", int(said["Estimated offset"]), ours["offset_celsius"])

    def market_name(self, drive):
        said = self.result.text(f"{drive}-nvme-intel-name.out").splitlines()[1].strip()
        return self.equal("market_name", said, self.ours(drive, "name", "market_name")["name"])

    def histogram(self, drive, kind):
        """Buckets with something in them, of version 4.1."""
        values = self.result.json(f"{drive}-nvme-intel-{kind}")["latstats"]["values"]
        theirs = [(float(v["start"][:-2]), float(v["end"][:-2]), v["value"]) for v in values if v["value"]]
        ours = [(float(b["from_us"]), float(b["to_us"]), b["count"]) for b in self.ours(drive, "lat", "latency")[kind]["buckets"]]
        problems = self.equal(f"{kind}: number of buckets", len(theirs), len(ours))
        for a, b in zip(theirs, ours):
            if b[0] < 128:
                problems += self.equal(f"{kind}: bucket", a, b)
            else:
                problems += self.differ(f"{kind}: bucket", (a, b), ((290.0, 294.0, 3), (288.0, 292.0, 3)), MIDDLE)
        return problems


def check(tap, result):
    intel = Intel(result)
    for drive in ("nvme0", "nvme1"):
        for name, problems in (("smart-log-add", intel.attributes(drive)), ("temp-stats", intel.temperatures(drive)),
                               ("market-name", intel.market_name(drive))):
            tap.result(not problems, f"{drive}: nvme intel {name} and ssdct", *problems)
    for kind in ("read", "write"):
        problems = intel.histogram("nvme1", kind)
        tap.result(not problems, f"nvme1: nvme intel lat-stats and ssdct, {kind}", *problems)
    # nvme-cli 2.3 has nothing to say of version 3.0 here; the bytes were put there by hand.
    got = [(b["from_us"], b["to_us"], b["count"]) for b in intel.ours("nvme0", "lat", "latency")["read"]["buckets"]]
    tap.equal(got, [(0, 32, 1), (1024, 2048, 2), (32768, 65536, 3)], "nvme0: a histogram of version 3.0, a bucket of each group")
    print(f"# {intel.values} values of Intel's pages compared; they say / ssdct says:")
    for line in sorted(set(intel.differences)):
        print(f"#     {line}")
    check_pages(tap, result)


def check_pages(tap, result):
    """Page descriptions on a real node."""
    def local(name):
        return result.rc(name), result.json(name)["drives"][0].get("local_pages")

    expected = (0, {"served": {"here_celsius": 40, "cuts": 7}})
    tap.equal(local("pages-none"), (0, None), "without a description nobody knows the page")
    tap.equal(local("pages-good"), expected, "root's description in /etc: smart decodes the page")
    tap.equal(local("pages-get"), expected, "log get, by name")
    for name, why in (("pages-writable", "others may write it"), ("pages-foreign", "does not belong to root")):
        tap.equal(local(name), (0, None), f"{name}: not used")
        tap.result(why in result.text(f"{name}.err") and "/etc/ssdct/pages.d/served.json" in result.text(f"{name}.err"),
                   f"{name}: the note says why", result.text(f"{name}.err"))
