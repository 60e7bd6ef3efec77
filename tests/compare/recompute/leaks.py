# SPDX-License-Identifier: GPL-2.0-or-later
"""perf kmem leak: a second version of Documentation/figures.md, "Leaks".

The product keeps a history of each row while it reads, at moments that it chooses; here what was
live at these moments, and what became of each cohort, is added up from the lives.
"""
import bisect
import collections

import definitions
import symbols

MOMENTS = 16
HALF, QUARTER, YOUNG = MOMENTS // 2, MOMENTS // 4, 2
KERNEL, PAGE_CACHE, USER, SLAB_PAGES, PROCESS = 'kernel', 'page cache', 'user', 'slab pages', 'process'
SHMEM, ATTACHED = 'shared memory', 'attached'
USES = KERNEL, PAGE_CACHE, USER, SLAB_PAGES, PROCESS, SHMEM, ATTACHED
# functions that allocate memory freed with its process: page tables, stacks, tasks, vmas
OF_PROCESS = {'pte_alloc_one', '__pte_alloc', '__pte_alloc_one', '__pmd_alloc', '__pud_alloc', '__p4d_alloc', 'pgd_alloc',
              'pmd_alloc_one', 'pud_alloc_one', 'dup_task_struct', 'copy_process', 'alloc_thread_stack_node',
              'copy_signal', 'copy_sighand', 'dup_mm', 'mm_alloc', 'vm_area_dup', 'vm_area_alloc', 'anon_vma_clone',
              'anon_vma_fork', '__anon_vma_prepare'}
# functions that allocate what lives as long as the objects of a slab, or as an inode
OF_OBJECTS = {'alloc_slab_obj_exts', 'memcg_alloc_slab_cgroups', 'memcg_alloc_page_obj_cgroups', '__alloc_empty_sheaf',
              'alloc_empty_sheaf', 'security_inode_alloc', 'lsm_inode_alloc'}
RECLAIMABLE = 'reclaimable'
UNKNOWN = 'unknown'
BEHAVIOURS = 'leaking', 'growing', 'plateau', 'transient', UNKNOWN, RECLAIMABLE
PAGE_CACHE_PARTS = 'filemap', 'page_cache', 'grow_dev', 'readahead'
BY = {'slab': ('callsite', 'cache'), 'page': ('callsite',), 'vmalloc': ('callsite', 'purpose'),
      'percpu-mem': ('callsite',)}
# the key that separates the allocations of a call site
KIND = {'slab': 'cache', 'page': 'migtype', 'vmalloc': 'purpose', 'percpu-mem': 'size'}
FREES = {'slab': definitions.SLAB_FREES, 'page': definitions.PAGE_FREES, 'vmalloc': {'free_vmap_area_noflush'},
         'percpu-mem': {'percpu_free_percpu'}}
# what an event allocates is freed by one of these
FREED_BY = {'kmalloc': {'kfree'}, 'kmalloc_node': {'kfree'},
            'kmem_cache_alloc': {'kmem_cache_free'}, 'kmem_cache_alloc_node': {'kmem_cache_free'},
            'mm_page_alloc': definitions.PAGE_FREES, 'alloc_vmap_area': FREES['vmalloc'],
            'percpu_alloc_percpu': FREES['percpu-mem']}
OLD_NS = 6_000_000_000  # nobody who frees waits longer
# the prior that frees can be seen, used where nothing is known, and the observations that it weighs
# as much as
PRIOR, WEIGHT = 0.7, 8
# caches that the kernel shrinks, for recordings that do not list them
SHRUNK_CACHES = {'dentry', 'buffer_head', 'radix_tree_node', 'xfs_inode', 'btrfs_inode', 'ovl_inode',
                 'fuse_inode', 'ext4_extent_status',
                 *(f'{fs}_inode_cache' for fs in ('ext2', 'ext3', 'ext4', 'nfs', 'proc', 'fat', 'isofs', 'squashfs',
                                                  'f2fs', 'erofs', 'cifs', 'udf'))}


class History:
    """For some lives: live bytes at each moment, allocations of each cohort, and how many of these live."""

    def __init__(self, lives, moments, asked):
        change = [0] * (MOMENTS + 1)
        self.allocations, self.survivors = [0] * MOMENTS, [0] * MOMENTS
        for life in lives:
            born = cohort(moments, life.time)
            change[born] += life.alloc
            self.allocations[born] += 1
            if asked.live(life):
                self.survivors[born] += 1
            for time, size in ends(life, asked):
                change[cohort(moments, time)] -= size
        self.live, bytes_live = [], 0
        for i in range(MOMENTS):
            bytes_live += change[i]
            self.live.append(bytes_live)

    def behaviour(self):
        keeps = [n >= sum(self.survivors) / 32 and n > 0 for n in self.survivors[:-YOUNG]]
        if self._rises() and sum(self.survivors) >= 8 and sum(keeps) >= 2:
            cohorts = [(n, s) for n, s in zip(self.allocations[:-YOUNG], self.survivors[:-YOUNG]) if n]
            whole = sum(10 * s >= 9 * n for n, s in cohorts)
            return 'leaking' if 2 * whole >= len(cohorts) else 'growing'
        return 'plateau' if sum(self.survivors[:-QUARTER]) else 'transient'

    def _rises(self):
        live, last = self.live, self.live[-1]
        least = min(live[-QUARTER:])
        # in whole numbers: 1.1 is a little more than 11 tenths
        if not least or 10 * least < 11 * max(live[:HALF]) or last < live[HALF - 1]:
            return False
        return last - live[-QUARTER - 1] >= 0.25 * (last - live[HALF - 1]) / 2

    def growth(self, moments):
        """Bytes per second, over the second half."""
        seconds = (moments[-1] - moments[HALF - 1]) / 1e9
        return int((self.live[-1] - self.live[HALF - 1]) / seconds) if seconds > 0 else 0


def cohort(moments, time):
    """Between which moments: what happens at a moment comes after it, but at the end everything comes before."""
    return min(bisect.bisect_right(moments, time), MOMENTS - 1)


def ends(life, asked):
    """When its bytes stopped being live."""
    if life.parts is None:
        if life.how and not asked.is_over(life.end, life.end_serial):
            yield life.end, life.alloc
        return
    for serial, time, _, pages in life.parts:
        if not asked.is_over(time, serial):
            yield time, pages * (life.alloc >> life.order)


def is_shared(cache_name):
    return not cache_name or 'kmalloc' in cache_name or cache_name.startswith('kmem_cache-')


class Site:
    """Where allocations come from, and what is known about their frees."""

    def __init__(self):
        self.survivors = self.freed = self.unseen = self.allocations = self.old = self.uncounted = 0
        self.live_hits = self.live_bytes = 0

    def visible(self, prior, confirmed):
        """Can its frees be seen? With few observations it stays near the prior."""
        seen = self.freed + int(self.old * confirmed)
        return (seen + WEIGHT * prior) / (seen + self.unseen + WEIGHT)

    def confidence(self, cache_name, cache, lost, confirmed):
        """That what lives was leaked, as far as frees can tell; lost: the share of them that is missing."""
        missing = self.freed * lost / (1 - lost) + self.unseen
        sure = 1 - lost
        if missing:
            sure *= self.survivors / (self.survivors + missing)
        prior = PRIOR if is_shared(cache_name) else cache.visible(PRIOR, confirmed)
        return sure * self.visible(prior, confirmed)

    def is_untraced(self):
        """Most of its frees are not traced, and it does not have many times as many survivors."""
        return self.unseen >= 8 and self.unseen > self.freed and self.survivors // 3 < self.unseen


class Count:
    """A cache by the kernel's own count, at the start and at the end."""

    def __init__(self, before, used, hidden):
        self.before, self.growth, self.hidden = before, used - before, hidden
        self.unmatched = self.in_buckets = self.uncounted = 0

    def likely(self):
        """Objects allocated since the start that are live, if the count is exact."""
        return max(self.growth, 0) + self.in_buckets + min(self.before, self.unmatched) + self.uncounted

    def at_most(self):
        return self.likely() + self.hidden

    def did_not_grow(self):
        return self.growth <= self.hidden


def counts(lives):
    """Cache -> Count, of a recording of all tasks, and the time of the latest count."""
    found, used, latest = {}, {}, 0
    for line in lives.recording.info.splitlines():
        key, _, rest = line.partition(': ')
        if key == 'slab-counts':
            found.clear()
            latest = int(rest.split()[1])
            if rest.split()[2] != 'all':
                return {}, 0
        elif key == 'slab-count':
            before, _, now, _, _, _, hidden, name = rest.split(' ', 7)
            found[name] = Count(int(before), int(now), int(hidden))
            used[name] = int(now)
    for name, count in found.items():
        count.unmatched = lives.unmatched[name]
        if 'kmalloc' in name:
            count.unmatched += lives.unmatched[None]
        if name.startswith('kmalloc-'):
            size = name[name.rindex('-'):]
            count.in_buckets = sum(n for other, n in used.items() if other.endswith(size) and 'kmalloc' not in other
                                   and other[:-len(size)] + '-8k' in found)
    return found, latest


class Leak:
    def __init__(self, lives, allocator, by=None, spans=definitions.Spans(), choose=None, min_age=0):
        self.lives, self.allocator = lives, allocator
        self.by = by or BY[allocator]
        self.asked = definitions.Question(lives, allocator, spans, choose)
        recording = lives.recording
        self.end = recording.stop_ns if spans.end is None else min(spans.end, recording.stop_ns)
        self.min_age = min_age
        told = recording.told('reclaimable-caches')
        self.shrunk = SHRUNK_CACHES if told is None else set(told.split('/'))
        self.frees_unknown = lacks_frees(lives, allocator)
        # the kernel's counts cover the whole recording only, and are compared with its frees
        self.by_kernel, counted = (counts(lives) if allocator == 'slab' and not spans.spans and not self.frees_unknown
                                   else ({}, 0))
        # frees are judged by all that is known about them; other than slab's, a free knows only its own
        everything = definitions.Question(lives, allocator, spans) if allocator == 'slab' else self.asked
        self.sites = collections.defaultdict(Site)
        for life in everything.chosen:
            site = self.sites[self.site_key(life)]
            site.freed += everything.ended(life, definitions.FREED)
            site.unseen += everything.ended(life, definitions.UNSEEN)
            if not everything.began(life):
                continue
            site.allocations += 1
            if everything.live(life):
                site.survivors += 1
                site.old += self.age(life) >= OLD_NS
                site.uncounted += life.time > counted
        self.caches = collections.defaultdict(Site)
        for (_, cache), site in self.sites.items():
            for name in ('survivors', 'freed', 'unseen', 'old', 'uncounted'):
                setattr(self.caches[cache], name, getattr(self.caches[cache], name) + getattr(site, name))
        for cache, count in self.by_kernel.items():
            count.uncounted = self.caches[cache].uncounted
        self.cleared = {key for key, site in self.sites.items() if self.clears(key, site)}
        self.untraced = {key for key, site in self.sites.items() if site.is_untraced()} | self.cleared
        if self.frees_unknown:
            self.untraced = set()
        self.began = [life for life in self.asked.chosen if self.asked.began(life)]
        for life in self.began:
            size = self.asked.live(life)
            if size:
                site = self.sites[self.site_key(life)]
                site.live_hits += 1
                site.live_bytes += size
        self.lost = lost_percent(lives, allocator) / 100
        # what counts, by the keys and the use; and a row's lives of each command and site, whose own
        # frees count if they leak by themselves
        self.rows, self.parts = collections.defaultdict(list), collections.defaultdict(Site)
        self.keys = [definitions.KEYS[key] for key in self.by]
        self.living = self._of_living()
        for life in self.began:
            if self.counts(life):
                self.rows[self.key(life)].append(life)
        for life in self.asked.chosen:
            part = self.parts[self.key(life), self.part_key(life)]
            part.freed += self.asked.ended(life, definitions.FREED)
            part.unseen += self.asked.ended(life, definitions.UNSEEN)
            if self.asked.began(life) and self.asked.live(life):
                part.survivors += 1
                part.old += self.age(life) >= OLD_NS

    def clears(self, key, site):
        count = self.by_kernel.get(key[1])
        survivors = (self.caches[key[1]] if site.is_untraced() else site).survivors
        return count is not None and count.did_not_grow() and count.at_most() < survivors // 2

    def limit(self, cache, site, sure):
        """No more survivors are live than the kernel counts. It keeps freed areas until there are many."""
        if self.allocator == 'slab' and cache == 'vmap_area' and site.survivors <= 16384:
            sure = min(sure, 0.3)
        count = self.by_kernel.get(cache)
        if count is None or count.at_most() >= site.survivors:
            return sure
        return min(sure, count.at_most() / site.survivors)

    def confirmed(self, cache):
        """The share of a cache's old survivors that the kernel's count confirms."""
        count, survivors = self.by_kernel.get(cache), self.caches[cache].survivors
        return 1 if count is None or is_shared(cache) or not survivors else min(1, count.likely() / survivors)

    def key(self, life):
        return *(value(self.lives, life) for value in self.keys), self.is_reclaimable(life), self.use(life)

    def _of_living(self):
        """Parts most of whose survivors were allocated by processes that run at the end."""
        held = collections.defaultdict(lambda: [0, 0])
        for life in self.asked.chosen:
            size = self.asked.live(life) if self.asked.began(life) else 0
            if size:
                part = held[self.part(life)]
                part[0] += size
                part[1] += size if self.lives.is_alive(life.pid) else 0
        return {part for part, (size, living) in held.items() if living >= size - size // 2}

    def part(self, life):
        return tuple(value(self.lives, life) for value in self.keys), self.part_key(life)

    def site_key(self, life):
        if self.allocator == 'page':
            return life.site, life.migratetype
        return life.site, definitions.KEYS[KIND[self.allocator]](self.lives, life)

    def kind_name(self, key):
        """The name of the objects of a site that are evidence for each other; None: there is none."""
        return key[1] if self.allocator in ('slab', 'vmalloc') else None

    def part_key(self, life):
        return life.comm, *self.site_key(life)

    def age(self, life):
        return max(self.end - life.time, 0)

    def counts(self, life):
        """Its site can be judged; and it is old enough, if it lives."""
        return self.site_key(life) not in self.untraced and (
            self.age(life) >= self.min_age or not self.asked.live(life))

    def survivors(self, lives):
        """[(life, bytes)] of the lives of a row."""
        return [(life, size) for life in lives if (size := self.asked.live(life))]

    def is_reclaimable(self, life):
        if self.allocator == 'slab':
            return life.cache in self.shrunk or life.cache.startswith('kmalloc-rcl-')
        return self.allocator == 'page' and definitions.migratetype(self.lives, life.migratetype) == 'Reclaimable' and self._use_of_site(life) == KERNEL

    def use(self, life):
        """The use of the memory."""
        use = self._use_of_site(life)
        symbol = self.lives.symbols.find(life.site) if life.site else None
        if (use == KERNEL and symbol and not symbol.module and symbol.name.split('.')[0] in OF_PROCESS and
                self.part(life) in self.living):
            return PROCESS
        return use

    def _use_of_site(self, life):
        symbol = self.lives.symbols.find(life.site) if life.site else None
        if self.allocator != 'page':
            return ATTACHED if symbol and not symbol.module and symbol.name.split('.')[0] in OF_OBJECTS else KERNEL
        if life.site == symbols.SLAB_PAGES:
            return SLAB_PAGES
        if symbol and 'shmem' in symbol.name:
            return SHMEM
        if symbol and any(part in symbol.name for part in PAGE_CACHE_PARTS):
            return PAGE_CACHE
        return USER if definitions.migratetype(self.lives, life.migratetype) == 'Movable' else KERNEL

    def confidence(self, row, survivors, leaking):
        """That of their sites or, where it is higher, of the commands' parts that leak, weighted by bytes."""
        total = 0
        for life, size in survivors:
            key = self.site_key(life)
            sure = self.sites[key].confidence(self.kind_name(key), self.caches[key[1]], self.lost, self.confirmed(key[1]))
            sure = self.limit(key[1], self.sites[key], sure)
            if self.part_key(life) in leaking:
                part = self.parts[row, self.part_key(life)]
                sure = max(sure, self.limit(key[1], part, part.confidence(None, None, self.lost, self.confirmed(key[1]))))
            total += size * sure
        return total / sum(size for _, size in survivors)

    def row(self, key, moments):
        """Member of our JSON -> its value; None: the row has nothing that counts."""
        lives = self.rows[key]
        survivors = self.survivors(lives)
        if not survivors:
            return None
        history = History(lives, moments, self.asked)
        size = sum(size for _, size in survivors)
        # others who use the same call site do not hide a leak: a command's part may be one
        leaking = growth = 0
        leaking_parts = set()
        parts = collections.defaultdict(list)
        for life in lives:
            parts[self.part_key(life)].append(life)
        for name, part in parts.items():
            own = History(part, moments, self.asked)
            if own.behaviour() == 'leaking':
                leaking_parts.add(name)
                leaking += sum(size for _, size in self.survivors(part))
                growth += own.growth(moments)
        if leaking < size - size // 2:
            behaviour, growth = history.behaviour(), history.growth(moments)
        else:
            behaviour = 'leaking'
        # user memory and page cache may fill all memory without a leak
        if behaviour == 'leaking' and key[-1] != KERNEL:
            behaviour = 'growing'
        if key[-2]:
            behaviour = RECLAIMABLE
        confidence = self.confidence(key, survivors, leaking_parts)
        if self.frees_unknown:
            behaviour, growth, confidence = RECLAIMABLE if key[-2] else UNKNOWN, 0, None
        ages = [self.age(life) for life, _ in survivors]
        return {'confidence': confidence, 'hits': len(survivors), 'bytes': size, 'oldest_ns': max(ages), 'youngest_ns': min(ages),
                'behaviour': behaviour, 'growth_bytes_per_second': growth, 'live_bytes': history.live,
                'cohort_allocations': history.allocations, 'cohort_live': history.survivors}

    def owners(self, key):
        """(command, pid) -> [objects, bytes]"""
        held = collections.defaultdict(lambda: [0, 0])
        for life, size in self.survivors(self.rows[key]):
            held[life.comm, life.pid][0] += 1
            held[life.comm, life.pid][1] += size
        return held


    def who(self, moments):
        """Command -> member of our JSON -> its value; and the sizes of its sites, by site."""
        if self.frees_unknown:
            return {}
        groups = collections.defaultdict(list)
        for life in self.asked.chosen:
            groups[self.part_key(life)].append(life)
        found = {'high': {}, 'medium': {}}
        for (comm, *key), lives in groups.items():
            group = self.group(tuple(key), lives, moments)
            if group and group['level'] in found:
                found[group['level']].setdefault(comm, []).append(group)
        return {comm: self.holder(of) for comm, of in (found['high'] or found['medium']).items()}

    def group(self, key, lives, moments):
        """One command's memory of one site, if it is a leak or grows."""
        living = [(life, size) for life in lives if self.asked.began(life) and (size := self.asked.live(life))]
        counted = [life for life in lives if self.asked.began(life) and self.counts(life)]
        old = [(life, size) for life, size in living if self.age(life) >= self.min_age]
        if not old or key in self.untraced or self.is_reclaimable(lives[0]):
            return None
        history = History(counted, moments, self.asked)
        behaviour = history.behaviour()
        use, symbol = self._use_of_site(lives[0]), self.lives.symbols.find(lives[0].site) if lives[0].site else None
        size = sum(size for _, size in living)
        if (use == KERNEL and symbol and not symbol.module and symbol.name.split('.')[0] in OF_PROCESS and
                sum(size for life, size in living if self.lives.is_alive(life.pid)) >= size - size // 2):
            return None
        if behaviour not in ('leaking', 'growing') or use not in (KERNEL, SHMEM):
            return None
        sure = self.sites[key].confidence(self.kind_name(key), self.caches[key[1]], self.lost, self.confirmed(key[1]))
        sure = self.limit(key[1], self.sites[key], sure)
        if behaviour == 'leaking':
            own = Site()
            own.survivors, own.old = len(living), sum(self.age(life) >= OLD_NS for life, _ in living)
            for life in lives:
                own.freed += self.asked.ended(life, definitions.FREED)
                own.unseen += self.asked.ended(life, definitions.UNSEEN)
            sure = max(sure, self.limit(key[1], own, own.confidence(None, None, self.lost, self.confirmed(key[1]))))
        return {'site': lives[0].site, 'living': old, 'behaviour': behaviour if use == KERNEL else 'growing',
                'growth': history.growth(moments), 'confidence': sure,
                'level': 'high' if sure + 0.0005 >= 0.9 else 'medium' if sure + 0.0005 >= 0.5 else 'low'}

    def holder(self, groups):
        """The sums over a command's groups."""
        size = sum(size for group in groups for _, size in group['living'])
        leaking = sum(size for group in groups if group['behaviour'] == 'leaking' for _, size in group['living'])
        pids, sites = collections.Counter(), collections.Counter()
        for i, group in enumerate(groups):
            for life, own in group['living']:
                pids[life.pid] += own
                sites[i] += own
        most = max(sites.values())
        return {'processes': len(pids), 'behaviour': 'leaking' if leaking >= size - size // 2 else 'growing',
                'confidence': sum(group['confidence'] * sites[i] for i, group in enumerate(groups)) / size,
                'hits': sum(len(group['living']) for group in groups), 'bytes': size, 'sites': len(groups),
                'growth_bytes_per_second': sum(group['growth'] for group in groups),
                'running': sum(self.lives.is_alive(pid) or not pid for pid in pids) if self.lives.knows_ends() else None,
                }, {pid for pid, held in pids.items() if held == max(pids.values())}, {
                    groups[i]['site'] for i, held in sites.items() if held == most}


def lacks_frees(lives, allocator):
    """Allocations are recorded, and the event that frees them is not."""
    recorded = {e.name.split(':')[1] for e in lives.recording.events if e.name}
    return any(event in recorded and not recorded & frees
               for event, frees in FREED_BY.items() if frees <= FREES[allocator])


def told_lost_percent(lives, *allocators):
    """As reported: None if frees are not recorded."""
    if any(lacks_frees(lives, allocator) for allocator in allocators):
        return None
    return float(lost_percent(lives, *allocators))


def lost_percent(lives, *allocators):
    """The percentage of frees that is missing from the recording."""
    events = [e for e in lives.recording.events if e.name]
    names = set().union(*(FREES[allocator] for allocator in allocators))
    is_free = lambda e: e.name.split(':')[1] in names
    exact = any(e.lost_samples for e in events)
    if not exact and any(e.lost_records for e in events):
        # which events were lost is not known: frees were lost like all others
        lost, samples = sum(e.lost_records for e in events), sum(e.samples for e in events)
    else:
        frees = [e for e in events if is_free(e)]
        samples = sum(e.samples for e in frees)
        lost = sum(lives.recording.missing(e) for e in frees)
    kept = samples / (lost + samples) if lost else 1
    # with -c N the others are missing, too
    return 100 * (1 - kept / max([e.period for e in events if is_free(e)], default=1))
