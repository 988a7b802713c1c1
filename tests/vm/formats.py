# SPDX-License-Identifier: MIT
"""Boot "format": Format NVM on QEMU's drives, beside what nvme-cli and the kernel say afterwards."""
import json

import drives

FORMAT = 0x80
MIB = 64
# What was wished: (block bytes, metadata bytes, extended, protection type); what the kernel makes of it is checked beside.
DONE = {
    "to-4096": (4096, 0, 0, 0),
    "forced": (512, 0, 0, 0),
    "separate": (512, 8, 0, 0),
    "protected": (4096, 8, 0, 1),
    "extended": (512, 8, 1, 0),
    "plain": (512, 0, 0, 0),
    "erased": (512, 0, 0, 0),
    "free": (4096, 0, 0, 0),
}
# Exit code, words of the message or the hint.
REFUSED = {
    "unconfirmed": (4, "--confirm"),
    "other": (4, "FORM0002"),
    "mounted": (4, "is mounted on /mnt"),
    "signature": (4, "contains ext"),
    "table": (4, "contains"),
    "swap": (4, "is swap space"),
    "partition": (4, "p2 is mounted on /mnt"),
    "elsewhere": (4, "in the mount namespace of process"),
    "opener": (4, "is open in process"),
    "loop": (4, "is part of loop0"),
    "array": (4, "is part of md7"),
    "missing": (7, "no format of 1024 bytes"),
    "controller": (4, "--all-namespaces"),
}


def devices(machine):
    return [*drives.drive(machine, "one", "FORM0001"), *drives.drive(machine, "two", "FORM0002", "", ((1, ""), (2, "")))]


def sent(result, name):
    return [r for r in map(json.loads, result.text(f"{name}.trace").splitlines()) if r["opcode"] == FORMAT and r["sent"]]


def as_nvme_cli_says(result, name):
    """Block and metadata bytes, MSET and protection type of the format in use."""
    doc = json.loads(result.text(f"{name}.id-ns"))
    lbaf = doc["lbafs"][doc["flbas"] & 0xf]
    return 1 << lbaf["ds"], lbaf["ms"], doc["flbas"] >> 4 & 1, doc["dps"] & 7


def check(tap, result):
    for name, wanted in DONE.items():
        doc = result.json(name)["drives"][0]
        formats = sent(result, name)
        tap.result(result.rc(name) == 0 and doc["format"]["result"] == "formatted" and len(formats) == 1 and formats[0]["status"] == 0,
                   f"{name}: formatted, with one command", json.dumps(doc))
        tap.equal(as_nvme_cli_says(result, name), wanted, f"{name}: nvme id-ns reads it back")
        after = doc["format"]["scope"][0]["after"]
        tap.equal((after["block_bytes"], after["metadata_bytes"], int(after["extended_metadata"] or 0), after["protection_type"]), wanted,
                  f"{name}: ssdct says the same")
        if not wanted[2]:  # of extended metadata the kernel makes nothing
            block, sectors = map(int, result.text(f"{name}.kernel").split())
            tap.result(block == wanted[0] and sectors * 512 == after["size_bytes"] and doc["format"]["host_refresh"] == "done",
                       f"{name}: the kernel shows it", block, sectors, json.dumps(doc["format"]))
        tap.equal(result.text(f"{name}.partitions").strip(), "0", f"{name}: no partition is left")
    for name, (code, words) in REFUSED.items():
        error = result.json(name)["error"]
        tap.result(result.rc(name) == code and words in error["message"] + (error["hint"] or "") and not sent(result, name),
                   f"{name}: exit {code}, {words}, and nothing was sent", error)
    tap.result(result.rc("dry") == 0 and not sent(result, "dry"), "dry run: nothing sent")
    tap.equal(result.text("file"), "precious\n", "what was refused is still there")
    check_two(tap, result)


def check_two(tap, result):
    all_at_once = json.loads(result.text("id-ctrl"))["fna"] & 1
    tap.result(result.rc("first") == (4 if all_at_once else 0) and len(sent(result, "first")) == (0 if all_at_once else 1),
               f"one of two namespaces, FNA bit 0 is {all_at_once}", result.text("first.out"))
    doc = result.json("all")["drives"][0]["format"]
    tap.result(result.rc("all") == 0 and doc["result"] == "formatted" and [s["nsid"] for s in doc["scope"]] == [1, 2],
               "--all-namespaces", json.dumps(doc))
    for nsid in (1, 2):
        tap.equal(as_nvme_cli_says(result, f"all-{nsid}")[0], 4096, f"namespace {nsid}: nvme id-ns reads it back")
