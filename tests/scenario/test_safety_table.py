#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The truth table of safety through the program itself: operation x use x confirmation x kind of host.

Whether a row may pass is computed here from the sentences of the contract (section 5); what was sent, a trace says.
"""
import concurrent.futures
import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fw_lib import trace_path  # noqa: E402
from harness import Tap, run  # noqa: E402
from operations import (CHANGES, DESTROYS, INTERRUPTS, NEVER, OPERATIONS, READS, SERIAL, TAKES_ACCESS, command_line,  # noqa: E402
                        is_question)

USES = {"unused": None, "mounted": {"mounts": ["/srv"]}, "md": {"holders": ["md0"]}, "ext4": {"signature": "ext4"}}
ACTIVE = ("mounted", "md")
CONFIRMATIONS = ((), ("--yes",), ("--force",), ("--yes", "--force"), ("--confirm", SERIAL), ("--confirm", SERIAL, "--force"),
                 ("--yes", "--force", "--confirm", SERIAL[:-1]), ("--yes", "--force", "--confirm", SERIAL.lower()),
                 ("--yes", "--force", "--confirm", "nvme0"), ("--yes", "--force", "--confirm", SERIAL))
# These say nothing more about a host than others do.
OF_NO_USE_ELSEWHERE = (("--force",), ("--yes", "--force", "--confirm", SERIAL.lower()), ("--yes", "--force", "--confirm", "nvme0"))
HOSTS = {"PCIe": {}, "TCP": {"transport": "tcp"}, "recorded": {"simulated": False}}


def may_pass(kind, use, options, host):
    """The contract's sentences. Without a terminal: what is asked there needs an option."""
    yes, force, confirm = "--yes" in options, "--force" in options, options[options.index("--confirm") + 1] if "--confirm" in options else None
    if kind == READS:
        return True
    if kind == NEVER or host == "recorded":
        return False
    if host == "TCP" and not force:
        return False
    if confirm not in (None, SERIAL):  # whoever names another drive means another drive
        return False
    if kind == DESTROYS:
        return confirm == SERIAL and use not in ACTIVE and (use == "unused" or force)
    if kind == TAKES_ACCESS:
        return yes and use not in ACTIVE
    if kind == INTERRUPTS:
        return yes and (use not in ACTIVE or force)
    return yes


def sent_by(operation, use, options, host):
    place = operation.make(use=USES[use], **HOSTS[host])
    path = trace_path()
    r = run(*command_line(operation), *options, "--trace", path, host=place)
    sent = []
    if os.path.exists(path):
        with open(path, encoding="utf-8") as f:
            sent = [c for c in map(json.loads, f) if c["sent"]]
        os.unlink(path)
    return r, sent


def row(operation, use, options, host):
    """None when all is well, else what is not."""
    r, sent = sent_by(operation, use, options, host)
    changing = [c for c in sent if not is_question(c)]
    passes = may_pass(operation.kind, use, options, host)
    if operation.kind == READS:
        # A drive may refuse a question; safety does not.
        fine = r.code in (0, 1) and sent and (operation.words[1] == "io" or not changing)
    elif passes:
        # The drive does not have every command; this is about whether it was asked.
        fine = changing and r.code not in (2, 4, 7)
    else:
        fine = not changing and r.code in ((4, 7) if host == "recorded" or operation.kind == NEVER else (4,))
    return None if fine else f"{operation.name}, {use}, {options}, {host}: expected to {'pass' if passes else 'be refused'}\n{r}\n{changing}"


def rows(operation):
    if operation.kind == READS:
        return [(use, (), host) for use in USES for host in HOSTS if host != "recorded" or operation.words[1] != "io"]
    if operation.words[:2] == ("log", "get"):  # which knows none of these options
        return [(use, (), host) for use in USES for host in ("PCIe", "TCP")]
    cases = [(use, options, "PCIe") for use in USES for options in CONFIRMATIONS]
    cases += [(use, options, "TCP") for use in ("unused", "mounted") for options in CONFIRMATIONS if options not in OF_NO_USE_ELSEWHERE]
    # What is done to the drive first cannot be done to a recording, and there a log with a context is a file.
    if not operation.before and operation.words[1] != "persistent-event":
        cases += [(use, options, "recorded") for use in ("unused", "mounted") for options in (CONFIRMATIONS[0], CONFIRMATIONS[-1])]
    return cases


def of_a_partition(operation):
    """A partition's name asks for less than any change reaches, whatever else is typed. None, or what is wrong."""
    path = trace_path()
    words = [re.sub("^nvme0(n1)?$", "nvme0n1p1", str(w)) for w in command_line(operation)]
    r = run(*words, "--yes", "--force", "--confirm", SERIAL, "--trace", path, host=operation.make())
    told = "a partition was named" in r.err if r.code == 4 else r.code == 2 and "namespace" in r.err  # 2: --nsid, and a namespace besides
    return None if told and not os.path.exists(path) else f"{operation.name}\n{r}"


def main():
    tap, total = Tap(), 0
    destroyable = set()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for operation in OPERATIONS:
            cases = rows(operation)
            wrong = [w for w in pool.map(lambda case, o=operation: row(o, *case), cases) if w]
            total += len(cases)
            tap.result(not wrong, f"{operation.name}: {len(cases)} rows", f"{len(wrong)} wrong", *wrong[:3])
            destroyable |= {operation.words[0]} if operation.kind == DESTROYS and not wrong else set()
        changing = [o for o in OPERATIONS if o.kind not in (READS, NEVER)]
        wrong = [w for w in pool.map(of_a_partition, changing) if w]
        tap.result(not wrong, f"{len(changing)} changes are refused for a partition", f"{len(wrong)} wrong", *wrong[:3])
    tap.result(total > 3000, f"{total} rows", total)
    tap.equal(destroyable, {"format", "sanitize", "namespace", "provision", "feature", "passthru"}, "every word that destroys is in the table")
    tap.equal({o.kind for o in OPERATIONS}, {DESTROYS, TAKES_ACCESS, INTERRUPTS, CHANGES, READS, NEVER}, "every class")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
