#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Cuts and corrupts what the kernel traced: a trace.dat, or the text of `trace`.

usage: trace.py PERF CORRUPTIONS FILE...

Whatever is read, the program ends by itself with a report or one line of error, and a sanitizer finds nothing.
A trace.dat that is cut in its pages gives a report.
"""
import os
import random
import subprocess
import sys
import tempfile

PERF, CORRUPTIONS, *FILES = sys.argv[1:]
BAD = (b'AddressSanitizer', b'runtime error', b'LeakSanitizer')
failures = []


def read(path, data):
    with tempfile.NamedTemporaryFile() as f:
        f.write(data)
        f.flush()
        p = subprocess.run([PERF, 'kmem', 'stat', '-i', f.name, '--slab', '--page', '-q'], stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, check=False)
    errors = [line for line in p.stderr.splitlines() if b'warning:' not in line]
    if p.returncode not in (0, 1, 3) or any(word in p.stderr for word in BAD) or len(errors) != (p.returncode == 1):
        failures.append(f'{path}: status {p.returncode}: {p.stderr[-500:]!r}')
    return p.returncode == 1


def main():
    chance = random.Random(1)
    for path in FILES:
        with open(path, 'rb') as f:
            whole = f.read()
        name = os.path.basename(path)
        if read(name, whole):
            failures.append(f'{name}: no report of the whole file')
        # the second half is pages, or lines
        for twentieth in range(20):
            if read(f'{name}, {twentieth}/20', whole[:len(whole) * twentieth // 20]) and twentieth >= 15:
                failures.append(f'{name}, {twentieth}/20: no report')
        for i in range(int(CORRUPTIONS)):
            data = bytearray(whole)
            for _ in range(chance.choice((1, 1, 8))):
                # its beginning, where the sizes and places are, more often
                at = chance.randrange(len(data) if chance.random() < 0.6 else 512)
                data[at] = chance.choice((0, 1, 0x7f, 0x80, 0xff, chance.randrange(256)))
            read(f'{name}, corruption {i}', bytes(data))
    for line in failures[:20]:
        print(line)
    print(f'{len(failures)} failures')
    sys.exit(bool(failures))


main()
