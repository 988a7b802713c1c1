# SPDX-License-Identifier: MIT
"""Boot "serve_fw": firmware updates through the kernel's NVMe/TCP driver.

After each step nvme-cli's fw-log and id-ctrl, and sysfs, say what the drive has; ssdct must have said the same.
"""
import json

DOWNLOAD, COMMIT = 0x11, 0x10
LONGEST_SECONDS = 60  # MTFA (10 s) plus 20 s, and what the kernel takes


class Steps:
    def __init__(self, tap, result):
        self.tap, self.result = tap, result

    def document(self, name):
        return self.result.json(name)["drives"][0]

    def fw(self, name):
        return self.document(name)["fw"]

    def truth(self, name):
        """(running slot, next slot, revision by slot, running revision) as nvme-cli reads them."""
        log = self.result.json(f"{name}-fw-log")["nvme0"]
        afi = log["Active Firmware Slot (afi)"]
        slots = {}
        for slot in range(1, 8):
            text = log.get(f"Firmware Rev Slot {slot}")
            revision = int(text.split()[0]).to_bytes(8, "little").rstrip(b" \0").decode() if text else ""
            if revision:
                slots[slot] = revision
        return afi & 7, afi >> 4 & 7, slots, self.result.json(f"{name}-id-ctrl")["fr"].strip()

    def sysfs(self, name):
        return self.result.text(f"{name}-sysfs").strip()

    def sent(self, name):
        """Opcodes that went to the drive and can change it."""
        records = [json.loads(line) for line in self.result.text(f"{name}-trace").splitlines()]
        return [o for o in (int(str(r["opcode"]), 0) for r in records if r["sent"] and not r["control"]) if o in (DOWNLOAD, COMMIT)]

    def outcome(self, name, code, result, text):
        """Exit code and result word; one JSON object with that exit code."""
        got = self.result.rc(name), self.fw(name)["result"], self.result.json(name)["exit"]
        return self.tap.equal(got, (code, result, code), text)

    def status(self, name):
        """`fw status` says what nvme-cli says."""
        running, following, slots, _ = self.truth(name)
        ours = self.fw(f"{name}-status")
        got = ours["running"], ours["next"] or 0, {s["slot"]: s["revision"] for s in ours["slots"] if s["revision"]}
        self.tap.equal(got, (running, following, slots), f"{name}: fw status says what nvme fw-log says")

    def refused(self, name, word):
        """Exit 4, with the reason in words, and nothing sent."""
        document = self.result.json(name)
        row = document["drives"][0]["error"] or document["error"] or {}
        said = f"{row.get('message')} {row.get('hint')}"
        self.tap.result(self.result.rc(name) == 4 and row.get("code") == "refused" and word in said,
                        f"{name}: refused, and {word!r} is named", self.result.rc(name), said)
        self.tap.equal(self.sent(name), [], f"{name}: nothing was sent")


def check(tap, result):
    if result.text("missing"):
        tap.skip("firmware updates through the kernel", f"this program has no {result.text('missing').strip()}")
        return
    steps = Steps(tap, result)
    activations(steps)
    in_use(steps)
    interruptions(steps)
    pair(steps)


def activations(s):
    s.status("start")
    start = s.truth("start")
    s.refused("refused", "--force")
    s.outcome("dry-run", 0, "dry_run", "dry run: exit 0")
    s.tap.equal((s.sent("dry-run"), s.truth("refused")), ([], start), "the drive is as it was")

    s.outcome("later", 5, "pending_controller_reset", "later: exit 5")
    running, following, slots, revision = s.truth("later")
    ours = s.fw("later")
    s.tap.equal((revision, running, following, slots.get(ours["slot"])), (start[3], start[0], ours["slot"], "2.1.0"),
                "later: the new one is in its slot and next, the old one runs")
    s.tap.equal(s.sent("later"), [DOWNLOAD] * (len(s.sent("later")) - 1) + [COMMIT], "later: downloads, then one commit")
    s.tap.equal((ours["before"], s.sysfs("later")), (start[3], start[3]), "later: before, and sysfs")
    s.status("later")
    s.tap.equal((s.result.rc("nvme-reset"), s.truth("later-reset")[3], s.sysfs("later-reset"), s.truth("later-reset")[:2]),
                (0, "2.1.0", "2.1.0", (ours["slot"], 0)), "nvme reset: the new one runs, and sysfs says so")
    s.status("later-reset")

    for name, before, after in (("reset", "2.1.0", "2.2.0"), ("now", "2.2.0", "2.3.0")):
        s.outcome(name, 0, "active", f"{name}: exit 0")
        ours, (running, following, slots, revision) = s.fw(name), s.truth(name)
        s.tap.equal((ours["before"], ours["after"], ours["slot"], slots[running], revision, following),
                    (before, after, running, after, after, 0), f"{name}: the new one runs")
        s.status(name)
    s.tap.equal(s.sysfs("reset"), "2.2.0", "reset: sysfs says so")
    print(f"# after activation without a reset sysfs says {s.sysfs('now')}")
    s.outcome("current", 0, "already_current", "an update to what runs: exit 0")
    s.tap.equal(s.sent("current"), [], "and nothing is sent")
    s.outcome("store", 0, "stored", "store: exit 0")
    running, following, slots, revision = s.truth("store")
    s.tap.equal((revision, following, slots.get(s.fw("store")["slot"])), ("2.3.0", 0, "2.4.0"),
                "store: it is in its slot, and nothing is pending")

    s.outcome("subsystem", 5, "pending_subsystem_reset", "a drive that wants a subsystem reset: exit 5")
    s.tap.equal(s.truth("subsystem")[3], "2.3.0", "it was not reset for nothing")
    s.tap.equal((s.result.rc("nvme-subsystem-reset"), s.truth("subsystem-reset")[3]), (0, "2.5.0"),
                "nvme subsystem-reset: the new one runs")


def in_use(s):
    s.refused("mounted", "/tmp/mnt")
    s.outcome("mounted-forced", 0, "active", "mounted, with --force: exit 0")
    s.tap.equal((s.truth("mounted-forced")[3], s.result.text("kept").strip()), ("2.6.0", "kept"),
                "the new one runs, and the file system is there")
    s.refused("opened", s.result.text("opener").strip())
    s.tap.equal(s.result.text("holders").split(), ["md127"], "an md array has the namespace")
    s.refused("member", "md127")
    s.tap.equal(s.truth("used")[3], "2.6.0", "the drive is as it was")


def interruptions(s):
    """Whatever happens in the middle: no hang, an exit code of the contract, and what is said about the drive is true.

    A connection that comes back is a controller reset, which activates what is pending: only slots can be compared.
    """
    slots = s.truth("used")[2]
    for name in ("download-vanish", "download-killed", "download-deleted", "commit-vanish", "commit-killed", "commit-deleted",
                 "reset-deleted"):
        code, fw, truth = s.result.rc(name), s.fw(name), s.truth(name)
        took, commits = float(s.result.text(f"{name}.seconds")), s.sent(name).count(COMMIT)
        print(f"# {name}: exit {code}, {fw['result']}, {took} s; the drive: {truth}")
        s.tap.result(took < LONGEST_SECONDS, f"{name}: no hang ({took} s)")
        s.tap.result(code in (0, 1, 3, 5) and s.result.json(name)["exit"] == code, f"{name}: an exit code of the contract", code)
        s.tap.result(commits <= 1, f"{name}: committed once at most", commits)
        s.tap.result(code != 0 or (fw["result"], fw["after"]) == ("active", truth[3]), f"{name}: active only when it runs", fw, truth)
        s.tap.result(code != 5 or fw["slot"] in (truth[0], truth[1]) and truth[2] != slots, f"{name}: pending only when it is stored",
                     fw, truth)
        s.tap.result(fw["result"] != "not_applied" or truth[2] == slots, f"{name}: not_applied only when no slot has changed",
                     truth[2], slots)
        s.tap.result(commits or fw["result"] == "not_applied", f"{name}: without a commit nothing was applied", fw)
        s.status(name)
        slots = truth[2]
    for name in ("download-deleted", "commit-deleted", "reset-deleted"):
        s.tap.result(s.result.rc(name) in (1, 3), f"{name}: a drive that is gone is no success", s.result.rc(name))
    for name in ("commit-killed", "commit-deleted"):
        s.tap.equal(s.sent(name).count(COMMIT), 1, f"{name}: it was the commit that was hit")
    for name in ("download-killed", "download-deleted"):
        s.tap.result(DOWNLOAD in s.sent(name), f"{name}: it was a download that was hit")


def pair(s):
    listed = s.result.json("pair-list")["drives"]
    s.tap.equal(len({d["serial"] for d in listed}), 1, "two controllers of one drive")
    s.tap.equal(len(listed), 2, "both are listed")
    s.tap.equal(s.result.rc("pair-smart"), 2, "its serial number is ambiguous: exit 2")
    s.tap.equal(s.result.rc("pair-update"), 0, "but for fw it is one drive: exit 0")
    s.tap.equal(s.sent("pair").count(COMMIT), 1, "updated once")
    for controller in ("nvme0", "nvme1"):
        s.tap.equal(s.result.json(f"pair-{controller}-id-ctrl")["fr"].strip(), "2.1.0", f"{controller} runs the new one")
