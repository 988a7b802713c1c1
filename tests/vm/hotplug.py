# SPDX-License-Identifier: MIT
"""Boot "hotplug": a drive is pulled and put back while list and smart loop."""
import json
import statistics

import drives

ROUNDS = 4
RETRY_SECONDS = 5  # for which a controller that is resetting is asked again
LINES = 1000  # of the guest, in which what is waited for must have been said
HOT = "HOT00001"


def steer(steering):
    steering.wait_line("ready")
    options = dict(pair.split("=") for pair in drives.HOT_DRIVE.split(",")[1:])
    seen(steering, present=True)
    for _ in range(ROUNDS):
        steering.command("device_del", id="hot")
        steering.wait_event("DEVICE_DELETED", device="hot")
        seen(steering, present=False)
        steering.command("device_add", driver="nvme", **options)
        seen(steering, present=True)
    steering.say("stop")


def seen(steering, present):
    """Until each loop has seen that the drive is there, or that it is not: however fast the guest is."""
    missing = {"list", "smart", "all"}
    for _ in range(LINES):
        name, code, times = steering.line().split()
        if (int(times) > 0 and int(code) == 0) if present else int(times) == 0 or name == "smart" and int(code) == 3:
            missing.discard(name)
        if not missing:
            return
    raise RuntimeError(f"never seen to be {'there' if present else 'gone'} by {missing}")


def runs_of(result, name):
    """(exit code, seconds, document or None) of every run of a loop."""
    for line in result.text(f"{name}.log").splitlines():
        number, code, seconds = line.split()
        try:
            document = json.loads(result.text(f"{name}-{number}.out"))
        except ValueError:
            document = None
        yield int(code), float(seconds), document


def loop(tap, name, runs, codes, errors):
    """What holds for every run of every loop."""
    tap.result(len(runs) > 4, f"{name}: {len(runs)} runs")
    seen = {code for code, _, _ in runs}
    tap.result(seen <= codes, f"{name}: exit codes {sorted(seen)} are among {sorted(codes)}")
    longest = max(seconds for _, seconds, _ in runs)
    ordinary = statistics.median(seconds for _, seconds, _ in runs)
    tap.result(longest < RETRY_SECONDS + max(3, 10 * ordinary), f"{name}: none hangs (the longest took {longest} s, most {ordinary} s)")
    bad = [(code, document) for code, _, document in runs if document is None or document["exit"] != code]
    tap.result(not bad, f"{name}: one JSON object each time, with the exit code", bad[:3])
    said = [e for _, _, d in runs if d for e in (d["error"], *(row["error"] for row in d["drives"])) if e]
    others = [e for e in said if e["code"] not in errors]
    tap.result(not others, f"{name}: {len(said)} errors, each of {sorted(errors)}", *others[:3])


def check(tap, result):
    looked = {name: list(runs_of(result, name)) for name in ("list", "smart", "all")}
    gone = {"gone", "not_found", "busy"}
    loop(tap, "list", looked["list"], {0}, set())
    loop(tap, "smart SERIAL", looked["smart"], {0, 3}, gone)
    loop(tap, "smart --all", looked["all"], {0, 6}, gone)

    listed = [{d["serial"] for d in document["drives"]} for _, _, document in looked["list"] if document]
    tap.result(all({"STAY0001", "STAY0002"} <= serials for serials in listed), "list: the other drives are always there")
    tap.result(any(HOT not in serials for serials in listed), "list: the drive was seen to be gone")
    # By serial number: a drive that is just vanishing has none any more.
    complete = [sorted(d["serial"] for d in document["drives"] if d["smart"] and d["smart"]["temperature_celsius"] == 50)
                for _, _, document in looked["all"] if document]
    tap.result(all({"STAY0001", "STAY0002"} <= set(serials) for serials in complete), "smart --all: the rows of the other drives are complete")
    tap.result({code for code, _, _ in looked["smart"]} == {0, 3}, "smart SERIAL: both with and without the drive")

    after = [d["serial"] for d in result.json("after-list")["drives"]]
    tap.equal(sorted(after), [HOT, "STAY0001", "STAY0002"], "afterwards list shows the drive again")
    tap.equal((result.rc("after-smart"), result.rc("after-nvme")), (0, 0), "afterwards the drive answers")
    tap.equal(result.json("after-smart")["drives"][0]["smart"]["temperature_celsius"],
              result.json("after-nvme")["temperature"] - 273, "afterwards its temperature is that which nvme-cli reads")
    found = {d["serial"]: sorted(f["id"] for f in d["findings"]) for d in result.json("after-doctor")["drives"]}
    tap.equal((result.rc("after-doctor"), found[HOT]), (0, found["STAY0001"]), "afterwards doctor finds of it what it finds of its neighbour")
