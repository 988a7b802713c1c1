# SPDX-License-Identifier: MIT
"""One run of QEMU: devices in, result files out, and QMP to steer it meanwhile."""
import io
import json
import os
import shutil
import socket
import subprocess
import tarfile
import tempfile
import threading
import time

import guest as guest_module

VERDICT_GOOD = 33  # isa-debug-exit turns the guest's 16 into this; 0 is a power-off or a panic, and no verdict


# Emulation, also where there is a /dev/kvm: nested virtualisation is a lottery ("KVM internal error" on a build server),
# and the tests are short. SSDCT_VM_ACCEL=kvm for whoever trusts theirs.
ACCELERATOR = os.environ.get("SSDCT_VM_ACCEL", "tcg,thread=multi")


class Steering:
    """QMP and the guest's second serial port."""

    def __init__(self, folder, process):
        self.process = process
        self.qmp = self._connect(f"{folder}/qmp")
        self.qmp_lines = self.qmp.makefile("r")
        self.events = []
        self.serial = self._connect(f"{folder}/serial")
        self.serial_lines = self.serial.makefile("r")
        self.qmp_lines.readline()  # the greeting
        self.command("qmp_capabilities")

    def _connect(self, path):
        deadline = time.monotonic() + 20
        while True:
            connection = socket.socket(socket.AF_UNIX)
            try:
                connection.connect(path)
                connection.settimeout(60)
                return connection
            except OSError:
                connection.close()
                if time.monotonic() > deadline or self.process.poll() is not None:
                    raise
                time.sleep(0.05)

    def command(self, name, **arguments):
        self.qmp.sendall(json.dumps({"execute": name, "arguments": arguments}).encode() + b"\n")
        while True:
            answer = json.loads(self.qmp_lines.readline())
            if "event" in answer:
                self.events.append(answer)
            elif "error" in answer:
                raise RuntimeError(f"{name}: {answer['error']['desc']}")
            else:
                return answer["return"]

    def wait_event(self, name, **data):
        """Waits for an event, or takes one that has come already."""
        while True:
            for event in self.events:
                if event["event"] == name and data.items() <= event.get("data", {}).items():
                    self.events.remove(event)
                    return event
            answer = json.loads(self.qmp_lines.readline())
            if "event" in answer:
                self.events.append(answer)

    def wait_line(self, text):
        """Waits until the guest has written this line to /dev/ttyS1."""
        for line in self.serial_lines:
            if line.strip() == text:
                return
        raise RuntimeError(f"the guest ended before it said {text!r}")

    def line(self):
        """The next line that the guest writes to /dev/ttyS1."""
        line = self.serial_lines.readline()
        if not line:
            raise RuntimeError("the guest ended")
        return line.strip()

    def say(self, text):
        self.serial.sendall(text.encode() + b"\n")


class Result:
    """What a boot left: files by name (bytes), the console, and whether the guest came to its good end."""

    def __init__(self, status, console, files, seconds):
        self.status, self.console, self.files, self.seconds = status, console, files, seconds
        self.good = status == VERDICT_GOOD and files.get("rc", b"").strip() == b"0"

    def text(self, name):
        return self.files.get(name, b"").decode("utf-8", "replace")

    def json(self, name):
        return json.loads(self.files[name + ".out"])

    def rc(self, name):
        return int(self.files[name + ".rc"])


def _read_tar(path):
    files = {}
    with open(path, "rb") as file:
        data = file.read()
    if data:
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            for member in tar:
                if member.isfile():
                    files[os.path.normpath(member.name)] = tar.extractfile(member).read()
    return files


def _qboot():
    """A firmware that does not initialise every NVMe device before Linux does: seconds less with many drives."""
    for path in ("/usr/share/qemu/qboot.rom", "/usr/share/qboot/qboot.rom"):
        if os.path.exists(path):
            return ["-bios", path]
    return []


def _command(machine, folder, test, devices, initramfs, words):
    return ["qemu-system-x86_64", "-M", "q35", "-accel", ACCELERATOR, "-cpu", "max", "-smp", "2", "-m", "1024",
            "-nodefaults", "-vga", "none", "-display", "none", "-monitor", "none", "-no-reboot", *_qboot(),
            "-kernel", machine.kernel.image, "-initrd", initramfs,
            "-append", f"console=ttyS0 quiet panic=-1 maxcpus=1 TEST={test} {words}",
            "-serial", f"file:{folder}/console",
            "-chardev", f"socket,id=steer,path={folder}/serial,server=on,wait=off", "-device", "isa-serial,chardev=steer",
            "-qmp", f"unix:{folder}/qmp,server=on,wait=off",
            "-device", "isa-debug-exit,iobase=0xf4,iosize=0x04",
            "-device", "virtio-serial-pci", "-chardev", f"file,id=results,path={folder}/results.tar",
            "-device", "virtserialport,chardev=results", *devices]


class Machine:
    def __init__(self, folder, ssdct):
        self.folder = folder
        os.makedirs(folder, exist_ok=True)
        guest_module._find("qemu-system-x86_64")
        self.kernel = guest_module.Kernel(folder)
        self.initramfs = guest_module.build_initramfs(folder, self.kernel, ssdct)

    def image(self, name, mebibytes):
        """A sparse disk image, new for every boot."""
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.truncate(mebibytes << 20)
        return path

    def boot(self, test, devices, seconds=120, steer=None, programs=(), modules=(), words=""):
        """Runs guest/TEST with these devices; steer(Steering) runs beside it in a thread. Programs, modules, words for init: for it alone."""
        initramfs = self.initramfs
        if programs or modules:
            initramfs = guest_module.extend_initramfs(self.folder, self.kernel, initramfs, programs, modules)
        # A short path, as a socket's name has 107 bytes at most.
        folder = tempfile.mkdtemp(prefix="vm-")
        started = time.monotonic()
        try:
            command = ["timeout", "-k", "5", str(seconds), *_command(self, folder, test, devices, initramfs, words)]
            with open(f"{folder}/qemu.log", "wb") as log:
                process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
                steering_error = self._steer(folder, process, steer) if steer else ""
                status = process.wait()
            with open(f"{folder}/qemu.log", errors="replace") as log:
                said = log.read()
            with open(f"{folder}/console", errors="replace") as log:
                console = log.read().replace("\r", "")
            files = _read_tar(f"{folder}/results.tar")
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        self._keep(test, files, console + said)
        return Result(status, console + said + steering_error, files, time.monotonic() - started)

    def _steer(self, folder, process, steer):
        problem = []

        def work():
            try:
                steer(Steering(folder, process))
            except Exception as error:  # whatever it was, it belongs into the report
                problem.append(f"\nsteering: {error!r}")

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        process.wait()
        thread.join(5)
        return "".join(problem)

    def _keep(self, test, files, console):
        """The last results stay in the build directory for whoever looks into a failure."""
        folder = os.path.join(self.folder, "results", test)
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        for name, data in [*files.items(), ("console", console.encode())]:
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(data)
