# SPDX-License-Identifier: MIT
"""The guest: Debian's kernel, unpacked and not installed, and a root file system of just the files it needs."""
import glob
import gzip
import lzma
import os
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
KERNEL_METAPACKAGE = "linux-image-cloud-amd64"
# No virtio module depends on virtio_pci: without it they load and find no device.
MODULES = ("virtio_pci", "virtio_console", "nvme_tcp", "md_mod", "ext4", "loop")
PROGRAMS = ("/usr/sbin/nvme", "/usr/sbin/smartctl", "/usr/bin/setpriv")


class Unavailable(Exception):
    """Something this machine does not have: the tests are skipped with this as the reason."""


def _output(*command, **kwargs):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **kwargs).stdout


def _find(name):
    path = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if not path:
        packages = {"nvme": "nvme-cli", "smartctl": "smartmontools", "setpriv": "util-linux", "busybox": "busybox-static",
                    "modprobe": "kmod", "qemu-system-x86_64": "qemu-system-x86", "cc": "gcc", "fio": "fio", "lvm": "lvm2", "cryptsetup": "cryptsetup-bin"}
        raise Unavailable(f"needs the package {packages.get(name, name)}")
    return path


def _download_kernel(folder, apt_options):
    depends = _output("apt-cache", *apt_options, "depends", KERNEL_METAPACKAGE)
    package = next(line.split()[1] for line in depends.splitlines() if line.strip().startswith("Depends:"))
    _output("apt-get", "-q", *apt_options, "download", package, cwd=folder)
    return glob.glob(f"{folder}/{package}_*.deb")[0]


def _fetch_kernel_package(folder):
    """With the package lists that are there, else with fresh ones of our own, for which nobody needs to be root."""
    try:
        return _download_kernel(folder, ())
    except (subprocess.CalledProcessError, StopIteration, IndexError):
        pass
    state = os.path.join(folder, "apt")
    os.makedirs(f"{state}/lists/partial", exist_ok=True)
    os.makedirs(f"{state}/archives/partial", exist_ok=True)
    options = ("-o", f"Dir::State::lists={state}/lists", "-o", f"Dir::Cache={state}", "-o", "APT::Sandbox::User=",
               "-o", "Debug::NoLocking=1")
    try:
        _output("apt-get", "-q", *options, "update")
        return _download_kernel(folder, options)
    except (subprocess.CalledProcessError, StopIteration, IndexError) as error:
        text = getattr(error, "stderr", "") or str(error)
        raise Unavailable(f"the package {KERNEL_METAPACKAGE} cannot be downloaded: {text.strip()[-200:]!r}") from error


class Kernel:
    """vmlinuz and modules, kept in the build directory once they are there."""

    def __init__(self, folder):
        self.root = os.path.join(folder, "kernel")
        if not glob.glob(f"{self.root}/boot/vmlinuz-*"):
            self._unpack(folder)
        self.image = sorted(glob.glob(f"{self.root}/boot/vmlinuz-*"))[-1]
        self.release = os.path.basename(self.image)[len("vmlinuz-"):]

    def _unpack(self, folder):
        for tool in ("apt-get", "apt-cache", "dpkg"):
            _find(tool)
        depmod = _find("depmod")
        package = _fetch_kernel_package(folder)
        new = self.root + ".new"
        shutil.rmtree(new, ignore_errors=True)
        _output("dpkg", "-x", package, new)
        release = os.path.basename(glob.glob(f"{new}/boot/vmlinuz-*")[0])[len("vmlinuz-"):]
        if os.path.isdir(f"{new}/usr/lib/modules") and not os.path.exists(f"{new}/lib"):
            os.symlink("usr/lib", f"{new}/lib")
        _output(depmod, "-b", new, release)  # the package has no modules.dep
        shutil.rmtree(self.root, ignore_errors=True)
        os.rename(new, self.root)
        os.unlink(package)

    def module_files(self, modules=MODULES):
        """Paths of modules and what they need, in the order of loading."""
        paths = []
        for module in modules:
            lines = _output(_find("modprobe"), "-d", self.root, "-S", self.release, "--show-depends", module)
            paths += [line.split()[1] for line in lines.splitlines() if line.startswith("insmod")]
        return list(dict.fromkeys(paths))


def _module_bytes(path):
    """Later Debian releases compress modules, which busybox's insmod cannot read."""
    opener = {".xz": lzma.open, ".gz": gzip.open}.get(os.path.splitext(path)[1], open)
    with opener(path, "rb") as file:
        return file.read()


class Archive:
    """An initramfs (cpio, format newc), built in memory."""

    def __init__(self):
        self.entries = {}

    def folder(self, path):
        if path not in ("", "/") and path not in self.entries:
            self.folder(os.path.dirname(path))
            self.entries[path] = (0o040755, b"")

    def file(self, path, data, mode=0o644):
        self.folder(os.path.dirname(path))
        self.entries[path] = (0o100000 | mode, data)

    def symlink(self, path, target):
        self.folder(os.path.dirname(path))
        self.entries[path] = (0o120777, target.encode())

    def copy(self, path, at=None):
        with open(path, "rb") as file:
            self.file(at or path, file.read(), os.stat(path).st_mode & 0o777 | 0o444)

    def program(self, path, at=None):
        """A program with the libraries that it is linked with."""
        self.copy(path, at)
        run = subprocess.run(["ldd", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
        for word in run.stdout.split():
            if word.startswith("/") and word not in self.entries:
                self.copy(word)

    def write(self, path):
        def record(number, name, mode, data):
            raw = name.encode() + b"\0"
            fields = (number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(raw), 0)
            head = b"070701" + b"".join(b"%08X" % f for f in fields) + raw
            return head + b"\0" * (-len(head) % 4) + data + b"\0" * (-len(data) % 4)

        with open(path, "wb") as file:
            for number, (name, (mode, data)) in enumerate(self.entries.items(), 1):
                file.write(record(number, name.lstrip("/"), mode, data))
            file.write(record(0, "TRAILER!!!", 0, b""))


def _add_busybox(archive):
    busybox = _find("busybox")
    archive.copy(busybox, "/bin/busybox")
    for applet in _output(busybox, "--list").split():
        if applet != "busybox":
            archive.symlink(f"/bin/{applet}", "/bin/busybox")


def _add_exit(archive, folder):
    program = os.path.join(folder, "guest-exit")
    _output(*os.environ.get("CC", "cc").split(), "-O1", "-static", "-o", program, f"{HERE}/guest/exit.c")
    archive.copy(program, "/usr/local/bin/guest-exit")


def extend_initramfs(folder, kernel, base, programs, modules):
    """A second archive behind the first one, for the boot that needs more: modules, that it loads itself, and programs."""
    archive = Archive()
    for name in programs:
        archive.program(_find(name), f"/usr/bin/{name}")
    for path in kernel.module_files(modules):
        archive.file(f"/lib/modules/{os.path.basename(path).split('.ko')[0]}.ko", _module_bytes(path))
    path = os.path.join(folder, "initramfs-more.cpio")
    archive.write(path)
    with open(path, "rb") as more, open(base, "rb") as first:
        data = first.read() + more.read()
    with open(path, "wb") as file:
        file.write(data)
    return path


def build_initramfs(folder, kernel, ssdct):
    """Everything the guest has; returns the path of the archive."""
    archive = Archive()
    for mount in ("dev", "proc", "sys", "tmp", "run", "results"):
        archive.folder(f"/{mount}")
    _add_busybox(archive)
    _add_exit(archive, folder)
    for name in PROGRAMS:
        archive.program(_find(os.path.basename(name)), name)
    for name in ("ssdct", "ssdct-sim-serve"):
        archive.program(os.path.join(os.path.dirname(ssdct), name), f"/usr/local/bin/{name}")
    archive.file("/etc/passwd", b"root:x:0:0:root:/:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n")
    archive.file("/etc/group", b"root:x:0:\nnogroup:x:65534:\n")
    modules = kernel.module_files()
    names = [f"/lib/modules/{os.path.basename(path).split('.ko')[0]}.ko" for path in modules]
    for name, path in zip(names, modules):
        archive.file(name, _module_bytes(path))
    archive.file("/modules", "".join(f"{name}\n" for name in names).encode())
    for path in sorted(glob.glob(f"{HERE}/guest/*.sh")):
        archive.copy(path, f"/test/{os.path.basename(path)}")
    archive.file("/init", open(f"{HERE}/guest/init", "rb").read(), 0o755)
    path = os.path.join(folder, "initramfs.cpio")
    archive.write(path)
    return path
