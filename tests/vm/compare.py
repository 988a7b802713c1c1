# SPDX-License-Identifier: MIT
"""Boot "compare": every value of ssdct beside that of nvme-cli and smartctl on the same drive."""
import json

import mapping

MISSING = "(missing)"


def value_at(obj, path):
    """Value of a dotted path; objects with a "value" (flags, enumerations) stand for that value."""
    for key in path.split("."):
        if obj is None:
            return None
        if not isinstance(obj, dict) or key not in obj:
            return MISSING
        obj = obj[key]
    return obj["value"] if isinstance(obj, dict) and "value" in obj else obj


class Comparison:
    def __init__(self, tap, result):
        self.tap, self.result = tap, result
        self.values = 0
        self.differences = {}

    def rows(self, page, theirs, ours, table):
        """Differences between an object of theirs and one of ours, as sentences."""
        problems = []
        for key, path, convert in table:
            if key not in theirs:
                continue
            expected, got = convert(theirs[key]), value_at(ours, path)
            self.values += 1
            if got != expected or type(got) is not type(expected):
                problems.append(f"{page}: {key} is {theirs[key]!r}, so {path} should be {expected!r}, but is {got!r}")
            elif expected != theirs[key] or type(expected) is not type(theirs[key]):
                self.differences.setdefault(convert.reason, {})[f"{page}.{path}"] = f"{theirs[key]!r} / {expected!r}"
        return problems

    def page(self, page, theirs, ours, table, nested=()):
        """The same, and nothing of theirs or ours may be left over."""
        problems = self.rows(page, theirs, ours, table)
        known = {row[0] for row in table} | set(nested)
        problems += [f"{page}: no row for their {key}" for key in theirs if key not in known]
        ours_known = {row[1].split(".")[0] for row in table} | set(mapping.OURS_ALONE.get(page, ()))
        problems += [f"{page}: nobody vouches for our {key}" for key in ours
                     if key not in ours_known and not (key.endswith("_str") and key[:-4] in ours_known)]
        problems += [f"{page}: {key} is {ours[key]!r} beside {ours[key[:-4]]!r}" for key in ours
                     if key.endswith("_str") and ours[key] != (None if ours[key[:-4]] is None else str(ours[key[:-4]]))]
        return problems

    def print_differences(self):
        """Every value that the programs say differently, with the reason why ssdct's way is right."""
        for reason, values in self.differences.items():
            print(f"# they say / ssdct says, because {reason}:")
            for path, both in values.items():
                print(f"#     {path}: {both}")
        for key, reason in mapping.LIST_OTHERWISE.items():
            print(f"# nvme list, {key}: {reason}")

    def element(self, name, key):
        """An object of the only drive in one of ssdct's documents."""
        return self.result.json(name)["drives"][0][key]

    # Each method below is one result of the test for one controller.

    def identify_controller(self, drive):
        theirs, ours = self.result.json(f"{drive}-nvme-id-ctrl"), self.element(f"{drive}-ssdct-identify", "id_ctrl")
        problems = self.page("id_ctrl", theirs, ours, mapping.ID_CTRL, nested=("psds",))
        states = theirs["psds"]
        if len(states) != len(ours["psd"]):
            problems.append(f"{len(states)} power states, but {len(ours['psd'])}")
        for their_state, our_state in zip(states, ours["psd"]):
            problems += self.rows("psd", their_state, our_state, mapping.POWER_STATE)
            problems += self.powers(their_state, our_state)
        return problems

    def powers(self, theirs, ours):
        """Maximum power: 0.01 W, or 0.0001 W with bit 0 of the flags. The others: scale 1 is 0.0001 W, 2 is 0.01 W."""
        scales = {0: None, 1: 10000, 2: 100}
        expected = {
            "max_power_watts": theirs["max_power"] / (10000 if theirs["flags"] & 1 else 100) or None,
            "idle_power_watts": scales[theirs["idle_scale"] & 3] and theirs["idle_power"] / scales[theirs["idle_scale"] & 3],
            "active_power_watts": scales[theirs["active_scale"] & 3]
                                  and theirs["active_power"] / scales[theirs["active_scale"] & 3],
        }
        self.values += len(expected)
        return [f"psd: {key} should be {value}, but is {ours[key]}" for key, value in expected.items() if ours[key] != value]

    def identify_namespace(self, drive, nsid):
        theirs, ours = self.result.json(f"{drive}-nvme-id-ns-{nsid}"), self.element(f"{drive}-ssdct-id-ns-{nsid}", "id_ns")
        rows = mapping.id_ns(theirs["nsfeat"], self.result.json(f"{drive}-nvme-id-ctrl")["oncs"])
        problems = self.page("id_ns", theirs, ours, rows, nested=("lbafs",))
        for index, (their_format, our_format) in enumerate(zip(theirs["lbafs"], ours["lbaf"])):
            problems += self.rows("lbaf", their_format, our_format, mapping.LBA_FORMAT)
            if (our_format["index"], our_format["in_use"]) != (index, index == theirs["flbas"] & 15):
                problems.append(f"format {index}: {our_format}")
        if len(theirs["lbafs"]) != len(ours["lbaf"]):
            problems.append(f"{len(theirs['lbafs'])} formats, but {len(ours['lbaf'])}")
        return problems

    def smart(self, drive):
        """The counters of the drive move only with I/O, and there is none now."""
        theirs = self.result.json(f"{drive}-nvme-smart-log")
        problems = []
        for ours in (self.element(f"{drive}-ssdct-smart", "smart"), self.element(f"{drive}-ssdct-show", "smart"),
                     self.element(f"{drive}-ssdct-log-smart", "smart"), self.of_all("ssdct-smart-all", drive)["smart"]):
            problems += self.page("smart", theirs, ours, mapping.SMART)
        return problems

    def smartctl(self, drive):
        theirs, ours = self.result.json(f"{drive}-smartctl"), self.element(f"{drive}-ssdct-smart", "smart")
        log = theirs["nvme_smart_health_information_log"]
        problems = self.page("smartctl", log, {}, mapping.SMARTCTL)[:0] + self.rows("smart", log, ours, mapping.SMARTCTL)
        problems += [f"smartctl: no row for {key}" for key in log if key not in {row[0] for row in mapping.SMARTCTL}]
        warning = theirs["smart_status"]["nvme"]
        if warning["value"]:
            problems += self.rows("smart", warning, ours["critical_warning"], mapping.SMARTCTL_WARNING)
        identity = self.element(f"{drive}-ssdct-identify", "id_ctrl")
        pairs = [(theirs["model_name"], identity["mn"]), (theirs["serial_number"], identity["sn"]),
                 (theirs["firmware_version"], identity["fr"]), (theirs["nvme_pci_vendor"]["id"], identity["vid"]),
                 (theirs["nvme_pci_vendor"]["subsystem_id"], identity["ssvid"]),
                 (f"{theirs['nvme_ieee_oui_identifier']:06x}", identity["ieee"]),
                 (theirs["nvme_controller_id"], identity["cntlid"]), (theirs["nvme_number_of_namespaces"], identity["nn"]),
                 (mapping.version(theirs["nvme_version"]["value"]), identity["ver"]),
                 (theirs["temperature"]["current"], ours["temperature_celsius"]),
                 (theirs["power_on_time"]["hours"], ours["power_on_hours"])]
        self.values += len(pairs)
        return problems + [f"smartctl says {a!r}, we say {b!r}" for a, b in pairs if a != b]

    def errors(self, drive):
        """Entries with a count of 0 are unused, and left out by us; QEMU's drives never log an error."""
        theirs = [e for e in self.result.json(f"{drive}-nvme-error-log")["errors"] if e["error_count"]]
        document = self.result.json(f"{drive}-ssdct-errors")["drives"][0]
        ours = document["error_log"]["entries"]
        problems = [] if len(theirs) == len(ours) else [f"{len(theirs)} entries, but {len(ours)}"]
        for their_entry, our_entry in zip(theirs, ours):
            problems += self.rows("error_log", their_entry, our_entry, mapping.ERROR_ENTRY)
        count = int(self.result.json(f"{drive}-nvme-smart-log")["num_err_log_entries"])
        self.values += 2
        return problems + ([] if document["error_log_entries"] == count else [f"{count} errors ever, we say {document}"])

    def firmware(self, drive):
        """nvme-cli prints a revision as a number and, in brackets, as text with dots for what is not printable."""
        theirs = self.result.json(f"{drive}-nvme-fw-log")[drive]
        ours = self.element(f"{drive}-ssdct-log-fw", "fw")
        active = theirs["Active Firmware Slot (afi)"]
        problems = [] if (ours["afi"]["value"], ours["running"]) == (active, active & 7) else [f"afi {active}: {ours}"]
        for slot in ours["slots"]:
            text = theirs.get(f"Firmware Rev Slot {slot['slot']}")
            raw = int(text.split()[0]).to_bytes(8, "little").rstrip(b" \0").decode() if text else None
            self.values += 1
            if (slot["revision"] or None) != (raw or None):
                problems.append(f"slot {slot['slot']}: {text!r}, we say {slot['revision']!r}")
        return problems

    def raw_smart(self, drive):
        a, b = (self.result.files[f"{drive}-{tool}-raw-smart.out"] for tool in ("nvme", "ssdct"))
        return [] if a == b and len(a) == 512 else [f"{len(a)} and {len(b)} bytes, equal: {a == b}"]

    def of_all(self, name, drive):
        return next(d for d in self.result.json(name)["drives"] if d["device"] == drive)

    def sysfs(self, drive, attribute):
        prefix = f"/sys/class/nvme/{drive}/{attribute} "
        for line in self.result.text("sysfs").splitlines():
            if line.startswith(prefix):
                return line[len(prefix):].strip()
        return None

    def listed(self, drive):
        """`list` against sysfs and against the rows of `nvme list` of its subsystem."""
        ours = self.of_all("ssdct-list", drive)
        expected = {"path": f"/dev/{drive}", **{key: self.sysfs(drive, attribute) for key, attribute in (
            ("model", "model"), ("serial", "serial"), ("firmware", "firmware_rev"), ("transport", "transport"),
            ("address", "address"), ("state", "state"))}}
        self.values += len(expected)
        problems = [f"list: {key} should be {value!r}, but is {ours[key]!r}" for key, value in expected.items()
                    if ours[key] != value]
        nsids = [entry["nsid"] for entry in self.result.json(f"{drive}-nvme-list-ns")["nsid_list"]]
        rows = sorted((row for row in self.result.json("nvme-list")["Devices"] if row["SerialNumber"] == ours["serial"]
                       and row["NameSpace"] in nsids), key=lambda row: row["NameSpace"])
        if [row["NameSpace"] for row in rows] != [n["nsid"] for n in ours["namespaces"]]:
            return problems + [f"list: namespaces {nsids} of {rows}, but {ours['namespaces']}"]
        for row, namespace in zip(rows, ours["namespaces"]):
            problems += self.rows("list", row, namespace, mapping.LIST_NAMESPACE)
            known = {entry[0] for entry in mapping.LIST_NAMESPACE} | set(mapping.LIST_OTHERWISE)
            problems += [f"list: no row for {key}" for key in row if key not in known]
            if row["MaximumLBA"] * namespace["block_bytes"] != namespace["size_bytes"]:
                problems.append(f"list: {row['MaximumLBA']} blocks, but {namespace}")
        total = sum(row["PhysicalSize"] for row in rows)
        return problems + ([] if ours["size_bytes"] == total else [f"list: {total} bytes in all, but {ours['size_bytes']}"])

    def shown(self, drive):
        """`show`: what it takes from Identify, sysfs, features and the namespaces, each against its source."""
        ours = self.result.json(f"{drive}-ssdct-show")["drives"][0]
        identify = self.result.json(f"{drive}-nvme-id-ctrl")
        width = lambda which: int(self.sysfs(drive, f"device/{which}_link_width"))
        speed = lambda which: self.sysfs(drive, f"device/{which}_link_speed")
        expected = {
            "controller.nvme_version": mapping.version(identify["ver"]), "controller.pci_vendor_id": identify["vid"],
            "controller.pci_subsystem_vendor_id": identify["ssvid"], "controller.controller_id": identify["cntlid"],
            "controller.subsystem_nqn": identify["subnqn"].strip(), "controller.transport": self.sysfs(drive, "transport"),
            "controller.address": self.sysfs(drive, "address"), "controller.state": self.sysfs(drive, "state"),
            "controller.driver": "nvme", "controller.numa_node": None,  # -1: none
            # MDTS counts minimum pages, 4 KiB here
            "controller.max_transfer_bytes": 4096 << identify["mdts"],
            "controller.warning_temperature_celsius": mapping.celsius(identify["wctemp"]),
            "controller.critical_temperature_celsius": mapping.celsius(identify["cctemp"]),
            "capacity_bytes": int(identify["tnvmcap"]) or None,
            # what QEMU's documentation of Get Features says, read with nvme-cli below
            "features.over_temperature_celsius": self.feature(drive, 4) - 273,
            "features.volatile_write_cache": bool(self.feature(drive, 6)),
            "features.power_state": self.feature(drive, 2),
            "features.submission_queues": (self.feature(drive, 7) & 0xffff) + 1,
            "features.completion_queues": (self.feature(drive, 7) >> 16) + 1,
        }
        # Directly on the root bus a device has no link: "Unknown" and width 0.
        linked = speed("current") != "Unknown"
        expected.update({"link.current_speed": speed("current") if linked else None,
                         "link.max_speed": speed("max") if linked else None,
                         "link.current_width": width("current") if linked else None,
                         "link.max_width": width("max") if linked else None})
        self.values += len(expected)
        problems = [f"show: {path} should be {value!r}, but is {value_at(ours, path)!r}" for path, value in expected.items()
                    if value_at(ours, path) != value]
        for namespace in ours["namespaces"]:
            theirs = self.result.json(f"{drive}-nvme-id-ns-{namespace['nsid']}")
            used = theirs["lbafs"][theirs["flbas"] & 15]
            if namespace["utilization_bytes"] is not None and not theirs["nsfeat"] & 1:
                problems.append("show: a utilization without thin provisioning")
            got = (namespace["block_bytes"], namespace["metadata_bytes"], namespace["size_bytes"])
            self.values += len(got)
            if got != (1 << used["ds"], used["ms"], theirs["nsze"] << used["ds"]):
                problems.append(f"show: namespace {namespace['nsid']}: {used}, {theirs['nsze']} blocks, but {got}")
        return problems

    def feature(self, drive, fid):
        """Get Feature by nvme-cli: "get-feature:0x04 (Temperature Threshold), Current value:0x00000157"."""
        return int(self.result.text(f"{drive}-nvme-feature-{fid}.out").split("Current value:")[1].split()[0], 16)

    def health(self, drive):
        """`list --health`: the two numbers are those of the SMART log."""
        ours, log = self.of_all("ssdct-list-health", drive), self.result.json(f"{drive}-nvme-smart-log")
        expected = (mapping.celsius(log["temperature"]), log["percent_used"])
        self.values += 2
        got = (ours["temperature_celsius"], ours["percentage_used"])
        return [] if got == expected and ours["health"] else [f"{expected}, but {got}, health {ours['health']}"]


def check(tap, result):
    comparison = Comparison(tap, result)
    drives = [d["device"] for d in result.json("ssdct-list")["drives"]]
    tap.equal(drives, [f"nvme{n}" for n in range(6)], "list shows six controllers in natural order")
    per_drive = (comparison.listed, comparison.shown, comparison.health, comparison.identify_controller, comparison.smart, comparison.smartctl,
                 comparison.errors, comparison.firmware, comparison.raw_smart)
    for drive in drives:
        for method in per_drive:
            one(tap, f"{drive}: {method.__name__}", method, drive)
        for entry in result.json(f"{drive}-nvme-list-ns")["nsid_list"]:
            one(tap, f"{drive}: identify_namespace {entry['nsid']}", comparison.identify_namespace, drive, entry["nsid"])
    doubt(tap, comparison, drives[0])
    tap.result(comparison.values > 1000, f"{comparison.values} values compared with nvme-cli, smartctl and sysfs")
    comparison.print_differences()
    behaviour(tap, result, drives)
    doctor(tap, comparison, drives)


def doubt(tap, comparison, drive):
    """Could it fail at all? A value changed, one added and one taken away are three differences."""
    theirs = comparison.result.json(f"{drive}-nvme-smart-log")
    ours = dict(comparison.element(f"{drive}-ssdct-smart", "smart"))
    ours["power_cycles"] += 1
    ours["power_cycles_str"] = str(ours["power_cycles"])
    ours["invented"] = 0
    del ours["percentage_used"]
    problems = comparison.page("smart", theirs, ours, mapping.SMART)
    tap.equal(len(problems), 3, "the comparison finds a wrong, an unknown and a missing value")


def one(tap, title, method, *arguments):
    try:
        problems = method(*arguments)
    except (KeyError, IndexError, ValueError, TypeError, StopIteration) as error:
        problems = [f"{type(error).__name__}: {error}"]
    tap.result(not problems, title, *problems)


def doctor(tap, comparison, drives):
    """Of the guest: that it is one, and of each drive only the link facts that sysfs has; QEMU's links run at their best."""
    result = comparison.result
    tap.equal(result.rc("ssdct-doctor"), 0, "doctor looks at all drives")
    found = {d["device"]: {f["id"]: f for f in d["findings"]} for d in result.json("ssdct-doctor")["drives"]}
    tap.equal([d for d in drives if "virtual machine" not in found[d].get("virtual_machine", {}).get("message", "")], [],
              "doctor says that this is a virtual machine")
    unknown = [d for d in drives if comparison.sysfs(d, "device/current_link_speed") == "Unknown"]
    tap.equal([d for d in drives if "not known" in found[d].get("pcie_speed", {}).get("message", "")], unknown,
              "doctor knows no link speed where sysfs has none, and only there")
    slow = {i for d in drives for i in found[d] if i.startswith("pcie_") and d not in unknown}
    tap.equal(slow, set(), "doctor finds nothing amiss with the links that there are")
    ill = [d["serial"] for d in result.json("ssdct-doctor")["drives"]
           if ("health", "critical") in [(f["id"], f["severity"]) for f in d["findings"]]]
    tap.equal(ill, ["WARN0003"], "doctor: only the drive with the critical warning is critical")
    every = [f for d in drives for f in found[d].values()]
    tap.equal([f["id"] for f in every if not (f["message"] and f["cost"] and f["advice"])], [], "doctor: each finding says all it has to")
    tap.equal(sorted({c["opcode"] for c in trace(result, "trace-doctor")} - {0x02, 0x06, 0x0a}), [],
              "doctor sends Get Log Page, Identify and Get Features alone")
    tap.equal(result.text("doctor-after"), result.text("doctor-before"),
              "doctor: nothing was read from or written to a namespace, no error log has grown")
    tap.result("virtual machine" in result.text("doctor-text.out") and result.rc("doctor-text") == 0, "doctor as text")

    def told(name):
        return {d["device"]: [(f["id"], f["severity"], f["message"]) for f in d["findings"]] for d in result.json(name)["drives"]}

    tap.equal((result.rc("doctor-capture"), result.rc("doctor-recorded")), (0, 0), "this machine is recorded, and doctor looks at the recording")
    tap.equal(told("doctor-recorded"), told("ssdct-doctor"), "doctor finds the same in the recording")
    tap.equal((result.rc("doctor-nobody"), {d["error"]["code"] for d in result.json("doctor-nobody")["drives"]}), (3, {"permission"}),
              "doctor without privilege: exit 3")
    tap.equal([d for d in drives if "virtual_machine" not in [i for i, _, _ in told("doctor-nobody")[d]]], [],
              "... and what sysfs says is found")
    schedulers = [[f for f in result.json(name)["drives"][0]["findings"] if f["id"] == "scheduler"] for name in ("doctor-scheduler", "doctor-mended")]
    tap.equal([[f["severity"] for f in s] for s in schedulers], [["warning"], []], "doctor: a scheduler on the real kernel, and none")


def trace(result, name):
    return [json.loads(line) for line in result.text(name).splitlines()]


def behaviour(tap, result, drives):
    """What is not a value: commands sent, names, privilege, recordings."""
    tap.equal(trace(result, "trace-list"), [], "list sends no command at all")
    sent = trace(result, "trace-smart")
    logs = [r for r in sent if int(str(r["opcode"]), 0) == 2]
    tap.result(logs and all(int(str(r["cdw10"]), 0) >> 15 & 1 for r in logs), "smart reads logs with RAE", logs)
    tap.result({r["device"] for r in sent} == set(drives) and all(int(str(r["opcode"]), 0) in (2, 6) for r in sent),
               "smart sends only Get Log Page and Identify, to every drive", sent)

    tap.equal(result.rc("ssdct-check"), 2, "check: a critical warning is exit 2")
    document = result.json("ssdct-check")
    bad = [d["serial"] for d in document["drives"] if d["status"] == "critical"]
    tap.equal(bad, ["WARN0003"], "check: only the drive with the warning is critical")
    tap.result(result.text("ssdct-check-nagios.out").startswith("SSDCT CRITICAL - "), "check -o nagios says so first",
               result.text("ssdct-check-nagios.out"))

    tap.equal(result.json("name-serial")["drives"][0]["serial"], "PLAIN001", "a drive by serial number")
    tap.equal(result.json("name-address")["drives"][0]["serial"], "PLAIN001", "a drive by PCI address")
    tap.equal((result.rc("name-ambiguous"), result.json("name-ambiguous")["error"]["code"]), (2, "ambiguous"),
              "a serial number of two controllers is exit 2")
    tap.equal((result.rc("name-unknown"), result.json("name-unknown")["error"]["code"]), (3, "not_found"),
              "an unknown drive is exit 3")

    tap.equal((result.rc("nobody-list"), [d["device"] for d in result.json("nobody-list")["drives"]]), (0, drives),
              "without privilege list shows everything")
    for name in ("nobody-smart", "nobody-smart-all", "nobody-open"):
        codes = {(d["error"] or {}).get("code") for d in result.json(name)["drives"]}
        tap.equal((result.rc(name), codes), (3, {"permission"}), f"without privilege {name[7:]} is exit 3, permission")

    tap.equal(result.rc("capture"), 0, "capture")
    tap.equal(result.json("capture-error-count")["num_err_log_entries"], "0", "capture leaves the error log as it was")
    for drive in drives:
        for what, key in (("identify", "id_ctrl"), ("smart", "smart")):
            live, recorded = (result.json(f"{drive}-{kind}-{what}")["drives"][0][key] for kind in ("ssdct", "recorded"))
            tap.equal(recorded, live, f"{drive}: {what} of the recording equals that of the drive")
    log = result.text("dmesg.out")
    tap.result("timeout" not in log and "reset controller" not in log, "the kernel saw no timeout and no reset", log[-2000:])
