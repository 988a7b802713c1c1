# SPDX-License-Identifier: MIT
"""Boot "serve_ns": namespaces and provisioning through the kernel's NVMe/TCP driver.

After each step nvme-cli's lists and id-ns, and sysfs, say what there is; ssdct must have said the same.
"""
from steps import Steps

GENERIC_BLOCKS, INTEL_BLOCKS = 1953525168, 3907029168  # of 512 bytes: 1 TB and 2 TB
EIGHTY_PERCENT = 3125623328  # what isdct made of the latter


class Namespaces(Steps):
    def active(self, name):
        return [n["nsid"] for n in self.result.json(f"{name}-active")["nsid_list"]]

    def allocated(self, name):
        return [n["nsid"] for n in self.result.json(f"{name}-all")["nsid_list"]]

    def sysfs(self, name):
        """{NSID: (node, sectors)}"""
        return {int(nsid): (node, int(sectors)) for node, nsid, sectors in
                (line.split() for line in self.result.text(f"{name}-sysfs").splitlines())}

    def is_so(self, name, active, allocated, blocks):
        """nvme-cli, sysfs and `namespace list` agree; blocks of 512 bytes by NSID."""
        self.tap.equal((self.active(name), self.allocated(name)), (active, allocated), f"{name}: nvme list-ns")
        self.tap.equal(self.sysfs(name), {n: (f"nvme0n{n}", blocks[n]) for n in active}, f"{name}: nodes and sizes in sysfs")
        ours = self.element(f"{name}-list")["namespace"]
        self.tap.equal({n["nsid"]: (n["attached"], n["size_blocks"]) for n in ours["namespaces"]},
                       {n: (n in active, blocks[n]) for n in allocated}, f"{name}: namespace list")
        for n in active:
            self.tap.equal(self.result.json(f"{name}-id-ns-{n}")["nsze"], blocks[n], f"{name}: nvme id-ns of {n}")
        self.tap.equal(ours["unallocated_bytes"], int(self.result.json(f"{name}-id-ctrl")["unvmcap"]), f"{name}: unallocated")

    def done(self, name, word, key="namespace"):
        got = self.result.rc(name), self.element(name)[key]["result"], (self.element(name)[key]["host"] or {}).get("agrees")
        self.tap.equal(got, (0, word, True), f"{name}: {word}, and this host shows it")


def check(tap, result):
    if result.text("missing"):
        tap.skip("namespaces through the kernel", f"this program has no {result.text('missing').strip()}")
        return
    s = Namespaces(tap, result)
    everything = {1: GENERIC_BLOCKS}
    s.is_so("start", [1], [1], everything)
    s.refused("unforced", "--force")
    for name in ("mounted-delete", "mounted-detach", "mounted-provision"):
        s.refused(name, "/tmp/mnt")
    s.refused("opened-delete", "sleep")
    s.is_so("refused", [1], [1], everything)
    changes(s)
    provisioning(s)
    others(s)
    intel(s)
    tap.result("call trace" not in result.text("dmesg.out").lower(), "the kernel has nothing to complain of")


def changes(s):
    small, rest = 131072, GENERIC_BLOCKS - 131072
    s.done("delete", "deleted")
    s.is_so("delete", [], [], {})
    s.done("create", "created")
    s.is_so("create", [1], [1], {1: small})
    s.done("largest", "created")
    s.is_so("largest", [1], [1, 2], {1: small, 2: rest})
    s.done("attach", "attached")
    s.is_so("attach", [1, 2], [1, 2], {1: small, 2: rest})
    s.done("detach", "detached")
    s.is_so("detach", [1], [1, 2], {1: small, 2: rest})
    s.done("away", "detached")
    s.is_so("away", [], [1], {1: small})
    s.done("back", "attached")
    s.is_so("back", [1], [1], {1: small})
    s.tap.equal(s.result.text("kept").strip(), "same", "detached and attached again: the data are there")


def provisioning(s):
    s.done("half", "provisioned", "provision")
    s.is_so("half", [1], [1], {1: GENERIC_BLOCKS // 16 * 8})
    s.done("native", "provisioned", "provision")
    s.is_so("native", [1], [1], {1: GENERIC_BLOCKS})


def others(s):
    for name, active in (("nvme-delete", []), ("nvme-create", [1])):
        s.tap.equal((s.result.rc(name), s.result.rc(f"rescan-{name[5:]}")), (0, 0), f"{name} by nvme-cli, then rescan")
        s.is_so(name, active, active, {1: 8192})


def intel(s):
    for name, blocks in (("intel", INTEL_BLOCKS), ("intel-80", EIGHTY_PERCENT), ("intel-native", INTEL_BLOCKS),
                         ("intel-reset", EIGHTY_PERCENT)):
        if name != "intel":
            s.done(name, "provisioned", "provision")
        s.tap.equal((s.result.json(f"{name}-id-ns-1")["nsze"], s.sysfs(name)), (blocks, {1: ("nvme1n1", blocks)}),
                    f"{name}: nvme id-ns and sysfs")
    s.tap.result(f"value:{EIGHTY_PERCENT - 1:#x}" in s.result.text("intel-feature.out"), "nvme get-feature C1h is the last LBA",
                 s.result.text("intel-feature.out"))
    s.tap.equal(s.element("intel-reset")["provision"]["controller_reset"], True, "a drive that shows it after a reset is reset")
