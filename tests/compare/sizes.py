#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Sizes that no kernel reports: no sum wraps, and text, CSV and JSON agree.

usage: sizes.py PERF RECORDING SCRATCH

In copies of an uncompressed recording
  huge  ten kmallocs are of 2^34 to 2^64 - 1 bytes: they are no allocations, which is said, and
        the figures are those of all others
  more  every kmalloc asked for three times what it got: nothing is wasted
"""
import csv
import io
import json
import os
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'recompute'))

import perfdata  # noqa: E402

PERF, RECORDING, SCRATCH = sys.argv[1:4]
HUGE = [2**64 - 1, 2**64 - 8, 2**63, 2**63 - 1, 2**62, 2**53 + 1, 2**48, 2**40, 2**34, 2**33 + 1]


def kmallocs():
    """Where the raw data of each kmalloc is, its format, and its sizes."""
    data = open(RECORDING, 'rb').read()
    found = {}  # the same bytes may stand there several times
    for record in perfdata.Recording(RECORDING).records:
        if isinstance(record, perfdata.Sample) and record.event.name == 'kmem:kmalloc':
            at = found[record.raw] = data.index(record.raw, found.get(record.raw, -1) + 1)
            form = record.event.format
            if form.number(record.raw, 'ptr'):
                yield at, form, form.number(record.raw, 'bytes_req'), form.number(record.raw, 'bytes_alloc')


def write(name, changes):
    """A copy in which the sizes at (place, format) are changed."""
    path = os.path.join(SCRATCH, f'sizes-{name}.data')
    data = bytearray(open(RECORDING, 'rb').read())
    for at, form, req, alloc in changes:
        for field, value in (('bytes_req', req), ('bytes_alloc', alloc)):
            _, offset, size, _ = form.fields[field]
            struct.pack_into(form.order + {4: 'I', 8: 'Q'}[size], data, at + offset, value)
    with open(path, 'wb') as f:
        f.write(data)
    return path


def stat(path, *options):
    command = [PERF, 'kmem', 'stat', '-f', '-i', path, '--slab', '--by=callsite', '-s', 'callsite', *options]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
    return done.stdout.decode(), done.stderr.decode()


def forms(path):
    """The summary, after checking that text, CSV and JSON agree."""
    text, warnings = stat(path, '--fields=callsite,req,bytes,frag')
    table = list(csv.DictReader(io.StringIO(stat(path, '--fields=callsite,req,bytes,frag', '--format=csv')[0])))
    report = json.loads(stat(path, '--format=json')[0])['slab']
    rows = report['tables'][0]['rows']
    names = ('bytes_req', 'bytes_alloc', 'frag_percent')
    ours = [(str(r['bytes_req']), str(r['bytes_alloc']), f"{r['frag_percent']:.3f}") for r in rows]
    assert ours == [tuple(r[n] for n in names) for r in table], (ours, table)
    cells = [[c.strip().rstrip('%') for c in line.split('|')] for line in text.splitlines() if line.count('|') == 3]
    assert ours == [tuple(c[1:]) for c in cells[1:]], (ours, cells)
    summary = report['summary']
    for label, name in (('requested', 'bytes_requested'), ('allocated', 'bytes_allocated'), ('freed', 'bytes_freed')):
        line = next(line for line in text.splitlines() if line.startswith(f'Total bytes {label}:'))
        assert int(line.split()[-1].replace(',', '')) == summary[name], (line, summary)
    line = next(line for line in text.splitlines() if line.startswith('Total bytes wasted'))
    assert int(line.split()[-1].replace(',', '')) == summary['bytes_wasted'], (line, summary)
    requested, allocated = sum(int(r[0]) for r in ours), sum(int(r[1]) for r in ours)
    assert (requested, allocated) == (summary['bytes_requested'], summary['bytes_allocated']), summary
    assert summary['bytes_wasted'] == max(allocated - requested, 0), summary
    percent = 100 - 100 * requested / allocated
    assert abs(summary['fragmentation_percent'] - percent) < 1e-3, (summary, percent)
    return summary, warnings


def main():
    whole, _ = forms(RECORDING)
    all_of_them = list(kmallocs())
    some = all_of_them[5:5 + len(HUGE)]
    changed = [(at, form, size, size if i % 2 else alloc)
               for i, ((at, form, _, alloc), size) in enumerate(zip(some, HUGE))]
    left, warnings = forms(write('huge', changed))
    assert f'{len(HUGE)} samples of kmem:kmalloc could not be decoded' in warnings, warnings
    for name, field in (('bytes_requested', 2), ('bytes_allocated', 3)):
        assert left[name] == whole[name] - sum(k[field] for k in some), (name, left, whole)
    assert left['allocations'] == whole['allocations'] - len(HUGE), left
    more, _ = forms(write('more', [(at, form, 3 * alloc, alloc) for at, form, _, alloc in all_of_them]))
    assert more['bytes_wasted'] == 0 and more['fragmentation_percent'] < 0, more
    print(f'{len(all_of_them)} kmallocs; {left}; {more}')


main()
