#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ssdct-sim-serve on a loopback port, with an NVMe/TCP host written here from the specifications; speaks TAP.

Layouts are those of the NVMe/TCP Transport Specification 1.0c and the NVM Express over Fabrics Specification 1.1. The
kernel's own host driver is at work in the tests in the virtual machine.
"""
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import SSDCT, TMP, Host, Tap, id_ctrl, id_ns, run, slot_log, smart, until  # noqa: E402

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(SSDCT)), "ssdct-sim-serve")
ICREQ, ICRESP, H2C_TERM, C2H_TERM, CAPSULE, RESPONSE, H2C_DATA, C2H_DATA, R2T = 0, 1, 2, 3, 4, 5, 6, 7, 9
CC, CSTS, CAP, VS, NSSR = 0x14, 0x1c, 0, 8, 0x20
ENABLE = 0x460001  # entries of 64 and 16 bytes, EN
OWN_NQN = "nqn.2014-08.org.nvmexpress:uuid:5353442d-5349-4d00-8000-000000000001"
tap = Tap()


class Server:
    """The program on a free port; ended with the block."""

    def __init__(self, host, *options):
        self.process = subprocess.Popen([PROGRAM, str(host), "--port", "0", *options], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.port, self.nqns = 0, {}
        for line in self.process.stdout:
            word, *rest = line.split()
            if word == "ready":
                break
            if word == "port":
                self.port = int(rest[0])
            else:
                self.nqns[word] = rest[0]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.communicate(timeout=120)

    def alive(self):
        return self.process.poll() is None


class Closed(Exception):
    """The other side has ended the connection; `fes` is the reason when it gave one."""

    def __init__(self, fes=None):
        super().__init__(f"closed, {fes}")
        self.fes = fes


class Queue:
    """A connection: sends PDUs and takes them apart."""

    def __init__(self, server, initialize=True, address="127.0.0.1"):
        self.socket = socket.create_connection((address, server.port), timeout=120)
        self.cid = 0
        self.events = []
        if initialize:
            self.pdu(ICREQ, bytes(120), header=128)
            kind, header, _ = self.receive()
            assert kind == ICRESP and len(header) == 128, header
            self.most = struct.unpack_from("<I", header, 12)[0]

    def close(self):
        self.socket.close()

    def pdu(self, kind, rest, data=b"", header=None, flags=0, total=None, offset=None):
        """Common header, the type's own header, data."""
        header = 8 + len(rest) if header is None else header
        total = header + len(data) if total is None else total
        offset = (header if data else 0) if offset is None else offset
        self.socket.sendall(struct.pack("<BBBBI", kind, flags, header, offset, total) + rest + data)

    def exactly(self, count):
        data = b""
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            if not part:
                raise Closed()
            data += part
        return data

    def receive(self):
        try:
            header = self.exactly(8)
            kind, _, length, _, total = struct.unpack("<BBBBI", header)
            header += self.exactly(length - 8)
            data = self.exactly(total - length)
        except ConnectionResetError:
            raise Closed() from None
        if kind == C2H_TERM:
            raise Closed(struct.unpack_from("<H", header, 8)[0])
        return kind, header, data

    def send(self, opcode, nsid=0, cdw=(), data=b"", length=0, inside=None, fctype=None, sgl=None):
        """A command capsule; data up to 8 KiB in it, unless told otherwise. Returns the command identifier."""
        self.cid = (self.cid + 1) % 0xffff
        sqe = bytearray(64)
        struct.pack_into("<BBHI", sqe, 0, opcode, 0x40, self.cid, nsid if fctype is None else fctype)
        for number, value in cdw:
            struct.pack_into("<I", sqe, 4 * number, value)
        inside = len(data) <= 8192 if inside is None else inside
        kind, size = (0x01, len(data)) if data and inside else (0x5a, len(data) or length)
        struct.pack_into("<QI3xB", sqe, 24, 0, size, kind)
        if sgl:
            sqe[24:40] = sgl
        self.pdu(CAPSULE, bytes(sqe), data if inside else b"")
        return self.cid

    def answer(self, cid, data=b"", piece=None):
        """(status, result, data) of a command; sends its data when asked to."""
        got = b""
        while True:
            kind, header, payload = self.receive()
            if kind == R2T and struct.unpack_from("<H", header, 8)[0] == cid:
                tag, offset, length = struct.unpack_from("<HII", header, 10)
                step = piece or self.most
                for at in range(offset, offset + length, step):
                    part = data[at:min(at + step, offset + length)]
                    last = 4 if at + len(part) == offset + length else 0
                    self.pdu(H2C_DATA, struct.pack("<HHII4x", cid, tag, at, len(part)), part, flags=last)
            elif kind == C2H_DATA:
                if struct.unpack_from("<H", header, 8)[0] != cid:
                    continue
                assert struct.unpack_from("<II", header, 12) == (len(got), len(payload)), header
                got += payload
            elif kind == RESPONSE:
                result, _, _, their, status = struct.unpack_from("<QHHHH", header, 8)
                if their != cid:
                    self.events.append(their)
                    continue
                return status >> 1, result, got
            else:
                raise AssertionError(f"unexpected PDU {kind}")

    def command(self, opcode, nsid=0, cdw=(), data=b"", length=0, piece=None, **kwargs):
        return self.answer(self.send(opcode, nsid, cdw, data, length, **kwargs), data, piece)

    # --- fabrics commands ---

    def connect(self, nqn, qid=0, cntlid=0xffff, last=31, host=b"\x11" * 16, host_nqn="nqn.test", recfmt=0):
        data = struct.pack("<16sH238x256s256s256x", host, cntlid, nqn.encode(), host_nqn.encode())
        return self.command(0x7f, cdw=((10, qid << 16 | recfmt), (11, last)), data=data, fctype=1)

    def get(self, offset, wide=False):
        return self.command(0x7f, cdw=((10, int(wide)), (11, offset)), fctype=4)

    def set(self, offset, value):
        return self.command(0x7f, cdw=((11, offset), (12, value)), fctype=0)

    # --- admin commands ---

    def identify(self, cns=1, nsid=0):
        return self.command(6, nsid, ((10, cns),), length=4096)

    def log(self, lid, length=512):
        return self.command(2, 0xffffffff, ((10, lid | (length // 4 - 1) << 16),), length=length)

    def download(self, image, offset=0, **kwargs):
        return self.command(0x11, cdw=((10, len(image) // 4 - 1), (11, offset // 4)), data=image, **kwargs)

    def commit(self, slot, action):
        return self.command(0x10, cdw=((10, slot | action << 3),))


def admin(server, drive="nvme0"):
    """An enabled controller; its identifier is in .cntlid."""
    queue = Queue(server)
    status, queue.cntlid, _ = queue.connect(server.nqns[drive])
    assert status == 0, hex(status)
    assert queue.set(CC, ENABLE)[0] == 0
    assert queue.get(CSTS)[1] & 1
    return queue


def image_of(revision, model, size=16384):
    payload = bytes(i * 7 & 0xff for i in range(size - 64))
    head = b"SSDCTFW1" + revision.encode().ljust(8) + model.encode().ljust(40)
    return head + struct.pack("<II", zlib.crc32(payload), 0) + payload


MODEL = "INTEL SSDPEDMD020T4"


def host_of(drive_json=None, **pages):
    pages.setdefault("id_ctrl", id_ctrl(oacs=6, frmw=0x14, ver=0x10201, offset_768=OWN_NQN.encode()))
    pages.setdefault("log_03", slot_log(1, 0, ("8DV10131", "8DV10151")))
    return Host(simulated=True).drive(drive_json=drive_json, **pages)


def state_of(host, *words):
    return run(*words, "-o", "json", host=host).drive


# --- starting it ---


def starts():
    host = host_of()
    for options, code, said in (((), 2, "--help"), (("--port", "x", str(host)), 2, "--port"),
                                (("--port", "65536", str(host)), 2, "--port"),
                                (("--address", "0.0.0.0", str(host)), 4, "loopback"),
                                (("--address", "192.0.2.1", str(host)), 4, "loopback"),
                                (("--address", "::", str(host)), 4, "loopback"),
                                (("--address", "localhost", str(host)), 2, "IP address"),
                                ((TMP + "/none",), 3, "none"), ((str(Host().drive()),), 7, "sim create")):
        done = subprocess.run([PROGRAM, *options], capture_output=True, text=True, timeout=120, check=False)
        shown = " ".join(options).replace(TMP, "DIR")
        tap.result(done.returncode == code and said in done.stderr and not done.stdout,
                   f"ssdct-sim-serve {shown}: exit {code}", done)
    done = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True, timeout=120, check=False)
    tap.result(done.returncode == 0 and "--port" in done.stdout, "--help")
    with Server(host, "--address", "127.9.8.7") as server:
        queue = Queue(server, address="127.9.8.7")
        tap.equal(queue.connect(OWN_NQN)[0], 0, "another loopback address")


def names():
    serials = {"nvme0": "PHA 0/1", "nvme1": "SAME", "nvme2": "SAME", "nvme3": "LAST"}
    host = Host(simulated=True)
    for name, serial in serials.items():
        own = {} if name in ("nvme0", "nvme1", "nvme2") else {"offset_768": OWN_NQN.encode()}
        host.drive(name, id_ctrl=id_ctrl(serial=serial, **own))
    with Server(host) as server:
        prefix = "nqn.2026-12.invalid.ssdct:"
        tap.equal(server.nqns, {"nvme0": prefix + "PHA_0_1", "nvme1": prefix + "SAME", "nvme2": prefix + "SAME",
                                "nvme3": OWN_NQN}, "names: the drive's own, else made of the serial number")
        first, second = admin(server, "nvme1"), admin(server, "nvme1")
        ids = [struct.unpack_from("<H", q.identify()[2], 78)[0] for q in (first, second)]
        tap.result(ids == [first.cntlid, second.cntlid] and ids[0] != ids[1],
                   "two controllers of one subsystem have identifiers of their own", ids)
        tap.equal([admin(server, d).identify()[2][76] for d in ("nvme1", "nvme3")], [2, 0], "CMIC says so, where it is so")
        # Which of the two directories each has: their SMART logs are not the same file.
        host.write("nvme1/log-02.bin", smart(used=11))
        host.write("nvme2/log-02.bin", smart(used=22))
        tap.equal(sorted(q.log(2)[2][5] for q in (first, second)), [11, 22], "and a directory each")


# --- Connect and properties ---


def connecting():
    with Server(host_of()) as server:
        queue = Queue(server)
        tap.equal(queue.identify()[0], 0x400c, "a command before Connect: Command Sequence Error")
        tap.equal(queue.connect("nqn.2014-08.org.nvmexpress:none")[:2], (0x4182, 0x10100), "an unknown subsystem")
        tap.equal(queue.connect(OWN_NQN, recfmt=1)[0], 0x4180, "a record format that nobody knows")
        tap.equal(queue.connect(OWN_NQN, last=0)[:2], (0x4182, 44), "a queue of one entry")
        tap.equal(queue.connect(OWN_NQN, last=128)[:2], (0x4182, 44), "a queue larger than CAP.MQES")
        tap.equal(queue.connect(OWN_NQN, cntlid=5)[:2], (0x4182, 0x10010), "a controller of the host's choice")
        status, cntlid, _ = queue.connect(OWN_NQN)
        tap.result(status == 0 and cntlid > 0, "Connect")
        tap.equal(queue.connect(OWN_NQN)[0], 0x400c, "a second one on the same connection")
        cap = queue.get(CAP, wide=True)[1]
        tap.result(cap & 0xffff == 127 and cap >> 37 & 1 and cap >> 36 & 1 and cap >> 24 & 0xff, "CAP", hex(cap))
        tap.equal(queue.get(VS)[1], 0x10201, "VS is what Identify says")
        tap.equal([queue.get(offset)[1] for offset in (CC, CSTS)], [0, 0], "CC and CSTS before it is enabled")
        tap.equal(queue.get(CAP)[0], 0x4002, "CAP in four bytes is Invalid Field")
        tap.equal(queue.get(0x1000)[0], 0x4002, "a property that is not there")
        tap.equal(queue.identify()[0], 0x400c, "Identify before it is enabled: Command Sequence Error")
        other = Queue(server)
        tap.equal(other.connect(OWN_NQN, 1, cntlid)[0], 0x4182, "an I/O queue before it is enabled")
        tap.equal((queue.set(CC, ENABLE)[0], queue.get(CSTS)[1]), (0, 1), "CC.EN makes it ready")
        tap.equal(other.connect(OWN_NQN, 1, cntlid, host=b"\x22" * 16)[0], 0x4182, "an I/O queue of another host")
        tap.equal(other.connect(OWN_NQN, 1, cntlid + 1)[0], 0x4182, "an I/O queue of an unknown controller")
        tap.equal(other.connect(OWN_NQN, 1, cntlid)[:2], (0, cntlid), "an I/O queue")
        tap.equal(Queue(server).connect(OWN_NQN, 1, cntlid)[:2], (0x4182, 42), "the same once more")
        tap.equal(other.identify(1, 1)[0], 0x4001, "Identify on an I/O queue is another command")
        queue.set(CC, ENABLE | 1 << 14)
        tap.equal(queue.get(CSTS)[1] & 0xc, 8, "a shutdown is complete at once")
        queue.set(CC, 0)
        tap.equal(queue.get(CSTS)[1], 0, "disabled")
        queue.close()
        try:
            other.receive()
            ended = False
        except Closed:
            ended = True
        tap.result(ended, "the end of the admin queue ends the I/O queue")


def identifying():
    host = host_of(log_01=bytes(64 * 64))
    with Server(host) as server:
        queue = admin(server)
        status, _, page = queue.identify()
        field = lambda at, code: struct.unpack_from(code, page, at)[0]
        tap.equal((status, len(page)), (0, 4096), "Identify Controller")
        tap.equal((field(78, "<H"), page[768:768 + len(OWN_NQN)].decode(), field(1792, "<I") * 16 >= 64 + 8192,
                   field(1796, "<I"), field(1800, "<H"), field(536, "<I") & 1, field(536, "<I") >> 20 & 1),
                  (queue.cntlid, OWN_NQN, True, 1, 0, 1, 1), "what a host over fabrics insists on")
        tap.result(field(320, "<H") and field(514, "<H"), "KAS and MAXCMD")
        original = id_ctrl(oacs=6, frmw=0x14, ver=0x10201, offset_768=OWN_NQN.encode())
        changed = [range(78, 80), range(320, 322), range(514, 516), range(536, 540), range(1792, 1802)]
        other = [at for at in range(4096) if page[at] != original[at] and not any(at in r for r in changed)]
        tap.equal(other, [], "every other byte is the drive's")
        tap.equal(queue.log(2)[2], smart(), "Get Log Page: SMART")
        tap.equal(queue.log(3)[2], slot_log(1, 0, ("8DV10131", "8DV10151")), "Get Log Page: firmware slots")
        tap.equal(queue.log(0xc7)[0], 0x4109, "a page that is not there: Invalid Log Page")
        tap.equal(queue.identify(0, 1)[2], id_ns(), "Identify Namespace")
        tap.equal(struct.unpack_from("<II", queue.identify(2)[2]), (1, 0), "the list of namespaces")
        tap.equal(queue.command(0x18)[0], 0, "Keep Alive")
        tap.equal(queue.command(0x08, cdw=((10, 1 << 16),))[:2], (0, 1), "Abort: not aborted")
        tap.equal(queue.command(0xd0)[0], 0x4001, "a command that the drive does not know")
        tap.equal(queue.command(0x09, cdw=((10, 7), (11, 0x30003)))[0:2], (0, 0x1d001d), "number of queues")
        for _ in range(16):
            queue.send(0x0c)
        tap.equal(queue.command(0x0c)[0], 0x4105, "one Asynchronous Event Request too many")
        tap.result(queue.identify()[0] == 0 and not queue.events, "the others are still outstanding")
        result = state_of(host, "errors", "nvme0")
        statuses = [entry["status"]["value"] & 0x7ff for entry in result["error_log"]["entries"]]
        tap.equal(statuses, [0x001, 0x109], "failed commands are in the drive's error log, those of the transport not")


# --- faults ---


def faults():
    rules = [{"opcode": "0x02", "lid": "0x02", "delay_ms": 5000}, {"opcode": "0x02", "lid": "0x03", "status": "0x0281"},
             {"opcode": "0x06", "cns": "0x00", "short": 100}, {"opcode": "0x06", "cns": "0x02", "untouched": True},
             {"opcode": "0x0a", "errno": "EINTR"}]
    host = host_of()
    with Server(host) as server:
        queue = admin(server)
        config = json.load(open(f"{host}/nvme0/drive.json"))
        config["faults"] = rules
        host.write("nvme0/drive.json", json.dumps(config))
        started = time.monotonic()
        slow = queue.send(2, 0xffffffff, ((10, 2 | 127 << 16),), length=512)
        quick = queue.command(0x18)[0], queue.log(3)[0]
        answer = queue.answer(slow)  # which is still to come: one that has come before is dropped, and waited for in vain
        tap.equal(quick, (0, 0x0281), "a delayed command does not hold up the others")
        took = time.monotonic() - started
        # its count of errors has grown by the failed command
        good = answer[:2] == (0, 0) and answer[2][:176] == smart()[:176] and len(answer[2]) == 512
        tap.result(good and took >= 4.9, "and completes in time", answer[:2], took)
        tap.equal(queue.identify(0, 1)[2], id_ns()[:100], "short: no more bytes than the drive has written")
        tap.equal(queue.identify(2)[::2], (0, b""), "untouched: none")
        queue.send(0x0a, cdw=((10, 2),))
        tap.result(queue.command(0x18)[0] == 0 and not queue.events, "EINTR: the command is never answered")
        slow = [queue.send(2, 0xffffffff, ((10, 2 | 127 << 16),), length=512) for _ in range(20)]
        left = set(slow)
        while left:
            kind, header, data = queue.receive()
            if kind == RESPONSE:
                left.discard(struct.unpack_from("<H", header, 20)[0])
        tap.result(True, "twenty at once are all answered")


def vanishing():
    host = host_of({"faults": [{"opcode": "0x02", "vanish_ms": 5000}]})
    with Server(host) as server:
        queue, ended = admin(server), False
        second = Queue(server)
        second.connect(OWN_NQN, 1, queue.cntlid)
        tap.equal(queue.log(2)[0], 0, "vanish: the command completes")
        for q in (queue, second):
            try:
                q.socket.settimeout(60)
                q.receive()
            except Closed:
                ended = True
            tap.result(ended, "vanish: the connection is dropped")
        tap.equal(Queue(server).connect(OWN_NQN)[0], 0x0181, "vanish: who connects meanwhile may try again")
        tap.result(until(lambda: Queue(server).connect(OWN_NQN)[0] == 0) and admin(server).log(2)[0] == 0, "vanish: back again")


# --- media ---


def io_queue(server, queue, qid=1):
    io = Queue(server)
    assert io.connect(OWN_NQN, qid, queue.cntlid, last=127)[0] == 0
    return io


def media():
    host = host_of(id_ns_1=id_ns(nsze=1000))
    with Server(host) as server:
        queue = admin(server)
        io = io_queue(server, queue)
        at = lambda lba, count: ((10, lba), (11, 0), (12, count - 1))
        block = bytes(range(256)) * 2
        tap.equal(io.command(2, 1, at(0, 8), length=4096), (0, 0, bytes(4096)), "what was never written reads as zeros")
        tap.equal(io.command(1, 1, at(3, 1), data=block)[0], 0, "Write in the capsule")
        large = os.urandom(65536)
        tap.equal(io.command(1, 1, at(100, 128), data=large, piece=20000)[0], 0, "Write by R2T, in pieces")
        tap.equal(io.command(2, 1, at(3, 1), length=512)[2], block, "Read")
        tap.equal(io.command(2, 1, at(100, 128), length=65536)[2], large, "Read of 64 KiB")
        tap.equal(os.path.getsize(f"{host}/nvme0/ns-1.img"), 228 * 512, "the file ends where the last write did")
        tap.equal(io.command(8, 1, at(100, 64))[0], 0, "Write Zeroes")
        tap.equal(io.command(2, 1, at(100, 128), length=65536)[2], bytes(32768) + large[32768:], "zeros are there")
        ranges = struct.pack("<IIQ", 0, 64, 164)
        tap.equal(io.command(9, 1, ((10, 0), (11, 4)), data=ranges)[0], 0, "Dataset Management: deallocate")
        tap.equal(io.command(2, 1, at(164, 64), length=32768)[2], bytes(32768), "what is deallocated reads as zeros")
        tap.equal(io.command(0, 1)[0], 0, "Flush")
        tap.equal(io.command(2, 1, at(999, 2), length=1024)[0], 0x4080, "beyond the end: LBA Out of Range")
        tap.equal(io.command(2, 1, ((10, 0xffffffff), (11, 0xffffffff), (12, 0)), length=512)[0], 0x4080,
                  "far beyond the end")
        tap.equal(io.command(2, 2, at(0, 1), length=512)[0], 0x400b, "no such namespace")
        tap.equal(io.command(2, 1, at(0, 1), length=4096)[0], 0x400f, "a buffer of another length")
        tap.equal(io.command(9, 1, ((10, 255), (11, 4)), data=ranges)[0], 0x400f, "fewer ranges than announced")
        tap.equal(io.command(0x7e, 1)[0], 0x4001, "an unknown command")


# --- firmware ---


def firmware():
    host = host_of()
    image = image_of("8DV10171", MODEL)
    with Server(host) as server:
        queue = admin(server)
        tap.equal(queue.download(image[:4096])[0], 0, "Firmware Image Download in the capsule")
        tap.equal(queue.download(image[4096:], 4096, inside=False, piece=5000)[0], 0, "and by R2T, in pieces")
        tap.equal(queue.commit(2, 1)[0], 0, "commit, action 1: for the next controller reset")
        tap.equal((queue.identify()[2][64:72], queue.log(3)[2][0]), (b"8DV10131", 0x21), "the old one runs, 2 is next")
        queue.set(CC, 0)
        queue.set(CC, ENABLE)
        tap.equal((queue.identify()[2][64:72], queue.log(3)[2][0] & 7), (b"8DV10171", 2), "CC.EN: the new one runs")
        for at in range(0, len(image), 8192):
            queue.download(image_of("8DV10181", MODEL)[at:at + 8192], at)
        tap.equal(queue.commit(3, 1)[0], 0x4106, "there is no slot 3")
        tap.equal(queue.commit(1, 1)[0], 0, "another one")
        queue.close()
        # when the server has noticed that the other one has ended
        tap.result(until(lambda: admin(server).identify()[2][64:72] == b"8DV10181"), "a new association is a reset as well")
        queue = admin(server)
        tap.equal(queue.commit(2, 1)[0] & 0x7ff, 0x00c, "a commit without a download: Command Sequence Error")
        queue.download(bytes(4096))
        tap.equal(queue.commit(2, 3)[0] & 0x7ff, 0x107, "no image of ours: Invalid Firmware Image")
        shown = state_of(host, "show", "nvme0")
        tap.equal(shown["firmware"], "8DV10181", "the host directory has kept it")


def administration():
    """Commands that change a drive, over the network: format, sanitize, namespaces, self-test."""
    host = os.path.join(TMP, "administration")
    tap.equal(run("sim", "create", host, "--model", "generic-ns").code, 0, "a drive with namespace management")
    with Server(host) as server:
        queue = admin(server)
        blocks = int.from_bytes(queue.identify(0, 1)[2][:8], "little")
        tap.equal(queue.command(0x80, 1, ((10, 1),))[0], 0, "Format NVM")
        page = queue.identify(0, 1)[2]
        tap.equal((int.from_bytes(page[:8], "little"), page[26]), (blocks // 8, 1), "blocks of 4096 bytes")
        tap.equal(queue.command(0x80, 1, ((10, 9),))[0], 0x410a, "no such format: Invalid Format")
        tap.equal(queue.command(0x84, 0, ((10, 4),))[0], 0, "Sanitize")
        tap.equal(queue.log(0x81)[2][2:4], b"\x01\x01", "and its status")
        tap.equal(queue.command(0x14, 0xffffffff, ((10, 1),))[0], 0, "Device Self-test")
        tap.equal(queue.log(6, 564)[2][4], 0x10, "and its result")
        tap.equal(queue.command(0x0d, 1, ((10, 1),))[0], 0, "Namespace Management: delete")
        data = (1024).to_bytes(8, "little") * 2 + bytes(4096 - 16)
        status, result, _ = queue.command(0x0d, 0, ((10, 0),), data)
        tap.equal((status, result), (0, 1), "create")
        attach = (1).to_bytes(2, "little") + queue.identify(1)[2][78:80] + bytes(4092)
        tap.equal(queue.command(0x15, 1, ((10, 0),), attach)[0], 0, "Namespace Attachment")
        tap.equal(int.from_bytes(queue.identify(0, 1)[2][:8], "little"), 1024, "there it is")


def subsystem_reset():
    host = host_of({"firmware": {"activation": "subsystem_reset"}})
    with Server(host) as server:
        queue = admin(server)
        other = admin(server)
        image = image_of("8DV10171", MODEL, 4096)
        tap.equal(queue.download(image)[0], 0, "Firmware Image Download")
        tap.equal(queue.commit(2, 1)[0] & 0x7ff, 0x110, "a drive that needs a subsystem reset")
        queue.set(CC, 0)
        queue.set(CC, ENABLE)
        tap.equal(queue.identify()[2][64:72], b"8DV10131", "a controller reset is not enough")
        tap.equal(queue.set(NSSR, 0x12345678)[0], 0, "a wrong word in NSSR does nothing")
        tap.equal(queue.get(CSTS)[1], 1, "it is still ready")
        tap.equal((queue.set(NSSR, 0x4e564d65)[0], queue.get(CSTS)[1]), (0, 0x10), "NSSR: no longer ready, NSSRO is set")
        queue.set(CSTS, 0x10)
        queue.set(CC, ENABLE)
        tap.equal((queue.get(CSTS)[1], queue.identify()[2][64:72]), (1, b"8DV10171"), "the new one runs")
        try:
            other.socket.settimeout(5)
            other.receive()
            ended = False
        except Closed:
            ended = True
        tap.result(ended, "the other controller has lost its connection")


# --- hostile hosts ---


def hostile(server, text, act, initialize=True, reason=None):
    """What act does to a fresh connection ends it, and nothing else."""
    queue = Queue(server, initialize)
    queue.socket.settimeout(10)
    try:
        act(queue)
        for _ in range(200):
            queue.receive()
        problem = "the connection lives on"
    except Closed as closed:
        problem = "" if reason is None or closed.fes == reason else f"reason {closed.fes}"
    except (BrokenPipeError, ConnectionResetError):
        problem = ""
    except OSError as error:
        problem = repr(error)
    tap.result(not problem and server.alive(), f"hostile: {text}", problem)


def connected(act):
    def work(queue):
        queue.connect(OWN_NQN)
        queue.set(CC, ENABLE)
        act(queue)
    return work


def waiting(act):
    """A command whose data are asked for; act gets its identifier and tag."""
    def work(queue):
        cid = queue.send(0x11, cdw=((10, 1023),), data=bytes(4096), inside=False)
        kind, header, _ = queue.receive()
        assert kind == R2T
        act(queue, cid, struct.unpack_from("<H", header, 10)[0])
    return connected(work)


def data_pdu(cid, tag, offset, length, data, flags=0, **kwargs):
    return lambda queue: queue.pdu(H2C_DATA, struct.pack("<HHII4x", cid, tag, offset, length), data, flags=flags, **kwargs)


def hostile_hosts():
    rest = bytes(64)
    with Server(host_of()) as server:
        for text, act, initialize, reason in (
                ("random bytes", lambda q: q.socket.sendall(b"GET / HTTP/1.0\r\n\r\n" * 10), False, None),
                ("a capsule before ICReq", lambda q: q.pdu(CAPSULE, rest), False, 2),
                ("a second ICReq", lambda q: q.pdu(ICREQ, bytes(120)), True, 1),
                ("ICReq of another format", lambda q: q.pdu(ICREQ, b"\1" + bytes(119)), False, 6),
                ("ICReq that wants aligned data", lambda q: q.pdu(ICREQ, b"\0\0\1" + bytes(117)), False, 6),
                ("ICReq with data", lambda q: q.pdu(ICREQ, bytes(120), bytes(8)), False, 1),
                ("an unknown type", lambda q: q.pdu(0x55, rest), True, 1),
                ("a type that controllers send", lambda q: q.pdu(RESPONSE, bytes(16)), True, 1),
                ("a header length of 0", lambda q: q.pdu(CAPSULE, rest, header=0, total=72), True, 1),
                ("a header length of 255", lambda q: q.pdu(CAPSULE, rest, header=255, total=255), True, 1),
                ("a length of 0", lambda q: q.pdu(CAPSULE, rest, total=0), True, 1),
                ("a length shorter than the header", lambda q: q.pdu(CAPSULE, rest, total=71), True, 1),
                ("a length of 4 GiB", lambda q: q.pdu(CAPSULE, rest, total=0xffffffff), True, 1),
                ("data at another place", lambda q: q.pdu(CAPSULE, rest, bytes(512), offset=80), True, 1),
                ("digests that were not agreed on", lambda q: q.pdu(CAPSULE, rest, flags=1), True, 1),
                ("more data than a capsule may have", lambda q: q.pdu(CAPSULE, rest, bytes(8193)), True, 5),
                ("the host's own termination", lambda q: q.pdu(H2C_TERM, bytes(16)), True, None),
                ("half a header", lambda q: (q.socket.sendall(b"\4\0"), q.socket.shutdown(socket.SHUT_WR)), True, None),
                ("half a capsule", lambda q: (q.pdu(CAPSULE, rest, bytes(100), total=72 + 4096),
                                              q.socket.shutdown(socket.SHUT_WR)), True, None),
                ("data that nobody asked for", data_pdu(1, 0, 0, 512, bytes(512)), True, 1),
                ("data for a slot that is none", data_pdu(1, 0xffff, 0, 512, bytes(512)), True, 1),
                ("more commands than entries", connected(lambda q: [
                    q.send(0x11, cdw=((10, 1023),), data=bytes(4096), inside=False) for _ in range(33)]), True, 2)):
            hostile(server, text, act, initialize, reason)
        for text, act, reason in (
                ("data of another command", lambda q, cid, tag: data_pdu(cid + 1, tag, 0, 512, bytes(512))(q), 1),
                ("data not at the place asked for", lambda q, cid, tag: data_pdu(cid, tag, 512, 512, bytes(512))(q), 4),
                ("data beyond the end", lambda q, cid, tag: data_pdu(cid, tag, 0, 8192, bytes(8192))(q), 4),
                ("a length that is not that of the data", lambda q, cid, tag: data_pdu(cid, tag, 0, 4096, bytes(512))(q), 4),
                ("no data", lambda q, cid, tag: data_pdu(cid, tag, 0, 0, b"")(q), 4),
                ("the last flag too early", lambda q, cid, tag: data_pdu(cid, tag, 0, 512, bytes(512), 4)(q), 4)):
            hostile(server, text, waiting(act), True, reason)

        queue = admin(server)
        sgl = lambda length, kind, address=0: struct.pack("<QI3xB", address, length, kind)
        for text, arguments, expected in (
                ("an SGL of another type", {"sgl": sgl(4096, 0x20)}, 0x4011),
                ("an SGL longer than the data in the capsule", {"data": bytes(512), "sgl": sgl(4096, 0x01)}, 0x400f),
                ("an offset in the capsule", {"data": bytes(512), "sgl": sgl(512, 0x01, 8)}, 0x400f),
                ("data in a capsule that says there are none", {"data": bytes(512), "sgl": sgl(512, 0x5a)}, 0x400f),
                ("a transfer of 4 GiB", {"sgl": sgl(0xffffffff, 0x5a)}, 0x4002)):
            tap.equal(queue.command(0x11, cdw=((10, 127),), **arguments)[0], expected, f"hostile: {text}")
        tap.equal(queue.command(6, cdw=((10, 1),), sgl=sgl(0xffffffff, 0x5a))[0], 0x4002, "hostile: 4 GiB to read")
        tap.equal(queue.identify()[0], 0, "the server is well afterwards")

        before = len(os.listdir(f"/proc/{server.process.pid}/task"))
        many = [Queue(server, initialize=False) for _ in range(100)]
        for q in many:
            q.close()
        deadline = time.monotonic() + 120
        while len(os.listdir(f"/proc/{server.process.pid}/task")) > before and time.monotonic() < deadline:
            time.sleep(0.05)
        tap.result(len(os.listdir(f"/proc/{server.process.pid}/task")) <= before, "a hundred connections leave no thread")
        tap.result(len(os.listdir(f"/proc/{server.process.pid}/fd")) < 20, "and no open file")


def lifetime():
    """Connections that end while their commands are being executed."""
    host = host_of({"faults": [{"opcode": "0x02", "delay_ms": 300, "count": 0}]})
    with Server(host) as server:
        for _ in range(5):
            queue = admin(server)
            for _ in range(20):
                queue.send(2, 0xffffffff, ((10, 2 | 127 << 16),), length=512)
            queue.close()
        time.sleep(0.8)
        tap.result(server.alive() and admin(server).identify()[0] == 0, "connections that end under their commands")
        threads = [threading.Thread(target=lambda: [admin(server).identify() for _ in range(10)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        tap.result(server.alive(), "many associations at once")
        server.process.send_signal(signal.SIGTERM)
        server.process.wait(120)
    with Server(host) as server:
        tap.equal(admin(server).identify()[0], 0, "started again")


def by_ssdct():
    """The verb of ssdct runs the program."""
    host = host_of()
    found = run("sim", "serve", str(host), "--help")
    if found.code == 2:
        tap.skip("ssdct sim serve", "not there")
        return
    process = subprocess.Popen([SSDCT, "sim", "serve", str(host), "--port", "0"], stdout=subprocess.PIPE, text=True)
    line = process.stdout.readline()
    process.terminate()
    process.communicate(timeout=120)
    tap.result(line.startswith("port "), "ssdct sim serve runs ssdct-sim-serve", line)
    elsewhere = os.path.join(TMP, "bin")
    os.mkdir(elsewhere)
    shutil.copy(SSDCT, elsewhere)
    done = subprocess.run([f"{elsewhere}/ssdct", "sim", "serve", str(host)], capture_output=True, text=True, timeout=120,
                          env={"PATH": "/nowhere"}, check=False)
    tap.result(done.returncode == 1 and "ssdct-sim-serve" in done.stderr, "without the program: exit 1", done)


if not os.path.exists(PROGRAM):
    tap.result(False, f"{os.path.basename(PROGRAM)} is built")
else:
    for test in (starts, names, connecting, identifying, faults, vanishing, media, firmware, administration, subsystem_reset,
                 hostile_hosts, lifetime, by_ssdct):
        try:
            test()
        except Exception as error:  # one that fails must not hide the others
            tap.result(False, f"{test.__name__} comes to its end", repr(error))
sys.exit(tap.end())
