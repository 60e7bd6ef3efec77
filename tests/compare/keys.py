#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Properties of --by and of the filters: nothing is counted twice, nothing is left out.

usage: keys.py PERF RECORDING [OPTION...]

sums     grouped by any key, and any two keys, the rows add up to the summary: hits, bytes,
         what is live, freed or freed unseen; by any key also in a time window
slices   of disjoint spans of time that cover all, each figure that adds up comes to the whole:
         of the summary, and of each row by any key
peaks    what is live at the peak is in the span, and no less than at the span's end
filters  what a filter lets through for a value of its key is that value's row, and over
         all values it is the whole

Prints "N sums, N filters, N slices, N peaks, N differ"; exit 1
when any differs.
"""
import collections
import itertools
import json
import subprocess
import sys

import recorded

KEYS = {
    'slab': 'callsite stack ptr cache comm pid tid cpu node module gfp accounted size cgroup'.split(),
    'page': 'callsite stack page comm pid tid cpu node module gfp order migtype accounted size cgroup'.split(),
    'vmalloc': 'callsite stack ptr comm pid tid cpu node module purpose size cgroup'.split(),
    'percpu-mem': 'callsite stack ptr comm pid tid cpu node module gfp accounted size cgroup'.split(),
}
FILTERS = {
    'slab': 'comm pid tid cpu node cache module cgroup'.split(),
    'page': 'comm pid tid cpu node module order cgroup'.split(),
    'vmalloc': 'comm pid tid cpu node module cgroup'.split(),
    'percpu-mem': 'comm pid tid cpu node module cgroup'.split(),
}
TABLES = 7  # that one run takes
VALUES = 6  # of a key that are filtered for, unless all are few
FEW = 12
PERF, RECORDING, OPTIONS = sys.argv[1], sys.argv[2], sys.argv[3:]

# summary of an allocator -> hits and bytes, by their names in rows
def by_name(summary):
    return tuple(summary[name] for name in ('allocations', 'bytes_allocated', 'live', 'bytes_live'))


TOTALS = {
    'slab': by_name,
    'vmalloc': by_name,
    'percpu-mem': by_name,
    'page': lambda s: (s['alloc_requests'] - s['failures'], s['alloc_bytes'] - s['failed_bytes'],
                       s['live'], s['live_bytes']),
}
BYTES = {'slab': 'bytes_alloc', 'page': 'bytes', 'vmalloc': 'bytes', 'percpu-mem': 'bytes'}
# The summary's names for other sums of the rows.
ENDS = {'page': {}}
ENDS.update(dict.fromkeys(('slab', 'vmalloc', 'percpu-mem'), {'unseen_frees': 'unseen_frees', 'freed_hits': 'frees_matched'}))

# Figures that add up; live and alloc-only refer to a single moment.
ADDITIVE = {
    'slab': 'bytes_requested bytes_allocated bytes_freed bytes_wasted allocations frees frees_matched '
            'frees_unmatched unseen_frees duplicates_dropped failures cross_node_allocations'.split(),
    'page': 'alloc_requests alloc_bytes free_requests free_bytes matched_requests matched_bytes '
            'free_only_requests free_only_bytes failures failed_bytes'.split(),
}
ADDITIVE.update(dict.fromkeys(('vmalloc', 'percpu-mem'), 'bytes_allocated bytes_freed allocations frees frees_matched '
                              'frees_unmatched unseen_frees failures bytes_failed'.split()))
ROW_ADDITIVE = {
    'slab': 'hits bytes_req bytes_alloc pingpong unseen_frees freed_hits short_lived_hits'.split(),
    'page': 'hits bytes pingpong unseen_frees freed_hits short_lived_hits'.split(),
}
ROW_ADDITIVE.update(dict.fromkeys(('vmalloc', 'percpu-mem'), ROW_ADDITIVE['page']))
SLICES = 5


class Checker:
    def __init__(self):
        self.sums = self.filters = self.slices = self.peaks = self.differ = 0

    def same(self, what, want, got):
        if want != got:
            self.differ += 1
            if self.differ <= 10:
                print(f'{what}: {got}, not {want}')


def report(allocator, *options):
    command = [PERF, 'kmem', 'stat', '-i', RECORDING, f'--{allocator}', '--format=json', *OPTIONS, *options]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr.decode(errors='replace')}")
    return json.loads(done.stdout)


def has_cgroups():
    """Without, the key is refused."""
    command = [PERF, 'kmem', 'stat', '-q', '-i', RECORDING, '--by=cgroup', *OPTIONS]
    return not subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode


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
            check.same(f'{what}: live', (live, live_bytes), add(rows, 'live_hits', 'live_bytes'))
            want = hits, total
            if '--live' in options or '--peak' in options:  # hits and bytes are those of live allocations
                want = live, live_bytes
            else:
                for name, whole in ENDS[allocator].items():
                    check.same(f'{what}: {name}', result['summary'][whole], sum(row[name] for row in rows))
            check.same(f'{what}: hits, bytes', want, add(rows, 'hits', BYTES[allocator]))
            check.sums += 1


def span(start_ns, stop_ns):
    return f'--time={start_ns // 10**9}.{start_ns % 10**9:09},{stop_ns // 10**9}.{stop_ns % 10**9:09}'


def spans(recording):
    """Disjoint, and together all of the recording."""
    start, stop = recording['first_ns'], recording['last_ns']
    cuts = [start + (stop - start) * i // SLICES for i in range(SLICES)] + [stop + 1]
    return [(a, b - 1) for a, b in zip(cuts, cuts[1:])]


def identity(row, figures):
    return tuple(sorted((k, str(v)) for k, v in row.items() if k not in figures))


def figures_by_row(table, names, figures):
    """{key: figures, and the histogram of lifetimes}, for the rows that have any."""
    result = collections.defaultdict(collections.Counter)
    for row in table['rows']:
        counts = result[identity(row, figures)]
        counts.update({name: row[name] for name in names if row[name]})
        counts.update({f'lifetime {k}': v for k, v in row['lifetime_log2_ns'].items()})
    return {key: counts for key, counts in result.items() if counts}


def check_slices(check, allocator, keys, recording):
    figures = {'hits', 'bytes_req', 'bytes_alloc', 'bytes', 'frag_percent', 'pingpong', 'live_hits', 'live_bytes',
               'unseen_frees', 'freed_hits', 'short_lived_hits', 'lifetime_mean_ns', 'lifetime_p50_ns',
               'lifetime_p99_ns', 'lifetime_log2_ns', 'bytes_per_hit', 'short_lived_percent'}
    for i in range(0, len(keys), TABLES):
        by = ['--lifetime', *(f'--by={key}' for key in keys[i:i + TABLES])]
        whole = stat(allocator, *by)
        parts = [stat(allocator, span(*times), *by) for times in spans(recording)]
        for name in ADDITIVE[allocator]:
            check.same(f'{allocator} slices: {name}', whole['summary'][name],
                       sum(part['summary'][name] for part in parts))
        for number, table in enumerate(whole['tables']):
            want = figures_by_row(table, ROW_ADDITIVE[allocator], figures)
            got = collections.defaultdict(collections.Counter)
            for part in parts:
                for key, counts in figures_by_row(part['tables'][number], ROW_ADDITIVE[allocator], figures).items():
                    got[key].update(counts)
            for key in want.keys() | got.keys():
                check.same(f"{allocator} slices --by {table['by']} {key}", want.get(key), got.get(key))
            check.slices += 1


def check_peaks(check, allocator, recording):
    for start, stop in [(recording['start_ns'], recording['stop_ns']), *spans(recording)]:
        times = span(start, stop)
        summary = stat(allocator, times, '--peak', '--by=callsite')['summary']
        end = stat(allocator, times, '--by=callsite')['summary']
        live = 'live_bytes' if allocator == 'page' else 'bytes_live'
        check.same(f'{allocator} {times} --peak: no less than at the end', True, summary[live] >= end[live])
        if summary['peak_ns'] is None:
            check.same(f'{allocator} {times} --peak of nothing', 0, summary[live])
        else:
            check.same(f'{allocator} {times} --peak at {summary["peak_ns"]}: in the span', True,
                       start <= summary['peak_ns'] <= stop)
        check.peaks += 1


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
    accounts = recorded.options(PERF, RECORDING)
    left_out = set() if has_cgroups() else {'cgroup'}
    for allocator, keys in KEYS.items():
        if f'--{allocator}' not in accounts:
            continue
        whole = report(allocator)
        keys = [key for key in keys if key not in left_out]
        first, last = whole['recording']['first_ns'], whole['recording']['last_ns']
        middle = f'--time={(3 * first + last) // 4 / 1e9:.9f},{(first + 3 * last) // 4 / 1e9:.9f}'
        pairs = list(itertools.combinations(keys, 2))
        check_sums(check, allocator, [(key,) for key in keys] + pairs)
        for options in (['--live'], [middle], [middle, '--live'], ['--peak'], [middle, '--peak']):
            check_sums(check, allocator, [(key,) for key in keys], *options)
        check_slices(check, allocator, keys, whole['recording'])
        check_peaks(check, allocator, whole['recording'])
        for key in FILTERS[allocator]:
            if key in left_out:
                continue
            check_filter(check, allocator, key)
    print(f'{check.sums} sums, {check.filters} filters, {check.slices} slices, {check.peaks} peaks, '
          f'{check.differ} differ')
    sys.exit(1 if check.differ else 0)  # a recording of the allocator's inside has no sums


main()
