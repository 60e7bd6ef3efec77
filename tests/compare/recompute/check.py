# SPDX-License-Identifier: GPL-2.0-or-later
"""Asks the program, and checks its rows against ours."""
import collections
import csv
import json
import os
import subprocess
import tempfile

import definitions
import tracepoint

SHOWN = 8           # differences of one figure that are printed
QUESTIONS = 60      # that are listed at the end
STEPS = 16          # a percentile is as exact as this part of it

JSON_NAMES = {'gfp': 'gfp_flags', 'migtype': 'migratetype'}
NAMED = {'symbol', 'offset', 'module', 'gfp'}  # what stands beside a key


class Result:
    """The results of comparisons."""

    def __init__(self):
        self.figures = self.differ = 0
        self.questions = collections.Counter()
        self.left_out = collections.Counter()
        self.names = collections.Counter()

    def same(self, question, row, name, theirs, ours, equal=None):
        self.figures += 1
        if (theirs == ours) if equal is None else equal:
            return True
        self.differ += 1
        self.questions[question] += 1
        self.names[name] += 1
        if self.names[name] <= SHOWN:
            print(f'{question}: {row}: {name}: ours {ours}, recomputed {theirs}', flush=True)
        return False

    def print_rest(self):
        if self.left_out:
            print('not compared:', ', '.join(f'{name} ({n})' for name, n in sorted(self.left_out.items())))
        for what, counts in (('figures', self.names), ('questions', self.questions)):
            if counts:
                print(f'{what} that differ:')
            for one, n in counts.most_common(QUESTIONS):
                print(f'  {n:7} {one}')


class Subject:
    """A recording, and our program's answers about it."""

    def __init__(self, program, path, options, lives):
        self.program, self.path, self.options, self.lives = program, path, options, lives
        self.errors = b''

    def run(self, command, *words, files=None, options=None):
        environment = dict(os.environ, PERF_CONFIG='/dev/null', LC_ALL='C')
        words = [self.program, 'kmem', command, '-f', *(self.options if options is None else options), *words,
                 *(files or ('-i', self.path))]
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, check=False)
        self.errors = done.stderr
        if done.returncode:
            raise RuntimeError(f"{' '.join(words)}: status {done.returncode}: {done.stderr.decode(errors='replace')}")
        return done.stdout

    def json(self, command, *words, files=None, options=None):
        return json.loads(self.run(command, *words, '--format=json', files=files, options=options))

    def csv(self, *options):
        """[(header, rows)]"""
        tables = []
        with tempfile.TemporaryDirectory() as folder:
            self.run('stat', *options, '--format=csv', '-o', folder + '/')
            for name in sorted(os.listdir(folder)):
                with open(os.path.join(folder, name), encoding='utf-8', errors='replace', newline='') as file:
                    header, *rows = csv.reader(file)
                tables.append((header, rows))
        return tables

    def folded(self, *options):
        total = collections.Counter()
        for line in self.run('stat', *options, '--format=folded').decode('utf-8', 'replace').splitlines():
            stack, weight = line.rsplit(' ', 1)
            total[stack] += int(weight)
        return total


def percentile(ages, percent):
    """The age that this percentage did not exceed."""
    ages = sorted(ages)
    return ages[max(0, -(-len(ages) * percent // 100) - 1)] if ages else 0


def octaves(ages):
    counts = collections.Counter(max(age.bit_length() - 1, 0) for age in ages)
    return {str(octave): n for octave, n in counts.items()}


def figures_of(row, allocator, lifetimes, live=False):
    """Member of our JSON -> its value; if live, hits and bytes are those of live allocations."""
    hits, req, alloc = (row.live_hits, row.live_req, row.live_bytes) if live else (row.hits, row.req, row.alloc)
    want = {'hits': hits, 'pingpong': row.pingpong, 'live_hits': row.live_hits, 'live_bytes': row.live_bytes,
            'unseen_frees': row.unseen, 'freed_hits': len(row.ages), 'bytes_per_hit': alloc // hits if hits else 0}
    short = sum(age <= definitions.SHORT_NS for age in row.ages)
    want['short_lived_percent'] = 100 * short / len(row.ages) if row.ages else 0
    if allocator == 'slab':
        want.update(bytes_req=req, bytes_alloc=alloc, frag_percent=definitions.fragmentation(req, alloc))
    else:
        want['bytes'] = alloc
    if lifetimes:
        ages = row.ages
        want.update(short_lived_hits=short,
                    lifetime_mean_ns=sum(ages) // len(ages) if ages else 0,
                    lifetime_p50_ns=percentile(ages, 50), lifetime_p99_ns=percentile(ages, 99),
                    lifetime_log2_ns=octaves(ages))
    return want


def is_same(name, row, theirs, ours):
    if name.endswith('percent'):
        return ours is not None and abs(theirs - ours) <= 0.00051 + abs(theirs) * 1e-9
    if name in ('lifetime_p50_ns', 'lifetime_p99_ns') and row.ages:
        return min(row.ages) <= ours <= max(row.ages) and abs(theirs - ours) <= theirs / STEPS + 1
    return theirs == ours


def key_value(value):
    return tuple(value) if isinstance(value, list) else value


class Tables:
    """Compares tables of stat."""

    def __init__(self, result, subject):
        self.result, self.subject = result, subject

    def summary(self, question, asked, ours):
        want = asked.summary()
        for name, value in want.items():
            self.result.same(question, 'summary', name, value, ours.get(name),
                             is_same(name, None, value, ours.get(name)))
        for name in ours.keys() - want.keys():
            self.result.left_out[f'summary {name}'] += 1

    def table(self, question, asked, ours, by, lifetimes=False, live=False):
        """Each row of a table, each of its figures."""
        result = self.result
        rows = asked.rows(*by)
        if live:
            rows = {key: row for key, row in rows.items() if row.live_hits}
        mine = collections.defaultdict(list)
        for row in ours['rows']:
            mine[tuple(key_value(row[JSON_NAMES.get(key, key)]) for key in by)].append(row)
        result.same(question, ','.join(by), 'rows_total', len(rows), ours['rows_total'])
        result.same(question, ','.join(by), 'by', list(by), ours['by'])
        for key in rows.keys() - mine.keys():
            result.same(question, key, 'the row', figures_of(rows[key], asked.allocator, False, live), None)
        for key, same_key in mine.items():
            row = rows.get(key)
            if row is None:
                result.same(question, key, 'the row', None, same_key[0])
                continue
            if len(same_key) > 1:
                # functions of the same name have a row each
                result.same(question, key, 'rows of one key', 1, len(same_key))
                continue
            want = figures_of(row, asked.allocator, lifetimes, live)
            for name, value in want.items():
                got = same_key[0].get(name)
                result.same(question, key, name, value, got, is_same(name, row, value, got))
            self.names(question, key, by, same_key[0])
            for name in same_key[0].keys() - want.keys() - NAMED - {JSON_NAMES.get(k, k) for k in by}:
                result.left_out[f'row {name}'] += 1

    def names(self, question, key, by, row):
        """Members that accompany a key: the name of an address or a mask."""
        result, lives = self.result, self.subject.lives
        if 'callsite' in by:
            address = int(row['callsite'], 16)
            symbol = lives.symbols.find(address) if address else None
            result.same(question, key, 'symbol', symbol and symbol.name, row['symbol'])
            result.same(question, key, 'offset', address - symbol.start if symbol else 0, row['offset'])
            if 'module' not in by:
                result.same(question, key, 'module', symbol and symbol.module, row['module'])
        if 'gfp' in by:
            names = tracepoint.flags_of(lives.gfp_names, int(row['gfp_flags'], 16))
            result.same(question, key, 'gfp', names, row['gfp'])
