# SPDX-License-Identifier: GPL-2.0-or-later
"""The meaning of each figure of a report: a second version of Documentation/figures.md.

The product keeps accounts while it reads.  Here the whole recording is first turned into *lives* (an allocation,
and how it ended), whatever the question; a question then selects and adds.
"""
import collections
import re

import areas
import perfdata
import symbols

NO_NODE = -1
ZERO_SIZE_PTR = 16          # what kmalloc(0) returns: freeing it frees nothing
DUPLICATE_NS = 100_000      # the two traces of one large kmalloc are at most this far apart
SHORT_NS = 1_000_000        # what lives no longer could be kept and used again
FREED, UNSEEN = 'freed', 'unseen'
SLAB_ALLOCS = {'kmalloc', 'kmalloc_node', 'kmem_cache_alloc', 'kmem_cache_alloc_node'}
SLAB_FREES = {'kfree', 'kmem_cache_free'}
PAGE_ALLOCS = {'mm_page_alloc'}
PAGE_FREES = {'mm_page_free', 'mm_page_free_direct'}
ALLOCATORS = 'slab', 'page', 'vmalloc', 'percpu-mem'
MIGRATETYPES = ['Unmovable', 'Movable', 'Reclaimable', 'HighAtomic']  # since 4.4


class Life:
    """One allocation.  For pages, `left` are live; `parts` says when and how each part ended."""
    __slots__ = ('time', 'serial', 'ptr', 'req', 'alloc', 'site', 'frames', 'cache', 'told', 'comm', 'pid', 'tid',
                 'cpu', 'node', 'cross', 'gfp', 'order', 'migratetype', 'accounted', 'large', 'cgroup',
                 'end', 'end_serial', 'how', 'end_cpu', 'left', 'parts')


class Free:
    """A free event: what it ended, as (life, pages)."""
    __slots__ = ('time', 'serial', 'order', 'covers', 'cpu')

    def __init__(self, sample, serial, order, covers):
        self.time, self.serial, self.order, self.covers = sample.time, serial, order, covers
        self.cpu = sample.cpu


class Comms:
    """The name of each thread, while the records go by in time order."""

    def __init__(self):
        self.names, self.ended, self.knows_ends = {}, set(), False

    def take(self, record):
        if isinstance(record, perfdata.Exit):
            self.ended.add(record.tid)
            self.knows_ends = True
        elif isinstance(record, perfdata.Comm):
            self.names[record.tid] = record.comm
            self.ended.discard(record.tid)
        else:
            self.knows_ends = True
            if record.parent in self.names:
                self.names[record.tid] = self.names[record.parent]
                self.ended.discard(record.tid)

    def has_ended(self, tid):
        """It runs on for a while: its exit is recorded before it gives its memory back."""
        return tid in self.ended

    def is_alive(self, pid):
        """At the end, as far as is known."""
        return self.knows_ends and pid in self.names and pid not in self.ended

    def of(self, tid):
        comm = self.names.get(tid)
        if comm is None:
            return 'swapper' if tid == 0 else f':{tid}'
        return comm.decode('utf-8', 'replace')


class Cgroups:
    """The path of each control group, likewise."""

    def __init__(self):
        self.paths = {}

    def take(self, record):
        self.paths[record.id] = record.path.decode('utf-8', 'replace')

    def of(self, number):
        return self.paths.get(number, str(number))


def gfp_names(recording):
    """[(mask, name)] of the flags of allocations, as the recording's own formats name them."""
    for one in recording.formats.values():
        if one.system in ('kmem', 'percpu') and one.has('gfp_flags'):
            names = one.flag_names()
            if names:
                return names
    return []


class Lives:
    """All lives in a recording, of the objects of each allocator."""

    def __init__(self, recording, symbols):
        self.recording, self.symbols = recording, symbols
        self.allocations, self.frees, self.failures = ({name: [] for name in ALLOCATORS} for _ in range(3))
        self.lazy = []  # vmalloc: (time, pages freed and not purged, areas purged) after each free and purge
        self.unmatched = collections.Counter()  # frees of objects that were not live, by cache; None: kfree()
        self.duplicates = []  # the lives that were traced twice
        self.gfp_names = gfp_names(recording)
        self._live, self._failed, self._pages, self._comms = {}, {}, {}, Comms()
        self._ranges = {'vmalloc': {}, 'percpu-mem': {}}  # live ones by address
        self._rcu = {}  # freed by kfree_rcu(), by pointer
        self._cgroups = Cgroups()
        self._chains, self._texts, self._values = {}, {}, {}
        account = dict((name, mask) for mask, name in self.gfp_names).get('__GFP_ACCOUNT', 0)
        self._account = account
        self._families = self._kmalloc_families()
        self._inside = self._learn_inside()
        handlers = {}
        for names, handler in ((SLAB_ALLOCS, self._slab_alloc), (SLAB_FREES, self._slab_free),
                               (PAGE_ALLOCS, self._page_alloc), (PAGE_FREES, self._page_free)):
            handlers.update((f'kmem:{name}', handler) for name in names)
        handlers.update({'perf_kmem:kmem_cache_alloc_bulk': self._slab_alloc,
                         'perf_kmem:kmem_cache_free_bulk': self._slab_free,
                         'perf_kmem:kvfree_call_rcu': self._slab_free_rcu,
                         'vmalloc:alloc_vmap_area': self._area_alloc,
                         'vmalloc:free_vmap_area_noflush': self._area_free,
                         'vmalloc:purge_vmap_area_lazy': self._area_purge,
                         'percpu:percpu_alloc_percpu': self._percpu_alloc,
                         'percpu:percpu_alloc_percpu_fail': self._percpu_alloc,
                         'percpu:percpu_free_percpu': self._percpu_free})
        for serial, record in enumerate(recording.records):
            if isinstance(record, perfdata.Sample):
                handler = handlers.get(record.event.name)
                if handler:
                    handler(serial, record, record.event.format)
            elif isinstance(record, perfdata.Cgroup):
                self._cgroups.take(record)
            else:
                self._comms.take(record)

    def is_alive(self, pid):
        return self._comms.is_alive(pid)

    def knows_ends(self):
        return self._comms.knows_ends

    def _new(self, life, sample, one):
        """Members of slab and page allocations."""
        raw = sample.raw
        life.pid, life.tid, life.cpu = sample.pid, sample.tid, sample.cpu
        life.comm = self._comms.of(sample.tid)
        life.cgroup = self._cgroups.of(sample.cgroup)
        life.gfp = one.number(raw, 'gfp_flags', 0)
        here = self.recording.nodes.get(sample.cpu, NO_NODE)
        asked = one.number(raw, 'node', NO_NODE)
        life.node = here if asked == NO_NODE else asked
        life.cross = NO_NODE not in (asked, here) and asked != here
        told = one.number(raw, 'accounted')
        life.accounted = bool(life.gfp & self._account) if told is None else bool(told)
        life.order = life.migratetype = None
        life.end = life.end_serial = life.how = life.end_cpu = None
        life.parts = None
        return life

    def values(self, allocator, key):
        """{life: the value of this key}: computed once for all tables."""
        values = self._values.get((allocator, key))
        if values is None:
            value = KEYS[key]
            values = self._values[allocator, key] = {life: value(self, life) for life in self.allocations[allocator]}
        return values

    def stack_text(self, frames):
        text = self._texts.get(frames)
        if text is None:
            text = self._texts[frames] = tuple(map(self.symbols.text, frames))
        return text

    def _kernel_frames(self, chain):
        frames = self._chains.get(chain)
        if frames is None:
            frames = self._chains[chain] = self.symbols.kernel_frames(chain)
        return frames

    def _end(self, life, serial, sample, how):
        life.end, life.end_serial, life.how, life.end_cpu = sample.time, serial, how, sample.cpu

    # slab

    def _bare(self, serial, sample, one):
        """Members of slab allocations only."""
        raw, life = sample.raw, Life()
        life.time, life.serial, life.tid = sample.time, serial, sample.tid
        life.ptr, life.site = one.number(raw, 'ptr'), one.number(raw, 'call_site')
        life.req, life.alloc = one.number(raw, 'bytes_req'), one.number(raw, 'bytes_alloc')
        # what no kmalloc cache can hold is larger than two pages
        life.large = one.name.startswith('kmalloc') and life.alloc > 2 * self.recording.page_size
        return life

    def _slab_alloc(self, serial, sample, one):
        raw = sample.raw
        life = self._new(self._bare(serial, sample, one), sample, one)
        frames = self._kernel_frames(sample.chain)
        life.frames = tuple(frames[frames.index(life.site):]) if life.site in frames else (life.site,)
        life.cache = self._cache(one, raw, life)
        life.told = self._told(one, raw)
        if not life.ptr:
            old = self._failed.get(life.tid)
            if old and self._is_second_trace(old, life):
                self.failures['slab'].remove(old)
                self.duplicates.append(life)
            self._failed[life.tid] = life
            self.failures['slab'].append(life)
            return
        self._rcu.pop(life.ptr, None)
        old = self._live.get(life.ptr)
        if old and self._is_second_trace(old, life):
            self.allocations['slab'].remove(old)
            self.duplicates.append(life)
        elif old:
            # the pointer was allocated again, so it was freed, and that was not traced
            self._end(old, serial, sample, UNSEEN)
        self._live[life.ptr] = life
        self.allocations['slab'].append(life)

    def _is_second_trace(self, old, new):
        """A large kmalloc is traced inside the allocator, and immediately again by the allocator's caller.

        Call sites inside are those that are followed by such a second trace more often than not: for a whole
        recording this can be determined without knowing any names.
        """
        return self._may_be_pair(old, new) and self._inside[old.site] > 0

    def _may_be_pair(self, old, new):
        return (old.large and new.large and (old.tid, old.req, old.alloc) == (new.tid, new.req, new.alloc)
                and new.time - old.time <= DUPLICATE_NS
                and self._function(old.site) != self._function(new.site))

    def _function(self, site):
        symbol = self.symbols.find(site)
        return symbol.start if symbol else site

    def _learn_inside(self):
        """Votes for each call site of large kmallocs: traced a second time, or not."""
        votes, live = collections.Counter(), {}
        for serial, sample in enumerate(self.recording.records):
            name = getattr(getattr(sample, 'event', None), 'name', None)
            name = name and name[5:]
            if name in SLAB_ALLOCS and name.startswith('kmalloc'):
                one, raw = sample.event.format, sample.raw
                if one.number(raw, 'bytes_alloc') <= 2 * self.recording.page_size:
                    continue
                life = self._bare(serial, sample, one)
                key = life.ptr or ('failed', life.tid)
                old = live.get(key)
                if old:
                    votes[old.site] += 1 if self._may_be_pair(old, life) else -1
                live[key] = life
            elif name in SLAB_FREES:
                old = live.pop(sample.event.format.number(sample.raw, 'ptr'), None)
                if old:
                    votes[old.site] -= 1
        return votes

    def _cache(self, one, raw, life):
        """The name used by slabtop: that in the event, or the one determined by size and flags."""
        name = one.string(raw, 'name')
        if name or name is not None and not one.name.startswith('kmalloc'):
            return name.decode('utf-8', 'replace')
        short = life.alloc >= 1024 and life.alloc % 1024 == 0 and self._release() >= (4, 20)
        size = f'{life.alloc // 1024}k' if short else str(life.alloc)
        if not one.name.startswith('kmalloc'):
            return f'kmem_cache-{size}'  # which one nobody tells
        if life.large:
            return f'kmalloc-{size}'  # of no cache
        for family, mask in self._families:
            if life.gfp & mask:
                return f'{family}-{size}'
        return f'kmalloc-{size}'

    def _release(self):
        release = re.match(r'(\d+)\.(\d+)', self.recording.osrelease or '')
        return tuple(map(int, release.groups())) if release else (99, 0)

    def _kmalloc_families(self):
        """include/linux/slab.h, kmalloc_type(): the first that fits. The recorder says which ones exist."""
        masks = {name.lstrip('_'): mask for mask, name in self.gfp_names}
        told = self.recording.told('kmalloc-caches')
        families = []
        for family, flag, since in (('dma-kmalloc', 'GFP_DMA', (0, 0)), ('kmalloc-rcl', 'GFP_RECLAIMABLE', (4, 20)),
                                    ('kmalloc-cg', 'GFP_ACCOUNT', (5, 14))):
            if family in told.split() if told is not None else self._release() >= since:
                families.append((family, masks.get(flag, 0)))
        return families

    @staticmethod
    def _told(one, raw):
        """The cache of an event, with its name if the event has it, or kmalloc's; kfree without a name: any."""
        name = one.string(raw, 'name') or None
        if not name and one.name in ('kfree', 'kmem_cache_free_bulk'):
            return None
        return 'kmalloc' if not name and one.name.startswith('kmalloc') else 'cache', name

    @staticmethod
    def _contradict(life, told):
        """Something is freed there that was allocated without an event (in bulk), in another cache's slab."""
        if not told or life.told == told:
            return False
        return life.told[0] != told[0] or None not in (life.told[1], told[1])

    def _slab_free_rcu(self, serial, sample, one):
        """kfree_rcu(): free at once, but its pointer may be freed again, by the kernel."""
        ptr = one.number(sample.raw, 'ptr')
        life = self._live.pop(ptr, None)
        if life:
            self._end(life, serial, sample, FREED)
            self.frees['slab'].append(Free(sample, serial, 0, [(life, 1)]))
            self._rcu[ptr] = life

    def _slab_free(self, serial, sample, one):
        ptr = one.number(sample.raw, 'ptr')
        freeing = self._rcu.pop(ptr, None)
        if freeing and not self._contradict(freeing, self._told(one, sample.raw)):
            return
        life = self._live.pop(ptr, None) if ptr not in (0, ZERO_SIZE_PTR) else None
        if life and self._contradict(life, self._told(one, sample.raw)):
            self._end(life, serial, sample, UNSEEN)
            life = None
        elif life:
            self._end(life, serial, sample, FREED)
        self.frees['slab'].append(Free(sample, serial, 0, [(life, 1)] if life else []))
        if not life and ptr > ZERO_SIZE_PTR:
            name = one.string(sample.raw, 'name')
            self.unmatched[name.decode('utf-8', 'replace') if name is not None else None] += 1

    # pages

    def _pfn(self, raw, one):
        if not one.has('pfn'):
            return one.number(raw, 'page')  # before 4.1: the address of struct page
        pfn = one.number(raw, 'pfn')
        return 0 if pfn == 2**(8 * self.recording.long_size) - 1 else pfn

    def _page_alloc(self, serial, sample, one):
        life = Life()
        life.time, life.serial, life.large = sample.time, serial, False
        self._new(life, sample, one)
        life.ptr = self._pfn(sample.raw, one)
        life.order = one.number(sample.raw, 'order')
        life.migratetype = one.number(sample.raw, 'migratetype')
        life.req = life.alloc = self.recording.page_size << life.order
        frames = self._kernel_frames(sample.chain)
        life.site = 0 if self.symbols.is_broken(sample.chain) else self.symbols.caller(frames)
        life.frames = tuple(frames[frames.index(life.site):]) if life.site else ()
        if self.symbols.takes_slab(life.site):
            life.site, life.frames = symbols.SLAB_PAGES, (symbols.SLAB_PAGES,)
        life.cache = None
        if not life.ptr:
            self.failures['page'].append(life)
            return
        count = 1 << life.order if one.has('pfn') else 1
        for covered, pages in self._cover(life.ptr, count):
            self._take(covered, pages, serial, sample, UNSEEN)
        life.left, life.parts = count, []
        for page in range(life.ptr, life.ptr + count):
            self._pages[page] = life
        self.allocations['page'].append(life)

    def _cover(self, first, count):
        """The live blocks that pages belong to, and how many pages of each; they are removed."""
        covers = collections.Counter()
        lives = {}
        for page in range(first, first + count):
            life = self._pages.pop(page, None)
            if life:
                lives[id(life)] = life
                covers[id(life)] += 1
        return [(lives[one], pages) for one, pages in covers.items()]

    def _take(self, life, pages, serial, sample, how):
        life.left -= pages
        life.parts.append((serial, sample.time, how, pages))
        if not life.left:
            self._end(life, serial, sample, how)

    def _page_free(self, serial, sample, one):
        order = one.number(sample.raw, 'order')
        covers = self._cover(self._pfn(sample.raw, one), 1 << order if one.has('pfn') else 1)
        for life, pages in covers:
            self._take(life, pages, serial, sample, FREED)
        self.frees['page'].append(Free(sample, serial, order, covers))

    # areas of vmalloc space, and percpu objects

    def _range(self, serial, sample, one):
        life = Life()
        life.time, life.serial, life.large, life.cache = sample.time, serial, False, None
        return self._new(life, sample, one)

    def _range_alloc(self, allocator, life, sample):
        if not life.ptr:
            self.failures[allocator].append(life)
            return
        old = self._ranges[allocator].get(life.ptr)
        if old:
            self._end(old, life.serial, sample, UNSEEN)
        self._ranges[allocator][life.ptr] = life
        self.allocations[allocator].append(life)

    def _range_free(self, allocator, serial, sample, ptr):
        life = self._ranges[allocator].pop(ptr, None)
        if life:
            self._end(life, serial, sample, FREED)
        self.frees[allocator].append(Free(sample, serial, 0, [(life, 1)] if life else []))

    def _area_alloc(self, serial, sample, one):
        raw, life = sample.raw, self._range(serial, sample, one)
        life.ptr = 0 if one.number(raw, 'failed') else one.number(raw, 'addr')
        life.req = life.alloc = one.number(raw, 'size')
        frames = self._kernel_frames(sample.chain)
        life.site, life.cache = areas.caller(self.symbols, frames)
        if self.symbols.is_broken(sample.chain):
            life.site, life.cache = 0, areas.OTHER
        life.frames = tuple(frames[frames.index(life.site):]) if life.site else ()
        self._range_alloc('vmalloc', life, sample)

    def _area_free(self, serial, sample, one):
        self.lazy.append((sample.time, one.number(sample.raw, 'nr_lazy'), None))
        self._range_free('vmalloc', serial, sample, one.number(sample.raw, 'va_start'))

    def _area_purge(self, _, sample, one):
        self.lazy.append((sample.time, 0, one.number(sample.raw, 'npurged')))

    def _percpu_alloc(self, serial, sample, one):
        """Each possible CPU has a copy. A failure has neither an address nor a call site."""
        raw, life = sample.raw, self._range(serial, sample, one)
        life.ptr, life.site = one.number(raw, 'ptr', 0), one.number(raw, 'call_site', 0)
        cpus = int(self.recording.told('possible-cpus') or self.recording.cpus)
        life.req = life.alloc = one.number(raw, 'size') * (cpus if life.ptr else 1)
        frames = self._kernel_frames(sample.chain)
        life.frames = tuple(frames[frames.index(life.site):]) if life.site in frames else (life.site,)
        self._range_alloc('percpu-mem', life, sample)

    def _percpu_free(self, serial, sample, one):
        self._range_free('percpu-mem', serial, sample, one.number(sample.raw, 'ptr'))


# Keys: what rows may be grouped by, as written in the JSON.

def module_of(lives, life):
    if not life.site:
        return 'unknown'
    symbol = lives.symbols.find(life.site)
    return 'unknown' if not symbol else symbol.module or 'kernel'


def size_class(size):
    return size if size <= 1 else 1 << (size - 1).bit_length()


def migratetype(lives, number):
    told = lives.recording.told('migratetypes')
    # CMA exists only if it was built in, so Isolate has no number of its own
    names = MIGRATETYPES if told is None else told.split()
    return names[number] if 0 <= number < len(names) else str(number)


KEYS = {
    'callsite': lambda lives, life: f'{life.site:#x}',
    'stack': lambda lives, life: lives.stack_text(life.frames),
    'ptr': lambda lives, life: f'{life.ptr:#x}',
    'page': lambda lives, life: f'{life.ptr:#x}',
    'cache': lambda lives, life: life.cache,
    'purpose': lambda lives, life: life.cache,
    'comm': lambda lives, life: life.comm,
    'pid': lambda lives, life: life.pid,
    'tid': lambda lives, life: life.tid,
    'cpu': lambda lives, life: life.cpu,
    'node': lambda lives, life: life.node,
    'module': module_of,
    'gfp': lambda lives, life: f'{life.gfp:#x}',
    'order': lambda lives, life: life.order,
    'migtype': lambda lives, life: migratetype(lives, life.migratetype),
    'accounted': lambda lives, life: life.accounted,
    'size': lambda lives, life: size_class(life.req),
    'cgroup': lambda lives, life: life.cgroup,
}
OTHERS = {'slab': {'page', 'order', 'migtype', 'purpose'},
          'page': {'ptr', 'cache', 'purpose'},
          'vmalloc': {'page', 'order', 'migtype', 'cache', 'gfp', 'accounted'},
          'percpu-mem': {'page', 'order', 'migtype', 'cache', 'purpose'}}


def keys_of(allocator, lives):
    other = set(OTHERS[allocator])
    if not any(event.sample_type & perfdata.SAMPLE_CGROUP for event in lives.recording.events):
        other.add('cgroup')  # is refused
    return [key for key in KEYS if key not in other]


class Spans:
    """For --time: no spans mean the whole recording."""

    def __init__(self, *spans):
        self.spans = spans
        self.end = max((stop for _, stop in spans), default=None)

    def has(self, time):
        return not self.spans or any(start <= time <= stop for start, stop in self.spans)

    def over(self, time):
        """After all of them: such an event is not looked at."""
        return self.end is not None and time > self.end


class Row:
    __slots__ = ('hits', 'req', 'alloc', 'pingpong', 'live_hits', 'live_bytes', 'live_req', 'unseen', 'ages')

    def __init__(self):
        self.hits = self.req = self.alloc = self.pingpong = 0
        self.live_hits = self.live_bytes = self.live_req = self.unseen = 0
        self.ages = []  # of freed allocations


def live_at_the_end(life):
    """Bytes of it that are live at the end of the recording."""
    if life.parts is None:
        return 0 if life.how else life.alloc
    gone = sum([pages for _, _, _, pages in life.parts])
    return life.alloc - gone * (life.alloc // (1 << life.order)) if gone else life.alloc


class Question:
    """Which lives, in which time; `until`: nothing happened from this record on (--peak)."""

    def __init__(self, lives, allocator, spans=Spans(), choose=None, until=None):
        self.lives, self.allocator, self.spans, self.until = lives, allocator, spans, until
        self.chosen = lives.allocations[allocator]
        self.choose = choose
        self._facts = self._summary = None
        if choose:
            self.chosen = [life for life in self.chosen if choose(life)]
        self.is_chosen = set(self.chosen).__contains__ if choose else lambda life: True
        if not spans.spans and until is None:  # all the time: most questions
            self.began, self.live, self.ended = lambda life: True, live_at_the_end, lambda life, how: life.how == how

    def is_over(self, time, serial):
        return self.spans.over(time) or self.until is not None and serial > self.until

    def live(self, life):
        """Bytes of it that are live at the end."""
        if self.is_over(life.time, life.serial):
            return 0
        if life.parts is None:
            return 0 if life.how and not self.is_over(life.end, life.end_serial) else life.alloc
        gone = sum(pages for serial, time, _, pages in life.parts if not self.is_over(time, serial))
        return life.alloc - gone * (life.alloc // (gone and (1 << life.order)) if gone else 0)

    def ended(self, life, how):
        return life.how == how and self.spans.has(life.end) and not self.is_over(life.end, life.end_serial)

    def began(self, life):
        return self.spans.has(life.time) and not self.is_over(life.time, life.serial)

    def facts(self):
        """(life, did it begin in the spans, bytes live at the end, freed, freed unseen): computed once for all tables."""
        if self._facts is None:
            self._facts = [(life, self.began(life), self.live(life), self.ended(life, FREED),
                            self.ended(life, UNSEEN))
                           for life in self.chosen if not self.is_over(life.time, life.serial)]
        return self._facts

    def rows(self, *by):
        """Rows by the values of the keys."""
        columns = [self.lives.values(self.allocator, key) for key in by]
        facts, rows = self.facts(), {}
        all_lives = [fact[0] for fact in facts]
        keys = zip(*(map(column.__getitem__, all_lives) for column in columns))
        for key, (life, began, live, freed, unseen) in zip(keys, facts):
            if not (began or live or freed or unseen):
                continue
            row = rows.get(key)
            if row is None:
                row = rows[key] = Row()
            if began:
                row.hits += 1
                row.req += life.req
                row.alloc += life.alloc
            if live:
                row.live_hits += 1
                row.live_bytes += live
                row.live_req += live if life.parts is not None else life.req
            if freed:
                row.ages.append(life.end - life.time)
                row.pingpong += life.end_cpu != life.cpu
            elif unseen:
                row.unseen += 1
        return rows

    def peak(self):
        """(the record at which most bytes are live, bytes, time): the first such moment.

        Only moments in the spans count, the first of which is the beginning of a span.
        """
        change = collections.Counter()
        for life in self.chosen:
            change[life.serial] += life.alloc
            if life.parts is None:
                if life.how:
                    change[life.end_serial] -= life.alloc
            else:
                for serial, _, _, pages in life.parts:
                    change[serial] -= pages * (life.alloc >> life.order)
        best, live, last = (None, 0, 0), 0, None
        starts = sorted(start for start, _ in self.spans.spans)
        records = self.lives.recording.records
        for serial in sorted(change):
            time = records[serial].time
            while starts and starts[0] <= time:
                start = starts.pop(0)
                if live > best[1]:
                    best = (last, live, start)
            live += change[serial]
            last = serial
            if live > best[1] and self.spans.has(time):
                best = (serial, live, time)
        for start in starts:
            if live > best[1]:
                best = (last, live, start)
        return best

    def summary(self):
        if self._summary is None:
            self._summary = {'slab': self._slab_summary, 'page': self._page_summary}.get(self.allocator, self._range_summary)()
        return self._summary

    def _failures(self):
        failures = self.lives.failures[self.allocator]
        return [f for f in failures if self.began(f) and (not self.choose or self.choose(f))]

    def _frees(self):
        """The frees that the question is about: those that free something selected."""
        frees = self.lives.frees[self.allocator]
        for free in frees:
            if not self.spans.has(free.time) or self.is_over(free.time, free.serial):
                continue
            if not self.choose or any([self.is_chosen(life) for life, _ in free.covers]):
                yield free

    def pairs(self):
        """{(CPU that allocated, CPU that freed): [frees, bytes]}: together they are the summary's matched ones.

        A free of pages of several blocks is one of the first of them; bytes are those of each.
        """
        pairs = collections.defaultdict(lambda: [0, 0])
        size = self.lives.recording.page_size
        for free in self._frees():
            covers = [(life, pages) for life, pages in free.covers if self.is_chosen(life)]
            if not covers:
                continue
            whole = size << free.order if self.allocator == 'page' else covers[0][0].alloc
            first = pairs[covers[0][0].cpu, free.cpu]
            first[0] += 1
            first[1] += whole
            for life, pages in covers[1:]:
                first[1] -= pages * size
                pairs[life.cpu, free.cpu][1] += pages * size
        return pairs

    def pingpong(self):
        """Allocations whose last free came from another CPU."""
        return sum(life.end_cpu != life.cpu for life, _, _, freed, _ in self.facts() if freed)

    def _slab_summary(self):
        facts = self.facts()
        began = [life for life, is_it, _, _, _ in facts if is_it]
        freed = [life for life, _, _, is_it, _ in facts if is_it]
        live = [life for life, _, is_it, _, _ in facts if is_it]
        frees = list(self._frees())
        matched = sum(bool(free.covers) for free in frees)
        req, alloc = sum(life.req for life in began), sum(life.alloc for life in began)
        return {
            'bytes_requested': req,
            'bytes_allocated': alloc,
            'bytes_freed': sum(life.alloc for life in freed),
            'bytes_live': sum(life.alloc for life in live),
            'bytes_wasted': max(alloc - req, 0),
            'fragmentation_percent': fragmentation(req, alloc),
            'allocations': len(began),
            'frees': len(frees),
            'frees_matched': matched,
            'frees_unmatched': len(frees) - matched,
            'unseen_frees': sum(unseen for _, _, _, _, unseen in facts),
            'duplicates_dropped': sum(self.began(life) and (not self.choose or self.choose(life))
                                      for life in self.lives.duplicates),
            'failures': len(self._failures()),
            'cross_node_allocations': sum(life.cross for life in began),
            'live': len(live),
        }

    def _range_summary(self):
        summary, failures = self._slab_summary(), self._failures()
        names = ('bytes_allocated', 'bytes_freed', 'bytes_live', 'allocations', 'frees', 'frees_matched', 'frees_unmatched',
                 'unseen_frees', 'failures', 'live')
        summary = {name: summary[name] for name in names}
        summary['bytes_failed'] = sum(life.req for life in failures)
        if self.allocator == 'vmalloc' and self.until is None:
            summary.update(self._lazy())
        return summary

    def _lazy(self):
        """Areas that wait to be purged, of all commands."""
        size, lazy, most, purged = self.lives.recording.page_size, 0, 0, []
        for time, pages, areas_purged in self.lives.lazy:
            if self.spans.has(time):
                most = max(most, pages)
                purged += [areas_purged] if areas_purged is not None else []
            if self.spans.has(time) or areas_purged is not None and not self.spans.over(time):
                lazy = pages
        return {'bytes_unpurged': lazy * size, 'bytes_unpurged_max': most * size, 'purges': len(purged),
                'areas_purged': sum(purged)}

    def _page_summary(self):
        facts = self.facts()
        began = [life for life, is_it, _, _, _ in facts if is_it]
        failures = self._failures()
        live = [size for _, _, size, _, _ in facts if size]
        size = self.lives.recording.page_size
        frees = list(self._frees())
        matched = [free for free in frees if free.covers]
        only = [free for free in frees if not free.covers]
        bytes_of = lambda frees: sum(size << free.order for free in frees)
        returned = sum(pages for life in began for serial, time, how, pages in life.parts
                       if how == FREED and self.spans.has(time) and not self.is_over(time, serial))
        return {
            'alloc_requests': len(began) + len(failures),
            'alloc_bytes': sum(life.alloc for life in began + failures),
            'free_requests': len(frees),
            'free_bytes': bytes_of(frees),
            'matched_requests': len(matched),
            'matched_bytes': bytes_of(matched),
            'alloc_only_requests': sum(is_it and not freed for _, is_it, _, freed, _ in facts),
            'alloc_only_bytes': sum(life.alloc for life in began) - returned * size,
            'free_only_requests': len(only),
            'free_only_bytes': bytes_of(only),
            'failures': len(failures),
            'failed_bytes': sum(life.alloc for life in failures),
            'live': len(live),
            'live_bytes': sum(live),
        }


def fragmentation(req, alloc):
    return 100 - 100 * req / alloc if alloc else 0
