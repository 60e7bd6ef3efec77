# SPDX-License-Identifier: GPL-2.0-or-later
"""Check the reports about tests/guest/module against the modules' own counters."""
import json
import re

# The part of its allocations that each way leaks.
KEEPS = {
    'in_init': 'all', 'kmalloc_small': 'all', 'kmalloc_large': 'all', 'cache_own': 'all', 'cache_merged': 'all',
    'kvmalloc': 'all', 'kstrdup': 'all', 'pages_0': 'all', 'pages_3': 'all', 'get_free_pages': 'all', 'skb': 'all',
    'kthread': 'all',
    'bulk_alloc': 'all', 'percpu': 'all', 'vmalloc': 'all',
    'krealloc': 'part', 'half': 'part', 'fiftieth': 'part', 'rcu_fifth': 'part',
    'churn': 'nothing', 'kvfree': 'nothing', 'free_pages': 'nothing', 'kfree_rcu': 'nothing', 'call_rcu': 'nothing',
    'bulk': 'nothing', 'bulk_both': 'nothing', 'mempool': 'nothing', 'other_cpu': 'nothing',
    'percpu_freed': 'nothing', 'vfree': 'nothing', 'sawtooth': 'nothing',
}
ALLOCATORS = ('slab', 'page', 'percpu-mem', 'vmalloc')
PERCPU = ('percpu', 'percpu_freed')
AREAS = ('vmalloc', 'vfree')
PAGES = ('pages_0', 'pages_3', 'get_free_pages', 'free_pages')
# The kernel frees these in bulk, without a tracepoint: without probes the number of live objects is not known.
UNTRACED_FREES = ('kfree_rcu', 'rcu_fifth', 'bulk')
# Without probes there is no event of these.
UNTRACED = ('bulk_alloc', 'bulk_both')
# The tracepoint's call site is a kernel function; only the stack contains the module's.
KERNEL_SITES = ('kvmalloc', 'kvfree', 'skb', 'mempool')
# Since 6.10 each of these has two events at most 100 us apart.  Under qemu's interpreter they can be further apart,
# and then count as two allocations.
TRACED_TWICE = ('kvmalloc', 'kvfree')
# Half of its allocations are heads, which the kernel may take from those freed on this CPU, without an event (seen in 7.2).
REUSED = ('skb',)
# Real growth in the kernel: sysfs files of a loaded module's caches, regions that DAMON splits (enabled in sid), and
# descriptors of vmalloc areas, which the kernel keeps until it purges the freed areas.
GROWS = r'(sysfs_slab_add|damon_split_region_at|alloc_vmap_area)\+'
# Where the kernel allocates a sheaf, an array of free objects of a cache, while a caller allocates or frees.
SHEAVES = r'_*(pcs_replace|kfree_rcu_sheaf|alloc_(empty|full)_sheaf|kmem_cache_prefill_sheaf)'
# These allocate only once, before the others.
ONCE = ('in_init', 'kthread')
FEW = 16
# Bytes of a pool that the kernel fills at its start and does not count: bio_integrity_initfn(), seen in 7.2.
POOL = 2 * (4096 << 9)
# Bytes that init has the module keep for `where`.
MODULE_PAGES = 4096 * 4096


class Way:
    """A line of /proc/leaker."""

    def __init__(self, line):
        m = re.fullmatch(r'(\w+) (\w+)\+0x0/0x([0-9a-f]+) \[(\w+)\] (\d+) (\d+) (\d+) (\d+)', line)
        assert m, line
        self.name, self.function, self.module = m[1], m[2], m[4]
        self.size = int(m[3], 16)
        self.allocations, self.frees, self.live_bytes, self.remote_frees = (int(n) for n in m.groups()[4:])
        self.live = self.allocations - self.frees
        self.key = ('page' if self.name in PAGES else 'percpu-mem' if self.name in PERCPU else
                    'vmalloc' if self.name in AREAS else 'slab')
        # A recorder that reads the names after the kernel has discarded this function has only its section.
        self.symbols = [self.function] + (['.init.text'] if self.name == 'in_init' else [])
        self.pattern = rf'({"|".join(re.escape(s) for s in self.symbols)})\+[0-9a-f]+ \[{self.module}\]'

    def in_stack(self, row):
        """Is one of the frames in this function, and the object its own?"""
        if row['stack'] and re.match(SHEAVES, row['stack'][0]):
            return False
        # the rest of the section calls the allocator through other functions of the kernel
        frames = row['stack'][:1] if self.name == 'in_init' else row['stack']
        return any(re.fullmatch(self.pattern, f) for f in frames)

    def at(self, row):
        """Is the call site in this function of this module?"""
        return row['module'] == self.module and row['symbol'] in self.symbols and (
            0 < row['offset'] <= self.size or row['symbol'] != self.function)


def release(text):
    return tuple(int(n) for n in re.match(r'(\d+)\.(\d+)', text('release')).groups())


def same(differences):
    assert not differences, '\n'.join(str(d) for d in differences)


def total(rows, key):
    return sum(r[key] for r in rows)


class Run:
    """The reports about one run of tests/guest/leaks, of one recorder."""

    def __init__(self, text, what, via, twice):
        self.text, self.what, self.via, self.twice = text, what, via, twice
        self.all = self.counters('leaker')
        # before 6.3 vmalloc has no tracepoints
        self.leaker = [w for w in self.all if w.key != 'vmalloc' or self.since(6, 3)]

    def probed(self):
        """Does the source have events of functions without a tracepoint?"""
        events = self.report('leak')['recording']['events']
        return any(e['name'].startswith('perf_kmem:') for e in events)

    def since(self, *version):
        return release(self.text) >= version

    def least(self, way, objects):
        """The minimal number of events of a number of objects."""
        return objects // 2 if way.name in REUSED and self.since(7, 0) else objects

    def traced(self, way):
        """Are all events of this way known?"""
        return self.probed() or way.name not in UNTRACED_FREES + UNTRACED

    def probes(self):
        """BPF programs are allowed on all these functions here; perf_event_open cannot record them."""
        names = {e['name'] for e in self.report('leak')['recording']['events'] if e['name'].startswith('perf_kmem:')}
        functions = ('kvfree_call_rcu', 'kmem_cache_free_bulk', 'kmem_cache_alloc_bulk')
        assert names == (set() if self.via == 'perf' else {f'perf_kmem:{f}' for f in functions}), names

    def counters(self, module):
        ways = [Way(line) for line in self.text(f'module-{self.what}.{module}').splitlines()]
        return [w for w in ways if w.allocations]

    def report(self, name):
        return json.loads(self.text(f'module-{self.what}-{self.via}.{name}.json'))

    def stat(self, name):
        report = self.report(name)
        return {key: report[key]['tables'][0]['rows'] for key in ALLOCATORS if key in report}

    def leak(self, name):
        report = self.report(name)['leak']
        return {key: report[key]['rows'] for key in ALLOCATORS if key in report}

    def nothing_lost(self):
        """Since 7.0 programs may be preempted. While both of an event are, it is missed, and counted."""
        preemptible = self.since(7, 0) and self.via == 'bpf'
        for name in ('stat', 'leak'):
            lost = self.report(name)['recording']['lost_samples']
            assert lost <= (FEW if preemptible else 0), f'{name}: {lost} lost'

    def allocations(self):
        """Allocations are exact for all ways, by stack."""
        stacks = self.stat('stacks')
        wrong = []
        for w in self.leaker:
            hits = total([r for r in stacks[w.key] if w.in_stack(r)], 'hits')
            most = w.allocations * (2 if w.name in TRACED_TWICE and self.twice else 1)
            if not self.traced(w) and w.name in UNTRACED:
                right = hits == 0
            else:
                right = self.least(w, w.allocations) <= hits <= most
            if not right:
                wrong.append(f'{w.name}: {hits} allocations, {w.allocations} by its own count')
        same(wrong)

    def live(self):
        """Live objects and bytes are exact where frees are traced."""
        rows = self.leak('leak-stacks')
        wrong = []
        for w in self.leaker:
            ours = [r for r in rows[w.key] if w.in_stack(r)]
            hits, live_bytes = total(ours, 'hits'), total(ours, 'bytes')
            if self.least(w, w.live) < w.live:
                right = self.least(w, w.live) <= hits <= w.live
            elif self.traced(w):
                right = (hits, live_bytes) == (w.live, w.live_bytes)
            elif w.name in UNTRACED:
                right = hits == 0
            else: # or not judged
                hidden = self.report('leak-stacks')['leak']['frees_not_traced']
                hits += total([r for r in hidden if w.at(r)], 'live_hits')
                right = w.live <= hits <= w.allocations
            if not right:
                wrong.append(f'{w.name}: {hits} live, {live_bytes} bytes; {w.live}, {w.live_bytes} by its own count')
        same(wrong)

    def named(self):
        """Each call site of leak has a function, offset and module, and the right number of objects."""
        rows = self.leak('leak')
        wrong = []
        for w in self.leaker:
            hits = total([r for r in rows[w.key] if w.at(r)], 'hits')
            if w.name not in KERNEL_SITES and self.traced(w) and hits != w.live:
                wrong.append(f'{w.function} [{w.module}]: {hits} live, {w.live} by its own count')
        for r in (r for key in rows for r in rows[key]):
            if not r['symbol'] or r['module'] == 'leaker' and not any(w.at(r) for w in self.leaker):
                wrong.append({k: r.get(k) for k in ('callsite', 'symbol', 'offset', 'module', 'hits')})
        same(wrong)

    def names_in_text(self):
        """The text has function+offset [module]."""
        text = self.text(f'module-{self.what}-{self.via}.txt')
        same([f'no {w.function}+... [{w.module}]' for w in self.leaker
              if w.live and w.name not in KERNEL_SITES and self.traced(w) and
              not re.search(rf'^ {w.pattern} ', text, re.M)])

    def leaking(self):
        """A leak that goes on is "leaking"; it may be "growing" if some of each cohort is freed."""
        live = self.via == 'live'
        rows = self.leak('leak' if live else 'leak-stacks')
        wrong = []
        for w in self.leaker:
            if KEEPS[w.name] == 'nothing' or w.name in ONCE or not self.traced(w) or live and w.name in KERNEL_SITES:
                continue
            classes = {r['behaviour'] for r in rows[w.key]
                       if (w.at(r) if live else w.in_stack(r)) and r['hits'] >= 10}
            if not classes or classes - {'leaking'} - ({'growing'} if KEEPS[w.name] == 'part' else set()):
                wrong.append(f'{w.name}: {classes}')
        same(wrong)

    def stopped(self):
        """A leak that has stopped is not "transient", however small its part of the allocations was."""
        rows = self.leak('leak')
        same([f'{r["symbol"]}+{r["offset"]:x}: transient, {r["evidence"]}, {r["hits"]} objects'
              for w in self.leaker for r in rows[w.key] if w.live and w.at(r) and r['behaviour'] == 'transient'])

    def innocent(self):
        """Only leaks are accused with high evidence.

        Exceptions: recorders that start inside this recording and still run at its end, GROWS, and rows of a few
        objects.
        """
        guilty = [w for w in self.all if KEEPS[w.name] != 'nothing']
        rows = self.leak('leak-stacks')
        same([{k: r[k] for k in ('stack', 'hits', 'bytes', 'behaviour', 'evidence')} for key in rows for r in rows[key]
              if r['behaviour'] in ('leaking', 'growing') and r['evidence'] == 'high' and r['use'] == 'kernel' and
              r['hits'] >= FEW and r['owner']['comm'] != 'perf' and not any(w.in_stack(r) for w in guilty) and
              not any(re.match(GROWS, f) for f in r['stack'])])

    def told(self):
        """Without probes, the kernel's count of a cache shows objects without an event."""
        way = next(w for w in self.leaker if w.name == 'bulk_alloc')
        cache = next(c for c in self.report('leak')['leak']['slab']['caches'] if c['cache'] == 'leaker_bulk')
        # other ways free all objects of this cache, but some of these frees have no event
        growth = cache['kernel_growth']
        assert growth > way.live / 2 and abs(growth - way.live) <= cache['kernel_uncertainty'], (way.live, cache)

    def thread(self):
        """A kernel thread that started during the recording has its own name."""
        way = next(w for w in self.leaker if w.name == 'kthread')
        comms = {r['comm']: r['hits'] for r in self.stat('stat')['slab'] if way.at(r)}
        assert comms == {'leaker-thread': way.allocations}, comms

    def remote_frees(self):
        """Frees on another CPU are counted as ping-pong of the call site."""
        way = next(w for w in self.leaker if w.name == 'other_cpu')
        pingpong = total([r for r in self.stat('stat')['slab'] if way.at(r)], 'pingpong')
        assert pingpong == way.remote_frees > 0, f'{pingpong}, {way.remote_frees} by its own count'

    def replaced(self):
        first, second, tries = self.text('module-replaced.addresses').split()
        assert first == second, f'honest.ko was loaded at {second}, not at {first}, in {tries} attempts'

    def honest(self):
        """The second module has its own allocations, and leaks nothing."""
        stat, leak = self.stat('stat'), self.leak('leak')
        wrong = [f'{w.function}: {hits} allocations, {w.allocations} by its own count' for w in self.counters('honest')
                 for hits in [total([r for r in stat[w.key] if w.at(r)], 'hits')] if hits != w.allocations]
        same(wrong + [{k: r[k] for k in ('symbol', 'offset', 'hits', 'bytes', 'behaviour')}
                      for key in leak for r in leak[key] if r['module'] == 'honest'])


def ended(text, there, what):
    """None of the recorders crashed, and all have reports."""
    status = int(text(f'module-{what}.status'))
    assert status < 124, (status, text(f'module-{what}.err'))
    ways = ('perf', 'bpf', 'live') if release(text) >= (5, 14) else ('perf',)
    missing = [via for via in ways if not there(f'module-{what}-{via}.leak.json')]
    assert not missing, missing


def no_vmalloc(text):
    """A kernel without these tracepoints is named, in one line."""
    for name in ('record', 'stat'):
        error = text(f'no-vmalloc-{name}.err')
        assert text(f'no-vmalloc-{name}.status').strip() == '1' and len(error.splitlines()) == 1, error
        assert 'this kernel has no' in error and 'vmalloc' in error, error


def where(text):
    """All lines add up to MemTotal, few bytes are in no line, and a module's pages are among those."""
    unaccounted = []
    for name in ('where-before', 'where-after'):
        rows = json.loads(text(name + '.out'))['where']['lines']
        top = {row['path']: row['bytes'] for row in rows if row['depth'] == 1}
        total = rows[0]['bytes']
        assert sum(top.values()) == total, (name, total, top)
        unaccounted.append(top.get('unaccounted', 0))
    kept = POOL if release(text) >= (7, 0) else 0
    assert abs(unaccounted[0] - kept) < 0.005 * total, (total, unaccounted)
    assert abs(unaccounted[1] - unaccounted[0] - MODULE_PAGES) < 0.05 * MODULE_PAGES, unaccounted


def checks(text, there, twice):
    """Yields pairs of a name and a function that raises if the check fails.

    twice: the kernel traces kvmalloc() twice.
    """
    if there('where-after.out'):
        yield 'where', lambda: where(text)
    if there('no-vmalloc-stat.status'):
        yield 'no-vmalloc', lambda: no_vmalloc(text)
    for what in ('gone', 'replaced', 'ways'):
        if there(f'module-{what}.status'):
            yield f'module-{what}', lambda what=what: ended(text, there, what)
        for via in ('perf', 'bpf', 'live'):
            if not there(f'module-{what}-{via}.leak.json'):
                continue
            run = Run(text, what, via, twice)
            listed = [('names', run.named), ('probes', run.probes)]
            if what == 'ways':
                listed += [('leaking', run.leaking)]
            if via != 'live':
                listed += [('nothing-lost', run.nothing_lost), ('allocations', run.allocations), ('live', run.live),
                           ('text', run.names_in_text), ('innocent', run.innocent)]
                if what == 'ways':
                    listed += [('told', run.told), ('thread', run.thread), ('remote-frees', run.remote_frees)]
                if what == 'replaced':
                    listed += [('honest', run.honest)]
            if what == 'replaced':
                listed += [('same-address', run.replaced), ('stopped', run.stopped)]
            yield from ((f'module-{what}-{via}-{name}', function) for name, function in listed)
