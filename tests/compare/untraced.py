#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Call sites of a cache whose frees the kernel does not trace are listed as such, not as leaks.

usage: untraced.py PERF RECORDING CACHE [OPTION...]

Also when the report is of one command only: its own events may not be enough to tell, and only those
that it holds something of are listed.
"""
import json
import subprocess
import sys

PERF, RECORDING, CACHE, *OPTIONS = sys.argv[1:]


def report(command, *options):
    text = subprocess.run([PERF, 'kmem', command, '-i', RECORDING, '--slab', '--format=json', *OPTIONS, *options],
                          stdout=subprocess.PIPE, check=True).stdout
    return json.loads(text)


def of_cache(rows):
    return [row for row in rows if row.get('cache') == CACHE]


def main():
    comms = [row['comm'] for row in report('stat', '--by=comm')['slab']['tables'][0]['rows']]
    whole = report('leak')['leak']
    named = of_cache(whole['frees_not_traced'])
    assert named, whole['frees_not_traced']
    sites = {row['callsite'] for row in named}
    for row in named:
        assert row['frees_unseen'] > row['frees_seen'], row
    live = 0
    for options in ([], *([f'--comm={comm}'] for comm in comms)):
        leak = report('leak', *options)['leak']
        mine = of_cache(leak['frees_not_traced'])
        # those of which the filter lets something through, judged by all that is known about them
        for row in mine:
            same = next(other for other in named if other['callsite'] == row['callsite'])
            for key in ('allocations', 'frees_seen', 'frees_unseen'):
                assert row[key] == same[key], (options, row, same)
        live += sum(row['live_bytes'] for row in mine) if options else 0
        assert not [r for r in of_cache(leak['slab']['rows']) if r['callsite'] in sites], (options, leak)
        assert not [r for r in of_cache(leak['slab']['rows']) if r['evidence'] == 'high'], (options, leak)
    assert live == sum(row['live_bytes'] for row in named), (live, named)
    table = report('stat', f'--cache={CACHE}', '--by=callsite')['slab']['tables'][0]['rows']
    table = {row['callsite']: row for row in table}
    for row in named:
        assert row['allocations'] == table[row['callsite']]['hits'], (row, table)
        assert row['frees_unseen'] == table[row['callsite']]['unseen_frees'], (row, table)
        assert row['live_bytes'] == table[row['callsite']]['live_bytes'], (row, table)
    print(f'{len(named)} call sites, for {len(comms)} commands')


main()
