# SPDX-License-Identifier: GPL-2.0-or-later
"""Check reports of --pressure against perf stat's counts of the same events, and against /proc/vmstat.

The counters of /proc/vmstat, and the events that belong to each:

allocstall_*    passes of direct reclaim (mm/vmscan.c: do_try_to_free_pages()).  A stall is one pass, or up to three if
                nothing was reclaimed: then it may start again, once with the active lists, and once with
                memory protected by memory.low.
compact_stall   tries to compact for an allocation, except those that skipped all zones because they have too few free
                pages (mm/page_alloc.c: __alloc_pages_direct_compact()).  Among those counted are tries that
                compacted no zone, because all were deferred.
oom_kill        killed processes.
"""
import csv
import io
import json


def numbers(text, name):
    return {line.split()[0]: int(line.split()[1]) for line in text(name).splitlines()}


class Run:
    """The load, as the kernel counted it."""

    def __init__(self, text):
        self.text = text
        rows = csv.reader(io.StringIO(text('pressure.csv')))
        self.events = {row[2].split(':')[1]: int(row[0]) for row in rows if len(row) > 2}
        before, after = numbers(text, 'pressure-before'), numbers(text, 'pressure-after')
        self.vmstat = {name: after[name] - before[name] for name in after if name in before}
        self.allocstall = sum(n for name, n in self.vmstat.items() if name.startswith('allocstall'))

    def load(self):
        """All of it happened."""
        assert self.text('pressure.status').strip() == '0', self.text('pressure.err')
        least = {'mm_vmscan_memcg_reclaim_begin': 10, 'mm_vmscan_direct_reclaim_begin': 1,
                 'mm_compaction_try_to_compact_pages': 1, 'mm_compaction_begin': 1, 'mark_victim': 1}
        assert all(self.events[name] >= n for name, n in least.items()), self.events

    def recorded(self, way):
        """All events are in the report."""
        report = json.loads(self.text(f'pressure-{way}.json'))
        assert report['recording']['lost_samples'] == 0, report['recording']
        summary = report['pressure']['summary']
        stalls = {row['kind']: row['stalls'] for row in report['pressure']['kinds']}
        events = self.events
        assert not summary['stalls_open'] + summary['stalls_begun_before'] + summary['stalls_end_lost'], summary
        seen = {
            'direct_reclaim': stalls.get('direct reclaim', 0),
            'memcg_reclaim': stalls.get('reclaim in a memory cgroup', 0),
            'compaction': stalls.get('compaction of a zone', 0) + summary['background_compactions'],
            'tries': summary['compaction_tries'], 'kills': summary['oom_kills'],
        }
        for end in ('begin', 'end'):
            counted = {
                'direct_reclaim': events[f'mm_vmscan_direct_reclaim_{end}'],
                'memcg_reclaim': events[f'mm_vmscan_memcg_reclaim_{end}'],
                'compaction': events[f'mm_compaction_{end}'],
                'tries': events['mm_compaction_try_to_compact_pages'], 'kills': events['mark_victim'],
            }
            assert seen == counted, (seen, counted)
        assert stalls.get('direct reclaim', 0) <= self.allocstall <= 3 * stalls.get('direct reclaim', 0), (
            stalls, self.vmstat)
        assert summary['compaction_tries_run'] <= self.vmstat['compact_stall'] <= summary['compaction_tries'], (
            summary, self.vmstat)
        assert summary['oom_kills'] == self.vmstat['oom_kill'] == 1, (summary, self.vmstat)
        assert [row['comm'] for row in report['pressure']['killed']] == ['pressing'], report['pressure']['killed']


def checks(text, there, has_bpf):
    """Yields pairs of a name and a function that raises if the check fails."""
    if not there('pressure.status'):
        return
    run = Run(text)
    yield 'pressure-load', run.load
    for way in ('perf', 'bpf', 'live') if has_bpf else ('perf',):
        yield f'pressure-{way}', lambda way=way: run.recorded(way)
