#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The boots that measure, by themselves: they take longer than all others together. SSDCT_BENCH_ROUNDS: 7 unless set."""
import sys

import run

if __name__ == "__main__":
    sys.exit(run.main(run.MEASURED))
