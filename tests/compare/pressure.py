# SPDX-License-Identifier: GPL-2.0-or-later
"""--pressure, computed anew from the text of `perf script --ns`: a second version of Documentation/figures.md.

usage: pressure.py TEXT REPORT.json

Call sites are compared if the text has the names of functions. Prints the number of figures compared.
"""
import collections
import json
import re
import sys

EVENT = re.compile(r'^\s*(\S.*?)\s+(\d+)\s+\[\d+\]\s+(\d+)\.(\d{9}):\s+(\w+:\w+):\s?(.*)')
FRAME = re.compile(r'^\s+([0-9a-f]+) (\S+)\+0x[0-9a-f]+ \(')
KINDS = {'direct_reclaim': 'direct reclaim', 'memcg_reclaim': 'reclaim in a memory cgroup',
         'node_reclaim': 'reclaim in a node', 'compaction': 'compaction of a zone'}
# Functions between the event and the request: whole names, without a suffix that the compiler added.
WAITING = re.compile(r"""_{0,3}(
    (alloc|get_free|get_zeroed)(_frozen)?_pages?(_.*)? | folio_alloc(_.*)? | vma_alloc_folio(_.*)?
    | (do_)?try_to_free_(pages|mem_cgroup_pages) | perform_reclaim | node_reclaim | reclaim_high
    | get_page_from_freelist | compact_zone(_order)? | try_to_compact_pages
    | try_charge(_memcg)? | charge_memcg | mem_cgroup_charge | obj_cgroup_charge(_.*)? | memcg_slab_post_alloc_hook
    | (mem_cgroup_)?out_of_memory | oom_kill_process | mark_oom_victim
    | new_slab | allocate_slab | slab_alloc(_node)? | kmem_cache_alloc(_.*)?
    | (do_)?kmalloc(_node)?(_track_caller)?(_noprof)? )$""", re.X)
COMPACT_TRY_NS = 10**9

Event = collections.namedtuple('Event', 'comm tid time name fields frames')


def events(path):
    event = None
    for line in open(path, errors='surrogateescape'):
        match = EVENT.match(line)
        if match:
            comm, tid, seconds, fraction, name, text = match.groups()
            event = Event(comm, int(tid), int(seconds + fraction), name,
                          dict(re.findall(r'([\w-]+)[=:](\S+)', text)), [])
            yield event
        elif event and FRAME.match(line):
            event.frames.append(FRAME.match(line)[2])


def call_site(event):
    """The function that wanted memory; None without names."""
    return next((name for name in event.frames if not WAITING.match(name.split('.')[0])), None)


class Waits:
    """The stalls of a row."""

    def __init__(self):
        self.ns, self.orders, self.nested = [], set(), 0

    def add(self, ns, order):
        self.ns.append(ns)
        self.orders.add(order)

    def figures(self):
        return {'stalls': len(self.ns), 'wait_ns': sum(self.ns), 'max_ns': max(self.ns), 'orders': sorted(self.orders)}

    def quantile(self, percent):
        return sorted(self.ns)[max(0, -(-len(self.ns) * percent // 100) - 1)]


class Pressure:
    def __init__(self, path):
        # the text is read twice: a call site is only known when its event's last line has been read
        everything = list(events(path))
        self.by = {name: collections.defaultdict(Waits) for name in ('kinds', 'commands', 'callers', 'orders')}
        self.summary = collections.Counter()
        self.failed, self.killed = collections.Counter(), []
        self.open, self.tries = collections.defaultdict(list), {}
        for event in everything:
            self.take(event)
        self.summary['stalls_open'] = sum(not stall[4] for stalls in self.open.values() for stall in stalls)

    def take(self, event):
        system, name = event.name.split(':')
        match = re.match(r'mm_(?:vmscan_)?(direct_reclaim|memcg_reclaim|node_reclaim|compaction)_(begin|end)$', name)
        if match and match[2] == 'begin':
            self.begin(event, match[1])
        elif match:
            self.end(event, match[1])
        elif name == 'mm_compaction_try_to_compact_pages':
            self.summary['compaction_tries'] += 1
            self.tries[event.tid] = [event, event.time, False]
        elif name == 'mark_victim':
            self.summary['oom_kills'] += 1
            self.killed.append((event.time, int(event.fields['pid'])))
        elif name == 'mm_page_alloc' and int(event.fields['pfn'], 16) == 0:
            self.summary['failures'] += 1
            self.failed[event.comm, int(event.fields['order'])] += 1

    def begin(self, event, kind):
        wants, background = event, False
        if kind == 'compaction':
            tried = self.tries.get(event.tid)
            background = not tried or event.time - tried[1] > COMPACT_TRY_NS
            if not background:
                self.summary['compaction_tries_run'] += not tried[2]
                tried[2], wants = True, tried[0]
        else:
            self.tries.pop(event.tid, None)
        self.open[event.tid].append((kind, event.time, event.comm, wants, background))

    def end(self, event, kind):
        stalls = self.open[event.tid]
        if kind not in (stall[0] for stall in stalls):
            self.summary['stalls_begun_before'] += 1
            return
        while stalls[-1][0] != kind:
            stalls.pop()
            self.summary['stalls_end_lost'] += 1
        _, begun, comm, wants, background = stalls.pop()
        ns = event.time - begun
        if kind == 'compaction' and event.tid in self.tries:
            self.tries[event.tid][1] = event.time
        if background:
            self.summary['background_compactions'] += 1
            self.summary['background_compaction_ns'] += ns
            return
        order = int(wants.fields['order'])
        self.by['kinds'][KINDS[kind]].add(ns, order)
        if any(not stall[4] for stall in stalls):
            self.by['kinds'][KINDS[kind]].nested += 1
            return
        self.summary['stalls'] += 1
        self.summary['wait_ns'] += ns
        for name, key in ('commands', comm), ('callers', call_site(wants)), ('orders', order):
            self.by[name][key].add(ns, order)


KEYS = {'kinds': 'kind', 'commands': 'comm', 'callers': 'symbol', 'orders': 'order'}


def merged(rows, key):
    """Rows by function: one has several call sites. Only what adds up."""
    sums = collections.defaultdict(lambda: {'stalls': 0, 'wait_ns': 0})
    for row in rows:
        for name in 'stalls', 'wait_ns':
            sums[row[key]][name] += row[name]
    return sums


def main():
    want, ours = Pressure(sys.argv[1]), json.load(open(sys.argv[2]))['pressure']
    compared, wrong = 0, []

    def same(what, expected, got):
        nonlocal compared
        compared += 1
        if expected != got:
            wrong.append(f'{what}: {got}, computed {expected}')

    for name in ('stalls', 'wait_ns', 'failures', 'oom_kills', 'compaction_tries', 'compaction_tries_run',
                 'background_compactions', 'background_compaction_ns', 'stalls_open', 'stalls_begun_before',
                 'stalls_end_lost'):
        same(name, want.summary[name], ours['summary'][name])
    same('commands', len(want.by['commands']), ours['summary']['commands_waiting'])
    for table, key in KEYS.items():
        rows = want.by[table]
        if None in rows:
            continue  # no names
        if table == 'callers':
            same(table, {name: {what: waits.figures()[what] for what in ('stalls', 'wait_ns')}
                         for name, waits in rows.items()}, dict(merged(ours[table], key)))
            continue
        same(f'{table}: rows', sorted(map(str, rows)), sorted(str(row[key]) for row in ours[table]))
        for row in ours[table]:
            waits = rows[row[key]]
            for name, figure in waits.figures().items():
                if name in row:
                    same(f'{table} {row[key]} {name}', figure, row[name])
            for percent in 50, 99:
                exact, got = waits.quantile(percent), row[f'p{percent}_ns']
                same(f'{table} {row[key]} p{percent} {got} of {exact}', True, abs(got - exact) <= exact * 0.0625 + 1)
            if table == 'kinds':
                same(f'{row[key]} nested', waits.nested, row['nested'])
    failed = collections.Counter()
    for row in ours['failed']:
        if row['order'] is not None:
            failed[row['comm'], row['order']] += row['failures']
    same('failed', want.failed, failed)
    same('killed', want.killed, [(row['time_ns'], row['pid']) for row in ours['killed']])
    print(f'{compared} figures')
    sys.exit('\n'.join(wrong) or (None if want.summary['stalls'] else 'no stalls'))


main()
