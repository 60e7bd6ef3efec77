#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows of perf kmem leak: all figures of a row are of the same objects, by every key of --by.

usage: leak_rows.py PERF RECORDING... -- [OPTION...]

Checks each row, by each key, by some pairs of keys, with --min-age, on one CPU and in a time window:

  last     the last of the 16 moments has the row's bytes
  cohorts  the survivors of all cohorts are the row's objects, and no cohort has more survivors than
           allocations
  curve    a moment that has survivors before it has live bytes
  class    the behaviour is that of the row's own curve and cohorts, unless its parts leak or the
           recording lacks free events
  untraced leak does not judge the memory that stat --live marks, in its summary and in rows by any key
  whole    over all rows, the last moment and the survivors of each cohort add up to the same,
           whatever the key

Prints "N figures, N differ"; exit 1 when any differs.
"""
import json
import subprocess
import sys

sys.path.insert(0, __file__.rsplit('/', 1)[0] + '/recompute')
import leaks  # noqa: E402

KEYS = {
    'slab': 'callsite stack ptr cache comm pid tid cpu node module gfp accounted size cgroup '
            'comm,pid cache,comm callsite,cache callsite,cpu'.split(),
    'page': 'callsite stack page comm pid tid cpu node module gfp order migtype accounted size cgroup '
            'comm,pid callsite,comm migtype,comm'.split(),
}
LISTS = 'live_bytes', 'cohort_allocations', 'cohort_live'
SHOWN = 20


class Shape(leaks.History):
    """The judgement of a row's own figures."""

    def __init__(self, row):
        self.live, self.allocations, self.survivors = (row[name] for name in LISTS)


class Comparison:
    def __init__(self):
        self.figures = self.differ = 0

    def same(self, where, what, want, got, nr=1):
        self.figures += nr
        if want != got:
            self.differ += 1
            if self.differ <= SHOWN:
                print(f'{where}: {what}: want {want}, got {got}')


def check_row(result, where, row):
    shape = Shape(row)
    result.same(where, 'last moment', row['bytes'], shape.live[-1])
    result.same(where, 'cohorts', row['hits'], sum(shape.survivors), len(shape.survivors))
    result.same(where, 'survivors of each cohort', [],
                [i for i, (n, s) in enumerate(zip(shape.allocations, shape.survivors)) if s > n], leaks.MOMENTS)
    result.same(where, 'moments without survivors before them', [],
                [i for i in range(leaks.MOMENTS) if not shape.live[i] and sum(shape.survivors[:i + 1])], leaks.MOMENTS)
    behaviour = shape.behaviour()
    if row['behaviour'] in (leaks.RECLAIMABLE, leaks.UNKNOWN):
        return
    if behaviour == 'leaking' and row['use'] != 'kernel':
        behaviour = 'growing'
    result.same(where, 'behaviour', True, row['behaviour'] in (behaviour, 'leaking' if row['use'] == 'kernel' else
                                                                'growing'))


def check(result, perf, options, recording):
    def rows(allocator, *words):
        out = subprocess.run([perf, 'kmem', 'leak', '-i', recording, f'--{allocator}', '--format=json', *words, *options],
                             capture_output=True)
        if out.returncode:
            return None
        found = json.loads(out.stdout)['leak'][allocator]
        return found['rows'], found['moments_ns']

    for allocator, keys in KEYS.items():
        whole = rows(allocator)
        if whole is None:
            continue
        moments = whole[1]
        for words in ((), ('--cpu=0',), (f'--min-age={(moments[-1] - moments[0]) // 3}ns',),
                      (f'--time={moments[3] / 1e9:.9f},{moments[11] / 1e9:.9f}',)):
            sums = None
            for by in keys:
                where = f"{recording} {allocator} --by {by} {' '.join(words)}"
                found = rows(allocator, f'--by={by}', *words)
                if found is None:
                    continue
                for row in found[0]:
                    check_row(result, where, row)
                own = [sum(row['live_bytes'][-1] for row in found[0]),
                       *(sum(row['cohort_live'][i] for row in found[0]) for i in range(leaks.MOMENTS))]
                sums = sums or own
                result.same(where, 'whole', sums, own, len(own))


def check_untraced(result, perf, options, recording):
    def report(*words):
        out = subprocess.run([perf, 'kmem', *words, '-i', recording, '--slab', '--format=json', *options], capture_output=True)
        return json.loads(out.stdout) if not out.returncode else None

    leak = report('leak')
    # without frees no site is judged
    if leak is None or leak['leak']['frees_lost_percent'] is None:
        return
    sites = leak['leak']['frees_not_traced']
    want = [sum(row['live_hits'] for row in sites), sum(row['live_bytes'] for row in sites)]
    for by in KEYS['slab']:
        found = report('stat', '--live', f'--by={by}')
        if found is None:  # a key that this recording lacks
            continue
        slab = found['slab']
        summary, rows = slab['summary'], slab['tables'][0]['rows']
        where = f'{recording} stat --live --by {by}'
        result.same(where, 'not traced', want, [summary['live_untraced'], summary['bytes_live_untraced']], 2)
        result.same(where, 'of the rows', want[1], sum(row['live_bytes_untraced'] for row in rows))
        result.same(where, 'no more than live', [], [row for row in rows if row['live_bytes_untraced'] > row['live_bytes']],
                    len(rows))


def main():
    perf, words = sys.argv[1], sys.argv[2:]
    split = words.index('--') if '--' in words else len(words)
    result = Comparison()
    for recording in words[:split]:
        check(result, perf, words[split + 1:], recording)
        check_untraced(result, perf, words[split + 1:], recording)
    print(f'{result.figures} figures, {result.differ} differ')
    return result.differ or not result.figures


if __name__ == '__main__':
    sys.exit(bool(main()))
