#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sim image, sim reset, sim power-cycle, and fault rules for resets.

Images are taken apart by the layout in ssdct-host(5), with Python's zlib; drives are looked at in their files.
"""
import json
import os
import stat
import struct
import sys
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import TMP, Host, Tap, id_ctrl, run, slot_log, smart  # noqa: E402

tap = Tap()
MODEL = "INTEL SSDPEDMD020T4"


def read(path):
    with open(path, "rb") as f:
        return f.read()


def image(name, *words, model=MODEL, revision="8DV10171", size="64K"):
    path = os.path.join(TMP, name)
    return path, run("sim", "image", "--model", model, "--revision", revision, "--size", size, "--out", path, "-o", "json", *words)


def truth(host, name="nvme0"):
    """(revision that runs, running slot, next slot, revisions of slots) as the files have them."""
    log, ctrl = read(f"{host}/{name}/log-03.bin"), read(f"{host}/{name}/id-ctrl.bin")
    revisions = [log[at:at + 8].rstrip(b" \0").decode() for at in range(8, 64, 8)]
    return ctrl[64:72].decode().rstrip(), log[0] & 7, log[0] >> 4 & 7, [r for r in revisions if r]


# --- images ---


def images():
    for name, model, revision, size, count in (("a", MODEL, "8DV10171", "65536", 65536), ("b", "X", "1", "64", 64),
                                               ("c", MODEL, "A B", "1M", 1 << 20), ("d", "M" * 40, "12345678", "512K", 1 << 19),
                                               ("e", MODEL, "R", "4KiB", 4096), ("f", MODEL, "R", "10kB", 10000),
                                               ("g", MODEL, "R", "65B", 65), ("h", MODEL, "R", "64M", 64 << 20)):
        path, r = image(name, model=model, revision=revision, size=size)
        data = read(path)
        good = (data[:8] == b"SSDCTFW1" and data[8:16] == revision.encode().ljust(8) and data[16:56] == model.encode().ljust(40)
                and struct.unpack("<II", data[56:64]) == (zlib.crc32(data[64:]), 0))
        tap.result(r.code == 0 and len(data) == count and good, f"image of {size}: {count} bytes by the layout", r, data[:64])
        tap.equal(r.json["image"], {"path": path, "size_bytes": count, "model": model, "revision": revision, "written": True},
                  f"image of {size}: JSON")
    path, r = image("short", model="p3700")
    tap.equal(r.json["image"]["model"], MODEL, "a name of `sim models` stands for its model")
    tap.equal(read(path)[64:], read(image("again", model=MODEL)[0])[64:], "the same words make the same bytes")
    payload = read(path)[64:]
    tap.result(len({payload[at:at + 16] for at in range(0, 4096, 16)}) == 256, "no two parts of the payload are the same")


def not_overwritten():
    path, r = image("kept")
    before = os.stat(path)
    path, r = image("kept")
    after = os.stat(path)
    tap.result(r.code == 0 and r.json["image"]["written"] is False and before.st_mtime_ns == after.st_mtime_ns
               and before.st_ino == after.st_ino, "the same image once more: left alone", r)
    for words, text in (({"revision": "OTHER"}, "another revision"), ({"size": "128K"}, "another size")):
        path, r = image("kept", **words)
        tap.result(r.code == 4 and r.json["error"]["code"] == "refused" and os.stat(path).st_ino == before.st_ino
                   and os.stat(path).st_mtime_ns == before.st_mtime_ns, f"{text}: exit 4, the file is as it was", r)
    for name, make in (("fifo", os.mkfifo), ("directory", os.mkdir), ("dangling", lambda p: os.symlink("nowhere", p))):
        make(os.path.join(TMP, name))
        path, r = image(name)
        tap.result(r.code == 4 and not stat.S_ISREG(os.lstat(path).st_mode), f"{name}: exit 4", r)
    _, r = image("none/there")
    tap.result(r.code == 1 and r.json["error"]["code"] == "output", "no such directory: exit 1", r)
    if os.path.exists("/dev/full"):
        _, r = image("../../dev/full")
        tap.result(r.code == 4, "a device: exit 4", r)


def bad_words():
    out = os.path.join(TMP, "unwritten")
    good = {"--model": MODEL, "--revision": "8DV10171", "--size": "64K", "--out": out}
    for missing in good:
        words = [w for k, v in good.items() if k != missing for w in (k, v)]
        r = run("sim", "image", *words)
        tap.result(r.code == 2 and missing in r.err, f"without {missing}: exit 2", r)
    for option, value in (("--size", "63"), ("--size", "65M"), ("--size", "0"), ("--size", ""), ("--size", "-1"), ("--size", "1X"),
                          ("--size", "K"), ("--size", "1.5"), ("--size", "1 M"), ("--size", "0x1000"), ("--size", "1MiBs"),
                          ("--size", "99999999999999999999"), ("--size", "18014398509481984K"), ("--revision", "123456789"),
                          ("--revision", ""), ("--revision", "A\tB"), ("--model", "M" * 41), ("--model", ""), ("--model", "é")):
        words = [w for k, v in {**good, option: value}.items() for w in (k, v)]
        r = run("sim", "image", *words)
        tap.result(r.code == 2 and not r.out and not os.path.exists(out), f"{option} {value!r}: exit 2", r)


# --- resets ---


def drive(firmware=None, faults=None, host=None, name="nvme0", **fields):
    host = host or Host(simulated=True)
    return host.drive(name, id_ctrl=id_ctrl(frmw=0x14, serial=fields.pop("serial", "S" + name), **fields),
                      log_03=slot_log(1, 2, ("8DV10131", "8DV10171")), drive_json={"firmware": firmware or {}, "faults": faults or []})


OLD, NEW = ("8DV10131", 1, 2, ["8DV10131", "8DV10171"]), ("8DV10171", 2, 0, ["8DV10131", "8DV10171"])


def events():
    for activation, enough in (("controller_reset", ("reset", "--subsystem", "power-cycle")), ("subsystem_reset", ("--subsystem", "power-cycle")),
                               ("conventional_reset", ("power-cycle",)), ("power_cycle", ("power-cycle",))):
        for event, words in (("reset", ("reset",)), ("--subsystem", ("reset", "--subsystem")), ("power-cycle", ("power-cycle",))):
            host = drive({"activation": activation})
            r = run("sim", *words, host, "-o", "json")
            is_now = NEW if event in enough else OLD
            word = {"reset": "controller_reset", "--subsystem": "subsystem_reset", "power-cycle": "power_cycle"}[event]
            tap.result(r.code == 0 and truth(host) == is_now and r.json["backend"] == "simulated"
                       and (r.drive["event"], r.drive["before"], r.drive["after"], r.drive["firmware"])
                       == (word, "8DV10131", is_now[0], is_now[0]), f"{activation}: sim {' '.join(words)}", r, truth(host))


def three():
    host = drive()
    for name in ("nvme1", "nvme2"):
        drive(host=host, name=name)
    return host


def which_drives():
    for words, reset in (((":",), "012"), ((":", "nvme1"), "1"), (("nvme1", "nvme2", "--host", ":"), "12"), (("--host", ":"), "012"),
                         ((":", "Snvme2"), "2"), ((":", "--all"), "012")):
        host = three()
        r = run("sim", "reset", *[str(host) if w == ":" else w for w in words], "-o", "json")
        done = "".join(n for n in "012" if truth(host, "nvme" + n) == NEW)
        tap.result(r.code == 0 and done == reset and "".join(d["device"][4] for d in r.json["drives"]) == reset,
                   f"sim reset {' '.join(words)}".replace(":", "DIR"), r, done)
    host, other = three(), three()
    r = run("sim", "power-cycle", "nvme0", env={"SSDCT_HOST": str(host)})
    tap.result(r.code == 0 and truth(host) == NEW and truth(host, "nvme1") == OLD, "SSDCT_HOST, and a drive", r)
    r = run("sim", "power-cycle", other, "nvme0", env={"SSDCT_HOST": str(host)})
    tap.result(r.code == 0 and truth(other) == NEW and truth(other, "nvme1") == OLD and truth(host, "nvme1") == OLD,
               "SSDCT_HOST, and another host's directory", r)
    r = run("sim", "power-cycle", host, "nvme7", "-o", "json")
    tap.result(r.code == 3 and r.json["error"]["code"] == "not_found" and truth(host, "nvme1") == OLD, "no such drive: exit 3", r)
    r = run("sim", "power-cycle", "nvme0")
    tap.result(r.code == 3, "no such directory: exit 3", r)
    for verb in ("power-cycle", "reset"):
        r = run("sim", verb, "-o", "json")
        tap.result(r.code == 7 and "--host" in r.json["error"]["hint"], f"sim {verb} alone: exit 7, whatever drives there are", r)
        recorded = Host().drive()
        r = run("sim", verb, "--host", recorded, "-o", "json")
        tap.result(r.code == 7 and "sim create" in r.json["error"]["hint"] and not os.path.exists(f"{recorded}/nvme0/state.json"),
                   f"sim {verb}: a recorded host is exit 7", r)
    text = run("sim", "reset", three()).out
    tap.result("(simulated)" in text and "controller reset" in text and text.count("8DV10171") == 3, "text", text)


def counters():
    host = drive()
    host.write("nvme0/log-02.bin", smart(counters=[0, 0, 0, 0, 0, 41, 0, 0, 0, 0]))
    run("sim", "power-cycle", host)
    run("sim", "reset", host)
    tap.equal(int.from_bytes(read(f"{host}/nvme0/log-02.bin")[112:128], "little"), 42, "a power cycle is counted, a reset is not")


def download_is_lost():
    path, _ = image("download", size="20000")
    for words in (("sim", "reset"), ("sim", "reset", "--subsystem"), ("sim", "power-cycle")):
        host = drive()
        r = run("fw", "download", "nvme0", "--image", path, "--yes", host=host)
        there = os.path.exists(f"{host}/nvme0/download.bin")
        run(*words, host)
        tap.result(r.code == 0 and there and not os.path.exists(f"{host}/nvme0/download.bin"),
                   f"what was downloaded is lost by {' '.join(words)}", r)


def whole_way():
    host = drive({"activation": "power_cycle"})
    path, _ = image("whole", revision="8DV10199", size="100000")
    r = run("fw", "update", "nvme0", "--image", path, "--slot", "1", "--yes", "--force", "-o", "json", host=host)
    tap.result(r.code == 5 and truth(host) == ("8DV10131", 1, 1, ["8DV10199", "8DV10171"]), "update, pending", r, truth(host))
    r = run("sim", "power-cycle", host)
    tap.equal(truth(host), ("8DV10199", 1, 0, ["8DV10199", "8DV10171"]), "and active after the power cycle")


def twins():
    host = drive(name="nvme0", serial="ONE")
    drive(host=host, name="nvme1", serial="ONE", cntlid=1)
    drive(host=host, name="nvme2", serial="TWO")
    r = run("sim", "reset", host, "nvme1", "-o", "json")
    tap.equal([truth(host, f"nvme{n}") for n in range(3)], [NEW, NEW, OLD], "two controllers of one subsystem run the same firmware")
    path, _ = image("twins", size="20000")
    r = run("fw", "update", "nvme1", "--image", path, "--slot", "1", "--activate", "now", "--yes", "-o", "json", host=host)
    tap.result(r.code == 0 and truth(host, "nvme0") == truth(host, "nvme1") == ("8DV10171", 1, 0, ["8DV10171", "8DV10171"]),
               "an update by the second one is seen by the first", r, truth(host, "nvme0"))


# --- faults ---


def faults():
    host = drive()
    r = run("sim", "fault", "nvme0", "--reset", "controller", "--errno", "EIO", "-o", "json", host=host)
    rule = r.drive["faults"][0]
    tap.result(r.code == 0 and (rule["reset"], rule["errno"], rule["lost"], rule["opcode"]) == ("controller", "EIO", None, None),
               "sim fault --reset --errno", r)
    r = run("sim", "reset", host, "-o", "json")
    tap.result(r.code == 1 and r.json["error"]["errno"] == 5 and truth(host) == OLD, "the reset fails", r)
    r = run("sim", "reset", host)
    tap.result(r.code == 0 and truth(host) == NEW, "the next one does not", r)
    host = drive(faults=[{"reset": "any", "lost": "ETIMEDOUT", "count": 0}])
    r = run("sim", "reset", host, "--subsystem")
    tap.result(r.code == 1 and truth(host) == NEW, "a reset whose end nobody was told of", r)
    tap.equal(run("sim", "power-cycle", host).code, 0, "a power cycle is no reset of the host's")
    r = run("sim", "fault", "nvme0", "--opcode", "0x10", "--lost", "EINTR", "--clear", "-o", "json", host=host)
    tap.result(r.code == 0 and r.drive["faults"][0]["lost"] == "EINTR", "sim fault --lost", r)
    tap.equal(json.loads(read(f"{host}/nvme0/drive.json"))["faults"], [{"opcode": "0x10", "lost": "EINTR"}], "as drive.json has it")
    for words in (("--reset", "bus", "--errno", "EIO"), ("--reset", "any", "--opcode", "6", "--errno", "EIO"),
                  ("--reset", "any", "--status", "6"), ("--reset", "any", "--untouched"), ("--lost", "ENOSUCH"), ("--reset", "any"),
                  ("--lost", "EIO", "--errno", "EIO")):
        r = run("sim", "fault", "nvme0", *words, host=host)
        tap.result(r.code == 2 and len(json.loads(read(f"{host}/nvme0/drive.json"))["faults"]) == 1, f"sim fault {' '.join(words)}: exit 2", r)
    host = drive(faults=[{"reset": "controller", "vanish_ms": -1}])
    codes = [run("sim", "reset", host).code, run("sim", "reset", host).code, run("sim", "power-cycle", host).code]
    tap.equal(codes, [0, 3, 3], "a drive that a reset made vanish")
    run("sim", "fault", "nvme0", "--clear", host=host)
    tap.equal(run("sim", "power-cycle", host).code, 0, "is back when the rules are cleared")


def wrong_drive_json():
    for member, value in (("activation", "reboot"), ("commit_status", "0x8000"), ("commit_status", "x"), ("busy_polls", -1),
                          ("activation_polls", "x"), ("ignore_image", 1), ("rehearse", ""), ("rehearse", "123456789"),
                          ("rehearse", "a b"), ("rehearse", 5), ("granularity_bytes", 3), ("granularity_bytes", 0), ("activatoin", "now")):
        r = run("sim", "power-cycle", drive({member: value}), "-o", "json")
        tap.result(r.code == 8 and r.json["error"]["code"] == "bad_input" and member in r.json["error"]["message"],
                   f"drive.json: {member}: {value!r} is exit 8", r)


for test in (images, not_overwritten, bad_words, events, which_drives, counters, download_is_lost, whole_way, twins, faults,
             wrong_drive_json):
    test()
sys.exit(tap.end())
