# SPDX-License-Identifier: MIT
"""The later drives of boot "serve_intel": P5510, P5520, P5316, P5336, PS1010, and nvme-cli's other plugins that know them.

`nvme solidigm` finds an attribute by its key as ssdct does, and knows version 4.0 of the histograms; `nvme ocp` has OCP's page.
"""
import struct

import intel
from serve import Reading

DRIVES = ("nvme4", "nvme6", "nvme7", "nvme8", "nvme9")
# The keys of CAh by the names that nvme-cli 2.3's Solidigm part gives them; another one is "unknown".
NAMES = {
    0x05: "relocatable_sector_count", 0x0d: "soft_ecc_error_rate", 0xab: "program_fail_count", 0xac: "erase_fail_count",
    0xad: "wear_leveling_count", 0xae: "unexpected_power_loss", 0xb8: "e2e_error_detect_count", 0xc7: "crc_error_count",
    0xe2: "media_wear_percentage", 0xe3: "host_reads", 0xe4: "timed_work_load", 0xe5: "read_commands_in_flight_counter",
    0xe6: "write_commands_in_flight_counter", 0xea: "thermal_throttle_status", 0xf0: "retry_buffer_overflow_counter",
    0xf3: "pll_lock_loss_counter", 0xf4: "nand_bytes_written", 0xf5: "host_bytes_written", 0xf6: "host_context_wear_used",
    0xf8: "media_bytes_read", 0xf9: "available_fw_downgrades", 0xfa: "host_read_collision_count",
    0xfb: "host_write_collision_count", 0xfc: "xor_pass_count", 0xfd: "xor_fail_count", 0xfe: "xor_invoked_count"}
# And those of them that a drive here has, as ssdct has them.
UNKNOWN = {0xe7: "bad_dllp_count", 0xe8: "receiver_error_count", 0xee: "re_sku_count"}
PARTS = {0xad: {"min": "min", "max": "max", "avg": "average"}, 0xea: {"percentage": "percent", "count": "count"}}
# Invalid Log Page, which their OCP part says in decimal.
REFUSED = (1, f"ret = {0x4109}")
# OCP's page, as nvme-cli calls its fields and as we do; theirs leaves out what came with later versions.
OCP = {
    "Physical media units written": "physical_media_written_bytes", "Physical media units read": "physical_media_read_bytes",
    "Bad user nand blocks - Raw": "bad_user_nand_blocks.raw", "Bad user nand blocks - Normalized": "bad_user_nand_blocks.normalized",
    "Bad system nand blocks - Raw": "bad_system_nand_blocks.raw",
    "Bad system nand blocks - Normalized": "bad_system_nand_blocks.normalized", "XOR recovery count": "xor_recovery_count",
    "Uncorrectable read error count": "uncorrectable_read_error_count", "Soft ecc error count": "soft_ecc_error_count",
    "End to end corrected errors": "end_to_end_corrected_errors", "End to end detected errors": "end_to_end_detected_errors",
    "System data percent used": "system_data_used_percent", "Refresh counts": "refresh_count",
    "Max User data erase counts": "user_data_erase_count_max", "Min User data erase counts": "user_data_erase_count_min",
    "Number of Thermal throttling events": "thermal_throttling_events",
    "Current throttling status": "thermal_throttling_status.value", "PCIe correctable error count": "pcie_correctable_error_count",
    "Incomplete shutdowns": "incomplete_shutdowns", "Percent free blocks": "free_blocks_percent",
    "Capacitor health": "capacitor_health_percent", "Unaligned I/O": "unaligned_io_count",
    "Security Version Number": "security_version", "NUSE - Namespace utilization": "total_nuse",
    "PLP start count": "plp_start_count", "Endurance estimate": "endurance_estimate_bytes", "Log page version": "log_page_version"}


def at(obj, path):
    for key in path.split("."):
        obj = obj[key]
    return obj


def plain(value):
    """Their numbers of 128 bits are two of 64, or text."""
    return value["hi"] << 64 | value["lo"] if isinstance(value, dict) else int(value)


class Later(intel.Intel):
    def solidigm(self, drive):
        """By key, as ours: names, and what JSON can hold only once, are what differs."""
        self.begin(drive, "solidigm smart-log-add")
        said, members = self.result.json(f"{drive}-solidigm")["Device stats"], self.ours(drive, "smart", "intel_smart")
        ours = {m["id"]: (name, m) for name, m in members.items() if isinstance(m, dict)}
        keys = [entry[0] for entry in self.entries(drive) if entry[0]]
        problems = [] if sorted(ours) == sorted(keys) else [f"keys {sorted(keys)}, but {sorted(ours)}"]
        for key in keys:
            name, our = ours[key]
            if key not in NAMES:
                last = [k for k in keys if k not in NAMES][-1]
                problems += self.differ(f"key {key:02X}h", (("unknown", said["unknown"]["raw"]), (name, our["raw"])),
                                        (("unknown", ours[last][1]["raw"]), (UNKNOWN[key], our["raw"])), "one unknown")
                continue
            their = said[NAMES[key]]
            problems += self.equal(f"{name}: normalized", their["normalized"], our["normalized"])
            for part, our_part in PARTS.get(key, {"raw": "raw"}).items():
                problems += self.equal(f"{name}: {part}", their[part], our[our_part])
            if key == 0xc7 and {0xe7, 0xe8} & set(keys):
                problems += self.differ(f"key C7h, {drive}", (NAMES[key], name), ("crc_error_count", "bad_tlp_count"), "bad TLP")
        expected = {NAMES.get(key, "unknown") for key in keys}
        return problems + ([] if set(said) == expected else [f"members {sorted(said)}, but {sorted(expected)}"])

    def garbage_collection(self, drive):
        self.begin(drive, "solidigm garbage-collect-log")
        said = self.result.json(f"{drive}-solidigm-gc")
        ours = self.ours(drive, "garbage-collection", "intel_garbage_collection")["events"]
        used = [e for e in said if e["timer_type"] or e["timestamp"]]
        problems = [p for their, our in zip(used, ours) for key in their for p in self.equal(key, their[key], our[key])]
        return problems + self.differ("events", (len(said), len(ours)), (100, len(used)), "unused")

    def ocp(self, drive):
        self.begin(drive, "ocp smart-add-log")
        said, ours = self.result.json(f"{drive}-ocp"), self.ours(drive, "smart", "ocp_smart")
        problems = [f"no row for {key}" for key in said if key not in OCP and key != "Log page GUID"]
        for key, path in OCP.items():
            their, our = plain(said[key]), at(ours, path)
            problems += self.compare(path, (their, our), (their, None if path == "endurance_estimate_bytes" and not their else their), "no estimate")
        return problems

    def said(self, drive):
        return self.result.rc(f"{drive}-ocp"), self.result.text(f"{drive}-ocp.err").splitlines()[-1].split(", ")[-1]

    def ocp_by_uuid(self, drive):
        """A drive that lists OCP's UUID; the bytes that we decode are what get-log brings with its index."""
        self.begin(drive, "ocp smart-add-log")
        ours = self.ours(drive, "smart", "ocp_smart")
        page = self.result.files[f"{drive}-raw-ocp.out"]
        numbers = (int.from_bytes(page[:16], "little"), *struct.unpack_from("<II", page, 88))
        got = tuple(ours[key] for key in ("physical_media_written_bytes", "user_data_erase_count_max", "user_data_erase_count_min"))
        problems = [] if numbers[0] and got == numbers else [f"{got}, not {numbers}"]
        return problems + self.differ(f"page C0h, {drive}", (self.said(drive), got[0]), (REFUSED, numbers[0]), "uuid")


def check_versions(tap, later):
    """Version 4.0 has two readings within nvme-cli; of 4.8 one part of it knows that there is an average."""
    later.begin("nvme7", "lat-stats (version 4.0)")
    result = later.result
    buckets = [(b["from_us"], b["to_us"], b["count"]) for b in later.ours("nvme7", "lat", "latency")["read"]["buckets"]]
    said, solidigm = (used(result.json(f"nvme7-{name}")) for name in ("nvme-intel-read", "solidigm-read"))
    edges = [(5, 6, 10), (24576, 26624, 3)]  # bucket 100: 12 eighths of 2^14 us and 1/8 more
    problems = later.differ("bucket 100", ((said[1], solidigm[1]), buckets), (((*intel.theirs(100, 4), 3), ("25.60ms", "27.65ms", 3)), edges), "4.0")
    problems += later.equal("bucket 5", (said[0], solidigm[0]), (("5.00us", "6.00us", 10),) * 2)
    tap.result(not problems, "nvme7: version 4.0, 8 buckets to a doubling", *problems)
    later.begin("nvme4", "solidigm latency-tracking-log")
    said, ours = result.json("nvme4-solidigm-read"), later.ours("nvme4", "lat", "latency")["read"]
    problems = later.differ("average_us", (said["latstats"]["average_latency"], ours["average_us"]), (0, 77), "aligned")
    problems += later.equal("counts", [b[2] for b in used(said)], [b["count"] for b in ours["buckets"]])
    tap.result(not problems, "nvme4: version 4.8, which nvme-cli's Solidigm part knows", *problems)


def used(document):
    return [(b["start"], b["end"], b["value"]) for b in document["latstats"]["values"] if b["value"]]


def check_places(tap, later):
    """Pages that other lines have elsewhere, or not at all."""
    result = later.result
    later.begin("nvme8", "temp-stats")
    problems = later.differ("temperatures", ("0x4109" in result.text("nvme8-nvme-intel-temp.err"), result.json("nvme8-ssdct-temp")["error"]["code"]),
                            (True, "unsupported"), "not asked")
    tap.result(not problems, "nvme8: no temperatures", *problems)
    # What the drive notes as errors: nothing of ours.
    entries = [int(result.json(f"nvme8-{name}")["num_err_log_entries"]) for name in ("entries-first", "entries-ours", "nvme-smart-log")]
    tap.result(entries[0] == entries[1] < entries[2], "nvme8: what ssdct does not ask for is no error in its log", entries)
    later.begin("nvme9", "temp-stats")
    ours = later.ours("nvme9", "temp", "intel_temperature")
    problems = later.differ("temperatures", ("0x4109" in result.text("nvme9-nvme-intel-temp.err"), ours["current_celsius"], ours["highest_celsius"]),
                            (True, 46, 61), "D5h")
    tap.result(not problems, "nvme9: temperatures are at D5h", *problems)
    later.begin("nvme9", "over TCP")
    asked = [result.json(f"nvme9-ssdct-{what}")["error"]["code"] for what in ("temp", "name", "lat")]
    problems = later.differ("family", (result.rc("nvme9-nvme-intel"), asked), (0, ["unsupported"] * 3), "PCI")
    tap.result(not problems, "nvme9: over TCP ssdct does not know it, and asks for nothing", *problems)


def check_pages(tap, later):
    """Pages that nvme-cli brings as bytes only: what they are by the layout of illumos."""
    result = later.result
    for drive in ("nvme4", "nvme6"):
        raw = {page: result.files[f"{drive}-raw-0x{page}.out"] for page in ("c0", "cb", "fe")}
        n = struct.unpack_from("<Q", raw["fe"], 8)[0]
        expected = [struct.unpack_from("<QIIQ", raw["fe"], 16 + 24 * i) for i in range(n)]
        got = [tuple(e.values()) for e in later.ours(drive, "outliers", "intel_outliers")["outliers"]]
        tap.equal((n, got), (2, expected), f"{drive}: slow commands")
        n = struct.unpack_from("<H", raw["cb"], 2)[0]
        expected = [struct.unpack_from("<6H", raw["cb"], 6 + 12 * i) for i in range(n)]
        got = [tuple(q.values()) for q in later.ours(drive, "queues", "intel_queues")["submission_queues"]]
        tap.equal((n, got), (2, expected), f"{drive}: queues")
    power = later.ours("nvme4", "power", "intel_power")
    tap.equal((power["rail_1_microwatts"], power["rail_2_microwatts"]), struct.unpack_from("<II", result.files["nvme4-raw-0xf2.out"]), "nvme4: power")
    # C0h of a P5510 is the directory: a number for each page that there is.
    later.begin("nvme6", "ocp smart-add-log")
    page = result.files["nvme6-raw-0xc0.out"]
    expected = [lid for lid in range(1, 256) if struct.unpack_from("<H", page, 2 * lid)[0]]
    got = [p["lid"] for p in later.ours("nvme6", "directory", "intel_directory")["pages"]]
    ocp = later.ours("nvme6", "smart", "ocp_smart") if "ocp_smart" in result.json("nvme6-ssdct-smart")["drives"][0] else None
    problems = later.differ("page C0h", (("Unknown GUID" in result.text("nvme6-ocp.err"), result.rc("nvme6-ocp")), (got, ocp)),
                            ((True, 1), (expected, None)), "directory")
    tap.result(not problems and 0xfe in got, "nvme6: C0h is the directory", *problems)


def check(tap, result):
    later, reading = Later(result), Reading(tap, result)
    intel.check(tap, later)
    for drive in DRIVES[1:]:
        for method in (reading.identify_controller, reading.smart, reading.smartctl):
            problems = method(drive)
            tap.result(not problems, f"{drive}: {method.__name__}", *problems)
    for name, method, drives in (("solidigm smart-log-add", later.solidigm, DRIVES),
                                 ("solidigm garbage-collect-log", later.garbage_collection, ("nvme4", "nvme6")),
                                 ("ocp smart-add-log", later.ocp, ("nvme4",)), ("ocp smart-add-log", later.ocp_by_uuid, ("nvme8", "nvme9"))):
        for drive in drives:
            problems = method(drive)
            tap.result(not problems, f"{drive}: {name} and ssdct", *problems)
    check_versions(tap, later)
    check_places(tap, later)
    check_pages(tap, later)
    intel.report(tap, later)
