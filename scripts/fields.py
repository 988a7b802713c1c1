#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes ssdct-fields(7), the manual of all JSON keys, from what `ssdct schema` says of them.

usage: fields.py PATH-OF-SSDCT >ssdct-fields.7
"""
import json
import subprocess
import sys

HEAD = r""".\" SPDX-License-Identifier: MIT
.\" Generated from the program's own descriptors.
.Dd December 1, 2026
.Dt SSDCT-FIELDS 7
.Os
.Sh NAME
.Nm ssdct-fields
.Nd keys of the JSON documents of ssdct
.Sh DESCRIPTION
Every document of
.Xr ssdct 8
is one object.
The keys that all commands share come first, then those of each command, as paths from the element of
.Ql drives ,
or from the top where that is said.
.Ql []
is an element of an array.
A key ends in its unit.
Any value may be null, which means
.Dq not reported ,
unless
.Dq always
stands beside its type.
A key
.Ar key Ns Ql _str
has all digits of the number beside it.
.Pp
Keys are never renamed, retyped or removed; new ones may appear.
"""


def escaped(text):
    text = text.replace("\\", "\\e")
    return "\\&" + text if text[:1] in ".'" else text


def keys(schema, path=""):
    """All (path, type, always, description) below an object's schema."""
    for name, member in schema.get("properties", {}).items():
        types = member["type"] if isinstance(member["type"], list) else [member["type"]]
        if not name.endswith("_str"):
            yield path + name, types[0], "null" not in types, member.get("description", "")
        inner = member["items"] if types[0] == "array" else member
        yield from keys(inner, f"{path}{name}{'[]' if types[0] == 'array' else ''}.")


def table(rows):
    lines = [".Bl -tag -width Ds"]
    for path, kind, always, description in rows:
        lines += [f".It Ql {escaped(path)}", f"{kind}{', always' if always else ''}"]
        if description:
            lines += [f"\\(en {escaped(description)}"]
    return lines + [".El"]


def main():
    schemas = json.loads(subprocess.run([sys.argv[1], "schema"], check=True, capture_output=True, text=True).stdout)
    documents = {title: list(keys(schema)) for title, schema in schemas.items()}
    shared = set.intersection(*(set(rows) for rows in documents.values()))
    lines = [".Sh ALL COMMANDS"] + table(r for r in documents["list"] if r in shared)
    # A command with two names is described once.
    titles = {}
    for title, rows in documents.items():
        titles.setdefault(tuple(r for r in rows if r not in shared), []).append(title)
    for own, names in titles.items():
        if not own:
            continue
        lines.append(".Sh " + ", ".join(f"SSDCT {name.upper()}" for name in names))
        top = [r for r in own if not r[0].startswith("drives[].")]
        if top:
            lines += ["At the top of the document:"] + table(top)
        element = [(path.removeprefix("drives[]."), *rest) for path, *rest in own if path.startswith("drives[].")]
        if element:
            lines += table(element)
    sys.stdout.write(HEAD + "\n".join(lines) + "\n.Sh SEE ALSO\n.Xr ssdct 8 ,\n.Xr ssdct-schema 8\n")


main()
