#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Properties of --by and of the filters: nothing is counted twice, nothing is left out.

usage: keys.py PERF RECORDING [OPTION...]

sums     grouped by any key, and any two keys, the rows add up to the summary: hits, bytes,
         and what is live; by any key also in a time window
filters  what a filter lets through for a value of its key is that value's row, and over
         all values it is the whole

Prints "N sums, N filters, N differ"; exit 1
when any differs.
"""
import itertools
import json
import subprocess
import sys

KEYS = {
    'slab': 'callsite stack ptr cache comm pid tid cpu node module gfp accounted size'.split(),
    'page': 'callsite stack page comm pid tid cpu node module gfp order migtype accounted size'.split(),
}
FILTERS = {
    'slab': 'comm pid tid cpu node cache module'.split(),
    'page': 'comm pid tid cpu node module order'.split(),
}
TABLES = 7  # that one run takes
VALUES = 6  # of a key that are filtered for, unless all are few
FEW = 12
PERF, RECORDING, OPTIONS = sys.argv[1], sys.argv[2], sys.argv[3:]

# summary of an allocator -> hits, bytes as its rows have them
TOTALS = {
    'slab': lambda s: (s['allocations'], s['bytes_allocated'], s['live'], s['bytes_live']),
    'page': lambda s: (s['alloc_requests'] - s['failures'], s['alloc_bytes'] - s['failed_bytes'],
                       s['live'], s['live_bytes']),
}
BYTES = {'slab': 'bytes_alloc', 'page': 'bytes'}


class Checker:
    def __init__(self):
        self.sums = self.filters = self.differ = 0

    def same(self, what, want, got):
        if want != got:
            self.differ += 1
            if self.differ <= 10:
                print(f'{what}: {got}, not {want}')


def report(allocator, *options):
    command = [PERF, 'kmem', 'stat', '-i', RECORDING, f'--{allocator}', '--format=json', *OPTIONS, *options]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if f'holds no {allocator} events' in done.stderr.decode(errors='replace'):
        return None
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr.decode(errors='replace')}")
    return json.loads(done.stdout)


def stat(allocator, *options):
    return report(allocator, *options)[allocator]


def add(rows, *names):
    return tuple(sum(row[name] for row in rows) for name in names)


def check_sums(check, allocator, lists, *options):
    for i in range(0, len(lists), TABLES):
        part = lists[i:i + TABLES]
        result = stat(allocator, *options, *(f"--by={','.join(keys)}" for keys in part))
        hits, total, live, live_bytes = TOTALS[allocator](result['summary'])
        for keys, table in zip(part, result['tables']):
            what = f"{allocator} --by {','.join(keys)} {' '.join(options)}"
            assert table['by'] == list(keys), what
            rows = table['rows']
            check.same(f'{what}: rows_total', len(rows), table['rows_total'])
            # without --live a row has something allocated or freed in the window
            if '--live' in options or not options:
                check.same(f'{what}: live', (live, live_bytes), add(rows, 'live_hits', 'live_bytes'))
            if '--live' not in options:
                check.same(f'{what}: hits, bytes', (hits, total), add(rows, 'hits', BYTES[allocator]))
            check.sums += 1


def check_filter(check, allocator, key):
    whole = stat(allocator, f'--by={key}')
    rows = sorted(whole['tables'][0]['rows'], key=lambda row: (-row['hits'], str(row[key])))
    few = len(rows) <= FEW
    seen = [0, 0, 0, 0]
    for row in rows if few else rows[:VALUES]:
        value = str(row[key])
        if '\ufffd' in value:  # not UTF-8: JSON cannot say what it is
            few = False
            continue
        got = TOTALS[allocator](stat(allocator, f'--{key}={value}')['summary'])
        want = (row['hits'], row[BYTES[allocator]], row['live_hits'], row['live_bytes'])
        check.same(f'{allocator} --{key}={value}', want, got)
        seen = [a + b for a, b in zip(seen, got)]
        check.filters += 1
    if few:
        check.same(f'{allocator} all of --{key}', TOTALS[allocator](whole['summary']), tuple(seen))


def main():
    check = Checker()
    for allocator, keys in KEYS.items():
        whole = report(allocator)
        if not whole:
            continue
        first, last = whole['recording']['first_ns'], whole['recording']['last_ns']
        middle = f'--time={(3 * first + last) // 4 / 1e9:.9f},{(first + 3 * last) // 4 / 1e9:.9f}'
        pairs = list(itertools.combinations(keys, 2))
        check_sums(check, allocator, [(key,) for key in keys] + pairs)
        for options in (['--live'], [middle], [middle, '--live']):
            check_sums(check, allocator, [(key,) for key in keys], *options)
        for key in FILTERS[allocator]:
            check_filter(check, allocator, key)
    print(f'{check.sums} sums, {check.filters} filters, {check.differ} differ')
    sys.exit(1 if check.differ else 0)  # a recording of the allocator's inside has no sums


main()
