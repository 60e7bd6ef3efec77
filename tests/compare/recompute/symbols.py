# SPDX-License-Identifier: GPL-2.0-or-later
"""Names of kernel addresses, from text in the format of /proc/kallsyms."""
import bisect
import collections
import re

LINE = re.compile(r'^([0-9a-f]+) (.) (\S+)(?:\s+\[(\S+)\])?', re.M)
PAGE = 4096

# The call site of all pages that the slab allocator takes, and the functions that it takes them in
SLAB_PAGES = 1
SLAB_FUNCTIONS = {'alloc_slab_page', 'allocate_slab', 'new_slab', 'new_slab_objects', '__slab_alloc', '___slab_alloc',
                  'alloc_from_new_slab', 'refill_objects', '__refill_objects', 'early_kmem_cache_node_alloc',
                  'kmem_getpages', 'cache_grow', 'cache_grow_begin', 'cache_alloc_refill', 'slob_new_pages', 'slob_alloc'}

# Functions between a caller and mm_page_alloc: the page allocator's own functions, and the tracepoint
# itself (Documentation/figures.md, Pages).
PLUMBING = re.compile(r'_{0,3}((alloc|get_free|get_zeroed)(_frozen)?_pages?|folio_alloc|vma_alloc_folio'
                      r'|traceiter_|perf_trace_|trace_event_raw_event_|perf_tp_event)')
# Above frees and fallbacks: what also gives back or takes pages on behalf of others.
INSIDE = re.compile(r"""_{0,3}(rmqueue|get_page_from_freelist|try_to_steal|try_to_claim|steal_suitable
    |free_(unref_|frozen_|hot_cold_|compound_|transhuge_|contig_|swap_|pages?_and_swap_)?
        (pages?|folios?|range|cache)(_|$)
    |put_pages?|put_single_page|put_compound_page|folios?_put|release_pages
    |pagevec_release|folio_batch_release|destroy_large_|destroy_compound_
    |tlb_batch_|tlb_flush_mmu|tlb_finish_mmu|tlb_remove_page)""", re.X)

Symbol = collections.namedtuple('Symbol', 'start name module')
CONTEXT_KERNEL = 2**64 - 128
CONTEXT_USER = 2**64 - 512
CONTEXT_FIRST = 2**64 - 4095  # markers of a callchain begin here
CONTEXTS = {2**64 - n for n in (32, 128, 512, 640, 2048, 2176, 2560)}


class Table:
    def __init__(self, text):
        by_address = {}
        for address, kind, name, module in LINE.findall(text):
            if name.startswith('$'):
                continue  # arm marks code and data with $a, $d, $x
            start, is_text = int(address, 16), kind in 'tTwW'
            old = by_address.get(start)
            # of several names for one address text counts, and of those the last: as in stock
            if not old or is_text or not old[0]:
                by_address[start] = (is_text, Symbol(start, name, module or None))
        if not any(by_address):
            by_address = {}
        self.starts = sorted(by_address)
        self.symbols = [by_address[start] for start in self.starts]

    def find(self, address):
        """The symbol in whose text the address is."""
        i = bisect.bisect_right(self.starts, address) - 1
        if i < 0:
            return None
        is_text, symbol = self.symbols[i]
        follows = self.symbols[i + 1][1] if i + 1 < len(self.symbols) else None
        if not is_text:
            return None
        if not follows or follows.module != symbol.module:
            # the end of the last one is not given: it ends with its page
            if address >= (symbol.start + PAGE) // PAGE * PAGE + (PAGE if symbol.start % PAGE else 0):
                return None
        return symbol


class Symbols:
    """Tables in the order in which they are searched."""

    def __init__(self, texts):
        self.tables = [table for table in map(Table, filter(None, texts)) if table.starts]
        self.known = {}

    def find(self, address):
        if address == SLAB_PAGES:
            return Symbol(SLAB_PAGES, 'slab pages', None)
        if address not in self.known:
            self.known[address] = next(filter(None, (t.find(address) for t in self.tables)), None)
        return self.known[address]

    def text(self, address):
        """As written in reports: function+0x1 without the 0x."""
        if not address:
            return 'unknown'
        symbol = self.find(address)
        if address == SLAB_PAGES:
            return symbol.name
        return f'{symbol.name}+{address - symbol.start:x}' if symbol else f'{address:#x}'

    def is_text(self, address):
        """Is it kernel text? Without any symbols it is not known, and everything but 0 may be."""
        return bool(address) and (not self.tables or self.find(address) is not None)

    def kernel_frames(self, chain):
        """The kernel's part of a callchain, without junk."""
        kernel, frames = False, []
        for ip in chain:
            if ip >= CONTEXT_FIRST:
                kernel = ip == CONTEXT_KERNEL
            elif kernel and self.is_text(ip):
                frames.append(ip)
        return frames

    @staticmethod
    def stock_drops(chain):
        """Does it have an invalid marker? Then the unwinder went astray, and stock ignores all of it."""
        return any(ip >= CONTEXT_FIRST and ip not in CONTEXTS for ip in chain)

    @staticmethod
    def is_broken(chain):
        """Is there an invalid marker that is not one of the user frames, which may be anything?"""
        user = False
        for ip in chain:
            if ip in CONTEXTS:
                user = ip == CONTEXT_USER
            elif ip >= CONTEXT_FIRST and not user:
                return True
        return False

    def is_plumbing(self, address, *more):
        symbol = self.find(address)
        bare = symbol.name.split('.')[0] or symbol.name if symbol else ''
        return any(pattern.match(bare) for pattern in (PLUMBING, *more))

    def takes_slab(self, address):
        symbol = self.find(address)
        return bool(symbol) and symbol.name.split('.')[0] in SLAB_FUNCTIONS

    def caller(self, frames, *more):
        """The first frame that is not plumbing; 0: unknown."""
        return next((ip for ip in frames if not self.is_plumbing(ip, *more)), 0)
