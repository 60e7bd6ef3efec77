#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows of a fleet, as 'perf kmem stat --format jsonl' writes them, with one planted leak.

usage: make_rows.py PERF RECORDING HOSTS DAYS DIRECTORY

Every sixth hour each host makes a report of 20 call sites, whose live bytes wander about a mean.  Half of the
hosts get the kernel 6.99.1 in the middle and boot.  From then on, on every fourth of these, sock_alloc_inode keeps
100 KB an hour.  The keys of a line are those that this program writes: they are taken from a report of the recording.
Prints the number of hosts with the leak.
"""
import json
import os
import random
import subprocess
import sys

PERF, RECORDING, HOSTS, DAYS, DIRECTORY = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
START, HOUR = 1790000000, 3600
EVERY = 6 * HOUR
LEAK = 100_000
SITES = ['sock_alloc_inode'] + [f'function_{i}' for i in range(19)]


def real_line():
    """A line of a call site."""
    out = subprocess.run([PERF, 'kmem', 'stat', '-f', '-i', RECORDING, '--by', 'callsite,cache', '-l', '1',
                          '--format', 'jsonl'], stdout=subprocess.PIPE, check=True, encoding='utf-8').stdout
    return next(line for line in map(json.loads, out.splitlines()) if line['table'] == 'slab.tables.rows')


def reports(host, is_updated, leaks):
    """(time, seconds since the boot, kernel, leaked bytes)"""
    updated = START + DAYS * 24 * HOUR // 2
    for time in range(START, START + DAYS * 24 * HOUR, EVERY):
        new = is_updated and time >= updated
        boot = updated if new else START - HOUR
        yield time, time - boot, new, LEAK * (time - boot) // HOUR if new and leaks else 0


def main():
    line = real_line()
    leaking = 0
    for host in range(HOSTS):
        is_updated = host % 2 == 0
        leaks = host % 8 == 0
        leaking += leaks
        rng = random.Random(host)
        os.makedirs(f'{DIRECTORY}/rows/host-{host}')
        with open(f'{DIRECTORY}/rows/host-{host}/a.jsonl', 'w', encoding='utf-8') as out:
            for time, age, new, leaked in reports(host, is_updated, leaks):
                line.update(hostname=f'host-{host}', machine_id=f'{host:032x}', boot_id=f'{host:016x}{new:016x}',
                            kernel='6.99.1' if new else '6.99.0', kernel_build_id=f'{new:040x}',
                            wall_clock_ns=time * 10**9, start_ns=age * 10**9, stop_ns=(age + 60) * 10**9)
                for i, name in enumerate(SITES):
                    live = int(rng.gauss(1 << 20, 1 << 16)) + (leaked if i == 0 else 0)
                    line.update(symbol=f'{name}.isra.{host % 3}', function=name, cache=f'cache-{i}', live_bytes=live,
                                live_hits=live // 1024, bytes_alloc=10 * live, hits=live // 100)
                    out.write(json.dumps(line) + '\n')
    print(leaking)


main()
