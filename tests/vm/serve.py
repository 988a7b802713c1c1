# SPDX-License-Identifier: MIT
"""Boot "serve": simulated drives behind the kernel's NVMe/TCP driver, read by ssdct, nvme-cli and smartctl."""
import pages
from compare import Comparison, one


class Reading(Comparison):
    """The comparison of QEMU's drives, with what those do not have, and without what only PCIe has."""

    def known(self, problems, *differences):
        """Without the differences that are looked at here instead."""
        return [p for p in problems if not any(d in p for d in differences)]

    def identify_controller(self, drive):
        problems = self.known(super().identify_controller(drive), "unvmcap_bytes")
        theirs = self.result.json(f"{drive}-nvme-id-ctrl")
        ours = self.element(f"{drive}-ssdct-identify", "id_ctrl")["unvmcap_bytes"]
        # It says something exactly where TNVMCAP does.
        expected = int(theirs["unvmcap"]) if int(theirs["tnvmcap"]) else None
        return problems + ([] if ours == expected else [f"unvmcap: {expected}, but {ours}"])

    def sensors(self, drive):
        return [s["celsius"] for s in self.element(f"{drive}-ssdct-smart", "smart")["temperature_sensors"]]

    def smart(self, drive):
        theirs = self.result.json(f"{drive}-nvme-smart-log")
        expected = [theirs[key] - 273 for key in sorted(theirs) if key.startswith("temperature_sensor_")]
        problems = self.known(super().smart(drive), "no row for their temperature_sensor_")
        return problems + ([] if self.sensors(drive) == expected else [f"sensors: {expected}, but {self.sensors(drive)}"])

    def smartctl(self, drive):
        # an OUI of zeros is none
        problems = self.known(super().smartctl(drive), "no row for temperature_sensors", "says '000000', we say None")
        log = self.result.json(f"{drive}-smartctl")["nvme_smart_health_information_log"]
        expected = log.get("temperature_sensors", [])
        return problems + ([] if self.sensors(drive) == expected else [f"sensors: {expected}, but {self.sensors(drive)}"])

    def listed(self, drive):
        # before NVMe 1.1 there is no list of namespaces
        if self.result.rc(f"{drive}-nvme-list-ns"):
            self.result.files[f"{drive}-nvme-list-ns.out"] = b'{"nsid_list": [{"nsid": 1}]}'
        return super().listed(drive)

    def shown(self, drive):
        """`show`: what sysfs says of a drive that is not on PCIe, and what only the drive says."""
        ours = self.element(f"{drive}-ssdct-show", "controller")
        expected = {"transport": "tcp", "state": "live", "address": self.sysfs(drive, "address"),
                    "controller_id": int(self.sysfs(drive, "cntlid")), "subsystem_nqn": self.sysfs(drive, "subsysnqn")}
        self.values += len(expected)
        problems = [f"{key} should be {value!r}, but is {ours[key]!r}" for key, value in expected.items() if ours[key] != value]
        link = self.element(f"{drive}-ssdct-show", "link") or {}
        return problems + ([f"a PCIe link over TCP: {link}"] if any(value is not None for value in link.values()) else [])

    def errors(self, drive):
        """The kernel itself makes some, by asking for Identify structures that the drive does not know."""
        theirs = {e["error_count"]: e["status_field"]
                  for e in self.result.json(f"{drive}-nvme-error-log")["errors"] if e["error_count"]}
        ours = {e["error_count"]: e["status"]["value"]
                for e in self.element(f"{drive}-ssdct-errors", "error_log")["entries"]}
        self.values += len(theirs)
        return [] if ours == theirs else [f"{theirs}, but {ours}"]


def check(tap, result):
    reading = Reading(tap, result)
    drives = ["nvme0", "nvme1", "nvme2"]
    nqns = dict(line.split() for line in result.text("nqns").splitlines() if line.startswith("nvme"))
    listed = result.json("ssdct-list")["drives"]
    tap.equal([d["device"] for d in listed], drives, "list shows the drives")
    tap.equal({d["transport"] for d in listed}, {"tcp"}, "attached by TCP")
    tap.equal([reading.sysfs(d, "subsysnqn") for d in drives], [nqns[d] for d in drives], "under the names that were told")
    tap.equal(result.text("trace-list"), "", "list sends nothing")
    for drive in drives:
        for method in (reading.listed, reading.shown, reading.health, reading.identify_controller, reading.smart,
                       reading.smartctl, reading.errors, reading.firmware, reading.raw_smart):
            one(tap, f"{drive}: {method.__name__}", method, drive)
        one(tap, f"{drive}: identify_namespace 1", reading.identify_namespace, drive, 1)
    tap.equal([result.rc(f"{d}-nvme-intel") for d in drives[:2]], [0, 0], "an Intel drive has Intel's attributes")
    tap.result(result.rc("nvme2-nvme-intel") != 0 and "intel_smart" not in result.json("nvme2-ssdct-smart")["drives"][0],
               "another one has none")
    print(f"# {reading.values} values compared")
    pages.check(tap, result)
    tap.equal(result.rc("ssdct-check"), 0, "check: all is well")
    tap.equal(result.json("smart-serial")["drives"][0]["device"], "nvme1", "a drive by serial number")
    tap.equal(result.text("media").split(), ["same", "same"], "what is written is read back, and is in the host directory")
    check_faults(tap, result)
    check_absence(tap, result)


# Meanwhile a drive that is busy is asked again. A run without that takes less, on whatever machine.
RETRY_SECONDS = 5


def waits(result, name):
    return float(result.text(f"{name}.seconds")) >= RETRY_SECONDS


def hangs(result, name):
    """Longer than the retries and what else a machine makes of it, by a run that has nothing to wait for."""
    return float(result.text(f"{name}.seconds")) >= RETRY_SECONDS + max(3, 10 * float(result.text("again-smart.seconds")))


def error_of(result, name):
    """(exit code, error code of the row or of the run)."""
    document = result.json(name)
    rows = [d["error"] for d in document["drives"] if d["error"]]
    return result.rc(name), (rows[0] if rows else document["error"] or {"code": None})["code"]


def check_faults(tap, result):
    tap.result(result.rc("status-nvme") != 0 and "Internal" in result.text("status-nvme.err") + result.text("status-nvme.out"),
               "a status of the drive: nvme-cli says it", result.text("status-nvme.err"))
    document = result.json("status-ssdct")["drives"][0]
    tap.equal((result.rc("status-ssdct"), document["error"]["nvme_status"]["value"]), (1, 0x4109),
              "a status of the drive: exit 1, with the status")
    tap.equal(error_of(result, "untouched-ssdct"), (1, "no_data"), "a buffer that the drive leaves alone is no data")
    short = result.json("short-ssdct")["drives"][0]
    tap.result(result.rc("short-ssdct") == 0 and short["id_ctrl"]["oacs"] is None and short["id_ctrl"]["sn"],
               "a short answer: what the drive has not written is not reported", short)
    late = result.json("late")["drives"][0]
    tap.result(late["ok"] and late["smart"]["temperature_celsius"] > 0, "a late answer arrives")
    for name in ("beside-late", "beside-late-same"):
        tap.result(result.rc(name) == 0 and result.text("late-is-out").strip() == "yes",
                   f"{name}: others are not held up", result.text(f"{name}.seconds"))


def check_absence(tap, result):
    tap.equal(result.rc("vanish-before"), 0, "vanish: the command completes")
    tap.equal(len(result.json("vanish-list")["drives"]), 3, "vanish: the drive is still listed, and list does not wait")
    tap.result(result.rc("vanish-smart") in (0, 3) and not hangs(result, "vanish-smart"),
               "vanish: smart waits for it, or says that it is busy or gone", result.text("vanish-smart.out")[-500:])
    tap.equal(result.rc("vanish-after"), 0, "vanish: back again")
    tap.equal(result.rc("killed-list"), 0, "without the target list is exit 0")
    tap.result(not waits(result, "killed-list"), "and does not wait", result.text("killed-list.seconds"))
    tap.result(error_of(result, "killed-smart") in ((3, "busy"), (3, "gone")) and
               not hangs(result, "killed-smart"), "without the target smart is exit 3 within the 5 s of retries",
               result.text("killed-smart.seconds"), result.text("killed-smart.out")[-500:])
    tap.equal(result.rc("again-smart"), 0, "with the target it answers again")
    tap.equal([d["device"] for d in result.json("deleted-list")["drives"]], ["nvme0", "nvme1"], "a deleted controller is gone")
    tap.equal(error_of(result, "deleted-smart"), (3, "not_found"), "and not found: exit 3")
