#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every field that nvme-cli prints as JSON: ssdct says it too, and the same value (tests/data/nvme_cli/README.md).

The table is tests/vm/mapping.py. A key of theirs without a row fails, and so does a row that leads nowhere in the schema.
"""
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
from harness import Tap, run  # noqa: E402
import mapping  # noqa: E402
from compare import Comparison, MISSING, value_at  # noqa: E402

DATA = os.path.join(HERE, "..", "data", "nvme_cli")
HOST = os.path.join(DATA, "host")
LARGEST = 2**63 - 1
# Printed by nvme-cli 2.3 through a function for unsigned numbers that this Debian package builds as signed.
UNSIGNED_32 = {"rtd3r", "rtd3e", "oaes", "ctratt", "hmpre", "hmmin", "rpmbs", "sanicap", "hmminds", "anagrpmax", "nanagrpid",
               "pels", "nn", "sgls", "mnan", "maxcna", "ioccsz", "iorcsz", "ver", "entry_lat", "exit_lat", "mcl", "anagrpid",
               "warning_temp_time", "critical_comp_time", "thm_temp1_trans_count", "thm_temp2_trans_count",
               "thm_temp1_total_time", "thm_temp2_total_time", "nsid"}
tap = Tap()


def theirs_of(name):
    with open(os.path.join(DATA, name + ".json"), encoding="utf-8") as f:
        return json.load(f, object_hook=unsigned)


def unsigned(obj):
    return {k: v + 2**32 if k in UNSIGNED_32 and v < 0 else v for k, v in obj.items()}


def clamped(value):
    return min(value, LARGEST) if isinstance(value, int) and not isinstance(value, bool) else value


def compare(page, theirs, ours, table, nested=()):
    """Differences, as sentences: value by value, digits of wide counters, and keys of theirs that no row names."""
    problems = [f"{page}: no row for their {key}" for key in theirs if key not in {row[0] for row in table} | set(nested)]
    for key, path, convert in table:
        if key not in theirs:
            continue
        expected, got = convert(theirs[key]), value_at(ours, path)
        if got != clamped(expected) or isinstance(got, bool) != isinstance(expected, bool):
            problems.append(f"{page}: {key} is {theirs[key]!r}, so {path} should be {clamped(expected)!r}, but is {got!r}")
        if ours.get(path + "_str", str(expected)) != str(expected):
            problems.append(f"{page}: {path}_str should be {expected}, but is {ours[path + '_str']}")
        if isinstance(theirs[key], str) and theirs[key].isdigit() and path + "_str" not in ours:
            problems.append(f"{page}: {path} is a wide counter without all its digits")
    return problems


def check(text, problems):
    tap.result(not problems, text, *problems)


def drive(*words):
    result = run(*words, "-o", "json", host=HOST)
    assert result.code == 0, result
    return result.drive


def power_states(theirs, ours):
    problems = [] if len(theirs) == len(ours) else [f"{len(theirs)} power states, but {len(ours)}"]
    powers = {"max_power", "idle_power", "idle_scale", "active_power", "active_scale"}
    for a, b in zip(theirs, ours):
        problems += compare("psd", a, b, mapping.POWER_STATE, nested=powers) + Comparison(tap, None).powers(a, b)
    return problems


def formats(theirs, ours, in_use):
    """By index: formats with a block size of 0 are not available, and ssdct leaves them out."""
    ours = {f["index"]: f for f in ours}
    problems = []
    for index, their_format in enumerate(theirs):
        if not their_format["ds"]:
            problems += [f"format {index} is not available, but listed"] if index in ours else []
        elif index not in ours:
            problems.append(f"format {index} is missing")
        else:
            problems += compare("lbaf", their_format, ours[index], mapping.LBA_FORMAT)
            problems += [f"in use: {ours[index]}"] if ours[index]["in_use"] != (index == in_use) else []
    return problems


def sensors(theirs, ours):
    expected = [{"sensor": n, "celsius": theirs[f"temperature_sensor_{n}"] - 273}
                for n in range(1, 9) if f"temperature_sensor_{n}" in theirs]
    return [] if ours == expected else [f"sensors should be {expected}, but are {ours}"]


def revision(printed):
    """They print the eight bytes as a number; ssdct the text, trimmed, what is not printable as \\xNN."""
    raw = int(printed.split()[0]).to_bytes(8, "little").strip(b" \0")
    return "".join(chr(b) if 32 <= b < 127 else f"\\x{b:02X}" for b in raw) or None


def firmware(theirs, ours):
    afi = theirs["Active Firmware Slot (afi)"]
    expected = {"afi": afi, "running": afi & 7, "next": afi >> 4 & 7 or None}
    problems = [f"{key} should be {value}" for key, value in expected.items() if value_at(ours, key) != value]
    known = {f"Firmware Rev Slot {n}" for n in range(1, 8)} | {"Active Firmware Slot (afi)"}
    problems += [f"no row for their {key}" for key in theirs if key not in known]
    for slot in ours["slots"]:
        printed = theirs.get(f"Firmware Rev Slot {slot['slot']}")
        if slot["revision"] != (revision(printed) if printed else None):
            problems.append(f"{printed!r}, we say {slot}")
    return problems + ([] if len(ours["slots"]) == 7 else [f"{len(ours['slots'])} slots"])


def leads_nowhere(schema, table, base):
    """Rows whose path is not in the schema of the object at base."""
    def find(node, path):
        for key in path:
            node = node.get("items", node).get("properties", {}).get(key, MISSING)
            if node is MISSING:
                return False
        return True
    return [f"{path}: not in the schema" for _, path, _ in table if not find(schema, ("drives", *base, *path.split(".")))]


# Values.
theirs, ours = theirs_of("id-ctrl"), drive("identify", "nvme0")["id_ctrl"]
check("id-ctrl", compare("id_ctrl", theirs, ours, mapping.ID_CTRL, nested=("psds",)))
check("id-ctrl: power states", power_states(theirs["psds"], ours["psd"]))
tap.equal(len(theirs), 86, "id-ctrl: all their keys")
theirs, ours = theirs_of("id-ns"), drive("identify", "nvme0n1", "ns")["id_ns"]
check("id-ns", compare("id_ns", theirs, ours, mapping.id_ns(theirs["nsfeat"], theirs_of("id-ctrl")["oncs"]), nested=("lbafs",)))
check("id-ns: LBA formats", formats(theirs["lbafs"], ours["lbaf"], theirs["flbas"] & 15))
theirs, ours = theirs_of("smart-log"), drive("smart", "nvme0")["smart"]
check("smart-log", compare("smart", theirs, ours, mapping.SMART, nested=[f"temperature_sensor_{n}" for n in range(1, 9)]))
check("smart-log: sensors", sensors(theirs, ours["temperature_sensors"]))
check("fw-log", firmware(theirs_of("fw-log")["nvme0"], drive("log", "get", "nvme0", "firmware-slot")["fw"]))
theirs, ours = theirs_of("error-log")["errors"], drive("errors", "nvme0")["error_log"]["entries"]
tap.equal(len(ours), len(theirs), "error-log: as many entries")
check("error-log", [p for a, b in zip(theirs, ours) for p in compare("error_log", a, b, mapping.ERROR_ENTRY)])

# Where the rows lead.
identify, smart = (json.loads(run("schema", name).out) for name in ("identify", "smart"))
errors, log = (json.loads(run("schema", *name).out) for name in (("errors",), ("log", "get")))
for text, schema, table, base in (("id-ctrl", identify, mapping.ID_CTRL, ("id_ctrl",)),
                                  ("power states", identify, mapping.POWER_STATE, ("id_ctrl", "psd")),
                                  ("id-ns", identify, mapping.ID_NS, ("id_ns",)),
                                  ("LBA formats", identify, mapping.LBA_FORMAT, ("id_ns", "lbaf")),
                                  ("smart-log", smart, mapping.SMART, ("smart",)),
                                  ("error-log", errors, mapping.ERROR_ENTRY, ("error_log", "entries")),
                                  ("fw-log", log, [(None, "running", None), (None, "next", None), (None, "slots", None)],
                                   ("fw",))):
    check(f"schema: {text}", leads_nowhere(schema, table, base))

# The comparison itself: what it must find.
whole = drive("smart", "nvme0")["smart"]
their_smart = theirs_of("smart-log")
sensor_keys = [f"temperature_sensor_{n}" for n in range(1, 9)]
for text, theirs, ours in (("a key without a row", {**their_smart, "new_in_2_99": 1}, whole),
                           ("a wrong value", their_smart, {**whole, "percentage_used": 57}),
                           ("a missing key", their_smart, {k: v for k, v in whole.items() if k != "power_cycles"}),
                           ("a digit of a wide counter", their_smart, {**whole, "media_errors_str": "1"})):
    tap.result(compare("smart", theirs, ours, mapping.SMART, nested=sensor_keys), f"the comparison finds {text}")

sys.exit(tap.end())
