#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Images as they come: raw, .zip, .cab with AppStream metadata, and what is no image (bugs 39, 47).

Archives are made here: .zip by Python, .cab by the description MS-CAB (sections 2 and 3), and by gcab where it is
installed. GUIDs are those of RFC 4122, as Python's uuid makes them.
"""
import gzip
import hashlib
import io
import json
import lzma
import os
import shutil
import struct
import subprocess
import sys
import tarfile
import uuid
import zipfile
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fw_lib import (MODEL, NEW, OLD, SIZE, SSDCT, TMP, Tap, changing, drive, image_bytes, run, traced, truth, update, write)  # noqa: E402

tap = Tap()
IMAGE = image_bytes()
VENDOR, DEVICE, SUBVENDOR, SUBDEVICE = 0x8086, 0x0953, 0x8086, 0x3702
SYSFS = {"vendor": f"{VENDOR:#06x}", "device": f"{DEVICE:#06x}", "subsystem_vendor": f"{SUBVENDOR:#06x}",
         "subsystem_device": f"{SUBDEVICE:#06x}"}
# Instance ids: fwupd's page on NVMe devices.
IDS = {"vendor and device": f"NVME\\VEN_{VENDOR:04X}&DEV_{DEVICE:04X}",
       "subsystem too": f"NVME\\VEN_{VENDOR:04X}&DEV_{DEVICE:04X}&SUBSYS_{SUBVENDOR:04X}{SUBDEVICE:04X}", "model": MODEL}
OTHER_ID = "NVME\\VEN_8086&DEV_0A54"


def zipped(members, method=zipfile.ZIP_DEFLATED):
    buf = io.BytesIO()
    with zipfile.ZipFile(buf, "w", method) as z:
        for name, data in members.items():
            z.writestr(name, data)
    return buf.getvalue()


def cab_sum(data, seed=0):
    """Section 3.1: exclusive or of little-endian words; what is left over at the end, big-endian."""
    whole = len(data) // 4 * 4
    for (word,) in struct.iter_unpack("<I", data[:whole]):
        seed ^= word
    return seed ^ int.from_bytes(data[whole:], "big")


def cab_blocks(data, mszip):
    """CFDATA: blocks of at most 32 KiB; MSZIP ones are deflated with the block before as their dictionary."""
    previous = b""
    for at in range(0, len(data), 32768):
        plain = packed = data[at:at + 32768]
        if mszip:
            c = zlib.compressobj(9, zlib.DEFLATED, -15, zdict=previous) if previous else zlib.compressobj(9, zlib.DEFLATED, -15)
            packed = b"CK" + c.compress(plain) + c.flush()
        sizes = struct.pack("<HH", len(packed), len(plain))
        yield struct.pack("<I", cab_sum(sizes, cab_sum(packed))) + sizes + packed
        previous = plain


def cabinet(members, mszip=False):
    """One folder with all files."""
    data, files = b"".join(members.values()), b""
    offset = 0
    for name, content in members.items():
        files += struct.pack("<IIHHHH", len(content), offset, 0, 0x5821, 0, 0x20) + name.encode() + b"\0"
        offset += len(content)
    blocks = list(cab_blocks(data, mszip))
    data_at = 36 + 8 + len(files)
    header = b"MSCF" + struct.pack("<IIIIIBBHHHHH", 0, data_at + sum(map(len, blocks)), 0, 36 + 8, 0, 3, 1, 1, len(members), 0, 0, 0)
    return header + struct.pack("<IHH", data_at, len(blocks), 1 if mszip else 0) + files + b"".join(blocks)


def gcab(members):
    """By another hand."""
    place = os.path.join(TMP, "gcab")
    shutil.rmtree(place, True)
    for name, data in members.items():
        os.makedirs(os.path.dirname(os.path.join(place, name)), exist_ok=True)
        with open(os.path.join(place, name), "wb") as f:
            f.write(data)
    subprocess.run(["gcab", "--create", "--zip", "--nopath", "../made.cab", *members], cwd=place, check=True, capture_output=True)
    with open(os.path.join(TMP, "made.cab"), "rb") as f:
        return f.read()


FORMATS = {"zip": zipped, "stored zip": lambda m: zipped(m, zipfile.ZIP_STORED), "cab": cabinet, "MSZIP cab": lambda m: cabinet(m, True)}
if shutil.which("gcab"):
    FORMATS["cab by gcab"] = gcab


def metainfo(instance, payload=None, version=NEW, name="A drive", sha256=None, guid=None, requires=""):
    guid = guid or uuid.uuid5(uuid.NAMESPACE_DNS, instance)
    checksum = "" if payload is None else (f'<checksum filename="{payload}" target="content" type="sha256">'
                                           f'{sha256 or hashlib.sha256(IMAGE).hexdigest()}</checksum>')
    return (f'<?xml version="1.0" encoding="UTF-8"?>\n<component type="firmware">\n<id>org.example.x</id><name>{name}</name>\n'
            f'<provides><firmware type="flashed">{guid}</firmware></provides>{requires}\n'
            f'<releases><release version="{version}" date="2024-01-01">{checksum}</release></releases>\n</component>\n').encode()


def known(**words):
    """A drive whose PCI ids are known."""
    return drive(sysfs=SYSFS, **words)


def accepted(host, path, text, member=None, version=None):
    r, sent = traced(update, host, "--activate", "reset", image=path)
    image = (r.drive["fw"] or {}).get("image") or {}
    with open(path, "rb") as f:
        is_archive = f.read() != IMAGE
    tap.result(r.code == 0 and truth(host).revision == NEW and image.get("size_bytes") == SIZE and image["path"] == path
               and image["sha256"] == hashlib.sha256(IMAGE).hexdigest() and image["version"] == version
               and image["member"] == (member if is_archive else None), text, r)
    tap.equal(sum(c["data_len"] for c in changing(sent)), SIZE, f"{text}: these bytes are sent")


def refused(path, words, text, host=None):
    """Nothing of it reaches a drive; the message names what it is."""
    r, sent = traced(update, host or known(), image=path)
    words = [words] if isinstance(words, str) else words
    tap.result(r.code == 8 and r.json["error"]["code"] == "bad_input" and all(w in r.json["error"]["message"] for w in words)
               and not changing(sent), f"47: {text}: exit 8", words, r)


def wrong_files():
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w") as t:
        t.addfile(tarfile.TarInfo("fw.bin"), io.BytesIO())
    os.mkfifo(os.path.join(TMP, "fifo"))
    os.symlink(os.path.join(TMP, "nowhere"), os.path.join(TMP, "dangling"))
    for data, words in ((b"", "empty"), (open(SSDCT, "rb").read(4096), "ELF"), (gzip.compress(IMAGE), "gzip"),
                        (lzma.compress(IMAGE), "xz"), (tar.getvalue(), "tar"), (b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n", "PDF"),
                        (b"<!DOCTYPE html>\n<html><head><title>404</title></head></html>\n", "HTML"),
                        (b"  \n<HTML lang=en><body>Please log in</body>", "HTML"), (b"#!/bin/sh\nexec ./updater\n", "script"),
                        (b"Just a few words of text, no firmware at all.\n" * 20, "text"), (json.dumps({"a": list(range(99))}).encode(), "text"),
                        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n", "text"), (b"MZ\x90\0" + bytes(60), "Windows"),
                        (b"\x89PNG\r\n\x1a\n" + bytes(60), "picture"), (b"7z\xbc\xaf\x27\x1c" + bytes(60), "7-Zip"),
                        (b"Rar!\x1a\x07\0" + bytes(60), "RAR"), (b"!<arch>\ndebian-binary   ", "package"),
                        (IMAGE + b"x", "multiple of 4")):
        refused(write("wrong", data), words, f"a file that is {words}")
    for path, words in ((TMP, "directory"), ("/dev/null", "regular"), ("/dev/zero", "regular"), (os.path.join(TMP, "fifo"), "regular"),
                        (os.path.join(TMP, "missing"), "No such file"), (os.path.join(TMP, "dangling"), "No such file"), ("", "No such file")):
        refused(path, words, f"{path.replace(TMP, 'TMP') or 'an empty name'}: {words}")
    huge = write("huge", b"")
    os.truncate(huge, (64 << 20) + 4)
    refused(huge, "64 MiB", "a file larger than any firmware")
    if os.geteuid():
        os.chmod(write("secret", IMAGE), 0)
        refused(os.path.join(TMP, "secret"), "denied", "a file that may not be read")
    for command in (("fw", "download"), ("fw", "update")):
        r = run(*command, "nvme0", "--yes", host=known())
        tap.equal(r.code, 2, f"{' '.join(command)} without --image: exit 2")
    r, sent = traced(run, "fw", "download", "nvme0", "--image", SSDCT, "--yes", "-o", "json", host=known())
    tap.result(r.code == 8 and "ELF" in r.json["error"]["message"] and not changing(sent), "47: fw download looks at the file as well", r)


def binaries_of_all_kinds():
    """What only begins like something else is an image: the drive says whether it is its own."""
    for data, text in ((b"\xff" * 4096, "padding with FFh"), (b"MZ" + bytes(62), "MZ and no program"), (b"\x1f\x8b\xff\xff" * 64, "1F8Bh, but not gzip"),
                       (b"BZh-A-header" + bytes(52), "BZh, but not bzip2"), (bytes(range(0xa0, 0x100)) * 8, "bytes above 7Fh that are no UTF-8")):
        host = known()
        r, sent = traced(update, host, image=write("odd", data + IMAGE))
        tap.result(r.code == 8 and changing(sent) and r.drive["error"]["nvme_status"]["code"] == 7, f"{text}: sent, and the drive judges", r)
    refused(write("wrong", "Größe: 1 Mega-Byte, müsste für alles reichen\n".encode() * 20), "text", "a text in UTF-8")


REQUIREMENTS = (  # on a drive that runs OLD, with ids of VENDOR
    (f'<firmware compare="ge" version="{OLD}"/>', True), (f'<firmware compare="eq" version="{OLD}"/>', True),
    (f'<firmware compare="ge" version="{NEW}"/>', False), ('<firmware compare="eq" version="9.9.9"/>', False),
    (f'<firmware compare="lt" version="{OLD}"/>', False), (f'<firmware compare="ne" version="{OLD}"/>', False),
    ('<firmware compare="glob" version="8DV1*"/>', True), ('<firmware compare="regex" version="^8DV1017[0-9]$"/>', False),
    ('<firmware compare="regex" version="["/>', False), ('<firmware compare="newer" version="1"/>', False),
    ('<firmware compare="ge" version="1">bootloader</firmware>', False),
    ('<firmware compare="eq" version="NVME:0x8086">vendor-id</firmware>', True),
    ('<firmware compare="regex" version="USB:0x1234|NVME:0x8086">vendor-id</firmware>', True),
    ('<firmware compare="eq" version="NVME:0x144D">vendor-id</firmware>', False),
    ('<id compare="ge" version="9.9.9">org.freedesktop.fwupd</id>', True),
    (f'<firmware compare="eq" version="{OLD}"/>' * 9, False),
)


def requirements():
    for text, met in REQUIREMENTS:
        path = write("fw", zipped({"x.metainfo.xml": metainfo(IDS["model"], "firmware.bin", requires=f"<requires>{text}</requires>"),
                                   "firmware.bin": IMAGE}))
        if met:
            accepted(known(), path, f"requires {text[:70]}: met", "firmware.bin", NEW)
        else:
            refused(path, ["requires", OLD], f"requires {text[:70]}: not met")


def rejected_by_the_drive():
    for data, text in ((image_bytes(model="OTHER"), "for another model"), (IMAGE[:-512], "truncated"), (IMAGE[:-4] + b"\0\0\0\0", "damaged"),
                       (bytes(8192), "zeros"), (os.urandom(4096 * 3), "noise")):
        host = known()
        r = update(host, "--activate", "reset", image=write("bad", data))
        tap.result(r.code == 8 and r.drive["fw"]["result"] == "not_applied" and r.drive["error"]["nvme_status"]["code"] == 7
                   and r.drive["error"]["nvme_status"]["type"] == 1 and truth(host).slots[0] == OLD, f"47: an image {text}: 107h, exit 8", r)


def plain_archives():
    accepted(known(), write("fw.bin", IMAGE), "a raw image")
    for kind, make in FORMATS.items():
        accepted(known(), write("fw", make({"fw.bin": IMAGE})), f"{kind}: one file in it, by whatever name", "fw.bin")
        accepted(known(), write("fw", make({"README.txt": b"Read me first, please.\n", "fw.bin": IMAGE, "sums.asc": b"x"})),
                 f"{kind}: one image among papers", "fw.bin")
        refused(write("fw", make({"a.bin": IMAGE, "b.bin": IMAGE})), ["a.bin", "b.bin"], f"{kind}: two images: which is not said")
        refused(write("fw", make({"README.txt": b"Nothing here but text.\n"})), "no firmware image", f"{kind}: no image in it")
        whole = make({"fw.bin": os.urandom(40000)})
        refused(write("fw", whole[:len(whole) // 2]), "damaged", f"{kind}: cut in half")
    refused(write("fw", zipped({})), "", "zip: empty")
    accepted(known(), write("fw", zipped({"vendor/": b"", "vendor/8DV10171/fw.bin": IMAGE})), "zip: in a folder", "vendor/8DV10171/fw.bin")
    bomb = zipped({"fw.bin": bytes(300 << 20)})
    refused(write("bomb", bomb), "too large", "zip: unpacks to 300 MiB")


def with_metadata():
    for kind, make in FORMATS.items():
        for what, instance in IDS.items():
            members = {"other.metainfo.xml": metainfo(OTHER_ID, "other.bin", "1"), "right.metainfo.xml": metainfo(instance, "right.bin"),
                       "other.bin": os.urandom(64), "right.bin": IMAGE}
            accepted(known(), write("fw", make(members)), f"{kind}: by {what}", "right.bin", NEW)
        accepted(known(), write("fw", make({"x.metainfo.xml": metainfo(IDS["model"]), "firmware.bin": IMAGE, "b.bin": b"\1\2\3\4"})),
                 f"{kind}: the metadata name no file: firmware.bin", "firmware.bin", NEW)
        refused(write("fw", make({"x.metainfo.xml": metainfo(OTHER_ID, "firmware.bin", name="Other drive"), "firmware.bin": IMAGE})),
                ["Other drive", MODEL], f"{kind}: for another drive, which is named")
        refused(write("fw", make({"x.metainfo.xml": metainfo(IDS["model"], "firmware.bin", sha256="0" * 64), "firmware.bin": IMAGE})),
                "SHA-256", f"{kind}: not the file that the metadata mean")
        refused(write("fw", make({"x.metainfo.xml": metainfo(IDS["model"], "missing.bin"), "firmware.bin": IMAGE})), "missing.bin",
                f"{kind}: the file is not in it")
    fguid = uuid.uuid4()
    members = {"x.metainfo.xml": metainfo("", "firmware.bin", guid=fguid), "firmware.bin": IMAGE}
    accepted(known(offset_112=fguid.bytes_le), write("fw", zipped(members)), "by the FRU GUID", "firmware.bin", NEW)
    refused(write("fw", zipped(members)), MODEL, "another FRU GUID")
    # The PCI device id is not in Identify: a directory made by hand has it only when somebody wrote it there.
    accepted(drive(), write("fw", zipped({"x.metainfo.xml": metainfo(OTHER_ID, "firmware.bin", name=f"{MODEL} firmware"),
                                          "firmware.bin": IMAGE})), "without PCI ids: by the name", "firmware.bin", NEW)
    refused(write("fw", zipped({"x.metainfo.xml": b"<component type='firmware'><name>", "a.bin": IMAGE, "b.bin": IMAGE})), "a.bin",
            "metadata that are no XML")


def version_of_the_archive():
    """What the metadata say is as good as --expect, when it is what runs."""
    archive = write("fw", zipped({"x.metainfo.xml": metainfo(IDS["model"], "firmware.bin"), "firmware.bin": IMAGE}))
    r, sent = traced(update, known(revisions=(NEW,)), "--activate", "reset", image=archive)
    tap.result(r.code == 0 and r.drive["fw"]["result"] == "already_current" and not changing(sent), "the archive's version runs: nothing is sent", r)
    # One archive for two kinds of drives, in one run: each gets its own.
    other = image_bytes(revision="VDV10184", model="INTEL SSDPE2KX040T8")
    archive = write("fw", cabinet({"a.metainfo.xml": metainfo(IDS["model"], "a.bin"), "a.bin": IMAGE,
                                   "b.metainfo.xml": metainfo("INTEL SSDPE2KX040T8", "b.bin", "VDV10184",
                                                              sha256=hashlib.sha256(other).hexdigest()), "b.bin": other}))
    host = drive("nvme1", host=known(), model="INTEL SSDPE2KX040T8", revisions=("VDV10131",))
    r = update(host, "--activate", "reset", "--model", "INTEL *", drive_words=("--all",), image=archive)
    tap.result(r.code == 0 and [truth(host, n).revision for n in ("nvme0", "nvme1")] == [NEW, "VDV10184"]
               and [d["fw"]["image"]["member"] for d in r.json["drives"]] == ["a.bin", "b.bin"], "one archive, two models: each its own", r)


def sim_image():
    """What `sim image` makes is what the contract describes."""
    out = os.path.join(TMP, "made.bin")
    r = run("sim", "image", "--model", MODEL, "--revision", NEW, "--size", "40960", "--out", out)
    data = open(out, "rb").read() if os.path.exists(out) else b""
    tap.result(r.code == 0 and len(data) == 40960 and data[:8] == b"SSDCTFW1" and data[8:16] == NEW.encode() and data[16:56] == MODEL.encode().ljust(40)
               and data[56:64] == struct.pack("<II", zlib.crc32(data[64:]), 0), "sim image: by the contract's description", r, data[:64])
    host = known()
    r = update(host, "--activate", "reset", "--expect", NEW, image=out)
    tap.result(r.code == 0 and truth(host).revision == NEW, "sim image: its drive takes it", r)


def main():
    for part in (wrong_files, binaries_of_all_kinds, requirements, rejected_by_the_drive, plain_archives, with_metadata, version_of_the_archive, sim_image):
        part()
    return tap.end()


sys.exit(main())
