# SPDX-License-Identifier: MIT
"""Boot "safety": what the real kernel says about a drive's use, beside what ssdct makes of it."""

# What is in the way, and the words that must be in the message. None: nothing.
LOOKS = {
    "idle": None,
    "signature": None,
    "mounted": "nvme0n1 is mounted on /mnt",
    "elsewhere": "nvme0n1 is mounted on /mnt in the mount namespace of process",
    "ended": None,
    "swap": "nvme0n1p1 is swap space",
    "partition": "nvme0n1p2 is mounted on /mnt",
    "opener": "nvme0n1p2 is open in process {pid} (sleep)",
    "generic": "ng0n1 is open in process {pid} (sleep)",
    "controller": None,
    "renamed": "nvme0n1 is open in process {pid} (sleep)",
    "loop": "nvme0n1p2 is part of loop0",
    "array": "nvme0n1p2 is part of md7",
    "free": None,
}


def check(tap, result):
    for name, words in LOOKS.items():
        document, code = result.json(name), result.rc(name)
        if words is None:
            tap.result(code == 0, f"{name}: not in use", document)
            continue
        words = words.format(pid=result.text(f"{name}.pid").strip())
        error = document["drives"][0]["error"]
        tap.result(code == 4 and error["code"] == "refused" and words in error["message"], f"{name}: {words}", error)
    tap.equal(result.rc("reset-yes"), 4, "mounted: --yes is not enough for a reset")
    tap.equal(result.rc("reset-force"), 0, "mounted: reset with --force")
    tap.equal(result.text("file"), "precious\n", "the file is still there after the reset")
    tap.equal(result.rc("reset"), 0, "reset of a drive that nobody uses")
    tap.equal(result.text("locks").splitlines(), ["700 0", "700 0", "600 0"], "locks belong to root alone")
    log = [line for line in result.text("syslog").splitlines() if "ssdct" in line]
    tap.result(sum("serial number SAFE0001, user root: reset the controller" in line for line in log) >= 4
               and not any("dry" in line for line in log), "each reset is in the system's log, with serial number and user", *log)
