#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds our second reader (perfdata.py) against what stock's `perf script --ns` prints.

usage: against_stock.py SCRIPT.txt RECORDING [KALLSYMS]

Each event of kmem, vmalloc and percpu: who, where, when, which, its fields, and the names of its kernel frames.
Prints a line for each difference, then "N events, N values, N differ"; exit 1 when any differs.
"""
import collections
import functools
import gc
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

import definitions  # noqa: E402
import kmem_events  # noqa: E402
import perfdata  # noqa: E402
import symbols  # noqa: E402
import tracepoint  # noqa: E402

SYSTEMS = 'kmem', 'vmalloc', 'percpu'
# what stock derives in other ways than by printing the field
NUMBERS = ('ptr', 'bytes_req', 'bytes_alloc', 'node', 'pfn', 'order', 'migratetype', 'alloc_order',
           'alloc_migratetype', 'fallback_order', 'fallback_migratetype', 'change_ownership', 'percpu_refill', 'size', 'align', 'failed',
           'start', 'end', 'npurged', 'nr_lazy', 'nr_lazy_max', 'base_addr', 'off', 'reserved', 'is_atomic')
# the name of a program's code: bpf_prog_, its tag, its name; the kernel's own functions lack the tag
BPF_PROGRAM = re.compile('bpf_prog_[0-9a-f]{16}(_|[+]|$)')


class Check:
    def __init__(self):
        self.events = self.values = self.differ = 0

    def same(self, event, what, theirs, ours):
        self.values += 1
        if theirs == ours:
            return
        self.differ += 1
        if self.differ <= 20:
            print(f'{event.name} at {event.ns}: {what}: stock {theirs}, ours {ours}')


class Texts:
    """As in `perf script`; an address and a set of flags are looked up once."""

    def __init__(self, recording, kallsyms):
        self.symbols = symbols.Symbols(kallsyms)
        self.gfp_names = definitions.gfp_names(recording)
        self.address = functools.cache(self._address)
        self.flags = functools.cache(self._flags)
        self.frame = functools.cache(self._frame)

    def _address(self, address):
        """function+0x1"""
        symbol = self.symbols.find(address)
        return f'{symbol.name}+{address - symbol.start:#x}' if symbol else f'{address:#x}'

    def _flags(self, value):
        return '|'.join(tracepoint.flags_of(self.gfp_names, value) or ['none'])

    def _frame(self, address):
        """None if stock takes it for a file: a BPF program, of whoever traces beside us; kmem_events leaves those out."""
        text = self.address(address)
        return None if BPF_PROGRAM.match(text) else text

    def frames(self, chain):
        if self.symbols.stock_drops(chain):
            return []
        return [text for text in map(self.frame, self.symbols.kernel_frames(chain)) if text]


@functools.cache
def numbers_of(one):
    return [name for name in NUMBERS if one.has(name)]


Command = collections.namedtuple('Command', 'text ended')


def compare(check, event, sample, comm, texts, with_frames):
    one, raw = sample.event.format, sample.raw
    check.events += 1
    check.same(event, 'event', event.name, one.name)
    check.same(event, 'time', event.ns, sample.time)
    check.same(event, 'thread', event.tid, sample.tid)
    check.same(event, 'CPU', event.cpu, sample.cpu)
    # newer perfs forget a thread when its exit is recorded, before it gives its memory back
    if not (comm.ended and event.comm == f':{event.tid}'):
        check.same(event, 'command', event.comm, comm.text)
    for name in numbers_of(one):
        if name in event.fields:
            check.same(event, name, event.number(name), one.number(raw, name))
    if event.name != one.name:
        return
    # what stock could not name is printed in hex
    site = event.fields.get('call_site')
    if site:
        address = one.number(raw, 'call_site')
        check.same(event, 'call_site', site, f'{address:#x}' if site.startswith('0x') else texts.address(address))
    flags = event.fields.get('gfp_flags')
    if flags:
        value = one.number(raw, 'gfp_flags', 0)
        check.same(event, 'gfp_flags', flags, f'{value:#x}' if flags.startswith('0x') else texts.flags(value))
    if 'name' in event.fields:
        check.same(event, 'cache', event.fields['name'], one.string(raw, 'name').decode())
    if with_frames:
        check.same(event, 'frames', event.frames, texts.frames(sample.chain))


def main():
    gc.disable()  # millions of objects, and none to collect before the end
    script, path, *kallsyms = sys.argv[1:]
    recording = perfdata.Recording(path)
    kallsyms_texts = [recording.kallsyms]
    for one in kallsyms:
        with open(one, encoding='utf-8') as f:
            kallsyms_texts.insert(0, f.read())
    texts = Texts(recording, kallsyms_texts)
    check, comms = Check(), definitions.Comms()
    samples = []
    for record in recording.records:
        if isinstance(record, (perfdata.Comm, perfdata.Fork, perfdata.Exit)):
            comms.take(record)
        elif isinstance(record, perfdata.Sample) and record.event.name and record.event.name.split(':')[0] in SYSTEMS:
            samples.append((record, Command(comms.of(record.tid), comms.has_ended(record.tid))))
    with open(script, errors='replace', encoding='utf-8') as text:
        events = list(kmem_events.read(text, SYSTEMS))
    # perf 6.12 names no frame if it is given a file of kallsyms
    with_frames = any(event.frames for event in events)
    if len(events) != len(samples):
        print(f'stock prints {len(events)} events, ours are {len(samples)}')
        check.differ += 1
    for event, (sample, comm) in zip(events, samples):
        compare(check, event, sample, comm, texts, with_frames)
    print(f'{check.events} events, {check.values} values, {check.differ} differ')
    sys.exit(1 if check.differ or not check.events else 0)


main()
