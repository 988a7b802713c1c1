# SPDX-License-Identifier: MIT
"""What the firmware scenarios share: images by the contract's description, drives, and what a trace says was sent."""
import collections
import concurrent.futures
import itertools
import json
import os
import signal
import struct
import subprocess
import sys
import time
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import SSDCT, TMP, Host, Result, Tap, id_ctrl, run, slot_log  # noqa: E402,F401

MODEL, OLD, NEW = "INTEL SSDPEDMD020T4", "8DV10131", "8DV10171"
SIZE = 10 * 4096 + 512
PIECES = 11


def image_bytes(revision=NEW, model=MODEL, size=SIZE):
    payload = bytes((i * 131 + i // 256) & 0xff for i in range(size - 64))
    return (b"SSDCTFW1" + revision.encode().ljust(8) + model.encode().ljust(40)
            + struct.pack("<II", zlib.crc32(payload), 0) + payload)


def write(name, data):
    path = os.path.join(TMP, name)
    with open(path, "wb") as f:
        f.write(data)
    return path


IMAGE = write("new.bin", image_bytes())


def drive(name="nvme0", firmware=None, faults=None, frmw=0x12, active=1, following=0, revisions=(OLD,), fwug=1, host=None,
          serial=None, namespaces=None, sysfs=None, firmware_rev=None, **fields):
    """A simulated host with one more drive."""
    host = host or Host(simulated=True)
    config = {k: v for k, v in (("firmware", firmware), ("faults", faults), ("namespaces", namespaces), ("sysfs", sysfs)) if v}
    return host.drive(name, id_ctrl=id_ctrl(serial=serial or "CVFT" + name.upper().rjust(14, "0"), frmw=frmw,
                                            firmware=firmware_rev or revisions[active - 1], offset_319=bytes([fwug]), **fields),
                      log_03=slot_log(active, following, revisions), drive_json=config)


def update(host, *words, drive_words=("nvme0",), image=IMAGE, yes=True, **kwargs):
    extra = ["--yes"] if yes else []
    return run("fw", "update", *drive_words, "--image", image, *words, *extra, "-o", "json", host=host, **kwargs)


def status(host, name="nvme0"):
    return run("fw", "status", name, "-o", "json", host=host).drive["fw"]


trace_numbers = itertools.count(1)


def trace_path():
    return os.path.join(TMP, f"trace{next(trace_numbers)}")


def records(path):
    """The commands that a trace says were sent."""
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as f:
        return [r for r in map(json.loads, f) if r["sent"] and not r["control"]]


def traced(function, *args, **kwargs):
    """Runs with --trace; returns the result and the commands that were sent."""
    path = trace_path()
    result = function(*args, "--trace", path, **kwargs)
    return result, records(path)


def changing(sent):
    return [r for r in sent if r["opcode"] in (0x10, 0x11)]


def words(record):
    """What makes two commands the same to a drive."""
    return {k: record[k] for k in ("opcode", "nsid", "cdw2", "cdw3", "cdw10", "cdw11", "cdw12", "cdw13", "cdw14", "cdw15", "data_len",
                                   "direction", "timeout_ms")}


Truth = collections.namedtuple("Truth", "revision running next slots")


def truth(host, name="nvme0"):
    """What the drive is, read from its files and not through the program."""
    with open(os.path.join(str(host), name, "id-ctrl.bin"), "rb") as f:
        revision = f.read()[64:72]
    with open(os.path.join(str(host), name, "log-03.bin"), "rb") as f:
        log = f.read()
    slots = [log[8 + 8 * i:16 + 8 * i] for i in range(7)]
    return Truth(revision.decode().strip(), log[0] & 7, log[0] >> 4 & 7 or None, [s.rstrip(b" \0").decode() or None for s in slots])


def clear_faults(host, name="nvme0"):
    """No more faults; a drive that went away is back."""
    return run("sim", "fault", name, "--clear", host=host)


class Started:
    """The program, started and not waited for; its trace says how far it came."""

    def __init__(self, *command, host):
        self.path, self.err = trace_path(), ""
        self.process = subprocess.Popen([SSDCT, *map(str, command), "-o", "json", "--host", str(host), "--trace", self.path],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def sent(self):
        """Commands in complete lines of the trace."""
        if not os.path.exists(self.path):
            return []
        with open(self.path, encoding="utf-8") as f:
            # At once: line by line, the rest of one that was half there when it was read would come as a line of its own.
            return [r for r in map(json.loads, f.read().split("\n")[:-1]) if not r["control"]]

    def wait_for(self, reached):
        """Until the trace is as wanted; False when the program ended before."""
        for _ in range(30000):
            over = self.process.poll() is not None
            if reached(self.sent()):
                return True
            if over:
                return False
            time.sleep(0.001)
        return False

    def freeze(self):
        """Stops it, and returns what it had sent; all of it when it has ended already."""
        self.process.send_signal(signal.SIGSTOP)
        for _ in range(30000):
            if self.process.poll() is not None:
                break
            with open(f"/proc/{self.process.pid}/stat", encoding="utf-8") as f:
                if f.read().rsplit(")", 1)[1].split()[0] in "TtZ":
                    break
            time.sleep(0.001)
        return self.sent()

    def said(self, text):
        """Until it has said this on stderr; False when it ended without."""
        while text not in self.err:
            more = os.read(self.process.stderr.fileno(), 4096)
            if not more:
                return False
            self.err += more.decode()
        return True

    def end(self, sig=None):
        if sig is not None:
            self.process.send_signal(sig)
            self.process.send_signal(signal.SIGCONT)
        out, err = self.process.communicate(timeout=300)
        return Result(subprocess.CompletedProcess(self.process.args, self.process.returncode, out, self.err + err))


def stopped_at(make_host, n, sig, *command):
    """
    Runs a command on a drive whose command n + 1 is delayed, and sends it a signal in that time: n commands were sent. The
    program is frozen while that is checked, so it does not depend on anybody's speed. Returns host, result, what was sent.
    """
    for delay in (300, 3000, 30000):
        host = make_host([{"nth": n + 1, "delay_ms": delay}])
        p = Started(*command, host=host)
        p.wait_for(lambda sent: len(sent) >= n)
        if len(p.freeze()) == n:
            return host, p.end(sig), p.sent()
        seen = p.end(signal.SIGKILL)
    raise AssertionError(f"{command}: not stopped after {n} commands, but after {len(p.sent())}: this machine is too slow\n{seen}")


class Results:
    """A tap that waits for its turn."""

    def __init__(self):
        self.calls = []

    def result(self, *args):
        self.calls.append(("result", args))

    def equal(self, *args):
        self.calls.append(("equal", args))


def side_by_side(parts):
    """Runs these functions, each with a tap, at the same time, as they mostly wait for drives; the results come in order."""
    tap = Tap()
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        running = [(results := Results(), pool.submit(part, results)) for part in parts]
        for results, future in running:
            future.result()
            for name, args in results.calls:
                getattr(tap, name)(*args)
    return tap.end()
