#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The boot that measures, by itself: it takes longer than all others together. SSDCT_BENCH_ROUNDS: 7 unless set."""
import sys

import run

if __name__ == "__main__":
    sys.exit(run.main(["speed"]))
