# SPDX-License-Identifier: GPL-2.0-or-later
"""The per-CPU lists and external fragmentation: a second version of Documentation/figures.md."""
import collections

import definitions
import symbols

PARTS = 10       # of the time, of which each has its counts
KNOWN = definitions.SLAB_ALLOCS | definitions.SLAB_FREES | definitions.PAGE_FREES | {
    'mm_page_alloc', 'mm_page_free_batched', 'mm_page_alloc_zone_locked', 'mm_page_pcpu_drain',
    'mm_page_alloc_extfrag'}
FREQUENT = 10    # fragmenting events; fewer are never frequent


def kmem_samples(lives):
    """(event name without the system, sample) for the events that reports know; kmem:rss_stat is not one of them."""
    for record in lives.recording.records:
        event = getattr(record, 'event', None)
        if event is not None and event.name and event.name[5:] in KNOWN:
            yield event.name[5:], record


def recorded(lives, *names):
    """Was one of these events recorded, whether or not it happened?"""
    return any(event.name == f'kmem:{name}' for event in lives.recording.events for name in names)


def ratio(part, whole):
    return part / whole if whole else 0


def over_time(counted, timeline):
    """{series: [count in each step]}, from [(time, series, n)] and the steps that JSON names."""
    steps = collections.defaultdict(collections.Counter)
    for time, series, n in counted:
        steps[series][max(0, time - timeline['start_ns']) // timeline['step_ns']] += n
    return steps


class Percpu:
    """A run of refills, or of drains, on a CPU with nothing in between is one acquisition of zone->lock."""

    def __init__(self, lives, spans):
        self.cpus = collections.defaultdict(collections.Counter)
        self.callers = collections.defaultdict(collections.Counter)
        self.alone = 0
        self.first = self.last = None
        self.counted = []
        doing, waiting = {}, {}
        for name, sample in kmem_samples(lives):
            if not spans.has(sample.time):
                continue
            self.first = self.first if self.first is not None else sample.time
            self.last = sample.time
            if name in definitions.SLAB_ALLOCS | definitions.SLAB_FREES or name == 'mm_page_alloc_extfrag':
                continue  # a fallback happens with the lock held
            one, raw = sample.event.format, sample.raw
            counts = self.cpus[sample.cpu]
            pages = 1 << one.number(raw, 'order', 0)
            what = None
            if name == 'mm_page_alloc_zone_locked':
                # before 5.19 the field did not exist: what goes through the lists has order 0
                refill = one.number(raw, 'percpu_refill') if one.has('percpu_refill') else pages == 1
                what = 'refill' if refill else None
                if not refill:
                    counts['direct_allocations'] += 1
                    counts['direct_pages'] += pages
                    self.counted.append((sample.time, 'direct_allocations', 1))
            elif name == 'mm_page_pcpu_drain':
                what = 'drain'
            if what:
                counts[what + 's'] += 1
                counts[what + '_pages'] += pages
                self.counted.append((sample.time, what + '_pages', pages))
                if doing.get(sample.cpu) != what:
                    counts[what + '_lock_takings'] += 1
                    counts['lock_takings'] += 1
                    self.counted.append((sample.time, 'lock_takings', 1))
            doing[sample.cpu] = what
            if name == 'mm_page_free':
                site = lives.symbols.caller(lives.symbols.kernel_frames(sample.chain), symbols.INSIDE)
                self.callers[site].update(frees=1, pages=pages)
                self.counted.append((sample.time, 'frees', 1))
                waiting[one.number(raw, 'pfn')] = site
            elif name == 'mm_page_free_batched':
                # a free is a batched one if this is the next event for its page
                site = waiting.pop(one.number(raw, 'pfn'), None)
                if site is None:
                    self.alone += 1
                else:
                    self.callers[site]['batched'] += 1
        self.total = collections.Counter()
        for counts in self.cpus.values():
            self.total.update(counts)

    def series(self, lives):
        return ['lock_takings', 'refill_pages', 'drain_pages', 'direct_allocations',
                *(['frees'] if recorded(lives, 'mm_page_free') else [])]

    NAMES = ('refills refill_pages refill_lock_takings drains drain_pages drain_lock_takings lock_takings '
             'direct_allocations direct_pages').split()

    def lists(self, counts):
        """The members that a CPU and the summary have in common."""
        want = {name: counts[name] for name in self.NAMES}
        for what in 'refill', 'drain':
            want[f'{what}_batch_pages'] = ratio(counts[f'{what}_pages'], counts[f'{what}_lock_takings'])
        want['refilled_minus_drained_pages'] = counts['refill_pages'] - counts['drain_pages']
        return want

    def cpu(self, cpu):
        want = self.lists(self.cpus[cpu])
        for what in 'refill', 'drain':
            want[f'{what}_share_percent'] = 100 * ratio(self.cpus[cpu][f'{what}_pages'], self.total[f'{what}_pages'])
        return want

    def summary(self, lives, seconds):
        want = self.lists(self.total)
        frees, batched = recorded(lives, 'mm_page_free'), recorded(lives, 'mm_page_free_batched')
        total = collections.Counter()
        for counts in self.callers.values():
            total.update(counts)
        refilled, drained = self.total['refill_pages'], self.total['drain_pages']
        want.update(
            first_ns=self.first, last_ns=self.last,
            lock_takings_per_second=self.total['lock_takings'] / seconds,
            imbalance_percent=50 * sum(abs(c['refill_pages'] / refilled - c['drain_pages'] / drained)
                                       for c in self.cpus.values()) if refilled and drained else None,
            frees=total['frees'] if frees else None,
            freed_pages=total['pages'] if frees else None,
            frees_batched=total['batched'] if frees and batched else None,
            frees_single=total['frees'] - total['batched'] if frees and batched else None,
            batched_without_free=self.alone if batched else None)
        return want


class Extfrag:
    """Allocations that fell back to another migrate type; fragmenting: from less than a pageblock."""

    def __init__(self, lives, spans):
        self.total = collections.Counter()
        self.kinds, self.callers = (collections.defaultdict(collections.Counter) for _ in range(2))
        self.moments = []
        self.allocations = 0
        self.counted = []
        self.first = self.last = None
        self.order = pageblock_order(lives)
        for name, sample in kmem_samples(lives):
            if not spans.has(sample.time):
                continue
            self.first = self.first if self.first is not None else sample.time
            self.last = sample.time
            self.allocations += name == 'mm_page_alloc'
            if name != 'mm_page_alloc_extfrag':
                if name == 'mm_page_alloc':
                    self.counted.append((sample.time, 'page_allocations', 1))
                continue
            number = lambda field, sample=sample: sample.event.format.number(sample.raw, field)
            site = lives.symbols.caller(lives.symbols.kernel_frames(sample.chain), symbols.INSIDE)
            kind = (definitions.migratetype(lives, number('alloc_migratetype')),
                    definitions.migratetype(lives, number('fallback_migratetype')),
                    number('alloc_order'), number('fallback_order'))
            fragmenting = number('fallback_order') < self.order
            self.moments.append((sample.time, fragmenting))
            self.counted += [(sample.time, 'fallbacks', 1), (sample.time, 'fragmenting', int(fragmenting)),
                             (sample.time, 'ownership_changes', number('change_ownership'))]
            for counts in (self.total, self.kinds[kind], self.callers[site]):
                counts.update(fallbacks=1, fragmenting=int(fragmenting),
                              ownership_changes=number('change_ownership'))

    def series(self, _):
        return ['fallbacks', 'fragmenting', 'ownership_changes', *(['page_allocations'] if self.allocations else [])]

    @staticmethod
    def counts(counts):
        return {name: counts[name] for name in ('fallbacks', 'fragmenting', 'ownership_changes')}

    def parts(self, start, length):
        parts = [collections.Counter() for _ in range(PARTS)]
        for time, fragmenting in self.moments:
            part = parts[min((time - start) * PARTS // length, PARTS - 1)]
            part.update(fallbacks=1, fragmenting=int(fragmenting))
        return [{name: part[name] for name in ('fallbacks', 'fragmenting')} for part in parts]

    def summary(self, lives, start, length):
        fragmenting = self.total['fragmenting']
        seconds = collections.Counter((time - start) // 10**9 for time, is_it in self.moments if is_it)
        nodes = lives.recording.nr_nodes or 1
        block = lives.recording.page_size << self.order
        frequent = fragmenting >= FREQUENT and bool(
            length >= 10**9 and fragmenting * 10**9 >= length
            and sum(part['fragmenting'] > 0 for part in self.parts(start, length)) >= PARTS // 2
            or self.allocations and fragmenting * 100 >= self.allocations)
        return {**self.counts(self.total), 'first_ns': self.first, 'last_ns': self.last,
                'pageblock_order': self.order, 'pageblock_bytes': block, 'nodes': nodes,
                'nodes_recorded': bool(lives.recording.nr_nodes),
                'fallbacks_per_second': self.total['fallbacks'] * 1e9 / length,
                'fragmenting_per_second': fragmenting * 1e9 / length,
                'busiest_second_fragmenting': max(seconds.values(), default=0),
                'page_allocations': self.allocations,
                'fragmenting_percent_of_allocations':
                    100 * fragmenting / self.allocations if self.allocations else None,
                'fragmenting_frequent': frequent,
                # what the kernel's documentation advises: 3 * pageblock size * nodes
                'min_free_step_kib': 3 * block // 1024 * nodes}


def pageblock_order(lives):
    return int(lives.recording.told('pageblock_order') or 9)  # of the shared recordings none has another
