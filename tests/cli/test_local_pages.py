#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Page descriptions of an operator, ssdct-pages(5): what they show, what they can never do, and what a wrong one says.

Each description, good or bad, is judged by the committed JSON Schema as well; where the schema cannot tell, that is said.
"""
import copy
import json
import os
import re
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tests", "lib"))
from harness import TMP, Host, Tap, id_ctrl, intel_smart, run, trace_of  # noqa: E402

tap = Tap()


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as f:
        return f.read()


SCHEMA = json.loads(read("docs", "ssdct-pages.schema.json"))
README = read("plugins", "README.md")
DESCRIPTION = json.loads(re.findall(r"```json\n(.*?)```", README.split("## The same page without a compiler")[1], re.S)[0])
EXAMPLE = README.split("## Example")[1]
EXPECTED = json.loads(re.findall(r"```json\n(.*?)```", EXAMPLE, re.S)[0])
VECTOR = bytes.fromhex(re.search(r"```\n((?:[0-9a-f]{2} +)+[0-9a-f]{2})\n```", EXAMPLE).group(1))
ACME = id_ctrl(model="ACME D1-960G", vid=0xfa1d)


# --- the committed schema, by as much of a validator as it needs ---

KINDS = {"object": dict, "array": list, "string": str, "boolean": bool}


def is_kind(value, kind):
    return isinstance(value, int) and not isinstance(value, bool) if kind == "integer" else isinstance(value, KINDS[kind])


def valid(value, schema):
    checks = {
        "$ref": lambda x: valid(value, SCHEMA["$defs"][x.rsplit("/", 1)[1]]),
        "type": lambda x: is_kind(value, x),
        "const": lambda x: value == x,
        "enum": lambda x: value in x and not isinstance(value, bool),
        "anyOf": lambda x: any(valid(value, s) for s in x),
        "required": lambda x: all(k in value for k in x),
        "properties": lambda x: all(valid(v, x[k]) for k, v in value.items() if k in x),
        "propertyNames": lambda x: all(valid(k, x) for k in value),
        "minProperties": lambda x: len(value) >= x, "maxProperties": lambda x: len(value) <= x,
        "items": lambda x: all(valid(v, x) for v in value),
        "minItems": lambda x: len(value) >= x, "maxItems": lambda x: len(value) <= x,
        "minLength": lambda x: len(value) >= x, "maxLength": lambda x: len(value) <= x,
        "pattern": lambda x: re.search(x, value) is not None,
        "minimum": lambda x: value >= x, "maximum": lambda x: value <= x, "multipleOf": lambda x: value % x == 0,
    }
    if "type" in schema and not checks["type"](schema["type"]):
        return False
    for word, x in schema.items():
        if word in ("$schema", "$defs", "title", "description", "type"):
            continue
        if word == "additionalProperties":
            others = [v for k, v in value.items() if k not in schema.get("properties", {})]
            if others and (x is False or not all(valid(v, x) for v in others)):
                return False
        elif not checks[word](x):
            return False
    return True


def host_with(description, simulated=False, name="acme.json", **pages):
    pages.setdefault("id_ctrl", ACME)
    pages.setdefault("log_c8", VECTOR)
    host = Host(simulated=simulated).drive(**pages)
    host.write(f"pages.d/{name}", description if isinstance(description, (str, bytes)) else json.dumps(description))
    return host


# --- the example of plugins/README.md ---
host = host_with(DESCRIPTION)
r, sent = trace_of("smart", "nvme0", "-o", "json", host=host)
tap.equal(r.drive.get("local_pages"), {"acme_health": EXPECTED}, "smart has what the compiled module of the example has")
tap.equal(r.err, "", "and nothing is said about it")
asked = [c for c in sent if c["opcode"] == 2 and c["cdw10"] & 0xff == 0xc8]
tap.result(len(asked) == 1 and asked[0]["cdw10"] & 0xff00 == 0x8000 and asked[0]["cdw14"] == 0 and asked[0]["nsid"] == 0xffffffff,
           "read once: RAE, no LSP, no UUID index", asked)
text = run("smart", "nvme0", host=host).out
tap.result(re.search(r"NAND written +2\.20 TB \(2,199,023,255,552 bytes\)\n +State +throttled\n +Warnings +0x02: read-only soon", text), "as text", text)
logs = run("log", "list", "nvme0", "-o", "json", host=host).drive["logs"]
tap.result({"lid": 0xc8, "name": "acme-health", "label": "Acme health", "vendor": None, "file": "acme.json", "decoded": True, "readable": True} in logs,
           "log list names it and its file", logs)
for word in ("acme-health", "0xc8", "C8h", "200"):
    r = run("log", "get", "nvme0", word, "-o", "json", host=host)
    tap.equal([r.code, r.drive["log"]["lid"], r.drive["local_pages"]], [0, 0xc8, {"acme_health": EXPECTED}], f"log get {word}")
r = run("log", "get", "nvme0", "acme-helth", host=host)
tap.result(r.code == 2 and "did you mean acme-health?" in r.err, "did you mean", r)
r = run("log", "get", "nvme0", "acme-health", "--hex", "-o", "json", host=host)
tap.equal(r.drive["log"]["data_hex"], VECTOR.hex(), "--hex")
tap.equal(run("log", "get", "nvme0", "acme-health", "-o", "json", host=Host().drive(id_ctrl=ACME, log_c8=VECTOR)).code, 2, "without the file nobody knows it")
tap.result("local_pages" not in run("smart", "nvme0", "-o", "json", host=Host().drive()).drive, "and there is no object")
schema = json.loads(run("schema", "smart").out)["properties"]["drives"]["items"]
tap.result("local_pages" in schema["properties"] and "local_pages" not in schema["required"], "the schema of smart has the object")
manual = json.loads(read("man", "ssdct-pages.5").split(".Bd -literal\n")[1].split(".Ed")[0])
r = run("smart", "nvme0", "-o", "json", host=host_with(manual))
tap.equal(r.drive["local_pages"]["acme_health"]["written_bytes"], 2199023255552, "the example of the manual")
tap.result(valid(DESCRIPTION, SCHEMA) and valid(manual, SCHEMA), "both are as the committed schema says")

# --- only from where root has put it ---
plain = Host().drive(id_ctrl=ACME, log_c8=VECTOR)
r = run("smart", "nvme0", "-o", "json", host=plain, cwd=str(host))
tap.result("local_pages" not in r.drive, "the current directory names no descriptions", r)
sources = [read("src", "local", name) for name in sorted(os.listdir(os.path.join(ROOT, "src", "local")))]
tap.result(sources and not any("getenv" in s for s in sources), "nor does the environment")
tap.equal(sum(s.count('"/etc/ssdct/pages.d"') for s in sources), 1, "there is one place on a machine")


# --- what a file can never do ---
def changed(at=None, **members):
    """The description with members of its page (or of what `at` finds in it) changed; ... removes one."""
    d = copy.deepcopy(DESCRIPTION)
    target = at(d) if at else d["pages"][0]
    for key, value in members.items():
        if value is ...:
            del target[key]
        else:
            target[key] = value
    return d


for name, d in (("says nothing", changed(read=..., smart=...)), ("says clears", changed(read="clears", smart=...))):
    tap.result(valid(d, SCHEMA), f"{name} of reading: a good file")
    for simulated in (False, True):
        host = host_with(d, simulated=simulated)
        r, sent = trace_of("log", "get", "nvme0", "acme-health", "-o", "json", host=host)
        tap.result(r.code == 4 and not [c for c in sent if c["opcode"] == 2 and c["sent"]], f"{name} of reading: refused, nothing sent", r, sent)
        tap.result("acme-health" in run("log", "list", "nvme0", host=host).out, f"{name} of reading: listed all the same")
        r, sent = trace_of("smart", "nvme0", "-o", "json", host=host)
        tap.result(r.code == 0 and not [c for c in sent if c["cdw10"] & 0xff == 0xc8], f"{name} of reading: smart leaves it alone", sent)
for words in (["--lsp", "1"], ["--uuid-index", "1"]):
    r, sent = trace_of("log", "get", "nvme0", "acme-health", *words, host=host_with(DESCRIPTION, simulated=True))
    tap.result(r.code == 4 and not [c for c in sent if c["opcode"] == 2 and c["sent"]], f"{' '.join(words)} is not what the file describes: refused", r)

# A module's page: Optane's histograms clear when they are read, whatever a file says; CAh is decoded by the module.
for lid, key in (("0xc1", "mine"), ("0xc2", "mine"), ("0xde", "latency_read"), ("0xca", "mine"), ("0xde", "mine")):
    d = changed(lid=lid, key=key, match=[{"vendor": "0x8086", "model": "INTEL SSD*"}])
    lab = os.path.join(TMP, f"optane-{lid}-{key}")
    run("sim", "create", lab, "--model", "p4800x")
    os.mkdir(os.path.join(lab, "pages.d"))
    with open(os.path.join(lab, "pages.d", "x.json"), "w", encoding="utf-8") as f:
        json.dump(d, f)
    r, sent = trace_of("smart", "nvme0", "-o", "json", host=lab)
    logs = [c["cdw10"] & 0xff for c in sent if c["opcode"] == 2]
    taken = lid != "0xde" or key == "latency_read"
    tap.result(not {0xc1, 0xc2} & set(logs) and r.drive["intel_smart"]["program_fail_count"], f"{lid} {key}: the module's pages are the module's", r, logs)
    tap.result(("local_pages" in r.drive) != taken, f"{lid} {key}: {'not used' if taken else 'an object of its own'}", r)
    code = run("log", "get", "nvme0", "0xc1", host=lab).code
    tap.equal(code, 4, f"{lid} {key}: C1h stays refused")
# Keys that the program has: apart.
for key in ("serial", "ok", "device", "intel_smart", "local_pages"):
    d = changed(key=key, fields=[dict(DESCRIPTION["pages"][0]["fields"][0], key="ok")])
    r = run("smart", "nvme0", "-o", "json", host=host_with(d))
    tap.result(r.code == 0 and r.drive["ok"] is True and r.drive["smart"]["temperature_celsius"] == 38 and len(r.drive["local_pages"]) == 1,
               f"the key {d['pages'][0]['key']} cannot shadow the program's", r)

# Drives that it is not about are asked nothing.
for name, identity in (("another vendor", id_ctrl(model="ACME D1-960G", vid=0x144d)), ("another model", id_ctrl(model="ACME X", vid=0xfa1d)),
                       ("Intel's drive", id_ctrl())):
    r, sent = trace_of("smart", "nvme0", "-o", "json", host=host_with(DESCRIPTION, id_ctrl=identity))
    tap.result("local_pages" not in r.drive and not [c for c in sent if c["cdw10"] & 0xff == 0xc8], f"{name}: not asked", sent)

# --- a drive that refuses, fails, or is short ---
two = changed()
two["pages"].append(dict(copy.deepcopy(two["pages"][0]), key="second", lid="0xc9"))
host = host_with(two, simulated=True, log_c8=None, log_c9=VECTOR)
r, sent = trace_of("smart", "nvme0", "-o", "json", host=host)
tap.equal([r.code, r.drive["ok"], r.drive["smart"]["percentage_used"], r.drive["local_pages"]], [0, True, 1, {"acme_health": None, "second": None}],
          "refused: null, health whole, and the second is not asked")
tap.equal(len([c for c in sent if c["status"]]), 1, "one refusal is enough")
host = host_with(two, simulated=True, log_c9=VECTOR, drive_json={"faults": [{"opcode": "0x02", "lid": "0xc8", "count": 0, "errno": "EIO"}]})
r = run("smart", "nvme0", "-o", "json", host=host)
tap.equal([r.code, r.drive["error"]["code"], r.drive["smart"]["percentage_used"], r.drive["local_pages"]["acme_health"], r.drive["local_pages"]["second"]],
          [1, "kernel", 1, None, EXPECTED], "failed: null, an error, and the rest is whole")
host = host_with(DESCRIPTION, simulated=True, drive_json={"faults": [{"opcode": "0x02", "lid": "0xc8", "count": 0, "short": 10}]})
r = run("smart", "nvme0", "-o", "json", host=host).drive["local_pages"]["acme_health"]
tap.equal([r["power_cuts"], r["nand_written_bytes"], r["state"]], [7, None, None], "short: what has not arrived is null")

# --- files that are wrong: a note with file and place, exit 0, and nothing of it used ---
page, field = (lambda d: d["pages"][0]), (lambda i: lambda d: d["pages"][0]["fields"][i])
match = lambda d: d["pages"][0]["match"][0]  # noqa: E731
bit = lambda d: d["pages"][0]["fields"][5]["flags"][0]  # noqa: E731
top = lambda d: d  # noqa: E731
F = "pages[0].fields"
# description, what the note says after the file's name, whether the schema sees it, too
BAD = [
    ("", "line 1, column 0: ", True), ("{", "line 1, column 1: ", True), ("nonsense", "line 1, column ", True), ("\xff\xfe", "line 1, column ", True),
    ('{"format": "ssdct-pages/1",\n "format": 1}', "line 2, column 9: ", True), ("[" * 5000, "line 1, column ", True),
    ('{"a": "\\u0000"}', "line 1, column ", True), ("{} {}", "line 1, column ", True), ("[]", "file: ", True), ("null", "line 1, column ", True), ("{}", "format: ", True),
    (changed(top, format="ssdct-pages/2"), "format: ", True), (changed(top, pages=...), "pages: is missing", True),
    (changed(top, pages=[]), "pages: ", True), (changed(top, pages={}), "pages: ", True), (changed(top, pages=[1]), "pages[0]: ", True),
    (changed(top, pages=DESCRIPTION["pages"] * 33), "pages: ", True), (changed(top, more=1), 'file: no member is called "more"', True),
    (changed(more=1), 'pages[0]: no member is called "more"', True), (changed(clears=True), "pages[0]: no member", True),
    (changed(key=...), "pages[0].key: is missing", True), (changed(key=""), "pages[0].key: ", True), (changed(key=1), "pages[0].key: ", True),
    (changed(key="Acme"), "pages[0].key: ", True), (changed(key="a-b"), "pages[0].key: ", True), (changed(key="a" * 61), "pages[0].key: ", True),
    (changed(key="a\x1b[2J"), "pages[0].key: ", True), (changed(key="wear_str"), "pages[0].key: ", True), (changed(key="smart"), "pages[0].key: a page of the spec", False),
    (changed(key="firmware_slot"), "pages[0].key: a page of the spec", False),
    (changed(label=...), "pages[0].label: is missing", True), (changed(label="\x1b[31mred"), "pages[0].label: ", True), (changed(label="l" * 81), "pages[0].label: ", True),
    (changed(label="Größe"), "pages[0].label: ", True), (changed(help="h" * 401), "pages[0].help: ", True),
    (changed(lid=...), "pages[0].lid: is missing", True), (changed(lid="0xbf"), "pages[0].lid: ", True), (changed(lid=2), "pages[0].lid: ", True), (changed(lid="0x07"), "pages[0].lid: ", True),
    (changed(lid=256), "pages[0].lid: ", True), (changed(lid=-56), "pages[0].lid: ", True), (changed(lid="c8"), "pages[0].lid: ", True), (changed(lid=200.0), "pages[0].lid: ", True),
    (changed(lid="0x"), "pages[0].lid: ", True), (changed(lid="0xc8 "), "pages[0].lid: ", True), (changed(lid=True), "pages[0].lid: ", True), (changed(lid=None), "pages[0].lid: ", True),
    (changed(length=...), "pages[0].length: is missing", True), (changed(length=0), "pages[0].length: ", True), (changed(length=15), "pages[0].length: must be a multiple", True),
    (changed(length=4194308), "pages[0].length: ", True), (changed(length=2**63), "line 1, column ", True), (changed(length=12), F + "[3].width: the field ends at byte 14, the page at 12", False),
    (changed(nsid=1), "pages[0].nsid: ", True), (changed(read="yes"), "pages[0].read: must be one of free, clears", True), (changed(read=True), "pages[0].read: ", True),
    (changed(smart="yes"), "pages[0].smart: ", True), (changed(read=...), "pages[0].smart: only a page", False), (changed(read="clears"), "pages[0].smart: only a page", False),
    (changed(match=...), "pages[0].match: is missing", True), (changed(match=[]), "pages[0].match: ", True), (changed(match=[{}]), "pages[0].match[0].vendor: is missing", True),
    (changed(match, vendor=...), "pages[0].match[0].vendor: is missing", True), (changed(match, model=...), "pages[0].match[0].model: is missing", True),
    (changed(match, model="*"), "pages[0].match[0].model: must begin", True), (changed(match, model="AC*"), "pages[0].match[0].model: must begin", True),
    (changed(match, model="?CME D1"), "pages[0].match[0].model: must begin", True), (changed(match, vendor="0x10000"), "pages[0].match[0].vendor: ", True),
    (changed(match, serial="x"), "pages[0].match[0]: no member", True), (changed(match=DESCRIPTION["pages"][0]["match"] * 65), "pages[0].match: ", True),
    (changed(fields=...), "pages[0].fields: is missing", True), (changed(fields=[]), "pages[0].fields: ", True), (changed(fields="x"), "pages[0].fields: ", True),
    (changed(fields=[[]]), F + "[0]: must be an object", True), (changed(fields=[DESCRIPTION["pages"][0]["fields"][0]] * 2), F + "[1].key: fields[0] has this key", False),
    (changed(fields=[dict(DESCRIPTION["pages"][0]["fields"][0], key=f"k{i}") for i in range(513)]), "pages[0].fields: ", True),
    (changed(field(0), offset=...), F + "[0].offset: is missing", True), (changed(field(0), offset=16), F + "[0].offset: ", False), (changed(field(0), offset=-1), F + "[0].offset: ", True),
    (changed(field(0), offset=15), F + "[0].width: the field ends at byte 17", False), (changed(field(0), width=0), F + "[0].width: ", True), (changed(field(0), width=9), F + "[0].width: ", False),
    (changed(field(0), width=2**32 + 2), F + "[0].width: ", True), (changed(field(0), kind="float"), F + "[0].kind: must be one of uint, ", True), (changed(field(0), kind=...), F + "[0].kind: ", True),
    (changed(field(0), kind=1), F + "[0].kind: ", True), (changed(field(0), bits=1), F + "[0]: no member", True), (changed(field(1), width=4), F + "[1].width: ", False),
    (changed(field(0), kind="uuid"), F + "[0].width: ", False), (changed(field(0), unit="furlongs"), F + "[0].unit: must be one of bytes, ", True),
    (changed(field(0), unit="bytes"), F + "[0].key: a key ends in its unit: _bytes", False), (changed(field(1), key="temperature"), F + "[1].key: ", False),
    (changed(field(1), unit="celsius"), F + "[1].unit: ", False), (changed(field(0), scale=0), F + "[0].scale: ", True), (changed(field(0), scale=2**32), F + "[0].scale: ", True),
    (changed(field(0), scale=1.5), F + "[0].scale: ", True), (changed(field(4), scale=2), F + "[4].scale: ", False), (changed(field(2), kind="int", width=5, scale=2), F + "[2].scale: ", False),
    (changed(field(0), null="never"), F + "[0].null: must be one of zero, ", True), (changed(field(0), enum={"0": "x"}), F + "[0].enum: ", False), (changed(field(0), flags=[]), F + "[0].flags: ", True),
    (changed(field(4), enum=...), F + "[4].enum: ", False), (changed(field(4), enum={}), F + "[4].enum: ", True), (changed(field(4), enum=["idle"]), F + "[4].enum: ", True),
    (changed(field(4), enum={"256": "x"}), F + "[4].enum: ", False), (changed(field(4), enum={"x": "y"}), F + "[4].enum: ", True), (changed(field(4), enum={"1": "a", "0x1": "b"}), F + "[4].enum: ", False),
    (changed(field(4), enum={"1": 2}), F + "[4].1: ", True), (changed(field(4), enum={"1": ""}), F + "[4].1: ", True), (changed(field(4), enum={str(i): "n" for i in range(1025)}), F + "[4].enum: ", True),
    (changed(field(5), flags=...), F + "[5].flags: is missing", False), (changed(field(5), flags=[1]), F + "[5].flags[0]: ", True), (changed(bit, bit=8), F + "[5].flags[0].bit: ", False),
    (changed(bit, bit=...), F + "[5].flags[0].bit: is missing", True), (changed(bit, key="value"), F + "[5].flags[0].key: ", False), (changed(bit, key="read_only_soon"), F + "[5].flags[1].key: ", False),
    (changed(bit, bit=1), F + "[5].flags[1].key: ", False), (changed(bit, label=1), F + "[5].flags[0].label: ", True),
]
for d, said, seen in BAD:
    text = d if isinstance(d, str) else json.dumps(d, ensure_ascii=False)
    name = text if len(text) < 30 else f"{said} ({text[-40:]})"
    host = host_with(text.encode("latin-1" if text.startswith("\xff") else "utf-8"), name="bad.json")
    host.write("pages.d/good.json", json.dumps(changed(key="good", lid="0xcf")))
    host.write("nvme0/log-cf.bin", VECTOR)
    r = run("smart", "nvme0", "-o", "json", host=host)
    lines = r.err.splitlines()
    tap.result(r.code == 0 and len(lines) == 1 and f"{host}/pages.d/bad.json: left out: {said}" in lines[0] and lines[0].isascii() and lines[0].isprintable() and r.drive["local_pages"] == {"good": EXPECTED}, f"wrong: {name!r:.90}", r)
    if isinstance(d, dict):
        tap.equal(valid(d, SCHEMA), not seen, f"the schema {'sees it, too' if seen else 'cannot say that'}: {said:.60}")
r = run("smart", "nvme0", "-q", host=host)
tap.result(r.code == 0 and r.err == "", "-q: no note", r)

# Limits from the inside, and other ways to write numbers: good, for program and schema.
GOOD = [changed(lid=200), changed(lid="200"), changed(lid="0XC8"), changed(length="0x10"), changed(nsid=0), changed(nsid="0xffffffff"), changed(key="a" * 60), changed(label="l" * 80),
        changed(help="h" * 400), changed(top, **{"$schema": "x"}), changed(field(0), scale=2**32 - 1), changed(match, firmware="8DV1*"),
        changed(field(0), width=8, kind="uint"), changed(field(0), key="n", unit="hex"), changed(field(4), enum={"0xff": "x", "0": "y"}), changed(field(2), kind="int", scale=7)]
for i, d in enumerate(GOOD):
    r = run("smart", "nvme0", "-o", "json", host=host_with(d))
    tap.result(r.code == 0 and not r.err and len(r.drive["local_pages"]) == 1 and valid(d, SCHEMA), f"good {i}", r.err, valid(d, SCHEMA))

# Two descriptions of one page: the first file has it.
host = host_with(DESCRIPTION, name="1.json")
host.write("pages.d/0.json", json.dumps(changed(key="other", label="Other")))
tap.equal(list(run("smart", "nvme0", "-o", "json", host=host).drive["local_pages"]), ["other"], "of two descriptions of one page the first is used")
# --- a recording takes the descriptions and their pages along, and a copy of it has them still ---
def described(name, free="free", smart=True, lid="0xc8"):
    return {"key": name, "label": name, "match": [{"vendor": "0xfa1d", "model": "ACME D1-*"}], "lid": lid, "length": 8, "read": free, "smart": smart,
            "fields": [{"key": "cuts", "label": "Cuts", "offset": 4, "width": 4, "kind": "uint"}]}


several = Host(simulated=True).drive(id_ctrl=id_ctrl(model="ACME D1-960G", vid=0xfa1d, ssvid=0xfa1d), **{f"log_{lid}": bytes(4) + b"\7\0\0\0" for lid in ("c8", "c9", "ca")})
several.write("pages.d/one.json", json.dumps({"format": "ssdct-pages/1", "pages": [
    described("first"), described("unasked", smart=False, lid="0xc9"), described("harmful", free="clears", smart=False, lid="0xca")]}))
several.write("pages.d/wrong.json", "{}")
recording, copied = os.path.join(TMP, "recording"), os.path.join(TMP, "recording-copy")
r = run("capture", "--to", recording, "-o", "json", host=several)
there = sorted(f for f in os.listdir(os.path.join(recording, "nvme0")) if f.startswith("log-c"))
tap.equal((r.code, there, os.listdir(os.path.join(recording, "pages.d"))), (0, ["log-c8.bin"], ["one.json"]), "capture: the page that smart reads, and its description")
tap.equal(sorted(g["file"] for g in r.drive["capture"]["left_out"] if g["file"].startswith("log-c")), ["log-c9.bin", "log-ca.bin"], "capture: the others are listed")
run("sim", "create", copied, "--from", recording)
for name, path in (("recording", recording), ("copy", copied)):
    tap.equal(run("smart", "nvme0", "-o", "json", host=path).drive["local_pages"]["first"], {"cuts": 7}, f"{name}: the page is known")
sys.exit(tap.end())
