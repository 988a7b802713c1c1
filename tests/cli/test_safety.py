#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a drive is protected by, at the command line: the question on a terminal, options, use, the lock, signals."""
import json
import os
import pty
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import TMP, Host, Tap, id_ctrl, run, slot_log  # noqa: E402
from terminal import Terminal  # noqa: E402

tap = Tap()
SERIAL = "CVFT5152003M2P0EGN"
OLD, NEW = "8DV10131", "8DV10171"


def pending(transport=None, ns=None, names=("nvme0",)):
    """A simulated drive whose new firmware runs after a controller reset: whether one happened can be seen."""
    host = Host(simulated=True)
    for cntlid, name in enumerate(names):
        host.drive(name, id_ctrl=id_ctrl(serial=SERIAL, firmware=OLD, frmw=0x14, cntlid=cntlid,
                                         offset_768=b"nqn.2014.08.org.nvmexpress:s1"),
                   log_03=slot_log(1, 2, (OLD, NEW)),
                   drive_json={"sysfs": {"transport": transport}} if transport else
                   {"namespaces": {"1": ns}} if ns else None)
    return host


def was_reset(host):
    return run("fw", "status", "nvme0", "-o", "json", host=host).drive["fw"]["slots"][1]["running"]


def asked(answer, *options, host=None, send=None, prepare=None, command=("reset", "nvme0")):
    host = host or pending()
    t = Terminal(*command, "-o", "json", *options, host=host, prepare=prepare)
    t.asked = t.question()
    if t.asked and answer is not None:
        t.type(answer)
    if t.asked and send:
        t.process.send_signal(send)
    t.end()
    t.reset = was_reset(host)
    return t


def error_of(t):
    return json.loads(t.out)["drives"][0]["error"]


# The question: what it shows, and which answers are a yes.
t = asked(b"y\n")
tap.result(t.code == 0 and t.asked and t.reset and t.same_modes, "y: done", t)
tap.result(all(word in t.seen for word in (SERIAL, "nvme0", "INTEL SSDPEDMD020T4", OLD, "(simulated)", "reset the controller")),
           "the question shows drive, model, serial number, firmware, and what is about to happen", t)
tap.result("Go on" not in t.out and json.loads(t.out)["ok"], "stdout has the document and nothing of the question", t)
for answer in (b"yes\n", b"YES\n", b" y \n"):
    t = asked(answer)
    tap.result(t.code == 0 and t.reset, f"{answer}: done", t)
for answer in (b"n\n", b"\n", b"no\n", b"yess\n", b"ye\n", b"y y\n", b"1\n", b"\xff\n", b"y" * 300 + b"\n", b"\x04", b"y\x04\x04n\n"):
    t = asked(answer)
    tap.result(t.code == 4 and t.asked and not t.reset and t.same_modes and error_of(t)["code"] == "refused"
               and "nothing was sent" in error_of(t)["message"], f"{answer[:10]}: refused, nothing was sent", t)

# Signals at the question, from the keyboard and from elsewhere.
for what, answer, send in (("Ctrl-C", b"\x03", None), ("Ctrl-C behind half an answer", b"y\x03", None),
                           ("SIGINT", None, signal.SIGINT), ("SIGTERM", None, signal.SIGTERM), ("SIGHUP", None, signal.SIGHUP)):
    t = asked(answer, send=send)
    tap.result(t.code == 130 and t.asked and not t.reset and t.same_modes and error_of(t)["code"] == "interrupted"
               and "nothing was sent" in error_of(t)["message"], f"{what}: 130, nothing was sent, terminal as before", t)
for _ in range(5):
    host = pending()
    t = Terminal("reset", "nvme0", host=host)
    t.question()
    t.process.send_signal(signal.SIGSTOP)
    t.type(b"y\n")
    t.process.send_signal(signal.SIGTERM)
    t.process.send_signal(signal.SIGCONT)
    t.end()
    tap.result(t.code == 130 and not was_reset(host), "a yes and a signal at the same moment: no", t)
t = Terminal("reset", "nvme0", host=pending(), prepare=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
t.question()
t.process.send_signal(signal.SIGHUP)
t.type(b"n\n")
tap.equal(t.end().code, 4, "a SIGHUP that is ignored (nohup) is no answer")

# What was typed before the question does not answer it.
host = pending()
t = Terminal("reset", "nvme0", host=host, early=b"y\n")
t.question()
t.type(b"n\n")
t.end()
tap.result(t.code == 4 and not was_reset(host), "a y that was typed before the question is no answer", t)

# The lock: the second is told who is first, in a dry run as well; it ends with its holder, however that ends.
host = pending()
holder = Terminal("reset", "nvme0", host=host)
holder.question()
r = run("reset", "nvme0", "--yes", "-o", "json", host=host)
tap.result(r.code == 4 and r.drive["error"]["code"] == "refused" and f"process {holder.process.pid} " in r.drive["error"]["message"]
           and "reset nvme0" in r.drive["error"]["message"], "a second change is refused, and told the first one's pid and command", r)
tap.result(run("reset", "nvme0", "--dry-run", host=host).code == 4, "a dry run ends as the real one would: refused")
tap.result(run("smart", "nvme0", host=host).code == 0, "reading needs no lock")
holder.process.send_signal(signal.SIGKILL)
holder.end()
r = run("reset", "nvme0", "--yes", host=host)
tap.result(r.code == 0 and was_reset(host), "the lock ended with its holder, which was killed", r)

two = pending(names=("nvme0", "nvme1"))
holder = Terminal("reset", "nvme1", host=two)
holder.question()
r = run("reset", "nvme0", "--yes", host=two)
tap.result(r.code == 4 and f"process {holder.process.pid} " in r.err, "two controllers of one drive have one lock", r)
holder.type(b"n\n")
holder.end()

host = pending()
os.symlink(os.path.join(TMP, "elsewhere"), f"{host}/nvme0/.lock")
r = run("reset", "nvme0", "--yes", host=host)
tap.result(r.code != 0 and not was_reset(host) and not os.path.exists(os.path.join(TMP, "elsewhere")),
           "a lock that is a symbolic link is not followed", r)

host = Host(simulated=True).drive(id_ctrl=id_ctrl(serial=SERIAL), drive_json={"faults": [{"opcode": 2, "lid": 3, "count": 0, "status": "0x401c"}]})
r = run("reset", "nvme0", "--yes", host=host)
tap.result("note: the slot log cannot be read" in r.out and "REVISION" not in r.out, "slots that are not known: no table without a row", r)

# No terminal.
host = pending()
r = run("reset", "nvme0", "-o", "json", host=host)
tap.result(r.code == 4 and "--yes" in r.drive["error"]["hint"] and not was_reset(host), "no terminal, no --yes: refused", r)
tap.equal(r.drive["fw"]["result"], None, "a refused reset says nothing of firmware that was not applied")
for words in ((), ("--dry-run",)):
    r = run("reset", "nvme0", *words, host=host)
    tap.result("firmware" not in r.out.partition("\n")[2], f"reset {' '.join(words)}: nor does its text", r)
r = run("reset", "nvme0", host=host, input="y\n", stdin=None)
tap.result(r.code == 4 and not was_reset(host), "a y through a pipe is no answer", r)
m, s = pty.openpty()
os.write(m, b"y\n")
r = run("reset", "nvme0", host=host, stdin=s)
tap.result(r.code == 4 and not was_reset(host), "a terminal that could not show the question is none", r)
os.close(m), os.close(s)
r = run("reset", "nvme0", "--confirm", SERIAL, host=host)
tap.result(r.code == 4 and not was_reset(host), "--confirm is no --yes", r)
r = run("reset", "nvme0", "--yes", "--confirm", "CVFT5152003M2P0EGM", "-o", "json", host=host)
tap.result(r.code == 4 and SERIAL in r.drive["error"]["message"] and "CVFT5152003M2P0EGM" in r.drive["error"]["message"]
           and not was_reset(host), "--confirm with another serial number: refused, both are shown", r)
r = run("reset", "nvme0", "--dry-run", "-o", "json", host=host)
tap.result(r.code == 0 and not was_reset(host), "a dry run needs no confirmation", r)
r = run("reset", "nvme0", "--yes", "--confirm", SERIAL, host=host)
tap.result(r.code == 0 and was_reset(host), "with --yes and the right serial number: done", r)

# In use.
for ns, words in (({"mounts": ["/srv"]}, "nvme0n1 is mounted on /srv"), ({"holders": ["md0"]}, "nvme0n1 is part of md0")):
    host = pending(ns=ns)
    for options in ((), ("--yes",), ("--dry-run",)):
        r = run("reset", "nvme0", *options, "-o", "json", host=host)
        tap.result(r.code == 4 and words in r.drive["error"]["message"] and "--force" in r.drive["error"]["hint"]
                   and not was_reset(host), f"{words}: {options} refused", r)
    r = run("reset", "nvme0", "--force", host=host)
    tap.result(r.code == 4 and not was_reset(host), f"{words}: --force is no --yes", r)
    r = run("reset", "nvme0", "--force", "--yes", host=host)
    tap.result(r.code == 0 and was_reset(host), f"{words}: --force and --yes", r)
    t = asked(b"n\n", "--force", host=pending(ns=ns))
    tap.result(t.code == 4 and words in t.seen, f"{words}: the question says so", t)
    r = run("reset", "nvme0", "--subsystem", "--force", "--yes", host=pending(ns=ns))
    tap.result(r.code == 4 and words in r.err, f"{words}: no option for a subsystem reset", r)
host = pending(ns={"signature": "ext4"})
r = run("reset", "nvme0", "--yes", host=host)
tap.result(r.code == 0, "what lies on it does not matter to a reset", r)
r = run("reset", "nvme0", "--subsystem", "--force", "--yes", host=pending(names=("nvme0", "nvme1")))
tap.result(r.code == 4 and "another controller" in r.err, "subsystem reset with another controller: refused", r)

# While the question waits, things change: the drive is looked at again.
host = pending()
t = Terminal("reset", "nvme0", "-o", "json", host=host)
t.question()
with open(f"{host}/nvme0/drive.json", "w", encoding="utf-8") as f:
    json.dump({"namespaces": {"1": {"mounts": ["/late"]}}}, f)
t.type(b"y\n")
t.end()
tap.result(t.code == 4 and "/late" in error_of(t)["message"] and not was_reset(host), "mounted while the question waited: refused", t)
host = pending()
t = Terminal("reset", "nvme0", "-o", "json", host=host)
t.question()
host.write("nvme0/id-ctrl.bin", id_ctrl(serial="ANOTHER", firmware=OLD, frmw=0x14))
t.type(b"y\n")
t.end()
tap.result(t.code == 4 and "ANOTHER" in error_of(t)["message"] and SERIAL in error_of(t)["message"] and not was_reset(host),
           "another drive has taken the name while the question waited: refused", t)

# Not a PCIe drive.
for transport in ("tcp", "rdma", "fc", "loop"):
    host = pending(transport)
    r = run("reset", "nvme0", "--yes", "-o", "json", host=host)
    tap.result(r.code == 4 and "--force" in r.drive["error"]["hint"] and not was_reset(host), f"{transport}: needs --force", r)
    r = run("reset", "nvme0", "--yes", "--force", host=host)
    tap.result(r.code == 0 and was_reset(host), f"{transport}: with --force", r)
r = run("fw", "commit", "nvme0", "--slot", "2", "--action", "2", "--yes", host=pending("tcp"))
tap.result(r.code == 4, "tcp: plain changes too", r)

sys.exit(tap.end())
