#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The lines of two `perf script`, stock's and ours, must be the same.

usage: script_lines.py STOCK.txt OURS.txt

Only the differences that perf-script(1) lists may be there: each is a rule that says, of two lines at the
same place, why they differ.  The number of lines that each rule explains is printed.
"""
import collections
import itertools
import re
import sys

FRAME = re.compile(r'^\s+([0-9a-f]+) (.*) \(((?:[^()]|\(deleted\))*)\)$')


def why(stock, ours):
    """The name of the rule, or None."""
    if '[FAILED TO PARSE]' in stock:
        return 'parsed here' if stock.split(': ')[:2] == ours.split(': ')[:2] else None
    if re.sub(r'fragmenting=\d+', '', stock) == re.sub(r'fragmenting=[01]\b', '', ours) and 'fragmenting=' in ours:
        return 'comparison'
    names = r'(call_site|function|address|ip|caller)=[^ ]+'
    if re.sub(names, r'\1', stock) == re.sub(names, r'\1', ours):
        if all(a == b or a.split('=')[1].startswith('0x') for a, b in
               zip((m.group() for m in re.finditer(names, stock)), (m.group() for m in re.finditer(names, ours)))):
            return 'module'
        return None
    a, b = FRAME.match(stock), FRAME.match(ours)
    if not a or not b:
        return None
    if b.group(2) == '[unknown]' and b.group(3) == '[unknown]':
        # the offset in a file that was mapped before exec: the low bits are those of the address
        return 'before exec' if int(a.group(1), 16) & 0xfff == int(b.group(1), 16) & 0xfff else None
    if a.group(3) == b.group(3) and (a.group(3).startswith('/memfd:') or a.group(3) in ('[heap]', '[stack]', '//anon')):
        return 'memory' if int(a.group(1), 16) & 0xfff == int(b.group(1), 16) & 0xfff else None
    if a.groups()[::2] == b.groups()[::2]:
        if b.group(2) == '[unknown]':
            return 'other file'
        if a.group(2) == '[unknown]':
            return 'named here'
        # another name of the same function
        if a.group(2).rsplit('+', 1)[-1] == b.group(2).rsplit('+', 1)[-1]:
            return 'alias'
    return None


def main():
    explained, wrong = collections.Counter(), []
    lines = same = 0
    with open(sys.argv[1], errors='replace') as stock, open(sys.argv[2], errors='replace') as ours:
        for a, b in itertools.zip_longest(stock, ours, fillvalue=''):
            lines += 1
            if a == b:
                same += 1
                continue
            rule = why(a.rstrip('\n'), b.rstrip('\n'))
            if rule:
                explained[rule] += 1
            else:
                wrong.append((lines, a, b))
    print(f'{lines} lines, {same} the same;', ', '.join(f'{rule}: {n}' for rule, n in explained.items()) or 'no differences')
    for number, a, b in wrong[:10]:
        print(f'line {number}:\n  stock {a.rstrip()}\n  ours  {b.rstrip()}')
    return bool(wrong) or not lines


sys.exit(main())
