#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a recording says, recomputed from the text of stock's `perf script --ns`.

usage: truth.py SCRIPT.txt [--stats STATS.txt] [--nodes CPU:NODE,...] > truth.json

STATS.txt is what `perf report --stats` printed: how many events were lost.  The
definitions are those of Documentation/differences.md and the man page.  check_json.py
holds our JSON against the result.
"""
import argparse
import collections
import json
import re
import sys

import kmem_events

PAGE_BYTES = 4096
ZERO_SIZE_PTR = 16
LOOKED_THROUGH = [re.compile(p) for p in (
    r'_{0,3}(alloc|get_free|get_zeroed)(_frozen)?_pages?',
    r'_{0,3}folio_alloc',
    r'_{0,3}vma_alloc_folio',
    r'_{0,3}(traceiter_|perf_trace_|trace_event_raw_event_|perf_tp_event)',
)]


class Slab:
    def __init__(self, nodes):
        self.nodes = nodes
        self.live = {}  # ptr -> its allocation
        self.summary = collections.Counter()
        self.rows = collections.defaultdict(collections.Counter)  # by call site
        self.seen = False

    def count(self, event, sign):
        row = self.rows[event.fields['call_site']]
        req, alloc = event.number('bytes_req'), event.number('bytes_alloc')
        for counter, names in ((self.summary, ('allocations', 'bytes_requested', 'bytes_allocated')),
                               (row, ('hits', 'bytes_req', 'bytes_alloc'))):
            for name, value in zip(names, (1, req, alloc)):
                counter[name] += sign * value
        node = event.number('node', kmem_events.NO_NODE)
        here = self.nodes.get(event.cpu, kmem_events.NO_NODE)
        if kmem_events.NO_NODE not in (node, here) and node != here:
            self.summary['cross_node_allocations'] += sign

    def alloc(self, event):
        self.seen = True
        ptr = event.number('ptr')
        if not ptr:
            self.summary['failures'] += 1
            return
        old = self.live.get(ptr)
        if old and kmem_events.is_second_trace(event, old):
            self.summary['duplicates_dropped'] += 1
            self.count(old, -1)
        elif old:
            self.summary['unseen_frees'] += 1
        self.live[ptr] = event
        self.count(event, 1)

    def free(self, event):
        self.seen = True
        self.summary['frees'] += 1
        ptr = event.number('ptr')
        old = self.live.pop(ptr, None) if ptr not in (0, ZERO_SIZE_PTR) else None
        if not old:
            self.summary['frees_unmatched'] += 1
            return
        self.summary['frees_matched'] += 1
        self.summary['bytes_freed'] += old.number('bytes_alloc')
        self.rows[old.fields['call_site']]['pingpong'] += old.cpu != event.cpu

    def result(self):
        for event in self.live.values():
            row = self.rows[event.fields['call_site']]
            row['live_hits'] += 1
            row['live_bytes'] += event.number('bytes_alloc')
        s = self.summary
        names = ('bytes_requested bytes_allocated bytes_freed allocations frees frees_matched '
                 'frees_unmatched unseen_frees duplicates_dropped failures cross_node_allocations')
        summary = {name: s[name] for name in names.split()}
        summary['live'] = len(self.live)
        summary['bytes_live'] = sum(e.number('bytes_alloc') for e in self.live.values())
        summary['bytes_wasted'] = s['bytes_allocated'] - s['bytes_requested']
        names = 'hits bytes_req bytes_alloc pingpong live_hits live_bytes'.split()
        rows = {site: {name: row[name] for name in names}
                for site, row in self.rows.items() if row['hits'] or row['pingpong']}
        return {'summary': summary, 'rows': rows}


class Block:
    """One page allocation; `pages` of it are live."""
    def __init__(self, key, pages):
        self.key = key
        self.pages = pages


class Pages:
    def __init__(self):
        self.block_of = {}  # pfn -> Block
        self.summary = collections.Counter()
        self.rows = collections.defaultdict(collections.Counter)
        self.orders = collections.Counter()
        self.seen = False

    @staticmethod
    def site(event):
        for frame in event.frames:
            bare = kmem_events.split_site(frame)[0].split('.')[0]
            if not any(p.match(bare) for p in LOOKED_THROUGH):
                return frame
        return 'unknown'

    def take(self, pfn):
        """The block that the page belonged to, and whether this was its last page."""
        block = self.block_of.pop(pfn, None)
        if block:
            block.pages -= 1
        return block, bool(block) and not block.pages

    def alloc(self, event):
        self.seen = True
        order, pfn = event.number('order'), event.number('pfn')
        size = PAGE_BYTES << order
        self.summary['alloc_requests'] += 1
        self.summary['alloc_bytes'] += size
        if not pfn:
            self.summary['failures'] += 1
            self.summary['failed_bytes'] += size
            return
        flags = event.fields['gfp_flags']
        flags = '' if flags == 'none' else '|'.join(sorted(flags.split('|')))
        key = (self.site(event), order, event.number('migratetype'), flags)
        self.rows[key]['hits'] += 1
        self.rows[key]['bytes'] += size
        self.orders[f'{order}:{key[2]}'] += 1
        self.summary['alloc_only_requests'] += 1
        self.summary['alloc_only_bytes'] += size
        block = Block(key, 1 << order)
        for page in range(pfn, pfn + (1 << order)):
            self.take(page)
            self.block_of[page] = block

    def free(self, event):
        self.seen = True
        order, pfn = event.number('order'), event.number('pfn')
        size = PAGE_BYTES << order
        self.summary['free_requests'] += 1
        self.summary['free_bytes'] += size
        taken = 0
        for page in range(pfn, pfn + (1 << order)):
            block, last = self.take(page)
            taken += bool(block)
            self.summary['alloc_only_requests'] -= last
        self.summary['alloc_only_bytes'] -= taken * PAGE_BYTES
        kind = 'matched' if taken else 'free_only'
        self.summary[f'{kind}_requests'] += 1
        self.summary[f'{kind}_bytes'] += size

    def result(self):
        blocks = set()
        for block in self.block_of.values():
            self.rows[block.key]['live_bytes'] += PAGE_BYTES
            self.rows[block.key]['live_hits'] += block not in blocks
            blocks.add(block)
        names = 'alloc free matched alloc_only free_only'.split()
        summary = {f'{n}_{what}': self.summary[f'{n}_{what}'] for n in names for what in ('requests', 'bytes')}
        summary |= {name: self.summary[name] for name in ('failures', 'failed_bytes')}
        summary |= {'live': len(blocks), 'live_bytes': len(self.block_of) * PAGE_BYTES}
        rows = [{'site': key[0], 'order': key[1], 'migratetype': key[2], 'gfp': key[3],
                 **{name: row[name] for name in ('hits', 'bytes', 'live_hits', 'live_bytes')}}
                for key, row in self.rows.items()]
        return {'summary': summary, 'orders': dict(self.orders), 'rows': rows}


def read_lost(path):
    """Lost samples by event, as stock adds them up."""
    lost, event = {}, None
    with open(path, errors='replace') as stream:
        for line in stream:
            match = re.match(r'(\S+:\S+) stats:', line)
            if match:
                event = match.group(1)
            match = re.match(r'\s+LOST_SAMPLES events:\s+(\d+)', line)
            if match and event and event.startswith('kmem:'):
                lost[event.split(':')[1]] = int(match.group(1))
    return lost


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('script')
    parser.add_argument('--stats')
    parser.add_argument('--nodes', default='')
    args = parser.parse_args()
    nodes = dict(map(int, pair.split(':')) for pair in args.nodes.split(',') if pair)
    slab, pages = Slab(nodes), Pages()
    events = collections.Counter()
    with open(args.script, errors='replace') as stream:
        for event in kmem_events.read(stream):
            events[event.name] += 1
            if event.name in kmem_events.SLAB_ALLOCS:
                slab.alloc(event)
            elif event.name in kmem_events.SLAB_FREES:
                slab.free(event)
            elif event.name == 'mm_page_alloc':
                pages.alloc(event)
            elif event.name == 'mm_page_free':
                pages.free(event)
    truth = {'events': events, 'lost': read_lost(args.stats) if args.stats else {}}
    if slab.seen:
        truth['slab'] = slab.result()
    if pages.seen:
        truth['page'] = pages.result()
    json.dump(truth, sys.stdout, indent=0, sort_keys=True)


main()
