#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Hold `perf kmem stat --percpu --extfrag --format=json` against the text of stock's `perf script`.

usage: check_inside.py SCRIPT.txt OURS.json

SCRIPT.txt is what `perf script --ns` printed of the same recording.  Prints a line for each
difference, then "N checks, N differ"; exit 1 when any differs.
"""
import collections
import glob
import json
import os
import re
import sys

import kmem_events

MIGRATETYPES = ['Unmovable', 'Movable', 'Reclaimable', 'HighAtomic']
SPANS = 10
KNOWN = kmem_events.SLAB_ALLOCS | kmem_events.SLAB_FREES | {
    'mm_page_alloc', 'mm_page_free', 'mm_page_free_batched', 'mm_page_alloc_zone_locked',
    'mm_page_pcpu_drain', 'mm_page_alloc_extfrag'}
# What stands between a caller and the event: the tracepoint, allocating, freeing, batching.
LOOKED_THROUGH = re.compile(r"""_{0,3}(
    traceiter_|perf_trace_|trace_event_raw_event_|perf_tp_event
    |(alloc|get_free|get_zeroed)(_frozen)?_pages?|folio_alloc|vma_alloc_folio
    |rmqueue|get_page_from_freelist|try_to_steal|try_to_claim|steal_suitable
    |free_(unref_|frozen_|hot_cold_|compound_|transhuge_|contig_|swap_|pages?_and_swap_)?
        (pages?|folios?|range|cache)(_|$)
    |put_pages?|put_single_page|put_compound_page|folios?_put|release_pages
    |pagevec_release|folio_batch_release|destroy_large_|destroy_compound_
    |tlb_batch_|tlb_flush_mmu|tlb_finish_mmu|tlb_remove_page)""", re.X)


class Checker:
    def __init__(self):
        self.checks = self.differ = 0

    def same(self, what, truth, ours):
        self.checks += 1
        if truth != ours:
            self.differ += 1
            if self.differ <= 20:
                print(f'{what}: truth {truth}, ours {ours}')

    def near(self, what, truth, ours):
        """Numbers that were rounded to three decimals; floating point adds a little."""
        close = (truth is not None and ours is not None and
                 abs(truth - ours) <= 0.0005 + abs(truth) * 1e-12)
        self.same(what, truth, truth if close else ours)


def caller_of(event):
    for frame in event.frames:
        if not LOOKED_THROUGH.match(frame.split('+')[0].split('.')[0]):
            return frame
    return 'unknown'


def site_of(row):
    if row['symbol']:
        return f"{row['symbol']}+{row['offset']:#x}"
    return 'unknown' if row['callsite'] == '0x0' else row['callsite']


def runs(events):
    """Takings of zone->lock on each CPU: runs of refills, or of drains, with nothing between."""
    def what_it_does(event):
        if event.name == 'mm_page_pcpu_drain':
            return 'drain'
        if event.name == 'mm_page_alloc_zone_locked':
            return 'refill' if event.number('percpu_refill') else 'direct'
        return None

    between = {'mm_page_alloc', 'mm_page_free', 'mm_page_free_batched'}
    sequence = collections.defaultdict(list)
    for event in events:
        if what_it_does(event) or event.name in between:
            sequence[event.cpu].append((what_it_does(event), event))
    for cpu, steps in sequence.items():
        counts = collections.Counter()
        for i, (doing, event) in enumerate(steps):
            if not doing:
                continue
            pages = 2 ** event.number('order')
            if doing == 'direct':
                counts['direct_allocations'] += 1
                counts['direct_pages'] += pages
                continue
            counts[doing + 's'] += 1
            counts[doing + '_pages'] += pages
            if i == 0 or steps[i - 1][0] != doing:
                counts[doing + '_lock_takings'] += 1
                counts['lock_takings'] += 1
        yield cpu, counts


def seconds_of(recording):
    """What rates are over: as long as was recorded, and that has every event in it."""
    return max(recording['stop_ns'] - recording['start_ns'], 1) / 1e9


def check_ends(check, events, summary):
    """The first and the last event that the reports know: rss_stat is recorded, and none of them.

    Rates were once over the time between these: short of the text's by the 100 us that an rss_stat
    came earlier or later.  Now they are over what was recorded.
    """
    known = [e.ns for e in events if e.name in KNOWN]
    check.same('first event', known[0], summary['first_ns'])
    check.same('last event', known[-1], summary['last_ns'])


def check_span(check, events, recording):
    check.same('recorded before the first event', True, recording['start_ns'] <= events[0].ns)
    check.same('recorded behind the last event', True, recording['stop_ns'] >= events[-1].ns)


def check_percpu(check, events, ours, seconds):
    names = [f'{a}{b}' for a in ('refill', 'drain') for b in ('s', '_pages', '_lock_takings')]
    names += ['lock_takings', 'direct_allocations', 'direct_pages']
    total = collections.Counter()
    cpus = dict(runs(events))
    for counts in cpus.values():
        total.update(counts)
    rows = {row['cpu']: row for row in ours['cpus']}
    check.same('percpu CPUs', sorted(cpus), sorted(rows))
    for cpu, counts in sorted(cpus.items()):
        row = rows.get(cpu, {})
        for name in names:
            check.same(f'percpu CPU {cpu} {name}', counts[name], row.get(name))
        check.same(f'percpu CPU {cpu} balance', counts['refill_pages'] - counts['drain_pages'],
                   row.get('refilled_minus_drained_pages'))
        for what in 'refill', 'drain':
            check.near(f'percpu CPU {cpu} {what} batch',
                       counts[what + '_pages'] / max(1, counts[what + '_lock_takings']),
                       row.get(what + '_batch_pages'))
            check.near(f'percpu CPU {cpu} {what} share',
                       100 * counts[what + '_pages'] / max(1, total[what + '_pages']),
                       row.get(what + '_share_percent'))
    summary = ours['summary']
    for name in names:
        check.same(f'percpu {name}', total[name], summary[name])
    check.near('percpu takings per second', total['lock_takings'] / seconds,
               summary['lock_takings_per_second'])
    if total['refill_pages'] and total['drain_pages']:
        apart = sum(abs(c['refill_pages'] / total['refill_pages'] -
                        c['drain_pages'] / total['drain_pages']) for c in cpus.values())
        check.near('percpu imbalance', 50 * apart, summary['imbalance_percent'])


def check_frees(check, events, ours):
    """A free is batched when the next thing heard of its page is mm_page_free_batched."""
    waiting = {}
    rows = collections.defaultdict(collections.Counter)
    alone = 0
    for event in events:
        if event.name == 'mm_page_free':
            site = caller_of(event)
            rows[site]['frees'] += 1
            rows[site]['pages'] += 2 ** event.number('order')
            waiting[event.number('pfn')] = site
        elif event.name == 'mm_page_free_batched':
            site = waiting.pop(event.number('pfn'), None)
            if site:
                rows[site]['batched'] += 1
            else:
                alone += 1
    mine = collections.defaultdict(collections.Counter)
    for row in ours['free_callers']:
        mine[site_of(row)].update({k: row[k] for k in ('frees', 'pages', 'batched', 'single')})
    for site in sorted(rows.keys() | mine.keys()):
        rows[site]['single'] = rows[site]['frees'] - rows[site]['batched']
        for name in 'frees', 'pages', 'batched', 'single':
            check.same(f'frees by {site}: {name}', rows[site][name], mine[site][name])
    summary = ours['summary']
    total = collections.Counter()
    for row in rows.values():
        total.update(row)
    check.same('frees', total['frees'], summary['frees'])
    check.same('freed pages', total['pages'], summary['freed_pages'])
    check.same('frees batched', total['batched'], summary['frees_batched'])
    check.same('frees single', total['single'], summary['frees_single'])
    check.same('batched without free', alone, summary['batched_without_free'])


def migratetype(number):
    return MIGRATETYPES[number] if 0 <= number < len(MIGRATETYPES) else None


def count_fallback(counter, event):
    # not the text's fragmenting=: libtraceevent evaluates that expression wrongly
    counter['fallbacks'] += 1
    counter['fragmenting'] += event.number('fallback_order') < event.number('pageblock_order')
    counter['ownership_changes'] += event.number('change_ownership')


def check_counts(check, what, truth, ours):
    for name in 'fallbacks', 'fragmenting', 'ownership_changes':
        check.same(f'{what} {name}', truth[name], ours.get(name))


def check_extfrag(check, events, ours, recording):
    total = collections.Counter()
    kinds, callers = (collections.defaultdict(collections.Counter) for _ in range(2))
    spans = [collections.Counter() for _ in range(SPANS)]
    seconds = collections.Counter()
    first, length = recording['start_ns'], recording['stop_ns'] - recording['start_ns']
    order = None
    for event in events:
        if event.name != 'mm_page_alloc_extfrag':
            continue
        order = event.number('pageblock_order')
        key = (migratetype(event.number('alloc_migratetype')),
               migratetype(event.number('fallback_migratetype')),
               event.number('alloc_order'), event.number('fallback_order'))
        for counter in (total, kinds[key], callers[caller_of(event)],
                        spans[min((event.ns - first) * SPANS // length, SPANS - 1)]):
            count_fallback(counter, event)
        if event.number('fallback_order') < order:
            seconds[(event.ns - first) // 10**9] += 1
    summary = ours['summary']
    check_counts(check, 'extfrag', total, summary)
    rows = {(r['alloc_migratetype'], r['fallback_migratetype'], r['alloc_order'],
             r['fallback_order']): r for r in ours['fallbacks']}
    check.same('extfrag kinds', sorted(kinds, key=str), sorted(rows, key=str))
    for key, counts in kinds.items():
        check_counts(check, f'extfrag {key}', counts, rows.get(key, {}))
    mine = collections.defaultdict(collections.Counter)
    for row in ours['callers']:
        mine[site_of(row)].update({k: row[k] for k in
                                   ('fallbacks', 'fragmenting', 'ownership_changes')})
    for site in sorted(callers.keys() | mine.keys()):
        check_counts(check, f'extfrag by {site}', callers[site], mine[site])
    for i, span in enumerate(spans):
        for name in 'fallbacks', 'fragmenting':
            check.same(f'extfrag span {i} {name}', span[name], ours['spans'][i][name])
    check.near('extfrag per second', total['fallbacks'] * 1e9 / length,
               summary['fallbacks_per_second'])
    check.near('extfrag fragmenting per second', total['fragmenting'] * 1e9 / length,
               summary['fragmenting_per_second'])
    check.same('extfrag busiest second', max(seconds.values(), default=0),
               summary['busiest_second_fragmenting'])
    allocations = sum(e.name == 'mm_page_alloc' for e in events)
    check.same('page allocations', allocations, summary['page_allocations'])
    frequent = total['fragmenting'] >= 10 and (
        length >= 10**9 and total['fragmenting'] * 10**9 >= length
        and sum(s['fragmenting'] > 0 for s in spans) >= SPANS // 2
        or allocations and total['fragmenting'] * 100 >= allocations)
    check.same('extfrag frequent', bool(frequent), summary['fragmenting_frequent'])
    if order is not None:
        nodes = len(glob.glob('/sys/devices/system/node/node[0-9]*')) or 1
        kib = 3 * (os.sysconf('SC_PAGESIZE') << order) // 1024 * nodes
        check.same('extfrag pageblock order', order, summary['pageblock_order'])
        check.same('extfrag min_free step', kib, summary['min_free_step_kib'])


def main():
    with open(sys.argv[1], errors='replace') as text:
        events = list(kmem_events.read(text))
    with open(sys.argv[2]) as f:
        ours = json.load(f)
    check = Checker()
    check_span(check, events, ours['recording'])
    check_ends(check, events, ours['percpu']['summary'])
    check_ends(check, events, ours['extfrag']['summary'])
    check_percpu(check, events, ours['percpu'], seconds_of(ours['recording']))
    check_frees(check, events, ours['percpu'])
    check_extfrag(check, events, ours['extfrag'], ours['recording'])
    names = collections.Counter(e.name for e in events)
    print(', '.join(f'{n} {name}' for name, n in sorted(names.items()) if name.startswith('mm_')))
    print(f'{check.checks} checks, {check.differ} differ')
    sys.exit(1 if check.differ or not check.checks else 0)


main()
