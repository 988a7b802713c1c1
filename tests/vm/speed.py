# SPDX-License-Identifier: MIT
"""Boots "speed" and "pace": the benchmark beside fio on the same targets, in turn; each ends with a table of ratios.

Speeds are compared as ratios of medians within one boot: what slows the machine down slows both.
"""
import json
import os
import statistics

COUNT = int(os.environ.get("SSDCT_BENCH_ROUNDS", "7"))
BUSY_PERCENT = 10
BUCKET = 0.02  # a bucket of ours, and of fio's, is a hundredth wide
PERCENTILES = {"p50": "50.000000", "p99": "99.000000"}
FAST = (("fast-plain", "fio as it is", 1.4), ("fast-tuned", "fio with fixed buffers, files, same batch", 1.0))
RATES = ("rate100", "rate1000", "rate5000")
CLOSE_PERCENT = {"iops": 3, "p50": 3, "mean": 5}


def ours(result, name):
    test = result.json(name)["drives"][0]["bench"]["tests"][0]
    latency = test["latency_ns"]
    return {"iops": test["iops"], "mean": latency["mean"], **{p: latency[p] for p in PERCENTILES}}


def theirs(result, name):
    text = result.text(name + ".out")
    read = json.loads(text[text.index("{"):])["jobs"][0]["read"]
    latency = read["lat_ns"]
    return {"iops": read["iops"], "mean": latency["mean"],
            **{p: latency["percentile"][key] for p, key in PERCENTILES.items()}}


class Series:
    """The rounds of one program on one target."""

    def __init__(self, result, name, read):
        self.rounds = [read(result, f"{name}-{i}") for i in range(1, COUNT + 1)]

    def values(self, key):
        return [r[key] for r in self.rounds]

    def median(self, key):
        return statistics.median(self.values(key))

    def spread(self, key):
        """How far its rounds are apart, in percent."""
        return (max(self.values(key)) - min(self.values(key))) / self.median(key) * 100

    def __str__(self):
        return "; ".join(f"{key} {self.median(key):.0f} of {[round(v) for v in self.values(key)]}" for key in self.rounds[0])


class Comparison:
    """Results, and the table of them."""

    def __init__(self, tap):
        self.tap, self.rows = tap, []

    def row(self, target, key, own, other, wanted):
        ratio = own.median(key) / other.median(key)
        self.rows.append((target, key, f"{own.median(key):.0f}", f"{other.median(key):.0f}", f"{ratio:.3f}", wanted,
                          f"{own.spread(key):.1f}", f"{other.spread(key):.1f}"))
        return ratio

    def judge(self, good, text, target, key, own, other):
        """On a busy machine not even one program agrees with itself; then two cannot be compared."""
        percent = other.spread(key)
        if good or percent <= BUSY_PERCENT:
            self.tap.result(good, text, f"ssdct {own}", f"fio {other}")
        else:
            self.tap.skip(f"{target}: {key}", f"a busy machine: fio's own results are {percent:.0f} % apart")

    def print(self):
        head = ("target", "figure", "ssdct", "fio", "ratio", "wanted", "spread %", "fio's %")
        widths = [max(len(row[i]) for row in (head, *self.rows)) for i in range(len(head))]
        for row in (head, *self.rows):
            print("# " + "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths)).rstrip(), flush=True)


def check_speed(comparison, result):
    own = Series(result, "fast-ours", ours)
    for name, words, least in FAST:
        other = Series(result, name, theirs)
        ratio = comparison.row(f"null_blk, {words}", "iops", own, other, f">= {least}")
        comparison.tap.result(ratio >= least, f"null_blk, depth 32: {ratio:.2f} times {words}, at least {least}",
                              f"ssdct {own}", f"fio {other}")


def check_accuracy(comparison, result, name):
    """Where the target sets the pace, both must say the same."""
    own, other = Series(result, f"{name}-ours", ours), Series(result, f"{name}-plain", theirs)
    for key, percent in CLOSE_PERCENT.items():
        off = abs(comparison.row(name, key, own, other, f"1 +- {percent / 100}") - 1) * 100
        comparison.judge(off <= percent, f"{name}: {key} {off:.1f} % from fio's, at most {percent}", name, key, own, other)
    low, high = min(other.values("p99")) * (1 - BUCKET), max(other.values("p99")) * (1 + BUCKET)
    median = other.median("p99")
    comparison.row(name, "p99", own, other, f"{low / median:.2f} to {high / median:.2f}")
    comparison.judge(low <= own.median("p99") <= high, f"{name}: p99 is within what fio finds", name, "p99", own, other)


def check(tap, result):
    comparison = Comparison(tap)
    check_speed(comparison, result)
    for name in RATES:
        check_accuracy(comparison, result, name)
    comparison.print()


def check_pace(tap, result):
    comparison = Comparison(tap)
    check_accuracy(comparison, result, "paced")
    comparison.print()
