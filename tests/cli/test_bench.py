#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ssdct bench: keys, exit codes, signals, and that nothing is left of what it writes. Speeds are not looked at."""
import html
import json
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import SSDCT, TMP, Host, Tap, id_ctrl, run, smart  # noqa: E402

tap = Tap()
FILE = os.path.join(TMP, "target")
with open(FILE, "wb") as f:
    for _ in range(32):
        f.write(os.urandom(1 << 20))

# CONTRACT section 3, with the type of each value.
NUMBER = (int, float)
TEST_KEYS = {"name": str, "kind": str, "block_bytes": int, "queue_depth": int, "jobs": int, "seconds": NUMBER, "ios": int,
             "bytes": int, "mb_per_s": NUMBER, "iops": NUMBER, "latency_ns": dict, "cpu_ns_per_io": NUMBER}
LATENCY_KEYS = ("min", "mean", "p50", "p90", "p99", "p99_9", "p99_99", "max")
VERDICTS = {"pass", "warn", "fail", "host_limited", "invalid", "no_spec"}


def check_keys(name, bench):
    wrong = [key for key, kind in TEST_KEYS.items() for t in bench["tests"] if not isinstance(t[key], kind)]
    tap.equal(wrong, [], f"{name}: keys of tests")
    tap.result(all("rated" in t for t in bench["tests"]), f"{name}: rated is there")
    tap.result(bench["verdict"] in VERDICTS and isinstance(bench["reasons"], list), f"{name}: verdict and reasons",
               bench["verdict"], bench["reasons"])
    for t in bench["tests"]:
        latency = [t["latency_ns"][key] for key in LATENCY_KEYS]
        ordered = [v for key, v in zip(LATENCY_KEYS, latency) if key != "mean"]
        tap.result(ordered == sorted(ordered) and latency[0] <= latency[1] <= latency[-1],
                   f"{name}: latencies of {t['name']} are in order", latency)
        tap.equal(t["bytes"], t["ios"] * t["block_bytes"], f"{name}: bytes of {t['name']}")


def file_tests():
    r = run("bench", FILE, "--time", 1, "-o", "json")
    tap.equal(r.code, 0, "a file: exit code")
    bench, drive = r.drive["bench"], r.drive
    tap.equal([drive[k] for k in ("device", "model", "serial", "firmware", "family")], [FILE] + [None] * 4,
              "a file: device is its path, the identity is null")
    tap.equal([(t["kind"], t["block_bytes"], t["queue_depth"], t["jobs"]) for t in bench["tests"]],
              [("seq_read", 131072, 32, 1), ("rand_read", 4096, 1, 1), ("rand_read", 4096, 32, 1), ("rand_read", 4096, 32, 4)],
              "quick: the four tests")
    tap.equal((bench["preset"], bench["state"], bench["verdict"]), ("quick", "burst", "no_spec"), "quick: preset, state, verdict")
    check_keys("quick", bench)
    r = run("bench", FILE, "--rw", "randread", "--bs", "8k", "--iodepth", 4, "--jobs", 2, "--time", 1, "--size", "1M",
            "--rate", 200, "--engine", "preadv", "-o", "json")
    t = r.drive["bench"]["tests"][0]
    tap.equal((r.code, r.drive["bench"]["preset"], r.drive["bench"]["engine"]), (0, "custom", "preadv"), "a test of one's own")
    tap.equal((t["block_bytes"], t["queue_depth"], t["jobs"]), (8192, 4, 2), "a test of one's own: as it was asked for")
    tap.result(0 < t["ios"] <= 208, "a test of one's own: not more than the rate", t["ios"])
    r = run("bench", FILE, "--time", 1)
    tap.result(r.code == 0 and "rand_read_4k_q1" in r.out and "reads only" in r.out, "text: the state is one of writes", r)


# Words, exit code, error code.
REFUSALS = [
    ((FILE, "--preset", "nope"), 2, "usage"),
    ((FILE, "--preset", "quick", "--bs", "4K"), 2, "usage"),
    ((FILE, "--rw", "sideways"), 2, "usage"),
    ((FILE, "--bs", "5000"), 2, "usage"),
    ((FILE, "--iodepth", "0"), 2, "usage"),
    ((FILE, "--rw", "read", "--read-percent", "50"), 2, "usage"),
    ((FILE, "--rw", "randwrite"), 4, "refused"),
    ((FILE, "--preset", "mixed"), 4, "refused"),
    ((FILE, "--write-namespace"), 4, "refused"),
    ((FILE, "--write-file", TMP, "--write-namespace"), 2, "usage"),
    ((FILE, "--write-file", TMP), 2, "usage"),  # the file is not what a file system is on
    ((TMP,), 3, "not_found"),
    (("/nonexistent/file",), 3, "not_found"),
    ((os.path.join(TMP, "empty"),), 8, "bad_input"),
    ((os.path.join(TMP, "short"),), 8, "bad_input"),  # of one test's blocks not even one
    ((FILE, "--size", "1M", "--rw", "read", "--bs", "2M"), 2, "usage"),
]


def refusal_tests():
    open(os.path.join(TMP, "empty"), "w", encoding="utf-8").close()
    with open(os.path.join(TMP, "short"), "wb") as f:
        f.write(bytes(8192))
    for words, code, error in REFUSALS:
        r = run("bench", *words, "-o", "json")
        tap.equal((r.code, r.json["error"] and r.json["error"]["code"]), (code, error), f"{' '.join(words)}: exit {code}")
    with open(FILE, "rb") as f:
        tap.result(len(f.read()) == 32 << 20, "the file is as large as it was")


def memory_tests():
    """Half of the memory would go into buffers."""
    depth = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2 // (4 << 20)
    path = os.path.join(TMP, "thirsty")
    with open(path, "wb") as f:
        f.truncate(64 << 20)
    jobs = depth // 4096 + 1
    r = run("bench", path, "--rw", "randread", "--bs", "4M", "--iodepth", depth // jobs, "--jobs", jobs, "--time", 1, "-o", "json")
    tap.equal((r.code, r.json["error"]["code"]), (2, "usage"), "buffers do not take the memory from everybody else")


def simulated_tests():
    serial = "CVFT5152003M2P0EGN"
    host = Host(simulated=True).drive(id_ctrl=id_ctrl(serial=serial))
    r = run("bench", "nvme0", "--time", 1, "-o", "json", host=host)
    tap.equal((r.code, r.json["backend"], r.drive["serial"]), (0, "simulated", serial), "a simulated drive")
    check_keys("simulated", r.drive["bench"])
    tap.result(r.drive["bench"]["verdict"] in ("no_spec", "invalid"), "a simulated drive is not judged by the specification",
               r.drive["bench"]["verdict"])
    formatted = [r.drive["bench"]["environment"][key] for key in ("block_bytes", "metadata_bytes")]
    tap.equal(formatted, [512, 0], "the environment has the LBA format")
    for words in ((), ("--write-file", TMP, "--yes", "--dry-run")):
        r = run("bench", "nvme0n1p1", "--rw", "randread", "--time", 1, *words, "-o", "json", host=host)
        tap.result(r.code == 0 and r.drive["bench"]["tests"], f"a partition, as findmnt shows it, is its namespace: nothing else is written, {words}", r)
    for words in (("--write-namespace",), ("--rw", "randwrite")):
        r = run("bench", "nvme0n1p1", *words, "--yes", "--force", "--confirm", "S", "-o", "json", host=host)
        tap.result(r.code == 4 and "partition" in r.json["error"]["message"] + r.drive["error"]["message"], f"a partition, {words}: refused", r)
    r = run("bench", "nvme0n1", "--time", 1, host=host)
    tap.result(r.code == 0 and "(simulated)" in r.out, "text says (simulated)", r)
    tap.equal([n for n in os.listdir(host.path + "/nvme0") if n.endswith(".img") or "bench" in n], [], "reading makes no file")
    for words in (("--rw", "randwrite"), ("--write-namespace",), ("--rw", "write", "--yes", "--force"),
                  ("--rw", "write", "--confirm", "WRONG")):
        r = run("bench", "nvme0", *words, "--time", 1, "-o", "json", host=host)
        tap.equal((r.code, r.json["error"]["code"]), (4, "refused"), f"{' '.join(words)}: not without the serial number")
    r = run("bench", "nvme0", "--dry-run", "-o", "json", host=host)
    tap.result(r.code == 0 and len(r.drive["bench"]["tests"]) == 4 and r.drive["bench"]["tests"][0]["ios"] is None,
               "--dry-run shows what would be done", r)
    recorded = Host().drive()
    tap.equal(run("bench", "nvme0", host=recorded).code, 7, "a recorded drive: exit 7")
    hot = Host(simulated=True).drive(id_ctrl=id_ctrl(cctemp=350), log_02=smart(kelvin=349))
    r = run("bench", "nvme0", "--time", 1, "-o", "json", host=hot)
    tap.equal((r.code, r.json["error"]["code"]), (4, "refused"), "too hot to begin: 349 K of 350")
    warm = Host(simulated=True).drive(id_ctrl=id_ctrl(cctemp=350), log_02=smart(kelvin=347))
    tap.equal(run("bench", "nvme0", "--time", 1, host=warm).code, 0, "not too hot: 347 K of 350")


def temperature_tests():
    """The limits are those of check: without CCTEMP what the drive was told, feature 04h (358 K), else 80 C."""
    for name, features, kelvin, code in (("feature 04h", {"0x04": 358}, 357, 4), ("feature 04h", {"0x04": 358}, 355, 0),
                                         ("neither", {}, 352, 4), ("neither", {}, 349, 0)):
        host = Host(simulated=True).drive(drive_json={"features": features}, log_02=smart(kelvin=kelvin))
        tap.equal(run("bench", "nvme0", "--rw", "read", "--time", 1, host=host).code, code, f"no CCTEMP, {name}, {kelvin} K: {code}")
    host = Host(simulated=True).drive(id_ctrl=id_ctrl(cctemp=350))
    p = start("nvme0", "--rw", "randread", "--time", 600, "--host", host)
    wait_for_threads(p)
    host.write("nvme0/new.bin", smart(kelvin=349))
    os.rename(f"{host}/nvme0/new.bin", f"{host}/nvme0/log-02.bin")
    out, err = p.communicate(timeout=300)
    drive = json.loads(out)["drives"][0]
    test = drive["bench"]["tests"][0]
    tap.result(p.returncode == 0 and drive["bench"]["verdict"] == "invalid" and test["partial"] is True
               and test["temperature_max_celsius"] == 349 - 273, "it ends when the drive gets too hot, and is invalid", out, err)


def findings_tests():
    words = ("bench", "nvme0", "--rw", "randread", "--time", 1)
    host = Host(simulated=True).drive()
    tap.equal(run(*words, "-o", "json", host=host).drive["findings"], [], "nothing to explain: no findings")
    tap.result("explain" not in run(*words, host=host).out, "nothing to explain: nothing in text")
    tap.equal(run("bench", FILE, *words[2:], "-o", "json").drive["findings"], [], "a file: no findings")
    # Critical warning bit 1: over a temperature threshold. Spare below its threshold is a risk, and slows nobody down.
    host = Host(simulated=True).drive(log_02=smart(warning=2, spare=5))
    page = os.path.join(TMP, "page.html")
    r = run(*words, "-o", "json", "--html", page, host=host)
    found = {f["id"]: f["severity"] for f in r.drive["findings"]}
    tap.result(r.drive["bench"]["verdict"] == "invalid" and found.get("temperature") == "warning" and "health" not in found,
               "a warm drive: what doctor finds about speed, and nothing else", r)
    advice = next(f["advice"] for f in r.drive["findings"] if f["id"] == "temperature")
    with open(page, encoding="utf-8") as stream:
        text = stream.read()
    tap.result("What may explain it" in text and html.escape(advice, quote=True).replace("&#x27;", "&#39;") in text,
               "a warm drive: in the page", text[:3000])
    r = run(*words, host=host)
    tap.result("What may explain it" in r.out and advice in r.out, "a warm drive: in text", r)
    tap.equal(run(*words, "--strict", host=host).code, 1, "a warm drive: --strict")


def background_tests():
    """Log page 06h: an extended self-test has done 10 %; or none runs."""
    for running, verdict in ((2, "invalid"), (0, "no_spec")):
        log = bytes([running, 10, 0, 0]) + (b"\x0f" + bytes(27)) * 20
        host = Host(simulated=True).drive(id_ctrl=id_ctrl(ver=0x10400, oacs=0x10), log_06=log)
        r = run("bench", "nvme0", "--rw", "read", "--time", 1, "-o", "json", host=host)
        told = any("background work" in reason for reason in r.drive["bench"]["reasons"])
        tap.equal((r.code, r.drive["bench"]["verdict"], told), (0, verdict, running > 0), f"a self-test: {verdict}")


def engine_tests():
    host = Host(simulated=True).drive()
    for words, code in (((FILE, "--rw", "read"), 7), (("nvme0", "--rw", "read"), 7), (("nvme0", "--rw", "write"), 2),
                        (("nvme0", "--write-file", TMP), 2), (("nvme0", "--write-namespace"), 2)):
        r = run("bench", *words, "--engine", "uring_cmd", "-o", "json", host=None if words[0] == FILE else host)
        tap.equal(r.code, code, f"--engine uring_cmd, {' '.join(words)}: {code}")


def in_use_tests():
    used = {"namespaces": {"1": {"mounts": ["/srv"]}}}
    host = Host(simulated=True).drive(drive_json=used)
    r = run("bench", "nvme0", "-o", "json", host=host)
    tap.result(r.code == 4 and "/srv" in r.json["error"]["message"] and "--yes" in r.json["error"]["hint"],
               "in use: not without --yes, and says by whom", r)
    r = run("bench", "nvme0", "--preset", "iometer", "--yes", "--dry-run", "-o", "json", host=host)
    bench = r.drive["bench"]
    tap.equal((r.code, bench["state"]), (0, "shared"), "in use, --yes: shared")
    tap.result(bench["verdict"] not in ("pass", "fail"), "in use: no better and no worse than warn", bench["verdict"])
    r = run("bench", "nvme0", "--yes", "--time", 1, "-o", "json", host=host)
    tap.equal((r.code, r.drive["bench"]["state"]), (0, "shared"), "in use, --yes: runs")
    r = run("bench", "nvme0", "--rw", "write", "--confirm", "CVFT51520030NVME0", "--force", "--yes", "-o", "json", host=host)
    tap.equal(r.code, 4, "in use: never overwritten")
    r = run("bench", "nvme0", "--preset", "steady", "--write-file", TMP, "--yes", "-o", "json", host=host)
    tap.equal((r.code, r.json["error"]["code"]), (4, "refused"), "in use: not for as long as steady state takes")


def start(*words):
    # In a session of its own: a shell's background jobs ignore SIGINT.
    p = subprocess.Popen([SSDCT, "bench", *map(str, words), "-o", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         stdin=subprocess.DEVNULL, text=True, start_new_session=True,
                         preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
    return p


def wait_for_threads(p):
    """Until it measures: then there are threads."""
    for _ in range(600):
        if p.poll() is not None or len(os.listdir(f"/proc/{p.pid}/task")) > 1:
            return
        time.sleep(0.05)


def signal_tests():
    host = Host(simulated=True).drive()
    place = os.path.join(TMP, "place")
    os.mkdir(place)
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        # Again, and later, when it came before the file had been filled and a test begun.
        for seconds in (0.5, 2, 8, 30):
            p = start("nvme0", "--preset", "mixed", "--write-file", place, "--size", "16M", "--time", 600, "--host", host)
            wait_for_threads(p)
            time.sleep(seconds)
            p.send_signal(getattr(signal, name))
            out, err = p.communicate(timeout=300)
            document = json.loads(out)
            tests = document["drives"][0]["bench"]["tests"]
            if any(t["ios"] and not t["precondition"] for t in tests):
                break
        tap.equal(p.returncode, 130, f"{name}: exit 130")
        tap.result(document["error"]["code"] == "interrupted" and "written" in document["error"]["message"],
                   f"{name}: says what was done", out, err)
        tap.result(len(tests) == 4 and tests[-1]["ios"] is None, f"{name}: the partial result is there", out)
        cut = [t for t in tests if t["ios"] is not None and not t["precondition"]]
        tap.equal([t["partial"] for t in cut], [True], f"{name}: and is marked so")
        tap.equal(os.listdir(place), [], f"{name}: nothing is left of the file")
    p = start("nvme0", "--preset", "mixed", "--write-file", place, "--size", "16M", "--time", 600, "--host", host)
    wait_for_threads(p)
    p.kill()
    p.communicate(timeout=300)
    tap.equal(os.listdir(place), [], "SIGKILL: nothing is left of the file")


def write_file_tests():
    host = Host(simulated=True).drive()
    r = run("bench", "nvme0", "--preset", "crystaldiskmark", "--write-file", TMP, "--size", "16M", "--time", 1, "-o", "json",
            host=host)
    bench = r.drive["bench"]
    tap.equal((r.code, len(bench["tests"])), (0, 9), "a preset that writes, in a file: filled first, then eight tests")
    tap.equal(sum(t["kind"] == "seq_write" for t in bench["tests"]), 3, "its sequential writes")
    tap.equal({t["span_bytes"] for t in bench["tests"]}, {16 << 20}, "the span is the file")
    earlier = os.path.join(TMP, "file.json")
    with open(earlier, "w", encoding="utf-8") as f:
        f.write(r.out)
    other = run("bench", "nvme0", "--preset", "crystaldiskmark", "--time", 1, "-o", "json", "--compare", earlier, host=host)
    tap.equal({t["change_percent"] for t in other.drive["bench"]["compare"]["tests"]}, {None}, "a drive is not compared with a file on it")
    tap.result("writes at most" in r.err, "announces the bytes", r.err)
    r = run("bench", "nvme0", "--preset", "crystaldiskmark", "--time", 1, "-o", "json", host=host)
    tap.equal((r.code, [t["kind"] for t in r.drive["bench"]["tests"]]), (0, ["seq_read"] * 2 + ["rand_read"] * 2),
              "without a place to write: its reads alone")
    tap.result("left out" in r.err, "and says so", r.err)


def announcement_tests():
    """The most that a link of 8 GT/s x4 carries: 3938 MB/s. The endurance of a P3700 is published for its family alone."""
    link = {"sysfs": {"max_link_speed": "8.0 GT/s PCIe", "max_link_width": "4"}}
    family = "of its family's rated endurance, up to 62.05 PB"
    for model, words, said in (
            ("INTEL SSDPEDMD020T4", ("--rw", "write", "--time", 10), f"writes at most 39.4 GB, 0.000063 % {family}"),
            ("INTEL SSDPEDMD020T4", ("--rw", "randrw", "--time", 10), f"writes at most 11.8 GB, 0.000019 % {family}"),
            # Twice 2000.4 GB and 25 rounds of a minute; no more is filled than there is.
            ("INTEL SSDPEDMD020T4", ("--preset", "steady", "--write-namespace"), f"writes at most 9908.5 GB, 0.016 % {family}"),
            ("INTEL SSDPEDMD020T4", ("--preset", "steady", "--write-namespace", "--size", "100T"),
             f"writes at most 9908.5 GB, 0.016 % {family}"),
            ("INTEL SSDPE2KX010T7", ("--rw", "write", "--time", 10), "39.4 GB, 0.0029 % of its rated endurance, 1.38 PB"),
            ("SOMEBODY ELSE'S", ("--rw", "write", "--time", 10), "writes at most 39.4 GB")):
        host = Host(simulated=True).drive(drive_json=link, id_ctrl=id_ctrl(model=model, serial="S1"))
        r = run("bench", "nvme0", *words, "--confirm", "S1", "--force", "--dry-run", host=host)
        tap.result(r.code == 0 and r.err.strip().endswith(said), f"{model}, {' '.join(map(str, words))}: {said}", r)
    r = run("bench", "nvme0", "--dry-run", host=host)
    tap.equal((r.code, r.err), (0, ""), "what only reads announces no writes")
    tap.result("not run" in r.out and "half in" not in r.out, "nor heads columns that stay empty", r)
    r = run("bench", "nvme0", "--write-namespace", "--confirm", "S1", "--force", "--dry-run", host=host)
    tap.equal((r.code, r.err), (0, ""), "nor does a preset that only reads, where it could write")


def small_file_system_tests():
    """A tenth of 300 MiB are 30: a file of 16, which is not to be filled 64 times because 1 GiB was asked for."""
    host = Host(simulated=True).drive()
    place = os.path.join(TMP, "small")
    os.mkdir(place)
    script = f"mount -t tmpfs -o size=300m none {place} && exec {SSDCT} bench nvme0 --host {host} --write-file {place} -o json "
    for preset, times in (("--rw randread --time 1 --size 1G", 1), ("--preset steady --time 1 --size 1G", 2)):
        p = subprocess.run(["unshare", "-rm", "sh", "-c", script + preset], capture_output=True, text=True, timeout=120,
                           stdin=subprocess.DEVNULL)
        if not p.stdout:
            tap.skip(f"{preset}: fills what there is", f"no mount namespace here: {p.stderr.strip()}")
            continue
        fill = json.loads(p.stdout)["drives"][0]["bench"]["tests"][0]
        tap.equal(fill["bytes"], times * (16 << 20), f"{preset}: fills what there is")
        if times == 1:
            tap.result("writes at most 0.0 GB" in p.stderr, "... and announces no more", p.stderr)


file_tests()
refusal_tests()
memory_tests()
simulated_tests()
temperature_tests()
findings_tests()
background_tests()
engine_tests()
in_use_tests()
signal_tests()
write_file_tests()
announcement_tests()
small_file_system_tests()
sys.exit(tap.end())
