# SPDX-License-Identifier: MIT
"""Results in the Test Anything Protocol."""


class Tap:
    def __init__(self):
        self.count = self.failed = 0

    def result(self, good, text, *details):
        """One result; details say why when it is bad."""
        self.count += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {text}", flush=True)
        for detail in () if good else details:
            for line in str(detail).splitlines():
                print(f"# {line}", flush=True)
        return good

    def equal(self, got, expected, text):
        return self.result(got == expected, text, f"got {got!r}", f"expected {expected!r}")

    def skip(self, text, reason):
        self.count += 1
        print(f"ok {self.count} - {text} # SKIP {reason}", flush=True)

    def end(self):
        print(f"1..{self.count}", flush=True)
        return 1 if self.failed else 0
