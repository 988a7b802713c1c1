# SPDX-License-Identifier: MIT
"""Boot "serve_admin": features, self-test, telemetry and raw commands through the kernel's NVMe/TCP driver, beside nvme-cli."""
import re


def value_of(text):
    """"get-feature:0x04 (Temperature Threshold), Current value:0x00000157"."""
    return int(re.search(r"value:(?:0x)?([0-9a-fA-F]+)", text).group(1), 16)


def check(tap, result):
    def element(name):
        return result.json(name)["drives"][0]

    for fid in ("0x01", "0x02", "0x04", "0x06", "0x0a"):
        theirs, ours = value_of(result.text(f"feature-nvme-{fid}.out")), element(f"feature-ssdct-{fid}")["feature"]["value"]
        tap.equal(ours, theirs, f"feature {fid}: as nvme-cli reads it")
    tap.equal((result.rc("feature-unforced"), element("feature-unforced")["error"]["code"]), (4, "refused"), "not on PCIe: needs --force")
    for name, kelvin in (("feature-set", 348), ("feature-save", 347)):
        done = result.rc(name), element(name)["feature"]["verified"], value_of(result.text(f"{name}-nvme.out"))
        tap.equal(done, (0, True, kelvin), f"{name}: nvme-cli reads what was set")
    tap.equal(element("feature-nvme-set-ssdct")["temperature_threshold"]["threshold_celsius"], 73, "what nvme-cli has set is read")
    tap.equal((result.rc("feature-kernel"), element("feature-kernel")["error"]["code"]), (4, "refused"), "the kernel's own feature")
    tap.equal((result.rc("timestamp"), element("timestamp")["timestamp"]["origin"]["name"]), (0, "host"), "timestamp")
    names = {f["name"] for f in element("feature-list")["features"] if f["current"] is not None}
    tap.result({"arbitration", "temperature-threshold", "volatile-write-cache"} <= names, "feature list", names)

    test = element("selftest")
    tap.equal((result.rc("selftest"), test["selftest"]["state"]), (0, "passed"), "self-test")
    theirs = result.json("selftest-nvme")
    newest = next(v for k, v in theirs.items() if isinstance(v, list))[0]
    tap.equal((newest["Self test result"], newest["Self test code"]), (0, 1), "nvme-cli shows the same test")

    for ours, theirs in (("telemetry-ssdct.bin", "telemetry-nvme.bin"), ("controller-ssdct.bin", "controller-nvme.bin")):
        tap.result(result.files[ours] == result.files[theirs] and len(result.files[ours]) > 512, f"{ours}: the file that nvme-cli writes",
                   len(result.files[ours]), len(result.files[theirs]))
    tap.equal((result.rc("telemetry"), result.rc("telemetry-controller")), (0, 0), "telemetry: exit codes")

    tap.equal((result.rc("raw-unconfirmed"), result.rc("raw-mounted")), (4, 4), "a raw write: not confirmed, and to a mounted namespace")
    tap.result("/tmp/mnt" in element("raw-mounted")["error"]["message"], "the mount is named", element("raw-mounted")["error"])
    tap.equal((result.rc("raw-write"), result.rc("raw-written")), (0, 0), "a raw write is what the block device then reads")
    tap.equal((result.rc("raw-read"), result.rc("raw-same")), (0, 0), "a raw read brings the same")
    tap.equal((result.rc("raw-identify"), result.rc("raw-identify-same")), (0, 0), "a raw Identify is nvme-cli's")
    status = element("raw-vendor")["passthru"]["status"]
    tap.equal((result.rc("raw-vendor"), status["type"], status["code"]), (1, 0, 1), "a vendor's opcode that the drive does not have: its status")
    tap.equal((result.rc("raw-kernel"), element("raw-kernel")["error"]["code"]), (4, "refused"), "the kernel's own opcode")
    entries = element("errors")["error_log"]["entries"]
    tap.result(entries and all(e["category"] in ("probe", "host") for e in entries), "errors: what was asked in vain is no fault of the drive", entries[:3])
    tap.result("call trace" not in result.text("dmesg.out").lower(), "the kernel has nothing to complain of")
