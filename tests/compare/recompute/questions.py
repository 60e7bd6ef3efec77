# SPDX-License-Identifier: GPL-2.0-or-later
"""Which questions are asked of a recording."""
import collections
import itertools

import check
import definitions
import forms
import inside
import leaks
import tracepoint

TABLES = 7   # that one run takes
VALUES = 4   # of a key that are filtered for
ALLOCATORS = definitions.ALLOCATORS
# of leak: allocators that are asked for together, and keys that they share
LEAKS = ((('slab', 'page'), (('comm', 'pid'), ('stack',), ('size', 'gfp'))),
         (('vmalloc', 'percpu-mem'), (('comm', 'pid'), ('stack',), ('size', 'cpu'))))
FILTERS = {'slab': 'comm pid tid cpu node cache module cgroup'.split(),
           'page': 'comm pid tid cpu node module order cgroup'.split(),
           'vmalloc': 'comm pid tid cpu node module cgroup'.split(),
           'percpu-mem': 'comm pid tid cpu node module cgroup'.split()}
LARGE = 'ptr', 'page', 'tid', 'stack'  # tables with many rows
NOT_IN_A_GLOB = set('*?[]\\,\ufffd')


def chunks(items, size):
    items = list(items)
    return [items[i:i + size] for i in range(0, len(items), size)]


def has(lives, allocator):
    return bool(lives.allocations[allocator] or lives.frees[allocator])


class Asking:
    """The questions about one recording."""

    def __init__(self, subject, result, brief):
        self.subject, self.result, self.brief = subject, result, brief
        self.lives = subject.lives
        self.tables = check.Tables(result, subject)
        self.name = '/'.join(subject.path.split('/')[-2:])

    def stat(self, allocator, asked, bys, *options, lifetimes=False, live=False):
        """The tables for each of the lists of keys."""
        words = [*options, *(['--lifetime'] if lifetimes else []), *(['--live'] if live else [])]
        for part in chunks(bys, TABLES):
            ours = self.subject.json('stat', f'--{allocator}', *words, *(f"--by={','.join(by)}" for by in part))
            question = f"{self.name} stat --{allocator} {' '.join(words)}"
            self.tables.summary(question, asked, ours[allocator]['summary'])
            self.result.same(question, '', 'tables', len(part), len(ours[allocator]['tables']))
            for by, table in zip(part, ours[allocator]['tables']):
                self.tables.table(f"{question} --by {','.join(by)}", asked, table, by, lifetimes,
                                  live or '--peak' in options)

    def times(self):
        """Cuts that do not coincide with an event: [start, ..., stop], in quarters."""
        times = sorted({r.time for r in self.lives.recording.records if hasattr(r, 'event')})
        cuts = [times[0] - 1]
        for i in range(1, 4):
            cut = times[len(times) * i // 4] - 1
            if cut > cuts[-1] and cut not in times:
                cuts.append(cut)
        return cuts + [times[-1] + 1]

    def whole(self, allocator):
        asked = definitions.Question(self.lives, allocator)
        keys = definitions.keys_of(allocator, self.lives)
        self.stat(allocator, asked, [(key,) for key in keys], lifetimes=True)
        self.stat(allocator, asked, [(key,) for key in keys], live=True)
        if allocator == 'slab':
            self.kernel_counts()
        pairs = list(itertools.combinations([key for key in keys if not self.brief or key not in LARGE], 2))
        self.stat(allocator, asked, pairs[::7] if self.brief else pairs)
        several = [('callsite', 'comm', 'gfp'), ('cpu', 'comm', 'node', 'size', 'gfp', 'accounted'), ('module', 'stack', 'cpu')]
        self.stat(allocator, asked, [[key for key in by if key in keys] for by in several], lifetimes=True)

    def kernel_counts(self):
        """The kernel's own counts stand beside live objects by cache, where a recording has them."""
        want, _ = leaks.counts(self.lives)
        ours = self.subject.json('stat', '--slab', '--live', '--by=cache')
        for row in ours['slab']['tables'][0]['rows']:
            count = want.get(row['cache'])
            for name, value in (('kernel_objects', count and count.before + count.growth),
                                ('kernel_objects_change', count and count.growth)):
                self.result.same(f'{self.name} stat --live --by cache', row['cache'], name, value, row.get(name))

    def spans(self, allocator):
        keys = [(key,) for key in definitions.keys_of(allocator, self.lives)
                if not self.brief or key not in LARGE]
        cuts = self.times()
        sums = collections.Counter()
        for start, stop in zip(cuts, cuts[1:]):
            spans = definitions.Spans((start, stop))
            asked = definitions.Question(self.lives, allocator, spans)
            self.stat(allocator, asked, keys, time_option(start, stop), lifetimes=True)
            sums.update(asked.summary())
        # disjoint slices add up
        whole = definitions.Question(self.lives, allocator).summary()
        for name in ('allocations', 'bytes_freed', 'frees', 'unseen_frees', 'alloc_requests', 'free_bytes',
                     'matched_requests', 'failures'):
            if name in whole:
                self.result.same(f'{self.name} slices', allocator, name, whole[name], sums[name])
        start, stop = cuts[1], cuts[-2]
        middle = definitions.Question(self.lives, allocator, definitions.Spans((start, stop)))
        self.stat(allocator, middle, [(key,) for key in definitions.keys_of(allocator, self.lives)], time_option(start, stop),
                  live=True)
        two = definitions.Spans((cuts[0], cuts[1]), (cuts[-2], cuts[-1]))
        self.stat(allocator, definitions.Question(self.lives, allocator, two), keys[:1] if self.brief else keys,
                  time_option(cuts[0], cuts[1]), time_option(cuts[-2], cuts[-1]), lifetimes=True)

    def filters(self, allocator):
        """Allocations that match a filter and, with '!', those that do not."""
        lives, chosen = self.lives, self.lives.allocations[allocator]
        for key in FILTERS[allocator]:
            if key == 'cgroup' and key not in definitions.keys_of(allocator, lives):
                continue
            value_of = definitions.KEYS[key]
            counts = collections.Counter(value_of(lives, life) for life in chosen)
            usable = [v for v, _ in counts.most_common() if not set(str(v)) & NOT_IN_A_GLOB and str(v)]
            for value in usable[:1 if self.brief else VALUES]:
                self.filter(allocator, key, str(value), lambda life, v=value: value_of(lives, life) == v)
            if len(usable) > 2:
                two = usable[1:3]
                self.filter(allocator, key, ','.join(map(str, two)), lambda life: value_of(lives, life) in two)
        flags = collections.Counter(name for life in chosen for name in self.flags(life))
        for flag, _ in flags.most_common()[:1 if self.brief else VALUES]:
            self.filter(allocator, 'gfp', flag, lambda life, flag=flag: flag in self.flags(life))
        sites = collections.Counter(self.function(life) for life in chosen)
        for site, _ in sites.most_common()[:1 if self.brief else VALUES]:
            if site and site.replace('_', '').isalnum():
                self.filter(allocator, 'callsite', f'^{site}$', lambda life, site=site: self.function(life) == site)
        sizes = sorted(life.req for life in chosen) or [0]
        least = sizes[len(sizes) * 3 // 4]
        self.filter(allocator, 'min-bytes', str(least), lambda life: life.req >= least, complement=False)

    def flags(self, life):
        return tracepoint.flags_of(self.lives.gfp_names, life.gfp)

    def function(self, life):
        symbol = self.lives.symbols.find(life.site) if life.site else None
        return symbol and symbol.name

    def filter(self, allocator, key, text, matches, complement=True):
        bys = [('callsite',), ('stack',), *([(key,)] if key in definitions.KEYS else []), ('cpu', 'size')]
        asked = definitions.Question(self.lives, allocator, choose=matches)
        self.stat(allocator, asked, bys, f'--{key}={text}', lifetimes=True)
        if complement:
            rest = definitions.Question(self.lives, allocator, choose=lambda life: not matches(life))
            self.stat(allocator, rest, bys, f'--{key}=!{text}', lifetimes=True)

    def peak(self, allocator):
        keys = [(key,) for key in definitions.keys_of(allocator, self.lives)]
        cuts = self.times()
        for i, span in enumerate([(), *zip(cuts, cuts[1:])]):
            spans = definitions.Spans(*([span] if span else []))
            options = ['--peak', *([time_option(*span)] if span else [])]
            serial, live, time = definitions.Question(self.lives, allocator, spans).peak()
            if serial is None:
                continue
            ours = self.subject.json('stat', f'--{allocator}', '--by=cpu', *options)[allocator]['summary']
            question = f"{self.name} stat --{allocator} {' '.join(options)}"
            self.tables.result.same(question, 'summary', 'peak_ns', time, ours['peak_ns'])
            self.tables.result.same(question, 'summary', 'live bytes', live,
                                    ours['live_bytes' if allocator == 'page' else 'bytes_live'])
            asked = definitions.Question(self.lives, allocator, spans, until=serial)
            self.stat(allocator, asked, keys[::3] if i else keys, *options)

    def forms(self, allocator):
        """CSV, folded stacks, orders: also in a time span and with a filter."""
        cuts = self.times()
        start, stop = cuts[1], cuts[-2]
        comm = collections.Counter(life.comm for life in self.lives.allocations[allocator]).most_common(1)[0][0]
        whole = definitions.Question(self.lives, allocator)
        some = [(whole, ()),
                (definitions.Question(self.lives, allocator, definitions.Spans((start, stop))),
                 (time_option(start, stop),))]
        if not set(comm) & NOT_IN_A_GLOB:
            some.append((definitions.Question(self.lives, allocator, choose=lambda life: life.comm == comm),
                         (f'--comm={comm}',)))
        keys = [key for key in definitions.keys_of(allocator, self.lives) if key != 'gfp']
        for asked, options in some:
            forms.ask_folded(self, allocator, asked, *options)
            for by in [('callsite',), ('stack', 'cpu'), *([] if self.brief else [(key,) for key in keys])]:
                forms.ask_csv(self, allocator, asked, by, *options)
            forms.ask_csv(self, allocator, asked, ('comm', 'size'), '--live', *options, live=True)
        forms.ask_sorted(self, allocator, whole)

    def pingpong(self, allocator):
        """Which CPU freed what was allocated on which: of everything, of a span, of a command."""
        cuts = self.times()
        comm = collections.Counter(life.comm for life in self.lives.allocations[allocator]).most_common(1)[0][0]
        asked = [((), {}), ((time_option(cuts[1], cuts[-2]),), {'spans': definitions.Spans((cuts[1], cuts[-2]))})]
        if not set(comm) & NOT_IN_A_GLOB:
            asked.append(((f'--comm={comm}',), {'choose': lambda life: life.comm == comm}))
        for options, arguments in asked:
            words = [f'--{allocator}', '--pingpong', *options]
            report = self.subject.json('stat', *words, '--by=cpu')[allocator]
            want = definitions.Question(self.lives, allocator, **arguments)
            question = f"{self.name} stat {' '.join(words)}"
            self.pairs(question, want, report['pingpong'])
            self.adds_up(question, allocator, report)
            self.pairs_of_csv(question, want.pairs(), self.subject.csv(*words))

    def pairs(self, question, want, ours):
        pairs, nodes = want.pairs(), collections.defaultdict(lambda: [0, 0])
        node_of = self.lives.recording.nodes.get
        for (here, there), counts in pairs.items():
            for i, n in enumerate(counts):
                nodes[node_of(here, definitions.NO_NODE), node_of(there, definitions.NO_NODE)][i] += n
        sum_of = lambda of, i, only_two=False: sum(n[i] for key, n in of.items() if not only_two or key[0] != key[1])
        several = self.lives.recording.nr_nodes > 1
        self.members(question, 'pingpong', {
            'frees': sum_of(pairs, 0), 'bytes': sum_of(pairs, 1), 'other_cpu_frees': sum_of(pairs, 0, True),
            'other_cpu_bytes': sum_of(pairs, 1, True), 'pingpong': want.pingpong(), 'pairs_total': len(pairs),
            'other_node_frees': sum_of(nodes, 0, True) if several else None},
            {name: value for name, value in ours.items() if not isinstance(value, list)})
        known = lambda node: None if node == definitions.NO_NODE else node
        mine = {(row['alloc_cpu'], row['free_cpu']): row for row in ours['pairs']}
        for key in pairs.keys() | mine.keys():
            self.members(question, '', {
                'alloc_cpu': key[0], 'free_cpu': key[1], 'alloc_node': known(node_of(key[0], definitions.NO_NODE)),
                'free_node': known(node_of(key[1], definitions.NO_NODE)),
                'frees': pairs[key][0], 'bytes': pairs[key][1]}, mine.get(key, {}))
        frees = [row['frees'] for row in ours['pairs']]
        self.result.same(question, '', 'order', sorted(frees, reverse=True), frees)
        mine = {(row['alloc_node'], row['free_node']): (row['frees'], row['bytes']) for row in ours.get('nodes', [])}
        self.result.same(question, '', 'nodes', {k: tuple(n) for k, n in nodes.items()} if several else {}, mine)

    def adds_up(self, question, allocator, report):
        """Figures that this report repeats elsewhere."""
        names = ('matched_requests', 'matched_bytes') if allocator == 'page' else ('frees_matched', 'bytes_freed')
        pairs = report['pingpong']['pairs']
        for name, of_pair in zip(names, ('frees', 'bytes')):
            self.result.same(question, 'summary', name, sum(row[of_pair] for row in pairs), report['summary'][name])
        self.result.same(question, 'table', 'pingpong', report['pingpong']['pingpong'],
                         sum(row['pingpong'] for row in report['tables'][0]['rows']))

    def pairs_of_csv(self, question, want, tables):
        header, rows = next((header, rows) for header, rows in tables if 'alloc_cpu' in header)
        at = [header.index(name) for name in ('alloc_cpu', 'free_cpu', 'frees', 'bytes')]
        got = {tuple(int(row[i]) for i in at) for row in rows}
        self.result.same(question, 'CSV', 'pairs', {(*key, *counts) for key, counts in want.items()}, got)

    def inside(self, what):
        cuts = self.times()
        recording = self.lives.recording
        for spans, options in ((definitions.Spans(), ()),
                               (definitions.Spans((cuts[0], cuts[2])), (time_option(cuts[0], cuts[2]),))):
            ours = self.subject.json('stat', f'--{what}', '--timeline', *options)[what]
            question = f"{self.name} stat --{what} {' '.join(options)}"
            start = max(recording.start_ns, spans.spans[0][0]) if spans.spans else recording.start_ns
            stop = min(recording.stop_ns, spans.spans[0][1]) if spans.spans else recording.stop_ns
            if what == 'percpu':
                want = inside.Percpu(self.lives, spans)
                self.percpu(question, want, ours, stop - start)
            else:
                want = inside.Extfrag(self.lives, spans)
                self.extfrag(question, want, ours, start, stop - start)
            self.over_time(question, want, ours)

    def over_time(self, question, want, ours):
        """Each step of each series, and that they are as many as the summary says."""
        timeline = ours['timeline']
        mine = {name: values for name, values in timeline.items() if isinstance(values, list)}
        steps = inside.over_time(want.counted, timeline)
        self.result.same(question, 'timeline', 'series', want.series(self.lives), list(mine))
        for name, values in mine.items():
            self.result.same(question, 'timeline', name, [steps[name][i] for i in range(len(values))], values)
            self.result.same(question, 'timeline', f'{name} in all', ours['summary'][name], sum(values))
        nr = {len(values) for values in mine.values()}
        self.result.same(question, 'timeline', 'steps', True, nr, len(nr) == 1 and 0 < max(nr) <= 512)

    def members(self, question, row, want, ours):
        for name, value in want.items():
            got = ours.get(name)
            near = value is not None and got is not None and isinstance(value, float)
            self.result.same(question, row, name, value, got,
                             abs(value - got) <= 0.00051 + abs(value) * 1e-9 if near else value == got)
        for name in ours.keys() - want.keys():
            self.result.left_out[f"{row if isinstance(row, str) and row else 'row'} {name}"] += 1

    def sites(self, question, want, rows, figures):
        mine = {int(row['callsite'], 16): row for row in rows}
        for site in want.keys() | mine.keys():
            symbol = self.lives.symbols.find(site) if site else None
            self.members(question, '', {**figures(want[site]), 'callsite': f'{site:#x}',
                                        'symbol': symbol and symbol.name, 'module': symbol and symbol.module,
                                        'offset': site - symbol.start if symbol else 0}, mine.get(site, {}))

    def percpu(self, question, want, ours, length):
        self.members(question, 'summary', want.summary(self.lives, length / 1e9), ours['summary'])
        mine = {row['cpu']: row for row in ours['cpus']}
        for cpu in want.cpus.keys() | mine.keys():
            self.members(question, '', {'cpu': cpu, **want.cpu(cpu)}, mine.get(cpu, {}))
        batched = inside.recorded(self.lives, 'mm_page_free_batched')
        self.result.same(question, '', 'free_callers_total', len(want.callers), ours['free_callers_total'])
        self.sites(question, want.callers, ours['free_callers'], lambda counts: {
            'frees': counts['frees'], 'pages': counts['pages'],
            'batched': counts['batched'] if batched else None,
            'single': counts['frees'] - counts['batched'] if batched else None})

    def extfrag(self, question, want, ours, start, length):
        self.members(question, 'summary', want.summary(self.lives, start, length), ours['summary'])
        mine = {(r['alloc_migratetype'], r['fallback_migratetype'], r['alloc_order'], r['fallback_order']): r
                for r in ours['fallbacks']}
        for kind in want.kinds.keys() | mine.keys():
            names = dict(zip(('alloc_migratetype', 'fallback_migratetype', 'alloc_order', 'fallback_order'), kind))
            self.members(question, '', {**names, **want.counts(want.kinds[kind])}, mine.get(kind, {}))
        self.sites(question, want.callers, ours['callers'], want.counts)
        self.result.same(question, '', 'spans', inside.PARTS, len(ours['spans']))
        for part, row in zip(want.parts(start, length), ours['spans']):
            self.members(question, '', part, row)

    def leak(self, allocators, keys):
        """Questions to leak: everything, a part of the time, a command, old allocations; other keys."""
        cuts = self.times()
        start, stop = cuts[1], cuts[-2]
        age = (cuts[-1] - cuts[0]) // 3
        comm = collections.Counter(life.comm for a in allocators
                                   for life in self.lives.allocations[a]).most_common(1)[0][0]
        asked = [((), {}), ((f'--min-age={age}ns',), {'min_age': age}),
                 ((time_option(start, stop),), {'spans': definitions.Spans((start, stop))}),
                 *(((f"--by={','.join(by)}",), {'by': by}) for by in keys)]
        if not set(comm) & NOT_IN_A_GLOB:
            asked.append(((f'--comm={comm}',), {'choose': lambda life: life.comm == comm}))
        for options, arguments in asked:
            words = [*(f'--{a}' for a in allocators), *options]
            ours = self.subject.json('leak', *words)['leak']
            question = f"{self.name} leak {' '.join(words)}"
            want = {a: leaks.Leak(self.lives, a, **arguments) for a in allocators}
            self.members(question, 'leak', {'end_ns': want[allocators[0]].end,
                                            'frees_lost_percent': leaks.told_lost_percent(self.lives, *allocators)},
                         {k: v for k, v in ours.items() if k not in (*allocators, 'frees_not_traced')})
            for allocator in allocators:
                self.leak_rows(question, want[allocator], ours[allocator])
            self.untraced(question, want, ours['frees_not_traced'])

    def leak_rows(self, question, want, ours):
        moments = ours['moments_ns']
        result, allocator = self.result, want.allocator
        result.same(question, allocator, 'moments', (leaks.MOMENTS, want.end, sorted(moments)),
                    (len(moments), moments[-1], moments))
        rows = {key: row for key in want.rows if (row := want.row(key, moments))}
        mine = {(*(check.key_value(row[check.JSON_NAMES.get(key, key)]) for key in want.by),
                 row['behaviour'] == leaks.RECLAIMABLE, row['use']): row
                for row in ours['rows']}
        result.same(question, allocator, 'rows_total', len(rows), ours['rows_total'])
        sites = {life.site for key in rows for life, _ in want.survivors(want.rows[key])}
        totals = {name: [0, 0, 0, 0] for name in (*leaks.BEHAVIOURS, *leaks.USES)}
        for key in rows.keys() | mine.keys():
            row, got = rows.get(key), mine.get(key)
            if row is None or got is None:
                result.same(question, key, 'the row of leak', row, got)
                continue
            self.members(question, key, row, {k: v for k, v in got.items() if k in row})
            self.tables.names(question, key, want.by, got)
            self.owner(question, key, want.owners(key), got['owner'])
            result.same(question, key, 'evidence', evidence_word(got['confidence']), got['evidence'])
            result.same(question, key, 'reason', got['evidence'] not in ('high', None), got['reason'] is not None)
            for total in ([got['use']] if got['use'] != leaks.KERNEL else [leaks.KERNEL, got['behaviour']]):
                for i, value in enumerate((1, row['hits'], row['bytes'], row['growth_bytes_per_second'])):
                    totals[total][i] += value
        self.members(question, allocator, {
            'hits': sum(row['hits'] for row in rows.values()), 'bytes': sum(row['bytes'] for row in rows.values()),
            'callsites': len(sites), 'frees_lost_percent': leaks.told_lost_percent(self.lives, allocator)},
            {k: v for k, v in ours.items() if not isinstance(v, (dict, list)) and
             k not in ('rows_total', 'reclaimable_by_name')})
        self.ranking(question, allocator, ours['rows'])
        self.who(question, allocator, want.who(moments), ours['who'])
        for name, got in {**ours['behaviours'], **ours['uses']}.items():
            self.members(question, name, dict(zip(('rows', 'hits', 'bytes', 'growth_bytes_per_second'),
                                                  totals[name])), got)

    def who(self, question, allocator, want, rows):
        """The commands that hold what leaks or grows, ranked by class and bytes."""
        ranks = [(leaks.BEHAVIOURS.index(row['behaviour']), -row['bytes']) for row in rows]
        self.result.same(question, allocator, 'ranking of who', sorted(ranks), ranks)
        mine = {row['comm']: row for row in rows}
        for comm in want.keys() | mine.keys():
            if comm not in want or comm not in mine:
                self.result.same(question, comm, f'who of {allocator}', want.get(comm), mine.get(comm))
                continue
            figures, pids, sites = want[comm]
            got = mine[comm]
            self.members(question, comm, figures, {k: v for k, v in got.items() if k in figures})
            self.result.same(question, comm, 'pid of who', True, got['pid'] in pids)
            self.result.same(question, comm, 'site of who', True, int(got['callsite'], 16) in sites)
            self.result.same(question, comm, 'evidence of who', evidence_word(got['confidence']), got['evidence'])

    def ranking(self, question, allocator, rows):
        """Check the order by class, evidence, bytes; findings are the kernel's leaks with the best evidence."""
        levels = 'high', 'medium', 'low'
        ranks = [(leaks.BEHAVIOURS.index(row['behaviour']), levels.index(row['evidence'] or 'high'), -row['bytes'])
                 for row in rows]
        self.result.same(question, allocator, 'ranking', sorted(ranks), ranks)
        accused = [row for row in rows if row['use'] == leaks.KERNEL and row['behaviour'] in ('leaking', 'growing')]
        found = ([row for row in accused if row['evidence'] == 'high'] or
                 [row for row in accused if row['evidence'] == 'medium'])
        self.result.same(question, allocator, 'findings', [found.index(row) + 1 if row in found else None for row in rows],
                         [row['finding'] for row in rows])

    def owner(self, question, key, owners, ours):
        """The one that holds most; if there are several, any of them."""
        held = owners.get((ours['comm'], ours['pid']), [0, 0])
        self.result.same(question, key, 'owner', max(size for _, size in owners.values()), ours['bytes'])
        self.result.same(question, key, 'owner holds', held, [ours['hits'], ours['bytes']])

    @staticmethod
    def by_count(leak, name):
        """Members from the kernel's own count of the cache."""
        if not leak.by_kernel:
            return {}
        count, cleared = leak.by_kernel.get(name[2]), name[1:] in leak.cleared
        return {'kernel_growth': count and count.growth, 'kernel_uncertainty': count and count.hidden,
                'cleared': cleared,
                'reason': "the kernel's own count: the cache did not grow" if cleared else None}

    def untraced(self, question, want, ours):
        mine = {(row['allocator'], int(row['callsite'], 16), row.get(leaks.KIND[row['allocator']])): row for row in ours}
        sites = {}
        for allocator, leak in want.items():
            for key in leak.untraced:
                if leak.sites[key].live_hits:
                    name = allocator, key[0], key[1] if allocator != 'page' else None
                    sites[name] = leak.sites[key]
        for key in sites.keys() | mine.keys():
            site, got = sites.get(key), mine.get(key)
            if site is None or got is None:
                self.result.same(question, key, 'frees not traced', site, got)
                continue
            self.members(question, key, {
                'allocations': site.allocations, 'frees_seen': site.freed, 'frees_unseen': site.unseen,
                'live_hits': site.live_hits, 'live_bytes': site.live_bytes,
                **self.by_count(want[key[0]], key)},
                {k: v for k, v in got.items() if k not in ('allocator', *leaks.KIND.values(), *check.NAMED, 'callsite')})

    def orders(self):
        ours = self.subject.json('stat', '--page')['page']['orders']
        want = collections.Counter((life.order, definitions.migratetype(self.lives, life.migratetype))
                                   for life in self.lives.allocations['page'])
        got = {(o['order'], name): n for o in ours for name, n in o['migratetypes'].items()}
        for key in want.keys() | got.keys():
            self.result.same(f'{self.name} orders', key, 'hits', want[key], got.get(key, 0))

    def recording(self):
        """The facts in the file."""
        recording = self.lives.recording
        ours = self.subject.json('stat', *(f'--{a}' for a in ALLOCATORS if has(self.lives, a)))['recording']
        times = [r.time for r in recording.records if hasattr(r, 'event')]
        want = {'hostname': recording.hostname, 'arch': recording.arch, 'kernel': recording.osrelease,
                'nr_cpus': recording.cpus, 'page_size_bytes': recording.page_size,
                'big_endian': recording.big_endian, 'first_ns': min(times), 'last_ns': max(times)}
        events = [e for e in recording.events if e.name]
        exact = any(e.lost_samples for e in events)
        lost = {e.name: e.lost_samples if exact else e.lost_records for e in events}
        all_lost, samples = sum(lost.values()), sum(e.samples for e in events)
        want['lost_samples'] = all_lost
        want['lost_percent'] = 100 * all_lost / (all_lost + samples)
        for name, value in want.items():
            self.result.same(f'{self.name} recording', '', name, value, ours[name],
                             check.is_same(name, None, value, ours[name]))
        self.result.same(f'{self.name} events', '', 'number', len(events), len(ours['events']))
        for event, mine in zip(events, ours['events']):
            for name, value in (('name', event.name), ('samples', event.samples), ('lost', lost[event.name])):
                self.result.same(f'{self.name} events', event.name, name, value, mine[name])


def evidence_word(confidence):
    if confidence is None:
        return None
    return 'high' if confidence >= 0.8995 else 'medium' if confidence >= 0.4995 else 'low'


def time_option(start, stop):
    return f'--time={start // 10**9}.{start % 10**9:09},{stop // 10**9}.{stop % 10**9:09}'


def ask(subject, result, brief, only=None):
    asking = Asking(subject, result, brief)
    if only == 'pingpong':
        for allocator in ALLOCATORS:
            if has(subject.lives, allocator):
                asking.pingpong(allocator)
        return
    if inside.recorded(subject.lives, 'mm_page_alloc_zone_locked', 'mm_page_pcpu_drain'):
        asking.inside('percpu')
    if inside.recorded(subject.lives, 'mm_page_alloc_extfrag'):
        asking.inside('extfrag')
    if not any(has(subject.lives, allocator) for allocator in ALLOCATORS):
        return
    asking.recording()
    if only:
        return
    for allocator in ALLOCATORS:
        if has(subject.lives, allocator):
            asking.whole(allocator)
            asking.spans(allocator)
            asking.filters(allocator)
            asking.peak(allocator)
        if subject.lives.allocations[allocator]:
            asking.forms(allocator)
            asking.pingpong(allocator)
    if has(subject.lives, 'page'):
        asking.orders()
    for allocators, keys in LEAKS:
        present = [allocator for allocator in allocators if has(subject.lives, allocator)]
        if present:
            asking.leak(present, keys)


def ask_diff(old, new, result, brief):
    bys = {allocator: [(key,) for key in definitions.keys_of(allocator, old.lives)
                       if key in definitions.keys_of(allocator, new.lives) and key not in ('ptr', 'page', 'gfp')]
           for allocator in ALLOCATORS}
    for allocator in ALLOCATORS:
        bys[allocator] = bys[allocator][::4] if brief else [*bys[allocator], ('callsite', 'comm'), ('stack', 'cpu')]
    forms.ask_diff(old, new, result, bys)
