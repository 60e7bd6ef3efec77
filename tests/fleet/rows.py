#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The questions of fleet/ENGINE-questions.sql, asked about a fleet with one planted leak, name it and nothing else.

usage: rows.py ENGINE DIRECTORY SQL HOSTS

DIRECTORY has the rows of make_rows.py in rows/, and ENGINE.mjs with its modules.  SQL is the folder of the SQL.
HOSTS is the number of hosts with the leak.  The files are loaded twice: nothing is counted twice.
"""
import json
import resource
import subprocess
import sys

ENGINE, DIRECTORY, SQL, HOSTS = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
LEAK = 100_000


def ask(file):
    """The rows of each statement, and the CPU seconds."""
    start = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(['node', f'{ENGINE}.mjs', f'{ENGINE}.db', f'{SQL}/{file}'], cwd=DIRECTORY, stdout=subprocess.PIPE,
                          check=True, encoding='utf-8')
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime
    return [json.loads(line) for line in done.stdout.splitlines()], seconds


def main():
    (*_, [first]), load = ask(f'{ENGINE}.sql')
    (*_, [second]), _ = ask(f'{ENGINE}.sql')
    rows = int(first['Count'])
    assert rows and second == first, (first, second)
    (rollout, rising, holders), asked = ask(f'{ENGINE}-questions.sql')
    assert [(r['symbol'], r['kernel'], int(r['hosts'])) for r in rollout] == [('sock_alloc_inode', '6.99.1', HOSTS)], rollout
    assert [(r['symbol'], r['kernel'], int(r['boots'])) for r in rising] == [('sock_alloc_inode', '6.99.1', HOSTS)], rising
    assert abs(int(rising[0]['bytes_per_hour']) - LEAK) < 0.01 * LEAK, rising
    leaking = holders[:min(HOSTS, len(holders))]
    assert all(int(r['hostname'].split('-')[1]) % 8 == 0 and r['boot_id'].endswith('1') for r in leaking), leaking
    print(f'{ENGINE}: {rows} rows loaded with {load:.1f} s of CPU time, three questions {asked:.1f} s, {HOSTS} hosts found')


main()
