# SPDX-License-Identifier: MIT
"""A boot's steps by their names: what ssdct said of each, what it sent, and that it sent nothing where it refused."""
import json

READS = (0x02, 0x06, 0x0a)  # Get Log Page, Identify, Get Features


class Steps:
    def __init__(self, tap, result):
        self.tap, self.result = tap, result

    def element(self, name):
        return self.result.json(name)["drives"][0]

    def trace(self, name):
        return [json.loads(line) for line in self.result.text(f"{name}-trace").splitlines()]

    def sent(self, name):
        """Opcodes of what may have changed something; resets and rescans are left out."""
        return [r["opcode"] for r in self.trace(name) if r["sent"] and not r["control"] and r["opcode"] not in READS]

    def refused(self, name, *words, code=4):
        """With exit 4 for safety, with 7 because the drive cannot; the trace proves that nothing but questions was sent."""
        error = self.result.json(name)["error"] or {"code": None}
        said = f"{error.get('message')} {error.get('hint')}"
        self.tap.result(self.result.rc(name) == code and error["code"] == {4: "refused", 7: "unsupported"}[code]
                        and all(w in said for w in words), f"{name}: exit {code}, {', '.join(words)}", self.result.text(f"{name}.out"))
        if f"{name}-trace" in self.result.files:
            self.tap.equal((self.sent(name), bool(self.trace(name))), ([], True), f"{name}: nothing was sent")
