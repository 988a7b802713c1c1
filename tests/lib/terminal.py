# SPDX-License-Identifier: MIT
"""The program at a terminal: what it asks, what is typed, signals."""
import fcntl
import os
import pty
import select
import subprocess
import termios
import time

from harness import SSDCT

SERIAL_QUESTION = "Type the serial number to go on: "


class Terminal:
    """The program with a terminal as its stdin and stderr; stdout is a pipe, so that the document can be read."""

    def __init__(self, *args, host, prepare=None, early=b"", asks="Go on? [y/N] "):
        self.asks = asks
        self.master, self.slave = pty.openpty()
        self.modes = termios.tcgetattr(self.slave)
        self.seen = ""
        os.write(self.master, early)

        def own_session():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
            if prepare:
                prepare()

        environment = {k: v for k, v in os.environ.items() if k != "SSDCT_HOST"}
        self.process = subprocess.Popen([SSDCT, *args, "--host", str(host)], stdin=self.slave, stderr=self.slave,
                                        stdout=subprocess.PIPE, env=environment, preexec_fn=own_session)

    def question(self):
        """Reads up to the question; false when there is none."""
        end = time.monotonic() + 120
        while self.asks not in self.seen and time.monotonic() < end:
            if not self.drain(0.1) and self.process.poll() is not None:
                break
        return self.asks in self.seen

    def drain(self, seconds):
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        self.seen += os.read(self.master, 4096).decode(errors="replace")
        return True

    def type(self, data):
        os.write(self.master, data)

    def end(self):
        self.out = self.process.communicate(timeout=300)[0].decode()
        self.code = self.process.returncode
        while self.drain(0):
            pass
        self.same_modes = termios.tcgetattr(self.slave) == self.modes
        os.close(self.slave)
        os.close(self.master)
        return self

    def __str__(self):
        return f"exit {self.code}\nterminal: {self.seen}\nstdout: {self.out[:1500]}"
