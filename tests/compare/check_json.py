#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Hold `perf kmem stat --slab --page --caller --format=json` against truth.py's figures.

usage: check_json.py TRUTH.json OURS.json

Prints a line for each difference, then "N checks, N differ"; exit 1 when any differs.
"""
import collections
import json
import sys

MIGRATETYPES = ['Unmovable', 'Movable', 'Reclaimable', 'HighAtomic']


class Checker:
    def __init__(self):
        self.checks = self.differ = 0

    def same(self, what, truth, ours):
        self.checks += 1
        if truth == ours:
            return
        self.differ += 1
        if self.differ <= 20:
            print(f'{what}: truth {truth}, ours {ours}')

    def same_keys(self, what, truth, ours):
        for name in sorted(truth.keys() | ours.keys(), key=str):
            self.same(f'{what} {name}', truth.get(name), ours.get(name))


def site_of(row):
    """Our row's call site, as `perf script` writes it."""
    if row['symbol']:
        return f"{row['symbol']}+{row['offset']:#x}"
    return 'unknown' if row['callsite'] == '0x0' else row['callsite']


def sum_rows(rows, key_of, names):
    """Rows by key; functions of one name are told apart by nobody, so they are added up."""
    result = collections.defaultdict(lambda: dict.fromkeys(names, 0))
    for row in rows:
        for name in names:
            result[key_of(row)][name] += row[name]
    return dict(result)


def table_rows(part):
    return next(t['rows'] for t in part['tables'] if 'callsite' in t['by'])


def check_slab(check, truth, ours):
    for name, value in truth['summary'].items():
        check.same(f'slab {name}', value, ours['summary'].get(name))
    names = 'hits bytes_req bytes_alloc pingpong live_hits live_bytes'.split()
    check.same_keys('slab', truth['rows'], sum_rows(table_rows(ours), site_of, names))


def migratetype(number):
    return MIGRATETYPES[number] if number < len(MIGRATETYPES) else None


def check_page(check, truth, ours):
    for name, value in truth['summary'].items():
        check.same(f'page {name}', value, ours['summary'].get(name))
    # CMA and Isolate have no fixed number: they are counted, not named
    orders = {(int(o), migratetype(int(m))): n for o, m, n in
              ((*key.split(':'), n) for key, n in truth['orders'].items())}
    check.same_keys('page order', orders,
                    {(o['order'], m if m in MIGRATETYPES else None): n
                     for o in ours['orders'] for m, n in o['migratetypes'].items()})
    names = 'hits bytes live_hits live_bytes'.split()
    check.same_keys('page',
                    sum_rows(truth['rows'], lambda r: (r['site'], r['order'], migratetype(r['migratetype']),
                                                       r['gfp']), names),
                    sum_rows(table_rows(ours),
                             lambda r: (site_of(r), r['order'],
                                        r['migratetype'] if r['migratetype'] in MIGRATETYPES else None,
                                        '|'.join(sorted(r['gfp']))), names))


def main():
    truth, ours = (json.load(open(path)) for path in sys.argv[1:3])
    check = Checker()
    events = {e['name'].split(':')[1]: e for e in ours['recording']['events']}
    for name, n in truth['events'].items():
        check.same(f'samples of {name}', n, events.get(name, {}).get('samples'))
    for name, n in truth['lost'].items():
        check.same(f'lost {name}', n, events.get(name, {}).get('lost'))
    if 'slab' in truth:
        check_slab(check, truth['slab'], ours['slab'])
    if 'page' in truth:
        check_page(check, truth['page'], ours['page'])
    print(f'{check.checks} checks, {check.differ} differ')
    sys.exit(1 if check.differ or not check.checks else 0)


main()
