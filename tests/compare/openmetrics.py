#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The output of --format openmetrics is valid, and its series add up to the figures of JSON.

usage: openmetrics.py [--promtool] PERF RECORDING... -- OPTION...

With --promtool, promtool reads each report, too, and must have no complaint.
"""
import collections
import json
import re
import subprocess
import sys

ARGS = [arg for arg in sys.argv[1:] if arg != '--promtool']
PROMTOOL = len(ARGS) < len(sys.argv) - 1
PERF, CUT = ARGS[0], ARGS.index('--')
RECORDINGS, OPTIONS = ARGS[1:CUT], ARGS[CUT + 1:]

LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"'
SAMPLE = re.compile(rf'(perf_kmem_[a-z_]+)(?:\{{({LABEL}(?:,{LABEL})*)\}})? (-?[0-9.e+-]+)')
COMMENT = re.compile(r'# (?:HELP (perf_kmem_[a-z_]+) \S.*\.|TYPE (perf_kmem_[a-z_]+) (?:gauge|counter))')
# metrics of a row, and members of a row of JSON; some allocators have bytes instead of bytes_alloc
ROWS = {'live_bytes': ['live_bytes'], 'live_objects': ['live_hits'], 'allocations_total': ['hits'],
        'allocated_bytes_total': ['bytes_alloc', 'bytes'], 'requested_bytes_total': ['bytes_req'], 'frees_total': ['freed_hits']}
LEAKS = {'leak_bytes': ['bytes'], 'leak_objects': ['hits'], 'leak_growth_bytes_per_second': ['growth_bytes_per_second']}


def perf(*words):
    done = subprocess.run([PERF, 'kmem', *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return done.stdout.decode() if done.returncode == 0 else None


def read(text):
    """The samples, by the name of their metric: (labels, value)."""
    metrics, described, last = collections.defaultdict(list), set(), None
    for line in text.splitlines():
        if line.startswith('#'):
            name = next(filter(None, COMMENT.fullmatch(line).groups()))
            assert name not in metrics, f'{name} is described after its samples'
            described.add(line.split()[1] + name)
            continue
        match = SAMPLE.fullmatch(line)
        assert match, f'not a sample: {line}'
        name, labels, value = match.groups()
        assert name == last or name not in metrics, f'samples of {name} do not stand together'
        assert {'HELP' + name, 'TYPE' + name} <= described, name
        last = name
        labels = dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', labels or ''))
        metrics[name.removeprefix('perf_kmem_')].append((labels, float(value)))
    for name, samples in metrics.items():
        twins = collections.Counter(tuple(sorted(labels.items())) for labels, _ in samples)
        assert max(twins.values()) == 1, f'{name} has a series twice: {twins.most_common(1)}'
    if PROMTOOL:
        done = subprocess.run(['promtool', 'check', 'metrics'], input=text.encode(), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        assert done.returncode == 0 and not done.stdout, done.stdout.decode()
    return metrics


def total(samples, allocator):
    return sum(value for labels, value in samples if labels['allocator'] == allocator)


def check_sums(metrics, rows, names, allocator, limit):
    figures = 0
    for name, members in names.items():
        member = next((member for member in members if rows and member in rows[0]), None)
        if not member or name not in metrics:
            continue
        samples = [sample for sample in metrics[name] if sample[0]['allocator'] == allocator]
        assert total(samples, allocator) == sum(row[member] or 0 for row in rows), (name, allocator)
        assert len(samples) <= 4 * limit + 1
        figures += len(samples)
    return figures


def check_stat(path, limit, *options):
    words = ['-i', path, *OPTIONS, *options]
    text, report = perf('stat', *words, '--format', 'openmetrics', '-l', str(limit)), perf('stat', *words, '--format', 'json')
    if text is None or report is None:
        assert text is None and report is None, (path, options)
        return 0
    metrics, report = read(text), json.loads(report)
    assert [value for _, value in metrics['build_info']] == [1]
    return sum(check_sums(metrics, report[a]['tables'][0]['rows'], ROWS, a, limit) for a in ('slab', 'page') if a in report)


def check_leak(path, limit, *options):
    words = ['-i', path, *OPTIONS, *options]
    text, report = perf('leak', *words, '--format', 'openmetrics', '-l', str(limit)), perf('leak', *words, '--format', 'json')
    if text is None:
        assert report is None, path
        return 0
    metrics, leak = read(text), json.loads(report)['leak']
    return sum(check_sums(metrics, leak[a]['rows'], LEAKS, a, limit) for a in ('slab', 'page') if a in leak)


def check_top(path, *options):
    words = ['-i', path, *OPTIONS, *options, '--once']
    text, report = perf('top', *words, '--format', 'openmetrics'), perf('top', *words, '--format', 'json')
    if text is None:
        assert report is None, path
        return 0
    metrics, report = read(text), json.loads(report)
    return sum(check_sums(metrics, report[a]['rows'], ROWS, a, 20) for a in ('slab', 'page') if a in report)


def main():
    figures = 0
    for path in RECORDINGS:
        for allocator in '--slab', '--page':
            for by in 'callsite', 'comm', 'pid,callsite', 'comm,module,callsite', 'stack':
                figures += check_stat(path, 20 if ',' in by else 1, allocator, '--by', by)
            figures += check_stat(path, 5, allocator, '--by', 'callsite', '--live')
            for limit in 1, 20:
                figures += check_leak(path, limit, allocator)
            figures += check_top(path, allocator)
    print(figures, 'figures')
    assert figures > 1000


main()
