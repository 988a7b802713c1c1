# SPDX-License-Identifier: MIT
"""Boot "bench": the benchmark beside fio on the same targets, in turn; and what it does to a drive that is in use.

Speeds are compared as ratios of medians within one boot: what slows the machine down slows both.
"""
import json
import statistics

ROUNDS = range(1, 8)
BUSY_PERCENT = 10
PERCENTILES = {"p50": "50.000000", "p99": "99.000000"}


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
    """Seven rounds of one program on one target."""

    def __init__(self, result, name, read):
        self.rounds = [read(result, f"{name}-{i}") for i in ROUNDS]

    def values(self, key):
        return [r[key] for r in self.rounds]

    def median(self, key):
        return statistics.median(self.values(key))

    def __str__(self):
        return "; ".join(f"{key} {self.median(key):.0f} of {[round(v) for v in self.values(key)]}" for key in self.rounds[0])


def check_speed(tap, result):
    own = Series(result, "fast-ours", ours)
    for name, words, least in (("fast-plain", "fio's io_uring as it is", 1.4),
                               ("fast-tuned", "fio with registered files and buffers and the same batches", 1.0)):
        other = Series(result, name, theirs)
        ratio = own.median("iops") / other.median("iops")
        tap.result(ratio >= least, f"null_blk, depth 32: {ratio:.2f} times {words}, at least {least}", own, other)


def spread(series, key):
    """How far one program's own rounds are apart, in percent."""
    return (max(series.values(key)) - min(series.values(key))) / series.median(key) * 100


def is_busy(tap, words, series, key):
    """On a busy machine not even one program agrees with itself; then two cannot be compared."""
    percent = spread(series, key)
    if percent > BUSY_PERCENT:
        tap.skip(f"{words}: {key}", f"a busy machine: the results of one program are {percent:.0f} % apart")
    return percent > BUSY_PERCENT


def check_accuracy(tap, result, name):
    """Where the target sets the pace, both must say the same."""
    own, other = Series(result, f"{name}-ours", ours), Series(result, f"{name}-plain", theirs)
    for key, percent in (("iops", 3), ("p50", 3), ("mean", 5)):
        off = abs(own.median(key) / other.median(key) - 1) * 100
        if off <= percent or not is_busy(tap, name, other, key):
            tap.result(off <= percent, f"{name}: {key} {off:.1f} % from fio's, at most {percent}", own, other)
    # A bucket of ours, and of fio's, is a hundredth wide. On a busy machine the one that takes less time is disturbed less.
    low, high = min(other.values("p99")) * 0.98, max(other.values("p99")) * 1.02
    p99 = own.median("p99")
    if low <= p99 <= high or not is_busy(tap, name, other, "p99"):
        tap.result(low <= p99 <= high, f"{name}: p99 is within what fio finds", own, other)


def bench_of(result, name):
    return result.json(name)["drives"][0]["bench"]


def check_use(tap, result):
    tap.equal(result.rc("reads"), 0, "a drive that nobody uses is read without a question")
    tap.equal(bench_of(result, "reads")["state"], "burst", "its state is burst")
    tap.equal([result.rc("refused"), result.rc("other")], [4, 4], "overwriting needs the serial number, and the right one")
    tap.equal(result.text("untouched").strip(), "1", "nothing was written without it")
    tap.equal(result.rc("overwrite"), 0, "overwriting with the serial number")
    tap.equal(result.text("margins").split(), ["0", "0"], "the first and the last MiB stay as they were")
    tap.result(int(result.text("written")) > 1 << 20, "the rest was written", result.text("written"))
    tap.equal(result.text("partitions").strip(), "0", "the kernel finds no partitions in it")
    tap.equal(result.rc("mounted"), 4, "in use: needs --yes")
    tap.equal((result.rc("mounted-yes"), bench_of(result, "mounted-yes")["state"]), (0, "shared"), "in use, --yes: shared")
    tap.equal(result.rc("mounted-write"), 4, "in use: never overwritten")
    tap.equal((result.rc("small"), result.rc("elsewhere")), (4, 2),
              "no file where there is little room, or on another drive")
    tap.equal(result.rc("file"), 0, "writes to a file of its own")
    used = [int(kib) for kib in result.text("used").split()]
    tap.result(len(set(used)) == 1 and not result.text("left"), "nothing is left of it, also after SIGTERM and SIGKILL",
               used, result.text("left"))
    during = [int(kib) - used[0] for kib in result.text("used-during").split()]
    tap.result(len(during) == 2 and min(during) >= 16000, "meanwhile there was a file", during)
    tap.equal((result.rc("signal-TERM"), result.rc("signal-KILL")), (130, 137), "exit codes after signals")
    tap.equal(result.json("signal-TERM")["error"]["code"], "interrupted", "what was measured so far is still said")


def check(tap, result):
    check_speed(tap, result)
    check_accuracy(tap, result, "paced")
    for rate in (100, 1000, 5000):
        check_accuracy(tap, result, f"rate{rate}")
    tap.equal(bench_of(result, "polled")["engine"], "io_uring, polled", "poll queues are used")
    tap.equal(bench_of(result, "fallback")["engine"], "preadv", "the fallback says so")
    fallback, paced = ours(result, "fallback"), Series(result, "paced-ours", ours)
    off = abs(fallback["iops"] / paced.median("iops") - 1) * 100
    if off <= 5 or not is_busy(tap, "the fallback", paced, "iops"):
        tap.result(off <= 5, f"the fallback: {off:.1f} % from io_uring where the target sets the pace, at most 5", fallback, paced)
    check_use(tap, result)
