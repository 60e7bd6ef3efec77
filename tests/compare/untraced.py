#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A cache whose frees the kernel does not trace is named as such, and is no leak.

usage: untraced.py PERF RECORDING CACHE [OPTION...]

Also when the report is of one command only: its own events may not be enough to tell.
"""
import json
import subprocess
import sys

PERF, RECORDING, CACHE, *OPTIONS = sys.argv[1:]


def report(command, *options):
    text = subprocess.run([PERF, 'kmem', command, '-i', RECORDING, '--slab', '--format=json', *OPTIONS, *options],
                          stdout=subprocess.PIPE, check=True).stdout
    return json.loads(text)


def main():
    comms = [row['comm'] for row in report('stat', '--by=comm')['slab']['tables'][0]['rows']]
    whole = report('leak')['leak']
    for options in ([], *([f'--comm={comm}'] for comm in comms)):
        leak = report('leak', *options)['leak']
        named = [c for c in leak['frees_not_traced'] if c['cache'] == CACHE]
        assert named and named == [c for c in whole['frees_not_traced'] if c['cache'] == CACHE], (options, leak)
        assert not [row for row in leak['slab']['rows'] if row['cache'] == CACHE], (options, leak)
        assert named[0]['frees_unseen'] > named[0]['frees_seen'], named
    table = report('stat', f'--cache={CACHE}', '--by=cache')['slab']['tables'][0]['rows']
    assert named[0]['allocations'] == table[0]['hits'], table
    assert named[0]['frees_unseen'] == table[0]['unseen_frees'], table
    print(f'{named[0]}, for {len(comms)} commands')


main()
