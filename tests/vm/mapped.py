# SPDX-License-Identifier: MIT
"""Boot "mapped": LVM and dm-crypt on a drive, what lies unused on others, namespaces of a subsystem of two controllers."""
import json
import os
import sys

import drives
from steps import Steps

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import signatures  # noqa: E402

FORMAT, ATTACHMENT = 0x80, 0x15
LEFT = {"zfs": signatures.zfs, "bcache": signatures.bcache, "md": signatures.md_12}
MIB = 64
# The kernel numbers drives and mapped devices as it likes; kind and name are what people know.
HELD = {"lvm": ("n1 is part of dm-", " (LVM volume vg0-srv)"), "crypt": ("n1p1 is part of dm-", " (dm-crypt secret)")}


def devices(machine):
    result = [*drives.drive(machine, "lvm", "MAPLVM01"), *drives.drive(machine, "crypt", "MAPCRYPT")]
    for name, signature in LEFT.items():
        result += drives.drive(machine, name, f"SIG{name}")
        signatures.write(os.path.join(machine.folder, f"{name}-1.img"), signature, MIB << 20)
    return [*result, "-device", "nvme-subsys,id=pair,nqn=pair", *drives.drive(machine, "one", "MAPPAIR", "subsys=pair", ((1, "shared=on"),)),
            *drives.drive(machine, "other", "MAPPAIR", "subsys=pair", ((2, "shared=on,detached=on"),))]


def check(tap, result):
    s = Steps(tap, result)
    for name, words in HELD.items():
        for how in ("format", "delete", "raw"):
            s.refused(f"{name}-{how}", *words)
    s.refused("lvm-mounted", "n1 is mounted on /mnt through dm-", *HELD["lvm"])
    tap.equal(result.text("lvm-file"), "precious\n", "the file on the volume is still there")
    s.refused("lvm-dormant", "n1 contains LVM2_member", "--force")
    s.refused("crypt-dormant", "n1p1 contains crypto_LUKS", "--force")
    for name, signature in LEFT.items():
        s.refused(name, f"n1 contains {signatures.ALL[signature]}", "--force")
        s.refused(f"{name}-delete", f"n1 contains {signatures.ALL[signature]}", "--force")
    for name in ("lvm-forced", "crypt-forced", *(f"{left}-{how}" for left in LEFT for how in ("forced", "after"))):
        tap.equal((result.rc(name), s.element(name)["format"]["result"], s.sent(name)), (0, "formatted", [FORMAT]), f"{name}: formatted")
    attachment(s)
    tap.result("call trace" not in result.text("dmesg.out").lower(), "the kernel has nothing to complain of")


def attachment(s):
    tap, result = s.tap, s.result
    ours = int(result.text("pair"))
    # Step, what it says, controllers that have namespace 2 afterwards.
    for name, word, controllers in (("start", None, []), ("attach-all", "attached", [0, 1]), ("detach-one", "detached", [1 - ours]),
                                    ("attach-one", "attached", [0, 1]), ("detach-mounted", None, [0, 1]), ("detach-all", "detached", [])):
        if word:
            doc = s.element(name)["namespace"]
            tap.equal((result.rc(name), doc["result"], doc["host"]["agrees"], s.sent(name)), (0, word, True, [ATTACHMENT]), f"{name}: {word}")
        tap.equal([c["ctrl_id"] for c in result.json(f"{name}-who")["ctrl_list"]], controllers, f"{name}: nvme list-ctrl")
        tap.equal([c for c in (0, 1) if {"nsid": 2} in json.loads(result.text(f"{name}-{c}.active"))["nsid_list"]], controllers,
                  f"{name}: nvme list-ns")
        tap.equal([n["nsid"] for n in result.json(f"{name}-all")["nsid_list"]], [1, 2], f"{name}: nvme list-ns --all")
        tap.equal(int(result.text(f"{name}-nodes")), 1 if controllers else 0, f"{name}: the kernel has a node for it or not")
        listed = next(n for n in s.element(f"{name}-list")["namespace"]["namespaces"] if n["nsid"] == 2)
        tap.equal(([c["controller_id"] for c in listed["controllers"]], listed["attached"]), (controllers, ours in controllers),
                  f"{name}: namespace list")
    s.refused("detach-mounted", "n2 is mounted on /mnt")
