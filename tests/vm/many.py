# SPDX-License-Identifier: MIT
"""Boot "many": 64 controllers; how long ssdct takes beside nvme-cli in the same boot."""
import statistics

COUNT = 64


def median(result, name, turns):
    return statistics.median(float(result.text(f"{name}-{turn}.seconds")) for turn in range(1, turns + 1))


def check(tap, result):
    names = [f"nvme{n}" for n in range(COUNT)]
    listed = result.json("list-ssdct-1")["drives"]
    tap.equal([d["device"] for d in listed], names, f"list shows {COUNT} drives in natural order")
    tap.equal(sorted(d["serial"] for d in listed), [f"MANY{n:04d}" for n in range(COUNT)], "list shows every serial number")
    everything = result.json("smart-ssdct-1")
    tap.equal([d["device"] for d in everything["drives"]], names, "smart --all shows them in the same order")
    tap.result(result.rc("smart-ssdct-1") == 0 and all(d["smart"]["temperature_celsius"] == 50 for d in everything["drives"]),
               "smart --all has the log of every drive")

    theirs, ours = median(result, "list-nvme", 7), median(result, "list-ssdct", 7)
    tap.result(ours < theirs, f"list takes {ours:.2f} s, nvme list {theirs:.2f} s: less")
    theirs, ours = median(result, "smart-nvme", 3), median(result, "smart-ssdct", 3)
    tap.result(ours <= theirs / 5, f"smart --all takes {ours:.2f} s, a loop of nvme smart-log {theirs:.2f} s: at most a fifth")


def check_empty(tap, result):
    """A machine without drives."""
    tap.equal((result.rc("list"), result.json("list")["drives"]), (0, []), "no drives: list is exit 0 with an empty list")
    tap.equal(result.rc("check"), 3, "no drives: check is exit 3")
    tap.equal(result.rc("check-expect-0"), 0, "no drives: check --expect 0 is exit 0")
    tap.equal(result.json("smart")["drives"], [], "no drives: smart --all has an empty list")
