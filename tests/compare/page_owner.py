#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare reports of a page_owner dump with figures computed here from its text.

page_owner.py PERF DUMP [PAGE_OWNER_SORT]: rows by each key and by all pairs of them, leak's bytes and
ages, rows and their order for each option of the kernel's page_owner_sort in our words; and, if that
program is given, the counts of its culls. Prints "N rows, N orders, N culls, N differ"; exit 1 when any
differs.
"""
import collections
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile

import json_schema
from page_frames import PLUMBING, SLAB, SLAB_SITE

PERF, DUMP, SORT = sys.argv[1], sys.argv[2], sys.argv[3:]
SCHEMA = json_schema.load(os.path.join(os.path.dirname(__file__), '../../Documentation/perf-kmem-report.schema.json'))
PAGE = 4096
SLAB_PAGES = (SLAB_SITE, 0, None)
AGES = [10 ** n for n in range(6, 11)] + [n * 10 ** 9 for n in (60, 600, 3600, 86400)]
HEAD = re.compile(r'Page allocated via order (\d+), mask (0x[0-9a-f]+)\(.*?\), pid (\d+), tgid (\d+) '
                  r'\((.*)\), ts (\d+) ns(?:, free_ts (\d+) ns)?')
PLACE = re.compile(r'PFN (\S+) type (\w+) Block (\d+) type (\w+) Flags \w+\((.*)\)')
FRAME = re.compile(r' (?:(\S+)\+(0x[0-9a-f]+)/(0x[0-9a-f]+)(?: \[(\S+)\])?|(0x[0-9a-f]+))$')


def site(frame):
    name, offset, _, module, address = FRAME.match(frame).groups()
    return (name, int(offset, 16), module) if name else (None, int(address, 16), None)


def frame_text(frame):
    return frame[0] if frame == SLAB_PAGES else f'{frame[0]}+{frame[1]:x}'


def parse(text):
    for block in text.split('\n\n'):
        lines = block.strip('\n').split('\n')
        if lines == ['']:
            continue
        head, place = HEAD.match(lines[0]), PLACE.match(lines[1])
        # an address that no symbol is known for is in no function, and not a frame
        frames = [f for f in map(site, (l for l in lines[2:] if l.startswith(' '))) if f[0]]
        inner = [i for i, f in enumerate(frames) if not PLUMBING.match(f[0].split('.')[0])]
        charged = [l for l in lines[2:] if l.startswith('Charged')]
        reason = [l.split('reason: ')[1] for l in lines[2:] if l.startswith('Page has been migrated')]
        memcg = re.search(r'to (offline )?memcg (.*)', charged[0]) if charged else None
        callsite = frames[inner[0]] if inner else None
        if callsite and callsite[0].split('.')[0] in SLAB:
            callsite, frames, inner = SLAB_PAGES, [SLAB_PAGES], [0]
        mask = int(head[2], 16)
        yield {
            'order': int(head[1]), 'gfp': mask, 'tid': int(head[3]), 'pid': int(head[4]), 'comm': head[5],
            'ts': int(head[6]), 'freed': int(head[7] or 0) > int(head[6]), 'page': int(place[1], 0),
            'migtype': place[2], 'block_migtype': place[4],
            'node': int(re.search(r'node=(\d+)', place[5])[1]) if 'node=' in place[5] else -1,
            'memcg': memcg[2] + (' (offline)' if memcg[1] else '') if memcg else 'none',
            'migrate_reason': reason[0] if reason else 'none',
            'accounted': bool(memcg) or bool(mask & 0x400000), 'callsite': callsite,
            'stack': tuple(frame_text(f) for f in frames[inner[0]:]) if inner else (),
            'module': 'unknown' if not callsite else callsite[2] or 'kernel',
            'size': PAGE << int(head[1]), 'text': '\n'.join(lines[2:]),
        }


PAGES = list(parse(open(DUMP).read()))
END = max(p['ts'] for p in PAGES)
for page in PAGES:
    page['age'] = next((a for a in AGES if END - page['ts'] <= a), None)
KEYS = ('callsite stack page comm pid tid node module gfp order migtype accounted size memcg block_migtype '
        'migrate_reason age').split()


def value(row, key, by):
    if key == 'callsite':
        if not row.get('symbol'):
            return None
        module = row.get('module')
        if 'module' in by and module == 'kernel':
            module = None
        return (row['symbol'], row['offset'], module)
    if key == 'stack':
        return tuple(f if f == SLAB_PAGES[0] else f.split(' ')[0] for f in row['stack'])
    names = {'gfp': 'gfp_flags', 'migtype': 'migratetype', 'block_migtype': 'block_migratetype', 'age': 'age_up_to_ns'}
    v = row.get(names.get(key, key))
    return int(v, 16) if key in ('gfp', 'page') else v


def perf(*args):
    return json.loads(subprocess.run([PERF, 'kmem', *args, '-i', DUMP, '--format=json'], check=True,
                                     stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)


counts = collections.Counter()


def differ(what, want, got):
    counts['differ'] += 1
    if counts['differ'] <= 5:
        print(f'{what}: computed {want}, perf says {got}')


def compare(tables):
    options = [o for by in tables for o in ('--by', ','.join(by))]
    for by, table in zip(tables, perf('stat', *options)['page']['tables']):
        want = collections.defaultdict(lambda: [0, 0, 0, 0])
        for p in PAGES:
            row = want[tuple(p[k] for k in by)]
            size = PAGE << p['order']
            for i, n in enumerate((1, size, not p['freed'], size * (not p['freed']))):
                row[i] += n
        got = {tuple(value(r, k, by) for k in by): [r['hits'], r['bytes'], r['live_hits'], r['live_bytes']]
               for r in table['rows']}
        counts['rows'] += len(want)
        for key in want.keys() | got.keys():
            if want.get(key) != got.get(key):
                differ(f'--by {",".join(by)}: {key}', want.get(key), got.get(key))


def compare_leak():
    rows = perf('leak', '--by', 'callsite')['leak']['page']['rows']
    want = {}
    for p in PAGES:
        if not p['freed']:
            want.setdefault(p['callsite'], []).append(p)
    said = {}  # a call site has a row for each use
    for r in rows:
        said.setdefault(value(r, 'callsite', ()), []).append(r)
    for site, parts in said.items():
        pages = want.pop(site, [])
        computed = (len(pages), sum(PAGE << p['order'] for p in pages), END - min((p['ts'] for p in pages), default=0),
                    END - max((p['ts'] for p in pages), default=0))
        got = (sum(r['hits'] for r in parts), sum(r['bytes'] for r in parts), max(r['oldest_ns'] for r in parts),
               min(r['youngest_ns'] for r in parts))
        counts['rows'] += 1
        if computed != got:
            differ(f'leak: {site}', computed, got)
    for key in want:
        differ(f'leak: {key}', 'a row', None)


# Options of page_owner_sort, and what they are called here (the manual has the same table): --by, --sort.
WORDS = {
    '-t': ('stack', 'hit'), '-m': ('stack', 'bytes'), '-s': ('stack', '-stack'), '-p': ('tid,stack', '-tid'),
    '-P': ('pid,stack', '-pid'), '-n': ('comm,stack', '-comm'), '--cull=stacktrace': ('stack', 'hit'),
    '--cull=pid,tgid,name': ('tid,pid,comm', 'hit'), '--cull=allocator': ('callsite', 'hit'),
    '--sort=-pid': ('tid,stack', 'tid'), '--sort=-tgid': ('pid,stack', 'pid'), '--sort=-name': ('comm,stack', 'comm'),
    '--sort=-stacktrace': ('stack', 'stack'), '--sort=+tgid,-pid': ('tid,pid,stack', '-pid,tid'),
    '--sort=name,-stacktrace': ('comm,stack', '-comm,stack'), '--sort=-stacktrace,+pid': ('stack,tid', 'stack,-tid'),
}
# Those that select, and what they select of the commonest values.
FILTERS = {'--pid': ('--tid', 'tid'), '--tgid': ('--pid', 'pid'), '--name': ('--comm', 'comm')}


def sort_value(row, key, by):
    if key == 'stack':  # by the names of functions, from the call site on; offsets are numbers
        return [(name, int(offset or '0', 16)) for name, _, offset in (f.partition('+') for f in value(row, key, by))]
    return row[{'hit': 'hits'}.get(key, key)] if key in ('hit', 'bytes') else value(row, key, by)


def compare_words(option, by, sort, keep=lambda p: True, more=()):
    rows = perf('stat', '--by', by, '--sort', sort, *more)['page']['tables'][0]['rows']
    want = collections.defaultdict(lambda: [0, 0])
    by = by.split(',')
    for p in filter(keep, PAGES):
        row = want[tuple(p[k] for k in by)]
        row[0] += 1
        row[1] += PAGE << p['order']
    got = {tuple(value(r, k, by) for k in by): [r['hits'], r['bytes']] for r in rows}
    counts['orders'] += 1
    counts['rows'] += len(want)
    for key in want.keys() | got.keys():
        if want.get(key) != got.get(key):
            differ(f'{option}: {key}', want.get(key), got.get(key))
    keys = [(k.lstrip('-'), k[0] != '-') for k in sort.split(',')]
    best = list(rows)
    for key, descending in reversed(keys):
        best.sort(key=lambda r, k=key: sort_value(r, k, by), reverse=descending)
    for n, pair in enumerate(zip(best, rows)):
        expected, found = ([sort_value(r, k, by) for k, _ in keys] for r in pair)
        if expected != found:
            differ(f'{option}: the place of row {n}', expected, found)


def compare_filters():
    for option, (ours, key) in FILTERS.items():
        common = [v for v, _ in collections.Counter(p[key] for p in PAGES if '[' not in str(p[key])).most_common(4)][1:]
        for values in [common[:1], common] if common else []:
            compare_words(f'{option} {values}', f'{key},stack', 'hit', lambda p, v=values: p[key] in v,
                          (ours, ','.join(map(str, values))))
    live = sum(not p['freed'] for p in PAGES)
    rows = perf('stat', '--live', '--by', 'stack')['page']['tables'][0]['rows']
    if sum(r['hits'] for r in rows) != live:
        differ('-f', live, sum(r['hits'] for r in rows))


def compare_times():
    """-a: each allocation, in the order of time; leak has kernel memory, page cache and user memory apart."""
    report = perf('leak', '--by', 'page,tid,pid,comm', '--sort', 'oldest')
    for wrong in itertools.islice(json_schema.validate(SCHEMA, report), 5):
        differ('-a: the schema', wrong, '')
    rows = report['leak']['page']['rows']
    want = {p['page']: (p['tid'], p['pid'], p['comm'], END - p['ts']) for p in PAGES if not p['freed']}
    last = {}
    counts['orders'] += 1
    for r in rows:
        got = tuple(r[k] for k in ('tid', 'pid', 'comm', 'oldest_ns'))
        if want.pop(int(r['page'], 16), None) != got:
            differ(f'-a: {r["page"]}', 'another row', got)
        if got[3] > last.setdefault(r['use'], got[3]):
            differ(f'-a: the place of {r["page"]}', last[r['use']], got[3])
        last[r['use']] = got[3]
    if want:
        differ('-a', len(want), 0)


# For page_owner_sort the lines behind a stack (slab, memory cgroup) are a part of it.
CULLS = {'stacktrace': 'text', 'pid': 'tid', 'tgid': 'pid', 'name': 'comm'}


def compare_cull(cull):
    """The times and pages of its groups, as page_owner_sort's text and as computed from ours."""
    with tempfile.NamedTemporaryFile() as out:
        subprocess.run([SORT[0], f'--cull={cull}', DUMP, out.name], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        text = open(out.name).read()
    theirs = collections.Counter((int(t), int(n)) for t, n in re.findall(r'^(\d+) times, (\d+) pages', text, re.M))
    groups = collections.defaultdict(lambda: [0, 0])
    for p in PAGES:
        g = groups[p[CULLS[cull]]]
        g[0] += 1
        g[1] += 1 << p['order']
    ours = collections.Counter(tuple(g) for g in groups.values())
    counts['culls'] += 1
    if theirs != ours:
        differ(f'--cull={cull}', dict(ours - theirs), dict(theirs - ours))


singles = [(k,) for k in KEYS]
for i in range(0, len(singles), 7):
    compare(singles[i:i + 7])
pairs = [p for p in itertools.combinations([k for k in KEYS if k != 'page'], 2)]
for i in range(0, len(pairs), 7):
    compare(pairs[i:i + 7])
compare_leak()
for words in WORDS:
    compare_words(words, *WORDS[words])
compare_filters()
compare_times()
for cull in CULLS if SORT else ():
    compare_cull(cull)
print(f'{counts["rows"]} rows, {counts["orders"]} orders, {counts["culls"]} culls, {counts["differ"]} differ')
sys.exit(counts['differ'] != 0)
