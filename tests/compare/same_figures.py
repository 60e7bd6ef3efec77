#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The figures do not depend on how a recording is read, nor on how much of it is printed.

usage: same_figures.py PERF RECORDING TWIN DIRECTORY [OPTION...]

TWIN is RECORDING with packed records, or unpacked ones (repack.py).  Each report below of both is the same to the
byte with -j 1, -j 2 and -j 4, as text and as JSON; with -l 10 its summaries are the same,
its totals of rows are, and its rows are the first ten of those that it has without.
"""
import json
import os
import shutil
import subprocess
import sys

PERF, OPTIONS = sys.argv[1], sys.argv[5:]
LINES = 10
# (recording or twin, -j), beside the recording with -j 1
WAYS = {'text': ((0, '4'), (1, '2')), 'json': ((0, '2'), (1, '1'), (1, '4'))}
ROWS = ('rows', 'free_callers')  # what has lines
REPORTS = (
    '--slab --page --caller --alloc',
    '--slab --page --caller --alloc --live',
    '--slab --by cache,cpu',
    '--slab --by comm,callsite --lifetime',
    '--page --by stack',
    '--page --by gfp,order,migtype,cpu',
    '--slab --page --caller --alloc -s bytes,-hit',
    '--slab --page --peak --caller',
    '--vmalloc --caller --alloc --live',
    '--vmalloc --by comm,callsite --lifetime',
    '--percpu-mem --caller --alloc',
    '--percpu-mem --by gfp,cpu --peak',
    '--percpu',
    '--extfrag',
)


def run(folder, *arguments):
    """Status and output; the path is the same in each folder."""
    p = subprocess.run([PERF, 'kmem', 'stat', '-i', 'recording', *arguments, *OPTIONS], cwd=folder,
                       capture_output=True)
    return p.returncode, p.stdout, p.stderr


def first_lines(report):
    """The JSON, cut as with -l."""
    if isinstance(report, dict):
        return {k: v[:LINES] if k in ROWS else first_lines(v) for k, v in report.items()}
    if isinstance(report, list):
        return [first_lines(v) for v in report]
    return report


def compare(what, want, got):
    if want == got:
        return 0
    print(f'{what}: not the same')
    for name, a, b in zip(('status', 'output', 'messages'), want, got):
        if a != b and isinstance(a, bytes):
            for x, y in zip(a.splitlines() + [b'(end)'], b.splitlines() + [b'(end)']):
                if x != y:
                    print(f'  {name}: {x[:200]}\n  {" " * len(name)}  {y[:200]}')
                    break
        elif a != b:
            print(f'  {name}: {a} {b}')
    return 1


def main():
    bad = good = rows = 0
    folders = [os.path.join(sys.argv[4], name) for name in ('recording', 'twin')]
    for folder, path in zip(folders, sys.argv[2:4]):
        os.makedirs(folder, exist_ok=True)
        shutil.copy(path, os.path.join(folder, 'recording'))
    for words in REPORTS:
        for form in ('text', 'json'):
            options = [*words.split(), f'--format={form}']
            want = run(folders[0], '-j', '1', *options)
            for folder, jobs in WAYS[form]:
                bad += compare(f'{words} as {form}, {os.path.basename(folders[folder])} with -j {jobs}', want,
                               run(folders[folder], '-j', jobs, *options))
            if want[0]:
                break
        if want[0]:
            continue  # the recording is not of this kind; both printed the same message
        good += 1
        full = json.loads(want[1])
        for folder in folders:
            cut = json.loads(run(folder, '-l', str(LINES), *options)[1])
            if cut != first_lines(full):
                print(f'{words}, {os.path.basename(folder)} with -l {LINES}: not the first lines of the whole')
                bad += 1
        rows += len(want[1].splitlines())
    print(f'{good} reports, {rows} lines of JSON')
    return 1 if bad or not good else 0


sys.exit(main())
