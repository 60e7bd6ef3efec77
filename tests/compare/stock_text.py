#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Derive the slab report, stock's and ours, from the events, byte for byte.

usage: stock_text.py SCRIPT.txt STOCK.txt OURS.txt RAW.txt

SCRIPT.txt is `perf script --ns`; the others are `perf kmem --slab --caller --alloc stat`
of stock, of ours with --style=stock, and of stock with --raw-ip (it has the addresses of the names).
First the report is computed with stock's rules and must be STOCK.txt, then with each
difference of Documentation/differences.md in turn, and must be OURS.txt.  So no
column is masked, and nothing but the listed differences can pass.
"""
import difflib
import sys

import kmem_events

RULE = '-' * 105 + '\n'
COLUMNS = ' %-34s | Total_alloc/Per | Total_req/Per   | Hit      | Ping-pong | Frag\n'
DIFFERENCES = ('dead-frees', 'other-cache', 'duplicates', 'failures')


class Row:
    def __init__(self):
        self.hits = self.req = self.alloc = self.pingpong = 0

    def add(self, event, sign=1):
        self.hits += sign
        self.req += sign * event.number('bytes_req')
        self.alloc += sign * event.number('bytes_alloc')

    @property
    def frag(self):
        return 100.0 - 100.0 * self.req / self.alloc if self.alloc else 0.0

    def text(self, label):
        per = max(self.hits, 1)
        return (f' {label:<34} | {self.alloc:9}/{self.alloc // per:<5} | {self.req:9}/{self.req // per:<5}'
                f' | {self.hits:8} | {self.pingpong:9} | {self.frag:6.3f}%\n')


def contradict(event, free):
    """Is what is freed of another cache than what was allocated there last? kfree() may free anything."""
    if free.name == 'kfree':
        return False
    names = event.fields.get('name'), free.fields.get('name')
    return event.name.startswith('kmalloc') or (None not in names and names[0] != names[1])


class Report:
    """The slab accounts under stock's rules, except for the differences requested."""
    def __init__(self, differences):
        self.differences = differences
        self.callers, self.pointers = {}, {}
        self.last = {}      # ptr -> its latest allocation
        self.freed = set()  # pointers whose latest allocation was freed
        self.total = Row()
        self.total_freed = self.failures = 0

    def rows(self, event):
        return (self.callers.setdefault(event.fields['call_site'], Row()),
                self.pointers.setdefault(event.number('ptr'), Row()))

    def count(self, event, sign):
        for row in (*self.rows(event), self.total):
            row.add(event, sign)

    def alloc(self, event):
        ptr = event.number('ptr')
        if not ptr and 'failures' in self.differences:
            self.failures += 1
            return
        old = self.last.get(ptr)
        if ('duplicates' in self.differences and old and ptr not in self.freed
                and kmem_events.is_second_trace(event, old)):
            self.count(old, -1)
        self.last[ptr] = event
        self.freed.discard(ptr)
        self.count(event, 1)

    def free(self, event):
        ptr = event.number('ptr')
        old = self.last.get(ptr)
        dead = ptr in self.freed
        if not old or (dead and 'dead-frees' in self.differences):
            return
        if not dead and 'other-cache' in self.differences and contradict(old, event):
            self.freed.add(ptr)
            return
        self.total_freed += old.number('bytes_alloc')
        if dead or old.cpu != event.cpu:
            for row in self.rows(old):
                row.pingpong += 1
        self.freed.add(ptr)

    def table(self, title, rows, label, address):
        shown = [(k, r) for k, r in rows.items() if r.hits or r.pingpong]
        shown.sort(key=lambda kr: (-kr[1].frag, -kr[1].hits, -kr[1].alloc, address(kr[0])))
        # stock prints its row of dots under an empty table
        return RULE + COLUMNS % title + RULE + ''.join(r.text(label(k)) for k, r in shown) + RULE

    def text(self, addresses):
        def name(site):
            symbol, offset = kmem_events.split_site(site)
            return f'{symbol}+{offset:x}' if '+' in site else site

        t = self.total
        text = self.table('Callsite', self.callers, name, lambda site: addresses[name(site)])
        text += self.table('Alloc Ptr', self.pointers, lambda ptr: f'{ptr:#x}', lambda ptr: ptr)
        text += '\nSUMMARY (SLAB allocator)\n========================\n'
        text += f'Total bytes requested: {t.req}\nTotal bytes allocated: {t.alloc}\n'
        text += f'Total bytes freed:     {self.total_freed}\n'
        if t.alloc > self.total_freed:
            text += f'Net total bytes allocated: {t.alloc - self.total_freed}\n'
        text += f'Total bytes wasted on internal fragmentation: {t.alloc - t.req}\n'
        text += f'Internal fragmentation: {t.frag:f}%\nCross CPU allocations: 0/{t.hits}\n'
        if self.failures:
            text += f'Failed allocations: {self.failures}\n'
        return text


def caller_labels(text):
    """The labels of the first table, in order."""
    body = text.split(RULE)[2]
    return [line[1:].split(' ')[0] for line in body.splitlines()]


def compute(events, differences, addresses):
    report = Report(differences)
    for event in events:
        if event.name in kmem_events.SLAB_ALLOCS:
            report.alloc(event)
        elif event.name in kmem_events.SLAB_FREES:
            report.free(event)
    return report.text(addresses)


def same(what, want, got):
    if want == got:
        return True
    print(f'{what}: not what the events say:')
    sys.stdout.writelines(list(difflib.unified_diff(
        want.splitlines(True), got.splitlines(True), 'the events', what, n=1))[:30])
    return False


def main():
    with open(sys.argv[1], errors='replace') as stream:
        events = list(kmem_events.read(stream))
    stock, ours, raw = (open(path).read() for path in sys.argv[2:5])
    names = caller_labels(stock)
    addresses = dict(zip(names, (int(a, 16) for a in caller_labels(raw))))
    if len(addresses) != len(names):
        print('ambiguous: two call sites have one name')
        return 77
    derived = compute(events, (), addresses)
    good = same('stock', derived, stock)
    for i, name in enumerate(DIFFERENCES):
        changed = compute(events, DIFFERENCES[:i + 1], addresses)
        moved = set(changed.splitlines()) - set(derived.splitlines())
        print(f'{name}: {len(moved)} lines differ')
        derived = changed
    good &= same('ours', derived, ours)
    print(f'{len(stock.splitlines())} lines of stock, {len(ours.splitlines())} of ours')
    return 0 if good else 1


sys.exit(main())
