#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ssdct schema: what was promised is still there, and every document is as the schema says.

tests/data/schema.json holds, for each command, every path of its document with its type; a path that may be absent ends in
"?". It may only grow: a path that has gone, has another type, or may now be absent is a failure. New paths are added by

    python3 tests/cli/test_schema.py --update

(SSDCT names the program, build/ssdct otherwise), which never removes or changes a line.
"""
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import (TMP, Host, Tap, error_entry, error_log, id_ctrl, id_ns, intel_smart, run, slot_log,  # noqa: E402
                     smart)

COMMITTED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "schema.json")
KEYWORDS = {"$schema", "title", "description", "type", "properties", "required", "items", "pattern"}
TYPES = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool, "null": type(None)}


# CNS and LIDs of structures and pages that have a table.
STRUCTURES = [f"{cns:02x}h" for cns in (*range(0x02, 0x09), *range(0x10, 0x1a), 0x1c)]
LOGS = [f"{lid:02x}h" for lid in (*range(0x04, 0x10), 0x80, 0x81)]


# --- the schema as lines, and what becomes of them ---


def types_of(schema):
    kinds = schema["type"]
    return kinds if isinstance(kinds, list) else [kinds]


def lines_of(schema, path=""):
    """{path: types}; an element of an array is its path and "[]"."""
    lines = {path or ".": "|".join(types_of(schema))}
    for key, sub in schema.get("properties", {}).items():
        optional = "" if key in schema.get("required", []) else "?"
        lines.update(lines_of(sub, f"{path}.{key}{optional}"))
    if "items" in schema:
        lines.update(lines_of(schema["items"], path + "[]"))
    return lines


def lost(committed, current):
    """What a consumer of the committed schema would miss."""
    said = []
    for command, lines in committed.items():
        now = current.get(command)
        if now is None:
            said.append(f"{command}: gone")
            continue
        for path, kind in lines.items():
            # What could be absent and is now always there is no loss.
            got = now.get(path) or now.get(path.replace("?", ""))
            if got != kind:
                said.append(f"{command} {path}: was {kind}, is {got}")
    return said


def read_committed():
    if not os.path.exists(COMMITTED):
        return {}
    with open(COMMITTED, encoding="utf-8") as f:
        return json.load(f)


def update(committed, current):
    said = lost(committed, current)
    if said:
        sys.exit("\n".join(["not updated: the schema may only grow"] + said))
    for command, lines in current.items():
        committed.setdefault(command, {}).update(lines)
    with open(COMMITTED, "w", encoding="utf-8") as f:
        json.dump(committed, f, indent=1, sort_keys=True)
        f.write("\n")


# --- documents against the schema ---


def is_of(value, kind):
    if kind == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[kind]) and not (kind == "integer" and isinstance(value, bool))


def faults(value, schema, path=""):
    """Where a value differs from its schema. A key that the schema does not describe is a fault as well."""
    unknown = set(schema) - KEYWORDS
    if unknown:
        yield f"{path}: the schema says {unknown}, which this validator does not know"
    if not any(is_of(value, kind) for kind in types_of(schema)):
        yield f"{path}: {value!r} is not {types_of(schema)}"
        return
    if isinstance(value, str) and "pattern" in schema and not re.search(schema["pattern"], value):
        yield f"{path}: {value!r} does not match {schema['pattern']}"
    if isinstance(value, list):
        for i, item in enumerate(value):
            yield from faults(item, schema["items"], f"{path}[{i}]")
    if isinstance(value, dict):
        yield from (f"{path}.{key}: missing" for key in schema.get("required", []) if key not in value)
        for key, member in value.items():
            if key in schema.get("properties", {}):
                yield from faults(member, schema["properties"][key], f"{path}.{key}")
            else:
                yield f"{path}.{key}: not in the schema"


def hosts():
    """Hosts of every kind, by name."""
    lab = os.path.join(TMP, "lab")
    models = [line.split()[0] for line in run("sim", "models").out.splitlines()[1:]]
    run("sim", "create", lab, *[w for m in models for w in ("--model", m)])
    full = Host().drive(log_01=error_log(error_entry(9, 0x4002, location=0x0210), error_entry(8, 0x0281, sqid=3, lba=2**64 - 1, nsid=1)),
                        log_02=smart(warning=0xff, used=255, counters=[2**128 - 1] * 10, sensors=[300, 0, 250]),
                        log_03=slot_log(1, 2, ["A", "B", "C"]), log_ca=intel_smart((0xe2, 100, 65535), (0xf4, 100, 2**48 - 1), (0x77, 1, 2)),
                        id_ns_2=id_ns(nsze=2**63, flbas=1, offset_24=b"\xff"), id_ctrl=id_ctrl(nn=2, wctemp=343, cctemp=353, offset_280=b"\xff" * 16),
                        drive_json={"sysfs": {"address": "0000:03:00.0", "current_link_speed": "8.0 GT/s PCIe", "current_link_width": "4",
                                              "max_link_speed": "8.0 GT/s PCIe", "max_link_width": "8", "numa_node": "0"},
                                    "features": {"0x02": 0, "0x04": 358, "0x06": 1, "0x07": 0x1d001d}})
    logs = {f"log_{lid[:2]}": b"\xff" * 8192 for lid in LOGS}
    ones = Host().drive(**logs, **{f"identify_{cns[:2]}": b"\xff" * 4096 for cns in STRUCTURES}, id_ctrl=b"\xff" * 4096, id_ns_1=b"\xff" * 4096, log_01=b"\xff" * 4096, log_02=b"\xff" * 512, log_03=b"\xff" * 512)
    zeros = Host().drive(**{name: bytes(8192) for name in logs}, **{f"identify_{cns[:2]}": bytes(4096) for cns in STRUCTURES}, id_ctrl=bytes(4096), id_ns_1=bytes(4096), log_02=bytes(512), log_03=bytes(512))
    broken = Host().drive("nvme0", log_01=None, log_02=None, log_03=None).drive("nvme1", drive_json="{").drive("nvme2", id_ctrl=b"")
    broken.drive("nvme3", drive_json={"sysfs": {"state": "dead"}}).drive("nvme4", id_ctrl=id_ctrl()[:100], log_02=smart()[:7], log_03=b"\1")
    foreign = Host(simulated=True).drive(id_ctrl=id_ctrl(model="Other 1TB", vid=0x144d, ver=0))
    failing = Host(simulated=True).drive(drive_json={"faults": [{"count": 0, "status": "0x0006"}]})
    return {"a full drive": full, "pages of FFh": ones, "pages of zeros": zeros, "broken files": broken, "another vendor's drive": foreign,
            "a failing drive": failing, "no drives": Host(), "simulated models": lab, "no such directory": "/nonexistent"}


VENDOR_VERBS = [line.split()[0] for line in run("intel", "--help").out.split("\nVerbs\n")[1].split("\n\n")[0].splitlines()]


def command_lines(name, host):
    """Command lines of every command that reads."""
    for drive in (["--all"], ["nvme0"], ["nvme1"], ["nvme9"]):
        for words in (["list"], ["list", "--health"], ["show"], ["smart"], ["errors"], ["check", "--allow-simulated"], ["doctor"], ["log", "list"]):
            yield words + drive
        if drive != ["--all"]:
            yield from (["identify"] + drive, ["identify"] + drive + ["ns", "--nsid", "1"], ["identify"] + drive + ["ns", "--nsid", "2"])
            yield from (["identify"] + drive + [cns, "--nsid", "1"] for cns in STRUCTURES)
            yield from (["log", "get"] + drive + [page] for page in LOGS)
            yield from (["log", "get"] + drive + [page] for page in ("error", "smart", "firmware-slot", "supported-logs", "0xca", "0xdd", "0xc0", "9"))
            yield ["log", "get"] + drive + ["smart", "--hex"]
        for verb in VENDOR_VERBS:
            yield [["intel", "solidigm"][VENDOR_VERBS.index(verb) % 2], verb] + drive
            if drive == ["--all"]:
                yield [["solidigm", "intel"][VENDOR_VERBS.index(verb) % 2], verb] + drive
    yield from (["check", "--expect", "99"], ["check", "--expect-serial", "NOBODY"], ["check"], ["smart"], ["smart", "nvme0", "--bogus"])
    yield from (["bench", "nvme0", "--dry-run"], ["bench", "nvme0", "--rw", "randread", "--time", "1"], ["bench", "nvme9"])
    yield ["capture", "--to", os.path.join(TMP, "captured " + name)]
    yield ["capture", "--redact", "--to", os.path.join(TMP, "redacted " + name)]
    image = os.path.join(TMP, "image")
    for drive in (["nvme0"], ["nvme9"]):
        yield from (["fw", "status"] + drive, ["fw", "update"] + drive + ["--image", image, "--dry-run"], ["fw", "update"] + drive + ["--image", image, "--yes"],
                    ["fw", "download"] + drive + ["--image", image, "--yes"], ["fw", "commit"] + drive + ["--slot", "1", "--action", "1", "--yes"],
                    ["fw", "activate"] + drive + ["--slot", "1", "--yes"], ["reset"] + drive + ["--yes"], ["reset"] + drive + ["--dry-run"])
    to, sector = os.path.join(TMP, "telemetry " + name), os.path.join(TMP, "sector")
    with open(sector, "wb") as f:
        f.write(bytes(512))
    for drive in (["nvme0"], ["nvme9"]):
        yield from (["feature", "get"] + drive + [fid] for fid in ("1", "4", "0x0c", "timestamp", "0xc6", "0x81"))
        yield from (["feature", "get"] + drive + ["4", "--select", "supported"], ["feature", "list"] + drive + ["--probe"])
        yield from (["feature", "set"] + drive + [fid, value, "--yes"] for fid, value in (("4", "80"), ("7", "1"), ("1", "burst=8"), ("0xc6", "1")))
        yield from (["selftest", "status"] + drive, ["selftest", "start"] + drive + ["--yes"], ["selftest", "abort"] + drive + ["--yes"])
        yield from (["telemetry"] + drive + ["--to", to, "--yes"], ["telemetry"] + drive + ["--controller", "--to", to + "c"])
        yield from (["log", "persistent-event"] + drive, ["log", "persistent-event"] + drive + ["--yes"])
        yield ["passthru", "admin"] + drive + ["--opcode", "6", "--cdw10", "1", "--data-len", "4096", "--read"]
        yield from (["passthru", "io"] + drive + ["--opcode", op, "--nsid", "1"] for op in ("0", "4"))
        yield ["passthru", "io"] + drive + ["--opcode", "1", "--nsid", "1", "--input", sector]
    yield from (["sim", "reset"], ["sim", "reset", "nvme1", "--subsystem"], ["sim", "power-cycle"], ["sim", "power-cycle", "nvme9"])
    yield from (["sim", "image"], ["sim", "image", "--model", "p3700", "--revision", "R", "--size", "4K", "--out", image])
    yield from namespace_lines()
    yield from media_lines()
    if isinstance(host, Host):
        yield from (["sim", "fault", "nvme0"], ["sim", "fault", "nvme0", "--opcode", "2", "--nth", "99", "--delay-ms", "1"])


def namespace_lines():
    for drive in ("nvme0", "nvme3", "nvme9"):
        yield from (["namespace", "list", drive], ["namespace", "detach", drive, "--nsid", "1", "--yes"],
                    ["namespace", "attach", drive, "--nsid", "1", "--yes"], ["namespace", "attach", drive, "--nsid", "1", "--yes"],
                    ["namespace", "delete", drive, "--nsid", "1", "--dry-run"], ["namespace", "delete", drive, "--nsid", "1"],
                    ["namespace", "create", drive, "--size", "1M", "--attach", "--yes"], ["namespace", "create", drive, "--largest", "--dry-run"],
                    ["provision", drive, "--percent", "50", "--dry-run"], ["provision", drive, "--native", "--confirm", "X"],
                    ["rescan", drive])


def media_lines():
    confirm = ["--confirm", "CVFT51520030000NVME0", "--force"]
    for drive in ("nvme0", "nvme6", "nvme9"):
        yield from (["format", drive, "--block-size", "4096", "--dry-run"], ["format", drive, "--lba-format", "99"],
                    ["format", drive, "--all-namespaces"] + confirm, ["format", drive, "--erase", "crypto", "--confirm", "X"],
                    ["sanitize", "status", drive], ["sanitize", "start", drive, "--action", "block", "--dry-run"],
                    ["sanitize", "start", drive, "--action", "crypto"] + confirm, ["sanitize", "exit-failure", drive] + confirm)


def check_documents(tap, schemas):
    seen = set()
    for name, host in hosts().items():
        count, wrong = 0, []
        for words in command_lines(name, host):
            r = run(*words, "-o", "json", host=host)
            try:
                found = list(faults(r.json, schemas[r.json["command"]]))
            except (ValueError, KeyError, AssertionError) as error:
                found = [f"no document: {error!r}: {r}"]
            count += 1
            seen.add(r.json["command"] if not found else None)
            wrong += [f"{' '.join(words)}: {fault}" for fault in found[:5]]
        tap.result(count > 50 and not wrong, f"documents of {name} are as the schema says", count, *wrong[:40])
    for words in (["version"], ["sim", "models"], ["sim", "create", os.path.join(TMP, "another")], ["sim", "create", TMP], ["sim", "serve"], ["--bogus"], ["nothing"]):
        r = run(*words, "-o", "json")
        command = r.json["command"] or "errors"  # no command: the envelope alone
        found = list(faults(r.json, schemas[command]))
        seen.add(command)
        tap.result(not found, f"the document of {' '.join(words[:2])} is as the schema says", *found)
    tap.equal(set(schemas) - seen, set(), "every command that has a schema was tried")


def check_validator(tap):
    """The validator and the comparison find what they are for."""
    schema = {"type": "object", "required": ["a"], "properties": {
        "a": {"type": ["integer", "null"]}, "b": {"type": "array", "items": {"type": "string", "pattern": "^x"}}}}
    for value, good in (({"a": 1}, True), ({"a": None}, True), ({"a": True}, False), ({"a": 1.5}, False), ({"a": "1"}, False), ({}, False),
                        ({"a": 1, "c": 1}, False), ({"a": 1, "b": None}, False), ({"a": 1, "b": ["x"]}, True), ({"a": 1, "b": ["y"]}, False),
                        ({"a": 1, "b": [2]}, False), ([], False)):
        tap.equal(not list(faults(value, schema)), good, f"validator: {json.dumps(value)} is {'good' if good else 'bad'}")
    tap.result(list(faults({"a": 1}, {**schema, "oneOf": []})), "validator: a keyword that it does not know is a fault")
    old = {"x": lines_of(schema)}
    for change, good in (({}, True), ({"c": {"type": "string"}}, True), ({"a": {"type": "integer"}}, False), ({"a": {"type": ["string", "null"]}}, False),
                         ({"b": None}, False)):
        properties = {k: v for k, v in {**schema["properties"], **change}.items() if v}
        new = {"x": lines_of({**schema, "properties": properties})}
        tap.equal(not lost(old, new), good, f"comparison: {json.dumps(change)} is {'growth' if good else 'a loss'}")
    tap.result(lost(old, {"x": lines_of({**schema, "required": []})}), "comparison: what may now be absent is a loss")
    tap.result(not lost(old, {"x": lines_of({**schema, "required": ["a", "b"]})}), "comparison: what is now always there is none")
    tap.result(lost(old, {}), "comparison: a command that has gone is a loss")


def check_shape(tap, schemas):
    """Rules of CONTRACT section 2 that hold for every key."""
    for command, schema in schemas.items():
        keys = [(path, kind, path.replace("?", "").rpartition(".")[2]) for path, kind in lines_of(schema).items() if not path.endswith("[]")]
        names = {path.replace("?", "") for path, _, _ in keys}
        odd = [p for p, _, key in keys if key and not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", key)]
        tap.equal(odd, [], f"{command}: keys are snake_case")
        digits = [p for p, kind, key in keys if key.endswith("_str") and (kind != "string|null" or p.replace("?", "")[:-4] not in names)]
        tap.equal(digits, [], f"{command}: _str stands beside its counter")
        for unit, pattern in (("celsius", r"temperature$"), ("bytes", r"(^|_)(size|capacity)$")):
            # RPMBS is a register: its fields count in units of their own (128 KiB, 512 bytes), less one.
            bare = [p for p, kind, key in keys if re.search(pattern, key) and kind.startswith(("integer", "number")) and ".rpmbs." not in p]
            tap.equal(bare, [], f"{command}: keys end in their unit ({unit})")


def main():
    r = run("schema")
    schemas = r.json
    current = {command: lines_of(schema) for command, schema in schemas.items()}
    committed = read_committed()
    if "--update" in sys.argv[1:]:
        update(committed, current)
        return 0
    tap = Tap()
    tap.result(r.code == 0 and not r.err and len(committed) >= 10, "the schema of all commands", r)
    for command in sorted(set(committed) | set(schemas)):
        said = lost({command: committed.get(command, {})}, current)
        tap.result(not said, f"bug 4: {command}: all that was promised is there", *said)
        grown = set(current.get(command, {})) - {p for p in committed.get(command, {})}
        tap.result(not grown, f"{command}: every path is committed (python3 tests/cli/test_schema.py --update)", *sorted(grown)[:20])
    for command in schemas:
        tap.equal(run("schema", *command.split()).json, schemas[command], f"schema {command}: the same alone")
    tap.equal(sorted(run("schema", "log").json), ["log get", "log list", "log persistent-event"], "schema log: its verbs")
    tap.equal(run("schema", "nothing").code, 2, "schema of nothing")
    check_validator(tap)
    check_shape(tap, schemas)
    check_documents(tap, schemas)
    return tap.end()


sys.exit(main())
