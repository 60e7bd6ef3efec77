#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare stat --pageblocks of a page_owner dump with figures computed from its text.

pageblocks.py PERF DUMP: every figure of its JSON, for the dump and for dumps made of it in which types of
pages and of pageblocks, orders, zones and commands are others, and pages are missing. Prints
"N figures of N dumps, N differ"; exit 1 when any differs.
"""
import collections
import functools
import os
import random
import re
import subprocess
import sys
import tempfile

import json_schema
from page_frames import PLUMBING, SLAB, SLAB_SITE

PERF, DUMP = sys.argv[1:]
SCHEMA = json_schema.load(os.path.join(os.path.dirname(__file__), '../../Documentation/perf-kmem-report.schema.json'))
SLAB_PAGES = (SLAB_SITE, 0)
ROW = re.compile(r'Page allocated via order (\d+), mask (.*), pid (\d+), tgid (\d+) \((.*)\), ts (\d+ ns.*)\n'
                 r'PFN (\S+) type (\w+) Block (\d+) type (\w+) Flags (\w+)\((.*)node=(\d+)\|zone=(\d+)(.*)\)\n')
MOBILITY = {'Movable': 2, 'CMA': 2, 'Reclaimable': 1}
HOME = {'CMA': 'Movable'}
Page = collections.namedtuple('Page', 'row type pid comm site')


@functools.lru_cache(maxsize=None)
def callsite(stack):
    frames = [f.split('/')[0].rsplit('+', 1) for f in re.findall(r'^ (\S+\+0x\S+)', stack, re.M)]
    for name, offset in frames:
        if name.split('.')[0] in SLAB:
            return SLAB_PAGES
        if not PLUMBING.match(name.split('.')[0]):
            return (name, int(offset, 16))
    return (None, 0)


def parse(text):
    """The order of the pageblocks, their types and zones, and who has each page."""
    rows = []
    for block in text.split('\n\n'):
        m = ROW.match(block.lstrip('\n'))
        if m:
            rows.append((int(m[7], 0), int(m[1]), m[8], int(m[9]), m[10], (int(m[13]), int(m[14])), int(m[4]), m[5],
                         callsite(m.string[m.end():])))
    orders = {o for pfn, _, _, number, *_ in rows for o in range(1, 16) if number and pfn >> o == number}
    assert len(orders) == 1
    order, blocks, pages = orders.pop(), {}, {}
    for i, (pfn, size, kind, number, block, zone, pid, comm, site) in enumerate(rows):
        blocks.setdefault(number, (block, zone))
        for page in range(pfn, pfn + (1 << size)):
            pages[page] = Page(i, kind, pid, comm, site)
            blocks.setdefault(page >> order, ('unknown', zone))
    return order, blocks, pages


def pollutes(kind, block):
    return MOBILITY.get(kind, 0) < MOBILITY.get(block, 0)


def holders(order, blocks, pages, key):
    rows = collections.defaultdict(lambda: [set(), 0, set(), 0])
    inside = collections.defaultdict(set)
    for number, page in pages.items():
        block = blocks[number >> order][0]
        if pollutes(page.type, block):
            inside[number >> order].add(key(page) + (page.type, block))
    for number, page in pages.items():
        block = blocks[number >> order][0]
        if pollutes(page.type, block):
            r = rows[key(page) + (page.type, block)]
            r[0].add(number >> order)
            r[2].add(page.row)
            r[3] += 1
    for k, r in rows.items():
        r[1] = sum(inside[b] == {k} for b in r[0])
    return {k: (len(r[0]), r[1], len(r[2]), r[3]) for k, r in rows.items()}


def runs(order, blocks, pages):
    """Free runs by zone and order: now, and the maximum after all movable pages were moved."""
    result = {}
    for zone in {z for _, z in blocks.values()}:
        mine = [b for b, (_, z) in blocks.items() if z == zone]
        kinds = [pages[p].type if p in pages else None for b in mine for p in range(b << order, (b + 1) << order)]
        # pages that can and that cannot be moved, in each run of this order
        held = [(kind == 'Movable', kind not in (None, 'Movable')) for kind in kinds]
        movable = sum(moved for moved, _ in held)
        for o in range(1, order + 1):
            held = [(a[0] + b[0], a[1] + b[1]) for a, b in zip(held[::2], held[1::2])]
            free = held.count((0, 0))
            clean = sum(not fixed for _, fixed in held)
            room = sum((1 << o) - fixed for _, fixed in held if fixed)
            rest = max(movable - room, 0)
            possible = clean - -(-rest // (1 << o))
            result[zone + (o,)] = (free, possible, possible - free, (possible - free) * 4096 << o)
    return result


def types(order, blocks, pages):
    rows = collections.defaultdict(collections.Counter)
    for number, (block, _) in blocks.items():
        mine = [pages[p].type for p in range(number << order, (number + 1) << order) if p in pages]
        polluting = sum(pollutes(k, block) for k in mine)
        rows[block].update({
            'blocks': 1, 'mixed': block != 'unknown' and any(k != HOME.get(block, block) for k in mine),
            'polluted': polluting > 0, 'movable_pages': mine.count('Movable'),
            'reclaimable_pages': mine.count('Reclaimable'), 'unmovable_pages': mine.count('Unmovable'),
            'other_pages': 0, 'polluting_pages': polluting, 'pages_not_listed': (1 << order) - len(mine)})
    return rows


counts = collections.Counter()


def check(what, want, got):
    counts['figures'] += 1
    if want != got:
        counts['differ'] += 1
        if counts['differ'] <= 5:
            print(f'{what}: computed {want}, perf says {got}')


def check_rows(what, want, got):
    for key in want.keys() | got.keys():
        check(f'{what} {key}', want.get(key), got.get(key))


def compare(text):
    counts['dumps'] += 1
    order, blocks, pages = parse(text)
    with tempfile.NamedTemporaryFile('w') as f:
        f.write(text)
        f.flush()
        said = json_schema.parse(subprocess.run([PERF, 'kmem', 'stat', '--pageblocks', '-i', f.name, '--format=json'],
                                                check=True, stdout=subprocess.PIPE).stdout)
    check('schema', [], list(json_schema.validate(SCHEMA, said)))
    said = said['pageblocks']
    kinds, wins = types(order, blocks, pages), runs(order, blocks, pages)
    total = sum(kinds.values(), collections.Counter())
    whole = [v for k, v in wins.items() if k[2] == order]
    check_rows('summary', {
        'pageblock_order': order, 'pageblock_bytes': 4096 << order, 'blocks': len(blocks), 'mixed': total['mixed'],
        'polluted': total['polluted'], 'pages': len(pages), 'polluting_pages': total['polluting_pages'],
        'won': sum(v[2] for v in whole), 'rows_again': 0, 'rows_unclear': 0,
    }, said['summary'])
    for row in said['types']:
        name = row.pop('block_migratetype')
        check_rows(name, dict(kinds.pop(name)), row)
    check('types left', {}, dict(kinds))

    def figures(row):
        return tuple(row[k] for k in ('blocks', 'blocks_alone', 'allocations', 'pages'))

    for table, key, ids in (('callsites', lambda p: p.site, ('symbol', 'offset')),
                            ('processes', lambda p: (p.pid, p.comm), ('pid', 'comm')),
                            ('holders', lambda p: p.site + (p.comm,), ('symbol', 'offset', 'comm'))):
        got = {tuple(r[k] for k in ids + ('migratetype', 'block_migratetype')): figures(r) for r in said[table]}
        check(f'{table}_total', said[f'{table}_total'], len(got))
        check_rows(table, holders(order, blocks, pages, key), got)
    check_rows('orders', wins, {(r['node'], r['zone'], r['order']):
                                (r['free'], r['possible'], r['won'], r['won_bytes']) for r in said['orders']})


def another(text, rng):
    """A dump with the same pages but other types, orders, zones and commands; some are missing."""
    kinds = ('Unmovable', 'Movable', 'Movable', 'Movable', 'Reclaimable', 'CMA', 'HighAtomic', 'Isolate')
    order, *_ = parse(text)
    shift = rng.randrange(-3, 3)  # another order of the pageblocks
    # owners with few pages have a pageblock alone, owners with many share many pageblocks
    blocks, often, end, out = {}, rng.random() / 4, 0, []
    for block in text.split('\n\n'):
        m = ROW.match(block)
        if not m or rng.random() < 0.3:
            continue
        pfn = int(m[7], 0)
        number = pfn >> (order + shift)
        kind, zone = blocks.setdefault(number, (rng.choice(kinds), rng.randrange(3)))
        size = rng.choice((0, 0, 0, 1, 2, 5, 12))
        if pfn & ((1 << size) - 1):
            size = int(m[1])
        if pfn < end or pfn & ((1 << size) - 1):
            continue
        end = pfn + (1 << size)
        page = rng.choice(kinds[:5]) if rng.random() < often else HOME.get(kind, kind)
        page = page if page in MOBILITY or page == 'Unmovable' else 'Movable'
        comm = rng.choice(('swapper', 'a b)', m[5]))
        out.append(f'Page allocated via order {size}, mask {m[2]}, pid {m[3]}, tgid {rng.randrange(3)} ({comm}), '
                   f'ts {m[6]}\nPFN {m[7]} type {page} Block {number} type {kind} Flags {m[11]}({m[12]}'
                   f'node={m[13]}|zone={zone}{m[15]})\n{block[m.end():]}')
    return '\n\n'.join(out) + '\n\n'


def tables(text):
    """The figures that diff compares, by name; the last figure of each is the table's main one."""
    order, blocks, pages = parse(text)
    kinds, wins = types(order, blocks, pages), runs(order, blocks, pages)
    total = sum(kinds.values(), collections.Counter())
    said = {'totals': {
        'pages in use': (len(pages),), 'pageblocks with a page in use': (len(blocks),), 'mixed pageblocks': (total['mixed'],),
        'polluted pageblocks': (total['polluted'],), 'polluted movable pageblocks': (kinds['Movable']['polluted'],),
        'polluting pages': (total['polluting_pages'],),
        'pageblocks that compaction could free': (sum(v[1] for k, v in wins.items() if k[2] == order),)}}
    said['types'] = {name: tuple(v[k] for k in TYPE_FIGURES) for name, v in kinds.items()}
    for table, key, name in (('callsites', lambda p: p.site, '{}+{:x}: {} in {}'),
                             ('processes', lambda p: (p.comm, p.pid), '{}-{}: {} in {}')):
        said[table] = {name.format(*k).replace(SLAB_PAGES[0] + '+0', SLAB_PAGES[0]): (v[3], v[0], v[1]) for k, v in holders(order, blocks, pages, key).items()}
    said['orders'] = {'node {}, zone {}, order {}'.format(*k): (v[1], v[0]) for k, v in wins.items()}
    return said


TYPE_FIGURES = ('blocks', 'mixed', 'polluted', 'movable_pages', 'reclaimable_pages', 'unmovable_pages', 'other_pages')
# Tables of which no figure is the main one: all are shown as their change.
MATRICES = {'types': TYPE_FIGURES, 'orders': ('possible', 'free')}


def compare_diff(old, new):
    with tempfile.NamedTemporaryFile('w') as a, tempfile.NamedTemporaryFile('w') as b:
        for f, text in ((a, old), (b, new)):
            f.write(text)
            f.flush()
        said = json_schema.parse(subprocess.run([PERF, 'kmem', 'diff', '--pageblocks', a.name, b.name, '--format=json'],
                                                check=True, stdout=subprocess.PIPE).stdout)
    check('schema of diff', [], list(json_schema.validate(SCHEMA, said)))
    old, new, said = tables(old), tables(new), said['diff']['pageblocks']
    for table, now in new.items():
        ids, want = MATRICES.get(table), {}
        for name in old[table].keys() | now.keys():
            none = (0,) * len((now.get(name) or old[table].get(name)))
            was, is_ = old[table].get(name, none), now.get(name, none)
            change = tuple(y - x for x, y in zip(was, is_))
            if any(change) if ids else change[0]:
                want[name] = change if ids else (was[0], is_[0], *change)
        check_rows(f'diff {table}', want, {r['name']: tuple(v for k, v in r.items() if k != 'name') for r in said[table]})


with open(DUMP) as dump:
    original = dump.read()
compare(original)
before = original
for seed in range(12):
    now = another(original, random.Random(seed))
    compare(now)
    compare_diff(before, now)
    before = now
print(f'{counts["figures"]} figures of {counts["dumps"]} dumps, {counts["differ"]} differ')
sys.exit(counts['differ'] != 0)
