# SPDX-License-Identifier: MIT
"""Boot "serve_sanitize": sanitize operations through the kernel's NVMe/TCP driver; nvme-cli reads the log of each back."""
import re

from steps import Steps

SANITIZE = 0x84
# CDW10 of the command (NVM Express Base Specification 2.0c, "Sanitize command": action, AUSE, OWPASS, OIPBP, NDAS), and passes.
DONE = {
    "block": (0x002, 0),
    "crypto": (0x004, 0),
    "overwrite": (0x20b, 16),
    "mended": (0x002, 0),
}
RUNNING = ("again", "exit-running", "format-running", "create-running", "delete-running", "provision-running", "fw-running",
           "selftest-running")
IN_USE = {"mounted": "nvme0n1 is mounted on /mnt", "elsewhere": "in the mount namespace of process", "opener": "is open in process"}


class Sanitize(Steps):
    def theirs(self, name, controller="nvme0"):
        """What nvme sanitize-log says: state, passes, CDW10, progress of 65536."""
        log = self.result.json(name)[controller]
        return (int(re.match(r"\((\d)\)", log["sstat"]["status"])[1]), log["sstat"]["no_cmplted_passes"], log["cdw10_info"], log["sprog"])

    def log(self, name):
        return self.element(name)["sanitize_log"]

    def progress(self, name):
        return self.log(name)["progress_percent"] * 65536 / 100

    def done(self, name, cdw10, passes, controller="nvme0"):
        doc = self.element(name)
        self.tap.equal((self.result.rc(name), doc["sanitize"]["result"], doc["sanitize"]["host_refresh"], self.sent(name)),
                       (0, "completed", "done", [SANITIZE]), f"{name}: completed, with one command")
        self.tap.equal(self.theirs(f"{name}-log", controller), (1, passes, cdw10, 0xffff), f"{name}: so says nvme sanitize-log")
        self.tap.equal((doc["sanitize_log"]["state"]["value"], doc["sanitize_log"]["scdw10"]["value"]), (1, cdw10), f"{name}: ssdct says the same")


def check(tap, result):
    s = Sanitize(tap, result)
    tap.equal((result.rc("fresh"), s.log("fresh")["state"]["value"]), (0, 0), "never sanitized")
    for name, (cdw10, passes) in DONE.items():
        s.done(name, cdw10, passes)
    for action in ("block", "crypto", "overwrite"):
        tap.result(int(result.text(f"before-{action}-left")) > 60000 and int(result.text(f"{action}-left")) == 0, f"{action}: nothing is left")
    polls = [r for r in s.trace("crypto") if r["opcode"] == 2 and r["cdw10"] & 0xff == 0x81]
    tap.result(len(polls) > 6, "--wait: asked until it had ended", len(polls))
    running(s)
    failing(s)
    in_use(s)
    tap.result("call trace" not in result.text("dmesg.out").lower(), "the kernel has nothing to complain of")


def running(s):
    tap, result = s.tap, s.result
    tap.equal((result.rc("running"), s.element("running")["sanitize"]["result"], s.sent("running")), (0, "started", [SANITIZE]), "started")
    command = next(r for r in s.trace("running") if r["opcode"] == SANITIZE)
    tap.equal((command["cdw10"], command["cdw11"]), (0x133, 0xdeadbeef), "three passes, inverted, and the pattern")
    for name in RUNNING:
        s.refused(name, "a sanitize operation is")
    tap.result(result.rc("read-running") != 0, "the drive gives nobody data meanwhile")
    # Each reading of the log is a step of the simulated operation: theirs, ours, theirs, ours.
    progress = [s.theirs("running-log")[3], s.progress("status-1"), s.theirs("status-1-log")[3], s.progress("status-2")]
    tap.result(0 < progress[0] < progress[1] < progress[2] < progress[3] < 65536, "progress, by nvme-cli and by ssdct", progress)
    tap.equal((s.theirs("status-1-log")[0], s.log("status-1")["state"]["value"]), (2, 2), "in progress, say both")
    tap.equal((s.theirs("ended-log"), s.log("ended")["state"]["value"]), ((1, 3, 0x133, 0xffff), 1), "ended, say both")
    tap.equal(int(result.text("ended-left")), 0, "nothing is left")


def failing(s):
    tap, result = s.tap, s.result
    for name, cdw10 in (("failed", 0x002), ("failed-again", 0x00a)):
        tap.equal((result.rc(name), s.element(name)["sanitize"]["result"], s.sent(name)), (1, "failed", [SANITIZE]), f"{name}: exit 1")
        tap.equal(s.theirs(f"{name}-log")[::2], (3, cdw10), f"{name}: so says nvme sanitize-log")
    tap.equal(s.element("failed-status")["sanitize"]["failure_mode"], True, "the failure mode")
    s.refused("format-failed", "failed")
    s.refused("exit-restricted", "did not allow", code=7)
    s.refused("unrestricted", "did not allow", code=7)
    command = next(r for r in s.trace("exit") if r["opcode"] == SANITIZE)
    tap.equal((result.rc("exit"), s.element("exit")["sanitize"]["result"], command["cdw10"]), (0, "failure_mode_left", 1), "exit-failure")
    tap.equal((s.theirs("exit-log")[0], result.rc("format-after")), (3, 0), "the log still says what failed, and the drive works again")


def in_use(s):
    s.refused("unforced", "not attached by PCIe", "--force")
    s.refused("unconfirmed", "--confirm")
    s.refused("wrong", "serial number")
    for name, words in IN_USE.items():
        s.refused(name, words)
    s.tap.equal(s.result.text("file"), "precious\n", "the file is still there")
    s.refused("cannot", "it can by crypto", code=7)
    s.done("can", 0x004, 0, "nvme1")
