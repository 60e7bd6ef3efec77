#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds our second reader (perfdata.py) against what stock's `perf script --ns` prints.

usage: against_stock.py SCRIPT.txt RECORDING [KALLSYMS]

Each event of kmem, vmalloc and percpu: who, where, when, which, its fields, and the names of its kernel frames.
Prints a line for each difference, then "N events, N values, N differ"; exit 1 when any differs.
"""
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


def text_of(names, address):
    """function+0x1, as in `perf script`."""
    symbol = names.find(address)
    return f'{symbol.name}+{address - symbol.start:#x}' if symbol else f'{address:#x}'


def compare(check, event, sample, comm, lives, names):
    one, raw = sample.event.format, sample.raw
    check.events += 1
    for what, theirs, ours in (('event', event.name, one.name), ('time', event.ns, sample.time),
                               ('thread', event.tid, sample.tid), ('CPU', event.cpu, sample.cpu),
                               ('command', event.comm, comm)):
        check.same(event, what, theirs, ours)
    for name in NUMBERS:
        if name in event.fields and one.has(name):
            check.same(event, name, event.number(name), one.number(raw, name))
    if event.name != one.name:
        return
    # what stock could not name is printed in hex
    site = event.fields.get('call_site')
    if site:
        address = one.number(raw, 'call_site')
        check.same(event, 'call_site', site, f'{address:#x}' if site.startswith('0x') else text_of(names, address))
    if event.fields.get('gfp_flags', '0x').startswith('0x'):
        check.same(event, 'gfp_flags', event.number('gfp_flags'), one.number(raw, 'gfp_flags', 0))
    else:
        flags = tracepoint.flags_of(lives.gfp_names, one.number(raw, 'gfp_flags')) or ['none']
        check.same(event, 'gfp_flags', event.fields['gfp_flags'], '|'.join(flags))
    if 'name' in event.fields:
        check.same(event, 'cache', event.fields['name'], one.string(raw, 'name').decode())
    frames = [] if names.stock_drops(sample.chain) else names.kernel_frames(sample.chain)
    # stock takes a BPF program, of whoever traces beside us, for a file, and kmem_events leaves those out
    texts = [text for text in (text_of(names, ip) for ip in frames) if not BPF_PROGRAM.match(text)]
    check.same(event, 'frames', event.frames, texts)


def main():
    script, path, *kallsyms = sys.argv[1:]
    recording = perfdata.Recording(path)
    texts = [recording.kallsyms]
    for one in kallsyms:
        with open(one, encoding='utf-8') as f:
            texts.insert(0, f.read())
    names = symbols.Symbols(texts)
    lives = definitions.Lives(recording, names)
    check, comms = Check(), definitions.Comms()
    samples = []
    for record in recording.records:
        if isinstance(record, (perfdata.Comm, perfdata.Fork)):
            comms.take(record)
        elif isinstance(record, perfdata.Sample) and record.event.name and record.event.name.split(':')[0] in SYSTEMS:
            samples.append((record, comms.of(record.tid)))
    with open(script, errors='replace', encoding='utf-8') as text:
        events = list(kmem_events.read(text, SYSTEMS))
    if len(events) != len(samples):
        print(f'stock prints {len(events)} events, ours are {len(samples)}')
        check.differ += 1
    for event, (sample, comm) in zip(events, samples):
        compare(check, event, sample, comm, lives, names)
    print(f'{check.events} events, {check.values} values, {check.differ} differ')
    sys.exit(1 if check.differ or not check.events else 0)


main()
