# SPDX-License-Identifier: MIT
"""Boot "bench": what the benchmark does to targets, and what it says of them; not how fast it is."""
import json

import drives

SILENT_NS = 20 * 10 ** 9
FIO_CEILING_NS = 2 ** 34  # axboe/fio#1668: nothing above it was told apart
KIB = 1024


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
    sums = result.text("sums").splitlines()
    tap.result(result.rc("mounted-write") == 4 and len(sums) == 2 and len(set(sums)) == 1,
               "bug 96: mounted: never overwritten, and every byte is what it was", result.rc("mounted-write"), sums)
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


def test_of(result, name):
    return bench_of(result, name)["tests"][0]


def check_engines(tap, result):
    for name, engine in (("engine-best", "io_uring, polled"), ("engine-rate", "io_uring"), ("engine-preadv", "preadv"),
                         ("reads", "io_uring, polled"), ("cmd-random", "uring_cmd"), ("cmd-quick", "uring_cmd"),
                         ("cmd-none", "io_uring, polled")):
        bench = bench_of(result, name)
        tap.result(bench["engine"] == engine and all(t["ios"] > 0 and t["errors"] == 0 for t in bench["tests"]),
                   f"{name}: by {engine}", bench["engine"], [(t["ios"], t["errors"]) for t in bench["tests"]])
    tap.result("measured by io_uring" in result.text("cmd-none.err"), "without /dev/ngXnY: says what it did instead",
               result.text("cmd-none.err"))


def check_loop(tap, result):
    bench = bench_of(result, "loop")
    tap.result(result.rc("loop") == 0 and bench["engine"] == "io_uring" and bench["verdict"] == "no_spec"
               and len(bench["tests"]) == 4 and all(t["ios"] > 0 and t["errors"] == 0 for t in bench["tests"]),
               "a loop device is measured", result.rc("loop"), bench)
    tap.equal((result.rc("loop-used"), result.rc("loop-yes"), bench_of(result, "loop-yes")["state"]), (4, 0, "shared"),
              "mounted, it takes --yes")
    sums = result.text("loop-sums").splitlines()
    tap.result([result.rc("loop-write"), result.rc("loop-preset")] == [4, 4] and len(sums) == 2 and len(set(sums)) == 1,
               "and is never written", sums)


def counted(result, name, key):
    """What the drive has counted during a run, by nvme-cli."""
    before, after = (json.loads(result.text(f"{name}.{when}")) for when in ("before", "after"))
    return int(after[key]) - int(before[key])


def check_passthrough(tap, result):
    for name in ("cmd-random", "cmd-read"):
        test = test_of(result, name)
        tap.equal(counted(result, name, "host_read_commands"), test["ios"], f"{name}: the drive counts as many reads")
        # Data units are 1000 blocks of 512 bytes, rounded up each time.
        off = counted(result, name, "data_units_read") - test["bytes"] / 512000
        tap.result(abs(off) <= 1, f"{name}: the drive counts as many bytes", off)
        tap.result(test["latency_ns"]["min"] > 0 and test["mean_depth"] <= test["queue_depth"] * test["jobs"] * 1.001,
                   f"{name}: latencies and depth can be", test)
    # The block that the sector lies in, by its own number: logical blocks are counted in the right size.
    start = drives.BAD_SECTOR * 512 // (64 * KIB) * 64 * KIB
    for name in ("cmd-bad", "block-bad"):
        reasons = bench_of(result, name)["reasons"]
        tap.result(any(f"the first at byte {start}: " in reason for reason in reasons),
                   f"{name}: fails where the sector is", reasons)
        tap.equal(bench_of(result, name)["verdict"], "invalid", f"{name}: invalid")
    tap.equal([result.rc(f"cmd-{name}") for name in ("write", "long", "null", "metadata")], [2, 2, 7, 7],
              "refused: writes, more at once than the driver takes, no namespace, metadata")


def check_silence(tap, result):
    """Of 20 I/Os a second, four were under way when the drive fell silent: more than one of a hundred."""
    tap.equal(result.text("silent.rc").strip(), "0", "bug 98: a drive that is silent for 20 s is waited for")
    test = test_of(result, "silent")
    latency = test["latency_ns"]
    tap.result(test["longest_gap_ns"] >= SILENT_NS and test["errors"] == 0, "bug 98: the silence is reported", test)
    tap.result(any("nothing was completed for 2" in reason for reason in bench_of(result, "silent")["reasons"]),
               "bug 98: in words, too", bench_of(result, "silent")["reasons"])
    tap.result(FIO_CEILING_NS < SILENT_NS <= latency["p99"] <= latency["max"] and latency["p50"] < SILENT_NS,
               "bug 93: percentiles have no ceiling", latency)
    tap.equal(result.text("impatient.rc").strip(), "130", "bug 98: a signal meanwhile ends it")
    document = result.json("impatient")
    test = document["drives"][0]["bench"]["tests"][0]
    tap.result(document["error"]["code"] == "interrupted" and test["partial"] is True and test["longest_gap_ns"] >= SILENT_NS,
               "bug 98: what was under way is waited for, and the result is marked partial", document["error"], test)


def check_findings(tap, result):
    drive = result.json("short")["drives"][0]
    tap.result(drive["bench"]["verdict"] in ("warn", "fail", "host_limited"), "a drive that falls short", drive["bench"]["verdict"],
               drive["bench"]["reasons"])
    ids = [f["id"] for f in drive["findings"]]
    tap.result("virtual_machine" in ids and "health" not in ids, "and the findings of doctor about speed", ids)
    for name in ("short-text.out", "short.html"):
        tap.result("What may explain it" in result.text(name) and "virtual_machine" in result.text(name), f"{name} has them")
    for name in ("reads", "cmd-quick"):
        tap.equal(result.json(name)["drives"][0]["findings"], [], f"{name}: nothing to explain")


def check(tap, result):
    check_engines(tap, result)
    check_passthrough(tap, result)
    check_loop(tap, result)
    check_use(tap, result)
    check_findings(tap, result)
    check_silence(tap, result)
