#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The rows of two `perf report -g none --sort comm,dso,symbol -t ';'`, stock's and ours, must be the same.

usage: report_rows.py STOCK.txt OURS.txt [PERCENT]

Each row of at least PERCENT (1) must be on both sides, with the same percentages.  Only the differences that
perf-report(1) lists may be there; the rows that each of them explains are counted.
"""
import collections
import re
import sys

TOLERANCE = 0.015  # of one row; rows of one name are added up


def place_of(dso, symbol):
    """An address without a name is one of the process in one and an offset in the other: they end alike.
    If it is in the kernel ours says so."""
    if not re.fullmatch(r'0x[0-9a-f]{16}|0{16,18}', symbol[4:]):
        return dso, symbol
    return dso.replace('[kernel.kallsyms]', '[unknown]'), f'[.] 0x{int(symbol[4:], 16) & 0xfff:x}'


def read(path):
    """{event: (samples, {(comm, dso, symbol): [percent, ...]})}; rows of one name are added up."""
    events, rows, samples, columns = {}, None, None, []
    with open(path, errors='replace') as lines:
        for line in lines:
            line = line.rstrip('\n')
            match = re.match(r"# Samples: (\S+) *of event '(.*)'$", line)
            if match:
                samples, rows = match[1], {}
                events[match[2]] = (samples, rows)
            elif line.startswith('# ') and ';Symbol' in line:
                columns = [cell.strip() for cell in line[2:].split(';')]
            elif line and not line.startswith('#') and columns:
                first = columns.index('Command')
                cells = [cell.strip() for cell in line.split(';')]
                comm, dso, symbol = cells[first:first + 3]
                key = (comm, *place_of(dso, symbol))
                figures = [float(cell[:-1]) for cell in cells[:first]]
                rows[key] = [a + b for a, b in zip(rows.get(key, [0.0] * len(figures)), figures)]
    return events


class Event:
    """The rows of one event on both sides."""

    def __init__(self, stock, ours):
        self.stock, self.ours = stock, ours
        self.inlined = [(key[:2], figures) for key, figures in stock.items() if key[2].endswith(' (inlined)')]
        self.no_callchains = all(len(v) > 1 and v[0] == v[1] for v in ours.values())

    def difference(self, key):
        a, b = self.stock.get(key), self.ours.get(key)
        nr = len(a or b)
        return [x - y for x, y in zip(a or [0.0] * nr, b or [0.0] * nr)]

    def is_inlined(self, key):
        """Inlined, or what stock takes for that because its debug information has another name for it."""
        figures = self.ours.get(key, [])
        return key[2].endswith(' (inlined)') or any(
            key[:2] == of and all(abs(x - y) < TOLERANCE for x, y in zip(theirs, figures))
            for of, theirs in self.inlined if key not in self.stock)

    def is_before_exec(self, key):
        """Ours does not know the file where stock uses the maps of the program before exec."""
        unknown = [sum(figures[0] for other, figures in self.ours.items()
                       if other[0] == key[0] and other[1] == '[unknown]')][0]
        return key[2].startswith('[.]') and 0 < self.difference(key)[0] < unknown + TOLERANCE

    def groups(self, keys, of):
        """The keys that differ, by `of`, where what is too much in one is missing in another."""
        groups = collections.defaultdict(list)
        for key in keys:
            groups[of(key)].append(key)
        for group in groups.values():
            sums = [sum(column) for column in zip(*map(self.difference, group))]
            if len(group) > 1 and all(abs(s) < TOLERANCE * len(group) for s in sums):
                yield group

    def explain(self):
        """(rule, key) of each row; the rule is None where the sides differ and must not."""
        same = [key for key in set(self.stock) | set(self.ours)
                if all(abs(d) < TOLERANCE for d in self.difference(key))]
        left = sorted((set(self.stock) | set(self.ours)) - set(same))
        yield from (('the same', key) for key in same)
        rules = []
        for key in left:
            if self.no_callchains and len(self.difference(key)) > 1 and abs(self.difference(key)[1]) < TOLERANCE:
                rules.append(('no callchains', key))
            elif self.is_inlined(key):
                rules.append(('inlined', key))
        yield from rules
        left = [key for key in left if key not in {key for _, key in rules}]
        # a function that has several names, or another name where a call is the last thing it does
        for group in list(self.groups(left, lambda key: key[:2] + (key[2][:4],))):
            yield from (('name', key) for key in group)
            left = [key for key in left if key not in group]
        for key in left:
            if key[1] == '[unknown]' and self.difference(key)[0] < 0:
                yield 'no file', key
            elif self.is_before_exec(key):
                yield 'before exec', key
            else:
                yield None, key


def compare(stock, ours, limit, explained, wrong):
    for event in sorted(set(stock) | set(ours)):
        if event not in stock or event not in ours:
            wrong.append(f'{event}: only one side has it')
            continue
        (nr_stock, theirs), (nr_ours, rows) = stock[event], ours[event]
        if nr_stock != nr_ours:
            wrong.append(f'{event}: {nr_stock} samples, ours {nr_ours}')
        for rule, key in Event(theirs, rows).explain():
            if max(theirs.get(key, [0.0]) + rows.get(key, [0.0])) < limit:
                continue
            explained[rule] += 1
            if not rule:
                wrong.append(f'{event}: {key}: {theirs.get(key)}, ours {rows.get(key)}')


def main():
    stock, ours = read(sys.argv[1]), read(sys.argv[2])
    limit = float(sys.argv[3]) if len(sys.argv) > 3 else 1.0
    explained, wrong = collections.Counter(), []
    compare(stock, ours, limit, explained, wrong)
    print(', '.join(f'{rule}: {nr}' for rule, nr in sorted(explained.items(), key=str)) or 'no rows')
    for line in wrong[:20]:
        print(line)
    return bool(wrong) or not explained['the same']


sys.exit(main())
