#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sanitize: what the drive can, one command, and the log that says what came of it; what is refused while one runs."""
import os
import signal
import struct
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from media_lib import (BLOCK, CRYPTO, OVERWRITE, SERIAL, Started, Tap, asks_who_it_is_first, changing,  # noqa: E402
                       comes_back_dumb, fault, intel_smart, media, ns, run, set_drive_json, traced)

tap = Tap()
CONFIRM = ("--confirm", SERIAL)
ANY = CRYPTO | BLOCK | OVERWRITE
NDI = 1 << 29


def log(sprog=0xffff, sstat=0, scdw10=0, estimates=(0xffffffff,) * 6):
    return struct.pack("<HHI6I", sprog, sstat, scdw10, *estimates) + bytes(480)


def start(host, *words, confirm=True):
    return traced("sanitize", "start", "nvme0", *words, *(CONFIRM if confirm else ()), host=host)


def status(host):
    return run("sanitize", "status", "nvme0", "-o", "json", host=host)


def error(r):
    return {k: v or "" for k, v in (r.json["error"] or dict.fromkeys(("message", "hint", "code"), "")).items()}


def drive(sanicap=ANY, busy=0, fail=False, faults=(), **kwargs):
    return media(sanicap=sanicap, drive_json={"sanitize": {"busy_polls": busy, "fail": fail}, "faults": list(faults)}, **kwargs)


def refused(text, host, *words, code=4, said="", confirm=True):
    r, sent = start(host, *words, confirm=confirm)
    tap.result(r.code == code and not changing(sent) and said in error(r)["message"] + error(r)["hint"],
               f"{text}: exit {code}, nothing sent", r)


def actions():
    for words, cdw10, cdw11 in ((("--action", "block"), 2, 0), (("--action", "crypto"), 4, 0), (("--action", "overwrite"), 0x13, 0),
                                (("--action", "overwrite", "--passes", "3", "--pattern", "0xdeadbeef", "--invert"), 0x133, 0xdeadbeef),
                                (("--action", "overwrite", "--passes", "16"), 3, 0),
                                (("--action", "block", "--no-deallocate", "--allow-unrestricted-exit"), 0x20a, 0)):
        host = drive()
        dry, sent = start(host, *words, "--dry-run")
        tap.result(dry.code == 0 and not changing(sent) and dry.drive["sanitize"]["result"] == "dry_run"
                   and f"cdw10 0x{cdw10:08x}, cdw11 0x{cdw11:08x}" in dry.drive["sanitize"]["steps"][0], f"{words}: dry run", dry)
        r, sent = start(host, *words)
        sent = changing(sent)
        tap.result(r.code == 0 and r.drive["sanitize"]["result"] == "completed" and [c["cdw10"] for c in sent] == [cdw10]
                   and sent[0]["cdw11"] == cdw11 and r.drive["sanitize_log"]["scdw10"]["value"] == cdw10, f"{words}: completed", r)
    for sanicap, word in ((BLOCK | OVERWRITE, "crypto"), (CRYPTO | OVERWRITE, "block"), (CRYPTO | BLOCK, "overwrite")):
        refused(f"{word} that is not there", drive(sanicap=sanicap), "--action", word, code=7, said="SANICAP")
    refused("no sanitize at all", media(), "--action", "block", code=7, said="SANICAP")
    refused("deallocation that cannot be kept from", drive(sanicap=ANY | NDI), "--action", "block", "--no-deallocate", code=7,
            said="bit 29")
    for words in ((), ("--action", "blck"), ("--action", "block", "--passes", "2"), ("--action", "crypto", "--pattern", "1"),
                  ("--action", "block", "--invert"), ("--action", "overwrite", "--passes", "17"),
                  ("--action", "overwrite", "--pattern", "0x1ffffffff"), ("--action", "overwrite", "--pattern", "x")):
        refused(f"{words}: usage", drive(), *words, code=2)


def unconfirmed():
    r = run("sanitize", "start", "nvme0", "--action", "block", host=drive())
    tap.result(r.code == 4 and "--confirm" in r.err, "no terminal, no --confirm", r)


def safety():
    mounted = media(sanicap=ANY, drive_json={"namespaces": {"2": {"mounts": ["/srv"]}}}, namespaces={1: ns(), 2: ns()})
    refused("any namespace of the drive is mounted", mounted, "--action", "block", "--force", said="/srv")
    refused("a namespace that is attached nowhere", media(sanicap=ANY, oacs=0xe, identify_11_n2=ns()), "--action", "block",
            said="no node on this host")
    refused("a namespace that another host has too",
            media(sanicap=ANY, oacs=0xe, identify_12_n1=struct.pack("<HHH", 2, 0, 9)), "--action", "block", said="controller 9")
    # CNS 10h, cut off after one NSID: the drive has a second one. And lists that are no lists.
    hidden = {"sanicap": ANY, "oacs": 0xe, "identify_11_n2": ns()}
    for short in (4, 0xffc):
        refused(f"{short} bytes of the list of allocated namespaces",
                media(**hidden, drive_json=fault(opcode="0x06", cns="0x10", short=short, count=0)), "--action", "block", code=1, said="of 4096")
    for cns in (0x02, 0x10):
        for nsids in ((2, 1), (1, 1), (1, 0xfffffffe)):
            page = struct.pack("<II", *nsids).ljust(4096, bytes(1))
            refused(f"a list (CNS {cns:02x}) of {nsids}", media(**hidden, **{f"identify_{cns:02x}": page}), "--action", "block", code=1,
                    said="not in order")
    refused("a signature", media(sanicap=ANY, drive_json={"namespaces": {"1": {"signature": "zfs_member"}}}), "--action", "block",
            said="zfs_member")
    recorded = drive()
    os.unlink(f"{recorded}/host.json")
    refused("a recorded host", recorded, "--action", "block", code=7)
    refused("a format that runs", media(sanicap=ANY, namespaces={1: ns(fpi=0x80 | 5)}), "--action", "block", said="a format is running")


def logs():
    """[35] SSTAT has more than the state, SPROG counts in 65536ths, FFFFFFFFh is no estimate."""
    for page, state, percent in ((log(655, 2, 2), 2, 655 * 100 / 65536), (log(0x8000, 2, 2), 2, 50.0), (log(0xffff, 0x101, 2), 1, 100),
                                 (log(), 0, None), (log(0xffff, 3, 2), 3, None), (log(0xffff, 0x104, 2), 4, 100)):
        r = status(media(sanicap=ANY, log_81=page))
        doc = r.drive["sanitize_log"]
        tap.result(r.code == 0 and doc["state"]["value"] == state and doc["progress_percent"] == percent
                   and doc["overwrite_seconds"] is None, f"[35] state {state}, {percent} %", r)
    doc = status(media(sanicap=ANY, log_81=log(estimates=(3600, 120, 2, 0xffffffff, 0, 5)))).drive["sanitize_log"]
    tap.equal([doc[k] for k in ("overwrite_seconds", "block_erase_seconds", "crypto_erase_seconds", "overwrite_no_deallocate_seconds",
                                "block_erase_no_deallocate_seconds", "crypto_erase_no_deallocate_seconds")],
              [3600, 120, 2, None, 0, 5], "estimates; none is null, 0 is 0")
    r, _ = start(media(sanicap=ANY, log_81=log(estimates=(3600, 120, 2, 0xffffffff, 0, 5))), "--action", "block", "--dry-run")
    tap.equal(r.drive["sanitize"]["estimate_seconds"], 120, "the estimate of what is planned")
    r = status(media())
    tap.result(r.code == 7 and r.drive["sanitize_log"] is None, "no sanitize: exit 7", r)
    r = run("sanitize", "status", "nvme0", host=media(sanicap=ANY, log_81=log(0x4000, 2, 2)))
    tap.result("in progress, 25.0 %" in r.out, "text: the percentage", r)
    r = status(drive(faults=[{"opcode": 6, "cns": cns, "count": 0, "status": "0x0006"} for cns in (0, 2, 0x10, 0x11, 0x12)]))
    tap.result(r.code == 0 and r.drive["sanitize_log"]["state"]["value"] == 0, "status needs nothing of the namespaces", r)
    can = status(drive(sanicap=CRYPTO | NDI)).drive["sanitize"]["supported"]
    tap.equal(can, {"block": False, "crypto": True, "overwrite": False, "no_deallocate_inhibited": True}, "what the drive can")


def running():
    host = drive(busy=30)
    r, _ = start(host, "--action", "block")
    tap.result(r.code == 0 and r.drive["sanitize"]["result"] == "started" and r.drive["sanitize_log"]["state"]["value"] == 2,
               "started: so says the log", r)
    refused("a second one", host, "--action", "crypto", said="sanitize operation is running")
    for words, code in ((("format", "nvme0", *CONFIRM), 4), (("fw", "commit", "nvme0", "--slot", "1", "--action", "1", "--yes"), 4),
                        (("sanitize", "exit-failure", "nvme0", *CONFIRM), 4)):
        r, sent = traced(*words, host=host)
        tap.result(r.code == code and "sanitize operation is running" in error(r)["message"] and not changing(sent)
                   and not any(c["opcode"] in (0x10, 0x11) for c in sent), f"{words[:2]} while it runs: refused", r)
    r, sent = start(drive(busy=8), "--action", "block", "--wait")
    tap.result(r.code == 0 and r.drive["sanitize"]["result"] == "completed" and r.drive["sanitize"]["host_refresh"] == "done"
               and len(changing(sent)) == 1, "--wait", r)
    r, _ = start(drive(busy=100000), "--action", "block", "--wait", "--timeout", "1")
    tap.result(r.code == 1 and error(r)["code"] == "timeout" and r.drive["sanitize"]["result"] == "started"
               and "goes on in the drive" in error(r)["message"], "--timeout: started, and not waited for any longer", r)


def interrupted():
    host = drive(busy=100000)
    p = Started("sanitize", "start", "nvme0", "--action", "block", "--wait", *CONFIRM, host=host)
    p.wait_for(lambda sent: sum(c["opcode"] == 2 and c["cdw10"] & 0xff == 0x81 for c in sent) > 8)
    p.process.send_signal(signal.SIGINT)
    p.said("cannot be stopped")
    r = p.end(signal.SIGINT)
    tap.result(r.code == 130 and r.drive["sanitize"]["result"] == "started" and "goes on in the drive" in error(r)["message"]
               and "cannot be stopped" in r.err, "Ctrl-C twice: it goes on", r)
    tap.equal(status(host).drive["sanitize_log"]["state"]["value"], 2, "so says the log")
    for kill_at in (1, 2):
        host = drive(busy=100000)
        p = Started("sanitize", "start", "nvme0", "--action", "block", "--wait", *CONFIRM, host=host)
        p.wait_for(lambda sent, n=kill_at: sum(c["opcode"] == 0x84 for c in sent) > 0 and len(sent) > 10 * n)
        p.end(signal.SIGKILL)
        r = status(host)
        tap.result(r.code == 0 and r.drive["sanitize_log"]["state"]["value"] == 2, "killed: the next command tells the truth", r)
        r, _ = start(host, "--action", "block")
        tap.result(r.code == 4 and "sanitize operation is running" in error(r)["message"], "and it is not started again", r)


def failing():
    host = drive(fail=True)
    r, _ = start(host, "--action", "block", "--wait")
    tap.result(r.code == 1 and r.drive["sanitize"]["result"] == "failed" and r.drive["sanitize_log"]["state"]["value"] == 3,
               "the completion was success, the log says failed: failed", r)
    tap.result(status(host).drive["sanitize"]["failure_mode"] is True, "the failure mode")
    r, sent = traced("format", "nvme0", *CONFIRM, host=host)
    tap.result(r.code == 4 and "failed" in error(r)["message"] and not changing(sent), "format in the failure mode: refused", r)
    r, sent = traced("sanitize", "exit-failure", "nvme0", *CONFIRM, host=host)
    tap.result(r.code == 7 and not changing(sent), "no way out when none was allowed", r)
    refused("unrestricted after restricted", host, "--action", "block", "--allow-unrestricted-exit", code=7)
    set_drive_json(host, sanitize={})
    r, _ = start(host, "--action", "block")
    tap.result(r.code == 0 and r.drive["sanitize"]["result"] == "completed" and status(host).drive["sanitize"]["failure_mode"] is False,
               "one that succeeds ends it", r)
    host = drive(fail=True)
    start(host, "--action", "block", "--allow-unrestricted-exit")
    r, sent = traced("sanitize", "exit-failure", "nvme0", *CONFIRM, host=host)
    tap.result(r.code == 0 and r.drive["sanitize"]["result"] == "failure_mode_left" and [c["cdw10"] for c in changing(sent)] == [1],
               "exit-failure", r)
    r, _ = traced("format", "nvme0", *CONFIRM, host=host)
    tap.result(r.code == 0, "then the drive can be formatted, though the log still says what failed", r)
    for errno in ("EIO", "ENODEV"):
        host = drive(fail=True)
        start(host, "--action", "block", "--allow-unrestricted-exit")
        # Plan, and once more before it is sent; the third look is the one afterwards.
        set_drive_json(host, faults=[{"opcode": 0x84, "status": "0x0006"}, {"opcode": 2, "lid": 3, "nth": 3, "errno": errno}])
        r, sent = traced("sanitize", "exit-failure", "nvme0", *CONFIRM, host=host)
        tap.result(r.code == 1 and r.drive["sanitize"]["result"] is None and len(changing(sent)) == 1
                   and status(host).drive["sanitize"]["failure_mode"] is True,
                   f"refused, and {errno} to the question whether it was left: not known", r)
        set_drive_json(host, faults=[{"opcode": 2, "lid": 3, "errno": errno}])
        r = status(host)
        tap.result(r.code == 0 and r.drive["sanitize"]["failure_mode"] is None and r.drive["sanitize_log"]["state"]["value"] == 3,
                   f"status, {errno}: whether it is in the failure mode is not known", r)
        r, sent = traced("format", "nvme0", *CONFIRM, host=host)
        tap.result(r.code == 4 and not changing(sent), "and nothing else is begun", r)
    r, sent = traced("sanitize", "exit-failure", "nvme0", *CONFIRM, host=drive())
    tap.result(r.code == 4 and not changing(sent), "no failure, nothing to leave", r)


def lost():
    rule = {"opcode": "0x84"}
    r, sent = start(drive(faults=[{**rule, "lost": "EINTR"}]), "--action", "block")
    tap.result(r.code == 0 and r.drive["sanitize"]["result"] == "completed" and len(changing(sent)) == 1,
               "the answer is lost, the log shows the operation", r)
    r, sent = start(drive(busy=5, faults=[{**rule, "lost": "EINTR"}]), "--action", "block", "--wait")
    tap.result(r.code == 0 and r.drive["sanitize"]["result"] == "completed" and len(changing(sent)) == 1, "likewise with --wait", r)
    r, sent = start(drive(faults=[{**rule, "errno": "EINTR"}]), "--action", "block")
    tap.result(r.code == 1 and r.drive["sanitize"]["result"] is None and len(changing(sent)) == 1,
               "not carried out: the log shows nothing", r)
    # Another host starts one while this one's is lost: its log is read the fifth time, and by then it shows the other's.
    host = drive(log_81=log(), faults=[{**rule, "errno": "EINTR"}, {"opcode": 2, "lid": 0x81, "nth": 5, "delay_ms": 3000}])
    p = Started("sanitize", "start", "nvme0", "--action", "crypto", *CONFIRM, host=host)
    p.wait_for(lambda sent: any(c["opcode"] == 0x84 for c in sent))
    host.write("nvme0/log-81.bin", log(0x4000, 2, 2))
    r = p.end()
    tap.result(r.code == 1 and r.drive["sanitize"]["result"] is None and r.drive["sanitize_log"]["state"]["value"] == 2,
               "lost, and the log shows an operation of somebody else", r)
    host = drive()
    start(host, "--action", "block")
    set_drive_json(host, faults=[{**rule, "errno": "EINTR"}])
    r, sent = start(host, "--action", "block")
    tap.result(r.code == 1 and r.drive["sanitize"]["result"] is None, "an old success in the log is not taken for a new one", r)
    r, sent = start(media(sanicap=ANY, drive_json=fault(opcode="0x84", status="0x0000")), "--action", "block")
    tap.result(r.code == 1 and error(r)["code"] == "unverified", "success that the log knows nothing of is none", r)
    # GDE, bit 8 of SSTAT: nothing was written since. With it the data are gone, whichever of two operations it was.
    for erased in (0x100, 0):
        host = drive(log_81=log(0xffff, erased | 1, 2), faults=[{**rule, "status": "0x0000"}])
        r, sent = start(host, "--action", "block")
        wanted = (0, "completed") if erased else (1, None)
        said = " ".join(r.drive["sanitize"]["notes"]) if erased else error(r)["message"]
        tap.result((r.code, r.drive["sanitize"]["result"]) == wanted and len(changing(sent)) == 1
                   and ("nothing was written since" if erased else "cannot show that this run did it") in said,
                   f"accepted, and the log is the one from before, GDE {erased >> 8}", r)
        set_drive_json(host, faults=[{**rule, "errno": "EINTR"}])
        r, sent = start(host, "--action", "block")
        tap.result(r.code == 1 and r.drive["sanitize"]["result"] is None, "lost, and the log is the one from before", r)
    set_drive_json(host, faults=[], sanitize={"busy_polls": 5})
    r, sent = start(host, "--action", "block", "--wait")
    tap.result(r.code == 0 and r.drive["sanitize"]["result"] == "completed", "the same once more, and seen in progress", r)
    for code in ("0x0004", "0x4006", "0x4007", "0x0281"):
        r, sent = start(drive(faults=[{**rule, "status": code}]), "--action", "block")
        tap.result(r.code == 1 and r.drive["sanitize"]["result"] is None and "may be damaged" in error(r)["message"]
                   and r.drive["sanitize_log"]["state"]["value"] == 0 and len(changing(sent)) == 1,
                   f"{code}: not known, and the log is shown", r)
    for code in ("0x4001", "0x4002", "0x0084", "0x001d", "0x4020", "0x4123"):
        r, sent = start(drive(faults=[{**rule, "status": code}]), "--action", "block")
        tap.result(r.code == 1 and r.drive["sanitize"]["result"] == "not_started", f"{code}: not started", r)
    r, sent = start(drive(faults=[{**rule, "status": "0x0111"}]), "--action", "block")
    tap.result(r.code == 1 and "firmware" in error(r)["message"] and r.drive["sanitize"]["result"] == "not_started",
               "firmware waits for a reset", r)
    r, sent = start(drive(busy=4, faults=[{**rule, "vanish_ms": 300}]), "--action", "block", "--wait")
    tap.result(r.code == 0 and r.drive["sanitize"]["result"] == "completed", "gone for a moment", r)
    r, sent = comes_back_dumb(lambda host: start(host, "--action", "block", "--wait"), rule, sanitize={"busy_polls": 4})
    tap.result(r.code == 0 and r.drive["sanitize"]["result"] == "completed" and asks_who_it_is_first(sent), "gone, and then Identify fails: who it is comes first", r, sent)


def late_log():
    """A drive that shows for a moment what it showed before: the operation has begun all the same, and is waited for."""
    host = drive(log_81=log(0xffff, 0x101, 2), faults=[{"opcode": "0x84", "status": "0x0000"}])
    path = os.path.join(str(host), "nvme0", "log-81.bin")

    def put(page):
        with open(path + ".new", "wb") as f:
            f.write(page)
        os.rename(path + ".new", path)

    def looks(sent):
        first = next((i for i, c in enumerate(sent) if c in changing(sent)), len(sent))
        return sum(c["opcode"] == 2 and c["cdw10"] & 0xff == 0x81 for c in sent[first:])
    p = Started("sanitize", "start", "nvme0", "--action", "block", "--wait", *CONFIRM, host=host)
    p.wait_for(looks)
    n = looks(p.freeze())
    put(log(0x1000, 2, 2))
    p.process.send_signal(signal.SIGCONT)
    p.wait_for(lambda sent: looks(sent) > n + 2)
    put(log(0xffff, 0x101, 2))
    r = p.end()
    tap.result(r.code == 0 and r.drive["sanitize"]["result"] == "completed" and not any("from before" in n for n in r.drive["sanitize"]["notes"] or [])
               and looks(p.sent()) > n + 2, "a log that is late is not taken for the end", r)


def smart_meanwhile():
    """Page 02h is answered during an operation and after one that failed; the vendor's page is not, which is no failure of smart's."""
    pages = {"log_ca": intel_smart((0xab, 100, 7))}
    for words, status in (({"busy": 20}, "in progress"), ({"fail": True}, "failed")):
        host = drive(**words, **pages)
        before = run("smart", "nvme0", "-o", "json", host=host)
        start(host, "--action", "block")
        r = run("smart", "nvme0", "-o", "json", host=host)
        tap.result(before.drive["intel_smart"]["program_fail_count"]["raw"] == 7 and r.code == 0 and r.drive["ok"] is True
                   and r.drive["smart"]["temperature_celsius"] == 38 and r.drive["intel_smart"] is None, f"smart, sanitize {status}: the vendor's page is null", r)
    r = run("smart", "nvme0", "-o", "json", host=drive(faults=[{"opcode": 2, "lid": 0xca, "status": "0x4006", "count": 0}], **pages))
    tap.result(r.code == 1 and r.drive["smart"] and r.drive["intel_smart"] is None, "smart: any other failure of the vendor's page is one", r)


for part in (actions, unconfirmed, safety, logs, running, interrupted, failing, lost, late_log, smart_meanwhile):
    part()
sys.exit(tap.end())
