#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads a JSON report, prints `EVENT SAMPLES` for each event that has any, sorted."""
import json
import sys

for name, samples in sorted((e['name'], e['samples']) for e in json.load(sys.stdin)['recording']['events']):
    if samples:
        print(name, samples)
