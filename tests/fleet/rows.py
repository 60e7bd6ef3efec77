#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The questions of fleet/questions.sql, asked about a fleet with one planted leak, name it and nothing else.

usage: rows.py DIRECTORY SQL HOSTS

DIRECTORY has the rows of make_rows.py in rows/, and duckdb.mjs with its modules.  SQL is the folder of the SQL.
HOSTS is the number of hosts with the leak.  The files are loaded twice: nothing is counted twice.
"""
import json
import subprocess
import sys
import time

DIRECTORY, SQL, HOSTS = sys.argv[1], sys.argv[2], int(sys.argv[3])
LEAK = 100_000


def ask(file):
    """The rows of each statement, and the CPU seconds."""
    start = time.monotonic()
    done = subprocess.run(['node', 'duckdb.mjs', 'fleet.db', f'{SQL}/{file}'], cwd=DIRECTORY, stdout=subprocess.PIPE,
                          check=True, encoding='utf-8')
    return [json.loads(line) for line in done.stdout.splitlines()], time.monotonic() - start


def main():
    (_, [first]), load = ask('duckdb.sql')
    (_, [second]), _ = ask('duckdb.sql')
    rows = int(first['Count'])
    assert rows and not int(second['Count']), (first, second)
    (rollout, rising, holders), asked = ask('questions.sql')
    assert [(r['symbol'], r['kernel'], int(r['hosts'])) for r in rollout] == [('sock_alloc_inode', '6.99.1', HOSTS)], rollout
    assert [(r['symbol'], r['kernel'], int(r['boots'])) for r in rising] == [('sock_alloc_inode', '6.99.1', HOSTS)], rising
    assert abs(int(rising[0]['bytes_per_hour']) - LEAK) < 0.01 * LEAK, rising
    leaking = holders[:min(HOSTS, len(holders))]
    assert all(int(r['hostname'].split('-')[1]) % 8 == 0 and r['boot_id'].endswith('1') for r in leaking), leaking
    print(f'{rows} rows, loaded in {load:.1f} s, three questions in {asked:.1f} s, {HOSTS} hosts found')


main()
